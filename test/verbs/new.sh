# new AREA/NOUN: generates a noun that compiles and passes, with its test, and registers its operations
#
# Writes amalgamation/catalog/AREA/NOUN.c, a resource of projects with id, groupId and name, and its list, create, read, update and
# delete; test/catalog/NOUN_test.c, whose test passes; the five operations in test/catalog/operations_own.h, because the public catalog
# does not have them; rows in docs/coverage.md; and docs/index.md. Then the verb folds, which updates svcapi.c, the list of nouns in svcapi.h and the lists of
# the nouns' errors and events.
#
# AREA is a folder of amalgamation/catalog. NOUN is singular snake case: a-z, 0-9 and _. Example: ./build.sh new network/dns_zone, then
# ./build.sh test dns_zone. Edit the files as you need; amalgamation/README.md, "Adding a resource", explains what a noun can have.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

new_capital() { printf '%s\n' "$1" | awk -F _ '{ for (i = 1; i <= NF; i++) printf "%s", toupper(substr($i, 1, 1)) substr($i, 2) }'; } # dns_zone: DnsZone

new_plural() { # the plural of the last word
  case $1 in
    *[!aeiou]y) echo "${1%y}ies" ;;
    *s|*x|*z|*ch|*sh) echo "$1es" ;;
    *) echo "$1s" ;;
  esac
}

new_kind() { # four characters that no other noun has: the first letters of the name, or three of them and a digit
  letters=$(printf '%sxxxx' "$1" | tr -d _)
  short=$(printf '%.3s' "$letters")
  for kind in "$(printf '%.4s' "$letters")" "$short"0 "$short"1 "$short"2 "$short"3 "$short"4 "$short"5 "$short"6 "$short"7 "$short"8 "$short"9; do
    grep -rqF "\"$kind\"" amalgamation --include='*.[ch]' || { echo "$kind"; return 0; }
  done
  die "no four characters are free for a kind of $1: choose another name"
}

new_free() { # checks that nothing of this name exists yet
  for f in amalgamation/catalog/*/"$noun.c" amalgamation/catalog/"$noun.c" test/*/"${noun}_test.c"; do
    [ ! -e "$f" ] || die "$f exists already: choose another name than '$noun', or edit that file"
  done
  hit=$(grep -rlwE "${noun}_(fields|object|routes)|$upper|${upper}_MOST" amalgamation ports --include='*.[ch]' | head -n 1)
  [ -z "$hit" ] || die "$hit has names that begin with ${noun}_ or $upper, and all parts are folded into one file: choose another name"
  ! sed -n 's/^  X(\([A-Z0-9_]*\), \([A-Z0-9_]*\),.*/\1\2/p' amalgamation/catalog/*event*_list.h | grep -qxE "${upper}_(CREATED|UPDATED|DELETED)" ||
    die "there are types of events that begin with ${upper}_ already: choose another name than '$noun'"
  ! grep -qE "^  X\(${upper}_NOT_FOUND," amalgamation/*/*error_list.h || die "there is an error ${upper}_NOT_FOUND already: choose another name than '$noun'"
  hit=$(grep -rlF -e "\"/groups/{groupId}/$paths\"" -e "\"$title\"" amalgamation | head -n 1)
  [ -z "$hit" ] || die "$hit has the path /groups/{groupId}/$paths or an object $title already: choose another name than '$noun'"
}

new_noun() {
  cat <<NOUN
/*
** $(new_plural "$title"): say here what a $words is, and draw its states if it has any.
*/
#include "catalog/catalog.h"

#define ${upper}_MOST 100

SVC_ERROR(${upper}_NOT_FOUND, 404, "No $words with id {0} exists in project {1}.", "${camel}Id,groupId");
SVC_EVENT(${upper}_CREATED, SVC_EVENT_GROUP, false, "The $words was created.");
SVC_EVENT(${upper}_UPDATED, SVC_EVENT_GROUP, false, "The $words was updated.");
SVC_EVENT(${upper}_DELETED, SVC_EVENT_GROUP, false, "The $words was deleted.");

static const svc_field ${noun}_fields[] = {
  F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 64)
};
static const svc_object ${noun}_object = { .name = "$title", .fields = SVC_ROWS(${noun}_fields) };

#define $upper "/groups/{groupId}/$paths", SVC_SET_PROJECTS, (20250312), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route ${noun}_routes[] = {
  R_GET($upper, "", .flags = SVC_PAGED, .op = "listGroup$titles", .run = svc_verb_list),
  R_POST($upper, "", .status = 201, .op = "createGroup$title", .run = svc_verb_create, .example = "{\"name\":\"first\"}"),
  R_GET($upper, "/{${camel}Id}", .op = "getGroup$title", .run = svc_verb_read),
  R_PATCH($upper, "/{${camel}Id}", .op = "updateGroup$title", .run = svc_verb_update),
  R_DELETE($upper, "/{${camel}Id}", .status = 204, .op = "deleteGroup$title", .run = svc_verb_delete)
};

SVC_PRIVATE const svc_noun svc_noun_$noun = {
  .name = "$words",
  .rel = "$camel",
  .kind = "$kind",
  .parent = "project",
  .param = "${camel}Id",
  .object = &${noun}_object,
  .err_not_found = SVC_E_${upper}_NOT_FOUND,
  .most = ${upper}_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "${upper}_CREATED",
  .event_updated = "${upper}_UPDATED",
  .event_deleted = "${upper}_DELETED",
  .routes = SVC_ROUTES(${noun}_routes),
};
NOUN
}

