/*
** The row types of the catalog.
**
** A noun (svc_noun) is one kind of resource. A route (svc_route) is one of its operations: a method and a path. An object (svc_object)
** is the shape of a JSON object: a table of fields (svc_field), or a union of objects. A seat (svc_seat) is a role of a noun that the
** pipeline itself depends on.
**
** Tables of these types, as static const data, define everything about a resource: fields, routes, states, limits.
** Routing, body checks, links, rate limits and the tests all read the same rows, so none can drift from another. A row
** that needs behaviour carries a function; no code switches over names.
**
** Field rows of one object are sorted by name, which is also the order on the wire.
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

/* An endpoint set: the scope of its buckets, and how they fill. */
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
  SVC_OBJECT, /* .object defines it */
  SVC_ARRAY,  /* .item is the type of the elements; .object, .values, .pattern, .format apply to them */
  SVC_MAP,    /* an object with arbitrary keys; otherwise as an array */
  SVC_ANY,    /* any JSON value */
  SVC_NAME    /* for elements: one of .values, or an object whose name is such a value; a hook checks both */
};

enum svc_field_flags {
  SVC_REQUIRED = 1,      /* required in a POST or PUT, and in a PATCH if the stored resource lacks the field. A PUT must send it again;
                            an optional field that a PUT leaves out returns to its preset, or is removed */
  SVC_READ_ONLY = 2,     /* a body may only repeat the present value */
  SVC_FIXED = 4,         /* set at creation, then read-only: a PUT or PATCH may leave it out, which keeps the value, or repeat the value. A
                            PUT may set it while it has none */
  SVC_NULLABLE = 8,      /* null in a body clears it */
  SVC_WRITE_ONLY = 16,   /* accepted in a body and seen by hooks, but neither stored nor shown (with SVC_SEALED: stored sealed, never
                            shown) */
  SVC_UNIQUE_ITEMS = 32, /* duplicate elements are refused */
  SVC_MIN = 64,          /* .min applies */
  SVC_MAX = 128,         /* .max applies */
  SVC_GROUP_EVENTS = 256, /* a string: its values are the event types of projects */
  SVC_ORG_EVENTS = 512,   /* a string: its values are the event types of organizations; with SVC_GROUP_EVENTS, of both */
  SVC_ALERTABLE = 2048,   /* restricted to event types that an alert can be configured for */
  SVC_ANY_CASE = 8192,    /* a string: one of .values, ignoring case; stored as the list spells it */
  SVC_NOT_EMPTY = 32768,  /* an array of at least one element */
  SVC_PLACE = 16384,      /* a string in answers that names fields, "specs[0].name": a dialect translates it */
  SVC_OPEN = 4096,        /* a string: .values are the known ones; a hook checks others */
  SVC_SEALED = 1024       /* a string, or a map of strings: a secret that is needed again. Stored sealed (seal.c), and shown by its last
                             characters at most, with SVC_WRITE_ONLY not at all. A body may send the mask back: then the secret stays. A
                             noun with such fields has no `extra` of its own */
};

/* Fields that the service fills in. */
enum svc_auto {
  SVC_AUTO_NONE,
  SVC_AUTO_ID,       /* the new entity's id; inside an array, a new id for each element */
  SVC_AUTO_NOW,      /* time of creation */
  SVC_AUTO_CHANGED,  /* time of the last change */
  SVC_AUTO_GROUP_ID, /* id of the path's project */
  SVC_AUTO_ORG_ID    /* id of the path's organization, or of the organization that owns the path's project */
};

