# deps.sh: the dependencies, each pinned by hash, and how they get into build/deps; build.sh sources it. None is in this
# repository. They come from the mirror that apt is configured with; a user's own copy in deps/NAME has precedence.
# shellcheck shell=sh

# NAME VERSION
#   from PATH SHA-256           an archive on a Debian mirror; a second one is the fallback
#   file FILE PATTERN SHA-256   a file extracted into build/deps; PATTERN:PART, a part of an amalgamated file
#   also FILE PATTERN SHA-256   the same, but a user's own copy may lack it
#   in FOLDER                   the authors' folder of the files: a user's own copy may be flat or have this folder
#   tree FOLDERS SHA-256        the whole archive is unpacked and built; hash of all files in these folders together
#   licence EXPRESSION          an SPDX expression
dependencies() { cat <<'TABLE'
mongoose 7.23
  licence GPL-2.0-only
  from pool/main/m/mongoose/mongoose-webserver-source_7.23+ds-1_all.deb 3032448ef1f6e6768ed83815bf1b72530c00a39d285980c14b5bb019baf28e63
  from pool/main/m/mongoose/mongoose_7.23+ds.orig.tar.xz 62ea62b0fe868949c06479c43a9db91dedb2e688c2d6badb9461f1cc7f07ef3d
  file mongoose.c */mongoose.c 651d514ee52761c26af774d74e91346bf150c915120d967ec4332a69ea1600f5
  file mongoose.h */mongoose.h 0ee23157099964b7ca1c7bf3e02b1b8250cbd7838a6938fed63726e720f70b0b
frozen from-openvlbi-3.0.3
  licence GPL-2.0-only
  from pool/main/o/openvlbi/openvlbi_3.0.3.orig.tar.gz 1e17bbda28e49ee49177983258651c07a45dd14e9337debf9dce969ae96be7f9
  file frozen.c */mjs.c:src/frozen/frozen.c e811934d96752f07c7fb1824fac060e237ca0cc8d1ad5509c8f72cb8b218ed60
  file frozen.h */mjs.c:src/frozen/frozen.h 52d4048ac263d0f02a1e6b96dadbc5afe607c677d735a8b19b3bbb7d3d39758a
lmdb 0.9.31
  licence OLDAP-2.8
  in libraries/liblmdb
  from pool/main/l/lmdb/lmdb_0.9.31.orig.tar.gz d35d4f6f46313d62fd342c9dcbf574432919ce5e802d2b6cbe2ebd549821e5c4
  file mdb.c */liblmdb/mdb.c 25d47ee49975808a4ef923ea711fe29dc958d111e6fa2462fc36ab95923336cc
  file midl.c */liblmdb/midl.c 91110543f2e84c516188c1e3960b1f504e1c60a4766027a782349c000276ca93
  file lmdb.h */liblmdb/lmdb.h 8316fc4df7f9c0a8f664c68e79900854f20726c0ee05510bd828c7818f88f9a7
  file midl.h */liblmdb/midl.h 07c68cf7bb62625f6e893570ae6e2e30b1f3a2b4e9e0b0e5fe1729f8eb72bee8
tinycthread 1.2
  licence Zlib
  in source
  from pool/main/r/r-cran-later/r-cran-later_1.3.0+dfsg.orig.tar.xz 3de741f37369df6bf584763150a7f96fcbd2f643f1adbaae5c0e9b09d9277403
  from pool/main/r/r-cran-later/r-cran-later_1.4.1+dfsg.orig.tar.xz 0af20a1fbb606e40b8e7d492cc896ff4c787a3f463daa61787e73661f65a3ca7
  file tinycthread.c */src/tinycthread.c 554a90d1368257ad5fe2658917f51629865b7dd822188ac99929c7cfbc0febd5
  file tinycthread.h */src/tinycthread.h e34a12d6fedb4ee20418a5b04f840919fad6410c7b4e8c6356f62537472ee233
  also badthreads.h */src/badthreads.h 9d0df1cd41e3a9af85e91f316faf5b6d72ea9707b904c0b22f248cebaa3213bf
munit 0.4.1
  licence MIT
  from pool/main/r/raft/raft_0.22.1.orig.tar.gz 7e45b6f24f3671c9bfd5b146814493f87cb2e560712bd469c1f5969a4b94291a
  file munit.c */test/lib/munit.c 21960ad06ecbd5f23ed6f2811046b628fb7d5b93daf889913cec5f0b693e8cd9
  file munit.h */test/lib/munit.h 081ea8c6ffa312374a3d472d051f6cd69b5fe02e494c96c343118097a3700c9e
mbedtls 3.6.6
  licence Apache-2.0 OR GPL-2.0-or-later
  from pool/main/m/mbedtls/mbedtls_3.6.6.orig.tar.bz2 8fb65fae8dcae5840f793c0a334860a411f884cc537ea290ce1c52bb64ca007a
  tree 3rdparty,include,library e265be361184e7e8e61ba84c4d604d7798d7da7b157a872c4bb3cea54b50437f
TABLE
}

