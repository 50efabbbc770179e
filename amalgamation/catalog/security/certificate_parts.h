/*
** Shared by the nouns of certificates.
*/
#ifndef SVC_CERTIFICATE_PARTS_H
#define SVC_CERTIFICATE_PARTS_H

#include "catalog/catalog.h"

#define SVC_AUTHORITY_KIND "cert"
#define SVC_AUTHORITY_MONTHS 240 /* validity of an authority, in months */
#define SVC_AUTHORITY_RENEWED 210 /* age at which an authority is renewed, in months. Its certificates are valid for 24 months at most, so
                                     all of them expire before it does */

/* Prepares the request for a project's self-signed authority certificate. Returns false if there are no random bytes. */
SVC_PRIVATE bool svc_authority_request(svc_call *c, svc_str name, svc_x509_request *out);
SVC_PRIVATE svc_str svc_authority_name(svc_call *c);

/* Checks that the text is one or more PEM certificates. Otherwise returns false and adds a violation of this field. */
SVC_PRIVATE bool svc_certificates_check(svc_call *c, svc_str pem, const char *field);

#endif /* SVC_CERTIFICATE_PARTS_H */
