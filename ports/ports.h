/*
** The ports, as the layers above see them. Each wraps a dependency: no layer above a port includes the dependency's header.
*/
#ifndef SVC_PORTS_H
#define SVC_PORTS_H

#include "base/base.h"
#include "ports/limiter_port.h"
#include "ports/store_port.h"

/* ports/frozen.c: parses text that has passed svc_json_gate(), or that svc_node_write() wrote. NULL: out of memory, or other text. */
SVC_PRIVATE svc_node *svc_json_parse(svc_arena *a, svc_str text);
SVC_PRIVATE svc_node *svc_json_parse_gated(svc_arena *a, svc_str text); /* for a text that has just passed svc_json_gate() */

/* WebAssembly has no threads unless it is compiled with its atomics. */
#if defined(__wasm__) && !defined(__wasm_atomics__) && !defined(SVC_ONE_THREAD)
#define SVC_ONE_THREAD 1
#endif

/* ports/tinycthread.c: locks. The space is checked against the real types when the port is compiled. */
typedef union svc_mutex {
  void *align;
  unsigned char space[64];
} svc_mutex;
typedef union svc_condition {
  void *align;
  unsigned char space[64];
} svc_condition;

SVC_PRIVATE bool svc_mutex_init(svc_mutex *m);
SVC_PRIVATE void svc_mutex_destroy(svc_mutex *m);
SVC_PRIVATE void svc_mutex_lock(svc_mutex *m);
SVC_PRIVATE void svc_mutex_unlock(svc_mutex *m);
SVC_PRIVATE bool svc_condition_init(svc_condition *c);
SVC_PRIVATE void svc_condition_destroy(svc_condition *c);
SVC_PRIVATE void svc_condition_wait(svc_condition *c, svc_mutex *m);
SVC_PRIVATE void svc_condition_signal(svc_condition *c);
SVC_PRIVATE void svc_thread_yield(void);

/* ports/fork.c: whether this is the process that opened a handle, and not a child of it. */
typedef struct svc_fork {
  const volatile unsigned char *page; /* 1 in that process, 0 in a child; NULL: the system has no such pages */
  long id;
} svc_fork;
SVC_PRIVATE void svc_fork_begin(svc_fork *p);
SVC_PRIVATE bool svc_fork_is_ours(const svc_fork *p);
SVC_PRIVATE void svc_fork_end(svc_fork *p);

/* ports/mbedtls.c: hashes and random bytes. */
typedef struct svc_drbg svc_drbg;
SVC_PRIVATE svc_drbg *svc_drbg_new(char *why, size_t why_size); /* NULL: failed; why: the reason, for people */
SVC_PRIVATE void svc_drbg_free(svc_drbg *d);
SVC_PRIVATE int svc_drbg_fill(void *drbg, void *buffer, size_t size); /* 0 on success; thread-safe */
/* False: failed. The built-in mbedTLS code does not fail; a chip that replaces it may. */
SVC_PRIVATE bool svc_sha256(svc_str text, unsigned char out[32]);
SVC_PRIVATE bool svc_hmac_sha256(svc_str key, svc_str text, unsigned char out[32]);
SVC_PRIVATE bool svc_md5(svc_str text, unsigned char out[16]);
/* AES-256-GCM. svc_gcm_seal() writes text.n + 16 bytes, the tag behind the text; false: failed. svc_gcm_open() is the reverse, and writes
** sealed.n - 16 bytes. SVC_INVALID: not sealed with this key, nonce and `about`; SVC_NOMEM: mbedTLS failed, which says nothing about the
** text. */
SVC_PRIVATE bool svc_gcm_seal(const unsigned char key[32], const unsigned char nonce[12], svc_str about, svc_str text, void *out);
SVC_PRIVATE int svc_gcm_open(const unsigned char key[32], const unsigned char nonce[12], svc_str about, svc_str sealed, void *out);
SVC_PRIVATE void svc_wipe(void *p, size_t n); /* never optimized away */
SVC_PRIVATE bool svc_same_bytes(const void *a, const void *b, size_t n); /* in constant time */
SVC_PRIVATE svc_str svc_base64(svc_arena *a, svc_str bytes); /* the URL alphabet, without padding */
SVC_PRIVATE svc_str svc_base64_padded(svc_arena *a, svc_str bytes); /* the ordinary alphabet, with padding */
/* Data that verifies a password by SCRAM-SHA-256 (RFC 7677), as PostgreSQL writes it: SCRAM-SHA-256$4096:salt$stored:server. Takes a
** millisecond or more. */
SVC_PRIVATE svc_str svc_scram_verifier(svc_arena *a, svc_str password, const unsigned char salt[16]); /* n 0: out of memory */
SVC_PRIVATE bool svc_base64_decode(svc_arena *a, svc_str text, svc_str *out); /* the ordinary alphabet, as in Basic */

/* ports/x509.c: certificates. All text is PEM. */
#define SVC_NO_X509 (-20) /* mbedTLS was built without X.509 */
#define SVC_X509_SERIAL 16
typedef struct svc_x509_request {
  svc_str subject, issuer; /* distinguished names: "CN=jane,OU=ops" */
  unsigned char serial[SVC_X509_SERIAL]; /* random bytes: the port makes a positive number of full length of them */
  int64_t from, until;     /* milliseconds */
  svc_str issuer_key;      /* NUL-terminated; n 0: self-signed, and an authority */
  int (*random)(void *context, void *buffer, size_t size);
  void *random_context;
} svc_x509_request;
typedef struct svc_x509_pair {
  svc_str certificate, key;
} svc_x509_pair;
/* Creates a key and its certificate, which takes milliseconds. SVC_OK, SVC_NOMEM, SVC_NO_X509; SVC_INVALID: a name cannot be written, or is
** the issuer's own; SVC_RANDOM: the random source failed, or the issuer's key cannot be read. */
SVC_PRIVATE int svc_x509_make(svc_arena *a, const svc_x509_request *r, svc_x509_pair *out);
SVC_PRIVATE int svc_x509_check(svc_arena *a, svc_str pem); /* SVC_OK: certificates, one or several; SVC_NOMEM; SVC_INVALID */
/* The validity of one certificate, in milliseconds. SVC_OK, SVC_NOMEM, SVC_NO_X509; SVC_INVALID: not a certificate. */
SVC_PRIVATE int svc_x509_dates(svc_arena *a, svc_str pem, int64_t *from, int64_t *until);

/* The default store, if svc_config.store names no other; NULL if the build has no store. */
#ifndef SVC_OMIT_LMDB
#define svc_default_port() svc_lmdb_port()
#elif defined(SVC_MEMORY_STORE)
#define svc_default_port() svc_memory_port()
#else
#define svc_default_port() ((const svc_store_port *)NULL)
#endif

/* ports/lmdb.c */
#ifndef SVC_OMIT_LMDB
SVC_PRIVATE const svc_store_port *svc_lmdb_port(void);
SVC_PRIVATE int svc_lmdb_copy_of(const char *from, const char *to); /* svc_backup_of() */

/* ports/lmdb_pages.c: checks the pages of the file. */
#define SVC_LMDB_FOREIGN ENOEXEC /* a store of another byte order or word; `why` says so. Neither LMDB nor its system calls return it */
#define SVC_LMDB_WHY 256
SVC_PRIVATE int svc_lmdb_pages(int fd, uint64_t txn, uint64_t most, char *why, size_t why_size);
#endif

#endif /* SVC_PORTS_H */
