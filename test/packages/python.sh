#!/bin/sh
# Tests the Python package as a user gets it: in an empty folder, with the wheel and nothing of this tree on the path. Prints a line for each
# test; the status is 1 if one failed.
#
#   sh test/packages/python.sh [FOLDER]     FOLDER must be empty or missing; default: a new one, removed at the end
#
# Needs build/dist of ./build.sh dist ARCH (ARCH of this machine), build/libsvcapi.so.1 of ./build.sh shared, and Debian's python3-venv,
# python3-pip, python3-requests, python3-httpx, python3-pytest, python3-pytest-xdist, mypy, python3-typeshed. Nothing is downloaded.
set -eu
LC_ALL=C.UTF-8; export LC_ALL
cd "$(dirname "$0")/../.."
ROOT=$PWD
PYTHON=/usr/bin/python3
unset PYTHONPATH SVCD SVCAPI_LIBRARY PYTEST_ADDOPTS

fail() { printf 'python: FAILED: %s\n' "$*" >&2; exit 1; }
ok() { printf 'python: %s: ok\n' "$*"; }
quiet() { timeout 500 "$@" >"$T/out" 2>&1 || { cat "$T/out"; return 1; }; }
pytest() { # FOLDER ARGUMENT...
  folder=$1; shift
  (cd "$T/$folder" && quiet "$P" -W error::ResourceWarning -m pytest -q -p no:cacheprovider "$@")
}
types() { quiet mypy --strict --cache-dir "$T/mypy" --python-executable "$P" "$@"; }

case $(uname -m) in
  x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; armv7l|armv8l) arch=armhf ;;
  *) fail "no wheel is made for $(uname -m)" ;;
esac
version=$(sed -n 's/^#define SVC_VERSION "\(.*\)"/\1/p' svcapi.h)
[ -x "build/dist/svcd-$version-linux-$arch" ] || fail "build/dist/svcd-$version-linux-$arch is missing: run ./build.sh dist $arch"
[ -f build/libsvcapi.so.1 ] || fail "build/libsvcapi.so.1 is missing: run ./build.sh shared"
$PYTHON -c 'import venv, pip, requests, httpx, pytest, xdist' 2>/dev/null ||
  fail "missing: apt-get install python3-venv python3-pip python3-requests python3-httpx python3-pytest python3-pytest-xdist"
command -v mypy >/dev/null 2>&1 || fail "missing: apt-get install mypy python3-typeshed"

if [ $# -gt 0 ]; then
  mkdir -p "$1"; T=$(cd "$1" && pwd)
  [ -z "$(ls -A "$T")" ] || fail "$1 is not empty"
else
  T=$(mktemp -d /tmp/svcapi-python-XXXXXX); trap 'rm -rf "$T"' EXIT; trap 'exit 1' HUP INT TERM
fi

# ---- the wheel: identical when built twice; tags, hashes, licenses
$PYTHON package/python/wheel.py "$arch" >"$T/wheel.out" || fail "wheel.py fails"
wheel=$ROOT/$(sed -n 's/^wheel: \(.*\) (.*/\1/p' "$T/wheel.out")
cp "$wheel" "$T/wheel.first"
(umask 077; TZ=Asia/Tokyo $PYTHON -B package/python/wheel.py "$arch" >/dev/null)
cmp -s "$T/wheel.first" "$wheel" || fail "wheel.py does not give the same bytes the second time"
ok "the wheel is reproducible, ${wheel##*/}"
$PYTHON - "$wheel" "$version" <<'P' || fail "the wheel is not as it should be"
import base64, csv, hashlib, io, sys, zipfile
path, version = sys.argv[1:]
info = f"svcapi-{version}.dist-info/"
with zipfile.ZipFile(path) as z:
    names = z.namelist()
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(z.read(info + "RECORD").decode()))}
    assert sorted(rows) == sorted(names) and len(set(names)) == len(names), "RECORD names other files"
    for name, (digest, size) in rows.items():
        data = z.read(name)
        if name != info + "RECORD":
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name
            assert int(size) == len(data), name
    for licence in "svcapi mongoose lmdb mbedtls frozen tinycthread musl".split():
        assert len(z.read(f"{info}licenses/{licence}.txt")) > 300, licence
    assert f"\nVersion: {version}\n" in z.read(info + "METADATA").decode()
    tags = path.rsplit("-", 1)[1][:-4].split(".")
    wheel = z.read(info + "WHEEL").decode().splitlines()
    assert [line[5:] for line in wheel if line.startswith("Tag: ")] == ["py3-none-" + tag for tag in tags], wheel
    assert z.getinfo("svcapi/bin/svcd").external_attr >> 16 & 0o777 == 0o755
    assert "svcapi/py.typed" in names
P
ok 'RECORD, tags, version, modes and the licences of all that is bundled'

