/*
** The store port on LMDB.
**
** A store is one environment with one unnamed database, used by one process. An flock on svcapi.lock holds the folder, because the limiter
** and the due time are in the memory of one process: a second opener is refused, also within this process.
**
** Reading. Beginning a read transaction costs more than the read, so up to LMDB_READERS of them are kept and renewed,
** each with its cursor. A thread takes the first free one, starting at its own position. Readers get
** pointers into the map; writers get copies, because LMDB moves its data on writes.
**
** Growing. mdb_env_set_mapsize() may only be called while no transaction is active in the process. Readers therefore
** count themselves in `active`. The thread that grows the map raises `growing`, waits until the present readers are done
** (microseconds), and lets them in again. A copy reads for long, and takes copy_lock, which the growing thread takes first, so
** that only writers wait for a copy, never readers. LMDB unmaps before it maps, and has no map if the
** second step fails. The address space is therefore tried first; if it fails nevertheless, the store is `broken`. A thread tests that when
** the map can no longer change: as an active reader, or with copy_lock held.
**
** Writing. LMDB reuses a freed page as soon as no reader can see it. The pages of a commit would thus be scattered over the
** file, and every piece is a separate write and disk request. The writer therefore keeps its own reader at a state of up to
** LMDB_RUN commits ago: the pages of these commits come free together, in runs, and commits continue to write in runs. The
** price is the room of so many commits; when room is short the reader is released.
**
** Room. A full map is doubled, up to the limit. Pages that a commit frees can be reused by the next commit but one,
** and a commit that does not fit fails: a store with free room could stay full forever. So a minimal commit is
** inserted, once after each real one. Freeing pages takes pages first: work that frees may exceed the limit.
**
** A full disk is handled in the same way. A reserve file of svc_config.disk_reserve bytes beside the data has no other use than to be
** emptied when work that frees finds no room. The data file never shrinks, so it keeps the disk space that the reserve file gave it.
** Until the reserve file can be completed again, as many free pages in the data file replace it. Work that does not free must leave
** these pages alone.
**
** Keys that begin with a zero byte are not data. "\0base" is added to the numbers of transactions, because a copy restarts them. Copies
** and upgrades keep their marks there (SVC_COPY_MARK).
*/
#include "ports/ports.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LMDB_READERS 64
#define LMDB_RUN 4
#define LMDB_FIRST_MAP ((size_t)16 << 20)
#define LMDB_LEAST_MAP ((size_t)64 << 10)
#define LMDB_RESERVE ((off_t)256 << 10) /* unless svc_config.disk_reserve says otherwise */
#define LMDB_LOOKED_AT ((uint64_t)64 << 20) /* bytes; every page of a store up to this size is checked when it is opened */

typedef struct lmdb_txn {
  svc_txn head;
  svc_store *store;
  MDB_txn *txn;
  MDB_cursor *cursor; /* kept: by a reader for its next transaction, by a writer until its transaction ends */
  bool renewed;       /* of a reader: the cursor belongs to this transaction */
  svc_arena copies;   /* of a writer: values that it has returned */
  atomic_flag busy;   /* of a reader */
} lmdb_txn;

struct svc_store {
  MDB_env *env;
  MDB_dbi dbi;
  int lock_fd;
  size_t map_size, map_limit;
  svc_mutex copy_lock;
  uint64_t base;           /* added to LMDB's transaction numbers; set at open */
  bool turned;             /* pages were made reusable since the last real commit */
  off_t reserve;           /* bytes of the reserve file */
  int reserve_fd;          /* -1: no reserve file, because none is wanted, the store is private or the file cannot be opened */
  bool reserved;           /* the file is complete */
  bool freeing;            /* the current work frees, and may use the reserve */
  bool disk_full;          /* the transaction found no room on the disk, not in the map */
  atomic_int active, growing, broken;
  atomic_int failed; /* LMDB's last error, for the log; 0: none */
  lmdb_txn writer;
  MDB_txn *held;      /* the writer's reader; NULL until it is needed */
  unsigned held_for;  /* commits since its state; 0: not holding */
  lmdb_txn readers[LMDB_READERS];
};

/* Returns the result code for an error of LMDB or of the system (errno). */
static int lmdb_result(int rc)
{
  switch (rc) {
  case MDB_SUCCESS: return SVC_OK;
  case MDB_NOTFOUND: return SVC_NOT_FOUND;
  case MDB_MAP_FULL: return SVC_NO_ROOM;
  case ENOMEM: return SVC_NOMEM;
  case ENOSPC:
  case EDQUOT:
  case EFBIG: return SVC_FULL;
  case MDB_CORRUPTED:
  case MDB_PAGE_NOTFOUND:
  case MDB_INVALID:
  case MDB_VERSION_MISMATCH: return SVC_CORRUPT;
  case SVC_LMDB_FOREIGN: return SVC_INVALID;
  default: return SVC_IO;
  }
}

/* The same as lmdb_result(); also notes the error for the log. "Not found" and a full map are not errors. */
static int lmdb_failed(svc_store *store, int rc)
{
  if (rc && rc != MDB_NOTFOUND && rc != MDB_MAP_FULL) atomic_store(&store->failed, rc);
  return lmdb_result(rc);
}

static bool lmdb_why(svc_store *store, int status, char *text, size_t size)
{
  const int rc = atomic_load(&store->failed);
  if (!rc || (lmdb_result(rc) != status && !(rc == EIO && status == SVC_FULL))) return false;
  snprintf(text, size, "LMDB: %s", mdb_strerror(rc));
  return true;
}

static MDB_val lmdb_in(svc_str s)
{
  MDB_val v;
  v.mv_data = (void *)(uintptr_t)s.p; /* LMDB only reads it */
  v.mv_size = s.n;
  return v;
}

static svc_str lmdb_out(const MDB_val *v)
{
  return (svc_str){ v->mv_data, v->mv_size };
}

/* ---------------------------------------------------------------------------------------------------------- open, close */

