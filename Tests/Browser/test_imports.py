"""Importing: recipes and other programs' files, chosen line by line and added as one gesture."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from test_screens import RULES

RECIPE = "Onion soup\nServes 2\nIngredients\n2 onions, chopped\n400 g tinned tomatoes\nMethod\nFry the onions. Add the rest, and let it boil for an hour."
PAGE = "<!doctype html><script type='application/ld+json'>" + json.dumps({
    "@type": "Recipe", "name": "Pancakes &amp; <b>more</b>", "recipeYield": "4", "recipeIngredient": ["250 g flour", "½ l milk", "2 eggs"]}) + "</script>"
KITCHENOWL = [{"id": 1, "name": "Market", "items": [{"name": "Milk", "description": "2 l", "category": {"name": "Dairy"}}], "recentItems": [{"name": "Salt", "description": ""}]},
              {"id": 2, "name": "Hardware", "items": [{"name": "Nails <i>", "description": "long"}], "recentItems": []}]


def imports(app):
    app.menu("From a recipe or a file")
    app.page.wait_for_selector("#import-text")
    return app


def chooses(app, name, text):
    """Chooses a file."""
    app.page.set_input_files("#import-file", {"name": name, "mimeType": "text/plain", "buffer": text if isinstance(text, bytes) else text.encode()})
    return app


def lines(app):
    """The offered lines, each with whether it is chosen."""
    return app.page.locator("dialog fieldset.lines label").evaluate_all(
        "labels => labels.map(label => [label.querySelector('input').checked, [...label.querySelectorAll('.text, .sub')].map(part => part.textContent).join(' | ')])")


def adds(app, n):
    app.page.click(f"dialog button.primary:has-text('Add {n} item')")
    app.page.wait_for_selector("dialog", state="detached")
    return app


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_pasted_recipe_offers_its_lines_scaled_and_one_undo_takes_them_back(app, options):
    anna = app(**options).newcomer("Anna").new_list("Kitchen").add("Milk").paste(RECIPE)
    anna.page.wait_for_selector("dialog fieldset.lines")
    assert [line for line in lines(anna) if line[0]] == [[True, "onions | 2 · chopped"], [True, "tinned tomatoes | 400 g"]]
    anna.page.wait_for_timeout(250)
    anna.shows_all()
    report = Axe().run(anna.page, options=RULES)
    assert report.violations_count == 0, report.generate_report()
    anna.page.fill("#import-portions", "4")
    anna.page.press("#import-portions", "Enter")
    anna.until_("twice as much", lambda: [True, "tinned tomatoes | 800 g"] in lines(anna))
    # Nothing is on the list before that.
    assert anna.texts == ["Milk"]
    adds(anna, 2)
    anna.until_("they are there", lambda: sorted(anna.texts) == ["Milk", "onions", "tinned tomatoes"])
    batches = anna.evaluate("""async (device, list) => (await device.store.journal(list)).stored.pending.concat((await device.store.journal(list)).stored.entries.map(entry => ({ entry })))
        .filter(({ entry }) => entry.operation === 'add' && entry.batch).map(({ entry }) => entry.batch)""", anna.list)
    assert len(batches) == 2 and len(set(batches)) == 1
    anna.page.click("#toasts button:has-text('Undo')")
    anna.sees("Milk")


def test_a_pasted_list_is_added_line_by_line_as_before(app):
    anna = app().newcomer("Anna").new_list("Kitchen").paste("Milk\n2 eggs\nBread\nTea")
    anna.until_("they are there", lambda: sorted(anna.texts) == ["Bread", "Milk", "Tea", "eggs"])
    assert anna.page.locator("dialog").count() == 0


def test_a_pasted_page_offers_its_recipe_and_runs_nothing_of_it(app):
    anna = app().newcomer("Anna").new_list("Kitchen").paste(PAGE + "\n<img src=x onerror='document.title=1'>")
    anna.page.wait_for_selector("dialog legend:has-text('Pancakes & more')")
    anna.page.locator("dialog label:has-text('flour') input").uncheck()
    # A new list instead, whatever else is changed then.
    anna.page.select_option("#import-to", "")
    anna.page.fill("#import-portions", "8")
    anna.page.press("#import-portions", "Enter")
    anna.until_("twice as much", lambda: [True, "milk | 1 l"] in lines(anna))
    assert anna.page.input_value("#import-to") == "" and lines(anna)[0] == [False, "flour | 500 g"]
    adds(anna, 2)
    anna.until_("the new list is open", lambda: anna.page.text_content(".title h1") == "Pancakes & more")
    anna.until_("its items", lambda: sorted(anna.texts) == ["eggs", "milk"])


def test_lists_of_another_program_become_lists(app):
    anna = app(**PHONE).newcomer("Anna")
    anna.page.click(".new-list")
    anna.page.click("dialog .menu-item:has-text('From a recipe or a file')")
    anna.page.wait_for_selector("#import-file")
    chooses(anna, "kitchenowl.json", json.dumps(KITCHENOWL))
    anna.page.wait_for_selector("dialog fieldset.lines")
    assert lines(anna) == [[True, "Milk | 2 l · Dairy"], [True, "Salt"], [True, "Nails <i> | long"]]
    assert anna.page.locator("dialog option").first.text_content() == "2 new lists: Market, Hardware"
    adds(anna, 3)
    anna.until_("the first is open", lambda: anna.page.text_content(".title h1") == "Market")
    item, salt = anna.state()["items"]
    assert item["fields"] == {"text": "Milk", "quantity": "2 l", "aisle": "Dairy"} and salt["markedOff"]
    anna.settled().page.click(".back")
    anna.open_list("Hardware").sees("Nails <i>")


def test_a_try_that_failed_is_gone_on_with_and_doubles_no_list(app):
    anna = app(**PHONE).newcomer("Anna")
    anna.page.click(".new-list")
    anna.page.click("dialog .menu-item:has-text('From a recipe or a file')")
    anna.page.wait_for_selector("#import-file")
    chooses(anna, "kitchenowl.json", json.dumps(KITCHENOWL)).page.wait_for_selector("dialog fieldset.lines")
    # The first try ends before the first list has its items, the second one before there is a second list.
    anna.evaluate("""device => {
        const failing = (method, nth) => {
            const call = device[method].bind(device);
            let calls = 0;
            device[method] = async (...values) => {
                calls += 1;
                if (calls === nth) throw Object.assign(new Error('no room'), { kind: 'full' });
                return call(...values);
            };
        };
        failing('perform', 1);
        failing('makeList', 2);
    }""")
    for _ in range(2):
        anna.page.click("dialog button.primary:has-text('Add 3 items')")
        anna.page.wait_for_selector("dialog .problem:has-text('no room left')")
    adds(anna, 3)
    anna.until_("the first is open", lambda: anna.page.text_content(".title h1") == "Market")
    assert anna.evaluate("device => [...device.states.values()].map(({ name, items }) => [name, items.map(({ text }) => text)]).sort()") == [
        ["Hardware", ["Nails <i>"]], ["Market", ["Milk", "Salt"]]]


def test_a_list_comes_with_its_shops(app):
    anna = app(**PHONE).newcomer("Anna")
    anna.page.click(".new-list")
    anna.page.click("dialog .menu-item:has-text('From a recipe or a file')")
    anna.page.wait_for_selector("#import-file")
    shops = [{"name": "Corner", "aisles": ["Ovens", "Cold"]}]
    chooses(anna, "week.json", json.dumps({
        "format": "trolley-list", "version": 1, "name": "Week", "aisles": ["Cold"], "shops": shops,
        "items": [{"text": "Nails", "fields": {"text": "Nails", "shop": "Corner"}}]}))
    anna.page.wait_for_selector("dialog fieldset.lines")
    adds(anna, 1).until_("the list is open", lambda: anna.page.text_content(".title h1") == "Week")
    anna.until_("its item", lambda: anna.texts == ["Nails"])
    assert anna.evaluate("(device, list) => device.states.get(list).shops", anna.list) == shops


def test_a_table_with_strange_columns_asks_what_they_mean(app):
    anna = imports(app(**PHONE).newcomer("Anna").new_list("Kitchen"))
    chooses(anna, "liste.csv", "Artikel;Menge;Kram\nMilch;2 l;x\nBrot;;y\n")
    anna.page.wait_for_selector("#import-column-0")
    assert anna.page.locator("dialog button.primary:visible").count() == 0
    anna.page.select_option("#import-column-0", "text")
    anna.until_("the items", lambda: lines(anna) == [[True, "Milch"], [True, "Brot"]])
    anna.page.select_option("#import-column-1", "quantity")
    anna.until_("the quantities", lambda: lines(anna) == [[True, "Milch | 2 l"], [True, "Brot"]])
    assert "Kram" in anna.page.text_content("dialog .hint:has-text('Left out')")
    anna.page.wait_for_timeout(250)
    anna.shows_all()
    anna.page.uncheck("dialog label:has-text('first line') input")
    anna.until_("the first line, too", lambda: len(lines(anna)) == 3)
    anna.page.check("dialog label:has-text('first line') input")
    anna.until_("two", lambda: len(lines(anna)) == 2)
    adds(anna, 2)
    anna.until_("they are there", lambda: sorted(anna.texts) == ["Brot", "Milch"])


def test_a_bad_file_is_refused_in_a_sentence_and_adds_nothing(app):
    anna = imports(app().newcomer("Anna").new_list("Kitchen").add("Milk"))
    for name, text, sentence in [
        ("picture.txt", b"\xff\xfe\x00abc", "no text that Trolley can read"), ("nul.txt", b"a\x00b", "is no text"),
        ("cut.json", '{"items":[', "not JSON"), ("other.json", '{"a":1}', "no list in it that Trolley knows"), ("empty.csv", "\n", "no item"),
        ("quote.csv", 'text,note\n"milk', "quote in line 2"), ("page.html", "<p>hello</p>", "no recipe that programs can read"),
        ("long.txt", "\n".join(f"thing {n}" for n in range(100_000)), "at most 10,000 items"),
        ("large.txt", b"x" * (16 * 1024 * 1024 + 1), "at most 16 MB"),
        ("recipe.txt", "Ingredients\n" + "1 egg\n" * 1_000_000, "at most 10,000 items"),
    ]:
        chooses(anna, name, text)
        anna.page.wait_for_selector(f"dialog .problem:has-text('{sentence}')")
        assert lines(anna) == [] and not anna.page.is_visible("#import-to"), name
        # The next one works.
        chooses(anna, "good.txt", "- [ ] Bread\n- [x] Tea")
        anna.until_("its lines", lambda: lines(anna) == [[True, "Bread"], [True, "Tea"]])
        assert anna.page.locator("dialog .problem:visible").count() == 0


def test_what_is_on_the_list_is_not_doubled_and_closing_asks(app):
    anna = imports(app().newcomer("Anna").new_list("Kitchen").add("Milk", "Eggs").check("Eggs"))
    anna.page.fill("#import-text", "milk, 2 l\neggs\nBread")
    anna.until_("the lines", lambda: len(lines(anna)) == 3)
    anna.page.keyboard.press("Escape")
    anna.page.wait_for_selector("dialog:has-text('Save the changes?')")
    anna.page.click("dialog .actions .primary")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.until_("they are there", lambda: sorted(anna.texts) == ["Bread", "Eggs", "Milk"])
    assert {item["text"]: (item["markedOff"], item["fields"].get("quantity")) for item in anna.state()["items"]} == {
        "Milk": (False, "2 l"), "Eggs": (False, None), "Bread": (False, None)}


def test_without_a_network_a_stored_app_imports_too(app):

    anna = app(**PHONE).newcomer("Anna").new_list("Kitchen").installed()
    anna.until_("the worker controls the page", lambda: anna.page.evaluate("!!navigator.serviceWorker.controller"))
    anna.cable.cut()
    anna.paste(RECIPE).page.wait_for_selector("dialog fieldset.lines")
    adds(anna, 2)
    anna.until_("they are there", lambda: sorted(anna.texts) == ["onions", "tinned tomatoes"])
    anna.cable.mend()
    anna.settled()
