"""Reads the histories of a round. Everything that a check looks at comes from here, and knows the lines that say so."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, order=True)
class Line:
    """A place in a history."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


@dataclass(frozen=True)
class Verdict:
    entry: str
    status: str
    sequence: int | None = None
    made_at: str | None = None
    received_at: str | None = None
    code: str | None = None

    @property
    def is_confirmed(self) -> bool:
        return self.status in ("applied", "duplicate")


@dataclass
class Operation:
    """A request or a command of a client, from its invocation to its answer."""

    client: str
    kind: str
    what: dict[str, Any]
    invoked: float
    line: Line
    phase: str = "unknown"
    ended: float | None = None
    answer: dict[str, Any] = field(default_factory=dict)
    end_line: Line | None = None

    @property
    def lines(self) -> list[Line]:
        return [self.line, *([self.end_line] if self.end_line else [])]

    @property
    def list_id(self) -> str:
        return self.what["list"]

    @property
    def verdicts(self) -> list[Verdict]:
        return [Verdict(*each) for each in self.answer.get("results", [])] if self.phase == "ok" else []


@dataclass(frozen=True)
class Row:
    """A row of the Activity. `entry` is None for what happened to a participant."""

    sequence: int
    entry: dict[str, Any] | None
    event: dict[str, Any] | None
    line: Line


@dataclass
class ListRecord:
    """What the owner read about a list in the end."""

    is_compressed: bool
    rows: list[Row] = field(default_factory=list)
    live: list[list[Any]] = field(default_factory=list)
    state: dict[str, Any] | None = None
    lines: list[Line] = field(default_factory=list)

    def entries(self) -> dict[str, Row]:
        """By id. A doubled entry is there once; `doubled` checks the rows."""
        return {row.entry["id"]: row for row in self.rows if row.entry}

    @property
    def head(self) -> int:
        return max([row.sequence for row in self.rows] + [change[0] for change in self.live], default=0)


@dataclass(frozen=True)
class Client:
    name: str
    account: str
    device: str

    @property
    def is_real(self) -> bool:
        return self.name.startswith("real")


class History:
    """All files of a round."""

    def __init__(self) -> None:
        self.clients: dict[str, Client] = {}
        self.lists: dict[str, ListRecord] = {}
        self.operations: list[Operation] = []
        self.notes: list[tuple[Line, str, float, dict[str, Any]]] = []

    @classmethod
    def read(cls, directory: Path) -> "History":
        history = cls()
        for path in sorted(directory.glob("*.jsonl")):
            with open(path, encoding="utf-8") as lines:
                history.add(path.stem, (json.loads(line) for line in lines if line.endswith("\n")))
        return history

    def add(self, client: str, lines: Iterator[dict[str, Any]]) -> None:
        """The lines of one client, in their order."""
        begun: dict[int, Operation] = {}
        for number, what in enumerate(lines, 1):
            line, phase, at = Line(client, number), what.pop("phase"), what.pop("t")
            if phase == "note":
                kind = what.pop("kind")
                self._note(line, kind, what)
                self.notes.append((line, kind, at, what))
            elif phase == "invoke":
                op, kind = what.pop("op"), what.pop("kind")
                begun[op] = Operation(client, kind, what, at, line)
                self.operations.append(begun[op])
            else:
                operation = begun[what.pop("op")]
                operation.phase, operation.ended, operation.answer, operation.end_line = phase, at, what, line

    def _note(self, line: Line, kind: str, what: dict[str, Any]) -> None:
        if kind == "client":
            self.clients[what["client"]] = Client(what["client"], what["account"], what["device"])
        elif kind == "list":
            self.lists[what["list"]] = ListRecord(what["compressed"])
        elif kind in ("activity", "live", "state"):
            record = self.lists[what["list"]]
            record.lines.append(line)
            if kind == "activity":
                record.rows += [Row(sequence, content if type == "entry" else None,
                                    None if type == "entry" else content, line) for sequence, type, content in what["rows"]]
            elif kind == "live":
                record.live += what["changes"]
            else:
                record.state = what

    def of_kind(self, *kinds: str) -> Iterator[Operation]:
        return (each for each in self.operations if each.kind in kinds)

    def noted(self, kind: str) -> Iterator[tuple[Line, float, dict[str, Any]]]:
        return ((line, at, what) for line, each, at, what in self.notes if each == kind)

    def refused(self, client: str) -> list[dict[str, Any]]:
        """The refused changes that a real device shows in the end."""
        return [each for _, _, what in self.noted("device") if what["client"] == client for each in what["queue"]["rejected"]]

    def dropped(self) -> set[tuple[str, str]]:
        """Entries that a device gave up because it was no longer on the list. A request that was under way may bring one later."""
        return {(what["list"], entry) for _, _, what in self.noted("left") for entry in what["dropped"]}


@dataclass(frozen=True)
class Violation:
    """A promise that was broken. `promise` is in the documents' words."""

    check: str
    promise: str
    what: str
    entries: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()

    def __str__(self) -> str:
        more = "".join([f"\n    entries: {', '.join(self.entries[:8])}" if self.entries else "",
                        f"\n    history: {', '.join(dict.fromkeys(map(str, self.lines[:8])))}" if self.lines else ""])
        return f"{self.check}: {self.what}\n    promised: {self.promise}{more}"


def content_hash(entry: dict[str, Any]) -> str:
    """Of what never changes about an entry, wherever it is read. `after` and `sequence` may, on a compressed list."""
    stable = {key: value for key, value in entry.items()
              if key not in ("after", "sequence", "receipt") and value is not None and value != {}}
    return hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()[:16]
