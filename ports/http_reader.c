/*
** The HTTP/1.1 reader of the listener; http_reader.h says how to use it.
**
** The rule: a request is accepted only if its end is certain to every reader of it, this one and any proxy
** in front. So there is one way to write each thing. Lines end in CR LF, and neither byte stands anywhere else; a header
** is a name, a colon at once, a value, on one line; a length is digits, once; a body has a length or is chunked, never
** both; chunk sizes are hex digits, trailers are headers. Messages that RFC 9112 lets a server repair are refused.
**
** A head is read in two passes: svc_http_scan_head() reads every byte once, in order, and svc_http_parse() the
** whole. A body is read by a machine that takes one byte at a time, except for runs of data. So no result depends on
** where a segment ended.
*/
#define _DEFAULT_SOURCE /* explicit_bzero */
#include "http_reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------------------ bytes */

enum { HTTP_TOKEN = 1, HTTP_TEXT = 2, HTTP_VISIBLE = 4 }; /* of names; of values; of a target */

#define O 0
#define T HTTP_TEXT
#define V (HTTP_TEXT | HTTP_VISIBLE)
#define N (HTTP_TEXT | HTTP_VISIBLE | HTTP_TOKEN)
static const unsigned char http_class[256] = {
  O, O, O, O, O, O, O, O, O, T, O, O, O, O, O, O, /* TAB alone */
  O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
  T, N, V, N, N, N, N, N, V, V, N, N, V, N, N, V, /*   ! " # $ % & ' ( ) * + , - . / */
  N, N, N, N, N, N, N, N, N, N, V, V, V, V, V, V, /* 0 1 2 3 4 5 6 7 8 9 : ; < = > ? */
  V, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, /* @ A B C D E F G H I J K L M N O */
  N, N, N, N, N, N, N, N, N, N, N, V, V, V, N, N, /* P Q R S T U V W X Y Z [ \ ] ^ _ */
  N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, /* ` a b c d e f g h i j k l m n o */
  N, N, N, N, N, N, N, N, N, N, N, V, N, V, N, O, /* p q r s t u v w x y z { | } ~   */
  T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T,
  T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T,
  T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T,
  T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T,
};
#undef O
#undef T
#undef V
#undef N

static bool http_is_a(char c, unsigned classes)
{
  return (http_class[(unsigned char)c] & classes) != 0;
}

/* Returns how many leading bytes, a multiple of eight, are from `least` to '~', as nearly all bytes of a head are. Eight bytes are tested
** at once by their highest bits: the subtraction sets that of a lesser byte, the addition that of '~' + 1, and bytes beyond ASCII have it
** set. http_run() checks the rest byte by byte. */
static size_t http_plain(const char *p, size_t n, unsigned char least)
{
  const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
  size_t at = 0;
  while (n - at >= 8) {
    uint64_t v;
    memcpy(&v, p + at, sizeof v);
    if ((v | (v - ones * least) | (v + ones)) & high) break;
    at += 8;
  }
  return at;
}

/* Returns the end of the run of bytes of these classes that begins at `at`. */
static size_t http_run(const char *p, size_t at, size_t n, unsigned classes)
{
  if (classes != HTTP_TOKEN && at < n) at += http_plain(p + at, n - at, classes == HTTP_TEXT ? ' ' : '!');
  while (at < n && http_is_a(p[at], classes)) at++;
  return at;
}

bool svc_http_element(const char **p, const char *end, const char **element, size_t *n)
{
  const char *comma;
  if (*p >= end) return false;
  comma = memchr(*p, ',', (size_t)(end - *p));
  *element = *p;
  *p = comma ? comma + 1 : end;
  if (!comma) comma = end;
  while (*element < comma && (**element == ' ' || **element == '\t')) ++*element;
  while (comma > *element && (comma[-1] == ' ' || comma[-1] == '\t')) comma--;
  *n = (size_t)(comma - *element);
  return true;
}

