#!/usr/bin/env python3
"""The names that programs and scripts rely on and docs/compatibility.md promises to keep within a major version.

    python3 test/promised.py METRICS     prints the names of today, one per line: operations with their dated versions, error codes, flags of
                                         svcd, events of the log, and metrics; METRICS is a file with an answer of GET /_svc/metrics

Flags, events, error codes and metrics are read from docs/svcd.md, docs/logs.md, docs/errors.md and docs/metrics.md, which check/docs and
check/logs compare with the code; no metric of METRICS may be missing there; operations are read from the OpenAPI document of build/svcd. check/promises compares the output with test/formats/promised-VERSION.txt.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def operations() -> set[str]:
    document = json.loads(subprocess.run([ROOT / "build/svcd", "openapi"], capture_output=True, check=True).stdout)
    found = set()
    for path in document["paths"].values():
        for operation in path.values():
            if not isinstance(operation, dict) or "operationId" not in operation:
                continue
            found.add(f"operation {operation['operationId']}")
            found.update(f"operation {operation['operationId']} {date}" for date in re.findall(r"application/vnd\.svc\.(\d{4}-\d\d-\d\d)\+", json.dumps(operation["responses"])))
    return found


def flags() -> set[str]:
    found, verb = set(), ""
    for line in (ROOT / "docs/svcd.md").read_text().splitlines():
        if line.startswith("## svcd "):
            verb = line.removeprefix("## svcd ")
            found.add(f"verb {verb}")
        elif match := re.match(r"\| `(--[a-z0-9-]+)", line):
            found.add(f"flag {verb} {match.group(1)}")
    return found


def table(kind: str, page: str, name: str) -> set[str]:
    return {f"{kind} {found}" for found in re.findall(rf"^\| `({name})` \|", (ROOT / page).read_text(), re.MULTILINE)}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    metrics = {f"metric {name} {kind}" for name, kind in re.findall(r"^\| `([a-z_]+)` \| ([a-z]+) \|", (ROOT / "docs/metrics.md").read_text(), re.MULTILINE)}
    served = {f"metric {name} {kind}" for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", pathlib.Path(sys.argv[1]).read_text(), re.MULTILINE)}
    if not served or served - metrics:
        sys.exit(f"docs/metrics.md lacks metrics that svcd serves: {sorted(served - metrics)}; run ./build.sh docs")
    kinds = [operations(), flags(), table("event", "docs/logs.md", r"[a-z_]+\.[a-z_]+"), table("error", "docs/errors.md", "[A-Z0-9_]+"), metrics]
    if any(len(names) < 20 for names in kinds):
        sys.exit(f"hardly a name was found: {[len(names) for names in kinds]}")
    print("\n".join(sorted(set().union(*kinds))))


main()