static void lmdb_close(svc_store *store)
{
  int i;
  if (!store) return;
  for (i = 0; i < LMDB_READERS; i++) {
    lmdb_txn *r = &store->readers[i];
    if (r->cursor) mdb_cursor_close(r->cursor);
    if (r->txn) mdb_txn_abort(r->txn);
  }
  if (store->held) mdb_txn_abort(store->held);
  if (store->env) mdb_env_close(store->env);
  if (store->reserve_fd >= 0) close(store->reserve_fd);
  if (store->lock_fd >= 0) {
    flock(store->lock_fd, LOCK_UN); /* a child process of the host may have it open as well */
    close(store->lock_fd);
  }
  svc_mutex_destroy(&store->copy_lock);
  free(store);
}

/* The readers' places are in a file that is shared with the parent, and so is the lock: transactions are not ended, and the lock is
** closed without LOCK_UN. LMDB clears only the places of its own process. */
static void lmdb_abandon(svc_store *store)
{
  mdb_env_close(store->env);
  if (store->reserve_fd >= 0) close(store->reserve_fd);
  if (store->lock_fd >= 0) close(store->lock_fd);
  free(store);
}

/* The path of a file in the folder. False: too long. */
static bool lmdb_name(char out[PATH_MAX], const char *path, const char *file)
{
  return (size_t)snprintf(out, PATH_MAX, "%s/%s", path, file) < PATH_MAX;
}

/* Flushes the folder: a new file name is durable only then. */
static int lmdb_flush_folder(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
  if (fd < 0) return errno;
  rc = fsync(fd) != 0 && errno != EINVAL ? errno : 0; /* EINVAL: the file system does not support it */
  close(fd);
  return rc;
}

/* Flushes the parent of a folder, which has the folder's name. */
static int lmdb_flush_above(const char *path)
{
  char above[PATH_MAX];
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/') n--;
  while (n > 0 && path[n - 1] != '/') n--;
  while (n > 1 && path[n - 1] == '/') n--;
  if (SVC_NEVER(n >= sizeof above)) return ENAMETOOLONG; /* the system has accepted the whole path */
  memcpy(above, n ? path : ".", n ? n : 1);
  above[n ? n : 1] = '\0';
  return lmdb_flush_folder(above);
}

/* Creates the folder if it is missing, and locks it. */
static int lmdb_hold(svc_store *store, const char *path, char *why, size_t why_size)
{
  char name[PATH_MAX];
  if (mkdir(path, 0700) == 0) lmdb_flush_above(path); /* some folders cannot be opened for a flush */
  else if (errno != EEXIST) {
    snprintf(why, why_size, "cannot create the folder %s: %s", path, strerror(errno));
    return SVC_IO;
  }
  if (!lmdb_name(name, path, "svcapi.lock")) {
    snprintf(why, why_size, "the path of the store is too long");
    return SVC_INVALID;
  }
  store->lock_fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (store->lock_fd < 0) {
    snprintf(why, why_size, "cannot write in the folder %s: %s", path, strerror(errno));
    return SVC_IO;
  }
  if (flock(store->lock_fd, LOCK_EX | LOCK_NB) == 0) return SVC_OK;
  if (errno == EWOULDBLOCK) {
    snprintf(why, why_size, "the store in %s is in use by another process or handle", path);
    return SVC_BUSY;
  }
  snprintf(why, why_size, "cannot lock %s: %s; use a folder on a file system with file locks", name, strerror(errno));
  return SVC_IO;
}

/* Completes the reserve file, if the disk has room. Returns whether it is complete. */
static bool lmdb_reserve(svc_store *store)
{
  struct stat st;
  if (store->reserved || store->reserve_fd < 0) return store->reserved;
  store->reserved = fstat(store->reserve_fd, &st) == 0 && (off_t)st.st_blocks * 512 >= store->reserve;
  if (!store->reserved) store->reserved = posix_fallocate(store->reserve_fd, 0, store->reserve) == 0;
  if (!store->reserved && ftruncate(store->reserve_fd, 0) != 0) return false; /* an incomplete file is useless */
  return store->reserved;
}

/* A full disk, or a folder that takes no more files, does not prevent opening. The file of an earlier handle may have another size. */
static void lmdb_reserve_open(svc_store *store, const char *path, int64_t wanted)
{
  char name[PATH_MAX];
  struct stat st;
  if (!lmdb_name(name, path, "svcapi.reserve")) return;
  if (wanted == SVC_NO_RESERVE) {
    unlink(name);
    return;
  }
  store->reserve = wanted ? (off_t)wanted : LMDB_RESERVE;
  store->reserve_fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (store->reserve_fd < 0) return;
  if (fstat(store->reserve_fd, &st) != 0 || (st.st_size > store->reserve && ftruncate(store->reserve_fd, store->reserve) != 0)) return;
  lmdb_reserve(store);
}

/* Creates a folder for a private store: in TMPDIR if that is set, otherwise in memory if possible. */
static bool lmdb_private_folder(char *out, size_t size)
{
  const char *places[] = { getenv("TMPDIR"), "/dev/shm", "/tmp", "." };
  size_t i;
  for (i = 0; i < sizeof places / sizeof places[0]; i++) {
    if (!places[i] || (size_t)snprintf(out, size, "%s/svcapi-XXXXXX", places[i]) >= size) continue;
    if (mkdtemp(out)) return true;
  }
  return false;
}

/* The files stay open without names: the end of the process removes the store. */
static void lmdb_unlink(const char *path)
{
  static const char *const files[] = { "data.mdb", "lock.mdb", "svcapi.lock" };
  char name[PATH_MAX];
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; i++)
    if (lmdb_name(name, path, files[i])) unlink(name);
  rmdir(path);
}

