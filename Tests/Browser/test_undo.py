"""What the page says of the person's changes, and offers to undo."""

import pytest

from app import DESKTOP
from test_history import activity, lines
from test_status import problem

pytestmark = pytest.mark.without_worker

FULL = """() => {
    IDBObjectStore.prototype.realPut = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function () { throw new DOMException('no room', 'QuotaExceededError'); };
}"""
# Before it would go by itself: these pages are patient.
SOON = 30
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
    anna = app().patient().newcomer("Anna").new_list("Undo").add("Milk", "Bread", "Eggs")
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
    anna = app().patient().newcomer("Anna").new_list("Tabs").add("Milk", "Bread").settled()
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
    anna.menu("List settings", "Name and colour")
    anna.page.fill("dialog [name=name]", "Empty")
    anna.page.click("dialog button[type=submit]")
    refused()
    assert anna.page.input_value("dialog [name=name]") == "Empty"
    anna.page.evaluate(ROOM)
    anna.page.click("dialog button[type=submit]")
    anna.until_("the name", lambda: anna.page.text_content(".title h1") == "Empty")
    anna.settled()


def test_a_sheet_with_changes_asks_before_it_closes_and_a_tap_beside_saves(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Escape").add("Thing")
    page = anna.page

    def opens(note):
        anna.row("Thing").locator(".body").click()
        page.fill("dialog [name=note]", note)

    def closed():
        page.wait_for_selector("dialog", state="detached")
        return anna.row("Thing").locator(".sub").text_content()

    # Nothing has changed.
    anna.row("Thing").locator(".body").click()
    page.wait_for_selector("dialog")
    page.keyboard.press("Escape")
    closed()
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.click("dialog .sheet-head .icon-button"), page.go_back):
        opens("never")
        leave()
        page.wait_for_selector("dialog:has-text('Save the changes?')")
        # To go on.
        page.keyboard.press("Escape")
        anna.until_("the question is gone", lambda: page.locator("dialog").count() == 1)
        assert page.input_value("dialog [name=note]") == "never"
        leave()
        page.click("dialog button:has-text('Discard')")
        assert closed() == ""
    opens("three")
    page.keyboard.press("Escape")
    page.click("dialog button:has-text('Save')")
    assert closed() == "three"
    opens("two")
    page.mouse.click(20, 20)
    anna.until_("the note", lambda: anna.row("Thing").locator(".sub").text_content() == "two")


def test_what_follows_a_tap_at_once_comes_after_its_mark(app):
    anna = app().newcomer("Anna").new_list("At once").add("Milk").settled()
    anna.page.evaluate("""() => {
        document.querySelector('.check').click();
        document.querySelector('[aria-label=Undo]').click();
    }""")
    anna.until_("the mark is undone", lambda: anna.operations()[2:] == ["add", "markOff", "unmark"])
    anna.until_("it is shown", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "false")
    # Twice within one frame.
    anna.page.evaluate("() => { const check = document.querySelector('.check'); check.click(); check.click(); check.click(); }")
    anna.until_("marked off, and unmarked, and marked off", lambda: anna.operations()[5:] == ["markOff", "unmark", "markOff"])
    anna.until_("it is shown", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "true")


def test_a_mark_stays_while_another_change_is_shown_before_it_is_on_the_list(app):
    anna = app().newcomer("Anna").new_list("Both").add("Milk", "Bread").settled()
    seen = anna.page.evaluate("""async () => {
        const { running: { device } } = await import(document.querySelector('script[type=module]').src);
        const check = document.querySelector('.check'), seen = [];
        new MutationObserver(() => seen.push(check.getAttribute('aria-checked'))).observe(check, { attributes: true });
        check.click();
        const list = location.hash.split('/').pop(), item = device.states.get(list).items[0].id;
        await device.perform(list, [{ operation: 'edit', item, fields: { quantity: '2' } }]);
        await new Promise(done => setTimeout(done, 500));
        return seen;
    }""")
    assert set(seen) == {"true"}, seen
    assert [item["markedOff"] for item in anna.state()["items"]] == [True, False]


def test_a_mark_is_stored_when_the_page_goes_before_it_is_painted(app):
    anna = app().newcomer("Anna").new_list("Gone").add("Milk").settled()
    anna.page.evaluate("""() => {
        const wait = setTimeout;
        requestAnimationFrame = () => 0;
        setTimeout = (work, time) => time === 300 ? 0 : wait(work, time);
    }""")
    anna.row("Milk").locator(".check").click()
    anna.page.wait_for_timeout(100)
    assert "markOff" not in anna.operations()
    anna.page.evaluate("dispatchEvent(new Event('pagehide'))")
    anna.until_("the mark is stored", lambda: anna.operations()[-1] == "markOff")


