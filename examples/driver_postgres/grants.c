/*
** SQL of roles, schemas and grants.
**
** The rule: the driver's own role is a superuser, and tenants create tables and functions in the database that it connects to. Every
** script therefore runs with search_path = pg_catalog (server.c), and names from the API appear only as quoted literals and identifiers.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <string.h>

/* Writes an SQL literal or identifier: in quotes, with quotes inside doubled. The text must have no control characters. */
void driver_quote(FILE *sql, const char *text, char mark)
{
  fputc(mark, sql);
  for (; *text; text++) {
    if (*text == mark) fputc(mark, sql);
    fputc(*text, sql);
  }
  fputc(mark, sql);
}

/* Writes SQL about a role or schema. {name} becomes an identifier, {'name'} a literal. */
void driver_print(FILE *sql, const char *text, const char *name)
{
  static const char identifier[] = "{name}", literal[] = "{'name'}";
  while (*text) {
    int is_identifier = strncmp(text, identifier, sizeof identifier - 1) == 0, is_literal = strncmp(text, literal, sizeof literal - 1) == 0;
    if (is_identifier || is_literal) driver_quote(sql, name, is_literal ? '\'' : '"');
    else fputc(*text, sql);
    text += is_identifier ? sizeof identifier - 1 : is_literal ? sizeof literal - 1 : 1;
  }
}

/* Creates a schema and its three roles, if missing, and sets the psql variables r, w and m to the roles' names. A schema of an earlier
** version has only the roles r and w. */
const char driver_sql_schema[] =
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
  "\\endif\n"
  "select 'svc_make_' || oid as m, not exists (select from pg_roles where rolname = 'svc_make_' || n.oid) as fresh from pg_namespace n"
  " where nspname = {'name'} \\gset\n"
  "\\if :fresh\n"
  "create role :\"m\";\ngrant usage, create on schema {name} to :\"m\";\ngrant :\"m\" to svc_make_any;\n"
  "\\endif\n";

/* Takes all privileges from the role of a tenant: it has no administrator's attribute, is a member of no role, and has no members. */
const char driver_sql_bare[] =
  "alter role {name} nosuperuser nocreatedb nocreaterole noreplication nobypassrls inherit connection limit -1 valid until 'infinity';\n"
  "alter role {name} reset all;\nalter role {name} in database postgres reset all;\n"
  "select format('revoke %I from %I', g.rolname, u.rolname) from pg_auth_members m join pg_roles g on g.oid = m.roleid"
  " join pg_roles u on u.oid = m.member where {'name'} in (u.rolname, g.rolname) \\gexec\n"
  "select format('revoke all on schema %I from %I', n.nspname, u.rolname) from pg_namespace n, aclexplode(n.nspacl) x"
  " join pg_roles u on u.oid = x.grantee where u.rolname = {'name'} and n.nspowner <> u.oid group by 1 \\gexec\n"
  "revoke all on database postgres from {name};\n"
  "revoke all on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from {name};\n";

/* Default privileges: readers and writers of a schema can use the tables and sequences that a user creates there from now on. */
const char driver_sql_defaults[] =
  "select format('alter default privileges for role %I in schema %I grant select on tables to %I', u.rolname, n.nspname, r),"
  " format('alter default privileges for role %I in schema %I grant select, insert, update, delete on tables to %I', u.rolname, n.nspname, w),"
  " format('alter default privileges for role %I in schema %I grant select on sequences to %I', u.rolname, n.nspname, r),"
  " format('alter default privileges for role %I in schema %I grant select, usage, update on sequences to %I', u.rolname, n.nspname, w)"
  " from pg_roles u, pg_namespace n, concat('svc_read_', n.oid) r, concat('svc_write_', n.oid) w join pg_roles g on g.rolname = w"
  " where u.rolcanlogin and not u.rolsuper and has_schema_privilege(u.oid, n.oid, 'create')"
  " and not exists (select from pg_default_acl where defaclrole = u.oid and defaclnamespace = n.oid) \\gexec\n";

