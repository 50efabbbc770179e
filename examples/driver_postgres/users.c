/*
** Database users. The driver stores them in FOLDER/control/users, and creates a role for a user on
** each server of the project that is in the user's scope.
**
** The rules: an invalid user affects neither other users nor the cluster. Its order fails, and the
** order and the log have the reason. A user whose roles or scope could not be changed cannot log
** in, so nobody can use privileges that are no longer allowed. What failed on a server is repeated
** until it succeeds (mend.c).
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

/* Shuts the roles out that the script names, and says so if that fails: they can still log in. */
static int user_shut_out(driver_postgres *d, const char *id, const char *who, const char *targets,
                         char *said, size_t size)
{
  char *script = NULL, cluster[256];
  int status;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (asprintf(&script, "%s%s", targets, driver_sql_out) < 0) return -1;
  status = driver_sql(d, DRIVER_STEP, id, script, said, size);
  free(script);
  if (status == 0) return 0;
  driver_words(d, said);
  if (driver_read(d, id, "name", cluster, sizeof cluster) != 0) cluster[0] = 0;
  if (!driver_stopping(d))
    driver_say(d, SVC_LOG_ERROR, "postgres.not_revoked",
               "postgres: %s can still log in to the cluster %s, against the order; the driver "
               "tries again: %s", who, cluster, said);
  return status;
}

static int user_shut_out_one(driver_postgres *d, const char *id, const char *name, char *said,
                             size_t size)
{
  char *targets = NULL, who[128];
  size_t n = 0;
  FILE *sql = open_memstream(&targets, &n);
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  snprintf(who, sizeof who, "database user %s", name);
  driver_print(sql, driver_sql_one, name);
  if (fclose(sql) == 0) status = user_shut_out(d, id, who, targets, said, size);
  free(targets);
  return status;
}

/* Removes a user from one server. The user is out first; what the user owns may wait for the locks
** of others. */
static int user_drop(driver_postgres *d, const char *id, const char *name, char *said, size_t size)
{
  int status = user_shut_out_one(d, id, name, said, size);
  if (status != 0) return status;
  return driver_sql_about(d, DRIVER_LONG, id, driver_sql_drop, name, said, size);
}

static int user_put(driver_postgres *d, const char *id, const driver_account *a, char *said,
                    size_t size)
{
  char *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  driver_account_sql(sql, a);
  if (fclose(sql) == 0) status = driver_sql(d, DRIVER_LONG, id, script, said, size);
  if (script) explicit_bzero(script, n);
  free(script);
  return status;
}

/*
** Updates a user on one server, or removes it if the server's cluster is out of its scope. A user
** that fails is shut out. If the user's own session held the lock that failed it, the session has
** ended then, and a second try succeeds.
*/
int driver_put_user(driver_postgres *d, const char *id, const driver_account *a, const char *json,
                    char *said, size_t size)
{
  char cluster[256], why[512];
  int status, out;
  if (driver_read(d, id, "name", cluster, sizeof cluster) != 0 || !driver_in_scope(json, cluster)) {
    status = driver_sql_about(d, DRIVER_STEP, id, driver_sql_guard, a->name, said, size);
    return status == 0 ? user_drop(d, id, a->name, said, size) : status;
  }
  status = user_put(d, id, a, said, size);
  if (status == 0) return 0;
  driver_words(d, said);
  out = user_shut_out_one(d, id, a->name, why, sizeof why);
  if (out == 0 && status == DRIVER_LOCKED) status = user_put(d, id, a, said, size);
  if (out != 0)
    snprintf(said + strlen(said), size - strlen(said), "; the user can still log in: %.300s", why);
  return status;
}

void driver_users_begin(const driver_postgres *d, const char *group, driver_users *u)
{
  char path[64];
  memset(u, 0, sizeof *u);
  snprintf(path, sizeof path, "users/%.24s", group);
  u->folder = driver_list(d->control, path);
}

/* Reads one user of the project into the iterator. Returns 0 if it is missing, or invalid on a
** server. */
static int users_read(const driver_postgres *d, const char *group, const char *id, driver_users *u)
{
  char vendor[32], why[256];
  driver_account_free(&u->account);
  free(u->text);
  u->text = driver_user_file(d, group, id, vendor, &u->json);
  return u->text && driver_account_read(&u->account, &(driver_place){ d, group, vendor }, u->json,
                                        why, sizeof why) == 0;
}

int driver_users_next(const driver_postgres *d, const char *group, driver_users *u)
{
  do {
    if (!driver_next(u->folder, u->id)) return 0;
  } while (!users_read(d, group, u->id, u));
  return 1;
}

