/*
** The limits of a cluster's tier: memory, connections and disk.
**
** The tier determines settings of PostgreSQL: shared_buffers, work_mem, max_connections. The system bounds the memory of processes: of all
** processes of a server together if there is a cgroup of version 2 that svcd can write to, else of each process by RLIMIT_DATA. watch.c
** bounds the disk: it makes a server read-only that holds more than its disk.
**
** The rule: a tier never asks for more than a part of the machine, so that a large tier starts on a small machine, too.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMITS_CGROUPS "/sys/fs/cgroup"
#define LIMITS_LEAST 512 /* megabytes: lowest limit of a process */

/* Limits by the number in a tier's name: M40, R40 and M40_NVME have the same memory. */
static const struct {
  int number, megabytes, connections;
} limits_tiers[] = {
  { 0, 512, 50 },        { 2, 1024, 60 },       { 5, 2048, 80 },       { 10, 2048, 100 },     { 20, 4096, 150 },
  { 30, 8192, 200 },     { 40, 16384, 300 },    { 50, 32768, 400 },    { 60, 65536, 500 },    { 80, 131072, 500 },
  { 140, 196608, 500 },  { 200, 262144, 500 },  { 300, 393216, 500 },  { 700, 786432, 500 },
};

static int64_t limits_machine(void)
{
  return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20;
}

static int64_t limits_between(int64_t least, int64_t value, int64_t most)
{
  return value > most ? most : value < least ? least : value;
}

/* Reads the limits of a server from its control file, such as "M10 10000000000" (tier and bytes of disk). A server of an earlier version
** has no such file, and gets M10 without a disk limit. */
void driver_limits_of(const driver_postgres *d, const char *id, driver_limits *out)
{
  char text[64], *end;
  size_t i = 0, last = sizeof limits_tiers / sizeof limits_tiers[0] - 1;
  int number = 10;
  memset(out, 0, sizeof *out);
  if (driver_read(d, id, "tier", text, sizeof text) == 0) {
    number = atoi(text + strcspn(text, "0123456789 "));
    end = strchr(text, ' ');
    if (end) out->disk = strtoll(end, NULL, 10);
  }
  while (i < last && limits_tiers[i].number < number) i++;
  out->memory = (int64_t)limits_tiers[i].megabytes << 20;
  out->connections = limits_tiers[i].connections;
  out->buffers = limits_between(16, limits_between(0, limits_tiers[i].megabytes / 4, limits_machine() / 16), 65536);
  out->work = limits_between(4, limits_tiers[i].megabytes / 256, limits_between(4, limits_machine() / 64, 256));
}

/* Stores the tier that an order gives a cluster: that of the first region, because a cluster is one server. Returns 1 if it has changed. */
int driver_limits_put(const driver_postgres *d, const char *id, const char *desired)
{
  struct json_token spec, region;
  struct json_token disk = { NULL, 0, JSON_TYPE_INVALID };
  char *tier = NULL, text[64], before[64];
  double gigabytes = 0;
  int changed = 0;
  if (json_scanf_array_elem(desired, (int)strlen(desired), ".replicationSpecs", 0, &spec) > 0 &&
      json_scanf_array_elem(spec.ptr, spec.len, ".regionConfigs", 0, &region) > 0)
    json_scanf(region.ptr, region.len, "{electableSpecs:{instanceSize:%Q,diskSizeGB:%T}}", &tier, &disk);
  else tier = strdup("M2"), gigabytes = 5; /* a flex cluster */
  if (disk.type == JSON_TYPE_NUMBER) gigabytes = strtod(disk.ptr, NULL);
  if (!tier || strspn(tier, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(tier) || strlen(tier) > 30) gigabytes = -1;
  if (gigabytes >= 0 && gigabytes < 1e9) {
    snprintf(text, sizeof text, "%s %lld", tier, (long long)(gigabytes * 1e9));
    changed = driver_read(d, id, "tier", before, sizeof before) != 0 || strcmp(before, text) != 0;
    if (changed && driver_write(d, id, "tier", text) != 0) changed = 0;
  }
  free(tier);
  return changed;
}

/* -------------------------------------------------------------------------------------------------------------------- memory */

static int limits_write(const char *path, const char *text)
{
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), good;
  if (fd < 0) return -1;
  good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  close(fd);
  return good ? 0 : -1;
}

static void limits_group(const char *id, char out[128], const char *file)
{
  snprintf(out, 128, LIMITS_CGROUPS "/svcd-%.24s%s%s", id, file ? "/" : "", file ? file : "");
}

/* Creates a cgroup for the server with limited memory. Returns the descriptor of its cgroup.procs, to which a process writes to join it;
** -1 if there is no cgroup of version 2 that svcd can write to. */
static int limits_enter(const char *id, int64_t memory)
{
  char path[128], text[32];
  if (access(LIMITS_CGROUPS "/cgroup.controllers", R_OK) != 0) return -1;
  limits_write(LIMITS_CGROUPS "/cgroup.subtree_control", "+memory");
  limits_group(id, path, NULL);
  if (mkdir(path, 0755) != 0 && errno != EEXIST) return -1;
  limits_group(id, path, "memory.max");
  snprintf(text, sizeof text, "%lld", (long long)memory);
  if (limits_write(path, text) != 0) {
    driver_limits_gone(id);
    return -1;
  }
  limits_group(id, path, "cgroup.procs");
  return open(path, O_WRONLY | O_CLOEXEC);
}

/* Prepares the limits for the start of a server: its cgroup, or the memory of each process. */
void driver_limits_begin(const char *id, const driver_limits *l, driver_bounds *out)
{
  memset(out, 0, sizeof *out);
  out->group = limits_enter(id, l->memory);
  if (out->group < 0) out->memory = l->memory > (int64_t)LIMITS_LEAST << 20 ? l->memory : (int64_t)LIMITS_LEAST << 20;
}

void driver_limits_end(driver_bounds *b)
{
  if (b->group >= 0) close(b->group);
  b->group = -1;
}

/* Removes the cgroup of a deleted server. */
void driver_limits_gone(const char *id)
{
  char path[128];
  limits_group(id, path, NULL);
  rmdir(path);
}

/* Applies the limits in a child, before it becomes the servers' user. Uses only system calls, because it runs after fork().
** Returns 0, or -1. */
int driver_limit_child(const driver_bounds *b)
{
  struct rlimit most = { .rlim_cur = (rlim_t)b->memory, .rlim_max = (rlim_t)b->memory };
  int fits = (int64_t)(rlim_t)b->memory == b->memory; /* on 32 bits, a limit that does not fit is more than a process can use */
  if (b->memory && fits && setrlimit(RLIMIT_DATA, &most) != 0) return -1;
  return b->group > 0 && write(b->group, "0", 1) != 1 ? -1 : 0;
}
