/*
** The HTTP/1.1 reader of the listener: bytes in, a request out. The reader knows no socket, no clock, no thread and no mongoose,
** so that every rule can be tested byte by byte. Private to the listener; names start with svc_http_ because
** it is compiled separately and linked with unknown code.
**
** A caller keeps the bytes of one request together in memory and calls, in this order:
**     svc_http_scan_head()  again with every byte that arrives, until the head is complete
**     svc_http_parse()      once, on that head
**     svc_http_take()       with the bytes behind it, until the body is complete
** The result is the same however a stream was cut into segments: errors are found at a byte, never at a segment.
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

/* The result of a call. After an error the following bytes are meaningless: answer it and close. */
enum {
  SVC_HTTP_OK,
  SVC_HTTP_MORE, /* valid so far, but not complete */
  SVC_HTTP_E_LINE,         /* the request line is malformed */
  SVC_HTTP_E_BYTES,        /* a byte that HTTP does not allow there */
  SVC_HTTP_E_TARGET_FORM,  /* the target is neither a path nor an http URL */
  SVC_HTTP_E_HEADER,       /* a header line is malformed */
  SVC_HTTP_E_TWICE,        /* a header of svc_http_head.once is repeated */
  SVC_HTTP_E_HOST,         /* Host is missing or malformed */
  SVC_HTTP_E_LENGTH,       /* Content-Length is not a number that can be used */
  SVC_HTTP_E_FRAMING,      /* Transfer-Encoding together with Content-Length, or in HTTP/1.0 */
  SVC_HTTP_E_CHUNK,        /* the chunked body is malformed */
  SVC_HTTP_E_BODY,         /* longer than svc_http_limits.body */
  SVC_HTTP_E_TARGET,       /* longer than svc_http_limits.target */
  SVC_HTTP_E_EXPECT,       /* Expect is not 100-continue */
  SVC_HTTP_E_HEADER_BYTES, /* more than svc_http_limits.header_bytes */
  SVC_HTTP_E_HEADER_COUNT, /* more than SVC_HTTP_HEADERS */
  SVC_HTTP_E_CODING,       /* Transfer-Encoding is not chunked */
  SVC_HTTP_E_VERSION,      /* neither HTTP/1.0 nor 1.1 */
  SVC_HTTP_E_MEMORY,       /* out of memory */
  SVC_HTTP_E_COUNT
};

typedef struct svc_http_limits {
  size_t target;       /* bytes of the request target */
  size_t header_bytes; /* names and values of all headers together; also extensions and trailers of a chunked body */
  size_t body;         /* bytes of the body; at most 1 GiB */
} svc_http_limits;

typedef struct svc_http_scan { /* progress of the search for the end of a head; zero it for each request */
  size_t at;    /* bytes scanned: the length of a complete head, or the position of the error */
  size_t from;  /* start of the part that the state refers to */
  size_t bytes; /* of header lines so far */
  unsigned headers;
  int state;
} svc_http_scan;

/* The headers that determine the end of a request, and Authorization: none of them may be repeated. */
enum {
  SVC_HTTP_HOST, SVC_HTTP_LENGTH, SVC_HTTP_CODING, SVC_HTTP_EXPECT, SVC_HTTP_AUTHORIZATION, SVC_HTTP_ONCE
};

typedef struct svc_http_head { /* request line and headers; points into the text it was read from */
  char method[SVC_HTTP_METHOD];
  const char *target; /* path and query, also of an absolute URL */
  size_t target_length;
  svc_header headers[SVC_HTTP_HEADERS];
  size_t header_count;
  const svc_header *once[SVC_HTTP_ONCE]; /* NULL: missing */
  uint64_t length; /* of the body, unless it is chunked */
  bool old;        /* HTTP/1.0 */
  bool keep;       /* the connection may continue after the answer */
  bool chunked, expect;
  bool is_head, reads; /* HEAD; GET or HEAD */
} svc_http_head;

typedef struct svc_http_body { /* zero it for each request */
  char *bytes; /* NULL: none so far */
  size_t length, size;
  int state;         /* of a chunked body: the state of its framing, */
  unsigned digits;   /* digits of the size of this chunk, */
  uint64_t left;     /* bytes left of this chunk, */
  size_t overhead;   /* bytes of extensions and trailers so far */
} svc_http_body;

/*
** Continues the search for the end of a head in the n bytes at p: those of the previous call, in the same order, and more. *blank is the
** number of leading bytes that are empty lines before the request, which a caller drops (so the request is at p + *blank). Returns
** SVC_HTTP_OK: the head is complete, s->at bytes with its empty line; SVC_HTTP_MORE; or an error. Bytes, lengths of lines and the number of
** headers are checked here, so that garbage is refused at once.
*/
int svc_http_scan_head(svc_http_scan *s, const char *p, size_t n, const svc_http_limits *limits, size_t *blank);

/* Reads a complete head. The method, and whether it is HEAD, are set on errors, too. */
int svc_http_parse(svc_http_head *h, const char *p, size_t n, const svc_http_limits *limits);

/*
** Takes the bytes of the body off the n bytes at p, *taken of them. Returns SVC_HTTP_OK: complete; SVC_HTTP_MORE; or an error. b->size
** grows with the bytes that arrive, not with the announced length.
*/
int svc_http_take(svc_http_body *b, const svc_http_head *h, const char *p, size_t n, const svc_http_limits *limits,
                  size_t *taken);
void svc_http_body_free(svc_http_body *b);
void svc_http_wipe(void *p, size_t n); /* a request may contain a secret: call before its memory is freed or reused */

/* The next element of a comma-separated list, trimmed; false: no more. */
bool svc_http_element(const char **p, const char *end, const char **element, size_t *n);

/* Whether the n bytes at p are this word, ignoring case. Inline, because most texts have another length than the word, whose length the
** compiler knows. */
static inline bool svc_http_is(const char *p, size_t n, const char *word)
{
  return strlen(word) == n && strncasecmp(p, word, n) == 0;
}

#endif /* SVC_HTTP_READER_H */
