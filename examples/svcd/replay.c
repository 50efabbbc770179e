/*
** svcd replay FILE.har --against URL: sends the requests of an HTTP archive to another server, in order, and reports where its answers
** differ from the recorded ones. Use: to compare two versions, or this service with the one that it replaces.
**
** The rules. Requests go only to --against, with credentials of that server. A request that cannot be repeated is skipped and counted: its
** body was not recorded, or a blanked secret in it cannot be invented. Requests of test control and sign-ins are not replayed.
*/
#define _GNU_SOURCE /* asprintf, memmem, explicit_bzero */
#include "replay.h"

#include <mbedtls/base64.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPLAY_FILE ((size_t)256 << 20) /* most bytes of an archive */
#define REPLAY_SHOWN 120                /* bytes of a value that are printed */
#define REPLAY_SECONDS 30               /* timeout of each wait for the server */
#define REPLAY_TOKEN "/api/oauth/"

/* ------------------------------------------------------------------------------------------------------------- telling */

static void replay_json(const char *name, const char *text, size_t n)
{
  size_t i;
  printf("\"%s\":\"", name);
  for (i = 0; i < n; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == 0x7F) printf("\\u%04x", (unsigned)(unsigned char)text[i]);
    else printf("%s%c", strchr("\"\\", text[i]) ? "\\" : "", text[i]);
  putchar('"');
}

/* Prints a text of the archive or of the server. A terminal would obey control characters in it, among them those of C1 (U+0080 to U+009F)
** and those that change the direction of text, so they are printed as \xNN, byte by byte. Invalid UTF-8 is, too. */
static void replay_text(const char *text, size_t n)
{
  size_t i, k;
  for (i = 0; i < n; i += k) {
    const unsigned char *p = (const unsigned char *)text + i;
    const int is_hidden = svcd_is_hidden(p, n - i, &k);
    size_t j;
    for (j = 0; j < k; j++)
      if (is_hidden) printf("\\x%02x", (unsigned)p[j]);
      else putchar(p[j]);
  }
}

static void replay_about(const replay *r)
{
  printf("%zu ", r->number);
  replay_text(r->method, strlen(r->method));
  putchar(' ');
  replay_text(r->path, strlen(r->path));
  fputs(": ", stdout);
}

static int replay_shown(exec_text value)
{
  size_t n = value.n < REPLAY_SHOWN ? value.n : REPLAY_SHOWN;
  while (n && n < value.n && ((unsigned char)value.p[n] & 0xC0) == 0x80) n--; /* cut before a UTF-8 character, not in it */
  return (int)n;
}

/* Prints a line for one difference, without the value of a field whose name indicates a secret. */
void replay_differs(replay *r, const char *what, const char *field, exec_text was, exec_text is)
{
  const int secret = replay_is_secret(field, strlen(field));
  r->differences++;
  if (r->o->json) {
    printf("{\"request\":%zu,", r->number);
    replay_json("method", r->method, strlen(r->method));
    putchar(',');
    replay_json("path", r->path, strlen(r->path));
    printf(",\"what\":\"%s\",", what);
    replay_json("field", field, strlen(field));
    if (was.p && !secret) putchar(','), replay_json("recorded", was.p, (size_t)replay_shown(was));
    if (is.p && !secret) putchar(','), replay_json("answered", is.p, (size_t)replay_shown(is));
    puts("}");
    return;
  }
  replay_about(r);
  replay_text(field, strlen(field));
  if (strcmp(what, "missing") == 0 || strcmp(what, "new") == 0 || secret) {
    puts(strcmp(what, "missing") == 0 ? " is missing" : strcmp(what, "new") == 0 ? " is new" : " differs");
    return;
  }
  fputs(" was ", stdout);
  replay_text(was.p, (size_t)replay_shown(was));
  fputs(", is ", stdout);
  replay_text(is.p, (size_t)replay_shown(is));
  putchar('\n');
}

