"""A service that was restored from an older copy, or emptied, and what a browser makes of it."""

import pytest

from app import PASSWORD
from service import Service


@pytest.fixture
def service():
    service = Service()
    yield service
    service.end()


def identifiers(app):
    """The lists of the device by name: their ids and whether they stay on it alone."""
    rows = app.evaluate("device => [...device.rows.values()].map(row => [device.states.get(row.id)?.name, row.id, row.local])")
    return {name: (id, local) for name, id, local in rows}


def on_the_service(app, list):
    """What the service itself shows of a list, by an account's own call."""
    answer = app.page.evaluate("""async list => {
        const response = await fetch(`/v1/lists/${list}/state`);
        return response.ok ? await response.json() : response.status;
    }""", list)
    return answer if isinstance(answer, int) else [item["fields"]["text"] for item in answer["items"]]


def sign_up_again(app):
    app.page.evaluate("dispatchEvent(new Event('online'))")
    app.page.click("#toasts button:has-text('Sign in')")
    app.page.fill("dialog [name=password]", PASSWORD)
    app.page.click("dialog button[type=submit]")
    app.page.click("dialog .link:has-text('Create account')")
    app.page.wait_for_selector("dialog button[type=submit]:has-text('Create account')")
    app.page.fill("dialog [name=password]", PASSWORD)
    app.page.click("dialog button[type=submit]")
    app.until_("signed up", lambda: app.page.locator("dialog").count() == 0 or app.page.is_visible("dialog .problem"))
    assert app.page.locator("dialog").count() == 0, app.page.text_content("dialog")


def test_a_list_whose_id_is_somebody_elses_on_an_emptied_service_gets_another_id(app, service):
    anna = app().newcomer("Anna").new_list("Free").add("Soap").settled()
    anna.new_list("Taken").add("Milk", "Bread").check("Milk").settled()
    ben = app().newcomer("Ben").new_list("Picnic").add("Tea")
    link = ben.link()
    anna.open(link)
    anna.page.click(".invitation .primary")
    anna.page.wait_for_selector(".addline input")
    anna.sees("Tea").add("Coffee").settled().open_list("Taken")
    before, shown = identifiers(anna), anna.state()
    anna.cable.cut()
    service.lose_everything()

    mallory = app().newcomer("Mallory")
    taken = before["Taken"][0]
    status = mallory.page.evaluate("""async id => (await fetch('/v1/lists', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ id }),
    })).status""", taken)
    assert status == 201
    anna.cable.mend()
    anna.add("Eggs")
    sign_up_again(anna)

    # The list that is open stays open, under another address.
    anna.page.wait_for_function("taken => location.hash.startsWith('#/list/') && !location.hash.endsWith(taken)", arg=taken)
    anna.sees("Bread", "Eggs", "Milk").settled()
    assert anna.state()["items"][:2] == shown["items"]
    after = identifiers(anna)
    assert set(after) == set(before) and after["Taken"] == (anna.list, False)
    assert after["Free"] == before["Free"] and after["Picnic"] == (before["Picnic"][0], True)
    assert sorted(on_the_service(anna, anna.list)) == ["Bread", "Eggs", "Milk"]
    assert on_the_service(anna, after["Free"][0]) == ["Soap"]
    assert on_the_service(anna, taken) == on_the_service(anna, after["Picnic"][0]) == 404
    # What the other person has made there is hers.
    assert on_the_service(mallory, taken) == []
    # It goes on from there, also after the page was closed.
    anna.check("Eggs").settled().reload()
    anna.until_("marked off", lambda: anna.row("Eggs").locator(".check").get_attribute("aria-checked") == "true")
    # The list of the other person is in sight, and can still be read.
    anna.open_list("Picnic").sees("Tea", "Coffee")


def makers(app):
    """Who made each addition to the open list, on which device, with which number and when, as the service says."""
    page = app.page.evaluate("""async list => (await fetch(`/v1/lists/${list}/activity?limit=200`)).json()""", app.list)
    entries = [event["entry"] for event in page["activity"] if event.get("entry", {}).get("operation") == "add"]
    assert len({entry["id"] for entry in entries}) == len(entries)
    return {entry["fields"]["text"]: [entry[key] for key in ("author", "device", "deviceSequence", "madeAt")] for entry in entries}


def in_step(*apps):
    """All have the same changes. Rows alone may be what somebody is about to add."""
    apps[0].until_("in step", lambda: None not in (all := {app.through for app in apps}) and len(all) == 1)


def test_what_the_owners_browser_brings_back_is_still_its_makers(app, service):
    anna = app().newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app().join(anna.link(), "Ben")
    ben.sees("Milk").add("Tea").settled()
    in_step(anna, ben)
    service.back_up()
    for each, text in [(ben, "Coffee"), (anna, "Bread"), (ben, "Rice")]:
        each.add(text).settled()
        in_step(anna, ben)
    before = makers(anna)
    assert len({author for author, *_ in before.values()}) == 2 and len(before) == 5
    ben.cable.cut()
    service.restore()

    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.until_("the service has everything", lambda: len(makers(anna)) == 5)
    assert makers(anna) == before
    # The next one finds nothing to bring.
    ben.cable.mend()
    ben.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled()
    in_step(anna, ben)
    ben.sees("Milk", "Tea", "Coffee", "Bread", "Rice").settled()
    assert makers(anna) == before


def test_a_read_mark_is_told_again_to_a_service_that_has_lost_it(app, service):
    anna = app().newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app().join(anna.link(), "Ben")
    ben.sees("Milk").cable.cut()
    anna.settled()
    service.back_up()
    anna.add("Bread", "Eggs").settled()

    def mark():
        return anna.evaluate("""async (device, list) => {
            const answer = await (await fetch(`/v1/lists/${list}/share`)).json();
            return answer.reads?.find(({ account }) => account === device.session.account.id)?.through ?? 0;
        }""", anna.list)

    anna.until_("all is read", lambda: mark() == anna.through)
    service.restore()
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.until_("the service has everything", lambda: sorted(on_the_service(anna, anna.list)) == ["Bread", "Eggs", "Milk"])
    anna.until_("all is read again", lambda: mark() == anna.through)
