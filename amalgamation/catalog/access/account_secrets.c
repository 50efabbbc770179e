/*
** Secrets of service accounts. An account has at most two, so that one can be replaced without a gap. A secret is shown in the answer that
** makes it and never again; a salted hash of it is stored, beside the roles:
**
**   verifier: for each secret  id(12) i64 expiry, salt(16) hash(32)
*/
#include "catalog/access/account_parts.h"

#define ACCOUNT_SECRETS 2

/* No longer than the organization allows. */
static bool account_secrets_hours(svc_call *c, int64_t hours)
{
  int64_t most = svc_org_setting_number(c, "maxServiceAccountSecretValidityInHours", SVC_ACCOUNT_MOST_HOURS);
  if (hours <= most) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("secretExpiresAfterHours"), "must be at most %lld in this organization",
              (long long)most);
  return svc_check_done(c);
}

SVC_PRIVATE svc_node *svc_account_secret_new(svc_call *c, int64_t hours, svc_account_verifier *v, svc_str *secret)
{
  unsigned char random[30];
  svc_node *record = svc_node_object(c->arena, NULL);
  memset(v, 0, sizeof *v);
  if (!account_secrets_hours(c, hours) || !svc_secret_bytes(c, random, sizeof random)) return NULL;
  *secret = svc_arena_print(c->arena, "%s%s", svc_value_text(c->s, c->arena, "svc_sa_sk_").p, svc_base64(c->arena, (svc_str){ (const char *)random, 30 }).p);
  if (!record || secret->n < 40) {
    (void)svc_no_memory(c);
    return NULL;
  }
  v->id = svc_new_id(c->txn);
  v->expiry = c->now + hours * 3600000;
  if (!svc_secret_hash(c, *secret, v->hash)) return NULL;
  svc_node_set_date(c->arena, record, "createdAt", c->now);
  svc_node_set_date(c->arena, record, "expiresAt", v->expiry);
  svc_node_set_id(c->arena, record, "id", &v->id);
  svc_node_set_str(c->arena, record, "maskedSecretValue",
                   svc_arena_print(c->arena, "%s****%s", svc_value_text(c->s, c->arena, "svc_sa_sk_").p,
                                   secret->p + secret->n - 4));
  return record;
}

SVC_PRIVATE svc_node *svc_account_secret_show(svc_call *c, const svc_node *record, svc_str secret)
{
  svc_node *shown = svc_node_copy(c->arena, record);
  if (!shown) return NULL;
  svc_node_drop(shown, "maskedSecretValue");
  svc_node_set_str(c->arena, shown, "secret", secret);
  return shown;
}

/* The number of hashes is always the same: it tells neither how many secrets an account has, nor that there is no account. */
SVC_PRIVATE bool svc_account_opens(svc_call *c, const svc_entity *account, svc_str secret, svc_id *which, int64_t *until)
{
  svc_str verifier, assignments;
  svc_account_verifier v;
  bool found = false, there, same;
  int i;
  if (!svc_credential_unpack(account->extra, &verifier, &assignments)) verifier = SVC_S("");
  for (i = 0; i < ACCOUNT_SECRETS; i++) {
    there = verifier.n >= sizeof v;
    memset(&v, 0, sizeof v);
    if (there) memcpy(&v, verifier.p, sizeof v);
    same = svc_secret_same(c, secret, v.hash);
    if (there && same && c->now < v.expiry) {
      found = true;
      *which = v.id;
      *until = v.expiry;
    }
    if (there) verifier.p += sizeof v, verifier.n -= sizeof v;
  }
  return found;
}

SVC_PRIVATE bool svc_account_store(svc_call *c, svc_change *change, svc_str verifier, svc_str names, svc_entity *e)
{
  int level;
  svc_str on = svc_call_scope(c, &level), lines = svc_assignments_of(&change->entity), org;
  svc_node *roles;
  org = svc_id_str(c->arena, &change->entity.parent);
  if (level == SVC_SCOPE_GROUP && !svc_names_put(c, &change->entity, names)) return false;
  if (level == SVC_SCOPE_ORGANIZATION && !svc_lines_same(names, svc_assignments_names(c, lines, on)))
    lines = svc_assignments_set(c, lines, on, names);
  roles = svc_names_array(c, svc_assignments_names(c, lines, org), "roles");
  if (!roles) return svc_no_memory(c);
  svc_node_put(c->arena, change->body, roles);
  change->extra = svc_credential_pack(c->arena, verifier, lines);
  return svc_change_keep(c, change, e) && svc_answer_entity(c, e);
}

