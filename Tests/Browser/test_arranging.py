"""Where a person keeps their lists, and how others see the person."""

import pytest

from app import DESKTOP, PHONE
from test_accounts import on_another_device

pytestmark = pytest.mark.without_worker


def names(app):
    """The lists outside the archive, as they stand."""
    return app.page.locator("nav > .cards > li[data-id] > .card .card-name").all_text_contents()


def archived(app):
    return app.page.locator(".archive .card-name").all_text_contents()


def act(app, action, name):
    app.page.click(f"dialog .arranged li:has-text('{name}') [data-act={action}]")


def with_lists(app, *lists, **options):
    anna = app(**options).newcomer("Anna")
    for name in lists:
        anna.evaluate("(device, name) => device.makeList(name)", name)
    return anna.settled()


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_lists_are_pinned_moved_and_put_away_on_all_devices(app, options):
    anna = with_lists(app, "Shop", "Party", "Garden", **options)
    anna.until_("the newest first", lambda: names(anna) == ["Garden", "Party", "Shop"])
    desk = on_another_device(app, anna)
    desk.until_("the same", lambda: names(desk) == ["Garden", "Party", "Shop"])
    anna.page.click(".arrange button")
    act(anna, "pin", "Shop")
    anna.until_("pinned", lambda: names(anna) == ["Shop", "Garden", "Party"])
    act(anna, "down", "Garden")
    anna.until_("moved", lambda: names(anna) == ["Shop", "Party", "Garden"])
    # The button that was pressed has the focus, or another one of the same list.
    assert "Garden" in anna.page.evaluate("document.activeElement.getAttribute('aria-label')")
    act(anna, "archive", "Party")
    anna.until_("put away", lambda: names(anna) == ["Shop", "Garden"] and archived(anna) == ["Party"])
    desk.until_("at once on the other device", lambda: names(desk) == ["Shop", "Garden"] and archived(desk) == ["Party"])
    anna.reload()
    anna.until_("it stays", lambda: names(anna) == ["Shop", "Garden"] and archived(anna) == ["Party"])


def test_what_two_devices_arrange_offline_is_kept_part_by_part(app):
    anna = with_lists(app, "Shop", "Party", **DESKTOP)
    desk = on_another_device(app, anna)
    desk.until_("both", lambda: sorted(names(desk)) == ["Party", "Shop"])
    for one in (anna, desk):
        one.settled()
        one.cable.cut()
    place = """async (device, change) => {
        const { arrange } = await import(new URL('device/arranging.js', document.querySelector('script[type=module][src*="/app/"]').src));
        const [id] = [...device.states].find(([, state]) => state.name === 'Shop');
        return arrange(device, new Map([[id, change]]));
    }"""
    anna.evaluate(place, {"pinned": True})
    desk.evaluate(place, {"archived": True})
    for one in (anna, desk):
        one.cable.mend()
    for one in (anna, desk):
        one.until_("both parts", lambda: one.evaluate(
            "device => [...device.rows.values()].some(({ place }) => place?.pinned && place?.archived)"))