/* ------------------------------------------------------------------------------------------------ the end of a head */

enum {
  HTTP_START, /* of a request: must be 0 */
  HTTP_START_LF,
  HTTP_METHOD,
  HTTP_TARGET,
  HTTP_VERSION,
  HTTP_LINE_LF,
  HTTP_LINE, /* the start of a header line, or of the empty line at the end */
  HTTP_NAME,
  HTTP_VALUE,
  HTTP_END_LF
};

/* The byte must be `wanted`. */
static int http_expect(svc_http_scan *s, char c, char wanted, int state)
{
  s->state = state;
  s->from = ++s->at;
  return c == wanted ? SVC_HTTP_MORE : SVC_HTTP_E_BYTES;
}

/* The error for a byte that may not end a run. */
static int http_wrong(char c, int error)
{
  return c == '\r' || http_is_a(c, HTTP_TEXT) ? error : SVC_HTTP_E_BYTES;
}

/* A part of the request line, and the byte behind it. */
static int http_scan_line(svc_http_scan *s, const char *p, size_t n, const svc_http_limits *limits)
{
  size_t most = s->from + (s->state == HTTP_METHOD ? SVC_HTTP_METHOD - 1 : s->state == HTTP_TARGET ? limits->target : 8);
  size_t from = s->from;
  char c;
  s->at = http_run(p, s->at, n <= most ? n : most + 1, s->state == HTTP_METHOD ? HTTP_TOKEN : HTTP_VISIBLE);
  if (s->at > most) return s->state == HTTP_TARGET ? SVC_HTTP_E_TARGET : SVC_HTTP_E_LINE;
  if (s->at == n) return SVC_HTTP_MORE;
  c = p[s->at++];
  s->from = s->at;
  if (s->state == HTTP_VERSION && c == '\r') s->state = HTTP_LINE_LF;
  else if (s->state == HTTP_METHOD && c == ' ' && s->at > from + 1) s->state = HTTP_TARGET;
  else if (s->state == HTTP_TARGET && c == ' ' && s->at > from + 1) s->state = HTTP_VERSION;
  else return http_wrong(c, SVC_HTTP_E_LINE);
  return SVC_HTTP_MORE;
}

/* A name or a value, and the byte behind it. */
static int http_scan_header(svc_http_scan *s, const char *p, size_t n, const svc_http_limits *limits)
{
  /* parsing counts names and values exactly; here the spaces around them count, too */
  size_t most = s->at + (limits->header_bytes + SVC_HTTP_HEADERS * 8 - s->bytes), before = s->at, from = s->from;
  char c;
  s->at = http_run(p, s->at, n <= most ? n : most + 1, s->state == HTTP_NAME ? HTTP_TOKEN : HTTP_TEXT);
  if (s->at > most) return SVC_HTTP_E_HEADER_BYTES;
  s->bytes += s->at - before;
  if (s->at == n) return SVC_HTTP_MORE;
  c = p[s->at++];
  s->from = s->at;
  if (s->state == HTTP_VALUE && c == '\r') s->state = HTTP_LINE_LF;
  else if (s->state == HTTP_NAME && c == ':' && s->at > from + 1) s->state = HTTP_VALUE;
  else return http_wrong(c, SVC_HTTP_E_HEADER);
  return SVC_HTTP_MORE;
}

