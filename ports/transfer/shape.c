/*
** The shapes of rows: see shape.h. store/keys.c draws the keys; each of its lines is a row of the table here.
*/
#include "ports/transfer/shape.h"

/* Parts of a key or of a value. All have a fixed size except TEXT and BYTES, which are the rest, NAME, which ends before the zero byte
** that precedes the following parts, and MAYBE, an id or nothing at the end. */
enum { KIND = 1, ID, MAYBE, TIME, BYTE, MONTH, HASH, HANDLE, I64, U32, TEXT, NAME, BYTES };
static const unsigned char shape_sizes[BYTES + 1] = { [KIND] = 4, [ID] = 12, [TIME] = 8, [BYTE] = 1, [MONTH] = 4, [HASH] = 16, [HANDLE] = 8, [I64] = 8, [U32] = 4 };

typedef struct shape_part {
  const char *name;
  unsigned char type;
} shape_part;

typedef struct shape_class {
  const char *prefix, *name; /* the beginning of keys; the name in lines */
  shape_part key[8], value[6];
} shape_class;

/* The first row whose parts fit is used. */
static const shape_class shape_classes[] = {
  { "a", "holder", { { "on", ID }, { "kind", KIND }, { "holder", ID } }, { { NULL, 0 } } },
  { "b", "ledger", { { "org", ID }, { "month", MONTH }, { "group", ID }, { "top", ID }, { "id", ID }, { "since", TIME }, { "slot", BYTE } },
    { { "kind", KIND }, { "quantity", I64 }, { "until", I64 }, { "text", TEXT } } },
  { "c", "count", { { "kind", KIND }, { "of", MAYBE } }, { { "count", I64 } } },
  { "d", "due", { { "when", TIME }, { "kind", KIND }, { "parent", ID }, { "id", ID }, { "tag", BYTE } }, { { NULL, 0 } } },
  { "g", "byId", { { "kind", KIND }, { "id", ID } }, { { "parent", ID } } },
  { "h", "roles", { { "holder", ID }, { "org", ID }, { "group", ID } }, { { "roles", TEXT } } },
  { "i", "retry", { { "hash", HASH } }, { { "answer", BYTES } } },
  { "j", "retryAge", { { "org", ID }, { "expiry", TIME }, { "hash", HASH } }, { { NULL, 0 } } },
  { "l", "openLedger", { { "id", ID }, { "slot", BYTE } }, { { "org", ID }, { "month", MONTH }, { "group", ID }, { "top", ID }, { "since", TIME } } },
  { "mschema", "storeFormat", { { NULL, 0 } }, { { "format", U32 } } },
  { "mids", "lastId", { { NULL, 0 } }, { { "id", ID } } },
  { "msession", "session", { { "handle", HANDLE } }, { { "until", I64 } } },
  { "m", "metadata", { { "name", TEXT } }, { { "text", TEXT } } },
  { "m", "metadata", { { "name", TEXT } }, { { "bytes", BYTES } } },
  { "o", "order", { { "kind", KIND }, { "parent", ID }, { "id", ID } }, { { "order", ID }, { "takenBy", HANDLE }, { "notBefore", I64 }, { "attempt", U32 },
    { "action", BYTES } } },
  { "q", "orderId", { { "order", ID } }, { { "kind", KIND }, { "parent", ID }, { "id", ID } } },
  { "r", "reference", { { "toKind", KIND }, { "to", ID }, { "kind", KIND }, { "parent", ID }, { "id", ID } }, { { "self", ID } } },
  { "t", "tally", { { "kind", KIND }, { "parent", ID }, { "last", ID } }, { { "counts", BYTES } } },
  { "u", "unique", { { "names", KIND }, { "value", NAME }, { "scope", ID } }, { { "kind", KIND }, { "id", ID } } },
  { "w", "waiting", { { "when", TIME }, { "order", ID } }, { { NULL, 0 } } },
};
#define SHAPE_CLASSES (sizeof shape_classes / sizeof shape_classes[0])

/* ------------------------------------------------------------------------------------------------------------ members */

bool svc_members_read(svc_str line, svc_members *out)
{
  const char *at = line.p + 1, *end = line.p + line.n;
  svc_str name, value;
  out->n = 0;
  if (line.n < 2 || line.p[0] != '{') return false;
  while (svc_line_member(&at, end, 0, &name, &value)) {
    if (out->n == SVC_SHAPE_MEMBERS) return false;
    out->names[out->n] = name;
    out->values[out->n++] = value;
  }
  return at == end;
}

