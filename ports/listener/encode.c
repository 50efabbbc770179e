/*
** Content codings (RFC 9110, 8.4): a long answer is sent as gzip to a client that accepts it.
**
** Most of an answer is words that occur in it many times. The rules: an answer with a secret (Cache-Control: no-store) is
** never compressed, because its length would reveal something to an attacker who controls a part of the answer. Caches learn from Vary that
** the answer depends on the client, and both forms have different ETags, both strong: the text behind the hyphen of a tag states the
** form, and If-Match ignores it. A loop is not blocked: an answer of more than ENCODE_MOST is sent uncompressed. The OpenAPI document is longer
** and constant: it is compressed once, and all clients share the result.
*/
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENCODE_LEAST 1024
#define ENCODE_MOST ((size_t)1 << 20)

static bool encode_has(const char *p, size_t n, const char *word)
{
  return memmem(p, n, word, strlen(word)) != NULL;
}

static const svc_header *encode_header(const svc_header *headers, size_t count, const char *name)
{
  size_t i;
  for (i = 0; i < count; i++)
    if (svc_http_is(headers[i].name, headers[i].name_length ? headers[i].name_length : strlen(headers[i].name), name)) return &headers[i];
  return NULL;
}

static size_t encode_length(const svc_header *h)
{
  return h->value_length ? h->value_length : strlen(h->value);
}

/* The weight of an element, "gzip;q=0.5", in thousandths; its name is *n bytes long. -1: invalid. */
static int encode_weight(const char *p, size_t *n)
{
  const char *end = p + *n, *q = memchr(p, ';', *n);
  int weight = 0, digit = 1000;
  if (!q) return 1000;
  *n = (size_t)(q - p);
  while (*n && (p[*n - 1] == ' ' || p[*n - 1] == '\t')) --*n;
  for (q++; q < end && (*q == ' ' || *q == '\t');) q++;
  if (end - q < 3 || end - q > 7 || (*q != 'q' && *q != 'Q') || q[1] != '=' || (q[2] != '0' && q[2] != '1')) return -1;
  weight = (q[2] - '0') * 1000;
  for (q += 3; q < end; q++, digit /= 10) {
    if (digit == 1000 ? *q != '.' : *q < '0' || *q > '9') return -1;
    if (digit < 1000) weight += (*q - '0') * digit;
  }
  return weight <= 1000 ? weight : -1;
}

/* Whether the client prefers gzip at least as much as identity. */
static bool encode_accepted(const svc_http_head *h)
{
  int gzip = -1, any = -1, plain = 0;
  size_t i, n;
  for (i = 0; i < h->header_count; i++) {
    const svc_header *header = &h->headers[i];
    const char *p = header->value, *end = p + header->value_length, *element;
    if (!svc_http_is(header->name, header->name_length, "accept-encoding")) continue;
    while (svc_http_element(&p, end, &element, &n)) {
      int weight = encode_weight(element, &n);
      if (svc_http_is(element, n, "gzip") || svc_http_is(element, n, "x-gzip")) gzip = weight;
      else if (svc_http_is(element, n, "identity")) plain = weight;
      else if (svc_http_is(element, n, "*")) any = weight;
    }
  }
  if (gzip < 0) gzip = any;
  return gzip > 0 && gzip >= plain;
}

/* Whether the answer may be compressed at all. */
static bool encode_suits(const svc_response *r, size_t length, bool constant)
{
  const svc_header *type, *cache;
  if (r->status != 200 || length <= ENCODE_LEAST || (length > ENCODE_MOST && !constant)) return false;
  type = encode_header(r->headers, r->header_count, "content-type");
  cache = encode_header(r->headers, r->header_count, "cache-control");
  if (!type) return false;
  if (cache && encode_has(cache->value, encode_length(cache), "no-store")) return false;
  if (encode_header(r->headers, r->header_count, "content-encoding")) return false;
  return encode_has(type->value, encode_length(type), "json") || encode_has(type->value, encode_length(type), "text/") ||
         encode_has(type->value, encode_length(type), "xml") || encode_has(type->value, encode_length(type), "csv");
}

