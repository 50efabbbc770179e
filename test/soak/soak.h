/*
** A service that is used for as long as one likes, and a model of what it has to answer: the parts of build/soak/soak, which
** `./build.sh soak` runs.
**
** The rule: every answer is known before it comes. A world is an organization with credentials of several roles; one thread is its
** only user, so that its model is exact, and the worlds work at the same time. Rounds keep them together: the clock is moved
** between two rounds, svcd is ended in the middle of one. A request that this cuts off was done or not, until it is read again.
** All chance comes from the seed, so that it does the same again, but for where a cut falls.
*/
#ifndef SVC_TEST_SOAK_H
#define SVC_TEST_SOAK_H

#include "http_text.h"

#include <mbedtls/ssl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOAK_WORLDS 4
#define SOAK_PROJECTS 4 /* of a world; the first one stays */
#define SOAK_SLOTS 12   /* of a kind, in a project or in the organization */
#define SOAK_STEPS 40   /* of each world in a round */
#define SOAK_PROVISION 40 /* seconds that a cluster takes to be made */

uint32_t soak_chance(uint64_t *state, uint32_t below); /* the same for a state that begins the same */
int64_t soak_ms(void);                                 /* of a clock that never steps */
void soak_pause(int milliseconds);
void soak_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- https.c: a client that waits for its answer */

#define HTTPS_ANSWER 524288

typedef struct https_client {
  int fd; /* -1: not connected */
  unsigned used, ends; /* requests on this connection; what daemon_ends() was when it was made */
  int64_t last;        /* when it was used: svcd closes what is idle */
  mbedtls_ssl_context tls;
} https_client;

typedef struct https_answer {
  int status; /* 0: there was none */
  char tag[64]; /* ETag, as it stands there */
  const char *body;
  char text[HTTPS_ANSWER];
} https_answer;

void https_begin(const char *authority); /* the file of the certificate that svcd made for itself */
void https_end(void);
/* `headers` are whole lines, each with \r\n; body NULL: none. Dies where a connection is lost and nobody has ended svcd. */
void https_ask(https_client *c, const char *method, const char *path, const char *headers, const char *body, https_answer *out);
void https_close(https_client *c);
long https_number(const char *json, const char *name);                         /* -1: there is none */

/* ---- daemon.c: svcd, and how large it is */

typedef struct daemon_size {
  long anonymous, resident, files, threads, store, began; /* KiB; open files; threads; KiB on the disk, now and at its start */
} daemon_size;

int daemon_port(void);
unsigned daemon_ends(void); /* twice for every time that it was ended: odd while that is under way */
void daemon_start(int64_t now); /* seconds since 1970: its clock stands there */
void daemon_end(int number); /* SIGKILL, or SIGTERM, after which it must have ended well */
void daemon_hang_up(void); /* SIGHUP: it reads its certificate again, and nobody is to notice */
void daemon_check(void); /* svcd check: is the store whole? Only while it does not run */
void daemon_forget(void); /* its folder is empty again */
void daemon_measure(daemon_size *out);
long daemon_packed(void); /* KiB of a backup, which holds nothing but what is stored */
void daemon_file(const char *name, char *out, size_t size); /* the path of a file of its folder */
void daemon_bootstrap(const char *member, char *out, size_t size);
void daemon_quit(void); /* without a word: another failure is being told */

/* ---- model.c: what there is, what it shows, and who may do what */

enum soak_kind {
  SOAK_PROJECT, SOAK_TEAM, SOAK_KEY, SOAK_ACCOUNT, /* of the organization */
  SOAK_USER, SOAK_ROLE, SOAK_ENTRY, SOAK_WATCH, SOAK_CLUSTER, SOAK_SNAPSHOT, /* of a project; a snapshot has the slot of its cluster */
  SOAK_KINDS
};
enum soak_who { SOAK_OWNER, SOAK_GROUP_OWNER, SOAK_READER, SOAK_DOOMED, SOAK_STRANGER, SOAK_NOBODY, SOAK_WHO };
enum soak_event { SOAK_ADDED, SOAK_CHANGED, SOAK_REMOVED, SOAK_READY, SOAK_EVENTS };

/* $O organization, $G project, $N slot, $C its cluster, $V value, $B value as a boolean, $K key, $U a person. NULL: there is none. */
typedef struct soak_row {
  const char *name;
  const char *list, *make, *member; /* paths */
  const char *create, *change;      /* bodies */
  const char *shown;                /* what a GET has in it */
  const char *listed;               /* what an item of the list has in it, once */
  const char *key;                  /* the member of an answer that is its key; NULL: the key is made of its slot, as named */
  const char *named;
  const char *event[SOAK_EVENTS];
  int made, gone;                   /* status */
  unsigned slots;
  unsigned others;                  /* of this kind that are there from the beginning, in each project */
  bool unique;                      /* by its slot: a second one is refused */
  bool upsert;                      /* a second one replaces the first */
  bool bare;                        /* its list is a plain array */
  bool uncounted;                   /* the service adds some by itself */
} soak_row;

extern const soak_row soak_rows[SOAK_KINDS];

typedef struct soak_thing {
  bool there;
  unsigned value;
  char key[48]; /* of one that is gone: its last */
  /* of clusters and snapshots */
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
    bool good; /* it is not deleted */
  } who[SOAK_WHO];
  char person[64];
  int64_t invited;
  soak_thing things[SOAK_KINDS][SOAK_PROJECTS][SOAK_SLOTS]; /* of the organization: those of project 0; projects: slot 0 of each */
  unsigned events[SOAK_KINDS][SOAK_PROJECTS][SOAK_EVENTS];
  unsigned limit[SOAK_PROJECTS]; /* of database users */
  unsigned values; /* that were given out: no two are the same */
  uint64_t asked, written, cut, refused;
  https_client http;
  https_answer answer;
  char said[16][1024]; /* the last operations */
  unsigned says;
} soak_world;

soak_thing *model_thing(soak_world *w, int kind, unsigned project, unsigned slot);
bool model_is_of_project(int kind);
void model_fill(const soak_world *w, int kind, unsigned project, unsigned slot, unsigned value, const char *pattern, char *out, size_t size);
unsigned model_live(const soak_world *w, int kind, unsigned project);
unsigned model_all(const soak_world *w);
/* 0, or the status with which `who` is refused before anything else is looked at. */
int model_refuses(const soak_world *w, int who, int kind, unsigned project, bool writes, bool makes);
int model_create(const soak_world *w, int kind, unsigned project, unsigned slot); /* the status, for who may */
int model_delete(const soak_world *w, int kind, unsigned project, unsigned slot);
int model_pause(const soak_world *w, unsigned project, unsigned slot, bool pause);
void model_created(soak_world *w, int kind, unsigned project, unsigned slot, unsigned value, const char *key);
void model_changed(soak_world *w, int kind, unsigned project, unsigned slot, unsigned value);
void model_deleted(soak_world *w, int kind, unsigned project, unsigned slot);
void model_paused(soak_world *w, unsigned project, unsigned slot, bool pause);
void model_advance(soak_world *w, int64_t now);

/* ---- work.c: what the user of a world does */

void work_begin(soak_world *w, const char *token); /* makes it, by the credential of the bootstrap file */
void work_round(soak_world *w);
void work_all(soak_world *w); /* looks at everything that the model knows */
void work_stranger(soak_world *w, const soak_world *other); /* whose owner is the stranger */

#endif /* SVC_TEST_SOAK_H */
