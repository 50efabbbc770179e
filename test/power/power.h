/*
** The state of a disk after a power cut: build/power/power, which `./build.sh test-power` runs.
**
** record.c is loaded into a program (LD_PRELOAD) and logs its changes to files below $POWER_ROOT into $POWER_LOG: writes, flushes
** and names. disk.c replays the log on a simulated disk, and can produce at any moment the files that a power cut would leave.
** scenes.c has the programs, and records what they were promised; power.c cuts their runs.
*/
#ifndef SVC_TEST_POWER_H
#define SVC_TEST_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the log: a sequence of records, each followed by its text */

enum power_kind {
  POWER_OPEN = 1, /* text: the path; fd; value: 1: writes are flushed at once; 2: the file was truncated to 0 */
  POWER_CLOSE,
  POWER_WRITE,    /* text: the bytes; offset */
  POWER_CUT,      /* offset: the length */
  POWER_FLUSH,    /* a file or a folder */
  POWER_FOLDER,   /* text: the path of a new folder */
  POWER_REMOVE,   /* text: a path, also of a folder */
  POWER_RENAME,   /* text: two paths, separated by a NUL */
  POWER_LINK,     /* text: two paths, separated by a NUL */
  POWER_MARK      /* text: a message of the program: see scenes.c */
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
/* Replays one record; ignores POWER_MARK. A NUL must follow the text. */
void disk_do(disk *d, const power_record *r, const char *text);
size_t disk_pending(const disk *d); /* writes and names that a power cut may lose */

enum disk_fate {
  DISK_FLUSHED,  /* only flushed data is there */
  DISK_ALL,      /* all written data is there */
  DISK_CHANCE    /* each sector has its old content or that of any later write; the first few of the unflushed names exist */
};
/* Writes the state after a power cut into an empty folder. */
void disk_leave(const disk *d, int fate, uint64_t *chance, const char *folder);

/* ---- scenes.c: programs, and what must be there after a cut */

/* The acknowledgments so far, for the scene's own use. */
typedef struct power_promise {
  char group[32];
  bool backed_up, served, restored; /* set when the program was told that this is done */
  uint32_t acked[64], asked[64];    /* values of keys, 0: none; asked: a value that may be there, too */
} power_promise;

typedef struct power_scene {
  const char *name;
  void (*play)(const char *root, const char *log, const char *record); /* runs programs with the recorder */
  void (*check)(const char *folder, const power_promise *promise);     /* dies if a promise is broken */
} power_scene;

extern const power_scene power_scenes[];
extern const size_t power_scene_count;
void power_hear(power_promise *p, const char *mark); /* handles a mark of the log */
int power_load(const char *root); /* the program of the first scene */

/* ---- power.c */
extern const char *power_state; /* the state that is being checked, for messages */
void power_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
uint32_t power_chance(uint64_t *state, uint32_t below);

#endif /* SVC_TEST_POWER_H */
