#!/bin/sh
# Each example is at most one page, compiles without a warning, and works. test_control.sh covers the examples of tests.
. test/check/common

T=build/check/examples
rm -rf $T; mkdir -p $T
pid=
trap 'if [ -n "$pid" ]; then kill $pid 2>/dev/null || :; fi' EXIT
compile() { # NAME [FLAG]...
  name=$1; shift
  [ "$(wc -l <"examples/$name.c")" -lt 80 ] || fail "examples/$name.c has grown to 80 lines"
  # shellcheck disable=SC2086
  $CC $STRICT -O1 -I. "$@" -o "$T/$name" "examples/$name.c" $more build/libsvcapi.a $MBED_LIBS -pthread ||
    fail "examples/$name.c does not compile"
}
run() { # NAME [ARGUMENT]...
  name=$1; shift
  timeout 60 "$T/$name" "$@" >"$T/$name.out" 2>&1 || { cat "$T/$name.out"; fail "examples/$name.c fails"; }
}
begin() { # NAME ARGUMENT...: starts a server, and waits until it is ready
  name=$1; shift
  "$T/$name" "$@" >"$T/$name.out" 2>&1 & pid=$!
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do if grep -q '^curl' "$T/$name.out"; then return 0; fi; sleep 0.25; done
  fail "examples/$name.c does not start: $(cat "$T/$name.out")"
}
end() { kill $pid; wait $pid 2>/dev/null || :; pid=; }
free_port() { # for two servers of others, which cannot choose a free port themselves
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

more=
for name in minimal clock driver threads faults; do compile $name -D_DEFAULT_SOURCE; done
run minimal $T/data
run minimal $T/data
grep -q '"totalCount" *: *2' $T/minimal.out || fail "examples/minimal.c: what was made is not there the second time"
for name in clock driver threads faults; do run $name; done

left=
if command -v python3 >/dev/null 2>&1; then
  tool curl
  $CC -std=gnu11 -w -O1 -c -o $T/mongoose.o build/deps/mongoose.c
  more=$T/mongoose.o; compile in_mongoose -std=gnu11 -Wno-pedantic -isystem build/deps
  url=http://127.0.0.1:$(free_port)
  begin in_mongoose "$url"
  [ "$(curl -sS "$url/")" = 'What this program did before.' ] || fail "examples/in_mongoose.c has taken the whole program over"
  sed "s/^curl/curl -sS/" $T/in_mongoose.out >$T/call.sh
  sh $T/call.sh | grep -q '"totalCount":1' || fail "examples/in_mongoose.c does not answer"
  curl -sS -w '%{http_code} %{num_connects}\n' -o $T/1 "$url/api/svc/v2/groups" -o $T/2 "$url/api/svc/v2/nothing" >$T/out # over one connection
  [ "$(tr '\n' ' ' <$T/out)" = '401 1 404 0 ' ] || fail "examples/in_mongoose.c lets strangers in, or closes: $(cat $T/out)"
  end

  more=; compile scgi -D_DEFAULT_SOURCE
  if command -v nginx >/dev/null 2>&1; then # the real server, if it is installed
    url=http://127.0.0.1:$(free_port)
    begin scgi $T/sock "$url"
    mkdir $T/nginx
    cat >$T/nginx/conf <<C
$(if [ "$(id -u)" = 0 ]; then echo 'user root;'; fi) daemon off; pid pid; error_log log; events {}
http { access_log off; client_body_temp_path body; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  server { listen ${url#http://}; location /api/ { include /etc/nginx/scgi_params; scgi_pass unix:$PWD/$T/sock; } } }
C
    nginx -p "$PWD/$T/nginx" -c conf >$T/nginx.out 2>&1 & nginx=$!
    trap 'kill $nginx $pid 2>/dev/null || :' EXIT
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do if curl -s -o /dev/null "$url/"; then break; fi; sleep 0.25; done
    sed "s/^curl/curl -sS/" $T/scgi.out >$T/call.sh
    sh $T/call.sh >$T/out || fail "nginx does not answer: $(cat $T/nginx.out)"
    grep -q '"totalCount":1' $T/out || fail "examples/scgi.c behind nginx does not answer: $(cat $T/out)"
    kill $nginx; wait $nginx 2>/dev/null || :
    end
  else left=' nginx'; fi
  begin scgi $T/sock https://example.net
  python3 - $T/sock >$T/out <<'P' || fail "examples/scgi.c breaks off"
import socket, sys
def ask(method, uri, body=b""):
    head = b"".join(n + b"\0" + v + b"\0" for n, v in ((b"CONTENT_LENGTH", b"%d" % len(body)), (b"SCGI", b"1"), (b"REQUEST_METHOD", method),
        (b"REQUEST_URI", uri), (b"REMOTE_ADDR", b"192.0.2.1"), (b"CONTENT_TYPE", b"application/json"), (b"HTTP_ACCEPT", b"application/json")))
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
    s.sendall(b"%d:%s,%s" % (len(head), head, body)); s.shutdown(socket.SHUT_WR)
    answer = b"".join(iter(lambda: s.recv(65536), b"")); print(answer.decode().split("\r\n")[0])
ask(b"GET", b"/api/svc/v2/unauth/controlPlaneIPAddresses")
ask(b"POST", b"/api/svc/v2/groups", b'{"name":"a"}')
P
  [ "$(tr '\n' ' ' <$T/out)" = 'Status: 200 OK Status: 401 Unauthorized ' ] || fail "examples/scgi.c answers $(cat $T/out)"
  end
else left=' python3'; fi
[ -z "$left" ] || echo "skipped: not installed:$left"
