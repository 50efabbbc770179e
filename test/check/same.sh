#!/bin/sh
# The same bytes with every compiler and processor: one seeded scenario (same.c) is compiled with gcc and clang, without
# and with optimization, and for ARM if ./build.sh arm has installed the tools. All programs print the same answers.
. test/check/common

tool clang
T=build/check/same
rm -rf $T; mkdir -p $T

scenario() { # NAME COMPILER-AND-FLAGS MBEDTLS [EMULATOR]: compiles and runs it; the output is in $T/NAME
  # shellcheck disable=SC2086
  $2 -std=gnu11 -w $INCLUDES -I. -o "$T/$1.program" test/check/same.c svcapi.c build/deps/mdb.c build/deps/midl.c build/deps/frozen.c \
    build/deps/tinycthread.c "$3/library/libmbedx509.a" "$3/library/libmbedcrypto.a" -pthread || fail "$2 does not compile the scenario"
  # shellcheck disable=SC2086
  timeout 300 ${4:-} "$T/$1.program" >"$T/$1" || fail "the scenario fails, compiled by $2"
}
same() { # NAME OTHER
  cmp -s "$T/$1" "$T/$2" || fail "$1 and $2 answer differently: $(cmp -l "$T/$1" "$T/$2" | wc -l) bytes; first: $(diff "$T/$1" "$T/$2" | head -n 5 | cut -c1-300)"
}

scenario gcc 'gcc -O2' build/deps/mbedtls & first=$!
scenario clang 'clang -O0' build/deps/mbedtls & second=$!
wait $first || exit 1
wait $second || exit 1
same gcc clang
left=
for target in armhf:arm-linux-gnueabihf:qemu-arm arm64:aarch64-linux-gnu:qemu-aarch64; do
  arch=${target%%:*}; emulator=${target##*:}; cross=${target#*:}; cross=${cross%:*}
  if command -v "$cross-gcc" >/dev/null 2>&1 && command -v "$emulator" >/dev/null 2>&1 && [ -f "build/deps/mbedtls-$arch/library/libmbedcrypto.a" ]; then
    scenario "$arch" "$cross-gcc -O1 -static" "build/deps/mbedtls-$arch" "$emulator"
    same gcc "$arch"
  else left="$left $arch"; fi
done
[ -z "$left" ] || echo "skipped: what ./build.sh arm installs and builds is missing:$left" # one.sh shows this
