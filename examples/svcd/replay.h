/*
** The parts of the verb replay, which sends recorded requests to another server and compares the answers:
**
**      replay.c          the verb: reads the archive, signs in, sends, counts
**      replay_ids.c      ids that the recorded server made, and those that stand for them
**      replay_compare.c  two answers, value by value
**
** The rule they keep: no secret of the archive's server or of the new one is printed.
*/
#ifndef SVCD_REPLAY_H
#define SVCD_REPLAY_H

#include "svcd.h"
#include "http_client.h"

#define REPLAY_FIELD 512 /* bytes of a field's path that are shown */
#define REPLAY_ID 96     /* bytes of an id or an ETag */

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
  size_t number;            /* of the request, from 1 */
  const char *method, *path; /* of the request as it was recorded */
  size_t sent, same, skipped, differences;
} replay;

/* replay_ids.c. Add a pair; one whose `from` is known stays as it is. 0, or -1: no memory. */
int replay_ids_add(replay_ids *m, const char *from, size_t from_length, const char *to, size_t to_length);
const char *replay_ids_find(const replay_ids *m, const char *from, size_t n); /* NULL: it is not known */
size_t replay_id_at(const char *text, size_t n, size_t at); /* how long the id is that stands there; 0: none does */
/* Text with all known ids replaced, to be freed; NULL: no memory. */
char *replay_ids_rewrite(const replay_ids *m, const char *text, size_t n, size_t *length);
/* Two texts that are the same but for their ids: note which stands for which. */
void replay_ids_learn(replay_ids *m, const char *was, size_t was_length, const char *is, size_t is_length);

/* replay_compare.c: reports each difference by replay_differs(). */
void replay_compare(replay *r, exec_text was, exec_text is);
/* Does a name speak of a secret? */
int replay_is_secret(const char *name, size_t n);

/* replay.c. what: "status", "missing", "new", "count" or "value"; was, is: JSON, or p NULL. */
void replay_differs(replay *r, const char *what, const char *field, exec_text was, exec_text is);

#endif /* SVCD_REPLAY_H */
