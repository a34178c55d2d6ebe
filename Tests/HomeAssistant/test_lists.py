"""A list in Home Assistant is a device like the others."""

from conftest import House, eventually


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
