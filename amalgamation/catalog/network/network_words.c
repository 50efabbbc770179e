/*
** States in the words of each provider.
**
** Creating a peering connection or a private endpoint takes the same steps at every provider. The names of the states, their
** number and the field that shows them differ. The store has a single lifecycle with its own words, and a table says what each
** provider shows.
*/
#include "catalog/catalog.h"
#include "catalog/network/network_parts.h"

SVC_PRIVATE const char *svc_network_shown(const svc_network_word *words, int cloud, svc_str status)
{
  while (words->status && !svc_str_is(status, words->status)) words++;
  return words->shown[cloud]; /* unknown states end at the last row, which shows nothing */
}

SVC_PRIVATE void svc_network_pass(svc_call *c, svc_change *change, const svc_network_word *words, int cloud)
{
  const svc_noun *noun = change->noun->noun;
  svc_str status = svc_node_str(change->body, noun->lifecycle->field);
  const svc_transition *t;
  while (!svc_network_shown(words, cloud, status) && (t = svc_transition_from(noun, status)) != NULL) {
    status = svc_str_c(t->to);
    svc_node_set_str(c->arena, change->body, noun->lifecycle->field, status);
    change->due = svc_transition_due(c->s, noun, status, c->now);
    change->event = t->event;
  }
}
