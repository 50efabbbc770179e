/*
** Certificates and their keys: read and checked before they are used, and a self-signed one for a machine
** that has none yet.
**
** The rules: an error names the file, at the start or at a reload, never at the first
** client. An existing key is never replaced: a certificate is made for it. A file gets its name only when it is on the disk, the
** key before the certificate, so that a crash at any moment leaves a state from which the next start can continue.
*/
#define _GNU_SOURCE /* timegm */
#include "certificate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if LISTENER_HAS_TLS

#include <arpa/inet.h>
#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/sha256.h>
#include <mbedtls/ssl.h>

#define CERTIFICATE_FILE ((size_t)256 << 10) /* maximum bytes of a file; a chain has 10 KiB */
#define CERTIFICATE_PEM 8192                 /* maximum bytes of a certificate made here, with all its names */
#define CERTIFICATE_NAMES 64
#define CERTIFICATE_CHAIN 10 /* maximum certificates; clients verify no longer chains (mbedTLS: 8 between its own and the root) */
#define CERTIFICATE_BEYOND 4096 /* bytes, more than any setting adds to a structure */

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Settings of mbedTLS change its structures: a library built with other settings would write beyond ours. */
static bool certificate_fits(void)
{
  const size_t size = sizeof(mbedtls_ssl_context);
  unsigned char *space = malloc(size + CERTIFICATE_BEYOND);
  bool fits;
  size_t i;
  if (!space) return true; /* out of memory, which the next step reports */
  memset(space, 0xA5, size + CERTIFICATE_BEYOND);
  mbedtls_ssl_init((mbedtls_ssl_context *)(void *)space); /* clears the size that the library assumes */
  fits = space[size - 1] == 0;
  for (i = size; i < size + CERTIFICATE_BEYOND; i++) fits = fits && space[i] == 0xA5;
  free(space);
  return fits;
}

int svc_listener_crypto(char *why, size_t size)
{
  psa_status_t rc;
  if (!certificate_fits())
    return svc_listener_why(why, size, SVC_INVALID, "mbedTLS was built with other settings than the listener: its structures have "
                            "other sizes");
  rc = psa_crypto_init();
  if (rc == PSA_SUCCESS) return SVC_OK;
  return svc_listener_why(why, size, SVC_RANDOM, "mbedTLS does not start: %d%s", (int)rc,
                          rc == PSA_ERROR_INSUFFICIENT_ENTROPY ? ", the system gives no entropy" : "");
}

/* The status for an error of mbedTLS: out of memory, no random bytes, or otherwise the caller's. An error of mbedTLS is that of a module
** plus one of the layer below (the last seven bits). */
static int certificate_code(int error, int otherwise)
{
  static const int of_memory[] = { MBEDTLS_ERR_X509_ALLOC_FAILED, MBEDTLS_ERR_PK_ALLOC_FAILED, MBEDTLS_ERR_PEM_ALLOC_FAILED, MBEDTLS_ERR_ECP_ALLOC_FAILED,
                                   MBEDTLS_ERR_MD_ALLOC_FAILED };
  const int below = -(-error & 0x7F);
  size_t i;
  if (error >= 0) return otherwise;
  if (below == MBEDTLS_ERR_ENTROPY_SOURCE_FAILED) return SVC_RANDOM;
  if (below == MBEDTLS_ERR_MPI_ALLOC_FAILED || below == MBEDTLS_ERR_ASN1_ALLOC_FAILED) return SVC_NOMEM;
  for (i = 0; i < sizeof of_memory / sizeof of_memory[0]; i++)
    if (error - below == of_memory[i]) return SVC_NOMEM;
  return otherwise;
}

/* The library's own text for errors that are not the file's. */
static void certificate_means(int rc, char *why, size_t size)
{
  if (rc == SVC_NOMEM || rc == SVC_RANDOM) svc_listener_why(why, size, rc, "%s", svc_strerror(rc));
}

