/*
** Selects the store: LMDB in the folder of --data, or the one of --store. With --store, the folder of --data has the secret key, the
** credentials and the certificate, but not the store.
**
** The rule: no password comes from the command line, which every user of the machine can read. libpq reads it from the environment
** (PGPASSWORD) or a file (PGPASSFILE, ~/.pgpass).
*/
#define _GNU_SOURCE /* strcasestr */
#include "svcd.h"
#ifdef SVC_WITH_POSTGRES
#include "postgres.h"
#endif

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int store_has_password(const char *uri)
{
  const char *who = strstr(uri, "://") + 3;
  size_t n = strcspn(who, "/?@");
  return (who[n] == '@' && memchr(who, ':', n)) || strcasestr(uri, "password=");
}

int svcd_is_uri(const char *store)
{
  return strncmp(store, "postgres://", 11) == 0 || strncmp(store, "postgresql://", 13) == 0;
}

int svcd_store_at(const char *place, svc_config *config)
{
  config->path = place;
  config->store = NULL;
  if (!svcd_is_uri(place)) return 0;
  if (store_has_password(place))
    return svcd_error(2, "other users can read a password on the command line: put it into a file (PGPASSFILE) or into PGPASSWORD");
#ifdef SVC_WITH_POSTGRES
  config->store = svc_postgres_port();
  return 0;
#else
  return svcd_error(2, "this svcd was built without PostgreSQL: build it with WITH=postgres ./build.sh run");
#endif
}

int svcd_store(const svcd_options *o, svc_config *config)
{
  config->path = o->data; /* NULL: --memory */
  if (!o->store) return 0;
  if (o->data && mkdir(o->data, 0700) != 0 && errno != EEXIST)
    return svcd_error(1, "cannot create the folder %s: %s", o->data, strerror(errno));
  return svcd_store_at(o->store, config);
}
