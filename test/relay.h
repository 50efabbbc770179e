/*
** Breaks connections: a relay, a process of its own, sits between a port and its server. The relay passes a given number of bytes in one
** direction, and then closes both sides, closes one, or waits.
*/
#ifndef SVC_TEST_RELAY_H
#define SVC_TEST_RELAY_H

#include "support.h"

#include <sys/types.h>

enum { RELAY_CLOSE, RELAY_HALF, RELAY_WAIT, RELAY_WAYS };

/* Memory shared by both processes. */
typedef struct relay_control {
  atomic_long left[2]; /* to the server, to the client: bytes that pass before the break; below 0: no break */
  atomic_int way;
  atomic_long done; /* breaks so far */
} relay_control;

typedef struct relay {
  char folder[128], to[256]; /* folder of the relay's own socket; path of the server's socket */
  relay_control *control;
  pid_t child;
} relay;

void relay_start(relay *r, const char *server, const char *name); /* `server`: the folder of the server's socket; `name`: the file name
                                                                     of both sockets */
void relay_stop(relay *r);
void relay_arm(relay *r, int direction, int way, long bytes); /* breaks once, after this many more bytes */
bool relay_disarm(relay *r); /* cancels the break; returns whether it has happened since relay_arm() */

#endif
