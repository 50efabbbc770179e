/*
** The URI of a limiter: a scheme, places, and options, each a row of a table.
**
** The rule: no error text contains any part of the URI, because the URI may wrongly contain a password.
*/
#ifndef SVC_REDIS_URI_H
#define SVC_REDIS_URI_H

#include "limits.h"

/* Copies a part and terminates it. False: no room. */
static bool redis_copy(char *to, size_t room, const char *from, size_t n)
{
  if (n >= room) return false;
  memcpy(to, from, n);
  to[n] = '\0';
  return true;
}

static bool redis_number(const char *text, size_t n, int least, int most, int *out)
{
  size_t i;
  *out = 0;
  for (i = 0; i < n && i < 7; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    *out = *out * 10 + (text[i] - '0');
  }
  return n > 0 && n < 7 && *out >= least && *out <= most;
}

/* Reads the first line of a file. Returns an error text, or NULL. */
static const char *redis_first_line(char *to, size_t room, const char *text, size_t n)
{
  char path[1024];
  FILE *f = redis_copy(path, sizeof path, text, n) ? fopen(path, "re") : NULL;
  bool good = f && fgets(to, (int)room, f);
  if (f) fclose(f);
  if (!good) return "password_file cannot be read";
  to[strcspn(to, "\r\n")] = '\0';
  return to[0] ? NULL : "password_file begins with an empty line";
}

/* -------------------------------------------------------------------------------------------------------------- options */

static const char *redis_set_timeout(svc_limits *l, const char *p, size_t n)
{
  return redis_number(p, n, 1, REDIS_MOST, &l->timeout) ? NULL : "timeout is a number of milliseconds, from 1 to 60000";
}

static const char *redis_set_connect(svc_limits *l, const char *p, size_t n)
{
  return redis_number(p, n, 1, REDIS_MOST, &l->connect) ? NULL : "connect is a number of milliseconds, from 1 to 60000";
}

static const char *redis_set_database(svc_limits *l, const char *p, size_t n)
{
  if (l->kind == REDIS_CLUSTER) return "a cluster has no databases: leave db out";
  return redis_number(p, n, 0, 999999, &l->database) ? NULL : "db is the number of a database";
}

static const char *redis_set_password(svc_limits *l, const char *p, size_t n)
{
  return redis_first_line(l->password, sizeof l->password, p, n);
}

static const char *redis_set_sentinel_password(svc_limits *l, const char *p, size_t n)
{
  if (l->kind != REDIS_SENTINEL) return "sentinel_password_file and sentinel_user are for redis+sentinel://";
  return redis_first_line(l->sentinel_password, sizeof l->sentinel_password, p, n);
}

static const char *redis_set_sentinel_user(svc_limits *l, const char *p, size_t n)
{
  if (l->kind != REDIS_SENTINEL) return "sentinel_password_file and sentinel_user are for redis+sentinel://";
  return redis_copy(l->sentinel_user, sizeof l->sentinel_user, p, n) ? NULL : "sentinel_user is too long";
}

static const char *redis_set_tls(const svc_limits *l, char *to, size_t room, const char *p, size_t n)
{
  if (!l->secure) return "ca, cert, key and tls_name are for TLS: rediss://";
  return n && redis_copy(to, room, p, n) ? NULL : "ca, cert, key and tls_name need a value, which has an end";
}

static const char *redis_set_ca(svc_limits *l, const char *p, size_t n) { return redis_set_tls(l, l->ca, sizeof l->ca, p, n); }
static const char *redis_set_cert(svc_limits *l, const char *p, size_t n) { return redis_set_tls(l, l->cert, sizeof l->cert, p, n); }
static const char *redis_set_key(svc_limits *l, const char *p, size_t n) { return redis_set_tls(l, l->key, sizeof l->key, p, n); }
static const char *redis_set_name(svc_limits *l, const char *p, size_t n) { return redis_set_tls(l, l->tls_name, sizeof l->tls_name, p, n); }

static const struct redis_option {
  const char *name;
  const char *(*set)(svc_limits *l, const char *p, size_t n); /* returns what is wrong, or NULL */
} redis_known_options[] = {
  { "timeout", redis_set_timeout }, { "connect", redis_set_connect }, { "db", redis_set_database }, { "password_file", redis_set_password },
  { "ca", redis_set_ca }, { "cert", redis_set_cert }, { "key", redis_set_key }, { "tls_name", redis_set_name },
  { "sentinel_user", redis_set_sentinel_user }, { "sentinel_password_file", redis_set_sentinel_password },
};
#define REDIS_OPTIONS (sizeof redis_known_options / sizeof redis_known_options[0])

