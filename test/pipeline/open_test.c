/*
** How svc_open() treats callers that were compiled for another svcapi.h than the library's, which can happen with a shared
** library. svc_config grows at its end, so an older program passes a shorter struct and a newer one a longer struct.
*/
#include "faults.h"
#include "support.h"

/* A longer svc_config of a newer version. */
typedef struct open_longer {
  svc_config known;
  int64_t later[2];
} open_longer;

static void open_say(void *context, int level, const char *text)
{
  munit_assert_int(level, ==, SVC_LOG_ERROR);
  snprintf(context, 256, "%s", text);
}

/* Members beyond the end of an older caller's struct are not read, and have their defaults. */
TEST(open, older)
{
  const size_t size = offsetof(svc_config, db_scheme); /* the size of an older svc_config */
  char *theirs = malloc(size); /* the sanitizer detects reads beyond it */
  svc_config config;
  svc *s;
  memset(&config, 0, sizeof config);
  config.vendor = "acme";
  memcpy(theirs, &config, size);
  munit_assert_int(svc_open_as(&s, (const svc_config *)(void *)theirs, SVC_VERSION_NUMBER, size), ==, SVC_OK);
  munit_assert_string_equal(s->config.vendor, "acme");
  munit_assert_string_equal(s->config.db_scheme, "db"); /* the default */
  munit_assert_int(s->config.conceal, ==, 0);
  svc_close(s);
  free(theirs);
}

TEST(open, newer)
{
  char said[256] = "";
  open_longer theirs;
  svc *s;
  memset(&theirs, 0, sizeof theirs);
  theirs.known.log = open_say;
  theirs.known.log_context = said;
  /* the members that the library does not know are zero */
  munit_assert_int(svc_open_as(&s, &theirs.known, SVC_VERSION_NUMBER, sizeof theirs), ==, SVC_OK);
  svc_close(s);
  theirs.later[1] = 1;
  munit_assert_int(svc_open_as(&s, &theirs.known, SVC_VERSION_NUMBER, sizeof theirs), ==, SVC_INVALID);
  munit_assert_null(s);
  munit_assert_not_null(strstr(said, "does not know"));
}

/* Structs may differ between major versions, so a program of another major version is refused, newer or older. */
TEST(open, other_major)
{
  static const struct {
    int version;
    int rc;
  } rows[] = { { SVC_VERSION_NUMBER + 1, SVC_OK }, { SVC_VERSION_NUMBER + 999, SVC_OK }, { SVC_VERSION_NUMBER + 1000, SVC_OK },
               { SVC_VERSION_NUMBER / 1000000 * 1000000 + 999999, SVC_OK }, { SVC_VERSION_NUMBER + 1000000, SVC_INVALID },
               { 2000, SVC_INVALID }, { 1000, SVC_INVALID }, { 0, SVC_INVALID }, { -1, SVC_INVALID } };
  char said[256];
  svc_config config;
  svc *s;
  size_t i;
  memset(&config, 0, sizeof config);
  config.log = open_say;
  config.log_context = said;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    said[0] = '\0';
    munit_assert_int(svc_open_as(&s, &config, rows[i].version, sizeof config), ==, rows[i].rc);
    munit_assert_true((s != NULL) == (rows[i].rc == SVC_OK));
    munit_assert_true((strstr(said, "recompile it for " SVC_VERSION) != NULL) == (rows[i].rc != SVC_OK));
    svc_close(s);
  }
  munit_assert_int(svc_open_as(&s, &config, SVC_VERSION_NUMBER, 8), ==, SVC_INVALID); /* no svc_config was ever this small */
  munit_assert_int((svc_open)(&s, NULL), ==, SVC_OK); /* a caller that loads the function by name */
  svc_close(s);
}

/* The random generator cannot be seeded, although the system has entropy. */
TEST(open, unseeded)
{
  char said[256] = "";
  svc_config config;
  svc *s;
  memset(&config, 0, sizeof config);
  config.log = open_say;
  config.log_context = said;
  t_fault(T_CALL_CRYPTO, 1, EIO, false);
  munit_assert_int(svc_open(&s, &config), ==, SVC_RANDOM);
  munit_assert_long(t_fault_end(), ==, 1);
  munit_assert_null(s);
  munit_assert_not_null(strstr(said, "cannot seed its generator of random bytes: -0x0005"));
  munit_assert_null(strstr(said, "entropy"));
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  svc_close(s);
}

/* svc_response_header() finds a name in any case. It returns NULL for a missing header, an invalid argument and a freed response. */
TEST(open, headers)
{
  svc_response response;
  svc *s;
  munit_assert_int((svc_open)(&s, NULL), ==, SVC_OK);
  munit_assert_int(svc_openapi(s, &response), ==, SVC_OK);
  munit_assert_string_equal(svc_response_header(&response, "content-TYPE"), "application/json");
  munit_assert_null(svc_response_header(&response, "ETag"));
  munit_assert_null(svc_response_header(&response, NULL));
  munit_assert_null(svc_response_header(NULL, "Content-Type"));
  svc_response_free(&response);
  munit_assert_null(svc_response_header(&response, "Content-Type"));
  svc_close(s);
}

