"""Three processes of one trolleyd on a PostgreSQL that writes down each statement."""

import itertools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "comparison"))

from client import Client, answers  # noqa: E402
from postgres import Postgres  # noqa: E402
from processes import Program  # noqa: E402

PROCESSES = 3

_SETTINGS = {
    "listen_addresses": "", "max_connections": "200", "shared_buffers": "256MB", "max_wal_size": "2GB",
    # A line a statement, with its name and how long it took. It is switched on while statements are counted.
    "logging_collector": "on", "log_destination": "jsonlog", "log_directory": "log", "log_filename": "postgresql.log",
    "log_rotation_size": "0", "log_min_messages": "error", "log_min_error_statement": "panic", "log_parameter_max_length": "0",
}

_ENVIRONMENT = {
    f"TROLLEY_{name}": "0"
    for name in (
        "REQUESTS_PER_MINUTE_BY_ACCOUNT", "REQUESTS_PER_MINUTE_BY_DEVICE", "REQUESTS_PER_MINUTE_BY_ADDRESS",
        "ATTEMPTS_PER_HOUR_BY_ADDRESS", "ATTEMPTS_PER_HOUR_BY_EMAIL", "SHARE_CHANGES_PER_HOUR_BY_ACCOUNT",
        "LISTS_PER_ACCOUNT", "MINIMUM_FREE_SPACE")
} | {
    # The receiver of notices is on this machine.
    "TROLLEY_PUSH_TO_PRIVATE_ADDRESSES": "true", "TROLLEY_LOG_LEVEL": "warning"}


class Service:
    """A PostgreSQL, and the processes that serve it."""

    def __init__(self, name, trolleyd, directory):
        self.name, self.trolleyd, self.directory = name, Path(trolleyd).resolve(), Path(directory)
        self.directory.mkdir(mode=0o755)
        self.postgres = Postgres(self.directory / "postgres", _SETTINGS)
        self.programs, self.ports = [], []

    def start_database(self):
        self.postgres.start()
        self.postgres.create("trolley")

    def start(self, processes=PROCESSES):
        for number in range(1, processes + 1):
            log = self.directory / f"process-{number}.log"
            began = log.stat().st_size if log.exists() else 0
            program = Program(
                f"{self.name}, process {number}",
                [self.trolleyd, "serve", "--port", "0", "--json", "--no-backup", "--database-url",
                 self.postgres.url("trolley") + f"&application_name=process-{number}"],
                log, environment=_ENVIRONMENT, directory=self.directory)
            self.programs.append(program)
            program.wait_until(lambda log=log, began=began: _address(log, began))
            self.ports.append(int(_address(log, began).rsplit(":", 1)[1].rstrip("/")))
            program.wait_until(lambda: answers(self.ports[-1], "/readyz"))

    def stop(self):
        for program in self.programs:
            program.stop()
        self.programs, self.ports = [], []

    def end(self):
        self.stop()
        self.postgres.stop()

    def client(self, process, bearer=None):
        return Client(self.ports[process], bearer and f"Bearer {bearer}")

    def write_down(self, on):
        """Whether PostgreSQL writes each statement down."""
        self.postgres.sql("postgres", f"ALTER SYSTEM SET log_min_duration_statement = {0 if on else -1}")
        self.postgres.sql("postgres", "SELECT pg_reload_conf()")

    @property
    def statements(self):
        """The file that they are written to."""
        return self.postgres.directory / "data" / "log" / "postgresql.json"

    @property
    def warnings(self):
        """Lines that the processes have logged: at their level, something is wrong."""
        lines = itertools.chain.from_iterable(log.read_text().splitlines() for log in self.directory.glob("process-*.log"))
        return [line for line in lines if not line.startswith("{") and line.strip()]


def _address(log, began):
    """The address in the document that a process prints once it listens."""
    with open(log, "rb") as file:
        file.seek(began)
        for line in file.read().decode(errors="replace").splitlines():
            if line.startswith("{") and "address" in line:
                return json.loads(line)["address"]
    return None