static int lmdb_cannot_open(int rc, const char *path, char *why, size_t why_size)
{
  const bool unmapped = rc == ENODEV || rc == EINVAL || rc == ENOSYS || rc == EOPNOTSUPP; /* how mmap refuses a file */
  snprintf(why, why_size, "cannot open the store%s in %s: %s", unmapped ? " (it needs memory maps of files; where there are none, keep the "
           "store in memory: svc_memory_port(), svcd --memory)" : "", path, mdb_strerror(rc));
  return lmdb_result(rc);
}

/* Checks the file in a folder; for more than `most` bytes only the metas. Returns an error of LMDB; what: the damage, if a page is
** damaged. */
static int lmdb_look_at(const char *path, uint64_t most, char *what, size_t size)
{
  char name[PATH_MAX];
  int fd, rc;
  const bool fits = lmdb_name(name, path, "data.mdb");
  if (SVC_NEVER(!fits)) return ENAMETOOLONG; /* a shorter name fitted before */
  fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  rc = svc_lmdb_pages(fd, 0, most, what, size);
  close(fd);
  return rc;
}

/*
** Checks pages before LMDB reads them (ports/lmdb_pages.c). Checking a large store would delay opening, so only its two
** first pages are checked here; lmdb_check() checks all. A truncated file is checked whatever its size: LMDB would crash when it reads
** behind the end. Pages that were never written may be missing at the end of a good file.
*/
static int lmdb_look(const char *path, char *why, size_t why_size)
{
  char what[SVC_LMDB_WHY] = "";
  int rc = lmdb_look_at(path, LMDB_LOOKED_AT, what, sizeof what);
  if (!rc) return SVC_OK;
  if (!what[0]) return lmdb_cannot_open(rc, path, why, why_size);
  if (rc == SVC_LMDB_FOREIGN) snprintf(why, why_size, "%s: %s", what, path);
  else snprintf(why, why_size, "the store in %s is damaged: %s", path, what);
  return lmdb_result(rc);
}

static const svc_str lmdb_base_key = { "\0base", 5 };

static int lmdb_read_base(svc_store *store, MDB_txn *txn, uint64_t *base)
{
  MDB_val key = lmdb_in(lmdb_base_key), value;
  int rc = mdb_get(txn, store->dbi, &key, &value);
  if (!rc && value.mv_size == sizeof *base) memcpy(base, value.mv_data, sizeof *base);
  return rc == MDB_NOTFOUND ? 0 : rc;
}

/*
** Child processes of the host must not inherit the store's files: its locks in the table of readers, and the disk space, would outlive us.
** LMDB opens its lock file so, but not the data.
*/
static int lmdb_close_on_exec(MDB_env *env)
{
  mdb_filehandle_t fd;
  int rc = mdb_env_get_fd(env, &fd);
  if (rc) return rc;
  return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? 0 : errno;
}

#define LMDB_NEW ".new" /* suffix of an incomplete file */

/*
** A new store gets its name only when it is on the disk: a power cut leaves none, or one that opens. LMDB itself writes the first two pages
** of a file and continues; it rejects a file in which a power cut has left only a part of these.
*/
static int lmdb_first_file(const char *path, size_t map_size)
{
  char name[PATH_MAX], new_name[PATH_MAX + sizeof LMDB_NEW];
  MDB_env *env = NULL;
  int rc;
  const bool fits = lmdb_name(name, path, "data.mdb");
  if (SVC_NEVER(!fits)) return ENAMETOOLONG; /* the name of the lock is longer, and fitted */
  if (access(name, F_OK) == 0) return 0;
  snprintf(new_name, sizeof new_name, "%s" LMDB_NEW, name);
  unlink(new_name); /* the folder is locked: left over from a crash */
  rc = mdb_env_create(&env);
  if (!rc) rc = mdb_env_set_mapsize(env, map_size);
  if (!rc) rc = mdb_env_open(env, new_name, MDB_NOSUBDIR | MDB_NOLOCK, 0600);
  if (!rc) rc = mdb_env_sync(env, 1);
  if (env) mdb_env_close(env);
  if (!rc && rename(new_name, name) != 0) rc = errno;
  if (rc) unlink(new_name);
  return rc ? rc : lmdb_flush_folder(path);
}

static int lmdb_first(const char *path, size_t map_size, char *why, size_t why_size)
{
  int rc = lmdb_first_file(path, map_size);
  return rc ? lmdb_cannot_open(rc, path, why, why_size) : SVC_OK;
}

static int lmdb_open_env(svc_store *store, const char *path, unsigned flags, char *why, size_t why_size)
{
  MDB_txn *txn = NULL;
  MDB_envinfo info;
  uint64_t base = 0;
  int rc = mdb_env_create(&store->env);
  if (!rc) rc = mdb_env_set_maxreaders(store->env, LMDB_READERS + 8);
  if (!rc) rc = mdb_env_set_mapsize(store->env, store->map_size);
  if (!rc) rc = mdb_env_open(store->env, path, flags | MDB_NOTLS | MDB_NORDAHEAD, 0600);
  if (!rc) rc = lmdb_close_on_exec(store->env);
  if (!rc) rc = mdb_txn_begin(store->env, NULL, 0, &txn);
  if (!rc) rc = mdb_dbi_open(txn, NULL, 0, &store->dbi);
  if (!rc) rc = lmdb_read_base(store, txn, &base);
  if (!rc) {
    rc = mdb_txn_commit(txn);
    txn = NULL;
  }
  if (txn) mdb_txn_abort(txn);
  if (rc) return lmdb_cannot_open(rc, path, why, why_size);
  store->base = base;
  if (mdb_env_info(store->env, &info) == 0) store->map_size = info.me_mapsize; /* an older store may be larger */
  return SVC_OK;
}

