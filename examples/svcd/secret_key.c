/*
** The key that seals secrets in the store (svc_config.secret_key): a file of 32 random bytes, mode 0600.
**
** The rules: an existing key is never replaced, because without it the secrets of the store are lost. The store and its backups do not
** contain the key. To protect it further, name a file in another place.
**
** A new key is on the disk before the store is opened, because opening makes it the store's key: first as secret.key.new, which is renamed
** once the store has accepted it. If svcd ends in between, the next start continues with that file. A store that has another key refuses
** the new one, and no secret.key is left behind.
*/
#define _GNU_SOURCE /* O_CLOEXEC */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A dangling link counts as existing: its target is a key that is missing now. */
static int secret_key_is_there(const char *path)
{
  struct stat about;
  return lstat(path, &about) == 0;
}

static int secret_key_read(const char *path, unsigned char *key)
{
  unsigned char more;
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC), good;
  if (fd < 0) return svcd_error(1, "cannot read %s: %s", path, strerror(errno));
  good = fstat(fd, &about) == 0 && read(fd, key, SVCD_SECRET_KEY) == SVCD_SECRET_KEY && read(fd, &more, 1) == 0;
  close(fd);
  if (!good) return svcd_error(2, "%s is not a file of %d bytes", path, SVCD_SECRET_KEY);
  if (S_ISREG(about.st_mode) && about.st_mode & 027)
    return svcd_error(2, "%s can be read by everyone, or written by users other than its owner: chmod 600 it", path);
  if (S_ISREG(about.st_mode) && about.st_mode & 040) svcd_say(SVC_LOG_WARNING, "secret.readable", "%s can be read by its group", path);
  return 0;
}

int svcd_secret_key_path(const svcd_options *o, char path[SVCD_PATH])
{
  int n = o->secret_key ? snprintf(path, SVCD_PATH, "%s", o->secret_key)
          : o->data     ? snprintf(path, SVCD_PATH, "%s/secret.key", o->data)
                        : snprintf(path, SVCD_PATH, "%s", ""); /* --memory: the key is lost together with the store */
  if (n >= 0 && n < SVCD_PATH - 8) return 0; /* leaves room for ".new" and ".next" */
  return svcd_error(1, "%s: the path is too long", o->secret_key ? o->secret_key : o->data);
}

int svcd_has_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *there)
{
  char path[SVCD_PATH];
  *there = 0;
  if (svcd_secret_key_path(o, path) != 0) return 1;
  *there = *path && secret_key_is_there(path);
  return *there ? secret_key_read(path, key) : 0;
}

static int secret_key_random(unsigned char key[SVCD_SECRET_KEY])
{
  int random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  int good = random >= 0 && read(random, key, SVCD_SECRET_KEY) == SVCD_SECRET_KEY;
  if (random >= 0) close(random);
  return good ? 0 : svcd_error(1, "the system returned no random bytes");
}

static int secret_key_next_path(const svcd_options *o, char next[SVCD_PATH])
{
  char path[SVCD_PATH];
  if (svcd_secret_key_path(o, path) != 0) return 1;
  if (*path) snprintf(next, SVCD_PATH, "%.*s.next", SVCD_PATH - 8, path);
  else next[0] = 0;
  return 0;
}

int svcd_next_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *there)
{
  char path[SVCD_PATH];
  *there = 0;
  if (secret_key_next_path(o, path) != 0) return 1;
  *there = *path && secret_key_is_there(path);
  return *there ? secret_key_read(path, key) : 0;
}

int svcd_make_next_secret_key(const svcd_options *o)
{
  unsigned char key[SVCD_SECRET_KEY];
  char path[SVCD_PATH];
  int status = secret_key_next_path(o, path) != 0 ? 1 : secret_key_random(key);
  if (status == 0) status = svcd_put_file(path, key, sizeof key, SVCD_PUT_FIRST);
  explicit_bzero(key, sizeof key);
  return status;
}

int svcd_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *new_folder)
{
  char path[SVCD_PATH], fresh[SVCD_PATH];
  int status;
  if (svcd_secret_key_path(o, path) != 0) return 1;
  if (!*path) return secret_key_random(key);
  if (secret_key_is_there(path)) return secret_key_read(path, key);
  if (!o->secret_key) *new_folder = mkdir(o->data, 0700) == 0; /* as svc_open() would */
  snprintf(fresh, sizeof fresh, "%.*s.new", SVCD_PATH - 8, path);
  if (!secret_key_is_there(fresh)) {
    status = secret_key_random(key);
    /* another svcd may start in the same folder now: both use the key that gets the name first */
    if (status == 0) status = svcd_put_file(fresh, key, SVCD_SECRET_KEY, SVCD_PUT_FIRST);
    if (status != 0) return status;
  }
  return secret_key_read(secret_key_is_there(path) ? path : fresh, key);
}

void svcd_forget_secret_key(const svcd_options *o, int new_folder)
{
  char path[SVCD_PATH], fresh[SVCD_PATH];
  if (o->store || !o->data || svcd_has_store(o->data) || svcd_secret_key_path(o, path) != 0) return;
  snprintf(fresh, sizeof fresh, "%.*s.new", SVCD_PATH - 8, path);
  unlink(fresh);
  if (new_folder) rmdir(o->data);
}

int svcd_keep_secret_key(const svcd_options *o, const unsigned char key[SVCD_SECRET_KEY])
{
  unsigned char kept[SVCD_SECRET_KEY];
  char path[SVCD_PATH], fresh[SVCD_PATH];
  int status = 0;
  if (svcd_secret_key_path(o, path) != 0) return 1;
  if (!*path) return 0;
  snprintf(fresh, sizeof fresh, "%.*s.new", SVCD_PATH - 8, path);
  if (!secret_key_is_there(path)) {
    if (link(fresh, path) != 0 && errno != EEXIST) return svcd_error(1, "cannot write %s: %s", path, strerror(errno));
    if (svcd_flush_name(path) != 0) return svcd_error(1, "cannot write %s: %s", path, strerror(errno));
    status = secret_key_read(path, kept);
    if (status == 0 && memcmp(kept, key, sizeof kept) != 0) status = svcd_error(1, "%s differs from what svcd wrote", path);
    explicit_bzero(kept, sizeof kept);
  }
  if (status == 0) unlink(fresh);
  return status;
}
