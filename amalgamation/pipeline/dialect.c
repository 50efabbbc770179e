/*
** The words of a dialect: svc_config.dialect, read and compared with the tables when a handle is opened.
**
** A dialect is {"vendor":"...","dbScheme":"...","fields":{"ours":"theirs"},"paths":{},"values":{},"codes":{}}. Each pair exchanges two
** words, but only where a table has ours: in objects with such a field, in lists with such a value. For example, the pair
** "dbVersion":"acmeVersion" renames dbVersion in every object that has it: there the wire has acmeVersion, and dbVersion is unknown. An
** object without dbVersion stays as it is, even if it has a field acmeVersion.
**
** The rule: an exchange is the same in both directions and loses nothing. To ensure that, each word is in one pair only, and no
** object, list, path or error code has both words of a pair. A dialect that breaks this is refused, with the word.
*/
#include "pipeline/pipeline.h"

#define DIALECT_DEPTH 3
#define DIALECT_LONGEST 128 /* maximum bytes of a word */
#define DIALECT_TOLD 100    /* bytes of a word that an error shows */

static const char *const dialect_members[SVC_WORD_KINDS] = { "fields", "paths", "values", "codes" };
static const char *const dialect_patterns[SVC_WORD_KINDS] = { "^[A-Za-z_][A-Za-z0-9_-]*$", "^:?[A-Za-z0-9_~-][A-Za-z0-9_.~-]*$",
                                                              "^[A-Za-z0-9_][A-Za-z0-9_ .:/()+-]*$", "^[A-Z][A-Z0-9_]*$" };

SVC_PRIVATE const char *svc_dialect_member(int kind)
{
  return dialect_members[kind];
}

/* A word of the file for the log: its beginning, with a question mark for each byte that is not plain ASCII. */
typedef struct dialect_told {
  char text[DIALECT_TOLD + 1];
} dialect_told;

static dialect_told dialect_tell(svc_str word)
{
  dialect_told told;
  size_t i, n = word.n < DIALECT_TOLD ? word.n : DIALECT_TOLD;
  for (i = 0; i < n; i++) told.text[i] = word.p[i] >= ' ' && word.p[i] <= '~' ? word.p[i] : '?';
  told.text[n] = '\0';
  return told;
}

static int dialect_bad(const svc *s, const char *member, svc_str word, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.dialect: %s: %s %s", member, dialect_tell(word).text, why);
  return SVC_INVALID;
}

static int dialect_bad_pair(const svc *s, int kind, const svc_word *word, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.dialect: %s: %s cannot be shown as %s: %s", dialect_members[kind], dialect_tell(word->ours).text,
          dialect_tell(word->theirs).text, why);
  return SVC_INVALID;
}

/* -------------------------------------------------------------------------------------------------------------- looking up */

/* By our words or by theirs. */
static const svc_word *dialect_find(const svc *s, int kind, svc_str text, bool theirs)
{
  const svc_words *words = s->dialect ? &s->dialect->kinds[kind] : NULL;
  size_t low = 0, high = words ? words->count : 0;
  while (low < high) {
    size_t at = (low + high) / 2;
    const svc_word *middle = theirs ? words->by_theirs[at] : &words->rows[at];
    int order = svc_str_order(text, theirs ? middle->theirs : middle->ours);
    if (order == 0) return middle;
    if (order < 0) high = at;
    else low = at + 1;
  }
  return NULL;
}

SVC_PRIVATE const svc_word *svc_word_ours(const svc *s, int kind, svc_str ours)
{
  return dialect_find(s, kind, ours, false);
}

SVC_PRIVATE const svc_word *svc_word_theirs(const svc *s, int kind, svc_str theirs)
{
  return dialect_find(s, kind, theirs, true);
}

/* ----------------------------------------------------------------------------------------------------------------- reading */

/* Reads one pair and validates the dialect's word. */
static int dialect_pair(svc *s, int kind, const svc_node *node, svc_word *out)
{
  bool verb = node->name.n && node->name.p[0] == ':';
  if (node->type != SVC_J_STRING) return dialect_bad(s, dialect_members[kind], node->name, "must be shown as a string");
  out->ours = svc_arena_copy(&s->memory, node->name);
  out->theirs = svc_arena_copy(&s->memory, node->text);
  if (s->memory.failed) return SVC_NOMEM;
  if (out->theirs.n > DIALECT_LONGEST || !svc_pattern_match(dialect_patterns[kind], out->theirs))
    return dialect_bad_pair(s, kind, out, "which is not such a word");
  if (kind == SVC_WORD_PATH && verb != (out->theirs.p[0] == ':')) return dialect_bad_pair(s, kind, out, "verbs, and only these, begin with a colon");
  if (kind == SVC_WORD_FIELD && svc_str_is(out->theirs, "links")) return dialect_bad_pair(s, kind, out, "every answer has links of its own");
  return SVC_OK;
}

