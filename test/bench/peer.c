/*
** The peer: a hand-written server of mongoose and LMDB with the same answers, as fast as reasonably possible.
**
** The peer implements five operations only. Each request looks up the token by its hash and charges one bucket, and the organization of
** the token must be that of the path. Entities are stored as lists show them, adjacent below their parent. A list is a scan and a
** copy, with its count in a record. A GET is two lookups; the links are written into the item from a text that was cut once. A
** single thread commits new projects, all waiting projects in one transaction. Answers go directly to the socket, because mongoose
** erases its send buffer byte by byte as it drains; mongoose sends only the rest that the socket does not accept.
*/
#define _GNU_SOURCE /* memmem, sendmsg */
#include "bench.h"

#include <mbedtls/sha256.h>
#include <mongoose.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PEER_BODY ((size_t)4 << 20)
#define PEER_CAPACITY 2000000000

/* A project that waits for its commit. */
typedef struct peer_job {
  struct peer_job *next;
  unsigned long conn;
  int status;
  unsigned char org[12], id[12];
  char id_text[24];
  bench_text name, tags; /* point into `bytes` */
  peer_item head;        /* head of the record, followed by the next two members */
  bench_text tag, item;
  char *record;
  char bytes[];
} peer_job;

static struct {
  bench_raw raw;
  peer_text head[BENCH_OPS], front[BENCH_OPS], links, item;
  MDB_txn *reader;
  MDB_cursor *cursor;
  struct mg_mgr mgr;
  char *body;
  int64_t tokens, since;
  time_t second;
  char date[32];
  uint64_t last_id;
  pthread_mutex_t lock; /* protects the members below */
  pthread_cond_t work;
  peer_job *first, **last, *done;
} peer;

/* ---------------------------------------------------------------------------------------------------------------- texts */

static void peer_load(peer_text *out, const char *name, int op)
{
  char bytes[32];
  MDB_val key = { 1, bytes }, value;
  bytes[0] = PEER_KEY_TEXT;
  key.mv_size += (size_t)snprintf(bytes + 1, sizeof bytes - 1, op < 0 ? "%s" : "%s%d", name, op);
  if (mdb_get(peer.reader, peer.raw.dbi, &key, &value) == 0) bench_cut(out, value.mv_data, value.mv_size);
}

static void peer_clock(void)
{
  struct timespec now;
  struct tm t;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec == peer.second) return;
  peer.second = now.tv_sec;
  gmtime_r(&now.tv_sec, &t);
  strftime(peer.date, sizeof peer.date, "%a, %d %b %Y %H:%M:%S GMT", &t);
}

/* -------------------------------------------------------------------------------------------------------------- answers */

