"""What a device is promised about its own stream of changes: it never goes back, never skips, and has its own changes."""

from collections.abc import Iterator

from checker.entries import Uploads
from checker.history import History, ListRecord, Operation, Violation
from checker.streams import Page, Stream, Streams

_BACK = "I3: once changes up to a sequence were served, nothing new appears at or below it"
_SKIP = "sequences rise within an answer; only where compression removed entries, they skip"
_TWICE = "I2 and I4: the changes since a token, applied to the state at that token"
_SNAPSHOT = "without a token the answer is a snapshot, and only then"
_OWN = "`applied` means committed; a fetch answers all changes up to the list's head"
_FRESH = "nobody gets an outdated answer; a token stands for all changes up to here"
_TOKEN = "I6: only a token of another epoch, of another list, or older than the retained trail is refused"


class _Reader:
    """Follows one stream, and knows which live entries the device has."""

    def __init__(self, stream: Stream, record: ListRecord) -> None:
        self.stream, self.record = stream, record
        self.position, self.is_complete = 0, False
        self.has: set[str] = set()
        self.begun = 0

    def take(self, page: Page) -> Iterator[Violation]:
        if not page.is_continuation:
            if not page.is_snapshot:
                yield self._violation(_SNAPSHOT, "no snapshot, although the device sent no token", page)
            self.position, self.is_complete, self.has = 0, False, set()
            self.begun += 1
        elif page.is_snapshot and self.is_complete:
            yield self._violation(_SNAPSHOT, f"a snapshot, although the device has everything up to {self.position}", page)
        for change in page.changes:
            yield from self._take_change(change, page)
        self.is_complete = self.is_complete or page.ends

    def _take_change(self, change: list, page: Page) -> Iterator[Violation]:
        sequence, kind = change[0], change[1]
        if sequence <= self.position:
            yield self._violation(_BACK, f"{sequence} comes after {self.position}", page, change)
        elif sequence > self.position + 1 and not self.record.is_compressed:
            yield self._violation(_SKIP, f"{sequence} comes after {self.position}", page, change)
        self.position = max(self.position, sequence)
        if kind == "entry":
            if change[2] in self.has:
                yield self._violation(_TWICE, f"an entry that the device has comes again at {sequence}", page, change)
            self.has.add(change[2])
        elif kind == "discard":
            self.has -= set(change[2])

    def _violation(self, promise: str, what: str, page: Page, change: list | None = None) -> Violation:
        entries = (change[2],) if change and change[1] == "entry" else ()
        return Violation("monotonic reads", promise, f"{self.stream.client} fetched: {what}", entries, tuple(page.operation.lines))


def monotonic_reads(history: History) -> Iterator[Violation]:
    for (_, list_id), stream in Streams(history).streams.items():
        reader = _Reader(stream, history.lists[list_id])
        for page in stream.pages:
            yield from reader.take(page)


def tokens(history: History) -> Iterator[Violation]:
    """No epoch begins in a round, and the trail is longer than one. So no token is refused."""
    for operation in history.of_kind("changes"):
        expired = operation.answer.get("expired") or (operation.answer.get("code") == "changeTokenExpired")
        if expired:
            yield Violation("tokens", _TOKEN, f"{operation.client}'s token was refused", lines=tuple(operation.lines))


def read_your_writes(history: History) -> Iterator[Violation]:
    """A device that fetches after its entry was confirmed has the entry, unless compression has removed it since."""
    uploads, streams = Uploads(history), Streams(history)
    gone = _gone(history, streams)
    for (client, list_id), stream in streams.streams.items():
        own = sorted(((pair[1].ended, key[1], pair[1]) for key, attempts in uploads.attempts.items()
                      if key[0] == list_id and attempts[0].client == client and (pair := uploads.confirmed(key))),
                     key=lambda each: each[:2])
        reader, checked, begun = _Reader(stream, history.lists[list_id]), 0, 0
        for page in stream.pages:
            for _ in reader.take(page):
                pass
            if not page.ends:
                continue
            if reader.begun != begun:
                checked, begun = 0, reader.begun  # The snapshot must have all of them.
            while checked < len(own) and own[checked][0] < page.operation.invoked:
                _, entry, upload = own[checked]
                checked += 1
                if entry not in reader.has and (list_id, entry) not in gone:
                    yield Violation("read your writes", _OWN, f"{client} fetched everything, and not its own confirmed entry",
                                    (entry,), (*upload.lines, *page.operation.lines))


