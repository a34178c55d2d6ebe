"""Trolley: trolleyd as it is released, on the shared PostgreSQL."""

import json
import resource
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import conversation
import population
from client import Client, answers
from measurement import Measurement, Watch
from processes import Program, run
from storm import sign_in_storm
from wrk import THREADS, load

_PASSWORD = "correct horse"
_PAGE = 5000
# While fixtures are made. One after another, uploads wait for the disk.
_UPLOADERS = 8
# The other servers have no limits, and the whole load comes from one address. In W11 each household has its own, and
# limits are on.
_UNLIMITED = {
    f"TROLLEY_{name}": "0"
    for name in (
        "REQUESTS_PER_MINUTE_BY_ACCOUNT", "REQUESTS_PER_MINUTE_BY_DEVICE", "REQUESTS_PER_MINUTE_BY_ADDRESS",
        "ATTEMPTS_PER_HOUR_BY_ADDRESS", "ATTEMPTS_PER_HOUR_BY_EMAIL", "SHARE_CHANGES_PER_HOUR_BY_ACCOUNT",
        "STREAMS_PER_DEVICE", "STREAMS_PER_ACCOUNT", "ENTRIES_PER_LIST")
} | {
    # The receiver of notices is on this machine.
    "TROLLEY_PUSH_TO_PRIVATE_ADDRESSES": "true",
    "TROLLEY_CONNECTIONS": "50000", "TROLLEY_CONNECTIONS_BY_ADDRESS": "50000",
    # Counted all the same, because a sign-in counts them.
    "TROLLEY_DEVICES_PER_ACCOUNT": "1000000"}


