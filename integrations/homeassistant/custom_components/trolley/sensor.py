"""Sensors of a list: what is to buy, who has it open, and what waits to be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.components.sensor import SensorEntity, SensorStateClass
from homeassistant.const import EntityCategory

from .coordinator import TrolleyCoordinator
from .entity import ListEntity, add_for_each_list

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant
    from homeassistant.helpers.entity_platform import AddEntitiesCallback

PARALLEL_UPDATES = 0
#: Home Assistant's limit for a state.
_LONGEST = 255


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry, async_add_entities: AddEntitiesCallback) -> None:
    """Make the sensors."""
    add_for_each_list(
        entry,
        async_add_entities,
        lambda coordinator, list_id: [
            ToBuySensor(coordinator, list_id),
            ShoppingNowSensor(coordinator, list_id),
            WaitingSensor(coordinator, list_id),
        ],
    )


class ToBuySensor(ListEntity, SensorEntity):
    """The number of items to buy."""

    _attr_translation_key = "to_buy"
    _attr_state_class = SensorStateClass.MEASUREMENT

    def __init__(self, coordinator: TrolleyCoordinator, list_id: str) -> None:
        super().__init__(coordinator, list_id, "to_buy")

    @property
    def native_value(self) -> int | None:
        return len(self.shown.wanted) if self.shown else None

    @property
    def extra_state_attributes(self) -> dict[str, Any]:
        """The number by aisle; '' is no aisle."""
        aisles: dict[str, int] = {}
        for item in self.shown.wanted if self.shown else []:
            aisles[item.aisle or ""] = aisles.get(item.aisle or "", 0) + 1
        return {"by_aisle": aisles}


class ShoppingNowSensor(ListEntity, SensorEntity):
    """The people who have the list open."""

    _attr_translation_key = "shopping_now"

    def __init__(self, coordinator: TrolleyCoordinator, list_id: str) -> None:
        super().__init__(coordinator, list_id, "shopping_now")

    @property
    def available(self) -> bool:
        """Without a connection nobody knows."""
        return super().available and self.coordinator.is_connected

    @property
    def native_value(self) -> str | None:
        if not self.shown:
            return None
        names = ", ".join(self.shown.present)
        if len(names) > _LONGEST:
            names = names[: _LONGEST - 1] + "…"
        return names or "nobody"

    @property
    def extra_state_attributes(self) -> dict[str, Any]:
        present = self.shown.present if self.shown else []
        return {"people": present, "count": len(present)}


class WaitingSensor(ListEntity, SensorEntity):
    """The number of changes that the service has not confirmed."""

    _attr_translation_key = "waiting"
    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_entity_registry_enabled_default = False
    _attr_state_class = SensorStateClass.MEASUREMENT

    def __init__(self, coordinator: TrolleyCoordinator, list_id: str) -> None:
        super().__init__(coordinator, list_id, "waiting")

    @property
    def native_value(self) -> int:
        return len(self.coordinator.queue.waiting(self.list_id))
