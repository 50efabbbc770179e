/*
** The catalog as an open handle uses it: every noun with its parent, every route with the entities its path names.
**
** The tables refer to each other by name, so that no noun's file needs another's symbol; here the names are resolved,
** once, at open. A noun that was left out of the build is simply not there: what belongs to it is left out as well.
*/
#include "internal.h"

SVC_PRIVATE const svc_noun_info *svc_noun_named(const svc *s, const char *name)
{
  size_t i;
  for (i = 0; name && i < s->noun_count; i++)
    if (strcmp(s->nouns[i].noun->name, name) == 0) return &s->nouns[i];
  return NULL;
}

SVC_PRIVATE const svc_noun_info *svc_noun_by_kind(const svc *s, const char *kind)
{
  size_t i;
  for (i = 0; i < s->noun_count; i++)
    if (s->nouns[i].noun->kind && memcmp(s->nouns[i].noun->kind, kind, SVC_KIND_SIZE) == 0) return &s->nouns[i];
  return NULL;
}

static bool plan_presets(svc *s, svc_noun_info *info)
{
  svc_node *body = svc_presets(&s->memory, info->noun->object);
  return body && svc_body_write(&s->memory, body, &info->preset, &info->preset_links_at);
}

/* Nouns that the pipeline rests on are found by their flags, not by their names. */
static void plan_mark(svc *s, const svc_noun_info *info)
{
  const struct {
    unsigned flag;
    const svc_noun_info **slot;
  } marks[] = {
    { SVC_IS_GROUP, &s->group }, { SVC_IS_ORG, &s->org },         { SVC_IS_FEED, &s->feed },   { SVC_IS_QUOTA, &s->quota },
    { SVC_IS_KEY, &s->key },     { SVC_IS_ACCOUNT, &s->account }, { SVC_IS_TOKEN, &s->token }, { SVC_IS_USER, &s->user },
    { SVC_IS_TEAM, &s->team },   { SVC_IS_MEMBER, &s->member },   { SVC_IS_ORG_POLICY, &s->policy },
  };
  size_t i;
  for (i = 0; i < sizeof marks / sizeof marks[0]; i++)
    if (info->noun->flags & marks[i].flag) *marks[i].slot = info;
}

static bool plan_nouns(svc *s)
{
  const svc_noun *const *nouns = svc_catalog(&s->noun_count);
  size_t i;
  s->nouns = svc_arena_zero(&s->memory, s->noun_count * sizeof *s->nouns);
  if (!s->nouns) return false;
  for (i = 0; i < s->noun_count; i++) {
    svc_noun_info *info = &s->nouns[i];
    info->noun = nouns[i];
    plan_mark(s, info);
  }
  for (i = 0; i < s->noun_count; i++) {
    svc_noun_info *info = &s->nouns[i];
    info->parent = svc_noun_named(s, info->noun->parent);
    if (info->noun->flags & SVC_SINGLETON && !plan_presets(s, info)) return false;
  }
  return true;
}

/* The names between braces, in order. */
static void plan_params(svc_plan *plan)
{
  const char *p = plan->route->path;
  while ((p = strchr(p, '{')) != NULL && plan->param_count < SVC_MAX_PARAMS) {
    const char *end = strchr(p, '}');
    if (!end) return;
    plan->params[plan->param_count++] = (svc_str){ p + 1, (size_t)(end - p - 1) };
    p = end;
  }
}

/* How many parameters, from this one on, name one of the noun: 0 when they do not. */
static unsigned plan_matches(const svc_plan *plan, unsigned at, const svc_noun *noun)
{
  svc_str rest = svc_str_c(noun->param);
  unsigned n = 0;
  if (!noun->param) return 0;
  while (rest.n) {
    svc_str name = svc_str_cut(&rest, '/');
    if (at + n >= plan->param_count || !svc_str_eq(plan->params[at + n], name)) return 0;
    n++;
  }
  return n;
}

static void plan_step(svc_plan *plan, const svc_noun_info *noun, unsigned param, unsigned count, bool by_unique)
{
  struct svc_plan_step *step = &plan->steps[plan->step_count++];
  step->noun = noun;
  step->param = param;
  step->param_count = count;
  step->by_unique = by_unique;
  plan->own = noun == plan->noun;
}

