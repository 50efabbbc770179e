/*
** Facts and reports of a driver, checked against tables.
**
** The rule: facts are checked like the body of a request, against the row of their order (svc_order_row), whatever their source.
** The built-in simulator has no stored orders: the clock decides when its work is done (lifecycle.c), and the `simulate` hook then
** gives the facts, which pass the same check. So a noun handles facts in one place, and no noun asks whether there is a driver.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE int svc_facts_gate(const svc *s, const char *facts, svc_str *out)
{
  svc_json_fault fault;
  svc_arena arena;
  bool sound;
  *out = svc_str_c(facts);
  while (out->n && strchr(" \t\r\n", out->p[0])) out->p++, out->n--;
  if (out->n == 0) return SVC_OK;
  if (out->n > s->config.max_body || out->p[0] != '{') return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  sound = svc_json_gate(&arena, *out, s->config.max_depth, &fault);
  svc_blocks_free(arena.blocks);
  return arena.failed ? SVC_NOMEM : sound ? SVC_OK : SVC_INVALID;
}

SVC_PRIVATE const svc_order_row *svc_order_row_of(const svc_noun *noun, const char *action)
{
  const svc_order_row *row = noun->orders;
  while (row && row->action && (!action || strcmp(row->action, action) != 0)) row++;
  return row && row->action ? row : NULL;
}

/* A driver gets no error document: the log tells its author what is wrong. */
SVC_PRIVATE void svc_facts_refused(svc_call *c, const svc_noun *noun, const char *about)
{
  svc_str why = c->error.violations ? svc_violation_text(c, c->error.violations) : SVC_S("not a JSON object");
  svc_log(c->s, SVC_LOG_WARNING, "driver.facts_refused", "the driver's facts of %s (%s) are refused: " SVC_FMT, about, noun->name, SVC_ARG(why));
  c->error.code = SVC_E_NONE;
  c->error.violations = c->error.violations_last = NULL;
  c->error.violation_count = 0;
}

SVC_PRIVATE svc_node *svc_facts_check(svc_call *c, const svc_noun *noun, const svc_object *object, const svc_node *facts, const char *about)
{
  static const svc_object none = { .name = "NoFacts" };
  svc_node *checked = svc_check(c, object ? object : &none, facts, NULL, SVC_CHECK_CREATE);
  if (c->arena->failed) return (void)svc_no_memory(c), NULL;
  if (checked && !c->error.violations && !c->error.code) return checked;
  svc_facts_refused(c, noun, about);
  return NULL;
}

/* The simulator's facts of an order, or its unsolicited report. NULL: out of memory, or failed. */
static svc_node *facts_simulated(svc_call *c, const svc_change *change, const char *action)
{
  svc_node *facts = svc_node_object(c->arena, NULL);
  if (facts && !change->noun->noun->simulate(c, change, action, facts)) return NULL;
  if (facts && !c->arena->failed) return facts;
  return (void)svc_no_memory(c), NULL;
}

SVC_PRIVATE bool svc_facts_simulate(svc_call *c, const svc_change *change, const char *action, const svc_node **out)
{
  const svc_noun *noun = change->noun->noun;
  *out = NULL;
  if (!noun->simulate || svc_order_has_taker(c->s, noun)) return true;
  *out = facts_simulated(c, change, action);
  return *out != NULL;
}

SVC_PRIVATE bool svc_facts_take(svc_call *c, svc_change *change, const char *action, const svc_node *facts)
{
  const svc_noun *noun = change->noun->noun;
  const svc_order_row *row = svc_order_row_of(noun, action);
  if (!facts && !svc_facts_simulate(c, change, action, &facts)) return false;
  if (!facts) return true;
  facts = svc_facts_check(c, noun, row ? row->facts : NULL, facts, action);
  return facts && (!noun->facts || noun->facts(c, change, facts));
}

SVC_PRIVATE bool svc_report_simulated(svc_call *c, svc_change *change)
{
  const svc_noun *noun = change->noun->noun;
  const svc_node *news = NULL;
  if (!noun->simulate || svc_order_has_taker(c->s, noun)) return true;
  news = facts_simulated(c, change, NULL);
  if (news) news = svc_facts_check(c, noun, noun->reports, news, "a report");
  return news && noun->reported(c, change, news);
}

SVC_PRIVATE bool svc_facts_into(svc_call *c, svc_change *change, const svc_node *facts)
{
  const svc_node *fact = svc_node_first(facts);
  for (; fact; fact = fact->next) {
    svc_node *copy = svc_node_copy(c->arena, fact);
    if (!copy) return svc_no_memory(c);
    svc_node_put(c->arena, change->body, copy);
  }
  return true;
}
