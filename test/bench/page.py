#!/usr/bin/env python3
"""docs/performance.md from the last whole run of the benchmarks.

  python3 test/bench/page.py    writes the page from build/bench.json and build/bench-postgres.json

The page shows what was measured and nothing else: no figure is written by hand. `WITH=openssl ./build.sh bench` measures all that it shows in
one run. A group of figures that the run has left out is left out of the page, and the page says so.
"""
import json
import os
import platform
import time

PAGE, RUNS = "docs/performance.md", ("build/bench.json", "build/bench-postgres.json")

HEAD = """# Performance

This page is generated: `WITH=openssl ./build.sh bench`, then `python3 test/bench/page.py`. All figures are of one run, of version {version}, on {machine}, {date}.

Figures of one machine say little about another, so each stands beside a peer: the least program that could do the same work, measured in turns
with the library in the same run. The ratio of the two is what to look at. The client of the figures over HTTP runs on the same machine and takes one of its
cores.

The library answers as users ask: with the bearer token of a service account that owns one of 20 organizations, with limits, roles and access lists
checked, on a store of 10,000 projects and on one of 100,000. A cost that grew with the store would show as a difference between the two.

A target is what the project has promised itself; "missed" stands where this run did not reach it.
"""

# The heading, the explanation, and what the names of its figures begin with.
GROUPS = [
    ("In process", "Calls of `svc_handle_request()`, without sockets. The peer is LMDB alone, on a copy of the same store: one `mdb_get`, or a cursor that copies "
     "the same records. It checks no token, and builds no JSON.", ("svc_open", "GET of", "100 ", "90 ")),
    ("Creating, in process", "Each create is on the disk before it is answered. The peer is LMDB that puts the same records, with the same flushes; threads that "
     "create at the same time share a flush.", ("create, ",)),
    ("Over HTTP", "16 connections that stay open. The peer is a server of mongoose and LMDB wired by hand (`test/bench/peer.c`): it returns the same bytes, "
     "which it has stored as one record, and knows neither tokens nor limits. For creates it stores one record.", ("over HTTP",)),
    ("Over HTTPS", "Beside the same requests over HTTP, with TLS 1.3 and AES-256-GCM; server and client use the same TLS library: OpenSSL, if "
     "the benchmark was built with it, and below that mbedTLS, the default, against a client on OpenSSL. A project's answer has 7.8 KB, the settings' 0.6 KB.", ("HTTPS",)),
    ("Memory and code", "Allocations and instructions are of one request, by the token; instructions are counted by callgrind.", ("allocations", "peak heap", "instructions", "svcapi.c")),
]
POSTGRES = ("On PostgreSQL", "One server with `fsync` on, on the same machine. The peer is libpq and tables wired by hand for the same bytes (`test/bench/peer_postgres.c`), in process.")


def number(x):
    """As many digits as mean something."""
    return "-" if not x else "%.2f" % x if x < 10 else "%.1f" % x if x < 100 else "{:,.0f}".format(x)


def ratio(row, side):
    if not side.get("ratio"):
        return ""
    percent = "%" in row.get("target", "") or (row["unit"] == "per s")
    return "%.1f %%" % side["ratio"] if percent and side["ratio"] > 5 else "%.2f times" % side["ratio"]


def line(row):
    cells = [row["name"].strip() + (", " + {"us": "µs"}.get(row["unit"], row["unit"]) if row["unit"] else "")]
    for size in ("10000", "100000"):
        side = row.get(size, {})
        cells += [number(side.get("value")), number(side.get("peer")), ratio(row, side)]
    cells.append(row["target"] + ("" if row["ok"] else ", **missed**") if "target" in row else "")
    return "| " + " | ".join(cells) + " |"


def table(title, text, rows):
    head = "| | 10,000 projects | peer | ratio | 100,000 projects | peer | ratio | target |\n|---|--:|--:|--:|--:|--:|--:|---|"
    return "\n## %s\n\n%s\n\n%s\n%s\n" % (title, text, head, "\n".join(map(line, rows)))


def grouped(rows):
    """Rows by the group that their names belong to; a name that belongs to none, or begins with blanks, goes with the row above it."""
    groups, at = {}, None
    for row in rows:
        if not row["name"].startswith(" "):
            at = next((g[0] for g in GROUPS if row["name"].startswith(g[2])), at)
        if at is None:
            raise SystemExit("page.py: no group for " + row["name"])
        groups.setdefault(at, []).append(row)
    return groups


def machine():
    return "a %s machine with %d cores" % (platform.machine(), os.cpu_count())


def main():
    runs = [json.load(open(path)) if os.path.exists(path) else [] for path in RUNS]
    if not runs[0]:
        raise SystemExit("page.py: build/bench.json is missing: WITH=openssl ./build.sh bench makes it")
    version = next(row["value"] for row in runs[0] if row["name"] == "version")
    date = time.strftime("%Y-%m-%d", time.gmtime(os.path.getmtime(RUNS[0])))
    rows = [row for row in runs[0] if row["name"] != "version"]
    groups = grouped(rows)
    page = HEAD.format(version=version, machine=machine(), date=date)
    for title, text, _ in GROUPS:
        page += table(title, text, groups[title]) if title in groups else "\n## %s\n\nNot measured in this run.\n" % title
    of_postgres = [row for row in runs[1] if row["name"] != "version"]
    page += table(*POSTGRES, of_postgres) if of_postgres else "\n## %s\n\nNot measured in this run.\n" % POSTGRES[0]
    open(PAGE, "w").write(page)


main()
