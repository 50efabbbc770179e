/*
** An HTTP/1.1 client for the verbs replay and health. It sends one request at a time, each on its own connection, and blocks the caller.
**
** The rules: every wait has a timeout, answers are bounded, and certificates are verified. Headers and bodies are never logged.
*/
#ifndef SVCD_HTTP_CLIENT_H
#define SVCD_HTTP_CLIENT_H

#include <stddef.h>

#define HTTP_ANSWER ((size_t)16 << 20) /* bytes of an answer, head included */

typedef struct http_target {
  char host[256], port[8], path[1024]; /* path: what all paths begin with; without a slash at its end */
  int https;
} http_target;

typedef struct http_answer {
  int status;
  char *head, *body; /* ended by a NUL; of `head` the lines, without the first */
  size_t body_length;
  char *memory; /* http_answer_free() */
} http_answer;

/* http://HOST[:PORT][/PATH], https as well. Returns 0, or -1 if it is invalid. */
int http_target_parse(const char *url, http_target *out);
/*
** `headers` are whole lines, each with CR LF at its end. `ca`: a file of certificates in PEM; NULL: those of the system. `seconds`:
** how long each wait may take. Returns 0; -1: `why` says what is wrong.
*/
int http_send(const http_target *t, const char *ca, int seconds, const char *method, const char *path, const char *headers,
              const char *body, size_t body_length, http_answer *out, char *why, size_t size);
/* The value of a header, any case, cut to fit; "": it has none. */
void http_header(const http_answer *a, const char *name, char *out, size_t size);
void http_answer_free(http_answer *a);

#endif /* SVCD_HTTP_CLIENT_H */
