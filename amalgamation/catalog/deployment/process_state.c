/*
** process state: the record of the states of a cluster's processes. No operation shows the record itself; processes,
** events, alerts and figures use it. cluster/process_states.c reads and writes it. A build may leave this noun out: then
** all processes are up, and the first of each replica set is its primary.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

static const svc_field process_state_host_fields[] = {
  F_ANY("downs"), F_STR("id"), F_BOOL("primary"), F_LONG("since"), F_STR("version")
};
static const svc_object process_state_host = { .name = "ProcessState", .fields = SVC_ROWS(process_state_host_fields) };
static const svc_field process_state_fields[] = { F_ANY("elections"), F_LIST("hosts", &process_state_host) };
static const svc_object process_state_object = { .name = "ProcessStates", .fields = SVC_ROWS(process_state_fields) };

SVC_PRIVATE const svc_noun svc_noun_process_state = {
  .name = CLUSTER_PROCESS_STATES, .kind = CLUSTER_PROCESS_STATES_KIND, .parent = "cluster", .flags = SVC_SINGLETON, .object = &process_state_object
};
