/*
** Secrets at rest (SVC_SEALED): never stored in clear text, shown by their last four characters at most, kept when their shown form
** is sent back, and given to the driver in clear text.
*/
#define _GNU_SOURCE /* memmem */
#include "mechanism/probe.h"

#define PROBE(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, \
                           .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }

#define LONG_ONE "correct-horse-battery-staple"
#define LONG_TWO "a-second-one-that-is-long-too"
#define SHORT_ONE "short-pw"

/* A horn has a secret that shows its last characters (url), secrets that are never shown (password, hidden), and secrets in an object,
** in elements of an array, and in a map. */
static const svc_field horn_key_fields[] = {
  F_STR("label"), F_STR("token", .flags = SVC_SEALED | SVC_REQUIRED, .min = 4, .max = 100, .pattern = "^[a-z-]+$")
};
static const svc_object horn_key = { .name = "HornKey", .fields = SVC_ROWS(horn_key_fields) };
static const svc_field horn_fields[] = {
  { .name = "headers", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_SEALED, .max = 100 },
  { .name = "hidden", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_SEALED | SVC_WRITE_ONLY, .max = 100 },
  F_ID(),
  F_OBJ("inner", &horn_key),
  F_LIST("keys", &horn_key, .max_items = 10),
  { .name = "labels", .type = SVC_MAP, .item = SVC_STRING, .max = 100 },
  F_STR("name", .flags = SVC_REQUIRED),
  F_STR("password", .flags = SVC_SEALED | SVC_WRITE_ONLY | SVC_NULLABLE, .min = 4, .max = 100),
  F_STR("state", .flags = SVC_READ_ONLY),
  F_STR("url", .flags = SVC_SEALED, .max = 100)
};
static const svc_object horn_object = { .name = "Horn", .fields = SVC_ROWS(horn_fields) };
static const svc_transition horn_transitions[] = {
  { "MAKING", "BLOWN", 100, "CLUSTER_READY", "horn.make" }, { "MELTING", NULL, 50, "CLUSTER_DELETED", "horn.melt" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle horn_lifecycle = { .field = "state", .created = "MAKING", .deleted = "MELTING", .failed = "SPLIT",
                                              .transitions = horn_transitions };
static const svc_order_row horn_orders[] = {
  { "horn.make", "Make it.", NULL, NULL, 0 }, { "horn.melt", "Melt it.", NULL, NULL, 0 }, { NULL, NULL, NULL, NULL, 0 }
};
static bool horn_prepare(svc_call *c, svc_change *change);
static const svc_route horn_routes[] = {
  PROBE(SVC_GET, "horns", .flags = SVC_PAGED, .run = svc_verb_list),
  PROBE(SVC_POST, "horns", .status = 202, .run = svc_verb_create, .example = "{\"name\":\"h\",\"password\":\"" SHORT_ONE "\"}"),
  PROBE(SVC_GET, "horns/{hornId}", .run = svc_verb_read), PROBE(SVC_PATCH, "horns/{hornId}", .run = svc_verb_update),
  PROBE(SVC_PUT, "horns/{hornId}", .run = svc_verb_replace),
  PROBE(SVC_DELETE, "horns/{hornId}", .status = 202, .run = svc_verb_delete)
};
static const svc_noun horn_noun = {
  .name = "horn", .kind = "horn", .parent = "project", .param = "hornId", .object = &horn_object, .orders = horn_orders, .lifecycle = &horn_lifecycle,
  .err_not_found = SVC_E_PEER_NOT_FOUND, .event_created = "CLUSTER_CREATED", .event_updated = "CLUSTER_UPDATE_STARTED",
  .prepare = horn_prepare, .routes = SVC_ROUTES(horn_routes)
};

/* A singleton of a project. Its first PATCH may set a secret. */
static const svc_field lock_fields[] = { F_STR("code", .flags = SVC_SEALED, .max = 100), F_INT("turns", .preset = "3") };
static const svc_object lock_object = { .name = "Lock", .fields = SVC_ROWS(lock_fields) };
static const svc_route lock_routes[] = {
  PROBE(SVC_GET, "lock", .run = svc_verb_read), PROBE(SVC_PATCH, "lock", .run = svc_verb_update)
};
static const svc_noun lock_noun = { .name = "lock", .kind = "lock", .parent = "project", .flags = SVC_SINGLETON, .object = &lock_object,
                                    .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(lock_routes) };
static const svc_noun *const probes[] = { &horn_noun, &lock_noun, NULL };

static const svc_config quiet = { .limiter_off = 1, .provision_ms = 10000 };

/* A hook sees a new secret in clear text, and a kept secret sealed. */
static bool horn_prepare(svc_call *c, svc_change *change)
{
  const svc_node *url = svc_node_get(change->body, "url");
  if (url && !svc_is_sealed(url) && svc_str_is(url->text, "nowhere-at-all-is-this")) return svc_fail(c, SVC_E_INVALID_ATTRIBUTE, "s", "url");
  return true;
}

typedef struct seal_world {
  t_service t;
  char group[32], id[32];
} seal_world;

static void seal_open(seal_world *w, const svc_config *config)
{
  t_probes(probes);
  t_open(&w->t, config ? config : &quiet);
  snprintf(w->group, sizeof w->group, "%s", t_project(&w->t, t_organization(&w->t, "Acme"), "alpha"));
}

static void seal_close(seal_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static int seal_at(seal_world *w, const char *method, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/horns/%s", w->group, w->id);
}

static void seal_make(seal_world *w, const char *body)
{
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/horns", w->group), ==, 202);
  snprintf(w->id, sizeof w->id, "%s", t_str(&w->t, "id"));
}

/* Returns whether the key or the value of any record contains this text. */
static bool seal_stored(seal_world *w, const char *secret)
{
  size_t n = strlen(secret);
  char prefix[2] = "A";
  probe_walk walk;
  bool found = false;
  for (; prefix[0] <= 'z'; prefix[0]++)
    for (probe_walk_begin(&walk, w->t.s, prefix); probe_walk_next(&walk);)
      if (memmem(walk.key.p, walk.key.n, secret, n) || (walk.value.n && memmem(walk.value.p, walk.value.n, secret, n))) found = true;
  return found;
}

/* Opens the secrets of every horn. Returns those of the last horn, as JSON in clear text; "": there is no horn. */
static const char *seal_secrets(seal_world *w)
{
  static char text[4096];
  svc_arena arena;
  svc_buf b;
  svc_node *secrets;
  probe_walk walk;
  svc_entity e;
  svc_arena_init(&arena, NULL);
  text[0] = 0;
  for (probe_walk_begin(&walk, w->t.s, "ehorn"); probe_walk_next(&walk);) {
    munit_assert_true(svc_entity_decode(walk.key, walk.value, &e));
    e.kind = "horn";
    secrets = svc_seal_secrets(w->t.s, &arena, &e);
    munit_assert_not_null(secrets);
    b = svc_buf_new(&arena, 64);
    svc_node_write(&b, secrets);
    snprintf(text, sizeof text, "%s", svc_buf_done(&b).p);
  }
  svc_blocks_free(arena.blocks);
  return text;
}

TEST(seal, shown)
{
  seal_world w;
  seal_open(&w, NULL);
  seal_make(&w, "{\"name\":\"h\",\"password\":\"" SHORT_ONE "\",\"url\":\"" LONG_ONE "\",\"headers\":{\"A\":\"" LONG_TWO "\"},"
                "\"inner\":{\"token\":\"inner-" LONG_ONE "\"},\"keys\":[{\"token\":\"one-" SHORT_ONE "\"},{\"token\":\"two-" LONG_TWO "\"}]}");
  munit_assert_string_equal(t_str(&w.t, "url"), "****aple");
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "url"), "****aple");
  munit_assert_null(t_node(&w.t, "password"));
  munit_assert_string_equal(t_str(&w.t, "headers.A"), "****-too");
  munit_assert_string_equal(t_str(&w.t, "inner.token"), "****aple");
  munit_assert_string_equal(t_str(&w.t, "keys[0].token"), "****"); /* a short secret shows none of its characters */
  munit_assert_string_equal(t_str(&w.t, "keys[1].token"), "****-too");
  munit_assert_false(seal_stored(&w, LONG_ONE) || seal_stored(&w, LONG_TWO) || seal_stored(&w, SHORT_ONE));
  munit_assert_true(seal_stored(&w, "ehorn") && seal_stored(&w, "****aple")); /* seal_stored() finds a text of a key, and a text of a value */
  munit_assert_string_equal(seal_secrets(&w), "{\"headers\":{\"A\":\"" LONG_TWO "\"},\"inner\":{\"token\":\"inner-" LONG_ONE "\"},"
                            "\"keys\":[{\"token\":\"one-" SHORT_ONE "\"},{\"token\":\"two-" LONG_TWO "\"}],\"password\":\"" SHORT_ONE "\","
                            "\"url\":\"" LONG_ONE "\"}");
  seal_close(&w);
}

/* The shown form of a secret may be sent back, with all other fields or alone. Any other masked text is refused. */
TEST(seal, kept)
{
  seal_world w;
  char *body, feed[64];
  seal_open(&w, NULL);
  snprintf(feed, sizeof feed, "/groups/%s", w.group);
  seal_make(&w, "{\"name\":\"h\",\"password\":\"" SHORT_ONE "\",\"url\":\"" LONG_ONE "\",\"keys\":[{\"label\":\"a\",\"token\":\"one-" LONG_ONE "\"}]}");
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  body = munit_malloc(w.t.response.body_length + 1);
  memcpy(body, w.t.response.body, w.t.response.body_length + 1);
  munit_assert_int(seal_at(&w, "PATCH", body), ==, 200);
  free(body);
  munit_assert_string_equal(probe_feed(&w.t, feed), "GROUP_CREATED CLUSTER_CREATED"); /* nothing changed */
  munit_assert_int(seal_at(&w, "PATCH", "{\"password\":\"" SHORT_ONE "\",\"keys\":[{\"label\":\"a\",\"token\":\"one-" LONG_ONE "\"}]}"), ==, 200);
  munit_assert_string_equal(probe_feed(&w.t, feed), "GROUP_CREATED CLUSTER_CREATED"); /* the same secret again is no change either */
  munit_assert_int(seal_at(&w, "PATCH", "{\"name\":\"other\"}"), ==, 200);
  munit_assert_string_equal(seal_secrets(&w), "{\"keys\":[{\"token\":\"one-" LONG_ONE "\"}],\"password\":\"" SHORT_ONE "\",\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(seal_at(&w, "PATCH", "{\"keys\":[{\"token\":\"****aple\"},{\"token\":\"two-" SHORT_ONE "\"}],\"password\":\"another\"}"), ==, 200);
  munit_assert_string_equal(seal_secrets(&w), "{\"keys\":[{\"token\":\"one-" LONG_ONE "\"},{\"token\":\"two-" SHORT_ONE "\"}],"
                            "\"password\":\"another\",\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"****xxxx\"}"), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "url");
  munit_assert_int(seal_at(&w, "PATCH", "{\"keys\":[{\"token\":\"new-" SHORT_ONE "\"},{\"token\":\"****aple\"}]}"), ==, 400); /* at another place */
  munit_assert_string_equal(t_param(&w.t, 0), "keys[1].token");
  munit_assert_int(seal_at(&w, "PATCH", "{\"keys\":[{\"token\":\"UPPER-CASE\"}]}"), ==, 400);
  munit_assert_null(strstr(w.t.response.body, "UPPER-CASE"));
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"a\\u0000b\"}"), ==, 400);
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"nowhere-at-all-is-this\"}"), ==, 400);
  munit_assert_int(seal_at(&w, "PUT", "{\"name\":\"h\",\"url\":\"****aple\"}"), ==, 200); /* omitted secrets are removed, unless never
                                                                                             shown */
  munit_assert_string_equal(seal_secrets(&w), "{\"password\":\"another\",\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(seal_at(&w, "PUT", "{\"name\":\"h\",\"password\":null}"), ==, 200);
  munit_assert_string_equal(seal_secrets(&w), "{}");
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{\"A\":\"" LONG_TWO "\"}}"), ==, 200); /* members of a map are matched by name */
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{\"A\":\"****-too\",\"B\":\"new-" LONG_ONE "\"}}"), ==, 200);
  munit_assert_string_equal(seal_secrets(&w), "{\"headers\":{\"A\":\"" LONG_TWO "\",\"B\":\"new-" LONG_ONE "\"}}");
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{\"A\":\"****aple\",\"B\":\"****aple\"}}"), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "headers.A");
  munit_assert_string_equal(seal_secrets(&w), "{\"headers\":{\"A\":\"" LONG_TWO "\",\"B\":\"new-" LONG_ONE "\"}}");
  seal_close(&w);
}

