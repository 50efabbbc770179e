/*
** Access history: successful and failed logins to the databases of a cluster, newest first. The driver answers the
** question; if it does not know the question, the answer lists the logins that it has reported (cluster/reported.c). In
** the simulation the project's database users log in.
*/
#include "catalog/monitoring/process_parts.h"

#define ACCESS_HISTORY_DAYS 7   /* default length of the range */
#define ACCESS_HISTORY_USERS 100 /* maximum of users in the question */
#define ACCESS_HISTORY_HOSTS 100

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field access_history_fields[] = { F_LIST("accessLogs", &svc_login_shown, .flags = SVC_READ_ONLY) };
static const svc_object access_history_object = { .name = "AccessHistory", .fields = SVC_ROWS(access_history_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool access_history_of_cluster(svc_call *c);
static bool access_history_of_host(svc_call *c);
static bool access_history_on_reply(svc_call *c, const svc_reply *reply);

#define ACCESS_HISTORY_TIME(n) { .name = n, .type = SVC_INT64, .min = 1199145600000, .max = 253402300799999 }
static const svc_param access_history_params[] = {
  { .name = "authResult", .type = SVC_BOOLEAN },
  ACCESS_HISTORY_TIME("end"),
  { .name = "ipAddress", .type = SVC_STRING, .format = SVC_FORMAT_IP },
  { .name = "nLogs", .type = SVC_INT32, .min = 0, .max = 20000 },
  ACCESS_HISTORY_TIME("start"),
  { .name = NULL }
};

#define ACCESS_HISTORY \
  "/groups/{groupId}/dbAccessHistory", SVC_SET_DB_ACCESS_HISTORY, (20230101), \
    SVC_R_GROUP_CLUSTER_LOG_VIEWER | SVC_R_GROUP_DATABASE_ACCESS_ADMIN, 0

static const svc_route access_history_routes[] = {
  R_GET(ACCESS_HISTORY, "/clusters/{clusterName}", .params = access_history_params, .answer = &access_history_object,
        .op = "getAccessHistoryCluster", .run = access_history_of_cluster, .on_reply = access_history_on_reply,
        .ext = SVC_ROUTE_EXT(.linked_from = "cluster")),
  R_GET(ACCESS_HISTORY, "/processes/{hostname}", .params = access_history_params, .answer = &access_history_object,
        .op = "getAccessHistoryProcess", .run = access_history_of_host, .on_reply = access_history_on_reply,
        .ext = SVC_ROUTE_EXT(.linked_from = "process", .linked_by = SVC_BY_HOST))
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool access_history_add(svc_call *c, svc_node *list, svc_str text)
{
  return svc_node_add_str(c->arena, list, svc_arena_copy(c->arena, text)) || svc_no_memory(c);
}

/* Adds the names of the project's database users. */
static bool access_history_users(svc_call *c, svc_node *list)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "database user");
  size_t left = ACCESS_HISTORY_USERS;
  svc_scan scan;
  svc_entity e;
  if (!noun) return true;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &c->scope.group);
  while (left-- > 0 && svc_below_next(&scan, noun->noun->kind, &e))
    if (!access_history_add(c, list, svc_entity_text(c, noun->noun, &e, "username"))) return false;
  return svc_txn_good(c);
}

static int64_t access_history_most(const svc_call *c)
{
  const svc_query_value *most = svc_query_get(c, "nLogs");
  return most ? most->number : 20000;
}

static const svc_field access_history_asked_fields[] = {
  F_BOOL("authResult"),                  /* optional: only logins with this result */
  F_LONG("from", .flags = SVC_REQUIRED), /* seconds since 1970, like `until` */
  F_STRS("hosts", .flags = SVC_REQUIRED),
  F_STR("ipAddress"), /* optional: only logins from this address */
  F_INT("most", .flags = SVC_REQUIRED),
  F_LONG("until", .flags = SVC_REQUIRED),
  F_STRS("users", .flags = SVC_REQUIRED) /* the database users of the project */
};
static const svc_object access_history_asked = { .name = "AskedLogins", .fields = SVC_ROWS(access_history_asked_fields) };
static const svc_question_row access_history_question = {
  "accessHistory", "cluster", "Logins on `hosts` from `from` until `until`, newest first, at most `most`.", &access_history_asked,
  &svc_login_shown, SVC_REPLY_LIST
};

