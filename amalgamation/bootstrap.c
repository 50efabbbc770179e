/*
** The credentials that no request can create: the first ones of a new store (svc_bootstrap), and new ones for a host that has lost all
** others (svc_new_credentials). A host has no credentials to send, so it calls these functions.
**
** The rule: the organization, the project and the credentials are created by the same operations that clients call, with the host as
** caller. All of it happens in one transaction.
*/
#include "pipeline/pipeline.h"

/* The host's requests skip the limiter and the versions: the host's limits are meant for other callers. */
typedef struct bootstrap_job {
  svc_job job; /* must be first: the job is cast back to this struct */
  svc *s;
  const char *org_id; /* the argument of svc_new_credentials(); NULL: svc_bootstrap() */
  svc_credentials *out;
  svc_arena *arena; /* holds the requests and their answers */
  int status;       /* the reason of a refusal */
} bootstrap_job;

/* Paths are accepted only in the form of the dialect. */
static const char *bootstrap_target(bootstrap_job *first, svc_str target)
{
  svc_str base = first->s->base_path, below = { target.p + base.n, target.n - base.n };
  if (!first->s->dialect || target.n < base.n) return target.p; /* shorter: out of memory */
  below = svc_shown_target(first->s, first->arena, below);
  return svc_arena_print(first->arena, SVC_FMT SVC_FMT, SVC_ARG(base), SVC_ARG(below)).p;
}

/* Performs one request of the host; without a body, a GET. NULL: refused, or txn->error is set. */
static svc_node *bootstrap_ask(bootstrap_job *first, svc_txn *txn, svc_str target, svc_str body)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "bootstrap", &owner, 1, 0 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = body.n ? "POST" : "GET", .target = bootstrap_target(first, target), .headers = &json,
                          .header_count = body.n ? 1 : 0, .body = body.p, .body_length = body.n, .caller = &host };
  svc_response response = { 0 };
  svc_node *answer = NULL;
  svc_call c;
  memset(&c, 0, sizeof c);
  c.s = first->s;
  c.request.raw = &request;
  c.arena = first->arena;
  c.now = first->job.now;
  c.txn = txn;
  c.own_words = true;
  if (svc_stage_request(&c) && svc_stage_route(&c) && svc_stage_caller(&c) && svc_stage_permission(&c) &&
      svc_stage_query(&c) && svc_stage_body(&c) && svc_behave_in(&c, txn)) {
    svc_stage_respond(&c, &response);
    answer = svc_json_parse(first->arena, svc_arena_copy(first->arena, (svc_str){ response.body, response.body_length }));
  } else if (txn->error == SVC_OK && !first->arena->failed) {
    svc_log(first->s, SVC_LOG_ERROR, "credentials.failed", "credentials: %s answers %s", target.p, svc_error_name(c.error.code));
    first->status = SVC_INVALID;
  }
  if (first->arena->failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  return txn->error == SVC_OK ? answer : NULL;
}

static void bootstrap_take(char *out, size_t size, svc_str value)
{
  snprintf(out, size, SVC_FMT, SVC_ARG(value));
}

/* The id of the first element of a list; "" if the list is empty. */
static void bootstrap_take_first(char *out, size_t size, const svc_node *list)
{
  bootstrap_take(out, size, svc_node_str(svc_node_first(svc_node_get(list, "results")), "id"));
}

/* If the organization requires access lists, a credential without one is useless: the credential is allowed from loopback. */
static bool bootstrap_access(bootstrap_job *first, svc_txn *txn, const char *whose, svc_str id)
{
  const char *base = first->s->base_path.p, *org = first->out->org_id;
  const svc_node *settings;
  if (!first->s->seats[SVC_SEAT_POLICY]) return true; /* a build without organization settings */
  settings = bootstrap_ask(first, txn, svc_arena_print(first->arena, "%s/orgs/%s/settings", base, org), SVC_S(""));
  if (!settings) return false;
  if (!svc_node_bool(settings, "apiAccessListRequired", false)) return true;
  return bootstrap_ask(first, txn,
                 svc_arena_print(first->arena, "%s/orgs/%s/%s/" SVC_FMT "/accessList", base, org, whose, SVC_ARG(id)),
                 SVC_S("[{\"ipAddress\":\"127.0.0.1\"},{\"ipAddress\":\"::1\"}]")) != NULL;
}

