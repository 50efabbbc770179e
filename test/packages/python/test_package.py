"""The package as its users meet it, both kinds of service side by side: svcd as a process, and the library in this process.

Run by test/packages/python.sh in an empty folder, with the wheel installed.
"""
import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta, timezone

import httpx
import pytest
import requests
import svcapi

START = "2030-01-01T00:00:00Z"
CLUSTER = {"name": "shop", "clusterType": "REPLICASET", "replicationSpecs": [{"regionConfigs": [{
    "providerName": "AWS", "regionName": "US_EAST_1", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]}


@pytest.fixture(scope="module", params=["start", "open"])
def shared(request):
    with getattr(svcapi, request.param)(clock=START, seed=1) as service:
        yield service


@pytest.fixture
def service(shared):
    shared.reset()
    return shared


@pytest.fixture
def clusters(service):
    return f"/groups/{service.credentials.project_id}/clusters"


def group(service, name="payments"):
    return {"name": name, "orgId": service.credentials.org_id}


# ---- requests


def test_answer(service, clusters):
    answer = service.request("POST", clusters, CLUSTER)
    assert (answer.status, answer.ok, answer.json["name"]) == (201, True, "shop")
    assert answer.headers["CONTENT-TYPE"] == answer.headers["content-type"]
    assert "Content-Type" in answer.headers and "x-none" not in answer.headers
    missing = service.request("GET", clusters + "/none")
    assert (missing.status, missing.ok, missing.json["error"]) == (404, False, 404)
    assert service.request("GET", "/api/svc/v2" + clusters).json["totalCount"] == 1
    assert service.request("GET", clusters, auth=False).status == 401
    assert service.request("GET", clusters, headers={"authorization": "Bearer wrong"}).status == 401
    assert service.request("PATCH", "/groups/" + service.credentials.project_id, body='{"name":"ü"}'.encode(),
                           headers={"Content-Type": "application/json"}).json["name"] == "ü"


@pytest.mark.parametrize("arguments, keywords, why", [
    (("GET", "groups"), {}, "must begin with /"), (("POST", "/groups", {}), {"body": b""}, "not both")])
def test_bad_arguments(service, arguments, keywords, why):
    with pytest.raises(ValueError, match=why):
        service.request(*arguments, **keywords)


def test_no_header_is_smuggled_in(service):
    with pytest.raises(ValueError):
        service.request("GET", "/groups", headers={"X-A": "a\r\nAuthorization: Bearer b"})
    assert [one for one in service.journal() if one["operation"] == "listGroups"] == []


def test_both_kinds_answer_alike():
    with svcapi.start(clock=START, seed=1, base_url="http://svcapi.test") as a, svcapi.open(clock=START, seed=1) as b:
        for method, path in (("GET", "/orgs"), ("POST", "/groups"), ("GET", "/groups"), ("GET", "/none")):
            left, right = (one.request(method, path, group(one) if method == "POST" else None) for one in (a, b))
            assert (left.status, re.sub(rb"[0-9a-f]{24}", b"ID", left.body)) == (right.status, re.sub(rb"[0-9a-f]{24}", b"ID", right.body))
            own = {name: value for name, value in right.headers.items() if name not in ("date", "content-length", "etag", "location")}
            assert "content-type" in own and own == {name: left.headers.get(name) for name in own}  # the listener adds more


def test_credentials_show_no_secret(service):
    who = service.credentials
    for secret in (who.client_secret, who.private_key):
        assert secret and secret not in repr(who)


def test_token_is_kept_until_it_expires(service):
    first = service.token()
    assert service.token() == first
    service.clock.advance(59 * 60)
    assert service.token() == first
    service.clock.advance(60)
    second = service.token()
    assert second != first
    assert service.request("GET", "/groups").status == 200
    service.reset()  # the second token does not exist any more
    assert service.request("GET", "/groups").status == 200


# ---- test control


def test_clock(service):
    assert service.clock.manual
    assert service.clock.now() == datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert service.clock.advance(1, minutes=1) == datetime(2030, 1, 1, 0, 1, 1, tzinfo=timezone.utc)
    east = timezone(timedelta(hours=2))
    assert service.clock.set(datetime(2030, 1, 1, 4, tzinfo=east)) == datetime(2030, 1, 1, 2, tzinfo=timezone.utc)
    for wrong in (-1, timedelta(milliseconds=500)):
        with pytest.raises(ValueError, match="whole seconds"):
            service.clock.advance(wrong)
    with pytest.raises(ValueError, match="time zone"):
        service.clock.set(datetime(2031, 1, 1))
    with pytest.raises(TypeError, match="datetime or a text"):
        service.clock.set(5)
    with pytest.raises(svcapi.ControlError, match="forwards") as refused:
        service.clock.set("2029-01-01T00:00:00Z")
    assert refused.value.status == 400 and refused.value.code


def test_faults(service, clusters):
    fault = service.faults.add(operation="listClusters", status=503, count=1)
    assert service.faults.list()[0].id == fault.id and fault.struck == 0
    assert service.request("GET", clusters).status == 503
    assert service.faults.list() == []
    with service.faults.add({"operation": "listClusters"}, error_code="CLUSTER_NOT_FOUND", count=1) as gone:
        assert service.request("GET", clusters).json["errorCode"] == "CLUSTER_NOT_FOUND"
        assert gone.rule["errorCode"] == "CLUSTER_NOT_FOUND"
    with service.faults.add(status=500) as every:
        assert service.request("GET", clusters).status == 500
        assert service.faults.list()[0].struck == 1
        assert every.id != fault.id
    assert service.request("GET", clusters).status == 200
    service.faults.remove(service.faults.add(status=500).id)
    service.faults.add({"order": "cluster.create", "outcome": "fail", "reason": "no capacity"})
    assert len(service.faults.list()) == 1
    service.faults.clear()
    assert service.faults.list() == []
    with pytest.raises(svcapi.ControlError, match="listCluters"):
        service.faults.add(operation="listCluters", status=503)
    with pytest.raises(svcapi.ControlError) as missing:
        service.faults.remove(999)
    assert missing.value.status == 404


@pytest.mark.parametrize("drop, made", [("before", 0), ("after", 1)])
def test_a_lost_answer(service, clusters, drop, made):
    service.faults.add(operation="createCluster", drop=drop, count=1)
    with pytest.raises(svcapi.Dropped) as lost:
        service.request("POST", clusters, CLUSTER)
    assert isinstance(lost.value, ConnectionError)
    assert service.request("GET", clusters).json["totalCount"] == made


def test_snapshots(service, clusters):
    service.request("POST", clusters, CLUSTER)
    service.snapshot("made")
    assert service.request("DELETE", clusters + "/shop").status == 202
    service.clock.advance(hours=1)
    assert service.request("GET", clusters + "/shop").status == 404
    service.restore("made")
    assert service.request("GET", clusters + "/shop").json["stateName"] == "CREATING"
    assert service.clock.now() == datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert service.snapshots() == ["made"]
    service.delete_snapshot("made")
    with pytest.raises(svcapi.ControlError) as missing:
        service.restore("made")
    assert missing.value.status == 404
    with pytest.raises(svcapi.ControlError):
        service.snapshot("a name with spaces")


def test_journal(service, clusters):
    service.request("POST", clusters, CLUSTER)
    last = service.journal(limit=1)
    assert [(one["operation"], one["status"]) for one in last] == [("createCluster", 201)]
    for secret in (service.credentials.client_secret, service.token()):
        assert secret not in str(service.journal())
    service.clear_journal()
    assert service.journal() == []


# ---- transports


def test_requests(service, clusters):
    session = requests.Session()
    session.mount(service.url, svcapi.requests_adapter(service))
    session.headers["Authorization"] = "Bearer " + service.token()
    made = session.post(service.url + service.api + clusters, json=CLUSTER)
    assert (made.status_code, made.reason, made.json()["name"], made.request.method) == (201, "Created", "shop", "POST")
    listed = session.get(service.url + service.api + clusters, params={"itemsPerPage": 1})
    assert listed.json()["totalCount"] == 1 and listed.url.endswith("?itemsPerPage=1")
    assert session.get(service.url + service.api + "/groups/none").status_code == 404
    who = service.credentials
    digest = requests.Session()
    digest.mount(service.url, svcapi.requests_adapter(service))
    digest.auth = requests.auth.HTTPDigestAuth(who.public_key, who.private_key)
    assert digest.get(service.url + service.api + "/orgs").status_code == 200
    with session.get(service.url + service.api + clusters, stream=True) as stream:
        assert b"".join(stream.iter_content(16)).startswith(b"{")


def test_httpx(service, clusters):
    bearer = {"Authorization": "Bearer " + service.token()}
    with httpx.Client(transport=svcapi.httpx_transport(service), base_url=service.url, headers=bearer) as client:
        assert client.post(service.api + clusters, json=CLUSTER).json()["name"] == "shop"
        assert client.get(service.api + clusters, params={"itemsPerPage": 1}).json()["totalCount"] == 1
        who = service.credentials
        assert client.get(service.api + "/orgs", auth=httpx.DigestAuth(who.public_key, who.private_key)).status_code == 200

    async def main():
        async with httpx.AsyncClient(transport=svcapi.httpx_transport(service), base_url=service.url, headers=bearer) as client:
            return await asyncio.gather(*(client.get(service.api + clusters + "/shop") for _ in range(8)))

    assert [one.json()["name"] for one in asyncio.run(main())] == ["shop"] * 8


def lost_types(service, session, client):
    """What each library raises where an answer is lost."""
    out = []
    for get in (session.get, client.get):
        service.faults.add(operation="listGroups", drop="before", count=1)
        with pytest.raises(Exception) as lost:
            get(service.url + service.api + "/groups", headers={"Authorization": "Bearer " + service.token()})
        out.append(type(lost.value))
    return out


def test_a_lost_answer_is_what_a_socket_makes_of_it(service):
    session = requests.Session()
    session.mount(service.url, svcapi.requests_adapter(service))
    client = httpx.Client(transport=svcapi.httpx_transport(service))
    ours = lost_types(service, session, client)
    with svcapi.start() as real:
        assert ours == lost_types(real, requests.Session(), httpx.Client())
    assert ours == [requests.exceptions.ConnectionError, httpx.RemoteProtocolError]


def test_a_late_answer_with_a_manual_clock_is_not_waited_for():
    with svcapi.open(clock=START) as service:
        session = requests.Session()
        session.mount(service.url, svcapi.requests_adapter(service))
        bearer = {"Authorization": "Bearer " + service.token()}
        target = service.url + service.api + "/groups"
        service.faults.add(operation="listGroups", delay_ms=60000)
        begun = time.monotonic()
        assert service.request("GET", "/groups").status == 200
        assert session.get(target, headers=bearer).status_code == 200
        for timeout in (1, (5, 1)):
            with pytest.raises(requests.exceptions.ReadTimeout):
                session.get(target, headers=bearer, timeout=timeout)
        with httpx.Client(transport=svcapi.httpx_transport(service), timeout=None) as client:
            assert client.get(target, headers=bearer).status_code == 200
            with pytest.raises(httpx.ReadTimeout):
                client.get(target, headers=bearer, timeout=1)
        assert time.monotonic() - begun < 10


def test_a_late_answer_with_a_real_clock_is_waited_for():
    with svcapi.open() as service:
        service.token()
        service.faults.add(operation="listGroups", delay_ms=300)
        begun = time.monotonic()
        assert service.request("GET", "/groups").status == 200
        assert time.monotonic() - begun >= 0.3


def test_transports_are_imported_only_when_used():
    code = "import sys, svcapi; assert not {'requests', 'httpx', 'pytest', 'anyio'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- svcd


def gone(pid, seconds=10):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_svcd_ends_with_the_block():
    with svcapi.start() as service:
        pid, folder = service.process.pid, service._folder.name
        assert not os.path.exists(folder)  # its files were read
    assert service.process.returncode == 0 and gone(pid)
    service.close()
    with pytest.raises(svcapi.StartError, match="has ended with status 0"):
        service.request("GET", "/groups", auth=False)


def test_svcd_ends_when_its_user_is_killed(tmp_path):
    code = "import svcapi, time; s = svcapi.start(world='team'); print(s.process.pid, flush=True); time.sleep(600)"
    user = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    pid = int(user.stdout.readline())
    assert not gone(pid, 0.2)
    user.send_signal(signal.SIGKILL)
    user.wait()
    user.stdout.close()
    assert gone(pid)
    assert list(tmp_path.iterdir()) == []  # no file with the credentials


def test_a_thread_that_starts_svcd_may_end():
    made = []
    thread = threading.Thread(target=lambda: made.append(svcapi.start()))
    thread.start()
    thread.join()
    with made[0] as service:
        time.sleep(0.3)
        assert service.request("GET", "/groups").status == 200


@pytest.mark.parametrize("keywords, why", [
    ({"provision_second": 1}, "did you mean --provision-seconds?"), ({"clock": "tomorrow"}, "--clock tomorrow"),
    ({"seed": 0}, "--seed 0"), ({"clock": START, "test_control": False}, "--clock needs --test-control")])
def test_a_start_that_fails_says_why(keywords, why):
    with pytest.raises(svcapi.StartError) as error:
        svcapi.start(**keywords)
    assert why in str(error.value) and "status 2" in str(error.value)
    assert error.value.log


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(svcapi.StartError, match=str(port)):
            svcapi.start(listen=f"http://127.0.0.1:{port}")


def test_no_such_program(tmp_path, monkeypatch):
    with pytest.raises(svcapi.Error, match="svcd= names it"):
        svcapi.start(svcd=tmp_path / "none")
    monkeypatch.setenv("SVCD", str(tmp_path))
    with pytest.raises(svcapi.Error, match="variable SVCD names it"):
        svcapi.start()
    text = tmp_path / "text"
    text.write_bytes(b"\x7fELF nothing")
    text.chmod(0o755)
    with pytest.raises(svcapi.StartError, match="cannot be started"):
        svcapi.start(svcd=text)
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\necho thinking\nexec sleep 60\n")
    slow.chmod(0o755)
    with pytest.raises(svcapi.StartError, match="(?s)not ready after 0.5 seconds.*thinking"):
        svcapi.start(svcd=slow, timeout=0.5)


def test_the_environment_does_not_leak(monkeypatch):
    monkeypatch.setenv("SVCD_VENDOR", "acme")
    with svcapi.start() as service:
        assert service.request("GET", "/groups").status == 200


def test_flags(tmp_path):
    dialect = tmp_path / "dialect.json"
    dialect.write_text('{"vendor": "acme", "paths": {"dbVersions": "acmeVersions"}}')
    with svcapi.start(dialect=dialect, no_gzip=True, metrics=False) as service:
        assert service.api == "/api/acme/v2"
        assert service.request("GET", "/groups").status == 200
        assert any(line.startswith("svcd ready on") for line in service.log)


def test_a_store_in_a_folder(tmp_path):
    with svcapi.start(data=tmp_path / "data") as service:
        made = service.request("POST", "/groups", group(service)).json["id"]
    with svcapi.start(data=tmp_path / "data") as service:
        assert service.request("GET", "/groups/" + made).json["name"] == "payments"


def test_https(tmp_path):
    with svcapi.start(data=tmp_path / "data", listen="https://localhost:0") as service:
        assert service.url.startswith("https://")
        assert service.request("GET", "/groups").status == 200


def test_without_test_control():
    with svcapi.start(test_control=False) as service:
        with pytest.raises(svcapi.Error, match="without test control"):
            service.reset()


def test_a_crash_shows_the_log():
    with svcapi.start() as service:
        service.token()
        service.process.kill()
        service.process.wait()
        with pytest.raises(svcapi.StartError, match="(?s)status -9.*svcd ready on"):
            service.request("GET", "/groups")


def test_the_command():
    command = os.path.join(os.path.dirname(sys.executable), "svcd")
    assert "usage: svcd" in subprocess.run([command, "--help"], check=True, capture_output=True, text=True).stdout
    wrong = subprocess.run([command, "serve", "--dta", "x"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "did you mean --data?" in wrong.stderr


# ---- the library


def test_the_library_in_a_folder(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    with svcapi.open(path=str(path)) as service:
        who = service.credentials
        made = service.request("POST", "/groups", group(service)).json["id"]
    with svcapi.open(path=str(path)) as service:
        with pytest.raises(svcapi.Error, match="credentials"):
            service.request("GET", "/groups")
    with svcapi.open(path=str(path), credentials=who) as service:
        assert service.request("GET", "/groups/" + made).json["name"] == "payments"


@pytest.mark.parametrize("config, why", [
    ({"vendr": "acme"}, "vendr is not a member"), ({"limiter_off": 3}, "limiter_off must be true or false"),
    ({"path": "/nowhere/at/all"}, "/nowhere/at/all")])
def test_a_bad_configuration(config, why):
    with pytest.raises(svcapi.Error, match=why):
        svcapi.open(**config)


def test_a_bad_clock():
    with pytest.raises(ValueError, match="manual or a time such as"):
        svcapi.open(clock="tomorrow")


def test_members_of_the_configuration():
    limits = [{"endpoint_set_id": "clusters_group", "capacity": 9}]
    with svcapi.open(vendor="acme", limits=limits, clock="manual", base_url="https://api.example/") as service:
        assert (service.api, service.url) == ("/api/acme/v2", "https://api.example")
        link = service.request("GET", "/groups").json["links"][0]["href"]
        assert link.startswith("https://api.example/api/acme/v2/groups")
        assert abs(service.clock.now() - datetime.now(timezone.utc)) < timedelta(minutes=1)


def test_no_library(monkeypatch):
    monkeypatch.setenv("SVCAPI_LIBRARY", "/nowhere/libsvcapi.so.1")
    with pytest.raises(svcapi.LibraryError, match="set SVCAPI_LIBRARY"):
        svcapi.open()
    monkeypatch.setenv("SVCAPI_LIBRARY", "libc.so.6")
    with pytest.raises(svcapi.LibraryError, match="has no svc_open_json"):
        svcapi.open()


def test_closed():
    service = svcapi.open()
    service.close()
    service.close()
    with pytest.raises(svcapi.Error, match="closed"):
        service.request("GET", "/groups", auth=False)


def test_threads(service):
    failures = []

    def work(number):
        try:
            assert service.request("POST", "/groups", group(service, f"project {number}")).status == 201
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert service.request("GET", "/groups").json["totalCount"] == 9


def test_control_is_not_reached_by_a_request_in_this_process():
    with svcapi.open() as service:
        with pytest.raises(ValueError, match="control"):
            service.request("POST", "/_svc/reset")


def test_the_origin_of_a_request():
    owner = {"user_id": "0" * 24, "username": "host", "grants": [{"role": "ORG_OWNER"}]}
    with svcapi.open() as service:
        assert service.request("GET", "/groups", origin={"caller": owner}).json["totalCount"] == 1
        assert service.request("GET", "/groups", auth=False).status == 401
        assert service.request("GET", "/groups", origin={"peer": "192.0.2.7"}).status == 200
        assert service.journal(limit=1)[0]["operation"] == "listGroups"


def test_the_store_in_memory(tmp_path):
    with svcapi.open(store="memory") as service:
        assert service.request("POST", "/groups", group(service)).status == 201
        service.reset()
        assert service.request("GET", "/groups").json["totalCount"] == 1
    with pytest.raises(svcapi.Error, match="lmdb or memory"):
        svcapi.open(store="paper")
