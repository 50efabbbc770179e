/*
** Sealed secrets: secrets that must be available again in plain text, such as keys of other services and passwords for the data plane.
**
** The rule: the store never holds one in plain text, and no answer shows one. For an SVC_SEALED field, the stored and
** served body has the mask, or nothing, so that reads need no special case. The secret itself is in the entity's
** `extra`, sealed with svc_config.secret_key for this entity and this name: a JSON object of the shape of the body.
**
** While a change is prepared, the text of such a field holds the mask, a NUL, and the sealed secret (no secret may contain a
** NUL). A body that a caller sends has the plain text. So a stored secret moves along with its array element,
** and needs no key for that.
**
** A sealed secret is the id of its key, a colon, and base64 of nonce, text and tag. Versions up to 0.2 wrote no id: then each key is tried.
** The record "sealed" has a word that the store's key opens, and two during a rotation (rotate.c). Every secret is sealed with the key of
** the first word, which is read in the same transaction. A handle without that key refuses, and loses nothing.
*/
#include "pipeline/pipeline.h"

#define SEAL_NONCE 12
#define SEAL_TAG 16
#define SEAL_MASK "****"
#define SEAL_LONG 16 /* a secret of at least so many bytes is shown by its last four */
#define SEAL_CHECK "the secrets of this store"
#define SEAL_LABEL "id of a secret key:" /* hashed with a key for its id */
#define SEAL_UNUSED '?' /* precedes the word of the key until something is sealed */

static const svc_entity seal_store = { .kind = "    " }; /* secrets of the store itself */

/* The length of the mask: up to the NUL that precedes a sealed secret. Without a NUL: the length of the text. */
static size_t seal_cut(svc_str text)
{
  const char *nul = text.n ? memchr(text.p, 0, text.n) : NULL;
  return nul ? (size_t)(nul - text.p) : text.n;
}

SVC_PRIVATE bool svc_is_sealed(const svc_node *value)
{
  return value && value->type == SVC_J_STRING && seal_cut(value->text) < value->text.n;
}

SVC_PRIVATE bool svc_may_seal(svc_str text)
{
  return SVC_ALWAYS(seal_cut(text) == text.n) && (text.n < 4 || memcmp(text.p, SEAL_MASK, 4) != 0);
}

SVC_PRIVATE bool svc_seal_shown_is(const svc_node *kept, const svc_node *input)
{
  svc_str shown = { kept->text.p, seal_cut(kept->text) };
  return svc_is_sealed(kept) && shown.n && input->type == SVC_J_STRING && svc_str_eq(shown, input->text);
}

static svc_str seal_mask(svc_call *c, svc_str secret)
{
  size_t i;
  if (secret.n < SEAL_LONG) return SVC_S(SEAL_MASK);
  for (i = secret.n - 4; i < secret.n; i++)
    if (secret.p[i] <= ' ' || secret.p[i] > '~') return SVC_S(SEAL_MASK);
  return svc_arena_print(c->arena, SEAL_MASK "%.4s", secret.p + secret.n - 4);
}

/* ------------------------------------------------------------------------------------------------------------- sealing */

/* The context of a secret, in which alone it opens: the entity (kind and id) and the name of the field, without its path. So elements of
** the arrays of one entity share a context, and a sealed secret may move from one element to another. */
static svc_str seal_about(svc_arena *a, const svc_entity *e, svc_str name)
{
  const svc_id *id = svc_id_is_zero(&e->id) ? &e->parent : &e->id; /* a singleton is identified by its parent */
  svc_buf b = svc_buf_new(a, SVC_KIND_SIZE + 12 + name.n);
  svc_buf_str(&b, (svc_str){ e->kind, SVC_KIND_SIZE });
  svc_buf_str(&b, (svc_str){ (const char *)id->b, sizeof id->b });
  svc_buf_str(&b, name);
  return svc_buf_done(&b);
}

