/*
** Errors: the lists (error_list.h, catalog/error_list.h, SVC_ERROR() in the files of nouns) give name, status and text; this file writes
** the documents.
**
** The rule: a stage that refuses calls svc_fail() once and returns false; no other code writes an error. The text is that of the list with
** the parameters filled in, followed by the first violation and c->error.also, so the same failure always reads the same. svc_fail_as()
** gives another sentence instead of the list's.
*/
#include "pipeline/meddle.h"

#define ERRORS_ECHO 1024   /* maximum bytes of a value that an error repeats */
#define ERRORS_DETAIL 4096 /* maximum bytes of a sentence with such values */
#define ERRORS_MOST_VIOLATIONS 1000 /* a hostile body could have one per byte */

#define ERRORS_ROW(name, status, detail, parameters) [SVC_E_##name] = SVC_ERROR_ROW(name, status, detail, parameters),
static const svc_error_row errors_table[] = { [SVC_E_NONE] = { "\0\0", 500 }, SVC_ERROR_LIST(ERRORS_ROW) };
#define ERRORS_COUNT ((int)(sizeof errors_table / sizeof errors_table[0]))

static const svc_error_row *errors_row(int code)
{
  int count;
  return code < SVC_E_CATALOG ? &errors_table[code] : &svc_catalog_errors(&count)[code - SVC_E_CATALOG];
}

SVC_PRIVATE int svc_error_next(int code)
{
  int count;
  svc_catalog_errors(&count);
  if (++code == ERRORS_COUNT) code = SVC_E_CATALOG;
  return code < SVC_E_CATALOG + count ? code : SVC_E_NONE;
}

SVC_PRIVATE int svc_error_named(const char *name)
{
  int code = SVC_E_NONE;
  do code = svc_error_next(code);
  while (code && strcmp(svc_error_name(code), name) != 0);
  return code;
}

static const char *errors_parameters(int code)
{
  const char *detail = svc_error_detail(code);
  return detail + strlen(detail) + 1;
}

SVC_PRIVATE int svc_error_status(int code)
{
  return errors_row(code)->status;
}

SVC_PRIVATE const char *svc_error_name(int code)
{
  return errors_row(code)->text;
}

SVC_PRIVATE const char *svc_error_detail(int code)
{
  const char *name = errors_row(code)->text;
  return name + strlen(name) + 1;
}

SVC_PRIVATE unsigned svc_error_params(int code)
{
  const char *p = errors_parameters(code);
  unsigned n = *p != 0;
  for (; *p; p++) n += *p == ',';
  return n;
}

SVC_PRIVATE bool svc_error_names_attribute(int code)
{
  const char *p = errors_parameters(code);
  return strncmp(p, "attribute", 9) == 0 && (p[9] == 0 || p[9] == ',');
}

