/*
** Service accounts and their secrets: what the noun service_account and account_secrets.c share.
*/
#ifndef SVC_ACCOUNT_PARTS_H
#define SVC_ACCOUNT_PARTS_H

#include "catalog/catalog.h"

#define SVC_ACCOUNT_LEAST_HOURS 8 /* that a secret is valid */
#define SVC_ACCOUNT_MOST_HOURS 8760

typedef struct svc_account_verifier {
  svc_id id;
  uint32_t zero;
  int64_t expiry;
  unsigned char hash[48];
} svc_account_verifier;

/* A new secret: its record as it is shown from now on, the bytes that verify it, and the secret itself. NULL: refused, or no memory. */
SVC_PRIVATE svc_node *svc_account_secret_new(svc_call *c, int64_t hours, svc_account_verifier *v, svc_str *secret);
/* The same record with the secret in it, for the one answer that shows it. */
SVC_PRIVATE svc_node *svc_account_secret_show(svc_call *c, const svc_node *record, svc_str secret);
SVC_PRIVATE bool svc_account_opens(svc_call *c, const svc_entity *account, svc_str secret, svc_id *which, int64_t *until);

/* The account of the path, and what is kept of it: its secrets, and the roles that it has in the path's scope. */
SVC_PRIVATE bool svc_account_target(svc_call *c, svc_change *change, svc_str *verifier, svc_str *names);
/* Store, and answer with what is seen from the path. The roles in its scope become these; verifier: of the secrets. */
SVC_PRIVATE bool svc_account_store(svc_call *c, svc_change *change, svc_str verifier, svc_str names, svc_entity *e);

/* Operations of routes below an account. */
SVC_PRIVATE bool svc_account_secret_add(svc_call *c);
SVC_PRIVATE bool svc_account_secret_delete(svc_call *c);

#endif /* SVC_ACCOUNT_PARTS_H */
