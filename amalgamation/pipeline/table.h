/*
** The row types of the catalog.
**
** Everything the service knows of a resource stands in tables of these types, as static const data: fields, routes,
** states, limits. Routing, body checks, links, rate limits and the tests all read the same rows, so none can drift from
** another. A row that needs behaviour carries a function; nothing switches over names.
**
** Field rows of one object stand in the order of their names: that is also the order on the wire.
*/
#ifndef SVC_TABLE_H
#define SVC_TABLE_H

typedef struct svc_call svc_call;
typedef struct svc_noun svc_noun;
typedef struct svc_change svc_change; /* a change about to be stored (pipeline/change.c) */
typedef struct svc_object svc_object;
typedef struct svc_field svc_field;
typedef struct svc_route svc_route;

enum svc_set_scope { SVC_SCOPE_IP, SVC_SCOPE_GROUP, SVC_SCOPE_ORGANIZATION, SVC_SCOPE_USER };

/* An endpoint set: what its buckets are of, and how they fill. */
typedef struct svc_set_row {
  const char *name;
  unsigned char scope; /* enum svc_set_scope */
  int64_t capacity, refill_rate, refill_seconds;
} svc_set_row;

/* ------------------------------------------------------------------------------------------------------------- fields */

enum svc_type {
  SVC_STRING,
  SVC_INT32,
  SVC_INT64,
  SVC_NUMBER,
  SVC_BOOLEAN,
  SVC_DATE,   /* date and time, ISO 8601; served in UTC to the second */
  SVC_OBJECT, /* .object says of what */
  SVC_ARRAY,  /* .item is the type of the elements; .object, .values, .pattern, .format speak of them */
  SVC_MAP,    /* an object with free keys; the rest as for arrays */
  SVC_ANY,    /* any JSON at all */
  SVC_NAME    /* of elements: one of .values, or an object that has its name, as it is shown; a hook looks at either */
};

enum svc_field_flags {
  SVC_REQUIRED = 1,      /* a create or replace without it is refused */
  SVC_READ_ONLY = 2,     /* a body may only send back what it was */
  SVC_FIXED = 4,         /* set at creation, read-only from then on */
  SVC_NULLABLE = 8,      /* null in a body clears it */
  SVC_WRITE_ONLY = 16,   /* taken from the body, seen by the hooks, neither stored nor shown */
  SVC_UNIQUE_ITEMS = 32, /* no element of the array twice */
  SVC_MIN = 64,          /* .min holds */
  SVC_MAX = 128,         /* .max holds */
  SVC_GROUP_EVENTS = 256, /* a string: the values are the types of events of projects; */
  SVC_ORG_EVENTS = 512,   /* and of organizations */
  SVC_ALERTABLE = 2048,   /* of these, those for which an alert can be configured */
  SVC_ANY_CASE = 8192,    /* a string: one of .values in whatever case, kept as the list has it */
  SVC_NOT_EMPTY = 32768,  /* an array: it has at least one element */
  SVC_PLACE = 16384,      /* a string of answers that names fields, "specs[0].name": a dialect has its own words in it */
  SVC_OPEN = 4096,        /* a string: .values are those that are known beforehand; a hook looks at others */
  SVC_SEALED = 1024       /* a string, or a map of strings: a secret that is needed again. It is kept sealed (seal.c), and shown
                             by its last characters at the most; with SVC_WRITE_ONLY not at all. What was shown may be sent back:
                             then it stays. A noun with such fields has no `extra` of its own */
};

/* Fields that the service fills in by itself. */
enum svc_auto {
  SVC_AUTO_NONE,
  SVC_AUTO_ID,       /* the new entity's id; inside an array: an id of the element's own */
  SVC_AUTO_NOW,      /* when it was created */
  SVC_AUTO_CHANGED,  /* when it was last changed */
  SVC_AUTO_GROUP_ID, /* id of the project in the path */
  SVC_AUTO_ORG_ID    /* id of the organization in the path, or that owns the project in it */
};

struct svc_field {
  const char *name;
  unsigned char type;   /* enum svc_type */
  unsigned char item;   /* type of the elements of an array or map */
  unsigned char format; /* enum svc_format */
  unsigned char fill;   /* enum svc_auto */
  unsigned short flags; /* enum svc_field_flags */
  unsigned short max_items; /* of an array: how many elements it has at the most; 0: any number */
  int32_t min, max;          /* number: its bounds, with SVC_MIN and SVC_MAX. string: bounds of its length in characters, max 0: none. Of an
                                array or a map they speak of its elements */
  union { /* read by svc_field_object() and svc_field_pattern() */
    const svc_object *object; /* of SVC_OBJECT, and of elements that are that; of SVC_ANY: what a hook checks it as, so that a dialect knows its words */
    const char *pattern;      /* of strings, and of elements that are: see svc_pattern_match() */
  };
  const char *const *values; /* of strings, and of elements that are: NULL-terminated list of those allowed; of 32-bit integers: the same,
                                in decimal */
  const char *preset;        /* the default, as JSON text; NULL: omitted while it has no value */
};

static inline bool svc_field_is_text(const svc_field *f)
{
  return f->type == SVC_STRING || ((f->type == SVC_ARRAY || f->type == SVC_MAP) && f->item == SVC_STRING);
}
static inline const svc_object *svc_field_object(const svc_field *f)
{
  return svc_field_is_text(f) ? NULL : f->object;
}
static inline const char *svc_field_pattern(const svc_field *f)
{
  return svc_field_is_text(f) ? f->pattern : NULL;
}

