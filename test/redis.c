/*
** The limiter on Redis, for the suite that tests it: where that is built, and asked for by SVC_TEST_LIMITER.
*/
#include "support.h"

#ifdef SVC_WITH_REDIS
#include "ports/redis.h"
#endif

const svc_limiter_port *t_redis_port(void)
{
#ifdef SVC_WITH_REDIS
  const char *asked = getenv("SVC_TEST_LIMITER");
  if (asked && strcmp(asked, "redis") == 0) return svc_redis_port();
#endif
  return NULL;
}
