"""The interface of a running service for tests, whether it runs as svcd or inside this process.

The rule: a subclass only knows how to carry a request (`_send`) and a request of test control (`_control`). Everything else is here, so
both kinds of service behave alike.
"""

from __future__ import annotations

import base64
import json as _json
import os
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Iterator, Mapping, Optional, Sequence, Tuple, TypeVar, Union
from urllib.parse import quote

Json = Any
Pairs = Sequence[Tuple[str, str]]
World = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Moment = Union[datetime, str]
S = TypeVar("S", bound="Service")


class Error(Exception):
    """Base class of the errors of this package, except Dropped."""


class Dropped(ConnectionError):
    """The answer was lost: by a fault with `drop`, or because a connection ended without an answer."""


class ControlError(Error):
    """Test control refused a call. `status` and `code` are those of the answer."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({status} {code})" if code else f"{detail} ({status})")
        self.status = status
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Credentials:
    """The first credentials of a store. The secrets are not part of its repr, so no failed assertion prints them."""

    client_id: str
    client_secret: str = field(repr=False)
    public_key: str
    private_key: str = field(repr=False)
    org_id: str
    project_id: str

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> "Credentials":
        return cls(data["clientId"], data["clientSecret"], data["publicKey"], data["privateKey"], data["orgId"], data["groupId"])


class Headers(Mapping[str, str]):
    """Headers of an answer. Names compare without case. A header that came several times reads as one value, joined by a comma."""

    def __init__(self, pairs: Pairs = ()) -> None:
        self.pairs: Tuple[Tuple[str, str], ...] = tuple(pairs)
        self._values: dict[str, str] = {}
        for name, value in self.pairs:
            key = name.lower()
            self._values[key] = f"{self._values[key]}, {value}" if key in self._values else value

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._values

    def __repr__(self) -> str:
        return f"Headers({list(self.pairs)!r})"


@dataclass(frozen=True)
class Answer:
    """One answer. `json` is the parsed body, or None if the body is empty or is not JSON."""

    status: int
    headers: Headers
    json: Json
    body: bytes = field(repr=False, default=b"")

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True)
class Raw:
    """An answer as received, for the transports: they still have to apply `dropped` and `delay`."""

    status: int
    headers: Tuple[Tuple[str, str], ...]
    body: bytes
    dropped: bool = False
    delay: float = 0.0  # seconds by which the answer is delayed

    def answer(self) -> Answer:
        headers = Headers(self.headers)
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        is_json = bool(self.body) and (kind == "application/json" or kind.endswith("+json"))
        return Answer(self.status, headers, _json.loads(self.body) if is_json else None, self.body)


def world_now(world: Optional[World]) -> Optional[str]:
    """Return the time at which a world sets the clock; None: no time. Errors in a world are reported when it is loaded."""
    try:
        if isinstance(world, (str, os.PathLike)):
            with open(world, "rb") as source:
                world = _json.load(source)
    except (OSError, ValueError):
        return None
    now = world.get("now") if isinstance(world, Mapping) else None
    return now if isinstance(now, str) else None


def moment_text(moment: Moment) -> str:
    """Return a point in time in the form of test control. A naive datetime is refused: its time zone would be a guess."""
    if isinstance(moment, str):
        return moment
    if not isinstance(moment, datetime):
        raise TypeError(f"a time must be a datetime or a text such as 2030-01-01T00:00:00Z (got {type(moment).__name__})")
    if moment.tzinfo is None:
        raise ValueError(f"a datetime must have a time zone, for example timezone.utc (got {moment!r})")
    if moment.microsecond:
        raise ValueError(f"a time must be in whole seconds (got {moment.isoformat()})")
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Clock:
    """The time of the service. A manual clock stands still until a test moves it. A move performs all steps that have become due."""

    def __init__(self, service: "Service") -> None:
        self._service = service

    def _move(self, body: Json) -> datetime:
        return self._time(self._service.control("POST", "/clock", body).json)

    @staticmethod
    def _time(answer: Json) -> datetime:
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=answer["nowMs"])

    def now(self) -> datetime:
        return self._time(self._service.control("GET", "/clock").json)

    @property
    def manual(self) -> bool:
        return bool(self._service.control("GET", "/clock").json["manual"])

    def advance(self, by: Union[int, timedelta] = 0, *, seconds: int = 0, minutes: int = 0, hours: int = 0, days: int = 0) -> datetime:
        """Move the clock forwards, by seconds or a timedelta. Returns the new time."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        step += timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days)
        if step < timedelta(0) or step.microseconds:
            raise ValueError(f"the clock advances by whole seconds, 0 or more (got {step.total_seconds()} s); restore() goes back")
        return self._move({"advanceSeconds": step.days * 86400 + step.seconds})

    def set(self, to: Moment) -> datetime:
        """Move the clock forwards to a point in time: a datetime with a time zone, or a text such as 2030-01-01T00:00:00Z."""
        return self._move({"now": moment_text(to)})

    def next(self) -> Optional[datetime]:
        """Move the clock to the next due step: a cluster that becomes IDLE, an invoice, a backup. Returns the new time, or None if nothing
        is due."""
        answer = self._service.control("POST", "/clock", {"toNextDue": True}).json
        return self._time(answer) if answer["moved"] else None

    def due(self, limit: int = 100) -> "list[dict[str, Any]]":
        """Return the due steps, the earliest first: name, noun, state, time, what."""
        due: "list[dict[str, Any]]" = self._service.control("GET", f"/due?limit={limit}").json
        return due

    def set_rate(self, rate: int) -> datetime:
        """Let the clock run `rate` times as fast as real time; 0 stops it. Returns the time."""
        return self._move({"rate": rate})