static void replay_skip(replay *r, const char *why)
{
  r->skipped++;
  if (!r->o->json) {
    replay_about(r);
    printf("skipped: %s\n", why);
    return;
  }
  printf("{\"request\":%zu,", r->number);
  replay_json("method", r->method, strlen(r->method));
  putchar(',');
  replay_json("path", r->path, strlen(r->path));
  printf(",\"what\":\"skipped\",\"why\":\"%s\"}\n", why);
}

/* ----------------------------------------------------------------------------------------------------------- signing in */

static char *replay_read_file(const char *path, size_t most, size_t *length)
{
  FILE *f = fopen(path, "re");
  char *text = NULL;
  long n;
  if (!f) return svcd_error(1, "cannot read %s: %s", path, strerror(errno)), NULL;
  if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && (size_t)n <= most && fseek(f, 0, SEEK_SET) == 0) text = malloc((size_t)n + 1);
  if (text && fread(text, 1, (size_t)n, f) == (size_t)n) text[*length = (size_t)n] = '\0';
  else free(text), text = NULL;
  fclose(f);
  if (!text) svcd_error(1, "cannot read %s: it is not a file, or too long", path);
  return text;
}

static void replay_member(exec_text object, const char *name, char *out, size_t size)
{
  char *text = exec_json_string(exec_json_get(object, name), NULL);
  snprintf(out, size, "%s", text ? text : "");
  if (text) explicit_bzero(text, strlen(text));
  free(text);
}

static void replay_variable(const char *name, char *out, size_t size)
{
  const char *value = getenv(name);
  snprintf(out, size, "%s", value ? value : "");
}

static int replay_credentials(replay *r)
{
  size_t n = 0;
  char *text = r->o->credentials ? replay_read_file(r->o->credentials, 65536, &n) : NULL;
  if (r->o->credentials && !text) return 1;
  if (text) {
    const exec_text object = { text, n };
    const int good = exec_json_is_object(object);
    if (good) {
      replay_member(object, "clientId", r->id, sizeof r->id);
      replay_member(object, "clientSecret", r->secret, sizeof r->secret);
      replay_member(object, "orgId", r->org, sizeof r->org);
      replay_member(object, "groupId", r->group, sizeof r->group);
    }
    explicit_bzero(text, n);
    free(text);
    if (good && r->id[0] && r->secret[0]) return 0;
    return svcd_error(1, "%s has no clientId and clientSecret: name a file such as bootstrap.json", r->o->credentials);
  }
  replay_variable("SVC_CLIENT_ID", r->id, sizeof r->id);
  replay_variable("SVC_CLIENT_SECRET", r->secret, sizeof r->secret);
  replay_variable("SVC_ORG_ID", r->org, sizeof r->org);
  replay_variable("SVC_GROUP_ID", r->group, sizeof r->group);
  if (r->id[0] && r->secret[0]) return 0;
  return svcd_error(2, "replay needs credentials of the server: --credentials FILE (its bootstrap.json), or the variables"
                    " SVC_CLIENT_ID and SVC_CLIENT_SECRET");
}

