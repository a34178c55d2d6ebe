"""The page around the list: searching all lists, an address where nothing is, rows that make room, and syncing from the Activity."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from test_screens import RULES


def is_whole(app):
    app.page.wait_for_timeout(250)
    app.shows_all()
    found = Axe().run(app.page, options=RULES)
    assert found.violations_count == 0, found.generate_report()


def found(app):
    return app.page.locator("nav + nav:not([hidden]) .card .card-name").all_text_contents()


@pytest.mark.parametrize("options", [PHONE, {**DESKTOP, "color_scheme": "dark"}], ids=["phone", "desktop"])
def test_all_lists_are_searched_without_a_network_too(app, options):
    anna = app(**options).newcomer("Anna")
    for name, items in (("Party", ["Gin", "Lemons"]), ("Weekly", ["Milk", "Lemonade"])):
        if anna.page.is_visible(".back"):
            anna.page.click(".back")
        anna.new_list(name).add(*items)
    anna.check("Lemonade").settled()
    if anna.page.is_visible(".back"):
        anna.page.click(".back")
    anna.cable.cut()
    anna.page.click("[aria-label='Search all lists']")
    anna.page.fill("input[aria-label='Search all lists']", "lemon")
    # What is wanted comes first.
    anna.until_("both", lambda: found(anna) == ["Lemons", "Lemonade"])
    assert [text.split(",")[0] for text in anna.page.locator("nav + nav .card-sub").all_text_contents()] == ["Party", "Weekly · marked off"]
    is_whole(anna)
    anna.page.fill("input[aria-label='Search all lists']", "<b>xyz")
    anna.until_("it says so", lambda: "Nothing like that" in anna.page.text_content("nav + nav"))
    anna.page.fill("input[aria-label='Search all lists']", "lemons")
    anna.until_("one", lambda: found(anna) == ["Lemons"])
    anna.page.click("nav + nav .card")
    anna.until_("its list", lambda: anna.page.text_content(".title h1") == "Party")
    anna.until_("its row is shown", lambda: anna.row("Lemons").evaluate("row => row.classList.contains('new')"))
    if anna.page.is_visible(".back"):
        anna.page.click(".back")
    # A key to a field that doesn't show yet goes nowhere.
    anna.page.wait_for_selector("input[aria-label='Search all lists']", state="visible")
    anna.page.press("input[aria-label='Search all lists']", "Escape")
    anna.until_("the lists are back", lambda: anna.page.locator("nav .card:visible .card-name").all_text_contents() == ["Weekly", "Party"])


def test_the_lists_are_there_when_the_page_is_drawn_again_during_a_search(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Party").add("Gin")
    anna.page.click("[aria-label='Search all lists']")
    anna.page.fill("input[aria-label='Search all lists']", "gin")
    anna.until_("it is found", lambda: found(anna) == ["Gin"])
    # As after signing in again.
    anna.evaluate("device => device.emit('session')")
    anna.until_("the lists", lambda: anna.page.locator(".card:visible .card-name").all_text_contents() == ["Party"])


@pytest.mark.parametrize("locale, sentence", [("en-GB", "There is nothing at /nonsense/too."), ("de-DE", "Unter /nonsense/too ist nichts.")])
def test_an_address_where_nothing_is_is_a_page_that_helps(app, locale, sentence):
    anna = app(**{**PHONE, "locale": locale}).newcomer("Anna").new_list("Lists").settled()
    # A browser writes such an answer to its console.
    answer = anna.page.goto(anna.cable.address + "/nonsense/too")
    assert answer.status == 404
    anna.page.wait_for_selector(".card")
    assert sentence in anna.page.text_content("#toasts")
    assert anna.page.evaluate("location.pathname") == "/"
    is_whole(anna)
    # Somebody who isn't signed in can sign in there.
    ben = app(**{**PHONE, "locale": locale}).open("/nonsense/%3Cb%3Etoo%")
    ben.page.wait_for_selector("input[name=password]")
    assert "<b>" in ben.page.text_content("#toasts") or "%3C" in ben.page.text_content("#toasts")
    assert ben.page.locator("#toasts b").count() == 0


def middles(app, *texts):
    """Where the texts of rows are on the screen."""
    return [app.row(text).locator(".text").evaluate("text => { const { top, height } = text.getBoundingClientRect(); return top + height / 2; }") for text in texts]


def test_rows_make_room_for_one_that_is_dragged(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Drag").add("One", "Two", "Three", "Four", "Five")
    one, two, three, four, five = middles(anna, "One", "Two", "Three", "Four", "Five")
    height = two - one
    handle = anna.row("Two").locator(".handle").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    mouse = anna.page.mouse
    near = lambda texts, expected: all(abs(a - b) < 1.5 for a, b in zip(middles(anna, *texts), expected))
    mouse.move(x, y)
    mouse.down()
    mouse.move(x, y + 2.3 * height, steps=5)
    anna.until_("Three and Four go up", lambda: near(["One", "Three", "Four", "Five"], [one, two, three, five]))
    mouse.move(x, y - 1.2 * height, steps=5)
    anna.until_("they are back, and One goes down", lambda: near(["One", "Three", "Four", "Five"], [two, three, four, five]))
    mouse.move(x, y + 1.2 * height, steps=5)
    anna.until_("only Three goes up", lambda: near(["One", "Three", "Four", "Five"], [one, two, four, five]))
    mouse.up()
    anna.sees("One", "Three", "Two", "Four", "Five")
    assert anna.page.locator(".room, .dragging").count() == 0
    assert near(["One", "Three", "Two", "Four", "Five"], [one, two, three, four, five])
    # Let go where it was.
    mouse.move(x, y + height)
    mouse.down()
    mouse.move(x, y + 2.6 * height, steps=4)
    mouse.move(x, y + height, steps=4)
    mouse.up()
    anna.sees("One", "Three", "Two", "Four", "Five")
    assert anna.page.locator(".room, .dragging").count() == 0 and anna.operations().count("move") == 1


def test_one_syncs_from_the_activity(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Now").add("Milk").settled()
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    anna.cable.cut()
    anna.menu("Activity")
    anna.until_("it says how it stands", lambda: "Offline" in anna.page.text_content("dialog .bar"))
    is_whole(anna)
    ben.add("Bread").settled()
    anna.cable.mend()
    anna.page.click("dialog button:has-text('Sync now')")
    anna.until_("Ben’s change", lambda: "Ben added Bread" in (anna.page.text_content(".activity") or ""))
    anna.until_("in step", lambda: "In step" in anna.page.text_content("dialog .bar"))
    assert anna.page.evaluate("document.activeElement.textContent") == "Sync now"


def shares(app, script):
    """As the system does with what another app shares: a form, posted to the app's address."""
    app.page.evaluate("""async script => {
        const form = new FormData();
        await eval(script)(form);
        await fetch('/share', { method: 'POST', body: form, redirect: 'manual' });
    }""".replace("eval(script)", f"({script})"), None)
    app.page.evaluate("location.hash = '#/shared'")
    app.page.wait_for_selector("dialog")
    return app


