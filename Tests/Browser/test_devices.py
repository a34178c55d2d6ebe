"""Browsers and a command line on one list."""

from app import PHONE, comparable
from test_trips import DAY, Past, adds


def shown(command_line):
    return comparable(command_line.run("show"))


def test_two_browsers_and_a_command_line_become_equal_after_edits_offline_and_a_restart(app, command_line, service):
    anna = app().newcomer("Anna").new_list("Weekly shop")
    anna.add("Milk, 2 l", "Bread", "Eggs, 6")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk", "Bread", "Eggs")
    command_line.run("sign-up", service.address, "--email", f"carol-{anna.email}", "--name", "Carol")
    command_line.run("join", service.address + anna.link())
    assert shown(command_line) == anna.state() == ben.state()

    anna.cable.cut()
    ben.cable.cut()
    service.stop()
    anna.check("Milk").edit("Bread", quantity="1 loaf", aisle="Bakery").add("Basil")
    ben.add("Butter", "Cheese").check("Eggs")
    ben.row("Bread").locator(".body").click()
    ben.page.click("dialog .danger")
    command_line.run("add", "Soap")
    command_line.run("edit", "Bread", "--note", "the dark one")
    anna.until_("Anna's changes are stored", lambda: anna.waiting() == 3)
    ben.until_("Ben's changes are stored", lambda: ben.waiting() == 4)
    # Everything is there after the pages were closed in between.
    anna.reload()
    anna.until_("the rows are back", lambda: "Basil" in anna.texts)

    service.start()
    command_line.run("sync")
    anna.cable.mend()
    ben.cable.mend()
    # Whoever comes back to a page syncs at once; the timers would too, later.
    for person in (anna, ben):
        person.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled()
    ben.settled()
    command_line.run("sync")
    anna.until_("all three are equal", lambda: anna.state() == ben.state() == shown(command_line) or command_line.run("sync") and False)
    # Carol edited the bread that Ben deleted, after him: it is still wanted, with everything that was said of it.
    bread = next(item for item in anna.state()["items"] if item["text"] == "Bread")
    assert bread["fields"] == {"text": "Bread", "quantity": "1 loaf", "aisle": "Bakery", "note": "the dark one"}
    digests = [person.evaluate("async (device, list) => (await device.open(list)).handle.digest()", anna.list) for person in (anna, ben)]
    assert digests[0]["confirmed"] == digests[1]["confirmed"] == digests[0]["shown"]


def test_a_change_is_on_the_other_screen_at_once(app):
    anna = app().newcomer("Anna").new_list("Now")
    ben = app(**PHONE).join(anna.link(), "Ben")
    anna.settled().add("Milk")
    ben.sees("Milk").check("Milk")
    anna.until_("the mark", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "true", 3)


def test_somebody_who_shares_an_open_list_is_seen_on_it(app):
    anna = app().newcomer("Anna").new_list("Here").add("Milk")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk")
    # Not only when Anna's page says it again, every half minute.
    ben.until_("Anna is here", lambda: ben.page.locator(".face[data-here]").count() > 0)


def test_while_shopping_what_others_add_waits_and_nothing_moves(app):
    anna = app().newcomer("Anna").new_list("Trip").add("Milk", "Bread", "Eggs", "Salt")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk", "Bread", "Eggs", "Salt").shop()

    def places():
        return {text: ben.row(text).bounding_box()["y"] for text in ("Milk", "Bread", "Eggs", "Salt")}

    before = places()
    anna.add("Strawberries").check("Bread")
    anna.row("Salt").locator(".body").click()
    anna.page.click("dialog .danger")
    ben.until_("the notice", lambda: ben.page.is_visible(".notice") and "Strawberries" in ben.page.text_content(".notice"))
    ben.until_("the mark", lambda: ben.row("Bread").locator(".check").get_attribute("aria-checked") == "true")
    ben.until_("what was deleted is struck through", lambda: "gone" in ben.row("Salt").get_attribute("class"))
    assert places() == before
    assert "Strawberries" not in ben.texts
    ben.check("Eggs")
    assert places() == before
    ben.page.click(".notice button")
    ben.until_("the new item", lambda: "Strawberries" in ben.texts)
    ben.page.click(".tidy")
    ben.sees("Milk", "Strawberries", "Bread", "Eggs")


