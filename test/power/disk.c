/*
** A simulated disk that distinguishes flushed data from data only written: see power.h.
**
** A file has the bytes that are on the disk, and the later writes in their order. A flush applies these writes. A write to a file
** opened with O_SYNC flushes itself. The names of all folders are one list, in the order of their creation. A name is on the disk
** after its folder was flushed, and not before the names in front of it: a power cut leaves the first few, like a file system
** with a journal. Flushing a file does not flush its name.
*/
#define _GNU_SOURCE
#include "power.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISK_SECTOR 512
#define DISK_FILES 256
#define DISK_OPEN 256
#define DISK_NAMES 1024

typedef struct disk_write {
  uint64_t offset;
  uint32_t n; /* 0: a change of the file's length */
  char *bytes;
} disk_write;

typedef struct disk_file {
  char *bytes;
  uint64_t n, room;
  disk_write *writes;
  size_t count, space;
  bool folder;
} disk_file;

typedef struct disk_open_file {
  int pid, fd;
  int file;
  bool sync;
} disk_open_file;

/* A name is added (file >= 0) or removed. */
typedef struct disk_name {
  char path[256];
  int file;
  int with; /* index of the other entry of the same step, which reaches the disk together with this one: a rename; -1: none */
  bool flushed;
} disk_name;

struct disk {
  char root[PATH_MAX];
  disk_file files[DISK_FILES];
  int file_count;
  disk_open_file open[DISK_OPEN];
  int open_count;
  disk_name names[DISK_NAMES];
  int name_count;
};

disk *disk_new(const char *root)
{
  disk *d = calloc(1, sizeof *d);
  if (!d) power_die("no memory");
  snprintf(d->root, sizeof d->root, "%s", root);
  return d;
}

static void disk_forget(disk_file *f)
{
  while (f->count) free(f->writes[--f->count].bytes);
}

void disk_free(disk *d)
{
  int i;
  for (i = 0; i < d->file_count; i++) {
    disk_forget(&d->files[i]);
    free(d->files[i].writes);
    free(d->files[i].bytes);
  }
  free(d);
}

/* ----------------------------------------------------------------------------------------------------------------- names */

/* Returns the file with this name, as the program sees it; -1: none. */
static int disk_find(const disk *d, const char *path)
{
  int i;
  for (i = d->name_count; i-- > 0;)
    if (strcmp(d->names[i].path, path) == 0) return d->names[i].file;
  return -1;
}

static void disk_name_it(disk *d, const char *path, int file, bool with_next)
{
  disk_name *n = &d->names[d->name_count];
  if (d->name_count == DISK_NAMES || strlen(path) >= sizeof n->path) power_die("too many names, or too long ones");
  memset(n, 0, sizeof *n);
  snprintf(n->path, sizeof n->path, "%s", path);
  n->file = file;
  n->with = with_next ? d->name_count + 1 : -1;
  d->name_count++;
}

static int disk_new_file(disk *d, bool folder)
{
  if (d->file_count == DISK_FILES) power_die("too many files");
  d->files[d->file_count].folder = folder;
  return d->file_count++;
}

static bool disk_is_in(const char *path, const char *folder)
{
  size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && path[n] == '/' && !strchr(path + n + 1, '/');
}

/* Flushes the folder's names and all names before them, because a journal has an order. */
static void disk_flush_folder(disk *d, const char *path)
{
  int i, last = -1;
  for (i = 0; i < d->name_count; i++)
    if (disk_is_in(d->names[i].path, path)) last = d->names[i].with > i ? d->names[i].with : i;
  for (i = 0; i <= last; i++) d->names[i].flushed = true;
}

/* ----------------------------------------------------------------------------------------------------------------- files */

static disk_open_file *disk_open(disk *d, int pid, int fd)
{
  int i;
  for (i = 0; i < d->open_count; i++)
    if (d->open[i].pid == pid && d->open[i].fd == fd) return &d->open[i];
  return NULL;
}

