/*
** Measures how much stack calls need: each kind of call runs on a thread whose stack was filled with a pattern before, and the
** overwritten part is measured afterwards. Prints a line for each kind, and the maximum last:
**
**   stack FOLDER    FOLDER is for a store, and must not exist yet
**
** The kinds: opening, the first and invalid credentials, creates of several kinds of resources, a walk along all links, changes, bodies
** that are deep, long and invalid, cascading deletes, the OpenAPI document, a backup.
*/
#define _GNU_SOURCE /* mmap's flags, strdup */
#include "svcapi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STACK ((size_t)1 << 20)
#define PAINT 0x5A
#define TARGETS 2000

typedef struct stack_world {
  const char *folder;
  unsigned char *low; /* lowest address of the thread's stack */
  size_t most;
  const char *most_of;
  svc *s;
  svc_credentials keys;
  char authorization[512];
  char *targets[TARGETS]; /* targets from links, to be visited */
  size_t count;
  int status;
  char *body; /* of the last answer */
  size_t deep; /* stack used by bodies with the largest max_depth */
} stack_world;

static void stack_die(const char *what, const char *more)
{
  fprintf(stderr, "stack: %s %s\n", what, more);
  exit(1);
}

/* Returns how much of the stack was used since the last fill, and fills it again up to the present frame. */
static size_t stack_used(stack_world *w)
{
  unsigned char *here = __builtin_frame_address(0), *p = w->low;
  while (*p == PAINT) p++;
  memset(w->low, PAINT, (size_t)(here - w->low) - 4096);
  return (size_t)(w->low + STACK - p);
}

static void stack_note(stack_world *w, const char *what)
{
  size_t used = stack_used(w);
  if (used > w->most) {
    w->most = used;
    w->most_of = what;
  }
  printf("%6zu %s\n", used, what);
}

static size_t stack_quiet(stack_world *w, const char *what)
{
  size_t used = stack_used(w);
  if (used > w->most) {
    w->most = used;
    w->most_of = what;
  }
  return used;
}

static void stack_links(stack_world *w)
{
  const char *p = w->body, *end;
  size_t i;
  while ((p = strstr(p, "\"href\":\"")) != NULL) {
    char text[512];
    p += 8;
    end = strchr(p, '"');
    if (strncmp(p, "http://localhost:8080", 21) != 0 || end - p > 480) continue;
    snprintf(text, sizeof text, "%.*s", (int)(end - p - 21), p + 21);
    for (i = 0; i < w->count && strcmp(w->targets[i], text) != 0;) i++;
    if (i == w->count && w->count < TARGETS) w->targets[w->count++] = strdup(text);
  }
}

/* Sends one request with w->authorization. */
static void stack_send(stack_world *w, const char *method, const char *target, const char *body)
{
  const svc_header headers[] = { { "Authorization", w->authorization, 0, 0 },
                                 { "Content-Type", body && body[0] == 'g' ? "application/x-www-form-urlencoded" : "application/json", 0, 0 } };
  svc_request request = { .method = method, .target = target, .headers = headers, .header_count = body ? 2 : 1,
                          .body = body, .body_length = body ? strlen(body) : 0 };
  svc_response response;
  if (svc_handle_request(w->s, &request, &response) == SVC_INVALID) stack_die("no answer to", target);
  w->status = response.status;
  free(w->body);
  w->body = strdup(response.body);
  stack_links(w);
  svc_response_free(&response);
}

/* The value of a member of the last answer; "" if it is missing. */
static void stack_value(const stack_world *w, const char *name, char *out, size_t size)
{
  char member[64];
  const char *at;
  snprintf(member, sizeof member, "\"%s\":\"", name);
  at = strstr(w->body, member);
  snprintf(out, size, "%.*s", at ? (int)strcspn(at + strlen(member), "\"") : 0, at ? at + strlen(member) : "");
}

