#!/bin/sh
# What a newcomer copies out of the README: the examples must compile with the commands that stand beside them, and run; what
# is pasted into a shell must work, also a second time.
. test/check/common

[ -f README.md ] || fail "README.md is missing"
T=build/check/readme
rm -rf $T; mkdir -p $T
readme_c 1 >$T/app.c
readme_c 2 >$T/server.c
if [ ! -s $T/app.c ] || [ ! -s $T/server.c ]; then fail "README.md has no two \`\`\`c blocks"; fi

# ---- compile: the commands as they are, but without optimisation, in the time that this takes
compile() { # WORDS PROGRAM FILE
  readme_sh "$1" | sed "s, -O[2s] , -O0 ,; s, $3 , $T/$3 -o $T/$2 ,; s,^\( *\)cc ,\1$CC -w ," >"$T/$2.sh"
  grep -q -- "-o $T/$2 " "$T/$2.sh" || fail "README.md has no command that compiles $3 with $1"
  sh "$T/$2.sh" >"$T/$2.said" 2>&1 || { head -n 12 "$T/$2.said"; fail "the command of README.md that compiles $3 with $1 fails"; }
}
run() { # PROGRAM: in a folder of its own
  mkdir -p $T/dir
  status=0; (cd $T/dir && timeout 60 ../"$1" >../"$1".out 2>&1 </dev/null) || status=$?
  [ $status = 0 ] || fail "$1 of README.md ends with status $status: $(tail -n 1 $T/"$1".out)"
}
compile build/deps/mbedtls/library/libmbedcrypto.a app app.c
run app
compile MBEDTLS_CONFIG_FILE small app.c
run small
compile ports/listener/ server server.c
run server
grep -q '^http://127.0.0.1:[0-9]' $T/server.out || fail "the example of the listener does not say where it listens"

# ---- paste: with its own port and store; curl says nothing of a status, so the answers are looked at
tool curl
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
build/svcd --data $T/data --listen http://127.0.0.1:0 >$T/svcd.out 2>&1 &
svcd=$!
trap 'kill $svcd 2>/dev/null || :' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do grep -q '^svcd ready on' $T/svcd.out && break; sleep 0.5; done
url=$(sed -n 's/^svcd ready on //p' $T/svcd.out)
[ -n "$url" ] || fail "svcd does not start: $(tail -n 1 $T/svcd.out)"
for words in 'get() {' 'TOKEN=' 'KEY=' 'accessList'; do readme_sh "$words"; done |
  sed "s,http://127.0.0.1:8080,$url,g; s,build/data/,$T/data/,g; s,curl ,curl -sS ,g" >$T/paste.sh
[ "$(grep -c curl $T/paste.sh)" -ge 7 ] || fail "hardly a curl command was found in README.md: this check looks in vain"
# shellcheck disable=SC2016
echo 'curl -H "Authorization: Bearer $TOKEN" "$API/groups/$(get groupId)"' >>$T/paste.sh # who is locked out does not get this
for round in 1 2; do
  sh $T/paste.sh >$T/paste.out 2>&1 || { cat $T/paste.out; fail "what README.md says to paste fails in round $round"; }
  if grep -q '"errorCode"' $T/paste.out; then fail "what README.md says to paste is refused in round $round: $(grep -o '"errorCode":"[A-Z_]*"' $T/paste.out | head -n 1)"; fi
  grep -q '"name":"store"' $T/paste.out || fail "the project of README.md was not renamed in round $round"
done
kill $svcd
wait $svcd || fail "svcd does not end cleanly"
