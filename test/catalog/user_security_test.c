/*
** User security of a project: an LDAP directory with its rules, mappings and verification, and the customer's own
** certificate authorities.
**
** Tests also: ldap_verification
*/
#include "catalog/backup_world.h"
#include "driver.h"
#include "faults.h"
#include "needs.h"
#include "world.h"

#include <errno.h>

#define NEED_VERIFY "/groups/{groupId}/userSecurity/ldap/verify"

static bool need_nodes(struct t_world *w, const svc_plan *plan)
{
  (void)plan;
  t_world_rest(w);
  return true;
}

T_NEEDS(user_security) = {
  /* the nodes of a cluster in operation verify the directory */
  T_FIRST(SVC_POST, NEED_VERIFY, SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_BEFORE(SVC_POST, NEED_VERIFY, need_nodes),
  T_FIRST(SVC_GET, NEED_VERIFY "/{requestId}", SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_BEFORE(SVC_GET, NEED_VERIFY "/{requestId}", need_nodes),
  T_NEEDS_END
};

#define SECURITY "/groups/%G/userSecurity"
#define VERIFY SECURITY "/ldap/verify"
#define BIND "\"hostname\":\"ldap.example.com\",\"bindUsername\":\"CN=svc,OU=a,DC=example,DC=com\",\"bindPassword\":\"a-bind-secret-of-length\""

TEST(user_security, ldap)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "GET", SECURITY, NULL, 200);
  b_is(&w, "ldap.authenticationEnabled", "false");
  b_is(&w, "ldap.port", "636");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"authenticationEnabled\":true}}", "ldap.hostname");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"authenticationEnabled\":true,\"hostname\":\"ldap.example.com\",\"bindUsername\":\"DC=example\"}}",
              "ldap.bindPassword");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"authorizationEnabled\":true," BIND "}}", "ldap.authorizationEnabled");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"bindUsername\":\"jane\"}}", "ldap.bindUsername");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"hostname\":\"not a host\"}}", "ldap.hostname");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"port\":70000}}", "ldap.port");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"caCertificate\":\"-----BEGIN CERTIFICATE-----\\nnonsense\"}}", "ldap.caCertificate");
  b_good(&w, "PATCH", SECURITY, "{\"ldap\":{\"authenticationEnabled\":true,\"authorizationEnabled\":true," BIND "}}", 202);
  munit_assert_null(strstr(w.t.response.body, "secret"));
  /* the stored password is for the first host */
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"hostname\":\"other.example.com\"}}", "ldap.bindPassword");
  b_good(&w, "PATCH", SECURITY, "{\"ldap\":{\"bindUsername\":\"CN=other,DC=example,DC=com\"}}", 202); /* the password stays */
  b_is(&w, "ldap.authenticationEnabled", "true");
  b_good(&w, "PATCH", SECURITY, "{\"ldap\":{\"hostname\":\"2001:db8::1\",\"bindPassword\":\"another\"}}", 202);
  b_good(&w, "GET", "/groups/%G/events?eventType=GROUP_SETTINGS_UPDATED", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  b_close(&w);
}

TEST(user_security, mapping)
{
  b_world w;
  b_open(&w, NULL);
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"userToDNMapping\":[{\"match\":\"(.+)\"}]}}", "ldap.userToDNMapping[0]");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"userToDNMapping\":[{\"match\":\"(.+)\",\"ldapQuery\":\"a\",\"substitution\":\"b\"}]}}",
              "ldap.userToDNMapping[0]");
  b_bad_field(&w, "PATCH", SECURITY, "{\"ldap\":{\"userToDNMapping\":[{\"substitution\":\"b\"}]}}", "ldap.userToDNMapping[0].match");
  b_good(&w, "PATCH", SECURITY,
         "{\"ldap\":{\"userToDNMapping\":[{\"match\":\"(.+)\",\"substitution\":\"CN={0}\"},{\"match\":\"b\",\"ldapQuery\":\"q\"}]}}", 202);
  munit_assert_size(t_count(&w.t, "ldap.userToDNMapping"), ==, 2);
  b_good(&w, "DELETE", SECURITY "/ldap/userToDNMapping", NULL, 202);
  munit_assert_size(t_count(&w.t, "ldap.userToDNMapping"), ==, 0);
  b_good(&w, "DELETE", SECURITY "/ldap/userToDNMapping", NULL, 202); /* deleting no mapping succeeds, too */
  b_good(&w, "GET", SECURITY, NULL, 200);
  munit_assert_size(t_count(&w.t, "ldap.userToDNMapping"), ==, 0);
  b_close(&w);
}