/* The bounds of a number with SVC_MIN, and with SVC_MAX. */
static inline int64_t svc_field_min(const svc_field *f)
{
  return f->format == SVC_FORMAT_MILLIS ? INT64_C(1199145600000) : f->min; /* 2008-01-01T00:00:00Z */
}
static inline int64_t svc_field_max(const svc_field *f)
{
  return f->format == SVC_FORMAT_FIGURE ? INT64_C(1000000000000) : f->max;
}

/* What chooses the object that holds instead of a union: the value of a field. */
typedef struct svc_variant {
  const char *value;
  const svc_object *object;
} svc_variant;
typedef struct svc_choice {
  const char *by;        /* the field */
  const char *otherwise; /* the value where it is missing; NULL: then it is refused */
  const svc_variant *variants; /* closed by a row without value */
} svc_choice;
#define SVC_CHOICE(...) &(const svc_choice){ __VA_ARGS__ }

/*
** Fields that have to be sent under a condition. The OpenAPI document says it of requests, and a body that breaks it is refused as one
** without a required field is. The condition is about the body as it would be stored: with its defaults, and of a PATCH with what stays.
**
**   { .fields = "hostname bindUsername", .where = "enabled=true" }         both
**   { .fields = "ipAddress|cidrBlock" }                                     always one of them, or both
**   { .fields = "region", .where = "provider=AWS|AZURE vendor=S3" }         where both terms hold, the first with either value
**   { .fields = "endHour", .where = "startHour" }                           where startHour has any value
*/
typedef struct svc_need {
  const char *fields; /* names of fields of the object, with spaces between them, or with | */
  const char *where;  /* NULL: always */
  bool unless;        /* rather: where the condition does not hold */
  bool by_hook;       /* a hook of the noun refuses it, with an error of its own or by what is stored: the pipeline only documents it */
} svc_need;

/* Columns that few objects have. Read them by svc_object_rarely(). */
typedef struct svc_object_rare {
  const svc_choice *choice; /* by SVC_CHOICE: it is a union, which has no fields of its own; svc_object_of() (fields.c) finds what
                               holds instead, everywhere; NULL: it is none */
  const char *const *secrets_go_to; /* paths of the fields in it that say where its secrets are sent ("url"), closed by NULL: a
                                       stored secret does not outlive a change of these, it has to be sent again; NULL: none */
  const svc_need *needs;  /* closed by a row without fields; NULL: none */
  const char *distinct_by; /* field by which the elements of an array of these differ: no two have the same; NULL: none */
  const char *matched_by; /* of elements of arrays that have no id: fields, with a slash between them, by which one that is sent finds the stored
                             one, wherever that stands; NULL: by its place */
} svc_object_rare;
#define SVC_OBJECT_RARE(...) &(const svc_object_rare){ __VA_ARGS__ }

struct svc_object {
  const char *name;
  const svc_field *fields;  /* by SVC_ROWS: sorted by name; NULL: none */
  const svc_object *base; /* fields of another object that this one has as well; NULL: none */
  const svc_object_rare *rare; /* by SVC_OBJECT_RARE: columns that few objects have; NULL: it has none of them */
  unsigned short count;   /* of its fields; of a union 0 */
};
#define SVC_VARIANTS_OF(o) (svc_object_rarely(o)->choice ? svc_object_rarely(o)->choice->variants : NULL)
#define SVC_ROWS(array) array, .count = sizeof(array) / sizeof *(array)

/*
** Row macros. Each takes the name and then any further members: F_STR("name", .flags = SVC_REQUIRED, .max = 64). What must
** be given stands within the dots, as C11 wants one argument there at least.
*/
#define F_STR(...) { .type = SVC_STRING, .name = __VA_ARGS__ }
#define F_INT(...) { .type = SVC_INT32, .name = __VA_ARGS__ }
#define F_LONG(...) { .type = SVC_INT64, .name = __VA_ARGS__ }
#define F_NUM(...) { .type = SVC_NUMBER, .name = __VA_ARGS__ }
#define F_BOOL(...) { .type = SVC_BOOLEAN, .name = __VA_ARGS__ }
#define F_DATE(...) { .type = SVC_DATE, .name = __VA_ARGS__ }
#define F_OBJ(n, ...) { .name = n, .type = SVC_OBJECT, .object = __VA_ARGS__ }
#define F_LIST(n, ...) { .name = n, .type = SVC_ARRAY, .item = SVC_OBJECT, .object = __VA_ARGS__ }
#define F_STRS(...) { .type = SVC_ARRAY, .item = SVC_STRING, .name = __VA_ARGS__ }
#define F_ENUM(n, ...) { .name = n, .type = SVC_STRING, .values = __VA_ARGS__ }
#define F_HEX24(...) { .type = SVC_STRING, .format = SVC_FORMAT_ID, .name = __VA_ARGS__ }
#define F_ANY(...) { .type = SVC_ANY, .name = __VA_ARGS__ }

/* Rows that most entities have. */
#define F_ID() F_HEX24("id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID)
#define F_GROUP_ID() F_HEX24("groupId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_GROUP_ID)
#define F_ORG_ID() F_HEX24("orgId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ORG_ID)
#define F_CREATED(n) F_DATE(n, .flags = SVC_READ_ONLY, .fill = SVC_AUTO_NOW)

/* ---------------------------------------------------------------------------------------------------------- parameters */

enum svc_param_flags {
  SVC_PARAM_REQUIRED = 1,
  SVC_PARAM_REPEATS = 2, /* may stand more than once */
  SVC_PARAM_EVENTS = 8,  /* strings: types of events, which a hook looks at */
  SVC_PARAM_MOOT = 4     /* checked, and then without effect: the service has nothing of what it would include, leave out or sort
                            otherwise, so no code reads it. A comment beside the row says why */
};

