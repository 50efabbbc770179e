/*
** The model of a cluster's data plane: every figure, record and log line that is simulated is derived from it, so they agree.
**
**   facts (svc_model)          tier, disk, pauses, collections, indexes: read from the store once for a question      model.c
**   load over time             a daily and a weekly wave with small noise                                             model_load.c
**   quantities (svc_point)     of one host at one time: a pure function of facts, host and time                       model_point.c
**   metrics                    a table: which quantity each metric shows, and in which form                           model_metrics.c
**
** The rule: the same facts, host and time give the same quantities on every machine. All arithmetic is done in 64-bit integers, and
** quantities are thousandths of their unit. Nothing here asks whether there is a driver.
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
  int64_t since;       /* milliseconds: when it was there */
  bool hidden;         /* or it has not all documents: it serves no query */
  svc_str first;       /* its first key, a field */
} svc_model_index;

enum { SVC_MODEL_INDEXES = 64 }; /* of a collection, with that of _id */
typedef struct svc_model_collection {
  svc_str namespace;   /* "database.collection" */
  svc_str database;
  const svc_sample *like;
  int64_t since, until; /* milliseconds: from when on it has been there, and when it went; INT64_MAX: it is there */
  int64_t documents;   /* when it came, */
  int64_t grows;       /* and how many more come at the peak of the load, in thousandths a second */
  int64_t waves;       /* svc_model_waves() of when it came */
  int64_t reads, writes; /* at the peak, in thousandths a second */
  uint64_t seed;
  int64_t served[SVC_SAMPLE_QUERIES]; /* from when on an index has served this kind of query; INT64_MAX: none does */
  svc_model_index *indexes; /* the first is that of _id; a hidden one serves no query */
  size_t index_count;
} svc_model_collection;

typedef struct svc_model_span { /* machines, from this time on */
  int64_t at, disk;
  const svc_tier *tier, *analytics; /* analytics NULL: it had no such nodes */
  bool up;
} svc_model_span;

typedef struct svc_model {
  const svc_node *body;   /* of the cluster; NULL: it is a flex cluster */
  svc_str id;
  uint64_t seed;
  int64_t since;          /* milliseconds: it was made */
  int64_t shards;
  int64_t search;         /* milliseconds: from when on it has had a search index; INT64_MAX: it has none */
  const svc_model_span *spans; /* of the past, by time; what it has now stands in its body */
  size_t span_count;
  svc_model_collection *collections; /* by namespace */
  size_t count;
  const svc_node *oplogs; /* sizes of its oplog over time (cluster_history.c); NULL: always the one that stands in oplog */
  int64_t oplog;          /* megabytes; 0: as its disk has it */
  const svc_node *states; /* of its processes (process_states.c); NULL: all were always up */
} svc_model;

/* All of a cluster, in the transaction of the request; body NULL: it is a flex cluster. False: failed. */
SVC_PRIVATE bool svc_model_of(svc_call *c, const svc_entity *cluster, const svc_node *body, svc_model *out);
SVC_PRIVATE const svc_model_collection *svc_model_collection_of(const svc_model *m, svc_str database, svc_str name, int64_t at); /* NULL: none */

enum svc_model_role { SVC_MODEL_PRIMARY, SVC_MODEL_SECONDARY, SVC_MODEL_ROUTER, SVC_MODEL_CONFIG };
typedef struct svc_model_host {
  int role;          /* enum svc_model_role */
  svc_tier tier;     /* of now */
  uint64_t seed;
  int64_t members;   /* of its replica set */
  svc_str id, set;   /* the process, and its replica set; empty: of none */
  bool first;        /* it leads its set where nobody was ever elected */
  bool analytics;    /* a server for reports, which never leads */
} svc_model_host;
SVC_PRIVATE svc_model_host svc_model_host_of(const svc_model *m, const svc_processes *of, const svc_process *p);
SVC_PRIVATE int svc_model_role_at(const svc_model *m, const svc_model_host *h, int64_t at); /* enum svc_model_role: then, by the last election */
/* Was the host up at this time, in milliseconds? Was its cluster made, and not paused, and the host not down. The one place that knows.
** h NULL: was its cluster? */
SVC_PRIVATE bool svc_model_up(const svc_model *m, const svc_model_host *h, int64_t at);

/* -------------------------------------------------------------------------------------------------------------- load */

SVC_PRIVATE uint64_t svc_model_hash(uint64_t seed, uint64_t what); /* any number, made of both */
SVC_PRIVATE int64_t svc_model_wave(int64_t at);  /* of the load, in thousandths of its peak; at: milliseconds */
SVC_PRIVATE int64_t svc_model_waves(int64_t at); /* the sum of that, a second each, since 1970 */
typedef struct svc_model_time { /* a time, and the load of then */
  int64_t at, wave, load, waves; /* load: the wave with this minute's noise */
  int64_t shards; /* figures are of one of so many; 1: of the whole cluster */
} svc_model_time;
SVC_PRIVATE svc_model_time svc_model_time_of(const svc_model *m, int64_t at, int64_t shards);
SVC_PRIVATE bool svc_model_there(const svc_model_collection *k, int64_t at);
SVC_PRIVATE int64_t svc_model_documents(const svc_model_collection *k, int64_t waves);

