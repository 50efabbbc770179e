/*
** POST /_svc/token: an access token for a service account, without its secret. Test control moves the clock past the end of tokens, and its
** callers, such as the console, do not keep secrets that could get new ones.
**
** The rule: the token is what the account would get by itself, with its roles, its access list and its end, and nothing more. A caller of
** test control can do everything anyway, so this opens no new door.
*/
#include "control/control.h"

#define TOKEN_TEXT 128

enum token_state { TOKEN_NO_ACCOUNT, TOKEN_NO_SECRET, TOKEN_REFUSED, TOKEN_MADE };

typedef struct token_job {
  svc_service_job job; /* must be first: the struct is cast back */
  svc_str client;
  int state;           /* enum token_state */
  int64_t seconds;
  char token[TOKEN_TEXT];
} token_job;

static bool token_run(svc_call *c, svc_service_job *job)
{
  token_job *work = (token_job *)job;
  const svc_noun_info *accounts = c->s->seats[SVC_SEAT_ACCOUNT], *tokens = c->s->seats[SVC_SEAT_TOKEN];
  svc_entity account;
  svc_id which;
  svc_str token;
  int64_t until = 0;
  svc_arena_wipes(c->arena, svc_wipe); /* holds the token */
  work->state = TOKEN_NO_ACCOUNT;
  if (!accounts || !tokens || !svc_credential_find(c, accounts, work->client, &account)) return false;
  work->state = TOKEN_NO_SECRET;
  if (!svc_noun_ext_of(accounts->noun)->credential->lasts(c, &account, &which, &until)) return false;
  work->state = TOKEN_REFUSED;
  if (!svc_noun_ext_of(tokens->noun)->credential->issue(c, &account, &which, &until, &token) || token.n >= TOKEN_TEXT) return false;
  memcpy(work->token, token.p, token.n);
  work->token[token.n] = '\0';
  work->seconds = (until - c->now) / 1000;
  work->state = TOKEN_MADE;
  return true;
}

SVC_PRIVATE bool svc_serve_token(svc_call *c, svc_str name)
{
  token_job work = { .job = { .run = token_run }, .client = svc_node_str(c->checked, "clientId") };
  int rc = svc_service_run(c->s, &work.job, svc_now(c->s));
  (void)name;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (work.state == TOKEN_NO_ACCOUNT)
    return svc_fail_as(c, SVC_S("There is no service account with this clientId."), SVC_E_RESOURCE_NOT_FOUND, "S", &work.client);
  if (work.state == TOKEN_NO_SECRET)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "every secret of the service account has expired, so it gets no token");
  if (work.state == TOKEN_REFUSED) return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the service account has as many live tokens as it can have");
  c->answer.status = 200;
  c->answer.body = svc_arena_print(c->arena, "{\"access_token\":\"%s\",\"expires_in\":%lld,\"token_type\":\"Bearer\"}", work.token,
                                   (long long)work.seconds);
  c->answer.whole = true;
  svc_wipe(work.token, sizeof work.token);
  return true;
}