/* Gets a bearer token with the client credentials. Returns 0, or the exit status. */
static int replay_sign_in(replay *r)
{
  static const char body[] = "grant_type=client_credentials";
  char pair[520], why[512], *headers = NULL, *token = NULL;
  unsigned char basic[720];
  http_answer a;
  size_t n = 0;
  int status = 1;
  snprintf(pair, sizeof pair, "%s:%s", r->id, r->secret);
  if (mbedtls_base64_encode(basic, sizeof basic, &n, (const unsigned char *)pair, strlen(pair)) != 0)
    return svcd_error(1, "the credentials are too long");
  if (asprintf(&headers, "Authorization: Basic %.*s\r\nAccept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\n",
               (int)n, basic) < 0)
    return svcd_error(1, "no memory");
  if (http_send(&r->target, r->o->cacert, REPLAY_SECONDS, "POST", "/api/oauth/token", headers, body, sizeof body - 1, &a, why,
                sizeof why) != 0) {
    svcd_error(1, "%s", why);
  } else {
    token = a.status == 200 ? exec_json_string(exec_json_get((exec_text){ a.body, a.body_length }, "access_token"), NULL) : NULL;
    if (r->bearer) explicit_bzero(r->bearer, strlen(r->bearer));
    free(r->bearer);
    r->bearer = NULL;
    if (!token || strpbrk(token, " \r\n")) svcd_error(1, "%s refused these credentials: it answered %d", r->o->against, a.status);
    else if (asprintf(&r->bearer, "Authorization: Bearer %s\r\n", token) < 0) r->bearer = NULL;
    status = r->bearer ? 0 : 1;
    http_answer_free(&a);
  }
  explicit_bzero(pair, sizeof pair);
  explicit_bzero(headers, strlen(headers));
  free(headers);
  free(token);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ one request */

/* Pairs the first organization (or project) id of the archive with that of the credentials, unless an answer has
** paired the latter already. */
static void replay_own(replay *r, const char *text, const char *before, const char *own)
{
  const char *at = strstr(text, before);
  size_t i;
  if (!at || !*own || replay_id_at(text, strlen(text), (size_t)(at - text) + strlen(before)) != 24) return;
  for (i = 0; i < r->ids.count; i++)
    if (strcmp(r->ids.pairs[i].to, own) == 0) return;
  (void)replay_ids_add(&r->ids, at + strlen(before), 24, own, strlen(own));
}

/* Creates a secret to replace a blanked one. Like a password, it has letters of both cases and digits. Returns 0, or -1. */
static int replay_make_secret(char out[40])
{
  unsigned char bytes[12];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC), good = fd >= 0 && read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
  size_t i;
  if (fd >= 0) close(fd);
  strcpy(out, "Rp1-");
  for (i = 0; good && i < sizeof bytes; i++) snprintf(out + 4 + 2 * i, 3, "%02x", bytes[i]);
  return good ? 0 : -1;
}

/* Returns the body with new passwords in place of blanked ones. Only members named password or passphrase get a new value; other secrets,
** such as keys of other services, cannot be invented. NULL: the body cannot be sent. The caller frees it. */
static char *replay_unblank(const char *body)
{
  static const char blank[] = "\":\"***\"";
  const char *at = body, *found, *name;
  char *out = malloc(strlen(body) * 5 + 64), secret[40], *to = out;
  while (out && (found = strstr(at, blank)) != NULL) {
    for (name = found; name > body && name[-1] != '"'; name--) continue;
    if (!memmem(name, (size_t)(found - name), "assword", 7) && !memmem(name, (size_t)(found - name), "assphrase", 9)) break;
    if (replay_make_secret(secret) != 0) break;
    to += sprintf(to, "%.*s\":\"%s\"", (int)(found - at), at, secret);
    at = found + sizeof blank - 1;
  }
  if (out) strcpy(to, at);
  if (out && !strstr(out, "\"***\"")) return out;
  free(out);
  return NULL;
}

/* Returns the value of a recorded header, which the caller frees; NULL: missing or invalid. */
static char *replay_recorded(exec_text headers, const char *wanted)
{
  exec_text one;
  size_t at = 0;
  while ((one = exec_json_item(headers, &at)).p) {
    char *name = exec_json_string(exec_json_get(one, "name"), NULL), *value = NULL;
    if (name && strcasecmp(name, wanted) == 0) value = exec_json_string(exec_json_get(one, "value"), NULL);
    free(name);
    if (value && !strpbrk(value, "\r\n") && !strstr(value, "***")) return value;
    free(value);
  }
  return NULL;
}

