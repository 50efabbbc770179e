/*
** Headers: authentication (Authorization with Digest, Basic and Bearer, behind X-Forwarded-For), content negotiation and
** conditions (Accept, If-Match, If-None-Match) and retries (Idempotency-Key), all with valid credentials.
**
** An input is a request as in request_fuzz.c. Words in braces stand for values that only the fixture has: {bearer}, {basic},
** {public}, {nonce}, a fresh nonce, and {response}, the correct Digest response for this request with nc 00000001 and cnonce d.
** X-Forwarded-For goes to the listener, which trusts 10.0.0.0/8, fd00::/8 and ::1.
**
** Each request is sent twice. A read, and a create with an Idempotency-Key, get the same answer again. With Digest the second
** request is refused. After a change the fixture is restored.
*/
#include "fuzz.h"

#include "ports/listener/parts.h"

#include <arpa/inet.h>

#define HEADERS_MOST 16

typedef struct headers_fixture {
  fuzz_service f;
  svc_snapshot *before;
  svc_credentials keys;
  char bearer[256], basic[256];
  svc_listener listener;
  listener_loop loop;
  listener_conn conn;
  listener_address proxies[3];
} headers_fixture;

typedef struct headers_words {
  const headers_fixture *h;
  svc_arena *arena;
  const char *method, *target;
  svc_str nonce;
} headers_words;

/* ---------------------------------------------------------------------------------------------------------- the fixture */

static void headers_proxies(headers_fixture *h)
{
  h->listener.config.trusted_proxy_count = 3;
  h->listener.proxies = h->proxies;
  if (!svc_listener_network_parse(&h->proxies[0], "10.0.0.0/8") || !svc_listener_network_parse(&h->proxies[1], "fd00::/8") ||
      !svc_listener_network_parse(&h->proxies[2], "::1"))
    fuzz_die("no proxies");
  h->loop.listener = &h->listener;
  h->conn.loop = &h->loop;
  h->conn.proxied = true;
  memcpy(h->conn.peer, "10.0.0.1", 9);
}

static void headers_token(headers_fixture *h)
{
  static const char form[] = "grant_type=client_credentials";
  svc_header headers[] = { { "Authorization", h->basic, 0, 0 }, { "Content-Type", "application/x-www-form-urlencoded", 0, 0 } };
  svc_request request;
  svc_response response;
  const char *token;
  memset(&request, 0, sizeof request);
  request.method = "POST";
  request.target = "/api/oauth/token";
  request.headers = headers;
  request.header_count = 2;
  request.body = form;
  request.body_length = sizeof form - 1;
  if (svc_handle_request(h->f.s, &request, &response) != SVC_OK || response.status != 200) fuzz_die("no token");
  token = strstr(response.body, "\"access_token\":\"");
  if (!token || sscanf(token + 16, "%255[^\"]", h->bearer) != 1) fuzz_die("no token in the answer");
  svc_response_free(&response);
}

static void headers_open(headers_fixture *h)
{
  svc_arena a;
  svc_arena_init(&a, NULL);
  fuzz_open(&h->f, NULL);
  if (svc_new_credentials(h->f.s, h->f.org, &h->keys) != SVC_OK) fuzz_die("no credentials");
  snprintf(h->basic, sizeof h->basic, "Basic %s",
           svc_base64_padded(&a, svc_arena_print(&a, "%s:%s", h->keys.client_id, h->keys.client_secret)).p);
  headers_token(h);
  headers_proxies(h);
  if (svc_snapshot_take(h->f.s, &h->before) != SVC_OK) fuzz_die("no snapshot");
  svc_blocks_free(a.blocks);
}

/* ---------------------------------------------------------------------------------------------------------------- words */

static svc_str headers_nonce(headers_words *w)
{
  svc_request request;
  svc_response response;
  const char *found;
  svc_str out = SVC_S("");
  memset(&request, 0, sizeof request);
  request.method = "GET";
  request.target = "/api/svc/v2/groups";
  if (svc_handle_request(w->h->f.s, &request, &response) != SVC_OK || response.status != 401) fuzz_die("no challenge");
  found = svc_response_header(&response, "WWW-Authenticate");
  found = found ? strstr(found, "nonce=\"") : NULL;
  if (!found) fuzz_die("no nonce in a challenge");
  else out = svc_arena_print(w->arena, "%.32s", found + 7);
  svc_response_free(&response);
  return out;
}

static const char *headers_md5(svc_arena *a, svc_str text)
{
  unsigned char hash[16];
  svc_str out = SVC_S("");
  int i;
  if (!svc_md5(text, hash)) fuzz_die("no MD5");
  for (i = 0; i < 16; i++) out = svc_arena_print(a, SVC_FMT "%02x", SVC_ARG(out), hash[i]);
  return out.p;
}

static svc_str headers_response(headers_words *w)
{
  const char *first = headers_md5(w->arena, svc_arena_print(w->arena, "%s:svc:%s", w->h->keys.public_key, w->h->keys.private_key));
  const char *second = headers_md5(w->arena, svc_arena_print(w->arena, "%s:%s", w->method, w->target));
  return svc_str_c(headers_md5(w->arena, svc_arena_print(w->arena, "%s:" SVC_FMT ":00000001:d:auth:%s", first, SVC_ARG(w->nonce), second)));
}

