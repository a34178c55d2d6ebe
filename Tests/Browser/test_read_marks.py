"""How far a person has read a list, on several devices."""

import pytest

from app import DESKTOP, PHONE
from test_accounts import on_another_device

pytestmark = pytest.mark.without_worker

UNREAD = "(device, list) => device.rows.get(list)?.unread"


def test_what_was_read_on_another_device_is_unread_no_more(app):
    phone = app(**PHONE).newcomer("Anna").new_list("Ours").add("Milk")
    list_id = phone.list
    ben = app(**DESKTOP).join(phone.link(), "Ben").sees("Milk")
    desk = on_another_device(app, phone)
    phone.page.click(".back")
    ben.add("Eggs", "Tea").settled()
    desk.until_("two changes are new", lambda: desk.evaluate(UNREAD, list_id) == 2)
    phone.open_list("Ours").sees("Milk", "Eggs", "Tea")
    desk.until_("they are read", lambda: desk.evaluate("device => device.sync('push')") and desk.evaluate(UNREAD, list_id) == 0)
    # What comes later is new again.
    ben.add("Rice").settled()
    desk.until_("one change is new", lambda: desk.evaluate(UNREAD, list_id) == 1)
