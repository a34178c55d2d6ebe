"""A service and devices whose programs are replaced, and the clock of all of them."""

import json
import os
import socket
import subprocess
import time
from pathlib import Path

from system.disk import Disk, compiled
from system.processes import end


# Of items that one command names.
_AT_ONCE = 250


class Broken(Exception):
    """A promise that wasn't kept."""


def check(holds: bool, promise: str) -> None:
    if not holds:
        raise Broken(promise)


class Clock:
    """The wall clock of everything that runs in its environment."""

    def __init__(self, scratch: Path) -> None:
        # Nothing is on its disk.
        nowhere = scratch / "nowhere"
        nowhere.mkdir()
        self._disk = Disk(nowhere, compiled(scratch), scratch / "clock")
        self.environment = self._disk.environment

    def pass_days(self, days: int) -> None:
        self._disk.set_clock(days * 86_400)


class Service:
    """One database; the program that serves it is replaced."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self.directory, self.environment = directory, {**os.environ, **clock.environment}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, program: Path) -> None:
        with open(self.directory.parent / "trolleyd.log", "a") as log:
            self.process = subprocess.Popen(
                [program, "serve", "--port", str(self.port), "--json", "--data-directory", self.directory, "--log-level", "error"],
                stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment)
        said = self.process.stdout.readline()
        check('"address"' in said, f"{program} serves the database ({self.directory.parent}/trolleyd.log)")

    def stop(self) -> None:
        if self.process:
            end(self.process, 60)
            self.process = None

    def compress(self, program: Path) -> int:
        """Compresses until entries, and the trail of that, are gone: both only a second after they were made."""
        discarded, dropped, deadline = 0, 0, time.monotonic() + 60
        while not (discarded and dropped):
            check(time.monotonic() < deadline, f"journals are compressed with their trail: {discarded} entries, {dropped} rows of the trail")
            ran = subprocess.run(
                [program, "compress", "--older-than", "1s", "--trail", "1s", "--data-directory", self.directory, "--json"],
                check=True, capture_output=True, text=True, env=self.environment)
            said = json.loads(ran.stdout)
            discarded, dropped = discarded + said["discarded"], dropped + said["trailDropped"]
        return discarded


class Device:
    """A device's files; the program that uses them is replaced."""

    def __init__(self, home: Path, program: Path, clock: Clock) -> None:
        self.home, self.program, self.clock = home, program, clock

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self.clock.environment, "TROLLEY_HOME": str(self.home),
                       "TROLLEY_PASSWORD": "correct horse battery", "LC_ALL": "C"}
        return subprocess.run([self.program, *words], env=environment, capture_output=True, text=True, timeout=600)

    def do(self, *words: str) -> dict:
        """A command that must succeed, and its answer."""
        ran = self.run(*words, "--json")
        check(ran.returncode == 0, f"{self.program} {' '.join(words)[:80]} succeeds, but: {ran.stderr.strip()}{ran.stdout[-400:]}")
        return json.loads(ran.stdout) if ran.stdout.strip() else {}

    def do_for_each(self, command: str, texts: list[str]) -> None:
        for start in range(0, len(texts), _AT_ONCE):
            self.do(command, *texts[start:start + _AT_ONCE])

    def shown(self, name: str) -> list[tuple[str, str, bool]]:
        """What a list shows, in order: id, text and whether it is marked off."""
        items = self.do("show", "--list", name)["items"]
        return [(item["id"], item["text"], item["markedOff"]) for item in items]

    def is_settled(self) -> bool:
        queue = self.do("queue")
        return queue["waiting"] == 0 and not queue["rejected"]
