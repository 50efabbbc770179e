/*
** The driver: driver_postgres.h says what it does. From top to bottom: files, programs, database users as SQL, servers, orders,
** questions, the thread that does the orders, and how the folder is opened.
**
** Two rules keep tenants apart from each other and from svcd:
**
** 1. Files. svcd may be root; the servers run as another user of the system, who must not lead svcd anywhere. svcd reads and
**    writes only in folders of its own (FOLDER, FOLDER/control). Whatever lies in a folder of the servers' user is made, copied,
**    measured, read and removed by a child process that has become that user.
** 2. SQL. The driver's own role is a superuser, and tenants create tables and functions in the database that it connects to.
**    Every script therefore runs with search_path = pg_catalog, and names from the API appear only as quoted literals and
**    identifiers.
*/
#define _GNU_SOURCE /* getgrouplist, setgroups, pipe2, asprintf, memmem */
#include "driver_postgres.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <frozen.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER_PATH 512
#define DRIVER_FOLDER 80     /* a socket's path has 107 bytes */
#define DRIVER_QUEUE 256     /* orders that wait; beyond, the service is told to come again */
#define DRIVER_NAME 63       /* bytes of a name in PostgreSQL: NAMEDATALEN - 1; longer ones would be cut off */
#define DRIVER_ROLES 128     /* roles of a database user; the API allows 100 */
#define DRIVER_FILE (1 << 20) /* bytes of a control file, at most */
#define DRIVER_ADMIN "svc_admin"

static const char driver_no_memory[] = "no memory";

typedef struct driver_order {
  struct driver_order *next;
  svc *s;
  char id[32], action[48], resource_id[32], parent_id[32], group_id[32], name[256];
  char *desired;
} driver_order;

struct driver_postgres {
  driver_postgres_config config;
  char folder[DRIVER_FOLDER + 1], bin[DRIVER_PATH];
  uid_t uid; /* of the servers' user, who may be us */
  gid_t gid, groups[32];
  int group_count;
  char user[64]; /* "": the servers run as our own user */
  int root, control; /* descriptors of FOLDER and FOLDER/control: both are ours, and nobody else writes there */
  svc_driver driver;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t more;
  driver_order *first, *last;
  int waiting, ending;
};

static void driver_say(driver_postgres *d, int level, const char *format, ...)
{
  char text[1024];
  va_list args;
  if (!d->config.log) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  d->config.log(d->config.log_context, level, text);
}

/* ------------------------------------------------------------------------------------------------------------------ files */

static void driver_path(const driver_postgres *d, char out[DRIVER_PATH], const char *first, const char *second)
{
  snprintf(out, DRIVER_PATH, "%s/%s%s%s", d->folder, first, second ? "/" : "", second ? second : "");
}

static int driver_is_id(const char *name)
{
  return strlen(name) == 24 && strspn(name, "0123456789abcdef") == 24;
}

/* Is FIRST/SECOND a folder (S_IFDIR) or a file (S_IFREG) itself, and not a link to one? */
static int driver_is(int at, const char *first, const char *second, mode_t kind)
{
  char path[DRIVER_PATH];
  struct stat about;
  snprintf(path, sizeof path, "%s%s%s", first, second ? "/" : "", second ? second : "");
  return fstatat(at, path, &about, AT_SYMLINK_NOFOLLOW) == 0 && (about.st_mode & S_IFMT) == kind;
}

/* What the driver remembers of a server or a user lies below FOLDER/control. */
static int driver_knows(const driver_postgres *d, const char *first, const char *second)
{
  return driver_is(d->control, first, second, S_IFREG);
}

/* A folder of our own below FOLDER/control. */
static int driver_control_folder(const driver_postgres *d, const char *name)
{
  return mkdirat(d->control, name, 0700) == 0 || (errno == EEXIST && driver_is(d->control, name, NULL, S_IFDIR)) ? 0 : -1;
}

/* A folder of the servers' user, in ours. */
static int driver_server_folder(const driver_postgres *d, const char *name)
{
  struct stat about;
  if (mkdirat(d->root, name, 0700) == 0 && d->user[0] && fchownat(d->root, name, d->uid, d->gid, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (fstatat(d->root, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (S_ISDIR(about.st_mode) && about.st_uid == d->uid) return 0;
  errno = ENOTDIR;
  return -1;
}

/* A small file in a folder of ours: the new text in full, or the old one. */
static int driver_write_at(int at, const char *path, const char *text, mode_t mode)
{
  char fresh[DRIVER_PATH + 8];
  size_t n = strlen(text);
  int fd, good;
  snprintf(fresh, sizeof fresh, "%s.new", path);
  unlinkat(at, fresh, 0);
  fd = openat(at, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  good = write(fd, text, n) == (ssize_t)n && fchmod(fd, mode) == 0 && fsync(fd) == 0;
  close(fd);
  return good ? renameat(at, fresh, at, path) : -1;
}

static int driver_write(const driver_postgres *d, const char *first, const char *second, const char *text)
{
  char path[DRIVER_PATH];
  snprintf(path, sizeof path, "%s/%s", first, second);
  return driver_control_folder(d, first) == 0 ? driver_write_at(d->control, path, text, 0600) : -1;
}

/* A regular file that is no link. Returns the number of bytes, or -1 if it is missing, something else, or has more than size - 1. */
static ssize_t driver_read_at(int at, const char *path, char *out, size_t size)
{
  struct stat about;
  size_t n = 0;
  ssize_t got = -1;
  int fd = openat(at, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  out[0] = 0;
  if (fd < 0) return -1;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1)
    while (n < size && (got = read(fd, out + n, size - n)) > 0) n += (size_t)got;
  close(fd);
  if (got != 0 || n == size) n = 0, got = -1;
  out[n] = 0;
  return got == 0 ? (ssize_t)n : -1;
}

static int driver_read(const driver_postgres *d, const char *first, const char *second, char *out, size_t size)
{
  char path[DRIVER_PATH];
  snprintf(path, sizeof path, "%s/%s", first, second);
  return driver_read_at(d->control, path, out, size) > 0 ? 0 : -1;
}

static void driver_unlink(const driver_postgres *d, const char *first, const char *second)
{
  char path[DRIVER_PATH];
  snprintf(path, sizeof path, "%s/%s", first, second);
  unlinkat(d->control, path, 0);
}

static DIR *driver_list(int at, const char *name)
{
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !folder) close(fd);
  return folder;
}

/* The next entry that is named by an id. */
static int driver_next(DIR *folder, char id[32])
{
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL)
    if (driver_is_id(entry->d_name)) return snprintf(id, 32, "%.24s", entry->d_name);
  return 0;
}

/* A folder of FOLDER/control in which there are only files. */
static void driver_forget(const driver_postgres *d, const char *name)
{
  DIR *folder = driver_list(d->control, name);
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL) unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder) closedir(folder);
  unlinkat(d->control, name, AT_REMOVEDIR);
}

/* --------------------------------------------------------------------------------------------------------------- programs */

/* In a child: become the servers' user. Only system calls, since other threads of the parent may have held any lock. */
static int driver_become(const driver_postgres *d)
{
  if (!d->user[0]) return 0;
  return setgroups((size_t)d->group_count, d->groups) != 0 || setgid(d->gid) != 0 || setuid(d->uid) != 0 ? -1 : 0;
}

/* Can that user get to our folder at all? */
static int driver_reaches(const driver_postgres *d)
{
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) _exit(driver_become(d) != 0 || chdir(d->folder) != 0);
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/*
** It ends with us, since what was under way then comes again; a server does not, being its child and not ours. It gets an
** environment of its own: ours may hold the password of svcd's store, and variables that lead psql to another server.
*/
static void driver_child(const driver_postgres *d, char *const argv[], int in, int out)
{
  static char *const environment[] = { "LC_ALL=C", "PATH=/usr/bin:/bin", "PGCLIENTENCODING=UTF8", NULL };
  if (driver_become(d) != 0 || chdir("/") != 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) _exit(126);
  execve(argv[0], argv, environment);
  _exit(127);
}

/* What a child says, of that the first size - 1 bytes; then its status. */
static int driver_listen(pid_t pid, int out, char *said, size_t size)
{
  char rest[512];
  size_t n = 0;
  ssize_t got;
  int status = -1;
  while (n + 1 < size && (got = read(out, said + n, size - 1 - n)) > 0) n += (size_t)got;
  said[n] = 0;
  while (read(out, rest, sizeof rest) > 0) continue; /* a child that nobody listens to might end for it */
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
** Run one of PostgreSQL's programs, or another by its whole path, as the servers' user, with `input`, and keep what it says.
** Returns its status. A server that it leaves behind holds none of our descriptors but the pipe of its output, which is why
** pg_ctl has -l.
*/
static int driver_run(driver_postgres *d, const char *input, char *said, size_t size, char *argv[])
{
  char program[DRIVER_PATH * 2];
  int in[2], out[2], status = -1;
  pid_t pid;
  said[0] = 0;
  snprintf(program, sizeof program, "%s%s%s", argv[0][0] == '/' ? "" : d->bin, argv[0][0] == '/' ? "" : "/", argv[0]);
  argv[0] = program; /* initdb and pg_ctl find their like by it */
  if (pipe2(in, O_CLOEXEC) != 0) return -1;
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]), close(in[1]);
    return -1;
  }
  pid = fork();
  if (pid == 0) driver_child(d, argv, in[0], out[1]);
  close(in[0]), close(out[1]);
  if (pid > 0 && input && write(in[1], input, strlen(input)) < 0) status = -1; /* then it says so itself */
  close(in[1]);
  if (pid > 0) status = driver_listen(pid, out[0], said, size);
  close(out[0]);
  return status;
}