static svc_str headers_word(headers_words *w, svc_str name)
{
  if ((svc_str_is(name, "nonce") || svc_str_is(name, "response")) && !w->nonce.n) w->nonce = headers_nonce(w);
  if (svc_str_is(name, "nonce")) return w->nonce;
  if (svc_str_is(name, "response")) return headers_response(w);
  if (svc_str_is(name, "bearer")) return svc_str_c(w->h->bearer);
  if (svc_str_is(name, "basic")) return svc_str_c(w->h->basic);
  if (svc_str_is(name, "public")) return svc_str_c(w->h->keys.public_key);
  if (svc_str_is(name, "group")) return svc_str_c(w->h->f.group);
  return svc_str_is(name, "org") ? svc_str_c(w->h->f.org) : SVC_S("");
}

static char *headers_fill(headers_words *w, const char *text)
{
  svc_buf b = svc_buf_new(w->arena, 256);
  const char *p = text;
  while (*p) {
    size_t n = *p == '{' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
    svc_str with = n && p[1 + n] == '}' ? headers_word(w, (svc_str){ p + 1, n }) : SVC_S("");
    if (with.n) svc_buf_str(&b, with);
    else svc_buf_char(&b, *p);
    p += with.n ? n + 2 : 1;
  }
  return (char *)(uintptr_t)svc_buf_done(&b).p;
}

/* ------------------------------------------------------------------------------------------------------------- one input */

/* Determines the peer: the address of the socket, or one from a trusted proxy. */
static void headers_peer(headers_fixture *h, const svc_request *request, char peer[INET6_ADDRSTRLEN])
{
  svc_http_head head;
  listener_address address;
  size_t i;
  memset(&head, 0, sizeof head);
  head.header_count = request->header_count;
  for (i = 0; i < head.header_count; i++) {
    head.headers[i] = request->headers[i];
    head.headers[i].name_length = strlen(head.headers[i].name);
    head.headers[i].value_length = strlen(head.headers[i].value);
  }
  svc_listener_peer(&h->conn, &head, peer);
  if (!svc_listener_address_parse(&address, peer)) fuzz_die("a peer that is no address");
}

static bool headers_is(const svc_request *request, const char *name, const char *prefix)
{
  size_t i;
  for (i = 0; i < request->header_count; i++)
    if (svc_str_is_nocase(svc_str_c(request->headers[i].name), name) && strncasecmp(request->headers[i].value, prefix, strlen(prefix)) == 0) return true;
  return false;
}

static void headers_send(headers_fixture *h, const svc_request *request)
{
  svc_response first, second;
  bool reads = strcmp(request->method, "GET") == 0, digest = headers_is(request, "authorization", "digest");
  bool kept = headers_is(request, "idempotency-key", "") && strcmp(request->method, "POST") == 0;
  if (svc_handle_request(h->f.s, request, &first) != SVC_OK || svc_handle_request(h->f.s, request, &second) != SVC_OK) fuzz_die("no answer");
  fuzz_check(&first);
  fuzz_check(&second);
  if (digest && first.status != 401 && second.status != 401 && first.caller && second.caller) fuzz_die("what was sent twice by Digest is let in twice");
  if (!digest && (reads || (kept && first.status == 201)) &&
      (first.status != second.status || first.body_length != second.body_length || memcmp(first.body, second.body, first.body_length) != 0))
    fuzz_die("the same is answered otherwise");
  svc_response_free(&first);
  svc_response_free(&second);
  if (!reads && svc_snapshot_restore(h->f.s, h->before) != SVC_OK) fuzz_die("no way back");
}

int svc_fuzz_headers(const uint8_t *data, size_t size)
{
  static headers_fixture h;
  svc_header headers[HEADERS_MOST];
  char peer[INET6_ADDRSTRLEN], *at, *end, *line, *space;
  svc_request request;
  svc_arena a;
  headers_words w = { &h, &a, NULL, NULL, { "", 0 } };
  if (!h.f.s) headers_open(&h);
  svc_arena_init(&a, NULL);
  memset(&request, 0, sizeof request);
  at = (char *)(uintptr_t)svc_arena_copy(&a, (svc_str){ (const char *)data, size }).p;
  end = at + size;
  line = fuzz_line(&at, end);
  space = line ? strchr(line, ' ') : NULL;
  if (space) {
    *space = 0;
    request.method = w.method = line;
    request.target = w.target = headers_fill(&w, space + 1);
    request.headers = headers;
    while ((line = fuzz_line(&at, end)) != NULL && *line) {
      char *colon = strstr(line, ": ");
      if (!colon || request.header_count == HEADERS_MOST) continue;
      *colon = 0;
      headers[request.header_count++] = (svc_header){ line, headers_fill(&w, colon + 2), 0, 0 };
    }
    request.body = headers_fill(&w, at);
    request.body_length = strlen(request.body);
    headers_peer(&h, &request, peer);
    request.peer = peer;
    headers_send(&h, &request);
  }
  svc_blocks_free(a.blocks);
  return 0;
}
