/*
** Blanking: requests and answers without their secrets.
**
** The rule: of a request, only headers and fields that are known to be harmless are shown; the others are blanked. The tables of fields
** decide, so a new noun needs nothing here. Query parameters and answers are shown, except for values whose names suggest a secret. Such
** names count whatever the tables say, and an answer that shows a secret once is not shown at all.
*/
#include "control/control.h"

#define BLANK SVC_BLANK
#define BLANK_SHOWN ((size_t)8 << 10)   /* bytes of a body; documented in svcapi.h */
#define BLANK_PARSED ((size_t)256 << 10) /* longer bodies are not parsed */
#define BLANK_TARGET ((size_t)2 << 10)
#define BLANK_VALUE ((size_t)512)

/* The shown part of a text, without splitting a character. */
static svc_str blank_cut(svc_str text, size_t most)
{
  if (text.n <= most) return text;
  text.n = most;
  while (text.n && ((unsigned char)text.p[text.n] & 0xC0) == 0x80) text.n--;
  return text;
}

/* Any bytes as a JSON string: invalid UTF-8 is shown as question marks. */
static void blank_string(svc_buf *b, svc_str text, size_t most)
{
  size_t i;
  text = blank_cut(text, most);
  if (!svc_utf8_valid(text)) {
    text = svc_arena_copy(b->arena, text);
    for (i = 0; i < text.n; i++)
      if ((unsigned char)text.p[i] >= 0x80) ((char *)(uintptr_t)text.p)[i] = '?';
  }
  svc_json_escape(b, text);
}

SVC_PRIVATE void svc_blank_text(svc_buf *b, svc_str text)
{
  blank_string(b, text, BLANK_VALUE);
}

/* Whether this name suggests a secret. Called for every name of every answer, so the words are sorted by their first letter. */
static bool blank_is_secret(svc_str name)
{
  static const char *const words[][5] = { { "apikey", "api_key", "assertion" }, { "credential" }, { "password", "passphrase", "privatekey", "private_key" },
                                          { "secret" }, { "token" } };
  static const char letters[] = "acpst";
  size_t at, i;
  for (at = 0; at + 5 <= name.n; at++) { /* no word is shorter */
    const char *letter = memchr(letters, name.p[at] | 0x20, sizeof letters - 1);
    const char *const *word = letter ? words[letter - letters] : NULL;
    for (i = 0; word && word[i]; i++) {
      size_t n = strlen(word[i]);
      if (at + n <= name.n && svc_str_is_nocase((svc_str){ name.p + at, n }, word[i])) return true;
    }
  }
  return false;
}

SVC_PRIVATE bool svc_blank_is_secret(svc_str name)
{
  return blank_is_secret(name);
}

/* ------------------------------------------------------------------------------------------------ target and headers */

SVC_PRIVATE void svc_blank_target(svc_buf *b, const svc_call *c)
{
  svc_str query = svc_str_n(c->request.raw->target, c->request.raw->target_length), path = svc_str_cut(&query, '?');
  svc_buf shown = svc_buf_new(b->arena, 256);
  char before = '?';
  svc_buf_str(&shown, path);
  for (; query.n; before = '&') {
    svc_str value = svc_str_cut(&query, '&'), name = svc_str_cut(&value, '=');
    svc_buf_char(&shown, before);
    svc_buf_str(&shown, name);
    if (value.n) svc_buf_char(&shown, '=');
    if (value.n && blank_is_secret(name)) svc_buf_text(&shown, BLANK);
    else svc_buf_str(&shown, value);
  }
  blank_string(b, svc_buf_done(&shown), BLANK_TARGET);
}

