/*
** Last stage: the answer as bytes and headers.
**
** A resource is written as two copies with its links between; a list and an error are complete already. Envelope and formatting
** are added here, so no operation deals with them. HEAD is a GET whose body is dropped at the very end.
*/
#include "pipeline/pipeline.h"

#define RESPOND_HEADERS 16 /* an answer has at most 14: see respond_headers() */

static void respond_header(svc_call *c, svc_str name, svc_str value)
{
  svc_header *h;
  if (!c->headers) c->headers = svc_arena_alloc(c->arena, RESPOND_HEADERS * sizeof *c->headers);
  if (!c->headers || SVC_NEVER(c->header_count == RESPOND_HEADERS)) return;
  h = &c->headers[c->header_count++];
  h->name = name.p;
  h->name_length = name.n;
  h->value = value.p;
  h->value_length = value.n;
}

static void respond_number(svc_call *c, svc_str name, int64_t value)
{
  enum { SIZE = 21 };
  char *text = svc_arena_alloc(c->arena, SIZE);
  size_t at = SIZE - 1;
  uint64_t rest = (uint64_t)value; /* never negative */
  if (!text) return;
  text[at] = 0;
  do text[--at] = (char)('0' + rest % 10);
  while (rest /= 10);
  respond_header(c, name, (svc_str){ text + at, SIZE - 1 - at });
}

static svc_str respond_http_date(svc_call *c, unsigned day)
{
  char text[30];
  svc_http_date(svc_day_ms(day), text);
  return svc_arena_copy(c->arena, svc_str_c(text));
}

/* ----------------------------------------------------------------------------------------------------------------- body */

/* The resource with its links in their place among the sorted members. */
static svc_str respond_entity(svc_call *c)
{
  const svc_answer *a = &c->answer;
  const char *tail = a->body.p + a->links_at;
  size_t tail_size = a->body.n - a->links_at, links = a->links ? svc_template_size(a->links, c, a) : 0;
  bool last = tail[0] == '}';
  svc_buf b = svc_buf_new(c->arena, a->body.n + links + 64);
  if (c->query.envelope) svc_buf_add(&b, "{\"content\":", 11);
  svc_buf_add(&b, a->body.p, a->links_at);
  if (a->links) {
    if (last && a->links_at > 1) svc_buf_char(&b, ',');
    svc_buf_add(&b, "\"links\":", 8);
    svc_template_write(&b, a->links, c, a);
    if (a->links_more.n) {
      b.n--; /* the bracket at the end of the links */
      svc_buf_str(&b, a->links_more);
      svc_buf_char(&b, ']');
    }
    if (!last) svc_buf_char(&b, ',');
  }
  svc_buf_add(&b, tail, tail_size);
  if (c->query.envelope) {
    svc_buf_text(&b, ",\"status\":");
    svc_buf_i64(&b, a->status);
    svc_buf_char(&b, '}');
  }
  return svc_buf_done(&b);
}

static svc_str respond_written(svc_call *c)
{
  svc_str body = c->answer.whole ? c->answer.body : respond_entity(c);
  return c->plan && c->plan->renamed && !c->own_words ? svc_turn_answer(c, body) : body;
}

/* A dialect parses the body, and the memory for that cannot be reserved: its size depends on the number of values. */
SVC_PRIVATE void svc_respond_ahead(svc_call *c)
{
  if (c->plan && c->plan->renamed && !c->own_words && c->answer.body.p) c->answer.turned = respond_written(c);
}

/* RFC 6749: the format of the token endpoint. */
static svc_str respond_oauth_error(svc_call *c)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  svc_buf_text(&b, "{\"error\":");
  svc_json_escape(&b, svc_str_c(c->error.oauth));
  svc_buf_text(&b, ",\"error_description\":");
  svc_json_escape(&b, c->error.detail);
  svc_buf_char(&b, '}');
  return svc_buf_done(&b);
}

static svc_str respond_body(svc_call *c, int status)
{
  svc_str body = SVC_S("");
  svc_buf b;
  if (c->error.code && c->error.oauth) {
    body = respond_oauth_error(c);
  } else if (c->error.code) {
    body = svc_error_document(c);
  } else if (status != 204 && status != 304 && c->answer.body.p) {
    body = c->answer.turned.n ? c->answer.turned : respond_written(c);
  }
  if (!c->error.code && c->plan && svc_route_ext_of(c->plan->route)->media) return body; /* unchanged: neither envelope nor formatting */
  if (c->error.code && c->query.envelope)
    body = svc_arena_print(c->arena, "{\"content\":" SVC_FMT ",\"status\":%d}", SVC_ARG(body), status);
  if (!c->query.pretty || body.n == 0) return body;
  b = svc_buf_new(c->arena, body.n * 2);
  svc_json_pretty(&b, body);
  return svc_buf_done(&b);
}

