/*
** Authentication from outside: the credentials of svc_bootstrap(), the two ways to use them (Digest and access tokens), and requests
** that must be refused.
**
** Tests also: access_token
*/
#include "faults.h"
#include "postgres.h"
#include "support.h"
#include "world.h"

#include <errno.h>

typedef struct login {
  t_service t;
  svc_credentials keys;
  char authorization[1024];
} login;

static void login_open(login *l, const svc_config *changes)
{
  memset(l, 0, sizeof *l);
  t_open(&l->t, changes);
  munit_assert_int(svc_bootstrap(l->t.s, &l->keys), ==, SVC_OK);
  l->t.anonymous = true;
}

static void login_close(login *l)
{
  t_close(&l->t);
}

static void login_hex(svc_str text, char *out, bool sha256)
{
  unsigned char hash[32];
  int i, n = sha256 ? 32 : 16;
  if (sha256) svc_sha256(text, hash);
  else svc_md5(text, hash);
  for (i = 0; i < n; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

/* Returns the nonce of the last answer's challenge. */
static const char *login_nonce(login *l)
{
  static char nonce[64];
  const char *p = strstr(t_get_header(&l->t, "WWW-Authenticate"), "nonce=\"");
  munit_assert_not_null(p);
  snprintf(nonce, sizeof nonce, "%.32s", p + 7);
  return nonce;
}

/* Sets an Authorization header as a client computes it according to RFC 7616. */
static void login_digest(login *l, const char *method, const char *target, const char *user, const char *password,
                         const char *nonce, unsigned count, bool sha256)
{
  char first[65], second[65], response[65], text[1024];
  int n = snprintf(text, sizeof text, "%s:svc:%s", user, password);
  login_hex((svc_str){ text, (size_t)n }, first, sha256);
  n = snprintf(text, sizeof text, "%s:%s", method, target);
  login_hex((svc_str){ text, (size_t)n }, second, sha256);
  n = snprintf(text, sizeof text, "%s:%s:%08x:abc:auth:%s", first, nonce, count, second);
  login_hex((svc_str){ text, (size_t)n }, response, sha256);
  snprintf(l->authorization, sizeof l->authorization,
           "Digest username=\"%s\", realm=\"svc\", nonce=\"%s\", uri=\"%s\", qop=auth, nc=%08x, cnonce=\"abc\", "
           "response=\"%s\", algorithm=%s", user, nonce, target, count, response, sha256 ? "SHA-256" : "MD5");
  t_header(&l->t, "Authorization", l->authorization);
}

static const char *login_basic(login *l, const char *user, const char *password)
{
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char plain[256];
  size_t n = (size_t)snprintf(plain, sizeof plain, "%s:%s", user, password), i;
  char *to = l->authorization + snprintf(l->authorization, sizeof l->authorization, "Basic ");
  for (i = 0; i < n; i += 3) {
    unsigned long v = (unsigned long)(unsigned char)plain[i] << 16;
    if (i + 1 < n) v |= (unsigned long)(unsigned char)plain[i + 1] << 8;
    if (i + 2 < n) v |= (unsigned char)plain[i + 2];
    *to++ = alphabet[v >> 18 & 63];
    *to++ = alphabet[v >> 12 & 63];
    *to++ = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
    *to++ = i + 2 < n ? alphabet[v & 63] : '=';
  }
  *to = 0;
  t_header(&l->t, "Authorization", l->authorization);
  return l->authorization;
}

static int login_token(login *l, const char *form)
{
  t_header(&l->t, "Content-Type", "application/x-www-form-urlencoded");
  return t_send(&l->t, "POST", "/api/oauth/token", form);
}

static void login_bearer(login *l, const char *token)
{
  t_headers_clear(&l->t);
  snprintf(l->authorization, sizeof l->authorization, "Bearer %s", token);
  t_header(&l->t, "Authorization", l->authorization);
}

/* Gets an access token with the account's secret, and sets it as bearer header. */
static void login_account(login *l)
{
  char token[128];
  login_basic(l, l->keys.client_id, l->keys.client_secret);
  munit_assert_int(login_token(l, "grant_type=client_credentials"), ==, 200);
  munit_assert_int64(t_int(&l->t, "expires_in"), ==, 3600);
  munit_assert_string_equal(t_str(&l->t, "token_type"), "Bearer");
  munit_assert_string_equal(t_get_header(&l->t, "Cache-Control"), "no-store"); /* RFC 6749 5.1 */
  snprintf(token, sizeof token, "%s", t_str(&l->t, "access_token"));
  login_bearer(l, token);
}

/* Creates an organization with a service account, as the present caller. The account sends all later requests. */
static void login_organization(login *l, const char *name, char org[25])
{
  char body[256];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"serviceAccount\":{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],"
           "\"secretExpiresAfterHours\":8}}", name);
  munit_assert_int(t_send(&l->t, "POST", "/orgs", body), ==, 201);
  snprintf(org, 25, "%s", t_str(&l->t, "organization.id"));
  snprintf(l->keys.client_id, sizeof l->keys.client_id, "%s", t_str(&l->t, "serviceAccount.clientId"));
  snprintf(l->keys.client_secret, sizeof l->keys.client_secret, "%s", t_str(&l->t, "serviceAccount.secrets[0].secret"));
  l->t.anonymous = true;
  t_headers_clear(&l->t);
  login_account(l);
}

/* ------------------------------------------------------------------------------------------------------------ bootstrap */

TEST(login, bootstrap)
{
  login l;
  svc_credentials again;
  login_open(&l, NULL);
  munit_assert_size(strlen(l.keys.org_id), ==, 24);
  munit_assert_size(strlen(l.keys.group_id), ==, 24);
  munit_assert_true(svc_pattern_match("^[a-z]{8}$", svc_str_c(l.keys.public_key)));
  munit_assert_true(svc_format_check(SVC_FORMAT_UUID, svc_str_c(l.keys.private_key)));
  munit_assert_true(svc_pattern_match("^svc_sa_id_[a-f0-9]{24}$", svc_str_c(l.keys.client_id)));
  munit_assert_true(svc_str_starts(svc_str_c(l.keys.client_secret), "svc_sa_sk_"));
  munit_assert_int(svc_bootstrap(l.t.s, &again), ==, SVC_BUSY);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401);
  munit_assert_int(t_send(&l.t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
  login_close(&l);
}

/* A random source that works `good` times, then fails once. */
typedef struct login_faulty {
  int good, calls;
  unsigned char next;
} login_faulty;

static int login_faulty_random(void *context, void *buffer, size_t size)
{
  login_faulty *f = context;
  unsigned char *to = buffer;
  if (f->calls++ == f->good) return 1;
  while (size--) *to++ = f->next = (unsigned char)(f->next * 5 + 17 + f->calls);
  return 0;
}

/* Each call of the random source fails in turn: svc_bootstrap() then leaves no organization and no project, and its next call succeeds. */
TEST(login, bootstrap_all_or_nothing)
{
  static const svc_id root;
  int at = 0, failed = 0;
  size_t left = 0; /* random bytes that are left in the pool of ids: the pool runs out at each id in turn */
  while (left <= sizeof ((svc_ids *)NULL)->pool) {
    login_faulty source = { -1, 0, 0 };
    svc_config config = { .random = login_faulty_random, .random_context = &source };
    svc_credentials keys;
    t_service t;
    svc_txn *txn;
    int rc;
    t_open(&t, &config);
    source.good = source.calls + at++;
    t.s->commit.ids.pool_left = left;
    rc = svc_bootstrap(t.s, &keys);
    if (rc == SVC_OK) {
      t_close(&t);
      at = 0;
      left += 8;
      continue;
    }
    failed++;
    munit_assert_int(rc, ==, SVC_RANDOM);
    munit_assert_string_equal(keys.org_id, "");
    munit_assert_int(t.s->commit.port->read_begin(t.s->commit.store, &txn), ==, SVC_OK);
    munit_assert_uint64(svc_count(txn, t.s->org->noun->kind, &root), ==, 0);
    munit_assert_uint64(svc_count(txn, t.s->group->noun->kind, NULL), ==, 0);
    t.s->commit.port->read_end(txn);
    munit_assert_int(svc_bootstrap(t.s, &keys), ==, SVC_OK);
    munit_assert_size(strlen(keys.client_secret), >, 40);
    t_close(&t);
  }
  munit_assert_int(failed, >, 40);
}

static void *login_short_of_memory(void *context, void *p, size_t size)
{
  int *left = context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  return *left >= 0 && (*left)-- == 0 ? NULL : realloc(p, size);
}

/* Each allocation fails in turn: the next call of svc_bootstrap() succeeds. */
TEST(login, bootstrap_no_memory)
{
  int at, left;
  for (at = 0;; at++) {
    svc_config config = { .allocator = { login_short_of_memory, &left } };
    svc_credentials keys;
    t_service t;
    int rc;
    left = -1;
    t_open(&t, &config);
    left = at;
    rc = svc_bootstrap(t.s, &keys);
    left = -1;
    if (rc != SVC_OK) {
      munit_assert_int(rc, ==, SVC_NOMEM);
      munit_assert_int(svc_bootstrap(t.s, &keys), ==, SVC_OK);
    }
    t_close(&t);
    if (rc == SVC_OK) break;
  }
  munit_assert_int(at, >, 2);
}

/* The host's configuration for other callers does not limit the bootstrap itself. */
TEST(login, bootstrap_configured)
{
  static const svc_limit_override one[] = { { "organizationServiceAccounts_organization", 1, 1, 0 },
                                            { "organizationAPIKeys_organization", 1, 1, 0 } };
  svc_config config = { .strict_accept = 1, .limits = one, .limit_count = 2, .map_size = 64 << 10 };
  login l;
  login_open(&l, &config);
  t_header(&l.t, "Accept", "application/vnd.svc.2025-03-12+json");
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/apiKeys", l.keys.org_id), ==, 200); /* svc_bootstrap() has taken no token */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/events", l.keys.org_id), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 3); /* the organization, the key, the account */
  login_close(&l);
}

/* A credential that may only create projects owns the projects that it creates. */
TEST(login, creates)
{
  login l;
  char body[128], group[32], id[64], secret[128], token[128];
  login_open(&l, NULL);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "POST", "{\"name\":\"maker\",\"description\":\"makes\",\"roles\":[\"ORG_GROUP_CREATOR\"],"
                           "\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts", l.keys.org_id), ==, 201);
  snprintf(id, sizeof id, "%s", t_str(&l.t, "clientId"));
  snprintf(secret, sizeof secret, "%s", t_str(&l.t, "secrets[0].secret"));
  l.t.anonymous = true;
  login_basic(&l, id, secret);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  snprintf(token, sizeof token, "%s", t_str(&l.t, "access_token"));
  login_bearer(&l, token);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/groups/%s", l.keys.group_id), ==, 403);
  snprintf(body, sizeof body, "{\"name\":\"made\",\"orgId\":\"%s\"}", l.keys.org_id);
  munit_assert_int(t_send(&l.t, "POST", "/groups", body), ==, 201);
  snprintf(group, sizeof group, "%s", t_str(&l.t, "id"));
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"name\":\"mine\"}", "/groups/%s", group), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/groups/%s/serviceAccounts/%s", group, id), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "roles[0]"), "GROUP_OWNER");
  login_account(&l); /* an owner of the organization owns its projects anyway: no role is added */
  munit_assert_int(t_send(&l.t, "POST", "/groups", body), ==, 201);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/serviceAccounts/%s/groups", l.keys.org_id, l.keys.client_id), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 0);
  login_close(&l);
}

/* An invitation shows its sender: a service account by its client id. */
TEST(login, invites)
{
  login l;
  login_open(&l, NULL);
  login_account(&l);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"username\":\"a@example.com\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/invites",
                           l.keys.org_id), ==, 201);
  munit_assert_string_equal(t_str(&l.t, "inviterUsername"), l.keys.client_id);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"username\":\"b@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites",
                           l.keys.group_id), ==, 201);
  munit_assert_string_equal(t_str(&l.t, "inviterUsername"), l.keys.client_id);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/invites", l.keys.org_id), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "[0].inviterUsername"), l.keys.client_id);
  login_close(&l);
}

