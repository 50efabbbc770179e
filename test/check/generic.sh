#!/bin/sh
# The pipeline serves every noun and names none; layers call downwards only. Adding a noun changes no other file.
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
  never "$A/base $A/store $A/pipeline $A/control $A/api.c $A/open.c $A/bootstrap.c $A/host.c $A/flat.c" "names a noun" "(^|[^a-zA-Z0-9_])svc_noun_(${names%|})([^a-zA-Z0-9_]|\$)"
fi
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*'
never "$A/base" "base includes a layer above it" "${include}(ports|store|pipeline|catalog)/"
never "ports/ports.h ports/store_port.h ports/limiter_port.h" "ports include a layer above them" "${include}(store|pipeline|catalog)/"
never "$A/store" "store includes a layer above it" "${include}(pipeline|catalog)/"
never "$A/base $A/store $A/pipeline" "includes test control, which is above it" "${include}control/"
never "$A/catalog" "a noun touches the answer itself: pipeline/answer.h has functions for that" 'c->answer([^a-z_]|$)'
never "$A/catalog" "a noun asks whether there is a driver, which only the pipeline looks at" 'svc_order_has_taker|config\.driver'
never "$A/pipeline $A/control $A/api.c $A/open.c $A/bootstrap.c $A/host.c $A/flat.c" "pipeline includes the catalog" "${include}catalog/"

# The listener must not be folded, because mongoose's license forbids it, and uses only the public interface. A store or a
# limiter includes its port only.
hit=$(grep -nE 'mongoose\.h|svc_http_scan|svc_listener' svcapi.c | head -n 1)
[ -z "$hit" ] || fail "svcapi.c holds a part of the listener: $hit"
parts | cut -d' ' -f1 >build/check/generic.parts
listener=$(find ports -name '*.[ch]' | grep -vxF -f build/check/generic.parts | grep -vxE 'ports/(ports\.h|(store|limiter)_port\.h|(memory|postgres|redis|store_copy)\.[ch]|(postgres|redis)/[a-z]*\.h|transfer/[a-z_]*\.[ch])')
never "$listener" "the listener uses private parts" "${include}(ports\.h|(store|limiter)_port\.h|base/|store/|pipeline/|catalog/)"
never "ports/postgres.c ports/postgres.h ports/postgres ports/redis.c ports/redis.h ports/redis ports/store_copy.c ports/store_copy.h ports/transfer" "a store or a limiter uses more than its port" "${include}(ports/ports\.h|base/|store/|pipeline/|catalog/)"
# Only one file includes mongoose.h,
never "$(printf '%s\n' "$listener" | grep -vx ports/mongoose.c)" "a part of the listener includes mongoose.h, which is for ports/mongoose.c" '#[[:space:]]*include[[:space:]]*[<"]mongoose\.h'
# and the HTTP reader uses no sockets
never "ports/http_reader.c ports/http_reader.h" "the HTTP reader includes what it must not know" '#[[:space:]]*include[[:space:]]*<(mongoose|sys/|netinet/|arpa/|pthread|unistd)'