/* The customer's certificate authorities must be valid certificates. The test sends the project's own authority. */
TEST(user_security, x509)
{
  char body[4096], *ca;
  svc_buf b;
  b_world w;
  b_open(&w, NULL);
  b_bad_field(&w, "PATCH", SECURITY, "{\"customerX509\":{\"cas\":\"nonsense\"}}", "customerX509.cas");
  b_good(&w, "POST", "/groups/%G/databaseUsers",
         "{\"databaseName\":\"$external\",\"username\":\"CN=joe\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", 201);
  b_good(&w, "POST", "/groups/%G/databaseUsers/CN%3Djoe/certs", "{}", 201);
  ca = strstr(strstr(w.t.body->text.p, "PRIVATE KEY"), "-----BEGIN CERTIFICATE");
  munit_assert_not_null(ca);
  b = svc_buf_new(&w.t.arena, 2048);
  svc_json_escape(&b, svc_str_c(ca));
  snprintf(body, sizeof body, "{\"customerX509\":{\"cas\":%s}}", svc_buf_done(&b).p);
  munit_assert_int(t_sendf(&w.t, "PATCH", body, "/groups/%s/userSecurity", w.group), ==, 202);
  munit_assert_not_null(strstr(t_str(&w.t, "customerX509.cas"), "BEGIN CERTIFICATE"));
  b_good(&w, "DELETE", SECURITY "/customerX509", NULL, 202);
  munit_assert_null(t_node(&w.t, "customerX509.cas"));
  b_good(&w, "GET", SECURITY, NULL, 200);
  munit_assert_null(t_node(&w.t, "customerX509.cas"));
  b_close(&w);
}

/* Reading either of two certificates may run out of memory: the result is SVC_NOMEM, not an invalid certificate. */
TEST(user_security, no_memory)
{
  svc_str two;
  b_world w;
  long n;
  int rc, which;
  b_open(&w, NULL);
  b_good(&w, "POST", "/groups/%G/databaseUsers",
         "{\"databaseName\":\"$external\",\"username\":\"CN=joe\",\"x509Type\":\"MANAGED\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", 201);
  b_good(&w, "POST", "/groups/%G/databaseUsers/CN%3Djoe/certs", "{}", 201);
  two = w.t.body->text; /* certificates of the user and of the authority, with a key between them, which is skipped */
  for (which = 0; which < 2; which++)
    for (n = 1, rc = SVC_NOMEM; rc == SVC_NOMEM; n++) {
      int64_t from, until;
      svc_arena arena;
      munit_assert_long(n, <, 1000);
      svc_arena_init(&arena, NULL);
      t_fault(T_CALL_MEMORY, n, ENOMEM, false);
      rc = which ? svc_x509_dates(&arena, svc_str_c(strstr(strstr(two.p, "PRIVATE KEY"), "-----BEGIN CERTIFICATE")), &from, &until)
                 : svc_x509_check(&arena, two);
      t_fault_end();
      munit_assert_int(rc, ==, arena.failed ? SVC_NOMEM : SVC_OK);
      svc_blocks_free(arena.blocks);
    }
  munit_assert_long(n, >, 5);
  b_close(&w);
}

/* The nodes of a cluster verify the directory: without a cluster, or with no node in operation, the request is refused. */
TEST(user_security, verify_without_nodes)
{
  b_world w;
  b_open(&w, NULL);
  b_bad(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 400, "LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_CLUSTERS");
  munit_assert_string_equal(t_param(&w.t, 0), w.group);
  b_good(&w, "POST", "/groups/%G/clusters",
         "{\"name\":\"T\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\","
         "\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}", 201);
  t_advance(&w.t, 10);
  /* the nodes of a shared tier do not count */
  b_bad(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 400, "LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_CLUSTERS");
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("C", ""), 201);
  b_bad(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 400, "LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_INSTANCES");
  t_advance(&w.t, 10);
  b_good(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 202);
  b_good(&w, "PATCH", "%C", "{\"paused\":true}", 200);
  t_advance(&w.t, 10);
  b_bad(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 400, "LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_INSTANCES");
  b_good(&w, "DELETE", "%C", NULL, 202);
  b_bad(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 400, "LDAP_VERIFY_CONNECTIVITY_NO_AVAILABLE_CLUSTERS");
  b_close(&w);
}

