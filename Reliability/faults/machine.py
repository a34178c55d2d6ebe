"""The service on a machine of its own, on which things go wrong: its processes, its disk, its limits."""

import json
import os
import resource
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from system.disk import Disk
from system.processes import Failed, end, start

_START = 60.0
# As deploy/trolleyd.service says: Restart=on-failure, RestartSec=2.
_RESTART = 2.0
# How soon uploads are confirmed again after a death: the pause, the start of a debug build, and PostgreSQL's recovery.
STARTED_AGAIN = _RESTART + 10.0


class Machine:
    """`trolleyd serve`, started again when it ends, as systemd does.
    - database: an URL; without it the service has its own PostgreSQL.
    - library: of `forgetful.c`; the disk and the wall clock can go wrong then.
    - files: how many files the service may have open."""

    def __init__(
        self, program: Path, directory: Path, arguments: Sequence[str] = (), database: str | None = None,
        library: Path | None = None, files: int | None = None,
    ) -> None:
        self.program, self.directory = program, directory
        directory.mkdir()
        directory.chmod(0o711)
        self.log = directory / "trolleyd.log"
        own = directory / "own"
        own.mkdir()
        self.disk = Disk(own, library, directory / "own.writes") if library else None
        self._files = files
        self._arguments = [
            "serve", "--json", "--log-level", "error", "--attempts-per-hour-by-address", "0", *arguments,
            *(["--database-url", database] if database else ["--data-directory", str(own / "data")])]
        self.port, self.restarts = 0, 0
        self._is_over = threading.Event()
        self.process = self._start()
        threading.Thread(target=self._supervise, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _start(self) -> subprocess.Popen:
        began = time.monotonic()
        while True:
            process = start(
                [*(["prlimit", f"--nofile={self._files}"] if self._files else []), self.program, *self._arguments,
                 "--port", str(self.port)],
                self.log, {"TROLLEY_TEST_WEAK_PASSWORDS": "true", **(self.disk.environment if self.disk else {})}, pipes=True)
            # A program that hangs says nothing.
            watch = threading.Timer(_START, process.kill)
            watch.start()
            line = process.stdout.readline()
            watch.cancel()
            if '"address"' in line:
                self.port = int(json.loads(line)["address"].rstrip("/").rsplit(":", 1)[1])
                return process
            end(process)
            if self._is_over.is_set() or time.monotonic() - began > _START:
                raise Failed(f"trolleyd does not start: {line}{self.log.read_text()[-2000:]}")
            time.sleep(0.2)

    def _supervise(self) -> None:
        while not self._is_over.wait(0.1):
            if self.process.poll() is not None:
                self.restarts += 1
                if not self._is_over.wait(_RESTART):
                    end(self.process)
                    try:
                        self.process = self._start()
                    except Failed as failure:
                        print(failure, flush=True)  # Then nothing is confirmed any more, which the case says.

    def stop(self) -> None:
        self._is_over.set()
        end(self.process)
        if self.disk:
            self.disk.set()

    # Figures of the kernel

    @property
    def memory(self) -> int:
        """MiB of the service's own process."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * resource.getpagesize() >> 20

    @property
    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def limit_open_files(self, count: int) -> None:
        """From now on the running process may have only so many. It keeps those that it has."""
        # As the user that it has changed to, who may do that without privileges.
        owner = Path(f"/proc/{self.process.pid}").stat()
        subprocess.run(["prlimit", "--pid", str(self.process.pid), f"--nofile={count}:"], check=True, cwd="/",
                       **({"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if owner.st_uid != os.getuid() else {}))
