/*
** Routing: path and method to operation.
**
** A tree of segments, built once at open. A node has literal segments, sorted, and parameters, each with the
** text that must follow it in its segment: nothing, ":action", ".gz". A literal beats a parameter, and a parameter with
** a suffix beats one without. If a literal leads nowhere, or has no operation of this method, the parameters are tried:
** /clusters/provider is a cluster of that name, although /clusters/provider/regions is not, and GET /clusters/tenantUpgrade
** is one, although POST is an operation. After a parameter with a suffix, the next parameter is tried only if the path leads
** nowhere: /clusters/shop:pin with a method that ":pin" lacks gets 405, since no name ends in ":pin". A 405 lists the methods
** of all choices that were tried, or of that suffix alone.
**
** The rule: the structure is read from the path as sent, before percent-decoding, so that a name may contain an encoded
** slash or colon. Encoded unreserved characters equal plain ones, as RFC 3986 says, and are decoded first.
*/
#include "pipeline/pipeline.h"

typedef struct route_node route_node;
typedef struct route_edge {
  svc_str text;
  route_node *to;
} route_edge;

struct route_node {
  route_edge *literals, *params; /* params: text is the suffix; longest first */
  unsigned literal_count, literal_room, param_count, param_room;
  const svc_plan *plans[SVC_METHOD_COUNT];
  unsigned allowed;
};

struct svc_router {
  route_node root;     /* below the base path */
  route_node absolute; /* absolute paths */
};

/* ------------------------------------------------------------------------------------------------------------- building */

/* By length, then by bytes: cheaper than the order of texts. */
static int route_order(svc_str a, svc_str b)
{
  if (a.n != b.n) return a.n < b.n ? -1 : 1;
  return a.n ? memcmp(a.p, b.p, a.n) : 0;
}

/* Finds or adds an edge, in sorted order: literals shortest first, suffixes longest first. NULL: out of memory. */
static route_node *route_edge_to(svc_arena *a, route_edge **edges, unsigned *count, unsigned *room, svc_str text, int sign)
{
  unsigned i = 0;
  while (i < *count && sign * route_order((*edges)[i].text, text) < 0) i++;
  if (i < *count && route_order((*edges)[i].text, text) == 0) return (*edges)[i].to;
  if (*count == *room) {
    unsigned more = *room ? *room * 2 : 4;
    route_edge *grown = svc_arena_alloc(a, more * sizeof *grown);
    if (!grown) return NULL;
    if (*count) memcpy(grown, *edges, *count * sizeof *grown);
    *edges = grown;
    *room = more;
  }
  memmove(*edges + i + 1, *edges + i, (*count - i) * sizeof **edges);
  (*edges)[i].text = text;
  (*edges)[i].to = svc_arena_zero(a, sizeof(route_node));
  if ((*edges)[i].to) (*count)++;
  return (*edges)[i].to;
}

static bool route_add(svc *s, const svc_plan *plan)
{
  svc_str rest = svc_str_c(plan->path);
  route_node *node = plan->route->flags & SVC_ABSOLUTE ? &s->router->absolute : &s->router->root;
  if (rest.n) svc_str_cut(&rest, '/');
  while (rest.n && node) {
    svc_str segment = svc_str_cut(&rest, '/');
    if (segment.p[0] == '{') {
      const char *end = memchr(segment.p, '}', segment.n);
      svc_str suffix = { end + 1, (size_t)(segment.p + segment.n - end - 1) };
      node = route_edge_to(&s->memory, &node->params, &node->param_count, &node->param_room, suffix, -1);
    } else {
      node = route_edge_to(&s->memory, &node->literals, &node->literal_count, &node->literal_room, segment, 1);
    }
  }
  if (!node) return false;
  node->plans[plan->route->method] = plan;
  node->allowed |= 1u << plan->route->method;
  return true;
}

SVC_PRIVATE int svc_router_open(svc *s)
{
  size_t i;
  s->router = svc_arena_zero(&s->memory, sizeof *s->router);
  if (!s->router) return SVC_NOMEM;
  for (i = 0; i < s->plan_count; i++)
    if (!route_add(s, &s->plans[i])) return SVC_NOMEM;
  return SVC_OK;
}

/* ------------------------------------------------------------------------------------------------------------- matching */

typedef struct route_path {
  svc_str segments[SVC_MAX_SEGMENTS];
  unsigned count;
  int method;    /* of the request */
  bool v1;       /* only routes of the older base path count */
  unsigned allowed; /* methods of everything found, as bits */
  svc_str found[SVC_MAX_PARAMS]; /* raw */
} route_path;

