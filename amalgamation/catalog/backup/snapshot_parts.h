/*
** Functions that the parts of snapshots share: snapshot.c, the noun, and snapshot_copies.c.
*/
#ifndef SVC_SNAPSHOT_PARTS_H
#define SVC_SNAPSHOT_PARTS_H

enum { SNAPSHOT_DUE_COPIES = SVC_DUE_OWN }; /* the first of its copies expires */

/* snapshot_copies.c */
SVC_PRIVATE bool svc_snapshot_copy(svc_call *c, svc_change *change);        /* called when it is completed */
SVC_PRIVATE bool svc_snapshot_copies_over(svc_call *c, svc_change *change); /* drops the expired copies */
/* The regions to which a driver shall copy it; NULL: failed. */
SVC_PRIVATE svc_node *svc_snapshot_copy_regions(svc_call *c, const svc_id *cluster, const svc_node *snapshot);

#endif /* SVC_SNAPSHOT_PARTS_H */