/* The project or organization whose bucket the route draws from. */
static int plan_scope_param(const svc *s, const svc_plan *plan)
{
  int scope = svc_set_table()[plan->route->set].scope;
  const svc_noun_info *noun = scope == SVC_SCOPE_GROUP ? s->group : scope == SVC_SCOPE_ORGANIZATION ? s->org : NULL;
  unsigned i;
  for (i = 0; noun && i < plan->step_count; i++)
    if (plan->steps[i].noun == noun && !plan->steps[i].by_unique) return (int)plan->steps[i].param;
  return -1;
}

/* Which noun a parameter names: organization and project everywhere, else the route's own and those it belongs to. */
static unsigned plan_find(const svc *s, const svc_plan *plan, unsigned at, const svc_noun_info **out)
{
  const svc_noun_info *scopes[2] = { s->org, s->group }, *noun;
  unsigned n, i;
  for (noun = plan->noun; noun; noun = noun->parent)
    if ((n = plan_matches(plan, at, noun->noun)) != 0) return *out = noun, n;
  for (i = 0; i < 2; i++)
    if (scopes[i] && (n = plan_matches(plan, at, scopes[i]->noun)) != 0) return *out = scopes[i], n;
  return 0;
}

static void plan_steps(const svc *s, svc_plan *plan)
{
  unsigned at = 0;
  while (at < plan->param_count && plan->step_count < SVC_MAX_CHAIN) {
    const svc_noun_info *noun = NULL;
    unsigned n = plan_find(s, plan, at, &noun);
    if (n == 0 && plan->route->by && at + 1 == plan->param_count) {
      plan_step(plan, plan->noun, at, 1, true);
      return;
    }
    if (n) plan_step(plan, noun, at, n, false);
    at += n ? n : 1;
  }
}

static bool plan_same_parents(const svc_plan *a, const svc_plan *item)
{
  unsigned parents = a->step_count - (a->own ? 1 : 0), i;
  if (item->step_count - (item->own ? 1 : 0) != parents) return false;
  for (i = 0; i < parents; i++)
    if (a->steps[i].noun != item->steps[i].noun) return false;
  return true;
}

/* The route whose answer is one of this noun, reached through the same parents where it has any. */
static const svc_plan *plan_item(const svc *s, const svc_plan *plan)
{
  const svc_plan *found = NULL;
  size_t i;
  for (i = 0; i < s->plan_count; i++) {
    const svc_plan *p = &s->plans[i];
    bool singleton = (p->noun->noun->flags & SVC_SINGLETON) != 0;
    bool reads = p->route->run == svc_verb_read || p->route->flags & SVC_ITEM;
    if (p->noun != plan->noun || p->route->method != SVC_GET || !reads || p->route->by) continue;
    if (!p->own && !singleton) continue;
    if (!found || plan_same_parents(plan, p)) found = p;
    if (plan_same_parents(plan, p)) break;
  }
  return found;
}

/* Is all in this build that the route stands on: what its noun belongs to, and the project or organization of its path? */
static bool plan_served(const svc *s, const svc_noun_info *noun, const svc_route *r)
{
  for (; noun; noun = noun->parent)
    if (noun->noun->parent && !noun->parent) return false;
  return (s->group || !strstr(r->path, "{groupId}")) && (s->org || !strstr(r->path, "{orgId}"));
}

SVC_PRIVATE int svc_plan_open(svc *s)
{
  size_t i, n = 0;
  const svc_route *r;
  if (!plan_nouns(s)) return SVC_NOMEM;
  for (i = 0; i < s->noun_count; i++)
    for (r = s->nouns[i].noun->routes; r && r->path; r++) s->plan_count += plan_served(s, &s->nouns[i], r);
  s->plans = svc_arena_zero(&s->memory, s->plan_count * sizeof *s->plans);
  if (!s->plans) return SVC_NOMEM;
  for (i = 0; i < s->noun_count; i++)
    for (r = s->nouns[i].noun->routes; r && r->path; r++) {
      svc_plan *plan = &s->plans[n];
      if (!plan_served(s, &s->nouns[i], r)) continue;
      n++;
      plan->route = r;
      plan->noun = &s->nouns[i];
      plan_params(plan);
      plan_steps(s, plan);
      plan->scope_param = plan_scope_param(s, plan);
    }
  for (i = 0; i < s->plan_count; i++) {
    svc_plan *plan = &s->plans[i];
    plan->item = plan_item(s, plan);
    plan->item_by_owner = plan->item && plan->step_count && plan->item->step_count && plan->steps[0].noun == s->group &&
                          plan->item->steps[0].noun == s->org;
  }
  return SVC_OK;
}
