# package.sh: installs svcapi on a machine (install, uninstall), and builds archives and programs for others (dist). build.sh sources it.
# Programs that compile svcapi.h and svcapi.c themselves need none of it.
# shellcheck shell=sh

PREFIX=${PREFIX:-/usr/local} # folder of the installation
DESTDIR=${DESTDIR:-}         # staging folder while a package is built
LIBDIR=${LIBDIR:-lib}        # below PREFIX: lib64, lib/aarch64-linux-gnu

version() { sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h; }
soname() { basename build/libsvcapi.so.*; }

moment() { # time of the last commit, in seconds: archives and pages built from the same sources are identical
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then echo "$SOURCE_DATE_EPOCH"
  elif git log -1 --format=%ct 2>/dev/null; then :
  else stat -c %Y svcapi.c; fi
}

fill() { # FILE: its words in @ replaced
  sed "s|@PREFIX@|$PREFIX|g; s|@LIB@|$LIBDIR|g; s|@VERSION@|$(version)|g; s|@SONAME@|$(soname)|g; s|@REAL@|libsvcapi.so.$(version)|g
       s|@UP@|$(printf '%s\n' "$LIBDIR" | sed 's,[^/][^/]*,..,g')/../..|g" "package/$1"
}

ports() { # the files that a program compiles with its own: the listener, and stores and limiters that several processes share
  echo ports/listener.h ports/mbedtls_config.h ports/mongoose.c ports/http_reader.[ch] ports/listener/*.[ch] ports/store_port.h ports/limiter_port.h \
    ports/memory.c ports/store_copy.[ch] ports/transfer/*.[ch] ports/postgres.[ch] ports/postgres/*.h ports/redis.[ch] ports/redis/*.h
}

copy_ports() { # FOLDER: copies them there, with the private headers that they include
  for f in $(ports); do mkdir -p "$1/${f%/*}"; cp "$f" "$1/$f"; done
  mkdir -p "$1/ports/base"; cp amalgamation/base/base.h amalgamation/base/atomic.h "$1/ports/base"
}

# ---- install --------------------------------------------------------------------------------------------------------

installed() { # prints the table of installed files: MODE FILE PLACE; mode "link": PLACE is a symbolic link to FILE
  cat <<TABLE
644 svcapi.h include/svcapi.h
$(for f in listener postgres redis; do echo "644 ports/$f.h include/svcapi/$f.h"; done)
$(for f in $(ports); do echo "644 $f share/svcapi/$f"; done)
644 amalgamation/base/base.h share/svcapi/ports/base/base.h
644 amalgamation/base/atomic.h share/svcapi/ports/base/atomic.h
644 build/lib/whole/libsvcapi.a $LIBDIR/libsvcapi.a
755 build/$(soname) $LIBDIR/libsvcapi.so.$(version)
link libsvcapi.so.$(version) $LIBDIR/$(soname)
link libsvcapi.so.$(version) $LIBDIR/libsvcapi.so
644 build/package/svcapi.pc $LIBDIR/pkgconfig/svcapi.pc
644 build/package/svcapi-static.pc $LIBDIR/pkgconfig/svcapi-static.pc
644 build/package/svcapiConfig.cmake $LIBDIR/cmake/svcapi/svcapiConfig.cmake
644 build/package/svcapiConfigVersion.cmake $LIBDIR/cmake/svcapi/svcapiConfigVersion.cmake
755 build/svcd bin/svcd
644 build/package/svcapi.3 share/man/man3/svcapi.3
644 build/package/svcd.8 share/man/man8/svcd.8
644 build/package/svcd.service lib/systemd/system/svcd.service
644 package/svcd.bash share/bash-completion/completions/svcd
644 package/svcd.zsh share/zsh/site-functions/_svcd
$(for f in package/worlds/*.json; do echo "644 $f share/svcapi/worlds/${f##*/}"; done)
644 README.md share/doc/svcapi/README.md
644 CHANGELOG.md share/doc/svcapi/CHANGELOG.md
644 LICENSE share/doc/svcapi/LICENSE
TABLE
}

