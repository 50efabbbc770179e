/*
** Database users. The driver stores them in FOLDER/control/users, and creates a role for a user on each server of
** the project that is in the user's scope.
**
** The rule: an invalid user affects neither other users nor the cluster. Its order fails, and the order and the log have the reason.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Reads a user of the project as last ordered, {"vendor":..., "user":...}; *json points to the user in it. The caller frees the text.
** Returns NULL if it is missing or damaged, or if out of memory. */
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
** Updates a user on one server, or removes it if the server's cluster is out of its scope. After a failure the user cannot log in, so
** nobody can use privileges that are no longer allowed.
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

/* Disables the login of all roles, except svc, that are not users of the project now; revokes their memberships and ends their sessions.
** Such roles come from a restored snapshot, or from users that were deleted while the cluster was paused. */
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

/* Notes that a user failed on a server, or clears the note. driver_try_again() retries noted users when another user is deleted;
** driver_settle() retries all users when a server is set up. */
void driver_note_failure(const driver_postgres *d, const char *group, const char *user, int failed)
{
  char folder[64], file[48];
  snprintf(folder, sizeof folder, "users/%.24s", group);
  snprintf(file, sizeof file, "%.24s.failed", user);
  if (failed) driver_write(d, folder, file, "1");
  else driver_unlink(d, folder, file);
}

/* Updates a user on every running server of the project, or removes it if json is NULL. A server that does not run, such as one that has
** just crashed, loses its mark "settled", and its next start updates its users with driver_settle(). A failure does not stop the
** loop; the result has the reason of the first one. */
static int driver_everywhere(driver_postgres *d, const char *group, const driver_account *a, const char *json, driver_result *r)
{
  char id[32], its_group[32], name[256], said[1024];
  DIR *folder = driver_list(d->control, ".");
  int status = 0, good;
  while (driver_next(folder, id)) {
    if (driver_read(d, id, "group", its_group, sizeof its_group) != 0 || strcmp(its_group, group) != 0) continue;
    driver_hold(d, id);
    good = 1;
    if (!driver_is_running(d, id)) driver_unlink(d, id, "settled");
    else if (json) good = driver_put_user(d, id, a, json, said, sizeof said) == 0;
    else good = driver_sql_about(d, id, driver_sql_drop, a->name, said, sizeof said) == 0;
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
** Creates or updates a database user. The control plane stores only a verifier, the same that PostgreSQL would compute from the password.
** The order fails if the name or a role is invalid; the user's old role is removed then, because it may have more
** privileges than allowed now.
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

/* Retries users that failed before: the deleted user may have caused the failure. */
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

/* Deletes a user: removes its role from every server of the project, and gives what it owns to svc_former. An invalid name is skipped,
** because it may be a role of the server; so are users of $external, which never had a role. */
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
  unlinkat(d->control, folder, AT_REMOVEDIR); /* succeeds if this was the last user */
  if (a.name && database && strcmp(database, "admin") == 0 && !driver_bad_user_name(a.name, control))
    status = driver_everywhere(d, o->group_id, &a, NULL, r);
  driver_try_again(d, o->group_id);
  free(database);
  driver_account_free(&a);
  return status;
}

/* Updates all users with custom roles, after a custom role was stored. */
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
