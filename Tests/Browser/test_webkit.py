"""The main path in a second engine, beside the first one and a command line on the same list."""

import os

import pytest
from selenium.common.exceptions import WebDriverException

from app import PHONE, comparable
from service import until
from webkit import Display, Driver, WebKit


@pytest.fixture(scope="module")
def display():
    display = Display()
    try:
        Driver(display).close()
    except WebDriverException as error:
        display.close()
        if os.environ.get("TROLLEY_WITHOUT_WEBKIT") == "1":
            pytest.skip(f"WebKitGTK does not start on this machine: {error}")
        raise AssertionError("WebKitGTK does not start; TROLLEY_WITHOUT_WEBKIT=1 tests without it") from error
    yield display
    display.close()


@pytest.fixture
def webkit(service, display):
    page = WebKit(service, display)
    yield page
    complaints = page.complaints
    page.close()
    assert not complaints


def test_webkit_chromium_and_a_command_line_become_equal_after_edits_offline_and_a_restart(webkit, app, command_line, service):
    anna = webkit.newcomer("Anna").new_list("Two engines").add("Milk, 2 l", "Bread", "Eggs, 6")
    # Both before anybody joins, who would appear above what is being clicked.
    for_ben, for_carol = anna.link(), anna.link()
    ben = app(**PHONE).join(for_ben, "Ben").sees("Milk", "Bread", "Eggs")
    command_line.run("sign-up", service.address, "--email", f"carol-{anna.email}", "--name", "Carol")
    command_line.run("join", service.address + for_carol)
    ben.check("Bread").settled()
    anna.sees("Milk", "Eggs", "Bread")

    anna.cable.cut()
    ben.cable.cut()
    service.stop()
    anna.add("Basil").click(".row .check")
    ben.add("Cheese")
    command_line.run("add", "Soap")
    until(lambda: anna.waiting() == 2, "both changes are stored")
    # The service worker opens the page without the service, with what the page has stored.
    anna.reload()
    anna.sees("Eggs", "Basil", "Milk", "Bread")

    service.start()
    command_line.run("sync")
    anna.cable.mend()
    ben.cable.mend()
    anna.script("dispatchEvent(new Event('online'))")
    ben.page.evaluate("dispatchEvent(new Event('online'))")
    until(lambda: anna.waiting() == 0, "everything is sent and has come back")
    ben.settled()
    command_line.run("sync")
    until(lambda: {"Basil", "Cheese", "Soap"} <= set(anna.texts), "what the others added is there")
    until(
        lambda: anna.state() == ben.state() == comparable(command_line.run("show")) or command_line.run("sync") and False,
        "all three are equal")


def test_webkit_finishes_loading_a_page_again_whose_lock_it_held(webkit):
    anna = webkit.newcomer("Anna").new_list("Again").add("Milk")
    for _ in range(3):
        # It answers when the page has finished loading, and never did while the page before kept its Web Lock.
        anna.driver.set_page_load_timeout(60)
        anna.reload()
        anna.sees("Milk")


def test_webkit_shows_a_message_at_the_bottom_and_not_over_the_whole_page(webkit):
    anna = webkit.newcomer("Anna").new_list("Message").add("Milk")
    anna.click(".row .body")
    anna.click("dialog .danger")
    anna.find(".toast")
    top, height = anna.script("const box = document.querySelector('.toast').getBoundingClientRect(); return [box.top, innerHeight]")
    assert top > height / 2


def test_webkit_page_that_complains_is_noticed(service, display):
    page = WebKit(service, display).open()
    page.script("setTimeout(() => { throw new Error('one'); }); Promise.reject(new Error('two')); console.error('three');")
    until(lambda: all(text in page.complaints for text in ("one", "two", "three")), "what it complains of")
    page.reload()
    assert "one" in page.complaints
    page.close()
