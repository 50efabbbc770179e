/*
** The load of a cluster over time, and its effect on a collection: part of the model (model.h).
**
** Applications work during the day, and less on weekends. The wave is a table of 24 hours with linear interpolation, so
** its sum over time has a closed form. The number of documents of a growing collection is exactly the sum of its inserts.
*/
#include "catalog/monitoring/model.h"

enum { LOAD_HOURS = 168, LOAD_WEEKEND = 600 /* thousandths of a weekday */, LOAD_NOISE = 100 /* thousandths, from minimum to maximum */ };

SVC_PRIVATE uint64_t svc_model_hash(uint64_t seed, uint64_t what)
{
  uint64_t h = (seed ^ what * 0x9E3779B97F4A7C15u) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 29) * 0x94d049bb133111ebu;
  return h ^ h >> 32;
}

/* ---------------------------------------------------------------------------------------------------------------- wave */

/* The wave of an hour of the week, which begins on a Thursday, like 1970. */
static int64_t load_hour(int64_t hour)
{
  static const short day[24] = { 380, 340, 310, 300, 310, 350, 430, 560, 720, 870, 960, 1000, 980, 960, 970, 990, 980, 930, 850, 760, 660, 570, 490, 430 };
  int64_t of_week = hour % LOAD_HOURS, weekday = of_week / 24;
  return day[of_week % 24] * (weekday == 2 || weekday == 3 ? LOAD_WEEKEND : 1000) / 1000;
}

SVC_PRIVATE int64_t svc_model_wave(int64_t at)
{
  int64_t second = at / 1000, hour = second / 3600, part = second % 3600;
  return (load_hour(hour) * (3600 - part) + load_hour(hour + 1) * part) / 3600;
}

/* Adds whole weeks, whole days, whole hours, and the rest of an hour. The table has the sums of the days of the week (a test
** checks it). */
SVC_PRIVATE int64_t svc_model_waves(int64_t at)
{
  static const int64_t days[7] = { 57960000, 57686400, 34776000, 35049600, 57960000, 57960000, 57960000 };
  int64_t second = at / 1000, hour = second / 3600, part = second % 3600, sum = 0, i;
  for (i = 0; i < 7; i++) sum += days[i] * (hour / LOAD_HOURS + (i < hour % LOAD_HOURS / 24));
  for (i = hour / 24 * 24; i < hour; i++) sum += (load_hour(i) + load_hour(i + 1)) * 1800;
  return sum + load_hour(hour) * part + (load_hour(hour + 1) - load_hour(hour)) * part * part / 7200;
}

SVC_PRIVATE svc_model_time svc_model_time_of(const svc_model *m, int64_t at, int64_t shards)
{
  svc_model_time t = { .at = at, .wave = svc_model_wave(at), .waves = svc_model_waves(at), .shards = shards };
  int64_t noise = (int64_t)(svc_model_hash(m->seed, (uint64_t)(at / 60000)) % (LOAD_NOISE + 1)) - LOAD_NOISE / 2;
  t.load = t.wave * (1000 + noise) / 1000;
  return t;
}

/* --------------------------------------------------------------------------------------------------------- collections */

SVC_PRIVATE bool svc_model_there(const svc_model_collection *k, int64_t at)
{
  return at >= k->since && at < k->until;
}

SVC_PRIVATE int64_t svc_model_documents(const svc_model_collection *k, int64_t waves)
{
  return k->documents + (waves > k->waves ? (waves - k->waves) / 1000 * k->grows / 1000 : 0);
}

static int64_t load_pages(int64_t bytes) /* whole pages, like a storage engine */
{
  return (bytes / 4096 + 1) * 4096;
}

static void load_sizes(const svc_model_collection *k, const svc_model_time *t, svc_model_figures *out)
{
  size_t i;
  out->documents = svc_model_documents(k, t->waves) / t->shards;
  out->data = out->documents * k->like->average;
  out->storage = load_pages(out->data * 55 / 100);
  for (i = 0; i < k->index_count; i++) {
    if (k->indexes[i].since > t->at) continue;
    out->indexes++;
    out->index_size += load_pages(out->documents * 14);
  }
}

/* Documents that are examined in vain, in thousandths per second: one scan per three slots, by one of the kinds of query. */
static int64_t load_scans(const svc_model_collection *k, const svc_model_time *t, int64_t documents)
{
  int64_t kinds = 0, open = 0, i;
  for (i = 0; i < SVC_SAMPLE_QUERIES && k->like->queries[i].op; i++, kinds++) open += k->served[i] > t->at;
  return kinds ? documents * 1000 * open / (kinds * 3 * SVC_MODEL_SLOT) : 0;
}

SVC_PRIVATE void svc_model_collection_at(const svc_model_collection *k, const svc_model_time *t, svc_model_figures *out)
{
  memset(out, 0, sizeof *out);
  if (!svc_model_there(k, t->at)) return;
  load_sizes(k, t, out);
  out->reads = k->reads * t->load / 1000 / t->shards;
  out->updates = k->writes * t->load / 1000 / t->shards;
  out->inserts = k->grows * t->wave / 1000 / t->shards;
  out->writes = out->updates + out->inserts;
  out->commands = out->reads / 20;
  out->returned = out->reads * 5;
  out->keys = out->returned;
  out->scanned = out->returned + load_scans(k, t, out->documents);
  out->read_micros = 300 + (int64_t)(svc_model_hash(k->seed, (uint64_t)(t->at / 60000)) % 200) + t->load / 5;
  out->write_micros = out->read_micros + 250;
  out->command_micros = out->read_micros + 100;
}

/* -------------------------------------------------------------------------------------------------------- slow queries */

SVC_PRIVATE bool svc_model_slow_at(const svc_model *m, const svc_model_collection *k, int64_t slot, svc_model_slow *out)
{
  uint64_t n = svc_model_hash(k->seed, (uint64_t)slot ^ 0x736c6f77u);
  int kinds = 0;
  while (kinds < SVC_SAMPLE_QUERIES && k->like->queries[kinds].op) kinds++;
  if (!kinds || (n >> 56) % 3 != 0) return false;
  memset(out, 0, sizeof *out);
  out->kind = (int)(n % (unsigned)kinds);
  out->at = slot * SVC_MODEL_SLOT * 1000 + (int64_t)((n >> 8) % (SVC_MODEL_SLOT * 1000u));
  if (!svc_model_there(k, out->at) || k->served[out->kind] <= out->at || !svc_model_up(m, NULL, out->at)) return false;
  out->examined = svc_model_documents(k, k->grows ? svc_model_waves(out->at) : 0) / m->shards;
  out->micros = out->examined * (1500 + (int64_t)((n >> 16) % 4500)) / 1000 + 1000;
  out->returned = 1 + (int64_t)((n >> 40) % 50);
  out->value = (unsigned)((n >> 32) % 100);
  out->number = n;
  return out->micros >= SVC_MODEL_SLOW * 1000;
}
