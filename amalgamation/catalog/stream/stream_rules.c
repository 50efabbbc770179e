/*
** Rules of connections that their tables cannot express: fields that depend on each other, permission to use a cluster, and
** the maximum size of a connection.
**
** The rule: a connection reads and writes all data of its cluster. A cluster of another project therefore requires that the
** organization allows it, and that the caller may also manage streams in that project.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

enum { STREAM_RULES_PAIRS = 32, STREAM_RULES_PAIRS_BYTES = 8192 };

SVC_PRIVATE bool svc_stream_is(const svc_node *body, const char *field, const char *value)
{
  return svc_node_is(body, field, value);
}

SVC_PRIVATE int svc_stream_tier(svc_str tier)
{
  int i = 0;
  while (svc_stream_tiers[i] && !svc_str_is(tier, svc_stream_tiers[i])) i++;
  return i;
}

SVC_PRIVATE bool svc_stream_has_region(const svc_node *list, svc_str region)
{
  const svc_node *one = svc_node_first(list);
  while (one && !svc_node_eq(one, "region", region)) one = one->next;
  return one != NULL;
}

SVC_PRIVATE bool svc_stream_connection_named(svc_call *c, const svc_id *workspace, svc_str name, svc_entity *out)
{
  int rc = svc_entity_named(c->txn, STREAM_CONNECTION_KIND, NULL, workspace, name, out);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  return rc == SVC_OK && !svc_json_is(out->body, "state", "DELETING");
}

/* Computed from the project: twelve digits at AWS, a UUID at AZURE, a name at GCP. */
SVC_PRIVATE svc_str svc_stream_account(svc_call *c, svc_str provider)
{
  unsigned char h[32];
  uint64_t number;
  svc_text_hash(c->arena, svc_arena_print(c->arena, "%s/" SVC_FMT, svc_id_str(c->arena, &c->scope.group).p, SVC_ARG(provider)), h);
  number = svc_load64(h);
  if (svc_str_is(provider, "AWS"))
    return svc_arena_print(c->arena, "%012llu", (unsigned long long)(number % 1000000000000u));
  if (svc_str_is(provider, "GCP")) return svc_arena_print(c->arena, "p-%016llx", (unsigned long long)number);
  return svc_arena_print(c->arena, "%02x%02x%02x%02x-%02x%02x-4%x%02x-8%x%02x-%02x%02x%02x%02x%02x%02x", h[0], h[1], h[2], h[3], h[4],
                         h[5], h[6] & 15u, h[7], h[8] & 15u, h[9], h[10], h[11], h[12], h[13], h[14], h[15]);
}

/* -------------------------------------------------------------------------------------------------------------- Kafka */

static void stream_rules_kafka(svc_call *c, const svc_node *body)
{
  const svc_node *security = svc_node_get(body, "security");
  svc_str mechanism = svc_node_str(svc_node_get(body, "authentication"), "mechanism");
  if (svc_str_is(mechanism, "SSL") && !svc_stream_is(security, "protocol", "SSL"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("security.protocol"), "must be SSL with mechanism SSL");
  if (svc_str_is(mechanism, "AWS_MSK_IAM") && !svc_stream_is(security, "protocol", "SASL_SSL"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("security.protocol"), "must be SASL_SSL with mechanism AWS_MSK_IAM");
}

/* --------------------------------------------------------------------------------------------------------- networking */

/* Each kind of network access requires its own id, and allows no other. */
static void stream_rules_networking(svc_call *c, const svc_node *body)
{
  static const char *const objects[] = { "networking", "publicPrivateNetworking" };
  static const char *const ways[][2] = { { "PRIVATE_LINK", "connectionId" }, { "TRANSIT_GATEWAY", "tgwRouteId" } };
  size_t i, w;
  for (i = 0; i < 2; i++) {
    const svc_node *access = svc_node_get(svc_node_get(body, objects[i]), "access");
    for (w = 0; w < 2 && access; w++) {
      bool is = svc_stream_is(access, "type", ways[w][0]), given = svc_node_get(access, ways[w][1]) != NULL;
      if (is != given)
        svc_violate(c, is ? SVC_E_MISSING_ATTRIBUTE : SVC_E_INVALID_ATTRIBUTE,
                    svc_arena_print(c->arena, "%s.access.%s", objects[i], ways[w][1]), "is required for type %s and allowed for no other", ways[w][0]);
    }
  }
}

/* ------------------------------------------------------------------------------------------------------------ clusters */

/* Finds the project of the cluster: the connection's own, or one of the same organization in which the caller has the same permission. */
static bool stream_rules_project(svc_call *c, const svc_node *body, svc_id *out)
{
  svc_str group = svc_node_str(body, "clusterGroupId");
  svc_entity e;
  uint64_t roles;
  *out = c->scope.group;
  if (group.n == 0) return true;
  if (svc_get_noun_text_id(c->txn, c->s->group, group, &e) != SVC_OK || !svc_id_eq(&e.parent, &c->scope.org) ||
      !svc_entity_visible(c, c->s->group, &e))
    return svc_txn_good(c) && (c->error.code ? false : svc_fail(c, SVC_E_GROUP_NOT_FOUND, "S", &group));
  if (svc_id_eq(&e.id, out)) return true;
  *out = e.id;
  if (!svc_org_setting(c, "streamsCrossGroupEnabled", false)) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("clusterGroupId"),
                "is another project: the organization must set streamsCrossGroupEnabled first");
    return svc_check_done(c);
  }
  roles = svc_roles_on(c, out, &c->scope.org);
  if (c->error.code) return false;
  return roles & STREAM_WRITERS ? true : svc_lacks_role(c, STREAM_WRITERS);
}

