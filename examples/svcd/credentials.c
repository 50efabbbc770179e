/*
** The file of credentials: {"baseUrl":...,"orgId":...,...}, mode 0600; and the verb that creates new credentials.
**
** The rule: the verb never overwrites an existing file, which may be the only copy of its secrets. Credentials are created in the store
** only after the file for them exists.
*/
#define _GNU_SOURCE /* fsync */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int svcd_credentials_path(const svcd_options *o, char path[SVCD_PATH])
{
  int n = o->bootstrap ? snprintf(path, SVCD_PATH, "%s", o->bootstrap)
          : o->data    ? snprintf(path, SVCD_PATH, "%s/bootstrap.json", o->data)
                       : snprintf(path, SVCD_PATH, "%s", "");
  if (n >= 0 && n < SVCD_PATH - 8) return 1; /* leaves room for ".new" */
  svcd_say(SVC_LOG_ERROR, "svcd.failed", "%s: the path is too long", o->bootstrap ? o->bootstrap : o->data);
  return 0;
}

void svcd_greet(const svcd_options *o, const char *base_url, const char *token, const svc_credentials *c, const char *path)
{
  if (svcd_log_is_json()) svcd_print("organization.made", "", "organization %s is at %s", c->org_id, base_url);
  else printf("base URL:      %s\norganization:  %s\n", base_url, c->org_id);
  if (o->show_credentials)
    printf("project:       %s\npublicKey:     %s\nprivateKey:    %s\nclientId:      %s\nclientSecret:  %s\n", c->group_id,
           c->public_key, c->private_key, c->client_id, c->client_secret);
  if (o->show_credentials && *token) printf("testToken:     %s\n", token);
  if (*path) svcd_print("credentials.written", "credentials:", "%s", path);
}

static int credentials_put(int fd, const char *base_url, const char *token, const svc_credentials *c)
{
  char text[4096];
  int n = snprintf(text, sizeof text,
                   "{\"baseUrl\":\"%s\",\"orgId\":\"%s\",\"groupId\":\"%s\",\"publicKey\":\"%s\",\"privateKey\":\"%s\","
                   "\"clientId\":\"%s\",\"clientSecret\":\"%s\"%s%s%s}\n",
                   base_url, c->org_id, c->group_id, c->public_key, c->private_key, c->client_id, c->client_secret,
                   *token ? ",\"testToken\":\"" : "", token, *token ? "\"" : "");
  int written = n > 0 && (size_t)n < sizeof text && write(fd, text, (size_t)n) == n;
  explicit_bzero(text, sizeof text);
  return written ? fsync(fd) : -1;
}

int svcd_write_credentials(svc *s, const svcd_options *o, const char *base_url, const char *token,
                           int (*make)(svc *s, const svcd_options *o, svc_credentials *out), svc_credentials *out)
{
  char path[SVCD_PATH], new_path[SVCD_PATH + 32];
  struct stat there;
  int fd, rc, written, named;
  if (!svcd_credentials_path(o, path)) return 1;
  if (!*path) { /* --memory without --bootstrap: no file */
    rc = make(s, o, out);
    return rc == SVC_OK ? 0 : svcd_error(1, "cannot create credentials: %s", svc_strerror(rc));
  }
  snprintf(new_path, sizeof new_path, "%s.new%ld", path, (long)getpid()); /* another svcd may start on the same store now */
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) /* such as /dev/null, which a rename would replace */
    return svcd_error(1, "cannot write %s: it exists and is not a file", path);
  unlink(new_path);
  fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return svcd_error(1, "cannot write %s: %s", path, strerror(errno));
  memset(out, 0, sizeof *out);
  rc = make(s, o, out);
  written = rc == SVC_OK && credentials_put(fd, base_url, token, out) == 0;
  named = written && rename(new_path, path) == 0 && svcd_flush_name(path) == 0;
  close(fd);
  if (!written) unlink(new_path);
  if (named) return 0;
  if (rc == SVC_EXISTS) return SVCD_SET_UP;
  if (rc != SVC_OK) return svcd_error(1, "cannot create credentials: %s", svc_strerror(rc));
  if (!written && !o->data) return svcd_error(1, "cannot write %s", path);
  if (!written) return svcd_error(1, "cannot write %s: `svcd credentials --data %s` creates new credentials", path, o->data);
  return svcd_error(1, "cannot write %s: the credentials are in %s", path, new_path);
}

/* ------------------------------------------------------------------------------------------------------------- verb */

static int credentials_make(svc *s, const svcd_options *o, svc_credentials *out)
{
  return svc_new_credentials(s, o->org, out);
}

int svcd_credentials(const svcd_options *o)
{
  const char *base_url = o->base_url ? o->base_url : o->urls[0];
  char path[SVCD_PATH], store[SVCD_PATH];
  svc_credentials c;
  svc_config config;
  svc *s;
  int status;
  if (!svcd_credentials_path(o, path)) return 1;
  snprintf(store, sizeof store, "%s/data.mdb", o->data);
  if (!o->store && access(store, F_OK) != 0) return svcd_error(1, "there is no store in %s", o->data);
  if (access(path, F_OK) == 0)
    return svcd_error(1, "%s already exists: move it, or name another file with --bootstrap", path);
  memset(&config, 0, sizeof config);
  if (svcd_store(o, &config) != 0) return 2;
  config.base_url = base_url;
  config.keep_orders = 1; /* orders are for the driver of the next run */
  config.log_event = svcd_log;
  status = svc_open(&s, &config); /* logs the error; most often, svcd is running */
  if (status != SVC_OK) return status == SVC_INVALID ? 2 : 1;
  status = svcd_write_credentials(s, o, base_url, "", credentials_make, &c);
  if (status == 0) svcd_greet(o, base_url, "", &c, path);
  explicit_bzero(&c, sizeof c);
  svc_close(s);
  return status;
}
