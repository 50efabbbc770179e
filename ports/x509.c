/*
** Certificates (X.509) and their keys, from mbedTLS 3: a self-signed authority, and the certificates that it issues to users.
**
** Keys are ECDSA on P-256. With a library that cannot write certificates (ports/mbedtls_config.h) this file compiles, but svc_x509_make()
** and svc_x509_dates() return SVC_NO_X509, and svc_x509_check() only looks at the first line.
**
** The rule: a certificate that is made here is parsed again, and must have exactly the requested subject.
*/
#include "ports/ports.h"

#include <mbedtls/version.h>

#if defined(MBEDTLS_X509_CRT_WRITE_C) && defined(MBEDTLS_X509_CRT_PARSE_C) && defined(MBEDTLS_PEM_WRITE_C) && \
  defined(MBEDTLS_PEM_PARSE_C) && defined(MBEDTLS_ECDSA_C) && defined(MBEDTLS_ECP_DP_SECP256R1_ENABLED) && \
  defined(MBEDTLS_PK_WRITE_C) && defined(MBEDTLS_PK_PARSE_C) && defined(MBEDTLS_MD_CAN_SHA1)
#define X509_IS_THERE 1
#include <mbedtls/asn1.h>
#include <mbedtls/base64.h>
#include <mbedtls/bignum.h>
#include <mbedtls/ecp.h>
#include <mbedtls/md.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>
#else
#define X509_IS_THERE 0
#endif

#if X509_IS_THERE

#define X509_PEM 4096 /* bytes: a certificate with a long subject has about 1200 */

/* An error of mbedTLS is that of a module plus one of the layer below (the last seven bits). */
static int x509_below(int error)
{
  return -(-error & 0x7F);
}

/* The status of an mbedTLS error: out of memory, or otherwise the caller's. */
static int x509_failed(int error, int otherwise)
{
  static const int of_memory[] = { MBEDTLS_ERR_X509_ALLOC_FAILED, MBEDTLS_ERR_PK_ALLOC_FAILED, MBEDTLS_ERR_PEM_ALLOC_FAILED, MBEDTLS_ERR_ECP_ALLOC_FAILED,
                                   MBEDTLS_ERR_MD_ALLOC_FAILED };
  const int below = x509_below(error);
  size_t i;
  if (error >= 0) return error ? otherwise : SVC_OK;
  if (below == MBEDTLS_ERR_MPI_ALLOC_FAILED || below == MBEDTLS_ERR_ASN1_ALLOC_FAILED) return SVC_NOMEM;
  for (i = 0; i < sizeof of_memory / sizeof of_memory[0]; i++)
    if (error - below == of_memory[i]) return SVC_NOMEM;
  return otherwise;
}

/* mbedTLS takes random bytes from a function of another type. */
static int x509_random(void *context, unsigned char *out, size_t n)
{
  const svc_x509_request *r = context;
  return r->random(r->random_context, out, n) == 0 ? 0 : MBEDTLS_ERR_PK_BAD_INPUT_DATA;
}

static void x509_time(int64_t ms, char out[16])
{
  char text[21]; /* 2025-06-01T00:00:00Z */
  svc_date_text(ms, text);
  snprintf(out, 16, "%.4s%.2s%.2s%.2s%.2s%.2s", text, text + 5, text + 8, text + 11, text + 14, text + 17);
}

