/*
** Database users on the servers of their project: kept in FOLDER/control/users, and put on each server that is in their scope.
**
** The rule: a user that is invalid on a server fails alone. Its order and the log have the reason, and the cluster is not affected.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A user of the project as last ordered, {"vendor":..., "user":...}, to be freed by the caller. NULL: missing. */
static char *driver_user_file(const driver_postgres *d, const char *group, const char *id, char vendor[32], char **json)
{
  char path[128], *text = malloc(DRIVER_FILE);
  struct json_token user = { NULL, 0, JSON_TYPE_INVALID }, word = user;
  snprintf(path, sizeof path, "users/%.24s/%.24s", group, id);
  *json = NULL;
  if (text && driver_read_at(d->control, path, text, DRIVER_FILE) > 0 &&
      json_scanf(text, (int)strlen(text), "{vendor:%T,user:%T}", &word, &user) == 2 && user.type == JSON_TYPE_OBJECT_END) {
    snprintf(vendor, 32, "%.*s", word.len, word.ptr);
    text[user.ptr - text + user.len] = 0;
    *json = text + (user.ptr - text);
  }
  if (*json) return text;
  free(text);
  return NULL;
}

/*
** Updates a user on one server, or removes it if the server's cluster is out of its scope. A failure leaves a user who cannot log in, rather
** than one with the old privileges.
*/
int driver_put_user(driver_postgres *d, const char *id, const driver_account *a, const char *json, char *said, size_t size)
{
  char cluster[256], ignored[256], *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  if (driver_read(d, id, "name", cluster, sizeof cluster) == 0 && driver_in_scope(json, cluster)) {
    driver_account_sql(sql, a);
  } else {
    driver_print(sql, driver_sql_guard, a->name);
    driver_print(sql, driver_sql_drop, a->name);
  }
  if (fclose(sql) == 0) status = driver_sql(d, id, script, said, size);
  if (script) explicit_bzero(script, n);
  free(script);
  if (status == 0) return 0;
  driver_words(d, said);
  driver_sql_about(d, id, driver_sql_no_login, a->name, ignored, sizeof ignored);
  return status;
}

void driver_users_begin(const driver_postgres *d, const char *group, driver_users *u)
{
  char path[64];
  memset(u, 0, sizeof *u);
  snprintf(path, sizeof path, "users/%.24s", group);
  u->folder = driver_list(d->control, path);
}

int driver_users_next(const driver_postgres *d, const char *group, driver_users *u)
{
  char vendor[32], why[256];
  do {
    driver_account_free(&u->account);
    free(u->text);
    u->text = NULL;
    if (!driver_next(u->folder, u->id)) return 0;
    u->text = driver_user_file(d, group, u->id, vendor, &u->json);
  } while (!u->text || driver_account_read(&u->account, &(driver_place){ d, group, vendor }, u->json, why, sizeof why) != 0);
  return 1;
}

void driver_users_end(driver_users *u)
{
  driver_account_free(&u->account);
  free(u->text);
  if (u->folder) closedir(u->folder);
}

/* Whoever can log in without being a user of the project now: a snapshot brings the roles of its day along, and a cluster that
** was paused has not heard of those that were deleted. */
int driver_lock_out_others(driver_postgres *d, const char *group, const char *id, char *said, size_t size)
{
  char *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  driver_users u;
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  fputs("select format('alter role %I nologin', rolname) from pg_roles where rolcanlogin and not rolsuper and rolname not in ('svc'", sql);
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u)) driver_print(sql, ", {'name'}", u.account.name);
  driver_users_end(&u);
  fputs(") \\gexec\n"
        "select format('revoke %I from %I', g.rolname, u.rolname) from pg_auth_members m join pg_roles g on g.oid = m.roleid"
        " join pg_roles u on u.oid = m.member where u.oid >= 16384 and not u.rolcanlogin and u.rolname !~ '^svc_' \\gexec\n"
        "select pg_terminate_backend(pid) from pg_stat_activity a join pg_roles r on r.oid = a.usesysid where not r.rolcanlogin \\g /dev/null\n", sql);
  if (fclose(sql) == 0) status = driver_sql(d, id, script, said, size);
  free(script);
  return status;
}

/* A user whose order failed, or who failed on a server that came later, is tried again when a server is made and when another
** user goes. */
void driver_note_failure(const driver_postgres *d, const char *group, const char *user, int failed)
{
  char folder[64], file[48];
  snprintf(folder, sizeof folder, "users/%.24s", group);
  snprintf(file, sizeof file, "%.24s.failed", user);
  if (failed) driver_write(d, folder, file, "1");
  else driver_unlink(d, folder, file);
}

