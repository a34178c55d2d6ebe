"""What helps to find a fault: ids, counts, times and codes. No words of lists, no names, no token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_TOKEN, CONF_URL

from .coordinator import TrolleyCoordinator

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: ConfigEntry) -> dict[str, Any]:
    """Describe the state of the device."""
    return {
        "entry": async_redact_data(dict(entry.data), {CONF_TOKEN, CONF_URL}),
        "device": _device(entry.runtime_data),
    }


def _device(coordinator: TrolleyCoordinator) -> dict[str, Any]:
    """What helps to find a fault, without anybody's words."""
    return {
        "connected": coordinator.is_connected,
        "stream": coordinator.hints.is_open,
        "signed_out": coordinator.is_signed_out,
        "lists": {
            list_id: {
                "sequence": shown.sequence, "digest": shown.digest, "items": len(shown.items), "wanted": len(shown.wanted),
                "can_edit": shown.can_edit, "role": shown.role, "people": len(shown.people), "present": len(shown.present),
            }
            for list_id, shown in coordinator.base.items()
        },
        "queue": {
            list_id: {
                "next_number": each.next_number,
                "confirmed": len(each.confirmed),
                "waiting": [
                    {"id": e.id, "operation": e.content["operation"], "item": e.content["item"],
                     "age": e.age(coordinator.queue.clock), "sent": e.was_sent}
                    for e in each.waiting
                ],
                "rejected": [
                    {"id": r.entry.id, "operation": r.entry.content["operation"], "code": r.code} for r in each.rejected
                ],
            }
            for list_id, each in coordinator.queue.lists.items()
        },
    }  # fmt: skip
