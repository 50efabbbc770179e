/*
** Logins where the host supplies no driver: part of the simulation (catalog/monitoring/simulated.c).
**
** Each user that the service knows of signs in once an hour, at a minute of its own, on one of the hosts, from an address of the
** range that is set apart for tests of networks; one time in sixteen with a wrong password. Newest first, as many as are asked for.
*/
#include "catalog/catalog.h"

#define SIMULATED_LOGINS_HOURS 168 /* that are looked back on, at the most */

typedef struct simulated_logins_user {
  svc_str name;
  int64_t minute;
} simulated_logins_user;

typedef struct simulated_logins_history {
  const svc_question *q;
  const svc_node *asked;
  svc_buf out;
  int64_t left;
} simulated_logins_history;

static int simulated_logins_latest(const void *a, const void *b)
{
  const simulated_logins_user *x = a, *y = b;
  int order = (x->minute < y->minute) - (x->minute > y->minute);
  return order ? order : svc_str_order(x->name, y->name);
}

static const svc_node *simulated_logins_host(const svc_node *p, uint64_t chance)
{
  const svc_node *hosts = svc_node_get(p, "hosts"), *host = svc_node_first(hosts);
  size_t at = host ? (size_t)(chance % svc_node_count(hosts)) : 0;
  while (at-- > 0) host = host->next;
  return host;
}

static bool simulated_logins_passes(const svc_node *p, bool good, svc_str address)
{
  const svc_node *result = svc_node_get(p, "authResult");
  svc_str from = svc_node_str(p, "ipAddress");
  return (!result || svc_node_bool(p, "authResult", false) == good) && (from.n == 0 || svc_str_eq(from, address));
}

static void simulated_logins_login(simulated_logins_history *h, svc_str user, int64_t at)
{
  uint64_t chance = svc_simulated_hash(h->q->resource_id, user.p, at / 3600);
  const svc_node *host = simulated_logins_host(h->asked, chance >> 24);
  svc_buf *b = &h->out;
  svc_str address = svc_arena_print(b->arena, "198.18.%u.%u", (unsigned)(chance >> 8 & 255), (unsigned)(chance >> 16 & 255));
  bool good = chance % 16 != 0;
  char date[21];
  if (!simulated_logins_passes(h->asked, good, address)) return;
  h->left--;
  svc_date_text(at * 1000, date);
  svc_buf_text(b, b->n > 1 ? ",{\"authResult\":" : "{\"authResult\":");
  svc_buf_text(b, good ? "true" : "false");
  svc_buf_text(b, ",\"authSource\":\"admin\"");
  if (!good) svc_buf_text(b, ",\"failureReason\":\"AuthenticationFailed\"");
  svc_buf_text(b, ",\"groupId\":");
  svc_json_escape(b, svc_str_c(h->q->group_id));
  svc_buf_text(b, ",\"hostname\":");
  svc_json_escape(b, host ? host->text : SVC_S(""));
  svc_buf_text(b, ",\"ipAddress\":");
  svc_json_escape(b, address);
  svc_buf_text(b, ",\"logLine\":");
  svc_json_escape(b, svc_arena_print(b->arena, "%s: user " SVC_FMT " from " SVC_FMT " (simulated)",
                                     good ? "Authentication succeeded" : "Authentication failed", SVC_ARG(user), SVC_ARG(address)));
  svc_buf_text(b, ",\"timestamp\":\"");
  svc_buf_text(b, date);
  svc_buf_text(b, "\",\"username\":");
  svc_json_escape(b, user);
  svc_buf_char(b, '}');
}

static void simulated_logins_hours(simulated_logins_history *h, const simulated_logins_user *users, size_t count)
{
  int64_t from = svc_node_i64(h->asked, "from", 0), until = svc_node_i64(h->asked, "until", 0), hour = until / 3600, at;
  int64_t first = from / 3600 > hour - SIMULATED_LOGINS_HOURS ? from / 3600 : hour - SIMULATED_LOGINS_HOURS;
  size_t i;
  for (; hour >= first; hour--)
    for (i = 0; i < count && h->left > 0 && !h->out.failed; i++) {
      at = hour * 3600 + users[i].minute * 60;
      if (at >= from && at <= until) simulated_logins_login(h, users[i].name, at);
    }
}

SVC_PRIVATE int svc_simulated_logins(const svc_question *q, svc_reply *r)
{
  svc_arena *arena = r->memory;
  const svc_node *p = svc_json_parse(arena, svc_str_c(q->parameters)), *list = svc_node_get(p, "users"), *one;
  simulated_logins_history h = { q, p, svc_buf_new(arena, 4096), svc_node_i64(p, "most", 0) };
  size_t count = list ? svc_node_count(list) : 0, i = 0;
  simulated_logins_user *users = svc_arena_alloc(arena, (count + 1) * sizeof *users);
  if (!p || !users) return arena->failed ? SVC_NOMEM : SVC_INVALID;
  for (one = svc_node_first(list); one; one = one->next, i++) {
    users[i].name = svc_arena_copy(arena, one->text);
    users[i].minute = users[i].name.n ? (int64_t)(svc_simulated_hash(q->resource_id, users[i].name.p, 0) % 60) : 0;
  }
  if (arena->failed) return SVC_NOMEM;
  qsort(users, count, sizeof *users, simulated_logins_latest);
  svc_buf_char(&h.out, '[');
  simulated_logins_hours(&h, users, count);
  svc_buf_char(&h.out, ']');
  return h.out.failed || arena->failed ? SVC_NOMEM : svc_reply_add(r, h.out.p, h.out.n);
}