places() { # checks that the folders contain only characters that can be written into generated files
  case $PREFIX in /*) ;; *) die "PREFIX must begin with /, and '$PREFIX' does not" ;; esac
  case $LIBDIR in /*|*..*|'') die "LIBDIR is a folder below PREFIX, lib64 for example, not '$LIBDIR'" ;; esac
  case $PREFIX$LIBDIR in *[!A-Za-z0-9/._+-]*) die "PREFIX and LIBDIR may have letters, digits and /._+- in them" ;; esac
}

put() { # MODE FILE PLACE: writes a new file and renames it, so that a running program keeps the old file
  to=$DESTDIR$PREFIX/$3
  mkdir -p "${to%/*}" || die "cannot make ${to%/*}: set PREFIX or DESTDIR to a folder that you may write to"
  case $1 in
    link) ln -sfn "$2" "$to" ;;
    *) cp "$2" "$to.new" && chmod "$1" "$to.new" && mv -f "$to.new" "$to" ;;
  esac || die "cannot write $to"
}

manuals() { # into build/package
  date=$(date -u -d "@$(moment)" +%Y-%m-%d)
  sh package/man.sh svcapi "$(version)" "$date" <svcapi.h >build/package/svcapi.3
  build/svcd help all >build/package/help
  sh package/man.sh svcd "$(version)" "$date" <build/package/help >build/package/svcd.8
}

install_all() {
  places
  daemon
  shared
  need objcopy
  build 'libsvcapi.a in one piece' whole OPT="$PLACED" LINK="${LDFLAGS:-}"
  mkdir -p build/package
  for f in svcapi.pc svcapi-static.pc svcapiConfig.cmake svcapiConfigVersion.cmake svcd.service; do fill "$f.in" >"build/package/$f"; done
  manuals
  installed | while read -r mode file place; do put "$mode" "$file" "$place"; done || exit 1
  if [ -z "$DESTDIR" ] && [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null 2>&1; then ldconfig || :; fi
  say "install: svcapi $(version) in $DESTDIR$PREFIX; PREFIX=$PREFIX ./build.sh uninstall removes it"
  linking
}

linking() { # prints how to link a program with the installed library, with the library's folder if the system does not search it
  path=; rpath=
  case $PREFIX in
    /usr|/usr/local) ;;
    *) path="PKG_CONFIG_PATH=$PREFIX/$LIBDIR/pkgconfig "; rpath=" -Wl,-rpath,$PREFIX/$LIBDIR" ;;
  esac
  say "  shared: cc app.c \$(${path}pkg-config --cflags --libs svcapi)$rpath"
  say "  static: cc app.c \$(${path}pkg-config --cflags --libs svcapi-static)"
}

uninstall_all() { # removes the installed files and their own folders; stores are elsewhere and stay
  places
  [ -f "$DESTDIR$PREFIX/include/svcapi.h" ] || die "svcapi is not installed in $DESTDIR$PREFIX"
  if [ ! -f build/libsvcapi.so.1 ]; then shared; fi
  installed | while read -r _ _ place; do rm -f "$DESTDIR$PREFIX/$place"; done
  for d in $LIBDIR/cmake/svcapi share/doc/svcapi share/svcapi/ports/listener share/svcapi/ports/postgres share/svcapi/ports/redis share/svcapi/ports/transfer share/svcapi/ports/base share/svcapi/ports share/svcapi/worlds share/svcapi \
    include/svcapi; do rmdir "$DESTDIR$PREFIX/$d" 2>/dev/null || :; done
  say "uninstall: removed from $DESTDIR$PREFIX"
}

# ---- the archive ----------------------------------------------------------------------------------------------------

licences() { # FOLDER: writes the original license texts of everything in the archive
  mkdir -p "$1"
  cp LICENSE "$1/svcapi.txt"
  cp "$D/mbedtls/LICENSE" "$1/mbedtls.txt"
  head_of '/\*' "$D/tinycthread.c" >"$1/tinycthread.txt"
  head_of '//' "$D/mongoose.c" >"$1/mongoose.txt"
  if [ -d deps/lmdb ]; then cp deps/lmdb/LICENSE "$1/lmdb.txt" || die "deps/lmdb has no LICENSE, which an archive of it needs"
  else fetch lmdb; unpack '*/liblmdb/LICENSE' >"$1/lmdb.txt"; fi
  if [ -d deps/frozen ]; then cp deps/frozen/LICENSE "$1/frozen.txt" || die "deps/frozen has no LICENSE, which an archive of it needs"
  else fetch frozen; unpack '*/mjs.c' >build/dist/head.c; head_of '/\*' build/dist/head.c >"$1/frozen.txt"; rm -f build/dist/head.c; fi
  for f in "$1"/*.txt; do [ -s "$f" ] || die "no licence was found for ${f##*/}"; done
}

