"""The blocks of the README and of docs/*.md, run as a reader would paste them. argv[1]: a folder with a short path, for servers of the driver.

The word after ``` is the kind of a block:
    sh            commands; all of a page run in one shell, in their order
    sh postgres   the same, skipped if PostgreSQL is not installed
    sh no-run     commands that need a registry, a container engine or another machine; NO_RUN limits their number
    c FILE        a program, written to FILE; commands of the page compile and run it. Plain c, in the README alone, is app.c
    c part        a part of a program: it must compile after #include "svcapi.h"
    python        a program that uses the package of package/python; it must end with status 0
    json          must be valid JSON
    text          not checked
ELSEWHERE lists kinds of blocks that other tests run. Any other word is an error: nothing would run the block.

Ports are replaced by free ones, and programs are compiled without optimization. Every page has its own folder, which looks like the source tree.
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path.cwd()
T = ROOT / "build/check/readme"
SERVERS = sys.argv[1] + "/servers"
CC = os.environ.get("CC", "gcc")
NO_RUN = 11  # at most: a block that can run must run
GENERATED = {"branches.md", "coverage.md", "driver.md", "index.md", "svcd.md"}  # check/driver_page runs driver.md
ELSEWHERE = {
    ("docs/operations.md", "sh"): "test/day/day.sh runs each block by its name", ("docs/operations.md", "conf"): "test/day/day.sh",
    ("docs/operations.md", "console"): "check/install", ("docs/building.md", "sh install"): "check/install",
    ("docs/testing-clients.md", "http"): "check/testing_clients",
    ("docs/javascript.md", "js"): "test/packages/npm.sh", ("docs/javascript.md", "html"): "test/packages/npm/browser.mjs",
    ("docs/python.md", "python"): "test/packages/python.sh", ("docs/go.md", "go"): "test/packages/go.sh",
}
TWICE = {"README.md", "docs/quickstart.md"}  # pages that claim that they can be pasted again
EXPECT = {  # required output of a page, which shows that the commands had an effect
    "README.md": ['^201 .*"name":"Acme"', '"clusterCount"'],
    "docs/quickstart.md": ['"name":"store"', '"name":"main"', "the store in build/restored is whole"],
    "docs/authentication.md": ['"clusterCount"', '"isDeleted"', '"127.0.0.1'],
    "docs/configuration.md": ['"inbound"'],
    "docs/embedding.md": ['"name" *: *"Acme"', r"^http://127\.0\.0\.1:[0-9]+, until Enter"],
    "docs/how-it-works.md": ['"class":"unique","names":"clus","value":"shop"', '"class":"due"'],
}
POSTGRES = any(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def fail(text):
    sys.exit(text)


def blocks(page):
    """(number of the line, word, text) of each block."""
    found, open_at, last = [], None, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.fullmatch(r"```(.*)", line)
        if fence and open_at is None:
            open_at, word, text = number, fence[1].strip(), []
        elif fence:
            if fence[1]:
                fail(f"{page}:{number}: a fence inside the block of line {open_at}")
            found.append((open_at, word, "\n".join(text) + "\n"))
            open_at = None
        elif open_at is not None:
            text.append(line)
        elif line.startswith("    ") and last == "":
            fail(f"{page}:{number}: an indented block: fence it, so that this check sees what it is")
        last = line
    if open_at is not None:
        fail(f"{page}:{open_at}: this fence is never closed")
    return found


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)}


def links(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    count = 0
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        to = (page.parent / name) if name else page
        count += 1
        if not to.exists():
            fail(f"{page}: a link leads to {target}, which does not exist")
        if anchor and anchor not in anchors(to):
            fail(f"{page}: a link leads to {target}, and {to} has no such heading")
    return count


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def tree(folder):
    """A folder that looks like the source tree after ./build.sh run; build.sh has a lock on the real one."""
    (folder / "build").mkdir(parents=True)
    (folder / "bin").mkdir()
    for name in ("svcapi.h", "svcapi.c", "ports", "examples", "package"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("deps", "svcd", "libsvcapi.so.1", "libsvcapi.a"):
        (folder / "build" / name).symlink_to(ROOT / "build" / name)
    (folder / "bin/svcd").symlink_to(ROOT / "build/svcd")
    script = folder / "build.sh"
    script.write_text("#!/bin/sh\ncase $1 in run) exec build/svcd --data build/data --show-credentials --provision-seconds 1 "
                      "--listen http://127.0.0.1:8080 --listen https://127.0.0.1:8443 ;; lib|shared) ;; *) exit 9 ;; esac\n")
    script.chmod(0o755)
    return script


def localized(text, ports, pids):
    """Commands with free ports, without optimization. The ids of background processes are written to `pids`."""
    for was, now in zip((8080, 8443, 8081, 8082), ports):
        text = re.sub(r"(127\.0\.0\.1|localhost):%d\b" % was, r"\1:%d" % now, text)
    text = text.replace("/tmp/servers", SERVERS)
    text = re.sub(r" -O[2s] ", " -O0 -w ", text)
    text = re.sub(r"^( *)cc ", lambda m: m[1] + CC + " ", text, flags=re.MULTILINE)
    return re.sub(r" &$", lambda _: f" >>svcd.out 2>&1 & echo $! >>{pids}", text, flags=re.MULTILINE)


def end(pids):
    """Ends the background processes of the commands and waits for their end, because a store in use cannot be opened."""
    left = [int(pid) for pid in pids.read_text().split()] if pids.exists() else []
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in left:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        for _ in range(100):
            left = [pid for pid in left if pathlib.Path(f"/proc/{pid}").exists() and ") Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()]
            if not left:
                return
            time.sleep(0.1)


def run(page, found, folder):
    """Runs all commands and programs of a page."""
    script, pids, ports = tree(folder), folder / "pids", free_ports(4)
    script.write_text(localized(script.read_text(), ports, pids))
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", SVCD=str(ROOT / "build/svcd"))
    environment.pop("SVCD_DATA", None)
    commands, output = "set -eu\n", ""
    for number, word, text in found:
        if word == "sh" or (word == "sh postgres" and POSTGRES):
            commands += f"# {page}:{number}\n" + text
        elif word.startswith("c ") and word != "c part":
            (folder / word[2:]).write_text(text)
        elif word == "c" and str(page) == "README.md":
            (folder / "app.c").write_text(text)
        elif word == "c part":
            part = folder / f"part{number}.c"
            part.write_text('#include "svcapi.h"\n' + text)
            if subprocess.run([CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only", "-I.", str(part)]).returncode:
                fail(f"{page}:{number}: this part of a program does not compile")
        elif word == "python":
            program = folder / f"block{number}.py"
            program.write_text(text)
            done = subprocess.run([sys.executable, str(program)], env=dict(environment, PYTHONPATH=str(ROOT / "package/python")), cwd=folder,
                                  capture_output=True, text=True, timeout=300)
            if done.returncode:
                fail(f"{page}:{number}: this program fails: {done.stderr[-600:]}")
    paste, said = folder / "paste.sh", folder / "paste.out"
    paste.write_text(localized(commands, ports, pids))
    for turn in range(2 if str(page) in TWICE else 1): # the svcd of the first turn still serves in the second
        try:
            with open(said, "w") as to:
                status = subprocess.run(["sh", str(paste)], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=to, stderr=to, timeout=300).returncode
        except subprocess.TimeoutExpired:
            status = "no end after 300 seconds"
        output = said.read_text(errors="replace")
        if status:
            print("\n".join(output.splitlines()[-5:]))
            fail(f"{page}: its commands fail in turn {turn + 1} ({status}); {paste} has them")
        refused = re.search(r'"errorCode":"(\w+)"', output)
        if refused:
            fail(f"{page}: a request is refused in turn {turn + 1}: {refused[1]}; {said}")
        for pattern in EXPECT.get(str(page), []) + (["PostgreSQL [0-9]"] if POSTGRES and "sh postgres" in {b[1] for b in found} else []):
            if not re.search(pattern, output, flags=re.MULTILINE):
                fail(f"{page}: the output has no {pattern!r} in turn {turn + 1}: {said}")


def known(page, number, word, text):
    """Checks that something runs this block. Blocks that only have to be well-formed are checked here."""
    first = word.split(" ")[0]
    if (page, word) in ELSEWHERE or (page, first) in ELSEWHERE:
        return
    if word == "json":
        try:
            json.loads(text)
        except ValueError as e:
            fail(f"{page}:{number}: this is no JSON: {e}")
    elif word not in ("sh", "sh postgres", "sh no-run", "c part", "python", "text") and not re.fullmatch(r"c \w+\.c", word) and (page, word) != ("README.md", "c"):
        fail(f"{page}:{number}: nothing runs a block that is marked {word!r}")


def first_commands(readme):
    """The two commands that work from nothing stand side by side, each with what it does and how long it takes; CI runs the second as it stands."""
    rows = [n for n, line in enumerate(readme) if re.fullmatch(r"\| `\./build\.sh (run|test)` \| .{20,} \| \d+ minutes \|", line)]
    if len(rows) != 2 or rows[1] != rows[0] + 1 or "build.sh run`" not in readme[rows[0]] or "build.sh test`" not in readme[rows[1]]:
        fail("README.md must have a table with a row of `./build.sh run` and after it one of `./build.sh test`: what it does, and how many minutes it takes")
    if not re.search(r"&& exec \./build\.sh test$", pathlib.Path(".ci/run").read_text(), re.M):
        fail(".ci/run must run the command of README.md, ./build.sh test, as it stands")


def main():
    subprocess.run(["rm", "-rf", str(T)], check=True)
    T.mkdir(parents=True)
    pages = [pathlib.Path("README.md")] + sorted(p for p in pathlib.Path("docs").glob("*.md") if p.name not in GENERATED)
    readme = pages[0].read_text().splitlines()
    if len(readme) > 200 or max(map(len, readme)) > 100:
        fail(f"README.md has {len(readme)} lines of up to {max(map(len, readme))} columns: at most 200 of 100")
    first_commands(readme)
    found = {page: blocks(page) for page in pages}
    for page in pages:
        for block in found[page]:
            known(str(page), *block)
    if sum(map(links, pages)) < 100:
        fail("there are hardly any links: this check would find nothing")
    left = [f"{page}:{number}" for page in pages for number, word, _ in found[page] if word == "sh no-run"]
    if len(left) > NO_RUN:
        fail(f"{len(left)} blocks are marked no-run, and at most {NO_RUN} may be: {' '.join(left)}")
    ran = 0
    for page in pages:
        mine = [b for b in found[page] if (str(page), b[1]) not in ELSEWHERE and (str(page), b[1].split(" ")[0]) not in ELSEWHERE]
        ran += sum(b[1].split(" ")[0] in ("sh", "c", "python") and b[1] != "sh no-run" for b in mine)
        if any(b[1].split(" ")[0] in ("sh", "c", "python") and b[1] != "sh no-run" for b in mine):
            folder = T / str(page).replace("/", "_").removesuffix(".md")
            try:
                run(page, mine, folder)
            finally:
                end(folder / "pids")
    if ran < 25:
        fail(f"only {ran} blocks were run: this check would find nothing")
    print(f"{ran} blocks ran, {len(left)} are marked no-run")
    if not POSTGRES:
        print("skipped: not installed: postgresql")


main()
