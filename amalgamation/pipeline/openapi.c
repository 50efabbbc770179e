/*
** The OpenAPI 3.1 document. Its paths, parameters and request bodies come from the tables that serve the requests, so they cannot differ
** from the behaviour. The shapes of answers are columns of the same rows, which tests compare with the answers. Descriptions are not in the
** tables: svc_openapi_about() asks svc_config.describe for them, and a host without it gets none. The texts are in catalog/reference.txt
** and catalog/AREA/reference.txt, which ports/listener/reference.sh packs into the listener.
**
** The summary of an operation is made from its operationId, and its 4xx responses from the columns of its row. Lists, envelopes, errors and
** headers are the same everywhere and are described once.
**
** An answer in an envelope is another shape of the same operation. A oneOf lists both shapes: no answer matches both, because objects are
** closed and the envelope's two members are required. A list in an envelope has one more member.
*/
#include "pipeline/openapi_parts.h"

/* ----------------------------------------------------------------------------------------------------------------- words */

/* The operationId, "listOrgUsers", as a sentence: "Return all organization users". */
static void openapi_summary(openapi_writer *w, const char *name)
{
  const char *begin = name, *read = svc_word_read(svc_str_c(name));
  if (read) {
    svc_buf_text(&w->b, read);
    return;
  }
  while (*name) {
    size_t n = 1;
    while (name[n] && !(name[n] >= 'A' && name[n] <= 'Z')) n++;
    read = svc_word_read((svc_str){ name, n });
    if (name != begin) svc_buf_char(&w->b, ' ');
    if (read) {
      svc_buf_text(&w->b, read);
    } else {
      svc_buf_char(&w->b, (char)(name == begin ? *name & ~32 : *name | 32));
      svc_buf_add(&w->b, name + 1, n - 1);
    }
    name += n;
  }
}

/* The host's description, and the roles that a call needs. */
static void openapi_description(openapi_writer *w, const svc_route *r)
{
  const char *before = "Needs the role ";
  int role;
  if (r->op && svc_openapi_about(w, ",'description':", SVC_DESCRIBE_OPERATION, NULL, r->op) && !w->b.failed) w->b.p[w->b.n - 1] = ' ';
  else svc_openapi_put(w, ",'description':'");
  svc_openapi_put(w, r->flags & SVC_NO_AUTH ? "Open to anybody. " : "");
  for (role = 0; r->roles && svc_role_name(role); role++) {
    if (!(r->roles >> role & 1)) continue;
    svc_openapi_put(w, "%s%s", before, svc_role_name(role));
    before = " or ";
  }
  if (r->roles) svc_openapi_put(w, ". ");
  svc_openapi_put(w, "Draws from the bucket %s.'", w->s->sets[SVC_TAKES_FORM(r) ? w->s->set_count : r->set].name);
}

/* ------------------------------------------------------------------------------------------------------------- parameters */

/* ours: the name in our own words. */
static void openapi_parameter(openapi_writer *w, const svc_route *r, const char *ours, const svc_field *like, const svc_param *p)
{
  svc_openapi_put(w, "{'in':'%s','name':%q,", p ? "query" : "path", like->name);
  if (svc_openapi_about(w, "'description':", SVC_DESCRIBE_PARAMETER, r->op, ours) ||
      svc_openapi_about(w, "'description':", SVC_DESCRIBE_PARAMETER, NULL, ours)) svc_openapi_put(w, ",");
  svc_openapi_put(w, !p || p->flags & SVC_PARAM_REQUIRED ? "'required':true,'schema':" : "'schema':");
  if (p && p->flags & SVC_PARAM_REPEATS) svc_openapi_put(w, "{'type':'array','items':");
  svc_openapi_scalar(w, like, like->type);
  if (p && p->type != SVC_STRING && p->max > p->min) svc_openapi_put(w, ",'minimum':%d,'maximum':%d", p->min, p->max);
  if (p && p->flags & SVC_PARAM_REPEATS) svc_openapi_put(w, "}");
  if (p && p->max_repeats) svc_openapi_put(w, ",'maxItems':%d", (int64_t)p->max_repeats);
  svc_openapi_put(w, "}},");
}

