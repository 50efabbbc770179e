/*
** Words and texts in the dialect, as callers see them.
**
** The rule: only words of tables and our own texts are translated here. Input of callers is put into a text afterwards.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE svc_str svc_shown_field(const svc *s, svc_str name)
{
  const svc_word *word = svc_word_ours(s, SVC_WORD_FIELD, name);
  return word ? word->theirs : name;
}

SVC_PRIVATE svc_str svc_shown_value(const svc *s, svc_arena *a, const char *value)
{
  svc_str text = svc_value_text(s, a, value);
  const svc_word *word = svc_word_ours(s, SVC_WORD_VALUE, text);
  return word ? word->theirs : text;
}

SVC_PRIVATE svc_str svc_shown_word(const svc *s, svc_arena *a, svc_str value)
{
  char text[64];
  svc_str shown;
  if (value.n >= sizeof text) return value;
  memcpy(text, value.p, value.n);
  text[value.n] = '\0';
  shown = svc_shown_value(s, a, text);
  return shown.p == text ? value : shown;
}

SVC_PRIVATE const char *svc_shown_code(const svc *s, int code)
{
  const char *name = svc_error_name(code);
  const svc_word *word = svc_word_ours(s, SVC_WORD_CODE, svc_str_c(name));
  return word ? word->theirs.p : name;
}

/* Our own name of a renamed code is not a code. */
SVC_PRIVATE int svc_code_shown(const svc *s, const char *name)
{
  const svc_word *word = svc_word_theirs(s, SVC_WORD_CODE, svc_str_c(name));
  if (svc_word_ours(s, SVC_WORD_CODE, svc_str_c(name))) return SVC_E_NONE;
  return svc_error_named(word ? word->ours.p : name);
}

/* ------------------------------------------------------------------------------------------------------------------ places */

/* The next name of "specs[0].name", with the brackets behind it in *index. */
static svc_str shown_step(svc_str *rest, svc_str *index)
{
  svc_str name = svc_str_cut(rest, '.');
  const char *open = name.n ? memchr(name.p, '[', name.n) : NULL;
  size_t n = open ? (size_t)(open - name.p) : name.n;
  *index = (svc_str){ name.p + n, name.n - n };
  return (svc_str){ name.p, n };
}

/* A name that is not a field of the body was sent by the caller: translated back. */
static svc_str shown_name(const svc *s, svc_str name)
{
  const svc_word *word = svc_word_ours(s, SVC_WORD_FIELD, name);
  if (word) return word->theirs;
  word = svc_word_theirs(s, SVC_WORD_FIELD, name);
  return word ? word->ours : name;
}

/* Keys of a map, and everything in free-form JSON, are shown as sent. */
SVC_PRIVATE svc_str svc_shown_place_in(const svc *s, svc_arena *a, const svc_object *object, svc_str path)
{
  svc_buf b = svc_buf_new(a, path.n + 32);
  bool free = false, key = false;
  while (path.n) {
    svc_str index, name = shown_step(&path, &index);
    const svc_field *f = free || key ? NULL : svc_field_somewhere(object, name);
    if (b.n) svc_buf_char(&b, '.');
    svc_buf_str(&b, free || key ? name : shown_name(s, name));
    svc_buf_str(&b, index);
    free = free || (f && f->type == SVC_ANY && !svc_field_object(f)) || (key && !object);
    key = f && f->type == SVC_MAP;
    if (f) object = svc_field_object(f);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_shown_place(svc_call *c, svc_str path)
{
  return c->s->dialect ? svc_shown_place_in(c->s, c->arena, c->plan ? svc_body_object(c) : NULL, path) : path;
}

/* ------------------------------------------------------------------------------------------------------------------- texts */

static bool shown_in_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool shown_has_capital(svc_str word)
{
  size_t i;
  for (i = 0; i < word.n; i++)
    if (word.p[i] >= 'A' && word.p[i] <= 'Z') return true;
  return false;
}

static svc_str shown_word(const svc *s, svc_str text)
{
  static const int kinds[] = { SVC_WORD_FIELD, SVC_WORD_VALUE, SVC_WORD_CODE };
  size_t i;
  if (!shown_has_capital(text)) return text;
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const svc_word *word = svc_word_ours(s, kinds[i], text);
    if (word) return word->theirs;
  }
  return text;
}

SVC_PRIVATE svc_str svc_shown_text(const svc *s, svc_arena *a, svc_str text)
{
  svc_buf b;
  size_t i = 0, n;
  if (!s->dialect) return text;
  b = svc_buf_new(a, text.n + 64);
  while (i < text.n) {
    for (n = 0; i + n < text.n && shown_in_word(text.p[i + n]);) n++;
    if (n) svc_buf_str(&b, shown_word(s, (svc_str){ text.p + i, n }));
    else svc_buf_char(&b, text.p[i]);
    i += n ? n : 1;
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_say(svc_call *c, const char *format, ...)
{
  const char *shown = svc_shown_text(c->s, c->arena, svc_str_c(format)).p;
  va_list args, again;
  char *text;
  int n;
  va_start(args, format);
  va_copy(again, args);
  n = vsnprintf(NULL, 0, shown, args);
  text = SVC_ALWAYS(n >= 0) ? svc_arena_alloc(c->arena, (size_t)n + 1) : NULL;
  if (text) vsnprintf(text, (size_t)n + 1, shown, again);
  va_end(again);
  va_end(args);
  return text ? (svc_str){ text, (size_t)n } : SVC_S("");
}