void driver_users_end(driver_users *u)
{
  driver_account_free(&u->account);
  free(u->text);
  if (u->folder) closedir(u->folder);
}

/* Shuts all roles out, except svc, that are not users of the project now, and revokes their
** memberships. Such roles come from a restored snapshot, or from users that were deleted while the
** cluster was paused. */
int driver_lock_out_others(driver_postgres *d, const char *group, const char *id, char *said, size_t size)
{
  static const char revoke[] =
    "select format('revoke %I from %I', g.rolname, u.rolname) from pg_auth_members m"
    " join pg_roles g on g.oid = m.roleid join pg_roles u on u.oid = m.member"
    " where u.oid >= 16384 and not u.rolcanlogin and u.rolname !~ '^svc_' \\gexec\n";
  char *targets = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&targets, &n);
  driver_users u;
  int status = -1;
  snprintf(said, size, "%s", DRIVER_NO_MEMORY);
  if (!sql) return -1;
  fputs("select set_config('svc.roles', coalesce(string_agg(oid::text, ','), ''), false)"
        " from pg_roles where rolcanlogin and not rolsuper and oid >= 16384"
        " and rolname not in ('svc'", sql);
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u)) driver_print(sql, ", {'name'}", u.account.name);
  driver_users_end(&u);
  fputs(") \\g /dev/null\n", sql);
  if (fclose(sql) == 0)
    status = user_shut_out(d, id, "a role without a database user", targets, said, size);
  free(targets);
  return status == 0 ? driver_sql(d, DRIVER_STEP, id, revoke, said, size) : status;
}

/* ----------------------------------------------------------------------------------------- servers */

/* Brings a role of one server into the state that the project's files describe: the user is
** updated, or removed if there is no valid user of this name. */
static int user_reconcile(driver_postgres *d, const char *group, const char *id, const char *user,
                          const char *name, char *said, size_t size)
{
  driver_users u;
  int status, found;
  memset(&u, 0, sizeof u);
  found = users_read(d, group, user, &u);
  if (!found) { /* deleted; a later user may have the name */
    driver_users_end(&u);
    driver_users_begin(d, group, &u);
    while (!found && driver_users_next(d, group, &u)) found = strcmp(u.account.name, name) == 0;
  }
  if (found) status = driver_put_user(d, id, &u.account, u.json, said, size);
  else status = user_drop(d, id, name, said, size);
  driver_users_end(&u);
  return status;
}

/* Updates or removes a user on one running server, which the caller holds. After a failure the work
** is noted, and repeated later. */
int driver_user_on(driver_postgres *d, const char *group, const char *id, const char *user,
                   const char *name, char *said, size_t size)
{
  char cluster[256];
  int status = user_reconcile(d, group, id, user, name, said, size);
  if (status == 0) driver_mended(d, id, name);
  if (status == 0 || driver_stopping(d)) return status;
  driver_words(d, said);
  if (driver_read(d, id, "name", cluster, sizeof cluster) != 0) cluster[0] = 0;
  driver_say(d, SVC_LOG_ERROR, "postgres.user_failed",
             "postgres: database user %s on the cluster %s: %s", name, cluster, said);
  driver_mend_later(d, id, user, name);
  return status;
}

/* A server that does not run, such as one that has just crashed, loses its mark "settled": its next
** start updates all users. */
static int user_awaits_start(driver_postgres *d, const char *id)
{
  if (driver_is_running(d, id)) return 0;
  if (driver_stopping(d)) return 1;
  driver_unlink(d, id, "settled");
  driver_mend_begin(d, id);
  return 1;
}

static void user_failed_on(driver_postgres *d, const char *id, const char *said, driver_result *r)
{
  char cluster[256];
  if (driver_read(d, id, "name", cluster, sizeof cluster) != 0) cluster[0] = 0;
  driver_fail(r, "on the cluster %s: %.700s", cluster, said);
}

/* A task: one user on one server. */
static void user_task(driver_postgres *d, driver_task *t)
{
  const char *id = t->lanes[0]->id;
  driver_result r = { .code = SVC_OK };
  char said[1024];
  int status = 0;
  if (driver_knows(d, id, "made")) { /* else driver_settle() does it, or the server is gone */
    driver_hold(d, id);
    if (!user_awaits_start(d, id))
      status = driver_user_on(d, t->order->group_id, id, t->user, t->name, said, sizeof said);
    driver_release(d, id);
  }
  if (status != 0) user_failed_on(d, id, said, &r);
  driver_piece_ended(d, t->order, status, &r);
}