TEST(user_security, verify)
{
  b_world w;
  int i;
  b_open_cluster(&w, NULL, NULL);
  b_bad_field(&w, "POST", VERIFY, "{\"hostname\":\"ldap.example.com\",\"port\":636,\"bindUsername\":\"DC=a\"}", "bindPassword");
  b_bad_field(&w, "POST", VERIFY, "{\"port\":636,\"caCertificate\":\"no\"," BIND "}", "caCertificate");
  b_good(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 202);
  w.other = t_keep(&w.t, t_str(&w.t, "requestId"));
  b_is(&w, "status", "PENDING");
  b_is(&w, "groupId", w.group);
  b_is(&w, "request.hostname", "ldap.example.com");
  munit_assert_null(strstr(w.t.response.body, "secret"));
  munit_assert_size(t_count(&w.t, "validations"), ==, 0);
  t_advance(&w.t, 1);
  b_good(&w, "GET", VERIFY "/%J", NULL, 200);
  b_is(&w, "status", "SUCCESS");
  munit_assert_size(t_count(&w.t, "validations"), ==, 3);
  b_is(&w, "validations[1].validationType", "CONNECT");
  b_is(&w, "validations[1].status", "OK");
  t_advance(&w.t, 86400);
  b_bad(&w, "GET", VERIFY "/%J", NULL, 404, "RESOURCE_NOT_FOUND");
  for (i = 0; i < 100; i++) b_good(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 202);
  b_bad(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 403, "TOO_MANY_RESOURCES");
  b_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------- the driver */

/* The driver verifies the directory, with the password, and reports the result of each step. */
TEST(user_security, driven)
{
#define STEP "{\"validationType\":\"CONNECT\",\"status\":\"OK\"}"
  char many[4096];
  int i;
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  d.with_secrets = true;
  t_driver_does(&d, "cluster.", "{\"hosts\":[\"a.example.net:27017\"]}");
  b_open_cluster(&w, &config, NULL);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK); /* completes the creation of the cluster */
  b_good(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 202);
  w.other = t_keep(&w.t, t_str(&w.t, "requestId"));
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_null(strstr(t_driver_order(&d, "ldap.verify")->desired, "secret"));
  munit_assert_string_equal(t_driver_order(&d, "ldap.verify")->secrets, "{\"request\":{\"bindPassword\":\"a-bind-secret-of-length\"}}");
  t_driver_refused(&d, w.t.s, "ldap.verify", "{\"validations\":[{\"validationType\":\"NONSENSE\",\"status\":\"OK\"}]}");
  t_driver_finish(&d, w.t.s, "ldap.verify", SVC_OK, "{\"validations\":[{\"validationType\":\"CONNECT\",\"status\":\"OK\"},"
                  "{\"validationType\":\"AUTHENTICATE\",\"status\":\"FAIL\"}]}");
  b_good(&w, "GET", VERIFY "/%J", NULL, 200);
  munit_assert_size(t_count(&w.t, "validations"), ==, 2);
  b_is(&w, "validations[1].status", "FAIL");
  b_good(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 202);
  w.other = t_keep(&w.t, t_str(&w.t, "requestId"));
  t_driver_refused(&d, w.t.s, "ldap.verify", "{\"found\":\"nothing\"}");
  t_driver_finish(&d, w.t.s, "ldap.verify", SVC_OK, "{}"); /* and no steps, if the driver reports none */
  b_good(&w, "GET", VERIFY "/%J", NULL, 200);
  b_is(&w, "status", "SUCCESS");
  munit_assert_size(t_count(&w.t, "validations"), ==, 0);
  b_good(&w, "POST", VERIFY, "{\"port\":636," BIND "}", 202);
  w.other = t_keep(&w.t, t_str(&w.t, "requestId"));
  strcpy(many, "{\"validations\":[" STEP);
  for (i = 1; i < 30; i++) strcat(many, "," STEP);
  strcat(many, "]}");
  t_driver_refused(&d, w.t.s, "ldap.verify", many); /* too many steps */
  t_driver_finish(&d, w.t.s, "ldap.verify", SVC_IO, "{\"reason\":\"nobody answers\"}");
  b_good(&w, "GET", VERIFY "/%J", NULL, 200);
  b_is(&w, "status", "FAILED");
  b_good(&w, "PATCH", SECURITY, "{\"ldap\":{\"authenticationEnabled\":true," BIND "}}", 202); /* the driver gets an order */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(t_driver_order(&d, "security.put")->secrets, "{\"ldap\":{\"bindPassword\":\"a-bind-secret-of-length\"}}");
  b_close(&w);
}
