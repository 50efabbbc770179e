/*
** What the nouns of certificates share.
*/
#ifndef SVC_CERTIFICATE_PARTS_H
#define SVC_CERTIFICATE_PARTS_H

#include "catalog/catalog.h"

#define SVC_AUTHORITY_KIND "cert"
#define SVC_AUTHORITY_MONTHS 240 /* that an authority is good for */
#define SVC_AUTHORITY_RENEWED 210 /* after which it is renewed: what it signs until then, for 24 months at the most, ends before it */

/* What the certificate of a project's authority is made by: it signs itself. False: no random bytes. */
SVC_PRIVATE bool svc_authority_request(svc_call *c, svc_str name, svc_x509_request *out);
SVC_PRIVATE svc_str svc_authority_name(svc_call *c);

/* Text that must be certificates in PEM. False: a violation of this field is noted. */
SVC_PRIVATE bool svc_certificates_check(svc_call *c, svc_str pem, const char *field);

#endif /* SVC_CERTIFICATE_PARTS_H */