def outdated_reads(history: History) -> Iterator[Violation]:
    """Whoever reads after an entry was confirmed to anybody reads up to that entry at least."""
    confirmed: dict[str, list[tuple[float, int, Operation]]] = {}
    for operation in history.of_kind("upload"):
        for verdict in operation.verdicts:
            if verdict.sequence:
                confirmed.setdefault(operation.list_id, []).append((operation.ended, verdict.sequence, operation))
    for each in confirmed.values():
        each.sort(key=lambda known: known[0])
    for (client, list_id), stream in Streams(history).streams.items():
        reader, newest = _Reader(stream, history.lists[list_id]), _Newest(confirmed.get(list_id, []))
        for page in stream.pages:
            for _ in reader.take(page):
                pass
            least, upload = newest.before(page.operation.invoked)
            if page.ends and upload and reader.position < least:
                yield Violation("outdated reads", _FRESH, f"{client} fetched everything up to {reader.position}, after {least} was "
                                "confirmed", lines=(*upload.lines, *page.operation.lines))


class _Newest:
    """The highest sequence that was confirmed before a moment. The moments rise."""

    def __init__(self, confirmed: list[tuple[float, int, Operation]]) -> None:
        self.confirmed, self.next = confirmed, 0
        self.sequence = 0
        self.upload: Operation | None = None

    def before(self, moment: float) -> tuple[int, Operation | None]:
        while self.next < len(self.confirmed) and self.confirmed[self.next][0] < moment:
            _, sequence, upload = self.confirmed[self.next]
            self.next += 1
            if sequence > self.sequence:
                self.sequence, self.upload = sequence, upload
        return self.sequence, self.upload


def _gone(history: History, streams: Streams) -> set[tuple[str, str]]:
    """Entries that compression has removed at some time."""
    gone: set[tuple[str, str]] = set()
    for list_id, record in history.lists.items():
        if record.is_compressed:
            live = {change[2] for change in record.live if change[1] == "entry"}
            gone |= {(list_id, entry) for entry in record.entries() if entry not in live}
    for (_, list_id), stream in streams.streams.items():
        if history.lists[list_id].is_compressed:
            gone |= {(list_id, entry) for page in stream.pages for change in page.changes if change[1] == "discard"
                     for entry in change[2]}
    return gone


def states(history: History) -> Iterator[Violation]:
    """The folded list that a client reads is never older than what it has read or written before."""
    uploads, streams = Uploads(history), Streams(history)
    seen: dict[tuple[str, str], tuple[int, tuple]] = {}
    own: dict[tuple[str, str], list] = {}
    for key, attempts in uploads.attempts.items():
        if confirmed := uploads.confirmed(key):
            own.setdefault((attempts[0].client, key[0]), []).append(confirmed)
    for operation in history.of_kind("state"):
        if operation.phase != "ok":
            continue
        key, sequence = (operation.client, operation.list_id), operation.answer["sequence"]
        least, lines = seen.get(key, (0, ()))
        read, line = streams.position(*key, before=operation.invoked)
        if read > least:
            least, lines = read, (line,)
        for verdict, upload in own.get(key, []):
            if upload.ended < operation.invoked and verdict.sequence > least:
                least, lines = verdict.sequence, tuple(upload.lines)
        if sequence < least:
            yield Violation("monotonic reads", _BACK, f"{operation.client} reads the list up to {sequence}, and had {least} before",
                            lines=(*lines, *operation.lines))
        seen[key] = (sequence, tuple(operation.lines))