/* Returns the headers to send: the bearer token, and the recorded headers in the table. The caller frees the text. NULL: out of memory. */
static char *replay_headers(replay *r, exec_text headers, int signed_in)
{
  static const char *const names[] = { "Accept", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key" };
  char *all = strdup(signed_in ? r->bearer : ""), *longer;
  size_t i;
  for (i = 0; all && i < sizeof names / sizeof names[0]; i++) {
    char *value = replay_recorded(headers, names[i]);
    const char *other = value ? replay_ids_find(&r->ids, value, strlen(value)) : NULL;
    if (!value) continue;
    if (asprintf(&longer, "%s%s: %s\r\n", all, names[i], other ? other : value) < 0) longer = NULL;
    explicit_bzero(all, strlen(all));
    free(all);
    free(value);
    all = longer;
  }
  return all;
}

static void replay_answer(replay *r, exec_text response, const http_answer *a)
{
  const exec_text recorded = exec_json_get(response, "status"), content = exec_json_get(response, "content"), none = { NULL, 0 };
  const size_t before = r->differences;
  char is[16], tag[REPLAY_ID], *text = exec_json_string(exec_json_get(content, "text"), NULL);
  char *etag = replay_recorded(exec_json_get(response, "headers"), "ETag");
  snprintf(is, sizeof is, "%d", a->status);
  r->sent++;
  http_header(a, "ETag", tag, sizeof tag);
  if (etag && tag[0]) (void)replay_ids_add(&r->ids, etag, strlen(etag), tag, strlen(tag));
  if (!recorded.p || atoi(recorded.p) != a->status) {
    replay_differs(r, "status", "status", recorded.p ? recorded : (exec_text){ "0", 1 }, (exec_text){ is, strlen(is) });
  } else if (text && text[0] && !exec_json_get(content, "_incomplete").p) {
    const exec_text was = { text, strlen(text) }, answered = { a->body, a->body_length };
    const int json = exec_json_is_value(was); /* only JSON bodies are compared */
    if (json && exec_json_is_value(answered)) replay_compare(r, was, answered);
    else if (json) replay_differs(r, "missing", "body", none, none);
  }
  if (r->differences == before) r->same++;
  free(text);
  free(etag);
}

/* Sends a request. Returns 0, or the exit status after an error message. */
static int replay_send(replay *r, exec_text entry, const char *path, const char *body)
{
  const exec_text request = exec_json_get(entry, "request"), response = exec_json_get(entry, "response");
  const exec_text recorded = exec_json_get(response, "status");
  const int signed_in = !(recorded.p && atoi(recorded.p) == 401);
  http_answer a;
  char why[512], *headers;
  int tries, rc = 0;
  for (tries = 0; tries < 2; tries++) {
    headers = replay_headers(r, exec_json_get(request, "headers"), signed_in);
    if (!headers) return svcd_error(1, "no memory");
    rc = http_send(&r->target, r->o->cacert, REPLAY_SECONDS, r->method, path, headers, body, strlen(body), &a, why, sizeof why);
    explicit_bzero(headers, strlen(headers));
    free(headers);
    if (rc != 0) return svcd_error(1, "request %zu: %s", r->number, why);
    if (a.status != 401 || !signed_in || tries) break;
    http_answer_free(&a); /* the token may have expired */
    if (replay_sign_in(r) != 0) return 1;
  }
  replay_answer(r, response, &a);
  http_answer_free(&a);
  return 0;
}

/* Returns the reason why a recorded request cannot be sent; NULL: it can. */
static const char *replay_obstacle(exec_text entry, exec_text post, const char *path)
{
  char *drop = exec_json_string(exec_json_get(entry, "_drop"), NULL);
  const int before = drop && strcmp(drop, "before") == 0;
  free(drop);
  if (before) return "a fault dropped it before it came";
  if (exec_json_get(post, "_incomplete").p) return "its body was not recorded as a whole";
  return strstr(path, "***") ? "a secret in its path was not recorded" : NULL;
}

static int replay_request(replay *r, exec_text entry, char *path)
{
  const exec_text post = exec_json_get(exec_json_get(entry, "request"), "postData");
  const char *obstacle = replay_obstacle(entry, post, path);
  char *text = exec_json_string(exec_json_get(post, "text"), NULL), *body = text ? replay_unblank(text) : strdup("");
  char *to = NULL, *with = NULL;
  size_t n;
  int status = 0;
  if (!obstacle && !body) obstacle = "a secret in its body was not recorded, and none can be made up";
  if (obstacle) {
    replay_skip(r, obstacle);
  } else {
    replay_own(r, path, "/orgs/", r->org);
    replay_own(r, body, "\"orgId\":\"", r->org);
    replay_own(r, path, "/groups/", r->group);
    replay_own(r, body, "\"groupId\":\"", r->group);
    to = replay_ids_rewrite(&r->ids, path, strlen(path), &n);
    with = replay_ids_rewrite(&r->ids, body, strlen(body), &n);
    status = to && with ? replay_send(r, entry, to, with) : svcd_error(1, "no memory");
  }
  if (body) explicit_bzero(body, strlen(body));
  if (with) explicit_bzero(with, strlen(with));
  free(text);
  free(body);
  free(to);
  free(with);
  return status;
}

/* Returns the path and query of a URL, within the same text; NULL: the URL cannot be sent. */
static char *replay_path(char *url)
{
  char *at = url ? strstr(url, "://") : NULL;
  at = at ? strchr(at + 3, '/') : NULL;
  return at && at[strcspn(at, " \t\r\n#")] == '\0' ? at : NULL;
}

static int replay_entry(replay *r, exec_text entry)
{
  const exec_text request = exec_json_get(entry, "request");
  char *method = exec_json_string(exec_json_get(request, "method"), NULL), *url = exec_json_string(exec_json_get(request, "url"), NULL);
  char *path = replay_path(url);
  int status = 0;
  r->number++;
  r->method = method ? method : "?";
  r->path = path ? path : "?";
  if (!path || !method || !method[0] || method[strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")]) replay_skip(r, "it is no request");
  else if (strncmp(path, "/_svc/", 6) != 0 && strncmp(path, REPLAY_TOKEN, sizeof REPLAY_TOKEN - 1) != 0)
    status = replay_request(r, entry, path);
  free(method);
  free(url);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------------ verb */

static int replay_all(replay *r, exec_text archive)
{
  const exec_text entries = exec_json_get(exec_json_get(archive, "log"), "entries");
  exec_text one;
  size_t at = 0;
  int status = 0;
  if (!exec_json_is_object(archive) || !entries.p || entries.p[0] != '[')
    return svcd_error(1, "%s is not an HTTP archive: it has no log.entries", r->o->operand);
  status = replay_sign_in(r);
  while (status == 0 && (one = exec_json_item(entries, &at)).p) status = replay_entry(r, one);
  if (status != 0) return status;
  if (r->o->json)
    printf("{\"what\":\"summary\",\"sent\":%zu,\"same\":%zu,\"different\":%zu,\"skipped\":%zu,\"differences\":%zu}\n", r->sent, r->same,
           r->sent - r->same, r->skipped, r->differences);
  else
    printf("%zu requests sent: %zu the same, %zu different (%zu differences), %zu skipped\n", r->sent, r->same, r->sent - r->same,
           r->differences, r->skipped);
  if (fflush(stdout) != 0) return svcd_error(1, "cannot write: %s", strerror(errno));
  return r->differences ? 1 : 0;
}

int svcd_replay(const svcd_options *o)
{
  replay r;
  char *text;
  size_t n = 0;
  int status;
  memset(&r, 0, sizeof r);
  r.o = o;
  if (http_target_parse(o->against, &r.target) != 0)
    return svcd_error(2, "--against %s: http://HOST:PORT or https://HOST:PORT", o->against);
  status = replay_credentials(&r);
  text = status == 0 ? replay_read_file(o->operand, REPLAY_FILE, &n) : NULL;
  if (status == 0) status = text ? replay_all(&r, (exec_text){ text, n }) : 1;
  if (r.bearer) explicit_bzero(r.bearer, strlen(r.bearer));
  free(r.bearer);
  free(r.ids.pairs);
  free(text);
  explicit_bzero(&r, sizeof r);
  return status;
}
