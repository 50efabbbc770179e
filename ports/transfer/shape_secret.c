/*
** Secrets in plain text: an export unseals what pipeline/seal.c has sealed, and an import seals it again with the key of the new store.
**
** A sealed text is the optional id of its key, and base64 of nonce(12), the AES-256-GCM ciphertext, tag(16). A secret is sealed
** for its entity and its name, and opens nowhere else. An import writes no id: a new store has only one key.
*/
#define _GNU_SOURCE /* getentropy */
#include "ports/transfer/shape.h"

#include <mbedtls/cipher.h>
#include <mbedtls/gcm.h>
#include <unistd.h>

#define SECRET_NONCE 12
#define SECRET_TAG 16
#define SECRET_NAME 256 /* bytes of a name */
#define SECRET_KEY_ID 9 /* eight digits and a colon */

const svc_str svc_secret_word = { "the secrets of this store", 25 };

/* Writes what a secret is sealed for, its entity and its name, and returns the length. 0: the name is too long. */
static size_t secret_about(const svc_sealed_for *f, svc_str name, unsigned char about[16 + SECRET_NAME])
{
  if (name.n > SECRET_NAME) return 0;
  memcpy(about, f->about, 16);
  memcpy(about + 16, name.p, name.n);
  return 16 + name.n;
}

/* The status of an mbedTLS error that says nothing about the secret. */
static int secret_status(int bad)
{
  return bad == 0 || bad == MBEDTLS_ERR_GCM_AUTH_FAILED ? SVC_OK : bad == MBEDTLS_ERR_CIPHER_ALLOC_FAILED ? SVC_NOMEM : SVC_IO;
}

/* Decrypts `clear` in place; 0, or mbedTLS's error. */
static int secret_decrypt(const svc_sealed_for *f, const unsigned char *about, size_t about_n, svc_line *clear)
{
  unsigned char *bytes = (unsigned char *)clear->p;
  size_t n = clear->n - SECRET_NONCE - SECRET_TAG;
  mbedtls_gcm_context gcm;
  int bad;
  mbedtls_gcm_init(&gcm);
  bad = mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, f->key, 256);
  if (!bad)
    bad = mbedtls_gcm_auth_decrypt(&gcm, n, bytes, SECRET_NONCE, about, about_n, bytes + SECRET_NONCE + n, SECRET_TAG, bytes + SECRET_NONCE, bytes + SECRET_NONCE);
  mbedtls_gcm_free(&gcm);
  return bad;
}

bool svc_secret_open(const svc_sealed_for *f, svc_str name, svc_str sealed, svc_line *out)
{
  unsigned char about[16 + SECRET_NAME];
  size_t about_n = secret_about(f, name, about);
  svc_line raw = { 0 }, clear = { 0 };
  bool good = false;
  int bad;
  if (sealed.n > SECRET_KEY_ID && sealed.p[SECRET_KEY_ID - 1] == ':') sealed = (svc_str){ sealed.p + SECRET_KEY_ID, sealed.n - SECRET_KEY_ID };
  svc_line_c(&raw, "\"");
  svc_line_add(&raw, sealed.p, sealed.n);
  svc_line_c(&raw, "\"");
  if (about_n && raw.rc == SVC_OK && svc_line_from_base64(&clear, (svc_str){ raw.p, raw.n }) && clear.rc == SVC_OK && clear.n >= SECRET_NONCE + SECRET_TAG) {
    bad = secret_decrypt(f, about, about_n, &clear);
    good = bad == 0;
    svc_line_fails(out, secret_status(bad));
    if (good) svc_line_add(out, clear.p + SECRET_NONCE, clear.n - SECRET_NONCE - SECRET_TAG);
  }
  svc_line_fails(out, raw.rc != SVC_OK ? raw.rc : clear.rc);
  svc_line_free(&raw);
  svc_line_free(&clear);
  return good;
}

