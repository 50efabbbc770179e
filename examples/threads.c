/*
** Many threads with the same handle: reads never wait for a write, and concurrent writes share a commit. Eight threads create projects:
** each thread a project of its own, and all threads a project of the same name, which only one of them gets. The
** library needs no lock around it.
**
**   cc -I. examples/threads.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out
*/
#include "svcapi.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, EACH = 20 };

typedef struct worker {
  pthread_t thread;
  svc *s;
  const char *org;
  int number, made, refused, read;
} worker;

static int ask(svc *s, const char *method, const char *target, const char *text)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = text ? 1 : 0,
                          .body = text, .body_length = text ? strlen(text) : 0, .caller = &me };
  svc_response response; /* owned by this thread, like its memory */
  int status;
  svc_handle_request(s, &request, &response);
  status = response.status;
  svc_response_free(&response);
  return status;
}

static void *work(void *context)
{
  worker *w = context;
  char text[128];
  int i;
  for (i = 0; i < EACH; i++) {
    snprintf(text, sizeof text, "{\"name\":\"project-%d-%d\",\"orgId\":\"%s\"}", w->number, i, w->org);
    w->made += ask(w->s, "POST", "/api/svc/v2/groups", text) == 201;
    snprintf(text, sizeof text, "{\"name\":\"wanted-%d\",\"orgId\":\"%s\"}", i, w->org);
    if (ask(w->s, "POST", "/api/svc/v2/groups", text) == 201) w->made++; else w->refused++;
    w->read += ask(w->s, "GET", "/api/svc/v2/groups", NULL) == 200;
  }
  return NULL;
}

int main(void)
{
  svc_config config = { .limiter_off = 1 };
  worker workers[THREADS] = { 0 };
  int i, made = 0, refused = 0, read = 0;
  svc_statistics stats = { 0 };
  svc_credentials first;
  svc *s;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) return 1;
  for (i = 0; i < THREADS; i++) {
    workers[i].s = s, workers[i].org = first.org_id, workers[i].number = i;
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 1;
  }
  for (i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    made += workers[i].made, refused += workers[i].refused, read += workers[i].read;
  }
  svc_stats(s, &stats);
  printf("%d made, %d refused, %d lists read; %llu writes in %llu commits\n", made, refused, read,
         (unsigned long long)stats.writes, (unsigned long long)stats.commits);
  svc_close(s);
  return made == (THREADS + 1) * EACH && refused == (THREADS - 1) * EACH && read == THREADS * EACH ? 0 : 1;
}
