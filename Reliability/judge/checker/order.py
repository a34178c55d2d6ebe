"""The order of a list's changes: one, without gaps, the same for everybody, and each device's own in it."""

from collections import defaultdict
from collections.abc import Iterator

from checker.entries import Uploads
from checker.history import History, Line, Violation, content_hash
from checker.streams import Streams

_GAPS = "I3: sequences have no gaps"
_ONE = "every operation that takes a sequence holds the row's lock until it has committed; there is no other order"
_SAME = "an entry never changes"
_OWN = "the device uploads in order; the verdicts are in the order of the request"
_READ = "sequences: the service gives an entry the next sequence"


def gaps(history: History) -> Iterator[Violation]:
    """Each sequence up to the list's head is somebody's. Where compression was at work, it may have removed one unseen."""
    streams = Streams(history)
    for list_id, record in history.lists.items():
        known = {row.sequence for row in record.rows} | {change[0] for change in record.live} | set(streams.seen[list_id])
        missing = sorted(set(range(1, record.head + 1)) - known)
        if missing and not record.is_compressed:
            yield Violation("gaps", _GAPS, f"nothing at {missing[:10]} of {record.head}", lines=tuple(record.lines))


def contradictions(history: History) -> Iterator[Violation]:
    """At one sequence everybody has read the same, and the Activity has it there."""
    streams = Streams(history)
    for list_id, record in history.lists.items():
        places: dict[int, set[str]] = defaultdict(set)
        lines: dict[int, list[Line]] = defaultdict(list)
        for row in record.rows:
            if row.entry:
                places[row.sequence].add(row.entry["id"])
                lines[row.sequence].append(row.line)
        for sequence, seen in streams.seen[list_id].items():
            for what, line in seen.items():
                places[sequence].add(what)
                lines[sequence].append(line)
        for sequence, entries in sorted(places.items()):
            if len(entries) > 1:
                yield Violation("contradictions", _ONE, f"different changes at {sequence}", tuple(sorted(entries)),
                                tuple(lines[sequence]))
        if not record.is_compressed:
            yield from _moved(record.entries(), streams, list_id)


def _moved(activity: dict, streams: Streams, list_id: str) -> Iterator[Violation]:
    for sequence, seen in streams.seen[list_id].items():
        for what, line in seen.items():
            if what not in activity and not what.startswith("("):
                yield Violation("contradictions", "I1 and I3: what was served stays", f"was served at {sequence}, and is not in "
                                "the Activity", (what,), (line,))
            elif what in activity and activity[what].sequence != sequence:
                yield Violation("contradictions", _ONE, f"was served at {sequence}, and the Activity has it at "
                                f"{activity[what].sequence}", (what,), (line, activity[what].line))


def served(history: History) -> Iterator[Violation]:
    """Every device was served what the Activity has. `after` may be another where compression was at work."""
    for (client, list_id), stream in Streams(history).streams.items():
        record = history.lists[list_id]
        activity = {entry: (content_hash(row.entry), row.entry.get("after")) for entry, row in record.entries().items()}
        for page in stream.pages:
            for change in page.changes:
                if change[1] != "entry" or change[2] not in activity:
                    continue
                content, after = activity[change[2]]
                if change[4] != content or change[3] != after and not record.is_compressed:
                    yield Violation("served", _SAME, f"{client} was served something else than the Activity has at {change[0]}",
                                    (change[2],), (page.line,))


def own_order(history: History) -> Iterator[Violation]:
    """A device's entries are in the journal in the order in which it made and sent them."""
    dropped = history.dropped()
    for list_id, record in history.lists.items():
        by_device: dict[str, list] = defaultdict(list)
        made = (each for each in record.rows if each.entry and (list_id, each.entry["id"]) not in dropped)
        for row in sorted(made, key=lambda each: each.sequence):
            by_device[row.entry["device"]].append(row)
        for rows in by_device.values():
            for earlier, later in zip(rows, rows[1:]):
                if earlier.entry["deviceSequence"] >= later.entry["deviceSequence"]:
                    yield Violation(
                        "own order", _OWN, f"number {earlier.entry['deviceSequence']} of a device is at {earlier.sequence}, and "
                        f"number {later.entry['deviceSequence']} at {later.sequence}",
                        (earlier.entry["id"], later.entry["id"]), (earlier.line, later.line))


def writes_follow_reads(history: History) -> Iterator[Violation]:
    """What a device writes comes after everything that it had read before it first sent it."""
    uploads, streams = Uploads(history), Streams(history)
    for key, attempts in uploads.attempts.items():
        confirmed, first = uploads.confirmed(key), attempts[0]
        if confirmed is None:
            continue
        read, line = streams.position(first.client, key[0], first.invoked)
        if confirmed[0].sequence <= read:
            yield Violation("writes follow reads", _READ, f"sent by a device that had read up to {read}, and applied at "
                            f"{confirmed[0].sequence}", (key[1],), tuple([*([line] if line else []), *first.lines, *confirmed[1].lines]))
