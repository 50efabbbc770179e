/*
** Every system call of the store fails in turn, with each error that such a call has: once, or from there until the disk works
** again. The steps are: opening (new and existing), reading, writing, growing, copying and closing.
**
** The rules: the process does not crash. svc_open() and svc_backup() report the cause. A request is answered, or gets 503 or
** 507. Afterwards the handle works again, or a new one does. Acknowledged changes are stored, refused ones are not stored in
** part, and the store is valid. A backup is complete, or does not exist.
**
**   SVC_TEST_ALL=1   every call; without it a sample, a different one in each step
*/
#include "faults.h"
#include "support.h"

#include "ports/ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define IO_ORGS 64

typedef struct io_try {
  char folder[128], copy[160];
  t_memory memory;
  int64_t now;
  char log[512];
  svc *s;
  char names[IO_ORGS][32]; /* acknowledged organizations */
  size_t count, asked;
  int status;   /* of the last answer */
  size_t total; /* of the last list; -1: none */
  bool gone;    /* the handle was closed */
} io_try;

static struct {
  long tried, refused, succeeded, reopened, late;
} io_sum;

static int64_t io_clock(void *context)
{
  return ((io_try *)context)->now;
}

static void io_log(void *context, int level, const char *text)
{
  io_try *t = context;
  if (level == SVC_LOG_ERROR) snprintf(t->log, sizeof t->log, "%s", text);
}

static int io_open(io_try *t)
{
  svc_config config = { .limiter_off = 1, .path = t->folder, .map_size = 65536, .clock = io_clock, .clock_context = t, .log = io_log, .log_context = t };
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &t->memory;
  t->log[0] = 0;
  t->s = NULL;
  return svc_open(&t->s, &config);
}

static int io_ask(io_try *t, const char *method, const char *target, const char *body)
{
  svc_response response;
  const char *at;
  t_ask_as_owner(t->s, method, target, body, &response);
  at = strstr(response.body, "\"totalCount\":");
  t->total = at ? (size_t)strtoul(at + 13, NULL, 10) : (size_t)-1;
  t->status = response.status;
  svc_response_free(&response);
  return t->status;
}

/* Returns whether an organization of this name exists; -1: unknown. */
static int io_there(io_try *t, const char *name)
{
  char path[128];
  snprintf(path, sizeof path, "/api/svc/v2/orgs?name=%s", name);
  if (io_ask(t, "GET", path, NULL) != 200) return -1;
  return t->total == 1;
}

/* Creates another organization, and notes it if it was acknowledged. */
static int io_create(io_try *t)
{
  char name[32], body[256];
  snprintf(name, sizeof name, "org%02zu", t->asked++);
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  if (io_ask(t, "POST", "/api/svc/v2/orgs", body) == 201) {
    munit_assert_size(t->count, <, IO_ORGS);
    snprintf(t->names[t->count++], sizeof t->names[0], "%s", name);
  } else if (t->status != 503 && t->status != 507) {
    munit_errorf("a write was answered with %d", t->status);
  }
  return t->status;
}

/* ---------------------------------------------------------------------------------------------------------------- steps */

static void io_named(const io_try *t, int rc, const char *what)
{
  if (rc == SVC_OK) return;
  if (rc != SVC_IO && rc != SVC_FULL && rc != SVC_NOMEM && rc != SVC_BUSY && rc != SVC_EXISTS && rc != SVC_CORRUPT && rc != SVC_RANDOM) munit_errorf("%s: %d", what, rc);
  if (!t->log[0] && rc != SVC_NOMEM) munit_errorf("%s: %d, and no line says why", what, rc);
}

static bool io_step_open(io_try *t)
{
  int rc = io_open(t);
  io_named(t, rc, "open");
  t->gone = rc != SVC_OK;
  return rc == SVC_OK;
}

static bool io_step_read(io_try *t)
{
  int there = io_there(t, "org00");
  if (there < 0 && t->status != 503) munit_errorf("a read was answered with %d", t->status);
  munit_assert_int(there, !=, 0);
  return there == 1;
}

