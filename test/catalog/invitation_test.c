/*
** Invitations to an organization and to a project, through the older API and as users with a pending membership.
**
** Tests also: organization_invitation, project_invitation
*/
#include "damaged.h"
#include "needs.h"

T_NEEDS(invitation) = {
  /* the body, not the path, names the invitation */
  T_FIRST(SVC_PATCH, "/orgs/{orgId}/invites", SVC_POST, "/orgs/{orgId}/invites", NULL),
  T_FIRST(SVC_PATCH, "/groups/{groupId}/invites", SVC_POST, "/groups/{groupId}/invites", NULL),
  T_NEEDS_END
};

#define INVITATION_DAY ((int64_t)24 * 3600)

static bool invitation_event(t_service *t, const char *scope, const char *id, const char *type)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/%s/%s/events?eventType=%s", scope, id, type), ==, 200);
  return t_int(t, "totalCount") > 0;
}

TEST_SERVICE(invitation, organization)
{
  const char *org, *group, *id;
  char body[512];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(body, sizeof body, "{\"username\":\"new@example.com\",\"roles\":[\"ORG_READ_ONLY\"],\"groupRoleAssignments\":"
           "[{\"groupId\":\"%s\",\"roles\":[\"GROUP_OWNER\"]}]}", group);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/invites", org), ==, 201);
  id = t_keep(t, t_str(t, "id"));
  munit_assert_string_equal(t_str(t, "createdAt"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(t, "expiresAt"), "2025-07-01T00:00:00Z");
  munit_assert_string_equal(t_str(t, "inviterUsername"), "owner@example.com");
  munit_assert_string_equal(t_str(t, "orgName"), "Acme");
  munit_assert_string_equal(t_str(t, "roles[0]"), "ORG_READ_ONLY");
  munit_assert_string_equal(t_str(t, "groupRoleAssignments[0].groupRole"), "GROUP_OWNER");
  munit_assert_true(invitation_event(t, "orgs", org, "INVITED_TO_ORG"));
  munit_assert_true(invitation_event(t, "groups", group, "INVITED_TO_GROUP"));
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/invites", org), ==, 409);

  /* the same invitation in three ways */
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/invites", org), ==, 200);
  munit_assert_size(t_count(t, ""), ==, 1);
  munit_assert_string_equal(t_str(t, "[0].id"), id);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, id), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "PENDING");
  munit_assert_string_equal(t_str(t, "invitationExpiresAt"), "2025-07-01T00:00:00Z");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/invites/%s", group, id), ==, 200);
  munit_assert_string_equal(t_str(t, "groupName"), "alpha");

  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/invites/%s", org, id), ==, 200);
  munit_assert_string_equal(t_str(t, "roles[0]"), "ORG_MEMBER");
  munit_assert_size(t_count(t, "groupRoleAssignments"), ==, 1);
  munit_assert_int(t_sendf(t, "PATCH", "{\"username\":\"new@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/invites", org), ==, 200);
  munit_assert_string_equal(t_str(t, "roles[0]"), "ORG_OWNER");
  munit_assert_int(t_sendf(t, "PATCH", "{\"username\":\"no@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/invites", org), ==, 404);
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"GROUP_OWNER\"]}", "/orgs/%s/invites/%s", org, id), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ROLE_FOR_ORG");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/invites/none", org), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_INVITATION_ID");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/invites/%s", org, id), ==, 204);
  munit_assert_true(invitation_event(t, "orgs", org, "ORG_INVITATION_DELETED"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/invites/%s", org, id), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, id), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", id), ==, 404); /* nothing but the name of this person was ever known */
}

