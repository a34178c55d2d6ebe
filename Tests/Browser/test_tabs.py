"""Several tabs of one browser: one leads, all show the same."""

from playwright.sync_api import Error as PlaywrightError


# Lets a page be made deaf to the other tabs.
DEAF = """
    globalThis.BroadcastChannel = class extends BroadcastChannel {
        set onmessage(hear) { super.onmessage = event => globalThis.isDeaf || hear(event); }
    };
"""


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


def test_a_crash_right_after_a_tap_loses_nothing(app):
    first = app().newcomer("Anna").new_list("Crash").add("Milk").settled()
    list = first.list
    second = first.tab().open(f"/#/list/{list}").sees("Milk")
    assert leads(first)
    first.cable.cut()
    first.check("Milk").until_("it is saved", lambda: first.waiting() == 1)
    try:
        first.page.goto("chrome://crash", timeout=2000)
    except PlaywrightError:
        pass
    second.until_("it leads", lambda: leads(second))
    second.until_("the mark is there", lambda: second.state()["items"][0]["markedOff"])
    second.cable.mend()
    third = first.tab().open(f"/#/list/{list}")
    third.until_("the mark is there", lambda: third.page.query_selector(".row") and third.state()["items"][0]["markedOff"])
    third.settled()


def test_a_tab_that_is_frozen_and_holds_the_lock_is_passed_over(app):
    first = app().newcomer("Anna").new_list("Frozen").add("Milk").settled()
    second = first.tab().open(f"/#/list/{first.list}")
    second.sees("Milk")
    assert leads(first)
    # It holds the lock, and its scripts stand still.
    frozen = first.context.new_cdp_session(first.page)
    frozen.send("Debugger.enable")
    frozen.send("Debugger.pause")
    # A browser freezes no tab in the middle of a transaction that another tab waits for; the debugger does.
    while not writes(second):
        frozen.send("Debugger.resume")
        frozen.send("Debugger.pause")
    second.page.bring_to_front()
    second.until_("it leads", lambda: leads(second))
    second.add("Bread").settled()
    frozen.send("Debugger.disable")
    first.until_("the first has stepped down", lambda: not leads(first))
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
    assert stored(first) == {}
    assert not first.context.cookies()


def writes(app):
    """Whether no other tab holds up a transaction of this one."""
    return app.page.evaluate("""async () => {
        const request = indexedDB.open('trolley');
        const database = await new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
        const transaction = database.transaction(database.objectStoreNames, 'readwrite');
        const isOver = new Promise(resolve => {
            transaction.oncomplete = () => resolve(true);
            transaction.onabort = () => resolve(false);
        });
        setTimeout(() => { try { transaction.abort(); } catch { /* It is over. */ } }, 1000);
        const answer = await isOver;
        database.close();
        return answer;
    }""")


