"""Where the keyboard is after each step, and what a screen reader hears."""

import pytest

from app import DESKTOP, PHONE

pytestmark = pytest.mark.without_worker

FOCUSED = """() => {
    const { activeElement: element } = document;
    return [element.className.split(' ')[0], element.closest('.row')?.querySelector('.text').textContent ?? null];
}"""


def focused(app, *expected):
    """The element with the focus: its class, and the text of its row."""
    app.until_(lambda: f"the focus on {expected}, not {app.page.evaluate(FOCUSED)}", lambda: app.page.evaluate(FOCUSED) == list(expected))


def test_the_focus_goes_on_when_its_row_goes(app):
    anna = app().newcomer("Anna").new_list("Focus").add("Milk", "Bread", "Eggs", "Salt").settled()
    anna.row("Milk").locator(".body").press("Enter")
    anna.page.locator("dialog [aria-label=Delete]").press("Enter")
    focused(anna, "body", "Bread")
    anna.row("Salt").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    focused(anna, "check", "Eggs")
    # Deleted elsewhere.
    anna.evaluate("(device, [list, item]) => device.perform(list, [{ operation: 'delete', item }])", [anna.list, anna.state()["items"][1]["id"]])
    focused(anna, "check", "Bread")
    anna.page.keyboard.press("Delete")
    focused(anna, "scroller", None)
    # In shopping mode the row stays, struck through.
    anna.add("Tea", "Rice").shop()
    anna.row("Tea").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    focused(anna, "check", "Rice")
    anna.page.locator(".tidy").press("Enter")
    focused(anna, "check", "Rice")


def test_the_focus_goes_to_what_others_have_added(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Show").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    anna.shop()
    ben.add("Eggs")
    anna.until_("the notice", lambda: anna.page.is_visible(".notice"))
    anna.page.focus(".notice button")
    ben.add("Tea")
    anna.until_("the notice", lambda: "Tea" in anna.page.text_content(".notice"))
    assert anna.page.evaluate("document.activeElement.textContent") == "Show"
    anna.page.keyboard.press("Enter")
    focused(anna, "check", "Eggs")


def test_bring_back_keeps_the_focus(app):
    anna = app().newcomer("Anna").new_list("Back").add("Milk", "Bread")
    anna.row("Milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.sees("Bread").settled()
    anna.page.click("[aria-label=More]")
    anna.page.click(".menu-item:has-text('Activity')")
    button = anna.page.locator(".activity li:has-text('deleted Milk') button")
    button.press("Enter")
    anna.sees("Milk", "Bread")
    assert button.evaluate("element => element === document.activeElement && element.ariaDisabled") == "true"


def test_a_card_keeps_the_focus_while_the_cards_are_drawn_again(app):
    anna = app().newcomer("Anna").new_list("Here").add("Milk")
    away = anna.evaluate("""async device => {
        const { arrange } = await import(new URL('device/arranging.js', document.querySelector('script[type=module][src*="/app/"]').src));
        const list = await device.makeList('Away');
        await arrange(device, new Map([[list, { archived: true }]]));
        return list;
    }""")
    anna.page.click(".archive summary")
    for list_, name, wanted in ((anna.list, "Here", "2 to get"), (away, "Away", "1 to get")):
        card = anna.page.locator(f".card:has-text('{name}')")
        card.focus()
        anna.evaluate("(device, list) => device.add(list, 'Bread')", list_)
        anna.until_("it is drawn again", lambda: wanted in card.text_content())
        assert card.evaluate("card => card === document.activeElement")


def test_items_are_ordered_by_buttons(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Order").add("Milk", "Bread", "Eggs")
    anna.row("Bread").locator(".body").click()
    up, down = anna.page.locator("dialog [aria-label='Move Bread up']"), anna.page.locator("dialog [aria-label='Move Bread down']")
    up.click()
    anna.sees("Bread", "Milk", "Eggs")
    anna.until_("it says so", lambda: "number 1 of 3" in anna.page.text_content("dialog .announcements"))
    anna.until_("no further", lambda: up.get_attribute("aria-disabled") == "true")
    assert down.get_attribute("aria-disabled") == "false"
    down.click()
    anna.sees("Milk", "Bread", "Eggs")
    down.click()
    anna.sees("Milk", "Eggs", "Bread")


def test_no_single_key_does_anything(app):
    anna = app().newcomer("Anna").new_list("Keys").add("Milk")
    anna.page.focus(".scroller")
    for key in ("n", "/"):
        anna.page.keyboard.press(key)
    focused(anna, "scroller", None)
    assert not anna.page.is_visible(".search")


def test_a_message_over_a_sheet_can_be_used_and_heard(app):
    anna = app().newcomer("Anna").new_list("Sheet").add("Milk").settled()
    anna.row("Milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.page.wait_for_selector("#toasts button")
    anna.page.click("[aria-label=More]")
    anna.page.wait_for_selector("dialog")
    anna.page.focus("#toasts button")
    assert anna.page.evaluate("document.activeElement.textContent") == "Undo"
    anna.page.click("#toasts button")
    anna.sees("Milk")
    # What is said while a sheet is open is said inside it, in a region that was there before.
    assert anna.page.evaluate("document.querySelectorAll('dialog > .announcements').length") == 2
    anna.until_("it is heard", lambda: "Undone" in anna.page.text_content("dialog .announcements"))
    anna.evaluate("device => device.noteTrouble(Object.assign(new Error('full'), { kind: 'full' }))")
    anna.until_("it is heard at once", lambda: "no room left" in anna.page.text_content("dialog .announcements[aria-live=assertive]"))
    anna.page.keyboard.press("Escape")
    anna.page.wait_for_selector("dialog", state="detached")
    assert "no room left" in anna.page.text_content(".list #toasts")
    anna.page.click("#toasts .error .icon-button")
    anna.page.wait_for_selector("#toasts .toast", state="detached")


def test_a_notice_is_heard_once_and_keeps_its_button(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Heard").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    anna.shop()
    anna.page.evaluate("""() => {
        globalThis.heard = [];
        new MutationObserver(changes => {
            for (const { addedNodes } of changes) for (const node of addedNodes) heard.push(node.textContent);
        }).observe(document.querySelector('.announcements'), { childList: true });
    }""")
    ben.add("Eggs")
    anna.until_("the notice", lambda: anna.page.is_visible(".notice"))
    button = anna.page.locator(".notice button").element_handle()
    ben.evaluate("(device, list) => device.perform(list, [{ operation: 'message', fields: { text: 'Hello' } }])", ben.list)
    anna.until_("the strip", lambda: anna.page.is_visible(".strip"))
    ben.check("Milk")
    anna.until_("the mark", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "true")
    assert button.evaluate("element => element.isConnected")
    heard = anna.page.evaluate("heard")
    assert heard.count("New: Eggs") == 1 and heard.count("Ben: Hello") == 1, heard
