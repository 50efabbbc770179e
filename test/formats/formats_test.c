/*
** Stores that older versions wrote, one for each format since the first, as the last version with that format wrote it (make.sh
** creates them, and names the versions). The current version opens a store and all its contents are there, or it reports that the
** format is no longer read and leaves the file unchanged. The stores are LMDB files of a 64-bit, little-endian machine.
*/
#include "support.h"

#include <sys/stat.h>

#define FORMATS_NEWEST 5 /* COMMIT_SCHEMA of store/commit.c */

static const char formats_older[] = "the store was written by an older version of this library, in a format that must be upgraded first";

/* Returns true on the same kind of machine as the one that wrote the stores. */
static bool formats_fit(void)
{
  const uint16_t one = 1;
  return sizeof(void *) == 8 && *(const unsigned char *)&one == 1 && T_ON_LMDB;
}

static void formats_unpack(int number, const char *folder)
{
  char command[256];
  snprintf(command, sizeof command, "gzip -dc test/formats/%d.gz >'%s/data.mdb'", number, folder);
  munit_assert_int(system(command), ==, 0);
}

/* A hash of all bytes of a file. */
static uint64_t formats_sum(const char *folder)
{
  char path[256];
  uint64_t sum = 14695981039346656037u;
  FILE *f;
  int c;
  snprintf(path, sizeof path, "%s/data.mdb", folder);
  f = fopen(path, "rb");
  munit_assert_not_null(f);
  while ((c = getc(f)) != EOF) sum = (sum ^ (uint64_t)c) * 1099511628211u;
  fclose(f);
  return sum;
}

/* Formats that are too old: refused for that reason, with a message, and the store is unchanged. */
TEST_EACH(formats, refused, format, "1", "2", "3", "4")
{
  int number = atoi(format);
  t_service t;
  svc_config config = { 0 };
  char path[128];
  uint64_t before;
  svc *s;
  SKIP_IF(!formats_fit());
  memset(&t, 0, sizeof t);
  store_folder(path);
  formats_unpack(number, path);
  before = formats_sum(path);
  config.path = path;
  config.log = t_log;
  config.log_context = &t;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OLDER);
  munit_assert_not_null(strstr(t.log, formats_older));
  munit_assert_uint64(formats_sum(path), ==, before);
  store_remove(path);
}

/* Checks the resources that make.c created. */
static void formats_look(t_service *t)
{
  const char *group;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2); /* the organization of svc_bootstrap(), and Acme */
  munit_assert_int(t_send(t, "GET", "/groups/byName/shop", NULL), ==, 200);
  group = t_keep(t, t_str(t, "id"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/main", group), ==, 200);
  munit_assert_string_equal(t_str(t, "stateName"), "IDLE"); /* its creation, which takes ten seconds, has ended */
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/databaseUsers/admin/app", group), ==, 200);
  munit_assert_string_equal(t_str(t, "username"), "app");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/customDBRoles/roles/reader", group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_CREATED", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"store\"}", "/groups/%s", group), ==, 200); /* the store can be changed */
}

TEST(formats, opened)
{
  t_service t;
  svc_config config = { 0 };
  char path[128];
  SKIP_IF(!formats_fit());
  store_folder(path);
  formats_unpack(FORMATS_NEWEST, path);
  config.path = path;
  t_open(&t, &config);
  t_advance(&t, 60);
  formats_look(&t);
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
}

/* Each new format comes with a store in it, for tests of later versions. */
TEST(formats, all)
{
  t_service t;
  svc_key key;
  svc_str value;
  svc_txn *txn;
  uint32_t schema;
  char path[64];
  struct stat st;
  SKIP_IF(!T_ON_LMDB);
  t_open(&t, NULL);
  svc_key_meta(&key, "schema");
  munit_assert_int(t.s->commit.port->read_begin(t.s->commit.store, &txn), ==, SVC_OK);
  munit_assert_int(svc_get(txn, &key, &value), ==, SVC_OK);
  memcpy(&schema, value.p, sizeof schema);
  t.s->commit.port->read_end(txn);
  t_close(&t);
  munit_assert_uint32(schema, ==, FORMATS_NEWEST);
  for (; schema > 0; schema--) {
    snprintf(path, sizeof path, "test/formats/%u.gz", (unsigned)schema);
    munit_assert_int(stat(path, &st), ==, 0);
  }
}