/* A path parameter of this name: an id, or any text; rules of the noun are not described. */
static void openapi_in_path(openapi_writer *w, const svc_plan *plan, unsigned i, svc_str name)
{
  svc_field like;
  unsigned hop;
  memset(&like, 0, sizeof like);
  like.name = svc_arena_copy(w->b.arena, name).p;
  for (hop = 0; hop < plan->hop_count; hop++) {
    const svc_noun *noun = plan->hops[hop].noun->noun;
    const svc_field *key = noun->object && !svc_object_ext_of(noun->object)->choice ? svc_field_named(noun->object, svc_str_c(noun->key ? noun->key : "id")) : NULL;
    if (plan->hops[hop].param == i && !plan->hops[hop].by_unique && key && key->format == SVC_FORMAT_ID) like.format = SVC_FORMAT_ID;
  }
  openapi_parameter(w, plan->route, like.name, &like, NULL);
}

static bool openapi_is_list(const svc_route *r)
{
  return r->flags & (SVC_PAGED | SVC_BARE);
}

/* Whether the answer has an ETag. */
static bool openapi_is_tagged(const svc_plan *plan)
{
  const svc_route *r = plan->route;
  bool whole = !(r->flags & SVC_PAGED) && (!(r->flags & SVC_BARE) || r->flags & SVC_NO_LINKS); /* a list that is a single value */
  return r->status != 204 && whole && (!svc_route_ext_of(plan->route)->media || r->flags & SVC_ABSOLUTE) && !SVC_TAKES_FORM(r);
}

static void openapi_parameters(openapi_writer *w, const svc_plan *plan, const svc_plan *at)
{
  static const char shared[] = "{'$ref':'#/components/parameters/%s'},";
  const svc_route *r = plan->route;
  const svc_param *p;
  unsigned i;
  svc_openapi_put(w, ",'parameters':[");
  for (i = 0; i < plan->param_count; i++) openapi_in_path(w, plan, i, at->params[i]);
  for (p = r->params; p && p->name; p++) {
    svc_field like;
    memset(&like, 0, sizeof like);
    like.name = svc_shown_field(w->s, svc_str_c(p->name)).p;
    like.type = p->type;
    like.format = p->format;
    if (p->type == SVC_STRING) like.values = p->values, like.pattern = p->pattern;
    openapi_parameter(w, r, p->name, &like, p);
  }
  if (r->method == SVC_GET ? openapi_is_list(r) : r->flags & SVC_PAGED) {
    svc_openapi_put(w, shared, "pageNum");
    svc_openapi_put(w, shared, "itemsPerPage");
    svc_openapi_put(w, shared, "includeCount");
  }
  if (r->method == SVC_POST && !(r->flags & SVC_ABSOLUTE)) svc_openapi_put(w, shared, "Idempotency-Key");
  else if (r->method == SVC_GET && openapi_is_tagged(plan)) svc_openapi_put(w, shared, "If-None-Match");
  else if (r->method != SVC_GET && !(r->flags & SVC_ABSOLUTE)) svc_openapi_put(w, shared, "If-Match");
  svc_openapi_put(w, shared, "envelope");
  svc_openapi_put(w, "{'$ref':'#/components/parameters/pretty'}]");
}

/* ----------------------------------------------------------------------------------------------------------------- bodies */

/* `older`: an older version; NULL: the newest. */
static void openapi_media(openapi_writer *w, const svc_route *r, const svc_older *older, const char *kind)
{
  unsigned v;
  char day[16];
  if (kind && strchr(kind, '/')) {
    svc_openapi_put(w, "%s", kind);
    return;
  }
  v = older ? older->date : svc_route_newest(r);
  snprintf(day, sizeof day, "%04u-%02u-%02u", v / 10000 % 10000, v / 100 % 100, v % 100);
  svc_openapi_put(w, "%s%s+%s", w->s->media_prefix.p, day, kind ? kind : "json");
}

static bool openapi_takes_body(const svc_plan *plan)
{
  const svc_route *r = plan->route;
  bool taken = r->method == SVC_POST || r->method == SVC_PUT || r->method == SVC_PATCH || r->body;
  return taken && !(r->flags & SVC_NO_BODY) && (r->body || plan->noun->noun->object);
}

static int openapi_body_as(const svc_route *r)
{
  if (r->method == SVC_PATCH && !r->whole) return OPENAPI_PATCH;
  return r->method == SVC_PUT ? OPENAPI_REPLACE : OPENAPI_REQUEST;
}

