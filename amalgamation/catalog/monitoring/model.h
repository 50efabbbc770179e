/*
** The model of a cluster's data plane: all simulated figures, records and log lines derive from it, so they agree.
**
**   facts (svc_model)          tier, disk, pauses, collections, indexes: read from the store once per question       model.c
**   load over time             a daily and a weekly wave with small noise                                            model_load.c
**   quantities (svc_point)     of one host at one time: a pure function of facts, host and time                      model_point.c
**   metrics                    a table: the quantity that each metric shows, and its form                            model_metrics.c
**
** The rule: the same facts, host and time give the same quantities on every machine. All arithmetic uses 64-bit integers,
** and quantities are thousandths of their unit. All seeds derive from the cluster's id, so two runs agree if their ids and
** times do (svc_config.seed, manual_clock). The model does not depend on whether there is a driver.
*/
#ifndef SVC_MODEL_H
#define SVC_MODEL_H

#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/sample_data.h"
#include "catalog/cluster/tier.h"
#include "catalog/monitoring/process_parts.h"

/* ------------------------------------------------------------------------------------------------------------- facts */

typedef struct svc_model_index {
  svc_str name, keys;  /* "owner_1"; JSON: [{"owner":1}] */
  svc_str options;     /* JSON, or empty */
  int64_t since;       /* milliseconds: when it was built */
  bool hidden;         /* hidden, or without some documents: serves no query */
  svc_str first;       /* first key, a field */
} svc_model_index;

enum { SVC_MODEL_INDEXES = 64 }; /* per collection, including that of _id */
typedef struct svc_model_collection {
  svc_str namespace;   /* "database.collection" */
  svc_str database;
  const svc_sample *like;
  int64_t since, until; /* milliseconds: creation and deletion; INT64_MAX: it exists */
  int64_t documents;   /* at its creation */
  int64_t grows;       /* growth at the peak of the load, in thousandths of documents per second */
  int64_t waves;       /* svc_model_waves() at its creation */
  int64_t reads, writes; /* at the peak, in thousandths per second */
  uint64_t seed;
  int64_t served[SVC_SAMPLE_QUERIES]; /* since when an index has served this kind of query; INT64_MAX: none does */
  svc_model_index *indexes; /* the first is that of _id; a hidden one serves no query */
  size_t index_count;
} svc_model_collection;

typedef struct svc_model_span { /* machines, from this time on */
  int64_t at, disk;
  const svc_tier *tier, *analytics; /* analytics NULL: no such nodes */
  bool up;
} svc_model_span;

typedef struct svc_model {
  const svc_node *body;   /* of the cluster; NULL: a flex cluster */
  svc_str id;
  uint64_t seed;
  int64_t since;          /* milliseconds: the end of its creation */
  int64_t shards;
  int64_t search;         /* milliseconds: its first search index; INT64_MAX: it has none */
  const svc_model_span *spans; /* by time; the last one is the current one, whose machines are those of the body */
  size_t span_count;
  svc_model_collection *collections; /* by namespace */
  size_t count;
  const svc_node *oplogs; /* sizes of its oplog over time (cluster_history.c); NULL: always `oplog` */
  int64_t oplog;          /* megabytes; 0: the default, which depends on the disk */
  const svc_node *states; /* of its processes (process_states.c); NULL: all were always up */
} svc_model;

/* Reads all facts of a cluster, inside the transaction of `c`; body NULL: a flex cluster. False: failed. */
SVC_PRIVATE bool svc_model_of(svc_call *c, const svc_entity *cluster, const svc_node *body, svc_model *out);
/* NULL: none */
SVC_PRIVATE const svc_model_collection *svc_model_collection_of(const svc_model *m, svc_str database, svc_str name, int64_t at);

