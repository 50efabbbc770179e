#!/usr/bin/env python3
"""docs/performance.md from the last complete run of the benchmarks.

  python3 test/bench/page.py    writes the page from build/bench.json and build/bench-postgres.json

The page shows only measured figures; none is written by hand. `WITH=openssl ./build.sh bench` measures all of them in
one run. A group that the run left out is left out of the page, with a note.
"""
import json
import os
import platform
import time

PAGE, RUNS = "docs/performance.md", ("build/bench.json", "build/bench-postgres.json")

HEAD = """# Performance

This page is generated: `WITH=openssl ./build.sh bench`, then `python3 test/bench/page.py`. All times are from one run of version {version}, on {machine}, {date}.

Each figure has a peer beside it: the smallest program that could do the same work, measured alternately with the library in the same run. Compare the ratios, because absolute figures
depend on the machine. A ratio is the median of neighbouring measurements, so it can differ a little from the quotient of the two figures. Over HTTP, the client runs on the same machine
and uses one of its cores.

The requests are those of real users: a bearer token of a service account that owns one of 20 organizations, with limits, roles and access lists, on stores of 10,000 and of 100,000
projects. A cost that grew with the store would show as a difference between the two.

To measure your machine, run the first command in a clone of the repository; a source archive has no `build.sh`. The run takes 6 to 25 minutes on two cores, and only an idle machine
gives meaningful figures. Without `WITH=openssl` the rows about OpenSSL are left out, without libpq-dev and postgresql those about PostgreSQL. `build/bench.json` has the result.

A target is a promise of the project to itself; "missed" marks a target that this run did not reach.
"""

# The heading, the explanation, and what the names of its figures begin with.
GROUPS = [
    ("Answers", "What the requests below return. A client that follows links from the root, as a team with two projects and a cluster, meets these kinds of GET. The few answers "
     "above 16 KiB are lists of what the service offers, such as regions, versions and limits. A project's answer is nearly all links. A new project has eight alert "
     "configurations, which come from a table until one is changed: a create of a project writes none of them.", ("answers",)),
    ("In process", "Calls of `svc_handle_request()`, without sockets. The peer is LMDB alone, on a copy of the same store: one `mdb_get`, or a cursor that copies "
     "the same records. The peer checks no token and builds no JSON.", ("svc_open", "GET of", "100 ", "90 ")),
    ("Creating, in process", "Each create is on the disk before its answer. The peer is LMDB that puts the same records, with the same flushes. Threads that "
     "create at the same time share a flush.", ("create, ",)),
    ("Over HTTP", "16 connections that stay open. The peer is a hand-written server of mongoose and LMDB (`test/bench/peer.c`) that returns the same bytes "
     "from one record, without tokens and limits. For a create, the peer stores one record.", ("over HTTP",)),
    ("Over HTTPS", "The peer is the same request over HTTP. TLS 1.3 with AES-256-GCM. The first rows use OpenSSL in server and client, if the benchmark was built "
     "with it; the last rows use mbedTLS, the default, with a client on OpenSSL.", ("HTTPS",)),
    ("Memory and code", "Allocations and instructions of one request with a token; callgrind counts the instructions.", ("allocations", "peak heap", "instructions", "svcapi.c")),
]
POSTGRES = ("On PostgreSQL", "One server with `fsync` on, on the same machine. The peer is hand-written code on libpq for the same bytes (`test/bench/peer_postgres.c`), in process.")


def number(x):
    """As many digits as mean something."""
    return "-" if not x else "%.2f" % x if x < 10 else "%.1f" % x if x < 100 else "{:,.0f}".format(x)


def ratio(row, side):
    if not side.get("ratio"):
        return ""
    percent = "%" in row.get("target", "") or (row["unit"] == "per s" and "times" not in row.get("target", ""))
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
    """Groups rows by their names. A name of no group, or one that begins with blanks, belongs to the group of the row above."""
    groups, at = {}, None
    for row in rows:
        if not row["name"].startswith(" "):
            at = next((g[0] for g in GROUPS if row["name"].startswith(g[2])), at)
        if at is None:
            raise SystemExit("page.py: no group for " + row["name"])
        groups.setdefault(at, []).append(row)
    return groups


def machine():
    return "a machine with %d cores (%s)" % (os.cpu_count(), platform.machine())


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
