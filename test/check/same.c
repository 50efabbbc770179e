/*
** A scenario with a seed and a manual clock, printed in full. test/check/same.sh compiles it with several compilers and for
** other processors, and compares the outputs. A byte that depends on the order in which a compiler evaluates arguments, on the
** size of a type or on the sign of char shows up as a difference.
**
** The scenario creates resources of many kinds, signs in, is refused, lets time pass, and then follows every link.
*/
#include "svcapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE "http://localhost:8080"
#define LINKS 8000

static char *links[LINKS]; /* targets that were printed or are to be printed */
static size_t link_count;

static void same_die(const char *why)
{
  fprintf(stderr, "same: %s\n", why);
  exit(1);
}

static void same_note_links(const char *body)
{
  const char *at = body, *end;
  size_t i, n;
  while ((at = strstr(at, "\"href\":\"" BASE)) != NULL) {
    at += strlen("\"href\":\"" BASE);
    end = strchr(at, '"');
    n = (size_t)(end - at);
    for (i = 0; i < link_count && (strlen(links[i]) != n || memcmp(links[i], at, n) != 0); i++) continue;
    if (i < link_count) continue;
    if (link_count == LINKS) same_die("more links than there is room for");
    if (!(links[link_count] = malloc(n + 1))) same_die("no memory");
    memcpy(links[link_count], at, n);
    links[link_count++][n] = 0;
  }
}

static char basic[256]; /* the Authorization header of the first service account; "": not sent */

static void same_basic(const svc_credentials *first)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char plain[160] = "";
  size_t n = (size_t)snprintf((char *)plain, sizeof plain, "%s:%s", first->client_id, first->client_secret), i, at;
  at = (size_t)snprintf(basic, sizeof basic, "Basic ");
  for (i = 0; i < n; i += 3) {
    unsigned v = (unsigned)plain[i] << 16 | (unsigned)plain[i + 1] << 8 | plain[i + 2];
    basic[at++] = digits[v >> 18];
    basic[at++] = digits[v >> 12 & 63];
    basic[at++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
    basic[at++] = i + 2 < n ? digits[v & 63] : '=';
  }
  basic[at] = 0;
}

/* Sends a request and prints the answer. `caller` 0: authenticated by the Authorization header alone. Returns the status. */
static int same_send(svc *s, const char *method, const char *target, const char *type, const char *body, int caller)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  const svc_header headers[] = { { "Content-Type", type, 0, 0 }, { "Authorization", basic, 0, 0 } };
  svc_request request = { .method = method, .target = target, .headers = headers, .header_count = !body ? 0 : basic[0] ? 2 : 1, .body = body,
                          .body_length = body ? strlen(body) : 0, .caller = caller ? &me : NULL };
  svc_response response;
  size_t i;
  int status;
  if (svc_handle_request(s, &request, &response) != SVC_OK) same_die("a request was not answered");
  printf("%s %s\n%d\n", method, target, response.status);
  for (i = 0; i < response.header_count; i++) printf("%s: %s\n", response.headers[i].name, response.headers[i].value);
  fwrite(response.body, 1, response.body_length, stdout);
  printf("\n\n");
  if (caller && response.status < 300) same_note_links(response.body);
  status = response.status;
  svc_response_free(&response);
  return status;
}

#define CLUSTER(name, region) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"backupEnabled\":true,\"replicationSpecs\":[{" \
  "\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"" region "\",\"priority\":7,\"electableSpecs\":{" \
  "\"instanceSize\":\"M30\",\"nodeCount\":3}}]}]}"

/* Created in this order, below the project (G) or the organization (O); `seconds` pass afterwards. */
static const struct {
  char where;
  const char *path, *body;
  int seconds;
} same_rows[] = {
  { 'G', "/clusters", CLUSTER("shop", "US_EAST_1"), 0 },
  { 'G', "/clusters", CLUSTER("store", "EU_WEST_1"), 60 },
  { 'G', "/databaseUsers", "{\"databaseName\":\"admin\",\"username\":\"ada\",\"password\":\"correct horse battery\",\"roles\":[{"
    "\"databaseName\":\"shop\",\"roleName\":\"readWrite\"}]}", 0 },
  { 'G', "/accessList", "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"198.51.100.0/24\"}]", 0 },
  { 'G', "/containers", "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"svcCidrBlock\":\"10.8.0.0/21\"}", 0 },
  { 'G', "/clusters/shop/backup/snapshots", "{\"description\":\"by hand\",\"retentionInDays\":3}", 600 },
  { 'G', "/sampleDatasetLoad/shop", NULL, 600 },
  { 'G', "/flexClusters", "{\"name\":\"flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 60 },
  { 'G', "/streams", "{\"name\":\"Orders\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"}}", 60 },
  { 'G', "/customDBRoles/roles", "{\"roleName\":\"reader\",\"inheritedRoles\":[{\"db\":\"shop\",\"role\":\"read\"}]}", 0 },
  { 'O', "/apiKeys", "{\"desc\":\"for the nightly job\",\"roles\":[\"ORG_READ_ONLY\"]}", 0 },
  { 'O', "/serviceAccounts", "{\"name\":\"deployer\",\"description\":\"deploys\",\"roles\":[\"ORG_MEMBER\"],"
    "\"secretExpiresAfterHours\":24}", 0 },
  { 'O', "/invites", "{\"username\":\"invited@example.com\",\"roles\":[\"ORG_MEMBER\"]}", 0 },
  { 'O', "/users", "{\"username\":\"new@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", 40 * 86400 }
};

static void same_sign_in(svc *s, const svc_credentials *first)
{
  same_basic(first);
  if (same_send(s, "POST", "/api/oauth/token", "application/x-www-form-urlencoded", "grant_type=client_credentials", 0) != 200)
    same_die("no token");
  basic[0] = 0;
  if (same_send(s, "GET", "/api/svc/v2/groups", "", NULL, 0) != 401) same_die("a stranger was let in"); /* gets a nonce */
}

int main(void)
{
  static const unsigned char key[32] = "the key of a scenario for tests";
  const svc_config config = { .manual_clock = 1893456000000, .seed = 1, .limiter_off = 1, .secret_key = key };
  svc_credentials first;
  char target[512];
  size_t i;
  svc *s;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) same_die("the store does not open");
  same_sign_in(s, &first);
  for (i = 0; i < sizeof same_rows / sizeof same_rows[0]; i++) {
    int org = same_rows[i].where == 'O';
    snprintf(target, sizeof target, "/api/svc/v2/%s/%s%s", org ? "orgs" : "groups", org ? first.org_id : first.group_id, same_rows[i].path);
    if (same_send(s, "POST", target, "application/json", same_rows[i].body, 1) >= 300) same_die(target);
    if (same_rows[i].seconds && svc_clock_advance(s, (int64_t)same_rows[i].seconds * 1000) != SVC_OK) same_die("the clock does not move");
  }
  same_send(s, "GET", "/api/svc/v2", "", NULL, 1);
  for (i = 0; i < link_count; i++) same_send(s, "GET", links[i], "", NULL, 1);
  if (link_count < 150) same_die("hardly any links were found");
  svc_close(s);
  while (link_count) free(links[--link_count]);
  return 0;
}
