"""Each screen in each size and colour scheme: nothing is cut off, axe-core finds nothing, and pictures are kept."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from service import ALL

pytestmark = pytest.mark.without_worker

SMALL = {"viewport": {"width": 320, "height": 568}, "device_scale_factor": 2, "has_touch": True}
LARGE_TEXT = {"viewport": {"width": 640, "height": 480}}  # 1280 × 960 at 200%
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}

ITEMS = ["Oat milk, 2 l", "Butter", "6 eggs", "Tomatoes, 1 kg", "Basil", "Sourdough bread", "2 × 500 g pasta", "Olive oil"]
AISLES = {"Oat milk": "Dairy", "Butter": "Dairy", "eggs": "Dairy", "Tomatoes": "Produce", "Basil": "Produce", "Sourdough bread": "Bakery"}


def look(app, name, screenshots, size):
    """Keeps a picture, and lets axe look at the screen."""
    if size == "right-to-left":
        app.page.evaluate("document.documentElement.dir = 'rtl'")
    app.page.wait_for_timeout(250)
    app.page.screenshot(path=screenshots(name, size))
    app.shows_all()
    found = Axe().run(app.page, options=RULES)
    assert found.violations_count == 0, f"{name} {size}\n{found.generate_report()}"


def visit(app, screenshots, size, **options):
    anna = app(**options)
    requested = []
    anna.context.on("request", lambda request: requested.append(request.url))
    anna.page.on("websocket", lambda socket: requested.append(socket.url))
    anna.open().page.wait_for_selector("input[name=name]")
    look(anna, "welcome", screenshots, size)
    anna.sign_up("Anna").page.wait_for_selector(".new-list")
    look(anna, "no-lists", screenshots, size)
    for name in ("Hardware store", "Party on Saturday", "Weekly shop"):
        if anna.page.is_visible(".back"):
            anna.page.click(".back")
        anna.new_list(name)
    anna.paste("\n".join(ITEMS)).until_("the items", lambda: len(anna.texts) == len(ITEMS))
    items = {item["text"]: item["id"] for item in anna.state()["items"]}
    anna.evaluate("(device, [list, drafts]) => device.perform(list, drafts)", [anna.list, [
        {"operation": "edit", "item": items[text], "fields": {"aisle": aisle, **({"note": "a pot, not cut"} if text == "Basil" else {})}}
        for text, aisle in AISLES.items()] + [{"operation": "markOff", "item": items["Butter"]}]])
    link = anna.link()
    newcomer = app(**options).open(link)
    newcomer.page.wait_for_selector(".invitation h2")
    look(newcomer, "join", screenshots, size)
    ben = app(**PHONE).join(link, "Ben")
    ben.until_("the items", lambda: len(ben.texts) == len(ITEMS))
    anna.until_("Ben is here", lambda: anna.page.locator(".face[data-here]").count() > 0)
    anna.page.wait_for_selector("#toasts .toast", state="detached")
    look(anna, "planning", screenshots, size)
    anna.row("Basil").locator(".body").click()
    anna.page.wait_for_selector("dialog input[name=text]")
    look(anna, "item", screenshots, size)
    anna.page.keyboard.press("Escape")
    for text in ("Shall I get candles too?", "And is *600 g* of butter enough for the cake?"):
        ben.evaluate("(device, [list, text]) => device.perform(list, [{ operation: 'message', fields: { text } }])", [ben.list, text])
    anna.until_("the strip", lambda: anna.page.is_visible(".strip") and "600 g" in anna.page.text_content(".strip"))
    anna.page.click(".strip")
    anna.page.locator(".talk .mini summary").first.click()
    anna.page.locator(".talk .mini .chip").first.click()
    anna.page.fill(".say textarea", "Yes, and candles: we have none.")
    anna.page.press(".say textarea", "Enter")
    anna.until_("it is said, and seen", lambda: anna.page.locator(".tick[data-tick=seen]").count() == 1)
    anna.page.locator(".talk .mini summary").last.click()
    look(anna, "messages", screenshots, size)
    anna.page.keyboard.press("Escape")
    anna.shop()
    ben.add("Strawberries", "Cream, 200 ml").check("Tomatoes")
    anna.page.wait_for_selector(".notice:not([hidden])")
    anna.until_("the mark", lambda: anna.row("Tomatoes").locator(".check").get_attribute("aria-checked") == "true")
    look(anna, "shopping", screenshots, size)
    anna.shop(False)
    anna.page.click(".faces")
    anna.page.click(".invite .primary")
    anna.page.wait_for_selector(".code svg")
    look(anna, "sharing", screenshots, size)
    anna.page.keyboard.press("Escape")
    anna.page.click("[aria-label=More]")
    look(anna, "menu", screenshots, size)
    anna.page.click(".menu-item:has-text('Activity')")
    anna.page.wait_for_selector(".activity .words")
    anna.page.click("details.time summary")
    anna.page.wait_for_selector(".preview li")
    look(anna, "activity", screenshots, size)
    anna.page.keyboard.press("Escape")
    anna.page.click(".main .status")
    anna.page.wait_for_selector(".queue")
    look(anna, "sync", screenshots, size)
    anna.page.keyboard.press("Escape")
    if anna.page.is_visible(".back"):
        anna.page.click(".back")
    anna.page.wait_for_selector(".card")
    look(anna, "lists", screenshots, size)
    anna.page.click(".account")
    anna.page.wait_for_selector("dialog .me")
    for part in anna.page.locator("details.part summary").all():
        part.click()
    look(anna, "account", screenshots, size)
    # Whatever the page loads, sends or listens to is the service's.
    own = tuple(scheme + anna.cable.address.removeprefix("http") for scheme in ("http", "ws"))
    assert any(url.startswith("ws") for url in requested) and len(requested) > 50
    assert [url for url in requested if not url.startswith(own)] == []


@pytest.mark.parametrize("size, options", [
    ("phone-dark", {**PHONE, "color_scheme": "dark"}),
    ("desktop-light", {**DESKTOP, "color_scheme": "light"}),
    ("small", {**SMALL, "reduced_motion": "reduce"}),
    *([
        ("phone-light", {**PHONE, "color_scheme": "light"}),
        ("desktop-dark", {**DESKTOP, "color_scheme": "dark"}),
        ("large-text", LARGE_TEXT),
        ("right-to-left", SMALL),
    ] if ALL else []),
])
def test_every_screen_is_whole_and_accessible(app, screenshots, size, options):
    visit(app, screenshots, size, **options)


def test_every_colour_of_a_list_can_be_read(app):
    anna = app(color_scheme="light", **DESKTOP).newcomer("Anna").new_list("Colours").add("Milk, 1 l", "Bread").check("Bread")
    anna.page.wait_for_selector(".row.new", state="detached")
    for scheme in ("light", "dark"):
        anna.page.emulate_media(color_scheme=scheme)
        for colour in ("green", "teal", "blue", "indigo", "purple", "pink", "red", "orange", "yellow", "brown", "grey"):
            anna.page.evaluate("colour => { document.querySelector('.list').dataset.colour = colour; }", colour)
            found = Axe().run(anna.page, options={"runOnly": ["color-contrast"]})
            assert found.violations_count == 0, f"{scheme} {colour}\n{found.generate_report()}"


def test_a_person_gets_by_with_a_keyboard_alone(app):
    anna = app().newcomer("Anna").new_list("Keys")
    page = anna.page
    page.locator(".addline input").focus()
    for text in ("Milk", "Bread", "Eggs"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        anna.until_(text, lambda: text in anna.texts)
    anna.row("Eggs").locator(".handle").focus()
    page.keyboard.press("ArrowUp")
    anna.sees("Milk", "Eggs", "Bread")
    page.keyboard.press("ArrowUp")
    anna.sees("Eggs", "Milk", "Bread")
    anna.row("Milk").locator(".check").focus()
    page.keyboard.press("Space")
    anna.until_("marked off", lambda: anna.state()["items"][1]["markedOff"])
    anna.sees("Eggs", "Bread", "Milk")
    anna.row("Bread").locator(".check").focus()
    page.keyboard.press("Delete")
    anna.sees("Eggs", "Milk")
    page.keyboard.press("Control+z")
    anna.sees("Eggs", "Bread", "Milk")
    page.focus("[aria-label='Search this list']:visible")
    page.keyboard.press("Enter")
    page.keyboard.type("bre")
    anna.sees("Bread")
    page.keyboard.press("Escape")
    anna.sees("Eggs", "Bread", "Milk")


def test_rows_have_most_of_the_screen(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Rows").paste("\n".join(f"Milk {n}" for n in range(20)))
    anna.until_("the rows", lambda: len(anna.texts) == 20)
    # As with the list opened again.
    anna.settled().reload().until_("the rows", lambda: len(anna.texts) == 20)

    def whole(width, height):
        """The rows that are whole on a screen of this size."""
        anna.page.set_viewport_size({"width": width, "height": height})
        return anna.page.evaluate("""() => {
            const scroller = document.querySelector('.scroller').getBoundingClientRect();
            return [...document.querySelectorAll('.row')].filter(row => row.getBoundingClientRect().bottom <= scroller.bottom).length;
        }""")

    anna.page.focus(".addline input")
    assert whole(390, 508) >= 9, "with a keyboard"
    assert whole(390, 844) >= 14, "planning"
    assert whole(844, 390) >= 6, "in landscape"
    assert whole(320, 256) >= 3, "at 400%"
    anna.shop()
    assert whole(390, 844) >= 10, "shopping"
    targets = anna.page.evaluate("""() => [...document.querySelectorAll('.list :is(button, a, summary)')].filter(element => {
        const { width, height } = element.getBoundingClientRect();
        return element.checkVisibility() && (width < 44 || height < 44);
    }).map(element => element.outerHTML)""")
    assert targets == []


@pytest.mark.parametrize("size", [PHONE, SMALL], ids=["phone", "small"])
def test_no_status_moves_the_rows(app, size):
    anna = app(**size).newcomer("Anna").new_list("Still").add("Milk").settled()
    tops = anna.page.evaluate("""texts => texts.map(text => {
        document.querySelector('.status span').textContent = text;
        return document.querySelector('.scroller').getBoundingClientRect().top;
    })""", ["In step", "Checking …", "Offline since 12:04 · 12 waiting", "The service has a problem · 1,234 waiting to be sent"])
    assert len(set(tops)) == 1, tops


def test_rows_in_groups_keep_their_order_and_few_change_their_group(app):
    page = app().open().page
    worst = page.evaluate("""async base => {
        const { Groups } = await import(`${base}ui/groups.js`);
        const list = document.createElement('div'), made = new Map(), random = n => Math.floor(seed() * n);
        let state = 7;
        const seed = () => (state = state * 16807 % 2147483647) / 2147483647;
        const row = id => made.get(id) ?? made.set(id, Object.assign(document.createElement('i'), { id })).get(id);
        const show = ids => {
            for (const element of list.querySelectorAll('i')) if (!ids.includes(Number(element.id))) element.remove();
            const groups = new Groups(list);
            for (const id of ids) groups.add(row(id));
            groups.end();
            const shown = [...list.querySelectorAll('i')].map(element => Number(element.id));
            if (String(shown) !== String(ids)) throw new Error(`${shown} instead of ${ids}`);
            const sizes = [...list.children].map(group => group.children.length);
            if (Math.max(...sizes) > 40) throw new Error(`sizes ${sizes}`);
            if (String(sizes) !== String([...list.children].map(group => group.style.getPropertyValue('--rows')))) throw new Error('--rows');
        };
        let ids = Array.from({ length: 400 }, (_, index) => index), next = 400, worst = 0;
        show(ids);
        for (let step = 0; step < 300; step++) {
            const before = new Map(ids.map(id => [id, row(id).parentElement]));
            const kind = random(10);
            if (kind < 5) ids.splice(random(ids.length + 1), 0, next++);
            else if (kind < 9) ids.splice(random(ids.length), 1);
            else ids.splice(random(ids.length), 0, ids.splice(random(ids.length), 1)[0]);
            show(ids);
            const moved = ids.filter(id => before.get(id) && before.get(id) !== row(id).parentElement).length;
            if (moved > 40) throw new Error(`${moved} moved at step ${step}, kind ${kind}, groups ${[...list.children].map(group => group.children.length)}`);
            worst = Math.max(worst, moved);
        }
        // Any order of all rows.
        show(ids.map(id => [seed(), id]).sort((one, other) => one[0] - other[0]).map(([, id]) => id));
        show([]);
        return worst;
    }""", page.evaluate("document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')"))
    # A row that moves up from the following group takes it along.
    assert worst <= 40


def swiping(app):
    """Answers what swipes the row of an item with one finger."""
    cdp = app.context.new_cdp_session(app.page)

    def touch(kind, *points):
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def swipe(text, distance):
        box = app.row(text).bounding_box()
        x, y = box["x"] + 180, box["y"] + 20
        touch("touchStart", (x, y))
        for step in range(1, 9):
            touch("touchMove", (x + distance * step / 8, y))
        touch("touchEnd")

    return swipe


def test_a_tap_after_a_swipe_counts(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Fingers").add("Milk")
    swiping(anna)("Milk", 30)
    now = "performance.now()"
    swiped = anna.page.evaluate(now)
    anna.until_("what comes now is no part of the swipe", lambda: anna.page.evaluate(now) > swiped + 200)
    assert not anna.state()["items"][0]["markedOff"]
    anna.row("Milk").locator(".check").tap()
    anna.until_("marked off", lambda: anna.state()["items"][0]["markedOff"])


def test_fingers_swipe_and_drag(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Fingers").add("Milk", "Bread", "Eggs")
    swipe = swiping(anna)
    swipe("Milk", 130)
    anna.until_("marked off", lambda: anna.state()["items"][0]["markedOff"])
    swipe("Bread", -130)
    anna.until_("deleted", lambda: [item["text"] for item in anna.state()["items"]] == ["Milk", "Eggs"])
    swipe("Eggs", 30)
    assert not anna.state()["items"][1]["markedOff"]
    anna.add("Salt").sees("Eggs", "Salt", "Milk")
    handle = anna.row("Salt").locator(".handle").bounding_box()
    anna.page.mouse.move(handle["x"] + 20, handle["y"] + 20)
    anna.page.mouse.down()
    anna.page.mouse.move(handle["x"] + 20, handle["y"] - 20, steps=4)
    anna.page.mouse.move(handle["x"] + 20, handle["y"] - 60, steps=4)
    anna.page.wait_for_timeout(100)
    anna.page.mouse.up()
    anna.sees("Salt", "Eggs", "Milk")
