/*
** A rolling index build: builds an index on the nodes of a cluster one after the other. No operation shows a build;
** events report its result.
**
**   POST --> BUILDING --> BUILT     then it is deleted
**               |
**               +-------> FAILED    if the driver reports a failure; deleted after a week, or by the next build
**
** A cluster has one build at a time. Beyond the rules of single fields: each key is one field with a direction or type,
** no field appears twice, and options of one type of index require a key of that type.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/deployment/cluster_parts.h"

enum {
  ROLLING_INDEX_KEYS = 32,
  ROLLING_INDEX_NAME = 255,    /* bytes of a field name */
  ROLLING_INDEX_BYTES = 16384  /* of the whole request */
};
#define ROLLING_INDEX_KIND "ridx"
#define ROLLING_INDEX_KEPT (7 * SVC_DAY_MS)

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const rolling_index_alternates[] = { "non-ignorable", "shifted", NULL };
static const char *const rolling_index_case_first[] = { "lower", "off", "upper", NULL };
static const char *const rolling_index_locales[] = {
  "af", "sq", "am", "ar", "hy", "as", "az", "bn", "be", "bs", "bs_Cyrl", "bg", "my", "ca", "chr", "zh", "zh_Hant",
  "hr", "cs", "da", "nl", "dz", "en", "en_US", "en_US_POSIX", "eo", "et", "ee", "fo", "fil", "fi_FI", "fr", "fr_CA",
  "gl", "ka", "de", "de_AT", "el", "gu", "ha", "haw", "he", "hi", "hu", "is", "ig", "smn", "id", "ga", "it", "ja",
  "kl", "kn", "kk", "km", "kok", "ko", "ky", "lk", "lo", "lv", "li", "lt", "dsb", "lb", "mk", "ms", "ml", "mt",
  "mr", "mn", "ne", "se", "nb", "nn", "or", "om", "ps", "fa", "fa_AF", "pl", "pt", "pa", "ro", "ru", "sr",
  "sr_Latn", "si", "sk", "sl", "es", "sw", "sv", "ta", "te", "th", "bo", "to", "tr", "uk", "hsb", "ur", "ug", "vi",
  "wae", "cy", "yi", "yo", "zu", "simple", NULL
};
static const char *const rolling_index_variables[] = { "punct", "space", NULL };
static const char *const rolling_index_directions[] = { "1", "-1", "text", "hashed", "2d", "2dsphere", "columnstore", NULL };
static const char *const rolling_index_states[] = { "BUILDING", "BUILT", "FAILED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field rolling_index_collation_fields[] = {
  F_ENUM("alternate", rolling_index_alternates),
  F_BOOL("backwards"),
  F_ENUM("caseFirst", rolling_index_case_first),
  F_BOOL("caseLevel"),
  F_ENUM("locale", rolling_index_locales, .flags = SVC_REQUIRED),
  F_ENUM("maxVariable", rolling_index_variables),
  F_BOOL("normalization"),
  F_BOOL("numericOrdering"),
  F_INT("strength", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 5)
};
static const svc_object rolling_index_collation = { .name = "Collation", .fields = SVC_ROWS(rolling_index_collation_fields) };

static const svc_field rolling_index_options_fields[] = {
  F_INT("2dsphereIndexVersion"),
  F_BOOL("background"),
  F_INT("bits"),
  F_INT("bucketSize"),
  { .name = "columnstoreProjection", .type = SVC_MAP, .item = SVC_INT32 },
  F_STR("default_language", .max = 64),
  F_INT("expireAfterSeconds"),
  F_BOOL("hidden"),
  F_STR("language_override", .max = 255),
  F_INT("max"),
  F_INT("min"),
  F_STR("name", .max = 255),
  { .name = "partialFilterExpression", .type = SVC_MAP, .item = SVC_ANY },
  F_BOOL("sparse"),
  { .name = "storageEngine", .type = SVC_MAP, .item = SVC_ANY },
  F_INT("textIndexVersion"),
  { .name = "weights", .type = SVC_MAP, .item = SVC_ANY }
};
static const svc_object rolling_index_options = { .name = "IndexOptions", .fields = SVC_ROWS(rolling_index_options_fields) };

