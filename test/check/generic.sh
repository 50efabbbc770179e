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
names=$(parts | awk 'NF == 3 { print $2 }' | tr '\n' '|')
if [ -n "$names" ]; then
  never "$A/base $A/store $A/pipeline $A/api.c $A/internal.h" "names a noun" "(^|[^a-zA-Z0-9_])svc_noun_(${names%|})([^a-zA-Z0-9_]|\$)"
fi
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*'
never "$A/base" "base includes a layer above it" "${include}(store|pipeline|catalog)/"
never "$A/store" "store includes a layer above it" "${include}(pipeline|catalog)/"
never "$A/pipeline" "pipeline includes the catalog" "${include}catalog/"

# The listener is not ours to fold, mongoose's licence forbids it; and it uses what everyone can use.
hit=$(grep -nE 'mongoose\.h|svc_http_scan|svc_listener' svcapi.c | head -n 1)
[ -z "$hit" ] || fail "svcapi.c holds a part of the listener: $hit"
parts | cut -d' ' -f1 >build/check/generic.parts
listener=$(find ports -name '*.[ch]' | grep -vxF -f build/check/generic.parts)
never "$listener" "the listener uses private parts" "${include}(internal\.h|base/|store/|pipeline/|catalog/)"
# and its reader knows no sockets
never "ports/http_reader.c ports/http_reader.h" "the HTTP reader includes what it must not know" '#[[:space:]]*include[[:space:]]*<(mongoose|sys/|netinet/|arpa/|pthread|unistd)'
