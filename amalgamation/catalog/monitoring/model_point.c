/*
** The quantities of one host at one time: a pure function of the facts, the host and the time (model.h).
**
** The rules, which hold at every time:
**   - a total is the sum of its parts: requests, IOPS, queues, disks, accesses of indexes
**   - a part is never more than its whole: dirty <= used <= cache, resident <= virtual and <= memory, connections <= limit of
**     the tier
**   - a primary takes writes, a secondary replicates them, a router has no data; the lag of a primary is 0
**   - an analytics node is a secondary that answers one query for every ten of the primary, and reads all documents once an
**     hour for reports
**
** All values are integers, in thousandths.
*/
#include "catalog/monitoring/model.h"

#define POINT_MB ((int64_t)1048576)
#define POINT_UNIT ((int64_t)1000) /* thousandths */

typedef struct point_making {
  const svc_model *m;
  const svc_model_host *h;
  svc_model_time t;
  svc_model_span span;
  svc_model_figures all; /* of all databases */
  int64_t user;          /* bytes of the customer's data */
  bool has_data;         /* a server or router of a cluster with collections */
  int64_t *q;
} point_making;

/* A number from 0 to below `most`, derived from the host, the minute and the purpose. */
static int64_t point_noise(const point_making *p, uint64_t what, int64_t most)
{
  return (int64_t)(svc_model_hash(p->h->seed, (uint64_t)(p->t.at / 60000) * 64 + what) % (uint64_t)most);
}

static int64_t point_least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t point_percent(int64_t part, int64_t whole) /* of 100, in thousandths */
{
  return whole >= POINT_UNIT ? part / POINT_UNIT * 100 * POINT_UNIT / (whole / POINT_UNIT) : 0;
}

SVC_PRIVATE svc_model_span svc_model_span_at(const svc_model *m, const svc_model_host *h, int64_t at)
{
  size_t i = m->span_count;
  svc_model_span span = { 0, h->tier.disk, &h->tier, &h->tier, true };
  while (i > 0 && m->spans[i - 1].at > at) i--;
  if (i > 0 && i < m->span_count) span = m->spans[i - 1];
  if (h->analytics) span.tier = span.analytics ? span.analytics : &h->tier;
  return span;
}

/* ----------------------------------------------------------------------------------------------------------- operations */

static void point_operations(const point_making *p)
{
  bool primary = p->h->role == SVC_MODEL_PRIMARY, router = p->h->role == SVC_MODEL_ROUTER;
  int64_t *q = p->q, part = primary ? 1 : 10;
  if (p->has_data && (primary || p->h->analytics)) {
    q[SVC_Q_OP_QUERY] = p->all.reads / part;
    q[SVC_Q_DOC_RETURNED] = p->all.returned / part;
    q[SVC_Q_SCANNED_KEYS] = p->all.keys / part;
    q[SVC_Q_SCANNED_OBJECTS] = p->all.scanned / part + (primary ? 0 : p->all.documents * p->t.load / 3600);
    q[SVC_Q_SCAN_AND_ORDER] = q[SVC_Q_OP_QUERY] / 200;
  }
  if (primary && p->has_data) {
    q[SVC_Q_OP_INSERT] = p->all.inserts;
    q[SVC_Q_OP_UPDATE] = p->all.updates;
  } else if (p->has_data && !router) {
    q[SVC_Q_REPL_INSERT] = p->all.inserts;
    q[SVC_Q_REPL_UPDATE] = p->all.updates;
  }
  q[SVC_Q_DOC_INSERTED] = q[SVC_Q_OP_INSERT] + q[SVC_Q_REPL_INSERT];
  q[SVC_Q_DOC_UPDATED] = q[SVC_Q_OP_UPDATE] + q[SVC_Q_REPL_UPDATE];
  q[SVC_Q_OP_COMMAND] = 4000 + point_noise(p, 1, 1500) + (primary ? p->all.commands : 0);
  q[SVC_Q_OP_GETMORE] = primary ? (p->h->members - 1) * 400 + point_noise(p, 2, 200) : 0;
  q[SVC_Q_REQUESTS] = q[SVC_Q_OP_QUERY] + q[SVC_Q_OP_INSERT] + q[SVC_Q_OP_UPDATE] + q[SVC_Q_OP_DELETE] + q[SVC_Q_OP_GETMORE] + q[SVC_Q_OP_COMMAND];
  q[SVC_Q_ASSERT_USER] = point_noise(p, 3, 40);
  if (q[SVC_Q_DOC_RETURNED] > 0) {
    q[SVC_Q_SCANNED_PER_RETURNED] = q[SVC_Q_SCANNED_KEYS] * POINT_UNIT / q[SVC_Q_DOC_RETURNED];
    q[SVC_Q_OBJECTS_PER_RETURNED] = q[SVC_Q_SCANNED_OBJECTS] * POINT_UNIT / q[SVC_Q_DOC_RETURNED];
  }
  q[SVC_Q_BTREE_HITS] = q[SVC_Q_SCANNED_KEYS] - q[SVC_Q_SCANNED_KEYS] / 100;
  q[SVC_Q_BTREE_MISSES] = q[SVC_Q_SCANNED_KEYS] / 100;
  q[SVC_Q_BTREE_ACCESSES] = q[SVC_Q_BTREE_HITS] + q[SVC_Q_BTREE_MISSES];
  if (q[SVC_Q_BTREE_ACCESSES]) q[SVC_Q_BTREE_MISS_RATIO] = q[SVC_Q_BTREE_MISSES] * 100 * POINT_UNIT / q[SVC_Q_BTREE_ACCESSES];
}