/* The ETag of a GET allows a change only while the invitation is unchanged. A change of a project's invitation also changes the ETag of
** the invitation to the organization. */
TEST_SERVICE(invitation, tags)
{
  const char *org, *group, *id;
  char tags[2][64], paths[2][128];
  int i;
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group), ==, 201);
  id = t_keep(t, t_str(t, "id"));
  snprintf(paths[0], sizeof paths[0], "/orgs/%s/invites/%s", org, id);
  snprintf(paths[1], sizeof paths[1], "/groups/%s/invites/%s", group, id);
  for (i = 0; i < 2; i++) {
    munit_assert_int(t_send(t, "GET", paths[i], NULL), ==, 200);
    snprintf(tags[i], sizeof tags[i], "%s", t_get_header(t, "ETag"));
  }
  munit_assert_int(t_send(t, "PATCH", paths[1], "{\"roles\":[\"GROUP_READ_ONLY\"]}"), ==, 200);
  for (i = 0; i < 2; i++) {
    t_header(t, "If-Match", tags[i]);
    munit_assert_int(t_send(t, "PATCH", paths[i], i ? "{\"roles\":[\"GROUP_OWNER\"]}" : "{\"roles\":[\"ORG_OWNER\"]}"), ==, 412);
    munit_assert_int(t_send(t, "DELETE", paths[i], NULL), ==, 412);
    t_headers_clear(t);
  }
  for (i = 1; i >= 0; i--) {
    munit_assert_int(t_send(t, "GET", paths[i], NULL), ==, 200);
    t_header(t, "If-Match", t_keep(t, t_get_header(t, "ETag")));
    munit_assert_int(t_send(t, "DELETE", paths[i], NULL), ==, 204);
    t_headers_clear(t);
  }
}

/* A body that is no object, or has no username, is refused. */
TEST(invitation, no_body)
{
  static const char *const bodies[] = { "5", "[]", "\"x\"", "null", "true" };
  t_service t;
  const char *org, *group, *id;
  size_t i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group), ==, 201);
  id = t_keep(&t, t_str(&t, "id"));
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    munit_assert_int(t_sendf(&t, "PATCH", bodies[i], "/orgs/%s/invites/%s", org, id), ==, 400);
    munit_assert_int(t_sendf(&t, "PATCH", bodies[i], "/groups/%s/invites/%s", group, id), ==, 400);
    munit_assert_int(t_sendf(&t, "PATCH", bodies[i], "/orgs/%s/invites", org), ==, 400);
    munit_assert_int(t_sendf(&t, "PATCH", bodies[i], "/groups/%s/invites", group), ==, 400);
  }
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/invites", org), ==, 400);
  munit_assert_true(t_violation(&t, "username"));
  munit_assert_int(t_sendf(&t, "PATCH", "{\"username\":5,\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group), ==, 400);
  munit_assert_true(t_violation(&t, "username"));
  t_close(&t);
}

TEST_SERVICE(invitation, project)
{
  const char *org, *group, *id;
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group), ==, 201);
  id = t_keep(t, t_str(t, "id"));
  munit_assert_string_equal(t_str(t, "expiresAt"), "2025-07-01T00:00:00Z");
  munit_assert_string_equal(t_str(t, "groupId"), group);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/invites?username=new@example.com", group), ==, 200);
  munit_assert_size(t_count(t, ""), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/invites?username=old@example.com", group), ==, 200);
  munit_assert_size(t_count(t, ""), ==, 0);
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/invites/%s", group, id), ==, 200);
  munit_assert_string_equal(t_str(t, "roles[0]"), "GROUP_READ_ONLY");
  munit_assert_int(t_sendf(t, "PATCH", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"ORG_OWNER\"]}", "/groups/%s/invites/%s", group, id), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ROLE_FOR_GROUP");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/invites/%s", group, id), ==, 204);
  munit_assert_true(invitation_event(t, "groups", group, "GROUP_INVITATION_DELETED"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/invites/%s", group, id), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/invites/%s", org, id), ==, 200); /* the invitation to the organization stays */

  /* the operation access: a new person is invited, a registered user is added, with an empty answer */
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"far@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/access", group), ==, 200);
  munit_assert_string_equal(t_str(t, "orgId"), org);
  munit_assert_string_not_equal(t_link(t, "self"), "");
  t_user(t, "ada@example.com", "[]");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"ada@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/access", group), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users?username=ada@example.com", group), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].orgMembershipStatus"), "ACTIVE");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users?username=ada@example.com&pageNum=2", group), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, 0);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"ada@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/access", group), ==, 409);
}

