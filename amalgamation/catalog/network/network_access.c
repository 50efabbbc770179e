/*
** Entry of a project's access list: an address, a range or a provider's security group from which the project's databases
** accept connections. The access lists of credentials are unrelated: they are for this API.
**
**   POST ----> PENDING ----> ACTIVE       when the driver has applied it
**
** An entry is identified by its value. A POST takes several entries; existing ones get the comment and date of the body. An
** entry with deleteAfterDate is deleted automatically at that time.
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"

#define NETWORK_ACCESS_QUOTA "svc.project.security.networkAccess.entries"


static const char *const network_access_states[] = { "PENDING", "FAILED", "ACTIVE", NULL };

static const svc_field network_access_fields[] = {
  F_STR("awsSecurityGroup", .pattern = "^(\\d{12}/)?sg-[0-9a-f]{1,32}$"),
  F_STR("cidrBlock", .max = 64),
  F_STR("comment", .max = 80),
  F_DATE("deleteAfterDate", .flags = SVC_NULLABLE),
  F_GROUP_ID(),
  F_STR("ipAddress", .max = 64)
};
static const svc_need network_access_needs[] = { { .fields = "ipAddress|cidrBlock|awsSecurityGroup", .by_hook = true }, { .fields = NULL } };
static const svc_object network_access_object = {
  .name = "NetworkPermissionEntry", .fields = SVC_ROWS(network_access_fields), .ext = SVC_OBJECT_EXT(.needs = network_access_needs)
};

static const svc_field network_access_status_fields[] = {
  F_ENUM("STATUS", network_access_states, .flags = SVC_READ_ONLY)
};
static const svc_object network_access_status_object = { .name = "NetworkPermissionEntryStatus",
                                                         .fields = SVC_ROWS(network_access_status_fields) };

static bool network_access_add(svc_call *c);
static bool network_access_status(svc_call *c);

#define NETWORK_ACCESS \
  "/groups/{groupId}/accessList", SVC_SET_ACCESS_LIST, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_NETWORK_ACCESS_MANAGER

static const svc_route network_access_routes[] = {
  R_GET(NETWORK_ACCESS, "", .flags = SVC_PAGED, .op = "listAccessListEntries", .run = svc_verb_list),
  R_POST(NETWORK_ACCESS, "", .status = 201, .flags = SVC_PAGED | SVC_BODY_ARRAY, .op = "createAccessListEntry", .run = network_access_add,
         .example = "[{\"ipAddress\":\"192.0.2.1\",\"comment\":\"office\"},{\"cidrBlock\":\"198.51.100.0/24\"}]"),
  R_GET(NETWORK_ACCESS, "/{entryValue}", .op = "getAccessListEntry", .run = svc_verb_read),
  R_DELETE(NETWORK_ACCESS, "/{entryValue}", .status = 204, .op = "deleteAccessListEntry", .run = svc_verb_delete),
  R_GET(NETWORK_ACCESS, "/{entryValue}/status", .answer = &network_access_status_object, .op = "getAccessListStatus", .run = network_access_status)
};

/* ----------------------------------------------------------------------------------------------------------------- values */

/* A parsed element of the body. */
typedef struct network_access_item {
  const svc_node *node;
  svc_str value;     /* as a path spells it */
  svc_address range; /* of an address or block */
  bool group;        /* whether it is a security group */
} network_access_item;

static bool network_access_bad(svc_call *c, size_t at, const char *field, const char *what)
{
  svc_violate(c, SVC_E_INVALID_IP_ADDRESS_OR_CIDR_NOTATION, svc_arena_print(c->arena, "[%zu].%s", at, field), "%s", what);
  return false;
}