static bool x509_describe(mbedtls_x509write_cert *cert, const svc_x509_request *r)
{
  unsigned char serial[sizeof r->serial];
  char from[16], until[16];
  memcpy(serial, r->serial, sizeof serial);
  serial[0] = (unsigned char)((serial[0] & 0x7F) | 0x40); /* positive (RFC 5280, 4.1.2.2), and of full length: DER has no leading zeros */
  x509_time(r->from, from);
  x509_time(r->until, until);
  mbedtls_x509write_crt_set_version(cert, MBEDTLS_X509_CRT_VERSION_3);
  mbedtls_x509write_crt_set_md_alg(cert, MBEDTLS_MD_SHA256);
  return mbedtls_x509write_crt_set_serial_raw(cert, serial, sizeof serial) == 0 &&
         mbedtls_x509write_crt_set_validity(cert, from, until) == 0 &&
         mbedtls_x509write_crt_set_basic_constraints(cert, !r->issuer_key.n, r->issuer_key.n ? -1 : 0) == 0 &&
         mbedtls_x509write_crt_set_key_usage(cert, r->issuer_key.n ? MBEDTLS_X509_KU_DIGITAL_SIGNATURE
                                                                   : MBEDTLS_X509_KU_KEY_CERT_SIGN | MBEDTLS_X509_KU_CRL_SIGN) == 0 &&
         mbedtls_x509write_crt_set_subject_key_identifier(cert) == 0 && mbedtls_x509write_crt_set_authority_key_identifier(cert) == 0;
}

static int x509_name(int (*set)(mbedtls_x509write_cert *cert, const char *name), mbedtls_x509write_cert *cert, svc_arena *a, svc_str name)
{
  svc_str text = svc_arena_copy(a, name);
  if (a->failed) return SVC_NOMEM;
  return x509_failed(set(cert, text.p), SVC_INVALID); /* not a distinguished name, or one with unknown attributes */
}

/* A name may be too long for our certificates; any other error is not the request's fault. */
static int x509_written(int error)
{
  const int below = x509_below(error);
  return x509_failed(error, below == MBEDTLS_ERR_ASN1_BUF_TOO_SMALL || below == MBEDTLS_ERR_BASE64_BUFFER_TOO_SMALL ? SVC_INVALID : SVC_RANDOM);
}

/* The written text, NUL-terminated, in the arena. */
static svc_str x509_text(svc_arena *a, const unsigned char *pem)
{
  return svc_arena_copy(a, (svc_str){ (const char *)pem, strlen((const char *)pem) });
}

static int x509_write(svc_arena *a, const svc_x509_request *r, mbedtls_x509write_cert *cert, mbedtls_pk_context *key, svc_x509_pair *out)
{
  unsigned char pem[X509_PEM];
  int rc = x509_written(mbedtls_x509write_crt_pem(cert, pem, sizeof pem, x509_random, (void *)(uintptr_t)r));
  if (rc == SVC_OK) {
    out->certificate = x509_text(a, pem);
    rc = x509_written(mbedtls_pk_write_key_pem(key, pem, sizeof pem));
  }
  if (rc == SVC_OK) out->key = x509_text(a, pem);
  mbedtls_platform_zeroize(pem, sizeof pem);
  return rc == SVC_OK && a->failed ? SVC_NOMEM : rc;
}

static int x509_keys(const svc_x509_request *r, mbedtls_pk_context *key, mbedtls_pk_context *issuer)
{
  void *random = (void *)(uintptr_t)r;
  int error = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
  if (!error) error = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), x509_random, random);
  if (!error && r->issuer_key.n) /* includes the NUL */
    error = mbedtls_pk_parse_key(issuer, (const unsigned char *)r->issuer_key.p, r->issuer_key.n + 1, NULL, 0, x509_random, random);
  return x509_failed(error, SVC_RANDOM);
}

/* Reads an escape of an attribute's value behind its backslash: a special character, or two hexadecimal digits. */
static bool x509_escaped(const char **p, const char *end, svc_buf *out)
{
  static const char hex[] = "0123456789abcdef", special[] = " \"#+,;<=>\\";
  const char *high = *p < end ? strchr(hex, **p | 0x20) : NULL, *low = end - *p > 1 ? strchr(hex, (*p)[1] | 0x20) : NULL;
  if (*p < end && **p && strchr(special, **p)) svc_buf_char(out, *(*p)++);
  else if (high && low) svc_buf_char(out, (char)((high - hex) << 4 | (low - hex))), *p += 2;
  else return false;
  return true;
}