static void openapi_example(openapi_writer *w, const svc_object *object, const char *example)
{
  const svc_node *shown = w->s->dialect ? svc_turn_example(w->s, w->b.arena, object, example) : NULL;
  svc_openapi_put(w, ",'example':");
  if (shown) svc_node_write(&w->b, shown);
  else svc_buf_text(&w->b, example);
}

/* The end of a media type; for an older version it states the sunset. */
static void openapi_media_end(openapi_writer *w, const svc_older *older)
{
  char day[16];
  if (older && older->sunset) {
    snprintf(day, sizeof day, "%04u-%02u-%02u", older->sunset / 10000 % 10000, older->sunset / 100 % 100, older->sunset % 100);
    svc_openapi_put(w, ",'x-sunset':'%s'", day);
  }
  svc_openapi_put(w, "}");
}

/* A body of one media type; kind NULL: that of the version. */
static void openapi_body_of(openapi_writer *w, const svc_plan *plan, const svc_older *older, const char *kind, const char *example)
{
  const svc_route *r = plan->route;
  const svc_object *o = older && older->body ? older->body : r->body ? r->body : plan->noun->noun->object;
  svc_openapi_put(w, "'");
  openapi_media(w, r, older, kind);
  svc_openapi_put(w, "':{'schema':");
  if (r->flags & SVC_BODY_ARRAY) svc_openapi_put(w, "{'type':'array','items':");
  svc_openapi_ref(w, o, openapi_body_as(r));
  if (r->flags & SVC_BODY_ARRAY) svc_openapi_put(w, "}");
  if (example) openapi_example(w, o, example);
  openapi_media_end(w, older);
}

static void openapi_body(openapi_writer *w, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  const svc_older *v;
  if (!openapi_takes_body(plan)) return;
  svc_openapi_put(w, ",'requestBody':{'required':%s,'content':{", r->flags & SVC_BODY_OPTIONAL ? "false" : "true");
  if (SVC_TAKES_FORM(r)) {
    openapi_body_of(w, plan, NULL, "application/x-www-form-urlencoded", NULL);
  } else {
    openapi_body_of(w, plan, NULL, "application/json", r->example);
    svc_openapi_put(w, ",");
    openapi_body_of(w, plan, NULL, NULL, NULL);
  }
  for (v = r->older; v && v->date; v++) {
    svc_openapi_put(w, ",");
    openapi_body_of(w, plan, v, NULL, v->example);
  }
  svc_openapi_put(w, "}}");
}

/* The content without pages and envelopes. */
static void openapi_content(openapi_writer *w, const svc_plan *plan, const svc_older *older)
{
  const svc_route *r = plan->route;
  const svc_object *o = older && older->answer ? older->answer : r->answer ? r->answer : plan->noun->noun->object;
  const char *value = svc_route_ext_of(plan->route)->value;
  if (openapi_is_list(r)) svc_openapi_put(w, "{'type':'array','items':");
  if (value) svc_openapi_value(w, svc_field_named(o, svc_str_c(value)), OPENAPI_ANSWER, NULL);
  else if (r->flags & SVC_TEXT) svc_openapi_put(w, "{'type':'string'}");
  else if (o && !(r->flags & SVC_EMPTY_OBJECT)) svc_openapi_ref(w, o, OPENAPI_ANSWER);
  else svc_openapi_put(w, "{'type':'object','additionalProperties':false}");
  if (openapi_is_list(r)) svc_openapi_put(w, "}");
}

