/*
** Role mappings: groups at the identity provider, each once, with roles on the organization and its own projects.
*/
#include "catalog/federation_world.h"

#define MAPS F_CONN "/%A/roleMappings"
#define MAPPING(name, assignments) "{\"externalGroupName\":\"" name "\",\"roleAssignments\":[" assignments "]}"
#define ON_ORG(letter, role) "{\"orgId\":\"%" letter "\",\"role\":\"" role "\"}"
#define ON_PROJECT(letter, role) "{\"groupId\":\"%" letter "\",\"role\":\"" role "\"}"

TEST(role_mapping, life)
{
  f_world w;
  f_open(&w, NULL);
  f_good(&w, "POST", MAPS, MAPPING("ops", ON_ORG("A", "ORG_MEMBER") "," ON_PROJECT("G", "GROUP_OWNER")), 201);
  f_keep(&w, 'M', "id");
  munit_assert_size(strlen(w.named['M']), ==, 24);
  f_bad(&w, "POST", MAPS, MAPPING("ops", ""), 409, "ROLE_MAPPING_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), "ops");
  munit_assert_string_equal(t_param(&w.t, 1), w.named['A']);
  f_good(&w, "POST", MAPS, MAPPING("Ops", ""), 201); /* names of groups are case-sensitive */
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  f_good(&w, "POST", F_CONN "/%B/roleMappings", MAPPING("ops", ""), 201); /* once in each organization */
  f_bad(&w, "PUT", MAPS "/%M", MAPPING("Ops", ""), 409, "ROLE_MAPPING_ALREADY_EXISTS");
  f_good(&w, "PUT", MAPS "/%M", MAPPING("dev", ON_PROJECT("G", "GROUP_READ_ONLY")), 200);
  f_is(&w, "externalGroupName", "dev");
  f_is(&w, "id", w.named['M']);
  munit_assert_size(t_count(&w.t, "roleAssignments"), ==, 1);
  f_good(&w, "GET", MAPS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  f_good(&w, "GET", F_CONN "/%A", NULL, 200);
  f_is(&w, "roleMappings[0].externalGroupName", "dev");
  f_good(&w, "DELETE", MAPS "/%M", NULL, 204);
  f_bad(&w, "GET", MAPS "/%M", NULL, 404, "ROLE_MAPPING_NOT_FOUND");
  f_bad(&w, "GET", F_CONN "/%C/roleMappings", NULL, 404, "CONNECTED_ORG_NOT_FOUND");
  munit_assert_int64(f_events(&w, 'A', "ROLE_MAPPING_CREATED"), ==, 2);
  munit_assert_int64(f_events(&w, 'A', "ROLE_MAPPING_UPDATED"), ==, 1);
  munit_assert_int64(f_events(&w, 'A', "ROLE_MAPPING_DELETED"), ==, 1);
  munit_assert_int64(f_events(&w, 'B', "ROLE_MAPPING_CREATED"), ==, 1); /* only the mapping of B itself */
  f_close(&w);
}

/* Only existing roles, on this organization or its own projects, are accepted. */
TEST(role_mapping, roles)
{
  f_world w;
  f_open(&w, NULL);
  f_good(&w, "PATCH", F_CONN "/%B", "{}", 200);
  f_bad_field(&w, "POST", MAPS, "{\"roleAssignments\":[]}", "externalGroupName");
  f_bad_field(&w, "POST", MAPS, "{\"externalGroupName\":\"\",\"roleAssignments\":[]}", "externalGroupName");
  f_bad_field(&w, "POST", MAPS, "{\"externalGroupName\":\"a\"}", "roleAssignments");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", ON_ORG("A", "ORG_MEMBER") "," ON_ORG("A", "ORG_MEMBER")), "roleAssignments[1]");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", ON_ORG("A", "KING")), "roleAssignments[0].role");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", "{\"orgId\":\"%A\"}"), "roleAssignments[0].role");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", ON_ORG("A", "GROUP_OWNER")), "roleAssignments[0].role");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", ON_PROJECT("G", "ORG_OWNER")), "roleAssignments[0].role");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", "{\"role\":\"ORG_OWNER\"}"), "roleAssignments[0]");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", "{\"groupId\":\"%G\",\"orgId\":\"%A\",\"role\":\"ORG_OWNER\"}"), "roleAssignments[0]");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", ON_ORG("B", "ORG_MEMBER")), "roleAssignments[0].orgId"); /* although B is connected, too */
  f_bad_field(&w, "POST", MAPS, MAPPING("a", ON_PROJECT("G", "GROUP_OWNER") "," ON_PROJECT("P", "GROUP_OWNER")), "roleAssignments[1].groupId");
  f_bad_field(&w, "POST", MAPS, MAPPING("a", "{\"groupId\":\"5f5f5f5f5f5f5f5f5f5f5f5f\",\"role\":\"GROUP_OWNER\"}"), "roleAssignments[0].groupId");
  f_good(&w, "POST", MAPS, MAPPING("a", ""), 201);
  f_keep(&w, 'M', "id");
  f_bad_field(&w, "PUT", MAPS "/%M", MAPPING("a", ON_PROJECT("P", "GROUP_OWNER")), "roleAssignments[0].groupId");
  f_close(&w);
}