# For static programs (package/package.sh): the headers and the library of musl, from Debian.
toolchains() { cat <<'TABLE'
musl-amd64 1.2.3
  licence MIT
  from pool/main/m/musl/musl-dev_1.2.3-1_amd64.deb 7c34f29a0c1aa12f6da1d25ed6de6fe6bbd9e048ee76b3dcb88c5e51fb65507f
musl-arm64 1.2.3
  licence MIT
  from pool/main/m/musl/musl-dev_1.2.3-1_arm64.deb 55c2ca4bc3041c8ed8ac7dc3ef6080d9551a21650568b2fd7610b59eaf98a4f4
musl-armhf 1.2.3
  licence MIT
  from pool/main/m/musl/musl-dev_1.2.3-1_armhf.deb 3a9dbb8ae66716f117dce87558fb47a161db0eebf0700cc6bf84ef6871ce7d38
TABLE
}

pins() { # NAME WORD: prints the rest of the lines of NAME that begin with WORD
  { dependencies; toolchains; } | awk -v name="$1" -v word="$2" '/^[^ ]/ { on = $1 == name } on && $1 == word { sub(/^ *[^ ]+ /, ""); print }'
}
version_of() { pins "$1" "$1"; }
files_of() { pins "$1" file; pins "$1" also; }
all_deps() { dependencies | awk '/^[^ ]/ { print $1 }'; }

hash_of() { sha256sum | cut -d' ' -f1; }
sha_ok() { [ -f "$1" ] && [ "$(hash_of <"$1")" = "$2" ]; }
user_state() { if [ -d "deps/$1" ]; then find "deps/$1" -type f -printf '%p %s %T@\n' | sort; fi; }

# ---- fetching -------------------------------------------------------------------------------------------------------

mirrors() { # prints apt's mirrors; --no-release-info also works before the first apt-get update
  if [ -n "${DEPS_MIRROR:-}" ]; then echo "${DEPS_MIRROR%/}"; return; fi
  # shellcheck disable=SC2016
  apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed 's,/*$,,' | sort -u | grep -v -- '-security$' || :
}

download() { # PATH SHA256 FILE: downloads from the first mirror that has the file
  if [ -z "${HELPER+set}" ]; then
    MIRRORS=$(mirrors)
    HELPER=$(dpkg -L apt 2>/dev/null | grep '/apt-helper$' || :) # apt-helper follows apt's proxy settings
  fi
  for mirror in $MIRRORS; do
    rm -f "$3" "$3.FAILED"
    if [ -n "$HELPER" ]; then
      "$HELPER" -qq download-file "$mirror/$1" "$3" "SHA256:$2" >"$D/dl/log" 2>&1 || :
    else
      curl -fsSL --retry 3 -o "$3" "$mirror/$1" >"$D/dl/log" 2>&1 || :
    fi
    if sha_ok "$3" "$2"; then return 0; fi
  done
  rm -f "$3" "$3.FAILED"
  return 1
}

fetch() { # NAME: sets $archive; uses a copy in build/deps/dl if there is one, otherwise tries each source in order
  mkdir -p "$D/dl"
  pins "$1" from >"$D/dl/pins"
  for how in cached download; do
    while read -r path sha; do
      archive=$D/dl/${path##*/}
      if [ $how = cached ]; then
        if sha_ok "$archive" "$sha"; then return 0; fi
      elif download "$path" "$sha" "$archive" </dev/null; then return 0; fi
    done <"$D/dl/pins"
  done
  return 1
}

lacking() { # TEXT: notes a missing file; all are reported at once, because each may mean a trip to another machine
  lacks="${lacks:+$lacks
}  $1"
}

look_for() { # NAME: checks that all of its files exist or can be fetched
  if [ -d "deps/$1" ]; then
    pins "$1" file >"$D/dl/pins"
    while read -r file _; do
      user_file "$1" "$file" >/dev/null ||
        lacking "deps/$1 has no $file$(pins "$1" in | sed 's/^/, neither flat nor in /'): add it, or remove deps/$1 to have it fetched"
    done <"$D/dl/pins"
  elif ! fetch "$1"; then
    lacking "$(awk '{ sub(/.*\//, "", $1); w = w (w ? " or " : "") $1 } END { print w }' "$D/dl/pins"): put it into $D/dl, or the sources of $1 into deps/$1"
  fi
}

