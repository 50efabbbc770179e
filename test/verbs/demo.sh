# demo [FOLDER]: build/demo, the console on the WebAssembly module, as static files
#
# Builds the module and the npm package, and from them a folder that any static file server can serve below any path. The whole service, with its console, runs in the
# browser of each visitor. ?world=empty, team or company selects the data. Needs the tools of wasm, node and npm. test-packages tests the demo.

# shellcheck shell=sh disable=SC2034,SC2119,SC2120,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  need node npm
  (. test/verbs/wasm.sh; verb) || exit 1
  . package/npm/build.sh
  npm_library
  sh package/demo/build.sh "$@"
}
