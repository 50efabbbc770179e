/*
** One line of an export, as text: a buffer that grows up to a bound, JSON strings, base64, hex.
**
** The rule: there is one way to write a value. What is read is written again and compared (shape.c), so readers here may be small.
*/
#ifndef SVC_TRANSFER_LINE_H
#define SVC_TRANSFER_LINE_H

#include "ports/store_port.h"

#define SVC_LINE_MOST ((size_t)64 << 20) /* bytes of a line; a record that would need more is refused by the export */
#define SVC_LINE_DEPTH 64 /* of JSON */

typedef struct svc_line {
  char *p;
  size_t n, room;
  int rc; /* SVC_OK, SVC_NOMEM, SVC_FULL: it is longer than a line may be; SVC_IO: a cipher failed */
} svc_line;

void svc_line_free(svc_line *l); /* what it held is wiped: it may have been a secret */
void svc_line_fails(svc_line *l, int rc); /* the first error stays: what is made of a part that has failed has failed, and is not invalid */
void svc_line_add(svc_line *l, const void *p, size_t n);
void svc_line_c(svc_line *l, const char *text);
void svc_line_print(svc_line *l, const char *format, ...) __attribute__((format(printf, 2, 3))); /* up to 255 bytes */
void svc_line_hex(svc_line *l, const void *p, size_t n);
void svc_line_base64(svc_line *l, svc_str bytes); /* a JSON string */
bool svc_line_string(svc_line *l, svc_str text);  /* the same of UTF-8 text; false: it is none, and nothing was added */

/* The opposites, from the raw text of a JSON value; what they give is added to l. False: it is no such value. */
bool svc_line_from_hex(svc_line *l, svc_str value, size_t n);
bool svc_line_from_base64(svc_line *l, svc_str value);
bool svc_line_from_string(svc_line *l, svc_str value);
bool svc_line_integer(svc_str value, int64_t *out);

const char *svc_line_value(const char *p, const char *end, int depth); /* of the JSON value at p, without any space; NULL: there is none */
/* The next member of an object that is `depth` deep: *at stands behind its brace at first. False: there are no more, and *at is behind the
** object; *at NULL: it is none. */
bool svc_line_member(const char **at, const char *end, int depth, svc_str *name, svc_str *value);

#endif /* SVC_TRANSFER_LINE_H */