bool svc_secret_seal(const svc_sealed_for *f, svc_str name, svc_str secret, svc_line *out)
{
  unsigned char about[16 + SECRET_NAME], nonce[SECRET_NONCE] = { 0 }, tag[SECRET_TAG];
  size_t about_n = secret_about(f, name, about);
  svc_line sealed = { 0 }, text = { 0 };
  mbedtls_gcm_context gcm;
  bool good = about_n && getentropy(nonce, sizeof nonce) == 0;
  int bad = 0;
  svc_line_add(&sealed, nonce, sizeof nonce);
  svc_line_add(&sealed, secret.p, secret.n);
  mbedtls_gcm_init(&gcm);
  good = good && sealed.rc == SVC_OK;
  if (good) bad = mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, f->key, 256);
  if (good && !bad)
    bad = mbedtls_gcm_crypt_and_tag(&gcm, MBEDTLS_GCM_ENCRYPT, secret.n, nonce, sizeof nonce, about, about_n, (const unsigned char *)secret.p,
                                    (unsigned char *)sealed.p + SECRET_NONCE, SECRET_TAG, tag);
  mbedtls_gcm_free(&gcm);
  svc_line_add(&sealed, tag, sizeof tag);
  svc_line_base64(&text, (svc_str){ sealed.p, sealed.n });
  svc_line_fails(out, sealed.rc != SVC_OK ? sealed.rc : text.rc != SVC_OK ? text.rc : secret_status(bad));
  good = good && !bad && out->rc == SVC_OK;
  if (good) svc_line_add(out, text.p + 1, text.n - 2); /* without its quotes */
  svc_line_free(&sealed);
  svc_line_free(&text);
  return good;
}

static bool secrets_turn(const svc_sealed_for *f, svc_str name, svc_str value, bool open, svc_line *out, int depth);

static bool secret_turn(const svc_sealed_for *f, svc_str name, svc_str value, bool open, svc_line *out)
{
  svc_line text = { 0 }, turned = { 0 };
  bool good = svc_line_from_string(&text, value) && text.n && text.rc == SVC_OK;
  svc_str in = { text.n ? text.p : "", text.n };
  good = good && (open ? svc_secret_open(f, name, in, &turned) : svc_secret_seal(f, name, in, &turned));
  good = good && turned.rc == SVC_OK && svc_line_string(out, (svc_str){ turned.n ? turned.p : "", turned.n });
  svc_line_fails(out, text.rc != SVC_OK ? text.rc : turned.rc);
  svc_line_free(&text);
  svc_line_free(&turned);
  return good;
}

static bool secrets_turn_array(const svc_sealed_for *f, svc_str value, bool open, svc_line *out, int depth)
{
  const char *p = value.p + 1, *end = value.p + value.n, *next;
  svc_line_c(out, "[");
  while (*p != ']') {
    next = svc_line_value(p, end, depth);
    if (!next || !secrets_turn(f, (svc_str){ "", 0 }, (svc_str){ p, (size_t)(next - p) }, open, out, depth + 1)) return false;
    if (*next == ',') svc_line_add(out, next++, 1);
    p = next;
  }
  svc_line_c(out, "]");
  return true;
}

static bool secrets_turn(const svc_sealed_for *f, svc_str name, svc_str value, bool open, svc_line *out, int depth)
{
  const char *at = value.p + 1, *end = value.p + value.n;
  svc_str member, inner;
  bool first = true;
  if (depth > SVC_LINE_DEPTH) return false;
  if (value.p[0] == '"') return secret_turn(f, name, value, open, out);
  if (value.p[0] == '[') return secrets_turn_array(f, value, open, out, depth);
  if (value.p[0] != '{') return false;
  svc_line_c(out, "{");
  while (svc_line_member(&at, end, depth, &member, &inner)) {
    if (memchr(member.p, '\\', member.n)) return false; /* sealed for the name without escapes */
    svc_line_c(out, first ? "\"" : ",\"");
    svc_line_add(out, member.p, member.n);
    svc_line_c(out, "\":");
    if (!secrets_turn(f, member, inner, open, out, depth + 1)) return false;
    first = false;
  }
  svc_line_c(out, "}");
  return at == end;
}

bool svc_secrets_turn(const svc_sealed_for *f, svc_str object, bool open, svc_line *out)
{
  if (svc_line_value(object.p, object.p + object.n, 0) != object.p + object.n || object.p[0] != '{') return false;
  return secrets_turn(f, (svc_str){ "", 0 }, object, open, out, 0);
}
