/*
** The limiter on Redis, for its suite: used if it is built in and SVC_TEST_LIMITER requests it.
*/
#include "support.h"

#ifdef SVC_WITH_REDIS
#include "faults.h"
#include "ports/redis.h"

#include <hiredis/hiredis.h>

/* The linker makes the port call these (rules.mk): WRAP(type, return value of a failure, name, parameters, arguments) */
#define WRAP(type, failed, name, parameters, arguments) \
  type __real_##name parameters; \
  type __wrap_##name parameters; \
  type __wrap_##name parameters \
  { \
    return t_fault_hit(T_CALL_SERVER) ? failed : __real_##name arguments; \
  }

WRAP(redisContext *, NULL, redisConnectWithTimeout, (const char *host, int port, const struct timeval patience), (host, port, patience))
WRAP(redisContext *, NULL, redisConnectUnixWithTimeout, (const char *path, const struct timeval patience), (path, patience))
WRAP(long long, -1, redisFormatCommandArgv, (char **out, int n, const char **values, const size_t *lengths), (out, n, values, lengths))
WRAP(int, REDIS_ERR, redisReaderFeed, (redisReader *r, const char *p, size_t n), (r, p, n))
WRAP(int, REDIS_ERR, redisReaderGetReply, (redisReader *r, void **reply), (r, reply))
#endif

const svc_limiter_port *t_redis_port(void)
{
#ifdef SVC_WITH_REDIS
  const char *asked = getenv("SVC_TEST_LIMITER");
  if (asked && strcmp(asked, "redis") == 0) return svc_redis_port();
#endif
  return NULL;
}