/* ------------------------------------------------------------------------------------------------------------ addresses */

/* An address is the same in all spellings: in access lists, in answers, for buckets. */
TEST(login, spelled)
{
  login l;
  char path[160];
  login_open(&l, NULL);
  login_account(&l);
  snprintf(path, sizeof path, "/orgs/%s/serviceAccounts/%s/accessList", l.keys.org_id, l.keys.client_id);
  munit_assert_int(t_send(&l.t, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&l.t, "apiKey.accessList"), ==, 0);
  munit_assert_int(t_send(&l.t, "POST", path, "[{\"ipAddress\":\"192.0.2.7\"},{\"cidrBlock\":\"2001:DB8::7/64\"}]"), ==, 201);
  munit_assert_int(t_send(&l.t, "GET", "", NULL), ==, 200); /* the root shows the caller's own access list */
  munit_assert_size(t_count(&l.t, "apiKey.accessList"), ==, 2);
  munit_assert_string_equal(t_str(&l.t, "apiKey.accessList[0].ipAddress"), "192.0.2.7");
  munit_assert_string_equal(t_str(&l.t, "apiKey.accessList[0].cidrBlock"), "192.0.2.7/32");
  munit_assert_null(t_node(&l.t, "apiKey.accessList[1].ipAddress"));
  munit_assert_string_equal(t_str(&l.t, "apiKey.accessList[1].cidrBlock"), "2001:db8::/64");
  l.t.peer = "::FFFF:192.0.2.7";
  munit_assert_int(t_send(&l.t, "GET", "/rateLimits?ipAddress=192.0.2.7", NULL), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", "/rateLimits?ipAddress=::ffff:192.0.2.7", NULL), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", "/rateLimits?ipAddress=192.0.2.8", NULL), ==, 403);
  l.t.peer = "::ffff:192.0.2.8";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  munit_assert_string_equal(t_param(&l.t, 0), "192.0.2.8");
  l.t.peer = "2001:0DB8:0:0::9";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  t_advance(&l.t, 61);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "results[1].lastUsedAddress"), "2001:db8::9");
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"name\":\"Else\"}", "/orgs/%s", l.keys.org_id), ==, 200);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/events", l.keys.org_id), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "results[0].remoteAddress"), "2001:db8::9");
  /* a range of all IPv6 addresses contains no IPv4 address, and the reverse */
  munit_assert_int(t_send(&l.t, "POST", path, "[{\"cidrBlock\":\"::/0\"}]"), ==, 201);
  l.t.peer = "2001:db8:1::1";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  l.t.peer = "203.0.113.1";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  l.t.peer = "192.0.2.7";
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, "%s/::%%2F0", path), ==, 204);
  munit_assert_int(t_send(&l.t, "POST", path, "[{\"cidrBlock\":\"0.0.0.0/0\"}]"), ==, 201);
  l.t.peer = "203.0.113.1";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  l.t.peer = "2001:db8:1::1";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  login_close(&l);
}

/* --------------------------------------------------------------------------------------------------------------- digest */

TEST(login, digest)
{
  login l;
  char path[128], nonce[64];
  const char *challenge;
  int sha;
  for (sha = 0; sha < 2; sha++) {
    login_open(&l, &(svc_config){ .digest_sha256 = sha });
    snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    challenge = t_get_header(&l.t, "WWW-Authenticate");
    munit_assert_true(svc_pattern_match(sha ? "Digest realm=\"svc\", domain=\"\", nonce=\"[A-Za-z0-9_-]{32}\", algorithm=SHA-256, qop=\"auth\", stale=false"
                                            : "Digest realm=\"svc\", domain=\"\", nonce=\"[A-Za-z0-9_-]{32}\", algorithm=MD5, qop=\"auth\", stale=false",
                                        svc_str_c(challenge)));
    munit_assert_string_equal(t_get_header(&l.t, "RateLimit-Limit"), "");
    strcpy(nonce, login_nonce(&l));
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 1, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401); /* the same count again */
    munit_assert_not_null(strstr(t_get_header(&l.t, "WWW-Authenticate"), "stale=false"));
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 3, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 2, sha); /* out of order, but not seen before */
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    login_digest(&l, "PATCH", path, l.keys.public_key, l.keys.private_key, nonce, 4, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401); /* another method */
    munit_assert_int(t_send(&l.t, "PATCH", path, "{\"name\":\"Second\"}"), ==, 200);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 5, sha);
    munit_assert_int(t_sendf(&l.t, "GET", NULL, "/groups/%s", l.keys.group_id), ==, 401); /* another path */
    login_digest(&l, "GET", path, l.keys.public_key, "00000000-0000-4000-8000-000000000000", nonce, 6, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    login_digest(&l, "GET", path, "nobodyis", l.keys.private_key, nonce, 7, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 8, !sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401); /* the other algorithm */
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 1, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401); /* a nonce that the client made up; the key is right */
    munit_assert_not_null(strstr(t_get_header(&l.t, "WWW-Authenticate"), "stale=true"));
    t_advance(&l.t, 61);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 9, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    munit_assert_not_null(strstr(t_get_header(&l.t, "WWW-Authenticate"), "stale=true"));
    strcpy(nonce, login_nonce(&l));
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 1, sha);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    login_close(&l);
  }
}

/* Wrong guesses are limited per user name and network, whether the key exists or not. Clients that are signed in continue, and so
** do clients elsewhere. */
TEST(login, digest_guessing)
{
  enum { TRIES = 10, OTHERS = 64 };
  login l;
  char path[128], mine[64], fresh[64], second[OTHERS][64];
  const char *names[2];
  int i, k;
  login_open(&l, NULL);
  l.t.anonymous = false;
  for (i = 0; i < OTHERS; i++) {
    munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"another\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/apiKeys", l.keys.org_id), <, 300);
    snprintf(second[i], sizeof second[i], "%s", t_str(&l.t, "publicKey"));
  }
  l.t.anonymous = true;
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  names[0] = l.keys.public_key, names[1] = "nobodyis";
  l.t.peer = "10.0.0.1";
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  strcpy(mine, login_nonce(&l));
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, mine, 1, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200); /* signed in before a neighbor begins to guess */
  for (k = 0; k < 2; k++)
    for (i = 0; i < TRIES + 2; i++) {
      t_headers_clear(&l.t);
      munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
      strcpy(fresh, login_nonce(&l));
      login_digest(&l, "GET", path, names[k], "00000000-0000-4000-8000-000000000000", fresh, 1, false);
      munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, i < TRIES ? 401 : 429);
    }
  munit_assert_string_equal(t_get_header(&l.t, "Retry-After"), "60");
  munit_assert_string_equal(t_str(&l.t, "errorCode"), "RATE_LIMITED");
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, fresh, 2, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 429); /* even with the right secret, so that the answer shows nothing */
  login_digest(&l, "GET", path, names[1], "00000000-0000-4000-8000-000000000000", mine, 2, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 429); /* a nonce that another client uses does not help */
  for (i = 0; i < TRIES + 2; i++) { /* such a nonce does not help to guess the secret of another key either */
    login_digest(&l, "GET", path, second[0], "00000000-0000-4000-8000-000000000000", mine, 2, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, i < TRIES ? 401 : 429);
  }
  for (i = 1; i < OTHERS; i++) { /* no other key is limited, whichever place of the table has its count */
    login_digest(&l, "GET", path, second[i], "00000000-0000-4000-8000-000000000000", mine, 2, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  }
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, mine, 2, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  l.t.peer = "10.0.0.2";
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, fresh, 3, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  l.t.peer = "10.0.0.1";
  t_advance(&l.t, 60);
  t_headers_clear(&l.t);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  strcpy(fresh, login_nonce(&l));
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, fresh, 1, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  login_close(&l);
}

/* Lack of memory says nothing about a secret: the answer is 503 and counts as no guess, however often. */
TEST(login, digest_no_memory)
{
  login l;
  char path[128], nonce[64];
  unsigned count = 0;
  int round; /* enough rounds for more failures than the limit of guesses */
  login_open(&l, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  l.t.peer = "10.0.0.1";
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  strcpy(nonce, login_nonce(&l));
  for (round = 0; round < 10; round++) {
    svc_header header = { "Authorization", l.authorization, 0, 0 };
    svc_request request = { .method = "GET", .target = path, .headers = &header, .header_count = 1, .peer = l.t.peer };
    svc_response response;
    bool sufficed = false;
    long n;
    for (n = 1; !sufficed; n++) {
      munit_assert_long(n, <, 1000);
      /* the count may have been used before the failure */
      login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, ++count, false);
      if (round % 2) t_fault(T_CALL_MEMORY, n, ENOMEM, false);
      else t_arena_fail(n);
      sufficed = t_memory_sufficed(svc_handle_request(l.t.s, &request, &response), &response);
      t_fault_end();
      t_arena_fail(0);
      if (sufficed) munit_assert_int(response.status, ==, 200);
      svc_response_free(&response);
    }
    munit_assert_long(n, >, 2);
  }
  login_close(&l);
}

/* After the clock is set back, old nonces may be fresh again, but their counts stay used. */
TEST(login, digest_clock_back)
{
  login l;
  char path[128], seen[1024];
  int i;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, login_nonce(&l), 1, false);
  strcpy(seen, l.authorization);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  t_advance(&l.t, 61);
  for (i = 0; i < 4096; i++) { /* more nonces than the table has places */
    t_headers_clear(&l.t);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, login_nonce(&l), 1, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    if (i % 64 == 63) t_advance(&l.t, 61); /* so that only expired nonces are replaced */
  }
  l.t.now = T_START;
  t_header(&l.t, "Authorization", seen);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  login_close(&l);
}

/* Sends one request by Digest with a new nonce. Returns the status. */
static int login_fresh(login *l, const char *path, const char *user, const char *password)
{
  t_headers_clear(&l->t);
  munit_assert_int(t_send(&l->t, "GET", path, NULL), ==, 401);
  login_digest(l, "GET", path, user, password, login_nonce(l), 1, false);
  return t_send(&l->t, "GET", path, NULL);
}

/* A client that takes a nonce for every request displaces no nonce of another client, neither a used nor a newly issued nonce. */
TEST(login, digest_shares)
{
  enum { KEYS = 40 };
  char path[128], used[64], issued[64], user[KEYS][16], password[KEYS][48], seen[1024];
  login l;
  int i, limited, round;
  login_open(&l, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s/settings", l.keys.org_id);
  l.t.anonymous = false;
  for (i = 0; i < KEYS; i++) {
    munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"greedy\",\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/apiKeys", l.keys.org_id), <, 300);
    strcpy(user[i], t_str(&l.t, "publicKey"));
    strcpy(password[i], t_str(&l.t, "privateKey"));
  }
  l.t.anonymous = true;
  for (round = 0; round < 2; round++) { /* with one key, and with many */
    t_advance(&l.t, 3600);
    t_headers_clear(&l.t);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    strcpy(used, login_nonce(&l));
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, used, 1, false);
    strcpy(seen, l.authorization);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    t_headers_clear(&l.t);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    strcpy(issued, login_nonce(&l));
    for (limited = i = 0; i < 3000; i++) {
      int which = round ? i % KEYS : 0, status = login_fresh(&l, path, user[which], password[which]);
      munit_assert_true(status == 200 || status == 429);
      limited += status == 429;
    }
    munit_assert_int(limited, >, 1000);
    for (i = 0; i < 3000; i++) /* guesses are limited, too */
      munit_assert_int(login_fresh(&l, path, user[0], "00000000-0000-4000-8000-000000000000"), ==, i < 10 ? 401 : 429);
    t_advance(&l.t, 59); /* issued nonces live their full time */
    t_headers_clear(&l.t);
    t_header(&l.t, "Authorization", seen); /* no request is accepted twice */
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, used, 2, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), !=, 401);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, issued, 1, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), !=, 401);
  }
  login_close(&l);
}

