"""What people and others may put in: links, markup, long texts, many lines, other scripts, other languages."""

import re

import pytest

from app import PASSWORD, PHONE
from service import LANGUAGES, ROOT, texts_in

pytestmark = pytest.mark.without_worker


def test_markup_is_text(app):
    anna = app().newcomer("<b>Anna</b>").new_list("<img src=x onerror=alert(1)>")
    texts = ["<script>document.title = 'taken'</script>", "<a href=javascript:alert(1)>milk</a>", "&amp; \"'`${1}"]
    anna.paste("\n".join(texts)).sees(*texts)
    anna.edit(texts[1], note="<style>*{display:none}</style>", aisle="<i>Dairy</i>")
    anna.shop()
    anna.until_("its aisle", lambda: "<i>Dairy</i>" in anna.page.locator(".rows h2").all_text_contents())
    assert anna.page.evaluate("document.querySelectorAll('.list b, .list i, .list a[href^=javascript], .list script, .list img').length") == 0


def test_text_never_becomes_markup_by_a_slip(app):
    """Trusted Types: the browser itself refuses."""
    anna = app().newcomer("Anna")
    refused = anna.page.evaluate("""() => {
        try {
            document.body.innerHTML = 'x';
            return 'written';
        } catch (error) {
            return error.name;
        }
    }""")
    assert refused == "TypeError"
    anna.until_("it is reported", lambda: anna.page.title() and any("require-trusted-types-for" in text for text in anna.complaints))
    assert all("trusted" in text.lower() for text in anna.complaints)
    anna.complaints.clear()


def test_a_thousand_pasted_lines_are_one_gesture(app):
    anna = app().newcomer("Anna").new_list("Thousand")
    anna.paste("\n".join(f"- {n} × item number {n}" for n in range(1, 1001)))
    anna.until_("all rows", lambda: anna.page.locator(".row").count() == 1000)
    anna.settled()
    assert anna.state()["items"][999]["fields"] == {"text": "item number 1000", "quantity": "1000"}
    anna.page.click("[aria-label=Undo]")
    anna.until_("no rows", lambda: anna.page.locator(".row").count() == 0)


def test_what_is_there_already_is_not_doubled_and_what_was_bought_is_suggested(app):
    anna = app().newcomer("Anna").new_list("Again").add("Milk", "Bread").check("Milk")
    anna.until_("marked off", lambda: anna.state()["items"][0]["markedOff"])
    anna.add("bread").until_("it says so", lambda: "already" in (anna.page.text_content("#toasts") or ""))
    anna.until_("a suggestion", lambda: anna.page.locator(".chip:has-text('Milk')").count() == 1)
    anna.page.click(".chip:has-text('Milk')")
    anna.until_("it is back", lambda: not anna.state()["items"][0]["markedOff"])
    assert [item["text"] for item in anna.state()["items"]] == ["Milk", "Bread"]


def test_enter_that_ends_a_composition_adds_nothing(app):
    anna = app().newcomer("Anna").new_list("Input method")
    keys = anna.page.context.new_cdp_session(anna.page)
    anna.page.click(".addline input")
    keys.send("Input.imeSetComposition", {"text": "にく", "selectionStart": 2, "selectionEnd": 2})
    anna.page.keyboard.press("Enter")
    keys.send("Input.insertText", {"text": "肉"})
    assert anna.page.input_value(".addline input").endswith("肉")
    assert anna.state()["items"] == []
    anna.page.fill(".addline input", "肉")
    anna.page.press(".addline input", "Enter")
    anna.sees("肉")
    assert [item["text"] for item in anna.state()["items"]] == ["肉"]


def test_what_was_added_is_said_once(app):
    anna = app().newcomer("Anna").new_list("Said")
    anna.page.evaluate("""() => {
        globalThis.said = [];
        new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node => said.push(node.textContent))))
            .observe(document.querySelector('.announcements'), { childList: true });
    }""")
    anna.add("Milk", "milk")
    anna.until_("it is said", lambda: any("already" in text for text in anna.page.evaluate("said")))
    said = anna.settled().page.evaluate("said")
    assert [sum(word in text for text in said) for word in ("added", "already")] == [1, 1], said