static bool blank_header_is_plain(svc_str name)
{
  static const char *const plain[] = { "accept", "accept-encoding", "accept-language", "connection", "content-encoding",
    "content-length", "content-type", "date", "expect", "host", "idempotency-key", "if-match", "if-none-match", "transfer-encoding",
    "user-agent", "x-forwarded-for", "x-request-id" };
  size_t i;
  for (i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (svc_str_is_nocase(name, plain[i])) return true;
  return false;
}

SVC_PRIVATE void svc_blank_headers(svc_buf *b, const svc_header *headers, size_t count, bool answer)
{
  size_t i;
  svc_buf_char(b, '[');
  for (i = 0; i < count; i++) {
    svc_str name = svc_str_n(headers[i].name, headers[i].name_length), value = svc_str_n(headers[i].value, headers[i].value_length);
    svc_buf_text(b, i ? ",{\"name\":" : "{\"name\":");
    blank_string(b, name, BLANK_VALUE);
    svc_buf_text(b, ",\"value\":");
    if (answer || blank_header_is_plain(name)) blank_string(b, value, BLANK_VALUE);
    else if (svc_str_is_nocase(name, "authorization") && svc_str_starts(value, "Bearer ")) svc_buf_text(b, "\"Bearer " BLANK "\"");
    else if (svc_str_is_nocase(name, "authorization") && svc_str_starts(value, "Digest ")) svc_buf_text(b, "\"Digest " BLANK "\"");
    else if (svc_str_is_nocase(name, "authorization") && svc_str_starts(value, "Basic ")) svc_buf_text(b, "\"Basic " BLANK "\"");
    else svc_buf_text(b, "\"" BLANK "\"");
    svc_buf_char(b, '}');
  }
  svc_buf_char(b, ']');
}

/* -------------------------------------------------------------------------------------------------------------- bodies */

/* Blanks every string and number in a node. The gate has limited its depth. */
static void blank_all(svc_node *node)
{
  svc_node *child;
  for (child = node->first; child; child = child->next) blank_all(child);
  if (node->type != SVC_J_STRING && node->type != SVC_J_NUMBER) return;
  node->type = SVC_J_STRING;
  node->text = SVC_S(BLANK);
}

static void blank_value(svc_node *value, const svc_field *f);

static void blank_object(svc_node *node, const svc_object *object)
{
  svc_node *member;
  object = object && node->type == SVC_J_OBJECT ? svc_object_of(object, node) : NULL;
  for (member = node->first; member; member = member->next) {
    const svc_field *f = object ? svc_field_named(object, member->name) : NULL;
    if (f && !blank_is_secret(member->name)) blank_value(member, f);
    else blank_all(member);
  }
  if (node->type != SVC_J_OBJECT) blank_all(node);
}

static bool blank_is_nested(const svc_node *node)
{
  return node->type == SVC_J_OBJECT || node->type == SVC_J_ARRAY;
}

/* A write-only text may be a secret; everything sealed is one; nested data that the tables do not describe may be anything. */
static void blank_value(svc_node *value, const svc_field *f)
{
  svc_node *item;
  bool nested = blank_is_nested(value), holds = f->type == SVC_OBJECT || f->type == SVC_ARRAY || f->type == SVC_MAP;
  if (f->flags & SVC_SEALED || f->type == SVC_ANY || (nested && !holds)) {
    blank_all(value);
  } else if (!nested) {
    if (value->type == SVC_J_STRING && f->flags & SVC_WRITE_ONLY && (f->type != SVC_STRING || !f->values)) blank_all(value);
  } else if (f->type == SVC_OBJECT) {
    blank_object(value, svc_field_object(f));
  } else {
    for (item = value->first; item; item = item->next) {
      if (f->item == SVC_OBJECT) blank_object(item, svc_field_object(f));
      else if (f->item == SVC_ANY || f->item == SVC_NAME || f->flags & SVC_WRITE_ONLY || blank_is_nested(item) || blank_is_secret(item->name)) blank_all(item);
    }
  }
}

/* Writes a body as JSON; a long body as a string with its beginning. */
static void blank_write(svc_buf *b, const svc_node *node)
{
  svc_buf text = svc_buf_new(b->arena, 1024);
  svc_node_write(&text, node);
  if (text.n <= BLANK_SHOWN) svc_buf_str(b, svc_buf_done(&text));
  else blank_string(b, svc_buf_done(&text), BLANK_SHOWN);
}

static void blank_not_shown(svc_buf *b, size_t n)
{
  svc_buf_text(b, "\"(");
  svc_buf_i64(b, (int64_t)n);
  svc_buf_text(b, " bytes, not shown)\"");
}

SVC_PRIVATE void svc_blank_request(svc_buf *b, svc_call *c)
{
  svc_str text = { c->request.raw->body, c->request.raw->body_length };
  const svc_object *object = c->plan ? svc_body_object(c) : NULL; /* NULL: no table describes it */
  svc_json_fault fault;
  svc_node *node = NULL, *item;
  if (text.n == 0) {
    svc_buf_text(b, "null");
    return;
  }
  if (text.n <= BLANK_PARSED && svc_json_gate(b->arena, text, SVC_BLANK_DEPTH, &fault)) node = svc_json_parse_gated(b->arena, text);
  if (!node) {
    blank_not_shown(b, text.n);
    return;
  }
  svc_turn_sent(c, b->arena, object, node, true); /* the tables have our words; the dialect's are restored below */
  if (node->type != SVC_J_ARRAY) blank_object(node, object);
  for (item = node->type == SVC_J_ARRAY ? node->first : NULL; item; item = item->next) blank_object(item, object);
  svc_turn_sent(c, b->arena, object, node, false);
  blank_write(b, node);
}

/* Our own word may reveal more than that of the dialect. */
SVC_PRIVATE bool svc_blank_hides(const svc *s, svc_str name)
{
  const svc_word *word = svc_word_theirs(s, SVC_WORD_FIELD, name);
  return blank_is_secret(name) || (word && blank_is_secret(word->ours));
}

/* Answers may be shown, except for secrets that are shown only once; links are long and not informative here. */
static void blank_shown(const svc *s, svc_node *node, int depth)
{
  svc_node *member;
  if (depth > SVC_BLANK_DEPTH) node->first = node->last = NULL;
  if (node->type == SVC_J_OBJECT) svc_node_drop(node, "links");
  for (member = node->first; member; member = member->next) {
    if (member->type == SVC_J_STRING && svc_blank_hides(s, member->name)) blank_all(member);
    else blank_shown(s, member, depth + 1);
  }
}

SVC_PRIVATE bool svc_blank_tree(svc_buf *b, const svc *s, svc_str text)
{
  svc_node *node = svc_json_parse(b->arena, text);
  if (!node || !blank_is_nested(node)) return false;
  blank_shown(s, node, 0);
  svc_node_write(b, node);
  return true;
}

static bool blank_is_json(const svc_response *r)
{
  const char *type = svc_response_header(r, "Content-Type");
  return SVC_ALWAYS(type) && strstr(type, "json");
}

SVC_PRIVATE void svc_blank_answer(svc_buf *b, svc_call *c, const svc_response *r)
{
  svc_str text = { r->body, r->body_length };
  bool secret = !c->error.code && (c->answer.secret || (SVC_ALWAYS(c->plan) && c->plan->route->flags & SVC_ABSOLUTE));
  size_t start = b->n;
  if (text.n == 0) {
    svc_buf_text(b, "null");
    return;
  }
  if (secret || text.n > BLANK_PARSED || !blank_is_json(r) || (!svc_blank_copy(b, c->s, text) && !svc_blank_tree(b, c->s, text))) {
    blank_not_shown(b, text.n);
    return;
  }
  if (b->n - start <= BLANK_SHOWN || b->failed) return;
  text = svc_arena_copy(b->arena, (svc_str){ b->p + start, BLANK_SHOWN + 1 }); /* a byte more, to see whether a character is cut */
  b->n = start;
  blank_string(b, text, BLANK_SHOWN);
}