/* Displaced nonces of a key are never accepted again. */
TEST(login, digest_no_replay)
{
  enum { SEEN = 300 };
  static char seen[SEEN][1024];
  char path[128];
  login l;
  int i;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  for (i = 0; i < SEEN; i++) {
    munit_assert_int(login_fresh(&l, path, l.keys.public_key, l.keys.private_key), ==, 200);
    strcpy(seen[i], l.authorization);
  }
  for (i = 0; i < SEEN; i++) {
    t_headers_clear(&l.t);
    t_header(&l.t, "Authorization", seen[i]);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  }
  munit_assert_int(login_fresh(&l, path, l.keys.public_key, l.keys.private_key), ==, 200);
  login_close(&l);
}

/* An organization takes all places for nonces. Other organizations take one place each, and the first one continues: all requests are
** accepted. */
TEST(login, digest_many_organizations)
{
  enum { OTHERS = 64 };
  char path[128], own[128], key[2][64];
  const char *org;
  login l;
  int i, k;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  snprintf(own, sizeof own, "/api/svc/v2/orgs/%s", l.keys.org_id);
  for (i = 0; i < 100; i++) munit_assert_int(login_fresh(&l, own, l.keys.public_key, l.keys.private_key), ==, 200);
  for (k = 0; k < OTHERS; k++) {
    l.t.anonymous = false;
    t_headers_clear(&l.t);
    org = t_organization(&l.t, "Other");
    munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
    munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"other\",\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/apiKeys", org), <, 300);
    snprintf(key[0], sizeof key[0], "%s", t_str(&l.t, "publicKey"));
    snprintf(key[1], sizeof key[1], "%s", t_str(&l.t, "privateKey"));
    snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", org);
    l.t.anonymous = true;
    munit_assert_int(login_fresh(&l, path, key[0], key[1]), ==, 200);
    for (i = 0; i < 5; i++) munit_assert_int(login_fresh(&l, own, l.keys.public_key, l.keys.private_key), ==, 200);
  }
  login_close(&l);
}

/* The clock was never set: it is 30 seconds after its zero. */
TEST(login, digest_early)
{
  char path[128];
  login l;
  login_open(&l, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  l.t.now = 30000;
  munit_assert_int(login_fresh(&l, path, l.keys.public_key, l.keys.private_key), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401); /* only once */
  login_close(&l);
}

/* Many keys of one organization have no more places than one key. When a nonce is displaced, older nonces of its organization are no
** longer accepted, or, if the organization has no other place, older nonces of all keys there. No request is accepted twice, even if the
** clock is set back. */
TEST(login, digest_organizations)
{
  enum { KEYS = 900 };
  static char seen[KEYS + 1][1024];
  char path[128], own[128];
  const char *org;
  login l;
  int i;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  snprintf(own, sizeof own, "/api/svc/v2/orgs/%s", l.keys.org_id);
  munit_assert_int(login_fresh(&l, own, l.keys.public_key, l.keys.private_key), ==, 200);
  strcpy(seen[KEYS], l.authorization);
  t_advance(&l.t, 61);
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  org = t_organization(&l.t, "Many");
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", org);
  for (i = 0; i < KEYS; i++) {
    char key[2][64];
    l.t.anonymous = false;
    t_headers_clear(&l.t);
    munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"one of many\",\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/apiKeys", org), <, 300);
    snprintf(key[0], sizeof key[0], "%s", t_str(&l.t, "publicKey"));
    snprintf(key[1], sizeof key[1], "%s", t_str(&l.t, "privateKey"));
    l.t.anonymous = true;
    munit_assert_int(login_fresh(&l, path, key[0], key[1]), ==, 200);
    strcpy(seen[i], l.authorization);
  }
  munit_assert_int(login_fresh(&l, own, l.keys.public_key, l.keys.private_key), ==, 200); /* another organization has its own places */
  for (i = 0; i < KEYS; i++) {
    t_headers_clear(&l.t);
    t_header(&l.t, "Authorization", seen[i]);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  }
  l.t.now = T_START + 1000;
  t_headers_clear(&l.t);
  t_header(&l.t, "Authorization", seen[KEYS]);
  munit_assert_int(t_send(&l.t, "GET", own, NULL), ==, 401);
  login_close(&l);
}

/* Headers with a single error, and unusual but valid headers. */
TEST(login, digest_odd)
{
  static const struct {
    const char *count, *realm, *cnonce;
    int status;
  } rows[] = {
    { "00000001", "svc", "abc", 200 }, { "2", "svc", "abc", 401 }, { "000000002", "svc", "abc", 401 }, { "0000000g", "svc", "abc", 401 },
    { "0000000@", "svc", "abc", 401 }, { "0000000G", "svc", "abc", 401 }, { "00000002", "else", "abc", 401 }, { "00000002", "svc", "", 401 },
    { "0000000A", "svc", "abc", 200 }, { "00000101", "svc", "abc", 200 }, /* farther than the window is wide */
    { "0000000B", "svc", "abc", 401 }, { "00000100", "svc", "abc", 200 }, { "00000100", "svc", "abc", 401 },
  };
  static const char *const nonces[] = { "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAA" };
  char path[128], nonce[64], first[33], second[33], response[33], text[1024];
  login l;
  size_t i;
  login_open(&l, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  strcpy(nonce, login_nonce(&l));
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(text, sizeof text, "%s:%s:%s", l.keys.public_key, rows[i].realm, l.keys.private_key);
    login_hex(svc_str_c(text), first, false);
    snprintf(text, sizeof text, "GET:%s", path);
    login_hex(svc_str_c(text), second, false);
    snprintf(text, sizeof text, "%s:%s:%s:%s:auth:%s", first, nonce, rows[i].count, rows[i].cnonce, second);
    login_hex(svc_str_c(text), response, false);
    snprintf(l.authorization, sizeof l.authorization, "Digest username=\"%s\", realm=\"%s\", nonce=\"%s\", uri=\"%s\", qop=auth, nc=%s, "
             "cnonce=\"%s\", response=\"%s\"", l.keys.public_key, rows[i].realm, nonce, path, rows[i].count, rows[i].cnonce, response);
    t_headers_clear(&l.t);
    t_header(&l.t, "Authorization", l.authorization);
    if (t_send(&l.t, "GET", path, NULL) != rows[i].status) munit_errorf("%s: %d", l.authorization, l.t.response.status);
  }
  for (i = 0; i < sizeof nonces / sizeof nonces[0]; i++) { /* not issued by the service; the key is right */
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonces[i], 1, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    munit_assert_not_null(strstr(t_get_header(&l.t, "WWW-Authenticate"), "stale=true"));
  }
  login_close(&l);
}

/* An organization with more credentials than one step deletes: none of them is accepted from the moment of the delete. */
TEST(login, gone_organization)
{
  enum { KEYS = 600 };
  char path[128], first[2][64], last[2][64], bearer[1017];
  t_reads small, large;
  login l;
  int i, steps;
  login_open(&l, &(svc_config){ .limiter_off = 1, .store = t_counting_port() });
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  login_account(&l);
  strcpy(bearer, l.authorization);
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, "/groups/%s", l.keys.group_id), ==, 202);
  for (i = 0; i < KEYS; i++) {
    char (*to)[64] = i ? last : first;
    munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"one of many\",\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/apiKeys", l.keys.org_id), <, 300);
    strcpy(to[0], t_str(&l.t, "publicKey"));
    strcpy(to[1], t_str(&l.t, "privateKey"));
  }
  l.t.anonymous = true;
  munit_assert_int(login_fresh(&l, path, first[0], first[1]), ==, 200);
  munit_assert_int(login_fresh(&l, path, last[0], last[1]), ==, 200);
  login_bearer(&l, bearer + 7);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  t_reads_taken();
  munit_assert_int(t_send(&l.t, "DELETE", path, NULL), ==, 204);
  small = t_reads_taken();
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  munit_assert_int(login_fresh(&l, path, first[0], first[1]), ==, 401);
  munit_assert_int(login_fresh(&l, path, last[0], last[1]), ==, 401);
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 404);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 0);
  for (steps = 0; steps < 10; steps++) {
    l.t.now += 10;
    t_reads_taken();
    munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200); /* a request does one step, as svc_tick() would */
    large = t_reads_taken();
    munit_assert_long(large.writes, <, small.writes + 50);
  }
  munit_assert_int(svc_is_due(l.t.s), ==, 0);
  store_whole(l.t.s);
  t_organization(&l.t, "First");
  store_whole(l.t.s);
  login_close(&l);
}

TEST(login, odd_headers)
{
  static const char *const headers[] = { "Digest", "Digest ", "Digest username", "Digest username=\"a", "Bearer", "Bearer ",
    "Bearer x", "Basic", "Basic !!!!", "Basic YTpi", "Negotiate abc", "Digest username=\"a\",username=\"b\"", "", " ",
    "Digest username=\"\\\"\", realm=\"svc\"", "bearer \xff\xfe" };
  login l;
  size_t i;
  login_open(&l, NULL);
  for (i = 0; i < sizeof headers / sizeof headers[0]; i++) {
    t_header(&l.t, "Authorization", headers[i]);
    munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401);
    munit_assert_string_not_equal(t_get_header(&l.t, "WWW-Authenticate"), "");
  }
  login_close(&l);
}

/* --------------------------------------------------------------------------------------------------------------- tokens */

TEST(login, token)
{
  login l;
  char saved[1024], secret[25];
  login_open(&l, NULL);
  login_account(&l);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s", l.keys.org_id), ==, 200);
  munit_assert_string_equal(t_get_header(&l.t, "RateLimit-Limit"), "500");
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"name\":\"Renamed\"}", "/orgs/%s", l.keys.org_id), ==, 200);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/events?eventType=ORG_RENAMED", l.keys.org_id), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "results[0].delegatePrincipal.id"), l.keys.client_id);
  munit_assert_string_equal(t_str(&l.t, "results[0].remoteAddress"), "192.0.2.7");
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/serviceAccounts/%s", l.keys.org_id, l.keys.client_id), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "secrets[0].lastUsedAt"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(&l.t, "secrets[0].secret"), "");
  snprintf(secret, sizeof secret, "%s", t_str(&l.t, "secrets[0].id"));

  t_advance(&l.t, 3599);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  t_advance(&l.t, 1);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401); /* expired */

  login_account(&l);
  strcpy(saved, l.authorization);
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  t_header(&l.t, "Content-Type", "application/x-www-form-urlencoded");
  {
    char form[1200];
    snprintf(form, sizeof form, "token=%s&token_type_hint=access_token", saved + 7);
    munit_assert_int(t_send(&l.t, "POST", "/api/oauth/revoke", form), ==, 200);
    munit_assert_size(l.t.response.body_length, ==, 0);
  }
  login_bearer(&l, saved + 7);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401); /* revoked */

  login_account(&l); /* a token ends with its account */
  strcpy(saved, l.authorization);
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, "/orgs/%s/serviceAccounts/%s", l.keys.org_id, l.keys.client_id), ==, 204);
  l.t.anonymous = true;
  login_bearer(&l, saved + 7);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401);
  login_close(&l);
}

/* ------------------------------------------------------------------------------------------------ cached tokens (known.c) */

/* Sends a request as an owner that the host vouches for. The bearer's own header stays. */
static int login_as_host(login *l, const char *method, const char *path, const char *body)
{
  svc_header saved[8];
  size_t n = l->t.header_count;
  int status;
  memcpy(saved, l->t.headers, sizeof saved);
  t_headers_clear(&l->t);
  l->t.anonymous = false;
  status = t_send(&l->t, method, path, body);
  l->t.anonymous = true;
  memcpy(l->t.headers, saved, sizeof saved);
  l->t.header_count = n;
  return status;
}

