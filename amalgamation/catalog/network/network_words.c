/*
** States in the words of each provider.
**
** What is done to make a peering, or a private endpoint, is the same everywhere; what the states are called, and which of them
** there are, is not, nor is the field that shows them. So one lifecycle is stored, under one name, and a table says what each
** provider shows of it.
*/
#include "catalog/catalog.h"
#include "catalog/network/network_parts.h"

SVC_PRIVATE const char *svc_network_shown(const svc_network_word *words, int cloud, svc_str status)
{
  while (words->status && !svc_str_is(status, words->status)) words++;
  return words->shown[cloud]; /* of a state that is in no row: nothing, by the last one */
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
