/*
** Translation of bodies: requests from the dialect's words to ours, answers from ours to the dialect's.
**
** The tables of fields guide it, so the users' own data stays unchanged: free-form JSON, keys of maps, and strings of fields without listed
** values. The two words of a pair are exchanged in both directions: a renamed word of ours in a request becomes the other word,
** which no table has, and is refused as unknown. Members are sorted by their names on each side.
*/
#include "pipeline/pipeline.h"

#define TURN_DEPTH 8 /* depth up to which objects are searched for the dialect's words: an object may contain itself */

typedef struct turn {
  const svc *s;
  svc_arena *arena;
  bool shown; /* the input is in the dialect's words; false: in ours */
} turn;

static void turn_object(const turn *t, const svc_object *object, svc_node *node);

/* ------------------------------------------------------------------------------------------------------------------- words */

SVC_PRIVATE const svc_field *svc_field_somewhere(const svc_object *object, svc_str name)
{
  const svc_variant *v = object ? SVC_VARIANTS_OF(object) : NULL;
  const svc_field *found = v ? NULL : svc_field_named(object, name);
  for (; v && v->value && !found; v++) found = svc_field_somewhere(v->object, name);
  return found;
}

static bool turn_has_events(const svc_field *f)
{
  return f->flags & (SVC_GROUP_EVENTS | SVC_ORG_EVENTS);
}

/* Whether the field lists the value under our word. */
static bool turn_knows(const svc *s, const svc_field *f, const svc_word *word)
{
  return word && ((f->values && svc_value_in(s, word->ours, f->values)) || (turn_has_events(f) && word->event));
}

SVC_PRIVATE svc_str svc_turned_value(const svc *s, const svc_field *f, svc_str text)
{
  const svc_word *word;
  if (!s->dialect || (!f->values && !turn_has_events(f))) return text;
  word = svc_word_ours(s, SVC_WORD_VALUE, text);
  if (turn_knows(s, f, word)) return word->theirs;
  word = svc_word_theirs(s, SVC_WORD_VALUE, text);
  return turn_knows(s, f, word) ? word->ours : text;
}

SVC_PRIVATE svc_str svc_turned_event(const svc *s, svc_str type)
{
  static const svc_field any = { .flags = SVC_GROUP_EVENTS | SVC_ORG_EVENTS };
  return svc_turned_value(s, &any, type);
}

/* The name of a member on the other side. */
static svc_str turn_name(const svc *s, const svc_object *object, svc_str name)
{
  const svc_word *word = svc_word_ours(s, SVC_WORD_FIELD, name);
  if (word && svc_field_somewhere(object, word->ours)) return word->theirs;
  word = svc_word_theirs(s, SVC_WORD_FIELD, name);
  return word && svc_field_somewhere(object, word->ours) ? word->ours : name;
}

/* ------------------------------------------------------------------------------------------------------------------ bodies */

/* The variant of a union that the body selects, in either language; the union itself if the body does not say. */
static const svc_object *turn_variant(const turn *t, const svc_object *object, const svc_node *node)
{
  const svc_object *found = object;
  while (svc_object_ext_of(found)->choice) {
    const svc_choice *choice = svc_object_ext_of(found)->choice;
    svc_str by = svc_str_c(choice->by);
    const svc_node *sent = svc_node_find(node, t->shown ? svc_shown_field(t->s, by) : by);
    svc_node ours;
    const svc_word *word = t->shown && sent ? svc_word_theirs(t->s, SVC_WORD_VALUE, sent->text) : NULL;
    const svc_object *variant = NULL;
    if (word) {
      ours = *sent;
      ours.text = word->ours;
      variant = svc_variant_of(found, &ours);
    }
    if (!variant) variant = svc_variant_of(found, sent);
    if (!variant) return object;
    found = variant;
  }
  return found;
}

static void turn_value(const turn *t, const svc_field *f, int type, svc_node *node)
{
  svc_node *item;
  if (f->flags & SVC_PLACE && node->type == SVC_J_STRING) node->text = svc_shown_place_in(t->s, t->arena, NULL, node->text);
  else if ((type == SVC_STRING || type == SVC_NAME) && node->type == SVC_J_STRING) node->text = svc_turned_value(t->s, f, node->text);
  else if (type == SVC_OBJECT || (type == SVC_ANY && svc_field_object(f))) turn_object(t, svc_field_object(f), node);
  else if ((type == SVC_ARRAY && node->type == SVC_J_ARRAY) || (type == SVC_MAP && node->type == SVC_J_OBJECT))
    for (item = node->first; item; item = item->next) turn_value(t, f, f->item, item);
}

