/*
** Failed work on database users, which the driver repeats: a lock was not free, or a server did not
** answer.
**
** The file FOLDER/control/ID/mend.HEX stands for a role of the server ID that is not as the
** project's files describe it. HEX is the name of the role in hexadecimal, the content "USER NAME"
** the id and the name of the database user. Of a deleted user nothing else is left, so the note has
** the name. A server without the file "settled" is set up again as a whole. The watch queues the
** repetition when its time has come: after 2, 4, ... 300 seconds.
**
** The rule: a note is removed only when its work is done. The notes survive a restart of svcd.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>

#define MEND_NOTE "mend."
#define MEND_LONGEST 300 /* most seconds between two repetitions */

static void mend_file(const char *name, char out[160])
{
  static const char hex[] = "0123456789abcdef";
  size_t i, n = (size_t)snprintf(out, 160, MEND_NOTE);
  for (i = 0; i < DRIVER_NAME && name[i]; i++) {
    out[n++] = hex[(unsigned char)name[i] >> 4];
    out[n++] = hex[(unsigned char)name[i] & 15];
  }
  out[n] = 0;
}

/* Sets the time of the next repetition, unless there is one; again: after one more failure. */
static void mend_plan(driver_postgres *d, const char *id, int again)
{
  driver_server *s;
  int wait;
  pthread_mutex_lock(&d->servers_lock);
  s = driver_server_make(d, id);
  if (s && (again || !s->mend_at)) {
    if (s->mends < 9) s->mends++;
    wait = 1 << s->mends < MEND_LONGEST ? 1 << s->mends : MEND_LONGEST;
    s->mend_at = driver_now() + 1000 * wait;
  }
  pthread_mutex_unlock(&d->servers_lock);
}

/* Notes that work on a user has failed on a server. */
void driver_mend_later(driver_postgres *d, const char *id, const char *user, const char *name)
{
  char file[160], text[128];
  mend_file(name, file);
  snprintf(text, sizeof text, "%.24s %s", user, name);
  /* a note that is kept is not met twice by a loop over the notes */
  if (!driver_knows(d, id, file)) driver_write(d, id, file, text);
  mend_plan(d, id, 0);
}

/* Removes the note about a role whose work is done. */
void driver_mended(driver_postgres *d, const char *id, const char *name)
{
  char file[160];
  mend_file(name, file);
  driver_unlink(d, id, file);
}

/* Reads the next note of a server. Returns 0 at the end. */
static int mend_next(const driver_postgres *d, const char *id, DIR *folder, char text[128])
{
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL)
    if (strncmp(entry->d_name, MEND_NOTE, sizeof MEND_NOTE - 1) == 0 &&
        !strchr(entry->d_name + sizeof MEND_NOTE - 1, '.') &&
        driver_read(d, id, entry->d_name, text, 128) == 0 && strlen(text) > 25)
      return 1;
  return 0;
}

/* Plans a repetition if the server has notes, or its roles are not complete: at the start of the
** driver, and when the server is set up. */
void driver_mend_begin(driver_postgres *d, const char *id)
{
  DIR *folder = driver_list(d->control, id);
  char text[128];
  if (mend_next(d, id, folder, text) || (driver_knows(d, id, "made") && !driver_knows(d, id,
                                                                                      "settled")))
    mend_plan(d, id, 0);
  if (folder) closedir(folder);
}

/* Makes the planned repetitions of a project due at once. */
void driver_mend_now(driver_postgres *d, const char *group)
{
  char its_group[32];
  driver_server *s;
  pthread_mutex_lock(&d->servers_lock);
  for (s = d->servers; s; s = s->next)
    if (s->mend_at && driver_read(d, s->id, "group", its_group, sizeof its_group) == 0 &&
        strcmp(its_group, group) == 0)
      s->mend_at = driver_now();
  pthread_mutex_unlock(&d->servers_lock);
}

/* Repeats the work of all notes of a server. Returns the number of those that failed again, and
** adds the others to *done. */
static int mend_all(driver_postgres *d, const char *id, const char *group, int *done)
{
  DIR *folder = driver_list(d->control, id);
  char text[128], said[1024];
  int failed = 0;
  while (!driver_stopping(d) && mend_next(d, id, folder, text)) {
    text[24] = 0;
    if (driver_user_on(d, group, id, text, text + 25, said, sizeof said) != 0) failed++;
    else ++*done;
  }
  if (folder) closedir(folder);
  return failed;
}

/* Sets a server up again whose roles could not be completed. Returns 0 on success. */
static int mend_server(driver_postgres *d, const char *id, const char *group)
{
  if (driver_settle(d, group, id) != 0) return 1;
  driver_say(d, SVC_LOG_WARNING, "postgres.users_mended",
             "postgres: the roles of the server of %s, which had failed, are complete now", id);
  return 0;
}

/* A task: repeats the failed work on a server that runs; another keeps its notes. */
static void mend_task(driver_postgres *d, driver_task *t)
{
  const char *id = t->lanes[0]->id;
  char group[32];
  driver_server *s;
  int failed = 0, done = 0;
  if (driver_knows(d, id, "made") && driver_read(d, id, "group", group, sizeof group) == 0) {
    driver_hold(d, id);
    if (!driver_is_running(d, id)) failed = 1;
    else if (!driver_knows(d, id, "settled")) failed = mend_server(d, id, group);
    else failed = mend_all(d, id, group, &done);
    driver_release(d, id);
  }
  if (done)
    driver_say(d, SVC_LOG_WARNING, "postgres.users_mended",
               "postgres: %d database users of the server of %s, which had failed, are as ordered "
               "now", done, id);
  if (failed) mend_plan(d, id, 1);
  pthread_mutex_lock(&d->servers_lock);
  s = driver_server_of(d, id);
  if (s && !failed) s->mend_at = 0, s->mends = 0;
  pthread_mutex_unlock(&d->servers_lock);
}

/* Queues the repetition if its time has come. The watch calls it for a server that answers. */
void driver_mend_due(driver_postgres *d, const char *id)
{
  const driver_server *s;
  int due;
  pthread_mutex_lock(&d->servers_lock);
  s = driver_server_of(d, id);
  due = s && s->mend_at && driver_now() >= s->mend_at;
  pthread_mutex_unlock(&d->servers_lock);
  if (due) driver_own_later(d, id, DRIVER_OWN_MEND, mend_task);
}