/* A query parameter of one operation, besides pageNum, itemsPerPage, includeCount, envelope and pretty. */
typedef struct svc_param {
  const char *name;
  unsigned char type;   /* SVC_STRING, SVC_INT32, SVC_INT64, SVC_BOOLEAN, SVC_DATE */
  unsigned char format; /* enum svc_format */
  unsigned char flags;
  unsigned char max_repeats; /* 0: as many as a query may have */
  const char *link; /* its value in links to the operation; NULL: of a required one the first of its values, of others none */
  const char *const *values; /* strings: those allowed; NULL: any */
  const char *pattern;       /* strings: see svc_pattern_match() */
  int64_t min, max;          /* integers: bounds when max > min */
} svc_param;

enum svc_compare {
  SVC_EQUALS,   /* the text of the field is the parameter's; of a parameter that repeats: one of them */
  SVC_PREFIX,   /* the field begins with it, in whatever case; a unique one, of at most 400 bytes, is found by its index */
  SVC_NOT_IN,   /* the field is none of those given */
  SVC_MIN_DATE, /* the date in the field is not before it; of a field that is set at creation the list begins there */
  SVC_MAX_DATE  /* not after it; the same */
};

/* What a query parameter does to a list: of the entities those that compare so. A field of several names, "a.b", is inside. */
typedef struct svc_filter {
  const char *param;
  unsigned char compare; /* enum svc_compare */
  const char *field;
} svc_filter;

/* -------------------------------------------------------------------------------------------------------------- routes */

enum svc_method { SVC_GET, SVC_POST, SVC_PUT, SVC_PATCH, SVC_DELETE, SVC_METHOD_COUNT };

enum svc_route_flags {
  SVC_PAGED = 512,         /* a list, in pages */
  SVC_BARE = 1,            /* a list as a plain JSON array, without wrapper: whole, unless a page of it is asked for */
  SVC_EMPTY_OBJECT = 2,    /* the answer's body is {} */
  SVC_NO_AUTH = 4,         /* anybody may call it */
  SVC_V1_TOO = 8,          /* also served below /api/VENDOR/v1.0, where nothing is limited */
  SVC_VISIBLE_ONLY = 16,   /* a list over organizations: shows only what the caller may see */
  SVC_BODY_OPTIONAL = 32,  /* a body may be left out */
  SVC_NEWEST_FIRST = 64,   /* a list in falling order of creation */
  SVC_NO_LINKS = 128,      /* the answer carries no links (it is no entity) */
  SVC_ITEM = 1024,         /* a function of the noun's that reads one of it, as svc_verb_read does */
  SVC_BODY_ARRAY = 2048,   /* the body is an array of `body` objects */
  SVC_ABSOLUTE = 4096,     /* the path is not below the base path; without versions */
  SVC_RAW_BODY = 8192,     /* the body is not checked: the function reads it itself */
  SVC_NO_BODY = 256,       /* a POST, PUT or PATCH that takes no body */
  SVC_TEXT = 32768,        /* the answer is a JSON string, once: the same Idempotency-Key gets the entity instead */
  SVC_ANYWHERE = 16384,    /* its path names no organization or project: a role that is held anywhere suffices */
  SVC_INSPECTS = 65536     /* a GET that looks at much more than it answers with: a listener answers it on a thread that may wait */
};

/* A date version as a number: 20230101. */
typedef unsigned svc_date_version;

/*
** An older version of a route that is still answered, in its own shape. The store and the hooks know the newest shape alone: older.c
** upgrades a request before they see it, and downgrades the answer behind them. A version whose shape is the newest is a date and no more.
*/
typedef struct svc_older {
  svc_date_version date;
  svc_date_version sunset;  /* the version ends on this day, as its answers announce; 0: no end is set */
  unsigned short status;    /* of success; 0: the route's */
  bool omits;               /* `downgrade` refuses entities that the shape cannot express: lists leave them out, and count the others */
  const svc_object *body;   /* the shape of requests; NULL: the newest */
  const svc_object *answer; /* the shape of answers; NULL: the newest. Without `downgrade`: the route's function answers in it */
  const char *example;      /* a body that is accepted, where the route's example does not fit; NULL: the route's */
  /* Turns a request into one of the newest shape, in place. It has the members that were sent and are not read-only. `before`: of a
  ** PUT or PATCH the entity as the newest version shows it; NULL: a create. False: refused, or out of memory. */
  bool (*upgrade)(svc_call *c, svc_node *body, const svc_node *before);
  /* Turns an answer, or an item of a list, into this shape, in place. False: refused, or out of memory. */
  bool (*downgrade)(svc_call *c, svc_node *shown);
} svc_older;

/* What of an entity stands in the path of a route that it links to (svc_route.linked_from). */
enum svc_linked_by {
  SVC_BY_KEY,            /* its key, as in its own path */
  SVC_BY_HOST,           /* of a key that is HOST:PORT, the host */
  SVC_BY_LAST,           /* of a key of several parts, the last */
  SVC_BY_ALL_BUT_LAST    /* of a unique value of several parts, all but the last */
};