TEST_SERVICE(invitation, time)
{
  const char *org, *late, *early;
  org = t_organization(t, "Acme");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"late@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  late = t_keep(t, t_str(t, "id"));
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "PENDING");
  munit_assert_string_equal(t_str(t, "inviterUsername"), "owner@example.com");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"early@example.com\",\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"]}}", "/orgs/%s/users", org), ==, 201);
  early = t_keep(t, t_str(t, "id"));

  /* an invited person has no access; a person who registers in time is a member */
  t->caller.user_id = early;
  t->caller.grants = NULL;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 401);
  t_advance(t, 29 * INVITATION_DAY);
  t_user(t, "early@example.com", "[]");
  munit_assert_string_equal(t_str(t, "id"), early);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 200);
  t->caller.grants = t->grants;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, early), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_null(t_node(t, "invitationExpiresAt"));
  munit_assert_true(invitation_event(t, "orgs", org, "JOINED_ORG"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/invites/%s", org, early), ==, 404);

  t_advance(t, INVITATION_DAY); /* a millisecond before the invitation expires, then at its expiry */
  t->now--;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, late), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "PENDING");
  t->now++;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, late), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "INVITATION_EXPIRED");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/invites", org), ==, 200);
  munit_assert_size(t_count(t, ""), ==, 0);
  t_user(t, "late@example.com", "[]"); /* too late: a user, but no member */
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, late), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "INVITATION_EXPIRED");

  /* again: a registered user can still be invited, and adding makes them a member */
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"late@example.com\"}", "/orgs/%s/invites", org), ==, 201);
  munit_assert_string_equal(t_str(t, "roles[0]"), "ORG_MEMBER");
  munit_assert_string_equal(t_str(t, "expiresAt"), "2025-07-31T00:00:00Z");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"late@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  t_advance(t, 60 * INVITATION_DAY);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, late), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
}

/* The body of a GET can be sent back, although it has more fields than a change accepts, and some in another shape. */
TEST_SERVICE(invitation, sent_back)
{
  const char *org, *group, *id;
  char path[128], whole[4096], tag[64];
  int i;
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group), ==, 201);
  id = t_keep(t, t_str(t, "id"));
  for (i = 0; i < 2; i++) {
    snprintf(path, sizeof path, i ? "/groups/%s/invites/%s" : "/orgs/%s/invites/%s", i ? group : org, id);
    munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
    munit_assert_size(t->response.body_length, <, sizeof whole);
    strcpy(whole, t->response.body);
    snprintf(tag, sizeof tag, "%s", t_get_header(t, "ETag"));
    munit_assert_int(t_send(t, "PATCH", path, whole), ==, 200);
    munit_assert_string_equal(t->response.body, whole);
    munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
    munit_assert_string_equal(t_get_header(t, "ETag"), tag);
    munit_assert_int(t_send(t, "PATCH", path, "{\"createdAt\":\"2020-01-01T00:00:00Z\",\"roles\":[\"x\"],\"nothing\":1}"), ==, 400);
    munit_assert_string_equal(t_error(t), "ATTRIBUTE_READ_ONLY");
    munit_assert_true(t_violation(t, "createdAt"));
    munit_assert_true(t_violation(t, "nothing"));
  }
}