/* The request, and the state, which no operation shows. */
static const svc_field rolling_index_request_fields[] = {
  F_OBJ("collation", &rolling_index_collation),
  F_STR("collection", .flags = SVC_REQUIRED, .min = 1, .max = 255),
  F_STR("db", .flags = SVC_REQUIRED, .pattern = "^[^/\\\\. \"$]{1,63}$"),
  { .name = "keys", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = ROLLING_INDEX_KEYS },
  F_OBJ("options", &rolling_index_options)
};
static const svc_object rolling_index_request = { .name = "DatabaseRollingIndexRequest", .fields = SVC_ROWS(rolling_index_request_fields) };

static const svc_field rolling_index_fields[] = { F_ENUM("state", rolling_index_states, .flags = SVC_READ_ONLY) };
static const svc_object rolling_index_object = {
  .name = "RollingIndex", .base = &rolling_index_request, .fields = SVC_ROWS(rolling_index_fields)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool rolling_index_build(svc_call *c);

static const svc_route rolling_index_routes[] = {
  { .method = SVC_POST, .path = "/groups/{groupId}/clusters/{clusterName}/index", .set = SVC_SET_INTEGRATIONS, .status = 202,
    .flags = SVC_EMPTY_OBJECT, .versions = { 20230101 }, .roles = SVC_R_GROUP_DATA_ACCESS_ADMIN | SVC_R_GROUP_INDEX_MANAGER,
    .body = &rolling_index_request, .op = "createRollingIndex", .run = rolling_index_build,
    .example = "{\"collection\":\"orders\",\"db\":\"shop\",\"keys\":[{\"customer\":\"1\"},{\"created\":\"-1\"}]}" }
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition rolling_index_transitions[] = {
  { "BUILDING", "BUILT", 50, "ROLLING_INDEX_SUCCESS_INDEX_BUILD", "index.build" },
  { "BUILT", NULL, 0, NULL, NULL },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle rolling_index_lifecycle = {
  .field = "state", .created = "BUILDING", .failed = "FAILED", .event_failed = "ROLLING_INDEX_FAILED_INDEX_BUILD",
  .transitions = rolling_index_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Options that require a key of this type. */
static const struct rolling_index_only {
  const char *option, *direction;
} rolling_index_only[] = {
  { "2dsphereIndexVersion", "2dsphere" }, { "bits", "2d" }, { "columnstoreProjection", "columnstore" }, { "default_language", "text" },
  { "language_override", "text" }, { "max", "2d" }, { "min", "2d" }, { "textIndexVersion", "text" }, { "weights", "text" },
};

static bool rolling_index_has(const svc_node *keys, const char *direction)
{
  const svc_node *key = keys->first;
  while (key && !(key->first && svc_str_is(key->first->text, direction))) key = key->next;
  return key != NULL;
}

static void rolling_index_key(svc_call *c, const svc_node *keys, const svc_node *key, size_t index)
{
  svc_str at = svc_arena_print(c->arena, "keys[%zu]", index);
  const svc_node *other;
  if (key->type != SVC_J_OBJECT || !key->first || key->first->next) {
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must be an object with one field of the collection");
    return;
  }
  if (key->first->type != SVC_J_STRING || !svc_value_in(c->s, key->first->text, rolling_index_directions))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must have the value %s", svc_values_known(c, rolling_index_directions).p);
  if (SVC_NEVER(key->first->name.n == 0 || key->first->name.n > ROLLING_INDEX_NAME) || key->first->name.p[0] == '$')
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must name a field, of at most %d bytes that does not begin with $", ROLLING_INDEX_NAME);
  for (other = keys->first; other != key; other = other->next)
    if (other->first && svc_str_eq(other->first->name, key->first->name))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "names a field that another key already names");
}

static bool rolling_index_sound(svc_call *c, const svc_node *body)
{
  const svc_node *keys = svc_node_get(body, "keys"), *options = svc_node_get(body, "options"), *key;
  size_t i = 0, links_at;
  svc_str text;
  for (key = keys->first; key; key = key->next, i++) rolling_index_key(c, keys, key, i);
  for (i = 0; i < sizeof rolling_index_only / sizeof rolling_index_only[0]; i++)
    if (svc_node_get(options, rolling_index_only[i].option) && !rolling_index_has(keys, rolling_index_only[i].direction))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "options.%s", rolling_index_only[i].option),
                  "requires an index with a key of type %s", rolling_index_only[i].direction);
  if (svc_node_get(options, "expireAfterSeconds") && svc_node_count(keys) != 1)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("options.expireAfterSeconds"), "requires an index with a single key");
  if (!svc_body_write(c->arena, body, &text, &links_at)) return svc_no_memory(c);
  if (text.n > ROLLING_INDEX_BYTES)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("options"), "makes the request too large: at most %d bytes are allowed", ROLLING_INDEX_BYTES);
  return svc_check_done(c);
}

