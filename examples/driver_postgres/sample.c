/*
** A sample: the counters of a server and its machine, taken once a minute. Figures come from PostgreSQL's statistics views, by one script,
** and from /proc. Samples keep raw counters; series.c computes rates.
**
** The rule: the number of samples is bounded. There is one for each of the last 720 minutes, and one for each of the last 720 half hours.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The columns are in the order of enum driver_figures, from DRIVER_F_CONNECTIONS to DRIVER_F_READ_ONLY. PostgreSQL 17 has fewer columns of
** buffers, so the script adds up those that exist. The session itself is never read-only, so the last column is the server's value. */
static const char sample_sql[] =
  "select (select count(*) from pg_stat_activity where backend_type = 'client backend' and not " DRIVER_OWN "),"
  " (select count(*) from pg_stat_activity where wait_event_type = 'Lock'),"
  " sum(tup_inserted), sum(tup_updated), sum(tup_deleted), sum(tup_fetched), sum(tup_returned), sum(xact_commit + xact_rollback),"
  " sum(xact_rollback), sum(blks_read), sum(blks_hit), sum(temp_files), sum(deadlocks + conflicts),"
  " (select sum(pg_database_size(oid)) from pg_database),"
  " (select coalesce(sum(size), 0) from pg_ls_waldir()),"
  " (select sum(value::bigint) from pg_stat_bgwriter b, jsonb_each_text(to_jsonb(b))"
  " where key in ('buffers_checkpoint', 'buffers_clean', 'buffers_backend')),"
  " (select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint),"
  " (select coalesce(sum(idx_blks_read), 0) from pg_statio_user_indexes), (select coalesce(sum(idx_blks_hit), 0) from pg_statio_user_indexes),"
  " (select setting::bigint * 8192 from pg_settings where name = 'shared_buffers'),"
  " (select (reset_val = 'on')::int from pg_settings where name = 'default_transaction_read_only')"
  " from pg_stat_database;\n";

static int sample_ask(driver_postgres *d, const char *id, int64_t *figures)
{
  char said[1024], *at = said;
  int i;
  if (driver_sql(d, DRIVER_QUESTION, id, sample_sql, said, sizeof said) != 0) return -1;
  for (i = DRIVER_F_CONNECTIONS; i <= DRIVER_F_READ_ONLY; i++) {
    figures[i] = strtoll(at, NULL, 10);
    at = strchr(at, '|');
    if (!at) return i == DRIVER_F_READ_ONLY ? 0 : -1;
    at++;
  }
  return 0;
}

/* ------------------------------------------------------------------------------------------------------------------ /proc */

/* Reads a file of the system as text. Returns 0, or -1. */
static int sample_text(const char *path, char *out, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
  if (fd >= 0) close(fd);
  out[n > 0 ? n : 0] = 0;
  return n > 0 ? 0 : -1;
}

/* Returns the bytes of the line with this name in a file like /proc/meminfo, which has kilobytes; 0: missing. */
static int64_t sample_line(const char *text, const char *name)
{
  const char *at = strstr(text, name);
  return at ? strtoll(at + strlen(name), NULL, 10) * 1024 : 0;
}

/* Converts ticks of the system to milliseconds. */
static int64_t sample_ticks(int64_t ticks)
{
  long each = sysconf(_SC_CLK_TCK);
  return ticks * 1000 / (each > 0 ? each : 100);
}

static void sample_machine(int64_t *figures)
{
  static const int fields[] = { DRIVER_F_CPU_USER, DRIVER_F_CPU_NICE, DRIVER_F_CPU_KERNEL, -1, DRIVER_F_CPU_IOWAIT, DRIVER_F_CPU_IRQ,
                                DRIVER_F_CPU_SOFTIRQ, DRIVER_F_CPU_STEAL, DRIVER_F_CPU_GUEST };
  char text[4096], *at;
  size_t i;
  if (sample_text("/proc/stat", text, sizeof text) == 0 && strncmp(text, "cpu ", 4) == 0)
    for (at = text + 4, i = 0; i < sizeof fields / sizeof fields[0]; i++) {
      int64_t value = sample_ticks(strtoll(at, &at, 10));
      if (fields[i] >= 0) figures[fields[i]] = value;
    }
  if (sample_text("/proc/meminfo", text, sizeof text) == 0) {
    figures[DRIVER_F_MEMORY_FREE] = sample_line(text, "MemFree:");
    figures[DRIVER_F_MEMORY_AVAILABLE] = sample_line(text, "MemAvailable:");
    figures[DRIVER_F_MEMORY_USED] = sample_line(text, "MemTotal:") - figures[DRIVER_F_MEMORY_AVAILABLE];
    figures[DRIVER_F_SWAP_FREE] = sample_line(text, "SwapFree:");
    figures[DRIVER_F_SWAP_USED] = sample_line(text, "SwapTotal:") - figures[DRIVER_F_SWAP_FREE];
  }
}

