/* IP addresses and ranges: each has one canonical form, and invalid ones are refused. */
#include "catalog/catalog.h"
#include "test.h"

TEST(address, forms)
{
  static const struct {
    const char *text, *form; /* form NULL: invalid */
  } rows[] = {
    { "192.0.2.1", "192.0.2.1" },
    { "0.0.0.0/0", "0.0.0.0/0" },
    { "192.0.2.255/25", "192.0.2.128/25" },
    { "::ffff:192.0.2.1", "192.0.2.1" },
    { "::ffff:c000:201", "192.0.2.1" },
    { "::ffff:0:0/90", "::ffc0:0:0/90" },
    { "::", "::" },
    { "::1", "::1" },
    { "1::", "1::" },
    { "::/0", "::/0" },
    { "2001:DB8:0:0:1:0:0:Ff", "2001:db8::1:0:0:ff" },
    { "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8" },
    { "1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8" },
    { "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304" },
    { "2001:db8::ffff/33", "2001:db8::/33" },
    { "1.2.3.-", NULL }, { "1.2.3.-4", NULL }, { "1.2.3.04", NULL }, { "1.2.3.256", NULL }, { "1.2.3.1000", NULL }, { "1.2.3", NULL },
    { "1.2.3.4.", NULL }, { "1.2.3.4.5", NULL }, { "1.2.3.x", NULL }, { "", NULL },
    { "12345::", NULL }, { "::12345", NULL }, { "g::", NULL }, { "::G", NULL }, { "::/", NULL }, { "::@", NULL }, { "::-", NULL }, { "::`", NULL },
    { "1:2:3:4:5:6:7", NULL }, { "1:2:3:4:5:6:7:8:9", NULL }, { "1:2:3:4:5:6:7:", NULL }, { ":1:2:3:4:5:6:7", NULL },
    { "1:2:3:4:5:6:7:1.2.3.4", NULL }, { "1:2:3:4:5:6:1.2.3.x", NULL }, { "1:2:3:4:5:6:7:8:1.2.3.4", NULL },
    { "1:2:3:4::5:6:7:8", NULL }, { "1::2::3", NULL }, { "1:::2", NULL },
    { "1.2.3.4/33", NULL }, { "1.2.3.4/-1", NULL }, { "1.2.3.4/-0", NULL }, { "1.2.3.4/08", NULL }, { "1.2.3.4/1234", NULL },
    { "1.2.3.4/x", NULL }, { "::/129", NULL },
  };
  svc_arena arena;
  size_t i;
  svc_arena_init(&arena, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_address address;
    bool good = svc_address_parse(svc_str_c(rows[i].text), &address);
    svc_str form = good ? svc_address_text(&arena, &address) : SVC_S("none");
    if (!svc_str_is(form, rows[i].form ? rows[i].form : "none")) munit_errorf("%s: " SVC_FMT, rows[i].text, SVC_ARG(form));
    munit_assert_true(svc_str_is(svc_address_spell(&arena, svc_str_c(rows[i].text)), rows[i].form ? rows[i].form : rows[i].text));
  }
  svc_blocks_free(arena.blocks);
}

TEST(address, within)
{
  static const struct {
    const char *one, *range;
    bool within;
  } rows[] = {
    { "192.0.2.1", "192.0.2.0/24", true }, { "192.0.3.1", "192.0.2.0/24", false }, { "192.0.2.200", "192.0.2.128/25", true },
    { "192.0.2.100", "192.0.2.128/25", false }, { "192.0.2.0/24", "192.0.2.0/25", false }, { "192.0.2.1", "0.0.0.0/0", true },
    { "192.0.2.1", "::/0", false }, { "::1", "::/0", true }, { "::/8", "::/0", true }, { "::1", "0.0.0.0/0", false },
    { "2001:db8::1", "2001:db8::/32", true }, { "2001:db9::1", "2001:db8::/32", false }, { "::1:2:3", "::/1", true },
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_address one, range;
    munit_assert_true(svc_address_parse(svc_str_c(rows[i].one), &one));
    munit_assert_true(svc_address_parse(svc_str_c(rows[i].range), &range));
    if (svc_address_within(&one, &range) != rows[i].within) munit_errorf("%s in %s", rows[i].one, rows[i].range);
  }
}
