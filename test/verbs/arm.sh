# arm [NAME]: cross-builds for armhf and arm64 and runs the unit tests under qemu
#
# Builds the test program for both, statically, and runs all suites, or those whose name contains NAME, under qemu. On armhf a misaligned
# access ends a test (-fsanitize=alignment). ./build.sh big-endian covers the other byte order. Leaves svcd and
# libsvcapi.a for either machine in build/arm/armhf and build/arm/arm64, and compares the answers with those of this machine, byte for byte
# (test/check/same.sh). Installs the cross compilers and qemu when root.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

# svcapi.c for a 32-bit board: code, tables and texts stay below 1 MiB at -Os. check/size has the limit for 64 bits.
small_enough() {
  # shellcheck disable=SC2086
  $CC -std=c11 -Os $INCLUDES -c -o build/arm/armhf/size.o svcapi.c && bytes=$(size build/arm/armhf/size.o | awk 'NR == 2 { print $4 }')
  say "arm: svcapi.c at -Os for armhf: ${bytes:-unknown} bytes"
  if [ "${bytes:-0}" -gt 100000 ] && [ "$bytes" -le 1048576 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

verb() {
  TOOLS='arm-linux-gnueabihf-gcc aarch64-linux-gnu-gcc qemu-arm qemu-aarch64'
  for_tests
  SVC_TEST_QEMU=1; export SVC_TEST_QEMU # robust mutexes do not work under qemu: tests of a killed writer check this variable
  for target in armhf:arm-linux-gnueabihf:qemu-arm arm64:aarch64-linux-gnu:qemu-aarch64; do
    arch=${target%%:*}; EMULATOR=${target##*:}; cross=${target#*:}; cross=${cross%:*}
    O=build/arm/$arch; CC=$cross-gcc; AR=$cross-ar; export EMULATOR
    mbedtls "$D/mbedtls-$arch" "$CC" "$AR"
    # a misaligned access traps: such machines tolerate most of them, others none, and C leaves all of them undefined
    case $arch in armhf) aligned='-fsanitize=alignment -fsanitize-undefined-trap-on-error' ;; *) aligned= ;; esac
    split "test objects, $arch" run OPT="-O2 -Werror $aligned" DEP_OPT=-O2 LINK=-static MBED="$D/mbedtls-$arch"
    # shellcheck disable=SC2046
    run_tests "$O" $(suites | grep -F -e "${1:-}")
    # the files for such a machine, from the same sources, with its own C library
    O=$O/out
    for made in lib svcd; do build "$made, $arch" $made OPT='-Os' MBED="$D/mbedtls-$arch" OUT="build/arm/$arch"; done
    say "arm: $arch done; in build/arm/$arch: $(cd "build/arm/$arch" && wc -c svcd libsvcapi.a | awk '{ printf "%s%s %d bytes", (NR > 1 ? ", " : ""), $2, $1 } NR == 2 { exit }')"
    [ $arch != armhf ] || small_enough
  done
  want clang
  if sh test/check/same.sh; then passed=$((passed + 1)); say 'arm: the same answers, byte for byte, as on this machine'
  else failed=$((failed + 1)); fi
  summary
}
