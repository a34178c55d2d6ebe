"""Details that a person meets each day: words, focus, quantities, what is done, and who may only look."""

import pytest

from app import DESKTOP, PHONE, SUBMIT
from service import until

pytestmark = pytest.mark.without_worker


def said(app):
    return " ".join(app.page.locator("#toasts .toast").all_text_contents())


def quantity(app, text):
    return app.row(text).locator(".quantity").text_content()


def test_a_quantity_is_changed_by_taps_and_the_same_thing_is_offered_as_one(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Quantities")
    # One goes on with the items.
    anna.until_("the field has the focus", lambda: anna.page.evaluate("document.activeElement.matches('.addline input')"))
    anna.add("Milk, 2 l", "Flour, 100 g")
    anna.row("Milk").locator(".body").click()
    anna.page.click("dialog [aria-label=More]")
    anna.page.click("dialog button[type=submit]")
    anna.until_("3 l", lambda: quantity(anna, "Milk") == "3 l")
    anna.row("Flour").locator(".body").click()
    for name, value in (("Less", "50 g"), ("More", "60 g")):
        anna.page.click(f"dialog [aria-label={name}]")
        assert anna.page.input_value("dialog [name=quantity]") == value
    anna.page.click("dialog button[type=submit]")
    anna.until_("60 g", lambda: quantity(anna, "Flour") == "60 g" and anna.page.locator("dialog").count() == 0)
    for line, choice, expected in (("Milk, 2 l", "Make it 2 l", ["2 l"]), ("milk, 3 l", "Make it 5 l", ["5 l"]),
                                   ("Milk, 2 l", "Add another row", ["5 l", "2 l"])):
        anna.add(line).page.click(f"dialog button:has-text('{choice}')")
        anna.until_(choice, lambda: anna.page.locator(".row:has-text('Milk') .quantity").all_text_contents() == expected)
    anna.add("Flour, 1 kg").page.wait_for_selector("dialog:has-text('The list says 60 g, you have written 1 kg.')")
    anna.page.keyboard.press("Escape")
    anna.until_("the line is back", lambda: anna.page.input_value(".addline input") == "Flour, 1 kg")
    assert quantity(anna, "Flour") == "60 g"
    assert "60 g" in anna.page.locator(".row:has-text('Flour')").aria_snapshot().split("checkbox")[1].split("\n")[0]


def test_what_is_done_is_folded_away_on_this_device(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Done").add("Milk", "Bread", "Eggs").check("Bread")
    anna.sees("Milk", "Eggs", "Bread")
    anna.page.click(".fold")
    assert not anna.row("Bread").is_visible() and anna.page.get_attribute(".fold", "aria-expanded") == "false"
    anna.settled().reload().sees("Milk", "Eggs", "Bread")
    assert not anna.row("Bread").is_visible() and anna.row("Eggs").is_visible()
    anna.page.press(".fold", "Enter")
    assert anna.row("Bread").is_visible() and anna.page.evaluate("document.activeElement.className") == "fold"


def test_a_person_who_may_only_look_reads_plain_text(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Look").add("Honey, 1 jar").edit("Honey", note="the dark one", aisle="Larder").settled()
    anna.page.click(".faces")
    anna.page.select_option(".invite select", "readOnly")
    anna.page.click(".invite .primary")
    anna.page.wait_for_selector(".code svg")
    link = anna.page.input_value(".linkline input").replace(anna.cable.address, "")
    ben = app(**PHONE).open(link).sign_up("Ben")
    ben.page.click(".invitation .primary")
    ben.until_("the item", lambda: ben.texts == ["Honey"])
    assert not ben.row("Honey").locator(".check .icon").is_visible()
    ben.row("Honey").locator(".body").click()
    ben.page.wait_for_selector("dialog dl")
    assert ben.page.locator("dialog dd").all_text_contents() == ["Honey", "1 jar", "Larder", "the dark one"]
    assert ben.page.locator("dialog :is(input, textarea)").count() == 0
    ben.evaluate("(device, list) => device.dispatchEvent(new CustomEvent('list', { detail: { list } }))", ben.list)
    anna.evaluate("(device, list) => device.perform(list, [{ operation: 'edit', item: device.states.get(list).items[0].id, fields: { note: null } }])", anna.list)
    ben.until_("it follows", lambda: ben.page.locator("dialog dd").all_text_contents() == ["Honey", "1 jar", "Larder"])


def test_forms_say_what_is_wrong_at_the_field_in_the_pages_language(app):
    anna = app(locale="de-DE", **PHONE).open()
    anna.fill("name", "Anna")
    anna.fill("email", "keine Adresse")
    anna.page.click(SUBMIT)
    problem = anna.page.locator(".field:has([name=email]) .problem")
    assert problem.text_content() == "Das ist keine E-Mail-Adresse."
    assert anna.page.get_attribute("[name=email]", "aria-invalid") == "true"
    anna.fill("email", "anna@example.com")
    assert not problem.is_visible()
    anna.page.click(SUBMIT)
    assert anna.page.locator(".field:has([name=password]) .problem").text_content() == "Bitte fülle das aus."


def test_signing_out_ends_on_signing_in_and_deleting_asks_twice(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Out").settled()
    anna.page.click(".account")
    anna.page.click("dialog .part:last-child summary")
    action = anna.page.locator("dialog .part:last-child [type=submit]")
    assert "danger" in action.get_attribute("class")
    anna.page.fill("dialog .part:last-child input", "correct horse")
    action.click()
    anna.page.wait_for_selector("dialog:has-text('This can’t be undone.') >> nth=-1")
    anna.until_("it asks", lambda: anna.page.locator("dialog").count() == 2)
    anna.page.locator("dialog").last.locator(".quiet").click()
    anna.until_("it is not done", lambda: anna.page.locator("dialog").count() == 1)
    anna.page.click("dialog .menu-item:has-text('Sign out')")
    anna.page.click("dialog:has-text('Your lists leave this device') .primary")
    anna.page.wait_for_selector("button[type=submit]:has-text('Sign in')")
    assert anna.page.locator("input[name=name]").count() == 0


def test_the_activity_says_what_was_renamed_and_removed(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Words").add("Sea salt, 1 kg").edit("Sea salt", quantity="")
    anna.row("Sea salt").locator(".body").click()
    anna.page.fill("dialog [name=text]", "Iodised salt")
    anna.page.click("dialog button[type=submit]")
    anna.sees("Iodised salt").settled()
    anna.add("Milk").check("Iodised salt").settled()
    anna.menu("Activity")
    anna.page.wait_for_selector(".activity .words")
    lines = anna.page.locator(".activity .text").all_text_contents()
    assert "Anna renamed Sea salt to Iodised salt" in lines and any(line.startswith("Anna removed the quantity of ") for line in lines), lines
    # Back in time: what is wanted comes first, and each step says what it changed.
    anna.page.click("details.time summary")
    anna.until_("wanted first", lambda: anna.page.locator(".preview li").all_text_contents() == ["Milk", "Iodised salt"])
    assert anna.page.text_content(".step") == "Anna marked off Iodised salt"


def test_texts_in_the_other_direction_stand_by_their_circle(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Both").add("חלב", "Milk").sees("חלב", "Milk")
    lefts = anna.page.evaluate("[...document.querySelectorAll('.row .text')].map(text => Math.round(text.getBoundingClientRect().left))")
    assert lefts[0] == lefts[1]
    anna.evaluate("(device, list) => device.perform(list, [{ operation: 'message', fields: { text: 'Hello' } }])", anna.list)
    anna.menu("Messages")
    anna.page.wait_for_selector(".talk .mine")
    assert anna.page.evaluate("""() => {
        const [face, said] = document.querySelectorAll('.talk .mine > :is(.face, .said)');
        return face.getBoundingClientRect().left > said.getBoundingClientRect().left;
    }""")


def test_presence_ends_when_the_line_is_lost(app):
    anna = app(**DESKTOP)
    anna.page.clock.install()
    anna.newcomer("Anna").new_list("Here").add("Milk").settled()
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk")
    anna.until_("Ben is here", lambda: anna.page.locator(".face[data-here]").count() > 0)
    anna.cable.cut()
    anna.page.clock.run_for(46_000)
    until(lambda: anna.page.locator(".face[data-here]").count() == 0, "nobody is shown as here")
    anna.until_("not in step", lambda: "In step" not in (anna.page.get_attribute(".main .status", "aria-label") or ""))


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_one_tap_makes_it_one_more(app, options):
    anna = app(**options).newcomer("Anna").new_list("More").add("Milk, 2 l", "Bread", "Flour, 0.5 kg", "Salt")
    more = {text: anna.row(text).locator(".more") for text in ("Milk", "Bread", "Flour", "Salt")}

    def becomes(text, amount):
        anna.until_(f"{text}: {amount}", lambda: quantity(anna, text) == amount)

    box = more["Milk"].bounding_box()
    assert box["width"] >= 44 and box["height"] >= 44
    more["Milk"].click()
    becomes("Milk", "3 l")
    assert more["Milk"].get_attribute("aria-label") == "One more Milk"
    # Of taps that follow each other faster than the list is stored, each counts.
    more["Bread"].evaluate("button => { for (let tap = 0; tap < 3; tap++) button.click(); }")
    becomes("Bread", "4")
    more["Bread"].press("Enter")
    becomes("Bread", "5")
    anna.page.click("[aria-label^='Undo']")
    becomes("Bread", "4")
    # A quantity that isn't a whole number is the person's.
    assert more["Flour"].is_hidden()
    anna.check("Salt")
    anna.until_("nothing is bought twice", lambda: more["Salt"].is_hidden())
    anna.settled().reload()
    becomes("Bread", "4")
    becomes("Milk", "3 l")
    anna.shop()
    anna.until_("not while shopping", lambda: more["Bread"].is_hidden())


def test_a_screen_that_could_not_be_loaded_ahead_is_loaded_when_it_is_needed(app):
    anna = app()
    anna.page.route("**/ui/list.js", lambda route: route.abort())
    # Nothing complains of it.
    with anna.page.expect_event("requestfailed", lambda request: request.url.endswith("/ui/list.js")):
        anna.newcomer("Anna")
    anna.page.unroute("**/ui/list.js")
    anna.new_list("Late").add("Milk").sees("Milk")
