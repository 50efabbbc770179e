/*
** The configuration file: --config FILE. A line has the name of a flag without dashes and, after blanks or "=", its value:
**
**      # what svcd serves here
**      data = /var/lib/svcd
**      listen http://127.0.0.1:8080
**      no-sync
**
** A flag that takes no value may be true or false here. Blanks around a value are ignored; "#" begins a comment at the beginning of a line
** or word. Flags of other verbs are ignored, so all verbs can use the same file. The command line takes precedence, and a list there
** replaces the list of the file.
**
** The rule: the file contains no secret, because no flag takes one. Secrets are in separate files, which flags name.
*/
#include "svcd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_MOST 65536

char *svcd_config_read(const char *path)
{
  FILE *f = fopen(path, "re");
  char *text = f ? malloc(CONFIG_MOST + 1) : NULL;
  size_t n = text ? fread(text, 1, CONFIG_MOST + 1, f) : 0;
  int good = f && text && !ferror(f) && n <= CONFIG_MOST;
  if (good && memchr(text, 0, n)) good = 0, errno = EINVAL;
  else if (f && text && n > CONFIG_MOST) errno = EFBIG;
  if (!good) svcd_error(2, "cannot read --config %s: %s", path, strerror(errno));
  else text[n] = '\0';
  if (f) fclose(f);
  if (good) return text;
  free(text);
  return NULL;
}

/* Removes the comment of a line and the blanks at its end. */
static void config_trim(char *line)
{
  char *mark = line;
  size_t n;
  while ((mark = strchr(mark, '#')) != NULL && mark != line && mark[-1] != ' ' && mark[-1] != '\t') mark++;
  if (mark) *mark = '\0';
  n = strlen(line);
  while (n && strchr(" \t\r", line[n - 1])) line[--n] = '\0';
}

int svcd_config_line(char **rest, int *number, char **name, char **value)
{
  while (*rest && **rest) {
    char *line = *rest, *end = strchr(line, '\n');
    *rest = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    ++*number;
    config_trim(line);
    line += strspn(line, " \t");
    if (!*line) continue;
    *name = line;
    line += strcspn(line, " \t=");
    *value = line + strspn(line, " \t");
    if (**value == '=') *value += 1 + strspn(*value + 1, " \t");
    if (*line) *line = '\0';
    return 1;
  }
  return 0;
}