/* Columns that few routes have: most rows are a third shorter without them. Read them by svc_route_rarely(). */
typedef struct svc_route_rare {
  const svc_filter *filters;    /* of a list: closed by a row without param */
  const char *by; /* the noun's unique field, or fields, where they stand in the path instead of its own key ("name" in byName) */
  const char *in_path; /* a field that stands in the path, as a parameter of the same name: what is made has it, and what has
                          another value of it is not seen from here; a value that the field cannot have: 400 */
  const char *value; /* of a read: it answers with the value of this field alone, and no object around it; without links;
                        of a list: each item is that */
  const char *linked_from; /* of a GET whose path is not below that of the entity it tells of: the noun of that, whose answers link to it */
  unsigned char linked_by; /* enum svc_linked_by: what of that entity stands in this path, where its own path has another parameter */
  const char *media; /* what it answers with is not JSON: "gzip" and "csv" are versioned as JSON is, "application/xml" is not */
  const char *file;  /* of a download: the parameter of the path that names the file; a browser stores the answer as "VALUE_DATE" */
  /* What takes long and needs no transaction, of a route that writes: done before that begins, so that nobody waits for it.
  ** What it makes, it puts into c->ahead. It has c->checked, or c->body. NULL: nothing. */
  bool (*ahead)(svc_call *c);
  /* What is seen from here, of all that is there: in a list the others are left out, and one of them by itself is not found, or
  ** refused by the error that the function sets. NULL: all. Called in the transaction of the request. */
  bool (*keep)(svc_call *c, const svc_entity *e);
  /* What the answer shows of an entity, where this route shows it otherwise than its noun's `view` does. */
  svc_node *(*view)(svc_call *c, const svc_entity *e);
} svc_route_rare;
#define SVC_ROUTE_RARE(...) &(const svc_route_rare){ __VA_ARGS__ }

struct svc_route {
  unsigned char method; /* enum svc_method */
  unsigned char set;    /* SVC_SET_...: the endpoint set whose bucket it draws from */
  unsigned char also;    /* of success as well, for documentation: 204; or 202 of a GET that is not ready, and answers as the noun's POST */
  bool whole;            /* of a PATCH, for documentation: its body is looked at as that of a POST, and what is required has to be sent */
  unsigned flags;       /* enum svc_route_flags */
  unsigned short status; /* of success; 0: 200 */
  unsigned short err_not_found; /* SVC_E_...: rather than the noun's, where the entity is looked up in this way */
  svc_date_version versions[4]; /* rising; the last one is the newest, the ones before are gone unless `older` has them */
  svc_date_version deprecated;  /* the served version is deprecated since this day; 0: it is not */
  svc_date_version sunset;      /* the operation ends on this day, as its answers announce; 0: no end is set */
  const svc_older *older;     /* versions before the newest that are still answered, closed by a row without date; NULL: none */
  const char *path;      /* below the base path: "/groups/{groupId}/clusters/{clusterName}:pin" */
  const char *op;        /* what the public reference calls it, "createCluster": no two have the same */
  uint64_t roles;        /* any one of these suffices; 0: whoever is authenticated */
  const svc_param *params;      /* closed by a row without name */
  const svc_object *body;       /* what the body must be when it is not the noun's own object */
  const svc_object *answer;     /* what it answers with when that is not the noun's own object, for documentation */
  const char *example;          /* a body that is accepted, for documentation and for the tests that need one: of a POST; of a
                                   PUT or PATCH (then it changes something) where no GET shows what may be sent back, or
                                   where no single value of that may be another one. An id in it that is named as in a path
                                   stands for one that is there, ada@example.com for somebody in the organization */
  bool (*gate)(svc_call *c); /* a check before `run`, in the same transaction, which resolves what it needs of the path; false: refused.
                                NULL: none */
  bool (*run)(svc_call *c); /* the verb (svc_verb_list, ...) or a function of the noun's */
  /* A question to the driver. `run` has resolved the path and filled in c->question, in a read transaction; then, outside
  ** of any transaction, the driver is asked; then this makes the answer of what it said. */
  bool (*told)(svc_call *c, const svc_reply *reply);
  const svc_route_rare *rare; /* by SVC_ROUTE_RARE: columns that few routes have; NULL: it has none of them */
};
/* Of the token endpoint, which takes a form, has a bucket of its own, and errors in the shape of OAuth. */
#define SVC_TAKES_FORM(r) (((r)->flags & (SVC_ABSOLUTE | SVC_RAW_BODY)) == (SVC_ABSOLUTE | SVC_RAW_BODY))
#define SVC_ROUTES(array) array, .route_count = sizeof(array) / sizeof *(array)


/* Ids in examples that stand for what is there, whatever their members are called. */
#define SVC_EXAMPLE_USER "5f00000000000000000000aa" /* somebody who is in the organization, and is not ada@example.com */
#define SVC_EXAMPLE_ORG "5f00000000000000000000bb"  /* another organization of the caller's */

/*
** Routes of one base path. What they have in common is written once, as a macro of the noun's: path, set, versions, the
** roles that may read, and those that may write.
**
**   #define TEAM_ORG "/orgs/{orgId}/teams", SVC_SET_ORGANIZATION_TEAMS, (20230101), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER
**
**   R_GET(TEAM_ORG, "/{teamId}", .run = svc_verb_read),
**   R_FOR(SVC_R_ORG_READ_ONLY, TEAM_ORG, SVC_POST, ":find", .run = team_find),      with other roles than those
*/
#define R_GET(base, ...) SVC_ROUTE_READ(base, SVC_GET, __VA_ARGS__)
#define R_POST(base, ...) SVC_ROUTE_WRITE(base, SVC_POST, __VA_ARGS__)
#define R_PUT(base, ...) SVC_ROUTE_WRITE(base, SVC_PUT, __VA_ARGS__)
#define R_PATCH(base, ...) SVC_ROUTE_WRITE(base, SVC_PATCH, __VA_ARGS__)
#define R_DELETE(base, ...) SVC_ROUTE_WRITE(base, SVC_DELETE, __VA_ARGS__)
#define R_FOR(who, base, ...) SVC_ROUTE_FOR(who, base, __VA_ARGS__)
#define SVC_ROUTE_READ(...) SVC_ROUTE_READ_(__VA_ARGS__)
#define SVC_ROUTE_WRITE(...) SVC_ROUTE_WRITE_(__VA_ARGS__)
#define SVC_ROUTE_FOR(...) SVC_ROUTE_FOR_(__VA_ARGS__)
#define SVC_ROUTE_READ_(base, s, v, reads, writes, m, p, ...) SVC_ROUTE_FOR_(reads, base, s, v, 0, 0, m, p, __VA_ARGS__)
#define SVC_ROUTE_WRITE_(base, s, v, reads, writes, m, p, ...) SVC_ROUTE_FOR_(writes, base, s, v, 0, 0, m, p, __VA_ARGS__)
#define SVC_IN_BRACES(...) { __VA_ARGS__ }
#define SVC_ROUTE_FOR_(who, base, s, v, reads, writes, m, p, ...) \
  { .method = m, .path = base p, .set = s, .versions = SVC_IN_BRACES v, .roles = who, __VA_ARGS__ }