def test_a_search_also_finds_what_is_added_meanwhile(app):
    anna = app().newcomer("Anna").new_list("Search").add("Milk", "Bread")
    anna.page.click(".tools [aria-label='Search this list']")
    anna.page.fill(".search", "mil")
    anna.sees("Milk")
    anna.add("Oat milk", "Eggs").sees("Milk", "Oat milk")
    anna.until_("it says what it hides", lambda: "Eggs added. The search hides it." in anna.page.text_content("#toasts"))
    # One that is the whole text hides none that contains it.
    anna.page.fill(".search", "milk")
    anna.sees("Milk", "Oat milk")
    anna.page.press(".search", "Escape")
    anna.sees("Milk", "Bread", "Oat milk", "Eggs")
    anna.edit("Bread", note="for the milkman")
    anna.page.click(".tools [aria-label='Search this list']")
    anna.page.fill(".search", "milk")
    anna.sees("Milk", "Bread", "Oat milk")
    # It ends as it began, and where one shops.
    anna.page.click(".tools [aria-label='Search this list']")
    anna.sees("Milk", "Bread", "Oat milk", "Eggs")
    anna.page.click(".tools [aria-label='Search this list']")
    anna.page.fill(".search", "bre")
    anna.sees("Bread").shop().sees("Milk", "Oat milk", "Eggs", "Bread")


def test_a_row_says_how_far_its_change_has_come(app):
    anna = app().newcomer("Anna").new_list("Ticks").add("Milk").settled()
    anna.until_("it is sent", lambda: "sent" not in anna.row("Milk").locator(".body").text_content())
    anna.cable.cut()
    anna.add("Bread")
    body = anna.row("Bread").locator(".body")
    anna.until_("it waits", lambda: "waits to be sent" in body.text_content())
    anna.cable.mend()
    anna.settled()
    anna.until_("it is sent", lambda: "sent" not in body.text_content())


def test_other_scripts_and_emoji(app):
    anna = app(**PHONE).newcomer("Anna").new_list("קניות")
    texts = ["חלב", "👨‍👩‍👧‍👦 cake 🎂", "ขนมปัง", "e\u0301clair", "x" * 1500]
    anna.paste("\n".join(texts)).sees(*texts)
    anna.shows_all()
    assert anna.page.evaluate("getComputedStyle(document.querySelector('.row .text')).direction") == "rtl"
    # A name in the other direction moves no words of a sentence around it.
    anna.row("חלב").locator(".check").focus()
    anna.page.keyboard.press("Delete")
    anna.until_("it says so", lambda: "“\u2068חלב\u2069” deleted" in anna.page.text_content("#toasts"))
    anna.page.click("#toasts button")
    anna.sees(*texts)
    # A page from right to left is whole, too.
    anna.page.evaluate("document.documentElement.dir = 'rtl'")
    anna.shows_all()
    box = anna.page.locator(".row .check").first.bounding_box()
    assert box["x"] > 195
    assert anna.page.evaluate("getComputedStyle(document.querySelector('.back .icon')).transform") == "matrix(-1, 0, 0, 1, 0, 0)"
    padding = "getComputedStyle(document.querySelector('.row .body'))"
    assert anna.page.evaluate(f"[{padding}.paddingRight, {padding}.paddingLeft]") == ["0px", "4px"]


def test_links_that_are_broken_used_or_for_others_say_so(app):
    anna = app().newcomer("Anna").new_list("Links")
    link = anna.link()
    ben = app().open("/join#nonsense")
    ben.page.wait_for_selector("text=incomplete")
    ben.page.click("a:has-text('To my lists')")
    ben.page.wait_for_selector("input[name=name]")
    ben.join(link, "Ben")
    carol = app().open(link)
    carol.page.wait_for_selector("text=used already")
    carol.sign_up("Carol").page.wait_for_selector("text=This link doesn’t work")
    carol.page.click("a:has-text('To my lists')")
    carol.page.wait_for_selector(".new-list")


def test_somebody_who_may_only_look_can_not_change(app):
    anna = app().newcomer("Anna").new_list("Look").add("Milk")
    anna.page.click(".faces")
    anna.page.select_option(".invite select", "readOnly")
    anna.page.click(".invite .primary")
    anna.page.wait_for_selector(".code svg")
    link = anna.page.input_value(".linkline input").replace(anna.cable.address, "")
    ben = app().open(link).sign_up("Ben")
    ben.page.wait_for_selector("text=look at it")
    ben.page.click(".invitation .primary")
    ben.page.wait_for_selector(".row")
    assert ben.page.is_disabled(".row .check") and ben.page.locator(".addline").count() == 0


def test_all_languages_say_everything():
    keys = [sorted(re.findall(r"'([\w.]+)': (?:['{])", texts_in(name))) for name in LANGUAGES]
    assert len(set(keys[0])) == len(keys[0])
    for language, others in zip(LANGUAGES, keys, strict=True):
        assert others == keys[0], language
    said = "\n".join(path.read_text() for path in (ROOT / "web/app").rglob("*.js") if "text" not in path.parts)
    asked = set(re.findall(r"\bt\('([\w.]+)'", said))
    assert asked <= set(keys[0]), asked - set(keys[0])


