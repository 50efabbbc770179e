"""A transport for the library requests: a session that sends requests to the service without a socket."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Any, Optional
from urllib.parse import urlsplit

import requests
import requests.adapters
from urllib3._collections import HTTPHeaderDict
from urllib3.exceptions import ProtocolError
from urllib3.response import HTTPResponse

from ._service import Dropped, Service

LOST = "Remote end closed connection without response"


def reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def body_of(request: Any) -> bytes:
    data = request.body
    if data is None:
        return b""
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    if isinstance(data, str):
        return data.encode()
    if hasattr(data, "read"):
        text = data.read()
        return text if isinstance(text, bytes) else str(text).encode()
    return b"".join(part if isinstance(part, bytes) else str(part).encode() for part in data)


def read_timeout(timeout: Any) -> Optional[float]:
    """Return the read timeout. requests has one number for both timeouts, or a pair: connect and read."""
    if isinstance(timeout, tuple):
        timeout = timeout[1]
    return None if timeout is None else float(timeout)


class Adapter(requests.adapters.BaseAdapter):
    def __init__(self, service: Service) -> None:
        super().__init__()
        self._service = service
        self._builder: Any = requests.adapters.HTTPAdapter()

    def send(self, request: Any, stream: bool = False, timeout: Any = None, verify: Any = True, cert: Any = None,
             proxies: Any = None) -> Any:
        parts = urlsplit(request.url)
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        headers = [(str(n), v.decode("latin-1") if isinstance(v, bytes) else str(v)) for n, v in request.headers.items()
                   if str(n).lower() != "transfer-encoding"]
        limit = read_timeout(timeout)
        try:
            raw = self._service._send(request.method, target, headers, body_of(request))
        except Dropped as error:
            raise requests.exceptions.ConnectionError(ProtocolError("Connection aborted.", error), request=request) from error
        if raw.delay:
            if limit is not None and raw.delay > limit:
                self._service._wait(limit)
                raise requests.exceptions.ReadTimeout(f"Read timed out. (read timeout={limit})", request=request)
            self._service._wait(raw.delay)
        if raw.dropped:
            raise requests.exceptions.ConnectionError(ProtocolError("Connection aborted.", Dropped(LOST)), request=request)
        fields: Any = HTTPHeaderDict()
        for name, value in raw.headers:
            fields.add(name, value)
        answer = HTTPResponse(io.BytesIO(raw.body), headers=fields, status=raw.status, reason=reason(raw.status), preload_content=False,
                              request_method=request.method)
        response = self._builder.build_response(request, answer)
        response.connection = self  # HTTP Digest sends its second request there
        return response

    def close(self) -> None:
        self._builder.close()
