/*
** Stream workspace: stream processors run in it, in one region, with the connections that they read from and write to. Paths
** call it a tenant.
**
** A workspace with processors cannot be deleted, and its region cannot change while one of them runs. A workspace may name
** failover regions. If it is created with samples, it has a connection to each sample from the start. A start, stop or
** failover of the workspace applies to all of its processors.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const stream_workspace_statuses[] = { "STARTED", "STOPPED", "FAILED_OVER", NULL };

/* The regions of GCP. Regions of AZURE are in lowercase; all others belong to AWS. */
static const char *const stream_workspace_gcp[] = { "EUROPE_WEST1", "US_CENTRAL1", "US_EAST4", NULL };
/* Paths have these words in the place of a workspace's name. */
static const char *const stream_workspace_reserved[] = {
  "accountDetails", "activeVpcPeeringConnections", "privateLinkConnections", "vpcPeeringConnections", NULL
};

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field stream_workspace_sample_fields[] = { F_BOOL("solar", .preset = "false") };
static const svc_object stream_workspace_samples = { .name = "StreamsSampleConnections", .fields = SVC_ROWS(stream_workspace_sample_fields) };
static const svc_field stream_workspace_config_fields[] = {
  F_ENUM("maxTierSize", svc_stream_tiers, .preset = "\"SP50\""),
  F_ENUM("tier", svc_stream_tiers, .preset = "\"SP30\"")
};
static const svc_object stream_workspace_config = { .name = "StreamConfig", .fields = SVC_ROWS(stream_workspace_config_fields) };
static const svc_field stream_workspace_status_fields[] = {
  F_ENUM("mode", svc_stream_modes, .flags = SVC_NULLABLE),
  F_STR("region", .flags = SVC_NULLABLE, .max = STREAM_NAME_MOST),
  F_ENUM("status", stream_workspace_statuses, .flags = SVC_REQUIRED)
};
static const svc_object stream_workspace_status = { .name = "StreamsProcessorStatus", .fields = SVC_ROWS(stream_workspace_status_fields) };

#define STREAM_WORKSPACE_REGIONS F_LIST("failoverRegions", &svc_stream_region, .max_items = STREAM_FAILOVER_MOST)
#define STREAM_WORKSPACE_CONFIG \
  F_OBJ("streamConfig", &stream_workspace_config, .preset = "{\"maxTierSize\":\"SP50\",\"tier\":\"SP30\"}")
#define STREAM_WORKSPACE_FIELDS(...) \
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID), \
  F_LIST("connections", &svc_stream_connection, .flags = SVC_READ_ONLY), \
  F_OBJ("dataProcessRegion", &svc_stream_region, .flags = SVC_REQUIRED | SVC_FIXED), \
  STREAM_WORKSPACE_REGIONS, \
  F_GROUP_ID(), \
  F_STRS("hostnames", .flags = SVC_READ_ONLY), \
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = STREAM_NAME_PATTERN, .max = STREAM_NAME_MOST), \
  F_OBJ("sampleConnections", &stream_workspace_samples, .flags = SVC_FIXED, __VA_ARGS__), \
  STREAM_WORKSPACE_CONFIG

static const svc_field stream_workspace_fields[] = { STREAM_WORKSPACE_FIELDS(.preset = NULL) };
static const svc_object stream_workspace_object = { .name = "StreamsTenant", .fields = SVC_ROWS(stream_workspace_fields) };
static const svc_field stream_workspace_sampled_fields[] = { STREAM_WORKSPACE_FIELDS(.preset = "{\"solar\":true}") };
static const svc_object stream_workspace_sampled = {
  .name = "TenantWithSampleConnections", .fields = SVC_ROWS(stream_workspace_sampled_fields)
};

