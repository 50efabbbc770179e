/*
** The key that seals secrets in the store (svc_config.secret_key): a file of 32 random bytes, mode 0600.
**
** The rule it keeps: a key that is there is never replaced, as without it the secrets of the store are lost; and who has the
** store, or a backup of it, has not got the key by that, unless both are copied together. Name a file elsewhere for more.
*/
#define _GNU_SOURCE /* O_CLOEXEC */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int secret_key_read(const char *path, unsigned char *key)
{
  unsigned char more;
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC), good;
  if (fd < 0) return svcd_error(1, "cannot read %s: %s", path, strerror(errno));
  good = fstat(fd, &about) == 0 && read(fd, key, SVCD_SECRET_KEY) == SVCD_SECRET_KEY && read(fd, &more, 1) == 0;
  close(fd);
  if (!good) return svcd_error(2, "%s is not a file of %d bytes", path, SVCD_SECRET_KEY);
  if (S_ISREG(about.st_mode) && about.st_mode & 077)
    return svcd_error(2, "%s can be read by others: chmod 600 it", path);
  return 0;
}

int svcd_secret_key_path(const svcd_options *o, char path[SVCD_PATH])
{
  int n = o->secret_key ? snprintf(path, SVCD_PATH, "%s", o->secret_key)
          : o->data     ? snprintf(path, SVCD_PATH, "%s/secret.key", o->data)
                        : snprintf(path, SVCD_PATH, "%s", ""); /* --memory: it goes with the store */
  if (n >= 0 && n < SVCD_PATH) return 0;
  return svcd_error(1, "%s: the name is too long", o->secret_key ? o->secret_key : o->data);
}

int svcd_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY])
{
  char path[SVCD_PATH];
  int random, good;
  if (svcd_secret_key_path(o, path) != 0) return 1;
  if (*path && access(path, F_OK) == 0) return secret_key_read(path, key);
  random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  good = random >= 0 && read(random, key, SVCD_SECRET_KEY) == SVCD_SECRET_KEY;
  if (random >= 0) close(random);
  if (!good) return svcd_error(1, "the system gives no random bytes");
  if (!*path || !o->store) return 0;
  /* another may begin on the same store at this moment, in this folder: the key of whose name comes first is that of both */
  return svcd_put_file(path, key, SVCD_SECRET_KEY, 0) == 0 ? secret_key_read(path, key) : 1;
}

int svcd_keep_secret_key(const svcd_options *o, const unsigned char key[SVCD_SECRET_KEY])
{
  char path[SVCD_PATH];
  if (svcd_secret_key_path(o, path) != 0) return 1;
  return !*path || access(path, F_OK) == 0 ? 0 : svcd_put_file(path, key, SVCD_SECRET_KEY, 0);
}
