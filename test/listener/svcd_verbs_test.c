/*
** The verbs of svcd other than serve, as users see them: on a good store, a store in use, a damaged store, a missing store, and with
** wrong flags; and the configuration file.
**
** Skipped where build/svcd cannot run: in an emulator, or if no such program was built.
*/
#define _GNU_SOURCE /* pipe2 */
#include "listener/common.h"
#include "svcapi.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <lmdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct verbs_run {
  pid_t pid;
  int out, err;
  char *text, errors[8192]; /* output of svcd */
} verbs_run;

#define TEXT (16 << 20)

static void start(verbs_run *r, const char *const *args)
{
  memset(r, 0, sizeof *r);
  r->text = calloc(1, TEXT);
  munit_assert_not_null(r->text);
  r->pid = svcd_start(args, &r->out, &r->err, NULL);
}

/* Returns the status; -1: killed by a signal. */
static int finish(verbs_run *r, int with_signal)
{
  int status;
  if (with_signal) kill(r->pid, with_signal);
  if (!read_until(r->out, r->text, TEXT, NULL)) kill(r->pid, SIGKILL);
  read_until(r->err, r->errors, sizeof r->errors, NULL);
  status = svcd_status(r->pid);
  close(r->out);
  close(r->err);
  return status;
}

/* Runs svcd with these arguments, which end with NULL, and checks its output: "" for nothing on standard error. */
static void expect(int status, const char *out, const char *err, ...)
{
  const char *args[23];
  verbs_run r;
  va_list list;
  int n = 0, got;
  va_start(list, err);
  while ((args[n] = va_arg(list, const char *)) != NULL) n++;
  va_end(list);
  start(&r, args);
  got = finish(&r, 0);
  if (got != status || !strstr(r.text, out) || !strstr(r.errors, err) || (!*err && r.errors[0]))
    munit_errorf("svcd %s: status %d, wanted %d; said: %.2000s; and on standard error: %s; wanted \"%s\", \"%s\"", args[0], got, status, r.text,
                 r.errors, out, err);
  free(r.text);
}

/* Returns whether svcd wrote one line of its own, and nothing else. */
static bool one_line(const char *errors)
{
  const char *end = strchr(errors, '\n');
  return strncmp(errors, "svcd: ", 6) == 0 && end && end[1] == '\0';
}

/* Runs svcd with these arguments: status 1, and one line that says why. */
static void refused(const char *const *args)
{
  verbs_run r;
  int status;
  start(&r, args);
  status = finish(&r, 0);
  if (status != 1 || r.text[0] || !one_line(r.errors)) munit_errorf("svcd %s: status %d: %.2000s; %s", args[0], status, r.text, r.errors);
  free(r.text);
}

typedef struct verbs_place {
  char folder[64], store[128], copy[128], other[128], file[160], key[160];
} verbs_place;

static void place_open(verbs_place *p)
{
  strcpy(p->folder, "/tmp/svcd_verbs_XXXXXX");
  munit_assert_not_null(mkdtemp(p->folder));
  snprintf(p->store, sizeof p->store, "%s/store", p->folder);
  snprintf(p->copy, sizeof p->copy, "%s/copy", p->folder);
  snprintf(p->other, sizeof p->other, "%s/other", p->folder);
  snprintf(p->file, sizeof p->file, "%s/data.mdb", p->store);
  snprintf(p->key, sizeof p->key, "%s/secret.key", p->copy);
}

static void place_close(verbs_place *p)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
  munit_assert_int(system(command), ==, 0);
}

static void serve(verbs_run *r, const char *store)
{
  const char *args[] = { "serve", "--data", store, "--listen", "http://127.0.0.1:0", "--no-sync", NULL };
  start(r, args);
  if (!read_until(r->out, r->text, TEXT, "svcd ready on ")) munit_errorf("svcd is not ready: %s", r->text);
}

static void stop(verbs_run *r)
{
  munit_assert_int(finish(r, SIGTERM), ==, 0);
  free(r->text);
}

