/*
** Link token: links an organization to another installation, whose deployments can then be migrated here. There is at most
** one: a new token replaces it. Only the answer to its creation shows the token: the store
** has its salted hash, and the addresses that may use it. No GET shows it, so its self link is the organization's.
** An organization with a link token cannot be deleted.
*/
#include "catalog/catalog.h"
#include "catalog/migration/migration_parts.h"

enum { LINK_TOKEN_BYTES = 32, LINK_TOKEN_ADDRESSES = 200 };

static const svc_field link_token_fields[] = {
  F_STRS("accessListIps", .format = SVC_FORMAT_IP_OR_CIDR, .flags = SVC_UNIQUE_ITEMS, .max_items = LINK_TOKEN_ADDRESSES,
         .preset = "[]")
};
static const svc_object link_token_object = { .name = "TargetOrgRequest", .fields = SVC_ROWS(link_token_fields) };
static const svc_field link_token_shown_fields[] = { F_STR("linkToken", .flags = SVC_REQUIRED) };
static const svc_object link_token_shown = { .name = "TargetOrg", .fields = SVC_ROWS(link_token_shown_fields) };

static bool link_token_create(svc_call *c);
static bool link_token_delete(svc_call *c);

#define LINK_TOKEN \
  "/orgs/{orgId}/liveMigrations/linkTokens", SVC_SET_ORGANIZATION_LIVE_MIGRATIONS, (20230101), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER

static const svc_route link_token_routes[] = {
  R_POST(LINK_TOKEN, "", .status = 201, .answer = &link_token_shown, .op = "createLinkToken",
         .run = link_token_create, .example = "{\"accessListIps\":[\"192.0.2.1\",\"198.51.100.0/24\"]}"),
  R_DELETE(LINK_TOKEN, "", .status = 204, .op = "deleteLinkTokens", .run = link_token_delete)
};

/* Deletes all link tokens of the organization. *any: whether there were any. */
static bool link_token_erase(svc_call *c, bool *any)
{
  const svc_noun_info *noun = c->plan->noun;
  svc_id org = svc_parent_of_call(c)->id;
  svc_scan scan;
  svc_entity e;
  *any = false;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &org);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    *any = true;
    if (!svc_erase(c, noun, &e)) return false;
  }
  return svc_txn_good(c);
}

static bool link_token_answer(svc_call *c, svc_str token)
{
  svc_node *hidden = svc_node_object(c->arena, NULL);
  svc_node *shown = svc_node_object(c->arena, NULL);
  if (!hidden || !shown) return svc_no_memory(c);
  svc_node_set_text(c->arena, hidden, "linkToken", "********");
  svc_node_set_str(c->arena, shown, "linkToken", token);
  if (!svc_answer_node(c, hidden)) return false;
  svc_answer_keep(c);
  return svc_answer_body(c, shown);
}

static bool link_token_create(svc_call *c)
{
  unsigned char hash[48];
  svc_change change;
  svc_entity e;
  svc_str token;
  bool any;
  if (!svc_resolve_all(c)) return false;
  token = svc_secret_text(c, LINK_TOKEN_BYTES);
  if (token.n == 0 || !svc_secret_hash(c, token, hash)) return false;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  change.event = c->plan->noun->noun->event_created;
  change.body = svc_node_copy(c->arena, c->checked);
  change.extra = svc_arena_copy(c->arena, (svc_str){ (const char *)hash, sizeof hash });
  if (!change.body || c->arena->failed) return svc_no_memory(c);
  return link_token_erase(c, &any) && svc_insert(c, &change, &e) && link_token_answer(c, token);
}

static bool link_token_delete(svc_call *c)
{
  bool any;
  if (!svc_resolve_all(c) || !link_token_erase(c, &any)) return false;
  return any ? svc_answer_nothing(c) : svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
}

SVC_PRIVATE const svc_noun svc_noun_link_token = {
  .name = "link token",
  .rel = "linkToken",
  .kind = MIGRATION_LINK_KIND,
  .parent = "organization",
  .object = &link_token_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_in_use = SVC_E_CANNOT_DELETE_ORG_ACTIVE_LIVE_MIGRATION_ORG_LINK,
  .event_created = "BECAME_LINKED_ORG",
  .event_deleted = "UNLINKED_ORG",
  .routes = SVC_ROUTES(link_token_routes),
};