static void peer_send(struct mg_connection *c, const char *head, size_t head_length, const char *body, size_t length)
{
  struct iovec parts[2] = { { (void *)(uintptr_t)head, head_length }, { (void *)(uintptr_t)body, length } };
  struct msghdr message;
  ssize_t n = 0;
  size_t sent;
  memset(&message, 0, sizeof message);
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  if (c->send.len == 0) n = sendmsg((int)(size_t)c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  sent = n > 0 ? (size_t)n : 0;
  if (sent < head_length) mg_send(c, head + sent, head_length - sent);
  sent = sent < head_length ? 0 : sent - head_length;
  if (sent < length) mg_send(c, body + sent, length - sent);
  c->is_resp = 0;
}

static void peer_answer(struct mg_connection *c, int op, bench_text etag, bench_text id, const char *body, size_t length)
{
  char head[2048], numbers[2][24];
  peer_holes holes;
  peer_clock();
  holes[PEER_DATE] = (bench_text){ peer.date, 29 };
  holes[PEER_REMAINING] = bench_number(numbers[0], (uint64_t)peer.tokens);
  holes[PEER_LENGTH] = bench_number(numbers[1], length);
  holes[PEER_ETAG] = etag;
  holes[PEER_ID] = id;
  peer_send(c, head, (size_t)(bench_write(head, &peer.head[op], holes) - head), body, length);
}

static void peer_refuse(struct mg_connection *c, int status)
{
  mg_http_reply(c, status, "", "{}");
}

/* ---------------------------------------------------------------------------------------------------------------- reads */

static bool peer_find(char letter, const void *a, size_t an, const void *b, size_t bn, MDB_val *value)
{
  unsigned char bytes[64];
  MDB_val key = { 1 + an + bn, bytes };
  bytes[0] = (unsigned char)letter;
  memcpy(bytes + 1, a, an);
  if (bn) memcpy(bytes + 1 + an, b, bn);
  return mdb_get(peer.reader, peer.raw.dbi, &key, value) == 0;
}

/* Answers one item, with all its links. */
static void peer_entity(struct mg_connection *c, int op, const char *id, const unsigned char *org, bench_text tag,
                        bench_text item, size_t splice)
{
  char org_text[24], *to = peer.body, *name = item.p + splice + 10; /* skips ],"name":" */
  peer_holes holes;
  bench_id_hex(org, org_text);
  holes[PEER_ID] = (bench_text){ (char *)(uintptr_t)id, 24 };
  holes[PEER_ORG] = (bench_text){ org_text, 24 };
  holes[PEER_NAME] = (bench_text){ name, (size_t)((char *)memchr(name, '"', item.n - splice - 10) - name) };
  memcpy(to, item.p, splice);
  to = bench_write(to + splice, &peer.links, holes);
  memcpy(to, item.p + splice, item.n - splice);
  to += item.n - splice;
  peer_answer(c, op, tag, holes[PEER_ID], peer.body, (size_t)(to - peer.body));
}

static void peer_get(struct mg_connection *c, const unsigned char *org, const char *id_text)
{
  unsigned char id[12];
  peer_item head;
  MDB_val place, value;
  char *p;
  if (!bench_hex_id(id_text, id) || !peer_find(PEER_KEY_PLACE, id, 12, NULL, 0, &place) ||
      memcmp(place.mv_data, org, 12) != 0 || !peer_find(PEER_KEY_ITEM, org, 12, id, 12, &value)) {
    peer_refuse(c, 404);
    return;
  }
  p = value.mv_data;
  memcpy(&head, p, sizeof head);
  p += sizeof head;
  peer_entity(c, BENCH_GET, id_text, org, (bench_text){ p, head.tag },
              (bench_text){ p + head.tag, value.mv_size - sizeof head - head.tag }, head.splice);
}

static void peer_list(struct mg_connection *c, int op, const unsigned char *scope)
{
  unsigned char first[13];
  MDB_val key = { sizeof first, first }, value, count;
  char *to = peer.body, number[24];
  static const peer_holes none;
  uint64_t total = 0;
  bench_text text;
  int i, rc;
  first[0] = PEER_KEY_ITEM;
  memcpy(first + 1, scope, 12);
  if (peer_find(PEER_KEY_COUNT, scope, 12, NULL, 0, &count)) memcpy(&total, count.mv_data, sizeof total);
  to = bench_write(to, &peer.front[op], none);
  mdb_cursor_renew(peer.reader, peer.cursor);
  rc = mdb_cursor_get(peer.cursor, &key, &value, MDB_SET_RANGE);
  for (i = 0; i < BENCH_PAGE && !rc && memcmp(key.mv_data, first, sizeof first) == 0; i++) {
    peer_item head;
    size_t skip, n;
    memcpy(&head, value.mv_data, sizeof head);
    skip = sizeof head + head.tag;
    n = value.mv_size - skip;
    if (i) *to++ = ',';
    memcpy(to, (const char *)value.mv_data + skip, n);
    to += n;
    rc = mdb_cursor_get(peer.cursor, &key, &value, MDB_NEXT);
  }
  memcpy(to, "],\"totalCount\":", 15);
  text = bench_number(number, total);
  memcpy(to + 15, text.p, text.n);
  to += 15 + text.n;
  *to++ = '}';
  peer_answer(c, op, (bench_text){ number, 0 }, (bench_text){ number, 0 }, peer.body, (size_t)(to - peer.body));
}

/* -------------------------------------------------------------------------------------------------------------- creates */

static bench_text peer_keep(char **to, struct mg_str s)
{
  bench_text kept = { *to, s.len };
  memcpy(*to, s.buf, s.len);
  *to += s.len;
  return kept;
}

static void peer_submit(struct mg_connection *c, const unsigned char *org, const struct mg_http_message *hm)
{
  struct mg_str name = mg_json_get_tok(hm->body, "$.name"), tags = mg_json_get_tok(hm->body, "$.tags");
  struct mg_str owner = mg_json_get_tok(hm->body, "$.orgId");
  unsigned char id[12];
  peer_job *job;
  char *to;
  if (name.len < 3 || owner.len != 26 || !bench_hex_id(owner.buf + 1, id) || memcmp(id, org, 12) != 0) {
    peer_refuse(c, 400);
    return;
  }
  job = malloc(sizeof *job + hm->body.len);
  if (!job) bench_die("no memory");
  memset(job, 0, sizeof *job);
  job->conn = c->id;
  to = job->bytes;
  job->name = peer_keep(&to, mg_str_n(name.buf + 1, name.len - 2));
  job->tags = peer_keep(&to, tags);
  memcpy(job->org, org, 12);
  pthread_mutex_lock(&peer.lock);
  *peer.last = job;
  peer.last = &job->next;
  pthread_cond_signal(&peer.work);
  pthread_mutex_unlock(&peer.lock);
}

static void peer_new_id(peer_job *job)
{
  struct timespec now;
  int i;
  clock_gettime(CLOCK_REALTIME, &now);
  peer.last_id += 4096;
  for (i = 0; i < 4; i++) job->id[i] = (unsigned char)((uint64_t)now.tv_sec >> (24 - 8 * i));
  for (i = 0; i < 8; i++) job->id[4 + i] = (unsigned char)(peer.last_id >> (56 - 8 * i));
  bench_id_hex(job->id, job->id_text);
}

/* Composes the record of the project: peer_item, ETag, item. */
static void peer_compose(peer_job *job, uint64_t revision)
{
  char org_text[24], created[24], *to;
  peer_holes holes;
  struct tm t;
  time_t now = time(NULL);
  size_t most = job->name.n + job->tags.n + 2048, i;
  for (i = 0; i < (size_t)peer.item.count; i++) most += peer.item.pieces[i].text.n;
  job->record = malloc(most);
  if (!job->record) bench_die("no memory");
  bench_id_hex(job->org, org_text);
  gmtime_r(&now, &t);
  holes[PEER_ID] = (bench_text){ job->id_text, 24 };
  holes[PEER_ORG] = (bench_text){ org_text, 24 };
  holes[PEER_NAME] = job->name;
  holes[PEER_TAGS] = job->tags;
  holes[PEER_CREATED] = (bench_text){ created, strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &t) };
  to = job->record + sizeof job->head;
  job->tag = (bench_text){ to, (size_t)sprintf(to, "\"%llx\"", (unsigned long long)revision) };
  job->item.p = to + job->tag.n;
  job->item.n = (size_t)(bench_write(job->item.p, &peer.item, holes) - job->item.p);
  to = memmem(job->item.p, job->item.n, PEER_SELF, sizeof PEER_SELF - 1);
  job->head.tag = (unsigned short)job->tag.n;
  job->head.splice = (unsigned short)(to + sizeof PEER_SELF - 1 - job->item.p);
  memcpy(job->record, &job->head, sizeof job->head);
}

