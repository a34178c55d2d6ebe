"""What a family is told: lists that are taken away, what undo did, changes of two people, the end of a trip, what is new."""

import pytest

from app import DESKTOP, PHONE
from service import until
from test_screens import look

pytestmark = pytest.mark.without_worker


def said(app):
    return " ".join(app.page.locator("#toasts .toast").all_text_contents())


@pytest.fixture
def two(app):
    """Anna on a phone and Ben on a desktop, on one list."""

    def make(*items, **options):
        anna = app(**{**PHONE, **options}).patient().newcomer("Anna").new_list("Weekly").add(*items).settled()
        ben = app(**DESKTOP).join(anna.link(), "Ben").sees(*anna.texts)
        return anna, ben

    return make


def draft(app, operation, text, **fields):
    """Changes an item, as the other person does it."""
    app.evaluate("""(device, [list, operation, text, fields]) => device.perform(list, [{
        operation, item: device.states.get(list).items.find(item => item.text === text).id, ...fields && { fields } }])""",
        [app.list, operation, text, fields or None])


def test_a_list_that_is_taken_away_while_one_types_leaves_a_message_and_a_card(two, screenshots):
    anna, ben = two("Milk")
    ben.page.fill(".addline input", "oat mi")
    ben.row("Milk").locator(".body").click()
    ben.page.wait_for_selector("dialog")
    anna.evaluate("(device, list) => device.removeList(list)", anna.list)
    ben.page.wait_for_selector(".notice-card")
    assert ben.page.locator("dialog, .card").count() == 0
    ben.until_("it says so", lambda: "was deleted" in said(ben))
    assert ben.page.locator("#toasts [aria-label=Close]").count() == 1
    card = ben.page.text_content(".notice-card")
    assert "“Weekly” was deleted by its owner." in card and "You were typing: “oat mi”" in card
    look(ben, "taken-away", screenshots, "desktop")
    # It is there until it is dismissed, and what the person took away themselves leaves none.
    ben.reload()
    ben.page.click(".notice-card [aria-label=Dismiss]")
    ben.page.wait_for_selector(".notice-card", state="detached")
    assert ben.reload().page.wait_for_selector(".no-lists")
    anna.page.wait_for_selector(".no-lists")
    assert anna.page.locator(".notice-card").count() == 0


def test_who_leaves_a_list_and_who_owns_it_is_told(two):
    anna, ben = two("Milk")
    anna.evaluate("""(device, [list, account]) => fetch(`/v1/lists/${list}/owner`, {
        method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ account }) })""",
        [anna.list, ben.evaluate("device => device.session.account.id")])
    ben.until_("he owns it", lambda: "You are the owner of “Weekly” now." in said(ben))
    anna.evaluate("(device, list) => device.removeList(list)", anna.list)
    ben.until_("she is gone", lambda: "Anna is no longer on “Weekly”." in said(ben))


def test_undo_says_what_it_undid_and_is_dimmed_when_there_is_nothing(app):
    anna = app(**PHONE).patient().newcomer("Anna").new_list("Undo")
    undo = anna.page.locator("[aria-label=Undo]")
    anna.until_("dimmed", lambda: undo.get_attribute("aria-disabled") == "true")
    anna.paste("\n".join(f"Item {n}" for n in range(40))).until_("the rows", lambda: len(anna.texts) == 40)
    anna.until_("not dimmed", lambda: undo.get_attribute("aria-disabled") == "false")
    anna.row("Item 1").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("deleted", lambda: len(anna.texts) == 39)
    anna.page.evaluate("document.querySelector('.scroller').scrollTop = 1e6")
    undo.click()
    anna.until_("it says so", lambda: "Undone: Item 1 deletedRedo" in said(anna))
    anna.until_("it is in sight", lambda: anna.page.evaluate("""() => {
        const row = [...document.querySelectorAll('.row')].find(row => row.querySelector('.text').textContent === 'Item 1');
        return row.getBoundingClientRect().top >= document.querySelector('.scroller').getBoundingClientRect().top;
    }"""))
    anna.page.click("#toasts button:has-text('Redo')")
    anna.until_("deleted again", lambda: "Done again: Item 1 deleted" in said(anna) and len(anna.texts) == 39)
    undo.click()
    undo.click()
    anna.until_("all of it", lambda: "Undone: 40 items added" in said(anna) and not anna.texts)
    anna.until_("dimmed", lambda: undo.get_attribute("aria-disabled") == "true")