/* The answer of one version. */
static void openapi_answer_of(openapi_writer *w, const svc_plan *plan, const svc_older *older, const char *before)
{
  const svc_route *r = plan->route;
  const char *media = svc_route_ext_of(plan->route)->media;
  svc_openapi_put(w, "%s'", before);
  openapi_media(w, r, older, r->flags & SVC_ABSOLUTE ? "application/json" : media);
  svc_openapi_put(w, "':{'schema':");
  if (media && r->flags & SVC_ABSOLUTE) {
    svc_openapi_put(w, "{'type':'object'}");
  } else if (media) {
    svc_openapi_put(w, "{'type':'string','format':'binary'}");
  } else if (r->flags & SVC_PAGED) {
    svc_openapi_put(w, "{'type':'object','additionalProperties':false,'required':['results'],'properties':{'links':{'$ref':"
                       "'#/components/schemas/Links'},'results':");
    openapi_content(w, plan, older);
    svc_openapi_put(w, ",'status':{'$ref':'#/components/schemas/Status'},'totalCount':{'type':'integer'");
    svc_openapi_about(w, ",'description':", SVC_DESCRIBE_FIELD, "Page", "totalCount");
    svc_openapi_put(w, "}}}");
  } else {
    svc_openapi_put(w, "{'oneOf':[");
    openapi_content(w, plan, older);
    svc_openapi_put(w, ",{'allOf':[{'$ref':'#/components/schemas/Envelope'},{'properties':{'content':");
    openapi_content(w, plan, older);
    svc_openapi_put(w, "}}]}]}");
  }
  openapi_media_end(w, older);
}

static int openapi_status(const svc_route *r, const svc_older *older)
{
  if (older && older->status) return older->status;
  return r->status ? r->status : 200;
}

/* The answers of all versions with this status. An operation without versions, or a second status, has one. */
static void openapi_answer(openapi_writer *w, const svc_plan *plan, int status)
{
  const svc_route *r = plan->route;
  const svc_older *v;
  const char *before = ",\"content\":{";
  bool own = true;
  for (v = r->older; v && v->date; v++)
    if (openapi_status(r, v) == status && openapi_status(r, NULL) != status) own = false;
  if (own) openapi_answer_of(w, plan, NULL, before), before = ",";
  for (v = r->older; v && v->date; v++)
    if (openapi_status(r, v) == status) openapi_answer_of(w, plan, v, before), before = ",";
  svc_openapi_put(w, "}");
}

/* -------------------------------------------------------------------------------------------------------------- responses */

/* Conditions under which an operation can return an error status. */
enum openapi_when { OPENAPI_ALWAYS = 1, OPENAPI_KNOWN = 2, OPENAPI_NAMES = 4, OPENAPI_DATED = 8, OPENAPI_WRITES = 16, OPENAPI_CHANGES = 32,
                    OPENAPI_BODY = 64, OPENAPI_COSTS = 128, OPENAPI_AGED = 256 };

static const struct {
  short status, when; /* any of these suffices */
} openapi_refusals[] = {
  { 400, OPENAPI_ALWAYS }, { 401, OPENAPI_KNOWN }, { 402, OPENAPI_COSTS }, { 403, OPENAPI_KNOWN }, { 404, OPENAPI_NAMES | OPENAPI_BODY },
  { 406, OPENAPI_DATED }, { 409, OPENAPI_WRITES }, { 410, OPENAPI_AGED }, { 412, OPENAPI_CHANGES }, { 413, OPENAPI_BODY },
  { 415, OPENAPI_BODY }, { 429, OPENAPI_ALWAYS }
};
#define OPENAPI_REFUSALS (sizeof openapi_refusals / sizeof openapi_refusals[0])

/* Whether one of its versions can be past its sunset. */
static bool openapi_is_gone(const svc *s, const svc_route *r)
{
  unsigned i;
  if ((r->sunset || r->older) && s->config.enforce_sunset) return true;
  for (i = 0; svc_route_version(r, i + 1); i++)
    if (!svc_route_older(r, svc_route_version(r, i))) return true;
  return false;
}

static bool openapi_any_gone(const svc *s)
{
  unsigned i;
  for (i = 0; i < s->plan_count; i++)
    if (openapi_is_gone(s, s->plans[i].route)) return true;
  return false;
}

static int openapi_when(const svc *s, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  bool writes = r->method != SVC_GET;
  int when = OPENAPI_ALWAYS;
  if (SVC_TAKES_FORM(r)) return OPENAPI_ALWAYS | OPENAPI_KNOWN;
  if (!(r->flags & SVC_NO_AUTH)) when |= OPENAPI_KNOWN;
  if (plan->param_count) when |= OPENAPI_NAMES;
  if (!(r->flags & SVC_ABSOLUTE)) when |= OPENAPI_DATED;
  if (writes) when |= OPENAPI_WRITES;
  if (writes && r->method != SVC_POST) when |= OPENAPI_CHANGES;
  if (openapi_takes_body(plan)) when |= OPENAPI_BODY;
  if (openapi_takes_body(plan) && svc_noun_ext_of(plan->noun->noun)->meters) when |= OPENAPI_COSTS;
  if (openapi_is_gone(s, r)) when |= OPENAPI_AGED;
  return when;
}

