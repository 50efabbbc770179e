#!/bin/sh
# The sign-in link of svcd works once, for a minute, for a page of svcd's own on this machine, and for no one else. Only standard output has
# its code. Also tests the console's access to test control: a page of svcd's own is accepted with the token, every other page is refused.
. test/check/common
tool python3 # for a pseudo-terminal

T=build/check/sign_in_link
flags="--sign-in-link --log-level info"
. test/check/service
json='Content-Type: application/json'
code() { sed -n 's/.*#\/~signin\///p' "$T/out"; }
send() { curl -sS --max-time 10 -D "$T/head" -o "$T/answer" -w '%{http_code}' "$@" "$url/_explorer/sign-in"; }
try() { # [CURL ARGUMENT]...; $body, if set, replaces the code
  if [ -z "${body+set}" ]; then send -H "$json" -H "Origin: $url" --data-raw "{\"code\":\"$(code)\"}" "$@"
  else send -H "$json" -H "Origin: $url" --data-raw "$body" "$@"; fi
}
expect() { # STATUS WHAT [CURL ARGUMENT]...
  want=$1; what=$2; shift 2
  got=$(try "$@")
  [ "$got" = "$want" ] || { cat "$T/answer"; fail "$what: $got, not $want"; }
}
guess() { body="{\"code\":\"$3\"}"; expect "$1" "$2"; unset body; } # STATUS WHAT CODE
# by default, svcd prints a link to a terminal, and no link to a pipe
terminal() { # FLAG...: svcd with a terminal as standard output, which is recorded in $T/tty
  python3 - "$T/tty" "$@" <<'PYTHON'
import os, pty, signal, sys
pid, fd = pty.fork()
if pid == 0: os.execv('build/svcd', ['svcd', '--listen', 'http://127.0.0.1:0'] + sys.argv[2:])
signal.alarm(20)
text = b''
while b'svcd ready on' not in text: text += os.read(fd, 4096)
open(sys.argv[1], 'wb').write(text)
os.kill(pid, signal.SIGTERM)
os.waitpid(pid, 0)
PYTHON
}

# a link that is not used: its minute starts now, and is checked at the end
build/svcd --memory --bootstrap $T/late.json --listen http://127.0.0.1:0 --sign-in-link >$T/late.out 2>$T/late.err & late=$!
trap 'kill $late 2>/dev/null || :; [ -z "$svcd" ] || kill $svcd 2>/dev/null || :' EXIT
began=$(date +%s)

