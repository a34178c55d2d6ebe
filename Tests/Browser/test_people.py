"""Who is on a list, and what becomes of it; and what a person may take along or delete."""

import json

from app import PASSWORD


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
    anna.page.click(".main [aria-label='More']")
    anna.page.click("dialog button:has-text('Leave the list')")
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
    anna.page.wait_for_selector("input[name=name]")
    stored = anna.evaluate("async device => (await device.store.lists()).length")
    assert stored == 0 and anna.context.cookies() == []
