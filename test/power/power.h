/*
** What a disk is left with when the power is cut: build/power/power, which `./build.sh test-power` runs.
**
** record.c is loaded into a program (LD_PRELOAD) and writes down, into $POWER_LOG, what it does to files below $POWER_ROOT: what it
** writes, what it flushes, which names it gives. disk.c does the same again on a disk of its own, and can say at any moment what
** would be left of it. scenes.c are programs that do something and say what they were promised; power.c cuts them off.
*/
#ifndef SVC_TEST_POWER_H
#define SVC_TEST_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the log: records one behind the other, each followed by its text */

enum power_kind {
  POWER_OPEN = 1, /* text: the path; fd; value: 1: what is written to it is flushed at once; 2: it was cut to nothing */
  POWER_CLOSE,
  POWER_WRITE,    /* text: the bytes; offset */
  POWER_CUT,      /* offset: the length */
  POWER_FLUSH,    /* of a file or a folder */
  POWER_FOLDER,   /* text: the path of a new folder */
  POWER_REMOVE,   /* text: a path; also of a folder */
  POWER_RENAME,   /* text: two paths, with a NUL between */
  POWER_LINK,     /* as well */
  POWER_MARK      /* text: what the program says: see scenes.c */
};

typedef struct power_record {
  uint32_t kind, length; /* of the text */
  int32_t pid, fd;
  uint64_t offset, value;
} power_record;

/* ---- disk.c */

typedef struct disk disk;

disk *disk_new(const char *root);
void disk_free(disk *d);
/* POWER_MARK does nothing. Text without its closing NUL. */
void disk_do(disk *d, const power_record *r, const char *text);
size_t disk_pending(const disk *d); /* writes and names that a power cut may undo */

enum disk_fate {
  DISK_FLUSHED,  /* nothing that was not flushed is there */
  DISK_ALL,      /* all of it is */
  DISK_CHANCE    /* of every sector what was there before, or any of what was written since; of names the first few */
};
/* What is left, into an empty folder. */
void disk_leave(const disk *d, int fate, uint64_t *chance, const char *folder);

/* ---- scenes.c: what a program does, and what has to be there when it is cut off */

/* What it was told so far; the scene's own. */
typedef struct power_promise {
  char group[32];
  bool backed_up, served, restored; /* each when it was said to be done */
  uint32_t acked[64], asked[64];    /* values of keys, 0: none; asked: also this may be there */
} power_promise;

typedef struct power_scene {
  const char *name;
  void (*play)(const char *root, const char *log, const char *record); /* runs programs that are recorded */
  void (*check)(const char *folder, const power_promise *promise);     /* dies where it is not as it was promised */
} power_scene;

extern const power_scene power_scenes[];
extern const size_t power_scene_count;
void power_hear(power_promise *p, const char *mark); /* of a mark in the log */
int power_load(const char *root); /* the program of the first scene */

/* ---- power.c */
extern const char *power_state; /* which one it is that is looked at, for messages */
void power_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
uint32_t power_chance(uint64_t *state, uint32_t below);

#endif /* SVC_TEST_POWER_H */
