/*
** Configurations: JSON for svc_open_json(), and svcd's configuration file and flags.
**
** The first byte of an input selects: 'j' and JSON, without a path, so that nothing is written; 'f' and a file of flags; 'a' and
** arguments, one per line, beginning with the verb. Refused JSON has a reason. Flags give a known status and stay within their
** limits.
*/
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static FILE *config_nowhere; /* output of svcd */
#undef stderr
#undef stdout
#define stderr config_nowhere
#define stdout config_nowhere
#define printf(...) fprintf(config_nowhere, __VA_ARGS__)
#include "examples/svcd/flags.c"
#include "examples/svcd/config_file.c"
#include "examples/svcd/url.c"
#undef printf

static int config_said; /* calls of svcd_error() */

const svcd_verb svcd_verbs[] = { { "serve", SVCD_SERVE, NULL, "" }, { "credentials", SVCD_CREDENTIALS, NULL, "" }, { "backup", SVCD_BACKUP, NULL, "" },
  { "restore", SVCD_RESTORE, NULL, "" }, { "check", SVCD_CHECK, NULL, "" }, { "env", SVCD_ENV, NULL, "" }, { NULL, 0, NULL, NULL } };

int svcd_error(int status, const char *format, ...)
{
  (void)format;
  config_said++;
  return status;
}

static int config_log_json;

void svcd_log_json(int json)
{
  config_log_json = json;
}

int svcd_log_is_json(void)
{
  return config_log_json;
}

int svcd_is_uri(const char *store)
{
  return strncmp(store, "postgres://", 11) == 0;
}

static void config_json(svc_arena *a, svc_str text)
{
  char why[200] = "";
  svc_json_fault fault;
  svc *s;
  const svc_node *node;
  int rc;
  if (memchr(text.p, 0, text.n)) return; /* the NUL would end the text */
  node = svc_json_gate(a, text, 64, &fault) ? svc_json_parse_gated(a, text) : NULL;
  if (node && svc_node_get(node, "path")) return;
  /* the two members can request more memory than a machine has, and get it */
  if (node && (svc_node_i64(node, "map_size", 0) > 1 << 26 || svc_node_i64(node, "limiter_buckets", 0) > 1 << 16)) return;
  rc = svc_open_json(&s, svc_arena_copy(a, text).p, why, sizeof why);
  if (rc != SVC_OK && (s || !why[0])) fuzz_die("refused without a word");
  if (rc == SVC_OK && !node) fuzz_die("what is no JSON is a configuration");
  svc_close(s);
}

/* Creates a file with this text; its path names a file descriptor. */
static int config_put(svc_str text, char path[64])
{
  int fd = memfd_create("config", MFD_CLOEXEC);
  if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n) fuzz_die("no file");
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

static void config_parse(const svcd_verb *verb, int argc, char **argv)
{
  svcd_options o;
  int status;
  size_t i;
  char host[SVCD_HOST];
  config_said = 0;
  status = svcd_parse(&o, verb, 1, argc, argv);
  if (status != -1 && status != 0 && status != 1 && status != 2) fuzz_die("a status that should not be");
  for (i = 0; status == -1 && i < o.url_count; i++) svcd_reach(o.urls[i]), svcd_url_host(o.urls[i], host);
  if (status == -1 && (o.url_count > SVCD_URLS || o.proxy_count > SVCD_PROXIES || o.limit_count > SVCD_LIMITS)) fuzz_die("more than there is room for");
  free(o.config_text);
}

static void config_file(svc_arena *a, svc_str text)
{
  char path[64], *args[] = { "svcd", "--config", path, NULL };
  int fd = config_put(text, path);
  size_t v;
  (void)a;
  for (v = 0; svcd_verbs[v].name; v++) config_parse(&svcd_verbs[v], 3, args);
  close(fd);
}

static void config_args(svc_arena *a, svc_str text)
{
  char *args[64] = { "svcd" };
  int n = 1;
  const svcd_verb *verb = svcd_verbs;
  svc_str first = svc_str_cut(&text, '\n');
  while (verb->name && !svc_str_is(first, verb->name)) verb++;
  if (!verb->name) verb = svcd_verbs;
  while (text.n && n < 63) {
    char *one = (char *)(uintptr_t)svc_arena_copy(a, svc_str_cut(&text, '\n')).p;
    if (strcmp(one, "--config") != 0) args[n++] = one; /* --config would read any file */
  }
  args[n] = NULL;
  config_parse(verb, n, args);
}

int svc_fuzz_config(const uint8_t *data, size_t size)
{
  svc_arena a;
  if (!config_nowhere && !(config_nowhere = fopen("/dev/null", "w"))) fuzz_die("no /dev/null");
  if (size == 0) return 0;
  svc_arena_init(&a, NULL);
  if (data[0] == 'j') config_json(&a, (svc_str){ (const char *)data + 1, size - 1 });
  if (data[0] == 'f') config_file(&a, (svc_str){ (const char *)data + 1, size - 1 });
  if (data[0] == 'a') config_args(&a, (svc_str){ (const char *)data + 1, size - 1 });
  svc_blocks_free(a.blocks);
  return 0;
}