static void stack_bearer(stack_world *w)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char plain[256], token[256];
  size_t n, i, at;
  memset(plain, 0, sizeof plain);
  n = (size_t)snprintf(plain, sizeof plain, "%s:%s", w->keys.client_id, w->keys.client_secret);
  at = (size_t)snprintf(w->authorization, sizeof w->authorization, "Basic ");
  for (i = 0; i < n; i += 3) {
    unsigned v = (unsigned)(unsigned char)plain[i] << 16 | (unsigned)(unsigned char)plain[i + 1] << 8 | (unsigned char)plain[i + 2];
    unsigned k;
    for (k = 0; k < 4; k++) w->authorization[at++] = k <= (n - i < 3 ? n - i : 3) ? digits[v >> (18 - 6 * k) & 63] : '=';
  }
  w->authorization[at] = '\0';
  stack_send(w, "POST", "/api/oauth/token", "grant_type=client_credentials");
  stack_note(w, "a token");
  stack_value(w, "access_token", token, sizeof token);
  if (!token[0]) stack_die("no token:", w->body);
  snprintf(w->authorization, sizeof w->authorization, "Bearer %s", token);
}

static void stack_create(stack_world *w)
{
  static const struct {
    const char *path, *body;
  } rows[] = {
    { "/groups", "{\"name\":\"two\",\"orgId\":\"%s\"}" },
    { "/orgs/%s/apiKeys", "{\"desc\":\"second\",\"roles\":[\"ORG_MEMBER\"]}" },
    { "/orgs/%s/serviceAccounts", "{\"name\":\"b\",\"description\":\"b\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":24}" },
    { "/orgs/%s/invites", "{\"username\":\"x@example.com\",\"roles\":[\"ORG_MEMBER\"]}" },
    { "/orgs/%s/users", "{\"username\":\"z@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}" },
    { "/groups/%s/customDBRoles/roles", "{\"roleName\":\"r\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"a\",\"collection\":\"b\"}]}]}" },
    { "/groups/%s/clusters", "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
                             "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}" },
  };
  size_t i;
  int good = 0;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char target[256], path[128], body[1024];
    const char *id = strncmp(rows[i].path, "/groups/", 8) == 0 ? w->keys.group_id : w->keys.org_id;
    snprintf(path, sizeof path, rows[i].path, id);
    snprintf(target, sizeof target, "/api/svc/v2%s", path);
    snprintf(body, sizeof body, rows[i].body, w->keys.org_id);
    stack_send(w, "POST", target, body);
    good += w->status >= 200 && w->status < 300;
    stack_note(w, target);
  }
  if (good < 5) stack_die("most creates were refused, so this looks in vain:", w->body);
}

/* Follows all links, and sends each representation back. */
static void stack_walk(stack_world *w)
{
  size_t i, most = 0, most_back = 0, used;
  stack_send(w, "GET", "/api/svc/v2", NULL);
  for (i = 0; i < w->count; i++) {
    char target[600];
    char *body;
    snprintf(target, sizeof target, "%s%spretty=true&envelope=true", w->targets[i], strchr(w->targets[i], '?') ? "&" : "?");
    stack_send(w, "GET", target, NULL);
    stack_send(w, "GET", w->targets[i], NULL);
    used = stack_quiet(w, "GET");
    most = used > most ? used : most;
    if (w->status != 200) continue;
    body = strdup(w->body);
    stack_send(w, "PATCH", w->targets[i], body);
    free(body);
    used = stack_quiet(w, "PATCH");
    most_back = used > most_back ? used : most_back;
  }
  if (w->count < 30) stack_die("hardly a link was found", "");
  printf("%6zu GET of %zu addresses\n%6zu PATCH of each with what it shows\n", most, w->count, most_back);
}

static void stack_bodies(stack_world *w, size_t depth)
{
  char *body = malloc((size_t)1 << 20), target[128];
  size_t i;
  if (!body) stack_die("no memory", "");
  for (i = 0; i < depth; i++) body[i] = '[', body[depth + i] = ']';
  body[2 * depth] = '\0';
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s", w->keys.group_id);
  stack_send(w, "PATCH", target, body);
  for (i = 0; i < depth; i++) memcpy(body + i * 5, "{\"a\":", 6);
  strcpy(body + depth * 5, "1");
  for (i = 0; i < depth; i++) body[depth * 5 + 1 + i] = '}';
  body[depth * 6 + 1] = '\0';
  stack_send(w, "PATCH", target, body);
  memset(body, ' ', ((size_t)1 << 20) - 1);
  memcpy(body, "{\"name\":\"", 9);
  memset(body + 9, 'x', 500000);
  body[500009] = '"', body[500010] = '}';
  body[((size_t)1 << 20) - 1] = '\0';
  stack_send(w, "PATCH", target, body);
  free(body);
}