/* On every server of the project that runs; the others hear of it when they are started. Each is tried; the first failure is told. */
static int driver_everywhere(driver_postgres *d, const char *group, const driver_account *a, const char *json, driver_result *r)
{
  char id[32], its_group[32], name[256], said[1024];
  DIR *folder = driver_list(d->control, ".");
  int status = 0, good;
  while (driver_next(folder, id)) {
    if (driver_read(d, id, "group", its_group, sizeof its_group) != 0 || strcmp(its_group, group) != 0) continue;
    driver_hold(d, id);
    good = !driver_is_running(d, id) || (json ? driver_put_user(d, id, a, json, said, sizeof said) == 0
                                              : driver_sql_about(d, id, driver_sql_drop, a->name, said, sizeof said) == 0);
    driver_release(d, id);
    if (good) continue;
    driver_words(d, said);
    if (driver_read(d, id, "name", name, sizeof name) != 0) name[0] = 0;
    if (status == 0) driver_fail(r, "on the cluster %s: %.700s", name, said);
    driver_say(d, SVC_LOG_ERROR, "postgres.user_failed", "postgres: database user %s on the cluster %s: %s", a->name, name, said);
    status = -1;
  }
  if (folder) closedir(folder);
  return status;
}

/*
** A database user: its role is made of the verifier that the control plane keeps, which is what PostgreSQL itself would make
** of the password. A user that a server cannot have, by its name or its roles, fails here; its old role is removed, because that
** may have more privileges than allowed now.
*/
int driver_user(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char folder[64], *text = NULL;
  driver_account a;
  int status = driver_account_read(&a, &(driver_place){ d, o->group_id, svc_vendor(o->s) }, o->desired, r->why, sizeof r->why);
  snprintf(folder, sizeof folder, "users/%.24s", o->group_id);
  if (status != 0) {
    driver_result ignored = { .code = SVC_OK };
    if (driver_knows(d, folder, o->resource_id)) driver_everywhere(d, o->group_id, &a, NULL, &ignored);
    driver_unlink(d, folder, o->resource_id);
    driver_note_failure(d, o->group_id, o->resource_id, 0);
  } else if (asprintf(&text, "{\"vendor\":\"%s\",\"user\":%s}", svc_vendor(o->s), o->desired) < 0) {
    text = NULL;
    status = driver_fail(r, "%s", DRIVER_NO_MEMORY);
  } else if (driver_control_folder(d, "users") != 0 || driver_write(d, folder, o->resource_id, text) != 0) {
    status = driver_fail(r, "the user cannot be written down: %s", strerror(errno));
  } else {
    status = driver_everywhere(d, o->group_id, &a, o->desired, r);
    driver_note_failure(d, o->group_id, o->resource_id, status != 0);
  }
  free(text);
  driver_account_free(&a);
  return status;
}

/* Users that failed before: perhaps what was in their way is gone. */
static void driver_try_again(driver_postgres *d, const char *group)
{
  char folder[64], file[48];
  driver_users u;
  snprintf(folder, sizeof folder, "users/%.24s", group);
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u)) {
    driver_result r = { .code = SVC_OK };
    snprintf(file, sizeof file, "%.24s.failed", u.id);
    if (driver_knows(d, folder, file) && driver_everywhere(d, group, &u.account, u.json, &r) == 0) driver_note_failure(d, group, u.id, 0);
  }
  driver_users_end(&u);
}

/* Its role goes from every server of the project; what it owns there stays, with svc_former. A name that no user can have is
** somebody else's role, or none; and users of $external never had one. */
int driver_forget_user(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char folder[64];
  int n = (int)strlen(o->desired), control = 0, status = 0;
  char *database = driver_string(o->desired, n, "{databaseName:%T}", &control);
  driver_account a;
  memset(&a, 0, sizeof a);
  control = 0;
  a.name = driver_string(o->desired, n, "{username:%T}", &control);
  snprintf(folder, sizeof folder, "users/%.24s", o->group_id);
  driver_unlink(d, folder, o->resource_id);
  driver_note_failure(d, o->group_id, o->resource_id, 0);
  unlinkat(d->control, folder, AT_REMOVEDIR); /* with the last one */
  if (a.name && database && strcmp(database, "admin") == 0 && !driver_bad_user_name(a.name, control))
    status = driver_everywhere(d, o->group_id, &a, NULL, r);
  driver_try_again(d, o->group_id);
  free(database);
  driver_account_free(&a);
  return status;
}

/* A custom role is another now: the users who have some get what they are now. */
void driver_put_customs_again(driver_postgres *d, const char *group)
{
  driver_users u;
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u)) {
    driver_result r = { .code = SVC_OK };
    if (u.account.custom) driver_note_failure(d, group, u.id, driver_everywhere(d, group, &u.account, u.json, &r) != 0);
  }
  driver_users_end(&u);
}
