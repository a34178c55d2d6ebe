"""Codes: for an address that somebody else has taken, for a new address, for an invitation, for a forgotten password."""

import pathlib
import re
import tempfile

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PASSWORD, SUBMIT
from service import Service
from test_screens import RULES

pytestmark = pytest.mark.without_worker


class Mailbox:
    """The service's mail program: it keeps what it gets."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="trolley-mail-"))
        # As root, trolleyd runs as another user.
        self.directory.chmod(0o777)
        self.command = self.directory / "send"
        self.command.write_text(f"#!/bin/sh\ncat >'{self.directory}'/part.$$ && mv '{self.directory}'/part.$$ '{self.directory}'/mail.$$\n")
        self.command.chmod(0o755)

    def codes(self, address):
        mails = [path.read_text() for path in self.directory.glob("mail.*")]
        return [re.search(r"\b\w{4}(?:-\w{4}){3}\b", mail)[0] for mail in mails if f"To: {address}" in mail.replace("<", "").replace(">", "")]


@pytest.fixture(scope="module")
def mailbox():
    return Mailbox()


@pytest.fixture(scope="module")
def service(mailbox):
    service = Service("--mail-command", str(mailbox.command), "--mail-from", "lists@example.com")
    yield service
    service.end()


def submit(app, scope="form:not(:has([name=need]))"):
    app.page.locator(f"{scope} button[type=submit]").click()


def problem(app):
    """What the form says, as soon as it has an answer."""
    app.page.wait_for_selector(".problem:not([hidden])")
    return app.page.text_content(".problem:not([hidden])")


def accessible(app):
    app.page.wait_for_timeout(250)
    found = Axe().run(app.page, options=RULES)
    assert found.violations_count == 0, found.generate_report()


def test_a_code_takes_an_address_back_from_somebody_who_only_claimed_it(app, mailbox):
    squatter = app().newcomer("Squatter")
    anna = app().open()
    for name, value in (("name", "Anna"), ("email", squatter.email), ("password", "another horse")):
        anna.fill(name, value)
    submit(anna)
    assert "never made it" in problem(anna)
    accessible(anna)
    anna.page.click("button:has-text('Send me a code')")
    anna.page.wait_for_selector(f"text=on its way to {squatter.email}")
    [code] = mailbox.codes(squatter.email)
    anna.fill("emailCode", "AAAA-AAAA-AAAA-AAAA")
    submit(anna)
    anna.until_("it says so", lambda: "too old" in problem(anna))
    # As people type it.
    anna.fill("emailCode", code.lower().replace("-", " "))
    submit(anna)
    anna.page.wait_for_selector(".new-list")
    anna.page.click(".account")
    anna.page.click("summary:has-text('Email address')")
    anna.page.wait_for_selector("text=verified: it is yours")


def test_an_address_is_verified_and_changed_in_the_account(app, mailbox):
    anna = app().newcomer("Anna")
    other = f"new-{anna.email}"
    anna.page.click(".account")
    anna.page.click("summary:has-text('Email address')")
    part = "details:has(summary:has-text('Email address'))"
    anna.page.wait_for_selector(f"{part} >> text=Not confirmed yet")
    assert not anna.page.is_visible(f"{part} [name=password]")
    accessible(anna)
    anna.page.click(f"{part} button:has-text('Send me a code')")
    anna.page.wait_for_selector(f"{part} >> text=on its way")
    assert anna.page.evaluate("document.activeElement.name") == "code"
    anna.page.keyboard.type(mailbox.codes(anna.email)[0])
    anna.page.keyboard.press("Enter")
    anna.page.wait_for_selector(f"{part} >> text=verified: it is yours")

    anna.page.fill(f"{part} [name=email]", other)
    assert anna.page.is_visible(f"{part} [name=password]")
    anna.page.click(f"{part} button:has-text('Send me a code')")
    anna.page.wait_for_selector(f"{part} >> text=on its way to {other}")
    anna.page.fill(f"{part} [name=code]", mailbox.codes(other)[0])
    anna.page.fill(f"{part} [name=password]", PASSWORD)
    submit(anna, part)
    anna.until_("the new address", lambda: anna.page.text_content("dialog .me .sub") == other)
    assert anna.evaluate("device => [device.session.account.email, device.session.account.emailVerified]") == [other, True]
    # It is stored.
    assert anna.reload().evaluate("async device => (await device.store.opening()).session.account.email") == other


def test_a_forgotten_password_is_set_anew_by_the_operators_code(app, service):
    anna = app().newcomer("Anna").new_list("Kept").add("Milk").settled()
    code = service.operate("reset-password", anna.email)["code"]
    ben = app().open()
    ben.page.click(".switch .link:has-text('Sign in')")
    ben.fill("email", anna.email)
    ben.page.click(".link:has-text('Password forgotten?')")
    assert ben.page.input_value("[name=email]") == anna.email
    accessible(ben)
    ben.fill("code", "AAAA-AAAA-AAAA-AAAA")
    ben.fill("newPassword", "a new horse")
    submit(ben)
    assert "too old" in problem(ben)
    # The first browser has lost its cookie when its session ends, so the service can't say why. Its person signs in with the new
    # password, and nothing is lost.
    anna.context.clear_cookies()
    ben.fill("code", code)
    submit(ben)
    ben.page.wait_for_selector(".card:has-text('Kept')")
    anna.add("Bread")
    anna.page.click("#toasts button:has-text('Sign in')")
    anna.page.click("dialog .link:has-text('Password forgotten?')")
    anna.page.wait_for_selector("dialog [name=code]")
    anna.page.click("dialog .link:has-text('Sign in')")
    anna.page.fill("dialog [name=password]", "a new horse")
    submit(anna, "dialog")
    anna.settled().sees("Milk", "Bread")
    ben.open_list("Kept").sees("Milk", "Bread")


def test_where_people_sign_up_by_invitation_the_page_asks_for_the_code(app, service):
    given, service.arguments = service.arguments, (*service.arguments, "--registration", "invitation")
    service.stop()
    service.start()
    try:
        code = service.operate("invite")["code"]
        anna = app(locale="de-DE", **DESKTOP).open().sign_up("Anna")
        assert "wer eingeladen ist" in problem(anna)
        accessible(anna)
        anna.fill("invitation", "nonsense")
        submit(anna)
        anna.until_("it says so", lambda: "zu alt" in problem(anna))
        anna.fill("invitation", f" {code} ")
        submit(anna)
        anna.page.wait_for_selector(".new-list")
    finally:
        service.arguments = given
        service.stop()
        service.start()


def test_a_browser_that_is_used_stays_signed_in(app):
    anna = app().newcomer("Anna")
    def end():
        return next(cookie["expires"] for cookie in anna.context.cookies() if cookie["name"] == "trolley")

    before = end()
    with anna.page.expect_response(lambda response: response.url.endswith("/v1/account")) as renewed:
        anna.reload()
    assert renewed.value.status == 200 and "set-cookie" in renewed.value.all_headers()
    anna.until_("a later end", lambda: end() > before)


def on_another_device(app, anna, password="correct horse"):
    other = app().open()
    other.page.click(".switch .link")
    other.fill("email", anna.email)
    other.fill("password", password)
    other.page.click(SUBMIT)
    other.page.wait_for_selector(".new-list")
    return other


def sign_out_others(one):
    one.page.evaluate("""async () => {
        const { devices } = await (await fetch('/v1/devices')).json();
        for (const { id, current } of devices) if (!current) await fetch(`/v1/devices/${id}`, { method: 'DELETE' });
    }""")


def has_left(one):
    one.until_("it says so", lambda: "signed out from another device" in (one.page.text_content("main.welcome") or ""))


# Everything that the browser has stored of lists.
STORED = """async () => {
    const opening = indexedDB.open('trolley');
    const database = await new Promise(resolve => { opening.onsuccess = () => resolve(opening.result); });
    const all = await Promise.all([...database.objectStoreNames].map(name => new Promise(resolve => {
        const asking = database.transaction(name).objectStore(name).getAll();
        asking.onsuccess = () => resolve(asking.result);
    })));
    database.close();
    return JSON.stringify(all);
}"""


def test_lists_leave_a_device_that_is_signed_out_from_another_and_unsent_changes_wait_for_the_account(app):
    anna = app().newcomer("Anna").new_list("Devices").add("Milk").settled()
    other = on_another_device(app, anna).open_list("Devices").sees("Milk")
    anna.page.click(".account")
    anna.page.click("dialog summary:has-text('Devices')")
    devices = anna.page.locator("dialog details:has-text('Devices') .people li")
    anna.until_("both are listed", lambda: devices.count() == 2)
    assert devices.locator("button").count() == 1
    other.cable.cut()
    other.add("Bread").sees("Milk", "Bread")
    devices.locator("button").click()
    anna.until_("one is left", lambda: devices.count() == 1)
    other.cable.mend()
    has_left(other)
    assert "1 change that was not sent waits here" in other.page.text_content("main.welcome")
    stored = other.page.evaluate(STORED)
    assert "Bread" in stored and "Milk" not in stored, stored
    # It is the same for a page that is opened later.
    other.reload()
    has_left(other)
    accessible(other)
    other.fill("password", "correct horse")
    submit(other)
    other.page.wait_for_selector(".new-list")
    other.open_list("Devices").settled().sees("Milk", "Bread")
    anna.page.keyboard.press("Escape")
    anna.sees("Milk", "Bread")


def test_unsent_changes_of_an_account_that_was_signed_out_elsewhere_never_go_to_another(app):
    anna = app().newcomer("Anna").new_list("Devices").add("Milk").settled()
    other = on_another_device(app, anna).open_list("Devices").sees("Milk")
    other.cable.cut()
    other.add("Bread").sees("Milk", "Bread")
    sign_out_others(anna)
    other.cable.mend()
    has_left(other)
    other.page.click(".switch .link")
    other.fill("name", "Ben")
    other.fill("email", "ben-" + anna.email)
    other.fill("password", "correct horse")
    submit(other)
    other.page.wait_for_selector(".new-list")
    assert "Bread" not in other.page.evaluate(STORED)


def test_a_changed_password_signs_the_other_devices_out(app):
    anna = app().newcomer("Anna").new_list("Password").add("Milk").settled()
    other = on_another_device(app, anna).open_list("Password").sees("Milk")
    anna.page.click(".account")
    anna.page.click("dialog summary:has-text('Password')")
    form = anna.page.locator("dialog details:has([name=newPassword])")
    form.locator("[name=password]").fill("wrong")
    form.locator("[name=newPassword]").fill("a new horse")
    anna.page.click("dialog button:has-text('Change the password')")
    anna.until_("it says so", lambda: "password is wrong" in form.text_content())
    form.locator("[name=password]").fill("correct horse")
    anna.page.click("dialog button:has-text('Change the password')")
    anna.until_("it says so", lambda: "password is changed" in (anna.page.text_content("#toasts") or ""))
    has_left(other)
    anna.add("Bread").settled()
    on_another_device(app, anna, "a new horse").open_list("Password").sees("Milk", "Bread")


def test_the_browser_is_asked_to_keep_the_storage(app):
    anna = app()
    anna.page.add_init_script("StorageManager.prototype.persist = async () => { globalThis.isAsked = true; return true; };")
    anna.newcomer("Anna")
    anna.until_("it is asked", lambda: anna.page.evaluate("globalThis.isAsked"))