enum svc_model_role { SVC_MODEL_PRIMARY, SVC_MODEL_SECONDARY, SVC_MODEL_ROUTER, SVC_MODEL_CONFIG };
typedef struct svc_model_host {
  int role;          /* enum svc_model_role */
  svc_tier tier;     /* current */
  uint64_t seed;
  int64_t members;   /* of its replica set */
  svc_str id, set;   /* the process, and its replica set; empty: none */
  bool first;        /* primary of its replica set before the first election */
  bool analytics;    /* an analytics node, which never becomes primary */
} svc_model_host;
SVC_PRIVATE svc_model_host svc_model_host_of(const svc_model *m, const svc_processes *of, const svc_process *p);
SVC_PRIVATE int svc_model_role_at(const svc_model *m, const svc_model_host *h, int64_t at); /* enum svc_model_role at that time, by the
                                                                                               last election */
/* Whether the host was up at this time, in milliseconds: its cluster existed and was not paused, and the host was not down.
** All other code asks this function. h NULL: whether the cluster was up. */
SVC_PRIVATE bool svc_model_up(const svc_model *m, const svc_model_host *h, int64_t at);

/* -------------------------------------------------------------------------------------------------------------- load */

SVC_PRIVATE uint64_t svc_model_hash(uint64_t seed, uint64_t what); /* a pseudorandom number derived from both */
SVC_PRIVATE int64_t svc_model_wave(int64_t at);  /* load in thousandths of the peak; at: milliseconds */
SVC_PRIVATE int64_t svc_model_waves(int64_t at); /* sum of the waves of all seconds since 1970 */
typedef struct svc_model_time { /* a time, and its load */
  int64_t at, wave, load, waves; /* load: the wave with the noise of the minute */
  int64_t shards; /* figures are of one of this many shards; 1: of the whole cluster */
} svc_model_time;
SVC_PRIVATE svc_model_time svc_model_time_of(const svc_model *m, int64_t at, int64_t shards);
SVC_PRIVATE bool svc_model_there(const svc_model_collection *k, int64_t at);
SVC_PRIVATE int64_t svc_model_documents(const svc_model_collection *k, int64_t waves);

/* A collection at a time: bytes, and thousandths per second. */
typedef struct svc_model_figures {
  int64_t documents, data, storage, index_size, indexes;
  int64_t reads, writes, commands, inserts, updates; /* inserts + updates = writes */
  int64_t returned, scanned, keys; /* documents and index keys */
  int64_t read_micros, write_micros, command_micros; /* average per operation */
} svc_model_figures;
SVC_PRIVATE void svc_model_collection_at(const svc_model_collection *k, const svc_model_time *t, svc_model_figures *out);
SVC_PRIVATE bool svc_model_serves(const svc_sample_query *q, const svc_model_index *index); /* then the query does not scan its
                                                                                               collection */
/* The slow query of the collection that began in this slot of SVC_MODEL_SLOT seconds. False: there was none. */
enum { SVC_MODEL_SLOT = 600, SVC_MODEL_SLOW = 100 /* milliseconds */ };
typedef struct svc_model_slow {
  int64_t at, micros, examined, returned; /* at: milliseconds */
  int kind;        /* index in the collection's queries */
  unsigned value;  /* the number in its filter */
  uint64_t number; /* pseudorandom number of this query */
} svc_model_slow;
SVC_PRIVATE bool svc_model_slow_at(const svc_model *m, const svc_model_collection *k, int64_t slot, svc_model_slow *out);

/* ------------------------------------------------------------------------------------------------------------ points */

/* A database of a host at a time, including the system's databases; empty: all databases together. False: there is no such
** database. */
SVC_PRIVATE bool svc_model_database_at(const svc_model *m, const svc_model_host *h, const svc_model_time *t, svc_str database,
                                       svc_model_figures *out, int64_t *collections);
