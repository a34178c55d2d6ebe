"""Invitations: links, codes, addresses; and how many steps they take."""

import pytest

from app import PASSWORD, PHONE, SUBMIT


class Finger:
    """Counts taps and filled fields."""

    def __init__(self, app):
        self.page, self.steps = app.page, 0

    def tap(self, selector):
        self.page.click(selector)
        self.steps += 1

    def type(self, selector, text):
        self.page.fill(selector, text)
        self.steps += 1

    def sign_up(self, name):
        self.type("input[name=name]", name)
        self.type("input[name=email]", f"{name.lower()}-twelve@example.com")
        self.type("input[name=password]", PASSWORD)
        self.tap(SUBMIT)


def test_a_newcomer_shares_a_list_with_a_second_phone_in_twelve_steps(app):
    anna = app(**PHONE).open()
    finger = Finger(anna)
    finger.sign_up("Anna")
    finger.tap(".new-list")
    finger.type("dialog input[name=name]", "Weekly shop")
    finger.tap("dialog button[type=submit]")
    finger.tap(".faces")
    finger.tap(".invite .primary")
    anna.page.wait_for_selector(".code svg")
    link = anna.scan()
    assert link == anna.page.input_value(".linkline input")
    # The second phone scans the code. Its person is new, too.
    ben = app(**PHONE).open(link.replace(anna.cable.address, ""))
    other = Finger(ben)
    other.sign_up("Ben")
    other.tap(".invitation .primary")
    ben.page.wait_for_selector(".addline input")
    ben.add("Milk")
    anna.until_("Ben's item", lambda: "Milk" in anna.texts)
    assert finger.steps <= 12
    # As docs/web.md says.
    assert (finger.steps, other.steps) == (9, 5)


def test_another_program_reads_every_size_of_code(app):
    anna = app(**PHONE).open()
    anna.page.wait_for_selector("input[name=name]")
    for length in (10, 14, 26, 42, 62, 84, 106, 122, 152, 180, 213):
        text = ("https://lists.example.com/join#" + "aZ3_-" * 50)[:length]
        anna.page.evaluate("""async text => {
            const { drawCode } = await import(document.querySelector('script[type=module]').src.replace('main.js', 'ui/qr.js'));
            document.querySelector('.code')?.remove();
            const place = document.createElement('div');
            place.className = 'code';
            place.append(drawCode(text));
            document.querySelector('.panel, main').prepend(place);
        }""", text)
        assert anna.scan() == text, length


def test_a_link_that_is_too_long_for_a_code_is_shown_without_one(app):
    anna = app(**PHONE)
    labels = ".".join("a" * 60 for _ in range(3))
    anna.cable.address = anna.cable.address.replace("localhost", f"{labels}.localhost").replace("127.0.0.1", f"{labels}.localhost")
    anna.newcomer("Anna").new_list("Far")
    anna.page.click(".faces")
    anna.page.click(".invite .primary")
    link = anna.page.input_value(".linkline input")
    assert len(link) > 213 and link.startswith(anna.cable.address) and not anna.page.is_visible(".code")
    assert anna.page.locator("#toasts .error").count() == 0


def invite(app, *, email=None):
    """Makes an invitation on the screen, and answers its link. The sheet stays open."""
    app.page.click(".faces")
    app.page.wait_for_selector(".invite .primary")
    if email:
        app.page.click(".by-mail summary")
        app.page.fill(".by-mail input[name=email]", email)
        app.page.click(".by-mail button[type=submit]")
    else:
        app.page.click(".invite .primary")
    app.page.wait_for_selector(".code svg")
    return app.page.input_value(".linkline input").replace(app.cable.address, "")


def test_a_tab_that_does_not_lead_shares_a_list_that_it_has_just_made(app):
    first = app().newcomer("Anna")
    second = first.tab().open()
    second.page.wait_for_selector(".new-list")
    held = []
    first.route("**/v1/lists", lambda route: held.append(route))
    second.new_list("Fresh")
    second.page.click(".faces")
    second.until_("it waits", lambda: "doesn’t have this list yet" in second.page.text_content("dialog .people"))
    first.until_("the leading tab tells the service", lambda: first.page.wait_for_timeout(20) or held)
    for route in held:
        route.continue_()
    second.page.wait_for_selector(".invite .primary")


def test_the_sheet_shows_who_joins_and_keeps_the_link_in_sight(app):
    anna = app().newcomer("Anna").new_list("Joined").add("Milk").settled()
    anna.page.click(".faces")
    anna.page.click(".invite .primary")
    link = anna.page.input_value(".linkline input").replace(anna.cable.address, "")
    anna.page.wait_for_selector("text=Not joined yet")
    app(**PHONE).join(link, "Ben")
    anna.until_("Ben is shown", lambda: "Ben" in anna.page.text_content("dialog .people"))
    anna.until_("the link is used", lambda: not anna.page.is_visible("text=Not joined yet"))
    assert anna.page.is_visible(".code svg") and anna.page.is_visible("text=Stop sharing")


