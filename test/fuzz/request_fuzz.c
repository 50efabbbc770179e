/*
** Requests made from bytes: the answer is always well-formed, and the process never crashes.
**
** An input is a text: method and target in the first line, one header per line up to an empty line, the rest is the body. Names
** in braces in paths ({groupId}) are replaced by the fixture's values. The service continues from input to input, so that an
** input may use what another one left; a new service starts after FUZZ_LIFE inputs.
**
** The seeds come from the tables: a request to every operation, in every dated version, with a body that has every field of its
** object. The seeds are written into the folder SVC_FUZZ_SEEDS, together with a dictionary of all names (build.sh fuzz).
*/
#include "fuzz.h"

#define FUZZ_LIFE 5000

/* ------------------------------------------------------------------------------------------------------------ the seeds */

static void fuzz_object(svc_buf *b, const svc_object *object, int depth);

static void fuzz_value(svc_buf *b, const svc_field *f, int type, int depth)
{
  switch (type) {
  case SVC_INT32:
  case SVC_INT64:
  case SVC_NUMBER: svc_buf_i64(b, f->flags & SVC_MIN ? svc_field_min(f) : 1); break;
  case SVC_BOOLEAN: svc_buf_text(b, "true"); break;
  case SVC_DATE: svc_buf_text(b, "\"2025-06-02T00:00:00Z\""); break;
  case SVC_OBJECT:
  case SVC_MAP: fuzz_object(b, svc_field_object(f), depth + 1); break;
  case SVC_ARRAY:
    svc_buf_char(b, '[');
    fuzz_value(b, f, f->item, depth + 1);
    svc_buf_char(b, ']');
    break;
  default:
    if (f->format == SVC_FORMAT_ID) svc_buf_text(b, strcmp(f->name, "orgId") == 0 ? "\"{orgId}\"" : "\"{groupId}\"");
    else svc_json_escape(b, f->values ? svc_str_c(f->values[0]) : SVC_S("abcdefgh"));
  }
}

/* Writes all fields that a body may set. */
static void fuzz_object(svc_buf *b, const svc_object *object, int depth)
{
  const svc_field *f;
  svc_fields fields;
  bool first = true;
  svc_buf_char(b, '{');
  if (object && svc_object_ext_of(object)->choice) object = svc_object_ext_of(object)->choice->variants[0].object;
  svc_fields_begin(&fields, depth < 8 ? object : NULL);
  while ((f = svc_fields_next(&fields)) != NULL) {
    if (f->flags & SVC_READ_ONLY) continue;
    if (!first) svc_buf_char(b, ',');
    first = false;
    svc_json_escape(b, svc_str_c(f->name));
    svc_buf_char(b, ':');
    fuzz_value(b, f, f->type, depth);
  }
  svc_buf_char(b, '}');
}

static void fuzz_names(svc_buf *words, const svc_object *object, int depth)
{
  const svc_field *f;
  const char *const *v;
  svc_fields fields;
  svc_fields_begin(&fields, depth < 8 ? object : NULL);
  while ((f = svc_fields_next(&fields)) != NULL) {
    svc_buf_text(words, "\"\\\"");
    svc_buf_text(words, f->name);
    svc_buf_text(words, "\\\":\"\n");
    for (v = f->values; v && *v; v++) {
      svc_buf_text(words, "\"");
      svc_buf_text(words, *v);
      svc_buf_text(words, "\"\n");
    }
    if (svc_field_object(f)) fuzz_names(words, svc_field_object(f), depth + 1);
  }
}