static int lmdb_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  svc_store *store = calloc(1, sizeof *store);
  char private_path[PATH_MAX];
  const char *path = config->path;
  unsigned flags = 0;
  int rc, i;
  *out = NULL;
  if (!store) return SVC_NOMEM;
  store->lock_fd = store->reserve_fd = -1;
  store->freeing = true; /* the first commit opens the store */
  if (!svc_mutex_init(&store->copy_lock)) {
    free(store);
    return SVC_NOMEM;
  }
  store->map_limit = config->map_limit ? config->map_limit : SIZE_MAX;
  store->map_size = config->map_size ? config->map_size : LMDB_FIRST_MAP;
  if (store->map_size > store->map_limit) store->map_size = store->map_limit & ~(size_t)65535;
  if (store->map_size < LMDB_LEAST_MAP) store->map_size = LMDB_LEAST_MAP;
  store->map_size = (store->map_size + 65535) & ~(size_t)65535; /* whole pages, whatever their size */
  for (i = 0; i < LMDB_READERS; i++) {
    store->readers[i].store = store;
    atomic_flag_clear(&store->readers[i].busy);
  }
  store->writer.store = store;

  if (!path) {
    if (!lmdb_private_folder(private_path, sizeof private_path)) {
      snprintf(why, why_size, "no place for a private store: set TMPDIR to a folder that can be written");
      rc = SVC_IO;
      goto fail;
    }
    flags = MDB_NOSYNC;
  } else if (config->durability != SVC_DURABLE) {
    flags = config->durability == SVC_NO_SYNC ? MDB_NOSYNC : MDB_NOMETASYNC;
  }
  rc = path ? lmdb_hold(store, path, why, why_size) : SVC_OK;
  if (rc == SVC_OK && path) rc = lmdb_first(path, store->map_size, why, why_size);
  if (rc == SVC_OK && path) rc = lmdb_look(path, why, why_size);
  if (rc == SVC_OK) rc = lmdb_open_env(store, path ? path : private_path, flags, why, why_size);
  if (!path) lmdb_unlink(private_path);
  if (rc != SVC_OK) goto fail;
  if (path) lmdb_reserve_open(store, path, config->disk_reserve);
  *out = store;
  return SVC_OK;
fail:
  lmdb_close(store);
  return rc;
}

/* --------------------------------------------------------------------------------------------------------- transactions */

/* Counts a reader as active, after waiting while the map grows. */
static void lmdb_enter(svc_store *store)
{
  for (;;) {
    atomic_fetch_add(&store->active, 1);
    if (!atomic_load(&store->growing)) return;
    atomic_fetch_sub(&store->active, 1);
    while (atomic_load(&store->growing)) svc_thread_yield();
  }
}

static void lmdb_leave(svc_store *store)
{
  atomic_fetch_sub(&store->active, 1);
}

/* Stacks of threads are far apart: the address of a local variable is a good first guess at a free reader. */
static lmdb_txn *lmdb_free_reader(svc_store *store)
{
  unsigned start, i;
  char here;
  start = (unsigned)(((uintptr_t)&here >> 16) * 2654435761u >> 8);
  for (;;) {
    for (i = 0; i < LMDB_READERS; i++) {
      lmdb_txn *r = &store->readers[(start + i) % LMDB_READERS];
      if (!atomic_flag_test_and_set(&r->busy)) return r;
    }
    svc_thread_yield();
  }
}

static int lmdb_read_begin(svc_store *store, svc_txn **out)
{
  lmdb_txn *r;
  int rc;
  *out = NULL;
  lmdb_enter(store);
  if (atomic_load(&store->broken)) {
    lmdb_leave(store);
    return SVC_IO;
  }
  r = lmdb_free_reader(store);
  rc = r->txn ? mdb_txn_renew(r->txn) : mdb_txn_begin(store->env, NULL, MDB_RDONLY, &r->txn);
  if (rc) {
    atomic_flag_clear(&r->busy);
    lmdb_leave(store);
    return lmdb_failed(store, rc);
  }
  r->head.port = svc_lmdb_port();
  r->head.ids = NULL;
  r->head.writing = r->head.draft = r->head.dirty = r->head.fresh = false;
  r->head.error = SVC_OK;
  r->renewed = false;
  *out = &r->head;
  return SVC_OK;
}

static void lmdb_read_end(svc_txn *txn)
{
  lmdb_txn *r = (lmdb_txn *)txn;
  svc_store *store = r->store;
  mdb_txn_reset(r->txn);
  atomic_flag_clear(&r->busy);
  lmdb_leave(store);
}

static int lmdb_write_begin(svc_store *store, svc_txn **out)
{
  lmdb_txn *w = &store->writer;
  int rc;
  *out = NULL;
  if (atomic_load(&store->broken)) return SVC_IO;
  rc = mdb_txn_begin(store->env, NULL, 0, &w->txn);
  if (rc) return lmdb_failed(store, rc);
  store->disk_full = false;
  w->head.port = svc_lmdb_port();
  w->head.ids = NULL;
  w->head.writing = true;
  w->head.dirty = w->head.fresh = w->head.again = false;
  w->head.error = SVC_OK;
  svc_arena_init(&w->copies, NULL); /* by malloc, like LMDB itself */
  *out = &w->head;
  return SVC_OK;
}

/*
** LMDB reports EIO for a short write, which is the first sign of a full disk. Checks whether one more page fits behind the end of the
** file, where it does no harm.
*/
static bool lmdb_disk_full(svc_store *store)
{
  const char page[4096] = { 0 };
  mdb_filehandle_t fd;
  struct stat st;
  ssize_t n;
  if (mdb_env_get_fd(store->env, &fd) != 0 || fstat(fd, &st) != 0) return false;
  n = pwrite(fd, page, sizeof page, st.st_size);
  if (n < 0) return lmdb_result(errno) == SVC_FULL;
  return ftruncate(fd, st.st_size) == 0 && (size_t)n < sizeof page;
}

/* Frees what belongs to a writer's transaction. */
static void lmdb_forget(lmdb_txn *w)
{
  if (w->cursor) mdb_cursor_close(w->cursor);
  w->cursor = NULL;
  svc_blocks_free(w->copies.blocks);
}

/* Releases the pages that the writer holds. True: there may be more room now. */
static bool lmdb_let_go(svc_store *store)
{
  if (!store->held_for) return false;
  mdb_txn_reset(store->held);
  store->held_for = 0;
  return true;
}