static bool io_step_write(io_try *t)
{
  return io_create(t) == 201;
}

static bool io_step_grow(io_try *t)
{
  bool good = true;
  int i;
  for (i = 0; i < 24; i++) good = io_create(t) == 201 && good;
  return good;
}

static bool io_step_backup(io_try *t)
{
  char name[200];
  int rc = svc_backup(t->s, t->copy);
  io_named(t, rc, "backup");
  snprintf(name, sizeof name, "%s/data.mdb", t->copy);
  if (rc != SVC_OK && access(name, F_OK) == 0) io_sum.late++; /* the copy is complete, but flushing the folder failed */
  return rc == SVC_OK;
}

/* Copies the store as another process does while this one holds it. */
static bool io_step_visit(io_try *t)
{
  int rc = svc_lmdb_copy_of(t->folder, t->copy);
  if (rc == SVC_INVALID || rc == SVC_NOT_FOUND) munit_errorf("a copy from outside: %d", rc); /* a short read looks like a truncated file */
  return rc == SVC_OK;
}

static void io_found(void *context, const char *text)
{
  (void)text;
  ++*(int *)context;
}

/* The check reports a line for what it cannot read, or returns an error. */
static bool io_step_check(io_try *t)
{
  int lines = 0, rc = svc_check_store(t->s, io_found, &lines);
  munit_assert_true(rc == SVC_CORRUPT ? lines > 0 : lines == 0);
  return rc == SVC_OK;
}

static bool io_step_figures(io_try *t)
{
  svc_statistics stats;
  return svc_stats(t->s, &stats) == SVC_OK;
}

static bool io_step_close(io_try *t)
{
  svc_close(t->s);
  t->gone = true;
  return true;
}

static const struct {
  const char *name;
  bool fresh, closed; /* fresh: in an empty folder; closed: before the store is opened */
  bool (*run)(io_try *);
} io_steps[] = {
  { "first", true, true, io_step_open },  { "open", false, true, io_step_open },     { "read", false, false, io_step_read },
  { "write", false, false, io_step_write }, { "grow", false, false, io_step_grow }, { "backup", false, false, io_step_backup },
  { "visit", false, false, io_step_visit }, { "check", false, false, io_step_check }, { "figures", false, false, io_step_figures },
  { "close", false, false, io_step_close },
};

static const struct {
  enum t_call call;
  int errors[5];
} io_errors[] = {
  { T_CALL_OPEN, { EIO, EMFILE, ENOSPC, EACCES } },
  { T_CALL_READ, { EIO, EINTR, T_SHORT } },
  { T_CALL_WRITE, { EIO, ENOSPC, EINTR, T_SHORT } },
  { T_CALL_SEEK, { EIO } },
  { T_CALL_FLUSH, { EIO, ENOSPC, EINVAL } },
  { T_CALL_MAP, { ENOMEM } },
  { T_CALL_CUT, { EIO, ENOSPC } },
  { T_CALL_STAT, { EIO } },
  { T_CALL_LOCK, { EINTR, ENOLCK } },
  { T_CALL_RESERVE, { ENOSPC, EINTR } },
  { T_CALL_NAME, { EIO, ENOSPC, EACCES, EEXIST } },
  { T_CALL_MEMORY, { ENOMEM } },
  { T_CALL_LOCKS, { ENOMEM } },
  { T_CALL_LMDB, { EIO, ENOMEM } },
};

/* ------------------------------------------------------------------------------------------------------------ afterwards */