/* Maps: each member that a PATCH sends is kept or new. A map that is never shown is kept completely while no PATCH sends it. */
TEST(seal, maps)
{
  seal_world w;
  char feed[64];
  seal_open(&w, NULL);
  snprintf(feed, sizeof feed, "/groups/%s", w.group);
  seal_make(&w, "{\"name\":\"h\",\"headers\":{\"A\":\"" LONG_ONE "\"},\"hidden\":{\"X\":\"" LONG_TWO "\"},\"labels\":{\"color\":\"red\"}}");
  munit_assert_null(t_node(&w.t, "hidden"));
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{\"A\":\"" LONG_ONE "\"}}"), ==, 200);
  munit_assert_string_equal(probe_feed(&w.t, feed), "GROUP_CREATED CLUSTER_CREATED"); /* nothing changed */
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{\"A\":\"****aple\",\"B\":\"" LONG_TWO "\"},\"labels\":{\"color\":\"blue\"}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "headers.B"), "****-too");
  munit_assert_string_equal(seal_secrets(&w), "{\"headers\":{\"A\":\"" LONG_ONE "\",\"B\":\"" LONG_TWO "\"},\"hidden\":{\"X\":\"" LONG_TWO "\"}}");
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{\"A\":5}}"), ==, 400);
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":5}"), ==, 400);
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{},\"hidden\":{\"X\":\"****\"}}"), ==, 400); /* hidden is never shown */
  munit_assert_int(seal_at(&w, "PATCH", "{\"headers\":{}}"), ==, 200);
  munit_assert_string_equal(seal_secrets(&w), "{\"hidden\":{\"X\":\"" LONG_TWO "\"}}");
  /* the end of a secret is not shown if it contains a space or a control character */
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"" LONG_ONE " x\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "url"), "****");
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"" LONG_TWO "\\u007f\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "url"), "****");
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":5}"), ==, 400);
  seal_close(&w);
}

