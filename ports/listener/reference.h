/*
** Shared by reference.c and its texts: reference.sh generates reference_texts.c from the files reference.txt of the catalog. No other part
** includes this.
*/
#ifndef SVC_LISTENER_REFERENCE_H
#define SVC_LISTENER_REFERENCE_H

#include "parts.h"

typedef struct listener_text {
  const char *key; /* the letter of the kind, a space and the name: "o createCluster", "f MaintenanceWindow.dayOfWeek" */
  const char *text;
} listener_text;

extern const listener_text svc_listener_texts[]; /* sorted by key, in the order of strcmp() */
extern const size_t svc_listener_text_count;

#endif /* SVC_LISTENER_REFERENCE_H */