head_of() { # MARK FILE: prints the comment at the start of the file
  awk -v mark="$1" 'NR == 1 && index($0, substr(mark, 1, 1)) != 1 { exit }
    mark == "//" { if (!/^\/\//) exit; print; next }
    { print } /\*\// { exit }' "$2"
}

archive_of() { # FOLDER: copies all sources that a build needs into it
  mkdir -p "$1/deps/mongoose" "$1/deps/mbedtls"
  cp svcapi.h svcapi.c README.md CHANGELOG.md LICENSE "$1"
  cp package/COMPILE.md "$1/COMPILE.md"
  awk '/^```c$/ { n++; on = n == 1; next } /^```/ { on = 0 } on' README.md >"$1/example.c"
  copy_ports "$1"
  cp -R examples "$1/examples"; find "$1/examples" -name __pycache__ -prune -exec rm -rf {} +
  for d in lmdb frozen tinycthread; do files_of "$d"; done | while read -r file _; do
    if [ -f "$D/$file" ]; then cp "$D/$file" "$1/deps"; fi
  done
  cp "$D/mongoose.c" "$D/mongoose.h" "$1/deps/mongoose"
  cp -R "$D/mbedtls/include" "$1/deps/mbedtls"
  mkdir "$1/deps/mbedtls/library"; cp "$D"/mbedtls/library/*.[ch] "$1/deps/mbedtls/library"
  licences "$1/licences"
}

packed() { # FOLDER: packs this folder of build/dist reproducibly
  tar -C build/dist --sort=name --mtime="@$(moment)" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf - "$1" |
    gzip -9n >"build/dist/$1.tar.gz"
}

# ---- programs for other machines ------------------------------------------------------------------------------------

targets() { echo 'amd64 x86_64-linux-gnu
arm64 aarch64-linux-gnu
armhf arm-linux-gnueabihf'; } # Debian's names, and the prefixes of its cross compilers

musl() { # ARCH COMPILER: sets $CC to a compiler for musl: a script, because the library is in a folder of the build
  folder=$PWD/$D/musl-$1; CC=$folder/cc
  stamp="$folder $2 linux $(pins "musl-$1" from)"
  if [ "$(cat "$folder/.stamp" 2>/dev/null)" = "$stamp" ]; then return 0; fi
  fetch "musl-$1" || die "musl-dev for $1 is not at the mirror with its pinned SHA-256 ($MIRRORS)"
  rm -rf "$folder"; mkdir -p "$folder"
  # shellcheck disable=SC2154 # fetch sets it
  dpkg-deb -x "$archive" "$folder"
  inside=$(basename "$folder"/usr/lib/*-linux-musl*)
  sed "s,/usr/include/$inside,$folder/usr/include/$inside,g; s,/usr/lib/$inside,$folder/usr/lib/$inside,g" \
    "$folder/usr/lib/$inside/musl-gcc.specs" >"$folder/specs"
  # The kernel's headers belong to no C library. The compiler's copies also work with musl; link to these folders only.
  for of in asm/types.h asm-generic/types.h linux/audit.h; do
    at=$(echo "#include <$of>" | "$2" -E -x c - 2>/dev/null | sed -n "s,^# 1 \"\(.*\)/${of#*/}\".*,\1,p" | grep "/${of%%/*}\$" | head -n 1)
    [ -d "$at" ] || die "$2 has no headers of Linux (linux-libc-dev): there is no <$of>"
    ln -s "$at" "$folder/usr/include/$inside/${of%%/*}"
  done
  printf '#!/bin/sh\nexec %s "$@" -specs %s\n' "$2" "$folder/specs" >"$CC"; chmod +x "$CC"
  echo "$stamp" >"$folder/.stamp"
  say "deps: musl $(version_of "musl-$1") for $1"
}

static() { # ARCH CROSS: builds a small static svcd into build/dist
  need "$2-gcc" "$2-ar" "$2-strip" dpkg-deb
  musl "$1" "$2-gcc"
  AR=$2-ar; O=build/static/$1
  mbedtls "$D/mbedtls-musl-$1" "$CC" "$AR" -Os
  build "static svcd, $1" svcd OPT='-Os -ffunction-sections -fdata-sections' LINK='-static -no-pie -Wl,--gc-sections' \
    MBED="$D/mbedtls-musl-$1" OUT="$O"
  "$2-strip" -o "build/dist/svcd-$(version)-linux-$1" "$O/svcd"
}

