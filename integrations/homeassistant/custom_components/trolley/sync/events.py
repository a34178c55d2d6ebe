"""What happened on each list, for automations."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from homeassistant.core import callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ..const import MAX_EVENT_AGE
from ..device.happenings import Happening, Marks, Trip, happening

if TYPE_CHECKING:
    from homeassistant.core import CALLBACK_TYPE, HomeAssistant

ITEM_ADDED = "item_added"
ITEM_COMPLETED = "item_completed"
TRIP_ENDED = "trip_ended"
EVENT_TYPES = [ITEM_ADDED, ITEM_COMPLETED, TRIP_ENDED]

type_of = {"add": ITEM_ADDED, "unmark": ITEM_ADDED, "markOff": ITEM_COMPLETED}
Listener = Callable[[str, dict[str, Any]], None]


class ListEvents:
    """Tells each list's listener what happened. Nothing from before the start is told."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._sequences: dict[str, int] = {}
        self._marks: dict[str, Marks] = {}
        self._timers: dict[str, CALLBACK_TYPE] = {}
        self._listeners: dict[str, Listener] = {}
        self._own: deque[str] = deque(maxlen=1000)

    def knows(self, list_id: str) -> bool:
        return list_id in self._sequences

    def sequence(self, list_id: str) -> int | None:
        """The changes up to here were told."""
        return self._sequences.get(list_id)

    @callback
    def async_listen(self, list_id: str, listener: Listener) -> CALLBACK_TYPE:
        self._listeners[list_id] = listener
        return lambda: self._listeners.pop(list_id, None)  # type: ignore[return-value]

    def note_own(self, entries: Iterable[str]) -> None:
        """These entries were made here."""
        self._own.extend(entries)

    @callback
    def take(self, list_id: str, since: int | None, head: int, lines: list[dict[str, Any]]) -> None:
        """Takes the Activity, newest first, up to the head. Tells what is newer than `since`; None: nothing."""
        # The Activity may be a little ahead of the state that was fetched before it.
        self._sequences[list_id] = max([head, *(line["sequence"] for line in lines[:1])])
        happenings = [each for line in reversed(lines) if (each := happening(line)) and each.sequence > (since or 0)]
        self._marks.setdefault(list_id, Marks()).note(happenings)
        self._watch_trip(list_id)
        if since is None:
            return
        now = dt_util.utcnow()
        for each in happenings:
            kind = type_of.get(each.operation)
            if kind and each.cause == "edit" and now - each.received <= MAX_EVENT_AGE:
                self._tell(list_id, kind, self._attributes(each))

    def _attributes(self, each: Happening) -> dict[str, Any]:
        return {
            "item": each.text,
            "uid": each.item,
            "quantity": each.quantity,
            "aisle": each.aisle,
            "by": each.author,
            "program": each.program,
            "from_home_assistant": each.entry_id in self._own,
        }

    def _tell(self, list_id: str, kind: str, attributes: dict[str, Any]) -> None:
        if listener := self._listeners.get(list_id):
            listener(kind, attributes)

    def _watch_trip(self, list_id: str) -> None:
        """A trip is over 45 minutes after its last mark; each mark moves that."""
        if cancel := self._timers.pop(list_id, None):
            cancel()
        trip = self._marks[list_id].latest_trip
        if not trip or not trip.is_trip or trip.over_at <= dt_util.utcnow():
            return

        @callback
        def over(_: datetime) -> None:
            self._timers.pop(list_id, None)
            self._tell(list_id, TRIP_ENDED, _described(trip))

        self._timers[list_id] = async_track_point_in_utc_time(self._hass, over, trip.over_at)

    @callback
    def forget(self, list_id: str) -> None:
        self._sequences.pop(list_id, None)
        self._marks.pop(list_id, None)
        if cancel := self._timers.pop(list_id, None):
            cancel()

    @callback
    def async_stop(self) -> None:
        for list_id in list(self._sequences):
            self.forget(list_id)


def _described(trip: Trip) -> dict[str, Any]:
    return {
        "items": trip.texts[:100],
        "count": trip.items,
        "people": trip.people,
        "started": trip.start.isoformat(),
        "ended": trip.end.isoformat(),
        "minutes": round((trip.end - trip.start).total_seconds() / 60),
    }