static bool peer_look(MDB_txn *txn, char letter, const unsigned char *org, bench_text rest, MDB_val *value)
{
  unsigned char bytes[256];
  MDB_val key = { 13 + rest.n, bytes };
  bytes[0] = (unsigned char)letter;
  memcpy(bytes + 1, org, 12);
  memcpy(bytes + 13, rest.p, rest.n);
  return mdb_get(txn, peer.raw.dbi, &key, value) == 0;
}

/* Stores a project: its record, its parent, its name, its event, and the new count. */
static void peer_make(MDB_txn *txn, peer_job *job, uint64_t revision)
{
  static const char event[PEER_EVENT_SIZE];
  uint64_t count = 0;
  MDB_val value;
  job->status = 409;
  if (peer_look(txn, PEER_KEY_NAME, job->org, job->name, &value)) return;
  peer_new_id(job);
  peer_compose(job, revision);
  bench_raw_put(&peer.raw, txn, PEER_KEY_ITEM, job->org, 12, job->id, 12, job->record,
                (size_t)(job->item.p + job->item.n - job->record));
  bench_raw_put(&peer.raw, txn, PEER_KEY_PLACE, job->id, 12, NULL, 0, job->org, 12);
  bench_raw_put(&peer.raw, txn, PEER_KEY_NAME, job->org, 12, job->name.p, job->name.n, job->id, 12);
  bench_raw_put(&peer.raw, txn, PEER_KEY_EVENT, job->org, 12, job->id, 12, event, sizeof event);
  if (peer_look(txn, PEER_KEY_COUNT, job->org, (bench_text){ job->bytes, 0 }, &value)) memcpy(&count, value.mv_data, sizeof count);
  count++;
  bench_raw_put(&peer.raw, txn, PEER_KEY_COUNT, job->org, 12, NULL, 0, &count, sizeof count);
  job->status = 201;
}

