#!/bin/sh
# docs/operations.md matches the virtual day: each of its blocks of commands has a name, and test/day/day.sh runs it by that name. Every alert has a
# paragraph, every setting of its file is a flag of svcd, and every flag in the text exists.
. test/check/common

P=docs/operations.md
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
mkdir -p build/check/operations
sed -n 's/^```sh *//p' $P >build/check/operations/blocks
[ -s build/check/operations/blocks ] || fail "$P has no commands"
sort build/check/operations/blocks | uniq -d | grep . && fail "$P: two blocks have this name"
while read -r name; do
  [ -n "$name" ] || fail "$P: a block of commands has no name behind \`\`\`sh"
  grep -qE "(page|begin) $name\b" test/day/day.sh || fail "$P: test/day/day.sh does not run the block $name"
done <build/check/operations/blocks
sed -n 's/^ *- alert: //p' package/prometheus/alerts.yml >build/check/operations/alerts
while read -r alert; do grep -qx "### $alert" $P || fail "$P: nothing about the alert $alert"; done <build/check/operations/alerts
sed -n 's/^### //p' $P | grep -vxF -f build/check/operations/alerts && fail "$P: package/prometheus/alerts.yml has no such alert"
build/svcd help all >build/check/operations/help
sed -n '/^```conf$/,/^```$/s/^\([a-z-]*\).*/--\1/p' $P >build/check/operations/flags
grep -oE -e '--[a-z][a-z-]+' $P >>build/check/operations/flags
sort -u build/check/operations/flags | while read -r flag; do
  grep -q -e "^  $flag\b" build/check/operations/help && continue
  case $flag in --value|--network|--rm|--pull|--) continue ;; esac # flags of systemctl and docker
  fail "$P: svcd has no $flag"
done