static void io_copy_whole(io_try *t)
{
  char kept[128];
  svc *s = t->s;
  struct stat st;
  char name[200];
  int rc;
  snprintf(name, sizeof name, "%s/data.mdb", t->copy);
  if (stat(name, &st) != 0) return;
  snprintf(kept, sizeof kept, "%s", t->folder);
  snprintf(t->folder, sizeof t->folder, "%.120s", t->copy);
  rc = io_open(t);
  if (rc != SVC_OK) munit_errorf("a backup that has its name does not open: %s", t->log);
  munit_assert_int(svc_check_store(t->s, NULL, NULL), ==, SVC_OK);
  munit_assert_int(io_there(t, "org00"), ==, 1);
  svc_close(t->s);
  snprintf(t->folder, sizeof t->folder, "%s", kept);
  t->s = s;
}

/* The disk works again: the handle works, or a new one does. */
static void io_goes_on(io_try *t, const char *what)
{
  size_t i;
  if (!t->gone && io_ask(t, "GET", "/api/svc/v2/orgs", NULL) == 200 && io_create(t) == 201) {
    for (i = 0; i < t->count; i++) munit_assert_int(io_there(t, t->names[i]), ==, 1);
  } else if (!t->gone) {
    io_sum.reopened++;
  }
  if (!t->gone) svc_close(t->s);
  munit_assert_long(t->memory.live, ==, 0);
  if (io_open(t) != SVC_OK) munit_errorf("%s: it does not open any more: %s", what, t->log);
  t->gone = false;
  for (i = 0; i < t->count; i++)
    if (io_there(t, t->names[i]) != 1) munit_errorf("%s: %s was acknowledged and is not there", what, t->names[i]);
  munit_assert_int(svc_check_store(t->s, NULL, NULL), ==, SVC_OK);
  if (io_create(t) != 201) munit_errorf("%s: it takes no more writes: %d", what, t->status);
  io_copy_whole(t);
  svc_close(t->s);
  munit_assert_long(t->memory.live, ==, 0);
}

static void io_begin(io_try *t, bool fresh)
{
  memset(t, 0, sizeof *t);
  snprintf(t->folder, sizeof t->folder, "/dev/shm/svcapi-io-XXXXXX");
  if (!mkdtemp(t->folder)) store_folder(t->folder);
  snprintf(t->copy, sizeof t->copy, "%s/copy", t->folder);
  t->now = T_START;
  if (fresh) return;
  munit_assert_int(io_open(t), ==, SVC_OK);
  munit_assert_int(io_create(t), ==, 201);
  munit_assert_int(io_create(t), ==, 201);
}

/* Runs one step with one fault. Returns false if the step has fewer calls. */
static bool io_one(size_t step, enum t_call call, long at, int error, bool for_good)
{
  static io_try t;
  char what[96];
  long hits;
  bool good;
  io_begin(&t, io_steps[step].fresh);
  snprintf(what, sizeof what, "%s, call %ld of kind %d, error %d%s", io_steps[step].name, at, (int)call, error, for_good ? ", for good" : "");
  if (getenv("SVC_TEST_SHOW")) fprintf(stderr, "%s\n", what);
  if (io_steps[step].closed && !io_steps[step].fresh) svc_close(t.s);
  t.gone = io_steps[step].closed;
  t_fault(call, at, error, for_good);
  good = io_steps[step].run(&t);
  hits = t_fault_end();
  if (hits) {
    io_sum.tried++;
    if (good) io_sum.succeeded++;
    else io_sum.refused++;
  } else if (!good) {
    munit_errorf("%s: nothing failed, and it did not succeed: %d %s", what, t.status, t.log);
  }
  io_goes_on(&t, what);
  store_remove(t.folder);
  return hits > 0;
}