int svc_http_scan_head(svc_http_scan *s, const char *p, size_t n, const svc_http_limits *limits, size_t *blank)
{
  int rc = SVC_HTTP_MORE;
  bool whole = false;
  *blank = 0;
  while (s->at < n && rc == SVC_HTTP_MORE && !whole) {
    char c = p[s->at];
    switch (s->state) {
    case HTTP_START:
      if (c == '\r') rc = http_expect(s, c, c, HTTP_START_LF);
      else s->state = HTTP_METHOD, s->from = s->at;
      break;
    case HTTP_START_LF: /* an empty line before a request is ignored, as RFC 9112, 2.2 asks */
      rc = http_expect(s, c, '\n', HTTP_START);
      if (rc == SVC_HTTP_MORE) p += s->at, n -= s->at, *blank += s->at, s->at = 0;
      break;
    case HTTP_METHOD:
    case HTTP_TARGET:
    case HTTP_VERSION: rc = http_scan_line(s, p, n, limits); break;
    case HTTP_LINE:
      if (c == '\r') rc = http_expect(s, c, c, HTTP_END_LF);
      else if (s->headers++ == SVC_HTTP_HEADERS) s->at++, rc = SVC_HTTP_E_HEADER_COUNT;
      else s->state = HTTP_NAME, s->from = s->at;
      break;
    case HTTP_NAME:
    case HTTP_VALUE: rc = http_scan_header(s, p, n, limits); break;
    case HTTP_LINE_LF: rc = http_expect(s, c, '\n', HTTP_LINE); break;
    default:
      rc = http_expect(s, c, '\n', HTTP_END_LF);
      whole = rc == SVC_HTTP_MORE;
      break;
    }
  }
  return whole ? SVC_HTTP_OK : rc;
}

/* --------------------------------------------------------------------------------------------------------- the head */

/* Characters of a Host header, and of the text between http:// and the path. The host's name does not matter here. */
static bool http_is_host(const char *p, size_t n)
{
  size_t i;
  for (i = 0; i < n; i++)
    if (!http_is_a(p[i], HTTP_VISIBLE) || strchr(",/\\@?#\"<>", p[i])) return false;
  return true;
}

/* "/path?query" is kept; "http://host/path?query" is reduced to that: every host is ours. */
static int http_parse_target(svc_http_head *h)
{
  const char *p = h->target, *end = p + h->target_length, *host;
  if (*p == '/') return SVC_HTTP_OK;
  if (h->target_length > 7 && strncasecmp(p, "http://", 7) == 0) p += 7;
  else if (h->target_length > 8 && strncasecmp(p, "https://", 8) == 0) p += 8;
  else return SVC_HTTP_E_TARGET_FORM;
  for (host = p; p < end && *p != '/';) p++;
  if (p == host || !http_is_host(host, (size_t)(p - host))) return SVC_HTTP_E_TARGET_FORM;
  h->target = p < end ? p : "/";
  h->target_length = p < end ? (size_t)(end - p) : 1;
  return SVC_HTTP_OK;
}

static int http_parse_line(svc_http_head *h, const char *p, size_t n, size_t max_target)
{
  const char *end = p + n, *target = memchr(p, ' ', n), *version;
  size_t method = target ? (size_t)(target - p) : 0;
  if (method == 0 || method >= SVC_HTTP_METHOD) return SVC_HTTP_E_LINE;
  memcpy(h->method, p, method);
  h->method[method] = '\0';
  h->is_head = strcmp(h->method, "HEAD") == 0;
  h->reads = h->is_head || strcmp(h->method, "GET") == 0;
  target++;
  version = memchr(target, ' ', (size_t)(end - target));
  if (!version || version == target) return SVC_HTTP_E_LINE;
  h->target = target;
  h->target_length = (size_t)(version - target);
  version++;
  if (end - version != 8 || memcmp(version, "HTTP/", 5) != 0 || version[6] != '.' || version[5] < '0' ||
      version[5] > '9' || version[7] < '0' || version[7] > '9')
    return SVC_HTTP_E_LINE;
  if (version[5] != '1' || version[7] > '1') return SVC_HTTP_E_VERSION;
  h->old = version[7] == '0';
  if (h->target_length > max_target) return SVC_HTTP_E_TARGET;
  return http_parse_target(h);
}

