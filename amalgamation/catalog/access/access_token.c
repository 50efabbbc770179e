/*
** Access tokens: a service account gets one for its client id and secret (OAuth 2.0, client credentials).
**
** A token is 32 random bytes. Only its hash is stored, as an entity below the account, with its time of expiry. So a token
** is deleted with its account, and a due step deletes an expired token.
**
** A token also ends with the secret that it was issued for. A token expires no later than that secret. Its `extra` has the
** secret's id, so that deleting the secret deletes the token.
**
** Errors have the shape of RFC 6749.
*/
#include "catalog/catalog.h"

#define ACCESS_TOKEN_SECONDS 3600
#define ACCESS_TOKEN_BYTES 32
#define ACCESS_TOKEN_MOST 100 /* maximum valid tokens of an account */

static const svc_object access_token_object = { .name = "AccessToken" };

/* Requests and answers, for the OpenAPI document. */
static const char *const access_token_grants[] = { "client_credentials", NULL };
static const svc_field access_token_request_fields[] = { F_ENUM("grant_type", access_token_grants, .flags = SVC_REQUIRED) };
static const svc_object access_token_request = { .name = "AccessTokenRequest", .fields = SVC_ROWS(access_token_request_fields) };
static const svc_field access_token_revocation_fields[] = { F_STR("token", .flags = SVC_REQUIRED) };
static const svc_object access_token_revocation = { .name = "AccessTokenRevocation", .fields = SVC_ROWS(access_token_revocation_fields) };
static const svc_field access_token_issued_fields[] = { F_STR("access_token"), F_LONG("expires_in"), F_STR("token_type") };
static const svc_object access_token_issued = { .name = "IssuedAccessToken", .fields = SVC_ROWS(access_token_issued_fields) };

static bool access_token_issue(svc_call *c);
static bool access_token_revoke(svc_call *c);

static const svc_route access_token_routes[] = {
  { .method = SVC_POST, .path = "/api/oauth/token", .flags = SVC_ABSOLUTE | SVC_NO_AUTH | SVC_RAW_BODY, .body = &access_token_request,
    .answer = &access_token_issued, .op = "issueAccessToken", .run = access_token_issue },
  { .method = SVC_POST, .path = "/api/oauth/revoke", .flags = SVC_ABSOLUTE | SVC_NO_AUTH | SVC_RAW_BODY, .body = &access_token_revocation,
    .op = "revokeAccessToken", .run = access_token_revoke }
};

static bool access_token_fail(svc_call *c, int code, const char *error, const char *why)
{
  (void)svc_fail_as(c, svc_str_c(why), code, svc_error_params(code) ? "s" : "", why);
  c->error.oauth = error;
  if (svc_error_status(code) == 401)
    c->error.challenge = svc_arena_print(c->arena, "Basic realm=\"" SVC_FMT "\"", SVC_ARG(c->s->vendor));
  return false;
}

/* Reads a parameter of the form. False with the error set: the body is not a form, or has the parameter twice. */
static bool access_token_form(svc_call *c, const char *name, svc_str *out)
{
  svc_str rest = { c->request.raw->body, c->request.raw->body_length }, type = c->request.content_type;
  *out = SVC_S("");
  if (!svc_str_is_nocase(svc_str_trim(svc_str_cut(&type, ';')), "application/x-www-form-urlencoded"))
    return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request",
                             "the body must be application/x-www-form-urlencoded");
  while (rest.n) {
    svc_str value = svc_str_cut(&rest, '&'), key = svc_str_cut(&value, '=');
    if (!svc_percent_decode(c->arena, key, true, &key) || !svc_percent_decode(c->arena, value, true, &value))
      return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request", "the body is not properly encoded");
    if (!svc_str_is(key, name)) continue;
    if (out->n) return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request", "a parameter stands twice");
    *out = value;
  }
  return true;
}

/* The secret that was used, and its expiry. */
typedef struct access_token_secret {
  svc_id id;
  int64_t until;
} access_token_secret;

/* Finds the account of the Basic credentials. *used: its secret that matched. */
static bool access_token_account(svc_call *c, svc_entity *out, access_token_secret *used)
{
  const svc_noun_info *accounts = c->s->seats[SVC_SEAT_ACCOUNT];
  svc_str id_text, secret;
  bool known, opened;
  if (c->request.authorization.n == 0)
    return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request", "No Authorization header provided");
  if (!svc_basic_credentials(c, &id_text, &secret))
    return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request", "the Authorization header must be Basic");
  known = svc_credential_find(c, accounts, id_text, out);
  if (!svc_txn_good(c)) return false;
  /* also hashes for an unknown id, so that the time reveals nothing */
  opened = accounts && svc_noun_ext_of(accounts->noun)->credential->opens(c, out, secret, &used->id, &used->until);
  if (!known || !opened)
    return access_token_fail(c, SVC_E_USER_UNAUTHORIZED, "invalid_client", "the client id or its secret is not right");
  return true;
}

