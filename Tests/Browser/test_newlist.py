"""A new list: with items of another one, and with people who are invited as it is made. And what is bought again and again."""

import json

import pytest

from app import DESKTOP, NO_WORKER, PHONE
from test_aisles import is_whole

FROM = "#newlist-from"


def begins(app, name):
    """Opens the sheet for a new list, with this name in it."""
    if app.page.is_visible(".back"):
        app.page.click(".back")
    app.page.click(".new-list")
    app.page.fill("dialog input[name=name]", name)
    return app


def makes(app, name):
    app.page.click("dialog button[type=submit]")
    app.until_("the new list is open", lambda: app.page.text_content(".title h1") == name)
    return app


def invites(app, *emails):
    app.page.click("dialog .by-mail summary")
    app.page.fill("dialog [name=invite]", ", ".join(emails))
    return app


def link_for(app, email):
    app.page.click(f"dialog li:has-text('{email}') [aria-label='Show the link again']")
    return app.page.input_value("dialog .linkline input").replace(app.cable.address, "")


@pytest.mark.parametrize("options", [PHONE, {**DESKTOP, "color_scheme": "dark"}], ids=["phone", "desktop-dark"])
def test_a_list_begins_with_chosen_items_of_another_one(app, options):
    anna = app(**options).newcomer("Anna").new_list("The usual").add("Milk, 2 l", "Bread", "Salt", "Tea").check("Bread")
    anna.evaluate("(device, list) => device.perform(list, [{ operation: 'recolourList', fields: { text: 'purple', aisles: 'Bakery\\nDairy' } }])", anna.list)
    anna.settled()
    usual = anna.list
    begins(anna, "Friday").page.select_option(FROM, usual)
    anna.page.wait_for_selector("dialog fieldset.lines label")
    is_whole(anna)
    anna.page.click("dialog button:has-text('All or none')")
    assert anna.page.locator("dialog .lines input:checked").count() == 0
    anna.page.click("dialog button:has-text('All or none')")
    assert anna.page.locator("dialog .lines input:checked").count() == 4
    anna.page.locator("dialog .lines label:has-text('Salt') input").uncheck()
    makes(anna, "Friday").until_("its items", lambda: sorted(anna.texts) == ["Bread", "Milk", "Tea"])
    state = anna.state()
    assert [(item["text"], item["markedOff"]) for item in state["items"]] == [("Milk", False), ("Bread", False), ("Tea", False)]
    assert state["items"][0]["fields"]["quantity"] == "2 l" and state["colour"] == "purple"
    assert anna.evaluate("(device, list) => device.states.get(list).aisles", anna.list) == ["Bakery", "Dairy"]
    # One gesture: all of it is there, or nothing.
    batches = anna.evaluate("""async (device, list) => {
        const { stored: { entries, pending } } = await device.store.journal(list);
        return [...entries, ...pending.map(({ entry }) => entry)].map(entry => entry.batch);
    }""", anna.list)
    assert len(batches) == 6 and len(set(batches)) == 1
    # The other list is as it was, and the new one opens again.
    assert [item["text"] for item in anna.evaluate("(device, list) => device.states.get(list).items", usual) if item["markedOff"]] == ["Bread"]
    anna.settled().reload().until_("it is there", lambda: sorted(anna.texts) == ["Bread", "Milk", "Tea"])
    anna.add("Rice").until_("it can be changed", lambda: "Rice" in anna.texts)


def test_a_list_needs_no_network_to_be_made_once_its_sheet_is_open(app):
    anna = app(**DESKTOP)
    # A service worker would have the file.
    anna.page.add_init_script(NO_WORKER)
    begins(anna.newcomer("Anna"), "Cabin")
    anna.page.route("**/device/making.js", lambda route: route.abort())
    makes(anna, "Cabin").add("Milk").sees("Milk")


def test_people_are_invited_as_a_list_is_made(app):
    ben = app(**DESKTOP).newcomer("Ben")
    anna = invites(begins(app(**PHONE).newcomer("Anna"), "Party"), "nonsense")
    anna.page.click("dialog button[type=submit]")
    anna.until_("it says what is wrong", lambda: anna.page.locator("dialog [name=invite][aria-invalid=true]").count() == 1)
    assert anna.page.input_value("dialog input[name=name]") == "Party"
    anna.page.fill("dialog [name=invite]", f"{ben.email}, carol@example.com")
    is_whole(anna)
    makes(anna, "Party")
    anna.page.wait_for_selector(f"dialog li:has-text('{ben.email}')")
    anna.page.wait_for_selector("dialog li:has-text('carol@example.com')")
    link = link_for(anna, ben.email)
    assert f"Send this link to {ben.email}" in anna.page.inner_text("dialog .link")
    is_whole(anna)
    # It is for this address alone.
    eve = app(**DESKTOP).newcomer("Eve").open(link)
    eve.page.wait_for_selector("main:has-text('is for somebody else')")
    assert eve.evaluate("device => device.rows.size") == 0
    ben.open(link).page.click(".invitation .primary")
    ben.page.wait_for_selector(".addline input")
    assert ben.page.text_content(".title h1") == "Party"


