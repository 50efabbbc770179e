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
typedef struct svc_object svc_object;
typedef struct svc_field svc_field;
typedef struct svc_route svc_route;

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
  SVC_ANY     /* any JSON at all */
};

enum svc_field_flags {
  SVC_REQUIRED = 1,      /* a create or replace without it is refused */
  SVC_READ_ONLY = 2,     /* a body may only send back what it was */
  SVC_FIXED = 4,         /* set at creation, read-only from then on */
  SVC_NULLABLE = 8,      /* null in a body clears it */
  SVC_WRITE_ONLY = 16,   /* taken from the body, seen by the hooks, neither stored nor shown */
  SVC_UNIQUE_ITEMS = 32, /* no element of the array twice */
  SVC_MIN = 64,          /* .min holds */
  SVC_MAX = 128          /* .max holds */
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
  unsigned short min_items, max_items; /* bounds of an array; max 0: none */
  const svc_object *object;
  const char *const *values; /* NULL-terminated list of allowed strings */
  const char *pattern;       /* see svc_pattern_match() */
  const char *preset;        /* the default, as JSON text; NULL: omitted while it has no value */
  int64_t min, max;          /* number: its bounds, with SVC_MIN and SVC_MAX. string: bounds of its length in characters,
                                max 0: none */
};

struct svc_object {
  const char *name;
  const svc_field *fields; /* sorted by name, closed by a row without name */
  const svc_object *base;  /* fields of another object that this one has as well; NULL: none */
  /* a union: the value of field `variant_by` chooses the object that is checked instead of this one */
  const char *variant_by;
  const struct svc_variant {
    const char *value;
    const svc_object *object;
  } *variants; /* closed by a row without value */
};
typedef struct svc_variant svc_variant;

/*
** Row macros. Each takes the name and then any further members: F_STR("name", .flags = SVC_REQUIRED, .max = 64).
*/
#define F_STR(n, ...) { .name = n, .type = SVC_STRING, __VA_ARGS__ }
#define F_INT(n, ...) { .name = n, .type = SVC_INT32, __VA_ARGS__ }
#define F_LONG(n, ...) { .name = n, .type = SVC_INT64, __VA_ARGS__ }
#define F_NUM(n, ...) { .name = n, .type = SVC_NUMBER, __VA_ARGS__ }
#define F_BOOL(n, ...) { .name = n, .type = SVC_BOOLEAN, __VA_ARGS__ }
#define F_DATE(n, ...) { .name = n, .type = SVC_DATE, __VA_ARGS__ }
#define F_OBJ(n, o, ...) { .name = n, .type = SVC_OBJECT, .object = o, __VA_ARGS__ }
#define F_LIST(n, o, ...) { .name = n, .type = SVC_ARRAY, .item = SVC_OBJECT, .object = o, __VA_ARGS__ }
#define F_STRS(n, ...) { .name = n, .type = SVC_ARRAY, .item = SVC_STRING, __VA_ARGS__ }
#define F_ENUM(n, v, ...) { .name = n, .type = SVC_STRING, .values = v, __VA_ARGS__ }
#define F_HEX24(n, ...) { .name = n, .type = SVC_STRING, .format = SVC_FORMAT_ID, __VA_ARGS__ }
#define F_ANY(n, ...) { .name = n, .type = SVC_ANY, __VA_ARGS__ }
#define F_END { .name = NULL }

/* Rows that most entities have. */
#define F_ID() F_HEX24("id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID)
#define F_GROUP_ID() F_HEX24("groupId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_GROUP_ID)
#define F_ORG_ID() F_HEX24("orgId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ORG_ID)
#define F_CREATED(n) F_DATE(n, .flags = SVC_READ_ONLY, .fill = SVC_AUTO_NOW)

/* ---------------------------------------------------------------------------------------------------------- parameters */

enum svc_param_flags {
  SVC_PARAM_REQUIRED = 1,
  SVC_PARAM_REPEATS = 2 /* may stand more than once */
};

/* A query parameter of one operation, besides pageNum, itemsPerPage, includeCount, envelope and pretty. */
typedef struct svc_param {
  const char *name;
  unsigned char type;   /* SVC_STRING, SVC_INT32, SVC_INT64, SVC_BOOLEAN, SVC_DATE */
  unsigned char format; /* enum svc_format */
  unsigned char flags;
  unsigned char max_repeats; /* 0: as many as a query may have */
  const char *const *values;
  const char *pattern; /* strings */
  int64_t min, max; /* integers: bounds when max > min */
} svc_param;

/* -------------------------------------------------------------------------------------------------------------- routes */

