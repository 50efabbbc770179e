/*
** Shared helpers of the suites of backups: a project with a cluster C that has backups, and requests in one line. In
** paths and bodies %G stands for the project's id, %C for the path of the cluster, and %S, %J and %R for ids that the
** test has kept.
*/
#ifndef SVC_TEST_BACKUP_WORLD_H
#define SVC_TEST_BACKUP_WORLD_H

#include "support.h"

#define B_DAY ((int64_t)86400000)
#define B_REGION(name) \
  "{\"providerName\":\"AWS\",\"regionName\":\"" name "\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\"}}"
#define B_SPEC "{\"regionConfigs\":[" B_REGION("US_EAST_1") "]}"
#define B_CLUSTER(name, more) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" B_SPEC "]" more "}"
#define B_SHARDED(name) \
  "{\"name\":\"" name "\",\"backupEnabled\":true,\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" B_SPEC "," B_SPEC "]}"
#define B_BACKED ",\"backupEnabled\":true"
#define B_ITEM(type, interval, unit, value) \
  "{\"frequencyType\":\"" type "\",\"frequencyInterval\":" #interval ",\"retentionUnit\":\"" unit "\"," \
  "\"retentionValue\":" #value "}"
/* AWS keys for the encryption of clusters. */
#define B_KEYS \
  "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"11112222-3333\",\"region\":\"US_EAST_1\",\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\"," \
  "\"secretAccessKey\":\"the-secret-of-aws-keys\"}}"
#define B_POLICY(items) "{\"policies\":[{\"policyItems\":[" items "]}]}"

typedef struct b_world {
  t_service t;
  const char *org, *group, *snapshot, *other, *role; /* ids in paths and bodies: %S, %J, %R */
  char path[1024], body[8192];
} b_world;

static inline void b_fill(const b_world *w, const char *text, char *out, size_t size)
{
  size_t n = 0;
  for (; *text; text++) {
    const char *part = NULL;
    char cluster[128];
    snprintf(cluster, sizeof cluster, "/groups/%s/clusters/C", w->group);
    if (text[0] == '%' && text[1] == 'G') part = w->group;
    else if (text[0] == '%' && text[1] == 'C') part = cluster;
    else if (text[0] == '%' && text[1] == 'S') part = w->snapshot;
    else if (text[0] == '%' && text[1] == 'J') part = w->other;
    else if (text[0] == '%' && text[1] == 'R') part = w->role;
    munit_assert_size(n + 130, <, size);
    if (part) n += (size_t)snprintf(out + n, size - n, "%s", part), text++;
    else out[n++] = *text;
  }
  out[n] = 0;
}

static inline int b_send(b_world *w, const char *method, const char *path, const char *body)
{
  b_fill(w, path, w->path, sizeof w->path);
  if (body) b_fill(w, body, w->body, sizeof w->body);
  return t_send(&w->t, method, w->path, body ? w->body : NULL);
}

static inline void b_good(b_world *w, const char *method, const char *path, const char *body, int status)
{
  if (b_send(w, method, path, body) != status)
    munit_errorf("%s %s: %d %s", method, w->path, w->t.response.status, w->t.response.body);
}

/* Checks that the request is refused with this code and changes nothing. */
static inline void b_bad(b_world *w, const char *method, const char *path, const char *body, int status, const char *code)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  b_good(w, method, path, body, status);
  munit_assert_string_equal(t_error(&w->t), code);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

/* The same with status 400. The error must name the field. */
static inline void b_bad_field(b_world *w, const char *method, const char *path, const char *body, const char *field)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  b_good(w, method, path, body, 400);
  if (!t_violation(&w->t, field)) munit_errorf("%s is not named: %s", field, w->t.response.body);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

static inline void b_open(b_world *w, const svc_config *config)
{
  static const svc_config quiet = { .limiter_off = 1 };
  memset(w, 0, sizeof *w);
  w->snapshot = w->other = w->role = "";
  t_open(&w->t, config ? config : &quiet);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
}

/* Creates and authorizes a role at this provider. Its id is %R from here on. */
static inline void b_role(b_world *w, const char *provider)
{
  bool azure = strcmp(provider, "AZURE") == 0;
  char body[512];
  snprintf(body, sizeof body, "{\"providerName\":\"%s\"%s}", provider,
           azure ? ",\"svcAzureAppId\":\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5e\",\"servicePrincipalId\":\"7f1f1a7e-53f1-4c6e-9a57-1f2e3d4c5b6a\","
                   "\"tenantId\":\"0e2c2f8b-9d1a-4b7f-8f5e-a1b2c3d4e5f6\"" : "");
  b_good(w, "POST", "/groups/%G/cloudProviderAccess", body, 201);
  w->role = t_keep(&w->t, t_str(&w->t, azure ? "_id" : "roleId"));
  if (strcmp(provider, "AWS") == 0)
    b_good(w, "PATCH", "/groups/%G/cloudProviderAccess/%R",
           "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/svc\"}", 200);
  else t_advance(&w->t, 10);
}

/* Opens the world with the cluster C, ready to use. */
static inline void b_open_cluster(b_world *w, const svc_config *config, const char *cluster)
{
  b_open(w, config);
  b_good(w, "POST", "/groups/%G/clusters", cluster ? cluster : B_CLUSTER("C", B_BACKED), 201);
  t_advance(&w->t, 10);
}

/* Opens the world with a driver, which gets the order to create C. */
static inline void b_open_driven(b_world *w, const svc_driver *driver)
{
  svc_config config = { .limiter_off = 1, .driver = driver };
  b_open(w, &config);
  b_good(w, "POST", "/groups/%G/clusters", B_CLUSTER("C", B_BACKED), 201);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

static inline void b_close(b_world *w)
{
  t_close(&w->t);
}

/* Takes an on-demand snapshot of C and waits until it is completed. Its id is %S from here on. */
static inline void b_snapshot(b_world *w)
{
  b_good(w, "POST", "%C/backup/snapshots", "{}", 202);
  w->snapshot = t_keep(&w->t, t_str(&w->t, "id"));
  t_advance(&w->t, 10);
}

/* Returns the number of events of this type in the project. */
static inline int64_t b_events(b_world *w, const char *type)
{
  char path[128];
  snprintf(path, sizeof path, "/groups/%%G/events?eventType=%s", type);
  b_good(w, "GET", path, NULL, 200);
  return t_int(&w->t, "totalCount");
}

#define b_is(w, path, value) munit_assert_string_equal(t_str(&(w)->t, path), value)

#endif
