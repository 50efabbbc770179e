/*
** Callers: who sends a request, which roles the caller holds, and from which addresses a credential may be used.
*/
#ifndef SVC_WHO_H
#define SVC_WHO_H

#include "pipeline/handle.h"

/*
** Role assignments: a holder's roles besides those on projects (store/holding.c has those), as text, a line each:
**
**   ROLE id             a role on an organization
**   @organization id    membership of a team of that organization, which holds roles itself
**   ? id                an organization that invites its holder
*/
enum svc_who_kind { SVC_WHO_NOBODY, SVC_WHO_USER, SVC_WHO_KEY, SVC_WHO_ACCOUNT };

/* The caller. */
typedef struct svc_who {
  int kind; /* enum svc_who_kind */
  bool known;
  svc_str user_id;  /* 24 hex digits: of the user, the key or the account */
  svc_str username; /* the user's name, the public key, the client id */
  const svc_grant *grants; /* the roles of a caller that the host vouches for */
  size_t grant_count;
  svc_str assignments; /* the roles of any other caller, from its record; roles on projects are looked up */
  svc_id id, org; /* its own id; for a key or account also its organization */
  bool one_factor; /* a person without a second factor */
} svc_who;

/* credential.c: the `extra` of a credential: bytes that verify it, and its assignments. */
SVC_PRIVATE svc_str svc_credential_pack(svc_arena *a, svc_str verifier, svc_str assignments);
SVC_PRIVATE bool svc_credential_unpack(svc_str extra, svc_str *verifier, svc_str *assignments);
SVC_PRIVATE svc_str svc_assignments_of(const svc_entity *e); /* empty: none */
SVC_PRIVATE void svc_assignment_write(svc_buf *b, svc_str role, svc_str on);
SVC_PRIVATE bool svc_assignments_have(svc_str assignments, svc_str role, svc_str on);
SVC_PRIVATE bool svc_assignments_next(svc_str *rest, svc_str *role, svc_str *on);
SVC_PRIVATE bool svc_who_takes(svc_call *c, svc_str assignments); /* uses these as the caller's */
SVC_PRIVATE const svc_noun_info *svc_who_noun(const svc_call *c); /* the kind of the caller's credential; NULL: none */
/* An entity by its unique value, in any scope: keys, accounts, tokens. */
SVC_PRIVATE int svc_find_anywhere(svc_txn *txn, const svc_noun *noun, svc_str unique, svc_id *scope, svc_id *id);
/* The credential of this name, if its organization exists. False: not found, or txn->error is set. An unknown name costs the same reads
** as a known one; *out then has neither ids nor `extra`. */
SVC_PRIVATE bool svc_credential_find(svc_call *c, const svc_noun_info *noun, svc_str name, svc_entity *out);
SVC_PRIVATE bool svc_secret_bytes(svc_call *c, unsigned char *out, size_t n); /* random */
/* A new secret of n random bytes, as text (base64url). Length 0: out of memory, or no random bytes. */
SVC_PRIVATE svc_str svc_secret_text(svc_call *c, size_t n);
SVC_PRIVATE bool svc_text_hash(svc_arena *a, svc_str text, unsigned char out[32]); /* SHA-256, without salt; false: a->failed is set */
/* The salted hash of a secret: 16 bytes of salt and 32 of hash. svc_secret_same(): whether this is the hash of the secret. */
SVC_PRIVATE bool svc_secret_hash(svc_call *c, svc_str secret, unsigned char out[48]);
SVC_PRIVATE bool svc_secret_same(svc_call *c, svc_str secret, const unsigned char hash[48]);
SVC_PRIVATE bool svc_digest_verifier(svc_call *c, svc_str public_key, svc_str private_key, unsigned char out[48]);

/* held.c: the roles that the caller holds. */
typedef struct svc_held { /* a walk over all of them */
  svc_str role;
  bool everywhere; /* on every resource */
  svc_id on;       /* otherwise on this resource */
  svc_id org;      /* the organization of a project; zero: unknown, because the host vouches for the caller, or not a project */
  size_t vouched;
  svc_str lines, names; /* names: further roles on the same project; empty it to skip them */
  bool scanning, own, counts;
  svc_scan scan;
} svc_held;
SVC_PRIVATE void svc_held_begin(svc_call *c, svc_held *h);
SVC_PRIVATE bool svc_held_next(svc_call *c, svc_held *h);
SVC_PRIVATE uint64_t svc_roles_on(svc_call *c, const svc_id *group, const svc_id *org); /* either may be NULL */
SVC_PRIVATE bool svc_holds_any(svc_call *c, uint64_t wanted); /* one of these roles on any resource */
SVC_PRIVATE bool svc_holds_inside(svc_call *c, const svc_id *org); /* a role on one of its projects */
/* The projects or organizations that the caller may see, found without a walk over all of them. */
typedef struct svc_seen {
  bool everything;
  svc_id *parents; /* organizations whose projects are all visible, sorted by id */
  size_t parent_count;
  svc_id *ids; /* others that are visible singly, sorted by id; none of them below one of the parents */
  size_t id_count;
} svc_seen;
SVC_PRIVATE bool svc_seen_of(svc_call *c, const svc_noun_info *noun, svc_seen *out); /* false: the error is set */

/* access.c: access lists of credentials. */
SVC_PRIVATE const svc_noun_info *svc_access_list_of(const svc *s, const svc_noun_info *credential); /* NULL: none */
/* *anywhere: no list restricts the address. */
SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential, bool *anywhere);
SVC_PRIVATE bool svc_access_required(const svc_call *c, const svc_id *org); /* for every credential of the organization */
SVC_PRIVATE bool svc_access_factors(svc_call *c, const svc_id *org); /* whether the caller has enough factors for this organization;
                                                                        otherwise 403 */
typedef struct svc_access_view { /* the result of a look into an access list */
  int entries; /* entries checked; 0: the list is empty */
  bool covered;
  svc_id by; /* the matching entry */
} svc_access_view;
/* Looks for an entry, other than `but` (NULL: any), that covers the caller's address. False: the store failed. */
SVC_PRIVATE bool svc_access_look(svc_call *c, const svc_noun_info *list, const svc_id *credential, const svc_id *but,
                                 svc_access_view *out);

#endif /* SVC_WHO_H */
