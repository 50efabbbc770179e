/*
** Random bytes that are the same on every run, for tests: splitmix64, whose state is a number, so that a snapshot can contain it.
**
** The rule: not a secure random source. Anyone with the seed knows every secret that is made with it.
*/
#include "control/control.h"

SVC_PRIVATE uint64_t svc_seed_next(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

SVC_PRIVATE int svc_seeded_random(void *control, void *buffer, size_t size)
{
  svc_control *k = control;
  unsigned char *to = buffer, word[8];
  svc_mutex_lock(&k->lock);
  while (size) {
    size_t n = size < sizeof word ? size : sizeof word;
    svc_store64(word, svc_seed_next(&k->random));
    memcpy(to, word, n);
    to += n;
    size -= n;
  }
  svc_mutex_unlock(&k->lock);
  return 0;
}
