/*
** Ids of a replay: the new server creates other ids than the recorded one. A request that names a recorded id is sent with the matching new
** id.
**
** The rule: an id is 24 hex digits, or a UUID, with no letter or digit on either side. The first pair that is stored for an id is final.
*/
#define _GNU_SOURCE
#include "replay.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MOST 200000

int replay_ids_add(replay_ids *m, const char *from, size_t from_length, const char *to, size_t to_length)
{
  replay_pair *more;
  if (from_length == 0 || from_length >= REPLAY_ID || to_length >= REPLAY_ID || replay_ids_find(m, from, from_length)) return 0;
  if (m->count == m->room) {
    size_t room = m->room ? m->room * 2 : 64;
    more = room <= IDS_MOST ? realloc(m->pairs, room * sizeof *more) : NULL;
    if (!more) return -1;
    m->pairs = more;
    m->room = room;
  }
  memset(&m->pairs[m->count], 0, sizeof m->pairs[0]);
  memcpy(m->pairs[m->count].from, from, from_length);
  memcpy(m->pairs[m->count++].to, to, to_length);
  return 0;
}

const char *replay_ids_find(const replay_ids *m, const char *from, size_t n)
{
  size_t i;
  for (i = 0; i < m->count; i++)
    if (strlen(m->pairs[i].from) == n && memcmp(m->pairs[i].from, from, n) == 0) return m->pairs[i].to;
  return NULL;
}

static int ids_is_hex(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static size_t ids_hex(const char *p, size_t n)
{
  size_t i = 0;
  while (i < n && ids_is_hex(p[i])) i++;
  return i;
}

static int ids_is_uuid(const char *p, size_t n)
{
  static const size_t groups[] = { 8, 4, 4, 4, 12 };
  size_t i, at = 0;
  if (n < 36) return 0;
  for (i = 0; i < 5; i++) {
    if (ids_hex(p + at, groups[i]) != groups[i]) return 0;
    at += groups[i];
    if (i < 4 && p[at++] != '-') return 0;
  }
  return 1;
}

size_t replay_id_at(const char *text, size_t n, size_t at)
{
  const size_t left = n - at;
  size_t length = ids_is_uuid(text + at, left) ? 36 : ids_hex(text + at, left) == 24 ? 24 : 0;
  if (!length || (at && isalnum((unsigned char)text[at - 1]))) return 0;
  return length < left && isalnum((unsigned char)text[at + length]) ? 0 : length;
}

char *replay_ids_rewrite(const replay_ids *m, const char *text, size_t n, size_t *length)
{
  char *out = malloc(n * 2 + REPLAY_ID); /* the new id has at most twice the length: 36 for 24 */
  size_t at = 0, to = 0;
  while (out && at < n) {
    const size_t id = replay_id_at(text, n, at);
    const char *other = id ? replay_ids_find(m, text + at, id) : NULL;
    if (other && strlen(other) <= 2 * id) {
      memcpy(out + to, other, strlen(other));
      to += strlen(other);
      at += id;
    } else {
      out[to++] = text[at++];
    }
  }
  if (!out) return NULL;
  out[to] = '\0';
  *length = to;
  return out;
}

void replay_ids_learn(replay_ids *m, const char *was, size_t was_length, const char *is, size_t is_length)
{
  size_t at = 0, id;
  if (was_length != is_length) return;
  while (at < was_length) { /* first check that the texts are equal except for ids */
    id = replay_id_at(was, was_length, at);
    if (id && replay_id_at(is, is_length, at) == id) at += id;
    else if (was[at] == is[at]) at++;
    else return;
  }
  for (at = 0; at < was_length; at += id ? id : 1) {
    id = replay_id_at(was, was_length, at);
    if (id && memcmp(was + at, is + at, id) != 0) (void)replay_ids_add(m, was + at, id, is + at, id);
  }
}