MANY = "Array.from({ length: 600 }, (_, number) => ({ operation: 'add', fields: { text: `Number ${number}` } }))"


def test_what_is_done_while_many_changes_are_made_comes_after_all_of_them(app):
    anna = app().newcomer("Anna").new_list("Many").add("Milk")
    # Undoing takes back the whole gesture.
    assert anna.evaluate("""async (device, list) => {
        const many = device.perform(list, MANY), undone = device.revert('undo', list);
        await many;
        return [await undone, device.states.get(list).items.map(({ text }) => text)];
    }""".replace("MANY", MANY), anna.list) == ["done", ["Milk"]]
    # Whoever waits first is first, and later lines go below.
    assert anna.evaluate("""async (device, list) => {
        const [{ id: item }] = device.states.get(list).items;
        const rename = text => device.perform(list, [{ operation: 'edit', item, fields: { text } }]);
        await Promise.all([
            device.perform(list, MANY), rename('Oat milk'), device.perform(list, MANY), rename('Soy milk'),
            device.add(list, 'Tea'), device.add(list, 'Rice'),
        ]);
        const { items } = device.states.get(list);
        return [items.length, items.find(({ id }) => id === item).text, ...items.slice(-2).map(({ text }) => text)];
    }""".replace("MANY", MANY), anna.list) == [1203, "Soy milk", "Tea", "Rice"]


def test_many_changes_of_a_list_that_is_closed_meanwhile_are_on_no_list(app):
    anna = app().newcomer("Anna").new_list("Closed").settled()
    assert anna.evaluate("""async (device, list) => {
        const opened = device.opened(list), append = opened.append;
        opened.append = (...parts) => {
            const made = append.apply(opened, parts);
            // As when another tab signs out.
            device.lists.clear();
            return made;
        };
        const code = await device.perform(list, MANY).catch(({ code }) => code);
        return [code, device.rows.has(list)];
    }""".replace("MANY", MANY), anna.list) == ["listDeleted", False]
    assert anna.reload().open_list("Closed").state()["items"] == []


def test_a_refused_undo_that_is_made_again_is_still_an_undo_and_one_gesture(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Refused").add("Milk", "Bread", "Eggs").check("Milk").check("Bread").settled()
    anna.menu("Remove 2 done").sees("Eggs").settled()
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("permissionFailure", 403)))
    anna.page.click("[aria-label=Undo]")
    anna.until_("both are refused", lambda: anna.evaluate("device => device.store.refused()") == 2)
    anna.sees("Eggs").page.unroute("**/v1/lists/*/entries")
    anna.page.click(".side .status")
    again = anna.page.locator("dialog .refused button:has-text('Try again')")
    for left in (1, 0):
        again.first.click()
        anna.until_("it is made again", lambda left=left: again.count() == left)
    anna.page.click("dialog .sheet-head .icon-button")
    anna.until_("all has come back", lambda: anna.through is not None)
    made = anna.evaluate("""async (device, list) => (await device.store.journal(list)).stored.entries
        .filter(({ cause }) => cause === 'undo').map(({ batch, reverts }) => [batch, !!reverts])""", anna.list)
    assert len(made) == 2 and made[0] == made[1] and made[0][0] and made[0][1], made
    activity(anna).until_("both are undone in the Activity", lambda: sum("(Undo)" in line for line in lines(anna)) == 2)
    anna.page.click("dialog .sheet-head .icon-button")
    # One tap takes both back.
    anna.page.click("[aria-label=Redo]")
    anna.sees("Eggs").settled()


def test_a_refused_change_that_another_tab_has_made_again_is_not_made_twice(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Refused").add("Milk").settled()
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("permissionFailure", 403)))
    anna.add("Bread").until_("it is refused", lambda: anna.evaluate("device => device.store.refused()") == 1)
    anna.page.unroute("**/v1/lists/*/entries")
    outcomes = anna.evaluate("""async (device, list) => {
        const { rejected: [{ key, entry: { operation, item, after, fields } }] } = await device.store.queues();
        const gestures = [{ id: list, drafts: [{ operation, item, after, fields }] }];
        // As another tab's database has it between the two.
        return (await Promise.allSettled([device.performAll(gestures, key), device.performAll(gestures, key)])).map(({ status }) => status);
    }""", anna.list)
    assert sorted(outcomes) == ["fulfilled", "rejected"]
    anna.settled().sees("Milk", "Bread")
    assert anna.operations().count("add") == 2