static void certificate_unload(unsigned char *text)
{
  mbedtls_platform_zeroize(text, CERTIFICATE_FILE + 1);
  free(text);
}

/* Reads a whole file, NUL-terminated, as mbedTLS wants PEM. NULL: the reason is written, unless out of memory. */
static unsigned char *certificate_load(const char *path, size_t *n, int *rc, char *why, size_t size)
{
  unsigned char *text = malloc(CERTIFICATE_FILE + 1);
  FILE *file;
  bool failed = true;
  *rc = text ? SVC_IO : SVC_NOMEM;
  if (!text) return NULL;
  file = fopen(path, "rbe");
  if (!file && errno == ENOMEM) *rc = SVC_NOMEM; /* fopen() allocates buffers */
  if (file) {
    setvbuf(file, NULL, _IONBF, 0); /* no copy of a key must stay in a buffer */
    *n = fread(text, 1, CERTIFICATE_FILE + 1, file);
    failed = ferror(file) != 0;
    if (!failed && *n > CERTIFICATE_FILE) *rc = SVC_INVALID, errno = EFBIG, failed = true;
  }
  if (failed) svc_listener_why(why, size, *rc, "cannot read %s: %s", path, strerror(errno));
  if (file) fclose(file);
  if (!failed) {
    text[(*n)++] = '\0';
    return text;
  }
  certificate_unload(text);
  return NULL;
}

/* The number of certificates in a chain. */
static int certificate_count(const mbedtls_x509_crt *chain)
{
  int n = 0;
  for (; chain; chain = chain->next) n++;
  return n;
}

static int certificate_read_chain(mbedtls_x509_crt *chain, const char *path, char *why, size_t size)
{
  size_t n;
  int rc, bad;
  unsigned char *text = certificate_load(path, &n, &rc, why, size);
  if (!text) return rc;
  bad = mbedtls_x509_crt_parse(chain, text, n); /* positive: number of certificates that could not be read */
  certificate_unload(text);
  if (bad == 0 && certificate_count(chain) > CERTIFICATE_CHAIN)
    return svc_listener_why(why, size, SVC_INVALID, "%s: a chain of %d certificates, of which clients verify %d at the most", path,
                            certificate_count(chain), CERTIFICATE_CHAIN);
  if (bad == 0) return SVC_OK;
  rc = certificate_code(bad, SVC_INVALID);
  if (rc != SVC_INVALID) return rc;
  return svc_listener_why(why, size, SVC_INVALID, "%s: not a certificate in PEM, or not all of it can be read (-0x%04x)", path,
                          (unsigned)(bad < 0 ? -bad : bad));
}

