#!/bin/sh
# make.sh [NUMBER]...: writes test/formats/NUMBER.gz, a store of each format, with the last commit that wrote it, and for format 3 also
# 3-roles.gz, whose credentials have roles on projects. A file is made once and then kept. Run this script for a new format, and to verify that the old versions still write
# the same bytes. From the repository root, in a clone with its whole history, after ./build.sh lib.
set -eu
LC_ALL=C; export LC_ALL
D=build/deps; M=$D/mbedtls/library
W=build/formats; mkdir -p $W

# NUMBER COMMIT, the commit of its header; 5 is the format of 0.1.0, which is still current
formats='1 d6590f6
2 4110c67
3 147f33f
4 da4f30c
5 7bcc31c'

echo "$formats" | while read -r number commit; do
  case " $* " in '  '|*" $number "*) ;; *) continue ;; esac
  rm -rf "$W/$number"; mkdir -p "$W/$number"
  git show "$commit:svcapi.h" >"$W/$number/svcapi.h"
  git show "$commit:svcapi.c" >"$W/$number/svcapi.c"
  gcc -std=gnu11 -w -O0 -I"$W/$number" -isystem $D -isystem $D/mbedtls/include -DMBEDTLS_THREADING_C -DMBEDTLS_THREADING_PTHREAD \
    -o "$W/$number/make" test/formats/make.c "$W/$number/svcapi.c" $D/mdb.c $D/midl.c $D/frozen.c $D/tinycthread.c \
    $M/libmbedtls.a $M/libmbedx509.a $M/libmbedcrypto.a -pthread
  echo "format $number, by $commit"
  "$W/$number/make" "$W/$number/store" "$W/$number/copy"
  gzip -9nc "$W/$number/copy/data.mdb" >"test/formats/$number.gz"
  [ "$number" = 3 ] || continue
  "$W/$number/make" "$W/$number/store-roles" "$W/$number/copy-roles" roles
  gzip -9nc "$W/$number/copy-roles/data.mdb" >"test/formats/$number-roles.gz"
done
