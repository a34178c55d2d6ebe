"""What happens on a list, as an event entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.components.event import EventEntity
from homeassistant.core import callback

from .coordinator import TrolleyCoordinator
from .entity import ListEntity, add_for_each_list
from .sync.events import EVENT_TYPES

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant
    from homeassistant.helpers.entity_platform import AddEntitiesCallback

PARALLEL_UPDATES = 0


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry, async_add_entities: AddEntitiesCallback) -> None:
    """Make the event entities."""
    add_for_each_list(entry, async_add_entities, lambda coordinator, list_id: [ListActivity(coordinator, list_id)])


class ListActivity(ListEntity, EventEntity):
    """Items that are added and marked off, and shopping trips that have ended."""

    _attr_translation_key = "activity"
    _attr_event_types = EVENT_TYPES

    def __init__(self, coordinator: TrolleyCoordinator, list_id: str) -> None:
        super().__init__(coordinator, list_id, "activity")

    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        self.async_on_remove(self.coordinator.events.async_listen(self.list_id, self._happened))

    @callback
    def _happened(self, kind: str, attributes: dict[str, Any]) -> None:
        self._trigger_event(kind, attributes)
        self.async_write_ha_state()
