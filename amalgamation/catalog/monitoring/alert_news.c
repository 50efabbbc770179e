/*
** News in what a driver has measured for alerts: a host that is down, or up again, is reported so (process_states.c), and its events and alerts
** follow as from any other report.
*/
#include "catalog/monitoring/alert_parts.h"

/* The figure of a host that says whether it is up; NULL: none does. */
static const svc_node *alert_news_up(const svc_node *told, svc_str host)
{
  const svc_node *one = told->first;
  while (one && !(svc_node_is(one, "metricName", "UP") && svc_node_eq(one, "host", host))) one = one->next;
  return svc_node_get(one, "value");
}

/* A driver that has measured that a host is down, or up again, has brought news of it. */
SVC_PRIVATE bool svc_alert_news(svc_alert_round *r)
{
  const svc_alert_targets *all = svc_alert_targets_of(r, SVC_ALERT_PROCESSES);
  svc_arena *a = r->c->arena;
  bool any = false;
  size_t i;
  for (i = 0; all && i < all->count; i++) {
    const svc_process *p = all->at[i].process;
    const svc_node *value = alert_news_up(r->told, p->id);
    svc_node *news = svc_node_array(a, NULL), *one = svc_node_object(a, NULL);
    bool up = value && !svc_str_is(value->text, "0");
    if (!news || !one) return svc_no_memory(r->c);
    if (!value || up == !p->down_since) continue;
    svc_node_set_str(a, one, "host", p->id);
    svc_node_set_bool(a, one, "up", up);
    svc_node_append(news, one);
    if (!svc_process_states_tell(r->c, &all->at[i].cluster->cluster, news)) return false;
    any = true;
  }
  if (any) memset(r->targets, 0, sizeof r->targets), r->clusters = NULL, r->cluster_count = 0; /* they are others now */
  return all != NULL;
}
