"""Worlds, a clock that runs, the journal as HAR, snapshots in files: left out, and said so, where svcd does not have them yet."""
import json
import subprocess
import time
from datetime import datetime, timezone

import pytest
import svcapi
from svcapi._server import program

HELP = subprocess.run([program(), "serve", "--help"], check=True, capture_output=True, text=True).stdout
worlds = pytest.mark.skipif("--world" not in HELP, reason="this svcd has no --world")
rates = pytest.mark.skipif("--clock-rate" not in HELP, reason="this svcd has no --clock-rate")
START = "2030-01-01T00:00:00Z"
WORLD = {"world": 1, "orgs": [{"name": "Acme", "as": "acme", "groups": [{"name": "shop", "as": "shop"}, {"name": "lab"}]}]}
BOTH = pytest.mark.parametrize("begin", [svcapi.start, svcapi.open], ids=["start", "open"])


def names(service):
    return sorted(group["name"] for group in service.request("GET", "/groups").json["results"])


@worlds
@BOTH
@pytest.mark.parametrize("form", ["dict", "file"])
def test_a_world(tmp_path, begin, form):
    (tmp_path / "world.json").write_text(json.dumps(WORLD))
    with begin(world=WORLD if form == "dict" else tmp_path / "world.json", clock=START, seed=1) as service:
        assert names(service) == ["lab", "shop"]
        assert service.world["names"]["acme"] == service.credentials.org_id
        service.request("POST", "/groups", {"name": "more", "orgId": service.credentials.org_id})
        service.reset()
        assert names(service) == ["lab", "shop"]
        service.load_world({"world": 1, "orgs": [{"name": "Acme", "groups": [{"name": "late"}]}]})
        assert names(service) == ["lab", "late", "shop"]
        service.save_world(tmp_path / "saved.json")
    with begin(world=tmp_path / "saved.json", clock=START) as service:
        assert names(service) == ["lab", "late", "shop"]


@worlds
@BOTH
def test_a_world_with_a_time(begin):
    with begin(world={**WORLD, "now": "2029-03-01T00:00:00Z"}) as service:
        assert service.clock.now() == datetime(2029, 3, 1, tzinfo=timezone.utc)


@worlds
@BOTH
def test_a_wrong_world(tmp_path, begin):
    (tmp_path / "world.json").write_text('{"world": 1,\n "orgs": [\n  {"name": 5}]}')
    with pytest.raises(svcapi.Error, match=r"world\.json: ?3:"):
        begin(world=tmp_path / "world.json", clock=START)


@worlds
def test_a_world_that_svcd_brings_along():
    with svcapi.start(world="team", clock=START) as service:
        assert "production" in names(service)
    with pytest.raises(svcapi.StartError, match="nothing-such"):
        svcapi.start(world="nothing-such")


@worlds
@BOTH
def test_snapshots_in_files(tmp_path, begin):
    with begin(clock=START, seed=1) as service:
        made = service.request("POST", "/groups", {"name": "payments", "orgId": service.credentials.org_id}).json["id"]
        service.snapshot("one")
        service.save_snapshot("one", tmp_path / "one")
        assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
        service.reset()
        service.delete_snapshot("one")
        assert service.request("GET", "/groups/" + made).status == 404
        service.load_snapshot("two", tmp_path / "one")
        service.restore("two")
        assert service.request("GET", "/groups/" + made).status == 200
        (tmp_path / "bad").write_bytes(b"no snapshot")
        with pytest.raises(svcapi.ControlError):
            service.load_snapshot("bad", tmp_path / "bad")


@rates
@BOTH
def test_a_clock_that_runs(begin):
    with begin(clock=START, rate=100000) as service:
        time.sleep(0.1)
        assert service.clock.now() > datetime(2030, 1, 1, 1, tzinfo=timezone.utc)
        service.clock.set_rate(0)
        stands = service.clock.now()
        time.sleep(0.05)
        assert service.clock.now() == stands


@rates
@BOTH
def test_the_next_due_step(begin):
    cluster = {"name": "shop", "clusterType": "REPLICASET", "replicationSpecs": [{"regionConfigs": [{
        "providerName": "AWS", "regionName": "US_EAST_1", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]}
    with begin(clock=START) as service:
        clusters = f"/groups/{service.credentials.project_id}/clusters"
        service.request("POST", clusters, cluster)
        due = [one for one in service.clock.due() if one.get("name") == "shop"]
        assert due[0]["noun"] == "cluster"
        while service.request("GET", clusters + "/shop").json["stateName"] != "IDLE":
            before = service.clock.now()
            assert service.clock.next() > before
        assert service.clock.now() <= datetime(2030, 1, 1, 0, 1, tzinfo=timezone.utc)


@rates
@BOTH
def test_the_journal_as_har(begin):
    with begin(clock=START) as service:
        service.request("GET", "/groups")
        har = service.journal(format="har")
        assert har["log"]["version"] == "1.2"
        assert har["log"]["entries"][-1]["request"]["url"].endswith("/groups")
        assert service.credentials.client_secret not in json.dumps(har)
