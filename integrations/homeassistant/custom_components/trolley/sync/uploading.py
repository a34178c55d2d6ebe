"""Sends what waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..device.entries import PendingEntry
from ..device.queue import Rejected
from ..device.service import ServiceError, Unavailable

if TYPE_CHECKING:
    from ..coordinator import TrolleyCoordinator

#: Nothing of this list can be sent.
_LIST_CODES = {"permissionFailure", "listNotFound", "listDeleted"}
#: The entry is fine, and is sent again.
_AGAIN = {"batchRequestFailed", "internalError", "zoneBusy", "serviceUnavailable", "requestRateLimited"}


class Uploading:
    """One upload after the other, in the order in which the entries were made."""

    def __init__(self, coordinator: TrolleyCoordinator) -> None:
        self._coordinator = coordinator
        self.limits: dict[str, Any] = {}
        #: Confirmed entries of each list, with their sequences, until a fetch shows them.
        self._unseen: dict[str, list[tuple[int, PendingEntry]]] = {}

    def unseen(self, list_id: str) -> list[PendingEntry]:
        """Confirmed entries that the fetched state lacks."""
        sequence = self._coordinator.base[list_id].sequence if list_id in self._coordinator.base else 0
        rest = [each for each in self._unseen.get(list_id, []) if each[0] > sequence]
        self._unseen[list_id] = rest
        return [entry for _, entry in rest]

    def forget_unseen(self, list_id: str) -> None:
        """The sequences are another's now."""
        self._unseen.pop(list_id, None)

    async def run(self) -> None:
        for list_id in self._coordinator.queue.waiting_lists:
            await self._upload(list_id)

    async def _upload(self, list_id: str) -> None:
        queue = self._coordinator.queue
        size = self.limits.get("entriesPerRequest", 400)
        while batch := queue.waiting(list_id)[:size]:
            try:
                results, token = await self._send(list_id, batch)
            except ServiceError as error:
                if error.code in _LIST_CODES:
                    refused = queue.reject_list(list_id, error.code, error.detail or error.reason)
                    self._coordinator.fetching.wants_all = True
                elif len(batch) > 1:
                    # The batch is too large, or one entry spoils it: both halves, in order.
                    size = len(batch) // 2
                    continue
                else:
                    refused = queue.reject(list_id, {batch[0].id: (error.code, error.detail)})
                await self._keep(list_id, [], refused)
                continue
            await self._take(list_id, batch, results, token)

    async def _send(self, list_id: str, batch: list[PendingEntry]) -> tuple[list[dict[str, Any]], str | None]:
        queue = self._coordinator.queue
        queue.note_sent(batch)
        entries = [entry.upload(queue.clock) for entry in batch]
        try:
            answer = await self._coordinator.service.upload(list_id, entries)
        finally:
            queue.note_upload_ended(list_id, min(entry["age"] for entry in entries))
        results = answer.get("results")
        if not isinstance(results, list) or len(results) != len(batch):
            raise Unavailable("an answer without a verdict for each entry")
        return results, answer.get("token")

    async def _take(
        self, list_id: str, batch: list[PendingEntry], results: list[dict[str, Any]], token: str | None
    ) -> None:
        queue = self._coordinator.queue
        confirmed, codes, is_delayed = [], {}, False
        for entry, result in zip(batch, results, strict=True):
            if result.get("status") in ("applied", "duplicate"):
                confirmed.append(entry)
                if not entry.is_offered:
                    self._unseen.setdefault(list_id, []).append((result.get("sequence", 0), entry))
            elif result.get("code") in _AGAIN:
                is_delayed = True
            else:
                codes[entry.id] = (result.get("code") or "invalidArguments", result.get("detail"))
        queue.confirm(list_id, [entry.id for entry in confirmed], token)
        self._coordinator.events.note_own(entry.id for entry in confirmed)
        await self._keep(list_id, confirmed, queue.reject(list_id, codes))
        self._coordinator.fetching.wanted.add(list_id)
        if is_delayed:
            raise Unavailable("the service could not take all entries")

    async def _keep(self, list_id: str, confirmed: list[PendingEntry], refused: list[Rejected]) -> None:
        await self._coordinator.storage.save_queue(self._coordinator.queue)
        self._coordinator.note_verdicts(confirmed, refused, list_id)
