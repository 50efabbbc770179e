/* gzip: another program unpacks the streams, with sizes at the limits of the blocks. */
#define _GNU_SOURCE /* popen */
#include "catalog/catalog.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

TEST(gzip, known)
{
  /* the gzip stream of "123456789", the usual text for checking a CRC */
  static const unsigned char wanted[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 9, 0, 0xf6, 0xff, '1', '2', '3', '4', '5',
                                          '6', '7', '8', '9', 0x26, 0x39, 0xf4, 0xcb, 9, 0, 0, 0 };
  svc_arena a;
  svc_str out;
  svc_arena_init(&a, NULL);
  out = svc_gzip(&a, SVC_S("123456789"));
  munit_assert_size(out.n, ==, sizeof wanted);
  munit_assert_memory_equal(sizeof wanted, out.p, wanted);
  out = svc_gzip(&a, SVC_S(""));
  munit_assert_size(out.n, ==, 10 + 5 + 8);
  svc_blocks_free(a.blocks);
}

TEST(gzip, unpacked)
{
  static const size_t sizes[] = { 0, 1, 65534, 65535, 65536, 131070, 131071, 400000 };
  char name[] = "/tmp/svc-gzip-XXXXXX", command[64];
  size_t i, k;
  int fd = mkstemp(name);
  munit_assert_int(fd, >=, 0);
  if (system("gzip --version >/dev/null 2>&1") != 0) {
    close(fd);
    unlink(name);
    SKIP_IF(true);
  }
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    char *bytes = munit_malloc(sizes[i] + 1), *back = munit_malloc(sizes[i] + 2);
    svc_arena a;
    svc_str out;
    FILE *pipe;
    svc_arena_init(&a, NULL);
    for (k = 0; k < sizes[i]; k++) bytes[k] = (char)(k * 2654435761u >> 13);
    out = svc_gzip(&a, (svc_str){ bytes, sizes[i] });
    munit_assert_int(ftruncate(fd, 0), ==, 0);
    munit_assert_int64(pwrite(fd, out.p, out.n, 0), ==, (int64_t)out.n);
    snprintf(command, sizeof command, "gzip -dc <%s", name);
    pipe = popen(command, "r");
    munit_assert_size(fread(back, 1, sizes[i] + 2, pipe), ==, sizes[i]);
    munit_assert_int(pclose(pipe), ==, 0);
    munit_assert_memory_equal(sizes[i], bytes, back);
    svc_blocks_free(a.blocks);
    free(bytes);
    free(back);
  }
  close(fd);
  unlink(name);
}
