/*
** Test control as users see it: build/svcd with its flags for tests, lost and late answers over a socket, unknown paths, and a token
** that stays the same.
**
** Skipped where build/svcd cannot run: in an emulator, or if no such program was built.
*/
#define _GNU_SOURCE /* pipe2, mkdtemp */
#include "listener/common.h"

#include <mbedtls/base64.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OPEN "/api/svc/v2/unauth/controlPlaneIPAddresses" /* needs no credentials */

typedef struct run {
  char folder[64], file[96], token[160];
  pid_t pid;
  int out, port;
  char text[4096];
} run;

static void begin(run *r)
{
  memset(r, 0, sizeof *r);
  strcpy(r->folder, "/tmp/control_test_XXXXXX");
  munit_assert_not_null(mkdtemp(r->folder));
  snprintf(r->file, sizeof r->file, "%s/bootstrap.json", r->folder);
}

static void start(run *r, const char *const *args)
{
  r->text[0] = '\0';
  r->pid = svcd_start(args, &r->out, NULL, NULL);
}

static int finish(run *r, int with)
{
  int status;
  if (with) kill(r->pid, with);
  status = svcd_status(r->pid);
  if (!with) read_until(r->out, r->text, sizeof r->text, NULL);
  close(r->out);
  return status;
}

static void end(run *r)
{
  char command[128];
  munit_assert_int(finish(r, SIGTERM), ==, 0);
  snprintf(command, sizeof command, "rm -rf '%s'", r->folder);
  munit_assert_int(system(command), ==, 0);
}

/* Waits until svcd is ready. Reads the port, and the token of test control if the bootstrap file has one. */
static void await_ready(run *r)
{
  char text[4096];
  const char *at;
  FILE *f;
  size_t n;
  if (!read_until(r->out, r->text, sizeof r->text, "svcd ready on http://")) munit_errorf("svcd is not ready: %s", r->text);
  r->port = atoi(strchr(strstr(r->text, "ready on http://") + 16, ':') + 1);
  f = fopen(r->file, "r");
  munit_assert_not_null(f);
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  at = strstr(text, "\"testToken\":\"");
  snprintf(r->token, sizeof r->token, "%.64s", at ? at + 13 : "");
}

static int dial(const run *r)
{
  struct sockaddr_in a;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)r->port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  munit_assert_int(connect(fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  return fd;
}

static int ask(const run *r, const char *method, const char *path, const char *body)
{
  char text[1024];
  int fd = dial(r), n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"
                                 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", method, path, r->token, strlen(body), body);
  munit_assert_int((int)send(fd, text, (size_t)n, MSG_NOSIGNAL), ==, n);
  return fd;
}

/* Returns the status of the answer; 0: the connection was closed without an answer. */
static int hear(int fd, char *answer, size_t size)
{
  int status = 0;
  answer[0] = '\0';
  read_until(fd, answer, size, NULL);
  close(fd);
  sscanf(answer, "HTTP/1.1 %3d", &status);
  return status;
}

static int call(const run *r, const char *method, const char *path, const char *body, char *answer, size_t size)
{
  return hear(ask(r, method, path, body), answer, size);
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

/* Test control is off by default: its paths are then unknown paths. */
TEST(control, off)
{
  static const char *const paths[] = { "/_svc/clock", "/_svc/reset", "/_svc/faults", "/_svc/journal", "/_svc/snapshots" };
  char answer[4096], wanted[512];
  run r;
  const char *args[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", NULL };
  size_t i;
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, args);
  await_ready(&r);
  munit_assert_string_equal(r.token, "");
  munit_assert_int(call(&r, "GET", "/_svc/health", "", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "\"status\":\"ok\""));
  for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    munit_assert_int(call(&r, "POST", paths[i], "{}", answer, sizeof answer), ==, 404);
    snprintf(wanted, sizeof wanted, "{\"detail\":\"Cannot find resource %s; test control is off, or it has no such path (svcd --test-control turns it on).\",\"error\":404,\"errorCode\":\"RESOURCE_NOT_FOUND\",\"parameters\":[\"%s\"],"
             "\"reason\":\"Not Found\"}", paths[i], paths[i]);
    munit_assert_not_null(strstr(answer, wanted));
  }
  end(&r);
}

/* A lost answer sends no byte. A late answer delays no other request, and its own request is done at once. */
TEST(control, faults)
{
  char answer[8192];
  run r;
  const char *args[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", "--test-control", "--writers", "1", NULL };
  int late, i;
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, args);
  await_ready(&r);
  munit_assert_size(strlen(r.token), ==, 64);
  munit_assert_int(call(&r, "POST", "/_svc/faults", "{\"drop\":\"after\",\"count\":1}", answer, sizeof answer), ==, 201);
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 0);
  munit_assert_string_equal(answer, "");
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 200);
  munit_assert_int(call(&r, "POST", "/_svc/faults", "{\"delayMs\":1500,\"count\":2}", answer, sizeof answer), ==, 201);
  late = ask(&r, "GET", OPEN, "");
  i = ask(&r, "POST", "/api/oauth/token", ""); /* by the only writer, which is free for others */
  /* both faults have been used up */
  await(call(&r, "GET", "/_svc/faults", "", answer, sizeof answer) == 200 && strstr(answer, "\r\n\r\n[]"));
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 200);
  munit_assert_int(call(&r, "POST", "/_svc/faults", "{\"delayMs\":1}", answer, sizeof answer), ==, 201);
  munit_assert_int(poll(&(struct pollfd){ late, POLLIN, 0 }, 1, 0), ==, 0); /* all these requests were answered first */
  munit_assert_int(hear(late, answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "\"inbound\"")); /* the complete answer */
  munit_assert_int(hear(i, answer, sizeof answer), ==, 400);
  end(&r);
}