/* A task: all users with custom roles on one server. A user that fails is noted and logged, and
** does not fail the order of the role. */
static void user_customs_task(driver_postgres *d, driver_task *t)
{
  const char *id = t->lanes[0]->id, *group = t->order->group_id;
  driver_result r = { .code = SVC_OK };
  char said[1024];
  driver_users u;
  if (driver_knows(d, id, "made")) {
    driver_hold(d, id);
    driver_users_begin(d, group, &u);
    if (!user_awaits_start(d, id))
      while (driver_users_next(d, group, &u))
        if (u.account.custom) driver_user_on(d, group, id, u.id, u.account.name, said, sizeof said);
    driver_users_end(&u);
    driver_release(d, id);
  }
  driver_piece_ended(d, t->order, 0, &r);
}

/* ------------------------------------------------------------------------------------------ orders */

static int user_everywhere(driver_postgres *d, driver_order *o, const char *name, driver_result *r)
{
  if (driver_pieces(d, o, o->resource_id, name, user_task) == 0) return 0;
  return driver_fail(r, "%s", DRIVER_NO_MEMORY);
}

static void user_note_everywhere(driver_postgres *d, const driver_order *o, const char *name)
{
  char id[32], its_group[32];
  DIR *folder = driver_list(d->control, ".");
  while (driver_next(folder, id))
    if (driver_read(d, id, "group", its_group, sizeof its_group) == 0 &&
        strcmp(its_group, o->group_id) == 0)
      driver_mend_later(d, id, o->resource_id, name);
  if (folder) closedir(folder);
}

/*
** Creates or updates a database user. The control plane stores only a verifier, the same that PostgreSQL would compute from the password.
** The order fails if the name or a role is invalid; the user's old role is removed then, because it may have more
** privileges than allowed now.
*/
int driver_user(driver_postgres *d, driver_order *o, driver_result *r)
{
  char folder[64], *text = NULL;
  driver_account a;
  int status = driver_account_read(&a, &(driver_place){ d, o->group_id, svc_vendor(o->s) }, o->desired, r->why, sizeof r->why);
  snprintf(folder, sizeof folder, "users/%.24s", o->group_id);
  if (status != 0) {
    driver_result ignored = { .code = SVC_OK };
    int control = 0;
    char *name = driver_string(o->desired, (int)strlen(o->desired), "{username:%T}", &control);
    if (name && driver_knows(d, folder, o->resource_id)) {
      user_note_everywhere(d, o, name); /* a repeated order finds no user, so the notes come first */
      driver_unlink(d, folder, o->resource_id);
      user_everywhere(d, o, name, &ignored);
    }
    free(name);
  } else if (asprintf(&text, "{\"vendor\":\"%s\",\"user\":%s}", svc_vendor(o->s), o->desired) < 0) {
    text = NULL;
    status = driver_fail(r, "%s", DRIVER_NO_MEMORY);
  } else if (driver_control_folder(d, "users") != 0 || driver_write(d, folder, o->resource_id, text) != 0) {
    status = driver_fail(r, "the user cannot be written down: %s", strerror(errno));
  } else status = user_everywhere(d, o, a.name, r);
  free(text);
  driver_account_free(&a);
  return status;
}

/* Deletes a user: removes its role from every server of the project, and gives what it owns to
** svc_former. An invalid name is skipped, because it may be a role of the server; so are users of
** $external, which never had a role. Users that failed are tried again at once, because the deleted
** one may have caused the failure. */
int driver_forget_user(driver_postgres *d, driver_order *o, driver_result *r)
{
  char folder[64], failed[48];
  int n = (int)strlen(o->desired), control = 0, status = 0;
  char *database = driver_string(o->desired, n, "{databaseName:%T}", &control), *name;
  control = 0;
  name = driver_string(o->desired, n, "{username:%T}", &control);
  snprintf(folder, sizeof folder, "users/%.24s", o->group_id);
  snprintf(failed, sizeof failed, "%.24s.failed", o->resource_id);
  driver_unlink(d, folder, o->resource_id);
  driver_unlink(d, folder, failed); /* a note of version 1.0.0 */
  unlinkat(d->control, folder, AT_REMOVEDIR); /* succeeds if this was the last user */
  if (name && database && strcmp(database, "admin") == 0 && !driver_bad_user_name(name, control))
    status = user_everywhere(d, o, name, r);
  driver_mend_now(d, o->group_id);
  free(database);
  free(name);
  return status;
}

/* Updates all users with custom roles, after a custom role was stored. */
int driver_put_customs_again(driver_postgres *d, driver_order *o, driver_result *r)
{
  if (driver_pieces(d, o, "", "", user_customs_task) == 0) return 0;
  return driver_fail(r, "%s", DRIVER_NO_MEMORY);
}
