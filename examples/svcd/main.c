/*
** The verbs of svcd. A new one is a row here, a bit in svcd.h, its flags in flags.c, and a function.
*/
#include "svcd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int svcd_version(const svcd_options *o)
{
  (void)o;
  return printf("svcd %s\n", svc_version()) < 0;
}

const svcd_verb svcd_verbs[] = {
  { "serve", SVCD_SERVE, svcd_serve, "answer requests; this is what svcd does without a verb" },
  { "credentials", SVCD_CREDENTIALS, svcd_credentials, "make another API key and service account, while svcd is stopped" },
  { "version", SVCD_VERSION, svcd_version, "say which version it is" },
  { NULL, 0, NULL, NULL },
};

int svcd_error(int status, const char *format, ...)
{
  va_list args;
  fputs("svcd: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return status;
}

void svcd_log(void *context, int level, const char *text)
{
  static const char levels[] = "?ewi"; /* how their names begin */
  const char *most = context ? strchr(levels, *(const char *)context) : NULL;
  if (level <= (most ? (int)(most - levels) : SVC_LOG_WARNING)) fprintf(stderr, "svcd: %s\n", text);
}

int main(int argc, char **argv)
{
  const svcd_verb *verb = svcd_verbs;
  svcd_options o;
  int named = argc > 1 && argv[1][0] != '-', status;
  while (named && verb->name && strcmp(verb->name, argv[1]) != 0) verb++;
  if (!verb->name) return svcd_wrong_verb(argv[1]);
  status = svcd_parse(&o, verb, argc - named, argv + named);
  return status >= 0 ? status : verb->run(&o);
}