const char *svc_status_reason(int status)
{
  static const struct {
    int status;
    const char *reason;
  } reasons[] = {
    { 100, "Continue" }, { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
    { 304, "Not Modified" }, { 400, "Bad Request" }, { 401, "Unauthorized" }, { 402, "Payment Required" },
    { 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" }, { 406, "Not Acceptable" },
    { 408, "Request Timeout" }, { 409, "Conflict" }, { 410, "Gone" }, { 411, "Length Required" },
    { 412, "Precondition Failed" }, { 413, "Content Too Large" }, { 414, "URI Too Long" },
    { 415, "Unsupported Media Type" }, { 417, "Expectation Failed" }, { 422, "Unprocessable Content" },
    { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
    { 501, "Not Implemented" }, { 503, "Service Unavailable" }, { 505, "HTTP Version Not Supported" },
    { 507, "Insufficient Storage" },
  };
  size_t i;
  for (i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (reasons[i].status == status) return reasons[i].reason;
  return "Unknown";
}

/* Headers may contain any bytes; invalid UTF-8 is shown as question marks. */
static svc_str errors_readable(svc_call *c, svc_str text)
{
  svc_str copy;
  size_t i;
  if (svc_utf8_valid(text)) return text;
  copy = svc_arena_copy(c->arena, text);
  for (i = 0; i < copy.n; i++)
    if ((unsigned char)copy.p[i] >= 0x80) ((char *)(uintptr_t)copy.p)[i] = '?';
  return copy;
}

static svc_str errors_quoted(svc_call *c, svc_str text)
{
  svc_buf b = svc_buf_new(c->arena, text.n + 2);
  svc_json_escape(&b, errors_readable(c, text));
  return svc_buf_done(&b);
}

/* A text from a request as a JSON string, shortened to `most` bytes. */
static svc_str errors_echo(svc_call *c, svc_str text, size_t most)
{
  svc_str readable = errors_readable(c, text);
  if (readable.n <= most) return errors_quoted(c, readable);
  while (most && ((unsigned char)readable.p[most] & 0xC0) == 0x80) most--; /* does not cut a character in two */
  return errors_quoted(c, svc_arena_print(c->arena, "%.*s...", (int)most, readable.p));
}

/* A parameter; its name in the table may say that it is the place of a field. */
static svc_str errors_shown(svc_call *c, svc_str name, svc_str text)
{
  return svc_str_starts(name, "attribute") || svc_str_is(name, "otherAttribute") ? svc_shown_place(c, text) : text;
}

static bool errors_fail(svc_call *c, svc_str detail, int code, const char *format, va_list args)
{
  svc_str names = svc_str_c(errors_parameters(code));
  c->error.code = code;
  c->error.param_count = 0;
  c->error.detail = detail;
  c->error.also = SVC_S("");
  for (; *format && SVC_ALWAYS(c->error.param_count < 5); format++) {
    svc_str name = svc_str_cut(&names, ','), *to = &c->error.params[c->error.param_count++];
    if (*format == 's') *to = errors_echo(c, errors_shown(c, name, svc_str_c(va_arg(args, const char *))), ERRORS_ECHO);
    else if (*format == 'S') *to = errors_echo(c, errors_shown(c, name, *va_arg(args, const svc_str *)), ERRORS_ECHO);
    else *to = svc_arena_print(c->arena, "%lld", (long long)*va_arg(args, const int64_t *));
  }
  return false;
}

SVC_PRIVATE bool (svc_fail)(svc_call *c, int code, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  errors_fail(c, SVC_S(""), code, format, args);
  va_end(args);
  return false;
}

SVC_PRIVATE bool (svc_fail_as)(svc_call *c, svc_str detail, int code, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  errors_fail(c, detail, code, format, args);
  va_end(args);
  return false;
}

SVC_PRIVATE bool (svc_fail_about)(svc_call *c, int code, svc_str key, svc_str parent)
{
  static const char *const formats[] = { "", "S", "SS" };
  unsigned n = svc_error_params(code); /* at most two: tests check the tables */
  if (code == SVC_E_RESOURCE_NOT_FOUND) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
  return svc_fail(c, code, formats[n < 2 ? n : 2], &key, &parent);
}

SVC_PRIVATE bool (svc_no_memory)(svc_call *c)
{
  return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

SVC_PRIVATE bool (svc_failed)(svc_call *c)
{
  if (!c->error.code) (void)svc_no_memory(c);
  return false;
}

SVC_PRIVATE bool (svc_store_failed)(svc_call *c, int status)
{
  bool again = status == SVC_NO_ROOM || status == SVC_RETRY;
  char text[SVC_STORE_TEXT];
  if (status == SVC_NOMEM) c->arena->failed = true; /* the same as running out of memory here */
  if (!again && svc_may_say(c->s, &c->s->store_said, c->now, "store")) svc_log(c->s, SVC_LOG_ERROR, "store.failed", "store: %s", svc_store_text(c->s, status, text));
  c->error.violations = c->error.violations_last = NULL; /* the body was not checked to its end */
  c->error.violation_count = 0;
  c->error.store = status;
  return svc_fail(c, status == SVC_FULL ? SVC_E_INSUFFICIENT_STORAGE : SVC_E_SERVICE_UNAVAILABLE, "");
}

SVC_PRIVATE bool svc_txn_good(svc_call *c)
{
  return svc_status_good(c, c->txn->error);
}

SVC_PRIVATE bool svc_status_good(svc_call *c, int status)
{
  return status == SVC_OK || svc_store_failed(c, status);
}

SVC_PRIVATE bool svc_entity_store(svc_call *c, const svc_entity *e, const svc_entity *old)
{
  svc_lag_note(c, e, old);
  return svc_status_good(c, old ? svc_entity_update(c->txn, c->arena, e, old) : svc_entity_insert(c->txn, c->arena, e));
}

/* A failed read may have been taken for "not found": an error based on that is not valid. */
SVC_PRIVATE bool svc_read_good(svc_call *c)
{
  int status;
  if (!c->txn || c->txn->error == SVC_OK) return true;
  status = c->error.code ? svc_error_status(c->error.code) : 0;
  if (status == 503 || status == 507) return false; /* already reported */
  return svc_store_failed(c, c->txn->error);
}

SVC_PRIVATE svc_violation *svc_violate(svc_call *c, int code, svc_str path, const char *format, ...)
{
  svc_violation *v = svc_arena_zero(c->arena, sizeof *v);
  char text[1024]; /* the longest one lists twenty values */
  va_list args;
  int n;
  if (!v || ++c->error.violation_count > ERRORS_MOST_VIOLATIONS) return NULL;
  va_start(args, format);
  n = vsnprintf(text, sizeof text, svc_shown_text(c->s, c->arena, svc_str_c(format)).p, args);
  va_end(args);
  v->code = code;
  v->field = svc_arena_copy(c->arena, path);
  v->description = svc_arena_copy(c->arena, (svc_str){ text, SVC_NEVER(n < 0) ? 0 : strlen(text) });
  if (c->error.violations_last) c->error.violations_last->next = v;
  else c->error.violations = v;
  c->error.violations_last = v;
  return v;
}

SVC_PRIVATE svc_str svc_violation_text(svc_call *c, const svc_violation *v)
{
  /* a suggestion ends in a question mark */
  const char *stop = v->description.n && v->description.p[v->description.n - 1] == '?' ? "" : ".";
  svc_str field = svc_shown_place(c, v->field);
  svc_str text = svc_arena_print(c->arena, "The field " SVC_FMT " " SVC_FMT "%s", SVC_ARG(field), SVC_ARG(v->description), stop);
  if (c->error.violation_count < 2) return text;
  return svc_arena_print(c->arena, SVC_FMT " badRequestDetail lists %u more.", SVC_ARG(text), (unsigned)c->error.violation_count - 1);
}

/* The text between the quotes of a JSON string, or a number: replaces {n} in a detail. */
static svc_str errors_bare(svc_str param)
{
  if (param.n >= 2 && param.p[0] == '"') return (svc_str){ param.p + 1, param.n - 2 };
  return param;
}

/* The detail as a JSON string: the table's text needs no escaping, and the parameters are escaped already. */
static void errors_write_detail(svc_buf *b, svc_call *c)
{
  const svc_violation *first = c->error.violations;
  const char *p = svc_shown_text(c->s, c->arena, svc_str_c(svc_error_detail(c->error.code))).p;
  if (c->error.detail.n) {
    svc_buf_str(b, errors_echo(c, c->error.detail, ERRORS_DETAIL));
    return;
  }
  svc_buf_char(b, '"');
  for (; *p; p++) {
    if (*p == '{') { /* "{0}": no other text begins so */
      unsigned i = (unsigned)(p[1] - '0');
      if (SVC_ALWAYS(i < c->error.param_count)) svc_buf_str(b, errors_bare(c->error.params[i]));
      p += 2;
    } else {
      svc_buf_char(b, *p);
    }
  }
  if (first) { /* a specific error of the field: it also says which values are allowed */
    svc_buf_char(b, ' ');
    svc_buf_str(b, errors_bare(errors_quoted(c, svc_violation_text(c, first))));
  }
  if (c->error.also.n) svc_buf_str(b, errors_bare(errors_quoted(c, c->error.also)));
  svc_buf_char(b, '"');
}

static void errors_write_violations(svc_buf *b, svc_call *c)
{
  const svc_violation *v;
  svc_buf_text(b, "\"badRequestDetail\":{\"fields\":[");
  for (v = c->error.violations; v; v = v->next) {
    svc_buf_text(b, v == c->error.violations ? "{\"description\":" : ",{\"description\":");
    svc_json_escape(b, v->description);
    svc_buf_text(b, ",\"field\":");
    svc_json_escape(b, svc_shown_place(c, v->field));
    svc_buf_char(b, '}');
  }
  svc_buf_text(b, "]},");
}

SVC_PRIVATE svc_str svc_error_document(svc_call *c)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  int status = svc_error_status(c->error.code);
  unsigned i;
  svc_buf_char(&b, '{');
  if (c->error.violations) errors_write_violations(&b, c);
  svc_buf_text(&b, "\"detail\":");
  errors_write_detail(&b, c);
  svc_buf_text(&b, ",\"error\":");
  svc_buf_i64(&b, status);
  svc_buf_text(&b, ",\"errorCode\":\"");
  svc_buf_text(&b, svc_shown_code(c->s, c->error.code));
  svc_buf_text(&b, "\",\"parameters\":[");
  for (i = 0; i < c->error.param_count; i++) {
    if (i) svc_buf_char(&b, ',');
    svc_buf_str(&b, c->error.params[i]);
  }
  svc_buf_text(&b, "],\"reason\":\"");
  svc_buf_text(&b, svc_status_reason(status));
  svc_buf_text(&b, "\"}");
  return svc_buf_done(&b);
}
