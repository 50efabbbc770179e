/*
** Access lists: the addresses from which a credential may be used.
**
** A credential with entries may be used only from an address that one of them covers. A credential without entries may be
** used from anywhere, unless its organization requires a list. The entries are the children of the credential, each with
** its range in binary form, so that no text is parsed here.
**
** An organization can also require a second factor of authentication from people, for whom the host vouches. A person without
** it is refused everything in that organization. Lists over all organizations still show it, so that people see the reason.
**
** catalog/access_entries.c creates and shows entries.
*/
#include "pipeline/pipeline.h"

#define ACCESS_MOST 256 /* entries that are checked: no credential may have more than 200 */

SVC_PRIVATE const svc_noun_info *svc_access_list_of(const svc *s, const svc_noun_info *credential)
{
  size_t i;
  for (i = 0; i < s->noun_count; i++)
    if (s->nouns[i].parent == credential && svc_noun_ext_of(s->nouns[i].noun)->access) return &s->nouns[i];
  return NULL;
}

/* Whether the organization requires an access list ('1') or a second factor ('2'): letters in `extra` of its policy (SVC_SEAT_POLICY). */
static bool access_asked(const svc_call *c, const svc_id *org, char what)
{
  static const svc_id none;
  svc_entity policy;
  if (!c->s->seats[SVC_SEAT_POLICY]) return false;
  if (svc_entity_get(c->txn, c->s->seats[SVC_SEAT_POLICY]->noun->kind, org, &none, &policy) != SVC_OK) return false;
  return policy.extra.n && memchr(policy.extra.p, what, policy.extra.n);
}

SVC_PRIVATE bool svc_access_required(const svc_call *c, const svc_id *org)
{
  return access_asked(c, org, '1');
}

/* Only people need factors: credentials are made for machines, and the host itself is not asked. */
SVC_PRIVATE bool svc_access_factors(svc_call *c, const svc_id *org)
{
  svc_str id;
  if (!c->who.one_factor || svc_id_is_zero(org) || !access_asked(c, org, '2')) return true;
  id = svc_id_str(c->arena, org);
  return svc_fail(c, SVC_E_MULTI_FACTOR_AUTH_REQUIRED, "S", &id);
}

static bool access_refuse(svc_call *c, int code)
{
  return svc_fail(c, code, "S", &c->request.peer);
}

SVC_PRIVATE bool svc_access_look(svc_call *c, const svc_noun_info *list, const svc_id *credential, const svc_id *but,
                                 svc_access_view *out)
{
  svc_address caller, range;
  svc_scan scan;
  svc_entity entry;
  memset(out, 0, sizeof *out);
  if (!svc_count(c->txn, list->noun->kind, credential)) return svc_txn_good(c);
  svc_below_begin(&scan, c->txn, list->noun->kind, credential);
  if (!svc_address_parse(c->request.peer, &caller)) memset(&caller, 0, sizeof caller);
  while (!out->covered && out->entries < ACCESS_MOST && svc_below_next(&scan, list->noun->kind, &entry)) {
    if (but && svc_id_eq(&entry.id, but)) continue;
    out->entries++;
    if (entry.extra.n != sizeof range) continue;
    memcpy(&range, entry.extra.p, sizeof range);
    out->covered = svc_address_within(&caller, &range);
    out->by = entry.id;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential, bool *anywhere)
{
  const svc_noun_info *list = svc_access_list_of(c->s, noun);
  svc_access_view view;
  bool required;
  *anywhere = true;
  if (!list) return true;
  if (!svc_access_look(c, list, &credential->id, NULL, &view)) return false;
  required = view.entries == 0 && svc_access_required(c, &credential->parent);
  if (!svc_txn_good(c)) return false;
  *anywhere = view.entries == 0;
  if (required) return access_refuse(c, SVC_E_ORG_REQUIRES_ACCESS_LIST);
  if (view.entries == 0) return true;
  if (!view.covered) return access_refuse(c, SVC_E_IP_ADDRESS_NOT_ON_ACCESS_LIST);
  svc_access_use_note(c->s, list, &credential->id, &view.by, c->now, c->request.peer);
  return true;
}