/* Reads an attribute of a distinguished name, "CN=jane", and the comma behind it. Strictly RFC 4514: special characters are escaped, and
** there are neither quotes nor values in hex. Spaces may follow a comma. */
static bool x509_attribute(svc_arena *a, svc_str *rest, svc_str *value)
{
  static const char special[] = "\"+;<>";
  const char *p = rest->p, *end = p + rest->n, *type;
  svc_buf b = svc_buf_new(a, rest->n + 1);
  while (p < end && *p == ' ') p++;
  for (type = p; p < end && *p != '=' && *p != ',';) p++;
  if (p == type || p == end || *p++ != '=' || p == end || *p == '#' || *p == ' ' || *p == ',') return false;
  while (p < end && *p != ',') {
    if (*p == '\\') {
      p++;
      if (!x509_escaped(&p, end, &b)) return false;
    } else {
      if (!*p || strchr(special, *p)) return false;
      svc_buf_char(&b, *p++);
    }
  }
  *value = svc_buf_done(&b);
  if (p < end && ++p == end) return false; /* nothing follows the comma */
  *rest = (svc_str){ p, (size_t)(end - p) };
  return true;
}

static bool x509_same_bytes(const mbedtls_asn1_buf *a, const mbedtls_asn1_buf *b)
{
  return a->len == b->len && (!a->len || memcmp(a->p, b->p, a->len) == 0);
}

/* Whether names are equal, as verifiers of certificates compare them: ignoring case. */
static bool x509_same_name(svc_arena *a, const mbedtls_x509_name *x, const mbedtls_x509_name *y)
{
  for (; x && y; x = x->next, y = y->next) {
    svc_str text = svc_arena_copy(a, (svc_str){ (const char *)y->val.p, y->val.len });
    if (!x509_same_bytes(&x->oid, &y->oid) || x->val.len != y->val.len) return false;
    if (!svc_str_is_nocase((svc_str){ (const char *)x->val.p, x->val.len }, text.p)) return false;
  }
  return !x && !y;
}

/* Whether the certificate has the requested name. mbedTLS keeps the last of two attributes of one type, and skips what it cannot read. */
static bool x509_says(svc_arena *a, const mbedtls_x509_name *name, svc_str wanted)
{
  svc_str value;
  for (; name; name = name->next) {
    if (!wanted.n || !x509_attribute(a, &wanted, &value)) return false;
    if (!svc_str_eq(value, (svc_str){ (const char *)name->val.p, name->val.len })) return false;
  }
  return wanted.n == 0;
}

/* Parses certificates one by one: for several at once mbedTLS reports how many it could not read, but not a lack of memory. */
static int x509_parse(svc_arena *a, svc_str pem, mbedtls_x509_crt *chain)
{
  static const char begin[] = "-----BEGIN CERTIFICATE-----";
  const char *rest = svc_arena_copy(a, pem).p, *next;
  int rc = 0;
  for (; rest && rc == 0 && !a->failed; rest = next) {
    const char *first = strstr(rest, begin);
    svc_str one;
    next = first ? strstr(first + 1, begin) : NULL;
    one = svc_arena_copy(a, (svc_str){ rest, next ? (size_t)(next - rest) : strlen(rest) });
    if (!a->failed) rc = mbedtls_x509_crt_parse(chain, (const unsigned char *)one.p, one.n + 1);
  }
  return a->failed ? MBEDTLS_ERR_X509_ALLOC_FAILED : rc;
}

/* Out of memory is an error of its own: a caller that only checks a certificate must not take it for invalid. */
static int x509_said(svc_arena *a, int rc)
{
  rc = x509_failed(rc, SVC_INVALID);
  if (rc == SVC_NOMEM) a->failed = true;
  return rc;
}