def test_people_are_invited_in_a_tab_that_does_not_lead(app):
    ben = app(**DESKTOP).newcomer("Ben")
    anna = app(**DESKTOP).newcomer("Anna").new_list("First").settled()
    second = anna.tab().open()
    second.page.wait_for_selector(".card")
    makes(invites(begins(second, "Second"), ben.email), "Second")
    second.page.wait_for_selector(f"dialog li:has-text('{ben.email}')")
    link = link_for(second, ben.email)
    second.until_("the invitation is sent", lambda: second.evaluate("async device => await device.store.kept('inviting') === null"))
    ben.open(link).page.click(".invitation .primary")
    ben.until_("he is on it", lambda: ben.page.text_content(".title h1") == "Second")


def test_who_is_invited_without_a_network_has_a_link_that_works_later(app):
    ben = app(**DESKTOP).newcomer("Ben")
    anna = app(**PHONE).newcomer("Anna").installed()
    anna.cable.cut()
    makes(invites(begins(anna, "Cabin"), ben.email), "Cabin")
    anna.page.wait_for_selector("dialog li:has-text('as soon as the service has the list')")
    link = link_for(anna, ben.email)
    is_whole(anna)
    anna.reload().page.wait_for_selector(".addline input")
    anna.cable.mend()
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.until_("the invitation is sent", lambda: anna.evaluate("async device => await device.store.kept('inviting') === null"))
    ben.open(link).page.click(".invitation .primary")
    ben.page.wait_for_selector(".addline input")
    assert ben.page.text_content(".title h1") == "Cabin"


def test_an_invitation_that_the_service_refuses_is_told_and_the_list_stays(app):
    anna = app(**DESKTOP).newcomer("Anna")
    refusal = {"code": "tooManyParticipants", "title": "Too many people", "status": 409, "detail": "A list has at most 100 people."}
    anna.route("**/v1/lists/*/invitations", lambda route: route.continue_() if route.request.method == "GET" else route.fulfill(
        status=409, content_type="application/problem+json", body=json.dumps(refusal)))
    makes(invites(begins(anna, "Full"), "ben@example.com"), "Full")
    row = anna.page.locator("dialog li:has-text('ben@example.com')")
    anna.until_("it says why", lambda: "Not invited: The list has no room for more people." in row.text_content())
    assert row.locator("[aria-label='Show the link again']").count() == 0
    row.locator("[aria-label=Dismiss]").click()
    anna.until_("it is forgotten", lambda: row.count() == 0)
    anna.page.keyboard.press("Escape")
    anna.add("Milk").settled().reload().sees("Milk")


def test_a_thing_that_is_bought_again_and_again_says_when(app, command_line, service):
    anna = app(**PHONE).newcomer("Anna").new_list("Weekly").add("Milk")
    command_line.run("sign-up", service.address, "--email", f"carol-{anna.email}", "--name", "Carol")
    command_line.run("join", service.address + anna.settled().link())
    anna.row("Milk").locator(".body").click()
    anna.page.select_option("dialog select[name=every]", label="Every week")
    is_whole(anna)
    anna.page.click("dialog button[type=submit]")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.settled()
    command_line.run("sync")
    assert command_line.run("show")["items"][0]["fields"]["every"] == "P7D"
    # A sheet that is open follows what others choose, also what it doesn't offer itself.
    anna.row("Milk").locator(".body").click()
    command_line.run("edit", "Milk", "--every", "10d")
    command_line.run("sync")
    select = anna.page.locator("dialog select[name=every]")
    anna.until_("it follows", lambda: select.evaluate("select => select.selectedOptions[0].textContent") == "Every 10 days")
    select.select_option("")
    anna.page.click("dialog button[type=submit]")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.until_("never by itself", lambda: "every" not in anna.state()["items"][0]["fields"])
    anna.settled().menu("Activity")
    anna.until_("the activity says so", lambda: "Buy again: Every 10 days" in anna.page.inner_text("dialog") and "Buy again: –" in anna.page.inner_text("dialog"))