TEST(io, faults)
{
  const bool all = getenv("SVC_TEST_ALL") != NULL;
  size_t step, k, e;
  long at, n = 0;
  SKIP_IF(!T_ON_LMDB);
  memset(&io_sum, 0, sizeof io_sum);
  for (step = 0; step < sizeof io_steps / sizeof io_steps[0]; step++)
    for (k = 0; k < sizeof io_errors / sizeof io_errors[0]; k++)
      for (e = 0; e < 5 && io_errors[k].errors[e]; e++)
        for (at = all ? 1 : 1 + n++ % 3; at < 10000; at += all ? 1 : 1 + at + n++ % 5) {
          bool once = io_one(step, io_errors[k].call, at, io_errors[k].errors[e], false);
          if (!once) break;
          if ((all || n % 2) && io_errors[k].errors[e] != EINTR) io_one(step, io_errors[k].call, at, io_errors[k].errors[e], true);
        }
  fprintf(stderr, "I/O: %ld faults: %ld refused, %ld done nevertheless; %ld handles had to be reopened; %ld backups refused that are whole\n",
          io_sum.tried, io_sum.refused, io_sum.succeeded, io_sum.reopened, io_sum.late);
  munit_assert_long(io_sum.tried, >, 50);
}

/* Each lock call of opening a new or an existing store fails in turn. An open that fails logs the reason. */
TEST(io, said)
{
  size_t step;
  long at;
  SKIP_IF(!T_ON_LMDB);
  for (step = 0; step < 2; step++)
    for (at = 1; io_one(step, T_CALL_LOCK, at, ENOLCK, false); at++) io_one(step, T_CALL_LOCK, at, ENOLCK, true);
  munit_assert_long(at, >, 2);
}

/* Counts findings about records, without those about records that could not be read. */
static void io_found_wrong(void *context, const char *text)
{
  if (!strstr(text, ": cannot be read to their end")) ++*(int *)context;
}

/* If a look-up of the check fails, the check reports that failure, and never a missing record. This holds for each of its reads. */
TEST(io, checked)
{
  static const int errors[] = { EIO, ENOMEM };
  static io_try t;
  size_t e;
  long at, hits;
  SKIP_IF(!T_ON_LMDB);
  io_begin(&t, false);
  for (e = 0; e < sizeof errors / sizeof errors[0]; e++)
    for (at = 1, hits = 1; hits; at++) {
      int wrong = 0, rc;
      t_fault(T_CALL_LMDB, at, errors[e], at % 2);
      rc = svc_check_store(t.s, io_found_wrong, &wrong);
      hits = t_fault_end();
      munit_assert_int(wrong, ==, 0);
      if (errors[e] == ENOMEM) munit_assert_int(rc, ==, hits ? SVC_NOMEM : SVC_OK);
    }
  munit_assert_long(at, >, 20);
  svc_close(t.s);
  store_remove(t.folder);
}

/* Paths of a store: the current folder, a folder with trailing slashes, and not a path longer than the system allows. */
TEST(io, paths)
{
  static char large[5000];
  char folder[128], path[200], why[256] = "";
  const svc_store_port *port = svc_lmdb_port();
  svc_config config = { .durability = SVC_NO_SYNC };
  svc_store *store;
  size_t i;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  munit_assert_int(chdir(folder), ==, 0);
  for (i = 0; i < 4; i++) {
    static const char *const names[] = { "here", "there//", "./below", "d" };
    config.path = names[i];
    munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
    snprintf(path, sizeof path, "%s-copy//", names[i]);
    munit_assert_int(port->copy(store, i == 1 ? "copy" : path), ==, SVC_OK);
    port->close(store);
  }
  port->close(NULL);
  memset(large, 'a', sizeof large - 1);
  config.path = large;
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_IO);
  munit_assert_not_null(strstr(why, "cannot create the folder"));
  for (i = 0; i < sizeof large - 1; i++) large[i] = i % 2 ? '/' : '.'; /* a path that leads here, too long for any file below it */
  large[4090] = '\0';
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "too long"));
  munit_assert_int(svc_lmdb_copy_of(large, "copy-of"), ==, SVC_INVALID);
  for (i = 4070; i < 4090; i++) { /* the paths of some files fit, those of others do not */
    char last = large[i];
    int rc;
    large[i] = '\0';
    why[0] = '\0';
    rc = port->open(&store, &config, why, sizeof why);
    if (rc == SVC_OK) port->close(store);
    else munit_assert_true(why[0] != '\0');
    large[i] = last;
  }
  config.path = "here";
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(port->copy(store, large), ==, SVC_INVALID);
  munit_assert_int(svc_lmdb_copy_of("here", large), ==, SVC_INVALID);
  munit_assert_int(svc_lmdb_copy_of("nowhere", "copy-of"), ==, SVC_IO);
  port->close(store);
  munit_assert_int(chdir("/"), ==, 0);
  store_remove(folder);
}

