"""Histories made by hand: a story is told line by line, as the clients' recorders would have written it."""

from typing import Any

from checker.history import History, content_hash
from checker.journal import ListFold

LIST = "00000000-0000-7000-8000-00000000000a"
_ACCOUNTS = "00000000-0000-7000-8000-0000000a{:04d}"
_DEVICES = "00000000-0000-7000-8000-0000000d{:04d}"


def entry_id(name: str) -> str:
    return f"00000000-0000-7000-8000-{name.encode().hex():0>12}"


class Story:
    """One list and some clients. Without a fault in between, it is a good history."""

    def __init__(self, is_compressed: bool = False) -> None:
        self.lines: dict[str, list[dict[str, Any]]] = {"host": []}
        self.clients: list[str] = []
        self.rows: list[list[Any]] = []
        self.sent: dict[str, dict[str, Any]] = {}
        self.now, self.ops = 0.0, 0
        self.note("host", "list", list=LIST, compressed=is_compressed)
        for name in ("plain-1", "plain-2", "real-1"):
            self.clients.append(name)
            self.note("host", "client", client=name, account=self.account(name), device=self.device(name))

    def account(self, client: str) -> str:
        return _ACCOUNTS.format(self.clients.index(client))

    def device(self, client: str) -> str:
        return _DEVICES.format(self.clients.index(client))

    def write(self, client: str, /, **line: Any) -> None:
        self.now += 1
        self.lines.setdefault(client, []).append({"t": self.now, **line})

    def note(self, client: str, kind: str, /, **what: Any) -> None:
        self.write(client, kind=kind, phase="note", **what)

    def invoke(self, client: str, kind: str, /, **what: Any) -> int:
        self.ops += 1
        self.write(client, op=self.ops, kind=kind, phase="invoke", **what)
        return self.ops

    def do(self, client: str, kind: str, answer: dict[str, Any], /, **what: Any) -> None:
        self.write(client, op=self.invoke(client, kind, **what), phase="ok", **answer)

    # What devices do

    def made(self, name: str, number: int = 0, **more: Any) -> dict[str, Any]:
        """An entry that adds an item of this name at the top."""
        return {"id": entry_id(name), "operation": "add", "item": entry_id("i" + name), "after": None,
                "fields": {"text": name}, "deviceSequence": number or len(self.sent) + 1, **more}

    def send(self, client: str, *entries: dict[str, Any], atomic: bool = False) -> int:
        """The invocation of an upload."""
        for entry in entries:
            self.sent[entry["id"]] = entry
        return self.invoke(client, "upload", list=LIST, atomic=atomic, entries=list(entries))

    def accept(self, client: str, *entries: dict[str, Any]) -> None:
        """The service appends entries, whatever it answers."""
        for entry in entries:
            sequence = len(self.rows) + 1
            self.rows.append([sequence, "entry", {
                "cause": "edit", **entry, "sequence": sequence, "author": self.account(client), "device": self.device(client),
                "madeAt": _time(sequence), "receivedAt": _time(sequence)}])

    def answer(self, client: str, op: int, *verdicts: list[Any]) -> None:
        self.write(client, op=op, phase="ok", results=list(verdicts))

    def verdict(self, name: str, sequence: int, status: str = "applied") -> list[Any]:
        return [entry_id(name), status, sequence, _time(sequence), _time(sequence), None]

    def upload(self, client: str, *names: str, atomic: bool = False) -> None:
        """Entries that add items, applied and answered."""
        entries = [self.made(name, len(self.sent) + index) for index, name in enumerate(names, 1)]
        op, first = self.send(client, *entries, atomic=atomic), len(self.rows) + 1
        self.accept(client, *entries)
        self.answer(client, op, *(self.verdict(name, first + index) for index, name in enumerate(names)))

    def fetch(
        self, client: str, *sequences: int, since: bool = False, snapshot: bool | None = None, more: bool = False,
        digest: str | None = None,
    ) -> None:
        self.serve(client, [self.change(sequence) for sequence in sequences], since, snapshot, more, digest)

    def change(self, sequence: int) -> list[Any]:
        row = self.rows[sequence - 1]
        return [row[0], "entry", row[2]["id"], row[2].get("after"), content_hash(row[2])] if row[1] == "entry" else [row[0], "share"]

    def serve(
        self, client: str, changes: list[list[Any]], since: bool = False, snapshot: bool | None = None, more: bool = False,
        digest: str | None = None,
    ) -> None:
        is_snapshot = not since if snapshot is None else snapshot
        pages = [{"list": LIST, "snapshot": is_snapshot, "more": more, "digest": digest, "changes": changes}] \
            if changes or is_snapshot or digest else []
        self.do(client, "changes", {"more": more, "expired": [], "gone": [], "pages": pages},
                since=[LIST] if since else [], lists=[LIST])

    # The end

    def fold(self, through: int | None = None) -> ListFold:
        fold = ListFold()
        for sequence, kind, content in self.rows:
            if kind == "entry" and (through is None or sequence <= through):
                fold.fold(content, sequence, content.get("after"))
        return fold

    def end(self, seconds: float | None = 1.0, waiting: dict[str, int] | None = None, digest: str | None = None) -> History:
        """The host reads everything."""
        self.note("host", "emptied", seconds=seconds, waiting=waiting or {})
        self.note("host", "activity", list=LIST, rows=self.rows)
        self.note("host", "live", list=LIST, changes=[self.change(row[0]) for row in self.rows if row[0] <= len(self.rows)])
        self.note("host", "state", list=LIST, sequence=len(self.rows), digest=digest or self.fold().digest())
        history = History()
        for client, lines in sorted(self.lines.items()):
            history.add(client, iter([dict(line) for line in lines]))
        return history


def _time(second: int) -> str:
    return f"2026-01-01T00:{second // 60:02d}:{second % 60:02d}.000Z"