/* Checks the built-in roles for connections; a custom role is a reference. The first name begins with the vendor word. */
static void stream_rules_role(svc_call *c, const svc_node *body)
{
  const svc_node *given = svc_node_get(body, "dbRoleToExecute");
  svc_str role = svc_node_str(given, "role"), vendor = c->s->vendor;
  bool there = svc_str_is(role, "readWriteAnyDatabase") || svc_str_is(role, "readAnyDatabase") ||
               (role.n == vendor.n + 5 && memcmp(role.p, vendor.p, vendor.n) == 0 && memcmp(role.p + vendor.n, "Admin", 5) == 0);
  if (!there && !svc_stream_is(given, "type", "CUSTOM"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("dbRoleToExecute.role"), "must be " SVC_FMT "Admin, readWriteAnyDatabase or readAnyDatabase",
                SVC_ARG(vendor));
}

/* STREAM_REFS_OF_CLUSTERS checks that the cluster and a custom role exist. */
static bool stream_rules_cluster(svc_call *c, const svc_node *body)
{
  svc_id group;
  if (!stream_rules_project(c, body, &group)) return false;
  stream_rules_role(c, body);
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- bounds */

static size_t stream_rules_bytes(svc_call *c, const svc_node *node)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, node);
  return svc_buf_done(&b).n;
}

/* Limits the number of members and the bytes of an object with free keys. Names of headers are HTTP tokens, their values single lines. */
static void stream_rules_pairs(svc_call *c, const svc_node *body, const char *field)
{
  const svc_node *pairs = svc_node_get(body, field), *one;
  bool header = strcmp(field, "headers") == 0;
  if (!pairs || pairs->type != SVC_J_OBJECT) return;
  if (svc_node_count(pairs) > STREAM_RULES_PAIRS)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "must have at most %d members", STREAM_RULES_PAIRS);
  else if (stream_rules_bytes(c, pairs) > STREAM_RULES_PAIRS_BYTES)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "must have at most %d bytes", STREAM_RULES_PAIRS_BYTES);
  else
    for (one = pairs->first; one && header; one = one->next)
      if (!svc_pattern_match("^[\\w!#$%&'*+.^`|~-]+$", one->name) || !svc_pattern_match("^[^\\r\\n]*$", one->text))
        svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%s." SVC_FMT, field, SVC_ARG(one->name)),
                    "cannot be an HTTP header");
}

/* Refuses Kafka settings of servers and logins in `config`: fields exist for them, where secrets are sealed and belong to an address. */
static void stream_rules_config(svc_call *c, const svc_node *body)
{
  static const char *const own[][2] = { { "sasl.", "authentication and security" }, { "ssl.", "authentication and security" },
                                        { "security.", "authentication and security" }, { "bootstrap.", "bootstrapServers" },
                                        { "metadata.broker.list", "bootstrapServers" } };
  const svc_node *config = svc_node_get(body, "config"), *one;
  size_t i;
  for (one = svc_node_first(config); one; one = one->next)
    for (i = 0; i < sizeof own / sizeof own[0]; i++)
      if (svc_str_starts(one->name, own[i][0]))
        svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "config." SVC_FMT, SVC_ARG(one->name)), "is set by %s", own[i][1]);
}

/* A URL is stored and shown unchanged, so it must not contain a password. */
static void stream_rules_url(svc_call *c, const svc_node *url, svc_str at)
{
  svc_str text = url ? url->text : SVC_S("");
  size_t i = 0;
  while (i < text.n && text.p[i] != ':') i++;
  for (i += 3; i < text.n && !strchr("/?#", text.p[i]); i++)
    if (text.p[i] == '@') {
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must not contain a user or password");
      return;
    }
}

static void stream_rules_urls(svc_call *c, const svc_node *body)
{
  const svc_node *list = svc_node_get(body, "schemaRegistryUrls"), *one = svc_node_first(list);
  size_t i = 0;
  for (; one; one = one->next) stream_rules_url(c, one, svc_arena_print(c->arena, "schemaRegistryUrls[%zu]", i++));
  stream_rules_url(c, svc_node_get(body, "url"), SVC_S("url"));
  stream_rules_url(c, svc_node_get(svc_node_get(body, "authentication"), "tokenEndpointUrl"), SVC_S("authentication.tokenEndpointUrl"));
}

/* Reports the largest member as the one that is too large. */
static void stream_rules_fits(svc_call *c, const svc_node *body)
{
  const svc_node *member, *largest = NULL;
  size_t most = 0, all = stream_rules_bytes(c, body);
  if (all <= STREAM_BODY_MOST) return;
  for (member = body->first; member; member = member->next) {
    size_t n = stream_rules_bytes(c, member);
    if (n > most) largest = member, most = n;
  }
  if (largest) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, largest->name, "makes the connection too large: at most %d bytes are allowed", STREAM_BODY_MOST);
}

SVC_PRIVATE bool svc_stream_connection_check(svc_call *c, const svc_change *change)
{
  const svc_node *body = change->body;
  if (svc_stream_is(body, "type", "Kafka")) stream_rules_kafka(c, body);
  if (svc_stream_is(body, "type", "Cluster") && !stream_rules_cluster(c, body)) return false;
  if (svc_stream_is(body, "type", "Https") && !svc_str_starts(svc_node_str(body, "url"), "https://"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("url"), "must begin with https://");
  if (svc_stream_is(body, "type", "Sample") && !svc_stream_is(body, "name", STREAM_SAMPLE))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("name"), "must match the sample: " STREAM_SAMPLE);
  stream_rules_networking(c, body);
  stream_rules_urls(c, body);
  stream_rules_config(c, body);
  stream_rules_pairs(c, body, "config");
  stream_rules_pairs(c, change->input, "headers"); /* only new ones: stored headers are sealed */
  stream_rules_fits(c, body);
  return svc_check_done(c);
}
