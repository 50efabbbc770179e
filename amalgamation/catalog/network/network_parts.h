/*
** What the nouns of networks share: network_block.c, blocks of addresses; network_use.c, who uses a container; network_reach.c,
** what of a project's network clusters are reached by; network_words.c, states in the words of each provider.
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
SVC_PRIVATE bool svc_block_apart(svc_call *c, const svc_change *change, const svc_entity *container); /* of a peering: its routes overlap with nothing; false: refused */
/* One in its only spelling; false: refused, and the field is named. */
SVC_PRIVATE bool svc_block_parse(svc_call *c, const char *field, svc_str text, svc_address *out);
/* One of a private network (RFC 1918), with a prefix between these two; false: refused, and the field is named. */
SVC_PRIVATE bool svc_block_private(svc_call *c, const char *field, svc_str text, int widest, int narrowest, svc_address *out);
/* The number-th of those of this prefix that a container may be given; false: there are not so many. */
SVC_PRIVATE bool svc_block_number(unsigned number, int prefix, svc_address *out);

/* ---- network_use.c: places, and the containers of a project there */

typedef struct svc_place_of { /* a region of a provider */
  svc_str provider, region;
} svc_place_of;
/* Those in which a cluster lies, each once; on a shared tier: none. */
SVC_PRIVATE svc_place_of *svc_network_places(svc_call *c, const svc_node *cluster, size_t *count);
SVC_PRIVATE bool svc_network_covers(svc_call *c, const svc_entity *container, const svc_place_of *place);
SVC_PRIVATE svc_str svc_network_text(svc_call *c, const svc_entity *e, const char *field); /* of its body; nothing is parsed */
/* The name that the region has here, however it is spelled ("us-east-1"); NULL: the provider has no such region. */
SVC_PRIVATE const char *svc_network_region(svc_str provider, svc_str region);
/* Who uses a container, "cluster Main"; empty: nobody. */
SVC_PRIVATE svc_str svc_network_user(svc_call *c, const svc_entity *container);
SVC_PRIVATE bool svc_network_unused(svc_call *c, const svc_entity *container); /* false: refused, with who uses it */
/* Something needs the network there: its container is made where there is none, and provisioned; and, no more. */
SVC_PRIVATE bool svc_network_hold(svc_call *c, const svc_place_of *place);
SVC_PRIVATE bool svc_network_release(svc_call *c, const svc_place_of *place);
SVC_PRIVATE bool svc_network_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts); /* of a container: its names */
SVC_PRIVATE bool svc_network_provision(svc_call *c, const svc_entity *container, bool provisioned);
/* A cluster is about to be stored, was stored, is gone. */
SVC_PRIVATE bool svc_network_allows(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_network_follows(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_network_left(svc_call *c, const svc_entity *cluster);

/* ---- network_reach.c: from networks to connection strings */

/* What is about to be stored, and counts as it will be. */
typedef struct svc_network_now {
  svc_id id;
  svc_str status;
} svc_network_now;
SVC_PRIVATE bool svc_network_begin(svc_call *c, svc_node *body, const svc_cluster_kept *kept); /* connection strings before there are hosts */
SVC_PRIVATE bool svc_network_facts(svc_call *c, svc_change *change, const svc_cluster_kept *kept, const svc_node *facts); /* and then, of the hosts that the facts name */
/* The project's network is another: so are the connection strings of its clusters. As `stored` of a noun, the second. */
SVC_PRIVATE bool svc_network_changed(svc_call *c, const svc_network_now *now);
SVC_PRIVATE bool svc_network_stored(svc_call *c, const svc_change *change, const svc_entity *e);
SVC_PRIVATE bool svc_network_moves(svc_call *c, const svc_change *change); /* into the state that its body shows */
SVC_PRIVATE bool svc_network_delete(svc_call *c); /* svc_verb_delete of what clusters are reached by */
SVC_PRIVATE bool svc_network_switched(svc_call *c, const char *noun); /* is this switch of the project on? */

/* ---- network_words.c: one state, three providers, each with a word of its own for it */

typedef struct svc_network_word {
  const char *status;    /* as it is stored */
  const char *shown[3];  /* in the order of svc_values_clouds; NULL: that one has no such state, and goes on to the next */
} svc_network_word;
SVC_PRIVATE const char *svc_network_shown(const svc_network_word *words, int cloud, svc_str status); /* NULL: it has none */
/* Of a transition that was taken: states that the provider has not are passed over. */
SVC_PRIVATE void svc_network_pass(svc_call *c, svc_change *change, const svc_network_word *words, int cloud);

#endif /* SVC_NETWORK_PARTS_H */
