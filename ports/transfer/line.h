/*
** A line of an export, as text: a buffer that grows up to a bound, JSON strings, base64, hex.
**
** The rule: each value has one way to be written. A value that is read is written again and compared (shape.c), so the readers here can be
** small.
*/
#ifndef SVC_TRANSFER_LINE_H
#define SVC_TRANSFER_LINE_H

#include "ports/store_port.h"

#define SVC_LINE_MOST ((size_t)64 << 20) /* maximum bytes of a line; the export refuses a record that needs more */
#define SVC_LINE_DEPTH 64 /* of JSON */

typedef struct svc_line {
  char *p;
  size_t n, room;
  int rc; /* SVC_OK, SVC_NOMEM, SVC_FULL: longer than a line may be; SVC_IO: a cipher failed */
} svc_line;

void svc_line_free(svc_line *l); /* wipes the contents, which may include a secret */
void svc_line_fails(svc_line *l, int rc); /* notes an error; the first one stays. Callers report it, and do not call the line invalid */
void svc_line_add(svc_line *l, const void *p, size_t n);
void svc_line_c(svc_line *l, const char *text);
void svc_line_print(svc_line *l, const char *format, ...) __attribute__((format(printf, 2, 3))); /* up to 255 bytes */
void svc_line_hex(svc_line *l, const void *p, size_t n);
void svc_line_base64(svc_line *l, svc_str bytes); /* a JSON string */
bool svc_line_string(svc_line *l, svc_str text);  /* a JSON string of UTF-8 text; false: invalid, and nothing was added */

/* The reverse, from the raw text of a JSON value; the results are appended to l. False: not such a value. */
bool svc_line_from_hex(svc_line *l, svc_str value, size_t n);
bool svc_line_from_base64(svc_line *l, svc_str value);
bool svc_line_from_string(svc_line *l, svc_str value);
bool svc_line_integer(svc_str value, int64_t *out);

/* Returns the end of the JSON value at p, which has no space; NULL: invalid. */
const char *svc_line_value(const char *p, const char *end, int depth);
/* Reads the next member of an object at this depth. Before the first call, *at is after the object's brace. False: no more members, and
** *at is after the object; *at NULL: invalid. */
bool svc_line_member(const char **at, const char *end, int depth, svc_str *name, svc_str *value);

#endif /* SVC_TRANSFER_LINE_H */
