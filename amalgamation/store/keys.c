/*
** The layout of keys: one ordered space of bytes, divided by the first letter.
**
**   a on(12) kind(4) holder(12)                    holder of a role on this project, or member of this team: empty (holding.c)
**   b org(12) month(4) group(12) top(12) id(12) since(8) slot(1)   a line of the ledger (pipeline/meter.c)
**   c kind(4) parent(12)                           number of entities below a parent: a counter of the port
**   c kind(4) group(12)                            number in a whole project, for nouns below others with a limit per project
**   c kind(4) on(12), c kind(4) holder(12)         number of "a" entries of this kind, and of "h" entries of this holder
**   c kind(4)                                      number in the whole store, for nouns that are found by id alone
**   d due(8) kind(4) parent(12) id(12) tag(1)      a due step of this entity at that time: empty
**   e kind(4) parent(12) id(12)                    an entity (record.c draws it)
**   g kind(4) id(12)                               for nouns that are found by id alone: parent(12)
**   h holder(12) org(12) group(12)                 roles of the holder on this project: names, a line each (holding.c)
**   i hash(16)                                     an Idempotency-Key and the first answer to it (pipeline/retry.c)
**   j org(12) expiry(8) hash(16)                   the "i" entries of an organization, oldest first: empty
**   c "-try" org(12)                               the bytes of these "i" entries together: a counter
**   l id(12) slot(1)                               key of the ledger line that is still open for this entity
**   m name                                         the store's own: "schema", "ids", "sealed", "resealed", "digest", "vendor-word",
**                                                  "dialect", "world"
**   m "session" handle(8)                          time until which a handle that gives out orders lives: i64 (pipeline/order_lease.c)
**   o kind(4) parent(12) id(12)                    the order that the driver has for this entity (pipeline/order.c)
**   q id(12)                                       an order by its own id: kind(4) parent(12) id(12)
**   r kind(4) id(12) kind(4) parent(12) id(12)     a reference from the second entity to the first. If it names the first by name, the
**                                                  first id is the start of a hash of its parent and that name (pipeline/refs.c)
**   t kind(4) parent(12) id(12)                    counts of each value in a block, by the last id of the block (pipeline/tally.c)
**   u names(4) value 0 scope(12)                   a unique value: kind(4) id(12) of the entity that has it
**   w when(8) id(12)                               a queued order, not to be handed out before this time: empty
**   x kind(4) parent(12) id(12)                    a deleted entity with descendants left to erase: its record
**
** Numbers in keys are big-endian, and the sign bit of times is inverted, so that their order is the order of keys. Ids rise in time, so a
** scan of "e" gives the entities of a parent in the order of creation. An entity without parent has twelve zero bytes there; a resource
** of which a parent has exactly one (a singleton) has id zero. In "u" the value precedes the scope, so that a value can be looked up
** without its scope. `names` is the kind of the entity, or a name space that several kinds share. A value of more than
** 400 bytes is replaced by its SHA-256, because a key has at most 511 bytes.
**
** An example: POST /groups creates project P, named shop, in organization O. The caller is API key K, which may create projects
** in O and becomes the project's owner, and the request has an Idempotency-Key. One transaction writes:
**
**   e "proj" O P                      the project
**   u "proj" "shop" 0 O               "proj" P: the name is taken in O
**   g "proj" P                        O: paths name a project by its id alone
**   c "proj" O, c "proj"              each 1 more: the projects of O, and of the whole store
**   h K O P                           "GROUP_OWNER": the role of K on P (svc_credential_owns)
**   a P "akey" K                      empty: the same from the side of P
**   c "akey" P, c "akey" K            each 1 more: keys with roles on P, and projects on which K has roles
**   e "evnt" P event, c "evnt" P      GROUP_CREATED in the log of P, and the length of that log
**   i hash                            the answer, for a retry
**   j O expiry hash, c "-try" O       the answer in the index of O, and its bytes
**   d expiry "-try" hash 0            deletes the answer after 24 hours
**
** On a store of one process the transaction also moves the bound of ids, m "ids", if the ids have reached it (commit.c).
*/
#include "store/store.h"

