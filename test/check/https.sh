#!/bin/sh
# https with real clients: svcd with its own certificate, used by curl, openssl s_client, a Node program that cannot
# speak plain HTTP, and a browser. curl and openssl are required; the others are tested if they are installed.
. test/check/common

tool curl; tool openssl
[ -x build/svcd ] || fail "build/svcd is missing: run ./build.sh test"
T=build/check/https
rm -rf $T; mkdir -p $T
build/svcd --data $T/data --listen https://127.0.0.1:0 --listen http://127.0.0.1:0 --show-credentials >$T/svcd.out 2>$T/svcd.err &
svcd=$!
trap 'kill $svcd 2>/dev/null || :' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do grep -q '^svcd ready on' $T/svcd.out && break; sleep 0.5; done
url=$(sed -n 's/^svcd ready on \([^ ]*\) .*/\1/p' $T/svcd.out)
case $url in https://127.0.0.1:*) ;; *) fail "svcd does not start: $(tail -n 1 $T/svcd.err)" ;; esac
at=${url#https://}; port=${at##*:}
ca=$T/data/tls.crt; path=/api/svc/v2/unauth/controlPlaneIPAddresses
key=$(sed -n 's/^publicKey: *//p' $T/svcd.out):$(sed -n 's/^privateKey: *//p' $T/svcd.out)

# ---- curl: both TLS versions and no older one, by name and address, with a login; clients without trust and clients with plain
# HTTP fail
for v in 1.2 1.3; do
  for host in localhost 127.0.0.1; do
    curl -fsS --tlsv$v --tls-max $v --cacert $ca "https://$host:$port$path" >$T/out || fail "curl does not get to https://$host by TLS $v"
    grep -q "\"href\":\"$url" $T/out || fail "links of https do not start with it: $(cat $T/out)"
  done
done
curl -fsS --cacert $ca --digest --user "$key" "$url/api/svc/v2/orgs" | grep -q '"totalCount"' || fail 'curl cannot log in over https'
status=0; curl -sS "$url$path" >$T/out 2>&1 || status=$?
[ $status = 60 ] || fail "curl trusts a certificate that it does not know: status $status"
status=0; curl -sS --max-time 10 "http://$at$path" >$T/out 2>&1 || status=$?
[ $status != 0 ] || fail 'the port of https answers plain HTTP'
! grep -q '"href"' $T/out || fail 'the port of https serves plain HTTP'
# four requests on one connection, one of them a body
curl -fsS --cacert $ca -w '%{num_connects}\n' -o $T/1 -o $T/2 -o $T/3 "$url$path" "$url$path" "$url$path" >$T/out
[ "$(tr '\n' ' ' <$T/out)" = '1 0 0 ' ] || fail "curl does not keep its connection: $(tr '\n' ' ' <$T/out)"

# the console is served, too
curl -fsS --cacert $ca -D $T/head "$url/" >$T/out || fail 'the explorer is not served over https'
grep -q "^Content-Security-Policy: default-src 'none'; script-src 'self';" $T/head || fail 'the explorer has no policy over https'

# ---- openssl: the certificate is the printed one; old versions and renegotiation are refused
sha=$(sed -n 's/^certificate: .*SHA-256 //p' $T/svcd.out)
[ "$(openssl x509 -in $ca -noout -fingerprint -sha256 | sed 's/.*=//')" = "$sha" ] || fail "the fingerprint that svcd prints is not its certificate's"
for v in tls1_2 tls1_3; do
  echo Q | openssl s_client -connect "$at" -$v -CAfile $ca -verify_return_error -verify_ip 127.0.0.1 -alpn h2,http/1.1 >$T/out 2>&1 ||
    fail "openssl s_client -$v fails: $(tail -n 1 $T/out)"
  grep -q 'ALPN protocol: http/1.1' $T/out || fail "no ALPN by $v"
  grep -q 'Server Temp Key: X25519' $T/out || fail "no forward secrecy by $v"
done
for v in tls1 tls1_1; do
  if echo Q | openssl s_client -connect "$at" -$v -cipher 'ALL:@SECLEVEL=0' >$T/out 2>&1; then fail "$v is served"; fi
done
for suite in AES128-SHA AES128-GCM-SHA256 ECDHE-ECDSA-AES128-SHA; do
  if echo Q | openssl s_client -connect "$at" -tls1_2 -cipher "$suite" >$T/out 2>&1; then fail "$suite is served"; fi
done
{ sleep 1; echo R; sleep 1; } | openssl s_client -connect "$at" -tls1_2 -CAfile $ca >$T/out 2>&1 || :
grep -q 'no renegotiation' $T/out || fail "a renegotiation is not refused: $(tail -n 1 $T/out)"

# ---- a session ticket resumes on the next connection
for v in tls1_2 tls1_3; do
  { printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' $path; sleep 1; } |
    openssl s_client -connect "$at" -$v -CAfile $ca -ign_eof -sess_out $T/session >$T/out 2>&1 || fail "openssl s_client -$v gets no session"
  echo Q | openssl s_client -connect "$at" -$v -CAfile $ca -sess_in $T/session >$T/out 2>&1 || fail "openssl s_client -$v with a session fails"
  grep -q '^Reused, ' $T/out || fail "a session is not resumed by $v"
done

# ---- a reload during requests: no request is lost, and the next connection gets the new certificate
for _ in 1 2 3 4 5 6 7 8 9 10; do echo "url = $url$path"; echo "output = $T/1"; done >$T/urls
curl -fsS --cacert $ca --rate 10/s -K $T/urls >$T/out 2>&1 & asks=$!
openssl req -x509 -new -key $T/data/tls.key -days 20 -subj /CN=new -addext subjectAltName=IP:127.0.0.1 -out $T/new.crt 2>/dev/null
sleep 0.3; mv $T/new.crt $ca; kill -HUP $svcd
wait $asks || fail "a request was lost when the certificate was reloaded: $(cat $T/out)"
for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q 'certificate is reloaded' $T/svcd.err && break; sleep 0.2; done
curl -fsS --cacert $ca "$url$path" >$T/out || fail 'the new certificate is not served after SIGHUP'
echo Q | openssl s_client -connect "$at" 2>/dev/null | openssl x509 -noout -subject | grep -q 'CN *= *new' || fail 'the old certificate is served after SIGHUP'

# ---- Node: an agent for https only, so that any plain request is an error in the program itself
if command -v node >/dev/null 2>&1; then
  cat >$T/client.js <<'JS'
const https = require('https'), fs = require('fs');
const [url, file, cert] = process.argv.slice(2), k = JSON.parse(fs.readFileSync(file)), ca = fs.readFileSync(cert);
const agent = new https.Agent({ ca, keepAlive: true, maxSockets: 1 });
const ask = (method, path, headers, body) => new Promise((good, bad) => {
  const to = new URL(path, url);
  if (to.protocol !== 'https:') return bad(new Error('plain HTTP: ' + to));
  const r = https.request(to, { method, headers, agent }, a => {
    let text = '', tls = a.socket.getProtocol();
    a.on('data', d => text += d).on('end', () => good({ status: a.statusCode, body: text, reused: r.reusedSocket, tls }));
  });
  r.on('error', bad).end(body);
});
(async () => {
  if (!k.baseUrl.startsWith('https://')) throw new Error('baseUrl is ' + k.baseUrl);
  const basic = 'Basic ' + Buffer.from(k.clientId + ':' + k.clientSecret).toString('base64');
  let a = await ask('POST', '/api/oauth/token', { Authorization: basic, 'Content-Type': 'application/x-www-form-urlencoded' }, 'grant_type=client_credentials');
  const bearer = { Authorization: 'Bearer ' + JSON.parse(a.body).access_token, 'Content-Type': 'application/json' };
  a = await ask('GET', '/api/svc/v2/groups/' + k.groupId, bearer);
  if (a.status !== 200 || !a.reused || a.tls !== 'TLSv1.3') throw new Error(JSON.stringify(a).slice(0, 200));
  const links = JSON.parse(a.body).links; // every link is one that such a client may follow
  for (const l of links) if (!l.href.startsWith(url)) throw new Error('a link leads to ' + l.href);
  a = await ask('GET', links[0].href, bearer);
  if (a.status !== 200) throw new Error('the first link answers ' + a.status);
  a = await ask('POST', '/api/svc/v2/groups', bearer, JSON.stringify({ name: 'node', orgId: k.orgId }));
  if (a.status >= 300) throw new Error(a.body);
  console.log('ok');
  process.exit(0);
})().catch(e => { console.log(e.message); process.exit(1); });
JS
  node $T/client.js "$url" $T/data/bootstrap.json $ca >$T/out 2>&1 || fail "the client for Node fails: $(tail -n 1 $T/out)"
else
  echo 'Node is not installed: left out'
fi

# ---- a browser, which trusts the key by its hash
browser=
for b in chromium chromium-browser google-chrome; do command -v $b >/dev/null 2>&1 && browser=$b; done
if [ -n "$browser" ]; then
  pin=$(openssl x509 -in $ca -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64)
  shows() { # URL WORD
    timeout 60 $browser --headless --no-sandbox --disable-gpu --user-data-dir=$T/browser --ignore-certificate-errors-spki-list="$pin" \
      --dump-dom "$1" >$T/out 2>/dev/null || fail "$browser does not load $1"
    grep -q "$2" $T/out || fail "$browser shows something else at $1: $(head -c 200 $T/out)"
  }
  shows "$url$path" gateways
  shows "$url/" 'Client secret'
else
  echo 'no browser is installed: left out'
fi

kill $svcd
wait $svcd || fail 'svcd does not end cleanly'