/* An update has the region in two separate fields, unlike a GET, and may set the status of all processors. */
static const svc_field stream_workspace_update_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY),
  F_ENUM("cloudProvider", svc_stream_providers, .flags = SVC_WRITE_ONLY),
  F_OBJ("dataProcessRegion", &svc_stream_region, .flags = SVC_READ_ONLY),
  STREAM_WORKSPACE_REGIONS,
  F_GROUP_ID(),
  F_STRS("hostnames", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_OBJ("processorStatus", &stream_workspace_status, .flags = SVC_WRITE_ONLY),
  F_ENUM("region", svc_stream_regions, .flags = SVC_WRITE_ONLY),
  F_OBJ("sampleConnections", &stream_workspace_samples, .flags = SVC_READ_ONLY),
  STREAM_WORKSPACE_CONFIG
};
static const svc_object stream_workspace_update = {
  .name = "StreamsTenantUpdateRequest", .fields = SVC_ROWS(stream_workspace_update_fields)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool stream_workspace_read(svc_call *c);
static bool stream_workspace_change(svc_call *c);

static const svc_param stream_workspace_params[] = { { .name = "includeConnections", .type = SVC_BOOLEAN }, { .name = NULL } };

#define STREAM_WORKSPACE_BASE \
  "/groups/{groupId}/streams", SVC_SET_STREAMS, (20230201), SVC_R_GROUP_READ_ONLY, STREAM_TENANT_WRITERS
#define STREAM_WORKSPACE_REGION "\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"}"

static const svc_route stream_workspace_routes[] = {
  R_GET(STREAM_WORKSPACE_BASE, "", .flags = SVC_PAGED, .op = "listStreamWorkspaces", .run = svc_verb_list),
  R_POST(STREAM_WORKSPACE_BASE, "", .status = 201, .op = "createStreamWorkspace", .run = svc_verb_create,
         .example = "{\"name\":\"Orders\"," STREAM_WORKSPACE_REGION ",\"sampleConnections\":{\"solar\":true},"
                    "\"failoverRegions\":[{\"cloudProvider\":\"AWS\",\"region\":\"OREGON_USA\"}]}"),
  { .method = SVC_POST, .path = "/groups/{groupId}/streams:withSampleConnections", .set = SVC_SET_STREAMS, .status = 201,
    .versions = { 20240805 }, .roles = STREAM_TENANT_WRITERS, .body = &stream_workspace_sampled, .op = "withStreamSampleConnections", .run = svc_verb_create,
    .example = "{\"name\":\"Samples\"," STREAM_WORKSPACE_REGION "}" },
  R_FOR(STREAM_READERS, STREAM_WORKSPACE_BASE, SVC_GET, "/{tenantName}", .flags = SVC_ITEM, .params = stream_workspace_params,
        .op = "getStreamWorkspace", .run = stream_workspace_read),
  R_PATCH(STREAM_WORKSPACE_BASE, "/{tenantName}", .body = &stream_workspace_update, .op = "updateStreamWorkspace", .run = stream_workspace_change,
          .example = "{\"streamConfig\":{\"tier\":\"SP10\"}}"),
  R_DELETE(STREAM_WORKSPACE_BASE, "/{tenantName}", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deleteStreamWorkspace", .run = svc_verb_delete)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- rules of a body */

static const char *stream_workspace_provider_of(const svc *s, svc_str region)
{
  if (svc_value_in(s, region, stream_workspace_gcp)) return "GCP";
  return region.n && region.p[0] >= 'a' && region.p[0] <= 'z' ? "AZURE" : "AWS";
}

static void stream_workspace_region_check(svc_call *c, const svc_node *place, svc_str at)
{
  svc_str region = svc_node_str(place, "region");
  const char *provider = stream_workspace_provider_of(c->s, region);
  if (!svc_stream_is(place, "cloudProvider", provider))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must be %s, whose region " SVC_FMT " is", provider, SVC_ARG(region));
}

static void stream_workspace_regions(svc_call *c, const svc_node *body, bool moved)
{
  const svc_node *home = svc_node_get(body, "dataProcessRegion"), *list = svc_node_get(body, "failoverRegions"), *one, *other;
  size_t i = 0;
  stream_workspace_region_check(c, home, moved ? SVC_S("cloudProvider") : SVC_S("dataProcessRegion.cloudProvider"));
  for (one = svc_node_first(list); one; one = one->next, i++) {
    svc_str at = svc_arena_print(c->arena, "failoverRegions[%zu].region", i);
    stream_workspace_region_check(c, one, svc_arena_print(c->arena, "failoverRegions[%zu].cloudProvider", i));
    for (other = list->first; other != one && !svc_node_same(other, one);) other = other->next;
    if (other != one) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "appears twice in the list");
    if (svc_node_same(home, one)) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "is the workspace's own region");
  }
}

/* Refuses to remove a failover region while a connection has a failover connection for it. */
static bool stream_workspace_left(svc_call *c, const svc_change *change)
{
  const svc_node *list = svc_node_get(change->body, "failoverRegions");
  svc_scan scan, inner;
  svc_entity connection, e;
  svc_below_begin(&scan, c->txn, STREAM_CONNECTION_KIND, &change->id);
  while (change->before && svc_below_next(&scan, STREAM_CONNECTION_KIND, &connection)) {
    svc_below_begin(&inner, c->txn, STREAM_FAILOVER_KIND, &connection.id);
    while (svc_below_next(&inner, STREAM_FAILOVER_KIND, &e)) {
      svc_str region = svc_json_word(e.body, "region");
      if (!svc_stream_has_region(list, region))
        svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("failoverRegions"), "lacks " SVC_FMT ", for which connection " SVC_FMT
                    " has a failover connection", SVC_ARG(region), SVC_ARG(connection.unique));
    }
  }
  return svc_txn_good(c);
}

