/*
** Checks certificates that customers send (of their own authority, or of a directory), and prepares the project's own
** authority.
*/
#include "catalog/security/certificate_parts.h"

SVC_PRIVATE svc_str svc_authority_name(svc_call *c)
{
  return svc_arena_print(c->arena, "CN=%s,O=" SVC_FMT, svc_id_str(c->arena, &c->scope.group).p, SVC_ARG(c->s->vendor));
}

/* A new certificate is valid from an hour ago, because clocks differ a little. */
SVC_PRIVATE bool svc_authority_request(svc_call *c, svc_str name, svc_x509_request *out)
{
  *out = (svc_x509_request){ .subject = name, .issuer = name, .from = c->now - 3600000, .until = svc_months_on(c->now, SVC_AUTHORITY_MONTHS) };
  out->random = c->s->commit.ids.random;
  out->random_context = c->s->commit.ids.random_context;
  return svc_secret_bytes(c, out->serial, sizeof out->serial);
}

SVC_PRIVATE bool svc_certificates_check(svc_call *c, svc_str pem, const char *field)
{
  int rc = pem.n ? svc_x509_check(c->arena, pem) : SVC_OK;
  if (rc == SVC_NOMEM) return svc_no_memory(c);
  if (rc == SVC_OK) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "must be one or more certificates in PEM format");
  return false;
}
