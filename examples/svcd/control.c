/*
** Test control: its token, the flags of tests, and the paths below /_svc/, which the library serves itself.
**
** The rule: test control is off without --test-control. With that flag, a caller needs the token and a loopback address; with
** --test-control-anywhere, only the token. The token comes from a file or the environment, or is random even with --seed. A random token is
** kept in the file of credentials. svcd prints the token only with --show-credentials, and programs that svcd starts do not inherit it.
*/
#define _GNU_SOURCE /* timegm */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define CONTROL_JOURNAL 1000
#define CONTROL_FILE 8192 /* bytes that a file of credentials may have */

int svcd_handle(void *token, svc *s, const svc_request *request, svc_response *response)
{
  const char *text = token;
  return svc_control_request(s, text[0] ? text : NULL, request, response);
}

/* --------------------------------------------------------------------------------------------------------------- the console */

static int control_starts(const svc_request *r, const char *with)
{
  const size_t all = r->target_length ? r->target_length : strlen(r->target), n = strlen(with);
  return all >= n && memcmp(r->target, with, n) == 0;
}

/*
** The library refuses all web pages, even those of its own address, because it cannot know who serves them. svcd knows, because svcd serves
** the console and no other page. The browser sets Origin, and a page cannot. The check of Host refuses pages whose DNS name leads here.
*/
int svcd_vouch(const svc_request *request, svc_request *out, svc_header headers[SVCD_HEADERS])
{
  size_t i, n = 0;
  if (!control_starts(request, "/_svc/") || control_starts(request, "/_svc/metrics")) return 0;
  if (request->header_count > SVCD_HEADERS || !svcd_is_own_page(request)) return 0;
  for (i = 0; i < request->header_count; i++) {
    const svc_header *h = &request->headers[i];
    if (h->name_length != 6 || strncasecmp(h->name, "Origin", 6) != 0) headers[n++] = *h;
  }
  *out = *request;
  out->headers = headers;
  out->header_count = n;
  return 1;
}

/* Returns the text of a built-in world, or NULL if the name is unknown. */
static const char *control_world(const char *name, size_t n)
{
  const svcd_world_file *w;
  for (w = svcd_world_files; w->name; w++)
    if (strlen(w->name) == n && memcmp(w->name, name, n) == 0) return w->text;
  return NULL;
}

int svcd_worlds_takes(const svc_request *request, svc_response *response)
{
  static const char path[] = "/_svc/worlds";
  static const char names[] = "[\"company\",\"empty\",\"team\"]"; /* as in world_files.c; test/check/sign_in_link.sh compares */
  static const svc_header type = { "Content-Type", "application/json", 12, 16 };
  const size_t all = request->target_length ? request->target_length : strlen(request->target), n = sizeof path - 1;
  const char *text = NULL;
  if (strcmp(request->method, "GET") != 0 || !control_starts(request, path)) return 0;
  if (all == n) text = names;
  else if (request->target[n] == '/') text = control_world(request->target + n + 1, all - n - 1);
  if (!text) return 0;
  memset(response, 0, sizeof *response);
  response->status = 200;
  response->headers = &type;
  response->header_count = 1;
  response->body = text;
  response->body_length = strlen(text);
  return 1;
}

/* -------------------------------------------------------------------------------------------------------------- large bodies */

#define CONTROL_BODY (((size_t)64 << 20) + 4096) /* most bytes of a snapshot: the default of svc_config.max_snapshot, and the file's head */
#define CONTROL_CLOSED INT64_C(500000000)        /* nanoseconds, like the library's delay after a wrong token */

/* Returns true for a request that loads a world or a snapshot. */
static int control_is_load(const svc_request *r)
{
  static const char world[] = "/_svc/world", snapshots[] = "/_svc/snapshots/";
  const size_t n = r->target_length ? r->target_length : strlen(r->target);
  if (strcmp(r->method, "POST") == 0) return n == sizeof world - 1 && memcmp(r->target, world, n) == 0;
  return strcmp(r->method, "PUT") == 0 && n > sizeof snapshots - 1 && memcmp(r->target, snapshots, sizeof snapshots - 1) == 0;
}

/* Compares a sent token with the real one, in constant time. */
static int control_same(const char *sent, size_t n, const char *token)
{
  const size_t length = strlen(token);
  unsigned differs = n != length;
  size_t i;
  for (i = 0; i < n; i++) differs |= (unsigned char)sent[i] ^ (unsigned char)token[i % length];
  return !differs;
}

/* Returns the bearer token of a request (RFC 6750) and its length; *n 0: missing. */
static const char *control_bearer(const svc_request *r, size_t *n)
{
  static const char bearer[] = "Bearer ";
  size_t i;
  *n = 0;
  for (i = 0; i < r->header_count; i++) {
    const svc_header *h = &r->headers[i];
    if (h->name_length != 13 || strncasecmp(h->name, "Authorization", 13) != 0) continue;
    if (h->value_length < sizeof bearer || strncasecmp(h->value, bearer, sizeof bearer - 1) != 0) return "";
    *n = h->value_length - (sizeof bearer - 1);
    return h->value + sizeof bearer - 1;
  }
  return "";
}

