/*
** Redis in production setups (ports/redis/tls.h, sentinel.h, cluster.h): TLS with valid and invalid certificates; a master that
** sentinels name and that is killed; a cluster in which a slot moves and a node dies. The servers are real ones, on loopback,
** and end with the test. Skipped unless SVC_TEST_LIMITER=redis.
*/
#include "support.h"
#include "ports/listener.h"

#include <mbedtls/ecp.h>
#include <mbedtls/pk.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIP_WITHOUT SKIP_IF(!t_redis_port())
#define FLEET_MOST 8

/* ----------------------------------------------------------------------------------------------------------- the servers */

typedef struct fleet {
  char folder[128];
  int ports[FLEET_MOST];
  pid_t pids[FLEET_MOST];
  t_service log; /* only its log is used */
  svc_limits *limits;
} fleet;

static int fleet_socket(int port, bool listens)
{
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && (listens ? bind(fd, (struct sockaddr *)&a, sizeof a) : connect(fd, (struct sockaddr *)&a, sizeof a)) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

static bool fleet_is_free(int port)
{
  int fd = fleet_socket(port, true);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

/* Returns a free port below 50000. The port of the cluster bus, which is 10000 higher, is free, too. */
static int fleet_port(void)
{
  struct sockaddr_in a;
  socklen_t n = sizeof a;
  int port;
  do {
    int fd = fleet_socket(0, true);
    munit_assert_int(getsockname(fd, (struct sockaddr *)&a, &n), ==, 0);
    port = ntohs(a.sin_port) % 40000 + 10000;
    close(fd);
  } while (!fleet_is_free(port) || !fleet_is_free(port + 10000));
  return port;
}

static void fleet_open(fleet *f)
{
  const struct passwd *who = geteuid() == 0 ? getpwnam("redis") : NULL;
  memset(f, 0, sizeof *f);
  store_folder(f->folder);
  if (who) munit_assert_int(chown(f->folder, who->pw_uid, who->pw_gid), ==, 0);
}

/* Returns the raw answer to a command. */
static const char *fleet_ask(int port, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *fleet_ask(int port, const char *format, ...)
{
  static char answer[8192];
  struct pollfd p = { .events = POLLIN };
  char command[512];
  va_list args;
  ssize_t n = 0;
  int fd = fleet_socket(port, false);
  va_start(args, format);
  vsnprintf(command, sizeof command - 3, format, args);
  va_end(args);
  strcat(command, "\r\n");
  answer[0] = '\0';
  if (fd < 0) return answer;
  p.fd = fd;
  if (write(fd, command, strlen(command)) > 0 && poll(&p, 1, 5000) > 0) n = read(fd, answer, sizeof answer - 1);
  answer[n > 0 ? n : 0] = '\0';
  close(fd);
  return answer;
}

/* Starts redis-server with the settings in a file, one per line. `ready`: the server's answer to PING; "": sends no PING, because the
** server has TLS only. */
static void fleet_run(fleet *f, int i, const char *ready, const char *settings)
{
  const struct passwd *who = geteuid() == 0 ? getpwnam("redis") : NULL;
  char path[200];
  double until = t_seconds() + 180;
  FILE *file;
  int null = -1;
  snprintf(path, sizeof path, "%s/%d.conf", f->folder, i);
  file = fopen(path, "w");
  munit_assert_not_null(file);
  fprintf(file, "%s\nbind 127.0.0.1\nsave \"\"\nappendonly no\ndir %s\nlogfile %s/%d.log\n", settings, f->folder, f->folder, i);
  fclose(file);
  if (who) munit_assert_int(chown(path, who->pw_uid, who->pw_gid), ==, 0);
  f->pids[i] = fork();
  munit_assert_int(f->pids[i], >=, 0);
  if (f->pids[i] == 0) {
    null = open("/dev/null", O_RDWR);
    if (who && (setgid(who->pw_gid) != 0 || setuid(who->pw_uid) != 0)) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    execlp("redis-server", "redis-server", path, strstr(settings, "sentinel monitor") ? "--sentinel" : (char *)NULL, (char *)NULL);
    _exit(1);
  }
  while (ready[0] ? strncmp(fleet_ask(f->ports[i], "PING"), ready, strlen(ready)) != 0 : (null = fleet_socket(f->ports[i], false)) < 0) {
    if (t_seconds() > until) munit_errorf("redis-server does not start: see %s", path);
    t_pause_ms(20);
  }
  if (!ready[0]) close(null);
}

static void fleet_kill(fleet *f, int i)
{
  kill(f->pids[i], SIGKILL);
  munit_assert_int(waitpid(f->pids[i], NULL, 0), ==, f->pids[i]);
  f->pids[i] = 0;
}

static void fleet_close(fleet *f)
{
  int i;
  t_redis_port()->close(f->limits);
  for (i = 0; i < FLEET_MOST; i++)
    if (f->pids[i]) fleet_kill(f, i);
  store_remove(f->folder);
}

/* ---------------------------------------------------------------------------------------------------------------- the port */

/* Opens a handle, and closes the previous one. */
static int fleet_limits(fleet *f, char why[256], const char *format, ...) __attribute__((format(printf, 3, 4)));
static int fleet_limits(fleet *f, char why[256], const char *format, ...)
{
  svc_config config = { .log = t_log, .log_context = &f->log };
  char uri[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(uri, sizeof uri, format, args);
  va_end(args);
  t_redis_port()->close(f->limits);
  f->limits = NULL;
  f->log.log[0] = '\0';
  why[0] = '\0';
  config.limiter_path = uri;
  return t_redis_port()->open(&f->limits, &config, why, 256);
}

static bool fleet_take(fleet *f, const char *instance, int64_t *remaining)
{
  svc_bucket b = { .set = SVC_S("set"), .instance = svc_str_c(instance), .capacity = 1000, .refill_rate = 1, .refill_seconds = 1000000 };
  svc_tokens t = { false, -1, -1 };
  int rc = t_redis_port()->take(f->limits, &b, T_START, &t);
  *remaining = t.remaining;
  return rc == SVC_OK;
}

static bool fleet_available(fleet *f)
{
  svc_limits_state state;
  t_redis_port()->state(f->limits, &state);
  return state.available;
}

/* Repeats the request until Redis answers. Earlier attempts may or may not have taken a token. */
static int64_t fleet_take_soon(fleet *f, const char *instance)
{
  double until = t_seconds() + 180;
  int64_t remaining;
  while (!fleet_take(f, instance, &remaining)) {
    if (t_seconds() > until) munit_errorf("nobody answers for %s: %s", instance, f->log.log);
    t_pause_ms(20);
  }
  return remaining;
}

#define PATIENT "timeout=1000&connect=1000"

/* -------------------------------------------------------------------------------------------------------------------- TLS */

static void fleet_certificate(const fleet *f, const char *stem, const char *name)
{
  char cert[200], key[200], why[256] = "";
  snprintf(cert, sizeof cert, "%s/%s.crt", f->folder, stem);
  snprintf(key, sizeof key, "%s/%s.key", f->folder, stem);
  if (svc_listener_cert_make(cert, key, &name, 1, 30, why, sizeof why) != SVC_OK) munit_errorf("%s", why);
  munit_assert_int(chmod(key, 0644), ==, 0);
}

static void fleet_put(const fleet *f, const char *name, const char *text)
{
  char path[200];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", f->folder, name);
  file = fopen(path, "w");
  munit_assert_not_null(file);
  munit_assert_int(fputs(text, file), >=, 0);
  fclose(file);
}

/* Makes a self-signed client certificate: the certificates that svcd makes are for servers. */
static void fleet_client(const fleet *f)
{
  static const char who[] = "CN=client";
  unsigned char serial = 1, text[4096];
  mbedtls_x509write_cert w;
  mbedtls_pk_context key;
  mbedtls_pk_init(&key);
  mbedtls_x509write_crt_init(&w);
  munit_assert_int(psa_crypto_init(), ==, PSA_SUCCESS);
  munit_assert_int(mbedtls_pk_setup(&key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)), ==, 0);
  munit_assert_int(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(key), mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE), ==, 0);
  mbedtls_x509write_crt_set_subject_key(&w, &key);
  mbedtls_x509write_crt_set_issuer_key(&w, &key);
  mbedtls_x509write_crt_set_md_alg(&w, MBEDTLS_MD_SHA256);
  munit_assert_int(mbedtls_x509write_crt_set_subject_name(&w, who), ==, 0);
  munit_assert_int(mbedtls_x509write_crt_set_issuer_name(&w, who), ==, 0);
  munit_assert_int(mbedtls_x509write_crt_set_serial_raw(&w, &serial, 1), ==, 0);
  munit_assert_int(mbedtls_x509write_crt_set_validity(&w, "20200101000000", "20491231235959"), ==, 0);
  munit_assert_int(mbedtls_x509write_crt_set_basic_constraints(&w, 1, 0), ==, 0);
  munit_assert_int(mbedtls_x509write_crt_pem(&w, text, sizeof text, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE), ==, 0);
  fleet_put(f, "client.crt", (char *)text);
  munit_assert_int(mbedtls_pk_write_key_pem(&key, text, sizeof text), ==, 0);
  fleet_put(f, "client.key", (char *)text);
  mbedtls_x509write_crt_free(&w);
  mbedtls_pk_free(&key);
}

static void fleet_run_tls(fleet *f, const char *clients)
{
  char settings[1024];
  if (!f->ports[0]) f->ports[0] = fleet_port();
  snprintf(settings, sizeof settings, "port 0\ntls-port %d\ntls-cert-file %s/server.crt\ntls-key-file %s/server.key\ntls-ca-cert-file %s/client.crt\n"
           "tls-auth-clients %s\nuser default off\nuser me on >geheim ~* &* +@all", f->ports[0], f->folder, f->folder, f->folder, clients);
  fleet_run(f, 0, "", settings);
}

/* A handle does not open with a server that has the wrong certificate, nor with a wrong password. The error names the reason, and never
** the password. */
TEST(redis_fleet, tls)
{
  fleet f;
  char why[256];
  int64_t left;
  int i;
  SKIP_WITHOUT;
  fleet_open(&f);
  fleet_certificate(&f, "server", "localhost");
  fleet_client(&f);
  fleet_run_tls(&f, "no");
  setenv("REDISCLI_AUTH", "geheim", 1);
  munit_assert_int(fleet_limits(&f, why, "rediss://me@localhost:%d?" PATIENT "&ca=%s/server.crt", f.ports[0], f.folder), ==, SVC_OK);
  munit_assert_true(fleet_available(&f));
  for (i = 0; i < 50; i++) munit_assert_true(fleet_take(&f, "one", &left) && left == 999 - i);
  fleet_kill(&f, 0);
  munit_assert_false(fleet_take(&f, "one", &left));
  munit_assert_false(fleet_available(&f));
  fleet_run_tls(&f, "no");
  munit_assert_int64(fleet_take_soon(&f, "one"), ==, 999);
  munit_assert_int(fleet_limits(&f, why, "rediss://me@127.0.0.1:%d?" PATIENT "&ca=%s/server.crt", f.ports[0], f.folder), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "its certificate is for another name than was asked for"));
  munit_assert_int(fleet_limits(&f, why, "rediss://me@127.0.0.1:%d?" PATIENT "&ca=%s/server.crt&tls_name=localhost", f.ports[0], f.folder), ==, SVC_OK);
  munit_assert_true(fleet_available(&f));
  munit_assert_int(fleet_limits(&f, why, "rediss://me@localhost:%d?" PATIENT "&ca=%s/client.crt", f.ports[0], f.folder), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "its certificate leads to no authority of the CA file"));
  /* without TLS: the server closes the connection */
  munit_assert_int(fleet_limits(&f, why, "redis://me@localhost:%d?" PATIENT, f.ports[0]), ==, SVC_OK);
  munit_assert_false(fleet_available(&f));
  setenv("REDISCLI_AUTH", "geheimer", 1);
  munit_assert_int(fleet_limits(&f, why, "rediss://me@localhost:%d?" PATIENT "&ca=%s/server.crt", f.ports[0], f.folder), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "WRONGPASS"));
  munit_assert_null(strstr(why, "geheim"));
  unsetenv("REDISCLI_AUTH");
  fleet_close(&f);
}

