"""'Where has my milk gone?' in the add bar and in the search: from what this device knows, without the network, too."""

import pytest

from app import PHONE
from test_screens import DESKTOP, look

pytestmark = pytest.mark.without_worker

IN_THE_BAR, IN_THE_SEARCH = ".addbar .where", ".scroller > .where"


def rename(one, text, to):
    one.row(text).locator(".body").click()
    one.page.fill("dialog [name=text]", to)
    one.page.click("dialog button[type=submit]")
    one.page.wait_for_selector("dialog", state="detached")
    return one


def types(one, text):
    one.page.fill(".addline input", text)
    return one


def searches(one, text):
    if not one.page.is_visible(".search"):
        one.menu("Search this list")
    one.page.fill(".search", text)
    return one


def lines(one, place):
    return one.page.locator(f"{place} li").all_text_contents()


def is_told(one, place, *beginnings):
    def told():
        found = lines(one, place)
        return len(found) == len(beginnings) and all(line.startswith(beginning) for line, beginning in zip(found, beginnings))
    one.until_(lambda: f"the lines {beginnings}, not {lines(one, place)}", told)
    return one


def hears(one, text):
    one.until_(f"it is announced: {text}", lambda: text in one.page.evaluate(
        "[...document.querySelectorAll('.announcements')].map(region => region.textContent).join(' ')"))


def traces(one, name):
    """What the page knows, as `trolley where` tells it."""
    found = one.evaluate("async (device, name) => (await device.whereabouts()).of(name)", name)
    return [{"list": trace["list"], "item": trace["id"], "text": trace["text"], "formerTexts": trace["formerTexts"], "status": trace["status"],
             "since": trace["since"]["at"], "by": trace["since"]["by"], "added": trace["added"] and trace["added"]["at"],
             "addedBy": trace["added"] and trace["added"]["by"], "source": trace["source"]} for trace in found]


@pytest.fixture
def two(app):
    """Anna and Ben on one list, and Anna's other list."""
    anna = app(**PHONE).newcomer("Anna").new_list("Party").add("Gin", "Lemons")
    anna.page.click(".back")
    anna.new_list("Weekly").add("Milk", "Bread", "Eggs", "Soap").settled()
    ben = app().join(anna.link(), "Ben").sees("Milk", "Bread", "Eggs", "Soap")
    ben.check("Milk")
    ben.row("Bread").locator(".check").focus()
    ben.page.keyboard.press("Delete")
    rename(ben, "Soap", "Shampoo").settled()
    anna.until_("Ben's changes", lambda: {item["text"]: item["markedOff"] for item in anna.state()["items"]} == {"Milk": True, "Eggs": False, "Shampoo": False})
    return anna, ben


@pytest.mark.with_worker
def test_the_bar_and_the_search_say_where_an_item_has_gone(two):
    anna, ben = two
    anna.settled().cable.cut()
    is_told(types(anna, "milk"), IN_THE_BAR, "“Milk” was marked off on this list by Ben, ")
    hears(anna, "was marked off on this list by Ben")
    is_told(types(anna, "bread"), IN_THE_BAR, "“Bread” was deleted on this list by Ben, ")
    is_told(types(anna, "gin"), IN_THE_BAR, "“Gin” is on “Party”, added by you, ")
    is_told(types(anna, ""), IN_THE_BAR)
    # The search shows what is marked off, so it says nothing of that.
    searches(anna, "milk").sees("Milk")
    anna.page.wait_for_timeout(600)
    is_told(anna, IN_THE_SEARCH)
    is_told(searches(anna, "bread"), IN_THE_SEARCH, "“Bread” was deleted on this list by Ben, ")
    assert "Nothing like that" in anna.page.text_content(".empty")
    is_told(searches(anna, "soap"), IN_THE_SEARCH, "“Shampoo” is on this list")
    assert lines(anna, IN_THE_SEARCH)[0].endswith("It was called “Soap” before.")
    is_told(searches(anna, "lemon"), IN_THE_SEARCH, "“Lemons” is on “Party”, added by you, ")
    anna.page.click(f"{IN_THE_SEARCH} a")
    anna.until_("the other list is open", lambda: anna.page.text_content(".title h1") == "Party")


