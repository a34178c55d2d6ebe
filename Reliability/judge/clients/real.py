"""A real device: the command line `trolley` with a directory of its own, used as a person uses it."""

import json
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from clients.recorder import Recorder
from system.disk import Disk
from system.processes import Failed, send

_PASSWORD = "correct horse battery"
_COMMAND = 60.0


class RealDevice:
    """One command at a time. What a command with exit code 0 has made is on the device for good."""

    def __init__(
        self, name: str, home: Path, program: Path, recorder: Recorder, source: random.Random, library: Path | None = None,
    ) -> None:
        self.name, self.home, self.program, self.recorder, self.random = name, home, program, recorder, source
        home.mkdir(mode=0o700)
        self.disk = Disk(home, library, home.with_name(f"{name}.writes")) if library else None
        self._has_power = threading.Lock()
        self.lists: list[str] = []
        self.items: dict[str, list[str]] = {}
        self.count = 0
        self.command: subprocess.Popen | None = None
        self.kills = 0
        self._was_killed = False
        self._doomed_after: float | None = None
        self.joins: dict[str, str] = {}
        self.is_healing = False
        self.emptied: float | None = None
        self.failure: Exception | None = None
        self._thread: threading.Thread | None = None

    # Commands

    def _run(self, *arguments: str) -> tuple[int, Any, str]:
        """Returns the exit code (negative for a signal), the JSON document, and standard error."""
        with self._has_power:
            return self._run_with_power(*arguments)

    def _run_with_power(self, *arguments: str) -> tuple[int, Any, str]:
        self._was_killed = False
        self.command = subprocess.Popen(
            [self.program, *arguments, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "TROLLEY_HOME": str(self.home), "TROLLEY_PASSWORD": _PASSWORD,
                 **(self.disk.environment if self.disk else {})})
        doom, self._doomed_after = self._doomed_after, None
        if doom is not None:
            threading.Timer(doom, self.signal, [signal.SIGKILL]).start()
        try:
            output, errors = self.command.communicate(timeout=_COMMAND)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            output, errors = self.command.communicate()
        code, self.command = self.command.returncode, None
        self.kills += code == -signal.SIGKILL
        try:
            return code, json.loads(output), errors
        except ValueError:
            return code, None, errors

    def _do(self, kind: str, *arguments: str, **what: Any) -> Any:
        """A recorded command. Returns its document, or nothing if it was killed or refused."""
        op = self.recorder.invoke(kind, command=list(arguments), **what)
        code, document, errors = self._run(*arguments)
        if code == 0 and document is not None:
            self.recorder.end(op, "ok", answer=document)
            return document
        if code == 0 and not self._was_killed:
            raise Failed(f"{self.name}: trolley {' '.join(arguments)} succeeded without a document: {errors[-500:]}")
        # Python says 0 of a killed command, too, if `reap` has taken its exit code.
        self.recorder.end(op, "unknown" if code <= 0 else "refused", code=code, answer=document, why=errors[-300:])
        return None

    def _must(self, *arguments: str) -> Any:
        code, document, errors = self._run(*arguments)
        if code != 0:
            raise Failed(f"{self.name}: trolley {' '.join(arguments)}: {code} {document} {errors[-500:]}")
        return document

    def sign_up(self, address: str, email: str) -> None:
        self._must("sign-up", address, "--email", email, "--name", self.name)

    def sign_in(self, address: str, email: str) -> None:
        self._must("sign-in", address, "--email", email)

    def join(self, address: str, list_id: str, secret: str) -> None:
        self._must("join", f"{address}/join#{secret}")
        self.lists.append(list_id)

    def join_again(self, link: str, list_id: str) -> None:
        """Joins a list that the person was removed from, as soon as the service can be reached."""
        self.joins[list_id] = link

    def know(self, list_id: str) -> None:
        """The account is on the list already."""
        self.lists.append(list_id)

    def identity(self) -> dict[str, Any]:
        """With `account` and `device`."""
        return self._must("whoami")

    def sync(self) -> None:
        self._must("sync")

    # Load

    def begin(self, gestures_per_second: float) -> None:
        self._thread = threading.Thread(target=self._live, args=(gestures_per_second,), daemon=True)
        self._thread.start()

    def heal(self) -> None:
        """Makes no more changes, stops shopping, and syncs until both queues are empty."""
        self.is_healing = True

    def _live(self, gestures_per_second: float) -> None:
        try:
            while not self.is_healing:
                self._join()
                self._gesture()
                time.sleep(self.random.expovariate(gestures_per_second))
            while self.emptied is None:
                self._join()
                for list_id in self.lists:
                    self._do("shopping", "shopping", "off", "--list", list_id)
                self._do("sync", "sync")
                queue = self._do("queue", "queue", "--all")
                if not self.joins and queue is not None and not any(
                        each[name]["count"] for each in queue["lists"] for name in ("upload", "toApply")):
                    self.emptied = time.monotonic()
                else:
                    time.sleep(0.3)
        except Exception as error:  # A thread's error is the run's: `check` raises it.
            self.failure = error

    def check(self) -> None:
        if self.failure:
            raise self.failure

    def _join(self) -> None:
        for list_id, link in list(self.joins.items()):
            # After a sync the list is away, or an earlier attempt to join, whose answer was lost, has brought it back.
            synced, lists = self._do("sync", "sync"), self._do("lists", "lists")
            if synced is not None and lists is not None:
                is_back = list_id in [each["id"] for each in lists["lists"]]
                if is_back or self._do("join", "join", link, list=list_id) is not None:
                    del self.joins[list_id]

    def _gesture(self) -> None:
        list_id = self.random.choice(self.lists)
        self.count += 1
        kind = self.random.choices(["add", "off", "edit", "move", "delete", "say", "undo", "redo", "shopping", "apply", "sync"],
                                   [30, 14, 16, 8, 8, 8, 4, 2, 3, 2, 8])[0]
        items = self.items.get(list_id, [])
        if kind == "sync" or not items and kind in ("off", "edit", "move", "delete"):
            self._do("sync", "sync")
            shown = self._do("look", "show", "--list", list_id)
            if shown is not None:
                self.items[list_id] = [each["id"] for each in shown["items"] if not each["markedOff"]][:60]
        elif kind == "add":
            texts = [f"thing {self.count}.{index} of {self.name}" for index in range(self.random.choice([1, 1, 2, 4]))]
            self._do("add", "add", *texts, "--again", "--as-written", "--list", list_id, list=list_id, texts=texts)
        elif kind == "edit":
            note = f"note {self.count} of {self.name}"
            self._do("edit", "edit", self.random.choice(items), "--note", note, "--list", list_id, list=list_id, note=note)
        elif kind == "say":
            text = f"message {self.count} of {self.name}"
            self._do("say", "say", text, "--list", list_id, list=list_id, text=text)
        elif kind in ("undo", "redo", "apply"):
            self._do(kind, kind, "--list", list_id, list=list_id)
        elif kind == "shopping":
            self._do(kind, kind, self.random.choice(["on", "off"]), "--list", list_id)
        elif kind == "move":
            self._do("move", "move", self.random.choice(items), "--top", "--list", list_id, list=list_id)
        else:
            chosen = self.random.choice(items)
            items.remove(chosen)
            self._do(kind, kind, chosen, "--list", list_id, list=list_id)

    # Faults

    def doom(self, seconds: float) -> None:
        """Kills the next command so long after it began, if it still runs then. Most take a tenth of a second."""
        self._doomed_after = seconds

    def signal(self, number: int) -> bool:
        """Sends a signal to the command that runs just now. Returns whether there was one."""
        command = self.command
        if command is None or command.poll() is not None:
            return False
        if number == signal.SIGKILL:
            self._was_killed = True
        return send(number, command.pid)

    def cut_power(self, source: random.Random) -> int:
        """The device loses its power, and what its disk had not flushed. Returns the number of pages that were lost."""
        self.signal(signal.SIGKILL)
        with self._has_power:
            return self.disk.forget(source) if self.disk else 0

    def stop(self) -> None:
        self.is_healing, self.emptied = True, self.emptied or time.monotonic()
        self.signal(signal.SIGKILL)
        if self._thread:
            self._thread.join(_COMMAND)

    # What it shows in the end

    def final(self) -> dict[str, Any]:
        return {"queue": self._must("queue", "--all"),
                "shown": {each: self._must("show", "--list", each) for each in self.lists}}