/* "5f" becomes "5f-g", and "5f-p" becomes "5f-pg". False: not one of our tags. */
static bool encode_tag(const svc_header *etag, char tag[LISTENER_TAG])
{
  size_t n = encode_length(etag);
  if (n < 3 || n > LISTENER_TAG - 3 || etag->value[0] != '"' || etag->value[n - 1] != '"') return false;
  memcpy(tag, etag->value, n - 1);
  strcpy(tag + n - 1, memchr(etag->value, '-', n) ? "g\"" : "-g\"");
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ the document */

#define ENCODE_DOCUMENT "getOpenApi" /* its operation */
#define ENCODE_DOCUMENT_MOST ((size_t)16 << 20)

typedef struct encode_packed {
  size_t n;
  char bytes[];
} encode_packed;

struct listener_document {
  svc_response response;
  encode_packed *_Atomic packed; /* NULL: not needed yet */
};

static void encode_document_free(listener_document *d)
{
  if (!d) return;
  svc_response_free(&d->response);
  free(atomic_load(&d->packed));
  free(d);
}

/* The document as svc_openapi() gives it: while the listener holds this response, no other body has its address. */
static listener_document *encode_document_open(svc_listener *l)
{
  listener_document *d = atomic_load(&l->document), *none = NULL;
  if (d) return d;
  d = calloc(1, sizeof *d);
  if (!d) return NULL;
  if (svc_openapi(l->s, &d->response) == SVC_OK && atomic_compare_exchange_strong(&l->document, &none, d)) return d;
  encode_document_free(d);
  return none; /* another loop was faster, or it failed */
}

static bool encode_is_document(const svc_response *r)
{
  return r->status == 200 && r->operation && strcmp(r->operation, ENCODE_DOCUMENT) == 0;
}

const listener_document *svc_listener_document_of(svc_listener *l, const svc_response *r)
{
  const listener_document *d;
  if (!encode_is_document(r)) return NULL;
  d = encode_document_open(l);
  return d && d->response.body == r->body && d->response.body_length == r->body_length ? d : NULL;
}

void svc_listener_document_close(svc_listener *l)
{
  encode_document_free(atomic_load(&l->document));
}

const void *svc_listener_document_packed(const svc_listener *l)
{
  const listener_document *d = atomic_load(&l->document);
  return d ? atomic_load(&d->packed) : NULL;
}

/* Compresses the document, once. NULL: out of memory, or too long. */
static const encode_packed *encode_document_packed(listener_document *d)
{
  encode_packed *packed = atomic_load(&d->packed), *none = NULL, *less;
  size_t size = d->response.body_length - d->response.body_length / 8;
  if (packed || size > ENCODE_DOCUMENT_MOST) return packed;
  packed = malloc(sizeof *packed + size);
  if (!packed) return NULL;
  packed->n = svc_listener_gzip(d->response.body, d->response.body_length, packed->bytes, size);
  less = packed->n ? realloc(packed, sizeof *packed + packed->n) : NULL;
  if (less) packed = less;
  if (packed->n && atomic_compare_exchange_strong(&d->packed, &none, packed)) return packed;
  free(packed);
  return none;
}

static int encode_document(listener_conn *conn)
{
  const encode_packed *packed = encode_document_packed(atomic_load(&conn->loop->listener->document));
  if (!packed) return LISTENER_VARIES;
  conn->packed_document = packed->bytes;
  conn->body_length = packed->n;
  return LISTENER_GZIP;
}

/* The length of the body that a GET would have: the answer to HEAD has none. */
static size_t encode_head_length(const svc_response *r)
{
  const svc_header *length = encode_header(r->headers, r->header_count, "content-length");
  char text[24];
  if (!length || r->body_length) return r->body_length;
  snprintf(text, sizeof text, "%.*s", (int)encode_length(length), length->value);
  return (size_t)strtoull(text, NULL, 10);
}

int svc_listener_encode(listener_conn *conn, const svc_http_head *h, char tag[LISTENER_TAG])
{
  svc_response *r = &conn->response;
  const svc_header *etag, *known;
  size_t n, size = r->body_length - r->body_length / 8; /* must save at least an eighth */
  tag[0] = '\0';
  if (conn->loop->listener->config.no_gzip) return LISTENER_PLAIN;
  if (r->status == 304) return LISTENER_VARIES;
  if (h->is_head) return encode_suits(r, encode_head_length(r), encode_is_document(r)) ? LISTENER_VARIES : LISTENER_PLAIN;
  if (!encode_suits(r, r->body_length, conn->document)) return LISTENER_PLAIN;
  if (!encode_accepted(h)) return LISTENER_VARIES;
  etag = encode_header(r->headers, r->header_count, "etag");
  known = encode_header(h->headers, h->header_count, "if-none-match");
  if (etag && !encode_tag(etag, tag)) return LISTENER_VARIES;
  if (tag[0] && known && h->reads && encode_has(known->value, known->value_length, tag)) {
    r->status = 304;
    return LISTENER_GZIP;
  }
  if (conn->document) return encode_document(conn);
  conn->packed = malloc(size);
  n = conn->packed ? svc_listener_gzip(r->body, r->body_length, conn->packed, size) : 0;
  if (n == 0) {
    free(conn->packed);
    conn->packed = NULL;
    return LISTENER_VARIES;
  }
  conn->body_length = n;
  return LISTENER_GZIP;
}