/* The log names each invalid member of svc_config. */
TEST(open, members)
{
  static const svc_control_address good[] = { { .provider = "azure", .region = "eastus", .cidr = "10.0.0.0/8" },
                                              { .provider = "gcp", .region = "us-east1", .cidr = "10.0.0.1" } };
  static const svc_control_address bad[] = { { .provider = "ibm", .region = "x", .cidr = "10.0.0.1" }, { .provider = "aws", .region = "", .cidr = "10.0.0.1" },
                                             { .provider = "aws", .region = "x", .cidr = "10.0.0.0/33" }, { .provider = NULL } };
  static const svc_driver idle = { NULL, NULL, NULL };
  static const svc_limit_override limits[] = { { .endpoint_set_id = "none" }, { .endpoint_set_id = "neither" } };
  char said[256] = "", word[100];
  svc_config config;
  svc *s;
  size_t i;
  memset(&config, 0, sizeof config);
  config.log = open_say;
  config.log_context = said;
  config.control_addresses = good;
  config.control_address_count = 2;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_string_equal(s->config.control_addresses[1].provider, "gcp");
  svc_close(s);
  config.control_address_count = 1;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    config.control_addresses = &bad[i];
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
    munit_assert_not_null(strstr(said, "svc_config.control_addresses"));
  }
  config.control_address_count = 0;
  config.driver = &idle;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_not_null(strstr(said, "svc_config.driver has no function perform"));
  config.driver = NULL;
  config.limits = limits;
  config.limit_count = 2;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_not_null(strstr(said, "none is not the id"));
  config.limit_count = 0;
  memset(word, 'a', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  config.db_scheme = word;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_null(s);
}

static int open_retry(svc_txn *txn)
{
  t_port()->abort(txn);
  return SVC_RETRY;
}

static int open_no_room(svc_txn *txn)
{
  t_port()->abort(txn);
  return SVC_NO_ROOM;
}

/* A store that cannot be written: another process always commits first, or there is no room even for a new store's first records. */
TEST(open, in_vain)
{
  svc_store_port port = *t_port();
  svc_config config;
  char said[256] = "";
  svc *s;
  memset(&config, 0, sizeof config);
  config.store = &port;
  config.log = open_say;
  config.log_context = said;
  port.commit = open_retry;
  munit_assert_int(svc_open(&s, &config), ==, SVC_BUSY);
  munit_assert_null(s);
  munit_assert_not_null(strstr(said, "the store cannot be used"));
  port.commit = open_no_room;
  munit_assert_int(svc_open(&s, &config), ==, SVC_FULL);
  munit_assert_null(s);
}

/* Opens a store with this vendor word. Writes the word that the handle has to `word`. */
static int open_with(const char *folder, const char *vendor, int keep_orders, char said[256], char word[32])
{
  svc_config config;
  svc *s;
  int rc;
  memset(&config, 0, sizeof config);
  config.path = folder;
  config.store = t_port();
  config.vendor = vendor;
  config.keep_orders = keep_orders;
  config.log = open_say;
  config.log_context = said;
  rc = svc_open(&s, &config);
  snprintf(word, 32, "%s", s ? svc_vendor(s) : "");
  if (s) munit_assert_true(strstr(s->base_path.p, word) && strstr(s->media_prefix.p, word));
  svc_close(s);
  return rc;
}

/* A store keeps its vendor word: another one is refused, and a handle that names none gets the store's. */
TEST(open, vendor)
{
  char folder[128], said[256] = "", word[32];
  svc_config config;
  svc_credentials c;
  svc_txn *txn;
  svc_key key;
  svc *s;
  store_folder(folder);
  munit_assert_int(open_with(folder, "other", 1, said, word), ==, SVC_OK); /* a tool does not write to the store */
  munit_assert_int(open_with(folder, "acme", 0, said, word), ==, SVC_OK);
  munit_assert_string_equal(word, "acme");
  munit_assert_int(open_with(folder, NULL, 0, said, word), ==, SVC_OK);
  munit_assert_string_equal(word, "acme");
  munit_assert_int(open_with(folder, "svc", 0, said, word), ==, SVC_INVALID);
  munit_assert_not_null(strstr(said, "the vendor word of this store is acme, not svc"));
  munit_assert_int(open_with(folder, "svc", 1, said, word), ==, SVC_INVALID);
  munit_assert_int(open_with(folder, "acme", 0, said, word), ==, SVC_OK);
  /* a store of an earlier version has no word: the handle uses its own, but does not store it */
  memset(&config, 0, sizeof config);
  config.path = folder;
  config.store = t_port();
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_bootstrap(s, &c), ==, SVC_OK);
  munit_assert_memory_equal(10, c.client_id, "acme_sa_id");
  svc_key_meta(&key, "vendor-word");
  munit_assert_int(s->commit.port->write_begin(s->commit.store, &txn), ==, SVC_OK);
  munit_assert_int(svc_remove(txn, &key), ==, SVC_OK);
  munit_assert_int(s->commit.port->commit(txn), ==, SVC_OK);
  svc_close(s);
  munit_assert_int(open_with(folder, NULL, 0, said, word), ==, SVC_OK);
  munit_assert_string_equal(word, "svc");
  munit_assert_int(open_with(folder, "acme", 0, said, word), ==, SVC_OK);
  munit_assert_string_equal(word, "acme");
  store_remove(folder);
}