/* A stored body has lost the fields of its secrets, or has numbers there: a PATCH still sets secrets. None is stored in clear text. */
TEST(seal, damaged)
{
  static const char *const bodies[] = { "{\"keys\":[],\"name\":\"h\"}", "{\"keys\":[{},{},{}],\"name\":\"h\",\"url\":5}",
                                        "{\"headers\":{\"A\":5},\"keys\":[{\"token\":5}],\"name\":\"h\"}" };
  seal_world w;
  size_t i;
  seal_open(&w, NULL);
  seal_make(&w, "{\"name\":\"h\",\"url\":\"" LONG_ONE "\",\"headers\":{\"A\":\"" LONG_ONE "\"},\"keys\":[{\"token\":\"one-" LONG_ONE "\"},"
                "{\"token\":\"two-" LONG_TWO "\"}]}");
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    const svc_store_port *port = w.t.s->commit.port;
    svc_arena arena;
    svc_scan scan;
    svc_key prefix = { .n = 5 };
    svc_entity e;
    svc_txn *txn;
    svc_arena_init(&arena, NULL);
    memcpy(prefix.b, "ehorn", 5);
    munit_assert_int(port->write_begin(w.t.s->commit.store, &txn), ==, SVC_OK);
    svc_scan_below(&scan, txn, &prefix, false);
    munit_assert_true(svc_below_next(&scan, "horn", &e));
    e.body = svc_str_c(bodies[i]);
    if (i == 1) e.extra = SVC_S("");
    e.links_at = e.body.n - 1;
    munit_assert_int(svc_record_put(txn, &arena, &e), ==, SVC_OK);
    munit_assert_int(port->commit(txn), ==, SVC_OK);
    svc_blocks_free(arena.blocks);
    munit_assert_int(seal_at(&w, "PATCH", i % 2 ? "{\"name\":\"i\",\"headers\":{\"A\":\"" LONG_ONE "\"}}"
                                                : "{\"name\":\"i\",\"headers\":{\"A\":\"" LONG_TWO "\"}}"), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "headers.A"), i % 2 ? "****aple" : "****-too");
    munit_assert_string_equal(t_str(&w.t, "name"), "i");
    munit_assert_false(seal_stored(&w, LONG_ONE) || seal_stored(&w, LONG_TWO));
    munit_assert_int(seal_at(&w, "PATCH", "{\"keys\":[{\"token\":\"one-" LONG_ONE "\"},{\"token\":\"two-" LONG_TWO "\"}],\"url\":\"" LONG_TWO "\"}"), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "keys[1].token"), "****-too");
  }
  seal_close(&w);
}

