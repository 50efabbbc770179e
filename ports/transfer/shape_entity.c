/*
** An entity as a line: readable JSON, with its body as it is served. store/record.c draws the record.
*/
#define _GNU_SOURCE /* memrchr */
#include "ports/transfer/shape.h"

#define ENTITY_HEAD 52
#define ENTITY_KEY 29 /* letter, kind(4), parent(12), id(12) */
#define ENTITY_DUES 255

typedef struct entity_head { /* as in record.c, in the byte order of the machine */
  uint8_t format, flags;
  uint16_t key, unique;
  uint8_t dues, spare;
  uint32_t body, links_at;
  uint64_t revision;
  char group[12], org[12], names[4];
} entity_head;
_Static_assert(offsetof(entity_head, names) + 4 == ENTITY_HEAD, "the head of a record has changed its size");

static svc_sealed_for entity_sealed_for(const unsigned char *secret_key, const char *key)
{
  static const char zero[12];
  svc_sealed_for f = { secret_key, "" };
  memcpy(f.about, key + 1, 4);
  memcpy(f.about + 4, memcmp(key + 17, zero, 12) ? key + 17 : key + 5, 12); /* a singleton is identified by its parent */
  return f;
}

static void entity_hex(svc_line *out, const char *name, const char *p)
{
  svc_line_print(out, ",\"%s\":\"", name);
  svc_line_hex(out, p, 12);
  svc_line_c(out, "\"");
}

static bool entity_text(svc_line *out, const char *name, svc_str text)
{
  svc_line_print(out, ",\"%s\":", name);
  return svc_line_string(out, text);
}

static void entity_dues(svc_line *out, const char *p, unsigned n)
{
  unsigned i;
  int64_t when;
  svc_line_c(out, ",\"dues\":[");
  for (i = 0; i < n; i++, p += 9) {
    memcpy(&when, p, 8);
    svc_line_print(out, "%s{\"when\":%lld,\"tag\":%u}", i ? "," : "", (long long)when, (unsigned char)p[8]);
  }
  svc_line_c(out, "]");
}

/* Secrets in plain text, if the key opens them; otherwise as stored. A password is sealed behind the last newline. */
static void entity_extra(svc_line *out, const char *key, svc_str extra, const unsigned char *secret_key)
{
  const svc_sealed_for f = entity_sealed_for(secret_key, key);
  const char *last = secret_key && extra.n ? memrchr(extra.p, '\n', extra.n) : NULL;
  size_t begun = out->n;
  svc_line password = { 0 };
  if (secret_key && extra.n && extra.p[0] == '{') {
    svc_line_c(out, ",\"secrets\":");
    if (svc_secrets_turn(&f, extra, true, out)) return;
    out->n = begun;
  }
  if (last && svc_secret_open(&f, (svc_str){ "password", 8 }, (svc_str){ last + 1, (size_t)(extra.p + extra.n - last) - 1 }, &password)) {
    svc_line_c(out, ",\"password\":");
    if (svc_line_string(out, (svc_str){ password.n ? password.p : "", password.n })) extra.n = (size_t)(last - extra.p);
    else out->n = begun;
  }
  svc_line_fails(out, password.rc); /* otherwise a lack of memory would export it sealed */
  svc_line_free(&password);
  svc_line_c(out, ",\"extra\":");
  svc_line_base64(out, extra);
}

