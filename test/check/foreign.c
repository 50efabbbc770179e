/*
** A smoke test for machines that the unit tests do not reach, such as big-endian ones. ./build.sh big-endian compiles it for each and runs
** it under emulation.
**
**      foreign FOLDER SNAPSHOT [accept FILE | refuse FILE | closed FOLDER]...
**
** The program opens a private store and one in FOLDER, sends requests, moves the clock by an hour, checks the store, opens it again, and
** writes a snapshot into the file SNAPSHOT, which it also loads and restores. Then come files of other machines: snapshots that it must load
** (accept) or refuse, and folders with a store that it must not open (closed). Nothing of what it refuses may change its own store.
*/
#include "svcapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START INT64_C(1893456000000)
#define HOUR INT64_C(3600000)
#define FOREIGN_FILE ((size_t)16 << 20)

static char said[1024]; /* the last line of the log */
static int requests;

static void foreign_die(const char *what, const char *detail)
{
  fprintf(stderr, "foreign: %s: %s%s%s\n", what, detail, said[0] ? "; log: " : "", said);
  exit(1);
}

static void foreign_is(int rc, int wanted, const char *what)
{
  if (rc != wanted) foreign_die(what, svc_strerror(rc));
}

static void foreign_log(void *context, int level, const char *text)
{
  (void)context;
  (void)level;
  snprintf(said, sizeof said, "%s", text);
}

static svc *foreign_open(const char *path, int wanted)
{
  const svc_config config = { .path = path, .manual_clock = START, .seed = 7, .log = foreign_log, .limiter_off = 1 };
  svc *s = NULL;
  said[0] = '\0';
  foreign_is(svc_open(&s, &config), wanted, path ? path : "a private store");
  return s;
}

/* Sends a request of the host, which must get this status; the first id in the answer goes to `id` (25 bytes), if that is given. */
static void foreign_send(svc *s, const char *method, const char *target, const char *body, int status, char *id)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "host", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body != NULL, .body = body,
                          .body_length = body ? strlen(body) : 0, .caller = &host };
  svc_response response;
  const char *at;
  requests++;
  foreign_is(svc_handle_request(s, &request, &response), SVC_OK, target);
  if (response.status != status) {
    fprintf(stderr, "foreign: %s: %d, not %d\n", method, response.status, status);
    foreign_die(target, response.body);
  }
  at = strstr(response.body, "\"id\":\"");
  if (id && (!at || strlen(at) < 30)) foreign_die("no id", response.body);
  if (id) snprintf(id, 25, "%.24s", at + 6);
  svc_response_free(&response);
}

static void foreign_found(void *context, const char *text)
{
  (void)context;
  foreign_die("the check of the store", text);
}

static void foreign_check(svc *s)
{
  foreign_is(svc_check_store(s, foreign_found, NULL), SVC_OK, "the check of the store");
}

/* Some thirty requests of all kinds. Leaves the path of the project in `group`. */
static void foreign_life(svc *s, char group[64])
{
  static const char *const made[][2] = {
    { "/clusters", "{\"name\":\"shop\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
      "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}]}]}" },
    { "/databaseUsers", "{\"databaseName\":\"admin\",\"username\":\"ada\",\"password\":\"correct horse battery\",\"roles\":[{"
      "\"databaseName\":\"shop\",\"roleName\":\"readWrite\"}]}" },
    { "/accessList", "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"198.51.100.0/24\"}]" },
    { "/containers", "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"svcCidrBlock\":\"10.8.0.0/21\"}" },
    { "/customDBRoles/roles", "{\"roleName\":\"reader\",\"inheritedRoles\":[{\"db\":\"shop\",\"role\":\"read\"}]}" }
  };
  static const char *const read[] = { "", "/clusters", "/clusters/shop", "/databaseUsers", "/accessList", "/containers", "/events", "/alertConfigs",
                                      "/alerts", "/processes", "/limits", "/settings", "/customDBRoles/roles", "/clusters/shop/status" };
  char target[256], body[128], org[25], id[25];
  size_t i;
  foreign_send(s, "POST", "/api/svc/v2/orgs", "{\"name\":\"Acme\"}", 201, org);
  snprintf(body, sizeof body, "{\"name\":\"P\",\"orgId\":\"%s\"}", org);
  foreign_send(s, "POST", "/api/svc/v2/groups", body, 201, id);
  snprintf(group, 64, "/api/svc/v2/groups/%s", id);
  for (i = 0; i < sizeof made / sizeof made[0]; i++) {
    snprintf(target, sizeof target, "%s%s", group, made[i][0]);
    foreign_send(s, "POST", target, made[i][1], strstr(made[i][0], "/roles") ? 202 : 201, NULL);
  }
  foreign_is(svc_clock_advance(s, HOUR), SVC_OK, "the clock");
  for (i = 0; i < sizeof read / sizeof read[0]; i++) {
    snprintf(target, sizeof target, "%s%s", group, read[i]);
    foreign_send(s, "GET", target, NULL, 200, NULL);
  }
  snprintf(target, sizeof target, "%s/clusters/shop", group);
  foreign_send(s, "PATCH", target, "{\"backupEnabled\":true}", 200, NULL);
  snprintf(target, sizeof target, "%s/databaseUsers/admin/ada", group);
  foreign_send(s, "DELETE", target, NULL, 204, NULL);
  foreign_send(s, "GET", target, NULL, 404, NULL);
  foreign_send(s, "GET", "/openapi.json", NULL, 200, NULL);
  foreign_send(s, "GET", "/api/svc/v2/orgs", NULL, 200, NULL);
  foreign_check(s);
}

