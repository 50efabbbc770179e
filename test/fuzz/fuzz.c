/*
** Functions that the targets share: see fuzz.h.
*/
#include "fuzz.h"

static const svc_grant fuzz_grants[] = { { "ORG_OWNER", NULL } };
const svc_caller fuzz_owner = { "5f0000000000000000000001", "owner@example.com", fuzz_grants, 1, 0 };

void fuzz_die(const char *what)
{
  fprintf(stderr, "fuzz: %s\n", what);
  abort();
}

static int64_t fuzz_clock(void *context)
{
  fuzz_service *f = context;
  return f->now += f->step;
}

static int fuzz_random(void *context, void *out, size_t size)
{
  fuzz_service *f = context;
  unsigned char *p = out;
  while (size--) {
    f->random = f->random * 6364136223846793005u + 1442695040888963407u;
    *p++ = (unsigned char)(f->random >> 33);
  }
  return 0;
}

void fuzz_make(fuzz_service *f, const char *target, const char *body, char *id)
{
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request;
  svc_response response;
  const char *found;
  memset(&request, 0, sizeof request);
  request.method = "POST";
  request.target = target;
  request.headers = &json;
  request.header_count = 1;
  request.body = body;
  request.body_length = strlen(body);
  request.caller = &fuzz_owner;
  if (svc_handle_request(f->s, &request, &response) != SVC_OK || response.status / 100 != 2) {
    fprintf(stderr, "%s: %d %s\n", target, response.status, response.body ? response.body : "");
    fuzz_die("no fixture");
  }
  found = id ? strstr(response.body, "\"id\":\"") : NULL;
  if (id) memcpy(id, found ? found + 6 : "", found ? 24 : 1);
  svc_response_free(&response);
}

void fuzz_begin(fuzz_service *f, const svc_config *config)
{
  svc_config own;
  memset(f, 0, sizeof *f);
  memset(&own, 0, sizeof own);
  if (config) own = *config;
  f->now = (int64_t)1748736000000;
  own.clock = fuzz_clock;
  own.clock_context = f;
  own.random = fuzz_random;
  own.random_context = f;
  own.limiter_off = 1;
  if (svc_open(&f->s, &own) != SVC_OK) fuzz_die("the service does not open");
}

void fuzz_open(fuzz_service *f, const svc_config *config)
{
  char text[512];
  fuzz_begin(f, config);
  fuzz_make(f, "/api/svc/v2/orgs", "{\"name\":\"Acme\"}", f->org);
  snprintf(text, sizeof text, "{\"name\":\"p\",\"orgId\":\"%s\"}", f->org);
  fuzz_make(f, "/api/svc/v2/groups", text, f->group);
  snprintf(text, sizeof text, "/api/svc/v2/groups/%s/clusters", f->group);
  fuzz_make(f, text,
            "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
            "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}",
            NULL);
}

void fuzz_check(const svc_response *r)
{
  svc_arena a;
  svc_json_fault fault;
  const char *type = svc_response_header(r, "Content-Type");
  if (r->status < 200 || r->status > 599 || r->status == 500) fuzz_die("a status that should not be");
  if (r->body_length == 0 || !type || !strstr(type, "json")) return;
  svc_arena_init(&a, NULL);
  if (!svc_json_gate(&a, (svc_str){ r->body, r->body_length }, 64, &fault)) {
    fprintf(stderr, "%s at %zu of %.*s\n", fault.what, fault.at, (int)r->body_length, r->body);
    fuzz_die("an answer that is no JSON");
  }
  if (r->status >= 400 && !strstr(r->body, "\"errorCode\"") && !strstr(r->body, "\"error\"")) fuzz_die("no error document");
  svc_blocks_free(a.blocks);
}

char *fuzz_line(char **at, const char *end)
{
  char *line = *at, *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
  if (!newline) return NULL;
  *newline = 0;
  *at = newline + 1;
  return line;
}

/* ------------------------------------------------------------------------------------------------------------- requests */

#define FUZZ_HEADERS 16

void fuzz_write(const char *folder, const char *name, svc_str text)
{
  char path[PATH_MAX];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "wb");
  if (!file || fwrite(text.p, 1, text.n, file) != text.n || fclose(file) != 0) fuzz_die("a seed cannot be written");
}

/* Returns the replacement for a name in braces; "c" if the fixture has nothing for the name. */
static const char *fuzz_stand_in(const fuzz_service *f, svc_str name)
{
  if (svc_str_is(name, "orgId")) return f->org;
  if (svc_str_is(name, "groupId")) return f->group;
  return "c";
}

static char *fuzz_fill_in(const fuzz_service *f, const uint8_t *data, size_t size, size_t *length)
{
  char *text = malloc(size * 4 + 32), *to = text; /* the shortest name has 7 bytes with its braces, an id has 24 */
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

void fuzz_ask(fuzz_service *f, const uint8_t *data, size_t size, void (*look)(const svc_response *r))
{
  svc_header headers[FUZZ_HEADERS];
  svc_request request;
  svc_response response;
  char *text, *at, *line, *space;
  size_t length;
  at = text = fuzz_fill_in(f, data, size, &length);
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
  if (svc_handle_request(f->s, &request, &response) != SVC_OK) fuzz_die("svc_handle_request failed");
  look(&response);
  svc_response_free(&response);
done:
  free(text);
}
