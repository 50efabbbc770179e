/*
** The stages of a request in their order, and what later stages ask of earlier ones: versions, permissions, the entities of the path.
*/
#ifndef SVC_STAGE_H
#define SVC_STAGE_H

#include "pipeline/call.h"

/* the stages, in the order of the request; each true, or false with the error set */
SVC_PRIVATE bool svc_stage_request(svc_call *c);    /* request.c */
SVC_PRIVATE bool svc_request_line(svc_call *c);     /* of it, method and target alone: all that svc_stage_route() needs */
SVC_PRIVATE bool svc_stage_route(svc_call *c);      /* route.c */
SVC_PRIVATE svc_str svc_methods_allowed(svc_call *c); /* of the path: "GET, HEAD, POST" */
SVC_PRIVATE bool (svc_method_refused)(svc_call *c, svc_str method); /* 405 that names these; false */
#define svc_method_refused(...) (svc_method_refused(__VA_ARGS__), false)
SVC_PRIVATE bool svc_stage_caller(svc_call *c);     /* caller.c */
SVC_PRIVATE bool svc_stage_version(svc_call *c);    /* version.c */
SVC_PRIVATE bool svc_stage_limiter(svc_call *c);    /* limiter.c */
SVC_PRIVATE bool svc_stage_permission(svc_call *c); /* permission.c */
SVC_PRIVATE bool svc_stage_query(svc_call *c);      /* query.c */
SVC_PRIVATE bool svc_stage_body(svc_call *c);       /* body.c */
SVC_PRIVATE bool svc_stage_behave(svc_call *c);     /* behave.c */
SVC_PRIVATE bool svc_behave_in(svc_call *c, svc_txn *txn); /* the same, as a part of somebody else's write transaction */
SVC_PRIVATE void svc_stage_respond(svc_call *c, svc_response *response); /* respond.c */
/* A text that no request has asked for, as a response that owns the arena it is in. SVC_OK or SVC_NOMEM. `type` stays. */
SVC_PRIVATE int svc_respond_text(svc_arena *arena, svc_str text, const svc_header *type, svc_response *out);
SVC_PRIVATE int svc_respond_json(svc_arena *arena, svc_str text, svc_response *out); /* the same, as application/json */

/* caller.c, digest.c */
SVC_PRIVATE svc_str svc_token_name(svc_arena *a, svc_str token);
SVC_PRIVATE bool svc_credential_lives(svc_call *c, const svc_entity *credential); /* false: its organization is gone */
SVC_PRIVATE bool svc_basic_credentials(svc_call *c, svc_str *user, svc_str *password);
SVC_PRIVATE bool svc_digest_caller(svc_call *c);
SVC_PRIVATE bool svc_digest_challenge(svc_call *c, bool stale); /* 401 with a challenge; false */

/* version.c: the i-th version of a route, from 0, as a number: 20230101; 0: it has not so many. */
SVC_PRIVATE unsigned svc_route_version(const svc_route *route, unsigned i);
SVC_PRIVATE unsigned svc_route_newest(const svc_route *route); /* the one that is served */
SVC_PRIVATE bool svc_has_ended(const svc *s, const svc_plan *plan, int64_t now); /* past its sunset date, which is enforced */
SVC_PRIVATE const svc_older *svc_route_older(const svc_route *route, unsigned version); /* its row; NULL: the newest, or gone */
SVC_PRIVATE bool svc_version_ended(const svc *s, const svc_older *older, int64_t now); /* the same of one older version */
SVC_PRIVATE unsigned svc_version_deprecated(const svc_route *route, const svc_older *older); /* since when: the day of the next version */
/* The plain type of what a route with `media` answers with; true: it has no versions. */
SVC_PRIVATE bool svc_media_of(const svc_route *route, svc_str *type, svc_str *sub);

/* permission.c */
SVC_PRIVATE bool (svc_lacks_role)(svc_call *c, uint64_t wanted); /* 403 that names them; false */
#define svc_lacks_role(...) (svc_lacks_role(__VA_ARGS__), false)
SVC_PRIVATE bool (svc_no_part)(svc_call *c, const svc_noun_info *noun, svc_str key); /* it is there, for others; false */
#define svc_no_part(...) (svc_no_part(__VA_ARGS__), false)
SVC_PRIVATE bool svc_entity_visible(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
/* Has the caller any part in the last of these steps of the path: an organization or project, or what belongs to some?
** c->error: there is none. */
SVC_PRIVATE bool svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles);

/* resolve.c: the entities that the path names. */
SVC_PRIVATE bool svc_begin_read(svc_call *c); /* unless a transaction is open */
SVC_PRIVATE bool svc_begin_draft(svc_call *c); /* of a request that is likely to write: svc_store_port.draft_begin, where it is worth it */
SVC_PRIVATE void svc_end_read(svc_call *c);
SVC_PRIVATE bool svc_resolve(svc_call *c, unsigned hops); /* false: 404 is set, or the store failed */
SVC_PRIVATE void svc_resolve_with(svc_call *c, const svc_entity *e); /* the next entity of the path is this one, which need not be stored */
SVC_PRIVATE bool svc_resolve_all(svc_call *c); /* of a GET permission has looked up organization and project, where these are all */
SVC_PRIVATE const svc_entity *svc_parent_of_call(const svc_call *c); /* NULL: none */
SVC_PRIVATE const svc_entity *svc_path_entity(const svc_call *c, const char *noun); /* by its noun's name; NULL: not in the path */
SVC_PRIVATE svc_str svc_path_param(const svc_call *c, const char *name); /* decoded; empty: the path has none of this name */
SVC_PRIVATE bool svc_not_found(svc_call *c, const svc_noun_info *noun, unsigned hop, svc_str key);
/* A noun below organizations, whose entities the path may also name below their projects: whose it is. */
SVC_PRIVATE svc_id svc_parent_in(const svc_call *c, const svc_noun_info *noun, const svc_entity *above);
SVC_PRIVATE int svc_entity_above(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_entity *out); /* its parent */
SVC_PRIVATE int svc_get_nouns(svc_txn *txn, const svc_noun_info *noun, const svc_id *ids, size_t n, svc_entity *out); /* svc_entities_get */
SVC_PRIVATE int svc_get_noun(svc_txn *txn, const svc_noun_info *noun, const svc_id *id, svc_entity *out); /* SVC_GLOBAL ones */
SVC_PRIVATE int svc_get_noun_said(svc_txn *txn, const svc_noun_info *noun, svc_str id, svc_entity *out); /* the same, as svc_entity_said() */

/* older.c: requests and answers of older versions: of a call that has c->route.older. */
SVC_PRIVATE const svc_object *svc_body_object(const svc_call *c); /* the shape of the request, in the version that is asked for, also the newest */
SVC_PRIVATE bool svc_older_create(svc_call *c);  /* the body of a POST: checked against its shape, then c->body is in the newest */
SVC_PRIVATE bool svc_older_change(svc_call *c);  /* the same of a PUT or PATCH, inside its transaction */
SVC_PRIVATE bool svc_older_answer(svc_call *c);  /* the entity that was answered, in the shape of the version */
SVC_PRIVATE bool (svc_older_explain)(svc_call *c); /* the request was refused in the newest shape: the detail says so; false */
#define svc_older_explain(...) (svc_older_explain(__VA_ARGS__), false)

/* query.c */
SVC_PRIVATE const svc_query_value *svc_query_get(const svc_call *c, const char *name); /* the first; NULL: not given */
SVC_PRIVATE bool svc_query_has(const svc_call *c, const char *name, svc_str value); /* one of a repeated one */

#endif /* SVC_STAGE_H */
