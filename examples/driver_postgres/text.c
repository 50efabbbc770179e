/*
** Growing texts, and JSON in them.
**
** The rule: servers may print or log any byte, but answers are valid UTF-8.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>

int driver_text_begin(driver_text *t)
{
  memset(t, 0, sizeof *t);
  t->file = open_memstream(&t->bytes, &t->length);
  return t->file ? 0 : -1;
}

/* Ends a text and returns it. The caller frees it. NULL: out of memory. */
char *driver_text_end(driver_text *t)
{
  int good = fclose(t->file) == 0;
  if (good) return t->bytes;
  free(t->bytes);
  return NULL;
}

/* Adds the text to the reply and frees it. */
int driver_text_reply(driver_text *t, svc_reply *reply)
{
  char *bytes = driver_text_end(t);
  int code = bytes ? svc_reply_add(reply, bytes, t->length) : SVC_NOMEM;
  free(bytes);
  return code;
}

/* Returns the length of the UTF-8 character at p; 0: invalid. */
static size_t text_character(const unsigned char *p, size_t left)
{
  size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : (*p & 0xf0) == 0xe0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0, i;
  if (n == 0 || n > left) return 0;
  for (i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f)) return 0;
  return n;
}

/* Writes a JSON string. A byte that is not valid UTF-8 becomes a question mark. */
void driver_json(FILE *out, const char *text, size_t n)
{
  const unsigned char *p = (const unsigned char *)text;
  size_t i = 0, size;
  fputc('"', out);
  while (i < n) {
    size = text_character(p + i, n - i);
    if (size == 0) fputc('?', out), size = 1;
    else if (p[i] == '"' || p[i] == '\\') fprintf(out, "\\%c", p[i]);
    else if (p[i] < 32 || p[i] == 127) fprintf(out, "\\u%04x", p[i]);
    else fwrite(p + i, 1, size, out);
    i += size;
  }
  fputc('"', out);
}

/* Returns a number of a JSON object, by a format like "{from:%T}"; `otherwise` if it is missing. */
int64_t driver_long(const char *json, const char *format, int64_t otherwise)
{
  struct json_token t = { NULL, 0, JSON_TYPE_INVALID };
  if (json) json_scanf(json, (int)strlen(json), format, &t);
  return t.type == JSON_TYPE_NUMBER ? strtoll(t.ptr, NULL, 10) : otherwise;
}
