/*
** Functions that the parts of events share: event.c (the noun) and event_diff.c.
*/
#ifndef SVC_EVENT_PARTS_H
#define SVC_EVENT_PARTS_H

#include "catalog/catalog.h"

/* event_diff.c: the changed fields of an event. */
enum { EVENT_DIFF_PARAMS = 16 }; /* maximum of changed fields in an event */
SVC_DECLARE(const svc_object svc_event_diff_object)
SVC_PRIVATE bool svc_event_diffs(svc_call *c, const svc_difference *d, svc_event_part *out); /* for svc_feed_ops */

#endif /* SVC_EVENT_PARTS_H */