/* ---------------------------------------------------------------------------------------------------------- lifecycle */

/*
** In state `from` until what is done there is done, then in `to`; `to` NULL: removed. Who does it is the driver, to whom
** `order` is given when the state is entered. Without a driver, or without an order, `percent` of the provisioning time
** passes.
*/
typedef struct svc_transition {
  const char *from;
  const char *to;
  unsigned percent;
  const char *event; /* written when it is taken */
  const char *order; /* "cluster.create"; NULL: it is no work of the driver's */
} svc_transition;

typedef struct svc_lifecycle {
  const char *field;     /* the field that shows the state */
  const char *created;   /* state after POST */
  const char *updated;   /* state after a change; NULL: the state stays */
  const char *deleted;   /* state after DELETE; NULL: removed at once */
  const char *failed;    /* state after an order that failed; NULL: it stays in the state it is in, and the order comes again */
  const char *event_failed; /* written then, of what comes again the first time */
  const char *reason;    /* the field that shows why; NULL: only the log says it */
  const svc_transition *transitions; /* closed by a row without from */
  bool (*leaving)(svc_call *c, svc_change *change); /* a request has led into `deleted`: last changes of the body. NULL: none */
} svc_lifecycle;

/* -------------------------------------------------------------------------------------------------------------- orders */

/*
** An order to the driver, and what comes back. docs/driver.md and its schema are generated from these rows, and what a driver says is
** checked against them as a request's body is. The simulator goes the same way: its facts pass the same check (facts.c).
*/
typedef struct svc_order_row {
  const char *action;        /* "cluster.create" */
  const char *says;          /* what the driver has to do, a sentence or two for docs/driver.md */
  const svc_object *desired; /* the shape of the desired state; NULL: that of the noun's own object */
  const svc_object *facts;   /* the shape of the facts that an order which is done may have; NULL: it has none */
  unsigned percent;          /* of an order that no state waits for: so much of the provisioning time the simulator takes for it */
} svc_order_row;

/* ----------------------------------------------------------------------------------------------------------- questions */

enum svc_reply_form {
  SVC_REPLY_OBJECT, /* one object */
  SVC_REPLY_LIST,   /* an array of such objects */
  SVC_REPLY_NAMES,  /* an array of strings, none of them empty */
  SVC_REPLY_LINES   /* lines of text, not JSON; a driver that is a program sends an array of strings */
};

/*
** A question to the driver, and its reply. Whoever asks names the row (svc_question_about), and the reply is checked against it (svc_told):
** a reply that does not fit is 503, and the log names the member. docs/driver.md and its schema are generated from these rows.
*/
typedef struct svc_question_row {
  const char *what;     /* "series" */
  const char *resource; /* what it is about: "cluster" */
  const char *says;     /* what the driver has to find out, a sentence or two for docs/driver.md */
  const svc_object *parameters;
  const svc_object *reply; /* the shape of the object, or of each of the list; NULL: any object, or the form has none */
  unsigned char form;      /* enum svc_reply_form */
} svc_question_row;
#define SVC_ASKS(...) (const svc_question_row *const[]){ __VA_ARGS__, NULL }

/* --------------------------------------------------------------------------------------------------------------- nouns */

/* What the pipeline rests on. Each seat is taken by one noun at the most; where it is empty, that is left out. */
enum svc_seat {
  SVC_SEAT_NONE,
  SVC_SEAT_GROUP,   /* the project: the scope of GROUP buckets and of project roles */
  SVC_SEAT_ORG,     /* the organization */
  SVC_SEAT_FEED,    /* the event log, into which changes are written */
  SVC_SEAT_QUOTA,   /* knows the limits of a project: its `limit` is asked */
  SVC_SEAT_KEY,     /* API keys: `unique` is the public key */
  SVC_SEAT_ACCOUNT, /* service accounts: `unique` is the client id */
  SVC_SEAT_TOKEN,   /* access tokens of a service account: `unique` is the hash of one */
  SVC_SEAT_USER,    /* people */
  SVC_SEAT_MEMBER,  /* people as members of an organization, by the ids they have as users */
  SVC_SEAT_TEAM,    /* groups of people that hold roles together */
  SVC_SEAT_POLICY,  /* settings of an organization; `extra` has a 1: its credentials need an access list; a 2: people need two
                       factors of authentication */
  SVC_SEAT_GOVERNOR, /* has a say in what is `governed`: its `allows` */
  SVC_SEAT_ALERTS,  /* hears of every event that is written, in its transaction: its `hears` */
  SVC_SEAT_BILLS,   /* what the lines of the ledger are billed by: its `bills` */
  SVC_SEAT_COUNT
};