SVC_PRIVATE svc_str svc_seal_by(svc_call *c, unsigned by, const svc_entity *e, svc_str name, svc_str secret)
{
  const svc_secret_keys *k = &c->s->secret_keys;
  size_t n = SEAL_NONCE + secret.n + SEAL_TAG;
  unsigned char *sealed = svc_arena_alloc(c->arena, n);
  svc_str about = seal_about(c->arena, e, name), text = SVC_S("");
  if (!sealed || c->arena->failed) {
    (void)svc_no_memory(c);
  } else if (svc_secret_bytes(c, sealed, SEAL_NONCE)) {
    if (svc_gcm_seal(k->keys[by], sealed, about, secret, sealed + SEAL_NONCE))
      text = svc_base64_padded(c->arena, (svc_str){ (const char *)sealed, n });
    else
      c->arena->failed = true; /* as if out of memory: a due step comes again, and is not given up */
    if (text.n) text = svc_arena_print(c->arena, "%s" SVC_FMT, k->ids[by], SVC_ARG(text));
    if (!text.n) (void)svc_no_memory(c);
  }
  return text;
}

SVC_PRIVATE svc_str svc_seal_word(svc_call *c, unsigned by)
{
  return svc_seal_by(c, by, &seal_store, SVC_S("check"), SVC_S(SEAL_CHECK));
}

/* Logs that a secret was sealed with a key that this handle lacks. */
static void seal_lacks(svc *s, svc_str sealed)
{
  if (svc_may_say(s, &s->seal_said, svc_now(s), "seal"))
    svc_log(s, SVC_LOG_ERROR, "secret.key_missing", "the store has secrets sealed with the key %.8s, which this handle does not have "
            "(svc_config.secret_key_next, secret.key.next): requests that need them get 503 until the handle has the key", sealed.p);
}

/* The key to seal with; after the first secret, the store is bound to it. */
static bool seal_mark(svc_call *c, unsigned *by)
{
  svc_key key;
  svc_str kept;
  int rc, found = 0;
  svc_key_meta(&key, "sealed");
  rc = svc_get(c->txn, &key, &kept);
  if (rc != SVC_NOT_FOUND && rc != SVC_OK) return svc_store_failed(c, rc);
  if (rc == SVC_OK && kept.n) found = svc_seal_word_by(c->s, c->arena, kept);
  if (c->arena->failed) return svc_no_memory(c);
  if (found < 0) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  *by = (unsigned)found;
  if (rc == SVC_OK && kept.n && kept.p[0] != SEAL_UNUSED) return true;
  kept = svc_seal_word(c, *by);
  return kept.n && svc_status_good(c, svc_put(c->txn, &key, kept));
}

