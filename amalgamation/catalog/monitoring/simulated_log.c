/*
** Logs of hosts without a driver: part of the simulation (simulated.c). Each log looks like that of the database engine.
**
**   db, dbs                        log of a server or a router: structured lines with t, s, c, id, ctx, msg and attr
**   db-audit-log, dbs-audit-log    audit log of both, if the project audits: atype, ts, local, remote, users, roles, param, result
**   queryLogs                      queries on online archives: always empty here
**
** The rule: every line reports an event of the model (starts, elections, logins, slow queries, checkpoints), in the order of
** time; no line is from before the host was up, or older than SIMULATED_LOG_DAYS. If a log would have more than LOG_LINES
** lines, it has the starts and elections, then the newest logins, and only if these leave room the newest slow queries and checkpoints.
*/
#include "catalog/monitoring/simulated.h"

enum { SIMULATED_LOG_DAYS = 30, LOG_LINES = 20000 };

typedef struct log_line {
  int64_t at;   /* milliseconds */
  size_t number;
  svc_str text;
} log_line;

typedef struct log_making {
  svc_simulation *s;
  const svc_process *p;
  svc_model_host host;
  int64_t from, until; /* milliseconds */
  log_line *lines;
  size_t count;
} log_making;

/* ---------------------------------------------------------------------------------------------------------------- lines */

static bool log_covers(const log_making *m, int64_t at)
{
  return at >= m->from && at <= m->until && m->count < LOG_LINES && svc_model_up(&m->s->model, &m->host, at);
}

static void log_add(log_making *m, int64_t at, svc_buf *b)
{
  if (b->failed || m->count == LOG_LINES) return;
  m->lines[m->count] = (log_line){ at, m->count, svc_buf_done(b) };
  m->count++;
}

/* Begins a line; its attributes follow. */
static svc_buf log_begin(log_making *m, int64_t at, const char *component, int id, const char *context, const char *message)
{
  svc_buf b = svc_buf_new(m->s->c.arena, 320);
  char text[96];
  svc_buf_text(&b, "{\"t\":{\"$date\":\"");
  svc_simulated_date(&b, at);
  snprintf(text, sizeof text, "\"},\"s\":\"I\",\"c\":\"%s\",\"id\":%d,\"ctx\":\"%s\",\"msg\":\"", component, id, context);
  svc_buf_text(&b, text);
  svc_buf_text(&b, message);
  svc_buf_char(&b, '"');
  return b;
}

/* ---- start: the process starts, and the first member of a set becomes its primary */

static void log_elected(log_making *m, int64_t at, int term)
{
  svc_buf b;
  if (!log_covers(m, at)) return;
  b = log_begin(m, at, "ELECTION", 21450, "ReplCoord-0", "Election succeeded, assuming primary role");
  svc_buf_text(&b, ",\"attr\":{\"term\":");
  svc_buf_i64(&b, term);
  svc_buf_text(&b, "}}");
  log_add(m, at, &b);
  b = log_begin(m, at + 200, "REPL", 21331, "OplogApplier-0", "Transition to primary complete; database writes are now permitted");
  svc_buf_char(&b, '}');
  log_add(m, at + 200, &b);
}

static bool log_leads(const log_making *m, int64_t at)
{
  return svc_model_role_at(&m->s->model, &m->host, at) == SVC_MODEL_PRIMARY;
}

/* Elections that the host won, {"at":1748736000000,"host":"a:27017"} each. */
static void log_elections(log_making *m)
{
  const svc_node *one = svc_node_first(svc_node_find(svc_node_get(m->s->model.states, "elections"), m->p->replica_set));
  int term;
  for (term = 2; one && m->p->replica_set.n; one = one->next, term++)
    if (svc_node_eq(one, "host", m->p->id)) log_elected(m, svc_node_i64(one, "at", 0), term);
}

static void log_started(log_making *m, int64_t at)
{
  svc_str version = svc_node_str(m->s->of.body, "dbVersion");
  svc_buf b;
  if (!log_covers(m, at)) return;
  b = log_begin(m, at, "CONTROL", 23403, "initandlisten", "Build Info");
  svc_buf_text(&b, ",\"attr\":{\"buildInfo\":{\"version\":");
  svc_json_escape(&b, version);
  svc_buf_text(&b, ",\"modules\":[\"enterprise\"],\"environment\":{\"distarch\":\"x86_64\",\"target_arch\":\"x86_64\"}}}}");
  log_add(m, at, &b);
  b = log_begin(m, at, "NETWORK", 23016, "listener", "Waiting for connections");
  svc_buf_text(&b, ",\"attr\":{\"port\":");
  svc_buf_i64(&b, m->p->port);
  svc_buf_text(&b, ",\"ssl\":\"on\"}}");
  log_add(m, at, &b);
}

