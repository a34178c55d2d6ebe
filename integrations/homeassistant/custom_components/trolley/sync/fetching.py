"""Fetches what has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from homeassistant.helpers import device_registry as dr
from homeassistant.util import dt as dt_util

from ..const import LOGGER
from ..device.service import ServiceError
from ..device.shown import ShownList

if TYPE_CHECKING:
    from ..coordinator import TrolleyCoordinator

#: Requests at once.
_AT_ONCE = 4
#: Pages of the Activity that are read after a change, 100 changes each.
_MAX_PAGES = 5


class Fetching:
    """What is to be fetched, and fetching it."""

    def __init__(self, coordinator: TrolleyCoordinator) -> None:
        self._coordinator = coordinator
        self.wants_all = True
        #: Lists that have changed.
        self.wanted: set[str] = set()
        #: Lists whose people, or who has them open, have changed.
        self.wanted_people: set[str] = set()
        #: When presence ends on each list, by the event loop's clock. There is no hint of one's own account's.
        self._presence_ends: dict[str, float] = {}
        self._fetched_all = 0.0
        #: How often it has been run, and in which run each list's state was fetched last.
        self.runs = 0
        self.state_fetched_in: dict[str, int] = {}
        #: Whether the token may only read.
        self._is_read_only: bool | None = None

    def due(self, interval: float) -> float:
        """When to look without a hint, by the event loop's clock: after the interval, or when somebody's presence ends."""
        return min([self._fetched_all + interval, *self._presence_ends.values()])

    def want_what_is_due(self, interval: float) -> None:
        now = self._coordinator.hass.loop.time()
        over = {list_id for list_id, end in self._presence_ends.items() if end <= now}
        self.wanted_people |= over
        for list_id in over:
            del self._presence_ends[list_id]
        self.wants_all |= self._fetched_all + interval <= now

    async def run(self) -> None:
        """Fetches what is wanted. What fails is wanted again."""
        self.runs += 1
        wants_all, states, people = self.wants_all, set(self.wanted), set(self.wanted_people)
        self.wants_all = False
        self.wanted -= states
        self.wanted_people -= people
        if wants_all:
            self._fetched_all = self._coordinator.hass.loop.time()
        try:
            if wants_all:
                await self._offer_what_is_lost()
                states |= await self._lists()
                people = set(self._coordinator.base)
            await self._each(states, self._state)
            await self._each((people | states) & set(self._coordinator.base), self._people)
        except BaseException:
            self.wanted |= states
            self.wanted_people |= people
            raise

    async def _each(self, lists: set[str], fetch: Callable[[str], Awaitable[None]]) -> None:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(list_id: str) -> None:
            async with gate:
                try:
                    await fetch(list_id)
                except ServiceError as error:
                    self._refused(list_id, error)

        results = await asyncio.gather(*(one(each) for each in sorted(lists)), return_exceptions=True)
        for each in results:
            if isinstance(each, BaseException):
                raise each

    def _refused(self, list_id: str, error: ServiceError) -> None:
        """One list can't be fetched; the others go on."""
        coordinator = self._coordinator
        self._presence_ends.pop(list_id, None)
        if error.code == "listDeleted":
            coordinator.remove_list(list_id)
        elif error.code == "listNotFound":
            # Perhaps the token doesn't open it any more. Its entities are unavailable; a person may remove them.
            coordinator.base.pop(list_id, None)
        else:
            LOGGER.warning("List %s can't be fetched: %s", list_id, error)

    async def _offer_what_is_lost(self) -> None:
        """A service that was restored from a backup gets back what it had confirmed since (docs/recovery.md)."""
        coordinator = self._coordinator
        if not coordinator.queue.tokens:
            return
        try:
            expired = await coordinator.service.expired(coordinator.queue.tokens)
        except ServiceError as error:
            LOGGER.debug("The tokens can't be compared: %s", error)
            return
        for list_id in expired:
            coordinator.uploading.forget_unseen(list_id)
            coordinator.queue.offer_again(list_id)
        if expired:
            await coordinator.storage.save_queue(coordinator.queue)
            coordinator.wake()

    async def _lists(self) -> set[str]:
        """Takes the account's lists. Answers those with changes, and those that may be gone."""
        coordinator = self._coordinator
        answer = await coordinator.service.lists()
        listed = {each["id"]: each for each in answer["lists"]}
        if self._is_read_only is None and listed:
            self._is_read_only = await self._may_only_read(next(iter(listed)))
        changed: set[str] = set()
        for list_id, each in listed.items():
            known = coordinator.base.get(list_id)
            if known is None or known.sequence != each["head"] or not coordinator.events.knows(list_id):
                changed.add(list_id)
            coordinator.base[list_id] = replace(
                known or ShownList(list_id),
                can_edit=each["permission"] == "readWrite" and not self._is_read_only,
                role=each["role"],
            )
        if "unreachable" in answer:
            # Part of the service's database is away: what is not in the answer may be there.
            return changed
        devices = dr.async_entries_for_config_entry(dr.async_get(coordinator.hass), coordinator.entry.entry_id)
        known_ids = set(coordinator.base) | {each for device in devices if (each := coordinator.list_of(device))}
        return changed | (known_ids - set(listed))

    async def _may_only_read(self, list_id: str) -> bool:
        """Asks whether the token may change anything, by an upload of nothing."""
        try:
            await self._coordinator.service.upload(list_id, [], only_validate=True)
        except ServiceError as error:
            return error.code == "permissionFailure" and "token" in (error.detail or "")
        return False

    async def _state(self, list_id: str) -> None:
        coordinator = self._coordinator
        state = await coordinator.service.state(list_id)
        known = coordinator.base.get(list_id)
        if known is None:
            # It was thought to be gone, and is there.
            self.wants_all = True
            return
        since = coordinator.events.sequence(list_id)
        coordinator.base[list_id] = known.with_state(state)
        self.state_fetched_in[list_id] = self.runs
        # Shown at once; what happened, for automations, after that.
        coordinator.publish()
        if since != state["sequence"]:
            await self._activity(list_id, since, state["sequence"])

    async def _activity(self, list_id: str, since: int | None, head: int) -> None:
        coordinator = self._coordinator
        lines, before = [], None
        for _ in range(_MAX_PAGES if since is not None else 1):
            page = await coordinator.service.activity(list_id, before)
            lines += page["activity"]
            before = page.get("next")
            if not before or not lines or lines[-1]["sequence"] <= (since or 0):
                break
        coordinator.events.take(list_id, since, head, lines)

    async def _people(self, list_id: str) -> None:
        coordinator = self._coordinator
        share = await coordinator.service.share(list_id)
        people = {
            each["account"]: each.get("name") or each.get("email") or ""
            for each in share.get("share", {}).get("participants", [])
            if each.get("account") and each.get("status") == "accepted"
        }
        self._note_presence(list_id, share.get("presence") or [])
        present = [people[each["account"]] for each in share.get("presence") or [] if each["account"] in people]
        known = coordinator.base.get(list_id)
        if known:
            coordinator.base[list_id] = replace(known, people=people, present=sorted(present))



    def _note_presence(self, list_id: str, presence: list[dict[str, Any]]) -> None:
        """Looks again when the first presence ends. The clocks may differ, so within a minute in any case."""
        self._presence_ends.pop(list_id, None)
        if not presence:
            return
        ends = [dt_util.parse_datetime(each["until"], raise_on_error=True) for each in presence]
        left = (min(ends) - dt_util.utcnow()).total_seconds()
        self._presence_ends[list_id] = self._coordinator.hass.loop.time() + min(max(left, 0), 60) + 1
