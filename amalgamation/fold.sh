#!/bin/sh
# fold.sh: folds the parts into one C file: embedders prefer two files to copy, readers prefer many small ones.
#
#   fold.sh [--with memory] [--out FILE]  the whole library (default: standard output); optionally with the in-memory store
#   fold.sh --registry FILE     only the list of nouns, as a separate C file, for builds that compile the parts one by one
#   fold.sh --header [FILE]     svcapi.h with the current names of the nouns
#   fold.sh --parts             the parts in order, one per line: the file, and for a noun its name and its guard
#   fold.sh --errors            catalog/noun_error_list.h: the codes that nouns define with SVC_ERROR()
#   fold.sh --events            catalog/noun_event_list.h: the event types that nouns define with SVC_EVENT()
#
# The rules: the same parts give the same bytes (no date, host or absolute path); a part keeps its line numbers
# (an include of a private header becomes an empty line; the header itself is inserted before the first part that includes
# it); an unknown private header is an error; every noun has its own #ifndef SVC_OMIT_<NOUN>, test control has
# #ifndef SVC_OMIT_TEST_CONTROL, and LMDB has #ifndef SVC_OMIT_LMDB.
set -eu
LC_ALL=C; export LC_ALL
die() { echo "fold: $*" >&2; exit 1; }

out=-; what=library; with=
case ${1:-}:${2:-} in --with:memory) with=memory; shift 2 ;; --with:*) die "--with takes memory, not '${2:-}'" ;; esac
case $#:${1:-} in
  0:) ;;
  2:--out) out=$2 ;;
  2:--registry) what=registry; out=$2 ;;
  1:--header) what=header ;;
  2:--header) what=header; out=$2 ;;
  1:--parts) what=parts ;;
  1:--errors) what=errors ;;
  1:--events) what=events ;;
  *) die "usage: fold.sh [[--with memory] --out FILE | --registry FILE | --header [FILE] | --parts | --errors | --events]" ;;
esac
case $out in -|/*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/.."
[ -f amalgamation/base/base.h ] || die "amalgamation/base/base.h is missing"

tmp=$(mktemp "${TMPDIR:-/tmp}/fold.XXXXXX")
trap 'rm -f "$tmp" "$tmp".*' EXIT; trap 'exit 1' HUP INT TERM

# The order of the layers; inside a folder, the order of the names. A glob without a match is dropped.
# The listener is left out: mongoose has another license, and the library opens no sockets. The store and the limiter that
# need further libraries are also left out, so that programs without them do not need these libraries.
apart=' ports/mongoose.c ports/http_reader.c ports/postgres.c ports/redis.c ports/store_copy.c '
[ "$with" = memory ] || apart="$apart ports/memory.c "
list() { for f in "$@"; do case $apart in *" $f "*) continue ;; esac; if [ -f "$f" ]; then echo "$f"; fi; done; }
before=$(list amalgamation/base/*.c ports/*.c amalgamation/store/*.c amalgamation/pipeline/*.c amalgamation/catalog/*.c)
areas=$(list amalgamation/catalog/*/*.c)
control=$(list amalgamation/control/*.c) # test control: the layer above all nouns, with its own guard
after=$(list amalgamation/*.c)
headers=$({ find amalgamation -name '*.h'; list ports/ports.h ports/limiter_port.h ports/store_port.h; } | sort)

# In the folder of an area, a file X.c that defines svc_noun_X is a noun: one line each, with its file, name and guard. Any
# other file is a helper of nouns: it comes before them, has no guard, and must not define a noun of another name.
# shellcheck disable=SC2086
grep -noE '^[A-Za-z_][A-Za-z0-9_ ]* svc_noun_[A-Za-z0-9_]+ *=' $areas /dev/null | sed 's/ *=$//' | awk '
  { at = $0; sub(/:[^:]*$/, "", at); file = at; sub(/:.*/, "", file); noun = $NF; sub(/^svc_noun_/, "", noun)
    stem = file; sub(/.*\//, "", stem); sub(/\.c$/, "", stem) }
  stem !~ /^[a-z][a-z0-9_]*$/ { wrong(file ": a noun file is named with a-z, 0-9 and _") }
  noun != stem { wrong(at ": svc_noun_" noun " belongs into a file " noun ".c") }
  stem in found { wrong(file " and " found[stem] " are the same noun") }
  { found[stem] = file; print file, stem, "SVC_OMIT_" toupper(stem) }
  function wrong(what) { print "fold: " what > "/dev/stderr"; exit 1 }' >"$tmp.nouns"
nouns=$(cut -d' ' -f1 "$tmp.nouns")
helpers=$(for f in $areas; do grep -q "^$f " "$tmp.nouns" || echo "$f"; done)

# MACRO: prints the arguments of each use in the files of the areas, in the order of files; continuation lines are joined
stated() {
  # shellcheck disable=SC2086
  awk -v macro="$1(" '
    FNR == 1 && open != "" { print "fold: " file ": " macro "...) has no end" > "/dev/stderr"; bad = 1; exit 1 }
    open == "" && index($0, macro) == 1 { open = substr($0, length(macro) + 1); file = FILENAME; look(); next }
    open != "" { line = $0; sub(/^[ \t]+/, "", line); open = open " " line; look() }
    END { if (open != "" && !bad) { print "fold: " file ": " macro "...) has no end" > "/dev/stderr"; exit 1 } }
    function look() { if (open ~ /\);[ \t]*$/) { sub(/\);[ \t]*$/, "", open); print open; open = "" } }' $areas /dev/null
}

