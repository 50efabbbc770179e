/*
** Shared helpers of the suites of federation: organizations A, B and C, each in a federation of its own, A and B with
** a project, and requests in one line. In paths and bodies %A, %B, %C stand for the organizations, %F and %H for the
** federations of A and B, %G and %P for the projects of A and B, and other letters for ids that were kept.
*/
#ifndef SVC_TEST_FEDERATION_WORLD_H
#define SVC_TEST_FEDERATION_WORLD_H

#include "support.h"

#define F_FED "/federationSettings/%F"
#define F_IDPS F_FED "/identityProviders"
#define F_CONN F_FED "/connectedOrgConfigs"
#define F_SAML(name, more) \
  "{\"protocol\":\"SAML\",\"displayName\":\"" name "\",\"issuerUri\":\"urn:" name "\",\"ssoUrl\":\"https://idp.example.com/sso\"" more "}"
#define F_OIDC(name, more) \
  "{\"protocol\":\"OIDC\",\"displayName\":\"" name "\",\"issuerUri\":\"https://idp.example.com/" name "\",\"audience\":\"a\"," \
  "\"authorizationType\":\"USER\",\"clientId\":\"c\"" more "}"

typedef struct f_world {
  t_service t;
  const char *named['Z' + 1]; /* ids by their letters */
  char path[1024], body[16384];
} f_world;

static inline void f_fill(const f_world *w, const char *text, char *out, size_t size)
{
  size_t n = 0;
  for (; *text; text++) {
    const char *part = text[0] == '%' && text[1] >= 'A' && text[1] <= 'Z' ? w->named[(int)text[1]] : NULL;
    munit_assert_size(n + 130, <, size);
    if (part) n += (size_t)snprintf(out + n, size - n, "%s", part), text++;
    else out[n++] = *text;
  }
  out[n] = 0;
}

static inline int f_send(f_world *w, const char *method, const char *path, const char *body)
{
  f_fill(w, path, w->path, sizeof w->path);
  if (body) f_fill(w, body, w->body, sizeof w->body);
  return t_send(&w->t, method, w->path, body ? w->body : NULL);
}

static inline void f_good(f_world *w, const char *method, const char *path, const char *body, int status)
{
  if (f_send(w, method, path, body) != status)
    munit_errorf("%s %s: %d %s", method, w->path, w->t.response.status, w->t.response.body);
}

/* Checks that the request is refused with this code and changes nothing. */
static inline void f_bad(f_world *w, const char *method, const char *path, const char *body, int status, const char *code)
{
  uint64_t print = store_print(w->t.s);
  f_good(w, method, path, body, status);
  munit_assert_string_equal(t_error(&w->t), code);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

/* Checks that the request is refused with status 400 and changes nothing. The error must name the field. */
static inline void f_bad_field(f_world *w, const char *method, const char *path, const char *body, const char *field)
{
  uint64_t print = store_print(w->t.s);
  f_good(w, method, path, body, 400);
  if (!t_violation(&w->t, field)) munit_errorf("%s is not named: %s", field, w->t.response.body);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

static inline const char *f_keep(f_world *w, char letter, const char *path)
{
  return w->named[(int)letter] = t_keep(&w->t, t_str(&w->t, path));
}

static inline void f_federation(f_world *w, char letter, const char *org)
{
  char path[64];
  snprintf(path, sizeof path, "/orgs/%s/federationSettings", org);
  f_good(w, "GET", path, NULL, 200);
  f_keep(w, letter, "id");
}

/* All later requests come from a caller with this role on these organizations. other 0: only on the first. role NULL: the owner of
** all. */
static inline void f_as(f_world *w, const char *role, char one, char other)
{
  w->t.grants[0] = (svc_grant){ role ? role : "ORG_OWNER", role ? w->named[(int)one] : NULL };
  w->t.grants[1] = (svc_grant){ role, other ? w->named[(int)other] : NULL };
  w->t.caller.grant_count = other ? 2 : 1;
}

static inline void f_open(f_world *w, const svc_config *config)
{
  static const svc_config quiet = { .limiter_off = 1 };
  memset(w, 0, sizeof *w);
  t_open(&w->t, config ? config : &quiet);
  w->named['A'] = t_organization(&w->t, "A");
  w->named['B'] = t_organization(&w->t, "B");
  w->named['C'] = t_organization(&w->t, "C");
  w->named['G'] = t_project(&w->t, w->named['A'], "alpha");
  w->named['P'] = t_project(&w->t, w->named['B'], "beta");
  f_federation(w, 'F', w->named['A']);
  f_federation(w, 'H', w->named['B']);
}

static inline void f_close(f_world *w)
{
  f_as(w, NULL, 0, 0);
  store_whole(w->t.s);
  t_close(&w->t);
}

/* Creates an identity provider in the federation of A. From here on %I is its id and %O the older id. */
static inline void f_provider(f_world *w, const char *body)
{
  f_good(w, "POST", F_IDPS, body, 201);
  f_keep(w, 'I', "id");
  f_keep(w, 'O', "oktaIdpId");
}

/* Returns the number of events of this type in an organization's log. */
static inline int64_t f_events(f_world *w, char org, const char *type)
{
  char path[128];
  snprintf(path, sizeof path, "/orgs/%s/events?eventType=%s", w->named[(int)org], type);
  f_good(w, "GET", path, NULL, 200);
  return t_int(&w->t, "totalCount");
}

#define f_is(w, path, value) munit_assert_string_equal(t_str(&(w)->t, path), value)

#endif
