"""What Home Assistant may not do is said, and nothing is lost in silence."""

import pytest
from conftest import House, eventually
from custom_components.trolley.repairs import async_create_fix_flow
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import issue_registry as ir
from test_connection import connected


def issues(hass):
    return [each for (domain, _), each in ir.async_get(hass).issues.items() if domain == "trolley"]


def flows(hass):
    return [each["context"]["source"] for each in hass.config_entries.flow.async_progress() if each["handler"] == "trolley"]


async def test_a_token_that_is_revoked_in_mid_stream(hass, anna, connect, cable):
    """The stream ends, the lists leave, and Home Assistant asks for another token; what waits is sent with that one."""
    shop = anna.new_list("Weekly shop", "milk")
    token = anna.personal_token()
    entry = await connect(anna, cable.address, token)
    house = House(hass, entry, shop)
    await connected(house)
    cable.cut()
    await eventually(lambda: not house.coordinator.is_connected, "the connection is lost")
    await house.do("todo", "add_item", item="eggs")
    anna.revoke(token)
    cable.mend()
    await eventually(lambda: not house.is_available, "the list leaves")
    await eventually(lambda: flows(hass) == ["reauth"], "it asks for another token")
    entity = hass.data["entity_components"]["todo"].get_entity(house.entity("list"))
    with pytest.raises(HomeAssistantError) as caught:
        await entity.async_add("bread")
    assert caught.value.translation_key == "signed_out"

    [flow] = hass.config_entries.flow.async_progress()
    answer = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": anna.personal_token()["token"]})
    assert answer["reason"] == "reauth_successful"
    await eventually(lambda: anna.texts(shop) == ["milk", "eggs"], "what waited is sent")
    await eventually(lambda: house.is_available and house.texts() == ["milk", "eggs"], "the list is back")


async def test_a_token_that_is_revoked_while_the_stream_is_open(hass, anna, connect):
    """For a stream that goes on, or an integration that notices only with its next change."""
    shop = anna.new_list("Weekly shop", "milk")
    token = anna.personal_token()
    house = House(hass, await connect(anna, token=token), shop)
    await connected(house)
    anna.revoke(token)
    await eventually(lambda: not house.is_available and flows(hass) == ["reauth"], "it asks for another token")


async def test_a_list_that_is_taken_away(hass, anna, ben, connect, cable):
    """Its entities go; a change that waited for it is shown as refused, with the reason."""
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben)
    entry = await connect(ben, cable.address)
    house = House(hass, entry, shop)
    await connected(house)
    cable.cut()
    await eventually(lambda: not house.coordinator.is_connected, "the connection is lost")
    await house.do("todo", "add_item", item="eggs")
    anna.call("DELETE", f"/v1/lists/{shop}/participants/{ben.account}")
    cable.mend()
    await eventually(lambda: house.state() is None, "the list is gone")
    assert not dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    [issue] = issues(hass)
    assert issue.translation_placeholders["list"] == "Weekly shop" and issue.translation_placeholders["items"] == "eggs"
    assert anna.texts(shop) == ["milk"]
    flow = await async_create_fix_flow(hass, issue.issue_id, issue.data)
    flow.hass, flow.handler, flow.flow_id = hass, "trolley", "1"
    assert (await flow.async_step_discard())["type"] == "create_entry"
    assert not house.coordinator.queue.lists[shop].rejected

    # Anna invites Ben again: the list comes back.
    anna.share_with(shop, ben)
    await eventually(lambda: house.state() and house.texts() == ["milk"], "the list is back")


async def test_a_list_that_went_while_home_assistant_was_off(hass, anna, ben, connect):
    """For entities that stay for ever."""
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben)
    entry = await connect(ben)
    house = House(hass, entry, shop)
    assert house.state()
    await hass.config_entries.async_unload(entry.entry_id)
    anna.call("DELETE", f"/v1/lists/{shop}")
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert house.state() is None
    assert not dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)


async def test_an_id_of_another_list(hass, anna, connect):
    """For an edit, a move or a deletion that reaches another list's item, or makes one of it."""
    shop, party = anna.new_list("Weekly shop", "milk"), anna.new_list("Party", "cake")
    entry = await connect(anna)
    house, other = House(hass, entry, shop), House(hass, entry, party)
    cake = await other.uid("cake")
    entity = hass.data["entity_components"]["todo"].get_entity(house.entity("list"))
    before = anna.state(shop)["sequence"], anna.state(party)["sequence"]
    from homeassistant.components.todo import TodoItem, TodoItemStatus

    for change in [
        entity.async_move_todo_item(await house.uid("milk"), cake),
        entity.async_move_todo_item(cake, None),
        entity.async_delete_todo_items([cake]),
        entity.async_update_todo_item(TodoItem(uid=cake, summary="cake", status=TodoItemStatus.COMPLETED)),
    ]:
        with pytest.raises(ServiceValidationError) as caught:
            await change
        assert caught.value.translation_key == "no_such_item"
    assert (anna.state(shop)["sequence"], anna.state(party)["sequence"]) == before


