"""A list in Home Assistant is a device like the others."""

import pytest
from conftest import House, eventually
from homeassistant.exceptions import ServiceValidationError


async def test_a_list_is_shown_with_quantities_and_aisles(hass, anna, connect):
    shop = anna.new_list("Weekly shop")
    anna.add(shop, "milk", quantity="2 l", aisle="Dairy", note="organic")
    bread = anna.add(shop, "bread")
    anna.mark_off(shop, bread)
    house = House(hass, await connect(anna), shop)

    assert house.state().name == "Weekly shop"
    assert house.entity("list") == "todo.weekly_shop"
    assert house.state().state == "1"
    assert await house.items() == [
        {"uid": anna.item(shop, "milk")["id"], "item": "milk", "quantity": "2 l", "aisle": "Dairy", "note": "organic",
         "status": "needs_action"},
        {"uid": bread, "item": "bread", "quantity": None, "aisle": None, "note": None, "status": "completed"}]
    assert house.state("to_buy").state == "1" and house.state("to_buy").attributes["by_aisle"] == {"Dairy": 1}


async def test_each_change_becomes_an_entry_of_the_program(hass, anna, connect):
    shop = anna.new_list("Weekly shop", "milk", "bread")
    house = House(hass, await connect(anna), shop)
    await house.do("todo", "add_item", item="2 kg potatoes", description="for soup")
    await house.do("todo", "update_item", item="milk", rename="oat milk")
    await house.do("todo", "update_item", item="bread", status="completed")
    await house.move("potatoes", None)
    await house.do("todo", "update_item", item="bread", status="needs_action")
    await house.do("todo", "remove_item", item=["oat milk"])

    assert [(i["text"], i["markedOff"], i["fields"].get("quantity"), i["fields"].get("note")) for i in anna.state(shop)["items"]] == [
        ("potatoes", False, "2 kg", "for soup"), ("bread", False, None, None)]
    made = [(each["entry"]["operation"], each["deviceName"]) for each in reversed(anna.activity(shop)) if "deviceName" in each]
    assert made == [(operation, "Home Assistant") for operation in ["add", "edit", "markOff", "move", "unmark", "delete"]]
    assert house.texts() == ["potatoes", "bread"]


async def test_what_is_wanted_is_not_added_again(hass, anna, connect):
    """As `trolley add`: a missing field is filled in, what is marked off comes back."""
    shop = anna.new_list("Weekly shop", "milk", "bread")
    anna.mark_off(shop, anna.item(shop, "bread")["id"])
    house = House(hass, await connect(anna), shop)
    await house.do("todo", "add_item", item="Milk")
    assert anna.texts(shop) == ["milk"]
    await house.do("trolley", "add_item", item="milk", quantity="2 l", aisle="Dairy", note="organic")
    await house.do("trolley", "add_item", item="bread", quantity="2")
    assert [(i["text"], i["markedOff"], i["fields"]) for i in anna.state(shop)["items"]] == [
        ("milk", False, {"text": "milk", "quantity": "2 l", "aisle": "Dairy", "note": "organic"}),
        ("bread", False, {"text": "bread", "quantity": "2"})]
    await house.do("trolley", "add_item", item="milk", quantity="1 l")
    assert anna.texts(shop) == ["milk", "bread", "milk"]


async def test_several_lines_are_one_gesture(hass, anna, connect):
    shop = anna.new_list("Weekly shop")
    house = House(hass, await connect(anna), shop)
    await house.do("todo", "add_item", item="- 2 l milk\n- bread\n\n- milk, 2 l")
    assert anna.texts(shop) == ["milk", "bread"]
    entries = [each["entry"] for each in anna.activity(shop) if "deviceName" in each]
    assert len({entry["batch"] for entry in entries}) == 1 and len(entries) == 2
    assert sorted(entry["deviceSequence"] for entry in entries) == [1, 2]


async def test_moving_puts_an_item_where_the_person_dropped_it(hass, anna, connect):
    shop = anna.new_list("Weekly shop", "a", "b", "c", "d")
    house = House(hass, await connect(anna), shop)
    for text, after, order in [("d", "a", "adbc"), ("a", "c", "dbca"), ("c", None, "cdba"), ("b", "d", "cdba")]:
        head = anna.state(shop)["sequence"]
        await house.move(text, after)
        await eventually(lambda: "".join(anna.texts(shop)) == order, "the order")
        assert "".join(house.texts()) == order
    # The last one stood there already.
    assert anna.state(shop)["sequence"] == head


