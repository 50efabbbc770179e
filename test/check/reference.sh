#!/bin/sh
# Every operation, parameter and resource of the OpenAPI document has a description, and nearly every field. Each text of the catalog's
# files reference.txt appears somewhere, and is plain English. The packed texts and the pages in docs/reference match the
# files. A listener built without the texts contains none of them, and neither does svcapi.c.
. test/check/common
tool python3

for n in 1 2; do sh ports/listener/reference.sh --out build/check/reference$n.c || exit 1; done
cmp -s build/check/reference1.c build/check/reference2.c || fail "ports/listener/reference.sh is not deterministic"
cmp -s build/check/reference1.c ports/listener/reference_texts.c ||
  fail "ports/listener/reference_texts.c is not what the files reference.txt say: run ./build.sh fold"
LC_ALL=C sed -n 's/^  { "\([^"]*\)", .*/\1/p' ports/listener/reference_texts.c | LC_ALL=C sort -c || fail "the packed texts are not sorted"

if [ -e .git ]; then
  tool git
  case $(git -c safe.directory="$PWD" check-attr merge ports/listener/reference_texts.c) in
    *': binary') ;;
    *) fail ".gitattributes needs the line 'ports/listener/reference_texts.c merge=binary linguist-generated'" ;;
  esac
fi

python3 test/reference.py --check || fail "the reference of the API is incomplete"

# the listener serves the document that svcd prints
rm -f build/check/reference.out # removes the line of an earlier run, because this svcd has another port
url=http://reference.test
build/svcd --memory --base-url $url --listen http://127.0.0.1:0 --bootstrap build/check/reference.credentials >build/check/reference.out 2>build/check/reference.log & pid=$!
trap 'kill $pid 2>/dev/null || :; rm -f build/check/reference.credentials' EXIT
at=
for _ in $(waits); do at=$(sed -n 's/^svcd ready on //p' build/check/reference.out); [ -z "$at" ] || break; sleep 0.05; done
[ -n "$at" ] || fail "svcd does not start: $(cat build/check/reference.log)"
tool curl
curl -fsS -o build/check/reference.served "$at/openapi.json" || fail "GET /openapi.json fails"
build/svcd openapi --base-url $url | head -c -1 | cmp -s - build/check/reference.served || fail "GET /openapi.json and svcd openapi differ"
kill $pid; wait $pid || fail "svcd ends with status $?"

# an invalid file is refused, with file and line
T=build/check/reference
rm -rf $T; mkdir -p $T/ports/listener $T/package $T/amalgamation/catalog/a
cp ports/listener/reference.sh $T/ports/listener/; cp package/generate.sh $T/package/
try() { # WORDS LINE...: these lines are refused with this error
  wanted=$1; shift
  printf '%s\n' "$@" >$T/amalgamation/catalog/a/reference.txt
  if said=$(sh $T/ports/listener/reference.sh 2>&1 >/dev/null); then fail "reference.sh accepts: $*"; fi
  case $said in *"$wanted"*) ;; *) fail "reference.sh says '$said', without '$wanted'" ;; esac
}
echo 'field *.id: Id of it.' >$T/amalgamation/catalog/reference.txt
try 'a/reference.txt:2: a line is' '# good' 'operation createThing Makes one.'
try 'a/reference.txt:1: a line is' 'operations createThing: Makes one.'
try 'a/reference.txt:1: "*.id" has a text already, in reference.txt:1' 'field *.id: Another.'
try 'a/reference.txt:1: a field is' 'field id: The id.'
try 'a/reference.txt:1: a backtick' 'operation createThing: Makes `one.'
# shellcheck disable=SC2016
echo 'field A,B.name: Said "so", \ and why??' >$T/amalgamation/catalog/a/reference.txt
sh $T/ports/listener/reference.sh >$T/good || fail "reference.sh refuses what is good"
grep -qF '{ "f B.name", "Said \"so\", \\ and why?\?" },' $T/good || fail "reference.sh does not escape: $(cat $T/good)"

for f in reference reference_texts; do
  # shellcheck disable=SC2086
  $CC $STRICT -Os -fno-asynchronous-unwind-tables -DSVC_LISTENER_NO_REFERENCE $INCLUDES -I. -c -o build/check/$f.o ports/listener/$f.c ||
    fail "ports/listener/$f.c does not compile with -DSVC_LISTENER_NO_REFERENCE"
done
left=$(size build/check/reference.o build/check/reference_texts.o | awk 'NR > 1 { n += $4 } END { print n }')
[ "$left" -le 64 ] || fail "with -DSVC_LISTENER_NO_REFERENCE there are still $left bytes of it"
text=$(sed -n 's/^operation createCluster: \([^`]*\)\..*/\1/p' amalgamation/catalog/deployment/reference.txt)
[ -n "$text" ] || fail "createCluster has no text: this check would find nothing"
! grep -qF "$text" svcapi.c || fail "svcapi.c has descriptions in it"
