/*
** Places in the document of a world, for errors: lines and columns, and the path of members.
**
** A parsed value does not know its position, and only one is ever needed. So it is found by a walk through the text,
** which is JSON: the gate has checked it.
*/
#include "control/world_parts.h"

SVC_PRIVATE svc_world_at svc_world_member(const svc_world_at *up, const svc_node *member)
{
  return (svc_world_at){ up, member->name, 0 };
}

SVC_PRIVATE svc_world_at svc_world_element(const svc_world_at *up, size_t index)
{
  return (svc_world_at){ up, { NULL, 0 }, index };
}

/* A name without escapes is a slice of the document. */
static int world_text_before(const void *a, const void *b)
{
  const uintptr_t x = (uintptr_t)(*(const svc_node *const *)a)->name.p, y = (uintptr_t)(*(const svc_node *const *)b)->name.p;
  return (x > y) - (x < y);
}

SVC_PRIVATE const svc_node **svc_world_order(svc_world *w, const svc_node *object, size_t *count)
{
  const svc_node **all, *m;
  size_t i = 0;
  *count = svc_node_count(object);
  all = svc_arena_alloc(w->arena, (*count + 1) * sizeof *all);
  if (!all) return svc_world_failed(w, SVC_NOMEM), NULL;
  for (m = object->first; m; m = m->next) all[i++] = m;
  qsort(all, *count, sizeof *all, world_text_before);
  return all;
}

static const char *world_text_space(const char *p, const char *end)
{
  while (p < end && strchr(" \t\r\n,:", *p) && *p) p++;
  return p;
}

static const char *world_text_string(const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\') p++;
  return p < end ? p + 1 : end;
}

/* The position behind the value that begins here. */
static const char *world_text_behind(const char *p, const char *end)
{
  int depth = 0;
  do {
    if (*p == '"') {
      p = world_text_string(p, end);
      continue;
    }
    if (*p == '{' || *p == '[') depth++;
    if (*p == '}' || *p == ']') depth--;
    p++;
  } while (p < end && (depth > 0 || !strchr(" \t\r\n,:}]", *p)));
  return p;
}

/* The member of this name, or the element of this index: *key is its beginning, the result is its value. NULL: not found. */
static const char *world_text_find(svc_world *w, const char *p, const svc_world_at *step, const char **key)
{
  const char *end = w->text.p + w->text.n, *value;
  size_t i;
  if (p >= end || *p != (step->name.p ? '{' : '[')) return NULL;
  p = world_text_space(p + 1, end);
  for (i = 0; p < end && *p != '}' && *p != ']'; i++) {
    svc_str raw, name = SVC_S("");
    *key = value = p;
    if (step->name.p) {
      value = world_text_string(p, end);
      raw = (svc_str){ p + 1, (size_t)(value - p - 2) };
      if (!svc_json_unescape(w->arena, raw, &name)) return NULL;
      value = world_text_space(value, end);
    }
    if (step->name.p ? svc_str_eq(name, step->name) : i == step->index) return value;
    p = world_text_space(world_text_behind(value, end), end);
  }
  return NULL;
}

static size_t world_text_offset(svc_world *w, const svc_world_at *at)
{
  const svc_world_at *steps[SVC_WORLD_DEPTH];
  const char *end = w->text.p + w->text.n, *p = world_text_space(w->text.p, end), *key = p, *found;
  size_t n = 0;
  for (; at && at->up && n < SVC_WORLD_DEPTH; at = at->up) steps[n++] = at;
  while (n-- > 0) {
    found = world_text_find(w, p, steps[n], &key);
    if (!found) break;
    p = found;
  }
  return (size_t)(key - w->text.p);
}

static void world_text_place(svc_world *w, size_t offset)
{
  size_t i;
  w->error.line = w->error.column = 1;
  for (i = 0; i < offset && i < w->text.n; i++) {
    if (w->text.p[i] == '\n') {
      w->error.line++;
      w->error.column = 1;
    } else if (((unsigned char)w->text.p[i] & 0xC0) != 0x80) {
      w->error.column++;
    }
  }
}

/* "orgs[0].groups[1].clusters[0]" */
static void world_text_path(svc_buf *b, const svc_world_at *at, int depth)
{
  if (!at || !at->up || depth == SVC_WORLD_DEPTH) return;
  world_text_path(b, at->up, depth + 1);
  if (at->name.p) {
    if (b->n) svc_buf_char(b, '.');
    svc_buf_str(b, at->name);
    return;
  }
  svc_buf_char(b, '[');
  svc_buf_i64(b, (int64_t)at->index);
  svc_buf_char(b, ']');
}

SVC_PRIVATE bool svc_world_refuse(svc_world *w, const svc_world_at *at, const char *code, svc_str detail)
{
  svc_buf b = svc_buf_new(w->arena, 128);
  if (w->error.rc != SVC_OK) return false;
  world_text_path(&b, at, 0);
  world_text_place(w, world_text_offset(w, at));
  w->error.rc = SVC_INVALID;
  w->error.status = 400;
  w->error.path = svc_buf_done(&b);
  w->error.code = svc_arena_copy(w->arena, svc_str_c(code));
  w->error.detail = svc_arena_copy(w->arena, detail);
  return false;
}

SVC_PRIVATE bool svc_world_refused(svc_world *w, const svc_world_at *at, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return svc_world_refuse(w, at, "INVALID_WORLD", svc_str_c(text));
}

SVC_PRIVATE bool svc_world_answered(svc_world *w, const svc_world_at *at, const svc_world_answer *a)
{
  if (a->status < 400) return true;
  svc_world_refuse(w, at, a->code.p, a->detail);
  w->error.status = a->status;
  if (a->status >= 500) w->error.rc = a->status == 507 ? SVC_FULL : SVC_BUSY;
  return false;
}

SVC_PRIVATE bool svc_world_failed(svc_world *w, int rc)
{
  if (w->error.rc != SVC_OK) return false;
  w->error.rc = rc;
  w->error.status = rc == SVC_FULL ? 507 : 503;
  w->error.code = rc == SVC_FULL ? SVC_S("INSUFFICIENT_STORAGE") : SVC_S("SERVICE_UNAVAILABLE");
  w->error.detail = svc_str_c(svc_strerror(rc));
  return false;
}

SVC_PRIVATE bool svc_world_malformed(svc_world *w, const svc_json_fault *fault)
{
  svc_world_refuse(w, NULL, "MALFORMED_JSON", svc_str_c(fault->what));
  world_text_place(w, fault->at);
  return false;
}