static int io_entries(const char *folder)
{
  struct dirent *e;
  DIR *d = opendir(folder);
  int n = 0;
  munit_assert_not_null(d);
  while ((e = readdir(d)) != NULL) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

/* A private store, without a path, is in a temporary folder and leaves nothing there. If it cannot be created, the error names the
** variable to set. */
TEST(io, private)
{
  static char large[5000];
  char folder[128], why[256] = "";
  const svc_store_port *port = svc_lmdb_port();
  svc_config config = { 0 };
  svc_store *store;
  size_t i;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  munit_assert_int(chdir(folder), ==, 0);
  for (i = 0; i < sizeof large - 1; i++) large[i] = i % 2 ? '/' : '.'; /* a path that leads here */
  setenv("TMPDIR", large, 1); /* too long for a path: the next folder is tried */
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  port->close(store);
  large[4079] = '\0';
  setenv("TMPDIR", large, 1); /* a folder can be created in it, but no file in that folder */
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_IO);
  munit_assert_not_null(strstr(why, "cannot open the store in ./././"));
  munit_assert_int(io_entries(folder), ==, 0);
  setenv("TMPDIR", folder, 1);
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(io_entries(folder), ==, 0); /* open, but already without a name */
  port->close(store);
  t_fault(T_CALL_NAME, 1, EACCES, true);
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_IO);
  munit_assert_long(t_fault_end(), >=, 4);
  munit_assert_not_null(strstr(why, "set TMPDIR to a folder that can be written"));
  unsetenv("TMPDIR");
  munit_assert_int(chdir("/"), ==, 0);
  store_remove(folder);
}

/* Each function of LMDB that opening and copying call fails in turn, and so does each new map of a growing store. */
TEST(io, each)
{
  static const struct { const char *step; enum t_call call; int error; long least; } rows[] = {
    { "open", T_CALL_LMDB, EIO, 8 }, { "visit", T_CALL_LMDB, EIO, 12 }, { "grow", T_CALL_MAP, ENOMEM, 2 } };
  size_t i, step;
  long at;
  SKIP_IF(!T_ON_LMDB);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (step = 0; strcmp(io_steps[step].name, rows[i].step) != 0;) step++;
    for (at = 1; io_one(step, rows[i].call, at, rows[i].error, false);) at++;
    munit_assert_long(at, >, rows[i].least);
  }
}

/* Adds large projects, then small ones, until the store is full or has lost its map. */
static int io_fill(t_service *t, const char *org, char name[32])
{
  char body[128];
  int i, status = 201;
  for (i = 0; i < 1000 && status == 201; i++) {
    snprintf(name, 32, "p%d", i);
    status = t_large_project(t, org, name);
  }
  for (i = status == 507 ? 0 : 1000, status = i ? status : 201; i < 1000 && status == 201; i++) {
    snprintf(body, sizeof body, "{\"name\":\"s%d\",\"orgId\":\"%s\"}", i, org);
    status = t_send(t, "POST", "/groups", body);
  }
  return status;
}

/* Deletes the large projects one by one until a delete fails. Returns its status; 404: all were deleted. */
static int io_empty(t_service *t)
{
  int i, status = 202;
  for (i = 0; status == 202; i++) {
    status = t_sendf(t, "GET", NULL, "/groups/byName/p%d", i);
    if (status == 200) status = t_sendf(t, "DELETE", NULL, "/groups/%s", t_str(t, "id"));
  }
  return status;
}

