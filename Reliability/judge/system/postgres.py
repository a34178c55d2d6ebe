"""A PostgreSQL with its defaults, for two processes of the service on one database."""

import os
import random
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from system.disk import Disk
from system.processes import Failed, end, end_at_once, give_to_server_user, send, start, until


def binaries() -> Path:
    """The directory of PostgreSQL's programs. Debian doesn't put it on the PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    if not found:
        raise Failed("PostgreSQL is not installed: script/bootstrap")
    return Path(found).resolve().parent


class Postgres:
    """It survives the service: what a killed process had sent to it still commits. When it ends, for example because its disk is
    full, it is started again, as systemd does.
    - library: of `forgetful.c`; its data are on a disk then that can lose its power."""

    def __init__(self, directory: Path, options: Sequence[str] = (), library: Path | None = None) -> None:
        self.data, self.sockets, self.log = directory / "database", directory / "sockets", directory / "postgres.log"
        self._options = [part for option in options for part in ("-c", option)]
        for path in (self.data, self.sockets):
            path.mkdir()
            give_to_server_user(path)
        self.log.touch()
        initdb = start([binaries() / "initdb", "--pgdata", self.data, "--username", "trolley", "--auth", "trust"],
                       self.log, is_unprivileged=True)
        if initdb.wait(120) != 0:
            raise Failed(f"initdb failed: {self.log.read_text()}")
        self.disk = Disk(self.data, library, directory / "database.writes") if library else None
        # One fault at a time.
        self._lock = threading.Lock()
        self.process = self._start()
        until("PostgreSQL runs", self._make_database, 60)
        self._is_over = threading.Event()
        threading.Thread(target=self._supervise, daemon=True).start()

    def _start(self) -> subprocess.Popen:
        return start([binaries() / "postgres", "-D", self.data, "-c", "listen_addresses=", "-k", self.sockets, *self._options],
                     self.log, self.disk and self.disk.environment, is_unprivileged=True)

    def kill(self) -> None:
        """Kills its first process."""
        with self._lock:
            send(signal.SIGKILL, self.process.pid)

    def cut_power(self, source: random.Random) -> int:
        """All of its processes are gone at once, and what its disk had not flushed. Returns the number of pages that were lost."""
        with self._lock:
            end_at_once([self.process.pid])
            return self.disk.forget(source) if self.disk else 0

    def _supervise(self) -> None:
        while not self._is_over.wait(0.3):
            with self._lock:
                # While others of its processes are there, it refuses to start, and ends again.
                if self.process.poll() is not None and not self._is_over.is_set():
                    end(self.process)
                    self.process = self._start()

    @property
    def url(self) -> str:
        return f"postgresql://trolley@/trolley?host={self.sockets}"

    def _make_database(self) -> bool:
        if self.process.poll() is not None:
            raise Failed(f"PostgreSQL has ended: {self.log.read_text()[-2000:]}")
        made = subprocess.run(
            [binaries() / "createdb", "--host", self.sockets, "--username", "trolley", "trolley"],
            capture_output=True, text=True, cwd="/", env={**os.environ, "LC_ALL": "C"})
        return made.returncode == 0

    def stop(self) -> None:
        self._is_over.set()
        self._lock.acquire()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # A fast shutdown: it doesn't wait for sessions.
        end(self.process)
