#!/bin/sh
# Tests the image as a user would: built from build/dist with the container engine of this machine, started, queried, stopped and started again, then used by the
# compose example's own test and by Testcontainers for Node. Prints a line for each test; the status is 1 if one failed.
#
#   sh test/packages/containers.sh
#
# Needs build/dist of ./build.sh dist ARCH (ARCH of this machine), node and npm, and docker or podman. If no engine can run a container, the script prints
# a message and ends with status 0, unless SVC_NEED_CONTAINERS is set. The image is built FROM scratch: no registry is needed.
set -eu
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")/../.."
ROOT=$PWD
T=$ROOT/build/packages/containers
IMAGE=svcapi-test:$$
NAME=svcapi-test-$$
case $(uname -m) in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch=armhf ;; esac
version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
ok() { printf '  ok: %s\n' "$*"; }
fail() { printf '  FAILED: %s\n' "$*" >&2; $E logs $NAME >&2 2>/dev/null || :; exit 1; }
left_out() {
  [ -z "${SVC_NEED_CONTAINERS:-}" ] || fail "$1"
  ok "containers LEFT OUT: $1"; exit 0
}
quiet() { "$@" >"$T/log" 2>&1 || { cat "$T/log" >&2; fail "$*"; }; }
clean() { $E rm -f $NAME; $E volume rm -f $NAME; $E rmi -f $IMAGE; }

E=
for e in podman docker; do if command -v $e >/dev/null 2>&1 && $e info >/dev/null 2>&1; then E=$e; break; fi; done
[ -n "$E" ] || left_out 'neither docker nor podman works here'
[ -x "build/dist/svcd-$version-linux-$arch" ] || fail "build/dist/svcd-$version-linux-$arch is missing: run ./build.sh dist $arch"
rm -rf "$T"; mkdir -p "$T"
trap 'clean >/dev/null 2>&1 || :' EXIT; trap 'exit 1' HUP INT TERM
format=; [ $E = docker ] || format='--format docker' # the format that keeps HEALTHCHECK
# shellcheck disable=SC2086
quiet $E build $format --build-arg ARCH=$arch -t $IMAGE build/dist
$E run --rm $IMAGE version >"$T/log" 2>&1 || left_out "$E can build an image, and not run it: $(tail -n 1 "$T/log")"
grep -q "$version" "$T/log" || fail 'svcd version in the container'
ok "the image, by $E: $($E image inspect $IMAGE --format '{{.Size}}') bytes"

TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
start() {
  quiet $E run -d --name $NAME -p 127.0.0.1::8080 -v $NAME:/data -e SVCD_TEST_CONTROL_ANYWHERE=true -e "SVCD_TEST_CONTROL_TOKEN=$TOKEN" -e SVCD_CLOCK=2030-01-01T00:00:00Z $IMAGE
  URL=http://$($E port $NAME 8080/tcp | head -n 1)
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    if curl -sf "$URL/_svc/health" >"$T/health"; then return 0; fi
    sleep 0.5
  done
  fail "no answer at $URL"
}
start
quiet $E exec $NAME /svcd health http://127.0.0.1:8080
$E image inspect $IMAGE --format '{{json .Config.Healthcheck}}' | grep -q '"CMD","/svcd","health"' || fail 'the image has no health check'
ok 'one run -p starts it, and its health check passes inside'
$E cp $NAME:/data/bootstrap.json "$T/bootstrap.json" || fail 'the credentials cannot be copied'
org=$(sed -n 's/.*"orgId":"\([^"]*\)".*/\1/p' "$T/bootstrap.json")
[ -n "$org" ] || fail 'bootstrap.json names no organization'
[ "$(curl -s -o /dev/null -w '%{http_code}' "$URL/_svc/clock")" = 401 ] || fail 'test control answers without the token'
[ "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $TOKEN" -H 'Origin: http://evil.example' "$URL/_svc/clock")" = 403 ] || fail 'test control answers a page of another origin'
SVC_BASE_URL=$URL SVC_TEST_TOKEN=$TOKEN SVC_CREDENTIALS=$T/bootstrap.json quiet node --test examples/compose/client.test.mjs
ok 'test control by the token; the test of the compose example passes'
quiet $E stop -t 20 $NAME
[ "$($E inspect $NAME --format '{{.State.ExitCode}}')" = 0 ] || fail 'svcd does not end with 0 when it is stopped'
quiet $E rm $NAME
start
quiet $E cp $NAME:/data/bootstrap.json "$T/second.json"
cmp -s "$T/bootstrap.json" "$T/second.json" || fail 'the volume has other credentials after a new container'
ok 'stopped cleanly; another container with the same volume goes on'
quiet $E rm -f $NAME

# Testcontainers talks to the engine's socket. Its helper container (ryuk) comes from a registry, so it stays off.
socket=${DOCKER_HOST:-unix:///var/run/docker.sock}
if ! curl -sf --unix-socket "${socket#unix://}" "http://engine/images/$IMAGE/json" >/dev/null 2>&1; then ok "Testcontainers LEFT OUT: no engine with this image listens on $socket"; exit 0; fi
echo '{"private":true,"type":"module"}' >"$T/package.json"
(cd "$T" && quiet npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error testcontainers@10.28.0)
cp examples/testcontainers/node/svcd.test.mjs "$T/"
(cd "$T" && TESTCONTAINERS_RYUK_DISABLED=true DOCKER_HOST=$socket SVCD_IMAGE=$IMAGE quiet node --test svcd.test.mjs)
ok 'Testcontainers for Node'
