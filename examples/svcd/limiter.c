/*
** The limiter of --limiter, which several svcd share.
**
** The rule, as in store.c: no password comes from the command line. ports/redis.c reads it from the environment (REDISCLI_AUTH) or a file,
** and refuses a password in the URI.
*/
#include "svcd.h"
#ifdef SVC_WITH_REDIS
#include "redis.h"
#endif

int svcd_limiter(const svcd_options *o, svc_config *config)
{
  if (!o->limiter) return 0;
  config->limiter_path = o->limiter;
  config->limiter_closed = o->limiter_closed;
#ifdef SVC_WITH_REDIS
  config->limiter = svc_redis_port();
  return 0;
#else
  return svcd_error(2, "this svcd was built without Redis: build it with WITH=redis ./build.sh run");
#endif
}

int svcd_limiter_answers(const svc_config *config)
{
#ifdef SVC_WITH_REDIS
  char why[256];
  return !config->limiter || svc_redis_answers(config, why, sizeof why) != SVC_BUSY; /* the service reports other errors */
#else
  (void)config;
  return 1;
#endif
}
