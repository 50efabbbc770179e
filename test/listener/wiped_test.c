/*
** Secrets are erased from memory after use. A service on http and https, in a separate process, receives secrets and creates
** some. Then every page of that process is searched for them, as in a core dump.
**
** The list of secrets exists in this process only: the process of the service starts before the list has any. The search also has
** to find some text that must be there, so that a broken search is noticed.
*/
#define _GNU_SOURCE /* http_text.h, memmem */
#include "support.h"
#include "http_text.h"
#include "listener/common.h"
#include "ports/listener.h"

#include <mbedtls/base64.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#define SHADOW (UINT64_C(1) << 40) /* bytes: the shadow memory of AddressSanitizer, which contains no data */
#define PATIENCE 10000 /* milliseconds until all secrets must be erased: a client may read an answer before the service frees it */

/* ----------------------------------------------------------------------------------------------------------- the service */

typedef struct wiped_place { /* sent by the service */
  int ports[2]; /* http, https */
  svc_credentials keys;
} wiped_place;

typedef struct wiped {
  pid_t pid;
  int told, end; /* the service ends when `end` is closed */
  char folder[64];
  wiped_place place;
} wiped;

static _Noreturn void wiped_serve(const wiped *w, int tell, int end)
{
  static const char *const urls[] = { "http://127.0.0.1:0", "https://127.0.0.1:0" };
  static const char *const names[] = { "127.0.0.1" };
  static unsigned char seal[32];
  static wiped_place place;
  char store[96], cert[96], key[96], why[256], rest;
  svc_listener_config listen = { .urls = urls, .url_count = 2, .cert_file = cert, .key_file = key };
  svc_config config = { .path = store, .secret_key = seal };
  svc_listener *l = NULL;
  svc *s = NULL;
  int i;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  snprintf(store, sizeof store, "%s/store", w->folder);
  snprintf(cert, sizeof cert, "%s/crt", w->folder);
  snprintf(key, sizeof key, "%s/key", w->folder);
  memset(seal, 7, sizeof seal);
  if (mkdir(store, 0700) != 0 || svc_listener_cert_make(cert, key, names, 1, 10, why, sizeof why) != SVC_OK ||
      svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &place.keys) != SVC_OK ||
      svc_listener_open(&l, &listen, why, sizeof why) != SVC_OK || svc_listener_start(l, s) != SVC_OK)
    _exit(1);
  for (i = 0; i < 2; i++) place.ports[i] = atoi(strrchr(svc_listener_url(l, (size_t)i), ':') + 1);
  if (write(tell, &place, sizeof place) != (ssize_t)sizeof place) _exit(1);
  explicit_bzero(&place, sizeof place); /* as a host should do */
  while (read(end, &rest, 1) > 0) continue;
  svc_listener_close(l);
  svc_close(s);
  _exit(0);
}

static void wiped_start(wiped *w)
{
  int told[2], end[2];
  memset(w, 0, sizeof *w);
  strcpy(w->folder, "/tmp/wiped_test_XXXXXX");
  munit_assert_not_null(mkdtemp(w->folder));
  munit_assert_int(pipe2(told, O_CLOEXEC), ==, 0);
  munit_assert_int(pipe2(end, O_CLOEXEC), ==, 0);
  w->pid = fork();
  munit_assert_int(w->pid, >=, 0);
  if (w->pid == 0) {
    close(told[0]);
    close(end[1]);
    wiped_serve(w, told[1], end[0]);
  }
  close(told[1]);
  close(end[0]);
  w->told = told[0];
  w->end = end[1];
  munit_assert_size((size_t)read(w->told, &w->place, sizeof w->place), ==, sizeof w->place);
}

static void wiped_stop(wiped *w)
{
  char command[128];
  int status;
  close(w->end);
  close(w->told);
  munit_assert_int(waitpid(w->pid, &status, 0), ==, w->pid);
  munit_assert_int(status, ==, 0);
  snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
  munit_assert_int(system(command), ==, 0);
}

/* ------------------------------------------------------------------------------------------------------------ the client */

typedef struct client {
  int fd;
  bool secure;
  mbedtls_ssl_context tls;
  mbedtls_ssl_config settings;
  char text[65536];
  const char *body;
} client;

static int client_transmit(void *context, const unsigned char *p, size_t n)
{
  ssize_t sent = send(((const client *)context)->fd, p, n, MSG_NOSIGNAL);
  return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

static int client_receive(void *context, unsigned char *p, size_t n)
{
  ssize_t got = recv(((const client *)context)->fd, p, n, 0);
  return got <= 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)got;
}