/* A change of the account's roles or access list, of the organization's setting, the expiry, and the delete of the account take effect
** with the next request, even if the token is cached. */
TEST(login, known_token)
{
  login l;
  char path[256], groups[160], account[160];
  int i;
  login_open(&l, NULL);
  login_account(&l);
  snprintf(groups, sizeof groups, "/groups/%s", l.keys.group_id);
  snprintf(account, sizeof account, "/orgs/%s/serviceAccounts/%s", l.keys.org_id, l.keys.client_id);
  for (i = 0; i < 3; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  munit_assert_int(login_as_host(&l, "PATCH", account, "{\"roles\":[\"ORG_MEMBER\"]}"), ==, 200);
  munit_assert_int(t_send(&l.t, "PATCH", groups, "{\"name\":\"x\"}"), !=, 200); /* the account is no longer an owner */
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), !=, 200);
  munit_assert_int(login_as_host(&l, "PATCH", account, "{\"roles\":[\"ORG_OWNER\"]}"), ==, 200);
  for (i = 0; i < 3; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  snprintf(path, sizeof path, "%s/accessList", account);
  munit_assert_int(login_as_host(&l, "POST", path, "[{\"ipAddress\":\"198.51.100.9\"}]"), ==, 201);
  for (i = 0; i < 2; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 403); /* the caller has another address */
  l.t.peer = "198.51.100.9";
  for (i = 0; i < 2; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  l.t.peer = "192.0.2.7";
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 403);
  snprintf(path, sizeof path, "%s/accessList/198.51.100.9", account);
  munit_assert_int(login_as_host(&l, "DELETE", path, NULL), ==, 204);
  for (i = 0; i < 2; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  snprintf(path, sizeof path, "/orgs/%s/settings", l.keys.org_id);
  munit_assert_int(login_as_host(&l, "PATCH", path, "{\"apiAccessListRequired\":true}"), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 403);
  munit_assert_int(login_as_host(&l, "PATCH", path, "{\"apiAccessListRequired\":false}"), ==, 200);
  for (i = 0; i < 2; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  t_advance(&l.t, 3599);
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  t_advance(&l.t, 1);
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 401); /* expired, although nothing was written */
  login_account(&l);
  for (i = 0; i < 2; i++) munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  munit_assert_int(login_as_host(&l, "DELETE", account, NULL), ==, 204);
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 401);
  login_close(&l);
}

/* A token that expires while the store cannot be written, so that its record remains, is refused, whether it was cached or not. */
static svc_store_port unwritable;
static bool unwritable_now;

static int unwritable_begin(svc_store *store, svc_txn **out)
{
  *out = NULL;
  return unwritable_now ? SVC_IO : svc_lmdb_port()->write_begin(store, out);
}

TEST(login, ended_unwritten)
{
  char other[1024];
  login l;
  unwritable = *svc_lmdb_port();
  unwritable.write_begin = unwritable_begin;
  unwritable_now = false;
  login_open(&l, &(svc_config){ .store = &unwritable });
  login_account(&l);
  strcpy(other, l.authorization); /* not used before its expiry */
  login_account(&l);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  unwritable_now = true;
  t_advance(&l.t, 3599);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  t_advance(&l.t, 1);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401);
  login_bearer(&l, other + 7);
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 401);
  unwritable_now = false;
  login_close(&l);
}

/* Tokens that the cache cannot hold: the caller has too many roles, or the store port lacks the function `state`. Changes take effect
** with the next request. */
static svc_store_port stateless;

static int stateless_read(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &stateless;
  return rc;
}

TEST(login, known_not)
{
  char group[160], account[160];
  login l;
  int i, round;
  stateless = *svc_lmdb_port();
  stateless.read_begin = stateless_read;
  stateless.state = NULL;
  for (round = 0; round < 2; round++) {
    login_open(&l, &(svc_config){ .store = round ? &stateless : NULL });
    login_account(&l);
    snprintf(group, sizeof group, "/groups/%s", l.keys.group_id);
    snprintf(account, sizeof account, "/orgs/%s/serviceAccounts/%s", l.keys.org_id, l.keys.client_id);
    munit_assert_int(login_as_host(&l, "PATCH", account, "{\"roles\":[\"ORG_OWNER\",\"ORG_MEMBER\",\"ORG_READ_ONLY\",\"ORG_BILLING_ADMIN\","
                                   "\"ORG_BILLING_READ_ONLY\",\"ORG_GROUP_CREATOR\",\"ORG_STREAM_PROCESSING_ADMIN\"]}"), ==, 200);
    for (i = 0; i < 3; i++) munit_assert_int(t_send(&l.t, "GET", group, NULL), ==, 200);
    munit_assert_int(login_as_host(&l, "PATCH", account, "{\"roles\":[\"ORG_MEMBER\"]}"), ==, 200);
    munit_assert_int(t_send(&l.t, "GET", group, NULL), !=, 200);
    munit_assert_int(login_as_host(&l, "DELETE", account, NULL), ==, 204);
    munit_assert_int(t_send(&l.t, "GET", group, NULL), ==, 401);
    login_close(&l);
  }
}

/* More tokens than places in the cache, of two accounts in turn: each token is accepted, in any order, and always as its own account. */
TEST(login, known_many)
{
  enum { TOKENS = 100 };
  static char tokens[TOKENS][1024];
  char org[2][25];
  svc_credentials keys[2];
  login l;
  int i, round, which;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  keys[0] = l.keys;
  strcpy(org[0], l.keys.org_id);
  login_account(&l);
  login_organization(&l, "Second", org[1]);
  keys[1] = l.keys;
  for (i = 0; i < TOKENS; i++) {
    t_headers_clear(&l.t);
    l.keys = keys[i % 2];
    login_account(&l);
    strcpy(tokens[i], l.authorization + 7);
  }
  for (round = 0; round < 3; round++)
    for (i = 0; i < TOKENS; i++) {
      which = round == 1 ? TOKENS - 1 - i : i;
      login_bearer(&l, tokens[which]);
      munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/serviceAccounts/%s", org[which % 2], keys[which % 2].client_id), ==, 200);
      munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200); /* the token is cached now */
      munit_assert_int64(t_int(&l.t, "totalCount"), ==, 1);
      munit_assert_string_equal(t_str(&l.t, "results[0].id"), org[which % 2]);
    }
  login_close(&l);
}

/* Valid and invalid paths get their usual status. On a shared store, the path determines which records are announced in advance. */
TEST(login, any_path)
{
  static const struct {
    const char *path;
    int status;
  } rows[] = {
    { "", 200 }, { "/orgs", 200 }, { "/groups", 200 }, { "/groups/xyz", 404 }, { "/groups/byName/none", 404 }, { "/groups/5f0000000000000000000000/clusters", 404 },
    { "/users/byName/nobody@example.com", 404 }, { "/orgs/5f0000000000000000000000", 404 }, { "/skus", 200 }, { "/skus/NONE", 404 }, { "/eventTypes", 200 },
    { "/federationSettings/5f0000000000000000000000/connectedOrgConfigs", 404 }, { "/nothing", 404 },
  };
  login l;
  size_t i;
  int round;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  login_account(&l);
  for (round = 0; round < 2; round++) /* the second time the token is cached */
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
      if (t_send(&l.t, "GET", rows[i].path, NULL) != rows[i].status) munit_errorf("%s: %d %s", rows[i].path, l.t.response.status, l.t.response.body);
  login_close(&l);
}

/* A token that only begins like a cached one is a different token. */
TEST(login, known_is_whole)
{
  login l;
  char groups[160], last;
  size_t n;
  login_open(&l, NULL);
  login_account(&l);
  snprintf(groups, sizeof groups, "/groups/%s", l.keys.group_id);
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  n = strlen(l.authorization);
  last = l.authorization[n - 1];
  l.authorization[n - 1] = last == 'A' ? 'B' : 'A'; /* a different one */
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 401);
  l.authorization[n - 1] = 0; /* a shorter one */
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 401);
  l.authorization[n - 1] = last;
  memcpy(l.authorization + n, "A", 2); /* a longer one */
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 401);
  l.authorization[n] = 0;
  munit_assert_int(t_send(&l.t, "GET", groups, NULL), ==, 200);
  login_close(&l);
}

TEST(login, token_errors)
{
  login l;
  int i;
  login_open(&l, NULL);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 400);
  munit_assert_string_equal(t_str(&l.t, "error"), "invalid_request");
  munit_assert_string_equal(t_str(&l.t, "error_description"), "No Authorization header provided");
  login_basic(&l, l.keys.client_id, "svc_sa_sk_wrong");
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 401);
  munit_assert_string_equal(t_str(&l.t, "error"), "invalid_client");
  munit_assert_string_equal(t_get_header(&l.t, "WWW-Authenticate"), "Basic realm=\"svc\"");
  login_basic(&l, "svc_sa_id_000000000000000000000000", l.keys.client_secret);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 401);
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  munit_assert_int(login_token(&l, "grant_type=password"), ==, 400);
  munit_assert_string_equal(t_str(&l.t, "error"), "unsupported_grant_type");
  munit_assert_int(login_token(&l, ""), ==, 400);
  munit_assert_int(login_token(&l, "grant_type=client_credentials&grant_type=client_credentials"), ==, 400);
  munit_assert_string_equal(t_str(&l.t, "error"), "invalid_request");
  munit_assert_int(login_token(&l, "grant_type=client%5Fcredential%zz"), ==, 400); /* wrong encoding in the value; below, in the name */
  munit_assert_string_equal(t_str(&l.t, "error"), "invalid_request");
  munit_assert_int(login_token(&l, "grant%=client_credentials"), ==, 400);
  munit_assert_string_equal(t_str(&l.t, "error"), "invalid_request");
  t_advance(&l.t, 60);
  munit_assert_int(login_token(&l, "scope=&grant_type=client%5Fcredentials&other"), ==, 200); /* other parameters are ignored */
  munit_assert_int(t_send(&l.t, "POST", "/api/oauth/revoke", "token_type_hint=access_token"), ==, 400);
  munit_assert_string_equal(t_str(&l.t, "error"), "invalid_request");
  munit_assert_int(t_send(&l.t, "POST", "/api/oauth/revoke", "token=%"), ==, 400);
  /* the answer does not show which tokens exist */
  munit_assert_int(t_send(&l.t, "POST", "/api/oauth/revoke", "token=nobody-has-this"), ==, 200);
  t_headers_clear(&l.t);
  t_header(&l.t, "Content-Type", "application/x-www-form-urlencoded");
  munit_assert_int(t_send(&l.t, "POST", "/api/oauth/revoke", "token=a"), ==, 400);
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  t_header(&l.t, "Content-Type", "application/json");
  munit_assert_int(t_send(&l.t, "POST", "/api/oauth/token", "{}"), ==, 400);
  munit_assert_int(t_send(&l.t, "GET", "/api/oauth/token", NULL), ==, 405);
  munit_assert_int(t_send(&l.t, "GET", "/api/oauth/tokens", NULL), ==, 404);
  t_advance(&l.t, 60);
  for (i = 0; i < 10; i++) munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 429); /* ten per minute for a client at an address */
  munit_assert_string_equal(t_error(&l.t), "RATE_LIMITED");
  munit_assert_string_equal(t_param(&l.t, 0), "/api/oauth/token");
  munit_assert_string_equal(t_get_header(&l.t, "Retry-After"), "60");
  l.t.peer = "192.0.2.8";
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  for (i = 12; i < 100; i++) { /* at most a hundred valid tokens: twelve so far, and the rest */
    if (i % 10 == 1) t_advance(&l.t, 60);
    munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  }
  t_advance(&l.t, 60);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 429);
  munit_assert_string_equal(t_str(&l.t, "error"), "rate_limited");
  t_advance(&l.t, 3600);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  login_close(&l);
}

