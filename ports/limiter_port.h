/*
** The limiter port: what handles that limit together must be able to ask of a third, which all of them can reach. There is none
** in svcapi.c; ports/redis.c is one, and svc_config.limiter chooses it.
**
** Buckets and nonces are named by the caller, and what is kept of them is the port's. Each call stands for itself: what two
** handles ask at the same moment is answered one after the other, as if one of them had come first.
**
** The rule: nobody waits for long. Who cannot answer in the time that is configured says so by another result than SVC_OK, which
** is no error of the caller's: then the handle goes by what it knows itself, or refuses, as svc_config.limiter_closed says. When
** to ask again, and to tell the log of it, is the port's.
*/
#ifndef SVC_LIMITER_PORT_H
#define SVC_LIMITER_PORT_H

#include "base/base.h"

typedef struct svc_limits svc_limits;

/* A bucket: of an endpoint set, for one instance of its scope. It starts full, and gets refill_rate tokens after every whole
** refill_seconds, never more than its capacity (limiter.c). */
typedef struct svc_bucket {
  svc_str set;      /* a word */
  svc_str instance; /* any bytes */
  int64_t capacity, refill_rate, refill_seconds; /* from 1 to INT32_MAX */
} svc_bucket;

/* What came of taking one. */
typedef struct svc_tokens {
  bool taken;
  int64_t remaining, wait_seconds;
} svc_tokens;

struct svc_limiter_port {
  /* Opens what config->limiter_path names; what it keeps of the configuration it copies. Who does not answer now is asked again
  ** later: that is no error. why: for people, when it fails; without secrets. */
  int (*open)(svc_limits **out, const svc_config *config, char *why, size_t why_size);
  void (*close)(svc_limits *limits);
  /* One token, if there is one. Time is the caller's, in milliseconds, and of several callers not quite the same: within one
  ** interval an earlier time than that of its beginning is taken for that; what is earlier still has it begin again. */
  int (*take)(svc_limits *limits, const svc_bucket *bucket, int64_t now, svc_tokens *out);
  /* This count, from 1, of a nonce is used. *fresh: it was not before, as far as can be told: of the highest count and the 63
  ** below it. What is known of a nonce is kept for so many milliseconds from its last use on. */
  int (*count)(svc_limits *limits, svc_str nonce, uint32_t count, int64_t lives_ms, bool *fresh);
};

/* Does a handle limit together with others? Without SVC_SHARED_STORE there is no code for that, as for a store that is shared. */
#ifdef SVC_SHARED_STORE
#define SVC_HAS_LIMITS(s) ((s)->limits != NULL)
#else
#define SVC_HAS_LIMITS(s) false
#endif

#endif /* SVC_LIMITER_PORT_H */
