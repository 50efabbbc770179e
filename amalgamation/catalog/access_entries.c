/*
** Entries of access lists: creates, shows and deletes them, for the nouns that are such entries.
**
** The rule: no credential locks itself out. These functions refuse every such change, for every noun. People may make
** such changes, because access lists do not apply to them.
*/
#include "catalog/catalog.h"

/* Shows the range of an entry; a single address has both members. */
SVC_PRIVATE void svc_access_show(svc_call *c, svc_node *body, const svc_address *range)
{
  svc_str text = svc_address_text(c->arena, range);
  if (range->bits == 128) {
    svc_node_set_str(c->arena, body, "ipAddress", text);
    text = svc_arena_print(c->arena, SVC_FMT "/%d", SVC_ARG(text), memchr(text.p, '.', text.n) ? 32 : 128);
  }
  svc_node_set_str(c->arena, body, "cidrBlock", text);
}

static bool access_entries_refuse(svc_call *c, int code)
{
  return svc_fail(c, code, "S", &c->request.peer);
}

SVC_PRIVATE svc_node *svc_access_shown(svc_call *c, const char *name)
{
  const svc_noun_info *noun = svc_who_noun(c), *list = noun ? svc_access_list_of(c->s, noun) : NULL;
  svc_node *out = svc_node_array(c->arena, name), *item;
  svc_address range;
  svc_scan scan;
  svc_entity entry;
  if (!list || !out) return out;
  svc_below_begin(&scan, c->txn, list->noun->kind, &c->who.id);
  while (svc_below_next(&scan, list->noun->kind, &entry)) {
    if (entry.extra.n != sizeof range) continue;
    memcpy(&range, entry.extra.p, sizeof range);
    item = svc_node_object(c->arena, NULL);
    if (!item) break;
    svc_access_show(c, item, &range);
    svc_node_append(out, item);
  }
  return c->txn->error == SVC_OK && !c->arena->failed ? out : NULL;
}

/* ---------------------------------------------------------------------------------------------------- the last way in */

static bool access_entries_is_caller(const svc_call *c, const svc_id *credential)
{
  return svc_who_noun(c) && svc_id_eq(&c->who.id, credential);
}

SVC_PRIVATE bool svc_access_requiring(svc_call *c)
{
  const svc_noun_info *noun = svc_who_noun(c), *list = noun ? svc_access_list_of(c->s, noun) : NULL;
  svc_access_view view;
  if (!list) return true;
  if (!svc_access_look(c, list, &c->who.id, NULL, &view)) return false;
  return view.entries ? true : access_entries_refuse(c, SVC_E_CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST);
}

SVC_PRIVATE bool svc_credential_removing(svc_call *c, const svc_entity *e)
{
  return access_entries_is_caller(c, &e->id) ? svc_fail(c, SVC_E_CANNOT_REMOVE_CALLING_CREDENTIAL, "S", &e->key) : true;
}

/* ------------------------------------------------------------------------------------------------------------- entries */

SVC_PRIVATE svc_str svc_access_spell(svc_call *c, svc_str text)
{
  return svc_address_spell(c->arena, text);
}

/* The range in one element of the body, which must have exactly one of the two members. */
static bool access_entries_range(svc_call *c, const svc_node *item, size_t index, svc_address *out)
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

static bool access_entries_known(svc_call *c, const svc_id *credential, const svc_address *range)
{
  svc_named found;
  return svc_named_get(c->txn, c->plan->noun->noun->kind, credential, svc_address_text(c->arena, range), &found) == SVC_OK;
}

/* Adds an entry to the list of a credential. */
static bool access_entries_add_one(svc_call *c, const svc_noun_info *list, const svc_id *credential, const svc_address *range)
{
  svc_change change;
  svc_entity e;
  memset(&change, 0, sizeof change);
  change.noun = list;
  change.parent = *credential;
  change.event = list->noun->event_created;
  change.key = svc_address_text(c->arena, range);
  change.extra = svc_arena_copy(c->arena, (svc_str){ (const char *)range, sizeof *range });
  change.body = svc_presets(c->s, c->arena, list->noun->object);
  if (!change.body) return svc_no_memory(c);
  svc_access_show(c, change.body, range);
  return svc_insert(c, &change, &e);
}

