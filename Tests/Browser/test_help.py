"""The help inside the app: the text of docs/help, searched, without a network."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from service import LANGUAGES, ROOT, texts_in
from test_screens import RULES

# Words of browsers, which the page hasn't.
OTHERS = {
    "Add to home screen", "Install", "Zum Startbildschirm hinzufügen", "Installieren", "Añadir a pantalla de inicio", "Instalar",
    "Ajouter à l’écran d’accueil", "Installer", "Aggiungi alla schermata Home", "Installa", "Toevoegen aan startscherm", "Installeren",
    "הוספה למסך הבית", "התקנה",
}


def headings(app):
    return app.page.locator("dialog .help summary").all_text_contents()


@pytest.mark.parametrize("options, language, word, found", [
    (PHONE, "en", "qr", None), (PHONE, "en", "Fridge <b>", []), ({**DESKTOP, "locale": "de-DE"}, "de", "link CODE", ["Eine Liste teilen"]),
    ({**PHONE, "viewport": {"width": 320, "height": 568}}, "en", "signal network", None),
])
def test_the_help_is_there_without_a_network_and_is_searched(app, options, language, word, found):
    anna = app(**options).newcomer("Anna").installed()
    anna.until_("the worker controls the page", lambda: anna.page.evaluate("!!navigator.serviceWorker.controller"))
    anna.cable.cut()
    anna.page.click(".account")
    anna.page.click(f"dialog .menu-item:has-text('{'Help' if language == 'en' else 'Hilfe'}')")
    text = (ROOT / f"docs/help/{language}.md").read_text()
    expected = re.findall(r"^## (.*)$", text, re.MULTILINE)
    anna.until_("all of it", lambda: headings(anna) == expected)
    anna.page.locator("dialog .help summary").first.click()
    # The same words as the page's.
    body = anna.page.locator("dialog .help details").first.locator("p").first.text_content()
    assert re.sub(r"\s+", " ", body) in re.sub(r"\s+", " ", text.replace("*", "").replace("`", ""))
    anna.page.wait_for_timeout(250)
    anna.shows_all()
    report = Axe().run(anna.page, options=RULES)
    assert report.violations_count == 0, report.generate_report()
    anna.page.fill("dialog .search", word)
    if found is None:
        words = word.lower().split()
        found = [section.split("\n")[0] for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]
                 if all(word in section.lower().replace("\n", " ") for word in words)]
    anna.until_(lambda: f"{found}, not {headings(anna)}", lambda: headings(anna) == found)
    assert found or "Nothing about that" in anna.page.text_content("dialog .help")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_calls_everything_as_the_page_does(language):
    text = (ROOT / f"docs/help/{language}.md").read_text()
    texts = texts_in(language)
    named = {re.sub(r"\s+", " ", name) for name in re.findall(r"\*([^*]+)\*", text)}
    assert len(named) > 8
    assert sorted(name for name in named - OTHERS if f"'{name}'" not in texts) == []


def test_all_languages_have_the_same_sections():
    sections = [len(re.findall(r"^## ", (ROOT / f"docs/help/{language}.md").read_text(), re.MULTILINE)) for language in LANGUAGES]
    assert len(set(sections)) == 1 and sections[0] > 10
