/*
** References: a field that names another entity. The target must exist, and cannot be deleted while it is referenced.
**
** The made-up nouns of this suite: lamps refer to sockets by name and to plugs by id, in fields and in arrays; to slots of
** sockets; to shops of the organization; and to each other.
*/
#include "mechanism/probe.h"

#define PROBE(m, p, ...) { .method = m, .path = p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
#define PROBE_ROUTES(list, item) \
  PROBE(SVC_GET, list, .flags = SVC_PAGED, .run = svc_verb_list), PROBE(SVC_POST, list, .status = 201, .run = svc_verb_create), \
  PROBE(SVC_GET, list "/" item, .run = svc_verb_read), PROBE(SVC_PATCH, list "/" item, .run = svc_verb_update), \
  PROBE(SVC_PUT, list "/" item, .run = svc_verb_replace), \
  PROBE(SVC_DELETE, list "/" item, .status = 204, .run = svc_verb_delete)

static const svc_field socket_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED) };
static const svc_object socket_object = { .name = "Socket", .fields = SVC_ROWS(socket_fields) };
static const svc_route socket_routes[] = { PROBE_ROUTES("/groups/{groupId}/sockets", "{socketName}") };
static svc_str socket_spell(svc_call *c, svc_str key)
{
  svc_str out = svc_arena_copy(c->arena, key);
  size_t i;
  for (i = 0; i < out.n; i++)
    if (out.p[i] >= 'A' && out.p[i] <= 'Z') ((char *)(uintptr_t)out.p)[i] += 32;
  return out;
}
static const svc_noun socket_noun = {
  .name = "socket", .kind = "sock", .parent = "project", .param = "socketName", .object = &socket_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .routes = SVC_ROUTES(socket_routes),
  .ext = SVC_NOUN_EXT(.spell = socket_spell)
};

static const svc_field slot_fields[] = { F_ID() };
static const svc_object slot_object = { .name = "Slot", .fields = SVC_ROWS(slot_fields) };
static const svc_route slot_routes[] = { PROBE_ROUTES("/groups/{groupId}/sockets/{socketName}/slots", "{slotId}") };
static const svc_noun slot_noun = {
  .name = "slot", .kind = "slot", .parent = "socket", .param = "slotId", .object = &slot_object, .routes = SVC_ROUTES(slot_routes)
};

static const svc_field plug_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED) };
static const svc_object plug_object = { .name = "Plug", .fields = SVC_ROWS(plug_fields) };
static const svc_route plug_routes[] = { PROBE_ROUTES("/groups/{groupId}/plugs", "{plugId}") };
static const svc_noun plug_noun = {
  .name = "plug", .kind = "plug", .parent = "project", .param = "plugId", .object = &plug_object, .unique = "name",
  .err_exists = SVC_E_PEER_ALREADY_EXISTS, .routes = SVC_ROUTES(plug_routes)
};

static const svc_object shop_object = { .name = "Shop", .fields = SVC_ROWS(socket_fields) };
#undef PROBE
#define PROBE(m, p, ...) { .method = m, .path = p, .set = SVC_SET_ORGANIZATIONS, PROBE_VERSIONS, .roles = SVC_R_ORG_OWNER, __VA_ARGS__ }
static const svc_route shop_routes[] = { PROBE_ROUTES("/orgs/{orgId}/shops", "{shopName}") };
#undef PROBE
#define PROBE(m, p, ...) { .method = m, .path = p, .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
static const svc_noun shop_noun = {
  .name = "shop", .kind = "shop", .parent = "organization", .param = "shopName", .object = &shop_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .routes = SVC_ROUTES(shop_routes)
};