/* Moves renamed members to their sorted positions. */
static void turn_sort(const turn *t, svc_node *object, svc_node *renamed)
{
  svc_node *next;
  for (; renamed; renamed = next) {
    next = renamed->next;
    renamed->next = NULL;
    svc_node_put(t->arena, object, renamed);
  }
}

static void turn_object(const turn *t, const svc_object *object, svc_node *node)
{
  svc_node *member, *next, *renamed = NULL;
  if (node->type != SVC_J_OBJECT) return;
  object = turn_variant(t, object, node);
  member = node->first;
  node->first = node->last = NULL;
  for (; member; member = next) {
    svc_str name = turn_name(t->s, object, member->name);
    const svc_field *f = svc_field_somewhere(object, t->shown ? name : member->name);
    bool same = svc_str_eq(name, member->name);
    next = member->next;
    if (f) turn_value(t, f, f->type, member);
    member->name = name;
    member->next = renamed;
    if (same) svc_node_append(node, member);
    else renamed = member;
  }
  turn_sort(t, node, renamed);
}

/* ---------------------------------------------------------------------------------------------------------------- requests */

/* A whole body: an object, or an array of objects. */
static void turn_whole(const turn *t, const svc_object *object, svc_node *body)
{
  svc_node *item;
  if (!object) return;
  if (body->type != SVC_J_ARRAY) turn_object(t, object, body);
  else for (item = body->first; item; item = item->next) turn_object(t, object, item);
}

SVC_PRIVATE void svc_turn_body(svc_call *c, const svc_object *object)
{
  const turn t = { c->s, c->arena, true };
  turn_whole(&t, object, c->body);
}

SVC_PRIVATE void svc_turn_sent(const svc_call *c, svc_arena *a, const svc_object *object, svc_node *body, bool shown)
{
  const turn t = { c->s, a, shown };
  if (c->s->dialect && !c->own_words) turn_whole(&t, object, body);
}

/* Keys in a path may be sent in our words, too, because links have them. A field in the path is translated like one of a body. */
SVC_PRIVATE void svc_turn_path(svc_call *c)
{
  const svc_plan *plan = c->plan;
  unsigned i;
  for (i = 0; i < plan->hop_count; i++) {
    const svc_noun *noun = plan->hops[i].noun->noun;
    const svc_field *f = plan->hops[i].param_count == 1 ? svc_field_somewhere(noun->object, svc_str_c(noun->key)) : NULL;
    svc_str *given = &c->route.params[plan->hops[i].param];
    if (f && svc_word_theirs(c->s, SVC_WORD_VALUE, *given)) *given = svc_turned_value(c->s, f, *given);
  }
  if (plan->in_path >= 0) c->route.params[plan->in_path] = svc_turned_value(c->s, plan->in_path_field, c->route.params[plan->in_path]);
}

static svc_field turn_param(const svc_param *p)
{
  svc_field like;
  memset(&like, 0, sizeof like);
  like.values = p->type == SVC_STRING ? p->values : NULL;
  like.flags = p->flags & SVC_PARAM_EVENTS ? SVC_GROUP_EVENTS | SVC_ORG_EVENTS : 0;
  return like;
}

SVC_PRIVATE void svc_turn_query(svc_call *c, svc_query_value *v)
{
  svc_field like = turn_param(v->param);
  v->text = svc_turned_value(c->s, &like, v->text);
}

SVC_PRIVATE svc_str svc_shown_query(const svc_call *c, const svc_query_value *v)
{
  svc_field like;
  if (!c->s->dialect) return v->text;
  like = turn_param(v->param);
  return svc_turned_value(c->s, &like, v->text);
}

/* ----------------------------------------------------------------------------------------------------------------- answers */

/* Whether the dialect renames one of these words. */
static bool turn_touches_list(const svc *s, const svc_field *f)
{
  const svc_words *words = &s->dialect->kinds[SVC_WORD_VALUE];
  size_t i;
  for (i = 0; i < words->count; i++)
    if (turn_knows(s, f, &words->rows[i])) return true;
  return false;
}

static bool turn_touches_field(const svc *s, const svc_field *f)
{
  return f->flags & SVC_PLACE || svc_word_ours(s, SVC_WORD_FIELD, svc_str_c(f->name)) || ((f->values || turn_has_events(f)) && turn_touches_list(s, f));
}

/* Whether an answer of this object can contain a renamed word. */
static bool turn_touches(const svc *s, const svc_object *object, int depth)
{
  const svc_variant *v = object ? SVC_VARIANTS_OF(object) : NULL;
  const svc_field *f;
  svc_fields fields;
  bool found = false;
  if (!object || depth == TURN_DEPTH) return false;
  for (; v && v->value && !found; v++) found = turn_touches(s, v->object, depth + 1);
  svc_fields_begin(&fields, object);
  while (!found && (f = svc_fields_next(&fields)) != NULL) found = turn_touches_field(s, f) || turn_touches(s, svc_field_object(f), depth + 1);
  return found;
}

