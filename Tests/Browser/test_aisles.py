"""The catalogue: new items find their aisle, what is offered while one types, browsing, and aisles that get another name."""

import json
import os
import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, NO_WORKER, PHONE, TWICE
from service import TROLLEY
from test_screens import RULES

GERMAN = {**PHONE, "locale": "de-DE"}


def knowing(app):
    """The catalogue is here."""
    assert app.evaluate("async (device, list) => (await device.goods()).complete(list)", app.list)
    return app


def said(app):
    return " ".join(app.page.locator("#toasts .toast span").all_text_contents())


def aisle(app, text):
    return next((item["fields"].get("aisle") for item in app.state()["items"] if item["text"] == text), "no such item")


def in_aisle(app, text, name):
    app.until_(lambda: f"{text} in {name}, not in {aisle(app, text)}", lambda: aisle(app, text) == name)
    return app


def types(app, text):
    app.page.focus(".addline input")
    app.page.fill(".addline input", text)
    return app


def chips(app):
    return app.page.locator(".addbar .chip").all_text_contents()


def is_whole(app):
    app.page.wait_for_timeout(250)
    app.shows_all()
    found = Axe().run(app.page, options=RULES)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("options, item, name, sentence, other", [
    (DESKTOP, "Semi-skimmed milk", "Dairy", "Semi-skimmed milk: Dairy", "Apple juice"),
    (PHONE, "My own frozen peas", "Frozen", "My own frozen peas: Frozen, because of “", "Bananas"),
    (GERMAN, "H-Milch 1,5 %", "Milchprodukte", "H-Milch 1,5 %: Milchprodukte, wegen „", "Bananen"),
], ids=["en", "en-phone", "de"])
def test_a_first_time_item_is_in_its_aisle_at_once(app, options, item, name, sentence, other):
    anna = knowing(app(**options).newcomer("Anna").new_list("First")).add(item)
    in_aisle(anna, item, name)
    # In one entry, so no other device ever sees it elsewhere.
    assert anna.operations()[-1] == "add"
    assert anna.row(item).locator(".sub").text_content() == name
    anna.until_("it says why", lambda: sentence in said(anna))
    is_whole(anna)
    anna.add(other)
    anna.until_("it has one, too", lambda: aisle(anna, other) not in (None, "no such item"))


