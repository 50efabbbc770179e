/*
** Bytes on a connection: however they are split into segments, they give the same requests, or the same error at the same byte.
** The first byte of an input selects the way of splitting.
*/
#include "fuzz.h"

#include "ports/http_reader.h"

#define FUZZ_LOG 65536

/* The result of a stream: a line for each request, and the reason for its end. */
typedef struct fuzz_outcome {
  char text[FUZZ_LOG];
  size_t n;
} fuzz_outcome;

static void fuzz_note(fuzz_outcome *o, const void *p, size_t n)
{
  if (n > sizeof o->text - o->n) n = sizeof o->text - o->n;
  if (n) memcpy(o->text + o->n, p, n);
  o->n += n;
}

static void fuzz_number(fuzz_outcome *o, const char *what, size_t value)
{
  char text[64];
  fuzz_note(o, text, (size_t)snprintf(text, sizeof text, "%s %zu\n", what, value));
}

static void fuzz_request(fuzz_outcome *o, const svc_http_head *h, const svc_http_body *b)
{
  size_t i;
  fuzz_note(o, h->method, strlen(h->method));
  fuzz_note(o, h->target, h->target_length);
  for (i = 0; i < h->header_count; i++) {
    fuzz_note(o, h->headers[i].name, h->headers[i].name_length);
    fuzz_note(o, h->headers[i].value, h->headers[i].value_length);
  }
  fuzz_number(o, h->keep ? "keep" : "close", b->length);
  fuzz_note(o, b->bytes, b->length);
}

/* Delivers one more segment: everything, one byte, or some. */
static size_t fuzz_arrive(size_t arrived, size_t size, unsigned cut, unsigned *random)
{
  size_t more = cut == 0 ? size : 1;
  *random = *random * 1664525u + 1013904223u;
  if (cut > 1) more += (*random >> 16) % 40;
  return more < size - arrived ? arrived + more : size;
}

/* Reads the stream as a connection does: data[0 .. arrived) has arrived so far. */
static void fuzz_read(const char *data, size_t size, unsigned cut, fuzz_outcome *o)
{
  static const svc_http_limits limits = { 256, 1024, 4096 };
  size_t at = 0, arrived = 0;
  unsigned random = cut;
  o->n = 0;
  for (;;) {
    svc_http_scan scan;
    svc_http_head head;
    svc_http_body body;
    size_t blank, taken, start;
    int rc;
    memset(&scan, 0, sizeof scan);
    memset(&body, 0, sizeof body);
    do {
      char *part = malloc(arrived - at + 1); /* in a block of its own, so that a sanitizer detects reads past the end */
      if (!part) fuzz_die("no memory");
      memcpy(part, data + at, arrived - at);
      rc = svc_http_scan_head(&scan, part, arrived - at, &limits, &blank);
      free(part);
      at += blank;
      if (rc != SVC_HTTP_MORE) break;
      if (arrived == size) {
        fuzz_number(o, "unfinished head", scan.at);
        return;
      }
      arrived = fuzz_arrive(arrived, size, cut, &random);
    } while (true);
    if (rc == SVC_HTTP_OK) rc = svc_http_parse(&head, data + at, scan.at, &limits);
    if (rc != SVC_HTTP_OK) {
      fuzz_number(o, "bad head", (size_t)rc);
      fuzz_number(o, "at", scan.at);
      return;
    }
    start = at;
    at += scan.at;
    for (;;) {
      rc = svc_http_take(&body, &head, data + at, arrived - at, &limits, &taken);
      at += taken;
      if (rc != SVC_HTTP_MORE || arrived == size) break;
      arrived = fuzz_arrive(arrived, size, cut, &random);
    }
    if (rc == SVC_HTTP_OK) fuzz_request(o, &head, &body);
    if (body.length > limits.body || at > arrived || at < start) fuzz_die("out of its bounds");
    svc_http_body_free(&body);
    if (rc != SVC_HTTP_OK) {
      fuzz_number(o, "bad body", (size_t)rc);
      fuzz_number(o, "at", at);
      return;
    }
    if (!head.keep) {
      fuzz_number(o, "closed", at);
      return;
    }
  }
}

int svc_fuzz_http(const uint8_t *data, size_t size)
{
  static fuzz_outcome whole, bytes, parts;
  if (size == 0) return 0;
  fuzz_read((const char *)data + 1, size - 1, 0, &whole);
  fuzz_read((const char *)data + 1, size - 1, 1, &bytes);
  fuzz_read((const char *)data + 1, size - 1, 2u + data[0], &parts);
  if (whole.n != bytes.n || memcmp(whole.text, bytes.text, whole.n) != 0) fuzz_die("byte by byte it is something else");
  if (whole.n != parts.n || memcmp(whole.text, parts.text, whole.n) != 0) fuzz_die("in parts it is something else");
  return 0;
}
