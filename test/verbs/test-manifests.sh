# test-manifests: checks package/kubernetes against the schemas of Kubernetes, and its settings against svcd
#
# Needs node and npm: the schemas are npm packages, pinned in test/kubernetes/package-lock.json.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS='node npm'
  daemon
  mkdir -p build/kubernetes
  if ! cmp -s test/kubernetes/package-lock.json build/kubernetes/installed; then
    say 'test-manifests: installing packages'
    cp test/kubernetes/package.json test/kubernetes/package-lock.json build/kubernetes/
    (cd build/kubernetes && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || { cat build/kubernetes/npm.log >&2; die 'npm ci failed'; }
    cp test/kubernetes/package-lock.json build/kubernetes/installed
  fi
  cp test/kubernetes/check.mjs build/kubernetes/
  node build/kubernetes/check.mjs package/kubernetes/*.yaml 9<&- || die 'a manifest is not as Kubernetes has it'
  sed -n '/^  svcd.conf: |$/,/^---$/s/^    \([a-z-]*\).*/\1/p' package/kubernetes/svcd.yaml >build/kubernetes/settings
  [ -s build/kubernetes/settings ] || die 'package/kubernetes/svcd.yaml has no settings of svcd'
  build/svcd serve --help >build/kubernetes/help
  while read -r name; do grep -q -e "^  --$name\b" build/kubernetes/help || die "package/kubernetes/svcd.yaml: svcd has no --$name"; done <build/kubernetes/settings
  say "test-manifests: ok, with $(wc -l <build/kubernetes/settings) settings"
}
