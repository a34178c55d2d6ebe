"""Keys for a person's other programs: made, used, and taken back in the account's sheet."""

import json
import urllib.error
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP
from test_screens import RULES, SMALL

pytestmark = pytest.mark.without_worker


def opened(anna):
    anna.to_account().page.click("dialog summary:has-text('Devices'), dialog summary:has-text('Geräte')")
    anna.page.click("dialog .menu-item:has-text('Keys for other programs'), dialog .menu-item:has-text('Schlüssel für andere')")
    anna.page.wait_for_selector("dialog form [name=which]")
    return anna


def made(anna, name, **choices):
    """Makes a key, and answers it."""
    anna.page.fill("dialog [name=name]", name)
    for field, value in choices.items():
        if field == "end":
            anna.page.select_option("dialog [name=end]", value)
        else:
            anna.page.check(f"dialog [name={field}][value='{value}']")
    anna.page.click("dialog form [type=submit]")
    anna.page.wait_for_selector("dialog .linkline input")
    return anna.page.input_value("dialog .linkline input")


def status(service, token, method, path, body=None):
    request = urllib.request.Request(service.address + path, method=method, headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
                                     data=json.dumps(body).encode() if body is not None else None)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def entry(anna):
    uuid = "() => crypto.randomUUID()"
    return {"entries": [{"id": anna.page.evaluate(uuid), "operation": "add", "item": anna.page.evaluate(uuid), "after": None,
                         "fields": {"text": "Sugar"}, "cause": "edit", "deviceSequence": 1, "age": 0}]}


def test_a_key_opens_what_it_says_until_it_is_taken_back(app, service):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Other")
    other = anna.list
    anna.page.goto(anna.page.url.split("#")[0])
    anna.new_list("Kitchen").add("Milk")
    kitchen = anna.list
    opened(anna)
    token = made(anna, "The <b>speaker</b>", which="some", list=kitchen, end="30")
    assert token.startswith("trl_")
    anna.page.wait_for_timeout(250)
    report = Axe().run(anna.page, options=RULES)
    assert report.violations_count == 0, report.generate_report()
    row = anna.page.locator("dialog .people li")
    words = row.inner_text()
    assert "The <b>speaker</b>" in words and "Kitchen" in words and "not used yet" in words and "ends" in words
    assert status(service, token, "GET", f"/v1/lists/{other}/state") == 404
    assert status(service, token, "POST", f"/v1/lists/{kitchen}/entries", entry(anna)) == 200
    assert status(service, token, "GET", "/v1/devices") == 403
    anna.page.keyboard.press("Escape")
    anna.until_("it is on the list", lambda: "Sugar" in anna.texts)
    # The Activity says which program it was.
    anna.menu("Activity")
    anna.page.wait_for_selector("dialog .activity >> text=The <b>speaker</b>")
    anna.page.keyboard.press("Escape")
    # It is shown once.
    opened(anna)
    anna.until_("its row", lambda: row.count() == 1)
    assert not anna.page.locator("dialog .linkline").is_visible()
    anna.page.click("dialog [aria-label^='Take back the key']")
    anna.page.click("dialog .danger")
    anna.until_("it is gone", lambda: row.count() == 0)
    assert status(service, token, "POST", f"/v1/lists/{kitchen}/entries", entry(anna)) == 401


def test_a_key_may_look_only_and_open_everything(app, service):
    anna = app().newcomer("Anna").new_list("Kitchen").add("Milk")
    token = made(opened(anna), "A display", readOnly="yes")
    anna.until_("its row", lambda: "All lists" in anna.page.inner_text("dialog .people") and "May look only" in anna.page.inner_text("dialog .people"))
    assert status(service, token, "GET", f"/v1/lists/{anna.list}/state") == 200
    assert status(service, token, "POST", f"/v1/lists/{anna.list}/entries", entry(anna)) == 403


def test_what_is_missing_is_said(app):
    anna = app(**SMALL, locale="de-DE").newcomer("Anna").new_list("Küche")
    opened(anna)
    anna.page.click("dialog form [type=submit]")
    anna.page.wait_for_selector("dialog .problem:has-text('fülle')")
    anna.page.fill("dialog [name=name]", "Ein Lautsprecher in der Küche")
    anna.page.check("dialog [name=which][value=some]")
    anna.page.click("dialog form [type=submit]")
    anna.page.wait_for_selector("dialog .problem:has-text('mindestens eine Liste')")
    assert anna.page.locator("dialog .linkline").count() == 0
    anna.page.check("dialog [name=list]")
    anna.page.click("dialog form [type=submit]")
    anna.page.wait_for_selector("dialog .linkline input")
    anna.page.wait_for_timeout(250)
    anna.shows_all()
    anna.cable.cut()
    anna.page.click("dialog [aria-label$='zurücknehmen']")
    anna.page.click("dialog .danger")
    anna.page.wait_for_selector("#toasts .error")
    anna.cable.mend()
