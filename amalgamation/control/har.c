/*
** The journal as an HTTP archive, HAR 1.2, which browsers export, and many tools show, compare and replay.
**
** The rule: the archive contains only what the journal shows, so a secret that is blanked there is blanked here. Sizes that the journal
** lacks are -1, HAR's value for "unknown". Durations are the delay that a fault added, or 0. A body that the journal has not kept
** completely is marked: _incomplete.
*/
#include "control/control.h"

/* Each writer takes one parsed entry; its memory is freed when the entry is written. */
static svc_str har_header(const svc_node *headers, const char *name)
{
  const svc_node *h;
  for (h = svc_node_first(headers); h; h = h->next)
    if (svc_str_is_nocase(svc_node_str(h, "name"), name)) return svc_node_str(h, "value");
  return SVC_S("");
}

static void har_headers(svc_buf *b, const svc_node *headers)
{
  svc_buf_text(b, "\"cookies\":[],\"headers\":");
  svc_node_write(b, headers);
  svc_buf_text(b, ",\"headersSize\":-1,\"bodySize\":-1");
}

static void har_pair(svc_buf *b, svc_arena *a, svc_str raw)
{
  svc_str text = raw;
  if (!svc_percent_decode(a, raw, true, &text) || !svc_utf8_valid(text)) text = raw;
  svc_json_escape(b, text);
}

static void har_query(svc_buf *b, svc_arena *a, svc_str target)
{
  svc_str rest = target;
  bool first = true;
  (void)svc_str_cut(&rest, '?');
  svc_buf_text(b, ",\"queryString\":[");
  while (rest.n) {
    svc_str value = svc_str_cut(&rest, '&'), name = svc_str_cut(&value, '=');
    svc_buf_text(b, first ? "{\"name\":" : ",{\"name\":");
    first = false;
    har_pair(b, a, name);
    svc_buf_text(b, ",\"value\":");
    har_pair(b, a, value);
    svc_buf_char(b, '}');
  }
  svc_buf_char(b, ']');
}

/* A body as text. Where the entry has a string instead, the journal has not kept the body, or not completely. */
static svc_str har_body(svc_arena *a, const svc_node *body, bool *incomplete)
{
  svc_buf b;
  *incomplete = body->type == SVC_J_STRING;
  if (body->type == SVC_J_NULL) return SVC_S("");
  if (*incomplete) return body->text;
  b = svc_buf_new(a, 512);
  svc_node_write(&b, body);
  return svc_buf_done(&b);
}

static void har_request(svc_buf *b, svc_arena *a, const svc_node *entry, svc_str base)
{
  const svc_node *request = svc_node_get(entry, "request"), *headers = svc_node_get(request, "headers");
  const svc_node *body = svc_node_get(request, "body");
  svc_str target = svc_node_str(entry, "target"), type = har_header(headers, "content-type"), text;
  svc_buf url = svc_buf_new(a, 256);
  bool incomplete;
  svc_buf_str(&url, base);
  svc_buf_str(&url, target);
  svc_buf_text(b, ",\"request\":{\"method\":");
  svc_json_escape(b, svc_node_str(entry, "method"));
  svc_buf_text(b, ",\"url\":");
  svc_json_escape(b, svc_buf_done(&url));
  svc_buf_text(b, ",\"httpVersion\":\"HTTP/1.1\",");
  har_headers(b, headers);
  har_query(b, a, target);
  text = har_body(a, body, &incomplete);
  if (body->type != SVC_J_NULL) {
    svc_buf_text(b, ",\"postData\":{\"mimeType\":");
    svc_json_escape(b, type.n ? type : SVC_S("application/json"));
    svc_buf_text(b, incomplete ? ",\"_incomplete\":true,\"text\":" : ",\"text\":");
    svc_json_escape(b, text);
    svc_buf_char(b, '}');
  }
  svc_buf_char(b, '}');
}

