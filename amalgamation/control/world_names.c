/*
** Names in a world: resources that were created or found, and references to them.
**
** A reference is a whole string that begins with a dollar sign: "$shop.id". The rule: a reference names exactly one resource, or the world
** is refused. "as" gives a resource a name; without it a resource is known by its own name, as long as no other has the same. From every
** resource a path leads on to those nested in it: "$shop.clusters.main". The rest of the text is a field of the resource, as a GET shows
** it.
*/
#include "control/world_parts.h"

#define WORLD_RANDOM 18 /* random characters of a generated password; four constant ones follow: 22 in all */

SVC_PRIVATE svc_str svc_world_called(const svc_world_thing *t)
{
  return t->as.n ? t->as : t->name;
}

SVC_PRIVATE svc_world_thing *svc_world_add(svc_world *w, const svc_world_thing *thing)
{
  svc_world_thing *t = svc_arena_zero(w->arena, sizeof *t);
  if (!t) return NULL;
  *t = *thing;
  t->next = NULL;
  if (w->last_thing) w->last_thing->next = t;
  else w->things = t;
  return w->last_thing = t;
}

/* Whether the text begins with this name, and the name ends there. */
static bool world_names_begins(svc_str text, svc_str name)
{
  if (!name.n || text.n < name.n || memcmp(text.p, name.p, name.n) != 0) return false;
  return text.n == name.n || strchr("./:", text.p[name.n]) != NULL;
}

/* The resource with the longest name that the text begins with. The name is cut off the text. *several: more than one resource has it. */
static const svc_world_thing *world_names_first(const svc_world *w, svc_str *text, bool *several)
{
  const svc_world_thing *t, *found = NULL;
  size_t n = 0;
  *several = false;
  for (t = w->things; t; t = t->next) {
    svc_str name = svc_world_called(t);
    if (!world_names_begins(*text, name) || name.n < n) continue;
    if (name.n == n && found && found->as.n && !t->as.n) continue; /* a name given by "as" takes precedence */
    if (name.n > n || !found || (t->as.n && !found->as.n)) *several = false; /* the resources before have another name, or none by "as" */
    else if (!t->path.n || !svc_str_eq(t->path, found->path)) *several = true;
    n = name.n;
    found = t;
  }
  text->p += n;
  text->n -= n;
  return found;
}

/* ".clusters.main" behind a resource: one nested in it. NULL: the text continues differently. */
static const svc_world_thing *world_names_inside(const svc_world *w, const svc_world_thing *above, svc_str *text)
{
  const svc_world_thing *t, *found = NULL;
  svc_str rest = SVC_S("");
  if (!text->n || text->p[0] != '.') return NULL;
  for (t = w->things; t; t = t->next) {
    svc_str left = { text->p + 1, text->n - 1 };
    if (t->above != above || !world_names_begins(left, t->collection)) continue;
    left.p += t->collection.n, left.n -= t->collection.n;
    if (!left.n || left.p[0] != '.') continue;
    left.p++, left.n--;
    if (!world_names_begins(left, t->name) || (found && left.n - t->name.n >= rest.n)) continue;
    rest = (svc_str){ left.p + t->name.n, left.n - t->name.n };
    found = t;
  }
  if (found) *text = rest;
  return found;
}

/* The resource that a reference begins with; *text: the rest. NULL: refused. */
static const svc_world_thing *world_names_thing(svc_world *w, const svc_world_at *at, svc_str *text)
{
  const svc_str whole = *text;
  const svc_world_thing *t, *inside;
  bool several;
  t = world_names_first(w, text, &several);
  if (several)
    svc_world_refused(w, at, "$%.*s: several things have this name: give one of them another by \"as\"", (int)(whole.n - text->n), whole.p);
  else if (!t)
    svc_world_refused(w, at, "$%.*s: nothing has this name so far; a string that begins with a dollar sign is written with two of them",
                      (int)(whole.n < 200 ? whole.n : 200), whole.p);
  if (!t || several) return NULL;
  while ((inside = world_names_inside(w, t, text)) != NULL) t = inside;
  return t;
}

SVC_PRIVATE bool svc_world_target(svc_world *w, const svc_world_at *at, svc_str text, svc_str *path, const svc_world_thing **thing)
{
  const svc_world_thing *t;
  *thing = NULL;
  *path = text;
  if (text.n && text.p[0] == '/') return true;
  if (text.n < 2 || text.p[0] != '$') return svc_world_refused(w, at,
                                                               "this must be a reference such as \"$shop\", or a path such as \"/orgs\"");
  text.p++, text.n--;
  t = world_names_thing(w, at, &text);
  if (!t) return false;
  if (!t->path.n) return svc_world_refused(w, at, "no path of the API leads to this thing");
  if (text.n && text.p[0] == '.') return svc_world_refused(w, at, "%.*s: nothing of this name is nested in it", (int)text.n, text.p);
  if (!text.n) *thing = t;
  *path = svc_world_below(w, t->path, text);
  if (!text.n) *path = t->path;
  return !w->arena->failed ? true : svc_world_failed(w, SVC_NOMEM);
}

/* -------------------------------------------------------------------------------------------------------------- replacing */