/* A caller that the host vouches for still needs the secret for a token, and no answer of the token endpoint is stored. */
TEST(login, token_not_kept)
{
  login l;
  char first[128];
  login_open(&l, NULL);
  l.t.anonymous = false;
  t_header(&l.t, "Idempotency-Key", "once");
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  snprintf(first, sizeof first, "%s", t_str(&l.t, "access_token"));
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  munit_assert_string_not_equal(t_str(&l.t, "access_token"), first);
  login_basic(&l, l.keys.client_id, "svc_sa_sk_wrong");
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 401);
  login_close(&l);
}

TEST(login, secrets)
{
  login l;
  char second[96], id[25];
  login_open(&l, NULL);
  login_account(&l);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"secretExpiresAfterHours\":7}", "/orgs/%s/serviceAccounts/%s/secrets",
                           l.keys.org_id, l.keys.client_id), ==, 400);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts/%s/secrets",
                           l.keys.org_id, l.keys.client_id), ==, 201);
  snprintf(second, sizeof second, "%s", t_str(&l.t, "secret"));
  snprintf(id, sizeof id, "%s", t_str(&l.t, "id"));
  munit_assert_string_equal(t_str(&l.t, "expiresAt"), "2025-06-01T08:00:00Z");
  munit_assert_int(t_sendf(&l.t, "POST", "{\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts/%s/secrets",
                           l.keys.org_id, l.keys.client_id), ==, 400); /* two secrets at most */
  login_basic(&l, l.keys.client_id, second);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  t_advance(&l.t, 8 * 3600);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 401); /* the secret has expired */
  login_account(&l);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, "/orgs/%s/serviceAccounts/%s/secrets/%s", l.keys.org_id, l.keys.client_id, id),
                   ==, 204);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/serviceAccounts/%s", l.keys.org_id, l.keys.client_id), ==, 200);
  munit_assert_size(t_count(&l.t, "secrets"), ==, 1);
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"maxServiceAccountSecretValidityInHours\":24}", "/orgs/%s/settings", l.keys.org_id),
                   ==, 200);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"secretExpiresAfterHours\":25}", "/orgs/%s/serviceAccounts/%s/secrets",
                           l.keys.org_id, l.keys.client_id), ==, 400);
  login_close(&l);
}

/* --------------------------------------------------------------------------------------------------------- access lists */

TEST(login, access_list)
{
  login l;
  login_open(&l, NULL);
  login_account(&l);
#define ACCESS "/orgs/%s/serviceAccounts/%s/accessList"
  l.t.anonymous = false; /* a caller that the host vouches for */
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", l.keys.org_id), ==, 200);
  l.t.anonymous = true;
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "ORG_REQUIRES_ACCESS_LIST");
  munit_assert_string_equal(t_param(&l.t, 0), "192.0.2.7");
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"cidrBlock\":\"192.0.2.9/29\"},{\"ipAddress\":\"2001:DB8:0:0::1\"}]", ACCESS,
                           l.keys.org_id, l.keys.client_id), ==, 201);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&l.t, "results[0].cidrBlock"), "192.0.2.8/29");
  munit_assert_string_equal(t_str(&l.t, "results[1].ipAddress"), "2001:db8::1");
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"cidrBlock\":\"300.0.2.9/29\"},{}]", ACCESS, l.keys.org_id, l.keys.client_id), ==, 400);
  l.t.anonymous = true;
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "IP_ADDRESS_NOT_ON_ACCESS_LIST");
  l.t.peer = "192.0.2.15";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  l.t.peer = "::ffff:192.0.2.8";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  l.t.peer = "192.0.2.16";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  l.t.peer = "2001:db8::1";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, ACCESS "/2001:db8:0::1", l.keys.org_id, l.keys.client_id), ==, 400);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST");
  l.t.peer = "192.0.2.15";
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, ACCESS "/2001:db8:0::1", l.keys.org_id, l.keys.client_id), ==, 204);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, ACCESS "/192.0.2.8%%2F29", l.keys.org_id, l.keys.client_id), ==, 400);
  t_advance(&l.t, 61); /* uses are written once per minute */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, ACCESS, l.keys.org_id, l.keys.client_id), ==, 200);
  munit_assert_int64(t_int(&l.t, "results[0].requestCount"), ==, 4);
  munit_assert_string_equal(t_str(&l.t, "results[0].lastUsedAddress"), "192.0.2.15");
  munit_assert_string_equal(t_str(&l.t, "results[0].lastUsedAt"), "2025-06-01T00:00:00Z");
  login_close(&l);
}

/* When a minute has more used entries than the buffer holds, their uses are due at once. Uses of entries that do not exist are dropped.
** An invalid address is on no list. */
TEST(login, access_uses)
{
  const svc_noun_info *list[2];
  svc_id account, id;
  svc_str long_one = SVC_S("0123456789012345678901234567890123456789012345678901234567890123456789");
  login l;
  int i;
  login_open(&l, NULL);
  login_account(&l);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"ipAddress\":\"192.0.2.7\"}]", ACCESS, l.keys.org_id, l.keys.client_id), ==, 201);
  l.t.anonymous = true;
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  l.t.peer = "nowhere";
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "IP_ADDRESS_NOT_ON_ACCESS_LIST");
  l.t.peer = "192.0.2.7";
  list[0] = svc_access_list_of(l.t.s, l.t.s->seats[SVC_SEAT_ACCOUNT]);
  list[1] = svc_access_list_of(l.t.s, l.t.s->seats[SVC_SEAT_KEY]);
  munit_assert_true(svc_id_parse(svc_str_c(l.keys.client_id + 10), &account));
  memset(&id, 0, sizeof id);
  for (i = 0; !svc_access_uses_due(l.t.s, l.t.now); i++) {
    munit_assert_int(i, <, 10000);
    id.b[11] = (unsigned char)i;
    id.b[9] = (unsigned char)(i >> 2); /* some entries begin at the same place of the buffer */
    svc_access_use_note(l.t.s, list[0], &account, &id, l.t.now, long_one);
    svc_access_use_note(l.t.s, list[i % 3 == 0], &account, &id, l.t.now, long_one);
  }
  munit_assert_int(t_sendf(&l.t, "GET", NULL, ACCESS, l.keys.org_id, l.keys.client_id), ==, 200);
  munit_assert_false(svc_access_uses_due(l.t.s, l.t.now));
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 1);
  munit_assert_int64(t_int(&l.t, "results[0].requestCount"), ==, 1);
  login_close(&l);
}

/* Sends a request with the API key, as a client on the network. */
static int login_by_key(login *l, const char *public_key, const char *private_key, const char *method, const char *body,
                        const char *path_format, ...) SVC_PRINTF(6, 7);
static int login_by_key(login *l, const char *public_key, const char *private_key, const char *method, const char *body,
                        const char *path_format, ...)
{
  char path[512], target[600], nonce[64];
  va_list args;
  va_start(args, path_format);
  vsnprintf(path, sizeof path, path_format, args);
  va_end(args);
  snprintf(target, sizeof target, "/api/svc/v2%s", path);
  t_headers_clear(&l->t);
  munit_assert_int(t_send(&l->t, method, target, body), ==, 401);
  snprintf(nonce, sizeof nonce, "%s", login_nonce(l));
  login_digest(l, method, target, public_key, private_key, nonce, 1, false);
  return t_send(&l->t, method, target, body);
}

#define LOGIN_KEYS "/orgs/%s/apiKeys"
#define LOGIN_ACCOUNTS "/orgs/%s/serviceAccounts"

/* A change that would lock out the calling credential is refused to that credential, but not to others or to people. */
TEST(login, last_way_in)
{
  static const svc_config calm = { .limiter_off = 1 };
  login l;
  const char *org, *account;
  char key[32], secret[32];
  login_open(&l, &calm);
  org = l.keys.org_id;
  account = l.keys.client_id;
  login_account(&l);

  /* the account requires access lists, and its own list is empty */
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", org), ==, 400);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST");
  munit_assert_string_equal(t_param(&l.t, 0), "192.0.2.7");
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"genAIFeaturesEnabled\":false}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "apiAccessListRequired"), "false");

  /* the account adds the first entries of its own list, without its address */
  munit_assert_int(t_sendf(&l.t, "POST", "[]", LOGIN_ACCOUNTS "/%s/accessList", org, account), ==, 201); /* no entries */
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"ipAddress\":\"203.0.113.1\"},{\"cidrBlock\":\"198.51.100.0/24\"}]",
                           LOGIN_ACCOUNTS "/%s/accessList", org, account), ==, 400);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST");
  munit_assert_string_equal(t_param(&l.t, 0), "192.0.2.7");
  munit_assert_int(t_sendf(&l.t, "GET", NULL, LOGIN_ACCOUNTS "/%s/accessList", org, account), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"ipAddress\":\"203.0.113.1\"},{\"cidrBlock\":\"192.0.2.0/28\"}]",
                           LOGIN_ACCOUNTS "/%s/accessList", org, account), ==, 201);
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"ipAddress\":\"203.0.113.2\"}]", LOGIN_ACCOUNTS "/%s/accessList", org, account), ==, 201);
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);

  /* the account deletes its last valid secret, and itself */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, LOGIN_ACCOUNTS "/%s", org, account), ==, 200);
  snprintf(secret, sizeof secret, "%s", t_str(&l.t, "secrets[0].id"));
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, LOGIN_ACCOUNTS "/%s/secrets/%s", org, account, secret), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLING_CREDENTIAL");
  munit_assert_string_equal(t_param(&l.t, 0), account);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, LOGIN_ACCOUNTS "/%s", org, account), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLING_CREDENTIAL");
  munit_assert_int(t_sendf(&l.t, "POST", "{\"secretExpiresAfterHours\":8}", LOGIN_ACCOUNTS "/%s/secrets", org, account), ==, 201);
  snprintf(l.keys.client_secret, sizeof l.keys.client_secret, "%s", t_str(&l.t, "secret"));
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, LOGIN_ACCOUNTS "/%s/secrets/%s", org, account, secret), ==, 204);
  login_account(&l);

  /* a key tries the same changes; it may delete the account */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, LOGIN_KEYS, org), ==, 200);
  snprintf(key, sizeof key, "%s", t_str(&l.t, "results[0].id"));
#define BY_KEY(...) login_by_key(&l, l.keys.public_key, l.keys.private_key, __VA_ARGS__)
  munit_assert_int(BY_KEY("PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", org), ==, 400);
  munit_assert_int(BY_KEY("POST", "[{\"ipAddress\":\"203.0.113.1\"}]", LOGIN_KEYS "/%s/accessList", org, key), ==, 400);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST");
  munit_assert_int(BY_KEY("DELETE", NULL, LOGIN_KEYS "/%s", org, key), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLING_CREDENTIAL");
  munit_assert_string_equal(t_param(&l.t, 0), key);
  munit_assert_int(BY_KEY("DELETE", NULL, LOGIN_ACCOUNTS "/%s", org, account), ==, 204);

  /* a person may make all these changes */
  t_headers_clear(&l.t);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"ipAddress\":\"203.0.113.1\"}]", LOGIN_KEYS "/%s/accessList", org, key), ==, 201);
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, LOGIN_KEYS "/%s", org, key), ==, 204);
  login_close(&l);
}

/* A key that has roles on only one project cannot remove itself from it. */
TEST(login, last_role)
{
  login l;
  char key[32], public_key[16], private_key[48], other[32];
  login_open(&l, NULL);
  l.t.anonymous = false;
  snprintf(other, sizeof other, "%s", t_project(&l.t, l.keys.org_id, "other"));
  munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"x\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys", l.keys.group_id), ==, 201);
  snprintf(key, sizeof key, "%s", t_str(&l.t, "id"));
  snprintf(public_key, sizeof public_key, "%s", t_str(&l.t, "publicKey"));
  snprintf(private_key, sizeof private_key, "%s", t_str(&l.t, "privateKey"));
  l.t.anonymous = true;
  munit_assert_int(login_by_key(&l, public_key, private_key, "DELETE", NULL, "/groups/%s/apiKeys/%s", l.keys.group_id, key), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "CANNOT_REMOVE_CALLING_CREDENTIAL");
  t_headers_clear(&l.t);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", other, key), ==, 204);
  l.t.anonymous = true;
  munit_assert_int(login_by_key(&l, public_key, private_key, "DELETE", NULL, "/groups/%s/apiKeys/%s", l.keys.group_id, key), ==, 204);
  t_headers_clear(&l.t);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "DELETE", NULL, "/groups/%s/apiKeys/%s", other, key), ==, 204);
  login_close(&l);
}

