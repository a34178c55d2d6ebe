"""What people say on a list, how far it has come, and summaries."""

import pytest

from app import PHONE

pytestmark = pytest.mark.without_worker


def open_messages(one):
    one.page.click("header .icon-button[aria-label=More]")
    one.page.click("dialog .menu-item:has-text('Messages')")
    one.page.wait_for_selector(".say textarea")
    return one


def say(one, text):
    one.page.fill(".say textarea", text)
    one.page.press(".say textarea", "Enter")
    one.until_("it is said", lambda: text in said(one))


def said(one):
    return one.page.locator(".talk .said p").all_text_contents()


def tick(one, text):
    return one.page.locator(".talk li", has_text=text).locator(".tick").get_attribute("data-tick")


def close(one):
    one.page.click("dialog .sheet-head .icon-button")
    one.page.wait_for_selector("dialog", state="detached")


def test_messages_reactions_pins_and_how_far_they_have_come(app):
    anna = app().newcomer("Anna").new_list("Party").add("Cake")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Cake")
    anna.settled()
    open_messages(anna)
    say(anna, "Is 6 too early?\n<b>No</b> 🎂")
    # Markup is text; Ben has the list open, so he sees that there is something.
    ben.until_("the strip", lambda: ben.page.is_visible(".strip") and "Anna: Is 6" in ben.page.text_content(".strip"))
    anna.until_("Ben has seen it", lambda: tick(anna, "Is 6") == "seen")
    ben.page.click(".strip")
    ben.until_("the message", lambda: said(ben) == ["Is 6 too early?\n<b>No</b> 🎂"])
    ben.page.click(".talk .mini summary")
    ben.page.click(".talk [aria-label='React with 👍']")
    anna.until_("the reaction", lambda: anna.page.locator(".talk .reactions .chip").all_text_contents() == ["👍 1"])
    say(ben, "Fine")
    anna.until_("the answer", lambda: said(anna)[-1] == "Fine")
    # A reaction of one's own goes with a tap, and only one's own.
    anna.page.click(".talk .reactions .chip")
    anna.until_("two", lambda: anna.page.locator(".talk .reactions .chip").all_text_contents() == ["👍 2"])
    anna.page.click(".talk .reactions .chip")
    ben.until_("one again", lambda: ben.page.locator(".talk .reactions .chip").all_text_contents() == ["👍 1"])
    # The last message's menu is whole on the screen, also at the end of a small one.
    ben.page.locator(".talk .mini summary").last.click()
    ben.until_("the menu", lambda: ben.page.locator(".talk .mini .menu").last.evaluate(
        "menu => { const { top, bottom } = menu.getBoundingClientRect(); return top >= 0 && bottom > top && bottom < innerHeight + 1; }"))
    # It stays open, with the focus in it, while its message is drawn anew.
    ben.page.locator(".talk .mini .menu-item").last.focus()
    assert ben.evaluate("""async (device, list) => {
        device.dispatchEvent(new CustomEvent('list', { detail: { list } }));
        await new Promise(requestAnimationFrame);
        return document.activeElement.matches('.talk .mini[open] .menu-item');
    }""", ben.list), "nothing about it has changed"
    line = ben.page.locator(".talk li").last.evaluate_handle("line => line")
    anna.page.locator(".talk li", has_text="Fine").locator(".mini summary").click()
    anna.page.locator(".talk li", has_text="Fine").locator("[aria-label='React with 👍']").click()
    ben.until_("another line", lambda: not line.evaluate("line => line.isConnected"))
    assert ben.page.evaluate("document.activeElement.matches('.talk .mini[open] .menu-item')")
    ben.page.locator(".talk .mini summary").last.click()
    # Ben may not delete Anna's message; Anna pins it, and it stays on top of the list when all is read.
    assert ben.page.locator(".talk li", has_text="Is 6").locator(".danger").count() == 0
    anna.page.locator(".talk li", has_text="Is 6").locator(".mini summary").click()
    anna.page.locator(".talk li", has_text="Is 6").locator(".menu-item:has-text('Pin')").click()
    close(ben)
    ben.until_("the pin", lambda: "Is 6" in ben.page.text_content(".strip") and ben.page.is_visible(".strip"))
    anna.page.locator(".talk li", has_text="Fine").locator(".mini summary").click()
    # She owns the list.
    anna.page.locator(".talk li", has_text="Fine").locator(".danger").click()
    anna.until_("it is gone", lambda: len(said(anna)) == 1)
    open_messages(ben)
    ben.until_("for Ben, too", lambda: len(said(ben)) == 1)


