"""The pytest plugin: one service for the session, in the same state before each test.

The rule: workers of pytest-xdist are processes, and each has a session of its own, so each has a service of its own.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from ._library import open as open_in_process
from ._server import start
from ._service import Service, world_now

CLOCK = "2030-01-01T00:00:00Z"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("svcapi", "svcapi: a service for tests")
    group.addoption("--svcapi-world", metavar="FILE", default=None, help="a world file: the resources that exist before each test")
    group.addoption("--svcapi-in-process", action="store_true", default=False,
                    help="run the service inside the test process, with the shared library (SVCAPI_LIBRARY), not as svcd")
    group.addoption("--svcapi-clock", metavar="WHEN", default=None,
                    help=f"time of the manual clock before each test (default: that of the world, otherwise {CLOCK}); manual: the present; "
                         "real: the system's clock, not a manual one")
    group.addoption("--svcapi-seed", metavar="N", type=int, default=1, help="seed of ids and secrets (default: 1)")


@pytest.fixture(scope="session")
def svcapi_options() -> Dict[str, Any]:
    """Keywords for svcapi.start(), or for svcapi.open() with --svcapi-in-process. Override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def svcapi_server(request: pytest.FixtureRequest, svcapi_options: Dict[str, Any]) -> Iterator[Service]:
    """One service for all tests of the session. Tests share its state: the fixture svcapi resets it."""
    config = request.config
    options: Dict[str, Any] = {"seed": config.getoption("--svcapi-seed"), "world": config.getoption("--svcapi-world"),
                               "clock": config.getoption("--svcapi-clock"), **svcapi_options}
    if options["clock"] is None:
        options["clock"] = world_now(options["world"]) or CLOCK
    elif options["clock"] == "real":
        options["clock"] = None
    with (open_in_process(**options) if config.getoption("--svcapi-in-process") else start(**options)) as service:
        yield service


@pytest.fixture
def svcapi(svcapi_server: Service) -> Service:
    """The service in the state in which it started: store, clock, no faults, empty journal."""
    svcapi_server.reset()
    return svcapi_server
