/*
** What clients need: `svcd env` prints the file of credentials as lines for a shell, `svcd openapi` the document of the API,
** `svcd driver` what a driver is told, is asked and may say.
**
** The rule: what env prints is meant for eval, so every value stands in quotes of its own, whatever is in it. It prints secrets, as
** that is what it is for; whoever can read the file has them anyway.
*/
#define _DEFAULT_SOURCE /* explicit_bzero */
#include "svcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ENV_FILE 8192

static const struct {
  const char *member, *name;
} env_names[] = {
  { "baseUrl", "SVC_BASE_URL" },      { "orgId", "SVC_ORG_ID" },           { "groupId", "SVC_GROUP_ID" },
  { "publicKey", "SVC_PUBLIC_KEY" },  { "privateKey", "SVC_PRIVATE_KEY" }, { "clientId", "SVC_CLIENT_ID" },
  { "clientSecret", "SVC_CLIENT_SECRET" }, { "testToken", "SVC_TEST_TOKEN" },
};
#define ENV_NAMES (sizeof env_names / sizeof env_names[0])

/* The text of a member of {"a":"b",...}, as svcd writes it: without escapes. NULL: it has none. */
static const char *env_member(const char *text, const char *member, size_t *n)
{
  char wanted[64];
  const char *at;
  snprintf(wanted, sizeof wanted, "\"%s\":\"", member);
  at = strstr(text, wanted);
  if (!at) return NULL;
  at += strlen(wanted);
  *n = strcspn(at, "\"\\");
  return at[*n] == '"' ? at : NULL;
}

/* In quotes for a shell: nothing in them is read as anything but itself. */
static void env_sh(const char *name, const char *value, size_t n)
{
  size_t i;
  printf("export %s='", name);
  for (i = 0; i < n; i++)
    if (value[i] == '\'') fputs("'\\''", stdout);
    else putchar(value[i]);
  fputs("'\n", stdout);
}

static void env_json(const char *name, const char *value, size_t n, int first)
{
  size_t i;
  printf("%s\"%s\":\"", first ? "{" : ",", name);
  for (i = 0; i < n; i++)
    if ((unsigned char)value[i] < ' ') printf("\\u%04x", (unsigned)value[i]);
    else printf("%s%c", strchr("\"\\", value[i]) ? "\\" : "", value[i]);
  putchar('"');
}

int svcd_env(const svcd_options *o)
{
  char path[SVCD_PATH], text[ENV_FILE];
  int json = o->format && strcmp(o->format, "json") == 0, first = 1;
  size_t n, i;
  FILE *f;
  if (!svcd_credentials_path(o, path)) return 1;
  f = fopen(path, "re");
  if (!f) return svcd_error(1, "cannot read %s: %s", path, strerror(errno));
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  if (n == sizeof text - 1 || text[0] != '{' || !env_member(text, "baseUrl", &n)) return svcd_error(1, "%s is no file of credentials", path);
  for (i = 0; i < ENV_NAMES; i++) {
    const char *value = env_member(text, env_names[i].member, &n);
    if (i == 0 && o->base_url) value = o->base_url, n = strlen(value);
    if (!value) continue;
    if (json) env_json(env_names[i].name, value, n, first);
    else env_sh(env_names[i].name, value, n);
    first = 0;
  }
  if (json) fputs("}\n", stdout);
  explicit_bzero(text, sizeof text);
  return fflush(stdout) == 0 ? 0 : svcd_error(1, "cannot write: %s", strerror(errno));
}

/* Of this build and these words; the store it is made from is nobody's, and gone at once. */
static int env_document(const svcd_options *o, int (*make)(svc *s, svc_response *out))
{
  svc_config config;
  svc_response document;
  svc *s;
  int rc, good, said = 0;
  memset(&config, 0, sizeof config);
  config.vendor = o->vendor;
  config.dialect = o->dialect_text;
  config.base_url = o->base_url;
  config.log = svcd_say_flag;
  config.log_context = &said;
  rc = svc_open(&s, &config);
  if (rc != SVC_OK) return said ? said : svcd_error(1, "%s", svc_strerror(rc));
  rc = make(s, &document);
  good = rc == SVC_OK && fwrite(document.body, 1, document.body_length, stdout) == document.body_length;
  good = good && putchar('\n') != EOF && fflush(stdout) == 0;
  if (rc != SVC_OK) svcd_error(1, "%s", svc_strerror(rc));
  else if (!good) svcd_error(1, "cannot write: %s", strerror(errno));
  svc_response_free(&document);
  svc_close(s);
  return good ? 0 : 1;
}

int svcd_openapi(const svcd_options *o)
{
  return env_document(o, svc_openapi);
}

int svcd_driver_schema(const svcd_options *o)
{
  return env_document(o, svc_driver_schema);
}
