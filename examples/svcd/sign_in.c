/*
** The sign-in link: svcd prints http://127.0.0.1:8080/#/~signin/CODE when it starts. Opening the link signs a browser in to the console
** without typing. The page sends the code by POST /_explorer/sign-in and gets an ordinary access token of the bootstrap service account.
**
** The rule: the code works once, for a minute, and only for a page that this svcd has sent to a browser on this machine. The code is 256
** random bits, and svcd keeps only its SHA-256. The code is in the fragment of the link, which browsers do not send, so no log contains
** it. svcd compares the code only if all of these conditions hold:
**
**   the peer is a loopback address, and no proxy has added a header: excludes other machines
**   Host is a loopback name with a port of this svcd: excludes pages whose own DNS name leads here (DNS rebinding)
**   Origin is exactly the origin of this service: excludes pages of other sites, and links that are followed by chance
**   the body is JSON: a form of another site cannot send JSON without a preflight request
**
** The credentials for the token are in memory until the code is used, its minute is over, or five codes were wrong.
*/
#define _GNU_SOURCE /* explicit_bzero */
#include "svcd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mbedtls/base64.h>
#include <mbedtls/sha256.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define SIGN_IN_PATH "/_explorer/sign-in"
#define SIGN_IN_SECONDS 60
#define SIGN_IN_TRIES 5
#define SIGN_IN_WRONG_MS 500 /* delay of the answer to a wrong code */
#define SIGN_IN_FILE 8192    /* most bytes of a file of credentials */

/* ------------------------------------------------------------------------------------------------------ credentials */

int svcd_sign_in_wanted(const svcd_options *o)
{
  size_t i;
  if (o->no_explorer || svcd_log_is_json() || (!o->sign_in_link && !isatty(STDOUT_FILENO))) return 0;
  for (i = 0; i < o->url_count; i++)
    if (svcd_reach(o->urls[i]) == SVCD_LOOPBACK) return 1;
  return 0;
}

void svcd_sign_in_keep(svcd_sign_in *k, const char *client_id, const char *client_secret)
{
  snprintf(k->client_id, sizeof k->client_id, "%s", client_id);
  snprintf(k->client_secret, sizeof k->client_secret, "%s", client_secret);
}

/* Reads a member of the file of credentials. svcd has written the file, so its values have no escapes. Returns 0
** if the member is missing or too long. */
static int sign_in_member(const char *text, const char *name, char *out, size_t size)
{
  char member[32];
  const char *at;
  size_t n;
  snprintf(member, sizeof member, "\"%s\":\"", name);
  at = strstr(text, member);
  if (!at) return 0;
  at += strlen(member);
  n = strcspn(at, "\"\\");
  if (n == 0 || n >= size || at[n] != '"') return 0;
  memcpy(out, at, n);
  out[n] = '\0';
  return 1;
}

/* Reads the credentials of an existing store, which has only hashes of secrets, from the file of credentials, if that still exists. */
void svcd_sign_in_read(svcd_sign_in *k, const char *path)
{
  char text[SIGN_IN_FILE];
  FILE *f = *path ? fopen(path, "re") : NULL;
  size_t n;
  if (!f) return;
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  if (!sign_in_member(text, "clientId", k->client_id, sizeof k->client_id) ||
      !sign_in_member(text, "clientSecret", k->client_secret, sizeof k->client_secret)) k->client_id[0] = '\0';
  explicit_bzero(text, sizeof text);
}

/* Closes the link and wipes its secrets. The caller holds the lock. */
static void sign_in_close(svcd_sign_in *k)
{
  k->open = 0;
  explicit_bzero(k->hash, sizeof k->hash);
  explicit_bzero(k->client_secret, sizeof k->client_secret);
}

/* --------------------------------------------------------------------------------------------------------- the link */

static int sign_in_code(char code[SVCD_SIGN_IN_CODE + 1], unsigned char hash[32])
{
  unsigned char bytes[SVCD_SIGN_IN_CODE / 2];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC); /* random even with --seed */
  int good = fd >= 0 && read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
  size_t i;
  if (fd >= 0) close(fd);
  for (i = 0; good && i < sizeof bytes; i++) snprintf(code + 2 * i, 3, "%02x", bytes[i]);
  explicit_bzero(bytes, sizeof bytes);
  return good && mbedtls_sha256((const unsigned char *)code, SVCD_SIGN_IN_CODE, hash, 0) == 0;
}

/* Returns the port behind the name in a Host header; 0: something else is there. */
static unsigned sign_in_port(const char *at, size_t n, int tls)
{
  unsigned port = 0;
  size_t i;
  if (n == 0) return tls ? 443 : 80;
  if (n < 2 || n > 6 || at[0] != ':') return 0;
  for (i = 1; i < n; i++) {
    if (at[i] < '0' || at[i] > '9') return 0;
    port = port * 10 + (unsigned)(at[i] - '0');
  }
  return port;
}

