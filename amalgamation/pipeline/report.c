/*
** Unsolicited reports of a driver: svc_report().
**
** The rule: a report is one job in one commit. The report is checked against its noun's `reports` like the body of a request, and its noun
** takes it: states, events and alerts follow in the same commit, as for any other change. A report about an unknown resource changes
** nothing.
*/
#include "pipeline/pipeline.h"

typedef struct report_job {
  svc_service_job work; /* must be first: the struct is cast back */
  const svc_noun_info *noun;
  svc_str id, news;
  bool found;
} report_job;

/* By id or name below the project that the driver names. */
static int report_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_str id, svc_entity *out)
{
  int rc = svc_entity_get_text_id(c->txn, noun->noun->kind, parent, id, out);
  if (rc != SVC_NOT_FOUND || !noun->noun->unique) return rc;
  return svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, parent, id, out);
}

/* By id alone: of a noun below many parents, all parents are searched. */
static int report_anywhere(svc_call *c, const svc_noun_info *noun, svc_str text, svc_entity *out)
{
  svc_str key, value;
  svc_key prefix;
  svc_scan scan;
  svc_id id;
  if (!svc_id_parse(text, &id)) return SVC_NOT_FOUND;
  if (noun->by_id) return svc_entity_by_id(c->txn, noun->noun->kind, &id, out);
  svc_key_entity(&prefix, noun->noun->kind, NULL, NULL);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    if (memcmp(key.p + key.n - sizeof id.b, id.b, sizeof id.b) != 0 || !svc_entity_decode(key, value, out)) continue;
    out->kind = noun->noun->kind;
    return SVC_OK;
  }
  return c->txn->error ? c->txn->error : SVC_NOT_FOUND;
}

/* "ID", or faster "PROJECT/ID" or "PROJECT/NAME". */
static int report_find(svc_call *c, const report_job *work, svc_entity *out)
{
  svc_str rest = work->id, first = svc_str_cut(&rest, '/');
  svc_id parent;
  if (!rest.n) return report_anywhere(c, work->noun, work->id, out);
  return svc_id_parse(first, &parent) ? report_below(c, work->noun, &parent, rest, out) : SVC_NOT_FOUND;
}

SVC_PRIVATE bool svc_report_about(svc_call *c, const svc_noun_info *info, const svc_entity *e, const svc_node *news)
{
  const svc_noun *noun = info->noun;
  svc_change change;
  news = svc_facts_check(c, noun, noun->reports, news, "a report");
  svc_scope_enter(c, e);
  if (!news || !svc_change_of(c, info, e, &change)) return false;
  change.extra = e->extra;
  change.id = e->id;
  change.parent = e->parent;
  if (noun->reported(c, &change, news)) return svc_change_settle(c, &change);
  if (c->error.violations) svc_facts_refused(c, noun, "a report");
  return false;
}

static bool report_take(svc_call *c, svc_service_job *job)
{
  report_job *work = (report_job *)job;
  const svc_node *news = svc_json_parse(c->arena, work->news);
  svc_entity e;
  int rc = report_find(c, work, &e);
  work->found = rc != SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  return news ? svc_report_about(c, work->noun, &e, news) : svc_no_memory(c);
}

int svc_report(svc *s, const char *resource, const char *id, const char *facts)
{
  report_job work;
  int rc;
  memset(&work, 0, sizeof work);
  work.noun = SVC_USABLE(s) && resource ? svc_noun_named(s, resource) : NULL;
  if (!work.noun || !work.noun->noun->reports || !id || !facts) return SVC_INVALID;
  rc = svc_facts_gate(s, facts, &work.news);
  if (rc != SVC_OK || work.news.n == 0) return rc == SVC_OK ? SVC_INVALID : rc;
  work.id = svc_str_c(id);
  work.work.run = report_take;
  rc = svc_service_run(s, &work.work, svc_now(s));
  if (rc == SVC_OK && work.work.job.refused) return SVC_INVALID;
  return rc == SVC_OK && !work.found ? SVC_NOT_FOUND : rc;
}
