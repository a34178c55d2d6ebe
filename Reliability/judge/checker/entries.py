"""Each entry by itself: none lost, none doubled, none changed, none invented."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from checker.history import History, Operation, Row, Verdict, Violation

_LOST = "I1: every confirmed entry is in the Activity; `applied` means committed"
_ONCE = "I2: an entry id is accepted once in its list, ever"
_SAME = "an entry never changes; the Activity has entries as they were sent"
_ANSWER = "the same entry again is a duplicate and gets the first answer"
_REJECTED = "`rejected`: it is not in the journal"


class Uploads:
    """What plain devices have sent, and what they were answered."""

    def __init__(self, history: History) -> None:
        self.sent: dict[tuple[str, str], dict[str, Any]] = {}
        self.attempts: dict[tuple[str, str], list[Operation]] = defaultdict(list)
        self.verdicts: dict[tuple[str, str], list[tuple[Verdict, Operation]]] = defaultdict(list)
        for operation in history.of_kind("upload"):
            for entry in operation.what["entries"]:
                key = operation.list_id, entry["id"]
                self.sent.setdefault(key, entry)
                self.attempts[key].append(operation)
            for verdict in operation.verdicts:
                self.verdicts[operation.list_id, verdict.entry].append((verdict, operation))

    def confirmed(self, key: tuple[str, str]) -> tuple[Verdict, Operation] | None:
        """The first answer that says that the entry is in the journal."""
        return next((pair for pair in self.verdicts[key] if pair[0].is_confirmed), None)


def lost(history: History) -> Iterator[Violation]:
    uploads, found = Uploads(history), {each: record.entries() for each, record in history.lists.items()}
    for key in uploads.sent:
        confirmed = uploads.confirmed(key)
        if confirmed and key[1] not in found[key[0]]:
            yield Violation("lost", _LOST, f"{confirmed[0].status} at {confirmed[0].sequence}, and not in the Activity",
                            (key[1],), (uploads.attempts[key][0].line, *confirmed[1].lines))


def doubled(history: History) -> Iterator[Violation]:
    for list_id, record in history.lists.items():
        places: dict[str, list[Row]] = defaultdict(list)
        for row in record.rows:
            if row.entry:
                places[row.entry["id"]].append(row)
        for entry, rows in places.items():
            if len(rows) > 1:
                yield Violation("doubled", _ONCE, f"in the Activity at {[row.sequence for row in rows]}", (entry,),
                                tuple(row.line for row in rows))
    for (_, entry), verdicts in Uploads(history).verdicts.items():
        applied = [operation for verdict, operation in verdicts if verdict.status == "applied"]
        if len(applied) > 1:
            yield Violation("doubled", _ONCE, "applied by two requests", (entry,),
                            tuple(line for each in applied for line in each.lines))


def answers(history: History) -> Iterator[Violation]:
    """Every answer about an entry says the same, and what the Activity says."""
    uploads, found = Uploads(history), {each: record.entries() for each, record in history.lists.items()}
    for (list_id, entry), verdicts in uploads.verdicts.items():
        confirmed = [pair for pair in verdicts if pair[0].is_confirmed]
        said = {(verdict.sequence, verdict.made_at, verdict.received_at) for verdict, _ in confirmed}
        lines = tuple(line for _, operation in confirmed for line in operation.lines)
        if len(said) > 1:
            yield Violation("answers", _ANSWER, f"answered {sorted(said, key=str)}", (entry,), lines)
        row = found[list_id].get(entry)
        if row and confirmed:
            is_at = (row.sequence, row.entry["madeAt"], row.entry["receivedAt"])
            if is_at not in said:
                yield Violation("answers", _ANSWER, f"answered {sorted(said, key=str)}, and the Activity has {is_at}",
                                (entry,), (*lines, row.line))


def content(history: History) -> Iterator[Violation]:
    """The Activity has what was sent, by whom it was sent, and nothing else."""
    uploads = Uploads(history)
    devices = {client.device: client for client in history.clients.values()}
    for list_id, record in history.lists.items():
        for row in record.rows:
            if row.entry is None:
                continue
            key, client = (list_id, row.entry["id"]), devices.get(row.entry["device"])
            if client and client.is_real:
                continue  # Its commands are compared in `real`.
            sent = uploads.sent.get(key)
            if sent is None:
                yield Violation("content", "the Activity is what devices have sent", "nobody has sent this entry",
                                (key[1],), (row.line,))
                continue
            attempt = uploads.attempts[key][0]
            maker = history.clients[attempt.client]
            if _plain(sent) != _plain(row.entry) or (maker.device, maker.account) != (row.entry["device"], row.entry["author"]):
                yield Violation("content", _SAME, f"sent {_plain(sent)} by {maker.name}, and the Activity has "
                                f"{_plain(row.entry)} of device {row.entry['device']}", (key[1],), (attempt.line, row.line))


def rejected(history: History) -> Iterator[Violation]:
    """An entry that was rejected, and never confirmed or left unanswered, is nowhere."""
    uploads, found = Uploads(history), {each: record.entries() for each, record in history.lists.items()}
    for key, verdicts in uploads.verdicts.items():
        row = found[key[0]].get(key[1])
        if row is None or any(verdict.is_confirmed for verdict, _ in verdicts):
            continue
        if all(attempt.phase == "ok" for attempt in uploads.attempts[key]):
            yield Violation("rejected", _REJECTED, f"rejected ({verdicts[0][0].code}), and in the Activity at {row.sequence}",
                            (key[1],), (*verdicts[0][1].lines, row.line))


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """What a device says about an entry, without defaults."""
    members = ("id", "operation", "item", "after", "fields", "batch", "cause", "reverts", "deviceSequence")
    plain = {key: entry[key] for key in members if entry.get(key) not in (None, {})}
    return {"cause": "edit", **plain}