static void file_put(disk_file *f, uint64_t offset, const char *bytes, size_t n)
{
  if (offset + n > f->room) {
    uint64_t room = (offset + n) * 2;
    f->bytes = realloc(f->bytes, room);
    if (!f->bytes) power_die("no memory");
    memset(f->bytes + f->room, 0, room - f->room);
    f->room = room;
  }
  memcpy(f->bytes + offset, bytes, n);
  if (offset + n > f->n) f->n = offset + n;
}

static void file_resize(disk_file *f, uint64_t n)
{
  if (n < f->n) memset(f->bytes + n, 0, f->n - n);
  else if (n > f->n) file_put(f, n, "", 0);
  f->n = n;
}

static void file_write(disk_file *f, uint64_t offset, const char *bytes, size_t n, bool cut)
{
  disk_write *w;
  if (f->count == f->space) {
    f->space = f->space ? 2 * f->space : 64;
    f->writes = realloc(f->writes, f->space * sizeof *f->writes);
    if (!f->writes) power_die("no memory");
  }
  w = &f->writes[f->count++];
  w->offset = offset;
  w->n = cut ? 0 : (uint32_t)n;
  w->bytes = malloc(n + 1);
  if (!w->bytes) power_die("no memory");
  memcpy(w->bytes, bytes, n);
}

static void file_apply(disk_file *f, const disk_write *w)
{
  if (w->n) file_put(f, w->offset, w->bytes, w->n);
  else file_resize(f, w->offset);
}

/* Writes through to the disk, this range only. Earlier writes elsewhere in the file may still be lost. */
static void file_write_through(disk_file *f, uint64_t offset, const char *bytes, size_t n)
{
  size_t i;
  for (i = 0; i < f->count; i++) {
    const disk_write *w = &f->writes[i];
    uint64_t from = w->offset > offset ? w->offset : offset;
    uint64_t to = w->offset + w->n < offset + n ? w->offset + w->n : offset + n;
    if (from < to) memcpy(w->bytes + (from - w->offset), bytes + (from - offset), to - from); /* older data must not come back */
  }
  file_put(f, offset, bytes, n);
}

static void file_flush(disk_file *f)
{
  size_t i;
  for (i = 0; i < f->count; i++) file_apply(f, &f->writes[i]);
  disk_forget(f);
}

/* ------------------------------------------------------------------------------------------------------------- the program */

static void do_open(disk *d, const power_record *r, const char *path)
{
  disk_open_file *o = disk_open(d, r->pid, r->fd);
  int file = disk_find(d, path);
  if (!o) {
    if (d->open_count == DISK_OPEN) power_die("too many files are open");
    o = &d->open[d->open_count++];
  }
  if (file < 0) {
    file = disk_new_file(d, strcmp(path, d->root) == 0);
    disk_name_it(d, path, file, false);
    if (d->files[file].folder) d->names[d->name_count - 1].flushed = true;
  } else if (r->value & 2) {
    file_write(&d->files[file], 0, "", 0, true);
  }
  *o = (disk_open_file){ r->pid, r->fd, file, r->value & 1 };
}

static void do_write(disk *d, const power_record *r, const char *text)
{
  disk_open_file *o = disk_open(d, r->pid, r->fd);
  if (!o) power_die("a write to a file that nobody opened: fd %d", r->fd);
  if (o->sync && r->kind == POWER_WRITE) {
    file_write_through(&d->files[o->file], r->offset, text, r->length);
    return;
  }
  file_write(&d->files[o->file], r->offset, text, r->length, r->kind == POWER_CUT);
}

static void do_flush(disk *d, const power_record *r)
{
  disk_open_file *o = disk_open(d, r->pid, r->fd);
  int i;
  if (!o) power_die("a flush of a file that nobody opened: fd %d", r->fd);
  if (!d->files[o->file].folder) {
    file_flush(&d->files[o->file]);
    return;
  }
  for (i = 0; i < d->name_count; i++)
    if (d->names[i].file == o->file) {
      char path[sizeof d->names[i].path];
      memcpy(path, d->names[i].path, sizeof path);
      disk_flush_folder(d, path);
    }
}

