"""Invitations: links, codes, addresses; and how many steps they take."""

import pytest

from app import PASSWORD, PHONE


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
        self.tap("button[type=submit]")


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