/* Called after a commit: every LMDB_RUN commits, moves the writer's reader to the present state. A failure does no harm: pages are then
** reused one by one. */
static void lmdb_hold_pages(svc_store *store)
{
  int rc;
  if (store->held_for && store->held_for++ < LMDB_RUN) return;
  lmdb_let_go(store);
  rc = store->held ? mdb_txn_renew(store->held) : mdb_txn_begin(store->env, NULL, MDB_RDONLY, &store->held);
  if (!rc) store->held_for = 1;
}

/* Returns the status of a write. A full disk gives SVC_NO_ROOM, because lmdb_room() may still find room. */
static int lmdb_written(svc_store *store, int rc)
{
  int result = lmdb_failed(store, rc);
  rc = rc == EIO && lmdb_disk_full(store) ? SVC_FULL : result;
  if (rc != SVC_FULL) return rc;
  store->disk_full = true;
  return SVC_NO_ROOM;
}

/* Whether the file has as many free pages as the reserve. LMDB lists them by transaction: their number, then the pages. */
static bool lmdb_has_pages(svc_store *store)
{
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  MDB_stat stat;
  MDB_val key, value;
  size_t pages = 0, n;
  int rc = mdb_env_stat(store->env, &stat);
  if (!rc) rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
  if (!rc) rc = mdb_cursor_open(txn, 0, &cursor);
  while (!rc && pages * (uint64_t)stat.ms_psize < (uint64_t)store->reserve) {
    rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    if (rc || value.mv_size < sizeof n) break;
    memcpy(&n, value.mv_data, sizeof n);
    pages += n;
  }
  if (cursor) mdb_cursor_close(cursor);
  if (txn) mdb_txn_abort(txn);
  return !rc;
}

/* Whether this commit leaves the pages that freeing work will need. Always true while the reserve file is complete, and without one. */
static bool lmdb_spares(svc_store *store)
{
  if (store->freeing || store->reserve_fd < 0) return true;
  return lmdb_reserve(store) || lmdb_has_pages(store);
}

static int lmdb_commit(svc_txn *txn)
{
  lmdb_txn *w = (lmdb_txn *)txn;
  svc_store *store = w->store;
  MDB_txn *t = w->txn;
  int rc;
  w->txn = NULL;
  lmdb_forget(w);
  if (!lmdb_spares(store)) {
    mdb_txn_abort(t);
    return lmdb_written(store, ENOSPC);
  }
  rc = mdb_txn_commit(t);
  if (!rc) lmdb_hold_pages(store);
  if (!rc) store->turned = store->freeing = false;
  return lmdb_written(store, rc);
}

static void lmdb_abort(svc_txn *txn)
{
  lmdb_txn *w = (lmdb_txn *)txn;
  MDB_txn *t = w->txn;
  w->txn = NULL; /* before the next writer may set it */
  lmdb_forget(w);
  mdb_txn_abort(t);
}

static uint64_t lmdb_number(svc_txn *txn)
{
  lmdb_txn *w = (lmdb_txn *)txn;
  return w->store->base + mdb_txn_id(w->txn);
}

/* The number of the last commit that the reader sees, plus 1: 0 means unknown. */
static uint64_t lmdb_state(svc_txn *txn)
{
  return SVC_NEVER(txn->writing) ? 0 : mdb_txn_id(((lmdb_txn *)txn)->txn) + 1;
}

/* Needs no lock: the active reader keeps the map in place. */
static int lmdb_size(svc_txn *txn, uint64_t *taken, uint64_t *room)
{
  MDB_env *env = mdb_txn_env(((lmdb_txn *)txn)->txn);
  MDB_envinfo info;
  MDB_stat stat;
  int rc = mdb_env_info(env, &info);
  if (!rc) rc = mdb_env_stat(env, &stat);
  if (rc) return SVC_IO;
  *taken = ((uint64_t)info.me_last_pgno + 1) * stat.ms_psize;
  *room = info.me_mapsize;
  return SVC_OK;
}

/* -------------------------------------------------------------------------------------------------------------- records */

/* Makes a key or value valid until the transaction ends: a writer's is copied. */
static int lmdb_given(lmdb_txn *t, const MDB_val *v, svc_str *out)
{
  *out = lmdb_out(v);
  if (!t->head.writing) return SVC_OK;
  *out = svc_arena_copy(&t->copies, *out);
  return t->copies.failed ? SVC_NOMEM : SVC_OK;
}

static int lmdb_get(svc_txn *txn, svc_str key, svc_str *value)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  MDB_val k = lmdb_in(key), v;
  int rc = mdb_get(t->txn, t->store->dbi, &k, &v);
  return rc ? lmdb_failed(t->store, rc) : lmdb_given(t, &v, value);
}

static int lmdb_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  size_t i;
  for (i = 0; i < n; i++) {
    int rc = lmdb_get(txn, keys[i], &values[i]);
    if (rc == SVC_NOT_FOUND) values[i] = (svc_str){ NULL, 0 };
    else if (rc != SVC_OK) return rc;
  }
  return SVC_OK;
}

static int lmdb_put(svc_txn *txn, svc_str key, svc_str value)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  MDB_val k = lmdb_in(key), v = lmdb_in(value);
  if (t->cursor) return lmdb_written(t->store, mdb_cursor_put(t->cursor, &k, &v, 0)); /* the position is often near */
  return lmdb_written(t->store, mdb_put(t->txn, t->store->dbi, &k, &v, 0));
}

static int lmdb_remove(svc_txn *txn, svc_str key)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  MDB_val k = lmdb_in(key);
  int rc = mdb_del(t->txn, t->store->dbi, &k, NULL);
  return rc == MDB_NOTFOUND ? SVC_OK : lmdb_written(t->store, rc);
}

