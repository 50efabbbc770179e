/*
** Access roles at cloud providers, for the nouns that use one: their provider, and whether they are authorized.
*/
#include "catalog/security/cloud_role.h"

SVC_PRIVATE svc_str svc_cloud_role_provider(const svc_entity *e)
{
  return svc_json_word(e->body, "providerName");
}

/* An AWS role is authorized when the customer has sent its ARN, and a GCP account when it is complete. An Azure role has its service
** principal from the start. */
SVC_PRIVATE bool svc_cloud_role_authorized(const svc_entity *e)
{
  svc_str provider = svc_cloud_role_provider(e);
  if (svc_str_is(provider, "AWS")) return svc_json_member(e->body, SVC_S("authorizedDate")).n != 0;
  if (svc_str_is(provider, "GCP")) return svc_json_is(e->body, "status", "COMPLETE");
  return true;
}

SVC_PRIVATE bool svc_cloud_role(svc_call *c, svc_str id, svc_str provider)
{
  svc_id role;
  svc_entity e;
  if (!svc_id_parse(id, &role) || svc_entity_get(c->txn, SVC_CLOUD_ROLE_KIND, &c->scope.group, &role, &e) != SVC_OK)
    return svc_txn_good(c);
  if (svc_str_eq(svc_cloud_role_provider(&e), provider) && svc_cloud_role_authorized(&e)) return true;
  return svc_fail(c, SVC_E_CANNOT_ASSUME_ROLE, "S", &id);
}