/* The token survives restarts, and is added to a store that was created without test control. Only the owner can read its file. */
TEST(control, token)
{
  char answer[8192], token[80];
  struct stat st;
  run r;
  const char *plain[] = { "--data", r.folder, "--listen", "http://127.0.0.1:0", NULL };
  const char *args[] = { "--data", r.folder, "--listen", "http://127.0.0.1:0", "--test-control", NULL };
  int i;
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, plain);
  await_ready(&r);
  munit_assert_int(finish(&r, SIGTERM), ==, 0);
  for (i = 0; i < 2; i++) {
    start(&r, args);
    await_ready(&r);
    if (i == 0) memcpy(token, r.token, sizeof token);
    munit_assert_size(strlen(r.token), ==, 64);
    munit_assert_string_equal(r.token, token);
    munit_assert_null(strstr(r.text, token)); /* not printed */
    munit_assert_int(call(&r, "POST", "/_svc/reset", "", answer, sizeof answer), ==, 204);
    /* the clock is not manual */
    munit_assert_int(call(&r, "POST", "/_svc/clock", "{\"advanceSeconds\":1}", answer, sizeof answer), ==, 400);
    munit_assert_int(stat(r.file, &st), ==, 0);
    munit_assert_int((int)(st.st_mode & 0777), ==, 0600);
    if (i == 0) munit_assert_int(finish(&r, SIGTERM), ==, 0);
  }
  r.token[0] ^= 1;
  munit_assert_int(call(&r, "POST", "/_svc/reset", "", answer, sizeof answer), ==, 401);
  end(&r);
}

/* The user sets the token, in a file or in the environment. The token replaces the previous one. svcd listens at any address. */
TEST(control, anywhere)
{
  static const char given[] = "a-token_of.ours~0123456789";
  char answer[8192], path[128];
  run r;
  const char *plain[] = { "--data", r.folder, "--listen", "http://127.0.0.1:0", "--test-control", NULL };
  const char *args[] = { "--data", r.folder, "--listen", "http://0.0.0.0:0", "--plain-http", "--test-control-anywhere", "--test-control-token-file", path, NULL };
  const char *var[] = { "--data", r.folder, "--listen", "http://0.0.0.0:0", "--plain-http", "--test-control-anywhere", NULL };
  FILE *f;
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, plain);
  await_ready(&r);
  munit_assert_size(strlen(r.token), ==, 64);
  munit_assert_int(finish(&r, SIGTERM), ==, 0);
  snprintf(path, sizeof path, "%s/token", r.folder);
  f = fopen(path, "w");
  munit_assert_not_null(f);
  fprintf(f, "%s\n", given);
  fclose(f);
  start(&r, args);
  await_ready(&r);
  munit_assert_int(strncmp(r.token, given, sizeof given - 1), ==, 0); /* the file of credentials has the token, too */
  snprintf(r.token, sizeof r.token, "%s", given);
  munit_assert_int(call(&r, "POST", "/_svc/reset", "", answer, sizeof answer), ==, 204);
  munit_assert_null(strstr(r.text, given)); /* not printed */
  munit_assert_int(finish(&r, SIGINT), ==, 0);
  setenv("SVCD_TEST_CONTROL_TOKEN", "another-token-0123456789", 1);
  start(&r, var);
  unsetenv("SVCD_TEST_CONTROL_TOKEN");
  await_ready(&r);
  munit_assert_int(strncmp(r.token, "another-token-0123456789\"", 25), ==, 0);
  snprintf(r.token, sizeof r.token, "%s", given); /* the previous token is invalid */
  munit_assert_int(call(&r, "POST", "/_svc/reset", "", answer, sizeof answer), ==, 401);
  snprintf(r.token, sizeof r.token, "another-token-0123456789");
  munit_assert_int(call(&r, "POST", "/_svc/reset", "", answer, sizeof answer), ==, 204);
  munit_assert_int(finish(&r, SIGINT), ==, 0);
  setenv("SVCD_TEST_CONTROL_TOKEN", "too short", 1);
  start(&r, var);
  unsetenv("SVCD_TEST_CONTROL_TOKEN");
  munit_assert_int(finish(&r, 0), ==, 2);
  munit_assert_not_null(strstr(r.text, "SVCD_TEST_CONTROL_TOKEN in the environment: the token of test control needs at least 16 characters (got 9)"));
  start(&r, plain);
  await_ready(&r);
  munit_assert_int(strncmp(r.token, "another-token-0123456789\"", 25), ==, 0); /* the token is kept */
  end(&r);
}