/* A certificate must have exactly the requested subject, and only an authority's own certificate has the authority's name: otherwise
** SVC_INVALID. */
static int x509_read_back(svc_arena *a, const svc_x509_request *r, svc_str pem)
{
  mbedtls_x509_crt cert;
  int rc;
  mbedtls_x509_crt_init(&cert);
  rc = x509_failed(x509_parse(a, pem, &cert), SVC_RANDOM);
  if (rc == SVC_OK && !x509_says(a, &cert.subject, r->subject)) rc = SVC_INVALID;
  if (rc == SVC_OK && r->issuer_key.n && x509_same_name(a, &cert.subject, &cert.issuer)) rc = SVC_INVALID;
  mbedtls_x509_crt_free(&cert);
  return a->failed ? SVC_NOMEM : rc;
}

SVC_PRIVATE int svc_x509_make(svc_arena *a, const svc_x509_request *r, svc_x509_pair *out)
{
  mbedtls_x509write_cert cert;
  mbedtls_pk_context key, issuer;
  int rc;
  mbedtls_x509write_crt_init(&cert);
  mbedtls_pk_init(&key);
  mbedtls_pk_init(&issuer);
  rc = x509_keys(r, &key, &issuer);
  if (rc == SVC_OK) {
    mbedtls_x509write_crt_set_subject_key(&cert, &key);
    mbedtls_x509write_crt_set_issuer_key(&cert, r->issuer_key.n ? &issuer : &key);
    rc = x509_name(mbedtls_x509write_crt_set_subject_name, &cert, a, r->subject);
    if (rc == SVC_OK) rc = x509_name(mbedtls_x509write_crt_set_issuer_name, &cert, a, r->issuer);
    if (rc == SVC_OK) rc = x509_describe(&cert, r) ? x509_write(a, r, &cert, &key, out) : SVC_NOMEM;
    if (rc == SVC_OK) rc = x509_read_back(a, r, out->certificate);
  }
  mbedtls_x509write_crt_free(&cert);
  mbedtls_pk_free(&key);
  mbedtls_pk_free(&issuer);
  return rc;
}

SVC_PRIVATE int svc_x509_check(svc_arena *a, svc_str pem)
{
  mbedtls_x509_crt chain;
  int rc;
  mbedtls_x509_crt_init(&chain);
  rc = x509_parse(a, pem, &chain);
  mbedtls_x509_crt_free(&chain);
  return x509_said(a, rc);
}

static int64_t x509_ms(const mbedtls_x509_time *t)
{
  return svc_day_ms((unsigned)(t->year * 10000 + t->mon * 100 + t->day)) + ((t->hour * 60 + t->min) * 60 + t->sec) * (int64_t)1000;
}

SVC_PRIVATE int svc_x509_dates(svc_arena *a, svc_str pem, int64_t *from, int64_t *until)
{
  mbedtls_x509_crt chain;
  int rc;
  mbedtls_x509_crt_init(&chain);
  rc = x509_parse(a, pem, &chain);
  if (rc == 0 && chain.next) rc = 1; /* several */
  if (rc == 0) {
    *from = x509_ms(&chain.valid_from);
    *until = x509_ms(&chain.valid_to);
  }
  mbedtls_x509_crt_free(&chain);
  return x509_said(a, rc);
}

#else

SVC_PRIVATE int svc_x509_make(svc_arena *a, const svc_x509_request *r, svc_x509_pair *out)
{
  (void)a, (void)r, (void)out;
  return SVC_NO_X509;
}

SVC_PRIVATE int svc_x509_check(svc_arena *a, svc_str pem)
{
  (void)a;
  return svc_str_starts(pem, "-----BEGIN CERTIFICATE-----") ? SVC_OK : SVC_INVALID; /* as far as this can be checked here */
}

SVC_PRIVATE int svc_x509_dates(svc_arena *a, svc_str pem, int64_t *from, int64_t *until)
{
  (void)a, (void)pem, (void)from, (void)until;
  return SVC_NO_X509;
}

#endif
