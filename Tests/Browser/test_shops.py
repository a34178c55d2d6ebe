"""Several shops: what is bought where, each shop's own order, two devices without a network, and several lists as one."""

import pytest

from app import DESKTOP, PHONE, TWICE
from test_aisles import is_whole, knowing

pytestmark = pytest.mark.without_worker

HEBREW = {**PHONE, "locale": "he-IL"}


def shops(app):
    return app.evaluate("(device, list) => device.states.get(list).shops ?? []", app.list)


def opens_shops(app):
    """In any language: the last entry of the list's menu, and the third one of its settings."""
    app.page.click(".main .tools .icon-button >> nth=-1")
    app.page.click("dialog .menu-item >> nth=-1")
    app.page.click("dialog .menu-item >> nth=2")
    app.page.wait_for_selector("dialog .shops", state="attached")
    return app


def adds_shop(app, name):
    """In the sheet of the shops."""
    app.page.fill("dialog .form input[name=name]", name)
    app.page.click("dialog .form button[type=submit]")
    app.until_(f"the shop {name}", lambda: app.page.locator("dialog .shops .text").get_by_text(name, exact=True).count() == 1)
    return app


def closes(app):
    app.page.click("dialog .sheet-head .icon-button >> nth=-1")
    app.page.wait_for_selector("dialog", state="detached")
    return app


def is_at(app, shop):
    app.page.click(".at")
    app.page.click(f"dialog .menu-item:has-text('{shop}')")
    app.until_(f"at {shop}", lambda: app.page.text_content(".at span") == shop)
    return app


def shops_together(app, other):
    """In shopping mode: shops the open list and another one as one."""
    app.page.click(".at")
    app.page.click("dialog .menu-item:has-text('Shop several lists')")
    app.page.check(f"dialog .told:has-text('{other}') input")
    app.page.click("dialog .primary")
    app.page.wait_for_selector("dialog .together .told")
    return app


def is_shopping(app, list_):
    return app.evaluate("(device, list) => device.rows.get(list).shopping", list_)


@pytest.mark.parametrize("options", [PHONE, {**DESKTOP, "color_scheme": "dark"}, HEBREW], ids=["phone", "desktop-dark", "hebrew"])
def test_in_a_shop_one_sees_what_is_bought_there_in_its_order(app, options):
    anna = app(**options).newcomer("Anna").new_list("Week").add("Milk", "Bread", "Nails")
    english = options is not HEBREW
    for item, fields in (("Milk", {"aisle": "Cold"}), ("Bread", {"aisle": "Ovens"}), ("Nails", {"aisle": "", "shop": "Hardware"})):
        anna.edit(item, **fields)
    anna.evaluate("(device, list) => device.perform(list, [{ operation: 'recolourList', fields: { aisles: 'Cold\\nOvens' } }])", anna.list)
    opens_shops(anna)
    anna.until_("the shop that an item names", lambda: anna.page.locator("dialog .shops .text").all_text_contents() == ["Hardware"])
    adds_shop(anna, "Corner")
    is_whole(anna)
    order = anna.page.locator("dialog .shops li", has_text="Corner").locator("button >> nth=0")
    order.click()
    anna.page.click("dialog .order li:has-text('Ovens') button >> nth=0")
    assert anna.page.locator("dialog .order .words").all_text_contents() == ["Ovens", "Cold"]
    is_whole(anna)
    anna.page.click("dialog .order ~ .actions .primary")
    anna.until_("its order is stored", lambda: shops(anna) == [{"name": "Corner", "aisles": ["Ovens", "Cold"]}])
    closes(anna).shop()
    anna.sees("Milk", "Bread", "Nails")
    is_at(anna, "Corner").sees("Bread", "Milk")
    anna.until_("the others are counted", lambda: anna.page.text_content("#section-elsewhere") == ("One item in other shops" if english else "פריט אחד בחנויות אחרות"))
    assert "2" in anna.page.text_content(".progress")
    is_whole(anna)
    # Where one is outlasts a reload, and a mark says so.
    anna.reload()
    anna.sees("Bread", "Milk").check("Bread").check("Milk")
    anna.until_("all is done here", lambda: anna.page.is_visible(".finish"))
    marks = anna.evaluate("""async (device, list) => {
        const { stored: { entries, pending } } = await device.store.journal(list);
        return [...entries, ...pending.map(({ entry }) => entry)].filter(({ operation }) => operation === 'markOff').map(({ fields }) => fields?.shop);
    }""", anna.list)
    assert marks == ["Corner", "Corner"]
    is_at(anna, "Hardware")
    anna.until_("the nails", lambda: "Nails" in anna.texts)


