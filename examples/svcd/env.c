/*
** `svcd env` prints the file of credentials as lines for a shell, with the variable names of well-known clients (--for NAME; the table
** below and docs/clients.md agree). `svcd openapi` prints the OpenAPI document, `svcd driver` the schema of the driver's messages.
**
** The rule: a shell evaluates the output of env, so every value is quoted. env prints secrets on purpose: its user
** can read the file anyway.
*/
#define _DEFAULT_SOURCE /* explicit_bzero */
#include "svcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ENV_FILE 8192

typedef struct env_row {
  const char *member, *name, *behind; /* member of the file; variable; text to append to the value, or NULL */
} env_row;

static const env_row env_names[] = {
  { "baseUrl", "SVC_BASE_URL", NULL },      { "orgId", "SVC_ORG_ID", NULL },           { "groupId", "SVC_GROUP_ID", NULL },
  { "publicKey", "SVC_PUBLIC_KEY", NULL },  { "privateKey", "SVC_PRIVATE_KEY", NULL }, { "clientId", "SVC_CLIENT_ID", NULL },
  { "clientSecret", "SVC_CLIENT_SECRET", NULL }, { "testToken", "SVC_TEST_TOKEN", NULL },
};
static const env_row env_cli[] = {
  { "baseUrl", "MONGODB_ATLAS_OPS_MANAGER_URL", "/" }, { "publicKey", "MONGODB_ATLAS_PUBLIC_API_KEY", NULL },
  { "privateKey", "MONGODB_ATLAS_PRIVATE_API_KEY", NULL }, { "orgId", "MONGODB_ATLAS_ORG_ID", NULL },
  { "groupId", "MONGODB_ATLAS_PROJECT_ID", NULL },
};
static const env_row env_provider[] = {
  { "baseUrl", "MONGODB_ATLAS_BASE_URL", "/" }, { "publicKey", "MONGODB_ATLAS_PUBLIC_KEY", NULL },
  { "privateKey", "MONGODB_ATLAS_PRIVATE_KEY", NULL }, { "orgId", "MONGODB_ATLAS_ORG_ID", NULL },
  { "groupId", "MONGODB_ATLAS_PROJECT_ID", NULL },
};
static const env_row env_go[] = {
  { "baseUrl", "MONGODB_ATLAS_BASE_URL", NULL }, { "clientId", "MONGODB_ATLAS_CLIENT_ID", NULL },
  { "clientSecret", "MONGODB_ATLAS_CLIENT_SECRET", NULL }, { "orgId", "MONGODB_ATLAS_ORG_ID", NULL },
  { "groupId", "MONGODB_ATLAS_PROJECT_ID", NULL },
};
static const env_row env_mcp[] = {
  { "baseUrl", "MDB_MCP_API_BASE_URL", "/" }, { "clientId", "MDB_MCP_API_CLIENT_ID", NULL },
  { "clientSecret", "MDB_MCP_API_CLIENT_SECRET", NULL },
};
static const env_row env_old_cli[] = {
  { "baseUrl", "MCLI_OPS_MANAGER_URL", "/" }, { "publicKey", "MCLI_PUBLIC_API_KEY", NULL }, { "privateKey", "MCLI_PRIVATE_API_KEY", NULL },
  { "orgId", "MCLI_ORG_ID", NULL }, { "groupId", "MCLI_PROJECT_ID", NULL },
};

#define ENV_ROWS(rows) rows, sizeof rows / sizeof rows[0]
static const struct env_client {
  const char *name;
  const env_row *rows;
  size_t count;
  const char *about;
} env_clients[] = {
  { "svc", ENV_ROWS(env_names), "the names of this project, as without --for" },
  { "cli", ENV_ROWS(env_cli), "Atlas CLI" },
  { "terraform", ENV_ROWS(env_provider), "Terraform provider mongodb/mongodbatlas" },
  { "pulumi", ENV_ROWS(env_provider), "Pulumi provider mongodbatlas" },
  { "go", ENV_ROWS(env_go), "programs with the Go SDK, by the names of its examples" },
  { "mcp", ENV_ROWS(env_mcp), "mongodb-mcp-server (npm)" },
  { "mcli", ENV_ROWS(env_old_cli), "older command line tool, and tests of the Kubernetes operator" },
};
#define ENV_CLIENTS (sizeof env_clients / sizeof env_clients[0])