/* A server that requires a client certificate answers only a handle that has one. A file without a private key is refused. */
TEST(redis_fleet, tls_client)
{
  fleet f;
  char why[256];
  int64_t left;
  SKIP_WITHOUT;
  fleet_open(&f);
  fleet_certificate(&f, "server", "localhost");
  fleet_client(&f);
  fleet_run_tls(&f, "yes");
  setenv("REDISCLI_AUTH", "geheim", 1);
  munit_assert_int(fleet_limits(&f, why, "rediss://me@localhost:%d?" PATIENT "&ca=%s/server.crt", f.ports[0], f.folder), ==, SVC_OK);
  munit_assert_false(fleet_available(&f));
  munit_assert_int(fleet_limits(&f, why, "rediss://me@localhost:%d?" PATIENT "&ca=%s/server.crt&cert=%s/client.crt&key=%s/client.key",
                                f.ports[0], f.folder, f.folder, f.folder), ==, SVC_OK);
  munit_assert_true(fleet_take(&f, "one", &left));
  munit_assert_int(fleet_limits(&f, why, "rediss://me@localhost:%d?ca=%s/server.crt&cert=%s/client.crt&key=%s/client.crt", f.ports[0],
                                f.folder, f.folder, f.folder), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "key is not a file with a private key"));
  unsetenv("REDISCLI_AUTH");
  fleet_close(&f);
}

