/*
** The HTTP/1.1 reader of the listener: bytes in, a request out. It knows no socket, no clock, no thread and no mongoose,
** so that every rule it keeps can be tested byte by byte. Private to the listener; names start with svc_http_ because
** it is compiled apart, beside code that we do not know.
**
** A caller keeps the bytes of one request together in memory and calls, in this order:
**     svc_http_scan_head()  again with every byte that arrives, until the head is whole
**     svc_http_parse()      once, on that head
**     svc_http_take()       with the bytes behind it, until the body is whole
** What comes of a stream is the same however it was cut into segments: errors are found at a byte, never at a segment.
*/
#ifndef SVC_HTTP_READER_H
#define SVC_HTTP_READER_H

#include "svcapi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define SVC_HTTP_HEADERS 64 /* of a request; more are refused */
#define SVC_HTTP_METHOD 24  /* bytes of a method, with its NUL */

/* What a call comes to. After an error nothing can be said of the bytes that follow: answer it and close. */
enum {
  SVC_HTTP_OK,
  SVC_HTTP_MORE, /* good so far, and not at its end */
  SVC_HTTP_E_LINE,
  SVC_HTTP_E_BYTES,
  SVC_HTTP_E_TARGET_FORM,
  SVC_HTTP_E_HEADER,
  SVC_HTTP_E_TWICE,
  SVC_HTTP_E_HOST,
  SVC_HTTP_E_LENGTH,
  SVC_HTTP_E_FRAMING,
  SVC_HTTP_E_CHUNK,
  SVC_HTTP_E_BODY,
  SVC_HTTP_E_TARGET,
  SVC_HTTP_E_EXPECT,
  SVC_HTTP_E_HEADER_BYTES,
  SVC_HTTP_E_HEADER_COUNT,
  SVC_HTTP_E_CODING,
  SVC_HTTP_E_VERSION,
  SVC_HTTP_E_MEMORY,
  SVC_HTTP_E_COUNT
};

typedef struct svc_http_limits {
  size_t target;       /* bytes of the request target */
  size_t header_bytes; /* names and values of all headers together; also extensions and trailers of a chunked body */
  size_t body;         /* bytes of the body; at most 1 GiB */
} svc_http_limits;

typedef struct svc_http_scan { /* how far the end of a head has been looked for; zero-initialise it for each request */
  size_t at;    /* bytes that have been looked at: of a whole head its length, of a bad one up to what is wrong */
  size_t from;  /* where the part begins that the state is about */
  size_t bytes; /* of header lines so far */
  unsigned headers;
  int state;
} svc_http_scan;

/* The headers that decide where a request ends, and Authorization: none of them may stand twice. */
enum {
  SVC_HTTP_HOST, SVC_HTTP_LENGTH, SVC_HTTP_CODING, SVC_HTTP_EXPECT, SVC_HTTP_AUTHORIZATION, SVC_HTTP_ONCE
};

typedef struct svc_http_head { /* request line and headers; points into the text it was read from */
  char method[SVC_HTTP_METHOD];
  const char *target; /* path and query; of an absolute URL too */
  size_t target_length;
  svc_header headers[SVC_HTTP_HEADERS];
  size_t header_count;
  const svc_header *once[SVC_HTTP_ONCE]; /* NULL: it is not there */
  uint64_t length; /* of the body, unless it is chunked */
  bool old;        /* HTTP/1.0 */
  bool keep;       /* the connection may go on after the answer */
  bool chunked, expect;
  bool is_head, reads; /* HEAD; GET or HEAD */
} svc_http_head;

typedef struct svc_http_body { /* zero-initialise it for each request */
  char *bytes; /* NULL: none so far */
  size_t length, size;
  int state;         /* of the chunked ones: where in its framing the reader stands, */
  unsigned digits;   /* of the size of this chunk, */
  uint64_t left;     /* bytes of this chunk, */
  size_t overhead;   /* bytes of extensions and trailers so far */
} svc_http_body;

/*
** Look on for the end of a head in the n bytes at p: those of before, in the same order, and more. *blank is how many
** at their beginning are empty lines before the request, which a caller drops (so the request is at p + *blank).
** Returns SVC_HTTP_OK: the head is whole, s->at bytes with its empty line; SVC_HTTP_MORE; or an error. Bytes, lengths
** of lines and the number of headers are checked here, so that garbage is not waited for.
*/
int svc_http_scan_head(svc_http_scan *s, const char *p, size_t n, const svc_http_limits *limits, size_t *blank);

/* Read a head that svc_http_scan_head() has found whole. The method, and whether it is HEAD, are set on errors too. */
int svc_http_parse(svc_http_head *h, const char *p, size_t n, const svc_http_limits *limits);

/*
** Take what belongs to the body off the n bytes at p, *taken of them. Returns SVC_HTTP_OK: it is whole; SVC_HTTP_MORE;
** or an error. b->size grows with what has really arrived, not with what was announced.
*/
int svc_http_take(svc_http_body *b, const svc_http_head *h, const char *p, size_t n, const svc_http_limits *limits,
                  size_t *taken);
void svc_http_body_free(svc_http_body *b);
void svc_http_wipe(void *p, size_t n); /* what a request has sent may be a secret: before its memory is given back or used for another */

/* The next element of a comma-separated list, trimmed; false: there is none. */
bool svc_http_element(const char **p, const char *end, const char **element, size_t *n);

/* Is it that word, whatever the case? Inline, as most words are of another length, which is known when this is compiled. */
static inline bool svc_http_is(const char *p, size_t n, const char *word)
{
  return strlen(word) == n && strncasecmp(p, word, n) == 0;
}

#endif /* SVC_HTTP_READER_H */