/* A key without owner roles manages its own access list, and no other. */
TEST(login, own_list)
{
  char key[32], other[32], public_key[16], private_key[48];
  login l;
  login_open(&l, NULL);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"other\",\"roles\":[\"ORG_MEMBER\"]}", LOGIN_KEYS, l.keys.org_id), ==, 201);
  snprintf(other, sizeof other, "%s", t_str(&l.t, "id"));
  munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"x\",\"roles\":[\"ORG_MEMBER\"]}", LOGIN_KEYS, l.keys.org_id), ==, 201);
  snprintf(key, sizeof key, "%s", t_str(&l.t, "id"));
  snprintf(public_key, sizeof public_key, "%s", t_str(&l.t, "publicKey"));
  snprintf(private_key, sizeof private_key, "%s", t_str(&l.t, "privateKey"));
  l.t.anonymous = true;
#define LOGIN_LIST "[{\"ipAddress\":\"192.0.2.7\"},{\"ipAddress\":\"192.0.2.8\"}]"
  munit_assert_int(login_by_key(&l, public_key, private_key, "POST", LOGIN_LIST, LOGIN_KEYS "/%s/accessList", l.keys.org_id, other), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "ACCESS_FORBIDDEN");
  munit_assert_int(login_by_key(&l, public_key, private_key, "POST", LOGIN_LIST, LOGIN_KEYS "/%s/accessList", l.keys.org_id, key), ==, 201);
  munit_assert_int(login_by_key(&l, public_key, private_key, "DELETE", NULL, LOGIN_KEYS "/%s/accessList/192.0.2.8", l.keys.org_id, key), ==, 204);
  t_headers_clear(&l.t);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "GET", NULL, LOGIN_KEYS "/%s/accessList", l.keys.org_id, other), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, LOGIN_KEYS "/%s/accessList", l.keys.org_id, key), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 1);
  login_close(&l);
}

/* The kind of creator decides whether a new organization requires access lists: no creator is locked out of its own organization. */
TEST(login, list_required)
{
  login l;
  char org[25];
  login_open(&l, NULL);
  login_account(&l);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/settings", l.keys.org_id), ==, 200); /* svc_bootstrap */
  munit_assert_string_equal(t_str(&l.t, "apiAccessListRequired"), "false");

  login_organization(&l, "Second", org); /* a service account */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "apiAccessListRequired"), "false");

  l.t.anonymous = false;
  login_organization(&l, "Third", org); /* a person */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/settings", org), ==, 403);
  munit_assert_string_equal(t_error(&l.t), "ORG_REQUIRES_ACCESS_LIST");
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  munit_assert_string_equal(t_str(&l.t, "apiAccessListRequired"), "true");
  munit_assert_string_equal(t_str(&l.t, "genAIFeaturesEnabled"), "true"); /* another setting has its default */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/events", org), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 2); /* ORG_CREATED and the account's event: no setting was changed */
  munit_assert_int(t_sendf(&l.t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  l.t.anonymous = true;
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  login_close(&l);
}

/* ----------------------------------------------------------------------------------------------------- secrets at rest */

static void login_scan_file(const char *path, const char *secret)
{
  FILE *f = fopen(path, "rb");
  char *all;
  long n;
  if (!f) return;
  fseek(f, 0, SEEK_END);
  n = ftell(f);
  rewind(f);
  all = malloc((size_t)n + 1);
  munit_assert_size(fread(all, 1, (size_t)n, f), ==, (size_t)n);
  fclose(f);
  if (memmem(all, (size_t)n, secret, strlen(secret))) munit_errorf("%s holds a secret in clear", path);
  free(all);
}

/* Creates and uses credentials of every kind. None of their secrets may be in the store's files or in the log. */
TEST(login, nothing_in_clear)
{
  char folder[] = "/tmp/svc-login-XXXXXX", path[64];
  const char *secrets[8];
  login l;
  int n = 0, i;
  munit_assert_not_null(mkdtemp(folder));
  login_open(&l, &(svc_config){ .path = folder });
  t_header(&l.t, "Idempotency-Key", "once");
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"x\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys", l.keys.group_id), ==, 201);
  secrets[n++] = strdup(t_str(&l.t, "privateKey"));
  munit_assert_int(t_sendf(&l.t, "POST", "{\"desc\":\"x\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys", l.keys.group_id), ==, 201);
  munit_assert_true(svc_str_starts(svc_str_c(t_str(&l.t, "privateKey")), "********-****-****-")); /* the replay shows it masked */
  t_headers_clear(&l.t);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"name\":\"y\",\"description\":\"y\",\"roles\":[\"GROUP_OWNER\"],"
                           "\"secretExpiresAfterHours\":8}", "/groups/%s/serviceAccounts", l.keys.group_id), ==, 201);
  secrets[n++] = strdup(t_str(&l.t, "secrets[0].secret"));
  l.t.anonymous = true;
  login_account(&l);
  secrets[n++] = strdup(l.authorization + 7);
  secrets[n++] = l.keys.private_key;
  secrets[n++] = l.keys.client_secret;
  for (i = 0; i < n; i++) {
    munit_assert_size(strlen(secrets[i]), >=, 36);
    munit_assert_null(strstr(l.t.log, secrets[i]));
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    login_scan_file(path, secrets[i]);
  }
  login_close(&l);
  for (i = 0; i < n; i++) {
    login_scan_file(path, secrets[i]);
    if (i < 3) free((void *)(uintptr_t)secrets[i]);
  }
  snprintf(path, sizeof path, "rm -rf %s", folder);
  munit_assert_int(system(path), ==, 0);
}

/* ------------------------------------------------------------------------------------------------------- a broken store */

typedef struct login_spoil {
  svc_job job; /* first: jobs are cast to this struct */
  const svc_noun_info *noun;
  svc_id parent, id;
  svc_str extra; /* replaces the extra data of the record */
} login_spoil;

static bool login_spoil_work(svc_job *job, svc_txn *txn)
{
  const login_spoil *work = (login_spoil *)job;
  svc_key key;
  svc_key_entity(&key, work->noun->noun->kind, &work->parent, &work->id);
  return svc_put(txn, &key, SVC_S("x")) == SVC_OK;
}

/* Damages the record of this entity, so that it cannot be read. */
static void login_spoil_one(login *l, const svc_noun_info *noun, const char *parent, const char *id)
{
  login_spoil work;
  memset(&work, 0, sizeof work);
  work.job.work = login_spoil_work;
  work.job.now = l->t.now;
  work.noun = noun;
  munit_assert_true(svc_id_parse(svc_str_c(parent), &work.parent));
  munit_assert_true(svc_id_parse(svc_str_c(id), &work.id));
  munit_assert_int(svc_commit_run(&l->t.s->commit, &work.job), ==, SVC_OK);
}

/* A record that cannot be read grants no access, and the answer says nothing about the credentials. */
TEST(login, broken_store)
{
  login l;
  char path[128];
  login_open(&l, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  login_account(&l);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  login_spoil_one(&l, l.t.s->seats[SVC_SEAT_POLICY], l.keys.org_id, "000000000000000000000000");
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 503); /* the setting that requires access lists is unreadable */
  login_spoil_one(&l, l.t.s->seats[SVC_SEAT_ACCOUNT], l.keys.org_id, l.keys.client_id + 10);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 503);
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 503);
  t_headers_clear(&l.t);
  l.t.anonymous = false;
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/apiKeys", l.keys.org_id), ==, 200);
  login_spoil_one(&l, l.t.s->seats[SVC_SEAT_KEY], l.keys.org_id, t_str(&l.t, "results[0].id"));
  l.t.anonymous = true;
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, login_nonce(&l), 1, false);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 503);
  login_close(&l);
}

static bool login_extra_work(svc_job *job, svc_txn *txn)
{
  const login_spoil *work = (login_spoil *)job;
  svc_entity old, e;
  svc_arena arena;
  int rc;
  svc_arena_init(&arena, NULL);
  if (svc_id_is_zero(&work->id)) { /* the only entity below its parent */
    svc_scan scan;
    svc_below_begin(&scan, txn, work->noun->noun->kind, &work->parent);
    rc = svc_below_next(&scan, work->noun->noun->kind, &old) ? SVC_OK : SVC_NOT_FOUND;
  } else {
    rc = svc_entity_get(txn, work->noun->noun->kind, &work->parent, &work->id, &old);
  }
  e = old;
  e.extra = work->extra;
  if (rc == SVC_OK) rc = svc_entity_update(txn, &arena, &e, &old);
  svc_blocks_free(arena.blocks);
  return rc == SVC_OK;
}

/* Replaces the extra data of this entity, which are stored next to its body. */
static void login_extra(login *l, const svc_noun_info *noun, const char *parent, const char *id, svc_str extra)
{
  login_spoil work;
  memset(&work, 0, sizeof work);
  work.job.work = login_extra_work;
  work.job.now = l->t.now;
  work.noun = noun;
  work.extra = extra;
  munit_assert_true(svc_id_parse(svc_str_c(parent), &work.parent));
  munit_assert_true(svc_id_parse(svc_str_c(id), &work.id));
  munit_assert_int(svc_commit_run(&l->t.s->commit, &work.job), ==, SVC_OK);
  munit_assert_false(work.job.refused);
}

/* An intact record with invalid data for its secret or roles grants no access. */
TEST(login, wrong_extra)
{
  static const struct {
    const char *extra;
    size_t n;
  } rows[] = { { "", 0 }, { "x", 1 }, { "\377\377", 2 }, { "\4\0abc", 5 }, { "\3\0abc", 5 } };
  char path[128], lines[512], roles[128], key[32], bearer[1017];
  const char *user;
  svc_arena arena;
  login l;
  size_t i;
  login_open(&l, NULL);
  svc_arena_init(&arena, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  login_account(&l);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  /* some of these lines have no meaning */
  snprintf(lines, sizeof lines, " alone\nORG_OWNER xyz\n@short 123\n@%s none\n?x y\n@ %s\nORG_NOTHING_OF_25_LETTERS %s\nORG_OWNER %s\n", l.keys.org_id, l.keys.org_id,
           l.keys.group_id, l.keys.org_id);
  login_extra(&l, l.t.s->seats[SVC_SEAT_ACCOUNT], l.keys.org_id, l.keys.client_id + 10, svc_credential_pack(&arena, SVC_S("abc"), svc_str_c(lines)));
  munit_assert_int(t_send(&l.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 1);
  munit_assert_int(t_send(&l.t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&l.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/groups/%s", l.keys.group_id), ==, 200);
  munit_assert_int(login_as_host(&l, "POST", "/orgs", "{\"name\":\"Other\"}"), ==, 201);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s", t_keep(&l.t, t_str(&l.t, "organization.id"))), !=, 200);
  snprintf(lines, sizeof lines, "@%s none\nORG_MEMBER %s\n", l.keys.org_id, l.keys.org_id); /* in a team that does not exist */
  login_extra(&l, l.t.s->seats[SVC_SEAT_ACCOUNT], l.keys.org_id, l.keys.client_id + 10, svc_credential_pack(&arena, SVC_S("abc"), svc_str_c(lines)));
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/groups/%s", l.keys.group_id), ==, 403);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  strcpy(bearer, l.authorization + 7);
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  munit_assert_int(t_sendf(&l.t, "POST", "[{\"ipAddress\":\"192.0.2.7\"}]", ACCESS, l.keys.org_id, l.keys.client_id), ==, 201);
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/apiKeys", l.keys.org_id), ==, 200);
  snprintf(key, sizeof key, "%s", t_str(&l.t, "results[0].id"));
  l.t.anonymous = true;
  login_bearer(&l, bearer);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  login_extra(&l, svc_access_list_of(l.t.s, l.t.s->seats[SVC_SEAT_ACCOUNT]), l.keys.client_id + 10, "000000000000000000000000", SVC_S("x"));
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 403); /* the entry has no address */
  munit_assert_string_equal(t_error(&l.t), "IP_ADDRESS_NOT_ON_ACCESS_LIST");
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", l.keys.org_id);
  user = t_user(&l.t, "ada@example.com", roles);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_str extra = { rows[i].extra, rows[i].n };
    login_extra(&l, l.t.s->seats[SVC_SEAT_KEY], l.keys.org_id, key, extra);
    l.t.anonymous = true;
    munit_assert_int(login_fresh(&l, path, l.keys.public_key, l.keys.private_key), ==, 401);
    l.t.anonymous = false;
    t_headers_clear(&l.t);
    login_extra(&l, l.t.s->seats[SVC_SEAT_USER], "000000000000000000000000", user, extra);
    t_as(&l.t, user);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), !=, 200);
    t_as_host(&l.t);
    login_extra(&l, l.t.s->seats[SVC_SEAT_ACCOUNT], l.keys.org_id, l.keys.client_id + 10, extra);
    l.t.anonymous = true;
    login_bearer(&l, bearer);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, i + 1 < sizeof rows / sizeof rows[0] ? 401 : 403);
    t_as_host(&l.t);
  }
  svc_blocks_free(arena.blocks);
  login_close(&l);
}