SVC_PRIVATE svc_str svc_seal(svc_call *c, const svc_entity *e, svc_str name, svc_str secret)
{
  unsigned by;
  if (!c->s->config.secret_key) {
    (void)svc_fail(c, SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", "storing a secret without a secret key (svc_config.secret_key, --secret-key)");
    return SVC_S("");
  }
  return seal_mark(c, &by) ? svc_seal_by(c, by, e, name, secret) : SVC_S("");
}

static bool seal_says_key(svc_str sealed)
{
  return sealed.n > SVC_SECRET_KEY_ID && sealed.p[SVC_SECRET_KEY_ID - 1] == ':';
}

/* The index of the key that opens it, and the secret; -1: none of our keys, or sealed for another context. */
static int seal_open(svc *s, svc_arena *a, const svc_entity *e, svc_str name, svc_str sealed, svc_str *secret)
{
  const svc_secret_keys *k = &s->secret_keys;
  svc_str about = seal_about(a, e, name), bytes, text = sealed;
  unsigned i, n = atomic_load(&k->count), tried = 0;
  unsigned char *out;
  int rc;
  if (seal_says_key(sealed)) text = (svc_str){ sealed.p + SVC_SECRET_KEY_ID, sealed.n - SVC_SECRET_KEY_ID };
  if (!n || !svc_base64_decode(a, text, &bytes) || bytes.n < SEAL_NONCE + SEAL_TAG) return -1;
  out = svc_arena_alloc(a, bytes.n);
  if (!out || a->failed) return -1;
  svc_arena_wipes(a, svc_wipe);
  *secret = (svc_str){ (const char *)out, bytes.n - SEAL_NONCE - SEAL_TAG };
  for (i = 0; i < n && !a->failed; i++) {
    if (seal_says_key(sealed) && memcmp(k->ids[i], sealed.p, SVC_SECRET_KEY_ID) != 0) continue;
    rc = svc_gcm_open(k->keys[i], (const unsigned char *)bytes.p, about, (svc_str){ bytes.p + SEAL_NONCE, bytes.n - SEAL_NONCE }, out);
    if (rc == SVC_OK) return (int)i;
    if (rc == SVC_NOMEM) a->failed = true;
    tried++;
  }
  if (!tried) seal_lacks(s, sealed);
  return -1;
}

SVC_PRIVATE bool svc_unseal(svc_call *c, const svc_entity *e, svc_str name, svc_str sealed, svc_str *secret)
{
  return seal_open(c->s, c->arena, e, name, sealed, secret) >= 0;
}

/* --------------------------------------------------------------------------------------------------------------- bodies */

static svc_node *seal_new(svc_call *c, int type, svc_str name)
{
  return svc_node_new(c->arena, type, name, SVC_S(""));
}

/* Replaces a value by its mask; the sealed text goes to `secrets`. */
static bool seal_value(svc_call *c, const svc_entity *e, svc_node *value, svc_node *secrets)
{
  size_t cut = seal_cut(value->text);
  svc_str sealed;
  if (value->type != SVC_J_STRING) return true;
  if (cut < value->text.n) {
    sealed = (svc_str){ value->text.p + cut + 1, value->text.n - cut - 1 };
    value->text.n = cut;
  } else {
    sealed = svc_seal(c, e, value->name, value->text);
    if (!sealed.n) return false;
    value->text = seal_mask(c, value->text);
  }
  svc_node_put(c->arena, secrets, svc_node_new(c->arena, SVC_J_STRING, value->name, sealed));
  return !c->arena->failed || svc_no_memory(c);
}

static bool seal_object(svc_call *c, const svc_entity *e, const svc_object *object, svc_node *body, svc_node *secrets);

static bool seal_map(svc_call *c, const svc_entity *e, svc_node *map, svc_node *secrets)
{
  svc_node *inner = seal_new(c, SVC_J_OBJECT, map->name), *item;
  if (!inner) return svc_no_memory(c);
  for (item = map->first; item; item = item->next)
    if (!seal_value(c, e, item, inner)) return false;
  if (inner->first) svc_node_put(c->arena, secrets, inner);
  return true;
}

static bool seal_nested(svc_call *c, const svc_entity *e, const svc_field *f, svc_node *value, svc_node *secrets)
{
  bool array = f->type == SVC_ARRAY, any = false;
  svc_node *inner = seal_new(c, array ? SVC_J_ARRAY : SVC_J_OBJECT, value->name), *item;
  if (!inner) return svc_no_memory(c);
  if (!array && !seal_object(c, e, svc_field_object(f), value, inner)) return false;
  for (item = array ? value->first : NULL; item; item = item->next) {
    svc_node *one = seal_new(c, SVC_J_OBJECT, SVC_S(""));
    if (!one) return svc_no_memory(c);
    if (!seal_object(c, e, svc_field_object(f), item, one)) return false;
    svc_node_append(inner, one);
    any = any || one->first;
  }
  if (array ? any : inner->first != NULL) svc_node_put(c->arena, secrets, inner);
  return true;
}

static bool seal_is_nested(const svc_field *f)
{
  return f->type == SVC_OBJECT || (f->type == SVC_ARRAY && f->item == SVC_OBJECT);
}

static bool seal_object(svc_call *c, const svc_entity *e, const svc_object *object, svc_node *body, svc_node *secrets)
{
  const svc_field *f;
  svc_fields fields;
  bool good = true;
  svc_fields_begin(&fields, svc_object_of(object, body));
  while (good && (f = svc_fields_next(&fields)) != NULL) {
    svc_node *value = f->flags & SVC_SEALED || seal_is_nested(f) ? svc_node_get(body, f->name) : NULL;
    if (!value) continue;
    if (!(f->flags & SVC_SEALED)) good = seal_nested(c, e, f, value, secrets);
    else good = f->type == SVC_MAP ? seal_map(c, e, value, secrets) : seal_value(c, e, value, secrets);
    if (f->flags & SVC_SEALED && f->flags & SVC_WRITE_ONLY) svc_node_drop(body, f->name);
  }
  return good;
}

SVC_PRIVATE bool svc_seal_body(svc_call *c, const svc_change *change, svc_entity *e)
{
  svc_node *body = svc_node_copy(c->arena, change->body), *secrets = seal_new(c, SVC_J_OBJECT, SVC_S(""));
  svc_buf b = svc_buf_new(c->arena, 256);
  if (!body || !secrets) return svc_no_memory(c);
  if (!seal_object(c, e, change->noun->noun->object, body, secrets)) return false;
  if (secrets->first) svc_node_write(&b, secrets);
  e->extra = secrets->first ? svc_buf_done(&b) : SVC_S("");
  return svc_body_write(c->arena, body, &e->body, &e->links_at) || svc_no_memory(c);
}

/* ------------------------------------------------------------------------------------------------------------- together */

static void seal_join_object(svc_call *c, const svc_object *object, svc_node *body, const svc_node *secrets);

static void seal_join_value(svc_call *c, svc_node *body, const svc_node *secret)
{
  const svc_node *shown = svc_node_find(body, secret->name);
  svc_buf b = svc_buf_new(c->arena, secret->text.n + 16);
  if (shown) svc_buf_str(&b, shown->text);
  svc_buf_char(&b, 0);
  svc_buf_str(&b, secret->text);
  svc_node_put(c->arena, body, svc_node_new(c->arena, SVC_J_STRING, secret->name, svc_buf_done(&b)));
}

static void seal_join_member(svc_call *c, const svc_field *f, svc_node *body, const svc_node *secret)
{
  svc_node *value = svc_node_get(body, f->name), *item;
  const svc_node *one = secret->first;
  if (f->flags & SVC_SEALED && f->type != SVC_MAP) {
    seal_join_value(c, body, secret);
    return;
  }
  if (!value && f->flags & SVC_WRITE_ONLY) { /* a map that is never shown */
    value = seal_new(c, SVC_J_OBJECT, svc_str_c(f->name));
    if (value) svc_node_put(c->arena, body, value);
  }
  if (!value) return;
  if (f->type == SVC_OBJECT) seal_join_object(c, svc_field_object(f), value, secret);
  for (; f->type == SVC_MAP && one; one = one->next) seal_join_value(c, value, one);
  for (item = f->type == SVC_ARRAY ? value->first : NULL; item && one; item = item->next, one = one->next)
    seal_join_object(c, svc_field_object(f), item, one);
}

static void seal_join_object(svc_call *c, const svc_object *object, svc_node *body, const svc_node *secrets)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(object, body));
  while ((f = svc_fields_next(&fields)) != NULL) {
    const svc_node *secret = f->flags & SVC_SEALED || seal_is_nested(f) ? svc_node_get(secrets, f->name) : NULL;
    if (secret) seal_join_member(c, f, body, secret);
  }
}

