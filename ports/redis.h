/*
** The limiter port on Redis, for several instances that share their limits: svc_config.limiter = svc_redis_port().
** svc_config.limiter_path is the address:
**
**   redis://[USER@]HOST[:PORT][/DATABASE][?OPTIONS]        HOST is a name, an address, or an IPv6 address in brackets; port 6379
**   redis+unix://PATH[?OPTIONS], unix://PATH[?OPTIONS]     a socket of this machine
**   redis+sentinel://[USER@]HOST[:PORT],.../MASTER[?OPTIONS]  the master that the sentinels call MASTER; their port is 26379
**   redis+cluster://[USER@]HOST[:PORT],...[?OPTIONS]       a Redis Cluster; the hosts are its first known nodes
**   rediss://, rediss+sentinel://, rediss+cluster://       the same over TLS, sentinels included
**
** Options, separated by &:
**
**   timeout=MS, connect=MS         time limit of an answer (default 50) and of a connection (default 50)
**   db=DATABASE
**   password_file=PATH             file whose first line is the password; default: the environment variable REDISCLI_AUTH
**   sentinel_user=USER, sentinel_password_file=PATH   credentials of the sentinels, if they require any
**   ca=FILE                        certificate authorities; default: the system's, or SSL_CERT_FILE
**   cert=FILE, key=FILE            certificate and key of this client, if the server requires one
**   tls_name=NAME                  name in the certificates, if it differs from the host: cluster nodes are often known by address
**
** The URI never contains the password. USER belongs to Redis's access control lists. A certificate for another name, an expired one and
** one without a known authority are refused.
**
** svcapi.c does not contain it. Compile ports/redis.c, which includes the headers of ports/redis/, with -I. -Iamalgamation -DSVC_SPLIT=1
** and the settings of mbedTLS, and svcapi.c with -DSVC_SHARED_STORE. Link with -lhiredis, mbedTLS (tls, x509, crypto) and -pthread.
** -DSVC_REDIS_NO_TLS leaves out TLS and with it mbedTLS.
*/
#ifndef SVC_REDIS_H
#define SVC_REDIS_H

#include "svcapi.h"

const svc_limiter_port *svc_redis_port(void);

/*
** Tries config->limiter_path once, for a host that waits for Redis before it starts; svc_open() does not need Redis to answer.
** Returns SVC_OK; SVC_BUSY if Redis does not answer now; else a code, with the reason in `why`: an invalid address or refused access.
*/
int svc_redis_answers(const svc_config *config, char *why, size_t why_size);

#endif /* SVC_REDIS_H */
