/*
** A setting of an organization, asked for by who is bound by it.
*/
#include "catalog/catalog.h"

SVC_PRIVATE bool svc_org_setting(svc_call *c, const char *name, bool preset)
{
  static const svc_id none;
  const svc_noun_info *settings = c->s->seats[SVC_SEAT_POLICY];
  svc_entity e;
  svc_str value;
  if (!settings || svc_id_is_zero(&c->scope.org) || svc_entity_get(c->txn, settings->noun->kind, &c->scope.org, &none, &e) != SVC_OK)
    return preset;
  value = svc_json_member(e.body, svc_str_c(name));
  return value.n ? svc_str_is(value, "true") : preset;
}