/* -------------------------------------------------------------------------------------------------------------- headers */

/* An ETag for each revision and each format; If-Match compares the part before the hyphen. */
static svc_str respond_etag(svc_call *c)
{
  static const char hex[] = "0123456789abcdef";
  uint64_t rest = c->answer.revision;
  unsigned day = c->route.older ? c->route.version : 0;
  uint32_t mark = c->plan && c->plan->renamed ? c->s->dialect->mark : 0;
  uint32_t more = c->answer.links_more.n ? (uint32_t)svc_body_revision(c->answer.links_more) : 0;
  char text[48];
  size_t at = sizeof text;
  text[--at] = '"';
  if (more) {
    for (; more; more >>= 4) text[--at] = hex[more & 15];
    text[--at] = 'l';
  }
  if (mark) {
    for (; mark; mark >>= 4) text[--at] = hex[mark & 15];
    text[--at] = 'd';
  }
  if (c->query.envelope) text[--at] = 'e';
  if (c->query.pretty) text[--at] = 'p';
  for (; day; day /= 10) text[--at] = (char)('0' + day % 10);
  if (at < sizeof text - 1) text[--at] = '-';
  do text[--at] = hex[rest & 15];
  while (rest >>= 4);
  text[--at] = '"';
  return svc_arena_copy(c->arena, (svc_str){ text + at, sizeof text - at });
}

static bool respond_not_modified(const svc_call *c, svc_str etag)
{
  svc_str rest = c->request.if_none_match;
  if (c->request.method != SVC_GET) return false;
  while (rest.n) {
    svc_str tag = svc_str_trim(svc_str_cut(&rest, ','));
    if (svc_str_starts(tag, "W/")) tag = (svc_str){ tag.p + 2, tag.n - 2 };
    if (svc_str_is(tag, "*") || svc_str_eq(tag, etag)) return true;
  }
  return false;
}

/* For answers without versions. */
static svc_str respond_plain_type(svc_call *c)
{
  svc_str type, sub;
  svc_media_of(c->plan->route, &type, &sub);
  return svc_arena_print(c->arena, SVC_FMT "/" SVC_FMT, SVC_ARG(type), SVC_ARG(sub));
}

static svc_str respond_content_type(svc_call *c)
{
  static const char day[] = "0000-00-00", json[] = "json;charset=utf-8";
  static const unsigned char digits[8] = { 9, 8, 6, 5, 3, 2, 1, 0 }; /* positions of the digits, last first */
  const char *media = c->plan && !c->error.code ? svc_route_ext_of(c->plan->route)->media : NULL;
  svc_buf b;
  char *to;
  unsigned v = c->route.version, i;
  if (media && strchr(media, '/')) return svc_str_c(media); /* a media type of its own */
  if (media && c->request.v1) return respond_plain_type(c);
  if (c->error.code || c->request.v1 || !v) return SVC_S("application/json");
  b = svc_buf_new(c->arena, c->s->media_prefix.n + sizeof day + sizeof json);
  svc_buf_str(&b, c->s->media_prefix);
  to = svc_buf_room(&b, sizeof day - 1);
  if (!to) return SVC_S("application/json");
  memcpy(to, day, sizeof day - 1);
  for (i = 0; i < 8; i++, v /= 10) to[digits[i]] = (char)('0' + v % 10);
  svc_buf_char(&b, '+');
  if (media) svc_buf_text(&b, media);
  else svc_buf_add(&b, json, sizeof json - 1);
  return svc_buf_done(&b);
}

/* An older version is deprecated from the day of the next one. */
static void respond_ending(svc_call *c, const svc_older *older)
{
  const svc_route *route = c->plan->route;
  unsigned deprecated = older ? svc_version_deprecated(route, older) : route->deprecated;
  unsigned sunset = older && older->sunset ? older->sunset : route->sunset;
  if (deprecated) respond_header(c, SVC_S("Deprecation"), respond_http_date(c, deprecated));
  if (sunset) respond_header(c, SVC_S("Sunset"), respond_http_date(c, sunset));
}

/* The URL of a created resource. The template is [{"href":"URL","rel":"self"}], and the URL in it is percent-encoded. */
static void respond_location(svc_call *c)
{
  static const size_t before = sizeof "[{\"href\":\"" - 1, behind = sizeof "\",\"rel\":\"self\"}]" - 1;
  const svc_plan *item = c->plan->item;
  svc_buf b;
  svc_str self;
  if (!item || c->answer.links != &item->links) return; /* no GET of its own */
  b = svc_buf_new(c->arena, item->self.text_size + 96);
  svc_template_write(&b, &item->self, c, &c->answer);
  self = svc_buf_done(&b);
  if (!b.failed) respond_header(c, SVC_S("Location"), svc_arena_copy(c->arena, (svc_str){ self.p + before, self.n - before - behind }));
}

