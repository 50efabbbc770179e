/*
** Custom DNS of a project: whether its clusters at AWS show extra connection strings for customers who resolve names
** themselves. The extra strings are private, with "-pri" in the host names.
*/
#include "catalog/catalog.h"
#include "catalog/network/network_parts.h"

static const svc_field custom_dns_fields[] = {
  F_BOOL("enabled", .flags = SVC_REQUIRED, .preset = "false")
};
static const svc_object custom_dns_object = { .name = "ProviderCustomDNS", .fields = SVC_ROWS(custom_dns_fields) };

#define CUSTOM_DNS "/groups/{groupId}/providerCustomDNS", SVC_SET_CUSTOM_DNS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route custom_dns_routes[] = {
  R_GET(CUSTOM_DNS, "", .op = "getAwsCustomDns", .run = svc_verb_read),
  R_PATCH(CUSTOM_DNS, "", .status = 202, .op = "toggleAwsCustomDns", .run = svc_verb_update)
};

SVC_PRIVATE const svc_noun svc_noun_custom_dns = {
  .name = "custom DNS",
  .kind = "cdns",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &custom_dns_object,
  .event_updated = "GROUP_SETTINGS_UPDATED",
  .routes = SVC_ROUTES(custom_dns_routes),
  .stored = svc_network_stored,
};
