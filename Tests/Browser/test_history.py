"""The Activity: who did what, bringing an item back, and putting the list back; and what a device knows without the service."""

import pytest

from app import TWICE

pytestmark = pytest.mark.without_worker


def activity(app):
    app.page.click(".main [aria-label='More']")
    app.page.click("dialog button:has-text('Activity')")
    app.page.wait_for_selector(".activity li .words")
    return app


def lines(app):
    return app.page.locator(".activity li .words .text").all_text_contents()


def test_the_activity_says_who_did_what_and_brings_an_item_back(app):
    anna = app().newcomer("Anna").new_list("Who").add("Milk", "Eggs")
    ben = app().join(anna.link(), "Ben").sees("Milk", "Eggs")
    ben.check("Milk").settled()
    anna.until_("marked off", lambda: any(item["markedOff"] for item in anna.state()["items"]))
    activity(anna)
    assert any("Ben" in line and "Milk" in line for line in lines(anna)), lines(anna)
    anna.page.click(".chips button:has-text('Ben')")
    anna.until_("only Ben's", lambda: lines(anna) and all("Ben" in line for line in lines(anna)))
    anna.page.click(".activity button:has-text('Bring back')")
    anna.until_("wanted again", lambda: not any(item["markedOff"] for item in anna.state()["items"]))
    anna.page.keyboard.press("Escape")
    # Of one item alone.
    anna.row("Eggs").locator(".body").click()
    anna.page.click("dialog [aria-label=History]")
    anna.until_("only what was done to it", lambda: lines(anna) and all("Eggs" in line for line in lines(anna)))


def test_a_list_is_put_back_to_a_moment_and_that_is_one_gesture(app):
    anna = app().newcomer("Anna").new_list("Moment").add("Milk", "Bread").settled()
    moment = anna.through
    anna.add("Soap").check("Milk").settled()
    activity(anna).page.click("dialog summary:has-text('Back in time')")
    anna.page.wait_for_selector(".preview li")
    anna.page.fill("input[type=range]", str(moment))
    anna.until_("the list as it was", lambda: anna.page.locator(".preview li").all_text_contents() == ["Milk", "Bread"])
    anna.page.click("button:has-text('Put the list back')")
    anna.page.click("dialog .actions .primary")
    anna.until_("as it was", lambda: [(item["text"], item["markedOff"]) for item in (
        {**item["fields"], **item} for item in anna.state()["items"])] == [("Milk", False), ("Bread", False)])
    anna.settled().page.click("[aria-label=Undo]")
    anna.until_("and back again", lambda: {(item["text"], item["markedOff"]) for item in anna.state()["items"]} == {("Milk", True), ("Bread", False), ("Soap", False)})


def test_two_taps_ask_once_whether_to_put_a_list_back(app):
    anna = app().newcomer("Anna").new_list("Twice").add("Milk").settled()
    moment = anna.until_("it has come back", lambda: anna.through)
    anna.add("Soap").settled().until_("it has come back", lambda: (anna.through or 0) > moment)
    activity(anna).page.click("dialog summary:has-text('Back in time')")
    anna.page.wait_for_selector(".preview li")
    anna.page.fill("input[type=range]", str(moment))
    anna.until_("the list as it was", lambda: anna.page.locator(".preview li").all_text_contents() == ["Milk"])
    anna.page.locator("button:has-text('Put the list back')").evaluate(TWICE)
    anna.page.wait_for_selector("dialog .actions .primary")
    anna.page.click("dialog .actions .primary")
    anna.until_("as it was", lambda: [item["text"] for item in anna.state()["items"]] == ["Milk"])
    anna.page.wait_for_selector("dialog", state="detached")


def test_what_waits_to_be_shown_while_shopping_goes_back_too_and_so_does_what_is_not_sent(app):
    anna = app().newcomer("Anna").new_list("Waiting").add("Milk").settled()
    ben = app().join(anna.link(), "Ben").sees("Milk").settled()
    moment = anna.until_("it has come back", lambda: anna.through)
    anna.shop()
    ben.add("Gin").settled()
    anna.until_("it waits", lambda: anna.evaluate("(device, list) => device.opened(list).waiting.length", anna.list) == 1)
    activity(anna).page.click("dialog summary:has-text('Back in time')")
    anna.page.wait_for_selector(".preview li")
    anna.page.fill("input[type=range]", str(moment))
    anna.until_("the list as it was", lambda: anna.page.locator(".preview li").all_text_contents() == ["Milk"])
    # Made here, and not sent when it is planned.
    anna.route("**/entries", lambda route: route.abort())
    anna.evaluate("(device, list) => device.perform(list, [{ operation: 'add', item: device.trolley.identifiers(new Date().toISOString())[0], after: null, fields: { text: 'Tea' } }])", anna.list)
    anna.page.click("button:has-text('Put the list back')")
    anna.page.click("dialog .actions .primary")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.page.unroute("**/entries")
    anna.evaluate("(device, list) => device.setShopping(list, false)", anna.list)
    anna.evaluate("device => device.sync('manual')")
    anna.until_("as it was", lambda: [item["text"] for item in anna.state()["items"]] == ["Milk"])
    anna.in_step_with(ben)


