/*
** Answers of the simulation, which is the driver where the host supplies none: simulated.c says how a question gets to them.
*/
#ifndef SVC_SIMULATED_H
#define SVC_SIMULATED_H

#include "catalog/monitoring/model.h"

/* A question about a cluster, and all that its answer is made of. Everything in it stays valid until the answer is written. */
typedef struct svc_simulation {
  svc_call c;         /* with a transaction that reads; in the project of the question */
  const svc_question *q;
  const svc_node *p;  /* the parameters of the question */
  svc_processes of;
  svc_model model;
  svc_buf out;        /* the answer */
} svc_simulation;

SVC_PRIVATE void svc_simulated_series(svc_simulation *s);
SVC_PRIVATE void svc_simulated_list(svc_simulation *s);
SVC_PRIVATE void svc_simulated_queries(svc_simulation *s);
SVC_PRIVATE void svc_simulated_collections(svc_simulation *s);
SVC_PRIVATE void svc_simulated_logins(svc_simulation *s);
SVC_PRIVATE void svc_simulated_log(svc_simulation *s);

/* Of other resources: no cluster is gathered. */
SVC_PRIVATE void svc_simulated_processor(svc_simulation *s);     /* statistics of a stream processor */
SVC_PRIVATE void svc_simulated_workspace_log(svc_simulation *s); /* logs of a stream workspace */
SVC_PRIVATE void svc_simulated_sources(svc_simulation *s);       /* projects of an organization with clusters to migrate */
SVC_PRIVATE void svc_simulated_lag(svc_simulation *s);           /* how far a live migration lags behind */
SVC_PRIVATE void svc_simulated_nothing(svc_simulation *s);       /* a log in which nothing is */

SVC_PRIVATE const svc_process *svc_simulated_process(const svc_simulation *s, svc_str id); /* by its id or its host; NULL: there is none */
SVC_PRIVATE void svc_simulated_pair(svc_buf *b, const char *name, int64_t value); /* ,"name":value */

SVC_PRIVATE void svc_simulated_date(svc_buf *b, int64_t at); /* as servers write it: "2025-06-01T00:00:00.123+00:00" */
SVC_PRIVATE void svc_simulated_slow(svc_simulation *s, svc_buf *b, const svc_model_collection *k, const svc_model_slow *slow); /* its line */

/* simulated_logins.c: who can sign in, and who does. */
typedef struct svc_simulated_user {
  svc_str name, source; /* source: the database that knows the user */
  const svc_node *roles;
  int64_t since;        /* seconds */
  int64_t minute;       /* of each hour */
  uint64_t seed;
} svc_simulated_user;
typedef struct svc_simulated_people {
  svc_simulated_user *users; /* by their minutes, the latest first */
  size_t user_count;
  svc_address *ranges;  /* of the access list, */
  int64_t *range_since; /* each since then, in seconds */
  size_t range_count;
} svc_simulated_people;
typedef struct svc_simulated_login {
  const svc_simulated_user *user;
  const svc_process *host; /* NULL: the cluster has none */
  int64_t at;              /* seconds */
  svc_str address;
  unsigned port, connection;
  bool good;
} svc_simulated_login;
SVC_PRIVATE bool svc_simulated_people_of(svc_simulation *s, svc_simulated_people *out); /* false: failed */
/* The login of a user in this hour since 1970. False: there was none. */
SVC_PRIVATE bool svc_simulated_login_at(const svc_simulation *s, const svc_simulated_people *people, size_t user, int64_t hour, svc_simulated_login *out);
SVC_PRIVATE void svc_simulated_login_line(svc_buf *b, const svc_simulated_login *l); /* as the server logs it */

#endif /* SVC_SIMULATED_H */