/* The clock runs: a day passes without a request that moves the clock. A request sets the rate to 0. */
TEST(control, rate)
{
  char answer[8192];
  run r;
  const char *args[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", "--test-control", "--clock", "2030-01-01T00:00:00Z",
                         "--clock-rate", "100000", NULL };
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, args);
  await_ready(&r);
  munit_assert_int(call(&r, "GET", "/_svc/clock", "", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "\"rate\":100000"));
  /* a day takes 0.9 s */
  await(call(&r, "GET", "/_svc/clock", "", answer, sizeof answer) == 200 && !strstr(answer, "\"now\":\"2030-01-01T"));
  munit_assert_int(call(&r, "POST", "/_svc/clock", "{\"rate\":0}", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "\"rate\":0"));
  end(&r);
}

TEST(control, limits)
{
  char answer[8192];
  run r;
  const char *args[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", "--limit", "controlPlaneIPAddresses_ip=2/1/60", NULL };
  const char *off[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", "--limiter-off", NULL };
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, args);
  await_ready(&r);
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "RateLimit-Limit: 2\r\n"));
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 200);
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 429);
  munit_assert_int(finish(&r, SIGTERM), ==, 0);
  start(&r, off);
  await_ready(&r);
  munit_assert_int(call(&r, "GET", OPEN, "", answer, sizeof answer), ==, 200);
  munit_assert_null(strstr(answer, "RateLimit"));
  end(&r);
}