def test_what_the_household_teaches_counts_more(app):
    anna = knowing(app(**PHONE).newcomer("Anna").new_list("Teach")).add("Oat milk")
    in_aisle(anna, "Oat milk", "Dairy")
    anna.page.click("#toasts button:has-text('Change')")
    anna.until_("the aisle has the focus", lambda: anna.page.evaluate("document.activeElement.name") == "aisle")
    anna.page.fill("dialog input[name=aisle]", "Vegan shelf")
    anna.page.click("dialog button[type=submit]")
    in_aisle(anna, "Oat milk", "Vegan shelf").row("Oat milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("it is gone", lambda: anna.texts == [])
    anna.add("oat milk")
    in_aisle(anna, "oat milk", "Vegan shelf")
    # Nobody has to be told what they have said themselves.
    anna.until_("the message has gone", lambda: "Vegan shelf" not in said(anna))
    anna.edit("oat milk", aisle="")
    anna.row("oat milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("it is gone", lambda: anna.texts == [])
    anna.add("Oat milk").until_("it is there", lambda: anna.texts == ["Oat milk"])
    assert aisle(anna, "Oat milk") is None
    # One tap takes an item back, with its aisle.
    anna.add("Butter").until_("it is there", lambda: "Butter" in anna.texts)
    anna.page.click("[aria-label=Undo]")
    anna.until_("it is gone", lambda: "Butter" not in anna.texts)


def test_aisles_are_named_in_the_lists_language_and_on_other_devices_alike(app, service):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Languages").add("Salt"))
    anna.edit("Salt", aisle="Milchprodukte").add("Bread", "Brot").settled()
    for text in ("Bread", "Brot"):
        in_aisle(anna, text, "Backwaren")
    # The same rule as in the command line.
    home = os.path.join(service.directory, f"home-{anna.list}")

    def trolley(*arguments):
        result = subprocess.run([TROLLEY, *arguments, "--json"], capture_output=True, text=True, timeout=60, check=True,
                                env={**os.environ, "TROLLEY_HOME": home, "TROLLEY_LANGUAGE": "en", "TROLLEY_PASSWORD": "correct horse"})
        return json.loads(result.stdout)

    trolley("sign-in", service.address, "--email", anna.email)
    trolley("sync")
    for text in ("salt", "semi-skimmed milk", "H-Milch", "Bananen", "frozen peas", "spanner", "cat food"):
        theirs = trolley("aisles", "--why", text)
        ours = anna.evaluate("""async (device, [list, text]) => {
            const goods = await device.goods(), drafts = [{ operation: 'add', item: 'i', fields: { text } }];
            await goods.complete(list);
            return goods.place(list, drafts).get('i') ?? null;
        }""", [anna.list, text])
        assert (ours or {"aisle": None}) == {key: theirs[key] for key in (ours or {"aisle": None})}, text


def test_what_is_added_in_haste_keeps_its_order_and_is_added_once(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Haste")
    # The catalogue is still on its way.
    anna.add("Oat milk", "Sourdough bread", "Bananas", "oat milk", "Washing powder")
    anna.sees("Oat milk", "Sourdough bread", "Bananas", "Washing powder")
    knowing(anna)
    anna.evaluate("(device, list) => Promise.all(['Salt', 'Pepper', 'salt', 'Rice'].map(text => device.add(list, text)))", anna.list)
    anna.sees("Oat milk", "Sourdough bread", "Bananas", "Washing powder", "Salt", "Pepper", "Rice")


def test_without_a_catalogue_adding_waits_for_nothing(app):
    anna = app(**PHONE)
    anna.page.add_init_script(NO_WORKER)
    anna.missing |= {"catalogue/", "later.wasm"}
    anna.context.route("**/catalogue/*", lambda route: route.abort())
    anna.context.route("**/later.wasm", lambda route: route.abort())
    anna.newcomer("Anna").new_list("Without").add("Milk").sees("Milk")
    assert aisle(anna, "Milk") is None
    # Nor for one that doesn't come.
    held = []
    anna.context.unroute("**/later.wasm")
    anna.context.route("**/later.wasm", lambda route: held.append(route))
    anna.reload().sees("Milk")
    anna.add("Bread")
    anna.until_("it is there", lambda: anna.texts == ["Milk", "Bread"], 3)
    assert aisle(anna, "Bread") is None
    for route in held:
        route.abort()


def test_the_catalogue_works_without_a_network_and_is_no_part_of_the_first_load(app):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Stored")).installed().settled()
    stored = "async () => (await (await caches.open((await caches.keys())[0])).keys()).map(({ url }) => url.split('/').at(-1)).filter(file => file.endsWith('.txt'))"
    anna.until_("the catalogue is stored", lambda: anna.page.evaluate(stored) == ["en.txt"])
    anna.cable.cut()
    anna.reload().page.wait_for_selector(".addline input")
    knowing(anna).add("Milk")
    in_aisle(anna, "Milk", "Dairy")
    anna.cable.mend()
    # A new version takes the catalogue over.
    _, new = anna.service.update()
    anna.page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
    anna.page.click("#toasts button:has-text('Update')")
    anna.page.wait_for_function("version => document.querySelector('script[type=module]')?.src.includes(version)", arg=new)
    anna.page.wait_for_selector(".addline input")
    anna.cable.cut()
    knowing(anna).add("Bread")
    in_aisle(anna, "Bread", "Bakery")


def test_completion_has_what_was_bought_first_then_the_catalogue(app):
    anna = knowing(app(**PHONE).newcomer("Anna").new_list("Typing").add("Banana bread mix")).check("Banana bread mix").settled()
    types(anna, "banan").until_("both", lambda: chips(anna)[:2] == ["Banana bread mix", "banana"])
    types(anna, "skimmed").until_("a later word", lambda: "semi-skimmed milk" in chips(anna))
    anna.page.click(".chip[aria-label='Add semi-skimmed milk']")
    in_aisle(anna, "semi-skimmed milk", "Dairy")
    # What the list wants isn't offered.
    types(anna, "semi-skimmed").until_("it is named", lambda: anna.page.locator(".chip.there").count() == 1)
    assert anna.page.locator(".chip[aria-label='Add semi-skimmed milk']").count() == 0


def test_markup_in_a_catalogue_and_in_items_stays_text(app):
    # A service worker's requests can't be answered here.
    anna = app(**DESKTOP)
    anna.page.add_init_script(NO_WORKER)
    words = "language: en\nheads: last\n[dairy] <b>Dairy<b>\n<img src=x onerror=alert(1)>, <u>milk<u>\n"
    anna.context.route("**/catalogue/en.txt", lambda route: route.fulfill(body=words, content_type="text/plain"))
    knowing(anna.newcomer("Anna").new_list("Markup"))
    types(anna, "mil").until_("it is offered", lambda: "<u>milk<u>" in chips(anna))
    anna.page.click(".addbar .chip")
    anna.until_("it is on the list", lambda: anna.texts == ["<u>milk<u>"])
    assert aisle(anna, "<u>milk<u>") == "<b>Dairy<b>"
    anna.until_("it says why", lambda: "<b>Dairy<b>" in said(anna))
    anna.page.click(".shelves")
    anna.page.click("dialog .menu-item")
    anna.until_("its goods", lambda: anna.page.locator("dialog .browse .chip").all_text_contents() == [
        "<img src=x onerror=alert(1)>", "<u>milk<u>"])
    assert anna.page.locator(".main img, dialog img, .main u, dialog u").count() == 0


@pytest.mark.parametrize("options, shelf, word", [
    (PHONE, "Bakery", "baguette"), ({**DESKTOP, "color_scheme": "dark"}, "Bakery", "baguette"),
    ({**GERMAN, "viewport": {"width": 320, "height": 568}}, "Backwaren", "Baguette"),
], ids=["phone", "desktop-dark", "small-de"])
def test_one_browses_by_aisle(app, options, shelf, word):
    anna = knowing(app(**options).newcomer("Anna").new_list("Browse"))
    anna.page.focus(".addline input")
    anna.page.click(".shelves")
    anna.until_("the aisles", lambda: anna.page.locator("dialog .browse .menu-item").count() == 24)
    is_whole(anna)
    anna.page.click(f"dialog .menu-item:has-text('{shelf}')")
    chip = anna.page.locator("dialog .browse .chip", has=anna.page.get_by_text(word, exact=True))
    chip.click()
    anna.until_("it is on the list", lambda: word in anna.texts and "there" in chip.get_attribute("class"))
    assert anna.page.evaluate("document.activeElement.textContent") == word
    is_whole(anna)
    in_aisle(anna, word, shelf)
    # Back to all aisles, where one came from.
    anna.page.click("dialog .browse .bar button")
    anna.until_("the aisle has the focus", lambda: anna.page.evaluate("document.activeElement.textContent") == shelf)


def test_two_taps_put_a_thing_of_the_catalogue_on_the_list_once(app):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Browse"))
    anna.page.click(".shelves")
    anna.page.click("dialog .menu-item:has-text('Bakery')")
    added = anna.counted("add")
    chip = anna.page.locator("dialog .browse .chip", has=anna.page.get_by_text("baguette", exact=True))
    chip.evaluate(TWICE)
    anna.until_("it is on the list", lambda: anna.texts == ["baguette"] and "there" in chip.get_attribute("class"))
    assert added() == 1


def test_the_person_chooses_the_catalogues_language_or_none(app):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Choice"))
    for choice, item, name in (("fr", "Beurre demi-sel", "Produits laitiers"), ("none", "Pain", None)):
        anna.page.click(".account")
        anna.page.get_by_label("Catalogue").select_option(choice)
        anna.page.keyboard.press("Escape")
        if name:
            knowing(anna)
        anna.add(item)
        in_aisle(anna, item, name)
    anna.page.click(".shelves")
    anna.until_("it says so", lambda: "is off" in (anna.page.text_content("dialog .note") or ""))


def renames(app, **names):
    app.menu("List settings", "Aisles")
    for aisle, name in names.items():
        app.page.fill(f"dialog [aria-label='Name of {aisle}']", name)
    return app


def test_an_aisle_is_renamed_for_all_items_and_that_is_one_gesture(app):
    anna = knowing(app(**PHONE).newcomer("Anna").new_list("Rename")).add("Milk", "Butter", "Bread", "Yoghurt").check("Butter")
    anna.row("Yoghurt").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    ben = app(**DESKTOP).join(anna.settled().link(), "Ben")
    renames(anna, Dairy="Fridge")
    is_whole(anna)
    anna.page.click("dialog .actions .primary")
    for one in (anna, ben):
        for text, name in (("Milk", "Fridge"), ("Butter", "Fridge"), ("Bread", "Bakery")):
            in_aisle(one, text, name)
    anna.until_("it says so", lambda: "1 aisle renamed" in said(anna))
    # What comes back and what is new goes there, too, on every device.
    anna.add("Yoghurt")
    knowing(ben).add("Cheddar")
    for text, one in (("Yoghurt", anna), ("Cheddar", ben)):
        in_aisle(one, text, "Fridge")
    anna.settled()
    renames(anna, Bakery="fridge")
    assert "Bakery becomes one with Fridge." in anna.page.text_content("dialog .order")
    anna.page.click("dialog .actions .primary")
    in_aisle(anna, "Bread", "Fridge")
    anna.page.click("#toasts button:has-text('Undo')")
    in_aisle(anna, "Bread", "Bakery")
    in_aisle(anna, "Milk", "Fridge")


def test_two_taps_rename_an_aisle_once(app):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Twice")).add("Milk")
    renames(anna, Dairy="Fridge")
    performed = anna.counted("perform")
    anna.page.locator("dialog .actions .primary").evaluate(TWICE)
    in_aisle(anna, "Milk", "Fridge").page.wait_for_selector("dialog", state="detached")
    assert performed() == 1


def test_an_aisles_name_is_taken_back_after_a_reload(app):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Reload")).add("Milk", "Bread")
    renames(anna, Dairy="Fridge")
    anna.page.click("dialog .actions .primary")
    in_aisle(anna, "Milk", "Fridge")
    anna.until_("it is stored", lambda: "1 aisle renamed" in said(anna))
    anna.settled().reload()
    in_aisle(anna, "Milk", "Fridge")
    anna.page.click("[aria-label^='Undo']")
    in_aisle(anna, "Milk", "Dairy")
    anna.add("Yoghurt").settled().reload().sees("Milk", "Bread", "Yoghurt")


def test_names_of_aisles_that_are_left_are_asked_about_and_an_empty_one_says_what_it_does(app):
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("Leave")).add("Milk", "Bread")
    renames(anna, Dairy="")
    assert "The items of Dairy have no aisle then." in anna.page.text_content("dialog .order")
    anna.page.keyboard.press("Escape")
    anna.page.click("dialog .actions button:has-text('Discard')")
    anna.page.wait_for_selector("dialog", state="detached")
    assert aisle(anna, "Milk") == "Dairy"
    renames(anna, Dairy=" ")
    anna.page.click("dialog .actions .primary")
    in_aisle(anna, "Milk", None)
    in_aisle(anna, "Bread", "Bakery")


def test_what_was_bought_elsewhere_is_offered_as_soon_as_it_is_here(app):
    """Most bought, and what was bought on other devices and lists."""
    anna = knowing(app(**DESKTOP).newcomer("Anna").new_list("One").add("Honey")).settled()
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Honey")
    types(anna, "hon").page.wait_for_selector(".chip.there")
    types(anna, "")
    ben.check("Honey").settled()
    anna.until_("it is offered again", lambda: "Honey" in chips(anna))
    anna.evaluate("device => device.makeList('Two')")
    anna.until_("the list", lambda: anna.page.locator(".card").count() == 2)
    anna.open_list("Two").until_("there, too", lambda: "Honey" in chips(anna))
