/*
** Logins without a driver, in access history and in logs: part of the simulation (simulated.c).
**
** Each database user of the project logs in once an hour, at a minute of its own, on one of the hosts that applications
** connect to. One login in sixteen has a wrong password.
**
** The rule: a login is never from before the user was created, from an address outside of the access list, to a cluster
** outside of the user's scopes, or to a host that is down. A project with an empty access list has no logins. The exception
** is an entry of the access list with 2^24 addresses or more: its logins come from 203.0.113.0/24.
*/
#include "catalog/monitoring/simulated.h"

enum {
  LOGINS_HOURS = 168,    /* maximum range */
  LOGINS_USERS = 100,
  LOGINS_ADDRESSES = 100
};

/* --------------------------------------------------------------------------------------------------------------- people */

static bool logins_in_scope(const svc_simulation *s, const svc_node *user)
{
  const svc_node *one = svc_node_first(svc_node_get(user, "scopes"));
  if (!one) return true;
  for (; one; one = one->next)
    if (svc_node_eq(one, "name", s->of.cluster.unique)) return true;
  return false;
}

static void logins_users(svc_simulation *s, svc_simulated_people *out)
{
  const svc_noun_info *noun = svc_noun_named(s->c.s, "database user");
  size_t left = LOGINS_USERS;
  svc_scan scan;
  svc_entity e;
  if (!noun) return;
  svc_below_begin(&scan, s->c.txn, noun->noun->kind, &s->c.scope.group);
  while (left-- > 0 && svc_below_next(&scan, noun->noun->kind, &e)) {
    const svc_node *body = svc_entity_body(&s->c, &e);
    svc_simulated_user *u = &out->users[out->user_count];
    if (!body) return;
    if (!logins_in_scope(s, body)) continue;
    u->name = svc_node_str(body, "username");
    u->source = svc_node_str(body, "databaseName");
    u->roles = svc_node_get(body, "roles");
    u->since = svc_id_second(&e.id);
    u->seed = svc_model_hash(s->model.seed, svc_simulated_hash(svc_arena_copy(s->c.arena, u->name).p, "user", 0));
    u->minute = (int64_t)(u->seed % 60);
    out->user_count++;
  }
}

static void logins_addresses(svc_simulation *s, svc_simulated_people *out)
{
  const svc_noun_info *noun = svc_noun_named(s->c.s, "network access entry");
  svc_scan scan;
  svc_entity e;
  if (!noun) return;
  svc_below_begin(&scan, s->c.txn, noun->noun->kind, &s->c.scope.group);
  while (out->range_count < LOGINS_ADDRESSES && svc_below_next(&scan, noun->noun->kind, &e)) {
    svc_str range = svc_json_word(e.body, "cidrBlock"), one = svc_json_word(e.body, "ipAddress");
    if (!svc_address_parse(range.n ? range : one, &out->ranges[out->range_count])) continue; /* the addresses of a security group are
                                                                                                unknown */
    out->range_since[out->range_count++] = svc_id_second(&e.id);
  }
}

static int logins_latest(const void *a, const void *b)
{
  const svc_simulated_user *x = a, *y = b;
  int order = (x->minute < y->minute) - (x->minute > y->minute);
  return order ? order : svc_str_order(x->name, y->name);
}

SVC_PRIVATE bool svc_simulated_people_of(svc_simulation *s, svc_simulated_people *out)
{
  memset(out, 0, sizeof *out);
  out->users = svc_arena_zero(s->c.arena, LOGINS_USERS * sizeof *out->users);
  out->ranges = svc_arena_zero(s->c.arena, LOGINS_ADDRESSES * sizeof *out->ranges);
  out->range_since = svc_arena_zero(s->c.arena, LOGINS_ADDRESSES * sizeof *out->range_since);
  if (!out->users || !out->ranges || !out->range_since) return false;
  logins_users(s, out);
  logins_addresses(s, out);
  qsort(out->users, out->user_count, sizeof *out->users, logins_latest);
  return !s->c.arena->failed && !s->c.txn->error;
}

/* --------------------------------------------------------------------------------------------------------------- logins */