static const svc_field wire_fields[] = { F_INT("length", .preset = "1"), F_STR("plugId") };
static const svc_object wire_object = { .name = "Wire", .fields = SVC_ROWS(wire_fields) };
static const svc_field lamp_fields[] = {
  F_STR("absent"), F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED), F_STRS("plugIds", .preset = "[]"), F_STR("shop"),
  F_STR("slotId"), F_STR("socket", .flags = SVC_NULLABLE), F_STR("twin"), F_LIST("wires", &wire_object, .preset = "[]"),
  F_STR("wish")
};
static const svc_object lamp_object = { .name = "Lamp", .fields = SVC_ROWS(lamp_fields) };
static const svc_route lamp_routes[] = { PROBE_ROUTES("/groups/{groupId}/lamps", "{lampName}") };
static const svc_ref lamp_refs[] = {
  { "absent", "no such noun", SVC_E_ALERT_NOT_FOUND, SVC_E_PEER_INVALID_STATE },
  { "plugIds[]", "plug", SVC_E_PEER_NOT_FOUND, SVC_E_PEER_INVALID_STATE },
  { "shop", "shop", SVC_E_TEAM_NOT_FOUND, SVC_E_TEAM_EXISTS_IN_GROUP },
  { "slotId", "slot", SVC_E_PRIVATELINK_NOT_FOUND, SVC_E_CANNOT_DELETE_PRIVATELINK_WITH_ENDPOINTS },
  { "socket", "socket", SVC_E_CLOUD_PROVIDER_CONTAINER_NOT_FOUND, SVC_E_CONTAINERS_IN_USE },
  { "twin", "lamp", SVC_E_SNAPSHOT_NOT_FOUND, SVC_E_CUSTOM_ROLE_IN_USE_BY_ROLES },
  { "wires[].plugId", "plug", SVC_E_PEER_NOT_FOUND, SVC_E_PEER_INVALID_STATE },
  { "wish", "plug", 0, 0 },
  { NULL, NULL, 0, 0 }
};
static const svc_noun lamp_noun = {
  .name = "lamp", .kind = "lamp", .parent = "project", .param = "lampName", .object = &lamp_object, .key = "name",
  .unique = "name", .err_exists = SVC_E_PEER_ALREADY_EXISTS, .refs = lamp_refs, .routes = SVC_ROUTES(lamp_routes)
};

/* Targets come before their referrers, and so are deleted first in a cascade. */
static const svc_noun *const probes[] = { &socket_noun, &slot_noun, &plug_noun, &shop_noun, &lamp_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

static void reference_open(t_place *w)
{
  const svc_config quiet = { .limiter_off = 1 };
  t_probes(probes);
  t_place_open(w, &quiet, "alpha", NULL);
}

static void reference_close(t_place *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static int reference_at(t_place *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/%s", w->group, path);
}

static const char *reference_make(t_place *w, const char *path, const char *body)
{
  if (reference_at(w, "POST", path, body) != 201) munit_errorf("%s: %s", body, w->t.response.body);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

/* Expects DELETE to return this error; NULL: success. */
static void reference_delete(t_place *w, const char *path, const char *name, const char *error)
{
  char at[96];
  snprintf(at, sizeof at, "%s/%s", path, name);
  munit_assert_int(reference_at(w, "DELETE", at, NULL), ==, error ? 409 : 204);
  if (error) munit_assert_string_equal(t_error(&w->t), error);
  if (error) munit_assert_not_null(strstr(t_str(&w->t, "detail"), " It is used by the lamp "));
}

TEST(reference, by_name)
{
  t_place w;
  reference_open(&w);
  munit_assert_int(reference_at(&w, "POST", "lamps", "{\"name\":\"a\",\"socket\":\"wall\"}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLOUD_PROVIDER_CONTAINER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "wall");
  munit_assert_size(probe_records(w.t.s, "elamp") + probe_records(w.t.s, "r"), ==, 0);
  reference_make(&w, "sockets", "{\"name\":\"wall\"}");
  reference_make(&w, "sockets", "{\"name\":\"floor\"}");
  reference_make(&w, "lamps", "{\"name\":\"a\",\"socket\":\"WALL\"}"); /* socket_spell() finds the name in lower case */
  reference_make(&w, "lamps", "{\"name\":\"b\",\"socket\":\"wall\"}");
  reference_make(&w, "lamps", "{\"name\":\"c\",\"socket\":\"\"}"); /* an empty name is no reference */
  reference_delete(&w, "sockets", "wall", "CONTAINERS_IN_USE");
  reference_delete(&w, "sockets", "floor", NULL);
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"socket\":\"floor\"}"), ==, 404); /* the socket floor is deleted */
  reference_make(&w, "sockets", "{\"name\":\"floor\"}");
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"socket\":\"floor\"}"), ==, 200);
  reference_delete(&w, "sockets", "wall", "CONTAINERS_IN_USE"); /* the lamp b still refers to it */
  reference_delete(&w, "lamps", "b", NULL);
  reference_delete(&w, "sockets", "wall", NULL);
  reference_delete(&w, "sockets", "floor", "CONTAINERS_IN_USE");
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"socket\":null}"), ==, 200);
  reference_delete(&w, "sockets", "floor", NULL);
  munit_assert_size(probe_records(w.t.s, "r"), ==, 0);
  munit_assert_int(reference_at(&w, "PUT", "lamps/a", "{\"absent\":\"of a noun that is not in this build\"}"), ==, 200);
  reference_close(&w);
}