/* A cluster has one build at a time. Deletes a failed one. */
static bool rolling_index_alone(svc_call *c, const svc_entity *cluster)
{
  svc_entity e;
  svc_scan scan;
  svc_below_begin(&scan, c->txn, ROLLING_INDEX_KIND, &cluster->id);
  while (svc_below_next(&scan, ROLLING_INDEX_KIND, &e)) {
    if (svc_json_is(e.body, "state", "BUILDING"))
      return svc_fail(c, SVC_E_ROLLING_INDEX_BUILD_IN_PROGRESS, "S", &cluster->key);
    if (!svc_erase(c, c->plan->noun, &e)) return false;
  }
  return svc_txn_good(c);
}

static bool rolling_index_build(svc_call *c)
{
  const svc_entity *cluster;
  svc_change change, target;
  svc_entity e;
  if (!svc_resolve_all(c)) return false;
  cluster = svc_path_entity(c, "cluster");
  if (!rolling_index_sound(c, c->checked) || !svc_cluster_open_own(c, cluster, &target) || !rolling_index_alone(c, cluster)) return false;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.body = svc_node_copy(c->arena, c->checked);
  if (!change.body) return svc_no_memory(c);
  svc_change_due(&change, SVC_DUE_EXPIRY, c->now + ROLLING_INDEX_KEPT);
  change.event = c->plan->noun->noun->event_created;
  return svc_insert(c, &change, &e) && svc_answer_nothing(c);
}

/* Records the index in the history of the cluster: queries that it serves are no longer slow. */
static bool rolling_index_built(svc_call *c, const svc_change *change)
{
  const svc_node *body = change->body;
  svc_str database = svc_node_str(body, "db"), collection = svc_node_str(body, "collection");
  svc_entity cluster;
  int rc = svc_entity_get(c->txn, CLUSTER_KIND, &c->scope.group, &change->parent, &cluster);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  return svc_history_built(c, &cluster, svc_arena_print(c->arena, SVC_FMT "." SVC_FMT, SVC_ARG(database), SVC_ARG(collection)), body);
}

/* After a week a failed build is deleted like a finished one. A build in progress stays as long as it takes. */
static bool rolling_index_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_DUE_STATE && svc_cluster_is(change->body, "state", "BUILT")) return rolling_index_built(c, change);
  if (tag != SVC_DUE_EXPIRY) return true;
  if (svc_cluster_is(change->body, "state", "BUILDING")) {
    svc_change_due(change, SVC_DUE_EXPIRY, c->now + ROLLING_INDEX_KEPT);
  } else {
    svc_node_set_text(c->arena, change->body, "state", "BUILT");
    change->due = c->now;
  }
  return true;
}

static const svc_order_row rolling_index_orders[] = {
  { "index.build", "Build the index, one node after the other.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_rolling_index = {
  .name = "rolling index",
  .kind = ROLLING_INDEX_KIND,
  .parent = "cluster",
  .flags = SVC_EVENT_PARENT,
  .object = &rolling_index_object,
  .event_created = "CLUSTER_UPDATE_SUBMITTED",
  .lifecycle = &rolling_index_lifecycle,
  .orders = rolling_index_orders,
  .routes = SVC_ROUTES(rolling_index_routes),
  .fell_due = rolling_index_fell_due
};
