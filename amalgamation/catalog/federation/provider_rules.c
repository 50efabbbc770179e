/*
** Rules of identity providers that no table can express: their two ids, their certificates, and uniqueness in a
** federation.
*/
#include "catalog/federation/federation_parts.h"

/* ------------------------------------------------------------------------------------------------------------------ ids */

#define PROVIDER_OLD 10 /* bytes of the older id */

/* Sets the last two bytes of an id to the checksum. */
static void provider_seal_id(svc_id *id)
{
  unsigned sum = 0x811c;
  int i;
  for (i = 0; i < PROVIDER_OLD; i++) sum = ((sum ^ id->b[i]) * 0x0193u + 0x29u) & 0xFFFFu;
  id->b[PROVIDER_OLD] = (unsigned char)(sum >> 8);
  id->b[PROVIDER_OLD + 1] = (unsigned char)sum;
}

SVC_PRIVATE svc_str svc_provider_old_id(svc_call *c, const svc_id *id)
{
  svc_str text = svc_id_str(c->arena, id);
  return (svc_str){ text.p, text.n ? 2 * PROVIDER_OLD : 0 };
}

SVC_PRIVATE bool svc_provider_id(svc_str text, svc_id *out)
{
  char whole[25] = "000000000000000000000000";
  if (text.n == 24) return svc_id_parse(text, out);
  if (text.n != 2 * PROVIDER_OLD) return false;
  memcpy(whole, text.p, text.n);
  if (!svc_id_parse(svc_str_c(whole), out)) return false;
  provider_seal_id(out);
  return true;
}

/* Consecutive ids may differ only in the bytes that the checksum replaces, and become equal: then the next id is tried. */
static bool provider_new_id(svc_call *c, svc_change *change)
{
  svc_entity other;
  do {
    change->id = svc_new_id_at(c->txn, c->now);
    provider_seal_id(&change->id);
  } while (svc_entity_get(c->txn, SVC_PROVIDER_KIND, &change->parent, &change->id, &other) == SVC_OK);
  svc_node_set_id(c->arena, change->body, "id", &change->id);
  svc_node_set_str(c->arena, change->body, "oktaIdpId", svc_provider_old_id(c, &change->id));
  return svc_txn_good(c);
}

/* -------------------------------------------------------------------------------------------------------------- finding */