/* The transaction's only cursor: its position does not matter between calls. */
static int lmdb_cursor(lmdb_txn *t)
{
  int rc = 0;
  if (!t->cursor) rc = mdb_cursor_open(t->txn, t->store->dbi, &t->cursor);
  else if (!t->head.writing && !t->renewed) rc = mdb_cursor_renew(t->txn, t->cursor);
  t->renewed = !rc;
  return rc;
}

static int lmdb_order(const MDB_val *a, svc_str b)
{
  int order = memcmp(a->mv_data, b.p, a->mv_size < b.n ? a->mv_size : b.n);
  return order ? order : (a->mv_size > b.n) - (a->mv_size < b.n);
}

/* Moves to the first row of a range, in its direction. */
static int lmdb_range_first(MDB_cursor *cursor, const svc_range *range, MDB_val *key, MDB_val *value)
{
  int rc;
  *key = lmdb_in(range->backwards ? range->to : range->from);
  rc = mdb_cursor_get(cursor, key, value, MDB_SET_RANGE);
  if (!range->backwards) return rc;
  return mdb_cursor_get(cursor, key, value, rc == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
}

static bool lmdb_in_range(const svc_range *range, const MDB_val *key)
{
  return range->backwards ? lmdb_order(key, range->from) >= 0 : lmdb_order(key, range->to) < 0;
}

static int lmdb_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  MDB_cursor_op next = range->backwards ? MDB_PREV : MDB_NEXT;
  MDB_val key, value;
  uint64_t passed = 0;
  int rc = lmdb_cursor(t);
  *n = 0;
  if (!rc) rc = lmdb_range_first(t->cursor, range, &key, &value);
  while (!rc && lmdb_in_range(range, &key)) {
    if (passed < range->skip) {
      passed++;
    } else {
      rc = lmdb_given(t, &key, &rows[*n].key);
      if (rc == SVC_OK) rc = lmdb_given(t, &value, &rows[*n].value);
      if (rc != SVC_OK) return rc;
      if (++*n == most) return SVC_OK;
    }
    rc = mdb_cursor_get(t->cursor, &key, &value, next);
  }
  return rc && rc != MDB_NOTFOUND ? lmdb_failed(t->store, rc) : SVC_OK;
}

static int lmdb_remove_range(svc_txn *txn, svc_str from, svc_str to)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  const svc_range range = { from, to, false, 0 };
  MDB_val key, value;
  int rc = lmdb_cursor(t);
  if (!rc) rc = lmdb_range_first(t->cursor, &range, &key, &value);
  while (!rc && lmdb_in_range(&range, &key)) {
    rc = mdb_cursor_del(t->cursor, 0);
    if (!rc) rc = mdb_cursor_get(t->cursor, &key, &value, MDB_NEXT); /* after a removal: the row behind it */
  }
  return rc && rc != MDB_NOTFOUND ? lmdb_written(t->store, rc) : SVC_OK;
}

/* There is one writer: a counter is a record. */
static int lmdb_count(svc_txn *txn, svc_str key, int64_t *out)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  MDB_val k = lmdb_in(key), v;
  int rc = mdb_get(t->txn, t->store->dbi, &k, &v);
  *out = 0;
  if (rc) return rc == MDB_NOTFOUND ? SVC_OK : lmdb_failed(t->store, rc);
  if (v.mv_size != sizeof *out) return SVC_CORRUPT;
  memcpy(out, v.mv_data, sizeof *out);
  return SVC_OK;
}

/* An existing counter is rewritten at the cursor's position: a single search instead of two. */
static int lmdb_count_add(svc_txn *txn, svc_str key, int64_t delta)
{
  lmdb_txn *t = (lmdb_txn *)txn;
  MDB_val k = lmdb_in(key), v;
  int64_t count = 0;
  int rc = lmdb_cursor(t), found;
  if (rc) return lmdb_failed(t->store, rc);
  found = mdb_cursor_get(t->cursor, &k, &v, MDB_SET);
  if (found && found != MDB_NOTFOUND) return lmdb_failed(t->store, found);
  if (!found && v.mv_size != sizeof count) return SVC_CORRUPT;
  if (!found) memcpy(&count, v.mv_data, sizeof count);
  count += delta;
  if (!count) return lmdb_remove(txn, key);
  if (found) return lmdb_put(txn, key, (svc_str){ (const char *)&count, sizeof count });
  v = (MDB_val){ sizeof count, &count };
  return lmdb_written(t->store, mdb_cursor_put(t->cursor, &k, &v, MDB_CURRENT));
}

/* ----------------------------------------------------------------------------------------------------------- room, copy */

/* Whether the address space has room for a map of this size. */
static bool lmdb_address_space(size_t size)
{
  void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  munmap(p, size);
  return true;
}

static int lmdb_resize(svc_store *store, size_t size)
{
  MDB_envinfo info;
  int rc;
  lmdb_let_go(store);
  svc_mutex_lock(&store->copy_lock);
  atomic_store(&store->growing, 1);
  while (atomic_load(&store->active)) svc_thread_yield();
  rc = mdb_env_set_mapsize(store->env, size);
  if (!rc) rc = mdb_env_info(store->env, &info); /* LMDB may keep more, if it is in use */
  if (rc) {
    atomic_store(&store->broken, 1);
    lmdb_failed(store, rc);
  } else {
    store->map_size = info.me_mapsize;
  }
  atomic_store(&store->growing, 0);
  svc_mutex_unlock(&store->copy_lock);
  return rc ? SVC_IO : SVC_OK;
}

static int lmdb_grow(svc_store *store, bool beyond)
{
  size_t size = store->map_size > SIZE_MAX / 4 ? store->map_size : store->map_size * 2, limit = store->map_limit;
  if (lmdb_let_go(store)) return SVC_OK; /* that may suffice */
  if (beyond) limit = limit > SIZE_MAX / 2 ? SIZE_MAX : limit * 2; /* at most every page is rewritten */
  if (size > limit) size = limit & ~(size_t)65535;
  if (size <= store->map_size || !lmdb_address_space(size)) return SVC_FULL;
  return lmdb_resize(store, size);
}

