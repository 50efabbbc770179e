# fuzz [SECONDS] [TARGET]: random bytes for every parser (test/fuzz), with clang
#
# Each test/fuzz/TARGET_fuzz.c is a separate program and runs for SECONDS (60); with TARGET only that one runs. Inputs that reach new code stay in
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
  for f in test/fuzz/*_fuzz.c; do
    name=${f##*/}; name=${name%_fuzz.c}; words=
    case ${2:-$name} in "$name") ;; *) continue ;; esac
    mkdir -p "build/fuzz/$name/seeds" "build/fuzz/$name/found"
    SVC_FUZZ_SEEDS=build/fuzz/$name/seeds "build/fuzz/${name}_fuzz" -runs=1 >/dev/null 2>&1 || :
    if [ -f "build/fuzz/$name/words" ]; then words=-dict=build/fuzz/$name/words; fi
    say "fuzz: $name, $seconds seconds"
    # shellcheck disable=SC2086
    "build/fuzz/${name}_fuzz" "build/fuzz/$name/found" "build/fuzz/$name/seeds" "test/fuzz/corpus/$name" $words -max_len=4096 -timeout=20 \
      -max_total_time="$seconds" -artifact_prefix="build/fuzz/$name/" -print_final_stats=1 >"build/fuzz/$name/log" 2>&1 ||
      { tail -n 40 "build/fuzz/$name/log" >&2; die "fuzz: $name found something; the input is in build/fuzz/$name"; }
    sed -n 's/^Done /fuzz: /p' "build/fuzz/$name/log"
  done
}
