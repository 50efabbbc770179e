/*
** Texts with holes: a peer answers with the library's own texts, and fills in the parts that differ between entities.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

char *bench_text_copy(const char *p, size_t n)
{
  char *copy = malloc(n + 1);
  if (!copy) bench_die("no memory");
  memcpy(copy, p, n);
  copy[n] = 0;
  return copy;
}

/* The pieces live as long as the process. */
void bench_cut(peer_text *out, const char *p, size_t n)
{
  const char *end;
  p = bench_text_copy(p, n);
  for (out->count = 0, end = p + n; p < end; out->count++) {
    const char *q = p;
    while (q < end && !((*q > 0 && *q <= PEER_CREATED) || *q == PEER_TAGS || *q == PEER_CLUSTERS)) q++;
    if (out->count == PEER_PIECES) bench_die("a text of the peer has too many holes");
    out->pieces[out->count].text = (bench_text){ (char *)(uintptr_t)p, (size_t)(q - p) };
    out->pieces[out->count].hole = q < end ? *q : 0;
    p = q + 1;
  }
}

char *bench_write(char *to, const peer_text *t, const peer_holes holes)
{
  int i;
  for (i = 0; i < t->count; i++) {
    const bench_text *hole = &holes[t->pieces[i].hole];
    memcpy(to, t->pieces[i].text.p, t->pieces[i].text.n);
    to += t->pieces[i].text.n;
    if (!t->pieces[i].hole) continue;
    memcpy(to, hole->p, hole->n);
    to += hole->n;
  }
  return to;
}

bench_text bench_number(char room[24], unsigned long long x)
{
  char *p = room + 24;
  do *--p = (char)('0' + x % 10);
  while (x /= 10);
  return (bench_text){ p, (size_t)(room + 24 - p) };
}

void bench_id_hex(const unsigned char *id, char *out)
{
  static const char hex[] = "0123456789abcdef";
  int i;
  for (i = 0; i < 12; i++) {
    out[2 * i] = hex[id[i] >> 4];
    out[2 * i + 1] = hex[id[i] & 15];
  }
}

bool bench_hex_id(const char *text, unsigned char id[12])
{
  int i, k;
  for (i = 0; i < 12; i++) {
    id[i] = 0;
    for (k = 0; k < 2; k++) {
      char c = text[2 * i + k];
      if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
      id[i] = (unsigned char)(id[i] << 4 | (c <= '9' ? c - '0' : c - 'a' + 10));
    }
  }
  return true;
}

void bench_hole(char *text, const char *what, char hole)
{
  size_t n = strlen(what);
  char *p = text;
  while (n && (p = strstr(p, what)) != NULL) {
    *p = hole;
    memmove(p + 1, p + n, strlen(p + n) + 1);
  }
}

void bench_hole_id(char *head, const svc_response *r)
{
  const char *id = strstr(r->body, "\"id\":\"");
  char text[25];
  if (!strstr(head, "Location: ") || !id) return;
  snprintf(text, sizeof text, "%.24s", id + 6);
  bench_hole(head, text, PEER_ID);
}

void bench_hole_between(char *text, const char *before, const char *after, char hole)
{
  char *p = strstr(text, before), *end = p ? strstr(p + strlen(before), after) : NULL;
  if (!end) bench_die("an answer is not what the peer's store is made of");
  p += strlen(before);
  *p = hole;
  memmove(p + 1, end, strlen(end) + 1);
}

const char *bench_next_item(const char **p, size_t *n)
{
  const char *start, *q;
  int depth = 0;
  bool text = false;
  if (**p == ',') ++*p;
  if (**p != '{') return NULL;
  start = q = *p;
  do {
    if (*q == '\\' && text) q++;
    else if (*q == '"') text = !text;
    else if (!text && (*q == '{' || *q == '[')) depth++;
    else if (!text && (*q == '}' || *q == ']')) depth--;
    q++;
  } while (depth);
  *p = q;
  *n = (size_t)(q - start);
  return start;
}