class Trolley:
    name = "Trolley"
    promises = (
        "Trolley: an answer means that the entries are flushed, in a place of their list's order, accepted once by their id, "
        "from a device that is signed in and a person who is on the list.")

    def __init__(self, bench):
        self.bench = bench
        self.program = bench.trolleyd
        self.version = run(self.program, "--version").strip()

    # Fixtures: databases to be cloned, or in the case of growth used as they are.

    def prepare(self):
        sizes = self.bench.sizes
        self._create("trolley", lists=sizes.people, people=1, devices=2)
        for first, last, entries in (
            (1, sizes.lists, sizes.entries_per_list), (sizes.long_list, sizes.long_list, sizes.long_entries),
        ):
            self._fill("trolley", first, last, entries)
        self.lists = self._tokens("trolley", devices=2)
        self.bench.postgres.vacuum("trolley")

    def _create(self, database, **people):
        self.bench.migrated(database)
        self.bench.postgres.file(
            database, self.bench.fixtures / "people.sql", password=self._password_hash(), **people)

    def _password_hash(self):
        """The password's hash as the service makes it. It takes its time, so it is made once for everybody."""
        if not hasattr(self, "_hash"):
            self.bench.migrated("sign-up")
            with self._serve("sign-up") as (_, port):
                Client(port).call(
                    "POST", "/v1/accounts", {"email": "one@example.com", "name": "One", "password": _PASSWORD})
            self._hash = self.bench.postgres.sql("sign-up", "SELECT password_hash FROM account")
        return self._hash

    def _fill(self, database, first, last, entries):
        self.bench.postgres.file(
            database, self.bench.fixtures / "journals.sql", first=first, last=last, entries=entries)

    def _tokens(self, database, devices, more=(1, 20)):
        """The lists with their change tokens, for wrk/trolley.lua: each gets so many entries more, and so a token of before
        the last upload and one of the end."""

        def upload(client, number):
            list_id, bearer = self.bench.list(number), _bearer((number - 1) * devices + 1)
            tokens = [
                client.call("POST", f"/v1/lists/{list_id}/entries", _adds(count), f"Bearer {bearer}")["token"]
                for count in more]
            return "\t".join([list_id, bearer, tokens[0], tokens[-1], "2000000"]) + "\n"

        with self._serve(database) as (_, port), ThreadPoolExecutor(_UPLOADERS) as together:

            def upload_every(first):
                client = Client(port)
                return [upload(client, number) for number in range(first, self.bench.sizes.lists + 1, _UPLOADERS)]

            lines = [line for part in together.map(upload_every, range(1, _UPLOADERS + 1)) for line in part]
        file = self.bench.directory / f"{database}.lists"
        file.write_text("".join(lines))
        return file

    # Workloads.

    def start(self):
        """Milliseconds until the service is ready on a database that exists, and its memory after some idle seconds."""
        self.bench.postgres.clone("trolley")
        with self._serve("measured") as (server, port):
            with Watch(server, self.bench.postgres.program) as watch:
                time.sleep(self.bench.sizes.seconds)
            return Measurement(
                value=server.ready_after * 1000, cpu=watch.cpu, memory=watch.memory,
                extra={"residentMB": server.resident / 1e6})

    def answer(self):
        """What HTTP alone costs: the router answers a constant."""
        file = self.bench.directory / "trolley.healthz"
        # wrk wants something behind Authorization, and a line for each of its threads.
        file.write_text("GET\t/healthz\tnone\n" * 2)
        with self._clone("trolley") as (server, port):
            return load(
                port, "urls.lua", [file, THREADS], 32, self.bench.sizes.seconds, self._servers(server))

    def append_one(self):
        return self._append("append1", 32, 1)

    def append_hundred(self):
        return self._append("append100", 8, 100)

    def _append(self, operation, connections, count):
        measured = self._load(operation, connections, scale=count)
        stored = self.bench.postgres.sql("measured", "SELECT sum(head) FROM list")
        before = self.bench.postgres.sql("trolley", "SELECT sum(head) FROM list")
        if int(stored) - int(before) < measured.requests * count:
            measured.fault = f"{measured.requests * count} entries were confirmed, {int(stored) - int(before)} are there"
        return measured

    def nothing_new(self):
        return self._load("nothing", 32)

    def last_changes(self):
        return self._load("last20", 32)

    def whole_list(self):
        sizes = self.bench.sizes
        # Device 2n - 1 is the owner's.
        bearer = f"Bearer {_bearer(2 * sizes.long_list - 1)}"
        path = f"/v1/lists/{self.bench.list(sizes.long_list)}/changes?limit={_PAGE}"
        with self._clone("trolley") as (server, port):
            pages, page, client = [], {"moreComing": True}, Client(port, bearer)
            while page["moreComing"]:
                since = f"&since={page['token']}" if "token" in page else ""
                pages.append(f"GET\t{path}{since}\t{bearer}\n")
                page = client.call("GET", path + since)
            file = self.bench.directory / "trolley.pages"
            file.write_text("".join(pages))
            return load(
                port, "urls.lua", [file, THREADS], 2, sizes.seconds, self._servers(server),
                scale=sizes.long_entries / len(pages), threads=1)

    def tell_reader(self, streams, rate):
        with self._clone("trolley") as (server, port):
            return population.events(port, streams, rate, self.bench.sizes.seconds, self._servers(server))

    def tell_reader_elsewhere(self, streams, rate):
        database = self.bench.postgres.clone("trolley")
        with ExitStack() as running:
            served = [running.enter_context(self._serve(database, number)) for number in range(2)]
            (_, port), (_, other_port) = served
            return population.events(
                port, streams, rate, self.bench.sizes.seconds,
                [*(server for server, _ in served), self.bench.postgres.program], ("--reader-port", other_port))

    def idle_streams(self):
        with self._clone("trolley") as (server, port):
            return population.idle(port, self.bench.sizes.streams, server, [self.bench.postgres.program])

    def rooms(self, processes):
        rooms, members, rate = 100, 5, 20
        if "rooms" not in self.bench.made:
            self.bench.made.add("rooms")
            self._create("rooms", lists=rooms, people=1, devices=members)
            self.bench.postgres.vacuum("rooms")
        database = self.bench.postgres.clone("rooms")
        with ExitStack() as running:
            served = [running.enter_context(self._serve(database, number)) for number in range(processes)]
            ports = [port for _, port in served]
            return population.rooms(
                ports[0], ports[1] if processes > 1 else None, (rooms, members, rate), self.bench.sizes.seconds,
                [server for server, _ in served], [self.bench.postgres.program])

    def idle_sockets(self):
        with self._clone("trolley") as (server, port):
            return population.sockets(port, self.bench.sizes.streams, server, [self.bench.postgres.program])

    def summaries(self):
        with self._pairs() as (server, port):
            return conversation.summaries(port, self._sessions(), self._servers(server))

    def notices(self):
        with self._pairs() as (server, port):
            return conversation.notices(port, self._sessions(), self._servers(server))

    def _sessions(self):
        return [
            (self.bench.list(number), _bearer(2 * number), _bearer(2 * number - 1))
            for number in range(1, self.bench.sizes.sessions + 1)]

    def conversation(self):
        with self._pairs() as (server, port):
            return conversation.conversation(
                port, self.bench.list(1), _bearer(1), self.bench.sizes.messages, self._servers(server))

    def _pairs(self):
        """A database with lists of two people."""
        if "pairs" not in self.bench.made:
            self.bench.made.add("pairs")
            self._create("pairs", lists=self.bench.sizes.sessions, people=2, devices=1)
            self.bench.postgres.vacuum("pairs")
        return self._clone("pairs")

    def sweep(self, share, settled):
        """Compresses once. `share` of the lists have something that is old enough, and so many settled items each."""
        sizes, postgres = self.bench.sizes, self.bench.postgres
        eligible = round(sizes.sweep_lists * share)
        database = postgres.clone(self.bench.sweepable(eligible, settled))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with Watch(postgres.program) as watch:
            began = time.monotonic()
            summary = self._compress(database, "14d")
            took = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        fault = None
        if (summary["examined"], summary["discarded"]) != (50 * eligible, 2 * settled * eligible):
            fault = f"of {50 * eligible} entries {2 * settled * eligible} are finished and old; {summary}"
        return Measurement(
            value=summary["examined"] / took, cpu={**watch.cpu, "trolleyd": used}, memory=watch.memory,
            requests=summary["lists"], fault=fault, extra={"seconds": took, "lists": summary["lists"]})

    def growth(self, entries, operation):
        """An operation on a database with that many stored entries, in the same number of lists."""
        sizes, fixture = self.bench.sizes, f"growth-{entries}"
        if fixture not in self.bench.made:
            self.bench.made.add(fixture)
            self._create(fixture, lists=sizes.lists, people=1, devices=1)
            self._fill(fixture, 1, sizes.lists, entries // sizes.lists - 1)
            self._tokens(fixture, devices=1, more=(1,))
            self.bench.postgres.vacuum(fixture)
        # A copy each time: else the small one would have grown by the end, and its tokens would not be current.
        with self._clone(fixture) as (server, port):
            measured = load(
                port, "trolley.lua", [operation, self.bench.directory / f"{fixture}.lists", THREADS], 32, sizes.seconds,
                self._servers(server))
        if measured.requests:
            measured.extra["cpuMicroseconds"] = sum(measured.cpu.values()) / measured.requests * 1e6
        return measured

    def sign_in_storm(self):
        bodies = [
            {"email": f"person-{number}@example.com", "password": _PASSWORD, "deviceName": "Phone"}
            for number in range(1, 201)]
        with self._clone("trolley") as (server, port):
            return sign_in_storm(
                self.bench, port, "/v1/sessions", bodies, self._servers(server), "trolley.lua",
                ["nothing", self.lists, THREADS])

    def hosted_add(self, connections):
        """Adds by name through hosted devices, a list each."""
        with self._clone("trolley") as (server, port):
            file = self.bench.directory / "trolley.hosted"
            file.write_text("".join(self._hosted(port)))
            before = self._entries()
            measured = load(
                port, "hosted.lua", [file, THREADS], connections, self.bench.sizes.seconds, self._servers(server))
            stored = self._entries() - before
        if stored < measured.requests:
            measured.fault = f"{measured.requests} items were confirmed, {stored} are there"
        return measured

    def hosted_upload(self, connections):
        """Plain uploads to the same lists, with the same in the database."""
        with self._clone("trolley") as (server, port):
            self._hosted(port)
            file = self.bench.directory / "trolley.few"
            file.write_text("".join(self.lists.read_text().splitlines(keepends=True)[:self.bench.sizes.hosted]))
            return load(
                port, "trolley.lua", ["append1", file, THREADS], connections, self.bench.sizes.seconds,
                self._servers(server))

    def _entries(self):
        return int(self.bench.postgres.sql("measured", "SELECT sum(head) FROM list"))

    def _hosted(self, port):
        """Makes the hosted devices; answers with their lines, for wrk/hosted.lua."""

        def make(first):
            client, lines = Client(port), []
            for number in range(first, self.bench.sizes.hosted + 1, _UPLOADERS):
                name, bearer = f"List {number}", f"Bearer {_bearer(2 * number - 1)}"
                rename = {"id": _uuid7(), "operation": "renameList", "fields": {"text": name}, "deviceSequence": 3_000_000}
                client.call(
                    "POST", f"/v1/lists/{self.bench.list(number)}/entries", {"entries": [rename]}, bearer)
                device = client.call("POST", "/v1/hosted", {"name": "Speaker"}, bearer)
                lines.append(f"{device['id']}\t{device['token']}\t{name}\n")
            return lines

        with ThreadPoolExecutor(_UPLOADERS) as together:
            return [line for part in together.map(make, range(1, _UPLOADERS + 1)) for line in part]

    def year(self):
        sizes = self.bench.sizes
        if "households" not in self.bench.made:
            self.bench.made.add("households")
            self._create("households", lists=sizes.households, people=3, devices=1)
            self.bench.postgres.vacuum("households")
        database = self.bench.postgres.clone("households")

        def compress():
            # In a year that passes in minutes nothing is ever a fortnight old.
            return self._compress(database, "0s")

        with self._serve(database, limited=True) as (server, port):
            return population.households(
                port, sizes.households, sizes.weeks, sizes.watched, self._servers(server), compress)

    def _compress(self, database, age):
        """What compressing all lists did, by its summary."""
        return json.loads(run(
            self.program, "compress", "--json", "--older-than", age, "--database-url", self.bench.postgres.url(database)))

    def _load(self, operation, connections, scale=1):
        with self._clone("trolley") as (server, port):
            return load(
                port, "trolley.lua", [operation, self.lists, THREADS], connections, self.bench.sizes.seconds,
                self._servers(server), scale=scale)

    def _servers(self, server):
        return [server, self.bench.postgres.program]

    def _clone(self, fixture):
        return self._serve(self.bench.postgres.clone(fixture))

    def _serve(self, database, number=0, limited=False):
        port = self.bench.free_port()
        server = Program(
            f"trolleyd {number + 1}" if number else "trolleyd",
            [self.program, "serve", "--port", port, "--log-level", "error",
             "--database-url", self.bench.postgres.url(database)],
            self.bench.directory / "trolleyd.log", environment={} if limited else _UNLIMITED)
        server.ready_after = server.wait_until(lambda: answers(port, "/readyz"))
        return self.bench.serving(server, port)


def _bearer(device):
    return f"benchmark-{device:033}"


def _adds(count):
    return {"entries": [
        {"id": _uuid7(), "operation": "add", "item": _uuid7(), "after": None, "fields": {"text": "bread"},
         "deviceSequence": 1_000_000 + number} for number in range(count)]}


def _uuid7():
    digits = f"{time.time_ns() // 1_000_000:012x}7{uuid.uuid4().hex[13:]}"
    return str(uuid.UUID(digits))