/* --------------------------------------------------------------------------------------------------------------- sentinels */

enum { MASTER, REPLICA, SENTINEL };

static void fleet_run_sentinel(fleet *f)
{
  char settings[512];
  int i;
  for (i = 0; i < 3; i++) f->ports[i] = fleet_port();
  snprintf(settings, sizeof settings, "port %d", f->ports[MASTER]);
  fleet_run(f, MASTER, "+PONG", settings);
  snprintf(settings, sizeof settings, "port %d\nreplicaof 127.0.0.1 %d\nrepl-diskless-sync-delay 0", f->ports[REPLICA], f->ports[MASTER]);
  fleet_run(f, REPLICA, "+PONG", settings);
  snprintf(settings, sizeof settings, "port %d\nsentinel monitor main 127.0.0.1 %d 1\nsentinel down-after-milliseconds main 500\n"
           "sentinel failover-timeout main 3000", f->ports[SENTINEL], f->ports[MASTER]);
  fleet_run(f, SENTINEL, "+PONG", settings);
}

/* The handle follows a failover, with new connections and with a connection to an old master that still answers. */
TEST(redis_fleet, sentinel)
{
  fleet f;
  char why[256];
  double until = t_seconds() + 180;
  int64_t left;
  bool fresh;
  int i;
  SKIP_WITHOUT;
  fleet_open(&f);
  fleet_run_sentinel(&f);
  munit_assert_int(fleet_limits(&f, why, "redis+sentinel://127.0.0.1:%d/other?" PATIENT, f.ports[SENTINEL]), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "the sentinels know no master of this name"));
  munit_assert_int(fleet_limits(&f, why, "redis+sentinel://127.0.0.1:%d,localhost:%d/other?" PATIENT, f.ports[SENTINEL], f.ports[SENTINEL]), ==, SVC_INVALID);
  for (i = 0; i < 2; i++) { /* the sentinel that is down may know the name, in whichever order the sentinels are asked */
    const char *order = i ? "redis+sentinel://127.0.0.1:%d,127.0.0.1:1/other?" PATIENT : "redis+sentinel://127.0.0.1:1,127.0.0.1:%d/other?" PATIENT;
    munit_assert_int(fleet_limits(&f, why, order, f.ports[SENTINEL]), ==, SVC_OK);
    munit_assert_false(fleet_available(&f));
  }
  /* a server that is no sentinel */
  munit_assert_int(fleet_limits(&f, why, "redis+sentinel://127.0.0.1:%d/main?" PATIENT, f.ports[MASTER]), ==, SVC_INVALID);
  munit_assert_int(fleet_limits(&f, why, "redis+sentinel://127.0.0.1:1,127.0.0.1:%d/main?" PATIENT, f.ports[SENTINEL]), ==, SVC_OK);
  munit_assert_true(fleet_available(&f));
  munit_assert_true(fleet_take(&f, "one", &left) && left == 999);
  munit_assert_int(t_redis_port()->count(f.limits, SVC_S("n"), 1, 0, 60000, &fresh), ==, SVC_OK);
  munit_assert_true(fresh);
  while (!strstr(fleet_ask(f.ports[REPLICA], "INFO replication"), "master_link_status:up") || !strstr(fleet_ask(f.ports[SENTINEL], "SENTINEL master main"), "num-slaves\r\n$1\r\n1")) {
    munit_assert_true(t_seconds() < until);
    t_pause_ms(50);
  }
  fleet_kill(&f, MASTER);
  munit_assert_int64(fleet_take_soon(&f, "one"), <, 999); /* the replica knows the tokens that were replicated to it */
  munit_assert_not_null(strstr(fleet_ask(f.ports[REPLICA], "ROLE"), "master"));
  munit_assert_int(t_redis_port()->count(f.limits, SVC_S("n"), 2, 3600000, 60000, &fresh), ==, SVC_OK);
  munit_assert_false(fresh); /* the nonce was issued before the failover: the old master may have seen this count used */
  munit_assert_int(t_redis_port()->count(f.limits, SVC_S("m"), 1, 0, 60000, &fresh), ==, SVC_OK);
  munit_assert_true(fresh);
  munit_assert_not_null(strstr(f.log.log, "answers again"));
  munit_assert_string_equal(fleet_ask(f.ports[REPLICA], "REPLICAOF 127.0.0.1 1"), "+OK\r\n"); /* no longer a master, but still answers */
  munit_assert_false(fleet_take(&f, "one", &left));
  munit_assert_not_null(strstr(f.log.log, "READONLY"));
  munit_assert_string_equal(fleet_ask(f.ports[REPLICA], "REPLICAOF NO ONE"), "+OK\r\n");
  fleet_take_soon(&f, "one");
  fleet_close(&f);
}