TEST(reference, by_id)
{
  const char *one, *two, *other;
  t_place w;
  char body[256];
  reference_open(&w);
  one = reference_make(&w, "plugs", "{\"name\":\"one\"}");
  two = reference_make(&w, "plugs", "{\"name\":\"two\"}");
  snprintf(body, sizeof body, "{\"name\":\"a\",\"plugIds\":[\"%s\",\"5f5f5f5f5f5f5f5f5f5f5f5f\"]}", one);
  munit_assert_int(reference_at(&w, "POST", "lamps", body), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "5f5f5f5f5f5f5f5f5f5f5f5f");
  snprintf(body, sizeof body, "{\"name\":\"a\",\"wires\":[{\"length\":2},{\"plugId\":\"nonsense\"}]}");
  munit_assert_int(reference_at(&w, "POST", "lamps", body), ==, 404);
  munit_assert_string_equal(t_param(&w.t, 0), "nonsense");

  snprintf(body, sizeof body, "{\"name\":\"a\",\"plugIds\":[\"%s\",\"%s\"],\"wires\":[{},{\"plugId\":\"%s\"}]}", one, two, one);
  reference_make(&w, "lamps", body);
  reference_make(&w, "lamps", "{\"name\":\"b\",\"wires\":[{\"plugId\":\"two\"}]}"); /* a reference by id also accepts the name */
  munit_assert_size(probe_records(w.t.s, "rplug"), ==, 3);
  reference_delete(&w, "plugs", one, "PEER_INVALID_STATE");
  reference_delete(&w, "plugs", two, "PEER_INVALID_STATE");
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"plugIds\":[]}"), ==, 200);
  reference_delete(&w, "plugs", one, "PEER_INVALID_STATE"); /* a wire of the lamp still refers to it */
  reference_delete(&w, "plugs", two, "PEER_INVALID_STATE"); /* the lamp b refers to it */
  munit_assert_int(reference_at(&w, "PATCH", "lamps/b", "{\"wires\":[]}"), ==, 200);
  reference_delete(&w, "plugs", two, NULL);
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"wires\":[{},{}]}"), ==, 200);
  reference_delete(&w, "plugs", one, NULL);
  munit_assert_size(probe_records(w.t.s, "r"), ==, 0);

  one = reference_make(&w, "plugs", "{\"name\":\"one\"}"); /* the target of a wish need not exist, and can be deleted */
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"wish\":\"5f5f5f5f5f5f5f5f5f5f5f5f\"}"), ==, 200);
  snprintf(body, sizeof body, "{\"wish\":\"%s\"}", one);
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", body), ==, 200);
  reference_delete(&w, "plugs", one, NULL);

  one = reference_make(&w, "plugs", "{\"name\":\"one\"}"); /* a plug of another project is not found */
  other = t_project(&w.t, w.org, "beta");
  snprintf(body, sizeof body, "{\"name\":\"a\",\"plugIds\":[\"%s\"]}", one);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/lamps", other), ==, 404);
  reference_close(&w);
}