/* Fails if the role is a superuser, or one of the server's own (oid below 16384): such a role cannot be a database user. */
const char driver_sql_guard[] =
  "select set_config('svc.name', {'name'}, false) \\g /dev/null\n"
  "do $$ begin if exists (select from pg_roles where rolname = current_setting('svc.name') and (rolsuper or oid < 16384)) then"
  " raise exception 'the role % belongs to the server', current_setting('svc.name'); end if; end $$;\n";

const char driver_sql_writer[] =
  "grant temporary on database postgres to {name};\n"
  "grant execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) to {name};\n";

/* Gives everything that the user owns to svc_former, if the user owns anything in a schema in which it can no longer create. */
static const char driver_sql_owned[] =
  "select format('reassign owned by %I to svc_former', {'name'}) where exists (select from (select relnamespace n, relowner o from pg_class"
  " union select pronamespace, proowner from pg_proc union select typnamespace, typowner from pg_type) x join pg_roles u on u.oid = o"
  " join pg_namespace s on s.oid = n where u.rolname = {'name'} and s.nspname !~ '^pg_' and not has_schema_privilege(u.oid, n, 'create')) \\gexec\n";

/* Removes a role that driver_sql_out has shut out. */
const char driver_sql_drop[] =
  "begin;\n"
  "select format('reassign owned by %I to svc_former', rolname), format('drop owned by %I', rolname), format('drop role %I', rolname)"
  " from pg_roles where rolname = {'name'} and not rolsuper and oid >= 16384 \\gexec\n"
  "commit;\n";

/* Names the role that driver_sql_out shuts out: none if it does not exist, or belongs to the
** server. */
const char driver_sql_one[] =
  "select set_config('svc.roles', coalesce(string_agg(oid::text, ','), ''), false) from pg_roles"
  " where rolname = {'name'} and not rolsuper and oid >= 16384 \\g /dev/null\n";

/*
** Shuts roles out: none of them can log in, and none has a session. A session of a role can lock
** the role's row ("alter role SELF") for as long as it likes. So each turn ends the role's sessions
** first, which frees the lock, and then tries to forbid the login; a session that has logged in
** between can only delay it by a turn. A failed statement may find the row changed, so any error
** takes another turn. When the login is forbidden and committed, sessions that were being opened at
** that moment are ended, too.
*/
const char driver_sql_out[] =
  "set lock_timeout = 250;\n"
  "do $$ declare ids oid[] := string_to_array(current_setting('svc.roles'), ',')::oid[];\n"
  " one oid; why text; failed text;\n"
  "begin\n"
  "  foreach one in array ids loop\n"
  "    for turn in 1..20 loop\n"
  "      perform pg_stat_clear_snapshot();\n"
  "      perform pg_terminate_backend(pid) from pg_stat_activity where usesysid = one;\n"
  "      begin\n"
  "        execute (select format('alter role %I nologin', rolname) from pg_roles"
  " where oid = one);\n"
  "        why := null;\n"
  "      exception when others then\n"
  "        why := sqlerrm;\n"
  "      end;\n"
  "      exit when why is null;\n"
  "    end loop;\n"
  "    commit;\n"
  "    if why is not null then\n"
  "      failed := concat_ws(', ', failed, (select format('%I (%s)', rolname, why) from pg_roles"
  " where oid = one));\n"
  "    end if;\n"
  "  end loop;\n"
  "  for turn in 1..case when cardinality(ids) = 0 then 0 else 3 end loop\n"
  "    perform pg_stat_clear_snapshot();\n"
  "    perform pg_terminate_backend(a.pid) from pg_stat_activity a"
  " join pg_roles r on r.oid = a.usesysid where r.oid = any (ids) and not r.rolcanlogin;\n"
  "    perform pg_sleep(0.1);\n"
  "  end loop;\n"
  "  if failed is not null then\n"
  "    raise exception 'the login cannot be forbidden: %', failed;\n"
  "  end if;\n"
  "end $$;\n";

