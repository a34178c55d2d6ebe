"""The operator's page: how the service does, for accounts that the operator has marked."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from test_screens import RULES, SMALL

pytestmark = pytest.mark.without_worker

TITLES = {"en": "This service", "de": "Dieser Dienst"}


def opened(anna, language="en"):
    anna.to_account().page.click(f"dialog .menu-item:has-text('{TITLES[language]}')")
    anna.page.wait_for_selector("dialog svg[role=img]")
    return anna


@pytest.mark.parametrize("size, options, language", [
    ("phone-light", {**PHONE, "color_scheme": "light"}, "en"), ("desktop-dark", {**DESKTOP, "color_scheme": "dark"}, "en"),
    ("small", {**SMALL, "locale": "de-DE"}, "de"),
])
def test_an_operator_sees_how_the_service_does(app, service, screenshots, tmp_path, size, options, language):
    anna = app(**options).newcomer("Anna").new_list("Quinces").add("Parsley")
    email = anna.evaluate("device => device.session.account.email")
    service.operate("accounts", "--operator", email)
    service.operate("backup", str(tmp_path / "trolley.dump"))
    list_ = anna.list
    opened(anna, language)
    page = anna.page.locator("dialog .queues")
    again, backup = ("Look again", "Backup") if language == "en" else ("Noch einmal nachsehen", "Sicherung")

    def is_all_there():
        # What it shows may be ten seconds old; and the lists of other tests may be larger.
        anna.page.click(f"dialog button:has-text('{again}')")
        anna.page.wait_for_timeout(500)
        text = page.inner_text()
        return re.search(f"{backup}, \\d", text) and (list_ in text or len(re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", text)) == 20)

    anna.until_("the backup and a list", is_all_there)
    text = page.inner_text()
    assert "PostgreSQL" in text
    for words in ("Quinces", "Parsley", email, "Anna"):
        assert words not in text, words
    assert page.locator("svg[role=img]").count() == 2
    assert all(label and label[0] != "o" for label in page.locator("svg[role=img]").evaluate_all("all => all.map(one => one.ariaLabel)"))
    assert page.locator("svg[role=img] rect").count() > 1
    anna.page.wait_for_selector("#toasts .toast", state="detached")
    anna.page.evaluate("document.querySelector('dialog .sheet-body').scrollTo(0, 0)")
    anna.page.wait_for_timeout(250)
    anna.page.screenshot(path=screenshots("operator", size))
    anna.shows_all()
    report = Axe().run(anna.page, options=RULES)
    assert report.violations_count == 0, report.generate_report()


def test_the_operator_saves_the_diagnostic_log(app, service):
    anna = app().newcomer("Anna").new_list("Quinces").add("Parsley")
    service.operate("accounts", "--operator", anna.evaluate("device => device.session.account.email"))
    opened(anna)
    with anna.page.expect_download() as started:
        anna.page.click("dialog .menu-item:has-text('diagnostic log')")
    text = open(started.value.path()).read()
    log = json.loads(text)
    assert log["kind"] == "service" and log["operation"]["processes"] and log["lists"]
    assert "Quinces" not in text and "Parsley" not in text and "Anna" not in text


def test_nobody_else_is_offered_the_page_and_the_mark_can_be_taken_back(app, service):
    anna = app().newcomer("Anna")
    item = anna.page.locator("dialog .menu-item:has-text('This service')")
    anna.page.click(".account")
    anna.page.wait_for_selector("dialog")
    assert not item.is_visible()
    anna.page.keyboard.press("Escape")
    email = anna.evaluate("device => device.session.account.email")
    service.operate("accounts", "--operator", email)
    anna.page.click(".account")
    anna.until_("the page is offered", item.is_visible)
    service.operate("accounts", "--no-operator", email)
    item.click()
    anna.page.wait_for_selector("dialog [role=alert]:has-text('trolleyd accounts --operator')")


def test_a_service_that_is_away_is_said(app, service):
    anna = app().newcomer("Anna")
    service.operate("accounts", "--operator", anna.evaluate("device => device.session.account.email"))
    opened(anna)
    anna.cable.cut()
    anna.page.click("dialog button:has-text('Look again')")
    anna.page.wait_for_selector("dialog [role=alert]")
    anna.cable.mend()
    anna.page.click("dialog button:has-text('Look again')")
    anna.page.wait_for_selector("dialog svg[role=img]")
