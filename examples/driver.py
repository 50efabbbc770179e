#!/usr/bin/env python3
"""A driver for svcd in one file: every cluster is a redis-server on this machine.

    svcd --data DIR --seal-passwords --driver 'exec:python3 examples/driver.py --folder FOLDER'

Copy this file to write your own driver. It needs Python 3 and its standard library, and redis-server 7 or later.

How a driver program works. svcd starts it, and both write lines of JSON: svcd to our standard input, we to our standard output.
Whatever we write to standard error lands in the log of svcd. The first line from both sides is {"driver":1}. Then:

  svcd asks us to do something       {"order":{"id":"..","action":"cluster.create","resourceId":"..","name":"..","desired":{..},..}}
  we answer when it is done          {"done":{"id":"..","result":"ok","facts":{"hosts":["127.0.0.1:6379"]}}}
    or want it again later           {"done":{"id":"..","result":"busy"}}
    or cannot do it                  {"done":{"id":"..","result":"failed","reason":"why"}}
  svcd asks us about something       {"question":{"id":"..","what":"measure","resourceId":"..","parameters":{..},..}}
  we answer within ten seconds       {"reply":{"id":"..","value":..}}   or, if we do not know   {"reply":{"id":"..","unknown":true}}
  we tell what nobody asked for      {"report":{"resource":"cluster","id":"..","facts":{..}}}

Four rules make a driver that can be trusted:

  1. An order may come more than once, for example when this program was killed half way. So every action looks at what is there,
     and does only what is missing. Repeating it changes nothing.
  2. What we must remember is in files, not in variables: the next start of this program finds the servers by their folders.
  3. The servers have a session of their own (start_new_session), so they outlive this program. svcd ends our process group.
  4. When standard input ends, svcd is gone: we end, too.

Files, all of them readable by us alone:

  FOLDER/ID/          the server of the cluster with this id: server.json (ours), redis.conf, users.acl, redis.log, its data
  FOLDER/users/GROUP/ID.json   a database user of a project, for servers that come later: the SHA-256 of its password, no password

Database users are Redis ACLs. A database of the API is a prefix of keys: the role read on "shop" reads the keys shop:*, and on its
collection "orders" the keys shop:orders:*. What the roles allow is in ROLES below; other roles fail, and say so. Redis has no SCRAM,
so we need passwords: svcd keeps them sealed with --seal-passwords, and hands them to us because our first line asks for them.
"""

import argparse
import bisect
import collections
import glob
import hashlib
import json
import os
import queue
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

ADMIN = "svc-driver"  # our own user on every server
WATCH_SECONDS = 1     # between two looks whether the servers live
SAMPLE_SECONDS = 15   # between two samples of their figures
SAMPLES = 6000        # that are kept of each server: a day
LOG_LINES = 20000     # that are sent of a log at the most

# What a cluster of this size may hold. Sizes that are not here have no limit.
MEMORY = {"M10": "2gb", "M20": "4gb", "M30": "8gb", "M40": "16gb", "M50": "32gb", "M60": "64gb", "M80": "128gb"}

# Roles of the API: how keys may be used (%R~ reads, ~ reads and writes), and which commands. {} is the prefix of the keys. KEYS, SCAN
# and their like show the names of all keys, so that only roles on all databases have them.
READS = "+@read +@connection -@dangerous"
WRITES = READS + " +@write +@transaction -@dangerous"
OF_ONE = " -scan -randomkey -dbsize"
ROLES = {
    "read": "%R~{} " + READS + OF_ONE,
    "readWrite": "~{} " + WRITES + OF_ONE,
    "readAnyDatabase": "%R~* " + READS + " +keys",
    "readWriteAnyDatabase": "~* " + WRITES + " +keys",
    "backup": "%R~* " + READS + " +keys",
    "clusterMonitor": "+ping +info +slowlog|get +client|list +latency|latest",
    "Admin": "~* &* +@all -@admin -@dangerous +info +keys +flushdb +slowlog +client|list",  # behind the vendor's word: svcAdmin
}