static bool there(const char *folder, const char *file)
{
  char name[256];
  snprintf(name, sizeof name, "%s/%s", folder, file);
  return access(name, F_OK) == 0;
}

TEST(svcd_verbs, good)
{
  verbs_place p;
  verbs_run r;
  SKIP_IF(!can_run());
  place_open(&p);
  serve(&r, p.store);
  stop(&r);
  expect(0, "is whole", "", "check", "--data", p.store, NULL);
  expect(0, "without the secret key", "", "backup", "--data", p.store, "--to", p.copy, NULL);
  munit_assert_true(there(p.copy, "data.mdb"));
  munit_assert_false(there(p.copy, "secret.key") || there(p.copy, "bootstrap.json") || there(p.copy, "lock.mdb") || there(p.copy, "svcapi.lock"));
  expect(1, "", "already holds a store", "backup", "--data", p.store, "--to", p.copy, NULL);
  expect(1, "", "already holds a store", "restore", "--from", p.copy, "--data", p.store, NULL);
  expect(1, "", "there is no secret.key", "restore", "--from", p.copy, "--data", p.other, "--with-key", NULL);
  munit_assert_false(there(p.other, "data.mdb") || there(p.other, "restore.new"));
  expect(0, "restored", "", "restore", "--from", p.copy, "--data", p.other, NULL);
  expect(0, "is whole", "", "check", "--data", p.other, NULL);
  munit_assert_false(there(p.other, "restore.new"));
  serve(&r, p.other); /* the restored store is not new: no first organization is created */
  munit_assert_not_null(strstr(r.text, "written when the store was created"));
  stop(&r);
  place_close(&p);
}

static void key_write(const char *path, char c)
{
  char bytes[32];
  FILE *f = fopen(path, "wb");
  memset(bytes, c, sizeof bytes);
  munit_assert_not_null(f);
  munit_assert_size(fwrite(bytes, 1, sizeof bytes, f), ==, sizeof bytes);
  munit_assert_int(fclose(f), ==, 0);
}

/* Seals a secret in the copy, with the key next to it. */
static void key_use(const verbs_place *p)
{
  static const svc_grant grants[] = { { "ORG_OWNER", NULL }, { "GROUP_OWNER", NULL } };
  static const svc_caller host = { "000000000000000000000000", "test", grants, 2, 0 };
  static const char body[] = "{\"type\":\"PAGER_DUTY\",\"serviceKey\":\"0123456789abcdef0123456789abcdef\"}";
  static const svc_header type = { "Content-Type", "application/json", 0, 0 };
  char target[128] = "/api/svc/v2/groups", key[32];
  svc_request request = { .method = "GET", .target = target, .caller = &host };
  svc_config config = { .path = p->copy, .secret_key = key };
  svc_response response;
  const char *id;
  svc *s;
  FILE *f = fopen(p->key, "rb");
  munit_assert_not_null(f);
  munit_assert_size(fread(key, 1, sizeof key, f), ==, sizeof key);
  fclose(f);
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  svc_handle_request(s, &request, &response);
  id = strstr(response.body, "\"id\":\"");
  munit_assert_not_null(id);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%.24s/integrations/PAGER_DUTY", id + 6);
  svc_response_free(&response);
  request.method = "POST";
  request.body = body;
  request.body_length = sizeof body - 1;
  request.headers = &type;
  request.header_count = 1;
  svc_handle_request(s, &request, &response);
  munit_assert_int(response.status, ==, 201);
  svc_response_free(&response);
  svc_close(s);
}