size_t svcd_body_limit(void *large, const svc_request *request)
{
  svcd_large *k = large;
  const int64_t now = svcd_monotonic(NULL);
  const char *sent;
  size_t n;
  if (!k->token[0] || !control_is_load(request)) return 0;
  sent = control_bearer(request, &n);
  if (!n || atomic_load(&k->closed) > now) return 0;
  if (control_same(sent, n, k->token)) return CONTROL_BODY;
  atomic_store(&k->closed, now + CONTROL_CLOSED);
  return 0;
}

/* ------------------------------------------------------------------------------------------------------------ the token */

/* Reads the file of credentials. Returns its length, or -1 if it is missing or was not written by svcd. */
static long control_read(const char *path, char text[CONTROL_FILE])
{
  FILE *f = *path ? fopen(path, "re") : NULL;
  size_t n;
  if (!f) return -1;
  n = fread(text, 1, CONTROL_FILE - 1, f);
  fclose(f);
  text[n] = '\0';
  return n < CONTROL_FILE - 1 ? (long)n : -1;
}

#define CONTROL_LEAST 16 /* characters of a token */
static const char control_characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="; /* RFC 6750, token68 */
static const char control_member[] = "\"testToken\":\"";

/* Returns the token in a file of credentials, and its length; NULL: missing or invalid. */
static const char *control_find(const char *text, size_t *n)
{
  const char *at = strstr(text, control_member);
  if (!at) return NULL;
  at += sizeof control_member - 1;
  *n = strspn(at, control_characters);
  return *n >= CONTROL_LEAST && *n < SVCD_TOKEN && at[*n] == '"' ? at : NULL;
}

/* Checks and takes a token given by the user. Returns 0, or the exit status. */
static int control_take(const char *from, const char *text, size_t n, char token[SVCD_TOKEN])
{
  if (n < CONTROL_LEAST)
    return svcd_error(2, "%s: the token of test control needs at least %d characters (got %zu)", from, CONTROL_LEAST, n);
  if (n >= SVCD_TOKEN) return svcd_error(2, "%s: the token of test control has at most %d characters", from, SVCD_TOKEN - 1);
  if (strspn(text, control_characters) < n)
    return svcd_error(2, "%s: the token of test control may contain only letters, digits and - . _ ~ + / =", from);
  memcpy(token, text, n);
  token[n] = '\0';
  return 0;
}

/* Reads the token of the flag, or else of the variable; "": neither is set. Returns 0, or the exit status. */
static int control_given(const svcd_options *o, char token[SVCD_TOKEN])
{
  char text[CONTROL_FILE];
  const char *variable = getenv(SVCD_TEST_TOKEN);
  int status = 0;
  long n;
  if (o->test_token_file) {
    errno = 0;
    n = control_read(o->test_token_file, text);
    if (n < 0)
      return svcd_error(1, "cannot read --test-control-token-file %s: %s", o->test_token_file, errno ? strerror(errno) : "it is too long");
    while (n > 0 && strchr(" \r\n\t", text[n - 1])) text[--n] = '\0';
    status = control_take("--test-control-token-file", text, (size_t)n, token);
    explicit_bzero(text, sizeof text);
  } else if (variable && *variable) {
    status = control_take(SVCD_TEST_TOKEN " in the environment", variable, strlen(variable), token);
  }
  unsetenv(SVCD_TEST_TOKEN); /* so that a driver's program does not inherit the token */
  return status;
}