static int dialect_pairs(svc *s, int kind, const svc_node *node)
{
  svc_words *words = &s->dialect->kinds[kind];
  const svc_node *pair;
  int rc = SVC_OK;
  if (node->type != SVC_J_OBJECT) return dialect_bad(s, "dialect", node->name, "must be an object");
  words->rows = svc_arena_zero(&s->memory, svc_node_count(node) * sizeof *words->rows + 1);
  if (!words->rows) return SVC_NOMEM;
  for (pair = node->first; pair && rc == SVC_OK; pair = pair->next) rc = dialect_pair(s, kind, pair, &words->rows[words->count++]);
  return rc;
}

/* A setting of svc_config that the dialect may contain: the host leaves it out, or sets the same value. */
static int dialect_setting(svc *s, const svc_node *node, const char **setting)
{
  if (node->type != SVC_J_STRING) return dialect_bad(s, "dialect", node->name, "must be a string");
  if (*setting && !svc_str_is(node->text, *setting)) {
    svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.dialect: the " SVC_FMT " of the dialect is %s, and svc_config has %.100s: leave one of them out",
            SVC_ARG(node->name), dialect_tell(node->text).text, *setting);
    return SVC_INVALID;
  }
  *setting = svc_arena_copy(&s->memory, node->text).p;
  return s->memory.failed ? SVC_NOMEM : SVC_OK;
}

static int dialect_member(svc *s, const svc_node *node)
{
  int kind;
  for (kind = 0; kind < SVC_WORD_KINDS; kind++)
    if (svc_str_is(node->name, dialect_members[kind])) return dialect_pairs(s, kind, node);
  if (svc_str_is(node->name, "vendor")) return dialect_setting(s, node, &s->config.vendor);
  if (svc_str_is(node->name, "dbScheme")) return dialect_setting(s, node, &s->config.db_scheme);
  return dialect_bad(s, "dialect", node->name, "is not a member of a dialect: use vendor, dbScheme, fields, paths, values, codes");
}

/* Logs a fault in the JSON, with the text that follows it: for a duplicate key, that text is the key. */
static int dialect_malformed(const svc *s, svc_str text, const svc_json_fault *fault)
{
  svc_str rest = { text.p + fault->at, text.n - fault->at };
  rest.n = strcspn(rest.p, "\n\r");
  if (s->memory.failed) return SVC_NOMEM;
  svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.dialect is invalid JSON at byte %zu: %s: %s", fault->at, fault->what, dialect_tell(rest).text);
  return SVC_INVALID;
}

SVC_PRIVATE int svc_dialect_open(svc *s)
{
  svc_str text = svc_arena_copy(&s->memory, svc_str_c(s->config.dialect));
  svc_json_fault fault = { 0, "" };
  const svc_node *body, *member;
  int rc = SVC_OK;
  if (!s->config.dialect) return SVC_OK;
  s->config.dialect = NULL; /* the host's string, no longer needed */
  s->dialect = svc_arena_zero(&s->memory, sizeof *s->dialect);
  if (s->memory.failed) return SVC_NOMEM;
  s->dialect->mark = (uint32_t)svc_body_revision(text);
  if (!svc_json_gate(&s->memory, text, DIALECT_DEPTH, &fault)) return dialect_malformed(s, text, &fault);
  body = svc_json_parse_gated(&s->memory, text);
  if (!body) return SVC_NOMEM;
  if (body->type != SVC_J_OBJECT) return dialect_malformed(s, text, &(svc_json_fault){ 0, "it must be an object" });
  for (member = body->first; member && rc == SVC_OK; member = member->next) rc = dialect_member(s, member);
  return rc;
}

/* ---------------------------------------------------------------------------------------------------------------- ordering */

static int dialect_by_ours(const void *left, const void *right)
{
  const svc_word *a = left, *b = right;
  return svc_str_order(a->ours, b->ours);
}

static int dialect_by_theirs(const void *left, const void *right)
{
  const svc_word *const *a = left, *const *b = right;
  return svc_str_order((*a)->theirs, (*b)->theirs);
}