/* Durations in thousandths of milliseconds, that is microseconds. */
static void point_times(const point_making *p)
{
  int64_t base = 250 + point_noise(p, 4, 150), *q = p->q;
  q[SVC_Q_EXECUTION_COMMAND] = base;
  q[SVC_Q_EXECUTION_READ] = p->has_data ? base + 100 + p->t.load / 5 : 0;
  q[SVC_Q_EXECUTION_WRITE] = p->has_data ? base + 350 + p->t.load / 5 : 0;
  /* only whole waiting operations */
  q[SVC_Q_QUEUE_READERS] = q[SVC_Q_OP_QUERY] * q[SVC_Q_EXECUTION_READ] / 1000000 / POINT_UNIT * POINT_UNIT;
  q[SVC_Q_QUEUE_WRITERS] = (q[SVC_Q_OP_INSERT] + q[SVC_Q_OP_UPDATE]) * q[SVC_Q_EXECUTION_WRITE] / 1000000 / POINT_UNIT * POINT_UNIT;
  q[SVC_Q_QUEUE_TOTAL] = q[SVC_Q_QUEUE_READERS] + q[SVC_Q_QUEUE_WRITERS];
  q[SVC_Q_TICKETS_READ] = 128000 - point_least(128, q[SVC_Q_OP_QUERY] / 100000 + point_noise(p, 5, 2)) * POINT_UNIT;
  q[SVC_Q_TICKETS_WRITE] = 128000 - point_least(128, (q[SVC_Q_OP_INSERT] + q[SVC_Q_OP_UPDATE]) / 100000 + point_noise(p, 6, 2)) * POINT_UNIT;
}

static void point_connections(const point_making *p)
{
  int64_t most = p->span.tier->connections, n = 8 + p->h->members * 3 + point_noise(p, 7, 3), *q = p->q;
  if (p->has_data) n += p->h->role == SVC_MODEL_SECONDARY ? 6 : 10 + p->t.load * 40 / 1000;
  n = point_least(n, most);
  q[SVC_Q_CONNECTIONS] = n * POINT_UNIT;
  q[SVC_Q_CONNECTIONS_MOST] = most * POINT_UNIT;
  q[SVC_Q_CONNECTIONS_PERCENT] = point_percent(q[SVC_Q_CONNECTIONS], q[SVC_Q_CONNECTIONS_MOST]);
  q[SVC_Q_CURSORS] = p->has_data && p->h->role == SVC_MODEL_PRIMARY ? (1 + p->t.load / 200 + p->h->members) * POINT_UNIT : POINT_UNIT;
}

/* --------------------------------------------------------------------------------------------------------------- memory */

/* A machine of up to 8 GB uses a quarter of its memory as cache, a larger one half. */
static int64_t point_cache(const svc_tier *tier)
{
  return tier->ram <= 8192 * POINT_MB ? tier->ram / 4 : tier->ram / 2;
}

