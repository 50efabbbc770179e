/*
** The certificate of https URLs: the one of --cert and --key, or a self-signed one in the data folder, created at the first start and
** again when it has expired. Clients trust that file, or its fingerprint, which svcd prints.
**
** The rule: files of the command line are only read. svcd's own key is created once and kept, so clients that have pinned it continue to
** work.
*/
#define _GNU_SOURCE /* gethostname, getifaddrs */
#include "svcd.h"
#include "listener.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CERTIFICATE_NAMES 48
#define CERTIFICATE_DAYS 820     /* some clients refuse certificates that are valid for more than 825 days */
#define CERTIFICATE_SOON_DAYS 30 /* svcd warns when the certificate expires in fewer days */
#define CERTIFICATE_DAY_MS ((int64_t)86400000)

typedef struct certificate_names {
  char text[CERTIFICATE_NAMES][256];
  const char *list[CERTIFICATE_NAMES];
  size_t count;
} certificate_names;

/* Adds a name, unless it is not a host name or already in the list. */
static void certificate_name(certificate_names *names, const char *p, size_t n)
{
  size_t i;
  if (n == 0 || n >= sizeof names->text[0] || names->count == CERTIFICATE_NAMES) return;
  for (i = 0; i < n; i++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:", p[i])) return;
  for (i = 0; i < names->count; i++)
    if (strlen(names->text[i]) == n && memcmp(names->text[i], p, n) == 0) return;
  memcpy(names->text[names->count], p, n);
  names->text[names->count][n] = '\0';
  names->list[names->count] = names->text[names->count];
  names->count++;
}

static void certificate_host(certificate_names *names, const char *url)
{
  char host[SVCD_HOST];
  certificate_name(names, host, svcd_url_host(url, host));
}

/* Adds all addresses of the machine, because svcd listens on all of them. */
static void certificate_addresses(certificate_names *names)
{
  struct ifaddrs *all, *a;
  if (getifaddrs(&all) != 0) return;
  for (a = all; a; a = a->ifa_next) {
    char text[INET6_ADDRSTRLEN];
    int family = a->ifa_addr ? a->ifa_addr->sa_family : AF_UNSPEC;
    const void *ip = family == AF_INET ? (const void *)&((const struct sockaddr_in *)(const void *)a->ifa_addr)->sin_addr
                                       : (const void *)&((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr;
    if ((family == AF_INET || family == AF_INET6) && inet_ntop(family, ip, text, sizeof text))
      certificate_name(names, text, strlen(text));
  }
  freeifaddrs(all);
}

static void certificate_collect(const svcd_options *o, certificate_names *names)
{
  char host[256];
  size_t i;
  names->count = 0;
  certificate_name(names, "localhost", 9);
  certificate_name(names, "127.0.0.1", 9);
  certificate_name(names, "::1", 3);
  if (gethostname(host, sizeof host) == 0) certificate_name(names, host, strnlen(host, sizeof host - 1));
  if (o->base_url) certificate_host(names, o->base_url);
  for (i = 0; i < o->url_count; i++) {
    if (!svcd_is_https(o->urls[i])) continue;
    certificate_host(names, o->urls[i]);
    if (svcd_reach(o->urls[i]) == SVCD_EVERYWHERE) certificate_addresses(names);
  }
}

static int certificate_make(const svcd_options *o, const svcd_cert *c)
{
  certificate_names names;
  char why[512];
  certificate_collect(o, &names);
  mkdir(o->data, 0700); /* as svc_open() would */
  if (svc_listener_cert_make(c->cert, c->key, names.list, names.count, CERTIFICATE_DAYS, why, sizeof why) == SVC_OK) return 0;
  return svcd_error(1, "%s", why);
}

static int64_t certificate_now(void)
{
  return (int64_t)time(NULL) * 1000;
}

int svcd_certificate(const svcd_options *o, svcd_cert *c)
{
  svc_listener_cert about;
  char why[512];
  size_t i;
  int rc;
  memset(c, 0, sizeof *c);
  for (i = 0; i < o->url_count; i++) c->used |= svcd_is_https(o->urls[i]);
  if (!c->used) return 0;
  c->own = !o->cert;
  if (snprintf(c->cert, sizeof c->cert, "%s%s", o->cert ? o->cert : o->data, o->cert ? "" : "/tls.crt") >= SVCD_PATH ||
      snprintf(c->key, sizeof c->key, "%s%s", o->key ? o->key : o->data, o->key ? "" : "/tls.key") >= SVCD_PATH)
    return svcd_error(1, "the name of the certificate or its key is too long");
  if (c->own && access(c->cert, F_OK) != 0 && certificate_make(o, c) != 0) return 1;
  rc = svc_listener_cert_read(c->cert, c->key, &about, why, sizeof why);
  if (rc == SVC_OK && c->own && about.self_signed && about.until < certificate_now()) {
    if (certificate_make(o, c) != 0) return 1;
    rc = svc_listener_cert_read(c->cert, c->key, &about, why, sizeof why);
  }
  if (rc != SVC_OK) return svcd_error(rc == SVC_INVALID ? 2 : 1, "%s", why);
  c->until = about.until;
  memcpy(c->sha256, about.sha256, sizeof c->sha256);
  return 0;
}

void svcd_show_certificate(const svcd_cert *c)
{
  int64_t left = c->until - certificate_now();
  time_t until = (time_t)(c->until / 1000);
  char day[16] = "";
  struct tm tm;
  if (!c->used) return;
  if (gmtime_r(&until, &tm)) strftime(day, sizeof day, "%Y-%m-%d", &tm);
  svcd_print("certificate.loaded", "certificate:", "%s, until %s, SHA-256 %s", c->cert, day, c->sha256);
  if (left < CERTIFICATE_SOON_DAYS * CERTIFICATE_DAY_MS)
    svcd_say(SVC_LOG_WARNING, "certificate.expiring", "the certificate in %s expires on %s%s", c->cert, day, c->own ? ": the first start after that creates a new certificate" : "");
}
