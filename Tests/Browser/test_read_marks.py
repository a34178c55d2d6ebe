"""How far a person has read a list, on several devices."""

import pytest

from app import DESKTOP, PHONE
from test_accounts import on_another_device

pytestmark = pytest.mark.without_worker

UNREAD = "(device, list) => device.rows.get(list)?.unread"
STORED = "async (device, list) => (await device.store.lists()).find(({ id }) => id === list)"
# How far the person has read a list: as the device has stored it, and as the service knows it.
READ = f"async (device, list) => (await ({STORED})(device, list)).read ?? 0"
TOLD = "async (_, list) => (await (await fetch('/v1/lists')).json()).lists.find(({ id }) => id === list).readThrough ?? 0"


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


@pytest.mark.with_worker
def test_what_was_read_without_a_network_is_told_afterwards(app):
    phone = app(**PHONE).newcomer("Anna").new_list("Ours").add("Milk").installed()
    list_id = phone.list
    ben = app(**DESKTOP).join(phone.link(), "Ben").sees("Milk")
    desk = on_another_device(app, phone)
    phone.page.click(".back")
    ben.add("Eggs", "Tea").settled()
    for one in (phone, desk):
        one.until_("two changes are new", lambda one=one: one.evaluate(UNREAD, list_id) == 2)
    before = phone.evaluate(READ, list_id)
    phone.cable.cut()
    phone.open_list("Ours").sees("Milk", "Eggs", "Tea")
    phone.until_("it is stored", lambda: phone.evaluate(READ, list_id) > before)
    read = phone.evaluate(READ, list_id)
    # The list is on no screen when the network is back.
    phone.page.click(".back")
    phone.reload().page.wait_for_selector(".card")
    assert phone.evaluate(READ, list_id) == read
    phone.cable.mend()
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    phone.until_("the service knows it", lambda: phone.evaluate(TOLD, list_id) == read)
    phone.until_("it is told once", lambda: not phone.evaluate(STORED, list_id)["untoldRead"])
    desk.until_("they are read", lambda: desk.evaluate("device => device.sync('push')") and desk.evaluate(UNREAD, list_id) == 0)


@pytest.mark.with_worker
def test_a_mark_that_is_told_late_takes_none_back(app):
    phone = app(**PHONE).newcomer("Anna").new_list("Ours").add("Milk").installed()
    list_id = phone.list
    ben = app(**DESKTOP).join(phone.link(), "Ben").sees("Milk")
    desk = on_another_device(app, phone)
    phone.page.click(".back")
    ben.add("Eggs").settled()
    phone.until_("a change is new", lambda: phone.evaluate(UNREAD, list_id) == 1)
    before = phone.evaluate(READ, list_id)
    phone.cable.cut()
    phone.open_list("Ours").sees("Milk", "Eggs")
    phone.until_("it is stored", lambda: phone.evaluate(READ, list_id) > before)
    read = phone.evaluate(READ, list_id)
    phone.page.click(".back")
    ben.add("Tea").settled()
    desk.open_list("Ours").sees("Milk", "Eggs", "Tea")
    desk.until_("it has read more", lambda: desk.evaluate(TOLD, list_id) > read)
    more = desk.evaluate(TOLD, list_id)
    phone.cable.mend()
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    phone.until_("the phone knows it", lambda: phone.evaluate(READ, list_id) == more)
    phone.until_("nothing is new", lambda: phone.evaluate(UNREAD, list_id) == 0)
    assert phone.evaluate(TOLD, list_id) == more


def test_a_list_that_is_fetched_afresh_is_read_as_far_as_before(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Ours").add("Milk", "Bread").settled()
    list_id = anna.list
    anna.until_("all is read", lambda: anna.evaluate(READ, list_id) == anna.through)
    read = anna.through
    anna.page.click(".back")
    anna.evaluate("(device, list) => device.refetch(list)", list_id)
    anna.until_("it is there", lambda: anna.evaluate(STORED, list_id)["token"])
    assert anna.evaluate(READ, list_id) == read
    anna.until_("the service is told", lambda: not anna.evaluate(STORED, list_id)["untoldRead"])
    # A restored service has fewer changes.
    first, mark = anna.evaluate("""async (device, list) => {
        const { entries: [entry] } = await device.store.past(list), { sequence } = entry;
        const row = async () => (await device.store.lists()).find(({ id }) => id === list), { token } = await row();
        const changes = [{ sequence, type: 'entry', entry }];
        await device.store.receive({
            lists: [{ id: list, snapshot: true, changes, through: sequence, token, moreComing: false }], expired: [], gone: [],
        }, { tokens: { [list]: token } }, { now: new Date(), trolley: device.trolley, loadLater: () => device.later(), shown: new Set() });
        return [sequence, (await row()).read];
    }""", list_id)
    assert mark == first < read
