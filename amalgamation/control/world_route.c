/*
** The route that a member of a world stands for: paths of the document against the paths of the routes.
**
** The rule: the tables alone decide. A path of the document is a path of the API below the base path, in our own words, with values in
** place of parameters.
*/
#include "control/world_parts.h"

/* A segment of a path against one of a route: 2, literally; 1, as the value of a parameter; 0, no match. */
static int world_route_segment(svc_str route, svc_str text)
{
  const char *close = route.n && route.p[0] == '{' ? memchr(route.p, '}', route.n) : NULL;
  size_t tail;
  if (!close) return svc_str_eq(route, text) ? 2 : 0;
  tail = (size_t)(route.p + route.n - close - 1);
  if (text.n <= tail || memcmp(text.p + text.n - tail, close + 1, tail) != 0) return 0;
  return memchr(text.p, ':', text.n - tail) ? 0 : 1;
}

/* The first segment of a path that begins with a slash; rest continues at the next slash. */
static svc_str world_route_next(svc_str *rest)
{
  svc_str segment = { rest->p + 1, 0 };
  while (segment.n + 1 < rest->n && segment.p[segment.n] != '/') segment.n++;
  rest->p += segment.n + 1;
  rest->n -= segment.n + 1;
  return segment;
}

/* Segments from left to right: the number of literal matches. Negative: no match. *rest: the rest of the route; *last: how the last
** segment of the path matched. */
static int world_route_match(const char *route, svc_str path, svc_str *rest, int *last)
{
  int words = 0;
  *rest = svc_str_c(route);
  *last = 2;
  while (path.n) {
    svc_str text;
    if (path.p[0] != '/' || !rest->n) return -1;
    text = world_route_next(&path);
    *last = world_route_segment(world_route_next(rest), text);
    if (!*last) return -1;
    words += *last == 2;
  }
  return words;
}

SVC_PRIVATE const svc_plan *svc_world_plan(const svc *s, int method, svc_str path)
{
  const svc_plan *found = NULL;
  int best = -1, words, last;
  svc_str rest;
  size_t i;
  for (i = 0; i < s->plan_count; i++) {
    const svc_route *r = s->plans[i].route;
    if (r->method != method || r->flags & SVC_ABSOLUTE) continue;
    words = world_route_match(r->path, path, &rest, &last);
    if (words <= best || rest.n) continue;
    best = words;
    found = &s->plans[i];
  }
  return found;
}

SVC_PRIVATE bool svc_world_leads(const svc *s, svc_str path, bool named)
{
  svc_str rest;
  size_t i;
  int last;
  for (i = 0; i < s->plan_count; i++) {
    const svc_route *r = s->plans[i].route;
    if (r->flags & SVC_ABSOLUTE || world_route_match(r->path, path, &rest, &last) < 0) continue;
    if (last == 2 || !named) return true;
  }
  return false;
}

SVC_PRIVATE const svc_plan *svc_world_root_maker(const svc *s, const svc_plan *list)
{
  size_t i;
  for (i = 0; list && i < s->plan_count; i++) {
    const svc_plan *p = &s->plans[i];
    if (p->noun == list->noun && p->route->method == SVC_POST && !p->param_count && !(p->route->flags & SVC_ABSOLUTE)) return p;
  }
  return NULL;
}

SVC_PRIVATE const svc_plan *svc_world_item_writer(const svc *s, const svc_plan *list, int method)
{
  const size_t n = list ? strlen(list->route->path) : 0;
  size_t i;
  for (i = 0; list && i < s->plan_count; i++) {
    const svc_plan *p = &s->plans[i];
    if (p->noun == list->noun && p->route->method == method && p->own && strncmp(p->route->path, list->route->path, n) == 0 &&
        strncmp(p->route->path + n, "/{", 2) == 0 && !strchr(p->route->path + n, ':'))
      return p;
  }
  return NULL;
}

SVC_PRIVATE const svc_object *svc_world_object(const svc_plan *plan)
{
  if (plan->route->flags & (SVC_NO_BODY | SVC_RAW_BODY)) return NULL;
  return plan->route->body ? plan->route->body : plan->noun->noun->object;
}

SVC_PRIVATE svc_str svc_world_below(svc_world *w, svc_str path, svc_str name)
{
  if (name.n && (name.p[0] == ':' || name.p[0] == '/')) return svc_arena_print(w->arena, SVC_FMT SVC_FMT, SVC_ARG(path), SVC_ARG(name));
  return svc_arena_print(w->arena, SVC_FMT "/" SVC_FMT, SVC_ARG(path), SVC_ARG(name));
}

SVC_PRIVATE svc_str svc_world_key(svc_arena *a, const char *fields, const svc_node *body)
{
  svc_buf b = svc_buf_new(a, 64);
  svc_str rest = svc_str_c(fields);
  while (rest.n) {
    const svc_node *value = svc_node_find(body, svc_str_cut(&rest, '/'));
    if (!value || value->type != SVC_J_STRING || !value->text.n) return SVC_S("");
    if (b.n) svc_buf_char(&b, '/');
    svc_percent_encode(&b, value->text);
  }
  return svc_buf_done(&b);
}

/* The value of a route's parameter in this path. */
static svc_str world_route_param(const svc_plan *plan, svc_str path, svc_str name)
{
  svc_str route = svc_str_c(plan->route->path);
  while (route.n && path.n) {
    svc_str segment = svc_str_cut(&route, '/'), value = svc_str_cut(&path, '/');
    if (segment.n == name.n + 2 && segment.p[0] == '{' && memcmp(segment.p + 1, name.p, name.n) == 0) return value;
  }
  return SVC_S("");
}

/* The number of parameters of an item's route that neither the path of its collection nor the key has; negative: the key has more parts. */
static int world_route_lacking(const svc_plan *plan, svc_str path, svc_str key)
{
  const char *p = plan->item->route->path, *close;
  int n = 0;
  for (p = strchr(p, '{'); p; p = strchr(close, '{')) {
    close = strchr(p, '}');
    n += !world_route_param(plan, path, (svc_str){ p + 1, (size_t)(close - p - 1) }).n;
  }
  while (key.n) n -= svc_str_cut(&key, '/').n > 0;
  return n;
}

SVC_PRIVATE svc_str svc_world_item_path(svc_world *w, const svc_plan *plan, svc_str path, svc_str key, const svc_node *shown)
{
  svc_buf b = svc_buf_new(w->arena, 128);
  const char *p = plan->item ? plan->item->route->path : "";
  int lacking;
  if (!key.n || !plan->item) return SVC_S("");
  lacking = world_route_lacking(plan, path, key);
  while (*p) {
    const char *close = *p == '{' ? strchr(p, '}') : NULL;
    svc_str value, name;
    if (!close) {
      svc_buf_char(&b, *p++);
      continue;
    }
    name = (svc_str){ p + 1, (size_t)(close - p - 1) };
    value = world_route_param(plan, path, name);
    if (!value.n && lacking-- > 0) value = svc_world_key(w->arena, svc_arena_copy(w->arena, name).p, shown); /* a field has the same name */
    else if (!value.n) value = svc_str_cut(&key, '/');
    if (!value.n) return SVC_S("");
    svc_buf_str(&b, value);
    p = close + 1;
  }
  return svc_buf_done(&b);
}