/* The starts of the host after it was down. */
static void log_restarts(log_making *m)
{
  const svc_node *host = svc_node_first(svc_node_get(m->s->model.states, "hosts")), *down;
  while (host && !svc_node_eq(host, "id", m->p->id)) host = host->next;
  for (down = svc_node_first(svc_node_get(host, "downs")); down; down = down->next) log_started(m, svc_node_i64(down, "until", 0));
}

static void log_starts(log_making *m)
{
  const svc_model *model = &m->s->model;
  size_t i;
  log_started(m, model->since);
  if (log_leads(m, model->since)) log_elected(m, model->since + 11000, 1);
  for (i = 1; i < model->span_count; i++)
    if (model->spans[i].up && !model->spans[i - 1].up) log_started(m, model->spans[i].at);
  log_restarts(m);
  log_elections(m);
}

/* ---- checkpoints: one per slot */

static void log_checkpoint(log_making *m, int64_t slot)
{
  int64_t at = slot * SVC_MODEL_SLOT * 1000 + (int64_t)(svc_model_hash(m->host.seed, (uint64_t)slot) % 60000);
  char text[192];
  svc_buf b;
  if (m->host.role == SVC_MODEL_ROUTER || !log_covers(m, at)) return;
  b = log_begin(m, at, "STORAGE", 22430, "Checkpointer", "WiredTiger message");
  snprintf(text, sizeof text, ",\"attr\":{\"message\":{\"ts_sec\":%lld,\"ts_usec\":%lld,\"session_name\":\"WT_SESSION.checkpoint\","
           "\"category\":\"WT_VERB_CHECKPOINT_PROGRESS\",\"msg\":\"saving checkpoint snapshot\"}}}", (long long)(at / 1000), (long long)(at % 1000 * 1000));
  svc_buf_text(&b, text);
  log_add(m, at, &b);
}

/* ---- connections, with their logins */

static void log_connection(log_making *m, const svc_simulated_login *l, bool ends)
{
  int64_t at = l->at * 1000 + (ends ? 240000 + (int64_t)(l->port % 1000) : -120);
  char text[160];
  svc_buf b;
  if (!log_covers(m, at)) return;
  snprintf(text, sizeof text, "conn%u", l->connection);
  b = log_begin(m, at, "NETWORK", ends ? 22944 : 22943, ends ? text : "listener", ends ? "Connection ended" : "Connection accepted");
  svc_buf_text(&b, ",\"attr\":{\"remote\":\"");
  svc_buf_str(&b, l->address);
  snprintf(text, sizeof text, ":%u\",\"connectionId\":%u,\"connectionCount\":%u}}", l->port, l->connection, 12 + l->connection % 9);
  svc_buf_text(&b, text);
  log_add(m, at, &b);
}

static void log_login(log_making *m, const svc_simulated_login *l)
{
  svc_buf b = svc_buf_new(m->s->c.arena, 320);
  log_connection(m, l, false);
  if (log_covers(m, l->at * 1000)) {
    svc_simulated_login_line(&b, l);
    log_add(m, l->at * 1000, &b);
  }
  log_connection(m, l, true);
}

static void log_logins(log_making *m, const svc_simulated_people *people, void (*show)(log_making *m, const svc_simulated_login *l))
{
  int64_t hour = m->until / 3600000, first = m->from / 3600000 - 1;
  svc_simulated_login l;
  size_t i;
  for (; hour >= first; hour--)
    for (i = 0; i < people->user_count && m->count < LOG_LINES; i++)
      if (svc_simulated_login_at(m->s, people, i, hour, &l) && l.host == m->p) show(m, &l);
}

/* ---- slow queries, like in simulated_queries.c */

static void log_slow(log_making *m, int64_t slot)
{
  const svc_model *model = &m->s->model;
  svc_model_slow slow;
  size_t i;
  for (i = 0; i < model->count && m->host.role < SVC_MODEL_ROUTER; i++) {
    svc_buf b;
    if (!svc_model_slow_at(model, &model->collections[i], slot, &slow) || !log_covers(m, slow.at) || !log_leads(m, slow.at)) continue;
    if ((slow.number >> 48) % (uint64_t)model->shards != m->p->spec) continue;
    b = svc_buf_new(m->s->c.arena, 512);
    svc_simulated_slow(m->s, &b, &model->collections[i], &slow);
    log_add(m, slow.at, &b);
  }
}

