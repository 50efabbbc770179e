# release [--quick] [--resume] [--from FOLDER|SUMMARY] [--skip VERB]...: everything that a release needs: all verbs that test, then archives, packages, checksums, SBOM and notes in build/release
#
# The tree must be clean: uncommitted changes, or a version without a section in CHANGELOG.md, stop the verb at once. Each step has a log in build/release/logs. A step that
# fails does not stop the run: the summary in build/release/summary.md lists every step with its result and time, and the exit status is 1 if one failed. Then dist, deb, the npm
# packages, the wheels and the demo are made and copied to build/release with SHA256SUMS, the list of components and the notes, which are the section of CHANGELOG.md.
# --quick leaves out the steps that take more than ten minutes. --resume repeats only the steps that did not succeed in an earlier run on the same commit.
# --from takes over the steps that succeeded in another clone of the same commit: two clones, each with --skip for what the other one does, share the work. In
# place of a folder, --from takes a file with the summary of an earlier run, so that another machine can continue it. --skip files leaves out the files of the
# release. The summary names what was left out.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

# NAME|MINUTES|COMMAND, in this order; MINUTES is about what it takes on two cores
release_steps() {
  cat <<'S'
test|12|./build.sh test
test-memory|6|env SVC_TEST_STORE=memory ./build.sh test
test-postgres|20|env JOBS=4 SVC_TEST_STORE=postgres SVC_TEST_LIMITER=redis ./build.sh test
analyze|20|./build.sh analyze
test-threads|10|./build.sh test-threads
test-faults|30|./build.sh test-faults
test-power|10|./build.sh test-power
test-damage|2|./build.sh test-damage 60
fuzz|20|./build.sh fuzz 30
soak|6|./build.sh soak 5
test-cluster|6|./build.sh test-cluster
test-day|3|./build.sh test-day
test-api|4|./build.sh test-api
test-clients|8|./build.sh test-clients
test-web|6|./build.sh test-web
test-isolation|5|./build.sh test-isolation
test-manifests|2|./build.sh test-manifests
test-packages|8|./build.sh test-packages
test-dist|12|./build.sh test-dist
arm|45|./build.sh arm
big-endian|10|./build.sh big-endian
branches|20|./build.sh branches && mv docs/branches.md build/release/branches.md && git -c safe.directory=. checkout -q docs/branches.md
bench|25|env WITH=openssl ./build.sh bench && python3 test/bench/page.py && mv docs/performance.md build/release/performance.md && git -c safe.directory=. checkout -q docs/performance.md
S
}

release_notes() { # the section of this version in CHANGELOG.md
  awk -v v="$(version)" 'index($0, "## ") == 1 { on = index($0, v) > 0 } on' CHANGELOG.md
}

release_row() { # NAME RESULT TIME LAST LINE: of the summary
  printf '| %s | %s | %s | %s |\n' "$@" >"$R/rows/$1"
  cat "$R/rows/$1" >>"$R/summary.md"
}

release_succeeded() { grep -q '^| [^|]* | ok |' "$1" 2>/dev/null; } # ROW

release_there() { # FOLDER|SUMMARY: ends unless it has a run on the same commit
  if [ -f "$1" ]; then there=$(sed -n 's/^Commit \([0-9a-f]*\), .*/\1/p' "$1"); else there=$(cat "$1/build/release/commit" 2>/dev/null) || :; fi
  [ -n "$there" ] && [ "$(git -c safe.directory="$PWD" rev-parse -q --verify "$there" || :)" = "$commit" ] || die "release --from: no run on this commit in $1"
}

release_take() { # FOLDER|SUMMARY: takes over the steps that succeeded there
  for name in $(release_steps | cut -d'|' -f1); do
    if [ -f "$1" ]; then grep "^| $name | ok |" "$1" >$R/taken || :; else cat "$1/build/release/rows/$name" >$R/taken 2>/dev/null || :; fi
    ! release_succeeded $R/taken || cp $R/taken "$R/rows/$name"
    [ ! -f "$1/build/release/logs/$name.log" ] || [ -f "$R/logs/$name.log" ] || cp "$1/build/release/logs/$name.log" $R/logs/
  done
  rm -f $R/taken
}

