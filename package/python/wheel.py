#!/usr/bin/env python3
"""wheel.py [ARCH]...: builds wheels of the Python package svcapi in build/dist.

    arch=$(dpkg --print-architecture); ./build.sh dist $arch && python3 package/python/wheel.py $arch

A wheel has the Python code of package/python/svcapi, a static svcd (build/dist/svcd-VERSION-linux-ARCH) and the licenses of everything
in it (those of the archive build/dist/svcapi-VERSION.tar.gz, and of the C library that svcd is linked with). Without ARCH: one wheel for
each svcd in build/dist.

The rule: the same sources give the same bytes. Files are in the order of their names, have one fixed time, and depend on nothing else of
the machine. Needs only the standard library.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "package" / "python"
DIST = ROOT / "build" / "dist"
TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can store

# Debian's names of processors, and those of wheels. svcd is static, so it runs with glibc and musl of any version. Both families are
# listed, with the oldest versions that pip and the index know for all of these processors.
MACHINES = {"amd64": "x86_64", "arm64": "aarch64", "armhf": "armv7l"}
PLATFORMS = ("manylinux2014_{}", "manylinux_2_17_{}", "musllinux_1_1_{}")

LICENCE = "MIT AND OLDAP-2.8 AND GPL-2.0-only AND Zlib AND Apache-2.0"  # as in package/package.sh, for svcd
REQUIRED = {"svcapi.txt", "mongoose.txt", "lmdb.txt", "mbedtls.txt", "frozen.txt", "tinycthread.txt"}


def fail(message):
    sys.exit("wheel.py: " + message)


def version():
    found = re.search(r'^#define SVC_VERSION "([0-9]+\.[0-9]+\.[0-9]+)"$', (ROOT / "svcapi.h").read_text(), re.M)
    return found.group(1) if found else fail("svcapi.h has no SVC_VERSION of the form 1.2.3")


def licences(number, arch):
    """{name: bytes} of everything in the wheel."""
    archive = DIST / f"svcapi-{number}.tar.gz"
    if not archive.is_file():
        fail(f"build/dist/{archive.name} is missing: run ./build.sh dist {arch}")
    out = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            folder, _, name = member.name.rpartition("/")
            if member.isfile() and folder == f"svcapi-{number}/licences":
                out[name] = tar.extractfile(member).read()
    lacking = REQUIRED - set(out)
    if lacking:
        fail(f"build/dist/{archive.name} has no licence of {', '.join(sorted(lacking))}")
    musl = ROOT / "build" / "deps" / f"musl-{arch}" / "usr" / "share" / "doc" / "musl-dev" / "copyright"
    if not musl.is_file():
        fail(f"{musl.relative_to(ROOT)} is missing, the licence of the C library in svcd: run ./build.sh dist {arch}")
    out["musl.txt"] = musl.read_bytes()
    return out


def metadata(number, names):
    lines = ["Metadata-Version: 2.1", "Name: svcapi", f"Version: {number}",
             "Summary: An administration API for database deployments, for tests of its clients: svcd, a pytest plugin, transports",
             f"License: {LICENCE}", *(f"License-File: {name}" for name in names), "Requires-Python: >=3.8",
             "Classifier: Framework :: Pytest", "Classifier: Operating System :: POSIX :: Linux", "Classifier: Typing :: Typed",
             "Provides-Extra: requests", 'Requires-Dist: requests; extra == "requests"',
             "Provides-Extra: httpx", 'Requires-Dist: httpx; extra == "httpx"',
             "Provides-Extra: pytest", 'Requires-Dist: pytest>=7; extra == "pytest"',
             "Description-Content-Type: text/markdown", "", (ROOT / "docs" / "python.md").read_text()]
    return "\n".join(lines)


def files_of(number, arch, tags):
    """{path in the wheel: (bytes, mode)}, without RECORD."""
    program = DIST / f"svcd-{number}-linux-{arch}"
    if not program.is_file():
        fail(f"build/dist/{program.name} is missing: run ./build.sh dist {arch}")
    out = {"svcapi/bin/svcd": (program.read_bytes(), 0o755)}
    for path in sorted((PACKAGE / "svcapi").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            out[f"svcapi/{path.name}"] = (path.read_bytes(), 0o644)
    info = f"svcapi-{number}.dist-info"
    texts = licences(number, arch)
    for name, text in texts.items():
        out[f"{info}/licenses/{name}"] = (text, 0o644)
    wheel = ["Wheel-Version: 1.0", f"Generator: svcapi {number}", "Root-Is-Purelib: false", *(f"Tag: py3-none-{tag}" for tag in tags), ""]
    entries = "[console_scripts]\nsvcd = svcapi._main:main\n\n[pytest11]\nsvcapi = svcapi.pytest_plugin\n"
    for name, text in (("METADATA", metadata(number, sorted(texts))), ("WHEEL", "\n".join(wheel)), ("entry_points.txt", entries)):
        out[f"{info}/{name}"] = (text.encode(), 0o644)
    return out, f"{info}/RECORD"


def record(files, name):
    lines = []
    for path in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[path][0]).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(files[path][0])}\n")
    return "".join(lines + [f"{name},,\n"]).encode()


def note(path):
    """Put the wheel into SHA256SUMS, if ./build.sh dist has written that."""
    sums = DIST / "SHA256SUMS"
    if not sums.is_file():
        return
    lines = [line for line in sums.read_text().splitlines() if line.split("  ", 1)[1] != path.name]
    lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    sums.write_text("".join(line + "\n" for line in sorted(lines, key=lambda line: line.split("  ", 1)[1])))


def build(number, arch):
    tags = sorted(platform.format(MACHINES[arch]) for platform in PLATFORMS)
    files, name = files_of(number, arch, tags)
    order = sorted(files) + [name]  # RECORD last, as the format recommends for files in .dist-info
    files[name] = (record(files, name), 0o644)
    path = DIST / f"svcapi-{number}-py3-none-{'.'.join(tags)}.whl"
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for one in order:
            entry = zipfile.ZipInfo(one, TIME)
            entry.create_system = 3  # Unix, so that the modes count
            entry.external_attr = (0o100000 | files[one][1]) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[one][0])
    part.replace(path)
    note(path)
    print(f"wheel: {path.relative_to(ROOT)} ({path.stat().st_size} bytes)")


def main():
    parser = argparse.ArgumentParser(prog="wheel.py", description="Make wheels of the Python package svcapi in build/dist.")
    parser.add_argument("arch", nargs="*", metavar="ARCH", help=f"{', '.join(MACHINES)}; default: each that has a svcd in build/dist")
    wanted = parser.parse_args().arch
    for arch in wanted:
        if arch not in MACHINES:
            parser.error(f"no ARCH {arch!r}: {', '.join(MACHINES)}")
    number = version()
    wanted = wanted or [arch for arch in MACHINES if (DIST / f"svcd-{number}-linux-{arch}").is_file()]
    if not wanted:
        fail(f"build/dist has no svcd-{number}-linux-ARCH: run ./build.sh dist {' or '.join(MACHINES)}")
    for arch in dict.fromkeys(wanted):
        build(number, arch)


if __name__ == "__main__":
    main()
