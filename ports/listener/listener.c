/*
** The listener as a host sees it (ports/listener.h): opening, starting, stopping, closing; and its log.
**
** The rule: threads end in the order loops, pools; only then is anything freed, because a loop waits for
** the answers of the pools, and a thread of a pool rings its loop's bell.
*/
#include "parts.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void svc_listener_log(const svc_listener *l, int level, const char *event, const char *format, ...)
{
  char text[256];
  va_list args;
  if (!l->config.log && !l->config.log_event) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (l->config.log_event) l->config.log_event(l->config.log_context, level, event, text);
  else l->config.log(l->config.log_context, level, text);
}

void svc_listener_warn(svc_listener *l, const char *event, const char *text)
{
  uint_fast64_t last = atomic_load(&l->warned), now = svc_listener_now();
  if (now - last >= 1000 && atomic_compare_exchange_strong(&l->warned, &last, now))
    svc_listener_log(l, SVC_LOG_WARNING, event, "%s", text);
}

/* All steps that can fail: configuration, loops, sockets. After a failure svc_listener_close() frees what exists. */
static int listener_prepare(svc_listener *l, const svc_listener_config *config, char *why, size_t size)
{
  int rc = svc_listener_configure(l, config, why, size);
  bool secure = false;
  size_t i;
  if (rc != SVC_OK) return rc;
  for (i = 0; i < l->config.url_count; i++) secure |= svc_listener_is_https(l->config.urls[i]);
  if (secure) rc = svc_listener_tls_open(l, why, size);
  if (rc != SVC_OK) return rc;
  l->loops = calloc(l->config.threads, sizeof *l->loops);
  if (!l->loops || !svc_listener_pools_open(l) || !svc_listener_places_open(l)) return SVC_NOMEM;
  for (i = 0; i < l->config.threads && rc == SVC_OK; i++) rc = svc_listener_loop_open(&l->loops[i], l, why, size);
  for (i = 0; i < l->config.url_count && rc == SVC_OK; i++) rc = svc_listener_bind(l, i, why, size);
  return rc;
}

int svc_listener_open(svc_listener **out, const svc_listener_config *config, char *why, size_t why_size)
{
  svc_listener *l;
  int rc;
  if (why && why_size) why[0] = '\0';
  if (!out) return SVC_INVALID;
  *out = NULL;
  if (!config) return svc_listener_why(why, why_size, SVC_INVALID, "there is no configuration");
  svc_listener_quiet();
  l = calloc(1, sizeof *l);
  if (!l) return svc_listener_why(why, why_size, SVC_NOMEM, "%s", svc_strerror(SVC_NOMEM));
  svc_listener_pools_begin(l);
  pthread_mutex_init(&l->places_lock, NULL); /* cannot fail on Linux */
  pthread_mutex_init(&l->identity_lock, NULL);
  rc = listener_prepare(l, config, why, why_size);
  l->config.urls = NULL; /* the host's memory */
  l->config.trusted_proxies = NULL;
  l->config.cert_file = l->config.key_file = NULL;
  if (rc == SVC_OK) {
    *out = l;
    return SVC_OK;
  }
  if (why && why_size && !why[0]) svc_listener_why(why, why_size, rc, "%s", svc_strerror(rc));
  svc_listener_close(l);
  return rc;
}

const char *svc_listener_url(const svc_listener *l, size_t i)
{
  return l && i < LISTENER_URLS ? l->urls[i] : NULL;
}

/* Returns false if a thread cannot be started; those before it run. */
static bool listener_start_threads(svc_listener *l)
{
  size_t i;
  if (!svc_listener_pools_start(l)) return false;
  for (i = 0; i < l->config.threads; i++) {
    listener_loop *loop = &l->loops[i];
    if (pthread_create(&loop->thread, NULL, svc_listener_loop_run, loop) != 0) return false;
    loop->running = true;
  }
  return true;
}

int svc_listener_start(svc_listener *l, svc *s)
{
  sigset_t all, before;
  bool good;
  if (!l || l->started || (!s && !l->config.handle)) return SVC_INVALID;
  l->s = s;
  l->started = true;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit it: signals belong to the host */
  good = listener_start_threads(l);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (good) return SVC_OK;
  svc_listener_stop(l);
  return SVC_NOMEM;
}

void svc_listener_drain(svc_listener *l)
{
  if (l) atomic_store(&l->draining, true);
}

void svc_listener_stop(svc_listener *l)
{
  size_t i;
  if (!l || !l->started || l->stopped) return;
  l->stopped = true;
  svc_listener_drain(l);
  atomic_store(&l->stopping, true);
  for (i = 0; i < l->config.threads; i++)
    if (l->loops[i].running) svc_listener_ring(&l->loops[i]);
  for (i = 0; i < l->config.threads; i++)
    if (l->loops[i].running) pthread_join(l->loops[i].thread, NULL);
  /* requests that still wait for a thread have timed out, and get no answer any more */
  svc_listener_pools_stop(l);
}

void svc_listener_stats(svc_listener *l, svc_listener_statistics *out)
{
  memset(out, 0, sizeof *out);
  if (!l) return;
  out->accepted = atomic_load(&l->accepted);
  out->refused = atomic_load(&l->turned_away);
  out->sent_bytes = atomic_load(&l->sent);
  pthread_mutex_lock(&l->places_lock);
  out->connections = l->connections;
  pthread_mutex_unlock(&l->places_lock);
  svc_listener_pool_stats(l, LISTENER_WRITE, &out->writers);
  svc_listener_pool_stats(l, LISTENER_READ, &out->readers);
  svc_listener_pool_stats(l, LISTENER_ASK, &out->askers);
  svc_listener_pool_stats(l, LISTENER_LONG, &out->longs);
  out->waiting = out->writers.changes + out->askers.changes;
}

void svc_listener_close(svc_listener *l)
{
  size_t i;
  if (!l) return;
  svc_listener_stop(l);
  for (i = 0; l->loops && i < l->config.threads; i++) svc_listener_loop_close(&l->loops[i]);
  for (i = 0; i < LISTENER_URLS; i++) free(l->urls[i]);
  svc_listener_pools_close(l);
  svc_listener_places_close(l);
  svc_listener_tls_close(l);
  svc_listener_document_close(l);
  pthread_mutex_destroy(&l->identity_lock);
  pthread_mutex_destroy(&l->places_lock);
  free(l->loops);
  free(l->proxies);
  free(l);
}