/* Stores the time of the last use of the secret in the account's body. */
static bool access_token_note(svc_call *c, const svc_entity *account, const svc_id *used)
{
  svc_node *body = svc_entity_body(c, account), *secrets = svc_node_get(body, "secrets"), *item;
  svc_str id = svc_id_str(c->arena, used);
  if (!body) return false;
  for (item = svc_node_first(secrets); item; item = item->next)
    if (svc_node_eq(item, "id", id)) svc_node_set_date(c->arena, item, "lastUsedAt", c->now);
  return svc_rewrite(c, account, body);
}

static bool access_token_store(svc_call *c, const svc_entity *account, const access_token_secret *used, svc_str token,
                               int64_t until)
{
  svc_entity e;
  memset(&e, 0, sizeof e);
  e.kind = c->s->seats[SVC_SEAT_TOKEN]->noun->kind;
  e.parent = account->id;
  e.id = svc_new_id(c->txn);
  e.key = svc_id_str(c->arena, &e.id);
  e.unique = svc_token_name(c->arena, token);
  e.body = SVC_S("{}");
  e.links_at = 1;
  e.revision = svc_new_revision(c->txn);
  e.scope.org = account->parent; /* authentication finds the account by it */
  e.extra = (svc_str){ (const char *)used->id.b, sizeof used->id.b };
  svc_due_set(&e, SVC_DUE_EXPIRY, until);
  return svc_entity_store(c, &e, NULL);
}

/* Stores a token for an account and one of its secrets. *until: the expiry of the secret, then that of the token. */
static bool access_token_make(svc_call *c, const svc_entity *account, const svc_id *which, int64_t *until, svc_str *token)
{
  const access_token_secret used = { *which, *until };
  const int64_t longest = c->now + ACCESS_TOKEN_SECONDS * 1000;
  if (svc_count(c->txn, c->s->seats[SVC_SEAT_TOKEN]->noun->kind, &account->id) >= ACCESS_TOKEN_MOST)
    return access_token_fail(c, SVC_E_RATE_LIMITED, "rate_limited", "the account has 100 live tokens");
  *token = svc_secret_text(c, ACCESS_TOKEN_BYTES);
  if (token->n == 0) return false;
  if (*until > longest) *until = longest;
  return access_token_note(c, account, which) && access_token_store(c, account, &used, *token, *until);
}

static const svc_credential_ops access_token_credential = { .issue = access_token_make };

static bool access_token_issue(svc_call *c)
{
  svc_str grant, token;
  svc_entity account;
  access_token_secret used;
  int64_t until;
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!access_token_account(c, &account, &used) || !access_token_form(c, "grant_type", &grant)) return false;
  if (grant.n == 0) return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request", "grant_type is required");
  if (!svc_str_is(grant, "client_credentials"))
    return access_token_fail(c, SVC_E_INVALID_REQUEST, "unsupported_grant_type", "only client_credentials is supported");
  until = used.until;
  if (!access_token_make(c, &account, &used.id, &until, &token)) return false;
  if (!body) return svc_no_memory(c);
  svc_node_set_str(c->arena, body, "access_token", token);
  svc_node_set_i64(c->arena, body, "expires_in", (until - c->now) / 1000);
  svc_node_set_text(c->arena, body, "token_type", "Bearer");
  return svc_answer_node(c, body);
}

/* RFC 7009: the answer is the same whether such a token existed or not. */
static bool access_token_revoke(svc_call *c)
{
  svc_str token;
  svc_entity account, e;
  access_token_secret used;
  svc_id scope, id;
  if (!access_token_account(c, &account, &used) || !access_token_form(c, "token", &token)) return false;
  if (token.n == 0) return access_token_fail(c, SVC_E_INVALID_REQUEST, "invalid_request", "token is required");
  if (svc_find_anywhere(c->txn, c->plan->noun->noun, svc_token_name(c->arena, token), &scope, &id) == SVC_OK &&
      svc_id_eq(&scope, &account.id) && svc_entity_get(c->txn, c->plan->noun->noun->kind, &scope, &id, &e) == SVC_OK &&
      !svc_erase(c, c->plan->noun, &e))
    return false;
  svc_answer_status(c, 200);
  return true;
}

SVC_PRIVATE const svc_noun svc_noun_access_token = {
  .name = "access token",
  .kind = "tokn",
  .parent = "service account",
  .seat = SVC_SEAT_TOKEN,
  .flags = SVC_EXPIRES,
  .object = &access_token_object,
  .routes = SVC_ROUTES(access_token_routes),
  .ext = SVC_NOUN_EXT(.credential = &access_token_credential)
};
