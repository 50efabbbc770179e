/*
** Instances that disagree with the store about the secret key, the vendor word or the dialect are refused, with a line that names
** the difference. Also: an instance that starts before its Redis.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGREE_TEXT 8192

static void refused(const char *what, const char *folder, const char *const *flags, const char *words)
{
  char said[AGREE_TEXT] = "", path[512];
  int status;
  snprintf(path, sizeof path, "%s/%s", getenv("CLUSTER_FOLDER"), folder);
  status = instance_refused(path, flags, said, sizeof said);
  if (status != 2 || !strstr(said, words)) cluster_die("an instance with another %s ends with status %d: %s", what, status, said);
  pass("an instance with another %s is refused: %.*s", what, (int)strcspn(strstr(said, "svcd: ") + 6, ";\n"), strstr(said, "svcd: ") + 6);
}

static void accepted(const char *const *flags)
{
  char said[AGREE_TEXT] = "", path[512];
  int status;
  snprintf(path, sizeof path, "%s/data", getenv("CLUSTER_FOLDER"));
  status = instance_refused(path, flags, said, sizeof said);
  if (status != 0 || !strstr(said, "svcd ready on")) cluster_die("an instance that changes the dialect ends with status %d: %s", status, said);
}

static void another_dialect(void)
{
  char file[512];
  const char *const with[] = { "--dialect", file, NULL }, *const change[] = { "--dialect", file, "--change-dialect", NULL };
  const char *const back[] = { "--change-dialect", NULL }, *const none[] = { NULL };
  FILE *f;
  snprintf(file, sizeof file, "%s/dialect.json", getenv("CLUSTER_FOLDER"));
  f = fopen(file, "w");
  if (!f || fputs("{\"fields\":{\"clusterType\":\"shape\"}}", f) < 0 || fclose(f) != 0) cluster_die("cannot write %s", file);
  refused("dialect", "data", with, "the dialect differs from the store's (svc_config.dialect, --dialect) in fields;");
  accepted(change);
  accepted(with);
  refused("dialect, which was changed on purpose", "data", none, "--dialect) in fields;");
  accepted(back);
  accepted(none);
}

/* Redis starts a while after svcd. */
static void waits(void)
{
  static const char *const flags[] = { "--wait", "30", NULL };
  int64_t start;
  instance_stop(0);
  instance_fault("redis-kill");
  instance_flags(flags);
  start = cluster_now();
  instance_begin(0);
  cluster_pause(3000);
  instance_fault("redis-start");
  instance_wait(0);
  instance_flags(NULL);
  if (!instance_said(0, "Redis does not answer: svcd waits for")) cluster_die("--wait does not wait for Redis");
  pass("--wait waits for Redis: ready after %.1f s, of which Redis was away for 3", (double)(cluster_now() - start) / 1e9);
}

void agree_all(void)
{
  static const char *const none[] = { NULL }, *const vendor[] = { "--vendor", "other", NULL };
  refused("secret key", "other", none, "every instance on a store needs the same key");
  refused("vendor word", "data", vendor, "the vendor word of this store is svc, not other");
  another_dialect();
  waits();
}
