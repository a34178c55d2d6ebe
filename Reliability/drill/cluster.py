"""etcd, and PostgreSQL servers that Patroni manages."""

import json
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path

from processes import SERVER_USER, Failed, Program, children, free_ports, own, run, send, title, wait_until

# How long a primary may say nothing until another takes its place. Patroni takes no less than 20 s.
TTL = 20


class Node:
    """A PostgreSQL and its Patroni: what is on one machine elsewhere."""

    def __init__(self, name, directory, binaries, etcd_port, is_synchronous):
        self.name, self.directory, self.binaries = name, own(directory), binaries
        self.port, self.api_port = free_ports(2)
        self.data = directory / "data"
        self.file = directory / "patroni.json"  # JSON is YAML.
        self.file.write_text(json.dumps(self._settings(etcd_port, is_synchronous)))
        self.file.chmod(0o644)
        self.program = None

    def _settings(self, etcd_port, is_synchronous):
        roles = {"superuser": "postgres", "replication": "replicator", "rewind": "rewinder"}
        return {
            "scope": "drill", "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.api_port}", "connect_address": f"127.0.0.1:{self.api_port}"},
            "etcd3": {"hosts": f"127.0.0.1:{etcd_port}"},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL, "loop_wait": 2, "retry_timeout": 5, "synchronous_mode": is_synchronous,
                    # A standby that the primary has not heard of for long is further behind than 1 MB, the default.
                    "maximum_lag_on_failover": 64 << 20,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": {
                        "max_connections": 60, "shared_buffers": "64MB", "wal_keep_size": "128MB",
                        "wal_log_hints": "on", "max_wal_senders": 8}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self.data), "bin_dir": self.binaries, "pgpass": str(self.directory / "pgpass"),
                "authentication": {
                    kind: {"username": name, "password": "drill"} for kind, name in roles.items()},
                "parameters": {"unix_socket_directories": str(self.directory)}},
            "watchdog": {"mode": "off"}}

    def start(self):
        self.program = Program(self.name, ["patroni", self.file], self.directory / "log", user=SERVER_USER)

    @property
    def is_running(self):
        return self.program is not None and self.program.is_running

    @property
    def postmaster(self):
        try:
            return int((self.data / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    @property
    def state(self):
        """What Patroni says of itself; nothing when it doesn't answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api_port}/patroni", timeout=2) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)
        except (OSError, ValueError):
            return {}

    @property
    def leads(self):
        state = self.state
        return state.get("role") == "master" and state.get("state") == "running"

    def hold_replication(self):
        """From here on nothing that this primary writes reaches a standby, as over a network that lags."""
        senders = [pid for pid in children(self.postmaster) if "walsender" in title(pid)]
        if not senders:
            raise Failed(f"{self.name} has no standby")
        send(signal.SIGSTOP, senders)

    def kill(self):
        """As if the machine had lost its power."""
        postmaster = self.postmaster
        # Patroni first, so that it doesn't start a PostgreSQL again.
        victims = [self.program.process.pid] + ([postmaster] if postmaster else [])
        victims += [child for pid in victims for child in children(pid)]
        send(signal.SIGKILL, dict.fromkeys(victims))
        self.program.process.wait()

    def stop(self):
        if self.program is None:
            return
        # Patroni stops its PostgreSQL.
        self.program.stop()
        if self.postmaster:
            send(signal.SIGKILL, [pid for pid in [self.postmaster] if str(self.data) in title(pid)])


class Cluster:
    def __init__(self, directory, binaries, nodes, is_synchronous):
        self.is_synchronous = is_synchronous
        directory = own(directory)
        client, peer = free_ports(2)
        self.etcd = Program(
            "etcd",
            ["etcd", "--name", "drill", "--data-dir", own(directory / "etcd"), "--log-level", "error",
             "--listen-client-urls", f"http://127.0.0.1:{client}", "--advertise-client-urls", f"http://127.0.0.1:{client}",
             "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-cluster", f"drill=http://127.0.0.1:{peer}", "--unsafe-no-fsync"],
            directory / "etcd.log", user=SERVER_USER)
        self.nodes = [
            Node(f"node{number + 1}", directory / f"node{number + 1}", binaries, client, is_synchronous)
            for number in range(nodes)]

    def start(self):
        self.nodes[0].start()
        wait_until("node1 leads", lambda: self.nodes[0].leads, 90)
        for node in self.nodes[1:]:
            node.start()
        self.wait_whole()
        primary = self.primary
        self.query(primary, "CREATE ROLE trolley LOGIN", database="postgres")
        self.query(primary, "CREATE DATABASE trolley OWNER trolley", database="postgres")

    @property
    def url(self):
        """All nodes: libpq takes the one that takes changes."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgresql://trolley@{hosts}/trolley?target_session_attrs=read-write"

    @property
    def primary(self):
        return next((node for node in self.nodes if node.is_running and node.leads), None)

    def wait_whole(self, seconds=120):
        """Until each other node follows the primary, one of them synchronously if that is wanted."""
        def is_whole():
            primary = self.primary
            if primary is None:
                return False
            rows = self.query(
                primary, "SELECT application_name, sync_state FROM pg_stat_replication WHERE state = 'streaming'",
                database="postgres", check=False)
            names = {row[0] for row in rows} & {node.name for node in self.nodes}
            is_safe = not self.is_synchronous or any(row[1] in ("sync", "quorum") for row in rows)
            return len(names) == len(self.nodes) - 1 and is_safe
        wait_until("every standby follows the primary", is_whole, seconds, every=0.3)

    def query(self, node, sql, database="trolley", check=True):
        """The rows as text."""
        done = run(
            f"{node.binaries}/psql", "--no-psqlrc", "--tuples-only", "--no-align", "--field-separator=\t", "--quiet",
            "--set=ON_ERROR_STOP=1", f"postgresql://postgres@127.0.0.1:{node.port}/{database}?connect_timeout=2",
            "--command", sql, check=check)
        return [line.split("\t") for line in done.stdout.splitlines() if line]

    def stop(self):
        for node in self.nodes:
            node.stop()
        self.etcd.stop()

    @property
    def logs(self):
        return [node.directory / "log" for node in self.nodes]


def binaries():
    """Where PostgreSQL's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if found:
        return str(found[-1].parent)
    return run("pg_config", "--bindir").stdout.strip()