static bool shape_is(svc_str s, const char *text)
{
  return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

bool svc_member(const svc_members *m, const char *name, svc_str *value)
{
  size_t i;
  for (i = 0; i < m->n; i++)
    if (shape_is(m->names[i], name)) {
      *value = m->values[i];
      return true;
    }
  return false;
}

bool svc_member_is(const svc_members *m, const char *name, const char *value)
{
  svc_str found;
  return svc_member(m, name, &found) && shape_is(found, value);
}

/* -------------------------------------------------------------------------------------------------------------- parts */

static size_t shape_rest(const shape_part *part)
{
  size_t n = 0;
  for (; part->name; part++) n += shape_sizes[part->type];
  return n;
}

static uint64_t shape_big_endian(const char *p, size_t n)
{
  uint64_t v = 0;
  while (n--) v = v << 8 | (unsigned char)*p++;
  return v;
}

static int64_t shape_number(unsigned type, const char *p)
{
  int64_t number = 0;
  uint32_t small;
  if (type == I64) memcpy(&number, p, 8);
  else if (type == U32) memcpy(&small, p, 4), number = small;
  else if (type == TIME) number = (int64_t)(shape_big_endian(p, 8) ^ (uint64_t)1 << 63);
  else number = (int64_t)shape_big_endian(p, shape_sizes[type]);
  return number;
}

static bool shape_write(svc_line *out, unsigned type, svc_str bytes)
{
  size_t i;
  switch (type) {
  case KIND:
    for (i = 0; i < bytes.n; i++)
      if (bytes.p[i] < ' ' || bytes.p[i] > '~') return false;
    return svc_line_string(out, bytes);
  case TEXT:
  case NAME: return svc_line_string(out, bytes);
  case BYTES: svc_line_base64(out, bytes); return true;
  case ID:
  case HASH:
  case HANDLE:
    svc_line_c(out, "\"");
    svc_line_hex(out, bytes.p, bytes.n);
    svc_line_c(out, "\"");
    return true;
  default: svc_line_print(out, "%lld", (long long)shape_number(type, bytes.p)); return true;
  }
}

/* Writes the parts of these bytes as members. False: the bytes do not fit the parts. */
static bool shape_parts(svc_line *out, const shape_part *part, svc_str bytes)
{
  for (; part->name; part++) {
    unsigned type = part->type == MAYBE ? ID : part->type;
    size_t rest = shape_rest(part + 1) + (type == NAME), n = type >= TEXT ? bytes.n - rest : shape_sizes[type];
    if (part->type == MAYBE && !bytes.n) break;
    if (type >= TEXT && bytes.n < rest) return false;
    if (n > bytes.n || (type == NAME && bytes.p[n])) return false;
    svc_line_print(out, ",\"%s\":", part->name);
    if (!shape_write(out, type, (svc_str){ bytes.p, n })) return false;
    n += type == NAME;
    bytes = (svc_str){ bytes.p + n, bytes.n - n };
  }
  return bytes.n == 0;
}

static bool shape_read(svc_line *out, unsigned type, svc_str value)
{
  int64_t number;
  uint64_t turned;
  uint32_t small;
  size_t i;
  if (type == KIND || type == TEXT || type == NAME) return svc_line_from_string(out, value);
  if (type == BYTES) return svc_line_from_base64(out, value);
  if (type == ID || type == HASH || type == HANDLE) return svc_line_from_hex(out, value, shape_sizes[type]);
  if (!svc_line_integer(value, &number)) return false;
  small = (uint32_t)number;
  turned = (uint64_t)number ^ (type == TIME ? (uint64_t)1 << 63 : 0);
  if (type == I64) svc_line_add(out, &number, 8);
  else if (type == U32) svc_line_add(out, &small, 4);
  else
    for (i = shape_sizes[type]; i-- > 0;) svc_line_add(out, &(char){ (char)(turned >> 8 * i) }, 1);
  return true;
}

/* Writes the bytes of members. False: a member is missing, or is not of its type. */
static bool shape_bytes(svc_line *out, const shape_part *part, const svc_members *m)
{
  svc_str value;
  for (; part->name; part++) {
    if (!svc_member(m, part->name, &value)) return part->type == MAYBE;
    if (!shape_read(out, part->type == MAYBE ? ID : part->type, value)) return false;
    if (part->type == NAME) svc_line_add(out, "", 1);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------- the key of the secrets */

static const svc_str shape_sealed = { "msealed", 7 };

/* A mark in the form of pipeline/seal.c; '?' before it: nothing was sealed yet. */
static bool shape_mark_line(svc_line *out, const svc_row *row, const unsigned char *secret_key)
{
  const svc_sealed_for store = { secret_key, "    " };
  bool unused = row->value.n && row->value.p[0] == '?';
  svc_str sealed = { row->value.p + unused, row->value.n - unused };
  svc_line word = { 0 };
  bool good = svc_secret_open(&store, (svc_str){ "check", 5 }, sealed, &word);
  svc_line_fails(out, word.rc);
  svc_line_free(&word);
  svc_line_print(out, "{\"class\":\"secretKey\",\"used\":%s", unused ? "false" : "true");
  return good;
}

static bool shape_mark_row(const svc_members *m, svc_line *key, svc_line *value, const unsigned char *secret_key)
{
  const svc_sealed_for store = { secret_key, "    " };
  svc_line_add(key, shape_sealed.p, shape_sealed.n);
  if (svc_member_is(m, "used", "false")) svc_line_c(value, "?");
  return svc_secret_seal(&store, (svc_str){ "check", 5 }, svc_secret_word, value);
}

/* ---------------------------------------------------------------------------------------------------------- whole rows */

static bool shape_has(svc_str key, const char *prefix)
{
  return key.n >= strlen(prefix) && memcmp(key.p, prefix, strlen(prefix)) == 0;
}

static bool shape_class_line(svc_line *out, const svc_row *row, const shape_class *c)
{
  size_t skip = strlen(c->prefix);
  svc_line_print(out, "{\"class\":\"%s\"", c->name);
  return shape_parts(out, c->key, (svc_str){ row->key.p + skip, row->key.n - skip }) && shape_parts(out, c->value, row->value);
}

static bool shape_table_line(svc_line *out, const svc_row *row)
{
  size_t i, begun = out->n;
  for (i = 0; i < SHAPE_CLASSES; i++) {
    out->n = begun;
    if (shape_has(row->key, shape_classes[i].prefix) && shape_class_line(out, row, &shape_classes[i])) return true;
  }
  return false;
}

/* noun: the name of an entity's noun; p NULL: the name in this build. */
static int shape_line(svc_line *out, const svc_row *row, svc_str noun, const unsigned char *secret_key)
{
  size_t begun = out->n;
  bool good;
  if (shape_has(row->key, "e") || shape_has(row->key, "x")) {
    const char *name = !noun.p && row->key.n > 5 ? svc_kind_name(row->key.p + 1) : NULL;
    good = svc_entity_line(out, row, name ? (svc_str){ name, strlen(name) } : noun, secret_key);
  } else if (secret_key && row->key.n == shape_sealed.n && shape_has(row->key, "msealed")) {
    good = shape_mark_line(out, row, secret_key);
  } else {
    good = shape_table_line(out, row);
  }
  if (!good) {
    out->n = begun;
    svc_line_c(out, "{\"class\":\"raw\",\"key\":");
    svc_line_base64(out, row->key);
    svc_line_c(out, ",\"value\":");
    svc_line_base64(out, row->value);
  }
  svc_line_c(out, "}\n");
  return out->rc;
}

int svc_shape_line(svc_line *out, const svc_row *row, const unsigned char *secret_key)
{
  return shape_line(out, row, (svc_str){ NULL, 0 }, secret_key);
}

static bool shape_class_row(const svc_members *m, svc_line *key, svc_line *value)
{
  svc_str class = { NULL, 0 };
  size_t i;
  if (!svc_member(m, "class", &class) || class.n < 2) return false;
  class = (svc_str){ class.p + 1, class.n - 2 };
  for (i = 0; i < SHAPE_CLASSES; i++) {
    const shape_class *c = &shape_classes[i];
    key->n = value->n = 0;
    if (!shape_is(class, c->name)) continue;
    svc_line_c(key, c->prefix);
    if (shape_bytes(key, c->key, m) && shape_bytes(value, c->value, m)) return true;
  }
  return false;
}

static bool shape_raw_row(const svc_members *m, svc_line *key, svc_line *value)
{
  svc_str k, v;
  return svc_member(m, "key", &k) && svc_member(m, "value", &v) && svc_line_from_base64(key, k) && svc_line_from_base64(value, v);
}

/* Whether an export would write this row as exactly this line. */
static int shape_compare(svc_str line, const svc_members *m, const svc_row *row, const unsigned char *secret_key)
{
  svc_line again = { 0 };
  svc_str noun = { "", 0 };
  int rc;
  if (svc_member(m, "noun", &noun) && noun.n > 2) noun = (svc_str){ noun.p + 1, noun.n - 2 };
  rc = shape_line(&again, row, noun, secret_key);
  if (rc == SVC_OK && (again.n != line.n + 1 || memcmp(again.p, line.p, line.n) != 0)) rc = SVC_INVALID;
  svc_line_free(&again);
  return rc;
}

int svc_shape_row(svc_str line, svc_line *key, svc_line *value, const unsigned char *secret_key)
{
  svc_members m;
  bool good;
  key->n = value->n = 0;
  if (!svc_members_read(line, &m)) return SVC_INVALID;
  if (svc_member_is(&m, "class", "\"entity\"") || svc_member_is(&m, "class", "\"gone\"")) good = svc_entity_row(&m, key, value, secret_key);
  else if (svc_member_is(&m, "class", "\"raw\"")) good = shape_raw_row(&m, key, value);
  else if (secret_key && svc_member_is(&m, "class", "\"secretKey\"")) good = shape_mark_row(&m, key, value, secret_key);
  else good = shape_class_row(&m, key, value);
  if (key->rc != SVC_OK || value->rc != SVC_OK) return key->rc != SVC_OK ? key->rc : value->rc;
  /* other keys belong to the port */
  if (!good || !key->n || !key->p[0] || (unsigned char)key->p[0] == 0xFF || key->n > SVC_KEY_MOST) return SVC_INVALID;
  return shape_compare(line, &m, &(svc_row){ { key->p, key->n }, { value->n ? value->p : "", value->n } }, secret_key);
}