@dataclass(frozen=True)
class Fault:
    """A rule by which requests, orders or hosts fail. As a context manager it is removed at the end of the block."""

    id: int
    rule: Mapping[str, Any]
    _faults: "Faults" = field(repr=False, compare=False)

    @property
    def struck(self) -> int:
        """How often the fault had struck when this object was created."""
        return int(self.rule.get("struck", 0))

    def remove(self) -> None:
        self._faults.remove(self.id)

    def __enter__(self) -> "Fault":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.remove()
        except ControlError as error:
            if error.status != 404:  # it has struck `count` times, and was removed
                raise


class Faults:
    """Rules by which requests fail. See POST /_svc/faults in svcapi.h for the members of a rule."""

    def __init__(self, service: "Service") -> None:
        self._service = service

    def _fault(self, data: Mapping[str, Any]) -> Fault:
        return Fault(int(data["id"]), data, self)

    def add(self, rule: Optional[Mapping[str, Any]] = None, **members: Any) -> Fault:
        """Add a rule: members as test control names them (`errorCode`) or in Python's spelling (`error_code`)."""
        body = dict(rule or {})
        for name, value in members.items():
            first, *rest = name.split("_")
            body[first + "".join(word.capitalize() for word in rest)] = value
        return self._fault(self._service.control("POST", "/faults", body).json)

    def list(self) -> "list[Fault]":
        return [self._fault(data) for data in self._service.control("GET", "/faults").json]

    def remove(self, fault: Union[int, Fault]) -> None:
        self._service.control("DELETE", f"/faults/{fault.id if isinstance(fault, Fault) else int(fault)}")

    def clear(self) -> None:
        self._service.control("DELETE", "/faults")