@pytest.mark.with_worker
def test_messages_written_offline_wait_and_survive_a_reload(app):
    anna = app().newcomer("Anna").new_list("Offline").add("Cake")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Cake")
    anna.settled().cable.cut()
    open_messages(anna)
    say(anna, "In the cellar")
    assert tick(anna, "In the cellar") == "queued"
    anna.until_("it is stored", lambda: anna.waiting() == 1)
    anna.reload()
    anna.sees("Cake")
    open_messages(anna)
    anna.until_("it is still there", lambda: said(anna) == ["In the cellar"])
    assert tick(anna, "In the cellar") == "queued"
    anna.cable.mend()
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    ben.until_("Ben gets it", lambda: ben.page.is_visible(".strip") and "In the cellar" in ben.page.text_content(".strip"))
    anna.until_("it is sent", lambda: tick(anna, "In the cellar") != "queued")
    # Undo is about the list, not about what was said.
    close(anna)
    anna.page.click("header .icon-button[aria-label=Undo]")
    anna.until_("the cake is gone", lambda: anna.texts == [])
    assert anna.evaluate("async (device, list) => (await device.open(list)).handle.messages().count", anna.list) == 1


def test_a_message_that_is_not_saved_comes_back_before_what_was_typed_since(app):
    anna = open_messages(app().newcomer("Anna").new_list("Typed").settled())
    anna.evaluate("""device => {
        device.perform = () => new Promise((_, refuse) => {
            globalThis.refuse = () => refuse(Object.assign(new Error('no room'), { kind: 'full' }));
        });
    }""")
    field = ".say textarea"
    anna.page.fill(field, "Hello")
    anna.page.press(field, "Enter")
    anna.until_("it is being saved", lambda: anna.page.evaluate("!!globalThis.refuse"))
    anna.page.fill(field, "Is 6")
    anna.page.evaluate("refuse()")
    anna.until_("both", lambda: anna.page.input_value(field) == "Hello\nIs 6")
    open_messages(anna.reload()).until_("both are kept", lambda: anna.page.input_value(field) == "Hello\nIs 6")


def test_a_message_about_an_item_stands_with_it(app):
    anna = app().newcomer("Anna").new_list("Items").add("Cake", "Candles")
    anna.row("Cake").locator(".body").click()
    anna.page.click("dialog [aria-label='About Cake']")
    anna.page.wait_for_selector(".say textarea")
    say(anna, "Chocolate")
    close(anna)
    anna.row("Candles").locator(".body").click()
    anna.page.click("dialog [aria-label='About Candles']")
    anna.page.wait_for_selector(".talk .hint")
    close(anna)
    open_messages(anna)
    assert "Cake" in anna.page.text_content(".talk li .sub") and said(anna) == ["Chocolate"]


def test_a_summary_says_what_somebody_did_and_can_be_switched_off(app):
    anna = app().newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk")
    anna.settled()
    anna.page.evaluate("location.hash = '#/'")
    anna.until_("she has left", lambda: anna.page.locator(".addline").count() == 0)
    ben.add("Bread", "Butter").check("Milk").settled()
    ben.page.evaluate("location.hash = '#/'")
    anna.until_("the summary", lambda: anna.page.locator(".card .summary").all_text_contents() == ["Ben: added 2, marked off 1"])
    anna.open_list("Weekly")
    anna.until_("read", lambda: anna.page.locator(".card .summary").count() == 0)
    anna.menu("List settings", "Notices")
    anna.page.wait_for_selector("[name=level]")
    assert anna.page.locator("[name=level]").nth(1).is_checked()
    anna.page.locator("[name=level]").nth(2).check()
    anna.until_("it is kept", lambda: anna.evaluate(
        "async (device, list) => (await (await fetch(`/v1/lists/${list}/notifications`)).json()).level", anna.list) == "nothing")