/* The ports at which a browser on this machine reaches svcd. */
static void sign_in_ports(svcd_sign_in *k, const svc_listener *listener)
{
  const char *url, *colon;
  size_t i;
  for (i = 0; (url = svc_listener_url(listener, i)) != NULL && k->port_count < SVCD_URLS; i++) {
    colon = strrchr(url, ':');
    k->ports[k->port_count] = colon ? sign_in_port(colon, strcspn(colon, "/"), 0) : 0;
    if (k->ports[k->port_count]) k->port_count++;
  }
}

void svcd_sign_in_open(svcd_sign_in *k, const svcd_options *o, const svc_listener *listener)
{
  char code[SVCD_SIGN_IN_CODE + 1] = "", path[SVCD_PATH];
  const char *url;
  size_t i;
  if (!svcd_sign_in_wanted(o)) return;
  for (i = 0; (url = svc_listener_url(listener, i)) != NULL && svcd_reach(url) != SVCD_LOOPBACK; i++) continue;
  if (!url || !svcd_credentials_path(o, path)) return;
  if (!k->client_id[0]) {
    svcd_print("sign_in.none", "console:", "%s/ (no sign-in link: %s is missing, or has no clientSecret)", url,
               *path ? path : "the file of credentials");
    return;
  }
  if (!sign_in_code(code, k->hash)) {
    svcd_print("sign_in.none", "console:", "%s/ (no sign-in link: the system returned no random bytes)", url);
    return;
  }
  sign_in_ports(k, listener);
  pthread_mutex_lock(&k->lock);
  k->made = k->open = 1;
  k->until = svcd_monotonic(NULL) + SIGN_IN_SECONDS * INT64_C(1000000000);
  pthread_mutex_unlock(&k->lock);
  /* never printed as JSON, because that output is a log */
  printf("console:       %s/#/~signin/%s\n               signs you in once, within %d seconds\n", url, code, SIGN_IN_SECONDS);
  fflush(stdout);
  explicit_bzero(code, sizeof code);
}

int svcd_sign_in_pause(svcd_sign_in *k, int pause)
{
  int64_t left;
  pthread_mutex_lock(&k->lock);
  left = k->open ? (k->until - svcd_monotonic(NULL)) / 1000000 + 1 : pause;
  if (k->open && left <= 0) sign_in_close(k);
  pthread_mutex_unlock(&k->lock);
  return left > 0 && left < pause ? (int)left : pause;
}

/* --------------------------------------------------------------------------------------------------------- the door */

static int sign_in_is(const char *text, size_t n, const char *word)
{
  return n == strlen(word) && strncasecmp(text, word, n) == 0;
}

/* Returns the only header of this name; NULL: missing or repeated. */
static const svc_header *sign_in_header(const svc_request *r, const char *name)
{
  const svc_header *found = NULL;
  size_t i;
  for (i = 0; i < r->header_count; i++) {
    if (!sign_in_is(r->headers[i].name, r->headers[i].name_length, name)) continue;
    if (found) return NULL;
    found = &r->headers[i];
  }
  return found;
}

