/*
** Upgrades of stores in older formats (ports/transfer/upgrade.c): the stores kept here, and larger ones. The upgrade of a large
** store is killed at random times and continues.
*/
#define _GNU_SOURCE /* memmem */
#include "support.h"
#include "ports/transfer/rows.h"
#include "ports/transfer/upgrade.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define UPGRADE_LINES 20000 /* lines of the ledger */
#define UPGRADE_KEYS 4000   /* keys with roles on projects, in format 3 */

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

/* Everything is there, and can be changed. */
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

TEST_EACH(upgrade, kept, format, "3", "3-roles", "4", "5")
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
  munit_assert_int(svc_upgrade_store(&config, upgrade_count, &backups, &report), ==, SVC_OK); /* nothing left to upgrade */
  munit_assert_uint64(report.rows, ==, 0);
  upgrade_look(path);
  store_remove(path);
}

/* Formats without an upgrade step are refused and left unchanged; so is a store that cannot be backed up. */
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

/* A key keeps exactly its roles on each project. An account whose only role is on a project still exists. */
TEST(upgrade, roles)
{
  svc_upgrade_report report;
  svc_config config = { 0 };
  char path[128], org[32], group[32], key[32];
  t_service t;
  SKIP_IF(!upgrade_fits());
  upgrade_unpack("3-roles", path);
  config.path = path;
  if (svc_upgrade_store(&config, NULL, NULL, &report) != SVC_OK) munit_error(report.why);
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/groups/byName/shop", NULL), ==, 200);
  snprintf(group, sizeof group, "%s", t_str(&t, "id"));
  snprintf(org, sizeof org, "%s", t_str(&t, "orgId"));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/apiKeys", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].desc"), "several");
  snprintf(key, sizeof key, "%s", t_str(&t, "results[0].id"));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/apiKeys/%s", org, key), ==, 200);
  munit_assert_string_equal(t_str(&t, "roles[0].roleName"), "ORG_READ_ONLY");
  munit_assert_string_equal(t_str(&t, "roles[1].roleName"), "GROUP_OWNER");
  munit_assert_string_equal(t_str(&t, "roles[1].groupId"), group);
  munit_assert_string_equal(t_str(&t, "roles[2].roleName"), "GROUP_READ_ONLY");
  munit_assert_string_equal(t_str(&t, "roles[2].groupId"), group);
  munit_assert_string_equal(t_str(&t, "roles[3].roleName"), "GROUP_READ_ONLY");
  munit_assert_size(t_count(&t, "roles"), ==, 4); /* a role on a deleted project is not shown */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/serviceAccounts", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].roles[0]"), "GROUP_READ_ONLY");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}", "/groups/%s/apiKeys/%s", group, key), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s/apiKeys/%s", org, key), ==, 204);
  store_whole(t.s);
  t_close(&t);
  store_remove(path);
}

/* ---------------------------------------------------------------------------------------------------------------- killed */

/* Writes ended lines of deleted resources, as formats before 5 did. */
static int upgrade_fill_lines(svc_txn *txn)
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
  return rc;
}

static void upgrade_replace(char *p, size_t n, const char *old, const char *new)
{
  char *at;
  while ((at = memmem(p, n, old, strlen(old))) != NULL) memcpy(at, new, strlen(new));
}

/* Writes another key like the one in `row`: its record, its name, its part of the count. */
static int upgrade_fill_key(svc_txn *txn, const svc_row *row, unsigned number)
{
  char key[29], name[64] = "uakey", count[17] = "cakey", *value = malloc(row->value.n), id[25], old_id[25], public_key[9], holder[16] = "akey";
  int rc, i;
  munit_assert_not_null(value);
  memcpy(key, row->key.p, sizeof key);
  for (i = 0; i < 12; i++) snprintf(old_id + 2 * i, 3, "%02x", (unsigned char)key[17 + i]);
  key[27] = (char)(number >> 8), key[28] = (char)number, key[26] ^= 0x40;
  for (i = 0; i < 12; i++) snprintf(id + 2 * i, 3, "%02x", (unsigned char)key[17 + i]);
  for (i = 7; i >= 0; i--, number /= 26) public_key[i] = (char)('a' + number % 26);
  public_key[8] = '\0';
  memcpy(value, row->value.p, row->value.n);
  upgrade_replace(value, row->value.n, old_id, id);
  upgrade_replace(value, row->value.n, "pbirrduo", public_key);
  memcpy(name + 5, public_key, 9);
  memcpy(name + 14, key + 5, 12);
  memcpy(holder + 4, key + 17, 12);
  memcpy(count + 5, key + 5, 12);
  rc = txn->port->put(txn, (svc_str){ key, sizeof key }, (svc_str){ value, row->value.n });
  if (rc == SVC_OK) rc = txn->port->put(txn, (svc_str){ name, 26 }, (svc_str){ holder, 16 });
  if (rc == SVC_OK) rc = txn->port->count_add(txn, (svc_str){ count, sizeof count }, 1);
  free(value);
  return rc;
}

static bool upgrade_is_key(const svc_row *row)
{
  return row->key.n == 29 && memcmp(row->key.p, "eakey", 5) == 0;
}

