#!/bin/sh
# What svcapi.h says of VERSIONS, tried with the header of the version before, test/formats/svcapi-0.1.0.h: a program that was compiled
# with it meets the shared library of today. svc_config only grew, at its end; no function is gone; another struct that changed is of
# another minor version, and CHANGELOG.md names it; and the library refuses such a program before it reads any of it, in words.
. test/check/common

old=test/formats/svcapi-0.1.0.h
so=build/libsvcapi.so.0
T=build/check/abi
rm -rf $T; mkdir -p $T/old
[ -f $so ] || fail "$so is missing: run ./build.sh test"
cp $old $T/old/svcapi.h

# members HEADER: a line for each member of each struct, "STRUCT MEMBER"
members() {
  $CC -E -P -x c "$1" | awk '
    /^typedef struct svc_[a-z_]+ \{/ { inside = 1; body = ""; next }
    inside && /^\}/ {
      of = $2; sub(/;/, "", of)
      n = split(body, decls, ";")
      for (i = 1; i < n; i++) {
        d = decls[i]
        if (match(d, /\(\*[a-z_0-9]+\)/)) { print of, substr(d, RSTART + 2, RLENGTH - 3); continue }
        k = split(d, names, ",")
        for (j = 1; j <= k; j++) { sub(/\[.*/, "", names[j]); if (match(names[j], /[a-z_0-9]+ *$/)) { m = substr(names[j], RSTART); gsub(/ /, "", m); print of, m } }
      }
      inside = 0; next
    }
    inside { body = body " " $0 }'
}

layout() { # FOLDER OUT: "STRUCT MEMBER OFFSET SIZE" of the header in it, and "STRUCT = SIZE"
  members "$1/svcapi.h" >"$2.members"
  { printf '#include "svcapi.h"\n#include <stdio.h>\nint main(void)\n{\n'
    awk '{ printf "  printf(\"%s %s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", $1, $2, $1, $2, $1, $2 }
         !seen[$1]++ { printf "  printf(\"%s = %%zu\\n\", sizeof(%s));\n", $1, $1 }' "$2.members"
    printf '  return 0;\n}\n'; } >"$2.c"
  $CC -std=c11 -I"$1" -o "$2.program" "$2.c" || fail "the members of $1/svcapi.h are not read as they should be"
  "$2.program" | sort >"$2"
}
layout $T/old $T/before
layout . $T/now
[ "$(wc -l <$T/before.members)" -gt 100 ] || fail "hardly a member was found in $old: this check looks in vain"

version() { sed -n 's/^#define SVC_VERSION_NUMBER \([0-9]*\).*/\1/p' "$1"; }
was=$(version $old); is=$(version svcapi.h)
[ "$is" -gt "$was" ] || fail "svcapi.h is not newer than $old"

# svc_config grows at its end, and nowhere else
grep '^svc_config [^=]' $T/before | comm -23 - $T/now >$T/moved
[ ! -s $T/moved ] || fail "svc_config does not only grow at its end: $(head -n 1 $T/moved)"

# the others stay within a minor version; in another one a change is written down
comm -23 $T/before $T/now | awk '$1 != "svc_config" { print $1 }' | sort -u >$T/changed
if [ $((was / 1000)) = $((is / 1000)) ]; then
  [ ! -s $T/changed ] || fail "structs are not what they were in the same minor version: $(tr '\n' ' ' <$T/changed)"
else
  sed "/^## 0\.1\.0/q" CHANGELOG.md >$T/changes
  while read -r name; do
    grep -q "\`$name\` must be recompiled" $T/changes || fail "$name has changed since $old, and CHANGELOG.md does not say that programs must be recompiled"
  done <$T/changed
fi

# no function is gone
names() { printf '%s\n' '#define SVC_API EXPORTED' "#include \"$1\"" | $CC -E -P -I. -x c - | grep -oE 'EXPORTED [^;]*' | grep -oE 'svc_[a-z_]+\(' | tr -d '(' | sort -u; }
names $old >$T/had
nm -D --defined-only $so | awk '{ print $NF }' | sort >$T/has
comm -23 $T/had $T/has >$T/gone
[ -s $T/had ] || fail "no function found in $old: this check looks in vain"
[ ! -s $T/gone ] || fail "functions are gone: $(tr '\n' ' ' <$T/gone)"

# a program of then with the library of today
cat >$T/program.c <<'C'
#include "svcapi.h"
#include <stdio.h>
#include <string.h>
static char said[512];
static void hear(void *context, int level, const char *text) { (void)context, (void)level; snprintf(said, sizeof said, "%s", text); }
int main(void)
{
  svc_config config;
  svc *s = NULL;
  int rc;
  memset(&config, 0, sizeof config);
  config.log = hear;
  rc = svc_open(&s, &config);
  printf("%d %s\n", rc, said);
  if (rc == SVC_OK) svc_close(s);
  return 0;
}
C
for which in before now; do
  case $which in before) folder=$T/old ;; *) folder=. ;; esac
  $CC -std=c11 -I$folder -o $T/$which.run $T/program.c -Lbuild -lsvcapi -Wl,-rpath,"$PWD/build" || fail "a program does not link with $so"
  timeout 60 $T/$which.run >$T/$which.said || fail "a program of $which ends badly with $so"
done
grep -q '^0 $' $T/now.said || fail "a program of today is refused: $(cat $T/now.said)"
if [ $((was / 1000)) = $((is / 1000)) ]; then grep -q '^0 ' $T/before.said || fail "a program of the same minor version is refused: $(cat $T/before.said)"
else
  grep -q '^2 ..*version\|^2 ..*compiled' $T/before.said || fail "a program of another minor version is not refused in words: $(cat $T/before.said)"
fi
