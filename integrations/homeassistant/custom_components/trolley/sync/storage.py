"""What a restart needs: the upload queue, and the lists as they were last known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.helpers.storage import Store

from ..const import DOMAIN
from ..device.queue import UploadQueue
from ..device.shown import ShownList

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant

_VERSION = 1
#: The lists can be fetched again, so they are written seldom.
_LISTS_DELAY = 30


class DeviceStorage:
    """The files of one entry. They have the words of lists, so only Home Assistant's user may read them."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry) -> None:
        name = f"{DOMAIN}.{entry.entry_id}"
        self._queue: Store[dict[str, Any]] = Store(hass, _VERSION, f"{name}.queue", private=True, atomic_writes=True)
        self._lists: Store[dict[str, Any]] = Store(hass, _VERSION, f"{name}.lists", private=True, atomic_writes=True)

    async def queue(self) -> UploadQueue:
        return UploadQueue.restored(await self._queue.async_load())

    async def lists(self) -> dict[str, ShownList]:
        stored = await self._lists.async_load() or {}
        return {list_id: ShownList.restored(list_id, value) for list_id, value in stored.items()}

    async def save_queue(self, queue: UploadQueue) -> None:
        """Writes at once: only then is a change safe."""
        await self._queue.async_save(queue.stored())

    def save_lists_soon(self, lists: dict[str, ShownList]) -> None:
        self._lists.async_delay_save(lambda: {list_id: shown.stored() for list_id, shown in lists.items()}, _LISTS_DELAY)

    async def save_lists(self, lists: dict[str, ShownList]) -> None:
        await self._lists.async_save({list_id: shown.stored() for list_id, shown in lists.items()})

    async def forget_lists(self) -> None:
        await self._lists.async_remove()

    async def forget(self) -> None:
        await self._lists.async_remove()
        await self._queue.async_remove()