@pytest.mark.with_worker
@pytest.mark.parametrize("reason", ["signed out", "can’t be reached"])
def test_without_the_service_the_device_answers_from_what_it_has_and_says_so(app, reason):
    anna = app().newcomer("Anna").new_list("Known").add("Milk", "Eggs")
    ben = app().join(anna.link(), "Ben").sees("Milk", "Eggs")
    ben.check("Milk").settled()
    ben.evaluate("(device, list) => device.perform(list, [{ operation: 'message', fields: { text: 'Hello' } }])", ben.list)
    anna.until_("Ben’s message", lambda: "Hello" in (anna.page.text_content(".strip") or ""))
    anna.settled().until_("everything has come back", lambda: anna.through)
    moment = anna.through - 1
    if reason == "signed out":
        anna.context.clear_cookies()
    else:
        anna.cable.cut()
    anna.add("Bread")
    anna.until_("the status says so", lambda: anna.page.text_content(".main .status") != "In step")
    activity(anna)
    note = anna.page.locator("dialog .note[role=status]")
    anna.until_("it says so", lambda: reason in (note.text_content() or ""))
    assert lines(anna) == ["Anna added Bread", "Ben wrote “Hello”", "Ben marked off Milk", "Anna added Eggs", "Anna added Milk",
                           "Anna coloured the list", "Anna named the list “Known”"]
    assert "waits to be sent" in anna.page.locator(".activity li .sub").first.text_content()
    anna.page.click(".chips button:has-text('Ben')")
    anna.until_("only Ben's", lambda: lines(anna) == ["Ben wrote “Hello”", "Ben marked off Milk"])
    anna.page.click("dialog summary:has-text('Back in time')")
    anna.page.fill("input[type=range]", str(moment - 1))
    anna.until_("the list as it was", lambda: anna.page.locator(".preview li:not(.done)").all_text_contents() == ["Milk", "Eggs"])
    assert "as this device knows it" in anna.page.text_content(".moment") and anna.page.is_disabled("button:has-text('Put the list back')")
    anna.page.keyboard.press("Escape")
    # The people, and the messages.
    anna.page.click(".faces")
    anna.until_("the people", lambda: [text.split(" ")[0] for text in anna.page.locator("dialog .people li:not(.note) .text").all_text_contents()] == ["Anna", "Ben"])
    if reason == "signed out":
        assert "You are signed out" in anna.page.text_content("dialog .people")
    anna.page.keyboard.press("Escape")
    anna.page.click(".strip")
    anna.until_("the messages", lambda: anna.page.locator(".talk .said p").all_text_contents() == ["Hello"])


def test_a_device_keeps_the_latest_two_thousand_purchases_of_compressed_entries(app):
    anna = app().newcomer("Anna").new_list("Much").add("Milk").settled()
    # An answer that comes meanwhile would have another token.
    anna.until_("it has come back", lambda: anna.through is not None)
    anna.cable.cut()
    kept = anna.evaluate("""async (device, list) => {
        const [row] = await device.store.lists();
        const purchase = number => ({
            list, entry: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`, text: 'Tea', number,
            at: new Date(number * 1000).toISOString(),
        });
        await device.store.database.write(['bought'], async t => {
            for (let number = 1; number <= 2005; number++) t.put('bought', purchase(number));
        });
        const discard = { sequence: row.through + 1, type: 'discard', entries: [], anchors: [] };
        await device.store.receive(
            { lists: [{ id: list, changes: [discard], token: row.token, moreComing: false }], expired: [], gone: [] },
            { tokens: { [list]: row.token } },
            { now: new Date(), trolley: device.trolley, shown: new Set(), loadLater: () => device.later() });
        return (await device.store.past(list)).bought.map(({ number }) => number);
    }""", anna.list)
    assert sorted(kept) == list(range(6, 2006))