/* Creates a service account that owns the organization. The account sends all later requests. */
static void invitation_as_owner_of(t_service *t, const char *org)
{
  const char *id;
  munit_assert_int(t_sendf(t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", org), ==, 201);
  id = t_keep(t, t_str(t, "clientId"));
  munit_assert_int(t_as_account(t, id, t_keep(t, t_str(t, "secrets[0].secret"))), ==, 200);
  t_header(t, "Content-Type", "application/json");
}

static int invitation_register(t_service *t, const char *name, const char *first, const char *roles)
{
  char body[512];
  snprintf(body, sizeof body, "{\"username\":\"%s\",\"password\":\"correct horse\",\"firstName\":\"%s\",\"lastName\":\"Byron\","
           "\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":%s}", name, first, roles);
  return t_send(t, "POST", "/users", body);
}

/* Registering somebody else accepts no invitation for them elsewhere, and shows nothing of the registration there. */
TEST_SERVICE(invitation, stranger)
{
  const char *org, *other, *third, *group, *owner, *id;
  char roles[256];
  org = t_organization(t, "Acme");
  other = t_organization(t, "Other");
  third = t_organization(t, "Third");
  group = t_project(t, org, "alpha");
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", org);
  owner = t_user(t, "owner@acme.com", roles);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"v@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/invites", org) / 100, ==, 2);
  id = t_keep(t, t_str(t, "id"));
  invitation_as_owner_of(t, other);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", other);
  munit_assert_int(invitation_register(t, "v@example.com", "Mallory", roles), ==, 201);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_size(t_count(t, "roles"), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", other, id), ==, 200); /* this organization shows the name */
  munit_assert_string_equal(t_str(t, "firstName"), "Mallory");
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", id), ==, 200);
  munit_assert_string_equal(t_str(t, "firstName"), "Mallory");

  t_as_host(t);
  t_as(t, owner);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, id), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "PENDING");
  munit_assert_false(invitation_event(t, "orgs", org, "JOINED_ORG") && strstr(t->response.body, "v@example.com"));
  munit_assert_int(t_send(t, "GET", "/users/byName/v@example.com", NULL), ==, 200);
  munit_assert_null(t_node(t, "firstName"));
  munit_assert_null(t_node(t, "mobileNumber"));
  t_as(t, id); /* and the user has no access there */
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"Mine\"}", "/orgs/%s", org), >=, 400);

  /* registering a person for a project does not accept the invitation to the organization either */
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"w@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/invites", org) / 100, ==, 2);
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", group);
  t_as(t, t_user(t, "lead@acme.com", roles));
  munit_assert_int(invitation_register(t, "w@example.com", "W", roles), ==, 201);
  t_as(t, owner);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users?username=w@example.com", org), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].orgMembershipStatus"), "PENDING");
  munit_assert_size(t_count(t, "results[0].roles.groupRoleAssignments"), ==, 1); /* the new role on the project is pending, too */

  /* an owner adds the user: a member, without the name from the other registration */
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"v@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_null(t_node(t, "firstName"));

  /* the user registers: the user's own name is shown everywhere, and the invitations are accepted */
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"v@example.com\",\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/invites", third) / 100, ==, 2);
  t_as(t, id);
  munit_assert_int(invitation_register(t, "v@example.com", "Vera", "[]"), ==, 201);
  munit_assert_size(t_count(t, "roles"), ==, 3);
  munit_assert_int(invitation_register(t, "v@example.com", "Vera", "[]"), ==, 409);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", third), ==, 200);
  t_as(t, owner);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, id), ==, 200);
  munit_assert_string_equal(t_str(t, "firstName"), "Vera");
  munit_assert_int(t_send(t, "GET", "/users/byName/v@example.com", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "firstName"), "Vera");
  store_whole(t->s);
}

/* When an owner registers a person whom the organization has invited and who has not registered, the invitation is accepted. */
TEST_SERVICE(invitation, by_owner)
{
  const char *org, *id;
  org = t_organization(t, "Acme");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"v@example.com\",\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/invites", org) / 100, ==, 2);
  id = t_keep(t, t_str(t, "id"));
  invitation_as_owner_of(t, org);
  munit_assert_int(invitation_register(t, "v@example.com", "Vera", "[]"), ==, 201);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, id), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_string_equal(t_str(t, "firstName"), "Vera");
}

/* When an organization is deleted, nothing is left of people who were only invited to it. */
TEST_SERVICE(invitation, of_gone)
{
  const char *org, *other, *id;
  char body[256];
  org = t_organization(t, "Acme");
  other = t_organization(t, "Other");
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", org);
  id = t_user(t, "ada@example.com", body);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"t\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"ghost@example.com\"}", "/orgs/%s/invites", org) / 100, ==, 2);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"both@example.com\"}", "/orgs/%s/invites", org) / 100, ==, 2);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"both@example.com\"}", "/orgs/%s/invites", other) / 100, ==, 2);
  munit_assert_int(t_send(t, "GET", "/users/byName/ghost@example.com", NULL), ==, 200);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
  munit_assert_int(t_send(t, "GET", "/users/byName/ghost@example.com", NULL), ==, 404);
  munit_assert_int(t_send(t, "GET", "/users/byName/both@example.com", NULL), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", id), ==, 200);
  munit_assert_size(t_count(t, "roles"), ==, 0);
  munit_assert_size(t_count(t, "teamIds"), ==, 0);
  store_whole(t->s);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", other), ==, 204);
  munit_assert_int(t_send(t, "GET", "/users/byName/both@example.com", NULL), ==, 404);
  store_whole(t->s);
}

