/*
** Tests parts of the PostgreSQL driver that need no server: the pool (which tasks run at the same
** time) and the programs that the driver runs (one deadline for writing, reading and waiting).
** FOLDER is an empty folder for the driver.
**
** Tasks wait until the test lets them go, so each test counts tasks and measures no time.
*/
#include "driver_postgres/driver_postgres_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 60 /* seconds, after which a condition that is still false fails the test */
#define LANES 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int running, most, finished, let_go, group_running[3], group_most[3], lane_running[LANES],
    broken, last_of[LANES];

static void expect(int good, const char *what)
{
  if (good) return;
  fprintf(stderr, "driver_pool: %s\n", what);
  _exit(1);
}

/* ------------------------------------------------------------------------------------------- pool */

/* user: the project as a digit; name: "LANE NUMBER" */
static void task(driver_postgres *d, driver_task *t)
{
  int group = t->user[0] - '0', lane = 0, number = 0, stay;
  (void)d;
  expect(sscanf(t->name, "%d %d", &lane, &number) == 2, "a task has another's name");
  pthread_mutex_lock(&lock);
  if (++lane_running[lane] > 1 || number <= last_of[lane]) broken = 1;
  last_of[lane] = number;
  if (++group_running[group] > group_most[group]) group_most[group] = group_running[group];
  if (++running > most) most = running;
  pthread_mutex_unlock(&lock);
  do {
    usleep(1000);
    pthread_mutex_lock(&lock);
    stay = !(let_go & 1 << group);
    pthread_mutex_unlock(&lock);
  } while (stay);
  pthread_mutex_lock(&lock);
  lane_running[lane]--;
  group_running[group]--;
  running--;
  finished++;
  pthread_mutex_unlock(&lock);
}

static void add(driver_postgres *d, int group, int lane, int number)
{
  driver_task like = { .run = task };
  char id[32], project[32];
  snprintf(like.user, sizeof like.user, "%d", group);
  snprintf(like.name, sizeof like.name, "%d %d", lane, number);
  snprintf(id, sizeof id, "lane %d", lane);
  snprintf(project, sizeof project, "project %d", group);
  expect(driver_pool_add(d, &like, id, NULL, project) == 0, "a task is not taken");
}

static void wait_until(const int *value, int wanted, const char *what)
{
  int i, is = -1;
  for (i = 0; i < PATIENCE * 1000 && is != wanted; i++) {
    pthread_mutex_lock(&lock);
    is = *value;
    pthread_mutex_unlock(&lock);
    if (is != wanted) usleep(1000);
  }
  expect(is == wanted, what);
}

static void let(int group)
{
  pthread_mutex_lock(&lock);
  let_go |= 1 << group;
  pthread_mutex_unlock(&lock);
}

/* A project whose tasks hang has its share of the threads; the tasks of another project run and end
** meanwhile. */
static void test_pool(driver_postgres *d)
{
  int lane, number;
  for (lane = 0; lane < 32; lane++)
    for (number = 1; number <= 4; number++) add(d, 0, lane, number);
  wait_until(&running, DRIVER_SHARE, "the tasks of a project do not run");
  let(1);
  for (lane = 32; lane < 36; lane++)
    for (number = 1; number <= 50; number++) add(d, 1, lane, number);
  wait_until(&finished, 200, "tasks wait for those of another project that hang");
  expect(group_most[0] == DRIVER_SHARE, "a project has more than its share of the threads");
  let(0);
  wait_until(&finished, 328, "tasks that hung do not end");
  expect(!broken, "tasks of a lane have run at the same time, or not in their sequence");
  expect(group_most[0] == DRIVER_SHARE && group_most[1] <= DRIVER_SHARE && most <= DRIVER_THREADS,
         "more threads than there may be");
}