static void har_response(svc_buf *b, svc_arena *a, const svc_node *entry)
{
  const svc_node *response = svc_node_get(entry, "response"), *headers = svc_node_get(response, "headers");
  int64_t status = svc_node_i64(entry, "status", 0);
  svc_str type = har_header(headers, "content-type"), text;
  bool incomplete;
  svc_buf_text(b, ",\"response\":{\"status\":");
  svc_buf_i64(b, status);
  svc_buf_text(b, ",\"statusText\":");
  svc_json_escape(b, svc_str_c(svc_status_reason((int)status)));
  svc_buf_text(b, ",\"httpVersion\":\"HTTP/1.1\",");
  har_headers(b, headers);
  text = har_body(a, svc_node_get(response, "body"), &incomplete);
  svc_buf_text(b, ",\"content\":{\"size\":");
  svc_buf_i64(b, incomplete ? -1 : (int64_t)text.n);
  svc_buf_text(b, ",\"mimeType\":");
  svc_json_escape(b, type);
  if (incomplete) svc_buf_text(b, ",\"_incomplete\":true");
  svc_buf_text(b, ",\"text\":");
  svc_json_escape(b, text);
  svc_buf_text(b, "},\"redirectURL\":");
  svc_json_escape(b, har_header(headers, "location"));
  svc_buf_char(b, '}');
}

/* Our own members, if the entry has them. */
static void har_own(svc_buf *b, const svc_node *entry)
{
  static const struct {
    const char *member, *name;
  } own[] = {
    { "operation", ",\"_operation\":" }, { "errorCode", ",\"_errorCode\":" }, { "caller", ",\"_caller\":" }, { "drop", ",\"_drop\":" }
  };
  size_t i;
  for (i = 0; i < sizeof own / sizeof own[0]; i++) {
    const svc_node *member = svc_node_get(entry, own[i].member);
    if (!member || member->type == SVC_J_NULL) continue;
    svc_buf_text(b, own[i].name);
    svc_node_write(b, member);
  }
}

static void har_entry(svc_buf *b, svc_arena *a, const svc_node *entry, svc_str base)
{
  int64_t late = svc_node_i64(entry, "delayMs", 0);
  svc_buf_text(b, "{\"startedDateTime\":");
  svc_json_escape(b, svc_node_str(entry, "time"));
  svc_buf_text(b, ",\"time\":");
  svc_buf_i64(b, late);
  har_request(b, a, entry, base);
  har_response(b, a, entry);
  svc_buf_text(b, ",\"cache\":{},\"timings\":{\"send\":0,\"wait\":");
  svc_buf_i64(b, late);
  svc_buf_text(b, ",\"receive\":0}");
  har_own(b, entry);
  svc_buf_char(b, '}');
}

SVC_PRIVATE svc_str svc_har_text(svc *s, svc_arena *a, size_t limit)
{
  svc_buf b = svc_buf_new(a, 4096);
  svc_str *entries = NULL;
  size_t i, n = s->control->journal ? svc_journal_copy(s, a, limit, &entries) : 0;
  bool first = true;
  svc_buf_text(&b, "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"svcapi\",\"version\":\"" SVC_VERSION "\"},\"entries\":[");
  for (i = 0; i < n && !a->failed; i++) {
    svc_arena one;
    const svc_node *entry;
    svc_arena_init(&one, &s->allocator);
    entry = svc_json_parse(&one, entries[i]);
    if (entry && svc_node_get(entry, "request")) { /* otherwise it is the entry of a fault */
      if (!first) svc_buf_char(&b, ',');
      first = false;
      har_entry(&b, &one, entry, s->base_url);
    }
    if (one.failed) a->failed = true;
    svc_blocks_free(one.blocks);
  }
  svc_buf_text(&b, "]}}");
  return svc_buf_done(&b);
}

int svc_journal_har(svc *s, size_t limit, svc_response *out)
{
  svc_arena arena;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !out || !s->control->journal) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  return svc_respond_json(&arena, svc_har_text(s, &arena, limit), out);
}
