# test-manifests: checks package/kubernetes against the schemas of Kubernetes, its settings against svcd, and package/prometheus against the metrics
#
# Needs node and npm: the schemas are npm packages, pinned in test/kubernetes/package-lock.json. promtool checks the rules if it is installed.

# shellcheck shell=sh disable=SC2034,SC2154 # read in by build.sh, which has the functions and variables used here

verb() {
  TOOLS='node npm'
  daemon
  npm_packages kubernetes
  cp test/kubernetes/check.mjs build/kubernetes/
  node build/kubernetes/check.mjs package/kubernetes/*.yaml 9<&- || die 'a manifest is not as Kubernetes has it'
  sed -n '/^  svcd.conf: |$/,/^---$/s/^    \([a-z-]*\).*/\1/p' package/kubernetes/svcd.yaml >build/kubernetes/settings
  [ -s build/kubernetes/settings ] || die 'package/kubernetes/svcd.yaml has no settings of svcd'
  build/svcd serve --help >build/kubernetes/help
  while read -r name; do grep -q -e "^  --$name\b" build/kubernetes/help || die "package/kubernetes/svcd.yaml: svcd has no --$name"; done <build/kubernetes/settings
  manifests_metrics
  say "test-manifests: ok, with $(wc -l <build/kubernetes/settings) settings"
}

manifests_metrics() { # every metric named in the rules and the dashboard must be a metric of svcd
  (cd build/kubernetes && rm -f bootstrap.json && exec ../svcd serve --memory --bootstrap bootstrap.json --listen http://127.0.0.1:0 --metrics >out 2>&1 9<&-) & pid=$!
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do if grep -q '^svcd ready on' build/kubernetes/out 2>/dev/null; then break; fi; sleep 0.5; done
  curl -sS --max-time 10 "$(sed -n 's/^svcd ready on //p' build/kubernetes/out)/_svc/metrics" | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' >build/kubernetes/metrics
  kill "$pid"; wait "$pid" || :
  sed -n 's/.*"\(limiter_fallbacks_total\|store_connects_total\)".*/svc_\1/p' amalgamation/pipeline/stats.c >>build/kubernetes/metrics # only with --limiter or --store
  grep -ohE '\b(svc|svcd|process)_[a-z_]+' package/prometheus/alerts.yml package/prometheus/grafana.json | sed 's/_bucket$//' | sort -u >build/kubernetes/named
  [ -s build/kubernetes/named ] || die 'package/prometheus names no metric'
  while read -r name; do grep -qx "$name" build/kubernetes/metrics || die "package/prometheus: svcd has no metric $name"; done <build/kubernetes/named
  if command -v promtool >/dev/null 2>&1; then promtool check rules package/prometheus/alerts.yml >build/kubernetes/promtool || { cat build/kubernetes/promtool; die 'promtool refuses the rules'; }; fi
}
