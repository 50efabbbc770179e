/*
** Test control: its token, the flags of tests, and the paths below /_svc/, which the library serves itself.
**
** The rule it keeps: nothing of it is on unless --test-control says so, and then only for who can reach loopback and read the
** file of credentials. The token is random whatever --seed says, stays the same while that file does, and is never printed unless
** --show-credentials asks for it.
*/
#define _GNU_SOURCE /* timegm */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONTROL_JOURNAL 1000
#define CONTROL_FILE 8192 /* bytes that a file of credentials may have */

int svcd_handle(void *token, svc *s, const svc_request *request, svc_response *response)
{
  const char *text = token;
  return svc_control_request(s, text[0] ? text : NULL, request, response);
}

/* ------------------------------------------------------------------------------------------------------------ the token */

/* The file of credentials, as text; its length, or -1: there is none, or none that we have written. */
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

/* Its token; 0: it has none. */
static int control_find(const char *text, char token[SVCD_TOKEN])
{
  static const char name[] = "\"testToken\":\"";
  const char *at = strstr(text, name);
  if (!at || strspn(at + sizeof name - 1, "0123456789abcdef") != SVCD_TOKEN - 1) return 0;
  memcpy(token, at + sizeof name - 1, SVCD_TOKEN - 1);
  token[SVCD_TOKEN - 1] = '\0';
  return 1;
}

static int control_make(char token[SVCD_TOKEN])
{
  unsigned char bytes[(SVCD_TOKEN - 1) / 2];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  int good = fd >= 0 && read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
  size_t i;
  if (fd >= 0) close(fd);
  for (i = 0; good && i < sizeof bytes; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return good ? 0 : svcd_error(1, "the system gives no random bytes");
}

int svcd_test_token(const svcd_options *o, char token[SVCD_TOKEN])
{
  char path[SVCD_PATH], text[CONTROL_FILE];
  token[0] = '\0';
  if (!o->test_control) return 0;
  if (!svcd_credentials_path(o, path)) return 1;
  if (control_read(path, text) >= 0 && control_find(text, token)) return 0;
  return control_make(token);
}

/* The file with one more member; in full, or as it was. */
static int control_write(const char *path, const char *before, long n, const char *token)
{
  char text[CONTROL_FILE + 128];
  int length = snprintf(text, sizeof text, "%.*s,\"testToken\":\"%s\"}\n", (int)n, before, token);
  return svcd_put_file(path, text, (size_t)length, 1);
}

/* The store may be older than --test-control, or its file have been moved away. */
int svcd_keep_test_token(const svcd_options *o, const char *base_url, const char *token)
{
  char path[SVCD_PATH], text[CONTROL_FILE], there[SVCD_TOKEN];
  long n;
  if (!svcd_credentials_path(o, path)) return 1;
  if (!*path) return 0;
  n = control_read(path, text);
  if (n >= 0 && control_find(text, there)) return 0;
  if (n < 0 && access(path, F_OK) == 0) return svcd_error(1, "%s is no file of credentials: no testToken can be added to it", path);
  if (n < 0) n = snprintf(text, sizeof text, "{\"baseUrl\":\"%.2000s\"}", base_url);
  while (n > 0 && strchr(" \r\n\t", text[n - 1])) n--;
  if (n < 2 || text[n - 1] != '}') return svcd_error(1, "%s is no file of credentials: no testToken can be added to it", path);
  return control_write(path, text, n - 1, token);
}

/* ------------------------------------------------------------------------------------------------------------ the flags */

/* A whole number from 1 on, up to `most`, that ends at this character. NULL: it is none; else what follows. */
static const char *control_number(const char *text, char end, unsigned long long most, unsigned long long *out)
{
  char *behind;
  errno = 0;
  *out = strtoull(text, &behind, 10);
  if (text[0] < '0' || text[0] > '9' || *behind != end || errno || *out == 0 || *out > most) return NULL;
  return end ? behind + 1 : behind;
}

/* ID=CAPACITY/RATE/SECONDS. The text is the command line's, and ours to write to: the id gets its end in it. */
static int control_limit(const char *text, svc_limit_override *out)
{
  const char *at = strchr(text, '=');
  unsigned long long capacity, rate, seconds;
  size_t n = at ? (size_t)(at - text) : 0;
  if (n == 0 || !(at = control_number(at + 1, '/', INT32_MAX, &capacity)) ||
      !(at = control_number(at, '/', INT32_MAX, &rate)) || !control_number(at, '\0', INT32_MAX, &seconds))
    return svcd_error(2, "--limit %s: ID=CAPACITY/RATE/SECONDS, for example clusters_group=10/5/60", text);
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
  if (o->clock && control_clock(o->clock, &config->manual_clock) != 0) return SVC_INVALID;
  if (o->test_control) config->journal = CONTROL_JOURNAL;
  return SVC_OK;
}