static int certificate_read_key(mbedtls_pk_context *key, const char *path, char *why, size_t size)
{
  size_t n;
  int rc, bad;
  unsigned char *text = certificate_load(path, &n, &rc, why, size);
  if (!text) return rc;
  bad = mbedtls_pk_parse_key(key, text, n, NULL, 0, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  certificate_unload(text);
  if (bad == 0) return SVC_OK;
  rc = certificate_code(bad, SVC_INVALID);
  if (rc != SVC_INVALID) return rc;
  if (bad == MBEDTLS_ERR_PK_PASSWORD_REQUIRED)
    return svc_listener_why(why, size, SVC_INVALID, "%s: the key is encrypted: use a key without a password", path);
  return svc_listener_why(why, size, SVC_INVALID, "%s: not a key in PEM (-0x%04x)", path, (unsigned)-bad);
}

/* Reads both files and checks that they match. */
static int certificate_read(listener_pair *p, const char *cert_file, const char *key_file, char *why, size_t size)
{
  int rc, bad;
  rc = certificate_read_chain(&p->chain, cert_file, why, size);
  if (rc == SVC_OK) rc = certificate_read_key(&p->key, key_file, why, size);
  if (rc != SVC_OK) return rc;
  bad = mbedtls_pk_check_pair(&p->chain.pk, &p->key, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  if (bad == 0) return SVC_OK;
  rc = certificate_code(bad, SVC_INVALID);
  if (rc != SVC_INVALID) return rc;
  return svc_listener_why(why, size, SVC_INVALID, "%s is not the key of %s: it does not fit", key_file, cert_file);
}

int svc_listener_pair_read(listener_pair **out, const char *cert_file, const char *key_file, char *why, size_t size)
{
  listener_pair *p = malloc(sizeof *p);
  int rc;
  *out = NULL;
  if (!p) return SVC_NOMEM;
  mbedtls_x509_crt_init(&p->chain);
  mbedtls_pk_init(&p->key);
  rc = certificate_read(p, cert_file, key_file, why, size);
  if (rc == SVC_OK) *out = p;
  else svc_listener_pair_free(p);
  return rc;
}

void svc_listener_pair_free(listener_pair *p)
{
  if (!p) return;
  mbedtls_x509_crt_free(&p->chain);
  mbedtls_pk_free(&p->key);
  free(p);
}

/* A date of a certificate in milliseconds. */
static int64_t certificate_ms(const mbedtls_x509_time *t)
{
  struct tm tm;
  memset(&tm, 0, sizeof tm);
  tm.tm_year = t->year - 1900;
  tm.tm_mon = t->mon - 1;
  tm.tm_mday = t->day;
  tm.tm_hour = t->hour;
  tm.tm_min = t->min;
  tm.tm_sec = t->sec;
  return (int64_t)timegm(&tm) * 1000;
}

void svc_listener_pair_describe(const listener_pair *p, svc_listener_cert *out)
{
  const mbedtls_x509_crt *cert = &p->chain;
  unsigned char hash[32];
  size_t i;
  memset(out, 0, sizeof *out);
  if (mbedtls_sha256(cert->raw.p, cert->raw.len, hash, 0) != 0) memset(hash, 0, sizeof hash);
  for (i = 0; i < sizeof hash; i++) snprintf(out->sha256 + 3 * i, 4, i + 1 < sizeof hash ? "%02X:" : "%02X", hash[i]);
  out->from = certificate_ms(&cert->valid_from);
  out->until = certificate_ms(&cert->valid_to);
  out->self_signed = cert->issuer_raw.len == cert->subject_raw.len &&
                     memcmp(cert->issuer_raw.p, cert->subject_raw.p, cert->issuer_raw.len) == 0;
}

int svc_listener_cert_read(const char *cert_file, const char *key_file, svc_listener_cert *out, char *why, size_t why_size)
{
  listener_pair *pair;
  int rc = svc_listener_crypto(why, why_size);
  if (rc != SVC_OK) return rc;
  rc = svc_listener_pair_read(&pair, cert_file, key_file, why, why_size);
  if (rc == SVC_OK) svc_listener_pair_describe(pair, out);
  certificate_means(rc, why, why_size);
  svc_listener_pair_free(pair);
  return rc;
}

/* ----------------------------------------------------------------------------------------------------------- making */

static int certificate_failed(const char *path, char *why, size_t size)
{
  return svc_listener_why(why, size, SVC_IO, "cannot write %s: %s", path, strerror(errno));
}

/* Writes a file completely or not at all. */
static int certificate_store(const char *path, const char *text, mode_t mode, char *why, size_t size)
{
  char new_path[4096 + 8];
  size_t n = strlen(text);
  int fd, rc = SVC_OK;
  if ((size_t)snprintf(new_path, sizeof new_path, "%s.new", path) >= sizeof new_path)
    return svc_listener_why(why, size, SVC_INVALID, "%s: the path is too long", path);
  unlink(new_path);
  fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return certificate_failed(path, why, size);
  if (write(fd, text, n) != (ssize_t)n || fsync(fd) != 0 || rename(new_path, path) != 0) rc = certificate_failed(path, why, size);
  close(fd);
  if (rc != SVC_OK) unlink(new_path);
  return rc;
}

/* Reads the key of the file, or creates one in it. */
static int certificate_key(mbedtls_pk_context *key, const char *path, char *why, size_t size)
{
  unsigned char pem[2048];
  int rc, bad;
  if (access(path, F_OK) == 0) return certificate_read_key(key, path, why, size);
  bad = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
  if (!bad) bad = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  if (!bad) bad = mbedtls_pk_write_key_pem(key, pem, sizeof pem);
  if (bad) return certificate_code(bad, SVC_RANDOM);
  rc = certificate_store(path, (const char *)pem, 0600, why, size);
  mbedtls_platform_zeroize(pem, sizeof pem);
  return rc;
}

/* The names as a list; `nodes` and `ips` are its memory. */
static mbedtls_x509_san_list *certificate_names(const char *const *names, size_t count, mbedtls_x509_san_list *nodes,
                                                unsigned char (*ips)[16])
{
  size_t i;
  for (i = 0; i < count; i++) {
    mbedtls_x509_subject_alternative_name *san = &nodes[i].node;
    bool four = inet_pton(AF_INET, names[i], ips[i]) == 1, six = !four && inet_pton(AF_INET6, names[i], ips[i]) == 1;
    san->type = four || six ? MBEDTLS_X509_SAN_IP_ADDRESS : MBEDTLS_X509_SAN_DNS_NAME;
    san->san.unstructured_name.p = four || six ? ips[i] : (unsigned char *)(uintptr_t)names[i];
    san->san.unstructured_name.len = four ? 4 : six ? 16 : strlen(names[i]);
    nodes[i].next = i + 1 < count ? &nodes[i + 1] : NULL;
  }
  return nodes;
}

/* 20250601000000; false: the year has no such form, or, with a time_t of 32 bits, is after 2037. */
static bool certificate_date(int64_t at, char text[16])
{
  const time_t when = (time_t)at;
  struct tm tm;
  memset(&tm, 0, sizeof tm);
  gmtime_r(&when, &tm);
  return when == at && strftime(text, 16, "%Y%m%d%H%M%S", &tm) == 14;
}

/* For servers, and not an authority: trust in it extends to nothing else. 0, or an error of mbedTLS. */
static int certificate_fill(mbedtls_x509write_cert *cert, mbedtls_pk_context *key, const mbedtls_x509_san_list *names, int days)
{
  static const char usage_oid[] = MBEDTLS_OID_SERVER_AUTH, name[] = "CN=svcapi listener,O=self-signed";
  const int64_t now = time(NULL);
  mbedtls_asn1_sequence usage;
  unsigned char serial[16];
  char from[16], until[16];
  int bad;
  memset(&usage, 0, sizeof usage);
  usage.buf.tag = MBEDTLS_ASN1_OID;
  usage.buf.p = (unsigned char *)(uintptr_t)usage_oid;
  usage.buf.len = sizeof usage_oid - 1;
  if (!certificate_date(now - 3600, from) || !certificate_date(now + (int64_t)days * 86400, until)) /* clocks of clients may be behind */
    return MBEDTLS_ERR_X509_INVALID_DATE;
  bad = mbedtls_psa_get_random(MBEDTLS_PSA_RANDOM_STATE, serial, sizeof serial);
  serial[0] = (serial[0] & 0x3F) | 0x40; /* positive, and of constant length */
  mbedtls_x509write_crt_set_subject_key(cert, key);
  mbedtls_x509write_crt_set_issuer_key(cert, key);
  mbedtls_x509write_crt_set_version(cert, MBEDTLS_X509_CRT_VERSION_3);
  mbedtls_x509write_crt_set_md_alg(cert, MBEDTLS_MD_SHA256);
  if (!bad) bad = mbedtls_x509write_crt_set_subject_name(cert, name);
  if (!bad) bad = mbedtls_x509write_crt_set_issuer_name(cert, name);
  if (!bad) bad = mbedtls_x509write_crt_set_serial_raw(cert, serial, sizeof serial);
  if (!bad) bad = mbedtls_x509write_crt_set_validity(cert, from, until);
  if (!bad) bad = mbedtls_x509write_crt_set_basic_constraints(cert, 0, -1);
  if (!bad) bad = mbedtls_x509write_crt_set_key_usage(cert, MBEDTLS_X509_KU_DIGITAL_SIGNATURE);
  if (!bad) bad = mbedtls_x509write_crt_set_ext_key_usage(cert, &usage);
  if (!bad) bad = mbedtls_x509write_crt_set_subject_key_identifier(cert);
  if (!bad) bad = mbedtls_x509write_crt_set_subject_alternative_name(cert, names);
  return bad;
}

int svc_listener_cert_make(const char *cert_file, const char *key_file, const char *const *names, size_t name_count, int days,
                           char *why, size_t why_size)
{
  mbedtls_x509_san_list nodes[CERTIFICATE_NAMES];
  unsigned char ips[CERTIFICATE_NAMES][16], pem[CERTIFICATE_PEM];
  mbedtls_x509write_cert cert;
  mbedtls_pk_context key;
  int rc = svc_listener_crypto(why, why_size), bad;
  if (rc != SVC_OK) return rc;
  if (name_count == 0 || name_count > CERTIFICATE_NAMES)
    return svc_listener_why(why, why_size, SVC_INVALID, "a certificate has 1 to %d names", CERTIFICATE_NAMES);
  memset(nodes, 0, sizeof nodes);
  mbedtls_x509write_crt_init(&cert);
  mbedtls_pk_init(&key);
  rc = certificate_key(&key, key_file, why, why_size);
  bad = rc == SVC_OK ? certificate_fill(&cert, &key, certificate_names(names, name_count, nodes, ips), days) : 0;
  if (rc == SVC_OK && !bad) bad = mbedtls_x509write_crt_pem(&cert, pem, sizeof pem, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  if (bad) rc = certificate_code(bad, SVC_INVALID);
  if (bad && rc == SVC_INVALID) svc_listener_why(why, why_size, rc, "%s: no certificate can be made of these names (-0x%04x)", cert_file, (unsigned)-bad);
  certificate_means(rc, why, why_size);
  if (rc == SVC_OK) rc = certificate_store(cert_file, (const char *)pem, 0644, why, why_size);
  mbedtls_x509write_crt_free(&cert);
  mbedtls_pk_free(&key);
  return rc;
}

#else

int svc_listener_crypto(char *why, size_t size) { return svc_listener_why(why, size, SVC_INVALID, LISTENER_NO_TLS); }

/* TLS is not built in: these are never reached. */
int svc_listener_pair_read(listener_pair **out, const char *cert_file, const char *key_file, char *why, size_t size)
{
  (void)cert_file, (void)key_file, (void)why, (void)size;
  return *out = NULL, SVC_INVALID;
}
void svc_listener_pair_free(listener_pair *p) { (void)p; }
void svc_listener_pair_describe(const listener_pair *p, svc_listener_cert *out) { (void)p, (void)out; }

int svc_listener_cert_read(const char *cert_file, const char *key_file, svc_listener_cert *out, char *why, size_t why_size)
{
  (void)cert_file, (void)key_file, (void)out;
  return svc_listener_why(why, why_size, SVC_INVALID, LISTENER_NO_TLS);
}

int svc_listener_cert_make(const char *cert_file, const char *key_file, const char *const *names, size_t name_count, int days,
                           char *why, size_t why_size)
{
  (void)cert_file, (void)key_file, (void)names, (void)name_count, (void)days;
  return svc_listener_why(why, why_size, SVC_INVALID, LISTENER_NO_TLS);
}

#endif