programs() { find . -maxdepth 1 -name 'svcd-*' -printf '%f\n' | sort; }

sbom() { # prints the bill of materials in the CycloneDX format
  printf '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"metadata":{"timestamp":"%s","component":%s},"components":[' \
    "$(date -u -d "@$(moment)" +%Y-%m-%dT%H:%M:%SZ)" "$(component library svcapi "$(version)" MIT "$(hash_of <svcapi.c)")"
  for d in lmdb frozen tinycthread mbedtls mongoose musl-amd64 musl-arm64 musl-armhf; do
    [ $d = lmdb ] || printf ,
    component library "$d" "$(version_of "$d")" "$(pins "$d" licence)" "$(pins "$d" from | head -n 1 | cut -d' ' -f2)"
  done
  (cd build/dist && for f in $(programs); do
    printf ,; component application "$f" "$(cd ../.. && version)" 'MIT AND OLDAP-2.8 AND GPL-2.0-only AND Zlib AND Apache-2.0' "$(hash_of <"$f")"
  done)
  printf '],"dependencies":[{"ref":"svcapi","dependsOn":["lmdb","frozen","tinycthread","mbedtls"]}'
  (cd build/dist && for f in $(programs); do
    printf ',{"ref":"%s","dependsOn":["svcapi","mongoose","musl-%s"]}' "$f" "${f##*-}"; done)
  echo ']}'
}

component() { # TYPE NAME VERSION LICENCE SHA-256
  printf '{"type":"%s","bom-ref":"%s","name":"%s","version":"%s","purl":"pkg:generic/%s@%s","licenses":[{"expression":"%s"}],"hashes":[{"alg":"SHA-256","content":"%s"}]}' \
    "$1" "$2" "$2" "$3" "$2" "$3" "$4" "$5"
}

sources_newer() { # FILE: whether a source of what dist, deb and wheel.py make is newer than the file
  [ -n "$(find svcapi.c svcapi.h rules.mk deps.sh ports examples package test/verbs/deb.sh -name __pycache__ -prune -o -type f -newer "$1" -print -quit)" ]
}

old_files() { # build/dist keeps what other calls have made of the same sources; the rest would not belong to the new archive and its checksums
  find build/dist -mindepth 1 -maxdepth 1 -type f | sort | while read -r f; do
    case ${f##*/} in
      "svcd-$(version)-linux-"*|"svcapi-$(version)-py3-"*.whl|*"_$(version)-"*.deb) ;;
      Dockerfile*) continue ;;
      *) rm -f "$f"; continue ;;
    esac
    if sources_newer "$f"; then rm -f "$f"; say "dist: ${f##*/} is older than its sources, and was removed"; fi
  done
  find build/dist -mindepth 1 -maxdepth 1 -type d -name 'svcapi-*' -exec rm -rf {} +
}

sources() { # builds the source archive alone
  need tar gzip
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold
  mkdir -p build/dist
  old_files
  name=svcapi-$(version)
  rm -rf "build/dist/$name"
  archive_of "build/dist/$name"
  packed "$name"
  rm -rf "build/dist/$name"
  listed
}

sums() { # writes SHA256SUMS again, of what is in build/dist now
  # shellcheck disable=SC2094
  (cd build/dist && find . -maxdepth 1 -type f ! -name "Dockerfile*" ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum -- >SHA256SUMS)
}

listed() { # writes both lists again
  sbom >"build/dist/$name.cdx.json"
  sums
}

dist() { # [ARCH]...: builds the archive, and svcd for these (default: all; "none": no svcd)
  for a in "$@"; do [ "$a" = none ] || targets | grep -q "^$a " || die "no target '$a': there are $(targets | cut -d' ' -f1 | tr '\n' ' ')"; done
  sources
  mkdir -p build/dist/data # for the image
  targets | while read -r arch cross; do
    case " ${*:-$arch} " in *" $arch "*) (static "$arch" "$cross") || exit 1 ;; esac
  done || exit 1
  fill Dockerfile >build/dist/Dockerfile; fill Dockerfile.stores >build/dist/Dockerfile.stores
  listed
  say "dist: in build/dist"
  (cd build/dist && find . -maxdepth 1 -type f -printf '  %9s %f\n' | sort -k2)
}
