# generate.sh: shared by the scripts that write a generated C file; they source it. It reads their arguments, [--out FILE] (default: standard
# output), and sets $tmp, a temporary file that is removed at the end. written() copies $tmp to the output.
# shellcheck shell=sh
set -eu
LC_ALL=C; export LC_ALL
die() { echo "${0##*/}: $*" >&2; exit 1; }
out=-
case $#:${1:-} in 0:) ;; 2:--out) out=$2 ;; *) die "usage: ${0##*/} [--out FILE]" ;; esac
case $out in -|/*) ;; *) out=$PWD/$out ;; esac
tmp=$(mktemp "${TMPDIR:-/tmp}/generate.XXXXXX")
trap 'rm -f "$tmp" "$tmp".*' EXIT; trap 'exit 1' HUP INT TERM
written() { if [ "$out" = - ]; then cat "$tmp"; else cat "$tmp" >"$out" || die "cannot write $out"; fi; }
