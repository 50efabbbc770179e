"""svcapi: an administration API for database deployments, for tests of its clients.

    import svcapi

    with svcapi.start(clock="2030-01-01T00:00:00Z", seed=1) as service:
        print(service.request("GET", "/groups").json)

start() runs svcd, which this package contains. open() runs the service inside this process, with the shared library.
"""

from __future__ import annotations

from importlib import metadata as _metadata
from typing import TYPE_CHECKING

from ._library import InProcess, LibraryError, open
from ._server import Server, StartError, start
from ._service import Answer, Clock, ControlError, Credentials, Dropped, Error, Fault, Faults, Headers, Service

if TYPE_CHECKING:
    from ._httpx import Transport
    from ._requests import Adapter

try:
    __version__ = _metadata.version("svcapi")
except _metadata.PackageNotFoundError:  # used from the source tree
    __version__ = "0"


def requests_adapter(service: Service) -> "Adapter":
    """An adapter for requests: session.mount(service.url, svcapi.requests_adapter(service)). Imports requests."""
    from ._requests import Adapter
    return Adapter(service)


def httpx_transport(service: Service) -> "Transport":
    """A transport for httpx.Client and httpx.AsyncClient: transport=svcapi.httpx_transport(service). Imports httpx."""
    from ._httpx import Transport
    return Transport(service)


__all__ = ["Answer", "Clock", "ControlError", "Credentials", "Dropped", "Error", "Fault", "Faults", "Headers", "InProcess", "LibraryError",
           "Server", "Service", "StartError", "__version__", "httpx_transport", "open", "requests_adapter", "start"]