def test_it_speaks_german(app):
    anna = app(locale="de-DE", **PHONE).open().sign_up("Anna")
    anna.page.wait_for_selector("text=Neue Liste")
    assert anna.page.get_attribute("html", "lang") == "de"


@pytest.mark.parametrize("text", ["x" * 8192, "ขนมปัง" * 455], ids=["8 KiB", "Thai"])
def test_what_is_too_long_is_never_cut_and_stays_in_its_field(app, text):
    anna = app().newcomer("Anna").new_list("Long").add("Milk")

    def refused(field):
        anna.until_("it says so", lambda: anna.page.locator(".toast:has-text('too long'), .problem:has-text('too long')").count() == 1)
        assert anna.page.input_value(field) == text
        for button in anna.page.locator("#toasts .error .icon-button").all():
            button.click()

    def discard():
        anna.page.keyboard.press("Escape")
        anna.page.click("dialog button:has-text('Discard')")

    anna.page.fill(".addline input", text)
    anna.page.press(".addline input", "Enter")
    refused(".addline input")
    anna.page.fill(".addline input", "")
    anna.row("Milk").locator(".body").click()
    for name in ("note", "quantity", "text"):
        anna.page.fill(f"dialog [name={name}]", text)
        anna.page.click("dialog button[type=submit]")
        refused(f"dialog [name={name}]")
        anna.page.fill(f"dialog [name={name}]", "Milk")
    discard()
    anna.menu("List settings", "Name and colour")
    anna.page.fill("dialog [name=name]", text)
    anna.page.click("dialog button[type=submit]")
    refused("dialog [name=name]")
    discard()
    anna.page.click("[aria-label=More]")
    anna.page.click(".menu-item:has-text('Messages')")
    anna.page.fill(".say textarea", text)
    anna.page.press(".say textarea", "Enter")
    refused(".say textarea")
    anna.page.keyboard.press("Escape")
    anna.page.click(".new-list")
    anna.page.fill("dialog [name=name]", text)
    anna.page.click("dialog button[type=submit]")
    refused("dialog [name=name]")
    anna.page.keyboard.press("Escape")
    # Nothing of it was shown or sent, and nothing waits for ever.
    anna.settled().sees("Milk")
    assert anna.page.locator(".card").count() == 1
    # As long as the service takes is taken whole.
    longest = ("x" * 4096)[:4096 - len('{"text":""}')]
    anna.add(longest).sees("Milk", longest).settled()
    assert anna.evaluate("async device => (await device.store.queues()).rejected.length") == 0


def paste_into(app, field, text):
    app.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.page.focus(field)
    app.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    app.page.keyboard.press("Control+a")
    app.page.keyboard.press("Control+v")


def test_what_is_pasted_and_too_long_for_a_field_is_whole_and_not_sent(app):
    anna = app(**PHONE).open()
    sent = []
    anna.page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    said = anna.page.locator(".field .problem:visible")

    def refuses(field, text, limit, scope="form:not(:has([name=need]))"):
        """The field keeps the text, says why, and nothing goes to the service."""
        before = len(sent)
        paste_into(anna, field, text)
        anna.until_("it says so", lambda: said.all_text_contents() == [f"That is too long: at most {limit} characters."])
        assert anna.page.input_value(field) == text
        anna.page.click(f"{scope} button[type=submit]")
        anna.page.wait_for_selector(f"{field}:focus")
        assert anna.page.get_attribute(field, "aria-invalid") == "true"
        heard = anna.page.get_attribute(field, "aria-describedby").split()
        assert said.get_attribute("id") in heard and len(sent) == before
        anna.shows_all()
        anna.page.fill(field, "")
        anna.until_("it no longer says so", lambda: said.count() == 0)
        assert anna.page.get_attribute(field, "aria-invalid") is None

    anna.fill("email", "anna@example.com")
    anna.fill("password", PASSWORD)
    refuses("input[name=name]", "Anna " * 21, 100)
    anna.fill("name", "Anna")
    refuses("input[name=email]", f"{'a' * 250}@example.com", 254)
    anna.fill("email", "anna@example.com")
    refuses("input[name=password]", "horse" * 41, 200)
    # The service counts like this, too. What it takes is taken whole.
    name = "👩‍🌾👩‍🌾👩‍🌾" * 11 + "!"
    assert len(name) == 100
    anna.sign_up(name).page.wait_for_selector(".new-list")
    assert anna.evaluate("device => device.session.account.name") == name
    anna.page.click(".account")
    anna.page.click("dialog summary:has-text('Password')")
    anna.page.fill("dialog [name=password]:visible", PASSWORD)
    refuses("dialog [name=newPassword]", "horse" * 41, 200, "dialog details[open]")
