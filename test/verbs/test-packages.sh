# test-packages [NAME]: builds the npm and Python packages and tries each, the demo, and the Go helper, in an empty folder
#
# Makes the WebAssembly module, a static svcd, build/npm and the wheel; then test/packages/NAME.sh (npm, python, go, or all of them) installs what was
# made in an empty folder, with the registries' own packages beside it, and uses it as a user would; npm also tries the demo. Needs clang 19, wasi-libc, binaryen, brotli, node,
# npm, chromium, python3 with venv, requests, httpx, pytest and xdist, mypy, and go.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

host_arch() { case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) die "no static svcd for $(uname -m)" ;; esac; }
node_arch() { case $1 in amd64) echo x64 ;; *) echo "$1" ;; esac; }

make_npm() {
  need node npm
  (. test/verbs/wasm.sh; verb) || exit 1
  . package/npm/build.sh
  npm_library
  npm_platform "$(host_arch)" "$(node_arch "$(host_arch)")"
}

# Every package says the version of svcapi.h.
agree() { # WHAT VERSION
  [ "$2" = "$(version)" ] || die "$1 says that it is version '$2', and svcapi.h '$(version)'"
}

try() { # NAME
  say "packages: $1"
  sh "test/packages/$1.sh" 9<&- || { say "packages: $1 FAILED"; bad="$bad $1"; }
}

verb() {
  case ${1:-} in ''|npm|python|go) ;; *) die "test-packages takes npm, python or go, not '$1'" ;; esac
  bad=
  daemon
  case ${1:-} in ''|npm|python) [ -f "build/dist/svcd-$(version)-linux-$(host_arch)" ] && [ "build/dist/svcd-$(version)-linux-$(host_arch)" -nt svcapi.c ] ||
    (dist "$(host_arch)") || exit 1 ;; esac
  case ${1:-} in ''|npm)
    need chromium
    make_npm
    agree build/npm/svcapi "$(node -p 'require("./build/npm/svcapi/package.json").version')"
    try npm
    try demo ;;
  esac
  case ${1:-} in ''|python)
    want python3-requests python3-httpx python3-pytest python3-pytest-xdist python3-venv python3-pip mypy python3-typeshed
    shared
    try python
    for f in build/dist/svcapi-*.whl; do agree "$f" "$(basename "$f" | cut -d- -f2)"; done ;;
  esac
  case ${1:-} in ''|go) need go; try go ;; esac
  [ -z "$bad" ] || die "failures in$bad"
  say 'packages: ok'
}
