/*
** The settings of an organization: each organization always has exactly one such resource, and a PATCH changes single fields.
**
** The effect of each field:
**
**   apiAccessListRequired                   credentials without an access list get 403 (pipeline/access.c)
**   genAIFeaturesEnabled                    off: generative features of its projects show as off and cannot be turned on
**                                           (project_settings.c)
**   maxServiceAccountSecretValidityInHours  limits the lifetime of new secrets of service accounts; existing secrets keep their expiry
**   multiFactorAuthRequired                 people whom the host authenticates need a second factor, svc_caller.second_factor
**                                           (pipeline/access.c); credentials do not, because machines use them
**   restrictEmployeeAccess                  employees of the vendor get no new access grants to clusters (cluster_actions.c); an
**                                           existing grant ends at its own time, or when it is revoked
**   streamsCrossGroupEnabled                stream connections may lead to clusters of other projects (stream_rules.c)
**   customSessionTimeouts                   stored only: sessions belong to a web interface, and this API has none
**   operationsContact, securityContact      addresses for mail about operations and security: stored; a change writes an event
**
** Several settings have event types of their own; the others share ORG_SETTINGS_UPDATED. Unusual: the default of
** apiAccessListRequired depends on who creates the organization. A change that would lock out its caller is refused.
*/
#include "catalog/catalog.h"

static const svc_field organization_settings_timeout_fields[] = {
  F_INT("absoluteSessionTimeoutInSeconds", .flags = SVC_MIN, .min = 1),
  F_INT("idleSessionTimeoutInSeconds", .flags = SVC_MIN, .min = 1)
};
static const svc_object organization_settings_timeouts = { .name = "CustomSessionTimeouts",
                                                           .fields = SVC_ROWS(organization_settings_timeout_fields) };

static const svc_field organization_settings_fields[] = {
  F_BOOL("apiAccessListRequired", .preset = "false"),
  F_OBJ("customSessionTimeouts", &organization_settings_timeouts),
  F_BOOL("genAIFeaturesEnabled", .preset = "true"),
  F_INT("maxServiceAccountSecretValidityInHours", .flags = SVC_MIN | SVC_MAX, .min = 8, .max = 8760, .preset = "8760"),
  F_BOOL("multiFactorAuthRequired", .preset = "false"),
  F_STR("operationsContact", .flags = SVC_NULLABLE, .format = SVC_FORMAT_EMAIL),
  F_BOOL("restrictEmployeeAccess", .preset = "false"),
  F_STR("securityContact", .flags = SVC_NULLABLE, .format = SVC_FORMAT_EMAIL),
  F_BOOL("streamsCrossGroupEnabled", .preset = "false")
};
static const svc_object organization_settings_object = { .name = "OrganizationSettings",
                                                         .fields = SVC_ROWS(organization_settings_fields) };

#define ORGANIZATION_SETTINGS \
  "/orgs/{orgId}/settings", SVC_SET_ORGANIZATION_SETTINGS, (20230101), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER

static const svc_route organization_settings_routes[] = {
  R_GET(ORGANIZATION_SETTINGS, "", .op = "getOrgSettings", .run = svc_verb_read, .ext = SVC_ROUTE_EXT(.leads = true)),
  R_PATCH(ORGANIZATION_SETTINGS, "", .op = "updateOrgSettings", .run = svc_verb_update)
};

static const svc_field_event organization_settings_events[] = {
  { "apiAccessListRequired", "ORG_PUBLIC_API_ACCESS_LIST_REQUIRED", "true" },
  { "apiAccessListRequired", "ORG_PUBLIC_API_ACCESS_LIST_NOT_REQUIRED", "false" },
  { "customSessionTimeouts", "CUSTOM_SESSION_TIMEOUT_MODIFIED", NULL },
  { "maxServiceAccountSecretValidityInHours", "ORG_SERVICE_ACCOUNT_MAX_SECRET_VALIDITY_EDITED", NULL },
  { "multiFactorAuthRequired", "ORG_TWO_FACTOR_AUTH_REQUIRED", "true" },
  { "multiFactorAuthRequired", "ORG_TWO_FACTOR_AUTH_OPTIONAL", "false" },
  { "operationsContact", "OPERATIONS_CONTACT_MODIFIED", NULL },
  { "restrictEmployeeAccess", "ORG_EMPLOYEE_ACCESS_RESTRICTED", "true" },
  { "restrictEmployeeAccess", "ORG_EMPLOYEE_ACCESS_UNRESTRICTED", "false" },
  { "securityContact", "SECURITY_CONTACT_MODIFIED", NULL },
  { NULL, NULL, NULL }
};

/* Refuses an idle timeout that is longer than the absolute timeout. */
static void organization_settings_times(svc_call *c, const svc_node *body)
{
  const svc_node *times = svc_node_get(body, "customSessionTimeouts");
  int64_t whole = svc_node_i64(times, "absoluteSessionTimeoutInSeconds", 0), idle = svc_node_i64(times, "idleSessionTimeoutInSeconds", 0);
  if (whole > 0 && idle > whole)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("customSessionTimeouts.idleSessionTimeoutInSeconds"),
                "must not be longer than absoluteSessionTimeoutInSeconds");
}

/* Authentication needs two settings at every request. Both are also stored in `extra`, where reading them needs no parsing. */
static bool organization_settings_prepare(svc_call *c, svc_change *change)
{
  bool was = svc_node_bool(change->before, "apiAccessListRequired", false);
  bool is = svc_node_bool(change->body, "apiAccessListRequired", false), two = svc_node_bool(change->body, "multiFactorAuthRequired", false);
  svc_str org = svc_id_str(c->arena, &c->scope.org);
  change->extra = is && two ? SVC_S("12") : is ? SVC_S("1") : two ? SVC_S("2") : SVC_S("");
  organization_settings_times(c, change->body);
  if (!svc_check_done(c)) return false;
  if (two && c->who.one_factor) return svc_fail(c, SVC_E_MULTI_FACTOR_AUTH_REQUIRED, "S", &org);
  return was || !is || !svc_id_eq(&c->scope.org, &c->who.org) || svc_access_requiring(c); /* another organization's list blocks nobody here */
}

SVC_PRIVATE const svc_noun svc_noun_organization_settings = {
  .name = "organization settings",
  .kind = "oset",
  .parent = "organization",
  .seat = SVC_SEAT_POLICY,
  .flags = SVC_SINGLETON,
  .object = &organization_settings_object,
  .event_updated = "ORG_SETTINGS_UPDATED",
  .routes = SVC_ROUTES(organization_settings_routes),
  .prepare = organization_settings_prepare,
  .ext = SVC_NOUN_EXT(.field_events = organization_settings_events)
};
