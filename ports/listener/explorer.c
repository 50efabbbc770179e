/*
** The console: one page at /, and its modules below /_explorer/, for people who use the service with a browser. The console is a
** client like any other, and uses the API only, with a token that its user signs in for.
**
** The rule: nothing here knows the service, and no answer contains input of a caller. The files are constants of the
** program (explorer_files.c), so an answer allocates nothing and an event loop can send it. A file is not an operation of the API. Paths
** that are not in the table belong to the service, also below /_explorer/. -DSVC_LISTENER_NO_EXPLORER leaves all of it out of the program.
*/
#include "explorer.h"

#ifdef SVC_LISTENER_NO_EXPLORER

bool svc_listener_explorer(const svc_http_head *h, svc_response *response)
{
  (void)h, (void)response;
  return false;
}

#else

#include <string.h>

#define EXPLORER_REFUSED                                                                                                       \
  "{\"detail\":\"The method is not supported by this page: only GET and HEAD are.\",\"error\":405,"                            \
  "\"errorCode\":\"METHOD_NOT_ALLOWED\",\"parameters\":[],\"reason\":\"Method Not Allowed\"}"

static const svc_header explorer_refused[] = {
  EXPLORER_HEADER("Allow", "GET, HEAD"), EXPLORER_HEADER("Content-Type", "application/json"),
  EXPLORER_HEADER("X-Error-Code", "METHOD_NOT_ALLOWED"), EXPLORER_HEADER("X-Content-Type-Options", "nosniff")
};

/* NULL: not a file of the console. */
static const listener_file *explorer_find(const svc_http_head *h)
{
  const char *query;
  size_t i, n;
  if (h->target_length > 1 && h->target[1] != '?' && h->target[1] != '_') return NULL; /* nearly all requests are for the API */
  query = memchr(h->target, '?', h->target_length);
  n = query ? (size_t)(query - h->target) : h->target_length;
  for (i = 0; i < svc_listener_file_count; i++) {
    const listener_file *f = &svc_listener_files[i];
    if (strlen(f->path) == n && memcmp(f->path, h->target, n) == 0) return f;
  }
  return NULL;
}

/* Whether a tag of this list is the file's. A tag contains no comma, and a weak one is sufficient. */
static bool explorer_listed(const char *list, size_t n, const svc_header *tag)
{
  size_t i;
  if (n == 1 && list[0] == '*') return true;
  for (i = 0; i + tag->value_length <= n; i++)
    if (memcmp(list + i, tag->value, tag->value_length) == 0) return true; /* the quotes are part of the tag */
  return false;
}

static bool explorer_is_known(const svc_http_head *h, const svc_header *tag)
{
  size_t i;
  for (i = 0; i < h->header_count; i++)
    if (svc_http_is(h->headers[i].name, h->headers[i].name_length, "if-none-match") &&
        explorer_listed(h->headers[i].value, h->headers[i].value_length, tag)) return true;
  return false;
}

bool svc_listener_explorer(const svc_http_head *h, svc_response *response)
{
  const listener_file *f = explorer_find(h);
  if (!f) return false;
  memset(response, 0, sizeof *response);
  if (!h->reads) {
    response->status = 405;
    response->headers = explorer_refused;
    response->header_count = sizeof explorer_refused / sizeof explorer_refused[0];
    response->body = EXPLORER_REFUSED;
    response->body_length = sizeof EXPLORER_REFUSED - 1;
    return true;
  }
  response->status = explorer_is_known(h, &f->headers[0]) ? 304 : 200;
  response->headers = f->headers;
  response->header_count = EXPLORER_HEADERS;
  response->body = f->text;
  response->body_length = f->length;
  return true;
}

#endif /* SVC_LISTENER_NO_EXPLORER */
