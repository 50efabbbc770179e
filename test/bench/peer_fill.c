/*
** The peer's data, taken from the library's own answers.
**
** Lists give the items, a GET gives the links of a single item, and the headers of each operation give the head of its answer.
** Parts that differ between entities become holes (see bench.h). So the peer's answers follow every change of the library's
** answers.
*/
#define _GNU_SOURCE /* memmem */
#include "bench.h"

#include <mbedtls/sha256.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILL_PAGE 500

typedef struct fill {
  bench_raw raw;
  MDB_txn *txn;
  svc *s;
  bench_store *b;
} fill;

/* ---------------------------------------------------------------------------------------------------------------- texts */

static void fill_text(fill *f, const char *name, int op, const char *text)
{
  char key[32];
  snprintf(key, sizeof key, op < 0 ? "%s" : "%s%d", name, op);
  bench_raw_put(&f->raw, f->txn, PEER_KEY_TEXT, key, strlen(key), NULL, 0, text, strlen(text));
}

/* Writes the head of an answer as the listener does: the date, the library's headers, then the headers for browsers and the length. */
static void fill_head(fill *f, int op, const svc_response *r)
{
  char text[2048];
  size_t i, n;
  n = (size_t)snprintf(text, sizeof text, "HTTP/1.1 %s\r\nDate: %c\r\n", r->status == 201 ? "201 Created" : "200 OK", PEER_DATE);
  for (i = 0; i < r->header_count; i++) {
    const svc_header *h = &r->headers[i];
    char hole[2] = { strcmp(h->name, "ETag") == 0 ? PEER_ETAG : strcmp(h->name, "RateLimit-Remaining") == 0 ? PEER_REMAINING : 0, 0 };
    if (strcmp(h->name, "Content-Length") == 0) continue;
    n += (size_t)snprintf(text + n, sizeof text - n, "%s: %s\r\n", h->name, hole[0] ? hole : h->value);
  }
  snprintf(text + n, sizeof text - n, "Referrer-Policy: strict-origin-when-cross-origin\r\nX-Frame-Options: DENY\r\n"
           "X-Permitted-Cross-Domain-Policies: none\r\nContent-Length: %c\r\n\r\n", PEER_LENGTH);
  bench_hole_id(text, r);
  fill_text(f, "head", op, text);
}

/* Stores the links after the first one, and the text of an item. */
static void fill_project_texts(fill *f, const svc_response *r, const char *id)
{
  const char *rest = strstr(r->body, PEER_SELF), *end = rest ? strstr(rest, "}],") : NULL;
  char name[64], *text;
  if (!end || sscanf(strstr(r->body, "\"name\":\"") + 8, "%63[^\"]", name) != 1) bench_die("a project has no links");
  rest += strlen(PEER_SELF);
  text = bench_text_copy(rest, (size_t)(end + 1 - rest));
  bench_hole(text, id, PEER_ID);
  bench_hole(text, f->b->org[0], PEER_ORG);
  bench_hole(text, name, PEER_NAME);
  fill_text(f, "links", -1, text);
  free(text);
  text = bench_text_copy(r->body, r->body_length);
  memmove(text + (rest - r->body), text + (end + 1 - r->body), strlen(end + 1) + 1);
  bench_hole_between(text, "\"created\":\"", "\"", PEER_CREATED);
  bench_hole_between(text, "\"tags\":", ",\"withDefaultAlertsSettings", PEER_TAGS);
  bench_hole(text, id, PEER_ID);
  bench_hole(text, f->b->org[0], PEER_ORG);
  bench_hole(text, name, PEER_NAME);
  fill_text(f, "item", -1, text);
  free(text);
}

/* Stores the text before the items of a list. */
static void fill_front(fill *f, int op, const svc_response *r)
{
  static const char last[] = "\"results\":[";
  const char *end = strstr(r->body, last);
  char *text;
  if (!end) bench_die("a list has no results");
  text = bench_text_copy(r->body, (size_t)(end - r->body) + sizeof last - 1);
  fill_text(f, "front", op, text);
  free(text);
}