#define KEYS_LONGEST_VALUE 400

SVC_PRIVATE svc_str svc_key_str(const svc_key *k)
{
  return (svc_str){ (const char *)k->b, k->n };
}

SVC_PRIVATE void svc_key_begin(svc_key *k, char class_letter)
{
  k->b[0] = (unsigned char)class_letter;
  k->n = 1;
}

SVC_PRIVATE void svc_key_add(svc_key *k, const void *p, size_t n)
{
  if (n) memcpy(k->b + k->n, p, n); /* p may be NULL if n is 0: a name that was not sent */
  k->n += n;
}

SVC_PRIVATE void svc_key_number(svc_key *k, uint64_t value, int bytes)
{
  while (bytes-- > 0) k->b[k->n++] = (unsigned char)(value >> 8 * bytes);
}

/* The sign bit is inverted, so that times before 1970 sort first. */
SVC_PRIVATE void svc_key_time(svc_key *k, int64_t when)
{
  svc_key_number(k, (uint64_t)when ^ (uint64_t)1 << 63, 8);
}

SVC_PRIVATE int64_t svc_key_time_at(const char *p)
{
  uint64_t v = 0;
  int i;
  for (i = 0; i < 8; i++) v = v << 8 | (unsigned char)p[i];
  return (int64_t)(v ^ (uint64_t)1 << 63);
}

SVC_PRIVATE void svc_key_id(svc_key *k, const svc_id *id)
{
  if (id) svc_key_add(k, id->b, sizeof id->b);
}

/* The least key that does not begin with this prefix. No prefix consists of 0xFF alone. */
SVC_PRIVATE void svc_key_behind(svc_key *k, const svc_key *prefix)
{
  memcpy(k->b, prefix->b, prefix->n);
  k->n = prefix->n;
  while (k->n > 1 && k->b[k->n - 1] == 0xFF) k->n--;
  k->b[k->n - 1]++;
}

static void keys_kind(svc_key *k, char class_letter, const char *kind)
{
  svc_key_begin(k, class_letter);
  svc_key_add(k, kind, SVC_KIND_SIZE);
}

SVC_PRIVATE void svc_key_count(svc_key *k, const char *kind, const svc_id *parent)
{
  keys_kind(k, SVC_COUNT_LETTER, kind);
  svc_key_id(k, parent);
}

SVC_PRIVATE void svc_key_due(svc_key *k, const svc_due_entry *due)
{
  svc_key_begin(k, SVC_DUE_LETTER);
  svc_key_time(k, due->when);
  svc_key_add(k, due->kind, SVC_KIND_SIZE);
  svc_key_id(k, &due->parent);
  svc_key_id(k, &due->id);
  svc_key_number(k, due->tag, 1);
}

SVC_PRIVATE void svc_key_entity(svc_key *k, const char *kind, const svc_id *parent, const svc_id *id)
{
  keys_kind(k, 'e', kind);
  svc_key_id(k, parent);
  svc_key_id(k, id);
}

SVC_PRIVATE void svc_key_by_id(svc_key *k, const char *kind, const svc_id *id)
{
  keys_kind(k, 'g', kind);
  svc_key_id(k, id);
}

SVC_PRIVATE void svc_key_unique(svc_key *k, const char *names, svc_str value, const svc_id *scope)
{
  unsigned char hash[32];
  bool good = value.n <= KEYS_LONGEST_VALUE || svc_sha256(value, hash);
  keys_kind(k, 'u', names);
  if (value.n > KEYS_LONGEST_VALUE) svc_key_add(k, hash, sizeof hash);
  else svc_key_add(k, value.p, value.n);
  svc_key_number(k, 0, 1);
  svc_key_id(k, scope);
  if (!good) k->n = 0; /* svc_get, svc_put and svc_remove refuse an empty key */
}

SVC_PRIVATE void svc_key_meta(svc_key *k, const char *name)
{
  svc_key_begin(k, 'm');
  svc_key_add(k, name, strlen(name));
}

SVC_PRIVATE void svc_key_retry(svc_key *k, const unsigned char hash[16])
{
  svc_key_begin(k, 'i');
  svc_key_add(k, hash, 16);
}
