"""The service under judgement: one `trolleyd serve` with its own PostgreSQL, or several on one database."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from system.postgres import Postgres
from system.disk import Disk
from system.processes import Failed, descendants, end, end_at_once, free_port, send, start, title

_START = 60.0


class Service:
    """What it does to a process leaves it as a fault would: `kill` says nothing to it, `pause` stops it in its tracks.
    - forgets: its PostgreSQL confirms commits that it has not written yet. Then a killed server loses some.
    - before: an earlier `trolleyd`, with which all processes start; see `exchange`.
    - library: of `forgetful.c`; the power can fail then: see `cut_power`."""

    has_real_devices = has_states = True

    def __init__(
        self, directory: Path, processes: int, trolleyd: Path, forgets: bool = False, before: Path | None = None,
        library: Path | None = None,
    ) -> None:
        self.trolleyd, self.before, self.directory = trolleyd, before, directory
        self._programs = [before or trolleyd] * processes
        self._exchanges = 0
        options = ["synchronous_commit=off"] if forgets else []
        self.postgres = Postgres(directory, options, library) if processes > 1 or forgets else None
        self.library = library
        self._own = directory / "own"
        self._own.mkdir()
        # Of PostgreSQL, the service's own or not.
        self.disk = self.postgres.disk if self.postgres else \
            Disk(self._own, library, directory / "own.writes") if library else None
        self.server_kills = 0.9 if forgets else 0.3
        self.ports = [free_port() for _ in range(processes)]
        self.running: list[subprocess.Popen | None] = [None] * processes
        for index in range(processes):
            self.start(index)

    @property
    def _database(self) -> list[str]:
        return ["--database-url", self.postgres.url] if self.postgres else \
            ["--data-directory", str(self._own / "data")]

    @property
    def _environment(self) -> dict[str, str]:
        return {"TROLLEY_TEST_WEAK_PASSWORDS": "true", **(self.disk.environment if self.disk and not self.postgres else {})}

    @property
    def address(self) -> str:
        """Past the cables."""
        return f"http://127.0.0.1:{self.ports[0]}"

    def exchange(self) -> dict[str, object]:
        """The next step of an upgrade and back: a process gets the other program, with its next start. First the second process,
        then the first, and so on, so that both programs serve one database most of the time."""
        index = 1 - self._exchanges % 2
        self._exchanges += 1
        program = self._programs[index] = self.before if self._programs[index] == self.trolleyd else self.trolleyd
        return {"process": index, "program": "the earlier one" if program == self.before else "this one"}

    def start(self, index: int) -> float:
        """Starts a process until it listens, again if it exits before. Returns how long that took, in seconds."""
        began = time.monotonic()
        while True:
            process = start(
                [self._programs[index], "serve", "--port", str(self.ports[index]), "--json", "--log-level", "error",
                 "--attempts-per-hour-by-address", "0", "--attempts-per-hour-by-email", "0", *self._database],
                self.directory / f"trolleyd-{index + 1}.log", self._environment, pipes=True)
            self.running[index] = process
            line = process.stdout.readline()
            if '"address"' in line:
                return time.monotonic() - began
            end(process)
            if time.monotonic() - began > _START:
                raise Failed(f"trolleyd does not start: {line}{self._log(index)}")
            time.sleep(0.2)

    def _log(self, index: int) -> str:
        return (self.directory / f"trolleyd-{index + 1}.log").read_text()[-2000:]

    def kill(self, index: int) -> None:
        self._signal(index, signal.SIGKILL)
        end(self.running[index])

    def pause(self, index: int) -> None:
        self._signal(index, signal.SIGSTOP)

    def resume(self, index: int) -> None:
        self._signal(index, signal.SIGCONT)

    def _signal(self, index: int, number: int) -> None:
        process = self.running[index]
        if process.poll() is None:
            send(number, process.pid)

    def backends(self) -> list[int]:
        """PostgreSQL's processes for the service's connections."""
        roots = [self.postgres.process] if self.postgres else self.running
        found = [pid for root in roots if root for pid in descendants(root.pid)]
        return [pid for pid in found if title(pid).startswith("postgres:") and "[local]" in title(pid)]

    def kill_database(self) -> bool:
        """Kills PostgreSQL's first process. The service starts its own again by itself. Returns whether there was one."""
        if self.postgres:
            self.postgres.kill()
            return True
        first = next((pid for root in self.running if root for pid in descendants(root.pid) if "/postgres -D" in title(pid)
                      and not title(pid).startswith("sh ")), None)
        return first is not None and send(signal.SIGKILL, first)

    def database(self) -> list[int]:
        """All of PostgreSQL's processes."""
        roots = [self.postgres.process.pid] if self.postgres else self._servers()
        return [pid for root in roots for pid in (root, *descendants(root))]

    def cut_power(self, source: random.Random) -> int:
        """The machine of the service and its PostgreSQL loses its power. Returns the number of pages that were not flushed."""
        if not self.postgres:
            end_at_once([process.pid for process in self.running if process] + self._servers())
        for index in range(len(self.ports)):
            self._signal(index, signal.SIGKILL)
            end(self.running[index])
        if not self.postgres:
            return self.disk.forget(source)
        return self.postgres.cut_power(source)

    def _servers(self) -> list[int]:
        """First processes of the service's own PostgreSQL: it may have outlived a killed service."""
        return [pid for pid in descendants(os.getpid()) if f"-D {self._own}" in title(pid)]

    def compress(self, list_id: str, older_than: str, within: float) -> dict | None:
        """The operator's command, killed if it takes longer than `within` seconds. Returns what it says; nothing if it was
        killed, or failed because the database was away."""
        process = subprocess.Popen(
            [self.trolleyd, "compress", "--older-than", older_than, "--list", list_id, "--json", *self._database],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            env={**os.environ, **self._environment})
        try:
            said, _ = process.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            process.kill()
            # It may have ended by itself in the same moment.
            said, _ = process.communicate()
        return json.loads(said) if process.returncode == 0 and said else None

    def processes(self) -> list[subprocess.Popen]:
        """Those that this object waits for."""
        return [each for each in [*self.running, self.postgres and self.postgres.process] if each]

    def heal(self) -> None:
        """Every process runs and is ready."""
        if self.disk:
            self.disk.set()
        for index in range(len(self.ports)):
            self.resume(index)
            if self.running[index].poll() is not None:
                self.start(index)

    def stop(self) -> None:
        for process in self.running:
            if process:
                end(process)
        if self.postgres:
            self.postgres.stop()
