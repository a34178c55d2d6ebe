"""Entries: what a device sends. Each is one immutable change of a list, with an id that is made once."""

from __future__ import annotations

import secrets
import time
import uuid
from dataclasses import dataclass, field
from typing import Any


def new_id() -> str:
    """A UUIDv7: the time in milliseconds, then random bits."""
    bits = (int(time.time() * 1000) & (1 << 48) - 1) << 80 | secrets.randbits(80)
    bits = bits & ~(0xF << 76) | 7 << 76
    return str(uuid.UUID(int=bits & ~(3 << 62) | 2 << 62))


@dataclass
class Change:
    """A change before it has a number: an operation of docs/protocol.md, on an item."""

    operation: str
    item: str
    fields: dict[str, Any] | None = None
    #: Whether the entry places its item, and below which one; None: at the top.
    places: bool = False
    after: str | None = None


@dataclass
class Clock:
    """Wall and monotonic time in seconds. The wall clock may be set; the monotonic one begins again with each run."""

    wall: Any = time.time
    monotonic: Any = time.monotonic


@dataclass
class PendingEntry:
    """An entry that the service has not confirmed."""

    id: str
    content: dict[str, Any]
    #: When it was made, by the wall clock.
    made: float
    #: The same by the monotonic clock; None for an entry of an earlier run.
    made_monotonic: float | None = field(default=None, compare=False)
    #: Whether a request has carried it.
    was_sent: bool = False
    #: Whether the service confirmed it before, and may have lost it since.
    is_offered: bool = False

    def age(self, clock: Clock) -> int:
        """Milliseconds since it was made, never negative. The monotonic clock counts where it can."""
        if self.made_monotonic is not None:
            return max(0, int((clock.monotonic() - self.made_monotonic) * 1000))
        return max(0, int((clock.wall() - self.made) * 1000))

    def upload(self, clock: Clock) -> dict[str, Any]:
        return {"id": self.id, **self.content, "age": self.age(clock)}

    def stored(self) -> dict[str, Any]:
        return {"id": self.id, "content": self.content, "made": self.made, "sent": self.was_sent, "offered": self.is_offered}

    @classmethod
    def restored(cls, value: dict[str, Any]) -> PendingEntry:
        return cls(value["id"], value["content"], value["made"], None, value["sent"], value["offered"])
