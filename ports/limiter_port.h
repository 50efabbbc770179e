/*
** The limiter port: what handles that limit together must be able to ask of a third, which all of them can reach. There is none
** in svcapi.c; ports/redis.c is one, and svc_config.limiter chooses it.
**
** Buckets and nonces are named by the caller, and what is kept of them is the port's. Each call stands for itself: what two
** handles ask at the same moment is answered one after the other, as if one of them had come first.
**
** The rule: nobody waits for long. Who cannot answer in the time that is configured says so by another result than SVC_OK, which
** is no error of the caller's: then the handle limits by the level of the bucket that it last heard of, or refuses, as
** svc_config.limiter_closed says. A nonce that cannot be counted is never accepted. When to ask again, and to tell the log of it, is
** the port's. One late answer concerns one request: the port must not stop asking for all others because of it.
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
  bool look;        /* no token is taken: the caller only asks whether there is one */
  bool bounded;     /* the caller granted tokens by itself while the limiter did not answer: no more than `most` are left */
  int64_t most;     /* of a bounded bucket, before this token is taken */
} svc_bucket;

/* Why the limiter gave no answer. */
enum svc_limits_reason {
  SVC_LIMITS_TIMEOUT,    /* no answer in time */
  SVC_LIMITS_CONNECTION, /* no connection, or it was lost */
  SVC_LIMITS_ERROR,      /* the server answered with an error, or with nonsense */
  SVC_LIMITS_BUSY,       /* all connections were in use */
  SVC_LIMITS_PAUSED,     /* it was not asked, as it failed a moment ago */
  SVC_LIMITS_REASONS
};

/* What a limiter has done since it was opened. */
typedef struct svc_limits_state {
  bool available;                          /* it is asked: it has not failed, or has answered since */
  uint64_t unanswered[SVC_LIMITS_REASONS]; /* calls without an answer, by reason */
  uint64_t connects;                       /* connections that were made, the first ones included */
} svc_limits_state;

/* What came of taking one. */
typedef struct svc_tokens {
  bool taken; /* of a look: there is one */
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
  ** below it. A nonce that was given out `age_ms` ago, before the limiter itself began to remember, is not fresh. What is known of a
  ** nonce is kept for `lives_ms` from its last use on. */
  int (*count)(svc_limits *limits, svc_str nonce, uint32_t count, int64_t age_ms, int64_t lives_ms, bool *fresh);
  /* Figures for metrics and readiness. It asks nobody and never waits. NULL: there are none, and it counts as available. */
  void (*state)(svc_limits *limits, svc_limits_state *out);
};

/* Does a handle limit together with others? Without SVC_SHARED_STORE there is no code for that, as for a store that is shared. */
#ifdef SVC_SHARED_STORE
#define SVC_HAS_LIMITS(s) ((s)->limits != NULL)
#else
#define SVC_HAS_LIMITS(s) false
#endif

#endif /* SVC_LIMITER_PORT_H */