/* The name of a response: the words of its status, run together. */
static void openapi_response_name(openapi_writer *w, int status)
{
  const char *reason = svc_status_reason(status);
  for (; *reason; reason++)
    if (*reason != ' ') svc_buf_char(&w->b, *reason);
}

static void openapi_header(openapi_writer *w, const char *name)
{
  svc_openapi_put(w, ",'%s':{'$ref':'#/components/headers/%s'}", name, name);
}

/* A response: its description and the headers that all have, without the closing brace. */
static void openapi_describe(openapi_writer *w, const char *what)
{
  svc_openapi_put(w, "{'description':%q,'headers':{'RateLimit-Limit':{'$ref':'#/components/headers/RateLimit-Limit'}", what);
  openapi_header(w, "RateLimit-Remaining");
}

/* A success, with this plan's answer. */
static void openapi_success(openapi_writer *w, const svc_plan *plan, int status)
{
  const svc_route *r = plan->route;
  svc_openapi_put(w, "'%d':", (int64_t)status);
  openapi_describe(w, svc_status_reason(status));
  if (openapi_is_tagged(plan)) openapi_header(w, "ETag");
  if (r->deprecated || r->older) openapi_header(w, "Deprecation");
  if (r->sunset || r->older) openapi_header(w, "Sunset");
  if ((status == 201 || status == 202) && r->method == SVC_POST && plan->item) openapi_header(w, "Location");
  if (svc_route_ext_of(r)->file && status == 200) openapi_header(w, "Content-Disposition");
  svc_openapi_put(w, "}");
  if (status != 204 && (!SVC_TAKES_FORM(r) || r->answer)) openapi_answer(w, plan, status);
  svc_openapi_put(w, "},");
}

static const svc_plan *openapi_post_of(const svc *s, const svc_plan *plan)
{
  size_t i;
  for (i = 0; i < s->plan_count; i++)
    if (s->plans[i].noun == plan->noun && s->plans[i].route->method == SVC_POST) return &s->plans[i];
  return plan;
}

/* Whether this version's status differs from those of the versions before it in the table, and of the newest. */
static bool openapi_is_first(const svc_route *r, const svc_older *older)
{
  const svc_older *v;
  for (v = r->older; v != older; v++)
    if (openapi_status(r, v) == openapi_status(r, older)) return false;
  return openapi_status(r, older) != openapi_status(r, NULL);
}

static void openapi_responses(openapi_writer *w, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  int when = openapi_when(w->s, plan), also = r->also;
  bool oauth = SVC_TAKES_FORM(r);
  const svc_older *v;
  size_t i;
  svc_openapi_put(w, ",'responses':{");
  openapi_success(w, plan, openapi_status(r, NULL));
  for (v = r->older; v && v->date; v++)
    if (openapi_is_first(r, v)) openapi_success(w, plan, openapi_status(r, v));
  if (also) openapi_success(w, also == 204 ? plan : openapi_post_of(w->s, plan), also);
  if (r->method == SVC_GET && openapi_is_tagged(plan)) svc_openapi_put(w, "'304':{'$ref':'#/components/responses/NotModified'},");
  for (i = 0; i < OPENAPI_REFUSALS; i++) {
    if (!(openapi_refusals[i].when & when)) continue;
    svc_openapi_put(w, "'%d':{'$ref':'#/components/responses/", (int64_t)openapi_refusals[i].status);
    if (oauth) svc_openapi_put(w, "OAuthError");
    else openapi_response_name(w, openapi_refusals[i].status);
    svc_openapi_put(w, "'},");
  }
  svc_openapi_put(w, "'default':{'$ref':'#/components/responses/%s'}}", oauth ? "OAuthError" : "Error");
}

/* ------------------------------------------------------------------------------------------------------------- operations */

