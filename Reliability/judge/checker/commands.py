"""Real devices: what a command has made is in the Activity once, and nothing is there that no command has made."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from checker.history import History, Line, Operation, Violation

_MADE = "a change is on the device for good when the command returns; it reaches the Activity once, or is refused in sight"


def commands(history: History) -> Iterator[Violation]:
    """By what makes a change unlike any other: an added item's text, an edit's note, a message's text."""
    for client in (each for each in history.clients.values() if each.is_real):
        for list_id, record in history.lists.items():
            found, lines = Counter[tuple[str, str]](), defaultdict(list)
            for row in record.rows:
                if row.entry and row.entry["device"] == client.device and (mark := _mark(row.entry)):
                    found[mark] += 1
                    lines[mark].append(row.line)
            made, tried = _made(history, client.name, list_id)
            refused = {_mark(each["entry"]) for each in history.refused(client.name) if each["list"] == list_id}
            for mark in sorted({*found, *tried}):
                certain = None if mark in refused else made.get(mark)
                yield from _compare(client.name, mark, found[mark], certain, tried.get(mark), lines[mark])


def _compare(
    name: str, mark: tuple[str, str], count: int, made: Operation | None, tried: Operation | None, rows: list[Line],
) -> Iterator[Violation]:
    lines = (*(tried.lines if tried else ()), *rows)
    if made and count == 0:
        yield Violation("lost", _MADE, f"{name} made {mark}, and it is not in the Activity", lines=lines)
    elif count > 1:
        yield Violation("doubled", _MADE, f"{name} made {mark}, and it is {count} times in the Activity", lines=lines)
    elif count and not tried:
        yield Violation("content", _MADE, f"no command of {name} made {mark}", lines=lines)


def _mark(entry: dict[str, Any]) -> tuple[str, str] | None:
    fields = entry.get("fields") or {}
    if entry["operation"] == "edit" and entry.get("cause", "edit") == "edit" and isinstance(fields.get("note"), str):
        return "edit", fields["note"]
    return (entry["operation"], fields["text"]) if entry["operation"] in ("add", "message") and "text" in fields else None


def _made(history: History, client: str, list_id: str) -> tuple[dict[tuple[str, str], Operation], dict[tuple[str, str], Operation]]:
    """What commands made for certain, and what they tried to make: a command that was killed may have made it or not."""
    made, tried = {}, {}
    for operation in history.of_kind("add", "edit", "say"):
        if operation.client != client or operation.list_id != list_id:
            continue
        what = operation.what
        marks = [("add", text) for text in what["texts"]] if operation.kind == "add" else \
            [("edit", what["note"])] if operation.kind == "edit" else [("message", what["text"])]
        for mark in marks:
            tried[mark] = operation
            if operation.phase == "ok":
                made[mark] = operation
    return made, tried
