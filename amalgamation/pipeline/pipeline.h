/*
** pipeline: requests and tables. It knows no noun: what a noun is stands in its table, and those it rests on take seats.
**
** This header is the whole layer. A part includes it, and none of the headers below: these exist for readers, one per topic.
*/
#ifndef SVC_PIPELINE_H
#define SVC_PIPELINE_H

#include "pipeline/handle.h"   /* an open handle; with table.h: what a row of a table can say */
#include "pipeline/who.h"      /* callers */
#include "pipeline/call.h"     /* one call, its change, its refusal */
#include "pipeline/stage.h"    /* the stages of a request */
#include "pipeline/form.h"     /* bodies against tables */
#include "pipeline/dialect.h"  /* other words on the wire */
#include "pipeline/answer.h"   /* answers and lists */
#include "pipeline/change.h"   /* what operations do to the store */
#include "pipeline/verify.h"   /* is a store whole? */
#include "pipeline/provided.h" /* what the catalog provides */

#endif /* SVC_PIPELINE_H */
