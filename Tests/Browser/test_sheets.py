"""Sheets while others go on: what they cover, follow, ask, and keep."""

import pytest

from app import DESKTOP, PHONE, TWICE
from test_screens import look

pytestmark = pytest.mark.without_worker

SHORT = {**PHONE, "viewport": {"width": 390, "height": 508}}
# The buttons of the sheet in front that something else covers, once they are scrolled into sight.
COVERED = """() => [...document.querySelectorAll('dialog .sheet-head button, dialog .sheet-body :is(button, input)')].filter(element => {
    if (!element.checkVisibility()) return false;
    element.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return !element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map(element => element.outerHTML)"""


@pytest.mark.parametrize("size", [PHONE, SHORT, DESKTOP], ids=["phone", "short", "desktop"])
def test_messages_cover_neither_a_sheet_nor_rows(app, size):
    anna = app(reduced_motion="reduce", **size).newcomer("Anna").new_list("Covered").paste("\n".join(f"Item {n}" for n in range(30)))
    anna.until_("the rows", lambda: len(anna.texts) == 30)
    anna.row("Item 0").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.page.wait_for_selector("#toasts button")
    boxes = [anna.page.locator(place).bounding_box() for place in (".scroller", "#toasts .toast", ".foot")]
    assert all(above["y"] + above["height"] <= below["y"] for above, below in zip(boxes, boxes[1:])), boxes
    anna.settled()
    anna.menu("Share")
    anna.page.wait_for_selector(".invite .primary")
    anna.evaluate("device => device.noteTrouble(Object.assign(new Error('full'), { kind: 'full' }))")
    anna.page.wait_for_selector("dialog #toasts .toast.error")
    assert anna.page.evaluate(COVERED) == []
    anna.page.click(".invite .primary")
    anna.page.wait_for_selector(".code svg")
    assert anna.page.evaluate(COVERED) == []


def test_back_closes_the_sheet_in_front_and_then_the_list(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Back").add("Milk")
    page, address = anna.page, anna.page.url
    for _ in range(2):
        anna.menu("Activity")
        page.wait_for_selector(".activity .words")
        page.go_back()
        page.wait_for_selector("dialog", state="detached")
        assert page.url == address
    # A sheet that was closed by itself leaves nothing behind.
    page.click("[aria-label=More]")
    page.wait_for_selector("dialog")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    anna.until_("the entry is gone", lambda: page.evaluate("history.state") is None)
    page.go_back()
    page.wait_for_selector(".card")


def test_an_open_item_follows_what_others_do_and_asks_where_both_changed_it(app, screenshots):
    anna = app(**PHONE).newcomer("Anna").new_list("Both").add("Honey, 1 jar").settled()
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Honey")
    item = anna.state()["items"][0]["id"]

    def ben_does(operation, **fields):
        ben.evaluate("(device, [list, draft]) => device.perform(list, [draft])", [
            ben.list, {"operation": operation, "item": item, **({"fields": fields} if fields else {})}])

    anna.row("Honey").locator(".body").click()
    anna.page.fill("dialog [name=quantity]", "2 jars")
    ben_does("edit", note="the dark one")
    anna.until_("the note follows", lambda: anna.page.input_value("dialog [name=note]") == "the dark one")
    ben_does("edit", quantity="3 jars")
    anna.page.wait_for_selector("dialog :text('Ben has written “3 jars” in the meantime.')")
    assert anna.page.input_value("dialog [name=quantity]") == "2 jars"
    look(anna, "both", screenshots, "phone")
    anna.page.click("dialog button[type=submit]")
    anna.until_("the choice has the focus", lambda: anna.page.evaluate("document.activeElement.textContent") == "Take theirs")
    anna.page.click("dialog button:has-text('Keep mine')")
    anna.page.click("dialog button[type=submit]")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.in_step_with(ben)
    assert {**anna.state()["items"][0]["fields"], "aisle": None} == {"text": "Honey", "quantity": "2 jars", "note": "the dark one", "aisle": None}
    # What is deleted comes back only if the person says so.
    anna.row("Honey").locator(".body").click()
    anna.page.fill("dialog [name=note]", "the light one")
    ben_does("delete")
    anna.page.wait_for_selector("dialog :text('Ben has deleted this item.')")
    # Beside the sheet, and below what is told at the top.
    anna.page.mouse.click(200, anna.page.locator("dialog").bounding_box()["y"] - 40)
    anna.page.click("dialog button:has-text('Discard')")
    anna.page.wait_for_selector("dialog", state="detached")
    assert anna.operations()[-1] == "delete"


def test_two_taps_save_a_sheet_once(app):
    anna = app().newcomer("Anna").new_list("Once").add("Milk").settled()
    anna.row("Milk").locator(".body").click()
    anna.page.fill("dialog [name=note]", "made of oats")
    anna.page.locator("dialog [type=submit]").evaluate(TWICE)
    anna.page.wait_for_selector("dialog", state="detached")
    anna.settled()
    assert anna.operations().count("edit") == 1


def test_what_is_half_typed_outlives_another_list_and_a_reload_but_not_the_session(app):
    anna = app(**PHONE).newcomer("Anna").new_list("One")
    anna.page.fill(".addline input", "half a line")
    anna.page.click(".back")
    anna.new_list("Two")
    assert anna.page.input_value(".addline input") == ""
    anna.page.click(".back")
    anna.open_list("One").reload()
    anna.until_("it is there", lambda: anna.page.input_value(".addline input") == "half a line")
    anna.page.press(".addline input", "Enter")
    anna.sees("half a line").settled().reload().sees("half a line")
    assert anna.page.input_value(".addline input") == ""
    anna.page.fill(".addline input", "a secret")
    anna.evaluate("device => device.signOut()")
    anna.page.wait_for_selector("input[name=password]")
    assert anna.page.evaluate("sessionStorage.length") == 0


def test_what_was_sent_just_before_a_reload_is_on_the_list_once(app):
    # Adding waits for the catalogue, at most 300 ms: the page that waits may go.
    anna = app().newcomer("Anna").new_list("One")
    texts = [f"Thing {number}" for number in range(3)]
    for text in texts:
        anna.page.fill(".addline input", text)
        anna.page.press(".addline input", "Enter")
        anna.reload()
        anna.until_("it is there", lambda: text in anna.texts)
    anna.settled().reload().sees(*texts)
    assert anna.page.evaluate("sessionStorage.length") == 0


def test_the_date_of_a_link_is_no_time_of_day(app):
    anna = app().newcomer("Anna")
    read = anna.page.evaluate("""async () => {
        const { time, clock } = await import(document.querySelector('script[type=module]').src.replace('main.js', 'text.js'));
        const days = Array.from({ length: 62 }, (_, day) => Date.now() + (day + 1) * 86400000);
        return days.filter(at => time(at) === clock(at)).length;
    }""")
    assert read == 0