typedef struct svc_model_oplog {
  int64_t most, used; /* bytes */
  int64_t window;     /* milliseconds: age of its oldest entry */
} svc_model_oplog;
enum { SVC_MODEL_ENTRY = 260 }; /* bytes that a written document takes in the oplog, and sends to each other member */
SVC_PRIVATE svc_model_oplog svc_model_oplog_at(const svc_model *m, const svc_model_host *h, const svc_model_time *t);
/* machine of the host at that time */
SVC_PRIVATE svc_model_span svc_model_span_at(const svc_model *m, const svc_model_host *h, int64_t at);

#define SVC_QUANTITIES(X) \
  X(ZERO) X(OP_QUERY) X(OP_INSERT) X(OP_UPDATE) X(OP_DELETE) X(OP_GETMORE) X(OP_COMMAND) X(REPL_COMMAND) X(REPL_INSERT) X(REPL_UPDATE) \
  X(REPL_DELETE) X(REQUESTS) X(DOC_RETURNED) X(DOC_INSERTED) X(DOC_UPDATED) X(DOC_DELETED) X(SCANNED_KEYS) X(SCANNED_OBJECTS) \
  X(SCANNED_PER_RETURNED) X(OBJECTS_PER_RETURNED) X(SCAN_AND_ORDER) X(ASSERT_USER) X(BTREE_ACCESSES) X(BTREE_HITS) X(BTREE_MISSES) \
  X(BTREE_MISS_RATIO) X(CONNECTIONS) X(CONNECTIONS_MOST) X(CONNECTIONS_PERCENT) X(CURSORS) X(CACHE_USED) X(CACHE_DIRTY) X(CACHE_FILL) \
  X(DIRTY_FILL) X(CACHE_READ) X(CACHE_WRITTEN) X(MEMORY_RESIDENT) X(MEMORY_VIRTUAL) X(SYSTEM_MEMORY_USED) X(SYSTEM_MEMORY_AVAILABLE) \
  X(SYSTEM_MEMORY_FREE) X(SYSTEM_MEMORY_PERCENT) X(CPU_USER) X(CPU_KERNEL) X(CPU_IOWAIT) X(CPU_STEAL) X(CPU_SOFTIRQ) X(CPU_NICE) \
  X(PROCESS_USER) X(PROCESS_KERNEL) X(NETWORK_IN) X(NETWORK_OUT) X(SYSTEM_NETWORK_IN) X(SYSTEM_NETWORK_OUT) X(EXECUTION_READ) \
  X(EXECUTION_WRITE) X(EXECUTION_COMMAND) X(QUEUE_READERS) X(QUEUE_WRITERS) X(QUEUE_TOTAL) X(TICKETS_READ) X(TICKETS_WRITE) X(PAGE_FAULTS) \
  X(JOURNAL) X(JOURNAL_FILES) X(OPLOG_WINDOW) X(OPLOG_HEADROOM) X(OPLOG_RATE) X(REPLICATION_LAG) X(DATA_SIZE) X(STORAGE_SIZE) X(INDEX_SIZE) \
  X(DATA_SIZE_USER) X(IOPS_READ) X(IOPS_WRITE) X(IOPS_TOTAL) X(LATENCY_READ) X(LATENCY_WRITE) X(DISK_USED) X(DISK_FREE) \
  X(DISK_USED_PERCENT) X(DISK_FREE_PERCENT) X(THROUGHPUT_READ) X(THROUGHPUT_WRITE) X(QUEUE_DEPTH) X(FTS_USER) X(FTS_KERNEL) \
  X(FTS_RESIDENT) X(FTS_SHARED) X(FTS_VIRTUAL) X(FTS_DISK) X(FTS_DISK_PERCENT) X(JVM_USED) X(JVM_MOST) X(SEARCH_QUERIES) X(SEARCH_WRITES) \
  X(SEARCH_FIELDS) X(SEARCH_DOCUMENTS) \
  X(DB_AVERAGE) X(DB_COLLECTIONS) X(DB_DATA) X(DB_STORAGE) X(DB_INDEX) X(DB_INDEXES) X(DB_DOCUMENTS) \
  X(READS) X(READS_SUM) X(READS_MEAN) X(READS_P50) X(READS_P95) X(READS_P99) \
  X(WRITES) X(WRITES_SUM) X(WRITES_MEAN) X(WRITES_P50) X(WRITES_P95) X(WRITES_P99) \
  X(COMMANDS) X(COMMANDS_SUM) X(COMMANDS_MEAN) X(COMMANDS_P50) X(COMMANDS_P95) X(COMMANDS_P99) \
  X(ALL) X(ALL_SUM) X(ALL_MEAN) X(ALL_P50) X(ALL_P95) X(ALL_P99) \
  X(INDEX_BYTES) X(INDEX_FIELDS) X(INDEX_GETMORES) X(INDEX_INSERTS) X(INDEX_UPDATES) X(INDEX_QUERIES) X(INDEX_LAG)
