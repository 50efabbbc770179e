/*
** Secrets of service accounts: the store has a salted hash of each, in front of the roles of the account:
**
**   verifiers: for each secret  id(12) zero(4) i64 expiry, salt(16) hash(32)
*/
#include "catalog/access/account_parts.h"

#define ACCOUNT_SECRETS 2
#define ACCOUNT_SECRET_BYTES 30

/* Checks the validity against the maximum that the organization allows. */
static bool account_secrets_hours(svc_call *c, int64_t hours)
{
  int64_t most = svc_org_setting_number(c, "maxServiceAccountSecretValidityInHours", SVC_ACCOUNT_MOST_HOURS);
  if (hours <= most) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("secretExpiresAfterHours"), "must be at most %lld in this organization",
              (long long)most);
  return svc_check_done(c);
}

static svc_str account_secrets_prefix(svc_call *c)
{
  return svc_value_text(c->s, c->arena, "svc_sa_sk_");
}

SVC_PRIVATE svc_str svc_account_secret_text(svc_call *c)
{
  svc_str text = svc_secret_text(c, ACCOUNT_SECRET_BYTES), prefix;
  svc_buf b;
  if (text.n == 0) return text;
  prefix = account_secrets_prefix(c);
  b = svc_buf_new(c->arena, prefix.n + text.n + 1);
  svc_buf_str(&b, prefix);
  svc_buf_str(&b, text);
  text = svc_buf_done(&b);
  if (prefix.n && text.n) return text;
  (void)svc_no_memory(c);
  return SVC_S("");
}

/* Appends a verifier to those in front of the roles. */
static bool account_secrets_remember(svc_call *c, const svc_account_verifier *v, svc_str *extra)
{
  svc_str verifiers, lines;
  svc_buf b;
  if (!svc_credential_unpack(*extra, &verifiers, &lines)) return svc_store_failed(c, SVC_CORRUPT);
  if (verifiers.n >= ACCOUNT_SECRETS * sizeof *v)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "a service account has at most two secrets: delete one first");
  b = svc_buf_new(c->arena, verifiers.n + sizeof *v);
  svc_buf_str(&b, verifiers);
  svc_buf_add(&b, (const char *)v, sizeof *v);
  *extra = svc_credential_pack(c->arena, (svc_str){ b.p, b.n }, lines);
  return true;
}

SVC_PRIVATE svc_node *svc_account_secret_record(svc_call *c, const svc_id *id, int64_t hours, svc_str secret, svc_str *extra)
{
  svc_account_verifier v;
  svc_node *record = svc_node_object(c->arena, NULL);
  memset(&v, 0, sizeof v);
  v.id = *id;
  v.expiry = c->now + hours * 3600000;
  if (!account_secrets_hours(c, hours) || !svc_secret_hash(c, secret, v.hash) || !account_secrets_remember(c, &v, extra)) return NULL;
  if (!record) {
    (void)svc_no_memory(c);
    return NULL;
  }
  svc_node_set_date(c->arena, record, "createdAt", c->now);
  svc_node_set_date(c->arena, record, "expiresAt", v.expiry);
  svc_node_set_id(c->arena, record, "id", id);
  svc_node_set_str(c->arena, record, "maskedSecretValue",
                   svc_arena_print(c->arena, "%s****%s", account_secrets_prefix(c).p, secret.p + secret.n - 4));
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

/* Always computes the same number of hashes, so that the time reveals neither the number of secrets nor whether the account exists. */
SVC_PRIVATE bool svc_account_lasts(svc_call *c, const svc_entity *account, svc_id *which, int64_t *until)
{
  svc_str verifier, assignments;
  svc_account_verifier v;
  if (!svc_credential_unpack(account->extra, &verifier, &assignments)) return false;
  for (*until = c->now; verifier.n >= sizeof v; verifier.p += sizeof v, verifier.n -= sizeof v) {
    memcpy(&v, verifier.p, sizeof v);
    if (v.expiry <= *until) continue;
    *which = v.id;
    *until = v.expiry;
  }
  return *until > c->now;
}

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

SVC_PRIVATE bool svc_account_forget(svc_call *c, const svc_node *secrets, svc_str *extra)
{
  svc_str verifiers, lines;
  svc_account_verifier v;
  svc_buf b;
  if (!svc_credential_unpack(*extra, &verifiers, &lines)) return svc_store_failed(c, SVC_CORRUPT);
  b = svc_buf_new(c->arena, verifiers.n + 1);
  for (; verifiers.n >= sizeof v; verifiers.p += sizeof v, verifiers.n -= sizeof v) {
    memcpy(&v, verifiers.p, sizeof v);
    if (svc_element_named(secrets, svc_id_str(c->arena, &v.id))) svc_buf_add(&b, verifiers.p, sizeof v);
  }
  *extra = svc_credential_pack(c->arena, svc_buf_done(&b), lines);
  return true;
}

/* True if another secret is still valid, or if this one has expired already, so that deleting it changes nothing. */
SVC_PRIVATE bool svc_account_lives_without(svc_call *c, const svc_entity *account, svc_str secret)
{
  svc_str verifiers, lines;
  svc_account_verifier v;
  svc_id id;
  bool lives = false;
  if (!svc_id_parse(secret, &id) || !svc_credential_unpack(account->extra, &verifiers, &lines)) return false;
  for (; verifiers.n >= sizeof v; verifiers.p += sizeof v, verifiers.n -= sizeof v) {
    memcpy(&v, verifiers.p, sizeof v);
    if (svc_id_eq(&v.id, &id) != (c->now < v.expiry)) lives = true;
  }
  return lives;
}

/* Below a project, only accounts with a role there are visible. */
SVC_PRIVATE bool svc_account_seen(svc_call *c)
{
  int level;
  if (!svc_resolve(c, 2)) return false;
  svc_call_scope(c, &level);
  return level != SVC_SCOPE_GROUP || svc_keep_assigned(c, svc_path_entity(c, "service account")) ||
         svc_not_found(c, c->s->seats[SVC_SEAT_ACCOUNT], 1, svc_path_param(c, "clientId"));
}