SVC_PRIVATE bool svc_seal_join(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_node *body)
{
  svc_node *secrets = e->extra.n ? svc_json_parse(c->arena, e->extra) : NULL;
  if (secrets) seal_join_object(c, noun->noun->object, body, secrets);
  return !c->arena->failed || svc_no_memory(c);
}

/* A secret that is sent again keeps its stored form: nothing has changed. */
static void seal_settle_value(svc_call *c, const svc_entity *e, svc_node *value, const svc_node *kept)
{
  size_t cut = kept ? seal_cut(kept->text) : 0;
  svc_str secret;
  if (!svc_is_sealed(kept) || value->type != SVC_J_STRING || svc_is_sealed(value)) return;
  if (!svc_unseal(c, e, kept->name, (svc_str){ kept->text.p + cut + 1, kept->text.n - cut - 1 }, &secret)) return;
  if (secret.n == value->text.n && svc_same_bytes(secret.p, value->text.p, secret.n)) value->text = kept->text;
}

static void seal_settle_object(svc_call *c, const svc_entity *e, const svc_object *object, svc_node *body, const svc_node *before);

static void seal_settle_member(svc_call *c, const svc_entity *e, const svc_field *f, svc_node *value, const svc_node *was)
{
  const svc_node *old = was->first;
  svc_node *item;
  if (f->flags & SVC_SEALED && f->type != SVC_MAP) seal_settle_value(c, e, value, was);
  else if (f->type == SVC_OBJECT) seal_settle_object(c, e, svc_field_object(f), value, was);
  for (item = f->type == SVC_MAP ? value->first : NULL; item; item = item->next) seal_settle_value(c, e, item, svc_node_find(was, item->name));
  for (item = f->type == SVC_ARRAY ? value->first : NULL; item && old; item = item->next, old = old->next)
    seal_settle_object(c, e, svc_field_object(f), item, old);
}