/* Makes a store whose map could not grow; limit 0: no limit. Returns false if everything could be deleted without a larger map. */
static bool io_break(t_service *t, const svc_config *config, char first[25])
{
  const bool limited = config->map_limit != 0;
  char org[25], name[32];
  int status;
  t_open(t, config);
  strcpy(org, t_organization(t, "Acme"));
  strcpy(first, t_project(t, org, "first"));
  if (limited) munit_assert_int(io_fill(t, org, name), ==, 507);
  t_fault(T_CALL_MAP, 2, ENOMEM, false); /* the first call only checks whether there is room */
  status = limited ? io_empty(t) : io_fill(t, org, name);
  if (t_fault_end() == 1) munit_assert_int(status, ==, 503);
  else munit_assert_int(status, ==, 404);
  return status == 503;
}

/* The old map is unmapped, and the larger one fails: nothing is read or written any more, nothing crashes, and a new handle finds
** all data. With a limit only work that frees space makes the map grow; how full the pages are determines for which limits. */
TEST(io, broken)
{
  char folder[128], copy[160], first[25], name[32];
  svc_config config;
  t_service t;
  int limited, tries;
  SKIP_IF(!T_ON_LMDB);
  for (limited = 0; limited < 2; limited++) {
    for (tries = 0;; tries++) {
      store_folder(folder);
      config = (svc_config){ .limiter_off = 1, .path = folder, .map_size = limited ? 0 : 1, .durability = SVC_NO_SYNC,
                             .map_limit = limited ? 400000 + (size_t)tries * 4096 : 0 };
      if (io_break(&t, &config, first)) break;
      munit_assert_int(tries, <, limited ? 64 : 0);
      t_close(&t);
      store_remove(folder);
    }
    snprintf(copy, sizeof copy, "%s/copy", folder);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", first), ==, 503);
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", first), ==, 503);
    munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_IO);
    munit_assert_int(svc_backup(t.s, copy), ==, SVC_IO);
    munit_assert_int(t.s->commit.port->check(t.s->commit.store, name, sizeof name), ==, SVC_IO);
    munit_assert_int(t.s->commit.port->copy(t.s->commit.store, copy), ==, SVC_IO);
    t_reopen(&t, &config);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", first), ==, 200);
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", first), ==, 202);
    munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
    t_close(&t);
    store_remove(folder);
  }
}

/* Threads that use one store at the same time, and the result of each. */
typedef struct io_thread {
  svc_store *store;
  char copy[160];
  int (*run)(struct io_thread *t);
  pthread_t thread;
  int rc;
} io_thread;

static int io_thread_grow(io_thread *t)
{
  return svc_lmdb_port()->room(t->store, SVC_ROOM_MORE);
}

static int io_thread_read(io_thread *t)
{
  svc_txn *txn;
  int rc = svc_lmdb_port()->read_begin(t->store, &txn);
  if (rc == SVC_OK) svc_lmdb_port()->read_end(txn);
  return rc;
}

static int io_thread_check(io_thread *t)
{
  char why[128];
  return svc_lmdb_port()->check(t->store, why, sizeof why);
}

static int io_thread_copy(io_thread *t)
{
  return svc_lmdb_port()->copy(t->store, t->copy);
}

static void *io_thread_run(void *p)
{
  io_thread *t = p;
  t->rc = t->run(t);
  return NULL;
}

