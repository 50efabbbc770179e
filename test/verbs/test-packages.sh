# test-packages [NAME]: builds the npm and Python packages and tests each, the demo, the Go helper and the image, in an empty folder
#
# Builds the WebAssembly module, a static svcd for amd64 and arm64, build/npm and the wheel. Then test/packages/NAME.sh (npm, python, go, containers, or all of
# them) installs the results in an empty folder, with other packages from the registries, and uses them as a user would; npm also tests the demo. The program
# for the other machine runs under qemu. The image needs docker or podman, and is skipped otherwise. Needs clang 19, wasi-libc, binaryen, brotli, node, npm, chromium,
# python3 with venv, requests, httpx, pytest and xdist, mypy, go, qemu, and both cross compilers.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

ARCHS='amd64 arm64' # the architectures of the npm packages

# A static svcd for each, unless those in build/dist are up to date.
programs_of() { # ARCH...
  for a in "$@"; do [ "build/dist/svcd-$(version)-linux-$a" -nt svcapi.c ] || { (dist "$@"); return; }; done
}

host_arch() { case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) die "no static svcd for $(uname -m)" ;; esac; }
node_arch() { case $1 in amd64) echo x64 ;; *) echo "$1" ;; esac; }

make_npm() {
  need node npm
  (. test/verbs/wasm.sh; verb) || exit 1
  . package/npm/build.sh
  npm_library
  for a in $ARCHS; do npm_platform "$a" "$(node_arch "$a")"; done
}

# Every package has the version of svcapi.h.
agree() { # WHAT VERSION
  [ "$2" = "$(version)" ] || die "$1 says that it is version '$2', and svcapi.h '$(version)'"
}

try() { # NAME
  say "packages: $1"
  sh "test/packages/$1.sh" 9<&- || { say "packages: $1 FAILED"; bad="$bad $1"; }
}

verb() {
  case ${1:-} in ''|npm|python|go|containers) ;; *) die "test-packages takes npm, python, go or containers, not '$1'" ;; esac
  bad=
  daemon
  # shellcheck disable=SC2086
  case ${1:-} in ''|npm) programs_of $ARCHS || exit 1 ;; python|containers) programs_of "$(host_arch)" || exit 1 ;; esac
  case ${1:-} in ''|npm)
    need chromium qemu-x86_64 qemu-aarch64
    shared # test/packages/npm/same.mjs compares the module with it
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
  case ${1:-} in ''|containers) need node npm curl; try containers ;; esac
  [ -z "$bad" ] || die "failures in$bad"
  say 'packages: ok'
}
