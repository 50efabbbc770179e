#!/bin/sh
# What a newcomer copies out of the README works: every block of commands, pasted as it is, in order, twice, on one machine; and
# the C programs that these commands compile. Ports are free ones here, and programs are compiled without optimisation, in the
# time that this takes. The block that installs is left to check/install, which does the same.
. test/check/common

[ -f README.md ] || fail "README.md is missing"
tool curl
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
bare=$(awk '/^```/ { on = !on } !on && /^    / && last == "" { print FNR; exit } { last = $0 }' README.md)
[ -z "$bare" ] || fail "README.md:$bare is an indented block: fence it as sh, text, c or ini, so that this check sees what it is"
T=$PWD/build/check/readme
rm -rf "$T"; mkdir -p "$T/tree/build"
servers=$(mktemp -d /tmp/svc-readme-XXXXXX) # the path of a socket is short
chmod 755 "$servers"
stop() {
  if [ -f "$T/pids" ]; then while read -r pid; do kill "$pid" 2>/dev/null || :; done <"$T/pids"; fi
  for data in "$servers"/servers/*/data; do # servers outlive svcd
    if [ -f "$data/postmaster.pid" ]; then kill -INT "$(head -n 1 "$data/postmaster.pid")" 2>/dev/null || :; fi
  done
  sleep 1; rm -rf "$servers"
}
trap stop EXIT; trap 'exit 1' HUP INT TERM

# ---- a tree as it is after ./build.sh run, with a store of its own
for f in svcapi.h svcapi.c ports examples; do ln -s "$PWD/$f" "$T/tree/$f"; done
for f in deps svcd libsvcapi.so.0 libsvcapi.a; do ln -s "$PWD/build/$f" "$T/tree/build/$f"; done
cat >"$T/tree/build.sh" <<'SH'
#!/bin/sh
# build.sh has a lock on the real tree; what it would build is there
case $1 in run) exec build/svcd --data build/data --show-credentials --listen http://127.0.0.1:8080 --listen https://127.0.0.1:8443 ;; shared) ;; *) exit 9 ;; esac
SH
chmod 755 "$T/tree/build.sh"
readme_c 1 >"$T/tree/app.c"
readme_c 2 >"$T/tree/server.c"
if [ ! -s "$T/tree/app.c" ] || [ ! -s "$T/tree/server.c" ]; then fail "README.md has no two \`\`\`c blocks"; fi

# ---- free ports in place of those that it names
tool python3
ports=$(python3 - <<'P'
import socket
s = [socket.socket() for _ in range(4)]
for x in s: x.bind(("127.0.0.1", 0))
print(*(x.getsockname()[1] for x in s))
P
)
set -- $ports
here="s,127.0.0.1:8080,127.0.0.1:$1,g; s,127.0.0.1:8443,127.0.0.1:$2,g; s,127.0.0.1:8081,127.0.0.1:$3,g; s,127.0.0.1:8082,127.0.0.1:$4,g
  s,/tmp/servers,$servers/servers,g; s, -O[2s] , -O0 -w ,; s,^\( *\)cc ,\1$CC ,; s,\(.*\) &\$,\1 >>svcd.out 2>\&1 \& echo \$! >>$T/pids,"
sed -i "$here" "$T/tree/build.sh"
blocks=$(readme_sh '' | wc -l)
[ "$blocks" -gt 50 ] || fail "README.md has only $blocks lines of commands: this check looks in vain"
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then left=; else left='--driver postgres'; fi

# ---- all of them, twice: what is compiled is compiled once, as the same again takes as long
for round in 1 2; do
  { echo 'set -eu'
    awk -v left="$left" -v round=$round '
      /^```sh$/ { on = 1; block = ""; next }
      /^```$/ { if (on && !index(block, "build.sh install") && !(left != "" && index(block, left)) && !(round == 2 && block ~ /(^|\n)cc /)) printf "%s", block; on = 0; next }
      on { block = block $0 "\n" }' README.md | sed "$here"
  } >"$T/paste$round.sh"
  [ "$(grep -c curl "$T/paste$round.sh")" -ge 10 ] || fail "hardly a curl command was found in README.md: this check looks in vain"
  (cd "$T/tree" && timeout 300 sh "$T/paste$round.sh" >"$T/paste$round.out" 2>&1 </dev/null) ||
    { tail -n 5 "$T/paste$round.out"; fail "what README.md says to paste fails in round $round"; }
  if grep -q '"errorCode":"' "$T/paste$round.out"; then
    fail "what README.md says to paste is refused in round $round: $(grep -o '"errorCode":"[A-Z_]*"' "$T/paste$round.out" | head -n 1)"
  fi
  grep -q '"name":"store"' "$T/paste$round.out" || fail "the project of README.md was not renamed in round $round"
  grep -q 'the store in build/restored is whole' "$T/paste$round.out" || fail "the restored store of README.md is not whole in round $round"
  [ -n "$left" ] || grep -q '^ PostgreSQL ' "$T/paste$round.out" || fail "the database of README.md was not reached in round $round"
done

# ---- the programs that its commands compile: each is a.out, so they are compiled once more with a name
compile() { # WORDS PROGRAM FILE
  readme_sh "$1" | sed "$here; s, $3 , $3 -o $2 ," >"$T/$2.sh"
  grep -q -- "-o $2 " "$T/$2.sh" || fail "README.md has no command that compiles $3 with $1"
  (cd "$T/tree" && sh "$T/$2.sh" >"$T/$2.said" 2>&1) || { head -n 12 "$T/$2.said"; fail "the command of README.md that compiles $3 with $1 fails"; }
  status=0; mkdir -p "$T/dir"; (cd "$T/dir" && timeout 60 "$T/tree/$2" >"$T/$2.out" 2>&1 </dev/null) || status=$?
  [ $status = 0 ] || fail "$2 of README.md ends with status $status: $(tail -n 1 "$T/$2.out")"
}
compile MBEDTLS_CONFIG_FILE small app.c
compile ports/listener/ server server.c
grep -q '^http://127.0.0.1:[0-9]' "$T/server.out" || fail "the example of the listener does not say where it listens"
[ -z "$left" ] || echo "skipped: not installed: postgresql" # one.sh shows this; what could be run was