enum svc_noun_flags {
  SVC_SINGLETON = 1,    /* one per parent, always there: its defaults are served until it is changed */
  SVC_GLOBAL = 2,       /* a path names it by its id alone, whatever its parent */
  SVC_VIRTUAL = 4,      /* nothing of it is stored: its routes answer from tables */
  SVC_SHARED_NAME = 8,  /* `unique` names it, but two may share it */
  SVC_EXPIRES = 16,     /* when its SVC_DUE_EXPIRY falls due it is removed */
  SVC_EVENT_KEY = 32,   /* event_field carries how a path names it, not its unique value */
  SVC_EVENT_PARENT = 64, /* its events carry its parent's event_field as well */
  SVC_SOLE = 256,       /* one per parent, at a path without a name of its own, and there only when it was made: by a POST, or
                           by a PUT, which then makes it */
  SVC_TEXT_BESIDE = 512, /* what is kept beside its body (`extra`) is text: it is shown, or parts of it */
  SVC_OUTLIVES = 1024,  /* its entities may outlive what they are below (svc_remains_ops says which, or they are made of such): a path that names a
                           parent which is gone leads to the entity that stands for it */
  SVC_RING = 2048,      /* where there are `most` below a parent, one more is made all the same, and the oldest goes */
  SVC_BY_TABLE = 128    /* its path names a row of a table, or a view of another noun: nothing is looked up for it */
};

/* The event of a change of one field; `value`: only of a change to this JSON value, "true". */
typedef struct svc_field_event {
  const char *field, *event, *value;
} svc_field_event;

/* A further member of a noun's events. */
#define SVC_EVENT_MEMBERS 4
typedef struct svc_event_member {
  const char *name;
  const char *field; /* the field of the entity whose text it is */
  const char *text;  /* where there is no field: this; NULL: the id of what the entity is below */
} svc_event_member;

/* Events of a noun that has this say what a change has changed, field by field: svc_feed_ops.diffs writes it. */
typedef struct svc_diff {
  const char *called; /* what the log calls such entities: "USERS" */
  /* Adds to `out` what the log shows of such an entity beside its changed fields, as `body` has it by now. NULL: nothing. */
  bool (*shows)(svc_call *c, const svc_entity *e, const svc_node *body, svc_node *out);
  bool discreet; /* the log is read by people who may not read such entities: it says that one has changed, and none of its fields */
} svc_diff;

enum svc_fault { SVC_FAULT_VALUE = 1, SVC_FAULT_MISSING = 2, SVC_FAULT_CHANGED = 4, SVC_FAULT_LONG = 8 };

/*
** A body that is refused for this field has an error of its own, rather than that of all fields. Its parameters: the value
** that was sent, then the project or organization; of SVC_FAULT_CHANGED the entity's name; of SVC_FAULT_LONG the value, then
** the length that is allowed. Where the error's first parameter is an attribute, that is the field. "specs[].regionName": in each element of an array.
*/
typedef struct svc_field_error {
  const char *field;
  unsigned char faults; /* enum svc_fault, several */
  unsigned short error; /* SVC_E_... */
} svc_field_error;

/*
** A field that names another entity (a reference). The rules, for every noun that has such rows:
**
** - What is named anew must be there, and must not be on its way out (in the `deleted` state of its lifecycle, or behind it).
** - What is named cannot be deleted (err_locked). Rows without err_locked are of records of the past and of restrictions, which
**   keep the name of what is gone.
** - A reference that is left when its target goes all the same is removed, with the element of the array that it is in.
** - A project does not move to another organization while a locking reference would lead from one organization to the other.
**
** The name is an id, or, where it never changes, the unique value below the same project or its organization. The field is a
** path, see svc_path_step. "clusterName@groupId": below the project that the second field names, where that has a value; the
** noun itself checks who may name what there. Rows of the same field that follow one another are alternatives: one of the
** nouns must have what is named, and the first err_missing among them says that none has.
*/
typedef struct svc_ref {
  const char *field;
  const char *noun;           /* its name; of one that this build leaves out, nothing is checked */
  unsigned short err_missing; /* SVC_E_...; parameters: what was named, then the project; INVALID_ATTRIBUTE: a violation of the
                                 field; 0: what is not there is no reference (a built-in role) */
  unsigned short err_locked;  /* SVC_E_...: it cannot be deleted; parameters: its name, then its parent's key; 0: it can */
} svc_ref;

enum svc_guard_what { SVC_GUARD_CHANGE = 1, SVC_GUARD_DELETE = 2, SVC_GUARD_CREATE = 4 };

/* Where `field` has this JSON value ("true", or a string without its quotes), it may not be changed, or deleted. SVC_GUARD_CREATE:
** `field` is one of the parent, and no request makes an entity below it; the error's parameters are the parent's. */
typedef struct svc_guard {
  const char *field, *value;
  unsigned char what; /* enum svc_guard_what */
  unsigned short error; /* SVC_E_...; parameters: its name, then its parent's key */
} svc_guard;

#define SVC_METERS 8 /* things that are counted of one entity */

/* What costs money: what is counted, and how many thousandths of it run at a time. */
typedef struct svc_meter {
  svc_str sku; /* "INSTANCE_AWS_M10" */
  int64_t quantity;
} svc_meter;

/* Of the noun whose entities are the bills of organizations. Each is called in the transaction of the work. */
struct svc_ledger_line;
typedef struct svc_bill_ops {
  bool (*begins)(svc_call *c, const struct svc_ledger_line *line); /* a line: there is to be a bill for it */
  bool (*pays)(svc_call *c, const svc_id *org);               /* nothing is to be said against its spending more */
  int64_t (*price)(const svc_meter *meters, size_t count);    /* of all of these, for the same time */
  bool (*refuse)(svc_call *c, const svc_id *org, int code);   /* 402: it does not; code SVC_E_NONE: the usual one; false */
} svc_bill_ops;

/* How often an entry of an access list let somebody in since it was last written down. */
typedef struct svc_use {
  int64_t count, last; /* last: milliseconds */
  const char *address; /* of the last one */
} svc_use;

