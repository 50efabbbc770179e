# release [--quick] [--skip VERB]...: everything that a release needs: all verbs that test, then archives, packages, checksums, SBOM and notes in build/release
#
# Runs from a clean tree: uncommitted changes, or a version that CHANGELOG.md does not have, end it at once. Each step has a log in build/release/logs. A step that
# fails does not end the run: the summary in build/release/summary.md has every step with its result and time, and the status is 1 if one failed. Then dist, deb, the npm
# packages, the wheels and the demo are made once more and copied to build/release with SHA256SUMS, the list of components and the notes, which are the section of CHANGELOG.md.
# --quick leaves out the steps that take more than ten minutes; the summary names what was left out. On two cores the whole takes about four hours.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

# NAME|MINUTES|COMMAND, in this order; MINUTES is about what it takes on two cores
release_steps() {
  cat <<'S'
test|12|./build.sh test
test-memory|12|env SVC_TEST_STORE=memory ./build.sh test
test-postgres|30|env SVC_TEST_STORE=postgres SVC_TEST_LIMITER=redis ./build.sh test
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
test-manifests|2|./build.sh test-manifests
test-packages|8|./build.sh test-packages
test-dist|12|./build.sh test-dist
arm|45|./build.sh arm
bench|25|./build.sh bench
S
}

release_notes() { # the section of this version in CHANGELOG.md
  awk -v v="$(version)" 'index($0, "## ") == 1 { on = index($0, v) > 0 } on' CHANGELOG.md
}

release_step() { # NAME COMMAND
  began=$(date +%s)
  say "release: $1"
  if sh -c "$2" >"$R/logs/$1.log" 2>&1 9<&-; then result=ok; else result=FAILED; bad="$bad $1"; fi
  printf '| %s | %s | %d min %02d s | %s |\n' "$1" "$result" $((($(date +%s) - began) / 60)) $((($(date +%s) - began) % 60)) "$(tail -n 1 "$R/logs/$1.log" | tr '|' ' ' | cut -c1-110)" >>"$R/summary.md"
}

release_files() {
  sh -c './build.sh dist && ./build.sh deb && ./build.sh demo' >"$R/logs/files.log" 2>&1 9<&- || return 1
  sh -c '. package/package.sh; python3 package/python/wheel.py' >>"$R/logs/files.log" 2>&1 || return 1
  find build/dist -maxdepth 1 -type f ! -name SHA256SUMS -exec cp {} "$R/" \;
  find build/npm -maxdepth 1 -name '*.tgz' -exec cp {} "$R/" \;
  tar -C build -czf "$R/svcapi-$(version)-demo.tar.gz" demo
  release_notes >"$R/notes.md"
  (cd "$R" && find . -maxdepth 1 -type f ! -name SHA256SUMS ! -name summary.md -printf '%f\n' | sort | xargs sha256sum -- >SHA256SUMS)
}

verb() {
  quick= skipped=
  while [ $# -gt 0 ]; do
    case $1 in
      --quick) quick=yes ;;
      --skip) [ $# -gt 1 ] || die '--skip: which verb?'; release_steps | grep -q "^$2|" || die "--skip: there is no step '$2'"; skipped="$skipped $2"; shift ;;
      *) die "release takes --quick and --skip VERB, not '$1'" ;;
    esac
    shift
  done
  need git
  [ -z "$(git -c safe.directory="$PWD" status --porcelain)" ] || die 'release: the tree has changes that are not committed'
  [ -n "$(release_notes)" ] || die "release: CHANGELOG.md has no section of $(version)"
  R=build/release bad=
  rm -rf $R; mkdir -p $R/logs
  exec 9<&- # each step takes the lock of this folder for itself
  {
    printf '# Release %s\n\nCommit %s, %s, %s, %s cores, on %s.\n\n| step | result | time | last line |\n|---|---|---|---|\n' "$(version)" "$(git -c safe.directory="$PWD" rev-parse --short HEAD)" "$(uname -sm)" \
      "$(. /etc/os-release && echo "$PRETTY_NAME")" "$(nproc)" "$(date -u +%Y-%m-%d)"
  } >$R/summary.md
  release_steps >$R/steps
  while IFS='|' read -r name minutes command; do
    case " $skipped " in *" $name "*) printf '| %s | left out (--skip) | | |\n' "$name" >>$R/summary.md; continue ;; esac
    if [ -n "$quick" ] && [ "$minutes" -gt 10 ]; then printf '| %s | left out (--quick) | | |\n' "$name" >>$R/summary.md; continue; fi
    release_step "$name" "$command" </dev/null
  done <$R/steps
  rm -f $R/steps
  if release_files; then printf '\nFiles: %s.\n' "$(cd $R && find . -maxdepth 1 -type f -printf '%f\n' | sort | tr '\n' ' ')" >>$R/summary.md; else bad="$bad files"; fi
  cat $R/summary.md
  [ -z "$bad" ] || die "release: failures in$bad; the logs are in $R/logs"
  say "release: $(version) is ready in $R"
}
