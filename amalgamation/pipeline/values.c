/*
** Lists of known values, and the vendor word in them.
**
** Some values, names of limits and prefixes of ids begin with the word that is also in paths and media types:
** SVC_MANAGED, svc.project.deployment.clusters, svc_sa_id_. The tables have "svc"; a host with another word
** (svc_config.vendor) gets that one.
**
** The rule: the word counts at the beginning, before '_' or '.', in capitals or not. Stored and sent values have the
** configured word, tables and code have "svc"; only these functions convert between them.
*/
#include "pipeline/pipeline.h"

#define VALUES_SHOWN 20 /* maximum values that an error lists */
#define VALUES_MEANT 8  /* maximum violations with a suggestion */

static bool values_has_word(const svc *s, const char *value)
{
  bool word = strncmp(value, "svc", 3) == 0 || strncmp(value, "SVC", 3) == 0;
  return word && (value[3] == '_' || value[3] == '.') && !svc_str_is(s->vendor, "svc");
}

SVC_PRIVATE svc_str svc_value_text(const svc *s, svc_arena *a, const char *value)
{
  svc_str out;
  size_t i;
  if (!values_has_word(s, value)) return svc_str_c(value);
  out = svc_arena_print(a, SVC_FMT "%s", SVC_ARG(s->vendor), value + 3);
  for (i = 0; value[0] == 'S' && i < s->vendor.n && out.n; i++)
    if (out.p[i] >= 'a') ((char *)(uintptr_t)out.p)[i] = (char)(out.p[i] - 32);
  return out;
}

SVC_PRIVATE bool svc_value_is(const svc *s, svc_str text, const char *value)
{
  size_t n = s->vendor.n, i;
  if (!values_has_word(s, value)) return svc_str_is(text, value);
  if (text.n < n || !svc_str_is((svc_str){ text.p + n, text.n - n }, value + 3)) return false;
  for (i = 0; i < n; i++) {
    char c = s->vendor.p[i];
    /* the word has letters, digits and dashes, none behind 'z' */
    if (text.p[i] != (value[0] == 'S' && c >= 'a' ? (char)(c - 32) : c)) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_value_in(const svc *s, svc_str text, const char *const *values)
{
  for (; *values; values++)
    if (svc_value_is(s, text, *values)) return true;
  return false;
}

SVC_PRIVATE svc_str svc_did_you_mean(svc_call *c, const svc_near *guess)
{
  return guess->best ? svc_arena_print(c->arena, "; did you mean %s?", guess->best) : SVC_S("");
}

SVC_PRIVATE svc_str svc_values_known(svc_call *c, const char *const *values)
{
  return svc_values_meant(c, values, SVC_S(""));
}

SVC_PRIVATE svc_str svc_values_meant(svc_call *c, const char *const *values, svc_str sent)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  svc_near guess = svc_near_begin(sent);
  size_t i, n = 0;
  while (values[n]) n++;
  for (i = 0; i < n && i < VALUES_SHOWN; i++) {
    if (i) svc_buf_text(&b, i + 1 == n ? " or " : ", ");
    svc_buf_str(&b, svc_shown_value(c->s, c->arena, values[i]));
  }
  if (n > VALUES_SHOWN) {
    svc_buf_text(&b, " or one of ");
    svc_buf_i64(&b, (int64_t)(n - VALUES_SHOWN));
    svc_buf_text(&b, " more");
  }
  for (i = 0; i < n && sent.n && c->error.violation_count < VALUES_MEANT; i++) svc_near_try(&guess, svc_shown_value(c->s, c->arena, values[i]).p);
  svc_buf_str(&b, svc_did_you_mean(c, &guess));
  return svc_buf_done(&b);
}