enum svc_method { SVC_GET, SVC_POST, SVC_PUT, SVC_PATCH, SVC_DELETE, SVC_METHOD_COUNT };

enum svc_route_flags {
  SVC_PAGED = 512,         /* a list, in pages */
  SVC_BARE = 1,            /* a list as a plain JSON array, without pages and wrapper */
  SVC_EMPTY_OBJECT = 2,    /* the answer's body is {} */
  SVC_NO_AUTH = 4,         /* anybody may call it */
  SVC_V1_TOO = 8,          /* also served below /api/VENDOR/v1.0, where nothing is limited */
  SVC_VISIBLE_ONLY = 16,   /* a list over organizations: shows only what the caller may see */
  SVC_BODY_OPTIONAL = 32,  /* a body may be left out */
  SVC_NEWEST_FIRST = 64,   /* a list in falling order of creation */
  SVC_NO_LINKS = 128,      /* the answer carries no links (it is no entity) */
  SVC_ITEM = 1024,         /* a function of the noun's that reads one of it, as svc_verb_read does */
  SVC_BODY_ARRAY = 2048,   /* the body is an array of `body` objects */
  SVC_ABSOLUTE = 4096,     /* the path is not below the base path; not limited and without versions */
  SVC_RAW_BODY = 8192,     /* the body is not JSON: the function reads it itself */
  SVC_NO_BODY = 256        /* a POST, PUT or PATCH that takes no body */
};

/* A date version as a number: 20230101. */
typedef unsigned svc_date_version;

struct svc_route {
  unsigned char method; /* enum svc_method */
  unsigned char set;    /* SVC_SET_...: the endpoint set whose bucket it draws from */
  unsigned short flags; /* enum svc_route_flags */
  unsigned short status; /* of success; 0: 200 */
  const char *path;      /* below the base path: "/groups/{groupId}/clusters/{clusterName}:pin" */
  uint64_t roles;        /* any one of these suffices; 0: whoever is authenticated */
  svc_date_version versions[4]; /* rising; the last one is served, the ones before are gone */
  svc_date_version deprecated;  /* the served version is deprecated since this day; 0: it is not */
  svc_date_version sunset;      /* the served version ends on this day; 0: no end is set */
  const svc_param *params;      /* closed by a row without name */
  const svc_object *body;       /* what the body must be when it is not the noun's own object */
  const svc_object *answer;     /* what it answers with when that is not the noun's own object, for documentation */
  const char *example;          /* of a POST: a body that is accepted, for documentation and for the tests that need one; an
                                   id in it that is named as in a path stands for one that is there */
  const char *by; /* field whose unique value stands in the path instead of the noun's own key ("name" in byName) */
  unsigned short err_not_found; /* SVC_E_...: rather than the noun's, where the entity is looked up in this way */
  bool (*run)(svc_call *c); /* the verb (svc_verb_list, ...) or a function of the noun's */
};

#define SVC_ROUTES_END { .path = NULL }

/* ---------------------------------------------------------------------------------------------------------- lifecycle */

/* In state `from` until `percent` of the provisioning time has passed, then in `to`; `to` NULL: removed. */
typedef struct svc_step {
  const char *from;
  const char *to;
  unsigned percent;
  const char *event; /* written when the step is taken */
} svc_step;

typedef struct svc_lifecycle {
  const char *field;     /* the field that shows the state */
  const char *created;   /* state after POST */
  const char *updated;   /* state after a change; NULL: the state stays */
  const char *deleted;   /* state after DELETE; NULL: removed at once */
  const svc_step *steps; /* closed by a row without from */
} svc_lifecycle;

/* --------------------------------------------------------------------------------------------------------------- nouns */

enum svc_noun_flags {
  SVC_SINGLETON = 1, /* one per parent, always there: its defaults are served until it is changed */
  SVC_GLOBAL = 2,    /* addressed by its id alone; listed under its owner through an index */
  SVC_IS_GROUP = 4,  /* it is the project: the scope of GROUP buckets and project roles */
  SVC_IS_ORG = 8,    /* it is the organization */
  SVC_IS_FEED = 16,  /* it is the event log, into which changes are written */
  SVC_VIRTUAL = 32,  /* nothing of it is stored: its routes answer from tables */
  SVC_SHARED_NAME = 64, /* `unique` names it, but two may share it */
  /* what authentication rests on (pipeline/caller.c); the credential is packed into `extra`, see credential.c */
  SVC_IS_KEY = 512,       /* API keys: `unique` is the public key */
  SVC_IS_ACCOUNT = 1024,  /* service accounts: `unique` is the client id */
  SVC_IS_TOKEN = 2048,    /* access tokens of a service account: `unique` is the hash of one */
  SVC_IS_USER = 4096,     /* people */
  SVC_IS_TEAM = 8192,     /* groups of people that hold roles together */
  SVC_IS_ACCESS_LIST = 16384, /* entries of the access list of its parent, which is a key or an account */
  SVC_IS_ORG_POLICY = 32768,  /* settings of an organization; `extra` "1": its credentials need an access list */
  SVC_EXPIRES = 65536,    /* when it falls due it is removed */
  SVC_IS_MEMBER = 131072, /* people as members of an organization, by the ids they have as users (pipeline/member.c) */
  SVC_EVENT_KEY = 262144, /* event_field carries how a path names it, not its unique value */
  SVC_BY_TABLE = 256, /* its path names a row of a table, or a view of another noun: nothing is looked up for it */
  SVC_IS_QUOTA = 128 /* it knows the limits of a project: its quota hook is asked */
};