new_test() {
  cat <<TEST
/*
** $(new_plural "$title"): made, listed, read, changed and deleted.
*/
#include "support.h"

#define AT "/groups/%s/$paths"

TEST_SERVICE($noun, life)
{
  const char *group, *id;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "POST", "{}", AT, group), ==, 400);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"first\"}", AT, group), ==, 201);
  munit_assert_string_equal(t_str(t, "groupId"), group);
  id = t_keep(t, t_str(t, "id"));
  munit_assert_int(t_sendf(t, "GET", NULL, AT, group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), id);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"second\"}", AT "/%s", group, id), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, AT "/%s", group, id), ==, 200);
  munit_assert_string_equal(t_str(t, "name"), "second");
  munit_assert_int(t_sendf(t, "DELETE", NULL, AT "/%s", group, id), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, AT "/%s", group, id), ==, 404);
  munit_assert_string_equal(t_error(t), "${upper}_NOT_FOUND");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=${upper}_CREATED&eventType=${upper}_DELETED", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
}
TEST
}

new_operations() { # a line each: method, path, name, role, status; sorted as docs/coverage.md is
  at="/groups/{groupId}/$paths"
  printf '%s\n' "GET $at listGroup$titles GROUP_READ_ONLY 200" "POST $at createGroup$title GROUP_OWNER 201" \
    "DELETE $at/{${camel}Id} deleteGroup$title GROUP_OWNER 204" "GET $at/{${camel}Id} getGroup$title GROUP_READ_ONLY 200" \
    "PATCH $at/{${camel}Id} updateGroup$title GROUP_OWNER 200"
}

NEW_SET='Projects, project invitations, project limits and settings' # the name of SVC_SET_PROJECTS

new_inserted() { # FILE: prints it, with build/new.rows inserted above the line that marks the place
  awk -v rows=build/new.rows '
    /build\.sh new adds rows above this line/ { while ((getline row < rows) > 0) print row; found = 1 }
    { print }
    END { exit !found }' "$1" || die "$1 has no line 'build.sh new adds rows above this line'"
}

new_register() { # the operations, as our own, into build/new.operations
  new_operations | awk -v set="$NEW_SET" '
    { printf "  { \"%s\", \"%s\", \"%s\", \"%s\", \"GROUP\", 1200, 500, \"20250312\", \"%s\", %s },\n", $1, $2, $3, set, $4, $5 }' >build/new.rows
  new_inserted test/catalog/operations_own.h >build/new.operations
}

new_document() { # docs/coverage.md with the new rows, into build/new.md: in the section of the set, sorted by path and method, and counted
  new_operations | awk -v noun="$noun" '{ printf "| %s | `%s %s` | %s | 2025-03-12 |  | %s |\n", $3, $1, $2, $4, noun }' >build/new.rows
  awk -v rows=build/new.rows -v set="## $NEW_SET" '
    function key(row,   part) { split(row, part, "`"); split(part[2], part, " "); return part[2] " " part[1] }
    BEGIN { while ((getline row < rows) > 0) left[++count] = row; n = 1 }
    $0 == set { inside = 1 }
    inside == 2 { while (n <= count && ($0 !~ /^\|/ || key(left[n]) < key($0))) print left[n++] }
    inside == 2 && !/^\|/ { inside = 3 }
    inside == 1 && /^\|---/ { inside = 2 }
    /^[0-9]+ operations\.$/ { print $1 + count " operations."; next }
    { print }
    END { exit n <= count }' docs/coverage.md >build/new.md || die "docs/coverage.md has no section '$NEW_SET'"
}

new_call="new takes AREA/NOUN, ./build.sh new network/dns_zone for example"
new_area() { # the folder must exist: otherwise a misspelled area would create a new one
  case $area in *[!a-z0-9_]*) die "the area '$area' is not a folder name of a-z, 0-9 and _; $new_call" ;; esac
  [ -d "amalgamation/catalog/$area" ] ||
    die "no area '$area'$(find amalgamation/catalog -mindepth 1 -maxdepth 1 -type d | sed 's,.*/,,' | near "$area"): the areas are the folders of amalgamation/catalog"
}

verb() {
  [ $# = 1 ] || die "$new_call"
  area=${1%%/*}; noun=${1#*/}
  case $1 in ?*/?*) ;; *) die "$new_call, not '$1'" ;; esac
  case $noun in [!a-z]*|*[!a-z0-9_]*|*_|*__*) die "the noun '$noun' is not snake case, a-z, 0-9 and single _ that begin with a letter; $new_call" ;; esac
  [ ${#noun} -le 40 ] || die "the noun '$noun' is longer than 40 characters"
  new_area
  title=$(new_capital "$noun"); upper=$(echo "$noun" | tr '[:lower:]' '[:upper:]'); words=$(echo "$noun" | tr _ ' ')
  camel=$(printf '%s' "$title" | awk '{ print tolower(substr($0, 1, 1)) substr($0, 2) }')
  titles=$(new_plural "$title"); paths=$(new_plural "$camel")
  new_free
  kind=$(new_kind "$noun")
  need awk sha256sum
  mkdir -p build
  new_register; new_document # first, because they may fail; then nothing has been written
  new_noun >"amalgamation/catalog/$area/$noun.c"
  new_test >"test/catalog/${noun}_test.c"
  cat build/new.operations >test/catalog/operations_own.h
  cat build/new.md >docs/coverage.md
  rm -f build/new.operations build/new.md build/new.rows
  index
  fold
  say "new: amalgamation/catalog/$area/$noun.c, test/catalog/${noun}_test.c; registered in" \
    "test/catalog/operations_own.h, docs/coverage.md and docs/index.md"
  say "next: ./build.sh test $noun"
}
