/*
** Rules of every kind as JSON: POST /_svc/faults and svc_fault_add_json() read them, GET /_svc/faults and svc_fault_list_json()
** write them.
**
** The rule: a member determines the kind of a rule, and the kind determines the allowed members. Bodies are checked by tables of fields,
** like all others; the kind checks the rest, in words that name the member.
*/
#include "control/control.h"

static const char *const fault_text_drops[] = { "none", "before", "after", NULL };
static const char *const fault_text_kinds[] = { "answer", "expiredToken", "staleNonce", NULL };

static const svc_field fault_text_fields[] = {
  F_NUM("chance", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 1),
  F_LONG("count", .flags = SVC_MIN, .min = 0),
  F_INT("delayMs", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 3600000),
  F_ENUM("drop", fault_text_drops, .flags = SVC_NULLABLE),
  F_STR("errorCode", .flags = SVC_NULLABLE, .max = 128),
  F_ENUM("kind", fault_text_kinds),
  F_STR("operation", .flags = SVC_NULLABLE, .max = 128),
  F_INT("status", .flags = SVC_MIN | SVC_MAX | SVC_NULLABLE, .min = 400, .max = 599)
};
static const svc_object fault_text_object = { .name = "Fault", .fields = SVC_ROWS(fault_text_fields) };

SVC_PRIVATE const svc_failure_row *svc_failure_row_of(int kind)
{
  static const svc_failure_row *const rows[SVC_FAILURE_KINDS] = {
    &svc_failure_step_row, &svc_failure_state_row, &svc_failure_later_row, &svc_failure_host_row, &svc_failure_lag_row
  };
  return rows[kind];
}

SVC_PRIVATE bool svc_fault_wrong(char why[], const char *what, svc_str value)
{
  snprintf(why, SVC_FAULT_WHY, "%s%.*s", what, (int)(value.n < 100 ? value.n : 100), value.p);
  return false;
}

/* The kind of a rule, by a member that only this kind has; SVC_FAILURE_KINDS: a rule for requests. */
static int fault_text_kind(const svc_node *body)
{
  int kind = 0;
  while (kind < SVC_FAILURE_KINDS && !svc_node_get(body, svc_failure_row_of(kind)->member)) kind++;
  return kind;
}