# refused requests
begin --data $T/data --access-log $T/access --test-control --trusted-proxy 127.0.0.2
[ "$(code | wc -c)" -eq 65 ] || { cat $T/out; fail "svcd prints no link of 64 hex digits"; }
used=$(code)
other="http://127.0.0.1:1"
[ "$(send -H "$json" --data-raw "{\"code\":\"$used\"}")" = 403 ] || fail "a request without Origin uses the link"
[ "$(send -H "$json" -H "Origin: $url" -H "Origin: $other" --data-raw "{\"code\":\"$used\"}")" != 200 ] || fail "a request with two origins uses the link"
for origin in null "$other" http://evil.test "https://${url#http://}" "$url.evil.test" "$url/" "http://localhost:${url##*:}"; do
  got=$(curl -sS --max-time 10 -o $T/answer -w '%{http_code}' -H "$json" -H "Origin: $origin" -d "{\"code\":\"$used\"}" "$url/_explorer/sign-in")
  [ "$got" = 403 ] || fail "a page of $origin uses the link: $got"
done
for host in evil.test "evil.test:${url##*:}" 127.0.0.1.evil.test localhost.evil.test 10.0.0.1 '[::2]' "localhost:${url##*:}.evil.test" "127.0.0.1:${url##*:}x" localhost:1 \
  localhost: localhost "[::1]:${url##*:}.evil.test" '[::1]x' "localhost:9${url##*:}9"; do
  got=$(curl -sS --max-time 10 -o $T/answer -w '%{http_code}' -H "$json" -H "Host: $host" -H "Origin: http://$host" -d "{\"code\":\"$used\"}" "$url/_explorer/sign-in")
  [ "$got" = 403 ] || fail "a page with the Host $host uses the link: $got"
done
for header in 'X-Forwarded-For: 127.0.0.1' 'X-Forwarded-Host: localhost' 'Forwarded: for=127.0.0.1' 'Via: 1.1 proxy' 'X-Real-IP: 127.0.0.1' 'Sec-Fetch-Site: cross-site' \
  'Sec-Fetch-Site: none' 'Sec-Fetch-Site: same-site'; do expect 403 "with $header" -H "$header"; done
expect 403 "two of Sec-Fetch-Site, one of another site" -H 'Sec-Fetch-Site: same-origin' -H 'Sec-Fetch-Site: cross-site'
[ "$(curl -sS -o $T/answer -w '%{http_code}' "$url/_explorer/sign-in?code=$used")" != 200 ] || fail "a GET uses the link"
[ "$(curl -sS -o $T/answer -w '%{http_code}' -X GET "$url/_explorer/sign-in")" = 405 ] || fail "a GET is not refused"
expect 405 "by PUT" -X PUT
for body in '' '{}' '{"code":""}' '{"code":"12"}' "{\"code\":\"$used\" }" "[\"$used\"]" "code=$used" "{\"code\":\"${used}0\"}" "$(head -c 5000 /dev/zero | tr '\0' a)"; do
  expect 400 "the body $(printf %.20s "$body")"
done
unset body
got=$(curl -sS -o $T/answer -w '%{http_code}' -H "Origin: $url" -H 'Content-Type: text/plain' -d "{\"code\":\"$used\"}" "$url/_explorer/sign-in")
[ "$got" = 400 ] || fail "a form of another site could send this: $got"
# a code that is wrong only in its last digit gets a delay, and does not use up the link
wrong=$(printf %s "$used" | sed 's/0$/1/; t; s/.$/0/')
guess 401 "a wrong code" "$wrong"
guess 401 "the code in capitals" "$(printf %s "$used" | tr a-f A-F)"

# the correct request works once
expect 200 "the link" -H 'Sec-Fetch-Site: same-origin'
grep -qi '^cache-control: no-store' $T/head || fail "the answer may be kept"
grep -qi "^x-test-token: $(of testToken)" $T/head || fail "the answer lacks the token of test control"
grep -qi "^x-client-id: $(of clientId)" $T/head || fail "the answer does not say who is signed in"
token=$(sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p' $T/answer)
[ "$(curl -sS -o $T/answer -w '%{http_code}' -H "Authorization: Bearer $token" "$url/api/svc/v2/orgs")" = 200 ] || fail "the token is invalid"
expect 410 "the link a second time"
guess 410 "a wrong code after it" "$wrong"
grep -q 'signed in with the sign-in link' $T/err || fail "the log does not say that the link was used"
if grep -q "$used\|$token" $T/err $T/access; then fail "a log has the code or the token"; fi
curl -sS -H "Authorization: Bearer $(of testToken)" "$url/_svc/journal?limit=1000" >$T/journal
if grep -q "$used\|$token\|$(of clientSecret)" $T/journal; then fail "the journal has a secret"; fi
kill -HUP $svcd; sleep 0.3
[ "$(grep -c '~signin' $T/out)" = 1 ] || fail "SIGHUP prints another link"

for host in "localhost:${url##*:}.evil.test" "127.0.0.1:${url##*:}x" '[::1]x' '[::1]:1.evil.test'; do
  [ "$(curl -sS -o $T/answer -w '%{http_code}' -H "Authorization: Bearer $(of testToken)" -H "Host: $host" "$url/_svc/clock")" = 403 ] || fail "test control answers at the Host $host"
done

# test control: only a page of svcd's own, with the token
clock() { curl -sS --max-time 10 -o $T/answer -w '%{http_code}' -H "Authorization: Bearer $(of testToken)" -H "$json" "$@" "$url/_svc/snapshots"; }
[ "$(clock -H "Origin: $url" -d '{"name":"a"}')" = 201 ] || { cat $T/answer; fail "the console cannot use test control"; }
for origin in null "$other" http://evil.test "https://${url#http://}" "$url/" "http://localhost:${url##*:}" http://127.0.0.1; do
  [ "$(clock -H "Origin: $origin" -d '{"name":"a"}')" = 403 ] || fail "a page of $origin uses test control"
done
[ "$(clock -H 'Host: evil.test' -H 'Origin: http://evil.test' -d '{"name":"a"}')" = 403 ] || fail "a page that has its own name lead here uses test control"
[ "$(clock -H "Origin: $url" -H "Origin: http://evil.test" -d '{"name":"a"}')" = 403 ] || fail "a request with two origins uses test control"
[ "$(curl -sS --max-time 10 -o $T/answer -w '%{http_code}' -H "Origin: $url" -H "$json" -d '{"name":"a"}' "$url/_svc/snapshots")" = 401 ] || fail "the console needs no token"
names=$(sed -n 's/^  { "\([a-z]*\)",$/"\1"/p' examples/svcd/world_files.c | sort | paste -sd, -)
[ "$(curl -sS "$url/_svc/worlds")" = "[$names]" ] || fail "GET /_svc/worlds does not list the worlds of examples/svcd/world_files.c: $names"
for world in $(printf %s "$names" | tr -d '"' | tr , ' '); do
  curl -sS "$url/_svc/worlds/$world" >$T/world.json
  build/svcd world --check $T/world.json >/dev/null 2>&1 || fail "GET /_svc/worlds/$world is no world"
done
[ "$(curl -sS -o $T/answer -w '%{http_code}' "$url/_svc/worlds/nothing")" = 401 ] || fail "a world that there is not"
end

# the second start: the store has only hashes, and the file has the secret. It prints another link; the first link is void
begin --data $T/data
[ "$(code)" != "$used" ] || fail "the code is the same as before"
guess 401 "the link of the start before" "$used"
expect 200 "the link of a second start"
grep -qi '^x-test-token' $T/head && fail "without test control there is a token of it"
end
# five wrong codes close the link
begin --data $T/data
for _ in 1 2 3 4 5; do guess 401 "a guess" "$wrong"; done
expect 410 "the link after five guesses"
grep -q '(5 of 5): the link is closed' $T/err || fail "the log does not say that the link is closed"
end
# without the file there is no link, and svcd gives the reason; the path is then an unknown one
mv $T/data/bootstrap.json $T/away.json
begin --data $T/data
grep -q 'no sign-in link: .*/bootstrap.json is missing' $T/out || { cat $T/out; fail "svcd does not say why there is no link"; }
case $(try) in 200|410) fail "there is a link where none was printed" ;; esac
end
mv $T/away.json $T/data/bootstrap.json

# without a terminal there is no link; with a terminal there is one, except where it would be useless
flags=
begin --data $T/data
if grep -q signin $T/out; then fail "svcd prints a link into a file"; fi
[ "$(curl -sS -o $T/answer -w '%{http_code}' -H "$json" -H "Origin: $url" -d '{}' "$url/_explorer/sign-in")" = 404 ] || { cat $T/answer; fail "the path is not answered as an unknown path"; }
curl -sS "$url/_svc/health" | grep -q testControl && fail "the health names test control, which is off"
end
terminal --data $T/data || fail "svcd does not start at a terminal"
grep -q '#/~signin/[0-9a-f]\{64\}' $T/tty || fail "svcd prints no link at a terminal"
terminal --data $T/data --no-explorer || fail "svcd does not start at a terminal"
if grep -q signin $T/tty; then fail "svcd prints a link to a page that is not there"; fi
terminal --data $T/data --log-format json || fail "svcd does not start at a terminal"
if grep -q signin $T/tty; then fail "svcd prints a link into a log"; fi
refused 'there is no console to sign in to' --data $T/data --sign-in-link --no-explorer
refused 'a log must not contain it' --data $T/data --sign-in-link --log-format json
refused 'needs a loopback address' --data $T/data --sign-in-link --listen http://0.0.0.0:0 --plain-http

# after a minute
while [ $(($(date +%s) - began)) -le 61 ]; do sleep 1; done
cp $T/late.out $T/out
url=$(sed -n 's/.*svcd ready on //p' $T/late.out)
expect 410 "the link after a minute"
kill $late; wait $late || fail "svcd does not end cleanly"