/* A reader, a check and a copy begin while the map grows, which waits for an earlier reader. Then the growth fails: all three find that
** there is no map. */
TEST(io, broken_meanwhile)
{
  static int (*const runs[])(io_thread *) = { io_thread_grow, io_thread_read, io_thread_check, io_thread_copy };
  enum { THREADS = sizeof runs / sizeof runs[0] };
  const svc_store_port *port = svc_lmdb_port();
  io_thread threads[THREADS];
  char folder[128], why[256] = "";
  svc_config config = { .path = folder, .map_size = 65536, .durability = SVC_NO_SYNC };
  svc_store *store;
  svc_txn *earlier;
  int i;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(port->read_begin(store, &earlier), ==, SVC_OK);
  t_fault(T_CALL_MAP, 2, ENOMEM, false); /* the first call only checks whether there is room */
  for (i = 0; i < THREADS; i++) {
    threads[i].store = store;
    threads[i].run = runs[i];
    snprintf(threads[i].copy, sizeof threads[i].copy, "%s/copy", folder);
    munit_assert_int(pthread_create(&threads[i].thread, NULL, io_thread_run, &threads[i]), ==, 0);
    t_pause_ms(50); /* the first one waits for the earlier reader by now; the others for the first one */
  }
  port->read_end(earlier);
  for (i = 0; i < THREADS; i++) {
    pthread_join(threads[i].thread, NULL);
    munit_assert_int(threads[i].rc, ==, SVC_IO);
  }
  munit_assert_long(t_fault_end(), ==, 1);
  munit_assert_int(io_entries(threads[0].copy), ==, 0);
  port->close(store);
  store_remove(folder);
}

/* A store that may not grow: a write that does not fit is refused, whichever function of LMDB fails while the store looks for room. */
TEST(io, full)
{
  char folder[128], org[25], name[32];
  t_service t;
  long at, hits = 1;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = folder, .map_limit = 400000, .durability = SVC_NO_SYNC });
  strcpy(org, t_organization(&t, "Acme"));
  munit_assert_int(io_fill(&t, org, name), ==, 507);
  for (at = 1; hits; at++) {
    int status;
    t_fault(T_CALL_LMDB, at, EIO, false);
    status = t_large_project(&t, org, name);
    hits = t_fault_end();
    if (status != 507 && (!hits || status != 503)) munit_errorf("call %ld: %d", at, status);
  }
  munit_assert_long(at, >, 10);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_close(&t);
  store_remove(folder);
}

/* After work that frees space, an almost empty commit makes its pages usable. This commit may fail at each of its calls, and nothing
** is lost. */
TEST(io, turn)
{
  char folder[128], name[32];
  t_service t;
  long at, hits = 1;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = folder, .durability = SVC_NO_SYNC });
  for (at = 1; hits; at++) {
    snprintf(name, sizeof name, "o%ld", at);
    t_organization(&t, name);
    t_fault(T_CALL_LMDB, at, EIO, false);
    munit_assert_int(t.s->commit.port->room(t.s->commit.store, SVC_ROOM_DONE), ==, SVC_OK);
    hits = t_fault_end();
  }
  munit_assert_long(at, >, 5); /* begin, cursor, read, write, commit */
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, at - 1);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_close(&t);
  store_remove(folder);
}

/* Size of the reserve file; -1: there is none. */
static long long io_reserve(const char *folder)
{
  char path[160];
  struct stat st;
  snprintf(path, sizeof path, "%s/svcapi.reserve", folder);
  return stat(path, &st) == 0 ? (long long)st.st_size : -1;
}

/* svc_config.disk_reserve: the default, another size after it, none, and values that are refused. */
TEST(io, reserve)
{
  static const int64_t sizes[] = { 0, 65536, 1 << 20, SVC_NO_RESERVE, 4096, 0 };
  char folder[128];
  svc_config config = { .limiter_off = 1, .path = folder, .durability = SVC_NO_SYNC };
  t_service t;
  size_t i;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  t_open(&t, &config);
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    config.disk_reserve = sizes[i];
    t_reopen(&t, &config);
    munit_assert_llong(io_reserve(folder), ==, sizes[i] ? sizes[i] : 262144);
    t_organization(&t, "Acme");
    munit_assert_llong(io_reserve(folder), ==, sizes[i] ? sizes[i] : 262144);
  }
  t_close(&t);
  for (i = 0; i < 2; i++) {
    svc *s;
    config.disk_reserve = i ? -2 : INT64_C(1) + (1 << 30);
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  }
  store_remove(folder);
}