/* `at`: the first plan of the same path, which determines the names of the parameters. */
static void openapi_operation(openapi_writer *w, const svc_plan *plan, const svc_plan *at)
{
  static const char *const methods[SVC_METHOD_COUNT] = { "get", "post", "put", "patch", "delete" };
  const svc_route *r = plan->route;
  svc_openapi_put(w, "'%s':{'tags':[%q]", methods[r->method], plan->noun->noun->name);
  if (r->op) {
    svc_openapi_put(w, ",'operationId':'%s','summary':'", r->op);
    openapi_summary(w, r->op);
    svc_openapi_put(w, "'");
  }
  openapi_description(w, r);
  if (r->flags & SVC_NO_AUTH) svc_openapi_put(w, ",'security':[%s]", SVC_TAKES_FORM(r) ? "{\"client\":[]}" : "");
  if (plan->route->deprecated) svc_openapi_put(w, ",'deprecated':true");
  openapi_parameters(w, plan, at);
  openapi_body(w, plan);
  openapi_responses(w, plan);
  svc_openapi_put(w, "}");
}

/* A path outside of the server's URL gets its own server. The root is inside, but has no trailing slash: "/" would not exist. */
static void openapi_path(openapi_writer *w, const svc_plan *plan)
{
  bool apart = !*plan->path || plan->route->flags & SVC_ABSOLUTE;
  svc_openapi_put(w, "%q:{", *plan->path ? plan->path : w->s->base_path.p);
  if (apart) svc_openapi_put(w, "'servers':[{'url':%q}],", w->s->base_url.p);
}

/* Paths that differ only in the names of their parameters are the same. */
static bool openapi_is_same(const char *a, const char *b)
{
  while (*a == *b && *a) {
    if (*a == '{') a = strchr(a, '}'), b = strchr(b, '}');
    a++, b++;
  }
  return *a == *b;
}

/* All operations of the path of plan i, after `before`; false: already written. */
static bool openapi_of_path(openapi_writer *w, size_t i, const char *before)
{
  const svc *s = w->s;
  const char *path = s->plans[i].path, *comma = "";
  size_t j = 0;
  while (!openapi_is_same(s->plans[j].path, path)) j++;
  if (j < i) return false;
  svc_openapi_put(w, before);
  openapi_path(w, &s->plans[i]);
  for (; j < s->plan_count; j++) {
    if (!openapi_is_same(s->plans[j].path, path)) continue;
    svc_openapi_put(w, comma);
    openapi_operation(w, &s->plans[j], &s->plans[i]);
    comma = ",";
  }
  svc_openapi_put(w, "}");
  return true;
}

/* Whether a parameter shares its segment with a literal, "{name}:stop". Such paths come last: of several matches Prism takes the last. */
static bool openapi_has_suffix(const char *path)
{
  for (; (path = strchr(path, '}')) != NULL; path++)
    if (path[1] && path[1] != '/') return true;
  return false;
}

static void openapi_paths(openapi_writer *w)
{
  const char *comma = "";
  size_t i;
  int later;
  for (later = 0; later < 2; later++)
    for (i = 0; i < w->s->plan_count; i++)
      if (openapi_has_suffix(w->s->plans[i].path) == later && openapi_of_path(w, i, comma)) comma = ",";
}

static void openapi_tags(openapi_writer *w)
{
  const char *comma = "";
  size_t i;
  for (i = 0; i < w->s->noun_count; i++) {
    if (!w->s->nouns[i].noun->routes) continue;
    svc_openapi_put(w, "%s{'name':%q", comma, w->s->nouns[i].noun->name);
    svc_openapi_about(w, ",'description':", SVC_DESCRIBE_RESOURCE, NULL, w->s->nouns[i].noun->name);
    svc_openapi_put(w, "}");
    comma = ",";
  }
}

/* ------------------------------------------------------------------------------------------------------------- components */

/* Shared parameters: place, name, description and schema in turn; ends with an empty one. */
static const char openapi_shared[] =
  "query\0pageNum\0Which page, from 1\0'integer','minimum':1,'default':1\0"
  "query\0includeCount\0totalCount is wanted\0'boolean','default':true\0"
  "query\0envelope\0The answer is {status, content}; a list has status beside its results\0'boolean','default':false\0"
  "query\0pretty\0JSON in lines\0'boolean','default':false\0"
  "header\0Idempotency-Key\0The same key gets the same answer for 24 hours\0'string'\0"
  "header\0If-Match\0Only if it has this ETag, else 412\0'string'\0"
  "header\0If-None-Match\0Only if it has another ETag, else 304\0'string'\0";