/* Parses exactly one value. An address may be sent both as ipAddress and as cidrBlock, as answers show it. */
static bool network_access_value(svc_call *c, const svc_node *node, size_t at, network_access_item *out)
{
  svc_str group = svc_node_str(node, "awsSecurityGroup"), block = svc_node_str(node, "cidrBlock");
  svc_str address = svc_node_str(node, "ipAddress");
  svc_address other;
  memset(out, 0, sizeof *out);
  out->node = node;
  out->group = group.n != 0;
  out->value = group;
  if (block.n == 0 && address.n == 0 && group.n == 0) {
    svc_violate(c, SVC_E_MISSING_ONE_OF_ATTRIBUTES, svc_arena_print(c->arena, "[%zu]", at),
                "must have ipAddress, cidrBlock or awsSecurityGroup");
    return false;
  }
  if (group.n) return block.n || address.n ? svc_fail(c, SVC_E_MULTIPLE_VALUES_SPECIFIED_FOR_ONE_NETWORK_PERMISSION_ENTRY, "") : true;
  if (address.n && (memchr(address.p, '/', address.n) || !svc_address_parse(address, &out->range)))
    return network_access_bad(c, at, "ipAddress", "is not an IP address");
  if (block.n && (!memchr(block.p, '/', block.n) || !svc_address_parse(block, &other)))
    return network_access_bad(c, at, "cidrBlock", "is not a block in CIDR notation");
  if (address.n && block.n && memcmp(&other, &out->range, sizeof other) != 0)
    return svc_fail(c, SVC_E_MULTIPLE_VALUES_SPECIFIED_FOR_ONE_NETWORK_PERMISSION_ENTRY, "");
  if (!address.n) out->range = other;
  out->value = svc_address_text(c->arena, &out->range);
  return true;
}

static svc_str network_access_spell(svc_call *c, svc_str text)
{
  return svc_address_spell(c->arena, text);
}

/* ---------------------------------------------------------------------------------------------------------------- adding */

#define NETWORK_ACCESS_LONGEST (7 * SVC_DAY_MS) /* longest lifetime of an entry with deleteAfterDate, from now */

/* Takes the comment and deleteAfterDate from the body. */
static bool network_access_take(svc_call *c, const svc_node *from, svc_node *body, svc_change *change)
{
  svc_str date = svc_node_str(from, "deleteAfterDate");
  int64_t when = 0;
  if (date.n && (!svc_date_parse(date, &when) || when <= c->now))
    return svc_fail(c, SVC_E_EXPIRATION_DATE_IN_PAST, "s", "deleteAfterDate");
  if (when > c->now + NETWORK_ACCESS_LONGEST) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("deleteAfterDate"), "must be within a week from now");
  if (!svc_check_done(c)) return false;
  if (svc_node_get(from, "comment")) svc_node_set_from(c->arena, body, "comment", from, "comment");
  if (date.n) svc_node_set_str(c->arena, body, "deleteAfterDate", date);
  if (date.n) svc_change_due(change, SVC_DUE_EXPIRY, when);
  return true;
}

static bool network_access_put(svc_call *c, const network_access_item *item, const svc_entity *old)
{
  svc_change change;
  svc_entity e;
  if (old) {
    if (!svc_change_of(c, c->plan->noun, old, &change) || !network_access_take(c, item->node, change.body, &change)) return false;
    change.event = c->plan->noun->noun->event_updated;
    change.key = item->value;
    return svc_change_keep(c, &change, &e);
  }
  if (!svc_change_new(c, c->plan->noun, NULL, &change)) return false;
  change.key = item->value;
  if (item->group) svc_node_set_str(c->arena, change.body, "awsSecurityGroup", item->value);
  else svc_access_show(c, change.body, &item->range);
  return network_access_take(c, item->node, change.body, &change) && svc_insert(c, &change, &e);
}

static int network_access_order(const void *left, const void *right)
{
  return svc_str_order(((const network_access_item *)left)->value, ((const network_access_item *)right)->value);
}

/* Asks the policies about the existing addresses together with the new ones. */
static bool network_access_allowed(svc_call *c, const network_access_item *items, size_t n)
{
  svc_node *all;
  size_t i;
  if (!svc_policies_any(c)) return svc_txn_good(c);
  all = svc_policy_addresses(c);
  if (!all) return svc_failed(c);
  for (i = 0; i < n; i++)
    if (!items[i].group) svc_policy_address_add(c, all, items[i].value);
  return svc_policies_allow(c, SVC_POLICY_ACCESS_LIST, svc_policy_of_addresses(c, all));
}

