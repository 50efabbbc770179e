/*
** Certificates of database users: OpenSSL verifies them against the project's authority. Each certificate matches its
** key and expires by the clock. Private keys are only in the answer.
**
** Tests also: certificate_authority
*/
#include "driver.h"
#include "faults.h"
#include "needs.h"
#include "support.h"

#include <unistd.h>

#define NEED_CERTS "/groups/{groupId}/databaseUsers/{username}/certs"
#define NEED_X509_USER \
  "{\"databaseName\":\"$external\",\"username\":\"CN=app\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}"

T_NEEDS(database_user_cert) = {
  /* only a user with x509Type MANAGED gets certificates */
  T_FIRST(SVC_POST, NEED_CERTS, SVC_POST, "/groups/{groupId}/databaseUsers", NEED_X509_USER),
  T_FIRST(SVC_GET, NEED_CERTS, SVC_POST, "/groups/{groupId}/databaseUsers", NEED_X509_USER),
  T_KEY(NEED_CERTS, "username", "CN%3Dapp"),
  T_NEEDS_END
};

static const svc_config quiet = { .limiter_off = 1 };

#define MANAGED(name) \
  "{\"databaseName\":\"$external\",\"username\":\"" name "\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}"

typedef struct cert_world {
  t_service t;
  char group[32];
} cert_world;

static void cert_open(cert_world *w, const svc_config *config)
{
  t_open(&w->t, config ? config : &quiet);
  snprintf(w->group, sizeof w->group, "%s", t_project(&w->t, t_organization(&w->t, "Acme"), "alpha"));
}

static void cert_user(cert_world *w, const char *body)
{
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/databaseUsers", w->group), ==, 201);
}

static int cert_send(cert_world *w, const char *method, const char *user, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/databaseUsers/%s/certs", w->group, user);
}

/* Returns a copy of the last answer's text, a JSON string. */
static char *cert_pem(cert_world *w)
{
  munit_assert_not_null(w->t.body);
  munit_assert_int(w->t.body->type, ==, SVC_J_STRING);
  return strdup(w->t.body->text.p);
}

static void cert_write(const char *folder, const char *name, const char *from, const char *to)
{
  char path[200];
  FILE *f;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  f = fopen(path, "w");
  munit_assert_not_null(f);
  munit_assert_size(fwrite(from, 1, (size_t)(to - from), f), ==, (size_t)(to - from));
  fclose(f);
}

/* Writes the three parts of the answer to files. */
static void cert_files(const char *folder, const char *pem)
{
  const char *key = strstr(pem, "-----BEGIN EC PRIVATE KEY-----");
  const char *ca = key ? strstr(key, "-----BEGIN CERTIFICATE-----") : NULL;
  munit_assert_memory_equal(27, pem, "-----BEGIN CERTIFICATE-----");
  munit_assert_not_null(ca);
  cert_write(folder, "cert.pem", pem, key);
  cert_write(folder, "key.pem", key, ca);
  cert_write(folder, "ca.pem", ca, ca + strlen(ca));
}

static int cert_openssl(const char *folder, const char *format, ...)
{
  char command[1024];
  va_list args;
  int n = snprintf(command, sizeof command, "cd '%s' && openssl ", folder);
  va_start(args, format);
  n += vsnprintf(command + n, sizeof command - (size_t)n, format, args);
  va_end(args);
  snprintf(command + n, sizeof command - (size_t)n, " >out 2>&1");
  return system(command);
}

static bool cert_said(const char *folder, const char *words)
{
  char path[200], text[8192];
  size_t n;
  FILE *f;
  snprintf(path, sizeof path, "%s/out", folder);
  f = fopen(path, "r");
  munit_assert_not_null(f);
  n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  fclose(f);
  return strstr(text, words) != NULL;
}

/* Returns the length of the first line of OpenSSL's output. */
static size_t cert_line(const char *folder)
{
  char path[200], line[200] = "";
  FILE *f;
  snprintf(path, sizeof path, "%s/out", folder);
  f = fopen(path, "r");
  munit_assert_not_null(f);
  munit_assert_not_null(fgets(line, sizeof line, f));
  fclose(f);
  return strcspn(line, "\r\n");
}

