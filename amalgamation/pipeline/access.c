/*
** Access lists: from where a credential may be used.
**
** A credential with entries may only be used from an address that one of them covers. One without entries may be used
** from anywhere, unless its organization asks for a list. The entries are the children of the credential, each with its
** range in binary form, so that no text is parsed here.
**
** The rule for changes: no credential takes its own last way in. Whatever would shut out the one that asks for it is
** refused, here, in whatever noun it is asked for; people, whom no list binds, may do it.
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

/* How an entry shows its range; one address is shown both ways. */
static void access_show(svc_call *c, svc_node *body, const svc_address *range)
{
  svc_str text = svc_address_text(c->arena, range);
  if (range->bits == 128) {
    svc_node_set_str(c->arena, body, "ipAddress", text);
    text = svc_arena_print(c->arena, SVC_FMT "/%d", SVC_ARG(text), memchr(text.p, '.', text.n) ? 32 : 128);
  }
  svc_node_set_str(c->arena, body, "cidrBlock", text);
}

static bool access_list_required(const svc_call *c, const svc_id *org)
{
  static const svc_id none;
  svc_entity policy;
  if (!c->s->policy) return false;
  if (svc_entity_get(c->txn, c->s->policy->noun->kind, org, &none, &policy) != SVC_OK) return false;
  return svc_str_is(policy.extra, "1");
}

static bool access_refuse(svc_call *c, int code)
{
  return svc_fail(c, code, "S", &c->peer);
}

/* What a list has to say of the caller's address. */
typedef struct access_view {
  int entries; /* that were looked at: 0, there are none */
  bool covered;
  svc_id by; /* the entry that covers it */
} access_view;

/* Look for an entry, but this one (NULL: any), that covers the caller's address. False: the store failed. */
static bool access_look(svc_call *c, const svc_noun_info *list, const svc_id *credential, const svc_id *but, access_view *out)
{
  svc_address caller, range;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity entry;
  memset(out, 0, sizeof *out);
  svc_key_entity(&prefix, list->noun->kind, credential, NULL);
  if (!svc_scan_begin(&scan, c->txn, &prefix, false)) return svc_store_failed(c, c->txn->error);
  if (!svc_address_parse(c->peer, &caller)) memset(&caller, 0, sizeof caller);
  while (!out->covered && out->entries < ACCESS_MOST && svc_scan_next(&scan, &key, &value)) {
    bool good = svc_entity_decode(key, value, &entry);
    if (good && but && svc_id_eq(&entry.id, but)) continue;
    out->entries++;
    if (!good || entry.extra.n != sizeof range) continue;
    memcpy(&range, entry.extra.p, sizeof range);
    out->covered = svc_address_within(&caller, &range);
    out->by = entry.id;
  }
  svc_scan_end(&scan);
  return c->txn->error == SVC_OK || svc_store_failed(c, c->txn->error);
}

SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential)
{
  const svc_noun_info *list = access_list_of(c->s, noun);
  access_view view;
  bool required;
  if (!list) return true;
  if (!access_look(c, list, &credential->id, NULL, &view)) return false;
  required = view.entries == 0 && access_list_required(c, &credential->parent);
  if (c->txn->error) return svc_store_failed(c, c->txn->error);
  if (view.entries == 0) return required ? access_refuse(c, SVC_E_ORG_REQUIRES_ACCESS_LIST) : true;
  if (!view.covered) return access_refuse(c, SVC_E_IP_ADDRESS_NOT_ON_ACCESS_LIST);
  svc_usage_note(c->s, list, &credential->id, &view.by, c->now, c->peer);
  return true;
}

SVC_PRIVATE svc_node *svc_access_shown(svc_call *c, const char *name)
{
  const svc_noun_info *noun = svc_who_noun(c), *list = noun ? access_list_of(c->s, noun) : NULL;
  svc_node *out = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S("")), *item;
  svc_address range;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity entry;
  if (!list || !out) return out;
  svc_key_entity(&prefix, list->noun->kind, &c->who.id, NULL);
  if (!svc_scan_begin(&scan, c->txn, &prefix, false)) return NULL;
  while (svc_scan_next(&scan, &key, &value)) {
    if (!svc_entity_decode(key, value, &entry) || entry.extra.n != sizeof range) continue;
    memcpy(&range, entry.extra.p, sizeof range);
    item = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
    if (!item) break;
    access_show(c, item, &range);
    svc_node_append(out, item);
  }
  svc_scan_end(&scan);
  return c->txn->error == SVC_OK && !c->arena->failed ? out : NULL;
}

/* ---------------------------------------------------------------------------------------------------- the last way in */