/* What a program said, as one line without the host's paths: tenants may read it. */
static void driver_words(const driver_postgres *d, char *said)
{
  char *at = strstr(said, "ERROR:"), *place;
  size_t n = strlen(d->folder);
  if (at) memmove(said, at, strlen(at) + 1);
  if (at && (place = strstr(said, "\nCONTEXT:")) != NULL) *place = 0;
  while ((place = strstr(said, d->folder)) != NULL) memmove(place, place + n, strlen(place + n) + 1);
  for (at = said; *at; at++)
    if ((unsigned char)*at < 32) *at = ' ';
  while (at > said && at[-1] == ' ') *--at = 0;
}

/* Files of the servers' user are removed by that user, who follows no link by it. */
static int driver_remove(driver_postgres *d, const char *first, const char *second)
{
  char path[DRIVER_PATH], said[256];
  char *argv[] = { "/bin/rm", "-rf", "--", path, NULL };
  driver_path(d, path, first, second);
  return driver_run(d, NULL, said, sizeof said, argv);
}

/* The folder of a server is an entry of ours, and its contents are the servers' user's. */
static int driver_remove_server(driver_postgres *d, const char *id)
{
  char path[DRIVER_PATH], said[256];
  char *argv[] = { "/usr/bin/find", path, "-mindepth", "1", "-delete", NULL };
  if (!driver_is(d->root, id, NULL, S_IFDIR)) return 0;
  driver_path(d, path, id, NULL);
  return driver_run(d, NULL, said, sizeof said, argv) == 0 ? unlinkat(d->root, id, AT_REMOVEDIR) : -1;
}

/* ---------------------------------------------------------------------------------------------------------- database users */

/*
** What a role of the API is on a server. A database of the API is a schema of the database `postgres`: one connection reaches
** all of them, as clients of this API expect. Each schema has two roles that nobody logs in by, svc_read_OID and svc_write_OID;
** svc_read_any and svc_write_any are members of those of every schema. A user is a member of what its roles say, and of nothing
** else. The predefined pg_read_all_data is not used, since it also shows the verifiers of all users in pg_authid.
*/
enum driver_level { DRIVER_NOTHING, DRIVER_READS, DRIVER_WRITES };

static const struct {
  const char *name;
  int level;
  int everywhere, monitors, signals;
} driver_roles[] = {
  { "read", DRIVER_READS, 0, 0, 0 },
  { "readWrite", DRIVER_WRITES, 0, 0, 0 },
  { "readAnyDatabase", DRIVER_READS, 1, 0, 0 },
  { "readWriteAnyDatabase", DRIVER_WRITES, 1, 0, 0 },
  { "backup", DRIVER_READS, 1, 0, 0 },            /* what pg_dump needs */
  { "clusterMonitor", DRIVER_NOTHING, 1, 1, 0 },
  { "Admin", DRIVER_WRITES, 1, 1, 1 },            /* behind the vendor's word */
};

typedef struct driver_account {
  char *name, *verifier;
  struct {
    char *schema;
    int level;
  } grants[DRIVER_ROLES];
  int grant_count, anywhere, monitors, signals;
} driver_account;

static void driver_account_free(driver_account *a)
{
  int i;
  for (i = 0; i < a->grant_count; i++) free(a->grants[i].schema);
  free(a->name);
  free(a->verifier);
  memset(a, 0, sizeof *a);
}

/* A string of a JSON object, decoded. NULL: there is none. *control is set if it has a character that no name may have; the
** service escapes no others but the quote and the backslash. */
static char *driver_string(const char *json, int n, const char *format, int *control)
{
  struct json_token t = { NULL, 0, JSON_TYPE_INVALID };
  char *out, *to;
  int i;
  json_scanf(json, n, format, &t);
  if (t.type != JSON_TYPE_STRING || (out = malloc((size_t)t.len + 1)) == NULL) return NULL;
  for (to = out, i = 0; i < t.len; i++) {
    char c = t.ptr[i];
    if (c == '\\' && i + 1 < t.len) {
      c = t.ptr[++i];
      if (!strchr("\"\\/", c)) *control = 1;
    }
    if ((unsigned char)c < 32 || c == 127) *control = 1;
    *to++ = c;
  }
  *to = 0;
  return out;
}

/* Why a role cannot have this name, or NULL. */
static const char *driver_bad_user_name(const char *name, int control)
{
  static const char *const words[] = { "public", "none", "user", "current_user", "current_role", "session_user" };
  size_t i;
  if (control) return "the user name has a control character";
  if (!*name) return "the user name is empty";
  if (strlen(name) > DRIVER_NAME) return "the user name is longer than the 63 bytes that a role of PostgreSQL can have";
  if (strcmp(name, "svc") == 0 || strncmp(name, "svc_", 4) == 0)
    return "the user name is reserved for the driver: svc, and whatever begins with svc_";
  if (strncmp(name, "pg_", 3) == 0) return "the user name is reserved by PostgreSQL: whatever begins with pg_";
  for (i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(name, words[i]) == 0) return "the user name is a reserved word of PostgreSQL";
  return NULL;
}

static const char *driver_bad_schema(const char *name, int control)
{
  if (control || !*name) return "the database name has a control character, or is empty";
  if (strlen(name) > DRIVER_NAME) return "the database name is longer than the 63 bytes that a schema of PostgreSQL can have";
  if (strncmp(name, "pg_", 3) == 0 || strcmp(name, "information_schema") == 0) return "the database name is reserved by PostgreSQL";
  return NULL;
}

/* The row of driver_roles for a role by this name; -1: none. */
static int driver_role_named(const char *name, const char *vendor)
{
  int i, last = (int)(sizeof driver_roles / sizeof driver_roles[0]) - 1;
  size_t n = strlen(vendor);
  if (strncmp(name, vendor, n) == 0 && strcmp(name + n, driver_roles[last].name) == 0) return last;
  for (i = 0; i < last; i++)
    if (strcmp(name, driver_roles[i].name) == 0) return i;
  return -1;
}

/* One role of a user. Returns 0, or -1 with `why`. */
static int driver_account_role(driver_account *a, const struct json_token *t, const char *vendor, char *why, size_t size)
{
  int control = 0, role, status = -1;
  char *name = driver_string(t->ptr, t->len, "{roleName:%T}", &control);
  char *database = driver_string(t->ptr, t->len, "{databaseName:%T}", &control);
  char *table = driver_string(t->ptr, t->len, "{collectionName:%T}", &control);
  const char *bad = database ? driver_bad_schema(database, control) : "the role has no database";
  role = name ? driver_role_named(name, vendor) : -1;
  if (role < 0) {
    snprintf(why, size, "the role %.128s has no counterpart in PostgreSQL", name ? name : "without a name");
  } else if (table) {
    snprintf(why, size, "the role %s on the collection %.128s: roles are granted on whole databases only", name, table);
  } else if (!driver_roles[role].everywhere && bad) {
    snprintf(why, size, "the role %s: %s", name, bad);
  } else if (driver_roles[role].everywhere) {
    if (driver_roles[role].level > a->anywhere) a->anywhere = driver_roles[role].level;
    a->monitors |= driver_roles[role].monitors;
    a->signals |= driver_roles[role].signals;
    status = 0;
  } else if (a->grant_count == DRIVER_ROLES) {
    snprintf(why, size, "the user has more than %d roles", DRIVER_ROLES);
  } else {
    a->grants[a->grant_count].schema = database;
    a->grants[a->grant_count++].level = driver_roles[role].level;
    database = NULL;
    status = 0;
  }
  free(name);
  free(database);
  free(table);
  return status;
}