def test_a_tap_just_after_somebody_elses_mark_confirms_it(two):
    anna, ben = two("Milk", "Bread")
    # The tap comes in the same moment as the mark.
    anna.page.evaluate("""() => {
        const [, bread] = document.querySelectorAll('.row .check');
        new MutationObserver((_, observer) => {
            if (bread.ariaChecked !== 'true') return;
            observer.disconnect();
            bread.click();
        }).observe(bread, { attributes: true, attributeFilter: ['aria-checked'] });
    }""")
    ben.check("Bread")
    anna.until_("she is told", lambda: "Ben has marked off Bread, too." in said(anna))
    # By the room, or by the journal.
    ben.until_("he is told", lambda: said(ben) in ("Anna is also marking off Bread.", "Anna has marked off Bread, too."))
    anna.in_step_with(ben)
    assert anna.state()["items"][1]["markedOff"] and anna.operations()[-2:] == ["markOff", "markOff"]
    # Another tap is meant.
    anna.check("Bread").until_("wanted again", lambda: not anna.state()["items"][1]["markedOff"])


@pytest.mark.parametrize("later", ["theirs", "mine"])
def test_a_field_that_two_changed_without_knowing_is_told(two, later):
    anna, ben = two("Honey, 1 jar")
    anna.cable.cut()

    def edits(one, quantity):
        draft(one, "edit", "Honey", quantity=quantity)

    (first, its), (second, other) = ((anna, "2 jars"), (ben, "3 jars"))[::1 if later == "theirs" else -1]
    edits(first, its)
    ben.settled()
    # The service dates a change by its age as it arrives, so an upload's duration makes it younger: not by this much.
    ben.page.wait_for_timeout(4000)
    edits(second, other)
    ben.settled()
    anna.cable.mend()
    anna.evaluate("device => device.sync('manual')")
    if later == "theirs":
        anna.until_("it is told", lambda: "Ben changed Honey, too: 3 jars (you: 2 jars)" in said(anna))
        anna.page.click("#toasts button:has-text('Keep mine')")
    else:
        anna.until_("it is told", lambda: "Ben changed Honey, too: 3 jars. The list shows yours: 2 jars" in said(anna))
    until(lambda: ben.state()["items"][0]["fields"]["quantity"] == "2 jars", "2 jars on both")
    anna.in_step_with(ben)


def test_finished_shopping_is_said(app, screenshots):
    anna = app(**PHONE).patient().newcomer("Anna").new_list("Weekly").add("Milk", "Bread", "Eggs").shop()
    assert anna.page.text_content(".progress") == "0 of 3"
    anna.check("Milk").check("Bread")
    anna.until_("2 of 3", lambda: anna.page.text_content(".progress") == "2 of 3")
    assert not anna.page.is_visible(".finish")
    anna.check("Eggs")
    anna.until_("it is said", lambda: anna.page.is_visible(".finish") and anna.page.text_content(".finish p") == "All 3 done, 1 minute")
    look(anna, "finished", screenshots, "phone")
    anna.page.click(".finish button:has-text('Clear')")
    anna.until_("cleared", lambda: not anna.texts and not anna.page.is_visible(".finish"))
    anna.until_("it says so", lambda: "3 items removed" in said(anna))
    anna.page.click("#toasts button:has-text('Undo')")
    anna.until_("done again", lambda: anna.page.is_visible(".finish"))
    anna.page.click(".finish button:has-text('Plan')")
    anna.until_("planning", lambda: anna.page.get_attribute("[data-mode=plan]", "aria-pressed") == "true" and not anna.page.is_visible(".finish"))


def test_rows_that_are_new_are_marked_with_who_added_them(two):
    anna, ben = two("Milk")
    anna.page.click(".back")
    ben.add("Eggs").settled()
    anna.until_("news", lambda: anna.page.locator(".card .badge").count() == 1)
    anna.open_list("Weekly").sees("Milk", "Eggs")
    anna.until_("marked", lambda: anna.row("Eggs").locator(".coming").count() == 1)
    assert "New, added by Ben" in anna.row("Eggs").text_content() and anna.page.locator(".row.news").count() == 1
    # Those that come meanwhile, too, and none of one's own.
    ben.add("Salt")
    anna.add("Tea")
    anna.until_("marked", lambda: anna.page.locator(".row.news .text").all_text_contents() == ["Eggs", "Salt"])
    anna.page.click(".back")
    anna.open_list("Weekly")
    anna.until_("seen", lambda: len(anna.texts) == 4 and anna.page.locator(".row.news").count() == 0)


def test_fifteen_things_from_the_first_page_have_their_aisles_without_a_tap(app):
    """The journey of 15 items, counted again: 45 taps and typing for aisles it was once."""
    anna = app(**PHONE).open()
    goods = ["Milk", "Bread", "Bananas", "Tomatoes", "Butter", "Eggs", "Rice", "Coffee", "Apples", "Cheese", "Chicken", "Onions",
             "Toothpaste", "Washing powder", "Orange juice"]
    anna.fill("need", goods[0])
    anna.page.click(".panel button:has-text('Start a list')")
    anna.sees("Milk")
    for text in goods[1:]:
        anna.add(text)
    anna.until_("every one has its aisle", lambda: anna.evaluate(
        "device => [...device.states.values()][0].items.filter(item => item.fields.aisle).length") == 15)