static void fill_texts(fill *f)
{
  svc_response r;
  unsigned state;
  int op;
  for (op = 0; op < BENCH_OPS; op++) {
    state = 1;
    bench_request(f->s, f->b, (bench_op)op, &state, &r);
    fill_head(f, op, &r);
    if (op == BENCH_GET) {
      state = 1;
      fill_project_texts(f, &r, f->b->own[bench_random(&state) % (unsigned)f->b->own_count]);
    } else if (op != BENCH_CREATE) {
      fill_front(f, op, &r);
    }
    svc_response_free(&r);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- items */

static void fill_item(fill *f, const unsigned char *scope, const unsigned char *id, const char *etag, const char *item, size_t n)
{
  static char value[65536];
  const char *self = memmem(item, n, PEER_SELF, strlen(PEER_SELF));
  peer_item head = { (unsigned short)strlen(etag), (unsigned short)(self ? self + strlen(PEER_SELF) - item : 0) };
  memcpy(value, &head, sizeof head);
  memcpy(value + sizeof head, etag, head.tag);
  memcpy(value + sizeof head + head.tag, item, n);
  bench_raw_put(&f->raw, f->txn, PEER_KEY_ITEM, scope, 12, id, 12, value, sizeof head + head.tag + n);
}

static void fill_count(fill *f, const unsigned char *scope, uint64_t count)
{
  bench_raw_put(&f->raw, f->txn, PEER_KEY_COUNT, scope, 12, NULL, 0, &count, sizeof count);
}

static void fill_project(fill *f, const unsigned char *org, const char *item, size_t n)
{
  static const char event[PEER_EVENT_SIZE];
  char target[64], id_text[25], name[80];
  unsigned char id[12];
  svc_response r;
  const char *etag;
  snprintf(id_text, sizeof id_text, "%.24s", (const char *)memmem(item, n, "\"id\":\"", 6) + 6);
  if (!bench_hex_id(id_text, id) || sscanf(strstr(item, "\"name\":\"") + 8, "%79[^\"]", name) != 1)
    bench_die("a project lacks its id");
  snprintf(target, sizeof target, BENCH_API "groups/%s", id_text);
  if (bench_ask(f->s, "GET", target, NULL, &r) != 200 || !(etag = svc_response_header(&r, "ETag"))) bench_die("GET failed");
  fill_item(f, org, id, etag, item, n);
  bench_raw_put(&f->raw, f->txn, PEER_KEY_PLACE, id, 12, NULL, 0, org, 12);
  bench_raw_put(&f->raw, f->txn, PEER_KEY_NAME, org, 12, name, strlen(name), id, 12);
  bench_raw_put(&f->raw, f->txn, PEER_KEY_EVENT, org, 12, id, 12, event, sizeof event);
  svc_response_free(&r);
}

/* Stores a list page by page. projects: an organization's projects; otherwise clusters, numbered in their order. */
static void fill_list(fill *f, const char *scope_text, bool projects)
{
  unsigned char scope[12], number[12] = { 0 };
  uint64_t count = 0;
  int page, items;
  bench_hex_id(scope_text, scope);
  for (page = 1;; page++) {
    char target[160];
    const char *p, *item;
    svc_response r;
    size_t n;
    snprintf(target, sizeof target, BENCH_API "%s/%s/%s?itemsPerPage=%d&pageNum=%d&includeCount=false",
             projects ? "orgs" : "groups", scope_text, projects ? "groups" : "clusters", FILL_PAGE, page);
    if (bench_ask(f->s, "GET", target, NULL, &r) != 200) bench_die("a list for the peer's store failed");
    p = strstr(r.body, "\"results\":[") + 11;
    for (items = 0; (item = bench_next_item(&p, &n)) != NULL; items++, count++) {
      number[10] = (unsigned char)(count >> 8);
      number[11] = (unsigned char)count;
      if (projects) fill_project(f, scope, item, n);
      else fill_item(f, scope, number, "", item, n);
    }
    svc_response_free(&r);
    if (items < FILL_PAGE) break;
  }
  fill_count(f, scope, count);
}

void bench_peer_fill(svc *s, bench_store *b, const char *path)
{
  fill f = { .s = s, .b = b };
  unsigned char hash[32], org[12];
  int i;
  bench_remove_store(path);
  bench_raw_open(&f.raw, path, MDB_NOSYNC);
  if (mdb_txn_begin(f.raw.env, NULL, 0, &f.txn)) bench_die("the peer's store cannot be written");
  fill_texts(&f);
  mbedtls_sha256((const unsigned char *)b->bearer + 7, strlen(b->bearer + 7), hash, 0);
  bench_hex_id(b->org[0], org);
  bench_raw_put(&f.raw, f.txn, PEER_KEY_TOKEN, hash, sizeof hash, NULL, 0, org, sizeof org);
  for (i = 0; i < BENCH_ORGS; i++) fill_list(&f, b->org[i], true);
  for (i = 0; i < b->size / 1000; i++) fill_list(&f, b->own[i * (b->own_count / (b->size / 1000))], false);
  if (mdb_txn_commit(f.txn) || mdb_env_sync(f.raw.env, 1)) bench_die("the peer's store cannot be written");
  bench_raw_close(&f.raw);
}
