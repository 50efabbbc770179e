/*
** A row of a store as a line of JSON, and back.
**
** The rule: nothing is lost, and each row has exactly one line. A class of rows is a line of the table in shape.c; entities have their own
** shape (shape_entity.c). A row that fits no shape becomes {"class":"raw","key":BASE64,"value":BASE64}. A line that is read is written
** again and compared: a difference in a single byte is refused.
*/
#ifndef SVC_TRANSFER_SHAPE_H
#define SVC_TRANSFER_SHAPE_H

#include "ports/transfer/line.h"

#define SVC_SHAPE_MEMBERS 24
typedef struct svc_members {
  size_t n;
  svc_str names[SVC_SHAPE_MEMBERS], values[SVC_SHAPE_MEMBERS];
} svc_members;
bool svc_members_read(svc_str line, svc_members *out); /* false: not an object, or too many members */
bool svc_member(const svc_members *m, const char *name, svc_str *value);
bool svc_member_is(const svc_members *m, const char *name, const char *value); /* compares the raw text of the member */

/* secret_key: 32 bytes; secrets are in plain text in lines, and sealed in rows. NULL: sealed in both. */
int svc_shape_line(svc_line *out, const svc_row *row, const unsigned char *secret_key); /* appends the line of a row, with a newline */
/* Reads the row of a line without its newline. SVC_INVALID: svc_shape_line() never writes such a line. */
int svc_shape_row(svc_str line, svc_line *key, svc_line *value, const unsigned char *secret_key);

/* shape_entity.c. False: the row or line has another shape, and the caller removes what was appended. noun n 0: unknown. */
bool svc_entity_line(svc_line *out, const svc_row *row, svc_str noun, const unsigned char *secret_key);
bool svc_entity_row(const svc_members *m, svc_line *key, svc_line *value, const unsigned char *secret_key);

/* shape_secret.c: secrets that pipeline/seal.c has sealed, in plain text. */
typedef struct svc_sealed_for {
  const unsigned char *key; /* 32 bytes */
  unsigned char about[16];  /* the entity: kind(4) id(12) */
} svc_sealed_for;
/* sealed: base64. False: sealed with another key */
bool svc_secret_open(const svc_sealed_for *f, svc_str name, svc_str sealed, svc_line *out);
bool svc_secret_seal(const svc_sealed_for *f, svc_str name, svc_str secret, svc_line *out);
/* An object whose strings are all secrets: unseals or seals them. */
bool svc_secrets_turn(const svc_sealed_for *f, svc_str object, bool open, svc_line *out);
extern const svc_str svc_secret_word; /* sealed for the store itself, with the name "check" */

#endif /* SVC_TRANSFER_SHAPE_H */
