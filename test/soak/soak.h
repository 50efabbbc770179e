/*
** A long load test against a model that predicts every answer: the parts of build/soak/soak, which `./build.sh soak` runs.
**
** The rule: every answer is known in advance. A world is an organization with credentials of several roles. Only one thread uses
** a world, so its model is exact; the worlds work at the same time. Rounds keep the worlds in step: the clock moves between two rounds,
** and svcd is ended in the middle of a round. An interrupted request may have been done or not, until the next read shows the outcome.
** All random choices come from the seed, so a run can be repeated, except for the moments of the interruptions.
*/
#ifndef SVC_TEST_SOAK_H
#define SVC_TEST_SOAK_H

#include "http_text.h"

#include <mbedtls/ssl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOAK_WORLDS 4
#define SOAK_PROJECTS 4 /* per world; the first one is never deleted */
#define SOAK_SLOTS 12   /* resources of one kind, in a project or in the organization */
#define SOAK_STEPS 40   /* per world and round */
#define SOAK_PROVISION 40 /* seconds that creating a cluster takes */

uint32_t soak_chance(uint64_t *state, uint32_t below); /* repeatable: equal states give equal numbers */
int64_t soak_ms(void);                                 /* monotonic clock */
void soak_pause(int milliseconds);
void soak_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- https.c: a blocking client */

#define HTTPS_ANSWER 524288

typedef struct https_client {
  int fd; /* -1: not connected */
  unsigned used, ends; /* requests on this connection; value of daemon_ends() at its start */
  int64_t last;        /* time of the last use: svcd closes idle connections */
  mbedtls_ssl_context tls;
} https_client;

typedef struct https_answer {
  int status; /* 0: no answer */
  char tag[64]; /* ETag as sent */
  const char *body;
  char text[HTTPS_ANSWER];
} https_answer;

void https_begin(const char *authority); /* the file with svcd's self-signed certificate */
void https_end(void);
/* `headers` are whole lines, each ending in \r\n; body NULL: none. Dies if the connection is lost although svcd was not ended. */
void https_ask(https_client *c, const char *method, const char *path, const char *headers, const char *body, https_answer *out);
void https_close(https_client *c);
long https_number(const char *json, const char *name);                         /* -1: the member is missing */

/* ---- daemon.c: svcd and its size */

typedef struct daemon_size {
  long anonymous, resident, files, threads, store, began; /* KiB; open files; threads; KiB on disk, now and at the start */
} daemon_size;

int daemon_port(void);
unsigned daemon_ends(void); /* twice the number of times svcd was ended; odd while it is being ended */
void daemon_start(int64_t now); /* now: svcd's clock, in seconds since 1970 */
void daemon_end(int number); /* SIGKILL, or SIGTERM, after which it must exit successfully */
void daemon_hang_up(void); /* SIGHUP: svcd reloads its certificate, and no client notices */
void daemon_check(void); /* svcd check: verifies the store. Only while svcd is not running */
void daemon_forget(void); /* removes svcd's store and the backup */
void daemon_measure(daemon_size *out);
long daemon_packed(void); /* KiB of a backup, which has only the contents */
void daemon_file(const char *name, char *out, size_t size); /* the path of a file in $SOAK_FOLDER */
void daemon_bootstrap(const char *member, char *out, size_t size);
void daemon_quit(void); /* without a message: another failure is being reported */

/* ---- model.c: existing resources, what they show, and who may do what */

enum soak_kind {
  SOAK_PROJECT, SOAK_TEAM, SOAK_KEY, SOAK_ACCOUNT, /* in the organization */
  SOAK_USER, SOAK_ROLE, SOAK_ENTRY, SOAK_WATCH, SOAK_CLUSTER, SOAK_SNAPSHOT, /* in a project; a snapshot has the slot of its cluster */
  SOAK_KINDS
};
enum soak_who { SOAK_OWNER, SOAK_GROUP_OWNER, SOAK_READER, SOAK_DOOMED, SOAK_STRANGER, SOAK_NOBODY, SOAK_WHO };
enum soak_event { SOAK_ADDED, SOAK_CHANGED, SOAK_REMOVED, SOAK_READY, SOAK_EVENTS };

