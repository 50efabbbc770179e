"""Runs svcd as a separate process, on a free port of this machine.

The rule: svcd never outlives its user. svcd runs with --end-with-stdin, and its standard input is a pipe whose other end only this process
has: whatever ends this process, the kernel closes the pipe, and svcd ends.
"""

from __future__ import annotations

import collections
import http.client
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, Deque, List, Mapping, Optional, Union
from urllib.parse import urlsplit

from ._service import Credentials, Dropped, Error, Moment, Pairs, Raw, Service, World, moment_text

LOG_LINES = 200
Path = Union[str, "os.PathLike[str]"]


class StartError(Error):
    """svcd did not start. The message has its last lines, `log` has more of them."""

    def __init__(self, message: str, log: "list[str]") -> None:
        super().__init__("\n  ".join([message, *log[-20:]]))
        self.log = log


def bundled() -> Optional[str]:
    """Return the path of this package's svcd, or None if the package was not installed as a wheel."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "svcd")
    return path if os.path.isfile(path) else None


def program(path: Optional[Path] = None) -> str:
    """Return the svcd to start: `path`, that of the variable SVCD, that of the package, or that in PATH."""
    named = os.fspath(path) if path is not None else os.environ.get("SVCD")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise Error(f"{named} is not a program ({'svcd=' if path is not None else 'the environment variable SVCD'} names it)")
        return os.path.abspath(named)
    found = bundled() or shutil.which("svcd")
    if not found:
        raise Error("svcd was not found: install the wheel for this machine, or set SVCD to the path of svcd")
    return found


def arguments(flags: Mapping[str, Any]) -> List[str]:
    """Return flags of svcd: limiter_off=True is --limiter-off, limit=["a", "b"] is --limit a --limit b; None and False omit a flag."""
    out: List[str] = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
            continue
        for one in value if isinstance(value, (list, tuple)) else (value,):
            out += [flag, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
    return out


class _Output:
    """Reads the output of svcd, so that svcd never blocks, and keeps the last lines."""

    def __init__(self, stream: IO[str]) -> None:
        self.lines: Deque[str] = collections.deque(maxlen=LOG_LINES)
        self.urls: List[str] = []
        self.ready = threading.Event()  # also set when the output ends
        self._stream = stream
        self._thread = threading.Thread(target=self._read, name="svcd output", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream:
            for line in self._stream:
                line = line.rstrip("\n")
                self.lines.append(line)
                if line.startswith("svcd ready on "):
                    self.urls = line.split()[3:]
                    self.ready.set()
        self.ready.set()

    def join(self) -> None:
        self._thread.join(timeout=5)


class Server(Service):
    """A running svcd. Created by svcapi.start()."""

    def __init__(self, process: "subprocess.Popen[str]", output: _Output, folder: "tempfile.TemporaryDirectory[str]", url: str,
                 vendor: str, first: Mapping[str, str], tls: Optional[ssl.SSLContext] = None) -> None:
        known = Credentials.from_json(first) if "clientId" in first else None
        super().__init__(url, vendor, known)
        self.process = process
        self._output = output
        self._folder = folder
        self._test_token = first.get("testToken", "")
        self._address = urlsplit(url)
        self._tls = tls

    @property
    def log(self) -> "list[str]":
        """The last lines of svcd's output."""
        return list(self._output.lines)

    def _exchange(self, method: str, target: str, headers: Pairs, body: Optional[bytes]) -> Raw:
        host, port = self._address.hostname or "127.0.0.1", self._address.port
        connection = http.client.HTTPSConnection(host, port, timeout=60, context=self._tls) if self._tls else \
            http.client.HTTPConnection(host, port, timeout=60)
        try:
            given = {name.lower() for name, _ in headers}
            connection.putrequest(method, target, skip_host="host" in given, skip_accept_encoding=True)
            for name, value in headers:
                if name.lower() not in ("content-length", "connection"):  # the transport has set these; ours follow below
                    connection.putheader(name, value)
            if body or method in ("POST", "PUT", "PATCH"):
                connection.putheader("Content-Length", str(len(body or b"")))
            connection.putheader("Connection", "close")
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return Raw(answer.status, tuple(answer.getheaders()), answer.read())
        except (http.client.HTTPException, ConnectionError) as error:
            if self.process.poll() is not None:
                raise StartError(f"svcd has ended with status {self.process.returncode}", self.log) from error
            if isinstance(error, (http.client.BadStatusLine, http.client.IncompleteRead, ConnectionError)):
                raise Dropped("the service closed the connection without an answer") from error
            raise
        finally:
            connection.close()

    def _send(self, method: str, target: str, headers: Pairs, body: bytes) -> Raw:
        return self._exchange(method, target, headers, body)

    def _control(self, method: str, target: str, body: Optional[bytes], content_type: str) -> Raw:
        if not self._test_token:
            raise Error("this svcd was started without test control (test_control=False)")
        headers = [("Authorization", "Bearer " + self._test_token)]
        return self._exchange(method, target, headers + ([("Content-Type", content_type)] if body is not None else []), body)

    def _wait(self, seconds: float) -> None:
        time.sleep(seconds)  # never needed: svcd itself delays its answers

    def close(self) -> None:
        _end(self.process, self._output)
        self._folder.cleanup()


