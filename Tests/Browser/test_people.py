"""Who is on a list, and what becomes of it; and what a person may take along or delete."""

import json

import pytest

from app import PASSWORD, PHONE

pytestmark = pytest.mark.without_worker


def people(app):
    app.page.click(".faces")
    app.page.wait_for_selector("dialog .people li")
    return app


def confirm(app):
    app.page.click("dialog .actions .primary")


def test_a_list_is_handed_over_and_left(app):
    anna = app().newcomer("Anna").new_list("Ours").add("Milk")
    ben = app().join(anna.link(), "Ben").sees("Milk")
    people(anna).page.click(".mini summary")
    anna.page.click(".mini button:has-text('Make owner')")
    confirm(anna)
    # Only an owner invites.
    anna.until_("Anna is no owner any more", lambda: anna.page.locator(".invite .primary").count() == 0)
    anna.page.keyboard.press("Escape")
    people(ben).page.wait_for_selector(".invite .primary")
    ben.page.keyboard.press("Escape")
    anna.menu("List settings", "Leave the list")
    confirm(anna)
    anna.until_("the list is gone", lambda: anna.page.locator(".card").count() == 0)
    ben.add("Bread").settled().sees("Milk", "Bread")
    people(ben).until_("Ben is alone", lambda: ben.page.locator("dialog .people").first.locator("li").count() == 1)


def test_a_list_that_is_no_longer_shared_leaves_the_others(app):
    anna = app().newcomer("Anna").new_list("Ours").add("Milk")
    ben = app().join(anna.link(), "Ben").sees("Milk")
    people(anna).page.click("dialog button:has-text('Stop sharing')")
    anna.page.click("dialog .actions .primary.danger")
    ben.until_("the list is gone", lambda: ben.page.locator(".card").count() == 0)
    anna.sees("Milk")


def test_a_permission_changes_while_the_list_is_open(app):
    anna = app().newcomer("Anna").new_list("Ours").add("Milk", "Bread")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk", "Bread")

    def permit(label):
        people(anna).page.click(".mini summary")
        anna.page.click(f".mini button:has-text('{label}')")
        anna.until_("it is done", lambda: anna.page.locator(".mini[open]").count() == 0)
        anna.page.keyboard.press("Escape")
        anna.page.wait_for_selector("dialog", state="detached")

    permit("May look only")
    ben.until_("he may only look", lambda: ben.page.is_visible(".look-only"))
    assert "may only look" in ben.page.text_content(".look-only")
    assert ben.page.locator(".addline").count() == 0 and ben.page.locator(".handle:visible").count() == 0
    assert ben.page.is_disabled(".row .check >> nth=0") and ben.page.is_disabled(".tools [aria-label=Undo]")
    ben.row("Milk").locator(".body").click()
    ben.page.wait_for_selector("dialog dl")
    assert ben.page.locator("dialog [name=text], dialog [aria-label=Delete]").count() == 0
    # The sheet was open before the permission came.
    permit("May change the list")
    ben.page.keyboard.press("Escape")
    ben.page.wait_for_selector(".addline input")
    ben.row("Milk").locator(".body").click()
    ben.page.fill("dialog [name=note]", "two")
    permit("May look only")
    ben.until_("he may only look", lambda: ben.page.locator(".look-only").count() == 1)
    ben.page.click("dialog button[type=submit]")
    ben.until_("it says so", lambda: "may only look" in ben.page.text_content("#toasts"))
    assert ben.page.input_value("dialog [name=note]") == "two"
    permit("May change the list")
    ben.page.wait_for_selector(".addline input")
    ben.page.click("dialog button[type=submit]")
    ben.page.wait_for_selector("dialog", state="detached")
    ben.add("Eggs").check("Bread").settled()
    anna.until_("Ben's changes", lambda: "Eggs" in anna.texts)
    assert ben.evaluate("async device => (await device.store.queues()).rejected.length") == 0


def test_an_account_is_taken_along_and_deleted(app):
    anna = app().newcomer("Anna").new_list("Mine").add("Milk").settled()
    anna.page.click(".account")
    with anna.page.expect_download() as started:
        anna.page.click("dialog button:has-text('Download everything')")
    export = json.loads(open(started.value.path(), encoding="utf-8").read())
    assert export["complete"] is True and "Milk" in json.dumps(export)
    anna.page.click("dialog summary:has-text('Delete the account')")
    anna.page.fill("dialog details[open] input[name=password]", PASSWORD)
    anna.page.click("dialog details[open] button[type=submit]")
    anna.page.click("dialog:not(:has(details)) button.danger")
    anna.page.wait_for_selector("text=New here?")
    stored = anna.evaluate("async device => (await device.store.lists()).length")
    assert stored == 0 and anna.context.cookies() == []
