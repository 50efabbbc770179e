/*
** Stores of older formats, upgraded (ports/transfer/upgrade.c): those that are kept here, and a larger one whose upgrade is killed at any
** moment and goes on.
*/
#include "support.h"
#include "ports/transfer/rows.h"
#include "ports/transfer/upgrade.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define UPGRADE_LINES 20000 /* of the ledger */

static bool upgrade_fits(void)
{
  const uint16_t one = 1;
  return sizeof(void *) == 8 && *(const unsigned char *)&one == 1 && T_ON_LMDB;
}

static void upgrade_unpack(const char *format, char path[128])
{
  char command[256];
  store_folder(path);
  snprintf(command, sizeof command, "gzip -dc test/formats/%s.gz >'%s/data.mdb'", format, path);
  munit_assert_int(system(command), ==, 0);
}

static int upgrade_count(void *count, unsigned format)
{
  (void)format;
  return ++*(int *)count > 1;
}

/* Everything is there, and it can be changed. */
static void upgrade_look(const char *path)
{
  svc_config config = { .path = path };
  const char *group;
  t_service t;
  t_open(&t, &config);
  t_advance(&t, 60);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  munit_assert_int(t_send(&t, "GET", "/groups/byName/shop", NULL), ==, 200);
  group = t_keep(&t, t_str(&t, "id"));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/main", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"store\"}", "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/clusters/main", group), ==, 202); /* its line of the ledger ends */
  t_advance(&t, 3600);
  store_whole(t.s);
  t_close(&t);
}

TEST_EACH(upgrade, kept, format, "3", "4", "5")
{
  svc_upgrade_report report;
  svc_config config = { 0 };
  char path[128];
  int backups = 0;
  SKIP_IF(!upgrade_fits());
  upgrade_unpack(format, path);
  config.path = path;
  if (svc_upgrade_store(&config, upgrade_count, &backups, &report) != SVC_OK) munit_error(report.why);
  munit_assert_uint(report.from, ==, (unsigned)atoi(format));
  munit_assert_uint(report.to, ==, 5);
  munit_assert_int(backups, ==, report.from < 5);
  munit_assert_int(svc_upgrade_store(&config, upgrade_count, &backups, &report), ==, SVC_OK); /* there is nothing left to do */
  munit_assert_uint64(report.rows, ==, 0);
  upgrade_look(path);
  store_remove(path);
}

/* There is no step, and nothing is changed; nor where no backup could be made. */
TEST_EACH(upgrade, refused, format, "1", "2")
{
  svc_upgrade_report report;
  svc_config config = { 0 };
  char path[128];
  int backups = 0;
  svc *s;
  SKIP_IF(!upgrade_fits());
  upgrade_unpack(format, path);
  config.path = path;
  munit_assert_int(svc_upgrade_store(&config, upgrade_count, &backups, &report), ==, SVC_OLDER);
  munit_assert_not_null(strstr(report.why, "no upgrade from format"));
  munit_assert_int(backups, ==, 0);
  munit_assert_int(svc_open(&s, &config), ==, SVC_OLDER);
  store_remove(path);
  upgrade_unpack("4", path);
  config.path = path;
  backups = 1;
  munit_assert_int(svc_upgrade_store(&config, upgrade_count, &backups, &report), ==, SVC_IO);
  munit_assert_int(svc_open(&s, &config), ==, SVC_OLDER);
  store_remove(path);
}

/* Lines that have ended, of things that are gone, as format 4 wrote them. */
static int upgrade_fill(void *first, svc_txn *txn)
{
  static const char value[] = "clus\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0INSTANCE_AWS_M10";
  char key[50] = "b";
  int rc = SVC_OK;
  unsigned i;
  for (i = 0; i < UPGRADE_LINES && rc == SVC_OK; i++) {
    memset(key + 1, 1, 48);
    memcpy(key + 13, "\0\3\26\377", 4);
    key[29] = (char)(i >> 8), key[30] = (char)i;
    rc = txn->port->put(txn, (svc_str){ key, 50 }, (svc_str){ value, sizeof value - 1 });
  }
  (void)first;
  return rc;
}

/* How many lines there are in the old shape and in the new one. */
static void upgrade_lines(svc_rows *r, unsigned *old, unsigned *new)
{
  const svc_row *row;
  int rc = svc_rows_begin(r);
  *old = *new = 0;
  while ((row = svc_rows_next(r, &rc)) != NULL && row->key.p[0] == 'b') *(row->key.n == 50 ? old : new) += 1;
  svc_rows_end(r);
}

/* Killed after random times, it continues; until it is done no handle opens it. */
TEST(upgrade, killed)
{
  static svc_rows r;
  svc_upgrade_report report;
  svc_config config = { 0 };
  unsigned old, new, cut = 0, round;
  char path[128], why[256];
  int status;
  svc *s;
  SKIP_IF(!upgrade_fits());
  upgrade_unpack("4", path);
  config.path = path;
  memset(&r, 0, sizeof r);
  munit_assert_int(svc_rows_open(&r, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(svc_rows_commit(&r, upgrade_fill, NULL), ==, SVC_OK);
  svc_rows_close(&r);
  for (round = 0; round < 200; round++) {
    pid_t child = fork();
    munit_assert_int(child, >=, 0);
    if (child == 0) _exit(svc_upgrade_store(&config, NULL, NULL, &report) == SVC_OK ? 0 : 1);
    usleep((useconds_t)munit_rand_int_range(0, 4000 << (round / 16 < 6 ? round / 16 : 6))); /* longer on a slow machine */
    kill(child, SIGKILL);
    munit_assert_int(waitpid(child, &status, 0), ==, child);
    if (WIFEXITED(status)) break;
    munit_assert_int(svc_rows_open(&r, &config, why, sizeof why), ==, SVC_OK);
    upgrade_lines(&r, &old, &new);
    svc_rows_close(&r);
    munit_assert_uint(old + new, ==, UPGRADE_LINES + 1);
    if (old && new) cut++;
    if (old) munit_assert_int(svc_open(&s, &config), ==, SVC_OLDER);
  }
  munit_logf(MUNIT_LOG_INFO, "cut %u times between two batches", cut);
  munit_assert_uint(cut, >, 0);
  if (svc_upgrade_store(&config, NULL, NULL, &report) != SVC_OK) munit_error(report.why);
  munit_assert_int(svc_rows_open(&r, &config, why, sizeof why), ==, SVC_OK);
  upgrade_lines(&r, &old, &new);
  svc_rows_close(&r);
  munit_assert_uint(old, ==, 0);
  munit_assert_uint(new, ==, UPGRADE_LINES + 1);
  upgrade_look(path);
  store_remove(path);
}