def _end(process: "subprocess.Popen[str]", output: _Output) -> None:
    if process.stdin and not process.stdin.closed:
        process.stdin.close()
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=15)  # svcd itself gives up after 10 seconds
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    output.join()


def _world_file(world: World, folder: str) -> str:
    """Return the path of a file, or the name of a world that svcd contains. svcd reports an error if it is neither."""
    if not isinstance(world, Mapping):
        return os.path.abspath(os.fspath(world)) if os.path.exists(world) else os.fspath(world)
    path = os.path.join(folder, "world.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(world, file)
    return path


def _vendor(flags: Mapping[str, Any]) -> str:
    """Return WORD of /api/WORD/v2: from the flag, otherwise from the dialect, otherwise svcd's default."""
    if flags.get("vendor") is None and flags.get("dialect") is not None:
        return _first(os.fspath(flags["dialect"])).get("vendor", "svc")
    return str(flags.get("vendor") or "svc")


def _context(url: str, flags: Mapping[str, Any]) -> Optional[ssl.SSLContext]:
    """For https: the certificate of svcd is the only authority."""
    if not url.startswith("https:"):
        return None
    return ssl.create_default_context(cafile=os.fspath(flags.get("cert") or os.path.join(os.fspath(flags["data"]), "tls.crt")))


def _first(path: str) -> Mapping[str, str]:
    with open(path, encoding="utf-8") as file:
        data: Mapping[str, str] = json.load(file)
    return data


def start(world: Optional[World] = None, clock: Optional[Moment] = None, seed: Optional[int] = None, rate: Optional[int] = None, *,
          svcd: Optional[Path] = None, timeout: float = 30, **flags: Any) -> Server:
    """Start svcd on a free port and wait until it answers. Use it in a `with` statement, or call close().

    world: what exists at the start: a file, the same as a dict, or the name of a world that svcd brings along ("team"). clock: where a
    manual clock stands, or "manual"; without it the clock is real. seed: the same ids on every run with the same keywords. rate: a clock
    that runs so many times as fast. Any other keyword is a flag of svcd: limiter_off=True, provision_seconds=1,
    limit=["clusters_group=10/5/60"]. Without `data` or `store` the store is in memory.
    Variables SVCD_* of the environment, which svcd reads as flags, are not passed on: a test depends on what it says, not on the machine.
    """
    binary = program(svcd)
    folder = tempfile.TemporaryDirectory(prefix="svcapi-")
    given = dict(flags)
    if given.get("data") is None:
        given.setdefault("bootstrap", os.path.join(folder.name, "bootstrap.json"))
        if given.get("store") is None:
            given.setdefault("memory", True)
    given.setdefault("listen", "http://127.0.0.1:0")
    given.setdefault("test_control", True)
    given.update(clock=None if clock is None else moment_text(clock), seed=seed, clock_rate=rate)
    given["world"] = None if world is None else _world_file(world, folder.name)
    bootstrap = os.fspath(given.get("bootstrap") or os.path.join(os.fspath(given["data"]), "bootstrap.json"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVCD_")}
    try:
        process = subprocess.Popen([binary, "serve", "--end-with-stdin", *arguments(given)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace", env=environment)
    except OSError as error:
        folder.cleanup()
        raise StartError(f"{binary} cannot be started: {error.strerror}", []) from error
    assert process.stdout is not None
    output = _Output(process.stdout)
    if not output.ready.wait(timeout) or not output.urls:
        late = not output.ready.is_set()
        _end(process, output)
        folder.cleanup()
        raise StartError(f"svcd is not ready after {timeout:g} seconds:" if late else f"svcd has ended with status {process.returncode}:",
                         list(output.lines))
    try:
        server = Server(process, output, folder, output.urls[0], _vendor(given), _first(bootstrap), _context(output.urls[0], given))
        if world is not None and os.path.exists(bootstrap + ".world"):
            server.world = _first(bootstrap + ".world")
        elif world is not None and os.path.exists(given["world"]) and given["test_control"]:
            server.world = server.load_world(given["world"])  # the first load created no secrets: loading it again changes nothing, and reports the ids
        folder.cleanup()  # from now on only this process knows the credentials, and no file stays behind, whatever ends it
        return server
    except BaseException:
        _end(process, output)
        folder.cleanup()
        raise
