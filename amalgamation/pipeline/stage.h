/*
** The stages of a request in their order, and functions that later stages need from earlier ones: versions, permissions, the entities of
** the path.
*/
#ifndef SVC_STAGE_H
#define SVC_STAGE_H

#include "pipeline/call.h"

/* The stages, in the order of the request. Each returns true, or false with the error set. Test control adds svc_stage_fault after the
** caller (control/faults.c). */
SVC_PRIVATE bool svc_stage_request(svc_call *c);    /* request.c */
SVC_PRIVATE bool svc_request_line(svc_call *c);     /* method and target alone: all that svc_stage_route() needs */
SVC_PRIVATE bool svc_stage_route(svc_call *c);      /* route.c */
SVC_PRIVATE svc_str svc_methods_allowed(svc_call *c); /* of the path: "GET, HEAD, POST" */
SVC_PRIVATE bool (svc_method_refused)(svc_call *c, svc_str method); /* 405 that names the allowed methods; false */
#define svc_method_refused(...) (svc_method_refused(__VA_ARGS__), false)
SVC_PRIVATE bool svc_stage_caller(svc_call *c);     /* caller.c */
/* caller.c: whether a page of this service sent the request: its web interface. Programs send neither header that tells. */
SVC_PRIVATE bool svc_from_own_page(svc_call *c);
SVC_PRIVATE bool svc_stage_limiter(svc_call *c);    /* limiter.c */
SVC_PRIVATE bool svc_stage_version(svc_call *c);    /* version.c */
SVC_PRIVATE bool svc_stage_permission(svc_call *c); /* permission.c */
SVC_PRIVATE bool svc_stage_query(svc_call *c);      /* query.c */
/* query.c: whether the raw query asks a list for so much that it takes long: a large or distant page, or a filter. Decodes nothing. */
SVC_PRIVATE bool svc_query_is_long(const svc_call *c);
SVC_PRIVATE bool svc_stage_body(svc_call *c);       /* body.c */
SVC_PRIVATE bool svc_stage_behave(svc_call *c);     /* behave.c */
SVC_PRIVATE bool svc_behave_in(svc_call *c, svc_txn *txn); /* the same, inside another write transaction */
SVC_PRIVATE void svc_stage_respond(svc_call *c, svc_response *response); /* respond.c */
SVC_PRIVATE void svc_respond_ahead(svc_call *c); /* inside a write: writes a body that needs a dialect, while the write can be undone */
/* A text as a response that owns the arena of the text. Returns SVC_OK or SVC_NOMEM. `type` must outlive the response. */
SVC_PRIVATE int svc_respond_text(svc_arena *arena, svc_str text, const svc_header *type, svc_response *out);
SVC_PRIVATE int svc_respond_json(svc_arena *arena, svc_str text, svc_response *out); /* the same, as application/json */

/* caller.c, digest.c */
SVC_PRIVATE svc_str svc_token_name(svc_arena *a, svc_str token); /* the token's hash in hex, by which it is stored; n 0: out of memory */
SVC_PRIVATE bool svc_credential_lives(svc_call *c, const svc_entity *credential); /* false: its organization is deleted */
/* the user and password of a Basic Authorization header; false: another scheme, or malformed */
SVC_PRIVATE bool svc_basic_credentials(svc_call *c, svc_str *user, svc_str *password);
SVC_PRIVATE bool svc_digest_caller(svc_call *c);
SVC_PRIVATE bool svc_digest_challenge(svc_call *c, bool stale); /* 401 with a challenge; false */

/* version.c: the i-th version of a route, from 0, as a number: 20230101; 0: no such version. */
SVC_PRIVATE unsigned svc_route_version(const svc_route *route, unsigned i);
SVC_PRIVATE unsigned svc_route_newest(const svc_route *route); /* the last one; older ones may be served, too */
SVC_PRIVATE bool svc_has_ended(const svc *s, const svc_plan *plan, int64_t now); /* past its enforced sunset date */
SVC_PRIVATE const svc_older *svc_route_older(const svc_route *route, unsigned version); /* its row; NULL: the newest, or no longer served */
SVC_PRIVATE bool svc_version_ended(const svc *s, const svc_older *older, int64_t now); /* the same for one older version */
/* deprecated since: the day of the next version */
SVC_PRIVATE unsigned svc_version_deprecated(const svc_route *route, const svc_older *older);
/* The plain media type of a route with `media`; true: it has no versions. */
SVC_PRIVATE bool svc_media_of(const svc_route *route, svc_str *type, svc_str *sub);

