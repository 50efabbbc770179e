"""The service inside this process, through ctypes: no server, no socket, no struct definitions.

The rule: it calls only the functions of svcapi.h that take text and numbers (section "other languages"), so it depends on no C layout.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import threading
import time
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from ._service import Answer, Credentials, Error, Moment, Pairs, Raw, Service, World, moment_text, world_now

JOURNAL = 1000
URL = "http://svcapi.test"  # .test never exists (RFC 6761): a request that misses the transport goes nowhere

_FUNCTIONS: Tuple[Tuple[Any, ...], ...] = (
    ("svc_open_json", c_int, POINTER(c_void_p), c_char_p, c_char_p, c_size_t),
    ("svc_close", None, c_void_p),
    ("svc_vendor", c_char_p, c_void_p),
    ("svc_version", c_char_p),
    ("svc_strerror", c_char_p, c_int),
    ("svc_bootstrap_json", c_int, c_void_p, POINTER(c_void_p)),
    ("svc_call_text", c_int, c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)),
    ("svc_control_text", c_int, c_void_p, c_char_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)),
    ("svc_control_begin", c_int, c_void_p),
    ("svc_result_status", c_int, c_void_p),
    ("svc_result_headers", c_char_p, c_void_p),
    ("svc_result_body", c_void_p, c_void_p, POINTER(c_size_t)),
    ("svc_result_drop", c_int, c_void_p),
    ("svc_result_delay_ms", c_int, c_void_p),
    ("svc_result_free", None, c_void_p),
)


class LibraryError(Error):
    """The shared library was not found, or is too old for this package."""


_loaded: Dict[str, ctypes.CDLL] = {}


def library(path: Optional[str] = None) -> ctypes.CDLL:
    """Load the shared library: `path`, that of the variable SVCAPI_LIBRARY, or the one installed on the system."""
    name = path or os.environ.get("SVCAPI_LIBRARY") or ctypes.util.find_library("svcapi") or "libsvcapi.so.1"
    if name in _loaded:
        return _loaded[name]
    try:
        lib = ctypes.CDLL(name)
    except OSError as error:
        raise LibraryError(f"{error}: install libsvcapi1, or set SVCAPI_LIBRARY to the path of libsvcapi.so.1 (./build.sh shared makes it);"
                           " svcapi.start() needs no library") from error
    for function, result, *types in _FUNCTIONS:
        try:
            call = getattr(lib, function)
        except AttributeError as error:
            raise LibraryError(f"{name} has no {function}: it is older than this package") from error
        call.restype, call.argtypes = result, types
    _loaded[name] = lib
    return lib


def _text(value: str, what: str) -> bytes:
    """Encode a text for C. A NUL would end the string and a line break would end a header, so both are refused."""
    if any(c in value for c in "\0\r\n"):
        raise ValueError(f"{what} must not contain a line break or a NUL (got {value!r})")
    return value.encode()


class _Origin(threading.local):
    """The origin of this thread's request. A request for the token that it may need first has the same origin."""

    value: Optional[Dict[str, Any]] = None


