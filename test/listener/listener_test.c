#include <munit.h>
static MunitTest tests[] = { { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL } };
const MunitSuite svc_suite_listener = { "listener", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
