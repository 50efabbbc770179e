/*
** The native library answers a file of requests, for same.mjs, which compares the answers with those of the WebAssembly module.
**
**   native CONFIG-JSON <REQUESTS >ANSWERS
**
** A request is a line "KIND METHOD-LENGTH TARGET-LENGTH HEADERS-LENGTH BODY-LENGTH" and these bytes; KIND c is test control. An answer is a line
** "STATUS HEADERS-LENGTH BODY-LENGTH" and its bytes. The first answer is that of svc_bootstrap_json().
*/
#include "svcapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer(svc_result *r)
{
  size_t n;
  const char *headers = svc_result_headers(r), *body = svc_result_body(r, &n);
  printf("%d %zu %zu\n%s", svc_result_status(r), strlen(headers), n, headers);
  fwrite(body, 1, n, stdout);
  svc_result_free(r);
}

static char *take(size_t n)
{
  char *p = malloc(n + 1);
  if (!p || fread(p, 1, n, stdin) != n) exit(3);
  p[n] = '\0';
  return p;
}

int main(int argc, char **argv)
{
  char why[512], kind;
  size_t m, t, h, b;
  svc_result *r;
  svc *s;
  if (argc != 2) return 2;
  if (svc_open_json(&s, argv[1], why, sizeof why) != SVC_OK) return fprintf(stderr, "%s\n", why), 1;
  if (svc_bootstrap_json(s, &r) != SVC_OK) return 1;
  answer(r);
  while (scanf("%c %zu %zu %zu %zu", &kind, &m, &t, &h, &b) == 5 && getchar() == '\n') {
    char *method = take(m), *target = take(t), *headers = take(h), *body = take(b);
    int rc = kind == 'c' ? svc_control_text(s, method, target, body, b, &r) : svc_call_text(s, method, target, headers, body, b, NULL, &r);
    if (rc != SVC_OK) return fprintf(stderr, "%s %s: %s\n", method, target, svc_strerror(rc)), 1;
    answer(r);
    free(method), free(target), free(headers), free(body);
  }
  svc_close(s);
  return 0;
}