static void *peer_writer(void *argument)
{
  (void)argument;
  for (;;) {
    peer_job *all, *job;
    uint64_t revision;
    MDB_txn *txn;
    pthread_mutex_lock(&peer.lock);
    while (!peer.first) pthread_cond_wait(&peer.work, &peer.lock);
    all = peer.first;
    peer.first = NULL;
    peer.last = &peer.first;
    pthread_mutex_unlock(&peer.lock);
    if (mdb_txn_begin(peer.raw.env, NULL, 0, &txn)) bench_die("the peer cannot write");
    revision = (uint64_t)mdb_txn_id(txn) << 20;
    for (job = all; job; job = job->next) peer_make(txn, job, ++revision);
    if (mdb_txn_commit(txn)) bench_die("the peer cannot commit");
    pthread_mutex_lock(&peer.lock);
    for (job = all; job->next; job = job->next) continue;
    job->next = peer.done;
    peer.done = all;
    pthread_mutex_unlock(&peer.lock);
    mg_wakeup(&peer.mgr, ~0ul, "", 0); /* any wakeup makes the loop run */
  }
  return NULL;
}

/* Sends the writer's answers. */
static void peer_collect(void)
{
  peer_job *job, *next;
  pthread_mutex_lock(&peer.lock);
  job = peer.done;
  peer.done = NULL;
  pthread_mutex_unlock(&peer.lock);
  for (; job; job = next) {
    struct mg_connection *c = peer.mgr.conns;
    while (c && c->id != job->conn) c = c->next;
    next = job->next;
    if (c && job->status == 201) peer_entity(c, BENCH_CREATE, job->id_text, job->org, job->tag, job->item, job->head.splice);
    else if (c) peer_refuse(c, job->status);
    free(job->record);
    free(job);
  }
}

/* ------------------------------------------------------------------------------------------------------------- requests */

/* Returns the organization of the token; NULL: unknown token. */
static const unsigned char *peer_caller(struct mg_http_message *hm)
{
  struct mg_str *authorization = mg_http_get_header(hm, "Authorization");
  unsigned char hash[32];
  MDB_val value;
  if (!authorization || authorization->len < 8 || memcmp(authorization->buf, "Bearer ", 7) != 0) return NULL;
  mbedtls_sha256((const unsigned char *)authorization->buf + 7, authorization->len - 7, hash, 0);
  return peer_find(PEER_KEY_TOKEN, hash, sizeof hash, NULL, 0, &value) ? value.mv_data : NULL;
}

/* Takes one token of the bucket. */
static bool peer_take(void)
{
  int64_t now = (int64_t)mg_millis();
  if (now - peer.since >= 60000) {
    peer.since = now;
    peer.tokens = PEER_CAPACITY;
  }
  return peer.tokens > 0 && peer.tokens--;
}