TEST(svcd_verbs, key)
{
  verbs_place p;
  verbs_run r;
  struct stat about;
  SKIP_IF(!can_run());
  place_open(&p);
  serve(&r, p.store);
  stop(&r);
  expect(0, "WITH THE SECRET KEY", "", "backup", "--data", p.store, "--to", p.copy, "--with-key", NULL);
  munit_assert_int(stat(p.key, &about), ==, 0);
  munit_assert_int(about.st_mode & 0777, ==, 0600);
  munit_assert_int((int)about.st_size, ==, 32);
  expect(0, "restored", "", "restore", "--from", p.copy, "--data", p.other, "--with-key", NULL);
  munit_assert_true(there(p.other, "secret.key"));
  serve(&r, p.other);
  stop(&r);
  key_use(&p); /* a secret is now sealed: check reports another key as wrong */
  munit_assert_int(truncate(p.key, 0), ==, 0);
  expect(2, "", "not a file of 32 bytes", "check", "--data", p.copy, NULL);
  key_write(p.key, 'x');
  expect(2, "", "the secret key is not this store's", "check", "--data", p.copy, NULL);
  expect(2, "", "the secret key is not this store's", "check", "--data", p.copy, "--secret-key", p.key, NULL);
  munit_assert_int(unlink(p.key), ==, 0);
  expect(0, "is whole", "", "check", "--data", p.copy, NULL);
  place_close(&p);
}

static void key_read(const char *folder, const char *file, char key[33])
{
  char name[256];
  FILE *f;
  snprintf(name, sizeof name, "%s/%s", folder, file);
  f = fopen(name, "rb");
  munit_assert_not_null(f);
  munit_assert_size(fread(key, 1, 33, f), ==, 32);
  fclose(f);
}

/* Deletes the old key, so that the key can be rotated again. */
static void key_forget(const verbs_place *p)
{
  char name[256];
  snprintf(name, sizeof name, "%s/secret.key.old", p->copy);
  munit_assert_int(unlink(name), ==, 0);
}

static void key_rename(const verbs_place *p, const char *from, const char *to)
{
  char old[256], new[256];
  snprintf(old, sizeof old, "%s/%s", p->copy, from);
  snprintf(new, sizeof new, "%s/%s", p->copy, to);
  munit_assert_int(rename(old, new), ==, 0);
}

static void key_await(const verbs_place *p)
{
  const struct timespec moment = { 0, 20000000 };
  int i;
  for (i = 0; i < 1000 && there(p->copy, "secret.key.next"); i++) nanosleep(&moment, NULL);
  munit_assert_false(there(p->copy, "secret.key.next"));
}

/* Rotates the key while svcd is stopped, while it serves, and while it is killed at any time. Secrets can always be opened with the
** current key. */
TEST(svcd_verbs, rotate_key)
{
  const char *args[] = { "rotate-key", "--data", NULL, NULL };
  char was[33], now[33];
  verbs_place p;
  verbs_run r, verb;
  int i;
  SKIP_IF(!can_run());
  place_open(&p);
  args[2] = p.copy;
  expect(1, "", "there is no store", "rotate-key", "--data", p.copy, NULL);
  serve(&r, p.store);
  stop(&r);
  expect(0, "WITH THE SECRET KEY", "", "backup", "--data", p.store, "--to", p.copy, "--with-key", NULL);
  key_use(&p);
  key_read(p.copy, "secret.key", was);
  expect(0, "", "every secret is sealed with the new", "rotate-key", "--data", p.copy, NULL);
  key_read(p.copy, "secret.key.old", now);
  munit_assert_memory_equal(32, was, now);
  key_read(p.copy, "secret.key", now);
  munit_assert_memory_not_equal(32, was, now);
  munit_assert_false(there(p.copy, "secret.key.next"));
  expect(0, "is whole", "", "check", "--data", p.copy, NULL);
  expect(1, "", "keep it elsewhere first", "rotate-key", "--data", p.copy, NULL);
  key_rename(&p, "secret.key", "secret.key.next"); /* killed when everything was sealed, before the file was renamed */
  key_rename(&p, "secret.key.old", "secret.key");
  serve(&r, p.copy);
  key_await(&p);
  key_forget(&p);
  expect(0, "svcd serves this store", "", "rotate-key", "--data", p.copy, NULL);
  stop(&r);
  expect(0, "is whole", "", "check", "--data", p.copy, NULL);
  for (i = 0; i < 6; i++) { /* killed at any time: the next run continues what was started */
    const struct timespec moment = { 0, i * 4000000 };
    key_forget(&p);
    serve(&r, p.copy);
    start(&verb, args);
    nanosleep(&moment, NULL);
    munit_assert_int(finish(&r, SIGKILL), ==, -1);
    free(r.text);
    munit_assert_int(finish(&verb, 0), >=, 0);
    free(verb.text);
    if (there(p.copy, "secret.key.next")) expect(0, "is whole", "", "check", "--data", p.copy, NULL);
    serve(&r, p.copy);
    key_await(&p);
    stop(&r);
    expect(0, "is whole", "", "check", "--data", p.copy, NULL);
    munit_assert_true(there(p.copy, "secret.key.old"));
  }
  place_close(&p);
}