/* A database user, from the desired state of its order. Returns 0, or -1 with `why` it cannot be on a server; then `a` has at
** least the name, unless that is what is wrong. */
static int driver_account_read(driver_account *a, const char *json, const char *vendor, char *why, size_t size)
{
  int n = (int)strlen(json), control = 0, other = 0, i, status = 0;
  struct json_token t;
  const char *bad;
  memset(a, 0, sizeof *a);
  a->name = driver_string(json, n, "{username:%T}", &control);
  a->verifier = driver_string(json, n, "{verifier:%T}", &other);
  bad = a->name ? driver_bad_user_name(a->name, control) : driver_no_memory;
  if (!bad && (!a->verifier || strncmp(a->verifier, "SCRAM-SHA-256$", 14) != 0 || other || strchr(a->verifier, '\'')))
    bad = "the user has no password: users of $external and of identity providers cannot log in to these servers";
  if (bad) return snprintf(why, size, "%s", bad), -1;
  for (i = 0; status == 0 && json_scanf_array_elem(json, n, ".roles", i, &t) > 0; i++) status = driver_account_role(a, &t, vendor, why, size);
  return status;
}

/* Is the user one of the cluster of this name? A user without scopes is one of all. */
static int driver_in_scope(const char *json, const char *cluster)
{
  int n = (int)strlen(json), i, control = 0, found = 0;
  struct json_token t;
  for (i = 0; !found && json_scanf_array_elem(json, n, ".scopes", i, &t) > 0; i++) {
    char *name = driver_string(t.ptr, t.len, "{name:%T}", &control), *type = driver_string(t.ptr, t.len, "{type:%T}", &control);
    found = name && type && strcmp(type, "CLUSTER") == 0 && strcmp(name, cluster) == 0;
    free(name);
    free(type);
  }
  return found || i == 0;
}

/* A literal of SQL, or an identifier: between marks, with marks inside doubled. Names have been checked: no control characters. */
static void driver_quote(FILE *sql, const char *text, char mark)
{
  fputc(mark, sql);
  for (; *text; text++) {
    if (*text == mark) fputc(mark, sql);
    fputc(*text, sql);
  }
  fputc(mark, sql);
}

/* SQL about a role or schema: {name} becomes an identifier, {'name'} a literal. */
static void driver_print(FILE *sql, const char *text, const char *name)
{
  static const char identifier[] = "{name}", literal[] = "{'name'}";
  while (*text) {
    int is_identifier = strncmp(text, identifier, sizeof identifier - 1) == 0, is_literal = strncmp(text, literal, sizeof literal - 1) == 0;
    if (is_identifier || is_literal) driver_quote(sql, name, is_literal ? '\'' : '"');
    else fputc(*text, sql);
    text += is_identifier ? sizeof identifier - 1 : is_literal ? sizeof literal - 1 : 1;
  }
}

/* A schema and its two roles, which are :"r" and :"w" from here on. */
static const char driver_sql_schema[] =
  "create schema if not exists {name};\n"
  "select 'svc_read_' || oid as r, 'svc_write_' || oid as w, not exists (select from pg_roles where rolname = 'svc_read_' || n.oid)"
  " as fresh from pg_namespace n where nspname = {'name'} \\gset\n"
  "\\if :fresh\n"
  "create role :\"r\";\ncreate role :\"w\";\n"
  "grant usage on schema {name} to :\"r\", :\"w\";\n"
  "grant create on schema {name} to :\"w\";\n"
  "grant select on all tables in schema {name} to :\"r\";\n"
  "grant select, insert, update, delete on all tables in schema {name} to :\"w\";\n"
  "grant select on all sequences in schema {name} to :\"r\";\n"
  "grant select, usage, update on all sequences in schema {name} to :\"w\";\n"
  "grant :\"r\" to svc_read_any;\ngrant :\"w\" to svc_write_any;\n"
  "\\endif\n";

/* A role that a tenant logs in by has no attribute of an administrator, and is a member of nothing; nobody is a member of it. */
static const char driver_sql_bare[] =
  "alter role {name} nosuperuser nocreatedb nocreaterole noreplication nobypassrls inherit connection limit -1 valid until 'infinity';\n"
  "alter role {name} reset all;\nalter role {name} in database postgres reset all;\n"
  "select format('revoke %I from %I', g.rolname, u.rolname) from pg_auth_members m join pg_roles g on g.oid = m.roleid"
  " join pg_roles u on u.oid = m.member where {'name'} in (u.rolname, g.rolname) \\gexec\n"
  "select format('revoke all on schema %I from %I', n.nspname, u.rolname) from pg_namespace n, aclexplode(n.nspacl) x"
  " join pg_roles u on u.oid = x.grantee where u.rolname = {'name'} and n.nspowner <> u.oid group by 1 \\gexec\n"
  "revoke all on database postgres from {name};\n"
  "revoke all on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from {name};\n";

/* Whatever a writer makes from now on, the readers and writers of its schema can use. */
static const char driver_sql_defaults[] =
  "select format('alter default privileges for role %I in schema %I grant select on tables to %I', u.rolname, n.nspname, r),"
  " format('alter default privileges for role %I in schema %I grant select, insert, update, delete on tables to %I', u.rolname, n.nspname, w),"
  " format('alter default privileges for role %I in schema %I grant select on sequences to %I', u.rolname, n.nspname, r),"
  " format('alter default privileges for role %I in schema %I grant select, usage, update on sequences to %I', u.rolname, n.nspname, w)"
  " from pg_roles u, pg_namespace n, concat('svc_read_', n.oid) r, concat('svc_write_', n.oid) w join pg_roles g on g.rolname = w"
  " where u.rolcanlogin and not u.rolsuper and pg_has_role(u.oid, g.oid, 'usage')"
  " and not exists (select from pg_default_acl where defaclrole = u.oid and defaclnamespace = n.oid) \\gexec\n";

/* A role that is a superuser's, or the server's own, is nobody's user. */
static const char driver_sql_guard[] =
  "select set_config('svc.name', {'name'}, false) \\g /dev/null\n"
  "do $$ begin if exists (select from pg_roles where rolname = current_setting('svc.name') and (rolsuper or oid < 16384)) then"
  " raise exception 'the role % belongs to the server', current_setting('svc.name'); end if; end $$;\n";

static const char driver_sql_writer[] =
  "grant temporary on database postgres to {name};\n"
  "grant execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) to {name};\n";

/* A user who may not write to a schema any more owns nothing there. */
static const char driver_sql_owned[] =
  "select format('reassign owned by %I to svc_former', {'name'}) where exists (select from (select relnamespace n, relowner o from pg_class"
  " union select pronamespace, proowner from pg_proc union select typnamespace, typowner from pg_type) x join pg_roles u on u.oid = o"
  " join pg_namespace s on s.oid = n where u.rolname = {'name'} and s.nspname !~ '^pg_' and not has_schema_privilege(u.oid, n, 'create')) \\gexec\n";

static const char driver_sql_drop[] =
  "select format('alter role %I nologin', rolname) from pg_roles where rolname = {'name'} and not rolsuper and oid >= 16384 \\gexec\n"
  "select pg_terminate_backend(pid) from pg_stat_activity where usename = {'name'} \\g /dev/null\n"
  "begin;\n"
  "select format('reassign owned by %I to svc_former', rolname), format('drop owned by %I', rolname), format('drop role %I', rolname)"
  " from pg_roles where rolname = {'name'} and not rolsuper and oid >= 16384 \\gexec\n"
  "commit;\n";

static const char driver_sql_no_login[] =
  "select format('alter role %I nologin', rolname) from pg_roles where rolname = {'name'} and not rolsuper and oid >= 16384 \\gexec\n"
  "select pg_terminate_backend(pid) from pg_stat_activity where usename = {'name'} \\g /dev/null\n";

