/*
** Certificates of database users with certificates that the service manages (x509Type MANAGED). The answer to a POST has
** everything that the user needs: certificate, private key, and the certificate of the project's authority. The key is stored
** nowhere. The list shows valid certificates; expired ones are deleted automatically.
**
** The rule: keys and signatures are made before the transaction, because they take milliseconds. If two requests create the
** project's authority at the same time, one of them gets SERVICE_UNAVAILABLE and can be repeated.
*/
#include "catalog/security/certificate_parts.h"

#define DATABASE_USER_CERT_MOST 100

static const svc_field database_user_cert_fields[] = {
  F_LONG("_id", .flags = SVC_READ_ONLY),
  F_CREATED("createdAt"),
  F_GROUP_ID(),
  F_INT("monthsUntilExpiration", .flags = SVC_WRITE_ONLY | SVC_MIN | SVC_MAX, .min = 1, .max = 24),
  F_DATE("notAfter", .flags = SVC_READ_ONLY),
  F_STR("subject", .flags = SVC_READ_ONLY)
};
static const svc_object database_user_cert_object = { .name = "UserCert", .fields = SVC_ROWS(database_user_cert_fields) };

static bool database_user_cert_list(svc_call *c);
static bool database_user_cert_ahead(svc_call *c);
static bool database_user_cert_create(svc_call *c);

#define DATABASE_USER_CERT \
  "/groups/{groupId}/databaseUsers/{username}/certs", SVC_SET_CUSTOMER_X509, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route database_user_cert_routes[] = {
  R_GET(DATABASE_USER_CERT, "", .flags = SVC_PAGED, .op = "listDatabaseUserCerts", .run = database_user_cert_list,
        .ext = SVC_ROUTE_EXT(.linked_from = "database user", .linked_by = SVC_BY_LAST)),
  R_POST(DATABASE_USER_CERT, "", .status = 201, .flags = SVC_TEXT, .op = "createDatabaseUserCert", .run = database_user_cert_create,
         .example = "{\"monthsUntilExpiration\":6}", .ext = SVC_ROUTE_EXT(.prework = database_user_cert_ahead))
};

/* --------------------------------------------------------------------------------------------------------------- issuing */

/* Results made before the transaction: the user's key pair, and the authority's if there was none. */
typedef struct database_user_cert_made {
  bool fresh; /* the authority is new */
  int64_t number; /* the last 53 bits of its serial number, because every client can read numbers of that size exactly */
  int64_t until;
  svc_str issuer;
  svc_x509_pair authority, user;
} database_user_cert_made;