static void seal_settle_object(svc_call *c, const svc_entity *e, const svc_object *object, svc_node *body, const svc_node *before)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(object, body));
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool looked_at = f->flags & SVC_SEALED || seal_is_nested(f);
    svc_node *value = looked_at ? svc_node_get(body, f->name) : NULL;
    const svc_node *was = looked_at ? svc_node_get(before, f->name) : NULL;
    if (value && was) seal_settle_member(c, e, f, value, was);
  }
}

/* ------------------------------------------------------------------------------------------------- where secrets are sent */

/* Whether exactly this sealed text is in the tree. Each has its own nonce. */
static bool seal_holds(const svc_node *tree, svc_str text)
{
  const svc_node *member;
  if (tree->type == SVC_J_STRING) return svc_str_eq(tree->text, text);
  for (member = tree->first; member; member = member->next)
    if (seal_holds(member, text)) return true;
  return false;
}

/* A stored secret that the change keeps; NULL: none. */
static const svc_node *seal_kept(const svc_node *tree)
{
  const svc_node *member, *found = svc_is_sealed(tree) ? tree : NULL;
  for (member = svc_node_first(tree); member && !found; member = member->next) found = seal_kept(member);
  return found;
}

static const svc_node *seal_at(const svc_node *body, const char *path)
{
  while (body && *path) {
    const svc_path_step step = svc_path_first(path);
    body = body->type == SVC_J_OBJECT ? svc_node_find(body, step.name) : NULL;
    path = step.rest;
  }
  return body;
}

/* The first destination field of this object that the change modifies; NULL: none. */
static const char *seal_moved(const svc_object *object, const svc_node *body, const svc_node *before)
{
  const char *const *path;
  for (; object; object = object->base)
    for (path = svc_object_ext_of(object)->secrets_go_to; path && *path; path++)
      if (!svc_node_same(seal_at(body, *path), seal_at(before, *path))) return *path;
  return NULL;
}

typedef struct seal_place {
  const char *moved; /* the destination that changed; NULL: none */
  svc_str at;        /* the place of the object, "notifications[0]." */
} seal_place;

/* An object in a change: `body`, in which repeated secrets have their stored form; `sent`, in which they do not. */
typedef struct seal_pair {
  const svc_node *body, *sent, *before;
} seal_pair;

static void seal_go_object(svc_call *c, const svc_object *object, seal_pair p, seal_place place);

