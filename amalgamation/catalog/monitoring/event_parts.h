/*
** What the parts of events share: event.c, the noun; event_diff.c.
*/
#ifndef SVC_EVENT_PARTS_H
#define SVC_EVENT_PARTS_H

#include "catalog/catalog.h"

/* event_diff.c: what a change has changed. */
enum { EVENT_DIFF_PARAMS = 16 }; /* fields that one event tells of */
SVC_DECLARE(const svc_object svc_event_diff_object)
SVC_PRIVATE bool svc_event_diffs(svc_call *c, const svc_difference *d, svc_event_part *out); /* of svc_feed_ops */

#endif /* SVC_EVENT_PARTS_H */
