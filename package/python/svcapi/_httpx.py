"""A transport for the library httpx, for synchronous and asynchronous clients."""

from __future__ import annotations

from typing import Optional

import anyio.to_thread
import httpx

from ._service import Dropped, Raw, Service

LOST = "Server disconnected without sending a response."


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    def __init__(self, service: Service) -> None:
        self._service = service

    def _send(self, request: httpx.Request, body: bytes) -> httpx.Response:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw
                   if name.lower() != b"transfer-encoding"]
        try:
            raw: Raw = self._service._send(request.method, request.url.raw_path.decode("ascii"), headers, body)
        except Dropped as error:
            raise httpx.RemoteProtocolError(LOST, request=request) from error
        if raw.delay:
            limit: Optional[float] = request.extensions.get("timeout", {}).get("read")
            if limit is not None and raw.delay > limit:
                self._service._wait(limit)
                raise httpx.ReadTimeout("The read operation timed out", request=request)
            self._service._wait(raw.delay)
        if raw.dropped:
            raise httpx.RemoteProtocolError(LOST, request=request)
        return httpx.Response(raw.status, headers=list(raw.headers), content=raw.body, request=request)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._send(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        return await anyio.to_thread.run_sync(self._send, request, body)  # the store may wait for the disk: a thread keeps the event loop free
