/*
** The certificate authority of a project: it issues the certificates of its database users (database_user_cert.c). It is made
** with the first of these, and no operation shows it; the driver is told its certificate, for servers to trust.
**
** The rule: its key is sealed, and leaves the store only to sign.
*/
#include "catalog/security/certificate_parts.h"

static const svc_field certificate_authority_fields[] = {
  F_STR("certificate", .flags = SVC_READ_ONLY),
  F_STR("key", .flags = SVC_SEALED | SVC_WRITE_ONLY)
};
static const svc_object certificate_authority_object = { .name = "CertificateAuthority", .fields = SVC_ROWS(certificate_authority_fields) };

static const svc_order_row certificate_authority_orders[] = {
  { "authority.put", "Trust client certificates that this authority has signed.", NULL, NULL, 0 },
  { "authority.delete", "Trust them no more.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_certificate_authority = {
  .name = "certificate authority",
  .kind = SVC_AUTHORITY_KIND,
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &certificate_authority_object,
  .order_put = "authority.put",
  .order_gone = "authority.delete",
  .orders = certificate_authority_orders,
};