/* ----------------------------------------------------------------------------------------------------------------- cluster */

enum { NODES = 3, SLOTS = 16384 };

static void fleet_run_node(fleet *f, int i)
{
  char settings[256];
  snprintf(settings, sizeof settings, "port %d\ncluster-enabled yes\ncluster-config-file nodes%d\ncluster-node-timeout 2000\n"
           "cluster-require-full-coverage no", f->ports[i], i);
  fleet_run(f, i, "+PONG", settings);
}

static void fleet_run_cluster(fleet *f)
{
  double until = t_seconds() + 180;
  int i;
  for (i = 0; i < NODES; i++) {
    f->ports[i] = fleet_port();
    fleet_run_node(f, i);
    fleet_ask(f->ports[i], "CLUSTER ADDSLOTSRANGE %d %d", i * SLOTS / NODES, (i + 1) * SLOTS / NODES - 1);
    if (i) fleet_ask(f->ports[0], "CLUSTER MEET 127.0.0.1 %d", f->ports[i]);
  }
  for (i = 0; i < NODES; i++)
    while (!strstr(fleet_ask(f->ports[i], "CLUSTER INFO"), "cluster_slots_ok:16384") || !strstr(fleet_ask(f->ports[i], "CLUSTER INFO"), "cluster_state:ok")) {
      munit_assert_true(t_seconds() < until);
      t_pause_ms(50);
    }
}