static bool database_user_cert_x509(svc_call *c, svc_x509_request *r, svc_x509_pair *out)
{
  svc_str username = c->route.params[1];
  int rc;
  if (!svc_secret_bytes(c, r->serial, sizeof r->serial)) return false;
  r->random = c->s->commit.ids.random;
  r->random_context = c->s->commit.ids.random_context;
  rc = svc_x509_make(c->arena, r, out);
  if (rc == SVC_OK) return true;
  if (rc == SVC_NO_X509) return svc_fail(c, SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", "certificates to be issued");
  if (rc == SVC_INVALID)
    return svc_fail_as(c, svc_arena_print(c->arena, "No certificate can name " SVC_FMT ". The name must be a distinguished name by RFC 4514, such as "
                                          "CN=jane,OU=ops: each attribute once, special characters escaped by a backslash, and not the name of the "
                                          "project's authority.", SVC_ARG(username)), SVC_E_INVALID_USERNAME, "S", &username);
  return svc_store_failed(c, rc);
}

/* Reads the stored authority. *there: whether there is one. */
static bool database_user_cert_authority(svc_call *c, svc_x509_pair *out, bool *there)
{
  static const svc_id none;
  svc_node *secrets, *body;
  svc_entity e;
  int rc = svc_entity_get(c->txn, SVC_AUTHORITY_KIND, &c->scope.group, &none, &e);
  *there = rc == SVC_OK;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  body = svc_entity_body(c, &e);
  secrets = svc_seal_secrets(c->s, c->arena, &e);
  /* sealed with a key that this host does not have */
  if (body && !secrets && c->s->config.secret_key) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  if (!body || !secrets)
    return svc_fail(c, SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", "issuing certificates: the key of the authority cannot be unsealed");
  out->certificate = svc_arena_copy(c->arena, svc_node_str(body, "certificate"));
  out->key = svc_arena_copy(c->arena, svc_node_str(secrets, "key"));
  return !c->arena->failed || svc_no_memory(c);
}

static bool database_user_cert_new_authority(svc_call *c, database_user_cert_made *made)
{
  svc_x509_request r;
  made->fresh = true;
  return svc_authority_request(c, made->issuer, &r) && database_user_cert_x509(c, &r, &made->authority);
}

static bool database_user_cert_sign(svc_call *c, database_user_cert_made *made)
{
  const svc_node *months = svc_node_get(c->body, "monthsUntilExpiration");
  svc_x509_request r = { .subject = c->route.params[1], .issuer = made->issuer, .from = c->now - 3600000 };
  int64_t n = 3;
  size_t i;
  if (months) svc_json_number_i64(months->text, &n);
  r.issuer_key = made->authority.key;
  r.until = made->until = svc_months_on(c->now, n) / 1000 * 1000;
  if (!database_user_cert_x509(c, &r, &made->user)) return false;
  for (i = 0; i < sizeof r.serial; i++) made->number = (made->number & ((INT64_C(1) << 45) - 1)) << 8 | r.serial[i];
  return true;
}

/* Finds the user in the path, who must have managed certificates. */
static bool database_user_cert_user(svc_call *c, svc_entity *out)
{
  const svc_noun_info *users = svc_noun_named(c->s, "database user");
  svc_str name = c->route.params[1], group = svc_id_str(c->arena, &c->scope.group);
  svc_buf b = svc_buf_new(c->arena, 64);
  int rc;
  svc_percent_encode(&b, SVC_S("$external"));
  svc_buf_char(&b, '/');
  svc_percent_encode(&b, name);
  rc = users ? svc_entity_named(c->txn, users->noun->kind, svc_noun_ext_of(users->noun)->names, &c->scope.group, svc_buf_done(&b), out) : SVC_NOT_FOUND;
  if (rc == SVC_NOT_FOUND) return svc_fail_about(c, SVC_E_USERNAME_NOT_FOUND, name, group);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (svc_json_is(out->body, "x509Type", "MANAGED")) return true;
  return svc_fail_as(c, svc_arena_print(c->arena, "The user " SVC_FMT " does not authenticate by certificates that the service manages.",
                                        SVC_ARG(name)), SVC_E_INVALID_USERNAME, "S", &name);
}

static bool database_user_cert_ahead(svc_call *c)
{
  database_user_cert_made *made = svc_arena_zero(c->arena, sizeof *made);
  svc_entity user;
  bool good, there;
  if (!made) return svc_no_memory(c);
  made->issuer = svc_authority_name(c);
  good = svc_begin_read(c) && svc_resolve_all(c) && database_user_cert_user(c, &user) && database_user_cert_authority(c, &made->authority, &there);
  good = svc_read_good(c) && good;
  svc_end_read(c);
  if (!good || (!there && !database_user_cert_new_authority(c, made)) || !database_user_cert_sign(c, made)) return false;
  c->prework = (svc_str){ (const char *)made, sizeof *made };
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- storing */

static bool database_user_cert_keep_authority(svc_call *c, const database_user_cert_made *made)
{
  const svc_noun_info *authority = svc_noun_by_kind(c->s, SVC_AUTHORITY_KIND);
  svc_change change;
  svc_entity e;
  if (!authority) return svc_fail(c, SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", "certificates to be issued");
  if (!svc_change_new(c, authority, NULL, &change)) return false;
  change.parent = c->scope.group;
  svc_node_set_str(c->arena, change.body, "certificate", made->authority.certificate);
  svc_node_set_str(c->arena, change.body, "key", made->authority.key);
  svc_change_due(&change, SVC_DUE_RUN, svc_months_on(c->now, SVC_AUTHORITY_RENEWED));
  return svc_insert(c, &change, &e);
}

/* Answers with all parts in one text, as clients read it from a file. A repeated request with the same Idempotency-Key gets only the
** stored entity. */
static bool database_user_cert_answer(svc_call *c, const database_user_cert_made *made, const svc_entity *e)
{
  svc_str pem = svc_arena_print(c->arena, SVC_FMT SVC_FMT SVC_FMT, SVC_ARG(made->user.certificate), SVC_ARG(made->user.key),
                                SVC_ARG(made->authority.certificate));
  svc_buf b = svc_buf_new(c->arena, pem.n + 128);
  if (!svc_answer_entity(c, e)) return false;
  svc_answer_keep(c);
  svc_json_escape(&b, pem);
  return svc_answer_json(c, svc_buf_done(&b));
}

static bool database_user_cert_create(svc_call *c)
{
  const database_user_cert_made *made = (const void *)c->prework.p;
  svc_entity user, e;
  svc_x509_pair other;
  svc_change change;
  bool there;
  if (!svc_resolve_all(c) || !database_user_cert_user(c, &user) || !database_user_cert_authority(c, &other, &there)) return false;
  /* the authority was created or removed in the meantime: the caller may retry */
  if (there == made->fresh) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  if (made->fresh && !database_user_cert_keep_authority(c, made)) return false;
  if (!svc_change_new(c, c->plan->noun, NULL, &change)) return false;
  change.parent = user.id;
  svc_node_set_i64(c->arena, change.body, "_id", made->number);
  svc_node_set_date(c->arena, change.body, "notAfter", made->until);
  svc_node_set_str(c->arena, change.body, "subject", c->route.params[1]);
  svc_change_due(&change, SVC_DUE_EXPIRY, made->until);
  return svc_insert(c, &change, &e) && database_user_cert_answer(c, made, &e);
}

static bool database_user_cert_list(svc_call *c)
{
  svc_entities all = { .noun = c->plan->noun };
  svc_entity user;
  if (!database_user_cert_user(c, &user)) return false;
  all.parent = user.id;
  return svc_list_entities(c, &all);
}

SVC_PRIVATE const svc_noun svc_noun_database_user_cert = {
  .name = "database user certificate",
  .rel = "cert",
  .kind = "ucrt",
  .parent = "database user",
  .flags = SVC_EXPIRES,
  .object = &database_user_cert_object,
  .most = DATABASE_USER_CERT_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "DB_USER_X509_CERT_CREATED",
  .event_field = "dbUserUsername",
  .routes = SVC_ROUTES(database_user_cert_routes),
  .ext = SVC_NOUN_EXT(.event_value = "subject")
};