@pytest.mark.with_worker
def test_changes_of_ones_own_are_told_before_the_service_has_them(two):
    anna, _ = two
    anna.settled().cable.cut()
    anna.check("Eggs")
    is_told(types(anna, "eggs"), IN_THE_BAR, "“Eggs” was marked off on this list by you, ")
    assert lines(anna, IN_THE_BAR)[0].endswith("Not confirmed yet.")
    anna.page.fill(".addline input", "")
    anna.check("Eggs").until_("wanted", lambda: not next(item for item in anna.state()["items"] if item["text"] == "Eggs")["markedOff"])
    types(anna, "eggs").page.wait_for_selector(".chip.there")
    anna.page.wait_for_timeout(600)
    is_told(anna, IN_THE_BAR)


def test_what_others_have_added_while_one_is_shopping_is_told_to_be_waiting(two):
    anna, ben = two
    anna.shop()
    ben.add("Capers").settled()
    anna.until_("it waits", lambda: anna.page.is_visible(".notice"))
    is_told(types(anna, "capers"), IN_THE_BAR, "“Capers” is on this list, added by Ben, ")
    assert lines(anna, IN_THE_BAR)[0].endswith("The list doesn’t show it yet.")


def test_what_is_on_the_list_already_is_named_beside_the_suggestions(two):
    anna, _ = two
    types(anna, "sha").page.wait_for_selector(".chip.there")
    chip = anna.page.locator(".chip.there")
    assert chip.all_text_contents() == ["Shampoo"] and chip.get_attribute("aria-label") == "“Shampoo” is on the list already."
    before = anna.operations()
    chip.click()
    anna.until_("its row is shown", lambda: anna.row("Shampoo").evaluate("row => row.classList.contains('new')"))
    assert anna.operations() == before and anna.page.input_value(".addline input") == ""
    anna.until_("nothing is named any more", lambda: chip.count() == 0)
    # What is marked off is suggested instead.
    types(anna, "milk").page.wait_for_selector(".chip[aria-label='Add Milk']")
    assert chip.count() == 0


def test_the_page_tells_what_the_command_line_tells(two, command_line, service):
    anna, ben = two
    rename(anna, "Shampoo", "Soap").check("Eggs")
    anna.settled()
    anna.add("Milk").settled()
    command_line.run("sign-in", service.address, "--email", anna.email)
    command_line.run("sync")
    for name in ("milk", "bre", "soap", "shampoo", "eggs", "gin", "lemnos", "emon", "l", "12", "nothing"):
        theirs = command_line.run("where", name)["items"]
        ours = traces(anna, name)
        assert ours == [{key: item[key] for key in ours[0]} for item in theirs] if ours else theirs == [], name
    assert ours == []


def test_purchases_that_outlive_their_entries_are_found(two):
    anna, ben = two
    milk = traces(anna, "milk")[0]
    anna.compress()
    assert traces(anna, "milk") == [{**milk, "source": "purchase"}]
    is_told(types(anna, "milk"), IN_THE_BAR, "“Milk” was marked off on this list by Ben, ")


@pytest.mark.parametrize("size, options", [
    ("phone-light", {**PHONE, "color_scheme": "light"}), ("desktop-dark", {**DESKTOP, "color_scheme": "dark"}),
    ("small", {"viewport": {"width": 320, "height": 568}, "device_scale_factor": 2, "has_touch": True, "locale": "de-DE"}),
])
def test_where_something_is_is_whole_and_accessible(app, screenshots, size, options):
    anna = app(**options).newcomer("Anna").new_list("Ein Fest mit einem sehr langen Namen").add("Zitronen")
    if anna.page.is_visible(".back"):
        anna.page.click(".back")
    anna.new_list("Woche").add("Brot", "Zitronengras").settled()
    types(anna, "zitronen").page.wait_for_selector(f"{IN_THE_BAR} li")
    anna.page.wait_for_selector(".chip.there")
    look(anna, "where", screenshots, size)
    types(anna, "")
    anna.page.click(".tools .icon-button >> nth=-1")
    anna.page.click(".menu-item:has-text('suchen'), .menu-item:has-text('Search')")
    anna.page.fill(".search", "zitronen")
    anna.page.wait_for_selector(f"{IN_THE_SEARCH} li")
    look(anna, "where-search", screenshots, size)
    anna.page.evaluate("document.documentElement.dir = 'rtl'")
    look(anna, "where-rtl", screenshots, size)
