"""Asks for the service's address and a personal token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import voluptuous as vol
from homeassistant.config_entries import ConfigEntry, ConfigFlow
from homeassistant.const import CONF_TOKEN, CONF_URL, CONF_VERIFY_SSL
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.selector import BooleanSelector, TextSelector, TextSelectorConfig, TextSelectorType
from yarl import URL

from .const import DOMAIN, LOGGER
from .device.service import NotSignedIn, NotTrolley, Service, ServiceError, Unavailable

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigFlowResult

_TOKEN = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))
_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_URL): TextSelector(TextSelectorConfig(type=TextSelectorType.URL)),
        vol.Required(CONF_TOKEN): _TOKEN,
        vol.Required(CONF_VERIFY_SSL, default=True): BooleanSelector(),
    }
)
_TOKEN_SCHEMA = vol.Schema({vol.Required(CONF_TOKEN): _TOKEN})


def normalized(address: str) -> str | None:
    """The service's address: `https` unless it says otherwise, and without what stands behind it. None: it is no address."""
    address = address.strip()
    try:
        url = URL(address if "://" in address else f"https://{address}")
    except ValueError:
        return None
    if url.scheme not in ("http", "https") or not url.host:
        return None
    return str(url.with_query(None).with_fragment(None).with_user(None).with_password(None)).rstrip("/")


class TrolleyConfigFlow(ConfigFlow, domain=DOMAIN):
    """Makes an entry for an account, and asks again when its token isn't valid any more."""

    VERSION = 1

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for address and token."""
        errors: dict[str, str] = {}
        if user_input is not None:
            data, account, errors = await self._check(user_input)
            if account:
                await self.async_set_unique_id(account["id"])
                self._abort_if_unique_id_configured()
                return self.async_create_entry(title=f"{account['name']} ({URL(data[CONF_URL]).host})", data=data)
        return self.async_show_form(
            step_id="user", data_schema=self.add_suggested_values_to_schema(_SCHEMA, user_input or {}), errors=errors
        )

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """The token isn't valid any more."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for another token of the same account."""
        entry = self._entry
        errors: dict[str, str] = {}
        if user_input is not None:
            data, account, errors = await self._check({**entry.data, **user_input})
            if account:
                return await self._update(entry, account, data, "reauth_successful")
        return self.async_show_form(
            step_id="reauth_confirm",
            data_schema=_TOKEN_SCHEMA,
            errors=errors,
            description_placeholders={"account": entry.title},
        )

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for another address or token of the same account."""
        entry = self._entry
        errors: dict[str, str] = {}
        if user_input is not None:
            data, account, errors = await self._check(user_input)
            if account:
                return await self._update(entry, account, data, "reconfigure_successful")
        suggested = {key: value for key, value in entry.data.items() if key != CONF_TOKEN}
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(_SCHEMA, user_input or suggested),
            errors=errors,
        )

    @property
    def _entry(self) -> ConfigEntry:
        entry = self.hass.config_entries.async_get_entry(self.context["entry_id"])
        assert entry
        return entry

    async def _update(
        self, entry: ConfigEntry, account: dict[str, Any], data: dict[str, Any], reason: str
    ) -> ConfigFlowResult:
        """Take the new token, unless it is another person's: what waits is this account's."""
        if account["id"] != entry.unique_id:
            return self.async_abort(reason="wrong_account", description_placeholders={"account": entry.title})
        self.hass.config_entries.async_update_entry(entry, data=data)
        self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return self.async_abort(reason=reason)

    async def _check(
        self, user_input: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any] | None, dict[str, str]]:
        """Ask the service. Answers the entry's data, the account, and the errors by field."""
        address = normalized(user_input[CONF_URL])
        if not address:
            return {}, None, {CONF_URL: "invalid_url"}
        data = {
            CONF_URL: address,
            CONF_TOKEN: user_input[CONF_TOKEN].strip(),
            CONF_VERIFY_SSL: user_input[CONF_VERIFY_SSL],
        }
        session = async_get_clientsession(self.hass, verify_ssl=data[CONF_VERIFY_SSL])
        service = Service(session, address, data[CONF_TOKEN])
        try:
            await service.config()
            return data, await service.account(), {}
        except NotSignedIn:
            return data, None, {CONF_TOKEN: "invalid_auth"}
        except NotTrolley:
            return data, None, {CONF_URL: "not_trolley"}
        except (Unavailable, ServiceError) as error:
            LOGGER.debug("No connection: %s", error)
            return data, None, {"base": "cannot_connect"}
        except Exception:
            LOGGER.exception("Unexpected answer")
            return data, None, {"base": "unknown"}