def test_a_list_that_somebody_else_shops_in_tells_so_in_the_archive(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Shared").settled()
    ben = app(**PHONE).join(anna.link(), "Ben")
    anna.page.keyboard.press("Escape")
    anna.page.click(".icon-button[aria-label=More]")
    anna.page.click("dialog .menu-item:has-text('List settings')")
    anna.page.click("dialog .menu-item:has-text('Put into the archive')")
    anna.until_("it is away", lambda: archived(anna) == ["Shared"] and names(anna) == [])
    ben.add("Milk").settled()
    anna.until_("one change", lambda: anna.page.text_content(".archive summary .badge") == "1")
    # An archived list opens like any other, and comes back.
    anna.page.click(".archive summary")
    anna.page.click(".archive .card")
    anna.sees("Milk")
    anna.page.click(".icon-button[aria-label=More]")
    anna.page.click("dialog .menu-item:has-text('List settings')")
    anna.page.click("dialog .menu-item:has-text('Take out of the archive')")
    anna.until_("it is back", lambda: names(anna) == ["Shared"])


def test_the_order_is_that_of_the_shared_core(app):
    """The cases of ListPlaceTests in Swift."""
    anna = app(**DESKTOP).newcomer("Anna")
    assert anna.evaluate("""async () => {
        const at = name => new URL(`device/${name}.js`, document.querySelector('script[type=module][src*="/app/"]').src);
        const { inOrder, rankOf } = await import(at('places')), { ranks } = await import(at('arranging'));
        const list = seconds => {
            const time = (1_700_000_000_000 + seconds * 1000).toString(16).padStart(12, '0');
            return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
        };
        const order = rows => inOrder(rows).map(({ id }) => id);
        const first = order([{ id: list(1) }, { id: list(2), place: { archived: true } }, { id: list(3) },
            { id: list(4), place: { pinned: true } }, { id: list(5), place: { pinned: true, archived: true } }]);
        if (`${first}` !== `${[4, 3, 1, 5, 2].map(list)}`) return `order: ${first}`;
        const rows = [1, 2, 3, 4, 5, 6].map(seconds => ({ id: list(seconds) }));
        for (let turn = 0; turn < 40; turn++) {
            const others = inOrder(rows), [moved] = others.splice(turn * 5 % 6, 1), index = turn * 7 % 6;
            for (const [id, rank] of ranks(moved.id, index, others)) rows.find(row => row.id === id).place = { rank };
            const wanted = others.map(({ id }) => id).toSpliced(index, 0, moved.id);
            if (`${order(rows)}` !== `${wanted}`) return `turn ${turn}: ${order(rows)}`;
        }
        const crowd = [0, 1].map(last => ({ id: list(0).slice(0, -1) + last }));
        for (let turn = 0; turn < 1000; turn++) {
            const added = { id: list(100 + turn) }, changed = ranks(added.id, 1, crowd);
            crowd.splice(1, 0, added);
            for (const row of crowd) if (changed.has(row.id)) row.place = { rank: changed.get(row.id) };
            if (`${order(crowd)}` !== `${crowd.map(({ id }) => id)}`) return `crowd ${turn}`;
        }
        const foreign = rankOf({ id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' });
        return foreign === -9007199254739968 && rankOf({ id: '00000000-0000-0000-0000-000000000000' }) === 0 ? '' : `${foreign}`;
    }""") == ""


def test_a_person_changes_their_name_and_colour_and_others_see_it(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Shared").add("Milk").settled()
    ben = app(**PHONE).join(anna.link(), "Ben")
    anna.page.keyboard.press("Escape")
    anna.page.click(".account")
    anna.page.click("dialog button[aria-label='Your name and picture']")
    anna.page.fill("dialog [name=name]", "")
    anna.page.click("dialog [type=submit]")
    assert anna.page.locator("dialog .field:has([name=name]) .problem").text_content() == "Please fill this in."
    anna.page.fill("dialog [name=name]", "Ann Smith")
    anna.page.check("dialog [name=colour][value=teal]", force=True)
    anna.page.click("dialog [type=submit]")
    anna.until_("saved", lambda: anna.page.locator("dialog").count() == 0)
    assert anna.page.get_attribute(".account .face", "data-colour") == "teal"
    ben.until_("Ben sees it", lambda: ben.evaluate(
        "device => [...device.rows.values()][0].share.participants.find(({ role }) => role === 'owner').name") == "Ann Smith")
    assert ben.page.locator(".face[data-colour=teal]").count() > 0
    ben.page.click(".icon-button[aria-label=More]")
    ben.page.click("dialog .menu-item:has-text('Activity')")
    ben.until_("for what was done before, too", lambda: "Ann Smith added Milk" in ben.page.locator("dialog").inner_text().replace("\n", " "))


def test_a_tap_on_a_list_counts_also_when_the_lists_are_drawn_anew_in_its_middle(app):
    anna = with_lists(app, "Shop", "Party", **DESKTOP)
    anna.until_("both are drawn", lambda: names(anna) == ["Party", "Shop"])
    # What is drawn soon after a change is drawn.
    anna.page.wait_for_timeout(300)
    box = anna.page.locator(".card:has-text('Party') .card-name").bounding_box()
    anna.page.mouse.move(box["x"] + 5, box["y"] + 5)
    anna.page.mouse.down()
    # As with each change of somebody else's.
    anna.evaluate("device => device.emit('list', { list: [...device.rows.keys()][0] })")
    anna.evaluate("device => device.emit('lists')")
    anna.page.wait_for_timeout(300)
    anna.page.mouse.up()
    anna.until_("it is open", lambda: anna.page.text_content(".title h1") == "Party")