static void client_open(client *c, const wiped *w, bool secure)
{
  struct sockaddr_in a = { .sin_family = AF_INET };
  struct timeval patience = { PATIENCE / 1000, 0 };
  memset(c, 0, sizeof *c);
  c->secure = secure;
  a.sin_port = htons((uint16_t)w->place.ports[secure]);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  munit_assert_int(c->fd, >=, 0);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  munit_assert_int(connect(c->fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  if (!secure) return;
  mbedtls_ssl_init(&c->tls);
  mbedtls_ssl_config_init(&c->settings);
  munit_assert_int(psa_crypto_init(), ==, PSA_SUCCESS);
  munit_assert_int(mbedtls_ssl_config_defaults(&c->settings, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT), ==, 0);
  mbedtls_ssl_conf_rng(&c->settings, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_authmode(&c->settings, MBEDTLS_SSL_VERIFY_NONE); /* the certificate does not matter here */
  munit_assert_int(mbedtls_ssl_setup(&c->tls, &c->settings), ==, 0);
  mbedtls_ssl_set_bio(&c->tls, c, client_transmit, client_receive, NULL);
  munit_assert_int(mbedtls_ssl_handshake(&c->tls), ==, 0);
}

static void client_close(client *c)
{
  close(c->fd);
  if (!c->secure) return;
  mbedtls_ssl_free(&c->tls);
  mbedtls_ssl_config_free(&c->settings);
}

static int client_read(client *c, char *to, size_t n)
{
  int got;
  if (!c->secure) return (int)recv(c->fd, to, n, 0);
  do got = mbedtls_ssl_read(&c->tls, (unsigned char *)to, n);
  while (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET || got == MBEDTLS_ERR_SSL_WANT_READ);
  return got;
}

/* Sends a request. Returns the status. */
static int client_ask(client *c, const char *method, const char *path, const char *headers, const char *body)
{
  size_t n = http_write(c->text, sizeof c->text, method, path, headers, body), have = 0, at;
  char tag[64];
  munit_assert_size(n, >, 0);
  for (at = 0; at < n;) {
    int sent = c->secure ? mbedtls_ssl_write(&c->tls, (const unsigned char *)c->text + at, n - at)
                         : (int)send(c->fd, c->text + at, n - at, MSG_NOSIGNAL);
    munit_assert_int(sent, >, 0);
    at += (size_t)sent;
  }
  do {
    int got = client_read(c, c->text + have, sizeof c->text - 1 - have);
    munit_assert_int(got, >, 0);
    have += (size_t)got;
    c->text[have] = 0;
  } while (!http_whole(c->text, have, &c->body));
  return http_head(c->text, c->body, tag, sizeof tag);
}

/* ------------------------------------------------------------------------------------------------------------ the search */

enum { NEEDLES = 32, NEEDLE = 128, PIECE = 512, RUN = 16 /* pages: looked up at a time, and read at a time */ };

typedef struct needles {
  struct {
    const char *what;
    char text[NEEDLE];
    unsigned found;
    char where[160]; /* the last mapping in which the text was found */
  } each[NEEDLES];
  size_t n;
  char *bytes; /* the last NEEDLE bytes of the previous run, and RUN pages */
  unsigned char first[65536]; /* not 0: a text begins with these two bytes */
} needles;

static const char *needle_add(needles *s, const char *what, const char *text)
{
  munit_assert_size(s->n, <, NEEDLES);
  munit_assert_size(strlen(text), >=, 12); /* too long to occur by chance */
  s->each[s->n].what = what;
  snprintf(s->each[s->n].text, NEEDLE, "%s", text);
  s->first[(unsigned char)text[0] << 8 | (unsigned char)text[1]] = 1;
  return s->each[s->n++].text;
}

/* Counts texts that begin here. A text that ends before `fresh` was counted in the previous run. */
static void needles_at(needles *s, const char *at, const char *fresh, const char *end, const char *where)
{
  size_t i;
  for (i = 0; i < s->n; i++) {
    size_t n = strlen(s->each[i].text);
    if ((size_t)(end - at) < n || at + n <= fresh || memcmp(at, s->each[i].text, n) != 0) continue;
    s->each[i].found++;
    snprintf(s->each[i].where, sizeof s->each[i].where, "%.150s", where);
  }
}

static void needles_look(needles *s, size_t length, size_t carried, const char *where)
{
  const char *fresh = s->bytes + NEEDLE, *end = fresh + length, *at;
  unsigned two = 0;
  if (length && *fresh == 0 && memcmp(fresh, fresh + 1, length - 1) == 0) return; /* all zeros, as most pages are */
  for (at = fresh - carried; at < end; at++) {
    two = (two << 8 | (unsigned char)*at) & 0xFFFF;
    if (s->first[two] && at > fresh - carried) needles_at(s, at - 1, fresh, end, where);
  }
}

/* Searches the present pages of one mapping. */
static void needles_map(needles *s, int memory, int pages, uintptr_t from, uintptr_t to, const char *where)
{
  static uint64_t there[PIECE];
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t carried = 0;
  while (from < to) {
    size_t n = (to - from) / page < PIECE ? (to - from) / page : PIECE, i, run;
    if (pread(pages, there, n * 8, (off_t)(from / page * 8)) != (ssize_t)(n * 8)) return;
    for (i = 0; i < n; i += run) {
      bool present = there[i] >> 62 != 0; /* in memory, or swapped */
      for (run = 1; run < RUN && i + run < n && (there[i + run] >> 62 != 0) == present; run++) continue;
      if (present && pread(memory, s->bytes + NEEDLE, run * page, (off_t)(from + i * page)) == (ssize_t)(run * page)) {
        needles_look(s, run * page, carried, where);
        memcpy(s->bytes, s->bytes + run * page, NEEDLE); /* keeps the end of this run before the next one */
        carried = NEEDLE;
      } else {
        carried = 0;
      }
    }
    from += n * page;
  }
}

/* Counts the occurrences of each text. */
static void needles_count(needles *s, pid_t pid)
{
  char path[64], line[512];
  int memory, pages;
  FILE *maps;
  size_t i;
  for (i = 0; i < s->n; i++) s->each[i].found = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  maps = fopen(path, "r");
  snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
  memory = open(path, O_RDONLY | O_CLOEXEC);
  snprintf(path, sizeof path, "/proc/%d/pagemap", (int)pid);
  pages = open(path, O_RDONLY | O_CLOEXEC);
  munit_assert_not_null(maps);
  munit_assert_int(memory, >=, 0);
  munit_assert_int(pages, >=, 0);
  while (fgets(line, sizeof line, maps)) {
    unsigned long from, to;
    uint64_t room; /* 64 bits also where addresses have 32 */
    char rights[8];
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3) continue;
    room = to - from;
    if (rights[0] == 'r' && !strstr(line, "[v") && room < SHADOW) {
      line[strcspn(line, "\n")] = 0;
      needles_map(s, memory, pages, from, to, line);
    }
  }
  fclose(maps);
  close(memory);
  close(pages);
}

/* Checks that after a while the texts from number `from` on are no longer found, and the earlier ones are. */
static void needles_gone(needles *s, pid_t pid, size_t from, const char *when)
{
  int64_t until = now_ms() + PATIENCE;
  unsigned left;
  size_t i;
  do {
    needles_count(s, pid);
    for (left = 0, i = from; i < s->n; i++) left += s->each[i].found;
  } while (left && now_ms() < until);
  for (i = 0; i < from; i++)
    if (!s->each[i].found) munit_errorf("%s: %s is not found, so nothing would be", when, s->each[i].what);
  for (i = from; i < s->n; i++)
    if (s->each[i].found) fprintf(stderr, "%s: %s is there %u times, last in %s\n", when, s->each[i].what, s->each[i].found, s->each[i].where);
  munit_assert_uint(left, ==, 0);
}

/* ---------------------------------------------------------------------------------------------------------------- a test */

/* Adds a random secret of 20 letters. */
static const char *needle_new(needles *s, const char *what)
{
  unsigned char random[20];
  char text[21];
  size_t i;
  munit_assert_int(psa_generate_random(random, sizeof random), ==, PSA_SUCCESS);
  for (i = 0; i < 20; i++) text[i] = (char)('a' + random[i] % 26);
  text[20] = 0;
  return needle_add(s, what, text);
}

static const char *needle_of(needles *s, const char *what, const client *c, const char *member)
{
  char text[NEEDLE];
  if (!http_member(c->body, member, text, sizeof text)) munit_errorf("no %s in %s", member, c->body);
  return needle_add(s, what, text);
}

#define JSON "Content-Type: application/json\r\n"

static void wiped_requests(needles *s, client *c, const wiped *w)
{
  const svc_credentials *keys = &w->place.keys;
  char basic[200], plain[160], headers[700], path[160], body[600], agent[64];
  size_t length;
  snprintf(plain, sizeof plain, "%s:%s", keys->client_id, keys->client_secret);
  munit_assert_int(mbedtls_base64_encode((unsigned char *)basic, sizeof basic, &length, (const unsigned char *)plain, strlen(plain)), ==, 0);
  snprintf(headers, sizeof headers, "Authorization: Basic %s\r\nContent-Type: application/x-www-form-urlencoded\r\n", basic);
  needle_add(s, "Basic", basic);
  munit_assert_int(client_ask(c, "POST", "/api/oauth/token", headers, "grant_type=client_credentials"), ==, 200);
  snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\n" JSON, needle_of(s, "a token", c, "access_token"));
  snprintf(agent, sizeof agent, "user%d", c->secure);

  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers", keys->group_id);
  snprintf(body, sizeof body, "{\"username\":\"%s\",\"password\":\"%s\",\"databaseName\":\"admin\",\"roles\":[{\"roleName\":\"readAnyDatabase\",\"databaseName\":\"admin\"}]}",
           agent, needle_new(s, "a user's password"));
  munit_assert_int(client_ask(c, "POST", path, headers, body), ==, 201);
  munit_assert_int(client_ask(c, "POST", path, headers, body), ==, 409);
  snprintf(body, sizeof body, "{\"username\":\"%s\",\"password\":\"%s\" \"databaseName\"", agent, needle_new(s, "a password in what is no JSON"));
  munit_assert_int(client_ask(c, "POST", path, headers, body), ==, 400);
  snprintf(body, sizeof body, "{\"password\":\"%s\",\"roles\":7}", needle_new(s, "a password that is refused"));
  munit_assert_int(client_ask(c, "POST", path, headers, body), ==, 400);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers/admin/%s", keys->group_id, agent);
  snprintf(body, sizeof body, "{\"password\":\"%s\"}", needle_new(s, "a changed password"));
  munit_assert_int(client_ask(c, "PATCH", path, headers, body), ==, 200);
  munit_assert_int(client_ask(c, "GET", path, headers, NULL), ==, 200);

  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/integrations/DATADOG", keys->group_id);
  snprintf(body, sizeof body, "{\"type\":\"DATADOG\",\"region\":\"US\",\"apiKey\":\"0123456789ab%s\"}", needle_new(s, "an integration's key"));
  munit_assert_int(client_ask(c, c->secure ? "PUT" : "POST", path, headers, body), ==, c->secure ? 200 : 201);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/integrations", keys->group_id);
  munit_assert_int(client_ask(c, "GET", path, headers, NULL), ==, 200);

  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s/apiKeys", keys->org_id);
  munit_assert_int(client_ask(c, "POST", path, headers, "{\"desc\":\"for a test\",\"roles\":[\"ORG_MEMBER\"]}"), ==, 201);
  needle_of(s, "a private key", c, "privateKey");
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s/serviceAccounts", keys->org_id);
  munit_assert_int(client_ask(c, "POST", path, headers,
                              "{\"name\":\"one\",\"description\":\"of a test\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":8}"), ==, 201);
  needle_of(s, "an account's secret", c, "secret");
  munit_assert_int(client_ask(c, "GET", path, headers, NULL), ==, 200);
}

TEST(wiped, all)
{
  static needles s;
  static client c[2];
  wiped w;
  size_t i;
  SKIP_IF(getenv("SVC_TEST_QEMU")); /* the process would be the emulator's */
  wiped_start(&w);
  memset(&s, 0, sizeof s);
  s.bytes = malloc(NEEDLE + RUN * (size_t)sysconf(_SC_PAGESIZE));
  munit_assert_not_null(s.bytes);
  munit_assert_int(psa_crypto_init(), ==, PSA_SUCCESS);
  needle_add(&s, "a project's id", w.place.keys.group_id); /* not a secret */
  needle_add(&s, "the first private key", w.place.keys.private_key);
  needle_add(&s, "the first account's secret", w.place.keys.client_secret);
  for (i = 0; i < 2; i++) {
    client_open(&c[i], &w, i == 1);
    wiped_requests(&s, &c[i], &w);
    needles_gone(&s, w.pid, 1, i ? "https" : "http");
  }
  for (i = 0; i < 2; i++) client_close(&c[i]);
  needles_gone(&s, w.pid, 1, "closed");
  free(s.bytes);
  wiped_stop(&w);
}
