/*
** Finds the known word that a misspelt one was meant to be, for errors that say "did you mean".
**
** The distance between two words is the number of letters to insert, drop or replace, ignoring case. The rule: a word
** is suggested only if its distance is at most one letter in four plus one. The work is bounded, because words come from requests.
*/
#include "base/base.h"

#define NEAR_LONGEST 40 /* longest word that is compared */

static int near_lower(char c)
{
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Returns the distance if it is at most `most`, else most + 1. */
static size_t near_distance(svc_str a, svc_str b, size_t most)
{
  size_t row[NEAR_LONGEST + 1], i, j;
  if (a.n > b.n + most || b.n > a.n + most) return most + 1;
  for (j = 0; j <= b.n; j++) row[j] = j;
  for (i = 1; i <= a.n; i++) {
    size_t left_above = row[0];
    row[0] = i;
    for (j = 1; j <= b.n; j++) {
      size_t above = row[j], replace = left_above + (near_lower(a.p[i - 1]) != near_lower(b.p[j - 1]));
      size_t least = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
      row[j] = least < replace ? least : replace;
      left_above = above;
    }
  }
  return row[b.n] > most ? most + 1 : row[b.n];
}

SVC_PRIVATE svc_near svc_near_begin(svc_str word)
{
  return (svc_near){ word, NULL, word.n > NEAR_LONGEST ? 0 : 2 + word.n / 4 };
}

SVC_PRIVATE void svc_near_try(svc_near *guess, const char *known)
{
  svc_str word = svc_str_c(known);
  size_t distance;
  if (guess->limit == 0 || word.n > NEAR_LONGEST) return;
  distance = near_distance(guess->word, word, guess->limit - 1);
  if (distance >= guess->limit || distance >= word.n) return;
  guess->best = known;
  guess->limit = distance; /* the next candidate must be nearer */
}
