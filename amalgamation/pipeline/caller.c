/*
** The caller: authentication of a request.
**
** There are three ways: a bearer token of a service account, HTTP Digest with an API key, or a caller for whom the host vouches
** in an in-process request; the listener never vouches. A vouched user without explicit roles has the roles in the store. An
** unknown caller gets 401 with a challenge.
**
** A browser sends the credentials of Digest and Basic by itself, also with requests that a page of another site has caused. The rule: with
** such credentials, a page of another origin can change nothing. Sec-Fetch-Site decides, which no page can set; if a browser does not send
** it (an old one, or over plain HTTP), Origin decides. Programs send neither, and no browser sends a bearer token on its own.
*/
#include "pipeline/pipeline.h"

static bool caller_vouched(svc_call *c, const svc_caller *vouched)
{
  static const svc_id root;
  svc_str verifier, assignments;
  svc_entity user;
  c->who.user_id = svc_str_c(vouched->user_id);
  c->who.username = svc_str_c(vouched->username);
  if (!svc_id_parse(c->who.user_id, &c->who.id))
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "svc_caller.user_id must be 24 hexadecimal digits");
  c->who.kind = SVC_WHO_USER;
  c->who.known = true;
  c->who.one_factor = !vouched->second_factor && !svc_id_is_zero(&c->who.id);
  c->who.grants = vouched->grants;
  c->who.grant_count = vouched->grants ? vouched->grant_count : 0;
  if (vouched->grants || !c->s->seats[SVC_SEAT_USER]) return true;
  if (!svc_begin_read(c)) return false;
  if (svc_entity_get(c->txn, c->s->seats[SVC_SEAT_USER]->noun->kind, &root, &c->who.id, &user) != SVC_OK) return true;
  if (c->who.username.n == 0) c->who.username = svc_arena_copy(c->arena, user.unique);
  return !svc_credential_unpack(user.extra, &verifier, &assignments) || svc_who_takes(c, assignments);
}

/* The lookup key of a token: its hash, in hex. */
SVC_PRIVATE svc_str svc_token_name(svc_arena *a, svc_str token)
{
  static const char hex[] = "0123456789abcdef";
  unsigned char hash[32];
  char *out = svc_arena_alloc(a, 65);
  int i;
  if (!out || !svc_text_hash(a, token, hash)) return SVC_S("");
  for (i = 0; i < 32; i++) {
    out[2 * i] = hex[hash[i] >> 4];
    out[2 * i + 1] = hex[hash[i] & 15];
  }
  out[64] = 0;
  return (svc_str){ out, 64 };
}

SVC_PRIVATE bool svc_basic_credentials(svc_call *c, svc_str *user, svc_str *password)
{
  svc_str rest = c->request.authorization, scheme = svc_str_cut(&rest, ' ');
  if (!svc_str_is_nocase(scheme, "basic") || !svc_base64_decode(c->arena, svc_str_trim(rest), password)) return false;
  if (!memchr(password->p, ':', password->n)) return false;
  *user = svc_str_cut(password, ':');
  return true;
}

/* A credential is invalid as soon as its organization is deleted, even while its own record is still to be erased. */
SVC_PRIVATE bool svc_credential_lives(svc_call *c, const svc_entity *credential)
{
  svc_entity org;
  return !c->s->org || svc_get_noun(c->txn, c->s->org, &credential->parent, &org) == SVC_OK;
}

/* The place of a token: its account and its id. place: a remembered place; NULL: unknown. */
static int caller_find(svc_call *c, svc_str token, const svc_token_place *place, svc_id *account, svc_id *id)
{
  const svc_noun *tokens = c->s->seats[SVC_SEAT_TOKEN]->noun;
  svc_str name = svc_token_name(c->arena, token);
  svc_named found;
  if (place) {
    svc_expect_caller(c, name, place);
    if (svc_named_get(c->txn, svc_names_of(tokens), &place->account, name, &found) == SVC_OK) {
      *account = found.scope;
      *id = found.id;
      return SVC_OK;
    }
    if (c->txn->error) return c->txn->error;
  }
  return svc_find_anywhere(c->txn, tokens, name, account, id);
}

/* The account of a token. The token knows its organization, so the account takes one lookup. */
static bool caller_account(svc_call *c, svc_str token, const svc_token_place *place, svc_entity *out, svc_id *id, int64_t *expiry)
{
  const svc_noun_info *tokens = c->s->seats[SVC_SEAT_TOKEN], *accounts = c->s->seats[SVC_SEAT_ACCOUNT];
  svc_id account;
  svc_entity t;
  if (!tokens || !accounts) return false;
  if (caller_find(c, token, place, &account, id) != SVC_OK) return false;
  if (svc_entity_get(c->txn, tokens->noun->kind, &account, id, &t) != SVC_OK) return false;
  *expiry = svc_due_get(&t, SVC_DUE_EXPIRY);
  if (*expiry <= c->now) return false;
  return svc_entity_get(c->txn, accounts->noun->kind, &t.scope.org, &account, out) == SVC_OK && svc_credential_lives(c, out);
}

