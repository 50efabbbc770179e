# fuzz [SECONDS] [TARGET]: random bytes for every parser (test/fuzz), with clang
#
# Each test/fuzz/TARGET_fuzz.c is a separate program and runs for SECONDS (60), JOBS of them at a time; with TARGET only that one runs. Inputs that reach new code stay in
# build/fuzz/TARGET/found for the next run. An input that crashes a target is left in build/fuzz/TARGET, and the verb fails.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  seconds=${1:-60}
  case $seconds in *[!0-9]*|'') die "fuzz takes a number of seconds, and a target" ;; esac
  [ -z "${2:-}" ] || [ -f "test/fuzz/$2_fuzz.c" ] || die "no such target: $2"
  TOOLS=clang
  # shellcheck disable=SC2086
  deps $LIBRARY mongoose
  fold; pack
  O=build/fuzz; CC=clang
  san='-g -O1 -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link'
  split 'fuzzers, with clang' fuzz DEP_OPT="$san" OPT="$san -fsanitize=undefined -fno-sanitize-recover=undefined -Wno-missing-field-initializers"
  running= count=0
  for f in test/fuzz/*_fuzz.c; do
    name=${f##*/}; name=${name%_fuzz.c}
    case ${2:-$name} in "$name") ;; *) continue ;; esac
    fuzz_one "$name" 9<&- &
    running="$running $!" count=$((count + 1))
    [ $((count % JOBS)) != 0 ] || fuzz_wait
  done
  fuzz_wait
}

fuzz_wait() { # for the targets in $running, which all take the same time
  bad=
  for pid in $running; do wait "$pid" || bad=yes; done
  running=
  [ -z "$bad" ] || exit 1
}

fuzz_one() { # TARGET
  mkdir -p "build/fuzz/$1/seeds" "build/fuzz/$1/found"
  SVC_FUZZ_SEEDS=build/fuzz/$1/seeds "build/fuzz/${1}_fuzz" -runs=1 >/dev/null 2>&1 || :
  words=; if [ -f "build/fuzz/$1/words" ]; then words=-dict=build/fuzz/$1/words; fi
  say "fuzz: $1, $seconds seconds"
  # shellcheck disable=SC2086
  "build/fuzz/${1}_fuzz" "build/fuzz/$1/found" "build/fuzz/$1/seeds" "test/fuzz/corpus/$1" $words -max_len=4096 -timeout=20 \
    -max_total_time="$seconds" -artifact_prefix="build/fuzz/$1/" -print_final_stats=1 >"build/fuzz/$1/log" 2>&1 ||
    { tail -n 40 "build/fuzz/$1/log" >&2; die "fuzz: $1 found something; the input is in build/fuzz/$1"; }
  sed -n "s/^Done /fuzz: $1: /p" "build/fuzz/$1/log"
}