static void point_memory(const point_making *p)
{
  int64_t ram = p->span.tier->ram, cache = point_cache(p->span.tier), used = 0, dirty = 0, resident, taken, *q = p->q;
  bool server = p->h->role != SVC_MODEL_ROUTER;
  if (server) used = point_least(cache * 79 / 100, 24 * POINT_MB + p->all.data + p->all.index_size) / 4096 * 4096;
  if (server) dirty = point_least(used / 20, 65536 + (p->all.writes + point_noise(p, 8, 500)) * 60 * 4);
  resident = point_least(ram * 85 / 100, 110 * POINT_MB + used + q[SVC_Q_CONNECTIONS] / POINT_UNIT * (POINT_MB / 2));
  taken = point_least(ram * 95 / 100, resident + q[SVC_Q_FTS_RESIDENT] / POINT_UNIT + ram / 12 + point_noise(p, 9, 8) * POINT_MB);
  q[SVC_Q_CACHE_USED] = used * POINT_UNIT;
  q[SVC_Q_CACHE_DIRTY] = dirty * POINT_UNIT;
  q[SVC_Q_CACHE_FILL] = point_percent(q[SVC_Q_CACHE_USED], cache * POINT_UNIT);
  q[SVC_Q_DIRTY_FILL] = point_percent(q[SVC_Q_CACHE_DIRTY], cache * POINT_UNIT);
  q[SVC_Q_MEMORY_RESIDENT] = resident * POINT_UNIT;
  q[SVC_Q_MEMORY_VIRTUAL] = (resident + 1536 * POINT_MB) * POINT_UNIT;
  q[SVC_Q_SYSTEM_MEMORY_USED] = taken * POINT_UNIT;
  q[SVC_Q_SYSTEM_MEMORY_AVAILABLE] = (ram - taken) * POINT_UNIT;
  q[SVC_Q_SYSTEM_MEMORY_FREE] = (ram - taken) * 2 / 5 * POINT_UNIT;
  q[SVC_Q_SYSTEM_MEMORY_PERCENT] = point_percent(q[SVC_Q_SYSTEM_MEMORY_USED], ram * POINT_UNIT);
}

/* ----------------------------------------------------------------------------------------------------------------- disk */

static void point_disk(const point_making *p)
{
  int64_t journal = p->span.tier->shared || p->h->role == SVC_MODEL_ROUTER ? 0 : 300 * POINT_MB, *q = p->q;
  int64_t used = point_least(p->span.disk, p->all.storage + p->all.index_size + journal), cached = q[SVC_Q_CACHE_USED] / POINT_UNIT;
  int64_t size = p->all.data + p->all.index_size, writes = q[SVC_Q_DOC_INSERTED] + q[SVC_Q_DOC_UPDATED];
  int64_t misses = size > cached && size > 0 ? q[SVC_Q_SCANNED_OBJECTS] / 50 * ((size - cached) / POINT_MB) / (size / POINT_MB + 1) : 0;
  int64_t most = p->h->tier.iops * POINT_UNIT;
  if (p->h->role == SVC_MODEL_ROUTER) used = 40 * POINT_MB;
  q[SVC_Q_IOPS_READ] = point_least(most / 2, 200 + point_noise(p, 10, 300) + misses);
  q[SVC_Q_IOPS_WRITE] = point_least(most / 2, 2500 + point_noise(p, 11, 1500) + writes / 2);
  q[SVC_Q_IOPS_TOTAL] = q[SVC_Q_IOPS_READ] + q[SVC_Q_IOPS_WRITE];
  q[SVC_Q_LATENCY_READ] = 500 + point_noise(p, 12, 400);
  q[SVC_Q_LATENCY_WRITE] = 700 + point_noise(p, 13, 600);
  q[SVC_Q_THROUGHPUT_READ] = q[SVC_Q_IOPS_READ] * 16384;
  q[SVC_Q_THROUGHPUT_WRITE] = q[SVC_Q_IOPS_WRITE] * 12288;
  q[SVC_Q_QUEUE_DEPTH] = (q[SVC_Q_IOPS_READ] * q[SVC_Q_LATENCY_READ] + q[SVC_Q_IOPS_WRITE] * q[SVC_Q_LATENCY_WRITE]) / 1000000;
  q[SVC_Q_DISK_USED] = used * POINT_UNIT;
  q[SVC_Q_DISK_FREE] = (p->span.disk - used) * POINT_UNIT;
  q[SVC_Q_DISK_USED_PERCENT] = point_percent(q[SVC_Q_DISK_USED], p->span.disk * POINT_UNIT);
  q[SVC_Q_DISK_FREE_PERCENT] = 100 * POINT_UNIT - q[SVC_Q_DISK_USED_PERCENT];
  q[SVC_Q_PAGE_FAULTS] = q[SVC_Q_IOPS_READ] / 10;
  q[SVC_Q_CACHE_READ] = q[SVC_Q_THROUGHPUT_READ] * 3 / 4;
  q[SVC_Q_CACHE_WRITTEN] = q[SVC_Q_THROUGHPUT_WRITE] / 2;
  q[SVC_Q_JOURNAL] = q[SVC_Q_THROUGHPUT_WRITE] / 3000000;
  q[SVC_Q_JOURNAL_FILES] = q[SVC_Q_THROUGHPUT_WRITE] / 2000000;
}