async def test_marking_off_by_voice_keeps_the_note(hass, anna, connect):
    """Assist sends neither note nor quantity with the mark. For an update that clears what it doesn't name."""
    from homeassistant.components.todo import TodoItem, TodoItemStatus

    shop = anna.new_list("Weekly shop")
    milk = anna.add(shop, "milk", note="organic", quantity="2 l")
    house = House(hass, await connect(anna), shop)
    entity = hass.data["entity_components"]["todo"].get_entity(house.entity("list"))
    await entity.async_update_todo_item(TodoItem(uid=milk, summary="milk", status=TodoItemStatus.COMPLETED))
    [item] = anna.state(shop)["items"]
    assert item["markedOff"] and item["fields"] == {"text": "milk", "note": "organic", "quantity": "2 l"}
    # The dialog clears the note by naming it.
    await house.do("todo", "update_item", item=milk, status="needs_action")
    await house.do("todo", "update_item", item=milk, description=None)
    [item] = anna.state(shop)["items"]
    assert not item["markedOff"] and item["fields"] == {"text": "milk", "quantity": "2 l"}


async def test_tidying_up_is_one_gesture(hass, anna, connect):
    shop = anna.new_list("Weekly shop", "milk", "bread", "eggs")
    anna.mark_off(shop, *(anna.item(shop, text)["id"] for text in ["milk", "eggs"]))
    house = House(hass, await connect(anna), shop)
    await house.do("trolley", "tidy_up")
    assert [item["text"] for item in anna.state(shop)["items"]] == ["bread"]
    deleted = [each["entry"] for each in anna.activity(shop) if each.get("entry", {}).get("operation") == "delete"]
    assert len(deleted) == 2 and deleted[0]["batch"] == deleted[1]["batch"]
    await house.do("trolley", "tidy_up")
    assert [item["text"] for item in anna.state(shop)["items"]] == ["bread"]


async def test_undo_takes_back_one_action_after_the_other(hass, anna, connect):
    """For a change that only the Activity knows, and nobody's undo reaches."""
    shop = anna.new_list("Weekly shop", "milk", "bread")
    house = House(hass, await connect(anna), shop)
    before = anna.state(shop)["items"]
    await house.do("todo", "add_item", item="eggs\n6 rolls")
    await house.do("todo", "update_item", item="milk", status="completed")
    await house.do("trolley", "tidy_up")
    assert anna.texts(shop) == ["bread", "eggs", "rolls"]
    assert await house.undo() == [("milk", "restored")]
    assert len(await house.items()) == 4
    assert await house.undo() == [("milk", "reopened")]
    assert sorted(await house.undo()) == [("eggs", "removed"), ("rolls", "removed")]
    assert anna.state(shop)["items"] == before
    await eventually(lambda: house.texts() == ["milk", "bread"], house.texts)
    with pytest.raises(ServiceValidationError) as caught:
        await house.undo()
    assert caught.value.translation_key == "nothing_to_undo"
    # The next change has a number of its own, and is the next that is taken back.
    await house.do("todo", "add_item", item="salt")
    numbers = [each["entry"]["deviceSequence"] for each in anna.activity(shop) if each.get("deviceName") == "Home Assistant"]
    assert len(numbers) == len(set(numbers)) == 9
    assert await house.undo() == [("salt", "removed")]


async def test_undo_leaves_alone_what_is_not_its_own(hass, anna, ben, connect):
    """Neither what others have done, nor what they have changed since."""
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben)
    house = House(hass, await connect(anna), shop)
    await house.do("todo", "add_item", item="eggs")
    await house.do("todo", "update_item", item="milk", rename="oat milk")
    ben.add(shop, "crisps")
    ben.upload(shop, {"operation": "edit", "item": ben.item(shop, "oat milk")["id"], "fields": {"text": "soy milk"}})
    with pytest.raises(ServiceValidationError) as caught:
        await house.undo()
    assert caught.value.translation_key == "all_changed_since"
    assert "soy milk" in caught.value.translation_placeholders["parts"]
    # The person was told; the next one goes on with the change before.
    assert await house.undo() == [("eggs", "removed")]
    assert anna.texts(shop) == ["soy milk", "crisps"]


async def test_two_accounts_with_one_list(hass, anna, ben, connect):
    """Anna and Ben share a list, and both have connected this Home Assistant."""
    shop = anna.new_list("Weekly shop", "milk")
    anna.share_with(shop, ben)
    houses = [House(hass, await connect(person), shop) for person in (anna, ben)]
    assert len({house.entity("list") for house in houses}) == 2
    await houses[0].do("todo", "add_item", item="eggs")
    await eventually(lambda: houses[1].texts() == ["milk", "eggs"], "the other account's list")


async def test_a_thousand_items(hass, anna, connect):
    shop = anna.new_list("Weekly shop")
    anna.upload(shop, {"operation": "renameList", "fields": {"text": "Weekly shop"}})
    from custom_components.trolley.device.entries import new_id

    items = [new_id() for _ in range(1000)]
    for start in range(0, 1000, 400):
        anna.upload(shop, *({"operation": "add", "item": item, "after": items[start + i - 1] if start + i else None,
                             "fields": {"text": f"item {start + i}"}} for i, item in enumerate(items[start:start + 400])))
    house = House(hass, await connect(anna), shop)
    assert house.state().state == "1000"
    # The attributes are bounded; the action has all.
    assert len(house.state().attributes["items"]) == 200 and len(await house.items()) == 1000
