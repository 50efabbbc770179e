/*
** Effects of operations on the store: the generic verbs, creates, changes, deletes, references, states and orders, the ledger, events,
** retries.
*/
#ifndef SVC_CHANGE_H
#define SVC_CHANGE_H

#include "pipeline/answer.h"

/* verbs.c: the generic operations. Each serves one request inside of its transaction. */
SVC_PRIVATE bool svc_verb_list(svc_call *c);
SVC_PRIVATE bool svc_verb_read(svc_call *c);
SVC_PRIVATE bool svc_verb_create(svc_call *c);
SVC_PRIVATE bool svc_verb_update(svc_call *c);  /* PATCH: merges */
SVC_PRIVATE bool svc_verb_replace(svc_call *c); /* PUT */
SVC_PRIVATE bool svc_verb_delete(svc_call *c);

/* mark.c: a record of the store itself, by name. If the record equals `was` (n 0: missing), it is replaced by `ours` (n 0: it is only
** read), unless keep_orders is set, or only_new is set and the store has entities. *kept: the record afterwards, in the arena;
** n 0: missing. */
SVC_PRIVATE int svc_mark(svc *s, const char *name, svc_str was, svc_str ours, bool only_new, svc_arena *a, svc_str *kept);

/* seal.c: secrets at rest. A secret is sealed for an entity and the field `name`, and opens only for both. */
SVC_PRIVATE int svc_seal_start(svc *s); /* checks that the configured key is the store's */
SVC_PRIVATE int svc_seal_learn(svc *s, const void *key); /* index in s->secret_keys, added if new; -1: out of memory, or no room */
SVC_PRIVATE svc_str svc_seal_word(svc_call *c, unsigned by); /* for the mark "sealed", which identifies the store's key */
/* The index of our key that made a word of the mark; -1: unknown. The first word is of the current key, a second one of the previous. */
SVC_PRIVATE int svc_seal_word_by(svc *s, svc_arena *a, svc_str word);
SVC_PRIVATE svc_str svc_seal_by(svc_call *c, unsigned by, const svc_entity *e, svc_str name, svc_str secret); /* n 0: failed */
SVC_PRIVATE svc_str svc_seal(svc_call *c, const svc_entity *e, svc_str name, svc_str secret); /* as text; n 0: refused or failed */
/* false: another key sealed it */
SVC_PRIVATE bool svc_unseal(svc_call *c, const svc_entity *e, svc_str name, svc_str sealed, svc_str *secret);
SVC_PRIVATE bool svc_is_sealed(const svc_node *value); /* for the body of a change: a stored secret, which hooks do not see */
SVC_PRIVATE bool svc_may_seal(svc_str text);           /* whether it may be a secret: it does not begin with the mask */
SVC_PRIVATE bool svc_seal_shown_is(const svc_node *kept, const svc_node *input); /* whether the input repeats the mask that was shown */
/* A mask that is sent back stands for the stored secret. False: refused, because a stored secret would go to another destination. */
SVC_PRIVATE bool svc_seal_settle(svc_call *c, const svc_change *change);
/* splits the change's body into the shown body and extra */
SVC_PRIVATE bool svc_seal_body(svc_call *c, const svc_change *change, svc_entity *e);
SVC_PRIVATE bool svc_seal_join(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_node *body); /* the reverse */
SVC_PRIVATE svc_node *svc_seal_secrets(svc *s, svc_arena *a, const svc_entity *e); /* unsealed, by name; NULL: no key, or out of memory */

