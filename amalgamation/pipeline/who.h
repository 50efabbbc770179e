/*
** Callers: who sends a request, which roles the caller holds, and from which addresses a credential may be used.
*/
#ifndef SVC_WHO_H
#define SVC_WHO_H

#include "pipeline/handle.h"

/*
** Role assignments: what somebody holds besides roles on projects (store/holding.c has those), as text, a line each:
**
**   ROLE id             a role on an organization
**   @organization id    membership of a team of that organization, which holds roles itself
**   ? id                an organization that invites its holder
*/
enum svc_who_kind { SVC_WHO_NOBODY, SVC_WHO_USER, SVC_WHO_KEY, SVC_WHO_ACCOUNT };

/* Who calls. */
typedef struct svc_who {
  int kind; /* enum svc_who_kind */
  bool known;
  svc_str user_id;  /* 24 hex digits: of the user, the key or the account */
  svc_str username; /* the user's name, the public key, the client id */
  const svc_grant *grants; /* of whom the host vouches for, what it says that it holds */
  size_t grant_count;
  svc_str assignments; /* of anybody else, what its record says; its roles on projects are looked up */
  svc_id id, org; /* itself; of a key or account: the organization it belongs to */
  bool one_factor; /* a person, who has shown no second one */
} svc_who;

/* credential.c: what a noun keeps of a credential in `extra`: bytes that verify it, and its assignments. */
SVC_PRIVATE svc_str svc_credential_pack(svc_arena *a, svc_str verifier, svc_str assignments);
SVC_PRIVATE bool svc_credential_unpack(svc_str extra, svc_str *verifier, svc_str *assignments);
SVC_PRIVATE svc_str svc_assignments_of(const svc_entity *e); /* of who has none: empty */
SVC_PRIVATE void svc_assignment_write(svc_buf *b, svc_str role, svc_str on);
SVC_PRIVATE bool svc_assignments_have(svc_str assignments, svc_str role, svc_str on);
SVC_PRIVATE bool svc_assignments_next(svc_str *rest, svc_str *role, svc_str *on);
SVC_PRIVATE bool svc_who_takes(svc_call *c, svc_str assignments); /* these are the caller's */
SVC_PRIVATE const svc_noun_info *svc_who_noun(const svc_call *c); /* what credential the caller is; NULL: none */
/* An entity by its unique value, whatever its scope: keys, accounts, tokens. */
SVC_PRIVATE int svc_find_anywhere(svc_txn *txn, const svc_noun *noun, svc_str unique, svc_id *scope, svc_id *id);
/* The credential of this name, whose organization is there. False: there is none, or txn->error is set. An unknown name costs the same
** reads as a known one; then *out has neither ids nor `extra`. */
SVC_PRIVATE bool svc_credential_find(svc_call *c, const svc_noun_info *noun, svc_str name, svc_entity *out);
/* A fresh secret of so many random bytes; and its salted hash, 16 bytes of salt and 32 of hash. */
SVC_PRIVATE bool svc_secret_bytes(svc_call *c, unsigned char *out, size_t n);
SVC_PRIVATE bool svc_text_hash(svc_arena *a, svc_str text, unsigned char out[32]); /* false: a->failed is set */
SVC_PRIVATE bool svc_secret_hash(svc_call *c, svc_str secret, unsigned char out[48]);
SVC_PRIVATE bool svc_secret_same(svc_call *c, svc_str secret, const unsigned char hash[48]);
SVC_PRIVATE bool svc_digest_verifier(svc_call *c, svc_str public_key, svc_str private_key, unsigned char out[48]);

/* held.c: what the caller holds. */
typedef struct svc_held { /* a walk over all of it */
  svc_str role;
  bool everywhere; /* on everything there is */
  svc_id on;       /* else on this */
  svc_id org;      /* of a project: its organization; zero: that is not known, since the host says so, or it is none */
  size_t vouched;
  svc_str lines, names; /* names: other roles on the same project; whoever wants none of them empties it */
  bool scanning, own, counts;
  svc_scan scan;
} svc_held;
SVC_PRIVATE void svc_held_begin(svc_call *c, svc_held *h);
SVC_PRIVATE bool svc_held_next(svc_call *c, svc_held *h);
SVC_PRIVATE uint64_t svc_roles_on(svc_call *c, const svc_id *group, const svc_id *org); /* either may be NULL */
SVC_PRIVATE bool svc_holds_any(svc_call *c, uint64_t wanted); /* one of these roles, wherever */
SVC_PRIVATE bool svc_holds_inside(svc_call *c, const svc_id *org); /* a role on one of its projects */
/* What the caller may see of a noun that is the project or the organization, without looking at all there are. */
typedef struct svc_seen {
  bool everything;
  svc_id *parents; /* organizations all of whose projects are seen, in the order of ids */
  size_t parent_count;
  svc_id *ids; /* others that are seen one by one, in the order of ids; none of them below one of the parents */
  size_t id_count;
} svc_seen;
SVC_PRIVATE bool svc_seen_of(svc_call *c, const svc_noun_info *noun, svc_seen *out); /* false: the error is set */

/* access.c: may a credential be used from there? */
SVC_PRIVATE const svc_noun_info *svc_access_list_of(const svc *s, const svc_noun_info *credential); /* NULL: it has none */
/* *anywhere: no list says from where. */
SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential, bool *anywhere);
SVC_PRIVATE bool svc_access_required(const svc_call *c, const svc_id *org); /* of every credential of the organization */
SVC_PRIVATE bool svc_access_factors(svc_call *c, const svc_id *org); /* has the caller shown as many as it asks of people? Else 403 */
typedef struct svc_access_view { /* what a list has to say of the caller's address */
  int entries; /* that were looked at: 0, there are none */
  bool covered;
  svc_id by; /* the entry that covers it */
} svc_access_view;
/* Look for an entry, but this one (NULL: any), that covers the caller's address. False: the store failed. */
SVC_PRIVATE bool svc_access_look(svc_call *c, const svc_noun_info *list, const svc_id *credential, const svc_id *but,
                                 svc_access_view *out);

#endif /* SVC_WHO_H */
