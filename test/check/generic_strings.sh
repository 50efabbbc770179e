#!/bin/sh
# The pipeline names no noun by symbol (generic.sh), and none by a string either. No string in base, store, pipeline,
# api.c, open.c and host.c equals a name of the catalog, or contains one in quotes or braces: a noun, its links and parameters, a field, a
# role, an event type. Names that belong to a noun are in its table.
. test/check/common

A=amalgamation

# Words that those layers use for their own purposes: FILE WORD..., "*" for all files.
cat >build/check/generic_allowed <<'WORDS'
* id links results totalCount content status pageNum itemsPerPage includeCount
errors.c badRequestDetail description detail error errorCode field fields parameters reason
respond.c error error_description
event.c apiKeyId created delegatePrincipal eventTypeName groupId isGlobalAdmin orgId publicKey remoteAddress userId username
request.c host
digest.c algorithm cnonce nonce opaque qop realm response uri username
simulator.c from known list simulated until value
driver_schema.c action components description failed groupId most name order orgId reason resource resourceId secrets state type value vendor version what
order_outcome.c reason state
order_hand.c reason
change.h reason
plan.c groupId orgId
table.h groupId orgId
openapi.c additionalProperties allOf apiKey array binary boolean components default deprecated description digest enum errorCode example format headers http in info integer items maximum maxItems maxLength minimum minItems minLength name number object oneOf openapi parameters path paths pattern properties query readOnly reason requestBody required responses schema schemas scheme scopes security securitySchemes servers serviceAccount string tags title type uniqueItems url version writeOnly
openapi_schema.c date default description number type
api.c errorCode reason
open.c db vendor aws azure gcp
dialect.c fields values vendor
WORDS
# event.c: the members of an event, which the pipeline writes with every change. digest.c, request.c: words and names of HTTP headers.
# plan.c: builds without projects or organizations still need the names of their ids.
# pageNum and similar ones: parameters of every list, also used by one operation that is not a list.
# table.h: the rows of these ids, which most entities have. simulator.c: answers to requests for a figure, a log or a list.
# driver_schema.c: the words of JSON Schema, and the members of the lines between svcd and a driver.
# order_outcome.c, order_hand.c, change.h: a driver's report of a failed order, and the members of svc_notification. open.c: members of svc_config. dialect.c: the members of a dialect.
# errorCode: a member of every error. openapi.c, openapi_schema.c: the words of OpenAPI, and the names of its security schemes.

{ # the names of the catalog, one per line
  sed -n 's/^  X(\([A-Z0-9_]*\), \([A-Z0-9_]*\),.*/\1\2/p' $A/catalog/event_type_list.h
  sed -n 's/^  X(\([A-Z0-9_]*\),.*/\1/p' $A/catalog/role_list.h
  find $A/catalog -name '*.[ch]' | sort | xargs awk '
    /^SVC_PRIVATE const svc_noun svc_noun_/ { noun = 1 }
    /^};/ { noun = 0 }
    noun && /^  \.(name|rel|kind|param) = "/ { text = $0; sub(/^[^"]*"/, "", text); sub(/".*/, "", text); print text }
    {
      rest = $0
      while (match(rest, /(^|[^A-Z_])F_[A-Z0-9]+\("[^"]*"|\{ \.name = "[^"]*", \.type/)) {
        text = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
        sub(/^[^"]*"/, "", text); sub(/".*/, "", text); print text
      }
    }'
} | sort -u >build/check/generic_words
[ "$(wc -l <build/check/generic_words)" -gt 1200 ] || fail "too few words were found in the catalog: this check would find nothing"

# error_list.h is not checked: its last column names parameters as clients read them. Nor is bootstrap.c: it sends requests, as a host does.
# shellcheck disable=SC2016,SC2046
awk '
FILENAME ~ /generic_allowed$/ { for (i = 2; i <= NF; i++) allowed[$1, $i] = 1; next }
FILENAME ~ /generic_words$/ { word[$0] = 1; next }
FNR == 1 { comment = 0; file = FILENAME; sub(/.*\//, "", file) }
/^[ \t]*#[ \t]*include/ { next }
{
  rest = $0
  while (rest != "") {
    if (comment) {
      end = index(rest, "*/")
      if (!end) break
      rest = substr(rest, end + 2); comment = 0
    }
    if (!match(rest, /"([^"\\]|\\.)*"|\/\*|\047([^\047\\]|\\.)*\047/)) break
    text = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
    if (text == "/*") comment = 1
    else if (substr(text, 1, 1) == "\"") look(substr(text, 2, length(text) - 2))
  }
}
function look(text,   part, n, i) {                      # the whole string, and its parts in quotes or braces
  judge(text)
  n = split(text, part, /\\"|[{}\047]/)
  for (i = 2; i < n; i++) judge(part[i])
}
function judge(text) {
  strings++
  if (!(text in word) || ("*", text) in allowed || (file, text) in allowed) return
  print FILENAME ":" FNR ": \"" text "\" is what the catalog calls something"; bad = 1
}
END { if (strings < 1000) { print "only " strings + 0 " strings found: this check would find nothing"; bad = 1 }; exit bad }
' build/check/generic_allowed build/check/generic_words \
  $(find $A/base $A/store $A/pipeline $A/api.c $A/open.c $A/host.c -name '*.[ch]' | grep -v '/error_list\.h$' | sort) >build/check/generic_strings ||
  fail "$(cat build/check/generic_strings)"