/* The same rules hold for a PATCH of the organization's configuration, which contains all mappings. */
TEST(role_mapping, whole)
{
  f_world w;
  f_open(&w, NULL);
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"roleMappings\":[" MAPPING("a", "") "," MAPPING("b", ON_PROJECT("P", "GROUP_OWNER")) "]}",
              "roleMappings[1].roleAssignments[0].groupId");
  f_bad_field(&w, "PATCH", F_CONN "/%A", "{\"roleMappings\":[" MAPPING("a", "") "," MAPPING("a", ON_PROJECT("G", "GROUP_OWNER")) "]}",
              "roleMappings[1].externalGroupName");
  f_good(&w, "PATCH", F_CONN "/%A", "{\"roleMappings\":[" MAPPING("a", "") "," MAPPING("b", ON_ORG("A", "ORG_OWNER")) "]}", 200);
  f_keep(&w, 'M', "roleMappings[1].id");
  f_good(&w, "GET", MAPS "/%M", NULL, 200);
  f_is(&w, "externalGroupName", "b");
  f_close(&w);
}

/* Roles on a project are removed from the mappings when the project is deleted or moved. */
TEST(role_mapping, project_gone)
{
  f_world w;
  f_open(&w, NULL);
  w.named['Q'] = t_project(&w.t, w.named['A'], "gamma");
  f_good(&w, "POST", MAPS, MAPPING("ops", ON_PROJECT("G", "GROUP_OWNER") "," ON_PROJECT("Q", "GROUP_OWNER") "," ON_ORG("A", "ORG_MEMBER")), 201);
  f_keep(&w, 'M', "id");
  f_good(&w, "DELETE", "/groups/%G", NULL, 202);
  f_good(&w, "GET", MAPS "/%M", NULL, 200);
  munit_assert_size(t_count(&w.t, "roleAssignments"), ==, 2);
  f_good(&w, "POST", "/groups/%Q:migrate", "{\"destinationOrgId\":\"%B\"}", 200);
  f_good(&w, "GET", MAPS "/%M", NULL, 200);
  munit_assert_size(t_count(&w.t, "roleAssignments"), ==, 1);
  f_good(&w, "GET", F_CONN "/%A", NULL, 200);
  munit_assert_size(t_count(&w.t, "roleMappings[0].roleAssignments"), ==, 1);
  f_good(&w, "PUT", MAPS "/%M", MAPPING("dev", ON_ORG("A", "ORG_MEMBER")), 200); /* the shown body with another name */
  f_is(&w, "externalGroupName", "dev");
  f_bad_field(&w, "PUT", MAPS "/%M", MAPPING("dev", ON_PROJECT("Q", "GROUP_OWNER")), "roleAssignments[0].groupId");
  f_close(&w);
}

TEST(role_mapping, most)
{
  static char body[8192], whole[32768];
  f_world w;
  char name[64];
  size_t n;
  int i, j, k;
  f_open(&w, NULL);
  for (i = 0; i < 50; i++) {
    snprintf(name, sizeof name, "{\"externalGroupName\":\"g%d\",\"roleAssignments\":[]}", i);
    f_good(&w, "POST", MAPS, name, 201);
  }
  f_bad_field(&w, "POST", MAPS, MAPPING("more", ""), "roleMappings");
  f_good(&w, "PATCH", F_CONN "/%A", "{\"roleMappings\":[]}", 200);
  for (i = 0; i < 9; i++) { /* nine times 25 assignments exceed the total of all mappings */
    n = (size_t)snprintf(body, sizeof body, "{\"externalGroupName\":\"m%d\",\"roleAssignments\":[", i);
    for (j = 0; svc_role_name(j) && svc_role_level(j) != SVC_SCOPE_GROUP;) j++;
    for (k = 0; k < 25; k++)
      n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"groupId\":\"%s\",\"role\":\"%s\"}", k ? "," : "", w.named['G'],
                            svc_role_name(j + k));
    snprintf(body + n, sizeof body - n, "]}");
    if (i < 8) f_good(&w, "POST", MAPS, body, 201);
    else f_bad_field(&w, "POST", MAPS, body, "roleAssignments");
  }
  f_good(&w, "PATCH", F_CONN "/%A", "{\"roleMappings\":[]}", 200);
  n = (size_t)snprintf(whole, sizeof whole, "{\"roleMappings\":["); /* also when all are sent at once */
  for (i = 0; i < 9; i++) {
    n += (size_t)snprintf(whole + n, sizeof whole - n, "%s{\"externalGroupName\":\"m%d\",\"roleAssignments\":[", i ? "," : "", i);
    for (k = 0; k < 25; k++)
      n += (size_t)snprintf(whole + n, sizeof whole - n, "%s{\"groupId\":\"%s\",\"role\":\"%s\"}", k ? "," : "", w.named['G'], svc_role_name(j + k));
    n += (size_t)snprintf(whole + n, sizeof whole - n, "]}");
  }
  snprintf(whole + n, sizeof whole - n, "]}");
  munit_assert_int(t_sendf(&w.t, "PATCH", whole, "/federationSettings/%s/connectedOrgConfigs/%s", w.named['F'], w.named['A']), ==, 400);
  munit_assert_true(t_violation(&w.t, "roleMappings"));
  f_good(&w, "GET", F_CONN "/%A", NULL, 200);
  munit_assert_size(t_count(&w.t, "roleMappings"), ==, 0);
  f_close(&w);
}
