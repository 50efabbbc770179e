/*
** What the nouns of certificates share.
*/
#ifndef SVC_CERTIFICATE_PARTS_H
#define SVC_CERTIFICATE_PARTS_H

#include "catalog/catalog.h"

#define SVC_AUTHORITY_KIND "cert"

/* Text that must be certificates in PEM. False: a violation of this field is noted. */
SVC_PRIVATE bool svc_certificates_check(svc_call *c, svc_str pem, const char *field);

#endif /* SVC_CERTIFICATE_PARTS_H */
