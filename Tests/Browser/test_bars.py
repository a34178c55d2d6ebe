"""What stands around the rows: menus, bars, suggestions and the status."""

import pytest

from app import DESKTOP, PHONE
from test_trips import open_trips

pytestmark = pytest.mark.without_worker

MENU = "dialog .menu-item"


def entries(app):
    return app.page.locator(MENU).all_text_contents()


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_no_menu_has_more_than_eight_entries(app, options):
    anna = app(**options)
    # As on a phone, whose system shares texts.
    anna.page.add_init_script("Object.defineProperty(Navigator.prototype, 'share', { value: async () => {} });")
    # With something to remove and something to redo.
    anna.newcomer("Anna").new_list("Menus").add("Milk", "Bread").check("Bread").settled()
    anna.page.click(".main [aria-label=More]")
    anna.page.wait_for_selector(MENU)
    assert len(entries(anna)) == 8, entries(anna)
    anna.page.click(f"{MENU}:has-text('List settings')")
    anna.page.wait_for_selector(f"{MENU}:has-text('Delete the list')")
    assert len(entries(anna)) == 8, entries(anna)
    anna.page.click(f"{MENU}:has-text('Copy, send or print')")
    anna.until_("what goes out", lambda: entries(anna) == ["Copy as text", "Send as text", "Print"])
    anna.page.keyboard.press("Escape")
    # Trips are behind the Activity, and Back leads to the list.
    open_trips(anna)
    anna.until_("the trips alone", lambda: anna.page.locator("dialog").count() == 1)
    anna.page.go_back()
    anna.until_("the list", lambda: anna.page.locator("dialog").count() == 0 and anna.texts == ["Milk", "Bread"])
    anna.to_account()
    anna.page.wait_for_selector("dialog .me")
    assert anna.page.locator("dialog :is(.menu-item, details.part):visible").count() <= 8


@pytest.mark.parametrize("height", [844, 508], ids=["without a keyboard", "with a keyboard"])
def test_suggestions_move_neither_rows_nor_the_field(app, height):
    anna = app(**{**PHONE, "viewport": {"width": 390, "height": height}}).newcomer("Anna").new_list("Still").add("Milk", "Bread").settled()
    chips = anna.page.locator(".addbar .chips")

    def places():
        return anna.page.evaluate("""() => ['.scroller', '.row', '.addline']
            .map(name => Math.round(document.querySelector(name).getBoundingClientRect().top))""")

    anna.page.focus(".addline input")
    before = places()
    for line in ("but", "butter"):
        anna.page.fill(".addline input", line)
        anna.until_("suggestions", lambda: chips.is_visible() and chips.locator("button").count() > 0)
        assert places() == before, line
    anna.page.fill(".addline input", "")
    anna.until_("none", lambda: not chips.is_visible())
    assert places() == before


def test_a_search_ends_when_shopping_begins(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Found").add("Milk", "Bread").settled()
    search = anna.page.locator(".main .search")
    find = anna.page.locator(".main .find")
    find.click()
    search.fill("bread")
    anna.sees("Bread")
    # The button begins a search and ends it.
    find.click()
    anna.sees("Milk", "Bread")
    assert not search.is_visible()
    find.click()
    search.fill("bread")
    anna.sees("Bread")
    anna.shop().sees("Milk", "Bread")
    assert not search.is_visible() and search.input_value() == ""


def test_the_browsers_size_of_text_counts(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Large").add("Milk").settled()
    size = "parseFloat(getComputedStyle(document.querySelector('.row .text')).fontSize)"
    before = anna.page.evaluate(size)
    anna.page.context.new_cdp_session(anna.page).send("Page.setFontSizes", {"fontSizes": {"standard": 24, "fixed": 20}})
    anna.until_("half as large again", lambda: abs(anna.page.evaluate(size) / before - 1.5) < 0.01)
    anna.settled().shows_all()


def test_a_wide_screen_says_once_that_it_is_in_step(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Once").add("Milk").settled()
    said = """() => [...document.querySelectorAll('.status')]
        .filter(element => element.checkVisibility() && element.innerText.includes('In step')).length"""
    anna.until_("once", lambda: anna.page.evaluate(said) == 1)
    # It is said there as soon as anything is.
    anna.page.wait_for_timeout(200)
    assert anna.page.evaluate(said) == 1
