"""In the end all queues are empty, and the same entries show the same list everywhere."""

from collections.abc import Iterator
from typing import Any

from checker.entries import Uploads
from checker.history import History, Line, ListRecord, Violation
from checker.journal import ListFold, digest
from checker.streams import Streams

_FOLD = "I4 and I5: all devices equal; everybody folds the same entries in the same order"
_DIGEST = "the digest covers the name, the colour and the wanted items; compression leaves it as it is"
_QUEUES = "I5: once the network works again, all queues become empty within seconds"
_VERDICT = "I8: a person's own unsent change never vanishes without a verdict that they can see"


class ActivityFold:
    """The digests of a list's Activity after each of some sequences."""

    def __init__(self, record: ListRecord, wanted: set[int]) -> None:
        self.digests: dict[int, str] = {}
        fold, rows = ListFold(), sorted((row for row in record.rows if row.entry), key=lambda row: row.sequence)
        for sequence in sorted(wanted):
            while rows and rows[0].sequence <= sequence:
                row = rows.pop(0)
                fold.fold(row.entry, row.sequence, row.entry.get("after"))
            self.digests[sequence] = fold.digest()


def service_folds(history: History) -> Iterator[Violation]:
    """Each state that the service showed is the fold of the Activity up to its sequence."""
    for list_id, record in history.lists.items():
        shown: list[tuple[int, str, tuple[Line, ...]]] = [
            (each.answer["sequence"], each.answer["digest"], tuple(each.lines)) for each in history.of_kind("state")
            if each.phase == "ok" and each.list_id == list_id]
        if record.state:
            shown.append((record.state["sequence"], record.state["digest"], (record.lines[-1],)))
        folds = ActivityFold(record, {sequence for sequence, _, _ in shown}).digests
        for sequence, said, lines in shown:
            if folds[sequence] != said:
                yield Violation("convergence", _DIGEST, f"the service's digest at {sequence} is {said}, and the Activity folds to "
                                f"{folds[sequence]}", lines=lines)


def device_folds(history: History) -> Iterator[Violation]:
    """What a device was served folds to the digest that came with it, and in the end to everybody's."""
    for (client, list_id), stream in Streams(history).streams.items():
        record = history.lists[list_id]
        activity, live = record.entries(), _Live()
        for page in stream.pages:
            live.take(page)
            if page.digest and page.ends and (found := live.digest(activity)) != page.digest:
                yield Violation("convergence", _FOLD, f"{client} folds to {found} at {live.position}, and was told {page.digest}",
                                lines=tuple(page.operation.lines))
        # A device that never got to the end again after the healing has failed in `queues`.
        if record.state and live.position >= record.head and (found := live.digest(activity)) != record.state["digest"]:
            yield Violation("convergence", _FOLD, f"{client} folds to {found} in the end, and the service to "
                            f"{record.state['digest']}", lines=(stream.pages[-1].line, *record.lines[-1:]))
        if live.position < record.head and _is_settled(history):
            yield Violation("convergence", _FOLD, f"{client} has changes up to {live.position} in the end, of {record.head}",
                            lines=(stream.pages[-1].line, *record.lines[-1:]))


class _Live:
    """The live journal of a device, from what it was served."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[int, str | None]] = {}
        self.position = 0

    def take(self, page: Any) -> None:
        if not page.is_continuation:
            self.entries, self.position = {}, 0
        for change in page.changes:
            self.position = max(self.position, change[0])
            if change[1] == "entry":
                self.entries[change[2]] = (change[0], change[3])
            elif change[1] == "discard":
                for each in change[2]:
                    self.entries.pop(each, None)
                for each, after in change[3]:
                    if each in self.entries:
                        self.entries[each] = (self.entries[each][0], after)

    def digest(self, activity: dict[str, Any]) -> str:
        fold = ListFold()
        for entry, (sequence, after) in sorted(self.entries.items(), key=lambda pair: pair[1][0]):
            if entry in activity:
                fold.fold(activity[entry].entry, sequence, after)
        return fold.digest()


def real_devices(history: History) -> Iterator[Violation]:
    """What `trolley show` prints in the end is the fold of the Activity."""
    for line, _, what in history.noted("device"):
        for list_id, shown in what["shown"].items():
            record = history.lists[list_id]
            wanted = [(item["id"], item["fields"]) for item in shown["items"] if not item["markedOff"]]
            found = digest(shown["name"], shown["colour"], wanted)
            expected = ActivityFold(record, {record.head}).digests[record.head]
            if found != expected:
                yield Violation("convergence", _FOLD, f"{what['client']} shows {len(wanted)} wanted items, digest {found}, and the "
                                f"Activity folds to {expected}", lines=(line, *record.lines[-1:]))


def queues(history: History) -> Iterator[Violation]:
    for line, _, what in history.noted("emptied"):
        if what["seconds"] is None:
            yield Violation("queues", _QUEUES, f"never empty again: {what['waiting']}", lines=(line,))
    for line, _, what in history.noted("device"):
        waiting = {each["id"]: (each["upload"]["count"], each["toApply"]["count"]) for each in what["queue"]["lists"]
                   if each["upload"]["count"] or each["toApply"]["count"]}
        if waiting:
            yield Violation("queues", _QUEUES, f"{what['client']} still has {waiting}", lines=(line,))
        removed_from = {each.list_id for each in history.of_kind("remove")
                        if each.what["account"] == history.clients[what["client"]].account}
        for each in what["queue"]["rejected"]:
            if each["code"] != "listDeleted" or each["list"] not in removed_from:
                yield Violation("queues", _VERDICT, f"{what['client']} had a change refused: {each['code']}: {each['detail']}",
                                (each["entry"]["id"],), (line,))
    uploads, dropped = Uploads(history), history.dropped()
    for key, attempts in uploads.attempts.items():
        if not uploads.verdicts[key] and key not in dropped and _is_settled(history):
            yield Violation("queues", _VERDICT, "sent, and never answered with a verdict", (key[1],), tuple(attempts[-1].lines))


def _is_settled(history: History) -> bool:
    return any(what["seconds"] is not None for _, _, what in history.noted("emptied"))