def test_two_devices_that_set_different_shops_without_a_network_lose_nothing(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Week").add("Milk").settled()
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk").settled()
    for one, shop in ((anna, "Corner"), (ben, "Market")):
        # What it needs is here.
        closes(opens_shops(knowing(one)))
        one.context.set_offline(True)
        opens_shops(one)
        adds_shop(one, shop)
        closes(one)
    for one in (anna, ben):
        one.context.set_offline(False)
    anna.until_("both have both", lambda: [shop["name"] for shop in shops(anna)] == ["Corner", "Market"] == [shop["name"] for shop in shops(ben)])
    anna.in_step_with(ben)
    # Removing one is undone by one tap, with the item that is bought there only.
    opens_shops(anna.edit("Milk", shop="Market"))
    anna.page.click("dialog .shops li:has-text('Market') [aria-label='Remove Market']")
    anna.until_("it is gone everywhere", lambda: [shop["name"] for shop in shops(ben)] == ["Corner"])
    anna.page.click("#toasts button:has-text('Undo')")
    anna.until_("it is back", lambda: [shop["name"] for shop in shops(anna)] == ["Corner", "Market"])
    assert anna.state()["items"][0]["fields"]["shop"] == "Market"
    closes(anna).menu("Activity")
    anna.until_("the Activity names it", lambda: "changed the shop “Corner”" in anna.page.text_content("dialog .activity"))


def test_a_name_with_markup_and_one_that_differs_in_case_are_the_shops_that_they_say(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Week").add("Milk")
    opens_shops(anna)
    adds_shop(anna, "<b onclick=alert(1)>Shop</b>")
    adds_shop(anna, "Corner")
    anna.page.fill("dialog .form input[name=name]", " CORNER ")
    anna.page.click("dialog .form button[type=submit]")
    anna.until_("it is taken", lambda: anna.page.input_value("dialog .form input[name=name]") == "")
    assert [shop["name"] for shop in shops(anna)] == ["<b onclick=alert(1)>Shop</b>", "Corner"]
    assert anna.page.locator("dialog b").count() == 0


def test_the_button_of_the_shop_goes_with_shopping_mode(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Week").add("Milk").edit("Milk", shop="Corner")
    is_at(anna.shop(), "Corner")
    anna.shop(False).until_("no button", lambda: not anna.page.is_visible(".at"))
    anna.shop().until_("it is back", lambda: anna.page.is_visible(".at") and anna.page.text_content(".at span") == "All shops")


def test_what_is_marked_off_in_another_shop_does_not_count_here(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Week").add("Milk", "Bread", "Nails").edit("Milk", shop="Corner").edit("Nails", shop="Hardware")
    is_at(anna.shop(), "Corner").until_("two are to get", lambda: anna.page.text_content(".progress") == "0 of 2")
    anna.evaluate("""(device, list) => device.perform(list, [
        { operation: 'markOff', item: device.states.get(list).items.find(({ text }) => text === 'Nails').id }])""", anna.list)
    assert anna.page.text_content(".progress") == "0 of 2"
    anna.check("Milk").check("Bread")
    anna.until_("all is done here", lambda: anna.page.text_content(".progress") == "2 of 2" and "All 2 done" in anna.page.text_content(".finish"))


def test_what_is_bought_elsewhere_is_found_and_shown_when_one_asks_for_it(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Week").add("Milk", "Nails", "Screws").edit("Milk", shop="Corner")
    for text in ("Nails", "Screws"):
        anna.edit(text, shop="Hardware")
    is_at(anna.shop(), "Corner").sees("Milk")
    elsewhere = lambda: anna.page.text_content("#section-elsewhere")
    assert elsewhere() == "2 items in other shops"
    anna.page.click(".tools [aria-label='Search this list']")
    anna.page.fill(".main .search", "nail")
    anna.sees("Nails").until_("how many are found", lambda: elsewhere() == "One item in other shops")
    is_whole(anna)
    anna.page.press(".main .search", "Escape")
    anna.sees("Milk").until_("all are counted", lambda: elsewhere() == "2 items in other shops")
    # It is on the list already, and this is where.
    anna.add("Nails").sees("Milk", "Nails").page.wait_for_selector(".row.new", state="detached")
    is_whole(anna)


def test_two_taps_order_a_shop_once(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Week").add("Milk", "Bread").edit("Milk", aisle="Cold").edit("Bread", aisle="Ovens")
    adds_shop(opens_shops(anna), "Corner").page.locator("dialog .shops li", has_text="Corner").locator("button >> nth=0").click()
    anna.page.click("dialog .order li:has-text('Ovens') button >> nth=0")
    performed = anna.counted("perform")
    anna.page.locator("dialog .order ~ .actions .primary").evaluate(TWICE)
    anna.until_("its order is stored", lambda: shops(anna) == [{"name": "Corner", "aisles": ["Ovens", "Cold"]}])
    anna.until_("the sheet is closed", lambda: anna.page.locator("dialog").count() == 1)
    assert performed() == 1


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_several_lists_are_shopped_as_one(app, options):
    anna = app(**options).newcomer("Anna").new_list("Home").add("Milk, 1 l", "Bread")
    home = anna.list
    if anna.page.is_visible(".back"):
        anna.page.click(".back")
    anna.new_list("Party").add("milk, 2 l", "Gin")
    anna.shop()
    anna.page.click(".at")
    anna.page.click("dialog .menu-item:has-text('Shop several lists')")
    assert anna.page.is_disabled("dialog .primary")
    anna.page.check("dialog .told:has-text('Home') input")
    is_whole(anna)
    anna.page.click("dialog .primary")
    rows = anna.page.locator("dialog .together .told")
    anna.until_("three rows", lambda: rows.count() == 3)
    milk = rows.filter(has_text="milk")
    assert milk.locator(".sub").text_content() == "Party: 2 l · Home: 1 l"
    is_whole(anna)
    milk.locator("input").click()
    anna.until_("progress", lambda: anna.page.text_content("dialog .progress") == "1 of 3")
    states = anna.evaluate("""(device, home) => [...device.states].map(([id, state]) =>
        state.items.filter(({ markedOff }) => markedOff).map(({ text }) => text)).flat()""", home)
    assert sorted(states) == ["Milk", "milk"]
    anna.page.locator("dialog .together .told", has_text="milk").locator("input").click()
    anna.until_("wanted on both again", lambda: anna.page.text_content("dialog .progress") == "0 of 3")
    closes(anna)
    # The other list is planned again, as before.
    anna.until_("as before", lambda: not anna.evaluate("(device, home) => device.rows.get(home).shopping ?? false", home))


def test_a_row_that_is_wanted_again_leaves_alone_what_was_bought_before(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Home").add("Bread").check("Bread")
    anna.until_("it was bought", lambda: anna.state()["items"][0]["markedOff"])
    home = anna.list
    shops_together(anna.new_list("Party").add("Bread").shop(), "Home")
    progress = lambda: anna.page.text_content("dialog .progress")
    anna.until_("one of both is wanted", lambda: progress() == "1 of 2")
    anna.page.click("dialog .together input:not(:checked)")
    # Both stand in one row now.
    anna.until_("it is marked off", lambda: progress() == "1 of 1")
    anna.page.click("dialog .together input:checked")
    anna.until_("wanted again", lambda: progress() == "1 of 2")
    assert anna.evaluate("(device, list) => device.states.get(list).items[0].markedOff", home)
    # What was bought before can be wanted again by itself.
    anna.page.click("dialog .together input:checked")
    anna.until_("wanted on both", lambda: progress() == "0 of 1")


def test_a_reload_does_not_forget_how_lists_were_that_are_shopped_as_one(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Home").add("Milk")
    home = anna.list
    party = anna.new_list("Party").add("Gin").shop().list
    shops_together(anna, "Home").until_("both are shopped", lambda: is_shopping(anna, home))
    anna.reload()
    closes(shops_together(anna, "Home"))
    anna.until_("Home is planned again", lambda: not is_shopping(anna, home))
    assert is_shopping(anna, party)
    kept = "async device => await device.store.kept('together') !== null"
    anna.until_("it is over", lambda: not anna.evaluate(kept))
    # Nor does somebody who is signed out elsewhere leave it behind. Without a session the page doesn't reload by itself.
    assert not anna.evaluate("""async device => {
        device.session = null;
        await device.store.keep('together', () => ({}));
        await device.store.leave();
        return await device.store.kept('together') !== null;
    }""")


def test_a_shop_that_is_removed_stays_chosen_where_lists_are_shopped_as_one(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Home").add("Milk").new_list("Party").add("Gin")
    closes(adds_shop(opens_shops(anna), "Corner"))
    shops_together(is_at(anna.shop(), "Corner"), "Home")
    chosen = lambda: anna.page.input_value("#together-shop")
    assert chosen() == "Corner"
    anna.evaluate("""async (device, list) => {
        const { drafts } = await (await device.goods()).arrangeAisles(list, { shop: 'Corner', isGone: true });
        return device.perform(list, drafts);
    }""", anna.list)
    assert shops(anna) == [] and chosen() == "Corner" and anna.page.is_visible("#together-shop")


def test_what_is_marked_off_on_several_lists_is_stored_on_all_of_them_or_on_none(app):
    """The disk is full after the first list's change."""
    anna = app(**DESKTOP).newcomer("Anna").new_list("Home").add("Milk")
    anna.new_list("Party").add("milk").settled()
    outcome = anna.evaluate("""async device => {
        const before = [...device.states.values()].map(({ items }) => items), put = IDBObjectStore.prototype.put;
        let changes = 0;
        IDBObjectStore.prototype.put = function (...values) {
            if (this.name === 'pending' && (changes += 1) === 2) throw new DOMException('no room', 'QuotaExceededError');
            return put.apply(this, values);
        };
        const gestures = [...device.states].map(([id, { items: [{ id: item }] }]) => ({ id, drafts: [{ operation: 'markOff', item }] }));
        const error = await device.performAll(gestures).catch(error => error.kind);
        IDBObjectStore.prototype.put = put;
        return { error, changes, marked: [...device.states.values()].filter(({ items }) => items[0].markedOff).length, before: before.length };
    }""")
    assert outcome == {"error": "full", "changes": 2, "marked": 0, "before": 2}
    anna.reload().sees("milk")
    assert anna.page.locator(".row.done").count() == 0
    anna.settled()
