/*
** pipeline: requests and tables. The pipeline knows no noun by name: a noun is defined by its table, and nouns that the pipeline itself
** needs take seats (enum svc_seat).
**
** The header is the whole layer. A part includes it, and none of the headers below: these exist for readers, one per topic. Three
** headers are apart, for the few parts that need them: meddle.h (hooks of test control), order_parts.h (the parts of orders), and
** openapi_parts.h.
*/
#ifndef SVC_PIPELINE_H
#define SVC_PIPELINE_H

#include "pipeline/handle.h"   /* an open handle; includes table.h: the columns of the tables */
#include "pipeline/who.h"      /* callers */
#include "pipeline/call.h"     /* one call, its change, its refusal */
#include "pipeline/stage.h"    /* the stages of a request */
#include "pipeline/form.h"     /* bodies against tables */
#include "pipeline/dialect.h"  /* other words on the wire */
#include "pipeline/answer.h"   /* answers and lists */
#include "pipeline/change.h"   /* effects of operations on the store */
#include "pipeline/verify.h"   /* checks of a whole store */
#include "pipeline/provided.h" /* functions that the catalog provides */

#endif /* SVC_PIPELINE_H */
