/*
** --dialect: reads a file that renames words of the API. The library parses its JSON and reports errors in it.
*/
#include "svcd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIALECT_MOST (1 << 20) /* bytes of the file */

/* Reads the file. Returns NULL with errno on failure; EILSEQ: the file contains a NUL byte. */
static char *dialect_read(const char *path)
{
  FILE *f = fopen(path, "re");
  char *text = f ? malloc(DIALECT_MOST + 1) : NULL;
  size_t n = text ? fread(text, 1, DIALECT_MOST + 1, f) : 0;
  int failed = !text || ferror(f) ? errno ? errno : EIO : n > DIALECT_MOST ? EFBIG : memchr(text, '\0', n) ? EILSEQ : 0;
  if (f) fclose(f);
  if (!failed) text[n] = '\0';
  else free(text);
  errno = failed;
  return failed ? NULL : text;
}

int svcd_dialect(svcd_options *o)
{
  if (!o->dialect) return -1;
  o->dialect_text = dialect_read(o->dialect);
  if (o->dialect_text) return -1;
  return svcd_error(2, "cannot read --dialect %s: %s", o->dialect, errno == EILSEQ ? "the file contains a NUL byte" : strerror(errno));
}