/* A collection at a time: bytes, and thousandths a second. */
typedef struct svc_model_figures {
  int64_t documents, data, storage, index_size, indexes;
  int64_t reads, writes, commands, inserts, updates; /* inserts + updates = writes */
  int64_t returned, scanned, keys; /* documents and keys of indexes */
  int64_t read_micros, write_micros, command_micros; /* of one, on average */
} svc_model_figures;
SVC_PRIVATE void svc_model_collection_at(const svc_model_collection *k, const svc_model_time *t, svc_model_figures *out);
SVC_PRIVATE bool svc_model_serves(const svc_sample_query *q, const svc_model_index *index); /* then it does not scan its collection */
/* The slow query of a kind that began in this slot of SVC_MODEL_SLOT seconds. False: none was slow. */
enum { SVC_MODEL_SLOT = 600, SVC_MODEL_SLOW = 100 /* milliseconds */ };
typedef struct svc_model_slow {
  int64_t at, micros, examined, returned; /* at: milliseconds */
  int kind;        /* of the collection's queries */
  unsigned value;  /* the number in its filter */
  uint64_t number; /* any, of its own */
} svc_model_slow;
SVC_PRIVATE bool svc_model_slow_at(const svc_model *m, const svc_model_collection *k, int64_t slot, svc_model_slow *out);

/* ------------------------------------------------------------------------------------------------------------ points */

/* A database of a host at a time, those of the system among them; empty: all databases together. false: there is none. */
SVC_PRIVATE bool svc_model_database_at(const svc_model *m, const svc_model_host *h, const svc_model_time *t, svc_str database,
                                       svc_model_figures *out, int64_t *collections);
typedef struct svc_model_oplog {
  int64_t most, used; /* bytes */
  int64_t window;     /* milliseconds: how long ago its oldest entry was written */
} svc_model_oplog;
enum { SVC_MODEL_ENTRY = 260 }; /* bytes of the oplog, and to each other member, that a document takes which is written */
SVC_PRIVATE svc_model_oplog svc_model_oplog_at(const svc_model *m, const svc_model_host *h, const svc_model_time *t);
SVC_PRIVATE svc_model_span svc_model_span_at(const svc_model *m, const svc_model_host *h, int64_t at); /* the machine that it had then */

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
  int64_t q[SVC_Q_COUNT]; /* thousandths: bytes, milliseconds, percent, or as many a second */
  int64_t cores;
} svc_point;
SVC_PRIVATE void svc_model_at(const svc_model *m, const svc_model_host *h, int64_t at, svc_point *out); /* at: milliseconds */

/* A stream processor since its last start (simulated_stream.c); one that does not run has nothing. */
typedef struct svc_stream_figures {
  int64_t in, out, dead; /* messages; dead: among the dead letters */
  int64_t bytes;         /* of one */
  int64_t lag, behind;   /* milliseconds, and messages that wait */
} svc_stream_figures;
SVC_PRIVATE svc_stream_figures svc_stream_figures_at(const char *id, int64_t started, int64_t now);
SVC_PRIVATE int64_t svc_stream_started(const svc_entity *e); /* milliseconds; 0: never, or before that was written down */

/* ----------------------------------------------------------------------------------------------------------- metrics */

enum svc_model_of { SVC_MODEL_OF_HOST, SVC_MODEL_OF_DATABASE, SVC_MODEL_OF_COLLECTION, SVC_MODEL_OF_INDEX, SVC_MODEL_OF_COUNT };
/* What is measured: a host, or a part of it; a collection may be that of the whole cluster. */
typedef struct svc_model_where {
  int of; /* enum svc_model_of */
  const svc_model *model;
  const svc_model_host *host; /* of a cluster as its primary sees it: that one */
  svc_str database, collection;
  int64_t shards; /* as in svc_model_time */
  int64_t indexes; /* of SVC_MODEL_OF_INDEX: so many, the first made at this time, in milliseconds */
  int64_t since;
} svc_model_where;

/* A metric, as a form of a quantity. */
enum svc_model_form { SVC_FORM_PLAIN = 0, SVC_FORM_MAX = 1 /* the greatest of the time before */, SVC_FORM_CORE = 2 /* divided by the cores */ };
typedef struct svc_model_metric {
  const char *name;
  unsigned char quantity, form;
} svc_model_metric;
SVC_PRIVATE bool svc_model_metric_named(int of, svc_str name, svc_model_metric *out); /* false: the model has none of this name */
/* Figures at one time, in thousandths; SVC_MODEL_GAP: there is none. at: milliseconds; step: so many before it MAX looks at. */
#define SVC_MODEL_GAP INT64_MIN
SVC_PRIVATE void svc_model_figures_of(const svc_model_where *w, const svc_model_metric *rows, size_t count, int64_t at, int64_t step, int64_t *out);
SVC_PRIVATE int64_t svc_model_figure(const svc_model_where *w, svc_str name, int64_t at); /* one of them, as of this minute */

#endif /* SVC_MODEL_H */