def test_a_sheet_that_could_not_ask_the_service_tries_again(app):
    anna = app().newcomer("Anna").new_list("Again").settled().installed()
    anna.cable.cut()
    anna.page.click(".faces")
    anna.page.wait_for_selector("dialog .note")
    assert not anna.page.locator(".invite .primary").count()
    anna.cable.mend()
    anna.page.click("dialog .note button")
    anna.page.wait_for_selector(".invite .primary")
    assert not anna.page.locator("dialog .note").count()


def test_the_system_s_share_sheet_gets_the_link(app):
    anna = app(**PHONE)
    anna.page.add_init_script("navigator.share = async what => { globalThis.shared = what; };")
    anna.newcomer("Anna").new_list("Weekly shop")
    link = invite(anna)
    anna.page.click(".link button:has-text('Send the link')")
    assert anna.page.evaluate("shared") == {
        "title": "Trolley", "text": "Join my shopping list “Weekly shop”", "url": anna.cable.address + link,
    }


def test_copying_is_said_only_when_it_worked(app):
    anna = app().newcomer("Anna").new_list("Copy").add("Milk")
    anna.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = invite(anna)
    anna.page.click("[aria-label='Copy the link']")
    anna.until_("it says so", lambda: "Copied." in anna.page.text_content("#toasts"))
    assert anna.page.evaluate("navigator.clipboard.readText()") == anna.cable.address + link
    anna.page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new DOMException('no', 'NotAllowedError'); }; }")
    anna.page.click("[aria-label='Copy the link']")
    anna.until_("it says so", lambda: anna.page.text_content("#toasts").startswith("The browser didn’t let"))
    anna.page.keyboard.press("Escape")
    anna.menu("List settings", "Copy, send or print", "Copy as text")
    anna.until_("it says so", lambda: anna.page.text_content("#toasts").startswith("The browser didn’t let"))


def test_an_invitation_by_email_is_for_that_address_alone(app):
    anna = app().newcomer("Anna").new_list("Ours").add("Milk")
    carol = app().newcomer("Carol")
    ben = app().newcomer("Ben")
    link = invite(anna, email=ben.email)
    assert ben.email in anna.page.text_content(".link .hint")
    anna.until_("it waits", lambda: ben.email in anna.page.locator("dialog .people").last.text_content())
    carol.open(link).page.wait_for_selector("text=for somebody else")
    ben.open(link).page.click(".invitation .primary")
    ben.page.wait_for_selector(".addline input")
    ben.sees("Milk")


def test_a_newcomer_sees_what_they_are_invited_to_before_they_sign_up(app):
    anna = app().newcomer("<b>Anna</b>").new_list("Weekly <i>shop</i>").add("Milk").settled()
    ben = app(locale="de-DE").open(anna.link())
    ben.until_("it says who and what", lambda: "<b>Anna</b>" in ben.page.text_content(".invitation")
               and "Weekly <i>shop</i>" in ben.page.text_content(".invitation h2"))
    # Also beside the form for those who have an account.
    ben.page.click(".switch .link")
    ben.page.wait_for_selector("input[name=name]", state="detached")
    assert ben.page.is_visible(".invitation h2")
    ben.page.click(".switch .link")
    ben.sign_up("Ben").page.click("button:has-text('Mitmachen')")
    ben.sees("Milk")


def test_a_newcomer_signs_up_also_if_nobody_says_to_what_they_are_invited(app):
    anna = app().newcomer("Anna").new_list("Ours").add("Milk").settled()
    link = anna.link()
    ben = app()
    ben.page.route("**/v1/invitations/look", lambda route: None)
    ben.open(link).page.wait_for_selector("text=You are invited to a shared shopping list")
    ben.page.unroute("**/v1/invitations/look")
    ben.sign_up("Ben").page.click(".invitation .primary")
    ben.sees("Milk")
    carol = app()
    carol.open(invite(anna, email="dan@example.com")).page.wait_for_selector("text=is for one email address")


def test_an_invitation_is_declined_withdrawn_and_expires(app):
    anna = app().newcomer("Anna").new_list("Ours").add("Milk").settled()
    ben = app().newcomer("Ben")
    ben.open(invite(anna))
    ben.page.click(".invitation .quiet")
    ben.page.wait_for_selector(".new-list")
    assert ben.page.locator(".card").count() == 0
    anna.page.keyboard.press("Escape")
    withdrawn = invite(anna)
    anna.until_("they wait", lambda: anna.page.locator("[aria-label='Withdraw the invitation']").count() > 0)
    waiting = anna.page.locator("[aria-label='Withdraw the invitation']").count()
    for left in range(waiting - 1, -1, -1):
        anna.page.locator("[aria-label='Withdraw the invitation']").first.click()
        anna.until_("it is withdrawn", lambda: anna.page.locator("[aria-label='Withdraw the invitation']").count() == left)
    ben.open(withdrawn).page.wait_for_selector("text=has expired")
    secret = "e" * 43
    status = anna.page.evaluate("""async ([list, secret]) => (await fetch(`/v1/lists/${list}/invitations`, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ secret, expiresIn: 1 }),
    })).status""", [anna.list, secret])
    assert status < 300
    ben.open(f"/join#{secret}").page.wait_for_selector("text=has expired")
