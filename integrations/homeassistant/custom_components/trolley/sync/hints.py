"""Listens to the service's event stream, which tells that something has changed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from homeassistant.core import callback

from ..const import LOGGER
from ..device.backoff import Backoff
from ..device.service import Hint, NotSignedIn, NotTrolley, ServiceError, Unavailable

if TYPE_CHECKING:
    from ..coordinator import TrolleyCoordinator


class HintStream:
    """Opens the stream, again and again, and says what is to be fetched."""

    def __init__(self, coordinator: TrolleyCoordinator) -> None:
        self._coordinator = coordinator
        self.is_open = False

    async def run(self) -> None:
        """Listens until the token isn't valid any more."""
        backoff = Backoff()
        while not self._coordinator.is_signed_out:
            retry_after = None
            try:
                async for hint in self._coordinator.service.hints():
                    self.is_open = True
                    backoff.reset()
                    self._coordinator.note_service_is_back()
                    self._take(hint)
            except NotSignedIn:
                # The loop that fetches meets the same answer, and asks for a new token.
                self.is_open = False
                self._coordinator.fetching.wants_all = True
                self._coordinator.wake()
                return
            except (Unavailable, NotTrolley, ServiceError) as error:
                LOGGER.debug("%s: the stream has ended (%s)", self._coordinator.entry.title, error)
                retry_after = getattr(error, "retry_after", None)
            except Exception:
                LOGGER.exception("%s: the stream has failed", self._coordinator.entry.title)
            self.is_open = False
            # It may have ended because the token is revoked, or the service is gone: the other loop finds out.
            self._coordinator.fetching.wants_all = True
            self._coordinator.wake()
            await asyncio.sleep(backoff.next(retry_after))

    @callback
    def _take(self, hint: Hint) -> None:
        if hint.name == "changed" and hint.list_id in self._coordinator.base:
            if (hint.sequence or 0) > self._coordinator.base[hint.list_id].sequence:
                self._coordinator.fetching.wanted.add(hint.list_id)
        elif hint.name == "presence" and hint.list_id in self._coordinator.base:
            self._coordinator.fetching.wanted_people.add(hint.list_id)
        elif hint.name in ("sync", "changed", "gone"):
            self._coordinator.fetching.wants_all = True
        else:
            return
        self._coordinator.wake()
