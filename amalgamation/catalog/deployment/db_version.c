/*
** The database versions that a project can choose from, by provider and instance size. Nothing is stored: the list
** combines the table of versions with the sizes of each provider.
*/
#include "catalog/catalog.h"
#include "catalog/db_versions.h"
#include "catalog/values.h"

static const char *const db_version_status[] = { "DEFAULT", NULL }; /* values of the filter */
static const char *const db_version_states[] = { "DEFAULT", "NOT_DEFAULT", NULL };

static const svc_field db_version_fields[] = {
  F_ENUM("cloudProvider", svc_values_providers, .flags = SVC_READ_ONLY),
  F_ENUM("defaultStatus", db_version_states, .flags = SVC_READ_ONLY),
  F_STR("instanceSize", .flags = SVC_READ_ONLY),
  F_STR("version", .flags = SVC_READ_ONLY)
};
static const svc_object db_version_object = { .name = "AvailableVersion", .fields = SVC_ROWS(db_version_fields) };

static const svc_param db_version_params[] = {
  { .name = "cloudProvider", .values = svc_values_providers },
  { .name = "defaultStatus", .values = db_version_status },
  { .name = "instanceSize" },
  { .name = NULL }
};

static bool db_version_list(svc_call *c);

static const svc_route db_version_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/dbVersions", .set = SVC_SET_PROJECTS, .versions = { 20230101 },
    .roles = SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED, .params = db_version_params,
    .answer = &db_version_object, .op = "getDbDbVersions", .run = db_version_list }
};

typedef struct db_version_at {
  size_t provider, size, version;
} db_version_at;

static const char *const *db_version_sizes(const char *provider)
{
  if (strcmp(provider, "AWS") == 0) return svc_values_aws_sizes;
  if (strcmp(provider, "AZURE") == 0) return svc_values_azure_sizes;
  if (strcmp(provider, "GCP") == 0) return svc_values_gcp_sizes;
  return svc_values_tenant_sizes;
}

static bool db_version_wanted(const svc_call *c, const char *parameter, const char *value)
{
  const svc_query_value *q = svc_query_get(c, parameter);
  return !q || svc_str_is(q->text, value);
}

static bool db_version_next(svc_call *c, void *state, svc_item *out)
{
  db_version_at *at = state;
  const char *provider, *size;
  while ((provider = svc_values_providers[at->provider]) != NULL) {
    size = db_version_sizes(provider)[at->size];
    if (!size || !db_version_wanted(c, "cloudProvider", provider)) {
      at->provider++;
      at->size = at->version = 0;
    } else if (at->version == SVC_DB_VERSION_COUNT || !db_version_wanted(c, "instanceSize", size)) {
      at->size++;
      at->version = 0;
    } else {
      const svc_db_version *v = &svc_db_versions[at->version++];
      const char *status = v->is_default ? "DEFAULT" : "NOT_DEFAULT";
      svc_node *body;
      if (!db_version_wanted(c, "defaultStatus", status)) continue;
      if (!out) return true;
      body = svc_node_object(c->arena, NULL);
      if (!body) return false;
      svc_node_set_text(c->arena, body, "cloudProvider", provider);
      svc_node_set_text(c->arena, body, "defaultStatus", status);
      svc_node_set_text(c->arena, body, "instanceSize", size);
      svc_node_set_text(c->arena, body, "version", v->major);
      svc_item_node(c, out, SVC_S(""), body);
      return true;
    }
  }
  return false;
}

static bool db_version_list(svc_call *c)
{
  db_version_at at = { 0, 0, 0 };
  return svc_list_items(c, db_version_next, &at, -1);
}

SVC_PRIVATE const svc_noun svc_noun_db_version = {
  .name = "database version",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(db_version_routes),
};
