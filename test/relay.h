/*
** A connection that breaks: between a port and its server stands a relay, a process of its own, that lets so many bytes through in one
** direction and then closes both sides, or one, or waits.
*/
#ifndef SVC_TEST_RELAY_H
#define SVC_TEST_RELAY_H

#include "support.h"

#include <sys/types.h>

enum { RELAY_CLOSE, RELAY_HALF, RELAY_WAIT, RELAY_WAYS };

/* What both processes see. */
typedef struct relay_control {
  atomic_long left[2]; /* to the server, to the client: bytes that pass before it happens; less than 0: nothing does */
  atomic_int way;
  atomic_long done; /* so often it happened */
} relay_control;

typedef struct relay {
  char folder[128], to[256]; /* of its own socket; the server's socket */
  relay_control *control;
  pid_t child;
} relay;

void relay_start(relay *r, const char *server, const char *name); /* the folder of the server's socket; what both sockets are called */
void relay_stop(relay *r);
void relay_arm(relay *r, int direction, int way, long bytes); /* once, after so many more */
bool relay_disarm(relay *r); /* nothing happens any more; whether it has since then */

#endif