/* The event of a change of one field; `value`: only of a change to this JSON value, "true". */
typedef struct svc_field_event {
  const char *field, *event, *value;
} svc_field_event;

/* How often an entry of an access list let somebody in since it was last written down. */
typedef struct svc_use {
  int64_t count, last; /* last: milliseconds */
  const char *address; /* of the last one */
} svc_use;

typedef struct svc_change svc_change; /* a change about to be stored (pipeline/verbs.c) */

struct svc_noun {
  const char *name;   /* what errors and this catalog call it: "cluster" */
  const char *rel;    /* what links to it are called; NULL: its name */
  const char *kind;   /* four characters that stand in the store's keys: never change them */
  const char *parent; /* name of the noun it belongs to; NULL: none, or an organization or project of the path */
  const char *view_of; /* name of the noun that shows the same under the same id, and is linked to; NULL: none */
  const char *param;  /* path parameter that names one of it; several: "databaseName/username" */
  unsigned flags;     /* enum svc_noun_flags */
  const svc_object *object;
  const char *key;    /* field whose value stands in the path; NULL: "id" */
  const char *unique; /* field that no two of one parent (owner, where SVC_GLOBAL) share; NULL: none */
  const char *counted_in; /* field of the parent that shows how many there are */
  unsigned short err_not_found; /* SVC_E_...; parameters: its key, then its parent's */
  unsigned short err_exists;    /* SVC_E_...; parameters: the unique value, then the parent's key */
  unsigned short err_in_use;    /* SVC_E_...: the parent cannot be deleted while one of these is left; 0: they go with it */
  const svc_lifecycle *lifecycle;
  /* names of the events written when one is created, changed, about to be deleted; NULL: none */
  const char *event_created, *event_updated, *event_deleted;
  const svc_field_event *field_events; /* event_updated is for changes of other fields than these; closed by no field */
  const char *event_field; /* event field that carries its key, "clusterName"; NULL: none */
  const char *quota;       /* limit of the project on how many there may be; NULL: none */
  unsigned short most;      /* how many there may be below one parent, where no project sets a limit; 0: any number */
  unsigned short err_quota; /* SVC_E_...; parameters: the limit, then the parent's id */
  const svc_route *routes; /* closed by SVC_ROUTES_END */

  /* Hooks: only for what no table can say. Each refuses by svc_fail() and returning false. They may run twice for one
  ** request (a commit is repeated when the store has to grow), so they keep nothing outside of the call. */
  bool (*prepare)(svc_call *c, svc_change *change);  /* a create or update, checked and merged, before it is stored */
  void (*begin)(svc_call *c, svc_node *body); /* of a singleton, its parent being new: changes its defaults */
  /* it fell due: the step of its table, if there is one, has been taken in body, event and due (0: it stays); the hook may
  ** change these and extra */
  bool (*fell_due)(svc_call *c, svc_change *change);
  svc_str (*spell)(svc_call *c, svc_str key); /* the one way to spell a key that a path may spell in several */
  bool (*removing)(svc_call *c, const svc_entity *e); /* a delete, before anything is removed */
  int64_t (*limit)(svc_call *c, const svc_id *group, const char *name); /* of SVC_IS_QUOTA; < 0: no such limit */
  /* of credentials: make one for an organization, *shown with its secret; and, does this secret open it? *which: of several */
  bool (*make)(svc_call *c, const svc_id *org, const svc_node *request, svc_str grants, svc_entity *out, svc_node **shown);
  bool (*opens)(svc_call *c, const svc_entity *credential, svc_str secret, svc_id *which);
  void (*used)(svc_call *c, svc_node *body, const struct svc_use *use); /* of SVC_IS_ACCESS_LIST: what usage it shows */
};

#endif /* SVC_TABLE_H */
