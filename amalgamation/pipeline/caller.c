/*
** Who sends the request.
**
** A host may vouch for the caller of an in-process request; the listener never does. Whoever is not known gets 401.
*/
#include "internal.h"

SVC_PRIVATE bool svc_step_caller(svc_call *c)
{
  const svc_caller *vouched = c->request->caller;
  if (vouched) {
    svc_id id;
    c->who.user_id = svc_str_c(vouched->user_id);
    c->who.username = svc_str_c(vouched->username);
    c->who.grants = vouched->grants;
    c->who.grant_count = vouched->grant_count;
    if (!svc_id_parse(c->who.user_id, &id))
      return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "svc_caller.user_id must be 24 hexadecimal digits");
    c->who.known = true;
    return true;
  }
  if (c->plan->route->flags & SVC_NO_AUTH) return true;
  return svc_fail(c, SVC_E_USER_UNAUTHORIZED, "");
}
