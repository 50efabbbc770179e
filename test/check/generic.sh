#!/bin/sh
# The pipeline serves every noun and knows none; layers call downwards only. Adding a noun must touch no other file.
. test/check/common

# FOLDERS WHAT PATTERN: no file in them may match
never() {
  # shellcheck disable=SC2086
  hit=$(find $1 -name '*.[ch]' 2>/dev/null | sort | xargs -r grep -nE -- "$3" /dev/null | head -n 1)
  [ -z "$hit" ] || fail "$2: $hit"
}

A=amalgamation
names=$(nouns | tr '\n' '|')
if [ -n "$names" ]; then
  never "$A/base $A/store $A/pipeline $A/api.c $A/internal.h" "names a noun" "(^|[^a-zA-Z0-9_])svc_noun_(${names%|})([^a-zA-Z0-9_]|\$)"
fi
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*'
never "$A/base" "base includes a layer above it" "${include}(store|pipeline|catalog)/"
never "$A/store" "store includes a layer above it" "${include}(pipeline|catalog)/"
never "$A/pipeline" "pipeline includes the catalog" "${include}catalog/"
