# demo [FOLDER]: build/demo, the explorer on the WebAssembly module, as static files
#
# Makes the module and the npm package, and of them a folder that any static file server can serve below any path: the whole service, with its explorer, in
# the browser of whoever opens the page. ?world=empty, team or company chooses what exists. Needs what wasm needs, and node and npm. test-packages tries it.

# shellcheck shell=sh disable=SC2034,SC2119,SC2120,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need node npm
  (. test/verbs/wasm.sh; verb) || exit 1
  . package/npm/build.sh
  npm_library
  sh package/demo/build.sh "$@"
}
