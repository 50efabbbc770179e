#!/bin/sh
# svcapi.h must fit into any program: strict C99, C++98 and C++11, as the first and only include, with C linkage.
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
