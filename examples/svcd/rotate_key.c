/*
** Replaces the secret key of a store: the verb rotate-key, and its counterpart in the verb serve.
**
** The new key is secret.key.next, next to secret.key. svcd looks for that file every second. If svcd has its own store, it loads the key
** and seals all secrets with it, some at a time (svc_rotate_key). On a shared store svcd only loads the key: no instance may seal with it
** before all have it, so there the second call of the verb seals the secrets.
**
** The rule: no key is ever lost. When all secrets are sealed, secret.key is also named secret.key.old, because older backups need it; then
** secret.key.next becomes secret.key. After an interruption the existing files open the store, and the next svcd continues.
*/
#define _GNU_SOURCE /* explicit_bzero */
#include "svcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROTATE_STEPS 64  /* records in one commit; requests that write wait for the commit */
#define ROTATE_PAUSE 5   /* milliseconds between two commits */
#define ROTATE_SECOND 1000 /* milliseconds between two looks for the file */
#define ROTATE_LINE 512
#define ROTATE_WAIT 600  /* seconds that the verb waits for the svcd that serves the store */

/* Renames the keys, after all secrets are sealed with the new one. Returns 0, or 1 after an error message. */
static int rotate_take(const svcd_options *o)
{
  char path[SVCD_PATH], next[SVCD_PATH], old[SVCD_PATH];
  if (svcd_secret_key_path(o, path) != 0) return 1;
  snprintf(next, sizeof next, "%.*s.next", SVCD_PATH - 8, path);
  snprintf(old, sizeof old, "%.*s.old", SVCD_PATH - 8, path);
  if ((link(path, old) != 0 && errno != EEXIST) || rename(next, path) != 0 || svcd_flush_name(path) != 0)
    return svcd_error(1, "every secret is sealed with %s, but it cannot be renamed to %s: %s; rename it by hand", next, path, strerror(errno));
  svcd_say(SVC_LOG_INFO, "secret.key_rotated", "every secret is sealed with the new %s; older backups need %s: keep it elsewhere, then remove it", path, old);
  return 0;
}

int svcd_rotate_some(svc *s, const svcd_options *o, int *stopped)
{
  unsigned char next[SVCD_SECRET_KEY];
  int there = 0, rc = SVC_OK;
  if (*stopped) return ROTATE_SECOND;
  *stopped = svcd_next_secret_key(o, next, &there) != 0;
  if (!there) return ROTATE_SECOND;
  if (!*stopped) rc = svc_rotate_key(s, next, o->store ? 0 : ROTATE_STEPS);
  explicit_bzero(next, sizeof next);
  if (*stopped || rc == SVC_BUSY) return o->store ? ROTATE_SECOND : ROTATE_PAUSE;
  if (rc == SVC_OK) *stopped = rotate_take(o) != 0;
  else *stopped = svcd_error(1, "secrets could not be sealed with the new key: %s; send SIGHUP to retry", svc_strerror(rc));
  return ROTATE_SECOND;
}

static void rotate_rest(long milliseconds)
{
  struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

static void rotate_keep(void *line, int level, const char *text)
{
  if (level == SVC_LOG_ERROR) snprintf(line, ROTATE_LINE, "%s", text);
}

/* Opens the store and seals all secrets with the new key. Returns SVC_BUSY if an svcd has the store, because that svcd does the work.
** line: the reason of another failure. */
static int rotate_all(const svcd_options *o, char line[ROTATE_LINE])
{
  unsigned char key[SVCD_SECRET_KEY], next[SVCD_SECRET_KEY];
  svc_config config;
  svc *s = NULL;
  int there, rc;
  memset(&config, 0, sizeof config);
  line[0] = '\0';
  if (svcd_store_at(o->store ? o->store : o->data, &config) != 0) return SVC_INVALID;
  if (svcd_has_secret_key(o, key, &there) != 0 || svcd_next_secret_key(o, next, &there) != 0) return SVC_INVALID;
  if (!there) return SVC_OK; /* an svcd has just completed the rotation */
  config.secret_key = key;
  config.secret_key_next = next;
  config.keep_orders = 1;
  config.log = rotate_keep;
  config.log_context = line;
  rc = svc_open(&s, &config);
  while (s && (rc = svc_rotate_key(s, next, ROTATE_STEPS)) == SVC_BUSY)
    if (o->store) rotate_rest(ROTATE_PAUSE);
  if (s && rc == SVC_OK && rotate_take(o) != 0) rc = SVC_INVALID; /* while this process holds the store */
  svc_close(s);
  explicit_bzero(key, sizeof key);
  explicit_bzero(next, sizeof next);
  return rc;
}

/* Rotates the key, or waits until the svcd that has the store has done so. If that svcd ends earlier, this process
** completes the rotation. */
static int rotate_or_await(const svcd_options *o)
{
  char line[ROTATE_LINE];
  int rc = rotate_all(o, line), left = ROTATE_WAIT * 5;
  if (rc == SVC_BUSY) printf("svcd serves this store, and seals its secrets by the new key\n");
  fflush(stdout);
  for (; rc == SVC_BUSY && left > 0; left--) {
    rotate_rest(200);
    rc = rotate_all(o, line);
  }
  return rc == SVC_OK ? 0 : rc == SVC_INVALID && !line[0] ? 1 : svcd_error(1, "%s", line[0] ? line : svc_strerror(rc));
}

int svcd_rotate_key(const svcd_options *o)
{
  char path[SVCD_PATH], name[SVCD_PATH];
  int made, status;
  if (!o->store && !svcd_has_store(o->data)) return svcd_error(1, "there is no store in %s", o->data);
  if (svcd_secret_key_path(o, path) != 0) return 1;
  if (access(path, F_OK) != 0) return svcd_error(1, "there is no %s", path);
  snprintf(name, sizeof name, "%.*s.next", SVCD_PATH - 8, path);
  made = access(name, F_OK) != 0;
  snprintf(name, sizeof name, "%.*s.old", SVCD_PATH - 8, path);
  if (made && access(name, F_OK) == 0)
    return svcd_error(1, "%s is the previous key, which older backups need: keep it elsewhere first", name);
  status = made ? svcd_make_next_secret_key(o) : 0;
  if (status != 0) return status;
  if (!made || !o->store) return rotate_or_await(o);
  printf("the new key is %.*s.next. Copy it to where each svcd on this store has its secret.key, as secret.key.next, which is read within a\n"
         "second; then call svcd rotate-key again, which seals the secrets by it. An svcd that lacks it answers 503 where it is needed.\n",
         SVCD_PATH - 8, path);
  return 0;
}