/* A due step and the start of a delete leave secrets unchanged. The end of the delete removes them. */
TEST(seal, states)
{
  seal_world w;
  seal_open(&w, NULL);
  seal_make(&w, "{\"name\":\"h\",\"password\":\"" SHORT_ONE "\",\"url\":\"" LONG_ONE "\"}");
  t_advance(&w.t, 11);
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "BLOWN");
  munit_assert_string_equal(t_str(&w.t, "url"), "****aple");
  munit_assert_string_equal(seal_secrets(&w), "{\"password\":\"" SHORT_ONE "\",\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(seal_at(&w, "DELETE", NULL), ==, 202);
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "MELTING");
  munit_assert_string_equal(t_str(&w.t, "url"), "****aple");
  munit_assert_string_equal(seal_secrets(&w), "{\"password\":\"" SHORT_ONE "\",\"url\":\"" LONG_ONE "\"}");
  t_advance(&w.t, 11);
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 404);
  munit_assert_string_equal(seal_secrets(&w), "");
  seal_close(&w);
}

/* A project that moves to another organization keeps its secrets. */
TEST(seal, moved)
{
  seal_world w;
  char body[64];
  seal_open(&w, NULL);
  seal_make(&w, "{\"name\":\"h\",\"url\":\"" LONG_ONE "\"}");
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", t_organization(&w.t, "Other"));
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 200);
  munit_assert_int(seal_at(&w, "PATCH", "{\"name\":\"i\",\"url\":\"****aple\"}"), ==, 200);
  munit_assert_string_equal(seal_secrets(&w), "{\"url\":\"" LONG_ONE "\"}");
  munit_assert_false(seal_stored(&w, LONG_ONE));
  seal_close(&w);
}