SVC_PRIVATE svc_str svc_world_turned(svc_world *w, svc_str text)
{
  svc_buf b;
  size_t i = 0;
  if (!w->turn || text.n < 3) return text;
  b = svc_buf_new(w->arena, text.n + 8);
  while (i < text.n) {
    if (text.n - i >= 3 && memcmp(text.p + i, "{n}", 3) == 0) {
      svc_buf_i64(&b, w->turn);
      i += 3;
    } else {
      svc_buf_char(&b, text.p[i++]);
    }
  }
  return svc_buf_done(&b);
}

/* The resource as a GET shows it now; without a GET, as the answer to its own request showed it. */
static const svc_node *world_names_shown(svc_world *w, const svc_world_thing *t)
{
  svc_world_answer a;
  if (!t->path.n || !svc_world_plan(w->s, SVC_GET, t->path)) return t->shown;
  if (!svc_world_ask(w, SVC_GET, t->path, NULL, &a)) return NULL;
  return a.status == 200 && a.body ? a.body : t->shown;
}

/* ".a.0.b" in a value; NULL: not found. */
static const svc_node *world_names_field(const svc_node *node, svc_str rest)
{
  while (node && rest.n) {
    svc_str name;
    int64_t i;
    svc_str_cut(&rest, '.');
    name = svc_str_cut(&rest, '.');
    if (rest.n) rest.p--, rest.n++; /* each part begins with its dot */
    if (node->type == SVC_J_ARRAY) {
      if (!svc_str_i64(name, &i) || i < 0) return NULL;
      for (node = node->first; node && i--;) node = node->next;
    } else {
      node = svc_node_find(node, name);
    }
  }
  return node;
}

static svc_node *world_names_value(svc_world *w, const svc_world_at *at, svc_str text)
{
  const svc_str whole = text;
  const svc_world_thing *t = world_names_thing(w, at, &text);
  const svc_node *shown = t ? world_names_shown(w, t) : NULL, *found;
  if (!t) return NULL;
  found = world_names_field(shown, text.n ? text : SVC_S(".id"));
  if (!found && !text.n && t->name.n) return svc_node_new(w->arena, SVC_J_STRING, SVC_S(""), t->name);
  if (!found)
    svc_world_refused(w, at, "$%.*s: the thing has no such field", (int)(whole.n < 200 ? whole.n : 200), whole.p);
  return found ? svc_node_copy(w->arena, found) : NULL;
}

/* "$random": a new password that meets the usual rules for passwords. A second one for a member of the same name is "password-2". */
static svc_node *world_names_random(svc_world *w, svc_str member, svc_node **random)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned char bytes[WORLD_RANDOM];
  char text[WORLD_RANDOM + 8];
  svc_arena arena;
  svc_call c;
  svc_str made, name = member;
  size_t i;
  bool good;
  svc_service_call(&c, w->s, &arena, NULL, svc_now(w->s));
  good = svc_secret_bytes(&c, bytes, sizeof bytes);
  svc_blocks_free(arena.blocks);
  if (!good) return svc_world_failed(w, SVC_RANDOM), NULL;
  for (i = 0; i < sizeof bytes; i++) text[i] = letters[bytes[i] & 63];
  memcpy(text + i, "-aA1", 5);
  made = svc_arena_copy(w->arena, svc_str_c(text));
  svc_wipe(bytes, sizeof bytes);
  svc_wipe(text, sizeof text);
  if (!*random) *random = svc_node_object(w->arena, NULL);
  for (i = 2; svc_node_find(*random, name); i++) name = svc_arena_print(w->arena, SVC_FMT "-%zu", SVC_ARG(member), i);
  if (*random) svc_node_put(w->arena, *random, svc_node_new(w->arena, SVC_J_STRING, name, made));
  return svc_node_new(w->arena, SVC_J_STRING, SVC_S(""), made);
}

static svc_node *world_names_text(svc_world *w, const svc_world_at *at, const svc_node *node, svc_node **random)
{
  svc_str text = svc_world_turned(w, node->text);
  if (text.n < 2 || text.p[0] != '$') return svc_node_new(w->arena, SVC_J_STRING, SVC_S(""), text);
  text.p++, text.n--;
  if (text.p[0] == '$') return svc_node_new(w->arena, SVC_J_STRING, SVC_S(""), text);
  if (svc_str_is(text, "random")) return world_names_random(w, node->name, random);
  return world_names_value(w, at, text);
}

/* The gate limits the depth of the document, and so of this recursion. */
SVC_PRIVATE svc_node *svc_world_body(svc_world *w, const svc_world_at *at, const svc_node *body, svc_node **random)
{
  svc_node *out, *copy;
  const svc_node *m;
  size_t i = 0;
  if (body->type == SVC_J_STRING) {
    out = world_names_text(w, at, body, random);
  } else {
    out = svc_node_new(w->arena, body->type, SVC_S(""), body->text);
    for (m = body->first; m && out; m = m->next, i++) {
      svc_world_at here = body->type == SVC_J_OBJECT ? svc_world_member(at, m) : svc_world_element(at, i);
      copy = svc_world_body(w, &here, m, random);
      if (!copy) return NULL;
      copy->name = m->name;
      svc_node_append(out, copy);
    }
  }
  if (!out && w->error.rc == SVC_OK) svc_world_failed(w, SVC_NOMEM);
  return out;
}
