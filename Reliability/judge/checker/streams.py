"""The changes that each plain device has fetched of each list, in the order in which it got them."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from checker.history import History, Line, Operation


@dataclass
class Page:
    """One answer about one list. `ends`: nothing more was coming when it was asked."""

    operation: Operation
    is_continuation: bool
    is_snapshot: bool
    ends: bool
    changes: list[list[Any]]
    digest: str | None

    @property
    def line(self) -> Line:
        return self.operation.end_line or self.operation.line


@dataclass
class Stream:
    """Pages of one device and list."""

    client: str
    list_id: str
    pages: list[Page] = field(default_factory=list)


def what_of(change: list[Any]) -> str:
    """Names a change: an entry by its id, others by their type."""
    return change[2] if change[1] == "entry" else f"({change[1]})"


class Streams:
    """`seen`: for each list and sequence, what was served there, and the first line that says so."""

    _last: tuple[int, "Streams"] | None = None

    def __new__(cls, history: History) -> "Streams":
        # Every check asks for them, and they are always the same.
        if cls._last is None or cls._last[0] is not history:
            self = super().__new__(cls)
            self._collect(history)
            cls._last = (history, self)
        return cls._last[1]

    def _collect(self, history: History) -> None:
        self.streams: dict[tuple[str, str], Stream] = {}
        self.seen: dict[str, dict[int, dict[str, Line]]] = defaultdict(lambda: defaultdict(dict))
        self._positions: dict[tuple[str, str], list[tuple[float, int, Line]]] = defaultdict(list)
        for operation in history.of_kind("changes"):
            if operation.phase == "ok":
                for page in self._pages(operation):
                    self._note(*page)

    def _pages(self, operation: Operation) -> list[tuple[str, Page]]:
        ends, answered = not operation.answer["more"], set()
        pages = []
        for page in operation.answer["pages"]:
            answered.add(page["list"])
            pages.append((page["list"], Page(
                operation, page["list"] in operation.what["since"], page["snapshot"], ends or not page["more"],
                page["changes"], page["digest"])))
        if ends:
            # Lists without changes are left out of the answer.
            absent = set(operation.what["since"]) - answered - set(operation.answer.get("gone", [])) \
                - set(operation.answer.get("expired", []))
            pages += [(each, Page(operation, True, False, True, [], None)) for each in sorted(absent)]
        return pages

    def _note(self, list_id: str, page: Page) -> None:
        key = page.operation.client, list_id
        self.streams.setdefault(key, Stream(*key)).pages.append(page)
        for change in page.changes:
            self.seen[list_id][change[0]].setdefault(what_of(change), page.line)
        if page.changes:
            self._positions[key].append((page.operation.ended, page.changes[-1][0], page.line))

    def position(self, client: str, list_id: str, before: float) -> tuple[int, Line | None]:
        """The highest sequence that a device had been served before a moment, and the line that says so."""
        read, line = 0, None
        for at, sequence, where in self._positions[client, list_id]:
            if at < before and sequence > read:
                read, line = sequence, where
        return read, line