/* The script that makes a user what it should be, whatever it was before: in one transaction. */
static void driver_account_sql(FILE *sql, const driver_account *a)
{
  int i, writes = a->anywhere == DRIVER_WRITES;
  fputs("begin;\n", sql);
  driver_print(sql, driver_sql_guard, a->name);
  driver_print(sql, "select format('create role %I', {'name'}) where not exists (select from pg_roles where rolname = {'name'}) \\gexec\n"
               "alter role {name} login password ", a->name);
  driver_quote(sql, a->verifier, '\'');
  fputs(";\n", sql);
  driver_print(sql, driver_sql_bare, a->name);
  for (i = 0; i < a->grant_count; i++) {
    driver_print(sql, driver_sql_schema, a->grants[i].schema);
    driver_print(sql, a->grants[i].level == DRIVER_WRITES ? "grant :\"w\" to {name};\n" : "grant :\"r\" to {name};\n", a->name);
    writes = writes || a->grants[i].level == DRIVER_WRITES;
  }
  if (a->anywhere) driver_print(sql, a->anywhere == DRIVER_WRITES ? "grant svc_write_any to {name};\n" : "grant svc_read_any to {name};\n", a->name);
  if (a->monitors) driver_print(sql, "grant pg_read_all_stats, pg_stat_scan_tables to {name};\n", a->name);
  if (a->signals) driver_print(sql, "grant pg_signal_backend to {name};\n", a->name);
  if (writes) driver_print(sql, driver_sql_writer, a->name);
  if (a->grant_count == 1 && !a->anywhere) { /* names without a schema are those of its only one */
    driver_print(sql, "alter role {name} set search_path = ", a->name);
    driver_print(sql, "{name};\n", a->grants[0].schema);
  }
  driver_print(sql, driver_sql_owned, a->name);
  fputs(driver_sql_defaults, sql);
  fputs("commit;\n", sql);
}

/* ---------------------------------------------------------------------------------------------------------------- servers */

/* As the driver's own role. See rule 2 at the top for the search_path. */
static int driver_sql(driver_postgres *d, const char *id, const char *sql, char *said, size_t size)
{
  char socket[DRIVER_PATH], port[16], *script = NULL;
  char *argv[] = { "psql", "-X", "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-d", "postgres", "-Atq", "-v", "ON_ERROR_STOP=1", NULL };
  int status;
  driver_path(d, socket, id, NULL);
  snprintf(said, size, "%s", driver_no_memory);
  if (driver_read(d, id, "port", port, sizeof port) != 0) return snprintf(said, size, "the server has no port"), -1;
  if (asprintf(&script, "set search_path = pg_catalog;\nset client_min_messages = warning;\n%s", sql) < 0) return -1;
  status = driver_run(d, script, said, size, argv);
  explicit_bzero(script, strlen(script));
  free(script);
  return status;
}

/* A script about one name. */
static int driver_sql_about(driver_postgres *d, const char *id, const char *text, const char *name, char *said, size_t size)
{
  char *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  int status = -1;
  snprintf(said, size, "%s", driver_no_memory);
  if (!sql) return -1;
  driver_print(sql, text, name);
  if (fclose(sql) == 0) status = driver_sql(d, id, script, said, size);
  free(script);
  return status;
}

static int driver_is_running(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[256];
  char *argv[] = { "pg_ctl", "-D", data, "status", NULL };
  driver_path(d, data, id, "data");
  return driver_is(d->root, id, "data", S_IFDIR) && driver_run(d, NULL, said, sizeof said, argv) == 0;
}

/* A port that was free a moment ago: should another take it first, the next try takes another. */
static int driver_free_port(void)
{
  struct sockaddr_in at;
  socklen_t n = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = -1;
  memset(&at, 0, sizeof at);
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0)
    port = ntohs(at.sin_port);
  if (fd >= 0) close(fd);
  return port;
}

static int driver_start(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], log[DRIVER_PATH], options[DRIVER_PATH * 4], socket[DRIVER_PATH], hba[DRIVER_PATH], said[1024], port[16];
  char *argv[] = { "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start", NULL };
  int tries, status = -1;
  if (driver_is_running(d, id)) return 0;
  driver_path(d, data, id, "data");
  driver_path(d, log, id, "log");
  driver_path(d, socket, id, NULL);
  driver_path(d, hba, "pg_hba.conf", NULL);
  for (tries = 0; tries < 3 && status != 0; tries++) {
    if (tries || driver_read(d, id, "port", port, sizeof port) != 0) {
      snprintf(port, sizeof port, "%d", driver_free_port());
      if (driver_write(d, id, "port", port) != 0) return -1;
    }
    snprintf(options, sizeof options, "-c listen_addresses=127.0.0.1 -c port=%s -c unix_socket_directories='%s' -c hba_file='%s' "
             "-c wal_level=replica -c max_wal_senders=4 -c max_connections=40 -c shared_buffers=16MB", port, socket, hba);
    status = driver_run(d, NULL, said, sizeof said, argv);
  }
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: the server of %s does not start: %s", id, said);
  return status;
}

static int driver_stop(driver_postgres *d, const char *id)
{
  char data[DRIVER_PATH], said[1024];
  char *argv[] = { "pg_ctl", "-D", data, "-w", "-t", "60", "-m", "fast", "stop", NULL };
  driver_path(d, data, id, "data");
  return driver_is_running(d, id) ? driver_run(d, NULL, said, sizeof said, argv) : 0;
}

static int driver_new_password(char out[33])
{
  static const char hex[] = "0123456789abcdef";
  unsigned char random[16];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC), i;
  ssize_t got = fd < 0 ? -1 : read(fd, random, sizeof random);
  if (fd >= 0) close(fd);
  if (got != sizeof random) return -1;
  for (i = 0; i < 32; i++) out[i] = hex[random[i / 2] >> (i % 2 ? 0 : 4) & 15];
  out[32] = 0;
  return 0;
}

/*
** What every server has, whatever its users are. The driver's own role has no password, and pg_hba.conf refuses it over TCP.
** svc is a user to begin with, until the project has some of its own, by the password in FOLDER/control/ID/password. svc_former
** owns what users left behind who are gone; svc is a member of it, and so can take care of that.
*/
static const char driver_sql_prepare[] =
  "alter role " DRIVER_ADMIN " password null;\n"
  "select format('create role %I', n) from unnest(array['svc', 'svc_former', 'svc_read_any', 'svc_write_any']) n"
  " where not exists (select from pg_roles where rolname = n) \\gexec\n"
  "revoke all on database postgres, template1 from public;\ngrant connect on database postgres to public;\n"
  "revoke create on schema public from public;\n"
  "revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;\n";

static int driver_prepare_server(driver_postgres *d, const char *id, char *said, size_t size)
{
  char password[40], *script = NULL;
  size_t n = 0;
  FILE *sql;
  int status = -1;
  snprintf(said, size, "the password of the role svc cannot be written");
  if (driver_read(d, id, "password", password, sizeof password) != 0 &&
      (driver_new_password(password) != 0 || driver_write(d, id, "password", password) != 0))
    return -1;
  snprintf(said, size, "%s", driver_no_memory);
  sql = open_memstream(&script, &n);
  if (!sql) return -1;
  fputs("begin;\n", sql);
  fputs(driver_sql_prepare, sql);
  driver_print(sql, driver_sql_schema, "public");
  driver_print(sql, driver_sql_bare, "svc");
  fputs("alter role svc login password ", sql);
  driver_quote(sql, password, '\'');
  fputs(";\ngrant svc_write_any, svc_former to svc;\n", sql);
  driver_print(sql, driver_sql_writer, "svc");
  fputs(driver_sql_defaults, sql);
  fputs("commit;\n", sql);
  if (fclose(sql) == 0) status = driver_sql(d, id, script, said, size);
  free(script);
  return status;
}

