/*
** A driver program that cannot be started, or writes more than a log should have: every system call of its start fails once, and nothing
** stays open.
*/
#define _GNU_SOURCE /* pipe2 */
#include "faults.h"
#include "support.h"
#include "../examples/svcd/driver_exec.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct driver_exec_log {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char text[65536];
  int lines;
} driver_exec_log;

static void driver_exec_note(void *context, int level, const char *event, const char *text)
{
  driver_exec_log *log = context;
  size_t n;
  (void)level;
  pthread_mutex_lock(&log->lock);
  n = strlen(log->text);
  snprintf(log->text + n, sizeof log->text - n, "%s %s\n", event, text);
  log->lines++;
  pthread_cond_broadcast(&log->changed);
  pthread_mutex_unlock(&log->lock);
}

/* Waits until the log contains the text. */
static void driver_exec_await(driver_exec_log *log, const char *text)
{
  pthread_mutex_lock(&log->lock);
  while (!strstr(log->text, text)) pthread_cond_wait(&log->changed, &log->lock);
  pthread_mutex_unlock(&log->lock);
}

static int driver_exec_files(void)
{
  DIR *d = opendir("/proc/self/fd");
  int n = 0;
  munit_assert_not_null(d);
  while (readdir(d)) n++;
  closedir(d);
  return n;
}

static driver_exec *driver_exec_make(driver_exec_log *log, const char *command, svc *s, int fault)
{
  driver_exec_config config = { command, 10000, driver_exec_note, log };
  driver_exec *d;
  memset(log, 0, sizeof *log);
  pthread_mutex_init(&log->lock, NULL);
  pthread_cond_init(&log->changed, NULL);
  munit_assert_int(driver_exec_open(&d, &config), ==, 0);
  if (fault) t_fault(T_CALL_PROGRAM, fault, EMFILE, false);
  munit_assert_int(driver_exec_begin(d, s), ==, 0);
  return d;
}

/* Each of three pipes and the start itself fails once: svcd says so, never that a program has ended, and tries again. */
TEST(driver_exec, starts)
{
  driver_exec_log log;
  driver_exec *d;
  t_service t;
  int files, at;
  t_open(&t, NULL);
  files = driver_exec_files();
  for (at = 1; at <= 4; at++) {
    d = driver_exec_make(&log, "echo '{\"driver\":1}'; exec cat >/dev/null", t.s, at);
    driver_exec_await(&log, "driver.not_started");
    munit_assert_int(driver_exec_files(), ==, files + 2); /* the pipe that wakes the thread */
    munit_assert_null(strstr(log.text, "driver.ended"));
    munit_assert_not_null(strstr(log.text, "svcd tries again in 1 s"));
    driver_exec_stop(d);
    munit_assert_long(t_fault_end(), ==, 1);
    driver_exec_close(d);
    munit_assert_int(driver_exec_files(), ==, files);
  }
  t_close(&t);
}

/* waitid() fails: the program counts as ended, and is restarted. */
TEST(driver_exec, waits)
{
  driver_exec_log log;
  driver_exec *d;
  t_service t;
  t_open(&t, NULL);
  d = driver_exec_make(&log, "echo '{\"driver\":1}'; exec cat >/dev/null", t.s, 5);
  driver_exec_await(&log, "driver.ended");
  driver_exec_stop(d);
  t_fault_end();
  driver_exec_close(d);
  t_close(&t);
}

/* A program that writes without end: at most 20 lines a second are logged, and the log says how many are missing. */
TEST(driver_exec, says)
{
  driver_exec_log log;
  driver_exec *d;
  t_service t;
  const char *left;
  int n;
  t_open(&t, NULL);
  d = driver_exec_make(&log, "echo '{\"driver\":1}'; yes 'a line of the program' | head -n 20000 >&2; sleep 1.1; echo last >&2; exec cat >/dev/null", t.s, 0);
  driver_exec_await(&log, "driver.said driver: last\n");
  left = strstr(log.text, " further lines of the program were left out");
  munit_assert_not_null(left);
  for (n = 0; left > log.text && left[-1] >= '0' && left[-1] <= '9'; n++) left--;
  munit_assert_int(n, >, 0);
  munit_assert_int(log.lines, <, 2000); /* 20 for each second that the program took, however slow the machine is */
  driver_exec_stop(d);
  driver_exec_close(d);
  t_close(&t);
}

/* A path that leads nowhere is an error at the start, not one line in a log. */
TEST(driver_exec, check)
{
  static const char *const good[] = { "exec python3 driver.py", "/bin/sh -c true", "true", "a=b; true", "/bin/cat 'x y'" };
  char why[256], long_command[EXEC_COMMAND + 8];
  size_t i;
  for (i = 0; i < sizeof good / sizeof good[0]; i++) munit_assert_int(driver_exec_check(good[i], why, sizeof why), ==, 0);
  munit_assert_int(driver_exec_check("/nonexist/driver --fast", why, sizeof why), ==, -1);
  munit_assert_string_equal(why, "/nonexist/driver: No such file or directory");
  munit_assert_int(driver_exec_check("exec ./nonexist", why, sizeof why), ==, -1);
  memset(long_command, 'a', sizeof long_command);
  long_command[sizeof long_command - 1] = '\0';
  munit_assert_int(driver_exec_check(long_command, why, sizeof why), ==, -1);
}
