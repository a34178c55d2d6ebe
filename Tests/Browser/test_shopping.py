"""While shopping, no row moves unless the person asks for it."""

import pytest

from app import DESKTOP, PHONE

pytestmark = pytest.mark.without_worker

ITEMS = ["Milk", "Bread", "Eggs", "Salt"]


def places(app):
    """Where each row is on the screen."""
    return app.page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('.row')].map(row =>
        [row.querySelector('.text').textContent, Math.round(row.getBoundingClientRect().y)]))""")


def stay(app, what, before):
    """The page has been laid out again, and every row is where it was."""
    app.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    now = places(app)
    assert {text: abs(now[text] - y) <= 1 for text, y in before.items()} == {text: True for text in before}, f"{what}: {before} {now}"


@pytest.mark.parametrize("count, scrolled", [(4, 0), (40, 0), (40, 500)])
def test_what_appears_and_goes_above_the_rows_moves_none(app, count, scrolled):
    anna = app(**PHONE).newcomer("Anna").new_list("Shop").paste("\n".join([*ITEMS, *(f"Item {n}" for n in range(count - 4))]))
    anna.until_("the rows", lambda: len(anna.texts) == count)
    ben = app(**DESKTOP).join(anna.link(), "Ben")
    ben.until_("the rows", lambda: len(ben.texts) == count)
    anna.shop()
    anna.page.evaluate("top => { document.querySelector('.scroller').scrollTop = top; }", scrolled)
    before = places(anna)

    def tell(operation, **fields):
        return ben.evaluate("(device, [list, drafts]) => device.perform(list, drafts)", [ben.list, [{"operation": operation, "fields": fields}]])

    message, = tell("message", text="Shall I get candles too?")
    anna.until_("the strip", lambda: anna.page.is_visible(".strip"))
    stay(anna, "a message", before)
    ben.add("Strawberries, a very large basket of the small ones", "Cream", "Candles for the cake")
    anna.until_("the notice", lambda: anna.page.is_visible(".notice") and "Candles" in anna.page.text_content(".notice"))
    stay(anna, "a notice", before)
    tell("renameList", text="Everything for the party on Saturday evening at Grandmother’s house in the country")
    anna.until_("the name", lambda: "Grandmother" in anna.page.text_content(".title h1"))
    stay(anna, "a long name", before)
    tell("deleteMessage", message=message)
    anna.until_("no strip", lambda: not anna.page.is_visible(".strip"))
    stay(anna, "the message is deleted", before)
    tell("renameList", text="Party")
    anna.until_("the name", lambda: anna.page.text_content(".title h1") == "Party")
    stay(anna, "a short name", before)


def test_a_sheet_shows_what_has_changed_without_a_trace_in_its_row(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Aisle").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    anna.shop()
    ben.edit("Milk", aisle="Dairy")
    anna.until_("the aisle", lambda: anna.state()["items"][0]["fields"].get("aisle") == "Dairy" or anna.page.is_visible(".notice"))
    if anna.page.is_visible(".notice"):
        anna.page.click(".notice button")
    anna.until_("the aisle", lambda: anna.page.locator(".rows h2:visible").all_text_contents() == ["Dairy"])
    anna.row("Milk").locator(".edit").click()
    assert anna.page.input_value("dialog [name=aisle]") == "Dairy"


def test_a_button_that_is_drawn_anew_under_the_mouse_is_pressed(app):
    anna = app().newcomer("Anna").new_list("Pressed").add("Milk").settled()
    box = anna.page.locator(".faces").bounding_box()
    anna.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    anna.page.mouse.down()
    # As when the answer to the last change arrives.
    drawn = anna.page.evaluate("""list => {
        const before = document.querySelector('.faces').firstChild;
        return import(document.querySelector('script[type=module]').src).then(({ running }) => {
            running.device.dispatchEvent(new CustomEvent('list', { detail: { list } }));
            return before !== document.querySelector('.faces').firstChild;
        });
    }""", anna.list)
    assert drawn
    anna.page.mouse.up()
    anna.page.wait_for_selector(".invite .primary")


def test_the_read_mark_stops_before_what_waits(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Marks").add("Milk").settled()
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    anna.shop()
    ben.add("Eggs").settled().until_("it has come back", lambda: ben.through is not None)
    eggs = ben.through
    ben.check("Milk").settled()
    anna.until_("what shows at once", lambda: anna.page.is_visible(".notice") and anna.state()["items"][0]["markedOff"])
    anna.evaluate("(device, list) => device.noteSeen(list)", anna.list)
    read = lambda: anna.evaluate("(device, list) => device.rows.get(list).read ?? 0", anna.list)
    assert read() < eggs
    anna.page.click(".notice button")
    anna.until_("all is read", lambda: read() == anna.through)
