/*
** Private IP mode of a project: whether its peered clusters are reached by private addresses only. The switch is old: its PATCH is
** also served at the older base path, for clients that still use that. Only the connection strings of legacy clusters change, whose
** hosts are named after the cluster: the names then lead to private addresses.
*/
#include "catalog/catalog.h"
#include "catalog/network/network_parts.h"
#include "catalog/policy/policy_language.h"

static const svc_field private_ip_mode_fields[] = {
  F_BOOL("enabled", .flags = SVC_REQUIRED, .preset = "false")
};
static const svc_object private_ip_mode_object = { .name = "PrivateIPMode", .fields = SVC_ROWS(private_ip_mode_fields) };

#define PRIVATE_IP_MODE \
  "/groups/{groupId}/privateIpMode", SVC_SET_NETWORK, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route private_ip_mode_routes[] = {
  R_GET(PRIVATE_IP_MODE, "", .op = "verifyPrivateIpMode", .run = svc_verb_read),
  R_PATCH(PRIVATE_IP_MODE, "", .flags = SVC_V1_TOO, .op = "disablePeering", .run = svc_verb_update)
};

SVC_PRIVATE const svc_noun svc_noun_private_ip_mode = {
  .name = "private IP mode",
  .kind = "pipm",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &private_ip_mode_object,
  .event_updated = "PRIVATE_IP_MODE_UPDATED",
  .ext = SVC_NOUN_EXT(.governed = svc_policy_peering_switch),
  .routes = SVC_ROUTES(private_ip_mode_routes),
  .stored = svc_network_stored,
};
