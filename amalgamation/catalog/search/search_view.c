/*
** How a search index is shown: its stored body, and its state on each host of the cluster. The latter follows from the state
** of the index and from the present hosts of the cluster, so it is not stored.
*/
#include "catalog/catalog.h"
#include "catalog/search/search_parts.h"

enum { SEARCH_VIEW_HOSTS = 50 }; /* maximum hosts that are listed */

SVC_PRIVATE const char *const svc_search_states[] = {
  "DELETING", "FAILED", "STALE", "PENDING", "BUILDING", "READY", "DOES_NOT_EXIST", NULL
};

static const svc_field search_view_version_fields[] = {
  F_DATE("createdAt", .flags = SVC_READ_ONLY),
  F_LONG("version", .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_search_version = { .name = "SearchIndexDefinitionVersion", .fields = SVC_ROWS(search_view_version_fields) };

/* An index on one host, with only the parts of the definition that concern hosts; the version identifies the full definition. */
static const svc_field search_view_brief_fields[] = {
  F_INT("numPartitions", .flags = SVC_READ_ONLY),
  F_ANY("storedSource", .flags = SVC_READ_ONLY)
};
static const svc_object search_view_brief = { .name = "SearchIndexDefinition", .fields = SVC_ROWS(search_view_brief_fields) };

static const svc_field search_view_part_fields[] = {
  F_OBJ("definition", &search_view_brief, .flags = SVC_READ_ONLY),
  F_OBJ("definitionVersion", &svc_search_version, .flags = SVC_READ_ONLY),
  F_STR("message", .flags = SVC_READ_ONLY),
  F_BOOL("queryable", .flags = SVC_READ_ONLY),
  F_ENUM("status", svc_search_states, .flags = SVC_READ_ONLY)
};
static const svc_object search_view_part = { .name = "SearchIndexStatusDetail", .fields = SVC_ROWS(search_view_part_fields) };

static const svc_field search_view_host_fields[] = {
  F_STR("hostname", .flags = SVC_READ_ONLY),
  F_OBJ("mainIndex", &search_view_part, .flags = SVC_READ_ONLY),
  F_BOOL("queryable", .flags = SVC_READ_ONLY),
  F_OBJ("stagedIndex", &search_view_part, .flags = SVC_READ_ONLY),
  F_ENUM("status", svc_search_states, .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_search_host = { .name = "SearchHostStatusDetail", .fields = SVC_ROWS(search_view_host_fields) };

/* A list of paths in storedSource may be long, so hosts omit it; the index itself shows it. */
static svc_node *search_view_shown_brief(svc_call *c, const svc_node *definition)
{
  svc_node *out = svc_node_object(c->arena, "definition");
  const svc_node *source = svc_node_get(definition, "storedSource");
  if (!out) return NULL;
  svc_node_set_i64(c->arena, out, "numPartitions", svc_node_i64(definition, "numPartitions", 1));
  if (source && source->type == SVC_J_BOOL) svc_node_set_bool(c->arena, out, "storedSource", svc_str_is(source->text, "true"));
  return out;
}

/* definition NULL: the definition of this version is no longer stored. */
static svc_node *search_view_shown_part(svc_call *c, const char *name, const svc_node *definition, int64_t version, bool queryable,
                                         svc_str status)
{
  svc_node *out = svc_node_object(c->arena, name);
  svc_node *v = svc_node_object(c->arena, "definitionVersion");
  svc_node *brief = definition ? search_view_shown_brief(c, definition) : NULL;
  if (!out || !v || (definition && !brief)) return NULL;
  if (brief) svc_node_put(c->arena, out, brief);
  svc_node_set_i64(c->arena, v, "version", version);
  svc_node_put(c->arena, out, v);
  svc_node_set_bool(c->arena, out, "queryable", queryable);
  svc_node_set_str(c->arena, out, "status", status);
  return out;
}

/* Shows one host: its index, and the staged index that will replace it when it is built. */
static svc_node *search_view_shown_host(svc_call *c, const svc_node *body, svc_str hostname)
{
  int64_t version = svc_node_i64(svc_node_get(body, "latestDefinitionVersion"), "version", 1);
  svc_str status = svc_node_str(body, "status");
  bool queryable = svc_node_bool(body, "queryable", false), staged = queryable && !svc_str_is(status, "READY") && version > 1;
  svc_node *out = svc_node_object(c->arena, NULL);
  const svc_node *latest = svc_node_get(body, "latestDefinition");
  svc_node *main_index = search_view_shown_part(c, "mainIndex", staged ? NULL : latest, staged ? version - 1 : version, queryable,
                                                 staged ? SVC_S("READY") : status);
  svc_node *next = staged ? search_view_shown_part(c, "stagedIndex", latest, version, false, status) : NULL;
  if (!out || !main_index || (staged && !next)) return NULL;
  svc_node_set_str(c->arena, out, "hostname", hostname);
  svc_node_put(c->arena, out, main_index);
  svc_node_set_bool(c->arena, out, "queryable", queryable);
  if (next) svc_node_put(c->arena, out, next);
  svc_node_set_str(c->arena, out, "status", status);
  return out;
}

/* Returns the hosts of the cluster in the path from its connection string, "db://a:1,b:2/?...". */
static svc_str search_view_hosts(svc_call *c)
{
  const svc_entity *cluster = svc_path_entity(c, "cluster");
  svc_str text = cluster ? svc_entity_text(c, c->plan->noun->parent->noun, cluster, "connectionStrings.standard") : SVC_S("");
  const char *start = text.n > 2 ? memchr(text.p, '/', text.n - 2) : NULL;
  if (!start) return SVC_S("");
  text.n -= (size_t)(start + 2 - text.p);
  text.p = start + 2;
  return svc_str_cut(&text, '/');
}

SVC_PRIVATE svc_node *svc_search_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *list, *host;
  svc_str hosts = search_view_hosts(c);
  int n;
  list = body ? svc_node_array(c->arena, "statusDetail") : NULL;
  for (n = 0; list && hosts.n && n < SEARCH_VIEW_HOSTS; n++) {
    svc_str one = svc_str_cut(&hosts, ',');
    host = search_view_shown_host(c, body, svc_str_cut(&one, ':'));
    if (!host) return NULL;
    svc_node_append(list, host);
  }
  if (list) svc_node_put(c->arena, body, list);
  return list ? body : NULL;
}