/* A lock that fails for another reason than a second holder is not called "in use": the log has the system's text. */
TEST(io, lock_fails)
{
  static io_try t;
  char path[160];
  SKIP_IF(!T_ON_LMDB);
  memset(&t, 0, sizeof t);
  store_folder(t.folder);
  t_fault(T_CALL_LOCK, 1, ENOLCK, true);
  munit_assert_int(io_open(&t), ==, SVC_IO);
  munit_assert_long(t_fault_end(), >, 0);
  munit_assert_not_null(strstr(t.log, strerror(ENOLCK)));
  munit_assert_null(strstr(t.log, "in use"));
  munit_assert_int(io_open(&t), ==, SVC_OK);
  snprintf(path, sizeof path, "%s/copy", t.folder);
  t_fault(T_CALL_LOCK, 1, ENOLCK, true);
  munit_assert_int(svc_backup(t.s, path), ==, SVC_IO); /* and not SVC_EXISTS */
  t_fault_end();
  munit_assert_int(svc_backup(t.s, path), ==, SVC_OK);
  svc_close(t.s);
  store_remove(t.folder);
}

/* A file system that refuses memory maps: the log names the store in memory, and no incomplete file stays. */
TEST(io, no_maps)
{
  static const int errors[] = { ENODEV, EINVAL, ENOSYS, EOPNOTSUPP };
  static io_try t;
  char path[160];
  size_t i;
  long at;
  SKIP_IF(!T_ON_LMDB);
  for (i = 0; i < sizeof errors / sizeof errors[0]; i++)
    for (at = 2; at < 4; at++) { /* the first map is the handle's own page */
      memset(&t, 0, sizeof t);
      store_folder(t.folder);
      t_fault(T_CALL_MAP, at, errors[i], true);
      munit_assert_int(io_open(&t), ==, SVC_IO);
      munit_assert_long(t_fault_end(), >, 0);
      munit_assert_not_null(strstr(t.log, "svc_memory_port(), svcd --memory"));
      munit_assert_not_null(strstr(t.log, strerror(errors[i])));
      snprintf(path, sizeof path, "%s/data.mdb.new", t.folder);
      munit_assert_int(access(path, F_OK), !=, 0);
      store_remove(t.folder);
    }
}

/* The disk has no room for the reserve file: a write checks instead whether pages are free, and is refused if that is unknown. */
TEST(io, no_reserve)
{
  char folder[128], path[160], org[25], name[32];
  svc_config config = { .limiter_off = 1, .path = folder, .durability = SVC_NO_SYNC };
  t_service t;
  long at, hits = 1, good = 0;
  int i;
  SKIP_IF(!T_ON_LMDB);
  store_folder(folder);
  snprintf(path, sizeof path, "%s/svcapi.reserve", folder);
  munit_assert_int(mkfifo(path, 0600), ==, 0);
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"None\"}"), ==, 507); /* a new store has no free pages */
  munit_assert_int(unlink(path), ==, 0);
  t_reopen(&t, &config);
  strcpy(org, t_organization(&t, "Acme"));
  for (i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "p%d", i);
    munit_assert_int(t_large_project(&t, org, name), ==, 201);
  }
  for (i = 0; i < 40; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/p%d", i), ==, 200);
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", t_str(&t, "id")), ==, 202);
  }
  munit_assert_int(unlink(path), ==, 0);
  munit_assert_int(mkfifo(path, 0600), ==, 0);
  t_reopen(&t, &config);
  munit_assert_int(t_large_project(&t, org, "one"), ==, 201);
  for (at = 1; hits; at++) {
    char body[128];
    int status;
    snprintf(body, sizeof body, "{\"name\":\"q%ld\",\"orgId\":\"%s\"}", at, org);
    t_fault(T_CALL_LMDB, at, EIO, false);
    status = t_send(&t, "POST", "/groups", body);
    hits = t_fault_end();
    good += status == 201;
    if (status != 201 && (!hits || (status != 503 && status != 507))) munit_errorf("call %ld: %d", at, status);
  }
  munit_assert_long(at, >, 10);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups", org), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, good + 1);
  t_close(&t);
  store_remove(folder);
}