async def test_a_token_for_one_list_shows_no_other(hass, anna, connect):
    shop, secret = anna.new_list("Weekly shop", "milk"), anna.new_list("Presents", "kite")
    entry = await connect(anna, token=anna.personal_token(lists=[shop]))
    assert House(hass, entry, shop).state() and House(hass, entry, secret).state() is None


@pytest.mark.parametrize("reason", ["participant", "token"])
async def test_a_list_that_may_only_be_read(hass, anna, ben, connect, reason):
    """Home Assistant offers no change; one that comes all the same is refused before it waits."""
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben, "readOnly" if reason == "participant" else "readWrite")
    token = ben.personal_token(readOnly=reason == "token")
    house = House(hass, await connect(ben, token=token), shop)
    assert house.state().attributes["supported_features"] == 0
    entity = hass.data["entity_components"]["todo"].get_entity(house.entity("list"))
    with pytest.raises(ServiceValidationError) as caught:
        await entity.async_add("eggs")
    assert caught.value.translation_key == "read_only"
    assert len(house.coordinator.queue) == 0


async def test_a_right_that_was_lost_meanwhile(hass, anna, ben, connect, cable):
    """The service refuses what waited: it is shown, and the queue goes on."""
    shop, own = anna.new_list("Weekly shop", "milk"), ben.new_list("Ben's", "nails")
    anna.share_with(shop, ben)
    entry = await connect(ben, cable.address)
    house, bens = House(hass, entry, shop), House(hass, entry, own)
    await connected(house)
    cable.cut()
    await eventually(lambda: not house.coordinator.is_connected, "the connection is lost")
    await house.do("todo", "add_item", item="eggs")
    await bens.do("todo", "add_item", item="screws")
    anna.call("PATCH", f"/v1/lists/{shop}/participants/{ben.account}", {"permission": "readOnly"})
    cable.mend()
    await eventually(lambda: ben.texts(own) == ["nails", "screws"], "the other list is sent")
    await eventually(lambda: house.texts() == ["milk"], "the refused item goes")
    [issue] = issues(hass)
    assert issue.translation_placeholders["items"] == "eggs"

    # Anna gives the right back, and Ben sends it again under Repairs.
    anna.call("PATCH", f"/v1/lists/{shop}/participants/{ben.account}", {"permission": "readWrite"})
    flow = await async_create_fix_flow(hass, issue.issue_id, issue.data)
    flow.hass, flow.handler, flow.flow_id = hass, "trolley", "1"
    menu = await flow.async_step_init()
    assert menu["menu_options"] == ["retry", "discard"] and menu["description_placeholders"]["list"] == "Weekly shop"
    assert (await flow.async_step_retry())["type"] == "create_entry"
    await eventually(lambda: anna.texts(shop) == ["milk", "eggs"], "it is sent again")
    assert not house.coordinator.queue.lists[shop].rejected


async def test_undo_takes_no_earlier_change_back_for_one_that_is_refused(hass, anna, ben, connect, cable, monkeypatch):
    """The latest change waits, and the service refuses it when the undo has it sent."""
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben)
    house = House(hass, await connect(ben, cable.address), shop)
    await connected(house)
    await house.do("todo", "add_item", item="bread")
    cable.cut()
    await eventually(lambda: not house.coordinator.is_connected, "the connection is lost")
    await house.do("todo", "add_item", item="eggs")
    anna.call("PATCH", f"/v1/lists/{shop}/participants/{ben.account}", {"permission": "readOnly"})
    monkeypatch.setattr("custom_components.trolley.coordinator.VERDICT_TIMEOUT", 60)
    undo = hass.async_create_task(house.undo())
    cable.mend()
    with pytest.raises(HomeAssistantError) as caught:
        await undo
    assert caught.value.translation_key == "latest_refused"
    assert anna.texts(shop) == ["milk", "bread"]


async def test_words_that_are_too_long_or_missing(hass, anna, connect):
    shop = anna.new_list("Weekly shop", "milk")
    house = House(hass, await connect(anna), shop)
    for item, key in [("x" * 5000, "too_long"), ("   ", "empty_text"), ("- ", "empty_text")]:
        with pytest.raises(ServiceValidationError) as caught:
            await house.do("todo", "add_item", item=item)
        assert caught.value.translation_key == key
    assert anna.texts(shop) == ["milk"] and len(house.coordinator.queue) == 0


async def test_an_entry_that_the_service_refuses_is_told_to_the_person(hass, anna, connect):
    """U+0000 is no text: the action fails with the service's reason, and nothing waits for ever."""
    shop = anna.new_list("Weekly shop", "milk")
    house = House(hass, await connect(anna), shop)
    await connected(house)
    with pytest.raises(HomeAssistantError) as caught:
        await house.do("todo", "add_item", item="a\0b")
    assert caught.value.translation_key == "refused"
    assert len(house.coordinator.queue) == 0 and not issues(hass)
    await house.do("todo", "add_item", item="eggs")
    assert anna.texts(shop) == ["milk", "eggs"]
