/*
** Functions and tables for service accounts and their secrets, which the nouns service_account, service_account_secret and
** service_account_access_list share.
*/
#ifndef SVC_ACCOUNT_PARTS_H
#define SVC_ACCOUNT_PARTS_H

#include "catalog/catalog.h"
#include "catalog/values.h"

#define SVC_ACCOUNT_LEAST_HOURS 8 /* minimum validity of a secret */
#define SVC_ACCOUNT_MOST_HOURS 8760

typedef struct svc_account_verifier {
  svc_id id;
  uint32_t zero;
  int64_t expiry;
  unsigned char hash[48];
} svc_account_verifier;

/* Validity of a new secret. */
#define SVC_ACCOUNT_HOURS \
  F_INT("secretExpiresAfterHours", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = SVC_ACCOUNT_LEAST_HOURS, .max = SVC_ACCOUNT_MOST_HOURS)

/* A secret as its account shows it. */
SVC_SHARED svc_field svc_fields_account_secret[] = {
  F_DATE("createdAt", .flags = SVC_READ_ONLY),
  F_DATE("expiresAt", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_DATE("lastUsedAt", .flags = SVC_READ_ONLY),
  F_STR("maskedSecretValue", .flags = SVC_READ_ONLY),
  F_STR("secret", .flags = SVC_READ_ONLY) /* only in the answer to its creation */
};
SVC_SHARED svc_object svc_object_account_secret = { .name = "ServiceAccountSecret", .fields = SVC_ROWS(svc_fields_account_secret) };

/* account_secrets.c. A new secret; n 0: refused, or out of memory. */
SVC_PRIVATE svc_str svc_account_secret_text(svc_call *c);
/* The record of a secret as the account shows it from now on. Adds the secret's verifier to *extra, the data stored next to the
** account's JSON. NULL: refused, or out of memory. */
SVC_PRIVATE svc_node *svc_account_secret_record(svc_call *c, const svc_id *id, int64_t hours, svc_str secret, svc_str *extra);
/* The same record with the secret in it, for the only answer that shows it. */
SVC_PRIVATE svc_node *svc_account_secret_show(svc_call *c, const svc_node *record, svc_str secret);
SVC_PRIVATE bool svc_account_opens(svc_call *c, const svc_entity *account, svc_str secret, svc_id *which, int64_t *until);
SVC_PRIVATE bool svc_account_lasts(svc_call *c, const svc_entity *account, svc_id *which, int64_t *until);

/* The account of the path, with its verifiers and the names of its roles in the path's scope. */
SVC_PRIVATE bool svc_account_target(svc_call *c, svc_change *change, svc_str *verifier, svc_str *names);
/* Stores the account and answers with it as seen from the path. verifier: for its secrets; names: its new roles in the path's
** scope. */
SVC_PRIVATE bool svc_account_store(svc_call *c, svc_change *change, svc_str verifier, svc_str names, svc_entity *e);

/* Removes from *extra the verifiers of secrets that are not in `secrets`. */
SVC_PRIVATE bool svc_account_forget(svc_call *c, const svc_node *secrets, svc_str *extra);
SVC_PRIVATE bool svc_account_lives_without(svc_call *c, const svc_entity *account, svc_str secret); /* whether it could still get tokens */
SVC_PRIVATE bool svc_account_seen(svc_call *c); /* whether the account is visible from the path; false: 404 */

#endif /* SVC_ACCOUNT_PARTS_H */