static void point_sizes(const point_making *p)
{
  int64_t *q = p->q;
  if (p->h->role == SVC_MODEL_ROUTER) return;
  q[SVC_Q_DATA_SIZE] = p->all.data * POINT_UNIT;
  q[SVC_Q_DATA_SIZE_USER] = p->user * POINT_UNIT;
  q[SVC_Q_STORAGE_SIZE] = p->all.storage * POINT_UNIT;
  q[SVC_Q_INDEX_SIZE] = p->all.index_size * POINT_UNIT;
}

static void point_oplog(const point_making *p)
{
  svc_model_oplog oplog;
  int64_t writes = p->q[SVC_Q_DOC_INSERTED] + p->q[SVC_Q_DOC_UPDATED], *q = p->q;
  if (p->h->role >= SVC_MODEL_ROUTER) return;
  oplog = svc_model_oplog_at(p->m, p->h, &p->t);
  q[SVC_Q_OPLOG_WINDOW] = oplog.window * POINT_UNIT;
  q[SVC_Q_OPLOG_RATE] = (writes * SVC_MODEL_ENTRY + 11000) * 3600 / 1000000000;
  if (p->h->role == SVC_MODEL_SECONDARY) q[SVC_Q_REPLICATION_LAG] = point_noise(p, 14, 2) * 1000 * POINT_UNIT;
  q[SVC_Q_OPLOG_HEADROOM] = q[SVC_Q_OPLOG_WINDOW] > q[SVC_Q_REPLICATION_LAG] ? q[SVC_Q_OPLOG_WINDOW] - q[SVC_Q_REPLICATION_LAG] : 0;
}

/* ------------------------------------------------------------------------------------------------------- network and CPU */

static void point_network(const point_making *p)
{
  int64_t documents = p->all.documents > 0 ? p->all.data / p->all.documents : 0, *q = p->q;
  int64_t replicated = (q[SVC_Q_DOC_INSERTED] + q[SVC_Q_DOC_UPDATED]) * SVC_MODEL_ENTRY;
  bool primary = p->h->role == SVC_MODEL_PRIMARY;
  q[SVC_Q_NETWORK_IN] = q[SVC_Q_REQUESTS] * 230 + replicated;
  q[SVC_Q_NETWORK_OUT] = q[SVC_Q_REQUESTS] * 180 + q[SVC_Q_DOC_RETURNED] * point_least(documents, 16384) + (primary ? replicated * (p->h->members - 1) : 0);
  q[SVC_Q_SYSTEM_NETWORK_IN] = q[SVC_Q_NETWORK_IN] + q[SVC_Q_NETWORK_IN] / 20 + 1500 * POINT_UNIT;
  q[SVC_Q_SYSTEM_NETWORK_OUT] = q[SVC_Q_NETWORK_OUT] + q[SVC_Q_NETWORK_OUT] / 20 + 1800 * POINT_UNIT;
}

/* The cost of reading data again that does not fit into the cache: percent of one core, in thousandths. The cost grows
** with the data above the cache, up to all cores. */
static int64_t point_pressure(const point_making *p)
{
  int64_t cache = point_cache(p->span.tier), over = p->user + p->all.index_size - cache * 79 / 100;
  if ((p->h->role != SVC_MODEL_PRIMARY && !p->h->analytics) || !p->has_data || over <= 0) return 0;
  over = over / POINT_MB * POINT_UNIT / (cache / POINT_MB); /* relative to the cache, in thousandths */
  return p->span.tier->cores * 100 * point_least(over, POINT_UNIT) * p->t.load / POINT_UNIT;
}

