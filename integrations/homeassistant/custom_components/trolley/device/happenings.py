"""What happened to a list, for automations: added and completed items, and trips that have ended.

A trip is a part of the journal in which people went shopping: docs/journal.md, 'Trips'.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

MAX_PAUSE = timedelta(minutes=45)
MIN_ITEMS = 3
#: An item that is unmarked so soon was not bought.
TAKEN_BACK = timedelta(minutes=5)
#: Marks that are kept of one list.
MAX_MARKS = 1000


@dataclass(frozen=True)
class Happening:
    """One change, as the Activity has it."""

    sequence: int
    entry_id: str
    operation: str
    cause: str
    item: str
    text: str | None
    made: datetime
    received: datetime
    author: str | None
    program: str | None
    reverts: str | None
    quantity: str | None
    aisle: str | None


def happening(activity: dict[str, Any]) -> Happening | None:
    """A line of the Activity; None unless it is about an item."""
    entry = activity.get("entry")
    if activity.get("type") != "entry" or not entry or not entry.get("item"):
        return None
    fields = entry.get("fields") or {}
    return Happening(
        sequence=activity["sequence"],
        entry_id=entry["id"],
        operation=entry["operation"],
        cause=entry.get("cause", "edit"),
        item=entry["item"],
        text=activity.get("itemText"),
        made=_time(entry["madeAt"]),
        received=_time(entry["receivedAt"]),
        author=activity.get("authorName"),
        program=activity.get("deviceName"),
        reverts=entry.get("reverts"),
        quantity=fields.get("quantity"),
        aisle=fields.get("aisle"),
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@dataclass(frozen=True)
class Mark:
    """An item that was marked off."""

    entry_id: str
    item: str
    text: str | None
    made: datetime
    author: str | None


@dataclass(frozen=True)
class Trip:
    """A trip that may be going on."""

    start: datetime
    end: datetime
    texts: list[str]
    people: list[str]
    items: int

    @property
    def is_trip(self) -> bool:
        return self.items >= MIN_ITEMS

    @property
    def over_at(self) -> datetime:
        return self.end + MAX_PAUSE


@dataclass
class Marks:
    """The latest marks of a list, oldest first."""

    marks: list[Mark] = field(default_factory=list)

    def note(self, happenings: Iterable[Happening]) -> None:
        """Takes changes in the order of their sequences."""
        for each in happenings:
            if each.operation == "markOff" and each.cause != "undo":
                self.marks.append(Mark(each.entry_id, each.item, each.text, each.made, each.author))
            elif each.operation == "unmark":
                self._take_back(each)
        self.marks.sort(key=lambda mark: mark.made)
        del self.marks[:-MAX_MARKS]

    def _take_back(self, each: Happening) -> None:
        """An unmark takes back the mark that it reverts, or one of the last five minutes."""
        self.marks = [
            mark
            for mark in self.marks
            if mark.item != each.item
            or not (mark.entry_id == each.reverts or timedelta(0) <= each.made - mark.made <= TAKEN_BACK)
        ]

    @property
    def latest_trip(self) -> Trip | None:
        """The marks since the last long pause."""
        run: list[Mark] = []
        for mark in reversed(self.marks):
            if run and run[-1].made - mark.made >= MAX_PAUSE:
                break
            run.append(mark)
        run.reverse()
        if not run:
            return None
        picks: dict[str, Mark] = {}
        for mark in run:
            picks.setdefault(mark.item, mark)
        people = dict.fromkeys(mark.author for mark in picks.values() if mark.author)
        return Trip(run[0].made, run[-1].made, [m.text or "" for m in picks.values()], list(people), len(picks))
