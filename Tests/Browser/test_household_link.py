"""One link for a whole household."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from test_screens import RULES

pytestmark = pytest.mark.without_worker


def opens_link(app, people):
    """Makes a link for several people, which stays in sight. Answers it as it reads through no cable."""
    app.page.click("[aria-label=Share]")
    app.page.wait_for_selector("dialog select[aria-label='For how many people the link is']")
    app.page.select_option("dialog select[aria-label='For how many people the link is']", str(people))
    app.page.click("dialog button:has-text('Make a link')")
    app.page.wait_for_selector("dialog .linkline input")
    return app.page.input_value("dialog .linkline input").replace(app.cable.address, "")


def test_a_family_of_four_joins_by_one_link_that_is_shown_again(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Dinner").add("Rice").settled()
    link = opens_link(anna, 3)
    assert "The link works for 3 people" in anna.page.inner_text("dialog .link")
    anna.page.wait_for_timeout(250)
    anna.shows_all()
    report = Axe().run(anna.page, options=RULES)
    assert report.violations_count == 0, report.generate_report()
    family = [app(**DESKTOP).join(link, name).sees("Rice") for name in ("Ben", "Cleo")]
    # Another day: the link is shown again, with who is still missing.
    anna.open().open_list("Dinner")
    anna.page.click(".faces")
    anna.until_("two have joined", lambda: "2 have used it" in anna.page.inner_text("dialog"))
    anna.page.click("dialog button[aria-label='Show the link again']")
    again = anna.page.input_value("dialog .linkline input").replace(anna.cable.address, "")
    assert again == link
    family.append(app(**DESKTOP).join(again, "Dan").sees("Rice"))
    family[-1].add("Milk").settled()
    for one in (anna, *family):
        one.until_("everybody has it", lambda one=one: one.evaluate(
            "device => [...device.states.values()][0].items.map(item => item.text).sort()") == ["Milk", "Rice"])
    # It is for nobody else.
    eve = app(**DESKTOP).open(link)
    eve.until_("it doesn't say what the list is", lambda: "was used already" in eve.page.inner_text("main"))
    assert "Dinner" not in eve.page.inner_text("main")


def test_a_link_that_is_withdrawn_is_shown_no_more(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Dinner").settled()
    opens_link(anna, 20)
    anna.page.wait_for_selector("dialog li:has-text('A link for 20 people')")
    assert "0 have used it" in anna.page.inner_text("dialog")
    anna.page.click("dialog li:has-text('A link for 20 people') button[aria-label='Withdraw the invitation']")
    anna.until_("it is gone", lambda: anna.page.locator("dialog li:has-text('A link for 20 people')").count() == 0)
    assert anna.evaluate("device => device.store.kept('links')") == {}
