"""The main path in a second engine, beside the first one on the same list."""

import pytest

from app import PHONE
from service import until
from webkit import Display, WebKit


@pytest.fixture(scope="module")
def display():
    display = Display()
    yield display
    display.close()


@pytest.fixture
def webkit(service, display):
    page = WebKit(service, display)
    yield page
    page.close()


def test_webkit_and_chromium_become_equal_after_edits_offline(webkit, app):
    anna = webkit.newcomer("Anna").new_list("Two engines").add("Milk, 2 l", "Bread", "Eggs, 6")
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk", "Bread", "Eggs")
    ben.check("Bread").settled()
    anna.sees("Milk", "Eggs", "Bread")

    anna.cable.cut()
    ben.cable.cut()
    anna.add("Basil").click(".row .check")
    ben.add("Cheese")
    until(lambda: anna.waiting() == 2, "both changes are stored")
    anna.sees("Eggs", "Basil", "Milk", "Bread")
    anna.cable.mend()
    ben.cable.mend()
    anna.script("dispatchEvent(new Event('online'))")
    ben.page.evaluate("dispatchEvent(new Event('online'))")
    until(lambda: anna.waiting() == 0, "everything is sent and has come back")
    ben.settled()
    until(lambda: {"Basil", "Cheese"} <= set(anna.texts) and anna.state() == ben.state(), "both are equal")
    # The page opens with what it has stored.
    anna.driver.refresh()
    until(lambda: sorted(anna.texts) == ["Basil", "Bread", "Cheese", "Eggs", "Milk"], "the rows are back")