static void openapi_shared_parameters(openapi_writer *w)
{
  int64_t most = (int64_t)w->s->config.max_page;
  const char *text[4], *at = openapi_shared;
  int i;
  while (*at) {
    for (i = 0; i < 4; i++, at += strlen(at) + 1) text[i] = at;
    svc_openapi_put(w, "'%s':{'in':'%s','name':'%s'", text[1], text[0], text[1]);
    if (!svc_openapi_about(w, ",'description':", SVC_DESCRIBE_PARAMETER, NULL, text[1])) svc_openapi_put(w, ",'description':'%s'", text[2]);
    svc_openapi_put(w, ",'schema':{'type':");
    svc_openapi_put(w, text[3]);
    svc_openapi_put(w, "}},");
  }
  svc_openapi_put(w, "'itemsPerPage':{'in':'query','name':'itemsPerPage'");
  svc_openapi_about(w, ",'description':", SVC_DESCRIBE_PARAMETER, NULL, "itemsPerPage");
  svc_openapi_put(w, ",'schema':{'type':'integer','minimum':1,'maximum':%d,'default':%d}}", most, most < 100 ? most : 100);
}

static void openapi_headers(openapi_writer *w)
{
  static const char *const names[] = { "RateLimit-Limit", "RateLimit-Remaining", "Retry-After", "ETag", "WWW-Authenticate", "X-Error-Code",
                                       "Deprecation", "Sunset", "Location", "Content-Disposition" };
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    svc_openapi_put(w, "%s'%s':{", i ? "," : "", names[i]);
    if (svc_openapi_about(w, "'description':", SVC_DESCRIBE_PARAMETER, NULL, names[i])) svc_openapi_put(w, ",");
    svc_openapi_put(w, "'schema':{'type':'%s'}}", i < 3 ? "integer" : "string"); /* numbers come first */
  }
}

/*
** Components without a table. Each row has the text before a field, the field and its schema; the last row has the text that ends them.
** `of` is the component; a row without a field has only the text before.
*/
static const struct openapi_part {
  const char *before, *of, *field, *schema;
} openapi_parts[] = {
  { "'Links':{'type':'array','readOnly':true", NULL, NULL, NULL },
  { ",'items':{'type':'object','properties':{", "Links", "href", "'type':'string'" },
  { ",", "Links", "rel", "'type':'string'" },
  { "}}},'Status':{'type':'integer','readOnly':true,'description':'The status of HTTP, in an envelope'},'Envelope':{'type':'object',"
    "'required':['content','status'],'properties':{", "Envelope", "content", "" },
  { ",'status':{'$ref':'#/components/schemas/Status'}}},'OAuthError':{'type':'object','required':['error'],'properties':{",
    "OAuthError", "error", "'type':'string'" },
  { ",", "OAuthError", "error_description", "'type':'string'" },
  { "}},'Error':{'type':'object','additionalProperties':false,'required':['error','errorCode'],'properties':{", "Error", "badRequestDetail",
    "'type':'object'" },
  { ",", "Error", "detail", "'type':'string'" },
  { ",", "Error", "error", "'type':'integer'" },
  { ",", "Error", "errorCode", "'type':'string'" },
  { ",", "Error", "parameters", "'type':'array','items':{}" },
  { ",", "Error", "reason", "'type':'string'" },
  { "}}", NULL, NULL, NULL }
};

static void openapi_schema_parts(openapi_writer *w)
{
  size_t i;
  for (i = 0; i < sizeof openapi_parts / sizeof openapi_parts[0]; i++) {
    const struct openapi_part *p = &openapi_parts[i];
    svc_openapi_put(w, p->before);
    if (i == 0) svc_openapi_about(w, ",'description':", SVC_DESCRIBE_FIELD, "*", "links");
    if (!p->field) continue;
    svc_openapi_put(w, "'%s':{", p->field);
    svc_openapi_put(w, p->schema);
    svc_openapi_about(w, *p->schema ? ",'description':" : "'description':", SVC_DESCRIBE_FIELD, p->of, p->field);
    svc_openapi_put(w, "}");
  }
}