def stored(app):
    """The number of records in each store that has some."""
    counts = app.page.evaluate("""async () => {
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
    return {store: count for store, count in counts.items() if count}


def sign_out(app):
    app.page.click(".account")
    app.page.click("dialog .menu-item:has-text('Sign out')")
    app.page.click("dialog .actions .primary")
    app.page.wait_for_selector("input[name=password]")


def hold_a_fetch(app):
    """Holds back the answer to a fetch of all lists, until `letGo()`."""
    app.page.evaluate("""() => {
        const fetch = globalThis.fetch;
        const answered = new Promise(go => { globalThis.letGo = go; });
        globalThis.fetch = async (...values) => {
            const response = await fetch(...values);
            if (!String(values[0]).endsWith('/changes')) return response;
            const text = await response.text();
            globalThis.isHeld = true;
            await answered;
            return { ok: true, status: 200, text: async () => { globalThis.isRead = true; return text; } };
        };
    }""")
    app.evaluate("device => { device.refetch(); }")
    app.until_("the answer is held", lambda: app.page.evaluate("globalThis.isHeld === true"))


def test_what_arrives_after_signing_out_is_not_stored(app):
    anna = app().newcomer("Anna").new_list("Late").add("Milk").settled()
    hold_a_fetch(anna)
    sign_out(anna)
    anna.page.evaluate("letGo()")
    anna.until_("the answer is read", lambda: anna.page.evaluate("globalThis.isRead === true"))
    # Each of these waits for the transactions before it.
    anna.evaluate("async device => { for (let time = 0; time < 9; time++) await device.store.queues(); }")
    assert stored(anna) == {}


def test_what_arrives_for_one_person_is_not_stored_for_the_next(app):
    anna = app().newcomer("Anna").new_list("Hers").add("Milk").settled()
    hold_a_fetch(anna)
    sign_out(anna)
    anna.sign_up("Ben").page.wait_for_selector(".no-lists")
    anna.page.evaluate("letGo()")
    # The page begins again.
    anna.page.wait_for_function("() => !globalThis.letGo")
    anna.page.wait_for_selector(".no-lists")
    assert set(stored(anna)) == {"meta"}


def test_a_tab_stores_nothing_after_another_tab_has_signed_out(app):
    first = app()
    first.page.add_init_script(DEAF)
    first.newcomer("Anna").new_list("Late").add("Milk").settled()
    list = first.list
    second = first.tab().open(f"/#/list/{list}")
    second.sees("Milk")
    assert leads(first)
    hold_a_fetch(first)
    first.page.evaluate("globalThis.isDeaf = true")
    sign_out(second)
    first.evaluate("""async (device, list) => {
        const tries = [device.store.saveFold(list, device.states.get(list)), device.store.saveRetryState({ failures: 1 }),
            device.noteAccount(device.session.account), device.store.addList(list)];
        await Promise.allSettled(tries);
    }""", list)
    assert stored(second) == {}
    # What arrives lets the page begin again.
    first.page.evaluate("letGo()")
    first.page.wait_for_selector("input[name=password]")
    assert stored(second) == {}


def test_a_tab_changes_nothing_of_the_next_person_in_another_tab(app):
    """Not even on a list with the same id, which both are on."""
    first = app()
    first.page.add_init_script(DEAF)
    first.newcomer("Anna").new_list("Ours").add("Milk").settled()
    list, second = first.list, first.tab()
    second.open(f"/#/list/{list}").sees("Milk")
    first.page.evaluate("globalThis.isDeaf = true")
    # Nor does the service tell it: what it asks gets no answer.
    first.route("**/v1/**", lambda route: None)
    sign_out(second)
    second.sign_up("Ben").page.wait_for_selector(".no-lists")
    first.cable.cut()
    rows = """async (device, list) => {
        await device.store.addList(list);
        return device.store.database.read(['lists', 'meta'], async t => [await t.all('lists'), await t.get('meta', 'session')]);
    }"""
    before = second.evaluate(rows, list)
    outcomes = first.evaluate("""async (device, list) => {
        const { store } = device, now = new Date();
        const tries = {
            change: () => store.change(list, { shopping: true }), noteSending: () => store.noteSending(list, []),
            noteUploadEnded: () => store.noteUploadEnded(list, () => [], { sent: [], reach: 1 }),
            settle: () => store.settle(list, () => ({ taken: [], retired: [], refused: [] }), now),
            notePublished: () => store.notePublished(list, { ownership: 'hers', head: 0 }, now, device.trolley),
            apply: () => store.apply(list, () => ({ apply: [], unseen: [] })), removeList: () => store.removeList(list, true, now),
            refetch: () => store.refetch(list), dismiss: () => store.dismiss('notices'),
        };
        const outcomes = {};
        for (const [name, attempt] of Object.entries(tries)) {
            outcomes[name] = await attempt().then(() => 'stored', error => error.kind ?? String(error));
        }
        return outcomes;
    }""", list)
    assert set(outcomes.values()) == {"signedOut"}, outcomes
    assert second.evaluate(rows, list) == before


def test_what_somebody_has_left_behind_is_not_shown_to_the_next_person(app):
    anna = app().newcomer("Anna").new_list("Hers").add("Milk").settled()
    # Without a session the page doesn't reload by itself, which would end the reload of the test.
    anna.evaluate("""device => {
        device.session = null;
        return device.store.database.write(['meta'], t => t.delete('meta', 'session'));
    }""")
    anna.context.clear_cookies()
    anna.reload().sign_up("Ben")
    anna.page.wait_for_selector(".no-lists")
    anna.settled()
    assert set(stored(anna)) == {"meta"}
