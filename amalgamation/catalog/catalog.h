/*
** catalog: the lists of sets, roles and event types, and what nouns share that is no table: people and their memberships,
** role assignments in bodies, entries of access lists.
*/
#ifndef SVC_CATALOG_H
#define SVC_CATALOG_H

#include "catalog/error_list.h"
#include "pipeline/pipeline.h"
#include "catalog/set_list.h"
#include "catalog/role_list.h"

/*
** What a noun has of its own beside the lists above, in its file, each at the beginning of a line. The fold gathers them into
** noun_error_list.h and noun_event_list.h.
**
**   SVC_ERROR(TRIAL_IS_OVER, 409, "The trial {0} is over.", "trialId");              then there is SVC_E_TRIAL_IS_OVER
**   SVC_EVENT(TRIAL_CREATED, SVC_EVENT_GROUP, false, "A trial was created.");        whose log, alertable, what it says
*/
#define SVC_ERROR(code, status, detail, parameters) _Static_assert(SVC_E_##code > 0, #code)
#define SVC_EVENT(name, where, alertable, description) _Static_assert(sizeof #name <= SVC_EVENT_NAME_SIZE, #name " is too long")

/* access_entries.c: for the nouns that are entries of access lists: their spell, POST (answers with the whole list), removing. */
SVC_PRIVATE svc_node *svc_access_shown(svc_call *c, const char *name); /* the caller's own list; NULL: no memory */
SVC_PRIVATE void svc_access_show(svc_call *c, svc_node *body, const svc_address *range); /* ipAddress and cidrBlock */
SVC_PRIVATE svc_str svc_access_spell(svc_call *c, svc_str text);
SVC_PRIVATE bool svc_access_add(svc_call *c);
SVC_PRIVATE bool svc_access_removing(svc_call *c, const svc_entity *e);
/* No credential takes its own last way in. The caller's organization is to ask for lists; and removing, for the nouns that
** are credentials, and for whatever leaves one without use. Both refuse. */
SVC_PRIVATE bool svc_access_requiring(svc_call *c);
SVC_PRIVATE bool svc_credential_removing(svc_call *c, const svc_entity *e);

/* versions.c: older dated versions in the shape of the newest, closed by a row without date. */
SVC_DECLARE(const svc_older svc_older_20230101[])
SVC_DECLARE(const svc_older svc_older_until_20230201[])
SVC_DECLARE(const svc_older svc_older_until_20240530[])

/* settings_asked.c: a setting of the organization that the call is in, true or false. */
SVC_PRIVATE bool svc_org_setting(svc_call *c, const char *name, bool preset);
/* Of the call's project: what its setting of this name says; and, it must not be false: 403. */
SVC_PRIVATE bool svc_project_setting(svc_call *c, const char *name);
SVC_PRIVATE bool svc_project_allows(svc_call *c, const char *name);
SVC_PRIVATE int64_t svc_org_setting_number(svc_call *c, const char *name, int64_t preset);
SVC_PRIVATE bool svc_organization_settings_begin(svc_call *c, const svc_entity *org); /* of a new organization */

/* event_types.c */
SVC_PRIVATE bool svc_event_type_named(const char *name, svc_event_type *out); /* false: there is none */
SVC_PRIVATE bool svc_event_type_known(const svc *s, svc_str name, svc_event_type *out); /* the same, by a client's word for it */

/* roles.c */
SVC_PRIVATE const char *svc_role_title(int role);
SVC_PRIVATE bool (svc_no_role)(svc_call *c, svc_str name); /* 400: no role has this name, and which was meant; false */
#define svc_no_role(...) (svc_no_role(__VA_ARGS__), false)

