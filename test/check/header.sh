#!/bin/sh
# svcapi.h compiles in any program: strict C99, C++98 and C++11, as the first and only include, with C linkage. Its examples
# compile, too.
. test/check/common

tool g++
source='#include "svcapi.h"
const char *(*use_version)(void);
void use(void);
void use(void) { use_version = svc_version; }'
all='-pedantic -Wall -Wextra -Werror -I. -o - -S'
# shellcheck disable=SC2086
printf '%s\n' "$source" | $CC -std=c99 $all -x c - >/dev/null || fail "svcapi.h does not compile as strict C99"
for std in c++98 c++11; do
  # shellcheck disable=SC2086
  printf '%s\n' "$source" | g++ -std=$std $all -x c++ - >build/check/header.s || fail "svcapi.h does not compile as $std"
  grep -qw svc_version build/check/header.s || fail "svcapi.h gives its functions no C linkage in C++: extern \"C\" is missing"
done

# The examples in its comments compile: indented blocks that begin with a C statement, each in its own function.
awk '
  /^\*\*   (svc_[a-z_]+ |if \(|while \(|rc = )/ && !inside { inside = 1; printf "int example_%d(svc *s, const void *next);\nint example_%d(svc *s, const void *next)\n{\n  int rc = 0;\n  (void)s, (void)next;\n  {\n", ++n, n }
  inside && /^\*\*   / { print substr($0, 3); next }
  inside { inside = 0; print "  }\n  return rc;\n}" }
  END { print "enum { examples = " n + 0 " };" }' svcapi.h >build/check/header_examples.txt
{ printf '#include "svcapi.h"\n#include <stdio.h>\n'; cat build/check/header_examples.txt; } >build/check/header_examples.c
[ "$(grep -c '^int example_[0-9]*(.*)$' build/check/header_examples.c)" -ge 6 ] || fail "too few examples were found in svcapi.h"
$CC -std=c99 -pedantic -Wall -Wextra -Werror -I. -c -o build/check/header_examples.o build/check/header_examples.c || fail "an example of svcapi.h does not compile"
