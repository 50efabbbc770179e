/*
** Splits the text of a policy into tokens: names, signs, numbers, strings without escapes. Comments are skipped. The first
** error is kept with its line and column, and parsing stops there.
*/
#include "catalog/policy/policy_reader.h"

SVC_PRIVATE void *svc_policy_wrong(policy_reader *r, const char *what)
{
  size_t line = 1, column = 1, i;
  if (r->why.n) return NULL;
  for (i = 0; i < r->from; i++) {
    column++;
    if (r->text.p[i] == '\n') line++, column = 1;
  }
  r->why = svc_arena_print(r->a, "line %zu, column %zu: %s", line, column, what);
  return NULL;
}

static char policy_at(const policy_reader *r, size_t ahead)
{
  return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : 0;
}

static bool policy_is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool policy_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static void policy_skip(policy_reader *r)
{
  for (;;) {
    char c = policy_at(r, 0);
    if (c == '/' && policy_at(r, 1) == '/')
      while (policy_at(r, 0) && policy_at(r, 0) != '\n') r->at++;
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') r->at++;
    else return;
  }
}

/* Without escapes: no name in a policy needs one. */
static void policy_string(policy_reader *r)
{
  size_t from = ++r->at;
  while (r->at < r->text.n && r->text.p[r->at] != '"' && r->text.p[r->at] != '\\' && r->text.p[r->at] != '\n') r->at++;
  r->token = POLICY_TEXT;
  r->word = (svc_str){ r->text.p + from, r->at - from };
  if (policy_at(r, 0) == '"') r->at++;
  else svc_policy_wrong(r, "the string has no end, or an escape in it");
}

static void policy_number(policy_reader *r)
{
  r->token = POLICY_NUMBER;
  r->number = 0;
  while (policy_is_digit(policy_at(r, 0)) && r->number < INT32_MAX) r->number = r->number * 10 + (r->text.p[r->at++] - '0');
  if (policy_is_digit(policy_at(r, 0))) svc_policy_wrong(r, "the number is too large");
}

SVC_PRIVATE void svc_policy_next(policy_reader *r)
{
  static const char *const signs[] = { "::", "==", "!=", "<=", ">=", "&&", "||" };
  size_t i;
  char c;
  policy_skip(r);
  r->from = r->at;
  c = policy_at(r, 0);
  r->word = SVC_S("");
  r->token = POLICY_END;
  if (r->at >= r->text.n) return;
  if (policy_is_letter(c)) {
    while (policy_is_letter(policy_at(r, 0)) || policy_is_digit(policy_at(r, 0))) r->at++;
    r->token = POLICY_WORD;
    r->word = (svc_str){ r->text.p + r->from, r->at - r->from };
    return;
  }
  if (c == '"') {
    policy_string(r);
    return;
  }
  if (policy_is_digit(c)) {
    policy_number(r);
    return;
  }
  r->token = POLICY_SIGN;
  r->at++;
  for (i = 0; i < POLICY_COUNT(signs); i++)
    if (c == signs[i][0] && policy_at(r, 0) == signs[i][1]) r->at++, i = POLICY_COUNT(signs);
  r->word = (svc_str){ r->text.p + r->from, r->at - r->from };
}

SVC_PRIVATE bool svc_policy_is(const policy_reader *r, const char *word)
{
  return (r->token == POLICY_WORD || r->token == POLICY_SIGN) && svc_str_is(r->word, word);
}

/* Skips the token if it is this word. */
SVC_PRIVATE bool svc_policy_take(policy_reader *r, const char *word)
{
  if (r->why.n || !svc_policy_is(r, word)) return false;
  svc_policy_next(r);
  return true;
}

SVC_PRIVATE bool svc_policy_want(policy_reader *r, const char *word)
{
  if (svc_policy_take(r, word)) return true;
  if (!r->why.n) svc_policy_wrong(r, svc_arena_print(r->a, "expected %s", word).p);
  return false;
}

SVC_PRIVATE policy_node *svc_policy_new(policy_reader *r, int op, policy_type type)
{
  policy_node *node = svc_arena_zero(r->a, sizeof *node);
  if (!node) return svc_policy_wrong(r, "out of memory");
  node->op = (unsigned char)op;
  node->type = type;
  r->steps++;
  return node;
}
