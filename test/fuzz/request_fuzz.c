/*
** Requests made of bytes: whatever comes in, the answer is well-formed and the process lives.
**
** An input is a text: method and target in the first line, a header in each line up to an empty one, the rest is the body.
** Names in braces that stand in paths ({groupId}) are replaced by what the fixture has of that name. The service goes on
** from input to input, so that one may find what another has left; it begins anew every FUZZ_LIFE inputs.
**
** The first inputs come from the tables: a request to every operation, with a body that has every field of its object,
** written into the folder SVC_FUZZ_SEEDS together with a dictionary of all names (build.sh fuzz).
*/
#include "fuzz.h"

#define FUZZ_LIFE 5000
#define FUZZ_HEADERS 16

/* ------------------------------------------------------------------------------------------------------------ the seeds */

static void fuzz_write(const char *folder, const char *name, svc_str text)
{
  char path[PATH_MAX];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "wb");
  if (!file || fwrite(text.p, 1, text.n, file) != text.n || fclose(file) != 0) fuzz_die("a seed cannot be written");
}

static void fuzz_object(svc_buf *b, const svc_object *object, int depth);

static void fuzz_value(svc_buf *b, const svc_field *f, int type, int depth)
{
  switch (type) {
  case SVC_INT32:
  case SVC_INT64:
  case SVC_NUMBER: svc_buf_i64(b, f->flags & SVC_MIN ? f->min : 1); break;
  case SVC_BOOLEAN: svc_buf_text(b, "true"); break;
  case SVC_DATE: svc_buf_text(b, "\"2025-06-02T00:00:00Z\""); break;
  case SVC_OBJECT:
  case SVC_MAP: fuzz_object(b, f->object, depth + 1); break;
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

/* All fields that a body may set. */
static void fuzz_object(svc_buf *b, const svc_object *object, int depth)
{
  const svc_field *f;
  svc_fields fields;
  bool first = true;
  svc_buf_char(b, '{');
  if (object && object->choice) object = object->choice->variants[0].object;
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
    if (f->object) fuzz_names(words, f->object, depth + 1);
  }
}

static void fuzz_seed(svc_arena *a, const char *folder, const svc_noun *noun, const svc_route *route, size_t number)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  char name[64];
  svc_buf b = svc_buf_new(a, 1024);
  svc_buf_text(&b, methods[route->method]);
  svc_buf_text(&b, route->flags & SVC_ABSOLUTE ? " " : " /api/svc/v2");
  svc_buf_text(&b, route->path);
  svc_buf_text(&b, "\nContent-Type: application/json\n\n");
  if (route->example) svc_buf_text(&b, route->example);
  else if (route->method != SVC_GET && route->method != SVC_DELETE && !(route->flags & SVC_NO_BODY)) {
    if (route->flags & SVC_BODY_ARRAY) svc_buf_char(&b, '[');
    fuzz_object(&b, route->body ? route->body : noun->object, 0);
    if (route->flags & SVC_BODY_ARRAY) svc_buf_char(&b, ']');
  }
  snprintf(name, sizeof name, "seed-%03zu", number);
  if (!b.failed) fuzz_write(folder, name, (svc_str){ b.p, b.n });
}

/* What no table knows: headers, and what comes with them. */
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
      fuzz_seed(&a, folder, noun, route, number++);
      if (route->body) fuzz_names(&words, route->body, 0);
    }
    fuzz_names(&words, noun->object, 0);
  }
  if (!words.failed) fuzz_write(folder, "../words", (svc_str){ words.p, words.n });
  svc_blocks_free(a.blocks);
}

/* ---------------------------------------------------------------------------------------------------------- one input */

/* What stands for a name in braces; a name of which the fixture has nothing stands for "c". */
static const char *fuzz_stand_in(const fuzz_service *f, svc_str name)
{
  if (svc_str_is(name, "orgId")) return f->org;
  if (svc_str_is(name, "groupId")) return f->group;
  return "c";
}

static char *fuzz_fill_in(const fuzz_service *f, const uint8_t *data, size_t size, size_t *length)
{
  char *text = malloc(size * 4 + 32), *to = text; /* "{}" is two bytes, an id twenty-four */
  size_t i;
  if (!text) fuzz_die("no memory");
  for (i = 0; i < size; i++) {
    size_t end = i + 1;
    if (data[i] == '{')
      while (end < size && ((data[end] >= 'a' && data[end] <= 'z') || (data[end] >= 'A' && data[end] <= 'Z'))) end++;
    if (data[i] == '{' && end < size && end > i + 5 && data[end] == '}') {
      const char *with = fuzz_stand_in(f, (svc_str){ (const char *)data + i + 1, end - i - 1 });
      memcpy(to, with, strlen(with));
      to += strlen(with);
      i = end;
    } else {
      *to++ = (char)data[i];
    }
  }
  *to = 0;
  *length = (size_t)(to - text);
  return text;
}

int svc_fuzz_request(const uint8_t *data, size_t size)
{
  static fuzz_service f;
  static int inputs;
  svc_header headers[FUZZ_HEADERS];
  svc_request request;
  svc_response response;
  char *text, *at, *line, *space;
  size_t length;
  if (!f.s || ++inputs > FUZZ_LIFE) {
    const char *folder = f.s ? NULL : getenv("SVC_FUZZ_SEEDS");
    svc_close(f.s);
    fuzz_open(&f, NULL);
    f.step = 10;
    inputs = 0;
    if (folder) fuzz_seeds(f.s, folder);
  }
  at = text = fuzz_fill_in(&f, data, size, &length);
  line = fuzz_line(&at, text + length);
  space = line ? strchr(line, ' ') : NULL;
  if (!space) goto done;
  *space = 0;
  memset(&request, 0, sizeof request);
  memset(headers, 0, sizeof headers);
  request.method = line;
  request.target = space + 1;
  request.headers = headers;
  request.peer = "192.0.2.1";
  request.caller = &fuzz_owner;
  while ((line = fuzz_line(&at, text + length)) != NULL && *line) {
    char *colon = strstr(line, ": ");
    if (!colon || request.header_count == FUZZ_HEADERS) continue;
    *colon = 0;
    headers[request.header_count].name = line;
    headers[request.header_count++].value = colon + 2;
    if (strcmp(line, "Authorization") == 0) request.caller = NULL;
  }
  request.body = at;
  request.body_length = (size_t)(text + length - at);
  if (svc_handle_request(f.s, &request, &response) != SVC_OK) fuzz_die("svc_handle_request failed");
  fuzz_check(&response);
  svc_response_free(&response);
done:
  free(text);
  return 0;
}