static bool peer_ends(struct mg_str s, const char *end)
{
  size_t n = strlen(end);
  return s.len == 24 + n && memcmp(s.buf + 24, end, n) == 0;
}

static void peer_route(struct mg_connection *c, struct mg_http_message *hm)
{
  struct mg_str rest = hm->uri;
  const unsigned char *org = peer_caller(hm);
  unsigned char id[12];
  bool groups;
  if (!org || !peer_take()) {
    peer_refuse(c, org ? 429 : 401);
    return;
  }
  if (rest.len < sizeof BENCH_API - 1 + 5 || memcmp(rest.buf, BENCH_API, sizeof BENCH_API - 1) != 0) {
    peer_refuse(c, 404);
    return;
  }
  rest.buf += sizeof BENCH_API - 1;
  rest.len -= sizeof BENCH_API - 1;
  groups = rest.len >= 6 && memcmp(rest.buf, "groups", 6) == 0;
  if (groups && rest.len == 6) {
    if (hm->method.buf[0] == 'P') peer_submit(c, org, hm);
    else peer_list(c, BENCH_LIST, org);
    return;
  }
  rest.len -= groups ? 7 : 5;
  rest.buf += groups ? 7 : 5;
  if (groups && rest.len == 24) {
    peer_get(c, org, rest.buf);
  } else if (!groups && peer_ends(rest, "/groups") && bench_hex_id(rest.buf, id) && memcmp(id, org, 12) == 0) {
    peer_list(c, BENCH_ORG_LIST, org);
  } else if (groups && peer_ends(rest, "/clusters") && bench_hex_id(rest.buf, id)) {
    MDB_val place;
    bool found = peer_find(PEER_KEY_PLACE, id, 12, NULL, 0, &place) && memcmp(place.mv_data, org, 12) == 0;
    if (found) peer_list(c, BENCH_CLUSTERS, id);
    else peer_refuse(c, 404);
  } else {
    peer_refuse(c, 404);
  }
}

static void peer_event(struct mg_connection *c, int event, void *data)
{
  if (event != MG_EV_HTTP_MSG) return;
  mdb_txn_renew(peer.reader);
  peer_route(c, data);
  mdb_txn_reset(peer.reader);
}

static void *peer_loop(void *argument)
{
  (void)argument;
  for (;;) {
    mg_mgr_poll(&peer.mgr, 250);
    if (peer.done) peer_collect(); /* reads without the lock, because the wakeup follows the assignment */
  }
  return NULL;
}

int bench_peer_serve(const char *path)
{
  struct mg_connection *listening;
  pthread_t thread;
  char c;
  int op;
  mg_log_set(MG_LL_NONE);
  bench_raw_open(&peer.raw, path, 0);
  if (mdb_txn_begin(peer.raw.env, NULL, MDB_RDONLY, &peer.reader) || mdb_cursor_open(peer.reader, peer.raw.dbi, &peer.cursor))
    bench_die("the peer cannot read");
  for (op = 0; op < BENCH_OPS; op++) {
    peer_load(&peer.head[op], "head", op);
    peer_load(&peer.front[op], "front", op);
  }
  peer_load(&peer.links, "links", -1);
  peer_load(&peer.item, "item", -1);
  mdb_txn_reset(peer.reader);
  peer.body = malloc(PEER_BODY);
  peer.tokens = PEER_CAPACITY;
  peer.since = (int64_t)mg_millis();
  peer.last = &peer.first;
  pthread_mutex_init(&peer.lock, NULL);
  pthread_cond_init(&peer.work, NULL);
  mg_mgr_init(&peer.mgr);
  listening = mg_http_listen(&peer.mgr, "http://127.0.0.1:0", peer_event, NULL);
  if (!peer.body || !listening || !mg_wakeup_init(&peer.mgr)) bench_die("the peer cannot listen");
  if (pthread_create(&thread, NULL, peer_writer, NULL) != 0 || pthread_create(&thread, NULL, peer_loop, NULL) != 0)
    bench_die("no thread");
  printf("%d\n", (int)mg_ntohs(listening->loc.port));
  fflush(stdout);
  while (read(0, &c, 1) > 0) continue;
  _exit(0);
}
