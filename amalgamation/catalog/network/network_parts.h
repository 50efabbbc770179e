/*
** Shared by the nouns of networks. network_block.c has blocks of addresses; network_use.c, the users of containers;
** network_reach.c, the way from a project's network to connection strings; network_words.c, states in the words of each
** provider.
*/
#ifndef SVC_NETWORK_PARTS_H
#define SVC_NETWORK_PARTS_H

#include "catalog/cluster/cluster_base.h"
#include "catalog/endpoint_parts.h"
#include "catalog/values.h"

#define CONTAINER_KIND "cntr"
#define PEER_KIND "peer"
#define ENDPOINT_SERVICE_KIND "epsv"
#define PRIVATE_ENDPOINT_KIND "pvep"

/* ---- network_block.c: blocks of IPv4 addresses */

SVC_PRIVATE bool svc_block_overlaps(const svc_address *a, const svc_address *b);
/* the routes of a peering connection overlap neither with its container nor with the container's other peers; false: refused */
SVC_PRIVATE bool svc_block_apart(svc_call *c, const svc_change *change, const svc_entity *container);
/* Parses a block in its only spelling. Returns false if it was refused; the error names the field. */
SVC_PRIVATE bool svc_block_parse(svc_call *c, const char *field, svc_str text, svc_address *out);
/* The same for a private block (RFC 1918) with a prefix length between these two. */
SVC_PRIVATE bool svc_block_private(svc_call *c, const char *field, svc_str text, int widest, int narrowest, svc_address *out);
/* Writes the number-th block of this prefix that a container may be assigned. Returns false if there are fewer. */
SVC_PRIVATE bool svc_block_number(unsigned number, int prefix, svc_address *out);

/* ---- network_use.c: places, and the containers of a project there */

typedef struct svc_place_of { /* a region of a provider */
  svc_str provider, region;
} svc_place_of;
/* Lists the places of a cluster, each once; none on a shared tier. */
SVC_PRIVATE svc_place_of *svc_network_places(svc_call *c, const svc_node *cluster, size_t *count);
SVC_PRIVATE bool svc_network_covers(svc_call *c, const svc_entity *container, const svc_place_of *place);
/* a field of its body, read without parsing the whole body */
SVC_PRIVATE svc_str svc_network_text(svc_call *c, const svc_entity *e, const char *field);
/* Returns the region's name in this API, however it is spelled ("us-east-1"). Returns NULL if the provider has no such region. */
SVC_PRIVATE const char *svc_network_region(svc_str provider, svc_str region);
/* Returns what uses a container, "cluster Main"; empty: unused. */
SVC_PRIVATE svc_str svc_network_user(svc_call *c, const svc_entity *container);
SVC_PRIVATE bool svc_network_unused(svc_call *c, const svc_entity *container); /* false: refused, with the user's name */
/* `hold`: something starts to need the network at this place. Creates its container if missing, and provisions it. `release`: something
** stopped needing it; an unused container is no longer provisioned. */
SVC_PRIVATE bool svc_network_hold(svc_call *c, const svc_place_of *place);
SVC_PRIVATE bool svc_network_release(svc_call *c, const svc_place_of *place);
/* the names of a container */
SVC_PRIVATE bool svc_network_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
SVC_PRIVATE bool svc_network_provision(svc_call *c, const svc_entity *container, bool provisioned);
/* A cluster is about to be stored; was stored; was deleted. */
SVC_PRIVATE bool svc_network_allows(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_network_follows(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_network_left(svc_call *c, const svc_entity *cluster);

/* ---- network_reach.c: from networks to connection strings */

/* An entity about to be stored, with its new status. */
typedef struct svc_network_now {
  svc_id id;
  svc_str status;
} svc_network_now;
SVC_PRIVATE bool svc_network_begin(svc_call *c, svc_node *body, const svc_cluster_kept *kept); /* before there are hosts */
/* with hosts, as the facts name them */
SVC_PRIVATE bool svc_network_facts(svc_call *c, svc_change *change, const svc_cluster_kept *kept, const svc_node *facts);
/* The project's network has changed: updates the connection strings of its clusters. svc_network_stored is the same as a noun's `stored`
** hook. */
SVC_PRIVATE bool svc_network_changed(svc_call *c, const svc_network_now *now);
SVC_PRIVATE bool svc_network_stored(svc_call *c, const svc_change *change, const svc_entity *e);
SVC_PRIVATE bool svc_network_moves(svc_call *c, const svc_change *change); /* to the status in its body */
SVC_PRIVATE bool svc_network_delete(svc_call *c); /* svc_verb_delete for a noun through which clusters are reached */
SVC_PRIVATE bool svc_network_switched(svc_call *c, const char *noun); /* whether this switch of the project is on */

/* ---- network_words.c: states in the words of each provider */

typedef struct svc_network_word {
  const char *status;    /* as stored */
  const char *shown[3];  /* in the order of svc_values_clouds; NULL: the provider has no such state, and the entity moves on to the next
                            one */
} svc_network_word;
SVC_PRIVATE const char *svc_network_shown(const svc_network_word *words, int cloud, svc_str status); /* NULL: no such state */
/* Continues a transition past the states that the provider does not have. */
SVC_PRIVATE void svc_network_pass(svc_call *c, svc_change *change, const svc_network_word *words, int cloud);

#endif /* SVC_NETWORK_PARTS_H */