#define CALLER_NOBODY "The request has no credentials. Send a bearer token of a service account, or sign in by HTTP Digest with an API key."
#define CALLER_TOKEN "The bearer token is unknown or has expired. Get a new one from POST /api/oauth/token."
#define CALLER_SCHEME "Only bearer tokens and HTTP Digest are supported here. Basic is for POST /api/oauth/token alone."

/* 401 with a reason. */
static bool caller_refuse(svc_call *c, const char *why)
{
  (void)svc_digest_challenge(c, false);
  c->error.detail = svc_str_c(why);
  return false;
}

/* RFC 6750, 3.1. Unknown and expired tokens are refused alike. */
static bool caller_bad_token(svc_call *c)
{
  c->error.challenge_bearer = svc_arena_print(c->arena, "Bearer realm=\"" SVC_FMT "\", error=\"invalid_token\"", SVC_ARG(c->s->vendor));
  return caller_refuse(c, CALLER_TOKEN);
}

static bool caller_look_up(svc_call *c, svc_str token, const svc_token_place *place)
{
  svc_str verifier, assignments;
  svc_entity account;
  svc_id id;
  int64_t expiry;
  bool anywhere;
  if (!caller_account(c, token, place, &account, &id, &expiry))
    return svc_txn_good(c) && caller_bad_token(c);
  if (!svc_credential_unpack(account.extra, &verifier, &assignments)) return caller_bad_token(c);
  c->who.id = account.id;
  c->who.org = account.parent;
  c->who.username = svc_arena_copy(c->arena, account.unique);
  if (!svc_who_takes(c, assignments) || !svc_access_allowed(c, c->s->seats[SVC_SEAT_ACCOUNT], &account, &anywhere))
    return false;
  if (anywhere || SVC_IS_SHARED(c->txn->port)) svc_known_keep(c, token, &id, expiry);
  return true;
}

static bool caller_bearer(svc_call *c)
{
  const svc_store_port *port = c->s->commit.port;
  svc_str token = c->request.authorization;
  svc_token_place place;
  bool placed;
  svc_str_cut(&token, ' ');
  token = svc_str_trim(token);
  placed = SVC_IS_SHARED(port) && port->expect && svc_known_place(c, token, &place);
  if (!(placed ? svc_begin_draft(c) : svc_begin_read(c))) return false; /* a caller that was never seen gets a read transaction only */
  if (!svc_known_token(c, token) && (c->error.code || !caller_look_up(c, token, placed ? &place : NULL))) return false;
  c->who.kind = SVC_WHO_ACCOUNT;
  c->who.known = true;
  c->who.user_id = svc_id_str(c->arena, &c->who.id);
  return true;
}

/* The scheme and host of a URL, without the path. */
static svc_str caller_origin_of(svc_str url)
{
  const char *host = memchr(url.p, ':', url.n), *end = url.p + url.n, *path;
  host = host && end - host > 3 ? host + 3 : end;
  path = memchr(host, '/', (size_t)(end - host));
  return (svc_str){ url.p, (size_t)((path ? path : end) - url.p) };
}

static bool caller_same_text(svc_call *c, svc_str a, svc_str b)
{
  return a.n == b.n && svc_str_is_nocase(a, svc_arena_copy(c->arena, b).p);
}

/* Whether Origin is the request's own origin: that of Host, or of svc_config.base_url if a proxy rewrites Host. */
static bool caller_is_own_origin(svc_call *c)
{
  svc_str host = c->request.origin;
  if (caller_same_text(c, host, caller_origin_of(c->s->base_url))) return true;
  if (svc_str_starts(host, "http://")) host.p += 7, host.n -= 7;
  else if (svc_str_starts(host, "https://")) host.p += 8, host.n -= 8;
  else return false; /* "null": a page that hides its origin */
  return host.n && caller_same_text(c, host, c->request.host);
}

/* Whether a page of another origin caused this request. The same site is not enough: another port of the same machine may belong to
** another owner. */
static bool caller_is_cross_site(svc_call *c)
{
  if (c->request.fetch_site.n)
    return !svc_str_is(c->request.fetch_site, "same-origin") && !svc_str_is(c->request.fetch_site, "none");
  return c->request.origin.n && !caller_is_own_origin(c);
}

SVC_PRIVATE bool svc_from_own_page(svc_call *c)
{
  if (c->request.fetch_site.n) return svc_str_is(c->request.fetch_site, "same-origin");
  return c->request.origin.n && caller_is_own_origin(c);
}

SVC_PRIVATE bool svc_stage_caller(svc_call *c)
{
  svc_str rest = c->request.authorization, scheme = svc_str_cut(&rest, ' ');
  const bool digest = svc_str_is_nocase(scheme, "digest"), basic = svc_str_is_nocase(scheme, "basic");
  if (c->request.raw->caller) return caller_vouched(c, c->request.raw->caller);
  if ((digest || basic) && c->request.method != SVC_GET && caller_is_cross_site(c)) return svc_fail(c, SVC_E_CROSS_SITE_REQUEST, "");
  if (c->plan->route->flags & SVC_NO_AUTH) return true;
  if (svc_str_is_nocase(scheme, "bearer")) return caller_bearer(c);
  if (digest) return svc_digest_caller(c);
  return caller_refuse(c, scheme.n ? CALLER_SCHEME : CALLER_NOBODY);
}