bool svc_entity_line(svc_line *out, const svc_row *row, svc_str noun, const unsigned char *secret_key)
{
  static const char none[4];
  const char *key = row->key.p, *p = row->value.p + ENTITY_HEAD;
  entity_head h;
  size_t rest;
  bool good;
  if (row->key.n != ENTITY_KEY || row->value.n < ENTITY_HEAD) return false;
  memcpy(&h, row->value.p, ENTITY_HEAD);
  rest = row->value.n - ENTITY_HEAD;
  if (h.format != 2 || h.spare || (size_t)h.dues * 9 + h.key + h.unique > rest) return false;
  rest -= (size_t)h.dues * 9 + h.key + h.unique;
  if (h.body > rest || h.links_at > h.body) return false;
  svc_line_print(out, "{\"class\":\"%s\"", key[0] == 'e' ? "entity" : "gone");
  good = entity_text(out, "kind", (svc_str){ key + 1, 4 });
  if (good && noun.n) good = entity_text(out, "noun", noun);
  entity_hex(out, "parent", key + 5);
  entity_hex(out, "id", key + 17);
  entity_hex(out, "group", h.group);
  entity_hex(out, "org", h.org);
  svc_line_print(out, ",\"flags\":%u,\"revision\":\"%llu\"", h.flags, (unsigned long long)h.revision);
  if (good && memcmp(h.names, none, 4) != 0) good = entity_text(out, "names", (svc_str){ h.names, 4 });
  entity_dues(out, p, h.dues);
  p += (size_t)h.dues * 9;
  good = good && entity_text(out, "key", (svc_str){ p, h.key }) && entity_text(out, "unique", (svc_str){ p + h.key, h.unique });
  p += (size_t)h.key + h.unique;
  svc_line_print(out, ",\"linksAt\":%u,\"body\":", (unsigned)h.links_at);
  if (!good || svc_line_value(p, p + h.body, 0) != p + h.body) return false;
  svc_line_add(out, p, h.body);
  entity_extra(out, key, (svc_str){ p + h.body, rest - h.body }, secret_key);
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- reading */

static bool entity_number(const svc_members *m, const char *name, int64_t most, int64_t *out)
{
  svc_str value;
  return svc_member(m, name, &value) && svc_line_integer(value, out) && *out >= 0 && *out <= most;
}

static bool entity_revision(const svc_members *m, uint64_t *out)
{
  char text[24], *end;
  svc_str value;
  if (!svc_member(m, "revision", &value) || value.n < 3 || value.n > sizeof text) return false;
  memcpy(text, value.p + 1, value.n - 2);
  text[value.n - 2] = '\0';
  *out = strtoull(text, &end, 10);
  return !*end;
}

static bool entity_dues_read(const svc_members *m, svc_line *out, uint8_t *n)
{
  const char *p, *end;
  svc_members due;
  svc_str dues, value;
  int64_t when, tag;
  *n = 0;
  if (!svc_member(m, "dues", &dues) || dues.n < 2 || dues.p[0] != '[') return false;
  for (p = dues.p + 1; *p == '{' && *n < ENTITY_DUES; ++*n) {
    end = svc_line_value(p, dues.p + dues.n, 1);
    if (!end || !svc_members_read((svc_str){ p, (size_t)(end - p) }, &due)) return false;
    if (!svc_member(&due, "when", &value) || !svc_line_integer(value, &when) || !entity_number(&due, "tag", 255, &tag)) return false;
    svc_line_add(out, &when, 8);
    svc_line_add(out, &(char){ (char)tag }, 1);
    p = *end == ',' ? end + 1 : end;
  }
  return *p == ']';
}

/* Appends the text of a member; returns its length. SIZE_MAX: invalid. */
static size_t entity_text_read(const svc_members *m, const char *name, svc_line *out)
{
  size_t begun = out->n;
  svc_str value;
  return svc_member(m, name, &value) && svc_line_from_string(out, value) ? out->n - begun : SIZE_MAX;
}

static bool entity_extra_read(const svc_members *m, const svc_sealed_for *f, svc_line *out)
{
  svc_line password = { 0 };
  svc_str value;
  bool good;
  if (svc_member(m, "secrets", &value)) return f->key && svc_secrets_turn(f, value, false, out);
  if (!svc_member(m, "extra", &value) || !svc_line_from_base64(out, value)) return false;
  if (!svc_member(m, "password", &value)) return true;
  svc_line_c(out, "\n");
  good = f->key && svc_line_from_string(&password, value) &&
         svc_secret_seal(f, (svc_str){ "password", 8 }, (svc_str){ password.n ? password.p : "", password.n }, out);
  svc_line_fails(out, password.rc);
  svc_line_free(&password);
  return good;
}

static bool entity_key_read(const svc_members *m, svc_line *key)
{
  svc_str value;
  svc_line_c(key, svc_member_is(m, "class", "\"entity\"") ? "e" : "x");
  if (entity_text_read(m, "kind", key) != 4) return false;
  if (!svc_member(m, "parent", &value) || !svc_line_from_hex(key, value, 12)) return false;
  return svc_member(m, "id", &value) && svc_line_from_hex(key, value, 12);
}

static bool entity_head_read(const svc_members *m, entity_head *h, svc_line *scratch)
{
  int64_t flags, links_at;
  svc_str value;
  memset(h, 0, sizeof *h);
  h->format = 2;
  scratch->n = 0;
  if (!svc_member(m, "group", &value) || !svc_line_from_hex(scratch, value, 12)) return false;
  if (!svc_member(m, "org", &value) || !svc_line_from_hex(scratch, value, 12)) return false;
  if (svc_member(m, "names", &value) && entity_text_read(m, "names", scratch) != 4) return false;
  if (scratch->rc != SVC_OK || !entity_number(m, "flags", 255, &flags) || !entity_number(m, "linksAt", UINT32_MAX, &links_at)) return false;
  memcpy(h->group, scratch->p, scratch->n);
  h->flags = (uint8_t)flags;
  h->links_at = (uint32_t)links_at;
  return entity_revision(m, &h->revision);
}

bool svc_entity_row(const svc_members *m, svc_line *key, svc_line *value, const unsigned char *secret_key)
{
  svc_sealed_for f;
  entity_head h;
  svc_str body;
  size_t n, u;
  if (!entity_head_read(m, &h, value) || !entity_key_read(m, key) || key->rc != SVC_OK || !svc_member(m, "body", &body)) return false;
  f = entity_sealed_for(secret_key, key->p);
  value->n = 0;
  svc_line_add(value, &h, ENTITY_HEAD);
  if (!entity_dues_read(m, value, &h.dues)) return false;
  n = entity_text_read(m, "key", value);
  u = n <= UINT16_MAX ? entity_text_read(m, "unique", value) : SIZE_MAX;
  if (u > UINT16_MAX) return false;
  h.key = (uint16_t)n;
  h.unique = (uint16_t)u;
  h.body = (uint32_t)body.n;
  svc_line_add(value, body.p, body.n);
  if (!entity_extra_read(m, &f, value) || value->rc != SVC_OK) return false;
  memcpy(value->p, &h, ENTITY_HEAD);
  return true;
}