static int fleet_slot(const fleet *f, const char *key)
{
  return atoi(fleet_ask(f->ports[0], "CLUSTER KEYSLOT %s", key) + 1);
}

static void fleet_id(const fleet *f, int i, char id[41])
{
  snprintf(id, 41, "%s", strchr(fleet_ask(f->ports[i], "CLUSTER MYID"), '\n') + 1);
}

/* Moves the slot of a key to another node, in two steps: the port finds the key at the old node and then at the new node. */
static void fleet_move(fleet *f, const char *instance, int from, int to)
{
  char ids[2][41], key[100];
  int slot, i;
  int64_t left, before;
  munit_assert_true(fleet_take(f, instance, &before));
  snprintf(key, sizeof key, "svc:svc:b:set:%s", instance);
  slot = fleet_slot(f, key);
  fleet_id(f, from, ids[0]);
  fleet_id(f, to, ids[1]);
  fleet_ask(f->ports[to], "CLUSTER SETSLOT %d IMPORTING %s", slot, ids[0]);
  fleet_ask(f->ports[from], "CLUSTER SETSLOT %d MIGRATING %s", slot, ids[1]);
  munit_assert_true(fleet_take(f, instance, &left) && left == before - 1);
  munit_assert_string_equal(fleet_ask(f->ports[from], "MIGRATE 127.0.0.1 %d %s 0 5000", f->ports[to], key), "+OK\r\n");
  munit_assert_true(fleet_take(f, instance, &left) && left == before - 2); /* by an ASK redirect */
  for (i = 0; i < 2; i++) fleet_ask(f->ports[i ? from : to], "CLUSTER SETSLOT %d NODE %s", slot, ids[1]);
  munit_assert_true(fleet_take(f, instance, &left) && left == before - 3); /* by a MOVED redirect */
  munit_assert_true(fleet_take(f, instance, &left) && left == before - 4);
}

