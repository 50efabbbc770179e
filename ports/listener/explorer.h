/*
** Shared by explorer.c and the files that it serves: pack.sh in ports/explorer/ generates explorer_files.c from that folder. No other part
** includes this.
*/
#ifndef SVC_LISTENER_EXPLORER_H
#define SVC_LISTENER_EXPLORER_H

#include "parts.h"

typedef struct listener_file {
  const char *path; /* of the target, without a query */
  const char *text;
  size_t length;
  const svc_header *headers; /* EXPLORER_HEADERS of them, the ETag first */
} listener_file;

/*
** The policy allows exactly what the page needs: no inline script or style, no other host, no frame around it, and no text that becomes
** markup.
*/
#define EXPLORER_POLICY                                                                                                        \
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "             \
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

#define EXPLORER_HEADERS 8
#define EXPLORER_HEADER(name, value) { name, value, sizeof name - 1, sizeof value - 1 }
#define EXPLORER_HEADERS_OF(tag, type)                                                                                         \
  {                                                                                                                            \
    EXPLORER_HEADER("ETag", tag), EXPLORER_HEADER("Content-Type", type), EXPLORER_HEADER("Cache-Control", "no-cache"),         \
      EXPLORER_HEADER("Content-Security-Policy", EXPLORER_POLICY), EXPLORER_HEADER("X-Content-Type-Options", "nosniff"),       \
      EXPLORER_HEADER("Referrer-Policy", "no-referrer"), EXPLORER_HEADER("Cross-Origin-Resource-Policy", "same-origin"),       \
      EXPLORER_HEADER("Cross-Origin-Opener-Policy", "same-origin")                                                             \
  }

extern const listener_file svc_listener_files[];
extern const size_t svc_listener_file_count;

#endif /* SVC_LISTENER_EXPLORER_H */
