#!/bin/sh
# Layers call downwards, checked by symbol: a function that an object of one layer needs is defined in that layer or below. Includes show less,
# because one header declares the functions of several files. Areas of the catalog depend on each other in one direction, by symbol and by include,
# as listed in the table of areas in amalgamation/README.md. A listed dependence that no longer exists is an error, too.
. test/check/common

tool nm
A=amalgamation
O=build/test/obj
T=build/check/layers
mkdir -p $T

{ parts | cut -d' ' -f1; echo ports/memory.c; } >$T/parts # folded only on request
[ "$(wc -l <$T/parts)" -gt 200 ] || fail "too few parts were found: this check would find nothing"
sed "s,^,$O/,; s,\.c$,.o," $T/parts >$T/objects
echo $O/build/test/registry.o >>$T/objects
while read -r o; do [ -f "$o" ] || fail "$o is missing: ./build.sh check makes it"; done <$T/objects

# D NAME FILE: FILE defines it. U NAME FILE: FILE needs it.
xargs nm -A <$T/objects | sed "s,^$O/,,; s,^build/test/registry\.o,$A/catalog/registry.o," | awk '
  { file = $1; sub(/:.*/, "", file); sub(/\.o$/, ".c", file); name = $NF }
  name !~ /^svc_/ { next }
  $(NF - 1) == "U" { print "U", name, file; next }
  $(NF - 1) ~ /^[A-Z]$/ { print "D", name, file }' | sort -u >$T/symbols
[ "$(wc -l <$T/symbols)" -gt 5000 ] || fail "too few symbols were found: this check would find nothing"

# The functions that the pipeline declares and the catalog defines.
sed -n 's/^SVC_PRIVATE .*[ *]\(svc_[a-z0-9_]*\)(.*/\1/p' $A/pipeline/provided.h | sort -u >$T/provided
[ -s $T/provided ] || fail "pipeline/provided.h declares nothing: this check would find nothing"

# The table of areas: a row each, "| name | those it may use |", from the lowest to the highest.
awk '/^\| area \| may use \|$/ { on = 1; getline; next } !/^\|/ { on = 0 } on' $A/README.md | sed 's/[|,]/ /g' >$T/areas
find $A/catalog -mindepth 1 -maxdepth 1 -type d | sed 's,.*/,,' | sort >$T/folders
awk '{ print $1 }' $T/areas | sort >$T/rows
cmp -s $T/rows $T/folders || fail "the table of areas in $A/README.md and the folders of $A/catalog differ: $(comm -3 $T/rows $T/folders | tr -d '\t' | tr '\n' ' ')"

# I HEADER FILE: FILE includes a header of an area.
find $A/catalog -name '*.[ch]' | sort | xargs grep -H '^#include "catalog/[a-z_]*/' /dev/null |
  sed -n "s,^\([^:]*\):#include \"\(catalog/[^\"]*\)\".*,I $A/\2 \1,p" >$T/includes

awk -v provided=$T/provided -v areas=$T/areas '
function layer(file) {
  if (file ~ /^amalgamation\/base\//) return 1
  if (file ~ /^ports\//) return 2
  if (file ~ /^amalgamation\/store\//) return 3
  if (file ~ /^amalgamation\/pipeline\//) return 4
  if (file ~ /^amalgamation\/catalog\//) return 5
  if (file ~ /^amalgamation\/control\//) return 6
  return 7
}
function area(file) { return sub(/^amalgamation\/catalog\//, "", file) && sub(/\/.*/, "", file) ? file : "" }
function wrong(text) { print text; bad = 1 }
function uses(from, to, what,   a, b) {                  # a file of the catalog uses a symbol or header of an area
  a = area(from); b = area(to)
  if (from ~ /catalog\/registry\.c$/ || b == "" || a == b) return
  needed[a, b] = 1
  if (a == "") wrong(from ", which all areas share, uses " what " of the area " b)
  else if (!((a, b) in may)) wrong(from " uses " what " of the area " b ", which the table in amalgamation/README.md does not allow")
}
BEGIN {
  while ((getline name < provided) > 0) is_provided[name] = 1
  while ((getline line < areas) > 0) {
    n = split(line, word, " ")
    for (i = 2; i <= n; i++) {
      if (!(word[i] in row)) wrong("the table of areas: " word[1] " uses " word[i] ", which is not a row above it")
      may[word[1], word[i]] = 1
    }
    row[word[1]] = 1
  }
}
$1 == "D" { home[$2] = $3; next }
$1 == "U" { needs[++count] = $2; by[count] = $3; next }
$1 == "I" { uses($3, $2, $2) }
END {
  for (i = 1; i <= count; i++) {
    name = needs[i]; from = by[i]
    if (!(name in home)) { wrong(from " needs " name ", which no part defines"); continue }
    to = home[name]
    if (layer(to) > layer(from)) {
      if (layer(from) == 4 && name in is_provided) called[name] = 1
      else wrong(from " calls " name " of " to ", a layer above it")
    }
    if (layer(from) > 5 && name in is_provided) called[name] = 1
    if (layer(from) == 5 && layer(to) == 5) uses(from, to, name)
  }
  for (name in is_provided) {
    if (!(name in home) || layer(home[name]) != 5) wrong("pipeline/provided.h: the catalog does not define " name)
    else if (!(name in called)) wrong("pipeline/provided.h: only the catalog calls " name ", so it belongs into catalog/catalog.h")
  }
  for (pair in may) if (!(pair in needed)) { split(pair, word, SUBSEP); wrong("the table of areas: " word[1] " does not use " word[2] " any more") }
  exit bad
}' $T/symbols $T/includes | sort -u >$T/wrong
[ ! -s $T/wrong ] || fail "$(cat $T/wrong)"
