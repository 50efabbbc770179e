/*
** The rows from the tests of nouns, in one list: see needs.h. build.sh writes needs_list.h.
*/
#include "needs.h"

#define NEEDS(suite) extern T_NEEDS(suite);
#include "needs_list.h"
#undef NEEDS

static const t_need *const needs_tables[] = {
#define NEEDS(suite) svc_needs_##suite,
#include "needs_list.h"
#undef NEEDS
};

const t_need *t_needs_next(t_needs *at, enum t_need_kind kind)
{
  while (at->table < sizeof needs_tables / sizeof needs_tables[0]) {
    const t_need *need = &needs_tables[at->table][at->row++];
    if (need->kind == T_NEED_END) at->table++, at->row = 0;
    else if (need->kind == kind) return need;
  }
  return NULL;
}

/* Kinds that apply to all methods of a path have no method, which reads as GET. */
static bool needs_any_method(enum t_need_kind kind)
{
  return kind == T_NEED_ELSEWHERE || kind == T_NEED_PATCH_MAKES;
}

const t_need *t_needs_of(t_needs *at, enum t_need_kind kind, const svc_plan *plan)
{
  const t_need *need;
  while ((need = t_needs_next(at, kind)) != NULL)
    if ((need->method == plan->route->method || needs_any_method(kind)) && strcmp(need->path, plan->route->path) == 0) return need;
  return NULL;
}

bool t_needs_say(enum t_need_kind kind, const svc_plan *plan)
{
  t_needs at = { 0, 0 };
  return t_needs_of(&at, kind, plan) != NULL;
}

const t_need *t_needs_param(enum t_need_kind kind, const svc_plan *plan, svc_str param)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, kind)) != NULL)
    if (svc_str_is(param, need->param) && (!need->path || strcmp(need->path, plan->route->path) == 0)) return need;
  return NULL;
}
