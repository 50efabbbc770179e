/*
** Access lists: from where a credential may be used.
**
** A credential with entries may only be used from an address that one of them covers. One without entries may be used
** from anywhere, unless its organization asks for a list. The entries are the children of the credential, each with its
** range in binary form, so that no text is parsed here.
*/
#include "internal.h"

#define ACCESS_MOST 256 /* entries that are looked at: no credential may have more than 200 */

static const svc_noun_info *access_list_of(const svc *s, const svc_noun_info *credential)
{
  size_t i;
  for (i = 0; i < s->noun_count; i++)
    if (s->nouns[i].parent == credential && s->nouns[i].noun->flags & SVC_IS_ACCESS_LIST) return &s->nouns[i];
  return NULL;
}

static bool access_list_required(const svc_call *c)
{
  static const svc_id none;
  svc_entity policy;
  if (!c->s->policy) return false;
  if (svc_entity_get(c->txn, c->s->policy->noun->kind, &c->who.org, &none, &policy) != SVC_OK) return false;
  return svc_str_is(policy.extra, "1");
}

static bool access_refuse(svc_call *c, int code)
{
  return svc_fail(c, code, "S", &c->peer);
}

SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential)
{
  const svc_noun_info *list = access_list_of(c->s, noun);
  svc_address caller, range;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity entry;
  bool found = false;
  int n = 0;
  if (!list) return true;
  svc_key_entity(&prefix, list->noun->kind, &credential->id, NULL);
  if (!svc_scan_begin(&scan, c->txn, &prefix, false)) return svc_store_failed(c, c->txn->error);
  if (!svc_address_parse(c->peer, &caller)) memset(&caller, 0, sizeof caller);
  while (!found && n < ACCESS_MOST && svc_scan_next(&scan, &key, &value)) {
    n++;
    if (!svc_entity_decode(key, value, &entry) || entry.extra.n != sizeof range) continue;
    memcpy(&range, entry.extra.p, sizeof range);
    found = svc_address_within(&caller, &range);
  }
  svc_scan_end(&scan);
  if (c->txn->error) return svc_store_failed(c, c->txn->error);
  if (n == 0) return access_list_required(c) ? access_refuse(c, SVC_E_ORG_REQUIRES_ACCESS_LIST) : true;
  if (!found) return access_refuse(c, SVC_E_IP_ADDRESS_NOT_ON_ACCESS_LIST);
  svc_usage_note(c->s, list, &credential->id, &entry.id, c->now, c->peer);
  return true;
}