/* Array elements may have moved: each is compared with the element that its secrets come from. */
static void seal_go_nested(svc_call *c, const svc_field *f, seal_pair p, seal_place place)
{
  const svc_node *item, *sent, *kept, *from;
  size_t i = 0;
  if (f->type == SVC_OBJECT) {
    place.at = svc_arena_print(c->arena, SVC_FMT "%s.", SVC_ARG(place.at), f->name);
    seal_go_object(c, svc_field_object(f), p, place);
    return;
  }
  for (item = p.body->first, sent = p.sent->first; item && sent; item = item->next, sent = sent->next, i++) {
    seal_place inner = { place.moved, svc_arena_print(c->arena, SVC_FMT "%s[%zu].", SVC_ARG(place.at), f->name, i) };
    kept = seal_kept(sent);
    for (from = kept ? svc_node_first(p.before) : NULL; from && !seal_holds(from, kept->text);) from = from->next;
    if (from) seal_go_object(c, svc_field_object(f), (seal_pair){ item, sent, from }, inner);
  }
}

static void seal_go_object(svc_call *c, const svc_object *object, seal_pair p, seal_place place)
{
  const svc_object *is = svc_object_of(object, p.body);
  const char *moved = seal_moved(is, p.body, p.before);
  const svc_field *f;
  svc_fields fields;
  if (moved) place.moved = moved;
  svc_fields_begin(&fields, is);
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool looked_at = f->flags & SVC_SEALED || seal_is_nested(f);
    const svc_node *value = looked_at ? svc_node_get(p.body, f->name) : NULL, *sent = looked_at ? svc_node_get(p.sent, f->name) : NULL;
    if (!value || !sent) continue;
    if (!(f->flags & SVC_SEALED)) seal_go_nested(c, f, (seal_pair){ value, sent, svc_node_get(p.before, f->name) }, place);
    else if (place.moved && seal_kept(sent))
      svc_violate(c, SVC_E_MISSING_ATTRIBUTE, svc_arena_print(c->arena, SVC_FMT "%s", SVC_ARG(place.at), f->name),
                  "must be sent again in clear, because %s changes: a stored secret is not sent to another destination", place.moved);
  }
}

SVC_PRIVATE bool svc_seal_settle(svc_call *c, const svc_change *change)
{
  const svc_object *object = change->noun->noun->object;
  seal_place top = { NULL, SVC_S("") };
  seal_pair all = { change->body, svc_node_copy(c->arena, change->body), change->before };
  if (!all.sent) return svc_no_memory(c);
  seal_settle_object(c, &change->entity, object, change->body, change->before);
  seal_go_object(c, object, all, top);
  return svc_check_done(c);
}

/* Unseals the whole tree; only for the driver and for callbacks of the host. */
static bool seal_open_all(svc *s, svc_arena *a, const svc_entity *e, svc_node *secrets)
{
  svc_node *member;
  for (member = secrets->first; member; member = member->next) {
    if (member->type == SVC_J_STRING ? seal_open(s, a, e, member->name, member->text, &member->text) < 0
                                     : !seal_open_all(s, a, e, member))
      return false;
  }
  return true;
}

SVC_PRIVATE svc_node *svc_seal_secrets(svc *s, svc_arena *a, const svc_entity *e)
{
  svc_node *secrets = e->extra.n ? svc_json_parse(a, e->extra) : svc_node_object(a, NULL);
  return secrets && seal_open_all(s, a, e, secrets) ? secrets : NULL;
}

/* ------------------------------------------------------------------------------------------------------- the store's key */

static bool seal_is_unused(svc_str mark)
{
  return mark.n && mark.p[0] == SEAL_UNUSED;
}

SVC_PRIVATE int svc_seal_word_by(svc *s, svc_arena *a, svc_str word)
{
  const char *space = word.n ? memchr(word.p, ' ', word.n) : NULL;
  svc_str text, sealed = { word.p, space ? (size_t)(space - word.p) : word.n };
  if (seal_is_unused(sealed)) sealed = (svc_str){ sealed.p + 1, sealed.n - 1 };
  return seal_open(s, a, &seal_store, SVC_S("check"), sealed, &text);
}