/* permission.c */
SVC_PRIVATE bool (svc_lacks_role)(svc_call *c, uint64_t wanted); /* 403 that names the roles; false */
#define svc_lacks_role(...) (svc_lacks_role(__VA_ARGS__), false)
/* For a hook: whether the caller has one of these roles on a project or organization that the path does not name, and enough factors for
** its organization. group NULL: the organization. False: refused. A hook that must not show whether the place exists calls this only if
** svc_entity_visible(); otherwise it calls svc_no_part(), or refuses as if the place were missing. */
SVC_PRIVATE bool svc_may_there(svc_call *c, const svc_id *group, const svc_id *org, uint64_t wanted);
/* The roles on the organizations of a resource that is in no organization (`alliance`). c->error.code is set if factors are missing. */
SVC_PRIVATE uint64_t svc_roles_elsewhere(svc_call *c, const svc_noun *noun, const svc_entity *e);
SVC_PRIVATE bool (svc_no_part)(svc_call *c, const svc_noun_info *noun, svc_str key); /* exists, but the caller has no role on it; false */
#define svc_no_part(...) (svc_no_part(__VA_ARGS__), false)
SVC_PRIVATE bool svc_entity_visible(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
/* Whether the caller has any role on the last of these hops: an organization or project, or a resource that belongs to some. If
** c->error is set, the answer is no: the entity does not exist, could not be read, or requires a second factor. */
SVC_PRIVATE bool svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles);

/* resolve.c: the entities of the path. */
SVC_PRIVATE bool svc_begin_read(svc_call *c); /* does nothing if a transaction is open */
SVC_PRIVATE bool svc_begin_draft(svc_call *c); /* for a request that will probably write: uses svc_store_port.draft_begin if that saves
                                                  time */
SVC_PRIVATE void svc_end_read(svc_call *c);
SVC_PRIVATE bool svc_resolve(svc_call *c, unsigned hops); /* false: 404 is set, or the store failed */
SVC_PRIVATE void svc_resolve_with(svc_call *c, const svc_entity *e); /* provides the next entity of the path, which need not be stored */
SVC_PRIVATE bool svc_resolve_all(svc_call *c); /* for a GET, permission has already looked up organization and project */
SVC_PRIVATE const svc_entity *svc_parent_of_call(const svc_call *c); /* NULL: none */
SVC_PRIVATE const svc_entity *svc_path_entity(const svc_call *c, const char *noun); /* by its noun's name; NULL: not in the path */
SVC_PRIVATE svc_str svc_path_param(const svc_call *c, const char *name); /* decoded; empty: no such parameter */
/* the error of the route or noun for a missing entity, at this hop of the path; false */
SVC_PRIVATE bool svc_not_found(svc_call *c, const svc_noun_info *noun, unsigned hop, svc_str key);
/* For a noun below organizations that a path may also name below a project: its actual parent. */
SVC_PRIVATE svc_id svc_parent_in(const svc_call *c, const svc_noun_info *noun, const svc_entity *above);
SVC_PRIVATE int svc_entity_above(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_entity *out); /* its parent */
/* like svc_entities_get */
SVC_PRIVATE int svc_get_nouns(svc_txn *txn, const svc_noun_info *noun, const svc_id *ids, size_t n, svc_entity *out);
SVC_PRIVATE int svc_get_noun(svc_txn *txn, const svc_noun_info *noun, const svc_id *id, svc_entity *out); /* for SVC_GLOBAL nouns */
/* the same, like svc_entity_get_text_id() */
SVC_PRIVATE int svc_get_noun_text_id(svc_txn *txn, const svc_noun_info *noun, svc_str id, svc_entity *out);

/* older.c: requests and answers of older versions, for calls with c->route.older. */
SVC_PRIVATE const svc_object *svc_body_object(const svc_call *c); /* the shape of the request in the requested version, including the
                                                                     newest */
SVC_PRIVATE bool svc_older_create(svc_call *c);  /* a POST: checks the body against its shape and converts c->body to the newest */
SVC_PRIVATE bool svc_older_change(svc_call *c);  /* the same for a PUT or PATCH, inside its transaction */
SVC_PRIVATE bool svc_older_answer(svc_call *c);  /* converts the answered entity to the shape of the version */
SVC_PRIVATE bool (svc_older_explain)(svc_call *c); /* adds to the error's detail that it refers to the newest shape; false */
#define svc_older_explain(...) (svc_older_explain(__VA_ARGS__), false)

/* query.c */
SVC_PRIVATE const svc_query_value *svc_query_get(const svc_call *c, const char *name); /* the first value; NULL: not given */
SVC_PRIVATE bool svc_query_has(const svc_call *c, const char *name, svc_str value); /* for a repeated parameter */

#endif /* SVC_STAGE_H */