/* Shrinks the map to its limit after work that freed. LMDB keeps a larger map while the content needs it. */
static int lmdb_settle(svc_store *store)
{
  size_t size = store->map_limit & ~(size_t)65535;
  return store->map_size > size ? lmdb_resize(store, size) : SVC_OK;
}

/* Makes a minimal commit, which rewrites the first record. False: the commit would change nothing, or failed. */
static bool lmdb_turn(svc_store *store)
{
  MDB_txn *txn;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  int rc;
  if (store->turned || mdb_txn_begin(store->env, NULL, 0, &txn)) return false;
  store->turned = true;
  rc = mdb_cursor_open(txn, store->dbi, &cursor);
  if (!rc) rc = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  if (!rc) {
    svc_arena copy; /* the value must not overlap what is overwritten */
    svc_str same;
    svc_arena_init(&copy, NULL);
    same = svc_arena_copy(&copy, lmdb_out(&value));
    value = lmdb_in(same);
    rc = copy.failed ? ENOMEM : mdb_cursor_put(cursor, &key, &value, MDB_CURRENT);
    svc_blocks_free(copy.blocks);
  }
  if (cursor) mdb_cursor_close(cursor);
  if (!rc) return mdb_txn_commit(txn) == 0;
  mdb_txn_abort(txn);
  return false;
}

/*
** The disk is full. The pages that the writer holds may suffice. Work that frees gets the reserve, or its replacement in the file, and
** is tried once more.
*/
static int lmdb_disk_room(svc_store *store, bool first)
{
  if (first && store->reserved) store->reserved = ftruncate(store->reserve_fd, 0) != 0;
  return lmdb_let_go(store) || first ? SVC_OK : SVC_FULL;
}

static int lmdb_room(svc_store *store, int what)
{
  bool first = what == SVC_ROOM_TO_FREE && !store->freeing;
  int rc;
  if (atomic_load(&store->broken)) return SVC_IO; /* an earlier growth failed, and there is no map */
  store->freeing = what == SVC_ROOM_TO_FREE;
  if (what == SVC_ROOM_DONE) {
    lmdb_turn(store);
    lmdb_reserve(store);
    return lmdb_settle(store);
  }
  rc = store->disk_full ? lmdb_disk_room(store, first) : lmdb_grow(store, store->freeing);
  return rc == SVC_FULL && lmdb_turn(store) ? SVC_OK : rc;
}

#define LMDB_COPY_SLACK 1000000 /* transactions that may come between the two steps of a copy */

static int lmdb_numbers_from(svc_txn *txn, uint64_t least)
{
  return lmdb_put(txn, lmdb_base_key, (svc_str){ (const char *)&least, sizeof least });
}

/* A copy restarts its transaction numbers, so the number to continue from is stored first. */
static int lmdb_copy_begin(svc_txn *txn)
{
  return lmdb_numbers_from(txn, lmdb_number(txn) + LMDB_COPY_SLACK);
}

/*
** A copy is written to a file with another name, and renamed when it is on the disk: a file named data.mdb is complete. The file is created
** here, not by LMDB, so that no other user can ever read it. The leftover of an aborted copy is reused; the file of a running copy is not.
*/
typedef struct lmdb_copying {
  char name[PATH_MAX], new_name[PATH_MAX + sizeof LMDB_NEW];
  int fd;
} lmdb_copying;

