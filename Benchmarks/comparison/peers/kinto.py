"""Kinto, Mozilla's sync service, on the same PostgreSQL."""

import base64

from client import Client, answers
from processes import Program, run
from wrk import THREADS, load

_BEGIN = 1_767_225_600_000
_PAGE = 5000
_SETTINGS = """\
[app:main]
use = egg:kinto
kinto.userid_hmac_secret = benchmark
multiauth.policies = basicauth
kinto.storage_backend = kinto.core.storage.postgresql
kinto.storage_url = {url}
kinto.permission_backend = kinto.core.permission.postgresql
kinto.permission_url = {url}
kinto.cache_backend = kinto.core.cache.memory
kinto.paginate_by = 5000
kinto.batch_max_requests = 100
"""


class Kinto:
    name = "Kinto"
    promises = (
        "Kinto: each commit is flushed, by the same PostgreSQL. Whoever is signed in may write; a list's order is by "
        "milliseconds; readers must ask, there is no stream. It runs on two processes (gunicorn), one a core, with "
        "the cheapest of its ways to authenticate (basicauth).")

    def __init__(self, bench):
        self.bench = bench
        self.version = run(
            bench.venv / "python", "-c", "import importlib.metadata as m; print(m.version('kinto'))").strip()
        self.authorization = "Basic " + base64.b64encode(b"person:password").decode()

    def prepare(self):
        postgres, sizes = self.bench.postgres, self.bench.sizes
        postgres.create("kinto")
        run(self.bench.venv / "kinto", "migrate", "--ini", self._settings("kinto"))
        with self._serve("kinto") as (_, port):
            Client(port, self.authorization).call(
                "PUT", "/v1/buckets/trolley", {"permissions": {"write": ["system.Authenticated"]}})
        postgres.file(
            "kinto", self.bench.fixtures / "kinto.sql", lists=sizes.lists, entries=sizes.entries_per_list,
            long=sizes.long_list, long_entries=sizes.long_entries, begin=_BEGIN)
        postgres.sql("kinto", "VACUUM ANALYZE")
        end = _BEGIN + sizes.entries_per_list
        self.lists = self.bench.directory / "kinto.lists"
        self.lists.write_text("".join(
            f"{self.bench.list(number)}\t{end - 20}\t{end}\n" for number in range(1, sizes.lists + 1)))

    def append_one(self):
        return self._load("append1", 32)

    def append_hundred(self):
        # A request takes it seconds.
        return self._load("append100", 8, scale=100, seconds=max(10, self.bench.sizes.seconds))

    def nothing_new(self):
        return self._load("nothing", 32)

    def last_changes(self):
        return self._load("last20", 32)

    def whole_list(self):
        sizes = self.bench.sizes
        with self._clone() as (server, port):
            client = Client(port, self.authorization)
            path = f"/v1/buckets/trolley/collections/{self.bench.list(sizes.long_list)}/records?_limit={_PAGE}"
            pages = []
            while path:
                pages.append(f"GET\t{path}\t{self.authorization}\n")
                client.call("GET", path)
                following = client.headers.get("Next-Page")
                path = following and following[following.index("/v1/"):]
            file = self.bench.directory / "kinto.pages"
            file.write_text("".join(pages))
            return load(
                port, "urls.lua", [file, THREADS], 2, sizes.seconds, self._servers(server),
                scale=sizes.long_entries / len(pages), threads=1)

    def _load(self, operation, connections, scale=1, seconds=None):
        with self._clone() as (server, port):
            return load(
                port, "kinto.lua", [operation, self.lists, THREADS, self.authorization], connections,
                seconds or self.bench.sizes.seconds, self._servers(server), scale=scale)

    def _servers(self, server):
        return [server, self.bench.postgres.program]

    def _clone(self):
        return self._serve(self.bench.postgres.clone("kinto"))

    def _settings(self, database):
        file = self.bench.directory / f"kinto-{database}.ini"
        file.write_text(_SETTINGS.format(url=self.bench.postgres.url(database)))
        return file

    def _serve(self, database):
        port = self.bench.free_port()
        server = Program(
            "Kinto",
            [self.bench.venv / "gunicorn", "--paste", self._settings(database), "--workers", 2, "--threads", 16,
             "--keep-alive", 30, "--bind", f"127.0.0.1:{port}", "--log-level", "error"],
            self.bench.directory / "kinto.log", environment={"PYTHONWARNINGS": "ignore"})
        server.wait_until(lambda: answers(port, "/v1/__heartbeat__"))
        return self.bench.serving(server, port)