static bool stream_workspace_names(svc_call *c, svc_change *change)
{
  svc_str region = svc_node_str(svc_node_get(change->body, "dataProcessRegion"), "region");
  svc_node *list = svc_node_array(c->arena, "hostnames"), *one;
  svc_buf b = svc_buf_new(c->arena, 128);
  size_t i;
  svc_buf_str(&b, c->s->vendor);
  svc_buf_text(&b, "-stream-");
  svc_buf_str(&b, svc_id_str(c->arena, &change->id));
  svc_buf_char(&b, '.');
  for (i = 0; i < region.n; i++) {
    char l = region.p[i];
    svc_buf_char(&b, l == '_' ? '-' : l >= 'A' && l <= 'Z' ? (char)(l - 'A' + 'a') : l);
  }
  svc_buf_text(&b, ".a.query.");
  svc_buf_text(&b, c->s->config.db_domain);
  one = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_buf_done(&b));
  if (!list || !one) return svc_no_memory(c);
  svc_node_append(list, one);
  svc_node_put(c->arena, change->body, list);
  return true;
}

/* Applies a change of region. The provider and the region may be sent separately. */
static bool stream_workspace_moves(svc_call *c, svc_change *change, bool *moved)
{
  svc_node *place = svc_node_get(change->body, "dataProcessRegion");
  svc_str provider = svc_node_str(change->input, "cloudProvider"), region = svc_node_str(change->input, "region");
  *moved = change->before && (provider.n || region.n);
  if (!*moved) return true;
  if (provider.n) svc_node_set_str(c->arena, place, "cloudProvider", provider);
  if (region.n) svc_node_set_str(c->arena, place, "region", region);
  if (svc_node_same(place, svc_node_get(change->before, "dataProcessRegion")) || !svc_stream_any_runs(c, &change->id))
    return !c->error.code;
  return svc_fail(c, SVC_E_STREAM_TENANT_HAS_STREAM_PROCESSORS, "S", &change->entity.unique);
}

static bool stream_workspace_prepare(svc_call *c, svc_change *change)
{
  const svc_node *config = svc_node_get(change->body, "streamConfig");
  bool moved;
  if (!stream_workspace_moves(c, change, &moved)) return false;
  if (!change->before && svc_value_in(c->s, svc_node_str(change->body, "name"), stream_workspace_reserved))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("name"), "is a reserved name");
  stream_workspace_regions(c, change->body, moved);
  if (svc_stream_tier(svc_node_str(config, "tier")) < svc_stream_tier(svc_node_str(config, "maxTierSize")))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("streamConfig.tier"), "must not be larger than maxTierSize");
  if (!stream_workspace_left(c, change) || !svc_check_done(c)) return false;
  return stream_workspace_names(c, change);
}

/* ---- what goes along with it */

static bool stream_workspace_sample(svc_call *c, const svc_id *workspace)
{
  const svc_noun_info *noun = svc_noun_named(c->s, STREAM_CONNECTION);
  svc_change change;
  svc_entity e;
  if (!noun) return true;
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.parent = *workspace;
  change.body = svc_json_parse(c->arena, SVC_S("{\"name\":\"" STREAM_SAMPLE "\",\"type\":\"Sample\"}"));
  return change.body ? svc_insert(c, &change, &e) : svc_no_memory(c);
}