struct svc_field {
  const char *name;
  unsigned char type;   /* enum svc_type */
  unsigned char item;   /* type of the elements of an array or map */
  unsigned char format; /* enum svc_format */
  unsigned char fill;   /* enum svc_auto */
  unsigned short flags; /* enum svc_field_flags */
  unsigned short max_items; /* maximum elements of an array; 0: unlimited */
  int32_t min, max;          /* number: its bounds, with SVC_MIN and SVC_MAX; string: bounds of its length in characters, max 0: none;
                                array or map: applies to its elements */
  union { /* read by svc_field_object() and svc_field_pattern() */
    const svc_object *object; /* of SVC_OBJECT, and of such elements; of SVC_ANY: the object a hook checks it against, for the dialect's
                                 words */
    const char *pattern;      /* of strings, and of such elements: see svc_pattern_match() */
  };
  const char *const *values; /* of strings, and of such elements: NULL-terminated list of allowed values; of 32-bit integers: the same,
                                in decimal */
  const char *preset;        /* the default, as JSON text; NULL: omitted while unset */
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

/* The bounds of a number with SVC_MIN or SVC_MAX. */
static inline int64_t svc_field_min(const svc_field *f)
{
  return f->format == SVC_FORMAT_MILLIS ? INT64_C(1199145600000) : f->min; /* 2008-01-01T00:00:00Z */
}
static inline int64_t svc_field_max(const svc_field *f)
{
  return f->format == SVC_FORMAT_FIGURE ? INT64_C(1000000000000) : f->max;
}

/* A union: the value of a field selects the object that applies. */
typedef struct svc_variant {
  const char *value;
  const svc_object *object;
} svc_variant;
typedef struct svc_choice {
  const char *by;        /* the field */
  const char *otherwise; /* the value if the field is missing; NULL: the field is required */
  const svc_variant *variants; /* ends with a row without value */
} svc_choice;
#define SVC_CHOICE(...) &(const svc_choice){ __VA_ARGS__ }

/*
** Fields that are required under a condition. The OpenAPI document states the condition for requests. A body that breaks it is refused
** like one without a required field. The condition applies to the body as it would be stored: with its defaults, and for a PATCH with
** the fields that stay.
**
**   { .fields = "hostname bindUsername", .where = "enabled=true" }         both
**   { .fields = "ipAddress|cidrBlock" }                                     always one of them, or both
**   { .fields = "region", .where = "provider=AWS|AZURE vendor=S3" }         where both terms hold, the first with either value
**   { .fields = "endHour", .where = "startHour" }                           where startHour has any value
*/
typedef struct svc_need {
  const char *fields; /* names of fields, separated by spaces (all) or | (at least one) */
  const char *where;  /* NULL: always */
  bool unless;        /* inverts the condition */
  bool by_hook;       /* a hook of the noun refuses it, with its own error or depending on stored data: the pipeline only documents it */
} svc_need;

/* Columns that only some objects use. Read them with svc_object_ext_of(). */
typedef struct svc_object_ext {
  const svc_choice *choice; /* by SVC_CHOICE: a union, which has no fields of its own; svc_object_of() (fields.c) finds the variant;
                               NULL: not a union */
  const char *const *secrets_go_to; /* paths of fields that say where its secrets are sent ("url"), NULL-terminated: when one of these
                                       changes, the stored secret must be sent again; NULL: none */
  const svc_need *needs;  /* ends with a row without fields; NULL: none */
  const char *distinct_by; /* field that must differ between the elements of an array; NULL: none */
  const char *matched_by; /* for elements of arrays without id: fields, separated by slashes, that match a sent element to the stored one
                             at any position; NULL: matched by position */
} svc_object_ext;
#define SVC_OBJECT_EXT(...) &(const svc_object_ext){ __VA_ARGS__ }

struct svc_object {
  const char *name;
  const svc_field *fields;  /* by SVC_ROWS: sorted by name; NULL: none */
  const svc_object *base; /* an object whose fields this one inherits; NULL: none */
  const svc_object_ext *ext; /* by SVC_OBJECT_EXT: columns that only some objects use; NULL: none */
  unsigned short count;   /* number of fields; 0 for a union */
};
#define SVC_VARIANTS_OF(o) (svc_object_ext_of(o)->choice ? svc_object_ext_of(o)->choice->variants : NULL)
#define SVC_ROWS(array) array, .count = sizeof(array) / sizeof *(array)

/*
** Row macros. Each takes the name and then any further members: F_STR("name", .flags = SVC_REQUIRED, .max = 64). Required arguments are
** part of the dots, because C11 demands at least one argument there.
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

/* Rows that most nouns have. */
#define F_ID() F_HEX24("id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID)
#define F_GROUP_ID() F_HEX24("groupId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_GROUP_ID)
#define F_ORG_ID() F_HEX24("orgId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ORG_ID)
#define F_CREATED(n) F_DATE(n, .flags = SVC_READ_ONLY, .fill = SVC_AUTO_NOW)

/* ---------------------------------------------------------------------------------------------------------- parameters */

enum svc_param_flags {
  SVC_PARAM_REQUIRED = 1,
  SVC_PARAM_REPEATS = 2, /* may be repeated */
  SVC_PARAM_EVENTS = 8,  /* strings: event types, checked by a hook */
  SVC_PARAM_MOOT = 4     /* checked, but without effect: the service has no data that it would include, leave out or sort, so no code
                            reads it. A comment beside the row says why */
};

/* A query parameter of one operation, in addition to pageNum, itemsPerPage, includeCount, envelope and pretty. */
typedef struct svc_param {
  const char *name;
  unsigned char type;   /* SVC_STRING, SVC_INT32, SVC_INT64, SVC_BOOLEAN, SVC_DATE */
  unsigned char format; /* enum svc_format */
  unsigned char flags;
  unsigned char max_repeats; /* 0: as many as a query may have */
  const char *link; /* its value in links to the operation; NULL: the first value of a required parameter, otherwise none */
  const char *const *values; /* strings: allowed values; NULL: any */
  const char *pattern;       /* strings: see svc_pattern_match() */
  int64_t min, max;          /* integers: bounds if max > min */
} svc_param;

enum svc_compare {
  SVC_EQUALS,   /* the field equals the parameter, or one value of a repeated parameter */
  SVC_PREFIX,   /* the field begins with it, ignoring case. For the noun's unique field the index of names may be used (prefix.c): the
                   values of such a field must have at most 400 bytes */
  SVC_NOT_IN,   /* the field equals none of the values */
  SVC_MIN_DATE, /* the date in the field is not before it; for a field set at creation, the list starts there */
  SVC_MAX_DATE  /* the date is not after it; likewise */
};

/* The effect of a query parameter on a list: keeps the entities that compare so. "a.b" is the field b inside of a. */
typedef struct svc_filter {
  const char *param;
  unsigned char compare; /* enum svc_compare */
  const char *field;
} svc_filter;

/* -------------------------------------------------------------------------------------------------------------- routes */

enum svc_method { SVC_GET, SVC_POST, SVC_PUT, SVC_PATCH, SVC_DELETE, SVC_METHOD_COUNT };

enum svc_route_flags {
  SVC_PAGED = 512,         /* a list, in pages */
  SVC_BARE = 1,            /* a list as a plain JSON array, without wrapper: complete, unless a page is requested */
  SVC_EMPTY_OBJECT = 2,    /* the answer's body is {} */
  SVC_NO_AUTH = 4,         /* no authentication */
  SVC_V1_TOO = 8,          /* also served below /api/VENDOR/v1.0, where no rate limit applies */
  SVC_VISIBLE_ONLY = 16,   /* a list over organizations: shows only those the caller may see */
  SVC_BODY_OPTIONAL = 32,  /* the body is optional */
  SVC_NEWEST_FIRST = 64,   /* a list ordered by creation, newest first */
  SVC_NO_LINKS = 128,      /* the answer has no links (it is not a resource) */
  SVC_ITEM = 1024,         /* a function of the noun that reads one resource, like svc_verb_read */
  SVC_BODY_ARRAY = 2048,   /* the body is an array of `body` objects */
  SVC_ABSOLUTE = 4096,     /* the path is absolute, not below the base path; without versions */
  SVC_RAW_BODY = 8192,     /* the body is not checked: the function reads it itself */
  SVC_NO_BODY = 256,       /* a POST, PUT or PATCH that takes no body */
  SVC_TEXT = 32768,        /* the answer is a JSON string, shown once: a repeated Idempotency-Key gets the resource instead */
  SVC_ANYWHERE = 16384,    /* its path names no organization or project: a role on any of them suffices */
  SVC_INSPECTS = 65536     /* a GET that reads much more than it answers, or whose items are made from many records each: the listener
                              runs it on a thread of its own */
};

/* A dated version as a number: 20230101. */
typedef unsigned svc_date_version;

/*
** An older version of a route that is still served, in its own shape. The store and the hooks know only the newest shape: older.c upgrades
** a request before they see it, and downgrades the answer afterwards. A version with the newest shape is just a date.
*/
typedef struct svc_older {
  svc_date_version date;
  svc_date_version sunset;  /* the day from which the version is refused, announced in its answers; 0: none */
  unsigned short status;    /* of success; 0: the route's */
  bool omits;               /* `downgrade` refuses resources that the shape cannot express: lists leave them out and do not count them */
  const svc_object *body;   /* the shape of requests; NULL: the newest */
  const svc_object *answer; /* the shape of answers; NULL: the newest. Without `downgrade`, the route's function answers in this shape */
  const char *example;      /* an accepted body, if the route's example does not fit; NULL: the route's */
  /* Converts a request to the newest shape, in place. The body has the members that were sent and are not read-only. `before`: for a PUT or
  ** PATCH, the resource as the newest version shows it; NULL: a create. False: refused, or out of memory. */
  bool (*upgrade)(svc_call *c, svc_node *body, const svc_node *before);
  /* Converts an answer, or an item of a list, to this shape, in place. False: refused, or out of memory. */
  bool (*downgrade)(svc_call *c, svc_node *shown);
} svc_older;

/* The part of an entity's key that a linked route has in its path (svc_route_ext.linked_from). */
enum svc_linked_by {
  SVC_BY_KEY,            /* its key, as in its own path */
  SVC_BY_HOST,           /* the host of a key HOST:PORT */
  SVC_BY_LAST,           /* the last part of a key */
  SVC_BY_ALL_BUT_LAST    /* all parts of a unique value but the last */
};

/* Columns that only some routes use: most rows are a third shorter without them. Read them with svc_route_ext_of(). */
typedef struct svc_route_ext {
  const svc_filter *filters;    /* of a list: ends with a row without param */
  const char *by; /* the noun's unique field or fields, if these stand in the path instead of its key ("name" in byName) */
  const char *in_path; /* a field that is also a path parameter of the same name: a created resource gets this value, and resources with
                          another value are not visible from this path; an invalid value: 400 */
  const char *value; /* of a read: the answer is the value of this field alone, without object and links; of a list: each item is such a
                        value */
  const char *linked_from; /* of a GET whose path is not below that of the resource it describes: the noun of that resource, whose
                              answers link to it */
  unsigned char linked_by; /* enum svc_linked_by: the part of that resource's key in this path, if the parameter differs from that of its
                              own path */
  const char *media; /* the answer is not JSON: "gzip" and "csv" are versioned like JSON, "application/xml" is not */
  const char *file;  /* of a download: the path parameter that names the file; a browser stores the answer as "VALUE_DATE" */
  /* Slow work of a write that needs no transaction: done before the transaction begins, so that other writers do not wait for it. The
  ** function has c->checked or c->body, and stores its result in c->prework. NULL: none. */
  bool (*prework)(svc_call *c);
  bool asks; /* `prework` asks the driver, and may take as long as the driver does */
  bool leads; /* of a GET: its answer links to what is below its parent and no list shows, instead of the parent's own, which is read too
                 often to look for such things */
  /* Whether a resource is visible from this route: lists leave out the others, and a single one is not found, or refused with the error
  ** that the function sets. NULL: all are visible. Called inside the request's transaction. */
  bool (*keep)(svc_call *c, const svc_entity *e);
  /* The answer for a resource, if this route shows it differently than its noun's `view`. */
  svc_node *(*view)(svc_call *c, const svc_entity *e);
} svc_route_ext;
#define SVC_ROUTE_EXT(...) &(const svc_route_ext){ __VA_ARGS__ }

struct svc_route {
  unsigned char method; /* enum svc_method */
  unsigned char set;    /* SVC_SET_...: the endpoint set whose bucket pays */
  unsigned char also;    /* a second status of success, for the OpenAPI document and dialects: 204; or 202 of a GET that is not ready and
                            answers like the noun's POST. 0: none */
  bool whole;            /* of a PATCH, for documentation: its body is checked like that of a POST, with all required fields */
  unsigned flags;       /* enum svc_route_flags */
  unsigned short status; /* of success; 0: 200 */
  unsigned short err_not_found; /* SVC_E_...: instead of the noun's, for this way of lookup */
  svc_date_version versions[4]; /* at most four dates, ascending. The last is current. An earlier date needs a row in `older`, otherwise
                                   requests for it get 410 */
  svc_date_version deprecated;  /* the served version is deprecated since this day; 0: not deprecated */
  svc_date_version sunset;      /* the sunset of the operation, announced in its answers; 0: none */
  const svc_older *older;     /* earlier versions that are still served, ends with a row without date; NULL: none */
  const char *path;      /* below the base path: "/groups/{groupId}/clusters/{clusterName}:pin" */
  const char *op;        /* its operationId in the public reference, "createCluster": unique */
  uint64_t roles;        /* any one of these suffices; 0: every authenticated caller, with any role on the project or organization of the
                            path if there is one */
  const svc_param *params;      /* ends with a row without name */
  const svc_object *body;       /* the shape of the body, if it is not the noun's own object */
  const svc_object *answer;     /* the shape of the answer, if it is not the noun's own object; for documentation and dialects */
  const char *example;          /* an accepted body, for documentation and tests: required for a POST, and for a PUT or PATCH if no GET
                                   shows a body that could be sent back, or if changing any single value of that is refused; there it
                                   must change the resource. An id that is named like a path parameter stands for an existing one,
                                   ada@example.com for a member of the organization */
  bool (*gate)(svc_call *c); /* a check before `run`, in the same transaction, which resolves as much of the path as it needs; false:
                                refused. NULL: none */
  bool (*run)(svc_call *c); /* a verb (svc_verb_list, ...) or a function of the noun */
  /* For a route that asks the driver. `run` resolves the path and fills in c->question, in a read transaction. The driver is then asked
  ** outside of any transaction, and this function makes the answer from the reply. */
  bool (*on_reply)(svc_call *c, const svc_reply *reply);
  const svc_route_ext *ext; /* by SVC_ROUTE_EXT: columns that only some routes use; NULL: none */
};
/* The token endpoint: takes a form, has its own bucket, and errors in the shape of OAuth. */
#define SVC_TAKES_FORM(r) (((r)->flags & (SVC_ABSOLUTE | SVC_RAW_BODY)) == (SVC_ABSOLUTE | SVC_RAW_BODY))
#define SVC_ROUTES(array) array, .route_count = sizeof(array) / sizeof *(array)


/* Ids in examples that stand for existing resources, in members of any name. */
#define SVC_EXAMPLE_USER "5f00000000000000000000aa" /* a member of the organization other than ada@example.com */
#define SVC_EXAMPLE_ORG "5f00000000000000000000bb"  /* another organization of the caller */

/*
** Routes of one base path. A macro of the noun holds what they share: path, endpoint set, versions, the roles that may read,
** and the roles that may write.
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
** A resource stays in state `from` until the work of that state is done, then moves to `to`; `to` NULL: removed. The driver does the work:
** the driver gets `order` when the state is entered. Without a driver or an order, the state lasts `percent` of the provisioning time.
*/
typedef struct svc_transition {
  const char *from;
  const char *to;
  unsigned percent;
  const char *event; /* written when the transition is taken */
  const char *order; /* "cluster.create"; NULL: no work for the driver */
} svc_transition;

typedef struct svc_lifecycle {
  const char *field;     /* the field that shows the state */
  const char *created;   /* state after POST */
  const char *updated;   /* state after a change; NULL: unchanged */
  const char *deleted;   /* state after DELETE; NULL: removed at once */
  const char *failed;    /* state after a failed order; NULL: the state stays, and the order is repeated */
  const char *event_failed; /* written on a failure; for a repeated order, on the first failure */
  const char *reason;    /* the field that shows the reason; NULL: only the log has it */
  const svc_transition *transitions; /* ends with a row without from */
  bool (*leaving)(svc_call *c, svc_change *change); /* called when a request moves it to `deleted`, for last changes of the body. NULL:
                                                       none */
} svc_lifecycle;

/* -------------------------------------------------------------------------------------------------------------- orders */

/*
** An order to the driver, and its facts. docs/driver.md and its schema are generated from these rows, and facts are checked against them
** like the body of a request. The simulator's facts pass the same check (facts.c).
*/
typedef struct svc_order_row {
  const char *action;        /* "cluster.create" */
  const char *says;          /* the driver's task, in a sentence or two for docs/driver.md */
  const svc_object *desired; /* the shape of the desired state; NULL: the noun's own object */
  const svc_object *facts;   /* the shape of the facts of a completed order; NULL: no facts */
  unsigned percent;          /* of an order that no state waits for: its duration in the simulator, in percent of the provisioning time */
} svc_order_row;

/* ----------------------------------------------------------------------------------------------------------- questions */

enum svc_reply_form {
  SVC_REPLY_OBJECT, /* one object */
  SVC_REPLY_LIST,   /* an array of such objects */
  SVC_REPLY_NAMES,  /* an array of strings that are not empty */
  SVC_REPLY_LINES   /* lines of text, not JSON; a driver program sends an array of strings */
};

/*
** A question to the driver, and its reply. The asking code names the row (svc_question_about), and the reply is checked against it
** (svc_driver_reply): an invalid reply gives 503, and the log names the member. docs/driver.md and its schema are generated from these rows.
*/
typedef struct svc_question_row {
  const char *what;     /* "series" */
  const char *resource; /* the subject: "cluster" */
  const char *says;     /* the driver's task, in a sentence or two for docs/driver.md */
  const svc_object *parameters;
  const svc_object *reply; /* the shape of the object, or of each list element; NULL: any object, or the form has none */
  unsigned char form;      /* enum svc_reply_form */
} svc_question_row;
#define SVC_ASKS(...) (const svc_question_row *const[]){ __VA_ARGS__, NULL }

/* --------------------------------------------------------------------------------------------------------------- nouns */

/* Seats: roles of nouns that the pipeline itself depends on. At most one noun takes a seat; the feature of an empty seat is left out. */
enum svc_seat {
  SVC_SEAT_NONE,
  SVC_SEAT_GROUP,   /* the project: scope of GROUP buckets and project roles */
  SVC_SEAT_ORG,     /* the organization */
  SVC_SEAT_FEED,    /* the event log, where changes are recorded */
  SVC_SEAT_QUOTA,   /* knows the limits of a project: `quotas` */
  SVC_SEAT_KEY,     /* API keys: `unique` is the public key */
  SVC_SEAT_ACCOUNT, /* service accounts: `unique` is the client id */
  SVC_SEAT_TOKEN,   /* access tokens of a service account: `unique` is the hash of one */
  SVC_SEAT_USER,    /* people */
  SVC_SEAT_MEMBER,  /* people as members of an organization, by their user ids */
  SVC_SEAT_TEAM,    /* groups of people that hold roles together */
  SVC_SEAT_POLICY,  /* settings of an organization; `extra` contains 1: credentials need an access list; 2: people need two factors of
                       authentication */
  SVC_SEAT_GOVERNOR, /* checks changes that are `governed`: `governor` */
  SVC_SEAT_ALERTS,  /* sees every event in its transaction: `alerts` */
  SVC_SEAT_BILLS,   /* bills the lines of the ledger: `bills` */
  SVC_SEAT_COUNT
};

enum svc_noun_flags {
  SVC_SINGLETON = 1,    /* exactly one per parent, always there: its defaults are served until the first change */
  SVC_GLOBAL = 2,       /* a path names it by id alone, without its parent */
  SVC_VIRTUAL = 4,      /* not stored: its routes answer from tables */
  SVC_SHARED_NAME = 8,  /* `unique` is its name, but several may have the same */
  SVC_EXPIRES = 16,     /* removed when its SVC_DUE_EXPIRY is due, which a hook sets by svc_change_due() */
  SVC_EVENT_KEY = 32,   /* event_field holds its key in the path, not its unique value */
  SVC_EVENT_PARENT = 64, /* its events also have the event_field of its parent */
  SVC_SOLE = 256,       /* at most one per parent, at a path without a name of its own: created by a POST or a PUT */
  SVC_TEXT_BESIDE = 512, /* its `extra` is text, of which parts are shown */
  SVC_OUTLIVES = 1024,  /* its entities may outlive their parent (svc_remains_ops says which, or they are created from such): a path
                           through a deleted parent leads to the stand-in */
  SVC_RING = 2048,      /* when `most` exist below a parent, a further create removes the oldest */
  SVC_BY_TABLE = 128    /* its path names a row of a table, or a view of another noun: no lookup */
};

/* The event for a change of one field; `value`: only for a change to this JSON value, "true". */
typedef struct svc_field_event {
  const char *field, *event, *value;
} svc_field_event;

/* A further member of a noun's events. */
#define SVC_EVENT_MEMBERS 4
typedef struct svc_event_member {
  const char *name;
  const char *field; /* the field with its text */
  const char *text;  /* without a field: this text; NULL: the id of the entity's parent */
} svc_event_member;

/* Events of a noun with this row list the changes field by field: svc_feed_ops.diffs writes them. */
typedef struct svc_diff {
  const char *called; /* name of such resources in the log: "USERS" */
  /* Adds members to `out` that the log shows beside the changed fields; `body` is the new one. NULL: none. */
  bool (*shows)(svc_call *c, const svc_entity *e, const svc_node *body, svc_node *out);
  bool discreet; /* readers of the log may lack permission for such resources: the event says only that one has changed, without fields */
} svc_diff;

enum svc_field_fault { SVC_FIELD_FAULT_VALUE = 1, SVC_FIELD_FAULT_MISSING = 2, SVC_FIELD_FAULT_CHANGED = 4, SVC_FIELD_FAULT_LONG = 8 };

/*
** A specific error for a body that is refused because of this field. Its parameters: the value that was sent, then the project or
** organization; for SVC_FIELD_FAULT_CHANGED the resource's name; for SVC_FIELD_FAULT_LONG the value, then the allowed length. If the
** error's first parameter is an attribute, that is the field. "specs[].regionName": in each element of an array.
*/
typedef struct svc_field_error {
  const char *field;
  unsigned char faults; /* enum svc_field_fault, combined */
  unsigned short error; /* SVC_E_... */
} svc_field_error;

/*
** A field that refers to another resource. The rules, for every noun with such rows:
**
** - The target of a new reference must exist and must not be in the `deleted` state of its lifecycle.
** - With err_locked, a request cannot delete the target while it is referenced. If something else deletes it (a cascade, or
**   its expiry), the reference is removed, with the array element that contains it.
** - Without err_locked, the target can be deleted, and the reference keeps its value: the store has no entry for it (class r in
**   store/keys.c), and only the referring resource can change it. Such rows belong to records of the past and to restrictions,
**   which keep the names of deleted resources.
** - A project does not move to another organization while a locking reference would cross organizations.
**
** The reference is an id, or a unique value that never changes, below the same project or its organization. The field is a
** path, see svc_path_step. "clusterName@groupId": below the project in the second field, if that has a value; the noun itself
** checks permissions there. Consecutive rows of the same field are alternatives: one of the nouns must have the target;
** otherwise the first err_missing among them is the error.
*/
typedef struct svc_ref {
  const char *field;
  const char *noun;           /* its name; if this build leaves it out, nothing is checked */
  unsigned short err_missing; /* SVC_E_...; parameters: the value, then the project; INVALID_ATTRIBUTE: a violation of the field; 0: an
                                 unknown value is not a reference (a built-in role) */
  unsigned short err_locked;  /* SVC_E_...: the target cannot be deleted; parameters: its name, then its parent's key; 0: it can */
} svc_ref;

enum svc_guard_what { SVC_GUARD_CHANGE = 1, SVC_GUARD_DELETE = 2, SVC_GUARD_CREATE = 4 };

/* While `field` has this JSON value ("true", or a string without its quotes), changes or deletes are refused. SVC_GUARD_CREATE: `field`
** belongs to the parent, and requests create no resource below it; the error's parameters are the parent's. */
typedef struct svc_guard {
  const char *field, *value;
  unsigned char what; /* enum svc_guard_what */
  unsigned short error; /* SVC_E_...; parameters: its name, then its parent's key */
} svc_guard;

#define SVC_METERS 8 /* maximum meters of one entity */

/* A cost: what is counted, and how many thousandths of it run at a time. */
typedef struct svc_meter {
  svc_str sku; /* "INSTANCE_AWS_M10" */
  int64_t quantity;
} svc_meter;

/* Functions of the noun whose entities are the bills of organizations. Called inside the transaction of the work. */
struct svc_ledger_line;
typedef struct svc_bill_ops {
  bool (*begins)(svc_call *c, const struct svc_ledger_line *line); /* a line begins: makes sure that its bill exists */
  bool (*pays)(svc_call *c, const svc_id *org);               /* whether the organization may spend more */
  int64_t (*price)(const svc_meter *meters, size_t count);    /* of all these meters, for the same time */
  bool (*refuse)(svc_call *c, const svc_id *org, int code);   /* 402; code SVC_E_NONE: the default code; false */
} svc_bill_ops;

/* Uses of an access list entry since the last time they were stored. */
typedef struct svc_use {
  int64_t count, last; /* last: milliseconds */
  const char *address; /* of the last use */
} svc_use;

/* Functions of a noun whose entities are credentials. Called inside the request's transaction. */
typedef struct svc_credential_ops {
  /* Creates one for an organization, with these roles on it; *shown: its body including the secret. */
  bool (*make)(svc_call *c, const svc_id *org, const svc_node *request, svc_str assignments, svc_entity *out, svc_node **shown);
  /* Whether this secret matches. *which: the matching one of several; *until: its expiry, 0: never. An entity without `extra` stands for an
  ** unknown credential: nothing matches, at the cost of the same hashes. */
  bool (*opens)(svc_call *c, const svc_entity *credential, svc_str secret, svc_id *which, int64_t *until);
  /* Of a noun with several secrets: the one that lasts longest. False: none is valid. */
  bool (*lasts)(svc_call *c, const svc_entity *credential, svc_id *which, int64_t *until);
  /* Of access tokens: stores a new one for this account and this secret of it, which ends with the secret; *until: when the token ends. */
  bool (*issue)(svc_call *c, const svc_entity *account, const svc_id *which, int64_t *until, svc_str *token);
} svc_credential_ops;

/* Functions of a noun whose entities are access list entries of their parent, a credential. */
typedef struct svc_access_ops {
  void (*used)(svc_call *c, svc_node *body, const svc_use *use); /* adds the uses to its body */
} svc_access_ops;

/* Functions of the event log. */
struct svc_difference;
struct svc_event_part;
typedef struct svc_feed_ops {
  const char *const *tallies; /* string fields that lists are filtered by; at most SVC_TALLIES, NULL-terminated */
  /* The member that lists the changes of an entity whose noun has `diff`. False: failed. */
  bool (*diffs)(svc_call *c, const struct svc_difference *d, struct svc_event_part *out);
} svc_feed_ops;

/* Functions of the noun that knows the limits of a project. */
typedef struct svc_quota_ops {
  int64_t (*limit)(svc_call *c, const svc_id *group, const char *name); /* < 0: unknown limit */
} svc_quota_ops;

/* Functions of the noun that checks `governed` changes. */
typedef struct svc_governor_ops {
  bool (*allows)(svc_call *c, const svc_change *change); /* false: refused */
} svc_governor_ops;

/* Functions of the noun that sees every event inside its transaction. */
typedef struct svc_alert_ops {
  bool (*hears)(svc_call *c, const char *type, const svc_entity *event); /* type: its name in the table */
} svc_alert_ops;

/* Functions of a noun whose orders go to svc_config.notify instead of the driver. */
typedef struct svc_notice_ops {
  int (*notify)(svc *s, const svc_order *order); /* called outside of any transaction. Returns the same as the driver's perform(), except
                                                    that an accepted order is done */
} svc_notice_ops;

/* Functions of a noun whose entities stand in for deleted ones: when an entity of the noun `of` is deleted and entities of the noun `below`
** stay, an entity of this noun with its id and name takes its place above them. The stand-in is removed with the last of them. */
typedef struct svc_remains_ops {
  const char *of, *below; /* names of nouns */
  bool (*stays)(const svc_entity *e, const svc_entity *above); /* whether it stays when its parent alone is deleted, without the project */
} svc_remains_ops;

#define SVC_ALLIES 32 /* maximum organizations of one entity */

/* Functions of a noun whose entities belong to several organizations that its paths do not name. */
typedef struct svc_alliance_ops {
  /* Lists these organizations, where the caller's roles count. Returns their number; at most `most`. */
  size_t (*organizations)(svc_call *c, const svc_entity *e, svc_id *out, size_t most);
} svc_alliance_ops;

/* Columns that only some nouns use; each seat's column belongs to one noun. Read them with svc_noun_ext_of(). */
typedef struct svc_noun_ext {
  const char *names;  /* four characters: nouns with the same share one name space of unique values; NULL: its own */
  const char *element_of; /* not an entity but an element of this array in its parent, identified by "id": changing it changes the
                             parent. Available hooks: prepare, removing, gone and view, for the element's body */
  const char *counted_in; /* field of the parent that shows their number; nouns with the same field are counted together */
  unsigned short err_malformed; /* SVC_E_...: the path contains an invalid id; 0: not found; parameters: as not found */
  unsigned short err_other;     /* SVC_E_...: the path names an entity of another noun that shares `names`; parameters: its key, its
                                   parent's */
  const svc_field_event *field_events; /* events of single fields; event_updated is for other fields; ends with a row without field */
  const char *event_value; /* the field that event_field holds; NULL: its unique value, or its key */
  const svc_event_member *event_members; /* further members of its events, at most SVC_EVENT_MEMBERS; ends with a row without name */
  const svc_diff *diff;    /* its events list the changes; NULL: they do not */
  const char *sealed_line; /* the last of several lines in `extra` is sealed for this name; NULL: no line is */
  const char *quota;       /* limit per project, known to SVC_SEAT_QUOTA; nouns with the same limit are counted together; NULL: none */
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
  /* The rules for a create or update by a request: a number that SVC_SEAT_GOVERNOR knows (0: none), and the circumstances in its terms.
  ** Returns NULL if out of memory or if the request was refused. */
  svc_node *(*governed)(svc_call *c, const svc_change *change, int *what);
  /* Canonical spelling of a key that a path may spell in several ways. May be called anywhere; needs no transaction. */
  svc_str (*spell)(svc_call *c, svc_str key);
  /* Its costs, each once. Returns their number; at most `most`. */
  size_t (*meters)(svc_call *c, const svc_node *body, svc_meter *out, size_t most);
} svc_noun_ext;
#define SVC_NOUN_EXT(...) &(const svc_noun_ext){ __VA_ARGS__ }

struct svc_noun {
  const char *name;   /* its name in errors and in this catalog: "cluster" */
  const char *rel;    /* the rel of links to it; NULL: its name */
  const char *kind;   /* four characters, part of the store's keys: never change them */
  const char *parent; /* name of its parent noun; NULL: none, or the organization or project of the path */
  const char *param;  /* path parameter with its key; several: "databaseName/username" */
  unsigned char seat; /* enum svc_seat */
  unsigned char route_count;
  unsigned short flags; /* enum svc_noun_flags */
  unsigned short err_not_found; /* SVC_E_...; parameters: its key, then its parent's */
  unsigned short err_exists;    /* SVC_E_...; parameters: the unique value, then the parent's key */
  unsigned short err_in_use;    /* SVC_E_...: the parent cannot be deleted while one of these exists; 0: they are deleted with it */
  unsigned short most;          /* maximum below one parent, if no project limit applies; 0: unlimited */
  unsigned short err_quota;     /* SVC_E_...; parameters: the limit, then the parent's id */
  const svc_object *object;
  const char *key;    /* field that is its key in the path; several: "databaseName/username"; NULL: "id" */
  const char *unique; /* field or fields, "database/collection/name", that are unique below one parent, without a parent noun in the whole service; NULL: none.
                         To be unique in a wider scope, a hook looks with svc_find_anywhere() before it writes */
  const svc_lifecycle *lifecycle;
  const svc_field_error *field_errors; /* ends with a row without field */
  const svc_ref *refs;     /* ends with a row without field */
  const svc_guard *guards; /* ends with a row without field */
  /* events of a create, a change, and the start of a delete; NULL: none */
  const char *event_created, *event_updated, *event_deleted;
  const char *order_put, *order_gone; /* orders to the driver: after a create or change of a noun without states, and after a delete:
                                         "user.put". A failure of such an order is only logged; NULL: none */
  const svc_order_row *orders; /* every order named by the columns above and by its transitions; ends with a row without action */
  const svc_object *reports;   /* the shape of a driver's unsolicited report (svc_report); NULL: none */
  const svc_question_row *const *questions; /* by SVC_ASKS: every question of its routes; NULL: none */
  const char *event_field; /* event field for its key, "clusterName"; NULL: none */
  const svc_route *routes; /* by SVC_ROUTES; NULL: not visible */
  const svc_noun_ext *ext; /* by SVC_NOUN_EXT: columns that only some nouns use; NULL: none */
  const char *needs;   /* name of a noun that it depends on: if that is left out of a build, so are its routes; NULL: none */
  /*
  ** Hooks, only for behaviour that no table can express. A hook that returns bool refuses with svc_fail() and false. All run inside the
  ** transaction of the work (`spell`, in svc_noun_ext, is the exception), and may run twice for one request (a commit is repeated when the
  ** store has to grow, or when another process committed first): hooks keep nothing outside of the call and change only what they are
  ** given. c->plan is NULL in internal work; c->scope is always set.
  */
  /* A create or update, checked and merged, before it is stored. change->before NULL: a create. */
  bool (*prepare)(svc_call *c, svc_change *change);
  /* After a create or update was stored, with its events: for related writes. */
  bool (*stored)(svc_call *c, const svc_change *change, const svc_entity *e);
  /* A due step: `tag` says which. For SVC_DUE_STATE the transition of its table, if there is one, is already in change->body, event and
  ** due; the hook may change these, its dues and extra. Also called after a failed order, in the failed state: then body, dues and extra
  ** count. NULL: nothing to add. */
  bool (*fell_due)(svc_call *c, svc_change *change, int tag);
  /* A delete by a request, before anything is removed. Not called for cascades. */
  bool (*removing)(svc_call *c, const svc_entity *e);
  /* After a delete, single or in a cascade, by a request or by itself; its record is already removed. */
  bool (*gone)(svc_call *c, const svc_entity *e);
  /* The shown body, if it has more than the stored one. Every read, and every item of a page, is then parsed and written again, and the
  ** ETag is computed from the view. Filters of lists compare the stored body. Returns NULL if out of memory or if the request was refused. */
  svc_node *(*view)(svc_call *c, const svc_entity *e);
  /* The desired state of an order as JSON, without secrets, if it is not the body. */
  svc_node *(*desired)(svc_call *c, const svc_entity *e);
  /* The unsealed secrets of an order, if they are not in sealed fields. Returns NULL without a key or if out of memory. */
  svc_node *(*secrets)(svc_call *c, const svc_entity *e);
  /* An order is done: copies facts into change->body and extra. The facts match the order's row, or are {}. */
  bool (*facts)(svc_call *c, svc_change *change, const svc_node *facts);
  /* The simulator carries out an order: adds the facts of a driver to `facts`, an empty object. action NULL: an unsolicited report
  ** (svc_report_simulated). A member SVC_FAILURE: the order has failed. NULL: no facts. */
  bool (*simulate)(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
  /* A driver's report: copies it into change->body and extra. The report matches `reports`. */
  bool (*reported)(svc_call *c, svc_change *change, const svc_node *news);
};

/* The ext columns of a row. Never NULL: a row without them gets a struct in which all are empty. */
static inline const svc_route_ext *svc_route_ext_of(const svc_route *r)
{
  static const svc_route_ext none = { .by = NULL };
  return r->ext ? r->ext : &none;
}
static inline const svc_object_ext *svc_object_ext_of(const svc_object *o)
{
  static const svc_object_ext none = { .choice = NULL };
  return o->ext ? o->ext : &none;
}
static inline const svc_noun_ext *svc_noun_ext_of(const svc_noun *n)
{
  static const svc_noun_ext none = { .names = NULL };
  return n->ext ? n->ext : &none;
}

#endif /* SVC_TABLE_H */
