/*
** The OpenAPI document: valid JSON, every operation in it, and no reference that leads nowhere.
*/
#include "support.h"

static const svc_node *root;

static void openapi_check_refs(const svc_node *node)
{
  const svc_node *child;
  for (child = node->first; child; child = child->next) {
    if (svc_str_is(child->name, "$ref")) {
      const svc_node *at = root;
      svc_str rest = child->text;
      svc_str_cut(&rest, '/');
      while (at && rest.n) at = svc_node_find(at, svc_str_cut(&rest, '/'));
      if (!at) munit_errorf("nothing is at " SVC_FMT, SVC_ARG(child->text));
    }
    openapi_check_refs(child);
  }
}

static MunitResult openapi_document(const MunitParameter params[], void *data)
{
  static const char *const methods[] = { "get", "post", "put", "patch", "delete" };
  t_service t;
  svc_response r;
  svc_json_fault fault;
  svc_arena arena;
  svc_str text;
  size_t i;
  (void)params, (void)data;
  t_open(&t, NULL);
  munit_assert_int(svc_openapi(t.s, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 200);
  svc_arena_init(&arena, NULL);
  text = (svc_str){ r.body, r.body_length };
  if (!svc_json_gate(&arena, text, 64, &fault)) munit_errorf("%s at %zu: %.80s", fault.what, fault.at, r.body + fault.at);
  root = svc_json_parse(&arena, text);
  munit_assert_not_null(root);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_route *route = t.s->plans[i].route;
    const svc_node *path = svc_node_get(svc_node_get(root, "paths"), *route->path ? route->path : "/");
    if (route->flags & SVC_ABSOLUTE) continue;
    if (!svc_node_get(path, methods[route->method])) munit_errorf("%s %s is missing", methods[route->method], route->path);
  }
  openapi_check_refs(root);
  svc_blocks_free(arena.blocks);
  svc_response_free(&r);
  munit_assert_int(svc_openapi(NULL, &r), ==, SVC_INVALID);
  t_close(&t);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/document", openapi_document, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_openapi = { "openapi", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