/* An error; status 0: any other. */
static void openapi_error(openapi_writer *w, int status)
{
  if (status) openapi_response_name(w, status);
  else svc_openapi_put(w, "Error");
  svc_openapi_put(w, "':");
  openapi_describe(w, status ? svc_status_reason(status) : "Another error");
  openapi_header(w, "X-Error-Code");
  openapi_header(w, "Deprecation");
  openapi_header(w, "Sunset");
  if (status == 401) openapi_header(w, "WWW-Authenticate");
  if (status == 429 || status == 0) openapi_header(w, "Retry-After");
  svc_openapi_put(w, "},'content':{'application/json':{'schema':{'oneOf':[{'$ref':'#/components/schemas/Error'},{'allOf':[{'$ref':"
                     "'#/components/schemas/Envelope'},{'properties':{'content':{'$ref':'#/components/schemas/Error'}}}]}]}}}},'");
}

static void openapi_components(openapi_writer *w)
{
  size_t i;
  svc_openapi_put(w, "'parameters':{");
  openapi_shared_parameters(w);
  svc_openapi_put(w, "},'headers':{");
  openapi_headers(w);
  svc_openapi_put(w, "},'responses':{'");
  for (i = 0; i < OPENAPI_REFUSALS; i++)
    if (openapi_refusals[i].when != OPENAPI_AGED || openapi_any_gone(w->s)) openapi_error(w, openapi_refusals[i].status);
  openapi_error(w, 0);
  svc_openapi_put(w, "NotModified':");
  openapi_describe(w, svc_status_reason(304));
  openapi_header(w, "ETag");
  openapi_header(w, "Deprecation");
  openapi_header(w, "Sunset");
  svc_openapi_put(w, "}},'OAuthError':");
  openapi_describe(w, "An error of RFC 6749");
  openapi_header(w, "X-Error-Code");
  openapi_header(w, "WWW-Authenticate");
  openapi_header(w, "Retry-After");
  svc_openapi_put(w, "},'content':{'application/json':{'schema':{'anyOf':[{'$ref':'#/components/schemas/OAuthError'},"
                     "{'$ref':'#/components/schemas/Error'},{'$ref':'#/components/schemas/Envelope'}]}}}}},");
  svc_openapi_put(w, "'securitySchemes':{'serviceAccount':{'type':'oauth2',"
                     "'flows':{'clientCredentials':{'tokenUrl':'%s/api/oauth/token','scopes':{}}}},"
                     "'apiKey':{'type':'http','scheme':'digest'},'client':{'type':'http','scheme':'basic'}},'schemas':{", w->s->base_url.p);
  openapi_schema_parts(w);
  svc_openapi_schemas(w);
  svc_openapi_put(w, "}");
}

/* Bytes of an operation with its share of the schemas, and of the rest: rather more than less, so that the text need not grow. */
#define OPENAPI_FIRST ((size_t)64 << 10)
#define OPENAPI_PLAIN ((size_t)3500)
#define OPENAPI_DESCRIBED ((size_t)4500)

SVC_PRIVATE svc_str svc_openapi_document(const svc *s, svc_arena *a)
{
  openapi_writer *w = svc_arena_zero(a, sizeof *w);
  if (!w) return SVC_S("");
  w->s = s;
  w->b = svc_buf_new(a, OPENAPI_FIRST + s->plan_count * (s->config.describe ? OPENAPI_DESCRIBED : OPENAPI_PLAIN));
  svc_openapi_put(w, "{'openapi':'3.1.0','info':{'title':'Administration API','version':'" SVC_VERSION "','description':"
                     "'Accept names a dated version of an operation; without it the newest one answers. Null in a body counts as not sent; "
                     "in a PATCH it clears a field that may be cleared. The zero value of a read-only field is ignored.',"
                     "'license':{'name':'MIT','identifier':'MIT'}},'servers':[{'url':'%s%s'}],"
                     "'security':[{'serviceAccount':[]},{'apiKey':[]}],'tags':[", s->base_url.p, s->base_path.p);
  openapi_tags(w);
  svc_openapi_put(w, "],'paths':{");
  openapi_paths(w);
  svc_openapi_put(w, "},'components':{");
  openapi_components(w);
  svc_openapi_put(w, "}}");
  return svc_buf_done(&w->b);
}
