/*
** The dated version that a request asks for.
**
** Accept names a day: application/vnd.svc.2025-03-12+json. It selects the newest version of the operation that is not
** after that day. Older versions with a row in `older` of the route are answered in their own shape (older.c). A day that
** selects a version without a row gets 410, and a day before the first version 406. The Sunset header announces the day on which an
** operation, or an older version of it, ends; the 410 from that day on requires svc_config.enforce_sunset. In an Accept
** list the best range that can be served counts, by q and then by specificity; the error is that of the best range of all.
*/
#include "pipeline/pipeline.h"

typedef struct version_range {
  bool any;     /* no version named: the newest is fine */
  bool bare;    /* a media type without versions */
  unsigned day; /* 0: invalid */
  int quality;  /* 0..1000; negative: invalid */
  int specific; /* a version beats a media type, which beats a wildcard */
} version_range;

/* "0.8" as 800; -1 for anything else, so that a malformed one is never preferred. */
static int version_quality(svc_str text)
{
  int value = 0, unit = 1000;
  size_t i;
  if (text.n == 0 || (text.p[0] != '0' && text.p[0] != '1')) return -1;
  value = (text.p[0] - '0') * 1000;
  if (text.n > 1 && (text.p[1] != '.' || text.n > 5)) return -1;
  for (i = 2; i < text.n; i++) {
    unit /= 10;
    if (text.p[i] < '0' || text.p[i] > '9') return -1;
    value += (text.p[i] - '0') * unit;
  }
  return value > 1000 ? -1 : value;
}

SVC_PRIVATE bool svc_media_of(const svc_route *route, svc_str *type, svc_str *sub)
{
  svc_str rest = svc_str_c(svc_route_ext_of(route)->media);
  *type = svc_str_is(rest, "csv") ? SVC_S("text") : SVC_S("application");
  *sub = rest;
  if (!strchr(svc_route_ext_of(route)->media, '/')) return false;
  *sub = svc_str_trim(svc_str_cut(&rest, ';'));
  *type = svc_str_cut(sub, '/');
  return true;
}

/* The plain media type of a route that does not answer in JSON: "application/gzip", "text/csv"; any: a range of that type suffices. */
static bool version_is_plain(const svc_call *c, svc_str media, bool any)
{
  svc_str type, sub, wanted;
  if (!svc_route_ext_of(c->plan->route)->media) return false;
  wanted = svc_str_cut(&media, '/');
  svc_media_of(c->plan->route, &type, &sub);
  return svc_str_is_nocase(wanted, svc_arena_copy(c->arena, type).p) &&
         (any ? svc_str_is(media, "*") : svc_str_is_nocase(media, svc_arena_copy(c->arena, sub).p));
}

/* "+json" behind the day, or the suffix of the route's own media type. */
static bool version_suffix(const svc_call *c, svc_str text)
{
  const char *media = svc_route_ext_of(c->plan->route)->media;
  if (svc_str_is_nocase(text, "+json"))
    return true; /* a caller that asks for JSON also gets other media types, and errors are JSON */
  return text.n && text.p[0] == '+' && media && svc_str_is_nocase((svc_str){ text.p + 1, text.n - 1 }, media);
}

static version_range version_parse(const svc_call *c, svc_str item)
{
  version_range r = { false, false, 0, 1000, 0 };
  svc_str media = svc_str_trim(svc_str_cut(&item, ';'));
  svc_str prefix = c->s->media_prefix;
  while (item.n) {
    svc_str parameter = svc_str_trim(svc_str_cut(&item, ';'));
    svc_str name = svc_str_trim(svc_str_cut(&parameter, '='));
    if (svc_str_is_nocase(name, "q")) r.quality = version_quality(svc_str_trim(parameter));
  }
  if (svc_str_is(media, "*/*")) {
    r.any = true;
  } else if (media.n > prefix.n + 10 && svc_str_is_nocase((svc_str){ media.p, prefix.n }, prefix.p) &&
             version_suffix(c, (svc_str){ media.p + prefix.n + 10, media.n - prefix.n - 10 })) {
    svc_day_parse((svc_str){ media.p + prefix.n, 10 }, &r.day);
    r.specific = 3;
  } else if (svc_str_is_nocase(media, "application/*") || version_is_plain(c, media, true)) {
    r.any = true;
    r.specific = 1;
  } else if (svc_str_is_nocase(media, "application/json") || version_is_plain(c, media, false)) {
    r.any = true;
    r.bare = svc_route_ext_of(c->plan->route)->media && strchr(svc_route_ext_of(c->plan->route)->media, '/') && !svc_str_is_nocase(media, "application/json");
    r.specific = 2;
  }
  return r;
}