/* older: the requested version; NULL: the newest. */
static void fuzz_seed(svc_arena *a, const char *folder, const svc_noun *noun, const svc_route *route, const svc_older *older, size_t number)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  const char *example = older && older->example ? older->example : route->example;
  char name[64];
  svc_buf b = svc_buf_new(a, 1024);
  svc_buf_text(&b, methods[route->method]);
  svc_buf_text(&b, route->flags & SVC_ABSOLUTE ? " " : " /api/svc/v2");
  svc_buf_text(&b, route->path);
  svc_buf_text(&b, "\nContent-Type: application/json\n");
  if (older) svc_buf_str(&b, svc_arena_print(a, "Accept: application/vnd.svc.%04u-%02u-%02u+json\n", older->date / 10000, older->date / 100 % 100, older->date % 100));
  svc_buf_char(&b, '\n');
  if (example) svc_buf_text(&b, example);
  else if (route->method != SVC_GET && route->method != SVC_DELETE && !(route->flags & SVC_NO_BODY)) {
    if (route->flags & SVC_BODY_ARRAY) svc_buf_char(&b, '[');
    fuzz_object(&b, older && older->body ? older->body : route->body ? route->body : noun->object, 0);
    if (route->flags & SVC_BODY_ARRAY) svc_buf_char(&b, ']');
  }
  snprintf(name, sizeof name, "seed-%03zu", number);
  if (!b.failed) fuzz_write(folder, name, (svc_str){ b.p, b.n });
}

/* Requests that no table has: headers, and their bodies. */
static const char *const fuzz_spoken[] = {
  "POST /api/oauth/token\nAuthorization: Basic YTpi\nContent-Type: application/x-www-form-urlencoded\n\n"
  "grant_type=client_credentials",
  "POST /api/oauth/revoke\nAuthorization: Basic YTpi\nContent-Type: application/x-www-form-urlencoded\n\n"
  "token=a&token_type_hint=access_token",
  "GET /api/svc/v2/groups\nAuthorization: Bearer abcdefgh\n\n",
  "GET /api/svc/v2/groups\nAuthorization: Digest username=\"a\", realm=\"b\", nonce=\"c\", uri=\"/api/svc/v2/groups\", "
  "cnonce=\"d\", nc=00000001, qop=auth, response=\"00000000000000000000000000000000\", algorithm=MD5\n\n",
  "GET /api/svc/v2/groups/{groupId}?pretty=true&envelope=true&pageNum=2&itemsPerPage=500&includeCount=false\n"
  "Accept: application/vnd.svc.2023-01-01+json;q=0.5, text/html, */*;q=0.1\nIf-None-Match: \"1\", W/\"2\"\n\n",
  "PATCH /api/svc/v2/groups/{groupId}\nContent-Type: application/vnd.svc.2023-01-01+json; charset=utf-8\nIf-Match: *\n\n"
  "{\"name\":\"\\u0061\\ud83d\\ude00\",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}",
  "POST /api/svc/v2/groups\nContent-Type: application/json\nIdempotency-Key: abc\nX-Forwarded-For: 192.0.2.7, ::1\n\n"
  "{\"name\":\"n\",\"orgId\":\"{orgId}\",\"tags\":[]}",
};

static void fuzz_seeds(const svc *s, const char *folder)
{
  svc_arena a;
  svc_buf words;
  size_t i, number = 0;
  svc_arena_init(&a, NULL);
  for (; number < sizeof fuzz_spoken / sizeof fuzz_spoken[0]; number++) {
    char name[64];
    snprintf(name, sizeof name, "seed-%03zu", number);
    fuzz_write(folder, name, svc_str_c(fuzz_spoken[number]));
  }
  words = svc_buf_new(&a, 4096);
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun *noun = s->nouns[i].noun;
    unsigned r;
    for (r = 0; r < noun->route_count; r++) {
      const svc_route *route = &noun->routes[r];
      const svc_older *older;
      fuzz_seed(&a, folder, noun, route, NULL, number++);
      for (older = route->older; older && older->date; older++) fuzz_seed(&a, folder, noun, route, older, number++);
      if (route->body) fuzz_names(&words, route->body, 0);
    }
    fuzz_names(&words, noun->object, 0);
  }
  if (!words.failed) fuzz_write(folder, "../words", (svc_str){ words.p, words.n });
  svc_blocks_free(a.blocks);
}

/* ---------------------------------------------------------------------------------------------------------- one input */

int svc_fuzz_request(const uint8_t *data, size_t size)
{
  static fuzz_service f;
  static int inputs;
  if (!f.s || ++inputs > FUZZ_LIFE) {
    const char *folder = f.s ? NULL : getenv("SVC_FUZZ_SEEDS");
    svc_close(f.s);
    fuzz_open(&f, NULL);
    f.step = 10;
    inputs = 0;
    if (folder) fuzz_seeds(f.s, folder);
  }
  fuzz_ask(&f, data, size, fuzz_check);
  return 0;
}