/* host NULL: all hosts of the cluster. */
static bool access_history_ask(svc_call *c, const svc_processes *of, const svc_process *host)
{
  const svc_query_value *start = svc_query_get(c, "start"), *end = svc_query_get(c, "end");
  const svc_query_value *result = svc_query_get(c, "authResult"), *address = svc_query_get(c, "ipAddress");
  int64_t until = end ? end->number : c->now, from = start ? start->number : until - ACCESS_HISTORY_DAYS * SVC_DAY_MS;
  svc_node *ask = svc_node_object(c->arena, NULL);
  svc_node *hosts = svc_node_array(c->arena, "hosts");
  svc_node *users = svc_node_array(c->arena, "users");
  svc_buf b = svc_buf_new(c->arena, 1024);
  size_t i;
  if (!ask || !hosts || !users) return svc_no_memory(c);
  if (from > until) return svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "ii", &from, &until);
  svc_range_narrow(c, &of->cluster.id, &from, &until);
  for (i = 0; !host && i < of->count && i < ACCESS_HISTORY_HOSTS; i++)
    if (!access_history_add(c, hosts, of->at[i].host)) return false;
  if (host && !access_history_add(c, hosts, host->host)) return false;
  if (!access_history_users(c, users)) return false;
  if (result) svc_node_set_bool(c->arena, ask, "authResult", result->number != 0);
  svc_node_set_i64(c->arena, ask, "from", from / 1000);
  svc_node_put(c->arena, ask, hosts);
  if (address) svc_node_set_str(c->arena, ask, "ipAddress", svc_address_spell(c->arena, address->text));
  svc_node_set_i64(c->arena, ask, "most", access_history_most(c));
  svc_node_set_i64(c->arena, ask, "until", until / 1000);
  svc_node_put(c->arena, ask, users);
  svc_node_write(&b, ask);
  if (b.failed) return svc_no_memory(c);
  return svc_question_about(c, &access_history_question, &of->cluster, of->cluster.unique, svc_buf_done(&b));
}

static bool access_history_of_cluster(svc_call *c)
{
  svc_processes of;
  svc_entity cluster;
  return svc_cluster_named(c, svc_path_param(c, "clusterName"), &cluster) && svc_processes_of(c, &cluster, &of) &&
         access_history_ask(c, &of, NULL);
}

static bool access_history_of_host(svc_call *c)
{
  svc_processes of;
  svc_process host;
  return svc_process_find(c, svc_path_param(c, "hostname"), &of, &host) && access_history_ask(c, &of, &host);
}

/* Whether a login matches the filters: a driver may send more than was asked for. */
static bool access_history_passes(const svc_call *c, const svc_node *login)
{
  const svc_query_value *result = svc_query_get(c, "authResult"), *address = svc_query_get(c, "ipAddress");
  if (result && svc_node_bool(login, "authResult", false) != (result->number != 0)) return false;
  return !address || svc_str_eq(svc_address_spell(c->arena, svc_node_str(login, "ipAddress")), svc_address_spell(c->arena, address->text));
}

/* A driver that does not know the question replies with an empty reply. */
static svc_node *access_history_said(svc_call *c, const svc_reply *reply)
{
  const svc_node *asked = reply->length ? NULL : svc_json_parse(c->arena, svc_str_c(c->question->parameters));
  svc_node *list;
  svc_id cluster;
  if (reply->length) return svc_driver_reply(c, &access_history_question, reply);
  if (!asked || !svc_id_parse(svc_str_c(c->question->resource_id), &cluster) || !svc_begin_read(c)) return NULL;
  list = svc_reported_logins(c, &cluster, asked);
  return svc_read_good(c) ? list : NULL;
}

static bool access_history_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_node *said = access_history_said(c, reply), *one, *next;
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_node *list = svc_node_array(c->arena, "accessLogs");
  int64_t left = access_history_most(c);
  if (!said) return svc_failed(c);
  if (!body || !list) return svc_no_memory(c);
  for (one = said->first; one && left > 0; one = next) {
    next = one->next;
    if (!access_history_passes(c, one)) continue;
    svc_node_append(list, one);
    left--;
  }
  svc_node_put(c->arena, body, list);
  return svc_answer_node(c, body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_access_history = {
  .name = "access history",
  .rel = "dbAccessHistory",
  .flags = SVC_VIRTUAL,
  .questions = SVC_ASKS(&access_history_question),
  .routes = SVC_ROUTES(access_history_routes),
};
