/*
** Organization: what projects, people and bills belong to. It has no parent; its projects keep it from being deleted.
**
** Creating one answers with a wrapper around the new organization, because a first credential may be asked for at the
** same time; credentials are another noun's, so that part is refused until it is there.
*/
#include "internal.h"

#define ORGANIZATION_NAME "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$"

static const svc_field organization_fields[] = {
  F_ID(),
  F_BOOL("isDeleted", .flags = SVC_READ_ONLY, .preset = "false"),
  F_STR("name", .flags = SVC_REQUIRED, .pattern = ORGANIZATION_NAME),
  F_BOOL("skipDefaultAlertsSettings", .preset = "false"),
  F_END
};
static const svc_object organization_object = { .name = "Organization", .fields = organization_fields };

static const svc_field organization_create_fields[] = {
  F_ANY("apiKey"),
  F_HEX24("federationSettingsId"),
  F_STR("name", .flags = SVC_REQUIRED, .pattern = ORGANIZATION_NAME),
  F_HEX24("orgOwnerId"),
  F_ANY("serviceAccount"),
  F_BOOL("skipDefaultAlertsSettings", .preset = "false"),
  F_END
};
static const svc_object organization_create_object = { .name = "OrganizationCreate", .fields = organization_create_fields };

static const svc_param organization_list_params[] = { { .name = "name" }, { .name = NULL } };

static bool organization_create(svc_call *c);

static const svc_route organization_routes[] = {
  { .method = SVC_GET, .path = "/orgs", .set = SVC_SET_ORGANIZATION_LIST, .versions = { 20230101 },
    .flags = SVC_PAGED | SVC_VISIBLE_ONLY, .params = organization_list_params, .run = svc_verb_list },
  { .method = SVC_POST, .path = "/orgs", .set = SVC_SET_ORGANIZATION_LIST, .versions = { 20230101 }, .status = 201,
    .body = &organization_create_object, .run = organization_create },
  { .method = SVC_GET, .path = "/orgs/{orgId}", .set = SVC_SET_ORGANIZATIONS, .versions = { 20230101 },
    .roles = SVC_R_ORG_MEMBER, .run = svc_verb_read },
  { .method = SVC_PATCH, .path = "/orgs/{orgId}", .set = SVC_SET_ORGANIZATIONS, .versions = { 20230101 },
    .roles = SVC_R_ORG_OWNER, .run = svc_verb_update },
  { .method = SVC_DELETE, .path = "/orgs/{orgId}", .set = SVC_SET_ORGANIZATIONS, .versions = { 20230101 },
    .roles = SVC_R_ORG_OWNER, .status = 204, .run = svc_verb_delete },
  SVC_ROUTES_END
};

static bool organization_create(svc_call *c)
{
  static const char *const later[] = { "apiKey", "federationSettingsId", "serviceAccount" };
  svc_change change;
  svc_entity e;
  svc_node *organization, *answer;
  size_t i;
  for (i = 0; i < sizeof later / sizeof later[0]; i++)
    if (svc_node_get(c->checked, later[i])) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", later[i]);
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  change.event = c->plan->noun->noun->event_created;
  change.body = svc_presets(c->arena, &organization_object);
  if (!change.body) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  svc_node_set_str(c->arena, change.body, "name", svc_node_str(c->checked, "name"));
  svc_node_set_bool(c->arena, change.body, "skipDefaultAlertsSettings",
                    svc_node_bool(c->checked, "skipDefaultAlertsSettings", false));
  if (!svc_insert(c, &change, &e)) return false;
  answer = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  organization = svc_node_copy(c->arena, change.body);
  if (!answer || !organization) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  organization->name = SVC_S("organization");
  svc_node_put(c->arena, answer, organization);
  if (svc_node_get(c->checked, "orgOwnerId"))
    svc_node_set_str(c->arena, answer, "orgOwnerId", svc_node_str(c->checked, "orgOwnerId"));
  svc_node_set_bool(c->arena, answer, "skipDefaultAlertsSettings",
                    svc_node_bool(c->checked, "skipDefaultAlertsSettings", false));
  if (!svc_answer_node(c, answer)) return false;
  c->answer.own = e.key;
  return true;
}

SVC_PRIVATE const svc_noun svc_noun_organization = {
  .name = "organization",
  .rel = "org",
  .kind = "org.",
  .param = "orgId",
  .flags = SVC_GLOBAL | SVC_IS_ORG | SVC_SHARED_NAME,
  .object = &organization_object,
  .unique = "name",
  .err_not_found = SVC_E_ORG_NOT_FOUND,
  .event_created = "ORG_CREATED",
  .event_updated = "ORG_RENAMED",
  .routes = organization_routes,
};