# Metrics that Redis counts up: what is asked for is how much they grow in a second.
COUNTERS = {"OPCOUNTER_CMD", "OPCOUNTER_QUERY", "OPCOUNTER_INSERT", "OPCOUNTER_DELETE", "NETWORK_BYTES_IN", "NETWORK_BYTES_OUT",
            "NETWORK_NUM_REQUESTS"}

# Orders about things that a redis-server on one machine has no counterpart of: they need nothing to be done.
NOTHING_TO_DO = {"network.put", "network.delete", "security.put"}


class Failed(Exception):
    """The order cannot be done; the text is what the API shows as the reason."""


def note(text):
    """A line in the log of svcd. Never a password."""
    print(text, file=sys.stderr, flush=True)


def write_file(path, text):
    """The whole text, or the old one: a crash leaves no half file."""
    fd = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
    os.rename(path + ".new", path)


def read_json(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


# ---------------------------------------------------------------------------------------------------------------------- Redis

class Redis:
    """As much of the protocol of Redis as we need: commands out, one reply each in."""

    def __init__(self, port, password, seconds=3):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.file = self.socket.makefile("rb")
        self.call("AUTH", ADMIN, password)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def call(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
        self.socket.sendall(b"".join(parts))
        return self.reply()

    def reply(self):
        line = self.file.readline()
        if not line:
            raise OSError("the server has closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise OSError(rest.decode("utf-8", "replace"))
        if kind == b"$":
            return self.file.read(int(rest) + 2)[:-2].decode("utf-8", "replace") if int(rest) >= 0 else None
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        return int(rest) if kind == b":" else rest.decode()


class Server:
    """The redis-server of one cluster. `about` is what server.json holds: group, name, port, password (ours), paused, memory."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.id = os.path.basename(folder)
        self.about = read_json(os.path.join(folder, "server.json")) or {}
        self.lock = threading.RLock()  # one change at a time: orders and the watcher both come here
        self.child = None              # where it is a child of this process, which must then be waited for
        self.down = False              # we have reported that it does not live
        self.samples = collections.deque(maxlen=SAMPLES)

    def path(self, name):
        return os.path.join(self.folder, name)

    def connect(self):
        return Redis(self.about["port"], self.about["password"])

    def lives(self):
        try:
            with self.connect() as redis:
                return redis.call("PING") == "PONG"
        except (OSError, KeyError, ValueError):
            return False

    def host(self):
        return "127.0.0.1:%d" % self.about["port"]

    def save(self):
        write_file(self.path("server.json"), json.dumps(self.about))

    def make(self, group, name, memory):
        """The folder, and what stays the same for the life of the cluster."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.about.update(group=group, name=name, memory=memory)
        self.about.setdefault("password", secrets.token_hex(16))
        self.about.setdefault("port", free_port())
        self.save()

    def configure(self):
        """redis.conf. Data survive a kill: every write is in the append-only file, on the disk within a second."""
        lines = ["bind 127.0.0.1", "port %d" % self.about["port"], "dir " + quoted(self.folder), "aclfile " + quoted(self.path("users.acl")),
                 "logfile " + quoted(self.path("redis.log")), "pidfile " + quoted(self.path("redis.pid")), "appendonly yes", 'save ""',
                 "maxmemory " + (self.about.get("memory") or "0")]
        write_file(self.path("redis.conf"), "\n".join(lines) + "\n")

    def start(self):
        """Until it answers. Another program may have taken the port while the server was down: then it gets a new one."""
        for _ in range(3):
            if self.lives():
                return
            if port_is_taken(self.about["port"]):
                self.end_process()
            if port_is_taken(self.about["port"]):
                self.about["port"] = free_port()
                self.save()
            self.configure()
            self.child = subprocess.Popen([self.program, self.path("redis.conf")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL, start_new_session=True)
            for _ in range(100):
                if self.lives():
                    return
                if self.child.poll() is not None:
                    break
                time.sleep(0.05)
        raise Failed("redis-server does not start: its log says why")

    def process(self):
        """The number of its process; 0: it has none. A number from a file may be somebody else's by now: /proc tells."""
        if self.child and self.child.poll() is None:
            return self.child.pid
        try:
            with open(self.path("redis.pid")) as f:
                pid = int(f.read())
            with open("/proc/%d/cmdline" % pid, "rb") as f:
                return pid if (b":%d" % self.about["port"]) in f.read() else 0
        except (OSError, ValueError, KeyError):
            return 0

    def end_process(self):
        """Politely at first. When this returns there is no process any more."""
        try:
            with self.connect() as redis:
                redis.call("SHUTDOWN", "NOSAVE", "FORCE")
        except (OSError, KeyError, ValueError):
            pass  # it answers by closing the connection; or it was not there
        for n in range(100):
            pid = self.process()
            if not pid:
                return
            if n == 60:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        raise Failed("redis-server does not end")

    def figure(self, name):
        """One figure as it is now; of a counter how much it grows in a second. None: unknown."""
        if name == "UP":
            return 1 if self.lives() else 0
        samples = list(self.samples)[-2:]
        if not samples or name not in samples[-1][1]:
            return None
        return rate_of(samples, name) if name in COUNTERS else samples[-1][1][name]

    def info(self):
        """INFO as a dictionary, with the number of calls of each command."""
        with self.connect() as redis:
            text = redis.call("INFO", "everything")
        pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
        return {name: value for name, value in pairs}


def quoted(path):
    """For redis.conf."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def port_is_taken(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


# ---------------------------------------------------------------------------------------------------------------------- users

def prefix_of(role):
    """The keys of a database, or of one of its collections. A name that Redis would read as a pattern has none."""
    words = [role["databaseName"]] + ([role["collectionName"]] if role.get("collectionName") else [])
    for word in words:
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", word):
            raise Failed("%s cannot be a prefix of keys in Redis: letters, digits, _ . and - only" % json.dumps(word))
    return ":".join(words) + ":*"


def acl_rules(user, vendor):
    """What the roles of a user allow, in the words of Redis. Each role is a selector: rules of one do not widen another's."""
    rules = []
    for role in user["roles"]:
        name = role["roleName"]
        if name == vendor + "Admin":
            name = "Admin"
        if name not in ROLES or (name == "Admin" and role["roleName"] == "Admin"):
            raise Failed("the role %s has no counterpart in Redis" % role["roleName"])
        rules.append("(" + ROLES[name].replace("{}", prefix_of(role) if "{}" in ROLES[name] else "") + ")")
    return " ".join(rules)


def account_of(order, vendor):
    """What we keep of a database user. The password itself is not kept: Redis accepts its SHA-256."""
    user, password = order["desired"], order.get("secrets", {}).get("password")
    name = user["username"]
    if user["databaseName"] != "admin":
        raise Failed("Redis knows users by password alone")
    if not re.fullmatch(r"[!-~]+", name) or name in ("default", ADMIN):
        raise Failed("the user name cannot be one in Redis: printable ASCII without spaces, and neither default nor " + ADMIN)
    if not password:
        raise Failed("Redis needs the password, which svcd keeps only with --seal-passwords; then set the password again")
    scopes = [s["name"] for s in user.get("scopes") or [] if s["type"] == "CLUSTER"]
    return {"name": name, "hash": hashlib.sha256(password.encode()).hexdigest(), "rules": acl_rules(user, vendor),
            "scopes": scopes, "limited": bool(user.get("scopes"))}


# --------------------------------------------------------------------------------------------------------------------- driver

class Driver:
    def __init__(self, folder, program):
        self.folder, self.program, self.vendor = folder, program, "svc"
        self.out_lock = threading.Lock()
        self.orders, self.questions = queue.Queue(), queue.Queue()
        self.servers = {}
        self.actions = {
            "cluster.create": self.put_cluster, "cluster.update": self.put_cluster, "cluster.delete": self.delete_cluster,
            "flex.create": self.put_cluster, "flex.update": self.put_cluster, "flex.delete": self.delete_cluster,
            "user.put": self.put_user, "user.delete": self.delete_user, "metrics.measure": self.measure_all,
        }
        self.answers = {"measure": self.measure, "series": self.series, "logs": self.logs}

    def say(self, **line):
        """A line to svcd. Several threads write: each line goes out whole."""
        with self.out_lock:
            sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
            sys.stdout.flush()

    # -- orders, one after the other

    def do_orders(self):
        while True:
            order = self.orders.get()
            done = {"id": order["id"], "result": "ok"}
            try:
                action = self.actions.get(order["action"])
                if action:
                    done["facts"] = action(order) or {}
                elif order["action"] not in NOTHING_TO_DO:
                    raise Failed("examples/driver.py has no way to do %s" % order["action"])
            except Failed as why:
                done.update(result="failed", reason=str(why))
            except OSError as why:  # a full disk, no more processes: perhaps better later
                note("%s of %s: %s" % (order["action"], order["name"], why))
                done.update(result="busy")
            except Exception as why:  # an order that we do not understand must not stop those behind it
                note("%s of %s: %r" % (order["action"], order["name"], why))
                done.update(result="failed", reason="the driver has failed: its log says why")
            self.say(done=done)

    def put_cluster(self, order):
        """Create, change, pause and resume are one: bring about what is desired."""
        desired = order["desired"]
        server = self.servers.get(order["resourceId"]) or Server(os.path.join(self.folder, order["resourceId"]), self.program)
        with server.lock:
            server.make(order["groupId"], order["name"], memory_of(desired))
            server.about["paused"] = bool(desired.get("paused"))
            server.save()
            self.servers[server.id] = server  # from here on the watcher looks after it
            self.write_users(server)
            if server.about["paused"]:
                server.end_process()
                return {}
            server.start()
            with server.connect() as redis:
                redis.call("CONFIG", "SET", "maxmemory", server.about["memory"] or "0")
                redis.call("ACL", "LOAD")
            server.down = False
            facts = facts_of(server)
            if order["action"].startswith("flex."):
                del facts["dataSizeBytes"]  # svcd refuses facts that an order does not take
            return facts

    def delete_cluster(self, order):
        server = self.servers.pop(order["resourceId"], None) or Server(os.path.join(self.folder, order["resourceId"]), self.program)
        with server.lock:
            server.end_process()
            shutil.rmtree(server.folder, ignore_errors=True)
            if os.path.exists(server.folder):
                raise OSError("the folder of %s cannot be removed" % server.id)

    def measure_all(self, order):
        """What alert configurations watch, once a minute. A figure that we leave out is not known, and raises no alert."""
        servers = {server.host(): server for server in self.servers.values()}
        told = []
        for figure in order["desired"].get("figures") or []:
            server = servers.get(figure.get("host"))
            value = server.figure(figure["metricName"]) if server else None
            if value is not None:
                told.append(dict(figure, value=value))
        return {"figures": told}

    def user_file(self, order):
        return os.path.join(self.folder, "users", order["groupId"], order["resourceId"] + ".json")

    def put_user(self, order):
        path = self.user_file(order)
        try:
            account = account_of(order, self.vendor)
        except Failed:
            self.delete_user(order)  # what it was before may be more than it may be now
            raise
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, json.dumps(account))
        self.load_users(order["groupId"])

    def delete_user(self, order):
        try:
            os.remove(self.user_file(order))
        except FileNotFoundError:
            pass
        self.load_users(order["groupId"])

    def write_users(self, server):
        """users.acl of a server: us, nobody by default, and the users of the project whose scopes name this cluster."""
        ours = hashlib.sha256(server.about["password"].encode()).hexdigest()
        lines = ["user default off", "user %s on #%s ~* &* +@all" % (ADMIN, ours)]
        for path in sorted(glob.glob(os.path.join(self.folder, "users", server.about["group"], "*.json"))):
            account = read_json(path)
            if account and (not account["limited"] or server.about["name"] in account["scopes"]):
                lines.append("user %s on #%s %s" % (account["name"], account["hash"], account["rules"]))
        write_file(server.path("users.acl"), "\n".join(lines) + "\n")

    def load_users(self, group):
        """On every server of the project. One that is down reads the file when it starts."""
        for server in list(self.servers.values()):
            if server.about["group"] != group:
                continue
            with server.lock:
                self.write_users(server)
                if server.about.get("paused") or not server.lives():
                    continue
                with server.connect() as redis:
                    redis.call("ACL", "LOAD")

    # -- questions

    def do_questions(self):
        while True:
            question = self.questions.get()
            server, value = self.servers.get(question["resourceId"]), None
            try:
                if server and question["what"] in self.answers:
                    value = self.answers[question["what"]](server, question)
            except Exception as why:  # a server that is down, for example: the answer is unknown
                note("%s of %s: %s" % (question["what"], question["name"], why))
            self.say(reply={"id": question["id"], "unknown": True} if value is None else {"id": question["id"], "value": value})

    def measure(self, server, question):
        """One figure, as it is now; counters as they stand."""
        value = figures(server.info()).get(question["parameters"].get("metric"))
        return None if value is None else {"value": value}

    def series(self, server, question):
        """Figures over time, from the samples of the watcher. A metric that we do not know is left out, and shows as a gap."""
        asked, samples, out = question["parameters"], list(server.samples), {}
        times = [sample[0] for sample in samples]
        for metric in asked.get("metrics", []):
            name = metric["name"]
            if not samples or name not in samples[-1][1]:
                continue
            ends = range(asked["from"], asked["until"] + 1, asked["step"])
            out[name] = [figure_at(samples, times, at, asked["step"], name) for at in ends]
        return {"series": out}

    def logs(self, server, question):
        """The last lines of the server's log, as many as svcd takes."""
        with open(server.path("redis.log"), errors="replace") as f:
            lines, room = collections.deque(f, LOG_LINES), question["most"]
        out = collections.deque()
        while lines and room >= len(lines[-1].encode()):
            room -= len(lines[-1].encode())
            out.appendleft(lines.pop().rstrip("\n"))
        return list(out)

    # -- watching

    def watch(self):
        sampled = 0
        while True:
            time.sleep(WATCH_SECONDS)
            sample = time.time() - sampled >= SAMPLE_SECONDS
            for server in list(self.servers.values()):
                try:
                    self.look_at(server, sample)
                except Exception as why:
                    note("cluster %s: %s" % (server.about.get("name"), why))
            if sample:
                sampled = time.time()

    def look_at(self, server, sample):
        if not server.lock.acquire(timeout=0.1):
            return  # an order is under way
        try:
            if self.servers.get(server.id) is not server or server.about.get("paused"):
                return
            was = server.host()
            if not server.lives():
                if not server.down:
                    server.down = True
                    note("the server of cluster %s is down, and is started again" % server.about["name"])
                    self.report(server, {"host": was, "up": False})
                server.start()
            if server.host() != was:
                self.report(server, {"host": was, "movedTo": server.host()})  # connection strings follow
            if server.down:
                server.down = False
                self.report(server, {"host": server.host(), "up": True, "primary": True})
            if sample:
                server.samples.append((time.time(), figures(server.info())))
        finally:
            server.lock.release()

    def report(self, server, news):
        """News of a process. The project in front of the id spares svcd a search."""
        self.say(report={"resource": "cluster", "id": server.about["group"] + "/" + server.id, "facts": {"processes": [news]}})

    # -- from the first line to the last

    def run(self):
        self.say(driver=1, secrets=["user.put"])  # the only orders whose secrets we need
        hello = json.loads(sys.stdin.readline() or "{}")
        if hello.get("driver") != 1:
            sys.exit("this driver speaks version 1 of the protocol, not %r" % hello.get("driver"))
        self.vendor = hello.get("vendor", "svc")
        for path in glob.glob(os.path.join(self.folder, "*", "server.json")):
            server = Server(os.path.dirname(path), self.program)
            if "group" in server.about:
                self.servers[server.id] = server
        for work in (self.do_orders, self.do_questions, self.watch):
            threading.Thread(target=work, daemon=True).start()
        for line in sys.stdin:
            said = json.loads(line)
            if "order" in said:
                self.orders.put(said["order"])
            elif "question" in said:
                self.questions.put(said["question"])
            # whatever else a later svcd may say is not for us


def facts_of(server):
    """What the API shows of a cluster and only we know: where it is, what it runs, how much it holds."""
    info = server.info()
    return {"hosts": [server.host()], "scheme": "redis", "ssl": False, "version": info["redis_version"],
            "dataSizeBytes": int(info["used_memory_dataset"])}


def memory_of(desired):
    """The limit of the first region's nodes; "": none."""
    for spec in desired.get("replicationSpecs") or []:
        for region in spec.get("regionConfigs") or []:
            return MEMORY.get((region.get("electableSpecs") or {}).get("instanceSize"), "")
    return ""


def figures(info):
    """INFO in the names of the API's metrics."""
    def calls(*names):
        return sum(int(re.match(r"calls=(\d+)", info.get("cmdstat_" + n, "calls=0")).group(1)) for n in names)
    return {
        "CONNECTIONS": int(info["connected_clients"]), "MEMORY_RESIDENT": int(info["used_memory_rss"]),
        "DB_DATA_SIZE_TOTAL": int(info["used_memory_dataset"]), "OPCOUNTER_CMD": int(info["total_commands_processed"]),
        "OPCOUNTER_QUERY": calls("get", "mget", "hget", "hgetall", "lrange", "smembers", "zrange"),
        "OPCOUNTER_INSERT": calls("set", "mset", "hset", "lpush", "rpush", "sadd", "zadd", "xadd"),
        "OPCOUNTER_DELETE": calls("del", "unlink", "hdel"), "NETWORK_BYTES_IN": int(info["total_net_input_bytes"]),
        "NETWORK_BYTES_OUT": int(info["total_net_output_bytes"]), "NETWORK_NUM_REQUESTS": int(info["total_commands_processed"]),
    }


def figure_at(samples, times, at, step, name):
    """A figure of the step that ends at this second, from the samples in it; None: no samples. `times` are those of the samples."""
    first, end = bisect.bisect_right(times, at - step), bisect.bisect_right(times, at)
    if first == end:
        return None
    return rate_of([samples[first], samples[end - 1]], name) if name in COUNTERS else samples[end - 1][1][name]


def rate_of(samples, name):
    """How much a counter grew in a second, from the first of these samples to the last; None: they are too few."""
    (first, was), (last, now) = samples[0], samples[-1]
    return round(max(0, now[name] - was[name]) / (last - first), 3) if last > first else None


def main():
    parser = argparse.ArgumentParser(description="A driver of svcd that runs one redis-server per cluster, on 127.0.0.1.",
                                     epilog="svcd starts it: svcd --data DIR --seal-passwords --driver 'exec:python3 driver.py --folder FOLDER'")
    parser.add_argument("--folder", required=True, help="where the servers and their data are; made if it is missing")
    parser.add_argument("--redis-server", default=shutil.which("redis-server"), metavar="PROGRAM",
                        help="redis-server, version 7 or later (the first one in PATH)")
    args = parser.parse_args()
    if not args.redis_server:
        sys.exit("redis-server is not in PATH: install it, or give --redis-server")
    folder = os.path.abspath(args.folder)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    Driver(folder, args.redis_server).run()


if __name__ == "__main__":
    main()