/* A download is stored under the name of its resource and the time of the answer. */
static void respond_file(svc_call *c, const char *param)
{
  svc_buf b = svc_buf_new(c->arena, 96);
  char date[21];
  svc_date_text(c->now, date);
  svc_buf_text(&b, "attachment; filename=\"");
  svc_percent_encode(&b, svc_path_param(c, param));
  svc_buf_char(&b, '_');
  svc_buf_text(&b, date);
  svc_buf_text(&b, "\"");
  if (!b.failed) respond_header(c, SVC_S("Content-Disposition"), svc_buf_done(&b));
}

static void respond_headers(svc_call *c, int status, size_t body_length)
{
  const svc_route *route = c->plan ? c->plan->route : NULL;
  if (body_length) respond_header(c, SVC_S("Content-Type"), respond_content_type(c));
  if (status != 204 && status != 304) respond_number(c, SVC_S("Content-Length"), (int64_t)body_length);
  if (c->route.limited) {
    respond_number(c, SVC_S("RateLimit-Limit"), c->s->sets[SVC_TAKES_FORM(route) ? c->s->set_count : route->set].capacity);
    respond_number(c, SVC_S("RateLimit-Remaining"), c->route.tokens.remaining);
    if (!c->route.tokens.taken) respond_number(c, SVC_S("Retry-After"), c->route.tokens.wait_seconds);
  }
  if (c->error.code && (status != 401 || c->who.known)) respond_header(c, SVC_S("X-Error-Code"), svc_str_c(svc_shown_code(c->s, c->error.code)));
  if (c->error.challenge.n) respond_header(c, SVC_S("WWW-Authenticate"), c->error.challenge);
  if (c->error.challenge_bearer.n) respond_header(c, SVC_S("WWW-Authenticate"), c->error.challenge_bearer);
  if (status == 503 || c->error.retry_after) respond_number(c, SVC_S("Retry-After"), c->error.retry_after ? c->error.retry_after : 1);
  if (status == 405) respond_header(c, SVC_S("Allow"), svc_methods_allowed(c));
  if (c->route.version && (c->route.older || route->deprecated || route->sunset)) respond_ending(c, c->route.older);
  if (c->plan && (status == 201 || status == 202) && c->request.method == SVC_POST && !c->error.code) respond_location(c);
  if (route && svc_route_ext_of(route)->file && status == 200) respond_file(c, svc_route_ext_of(route)->file);
  /* an answer with a secret must not be stored; RFC 6749 5.1 requires the same of the token endpoint */
  if ((c->answer.secret && !c->error.code) || (route && SVC_TAKES_FORM(route)))
    respond_header(c, SVC_S("Cache-Control"), SVC_S("no-store"));
  respond_header(c, SVC_S("X-Content-Type-Options"), SVC_S("nosniff"));
}

SVC_PRIVATE void svc_stage_respond(svc_call *c, svc_response *response)
{
  int status = c->error.code ? svc_error_status(c->error.code) : c->answer.status;
  svc_str body, etag = SVC_S("");
  if (!c->error.code && c->answer.revision) {
    etag = respond_etag(c);
    if (respond_not_modified(c, etag)) status = 304;
  }
  body = respond_body(c, status);
  respond_headers(c, status, body.n);
  if (etag.n) respond_header(c, SVC_S("ETag"), etag);
  response->status = status;
  response->headers = c->headers;
  response->header_count = c->header_count;
  response->body = c->request.head ? "" : body.p;
  response->body_length = c->request.head ? 0 : body.n;
}

SVC_PRIVATE int svc_respond_text(svc_arena *arena, svc_str text, const svc_header *type, svc_response *out)
{
  memset(out, 0, sizeof *out);
  out->memory = arena->blocks;
  if (arena->failed) {
    svc_response_free(out);
    return SVC_NOMEM;
  }
  out->status = 200;
  out->headers = type;
  out->header_count = 1;
  out->body = text.p;
  out->body_length = text.n;
  return SVC_OK;
}

SVC_PRIVATE int svc_respond_json(svc_arena *arena, svc_str text, svc_response *out)
{
  static const svc_header type = { "Content-Type", "application/json", 12, 16 };
  return svc_respond_text(arena, text, &type, out);
}

void svc_response_free(svc_response *response)
{
  if (!response) return;
  svc_blocks_free(response->memory);
  memset(response, 0, sizeof *response);
}

const char *svc_response_header(const svc_response *response, const char *name)
{
  size_t i;
  for (i = 0; response && name && i < response->header_count; i++)
    if (svc_str_is_nocase(svc_str_c(response->headers[i].name), name)) return response->headers[i].value;
  return NULL;
}