static void do_two(disk *d, const power_record *r, const char *text)
{
  const char *to = text + strlen(text) + 1;
  int file = disk_find(d, text);
  if (file < 0) power_die("%s has no name", text);
  disk_name_it(d, to, file, r->kind == POWER_RENAME);
  if (r->kind == POWER_RENAME) disk_name_it(d, text, -1, false);
}

void disk_do(disk *d, const power_record *r, const char *text)
{
  disk_open_file *o;
  switch (r->kind) {
  case POWER_OPEN: do_open(d, r, text); break;
  case POWER_CLOSE:
    o = disk_open(d, r->pid, r->fd);
    if (o) *o = d->open[--d->open_count];
    break;
  case POWER_WRITE:
  case POWER_CUT: do_write(d, r, text); break;
  case POWER_FLUSH: do_flush(d, r); break;
  case POWER_FOLDER: disk_name_it(d, text, disk_new_file(d, true), false); break;
  case POWER_REMOVE: disk_name_it(d, text, -1, false); break;
  case POWER_RENAME:
  case POWER_LINK: do_two(d, r, text); break;
  default: break;
  }
}

size_t disk_pending(const disk *d)
{
  size_t n = 0;
  int i;
  for (i = 0; i < d->file_count; i++) n += d->files[i].count;
  for (i = 0; i < d->name_count; i++) n += !d->names[i].flushed;
  return n;
}

/* ------------------------------------------------------------------------------------------------------------- after a cut */

/* Each sector gets the content of one of the writes since the flush, or keeps its own. The last write wins half of the time. */
static void leave_chance(const disk_file *f, disk_file *out, uint64_t *chance)
{
  size_t i;
  uint64_t at;
  for (i = 0; i < f->count; i++) {
    const disk_write *w = &f->writes[i];
    if (!w->n) {
      if (power_chance(chance, 2)) file_resize(out, w->offset);
      continue;
    }
    for (at = 0; at < w->n;) {
      uint64_t part = DISK_SECTOR - (w->offset + at) % DISK_SECTOR;
      if (part > w->n - at) part = w->n - at;
      if (power_chance(chance, 2)) file_put(out, w->offset + at, w->bytes + at, part);
      at += part;
    }
  }
}

static void leave_file(const disk_file *f, int fate, uint64_t *chance, const char *path)
{
  disk_file out = { 0 };
  size_t i;
  int fd;
  file_put(&out, 0, f->bytes ? f->bytes : "", f->n);
  if (fate == DISK_CHANCE) leave_chance(f, &out, chance);
  for (i = 0; fate == DISK_ALL && i < f->count; i++) file_apply(&out, &f->writes[i]);
  fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || (out.n && write(fd, out.bytes, out.n) != (ssize_t)out.n)) power_die("cannot write %s", path);
  close(fd);
  free(out.bytes);
}

void disk_leave(const disk *d, int fate, uint64_t *chance, const char *folder)
{
  static disk kept; /* used for its names only */
  char path[PATH_MAX];
  int i, names = 0, file;
  while (names < d->name_count && d->names[names].flushed) names++;
  if (fate == DISK_ALL) names = d->name_count;
  if (fate == DISK_CHANCE && names < d->name_count) names += (int)power_chance(chance, (uint32_t)(d->name_count - names) + 1);
  if (names && names < d->name_count && d->names[names - 1].with == names) names++;
  if (names < 0 || names > DISK_NAMES) power_die("too many names");
  memcpy(kept.names, d->names, (size_t)names * sizeof *d->names);
  kept.name_count = names;
  for (i = 0; i < names; i++) {
    file = disk_find(&kept, d->names[i].path);
    if (file != d->names[i].file || file < 0 || strcmp(d->names[i].path, d->root) == 0) continue;
    if (snprintf(path, sizeof path, "%s%s", folder, d->names[i].path + strlen(d->root)) >= (int)sizeof path) power_die("too long a path");
    if (!d->files[file].folder) leave_file(&d->files[file], fate, chance, path);
    else if (mkdir(path, 0700) != 0 && access(path, F_OK) != 0) power_die("cannot make %s", path);
  }
}