/* Of a noun whose entities are credentials. Each is called in the transaction of the request. */
typedef struct svc_credential_ops {
  /* Make one for an organization, with these roles on it; *shown: its body with its secret in it. */
  bool (*make)(svc_call *c, const svc_id *org, const svc_node *request, svc_str assignments, svc_entity *out, svc_node **shown);
  /* Does this secret open it? *which: of several; *until: when that one ends, 0: never. An entity without `extra` stands for an unknown
  ** credential: nothing opens it, and it costs the same hashes. */
  bool (*opens)(svc_call *c, const svc_entity *credential, svc_str secret, svc_id *which, int64_t *until);
} svc_credential_ops;

/* Of a noun whose entities are the entries of the access list of its parent, which is a credential. */
typedef struct svc_access_ops {
  void (*used)(svc_call *c, svc_node *body, const svc_use *use); /* what it shows of its uses */
} svc_access_ops;

/* Of the event log. */
struct svc_difference;
struct svc_event_part;
typedef struct svc_feed_ops {
  const char *const *tallies; /* fields that lists are filtered by, strings; at most SVC_TALLIES, closed by NULL */
  /* The member that says what has changed of an entity whose noun has `diff`. False: failed. */
  bool (*diffs)(svc_call *c, const struct svc_difference *d, struct svc_event_part *out);
} svc_feed_ops;

/* Of the noun that knows the limits of a project. */
typedef struct svc_quota_ops {
  int64_t (*limit)(svc_call *c, const svc_id *group, const char *name); /* < 0: no such limit */
} svc_quota_ops;

/* Of the noun that has a say in what is `governed`. */
typedef struct svc_governor_ops {
  bool (*allows)(svc_call *c, const svc_change *change); /* false: refused */
} svc_governor_ops;

/* Of the noun that hears of every event that is written, in its transaction. */
typedef struct svc_alert_ops {
  bool (*hears)(svc_call *c, const char *type, const svc_entity *event); /* type: its name in the table */
} svc_alert_ops;

/* Of a noun whose orders are not for the driver, but for svc_config.notify. */
typedef struct svc_notice_ops {
  int (*notify)(svc *s, const svc_order *order); /* calls it, outside of any transaction. What it says is as the driver's perform(), but
                                                    that an order which is taken is done */
} svc_notice_ops;

/* Of a noun whose entities stand for others that are gone: where an entity of the noun `of` goes, and entities of the noun `below` stay,
** an entity of this noun with its id and name takes its place above them. It goes with the last of them. */
typedef struct svc_remains_ops {
  const char *of, *below; /* names of nouns */
  bool (*stays)(const svc_entity *e, const svc_entity *above); /* does it, when what is above it goes alone, and not with its project? */
} svc_remains_ops;

#define SVC_ALLIES 32 /* organizations that one entity may belong to */

/* Of a noun whose entities belong to several organizations, which its paths do not name. */
typedef struct svc_alliance_ops {
  /* These organizations, on which roles count that the caller holds. How many; at most `most`. */
  size_t (*organizations)(svc_call *c, const svc_entity *e, svc_id *out, size_t most);
} svc_alliance_ops;

/* Columns that few nouns have: that of each seat is one noun's. Read them by svc_noun_rarely(). */
typedef struct svc_noun_rare {
  const char *names;  /* four characters: nouns that have the same share one space of unique values; NULL: its own */
  const char *element_of; /* it is no entity, but an element of this array of its parent's, named by its "id": to change it is to
                             change its parent. Of its hooks there are prepare, removing, gone and view, of an element's body */
  const char *counted_in; /* field of the parent that shows how many there are; nouns that have the same are counted together */
  unsigned short err_malformed; /* SVC_E_...: what stands in the path is no id at all; 0: as not found; parameters: as that */
  unsigned short err_other;     /* SVC_E_...: what the path names is another noun with which it shares `names`; its key, its parent's */
  const svc_field_event *field_events; /* event_updated is for changes of other fields than these; closed by no field */
  const char *event_value; /* the field whose text event_field carries; NULL: its unique value, or its key */
  const svc_event_member *event_members; /* that its events have as well, at most SVC_EVENT_MEMBERS; closed by a row without name */
  const svc_diff *diff;    /* its events say what has changed of it; NULL: they do not */
  const char *sealed_line; /* the last of several lines in `extra` is sealed for this name; NULL: no line is */
  const char *quota;       /* limit of the project on how many there may be, known to SVC_SEAT_QUOTA; nouns that have the same
                              are counted together; NULL: none */
  const svc_feed_ops *feed;         /* of SVC_SEAT_FEED */
  const svc_quota_ops *quotas;      /* of SVC_SEAT_QUOTA */
  const svc_governor_ops *governor; /* of SVC_SEAT_GOVERNOR */
  const svc_alert_ops *alerts;      /* of SVC_SEAT_ALERTS */
  const svc_bill_ops *bills;        /* of SVC_SEAT_BILLS */
  const svc_credential_ops *credential;
  const svc_access_ops *access;
  const svc_notice_ops *notice;
  const svc_remains_ops *remains;
  const svc_alliance_ops *alliance;
  /* What rules are asked of a create or update that a request wants: which, by a number that SVC_SEAT_GOVERNOR knows (0: none), and
  ** the circumstances, as it knows them. NULL from it: no memory, or refused. */
  svc_node *(*governed)(svc_call *c, const svc_change *change, int *what);
  /* The one way to spell a key that a path may spell in several. Anywhere; needs no transaction. */
  svc_str (*spell)(svc_call *c, svc_str key);
  /* What of it costs money, each thing once: how many; at most `most`. */
  size_t (*meters)(svc_call *c, const svc_node *body, svc_meter *out, size_t most);
} svc_noun_rare;
#define SVC_NOUN_RARE(...) &(const svc_noun_rare){ __VA_ARGS__ }

