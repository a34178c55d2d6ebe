"""What automations see: events, and who is shopping."""

from datetime import timedelta

from conftest import House, eventually
from homeassistant.core import callback
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import async_fire_time_changed
from test_connection import connected


def record(hass, house):
    """The events of a list, as a state trigger sees them."""
    told = []

    @callback
    def changed(event):
        if event.data["entity_id"] == house.entity("activity") and event.data["new_state"]:
            attributes = event.data["new_state"].attributes
            if attributes.get("event_type"):
                told.append(attributes)

    hass.bus.async_listen("state_changed", changed)
    return told


async def test_items_are_told_with_their_person(hass, anna, ben, connect):
    shop = anna.new_list("Weekly shop", "bread")
    anna.share_with(shop, ben)
    house = House(hass, await connect(anna), shop)
    await connected(house)
    told = record(hass, house)
    ben.add(shop, "milk", quantity="2 l", aisle="Dairy")
    await eventually(lambda: told, "the item is told")
    await house.do("todo", "update_item", item="bread", status="completed")
    await eventually(lambda: len(told) == 2, "the mark is told")
    added, completed = told
    assert (added["event_type"], added["item"], added["quantity"], added["aisle"], added["by"], added["from_home_assistant"]) == (
        "item_added", "milk", "2 l", "Dairy", "Ben", False)
    assert (completed["event_type"], completed["item"], completed["by"], completed["program"], completed["from_home_assistant"]) == (
        "item_completed", "bread", "Anna", "Home Assistant", True)


async def test_what_happened_before_the_start_is_not_told(hass, anna, connect):
    shop = anna.new_list("Weekly shop", "milk", "bread")
    house = House(hass, await connect(anna), shop)
    await connected(house)
    assert house.state("activity").state == "unknown"


async def test_what_happened_long_ago_is_not_told_now(hass, anna, ben, connect, cable, monkeypatch):
    """The service was away for two hours. For a hundred notifications when it comes back."""
    shop = anna.new_list("Weekly shop", "bread")
    anna.share_with(shop, ben)
    house = House(hass, await connect(anna, cable.address), shop)
    await connected(house)
    told = record(hass, house)
    cable.cut()
    ben.add(shop, "milk")
    later = dt_util.utcnow() + timedelta(hours=2)
    monkeypatch.setattr("custom_components.trolley.sync.events.dt_util.utcnow", lambda: later)
    cable.mend()
    await eventually(lambda: house.texts() == ["bread", "milk"], "the item shows")
    await eventually(lambda: house.coordinator.events.sequence(shop) == anna.state(shop)["sequence"], "the Activity is read")
    assert not told


async def test_a_trip_is_told_when_it_is_over(hass, anna, ben, connect, monkeypatch):
    """45 minutes after the last mark, if three items were marked off (docs/journal.md, 'Trips')."""
    shop = anna.new_list("Weekly shop", "milk", "bread", "eggs", "salt")
    anna.share_with(shop, ben)
    house = House(hass, await connect(anna), shop)
    await connected(house)
    told = record(hass, house)
    ids = {text: anna.item(shop, text)["id"] for text in anna.texts(shop)}
    for text in ["milk", "bread"]:
        ben.mark_off(shop, ids[text])
    await eventually(lambda: len(told) == 2, "the marks are told")
    now = dt_util.utcnow()
    # Two items are no trip.
    async_fire_time_changed(hass, now + timedelta(minutes=46))
    await hass.async_block_till_done()
    assert len(told) == 2
    ben.mark_off(shop, ids["eggs"])
    ben.mark_off(shop, ids["salt"])
    await eventually(lambda: len(told) == 4, "the marks are told")
    # A mark that is taken back at once is no purchase.
    ben.upload(shop, {"operation": "unmark", "item": ids["salt"]})
    await eventually(lambda: len(told) == 5, "the unmark is told")
    async_fire_time_changed(hass, now + timedelta(minutes=44))
    await hass.async_block_till_done()
    assert len(told) == 5
    async_fire_time_changed(hass, now + timedelta(minutes=46))
    await hass.async_block_till_done()
    trip = told[-1]
    assert (trip["event_type"], trip["items"], trip["count"], trip["people"]) == (
        "trip_ended", ["milk", "bread", "eggs"], 3, ["Ben"])
    async_fire_time_changed(hass, now + timedelta(minutes=92))
    await hass.async_block_till_done()
    assert len(told) == 6


async def test_who_is_shopping_now(hass, anna, ben, connect):
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben)
    house = House(hass, await connect(anna), shop)
    await connected(house)
    assert house.state("shopping_now").state == "nobody"
    ben.call("PUT", f"/v1/lists/{shop}/presence", {})
    await eventually(lambda: house.state("shopping_now").state == "Ben", "Ben shows")
    # Anna's own phone counts, too.
    anna.call("PUT", f"/v1/lists/{shop}/presence", {"lease": 2000})
    ben.add(shop, "eggs")
    await eventually(lambda: house.state("shopping_now").attributes["people"] == ["Anna", "Ben"], "Anna shows")
    await eventually(lambda: house.state("shopping_now").state == "Ben", "Anna's lease is over")
    ben.call("PUT", f"/v1/lists/{shop}/presence", {"present": False})
    await eventually(lambda: house.state("shopping_now").state == "nobody", "Ben is gone")