/* A user of the project as it was last asked for, {"vendor":..., "user":...}: the caller frees it. NULL: there is none. */
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
** Make a user on one server what it should be there, which is nothing where the server's cluster is out of its scope. What
** cannot be done leaves a user who cannot log in, rather than one with the rights of before.
*/
static int driver_put_user(driver_postgres *d, const char *id, const driver_account *a, const char *json, char *said, size_t size)
{
  char cluster[256], ignored[256], *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  int status = -1;
  snprintf(said, size, "%s", driver_no_memory);
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

/* The users of a project, one after the other: those that a server can have. */
typedef struct driver_users {
  DIR *folder;
  char id[32], *text, *json;
  driver_account account;
} driver_users;

static void driver_users_begin(const driver_postgres *d, const char *group, driver_users *u)
{
  char path[64];
  memset(u, 0, sizeof *u);
  snprintf(path, sizeof path, "users/%.24s", group);
  u->folder = driver_list(d->control, path);
}

static int driver_users_next(const driver_postgres *d, const char *group, driver_users *u)
{
  char vendor[32], why[256];
  do {
    driver_account_free(&u->account);
    free(u->text);
    u->text = NULL;
    if (!driver_next(u->folder, u->id)) return 0;
    u->text = driver_user_file(d, group, u->id, vendor, &u->json);
  } while (!u->text || driver_account_read(&u->account, u->json, vendor, why, sizeof why) != 0);
  return 1;
}

static void driver_users_end(driver_users *u)
{
  driver_account_free(&u->account);
  free(u->text);
  if (u->folder) closedir(u->folder);
}

/* Whoever can log in without being a user of the project now: a snapshot brings the roles of its day along, and a cluster that
** was paused has not heard of those that were deleted. */
static int driver_lock_out_others(driver_postgres *d, const char *group, const char *id, char *said, size_t size)
{
  char *script = NULL;
  size_t n = 0;
  FILE *sql = open_memstream(&script, &n);
  driver_users u;
  int status = -1;
  snprintf(said, size, "%s", driver_no_memory);
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
static void driver_note_failure(const driver_postgres *d, const char *group, const char *user, int failed)
{
  char folder[64], file[48];
  snprintf(folder, sizeof folder, "users/%.24s", group);
  snprintf(file, sizeof file, "%.24s.failed", user);
  if (failed) driver_write(d, folder, file, "1");
  else driver_unlink(d, folder, file);
}

/* A server and the users of its project as they should be. A user that cannot be made is logged, and no failure of the server's. */
static int driver_settle(driver_postgres *d, const char *group, const char *id)
{
  char said[1024];
  driver_users u;
  int status = driver_prepare_server(d, id, said, sizeof said);
  if (status == 0) status = driver_lock_out_others(d, group, id, said, sizeof said);
  if (status != 0) {
    driver_words(d, said);
    driver_say(d, SVC_LOG_ERROR, "postgres: the server of %s cannot be set up: %s", id, said);
    return status;
  }
  driver_users_begin(d, group, &u);
  while (driver_users_next(d, group, &u)) {
    if (driver_put_user(d, id, &u.account, u.json, said, sizeof said) == 0) continue;
    driver_say(d, SVC_LOG_ERROR, "postgres: database user %s on the server of %s: %s", u.account.name, id, said);
    driver_note_failure(d, group, u.id, 1);
  }
  driver_users_end(&u);
  return driver_write(d, id, "settled", "1");
}

/* The server of a cluster, with whatever of it is missing. */
static int driver_make(driver_postgres *d, const char *id, const char *group, const char *name)
{
  char data[DRIVER_PATH], said[1024];
  char *argv[] = { "initdb", "-D", data, "-U", DRIVER_ADMIN, "-E", "UTF8", "--auth-local=trust", "--auth-host=scram-sha-256",
                   "--no-instructions", NULL };
  driver_path(d, data, id, "data");
  if (!driver_knows(d, id, "made")) {
    driver_stop(d, id);
    if (driver_server_folder(d, id) != 0 || driver_remove(d, id, "data") != 0 || driver_write(d, id, "group", group) != 0 ||
        driver_write(d, id, "name", name) != 0) {
      driver_say(d, SVC_LOG_ERROR, "postgres: the folder of %s cannot be made: %s", id, strerror(errno));
      return -1;
    }
    if (driver_run(d, NULL, said, sizeof said, argv) != 0) {
      driver_say(d, SVC_LOG_ERROR, "postgres: initdb for %s: %s", id, said);
      return -1;
    }
    if (driver_write(d, id, "made", "1") != 0) return -1;
  }
  return driver_start(d, id) == 0 ? driver_settle(d, group, id) : -1;
}

/* ---- figures */

/* What is measured, by the name that the API has for it, and how the server is asked. */
static const struct {
  const char *name, *sql;
} driver_measures[] = {
  { "CONNECTIONS", "select count(*) from pg_stat_activity where backend_type = 'client backend'" },
  { "DB_DATA_SIZE_TOTAL", "select coalesce(sum(pg_database_size(oid)), 0) from pg_database" },
  { "OPCOUNTER_INSERT", "select coalesce(sum(tup_inserted), 0) from pg_stat_database" },
  { "OPCOUNTER_UPDATE", "select coalesce(sum(tup_updated), 0) from pg_stat_database" },
  { "OPCOUNTER_DELETE", "select coalesce(sum(tup_deleted), 0) from pg_stat_database" },
  { "OPCOUNTER_CMD", "select coalesce(sum(xact_commit + xact_rollback), 0) from pg_stat_database" },
};

/* SVC_INVALID: nobody knows how to measure that. */
static int driver_figure(driver_postgres *d, const char *id, const char *name, int64_t *out)
{
  char said[256], *end = said;
  size_t i;
  for (i = 0; i < sizeof driver_measures / sizeof driver_measures[0]; i++) {
    if (strcmp(driver_measures[i].name, name) != 0) continue;
    if (driver_sql(d, id, driver_measures[i].sql, said, sizeof said) != 0) return SVC_IO;
    *out = strtoll(said, &end, 10);
    return end > said ? SVC_OK : SVC_IO;
  }
  return SVC_INVALID;
}

/* ----------------------------------------------------------------------------------------------------------------- orders */

typedef struct driver_result {
  int code;
  char facts[3 * DRIVER_PATH];
  char why[1024]; /* of a failure; "": the log of the driver says more */
} driver_result;

/* The order fails, and this is its reason. Returns -1. */
static int driver_fail(driver_result *r, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(r->why, sizeof r->why, format, args);
  va_end(args);
  return -1;
}

/* Where the server is, and how much it holds. */
static void driver_hosts(driver_postgres *d, const char *id, driver_result *r)
{
  int64_t size = 0;
  char port[16];
  if (driver_read(d, id, "port", port, sizeof port) != 0) return;
  snprintf(r->facts, sizeof r->facts, "{\"hosts\":[\"127.0.0.1:%s\"]}", port);
  if (driver_figure(d, id, "DB_DATA_SIZE_TOTAL", &size) == SVC_OK)
    snprintf(r->facts, sizeof r->facts, "{\"dataSizeBytes\":%lld,\"hosts\":[\"127.0.0.1:%s\"]}", (long long)size, port);
}

static bool driver_is_true(const driver_order *o, const char *format)
{
  bool value = false;
  json_scanf(o->desired, (int)strlen(o->desired), format, &value);
  return value;
}

static int driver_cluster(driver_postgres *d, const driver_order *o, driver_result *r)
{
  int status;
  if (driver_is_true(o, "{paused:%B}")) {
    driver_write(d, o->resource_id, "paused", "1");
    return driver_stop(d, o->resource_id);
  }
  driver_unlink(d, o->resource_id, "paused");
  status = driver_make(d, o->resource_id, o->group_id, o->name);
  driver_hosts(d, o->resource_id, r);
  return status;
}

static int driver_delete(driver_postgres *d, const driver_order *o, driver_result *r)
{
  (void)r;
  if (driver_stop(d, o->resource_id) != 0 || driver_remove_server(d, o->resource_id) != 0) return -1;
  driver_forget(d, o->resource_id);
  return 0;
}

/* Bytes of all files in a folder of the servers' user. */
static int64_t driver_size(driver_postgres *d, char *path)
{
  char said[256];
  char *argv[] = { "/usr/bin/du", "-sb", "--", path, NULL };
  return driver_run(d, NULL, said, sizeof said, argv) == 0 ? strtoll(said, NULL, 10) : 0;
}

/* A folder, copied as it is. */
static int driver_copy(driver_postgres *d, const char *from, const char *to)
{
  char said[512];
  char *argv[] = { "/bin/cp", "-a", (char *)from, (char *)to, NULL };
  int status = driver_run(d, NULL, said, sizeof said, argv);
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: %s cannot be copied: %s", from, said);
  return status;
}

/* A base backup of the server, or, while its cluster is paused, a copy of what it left. */
static int driver_back_up(driver_postgres *d, const char *id, char *to)
{
  char data[DRIVER_PATH], socket[DRIVER_PATH], port[16], said[1024];
  char *argv[] = { "pg_basebackup", "-D", to, "-h", socket, "-p", port, "-U", DRIVER_ADMIN, "-X", "stream", "-c", "fast", NULL };
  int status;
  driver_path(d, socket, id, NULL);
  driver_path(d, data, id, "data");
  if (driver_knows(d, id, "paused")) return driver_stop(d, id) == 0 ? driver_copy(d, data, to) : -1;
  if (driver_read(d, id, "port", port, sizeof port) != 0) return -1;
  status = driver_run(d, NULL, said, sizeof said, argv);
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres: no snapshot of %s: %s", id, said);
  return status;
}

/* It has its name when it is complete. */
static int driver_snapshot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char path[DRIVER_PATH], part[DRIVER_PATH], file[64], partial[72];
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  driver_path(d, path, file, NULL);
  driver_path(d, part, partial, NULL);
  if (!driver_is(d->root, file, NULL, S_IFDIR) && (driver_remove(d, partial, NULL) != 0 || driver_back_up(d, o->parent_id, part) != 0 ||
                                                   renameat(d->root, partial, d->root, file) != 0))
    return -1;
  snprintf(r->facts, sizeof r->facts, "{\"storageSizeBytes\":%lld}", (long long)driver_size(d, path));
  return 0;
}

static int driver_forget_snapshot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char file[64], partial[72];
  (void)r;
  snprintf(file, sizeof file, "snapshots/%.24s", o->resource_id);
  snprintf(partial, sizeof partial, "%s.part", file);
  return driver_remove(d, partial, NULL) == 0 ? driver_remove(d, file, NULL) : -1;
}

