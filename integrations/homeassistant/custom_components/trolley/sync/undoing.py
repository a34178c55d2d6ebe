"""Takes back what was changed here. The service plans it, because it knows what others have changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from ..const import DOMAIN
from ..device.service import NotSignedIn, NotTrolley, NotUndone, ServiceError, Unavailable
from ..device.shown import ShownList

if TYPE_CHECKING:
    from ..coordinator import TrolleyCoordinator

#: What an entry of an undo does to its item.
_KINDS = {"delete": "removed", "markOff": "completed", "unmark": "reopened", "move": "moved", "edit": "edited"}


class Undoing:
    """Undo reaches the changes of this device's token alone, the latest first."""

    def __init__(self, coordinator: TrolleyCoordinator) -> None:
        self._coordinator = coordinator

    async def run(self, list_id: str) -> dict[str, Any]:
        """Takes back the latest gesture on a list, after what waits. Answers what became of which item, and what stays.

        Raises an error that says why nothing was taken back, or that it isn't known.
        """
        coordinator = self._coordinator
        await self._send_what_waits(list_id)
        before = coordinator.lists.get(list_id)
        answer = await self._ask(list_id)
        entries, skipped = answer.get("entries") or [], answer.get("skipped") or []
        if not entries:
            if not skipped:
                raise ServiceValidationError(translation_domain=DOMAIN, translation_key="nothing_to_undo")
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="all_changed_since",
                translation_placeholders={"parts": ", ".join(each["what"] for each in skipped[:10])},
            )
        coordinator.queue.note_undo(list_id, entries)
        coordinator.events.note_own(each["id"] for each in entries)
        await coordinator.storage.save_queue(coordinator.queue)
        fetching = coordinator.fetching
        fetching.wanted.add(list_id)
        # One that is under way may have read the list before.
        next_run = fetching.runs + 1
        coordinator.wake()
        # The next action finds the list as it is now. If the fetch fails, the loop tries again.
        await coordinator.async_until(lambda: fetching.state_fetched_in.get(list_id, 0) >= next_run)
        return {
            "changes": [self._described(list_id, before, each) for each in entries],
            "kept": [{"what": each["what"], "by": each.get("author")} for each in skipped],
        }

    async def _send_what_waits(self, list_id: str) -> None:
        """What waits is later than anything that the service knows, so it comes first."""
        coordinator = self._coordinator
        waiting = {entry.id for entry in coordinator.queue.waiting(list_id)}
        if not waiting:
            return
        coordinator.try_now()
        if not await coordinator.async_until(lambda: not coordinator.queue.waiting(list_id)):
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="undo_waits")
        if any(each.entry.id in waiting for each in coordinator.queue.rejected(list_id)):
            # It isn't on the list, and an undo would take back an earlier change.
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="latest_refused")

    async def _ask(self, list_id: str) -> dict[str, Any]:
        coordinator = self._coordinator
        try:
            return await coordinator.service.undo(list_id)
        except NotSignedIn as error:
            # The loop meets the same answer, and asks for a new token.
            coordinator.fetching.wants_all = True
            coordinator.wake()
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="signed_out") from error
        except Unavailable as error:
            raise HomeAssistantError(
                translation_domain=DOMAIN,
                translation_key="undo_in_doubt",
                translation_placeholders={"error": str(error)},
            ) from error
        except (NotUndone, NotTrolley, ServiceError) as error:
            raise HomeAssistantError(
                translation_domain=DOMAIN, translation_key="not_undone", translation_placeholders={"reason": str(error)}
            ) from error

    def _described(self, list_id: str, before: ShownList | None, entry: dict[str, Any]) -> dict[str, Any]:
        now, uid = self._coordinator.lists.get(list_id), entry.get("item") or ""
        old, new = (shown.item(uid) if shown else None for shown in (before, now))
        kind = _KINDS.get(entry["operation"], entry["operation"])
        item = new or old
        return {
            "uid": uid,
            "item": item.text if item else None,
            # An edit of a deleted item brings it back.
            "change": "restored" if kind == "edited" and old is None else kind,
        }