/* The methods of a node that are served at this base path. */
static unsigned route_allowed(const route_node *node, bool v1)
{
  unsigned allowed = 0, i;
  if (!v1) return node->allowed;
  for (i = 0; i < SVC_METHOD_COUNT; i++)
    if (node->plans[i] && node->plans[i]->route->flags & SVC_V1_TOO) allowed |= 1u << i;
  return allowed;
}

static const route_node *route_end(const route_node *node, route_path *path)
{
  unsigned allowed = route_allowed(node, path->v1);
  path->allowed |= allowed;
  return path->method < SVC_METHOD_COUNT && allowed & 1u << path->method ? node : NULL;
}

static const route_node *route_literal(const route_node *node, svc_str segment)
{
  unsigned low = 0, high = node->literal_count;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    int order = route_order(node->literals[middle].text, segment);
    if (order == 0) return node->literals[middle].to;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

static const route_node *route_match(const route_node *node, route_path *path, unsigned segment, unsigned param)
{
  const route_node *to;
  svc_str text;
  unsigned i, allowed;
  if (segment == path->count) return route_end(node, path);
  text = path->segments[segment];
  to = route_literal(node, text);
  if (to && (to = route_match(to, path, segment + 1, param)) != NULL) return to;
  for (i = 0; i < node->param_count && param < SVC_MAX_PARAMS; i++) {
    svc_str suffix = node->params[i].text;
    if (text.n <= suffix.n || (suffix.n && memcmp(text.p + text.n - suffix.n, suffix.p, suffix.n) != 0)) continue;
    allowed = path->allowed;
    path->allowed = 0;
    to = route_match(node->params[i].to, path, segment + 1, param + 1);
    if (!to && suffix.n && path->allowed) return NULL; /* this operation exists with another method: no name ends like that */
    path->allowed |= allowed;
    if (!to) continue;
    path->found[param] = (svc_str){ text.p, text.n - suffix.n };
    return to;
  }
  return NULL;
}

/* Whether the text begins with a percent-encoded unreserved character, such as "%41". *out: that character. */
static bool route_unreserved_code(const char *p, size_t n, char *out)
{
  static const char hex[] = "0123456789abcdef";
  const char *high, *low;
  int value;
  if (n < 3 || p[0] != '%' || !p[1] || !p[2]) return false;
  high = strchr(hex, p[1] | 0x20);
  low = strchr(hex, p[2] | 0x20);
  if (!high || !low) return false;
  value = (int)(high - hex) * 16 + (int)(low - hex);
  *out = (char)value;
  return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') || (value >= '0' && value <= '9') ||
         value == '-' || value == '.' || value == '_' || value == '~';
}

/* Most paths have neither encoded characters nor such as a link must encode. */
static bool route_is_normal(svc_str path)
{
  return !memchr(path.p, '%', path.n) && !memchr(path.p, '"', path.n) && !memchr(path.p, '\\', path.n);
}

/* The segment with encoded unreserved characters decoded, and with those encoded that a link must encode. */
static svc_str route_normal(svc_call *c, svc_str segment)
{
  svc_buf b = svc_buf_new(c->arena, segment.n + 1);
  size_t i;
  char plain;
  for (i = 0; i < segment.n; i++) {
    if (route_unreserved_code(segment.p + i, segment.n - i, &plain)) {
      svc_buf_char(&b, plain);
      i += 2;
    } else if (segment.p[i] == '"' || segment.p[i] == '\\') {
      svc_percent_encode(&b, (svc_str){ segment.p + i, 1 });
    } else {
      svc_buf_char(&b, segment.p[i]);
    }
  }
  return svc_buf_done(&b);
}

static bool route_split(svc_call *c, svc_str rest, route_path *path)
{
  const bool normal = rest.n == 0 || route_is_normal(rest);
  path->count = 0;
  if (rest.n == 0) return true;
  rest.p++, rest.n--;
  for (;;) {
    const char *slash = rest.n ? memchr(rest.p, '/', rest.n) : NULL;
    size_t n = slash ? (size_t)(slash - rest.p) : rest.n;
    if (n == 0 && !slash) return true; /* a trailing slash is ignored */
    if (n == 0 || path->count == SVC_MAX_SEGMENTS) return false;
    path->segments[path->count++] = normal ? (svc_str){ rest.p, n } : route_normal(c, (svc_str){ rest.p, n });
    if (!slash) return true;
    rest.p += n + 1;
    rest.n -= n + 1;
  }
}

static bool route_below(svc_str path, svc_str base, svc_str *rest)
{
  if (path.n < base.n || memcmp(path.p, base.p, base.n) != 0) return false;
  *rest = (svc_str){ path.p + base.n, path.n - base.n };
  return rest->n == 0 || rest->p[0] == '/';
}

static bool route_params(svc_call *c, const route_path *path)
{
  unsigned i;
  for (i = 0; i < c->plan->param_count; i++) {
    c->route.raw[i] = path->found[i];
    if (!svc_percent_decode(c->arena, path->found[i], false, &c->route.params[i]) || !svc_utf8_valid(c->route.params[i]))
      return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the path is not properly percent-encoded UTF-8");
  }
  if (c->s->dialect && !c->own_words) svc_turn_path(c);
  return true;
}

SVC_PRIVATE svc_str svc_methods_allowed(svc_call *c)
{
  static const char *const names[SVC_METHOD_COUNT] = { "GET, HEAD", "POST", "PUT", "PATCH", "DELETE" };
  svc_buf b = svc_buf_new(c->arena, 48);
  int i;
  for (i = 0; i < SVC_METHOD_COUNT; i++) {
    if (!(c->route.allowed & 1u << i)) continue;
    if (b.n) svc_buf_text(&b, ", ");
    svc_buf_text(&b, names[i]);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE bool (svc_method_refused)(svc_call *c, svc_str method)
{
  svc_str allowed = svc_methods_allowed(c);
  return svc_fail_as(c, svc_arena_print(c->arena, "The method " SVC_FMT " is not supported by " SVC_FMT ", which supports " SVC_FMT ".",
                                        SVC_ARG(method), SVC_ARG(c->request.path), SVC_ARG(allowed)),
                     SVC_E_METHOD_NOT_ALLOWED, "SS", &method, &c->request.path);
}

/* ------------------------------------------------------------------------------------------------------ unknown paths */

typedef struct route_guess {
  svc_near word;    /* a segment that leads nowhere, and the nearest known one */
  unsigned deepest; /* number of the segment, from 1; 0: none so far */
} route_guess;

/* Looks for a segment that leads nowhere and is near a known one, as deep in the path as possible. The tree has a few hundred nodes. */
static void route_try(svc_call *c, const route_node *node, const route_path *path, unsigned at, route_guess *guess)
{
  const route_node *to;
  svc_near word;
  unsigned i;
  if (at == path->count) return;
  to = route_literal(node, path->segments[at]);
  if (to) route_try(c, to, path, at + 1, guess);
  for (i = 0; i < node->param_count; i++)
    if (!node->params[i].text.n) route_try(c, node->params[i].to, path, at + 1, guess);
  if (to || at < guess->deepest) return;
  word = svc_near_begin(path->segments[at]);
  for (i = 0; i < node->literal_count; i++) svc_near_try(&word, svc_arena_copy(c->arena, node->literals[i].text).p);
  if (!word.best) return;
  guess->word = word;
  guess->deepest = at + 1;
}

/* A path that no operation has: the error tells what is wrong with it, as far as that can be guessed. */
static bool route_unknown(svc_call *c, const route_node *root, const route_path *path)
{
  static const char control[] = "/_svc/", api[] = "/api/";
  const svc_str all = c->request.path;
  svc_str why = SVC_S("");
  route_guess guess = { { SVC_S(""), NULL, 0 }, 0 };
  if (all.n >= sizeof control - 1 && memcmp(all.p, control, sizeof control - 1) == 0) {
    why = SVC_S("; test control is off, or it has no such path (svcd --test-control turns it on)");
  } else if (root == &c->s->router->absolute && all.n >= sizeof api - 1 && memcmp(all.p, api, sizeof api - 1) == 0) {
    why = svc_arena_print(c->arena, "; the paths of this service begin with %s", c->s->base_path.p);
  } else {
    route_try(c, root, path, 0, &guess);
    why = svc_did_you_mean(c, &guess.word);
    if (!why.n && root == &c->s->router->absolute) why = svc_arena_print(c->arena, "; paths begin with %s", c->s->base_path.p);
  }
  return svc_fail_as(c, svc_arena_print(c->arena, "Cannot find resource " SVC_FMT SVC_FMT ".", SVC_ARG(all), SVC_ARG(why)),
                     SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
}

SVC_PRIVATE bool svc_stage_route(svc_call *c)
{
  route_path path;
  const route_node *node = NULL, *root = NULL;
  svc_str rest, method = svc_str_c(c->request.raw->method);
  path.method = c->request.method;
  path.allowed = path.count = 0;
  if (route_below(c->request.path, c->s->base_path, &rest)) {
    root = &c->s->router->root;
  } else if (route_below(c->request.path, c->s->base_path_v1, &rest)) {
    root = &c->s->router->root;
    c->request.v1 = true;
  } else {
    root = &c->s->router->absolute;
    rest = c->request.path;
  }
  path.v1 = c->request.v1;
  if (route_split(c, rest, &path)) node = route_match(root, &path, 0, 0);
  c->route.allowed = path.allowed;
  if (!path.allowed) return route_unknown(c, root, &path);
  if (!node) return svc_method_refused(c, method);
  c->plan = node->plans[c->request.method];
  return route_params(c, &path);
}