static char *foreign_read(const char *path, size_t *n)
{
  FILE *f = fopen(path, "rb");
  char *bytes = malloc(FOREIGN_FILE);
  if (!f || !bytes) foreign_die(path, "cannot be read");
  *n = fread(bytes, 1, FOREIGN_FILE, f);
  fclose(f);
  return bytes;
}

static void foreign_write(const char *path, const svc_response *file)
{
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(file->body, 1, file->body_length, f) != file->body_length || fclose(f) != 0) foreign_die(path, "cannot be written");
}

/* Saves a snapshot, deletes the cluster, loads the file and restores it: the cluster is back. */
static void foreign_snapshot(svc *s, const char *group, const char *path)
{
  svc_snapshot *taken, *loaded;
  svc_response file;
  char target[256];
  snprintf(target, sizeof target, "%s/clusters/shop", group);
  foreign_is(svc_snapshot_take(s, &taken), SVC_OK, "a snapshot");
  foreign_is(svc_snapshot_save(taken, &file), SVC_OK, "saving a snapshot");
  foreign_write(path, &file);
  foreign_send(s, "DELETE", target, NULL, 202, NULL);
  foreign_is(svc_clock_advance(s, HOUR), SVC_OK, "the clock");
  foreign_send(s, "GET", target, NULL, 404, NULL);
  foreign_is(svc_snapshot_load(s, file.body, file.body_length, &loaded), SVC_OK, "loading a snapshot");
  foreign_is(svc_snapshot_restore(s, loaded), SVC_OK, "restoring a snapshot");
  foreign_send(s, "GET", target, NULL, 200, NULL);
  foreign_check(s);
  svc_snapshot_free(loaded);
  svc_snapshot_free(taken);
  svc_response_free(&file);
}

static void foreign_file(svc *s, const char *group, const char *how, const char *path)
{
  svc_snapshot *own, *loaded = NULL;
  char *bytes = NULL;
  size_t n = 0;
  said[0] = '\0';
  if (strcmp(how, "closed") == 0) {
    foreign_open(path, SVC_INVALID);
    if (!strstr(said, "svcd export there and svcd import here")) foreign_die(path, "the log does not name the way out");
    return;
  }
  bytes = foreign_read(path, &n);
  foreign_is(svc_snapshot_take(s, &own), SVC_OK, "a snapshot");
  if (strcmp(how, "refuse") == 0) {
    foreign_is(svc_snapshot_load(s, bytes, n, &loaded), SVC_INVALID, path);
    if (!strstr(said, "-endian machine, and this machine is")) foreign_die(path, "the log does not name the byte order");
  } else {
    foreign_is(svc_snapshot_load(s, bytes, n, &loaded), SVC_OK, path);
    foreign_is(svc_snapshot_restore(s, loaded), SVC_OK, path);
    foreign_check(s);
    foreign_is(svc_snapshot_restore(s, own), SVC_OK, "the own snapshot");
  }
  svc_snapshot_free(loaded);
  svc_snapshot_free(own);
  free(bytes);
  foreign_send(s, "GET", group, NULL, 200, NULL);
  foreign_check(s);
}

int main(int argc, char **argv)
{
  char group[64];
  svc *s;
  int i;
  if (argc < 3 || argc % 2 == 0) foreign_die("usage", "foreign FOLDER SNAPSHOT [accept FILE | refuse FILE | closed FOLDER]...");
  s = foreign_open(NULL, SVC_OK);
  foreign_life(s, group);
  svc_close(s);
  s = foreign_open(argv[1], SVC_OK);
  foreign_life(s, group);
  foreign_snapshot(s, group, argv[2]);
  for (i = 3; i + 1 < argc; i += 2) foreign_file(s, group, argv[i], argv[i + 1]);
  svc_close(s);
  s = foreign_open(argv[1], SVC_OK);
  foreign_send(s, "GET", group, NULL, 200, NULL);
  foreign_check(s);
  svc_close(s);
  printf("foreign: %d requests\n", requests);
  return 0;
}
