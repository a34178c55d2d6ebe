"""Several tabs of one browser: one leads, all show the same."""


def leads(tab):
    return tab.evaluate("device => device.isLeading")


def test_two_tabs_show_the_same_and_one_leads(app):
    first = app().newcomer("Anna").new_list("Tabs")
    second = first.tab().open(f"/#/list/{first.list}")
    second.page.wait_for_selector(".addline input")
    first.add("Milk", "Bread")
    second.sees("Milk", "Bread").check("Milk")
    first.until_("the mark", lambda: first.state() == second.state() and first.state()["items"][0]["markedOff"])
    assert [leads(first), leads(second)] == [True, False]
    # Both tabs number their changes, and no number comes twice.
    numbers = first.settled().evaluate("""async (device, list) => {
        const { stored } = await device.store.journal(list);
        return [...stored.entries, ...stored.pending.map(({ entry }) => entry)].map(entry => entry.deviceSequence);
    }""", first.list)
    assert len(set(numbers)) == len(numbers)
    # What one tab did the other can undo.
    first.page.click("[aria-label=Undo]")
    second.until_("undone", lambda: not second.state()["items"][0]["markedOff"])


def test_when_the_leading_tab_is_killed_another_takes_over(app):
    first = app().newcomer("Anna").new_list("Killed").add("Milk")
    second = first.tab().open(f"/#/list/{first.list}")
    second.sees("Milk")
    ben = app().join(first.link(), "Ben").sees("Milk")
    # As when the browser ends it: no handler of the page runs.
    first.page.close(run_before_unload=False)
    second.until_("it leads", lambda: leads(second))
    second.add("Bread").settled()
    ben.sees("Milk", "Bread").add("Salt")
    second.sees("Milk", "Bread", "Salt")


def test_a_tab_that_is_frozen_and_holds_the_lock_is_passed_over(app):
    first = app().newcomer("Anna").new_list("Frozen").add("Milk").settled()
    second = first.tab().open(f"/#/list/{first.list}")
    second.sees("Milk")
    assert leads(first)
    # It holds the lock, and its scripts stand still.
    frozen = first.context.new_cdp_session(first.page)
    frozen.send("Debugger.enable")
    frozen.send("Debugger.pause")
    second.page.bring_to_front()
    second.until_("it leads", lambda: leads(second), 15)
    second.add("Bread").settled()
    frozen.send("Debugger.disable")
    first.until_("the first has stepped down", lambda: not leads(first), 15)
    first.sees("Milk", "Bread")


def test_signing_out_in_one_tab_signs_the_others_out(app):
    first = app().newcomer("Anna").new_list("Out").add("Milk").settled()
    second = first.tab().open(f"/#/list/{first.list}")
    second.sees("Milk")
    first.page.click(".account")
    first.page.click("dialog .menu-item:has-text('Sign out')")
    first.page.click("dialog .actions .primary")
    first.page.wait_for_selector("input[name=password]")
    second.page.wait_for_selector("input[name=password]")
    left = first.page.evaluate("""async () => {
        const request = indexedDB.open('trolley');
        const database = await new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
        const counts = {};
        for (const store of database.objectStoreNames) {
            const count = database.transaction(store).objectStore(store).count();
            counts[store] = await new Promise(resolve => { count.onsuccess = () => resolve(count.result); });
        }
        database.close();
        return counts;
    }""")
    assert sum(left.values()) == 0, left
    assert not first.context.cookies()
