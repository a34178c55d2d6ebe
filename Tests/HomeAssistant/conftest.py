"""Home Assistant with the integration, and a real trolleyd."""

import asyncio
import pathlib
import sys
import time

import pytest
from homeassistant.const import CONF_TOKEN, CONF_URL, CONF_VERIFY_SSL
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "integrations/homeassistant"))
# The plug-in brings a package of this name; the integration's directory is one more part of it.
import custom_components  # noqa: E402

custom_components.__path__ = [str(ROOT / "integrations/homeassistant/custom_components"), *custom_components.__path__]

from cable import Cable  # noqa: E402
from service import Person, RunningService  # noqa: E402


@pytest.fixture(scope="session")
def service():
    running = RunningService()
    yield running
    running.end()


@pytest.fixture
def hass_storage():
    """In place of the plug-in's: Home Assistant stores in real files, so that a test can look at them."""
    return {}


@pytest.fixture(autouse=True)
def home(hass, enable_custom_integrations, socket_enabled, tmp_path):
    """Home Assistant writes to real files, and may connect to this machine."""
    hass.config.config_dir = str(tmp_path)
    return hass


@pytest.fixture
def anna(service):
    return Person(service, "Anna")


@pytest.fixture
def ben(service):
    return Person(service, "Ben")


@pytest.fixture
def cable(service):
    each = Cable(service.port)
    yield each
    each.end()


@pytest.fixture
def connect(hass):
    """Sets the integration up for a person, and takes it down afterwards."""
    entries = []

    async def set_up(person, address=None, token=None, expect=True):
        token = token or person.personal_token()
        entry = MockConfigEntry(
            domain="trolley", unique_id=person.account, title=person.name,
            data={CONF_URL: address or person.service.address, CONF_TOKEN: token["token"], CONF_VERIFY_SSL: True})
        entry.add_to_hass(hass)
        entries.append(entry)
        assert await hass.config_entries.async_setup(entry.entry_id) is expect
        await hass.async_block_till_done()
        return entry

    return set_up


async def eventually(condition, what, seconds=60):
    """Waits for a condition, and answers its value. Only a fault reaches the limit, also on a busy machine."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"never within {seconds} s: {what() if callable(what) else what}"
        await asyncio.sleep(0.005)
    return value


class House:
    """What a person sees of one list in Home Assistant."""

    def __init__(self, hass, entry, list_id):
        self.hass, self.entry, self.list_id = hass, entry, list_id

    def entity(self, key):
        domain = {"list": "todo", "activity": "event"}.get(key, "sensor")
        return er.async_get(self.hass).async_get_entity_id(domain, "trolley", f"{self.entry.unique_id}_{self.list_id}_{key}")

    def state(self, key="list"):
        entity = self.entity(key)
        return self.hass.states.get(entity) if entity else None

    @property
    def is_available(self):
        return bool(state := self.state()) and state.state != "unavailable"

    def texts(self):
        return [each["item"] for each in self.state().attributes["items"]]

    async def items(self, completed=True):
        answer = await self.hass.services.async_call(
            "trolley", "get_items", {"entity_id": self.entity("list"), "completed": completed}, blocking=True, return_response=True)
        return answer[self.entity("list")]["items"]

    async def uid(self, text):
        return next(each["uid"] for each in await self.items() if each["item"] == text)

    async def do(self, domain, action, **data):
        await self.hass.services.async_call(domain, action, {"entity_id": self.entity("list"), **data}, blocking=True)

    async def undo(self):
        """Takes the latest change back. Answers what became of which item."""
        answer = await self.hass.services.async_call(
            "trolley", "undo", {"entity_id": self.entity("list")}, blocking=True, return_response=True)
        return [(each["item"], each["change"]) for each in answer[self.entity("list")]["changes"]]

    async def move(self, text, after):
        """As the dashboard does, by the entity."""
        entity = self.hass.data["entity_components"]["todo"].get_entity(self.entity("list"))
        await entity.async_move_todo_item(await self.uid(text), await self.uid(after) if after else None)

    @property
    def coordinator(self):
        return self.entry.runtime_data