/* Returns the node that has the bucket of this instance. */
static int fleet_node_of(const fleet *f, const char *instance)
{
  char key[100];
  snprintf(key, sizeof key, "svc:svc:b:set:%s", instance);
  return fleet_slot(f, key) * NODES / SLOTS;
}

TEST(redis_fleet, cluster)
{
  fleet f;
  char why[256], name[16], of[NODES][16] = { "" };
  int64_t left;
  double until;
  int i, node;
  SKIP_WITHOUT;
  fleet_open(&f);
  fleet_run_cluster(&f);
  munit_assert_int(fleet_limits(&f, why, "redis+cluster://127.0.0.1:1,127.0.0.1:%d?" PATIENT, f.ports[1]), ==, SVC_OK);
  for (i = 0; i < 60; i++) {
    snprintf(name, sizeof name, i % 3 ? "a%d" : "x{%d}y", i);
    munit_assert_true(fleet_take(&f, name, &left) && left == 999);
    munit_assert_true(fleet_take(&f, name, &left) && left == 998);
    node = fleet_node_of(&f, name);
    strcpy(of[node], name);
  }
  for (i = 0; i < NODES; i++) munit_assert_string_not_equal(of[i], "");
  munit_assert_string_equal(f.log.log, "");
  fleet_move(&f, of[0], 0, 1);
  munit_assert_string_equal(f.log.log, "");
  fleet_kill(&f, 2); /* keys on the other nodes are limited as before */
  munit_assert_false(fleet_take(&f, of[2], &left));
  for (until = t_seconds() + 3; t_seconds() < until; t_pause_ms(100)) {
    munit_assert_true(fleet_take(&f, of[1], &left));
    munit_assert_false(fleet_take(&f, of[2], &left));
  }
  munit_assert_false(fleet_available(&f));
  fleet_run_node(&f, 2);
  fleet_take_soon(&f, of[2]);
  munit_assert_true(fleet_available(&f));
  fleet_close(&f);
}

/* A single server that is not in a cluster is refused at the start, with the reason. */
TEST(redis_fleet, no_cluster)
{
  fleet f;
  char why[256], settings[64];
  SKIP_WITHOUT;
  fleet_open(&f);
  f.ports[0] = fleet_port();
  snprintf(settings, sizeof settings, "port %d", f.ports[0]);
  fleet_run(&f, 0, "+PONG", settings);
  munit_assert_int(fleet_limits(&f, why, "redis+cluster://127.0.0.1:%d?" PATIENT, f.ports[0]), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "cluster support disabled"));
  /* no server answers: that may change */
  munit_assert_int(fleet_limits(&f, why, "redis+cluster://127.0.0.1:1,127.0.0.1:2?" PATIENT), ==, SVC_OK);
  munit_assert_false(fleet_available(&f));
  fleet_close(&f);
}