# ---- extracting -----------------------------------------------------------------------------------------------------

unpack() { # PATTERN: prints the file from $archive
  case $archive in
    *.deb) dpkg-deb --fsys-tarfile "$archive" >"$D/dl/data.tar"
      tar -xOf "$D/dl/data.tar" --wildcards --occurrence=1 "$1"; rm -f "$D/dl/data.tar" ;;
    *) tar -xOf "$archive" --wildcards --occurrence=1 "$1" ;;
  esac
}

cut_out() { # FILE PATTERN PART: prints a part of an amalgamated file. A part begins with ifdef, #line, endif; its own include is missing, so it is added
  case $1 in *.c) echo "#include \"${1%.c}.h\"" ;; esac
  unpack "$2" | awk -v want="#line 1 \"$3\"" '
    $0 == "#ifdef MJS_MODULE_LINES" { h = 1; next }
    h == 1 { on = ($0 == want); h = 2; next }
    h == 2 { h = 0; next }
    on'
}

take_out() { # FILE PATTERN: prints the file
  case $2 in *:*) cut_out "$1" "${2%%:*}" "${2#*:}" ;; *) unpack "$2" ;; esac
}

user_file() { # NAME FILE: prints its path in the user's own copy
  for folder in '' $(pins "$1" in); do
    if [ -f "deps/$1/${folder:+$folder/}$2" ]; then echo "deps/$1/${folder:+$folder/}$2"; return 0; fi
  done
  return 1
}

small_dep() { # NAME: extracts its files into build/deps
  if [ -d "deps/$1" ]; then origin="(your copy in deps/$1)"; else origin=; fetch "$1"; fi
  rm -f "$D/.stamp-$1"
  files_of "$1" | while read -r file pattern sha; do
    rm -f "$D/$file"
    if [ -n "$origin" ]; then
      from=$(user_file "$1" "$file") || continue
      cp "$from" "$D/$file"
    else
      take_out "$file" "$pattern" >"$D/$file" 2>/dev/null </dev/null || :
      sha_ok "$D/$file" "$sha" || die "$file from ${archive##*/} differs from its pinned SHA-256"
    fi
    echo "$file"
  done >"$D/dl/taken" || exit 1
  state_of "$1" >"$D/.stamp-$1"
  say "deps: $1 ${origin:-$(version_of "$1")}"
}

state_of() { { pins "$1" from; files_of "$1"; user_state "$1"; } | hash_of; } # NAME: changes when the dependency must be extracted again

# Nothing beside the files says what they should be: build/deps may come from a cache, which others can write. So every call compares them with the
# table above, or with the user's own copy.
same_files() { # NAME
  files_of "$1" | while read -r file _ sha; do
    if [ -d "deps/$1" ]; then
      from=$(user_file "$1" "$file") || continue
      cmp -s "$from" "$D/$file" || exit 1
    else sha_ok "$D/$file" "$sha" || exit 1; fi
  done
}

is_fresh() { # NAME
  if [ "$1" = mbedtls ]; then mbedtls_fresh "$D/mbedtls" "$CC" "$AR"; return; fi
  [ "$(cat "$D/.stamp-$1" 2>/dev/null)" = "$(state_of "$1")" ] && same_files "$1"
}

tree_ok() { # NAME DIR: objects and libraries are built from the files, and no part of the archive
  pins "$1" tree | while read -r folders sha; do
    # shellcheck disable=SC2046
    [ "$(cd "$2" && find $(echo "$folders" | tr , ' ') -type f ! -name '*.[oa]' | sort | xargs sha256sum | as_published | hash_of)" = "$sha" ]
  done
}

# CC [PART]: compiler flags for fast AES-GCM. mbedTLS has two implementations for x86-64, and compiles the faster one only with these flags. Both
# run only if the processor has AES and CLMUL. All files of mbedTLS need the flags, because they align keys for this implementation. Processors with
# these two also have SSSE3, without which aesni.c reverses the bytes of a block one by one. gcc at -O3 splits the loop of gcm.c over a block into
# two halves, stores them separately, and then reads them as a whole: every block waits for the stores. If gcc may not unroll the loop, it becomes
# one store (clang does not know that parameter and ignores it).
mbedtls_cpu() {
  case $($1 -dumpmachine 2>/dev/null):${2:-} in
  x86_64*:aesni) echo '-maes -mpclmul -mssse3' ;;
  x86_64*:gcm) echo '-maes -mpclmul --param max-completely-peel-times=1' ;;
  x86_64*) echo '-maes -mpclmul' ;;
  esac
}