release_step() { # NAME COMMAND
  began=$(date +%s)
  say "release: $1"
  if sh -c "$2" >"$R/logs/$1.log" 2>&1 9<&-; then result=ok; else result=FAILED; bad="$bad $1"; fi
  took=$(($(date +%s) - began))
  release_row "$1" $result "$(printf '%d min %02d s' $((took / 60)) $((took % 60)))" "$(tail -n 1 "$R/logs/$1.log" | tr '|' ' ' | cut -c1-110)"
}

release_files() {
  sh -c './build.sh dist && ./build.sh deb && ./build.sh demo' >"$R/logs/files.log" 2>&1 9<&- || return 1
  sh -c '. package/package.sh; python3 package/python/wheel.py' >>"$R/logs/files.log" 2>&1 || return 1
  find build/dist -maxdepth 1 -type f ! -name SHA256SUMS -exec cp {} "$R/" \;
  find build/npm -maxdepth 1 -name '*.tgz' -exec cp {} "$R/" \;
  tar -C build -czf "$R/svcapi-$(version)-demo.tar.gz" demo
  release_notes >"$R/notes.md"
  (cd "$R" && find . -maxdepth 1 -type f ! -name SHA256SUMS ! -name summary.md ! -name commit -printf '%f\n' | sort | xargs sha256sum -- >SHA256SUMS)
}

verb() {
  quick= resume= from= skipped=
  while [ $# -gt 0 ]; do
    case $1 in
      --quick) quick=yes ;;
      --resume) resume=yes ;;
      --from) [ $# -gt 1 ] || die '--from: which folder or summary?'; from=$2; shift ;;
      --skip) [ $# -gt 1 ] || die '--skip: which verb?'; [ "$2" = files ] || release_steps | grep -q "^$2|" || die "--skip: there is no step '$2'"; skipped="$skipped $2"; shift ;;
      *) die "release takes --quick, --resume, --from FOLDER or SUMMARY and --skip VERB, not '$1'" ;;
    esac
    shift
  done
  need git
  [ -z "$(git -c safe.directory="$PWD" status --porcelain)" ] || die 'release: the tree has changes that are not committed'
  [ -n "$(release_notes)" ] || die "release: CHANGELOG.md has no section of $(version)"
  R=build/release bad=
  commit=$(git -c safe.directory="$PWD" rev-parse HEAD)
  if [ -n "$from" ]; then release_there "$from"; fi
  if [ -n "$resume" ]; then [ "$(cat $R/commit 2>/dev/null)" = "$commit" ] || die 'release --resume: no earlier run on this commit'
  else rm -rf $R; mkdir -p $R/logs $R/rows; fi
  echo "$commit" >$R/commit
  if [ -n "$from" ]; then release_take "$from"; fi
  exec 9<&- # each step takes the lock of this folder for itself
  {
    printf '# Release %s\n\nCommit %s, %s, %s, %s cores, on %s.\n\n| step | result | time | last line |\n|---|---|---|---|\n' "$(version)" "$(git -c safe.directory="$PWD" rev-parse --short HEAD)" "$(uname -sm)" \
      "$(. /etc/os-release && echo "$PRETTY_NAME")" "$(nproc)" "$(date -u +%Y-%m-%d)"
  } >$R/summary.md
  release_steps >$R/steps
  while IFS='|' read -r name minutes command; do
    case " $skipped " in *" $name "*) release_row "$name" 'left out (--skip)' '' ''; continue ;; esac
    if [ -n "$quick" ] && [ "$minutes" -gt 10 ]; then release_row "$name" 'left out (--quick)' '' ''; continue; fi
    if release_succeeded "$R/rows/$name"; then cat "$R/rows/$name" >>$R/summary.md; continue; fi
    release_step "$name" "$command" </dev/null
  done <$R/steps
  rm -f $R/steps
  case " $skipped " in
    *' files '*) printf '\nThe files of the release were left out (--skip).\n' >>$R/summary.md ;;
    *) if release_files; then printf '\nFiles: %s.\n' "$(cd $R && find . -maxdepth 1 -type f ! -name commit -printf '%f\n' | sort | tr '\n' ' ' | sed 's/ $//')" >>$R/summary.md
      else bad="$bad files"; fi ;;
  esac
  cat $R/summary.md
  [ -z "$bad" ] || die "release: failures in$bad; the logs are in $R/logs"
  case " $skipped " in *' files '*) ;; *) say "release: $(version) is ready in $R" ;; esac
}
