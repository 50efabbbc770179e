# deb: build/dist/*.deb for this machine: libsvcapi1, libsvcapi-dev, and svcd with PostgreSQL and Redis
#
# Debian's tools (debhelper) build the packages from package/debian, in a copy of this tree with the verified dependencies. They download
# nothing. The same sources and tools give the same bytes; SOURCE_DATE_EPOCH is the date in them (by default that of the last commit).

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need dh dpkg-buildpackage libpq-fe.h hiredis.h tar gzip
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold
  name=svcapi-$(version)
  into=build/deb/$name
  rm -rf build/deb build/dist/*.deb; mkdir -p "$into" build/dist
  tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$into"
  mkdir "$into/build"; cp -a build/deps "$into/build/deps"
  cp -R package/debian "$into/debian"
  chmod +x "$into/debian/rules"
  deb_changelog >"$into/debian/changelog"
  licences "$PWD/build/deb/licences"
  deb_copyright >"$into/debian/copyright"; rm "$into/debian/copyright.in"
  (cd "$into" && SOURCE_DATE_EPOCH=$(moment) DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$JOBS" dpkg-buildpackage -us -uc -b -d 9<&-) >build/deb/log 2>&1 ||
    { tail -n 20 build/deb/log >&2; die 'dpkg-buildpackage fails: build/deb/log'; }
  for f in build/deb/*.deb; do mv "$f" build/dist/; say "deb: build/dist/${f##*/}"; done
  sums
}

deb_changelog() {
  printf 'svcapi (%s-0.1) unstable; urgency=medium\n\n  * CHANGELOG.md says what is new.\n\n -- The svcapi authors <svcapi@example.invalid>  %s\n' \
    "$(version)" "$(LC_ALL=C date -u -R -d "@$(moment)")"
}

deb_text() { sed 's/[[:space:]]*$//; s/^$/./; s/^/ /' "$1"; } # FILE: as a multi-line field

deb_copyright() { # the components of the packages, each with its license
  cat "$into/debian/copyright.in"
  printf '\nFiles: *\nCopyright: 2026 The svcapi authors\nLicense: Expat\n'; sed 1,4d LICENSE >build/deb/expat; deb_text build/deb/expat
  while read -r what holder licence; do
    printf '\nFiles: build/deps/%s\nCopyright: %s\nLicense: %s\n' "$what" "$(echo "$holder" | tr _ ' ')" "$licence"
    case $licence in
      GPL-2) printf ' The text is in /usr/share/common-licenses/GPL-2.\n' ;;
      Apache-2.0) printf ' The text is in /usr/share/common-licenses/Apache-2.0.\n' ;;
      *) deb_text "build/deb/licences/${what%%.*}.txt" ;;
    esac
  done <<'PARTS'
mongoose.* Sergey_Lyubka,_Cesanta_Software_Limited GPL-2
frozen.* Sergey_Lyubka,_Cesanta_Software_Limited GPL-2
lmdb.* Howard_Chu,_Symas_Corp. OLDAP-2.8
tinycthread.* Marcus_Geelnard,_Evan_Nemerson Zlib
mbedtls/* The_Mbed_TLS_Contributors Apache-2.0
PARTS
}
