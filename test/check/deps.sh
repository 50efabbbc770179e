#!/bin/sh
# Building on another machine: sources as their authors publish them, no mirror, missing tools. build.sh reports all
# obstacles at once, and does not require what a verb does not need.
. test/check/common

unset SVC_TEST_STORE SVC_TEST_LIMITER WITH # optional parts are not tested here
T=build/check/deps_tree
run() { (cd $T && DEPS_MIRROR=file:///nowhere timeout 300 ./build.sh "$@") >build/check/deps.out 2>&1; }
says() { grep -qF -- "$1" build/check/deps.out || { cat build/check/deps.out; fail "$2"; }; }
silent() { ! grep -qF -- "$1" build/check/deps.out || { cat build/check/deps.out; fail "$2"; }; }

# ---- offline
tree $T
if run lib; then fail "./build.sh lib succeeds without sources"; fi
for name in lmdb_ openvlbi_ r-cran-later_ mbedtls_; do says "$name" "./build.sh lib without a mirror does not name $name at its first run"; done
for name in mongoose munit; do silent "$name" "./build.sh lib asks for $name, which it does not need"; done
run fold || fail "./build.sh fold needs more than the tree: $(tail -n 1 build/check/deps.out)"

# ---- layouts: LMDB's whole repository, tinycthread as its authors publish it, with names without a prefix, frozen in one folder
mkdir -p $T/deps/lmdb/libraries/liblmdb $T/deps/tinycthread/source $T/deps/frozen $T/build/deps
cp build/deps/mdb.c build/deps/midl.c build/deps/lmdb.h $T/deps/lmdb/libraries/liblmdb
for f in tinycthread.c tinycthread.h; do sed '/badthreads\.h/d; s/tct_//g' build/deps/$f >$T/deps/tinycthread/source/$f; done
if run deps lmdb tinycthread frozen; then fail "deps/lmdb without midl.h, and an empty deps/frozen, were accepted"; fi
for name in midl.h frozen.c frozen.h; do says "has no $name" "a copy in deps/ that is incomplete: $name is not named with the others"; done
cp build/deps/midl.h $T/deps/lmdb/libraries/liblmdb; cp build/deps/frozen.c build/deps/frozen.h $T/deps/frozen
run deps lmdb tinycthread frozen || { cat build/check/deps.out; fail "the authors' layouts are refused"; }
[ ! -e $T/build/deps/badthreads.h ] || fail "badthreads.h came from nowhere"
readme_c 1 >$T/app.c
d=$T/build/deps
for o in mdb midl frozen tinycthread; do $CC -std=gnu11 -w -O0 -c -o $T/$o.o $d/$o.c || fail "$o.c of deps/ does not compile"; done
# shellcheck disable=SC2086
$CC $STRICT -O0 -I. -isystem $d $INCLUDES -o $T/app $T/app.c svcapi.c $T/mdb.o $T/midl.o $T/frozen.o $T/tinycthread.o \
  $MBED_LIBS -pthread || fail "svcapi.c does not compile with tinycthread of its authors"
(cd $T && timeout 60 ./app) >build/check/deps.out || fail "svcapi.c with tinycthread of its authors does not run"

# ---- build/deps is compared with the table of deps.sh on each call, and with nothing that lies beside the files
tree $T
mkdir -p $T/build; cp -a build/deps $T/build/deps
run deps lmdb mbedtls || { cat build/check/deps.out; fail "a copy of build/deps is refused"; }
silent 'deps: lmdb 0' "a copy of build/deps is extracted again"
silent 'building with' "a copy of build/deps is built again"
for file in midl.h mbedtls/library/aes.c mbedtls/include/mbedtls/mbedtls_config.h mbedtls/library/more.h; do
  name=${file%%/*}; [ $name = mbedtls ] || name=lmdb
  rm -rf $T/build/deps; cp -a build/deps $T/build/deps
  echo '/* changed by the check */' >>$T/build/deps/$file
  [ ! -f $T/build/deps/.sums-lmdb ] || (cd $T/build/deps && sha256sum mdb.c midl.c lmdb.h midl.h >.sums-lmdb)
  rm -f $T/build/deps/dl/$name*
  if run deps $name; then fail "$file was changed after it was extracted: nothing noticed"; fi
  says "put it into build/deps/dl" "$file was changed: its archive is not asked for"
done
rm -rf $T

# ---- tools: a machine on which the caller is root, with an apt-get that only records its calls
tree $T
mkdir $T/bin
printf '#!/bin/sh\necho 0\n' >$T/bin/id
cat >$T/bin/apt-get <<'C'
#!/bin/sh
echo "$*" >>apt.calls
case " $* " in *' -s '*) echo 'Inst no-such-cc (1)'; echo 'Inst its-library (1)'; [ ! -f conflict ] || echo 'Remv gcc-multilib [1]' ;; esac
C
chmod +x $T/bin/*
tools() { rm -f $T/apt.calls; if PATH=$PWD/$T/bin:$PATH CC=no-such-cc run lib; then fail "a compiler that is missing was not missed"; fi; }
tools
says 'its-library' "what is installed beside a tool is not shown"
says 'missing no-such-cc headers' "tools that are missing are not named at once"
grep -q -- '--no-remove' $T/apt.calls || fail "apt-get install may remove what the user has installed"
touch $T/conflict
tools
says 'would remove gcc-multilib' "a tool that would remove a package: nothing is said of it"
if grep -v -e ' -s ' -e update $T/apt.calls | grep -q install; then fail "a tool that would remove a package was installed"; fi
rm -rf $T