class Service(ABC):
    """A running service. `svcapi.start()` runs it as svcd, `svcapi.open()` inside this process."""

    def __init__(self, url: str, vendor: str, credentials: Optional[Credentials]) -> None:
        self.url = url
        self.vendor = vendor
        self.clock = Clock(self)
        self.faults = Faults(self)
        self.world: Json = None  # report of the world at the start: {"names": {NAME: ID}, "secrets": {NAME: {...}}}
        self._credentials = credentials
        self._token: Optional[Tuple[str, datetime]] = None
        self._token_lock = threading.Lock()

    @abstractmethod
    def _send(self, method: str, target: str, headers: Pairs, body: bytes) -> Raw:
        """Send one request. Raises Dropped if the answer is lost on the way."""

    @abstractmethod
    def _control(self, method: str, target: str, body: Optional[bytes], content_type: str) -> Raw:
        """Send one request of test control; the target begins with /_svc/."""

    @abstractmethod
    def _wait(self, seconds: float) -> None:
        """Wait for a delayed answer: called by request() and the transports."""

    @abstractmethod
    def close(self) -> None:
        """End the service. Calling it again does nothing."""

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<svcapi.{type(self).__name__} {self.url}{self.api}>"

    # ---- the API

    @property
    def credentials(self) -> Credentials:
        if self._credentials is None:
            raise Error("the credentials of this store are not known: it was made earlier; pass credentials=svcapi.Credentials(...)")
        return self._credentials

    @property
    def api(self) -> str:
        """The prefix of the paths of operations: /api/VENDOR/v2."""
        return f"/api/{self.vendor}/v2"

    def token(self) -> str:
        """Return a bearer token of the first service account. The token is cached until it expires by the clock of the service."""
        with self._token_lock:
            now = self.clock.now()
            if self._token is None or now >= self._token[1]:
                who = self.credentials
                basic = base64.b64encode(f"{who.client_id}:{who.client_secret}".encode()).decode()
                answer = self._finish(self._send("POST", "/api/oauth/token", [
                    ("Authorization", "Basic " + basic), ("Content-Type", "application/x-www-form-urlencoded"),
                    ("Accept", "application/json")], b"grant_type=client_credentials"))
                if not answer.ok:
                    raise Error(f"no token: POST /api/oauth/token answered {answer.status} {_detail(answer)}")
                self._token = (answer.json["access_token"], now + timedelta(seconds=int(answer.json["expires_in"])))
            return self._token[0]

    def request(self, method: str, path: str, json: Json = None, *, headers: Optional[Mapping[str, str]] = None,
                body: Optional[bytes] = None, auth: bool = True) -> Answer:
        """Send one request, with a bearer token unless `auth` is False or `headers` has Authorization.

        A path that does not begin with /api/ or /_svc/ is one below `api`: "/groups" means /api/svc/v2/groups. An error status is an answer
        like any other. A lost answer raises Dropped.
        """
        if not path.startswith("/"):
            raise ValueError(f"a path must begin with / (got {path!r})")
        if json is not None and body is not None:
            raise ValueError("a request has json or body, not both")
        sent = {name.lower(): (name, value) for name, value in (headers or {}).items()}
        if json is not None:
            body = _json.dumps(json).encode()
            sent.setdefault("content-type", ("Content-Type", "application/json"))
        if auth and "authorization" not in sent:
            sent["authorization"] = ("Authorization", "Bearer " + self.token())
        target = path if path.startswith(("/api/", "/_svc/")) else self.api + path
        return self._finish(self._send(method, target, list(sent.values()), body or b""))

    def _finish(self, raw: Raw) -> Answer:
        if raw.delay:
            self._wait(raw.delay)
        if raw.dropped:
            raise Dropped("the service closed the connection without an answer")
        return raw.answer()

    # ---- test control

    def control(self, method: str, path: str, json: Json = None, *, body: Optional[bytes] = None) -> Answer:
        """Call test control: `path` is below /_svc. Raises ControlError if the call is refused."""
        kind = "application/octet-stream" if body is not None else "application/json"
        data = body if body is not None else None if json is None else _json.dumps(json).encode()
        answer = self._control(method, "/_svc" + path, data, kind).answer()
        if not answer.ok:
            code = answer.json.get("errorCode", "") if isinstance(answer.json, dict) else ""
            raise ControlError(answer.status, code, _detail(answer) or f"{method} /_svc{path} was refused")
        return answer

    def _forget(self) -> None:
        with self._token_lock:
            self._token = None

    def reset(self) -> None:
        """Go back to the state in which the service started: store and clock. Removes all faults and empties the journal."""
        self.control("POST", "/reset")
        self._forget()

    def snapshot(self, name: str) -> None:
        """Save the state of the store and the clock under a name. An existing snapshot of this name is replaced."""
        self.control("POST", "/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Go back to a snapshot. Faults and the journal stay."""
        self.control("POST", f"/snapshots/{quote(name, safe='')}:restore")
        self._forget()

    def snapshots(self) -> "list[str]":
        return [str(one["name"]) for one in self.control("GET", "/snapshots").json]

    def delete_snapshot(self, name: str) -> None:
        self.control("DELETE", "/snapshots/" + quote(name, safe=""))

    def save_snapshot(self, name: str, file: Union[str, "os.PathLike[str]"]) -> None:
        """Write a snapshot to a file. The file holds secrets: only its owner can read it."""
        data = self.control("GET", "/snapshots/" + quote(name, safe="")).body
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as to:
            to.write(data)

    def load_snapshot(self, name: str, file: Union[str, "os.PathLike[str]"]) -> None:
        """Read a snapshot from a file, under this name. restore(name) then goes to it."""
        with open(file, "rb") as source:
            self.control("PUT", "/snapshots/" + quote(name, safe=""), body=source.read())

    def load_world(self, world: World) -> Json:
        """Create the resources of a world: a file, or its content as a dict. Returns the report of POST /_svc/world, with ids and secrets."""
        if isinstance(world, Mapping):
            return self.control("POST", "/world", dict(world)).json
        with open(world, "rb") as source:
            raw = self._control("POST", "/_svc/world", source.read(), "application/json").answer()
        if not raw.ok:
            raise ControlError(raw.status, str((raw.json or {}).get("errorCode", "")), f"{os.fspath(world)}: {_detail(raw)}")
        return raw.json

    def save_world(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Write the resources in the store to a world file. The file has no secrets."""
        with open(file, "wb") as to:
            to.write(self.control("GET", "/world").body)

    def journal(self, limit: int = 100, *, format: Optional[str] = None) -> Json:
        """Return the last requests and answers, the newest last, without secrets. format="har" returns an HTTP archive."""
        query = f"?limit={limit}" + (f"&format={quote(format)}" if format else "")
        return self.control("GET", "/journal" + query).json

    def clear_journal(self) -> None:
        self.control("DELETE", "/journal")


def _detail(answer: Answer) -> str:
    return str(answer.json.get("detail", "")) if isinstance(answer.json, dict) else ""