SVC_PRIVATE unsigned svc_route_version(const svc_route *route, unsigned i)
{
  return i < 4 ? route->versions[i] : 0;
}

SVC_PRIVATE unsigned svc_route_newest(const svc_route *route)
{
  unsigned i = 0;
  while (i + 1 < 4 && route->versions[i + 1]) i++;
  return svc_route_version(route, i);
}

/* The version that a day selects; 0: the day is before the first. */
static unsigned version_select(const svc_route *route, unsigned day)
{
  unsigned found = 0, i, v;
  for (i = 0; (v = svc_route_version(route, i)) != 0 && v <= day; i++) found = v;
  return found;
}

SVC_PRIVATE bool svc_has_ended(const svc *s, const svc_plan *plan, int64_t now)
{
  return s->config.enforce_sunset && plan->route->sunset && now >= svc_day_ms(plan->route->sunset);
}

SVC_PRIVATE const svc_older *svc_route_older(const svc_route *route, unsigned version)
{
  const svc_older *row = route->older;
  while (row && row->date && row->date != version) row++;
  return row && row->date ? row : NULL;
}

SVC_PRIVATE bool svc_version_ended(const svc *s, const svc_older *older, int64_t now)
{
  return s->config.enforce_sunset && older->sunset && now >= svc_day_ms(older->sunset);
}

SVC_PRIVATE unsigned svc_version_deprecated(const svc_route *route, const svc_older *older)
{
  unsigned i = 0;
  while (svc_route_version(route, i) && svc_route_version(route, i) <= older->date) i++;
  return svc_route_version(route, i);
}

/* Whether this version, which is not the newest, is still served. */
static bool version_lives(const svc_call *c, unsigned version)
{
  const svc_older *older = svc_route_older(c->plan->route, version);
  return older && !svc_has_ended(c->s, c->plan, c->now) && !svc_version_ended(c->s, older, c->now);
}

/* The result for this range: SVC_E_NONE and the version, or the error and the version that has ended. */
static int version_judge(const svc_call *c, const version_range *r, unsigned *version)
{
  const svc_route *route = c->plan->route;
  unsigned newest = svc_route_newest(route);
  *version = r->any ? newest : r->day ? version_select(route, r->day) : 0;
  if (*version == 0 || (r->any && !r->bare && c->s->config.strict_accept)) return SVC_E_INVALID_VERSION_DATE;
  if (*version != newest) return version_lives(c, *version) ? SVC_E_NONE : SVC_E_VERSION_GONE;
  return svc_has_ended(c->s, c->plan, c->now) ? SVC_E_VERSION_GONE : SVC_E_NONE;
}

static svc_str version_day(svc_call *c, unsigned version)
{
  return svc_arena_print(c->arena, "%04u-%02u-%02u", version / 10000, version / 100 % 100, version % 100);
}

/* The versions before the newest that are served, or those that are not. */
static void version_list(svc_call *c, svc_buf *b, bool lives, const char *before)
{
  const svc_route *route = c->plan->route;
  unsigned newest = svc_route_newest(route), v, i;
  for (i = 0; (v = svc_route_version(route, i)) != newest; i++) {
    if (version_lives(c, v) != lives) continue;
    svc_buf_text(b, before);
    svc_buf_str(b, version_day(c, v));
    before = ", ";
  }
}

