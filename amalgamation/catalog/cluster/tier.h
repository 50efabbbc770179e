/*
** Tiers: the machine of an instance size. tier.c has the table.
*/
#ifndef SVC_TIER_H
#define SVC_TIER_H

#include "catalog/cluster/cluster_base.h"

typedef struct svc_tier {
  const char *size;    /* "M10" */
  int64_t ram;         /* bytes */
  int64_t cores;       /* vCPUs */
  int64_t connections; /* maximum connections of a node */
  int64_t disk;        /* bytes of its standard disk */
  int64_t iops;        /* of that disk, if the specification names none */
  bool shared;         /* several customers share the machine: M0, M2, M5, FLEX */
} svc_tier;

/* The tier of an instance size, with or without _GEN_2. An unknown size gives M10, so that damaged records have figures, too. */
SVC_PRIVATE const svc_tier *svc_tier_of(svc_str size);
/* The machine of a node in a specification: its tier, with the disk and the IOPS of the specification. */
SVC_PRIVATE svc_tier svc_tier_of_node(const svc_node *body, unsigned spec, unsigned node);
enum svc_nodes { SVC_NODES_ELECTABLE, SVC_NODES_READ_ONLY, SVC_NODES_ANALYTICS }; /* kinds of nodes, as in svc_values_node_kinds */
SVC_PRIVATE int64_t svc_tier_count(const svc_node *region, int kind); /* number of nodes of a kind */
SVC_PRIVATE const char *svc_tier_analytics(const svc_node *body); /* the size of the first analytics nodes of the first shard; "": none */
/* The region config and the kind of a node. NULL: the specification has no such node. */
SVC_PRIVATE const svc_node *svc_tier_region(const svc_node *body, unsigned spec, unsigned node, int *kind);
SVC_PRIVATE int64_t svc_tier_gigabytes(const svc_node *size); /* the number "0.5" in bytes; 0: not a number */

#endif /* SVC_TIER_H */