/* While svcd serves, backup and env work, and the store stays in use. check, credentials and restore are refused. */
TEST(svcd_verbs, in_use)
{
  verbs_place p;
  verbs_run r;
  char more[160];
  SKIP_IF(!can_run());
  place_open(&p);
  serve(&r, p.store);
  snprintf(more, sizeof more, "%s/more.json", p.folder);
  expect(1, "", "in use", "check", "--data", p.store, NULL);
  expect(1, "", "in use", "credentials", "--data", p.store, "--bootstrap", more, NULL);
  expect(1, "", "is in use", "restore", "--from", p.store, "--data", p.other, NULL);
  expect(1, "", "already holds a store", "restore", "--from", p.store, "--data", p.store, NULL);
  expect(0, "checked", "", "backup", "--data", p.store, "--to", p.copy, NULL);
  expect(1, "", "already holds a store", "backup", "--data", p.store, "--to", p.copy, NULL);
  expect(1, "", "in use", "check", "--data", p.store, NULL); /* svcd still holds its lock after the backup */
  expect(0, "SVC_BASE_URL='http://127.0.0.1:", "", "env", "--data", p.store, NULL);
  stop(&r);
  expect(0, "is whole", "", "check", "--data", p.store, NULL);
  expect(0, "is whole", "", "check", "--data", p.copy, NULL);
  place_close(&p);
}

static void damage(const char *file, long at, size_t n, int byte)
{
  char bytes[4096];
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  munit_assert_int(fd, >=, 0);
  memset(bytes, byte, sizeof bytes);
  munit_assert_int((int)pwrite(fd, bytes, n, at), ==, (int)n);
  close(fd);
}

/* With damaged meta pages, or a file that is cut off, check, restore, backup and credentials end with status 1 and one line, and no new store
** is left. Another damaged page may be unused: then check calls the store whole, and restore accepts it. Otherwise both refuse it. */
TEST(svcd_verbs, damaged)
{
  static const struct {
    long at;
    size_t n;
    int byte;
    long cut;
  } ways[] = { { 0, 4096, 0xFF, 0 }, { 0, 0, 0, 5000 }, { 0, 0, 0, 1 }, { 8192, 4096, 0xFF, 0 }, { 8192, 4096, 0, 0 }, { 12288, 4096, 0x41, 0 } };
  verbs_place p;
  verbs_run r;
  char copied[160], command[640];
  size_t i;
  int status;
  bool whole;
  SKIP_IF(!can_run());
  place_open(&p);
  serve(&r, p.store);
  stop(&r);
  snprintf(copied, sizeof copied, "%s/data.mdb", p.copy);
  for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    snprintf(command, sizeof command, "rm -rf '%s' '%s' && cp -r '%s' '%s'", p.copy, p.other, p.store, p.copy);
    munit_assert_int(system(command), ==, 0);
    if (ways[i].n && ways[i].at == 0) damage(copied, 4096, ways[i].n, ways[i].byte); /* both meta pages */
    if (ways[i].n) damage(copied, ways[i].at, ways[i].n, ways[i].byte);
    if (ways[i].cut) munit_assert_int(truncate(copied, ways[i].cut), ==, 0);
    start(&r, (const char *[]){ "check", "--data", p.copy, NULL });
    status = finish(&r, 0);
    whole = strstr(r.text, "is whole") != NULL;
    munit_assert_int(status, ==, whole ? 0 : 1);
    munit_assert_true(whole ? !r.errors[0] : one_line(r.errors));
    free(r.text);
    expect(status, whole ? "restored" : "", whole ? "" : "svcd: ", "restore", "--from", p.copy, "--data", p.other, NULL);
    munit_assert_int(there(p.other, "data.mdb"), ==, whole);
    munit_assert_false(there(p.other, "restore.new"));
    if (i >= 3) continue;
    munit_assert_false(whole);
    refused((const char *[]){ "restore", "--from", p.copy, "--data", p.other, NULL });
    refused((const char *[]){ "backup", "--data", p.copy, "--to", p.other, NULL });
    refused((const char *[]){ "credentials", "--data", p.copy, "--bootstrap", copied, NULL });
    munit_assert_false(there(p.other, "data.mdb"));
  }
  place_close(&p);
}

