/*
** A handle after fork(): the child's copy refuses everything and writes nothing, svc_close() there leaves the parent's lock and readers
** alone, and the parent goes on. Both ways to notice are tested: the page that the kernel empties, and the process's number.
*/
#include "faults.h"
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#define HOUR INT64_C(3600000)

static int fork_count; /* of the child: the call that was answered otherwise than it should be */

static void fork_expect(bool good)
{
  fork_count++;
  if (!good) _exit(fork_count); /* an assertion of the test program would end the parent's suite */
}

static void fork_refused(svc *s)
{
  svc_request request = { .method = "POST", .target = "/api/svc/v2/orgs", .body = "{\"name\":\"child\"}", .body_length = 16 };
  svc_response response;
  svc_statistics figures;
  svc_credentials made;
  svc_snapshot *taken = NULL;
  fork_expect(svc_handle_request(s, &request, &response) == SVC_INVALID && response.status == 503 && strstr(response.body, "another process"));
  svc_response_free(&response);
  request.method = "GET";
  fork_expect(svc_handle_request(s, &request, &response) == SVC_INVALID && response.status == 503);
  fork_expect(svc_response_header(&response, "Retry-After") != NULL);
  svc_response_free(&response);
  fork_expect(svc_control_request(s, NULL, &request, &response) == SVC_INVALID && response.status == 503);
  fork_expect(svc_tick(s) == SVC_INVALID);
  fork_expect(!svc_is_due(s) && !svc_may_wait(s, &request));
  fork_expect(svc_openapi(s, &response) == SVC_INVALID);
  fork_expect(svc_backup(s, "/nowhere") == SVC_INVALID);
  fork_expect(svc_check_store(s, NULL, NULL) == SVC_INVALID);
  fork_expect(svc_bootstrap(s, &made) == SVC_INVALID);
  fork_expect(svc_stats(s, &figures) == SVC_INVALID);
  fork_expect(svc_clock_advance(s, HOUR) == SVC_INVALID && svc_clock_now(s) == 0);
  fork_expect(svc_snapshot_take(s, &taken) == SVC_INVALID && !taken);
  fork_expect(svc_report(s, "cluster", "000000000000000000000001", "{}") == SVC_INVALID);
  fork_expect(svc_order_done(s, "000000000000000000000001", SVC_OK, NULL) == SVC_INVALID);
  svc_journal_clear(s);
  svc_set_ready(s, 0);
}

/* In the child: opens the parent's store again, which must be in use. */
static bool fork_is_held(const char *path)
{
  svc_config config = { .path = path, .store = t_port() };
  svc *s;
  return !path || svc_open(&s, &config) == SVC_BUSY;
}

static void fork_one(const char *path, bool by_page)
{
  svc_config config = { .path = path, .manual_clock = T_START, .journal = 10, .metrics = 1, .limiter_off = 1 };
  svc_snapshot *taken;
  svc_response kept;
  t_service t;
  uint64_t print;
  pid_t child;
  int status = 0;
  if (!by_page) t_fault(T_CALL_MAP, 1, ENOMEM, false); /* the first map is that page */
  t_open(&t, &config);
  if (!by_page) munit_assert_long(t_fault_end(), ==, 1);
  munit_assert_int(t.s->fork.page != NULL, ==, by_page && !getenv("SVC_TEST_QEMU")); /* qemu empties no page, and is not trusted to */
  t_organization(&t, "Acme");
  munit_assert_int(svc_snapshot_take(t.s, &taken), ==, SVC_OK);
  munit_assert_int(svc_openapi(t.s, &kept), ==, SVC_OK);
  print = store_print(t.s);
  child = fork();
  munit_assert_int(child, >=, 0);
  if (child == 0) {
    fork_count = 0;
    fork_refused(t.s);
    svc_snapshot_free(taken);
    svc_response_free(&kept);
    svc_close(t.s);
    fork_expect(fork_is_held(path));
    _exit(0);
  }
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) munit_errorf("the child's check %d failed (status %d)", WEXITSTATUS(status), status);
  munit_assert_true(store_print(t.s) == print);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200); /* with a reader that the child had as well */
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_organization(&t, "Later");
  munit_assert_int(svc_snapshot_restore(t.s, taken), ==, SVC_OK);
  munit_assert_true(store_print(t.s) == print);
  store_whole(t.s);
  svc_snapshot_free(taken);
  svc_response_free(&kept);
  if (path) t_reopen(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  t_close(&t);
}

TEST(fork, refused)
{
  char path[128];
  int by_page;
  SKIP_IF(!T_ON_LMDB);
  for (by_page = 0; by_page < 2; by_page++) {
    store_folder(path);
    fork_one(path, by_page);
    store_remove(path);
    fork_one(NULL, by_page);
  }
}

/* The in-memory store belongs to the child's own memory. */
TEST(fork, memory)
{
  svc_config config = { .store = svc_memory_port(), .manual_clock = T_START };
  pid_t child;
  int status = 0;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  child = fork();
  munit_assert_int(child, >=, 0);
  if (child == 0) {
    fork_count = 0;
    fork_expect(svc_tick(s) == SVC_INVALID);
    svc_close(s);
    _exit(0);
  }
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  munit_assert_int(status, ==, 0);
  munit_assert_int(svc_tick(s), ==, SVC_OK);
  svc_close(s);
}
