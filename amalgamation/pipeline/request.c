/*
** First stage: the request line and the relevant headers.
**
** The rule: all stages use the request line and the headers as they are read here. Of the raw request, later parts read only the body,
** the method, the host's caller, the target (Digest signs it), the trace headers and the time that the request waited. Only test control
** reads more of it, such as other headers. A target or headers that are too large are refused here, before any work is done for them; a
** body that is too large is refused in body.c.
*/
#include "pipeline/pipeline.h"

static bool request_method(svc_call *c)
{
  static const char *const names[SVC_METHOD_COUNT] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  svc_str method = svc_str_c(c->request.raw->method);
  int i;
  for (i = 0; i < SVC_METHOD_COUNT && !svc_str_is(method, names[i]);) i++;
  c->request.head = i == SVC_METHOD_COUNT && svc_str_is(method, "HEAD");
  c->request.method = c->request.head ? SVC_GET : i; /* SVC_METHOD_COUNT: an unknown method, which the router answers with 405 */
  if (c->request.method != SVC_GET) svc_arena_wipes(c->arena, svc_wipe); /* these may send or create secrets */
  return true;
}

/* The format of the answer: errors of stages before the query need it, too. query.c reads it strictly. */
static void request_format(svc_call *c)
{
  svc_str rest = c->request.query;
  while (rest.n) {
    svc_str pair = svc_str_cut(&rest, '&');
    if (svc_str_is(pair, "envelope=true")) c->query.envelope = true;
    if (svc_str_is(pair, "pretty=true")) c->query.pretty = true;
  }
}

/* Whether every byte is one of '!' to '~'. Eight at a time: a byte below 0x21 borrows its highest bit, 0x7F carries into it. */
static bool request_is_visible(svc_str text)
{
  const uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
  const unsigned char *p = (const unsigned char *)text.p;
  size_t left = text.n;
  uint64_t bad = 0;
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t v = svc_load64(p);
    bad |= (v | (v - ones * 0x21) | (v + ones)) & high;
  }
  for (; left > 0; left--, p++) bad |= *p <= ' ' || *p >= 0x7F;
  return !bad;
}

static bool request_target(svc_call *c)
{
  svc_str target = svc_str_n(c->request.raw->target, c->request.raw->target_length);
  int64_t limit = (int64_t)c->s->config.max_target;
  if (target.n > c->s->config.max_target) return svc_fail(c, SVC_E_URI_TOO_LONG, "i", &limit);
  if (target.n == 0 || target.p[0] != '/')
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the request target must begin with a slash");
  if (!request_is_visible(target))
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the request target contains a character that must be percent-encoded");
  c->request.query = target;
  c->request.path = svc_str_cut(&c->request.query, '?');
  request_format(c);
  return true;
}

static bool request_headers(svc_call *c)
{
  static const struct {
    const char *name;
    size_t length, offset;
  } wanted[] = {
    { "host", 4, offsetof(svc_call, request.host) },
    { "accept", 6, offsetof(svc_call, request.accept) },
    { "origin", 6, offsetof(svc_call, request.origin) },
    { "if-match", 8, offsetof(svc_call, request.if_match) },
    { "content-type", 12, offsetof(svc_call, request.content_type) },
    { "authorization", 13, offsetof(svc_call, request.authorization) },
    { "if-none-match", 13, offsetof(svc_call, request.if_none_match) },
    { "sec-fetch-site", 14, offsetof(svc_call, request.fetch_site) },
    { "idempotency-key", 15, offsetof(svc_call, request.retry_key) },
  };
  size_t i, j, total = 0;
  for (i = 0; i < c->request.raw->header_count; i++) {
    const svc_header *h = &c->request.raw->headers[i];
    svc_str name = svc_str_n(h->name, h->name_length), value = svc_str_n(h->value, h->value_length);
    total += name.n + value.n;
    for (j = 0; j < sizeof wanted / sizeof wanted[0]; j++) {
      svc_str *to = (svc_str *)(void *)((char *)c + wanted[j].offset);
      if (name.n != wanted[j].length || !svc_str_is_nocase(name, wanted[j].name)) continue;
      value = svc_str_trim(value);
      /* a repeated header is the list of its values */
      *to = to->n ? svc_arena_print(c->arena, SVC_FMT ", " SVC_FMT, SVC_ARG(*to), SVC_ARG(value)) : value;
    }
  }
  if (total > c->s->config.max_header_bytes) {
    int64_t limit = (int64_t)c->s->config.max_header_bytes;
    return svc_fail(c, SVC_E_HEADERS_TOO_LARGE, "i", &limit);
  }
  return true;
}

SVC_PRIVATE bool svc_request_line(svc_call *c)
{
  return request_method(c) && request_target(c);
}

SVC_PRIVATE bool svc_stage_request(svc_call *c)
{
  c->request.peer = svc_str_c(c->request.raw->peer ? c->request.raw->peer : "127.0.0.1");
  if (memchr(c->request.peer.p, ':', c->request.peer.n))
    c->request.peer = svc_address_spell(c->arena, c->request.peer); /* each address has one bucket: also for ::ffff:a.b.c.d */
  return svc_request_line(c) && request_headers(c);
}