static int control_make(char token[SVCD_TOKEN])
{
  unsigned char bytes[32];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  int good = fd >= 0 && read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
  size_t i;
  if (fd >= 0) close(fd);
  for (i = 0; good && i < sizeof bytes; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return good ? 0 : svcd_error(1, "the system returned no random bytes");
}

int svcd_test_token(const svcd_options *o, char token[SVCD_TOKEN])
{
  char path[SVCD_PATH], text[CONTROL_FILE];
  const char *at;
  size_t n;
  int status;
  token[0] = '\0';
  if (!o->test_control) return 0;
  status = control_given(o, token);
  if (status != 0 || token[0]) return status;
  if (!svcd_credentials_path(o, path)) return 1;
  at = control_read(path, text) >= 0 ? control_find(text, &n) : NULL;
  if (!at) return control_make(token);
  memcpy(token, at, n);
  token[n] = '\0';
  return 0;
}

/* Writes the file again, completely or not at all: the first `to` bytes of `before`, the token, then `behind`. */
static int control_write(const char *path, const char *before, size_t to, const char *token, const char *behind)
{
  char text[CONTROL_FILE + SVCD_TOKEN + 64];
  int length = snprintf(text, sizeof text, "%.*s%s%s", (int)to, before, token, behind);
  return svcd_put_file(path, text, (size_t)length, SVCD_PUT_REPLACE);
}

/* The file may be older than --test-control, may have been moved, or may contain another token. */
int svcd_keep_test_token(const svcd_options *o, const char *base_url, const char *token)
{
  char path[SVCD_PATH], text[CONTROL_FILE], member[SVCD_TOKEN + 32];
  const char *there;
  size_t length;
  long n;
  if (!svcd_credentials_path(o, path)) return 1;
  if (!*path) return 0;
  n = control_read(path, text);
  there = n >= 0 ? control_find(text, &length) : NULL;
  if (there && length == strlen(token) && memcmp(there, token, length) == 0) return 0;
  if (there) return control_write(path, text, (size_t)(there - text), token, there + length);
  if (n < 0 && access(path, F_OK) == 0) return svcd_error(1, "%s is not a file of credentials: no testToken can be added to it", path);
  if (n < 0) n = snprintf(text, sizeof text, "{\"baseUrl\":\"%.2000s\"}", base_url);
  while (n > 0 && strchr(" \r\n\t", text[n - 1])) n--;
  if (n < 2 || text[n - 1] != '}') return svcd_error(1, "%s is not a file of credentials: no testToken can be added to it", path);
  snprintf(member, sizeof member, ",%s%s", control_member, token);
  return control_write(path, text, (size_t)n - 1, member, "\"}\n");
}

/* ------------------------------------------------------------------------------------------------------------ the flags */

/* Reads a number from 1 to `most` that is followed by the character `end`. Returns the text after that, or NULL. */
static const char *control_number(const char *text, char end, unsigned long long most, unsigned long long *out)
{
  char *behind;
  errno = 0;
  *out = strtoull(text, &behind, 10);
  if (text[0] < '0' || text[0] > '9' || *behind != end || errno || *out == 0 || *out > most) return NULL;
  return end ? behind + 1 : behind;
}

/* Reads ID=CAPACITY/REFILL/SECONDS. The text is an argument of the process and so is writable: the id is terminated in place. */
static int control_limit(const char *text, svc_limit_override *out)
{
  const char *at = strchr(text, '=');
  unsigned long long capacity, rate, seconds;
  size_t n = at ? (size_t)(at - text) : 0;
  if (n == 0 || !(at = control_number(at + 1, '/', INT32_MAX, &capacity)) ||
      !(at = control_number(at, '/', INT32_MAX, &rate)) || !control_number(at, '\0', INT32_MAX, &seconds))
    return svcd_error(2, "--limit %s: ID=CAPACITY/REFILL/SECONDS, for example clusters_group=10/5/60", text);
  ((char *)(uintptr_t)text)[n] = '\0';
  *out = (svc_limit_override){ text, (int64_t)capacity, (int64_t)rate, (int64_t)seconds };
  return 0;
}

static int control_clock(const char *text, int64_t *out)
{
  struct timespec now;
  struct tm t;
  const char *end;
  memset(&t, 0, sizeof t);
  if (strcmp(text, "manual") == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0) {
    *out = (int64_t)now.tv_sec * 1000;
    return 0;
  }
  end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &t);
  if (end && !*end) *out = (int64_t)timegm(&t) * 1000;
  return end && !*end && *out > 0 ? 0 : svcd_error(2, "--clock %s: manual, or a time such as 2030-01-01T00:00:00Z", text);
}

int svcd_test_config(const svcd_options *o, svc_config *config, svc_limit_override limits[SVCD_LIMITS])
{
  unsigned long long seed;
  size_t i;
  for (i = 0; i < o->limit_count; i++)
    if (control_limit(o->limits[i], &limits[i]) != 0) return SVC_INVALID;
  config->limits = limits;
  config->limit_count = o->limit_count;
  if (o->seed && !control_number(o->seed, '\0', UINT64_MAX, &seed)) {
    svcd_error(2, "--seed %s: a number from 1 to %llu", o->seed, (unsigned long long)UINT64_MAX);
    return SVC_INVALID;
  }
  if (o->seed) config->seed = seed;
  if (svcd_world_clock(o) > 0) config->manual_clock = svcd_world_clock(o);
  if ((o->clock || (o->clock_rate && !config->manual_clock)) && control_clock(o->clock ? o->clock : "manual", &config->manual_clock) != 0)
    return SVC_INVALID;
  config->clock_rate = o->world_text ? 0 : o->clock_rate; /* with a world the clock runs when the world is loaded: svcd_world_load() */
  config->control_anywhere = o->test_anywhere;
  config->control_hosts = o->hosts_text;
  if (o->test_control) config->journal = CONTROL_JOURNAL;
  return SVC_OK;
}
