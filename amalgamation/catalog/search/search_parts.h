/*
** What search indexes are made of: search_index.c, the noun; search_definition.c, the tables and rules of definitions;
** search_view.c, how they are shown.
*/
#ifndef SVC_SEARCH_PARTS_H
#define SVC_SEARCH_PARTS_H

/* search_definition.c */
SVC_DECLARE(const svc_object svc_search_text)   /* the definition of an index over text */
SVC_DECLARE(const svc_object svc_search_vector) /* and of one over vectors */
/* What its table cannot say of one that has passed it; `front` stands before the names of fields: "definition." or "". */
SVC_PRIVATE bool svc_search_check(svc_call *c, bool vector, const svc_node *definition, const char *front);

/* search_view.c */
SVC_DECLARE(const char *const svc_search_states[])
SVC_DECLARE(const svc_object svc_search_version) /* of a definition */
SVC_DECLARE(const svc_object svc_search_host)    /* what a host has of an index */
SVC_PRIVATE svc_node *svc_search_view(svc_call *c, const svc_entity *e);

#endif /* SVC_SEARCH_PARTS_H */