list_of() { # GUARD WHAT NAME MACRO PREFIX: prints a header with the list of uses, each as X(...)
  printf '%s\n' '/*' "** $2 that nouns have of their own. GENERATED by amalgamation/fold.sh from $4() in their files: do not edit." '*/' \
    "#ifndef $1" "#define $1" ''
  stated "$4" >"$tmp.stated" || exit 1
  if [ -s "$tmp.stated" ]; then printf '#define %s(X) \\\n' "$3"; sed "s/.*/  X($5&) \\\\/; \$s/ \\\\\$//" "$tmp.stated"; else echo "#define $3(X)"; fi
  printf '%s\n' '' "#endif /* $1 */"
}
errors() { list_of SVC_NOUN_ERROR_LIST_H 'Errors' SVC_NOUN_ERROR_LIST SVC_ERROR ''; }
events() { list_of SVC_NOUN_EVENT_LIST_H 'Types of events' SVC_NOUN_EVENT_LIST SVC_EVENT ', '; }

registry() { # NAME: prints the nouns as one table
  printf '%s\n' "SVC_PRIVATE const svc_noun *const *$1(size_t *count)" '{' \
    '  static const svc_noun *const nouns[] = {'
  while read -r _ stem guard; do printf '#ifndef %s\n    &svc_noun_%s,\n#endif\n' "$guard" "$stem"; done <"$tmp.nouns"
  printf '%s\n' '    NULL' '  };' '  *count = sizeof nouns / sizeof nouns[0] - 1;' '  return nouns;' '}'
}

# -DSVC_OMIT=CLUSTER+EVENT. The preprocessor cannot list the defined macros, so a misspelled switch per noun would go unnoticed. In a
# sum, an unknown name fails to compile (the enum constant). For each name, the generated code then defines that name alone as 1, tests
# the sum, and undefines the name: an undefined name counts as 0 in #if.
omit() {
  names="$(sed 's/.* SVC_OMIT_//' "$tmp.nouns") TEST_CONTROL LMDB"
  echo '#ifdef SVC_OMIT /* svcapi.h says what it is, and lists the names */'
  for n in $names; do echo "#define $n 0"; done
  printf '%s\n' '#if SVC_OMIT' '#error "SVC_OMIT is a sum of names: -DSVC_OMIT=CLUSTER+EVENT"' '#endif' \
    'enum { svc_omit_knows_all_names = SVC_OMIT };'
  for n in $names; do echo "#undef $n"; done
  for n in $names; do printf '%s\n' "#define $n 1" '#if SVC_OMIT' "#define SVC_OMIT_$n 1" '#endif' "#undef $n"; done
  echo '#endif /* SVC_OMIT */'
}

header() {
  { sed 's/.* SVC_OMIT_//' "$tmp.nouns"; echo TEST_CONTROL; echo LMDB; } | sort | awk '
    { line = line == "" ? "**   " $0 : length(line " " $0) > 116 ? put(line) "**   " $0 : line " " $0 }
    END { print line }
    function put(text) { print text; return "" }' >"$tmp.names"
  awk -v names="$tmp.names" '
    /^\*\* The names, written by / { print; while ((getline line < names) > 0) print line; skip = found = 1; next }
    skip && /^\*\*   / { next }
    { skip = 0; print }
    END { if (!found) { print "fold: svcapi.h has no line \"** The names, written by ...\"" > "/dev/stderr"; exit 1 } }' svcapi.h
}