/* The answer's object; a GET that is not ready answers like the POST of its noun. */
static const svc_object *turn_answer_of(const svc *s, const svc_plan *plan, int status)
{
  const svc_route *r = plan->route;
  size_t i = 0;
  bool other = r->method == SVC_GET && r->also && r->also == status;
  while (other && i < s->plan_count && (s->plans[i].noun != plan->noun || s->plans[i].route->method != SVC_POST)) i++;
  if (other && SVC_ALWAYS(i < s->plan_count)) r = s->plans[i].route;
  return r->answer ? r->answer : plan->noun->noun->object;
}

SVC_PRIVATE bool svc_dialect_touches(const svc *s, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  const svc_older *v;
  if (!s->dialect || svc_route_ext_of(r)->media || r->flags & (SVC_TEXT | SVC_EMPTY_OBJECT)) return false;
  for (v = r->older; v && v->date; v++)
    if (turn_touches(s, v->answer, 0)) return true;
  return turn_touches(s, turn_answer_of(s, plan, 0), 0) || (r->also && turn_touches(s, turn_answer_of(s, plan, r->also), 0));
}

/* A resource, or the value of one of its fields. */
static void turn_text(const turn *t, const svc_object *object, const svc_field *value, svc_str text, svc_buf *out)
{
  svc_node *node = svc_json_parse(t->arena, text);
  if (!node) {
    svc_buf_str(out, text); /* out of memory, which the arena remembers */
    return;
  }
  if (value) turn_value(t, value, value->type, node);
  else turn_object(t, object, node);
  svc_node_write(out, node);
}

/* Items are translated one by one: the parser limits the depth of a body, and a list adds levels around it. */
static void turn_items(const turn *t, const svc_object *object, const svc_field *value, svc_str list, svc_buf *out)
{
  const char *p = list.p + 1, *end = list.p + list.n - 1;
  svc_buf_char(out, '[');
  while (p < end) {
    const char *behind = svc_json_behind(p, end);
    turn_text(t, object, value, (svc_str){ p, (size_t)(behind - p) }, out);
    if (behind < end) svc_buf_char(out, ',');
    p = behind + 1;
  }
  svc_buf_char(out, ']');
}

/* The part of an answer that the tables describe: the content of an envelope or a page. */
static svc_str turn_content(const svc_call *c, svc_str body)
{
  const unsigned flags = c->plan->route->flags;
  svc_str inside = SVC_S("");
  if (flags & SVC_PAGED) inside = svc_json_member(body, SVC_S("results"));
  else if (c->query.envelope) inside = svc_json_member(body, SVC_S("content"));
  return inside.n ? inside : body;
}

SVC_PRIVATE svc_str svc_turn_answer(svc_call *c, svc_str body)
{
  const turn t = { c->s, c->arena, false };
  const svc_route *r = c->plan->route;
  const svc_object *older = c->route.older ? c->route.older->answer : NULL;
  const svc_object *object = older ? older : turn_answer_of(c->s, c->plan, c->answer.status);
  const svc_field *value = svc_route_ext_of(r)->value ? svc_field_somewhere(object, svc_str_c(svc_route_ext_of(r)->value)) : NULL;
  svc_str content = turn_content(c, body);
  svc_buf b = svc_buf_new(c->arena, body.n + body.n / 8 + 64);
  if (content.n == 0) return body;
  svc_buf_add(&b, body.p, (size_t)(content.p - body.p));
  if (content.p[0] == '[' && r->flags & (SVC_PAGED | SVC_BARE)) turn_items(&t, object, value, content, &b);
  else turn_text(&t, object, value, content, &b);
  svc_buf_add(&b, content.p + content.n, (size_t)(body.p + body.n - content.p) - content.n);
  return svc_buf_done(&b);
}

/* --------------------------------------------------------------------------------------------------------------- documents */

SVC_PRIVATE svc_node *svc_turn_shown(const svc *s, svc_arena *a, const svc_field *f, svc_node *value)
{
  const turn t = { s, a, false };
  if (s->dialect && value) turn_value(&t, f, f->type, value);
  return value;
}

SVC_PRIVATE svc_node *svc_turn_example(const svc *s, svc_arena *a, const svc_object *object, const char *example)
{
  const turn t = { s, a, false };
  svc_node *node = svc_json_parse(a, svc_str_c(example));
  if (node) turn_whole(&t, object, node);
  return node;
}