struct svc_noun {
  const char *name;   /* what errors and this catalog call it: "cluster" */
  const char *rel;    /* what links to it are called; NULL: its name */
  const char *kind;   /* four characters that stand in the store's keys: never change them */
  const char *parent; /* name of the noun it belongs to; NULL: none, or an organization or project of the path */
  const char *param;  /* path parameter that names one of it; several: "databaseName/username" */
  unsigned char seat; /* enum svc_seat */
  unsigned char route_count;
  unsigned short flags; /* enum svc_noun_flags */
  unsigned short err_not_found; /* SVC_E_...; parameters: its key, then its parent's */
  unsigned short err_exists;    /* SVC_E_...; parameters: the unique value, then the parent's key */
  unsigned short err_in_use;    /* SVC_E_...: the parent cannot be deleted while one of these is left; 0: they go with it */
  unsigned short most;          /* how many there may be below one parent, where no project sets a limit; 0: any number */
  unsigned short err_quota;     /* SVC_E_...; parameters: the limit, then the parent's id */
  const svc_object *object;
  const char *key;    /* field whose value stands in the path; several: "databaseName/username"; NULL: "id" */
  const char *unique; /* field that no two of one parent share, or fields, "database/collection/name"; NULL: none */
  const svc_lifecycle *lifecycle;
  const svc_field_error *field_errors; /* closed by a row without field */
  const svc_ref *refs;     /* closed by a row without field */
  const svc_guard *guards; /* closed by a row without field */
  /* names of the events written when one is created, changed, about to be deleted; NULL: none */
  const char *event_created, *event_updated, *event_deleted;
  const char *order_put, *order_gone; /* orders to the driver: of what has no states when it was made or changed, of whatever it
                                         is when it is gone: "user.put"; nothing waits for them, and one that fails is logged;
                                         NULL: none */
  const svc_order_row *orders; /* every order that the columns above and its transitions name; closed by a row without action */
  const svc_object *reports;   /* what a driver may report of one without being asked (svc_report); NULL: nothing */
  const svc_question_row *const *questions; /* by SVC_ASKS: every question that its routes ask; NULL: none */
  const char *event_field; /* event field that carries its key, "clusterName"; NULL: none */
  const svc_route *routes; /* by SVC_ROUTES; NULL: nobody sees it */
  const svc_noun_rare *rare; /* by SVC_NOUN_RARE: columns that few nouns have; NULL: it has none of them */
  const char *needs;   /* name of a noun without which it has nothing to show or do: where that is left out, its routes are; NULL: none */
  /*
  ** Hooks: only for what no table can say. Those that return bool refuse by svc_fail() and false. All but `spell` run in
  ** the transaction of the work, and may run twice for one request (a commit is repeated when the store has to grow, or
  ** when another process came first): they keep nothing outside of the call and change only what they are given.
  ** c->plan is NULL in work that no request asked for; c->scope holds always.
  */
  /* A create or update, checked and merged, before it is stored. change->before NULL: a create. */
  bool (*prepare)(svc_call *c, svc_change *change);
  /* After a create or update was stored, with its events: for what goes along with it. */
  bool (*stored)(svc_call *c, const svc_change *change, const svc_entity *e);
  /* Something that it waited for fell due: `tag` says what. Of SVC_DUE_STATE the transition of its table, if there is one,
  ** has been taken in change->body, event and due; the hook may change these, its dues and extra. Of an order that failed it
  ** is called as well, in the failed state: then body, dues and extra count. NULL: no say in it. */
  bool (*fell_due)(svc_call *c, svc_change *change, int tag);
  /* A delete that a request asks for, before anything is removed. Not called for what goes in a cascade. */
  bool (*removing)(svc_call *c, const svc_entity *e);
  /* It is gone, alone or in a cascade, by a request or by itself; its record is there no more. */
  bool (*gone)(svc_call *c, const svc_entity *e);
  /* What is shown of it, where that is more than what is stored. NULL from it: no memory, or refused. */
  svc_node *(*view)(svc_call *c, const svc_entity *e);
  /* The order for a state: the desired state as JSON where that is not its body, without secrets. */
  svc_node *(*desired)(svc_call *c, const svc_entity *e);
  /* The secrets of an order in clear, where they are not those of its sealed fields. NULL from it: no key, no memory. */
  svc_node *(*secrets)(svc_call *c, const svc_entity *e);
  /* An order was done: takes what it needs of the facts into change->body and extra. They are as its order's row says, or {}. */
  bool (*facts)(svc_call *c, svc_change *change, const svc_node *facts);
  /* The simulator does an order: adds to `facts`, an empty object, what a driver would say. action NULL: what it would report by itself
  ** (svc_report_simulated). A member SVC_FAILURE: the order has failed. NULL: the simulator has nothing to say. */
  bool (*simulate)(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
  /* A driver has reported something: takes it into change->body and extra. The news is as `reports` says. */
  bool (*reported)(svc_call *c, svc_change *change, const svc_node *news);
};

/* The rare columns of a row; of a row without them a struct in which all are empty: never NULL. */
static inline const svc_route_rare *svc_route_rarely(const svc_route *r)
{
  static const svc_route_rare none = { .by = NULL };
  return r->rare ? r->rare : &none;
}
static inline const svc_object_rare *svc_object_rarely(const svc_object *o)
{
  static const svc_object_rare none = { .choice = NULL };
  return o->rare ? o->rare : &none;
}
static inline const svc_noun_rare *svc_noun_rarely(const svc_noun *n)
{
  static const svc_noun_rare none = { .names = NULL };
  return n->rare ? n->rare : &none;
}

#endif /* SVC_TABLE_H */
