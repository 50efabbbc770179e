# big-endian: builds a smoke program for s390x and mips and runs it under qemu
#
# s390x is big-endian with 64 bits, mips with 32. test/check/foreign.c opens stores, sends requests, moves the clock, checks, opens again and
# takes snapshots on both and on this machine. Snapshots and stores of the other byte order or word size must be refused, with the way out in
# the log; a snapshot of the same byte order must load. Installs the cross compilers and qemu when root.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

smoke() { # ARCH CC MBEDTLS EMULATOR ARG...: compiles svcapi.c and the program for ARCH and runs it; the store is in $T/ARCH
  arch=$1; compiler=$2; mbed=$3; emulator=$4; shift 4
  # shellcheck disable=SC2086
  $compiler -std=gnu11 -O2 -w -I. $INCLUDES -o "$T/$arch.program" test/check/foreign.c svcapi.c $D/mdb.c $D/midl.c $D/frozen.c $D/tinycthread.c \
    "$mbed/library/libmbedx509.a" "$mbed/library/libmbedcrypto.a" -pthread || die "$compiler does not compile the smoke program"
  # shellcheck disable=SC2086
  if timeout 600 $emulator "$T/$arch.program" "$T/$arch" "$T/$arch.snapshot" "$@" >"$T/$arch.log" 2>&1; then
    passed=$((passed + 1)); say "big-endian: $arch: ok: $(cat "$T/$arch.log")"
  else failed=$((failed + 1)); say "big-endian: $arch: FAILED: $(cat "$T/$arch.log")"; fi
}

verb() {
  TOOLS='s390x-linux-gnu-gcc mips-linux-gnu-gcc qemu-s390x qemu-mips'
  deps $LIBRARY
  fold
  T=build/big-endian
  rm -rf $T; mkdir -p $T
  for target in s390x mips; do mbedtls "$D/mbedtls-$target" "$target-linux-gnu-gcc" "$target-linux-gnu-ar"; done
  smoke little "$CC" $D/mbedtls ''
  smoke s390x 's390x-linux-gnu-gcc -static' $D/mbedtls-s390x qemu-s390x refuse $T/little.snapshot closed $T/little
  smoke mips 'mips-linux-gnu-gcc -static' $D/mbedtls-mips qemu-mips refuse $T/little.snapshot closed $T/little accept $T/s390x.snapshot closed $T/s390x
  smoke again "$CC" $D/mbedtls '' accept $T/little.snapshot refuse $T/s390x.snapshot refuse $T/mips.snapshot closed $T/s390x closed $T/mips
  summary
}
