"""The upload queue: entries that the service has not confirmed, in the order in which they were made. It decides; it does no I/O.

Nothing in it expires. An entry leaves it with a verdict of the service: confirmed, or rejected, which stays in sight.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .entries import Change, Clock, PendingEntry, new_id

#: More changes than this don't wait; the next one is refused at once.
MAX_WAITING = 10_000
#: Confirmed entries of each list that a restored service is offered again, the newest, and for how many seconds.
MAX_CONFIRMED = 400
OFFER_WINDOW = 30 * 86400
#: Rejected entries of each list that are kept, the newest: as many as can be refused at once, because a person may send them again.
MAX_REJECTED = MAX_WAITING


@dataclass
class Rejected:
    """An entry that the service has refused."""

    entry: PendingEntry
    code: str
    detail: str | None = None


@dataclass
class ListQueue:
    """The queue of one list."""

    next_number: int = 1
    waiting: list[PendingEntry] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    confirmed: list[PendingEntry] = field(default_factory=list)
    #: The change token of the last upload. A service that refuses it has lost what came after an older one.
    token: str | None = None


class UploadQueue:
    """The queues of all lists of a device."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.lists: dict[str, ListQueue] = {}

    @classmethod
    def restored(cls, value: dict[str, Any] | None, clock: Clock | None = None) -> UploadQueue:
        """The queue as `stored()` has written it."""
        queue = cls(clock)
        for list_id, each in (value or {}).get("lists", {}).items():
            queue.lists[list_id] = ListQueue(
                each["next"],
                [PendingEntry.restored(entry) for entry in each["waiting"]],
                [Rejected(PendingEntry.restored(r["entry"]), r["code"], r.get("detail")) for r in each["rejected"]],
                [PendingEntry.restored(entry) for entry in each["confirmed"]],
                each["token"],
            )
        return queue

    def stored(self) -> dict[str, Any]:
        """What a restart needs."""
        return {
            "lists": {
                list_id: {
                    "next": each.next_number,
                    "waiting": [entry.stored() for entry in each.waiting],
                    "rejected": [
                        {"entry": r.entry.stored(), "code": r.code, "detail": r.detail} for r in each.rejected
                    ],
                    "confirmed": [entry.stored() for entry in each.confirmed],
                    "token": each.token,
                }
                for list_id, each in self.lists.items()
            }
        }

    def __len__(self) -> int:
        return sum(len(each.waiting) for each in self.lists.values())

    @property
    def waiting_lists(self) -> list[str]:
        """The lists with entries to send."""
        return [list_id for list_id, each in self.lists.items() if each.waiting]

    def waiting(self, list_id: str) -> list[PendingEntry]:
        each = self.lists.get(list_id)
        return each.waiting if each else []

    def rejected(self, list_id: str) -> list[Rejected]:
        each = self.lists.get(list_id)
        return each.rejected if each else []

    def add(self, list_id: str, changes: Iterable[Change]) -> list[PendingEntry]:
        """Takes one gesture: its entries get ids, numbers and a common batch, and are undone together."""
        queue = self.lists.setdefault(list_id, ListQueue())
        changes = list(changes)
        batch = new_id() if len(changes) > 1 else None
        wall, monotonic = self.clock.wall(), self.clock.monotonic()
        entries = []
        for change in changes:
            content: dict[str, Any] = {"operation": change.operation, "item": change.item}
            if change.places:
                content["after"] = change.after
            if change.fields is not None:
                content["fields"] = change.fields
            if batch:
                content["batch"] = batch
            content["deviceSequence"] = queue.next_number
            queue.next_number += 1
            entries.append(PendingEntry(new_id(), content, wall, monotonic))
        queue.waiting += entries
        return entries

    def confirm(self, list_id: str, ids: Iterable[str], token: str | None = None) -> None:
        """The service has these. They are kept for a while, in case that it loses them."""
        ids = set(ids)
        queue = self.lists[list_id]
        confirmed = [entry for entry in queue.waiting if entry.id in ids]
        queue.waiting = [entry for entry in queue.waiting if entry.id not in ids]
        oldest = self.clock.wall() - OFFER_WINDOW
        queue.confirmed = [e for e in queue.confirmed + confirmed if e.made >= oldest][-MAX_CONFIRMED:]
        queue.token = token or queue.token

    def note_undo(self, list_id: str, entries: Iterable[dict[str, Any]]) -> None:
        """The service itself has made these entries, as this device. If it loses them, it is offered them like the others."""
        queue = self.lists.setdefault(list_id, ListQueue())
        wall, monotonic = self.clock.wall(), self.clock.monotonic()
        for each in entries:
            content = {key: value for key, value in each.items() if key != "id"}
            queue.confirmed.append(PendingEntry(each["id"], content, wall, monotonic, was_sent=True))
            queue.next_number = max(queue.next_number, each["deviceSequence"] + 1)
        del queue.confirmed[:-MAX_CONFIRMED]

    @property
    def tokens(self) -> dict[str, str]:
        return {list_id: each.token for list_id, each in self.lists.items() if each.token}

    def offer_again(self, list_id: str) -> None:
        """The service was restored from an older copy. Ids make it harmless to send what it still has."""
        queue = self.lists[list_id]
        for entry in queue.confirmed:
            entry.is_offered = True
        queue.waiting = queue.confirmed + queue.waiting
        queue.confirmed, queue.token = [], None

    def reject(self, list_id: str, codes: dict[str, tuple[str, str | None]]) -> list[Rejected]:
        """The service has refused these, by id: code and detail."""
        queue = self.lists[list_id]
        refused = [Rejected(entry, *codes[entry.id]) for entry in queue.waiting if entry.id in codes]
        queue.waiting = [entry for entry in queue.waiting if entry.id not in codes]
        queue.rejected = (queue.rejected + refused)[-MAX_REJECTED:]
        return refused

    def reject_list(self, list_id: str, code: str, detail: str | None = None) -> list[Rejected]:
        """Nothing of this list can be sent any more."""
        return self.reject(list_id, {entry.id: (code, detail) for entry in self.waiting(list_id)}) if (
            list_id in self.lists
        ) else []

    def settle_refused(self, list_id: str, ids: set[str], is_sent_again: bool) -> None:
        """Takes these out of the rejected ones. What is sent again is another entry: its id and number were used."""
        queue = self.lists[list_id]
        chosen = [each.entry for each in queue.rejected if each.entry.id in ids]
        queue.rejected = [each for each in queue.rejected if each.entry.id not in ids]
        for entry in chosen if is_sent_again else []:
            content = {**entry.content, "deviceSequence": queue.next_number}
            queue.next_number += 1
            queue.waiting.append(PendingEntry(new_id(), content, entry.made, entry.made_monotonic))

    def note_sent(self, entries: list[PendingEntry]) -> None:
        for entry in entries:
            entry.was_sent = True

    def note_upload_ended(self, list_id: str, smallest_age: int) -> None:
        """What was made while an upload was under way is no older than what that upload sent.

        The service counts the time that a request took as part of the entries' age (decision 0304 of Trolley).
        """
        now, wall = self.clock.monotonic(), self.clock.wall()
        for entry in self.waiting(list_id):
            if not entry.was_sent and entry.age(self.clock) > smallest_age and entry.made_monotonic is not None:
                entry.made_monotonic = now - smallest_age / 1000
                entry.made = wall - smallest_age / 1000