TEST(seal, singleton)
{
  seal_world w;
  seal_open(&w, NULL);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"code\":\"" LONG_ONE "\"}", "/groups/%s/lock", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "code"), "****aple");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"code\":\"****aple\",\"turns\":4}", "/groups/%s/lock", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/lock", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "code"), "****aple");
  munit_assert_int((int)t_int(&w.t, "turns"), ==, 4);
  munit_assert_false(seal_stored(&w, LONG_ONE));
  seal_close(&w);
}

TEST(seal, no_key)
{
  seal_world w;
  seal_open(&w, NULL);
  w.t.no_key = true;
  t_reopen(&w.t, &quiet);
  snprintf(w.group, sizeof w.group, "%s", t_project(&w.t, t_organization(&w.t, "Acme"), "alpha"));
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"h\",\"url\":\"" LONG_ONE "\"}", "/groups/%s/horns", w.group), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "UNSUPPORTED_FOR_CURRENT_CONFIG");
  munit_assert_null(strstr(w.t.response.body, LONG_ONE));
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"h\"}", "/groups/%s/horns", w.group), ==, 202);
  snprintf(w.id, sizeof w.id, "%s", t_str(&w.t, "id"));
  munit_assert_int(seal_at(&w, "PATCH", "{\"password\":\"" LONG_ONE "\"}"), ==, 403);
  munit_assert_int(seal_at(&w, "PATCH", "{\"name\":\"i\"}"), ==, 200);
  munit_assert_false(seal_stored(&w, LONG_ONE));
  seal_close(&w);
}

typedef struct seal_kept_word {
  char b[256];
  size_t n;
} seal_kept_word;

/* Changes the word by which the store recognizes its key. *was gets the previous word. */
static void seal_word(svc *s, svc_str to, seal_kept_word *was)
{
  svc_key key;
  svc_str value;
  svc_txn *txn;
  svc_key_meta(&key, "sealed");
  munit_assert_int(s->commit.port->write_begin(s->commit.store, &txn), ==, SVC_OK);
  munit_assert_int(svc_get(txn, &key, &value), ==, SVC_OK);
  munit_assert_size(value.n, <, sizeof was->b);
  if (was) memcpy(was->b, value.p, was->n = value.n);
  munit_assert_int(svc_put(txn, &key, to), ==, SVC_OK);
  munit_assert_int(s->commit.port->commit(txn), ==, SVC_OK);
}

