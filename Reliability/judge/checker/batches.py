"""Uploads with `atomic`: all entries or none, one behind the other, and never seen in part."""

from collections.abc import Iterator

from checker.entries import Uploads
from checker.history import History, Line, Operation, Violation
from checker.streams import Streams

_ALL = "`atomic`: apply all entries or none"
_TOGETHER = "every operation that takes a sequence holds the row's lock until it has committed"
_SEEN = "heads and changes come from one snapshot of the database; an upload is one transaction"


def atomic(history: History) -> Iterator[Violation]:
    uploads, streams = Uploads(history), Streams(history)
    for list_id, entries, operation in _batches(history, uploads):
        record = history.lists[list_id]
        activity = record.entries()
        present = [each for each in entries if each in activity]
        lines = tuple(operation.lines)
        if present and len(present) < len(entries):
            yield Violation("atomic", _ALL, f"{len(present)} of {len(entries)} entries are in the Activity", tuple(entries), lines)
        elif present and not record.is_compressed:
            places = [activity[each].sequence for each in entries]
            if places != list(range(places[0], places[0] + len(places))):
                yield Violation("atomic", _TOGETHER, f"the entries of one batch are at {places}", tuple(entries), lines)
            yield from _seen_in_part(places, entries, lines, list_id, streams)


def _batches(history: History, uploads: Uploads) -> Iterator[tuple[str, list[str], Operation]]:
    """Each set of entries that was sent as one batch, once. What a rejection left of one is another batch, sent again."""
    known: set[tuple[str, ...]] = set()
    for operation in history.of_kind("upload"):
        entries = tuple(entry["id"] for entry in operation.what["entries"])
        if not operation.what["atomic"] or entries in known:
            continue
        known.add(entries)
        verdicts = [verdict for attempt in uploads.attempts[operation.list_id, entries[0]]
                    if tuple(each["id"] for each in attempt.what["entries"]) == entries for verdict in attempt.verdicts]
        # A refused batch's entries are nowhere, or they were sent again without the others: that is a batch of its own.
        if not any(verdict.status == "rejected" for verdict in verdicts) or any(verdict.is_confirmed for verdict in verdicts):
            yield operation.list_id, list(entries), operation


def _seen_in_part(
    places: list[int], entries: list[str], lines: tuple[Line, ...], list_id: str, streams: Streams,
) -> Iterator[Violation]:
    """Where no more is coming, the answer has passed the whole batch or nothing of it."""
    for (client, of_list), stream in streams.streams.items():
        if of_list != list_id:
            continue
        for page in stream.pages:
            if page.ends and page.changes and places[0] <= page.changes[-1][0] < places[-1]:
                yield Violation("atomic", _SEEN, f"{client} was served a batch in part, and that no more was coming",
                                tuple(entries), (*lines, page.line))
