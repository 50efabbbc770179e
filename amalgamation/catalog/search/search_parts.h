/*
** Shared by the files of search indexes. search_index.c: the noun; search_definition.c: tables and rules of definitions;
** search_view.c: how indexes are shown.
*/
#ifndef SVC_SEARCH_PARTS_H
#define SVC_SEARCH_PARTS_H

/* search_definition.c */
SVC_DECLARE(const svc_object svc_search_text)   /* definition of a full-text index */
SVC_DECLARE(const svc_object svc_search_vector) /* definition of a vector index */
/* Checks the rules that the definition's table cannot express. `front` is written before field names in errors: "definition." or "". */
SVC_PRIVATE bool svc_search_check(svc_call *c, bool vector, const svc_node *definition, const char *front);

/* search_view.c */
SVC_DECLARE(const char *const svc_search_states[])
SVC_DECLARE(const svc_object svc_search_version) /* version of a definition */
SVC_DECLARE(const svc_object svc_search_host)    /* an index on one host */
SVC_PRIVATE svc_node *svc_search_view(svc_call *c, const svc_entity *e);

#endif /* SVC_SEARCH_PARTS_H */
