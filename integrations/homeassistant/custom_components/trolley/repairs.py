"""What a person can do with changes that the service has refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeassistant.components.repairs import RepairsFlow
from homeassistant.config_entries import ConfigEntryState

from .coordinator import TrolleyCoordinator

if TYPE_CHECKING:
    from homeassistant.core import HomeAssistant
    from homeassistant.data_entry_flow import FlowResult


async def async_create_fix_flow(hass: HomeAssistant, issue_id: str, data: dict[str, Any] | None) -> RepairsFlow:
    """Ask what to do."""
    return RefusedChangesFlow(data or {})


class RefusedChangesFlow(RepairsFlow):
    """Sends the changes again, or forgets them."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    async def async_step_init(self, user_input: dict[str, str] | None = None) -> FlowResult:
        """Show both ways."""
        return self.async_show_menu(
            step_id="init",
            menu_options=["retry", "discard"],
            description_placeholders={key: self._data[key] for key in ("list", "count", "items", "reason")},
        )

    async def async_step_retry(self, user_input: dict[str, str] | None = None) -> FlowResult:
        """Put them into the queue again."""
        return await self._settle(is_sent_again=True)

    async def async_step_discard(self, user_input: dict[str, str] | None = None) -> FlowResult:
        """Forget them."""
        return await self._settle(is_sent_again=False)

    async def _settle(self, is_sent_again: bool) -> FlowResult:
        entry = self.hass.config_entries.async_get_entry(self._data["entry"])
        if entry is None or entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="not_loaded")
        coordinator: TrolleyCoordinator = entry.runtime_data
        await coordinator.async_settle_refused(self._data["list_id"], set(self._data["entries"].split()), is_sent_again)
        return self.async_create_entry(data={})