#define SVC_QUANTITY(name) SVC_Q_##name,
enum svc_quantity { SVC_QUANTITIES(SVC_QUANTITY) SVC_Q_COUNT };
typedef struct svc_point {
  int64_t q[SVC_Q_COUNT]; /* thousandths of the unit: bytes, milliseconds, percent, numbers, or numbers per second */
  int64_t cores;
} svc_point;
SVC_PRIVATE void svc_model_at(const svc_model *m, const svc_model_host *h, int64_t at, svc_point *out); /* at: milliseconds */

/* Figures of a stream processor since its last start (simulated_stream.c); without a start all but `bytes` are 0. */
typedef struct svc_stream_figures {
  int64_t in, out, dead; /* messages; dead: sent to the dead letter queue */
  int64_t bytes;         /* per message */
  int64_t lag, behind;   /* milliseconds, and waiting messages */
} svc_stream_figures;
SVC_PRIVATE svc_stream_figures svc_stream_figures_at(const char *id, int64_t started, int64_t now);
SVC_PRIVATE int64_t svc_stream_started(const svc_entity *e); /* milliseconds; 0: never started, or stored before there was such a time */

/* ----------------------------------------------------------------------------------------------------------- metrics */

enum svc_model_of { SVC_MODEL_OF_HOST, SVC_MODEL_OF_DATABASE, SVC_MODEL_OF_COLLECTION, SVC_MODEL_OF_INDEX, SVC_MODEL_OF_COUNT };
/* The subject of a measurement: a host or a part of it; a collection can be that of the whole cluster. */
typedef struct svc_model_where {
  int of; /* enum svc_model_of */
  const svc_model *model;
  const svc_model_host *host; /* for a view of the cluster: the host that represents it */
  svc_str database, collection;
  int64_t shards; /* as in svc_model_time */
  int64_t indexes; /* for SVC_MODEL_OF_INDEX: their number; `since`: creation of the first, in milliseconds */
  int64_t since;
} svc_model_where;

/* A metric, as a form of a quantity. */
enum svc_model_form { SVC_FORM_PLAIN = 0, SVC_FORM_MAX = 1 /* maximum of a step */, SVC_FORM_CORE = 2 /* divided by the cores */ };
typedef struct svc_model_metric {
  const char *name;
  unsigned char quantity, form;
} svc_model_metric;
SVC_PRIVATE bool svc_model_metric_named(int of, svc_str name, svc_model_metric *out); /* false: the model has no such metric */
/* Figures at one time, in thousandths; SVC_MODEL_GAP: none. at: milliseconds; step: milliseconds before it that MAX covers. */
#define SVC_MODEL_GAP INT64_MIN
SVC_PRIVATE void svc_model_figures_of(const svc_model_where *w, const svc_model_metric *rows, size_t count, int64_t at, int64_t step, int64_t *out);
SVC_PRIVATE int64_t svc_model_figure(const svc_model_where *w, svc_str name, int64_t at); /* a single figure, with a step of one minute */

#endif /* SVC_MODEL_H */
