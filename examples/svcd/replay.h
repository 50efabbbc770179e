/*
** The parts of the verb replay, which sends recorded requests to another server and compares the answers:
**
**      replay.c          the verb: reads the archive, signs in, sends, counts
**      replay_ids.c      pairs of ids: an id of the recorded server, and the matching id of the new one
**      replay_compare.c  compares two answers, value by value
**
** The rule: no secret of the archive's server or of the new one is printed.
*/
#ifndef SVCD_REPLAY_H
#define SVCD_REPLAY_H

#include "svcd.h"
#include "http_client.h"

#define REPLAY_FIELD 512 /* bytes of a field's path that are shown */
#define REPLAY_ID 96     /* most bytes of an id or an ETag, including the NUL */

typedef struct replay_pair {
  char from[REPLAY_ID], to[REPLAY_ID];
} replay_pair;

typedef struct replay_ids {
  replay_pair *pairs;
  size_t count, room;
} replay_ids;

typedef struct replay {
  const svcd_options *o;
  http_target target;
  char id[256], secret[256], org[32], group[32]; /* of the credentials */
  char *bearer; /* "Authorization: Bearer ...\r\n"; NULL: not signed in yet */
  replay_ids ids;
  size_t number;            /* number of the request, from 1 */
  const char *method, *path; /* method and path of the recorded request */
  size_t sent, same, skipped, differences;
} replay;

/* replay_ids.c. Adds a pair, unless there is one with this `from`. Returns 0, or -1 if out of memory or if there are too many pairs. */
int replay_ids_add(replay_ids *m, const char *from, size_t from_length, const char *to, size_t to_length);
const char *replay_ids_find(const replay_ids *m, const char *from, size_t n); /* returns `to` of the pair; NULL: unknown */
size_t replay_id_at(const char *text, size_t n, size_t at); /* returns the length of the id at `at`; 0: no id */
/* Returns the text with all known ids replaced. The caller frees it. NULL: out of memory. */
char *replay_ids_rewrite(const replay_ids *m, const char *text, size_t n, size_t *length);
/* Adds the pairs of ids of two texts, if the texts are equal except for their ids. */
void replay_ids_learn(replay_ids *m, const char *was, size_t was_length, const char *is, size_t is_length);

/* replay_compare.c: reports each difference by replay_differs(). */
void replay_compare(replay *r, exec_text was, exec_text is);
/* Returns true if the name of a field indicates a secret, such as "clientSecret". */
int replay_is_secret(const char *name, size_t n);

/* replay.c. Prints a difference. what: "status", "missing", "new" or "value"; was, is: JSON, or p NULL. */
void replay_differs(replay *r, const char *what, const char *field, exec_text was, exec_text is);

#endif /* SVCD_REPLAY_H */
