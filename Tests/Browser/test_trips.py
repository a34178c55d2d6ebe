"""Past shopping trips, scrubbing and repeating them, and the order of rows that they teach."""

import datetime
import json
import urllib.request
import uuid

import pytest

from app import PHONE
from test_messages import close
from test_screens import DESKTOP, look

pytestmark = pytest.mark.without_worker

MINUTE, DAY = 60_000, 86_400_000


class Past:
    """Uploads entries that were made long ago, as a device does that had no connection: a device of the API."""

    def __init__(self, service, email):
        self.service, self.list = service, None
        session = self.call("POST", "sessions", {"email": email, "password": "correct horse", "deviceName": "Past"})
        self.token, self.account = session["token"], session["account"]["id"]
        self.numbers = {}

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if hasattr(self, "token") else {})}
        request = urllib.request.Request(f"{self.service.address}/v1/{path}", method=method, headers=headers,
                                         data=json.dumps(body).encode() if body is not None else None)
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.loads(response.read() or b"{}")

    def send(self, list_, *entries):
        """Sends `(age in milliseconds, operation, item, other members)`, oldest first."""
        sent = []
        for age, operation, item, *members in entries:
            self.numbers[list_] = self.numbers.get(list_, 0) + 1
            sent.append({"id": str(uuid.uuid4()), "operation": operation, "item": item, "deviceSequence": self.numbers[list_],
                         "age": int(age), **(members[0] if members else {})})
        answer = self.call("POST", f"lists/{list_}/entries", {"entries": sent})
        assert all(result["status"] == "applied" for result in answer["results"]), answer


def adds(age, *texts, **fields):
    """New items below each other, and their ids by text."""
    items, entries = {}, []
    for text in texts:
        items[text] = str(uuid.uuid4())
        above = entries[-1][2] if entries else None
        entries.append((age, "add", items[text], {"after": above, "fields": {"text": text, **fields}}))
    return items, entries


def walk(items, order, age):
    """Marks in this order, a minute each."""
    return [(age - index * MINUTE, "markOff", items[text]) for index, text in enumerate(order)]


def unmark(items, order, age):
    return [(age, "unmark", items[text]) for text in order]


def open_trips(one):
    one.menu("Activity").page.click("dialog button:has-text('Trips')")
    one.page.wait_for_selector(".trips .trip, .trips .hint")
    return one


def open_trip(one, number=0):
    one.page.locator(".trips .trip").nth(number).click()
    one.page.wait_for_selector(".picks li")
    return one


def picks(one):
    return one.page.locator(".picks .text").all_text_contents()


def shown(one):
    """The slider's label, what is wanted in the preview, and what is finished."""
    preview = one.page.locator(".trips .preview")
    return preview.locator("li:not(.done)").all_text_contents(), preview.locator("li.done").all_text_contents()


def slide_to(one, number):
    one.page.eval_on_selector(".trips input[type=range]", """(slider, number) => {
        slider.value = number;
        slider.dispatchEvent(new Event('input'));
    }""", number)
    one.until_("the slider is there", lambda: f"{number} of" in (one.page.text_content(".trips .moment") or ""))


def people(app, **options):
    anna = app(**options).newcomer("Anna").new_list("Weekly")
    return anna, app(**PHONE).join(anna.link(), "Ben")


@pytest.fixture
def two(app, service):
    """Anna and Ben, who were shopping together two days ago: Ben's marks arrived a day later."""
    return people(app)


def went_shopping(two, service):
    anna, ben = two
    items, entries = adds(3 * DAY, "Milk", "Bread", "Eggs", quantity="2")
    items["Jam"] = str(uuid.uuid4())
    annas, bens = Past(service, anna.email), Past(service, ben.email)
    age = 2 * DAY
    annas.send(anna.list, *entries, (age - 10 * MINUTE, "markOff", items["Milk"]),
               (age - 11 * MINUTE, "add", items["Jam"], {"after": items["Eggs"], "fields": {"text": "Jam"}}), (age - 20 * MINUTE, "markOff", items["Jam"]))
    bens.send(ben.list, (age, "markOff", items["Bread"]), (age - 15 * MINUTE, "markOff", items["Eggs"]))
    for one in two:
        one.until_("the trip is here", lambda: sum(item["markedOff"] for item in one.state()["items"]) == 4)
    return items