static int dialect_sort(svc *s, int kind)
{
  svc_words *words = &s->dialect->kinds[kind];
  size_t i;
  for (i = 0; kind == SVC_WORD_VALUE && i < words->count; i++)
    words->rows[i].ours = svc_value_text(s, &s->memory, words->rows[i].ours.p);
  words->by_theirs = svc_arena_alloc(&s->memory, words->count * sizeof *words->by_theirs + 1);
  if (s->memory.failed) return SVC_NOMEM;
  if (!words->count) return SVC_OK;
  qsort(words->rows, words->count, sizeof *words->rows, dialect_by_ours);
  for (i = 0; i < words->count; i++) words->by_theirs[i] = &words->rows[i];
  qsort(words->by_theirs, words->count, sizeof *words->by_theirs, dialect_by_theirs);
  for (i = 1; i < words->count; i++) {
    if (svc_str_eq(words->rows[i].ours, words->rows[i - 1].ours)) return dialect_bad_pair(s, kind, &words->rows[i], "the word appears twice");
    if (svc_str_eq(words->by_theirs[i]->theirs, words->by_theirs[i - 1]->theirs))
      return dialect_bad_pair(s, kind, words->by_theirs[i], "another word of ours is shown so");
  }
  return SVC_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- checking */

/* A walk over all tables that visits each object once, since many are shared. */
typedef struct dialect_walk {
  svc *s;
  svc_arena *scratch;
  const svc_object **seen;
  size_t count, room;
  int rc;
} dialect_walk;

/* Notes a word of a table. Returns its pair; NULL: not renamed. */
static svc_word *dialect_met(const dialect_walk *w, int kind, svc_str ours)
{
  svc_word *word = (svc_word *)(uintptr_t)svc_word_ours(w->s, kind, ours);
  if (word) word->known = true;
  return word;
}

static void dialect_refuse(dialect_walk *w, int kind, const svc_word *word, const char *why)
{
  if (w->rc == SVC_OK) w->rc = dialect_bad_pair(w->s, kind, word, why);
}

static void dialect_list(dialect_walk *w, const char *const *values)
{
  const char *const *v;
  for (v = values; v && *v; v++) {
    const svc_word *word = dialect_met(w, SVC_WORD_VALUE, svc_value_text(w->s, w->scratch, *v));
    if (word && svc_value_in(w->s, word->theirs, values)) dialect_refuse(w, SVC_WORD_VALUE, word, "the same list has both");
  }
}

/* Whether the object was visited; marks it. */
static bool dialect_seen(dialect_walk *w, const svc_object *object)
{
  size_t i;
  for (i = 0; i < w->count; i++)
    if (w->seen[i] == object) return true;
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 512;
    const svc_object **grown = svc_arena_alloc(w->scratch, room * sizeof *grown);
    if (!grown) return true; /* the arena remembers the failure */
    if (w->count) memcpy(grown, w->seen, w->count * sizeof *grown);
    w->seen = grown;
    w->room = room;
  }
  w->seen[w->count++] = object;
  return false;
}

/* whole: the union of this variant, or the object itself. A body that does not name its variant may have the fields of all. */
static void dialect_object(dialect_walk *w, const svc_object *object, const svc_object *whole)
{
  const svc_variant *v;
  const svc_field *f;
  svc_fields fields;
  if (!object || dialect_seen(w, object)) return;
  for (v = SVC_VARIANTS_OF(object); v && v->value; v++) dialect_object(w, v->object, whole);
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    const svc_word *word = dialect_met(w, SVC_WORD_FIELD, svc_str_c(f->name));
    if (word && (svc_field_somewhere(whole, word->theirs) || svc_field_named(object, word->theirs)))
      dialect_refuse(w, SVC_WORD_FIELD, word, "the same object has both");
    if (f->type != SVC_INT32) dialect_list(w, f->values);
    dialect_object(w, svc_field_object(f), svc_field_object(f));
  }
}

static void dialect_events(dialect_walk *w)
{
  svc_event_type type, other;
  memset(&type, 0, sizeof type);
  while (svc_event_type_next(&type)) {
    svc_word *word = dialect_met(w, SVC_WORD_VALUE, svc_value_text(w->s, w->scratch, type.name));
    if (!word) continue;
    word->event = true;
    memset(&other, 0, sizeof other);
    while (svc_event_type_next(&other))
      if (svc_value_is(w->s, word->theirs, other.name)) dialect_refuse(w, SVC_WORD_VALUE, word, "both are types of events");
  }
}