/* The roles that a user becomes a member of, in the order of the bits of enum driver_level. */
static const char *const grants_here[] = { "grant :\"r\" to {name};\n", "grant :\"w\" to {name};\n", "grant :\"m\" to {name};\n" };
static const char *const grants_anywhere[] = { "grant svc_read_any to {name};\n", "grant svc_write_any to {name};\n", "grant svc_make_any to {name};\n" };

static void grants_member(FILE *sql, int level, const char *name, const char *const texts[3])
{
  int i;
  for (i = 0; i < 3; i++)
    if (level & 1 << i) driver_print(sql, texts[i], name);
}

/* Writes the script that creates or updates a user, in one transaction. The result does not depend on earlier privileges of the role. */
void driver_account_sql(FILE *sql, const driver_account *a)
{
  int i, all = a->anywhere;
  fputs("begin;\n", sql);
  driver_print(sql, driver_sql_guard, a->name);
  driver_print(sql, "select format('create role %I', {'name'}) where not exists (select from pg_roles where rolname = {'name'}) \\gexec\n"
               "alter role {name} login password ", a->name);
  driver_quote(sql, a->verifier, '\'');
  fputs(";\n", sql);
  driver_print(sql, driver_sql_bare, a->name);
  for (i = 0; i < a->grant_count; i++) {
    driver_print(sql, driver_sql_schema, a->grants[i].schema);
    grants_member(sql, a->grants[i].level, a->name, grants_here);
    all |= a->grants[i].level;
  }
  grants_member(sql, a->anywhere, a->name, grants_anywhere);
  if (a->monitors) driver_print(sql, "grant pg_read_all_stats, pg_stat_scan_tables to {name};\n", a->name);
  if (a->signals) driver_print(sql, "grant pg_signal_backend to {name};\n", a->name);
  if (all & DRIVER_WRITES) driver_print(sql, driver_sql_writer, a->name);
  if (a->grant_count == 1 && !a->anywhere) { /* names without a schema belong to the user's only schema */
    driver_print(sql, "alter role {name} set search_path = ", a->name);
    driver_print(sql, "{name};\n", a->grants[0].schema);
  }
  driver_print(sql, driver_sql_owned, a->name);
  fputs(driver_sql_defaults, sql);
  fputs("commit;\n", sql);
}

/*
** Roles and settings of every server. The driver's own role has no password, and pg_hba.conf refuses it over TCP. svc is a first user, for
** projects without database users; its password is in FOLDER/control/ID/password. svc_former owns the tables of deleted users; svc is a
** member of svc_former, so svc can manage these tables.
*/
const char driver_sql_prepare[] =
  "alter role " DRIVER_ADMIN " password null;\n"
  "select format('create role %I', n) from unnest(array['svc', 'svc_former', 'svc_read_any', 'svc_write_any', 'svc_make_any']) n"
  " where not exists (select from pg_roles where rolname = n) \\gexec\n"
  "revoke all on database postgres, template1 from public;\ngrant connect on database postgres to public;\n"
  "revoke create on schema public from public;\n"
  "revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;\n";

/* Tenants may not see the queries of other users. Version 1.0.0 let a database user have a role on
** this schema. */
const char driver_sql_statements[] =
  "create schema if not exists " DRIVER_STATS ";\n"
  "create extension if not exists pg_stat_statements with schema " DRIVER_STATS ";\n"
  "select format('revoke all on schema " DRIVER_STATS " from %I', r.rolname)"
  " from pg_namespace n, aclexplode(n.nspacl) x join pg_roles r on r.oid = x.grantee"
  " where n.nspname = '" DRIVER_STATS "' and x.grantee <> n.nspowner \\gexec\n";
