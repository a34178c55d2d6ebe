"""What the page says of the person's changes, and offers to undo."""

from app import DESKTOP

FULL = """() => {
    IDBObjectStore.prototype.realPut = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function () { throw new DOMException('no room', 'QuotaExceededError'); };
}"""
# Before it would go by itself.
SOON = 4
ROOM = "() => { IDBObjectStore.prototype.put = IDBObjectStore.prototype.realPut; }"


def said(app):
    return app.page.text_content("#toasts") or "" if app.page.locator("#toasts").count() else ""


def hears(app):
    """Keeps everything that the page says from now on."""
    app.page.evaluate("""() => {
        globalThis.heard = [];
        new MutationObserver(changes => {
            for (const { addedNodes } of changes) for (const node of addedNodes) if (node.matches?.('.toast')) heard.push(node.textContent);
        }).observe(document.body, { childList: true, subtree: true });
    }""")


def heard(app):
    return " ".join(app.page.evaluate("heard"))


def test_a_message_never_undoes_another_change_than_its_own(app):
    anna = app().newcomer("Anna").new_list("Undo").add("Milk", "Bread", "Eggs")
    anna.row("Milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("it offers undo", lambda: "deleted" in said(anna) and anna.page.is_visible("#toasts button"))
    anna.check("Bread")
    anna.until_("the offer is gone", lambda: "deleted" not in said(anna), SOON)
    # A change of somebody else, or on another list, leaves the offer.
    anna.row("Eggs").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("it offers undo", lambda: anna.page.is_visible("#toasts button"))
    anna.settled()
    anna.page.click("#toasts button")
    anna.until_("Eggs are back", lambda: "Eggs" in anna.texts)
    assert [item["markedOff"] for item in anna.state()["items"]] == [True, False]


def test_a_change_in_another_tab_takes_the_offer_back(app):
    anna = app().newcomer("Anna").new_list("Tabs").add("Milk", "Bread").settled()
    other = anna.tab().open(f"/#/list/{anna.list}").sees("Milk", "Bread")
    anna.row("Milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("it offers undo", lambda: anna.page.is_visible("#toasts button"))
    other.sees("Bread").check("Bread")
    anna.until_("the offer is gone", lambda: "deleted" not in said(anna), SOON)


def test_what_is_not_saved_is_never_said_to_be_done(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Full").add("Milk", "Bread", "Eggs").check("Eggs").settled()
    anna.row("Bread").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("deleted", lambda: anna.state()["items"][-1]["text"] == "Eggs" and len(anna.texts) == 2)
    anna.settled()
    anna.page.wait_for_selector("#toasts .toast", state="detached")
    hears(anna)
    anna.page.evaluate(FULL)

    def refused():
        anna.until_("it says why", lambda: "no room left" in said(anna))
        anna.page.click("#toasts .toast.error .icon-button")

    anna.row("Milk").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    refused()
    anna.sees("Milk", "Eggs")
    anna.page.click("[aria-label=More]")
    anna.page.click(".menu-item:has-text('Remove 1 done')")
    refused()
    anna.page.click("[aria-label=More]")
    anna.page.click(".menu-item:has-text('Activity')")
    anna.page.click(".activity li:has-text('deleted Bread') button:has-text('Bring back')")
    refused()
    anna.page.click("dialog .sheet-head .icon-button")
    assert "deleted" not in heard(anna) and "removed" not in heard(anna) and "again" not in heard(anna), heard(anna)
    # The dialogs stay open, with the text.
    anna.row("Milk").locator(".body").click()
    anna.page.fill("dialog [name=text]", "Oat milk")
    anna.page.fill("dialog [name=note]", "the one in the blue carton")
    anna.page.click("dialog button[type=submit]")
    refused()
    assert anna.page.input_value("dialog [name=note]") == "the one in the blue carton"
    anna.page.evaluate(ROOM)
    anna.page.click("dialog button[type=submit]")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.sees("Oat milk", "Eggs")
    anna.page.evaluate(FULL)
    anna.page.click("[aria-label=More]")
    anna.page.click(".menu-item:has-text('Name and colour')")
    anna.page.fill("dialog [name=name]", "Empty")
    anna.page.click("dialog button[type=submit]")
    refused()
    assert anna.page.input_value("dialog [name=name]") == "Empty"
    anna.page.evaluate(ROOM)
    anna.page.click("dialog button[type=submit]")
    anna.until_("the name", lambda: anna.page.text_content(".title h1") == "Empty")
    anna.settled()


def test_escape_leaves_an_item_as_it_was_and_a_tap_beside_saves(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Escape").add("Milk")
    anna.row("Milk").locator(".body").click()
    anna.page.fill("dialog [name=note]", "never")
    anna.page.keyboard.press("Escape")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.row("Milk").locator(".body").click()
    assert anna.page.input_value("dialog [name=note]") == "" and "without saving" in anna.page.text_content("dialog")
    anna.page.fill("dialog [name=note]", "two")
    anna.page.mouse.click(20, 20)
    anna.until_("the note", lambda: anna.row("Milk").locator(".sub").text_content() == "two")
