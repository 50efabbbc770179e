/*
** Secret of a service account: an element of the array `secrets` of its account, without a GET of its own. An account has
** at most two secrets, so that one can be replaced without interruption. Only the answer to its creation shows a secret;
** account_secrets.c has the stored form.
*/
#include "catalog/access/account_parts.h"

static const svc_field service_account_secret_hours_fields[] = { SVC_ACCOUNT_HOURS };
static const svc_object service_account_secret_hours = { .name = "ServiceAccountSecretRequest",
                                                         .fields = SVC_ROWS(service_account_secret_hours_fields) };

static bool service_account_secret_ahead(svc_call *c);
static bool service_account_secret_may(svc_call *c);
static bool service_account_secret_create(svc_call *c);

#define SERVICE_ACCOUNT_SECRET_ORG \
  "/orgs/{orgId}/serviceAccounts/{clientId}/secrets", SVC_SET_ORGANIZATION_SERVICE_ACCOUNTS, (20240805), SVC_R_ORG_OWNER, SVC_R_ORG_OWNER
#define SERVICE_ACCOUNT_SECRET_GROUP \
  "/groups/{groupId}/serviceAccounts/{clientId}/secrets", SVC_SET_PROJECT_SERVICE_ACCOUNTS, (20240805), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER
static const svc_route_ext service_account_secret_made = { .prework = service_account_secret_ahead };
#define SERVICE_ACCOUNT_SECRET_NEW \
  .status = 201, .body = &service_account_secret_hours, .ext = &service_account_secret_made, .gate = service_account_secret_may, \
    .run = service_account_secret_create, .example = "{\"secretExpiresAfterHours\":720}"
#define SERVICE_ACCOUNT_SECRET_GONE .status = 204, .gate = service_account_secret_may, .run = svc_verb_delete

static const svc_route service_account_secret_routes[] = {
  R_POST(SERVICE_ACCOUNT_SECRET_ORG, "", .op = "createOrgSecret", SERVICE_ACCOUNT_SECRET_NEW),
  R_DELETE(SERVICE_ACCOUNT_SECRET_ORG, "/{secretId}", .op = "deleteOrgSecret", SERVICE_ACCOUNT_SECRET_GONE),
  R_POST(SERVICE_ACCOUNT_SECRET_GROUP, "", .op = "createGroupSecret", SERVICE_ACCOUNT_SECRET_NEW),
  R_DELETE(SERVICE_ACCOUNT_SECRET_GROUP, "/{secretId}", .op = "deleteGroupSecret", SERVICE_ACCOUNT_SECRET_GONE)
};

static bool service_account_secret_may(svc_call *c)
{
  return svc_account_seen(c) && svc_may_manage(c, svc_path_entity(c, "service account"));
}

static bool service_account_secret_ahead(svc_call *c)
{
  c->prework = svc_account_secret_text(c);
  return c->prework.n != 0;
}

/* Replaces the body that was sent by the record that the account shows from now on. */
static bool service_account_secret_prepare(svc_call *c, svc_change *change)
{
  svc_node *record;
  if (change->before) return true;
  record = svc_account_secret_record(c, &change->id, svc_node_i64(change->body, "secretExpiresAfterHours", 0), c->prework, &change->whole->extra);
  if (record) change->body = record;
  return record != NULL;
}

/* The links in the answer are those of the account. */
static bool service_account_secret_create(svc_call *c)
{
  svc_node *shown;
  if (!svc_verb_create(c)) return false;
  svc_answer_untagged(c);
  svc_answer_keep(c);
  shown = svc_account_secret_show(c, svc_answer_parsed(c), c->prework);
  return svc_answer_body(c, shown);
}

/* A credential cannot delete its own last secret, because it could get no more tokens. */
static bool service_account_secret_removing(svc_call *c, const svc_entity *e)
{
  const svc_entity *account = svc_path_entity(c, "service account");
  return svc_account_lives_without(c, account, e->key) || svc_credential_removing(c, account);
}

/* Deletes the tokens that were issued for this secret. */
static bool service_account_secret_gone(svc_call *c, const svc_entity *e)
{
  const svc_noun_info *tokens = c->s->seats[SVC_SEAT_TOKEN];
  svc_id secret = { { 0 } };
  svc_entity token;
  svc_scan scan;
  svc_id_parse(e->key, &secret);
  if (!tokens) return true;
  svc_below_begin(&scan, c->txn, tokens->noun->kind, &e->id);
  while (svc_below_next(&scan, tokens->noun->kind, &token))
    if (svc_str_eq(token.extra, (svc_str){ (const char *)secret.b, sizeof secret.b }) && !svc_erase(c, tokens, &token)) return false;
  return svc_txn_good(c);
}

SVC_PRIVATE const svc_noun svc_noun_service_account_secret = {
  .name = "service account secret",
  .rel = "secret",
  .kind = "sase",
  .parent = "service account",
  .param = "secretId",
  .flags = SVC_EVENT_PARENT,
  .object = &svc_object_account_secret,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .event_created = "SERVICE_ACCOUNT_SECRET_ADDED",
  .event_deleted = "SERVICE_ACCOUNT_SECRET_DELETED",
  .routes = SVC_ROUTES(service_account_secret_routes),
  .prepare = service_account_secret_prepare,
  .removing = service_account_secret_removing,
  .gone = service_account_secret_gone,
  .ext = SVC_NOUN_EXT(.element_of = "secrets")
};
