"""A device with SQLite: `trolley` with a directory of its own, one command at a time."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import threading
import uuid
from pathlib import Path
from typing import Any

from household import PASSWORD, Device, Person, Shown
from system.processes import Failed

_COMMAND = 900.0
# What isn't done, and says so: the item is gone, the person may only read, nothing is left to undo.
_REFUSED = 1


class SQLiteDevice(Device):
    kind = "SQLite"

    def __init__(self, name: str, person: Person, program: Path, home: Path) -> None:
        super().__init__(name, person)
        self._program, self._home = program, home
        home.mkdir(mode=0o700)

    def _run(self, *words: str, kill_after: float | None = None) -> tuple[int, Any, str]:
        process = subprocess.Popen(
            [self._program, *words, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TROLLEY_HOME": str(self._home), "TROLLEY_PASSWORD": PASSWORD, "TROLLEY_LANGUAGE": "none"})
        doom = threading.Timer(kill_after if kill_after is not None else _COMMAND, process.send_signal, [signal.SIGKILL])
        doom.start()
        try:
            output, errors = process.communicate()
        finally:
            doom.cancel()
        if process.returncode == -signal.SIGKILL and kill_after is None:
            raise Failed(f"{self.name}: trolley {' '.join(words)} took longer than {_COMMAND:.0f} s")
        try:
            return process.returncode, json.loads(output), errors
        except ValueError:
            return process.returncode, None, errors

    def _must(self, *words: str) -> Any:
        code, document, errors = self._run(*words)
        if code != 0 or document is None:
            raise Failed(f"{self.name}: trolley {' '.join(words)}: {code} {document} {errors[-500:]}")
        return document

    def sign_in(self) -> None:
        self._must("sign-in", self.cable.address, "--email", self.person.email, "--device-name", self.name)

    def sign_out(self) -> None:
        self._must("sign-out", "--remove-lists")

    def make_list(self, name: str) -> str:
        return self._must("new", name)["id"]

    def act(self, list_id: str, kind: str, *values: str, is_killed: bool = False, source: random.Random | None = None) -> bool:
        if kind == "clear":
            code, shown, _ = self._run("show", "--list", list_id)
            values = tuple(each["id"] for each in shown["items"] if each["markedOff"]) if code == 0 else ()
            if not values:
                return False
        words = self._words(kind, values)
        kill_after = source.uniform(0, 0.15) if is_killed and source else None
        code, document, errors = self._run(*words, "--list", list_id, kill_after=kill_after)
        if code not in (0, _REFUSED) and kill_after is None:
            raise Failed(f"{self.name}: trolley {' '.join(words)}: {code} {document} {errors[-500:]}")
        return code == 0

    @staticmethod
    def _words(kind: str, values: tuple[str, ...]) -> list[str]:
        match kind:
            case "add": return ["add", *values, "--again", "--as-written"]
            case "edit": return ["edit", values[0], f"--{values[1]}", values[2]]
            case "move": return ["move", values[0], *(["--after", values[1]] if values[1:] else ["--top"])]
            case "clear": return ["delete", *values]
            case "shop": return ["shopping", values[0]]
            case "react": return ["react", values[0], "👍"]
            case _: return [kind, *values]

    def sync(self) -> bool:
        return self._run("sync")[0] == 0

    def shown(self, list_id: str) -> Shown:
        log = self._must("diagnostics", "--with-content")
        rows = [each for each in log["lists"] if each["id"] == list_id]
        rejected = [each["content"] for each in log["rejected"]]
        if not rows:
            return Shown(rejected=rejected)
        row = rows[0]
        return Shown(
            state={}, through=row["through"], digest=row["digest"],
            waiting=len([each for each in row["queued"] if each["state"] != "taken"]), to_apply=sum(row["toApply"].values()),
            entries=[each["content"] for each in row["entries"]], rejected=rejected)

    def complete(self, list_id: str, shown: Shown) -> None:
        shown.state = self._must("show", "--list", list_id)

    def messages(self, list_id: str) -> list[dict]:
        return self._must("messages", "--list", list_id, "--limit", "500")["messages"]

    def activity(self, list_id: str) -> list[dict]:
        return self._must("activity", "--list", list_id)["activity"]

    def unread(self, list_id: str) -> int:
        return next(each["unread"] for each in self._must("lists")["lists"] if each["id"] == list_id)

    def dismiss(self) -> None:
        self._must("queue", "--dismiss")

    def spoil(self, list_id: str) -> None:
        """Drops the entry of the list that it has received last."""
        with sqlite3.connect(self._home / "device.sqlite") as database:
            dropped = database.execute(
                "DELETE FROM entry WHERE (list, sequence) = (SELECT list, max(sequence) FROM entry WHERE list = "
                "(SELECT key FROM list WHERE id = ?) GROUP BY list)", [uuid.UUID(list_id).bytes]).rowcount
        database.close()
        if dropped != 1:
            raise Failed(f"{self.name}: {dropped} entries were dropped")
