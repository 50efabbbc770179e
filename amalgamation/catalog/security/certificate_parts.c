/*
** Certificates that come from outside: of a customer's own authority, of a directory.
*/
#include "catalog/security/certificate_parts.h"

SVC_PRIVATE bool svc_certificates_check(svc_call *c, svc_str pem, const char *field)
{
  int rc = pem.n ? svc_x509_check(c->arena, pem) : SVC_OK;
  if (rc == SVC_NOMEM) return svc_no_memory(c);
  if (rc == SVC_OK) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "must be certificates in PEM, one or several");
  return false;
}
