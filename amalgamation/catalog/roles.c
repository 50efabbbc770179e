/*
** The roles as a table: from name to number and back, and the roles that each one includes.
**
** The rule: a role includes itself, so checking a permission is one AND of two sets. Numbers of roles exist in memory
** only. The store and the API use names, because the order of the roles may change.
*/
#include "catalog/catalog.h"

typedef struct roles_row {
  const char *name;
  unsigned char length; /* of the name */
  unsigned char level; /* SVC_SCOPE_ORGANIZATION or SVC_SCOPE_GROUP */
  uint64_t includes;
} roles_row;

static const roles_row *roles_table(void)
{
#define ROLES_ROW(name, level, includes) { #name, sizeof #name - 1, SVC_SCOPE_##level, (includes) | SVC_R_##name },
  static const roles_row rows[SVC_ROLE_COUNT] = { SVC_ROLE_LIST(ROLES_ROW) };
#undef ROLES_ROW
  return rows;
}

SVC_PRIVATE int svc_role_by_name(svc_str name)
{
  const roles_row *rows = roles_table();
  int i;
  for (i = 0; i < SVC_ROLE_COUNT; i++)
    if (rows[i].length == name.n && memcmp(rows[i].name, name.p, name.n) == 0) return i;
  return -1;
}

SVC_PRIVATE bool (svc_no_role)(svc_call *c, svc_str name)
{
  const roles_row *rows = roles_table();
  svc_near guess = svc_near_begin(name);
  int i;
  for (i = 0; i < SVC_ROLE_COUNT; i++) svc_near_try(&guess, rows[i].name);
  return svc_fail_as(c, svc_arena_print(c->arena, "The role " SVC_FMT " does not exist%s", SVC_ARG(name),
                                        guess.best ? svc_did_you_mean(c, &guess).p : "; roles begin with ORG_ or GROUP_."),
                     SVC_E_INVALID_ROLE, "S", &name);
}

SVC_PRIVATE uint64_t svc_role_includes(int role)
{
  return roles_table()[role].includes;
}

SVC_PRIVATE uint64_t svc_role_least(void)
{
  return SVC_R_GROUP_READ_ONLY;
}

SVC_PRIVATE uint64_t svc_role_all(void)
{
  return SVC_R_ALL_GROUP;
}

SVC_PRIVATE const char *svc_role_name(int role)
{
  return role < SVC_ROLE_COUNT ? roles_table()[role].name : NULL;
}

SVC_PRIVATE int svc_role_level(int role)
{
  return roles_table()[role].level;
}