# ---- install
$PYTHON -m venv --system-site-packages "$T/venv"
P=$T/venv/bin/python
"$P" -m pip install -q --disable-pip-version-check --no-index --no-deps "$wheel" || fail "pip does not install the wheel"
cd "$T"; mkdir first pages tests user
said=$("$P" -c 'import svcapi; print(svcapi.__version__, svcapi.__file__.startswith("'"$T"'/venv"))')
[ "$said" = "$version True" ] || fail "the installed package says '$said'"
"$T/venv/bin/svcd" --help | grep -q '^usage: svcd' || fail 'the command svcd does not run'
ok "pip install, and the command svcd, $version"

# ---- the code of the pages: each block becomes a file, named after its mark; blocks with the same name are numbered
"$P" - "$ROOT/docs/python.md" "$T/pages" <<'X' || fail 'docs/python.md has no code'
import pathlib, re, sys
text, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
blocks = re.findall(r"^```python *(\S*)\n(.*?)^```$", text, re.M | re.S)
assert len(blocks) >= 9, len(blocks)
for number, (name, code) in enumerate(blocks):
    assert name, f"a block of {sys.argv[1]} has no name behind ```python"
    path = folder / name
    path = path if not path.exists() else path.with_name(f"{path.stem}_{number}{path.suffix}")
    path.write_text(code)
X
for needs in --world:test_world --clock-rate:test_rate; do # an svcd without the flag cannot run them
  if ! "$T/venv/bin/svcd" serve --help | grep -q -e "${needs%:*} "; then
    rm "pages/${needs#*:}.py"
    printf 'python: %s.py of docs/python.md: LEFT OUT, this svcd has no %s\n' "${needs#*:}" "${needs%:*}"
  fi
done
first=$(wc -l <pages/test_shop.py)
[ "$first" -lt 20 ] || fail "the first test of docs/python.md has $first lines, and not fewer than 20"
cp pages/test_shop.py first/
pytest first || fail 'the first test fails'
grep -q '^2 passed' out || fail 'the first test did not run'
ok "the first test of docs/python.md, in $first lines"
SVCAPI_LIBRARY=$ROOT/build/libsvcapi.so.1; export SVCAPI_LIBRARY
for page in pages/*.py; do
  case $page in */test_*|*/conftest*) continue ;; esac
  quiet "$P" "$page" || fail "the example ${page#pages/} of docs/python.md fails"
done
pytest pages || fail 'the tests of docs/python.md fail'
ok "every example of docs/python.md: $(tail -n 1 out)"

# ---- the plugin: in-process, in parallel, and its options
pytest first --svcapi-in-process || fail 'the plugin fails in the process'
ok "the plugin with --svcapi-in-process: $(tail -n 1 out)"
cat >user/test_workers.py <<'X'
import pathlib, pytest

@pytest.mark.parametrize("n", range(8))
def test_worker(svcapi, n, worker_id):
    assert svcapi.request("GET", "/groups").json["totalCount"] == 1
    assert svcapi.request("POST", "/groups", {"name": f"p{n}", "orgId": svcapi.credentials.org_id}).status == 201
    with pathlib.Path("workers").open("a") as file:
        print(worker_id, svcapi.url, file=file)
X
pytest user -n 2 || fail 'the plugin fails with pytest-xdist'
workers=$(sort -u user/workers | wc -l); urls=$(cut -d' ' -f2 user/workers | sort -u | wc -l)
if [ "$workers" != 2 ] || [ "$urls" != 2 ]; then cat user/workers; fail "two workers had $urls services"; fi
ok 'the plugin with pytest-xdist: two workers, two services'
cat >user/test_options.py <<'X'
def test_options(svcapi):
    assert svcapi.clock.now().isoformat() == "2031-05-01T00:00:00+00:00"
X
pytest user --svcapi-clock 2031-05-01T00:00:00Z test_options.py || fail 'the option --svcapi-clock fails'
(cd user && "$P" -m pytest --help) | grep -q -- --svcapi-world || fail 'pytest --help does not list the options'
ok 'the options of the plugin'

# ---- the package's own tests, and types
cp "$ROOT"/test/packages/python/*.py tests/
pytest tests || fail 'tests of the package fail'
ok "start(), open(), clock, faults, snapshots, journal, transports, errors: $(tail -n 1 out)"
types -p svcapi || fail 'mypy --strict finds faults in the package'
cat >user/typed.py <<'X'
import svcapi

with svcapi.start(clock="2030-01-01T00:00:00Z", seed=1) as service:
    answer: svcapi.Answer = service.request("GET", "/groups")
    status: int = answer.status
    service.clock.advance(60)
X
types user/typed.py || fail 'mypy --strict finds faults in typed code that uses the package'
sed 's/status: int/status: str/' user/typed.py >user/wrong.py
if types user/wrong.py >/dev/null; then fail 'mypy finds nothing in wrong code: the types are not seen'; fi
ok 'types: mypy --strict, on the package and on code that uses it'
"$P" -m pip uninstall -q -y svcapi
[ ! -e "$T/venv/bin/svcd" ] || fail 'pip uninstall leaves something behind'
ok 'pip uninstall'