/* NAME=VALUE, separated by &. Returns what is wrong, or NULL. */
static const char *redis_options(svc_limits *l, const char *p)
{
  while (*p) {
    const size_t n = strcspn(p, "&"), name = strcspn(p, "=&");
    const char *wrong;
    size_t i = 0;
    while (i < REDIS_OPTIONS && (strlen(redis_known_options[i].name) != name || memcmp(redis_known_options[i].name, p, name) != 0)) i++;
    if (i == REDIS_OPTIONS)
      return "the options are timeout, connect, db, password_file; of TLS ca, cert, key, tls_name; of sentinels sentinel_user, sentinel_password_file";
    wrong = redis_known_options[i].set(l, p + name + (name < n), name < n ? n - name - 1 : 0);
    if (wrong) return wrong;
    p += n + (p[n] == '&');
  }
  return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- places */

/* HOST[:PORT], n bytes. */
static const char *redis_host(redis_place *to, const char *host, size_t n, int port)
{
  const char *end = host + n, *p;
  to->port = port;
  if (host < end && *host == '[') { /* an IPv6 address contains colons */
    p = memchr(host, ']', (size_t)(end - host));
    if (!p || (p + 1 < end && p[1] != ':')) return "the host is not an address";
    host++;
  } else {
    p = memchr(host, ':', (size_t)(end - host));
    if (!p) p = end;
  }
  if (p == host || !redis_copy(to->host, sizeof to->host, host, (size_t)(p - host))) return "the host is missing, or too long";
  if (p < end && *p == ']') p++;
  return p < end && !redis_number(p + 1, (size_t)(end - p - 1), 1, 65535, &to->port) ? "the port is a number from 1 to 65535" : NULL;
}

/* Reads the text after the slash: the number of a database, or the name of a master. Returns an error text, or NULL. */
static const char *redis_behind(svc_limits *l, const char *p, size_t n)
{
  if (l->kind == REDIS_SENTINEL)
    return n && redis_copy(l->master, sizeof l->master, p, n) ? NULL : "behind the sentinels there is the name of the master: HOST:PORT,HOST:PORT/NAME";
  if (l->kind == REDIS_CLUSTER && n) return "a cluster has no databases: its hosts are simulated";
  return n && !redis_number(p, n, 0, 999999, &l->database) ? "behind the host there is the number of a database" : NULL;
}

/* [USER@]HOST[:PORT][,HOST[:PORT]...][/...], n bytes. */
static const char *redis_hosts(svc_limits *l, const char *p, size_t n)
{
  const char *end = p + n, *slash = memchr(p, '/', n), *at, *wrong;
  wrong = slash || l->kind == REDIS_SENTINEL ? redis_behind(l, slash ? slash + 1 : end, slash ? (size_t)(end - slash - 1) : 0) : NULL;
  if (wrong) return wrong;
  if (slash) end = slash;
  at = memchr(p, '@', (size_t)(end - p));
  if (at && memchr(p, ':', (size_t)(at - p)))
    return "a password does not belong into the URI: put it into REDISCLI_AUTH, or into a file, ?password_file=PATH";
  if (at && !redis_copy(l->user, sizeof l->user, p, (size_t)(at - p))) return "the user has too long a name";
  if (at) p = at + 1;
  do {
    const char *comma = l->kind == REDIS_ONE ? NULL : memchr(p, ',', (size_t)(end - p));
    if (l->seed_count == REDIS_SEEDS) return "there are too many hosts: 16 at the most";
    wrong = redis_host(&l->seeds[l->seed_count++], p, (size_t)((comma ? comma : end) - p), l->kind == REDIS_SENTINEL ? 26379 : 6379);
    p = comma ? comma + 1 : NULL;
  } while (p && !wrong);
  return wrong;
}

static const struct redis_scheme {
  const char *name;
  enum redis_kind kind;
  bool secure, path;
} redis_schemes[] = {
  { "redis://", REDIS_ONE, false, false }, { "rediss://", REDIS_ONE, true, false },
  { "redis+unix://", REDIS_ONE, false, true }, { "unix://", REDIS_ONE, false, true },
  { "redis+sentinel://", REDIS_SENTINEL, false, false }, { "rediss+sentinel://", REDIS_SENTINEL, true, false },
  { "redis+cluster://", REDIS_CLUSTER, false, false }, { "rediss+cluster://", REDIS_CLUSTER, true, false },
};
#define REDIS_SCHEMES (sizeof redis_schemes / sizeof redis_schemes[0])

/* Reads the URI. Returns an error text, or NULL. */
static const char *redis_uri(svc_limits *l, const char *uri)
{
  const size_t n = strcspn(uri, "?");
  const char *wrong, *password = getenv("REDISCLI_AUTH");
  size_t i = 0, scheme;
  l->timeout = REDIS_TIMEOUT;
  l->connect = REDIS_CONNECT;
  if (password && !redis_copy(l->password, sizeof l->password, password, strlen(password))) return "REDISCLI_AUTH is too long";
  while (i < REDIS_SCHEMES && strncmp(uri, redis_schemes[i].name, strlen(redis_schemes[i].name)) != 0) i++;
  if (i == REDIS_SCHEMES)
    return "it is redis://HOST:PORT/DATABASE, redis+unix://PATH, redis+sentinel://HOST:PORT,HOST:PORT/MASTER or redis+cluster://HOST:PORT,HOST:PORT;"
           " with TLS rediss";
  scheme = strlen(redis_schemes[i].name);
  l->kind = redis_schemes[i].kind;
  l->secure = redis_schemes[i].secure;
  if (redis_schemes[i].path)
    wrong = n > scheme && redis_copy(l->seeds[l->seed_count++].host, sizeof l->seeds[0].host, uri + scheme, n - scheme) ? NULL :
            "the path of the socket is missing, or too long";
  else wrong = redis_hosts(l, uri + scheme, n - scheme);
  if (!wrong) wrong = redis_options(l, uri[n] ? uri + n + 1 : "");
  if (wrong) return wrong;
  if (l->user[0] && !l->password[0]) return "there is a user, and no password: REDISCLI_AUTH, or ?password_file=PATH";
  return l->sentinel_user[0] && !l->sentinel_password[0] ? "there is a sentinel_user, and no sentinel_password_file" : NULL;
}

#endif /* SVC_REDIS_URI_H */
