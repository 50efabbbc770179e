"""Runs svcd in a container for this test, by Testcontainers for Python: pip install pytest testcontainers requests; pytest test_svcd.py

package/Dockerfile builds the image; SVCD_IMAGE names another one.
"""
import io
import json
import os
import secrets
import tarfile
import time

import pytest
import requests
from testcontainers.core.container import DockerContainer

TOKEN = secrets.token_hex(16)


def read_file(container, path):
    """Returns the bytes of a file in the container, which has no shell that could print it."""
    chunks, _ = container.get_wrapped_container().get_archive(path)
    with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as archive:
        return archive.extractfile(os.path.basename(path)).read()


@pytest.fixture(scope="session")
def svcd():
    container = (DockerContainer(os.environ.get("SVCD_IMAGE", "svcd")).with_exposed_ports(8080)
                 .with_env("SVCD_TEST_CONTROL_ANYWHERE", "true").with_env("SVCD_TEST_CONTROL_TOKEN", TOKEN)
                 .with_env("SVCD_CLOCK", "2030-01-01T00:00:00Z"))
    with container:
        base = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(8080)}"
        for _ in range(100):
            try:
                if requests.get(base + "/_svc/health", timeout=5).ok:
                    break
            except requests.ConnectionError:
                pass
            time.sleep(0.1)
        yield base, json.loads(read_file(container, "/data/bootstrap.json"))


def test_clock(svcd):
    base, credentials = svcd
    assert credentials["clientId"]
    answer = requests.post(base + "/_svc/clock", json={"advanceSeconds": 60}, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=5)
    assert answer.json()["now"] == "2030-01-01T00:01:00Z"
    assert requests.get(base + "/_svc/clock", timeout=5).status_code == 401
