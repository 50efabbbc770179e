/*
** An HTTP/1.1 client for the verbs replay and health. The client sends each request on its own connection, and blocks the caller.
**
** The rules: every request has a deadline, answers are bounded, and certificates are verified. Headers and bodies are never logged.
*/
#ifndef SVCD_HTTP_CLIENT_H
#define SVCD_HTTP_CLIENT_H

#include <stddef.h>

#define HTTP_ANSWER ((size_t)16 << 20) /* most bytes of an answer, including its head */

typedef struct http_target {
  char host[256], port[8], path[1024]; /* path: prefix of all paths, without a slash at its end */
  int https;
} http_target;

typedef struct http_answer {
  int status;
  char *head, *body; /* ended by a NUL; `head` has the header lines without the status line */
  size_t body_length;
  char *memory; /* freed by http_answer_free() */
} http_answer;

/* Parses http://HOST[:PORT][/PATH], or the same with https. Returns 0, or -1 if the URL is invalid. */
int http_target_parse(const char *url, http_target *out);
/*
** Sends a request and receives the answer. `headers`: complete lines, each with CR LF at its end. `ca`: a PEM file with certificates;
** NULL: the system's. `seconds`: the deadline of the whole request. Returns 0, or -1 with `why`. Free the answer with http_answer_free().
*/
int http_send(const http_target *t, const char *ca, int seconds, const char *method, const char *path, const char *headers,
              const char *body, size_t body_length, http_answer *out, char *why, size_t size);
/* Writes the value of a header, cut to fit; "": missing. The name matches in any case. */
void http_header(const http_answer *a, const char *name, char *out, size_t size);
void http_answer_free(http_answer *a);

#endif /* SVCD_HTTP_CLIENT_H */
