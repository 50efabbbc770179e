/*
** The limiter port on Redis, for several instances that limit together: svc_config.limiter = svc_redis_port(), and
** svc_config.limiter_path is where it is:
**
**   redis://[USER@]HOST[:PORT][/DATABASE][?OPTIONS]        HOST a name, an address, or an IPv6 address in brackets; port 6379
**   redis+unix://PATH[?OPTIONS], unix://PATH[?OPTIONS]     a socket of this machine
**
** Options, with & between them: timeout=MS, how long a request waits for an answer (50); connect=MS, how long for a connection (50);
** db=DATABASE; password_file=PATH, the password is its first line. Without that file it is what the environment has as
** REDISCLI_AUTH. It is never taken from the URI. TLS (rediss://) is not in it.
**
** It is no part of svcapi.c: compile ports/redis.c beside it, with -I. -Iamalgamation -DSVC_SPLIT=1, and svcapi.c with
** -DSVC_SHARED_STORE; link with -lhiredis -pthread.
*/
#ifndef SVC_REDIS_H
#define SVC_REDIS_H

#include "svcapi.h"

const svc_limiter_port *svc_redis_port(void);

#endif /* SVC_REDIS_H */
