"""What the entities of a list have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from homeassistant.core import callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import Entity

from .const import DOMAIN
from .coordinator import TrolleyCoordinator
from .device.shown import ShownList

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.helpers.entity_platform import AddEntitiesCallback


class ListEntity(Entity):
    """An entity of one list. The list is a device of the registry, with its name."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, coordinator: TrolleyCoordinator, list_id: str, key: str) -> None:
        self.coordinator = coordinator
        self.list_id = list_id
        list_key = f"{coordinator.entry.unique_id}_{list_id}"
        self._attr_unique_id = f"{list_key}_{key}"
        self._device_key = (DOMAIN, list_key)
        self._attr_device_info = DeviceInfo(
            identifiers={self._device_key},
            entry_type=DeviceEntryType.SERVICE,
            manufacturer="Trolley",
            model="Shopping list",
            name=self._name,
            configuration_url=coordinator.entry.data["url"],
        )

    @property
    def shown(self) -> ShownList | None:
        """The list; None if it isn't the account's any more."""
        return self.coordinator.lists.get(self.list_id)

    @property
    def _name(self) -> str:
        shown = self.shown
        return (shown.name if shown else None) or "Trolley"

    @property
    def available(self) -> bool:
        """A list stays available without a connection: what is changed then waits, and is sent later."""
        return self.shown is not None and not self.coordinator.is_signed_out

    async def async_added_to_hass(self) -> None:
        self.async_on_remove(self.coordinator.async_listen(self._changed))

    @callback
    def _changed(self) -> None:
        if self.shown:
            registry = dr.async_get(self.hass)
            device = registry.async_get_device(identifiers={self._device_key})
            if device and device.name != self._name:
                registry.async_update_device(device.id, name=self._name)
        self.async_write_ha_state()


@callback
def add_for_each_list(
    entry: ConfigEntry,
    async_add_entities: AddEntitiesCallback,
    entities: Callable[[TrolleyCoordinator, str], list[Entity]],
) -> None:
    """Adds the entities of each list, also of lists that come later."""
    coordinator: TrolleyCoordinator = entry.runtime_data
    added: set[str] = set()

    @callback
    def add() -> None:
        # A list that was removed and comes back needs new entities.
        added.difference_update(coordinator.removed)
        new = [list_id for list_id in coordinator.lists if list_id not in added]
        added.update(new)
        if new:
            async_add_entities([each for list_id in new for each in entities(coordinator, list_id)])

    add()
    entry.async_on_unload(coordinator.async_listen(add))

