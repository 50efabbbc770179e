/*
** Blocks of addresses, as containers and peered networks have them.
**
** The rule: a block has only one spelling, without bits set behind its prefix, so equal blocks are equal texts. The
** refusal of an invalid block names the field.
*/
#include "catalog/catalog.h"
#include "catalog/network/network_parts.h"

enum { NETWORK_BLOCK_V4 = 96 }; /* bits before an IPv4 address in svc_address */

/* The private ranges of RFC 1918. */
static const char *const network_block_ranges[] = { "192.168.0.0/16", "172.16.0.0/12", "10.0.0.0/8" };
enum { NETWORK_BLOCK_RANGES = sizeof network_block_ranges / sizeof network_block_ranges[0] };

SVC_PRIVATE bool svc_block_overlaps(const svc_address *a, const svc_address *b)
{
  return svc_address_within(a, b) || svc_address_within(b, a);
}

static bool network_block_refuse(svc_call *c, int code, const char *field, const char *why, svc_str block, svc_str other)
{
  svc_violate(c, code, svc_str_c(field), "%s", why);
  return svc_fail_about(c, code, block, other);
}

SVC_PRIVATE bool svc_block_parse(svc_call *c, const char *field, svc_str text, svc_address *out)
{
  svc_str spelled;
  if (!memchr(text.p, '/', text.n) || memchr(text.p, ':', text.n) || !svc_address_parse(text, out))
    return network_block_refuse(c, SVC_E_INVALID_CIDR_BLOCK, field, "must be a block of IPv4 addresses in CIDR notation", text, SVC_S(""));
  spelled = svc_address_text(c->arena, out);
  /* svc_address_text() writes a single address without prefix */
  if (out->bits == 128) spelled = svc_arena_print(c->arena, SVC_FMT "/32", SVC_ARG(spelled));
  if (svc_str_eq(text, spelled)) return true;
  return network_block_refuse(c, SVC_E_NON_CANONICAL_CIDR_BLOCK, field, "has bits set behind its prefix", text, spelled);
}

SVC_PRIVATE bool svc_block_private(svc_call *c, const char *field, svc_str text, int widest, int narrowest, svc_address *out)
{
  svc_address range;
  int i = 0;
  svc_str why;
  if (!svc_block_parse(c, field, text, out)) return false;
  for (; i < NETWORK_BLOCK_RANGES; i++)
    if (svc_address_parse(svc_str_c(network_block_ranges[i]), &range) && svc_address_within(out, &range)) break;
  if (i < NETWORK_BLOCK_RANGES && out->bits >= NETWORK_BLOCK_V4 + widest && out->bits <= NETWORK_BLOCK_V4 + narrowest) return true;
  why = svc_arena_print(c->arena, "must be private (RFC 1918), with a prefix from /%d to /%d", widest, narrowest);
  return network_block_refuse(c, SVC_E_INVALID_CIDR_RANGE, field, why.n ? why.p : "", text, SVC_S(""));
}

/* Counts from the end of each range downwards, because people usually choose blocks from its start. */
SVC_PRIVATE bool svc_block_number(unsigned number, int prefix, svc_address *out)
{
  int i;
  for (i = 0; i < NETWORK_BLOCK_RANGES; i++) {
    int spare;
    uint32_t first;
    bool known = svc_address_parse(svc_str_c(network_block_ranges[i]), out);
    if (SVC_NEVER(!known)) return false;
    spare = NETWORK_BLOCK_V4 + prefix - out->bits;
    if (SVC_NEVER(spare < 0)) continue; /* no provider accepts blocks that large */
    if (number >= 1u << spare) {
      number -= 1u << spare;
      continue;
    }
    first = (uint32_t)out->b[12] << 24 | (uint32_t)out->b[13] << 16 | (uint32_t)out->b[14] << 8 | out->b[15];
    first += ((1u << spare) - 1 - number) << (32 - prefix);
    out->b[12] = (unsigned char)(first >> 24);
    out->b[13] = (unsigned char)(first >> 16);
    out->b[14] = (unsigned char)(first >> 8);
    out->b[15] = (unsigned char)first;
    out->bits = (unsigned char)(NETWORK_BLOCK_V4 + prefix);
    return true;
  }
  return false;
}

/* Refuses a block that overlaps with the container or with its other peers. */
SVC_PRIVATE bool svc_block_apart(svc_call *c, const svc_change *change, const svc_entity *container)
{
  svc_str text = svc_node_str(change->body, "routeTableCidrBlock");
  svc_address block, other;
  bool apart;
  svc_scan scan;
  svc_entity e;
  if (!svc_block_parse(c, "routeTableCidrBlock", text, &block)) return false;
  apart = !svc_address_parse(svc_network_text(c, container, "svcCidrBlock"), &other) || !svc_block_overlaps(&block, &other);
  svc_below_begin(&scan, c->txn, PEER_KIND, &change->parent);
  while (apart && svc_below_next(&scan, PEER_KIND, &e))
    apart = svc_id_eq(&e.id, &change->id) || !svc_str_eq(svc_network_text(c, &e, "containerId"), container->key) ||
            !svc_address_parse(svc_network_text(c, &e, "routeTableCidrBlock"), &other) || !svc_block_overlaps(&block, &other);
  if (apart) return svc_txn_good(c);
  return svc_fail_about(c, SVC_E_OVERLAPPING_CIDR_BLOCK, text, svc_id_str(c->arena, &change->parent));
}