/* A policy may require that a certain address, or any address, is listed. Policies are not asked when an entry expires. */
static bool network_access_removing(svc_call *c, const svc_entity *e)
{
  svc_node *before, *left, *one;
  svc_address address;
  if (!svc_policies_any(c) || !svc_address_parse(e->unique, &address)) return svc_txn_good(c);
  before = svc_policy_addresses(c);
  left = before ? svc_node_array(c->arena, NULL) : NULL;
  if (!left) return svc_failed(c);
  for (one = before->first; one; one = one->next)
    if (!svc_str_eq(one->text, svc_address_text(c->arena, &address))) svc_policy_address_add(c, left, one->text);
  return svc_policies_allow_left(c, SVC_POLICY_ACCESS_LIST, svc_policy_of_addresses(c, before), svc_policy_of_addresses(c, left));
}

/* Checks all elements before the first write. */
static bool network_access_check(svc_call *c, network_access_item *items, size_t n, size_t *fresh)
{
  svc_id group = c->scope.group;
  svc_named found;
  size_t i;
  *fresh = 0;
  qsort(items, n, sizeof *items, network_access_order);
  for (i = 0; i < n; i++) {
    if (i && svc_str_eq(items[i].value, items[i - 1].value)) return svc_fail(c, SVC_E_DUPLICATE_ADDRESSES_IN_INPUT, "S", &items[i].value);
    *fresh += svc_named_get(c->txn, c->plan->noun->noun->kind, &group, items[i].value, &found) == SVC_NOT_FOUND;
  }
  return svc_txn_good(c) && svc_within_quota(c, c->plan->noun->noun, &group, *fresh);
}

static bool network_access_add(svc_call *c)
{
  svc_entities all = { .noun = c->plan->noun };
  network_access_item *items;
  const svc_node *node;
  size_t n = 0, i, fresh;
  if (!svc_resolve_all(c)) return false;
  all.parent = c->scope.group;
  items = svc_arena_zero(c->arena, (svc_node_count(c->checked) + 1) * sizeof *items);
  if (!items) return svc_no_memory(c);
  for (node = c->checked->first; node; node = node->next, n++)
    if (!network_access_value(c, node, n, &items[n]) && c->error.code) return false;
  if (!svc_check_done(c) || !network_access_check(c, items, n, &fresh) || !network_access_allowed(c, items, n)) return false;
  for (i = 0; i < n; i++) {
    svc_entity old;
    int rc = svc_entity_named(c->txn, c->plan->noun->noun->kind, NULL, &all.parent, items[i].value, &old);
    if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
    if (!network_access_put(c, &items[i], rc == SVC_OK ? &old : NULL)) return false;
  }
  return svc_list_entities(c, &all);
}

/* ---------------------------------------------------------------------------------------------------------------- status */

/* The entry is active when the driver has carried out its order. */
static bool network_access_status(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  const svc_entity *e;
  bool pending;
  if (!svc_resolve_all(c)) return false;
  e = &c->route.chain[c->plan->hop_count - 1];
  pending = svc_order_waits(c, e);
  if (!body) return svc_no_memory(c);
  svc_node_set_str(c->arena, body, "STATUS", pending ? SVC_S("PENDING") : SVC_S("ACTIVE"));
  return svc_answer_node(c, body);
}

static const svc_order_row network_access_orders[] = {
  { "network.put", "Allow this address to connect to the clusters of the project.", NULL, NULL, 10 },
  { "network.delete", "Stop allowing this address.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_network_access = {
  .name = "network access entry",
  .rel = "accessListEntry",
  .kind = "nace",
  .parent = "project",
  .param = "entryValue",
  .flags = SVC_EXPIRES,
  .object = &network_access_object,
  .key = "ipAddress", /* or another value: change.key identifies the entry */
  .unique = "ipAddress",
  .err_not_found = SVC_E_NETWORK_PERMISSION_ENTRY_NOT_FOUND,
  .err_exists = SVC_E_ADDRESS_ALREADY_IN_ACCESS_LIST,
  .event_created = "NETWORK_PERMISSION_ENTRY_ADDED",
  .event_updated = "NETWORK_PERMISSION_ENTRY_UPDATED",
  .event_deleted = "NETWORK_PERMISSION_ENTRY_REMOVED",
  .event_field = "whitelistEntry",
  .err_quota = SVC_E_NETWORK_PERMISSIONS_LIMIT_EXCEEDED,
  .order_put = "network.put",
  .order_gone = "network.delete",
  .orders = network_access_orders,
  .routes = SVC_ROUTES(network_access_routes),
  .removing = network_access_removing,
  .ext = SVC_NOUN_EXT(.quota = NETWORK_ACCESS_QUOTA, .spell = network_access_spell)
};
