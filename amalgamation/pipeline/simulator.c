/*
** The driver of a host that has none: a simulation of a data plane.
**
** Without a driver no order is stored: states move by due dates (lifecycle.c), and `simulate` hooks give the facts that a driver would
** report (facts.c). This file has the replies to questions. The catalog replies
** to questions whose shapes it defines (svc_catalog_simulates). All other replies are a figure computed from the resource's id, the metric
** and the time, the same on every run and marked as simulated; or a list of known resources; or a log without lines.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE void svc_reply_begin(svc_reply *reply, svc_arena *arena, size_t most)
{
  memset(reply, 0, sizeof *reply);
  reply->memory = arena;
  reply->most = most;
}

int svc_reply_add(svc_reply *reply, const void *bytes, size_t n)
{
  svc_arena *arena = reply ? reply->memory : NULL;
  char *grown;
  size_t room;
  if (!arena || (n && !bytes)) return SVC_INVALID;
  if (n > reply->most - reply->length) return SVC_FULL;
  if (n > reply->room - reply->length) {
    room = reply->length + n < 2 * reply->room ? 2 * reply->room : reply->length + n + 1024;
    grown = svc_arena_alloc(arena, room);
    if (!grown) return SVC_NOMEM;
    if (reply->length) memcpy(grown, reply->bytes, reply->length);
    reply->bytes = grown;
    reply->room = room;
  }
  if (n) memcpy(reply->bytes + reply->length, bytes, n);
  reply->length += n;
  return SVC_OK;
}

static uint64_t simulator_hash(uint64_t h, const char *text)
{
  h = svc_fnv(h, svc_str_c(text));
  h ^= h >> 29;
  return h * 0x9E3779B97F4A7C15u;
}

SVC_PRIVATE uint64_t svc_simulated_hash(const char *resource, const char *what, int64_t at)
{
  uint64_t h = (simulator_hash(simulator_hash(SVC_FNV, resource), what) ^ (uint64_t)at) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

/* From 0 to 1000, moving slowly: one value per minute, close to the previous one. */
SVC_PRIVATE int64_t svc_simulated(const char *resource, const char *what, int64_t now)
{
  uint64_t base = simulator_hash(SVC_FNV, resource), own = simulator_hash(base, what);
  int64_t minute = now / 60000, wave = 60 + (int64_t)(own % 180), at = (minute + (int64_t)(own >> 32 & 1023)) % wave;
  int64_t slope = at * 2 < wave ? at * 2 : 2 * (wave - at);
  return (int64_t)(own >> 16 & 255) + slope * 600 / wave + (int64_t)(simulator_hash(own, "") >> 40 & 63);
}

/* A log that the catalog does not define has no lines. */
static int simulator_log(const svc_question *q, svc_reply *r)
{
  (void)q;
  return svc_reply_add(r, "", 0);
}

/* Nothing exists outside of the service: the list has what the service knows. */
static int simulator_list(const svc_question *q, svc_reply *r)
{
  svc_str asked = svc_str_c(q->parameters ? q->parameters : ""), known = svc_json_member(asked, SVC_S("known"));
  if (known.n == 0) known = SVC_S("[]");
  return svc_reply_add(r, known.p, known.n);
}

static int simulator_measure(const svc_question *q, svc_reply *r)
{
  char text[128];
  int n = snprintf(text, sizeof text, "{\"simulated\":true,\"value\":%lld}", (long long)svc_simulated(q->resource_id, q->parameters, q->now));
  return svc_reply_add(r, text, (size_t)n);
}

static int simulator_ask(void *context, svc *s, const svc_question *q, svc_reply *r)
{
  static const struct { const char *what; int (*answer)(const svc_question *q, svc_reply *r); } rows[] = {
    { "list", simulator_list }, { "logs", simulator_log }, { "measure", simulator_measure }
  };
  int rc = svc_catalog_simulates(s, q, r);
  size_t i;
  (void)context;
  for (i = 0; rc == SVC_INVALID && i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(q->what, rows[i].what) == 0) return rows[i].answer(q, r);
  return rc;
}

SVC_PRIVATE const svc_driver *svc_simulator(void)
{
  static const svc_driver driver = { NULL, simulator_ask, NULL };
  return &driver;
}
