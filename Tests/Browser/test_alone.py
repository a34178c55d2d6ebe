"""Lists before there is an account: on this device alone, and taken along by the account."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from test_accounts import on_another_device
from test_screens import RULES


def begun(app, **options):
    """A newcomer who has begun a list without an account."""
    anna = app(**options).open()
    anna.fill("need", "Milk, 2 l")
    anna.page.click(".panel button:has-text('Start a list')")
    return anna.sees("Milk")


@pytest.mark.parametrize("options", [PHONE, {**DESKTOP, "color_scheme": "dark"}], ids=["phone", "dark desktop"])
def test_a_list_is_begun_before_the_page_asks_who_somebody_is(app, options):
    anna = app(**options).open()
    said = []
    anna.page.on("request", lambda request: "/v1/" in request.url and said.append(f"{request.method} {request.url}"))
    anna.page.wait_for_selector("[name=need]")
    assert Axe().run(anna.page, options=RULES).violations_count == 0
    anna.shows_all()
    said.clear()
    anna.fill("need", "Milk, 2 l")
    anna.page.click(".panel button:has-text('Start a list')")
    anna.sees("Milk").add("Bread").sees("Milk", "Bread")
    anna.reload().sees("Milk", "Bread")
    assert Axe().run(anna.page, options=RULES).violations_count == 0
    anna.shows_all()
    assert "On this device only" in anna.page.locator(".status").first.get_attribute("aria-label")
    # What needs an account offers one.
    anna.page.click("[aria-label=Share]")
    anna.page.wait_for_selector("dialog [name=password]")
    assert anna.page.locator("dialog h2").first.text_content() == "Lists on this device"
    anna.page.wait_for_timeout(250)
    assert Axe().run(anna.page, options=RULES).violations_count == 0
    anna.shows_all()
    # Only what every page asks for, such as how one may sign up.
    assert all(line.startswith("GET") and line.endswith("/v1/config") for line in said), said


def test_the_account_that_somebody_creates_takes_the_lists_along(app):
    anna = begun(app, **PHONE).add("Bread")
    anna.page.click(".row:has-text('Milk') .check")
    anna.sees("Bread", "Milk")
    # Now it is on the disk, too: this waits for what is being written.
    anna.evaluate("device => device.store.queues()")
    anna.open()
    anna.page.click(".icon-button[aria-label=Account]")
    anna.sign_up("Anna")
    anna.settled()
    desk = on_another_device(app, anna)
    desk.open_list("Shopping").sees("Bread", "Milk")
    assert desk.evaluate("device => [...device.states.values()][0].items.map(item => `${item.text} ${item.markedOff}`).sort()") == ["Bread false", "Milk true"]
    # It is an ordinary list: somebody else can be invited.
    desk.link()


def test_an_account_that_somebody_has_already_takes_them_too(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("At home").add("Rice").settled()
    phone = begun(app, **PHONE)
    phone.open()
    phone.page.click(".icon-button[aria-label=Account]")
    phone.page.click("dialog .switch .link >> nth=0")
    phone.page.fill("dialog [name=email]", anna.email)
    phone.page.fill("dialog [name=password]", "correct horse")
    phone.page.click("dialog form [type=submit]")
    phone.until_("both", lambda: sorted(phone.page.locator(".card-name").all_text_contents()) == ["At home", "Shopping"])
    anna.until_("on the other device as well", lambda: sorted(anna.page.locator(".card-name").all_text_contents()) == ["At home", "Shopping"])


def test_a_link_shows_what_one_joins_and_the_list_that_was_begun_comes_along(app):
    ben = app(**DESKTOP).newcomer("Ben").new_list("Party").add("Crisps").settled()
    anna = begun(app, **PHONE)
    anna.open(ben.link())
    anna.page.wait_for_selector("main:has-text('Party')")
    anna.sign_up("Anna")
    anna.page.click(".invitation .primary")
    anna.sees("Crisps")
    anna.open()
    anna.until_("both", lambda: sorted(anna.page.locator(".card-name").all_text_contents()) == ["Party", "Shopping"])


def test_two_tabs_without_an_account_show_the_same(app):
    anna = begun(app, **DESKTOP)
    other = anna.tab().open()
    other.open_list("Shopping").sees("Milk")
    anna.add("Bread")
    other.sees("Milk", "Bread")
