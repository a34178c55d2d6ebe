"""The actions: `trolley.add_item`, `trolley.tidy_up`, `trolley.undo`, `trolley.get_items`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import homeassistant.helpers.config_validation as cv
import voluptuous as vol
from homeassistant.components.todo.const import DOMAIN as TODO_DOMAIN
from homeassistant.core import ServiceCall, ServiceResponse, SupportsResponse, callback
from homeassistant.helpers import entity_platform, service

from .const import DOMAIN

if TYPE_CHECKING:
    from homeassistant.core import HomeAssistant


_TEXT = vol.All(cv.string, vol.Length(min=1))


async def _add_item(entity: Any, call: ServiceCall) -> None:
    await entity.async_add(
        call.data["item"], quantity=call.data.get("quantity"), aisle=call.data.get("aisle"), note=call.data.get("note")
    )


async def _tidy_up(entity: Any, call: ServiceCall) -> None:
    await entity.async_tidy_up()


async def _undo(entity: Any, call: ServiceCall) -> ServiceResponse:
    response: ServiceResponse = await entity.async_undo()
    return response


async def _get_items(entity: Any, call: ServiceCall) -> ServiceResponse:
    return {"items": entity.described_items(call.data["completed"])}


_SERVICES: dict[str, tuple[dict[Any, Any], Any, SupportsResponse]] = {
    "add_item": (
        {
            vol.Required("item"): _TEXT,
            vol.Optional("quantity"): cv.string,
            vol.Optional("aisle"): cv.string,
            vol.Optional("note"): cv.string,
        },
        _add_item,
        SupportsResponse.NONE,
    ),
    "tidy_up": ({}, _tidy_up, SupportsResponse.NONE),
    "undo": ({}, _undo, SupportsResponse.OPTIONAL),
    "get_items": ({vol.Optional("completed", default=False): cv.boolean}, _get_items, SupportsResponse.ONLY),
}
#: Since Home Assistant 2025.10, actions of entities exist without an entry.
_register_early = getattr(service, "async_register_platform_entity_service", None)


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Make the actions, where this release of Home Assistant can do so before there is a list."""
    if _register_early is None:
        return
    for name, (schema, action, response) in _SERVICES.items():
        _register_early(
            hass, DOMAIN, name, entity_domain=TODO_DOMAIN, schema=schema, func=action, supports_response=response
        )


@callback
def register_entity_services() -> None:
    """Make the actions with the first list, in earlier releases of Home Assistant."""
    if _register_early is not None:
        return
    platform = entity_platform.async_get_current_platform()
    for name, (schema, action, response) in _SERVICES.items():
        platform.async_register_entity_service(name, schema, action, supports_response=response)