/* Another key does not open the store; without a key sealed secrets stay as they are. */
TEST(seal, other_key)
{
  char folder[128], log[200];
  svc_config config = quiet;
  seal_kept_word word;
  seal_world w;
  svc *s = NULL;
  store_folder(folder);
  config.path = folder;
  seal_open(&w, &config);
  seal_make(&w, "{\"name\":\"h\",\"url\":\"" LONG_ONE "\"}");
  svc_close(w.t.s);
  w.t.s = NULL;
  config.secret_key = "another key, of thirty-two bytes, too";
  config.store = t_port();
  config.log = t_log;
  config.log_context = &w.t;
  w.t.log[0] = 0;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  snprintf(log, sizeof log, "%.190s", w.t.log);
  munit_assert_not_null(strstr(log, "secret_key"));
  config.secret_key = NULL;
  w.t.no_key = true;
  t_reopen(&w.t, &config);
  seal_word(w.t.s, SVC_S("QUJD"), &word); /* a damaged word matches no key */
  svc_close(w.t.s);
  w.t.s = NULL;
  config.secret_key = "another key, of thirty-two bytes, too";
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  config.secret_key = NULL;
  t_reopen(&w.t, &config);
  seal_word(w.t.s, (svc_str){ word.b, word.n }, NULL);
  munit_assert_int(seal_at(&w, "PATCH", "{\"name\":\"i\",\"url\":\"****aple\"}"), ==, 200);
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"" LONG_TWO "\"}"), ==, 403);
  w.t.no_key = false;
  t_reopen(&w.t, &config);
  munit_assert_string_equal(seal_secrets(&w), "{\"url\":\"" LONG_ONE "\"}");
  seal_close(&w);
  store_remove(folder);
}

static int seal_try(const char *folder, const char *key, int keep_orders, t_service *t)
{
  svc_config config = quiet;
  svc *s = NULL;
  int rc;
  config.path = folder;
  config.secret_key = key;
  config.keep_orders = keep_orders;
  config.store = t_port();
  config.log = t_log;
  config.log_context = t;
  t->log[0] = 0;
  rc = svc_open(&s, &config);
  svc_close(s);
  return rc;
}

/* The first handle with a key records that key, before anything is sealed. If several handles share the store, another key is then
** refused. In a store of one handle a key that has sealed nothing may be replaced. */
TEST(seal, first_key)
{
  static const char one[] = "the first key, of thirty-two bytes.", two[] = "a second key, of thirty-two bytes..";
  const char *store = getenv("SVC_TEST_STORE");
  const bool shared = t_port()->shared;
  char folder[128], was[32];
  seal_world w;
  t_service t;
  memset(&t, 0, sizeof t);
  snprintf(was, sizeof was, "%s", store ? store : "");
  if (!shared) setenv("SVC_TEST_STORE", "shared", 1); /* LMDB that simulates a shared store */
  store_folder(folder);
  munit_assert_int(seal_try(folder, one, 1, &t), ==, SVC_OK); /* a tool (keep_orders) does not record its key */
  munit_assert_int(seal_try(folder, two, 0, &t), ==, SVC_OK);
  munit_assert_int(seal_try(folder, one, 0, &t), ==, SVC_INVALID);
  munit_assert_not_null(strstr(t.log, "the secret key is not this store's"));
  munit_assert_int(seal_try(folder, one, 1, &t), ==, SVC_INVALID);
  munit_assert_int(seal_try(folder, NULL, 0, &t), ==, SVC_OK);
  munit_assert_int(seal_try(folder, two, 0, &t), ==, SVC_OK);
  store_remove(folder);
  if (shared) return;
  if (*was) setenv("SVC_TEST_STORE", was, 1);
  else unsetenv("SVC_TEST_STORE");
  store_folder(folder);
  munit_assert_int(seal_try(folder, one, 0, &t), ==, SVC_OK);
  munit_assert_int(seal_try(folder, two, 1, &t), ==, SVC_OK);
  munit_assert_int(seal_try(folder, two, 0, &t), ==, SVC_OK);
  seal_open(&w, &(svc_config){ .path = folder, .limiter_off = 1, .secret_key = one });
  seal_make(&w, "{\"name\":\"h\",\"url\":\"" LONG_ONE "\"}");
  seal_close(&w);
  munit_assert_int(seal_try(folder, two, 0, &t), ==, SVC_INVALID);
  munit_assert_int(seal_try(folder, one, 0, &t), ==, SVC_OK);
  store_remove(folder);
}

