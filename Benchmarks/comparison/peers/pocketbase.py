"""PocketBase: what somebody would pick who wants one binary."""

import shutil
import sqlite3
import uuid

import population
from client import Client, answers
from processes import Program, run
from storm import sign_in_storm
from wrk import THREADS, load

_EMAIL, _PASSWORD = "person@example.com", "correct horse"
_PAGE = 1000


class PocketBase:
    name = "PocketBase"
    promises = (
        "PocketBase: a commit is answered before it is flushed (SQLite, WAL, synchronous=NORMAL), so a power cut may take "
        "back what was confirmed. Its rule asks only that somebody is signed in, not that they are on the list; ids "
        "are not idempotent, and there is no order of changes but the number that the load gives them. Its request log, "
        "which is on by default, is off. In W3 it is asked from the newest record that the reader knows, and answers that "
        "one: a filter that finds nothing it answers only after a random wait of up to half a second, by design. An index "
        "on list and number serves the filter and the order.")

    def __init__(self, bench):
        self.bench = bench
        self.program = bench.venv / "pocketbase"
        self.version = run(self.program, "--version").split()[-1]
        self.fixture = bench.directory / "pocketbase"

    def prepare(self):
        run(self.program, "superuser", "upsert", "root@example.com", _PASSWORD, "--dir", self.fixture)
        with self._serve(self.fixture) as (_, port):
            client = Client(port)
            self._set_up(client)
            self.token = client.call(
                "POST", "/api/collections/users/auth-with-password",
                {"identity": _EMAIL, "password": _PASSWORD})["token"]
        self._fill()

    def _set_up(self, client):
        client.authorization = client.call(
            "POST", "/api/collections/_superusers/auth-with-password",
            {"identity": "root@example.com", "password": _PASSWORD})["token"]
        client.call("PATCH", "/api/settings", {
            "batch": {"enabled": True, "maxRequests": 100, "timeout": 30}, "logs": {"maxDays": 0},
            "rateLimits": {"enabled": False}})
        signed_in = '@request.auth.id != ""'
        client.call("POST", "/api/collections", {
            "name": "entries", "type": "base", "listRule": signed_in, "viewRule": signed_in, "createRule": signed_in,
            "fields": [
                {"name": "list", "type": "text"}, {"name": "place", "type": "number"},
                {"name": "operation", "type": "text"}, {"name": "item", "type": "text"},
                {"name": "after", "type": "text"}, {"name": "text", "type": "text"},
                {"name": "deviceSequence", "type": "number"},
                {"name": "created", "type": "autodate", "onCreate": True},
            ],
            "indexes": ["CREATE INDEX entries_by_list ON entries (list, place)"]})
        client.call("POST", "/api/collections/users/records", {
            "email": _EMAIL, "password": _PASSWORD, "passwordConfirm": _PASSWORD})

    def _fill(self):
        """The entries, straight into the file: 200,000 of them over HTTP take minutes."""
        sizes = self.bench.sizes
        rows = (
            (f"{list_number:07x}{place:08x}", self.bench.list(list_number), place, place)
            for list_number, entries in sizes.journals() for place in range(1, entries + 1))
        database = sqlite3.connect(self.fixture / "data.db")
        with database:
            database.executemany(
                "INSERT INTO entries (id, list, place, operation, item, text, deviceSequence, created) "
                f"VALUES (?, ?, ?, 'add', '{uuid.uuid4()}', 'semi-skimmed milk', ?, '2026-01-01 00:00:00.000Z')", rows)
            database.execute("ANALYZE")
        database.close()
        lines = (f"{self.bench.list(number)}\t{sizes.entries_per_list}\n" for number in range(1, sizes.lists + 1))
        self.lists = self.bench.directory / "pocketbase.lists"
        self.lists.write_text("".join(lines))

    def append_one(self):
        return self._load("append1", 32)

    def append_hundred(self):
        return self._load("append100", 8, scale=100)

    def nothing_new(self):
        return self._load("nothing", 32)

    def last_changes(self):
        return self._load("last20", 32)

    def whole_list(self):
        sizes = self.bench.sizes
        path = "/api/collections/entries/records?skipTotal=1&sort=place&perPage={}&filter=(list='{}'%26%26place%3E{})"
        pages = [
            f"GET\t{path.format(_PAGE, self.bench.list(sizes.long_list), after)}\t{self.token}\n"
            for after in range(0, sizes.long_entries, _PAGE)]
        file = self.bench.directory / "pocketbase.pages"
        file.write_text("".join(pages))
        with self._clone() as (server, port):
            return load(
                port, "urls.lua", [file, THREADS], 2, sizes.seconds, [server], scale=sizes.long_entries / len(pages),
                threads=1)

    def tell_reader(self, streams, rate):
        with self._clone() as (server, port):
            return population.events(port, streams, rate, self.bench.sizes.seconds, [server], self._spoken)

    def idle_streams(self):
        with self._clone() as (server, port):
            return population.idle(port, self.bench.sizes.streams, server, [], self._spoken)

    def sign_in_storm(self):
        sign_in = {"identity": _EMAIL, "password": _PASSWORD}
        with self._clone() as (server, port):
            return sign_in_storm(
                self.bench, port, "/api/collections/users/auth-with-password", [sign_in], [server],
                "pocketbase.lua", ["nothing", self.lists, THREADS, self.token])

    @property
    def _spoken(self):
        return ["--dialect", "pocketbase", "--token", self.token]

    def _load(self, operation, connections, scale=1):
        with self._clone() as (server, port):
            return load(
                port, "pocketbase.lua", [operation, self.lists, THREADS, self.token], connections,
                self.bench.sizes.seconds, [server], scale=scale)

    def _clone(self):
        measured = self.bench.directory / "pocketbase.measured"
        shutil.rmtree(measured, ignore_errors=True)
        shutil.copytree(self.fixture, measured)
        return self._serve(measured)

    def _serve(self, directory):
        port = self.bench.free_port()
        server = Program(
            "PocketBase", [self.program, "serve", "--http", f"127.0.0.1:{port}", "--dir", directory],
            self.bench.directory / "pocketbase.log")
        server.wait_until(lambda: answers(port, "/api/health"))
        return self.bench.serving(server, port)