mbedtls_key() { # CC AR OPTIONS
  { pins mbedtls from; pins mbedtls tree; echo "$* $MBED_FLAGS $(mbedtls_cpu "$1" aesni) $(mbedtls_cpu "$1" gcm) -O3 without debug"; user_state mbedtls; } | hash_of
}

mbedtls_make() { # DIR CC AR OPTIONS: builds mbedTLS; code that runs for every byte is compiled for speed, whatever OPTIONS are
  for o in aes aesce aesni gcm; do
    if [ ! -f "$1/library/$o.c" ]; then continue; fi
    make -s -C "$1/library" CC="$2" CFLAGS="$4 $(mbedtls_cpu "$2" $o) -O3" $o.o || return 1
  done
  make -s -j"$JOBS" -C "$1/library" CC="$2" AR="$3" CFLAGS="$4 $(mbedtls_cpu "$2")" libmbedcrypto.a libmbedx509.a libmbedtls.a
}

MBED_CONFIG=include/mbedtls/mbedtls_config.h

as_published() { # the hashes of standard input, but of the configuration here as it was before mbedtls() changed it
  awk -v file="$MBED_CONFIG" -v sha="$(sed 's|^//\(#define MBEDTLS_DEBUG_C\)|\1|' $MBED_CONFIG 2>/dev/null | hash_of)" '
    $2 == file { $0 = sha "  " file } { print }'
}

mbedtls_fresh() { # DIR CC AR [OPTIONS]
  [ "$(cat "$1/.stamp" 2>/dev/null)" = "$(mbedtls_key "$2" "$3" "${4:-}")" ] && [ -f "$1/library/libmbedtls.a" ] &&
    { [ -d deps/mbedtls ] || tree_ok mbedtls "$1"; }
}

mbedtls() { # DIR CC AR [OPTIONS]: builds its static libraries from source
  if mbedtls_fresh "$@"; then return 0; fi
  rm -rf "$1"; mkdir -p "$1"
  if [ -d deps/mbedtls ]; then
    cp -R deps/mbedtls/. "$1"
    origin='(your copy in deps/mbedtls)'
  else
    fetch mbedtls || die "the archive of mbedtls is gone from $D/dl: run ./build.sh deps mbedtls"
    tar -xf "$archive" -C "$1" --strip-components=1 --exclude='*/tests' --exclude='*/programs' --exclude='*/docs' \
      --exclude='*/doxygen' --exclude='*/visualc'
    tree_ok mbedtls "$1" || die "the files from ${archive##*/} differ from their pinned SHA-256"
    # removes 110 KB of debug messages, which cost a check at every step; its own scripts/config.py does the same
    sed -i 's|^#define MBEDTLS_DEBUG_C|//&|' "$1/$MBED_CONFIG"
    origin=$(version_of mbedtls)
  fi
  say "deps: mbedtls $origin, building with $2"
  mbedtls_make "$1" "$2" "$3" "${4:--O2 -fPIC} $MBED_FLAGS" >"$1/build.log" 2>&1 || die "mbedtls does not build: see $1/build.log"
  mbedtls_key "$2" "$3" "${4:-}" >"$1/.stamp"
}

archive_tools() { # NAME...: prints the tools that unpack the fetched archives
  for d in "$@"; do
    if [ ! -d "deps/$d" ]; then pins "$d" from; fi
  done | awk '{ print "tar" } $1 ~ /\.deb$/ { print "dpkg-deb" } $1 ~ /\.gz$/ { print "gzip" } $1 ~ /\.xz$/ { print "xz" }
    $1 ~ /\.bz2$/ { print "bzip2" }' | sort -u
}

deps() { # NAME...: prepares these dependencies for this machine. $TOOLS: further tools that the verb needs
  need awk sha256sum find # used by this script; every Debian has them
  todo=
  for d in "$@"; do is_fresh "$d" || todo="$todo $d"; done
  # shellcheck disable=SC2046,SC2086
  need "${CC%% *}" headers make ar ${TOOLS:-} $(archive_tools $todo)
  [ -n "$todo" ] || return 0
  mkdir -p "$D/dl"
  lacks=
  for d in $todo; do look_for "$d"; done
  [ -z "$lacks" ] || die "these files are missing, and the mirror does not have them with the pinned SHA-256 (${MIRRORS:-apt names none: set DEPS_MIRROR}):
$lacks"
  for d in $todo; do
    case $d in mbedtls) mbedtls "$D/mbedtls" "$CC" "$AR" ;; *) small_dep "$d" ;; esac
  done
}
