/*
** State changes in the figures for alerts: if the driver measured that a host is down, or up again, process_states.c
** stores this like any other report, with its events and alerts.
*/
#include "catalog/monitoring/alert_parts.h"

/* The UP figure of a host; NULL: none. */
static const svc_node *alert_host_states_up(const svc_node *told, svc_str host)
{
  const svc_node *one = told->first;
  while (one && !(svc_node_is(one, "metricName", "UP") && svc_node_eq(one, "host", host))) one = one->next;
  return svc_node_get(one, "value");
}

/* Stores the new state of each host that is down, or up again. */
SVC_PRIVATE bool svc_alert_host_states(svc_alert_round *r)
{
  const svc_alert_targets *all = svc_alert_targets_of(r, SVC_ALERT_PROCESSES);
  svc_arena *a = r->c->arena;
  bool any = false;
  size_t i;
  for (i = 0; all && i < all->count; i++) {
    const svc_process *p = all->at[i].process;
    const svc_node *value = alert_host_states_up(r->told, p->id);
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
  /* the processes have changed: gather them again */
  if (any) memset(r->targets, 0, sizeof r->targets), r->clusters = NULL, r->cluster_count = 0;
  return all != NULL;
}
