/*
** The configuration: zero members get their defaults, and invalid ones are refused before any socket is opened. The other parts rely on
** it: a limit is never zero, and sums of limits do not overflow.
*/
#include "parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int svc_listener_why(char *why, size_t size, int code, const char *format, ...)
{
  va_list args;
  if (!why || !size) return code;
  va_start(args, format);
  vsnprintf(why, size, format, args);
  va_end(args);
  return code;
}

static void config_or(size_t *value, size_t otherwise)
{
  if (*value == 0) *value = otherwise;
}

static void config_or_ms(int64_t *value, int64_t otherwise)
{
  if (*value <= 0) *value = otherwise;
}

#ifdef SVC_WITH_OPENSSL
#define CONFIG_TLS &svc_listener_tls_openssl
#else
#define CONFIG_TLS &svc_listener_tls_mbedtls
#endif

static void config_defaults(svc_listener_config *k)
{
  config_or(&k->threads, 1);
  config_or(&k->writers, 16);
  config_or(&k->askers, 36);
  config_or(&k->max_waiting, 256);
  config_or(&k->max_connections, 1024);
  config_or(&k->max_body, (size_t)1 << 20);
  config_or(&k->max_header_bytes, 16 << 10);
  config_or(&k->max_target, 8 << 10);
  config_or_ms(&k->header_timeout_ms, 10000);
  config_or_ms(&k->body_timeout_ms, 30000);
  config_or_ms(&k->idle_timeout_ms, 60000);
  config_or_ms(&k->stop_timeout_ms, 5000);
  config_or(&k->max_body_memory, (size_t)64 << 20);
  if (k->max_body_memory < k->max_body) k->max_body_memory = k->max_body; /* one body of that size is always possible */
  config_or(&k->max_answer_memory, (size_t)64 << 20);
  config_or(&k->max_answer, k->max_answer_memory / 2);
  config_or_ms(&k->writer_idle_ms, 10000);
  if (!k->tls) k->tls = CONFIG_TLS;
}

static int config_check(const svc_listener_config *k, char *why, size_t size)
{
  if (k->url_count == 0 || k->url_count > LISTENER_URLS || !k->urls)
    return svc_listener_why(why, size, SVC_INVALID, "there must be 1 to %d URLs to listen on", LISTENER_URLS);
  if (k->threads > 64)
    return svc_listener_why(why, size, SVC_INVALID, "there can be 64 event-loop threads at the most");
  if (k->writers > 256)
    return svc_listener_why(why, size, SVC_INVALID, "there can be 256 writer threads at the most");
  if (k->askers > 2048)
    return svc_listener_why(why, size, SVC_INVALID, "there can be 2048 threads that ask the driver at the most");
  if (k->max_body > 1 << 30 || k->max_header_bytes > 1 << 20 || k->max_target > 1 << 20)
    return svc_listener_why(why, size, SVC_INVALID, "a body can have 1 GiB, headers and target 1 MiB, at the most");
  return SVC_OK;
}

/* Lowers max_connections if the process may not open that many files. Files are left for the host, and for connections that are accepted
** only to answer 503. */
static void config_files(svc_listener *l)
{
  svc_listener_config *k = &l->config;
  struct rlimit files;
  size_t all, usable;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return;
  all = files.rlim_cur > 160 ? (size_t)files.rlim_cur - 96 : 64;
  usable = all - all / 8 - 16;
  if (k->max_connections <= usable) return;
  svc_listener_log(l, SVC_LOG_WARNING, "listener.few_files", "only %zu connections at a time: the process may open %llu files", usable,
                   (unsigned long long)files.rlim_cur);
  k->max_connections = usable;
}

static int config_proxies(svc_listener *l, char *why, size_t size)
{
  const svc_listener_config *k = &l->config;
  size_t i;
  l->proxies = calloc(k->trusted_proxy_count + 1, sizeof *l->proxies);
  if (!l->proxies) return SVC_NOMEM;
  for (i = 0; i < k->trusted_proxy_count; i++) {
    const char *text = k->trusted_proxies ? k->trusted_proxies[i] : NULL;
    if (!text || !svc_listener_network_parse(&l->proxies[i], text))
      return svc_listener_why(why, size, SVC_INVALID, "trusted proxy %s: not an address or network",
                              text ? text : "NULL");
  }
  return SVC_OK;
}

int svc_listener_configure(svc_listener *l, const svc_listener_config *config, char *why, size_t size)
{
  svc_listener_config *k = &l->config;
  int rc;
  *k = *config;
  config_defaults(k);
  rc = config_check(k, why, size);
  if (rc != SVC_OK) return rc;
  l->limits = (svc_http_limits){ .target = k->max_target, .header_bytes = k->max_header_bytes, .body = k->max_body };
  config_files(l);
  config_or(&k->max_per_address, k->max_connections / 4 + 1);
  return config_proxies(l, why, size);
}