/* ------------------------------------------------------------------------------------------------------- new credentials */

/* Checks that both credentials are owners of the organization. */
static void login_owns(login *l, const char *org)
{
  char target[128];
  snprintf(target, sizeof target, "/api/svc/v2/orgs/%s", org);
  login_account(l);
  munit_assert_int(t_send(&l->t, "GET", target, NULL), ==, 200);
  munit_assert_int(t_send(&l->t, "PATCH", target, "{\"name\":\"Mine\"}"), ==, 200);
  t_headers_clear(&l->t);
  munit_assert_int(t_send(&l->t, "GET", target, NULL), ==, 401);
  login_digest(l, "GET", target, l->keys.public_key, l->keys.private_key, login_nonce(l), 1, false);
  munit_assert_int(t_send(&l->t, "GET", target, NULL), ==, 200);
  t_headers_clear(&l->t);
}

TEST(login, again)
{
  char first[25], second[25], group[25];
  svc_credentials before;
  login l;
  memset(&l, 0, sizeof l);
  t_open(&l.t, NULL);
  munit_assert_int(svc_new_credentials(l.t.s, NULL, &l.keys), ==, SVC_INVALID); /* without an organization */
  munit_assert_not_null(strstr(l.t.log, "no organization yet"));
  munit_assert_string_equal(l.keys.public_key, "");
  munit_assert_int(svc_bootstrap(l.t.s, &before), ==, SVC_OK);
  strcpy(first, before.org_id);
  strcpy(group, before.group_id);
  strcpy(second, t_organization(&l.t, "Second")); /* created by a person: the organization requires access lists */
  munit_assert_int(t_sendf(&l.t, "GET", NULL, "/orgs/%s/settings", second), ==, 200);
  l.t.anonymous = true;
  munit_assert_int(svc_new_credentials(l.t.s, NULL, &l.keys), ==, SVC_OK);
  munit_assert_string_equal(l.keys.org_id, first);
  munit_assert_string_equal(l.keys.group_id, group);
  munit_assert_string_not_equal(l.keys.public_key, before.public_key);
  munit_assert_string_not_equal(l.keys.client_id, before.client_id);
  login_owns(&l, first);
  l.keys = before; /* the earlier credentials still work */
  login_owns(&l, first);
  munit_assert_int(svc_new_credentials(l.t.s, second, &l.keys), ==, SVC_OK);
  munit_assert_string_equal(l.keys.org_id, second);
  munit_assert_string_equal(l.keys.group_id, "");
  l.t.peer = "127.0.0.1"; /* the access list has the local addresses */
  login_owns(&l, second);
  l.t.peer = "::1";
  login_owns(&l, second);
  munit_assert_int(svc_new_credentials(l.t.s, group, &l.keys), ==, SVC_INVALID); /* not an organization */
  munit_assert_int(svc_new_credentials(l.t.s, "../x", &l.keys), ==, SVC_INVALID);
  munit_assert_int(svc_new_credentials(l.t.s, NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_new_credentials(NULL, NULL, &l.keys), ==, SVC_INVALID);
  login_close(&l);
}

/* Lack of memory creates both credentials or none, and the next try creates them. */
TEST(login, again_no_memory)
{
  int at, left = -1, rc = SVC_NOMEM;
  svc_config config = { .allocator = { login_short_of_memory, &left } };
  svc_credentials keys;
  uint64_t print;
  t_service t;
  t_open(&t, &config);
  munit_assert_int(svc_bootstrap(t.s, &keys), ==, SVC_OK);
  print = store_print(t.s);
  for (at = 0; rc != SVC_OK; at++) {
    left = at;
    rc = svc_new_credentials(t.s, NULL, &keys);
    left = -1;
    if (rc == SVC_OK) break;
    munit_assert_int(rc, ==, SVC_NOMEM);
    munit_assert_true(store_print(t.s) == print);
  }
  munit_assert_int(at, >, 2);
  munit_assert_string_not_equal(keys.client_secret, "");
  t_close(&t);
}

/* ---------------------------------------------------------------------------------- known and unknown credentials cost the same */

/* The costs of a request, and its answer. */
typedef struct login_cost {
  t_reads reads;
  t_postgres_trips trips;
  long hashes;
  int status;
  char detail[256];
} login_cost;

static login_cost login_cost_of(login *l, const char *method, const char *path, const char *form)
{
  t_postgres_trips before = t_postgres_counted(), after;
  login_cost out;
  memset(&out, 0, sizeof out);
  t_reads_taken();
  t_fault(T_CALL_CRYPTO, 1000000, EIO, false);
  out.status = t_send(&l->t, method, path, form);
  out.hashes = t_fault_calls();
  t_fault_end();
  out.reads = t_reads_taken();
  after = t_postgres_counted();
  out.trips.flushes = after.flushes - before.flushes;
  out.trips.syncs = after.syncs - before.syncs;
  snprintf(out.detail, sizeof out.detail, "%s", t_str(&l->t, form ? "error_description" : "detail"));
  return out;
}

static login_cost login_cost_token(login *l, const char *client)
{
  login_basic(l, client, "wrong");
  t_header(&l->t, "Content-Type", "application/x-www-form-urlencoded");
  return login_cost_of(l, "POST", "/api/oauth/token", "grant_type=client_credentials");
}

static login_cost login_cost_digest(login *l, const char *path, const char *key)
{
  t_headers_clear(&l->t);
  munit_assert_int(t_send(&l->t, "GET", path, NULL), ==, 401);
  login_digest(l, "GET", path, key, "00000000-0000-4000-8000-000000000000", login_nonce(l), 1, false);
  return login_cost_of(l, "GET", path, NULL);
}

static void login_cost_same(const login_cost *a, const login_cost *b)
{
  munit_assert_int(a->status, ==, 401);
  munit_assert_int(b->status, ==, 401);
  munit_assert_string_equal(a->detail, b->detail);
  munit_assert_long(a->hashes, >, 0);
  munit_assert_long(a->hashes, ==, b->hashes);
  munit_assert_long(a->reads.gets, ==, b->reads.gets);
  munit_assert_long(a->reads.scans, ==, b->reads.scans);
  munit_assert_long(a->reads.writes, ==, b->reads.writes);
  munit_assert_long((long)a->trips.flushes, ==, (long)b->trips.flushes);
  munit_assert_long((long)a->trips.syncs, ==, (long)b->trips.syncs);
}

/* A wrong secret for an existing id takes the same reads, round trips and hashes as a secret for an unknown id. */
TEST(login, unknown_costs_the_same)
{
  svc_config config = { .store = t_counting_port() };
  login_cost known, unknown;
  char path[128];
  login l;
  login_open(&l, &config);
  known = login_cost_token(&l, l.keys.client_id);
  known = login_cost_token(&l, l.keys.client_id); /* not the very first request */
  unknown = login_cost_token(&l, "svc_sa_id_5f0000000000000000000000");
  login_cost_same(&known, &unknown);
  l.t.anonymous = false;
  t_headers_clear(&l.t);
  munit_assert_int(t_sendf(&l.t, "POST", "{\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts/%s/secrets", l.keys.org_id, l.keys.client_id), ==, 201);
  l.t.anonymous = true;
  known = login_cost_token(&l, l.keys.client_id); /* also with two secrets */
  login_cost_same(&known, &unknown);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  known = login_cost_digest(&l, path, l.keys.public_key);
  unknown = login_cost_digest(&l, path, "nobodyis");
  login_cost_same(&known, &unknown);
  login_close(&l);
}

/* At the token endpoint no status distinguishes an existing id from made-up ones, whichever limits were used up before. */
TEST(login, unknown_limits_the_same)
{
  enum { TRIES = 10, IDS = 3 };
  const char *ids[IDS];
  login l;
  int i, k;
  login_open(&l, NULL);
  ids[0] = "svc_sa_id_5f0000000000000000000000", ids[1] = l.keys.client_id, ids[2] = "svc_sa_id_5f0000000000000000000001";
  for (k = 0; k < IDS; k++)
    for (i = 0; i < TRIES + 3; i++) {
      login_basic(&l, ids[k], "wrong");
      munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, i < TRIES ? 401 : 429);
    }
  l.t.peer = "10.0.0.9"; /* guesses from one address do not block another address */
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, 200);
  login_close(&l);
}

/* ------------------------------------------------------------------------------------------------- pages of other sites */

/* Writes a path of this route. The resources in it need not exist. */
static void login_sample(const login *l, const svc_route *route, char *out, size_t size)
{
  const char *p = route->path;
  size_t n = (size_t)snprintf(out, size, "%s", route->flags & SVC_ABSOLUTE ? "" : l->t.s->base_path.p);
  while (*p) {
    const char *end = *p == '{' ? strchr(p, '}') : NULL;
    const char *sample = end ? t_sample((svc_str){ p + 1, (size_t)(end - p - 1) }) : NULL;
    munit_assert_size(n + 100, <, size);
    if (end) n += (size_t)snprintf(out + n, size - n, "%s", sample ? sample : "a");
    else out[n++] = *p;
    p = end ? end + 1 : p + 1;
  }
  out[n] = 0;
}

/* Headers that browsers send for a page, and whether its origin is accepted. Programs send none of them. */
static const struct {
  const char *site, *origin;
  bool ours;
} login_pages[] = {
  { NULL, NULL, true }, { "same-origin", NULL, true }, { "none", NULL, true }, { "same-origin", "http://svc.test:8080", true },
  /* http://localhost:8080 is svc_config.base_url */
  { NULL, "http://svc.test:8080", true }, { NULL, "https://SVC.test:8080", true }, { NULL, "http://localhost:8080", true },
  { "cross-site", NULL, false }, { "same-site", NULL, false }, { "cross-site", "http://svc.test:8080", false },
  { "same-origin, cross-site", NULL, false }, { NULL, "http://svc.test:8081", false }, { NULL, "http://evil.test", false }, { NULL, "null", false },
  { NULL, "http://", false }, { NULL, "svc.test:8080", false }, { NULL, "http://svc.test:80800", false },
};
#define LOGIN_PAGES (sizeof login_pages / sizeof login_pages[0])

static void login_page(login *l, size_t i)
{
  t_headers_clear(&l->t);
  t_header(&l->t, "Host", "svc.test:8080");
  if (login_pages[i].site) t_header(&l->t, "Sec-Fetch-Site", login_pages[i].site);
  if (login_pages[i].origin) t_header(&l->t, "Origin", login_pages[i].origin);
}