class InProcess(Service):
    """The service inside this process. Made by svcapi.open(). It may be used from several threads; close() waits for their requests."""

    def __init__(self, lib: ctypes.CDLL, handle: c_void_p, url: str, manual: bool) -> None:
        super().__init__(url, lib.svc_vendor(handle).decode(), None)
        self._lib = lib
        self._handle: Optional[c_void_p] = handle
        self._manual = manual
        self._users = 0
        self._idle = threading.Condition()
        self._origin = _Origin()

    def _call(self, function: Callable[..., int], *arguments: Any) -> Raw:
        with self._idle:
            if self._handle is None:
                raise Error("the service is closed")
            handle = self._handle
            self._users += 1
        try:
            return self._result(function, handle, *arguments)
        finally:
            with self._idle:
                self._users -= 1
                self._idle.notify_all()

    def _result(self, function: Callable[..., int], handle: c_void_p, *arguments: Any) -> Raw:
        lib, out, length = self._lib, c_void_p(), c_size_t()
        code = function(handle, *arguments, byref(out))
        if code:
            raise Error(lib.svc_strerror(code).decode())
        try:
            lines = (lib.svc_result_headers(out) or b"").decode("latin-1").split("\n")
            headers = tuple((name, value.strip()) for name, colon, value in (line.partition(":") for line in lines) if colon)
            body = ctypes.string_at(lib.svc_result_body(out, byref(length)), length.value)
            return Raw(lib.svc_result_status(out), headers, body, bool(lib.svc_result_drop(out)), lib.svc_result_delay_ms(out) / 1000)
        finally:
            lib.svc_result_free(out)

    def _send(self, method: str, target: str, headers: Pairs, body: bytes) -> Raw:
        if target.split("?")[0].startswith("/_svc/"):
            raise ValueError("paths below /_svc/ are for control(), which needs no token in this process")
        lines = b"".join(_text(name, "a header") + b": " + _text(value, "the header " + name) + b"\n" for name, value in headers)
        origin = None if self._origin.value is None else json.dumps(self._origin.value).encode()
        return self._call(self._lib.svc_call_text, _text(method, "the method"), _text(target, "the path"), lines, body, len(body), origin)

    def request(self, method: str, path: str, json: Any = None, *, headers: Optional[Mapping[str, str]] = None,
                body: Optional[bytes] = None, auth: bool = True, origin: Optional[Mapping[str, Any]] = None) -> Answer:
        """Like Service.request(). `origin` is where the request comes from, in the form of svc_call_text(): {"peer": "10.0.0.1", "tls": True},
        or {"caller": {...}} for a caller that this program authenticates itself, which needs no token."""
        self._origin.value = None if origin is None else dict(origin)
        try:
            return super().request(method, path, json, headers=headers, body=body, auth=auth and not (origin and "caller" in origin))
        finally:
            self._origin.value = None

    def _control(self, method: str, target: str, body: Optional[bytes], content_type: str) -> Raw:
        data = body or b""
        return self._call(self._lib.svc_control_text, _text(method, "the method"), _text(target, "the path"), data, len(data))

    def _wait(self, seconds: float) -> None:
        if not self._manual or self.control("GET", "/clock").json.get("rate"):
            time.sleep(seconds)

    def _prepare(self, world: Optional[World], credentials: Optional[Credentials]) -> None:
        if world is not None:
            self.world = self.load_world(world)
        there = self._vouched("GET", "/orgs?itemsPerPage=1")["results"]
        if credentials:
            self._credentials = credentials
        elif not there:
            self._credentials = Credentials.from_json(json.loads(self._call(self._lib.svc_bootstrap_json).body))
        elif world is not None:
            self._credentials = self._issue(there[0]["id"])
        code = self._lib.svc_control_begin(self._handle)
        if code:
            raise Error(self._lib.svc_strerror(code).decode())

    def _vouched(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request whose caller this program authenticates itself. Raises Error if it is refused."""
        owner = {"user_id": "0" * 24, "username": "svcapi", "grants": [{"role": "ORG_OWNER"}]}
        answer = self.request(method, path, body, origin={"caller": owner})
        if not answer.ok:
            raise Error(f"{method} {path} answered {answer.status}: {answer.body.decode('utf-8', 'replace')}")
        return answer.json

    def _issue(self, org: str) -> Credentials:
        """Create credentials that own the first organization of a world, as svcd does."""
        key = self._vouched("POST", f"/orgs/{org}/apiKeys", {"desc": "svcapi", "roles": ["ORG_OWNER"]})
        account = self._vouched("POST", f"/orgs/{org}/serviceAccounts", {
            "name": "svcapi", "description": "svcapi", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8760})
        projects = self._vouched("GET", f"/orgs/{org}/groups?itemsPerPage=1")["results"]
        return Credentials(account["clientId"], account["secrets"][0]["secret"], key["publicKey"], key["privateKey"], org,
                           projects[0]["id"] if projects else "")

    def close(self) -> None:
        with self._idle:
            handle, self._handle = self._handle, None
            self._idle.wait_for(lambda: self._users == 0)
        if handle is not None:
            self._lib.svc_close(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()


def _milliseconds(clock: Moment) -> int:
    if clock == "manual":
        return int(time.time()) * 1000
    text = moment_text(clock)
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        raise ValueError(f"clock must be manual or a time such as 2030-01-01T00:00:00Z (got {text!r})") from None
    return int(moment.timestamp()) * 1000


def open(world: Optional[World] = None, clock: Optional[Moment] = None, seed: Optional[int] = None, rate: Optional[int] = None, *,
         credentials: Optional[Credentials] = None, library_path: Optional[str] = None, **config: Any) -> InProcess:
    """Open the service inside this process. Use it in a `with` statement, or call close().

    world (a file or a dict), clock, seed and rate are those of svcapi.start(). Any other keyword is a member of svc_config in svcapi.h:
    path="data", limiter_off=True, provision_ms=1000, store="memory". Without `path` the store is private, and close() deletes it.
    """
    lib = library(library_path)
    members: Dict[str, Any] = {"base_url": URL, "journal": JOURNAL, **config}
    if clock is None:
        clock = world_now(world)
    if rate is not None:
        members["clock_rate"] = rate
        clock = "manual" if clock is None else clock
    if clock is not None:
        members["manual_clock"] = _milliseconds(clock)
    if seed is not None:
        members["seed"] = seed
    if isinstance(members.get("dialect"), Mapping):
        members["dialect"] = json.dumps(members["dialect"])
    handle, why = c_void_p(), ctypes.create_string_buffer(512)
    if lib.svc_open_json(byref(handle), json.dumps(members).encode(), why, len(why)):
        raise Error("the service cannot be opened: " + why.value.decode("utf-8", "replace"))
    service = InProcess(lib, handle, str(members["base_url"]).rstrip("/"), bool(members.get("manual_clock")))
    try:
        service._prepare(world, credentials)
    except BaseException:
        service.close()
        raise
    return service