/* The server of the cluster of this name. */
static int driver_find(driver_postgres *d, const char *group, const char *name, char id[32])
{
  char its_group[32], its_name[256];
  DIR *folder = driver_list(d->control, ".");
  int found = 0;
  while (!found && driver_next(folder, id))
    found = driver_read(d, id, "group", its_group, sizeof its_group) == 0 && driver_read(d, id, "name", its_name, sizeof its_name) == 0 &&
            strcmp(its_group, group) == 0 && strcmp(its_name, name) == 0;
  if (folder) closedir(folder);
  return found;
}

/* The server begins again as a copy of the snapshot: the copy is complete before what it had is gone. Both names are entries of
** one folder, and a rename follows no link. */
static int driver_begin_again(driver_postgres *d, const char *group, const char *id, const char *from)
{
  char data[64], fresh[64], to[DRIVER_PATH];
  snprintf(data, sizeof data, "%.24s/data", id);
  snprintf(fresh, sizeof fresh, "%.24s/data.new", id);
  driver_path(d, to, fresh, NULL);
  if (driver_remove(d, fresh, NULL) != 0 || driver_copy(d, from, to) != 0 || driver_stop(d, id) != 0) return -1;
  if (driver_remove(d, data, NULL) != 0 || renameat(d->root, fresh, d->root, data) != 0 || driver_start(d, id) != 0) return -1;
  return driver_settle(d, group, id);
}

/* What a job asks for, by the names that it has in jobs of clusters and of flex clusters. */
typedef struct driver_job {
  char *snapshot, *group, *name;
} driver_job;

static void driver_read_job(const driver_order *o, driver_job *job)
{
  int n = (int)strlen(o->desired);
  memset(job, 0, sizeof *job);
  json_scanf(o->desired, n, "{snapshotId:%Q,targetClusterName:%Q,targetGroupId:%Q}", &job->snapshot, &job->name, &job->group);
  if (!job->name) json_scanf(o->desired, n, "{targetDeploymentItemName:%Q}", &job->name);
  if (!job->group) json_scanf(o->desired, n, "{targetProjectId:%Q}", &job->group);
}

/* Into a cluster. A download fails: nothing here serves the files of a snapshot, and where they lie on the host is no tenant's
** business. */
static int driver_restore(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char from[DRIVER_PATH], file[64], target[32];
  driver_job job;
  int status;
  driver_read_job(o, &job);
  snprintf(file, sizeof file, "snapshots/%.24s", job.snapshot ? job.snapshot : "");
  driver_path(d, from, file, NULL);
  if (!job.snapshot || !driver_is_id(job.snapshot)) status = driver_fail(r, "only whole snapshots are restored, no points in time");
  else if (!driver_is(d->root, file, NULL, S_IFDIR)) status = driver_fail(r, "the snapshot is not there");
  else if (!job.name) status = driver_fail(r, "this driver offers no downloads: restore the snapshot into a cluster");
  else if (!driver_find(d, job.group ? job.group : o->group_id, job.name, target)) status = driver_fail(r, "the cluster is not there");
  else status = driver_begin_again(d, job.group ? job.group : o->group_id, target, from);
  free(job.snapshot);
  free(job.group);
  free(job.name);
  return status;
}

/* On every server of the project that runs; the others hear of it when they are started. Each is tried; the first failure is told. */
static int driver_everywhere(driver_postgres *d, const char *group, const driver_account *a, const char *json, driver_result *r)
{
  char id[32], its_group[32], name[256], said[1024];
  DIR *folder = driver_list(d->control, ".");
  int status = 0;
  while (driver_next(folder, id)) {
    if (driver_read(d, id, "group", its_group, sizeof its_group) != 0 || strcmp(its_group, group) != 0 || !driver_is_running(d, id)) continue;
    if (json ? driver_put_user(d, id, a, json, said, sizeof said) == 0
             : driver_sql_about(d, id, driver_sql_drop, a->name, said, sizeof said) == 0)
      continue;
    driver_words(d, said);
    if (driver_read(d, id, "name", name, sizeof name) != 0) name[0] = 0;
    if (status == 0) driver_fail(r, "on the cluster %s: %.700s", name, said);
    driver_say(d, SVC_LOG_ERROR, "postgres: database user %s on the cluster %s: %s", a->name, name, said);
    status = -1;
  }
  if (folder) closedir(folder);
  return status;
}

/*
** A database user: its role is made of the verifier that the control plane keeps, which is what PostgreSQL itself would make
** of the password. A user that a server cannot have, by its name or its roles, fails here; what it was before goes, since that
** may be more than it is allowed now.
*/
static int driver_user(driver_postgres *d, const driver_order *o, driver_result *r)
{
  char folder[64], *text = NULL;
  driver_account a;
  int status = driver_account_read(&a, o->desired, svc_vendor(o->s), r->why, sizeof r->why);
  snprintf(folder, sizeof folder, "users/%.24s", o->group_id);
  if (status != 0) {
    driver_result ignored = { SVC_OK, "", "" };
    if (driver_knows(d, folder, o->resource_id)) driver_everywhere(d, o->group_id, &a, NULL, &ignored);
    driver_unlink(d, folder, o->resource_id);
    driver_note_failure(d, o->group_id, o->resource_id, 0);
  } else if (asprintf(&text, "{\"vendor\":\"%s\",\"user\":%s}", svc_vendor(o->s), o->desired) < 0) {
    text = NULL;
    status = driver_fail(r, "%s", driver_no_memory);
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
    driver_result r = { SVC_OK, "", "" };
    snprintf(file, sizeof file, "%.24s.failed", u.id);
    if (driver_knows(d, folder, file) && driver_everywhere(d, group, &u.account, u.json, &r) == 0) driver_note_failure(d, group, u.id, 0);
  }
  driver_users_end(&u);
}

/* Its role goes from every server of the project; what it owns there stays, with svc_former. A name that no user can have is
** somebody else's role, or none; and users of $external never had one. */
static int driver_forget_user(driver_postgres *d, const driver_order *o, driver_result *r)
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
  if (a.name && database && strcmp(database, "admin") == 0 && !driver_bad_user_name(a.name, control))
    status = driver_everywhere(d, o->group_id, &a, NULL, r);
  driver_try_again(d, o->group_id);
  free(database);
  driver_account_free(&a);
  return status;
}

/* What would have to bring data from elsewhere, or take it there: a server like this has nobody to ask. */
static int driver_cannot(driver_postgres *d, const driver_order *o, driver_result *r)
{
  (void)d;
  return driver_fail(r, "this driver has no way to do %s", o->action);
}

static const struct {
  const char *action;
  int (*run)(driver_postgres *d, const driver_order *o, driver_result *r);
} driver_actions[] = {
  { "cluster.create", driver_cluster },   { "cluster.update", driver_cluster }, { "cluster.delete", driver_delete },
  { "flex.create", driver_cluster },      { "flex.delete", driver_delete },
  { "snapshot.take", driver_snapshot },   { "snapshot.delete", driver_forget_snapshot }, { "restore.run", driver_restore },
  { "user.put", driver_user },            { "user.delete", driver_forget_user },
  { "export.run", driver_cannot },        { "migration.validate", driver_cannot },
  { "migration.copy", driver_cannot },    { "migration.cutover", driver_cannot }, { "sampleDataset.load", driver_cannot },
};

