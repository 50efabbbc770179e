/*
** Shared helpers of the suites of stream processing: a project with a workspace W, which has a sample connection and
** may fail over to Oregon; and a driver.
*/
#ifndef SVC_TEST_STREAM_WORLD_H
#define SVC_TEST_STREAM_WORLD_H

#include "driver.h"

#define REGION(provider, region) "{\"cloudProvider\":\"" provider "\",\"region\":\"" region "\"}"
#define WORKSPACE(name, more) "{\"name\":\"" name "\",\"dataProcessRegion\":" REGION("AWS", "VIRGINIA_USA") more "}"
#define SCRAM "\"authentication\":{\"mechanism\":\"SCRAM-256\",\"username\":\"u\",\"password\":\"sesame-kafka\"}"
#define KAFKA(name, more) \
  "{\"name\":\"" name "\",\"type\":\"Kafka\",\"bootstrapServers\":\"a.example.com:9092\"," SCRAM \
  ",\"security\":{\"protocol\":\"SASL_SSL\"}" more "}"
#define CLUSTER(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":" \
  "\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define SOLAR "{\"$source\":{\"connectionName\":\"sample_stream_solar\"}}"
#define SINK "{\"$emit\":{\"connectionName\":\"__testLog\"}}"
#define PROCESSOR(name, stages, more) "{\"name\":\"" name "\",\"pipeline\":[" SOLAR stages "," SINK "]" more "}"

typedef struct stream_world {
  t_service t;
  const char *org, *group;
  t_driver driver;
} stream_world;

/* Sends a request. In the body, %G stands for the project. */
static inline int stream_call(stream_world *w, const char *method, const char *tail, const char *body)
{
  static char filled[1 << 20];
  size_t n = 0;
  for (; body && *body; body++) {
    munit_assert_size(n + 32, <, sizeof filled);
    if (strncmp(body, "%G", 2) == 0) n += (size_t)snprintf(filled + n, sizeof filled - n, "%s", w->group), body++;
    else filled[n++] = *body;
  }
  filled[n] = 0;
  return t_sendf(&w->t, method, n ? filled : NULL, "/groups/%s/streams%s", w->group, tail);
}

static inline void stream_expect(stream_world *w, int status, int wanted, const char *code)
{
  if (status != wanted) munit_errorf("%d, not %d: %s", status, wanted, w->t.response.body);
  if (code) munit_assert_string_equal(t_error(&w->t), code);
}

/* Checks that the request is refused with status 400 and an error about this field. */
static inline void stream_refused(stream_world *w, const char *method, const char *tail, const char *body, const char *field)
{
  int status = stream_call(w, method, tail, body);
  if (status != 400 || !t_violation(&w->t, field)) munit_errorf("%s %s: %.300s: %d %s", field, tail, body, status, w->t.response.body);
}

static inline int64_t stream_told(stream_world *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount");
}

/* Returns true if the store contains this text. */
static inline bool stream_stored(stream_world *w, const char *text)
{
  const svc_commit *k = &w->t.s->commit;
  svc_str key, value;
  svc_txn *txn;
  svc_scan scan;
  svc_key from;
  bool found = false;
  munit_assert_int(k->port->read_begin(k->store, &txn), ==, SVC_OK);
  svc_key_begin(&from, 1);
  svc_scan_below(&scan, txn, &from, false);
  svc_key_begin(&scan.to, (char)0xFF);
  while (svc_scan_next(&scan, &key, &value)) found |= value.n && memmem(value.p, value.n, text, strlen(text)) != NULL;
  k->port->read_end(txn);
  return found;
}

/* ----------------------------------------------------------------------------------------------------------------- driver */

/* Checks that the next order is this action, and finishes it with this result. */
static inline void stream_order(stream_world *w, const char *action, int result, const char *facts)
{
  t_advance(&w->t, 60);
  t_driver_finish(&w->driver, w->t.s, action, result, facts);
}

static inline void stream_open(stream_world *w, bool driver)
{
  svc_config config = { .provision_ms = 100000, .limiter_off = 1 };
  memset(w, 0, sizeof *w);
  if (driver) config.driver = t_driver_init(&w->driver);
  w->driver.with_secrets = true;
  t_open(&w->t, &config);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "P1");
  stream_expect(w, stream_call(w, "POST", "", WORKSPACE("W", ",\"sampleConnections\":{\"solar\":true},\"failoverRegions\":["
                                                        REGION("AWS", "OREGON_USA") "]")), 201, NULL);
  if (driver) stream_order(w, "stream.put", SVC_OK, NULL);
}

#endif /* SVC_TEST_STREAM_WORLD_H */
