"""The PostgreSQL that pgbench, Kinto and Trolley share, a cluster of the comparison's own; and one with nothing but defaults."""

import os
import signal
from pathlib import Path

from processes import Failed, Program, run

# As an operator would set them on a machine with some memory. What a commit promises stays as it is by default: it is
# on disk when it is answered.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "2GB",
    "effective_cache_size": "6GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "checkpoint_completion_target": "0.9",
    "wal_buffers": "16MB",
    "max_connections": "200",
    "random_page_cost": "1.1",
    "jit": "off",
    "listen_addresses": "",
    "log_min_messages": "error",
    "log_min_error_statement": "panic",
}


# Only loopback may reach it, and not even that.
DEFAULTS = {"listen_addresses": "", "log_min_messages": "error", "log_min_error_statement": "panic"}


class Postgres:
    def __init__(self, directory, chosen=SETTINGS):
        self.directory = Path(directory)
        self.chosen = chosen
        self.binaries = _binaries()
        # It refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        self.program = None

    def start(self):
        data = self.directory / "data"
        self.directory.mkdir(mode=0o755)
        if self.user:
            run("chown", self.user, self.directory)
        run(self.binaries / "initdb", "--pgdata", data, "--username", "postgres", "--auth", "trust", "--locale", "C",
            "--encoding", "UTF8", "--data-checksums", user=self.user, group=self.user)
        settings = {**self.chosen, "unix_socket_directories": self.directory}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.program = Program(
            "postgres", [self.binaries / "postgres", "-D", data, *flags], self.directory.parent / f"{self.directory.name}.log",
            user=self.user)
        self.program.wait_until(self._answers)

    def stop(self):
        if self.program:
            self.program.stop(signal.SIGINT)

    @property
    def settings(self):
        return ", ".join(f"{name} {value}" for name, value in self.chosen.items() if value and not name.startswith("log_"))

    @property
    def version(self):
        return self.sql("postgres", "SHOW server_version").split()[0]

    def url(self, database):
        return f"postgresql://postgres@/{database}?host={self.directory}"

    def sql(self, database, text):
        """Runs statements and returns what the last one answers, as text."""
        return self._psql(database, "--command", text).strip()

    def file(self, database, path, **variables):
        """Runs a file of statements; `:name` in it is the variable of that name."""
        flags = [f"--set={name}={value}" for name, value in variables.items()]
        self._psql(database, "--single-transaction", *flags, "--file", path)

    def create(self, database):
        self.sql("postgres", f'CREATE DATABASE "{database}"')

    def clone(self, fixture):
        """A fresh copy of a fixture's database, with nothing left to write down. Returns its name."""
        self.sql("postgres", 'DROP DATABASE IF EXISTS "measured"')
        self.sql("postgres", f'CREATE DATABASE "measured" TEMPLATE "{fixture}" STRATEGY file_copy')
        self.settle()
        return "measured"

    def vacuum(self, database):
        self.sql(database, "VACUUM (ANALYZE, FREEZE)")

    def settle(self):
        """Writes down what earlier measurements have left, so that the next one doesn't pay for it."""
        self.sql("postgres", "CHECKPOINT")

    def pgbench(self, *arguments):
        """The command that runs pgbench, which prepares its statements."""
        return [
            self.binaries / "pgbench", "--host", self.directory, "--username", "postgres", "--no-vacuum", "--protocol",
            "prepared", *arguments]

    def _psql(self, database, *arguments):
        return run(
            self.binaries / "psql", "--host", self.directory, "--username", "postgres", "--dbname", database, "--quiet",
            "--no-psqlrc", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", *arguments)

    def _answers(self):
        try:
            self.sql("postgres", "SELECT 1")
        except Failed:
            return False
        return True


def _binaries():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if not found:
        raise Failed("there is no PostgreSQL server in /usr/lib/postgresql; script/bootstrap installs one")
    return found[-1].parent