/* The reason as JSON: its bytes are UTF-8, cut off where they end. */
static void driver_reason(driver_result *r)
{
  struct json_out out = JSON_OUT_BUF(r->facts, sizeof r->facts);
  size_t n = strlen(r->why);
  if (n + 1 == sizeof r->why) /* it did not fit: no half character */
    while (n && ((unsigned char)r->why[n - 1] & 0x80)) r->why[--n] = 0;
  r->facts[0] = 0;
  json_printf(&out, "{reason:%Q}", r->why[0] ? r->why : "the log of the service says why");
}

/* What a server like this knows nothing of (driver_postgres.h names it) is done as it is: nothing is to do for it here. */
static void driver_perform(driver_postgres *d, const driver_order *o)
{
  driver_result r = { SVC_OK, "", "" };
  size_t i;
  for (i = 0; i < sizeof driver_actions / sizeof driver_actions[0]; i++)
    if (strcmp(driver_actions[i].action, o->action) == 0 && driver_actions[i].run(d, o, &r) != 0) {
      r.code = SVC_IO;
      driver_reason(&r);
    }
  if (svc_order_done(o->s, o->id, r.code, r.facts[0] ? r.facts : NULL) != SVC_OK)
    driver_say(d, SVC_LOG_ERROR, "postgres: %s could not be reported, and will come again", o->action);
}

static int driver_take(void *context, svc *s, const svc_order *order)
{
  driver_postgres *d = context;
  driver_order *o, *other;
  int code = SVC_OK;
  pthread_mutex_lock(&d->lock);
  for (other = d->first; other && strcmp(other->id, order->id) != 0; other = other->next) continue;
  o = other || d->ending || d->waiting == DRIVER_QUEUE ? NULL : calloc(1, sizeof *o);
  if (o) o->desired = strndup(order->desired ? order->desired : "{}", order->desired ? order->desired_length : 2);
  if (o && o->desired) {
    o->s = s;
    snprintf(o->id, sizeof o->id, "%s", order->id);
    snprintf(o->action, sizeof o->action, "%s", order->action);
    snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
    snprintf(o->parent_id, sizeof o->parent_id, "%s", order->parent_id);
    snprintf(o->group_id, sizeof o->group_id, "%s", order->group_id);
    snprintf(o->name, sizeof o->name, "%s", order->name);
    if (d->last) d->last->next = o;
    else d->first = o;
    d->last = o;
    d->waiting++;
    pthread_cond_signal(&d->more);
  } else if (!other) {
    free(o);
    code = SVC_BUSY;
  }
  pthread_mutex_unlock(&d->lock);
  return code;
}

/* -------------------------------------------------------------------------------------------------------------- questions */

/* One figure of a cluster: {"metric":"CONNECTIONS"}. */
static int driver_measure(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char text[64], *name = NULL;
  int status = SVC_INVALID;
  int64_t value = 0;
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{metric:%Q}", &name);
  if (name) status = driver_figure(d, q->resource_id, name, &value);
  free(name);
  if (status != SVC_OK) return status;
  snprintf(text, sizeof text, "{\"value\":%lld}", (long long)value);
  return svc_reply_add(reply, text, strlen(text));
}

/* In a child, as the servers' user: the last `most` bytes of a file that is no link, into the pipe. */
static void driver_send_end(const driver_postgres *d, const char *path, off_t most, const int pipe[2])
{
  char bytes[4096];
  struct stat about;
  ssize_t n;
  int fd;
  close(pipe[0]); /* a reader that has enough ends us */
  if (driver_become(d) != 0) _exit(1);
  fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) _exit(1);
  if (about.st_size > most) lseek(fd, about.st_size - most, SEEK_SET);
  while ((n = read(fd, bytes, sizeof bytes)) > 0)
    if (write(pipe[1], bytes, (size_t)n) != n) _exit(1);
  _exit(0);
}

/* The end of what the server has written down. */
static int driver_logs(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  char path[DRIVER_PATH], bytes[4096];
  int out[2], status = -1, code = SVC_OK;
  ssize_t n;
  pid_t pid;
  driver_path(d, path, q->resource_id, "log");
  if (pipe2(out, O_CLOEXEC) != 0) return SVC_IO;
  pid = fork();
  if (pid == 0) driver_send_end(d, path, (off_t)q->most, out);
  close(out[1]);
  while (pid > 0 && code == SVC_OK && (n = read(out[0], bytes, sizeof bytes)) > 0) code = svc_reply_add(reply, bytes, (size_t)n);
  close(out[0]); /* a child that has more to say ends by it */
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return SVC_IO;
  if (code != SVC_OK) return code == SVC_FULL ? SVC_OK : code;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SVC_OK : SVC_IO;
}

static int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  driver_postgres *d = context;
  (void)s;
  if (!driver_is_id(q->resource_id)) return SVC_INVALID;
  if (strcmp(q->what, "measure") == 0) return driver_measure(d, q, reply);
  return strcmp(q->what, "logs") == 0 ? driver_logs(d, q, reply) : SVC_INVALID;
}

/* --------------------------------------------------------------------------------------------------------------- the thread */

/* What should run and does not, because the machine was started anew; and what an earlier version started, which let the driver's
** own role in over TCP. */
static void driver_resume(driver_postgres *d)
{
  char id[32], group[32], hba[DRIVER_PATH], said[DRIVER_PATH];
  DIR *folder = driver_list(d->control, ".");
  driver_path(d, hba, "pg_hba.conf", NULL);
  while (driver_next(folder, id)) {
    if (!driver_knows(d, id, "made") || driver_knows(d, id, "paused")) continue;
    if (driver_is_running(d, id)) {
      int ours = driver_sql(d, id, "show hba_file;\n", said, sizeof said) == 0 && strncmp(said, hba, strlen(hba)) == 0;
      if (ours && driver_knows(d, id, "settled")) continue;
      if (!ours) driver_stop(d, id);
    }
    if (driver_start(d, id) == 0 && driver_read(d, id, "group", group, sizeof group) == 0) driver_settle(d, group, id);
  }
  if (folder) closedir(folder);
}

static void *driver_work(void *context)
{
  driver_postgres *d = context;
  driver_order *o;
  driver_resume(d);
  pthread_mutex_lock(&d->lock);
  while (!d->ending) {
    o = d->first;
    if (!o) {
      pthread_cond_wait(&d->more, &d->lock);
      continue;
    }
    pthread_mutex_unlock(&d->lock); /* it stays in the queue while it is done: the same one is not taken twice */
    driver_perform(d, o);
    pthread_mutex_lock(&d->lock);
    d->first = o->next;
    if (!d->first) d->last = NULL;
    d->waiting--;
    free(o->desired);
    free(o);
  }
  pthread_mutex_unlock(&d->lock);
  return NULL;
}

/* The newest version that is installed. */
static int driver_find_bin(driver_postgres *d)
{
  const char *root = "/usr/lib/postgresql";
  struct dirent *entry;
  DIR *folder = opendir(root);
  long newest = 0;
  while (folder && (entry = readdir(folder)) != NULL)
    if (strtol(entry->d_name, NULL, 10) > newest) newest = strtol(entry->d_name, NULL, 10);
  if (folder) closedir(folder);
  snprintf(d->bin, sizeof d->bin, "%s/%ld/bin", root, newest);
  return newest > 0;
}

/* ---------------------------------------------------------------------------------------------------------------- the folder */

/* Is this what the driver of version 0.2 wrote into such a file? It lay in a folder of the servers' user. */
static int driver_is_sound(const char *file, const char *text)
{
  size_t n = strlen(text);
  if (strcmp(file, "group") == 0) return driver_is_id(text);
  if (strcmp(file, "port") == 0) return n <= 5 && strspn(text, "0123456789") == n;
  if (strcmp(file, "password") == 0) return n == 32 && strspn(text, "0123456789abcdef") == n;
  if (strcmp(file, "name") == 0) return driver_bad_schema(text, 0) == NULL && !strpbrk(text, "\n\r\t/");
  return strcmp(text, "1") == 0;
}