/* The versions that a caller may ask for. */
static svc_str version_there_are(svc_call *c)
{
  unsigned newest = svc_route_newest(c->plan->route);
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_buf_text(&b, "The Accept header names no version of this operation that can be served. The newest is ");
  svc_buf_str(&b, c->s->media_prefix);
  svc_buf_str(&b, version_day(c, newest));
  svc_buf_char(&b, '+');
  svc_buf_text(&b, svc_route_ext_of(c->plan->route)->media && !strchr(svc_route_ext_of(c->plan->route)->media, '/') ? svc_route_ext_of(c->plan->route)->media : "json");
  svc_buf_text(&b, ", and later dates select it, too");
  version_list(c, &b, true, "; older versions are ");
  version_list(c, &b, false, "; no longer available are ");
  svc_buf_char(&b, '.');
  return svc_buf_done(&b);
}

static bool version_fail(svc_call *c, int error, unsigned version)
{
  svc_str day, sunset;
  if (error != SVC_E_VERSION_GONE) return svc_fail_as(c, version_there_are(c), error, "");
  day = version_day(c, version);
  if (!svc_has_ended(c->s, c->plan, c->now)) return svc_fail(c, error, "SS", &day, &c->request.path);
  sunset = version_day(c, c->plan->route->sunset); /* there is no later version */
  return svc_fail_as(c, svc_arena_print(c->arena, "The operation at " SVC_FMT " ended on " SVC_FMT ", its sunset date.",
                                        SVC_ARG(c->request.path), SVC_ARG(sunset)), error, "SS", &day, &c->request.path);
}
#define version_fail(...) (version_fail(__VA_ARGS__), false)

static bool version_better(const version_range *a, const version_range *b)
{
  return a->quality != b->quality ? a->quality > b->quality : a->specific > b->specific;
}

/* Whether a more specific range with q=0 excludes what a wildcard would allow. */
static bool version_ruled_out(const svc_call *c, const version_range *wildcard)
{
  svc_str rest = c->request.accept;
  unsigned version;
  while (rest.n) {
    version_range r = version_parse(c, svc_str_trim(svc_str_cut(&rest, ',')));
    if (r.quality != 0 || r.specific <= wildcard->specific) continue;
    if (r.specific == 1 || (r.specific == 3 && version_judge(c, &r, &version) == SVC_E_NONE)) return true;
  }
  return false;
}

static bool version_take(svc_call *c, unsigned version)
{
  c->route.version = version;
  c->route.older = c->plan->route->older ? svc_route_older(c->plan->route, version) : NULL;
  return true;
}

SVC_PRIVATE bool svc_stage_version(svc_call *c)
{
  version_range best = { true, false, 0, 1000, 0 }, refused = { false, false, 0, 0, 0 };
  unsigned version = 0, refused_version = 0;
  int error, refused_error = SVC_E_INVALID_VERSION_DATE, ruled_out[2] = { -1, -1 };
  svc_str rest = c->request.accept;
  if (c->plan->route->flags & SVC_ABSOLUTE) return true;
  if (c->request.v1) {
    c->route.version = svc_route_newest(c->plan->route); /* the older base path has no versions */
    return true;
  }
  if (rest.n == 0) {
    error = version_judge(c, &best, &version);
    return error == SVC_E_NONE ? version_take(c, version) : version_fail(c, error, version);
  }
  best.quality = 0;
  while (rest.n) {
    svc_str item = svc_str_trim(svc_str_cut(&rest, ','));
    version_range r = version_parse(c, item);
    if (item.n == 0 || r.quality <= 0) continue;
    error = version_judge(c, &r, &version);
    if (error == SVC_E_NONE && r.any && r.specific < 2 && item.n != c->request.accept.n) {
      int *known = &ruled_out[r.specific]; /* computed once, however many wildcards there are */
      if (*known < 0) *known = version_ruled_out(c, &r);
      if (*known) error = SVC_E_INVALID_VERSION_DATE;
    }
    if (error == SVC_E_NONE && version_better(&r, &best)) {
      best = r;
      (void)version_take(c, version);
    } else if (error != SVC_E_NONE && version_better(&r, &refused)) {
      refused = r;
      refused_error = error;
      refused_version = version;
    }
  }
  return c->route.version ? true : version_fail(c, refused_error, refused_version);
}