/* Reads a member of the bootstrap file. */
static void file_member(const run *r, const char *name, char *out, size_t size)
{
  char text[4096], label[32];
  FILE *f = fopen(r->file, "r");
  const char *at;
  munit_assert_not_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  snprintf(label, sizeof label, "\"%s\":\"", name);
  at = strstr(text, label);
  munit_assert_not_null(at);
  at += strlen(label);
  snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* Gets an access token as the owner; later requests use it instead of the test token. */
static void sign_in(run *r)
{
  char id[64], secret[96], pair[192], text[512], answer[4096];
  unsigned char basic[320];
  const char *body = "grant_type=client_credentials", *at;
  size_t length;
  int fd = dial(r), n;
  file_member(r, "clientId", id, sizeof id);
  file_member(r, "clientSecret", secret, sizeof secret);
  snprintf(pair, sizeof pair, "%s:%s", id, secret);
  munit_assert_int(mbedtls_base64_encode(basic, sizeof basic, &length, (const unsigned char *)pair, strlen(pair)), ==, 0);
  n = snprintf(text, sizeof text, "POST /api/oauth/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic %s\r\n"
               "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %zu\r\n\r\n%s", (char *)basic, strlen(body), body);
  munit_assert_int((int)send(fd, text, (size_t)n, MSG_NOSIGNAL), ==, n);
  munit_assert_int(hear(fd, answer, sizeof answer), ==, 200);
  at = strstr(answer, "\"access_token\":\"");
  munit_assert_not_null(at);
  snprintf(r->token, sizeof r->token, "%.*s", (int)strcspn(at + 16, "\""), at + 16);
}

/* Due steps run without a request of the API: svcd deletes an access token that has expired. Requests of test control run no due step. */
TEST(control, due)
{
  char answer[8192], before[160];
  run r;
  const char *args[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", "--test-control", "--clock", "2030-01-01T00:00:00Z", NULL };
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, args);
  await_ready(&r);
  memcpy(before, r.token, sizeof before);
  sign_in(&r);
  memcpy(r.token, before, sizeof before);
  munit_assert_int(call(&r, "GET", "/_svc/due", "", answer, sizeof answer), ==, 200);
  munit_assert_not_null(strstr(answer, "\"what\":\"expiry\""));
  munit_assert_int(call(&r, "POST", "/_svc/clock", "{\"rate\":100000}", answer, sizeof answer), ==, 200);
  await(call(&r, "GET", "/_svc/due", "", answer, sizeof answer) == 200 && strstr(answer, "\r\n\r\n[]"));
  end(&r);
}

/* A day of a cluster whose metrics alerts check every minute takes some dozens of commits instead of 1,440, each of which waits for
** the disk. The log level must not be info: only at that level does svcd deliver notifications of alerts, to its log. */
TEST(control, strides)
{
  static char answer[262144];
  char path[96], group[32], before[160];
  run r;
  const char *args[] = { "--memory", "--bootstrap", r.file, "--listen", "http://127.0.0.1:0", "--test-control", "--metrics", "--clock",
                         "2030-01-01T00:00:00Z", NULL };
  const char *at;
  SKIP_IF(!can_run());
  begin(&r);
  start(&r, args);
  await_ready(&r);
  memcpy(before, r.token, sizeof before);
  file_member(&r, "groupId", group, sizeof group);
  sign_in(&r);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/clusters", group);
  munit_assert_int(call(&r, "POST", path, "{\"name\":\"a\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                        "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\","
                        "\"nodeCount\":3}}]}]}", answer, sizeof answer), ==, 201);
  memcpy(r.token, before, sizeof before);
  munit_assert_int(call(&r, "POST", "/_svc/clock", "{\"advanceSeconds\":86400}", answer, sizeof answer), ==, 200);
  munit_assert_int(call(&r, "GET", "/_svc/metrics", "", answer, sizeof answer), ==, 200);
  at = strstr(answer, "\nsvc_commits_total ");
  munit_assert_not_null(at);
  munit_assert_int(atoi(at + 19), >, 2); /* each day has some work */
  munit_assert_int(atoi(at + 19), <, 100);
  end(&r);
}

/* Invalid command lines: the status, and part of the message. */
TEST(control, flags)
{
#define MEMORY "--memory", "--show-credentials", "--listen"
  static const struct {
    const char *args[10], *says;
  } rows[] = {
    { { MEMORY, "http://0.0.0.0:0", "--test-control" }, "for loopback only" },
    { { MEMORY, "http://127.0.0.1:0", "--listen", "http://[::]:0", "--test-control" }, "for loopback only" },
    { { MEMORY, "http://0.0.0.0:0", "--seed", "5" }, "for loopback only" },
    { { MEMORY, "http://127.0.0.1.example.com:0", "--test-control" }, "for loopback only" },
    { { MEMORY, "http://127.0.0.1:0", "--clock", "manual" }, "--clock needs --test-control" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control", "--clock", "noon" }, "--clock noon" },
    { { MEMORY, "http://127.0.0.1:0", "--clock-rate", "5" }, "--clock-rate needs --test-control" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control", "--clock-rate", "0" }, "from 1 to 1000000" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control", "--test-control-host", "a" }, "needs --test-control-anywhere" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control-token-file", "/dev/null" }, "needs --test-control" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control", "--test-control-token-file", "/dev/null" }, "at least 16 characters (got 0)" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control-anywhere", "--test-control-host", "http://a" }, "without scheme and port" },
    { { MEMORY, "http://127.0.0.1:0", "--test-control-anywhere", "--test-control-host", "a..b" }, "--test-control-host must be" },
    { { MEMORY, "http://0.0.0.0:0", "--test-control-anywhere" }, "--plain-http" },
    { { MEMORY, "http://127.0.0.1:0", "--seed", "0" }, "--seed 0" },
    { { MEMORY, "http://127.0.0.1:0", "--limit", "clusters_group=0/1/1" }, "ID=CAPACITY" },
    { { MEMORY, "http://127.0.0.1:0", "--limit", "clusters_group=1/1" }, "ID=CAPACITY" },
    { { MEMORY, "http://127.0.0.1:0", "--limit", "nothing=1/1/1" }, "nothing is not the id" },
    { { "--memory" }, "--show-credentials" },
    { { "--memory", "--data", "/tmp/x", "--show-credentials" }, "--memory and --data exclude each other" },
    { { "--test-control" }, "--data DIR is missing" },
    { { "--store", "postgres://svc@127.0.0.1/svc" }, "--data DIR is missing: the folder for the secret key" },
  };
  run r;
  size_t i;
  SKIP_IF(!can_run());
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memset(&r, 0, sizeof r);
    start(&r, rows[i].args);
    munit_assert_int(finish(&r, 0), ==, 2);
    if (!strstr(r.text, rows[i].says)) munit_errorf("%s is not said: %s", rows[i].says, r.text);
  }
}
