#!/bin/sh
# Programs that were compiled with an older svcapi.h keep working with the shared library of today, as docs/compatibility.md promises.
#
# test/formats has the header of every release, svcapi-VERSION.h. For each of them: svc_config and svc_statistics have only grown at their end; every function is still
# exported; within a major version all other structs are the same, and between major versions CHANGELOG.md names those that changed. A program
# compiled with the header opens a handle if its major version is that of the library, and is refused in words otherwise.
. test/check/common

version() { sed -n 's/^#define SVC_VERSION_NUMBER \([0-9]*\).*/\1/p' "$1"; }
name() { sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' "$1"; }
is=$(version svcapi.h)
so=build/libsvcapi.so.$((is / 1000000))
T=build/check/abi
GROWS='svc_config|svc_statistics' # structs that grow at their end: programs pass their size, by svc_open() and svc_stats()
rm -rf $T; mkdir -p $T
[ -f "$so" ] || fail "$so is missing: run ./build.sh test"

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
  [ "$(wc -l <"$2.members")" -gt 100 ] || fail "almost no member was found in $1/svcapi.h: this check would compare nothing"
  { printf '#include "svcapi.h"\n#include <stdio.h>\nint main(void)\n{\n'
    awk '{ printf "  printf(\"%s %s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", $1, $2, $1, $2, $1, $2 }
         !seen[$1]++ { printf "  printf(\"%s = %%zu\\n\", sizeof(%s));\n", $1, $1 }' "$2.members"
    printf '  return 0;\n}\n'; } >"$2.c"
  $CC -std=c11 -I"$1" -o "$2.program" "$2.c" || fail "the members of $1/svcapi.h cannot be read"
  "$2.program" | sort >"$2"
}

functions() { # HEADER: the names of its functions
  printf '%s\n' '#define SVC_API EXPORTED' "#include \"$1\"" | $CC -E -P -I. -x c - | grep -oE 'EXPORTED [^;]*' | grep -oE 'svc_[a-z_]+\(' | tr -d '(' | sort -u
}

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
opens() { # FOLDER OUT: what a program that was compiled with the header in FOLDER prints
  $CC -std=c11 -I"$1" -o "$2.run" $T/program.c -Lbuild -lsvcapi -Wl,-rpath,"$PWD/build" || fail "a program of $1/svcapi.h does not link with $so"
  timeout 60 "$2.run" >"$2" || fail "a program of $1/svcapi.h fails with $so"
}

same_version() { # the header of this very version: a struct or a function that is added needs another version
  cmp -s $T/before $T/now || fail "structs differ from $old: $(diff $T/before $T/now | sed -n 2p). Change SVC_VERSION first"
  functions svcapi.h | cmp -s $T/had - || fail "functions differ from $old: change SVC_VERSION first"
}

compare() { # HEADER
  old=$1
  rm -rf $T/old; mkdir $T/old; cp "$old" $T/old/svcapi.h
  was=$(version "$old")
  [ "$was" -le "$is" ] || fail "$old is newer than svcapi.h"
  layout $T/old $T/before
  grep -E "^($GROWS) [^=]" $T/before | comm -23 - $T/now >$T/moved
  [ ! -s $T/moved ] || fail "a struct has changed before its end since $old: $(head -n 1 $T/moved)"

  functions "$old" >$T/had
  [ -s $T/had ] || fail "no function was found in $old: this check would compare nothing"
  comm -23 $T/had $T/has >$T/gone
  [ ! -s $T/gone ] || fail "functions of $old are no longer exported: $(tr '\n' ' ' <$T/gone)"

  comm -23 $T/before $T/now | awk '{ print $1 }' | grep -vxE "$GROWS" | sort -u >$T/changed || :
  opens $T/old $T/said
  if [ $((was / 1000000)) = $((is / 1000000)) ]; then
    [ ! -s $T/changed ] || fail "structs have changed within a major version since $old: $(tr '\n' ' ' <$T/changed)"
    grep -q '^0 $' $T/said || fail "a program of $old is refused: $(cat $T/said)"
    [ "$was" != "$is" ] || same_version
  else
    sed "/^## $(name "$old" | sed 's/\./\\./g')/q" CHANGELOG.md >$T/changes
    while read -r struct; do
      grep -q "\`$struct\` must be recompiled" $T/changes || fail "$struct has changed since $old, and CHANGELOG.md does not say that programs must be recompiled"
    done <$T/changed
    grep -q "^2 .*recompile it for $(name svcapi.h)" $T/said || fail "a program of $old is not refused in words: $(cat $T/said)"
  fi
}

layout . $T/now
nm -D --defined-only "$so" | awk '{ print $NF }' | sort >$T/has
opens . $T/said
grep -q '^0 $' $T/said || fail "a program of today is refused: $(cat $T/said)"
for header in test/formats/svcapi-*.h; do compare "$header"; done
[ -f "test/formats/svcapi-$(name svcapi.h).h" ] || fail "test/formats/svcapi-$(name svcapi.h).h is missing: copy svcapi.h there when its version changes"