def test_a_trip_of_two_people_is_alike_in_two_browsers_and_on_the_command_line(two, command_line, service):
    anna, ben = two
    went_shopping(two, service)
    command_line.run("sign-in", service.address, "--email", anna.email)
    command_line.run("sync")
    theirs = command_line.run("trips", "1", "--json")
    assert [pick["text"] for pick in theirs["picks"]] == ["Bread", "Milk", "Eggs", "Jam"]
    for one in two:
        trip = one.evaluate("async (device, list) => (await (await device.trips()).of(list))[0]", one.list)
        assert [(pick["text"], pick["by"], pick["at"], pick["entry"]) for pick in trip["picks"]] == [
            (pick["text"], pick["account"], pick["at"], pick["entry"]) for pick in theirs["picks"]]
        assert (trip["start"], trip["end"], trip["duration"] // 1000) == (theirs["start"], theirs["end"], theirs["seconds"])
        assert trip["people"] == [person["account"] for person in theirs["people"]]
        assert [(item["text"], item["at"]) for item in trip["added"]] == [(item["text"], item["at"]) for item in theirs["addedWhileShopping"]]
        assert trip["isOver"] and theirs["isOver"]
        open_trips(one)
        assert one.page.locator(".trips .trip").count() == 1
        assert "4 items · 20 minutes · Ben and Anna" in one.page.text_content(".trips .trip .sub")
        open_trip(one)
        assert picks(one) == ["Bread", "Milk", "Eggs", "Jam"]
        assert "Ben" in one.page.locator(".picks .sub").first.text_content()
        # Both browsers have synced since the trip's end.
        one.until_("it is complete", lambda: "Complete" in one.page.text_content(".trips > [role=status]"))
        close(one)


def test_a_trip_waits_for_the_device_of_somebody_who_was_not_heard_from(two, service):
    anna, ben = two
    anna.add("Milk", "Bread").settled()
    # The list tells whose the device is.
    ben.sees("Milk", "Bread").add("Eggs").settled()
    anna.sees("Milk", "Bread", "Eggs")
    ben.cable.cut()
    for text in ("Milk", "Bread", "Eggs"):
        anna.check(text)
    anna.until_("marked off", lambda: all(item["markedOff"] for item in anna.state()["items"]))
    anna.settled()
    open_trips(anna)
    assert "going on" in anna.page.text_content(".trips .trip .sub")
    open_trip(anna)
    anna.until_("it waits", lambda: "waiting for Ben’s " in anna.page.text_content(".trips > [role=status]"))


def test_undo_leaves_a_trip_that_is_over_unless_asked_to(app):
    anna = app().newcomer("Anna").new_list("Over").add("Milk", "Bread", "Eggs", "Tea").settled()
    for text in ("Milk", "Bread", "Eggs"):
        anna.check(text)
    marked = lambda: sum(item["markedOff"] for item in anna.state()["items"])
    anna.until_("marked off", lambda: marked() == 3)
    anna.settled().page.keyboard.press("Control+z")
    anna.until_("the trip goes on", lambda: marked() == 2)
    anna.page.keyboard.press("Control+Shift+z")
    anna.until_("again", lambda: marked() == 3)
    anna.settled().page.clock.set_system_time(datetime.datetime.now() + datetime.timedelta(minutes=50))
    anna.page.keyboard.press("Control+z")
    anna.page.wait_for_selector("#toasts :text('on a trip that is over')")
    assert marked() == 3
    anna.page.click("#toasts button:has-text('Undo anyway')")
    anna.until_("it is undone", lambda: marked() == 2)


@pytest.mark.with_worker
def test_scrubbing_a_trip_without_a_network(two, service):
    anna, _ = two
    went_shopping(two, service)
    anna.settled().cable.cut()
    open_trip(open_trips(anna))
    anna.page.click(".trips .time summary")
    anna.until_("the first pick", lambda: "1 of 4: Bread · Ben" in (anna.page.text_content(".trips .moment") or ""))
    # The second pick arrived before the first, which was made on a device without a connection.
    for number, wanted, finished in ((1, ["Milk", "Eggs"], ["Bread"]), (2, ["Eggs"], ["Milk", "Bread"]), (3, ["Jam"], ["Milk", "Bread", "Eggs"]),
                                     (4, [], ["Milk", "Bread", "Eggs", "Jam"])):
        slide_to(anna, number)
        anna.until_(f"the list after pick {number}, not {shown(anna)}", lambda: shown(anna) == (wanted, finished))
    slider = anna.page.locator(".trips input[type=range]")
    slider.focus()
    anna.page.keyboard.press("Home")
    anna.until_("by keyboard", lambda: (slider.get_attribute("aria-valuetext") or "").startswith("1 of 4: Bread"))
    anna.until_("it says that the service can't be reached", lambda: "can’t be reached" in anna.page.text_content(".trips > [role=status]"))
    assert anna.page.locator(".trips .back-in-time .hint").count() == 0, "nothing was compressed"


def test_repeating_a_trip_is_one_gesture_and_doubles_nothing(two, service):
    anna, ben = two
    items = went_shopping(two, service)
    # One is wanted already, in another quantity, and one was deleted.
    anna.evaluate("(device, [list, drafts]) => device.perform(list, drafts)", [anna.list, [
        {"operation": "unmark", "item": items["Milk"]}, {"operation": "edit", "item": items["Milk"], "fields": {"quantity": "1"}},
        {"operation": "delete", "item": items["Jam"]}]])
    before = anna.settled().state()
    open_trip(open_trips(anna))
    anna.page.click(".trips .primary")
    anna.until_("it says so", lambda: "3 items are on the list again" in (anna.page.text_content("#toasts") or ""))
    after = anna.state()["items"]
    assert [item["text"] for item in after if not item["markedOff"]] == ["Milk", "Bread", "Eggs", "Jam"] and len(after) == 4
    assert after[0]["fields"]["quantity"] == "1"
    open_trip(open_trips(anna))
    anna.page.click(".trips .primary")
    anna.until_("nothing is doubled", lambda: "All of it is on the list already" in anna.page.text_content("#toasts"))
    anna.page.click("header .icon-button[aria-label=Undo]")
    anna.until_("one undo", lambda: anna.state() == before)
    ben.in_step_with(anna.settled())
    assert anna.evaluate("async (device, list) => (await (await device.trips()).of(list)).length", anna.list) == 1


def learned(app, service, *orders):
    """Anna, after trips in these orders on the last days."""
    anna = app(**PHONE).newcomer("Anna").new_list("Weekly").settled()
    items, entries = adds(20 * DAY, "Soap", "Milk", "Bread", "Apples")
    past = Past(service, anna.email)
    for number, order in enumerate(orders):
        age = (len(orders) - number) * DAY
        entries += walk(items, order, age) + unmark(items, order, age - 600 * MINUTE)
    past.send(anna.list, *entries)
    anna.until_("the trips are here", lambda: anna.evaluate("async (device, list) => (await (await device.trips()).of(list)).length", anna.list) == len(orders))
    anna.sees("Soap", "Milk", "Bread", "Apples")
    return anna, items, past


WALK = ["Apples", "Bread", "Milk", "Soap"]


def usual(one):
    return [sub.strip() for sub in one.page.locator(".rows:not(.finished) .row .sub").all_text_contents()]


def places(one):
    return {text: one.row(text).bounding_box()["y"] for text in one.texts}


def test_three_trips_teach_an_order_and_nothing_moves_meanwhile(app, service, command_line):
    anna, items, past = learned(app, service, WALK, WALK, WALK)
    anna.shop().sees(*WALK)
    assert usual(anna) == ["usually 1st", "usually 2nd", "usually 3rd", "usually 4th"]
    command_line.run("sign-in", service.address, "--email", anna.email)
    command_line.run("sync")
    command_line.run("shopping", "on")
    theirs = command_line.run("show")
    assert [(item["text"], item["position"], item["usually"]) for item in theirs["usual"]] == [
        (text, place, place) for place, text in enumerate(WALK, 1)]
    # Five other trips arrive, from a device that had no connection. They would turn the order over.
    before = places(anna)
    late = []
    for number in range(5):
        age = (10 - number) * 2 * 60 * MINUTE + 30 * MINUTE
        late += walk(items, WALK[::-1], age) + unmark(items, WALK, age - 50 * MINUTE)
    past.send(anna.list, *late)
    anna.until_("they are here", lambda: anna.evaluate("async (device, list) => (await (await device.trips()).of(list)).length", anna.list) == 8)
    assert places(anna) == before
    anna.check("Bread")
    anna.until_("marked off", lambda: any(item["text"] == "Bread" and item["markedOff"] for item in anna.state()["items"]))
    assert places(anna) == before and usual(anna)[0] == "usually 1st"
    # The page shows that order at once when it is opened again, also before the module is there.
    anna.page.click(".tidy")
    anna.sees("Apples", "Milk", "Soap", "Bread").settled()
    anna.until_("the mark is stored", lambda: anna.evaluate("""async (device, list) =>
        (await device.store.opening()).folds.get(list).items.some(item => item.markedOff)""", anna.list))
    anna.until_("the order is stored", lambda: anna.evaluate("""async (device, list) => (await device.store.opening()).folds.get(list).arranged?.groups
        ?.flatMap(group => group.rows.map(row => device.states.get(list).items.find(item => item.id === row.id)?.text))""", anna.list) in (WALK, ["Apples", "Milk", "Soap"]))
    anna.page.add_init_script("""
        new MutationObserver(() => {
            const rows = document.querySelectorAll('.row');
            if (!window.firstRows && rows.length === 4) window.firstRows = [...rows].map(row => row.querySelector('.text').textContent);
        }).observe(document, { childList: true, subtree: true });
    """)
    anna.reload().sees("Apples", "Milk", "Soap", "Bread")
    assert anna.page.evaluate("firstRows") == ["Apples", "Milk", "Soap", "Bread"]
    # The order is learned anew when the mode is switched on again.
    anna.shop(False).shop()
    anna.sees("Soap", "Milk", "Apples", "Bread")


def test_the_learned_order_is_kept_within_aisles_and_can_be_switched_off(app, service):
    anna, items, _ = learned(app, service, WALK, WALK)
    anna.evaluate("(device, [list, drafts]) => device.perform(list, drafts)", [anna.list, [
        {"operation": "edit", "item": items["Soap"], "fields": {"aisle": "Front"}},
        {"operation": "edit", "item": items["Apples"], "fields": {"aisle": "front"}},
        {"operation": "recolourList", "fields": {"aisles": "Front"}}]])
    anna.shop().sees("Apples", "Soap", "Bread", "Milk")
    assert anna.page.locator(".rows h2:visible").all_text_contents() == ["Front", "Anywhere"]

    def switch(to):
        anna.menu("List settings")
        box = anna.page.locator("dialog .told input")
        assert box.is_checked() != to
        box.click()
        close(anna)

    switch(False)
    anna.sees("Soap", "Apples", "Milk", "Bread")
    assert set(usual(anna)) == {""}
    anna.reload().sees("Soap", "Apples", "Milk", "Bread")
    switch(True)
    anna.sees("Apples", "Soap", "Bread", "Milk")


def test_trips_survive_compression(two, service, command_line):
    anna, ben = two
    went_shopping(two, service)
    trip = anna.evaluate("async (device, list) => (await (await device.trips()).of(list))[0]", anna.list)
    anna.compress()
    anna.sees()
    assert anna.evaluate("async (device, list) => (await (await device.trips()).of(list))[0]", anna.list) == trip
    open_trip(open_trips(anna))
    anna.page.click(".trips .time summary")
    anna.until_("it says what is missing", lambda: "tidied up old changes" in (anna.page.text_content(".trips .back-in-time") or ""))


def test_keys_of_texts_are_the_modules(app):
    anna = app().newcomer("Anna")
    texts = ["Milk", "  2 \t l\u00a0Milk ", "ÅNGSTRÖM", "Straße", "ΟΔΟΣ", "İstanbul", "ǅ", "\u2003x y", "e\u0301TE", "ﬁSH", ""]
    same = anna.evaluate("""async (device, texts) => {
        const { keyOf } = await import(`${document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')}device/keys.js`);
        const later = await device.later(), id = device.session.device.id;
        return texts.map(text => {
            const { places } = later.learn({ at: new Date().toISOString(), entries: [], bought: ['a', 'b', text].map((text, index) => (
                { entry: id.replace(/.$/, index), text, at: `2026-01-01T00:0${index}:00.000Z` })) });
            return keyOf(text) in places;
        });
    }""", texts)
    assert same == [True] * len(texts), list(zip(texts, same))


@pytest.mark.parametrize("size, options", [
    ("phone-light", {**PHONE, "color_scheme": "light"}), ("desktop-dark", {**DESKTOP, "color_scheme": "dark"}),
    ("small", {"viewport": {"width": 320, "height": 568}, "device_scale_factor": 2, "has_touch": True, "reduced_motion": "reduce"}),
])
def test_trips_are_whole_and_accessible(app, service, screenshots, size, options):
    anna, ben = people(app, **options)
    went_shopping((anna, ben), service)
    anna.page.wait_for_selector("#toasts .toast", state="detached")
    open_trips(anna)
    look(anna, "trips", screenshots, size)
    anna.page.keyboard.press("Tab")
    open_trip(anna)
    anna.page.click(".trips .time summary")
    anna.page.wait_for_selector(".trips .preview li")
    look(anna, "trip", screenshots, size)
    # By keyboard back, to where one came from.
    anna.page.locator(".trips [aria-label='All trips']").focus()
    anna.page.keyboard.press("Enter")
    anna.until_("the focus is back", lambda: anna.page.evaluate("document.activeElement.className").startswith("menu-item"))
    anna.page.evaluate("document.documentElement.dir = 'rtl'")
    look(anna, "trips-rtl", screenshots, size)