/* Whether the caller still gets in after these ranges are added to its own list. The first entries of a list lock out all other
** addresses. */
static bool access_entries_keep_caller(svc_call *c, const svc_id *credential, const svc_address *ranges, size_t n)
{
  svc_access_view view;
  svc_address caller;
  size_t i;
  if (!access_entries_is_caller(c, credential) || n == 0) return true;
  if (!svc_access_look(c, c->plan->noun, credential, NULL, &view)) return false;
  if (view.covered) return true;
  if (!svc_address_parse(c->request.peer, &caller)) memset(&caller, 0, sizeof caller);
  for (i = 0; i < n; i++)
    if (svc_address_within(&caller, &ranges[i])) return true;
  return access_entries_refuse(c, SVC_E_CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST);
}

/* A range and its index in the body. */
typedef struct access_entries_place {
  svc_address range;
  size_t at;
} access_entries_place;

static int access_entries_order(const void *left, const void *right)
{
  const access_entries_place *a = left, *b = right;
  int order = memcmp(&a->range, &b->range, sizeof a->range);
  return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Keeps the ranges that are not on the list yet, without duplicates, in their order. Sorts them, because a body may contain very many. */
static bool access_entries_new(svc_call *c, const svc_id *credential, svc_address *ranges, size_t *n)
{
  access_entries_place *places = svc_arena_alloc(c->arena, (*n + 1) * sizeof *places);
  bool *twice = svc_arena_zero(c->arena, *n + 1);
  size_t i, kept = 0;
  if (!places || !twice) return svc_no_memory(c);
  for (i = 0; i < *n; i++) places[i] = (access_entries_place){ ranges[i], i };
  if (*n) qsort(places, *n, sizeof *places, access_entries_order);
  for (i = 1; i < *n; i++)
    twice[places[i].at] = memcmp(&places[i].range, &places[i - 1].range, sizeof places[i].range) == 0;
  for (i = 0; i < *n; i++)
    if (!twice[i] && !access_entries_known(c, credential, &ranges[i])) ranges[kept++] = ranges[i];
  *n = kept;
  return svc_txn_good(c);
}

/* Checks everything before it writes the first entry. Ranges that are on the list already change nothing. */
SVC_PRIVATE bool svc_access_add(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entities all = { .noun = c->plan->noun };
  const svc_node *item;
  svc_address *ranges;
  size_t n = 0, i;
  if (!svc_resolve_all(c)) return false;
  all.parent = svc_parent_of_call(c)->id;
  ranges = svc_arena_zero(c->arena, (svc_node_count(c->checked) + 1) * sizeof *ranges);
  if (!ranges) return svc_no_memory(c);
  for (item = c->checked->first; item; item = item->next, n++) access_entries_range(c, item, n, &ranges[n]);
  if (!svc_check_done(c)) return false;
  if (!access_entries_new(c, &all.parent, ranges, &n)) return false;
  if (svc_count(c->txn, noun->kind, &all.parent) + n > noun->most)
    return svc_quota_exceeded(c, noun, noun->most, &all.parent);
  if (!access_entries_keep_caller(c, &all.parent, ranges, n)) return false;
  for (i = 0; i < n; i++)
    if (!access_entries_add_one(c, c->plan->noun, &all.parent, &ranges[i])) return false;
  return svc_list_entities(c, &all);
}

SVC_PRIVATE bool svc_access_admit(svc_call *c, const svc_noun_info *kind, const svc_id *credential)
{
  const svc_noun_info *list = svc_access_list_of(c->s, kind);
  svc_address caller;
  return !list || !svc_address_parse(c->request.peer, &caller) || access_entries_add_one(c, list, credential, &caller);
}

/* Whether the caller still gets in without this entry of its own list. */
SVC_PRIVATE bool svc_access_removing(svc_call *c, const svc_entity *e)
{
  svc_id credential = svc_parent_of_call(c)->id;
  svc_access_view rest;
  if (!access_entries_is_caller(c, &credential)) return true;
  if (!svc_access_look(c, c->plan->noun, &credential, &e->id, &rest)) return false;
  if (rest.covered || (rest.entries == 0 && !svc_access_required(c, &c->who.org))) return true;
  return access_entries_refuse(c, SVC_E_CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST);
}