static int lmdb_copy_file(const char *path, lmdb_copying *c)
{
  struct stat ours, named;
  int rc;
  if (mkdir(path, 0700) == 0) lmdb_flush_above(path);
  else if (errno != EEXIST) return SVC_IO;
  if (!lmdb_name(c->name, path, "data.mdb")) return SVC_INVALID;
  snprintf(c->new_name, sizeof c->new_name, "%s" LMDB_NEW, c->name);
  if (access(c->name, F_OK) == 0) return SVC_EXISTS;
  c->fd = open(c->new_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (c->fd < 0) return lmdb_result(errno);
  rc = flock(c->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (!rc && fstat(c->fd, &ours) == 0 && stat(c->new_name, &named) == 0 && ours.st_ino == named.st_ino && ftruncate(c->fd, 0) == 0)
    return SVC_OK;
  close(c->fd);
  return rc && rc != EWOULDBLOCK ? SVC_IO : SVC_EXISTS; /* the latter: another copy is in progress */
}

/* Gives the copy its name, and never replaces another file. On a file system without links only access() prevents that. */
static int lmdb_copy_name(const lmdb_copying *c)
{
  int rc = link(c->new_name, c->name) == 0 ? 0 : errno;
  if (rc == 0) return unlink(c->new_name) == 0 ? 0 : errno;
  if (rc == EEXIST || access(c->name, F_OK) == 0) return EEXIST;
  return rename(c->new_name, c->name) == 0 ? 0 : errno;
}

/* A copy exists only when it is on the disk; otherwise it is removed. rc: the result so far, of LMDB. */
static int lmdb_copy_end(const char *path, const lmdb_copying *c, int rc)
{
  if (!rc && fsync(c->fd) != 0) rc = errno;
  if (!rc) rc = lmdb_copy_name(c);
  if (rc) unlink(c->new_name);
  close(c->fd); /* holds the lock until here */
  if (rc == EEXIST) return SVC_EXISTS;
  return lmdb_result(rc ? rc : lmdb_flush_folder(path));
}

static int lmdb_copy(svc_store *store, const char *path)
{
  lmdb_copying c;
  int rc = lmdb_copy_file(path, &c);
  if (rc != SVC_OK) return rc;
  svc_mutex_lock(&store->copy_lock);
  rc = atomic_load(&store->broken) ? EIO : mdb_env_copyfd2(store->env, c.fd, MDB_CP_COMPACT);
  svc_mutex_unlock(&store->copy_lock);
  return lmdb_copy_end(path, &c, rc);
}

#define LMDB_TRIES 16

/* Checks every page that a present reader sees. If two commits came between, its meta is overwritten: then tries again. */
static int lmdb_look_now(MDB_env *env, char *why, size_t why_size)
{
  mdb_filehandle_t fd;
  MDB_txn *txn;
  int tries = 0, rc;
  do {
    rc = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
    if (rc) return rc;
    rc = mdb_env_get_fd(env, &fd);
    if (!rc) rc = svc_lmdb_pages(fd, mdb_txn_id(txn), UINT64_MAX, why, why_size);
    mdb_txn_abort(txn);
  } while (rc == MDB_BAD_TXN && ++tries < LMDB_TRIES);
  return rc;
}

static int lmdb_check(svc_store *store, char *why, size_t why_size)
{
  int rc;
  svc_mutex_lock(&store->copy_lock); /* the map stays unchanged */
  rc = atomic_load(&store->broken) ? EIO : lmdb_look_now(store->env, why, why_size);
  svc_mutex_unlock(&store->copy_lock);
  return lmdb_result(rc);
}

/* ---------------------------------------------------------------------------------------- a store that another process has open */


/* LMDB lets other processes read the last commit. Nothing is written, and no lock of ours is taken. */
static int lmdb_visit(MDB_env **out, const char *path, unsigned flags)
{
  int rc = mdb_env_create(out);
  if (!rc) rc = mdb_env_open(*out, path, flags | MDB_NOTLS, 0600);
  return rc;
}

/* The number from which a copy continues: see lmdb_copy_begin(). */
static int lmdb_visit_base(MDB_env *env, uint64_t *base)
{
  MDB_val key = lmdb_in(lmdb_base_key), value;
  MDB_txn *txn;
  MDB_dbi dbi;
  uint64_t stored = 0;
  int rc = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
  if (rc) return rc;
  rc = mdb_dbi_open(txn, NULL, 0, &dbi);
  if (!rc) rc = mdb_get(txn, dbi, &key, &value);
  if (!rc && value.mv_size == sizeof stored) memcpy(&stored, value.mv_data, sizeof stored);
  *base = stored + mdb_txn_id(txn) + LMDB_COPY_SLACK;
  mdb_txn_abort(txn);
  return rc == MDB_NOTFOUND ? 0 : rc;
}

/* Writes the base number into the copy. No other process uses the copy yet, so no lock is needed. */
static int lmdb_visit_tell(const char *path, uint64_t base)
{
  MDB_val key = lmdb_in(lmdb_base_key), value;
  MDB_env *env = NULL;
  MDB_txn *txn = NULL;
  MDB_dbi dbi;
  int rc = lmdb_visit(&env, path, MDB_NOLOCK | MDB_NOSUBDIR);
  value.mv_data = &base;
  value.mv_size = sizeof base;
  if (!rc) rc = mdb_txn_begin(env, NULL, 0, &txn);
  if (!rc) rc = mdb_dbi_open(txn, NULL, 0, &dbi);
  if (!rc) rc = mdb_put(txn, dbi, &key, &value, 0);
  if (!rc) rc = mdb_txn_commit(txn);
  else if (txn) mdb_txn_abort(txn);
  if (env) mdb_env_close(env);
  return rc;
}

/* Makes one try of a copy. Returns an error of LMDB; MDB_MAP_RESIZED: the store has grown since its file was mapped. */
static int lmdb_visit_copy(const char *from, int fd, uint64_t *base)
{
  MDB_env *env = NULL;
  char why[SVC_LMDB_WHY];
  int rc = lmdb_look_at(from, 0, why, sizeof why); /* LMDB divides by the page size in the file, which may be damaged */
  if (!rc) rc = lmdb_visit(&env, from, MDB_RDONLY);
  if (!rc) rc = lmdb_look_now(env, why, sizeof why);
  if (!rc && ftruncate(fd, 0) != 0) rc = errno;
  if (!rc && lseek(fd, 0, SEEK_SET) != 0) rc = errno;
  if (!rc) rc = mdb_env_copyfd2(env, fd, MDB_CP_COMPACT);
  if (!rc) rc = lmdb_visit_base(env, base);
  if (env) mdb_env_close(env);
  return rc;
}

SVC_PRIVATE int svc_lmdb_copy_of(const char *from, const char *to)
{
  lmdb_copying c;
  uint64_t base = 0;
  int tries = 0, rc;
  if (!lmdb_name(c.name, from, "data.mdb")) return SVC_INVALID;
  if (access(c.name, R_OK) != 0) return SVC_IO; /* LMDB would create a lock file beside it */
  rc = lmdb_copy_file(to, &c);
  if (rc != SVC_OK) return rc;
  do rc = lmdb_visit_copy(from, c.fd, &base);
  while (rc == MDB_MAP_RESIZED && ++tries < LMDB_TRIES);
  if (!rc) rc = lmdb_visit_tell(c.new_name, base);
  return lmdb_copy_end(to, &c, rc);
}

SVC_PRIVATE const svc_store_port *svc_lmdb_port(void)
{
  static const svc_store_port port = {
    .open = lmdb_open,
    .close = lmdb_close,
    .abandon = lmdb_abandon,
    .read_begin = lmdb_read_begin,
    .read_end = lmdb_read_end,
    .write_begin = lmdb_write_begin,
    .commit = lmdb_commit,
    .abort = lmdb_abort,
    .number = lmdb_number,
    .state = lmdb_state,
    .size = lmdb_size,
    .get = lmdb_get,
    .get_many = lmdb_get_many,
    .scan = lmdb_scan,
    .put = lmdb_put,
    .remove = lmdb_remove,
    .remove_range = lmdb_remove_range,
    .count = lmdb_count,
    .count_add = lmdb_count_add,
    .room = lmdb_room,
    .copy_begin = lmdb_copy_begin,
    .copy = lmdb_copy,
    .numbers_from = lmdb_numbers_from,
    .check = lmdb_check,
    .why = lmdb_why,
  };
  return &port;
}
