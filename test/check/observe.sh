#!/bin/sh
# Observability for operators: /_svc/metrics and who has access, the access log and its rotation, failed sign-ins; none of
# these shows a secret.
. test/check/common

T=build/check/observe
flags="--memory --bootstrap $T/first.json"
. test/check/service
status() { curl -sS -o $T/answer -w '%{http_code}' "$@"; }
get() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" $T/first.json; }
has() { grep -qE -e "$2" "$1" || { cat "$1"; fail "$3: nothing in $1 is as $2"; }; }

begin
[ "$(status "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics is there without --metrics"
kill -HUP $svcd
end
has $T/err 'SIGHUP: there is nothing to reload' "without an access log"

begin --metrics --access-log $T/access --log-level info --trusted-proxy 127.0.0.1
key=$(get publicKey); secret=$(get privateKey)
[ "$(status --digest --user "$key:$secret" "$url/api/svc/v2/orgs?name=hidden")" = 200 ] || fail "no organizations"
[ "$(status --digest --user "$key:wrongwrongwrong" "$url/api/svc/v2/orgs")" = 401 ] || fail "a wrong key is let in"
[ "$(status -H 'Authorization: Bearer mistypedtoken' "$url/api/svc/v2/orgs")" = 401 ] || fail "a wrong token is let in"
[ "$(status --user "$(get clientId):wrongsecret" -d grant_type=client_credentials "$url/api/oauth/token")" = 401 ] || fail "a wrong secret is"
token=$(curl -sS --user "$(get clientId):$(get clientSecret)" -d grant_type=client_credentials "$url/api/oauth/token" |
  sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')
[ -n "$token" ] || fail "no token"
[ "$(status -H "Authorization: Bearer $token" "$url/api/svc/v2/groups")" = 200 ] || fail "no projects"
[ "$(status -d x=y "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics takes a POST"
[ "$(status -H 'X-Forwarded-For: 192.0.2.1' "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics is shown to others"
[ "$(status -H 'Origin: http://evil.test' "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics is shown to a page of another site"
[ "$(status -H 'Sec-Fetch-Site: cross-site' "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics is shown to a page of another site, by Sec-Fetch-Site"
[ "$(status -H 'Host: evil.test' "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics is shown under another host's name"
for host in localhost:80.evil.test 127.0.0.1:80x '[::1]x' '[::1'; do
  [ "$(status -H "Host: $host" "$url/_svc/metrics")" = 404 ] || fail "/_svc/metrics is shown at the Host $host"
done
[ "$(status -H 'Host: localhost' "$url/_svc/metrics")" = 200 ] || fail "no /_svc/metrics of localhost"
[ "$(status -H 'Host: [::1]:80' -H 'Sec-Fetch-Site: none' "$url/_svc/metrics")" = 200 ] || fail "no /_svc/metrics of ::1"
[ "$(status "$url/_svc/metrics")" = 200 ] || fail "no /_svc/metrics"
has $T/answer '^svc_requests_total\{operation="listOrgs",code="200"\} 2$' metrics  # svcd's own request at the start is one
has $T/answer '^svc_request_seconds_count\{operation="listOrgs"\} [3-9]$' metrics
has $T/answer '^svc_sign_ins_failed_total 3$' metrics
has $T/answer '^svc_commits_total [1-9]' metrics
has $T/answer '^svc_store_bytes [1-9]' metrics
has $T/answer '^svc_connections 1$' metrics
has $T/answer '^svc_connections_total [1-9]' metrics
has $T/answer '^svcd_build_info\{version="[0-9.]+"\} 1$' metrics
has $T/answer '^process_cpu_seconds_total [0-9]' metrics
has $T/answer '^process_resident_memory_bytes [1-9][0-9]{5}' metrics
has $T/answer '^process_max_fds [1-9]' metrics
has $T/answer '^process_start_time_seconds 1[0-9]{9}$' metrics
has $T/answer '^svc_request_seconds_bucket\{operation="listOrgs",le="60.000000"\} [3-9]$' metrics
has $T/answer '^svc_late_seconds [0-9]+\.[0-9]{3}$' metrics
has $T/answer '^svc_orders 0$' metrics
has $T/answer '^svc_orders_waiting 0$' metrics
has $T/answer '^svc_orders_oldest_seconds 0\.000$' metrics
has $T/answer '^svc_order_retries_total 0$' metrics
# each family has its HELP and its TYPE, once, directly before its lines; counters end in _total, and no unit is milliseconds
awk '$1 == "#" && $2 == "HELP" { help = $3; if (seen[help]++ || NF < 4) { print; bad = 1 } next }
  $1 == "#" && $2 == "TYPE" { name = $3; type = $4; if (name != help || type !~ /^(counter|gauge|histogram)$/) { print; bad = 1 }
    if ((type == "counter") != (name ~ /_total$/) || name ~ /milli|micro|_ms$/) { print; bad = 1 } next }
  { n = $1; sub(/[{].*/, "", n); if (type == "histogram") sub(/_(bucket|sum|count)$/, "", n); if (n != name) { print; bad = 1 } }
  END { exit bad }' $T/answer || fail "the metrics do not follow the format of Prometheus"
awk '!/^#/ && !/^[a-z_]+(\{[a-zA-Z_]+="[^"]*"(,[a-zA-Z_]+="[^"]*")*\})? [0-9.]+$/ { print; bad = 1 } END { exit bad }' $T/answer ||
  fail "a line is not a metric"
if command -v promtool >/dev/null 2>&1; then # also requires the usual names for counters and units
  promtool check metrics <$T/answer >$T/promtool 2>&1 || { cat $T/promtool; fail "promtool refuses the metrics"; }
fi
cp $T/answer $T/metrics
[ "$(awk '{ print $1 }' $T/metrics | grep -v '^#' | sort | uniq -d | wc -l)" = 0 ] || fail "metrics have a line twice"

trace=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
[ "$(status -H "traceparent: $trace" "$url/api/svc/v2/unauth/controlPlaneIPAddresses")" = 200 ] || fail "a traceparent is refused"
[ "$(status -H "traceparent: cc${trace#00}-later" "$url/api/svc/v2/unauth/controlPlaneIPAddresses")" = 200 ] || fail "a later traceparent is refused"
# too long, an invalid version, capitals, ids of zeros, too short, twice: ignored
for bad in $trace-x ff${trace#00} 00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01 00-00000000000000000000000000000000-00f067aa0ba902b7-01 \
  00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01 ${trace%1} "$trace, $trace" cc${trace#00}x; do
  [ "$(status -H "traceparent: $bad" "$url/api/svc/v2/unauth/controlPlaneIPAddresses")" = 200 ] || fail "a bad traceparent is not ignored"
done
[ "$(status -H "traceparent: $trace" -H "Traceparent: $trace" "$url/api/svc/v2/unauth/controlPlaneIPAddresses")" = 200 ] || fail "two of traceparent are not ignored"
[ "$(grep -c traceparent $T/access)" = 2 ] || fail "an invalid traceparent is in the access log: $(grep traceparent $T/access)"
grep -qF '"traceparent":"'$trace'"}' $T/access || fail "a traceparent is not in the access log"
mv $T/access $T/access.1
kill -HUP $svcd
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -f $T/access ] && break; sleep 0.2; done
printf 'nonsense\r\n\r\n' | curl -sS --max-time 5 "telnet://${url#http://}" >/dev/null 2>&1 || :
[ "$(status "$url/_svc/health")" = 200 ] || fail "no health"
end
has $T/access.1 '^\{"time":"20[0-9TZ:.-]*","peer":"127.0.0.1","method":"GET","path":"/api/svc/v2/orgs","status":200,"bytes":[0-9]+,"micros":[0-9]+,"operation":"listOrgs","caller":"'"$key"'"\}$' "access log"
has $T/access.1 '"path":"/_svc/metrics","status":404' "access log"
has $T/access.1 '"peer":"192.0.2.1"' "access log"
has $T/access '"path":"/_svc/health","status":200' "access log after SIGHUP"
has $T/access '"peer":"127.0.0.1","status":400' "access log of what could not be read"
grep -q health $T/access.1 && fail "the access log was not reopened"
has $T/err 'sign-in failed: public key .{4}\.\.\. from 127.0.0.1: ' log
has $T/err 'sign-in failed: bearer token from 127.0.0.1: ' log
has $T/err 'sign-in failed: client svc_sa_id_..\.\.\. from 127.0.0.1' log
for word in "$secret" "$(get clientSecret)" "$token" mistypedtoken wrongsecret wrongwrongwrong hidden; do
  if grep -qF -e "$word" $T/access $T/access.1 $T/err $T/metrics; then fail "a log holds a secret: $word"; fi
done

begin --metrics-public --trusted-proxy 127.0.0.1 --log-level error
[ "$(status -H 'X-Forwarded-For: 192.0.2.1' "$url/_svc/metrics")" = 200 ] || fail "/_svc/metrics is not shown with --metrics-public"
[ "$(status -H 'Host: svc.example.com' "$url/_svc/metrics")" = 200 ] || fail "--metrics-public does not answer by the machine's public name"
[ "$(status -H 'Origin: http://evil.test' "$url/_svc/metrics")" = 404 ] || fail "--metrics-public is shown to a page of another site"
[ "$(status -H 'Authorization: Bearer mistypedtoken' "$url/api/svc/v2/orgs")" = 401 ] || fail "a wrong token is let in"
end
if grep -q 'sign-in' $T/err; then fail "--log-level error shows warnings"; fi
if build/svcd --memory --show-credentials --log-level loud >$T/out 2>&1; then fail "--log-level loud is taken"; fi
if build/svcd --memory --show-credentials --access-log $T/no/where >$T/out 2>&1; then fail "an access log nowhere is taken"; fi
has $T/out 'access-log .*No such file' "a wrong access log"

# a separate address: the API's address stops answering metrics, both answer health, and the separate one serves nothing else
begin --metrics-listen 127.0.0.1:0
metrics=$(sed -n 's|^metrics: *||p' $T/out)
[ "$(status "$metrics")" = 200 ] || fail "no metrics at $metrics"
has $T/answer '^svc_connections [0-9]' "metrics of --metrics-listen"
[ "$(status "$url/_svc/metrics")" = 404 ] || fail "--listen still answers /_svc/metrics"
cp $T/answer $T/unknown
[ "$(status "$url/_svc/unknown")" = 404 ] || fail "no 404"
sed 's/metrics/unknown/g' $T/unknown | cmp -s - $T/answer || fail "/_svc/metrics is not answered as any unknown path: $(cat $T/unknown)"
for path in health health/live health/ready; do
  [ "$(status "$url/_svc/$path")" = 200 ] || fail "no $path beside the API"
  [ "$(status "${metrics%/metrics}/$path")" = 200 ] || fail "no $path beside the metrics"
done
for path in / /api/svc/v2/orgs /openapi.json /_svc/healthy /_svc/clock /_explorer/main.js; do
  [ "$(status "${metrics%/_svc/metrics}$path")" = 404 ] || fail "$path is answered at --metrics-listen"
done
[ "$(status -H 'Host: evil.test' "$metrics")" = 404 ] || fail "--metrics-listen on loopback answers under another host's name"
[ "$(status -H 'Origin: http://evil.test' "$metrics")" = 404 ] || fail "--metrics-listen is shown to a page of another site"
end
refused 'metrics-listen: .*' --memory --bootstrap $T/b --metrics-listen nowhere
refused '^svcd: --metrics-public and --metrics-listen ' --memory --bootstrap $T/b --metrics-listen 127.0.0.1:0 --metrics-public