def test_a_refused_change_stays_in_sight(app):
    anna = app().newcomer("Anna").new_list("Limits").add("Thing").settled()
    # More fields than an entry may have.
    anna.evaluate("""(device, list) => device.perform(list, [{ operation: 'edit', item: device.states.get(list).items[0].id,
        fields: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field ${n}`, 'x'])) }])""", anna.list)
    anna.page.wait_for_selector(".toast.error button")
    anna.page.click(".toast.error button")
    anna.page.wait_for_selector(".refused li")
    assert anna.state()["items"][0]["fields"] == {"text": "Thing"}
    anna.page.click(".refused .icon-button")
    anna.until_("it is dismissed", lambda: anna.page.locator(".refused").count() == 0)


def test_undo_leaves_alone_what_somebody_has_changed_since(app):
    anna = app().newcomer("Anna").new_list("Undo").add("Milk")
    ben = app().join(anna.link(), "Ben").sees("Milk")
    anna.check("Milk")
    anna.page.click("[aria-label=Undo]")
    anna.until_("not marked off", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "false")
    anna.page.click("[aria-label=Redo]")
    anna.until_("marked off again", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "true")
    # Not only the first of the three marks.
    ben.in_step_with(anna)
    ben.evaluate("(device, list) => device.perform(list, [{ operation: 'unmark', item: device.states.get(list).items[0].id }])", ben.list)
    ben.settled()
    anna.until_("wanted again here", lambda: not anna.state()["items"][0]["markedOff"])
    anna.page.click("[aria-label=Undo]")
    anna.until_("it says so", lambda: "Somebody has changed" in (anna.page.text_content("#toasts") or ""))
    assert not anna.state()["items"][0]["markedOff"]


def test_a_removed_person_loses_the_list_and_is_told(app):
    anna = app().newcomer("Anna").new_list("Secret").add("Milk")
    ben = app().join(anna.link(), "Ben").sees("Milk")
    anna.page.click(".faces")
    anna.page.click(".mini summary")
    anna.page.click(".mini .danger")
    anna.page.click("dialog .actions .primary.danger")
    ben.until_("the list is gone", lambda: ben.page.locator(".card").count() == 0)
    stored = ben.evaluate("async device => JSON.stringify(await device.store.database.read(['entries', 'folds', 'lists'], async t => [await t.all('entries'), await t.all('folds'), await t.all('lists')]))")
    assert stored == "[[],[],[]]"


def test_the_page_suggests_what_the_command_line_suggests(app, command_line, service):
    anna = app().newcomer("Anna").new_list("Suggest")
    anna.add("Milk, 2 l", "Bread", "Eggs, 6", "Oat milk").edit("Bread", aisle="Bakery")
    for text in ("Milk", "Bread", "Oat milk", "Eggs"):
        anna.check(text)
        anna.until_("marked off", lambda: any(item["text"] == text and item["markedOff"] for item in anna.state()["items"]))
    # A slip is no purchase.
    anna.check("Eggs").settled()
    command_line.run("sign-in", service.address, "--email", anna.email)
    command_line.run("sync")
    for prefix in ("", "m", "mi", "oat m", "x"):
        theirs = command_line.run("suggest", *([prefix] if prefix else []))
        theirs = [item["text"] for item in (theirs if isinstance(theirs, list) else theirs["suggestions"])]
        ours = anna.evaluate("async (device, [list, prefix]) => (await device.suggestions(list, prefix, 20)).filter(item => !item.isKnown).map(item => item.text)", [anna.list, prefix])
        assert ours == theirs, prefix
    assert ours == []


