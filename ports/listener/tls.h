/*
** The TLS port: the functions that the listener needs from a TLS library. tls_mbedtls.c is one implementation, tls_openssl.c,
** with -DSVC_WITH_OPENSSL, another; svc_listener_config.tls selects one. Only tls.c calls them.
**
** The rules of each: TLS 1.2 and 1.3; only suites with forward secrecy and authentication (AES-GCM, then ChaCha20-Poly1305); groups X25519,
** P-256 and P-384; no renegotiation, no early data, no compression. ALPN is http/1.1; a client that offers only others is refused. Clients
** are not asked for a certificate. Sessions are resumed by tickets, whose keys are replaced after LISTENER_TICKET_S and forgotten after
** twice that. No call blocks: a call reads what svc_listener_tls_receive() has and writes what the socket takes.
*/
#ifndef SVC_LISTENER_TLS_H
#define SVC_LISTENER_TLS_H

#include "parts.h"

#include <sys/types.h>

#define LISTENER_TICKET_S 3600

typedef struct listener_pair listener_pair; /* a certificate and its key: certificate.h */

/* Returned instead of a number of bytes. READ: call again when more has arrived. WRITE: call again, with the same bytes, when the socket
** takes more. END: the client has ended the session. FAILED: the session has failed. */
enum { LISTENER_TLS_READ = -1, LISTENER_TLS_WRITE = -2, LISTENER_TLS_END = -3, LISTENER_TLS_FAILED = -4 };

struct svc_listener_tls_port {
  const char *name;
  void *(*open)(listener_pair *pair); /* shared by connections; the pair outlives it. NULL: out of memory */
  void (*close)(void *shared);
  void *(*begin)(void *shared, listener_conn *conn); /* the session of a connection. NULL: out of memory */
  void (*end)(void *session);
  int (*shake)(void *session, unsigned long *error); /* 0: the handshake is done. Failed: the library's error number */
  int (*read)(void *session, char *to, size_t n);
  bool (*pending)(void *session); /* whether it holds bytes of the client that the last read did not return, including part of a record */
  int (*write)(void *session, const char *from, size_t n); /* up to 16 KiB, as one record */
  void (*notify)(void *session);                           /* tells the client that the session ends */
  void (*rest)(void *session); /* the session is idle: gives buffers back. NULL: nothing to give back */
};

/* tls.c, for the ports: reads bytes that came from the socket, 0: none left; and writes to the socket, LISTENER_TLS_WRITE or
** LISTENER_TLS_FAILED. */
size_t svc_listener_tls_receive(listener_conn *conn, void *to, size_t n);
ssize_t svc_listener_tls_transmit(listener_conn *conn, const void *from, size_t n);

/* certificate.c. Initializes mbedTLS, once per process; repeated calls are allowed. SVC_OK, or an error with the reason in why. */
int svc_listener_crypto(char *why, size_t size);
/* Reads both files and checks that they match. SVC_OK and *out, otherwise NULL there. */
int svc_listener_pair_read(listener_pair **out, const char *cert_file, const char *key_file, char *why, size_t size);
void svc_listener_pair_free(listener_pair *p); /* NULL is allowed */
void svc_listener_pair_describe(const listener_pair *p, svc_listener_cert *out);

#endif /* SVC_LISTENER_TLS_H */