/* change.c: creates and changes. */
SVC_PRIVATE bool svc_quota_exceeded(svc_call *c, const svc_noun *noun, int64_t limit, const svc_id *parent); /* refuses; false */
SVC_PRIVATE int64_t svc_quota_used(svc_call *c, const char *quota, const svc_id *group); /* sum over all nouns that share this limit */
/* whether `more` further ones fit; false: 403 */
SVC_PRIVATE bool svc_within_quota(svc_call *c, const svc_noun *noun, const svc_id *parent, size_t more);
SVC_PRIVATE bool svc_target(svc_call *c, svc_entity *out, bool *stored); /* the entity of the request's path */
SVC_PRIVATE bool svc_change_write(svc_call *c, const svc_change *change, svc_entity *e); /* its body and extra in stored form */
SVC_PRIVATE bool svc_change_differs(const svc_change *change, const char *field); /* whether this member differs from before */
SVC_PRIVATE bool svc_insert(svc_call *c, svc_change *change, svc_entity *out); /* stores a create that was checked and prepared */
/* A create for svc_insert(), with a copy of this body, because hooks change it and the work may be repeated. body NULL: an empty one. */
SVC_PRIVATE bool svc_change_new(svc_call *c, const svc_noun_info *noun, const svc_node *body, svc_change *change);
/* For an action that changes the entity of its path. svc_change_begin() resolves the path, checks If-Match and guards, and sets event and
** state as for an update: an action with others replaces them. Then the action checks, edits change->body, and stores: svc_change_store()
** also answers with the entity; after svc_change_keep() the action answers itself. The body of a POST is c->checked. That of a PUT or PATCH
** is c->body, which the action checks by svc_check(). */
SVC_PRIVATE bool svc_change_begin(svc_call *c, svc_change *change);
SVC_PRIVATE const svc_node *svc_change_input(svc_call *c, const svc_change *change); /* the input; NULL: out of memory, or refused */
SVC_PRIVATE bool svc_change_store(svc_call *c, svc_change *change);
/* The same for an entity other than that of the path, without If-Match and guards. change->event and state are NULL: no event and no new
** state, unless the caller sets them. */
SVC_PRIVATE bool svc_change_of(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, svc_change *change);
SVC_PRIVATE bool svc_change_keep(svc_call *c, svc_change *change, svc_entity *out); /* stores the change without answering with it */
/* The last checks before a body is stored: the prepare hook of its noun and, for a request, the governor's. */
SVC_PRIVATE bool svc_change_prepare(svc_call *c, svc_change *change);
/* Stores another body without hooks and events. */
SVC_PRIVATE bool svc_rewrite(svc_call *c, const svc_entity *stored, const svc_node *body);

SVC_PRIVATE void svc_change_keys(svc_call *c, const svc_change *change, svc_entity *e); /* its key, unique value and flags */

/* Records that are written along with an entity. before NULL: it is new; body NULL: it is deleted. */
SVC_PRIVATE bool svc_change_along(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                  const svc_node *body);