static void stack_deletes(stack_world *w)
{
  static const char *const ids[] = { "groups", "orgs" };
  char target[256];
  size_t i;
  for (i = 0; i < w->count; i++)
    if (strstr(w->targets[i], "/groups/") && !strchr(w->targets[i], '?')) stack_send(w, "DELETE", w->targets[i], NULL);
  stack_note(w, "DELETE of all below projects, and of these");
  for (i = 0; i < 2; i++) {
    snprintf(target, sizeof target, "/api/svc/v2/%s/%s", ids[i], i ? w->keys.org_id : w->keys.group_id);
    stack_send(w, "DELETE", target, NULL);
  }
  stack_note(w, "DELETE of the organization");
}

static void stack_wrong(stack_world *w)
{
  static const char *const wrong[] = { "", "Bearer nobody", "Basic !", "Digest username=\"abcdefgh\", realm=\"x\", nonce=\"x\", "
                                       "uri=\"/api/svc/v2/orgs\", response=\"0123456789abcdef0123456789abcdef\", qop=auth, nc=00000001, cnonce=\"y\"" };
  size_t i;
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(w->authorization, sizeof w->authorization, "%s", wrong[i]);
    stack_send(w, "GET", "/api/svc/v2/orgs?itemsPerPage=5", NULL);
  }
  stack_note(w, "invalid credentials");
}

static void *stack_run(void *argument)
{
  stack_world *w = argument;
  svc_config config = { .path = w->folder, .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };
  svc_response document;
  char copy[512];
  stack_used(w);
  if (svc_open(&w->s, &config) != SVC_OK) stack_die("cannot open", w->folder);
  stack_note(w, "svc_open");
  if (svc_bootstrap(w->s, &w->keys) != SVC_OK) stack_die("no credentials", "");
  stack_note(w, "svc_bootstrap");
  stack_wrong(w);
  stack_bearer(w);
  stack_create(w);
  if (svc_tick(w->s) != SVC_OK) stack_die("svc_tick", "");
  stack_note(w, "svc_tick");
  stack_walk(w);
  stack_bodies(w, 32);
  stack_note(w, "bodies of 32 levels, and of 1 MiB");
  if (svc_openapi(w->s, &document) != SVC_OK) stack_die("svc_openapi", "");
  svc_response_free(&document);
  stack_note(w, "svc_openapi");
  snprintf(copy, sizeof copy, "%s/copy", w->folder);
  if (svc_backup(w->s, copy) != SVC_OK) stack_die("svc_backup", "");
  stack_note(w, "svc_backup");
  stack_deletes(w);
  svc_close(w->s);
  stack_note(w, "svc_close");
  return NULL;
}

/* Sends bodies of all depths, with the largest max_depth. */
static void *stack_run_deep(void *argument)
{
  stack_world *w = argument;
  svc_config config = { .limiter_off = 1, .max_depth = 512 };
  size_t depth;
  if (svc_open(&w->s, &config) != SVC_OK || svc_bootstrap(w->s, &w->keys) != SVC_OK) stack_die("cannot open", "");
  stack_bearer(w);
  stack_used(w);
  for (depth = 32; depth <= 512; depth += 4) stack_bodies(w, depth); /* the limit on paths stops the deepest ones before max_depth does */
  w->deep = stack_used(w);
  svc_close(w->s);
  return NULL;
}

static void stack_on_thread(stack_world *w, void *(*run)(void *))
{
  pthread_attr_t how;
  pthread_t thread;
  w->low = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (w->low == MAP_FAILED) stack_die("no memory", "");
  memset(w->low, PAINT, STACK);
  pthread_attr_init(&how);
  if (pthread_attr_setstack(&how, w->low, STACK) != 0 || pthread_create(&thread, &how, run, w) != 0) stack_die("no thread", "");
  pthread_join(thread, NULL);
  pthread_attr_destroy(&how);
  munmap(w->low, STACK);
}

int main(int argc, char **argv)
{
  static stack_world w, deep;
  if (argc != 2) return 2;
  w.folder = argv[1];
  stack_on_thread(&w, stack_run);
  stack_on_thread(&deep, stack_run_deep);
  printf("%6zu the most: %s\n%6zu the most, with max_depth 512\n", w.most, w.most_of, deep.deep > w.most ? deep.deep : w.most);
  return 0;
}
