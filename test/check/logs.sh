#!/bin/sh
# Every line of the log has an event, and docs/logs.md lists exactly the events that the code names. With --log-format json every line that svcd
# writes is valid JSON with time, level, event and message, for any message text, and its event is in that list.
. test/check/common
tool python3

T=build/check/logs
flags="--memory --bootstrap $T/first.json --log-format json --log-level info"
. test/check/service

# the events of the code: the constants of their form in each call that logs; a call that passes an event on has no constant
cat >$T/events.py <<'PYTHON'
import re, subprocess, sys
names = 'svc_log|svc_listener_log|svc_listener_warn|exec_say|driver_say|svcd_say|svcd_log|svcd_print|log_put|log_event'
found = set()
for name in subprocess.check_output(['find', 'amalgamation', 'ports', 'examples', '-name', '*.[ch]'], text=True).split():
  text = re.sub(r'/\*.*?\*/', ' ', open(name).read(), flags=re.S)
  for call in re.findall(r'\b(?:' + names + r')\(((?:"(?:\\.|[^"\\])*"|[^";{])*);', text):
    events = re.findall(r'"((?!svc_config)[a-z_]+\.[a-z_]+)"', call)
    if not events and not re.search(r'\bevent,', call): sys.exit(f'{name}: a line of the log has no event: {call[:100]}')
    found.update(events)
listed = re.findall(r'^\| `([a-z_]+\.[a-z_]+)` \| .* \|$', open('docs/logs.md').read(), flags=re.M)
if listed != sorted(set(listed)): sys.exit('docs/logs.md: the events are not sorted, or one stands twice')
if len(found) < 60: sys.exit(f'only {len(found)} events were found in the code: this check would find nothing')
for event in sorted(found ^ set(listed)): print(event, 'is in docs/logs.md alone' if event in listed else 'is not in docs/logs.md')
sys.exit(found != set(listed))
PYTHON
python3 $T/events.py || fail "docs/logs.md and the code name different events"

cat >$T/lines.py <<'PYTHON'
import json, re, sys
known = set(re.findall(r'^\| `([a-z_]+\.[a-z_]+)` \|', open('docs/logs.md').read(), flags=re.M))
seen = []
for path in sys.argv[2:]:
  for line in open(path, 'rb').read().decode('utf-8').splitlines():
    one = json.loads(line)
    if sorted(one) != ['event', 'level', 'message', 'time']: sys.exit(f'{path}: {line}')
    if one['event'] not in known or one['level'] not in ('error', 'warning', 'info') or not one['message']: sys.exit(f'{path}: {line}')
    if not re.fullmatch(r'20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z', one['time']): sys.exit(f'{path}: {line}')
    seen.append(one['event'])
missing = set(sys.argv[1].split()) - set(seen)
if missing: sys.exit(f'no line has the event {missing}; there are {sorted(set(seen))}')
PYTHON
lines() { python3 $T/lines.py "$@" || { cat $T/out $T/err; fail "the log is not as it should be"; }; }

# a driver program whose output is hard to encode: quotes, control characters, invalid and valid UTF-8
cat >$T/driver.sh <<'PROGRAM'
echo '{"driver":1}'
printf 'say "no" \\ \001\033[0m \303\251 \377\300\200 \355\240\200 \360\237\230\200\n' >&2
exit 3
PROGRAM
begin --metrics-listen 127.0.0.1:0 --slow-ms 1 --driver "exec:sh $T/driver.sh"
curl -sS -o $T/answer -H 'Authorization: Bearer wrong' "$url/api/svc/v2/orgs"
printf 'nonsense\r\n\r\n' | curl -sS --max-time 5 "telnet://${url#http://}" >/dev/null 2>&1 || :
kill -HUP $svcd
for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q driver.ended $T/err && break; sleep 0.2; done
end
lines 'svcd.ready svcd.stopping metrics.ready credentials.written organization.made driver.said driver.ended sign_in.failed listener.refused reload.nothing' $T/out $T/err
grep -qF 'say \"no\" \\   [0m é ??? ??? 😀' $T/err || { cat $T/err; fail "the words of the program are not as it wrote them"; }
if grep -qF "$(sed -n 's/.*"privateKey":"\([^"]*\)".*/\1/p' $T/first.json)" $T/out $T/err; then fail "the log holds a secret"; fi

# errors before svcd runs, at any position of the flag
for arguments in "--no-such-flag --log-format json" "--log-format json --memory" "--log-format json --memory --bootstrap $T/b --show-credentials" \
  "--log-format json --memory --bootstrap $T/b --listen http://127.0.0.1:99999"; do
  # shellcheck disable=SC2086
  if build/svcd $arguments >$T/out 2>$T/err; then fail "svcd $arguments is taken"; fi
  lines flags.invalid $T/out $T/err
done
if build/svcd --log-format json "--$(printf 'a\001\tb\177')" >$T/out 2>$T/err; then fail "a flag of control characters is taken"; fi
lines flags.invalid $T/out $T/err
grep -qF -e '--a\u0001\u0009b\u007f: no such flag' $T/err || { cat $T/err; fail "control characters are not written as JSON has them"; }
if SVCD_LOG_FORMAT=json build/svcd --memory >$T/out 2>$T/err; then fail "svcd --memory without a place for credentials is taken"; fi
lines flags.invalid $T/out $T/err
refused '^svcd: --log-format must be text or json' --memory --bootstrap $T/b --log-format xml