registry_file() {
  printf '%s\n' '/* GENERATED by amalgamation/fold.sh --registry: do not edit. */' '#include "pipeline/pipeline.h"'
  while read -r _ stem _; do echo "extern const svc_noun svc_noun_$stem;"; done <"$tmp.nouns"
  echo 'const svc_noun *const *svc_catalog_all(size_t *count);'
  registry svc_catalog_all
  # weak: tests add nouns of their own
  printf '%s\n' '__attribute__((weak)) const svc_noun *const *svc_catalog(size_t *count)' '{' '  return svc_catalog_all(count);' '}'
}

# shellcheck disable=SC2016
inline='
function here(path, line) { print "#ifdef SVC_LINES"; print "#line " line " \"" path "\""; print "#endif" }
function is_file(path,   line, r) { r = (getline line < path); close(path); return r >= 0 }
function find(from, name,   dir) {                      # returns the file of a quoted include, "" if not found
  dir = from; sub(/[^\/]*$/, "", dir)
  if (name == "svcapi.h") return name
  if (name ~ /\.\./ || name !~ /\.h$/) return ""
  if (is_file(dir name)) return dir name
  if (is_file("amalgamation/" name)) return "amalgamation/" name
  if (name ~ /^ports\// && is_file(name)) return name
  return ""
}
function included(from, line, n,   name, path) {        # line is a quoted include: returns its file
  name = line; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
  path = find(from, name)
  if (path == "") { printf "fold: %s:%d: no private header \"%s\"\n", from, n, name > "/dev/stderr"; exit 1 }
  return path
}
function header(path,   line, n, sub_path) {            # prints a private header once, with the headers that it includes in place
  seen[path] = 1
  print "/* ---- begin " path " ---- */"; here(path, 1)
  while ((getline line < path) > 0) {
    n++
    if (line !~ quoted) { print line; continue }
    sub_path = included(path, line, n)
    if (sub_path in seen) print ""
    else if (sub_path == "svcapi.h") { seen[sub_path] = 1; print "#include \"svcapi.h\"" }
    else { header(sub_path); here(path, n + 1) }
  }
  close(path); print "/* ---- end " path " ---- */"
}
function part(path, guard,   line, n, sub_path) {       # first the headers that no earlier part included, then its own lines
  while ((getline line < path) > 0) {
    n++
    if (line !~ quoted) continue
    sub_path = included(path, line, n)
    if (!(sub_path in seen)) header(sub_path)
  }
  close(path)
  print "/* ---- begin " path " ---- */"
  if (guard != "") print "#ifndef " guard
  here(path, 1)
  while ((getline line < path) > 0) print (line ~ quoted ? "" : line)
  if (guard != "") print "#endif /* " guard " */"
  print "/* ---- end " path " ---- */"
}
BEGIN { quoted = "^[ \t]*#[ \t]*include[ \t]*\"" }
$1 == "header" { header($2) }
$1 == "part" { part($2, $3) }
$1 == "registry" { here("amalgamation/fold.sh", 1); while ((getline line < registry) > 0) print line }
'

library() {
  version=$(sed -n 's/^# *define  *SVC_VERSION  *"\([^"]*\)".*/\1/p' svcapi.h 2>/dev/null || :)
  [ -n "$version" ] || die 'svcapi.h has no #define SVC_VERSION "x.y.z"'
  [ -f amalgamation/api.c ] || die "amalgamation/api.c is missing"
  # shellcheck disable=SC2086
  hash=$({ printf '%s\n' $headers $before $helpers $nouns $control $after; cat $headers $before $helpers $nouns $control $after; } | sha256sum | cut -d' ' -f1)
  registry svc_catalog >"$tmp.registry"
  {
    for f in $before $helpers; do case $f in ports/lmdb*) echo "part $f SVC_OMIT_LMDB" ;; *) echo "part $f" ;; esac; done
    while read -r f _ guard; do echo "part $f $guard"; done <"$tmp.nouns"
    echo registry
    for f in $control; do echo "part $f SVC_OMIT_TEST_CONTROL"; done
    for f in $after; do echo "part $f"; done
  } >"$tmp.list"
  printf '%s\n' '/* GENERATED by ./build.sh fold: do not edit; edit amalgamation/ and ports/ and fold again.' ' *' \
    " * svcapi $version: all parts of the library in one file. Its public face is svcapi.h." \
    " * SHA-256 of the parts: $hash" ' */'
  omit
  awk -v registry="$tmp.registry" "$inline" "$tmp.list"
}

parts() {
  for f in $before $helpers; do echo "$f"; done
  cat "$tmp.nouns"
  for f in $control $after; do echo "$f"; done
}

case $what in library) library ;; registry) registry_file ;; header) header ;; parts) parts ;; errors) errors ;; events) events ;; esac >"$tmp"
if [ "$out" = - ]; then cat "$tmp"; else cat "$tmp" >"$out" || die "cannot write $out"; fi