def test_what_another_app_shares_is_added_to_a_list(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Shared").add("Salt").settled().installed()
    anna.until_("the worker controls the page", lambda: anna.page.evaluate("!!navigator.serviceWorker.controller"))
    anna.cable.cut()
    shares(anna, "form => form.set('text', '- 2x Eggs\\n- <b>Bread</b>')")
    assert anna.page.locator("dialog .preview li").all_text_contents() == ["Eggs, 2", "<b>Bread</b>"]
    is_whole(anna)
    anna.page.click("dialog button:has-text('Add 2 items')")
    anna.sees("Salt", "Eggs", "<b>Bread</b>")
    # A link is one item.
    shares(anna, "form => { form.set('title', 'Pancakes'); form.set('url', 'https://example.com/pancakes'); }")
    anna.page.click("dialog button:has-text('Add 1 item')")
    anna.sees("Salt", "Eggs", "<b>Bread</b>", "Pancakes")
    assert "https://example.com/pancakes" in anna.row("Pancakes").locator(".sub").text_content()
    # A file of text, and two that are none or too large.
    shares(anna, """form => {
        form.append('files', new File(['Rice\\nTea'], 'list.txt', { type: 'text/plain' }));
        form.append('files', new File([new Uint8Array(50_000_000)], 'film.txt', { type: 'text/plain' }));
        form.append('files', new File([new Uint8Array([137, 80, 78, 71, 0, 1])], 'picture.txt', { type: 'text/plain' }));
    }""")
    told = anna.page.locator("dialog .note").all_text_contents()
    assert len(told) == 2 and "film.txt” is too large" in told[0] and "picture.txt” is not text" in told[1]
    is_whole(anna)
    anna.page.click("dialog button:has-text('Add 2 items')")
    anna.sees("Salt", "Eggs", "<b>Bread</b>", "Pancakes", "Rice", "Tea")
    # A file alone may be another program's export.
    shares(anna, """form => form.append('files', new File([JSON.stringify({ name: 'Market', items: [{ name: 'Figs', quantity: 3 }] })], 'export.json'))""")
    anna.until_("its line", lambda: anna.page.locator("dialog .lines .text").all_text_contents() == ["Figs"])
    anna.page.click("dialog button:has-text('Add 1 item')")
    anna.until_("a new list", lambda: anna.page.text_content(".title h1") == "Market")
    anna.sees("Figs")
    # It is stored no longer.
    assert anna.page.evaluate("async () => !(await caches.match('/shared'))")
    shares(anna, "form => form.set('text', ' ')")
    assert "There is no text" in anna.page.text_content("dialog")


def test_what_another_app_shares_goes_to_lists_that_one_may_change_in_ones_own_order(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Look only").add("Milk").settled()
    anna.page.click(".faces")
    anna.page.select_option(".invite select", "readOnly")
    anna.page.click(".invite .primary")
    anna.page.wait_for_selector(".code svg")
    link = anna.page.input_value(".linkline input").replace(anna.cable.address, "")
    ben = app(**PHONE).newcomer("Ben").installed()
    ben.open(link).page.click(".invitation .primary")
    ben.sees("Milk")
    for name in ("First", "Second"):
        ben.page.click(".back")
        ben.new_list(name)
    ben.settled().until_("the worker controls the page", lambda: ben.page.evaluate("!!navigator.serviceWorker.controller"))
    shares(ben, "form => form.set('text', 'Eggs\\nBread')")
    assert ben.page.locator("#shared-list option").all_text_contents() == ["Second", "First"]


@pytest.mark.parametrize("locale, names", [("en-GB", ["New list", "Shop"]), ("de-DE", ["Neue Liste", "Einkaufen"])])
def test_the_icon_of_the_installed_app_offers_the_usual(app, locale, names):
    anna = app(**{**PHONE, "locale": locale}).newcomer("Anna").new_list("Long").add("Milk", "Bread").settled()
    manifest = anna.page.evaluate("async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()")
    assert [shortcut["name"] for shortcut in manifest["shortcuts"]] == names and manifest["share_target"]["action"] == "/share"
    anna.page.click(".back")
    anna.new_list("Short").add("Tea").settled()
    anna.open(manifest["shortcuts"][1]["url"])
    # The list with the most to get.
    anna.until_("it is open", lambda: anna.page.text_content(".title h1") == "Long")
    anna.until_("in shopping mode", lambda: anna.page.get_attribute("[data-mode=shop]", "aria-pressed") == "true")
    anna.open("/#/")
    anna.reload().open(manifest["shortcuts"][0]["url"])
    anna.page.wait_for_selector("dialog input[name=name]")


def test_a_list_goes_out_by_the_systems_sheet_and_is_printed(app):
    anna = app(**PHONE)
    anna.page.add_init_script("""
        globalThis.sent = []; globalThis.printed = 0;
        Object.defineProperty(Navigator.prototype, 'share', { value: async data => { globalThis.sent.push(data); } });
        globalThis.print = () => { globalThis.printed += 1; };
    """)
    anna.newcomer("Anna").new_list("Party").add("Gin", "Lemons, 6").check("Gin")
    anna.menu("List settings", "Copy, send or print", "Send as text")
    anna.until_("it is sent", lambda: anna.page.evaluate("sent") == [{"title": "Party", "text": "Party\n- [x] Gin\n- [ ] Lemons, 6"}])
    anna.menu("List settings", "Copy, send or print", "Print")
    anna.until_("it is printed", lambda: anna.page.evaluate("printed") == 1)
    anna.until_("what is done stands apart", lambda: anna.page.locator(".finished .row").count() == 1)
    anna.page.emulate_media(media="print")
    shown = anna.page.evaluate("[...document.querySelectorAll('.title h1, .row .text, button, .addbar')].filter(element => element.checkVisibility()).map(element => element.textContent)")
    assert "Party" in shown and "Lemons" in shown and "Gin" not in shown


def pulls(app, selector, distance):
    """Pulls with one finger from the middle of an element downwards."""
    # Going back takes a moment.
    app.page.wait_for_selector(selector)
    box = app.page.locator(selector).bounding_box()
    finger = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 30}
    touch = app.context.new_cdp_session(app.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
    for step in range(1, 11):
        point = {"x": finger["x"], "y": finger["y"] + distance * step / 10}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    # The page's listeners are passive: moves are answered before the page has seen them, at the next frame.
    app.page.evaluate("new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    shown = app.page.locator(".pull.enough").count()
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    return shown


def test_pulling_down_syncs_and_moves_no_row(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Pull").add("Milk", "Bread").settled()
    anna.evaluate("device => { globalThis.runs = []; const sync = device.sync.bind(device); device.sync = trigger => { runs.push(trigger); return sync(trigger); }; }")
    runs = lambda: anna.page.evaluate("runs.filter(trigger => trigger === 'manual').length")
    top = anna.row("Milk").bounding_box()["y"]
    assert pulls(anna, ".scroller", 60) == 0
    assert pulls(anna, ".scroller", 220) == 1
    anna.until_("it syncs", lambda: runs() == 1)
    assert anna.row("Milk").bounding_box()["y"] == top
    anna.until_("the sign has gone", lambda: not anna.page.is_visible(".main .pull"))
    anna.page.click(".back")
    pulls(anna, ".side nav", 220)
    anna.until_("the lists, too", lambda: runs() == 2)