/* Creates an API key and a service account that own out->org_id. */
static bool bootstrap_both(bootstrap_job *first, svc_txn *txn)
{
  svc_credentials *out = first->out;
  svc_arena *arena = first->arena;
  const char *base = first->s->base_path.p;
  svc_node *answer = bootstrap_ask(first, txn, svc_arena_print(arena, "%s/orgs/%s/apiKeys", base, out->org_id),
                             SVC_S("{\"desc\":\"bootstrap\",\"roles\":[\"ORG_OWNER\"]}"));
  if (!answer) return false;
  bootstrap_take(out->public_key, sizeof out->public_key, svc_node_str(answer, "publicKey"));
  bootstrap_take(out->private_key, sizeof out->private_key, svc_node_str(answer, "privateKey"));
  if (!bootstrap_access(first, txn, "apiKeys", svc_node_str(answer, "id"))) return false;
  answer = bootstrap_ask(first, txn, svc_arena_print(arena, "%s/orgs/%s/serviceAccounts", base, out->org_id),
                   SVC_S("{\"name\":\"bootstrap\",\"description\":\"owner of the first organization\","
                         "\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8760}"));
  if (!answer) return false;
  bootstrap_take(out->client_id, sizeof out->client_id, svc_node_str(answer, "clientId"));
  bootstrap_take(out->client_secret, sizeof out->client_secret, svc_node_str(svc_node_first(svc_node_get(answer, "secrets")), "secret"));
  return bootstrap_access(first, txn, "serviceAccounts", svc_node_str(answer, "clientId"));
}

static bool bootstrap_first_work(svc_job *job, svc_txn *txn)
{
  static const svc_id root;
  bootstrap_job *first = (bootstrap_job *)job;
  svc_credentials *out = first->out;
  const char *base = first->s->base_path.p;
  svc_node *answer;
  if (svc_count(txn, first->s->org->noun->kind, &root)) {
    first->status = SVC_BUSY;
    return false;
  }
  answer = bootstrap_ask(first, txn, svc_arena_print(first->arena, "%s/orgs", base), SVC_S("{\"name\":\"First\"}"));
  if (!answer) return false;
  bootstrap_take(out->org_id, sizeof out->org_id, svc_node_str(svc_node_get(answer, "organization"), "id"));
  answer = bootstrap_ask(first, txn, svc_arena_print(first->arena, "%s/groups", base),
                   svc_arena_print(first->arena, "{\"name\":\"First\",\"orgId\":\"%s\"}", out->org_id));
  if (!answer) return false;
  bootstrap_take(out->group_id, sizeof out->group_id, svc_node_str(answer, "id"));
  return bootstrap_both(first, txn);
}

static bool bootstrap_again_work(svc_job *job, svc_txn *txn)
{
  bootstrap_job *first = (bootstrap_job *)job;
  svc_credentials *out = first->out;
  const char *base = first->s->base_path.p;
  svc_node *answer;
  if (first->org_id) {
    bootstrap_take(out->org_id, sizeof out->org_id, svc_str_c(first->org_id));
  } else {
    answer = bootstrap_ask(first, txn, svc_arena_print(first->arena, "%s/orgs?itemsPerPage=1", base), SVC_S(""));
    if (!answer) return false;
    bootstrap_take_first(out->org_id, sizeof out->org_id, answer);
  }
  if (!out->org_id[0]) {
    svc_log(first->s, SVC_LOG_ERROR, "credentials.failed", "credentials: the store has no organization yet");
    first->status = SVC_INVALID;
    return false;
  }
  answer = bootstrap_ask(first, txn, svc_arena_print(first->arena, "%s/orgs/%s/groups?itemsPerPage=1", base, out->org_id),
                   SVC_S(""));
  if (!answer) return false;
  bootstrap_take_first(out->group_id, sizeof out->group_id, answer);
  return bootstrap_both(first, txn);
}

static int bootstrap_run(svc *s, bool (*work)(svc_job *job, svc_txn *txn), const char *org_id, svc_credentials *out)
{
  svc_arena arena;
  bootstrap_job first;
  int rc;
  if (!s->org || !s->group || !s->seats[SVC_SEAT_KEY] || !s->seats[SVC_SEAT_ACCOUNT])
    return SVC_INVALID; /* a build without credentials */
  svc_arena_init(&arena, &s->allocator);
  memset(&first, 0, sizeof first);
  first.job.work = work;
  first.job.now = svc_now(s);
  first.s = s;
  first.org_id = org_id;
  first.out = out;
  first.arena = &arena;
  first.status = SVC_NOMEM; /* the default, unless another reason is found */
  rc = svc_commit_run(&s->commit, &first.job);
  if (rc == SVC_OK && first.job.refused) rc = first.status;
  svc_blocks_free(arena.blocks);
  if (rc != SVC_OK) memset(out, 0, sizeof *out);
  return rc;
}

int svc_bootstrap(svc *s, svc_credentials *out)
{
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  return bootstrap_run(s, bootstrap_first_work, NULL, out);
}

int svc_new_credentials(svc *s, const char *org_id, svc_credentials *out)
{
  svc_id id;
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  if (org_id && !svc_id_parse(svc_str_c(org_id), &id)) return SVC_INVALID;
  return bootstrap_run(s, bootstrap_again_work, org_id, out);
}
