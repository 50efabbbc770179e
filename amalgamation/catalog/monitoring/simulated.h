/*
** Answers of the simulation, which replaces the driver if the host supplies none. simulated.c passes the questions on.
*/
#ifndef SVC_SIMULATED_H
#define SVC_SIMULATED_H

#include "catalog/monitoring/model.h"

/* A question about a cluster, and the data for its answer. Everything in it stays valid until the answer is written. */
typedef struct svc_simulation {
  svc_call c;         /* with a read transaction; in the project of the question */
  const svc_question *q;
  const svc_node *p;  /* parameters of the question */
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

/* For other resources: svc_simulation has no cluster. */
SVC_PRIVATE void svc_simulated_processor(svc_simulation *s);     /* statistics of a stream processor */
SVC_PRIVATE void svc_simulated_workspace_log(svc_simulation *s); /* logs of a stream workspace */
SVC_PRIVATE void svc_simulated_sources(svc_simulation *s);       /* projects of an organization with clusters to migrate */
SVC_PRIVATE void svc_simulated_lag(svc_simulation *s);           /* lag of a live migration */
SVC_PRIVATE void svc_simulated_nothing(svc_simulation *s);       /* an empty log */

SVC_PRIVATE const svc_process *svc_simulated_process(const svc_simulation *s, svc_str id); /* by id or host; NULL: none */
SVC_PRIVATE void svc_simulated_pair(svc_buf *b, const char *name, int64_t value); /* writes ,"name":value */

SVC_PRIVATE void svc_simulated_date(svc_buf *b, int64_t at); /* in the format of servers: "2025-06-01T00:00:00.123+00:00" */
/* writes the log line of a slow query */
SVC_PRIVATE void svc_simulated_slow(svc_simulation *s, svc_buf *b, const svc_model_collection *k, const svc_model_slow *slow);

/* simulated_logins.c: database users and their logins. */
typedef struct svc_simulated_user {
  svc_str name, source; /* source: the user's authentication database */
  const svc_node *roles;
  int64_t since;        /* seconds */
  int64_t minute;       /* of each hour */
  uint64_t seed;
} svc_simulated_user;
typedef struct svc_simulated_people {
  svc_simulated_user *users; /* by minute, latest first */
  size_t user_count;
  svc_address *ranges;  /* of the access list */
  int64_t *range_since; /* creation of each range, in seconds */
  size_t range_count;
} svc_simulated_people;
typedef struct svc_simulated_login {
  const svc_simulated_user *user;
  const svc_process *host; /* NULL: the cluster has no hosts */
  int64_t at;              /* seconds */
  svc_str address;
  unsigned port, connection;
  bool good;
} svc_simulated_login;
SVC_PRIVATE bool svc_simulated_people_of(svc_simulation *s, svc_simulated_people *out); /* false: failed */
/* The login of a user in this hour since 1970. False: there was none. */
SVC_PRIVATE bool svc_simulated_login_at(const svc_simulation *s, const svc_simulated_people *people, size_t user, int64_t hour, svc_simulated_login *out);
SVC_PRIVATE void svc_simulated_login_line(svc_buf *b, const svc_simulated_login *l); /* the server's log line */

#endif /* SVC_SIMULATED_H */
