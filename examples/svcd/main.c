/*
** The verbs of svcd.
**
** The rule: a new verb is a row here, a bit in svcd.h, its flags in flags.c, and a function.
*/
#include "svcd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int svcd_version(const svcd_options *o)
{
  (void)o;
  return printf("svcd %s\n", svc_version()) < 0;
}

const svcd_verb svcd_verbs[] = {
  { "serve", SVCD_SERVE, svcd_serve, "answer requests; the default verb" },
  { "credentials", SVCD_CREDENTIALS, svcd_credentials, "create another API key and service account; a store in a folder requires that svcd is stopped" },
  { "backup", SVCD_BACKUP, svcd_backup, "copy a store and check the copy; svcd may be running on the store" },
  { "restore", SVCD_RESTORE, svcd_restore, "check a backup, and create a store from it in an empty folder" },
  { "copy", SVCD_COPY, svcd_copy, "copy a store into an empty place, between a folder and PostgreSQL or two of a kind, and compare both" },
  { "export", SVCD_EXPORT, svcd_export, "write a whole store as lines of JSON, which any later version reads; svcd may be running on the store" },
  { "import", SVCD_IMPORT, svcd_import, "create a store from an export, in an empty place; every line is checked, and the store is read again" },
  { "schema", SVCD_SCHEMA, svcd_schema, "create the tables of a store on PostgreSQL, or check them; svcd serve then needs no permission to create tables" },
  { "check", SVCD_CHECK, svcd_check, "check a store while svcd is stopped; prints a line for each problem and exits with status 1 if there are any" },
  { "rotate-key", SVCD_ROTATE, svcd_rotate_key, "seal all secrets with a new key, secret.key.next, while svcd serves; it becomes secret.key, and the old one"
    " secret.key.old. With --store, call it twice: the first call creates the key; every svcd must have it before the second call uses it" },
  { "world", SVCD_WORLD, svcd_world, "write a store as a world, a JSON file that --world loads, while svcd is stopped; or check such a file" },
  { "openapi", SVCD_OPENAPI, svcd_openapi, "print the OpenAPI document; needs no store" },
  { "driver", SVCD_DRIVER, svcd_driver_schema, "print the messages between svcd and a driver as JSON Schema; needs no store" },
  { "env", SVCD_ENV, svcd_env, "print the credentials, including SECRETS, for a shell: eval \"$(svcd env --data DIR)\"" },
  { "replay", SVCD_REPLAY, svcd_replay, "send the requests of an HTTP archive, as of GET /_svc/journal?format=har, to the server of --against and"
    " compare its answers; prints a line for each difference and exits with status 1 if there are any" },
  { "health", SVCD_HEALTH, svcd_health, "ask a running service whether it is ready (default http://127.0.0.1:8080); exits with status 0 if it is, else 1;"
    " for health checks of containers" },
  { "version", SVCD_VERSION, svcd_version, "print the version" },
  { NULL, 0, NULL, NULL },
};

static const svcd_verb *svcd_verb_named(const char *name)
{
  const svcd_verb *verb = svcd_verbs;
  while (verb->name && strcmp(verb->name, name) != 0) verb++;
  return verb->name ? verb : NULL;
}

int main(int argc, char **argv)
{
  int named = argc > 1 && argv[1][0] != '-', help = named && strcmp(argv[1], "help") == 0, status;
  const char *name = help ? argv[2] : named ? argv[1] : NULL;
  const svcd_verb *verb = name ? svcd_verb_named(name) : svcd_verbs;
  svcd_options o;
  if (help && (!name || strcmp(name, "all") == 0)) return svcd_help_all(name != NULL);
  if (!verb) return svcd_wrong_verb(name);
  if (help) return svcd_help(verb);
  status = svcd_parse(&o, verb, named, argc - named, argv + named);
  if (status < 0) status = svcd_dialect(&o);
  if (status < 0) status = svcd_world_open(&o);
  if (status < 0) status = verb->run(&o);
  free(o.config_text);
  free(o.dialect_text);
  free(o.world_text);
  free(o.store_text);
  free(o.limiter_text);
  free(o.hosts_text);
  return status;
}