/* ----------------------------------------------------------------------------------------------------------- the driver */

typedef struct seal_driver {
  char id[32], desired[1024], secrets[512];
  size_t room;
  int rc, count;
} seal_driver;

static int seal_perform(void *context, svc *s, const svc_order *order)
{
  seal_driver *d = context;
  size_t n = d->room;
  d->count++;
  snprintf(d->id, sizeof d->id, "%s", order->id);
  snprintf(d->desired, sizeof d->desired, "%s", order->desired);
  d->rc = svc_order_secrets(s, order->id, d->secrets, &n);
  d->room = n;
  return SVC_OK;
}

TEST(seal, ordered)
{
  static const char secrets[] = "{\"url\":\"" LONG_ONE "\"}";
  seal_driver d = { .room = sizeof d.secrets };
  svc_driver driver = { seal_perform, NULL, &d };
  svc_config config = quiet;
  seal_world w;
  size_t n;
  config.driver = &driver;
  seal_open(&w, &config);
  seal_make(&w, "{\"name\":\"h\",\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(d.count, ==, 1);
  munit_assert_int(d.rc, ==, SVC_OK);
  munit_assert_string_equal(d.secrets, secrets);
  munit_assert_size(d.room, ==, sizeof secrets - 1);
  munit_assert_null(strstr(d.desired, LONG_ONE));
  munit_assert_false(seal_stored(&w, LONG_ONE));
  n = sizeof secrets - 1;
  munit_assert_int(svc_order_secrets(w.t.s, d.id, d.secrets, &n), ==, SVC_FULL);
  munit_assert_size(n, ==, sizeof secrets);
  munit_assert_int(svc_order_secrets(w.t.s, d.id, d.secrets, &n), ==, SVC_OK);
  munit_assert_int(svc_order_secrets(w.t.s, "nonsense", d.secrets, &n), ==, SVC_INVALID);
  /* the noun has no state ODD: the horn gets the state of its lifecycle for failures */
  munit_assert_int(svc_order_done(w.t.s, d.id, SVC_IO, "{\"reason\":\"it is split\",\"state\":\"ODD\"}"), ==, SVC_OK);
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "SPLIT");
  munit_assert_string_equal(t_str(&w.t, "url"), "****aple");
  munit_assert_string_equal(seal_secrets(&w), secrets);
  munit_assert_int(svc_order_secrets(w.t.s, d.id, d.secrets, &n), ==, SVC_INVALID); /* the order is already done */
  seal_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------ another key */

#define KEY_ONE "the first key, of thirty-two bytes."
#define KEY_TWO "a second key, of thirty-two bytes.."
#define KEY_THREE "a third key, also thirty-two bytes."

/* Counts the horns with a secret that is sealed with the first key of the handle, and the other horns. */
static void seal_count(seal_world *w, int *first, int *others)
{
  const char *id = w->t.s->secret_keys.ids[0];
  probe_walk walk;
  *first = *others = 0;
  for (probe_walk_begin(&walk, w->t.s, "ehorn"); probe_walk_next(&walk);)
    ++*(memmem(walk.value.p, walk.value.n, id, SVC_SECRET_KEY_ID) ? first : others);
}

static void seal_reopen(seal_world *w, const char *folder, const char *key, const char *next)
{
  svc_config config = quiet;
  config.path = folder;
  config.secret_key = key;
  config.secret_key_next = next;
  t_reopen(&w->t, &config);
}

#define ROTATED 7

/* The rotation runs in steps, with a restart after each. After each step all secrets of horns can be opened. */
TEST(seal, rotate)
{
  char folder[128], ids[ROTATED][32], etag[128], body[128];
  int i, rc, rounds = 0, before = ROTATED, first, others;
  svc_config config = quiet;
  t_service other;
  seal_world w;
  memset(&other, 0, sizeof other);
  store_folder(folder);
  config.path = folder;
  config.secret_key = KEY_ONE;
  seal_open(&w, &config);
  for (i = 0; i < ROTATED; i++) {
    snprintf(body, sizeof body, "{\"name\":\"h%d\",\"url\":\"" LONG_ONE "\",\"keys\":[{\"token\":\"abcd-efgh\"}]}", i);
    seal_make(&w, body);
    snprintf(ids[i], sizeof ids[i], "%s", w.id);
  }
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"code\":\"" LONG_TWO "\"}", "/groups/%s/lock", w.group), ==, 200);
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  snprintf(etag, sizeof etag, "%s", t_get_header(&w.t, "ETag"));
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, -1), ==, SVC_INVALID);
  munit_assert_int(svc_rotate_key(w.t.s, NULL, 1), ==, SVC_INVALID);
  munit_assert_int(svc_rotate_key(w.t.s, KEY_ONE, 5), ==, SVC_OK); /* already the key in use */
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, 0), ==, SVC_BUSY);
  seal_reopen(&w, folder, KEY_ONE, NULL); /* a step of 0 has written nothing: the old key alone is enough */
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, 2), ==, SVC_BUSY);
  munit_assert_int(svc_rotate_key(w.t.s, KEY_THREE, 2), ==, SVC_INVALID);
  svc_close(w.t.s);
  w.t.s = NULL;
  munit_assert_int(seal_try(folder, KEY_ONE, 0, &other), ==, SVC_INVALID); /* from now on both keys are required */
  munit_assert_int(seal_try(folder, KEY_TWO, 0, &other), ==, SVC_INVALID);
  munit_assert_not_null(strstr(other.log, "secret_key_next"));
  do {
    seal_reopen(&w, folder, KEY_ONE, KEY_TWO);
    munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
    /* secrets with either key can be opened */
    munit_assert_string_equal(seal_secrets(&w), "{\"keys\":[{\"token\":\"abcd-efgh\"}],\"url\":\"" LONG_ONE "\"}");
    seal_count(&w, &first, &others);
    munit_assert_int(first + others, ==, ROTATED);
    munit_assert_int(first, <=, before);
    before = first;
    if (rounds == 1) { /* the rotation has passed this horn: a new secret in it is sealed with the new key */
      memcpy(w.id, ids[0], sizeof ids[0]);
      munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"" LONG_TWO "\"}"), ==, 200);
      memcpy(w.id, ids[ROTATED - 1], sizeof w.id);
    }
    rc = svc_rotate_key(w.t.s, KEY_TWO, 2);
    munit_assert_true(rc == SVC_BUSY || rc == SVC_OK);
    munit_assert_int(++rounds, <, 20);
  } while (rc != SVC_OK);
  munit_assert_int(rounds, >=, 4);
  seal_count(&w, &first, &others);
  munit_assert_int(first, ==, 0);
  munit_assert_int(seal_at(&w, "GET", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "ETag"), etag); /* no visible change */
  seal_reopen(&w, folder, KEY_ONE, KEY_TWO); /* a restart before the host has replaced the key file */
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, 0), ==, SVC_OK);
  seal_reopen(&w, folder, KEY_TWO, NULL);
  munit_assert_string_equal(seal_secrets(&w), "{\"keys\":[{\"token\":\"abcd-efgh\"}],\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"code\":\"" LONG_ONE "\"}", "/groups/%s/lock", w.group), ==, 200);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  svc_close(w.t.s);
  w.t.s = NULL;
  munit_assert_int(seal_try(folder, KEY_ONE, 0, &other), ==, SVC_INVALID);
  seal_reopen(&w, folder, KEY_TWO, NULL);
  seal_close(&w);
  store_remove(folder);
}

/* Another handle has rotated to a key that this handle does not have. Requests that need the key are refused and logged, and no secret
** is lost. */
TEST(seal, rotate_unknown)
{
  seal_world w;
  seal_open(&w, NULL);
  seal_make(&w, "{\"name\":\"h\",\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, 1), ==, SVC_BUSY);
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, 9), ==, SVC_OK);
  atomic_store(&w.t.s->secret_keys.count, 1); /* as if another handle had added the key */
  w.t.log[0] = 0;
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"" LONG_TWO "\"}"), ==, 503);
  munit_assert_not_null(strstr(w.t.log, "does not have"));
  munit_assert_int(seal_at(&w, "PATCH", "{\"name\":\"i\"}"), ==, 200); /* a kept secret needs no key */
  munit_assert_int(svc_rotate_key(w.t.s, KEY_TWO, 0), ==, SVC_OK);
  munit_assert_string_equal(seal_secrets(&w), "{\"url\":\"" LONG_ONE "\"}");
  munit_assert_int(seal_at(&w, "PATCH", "{\"url\":\"" LONG_TWO "\"}"), ==, 200);
  seal_close(&w);
}