SVC_PRIVATE const svc_object *svc_fault_object(const svc_node *body)
{
  int kind = fault_text_kind(body);
  return kind < SVC_FAILURE_KINDS ? svc_failure_row_of(kind)->object : &fault_text_object;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

static int fault_text_index(const char *const *values, svc_str value)
{
  int i = 0;
  while (values[i] && !svc_str_is(value, values[i])) i++;
  return values[i] ? i : 0;
}

static void fault_text_number(svc_buf *b, const char *name, int64_t value)
{
  svc_buf_text(b, name);
  svc_buf_i64(b, value);
}

static void fault_text_rule(svc_call *c, svc_buf *b, const svc_fault *f)
{
  double chance = f->chance > 0 ? f->chance : 1;
  int64_t parts = (int64_t)(chance * 1000000 + 0.5); /* written without a locale's decimal point */
  svc_buf_str(b, svc_arena_print(c->arena, "{\"chance\":%lld.%06lld", (long long)(parts / 1000000), (long long)(parts % 1000000)));
  fault_text_number(b, ",\"count\":", f->count);
  fault_text_number(b, ",\"delayMs\":", f->delay_ms);
  svc_buf_str(b, svc_arena_print(c->arena, ",\"drop\":\"%s\",\"errorCode\":%s%s%s", fault_text_drops[f->drop], f->error_code ? "\"" : "",
                                 f->error_code ? f->error_code : "null", f->error_code ? "\"" : ""));
  fault_text_number(b, ",\"id\":", f->id);
  svc_buf_str(b, svc_arena_print(c->arena, ",\"kind\":\"%s\",\"operation\":%s%s%s", fault_text_kinds[f->kind], f->operation ? "\"" : "",
                                 f->operation ? f->operation : "null", f->operation ? "\"" : ""));
  fault_text_number(b, ",\"status\":", f->status);
  fault_text_number(b, ",\"struck\":", f->struck);
  svc_buf_char(b, '}');
}

static void fault_text_write(svc_call *c, svc_buf *b, const svc_failure *f)
{
  svc_buf_str(b, svc_arena_print(c->arena, "{\"chance\":%lld.%06lld", (long long)(f->chance / 1000000), (long long)(f->chance % 1000000)));
  fault_text_number(b, ",\"count\":", f->count);
  fault_text_number(b, ",\"id\":", f->id);
  svc_buf_char(b, ',');
  svc_failure_row_of(f->kind)->write(b, f);
  if (f->seeded) fault_text_number(b, "\"seed\":", f->seed);
  fault_text_number(b, f->seeded ? ",\"struck\":" : "\"struck\":", f->struck);
  svc_buf_char(b, '}');
}

SVC_PRIVATE bool svc_faults_write(svc_call *c, svc_buf *b)
{
  svc_fault *faults = svc_arena_zero(c->arena, SVC_FAULTS * sizeof *faults);
  svc_failure *failures = svc_arena_zero(c->arena, SVC_FAILURES * sizeof *failures);
  size_t i, n;
  if (!faults || !failures) return svc_no_memory(c);
  n = svc_fault_list(c->s, faults, SVC_FAULTS);
  svc_buf_char(b, '[');
  for (i = 0; i < n; i++) {
    if (i) svc_buf_char(b, ',');
    fault_text_rule(c, b, &faults[i]);
  }
  n = svc_failure_list(c->s, failures);
  for (i = 0; i < n; i++) {
    if (b->n > 1) svc_buf_char(b, ',');
    fault_text_write(c, b, &failures[i]);
  }
  svc_buf_char(b, ']');
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- adding */

/* A text member, NUL-terminated; NULL: missing, or null. */
static const char *fault_text_optional(svc_call *c, const char *name)
{
  svc_str text = svc_node_str(c->checked, name);
  return text.n ? svc_arena_copy(c->arena, text).p : NULL;
}

static int fault_text_request(svc_call *c, svc_buf *b, double chance, int *id, char why[])
{
  svc_fault f;
  int rc;
  memset(&f, 0, sizeof f);
  f.operation = fault_text_optional(c, "operation");
  f.error_code = fault_text_optional(c, "errorCode");
  f.kind = fault_text_index(fault_text_kinds, svc_node_str(c->checked, "kind"));
  f.drop = fault_text_index(fault_text_drops, svc_node_str(c->checked, "drop"));
  f.status = (int)svc_node_i64(c->checked, "status", 0);
  f.delay_ms = (int)svc_node_i64(c->checked, "delayMs", 0);
  f.count = svc_node_i64(c->checked, "count", 0);
  f.chance = chance;
  rc = svc_fault_put(c->s, &f, why);
  if (rc == SVC_OK) fault_text_rule(c, b, &f);
  if (rc == SVC_OK && id) *id = f.id;
  return rc;
}

SVC_PRIVATE int svc_fault_take(svc_call *c, svc_buf *b, int *id, char why[])
{
  const svc_node *said = svc_node_get(c->checked, "chance");
  svc_failure f;
  double chance = 0;
  int rc;
  memset(&f, 0, sizeof f);
  if (said) (void)svc_json_number_double(said->text, &chance); /* valid: the body was checked */
  snprintf(why, SVC_FAULT_WHY, "chance is more than 0, up to 1");
  if (said && chance <= 0) return SVC_INVALID;
  f.kind = fault_text_kind(c->checked);
  if (f.kind == SVC_FAILURE_KINDS) return fault_text_request(c, b, chance, id, why);
  f.chance = said ? (int64_t)(chance * 1000000 + 0.5) : 1000000;
  f.count = svc_node_i64(c->checked, "count", 0);
  f.seeded = svc_node_get(c->checked, "seed") != NULL;
  f.seed = svc_node_i64(c->checked, "seed", 0);
  if (!svc_failure_row_of(f.kind)->read(c, &f, why)) return SVC_INVALID;
  rc = svc_failure_put(c->s, &f);
  if (rc == SVC_OK) fault_text_write(c, b, &f);
  if (rc == SVC_OK && id) *id = f.id;
  return rc;
}

/* Checked like a body of POST /_svc/faults. False: the log says why. */
static bool fault_text_checked(svc_call *c, svc_str text)
{
  svc_json_fault fault = { 0, "" };
  svc_str why;
  if (text.n > c->s->config.max_body || !svc_json_gate(c->arena, text, c->s->config.max_depth, &fault)) {
    svc_log(c->s, SVC_LOG_ERROR, "fault.invalid", "svc_fault: the JSON is malformed at byte %zu: %s", fault.at, fault.what);
    return false;
  }
  c->body = svc_json_parse_gated(c->arena, text);
  if (!c->body) return false;
  c->checked = svc_check(c, svc_fault_object(c->body), c->body, NULL, SVC_CHECK_CREATE);
  if (svc_check_done(c)) return true;
  why = c->error.violations ? svc_violation_text(c, c->error.violations) : SVC_S("a rule is a JSON object");
  svc_log(c->s, SVC_LOG_ERROR, "fault.invalid", "svc_fault: " SVC_FMT, SVC_ARG(why));
  return false;
}

int svc_fault_add_json(svc *s, const char *rule, int *id)
{
  char why[SVC_FAULT_WHY] = "";
  svc_arena arena;
  svc_call c;
  svc_buf b;
  int rc = SVC_INVALID;
  if (!SVC_USABLE(s) || !rule) return SVC_INVALID;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  b = svc_buf_new(&arena, 256);
  if (fault_text_checked(&c, svc_str_c(rule))) {
    rc = svc_fault_take(&c, &b, id, why);
    if (rc == SVC_INVALID) svc_log(s, SVC_LOG_ERROR, "fault.invalid", "svc_fault: %s", why);
  }
  svc_blocks_free(arena.blocks);
  return arena.failed && rc == SVC_INVALID ? SVC_NOMEM : rc;
}

int svc_fault_list_json(svc *s, svc_response *out)
{
  svc_arena arena;
  svc_call c;
  svc_buf b;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  b = svc_buf_new(&arena, 1024);
  (void)svc_faults_write(&c, &b); /* the response reports a lack of memory */
  return svc_respond_json(&arena, svc_buf_done(&b), out);
}