static bool stream_workspace_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  bool solar = svc_node_bool(svc_node_get(change->body, "sampleConnections"), "solar", false);
  return change->before || !solar || stream_workspace_sample(c, &e->id);
}

static bool stream_workspace_removing(svc_call *c, const svc_entity *e)
{
  uint64_t count = svc_count(c->txn, STREAM_PROCESSOR_KIND, &e->id);
  return count == 0 ? svc_txn_good(c) : svc_fail(c, SVC_E_STREAM_TENANT_HAS_STREAM_PROCESSORS, "S", &e->unique);
}

/* The status of all processors is applied last. If it is refused, the whole update is undone. */
static bool stream_workspace_change(svc_call *c)
{
  const svc_node *status = svc_node_get(c->body, "processorStatus");
  const svc_entity *old;
  svc_entity e;
  int rc;
  if (!svc_verb_update(c)) return false;
  if (!status) return true;
  old = svc_path_entity(c, STREAM_WORKSPACE);
  rc = svc_entity_get(c->txn, STREAM_WORKSPACE_KIND, &old->parent, &old->id, &e); /* as updated */
  return rc == SVC_OK ? svc_stream_all(c, &e, status) : svc_store_failed(c, rc);
}

/* ---- how it is shown */

/* Adds a self link to a connection inside the workspace. */
static void stream_workspace_link(svc_call *c, const svc_entity *workspace, const svc_entity *connection, svc_node *shown)
{
  svc_node *links = svc_node_array(c->arena, "links");
  svc_node *self = svc_node_object(c->arena, NULL);
  if (!links || !self) return;
  svc_node_set_str(c->arena, self, "href",
                   svc_arena_print(c->arena, SVC_FMT SVC_FMT "/groups/%s/streams/" SVC_FMT "/connections/" SVC_FMT,
                                   SVC_ARG(c->s->base_url), SVC_ARG(c->s->base_path), svc_id_str(c->arena, &workspace->parent).p,
                                   SVC_ARG(workspace->key), SVC_ARG(connection->key)));
  svc_node_set_text(c->arena, self, "rel", "self");
  svc_node_append(links, self);
  svc_node_put(c->arena, shown, links);
}

static svc_node *stream_workspace_with(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *list = svc_node_array(c->arena, "connections"), *one;
  svc_scan scan;
  svc_entity connection;
  if (!body || !list) return NULL;
  svc_below_begin(&scan, c->txn, STREAM_CONNECTION_KIND, &e->id);
  while (svc_below_next(&scan, STREAM_CONNECTION_KIND, &connection)) {
    one = svc_entity_body(c, &connection);
    if (!one) return NULL;
    stream_workspace_link(c, e, &connection, one);
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, body, list);
  return svc_txn_good(c) && !c->arena->failed ? body : NULL;
}

static bool stream_workspace_read(svc_call *c)
{
  const svc_query_value *with = svc_query_get(c, "includeConnections");
  svc_entity e;
  bool stored;
  if (!with || !with->number) return svc_verb_read(c);
  return svc_target(c, &e, &stored) && svc_answer_view(c, &e, stream_workspace_with(c, &e));
}

static const svc_order_row stream_workspace_orders[] = {
  { "stream.put", "Run the workspace for stream processors.", NULL, NULL, 0 },
  { "stream.delete", "Stop the workspace.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_stream_workspace = {
  .name = STREAM_WORKSPACE,
  .rel = "streamWorkspace",
  .kind = STREAM_WORKSPACE_KIND,
  .parent = "project",
  .param = "tenantName",
  .object = &stream_workspace_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_STREAM_TENANT_NOT_FOUND_FOR_NAME,
  .err_exists = SVC_E_STREAM_TENANT_ALREADY_EXISTS,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_STREAMS_RESOURCE,
  .most = STREAM_WORKSPACE_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "STREAM_TENANT_CREATED",
  .event_updated = "STREAM_TENANT_UPDATED",
  .event_deleted = "STREAM_TENANT_DELETED",
  .event_field = "resourceId",
  .order_put = "stream.put",
  .order_gone = "stream.delete",
  .orders = stream_workspace_orders,
  .routes = SVC_ROUTES(stream_workspace_routes),
  .prepare = stream_workspace_prepare,
  .stored = stream_workspace_stored,
  .removing = stream_workspace_removing,
  .ext = SVC_NOUN_EXT(.event_value = "_id")
};
