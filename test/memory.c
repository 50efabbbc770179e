/*
** The in-memory store for tests of the whole library. Such a store has no path, but many tests close a store and open it again.
** Here a path is the name of a store that stays in the memory of this process after it is closed, until its folder is removed. A
** second opener is refused. A copy of a store is another store of this kind.
*/
#include "support.h"

#include <sys/stat.h>

/* Tests count the allocations of a request and make some fail. The store's own allocations do not belong to a request, so they
   use the C library directly. */
void *__real_realloc(void *p, size_t size);

static void *memory_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size) return __real_realloc(p, size);
  free(p);
  return NULL;
}

#define STORES 256

static struct {
  char path[256];
  ino_t folder; /* inode: a folder that was removed and made again has another store */
  svc_store *store;
  bool open;
} stores[STORES]; /* stores with a path */

/* Returns the index of a path's store; less than 0: none. `make` creates the folder and takes a free place. */
static int memory_place(const char *path, bool make)
{
  struct stat st;
  int i, found = -1;
  if (make && mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
  if (stat(path, &st) != 0) return -1;
  for (i = 0; i < STORES && found < 0; i++)
    if (stores[i].store && strcmp(stores[i].path, path) == 0 && stores[i].folder == st.st_ino) found = i;
  for (i = 0; make && i < STORES && found < 0; i++)
    if (!stores[i].store) found = i;
  if (found < 0 || stores[found].store) return found;
  snprintf(stores[found].path, sizeof stores[found].path, "%s", path);
  stores[found].folder = st.st_ino;
  return found;
}

static int memory_test_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  svc_config other = *config;
  int rc, i;
  *out = NULL;
  other.path = NULL;
  other.allocator = (svc_allocator){ memory_resize, NULL };
  if (!config->path) return svc_memory_port()->open(out, &other, why, why_size);
  i = memory_place(config->path, true);
  if (i < 0) {
    snprintf(why, why_size, "cannot create the folder %s: %s", config->path, strerror(errno));
    return SVC_IO;
  }
  if (stores[i].open) {
    snprintf(why, why_size, "the store in %s is in use by another process or handle", config->path);
    return SVC_BUSY;
  }
  rc = stores[i].store ? SVC_OK : svc_memory_port()->open(&stores[i].store, &other, why, why_size);
  if (rc != SVC_OK) return rc;
  stores[i].open = true;
  *out = stores[i].store;
  return SVC_OK;
}

static void memory_test_close(svc_store *store)
{
  int i;
  for (i = 0; i < STORES; i++) {
    if (stores[i].store != store) continue;
    stores[i].open = false;
    return;
  }
  svc_memory_port()->close(store);
}

static int memory_test_copy(svc_store *store, const char *path)
{
  svc_config config = { .allocator = { memory_resize, NULL } };
  const svc_store_port *port = svc_memory_port();
  uint64_t bytes, records, number;
  svc_txn *txn;
  void *held;
  int i = memory_place(path, true);
  if (i < 0) return SVC_IO;
  if (stores[i].store) return SVC_EXISTS;
  munit_assert_int(port->open(&stores[i].store, &config, NULL, 0), ==, SVC_OK);
  munit_assert_int(port->read_begin(store, &txn), ==, SVC_OK);
  number = port->state(txn);
  munit_assert_int(port->hold(txn, &held, &bytes, &records), ==, SVC_OK);
  port->read_end(txn);
  munit_assert_int(port->write_begin(stores[i].store, &txn), ==, SVC_OK);
  munit_assert_int(port->bring_back(txn, held), ==, SVC_OK);
  munit_assert_int(port->numbers_from(txn, number + 1000000), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  port->let_go(held);
  return SVC_OK;
}

static int memory_test_read(svc_store *store, svc_txn **out)
{
  int rc = svc_memory_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_memory_port();
  return rc;
}

static int memory_test_write(svc_store *store, svc_txn **out)
{
  int rc = svc_memory_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_memory_port();
  return rc;
}

static int memory_test_held(const void *held, svc_txn **out)
{
  int rc = svc_memory_port()->held_begin(held, out);
  if (rc == SVC_OK) (*out)->port = t_memory_port();
  return rc;
}

const svc_store_port *t_memory_port(void)
{
  static svc_store_port port;
  if (port.open) return &port;
  port = *svc_memory_port();
  port.close = memory_test_close;
  port.copy = memory_test_copy;
  port.read_begin = memory_test_read;
  port.write_begin = memory_test_write;
  port.held_begin = memory_test_held;
  port.open = memory_test_open;
  return &port;
}
