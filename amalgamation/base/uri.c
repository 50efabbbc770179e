/*
** Percent-encoding, strictly: "%" must be followed by two hex digits, and no NUL is accepted, encoded or plain.
*/
#include "base/base.h"

static int uri_hex(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

SVC_PRIVATE bool svc_percent_decode(svc_arena *a, svc_str in, bool plus_is_space, svc_str *out)
{
  size_t i, n = 0;
  char *p;
  *out = in;
  if (memchr(in.p, 0, in.n)) return false; /* C code would see the text end there */
  if (!memchr(in.p, '%', in.n) && !(plus_is_space && memchr(in.p, '+', in.n))) return true;
  p = svc_arena_alloc(a, in.n + 1);
  if (!p) return false;
  for (i = 0; i < in.n; i++) {
    char c = in.p[i];
    if (c == '%') {
      int high = in.n - i > 2 ? uri_hex(in.p[i + 1]) : -1;
      int low = in.n - i > 2 ? uri_hex(in.p[i + 2]) : -1;
      if (high < 0 || low < 0 || (high | low) == 0) return false;
      c = (char)(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    p[n++] = c;
  }
  p[n] = 0;
  *out = (svc_str){ p, n };
  return true;
}

static bool uri_unreserved(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

SVC_PRIVATE void svc_percent_encode(svc_buf *b, svc_str segment)
{
  static const char hex[] = "0123456789ABCDEF";
  size_t i = 0, from;
  while (i < segment.n) {
    for (from = i; i < segment.n && uri_unreserved(segment.p[i]);) i++;
    svc_buf_add(b, segment.p + from, i - from);
    if (i < segment.n) {
      unsigned char c = (unsigned char)segment.p[i++];
      char code[3] = { '%', hex[c >> 4], hex[c & 15] };
      svc_buf_add(b, code, sizeof code);
    }
  }
}