/* assignments.c: roles in bodies, and where they are kept. Names: of the roles that one holder has on one thing, a line each. */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field); /* an array of names */
SVC_PRIVATE svc_str svc_names_from(svc_call *c, const svc_node *list); /* each once */
SVC_PRIVATE svc_node *svc_names_array(svc_call *c, svc_str names, const char *name);
SVC_PRIVATE bool svc_names_objects(svc_call *c, svc_node *list, svc_str names, const char *scope, const svc_id *on); /* adds them */
/* Assignments: lines of roles on organizations, teams and invitations (pipeline/who.h). */
SVC_PRIVATE svc_str svc_assignment_text(svc_call *c, svc_str role, svc_str on); /* one by itself */
SVC_PRIVATE svc_str svc_assignments_without(svc_call *c, svc_str assignments, svc_str on);
SVC_PRIVATE svc_str svc_assignments_names(svc_call *c, svc_str assignments, svc_str on); /* of the roles on this organization */
SVC_PRIVATE svc_str svc_assignments_set(svc_call *c, svc_str assignments, svc_str on, svc_str names); /* these are all there */
enum svc_assignment_class { SVC_ASSIGNED_ROLE, SVC_ASSIGNED_TEAM, SVC_INVITED };
SVC_PRIVATE int svc_assignment_class(svc_str role);
SVC_PRIVATE svc_str svc_assignment_org(svc_str role, svc_str on); /* the organization that a line is about */
SVC_PRIVATE svc_str svc_assignments_of_class(svc_call *c, svc_str assignments, int class, bool others); /* or all others */
SVC_PRIVATE svc_node *svc_assignments_teams(svc_call *c, svc_str assignments); /* teamIds */
/* Either as a set of lines. */
SVC_PRIVATE bool svc_lines_have(svc_str lines, svc_str line);
SVC_PRIVATE svc_str svc_lines_plus(svc_call *c, svc_str lines, svc_str others);  /* none twice */
SVC_PRIVATE svc_str svc_lines_minus(svc_call *c, svc_str lines, svc_str others); /* those that are not in both */
SVC_PRIVATE bool svc_lines_same(svc_str a, svc_str b); /* in whatever order */
/* What the entity, a holder below the path's organization, has on the path's project, or on the organization where the path
** names no project; as a route's `keep`: something. */
SVC_PRIVATE svc_str svc_names_here(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_keep_assigned(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_names_put(svc_call *c, const svc_entity *e, svc_str names); /* on the path's project */
SVC_PRIVATE bool svc_holds_only_here(svc_call *c, const svc_entity *e); /* nothing but on the path's project, if there */
SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level); /* the path's project, else its organization: its id */
SVC_PRIVATE svc_holder svc_holder_of(const svc_entity *e);
/* May the caller change all of this credential? False: 403. */
SVC_PRIVATE bool svc_may_manage(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_may_shut_out(svc_call *c, const svc_entity *e); /* by its access list; false: 403 */
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after); /* names in the path's project; false: 403 */
/* The credential that has made this project owns it. A caller that is none, or owns it anyway: nothing. */
SVC_PRIVATE bool svc_credential_owns(svc_call *c, const svc_id *org, const svc_id *group);
SVC_PRIVATE bool svc_holder_gone(svc_call *c, const svc_entity *e); /* `gone` of what holds roles */
/* Those of a noun that an index names (store/holding.c); and as a route's `run`: those with a role on the path's project. */
SVC_PRIVATE bool svc_list_listed(svc_call *c, const svc_entities *which, const svc_id *on, const char *kind);
SVC_PRIVATE bool svc_list_assigned(svc_call *c);
SVC_PRIVATE bool svc_list_ids(svc_call *c, const svc_entities *which, const svc_id *ids, size_t n); /* these */

/* monitoring/alert_defaults.c: a new project, whose id is the last that was made, has default alert configurations, unless it or its
** organization wants none. */
SVC_PRIVATE bool svc_alert_defaults(svc_call *c, svc_change *change, const svc_entity *org);

/* told.c: questions to the driver, and what it answers. */
/* c->question is that of the row, about the entity; parameters: a JSON object, as the row says. The noun of the route lists the row. */
SVC_PRIVATE bool svc_question_about(svc_call *c, const svc_question_row *row, const svc_entity *e, svc_str name, svc_str parameters);
/* What was told, as the row has it: an object, or an array; of an empty reply an empty one. NULL: it is not as the row says, and 503; or no memory. */
SVC_PRIVATE svc_node *svc_told(svc_call *c, const svc_question_row *row, const svc_reply *reply);
/* The same of what no table can say of a reply: 503, and why in the log. NULL. */
SVC_PRIVATE svc_node *svc_told_refused(svc_call *c, const svc_question_row *row, const char *why);
SVC_DECLARE(const svc_object svc_told_figure) /* one figure, as "measure" has it */
/* Logs: the parameters of their time, in seconds since 1970, from 2008 on; and what they say, where nothing: so many seconds
** up to now. Refuses. Then, `told` of the route: as gzip. */
#define SVC_LOG_PARAM(n) { .name = n, .type = SVC_INT64, .min = 1199145600, .max = 253402300799 }
SVC_PRIVATE bool svc_log_range(svc_call *c, int64_t seconds, int64_t *from, int64_t *until);
#define SVC_LOG_ASKED(values) \
  F_LONG("from", .flags = SVC_REQUIRED), F_ENUM("log", values, .flags = SVC_REQUIRED), F_LONG("until", .flags = SVC_REQUIRED) /* of a question */
SVC_PRIVATE bool svc_log_on_reply(svc_call *c, const svc_reply *reply);
SVC_PRIVATE bool svc_told_next(svc_call *c, void *state, svc_item *out); /* a source of its items; state: the first one, by pointer */

/* people.c: people, whatever organizations they are in. */
SVC_PRIVATE svc_str svc_person_name(svc_call *c, svc_str name); /* as it is stored: names differ by more than case */
/* A person, or a membership, is stored; old NULL: it is new; body NULL: that stays as it is. */
SVC_PRIVATE bool svc_person_write(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body);
SVC_PRIVATE bool svc_person_find(svc_call *c, svc_str name, svc_entity *out, bool *found);
SVC_PRIVATE bool svc_person_make(svc_call *c, svc_str name, svc_entity *out); /* known by name, not registered */
SVC_PRIVATE bool svc_person_registered(const svc_entity *person);
SVC_PRIVATE bool svc_person_by(const svc_entity *person, svc_id *by); /* registered by somebody of this organization */
SVC_PRIVATE bool svc_person_is_caller(svc_call *c, const svc_entity *person);
SVC_PRIVATE bool svc_person_register(svc_call *c, svc_entity *person, const svc_node *body, const svc_id *by); /* NULL: by itself */
SVC_PRIVATE bool svc_person_assign(svc_call *c, svc_entity *person, svc_str assignments);
SVC_PRIVATE svc_node *svc_person_seen_in(svc_call *c, const svc_entity *person, const svc_id *org); /* by members of this one */
/* With the roles that the caller may see; NULL: it may not see the person, unless it has just `made` it. */
SVC_PRIVATE svc_node *svc_person_view(svc_call *c, const svc_entity *person, bool made);

/* members.c: what people are in organizations. */
typedef struct svc_member {
  svc_id org;
  svc_entity user;   /* the person; strings are the arena's own */
  bool there;        /* a member, or invited */
  svc_entity entity; /* the membership, as it is stored; strings are the arena's own */
  svc_str status;    /* PENDING, ACTIVE, INVITATION_EXPIRED; empty: neither member nor invited */
  svc_str assignments; /* roles in this organization, and teams */
} svc_member;

/* What becomes of somebody's roles in projects. */
typedef struct svc_group_roles {
  svc_id group;
  svc_str roles; /* names; none: it has none there any more */
} svc_group_roles;
typedef struct svc_group_change {
  svc_group_roles *rows; /* in the order of ids, each project once */
  size_t count;
  bool others_go; /* and in all other projects it has none any more */
} svc_group_change;
/* Into that order; a project that stands there twice has the roles of both. */
SVC_PRIVATE void svc_group_change_sort(svc_call *c, svc_group_change *change);
SVC_PRIVATE bool svc_group_change_has(const svc_group_change *change, const svc_id *group); /* of one that is sorted */

#define SVC_TEAM_MOST 250 /* people of a team */
/* Kinds of lists of members, below an organization: of nouns no kind has such a letter. */
#define SVC_MEMBERS_OWNING "ous!"
#define SVC_MEMBERS_INVITED "ous?"
#define SVC_MEMBERS_REACHING "ous+" /* into all its projects, by a role in the organization */
SVC_PRIVATE bool svc_member_reaches(svc_str assignments);
SVC_PRIVATE svc_str svc_team_assignment(svc_call *c, const svc_id *org, svc_str team); /* is in this team */
SVC_PRIVATE svc_str svc_member_assignment(svc_call *c, const svc_id *org);             /* the least that a member has */
SVC_PRIVATE bool svc_member_get(svc_call *c, const svc_id *org, const svc_id *user, svc_member *out); /* see `there` */
SVC_PRIVATE bool svc_member_named(svc_call *c, const svc_id *org, svc_str name, svc_member *out);
SVC_PRIVATE const char *svc_member_kind(const svc_call *c);
SVC_PRIVATE svc_str svc_member_status(const svc_entity *e);
SVC_PRIVATE svc_str svc_member_group(svc_call *c, const svc_member *m, const svc_id *group); /* names of its roles there */
SVC_PRIVATE bool svc_member_put(svc_call *c, svc_member *m, svc_str status, svc_str assignments,
                                const svc_group_change *groups); /* also the first time; groups NULL: they stay */
SVC_PRIVATE bool svc_member_remove(svc_call *c, svc_member *m);
SVC_PRIVATE bool svc_member_gone(svc_call *c, const svc_entity *e);    /* `gone` of memberships */
SVC_PRIVATE bool svc_member_expired(svc_call *c, const svc_entity *e); /* an invitation is over */
SVC_PRIVATE bool svc_member_refresh(svc_call *c, svc_member *m);       /* the person says other things of itself */
/* Into the organization, with these; `invite`: also who is registered is only invited. 409: is there already. */
SVC_PRIVATE bool svc_member_add(svc_call *c, const svc_id *org, svc_str name, svc_str assignments,
                                const svc_group_change *groups, bool invite, svc_member *out);
/* Into a project: members at once, others by an invitation to its organization. */
SVC_PRIVATE bool svc_member_join(svc_call *c, const svc_id *group, const svc_id *org, const svc_node *request, bool invite,
                                 svc_member *out);
SVC_PRIVATE svc_node *svc_member_view(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_list_member(svc_call *c, const svc_entities *which, const svc_member *m); /* if it is there, and kept */
SVC_PRIVATE bool svc_team_forget(svc_call *c, const svc_id *org, const svc_id *team); /* nobody is in it any more */
/* Who made it owns it: this person the new organization, or (if a member) the new project in it. Others: nothing. */
SVC_PRIVATE bool svc_member_own(svc_call *c, const svc_id *org, const svc_id *group, const svc_id *user, bool *owns);
/* Lines with those of one class replaced by what a body says, and what it says of projects; false: refused. */
SVC_PRIVATE bool svc_assign_org(svc_call *c, const svc_id *org, const svc_node *names, const char *field, svc_str *assignments);
SVC_PRIVATE bool svc_assign_teams(svc_call *c, const svc_id *org, const svc_node *ids, svc_str *assignments);
SVC_PRIVATE bool svc_assign_groups(svc_call *c, const svc_id *org, const svc_node *list, const char *names,
                                   svc_group_change *out);
SVC_PRIVATE bool svc_assign_group(svc_call *c, const svc_id *group, svc_str roles, svc_group_change *out); /* one, the others stay */

/* invitations.c: memberships that are PENDING. */
/* Invitations to the path's project, or its organization: who is PENDING, and has roles there. They are found by the id
** of the path, else by the username of the body; a view is made for the project or organization `to` with this id. */
SVC_PRIVATE bool svc_invitation_find(svc_call *c, svc_member *m);
SVC_PRIVATE bool svc_invitation_list(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context));
SVC_PRIVATE svc_str svc_inviter_name(const svc_call *c); /* members.c: as the caller calls itself, a credential too */
SVC_PRIVATE svc_node *svc_invitation_view(svc_call *c, const svc_noun_info *to, const svc_id *id, const svc_entity *e);
SVC_PRIVATE svc_node *svc_invitation_check(svc_call *c, const svc_node *view); /* the body, without what it leaves; NULL: bad */
SVC_PRIVATE bool svc_invitation_answer(svc_call *c, const svc_member *m, svc_node *view);

#endif /* SVC_CATALOG_H */