/* --for without a name: lists the known clients and their variables. */
static int env_list(void)
{
  size_t i, j;
  for (i = 0; i < ENV_CLIENTS; i++) {
    printf("%-10s %s:", env_clients[i].name, env_clients[i].about);
    for (j = 0; j < env_clients[i].count; j++) printf(" %s", env_clients[i].rows[j].name);
    putchar('\n');
  }
  return fflush(stdout) == 0 ? 0 : svcd_error(1, "cannot write: %s", strerror(errno));
}

/* Returns the client with this name; NULL, after an error message, if it is unknown. */
static const struct env_client *env_find(const char *name)
{
  char names[256] = "";
  size_t i, n = 0;
  for (i = 0; i < ENV_CLIENTS; i++) {
    if (strcmp(env_clients[i].name, name) == 0) return &env_clients[i];
    n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", env_clients[i].name);
  }
  svcd_error(2, "--for %s: no such client; there are %s", name, names);
  return NULL;
}

/* Returns the text of a member of {"a":"b",...}, which svcd has written without escapes. NULL: missing. */
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

/* Prints a variable for a shell. In single quotes, the shell interprets no character of the value. */
static void env_sh(const char *name, const char *value, size_t n, const char *behind)
{
  size_t i;
  printf("export %s='", name);
  for (i = 0; i < n; i++)
    if (value[i] == '\'') fputs("'\\''", stdout);
    else putchar(value[i]);
  printf("%s'\n", behind);
}

static void env_json(const char *name, const char *value, size_t n, const char *behind, int first)
{
  size_t i;
  printf("%s\"%s\":\"", first ? "{" : ",", name);
  for (i = 0; i < n; i++)
    if ((unsigned char)value[i] < ' ') printf("\\u%04x", (unsigned)value[i]);
    else printf("%s%c", strchr("\"\\", value[i]) ? "\\" : "", value[i]);
  printf("%s\"", behind);
}

int svcd_env(const svcd_options *o)
{
  char path[SVCD_PATH], text[ENV_FILE];
  int json = o->format && strcmp(o->format, "json") == 0, first = 1;
  const struct env_client *client;
  size_t n, i;
  FILE *f;
  if (o->client && !*o->client) return env_list();
  client = env_find(o->client ? o->client : "svc");
  if (!client) return 2;
  if (!svcd_credentials_path(o, path)) return 1;
  f = fopen(path, "re");
  if (!f) return svcd_error(1, "cannot read %s: %s", path, strerror(errno));
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  if (n == sizeof text - 1 || text[0] != '{' || !env_member(text, "baseUrl", &n)) return svcd_error(1, "%s is not a file of credentials", path);
  for (i = 0; i < client->count; i++) {
    const env_row *row = &client->rows[i];
    const char *value = env_member(text, row->member, &n), *behind = row->behind ? row->behind : "";
    if (i == 0 && o->base_url) value = o->base_url, n = strlen(value);
    if (!value) continue;
    if (json) env_json(row->name, value, n, behind, first);
    else env_sh(row->name, value, n, behind);
    first = 0;
  }
  if (json) fputs("}\n", stdout);
  explicit_bzero(text, sizeof text);
  return fflush(stdout) == 0 ? 0 : svcd_error(1, "cannot write: %s", strerror(errno));
}

/* Prints a document that depends only on this build and the flags. The library makes it from a temporary store in memory. */
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
  config.describe = svc_listener_describe;
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