/* "close" anywhere in the list, or in any of several Connection headers, closes; "keep-alive" matters to 1.0 only. */
static void http_parse_connection(svc_http_head *h)
{
  bool close = false, keep = false;
  size_t i, n;
  for (i = 0; i < h->header_count; i++) {
    const svc_header *header = &h->headers[i];
    const char *p = header->value, *end = p + header->value_length, *element;
    if (!svc_http_is(header->name, header->name_length, "connection")) continue;
    while (svc_http_element(&p, end, &element, &n)) {
      close |= svc_http_is(element, n, "close");
      keep |= svc_http_is(element, n, "keep-alive");
    }
  }
  h->keep = !close && (keep || !h->old);
}

static int http_parse_header(svc_http_head *h, const char *p, size_t n)
{
  static const struct {
    const char *name;
    size_t length;
  } once[SVC_HTTP_ONCE] = {
    [SVC_HTTP_HOST] = { "host", 4 }, [SVC_HTTP_LENGTH] = { "content-length", 14 },
    [SVC_HTTP_CODING] = { "transfer-encoding", 17 }, [SVC_HTTP_EXPECT] = { "expect", 6 },
    [SVC_HTTP_AUTHORIZATION] = { "authorization", 13 },
  };
  const char *colon = memchr(p, ':', n), *value, *end = p + n;
  svc_header *header;
  size_t i;
  if (!colon || colon == p) return SVC_HTTP_E_HEADER;
  for (value = colon + 1; value < end && (*value == ' ' || *value == '\t');) value++;
  while (end > value && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (h->header_count == SVC_HTTP_HEADERS) return SVC_HTTP_E_HEADER_COUNT;
  header = &h->headers[h->header_count++];
  header->name = p;
  header->name_length = (size_t)(colon - p);
  header->value_length = (size_t)(end - value);
  header->value = header->value_length ? value : ""; /* for the library, a length of 0 means "up to the NUL" */
  for (i = 0; i < SVC_HTTP_ONCE; i++) {
    if (header->name_length != once[i].length || strncasecmp(p, once[i].name, once[i].length) != 0) continue;
    if (h->once[i]) return SVC_HTTP_E_TWICE;
    h->once[i] = header;
  }
  return SVC_HTTP_OK;
}

static int http_parse_length(svc_http_head *h, size_t max_body)
{
  const svc_header *length = h->once[SVC_HTTP_LENGTH];
  size_t i;
  if (length->value_length == 0) return SVC_HTTP_E_LENGTH;
  for (i = 0; i < length->value_length; i++) {
    char c = length->value[i];
    if (c < '0' || c > '9' || h->length > UINT64_MAX / 100) return SVC_HTTP_E_LENGTH;
    h->length = h->length * 10 + (uint64_t)(c - '0');
  }
  return h->length > max_body ? SVC_HTTP_E_BODY : SVC_HTTP_OK;
}

/* Determines the end of the body: every doubt is an error. */
static int http_parse_framing(svc_http_head *h, size_t max_body)
{
  const svc_header *host = h->once[SVC_HTTP_HOST], *coding = h->once[SVC_HTTP_CODING];
  const svc_header *expect = h->once[SVC_HTTP_EXPECT];
  if (!host && !h->old) return SVC_HTTP_E_HOST;
  if (host && !http_is_host(host->value, host->value_length)) return SVC_HTTP_E_HOST;
  if (coding) {
    if (h->old || h->once[SVC_HTTP_LENGTH]) return SVC_HTTP_E_FRAMING;
    if (!svc_http_is(coding->value, coding->value_length, "chunked")) return SVC_HTTP_E_CODING;
    h->chunked = true;
  } else if (h->once[SVC_HTTP_LENGTH]) {
    int error = http_parse_length(h, max_body);
    if (error) return error;
  } /* with neither there is no body: RFC 9112, 6.3 */
  if (expect && !h->old) {
    if (!svc_http_is(expect->value, expect->value_length, "100-continue")) return SVC_HTTP_E_EXPECT;
    h->expect = true;
  }
  return SVC_HTTP_OK;
}

int svc_http_parse(svc_http_head *h, const char *p, size_t n, const svc_http_limits *limits)
{
  const char *end = p + n;
  size_t bytes = 0;
  bool first = true;
  memset(h, 0, sizeof *h);
  for (;;) {
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    size_t line;
    int error;
    if (!lf || lf == p || lf[-1] != '\r') return SVC_HTTP_E_BYTES;
    line = (size_t)(lf - 1 - p);
    if (line == 0) break;
    error = first ? http_parse_line(h, p, line, limits->target) : http_parse_header(h, p, line);
    if (error) return error;
    if (!first) bytes += h->headers[h->header_count - 1].name_length + h->headers[h->header_count - 1].value_length;
    if (bytes > limits->header_bytes) return SVC_HTTP_E_HEADER_BYTES;
    first = false;
    p = lf + 1;
  }
  if (first) return SVC_HTTP_E_LINE;
  http_parse_connection(h);
  return http_parse_framing(h, limits->body);
}

/* --------------------------------------------------------------------------------------------------------- the body */

enum {
  HTTP_CHUNK_SIZE, /* must be 0 */
  HTTP_CHUNK_SPACE, /* behind the size: an extension or the end of the line follows */
  HTTP_CHUNK_EXTENSION,
  HTTP_CHUNK_SIZE_LF,
  HTTP_CHUNK_DATA,
  HTTP_CHUNK_DATA_CR,
  HTTP_CHUNK_DATA_LF,
  HTTP_CHUNK_LINE, /* the start of a trailer line, or of the empty line at the end */
  HTTP_CHUNK_NAME,
  HTTP_CHUNK_VALUE,
  HTTP_CHUNK_TRAILER_LF,
  HTTP_CHUNK_END_LF,
  HTTP_CHUNK_END
};

void svc_http_wipe(void *p, size_t n)
{
  if (n) explicit_bzero(p, n);
}

static int http_body_add(svc_http_body *b, const char *p, size_t n, size_t most)
{
  if (b->size - b->length < n) {
    size_t size = b->size ? b->size : 2048;
    char *bytes;
    do size *= 2; /* at most twice the length, which is bounded */
    while (size - b->length < n);
    if (size > most) size = most;
    bytes = malloc(size); /* not realloc(), which would leave a copy behind */
    if (!bytes) return SVC_HTTP_E_MEMORY;
    if (b->length) memcpy(bytes, b->bytes, b->length);
    svc_http_wipe(b->bytes, b->length);
    free(b->bytes);
    b->bytes = bytes;
    b->size = size;
  }
  memcpy(b->bytes + b->length, p, n);
  b->length += n;
  return SVC_HTTP_OK;
}

static int http_hex(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* A byte of the size line: digits, then an optional extension, which is ignored. */
static int http_chunk_size(svc_http_body *b, char c, size_t room)
{
  int digit = http_hex(c);
  if (b->state == HTTP_CHUNK_SIZE && digit >= 0) {
    b->left = b->left * 16 + (uint64_t)digit;
    if (++b->digits > 16) return SVC_HTTP_E_CHUNK; /* endless zeros */
    return b->left > room ? SVC_HTTP_E_BODY : SVC_HTTP_OK;
  }
  if (b->digits == 0) return SVC_HTTP_E_CHUNK;
  if (c == '\r') {
    b->state = HTTP_CHUNK_SIZE_LF;
    return SVC_HTTP_OK;
  }
  b->overhead++;
  if (b->state == HTTP_CHUNK_EXTENSION) return http_is_a(c, HTTP_TEXT) ? SVC_HTTP_OK : SVC_HTTP_E_CHUNK;
  if (c != ';' && c != ' ' && c != '\t') return SVC_HTTP_E_CHUNK; /* "5 5" too: the size would be ambiguous */
  b->state = c == ';' ? HTTP_CHUNK_EXTENSION : HTTP_CHUNK_SPACE;
  return SVC_HTTP_OK;
}

/* A byte of a trailer: a header, which is not kept. Any other text could look like a request to another reader. */
static int http_chunk_trailer(svc_http_body *b, char c)
{
  b->overhead++;
  if (b->state == HTTP_CHUNK_VALUE) {
    if (c == '\r') b->state = HTTP_CHUNK_TRAILER_LF;
    else if (!http_is_a(c, HTTP_TEXT)) return SVC_HTTP_E_CHUNK;
    return SVC_HTTP_OK;
  }
  if (http_is_a(c, HTTP_TOKEN)) {
    b->state = HTTP_CHUNK_NAME;
    return SVC_HTTP_OK;
  }
  if (b->state == HTTP_CHUNK_LINE && c == '\r') b->state = HTTP_CHUNK_END_LF;
  else if (b->state == HTTP_CHUNK_NAME && c == ':') b->state = HTTP_CHUNK_VALUE;
  else return SVC_HTTP_E_CHUNK;
  return SVC_HTTP_OK;
}

/* A byte that is not data; `room` is the maximum by which the body may still grow. */
static int http_chunk_byte(svc_http_body *b, char c, size_t room)
{
  switch (b->state) {
  case HTTP_CHUNK_SIZE:
  case HTTP_CHUNK_SPACE:
  case HTTP_CHUNK_EXTENSION: return http_chunk_size(b, c, room);
  case HTTP_CHUNK_SIZE_LF: b->state = b->left ? HTTP_CHUNK_DATA : HTTP_CHUNK_LINE; break;
  case HTTP_CHUNK_DATA_CR: b->state = HTTP_CHUNK_DATA_LF; return c == '\r' ? SVC_HTTP_OK : SVC_HTTP_E_CHUNK;
  case HTTP_CHUNK_DATA_LF:
    b->state = HTTP_CHUNK_SIZE;
    b->digits = 0;
    break;
  case HTTP_CHUNK_LINE:
  case HTTP_CHUNK_NAME:
  case HTTP_CHUNK_VALUE: return http_chunk_trailer(b, c);
  case HTTP_CHUNK_TRAILER_LF: b->state = HTTP_CHUNK_LINE; break;
  default: b->state = HTTP_CHUNK_END; break;
  }
  return c == '\n' ? SVC_HTTP_OK : SVC_HTTP_E_CHUNK;
}

int svc_http_take(svc_http_body *b, const svc_http_head *h, const char *p, size_t n, const svc_http_limits *limits,
                  size_t *taken)
{
  size_t i = 0, step;
  int error = SVC_HTTP_OK;
  *taken = 0;
  if (!h->chunked) {
    step = (size_t)h->length - b->length;
    if (step > n) step = n;
    if (step) error = http_body_add(b, p, step, (size_t)h->length);
    *taken = step;
    return error ? error : b->length == h->length ? SVC_HTTP_OK : SVC_HTTP_MORE;
  }
  while (i < n && !error && b->state != HTTP_CHUNK_END) {
    if (b->state != HTTP_CHUNK_DATA) {
      error = http_chunk_byte(b, p[i++], limits->body - b->length);
      if (!error && b->overhead > limits->header_bytes) error = SVC_HTTP_E_CHUNK;
      continue;
    }
    step = b->left < n - i ? (size_t)b->left : n - i;
    error = http_body_add(b, p + i, step, limits->body);
    i += step;
    b->left -= step;
    if (b->left == 0) b->state = HTTP_CHUNK_DATA_CR;
  }
  *taken = i;
  return error ? error : b->state == HTTP_CHUNK_END ? SVC_HTTP_OK : SVC_HTTP_MORE;
}

void svc_http_body_free(svc_http_body *b)
{
  svc_http_wipe(b->bytes, b->length);
  free(b->bytes);
  memset(b, 0, sizeof *b);
}