/* Makes a fault in a readable store: removes the first record of its index of names. */
static void forget_name(const char *folder)
{
  MDB_val key = { 1, (void *)(uintptr_t)"u" }, value;
  MDB_cursor *cursor;
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  munit_assert_int(mdb_env_create(&env), ==, 0);
  munit_assert_int(mdb_env_open(env, folder, 0, 0600), ==, 0);
  munit_assert_int(mdb_txn_begin(env, NULL, 0, &txn), ==, 0);
  munit_assert_int(mdb_dbi_open(txn, NULL, 0, &dbi), ==, 0);
  munit_assert_int(mdb_cursor_open(txn, dbi, &cursor), ==, 0);
  munit_assert_int(mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE), ==, 0);
  munit_assert_int(*(const char *)key.mv_data, ==, 'u');
  munit_assert_int(mdb_cursor_del(cursor, 0), ==, 0);
  mdb_cursor_close(cursor);
  munit_assert_int(mdb_txn_commit(txn), ==, 0);
  mdb_env_close(env);
}

/* A damaged backup: restore lists each fault and refuses; with --force it lists each fault and restores. */
TEST(svcd_verbs, force)
{
  char third[128];
  verbs_place p;
  verbs_run r;
  SKIP_IF(!can_run());
  place_open(&p);
  snprintf(third, sizeof third, "%s/third", p.folder);
  serve(&r, p.store);
  stop(&r);
  expect(0, "restore a backup that has problems", "", "restore", "--help", NULL);
  expect(2, "", "not a flag of this verb", "check", "--data", p.store, "--force", NULL);
  expect(0, "checked", "", "backup", "--data", p.store, "--to", p.copy, NULL);
  forget_name(p.copy);
  expect(1, "its name is not in the index", "--force", "restore", "--from", p.copy, "--data", p.other, NULL);
  munit_assert_false(there(p.other, "data.mdb") || there(p.other, "restore.new"));
  expect(0, "its name is not in the index", "is damaged", "restore", "--from", p.copy, "--data", p.other, "--force", NULL);
  munit_assert_true(there(p.other, "data.mdb"));
  munit_assert_false(there(p.other, "restore.new"));
  expect(1, "its name is not in the index", "is damaged", "check", "--data", p.other, NULL);
  munit_assert_int(truncate(p.file, 5000), ==, 0); /* this backup cannot even be read */
  expect(1, "", "svcd: ", "restore", "--from", p.store, "--data", third, "--force", NULL);
  place_close(&p);
}

TEST(svcd_verbs, missing)
{
  verbs_place p;
  SKIP_IF(!can_run());
  place_open(&p);
  expect(1, "", "there is no store in", "check", "--data", p.store, NULL);
  expect(1, "", "there is no store in", "backup", "--data", p.store, "--to", p.copy, NULL);
  expect(1, "", "there is no store in", "restore", "--from", p.store, "--data", p.copy, NULL);
  expect(1, "", "there is no store in", "credentials", "--data", p.store, NULL);
  expect(1, "", "cannot read", "env", "--data", p.store, NULL);
  munit_assert_false(there(p.folder, "store") || there(p.folder, "copy"));
  expect(2, "", "--to DIR is missing", "backup", "--data", p.store, NULL);
  expect(2, "", "--from DIR is missing", "restore", "--data", p.store, NULL);
  expect(2, "", "--data DIR is missing", "check", NULL);
  expect(2, "", "--data DIR is missing", "env", NULL);
  expect(2, "", "sh or json", "env", "--data", p.store, "--format", "xml", NULL);
  expect(2, "", "not a flag of this verb", "check", "--data", p.store, "--listen", "http://127.0.0.1:0", NULL);
  expect(2, "", "no such flag", "openapi", "--what", NULL);
  expect(2, "", "no such verb", "what", NULL);
  expect(2, "", "no such verb", "help", "what", NULL);
  place_close(&p);
}

