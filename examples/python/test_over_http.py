"""Tests a client of this API over HTTP against the real service: build/svcd with --test-control, in memory.

    python3 examples/python/test_over_http.py

Needs only the standard library. Every test begins with the same store and the same clock, and no test sleeps.
"""
import base64
import http.client
import json
import os
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

SVCD = os.environ.get("SVCD", "build/svcd")
CLUSTER = {"name": "shop", "clusterType": "REPLICASET", "replicationSpecs": [{"regionConfigs": [{
    "providerName": "AWS", "regionName": "US_EAST_1", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]}


def send(url, method="GET", body=None, headers=None):
    """Sends a request. Returns the status, and the body parsed as JSON (None: no body)."""
    data = b"" if method == "POST" and body is None else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text else None


class Client:
    """The tested client: it gets an access token, and retries requests that fail. Replace it by your client."""

    def __init__(self, first):
        self.first, self.token = first, None

    def login(self):
        form = urllib.parse.urlencode({"grant_type": "client_credentials"}).encode()
        request = urllib.request.Request(self.first["baseUrl"] + "/api/oauth/token", form)
        basic = "%s:%s" % (self.first["clientId"], self.first["clientSecret"])
        request.add_header("Authorization", "Basic " + base64.b64encode(basic.encode()).decode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            self.token = json.load(answer)["access_token"]

    def call(self, method, path, body=None, key=None, tries=5):
        for _ in range(tries):
            if not self.token:
                self.login()
            headers = {"Authorization": "Bearer " + self.token}
            if key:
                headers["Idempotency-Key"] = key
            try:
                status, answer = send(self.first["baseUrl"] + "/api/svc/v2" + path, method, body, headers)
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
                continue  # the answer was lost: a retry is safe with the same key
            if status == 401:
                self.token = None
            elif status not in (429, 500, 503):
                break
        return status, answer


class TestOverHttp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "bootstrap.json")
        cls.svcd = subprocess.Popen([SVCD, "--memory", "--test-control", "--clock", "2030-01-01T00:00:00Z", "--seed", "1",
                                     "--bootstrap", path, "--listen", "http://127.0.0.1:0"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while "svcd ready on" not in (line := cls.svcd.stdout.readline()):
            if not line:
                raise RuntimeError("svcd does not start")
        with open(path) as file:
            cls.first = json.load(file)

    @classmethod
    def tearDownClass(cls):
        cls.svcd.terminate()
        cls.svcd.wait()
        cls.svcd.stdout.close()
        cls.folder.cleanup()

    def control(self, method, path, body=None, token=None, **headers):
        headers["Authorization"] = "Bearer " + (token or self.first["testToken"])
        return send(self.first["baseUrl"] + "/_svc" + path, method, body, headers)

    def setUp(self):
        self.assertEqual(self.control("POST", "/reset")[0], 204)
        self.client = Client(self.first)
        self.clusters = "/groups/%s/clusters" % self.first["groupId"]

    def test_time(self):
        self.assertEqual(self.client.call("POST", self.clusters, CLUSTER)[0], 201)
        self.assertEqual(self.client.call("GET", self.clusters + "/shop")[1]["stateName"], "CREATING")
        self.assertEqual(self.control("POST", "/clock", {"advanceSeconds": 10})[1]["now"], "2030-01-01T00:00:10Z")
        self.assertEqual(self.client.call("GET", self.clusters + "/shop")[1]["stateName"], "IDLE")
        self.control("POST", "/clock", {"now": "2030-01-02T00:00:00Z"})  # the token has expired: the client gets a new one
        self.assertEqual(self.client.call("GET", self.clusters + "/shop")[0], 200)

    def test_every_test_begins_alike(self):
        self.assertEqual(self.control("GET", "/clock")[1]["now"], "2030-01-01T00:00:00Z")
        self.assertEqual(self.client.call("GET", self.clusters)[1]["totalCount"], 0)

    def test_faults(self):
        for fault in ({"status": 503, "count": 2}, {"status": 429, "count": 1}, {"status": 500, "count": 1},
                      {"kind": "expiredToken", "count": 1}, {"drop": "before", "count": 1}, {"drop": "after", "count": 1}):
            self.control("POST", "/reset")
            self.client.token = None
            self.assertEqual(self.control("POST", "/faults", {"operation": "createCluster", **fault})[0], 201)
            self.assertEqual(self.client.call("POST", self.clusters, CLUSTER, key="one-key-for-one-cluster")[0], 201, fault)
            self.assertEqual(self.client.call("GET", self.clusters)[1]["totalCount"], 1, fault)
            self.assertEqual(self.control("GET", "/faults")[1], [], fault)  # the fault has happened, and its rule is removed

    def test_snapshots(self):
        self.client.call("POST", self.clusters, CLUSTER)
        self.assertEqual(self.control("POST", "/snapshots", {"name": "made"})[0], 201)
        self.assertEqual(self.client.call("DELETE", self.clusters + "/shop")[0], 202)
        self.control("POST", "/clock", {"advanceSeconds": 3600})
        self.client.token = None
        self.assertEqual(self.client.call("GET", self.clusters + "/shop")[0], 404)
        self.assertEqual(self.control("POST", "/snapshots/made:restore")[0], 204)
        self.client.token = None
        self.assertEqual(self.client.call("GET", self.clusters + "/shop")[1]["stateName"], "CREATING")
        self.assertEqual([s["name"] for s in self.control("GET", "/snapshots")[1]], ["made"])
        self.assertEqual(self.control("DELETE", "/snapshots/made")[0], 204)

    def test_journal(self):
        self.client.call("POST", self.clusters, CLUSTER)
        last = self.control("GET", "/journal?limit=1")[1][-1]
        self.assertEqual((last["operation"], last["status"]), ("createCluster", 201))
        text = json.dumps(self.control("GET", "/journal")[1])
        for secret in (self.first["clientSecret"], self.client.token, self.first["testToken"]):
            self.assertNotIn(secret, text)

    def test_nobody_else(self):
        self.assertEqual(self.control("POST", "/clock", {"advanceSeconds": 60}, token="wrong")[0], 401)
        self.assertEqual(self.control("POST", "/reset", Origin="http://example.com")[0], 403)
        self.assertEqual(self.control("GET", "/clock", Host="example.com")[0], 403)
        self.assertEqual(self.control("GET", "/clock")[1]["now"], "2030-01-01T00:00:00Z")
        self.assertEqual(send(self.first["baseUrl"] + "/_svc/health")[1]["status"], "ok")


if __name__ == "__main__":
    unittest.main()