/* An address within the range. A large range is replaced by addresses reserved for documentation (RFC 5737). */
static svc_str logins_within(svc_arena *a, const svc_address *range, uint64_t chance)
{
  svc_address one = *range;
  int bit;
  if (range->bits <= 104) (void)svc_address_parse(SVC_S("203.0.113.0/24"), &one);
  for (bit = one.bits; bit < 128; bit++)
    if (chance >> (bit % 64) & 1) one.b[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
  one.bits = 128;
  return svc_address_text(a, &one);
}

/* Returns an empty text if the access list was empty at that time, in seconds. */
static svc_str logins_address(const svc_simulation *s, const svc_simulated_people *people, uint64_t chance, int64_t at)
{
  size_t i, n = 0, wanted;
  for (i = 0; i < people->range_count; i++) n += people->range_since[i] <= at;
  wanted = n ? (size_t)(chance % n) : 0;
  for (i = 0; n && i < people->range_count; i++)
    if (people->range_since[i] <= at && wanted-- == 0) return logins_within(s->c.arena, &people->ranges[i], svc_model_hash(chance, 1));
  return SVC_S("");
}

/* A host that applications connect to: a router, or a member of the replica set. */
static const svc_process *logins_host(const svc_simulation *s, uint64_t chance)
{
  size_t i, n = 0, wanted;
  for (i = 0; i < s->of.count; i++) n += !s->of.sharded || s->of.at[i].port == CLUSTER_ROUTER_PORT;
  wanted = n ? (size_t)(chance % n) : 0;
  for (i = 0; i < s->of.count; i++)
    if ((!s->of.sharded || s->of.at[i].port == CLUSTER_ROUTER_PORT) && wanted-- == 0) return &s->of.at[i];
  return NULL;
}

static bool logins_reaches(const svc_simulation *s, const svc_simulated_login *l)
{
  svc_model_host host;
  if (!l->host) return true;
  host = svc_model_host_of(&s->model, &s->of, l->host);
  return svc_model_up(&s->model, &host, l->at * 1000);
}

SVC_PRIVATE bool svc_simulated_login_at(const svc_simulation *s, const svc_simulated_people *people, size_t user, int64_t hour, svc_simulated_login *out)
{
  const svc_simulated_user *u = &people->users[user];
  uint64_t chance = svc_model_hash(u->seed, (uint64_t)hour);
  out->user = u;
  out->at = hour * 3600 + u->minute * 60;
  out->good = chance % 16 != 0;
  out->port = 32768 + (unsigned)(chance >> 48 & 16383);
  out->connection = 1 + (unsigned)(chance >> 32 & 4095);
  if (out->at < u->since || out->at > s->q->now / 1000 || !svc_model_up(&s->model, NULL, out->at * 1000)) return false;
  out->address = logins_address(s, people, chance >> 4, out->at);
  out->host = logins_host(s, chance >> 24);
  return out->address.n > 0 && logins_reaches(s, out);
}

SVC_PRIVATE void svc_simulated_login_line(svc_buf *b, const svc_simulated_login *l)
{
  char text[96];
  bool external = svc_str_is(l->user->source, "$external");
  svc_buf_text(b, "{\"t\":{\"$date\":\"");
  svc_simulated_date(b, l->at * 1000);
  snprintf(text, sizeof text, "\"},\"s\":\"I\",\"c\":\"ACCESS\",\"id\":%d,\"ctx\":\"conn%u\",\"msg\":\"", l->good ? 5286306 : 5286307, l->connection);
  svc_buf_text(b, text);
  svc_buf_text(b, l->good ? "Successfully authenticated" : "Failed to authenticate");
  svc_buf_text(b, "\",\"attr\":{\"client\":\"");
  svc_buf_str(b, l->address);
  snprintf(text, sizeof text, ":%u\",\"isSpeculative\":true,\"isClusterMember\":false,\"mechanism\":\"%s\",\"user\":", l->port,
           external ? "X509" : "SCRAM-SHA-256");
  svc_buf_text(b, text);
  svc_json_escape(b, l->user->name);
  svc_buf_text(b, ",\"db\":");
  svc_json_escape(b, l->user->source);
  svc_buf_text(b, l->good ? ",\"result\":0}}" : ",\"error\":\"AuthenticationFailed: SCRAM authentication failed, storedKey mismatch\",\"result\":18}}");
}

/* -------------------------------------------------------------------------------------------------------------- history */

static bool logins_passes(const svc_simulation *s, const svc_simulated_login *l)
{
  const svc_node *result = svc_node_get(s->p, "authResult"), *hosts = svc_node_get(s->p, "hosts");
  svc_str from = svc_node_str(s->p, "ipAddress");
  if (result && svc_node_bool(s->p, "authResult", false) != l->good) return false;
  if (svc_node_first(hosts) && !(l->host && svc_node_has_str(hosts, l->host->host))) return false;
  return from.n == 0 || svc_str_eq(from, l->address);
}

static void logins_show(svc_simulation *s, const svc_simulated_login *l)
{
  svc_buf *b = &s->out, line = svc_buf_new(s->c.arena, 256);
  char date[21];
  svc_date_text(l->at * 1000, date);
  svc_buf_text(b, b->n > 1 ? ",{\"authResult\":" : "{\"authResult\":");
  svc_buf_text(b, l->good ? "true" : "false");
  svc_buf_text(b, ",\"authSource\":");
  svc_json_escape(b, l->user->source);
  if (!l->good) svc_buf_text(b, ",\"failureReason\":\"AuthenticationFailed\"");
  svc_buf_text(b, ",\"groupId\":");
  svc_json_escape(b, svc_str_c(s->q->group_id));
  svc_buf_text(b, ",\"hostname\":");
  svc_json_escape(b, l->host ? l->host->host : SVC_S(""));
  svc_buf_text(b, ",\"ipAddress\":");
  svc_json_escape(b, l->address);
  svc_simulated_login_line(&line, l);
  svc_buf_text(b, ",\"logLine\":");
  svc_json_escape(b, svc_buf_done(&line));
  svc_buf_text(b, ",\"timestamp\":\"");
  svc_buf_text(b, date);
  svc_buf_text(b, "\",\"username\":");
  svc_json_escape(b, l->user->name);
  svc_buf_char(b, '}');
}

SVC_PRIVATE void svc_simulated_logins(svc_simulation *s)
{
  int64_t from = svc_node_i64(s->p, "from", 0), until = svc_node_i64(s->p, "until", 0), hour = until / 3600, left = svc_node_i64(s->p, "most", 0);
  int64_t first = from / 3600 > hour - LOGINS_HOURS ? from / 3600 : hour - LOGINS_HOURS;
  svc_simulated_people people;
  svc_simulated_login l;
  size_t i;
  if (!svc_simulated_people_of(s, &people)) return;
  svc_buf_char(&s->out, '[');
  for (; hour >= first; hour--)
    for (i = 0; i < people.user_count && left > 0 && !s->out.failed; i++) {
      if (!svc_simulated_login_at(s, &people, i, hour, &l) || l.at < from || l.at > until || !logins_passes(s, &l)) continue;
      logins_show(s, &l);
      left--;
    }
  svc_buf_char(&s->out, ']');
}