/* Placeholders in texts: $O organization, $G project, $N slot, $C the slot's cluster, $V value, $B value as a boolean, $K key,
   $U a person. NULL: the kind has none. */
typedef struct soak_row {
  const char *name;
  const char *list, *make, *member; /* paths */
  const char *create, *change;      /* bodies */
  const char *shown;                /* text that a GET must contain */
  const char *listed;               /* text that the list contains once per item */
  const char *key;                  /* the member of an answer that is the key; NULL: the key is made from the slot, by `named` */
  const char *named;
  const char *event[SOAK_EVENTS];
  int made, gone;                   /* status of a create and of a delete */
  unsigned slots;
  unsigned others;                  /* how many of this kind exist from the start, in each project */
  bool unique;                      /* unique by slot: a second one is refused */
  bool upsert;                      /* a second create replaces the first */
  bool bare;                        /* the list is a plain array */
  bool uncounted;                   /* the service adds resources of this kind itself */
} soak_row;

extern const soak_row soak_rows[SOAK_KINDS];

typedef struct soak_thing {
  bool there;
  unsigned value;
  char key[48]; /* after a delete: the last key */
  /* for clusters and snapshots */
  const char *state;
  bool paused;
  int64_t due, resumes, resumed, expires; /* seconds; 0: none */
} soak_thing;

typedef struct soak_world {
  unsigned number;
  uint64_t chance;
  int64_t now;
  char org[32];
  struct {
    char id[64], secret[96], token[160];
    int64_t expires;
    bool good; /* the credential is not deleted */
  } who[SOAK_WHO];
  char person[64];
  int64_t invited;
  soak_thing things[SOAK_KINDS][SOAK_PROJECTS][SOAK_SLOTS]; /* resources of the organization: in project 0; projects: slot 0 of each */
  unsigned events[SOAK_KINDS][SOAK_PROJECTS][SOAK_EVENTS];
  unsigned limit[SOAK_PROJECTS]; /* limit of database users */
  unsigned values; /* values used so far: all are different */
  uint64_t asked, written, cut, refused;
  https_client http;
  https_answer answer;
  char said[16][1024]; /* the latest operations */
  unsigned says;
} soak_world;

soak_thing *model_thing(soak_world *w, int kind, unsigned project, unsigned slot);
bool model_is_of_project(int kind);
void model_fill(const soak_world *w, int kind, unsigned project, unsigned slot, unsigned value, const char *pattern, char *out, size_t size);
unsigned model_live(const soak_world *w, int kind, unsigned project);
unsigned model_all(const soak_world *w);
/* Returns 0, or the status with which `who` is refused before any other check. */
int model_refuses(const soak_world *w, int who, int kind, unsigned project, bool writes, bool makes);
int model_create(const soak_world *w, int kind, unsigned project, unsigned slot); /* the status for an authorized caller */
int model_delete(const soak_world *w, int kind, unsigned project, unsigned slot);
int model_pause(const soak_world *w, unsigned project, unsigned slot, bool pause);
void model_created(soak_world *w, int kind, unsigned project, unsigned slot, unsigned value, const char *key);
void model_changed(soak_world *w, int kind, unsigned project, unsigned slot, unsigned value);
void model_deleted(soak_world *w, int kind, unsigned project, unsigned slot);
void model_paused(soak_world *w, unsigned project, unsigned slot, bool pause);
void model_advance(soak_world *w, int64_t now);

/* ---- work.c: the operations of a world's user */

void work_begin(soak_world *w, const char *token); /* creates the world, with the credential of the bootstrap file */
void work_round(soak_world *w);
void work_all(soak_world *w); /* reads everything that the model has */
void work_stranger(soak_world *w, const soak_world *other); /* makes the other world's owner the stranger of this one */

#endif /* SVC_TEST_SOAK_H */
