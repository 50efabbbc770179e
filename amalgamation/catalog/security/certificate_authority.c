/*
** The certificate authority of a project issues the certificates of its database users (database_user_cert.c). The first
** certificate creates the authority, and no operation shows it. The driver gets its certificate, for servers to trust.
**
** The rule: its key is sealed, and is unsealed only to sign. Long before its certificate expires, a new key and certificate
** replace it. The previous certificate stays after the new one, so that servers trust what it has signed until it expires.
*/
#include "catalog/security/certificate_parts.h"

static const svc_field certificate_authority_fields[] = {
  F_STR("certificate", .flags = SVC_READ_ONLY),
  F_STR("key", .flags = SVC_SEALED | SVC_WRITE_ONLY)
};
static const svc_object certificate_authority_object = { .name = "CertificateAuthority", .fields = SVC_ROWS(certificate_authority_fields) };

static const svc_order_row certificate_authority_orders[] = {
  { "authority.put", "Trust client certificates that this authority has signed.", NULL, NULL, 0 },
  { "authority.delete", "Stop trusting certificates of this authority.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* Returns the first certificate of several. */
static svc_str certificate_authority_first(svc_str pem)
{
  static const char end[] = "-----END CERTIFICATE-----\n";
  size_t n = sizeof end - 1;
  while (n < pem.n && memcmp(pem.p + n - (sizeof end - 1), end, sizeof end - 1) != 0) n++;
  return (svc_str){ pem.p, n < pem.n ? n : pem.n };
}

/* Renews the authority. If this build or host cannot create a certificate, nothing changes, and the next attempt is a day later. */
static bool certificate_authority_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_str before = certificate_authority_first(svc_node_str(change->body, "certificate"));
  svc_x509_request r;
  svc_x509_pair pair;
  int rc;
  if (tag != SVC_DUE_RUN) return true;
  svc_change_due(change, SVC_DUE_RUN, c->now + 86400000);
  if (!c->s->config.secret_key) return true;
  if (!svc_authority_request(c, svc_authority_name(c), &r)) return false;
  rc = svc_x509_make(c->arena, &r, &pair);
  if (rc == SVC_NO_X509) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  svc_node_set_str(c->arena, change->body, "certificate", svc_arena_print(c->arena, SVC_FMT SVC_FMT, SVC_ARG(pair.certificate), SVC_ARG(before)));
  svc_node_set_str(c->arena, change->body, "key", pair.key);
  svc_change_due(change, SVC_DUE_RUN, svc_months_on(c->now, SVC_AUTHORITY_RENEWED));
  return !c->arena->failed || svc_no_memory(c);
}

SVC_PRIVATE const svc_noun svc_noun_certificate_authority = {
  .name = "certificate authority",
  .kind = SVC_AUTHORITY_KIND,
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &certificate_authority_object,
  .order_put = "authority.put",
  .order_gone = "authority.delete",
  .orders = certificate_authority_orders,
  .fell_due = certificate_authority_fell_due
};