TEST(svcd_verbs, help)
{
  static const char *const verbs[] = { "serve", "credentials", "backup", "restore", "copy", "export", "import", "schema", "check", "rotate-key", "world",
                                       "openapi", "driver", "env", "replay", "health", "version" };
  verbs_run r;
  size_t i, k;
  SKIP_IF(!can_run());
  for (i = 0; i < 2 * sizeof verbs / sizeof verbs[0]; i++) {
    const char *verb = verbs[i / 2];
    char head[64];
    start(&r, i % 2 ? (const char *[]){ verb, "--help", NULL } : (const char *[]){ "help", verb, NULL });
    munit_assert_int(finish(&r, 0), ==, 0);
    for (k = 0; k < sizeof verbs / sizeof verbs[0]; k++) {
      snprintf(head, sizeof head, "\nsvcd %s: ", verbs[k]);
      munit_assert_int(strstr(r.text, head) != NULL, ==, verbs[k] == verb);
    }
    free(r.text);
  }
  for (i = 0; i < 2; i++) { /* no line is longer than 80 columns */
    char *line, *next;
    start(&r, i ? (const char *[]){ "help", "all", NULL } : (const char *[]){ "--help", NULL });
    munit_assert_int(finish(&r, 0), ==, 0);
    for (line = r.text; (next = strchr(line, '\n')) != NULL; line = next + 1)
      if (next - line > 80) munit_errorf("a line of %d columns: %.*s", (int)(next - line), (int)(next - line), line);
    munit_assert_int(strstr(r.text, "\n  --listen URL ") != NULL, ==, i == 1);
    for (k = 0, line = r.text; (line = strstr(line, "\nsvcd ")) != NULL; line++) k += line[6 + strcspn(line + 6, " :")] == ':';
    munit_assert_size(k, ==, sizeof verbs / sizeof verbs[0]); /* the list above has all verbs */
    free(r.text);
  }
  expect(0, "\nsvcd env: ", "", "--help", NULL);
  expect(0, "\nsvcd env: ", "", "help", NULL);
  expect(0, "svcd " SVC_VERSION, "", "version", NULL);
}