/* The next part of a path that can be renamed: a segment, or a verb with its colon. *rest: the text behind it. */
static svc_str dialect_part(const char **rest)
{
  const char *p = *rest;
  size_t n;
  while (*p == '/' || *p == '{') p += *p == '{' ? strcspn(p, "}") + 1 : 1;
  n = *p ? 1 + strcspn(p + 1, "/:{?") : 0;
  *rest = p + n;
  return (svc_str){ p, n };
}

static void dialect_path(dialect_walk *w, const char *path)
{
  svc_str part;
  while ((part = dialect_part(&path)).n) dialect_met(w, SVC_WORD_PATH, part);
}

/* Refuses a word of the dialect that a path of ours has. */
static void dialect_path_again(dialect_walk *w, const char *path)
{
  const svc_word *word;
  svc_str part;
  while ((part = dialect_part(&path)).n)
    if ((word = svc_word_theirs(w->s, SVC_WORD_PATH, part)) != NULL) dialect_refuse(w, SVC_WORD_PATH, word, "other paths have that");
}

static void dialect_noun(dialect_walk *w, const svc_noun *noun)
{
  const svc_param *p;
  size_t i;
  dialect_object(w, noun->object, noun->object);
  for (i = 0; i < noun->route_count; i++) {
    const svc_route *r = &noun->routes[i];
    dialect_object(w, r->body, r->body);
    dialect_object(w, r->answer, r->answer);
    for (p = r->params; p && p->name; p++) dialect_list(w, p->values);
    if (r->flags & SVC_ABSOLUTE) continue;
    dialect_path(w, r->path);
    dialect_path_again(w, r->path);
  }
}

static void dialect_codes(dialect_walk *w)
{
  int code = SVC_E_NONE;
  const svc_word *word;
  while ((code = svc_error_next(code)) != SVC_E_NONE) {
    word = dialect_met(w, SVC_WORD_CODE, svc_str_c(svc_error_name(code)));
    if (word && svc_error_named(word->theirs.p)) dialect_refuse(w, SVC_WORD_CODE, word, "another error has that code");
  }
}

/* Refuses words that no table has. */
static void dialect_unknown(dialect_walk *w)
{
  static const char *const what[SVC_WORD_KINDS] = { "is not a field of any object", "is not a segment or verb of any path",
                                                    "is not a value of any field or parameter, nor an event type", "is not an error code" };
  int kind;
  size_t i;
  for (kind = 0; kind < SVC_WORD_KINDS && w->rc == SVC_OK; kind++)
    for (i = 0; i < w->s->dialect->kinds[kind].count && w->rc == SVC_OK; i++)
      if (!w->s->dialect->kinds[kind].rows[i].known)
        w->rc = dialect_bad(w->s, dialect_members[kind], w->s->dialect->kinds[kind].rows[i].ours, what[kind]);
}

SVC_PRIVATE int svc_dialect_check(svc *s)
{
  dialect_walk w = { s, NULL, NULL, 0, 0, SVC_OK };
  svc_arena scratch;
  const svc_noun *const *nouns;
  size_t i, count;
  int kind;
  if (!s->dialect) return SVC_OK;
  for (kind = 0; kind < SVC_WORD_KINDS && w.rc == SVC_OK; kind++) w.rc = dialect_sort(s, kind);
  if (w.rc != SVC_OK) return w.rc;
  svc_arena_init(&scratch, &s->allocator);
  w.scratch = &scratch;
  nouns = svc_catalog(&count);
  for (i = 0; i < count; i++) dialect_noun(&w, nouns[i]);
  dialect_events(&w);
  dialect_codes(&w);
  if (scratch.failed) w.rc = SVC_NOMEM;
  dialect_unknown(&w);
  svc_blocks_free(scratch.blocks);
  return w.rc;
}

SVC_PRIVATE svc_str svc_shown_target(const svc *s, svc_arena *a, svc_str path)
{
  const char *rest = path.p, *from = rest;
  svc_buf b = svc_buf_new(a, 96);
  svc_str part;
  while ((part = dialect_part(&rest)).n) {
    const svc_word *word = svc_word_ours(s, SVC_WORD_PATH, part);
    svc_buf_add(&b, from, (size_t)(part.p - from));
    svc_buf_str(&b, word ? word->theirs : part);
    from = rest;
  }
  svc_buf_text(&b, from);
  return svc_buf_done(&b);
}

SVC_PRIVATE const char *svc_shown_path(svc *s, const svc_route *route)
{
  if (!s->dialect || route->flags & SVC_ABSOLUTE) return route->path;
  return svc_shown_target(s, &s->memory, svc_str_c(route->path)).p;
}