static bool access_is_caller(const svc_call *c, const svc_id *credential)
{
  return svc_who_noun(c) && svc_id_eq(&c->who.id, credential);
}

SVC_PRIVATE bool svc_access_requiring(svc_call *c)
{
  const svc_noun_info *noun = svc_who_noun(c), *list = noun ? access_list_of(c->s, noun) : NULL;
  access_view view;
  if (!list) return true;
  if (!access_look(c, list, &c->who.id, NULL, &view)) return false;
  return view.entries ? true : access_refuse(c, SVC_E_CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST);
}

SVC_PRIVATE bool svc_credential_removing(svc_call *c, const svc_entity *e)
{
  return access_is_caller(c, &e->id) ? svc_fail(c, SVC_E_CANNOT_REMOVE_CALLING_CREDENTIAL, "S", &e->key) : true;
}

/* ------------------------------------------------------------------------------------------------------------- entries */

SVC_PRIVATE svc_str svc_access_spell(svc_call *c, svc_str text)
{
  return svc_address_spell(c->arena, text);
}

/* The range that one element of the body names: by exactly one of two members. */
static bool access_range(svc_call *c, const svc_node *item, size_t index, svc_address *out)
{
  svc_str address = svc_node_str(item, "ipAddress"), block = svc_node_str(item, "cidrBlock");
  svc_str path = svc_arena_print(c->arena, "[%zu]", index), text = address.n ? address : block;
  bool ranged = text.n && memchr(text.p, '/', text.n);
  if ((address.n != 0) == (block.n != 0)) {
    svc_violate(c, SVC_E_MISSING_ONE_OF_ATTRIBUTES, path, "must have either ipAddress or cidrBlock");
    return false;
  }
  if (ranged == (block.n != 0) && svc_address_parse(text, out)) return true;
  svc_violate(c, SVC_E_INVALID_IP_ADDRESS_OR_CIDR_NOTATION,
              svc_arena_print(c->arena, "%s.%s", path.p, address.n ? "ipAddress" : "cidrBlock"),
              address.n ? "is not an IP address" : "is not a CIDR block");
  return false;
}

static bool access_add_one(svc_call *c, const svc_address *range)
{
  const svc_entity *credential = svc_parent_of_call(c);
  const char *kind = c->plan->noun->noun->kind;
  svc_change change;
  svc_entity e;
  svc_id known;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.event = c->plan->noun->noun->event_created;
  change.key = svc_address_text(c->arena, range);
  change.extra = svc_arena_copy(c->arena, (svc_str){ (const char *)range, sizeof *range });
  change.body = svc_presets(c->arena, c->plan->noun->noun->object);
  if (!change.body) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  access_show(c, change.body, range);
  if (svc_unique_find(c->txn, kind, &credential->id, false, change.key, &known) == SVC_OK)
    return true; /* it is on the list: adding it again changes nothing */
  return svc_insert(c, &change, &e);
}

/* Does the caller still get in, now that there are more on its own list? The first ones shut out everybody else. */
static bool access_keeps_caller(svc_call *c, const svc_id *credential)
{
  access_view view;
  if (!access_is_caller(c, credential)) return true;
  if (!access_look(c, c->plan->noun, credential, NULL, &view)) return false;
  return view.covered || view.entries == 0 ? true : access_refuse(c, SVC_E_CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST);
}

SVC_PRIVATE bool svc_access_add(svc_call *c)
{
  const svc_node *item;
  svc_id credential;
  svc_address *ranges;
  size_t n = 0, i;
  if (!svc_resolve_all(c)) return false;
  credential = svc_parent_of_call(c)->id;
  ranges = svc_arena_alloc(c->arena, (svc_node_count(c->checked) + 1) * sizeof *ranges);
  if (!ranges) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  for (item = c->checked->first; item; item = item->next, n++) access_range(c, item, n, &ranges[n]);
  if (!svc_check_done(c)) return false;
  for (i = 0; i < n; i++)
    if (!access_add_one(c, &ranges[i])) return false;
  return access_keeps_caller(c, &credential) && svc_list_entities(c, c->plan->noun, &credential, false, NULL, NULL);
}

/* Would the caller still get in if this entry of its own list were gone? */
SVC_PRIVATE bool svc_access_removing(svc_call *c, const svc_entity *e)
{
  svc_id credential = svc_parent_of_call(c)->id;
  access_view rest;
  if (!access_is_caller(c, &credential)) return true;
  if (!access_look(c, c->plan->noun, &credential, &e->id, &rest)) return false;
  if (rest.covered || (rest.entries == 0 && !access_list_required(c, &c->who.org))) return true;
  return access_refuse(c, SVC_E_CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST);
}
