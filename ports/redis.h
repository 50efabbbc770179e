/*
** The limiter port on Redis, for several instances that limit together: svc_config.limiter = svc_redis_port(), and
** svc_config.limiter_path is where it is:
**
**   redis://[USER@]HOST[:PORT][/DATABASE][?OPTIONS]        HOST a name, an address, or an IPv6 address in brackets; port 6379
**   redis+unix://PATH[?OPTIONS], unix://PATH[?OPTIONS]     a socket of this machine
**   redis+sentinel://[USER@]HOST[:PORT],.../MASTER[?OPTIONS]  the master that the sentinels call MASTER; their port is 26379
**   redis+cluster://[USER@]HOST[:PORT],...[?OPTIONS]       a Redis Cluster; the hosts are nodes to begin with
**   rediss://, rediss+sentinel://, rediss+cluster://       the same by TLS, sentinels included
**
** Options, with & between them: timeout=MS, how long a request waits for an answer (50); connect=MS, how long for a connection (50);
** db=DATABASE; password_file=PATH, the password is its first line. Without that file it is what the environment has as
** REDISCLI_AUTH. It is never taken from the URI. USER is one of Redis's access control lists. sentinel_user=USER and sentinel_password_file=PATH
** are those of the sentinels, where these want any.
**
** Of TLS: ca=FILE, the authorities that a certificate has to lead to (those of the system, or SSL_CERT_FILE); cert=FILE and key=FILE, our
** own certificate, where the server wants one; tls_name=NAME, the name in the certificates, where that is another than the host's: nodes
** of a cluster are often known by their addresses. A certificate that is for another name, has expired or leads to nobody is refused.
**
** It is no part of svcapi.c: compile ports/redis.c, which includes the headers in ports/redis/, beside it, with -I. -Iamalgamation
** -DSVC_SPLIT=1 and the settings of mbedTLS, and svcapi.c with -DSVC_SHARED_STORE; link with -lhiredis, mbedTLS (tls, x509, crypto) and -pthread.
** -DSVC_REDIS_NO_TLS leaves TLS out, and with it mbedTLS.
*/
#ifndef SVC_REDIS_H
#define SVC_REDIS_H

#include "svcapi.h"

const svc_limiter_port *svc_redis_port(void);

/* Does config->limiter_path answer now? SVC_OK; SVC_BUSY: not now; else why says what is wrong with it, or why it does not want us. For
** a host that waits for it before it begins: a handle is opened without it, too. */
int svc_redis_answers(const svc_config *config, char *why, size_t why_size);

#endif /* SVC_REDIS_H */
