/*
** Small parsers of text; the first byte of an input selects one. A parsed value can be written, and parses again to the same
** value. Addresses are also compared with the C library.
*/
#include "fuzz.h"

#include <arpa/inet.h>

static void text_date(svc_arena *a, svc_str text)
{
  int64_t ms, again, months;
  unsigned day;
  char out[30];
  (void)a;
  if (svc_date_parse(text, &ms)) {
    svc_date_text(ms, out);
    if (!svc_date_parse(svc_str_c(out), &again)) fuzz_die("a written date cannot be parsed");
    /* only seconds are written, and only years from 0 to 9999, which a time zone can exceed */
    if (ms - again >= 0 && ms - again < 1000) svc_http_date(ms, out);
    else if (ms >= -62167219200000 && ms < 253402300800000) fuzz_die("a date that was written is another");
    svc_months_on(ms, 1);
  }
  if (svc_day_parse(text, &day)) {
    svc_date_text(svc_day_ms(day), out);
    if (memcmp(out, text.p, 10) != 0) fuzz_die("a day that was written is another");
  }
  if (svc_duration_parse(text, &months, &ms) && (months < 0 || ms < 0)) fuzz_die("a duration that goes back");
}

static void text_address(svc_arena *a, svc_str text)
{
  svc_address one, again;
  unsigned char four[4], six[16];
  char c_text[64];
  bool is = svc_address_parse(text, &one);
  if (is) {
    svc_str out = svc_address_text(a, &one);
    if (!svc_address_parse(out, &again) || memcmp(&one, &again, sizeof one) != 0) fuzz_die("an address that was written is another");
    if (!svc_address_within(&one, &one)) fuzz_die("an address that is not within itself");
  }
  if (text.n == 0 || text.n >= sizeof c_text || memchr(text.p, '/', text.n) || memchr(text.p, 0, text.n)) return;
  memcpy(c_text, text.p, text.n);
  c_text[text.n] = 0;
  if (inet_pton(AF_INET, c_text, four) == 1) {
    if (!is || memcmp(one.b + 12, four, 4) != 0) fuzz_die("IPv4 that the C library reads otherwise");
  } else if (inet_pton(AF_INET6, c_text, six) == 1) {
    if (!is || memcmp(one.b, six, 16) != 0) fuzz_die("IPv6 that the C library reads otherwise");
  } else if (is) {
    fuzz_die("an address that the C library refuses");
  }
  if (is != svc_format_check(SVC_FORMAT_IP, text)) fuzz_die("an address of two opinions");
}

/* A pattern, a newline, and the text to match. */
static void text_pattern(svc_arena *a, svc_str text)
{
  svc_str rest = text, pattern = svc_str_cut(&rest, '\n');
  const char *p = svc_arena_copy(a, pattern).p;
  bool matches = svc_pattern_match(p, rest);
  if (matches && !svc_pattern_valid(p)) fuzz_die("what is no pattern matches something");
  if (matches && !svc_utf8_valid(rest)) fuzz_die("what is no text matches something");
}

static void text_uri(svc_arena *a, svc_str text)
{
  svc_buf b = svc_buf_new(a, 64);
  svc_str plain, again;
  if (svc_percent_decode(a, text, false, &plain)) {
    svc_percent_encode(&b, plain);
    if (!svc_percent_decode(a, svc_buf_done(&b), false, &again) || !svc_str_eq(plain, again)) fuzz_die("encoded, it is something else");
  }
  svc_percent_decode(a, text, true, &plain);
}

static void text_base64(svc_arena *a, svc_str text)
{
  svc_str bytes, again;
  if (!svc_base64_decode(a, text, &bytes)) return;
  if (!svc_base64_decode(a, svc_base64_padded(a, bytes), &again) || !svc_str_eq(bytes, again)) fuzz_die("encoded, it is something else");
  svc_base64(a, bytes);
}

static void text_id(svc_arena *a, svc_str text)
{
  svc_id id, again;
  int64_t number;
  if (svc_id_parse(text, &id) && (!svc_id_parse(svc_id_str(a, &id), &again) || !svc_id_eq(&id, &again))) fuzz_die("an id is another");
  if (svc_str_i64(text, &number)) {
    svc_buf b = svc_buf_new(a, 32);
    int64_t same;
    svc_buf_i64(&b, number);
    if (!svc_str_i64(svc_buf_done(&b), &same) || same != number) fuzz_die("a number is another");
  }
}

static void text_format(svc_arena *a, svc_str text)
{
  int format;
  svc_address address;
  (void)a;
  for (format = SVC_FORMAT_NONE; format <= SVC_FORMAT_DOMAIN; format++)
    if (svc_format_check(format, text) && !svc_format_name(format)) fuzz_die("a format without a name");
  if (svc_format_check(SVC_FORMAT_IP_OR_CIDR, text) && !svc_address_parse(text, &address)) fuzz_die("a range that cannot be read");
}

/* Escapes text as JSON, and reads it back. */
static void text_escape(svc_arena *a, svc_str text)
{
  svc_buf b = svc_buf_new(a, 64);
  svc_json_fault fault;
  svc_node *node;
  svc_str out;
  if (!svc_utf8_valid(text) || memchr(text.p, 0, text.n)) return;
  if (svc_utf8_length(text) > text.n) fuzz_die("more characters than bytes");
  svc_json_escape(&b, text);
  out = svc_buf_done(&b);
  if (!svc_json_gate(a, out, 4, &fault)) fuzz_die("what was escaped is no JSON");
  node = svc_json_parse_gated(a, out);
  if (!node || !svc_str_eq(node->text, text)) fuzz_die("escaped, it is something else");
}

int svc_fuzz_text(const uint8_t *data, size_t size)
{
  static void (*const readers[])(svc_arena *a, svc_str text) = { text_date, text_address, text_pattern, text_uri, text_base64, text_id,
                                                                 text_format, text_escape };
  svc_arena a;
  char *own;
  if (size == 0) return 0;
  own = malloc(size); /* the block ends where the text ends */
  if (!own) fuzz_die("no memory");
  memcpy(own, data, size);
  svc_arena_init(&a, NULL);
  readers[(unsigned)(data[0] - '0') % (sizeof readers / sizeof readers[0])](&a, (svc_str){ own + 1, size - 1 });
  svc_blocks_free(a.blocks);
  free(own);
  return 0;
}