/* A task with two lanes waits for both, and the tasks behind it on each lane wait for it. */
static void test_two_lanes(driver_postgres *d)
{
  driver_task like = { .run = task, .user = "2", .name = "40 1" };
  finished = let_go = 0;
  expect(driver_pool_add(d, &like, "lane 40", NULL, "project 2") == 0, "a task is not taken");
  wait_until(&running, 1, "a task does not run");
  snprintf(like.name, sizeof like.name, "40 2");
  expect(driver_pool_add(d, &like, "lane 40", "lane 41", "project 2") == 0,
         "a task with two lanes is not taken");
  add(d, 2, 41, 1);
  add(d, 2, 42, 1);
  wait_until(&running, 2, "a task of a free lane does not run");
  expect(lane_running[42] == 1 && lane_running[41] == 0, "a task has overtaken one with two lanes");
  let(2);
  wait_until(&finished, 4, "a task with two lanes does not run");
  expect(!broken, "a task with two lanes has run beside another of its lanes");
}

/* --------------------------------------------------------------------------------------- programs */

static int run(driver_postgres *d, const char *script, int seconds, const char *input, char *said,
               size_t size)
{
  const driver_bounds bounds = { .seconds = seconds, .what = "the program" };
  char text[256];
  char *argv[] = { "/bin/sh", "-c", text, NULL };
  snprintf(text, sizeof text, "%s", script);
  return driver_run_in(d, seconds ? &bounds : NULL, input, said, size, argv);
}

static void test_programs(driver_postgres *d)
{
  static char input[1 << 20], said[2 << 20];
  memset(input, 'x', sizeof input - 1);
  expect(run(d, "exec cat", PATIENCE, input, said, sizeof said) == 0 && strcmp(said, input) == 0,
         "a program does not get its input");
  expect(run(d, "head -c 1000000 /dev/zero | tr '\\0' y; exec cat", PATIENCE, input, said,
             sizeof said) == 0 &&
         strlen(said) == 1000000 + sizeof input - 1, "a program that prints before it reads");
  expect(run(d, "head -c 1000000 /dev/zero; exec cat >/dev/null", PATIENCE, input, said, 8) == 0,
         "output that is not kept blocks the program");
  expect(run(d, "exec sleep 3600", 1, input, said, sizeof said) == -1,
         "a program that does not read its input");
  expect(strcmp(said, "the program did not answer within 1 seconds") == 0,
         "a program that does not read has no reason");
  expect(run(d, "exec >&- 2>&-; exec sleep 3600", 1, NULL, said, sizeof said) == -1,
         "a program that closes its output and does not end");
  expect(strcmp(said, "the program did not answer within 1 seconds") == 0,
         "a program that does not end has no reason");
  expect(run(d, "exec <&-; exit 3", PATIENCE, input, said, sizeof said) == 3,
         "a program that refuses its input");
  expect(strstr(said, "has ended with status 3") != NULL,
         "a program that says nothing has no reason");
  expect(run(d, "kill -9 $$", PATIENCE, NULL, said, sizeof said) == -1 && strstr(said, "signal 9"),
         "a program that was killed has no reason");
  expect(run(d, "echo no; exit 4", PATIENCE, NULL, said, sizeof said) == 4 &&
         strcmp(said, "no\n") == 0, "the words of a program are lost");
}

/* The end of the driver kills a program without a timeout, after which no program starts. */
static void hang(driver_postgres *d, driver_task *t)
{
  char said[128];
  (void)t;
  pthread_mutex_lock(&lock);
  running = 1;
  pthread_mutex_unlock(&lock);
  expect(run(d, "exec sleep 3600", 0, NULL, said, sizeof said) == -1 &&
         strcmp(said, "the driver ends") == 0, "a program outlives the driver");
  expect(run(d, "exit 0", 0, NULL, said, sizeof said) == -1,
         "a program starts after the end of the driver");
  pthread_mutex_lock(&lock);
  finished = 1;
  pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
  driver_postgres_config config = { .folder = argc > 1 ? argv[1] : NULL };
  const driver_task last = { .run = hang };
  driver_postgres *d;
  char why[256];
  expect(driver_postgres_open(&d, &config, why, sizeof why) == 0, "the driver does not open");
  test_pool(d);
  test_two_lanes(d);
  test_programs(d);
  running = finished = 0;
  expect(driver_pool_add(d, &last, "lane", NULL, "project") == 0, "a task is not taken");
  wait_until(&running, 1, "the last task does not run");
  driver_postgres_close(d);
  expect(finished == 1, "the driver has closed before its task ended");
  return 0;
}