/* The target may be deeper in the project, or in the organization. */
TEST(reference, elsewhere)
{
  const char *slot, *other;
  t_place w;
  char body[128];
  reference_open(&w);
  reference_make(&w, "sockets", "{\"name\":\"wall\"}");
  slot = reference_make(&w, "sockets/wall/slots", "{}");
  snprintf(body, sizeof body, "{\"name\":\"a\",\"slotId\":\"%s\"}", slot);
  reference_make(&w, "lamps", body);
  munit_assert_int(reference_at(&w, "POST", "lamps", "{\"name\":\"b\",\"slotId\":\"5f5f5f5f5f5f5f5f5f5f5f5f\"}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PRIVATELINK_NOT_FOUND");
  reference_delete(&w, "sockets/wall/slots", slot, "CANNOT_DELETE_PRIVATELINK_WITH_ENDPOINTS");
  other = t_project(&w.t, w.org, "beta"); /* a slot of another project is not found */
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/lamps", other), ==, 404);
  reference_delete(&w, "lamps", "a", NULL);
  reference_delete(&w, "sockets/wall/slots", slot, NULL);

  munit_assert_int(reference_at(&w, "POST", "lamps", "{\"name\":\"a\",\"shop\":\"corner\"}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "TEAM_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"corner\"}", "/orgs/%s/shops", w.org), ==, 201);
  reference_make(&w, "lamps", "{\"name\":\"a\",\"shop\":\"corner\"}");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/shops/corner", w.org), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "TEAM_EXISTS_IN_GROUP");
  reference_delete(&w, "lamps", "a", NULL);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/shops/corner", w.org), ==, 204);

  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"corner\"}", "/orgs/%s/shops", w.org), ==, 201);
  reference_make(&w, "lamps", "{\"name\":\"a\",\"shop\":\"corner\"}");
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", t_organization(&w.t, "Other"));
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 409); /* the shop would belong to another organization */
  munit_assert_string_equal(t_error(&w.t), "CANNOT_MOVE_GROUP_WITH_REFERENCES");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "The lamp a names the shop corner"));
  reference_delete(&w, "lamps", "a", NULL);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/shops/corner", w.org), ==, 204);
  munit_assert_size(probe_records(w.t.s, "r"), ==, 0);
  reference_close(&w);
}

TEST(reference, itself)
{
  t_place w;
  reference_open(&w);
  munit_assert_int(reference_at(&w, "POST", "lamps", "{\"name\":\"a\",\"twin\":\"a\"}"), ==, 404); /* the lamp itself does not exist yet */
  reference_make(&w, "lamps", "{\"name\":\"a\"}");
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"twin\":\"a\"}"), ==, 200);
  reference_make(&w, "lamps", "{\"name\":\"b\",\"twin\":\"a\"}");
  reference_delete(&w, "lamps", "a", "CUSTOM_ROLE_IN_USE_BY_ROLES");
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"twin\":\"b\"}"), ==, 200); /* a circular reference */
  reference_delete(&w, "lamps", "b", "CUSTOM_ROLE_IN_USE_BY_ROLES");
  munit_assert_int(reference_at(&w, "PATCH", "lamps/a", "{\"twin\":\"a\"}"), ==, 200);
  reference_delete(&w, "lamps", "b", NULL);
  reference_delete(&w, "lamps", "a", NULL); /* a reference to itself does not block the delete */
  munit_assert_size(probe_records(w.t.s, "r"), ==, 0);
  reference_close(&w);
}

/* Deleting the project deletes targets before the lamps that refer to them, and leaves no record of a reference. */
TEST(reference, in_cascade)
{
  t_place w;
  const char *slot, *plug;
  char body[256];
  reference_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"corner\"}", "/orgs/%s/shops", w.org), ==, 201);
  reference_make(&w, "sockets", "{\"name\":\"wall\"}");
  slot = reference_make(&w, "sockets/wall/slots", "{}");
  plug = reference_make(&w, "plugs", "{\"name\":\"p\"}");
  snprintf(body, sizeof body, "{\"name\":\"a\",\"socket\":\"wall\",\"slotId\":\"%s\",\"plugIds\":[\"%s\"],\"shop\":\"corner\"}", slot, plug);
  reference_make(&w, "lamps", body);
  reference_make(&w, "lamps", "{\"name\":\"b\",\"twin\":\"a\"}");
  munit_assert_size(probe_records(w.t.s, "r"), ==, 5);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_size(probe_records(w.t.s, "r"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/shops/corner", w.org), ==, 204); /* the shop is no longer referenced */
  reference_close(&w);
}
