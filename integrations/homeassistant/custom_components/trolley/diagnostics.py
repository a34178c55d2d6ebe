"""What helps to find a fault: ids, counts, times and codes. No words of lists, no names, no token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_TOKEN, CONF_URL

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: ConfigEntry) -> dict[str, Any]:
    """Describe the state of the device."""
    return {
        "entry": async_redact_data(dict(entry.data), {CONF_TOKEN, CONF_URL}),
        "device": entry.runtime_data.diagnostics(),
    }
