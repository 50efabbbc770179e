/*
** The limiter port: the functions of a rate limiter that several handles share. svcapi.c contains none; ports/redis.c is one, and
** svc_config.limiter selects it.
**
** The caller names buckets and nonces; how they are stored is up to the port. Each call is atomic: concurrent calls of two handles are
** answered one after the other.
**
** The rule: no call blocks for long. A port that cannot answer within the configured time returns a code other than SVC_OK. The handle then
** limits by the last known level of the bucket, or refuses, as svc_config.limiter_closed says. A nonce that cannot be counted is never
** accepted. The port decides when to try again, and logs it. A single late answer affects one request: the port must not stop serving the
** others because of it.
*/
#ifndef SVC_LIMITER_PORT_H
#define SVC_LIMITER_PORT_H

#include "base/base.h"

typedef struct svc_limits svc_limits;

/*
** A bucket of an endpoint set, for one instance of its scope. A bucket starts full and gains refill_rate tokens after every whole
** refill_seconds, up to its capacity (limiter.c).
*/
typedef struct svc_bucket {
  svc_str set;      /* a word */
  svc_str instance; /* any bytes */
  int64_t capacity, refill_rate, refill_seconds; /* from 1 to INT32_MAX */
  bool look;        /* take no token, only tell whether there is one */
  bool bounded;     /* the caller granted tokens by itself while the limiter did not answer: at most `most` are left */
  int64_t most;     /* tokens of a bounded bucket, before this one is taken */
} svc_bucket;

/* Why the limiter gave no answer. */
enum svc_limits_reason {
  SVC_LIMITS_TIMEOUT,    /* no answer within the time limit */
  SVC_LIMITS_CONNECTION, /* no connection, or it was lost */
  SVC_LIMITS_ERROR,      /* the server sent an error or an invalid answer */
  SVC_LIMITS_BUSY,       /* all connections were in use */
  SVC_LIMITS_PAUSED,     /* not asked, because it failed a moment ago */
  SVC_LIMITS_REASONS
};

/* Counters since the limiter was opened. */
typedef struct svc_limits_state {
  bool available;                          /* the limiter has not failed, or has answered since */
  uint64_t unanswered[SVC_LIMITS_REASONS]; /* calls without an answer, by reason */
  uint64_t connects;                       /* connections made, including the first ones */
} svc_limits_state;

/* The result of take(). */
typedef struct svc_tokens {
  bool taken; /* with `look`: there is a token */
  int64_t remaining, wait_seconds;
} svc_tokens;

struct svc_limiter_port {
  /* Opens config->limiter_path and copies the parts of the configuration that it needs. A server that does not answer yet is not an
  ** error: the port tries again later. `why` receives the reason of a failure, for people, without secrets. */
  int (*open)(svc_limits **out, const svc_config *config, char *why, size_t why_size);
  void (*close)(svc_limits *limits);
  /* Takes one token, if there is one. `now` is the caller's time in milliseconds; callers' clocks differ slightly. A time of at most one
  ** interval before the beginning of the bucket's interval counts as that beginning; an earlier time restarts the interval. */
  int (*take)(svc_limits *limits, const svc_bucket *bucket, int64_t now, svc_tokens *out);
  /* Marks a count (from 1) of a nonce as used. *fresh: the count was unused, which is known for the highest count and the 63 below it. A
  ** nonce issued `age_ms` ago, before the limiter's memory began, is not fresh. The port remembers a nonce for `lives_ms` after its last
  ** use. */
  int (*count)(svc_limits *limits, svc_str nonce, uint32_t count, int64_t age_ms, int64_t lives_ms, bool *fresh);
  /* Fills in counters for metrics and readiness, and never blocks. NULL: no counters, and the limiter counts as available. */
  void (*state)(svc_limits *limits, svc_limits_state *out);
};

/* True if a handle shares its limits. Without SVC_SHARED_STORE the code for that is left out, as for shared stores. */
#ifdef SVC_SHARED_STORE
#define SVC_HAS_LIMITS(s) ((s)->limits != NULL)
#else
#define SVC_HAS_LIMITS(s) false
#endif

#endif /* SVC_LIMITER_PORT_H */