/* A server that version 0.2 made: its control files lay beside its data, and move to FOLDER/control. */
static void driver_migrate_server(driver_postgres *d, const char *id)
{
  static const char *const files[] = { "group", "name", "port", "password", "paused", "made" }; /* made comes last: then it is all there */
  int fd = openat(d->root, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), good = 1;
  char text[256];
  size_t i;
  if (fd < 0) return;
  if (driver_read_at(fd, "made", text, sizeof text) > 0 && !driver_knows(d, id, "made")) {
    for (i = 0; good && i < sizeof files / sizeof files[0]; i++) {
      if (driver_read_at(fd, files[i], text, sizeof text) > 0) good = driver_is_sound(files[i], text) && driver_write(d, id, files[i], text) == 0;
      else good = i >= 2;
    }
    if (good) driver_say(d, SVC_LOG_INFO, "postgres: the server of %s, made by an earlier version, was taken over", id);
    else driver_say(d, SVC_LOG_ERROR, "postgres: the server of %s, made by an earlier version, cannot be taken over: its files are damaged", id);
  }
  for (i = 0; good && driver_knows(d, id, "made") && i < sizeof files / sizeof files[0]; i++) unlinkat(fd, files[i], 0);
  close(fd);
}

/* What version 0.2 left. It wrote users down as SQL, without their roles and scopes: nobody can say what they may do until the
** service orders them again. */
static void driver_migrate(driver_postgres *d)
{
  char id[32];
  DIR *folder = driver_list(d->root, ".");
  while (driver_next(folder, id)) driver_migrate_server(d, id);
  if (folder) closedir(folder);
  if (!driver_is(d->root, "users", NULL, S_IFDIR)) return;
  driver_say(d, SVC_LOG_WARNING, "postgres: database users were made by an earlier version, which kept no roles and scopes: none of them can "
             "log in until it is changed once (PATCH)");
  driver_remove_server(d, "users");
}

/* The servers' user, by name. */
static int driver_find_user(driver_postgres *d, char *why, size_t size)
{
  const char *user = d->config.user ? d->config.user : geteuid() == 0 ? "postgres" : NULL;
  const struct passwd *entry = user ? getpwnam(user) : NULL;
  d->uid = geteuid();
  d->gid = getegid();
  if (user && !entry) return snprintf(why, size, "there is no user %s to run servers as", user), -1;
  if (!entry || entry->pw_uid == d->uid) return 0;
  snprintf(d->user, sizeof d->user, "%s", user);
  d->uid = entry->pw_uid;
  d->gid = entry->pw_gid;
  d->group_count = sizeof d->groups / sizeof d->groups[0];
  if (getgrouplist(user, d->gid, d->groups, &d->group_count) < 0) return snprintf(why, size, "user %s is in too many groups", user), -1;
  return 0;
}

/* The folder itself must be ours alone: whoever else could write there could put a link in the place of anything in it. */
static int driver_open_root(driver_postgres *d, const char *path, char *why, size_t size)
{
  struct stat about;
  int made = mkdir(path, 0700) == 0;
  if (!made && errno != EEXIST) return snprintf(why, size, "%s cannot be made: %s", path, strerror(errno)), -1;
  d->root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (d->root < 0 || fstat(d->root, &about) != 0) return snprintf(why, size, "%s is a link, or no folder: name the folder itself", path), -1;
  if (d->user[0] && about.st_uid == d->uid && driver_is(d->root, "snapshots", NULL, S_IFDIR)) /* as version 0.2 had it */
    made = fchown(d->root, geteuid(), getegid()) == 0;
  else if (about.st_uid != geteuid()) return snprintf(why, size, "%s belongs to another user: name a folder of its own", path), -1;
  else if (about.st_mode & 022) return snprintf(why, size, "%s can be written to by others: chmod go-w it", path), -1;
  if (made && fchmod(d->root, d->user[0] ? 0711 : 0700) != 0) return snprintf(why, size, "%s: %s", path, strerror(errno)), -1;
  return 0;
}

static int driver_open_folder(driver_postgres *d, char *why, size_t size)
{
  static const char hba[] = "# Written by the driver at each start. Its own role gets in by the socket alone; everybody else by password.\n"
                            "local all " DRIVER_ADMIN " trust\nlocal replication " DRIVER_ADMIN " trust\n"
                            "host all " DRIVER_ADMIN " all reject\nhost all all 127.0.0.1/32 scram-sha-256\n";
  char path[DRIVER_PATH], *whole;
  struct stat about;
  size_t n = d->config.folder ? strlen(d->config.folder) : 0;
  if (n == 0 || n >= sizeof path) return snprintf(why, size, "the driver has no folder, or one with too long a name"), -1;
  memcpy(path, d->config.folder, n + 1);
  while (n > 1 && path[n - 1] == '/') path[--n] = 0; /* LINK/ would be followed */
  if (driver_open_root(d, path, why, size) != 0) return -1;
  whole = realpath(path, NULL);
  if (!whole || strlen(whole) > DRIVER_FOLDER || strpbrk(whole, "'\"\\$`\n")) {
    snprintf(why, size, "%s: %s, give --driver-folder", path, whole ? "too long a path for sockets in it, or one with quotes" : strerror(errno));
    free(whole);
    return -1;
  }
  snprintf(d->folder, sizeof d->folder, "%s", whole);
  free(whole);
  if (!driver_reaches(d))
    return snprintf(why, size, "user %s does not get into %s: chmod 711 it, or give --driver-folder another", d->user, d->folder), -1;
  if (mkdirat(d->root, "control", 0700) != 0 && errno != EEXIST) return snprintf(why, size, "%s/control: %s", d->folder, strerror(errno)), -1;
  d->control = openat(d->root, "control", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (d->control < 0 || fstat(d->control, &about) != 0 || about.st_uid != geteuid() || about.st_mode & 077)
    return snprintf(why, size, "%s/control is not a folder that is ours alone", d->folder), -1;
  if (driver_write_at(d->root, "pg_hba.conf", hba, 0644) != 0 || driver_server_folder(d, "snapshots") != 0)
    return snprintf(why, size, "%s cannot be written to: %s", d->folder, strerror(errno)), -1;
  return 0;
}

static int driver_prepare(driver_postgres *d, char *why, size_t size)
{
  char program[DRIVER_PATH * 2];
  if (d->config.bin) snprintf(d->bin, sizeof d->bin, "%s", d->config.bin);
  else if (!driver_find_bin(d)) return snprintf(why, size, "PostgreSQL is not in /usr/lib/postgresql: install it"), -1;
  snprintf(program, sizeof program, "%s/initdb", d->bin);
  if (access(program, X_OK) != 0) return snprintf(why, size, "%s is not there", program), -1;
  if (driver_find_user(d, why, size) != 0 || driver_open_folder(d, why, size) != 0) return -1;
  driver_migrate(d);
  return 0;
}

static void driver_free(driver_postgres *d)
{
  if (d->control >= 0) close(d->control);
  if (d->root >= 0) close(d->root);
  free(d);
}

int driver_postgres_open(driver_postgres **out, const driver_postgres_config *config, char *why, size_t why_size)
{
  driver_postgres *d = calloc(1, sizeof *d);
  *out = NULL;
  if (!d) return snprintf(why, why_size, "no memory"), -1;
  d->config = *config;
  d->root = d->control = -1;
  d->driver = (svc_driver){ .perform = driver_take, .ask = driver_ask, .context = d };
  if (driver_prepare(d, why, why_size) != 0) {
    driver_free(d);
    return -1;
  }
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->more, NULL);
  if (pthread_create(&d->thread, NULL, driver_work, d) != 0) {
    driver_free(d);
    return snprintf(why, why_size, "no thread for the driver"), -1;
  }
  *out = d;
  return 0;
}

const svc_driver *driver_postgres_driver(driver_postgres *d)
{
  return &d->driver;
}

void driver_postgres_stop(driver_postgres *d)
{
  if (!d || d->ending) return;
  pthread_mutex_lock(&d->lock);
  d->ending = 1;
  pthread_cond_signal(&d->more);
  pthread_mutex_unlock(&d->lock);
  pthread_join(d->thread, NULL);
}

void driver_postgres_close(driver_postgres *d)
{
  driver_order *o;
  if (!d) return;
  driver_postgres_stop(d);
  while ((o = d->first) != NULL) { /* they come again when the service is opened again */
    d->first = o->next;
    free(o->desired);
    free(o);
  }
  pthread_cond_destroy(&d->more);
  pthread_mutex_destroy(&d->lock);
  driver_free(d);
}
