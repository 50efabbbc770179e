/*
** What private endpoints have in common, those of clusters and those of backups: endpoint_parts.c.
*/
#ifndef SVC_ENDPOINT_PARTS_H
#define SVC_ENDPOINT_PARTS_H

/* A name as the first provider would give it, "vpce-0a1b...", made of an id: a simulation. */
SVC_PRIVATE svc_str svc_endpoint_name(svc_call *c, const char *prefix, const svc_id *id);
/* A text that a driver says of it, where it does; and several, at most so many. */
SVC_PRIVATE void svc_endpoint_fact(svc_call *c, svc_node *body, const svc_node *facts, const char *field);
SVC_PRIVATE void svc_endpoint_facts(svc_call *c, svc_node *body, const svc_node *facts, const char *field, size_t most);
/* What a service shows of its endpoints: this one is there, or no more; id empty: the list is made, where it has none. */
SVC_PRIVATE void svc_endpoint_list(svc_call *c, svc_node *service, svc_str id, bool there);

#endif /* SVC_ENDPOINT_PARTS_H */
