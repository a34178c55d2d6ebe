"""What a person sets: names, colours, the order of aisles, language, look; and the app on a home screen."""

import re

import pytest

from app import DESKTOP, PHONE
from service import LANGUAGES, ROOT, texts_in

pytestmark = pytest.mark.without_worker


def test_a_list_is_renamed_and_recoloured(app):
    anna = app().newcomer("Anna").new_list("Shop").add("Milk")
    ben = app().join(anna.link(), "Ben").sees("Milk")
    anna.menu("List settings", "Name and colour")
    anna.page.fill("dialog [name=name]", "Party")
    anna.page.click("dialog label[title=Purple]")
    anna.page.click("dialog button[type=submit]")
    for one in (anna, ben):
        one.until_("name and colour", lambda: one.page.text_content(".title h1") == "Party" and one.page.get_attribute(".list", "data-colour") == "purple")
        one.until_("the title", lambda: one.page.title() == "Party · Trolley")
        one.until_("its card", lambda: "Party" in one.page.text_content(".card"))


def test_aisles_are_ordered_by_buttons(app):
    anna = app().newcomer("Anna").new_list("Aisles").add("Milk", "Bread", "Basil")
    for text, aisle in (("Milk", "Dairy"), ("Bread", "Bakery"), ("Basil", "Produce")):
        anna.edit(text, aisle=aisle)
        anna.until_("the aisle", lambda: anna.row(text).locator(".sub").text_content() == aisle)
    anna.menu("List settings", "Aisles")
    anna.page.click("dialog [aria-label='Move Produce up']")
    assert anna.page.evaluate("document.activeElement.ariaLabel") == "Move Produce up"
    anna.page.click("dialog [aria-label='Move Produce up']")
    anna.page.click("dialog [aria-label='Move Dairy down']")
    anna.page.click("dialog .actions .primary")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.shop()
    anna.until_("the order", lambda: anna.page.locator(".rows h2:visible").all_text_contents() == ["Produce", "Bakery", "Dairy"])


def test_language_and_look_are_kept(app):
    anna = app(color_scheme="light", **DESKTOP).newcomer("Anna")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = anna.page.evaluate(paper)
    anna.page.click(".account")
    anna.page.get_by_label("Look").select_option("dark")
    anna.until_("it is dark", lambda: anna.page.evaluate(paper) != light)
    dark = anna.page.evaluate(paper)
    # It is dark at once; a page that goes before the choice is stored keeps the old one.
    stored = "device => device.store.database.read(['meta'], t => t.get('meta', 'settings')).then(settings => settings?.theme)"
    anna.until_("it is stored", lambda: anna.evaluate(stored) == "dark")
    anna.reload().page.wait_for_selector(".account")
    assert anna.page.evaluate(paper) == dark
    anna.page.click(".account")
    anna.page.get_by_label("Look").select_option("")
    anna.until_("it is light", lambda: anna.page.evaluate(paper) == light)
    anna.page.emulate_media(color_scheme="dark")
    anna.until_("it follows the system", lambda: anna.page.evaluate(paper) == dark)
    anna.page.get_by_label("Look").select_option("light")
    anna.until_("it is light", lambda: anna.page.evaluate(paper) == light)
    anna.page.get_by_label("Language").select_option("de")
    anna.page.wait_for_selector("text=Neue Liste")
    anna.reload().page.wait_for_selector("text=Neue Liste")
    assert anna.page.get_attribute("html", "lang") == "de"


def test_less_motion_is_none(app):
    anna = app(reduced_motion="reduce", **PHONE).newcomer("Anna").new_list("Calm").add("Milk")
    anna.row("Milk").locator(".body").click()
    anna.page.wait_for_selector("dialog")
    moving = "document.getAnimations().filter(animation => animation.effect.getComputedTiming().duration > 0).length"
    assert anna.page.evaluate(moving) == 0
    anna.page.emulate_media(reduced_motion="no-preference")
    anna.page.keyboard.press("Escape")
    anna.row("Milk").locator(".body").click()
    anna.page.wait_for_selector("dialog")
    assert anna.page.evaluate(moving) > 0


def test_the_app_can_be_installed(app):
    anna = app(**PHONE).open()
    manifest = anna.page.evaluate("async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()")
    assert manifest["name"] and manifest["short_name"] and manifest["id"] == manifest["start_url"] == manifest["scope"] == "/"
    assert manifest["display"] == "standalone" and manifest["background_color"] and manifest["theme_color"]
    sizes = anna.page.evaluate("""async icons => {
        const sizes = [];
        for (const { src } of icons) {
            const image = new Image();
            image.src = src;
            await image.decode();
            sizes.push(`${image.naturalWidth}x${image.naturalHeight}`);
        }
        return sizes;
    }""", manifest["icons"])
    assert all(icon["sizes"] in ("any", size) for icon, size in zip(manifest["icons"], sizes, strict=True))
    assert "maskable" in manifest["icons"][-1]["purpose"]


@pytest.mark.with_worker
@pytest.mark.notices
def test_the_badge_counts_the_unread_changes(app):
    anna = app(**PHONE)
    # Allowed on a browser's request, and kept.
    anna.context.grant_permissions(["notifications"])
    anna.page.add_init_script("""
        globalThis.badges = [];
        navigator.setAppBadge = async count => { badges.push(count); };
        navigator.clearAppBadge = async () => { badges.push(0); };
    """)
    anna.newcomer("Anna").new_list("Ours").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    anna.page.click(".back")
    ben.add("Eggs", "Tea")
    anna.page.wait_for_selector(".card .badge")
    anna.until_("the badge", lambda: anna.page.text_content(".card .badge") == "2" and anna.page.evaluate("badges.at(-1)") == 2)
    anna.open_list("Ours")
    anna.until_("no badge", lambda: anna.page.evaluate("badges.at(-1)") == 0)


def test_every_text_that_the_page_asks_for_is_there():
    """Also those whose key is put together, and every plural form that a language has."""
    texts = {name: texts_in(name) for name in LANGUAGES}
    keys = set(re.findall(r"'([\w.]+)': (?:['{])", texts["en"]))
    code = "\n".join(path.read_text() for path in (ROOT / "web/app").rglob("*.js") if "text" not in path.parts)
    for start in set(re.findall(r"\bt\(`([\w.]+)\$\{", code)):
        assert any(key.startswith(start) for key in keys), start
    operations = ["add", "edit", "markOff", "unmark", "move", "delete", "renameList", "recolourList", "message", "deleteMessage", "react",
                  "unreact", "pin", "unpin"]
    for operation in operations:
        assert {f"operation.{operation}", f"activity.{operation}"} <= keys
    codes = set(re.findall(r"^    case (\w+)$", (ROOT / "Sources/TrolleyWire/Service/ProblemCode.swift").read_text(), re.MULTILINE))
    assert len(codes) > 20 and {f"error.{code}" for code in codes} <= keys
    for name, text in texts.items():
        # The service's own words are English: they stand only where the page has none.
        assert re.findall(r"'([\w.]+)': '[^']*\{detail\}", text) == ["error.other"], name
        for key, forms in re.findall(r"'([\w.]+)': (\{[^}]*?(?:\{\w+\}[^}]*?)*\})", text):
            assert "other:" in forms, f"{name} {key}"
            assert "place" in forms or "one:" in forms, f"{name} {key}"
