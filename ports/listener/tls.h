/*
** The port of TLS: what the listener wants of a library that speaks it, as a struct of functions. tls_mbedtls.c is one, tls_openssl.c,
** with -DSVC_WITH_OPENSSL, another; svc_listener_config.tls says which. tls.c is the only part that calls them.
**
** The rules that each keeps. TLS 1.2 and 1.3, suites with forward secrecy and authentication alone (AES-GCM, then ChaCha20-Poly1305), groups
** X25519, P-256 and P-384, no renegotiation, no early data, and no compression. Of ALPN http/1.1 alone; who offers only others is refused. A client is
** not asked for a certificate. Sessions are resumed by tickets, whose keys are replaced after LISTENER_TICKET_S and forgotten after twice
** that. No call waits: it reads what svc_listener_tls_receive() has and writes what the socket takes.
*/
#ifndef SVC_LISTENER_TLS_H
#define SVC_LISTENER_TLS_H

#include "parts.h"

#include <sys/types.h>

#define LISTENER_TICKET_S 3600

typedef struct listener_pair listener_pair; /* a certificate and its key: certificate.h */

/* Instead of a number of bytes: go on when more has come, or when the socket takes more, with the same bytes; the client has said that
** nothing comes any more; or it is of no use any more. */
enum { LISTENER_TLS_READ = -1, LISTENER_TLS_WRITE = -2, LISTENER_TLS_END = -3, LISTENER_TLS_FAILED = -4 };

struct svc_listener_tls_port {
  const char *name;
  void *(*open)(listener_pair *pair); /* what connections share; the pair outlives it. NULL: no memory */
  void (*close)(void *shared);
  void *(*begin)(void *shared, listener_conn *conn); /* the session of a connection. NULL: no memory */
  void (*end)(void *session);
  int (*shake)(void *session, unsigned long *error); /* 0: the handshake is done. Failed: the library's number for it */
  int (*read)(void *session, char *to, size_t n);
  bool (*pending)(void *session); /* does it hold bytes of the client that the last read did not return? A part of a record counts, too */
  int (*write)(void *session, const char *from, size_t n); /* up to 16 KiB, as one record */
  void (*notify)(void *session);                           /* tell the client that nothing comes any more */
  void (*rest)(void *session); /* it is idle: give buffers back. NULL: there is nothing to give */
};

/* tls.c, for the ports: some of what came from the socket, 0: nothing is left; and to the socket, LISTENER_TLS_WRITE or LISTENER_TLS_FAILED. */
size_t svc_listener_tls_receive(listener_conn *conn, void *to, size_t n);
ssize_t svc_listener_tls_transmit(listener_conn *conn, const void *from, size_t n);

/* certificate.c. Begin with mbedTLS, which is done once in a process and allowed again. SVC_OK, else why not. */
int svc_listener_crypto(char *why, size_t size);
/* Read both files, and see that they fit each other. SVC_OK and *out, else NULL there. */
int svc_listener_pair_read(listener_pair **out, const char *cert_file, const char *key_file, char *why, size_t size);
void svc_listener_pair_free(listener_pair *p); /* NULL is allowed */
void svc_listener_pair_describe(const listener_pair *p, svc_listener_cert *out);

#endif /* SVC_LISTENER_TLS_H */
