#!/bin/sh
# svcapi.h has the version; every other place that names it names the same one: the first section of CHANGELOG.md, the examples of README.md and
# docs, the action, the issue template and the name of the shared library.
. test/check/common

version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
major=${version%%.*}
number=$(sed -n 's/^#define SVC_VERSION_NUMBER \([0-9]*\).*/\1/p' svcapi.h)
[ "$number" = "$(echo "$version" | awk -F. '{ print $1 * 1000000 + $2 * 1000 + $3 }')" ] || fail "SVC_VERSION_NUMBER is $number, and SVC_VERSION is $version"
released=$(grep '^## ' CHANGELOG.md | grep -v '^## Unreleased$' | head -n 1) # changes since the last release stand before it
case $released in "## $version "*) ;; *) fail "the first section of CHANGELOG.md, apart from Unreleased, is not $version: $released" ;; esac

names() { # FILE PATTERN: each match of the pattern, which is for a version, is this version
  grep -oE "$2" "$1" >build/check/version || fail "$1 names no version any more: $2"
  ! grep -vF "$version" build/check/version || fail "$1 names another version than $version"
}
V='[0-9]+\.[0-9]+\.[0-9]+'
names README.md "svcapi-$V"
names docs/javascript.md "svcapi-$V"
names docs/python.md "svcapi-$V"
names docs/testing-clients.md "\"version\":\"$V"
names package/action/action.yml "such as $V"
names package/action/action.yml "default: \"$V\""
names .github/ISSUE_TEMPLATE/bug.yml "svcd $V"
grep -q "find_package(svcapi ${version%.*})" docs/building.md || fail "docs/building.md does not ask CMake for ${version%.*}"
grep -q "libsvcapi\.so\.$major:" rules.mk || fail "rules.mk does not make libsvcapi.so.$major"
[ -f "package/debian/libsvcapi$major.install" ] || fail "package/debian has no libsvcapi$major.install"
! grep -rnE "libsvcapi(\.so\.)?[0-9]+" --include='*.sh' --include='*.py' --include='*.md' --include='*.mk' --include=control build.sh rules.mk package examples docs |
  grep -vE "libsvcapi(\.so\.)?$major\b" || fail "these lines name the shared library of another major version"
