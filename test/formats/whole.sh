#!/bin/sh
# whole.sh: writes test/formats/whole-0.1.0.gz, a store of version 0.1.0 with one resource of each kind, for earlier_test.c. whole.c is compiled and
# run with the tests of that version, in a separate tree below build. From the repository root, in a clone with its whole history, after
# ./build.sh deps.
set -eu
LC_ALL=C; export LC_ALL
W=$PWD/build/whole
rm -rf "$W"; mkdir -p "$W/tree/build" "$W/store"
git archive 7bcc31c | tar -x -C "$W/tree"
cp -r build/deps "$W/tree/build/deps"
cp test/formats/whole.c "$W/tree/test/catalog/whole_store_test.c"
(cd "$W/tree" && WHOLE=$W/store ./build.sh test whole_store)
cat "$W/store/log" # the requests and their answers
gzip -9nc "$W/store/copy/data.mdb" >test/formats/whole-0.1.0.gz