static int upgrade_fill(void *format, svc_txn *txn)
{
  const svc_range keys = { { "eakey", 5 }, { "eakez", 5 }, false, 0 };
  svc_row rows[8];
  size_t n, i;
  unsigned number;
  int rc = upgrade_fill_lines(txn);
  if (rc == SVC_OK) rc = txn->port->scan(txn, &keys, rows, 8, &n);
  for (i = 0; rc == SVC_OK && *(const char *)format == '3' && i < n; i++)
    for (number = 0; memmem(rows[i].value.p, rows[i].value.n, "pbirrduo", 8) && rc == SVC_OK && number < UPGRADE_KEYS; number++)
      rc = upgrade_fill_key(txn, &rows[i], number);
  return rc;
}

typedef struct upgrade_found {
  unsigned old_keys, new_keys, old_lines, new_lines, holdings;
} upgrade_found;

/* Counts the rows in the old and in the new form. */
static void upgrade_look_at(const svc_config *config, upgrade_found *f)
{
  static svc_rows r;
  const svc_row *row;
  char why[256];
  int rc;
  memset(&r, 0, sizeof r);
  memset(f, 0, sizeof *f);
  munit_assert_int(svc_rows_open(&r, config, why, sizeof why), ==, SVC_OK);
  rc = svc_rows_begin(&r);
  while ((row = svc_rows_next(&r, &rc)) != NULL) {
    if (row->key.p[0] == 'b') *(row->key.n == 50 ? &f->old_lines : &f->new_lines) += 1;
    if (upgrade_is_key(row)) *(memmem(row->value.p, row->value.n, "GROUP_OWNER ", 12) ? &f->old_keys : &f->new_keys) += 1;
    f->holdings += row->key.p[0] == 'h';
  }
  munit_assert_int(rc, ==, SVC_OK);
  svc_rows_close(&r);
}

/* Kills the upgrade after a random time. Returns false if it had ended before. */
static bool upgrade_kill(const svc_config *config, unsigned round)
{
  svc_upgrade_report report;
  pid_t child = fork();
  int status;
  munit_assert_int(child, >=, 0);
  if (child == 0) _exit(svc_upgrade_store(config, NULL, NULL, &report) == SVC_OK ? 0 : 1);
  usleep((useconds_t)munit_rand_int_range(0, 2000 << (round / 32 < 7 ? round / 32 : 7))); /* longer on a slow machine */
  kill(child, SIGKILL);
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  if (WIFEXITED(status)) munit_assert_int(WEXITSTATUS(status), ==, 0);
  return WIFSIGNALED(status);
}

/* An upgrade that is killed at random times continues. No handle opens the store until the upgrade has ended. Every step is
   interrupted between two batches. */
TEST_EACH(upgrade, killed, format, "3-roles", "4")
{
  static svc_rows r;
  svc_upgrade_report report;
  upgrade_found first, f;
  svc_config config = { 0 };
  unsigned cut_keys = 0, cut_lines = 0, round;
  char path[128], why[256];
  svc *s;
  SKIP_IF(!upgrade_fits());
  upgrade_unpack(format, path);
  config.path = path;
  memset(&r, 0, sizeof r);
  munit_assert_int(svc_rows_open(&r, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(svc_rows_commit(&r, upgrade_fill, (void *)(uintptr_t)format), ==, SVC_OK);
  svc_rows_close(&r);
  upgrade_look_at(&config, &first);
  munit_assert_uint(first.old_lines, ==, UPGRADE_LINES + 1);
  munit_assert_uint(first.old_keys, ==, *format == '3' ? UPGRADE_KEYS + 1 : 0);
  for (round = 0; round < 400 && upgrade_kill(&config, round); round++) {
    upgrade_look_at(&config, &f);
    munit_assert_uint(f.old_lines + f.new_lines, ==, UPGRADE_LINES + 1);
    munit_assert_uint(f.old_keys + f.new_keys, ==, first.old_keys + first.new_keys);
    munit_assert_uint(f.holdings, >=, 2 * (first.old_keys - f.old_keys)); /* each key has roles on two projects, and one batch writes
                                                                             all of them */
    cut_keys += f.old_keys && f.old_keys < first.old_keys;
    cut_lines += f.old_lines && f.new_lines;
    if (f.old_lines || f.old_keys) munit_assert_int(svc_open(&s, &config), ==, SVC_OLDER);
  }
  munit_logf(MUNIT_LOG_INFO, "cut %u times between keys, %u times between lines", cut_keys, cut_lines);
  munit_assert_uint(cut_lines, >, 0);
  if (*format == '3') munit_assert_uint(cut_keys, >, 0);
  if (svc_upgrade_store(&config, NULL, NULL, &report) != SVC_OK) munit_error(report.why);
  upgrade_look_at(&config, &f);
  munit_assert_uint(f.old_lines + f.old_keys, ==, 0);
  munit_assert_uint(f.new_lines, ==, UPGRADE_LINES + 1);
  munit_assert_uint(f.holdings, ==, *format == '3' ? 2 * (UPGRADE_KEYS + 1) + 1 : 0);
  upgrade_look(path);
  store_remove(path);
}