/* Adds up the bytes that all network interfaces have received and sent. */
static void sample_network(int64_t *figures)
{
  char text[8192], *line, *rest = text, *at;
  int64_t counts[9];
  int i;
  if (sample_text("/proc/net/dev", text, sizeof text) != 0) return;
  while ((line = strsep(&rest, "\n")) != NULL) {
    if ((at = strchr(line, ':')) == NULL) continue;
    for (at++, i = 0; i < 9; i++) counts[i] = strtoll(at, &at, 10);
    figures[DRIVER_F_NETWORK_IN] += counts[0];
    figures[DRIVER_F_NETWORK_OUT] += counts[8];
  }
}

/* Adds the counters of one process of the server. `main`: the postmaster, whose counters include those of its ended children. */
static void sample_process(pid_t pid, int main, int64_t *figures)
{
  char path[64], text[4096], *at;
  int64_t f[24] = { 0 }, shared;
  int i;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (sample_text(path, text, sizeof text) != 0 || (at = strrchr(text, ')')) == NULL) return;
  for (at += 3, i = 4; i < 24; i++) f[i] = strtoll(at, &at, 10); /* field numbers as in proc(5) */
  figures[DRIVER_F_FAULTS] += f[12] + (main ? f[13] : 0);
  figures[DRIVER_F_USER] += sample_ticks(f[14] + (main ? f[16] : 0));
  figures[DRIVER_F_KERNEL] += sample_ticks(f[15] + (main ? f[17] : 0));
  if (main) figures[DRIVER_F_VIRTUAL] = f[23];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  if (sample_text(path, text, sizeof text) != 0) return;
  figures[DRIVER_F_RESIDENT] += sample_line(text, "RssAnon:");
  shared = sample_line(text, "RssShmem:");
  if (shared > figures[DRIVER_F_SHARED]) figures[DRIVER_F_SHARED] = shared;
}

static pid_t sample_parent(const char *pid)
{
  char path[64], text[1024], *at;
  snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
  if (sample_text(path, text, sizeof text) != 0 || (at = strrchr(text, ')')) == NULL) return 0;
  return (pid_t)strtol(at + 3, NULL, 10);
}

static void sample_processes(pid_t postmaster, int64_t *figures)
{
  DIR *proc = opendir("/proc");
  const struct dirent *entry;
  sample_process(postmaster, 1, figures);
  while (proc && (entry = readdir(proc)) != NULL)
    if (isdigit((unsigned char)entry->d_name[0]) && sample_parent(entry->d_name) == postmaster)
      sample_process((pid_t)atoi(entry->d_name), 0, figures);
  if (proc) closedir(proc);
  figures[DRIVER_F_RESIDENT] += figures[DRIVER_F_SHARED]; /* counted once, though all processes map it */
}

/* Used and free space. Free is the smaller of what the cluster's disk size allows and what the machine's disk has. */
static void sample_disk(const driver_postgres *d, const char *id, int64_t *figures)
{
  driver_limits limits;
  struct statvfs about;
  int64_t left = 0;
  driver_limits_of(d, id, &limits);
  figures[DRIVER_F_DISK_USED] = figures[DRIVER_F_SIZE] + figures[DRIVER_F_WAL_SIZE];
  if (fstatvfs(d->root, &about) == 0) left = (int64_t)about.f_bavail * (int64_t)about.f_frsize;
  if (limits.disk && limits.disk - figures[DRIVER_F_DISK_USED] < left) left = limits.disk - figures[DRIVER_F_DISK_USED];
  figures[DRIVER_F_DISK_FREE] = left > 0 ? left : 0;
}

/* ------------------------------------------------------------------------------------------------------------------- keep */

/* Takes a sample. Returns 0, or -1 if the server does not answer. */
int driver_sample_take(driver_postgres *d, const driver_server *s, driver_sample *out)
{
  memset(out, 0, sizeof *out);
  if (sample_ask(d, s->id, out->figures) != 0) return -1;
  sample_machine(out->figures);
  sample_network(out->figures);
  sample_processes(s->pid, out->figures);
  sample_disk(d, s->id, out->figures);
  out->figures[DRIVER_F_RESTARTS] = s->restarts;
  return 0;
}

/* Stores a sample; without memory it is dropped. The caller has d->servers_lock. */
void driver_sample_keep(driver_server *s, const driver_sample *sample)
{
  if (!s->minutes) s->minutes = calloc(DRIVER_SAMPLES, sizeof *s->minutes);
  if (!s->halves) s->halves = calloc(DRIVER_SAMPLES, sizeof *s->halves);
  if (s->minutes) s->minutes[sample->at / 60 % DRIVER_SAMPLES] = *sample;
  if (s->halves) s->halves[sample->at / 1800 % DRIVER_SAMPLES] = *sample;
}

/* Returns the newest sample at or after `from` and before `until` (seconds since 1970); NULL: none. `step` below 1800 selects the samples
** of minutes, else those of half hours. */
const driver_sample *driver_sample_in(const driver_server *s, int64_t from, int64_t until, int64_t step)
{
  int64_t each = step < 1800 ? 60 : 1800, at;
  const driver_sample *ring = step < 1800 ? s->minutes : s->halves;
  int left = DRIVER_SAMPLES;
  if (!ring) return NULL;
  for (at = (until - 1) / each * each; at + each > from && left-- > 0; at -= each) {
    const driver_sample *one = &ring[at / each % DRIVER_SAMPLES];
    if (one->at >= from && one->at < until) return one;
  }
  return NULL;
}