/* Updates fields that count descendants: when one is created or deleted, and in a body about to be stored. */
SVC_PRIVATE bool svc_recount(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
SVC_PRIVATE void svc_count_below(svc_call *c, const svc_noun_info *noun, const svc_id *id, svc_node *body);

/* element.c: resources that are elements of an array in another resource. */
SVC_PRIVATE svc_node *svc_element_named(const svc_node *list, svc_str id); /* NULL: not found */
SVC_PRIVATE bool svc_element_entity(svc_call *c, const svc_entity *whole, const svc_node *item, svc_entity *out);
SVC_PRIVATE bool svc_element_create(svc_call *c);
SVC_PRIVATE bool svc_element_change(svc_call *c, int mode); /* enum svc_check_mode */
SVC_PRIVATE bool svc_element_delete(svc_call *c);

/* scope.c: the project and organization of a resource. */
SVC_PRIVATE void svc_scope_enter(svc_call *c, const svc_entity *e); /* internal work continues in the scope of this entity */
/* whether `of` is the same scope, or a project of the organization */
SVC_PRIVATE bool svc_scope_covers(const svc_scope *scope, const svc_scope *of);
/* The scope of a new entity with this parent and id. The call continues in that scope. */
SVC_PRIVATE bool svc_scope_of_new(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_scope *out);
/* Whether records of `below` lie below those of `noun`. False for events. */
SVC_PRIVATE bool svc_scope_holds(const svc *s, const svc_noun_info *noun, const svc_noun_info *below);
/* A project moved to another organization: updates everything below it. */
SVC_PRIVATE bool svc_scope_move(svc_call *c, const svc_id *group, const svc_id *org);

/* erase.c: deletes. */
/* Deletes an entity with its descendants, with an event for each; below a deleted project or organization, whose log goes too, without
** events. The entity itself goes at once, and a limited number of descendants; due
** steps delete the rest. */
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
SVC_PRIVATE bool svc_erase_due(svc_call *c, const svc_due_entry *due, bool *mine); /* the next part of that */
SVC_PRIVATE bool svc_may_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* false: refused */
/* false: a guard of the noun refuses it in its present state. what: enum svc_guard_what */
SVC_PRIVATE bool svc_guarded(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body, int what);

/* refs.c: references between entities. */
SVC_PRIVATE bool svc_refs_check(svc_call *c, const svc_change *change); /* new references must lead to entities that exist and stay */
SVC_PRIVATE bool svc_refs_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                const svc_node *body); /* either may be NULL */
SVC_PRIVATE bool svc_refs_free(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* false: another entity refers to it */
/* Whether an entity of this noun refers to it. */
SVC_PRIVATE bool svc_refs_named_by(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *by);
/* Calls `user` with the noun of each entity that refers to it by id. */
SVC_PRIVATE bool svc_refs_users(svc_call *c, const svc_entity *e, void (*user)(void *context, const svc_noun_info *from), void *context);
/* Removes the references to a deleted entity. in_cascade: its whole project or organization is being deleted. */
SVC_PRIVATE bool svc_refs_drop(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool in_cascade);
/* Whether a project may move to another organization. False: refused, because a reference would cross organizations. */
SVC_PRIVATE bool svc_refs_may_move(svc_call *c, const svc_entity *group);
/* For a field that refers to entities of the same noun: whether the references form a circle. False: failed. */
SVC_PRIVATE bool svc_refs_circle(svc_call *c, const svc_change *change, const char *field, bool *circle);

/* lifecycle.c */
SVC_PRIVATE const svc_transition *svc_transition_from(const svc_noun *noun, svc_str state);
/* the time at which `percent` of the provisioning has passed */
SVC_PRIVATE int64_t svc_provisioned(const svc *s, unsigned percent, int64_t now);
SVC_PRIVATE int64_t svc_transition_due(const svc *s, const svc_noun *noun, svc_str state, int64_t now); /* 0: the state is stable */
SVC_PRIVATE const char *svc_event_of_gone(const svc_noun *noun); /* the event of a completed delete; NULL: none */
/* Takes the transition out of the present state. action NULL: the order that the table has for this state. facts NULL: none, or
** simulated. */
SVC_PRIVATE bool svc_transition_take(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const char *action,
                                     const svc_node *facts, int tag);
/* Stores an internal change without due date: svc_change_of(), then edit body, extra, dues and event, then call this. */
SVC_PRIVATE bool svc_change_settle(svc_call *c, svc_change *change);
SVC_PRIVATE int svc_apply_due(svc *s, int64_t now);
SVC_PRIVATE int svc_apply_due_some(svc *s, int64_t now, int64_t *left); /* limited to about *left steps; *left 0: the limit was reached */

/* facts.c: facts from a driver, checked against tables. */
/* The text of facts without leading space; n 0: none. SVC_INVALID: not a JSON object, or too large; SVC_NOMEM. */
SVC_PRIVATE int svc_facts_gate(const svc *s, const char *facts, svc_str *out);
/* report.c: a driver's report about this entity, as the noun's `reports` defines it. */
SVC_PRIVATE bool svc_report_about(svc_call *c, const svc_noun_info *info, const svc_entity *e, const svc_node *news);
SVC_PRIVATE const svc_order_row *svc_order_row_of(const svc_noun *noun, const char *action); /* NULL: the noun has no such order */
/* Checks facts against an object; object NULL: no facts are allowed. NULL: refused and logged, or out of memory with the error set. */
SVC_PRIVATE svc_node *svc_facts_check(svc_call *c, const svc_noun *noun, const svc_object *object, const svc_node *facts, const char *about);
SVC_PRIVATE void svc_facts_refused(svc_call *c, const svc_noun *noun, const char *about); /* logs the first violation and clears them all */
/* The simulator's facts for an order; *out NULL: none, or there is a driver. False: failed. */
SVC_PRIVATE bool svc_facts_simulate(svc_call *c, const svc_change *change, const char *action, const svc_node **out);
#define SVC_FAILURE "reason" /* in the simulator's facts: the order failed for this reason */
/* the usual `facts` hook: each fact is a field of the body */
SVC_PRIVATE bool svc_facts_into(svc_call *c, svc_change *change, const svc_node *facts);
SVC_PRIVATE bool svc_report_simulated(svc_call *c, svc_change *change); /* the simulator's report, into the change */
/* Copies facts into the change; facts NULL: those of the simulator. */
SVC_PRIVATE bool svc_facts_take(svc_call *c, svc_change *change, const char *action, const svc_node *facts);

/* order.c: orders to the driver. */
/* the order of its present state, if there is one */
SVC_PRIVATE bool svc_order_put(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
/* For a hook that changes the entity: an order of a noun without states. The simulator carries it out at once. */
SVC_PRIVATE bool svc_order_within(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_order_gone(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* the entity is deleted */
SVC_PRIVATE bool svc_order_has_taker(const svc *s, const svc_noun *noun); /* whether its orders have a recipient; for the pipeline only */
SVC_PRIVATE bool svc_order_has_any_taker(const svc *s); /* whether this handle has a driver or sends notifications */
/* Start time of an order that falls due at c->now: that time with the simulator, the present or later with a driver. */
SVC_PRIVATE int64_t svc_order_time(const svc_call *c, const svc_noun_info *noun);
/* An order failed: logs it, and moves to the failed state, with reason and event. Without such a state only the simulator's due date is set
** again; order_outcome.c repeats the order of a driver. facts: "reason", "state". */
SVC_PRIVATE bool svc_order_failed(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_node *facts);
SVC_PRIVATE bool svc_order_waits(svc_call *c, const svc_entity *e); /* whether it has an order */
SVC_PRIVATE int svc_orders_open(svc *s);
SVC_PRIVATE void svc_orders_close(svc *s);
SVC_PRIVATE bool svc_order_is_session(svc_str key);
SVC_PRIVATE int svc_orders_hand_out(svc *s, int64_t now);
SVC_PRIVATE int svc_orders_next(svc *s, int64_t after, int64_t *when); /* time of the next handing out after this one; INT64_MAX: none */
/* The first queued orders, with the time at which each is handed out; strings are in the arena. Returns their number; c->txn must be a
** read transaction. */
SVC_PRIVATE size_t svc_orders_waiting(svc_call *c, svc_order *orders, int64_t *when, size_t room);

/* simulator.c: the driver of a host that has none, and replies of drivers. */
SVC_PRIVATE const svc_driver *svc_simulator(void);
SVC_PRIVATE int64_t svc_simulated(const char *resource, const char *what, int64_t now); /* a pseudo-random figure from 0 to 1000 */
SVC_PRIVATE uint64_t svc_simulated_hash(const char *resource, const char *what, int64_t at); /* a pseudo-random figure of 64 bits */
SVC_PRIVATE void svc_reply_begin(svc_reply *reply, svc_arena *arena, size_t most);

/* meter.c: the ledger of costs. */
SVC_PRIVATE bool svc_meter_note(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body); /* body NULL: deleted */
/* Whether the organization may spend more on this request. False: 402 with this code; SVC_E_NONE: the default code. */
SVC_PRIVATE bool svc_meter_pays(svc_call *c, const svc_id *org, int code);
/* Whether the organization may have a resource that costs more than before. before NULL: it is new. False: 402. */
SVC_PRIVATE bool svc_meter_affords(svc_call *c, const svc_noun_info *noun, const svc_id *org, const svc_node *before,
                                   const svc_node *body);
typedef struct svc_ledger_line {
  svc_id org, group, id;
  svc_id top; /* its ancestor right below the project, or itself */
  svc_str top_name, group_name; /* their names when the line began */
  char kind[SVC_KIND_SIZE];
  unsigned month;       /* 202503 */
  unsigned slot;        /* index among the lines of its entity */
  int64_t since, until; /* milliseconds; until 0: still running */
  svc_meter meter;
} svc_ledger_line;
SVC_PRIVATE void svc_ledger_begin(svc_scan *scan, svc_txn *txn, const svc_id *org, unsigned month); /* month 0: all months */
SVC_PRIVATE bool svc_ledger_next(svc_scan *scan, svc_ledger_line *out);
SVC_PRIVATE bool svc_meter_due(svc_call *c, const svc_due_entry *due, bool *mine); /* closes a month */

/* event.c */
SVC_PRIVATE bool svc_event_write(svc_call *c, const char *type, const svc_scope *scope, const char *field, svc_str value);
typedef struct svc_event_part { /* the subject of an event; name NULL: no subject */
  const char *name;
  svc_str value; /* empty: omitted */
  bool raw;      /* value is JSON, not text */
} svc_event_part;
/* With several subjects, sorted by name; svc_event_about(): with those of the noun; gone: the entity is deleted. type NULL: no event. */
SVC_PRIVATE bool svc_event_with(svc_call *c, const char *type, const svc_scope *scope, const svc_event_part *about, size_t count);
SVC_PRIVATE bool svc_event_about(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type, bool gone);
/* The same for an entity whose noun may have `diff`: the event lists the changes. */
enum svc_diff_what { SVC_DIFF_NONE, SVC_DIFF_NEW, SVC_DIFF_CHANGED, SVC_DIFF_LEAVING /* it is being deleted */, SVC_DIFF_GONE };
typedef struct svc_difference {
  const svc_noun_info *noun;
  const svc_entity *e;
  int what; /* enum svc_diff_what */
  const svc_node *before, *body; /* before: only for SVC_DIFF_CHANGED; body NULL: the entity's own */
} svc_difference;
SVC_PRIVATE bool svc_event_put_diff(svc_call *c, const char *type, const svc_difference *d);

/* retry.c: Idempotency-Key. */
SVC_PRIVATE bool svc_retry_before(svc_call *c, bool *answered); /* *answered: c->answer is the first answer, nothing else is done */
SVC_PRIVATE bool svc_retry_after(svc_call *c, bool wrote); /* wrote: the request changed something */
SVC_PRIVATE bool svc_retry_expire(svc_txn *txn, const svc_due_entry *due); /* false: another kind of due step */

#endif /* SVC_CHANGE_H */