SVC_PRIVATE bool svc_provider_of(svc_call *c, const svc_id *federation, svc_str id, const char *protocol, svc_entity *out, bool *found)
{
  svc_id provider;
  *found = svc_provider_id(id, &provider) && svc_entity_get(c->txn, SVC_PROVIDER_KIND, federation, &provider, out) == SVC_OK &&
           (!protocol || svc_json_is(out->body, "protocol", protocol));
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_connected_names(const svc_node *connected, const svc_id *provider)
{
  svc_str signs_in = svc_node_str(connected, "identityProviderId");
  const svc_node *item = svc_node_get(connected, "dataAccessIdentityProviderIds");
  svc_id id;
  if (!provider) return signs_in.n || svc_node_first(item);
  if (signs_in.n && svc_provider_id(signs_in, &id) && svc_id_eq(&id, provider)) return true;
  for (item = svc_node_first(item); item; item = item->next)
    if (svc_provider_id(item->text, &id) && svc_id_eq(&id, provider)) return true;
  return false;
}

/* --------------------------------------------------------------------------------------------------------- certificates */

/* Sets a date from the certificate. A date in the body must be the same. */
static void provider_date(svc_call *c, svc_node *certificate, const char *field, int64_t when, const char *at)
{
  svc_str sent = svc_node_str(certificate, field);
  int64_t is;
  if (sent.n && svc_date_parse(sent, &is) && is != when)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%s.%s", at, field), "differs from the certificate");
  svc_node_set_date(c->arena, certificate, field, when);
}

/* Certificates are shown without content. A certificate without content is the stored one with the same dates. */
static bool provider_certificate_kept(svc_call *c, svc_node *certificate, const svc_node *before)
{
  const svc_node *old = svc_node_get(svc_node_get(before, "pemFileInfo"), "certificates");
  for (old = svc_node_first(old); old; old = old->next) {
    if (!svc_node_eq(old, "notAfter", svc_node_str(certificate, "notAfter")) ||
        !svc_node_eq(old, "notBefore", svc_node_str(certificate, "notBefore")))
      continue;
    svc_node_set_from(c->arena, certificate, "content", old, "content");
    return true;
  }
  return false;
}

static bool provider_certificate(svc_call *c, svc_node *certificate, const svc_node *before, int i)
{
  svc_str content = svc_node_str(certificate, "content"), at = svc_arena_print(c->arena, "pemFileInfo.certificates[%d]", i);
  svc_str field = svc_arena_print(c->arena, SVC_FMT ".content", SVC_ARG(at));
  int64_t from, until;
  int rc;
  if (!field.n) return svc_no_memory(c);
  if (!content.n && provider_certificate_kept(c, certificate, before)) return true;
  if (!content.n) return svc_violate(c, SVC_E_MISSING_ATTRIBUTE, field, "is required"), true;
  rc = svc_x509_dates(c->arena, content, &from, &until);
  if (rc == SVC_NOMEM) return svc_no_memory(c);
  if (rc == SVC_NO_X509) return svc_fail(c, SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", "certificates to be read");
  if (rc != SVC_OK) return svc_violate(c, SVC_E_INVALID_ATTRIBUTE, field, "must be one certificate in PEM format"), true;
  provider_date(c, certificate, "notAfter", until, at.p);
  provider_date(c, certificate, "notBefore", from, at.p);
  return true;
}

/* Whether one of the certificates is valid now. */
static bool provider_certified(const svc_call *c, const svc_node *body)
{
  const svc_node *item = svc_node_get(svc_node_get(body, "pemFileInfo"), "certificates");
  int64_t from, until;
  for (item = svc_node_first(item); item; item = item->next)
    if (svc_date_parse(svc_node_str(item, "notBefore"), &from) && svc_date_parse(svc_node_str(item, "notAfter"), &until) &&
        from <= c->now && c->now < until)
      return true;
  return false;
}

static bool provider_saml(svc_call *c, const svc_change *change)
{
  svc_node *item = svc_node_get(svc_node_get(change->body, "pemFileInfo"), "certificates");
  bool active = svc_node_is(change->body, "status", "ACTIVE");
  int i = 0;
  for (item = svc_node_first(item); item; item = item->next, i++)
    if (!provider_certificate(c, item, change->before, i)) return false;
  if (active && !svc_node_is(change->before, "status", "ACTIVE") && !provider_certified(c, change->body))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("status"), "can only be ACTIVE with a certificate in pemFileInfo that is valid now");
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- sharing */

static bool provider_same(const svc_node *a, const svc_node *b, const char *field)
{
  svc_str text = svc_node_str(a, field);
  return text.n && svc_node_eq(b, field, text);
}

/* The value that another provider of the federation has, too, although it must be unique: a token only names its issuer and its
** audience. */
static svc_str provider_taken(const svc_node *body, const svc_node *other)
{
  bool saml = svc_node_is(body, "protocol", "SAML");
  if (!provider_same(body, other, "protocol")) return SVC_S("");
  if (provider_same(body, other, "issuerUri") && (saml || provider_same(body, other, "audience"))) return svc_node_str(body, "issuerUri");
  return saml && provider_same(body, other, "slug") ? svc_node_str(body, "slug") : SVC_S("");
}

static bool provider_alone(svc_call *c, const svc_change *change)
{
  svc_str federation = svc_id_str(c->arena, &change->parent), taken = SVC_S("");
  svc_entity e;
  svc_scan scan;
  svc_below_begin(&scan, c->txn, SVC_PROVIDER_KIND, &change->parent);
  while (!taken.n && svc_below_next(&scan, SVC_PROVIDER_KIND, &e)) {
    const svc_node *other = svc_id_eq(&e.id, &change->id) ? NULL : svc_entity_body(c, &e);
    if (other) taken = provider_taken(change->body, other);
    else if (c->error.code) return false;
  }
  return taken.n ? svc_fail(c, SVC_E_IDENTITY_PROVIDER_ALREADY_EXISTS, "SS", &taken, &federation) : svc_txn_good(c);
}

SVC_PRIVATE bool svc_provider_prepare(svc_call *c, svc_change *change)
{
  bool saml = svc_node_is(change->body, "protocol", "SAML");
  if (!change->before && !provider_new_id(c, change)) return false;
  if (saml && !provider_saml(c, change)) return false;
  return svc_check_done(c) && provider_alone(c, change);
}