static int sign_in_is_loopback(const char *peer)
{
  struct in_addr four;
  if (!peer) return 0;
  if (inet_pton(AF_INET, peer, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return strcmp(peer, "::1") == 0;
}

/* Returns true for localhost, 127.0.0.1 and [::1] with a port of this svcd, and nothing else behind it: localhost:8080.evil.com is a name, too. */
static int sign_in_is_local_name(const svcd_sign_in *k, const svc_header *host, int tls)
{
  static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
  unsigned port = 0;
  size_t i, n;
  for (i = 0; i < sizeof names / sizeof names[0] && !port; i++) {
    n = strlen(names[i]);
    if (host->value_length < n || strncasecmp(host->value, names[i], n) != 0) continue;
    port = sign_in_port(host->value + n, host->value_length - n, tls);
  }
  for (i = 0; i < k->port_count; i++)
    if (port && k->ports[i] == port) return 1;
  return 0;
}

int svcd_is_own_page(const svc_request *r)
{
  const svc_header *host = sign_in_header(r, "Host"), *origin = sign_in_header(r, "Origin");
  const char *scheme = r->tls ? "https://" : "http://";
  const size_t n = strlen(scheme);
  return host && origin && origin->value_length == n + host->value_length && memcmp(origin->value, scheme, n) == 0 &&
         memcmp(origin->value + n, host->value, host->value_length) == 0;
}

/* Returns true if a proxy has forwarded the request: then the peer is the proxy, not the caller. */
static int sign_in_is_passed_on(const svc_request *r)
{
  static const char *const names[] = { "Forwarded", "Via", "X-Real-IP" };
  size_t i, j;
  for (i = 0; i < r->header_count; i++) {
    const svc_header *h = &r->headers[i];
    if (h->name_length >= 12 && strncasecmp(h->name, "X-Forwarded-", 12) == 0) return 1;
    for (j = 0; j < sizeof names / sizeof names[0]; j++)
      if (sign_in_is(h->name, h->name_length, names[j])) return 1;
  }
  return 0;
}

/* Returns true if a page of another origin caused the request, which newer browsers tell in Sec-Fetch-Site. */
static int sign_in_is_foreign(const svc_request *r)
{
  size_t i;
  for (i = 0; i < r->header_count; i++)
    if (sign_in_is(r->headers[i].name, r->headers[i].name_length, "Sec-Fetch-Site") &&
        !sign_in_is(r->headers[i].value, r->headers[i].value_length, "same-origin")) return 1;
  return 0;
}

static int sign_in_may_ask(const svcd_sign_in *k, const svc_request *r)
{
  const svc_header *host = sign_in_header(r, "Host");
  if (!sign_in_is_loopback(r->peer) || sign_in_is_passed_on(r) || sign_in_is_foreign(r)) return 0;
  return host && sign_in_is_local_name(k, host, r->tls) && svcd_is_own_page(r);
}

/* ------------------------------------------------------------------------------------------------------ the answers */

#define SIGN_IN_HEADER(name, value) { name, value, sizeof name - 1, sizeof value - 1 }

static int sign_in_refuse(svc_response *response, int status, const char *body)
{
  static const svc_header headers[] = {
    SIGN_IN_HEADER("Content-Type", "application/json"), SIGN_IN_HEADER("Cache-Control", "no-store"),
    SIGN_IN_HEADER("X-Content-Type-Options", "nosniff"), SIGN_IN_HEADER("Allow", "POST")
  };
  memset(response, 0, sizeof *response);
  response->status = status;
  response->headers = headers;
  response->header_count = sizeof headers / sizeof headers[0] - (status != 405);
  response->body = body;
  response->body_length = strlen(body);
  return 1;
}

#define SIGN_IN_ERROR(status, reason, code, detail)                                                                            \
  "{\"detail\":\"" detail "\",\"error\":" #status ",\"errorCode\":\"" code "\",\"parameters\":[],\"reason\":\"" reason "\"}"

static const char sign_in_method[] = SIGN_IN_ERROR(405, "Method Not Allowed", "METHOD_NOT_ALLOWED", "Only POST uses a sign-in link.");
static const char sign_in_door[] = SIGN_IN_ERROR(403, "Forbidden", "ACCESS_FORBIDDEN",
                                                 "A sign-in link is for a browser on the machine that svcd runs on, "
                                                 "at the address that svcd has printed.");
static const char sign_in_body[] = SIGN_IN_ERROR(400, "Bad Request", "INVALID_REQUEST",
                                                 "The body must be {\\\"code\\\":\\\"64 hex digits\\\"}, as application/json.");
static const char sign_in_over[] = SIGN_IN_ERROR(410, "Gone", "SIGN_IN_LINK_OVER",
                                                 "This sign-in link is used up, or its minute is over. "
                                                 "Sign in with a client id and secret; svcd prints a new link when it starts.");
static const char sign_in_wrong[] = SIGN_IN_ERROR(401, "Unauthorized", "SIGN_IN_LINK_WRONG",
                                                  "This is no sign-in link of this svcd. Open the link that svcd has printed, as a whole.");

/* Returns the code of a body {"code":"..."}, exactly as the page writes it. NULL: another form. */
static const char *sign_in_sent(const svc_request *r)
{
  static const char before[] = "{\"code\":\"", behind[] = "\"}";
  const size_t n = sizeof before - 1, m = sizeof behind - 1;
  const svc_header *type = sign_in_header(r, "Content-Type");
  const char *body = r->body;
  if (!type || !sign_in_is(type->value, type->value_length, "application/json")) return NULL;
  if (r->body_length != n + SVCD_SIGN_IN_CODE + m || memcmp(body, before, n) != 0) return NULL;
  return memcmp(body + n + SVCD_SIGN_IN_CODE, behind, m) == 0 ? body + n : NULL;
}

/* Compares the hashes of two codes in constant time, so that the time reveals nothing. The caller holds the lock. */
static int sign_in_is_code(const svcd_sign_in *k, const char *code)
{
  unsigned char theirs[32];
  unsigned differs = 0;
  size_t i;
  if (mbedtls_sha256((const unsigned char *)code, SVCD_SIGN_IN_CODE, theirs, 0) != 0) return 0;
  for (i = 0; i < sizeof theirs; i++) differs |= (unsigned)(theirs[i] ^ k->hash[i]);
  return !differs;
}

/* Signs in with the service account, as every client does, and answers the page with the result. Two headers are added: X-Client-Id, and
** X-Test-Token with the token of test control, which is in memory while svcd runs anyway. */
static int sign_in_token(svcd_sign_in *k, svc *s, const svc_request *from, const char secret[], svc_response *response)
{
  static const char form[] = "grant_type=client_credentials";
  char both[sizeof k->client_id + sizeof k->client_secret + 2], basic[2 * sizeof both] = "Basic ";
  svc_header headers[] = { SIGN_IN_HEADER("Content-Type", "application/x-www-form-urlencoded"), SIGN_IN_HEADER("Authorization", "") };
  const svc_request request = { .method = "POST", .target = "/api/oauth/token", .headers = headers, .header_count = 2,
                                .body = form, .body_length = sizeof form - 1, .peer = from->peer, .tls = from->tls };
  const int length = snprintf(both, sizeof both, "%s:%s", k->client_id, secret);
  size_t n, i;
  if (mbedtls_base64_encode((unsigned char *)basic + 6, sizeof basic - 6, &n, (const unsigned char *)both, (size_t)length) != 0) n = 0;
  headers[1].value = basic;
  headers[1].value_length = n + 6;
  svc_handle_request(s, &request, response);
  explicit_bzero(both, sizeof both);
  explicit_bzero(basic, sizeof basic);
  if (response->status != 200) return 1;
  for (i = 0; i < response->header_count && i < SVCD_SIGN_IN_HEADERS - 2; i++) k->headers[i] = response->headers[i];
  k->headers[i++] = (svc_header){ "X-Client-Id", k->client_id, sizeof "X-Client-Id" - 1, strlen(k->client_id) };
  if (k->token && *k->token) k->headers[i++] = (svc_header){ "X-Test-Token", k->token, sizeof "X-Test-Token" - 1, strlen(k->token) };
  response->headers = k->headers;
  response->header_count = i;
  return 1;
}

/* Checks a code, and closes the link if the code is right or was wrong too often. Returns 1 with the client secret if the code is right;
** else writes the response and returns 0. */
static int sign_in_use(svcd_sign_in *k, const char *code, char secret[], svc_response *response)
{
  int open, right = 0, wrong = 0;
  pthread_mutex_lock(&k->lock);
  if (k->open && svcd_monotonic(NULL) >= k->until) sign_in_close(k);
  open = k->open;
  if (open) right = sign_in_is_code(k, code);
  if (right) memcpy(secret, k->client_secret, sizeof k->client_secret);
  if (open && !right) wrong = ++k->wrong;
  if (right || wrong >= SIGN_IN_TRIES) sign_in_close(k);
  pthread_mutex_unlock(&k->lock);
  if (right) return 1;
  sign_in_refuse(response, open ? 401 : 410, open ? sign_in_wrong : sign_in_over);
  if (!open) return 0;
  response->delay_ms = SIGN_IN_WRONG_MS;
  svcd_say(SVC_LOG_WARNING, "sign_in.refused", "a wrong code was sent for the sign-in link (%d of %d)%s", wrong, SIGN_IN_TRIES,
           wrong >= SIGN_IN_TRIES ? ": the link is closed" : "");
  return 0;
}

int svcd_sign_in_takes(svcd_sign_in *k, svc *s, const svc_request *request, svc_response *response)
{
  const size_t all = request->target_length ? request->target_length : strlen(request->target), n = sizeof SIGN_IN_PATH - 1;
  char secret[sizeof k->client_secret];
  const char *code;
  if (!k->made || all < n || memcmp(request->target, SIGN_IN_PATH, n) != 0) return 0;
  if (all > n && request->target[n] != '?') return 0; /* also with a query: the journal must not see a code in it */
  if (strcmp(request->method, "POST") != 0) return sign_in_refuse(response, 405, sign_in_method);
  if (!sign_in_may_ask(k, request)) return sign_in_refuse(response, 403, sign_in_door);
  code = sign_in_sent(request);
  if (!code) return sign_in_refuse(response, 400, sign_in_body);
  if (!sign_in_use(k, code, secret, response)) return 1;
  sign_in_token(k, s, request, secret, response);
  explicit_bzero(secret, sizeof secret);
  if (response->status == 200)
    svcd_say(SVC_LOG_INFO, "sign_in.link_used", "a browser on this machine has signed in with the sign-in link, as %s", k->client_id);
  else
    svcd_say(SVC_LOG_WARNING, "sign_in.refused", "the sign-in link was used, but its service account got no token: status %d",
             response->status);
  return 1;
}