/* An expired invitation has no effect: a user who is added later has exactly the roles of the later request. */
TEST_SERVICE(invitation, over)
{
  const char *org, *first, *second, *id;
  char roles[256];
  org = t_organization(t, "Acme");
  first = t_project(t, org, "alpha");
  second = t_project(t, org, "beta");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"late@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/users", first), ==, 201);
  id = t_keep(t, t_str(t, "id"));
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"late@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/users", second), ==, 201);
  t_advance(t, 31 * INVITATION_DAY);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, id), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "INVITATION_EXPIRED");
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_READ_ONLY\"}]", first);
  munit_assert_string_equal(t_user(t, "late@example.com", roles), id);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users/%s", first, id), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_size(t_count(t, "roles"), ==, 1);
  munit_assert_string_equal(t_str(t, "roles[0]"), "GROUP_READ_ONLY");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users/%s", second, id), ==, 404);
}

/* A caller without a user name is shown as the inviter by its id. */
TEST_SERVICE(invitation, nameless)
{
  const char *org;
  org = t_organization(t, "Acme");
  t->caller.username = NULL;
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  munit_assert_string_equal(t_str(t, "inviterUsername"), t->caller.user_id);
}

/* A caller without any ownership registers another person without roles. The person may register again, with their own name. */
TEST_SERVICE(invitation, for_another)
{
  const char *org, *ada, *bob;
  char roles[256];
  org = t_organization(t, "Acme");
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  ada = t_user(t, "ada@example.com", roles);
  t_as(t, ada);
  munit_assert_int(invitation_register(t, "bob@example.com", "Robert", "[]"), ==, 201);
  bob = t_keep(t, t_str(t, "id"));
  munit_assert_int(invitation_register(t, "bob@example.com", "Robert", "[]"), ==, 409);
  t_as(t, NULL); /* the organization adds the user */
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  damaged_body(t, "organization user", org, bob, "\"ACTIVE\"", "\"PENDING\""); /* such damage is not repaired */
  t_as(t, bob);
  t->caller.username = "bob@example.com";
  munit_assert_int(invitation_register(t, "bob@example.com", "Bob", "[]"), ==, 201);
  munit_assert_string_equal(t_str(t, "firstName"), "Bob");
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "PENDING");
}

/* A registered person who is invited later accepts the invitation by registering again. */
TEST_SERVICE(invitation, since)
{
  const char *org, *bob, *other;
  org = t_organization(t, "Acme");
  other = t_organization(t, "Other");
  t_as(t, "5f0000000000000000000009");
  t->caller.username = "bob@example.com";
  munit_assert_int(invitation_register(t, "bob@example.com", "Robert", "[]"), ==, 201);
  bob = t_keep(t, t_str(t, "id"));
  munit_assert_int(invitation_register(t, "bob@example.com", "Bob", "[]"), ==, 409);
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\",\"ORG_READ_ONLY\"]}}",
                           "/orgs/%s/users", other), ==, 201); /* a registered user is a member at once */
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/invites", org), ==, 201);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "PENDING");
  t_as(t, bob);
  t->caller.username = "bob@example.com";
  munit_assert_int(invitation_register(t, "bob@example.com", "Bob", "[]"), ==, 201);
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_string_equal(t_str(t, "firstName"), "Bob");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", other, bob), ==, 200); /* the earlier organization shows the name, too */
  munit_assert_string_equal(t_str(t, "firstName"), "Bob");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"eve@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"],\"groupRoleAssignments\":"
                           "[{\"groupId\":\"5f0000000000000000000001\",\"groupRoles\":[\"GROUP_OWNER\"]}]}}", "/orgs/%s/users", org), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
}

/* A role on a project can be given only together with a role on the project's own organization. */
TEST_SERVICE(invitation, elsewhere)
{
  const char *org, *other;
  char body[512];
  org = t_organization(t, "Acme");
  other = t_project(t, t_organization(t, "Other"), "beta");
  snprintf(body, sizeof body, "{\"username\":\"eve@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"],\"groupRoleAssignments\":[{\"groupId\":\"%s\","
           "\"groupRoles\":[\"GROUP_OWNER\"]}]}}", other);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/users", org), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), other);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
}