SVC_PRIVATE bool svc_account_target(svc_call *c, svc_change *change, svc_str *verifier, svc_str *names)
{
  svc_str lines;
  if (!svc_change_begin(c, change)) return false;
  if (!svc_credential_unpack(change->entity.extra, verifier, &lines)) return svc_store_failed(c, SVC_CORRUPT);
  *names = svc_names_here(c, &change->entity);
  return true;
}

SVC_PRIVATE bool svc_account_secret_add(svc_call *c)
{
  svc_str verifier, names, secret;
  svc_account_verifier v;
  svc_change change;
  svc_node *record, *secrets;
  svc_entity e;
  svc_buf b;
  if (!svc_account_target(c, &change, &verifier, &names) || !svc_may_manage(c, &change.entity)) return false;
  if (verifier.n >= ACCOUNT_SECRETS * sizeof v)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "a service account has at most two secrets: delete one first");
  record = svc_account_secret_new(c, svc_node_i64(c->checked, "secretExpiresAfterHours", 0), &v, &secret);
  if (!record) return false;
  secrets = svc_node_get(change.body, "secrets");
  if (secrets) svc_node_append(secrets, record);
  b = svc_buf_new(c->arena, verifier.n + sizeof v);
  svc_buf_str(&b, verifier);
  svc_buf_add(&b, (const char *)&v, sizeof v);
  change.event = "SERVICE_ACCOUNT_SECRET_ADDED";
  if (!svc_account_store(c, &change, (svc_str){ b.p, b.n }, names, &e)) return false;
  svc_answer_untagged(c); /* its links are those of the account, which shows it from here on */
  if (!svc_answer_body(c, (svc_node *)(uintptr_t)record)) return false;
  svc_answer_keep(c);
  return svc_answer_body(c, svc_account_secret_show(c, record, secret));
}

/* The tokens that were got by a secret end with it. */
static bool account_secrets_end_tokens(svc_call *c, const svc_id *account, const svc_id *secret)
{
  const svc_noun_info *tokens = c->s->seats[SVC_SEAT_TOKEN];
  svc_scan scan;
  svc_entity token;
  if (!tokens) return true;
  svc_below_begin(&scan, c->txn, tokens->noun->kind, account);
  while (svc_below_next(&scan, tokens->noun->kind, &token))
    if (svc_str_eq(token.extra, (svc_str){ (const char *)secret->b, sizeof secret->b }) && !svc_erase(c, tokens, &token))
      return false;
  return svc_txn_good(c);
}

/* The verifiers without that of one secret; *live: some are left that have not expired, or it had expired itself. */
static bool account_secrets_without(svc_call *c, svc_str verifier, const svc_id *secret, svc_str *out, bool *live)
{
  svc_account_verifier v;
  svc_buf b = svc_buf_new(c->arena, verifier.n + 1);
  bool found = false;
  *live = false;
  for (; verifier.n >= sizeof v; verifier.p += sizeof v, verifier.n -= sizeof v) {
    bool same;
    memcpy(&v, verifier.p, sizeof v);
    same = svc_id_eq(&v.id, secret);
    if (same) found = true;
    else svc_buf_add(&b, verifier.p, sizeof v);
    if (same != (c->now < v.expiry)) *live = true;
  }
  *out = svc_buf_done(&b);
  return found;
}

SVC_PRIVATE bool svc_account_secret_delete(svc_call *c)
{
  svc_str verifier, names, secret_id, rest;
  svc_change change;
  svc_entity e;
  svc_node *secrets, *kept, *item;
  svc_id secret;
  bool live;
  if (!svc_account_target(c, &change, &verifier, &names) || !svc_may_manage(c, &change.entity)) return false;
  secret_id = svc_path_param(c, "secretId");
  if (!svc_id_parse(secret_id, &secret) || !account_secrets_without(c, verifier, &secret, &rest, &live))
    return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
  if (!live && !svc_credential_removing(c, &change.entity)) return false; /* its token would be its last */
  secrets = svc_node_get(change.before, "secrets");
  kept = svc_node_array(c->arena, "secrets");
  if (!kept) return svc_no_memory(c);
  for (item = svc_node_first(secrets); item; item = item->next) {
    svc_node *copy = svc_node_eq(item, "id", secret_id) ? NULL : svc_node_copy(c->arena, item);
    if (copy) svc_node_append(kept, copy);
  }
  svc_node_put(c->arena, change.body, kept);
  change.event = "SERVICE_ACCOUNT_SECRET_DELETED";
  return account_secrets_end_tokens(c, &change.entity.id, &secret) &&
         svc_account_store(c, &change, rest, names, &e) && svc_answer_nothing(c);
}