static void log_server(log_making *m)
{
  int64_t slot = m->until / 1000 / SVC_MODEL_SLOT, first = m->from / 1000 / SVC_MODEL_SLOT;
  svc_simulated_people people;
  if (!svc_simulated_people_of(m->s, &people)) return;
  log_starts(m);
  log_logins(m, &people, log_login);
  for (; slot >= first && m->count < LOG_LINES; slot--) {
    log_slow(m, slot);
    log_checkpoint(m, slot);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- audit */

static void log_audit_login(log_making *m, const svc_simulated_login *l)
{
  svc_buf b = svc_buf_new(m->s->c.arena, 400);
  const svc_node *role = svc_node_first(l->user->roles);
  char text[128];
  if (!log_covers(m, l->at * 1000)) return;
  svc_buf_text(&b, "{\"atype\":\"authenticate\",\"ts\":{\"$date\":\"");
  svc_simulated_date(&b, l->at * 1000);
  snprintf(text, sizeof text, "\"},\"local\":{\"ip\":\"10.0.0.%u\",\"port\":%lld},\"remote\":{\"ip\":\"", 4 + m->p->node % 200, (long long)m->p->port);
  svc_buf_text(&b, text);
  svc_buf_str(&b, l->address);
  snprintf(text, sizeof text, "\",\"port\":%u},\"users\":[", l->port);
  svc_buf_text(&b, text);
  if (l->good) {
    svc_buf_text(&b, "{\"user\":");
    svc_json_escape(&b, l->user->name);
    svc_buf_text(&b, ",\"db\":");
    svc_json_escape(&b, l->user->source);
    svc_buf_char(&b, '}');
  }
  svc_buf_text(&b, "],\"roles\":[");
  for (; role && l->good; role = role->next) {
    svc_buf_text(&b, "{\"role\":");
    svc_json_escape(&b, svc_node_str(role, "roleName"));
    svc_buf_text(&b, ",\"db\":");
    svc_json_escape(&b, svc_node_str(role, "databaseName"));
    svc_buf_text(&b, role->next ? "}," : "}");
  }
  svc_buf_text(&b, "],\"param\":{\"user\":");
  svc_json_escape(&b, l->user->name);
  svc_buf_text(&b, ",\"db\":");
  svc_json_escape(&b, l->user->source);
  svc_buf_text(&b, svc_str_is(l->user->source, "$external") ? ",\"mechanism\":\"MONGODB-X509\"},\"result\":" : ",\"mechanism\":\"SCRAM-SHA-256\"},\"result\":");
  svc_buf_text(&b, l->good ? "0}" : "18}");
  log_add(m, l->at * 1000, &b);
}

/* Writes only logins since the project has enabled auditing. */
static void log_audit(log_making *m)
{
  const svc_noun_info *noun = svc_noun_named(m->s->c.s, "audit log");
  svc_simulated_people people;
  int64_t since = 0;
  svc_entity e;
  if (!noun || !svc_below_first(m->s->c.txn, noun->noun->kind, &m->s->c.scope.group, &e) || !svc_json_is(e.body, "enabled", "true")) return;
  if (svc_str_i64(e.extra, &since) && since > m->from) m->from = since;
  if (svc_simulated_people_of(m->s, &people)) log_logins(m, &people, log_audit_login);
}

/* ------------------------------------------------------------------------------------------------------------------ all */

static int log_order(const void *a, const void *b)
{
  const log_line *x = a, *y = b;
  int order = (x->at > y->at) - (x->at < y->at);
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The process that writes the log: a host can run a server and a router. NULL: the host has no such process. */
static const svc_process *log_process(const svc_simulation *s, bool router)
{
  svc_str host = svc_node_str(s->p, "host");
  size_t i;
  for (i = 0; i < s->of.count; i++) {
    const svc_process *p = &s->of.at[i];
    if ((svc_str_eq(p->host, host) || svc_str_eq(p->id, host)) && (p->port == CLUSTER_ROUTER_PORT) == router) return p;
  }
  return NULL;
}

SVC_PRIVATE void svc_simulated_log(svc_simulation *s)
{
  svc_str log = svc_node_str(s->p, "log");
  log_making m = { .s = s, .p = log_process(s, svc_str_starts(log, "dbs")) };
  int64_t oldest = s->q->now - SIMULATED_LOG_DAYS * SVC_DAY_MS;
  size_t i;
  m.from = svc_node_i64(s->p, "from", 0) * 1000;
  m.until = svc_node_i64(s->p, "until", 0) * 1000;
  if (m.from < oldest) m.from = oldest;
  if (m.until > s->q->now) m.until = s->q->now;
  m.lines = svc_arena_alloc(s->c.arena, LOG_LINES * sizeof *m.lines);
  if (!m.lines || !m.p || m.from > m.until) return;
  m.host = svc_model_host_of(&s->model, &s->of, m.p);
  if (svc_str_is(log, "db") || svc_str_is(log, "dbs")) log_server(&m);
  else log_audit(&m);
  qsort(m.lines, m.count, sizeof *m.lines, log_order);
  for (i = 0; i < m.count; i++) {
    svc_buf_str(&s->out, m.lines[i].text);
    svc_buf_char(&s->out, '\n');
  }
}
