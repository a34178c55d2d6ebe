"""The page in each language: every screen has its words, fits the smallest phone, and is read from the right side."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from service import ALL, LANGUAGES, ROOT
from test_screens import RULES

pytestmark = pytest.mark.without_worker

SMALL = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 2, "has_touch": True}
LOCALES = {"en": "en-GB", "de": "de-DE", "es": "es-ES", "fr": "fr-FR", "he": "he-IL", "it": "it-IT", "nl": "nl-NL"}
LISTS = {"he": "קניות"}
MORE = ".main .list-head .tools .icon-button:last-child"


def look(app, name, language, screenshots):
    app.page.wait_for_timeout(250)
    app.page.screenshot(path=screenshots(name, language))
    app.shows_all()
    # No key stands where a text should be, and nothing is left to fill in.
    words = app.page.inner_text("body")
    assert "undefined" not in words and "{" not in words, f"{name} {language}"


# French has the longest words, and Hebrew is read from the right.
@pytest.mark.parametrize("language", LANGUAGES if ALL else ["fr", "he"])
def test_every_screen_speaks_the_language_and_fits_a_small_phone(app, language, screenshots):
    assert set(LOCALES) == set(LANGUAGES)
    anna = app(**SMALL, locale=LOCALES[language]).open()
    anna.page.wait_for_selector("input[name=password]")
    assert anna.page.get_attribute("html", "lang") == language
    assert anna.page.get_attribute("html", "dir") == ("rtl" if language == "he" else "ltr")
    see = lambda name: look(anna, f"language-{name}", language, screenshots)
    see("welcome")
    anna.sign_up("Anna").page.wait_for_selector(".new-list")
    see("lists")
    anna.new_list(LISTS.get(language, "Party")).add("Milk, 2 l", "Bread").check("Bread")
    anna.settled()
    see("list")
    anna.page.click(MORE)
    see("menu")
    entries = anna.page.locator("dialog .menu > .menu-item")
    last = entries.count() - 1
    assert last >= 6
    # People, the Activity, importing, and the list's settings.
    for place in (0, 5, last - 1, last):
        if not anna.page.locator("dialog").count():
            anna.page.click(MORE)
        entries.nth(place).click()
        anna.page.wait_for_timeout(400)
        see(f"menu-{place}")
        leave(anna)
    anna.row("Milk").locator(".body").click()
    anna.page.wait_for_selector("dialog input[name=text]")
    see("item")
    assert Axe().run(anna.page, options=RULES).violations_count == 0
    leave(anna)
    anna.to_account()
    anna.page.wait_for_selector("dialog select")
    see("account")
    leave(anna)
    manifest = anna.page.evaluate("async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()")
    assert manifest.get("lang", "en") == language and len(manifest["shortcuts"]) == 2


def leave(app):
    while app.page.locator("dialog[open]").count():
        app.page.keyboard.press("Escape")
        app.page.wait_for_timeout(250)


def test_the_language_can_be_chosen(app):
    anna = app(**SMALL).newcomer("Anna")
    anna.to_account()
    chosen = anna.page.locator("dialog select").filter(has=anna.page.locator("option[value=he]"))
    chosen.wait_for()
    assert set(chosen.locator("option").evaluate_all("options => options.map(option => option.value)")) - {""} == set(LANGUAGES)
    chosen.select_option("he")
    anna.until_("it is read from the right", lambda: anna.page.get_attribute("html", "dir") == "rtl")
    assert (ROOT / "web/app/text/he.js").exists()