/* Whether we have every key of the mark. */
static bool seal_is_ours(svc *s, svc_arena *a, svc_str mark)
{
  const char *space = memchr(mark.p, ' ', mark.n);
  if (svc_seal_word_by(s, a, mark) < 0) return false;
  return !space || svc_seal_word_by(s, a, (svc_str){ space + 1, (size_t)(mark.p + mark.n - space - 1) }) >= 0;
}

/*
** Checks that our key opens the mark, or writes the first one. Until something is sealed, another key may replace it: losing a key
** file that sealed nothing does no harm. But not if other handles may have opened the store with the old key.
*/
static int seal_settle_mark(svc_call *c, bool *other)
{
  svc *s = c->s;
  svc_str kept, word;
  bool ours, open;
  int rc = svc_mark(s, "sealed", SVC_S(""), SVC_S(""), false, c->arena, &kept);
  if (rc != SVC_OK) return rc;
  ours = kept.n && seal_is_ours(s, c->arena, kept);
  open = !kept.n || (seal_is_unused(kept) && !SVC_IS_SHARED(s->commit.port));
  *other = !ours && !open;
  if (ours || *other || s->config.keep_orders) return SVC_OK;
  word = svc_seal_word(c, 0);
  if (!word.n) return SVC_RANDOM;
  rc = svc_mark(s, "sealed", kept, svc_arena_print(c->arena, "%c" SVC_FMT, SEAL_UNUSED, SVC_ARG(word)), false, c->arena, &kept);
  *other = rc == SVC_OK && !seal_is_ours(s, c->arena, kept); /* another handle was faster */
  return rc;
}

SVC_PRIVATE int svc_seal_learn(svc *s, const void *key)
{
  svc_secret_keys *k = &s->secret_keys;
  unsigned char text[sizeof SEAL_LABEL - 1 + sizeof k->keys[0]], hash[32];
  unsigned n = atomic_load(&k->count), i;
  bool good;
  for (i = 0; i < n; i++)
    if (svc_same_bytes(k->keys[i], key, sizeof k->keys[0])) return (int)i;
  if (n == SVC_SECRET_KEYS) return -1;
  memcpy(text, SEAL_LABEL, sizeof SEAL_LABEL - 1);
  memcpy(text + sizeof SEAL_LABEL - 1, key, sizeof k->keys[0]);
  good = svc_sha256((svc_str){ (const char *)text, sizeof text }, hash);
  svc_wipe(text, sizeof text);
  if (!good) return -1;
  memcpy(k->keys[n], key, sizeof k->keys[0]);
  snprintf(k->ids[n], sizeof k->ids[n], "%02x%02x%02x%02x:", hash[0], hash[1], hash[2], hash[3]);
  atomic_store(&k->count, n + 1);
  return (int)n;
}

SVC_PRIVATE int svc_seal_start(svc *s)
{
  svc_arena arena;
  svc_call c;
  bool other = false;
  int rc;
  if (!s->config.secret_key) return SVC_OK;
  if (svc_seal_learn(s, s->config.secret_key) < 0 || (s->config.secret_key_next && svc_seal_learn(s, s->config.secret_key_next) < 0)) return SVC_NOMEM;
  s->config.secret_key = s->secret_keys.keys[0]; /* the host's bytes are not used again */
  s->config.secret_key_next = NULL;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  rc = seal_settle_mark(&c, &other);
  if (arena.failed) rc = SVC_NOMEM;
  svc_blocks_free(arena.blocks);
  if (!other || rc != SVC_OK) return rc;
  svc_log(s, SVC_LOG_ERROR, "secret.key_wrong", "the secret key is not this store's (svc_config.secret_key, --secret-key): its secrets cannot be "
          "unsealed; every instance on a store needs the same key, and both keys during a rotation (secret_key_next)");
  return SVC_INVALID;
}
