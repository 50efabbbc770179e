#!/usr/bin/env python3
"""A driver for svcd in a single file: every cluster is a redis-server on this machine.

    svcd --data DIR --seal-passwords --driver 'exec:python3 examples/driver.py --folder FOLDER'

Copy this file to write your own driver. It needs Python 3 and its standard library, and redis-server 7 or later.

How a driver program works. svcd starts the program, and both write lines of JSON: svcd to the program's standard input, the program to its
standard output. Lines on standard error go to the log of svcd. The first line from both sides is {"driver":1}. Then:

  svcd sends an order                {"order":{"id":"..","action":"cluster.create","resourceId":"..","name":"..","desired":{..},..}}
  the program reports success        {"done":{"id":"..","result":"ok","facts":{"hosts":["127.0.0.1:6379"]}}}
    or asks for a retry later        {"done":{"id":"..","result":"busy"}}
    or reports a failure             {"done":{"id":"..","result":"failed","reason":"why"}}
  svcd sends a question              {"question":{"id":"..","what":"measure","resourceId":"..","parameters":{..},..}}
  the program replies within 10 s    {"reply":{"id":"..","value":..}}   or, if the answer is unknown   {"reply":{"id":"..","unknown":true}}
  the program sends a report         {"report":{"resource":"cluster","id":"..","facts":{..}}}

Four rules make a reliable driver:

  1. An order may arrive more than once, for example after this program was killed. So every action checks what exists, and does only
     what is missing. Repeating an action changes nothing.
  2. State is in files, not in variables: the next start of this program finds the servers by their folders.
  3. Each server has its own session (start_new_session), so it outlives this program. svcd ends the program's process group.
  4. When standard input ends, svcd has ended: the program ends, too.

Files, which only this program can read:

  FOLDER/ID/          the server of the cluster with this id: server.json (the driver's state), redis.conf, users.acl, redis.log, data
  FOLDER/users/GROUP/ID.json   a database user of a project, for later servers, with the SHA-256 of its password instead of the password

Database users are Redis ACLs. A database of the API is a prefix of keys: the role read on "shop" reads the keys shop:*, and on its
collection "orders" the keys shop:orders:*. ROLES below lists what the roles allow; an order with another role fails with a reason. Redis
has no SCRAM and needs passwords. With --seal-passwords svcd stores them sealed, and sends them because the first line asks for them.
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

ADMIN = "svc-driver"  # the driver's own user on every server
WATCH_SECONDS = 1     # seconds between two checks of the servers
SAMPLE_SECONDS = 15   # seconds between two samples of their figures
SAMPLES = 6000        # samples kept for each server: about a day
LOG_LINES = 20000     # most lines of a log in a reply

# Memory limit of a cluster, by its size. Other sizes have no limit.
MEMORY = {"M10": "2gb", "M20": "4gb", "M30": "8gb", "M40": "16gb", "M50": "32gb", "M60": "64gb", "M80": "128gb"}

# Roles of the API as Redis rules: allowed keys (%R~ reads, ~ reads and writes) and commands. {} is replaced by the prefix of the keys.
# KEYS, SCAN and similar commands show the names of all keys, so only roles on all databases may use them.
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
    "Admin": "~* &* +@all -@admin -@dangerous +info +keys +flushdb +slowlog +client|list",  # after the vendor word: svcAdmin
}

# Metrics that are counters in Redis: the API asks for their increase per second.
COUNTERS = {"OPCOUNTER_CMD", "OPCOUNTER_QUERY", "OPCOUNTER_INSERT", "OPCOUNTER_DELETE", "NETWORK_BYTES_IN", "NETWORK_BYTES_OUT",
            "NETWORK_NUM_REQUESTS"}

# Orders without a counterpart on a redis-server: they succeed without any work.
NOTHING_TO_DO = {"network.put", "network.delete", "security.put"}


class Failed(Exception):
    """The order has failed; the API shows the text as the reason."""


def note(text):
    """Writes a line to the log of svcd. It must not contain a password."""
    print(text, file=sys.stderr, flush=True)


def write_file(path, text):
    """Writes a file completely or not at all: a crash leaves the old text or the new one."""
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
    """The part of the Redis protocol that this driver needs: sends a command, reads its reply."""

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
    """The redis-server of a cluster. `about` is the content of server.json: group, name, port, password (of ADMIN), paused, memory."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.id = os.path.basename(folder)
        self.about = read_json(os.path.join(folder, "server.json")) or {}
        self.lock = threading.RLock()  # orders and the watcher change a server one at a time
        self.child = None              # the server's process if this program started it, and so must wait for it
        self.down = False              # true if the server was reported as down
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
        """Creates the folder and the state that stays the same for the life of the cluster."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.about.update(group=group, name=name, memory=memory)
        self.about.setdefault("password", secrets.token_hex(16))
        self.about.setdefault("port", free_port())
        self.save()

    def configure(self):
        """Writes redis.conf. Data survive a kill: every write is in the append-only file, and on the disk within a second."""
        lines = ["bind 127.0.0.1", "port %d" % self.about["port"], "dir " + quoted(self.folder), "aclfile " + quoted(self.path("users.acl")),
                 "logfile " + quoted(self.path("redis.log")), "pidfile " + quoted(self.path("redis.pid")), "appendonly yes", 'save ""',
                 "maxmemory " + (self.about.get("memory") or "0")]
        write_file(self.path("redis.conf"), "\n".join(lines) + "\n")

    def start(self):
        """Starts the server and waits until it answers. If another program has taken its port, the server gets a new one."""
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
        """Returns the id of the server's process; 0: none. The id in the file may be another program's by now, so /proc is checked."""
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
        """Ends the server: sends SHUTDOWN, and kills it after 3 seconds. Returns when the process has ended."""
        try:
            with self.connect() as redis:
                redis.call("SHUTDOWN", "NOSAVE", "FORCE")
        except (OSError, KeyError, ValueError):
            pass  # the server closes the connection instead of replying, or does not run
        for n in range(100):
            pid = self.process()
            if not pid:
                return
            if n == 60:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        raise Failed("redis-server does not end")

    def figure(self, name):
        """Returns the current value of a figure; of a counter, its increase per second. None: unknown."""
        if name == "UP":
            return 1 if self.lives() else 0
        samples = list(self.samples)[-2:]
        if not samples or name not in samples[-1][1]:
            return None
        return rate_of(samples, name) if name in COUNTERS else samples[-1][1][name]

    def info(self):
        """Returns INFO as a dictionary, with the number of calls of each command."""
        with self.connect() as redis:
            text = redis.call("INFO", "everything")
        pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
        return {name: value for name, value in pairs}


def quoted(path):
    """Quotes a path for redis.conf."""
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
    """Returns the pattern for the keys of a database, or of a collection in it. Refuses names that Redis would read as a pattern."""
    words = [role["databaseName"]] + ([role["collectionName"]] if role.get("collectionName") else [])
    for word in words:
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", word):
            raise Failed("%s cannot be a prefix of keys in Redis: letters, digits, _ . and - only" % json.dumps(word))
    return ":".join(words) + ":*"


def acl_rules(user, vendor):
    """Returns the Redis rules for the roles of a user. Each role is a selector, so the rules of a role do not extend another one."""
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
    """Returns what the driver stores of a database user: the SHA-256 of the password, which Redis accepts, not the password."""
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
        """Writes a line to svcd. The lock keeps lines of several threads apart."""
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
            except OSError as why:  # such as a full disk or too many processes: a retry may succeed
                note("%s of %s: %s" % (order["action"], order["name"], why))
                done.update(result="busy")
            except Exception as why:  # an invalid order must not stop the next ones
                note("%s of %s: %r" % (order["action"], order["name"], why))
                done.update(result="failed", reason="the driver has failed: its log says why")
            self.say(done=done)

    def put_cluster(self, order):
        """Creates, changes, pauses or resumes a cluster: makes it match the desired state."""
        desired = order["desired"]
        server = self.servers.get(order["resourceId"]) or Server(os.path.join(self.folder, order["resourceId"]), self.program)
        with server.lock:
            server.make(order["groupId"], order["name"], memory_of(desired))
            server.about["paused"] = bool(desired.get("paused"))
            server.save()
            self.servers[server.id] = server  # from now on the watcher checks this server
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
                del facts["dataSizeBytes"]  # svcd refuses facts that are invalid for an order
            return facts

    def delete_cluster(self, order):
        server = self.servers.pop(order["resourceId"], None) or Server(os.path.join(self.folder, order["resourceId"]), self.program)
        with server.lock:
            server.end_process()
            shutil.rmtree(server.folder, ignore_errors=True)
            if os.path.exists(server.folder):
                raise OSError("the folder of %s cannot be removed" % server.id)

    def measure_all(self, order):
        """Measures the figures that alert configurations watch, once a minute. A missing figure is unknown, and raises no alert."""
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
            self.delete_user(order)  # the old user may have more privileges than allowed now
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
        """Writes users.acl of a server: ADMIN, no default user, and the project's users whose scopes include this cluster."""
        ours = hashlib.sha256(server.about["password"].encode()).hexdigest()
        lines = ["user default off", "user %s on #%s ~* &* +@all" % (ADMIN, ours)]
        for path in sorted(glob.glob(os.path.join(self.folder, "users", server.about["group"], "*.json"))):
            account = read_json(path)
            if account and (not account["limited"] or server.about["name"] in account["scopes"]):
                lines.append("user %s on #%s %s" % (account["name"], account["hash"], account["rules"]))
        write_file(server.path("users.acl"), "\n".join(lines) + "\n")

    def load_users(self, group):
        """Updates the users on every server of the project. A server that is down reads the file when it starts."""
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
            except Exception as why:  # for example, the server is down: the answer is unknown
                note("%s of %s: %s" % (question["what"], question["name"], why))
            self.say(reply={"id": question["id"], "unknown": True} if value is None else {"id": question["id"], "value": value})

    def measure(self, server, question):
        """Returns the current value of a figure; of a counter, its total."""
        value = figures(server.info()).get(question["parameters"].get("metric"))
        return None if value is None else {"value": value}

    def series(self, server, question):
        """Returns figures over time, from the samples of the watcher. An unknown metric is left out, and shows as a gap."""
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
        """Returns the last lines of the server's log, as many as svcd accepts."""
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
            return  # an order is in progress
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
                self.report(server, {"host": was, "movedTo": server.host()})  # svcd updates the connection strings
            if server.down:
                server.down = False
                self.report(server, {"host": server.host(), "up": True, "primary": True})
            if sample:
                server.samples.append((time.time(), figures(server.info())))
        finally:
            server.lock.release()

    def report(self, server, news):
        """Reports news of a process. With the project before the id, svcd needs no search."""
        self.say(report={"resource": "cluster", "id": server.about["group"] + "/" + server.id, "facts": {"processes": [news]}})

    # -- from the first line to the last

    def run(self):
        self.say(driver=1, secrets=["user.put"])  # the only orders whose secrets this driver needs
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
            # lines of other kinds, from a later svcd, are ignored


def facts_of(server):
    """Returns the facts of a cluster: its address, version and size."""
    info = server.info()
    return {"hosts": [server.host()], "scheme": "redis", "ssl": False, "version": info["redis_version"],
            "dataSizeBytes": int(info["used_memory_dataset"])}


def memory_of(desired):
    """Returns the memory limit of the first region's nodes; "": no limit."""
    for spec in desired.get("replicationSpecs") or []:
        for region in spec.get("regionConfigs") or []:
            return MEMORY.get((region.get("electableSpecs") or {}).get("instanceSize"), "")
    return ""


def figures(info):
    """Returns the figures of INFO by the names of the API's metrics."""
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
    """Returns the figure of the step that ends at this second, from the samples in it; None: no samples. `times`: of the samples."""
    first, end = bisect.bisect_right(times, at - step), bisect.bisect_right(times, at)
    if first == end:
        return None
    return rate_of([samples[first], samples[end - 1]], name) if name in COUNTERS else samples[end - 1][1][name]


def rate_of(samples, name):
    """Returns the increase of a counter per second, from the first of these samples to the last; None: too few samples."""
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
