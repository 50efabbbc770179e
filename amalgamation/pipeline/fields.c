/*
** The tables of fields: an object with its base objects, and the variants of a union.
**
** The rule: code that reads the fields of a body calls svc_object_of() first. A union has no fields of its own; the variant
** that the body selects applies, or the default one.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE const svc_object *svc_variant_of(const svc_object *object, const svc_node *by)
{
  const svc_variant *v = svc_object_ext_of(object)->choice->variants;
  svc_str value = by && by->type == SVC_J_STRING ? by->text : svc_str_c(by ? NULL : svc_object_ext_of(object)->choice->otherwise);
  while (v->value && !svc_str_is(value, v->value)) v++;
  return v->object; /* NULL in the last row */
}

SVC_PRIVATE const svc_object *svc_object_of(const svc_object *object, const svc_node *body)
{
  while (object && svc_object_ext_of(object)->choice) /* a variant may be a union itself */
    object = svc_variant_of(object, svc_node_get(body, svc_object_ext_of(object)->choice->by));
  return object;
}

SVC_PRIVATE void svc_fields_begin(svc_fields *f, const svc_object *object)
{
  f->count = 0;
  for (; object && f->count < SVC_FIELD_LEVELS; object = object->base) {
    if (!object->count) continue;
    f->at[f->count] = object->fields;
    f->end[f->count++] = object->fields + object->count;
  }
}

SVC_PRIVATE const svc_field *svc_fields_next(svc_fields *f)
{
  int i, best = -1;
  if (f->count == 1) return f->at[0] < f->end[0] ? f->at[0]++ : NULL;
  for (i = 0; i < f->count; i++)
    if (f->at[i] < f->end[i] && (best < 0 || strcmp(f->at[i]->name, f->at[best]->name) < 0)) best = i;
  return best < 0 ? NULL : f->at[best]++;
}

SVC_PRIVATE const svc_field *svc_field_named(const svc_object *object, svc_str name)
{
  for (; object; object = object->base) {
    unsigned i;
    for (i = 0; i < object->count; i++)
      if (svc_str_is(name, object->fields[i].name)) return &object->fields[i];
  }
  return NULL;
}

SVC_PRIVATE svc_path_step svc_path_first(const char *path)
{
  size_t n = strcspn(path, ".[@");
  svc_path_step step = { { path, n }, { NULL, 0 }, { NULL, 0 }, path + n };
  if (path[n] == '[') {
    size_t member = strcspn(path + n + 1, "=]"), end = strcspn(path + n, "]");
    step.member = (svc_str){ path + n + 1, member };
    if (member + 1 < end) step.value = (svc_str){ path + n + member + 2, end - member - 2 };
    step.rest += end + 1;
  }
  if (*step.rest == '.') step.rest++;
  if (*step.rest == '@') step.rest += strlen(step.rest);
  return step;
}

SVC_PRIVATE bool svc_path_enters(const svc_path_step *step, const svc_node *node)
{
  const svc_node *member = step->value.n && node->type == SVC_J_OBJECT ? svc_node_find(node, step->member) : NULL;
  return !step->value.n || (member && svc_str_eq(member->text, step->value));
}

SVC_PRIVATE bool svc_each_value(const svc_node *body, const char *field, svc_value_visitor visit, void *context)
{
  const svc_path_step step = svc_path_first(field);
  const svc_node *node = body && body->type == SVC_J_OBJECT ? svc_node_find(body, step.name) : NULL;
  bool each = node && step.member.p && node->type == SVC_J_ARRAY;
  if (!node || (step.member.p && !step.value.n && !each)) return true;
  for (node = each ? node->first : node; node; node = each ? node->next : NULL) {
    if (!svc_path_enters(&step, node)) continue;
    if (*step.rest ? !svc_each_value(node, step.rest, visit, context) : !visit(context, node)) return false;
  }
  return true;
}