/* The output of env can be read by a shell, whatever characters it contains. */
TEST(svcd_verbs, env)
{
  verbs_place p;
  verbs_run r;
  char file[160], command[700];
  FILE *f;
  SKIP_IF(!can_run());
  place_open(&p);
  serve(&r, p.store);
  stop(&r);
  expect(0, "\nexport SVC_CLIENT_SECRET='", "", "env", "--data", p.store, NULL);
  expect(0, "{\"SVC_BASE_URL\":\"http://127.0.0.1:", "", "env", "--data", p.store, "--format", "json", NULL);
  expect(0, "SVC_BASE_URL='https://api.example.com'", "", "env", "--data", p.store, "--base-url", "https://api.example.com/", NULL);
  snprintf(file, sizeof file, "%s/odd.json", p.folder);
  f = fopen(file, "w");
  munit_assert_not_null(f);
  fputs("{\"baseUrl\":\"http://a'; touch /nowhere; $(exit 3) `x`\",\"orgId\":\"1\"}\n", f);
  fclose(f);
  snprintf(command, sizeof command,
           "eval \"$(%s env --bootstrap '%s')\" && test \"$SVC_BASE_URL\" = \"http://a'; touch /nowhere; \\$(exit 3) \\`x\\`\" && test $SVC_ORG_ID = 1", svcd_program(), file);
  munit_assert_int(system(command), ==, 0);
  expect(1, "", "is not a file of credentials", "env", "--bootstrap", p.file, NULL);
  expect(0, "/api/acme/v2\"", "", "openapi", "--vendor", "acme", NULL);
  expect(0, "{\"action\":\"cluster.create\",\"resource\":\"cluster\"", "", "driver", NULL);
  expect(2, "", "not a flag of this verb", "driver", "--dialect", "FILE", NULL);
  expect(2, "", "vendor", "openapi", "--vendor", "A B", NULL);
  f = fopen(file, "w");
  munit_assert_not_null(f);
  fputs("{\"vendor\":\"acme\",\"paths\":{\"providerCustomDNS\":\"dns\"}}\n", f);
  fclose(f);
  expect(0, "/groups/{groupId}/dns\"", "", "openapi", "--dialect", file, NULL);
  expect(0, "/api/acme/v2\"", "", "openapi", "--vendor", "acme", "--dialect", file, NULL);
  expect(2, "", "svcd: --dialect: the vendor of the dialect is acme, and svc_config has other", "openapi", "--vendor", "other", "--dialect", file, NULL);
  expect(2, "", "cannot read --dialect build/no-such-file: No such file", "openapi", "--dialect", "build/no-such-file", NULL);
  expect(2, "", "cannot read --dialect test: Is a directory", "openapi", "--dialect", "test", NULL);
  expect(2, "", "cannot read --dialect test/formats/5.gz: the file contains a NUL byte", "openapi", "--dialect", "test/formats/5.gz", NULL);
  expect(2, "", "svcd: --dialect is invalid JSON", "openapi", "--dialect", "build.sh", NULL);
  place_close(&p);
}

static const char *config_write(verbs_place *p, const char *text)
{
  static char name[160];
  FILE *f;
  snprintf(name, sizeof name, "%s/svcd.conf", p->folder);
  f = fopen(name, "w");
  munit_assert_not_null(f);
  fputs(text, f);
  fclose(f);
  return name;
}

TEST(svcd_verbs, config)
{
  verbs_place p;
  verbs_run r;
  char text[1024];
  const char *file;
  SKIP_IF(!can_run());
  place_open(&p);
  snprintf(text, sizeof text,
           "# a file for all verbs\n\n  data = %s\r\nlisten http://127.0.0.1:0 # one\nlisten=http://127.0.0.1:0\n"
           "no-sync\nconceal false\nvendor acme\nbase-url = http://a.example.com/\nbootstrap %s/b#1.json\nthreads 2", p.store, p.folder);
  file = config_write(&p, text);
  start(&r, (const char *[]){ "--config", file, NULL });
  munit_assert_true(read_until(r.out, r.text, TEXT, "svcd ready on http://127.0.0.1:"));
  munit_assert_not_null(strstr(strstr(r.text, "svcd ready on") + 20, " http://127.0.0.1:")); /* two URLs */
  munit_assert_not_null(strstr(r.text, "base URL:      http://a.example.com\n"));
  munit_assert_true(there(p.folder, "b#1.json"));
  stop(&r);
  expect(0, "is whole", "", "check", "--config", file, NULL); /* check ignores listen */
  expect(1, "", "there is no store in", "check", "--data", p.other, "--config", file, NULL);
  start(&r, (const char *[]){ "serve", "--config", file, "--listen", "http://127.0.0.1:0", NULL }); /* the flag replaces the whole list */
  munit_assert_true(read_until(r.out, r.text, TEXT, "svcd ready on http://127.0.0.1:") && read_until(r.out, r.text, TEXT, "\n"));
  munit_assert_null(strstr(strstr(r.text, "svcd ready on") + 20, " http://127.0.0.1:"));
  stop(&r);
  expect(2, "", "svcd.conf:2: what: no such flag", "check", "--config", config_write(&p, "data x\nwhat 1\n"), NULL);
  expect(2, "", "svcd.conf:2: lsten: no such flag; did you mean listen?", "check", "--config", config_write(&p, "data x\nlsten 1\n"), NULL);
  expect(2, "", "svcd.conf:1: base_url: no such flag; did you mean base-url?", "serve", "--config", config_write(&p, "base_url = x\n"), NULL);
  expect(2, "", "svcd.conf:1: no-sync must be true, false or empty", "serve", "--config", config_write(&p, "no-sync 1\n"), NULL);
  expect(2, "", "svcd.conf:3: data needs a value", "check", "--config", config_write(&p, "\n\ndata =\n"), NULL);
  expect(2, "", "svcd.conf:1: threads is invalid", "serve", "--config", config_write(&p, "threads 0\n"), NULL);
  expect(2, "", "svcd.conf:1: config: no such flag", "serve", "--config", config_write(&p, "config a\n"), NULL);
  expect(2, "", "cannot read --config", "serve", "--config", p.other, NULL);
  expect(2, "", "cannot read --config", "serve", "--config", p.folder, NULL);
  place_close(&p);
}

