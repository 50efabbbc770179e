# wasm: build/wasm/svcapi.wasm, the library with the in-memory store and test control as one WebAssembly module
#
# The module needs five functions of WASI and no threads, files or sockets; package/npm has the JavaScript for it. Its exports are the functions of
# svcapi.h for other languages. Needs clang 19, lld, wasi-libc, binaryen (wasm-opt) and brotli. test-packages tests it.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

WASM_EXPORTS='svc_open_json svc_close svc_call_text svc_control_text svc_control_begin svc_bootstrap_json svc_tick svc_clock_now svc_version svc_strerror
  svc_result_status svc_result_header svc_result_headers svc_result_body svc_result_drop svc_result_delay_ms svc_result_operation svc_result_free malloc free'
WASM_FEATURES='-mbulk-memory -msign-ext -mnontrapping-fptoint -mmutable-globals'

wasm_compile() { # FILE OBJECT [FLAG]...: compiles an object for link-time optimization
  from=$1; to=$2; shift 2
  if [ "$to" -nt "$from" ] && [ "$to" -nt build/wasm/svcapi.c ] && [ "$to" -nt package/npm/mbedtls_config.h ] && [ "$to" -nt test/verbs/wasm.sh ]; then return 0; fi
  # shellcheck disable=SC2086
  clang-19 --target=wasm32-wasi -Oz -flto $WASM_FEATURES -std=gnu11 -I. -isystem $D -isystem $D/mbedtls/include \
    -DMBEDTLS_CONFIG_FILE='"package/npm/mbedtls_config.h"' "$@" -c -o "$to" "$from" || die "build failed: $from"
}

verb() {
  need clang-19 wasm-ld-19 wasi-libc libclang-rt-wasm32 wasm-opt brotli
  # shellcheck disable=SC2086
  deps $LIBRARY
  W=build/wasm; mkdir -p $W/obj
  sh amalgamation/fold.sh --with memory --out $W/folded.c || exit 1
  update $W/svcapi.c <$W/folded.c; rm -f $W/folded.c
  say 'wasm: compiling'
  wasm_compile $W/svcapi.c $W/obj/svcapi.o -Wall -Wextra -Wpedantic -Werror -DSVC_MEMORY_STORE -DSVC_OMIT=LMDB
  wasm_compile package/npm/wasm.c $W/obj/wasm.o -Wall -Wextra -Werror
  wasm_compile $D/frozen.c $W/obj/frozen.o -w
  for f in "$D"/mbedtls/library/*.c; do
    name=${f##*/}; name=${name%.c}
    case $name in entropy_poll|threading|timing|net_sockets|ssl_*|psa_*|debug) continue ;; esac # files that WASI does not support, or the module does not need
    wasm_compile "$f" "$W/obj/mbed_$name.o" -w
  done
  exports=; for f in $WASM_EXPORTS; do exports="$exports -Wl,--export=$f"; done
  # shellcheck disable=SC2086
  clang-19 --target=wasm32-wasi -flto -mexec-model=reactor -Wl,--gc-sections -Wl,--stack-first -Wl,-z,stack-size=131072 -Wl,--strip-all \
    $exports $W/obj/*.o -o $W/linked.wasm || die 'build failed: svcapi.wasm'
  wasm-opt --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals -Oz --converge \
    --zero-filled-memory --merge-similar-functions -Oz $W/linked.wasm -o $W/svcapi.wasm || die 'wasm-opt failed'
  brotli -f -q 11 -w 24 $W/svcapi.wasm -o $W/svcapi.wasm.br
  say "wasm: build/wasm/svcapi.wasm, $(wc -c <$W/svcapi.wasm) bytes, $(wc -c <$W/svcapi.wasm.br) with brotli"
}