/* A page of another origin changes nothing through the credentials that a browser stores, with any operation. The credentials are
** not even checked. */
TEST(login, cross_site)
{
  login l;
  char path[512], nonce[64];
  size_t i, k;
  unsigned count = 0;
  login_open(&l, &(svc_config){ .limiter_off = 1 });
  for (k = 0; k < l.t.s->plan_count; k++) {
    const svc_plan *plan = &l.t.s->plans[k];
    if (plan->route->method == SVC_GET) continue;
    login_sample(&l, plan->route, path, sizeof path);
    for (i = 0; i < LOGIN_PAGES; i++) {
      login_page(&l, i);
      login_digest(&l, t_method(plan), path, l.keys.public_key, "wrong", "a", 1, false);
      t_send(&l.t, t_method(plan), path, NULL);
      if ((strcmp(t_error(&l.t), "CROSS_SITE_REQUEST") == 0) == login_pages[i].ours) munit_errorf("%s %s, page %zu: %s", t_method(plan), path, i, l.t.response.body);
      if (!login_pages[i].ours) munit_assert_int(l.t.response.status, ==, 403);
    }
  }
  munit_assert_size(l.t.s->plan_count, >, 400);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  strcpy(nonce, login_nonce(&l));
  for (i = 0; i < LOGIN_PAGES; i++) { /* even with the right secret; reads are answered, since other pages cannot see the answer */
    login_page(&l, i);
    login_digest(&l, "PATCH", path, l.keys.public_key, l.keys.private_key, nonce, ++count, false);
    munit_assert_int(t_send(&l.t, "PATCH", path, "{\"name\":\"Else\"}"), ==, login_pages[i].ours ? 200 : 403);
    if (!login_pages[i].ours) munit_assert_string_equal(t_error(&l.t), "CROSS_SITE_REQUEST");
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, ++count, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    login_page(&l, i);
    login_basic(&l, l.keys.client_id, l.keys.client_secret);
    munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, login_pages[i].ours ? 200 : 403);
  }
  t_headers_clear(&l.t);
  login_account(&l); /* no browser sends an access token by itself, so the caller is accepted */
  t_header(&l.t, "Sec-Fetch-Site", "cross-site");
  munit_assert_int(t_send(&l.t, "PATCH", path, "{\"name\":\"Ours\"}"), ==, 200);
  login_close(&l);
}

/* ----------------------------------------------------------------------------------------------------------- reasons for 401 */

/* Returns all WWW-Authenticate headers of the last answer, one per line. */
static const char *login_challenges(const login *l)
{
  static char out[1024];
  size_t i, n = 0;
  out[0] = 0;
  for (i = 0; i < l->t.response.header_count; i++)
    if (strcmp(l->t.response.headers[i].name, "WWW-Authenticate") == 0)
      n += (size_t)snprintf(out + n, sizeof out - n, "%.*s\n", (int)l->t.response.headers[i].value_length, l->t.response.headers[i].value);
  return out;
}

/* Missing credentials, an invalid token, and an unsupported scheme have three different texts. An unknown token and an expired token
** have the same text. */
TEST(login, reasons)
{
  static const char invalid[] = "\nBearer realm=\"svc\", error=\"invalid_token\"\n";
  char path[128], nobody[256], token[256], scheme[256], nonce[64];
  login l;
  login_open(&l, NULL);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  munit_assert_string_equal(t_error(&l.t), "USER_UNAUTHORIZED");
  munit_assert_null(strstr(login_challenges(&l), "Bearer")); /* RFC 6750: no error without credentials; clients of Digest read one
                                                                challenge */
  snprintf(nobody, sizeof nobody, "%s", t_str(&l.t, "detail"));
  login_basic(&l, l.keys.client_id, l.keys.client_secret);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  munit_assert_string_equal(t_error(&l.t), "USER_UNAUTHORIZED");
  snprintf(scheme, sizeof scheme, "%s", t_str(&l.t, "detail"));
  munit_assert_not_null(strstr(scheme, "Basic"));
  login_bearer(&l, "nobody-has-this");
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  munit_assert_string_equal(t_error(&l.t), "USER_UNAUTHORIZED");
  snprintf(token, sizeof token, "%s", t_str(&l.t, "detail"));
  munit_assert_memory_equal(7, login_challenges(&l), "Digest ");
  munit_assert_not_null(strstr(login_challenges(&l), invalid));
  munit_assert_string_not_equal(token, nobody);
  munit_assert_string_not_equal(token, scheme);
  munit_assert_string_not_equal(nobody, scheme);
  strcpy(nonce, login_nonce(&l));
  t_headers_clear(&l.t);
  login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 1, false); /* a challenge is valid for any request */
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  t_headers_clear(&l.t);
  login_account(&l);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
  t_advance(&l.t, 3600);
  munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
  munit_assert_string_equal(t_str(&l.t, "detail"), token);
  munit_assert_not_null(strstr(login_challenges(&l), invalid));
  login_close(&l);
}

/* --------------------------------------------------------------------------------------------------------- failing hashes */

enum { BY_DIGEST, BY_TOKEN, FOR_TOKEN, WAYS_IN };

/* A crypto chip may fail. Without hashes no request is accepted, with the right or a wrong secret, and no guess is counted.
** Afterwards the right secret is accepted again. */
TEST(login, no_hash)
{
  static const char wrong[] = "00000000-0000-4000-8000-000000000000", form[] = "grant_type=client_credentials";
  const char *secrets[WAYS_IN];
  svc_request request;
  svc_response response;
  bool sufficed;
  char nonce[64], token[1024], path[128];
  unsigned count = 0;
  login l;
  int sha, way, round;
  long n, hits;
  for (sha = 0; sha < 2; sha++) {
    login_open(&l, &(svc_config){ .digest_sha256 = sha });
    snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    strcpy(nonce, login_nonce(&l));
    login_account(&l);
    snprintf(token, sizeof token, "%s", l.authorization + 7);
    secrets[BY_DIGEST] = l.keys.private_key, secrets[BY_TOKEN] = token, secrets[FOR_TOKEN] = l.keys.client_secret;
    for (way = 0; way < WAYS_IN; way++)
      for (round = 0; round < 8; round++)
        for (n = 1, hits = 1; hits; n++) {
          const char *secret = round % 2 ? wrong : secrets[way];
          munit_assert_long(n, <, 100);
          t_headers_clear(&l.t);
          if (way == BY_DIGEST) login_digest(&l, "GET", path, l.keys.public_key, secret, nonce, ++count, sha != 0);
          else if (way == BY_TOKEN) login_bearer(&l, secret);
          else login_basic(&l, l.keys.client_id, secret);
          if (way == FOR_TOKEN) {
            t_header(&l.t, "Content-Type", "application/x-www-form-urlencoded");
            t_advance(&l.t, 60); /* tries are limited there */
          }
          request = (svc_request){ .method = way == FOR_TOKEN ? "POST" : "GET", .target = way == FOR_TOKEN ? "/api/oauth/token" : path,
                                   .headers = l.t.headers, .header_count = l.t.header_count, .peer = "10.0.0.1",
                                   .body = form, .body_length = way == FOR_TOKEN ? sizeof form - 1 : 0 };
          t_fault(T_CALL_CRYPTO, n, EIO, round % 4 > 1);
          sufficed = t_memory_sufficed(svc_handle_request(l.t.s, &request, &response), &response);
          hits = t_fault_end();
          if (sufficed != (hits == 0)) munit_errorf("sha %d, way %d, round %d, call %ld: %d %s", sha, way, round, n, response.status, response.body);
          if (sufficed && response.status != (round % 2 ? 401 : 200))
            munit_errorf("sha %d, way %d, round %d, call %ld: %d %s", sha, way, round, n, response.status, response.body);
          svc_response_free(&response);
        }
    login_close(&l);
  }
}

/* ---------------------------------------------------------------------------------------------------- shared limits */

/* A limiter port as several handles share it, in memory. The test can make it fail. */
static struct {
  int answers; /* SVC_OK, or the result of each call */
  int opens;
  bool empty;  /* no token is left */
  uint32_t highest;
  int taken, counted;
} together;

static int together_open(svc_limits **out, const svc_config *config, char *why, size_t why_size)
{
  (void)config;
  *out = (svc_limits *)&together;
  if (together.opens != SVC_OK && together.opens != SVC_NOMEM) snprintf(why, why_size, "nobody is there");
  return together.opens;
}

static void together_close(svc_limits *limits)
{
  munit_assert_ptr_equal(limits, &together);
}

static int together_take(svc_limits *limits, const svc_bucket *bucket, int64_t now, svc_tokens *out)
{
  (void)limits, (void)now;
  munit_assert_int64(bucket->capacity, >, 0);
  together.taken++;
  *out = (svc_tokens){ !together.empty, together.empty ? 0 : 7, together.empty ? 30 : 0 };
  return together.answers;
}

static int together_count(svc_limits *limits, svc_str nonce, uint32_t count, int64_t age_ms, int64_t lives_ms, bool *fresh)
{
  (void)limits, (void)age_ms, (void)lives_ms;
  munit_assert_size(nonce.n, >, 0);
  together.counted++;
  *fresh = count > together.highest;
  if (*fresh) together.highest = count;
  return together.answers;
}

static const svc_limiter_port together_port = { together_open, together_close, together_take, together_count, NULL };

/* Buckets and counts of nonces come from the port. While the port does not answer, the handle uses its own, or, with limiter_closed,
** refuses requests. */
TEST(login, limits_together)
{
  svc_config config = { .limiter = &together_port, .limiter_path = "somewhere" };
  login l;
  char path[128], nonce[64];
  svc *none = NULL;
  int closed;
  for (closed = 0; closed < 2; closed++) {
    memset(&together, 0, sizeof together);
    config.limiter_closed = closed;
    login_open(&l, &config);
    snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", l.keys.org_id);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    strcpy(nonce, login_nonce(&l));
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 1, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
    munit_assert_string_equal(t_get_header(&l.t, "RateLimit-Remaining"), "7");
    munit_assert_int(together.taken, ==, 2); /* the limit of guesses, without a token taken; and the request's token */
    munit_assert_int(together.counted, ==, 1);
    together.highest = 2; /* another handle has seen the second count */
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 2, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    munit_assert_not_null(strstr(t_get_header(&l.t, "WWW-Authenticate"), "stale=true"));
    together.empty = true;
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 3, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 429);
    munit_assert_string_equal(t_get_header(&l.t, "Retry-After"), "30");
    l.t.caller.user_id = "000000000000000000000000";
    munit_assert_int(login_as_host(&l, "GET", path, NULL), ==, 200); /* the host is in this process and has no shared limit */
    together.empty = false;
    l.t.caller.user_id = "5f0000000000000000000001"; /* a caller that the host vouches for is limited like all others */
    munit_assert_int(login_as_host(&l, "GET", path, NULL), ==, 200);
    munit_assert_string_equal(t_get_header(&l.t, "RateLimit-Remaining"), "7");
    together.answers = SVC_BUSY;
    munit_assert_int(login_as_host(&l, "GET", path, NULL), ==, closed ? 503 : 200);
    login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 4, false);
    munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, closed ? 503 : 401); /* other handles may have seen the nonce */
    if (!closed) {
      munit_assert_not_null(strstr(t_get_header(&l.t, "WWW-Authenticate"), "stale=true"));
      strcpy(nonce, login_nonce(&l)); /* a nonce that is valid only here */
      login_digest(&l, "GET", path, l.keys.public_key, l.keys.private_key, nonce, 1, false);
      munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 200);
      munit_assert_int(t_send(&l.t, "GET", path, NULL), ==, 401);
    }
    t_headers_clear(&l.t);
    munit_assert_int(login_token(&l, "grant_type=client_credentials"), ==, closed ? 503 : 400); /* without a client id */
    login_close(&l);
  }
  for (together.opens = SVC_NOMEM; together.opens <= SVC_IO; together.opens += SVC_IO - SVC_NOMEM)
    munit_assert_int(svc_open(&none, &config), ==, together.opens);
  munit_assert_null(none);
}