TEST(database_user_cert, verify)
{
  static const int64_t day = 86400;
  char folder[128];
  cert_world w;
  char *pem;
  SKIP_IF(system("command -v openssl >/dev/null 2>&1") != 0);
  store_folder(folder);
  cert_open(&w, NULL);
  cert_user(&w, MANAGED("CN=jane,OU=ops,O=acme"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djane%2COU%3Dops%2CO%3Dacme", "{\"monthsUntilExpiration\":12}"), ==, 201);
  pem = cert_pem(&w);
  cert_files(folder, pem);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem cert.pem", (long long)(T_START / 1000)), ==, 0);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem cert.pem", (long long)(T_START / 1000 + 364 * day)), ==, 0);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem cert.pem", (long long)(T_START / 1000 + 366 * day)), !=, 0);
  munit_assert_true(cert_said(folder, "expired"));
  munit_assert_int(cert_openssl(folder, "x509 -in cert.pem -noout -subject -enddate -ext basicConstraints,keyUsage"), ==, 0);
  munit_assert_true(cert_said(folder, "CN = jane") && cert_said(folder, "OU = ops") && cert_said(folder, "Jun  1 00:00:00 2026"));
  munit_assert_true(cert_said(folder, "CA:FALSE") && cert_said(folder, "Digital Signature"));
  munit_assert_int(cert_openssl(folder, "x509 -in cert.pem -noout -serial"), ==, 0);
  munit_assert_true(cert_said(folder, "serial=") && cert_line(folder) == 7 + 32); /* 126 random bits, and no sign */
  munit_assert_int(cert_openssl(folder, "x509 -in ca.pem -noout -ext basicConstraints"), ==, 0);
  munit_assert_true(cert_said(folder, "CA:TRUE"));
  munit_assert_int(cert_openssl(folder, "x509 -in cert.pem -noout -pubkey -out a.pub"), ==, 0); /* the key is that of the certificate */
  munit_assert_int(cert_openssl(folder, "pkey -in key.pem -pubout -out b.pub"), ==, 0);
  munit_assert_int(cert_openssl(folder, "version && cmp a.pub b.pub || false"), ==, 0);
  free(pem);

  /* a second certificate, of another user, is from the same authority; a certificate of another project is not */
  cert_user(&w, MANAGED("CN=joe"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 201);
  pem = cert_pem(&w);
  cert_write(folder, "joe.pem", pem, strstr(pem, "-----BEGIN EC PRIVATE KEY-----"));
  free(pem);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem joe.pem", (long long)(T_START / 1000)), ==, 0);
  snprintf(w.group, sizeof w.group, "%s", t_project(&w.t, t_organization(&w.t, "Other"), "beta"));
  cert_user(&w, MANAGED("CN=joe"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 201);
  pem = cert_pem(&w);
  cert_write(folder, "other.pem", pem, strstr(pem, "-----BEGIN EC PRIVATE KEY-----"));
  free(pem);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem other.pem", (long long)(T_START / 1000)), !=, 0);
  t_close(&w.t);
  store_remove(folder);
}

/* An authority is renewed by the clock, long before it expires. Servers get the new certificate and the previous one. Certificates
** of both verify. */
TEST(database_user_cert, renewed)
{
  char folder[128];
  t_driver driver;
  svc_config config = quiet;
  cert_world w;
  char *first, *second;
  const t_order *order;
  SKIP_IF(system("command -v openssl >/dev/null 2>&1") != 0);
  store_folder(folder);
  config.driver = t_driver_init(&driver);
  cert_open(&w, &config);
  cert_user(&w, MANAGED("CN=jane"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djane", "{\"monthsUntilExpiration\":24}"), ==, 201);
  first = cert_pem(&w);
  t_advance(&w.t, INT64_C(209) * 30 * 86400); /* a little less than 210 months */
  munit_assert_int(cert_send(&w, "POST", "CN%3Djane", "{\"monthsUntilExpiration\":24}"), ==, 201);
  free(first);
  first = cert_pem(&w); /* still signed with the old key */
  cert_files(folder, first);
  cert_write(folder, "old.pem", first, strstr(first, "-----BEGIN EC PRIVATE KEY-----"));
  t_advance(&w.t, INT64_C(200) * 86400);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  order = t_driver_order(&driver, "authority.put");
  munit_assert_not_null(strstr(order->desired, "END CERTIFICATE-----\\n-----BEGIN CERTIFICATE"));
  munit_assert_null(strstr(order->desired, "PRIVATE"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djane", "{\"monthsUntilExpiration\":24}"), ==, 201);
  second = cert_pem(&w);
  /* the previous authority's certificate is at the end */
  munit_assert_not_null(strstr(second, strstr(strstr(first, "-----END EC PRIVATE"), "-----BEGIN CERT")));
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem old.pem", (long long)(w.t.now / 1000)), ==, 0);
  cert_files(folder, second); /* ca.pem contains both authorities now */
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem old.pem", (long long)(w.t.now / 1000)), ==, 0);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem cert.pem", (long long)(w.t.now / 1000)), ==, 0);
  munit_assert_int(cert_openssl(folder, "verify -attime %lld -CAfile ca.pem cert.pem", (long long)(w.t.now / 1000 + 700 * 86400)), ==, 0);
  store_whole(w.t.s);
  free(first);
  free(second);
  t_close(&w.t);
  store_remove(folder);
}

TEST(database_user_cert, list)
{
  cert_world w;
  cert_open(&w, NULL);
  cert_user(&w, MANAGED("CN=joe"));
  munit_assert_int(cert_send(&w, "GET", "CN%3Djoe", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{\"monthsUntilExpiration\":1}"), ==, 201);
  munit_assert_string_equal(t_get_header(&w.t, "Cache-Control"), "no-store");
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 201); /* three months, the default */
  munit_assert_int(cert_send(&w, "GET", "CN%3Djoe", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].notAfter"), "2025-07-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[1].notAfter"), "2025-09-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[0].subject"), "CN=joe");
  munit_assert_int64(t_int(&w.t, "results[0]._id"), >, 0);
  /* numbers that every JSON client can represent */
  munit_assert_int64(t_int(&w.t, "results[0]._id") | t_int(&w.t, "results[1]._id"), <, (int64_t)1 << 53);
  munit_assert_int64(t_int(&w.t, "results[0]._id"), !=, t_int(&w.t, "results[1]._id"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=DB_USER_X509_CERT_CREATED", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  t_advance(&w.t, 30 * 86400); /* the first certificate has expired */
  munit_assert_int(cert_send(&w, "GET", "CN%3Djoe", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"monthsUntilExpiration\":1}", "/groups/%s/databaseUsers/CN%%3Djoe/certs?envelope=true", w.group), ==, 201);
  munit_assert_int((int)t_int(&w.t, "status"), ==, 201);
  munit_assert_memory_equal(27, t_str(&w.t, "content"), "-----BEGIN CERTIFICATE-----");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/databaseUsers/$external/CN%%3Djoe", w.group), ==, 204);
  munit_assert_int(cert_send(&w, "GET", "CN%3Djoe", NULL), ==, 404);
  store_whole(w.t.s); /* the user's records were deleted as well */
  t_close(&w.t);
}

/* A name is refused if its certificate would hold a different name, of another user or of nobody. */
static void cert_names(cert_world *w)
{
  static const struct {
    const char *name, *path;
    bool good;
  } names[] = {
    { "CN=a,CN=b", "CN%3Da%2CCN%3Db", false }, /* mbedTLS would issue the certificate to CN=b */
    { "CN=a,commonName=b", "CN%3Da%2CcommonName%3Db", false },
    { "CN=\\\"a, b\\\"", "CN%3D%22a%2C%20b%22", false },
    { "CN=a, b", "CN%3Da%2C%20b", false },
    { "CN=a+OU=b", "CN%3Da%2BOU%3Db", false },
    { "CN=a,", "CN%3Da%2C", false },
    { "CN=#0c0161", "CN%3D%230c0161", false },
    { "CN=a;O=b", "CN%3Da%3BO%3Db", false },
    { "CN=a\\\\, b,OU=ops", "CN%3Da%5C%2C%20b%2COU%3Dops", true }, /* RFC 4514 */
    { "CN=a\\\\2C b,O=ops", "CN%3Da%5C2C%20b%2CO%3Dops", true },
    { "CN=a, O=b", "CN%3Da%2C%20O%3Db", true },
  };
  char body[300], name[100], path[300];
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(body, sizeof body, "{\"databaseName\":\"$external\",\"username\":\"%s\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", names[i].name);
    cert_user(w, body);
    if (cert_send(w, "POST", names[i].path, "{}") != (names[i].good ? 201 : 400)) munit_errorf("%s: %s", names[i].name, w->t.response.body);
    if (!names[i].good) munit_assert_string_equal(t_error(&w->t), "INVALID_USERNAME");
  }
  for (i = 0; i < 2; i++) { /* the project's authority has this name, in upper or lower case */
    snprintf(name, sizeof name, "%s=%s,O=%s", i ? "commonName" : "CN", w->group, i ? "SVC" : "svc");
    snprintf(body, sizeof body, "{\"databaseName\":\"$external\",\"username\":\"%s\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", name);
    cert_user(w, body);
    snprintf(path, sizeof path, "%s%%3D%s%%2CO%%3D%s", i ? "commonName" : "CN", w->group, i ? "SVC" : "svc");
    munit_assert_int(cert_send(w, "POST", path, "{}"), ==, 400);
    munit_assert_string_equal(t_error(&w->t), "INVALID_USERNAME");
  }
}

TEST(database_user_cert, refused)
{
  cert_world w;
  cert_open(&w, NULL);
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "USERNAME_NOT_FOUND");
  cert_user(&w, "{\"databaseName\":\"$external\",\"username\":\"CN=cust\",\"x509Type\":\"CUSTOMER\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}");
  munit_assert_int(cert_send(&w, "POST", "CN%3Dcust", "{}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_USERNAME");
  cert_user(&w, "{\"databaseName\":\"admin\",\"username\":\"certs\",\"password\":\"correct horse\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}");
  /* the path is read as the certificates of a user "admin", who does not exist */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/databaseUsers/admin/certs", w.group), ==, 404);
  cert_user(&w, MANAGED("CN=joe"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{\"monthsUntilExpiration\":0}"), ==, 400);
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{\"monthsUntilExpiration\":25}"), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "monthsUntilExpiration");
  cert_user(&w, MANAGED("nonsense=a,b"));
  munit_assert_int(cert_send(&w, "POST", "nonsense%3Da%2Cb", "{}"), ==, 400); /* a certificate cannot hold this name */
  munit_assert_string_equal(t_error(&w.t), "INVALID_USERNAME");
  cert_names(&w);
  w.t.no_key = true;
  t_reopen(&w.t, &quiet);
  snprintf(w.group, sizeof w.group, "%s", t_project(&w.t, t_organization(&w.t, "Acme"), "alpha"));
  cert_user(&w, MANAGED("CN=joe"));
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 403); /* the authority's key cannot be stored */
  munit_assert_string_equal(t_error(&w.t), "UNSUPPORTED_FOR_CURRENT_CONFIG");
  munit_assert_int(cert_send(&w, "GET", "CN%3Djoe", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

/* The file of the store contains no private key, neither in PEM nor in DER. The authority's sealed key can be used after a restart. */
TEST(database_user_cert, stored)
{
  /* the first bytes of every key of this kind (RFC 5915: version 1 and 32 bytes), and the same in base64 */
  static const char der[] = { 0x30, 0x77, 2, 1, 1, 4, 32 }, base64[] = "MHcCAQEEI";
  char folder[128], path[200];
  svc_config config = quiet;
  cert_world w;
  char *pem, *store;
  const char *key;
  size_t n, i;
  FILE *f;
  store_folder(folder);
  config.path = folder;
  cert_open(&w, &config);
  cert_user(&w, MANAGED("CN=joe"));
  t_header(&w.t, "Idempotency-Key", "once"); /* the stored answer to this request is searched, too */
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 201);
  pem = cert_pem(&w);
  t_headers_clear(&w.t);
  key = strstr(pem, "-----BEGIN EC PRIVATE KEY-----") + 31;
  munit_assert_memory_equal(sizeof base64 - 1, key, base64);
  t_reopen(&w.t, &config);
  munit_assert_int(cert_send(&w, "POST", "CN%3Djoe", "{}"), ==, 201); /* by the same authority, after a restart */
  munit_assert_not_null(strstr(w.t.body->text.p, strstr(key, "-----BEGIN CERTIFICATE-----")));
  t_close(&w.t);
  if (!T_ON_LMDB) goto done; /* no file to search; secrets_test.c searches the records */
  snprintf(path, sizeof path, "%s/data.mdb", folder);
  f = fopen(path, "rb");
  munit_assert_not_null(f);
  store = munit_malloc(64 << 20);
  n = fread(store, 1, 64 << 20, f);
  fclose(f);
  munit_assert_size(n, >, 4096);
  for (i = 0; i + 40 < n; i++) {
    munit_assert_false(memcmp(store + i, key, 40) == 0);
    munit_assert_false(memcmp(store + i, "PRIVATE KEY", 11) == 0);
    munit_assert_false(memcmp(store + i, base64, sizeof base64 - 1) == 0);
    munit_assert_false(memcmp(store + i, der, sizeof der) == 0);
  }
  free(store);
done:
  free(pem);
  store_remove(folder);
}

/* mbedTLS allocates hundreds of times for one certificate. If an allocation fails, the answer is 503, not the error for an
** invalid name. */
TEST(database_user_cert, memory)
{
  static const char body[] = "{\"monthsUntilExpiration\":3}";
  cert_world w;
  long n, hits = 1, refused = 0;
  cert_open(&w, NULL);
  cert_user(&w, MANAGED("CN=app"));
  munit_assert_int(cert_send(&w, "POST", "CN=app", body), ==, 201); /* creates the authority as well */
  for (n = 1; hits; n += 5) {
    svc_header json = { "Content-Type", "application/json", 0, 0 };
    char target[200];
    svc_request request = { .method = "POST", .target = target, .headers = &json, .header_count = 1, .body = body,
                            .body_length = sizeof body - 1, .peer = w.t.peer, .caller = &w.t.caller };
    svc_response response;
    int rc;
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/databaseUsers/CN=app/certs", w.group);
    munit_assert_long(n, <, 10000);
    t_fault(T_CALL_MEMORY, n, ENOMEM, false);
    rc = svc_handle_request(w.t.s, &request, &response);
    hits = t_fault_end();
    if (t_memory_sufficed(rc, &response)) munit_assert_int(response.status, ==, 201);
    else refused++;
    svc_response_free(&response);
  }
  munit_assert_long(refused, >, 20);
  t_close(&w.t);
}