def test_what_was_bought_for_months_is_suggested_when_it_is_due(app, command_line, service):
    anna = app().newcomer("Anna").new_list("Due").settled()
    past = Past(service, anna.email)
    # Milk each week, last ten days ago; coffee each month, last ten days ago; flour once.
    bought = {"Milk": range(80, 9, -7), "Coffee": (100, 70, 40, 10), "Flour": (50,)}
    for text, days in bought.items():
        items, added = adds(101 * DAY, text)
        marks = [(day * DAY - done * 600_000, "unmark" if done else "markOff", items[text]) for day in days for done in (0, 1)]
        past.send(anna.list, *added, *marks[:-1])
    anna.evaluate("device => device.sync('manual')")
    anna.until_("the items", lambda: sorted(anna.texts) == ["Coffee", "Flour", "Milk"])

    def ours():
        return anna.evaluate("async (device, [list]) => (await device.suggestions(list, '', 20)).map(({ text, due }) => [text, due])", [anna.list])

    anna.until_(lambda: f"Milk is due, not {ours()}", lambda: ours() == [["Milk", True], ["Coffee", False], ["Flour", False]])
    chip = anna.page.locator(".addbar .chip.due")
    anna.until_("it is due", lambda: chip.all_text_contents() == ["Milk"])
    assert chip.get_attribute("aria-label") == "Add Milk, due again"
    command_line.run("sign-in", service.address, "--email", anna.email)
    command_line.run("sync")
    theirs = command_line.run("suggest")
    theirs = theirs if isinstance(theirs, list) else theirs["suggestions"]
    assert [item["text"] for item in theirs] == ["Milk", "Coffee", "Flour"]
    chip.click()
    anna.until_("it is on the list", lambda: not next(item for item in anna.state()["items"] if item["text"] == "Milk")["markedOff"])


# Counts how often the page asks for a screen that stays on, and how often it has one.
WAKE_LOCK = """
    globalThis.asked = globalThis.held = 0;
    Object.defineProperty(Navigator.prototype, 'wakeLock', { value: { async request() {
        globalThis.asked += 1;
        await globalThis.allowed;
        globalThis.held += 1;
        return Object.assign(new EventTarget(), { async release() { globalThis.held -= 1; } });
    } } });
"""


def test_a_list_that_is_left_while_it_changes_to_shopping_does_so_and_is_not_open(app):
    anna = app()
    anna.page.add_init_script(WAKE_LOCK)
    anna.newcomer("Anna").new_list("Left").add("Milk").settled()
    list_ = anna.list
    anna.evaluate("""device => {
        const trips = device.trips.bind(device), gate = new Promise(go => { globalThis.go = go; });
        device.trips = async () => {
            globalThis.isAsked = true;
            await gate;
            return trips();
        };
    }""")
    anna.page.click("[data-mode=shop]")
    anna.until_("it begins", lambda: anna.page.evaluate("globalThis.isAsked"))
    anna.page.evaluate("location.hash = '#/'")
    anna.page.wait_for_selector(".addline", state="detached")
    anna.page.evaluate("go()")
    anna.until_("it has changed", lambda: anna.evaluate("(device, list) => device.rows.get(list).shopping", list_))
    assert anna.evaluate("""async device => {
        await new Promise(go => setTimeout(go));
        return [device.shownLists.size, globalThis.asked, document.title];
    }""") == [0, 0, "Trolley"]


def test_the_screen_stays_on_while_shopping_and_not_afterwards(app):
    anna = app()
    anna.page.add_init_script(WAKE_LOCK)
    anna.newcomer("Anna").new_list("Awake").add("Milk").settled()
    held = lambda: anna.page.evaluate("globalThis.held")
    anna.shop().until_("it stays on", lambda: held() == 1)
    anna.shop(False).until_("it may go off", lambda: held() == 0)
    # The list is left while the browser still thinks about it.
    anna.page.evaluate("() => { globalThis.allowed = new Promise(go => { globalThis.allow = go; }); }")
    anna.shop().until_("it is asked for", lambda: anna.page.evaluate("globalThis.asked") == 2)
    anna.page.evaluate("location.hash = '#/'")
    anna.page.wait_for_selector(".addline", state="detached")
    assert anna.page.evaluate("async () => { globalThis.allow(); await new Promise(go => setTimeout(go)); return globalThis.held; }") == 0