/* Percent of one core, in thousandths: an operation takes 30 microseconds, an examined document takes one. */
static void point_cpu(const point_making *p)
{
  int64_t cores = p->span.tier->cores, room = cores * 60 * POINT_UNIT, *q = p->q;
  int64_t work = q[SVC_Q_REQUESTS] * 3 / POINT_UNIT + (q[SVC_Q_REPL_INSERT] + q[SVC_Q_REPL_UPDATE]) * 3 / POINT_UNIT + q[SVC_Q_SCANNED_OBJECTS] / 10000 +
                 point_pressure(p);
  q[SVC_Q_PROCESS_USER] = point_least(room, 1200 + point_noise(p, 15, 900) + work);
  q[SVC_Q_PROCESS_KERNEL] = q[SVC_Q_PROCESS_USER] * 3 / 10 + point_noise(p, 16, 150);
  q[SVC_Q_CPU_USER] = q[SVC_Q_PROCESS_USER] + 700 + point_noise(p, 17, 500);
  q[SVC_Q_CPU_KERNEL] = q[SVC_Q_PROCESS_KERNEL] + 300 + point_noise(p, 18, 200);
  q[SVC_Q_CPU_IOWAIT] = q[SVC_Q_IOPS_TOTAL] * 10 * POINT_UNIT / (p->h->tier.iops * POINT_UNIT + 1) + point_noise(p, 19, 60);
  q[SVC_Q_CPU_STEAL] = p->span.tier->ram <= 4096 * POINT_MB ? point_noise(p, 20, 400) : 0; /* small machines share their cores */
  q[SVC_Q_CPU_SOFTIRQ] = q[SVC_Q_REQUESTS] / 20000 + point_noise(p, 21, 60);
  q[SVC_Q_CPU_NICE] = point_noise(p, 22, 30);
}

/* The search process, from the first search index on. */
static void point_search(const point_making *p)
{
  int64_t ram = p->span.tier->ram, heap = ram / 4, *q = p->q;
  if (p->h->role >= SVC_MODEL_ROUTER || p->m->search > p->t.at) return;
  q[SVC_Q_FTS_USER] = 800 + point_noise(p, 23, 600) + q[SVC_Q_OP_QUERY] / 1000;
  q[SVC_Q_FTS_KERNEL] = q[SVC_Q_FTS_USER] / 5;
  q[SVC_Q_JVM_MOST] = heap * POINT_UNIT;
  q[SVC_Q_JVM_USED] = (heap / 4 + heap / 1000 * point_noise(p, 24, 300)) * POINT_UNIT;
  q[SVC_Q_FTS_RESIDENT] = q[SVC_Q_JVM_USED] + ram / 20 * POINT_UNIT;
  q[SVC_Q_FTS_SHARED] = ram / 50 * POINT_UNIT;
  q[SVC_Q_FTS_VIRTUAL] = q[SVC_Q_FTS_RESIDENT] + q[SVC_Q_FTS_SHARED] + 2048 * POINT_MB * POINT_UNIT;
  q[SVC_Q_FTS_DISK] = (POINT_MB + p->user / 4) * POINT_UNIT;
  q[SVC_Q_FTS_DISK_PERCENT] = point_percent(q[SVC_Q_FTS_DISK], p->span.disk * POINT_UNIT);
  q[SVC_Q_SEARCH_QUERIES] = q[SVC_Q_OP_QUERY] / 20;
  q[SVC_Q_SEARCH_WRITES] = (q[SVC_Q_DOC_INSERTED] + q[SVC_Q_DOC_UPDATED]) / 4;
  q[SVC_Q_SEARCH_FIELDS] = 6 * POINT_UNIT;
  q[SVC_Q_SEARCH_DOCUMENTS] = p->all.documents / 4 * POINT_UNIT;
}

/* The parts run in the order of their dependencies. */
SVC_PRIVATE void svc_model_at(const svc_model *m, const svc_model_host *now, int64_t at, svc_point *out)
{
  static void (*const parts[])(const point_making *p) = { point_operations, point_times, point_connections, point_search,  point_memory,
                                                          point_disk,       point_sizes, point_oplog,       point_network, point_cpu };
  svc_model_host then = *now, *h = &then;
  point_making p = { .m = m, .h = h, .t = svc_model_time_of(m, at, m->shards), .span = svc_model_span_at(m, h, at), .q = out->q };
  svc_model_figures system;
  int64_t collections, others;
  size_t i;
  static const char *const systems[] = { "admin", "config", "local" };
  then.role = svc_model_role_at(m, now, at);
  memset(out, 0, sizeof *out);
  out->cores = p.span.tier->cores;
  if (h->role != SVC_MODEL_ROUTER) svc_model_database_at(m, h, &p.t, SVC_S(""), &p.all, &collections);
  for (i = 0, p.user = p.all.data; i < 3 && h->role != SVC_MODEL_ROUTER; i++) {
    svc_model_database_at(m, h, &p.t, svc_str_c(systems[i]), &system, &others);
    p.user -= system.data;
  }
  for (i = 0; i < m->count; i++) p.has_data = p.has_data || svc_model_there(&m->collections[i], at);
  if (h->role == SVC_MODEL_CONFIG) p.has_data = false;
  for (i = 0; i < sizeof parts / sizeof parts[0]; i++) parts[i](&p);
}