/* test/check/copy.sh copies between folders and databases. Here: a build without a database reports that, and folders can be copied. */
TEST(svcd_verbs, copy)
{
  const char *const uri = "postgres://svc@127.0.0.1:1/none";
  verbs_place p;
  verbs_run r;
  SKIP_IF(!can_run());
  place_open(&p);
  serve(&r, p.store);
  stop(&r);
  expect(2, "", "--from DIR is missing", "copy", "--to", p.copy, NULL);
  expect(2, "", "--to DIR is missing", "copy", "--from", p.store, NULL);
  expect(2, "", "not a flag of this verb", "copy", "--data", p.store, NULL);
  expect(2, "", "--with-key needs a folder: the key is not copied into a database", "backup", "--data", p.store, "--to", uri, "--with-key", NULL);
  expect(2, "", "--with-key needs --data DIR or --secret-key FILE", "backup", "--store", uri, "--to", p.copy, "--with-key", NULL);
  expect(2, "", "password on the command line", "copy", "--from", p.store, "--to", "postgres://a:b@127.0.0.1:1/x", NULL);
  if (getenv("SVC_TEST_POSTGRES")) { /* built with PostgreSQL */
    expect(1, "", "no copy was made: cannot open the store", "copy", "--from", p.store, "--to", uri, NULL);
    expect(1, "", "there is no store in", "copy", "--from", p.copy, "--to", p.other, NULL);
    expect(0, "copied, read again and checked", "", "copy", "--from", p.store, "--to", p.copy, NULL);
    expect(0, "both hold the same", "", "copy", "--from", p.store, "--to", p.copy, "--verify-only", NULL);
    expect(1, "", "already holds a store", "copy", "--from", p.store, "--to", p.copy, NULL);
  } else {
    expect(2, "", "built without PostgreSQL", "copy", "--from", p.store, "--to", uri, NULL);
    expect(2, "", "built without PostgreSQL", "backup", "--data", p.store, "--to", uri, NULL);
    expect(2, "", "built without PostgreSQL", "restore", "--from", p.store, "--store", uri, NULL);
    expect(2, "", "use svcd backup", "copy", "--from", p.store, "--to", p.copy, NULL);
  }
  place_close(&p);
}

/* A server whose backlog is full accepts nothing: the health check gives up at its deadline, instead of waiting for the kernel to do so. */
TEST(svcd_verbs, health_deadline)
{
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t n = sizeof at;
  int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), clients[8], i;
  char url[64];
  SKIP_IF(!can_run());
  munit_assert_int(bind(server, (struct sockaddr *)&at, sizeof at), ==, 0);
  munit_assert_int(listen(server, 0), ==, 0);
  munit_assert_int(getsockname(server, (struct sockaddr *)&at, &n), ==, 0);
  for (i = 0; i < 8; i++) { /* the first ones fill the backlog; the others are never answered */
    clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)!connect(clients[i], (struct sockaddr *)&at, sizeof at);
  }
  snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(at.sin_port));
  expect(1, "", "cannot be reached in time", "health", url, NULL);
  for (i = 0; i < 8; i++) close(clients[i]);
  close(server);
}
