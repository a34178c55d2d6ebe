"""Storage that is lost, evicted, full, refused, or damaged; a session that ends."""

from app import SUBMIT
import pytest


# The browser closes the connection under the page, as iOS does to pages in the background. For pages that have settled: the first
# sync's transactions would open and close the connection meanwhile.
LOSING_THE_HANDLE = """async device => {
    const open = indexedDB.open;
    let connection;
    indexedDB.open = function (...values) {
        const request = open.apply(this, values);
        request.addEventListener('success', () => { connection = request.result; });
        return request;
    };
    device.store.database.close();
    await device.store.lists();
    indexedDB.open = open;
    connection.close();
    AFTERWARDS
}"""


def test_a_lost_handle_is_opened_again(app):
    anna = app().newcomer("Anna").new_list("Handle").add("Milk").settled()
    anna.evaluate(LOSING_THE_HANDLE.replace("AFTERWARDS", ""))
    anna.add("Bread").sees("Milk", "Bread").settled()
    anna.reload().sees("Milk", "Bread")


def test_of_transactions_that_one_lost_handle_has_failed_each_goes_on(app):
    anna = app().newcomer("Anna").new_list("Handle").add("Milk").settled()
    assert anna.evaluate(LOSING_THE_HANDLE.replace("AFTERWARDS", """
        const ask = () => device.store.database.read(['lists'], t => t.count('lists')).catch(String);
        return Promise.all([ask(), ask(), ask()]);
    """)) == [1, 1, 1]


def evict(app):
    """The browser clears the storage while no page is open."""
    app.open("/manifest.webmanifest").page.evaluate("""() => new Promise(resolve => {
        indexedDB.deleteDatabase('trolley').onsuccess = resolve;
    })""")


def test_after_an_eviction_everything_that_was_confirmed_comes_back(app):
    anna = app().newcomer("Anna").new_list("Evicted").add("Milk", "Bread").settled()
    before, list = anna.state(), anna.list
    evict(anna)
    # The cookie is still there.
    anna.open(f"/#/list/{list}").sees("Milk", "Bread")
    assert anna.state() == before
    anna.until_("it says so", lambda: "has cleared" in (anna.page.text_content("#toasts") or ""))
    anna.add("Salt").settled().sees("Milk", "Bread", "Salt")
    # It counts on.
    numbers = anna.evaluate("async (device, list) => (await device.store.journal(list)).stored.entries.map(entry => entry.deviceSequence)", anna.list)
    assert len(set(numbers)) == len(numbers), numbers


def test_after_an_eviction_and_without_a_session_the_page_says_what_happened_and_asks_for_the_password(app):
    anna = app().newcomer("Anna").new_list("Evicted").add("Milk").settled()
    list = anna.list
    evict(anna)
    anna.context.clear_cookies(name="trolley")
    anna.open(f"/#/list/{list}")
    anna.until_("it says so", lambda: "has cleared" in anna.page.text_content("main"))
    assert not anna.page.is_visible("input[name=name]")
    anna.fill("email", anna.email)
    anna.fill("password", "correct horse")
    anna.page.click(SUBMIT)
    anna.sees("Milk")


def test_an_eviction_under_an_open_page_brings_the_lists_back(app):
    anna = app().newcomer("Anna").new_list("Evicted").add("Milk").settled()
    # In one step: the page begins again as soon as it notices, and Playwright's steps hang when that happens under them.
    anna.page.evaluate("""() => {
        indexedDB.deleteDatabase('trolley');
        document.querySelector('.addline input').value = 'Bread';
        document.querySelector('.addbar').requestSubmit();
    }""")
    anna.until_("it says so", lambda: "has cleared" in (anna.page.text_content("#toasts") or ""))
    anna.until_("the list is back", lambda: "Milk" in anna.texts)
    # What was being added when the storage went may be on the list, or still in the field.
    if "Bread" not in anna.texts:
        anna.add("Bread")
    anna.settled().sees("Milk", "Bread")


def test_a_full_disk_is_told_and_the_screen_shows_what_is_saved(app):
    anna = app().newcomer("Anna").new_list("Full").add("Milk").settled()
    anna.page.evaluate("""() => {
        IDBObjectStore.prototype.realPut = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function () { throw new DOMException('no room', 'QuotaExceededError'); };
    }""")
    anna.page.fill(".addline input", "Bread")
    anna.page.press(".addline input", "Enter")
    anna.until_("it says so", lambda: "no room left" in (anna.page.text_content("#toasts") or ""))
    anna.sees("Milk")
    anna.until_("what was written is in the field again", lambda: anna.page.input_value(".addline input") == "Bread")
    anna.page.evaluate("() => { IDBObjectStore.prototype.put = IDBObjectStore.prototype.realPut; }")
    anna.page.press(".addline input", "Enter")
    anna.sees("Milk", "Bread").settled()


def refusing(app):
    """The page adds nothing from now on. Returns two functions: one counts the texts that wait, one refuses them all."""
    app.evaluate("""device => {
        globalThis.refusals = [];
        device.add = () => new Promise((_, refuse) => {
            refusals.push(() => refuse(Object.assign(new Error('no room'), { kind: 'full' })));
        });
    }""")
    return lambda: app.page.evaluate("refusals.length"), lambda: app.page.evaluate("refusals.splice(0).forEach(refuse => refuse())")


def test_what_could_not_be_added_comes_back_as_lines_before_what_was_typed_since(app):
    anna = app().newcomer("Anna").new_list("Full").add("Milk").settled()
    waiting, refuse = refusing(anna)
    field = ".addline input"
    for number, text in enumerate(["Bread", "Salt, 1 kg"]):
        anna.page.fill(field, text)
        anna.page.press(field, "Enter")
        anna.until_("it is being added", lambda number=number: waiting() == number + 1)
    anna.paste("- Eggs\n\n- Tea").until_("they are, too", lambda: waiting() == 3)
    anna.page.fill(field, "Ca")
    refuse()
    lines = "Bread ↵ Salt, 1 kg ↵ - Eggs ↵ - Tea ↵ Ca"
    anna.until_("all of them", lambda: anna.page.input_value(field) == lines)
    # They can be refused again.
    anna.page.press(field, "Enter")
    anna.until_("they are being added", lambda: waiting() == 1)
    refuse()
    anna.until_("all of them again", lambda: anna.page.input_value(field) == lines)
    anna.reload().until_("they are kept", lambda: anna.page.input_value(field) == lines)
    anna.page.press(field, "End")
    anna.page.keyboard.type("kes")
    anna.page.press(field, "Enter")
    anna.until_("each is an item", lambda: sorted(anna.texts) == ["Bread", "Cakes", "Eggs", "Milk", "Salt", "Tea"])
    assert anna.page.input_value(field) == ""


def test_a_reload_while_others_are_still_being_added_loses_no_refused_line(app):
    anna = app().newcomer("Anna").new_list("Full").settled()
    waiting, _ = refusing(anna)
    for number, text in enumerate(["Bread", "Salt"]):
        anna.page.fill(".addline input", text)
        anna.page.press(".addline input", "Enter")
        anna.until_("it is being added", lambda number=number: waiting() == number + 1)
    anna.page.evaluate("new Promise(done => { refusals[0](); setTimeout(done); })")
    anna.reload().until_("both are added", lambda: sorted(anna.texts) == ["Bread", "Salt"])


def test_a_line_that_is_typed_before_the_list_is_open_loses_none_that_was_being_added(app):
    anna = app()
    # A service worker would have the module.
    anna.page.add_init_script("delete Navigator.prototype.serviceWorker")
    anna.newcomer("Anna").new_list("Early").add("Milk").settled()
    anna.until_("what it shows is stored", lambda: anna.evaluate(
        "async (device, list) => (await device.store.opening()).folds.get(list)?.items.length", anna.list) == 1)
    waiting, _ = refusing(anna)
    anna.page.fill(".addline input", "Bread")
    anna.page.press(".addline input", "Enter")
    anna.until_("it is being added", lambda: waiting() == 1)
    held = []
    anna.page.route("**/trolley.wasm", lambda route: held.append(route))
    anna.reload().sees("Milk")
    anna.page.fill(".addline input", "Salt")
    anna.page.press(".addline input", "Enter")
    assert held and not anna.evaluate("device => !!device.trolley")
    # Each text is sent once.
    anna.evaluate("""device => {
        const add = device.add.bind(device);
        globalThis.sent = [];
        device.add = (id, text, ...rest) => {
            sent.push(text);
            return add(id, text, ...rest);
        };
    }""")
    anna.page.unroute("**/trolley.wasm")
    anna.until_("both are added", lambda: sorted(anna.texts) == ["Bread", "Milk", "Salt"])
    assert sorted(anna.settled().page.evaluate("sent")) == ["Bread", "Salt"]


def test_a_suggestion_leaves_the_lines_before_it_in_the_field(app):
    anna = app().newcomer("Anna").new_list("Suggested").add("Milk")
    anna.page.fill(".addline input", "Bread ↵ Mil")
    anna.page.click(".addbar .chip.there:has-text('Milk')")
    assert anna.page.input_value(".addline input") == "Bread ↵"
    anna.page.press(".addline input", "Enter")
    anna.until_("it is there", lambda: sorted(anna.texts) == ["Bread", "Milk"])


def test_on_a_full_disk_no_change_is_shown_that_was_not_saved(app):
    anna = app().newcomer("Anna").new_list("Full").add("Milk", "Bread").settled()
    before = anna.state()
    anna.page.evaluate("""() => {
        IDBObjectStore.prototype.put = function () { throw new DOMException('no room', 'QuotaExceededError'); };
    }""")

    def refused(change):
        change()
        anna.until_("it says so", lambda: "no room left" in (anna.page.text_content("#toasts") or ""))
        anna.until_("the list is as before", lambda: anna.state() == before)
        anna.until_("the rows, too", lambda: set(anna.texts) == {"Milk", "Bread"})
        assert anna.page.locator(".row.done").count() == 0
        assert anna.page.text_content(".title h1") == "Full"
        anna.page.evaluate("document.getElementById('toasts').replaceChildren()")
        if anna.page.locator("dialog").count():
            # What was written is still there.
            anna.page.keyboard.press("Escape")
            anna.page.click("dialog button:has-text('Discard')")
            anna.page.wait_for_selector("dialog", state="detached")

    def edit():
        anna.row("Milk").locator(".body").click()
        anna.page.fill("dialog [name=note]", "made of oats")
        anna.page.click("dialog button[type=submit]")

    def delete():
        anna.row("Bread").locator(".body").click()
        anna.page.click("dialog .danger")

    def rename():
        anna.menu("List settings", "Name and colour")
        anna.page.fill("dialog input[name=name]", "Fuller")
        anna.page.click("dialog button[type=submit]")

    refused(lambda: anna.check("Milk"))
    refused(edit)
    refused(delete)
    refused(rename)


def test_a_list_that_is_made_as_the_disk_fills_up_is_there_with_its_name_or_not_at_all(app):
    anna = app().newcomer("Anna").new_list("First").add("Milk").settled()
    anna.page.evaluate("""() => {
        const put = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.realPut = put;
        IDBObjectStore.prototype.put = function (...values) {
            if (this.name === 'undo') throw new DOMException('no room', 'QuotaExceededError');
            return put.apply(this, values);
        };
    }""")
    error = anna.evaluate("device => device.makeList('Second', 'green').catch(error => error.kind)")
    assert error == "full"
    assert anna.evaluate("async device => (await device.store.lists()).length") == 1
    anna.page.evaluate("() => { IDBObjectStore.prototype.put = IDBObjectStore.prototype.realPut; }")
    made = anna.evaluate("device => device.makeList('Second', 'green')")
    state, waiting = anna.evaluate("""async (device, list) => [device.states.get(list), (await device.store.journal(list)).row.made]""", made)
    assert (state["name"], state["colour"], waiting) == ("Second", "green", 2)
    anna.settled().reload()
    assert anna.evaluate("async (device, list) => (await device.open(list)).state.name", made) == "Second"


def test_storage_that_fills_up_within_a_transaction_is_full_and_not_damaged(app):
    anna = app().newcomer("Anna").new_list("Full").add("Milk").settled()
    # Firefox and WebKit report it at a request, here one that nobody awaits. The next request fails because of the abort.
    anna.page.evaluate("""() => {
        const put = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function (value, key) {
            if (this.name === 'pending') {
                IDBObjectStore.prototype.put = put;
                const { transaction } = this, request = this.get('nothing');
                Object.defineProperty(request, 'error', { value: new DOMException('no room', 'QuotaExceededError') });
                Object.defineProperty(transaction, 'error', { value: request.error });
                request.addEventListener('success', event => {
                    event.stopImmediatePropagation();
                    request.onerror();
                    transaction.abort();
                });
                return request;
            }
            return put.call(this, value, key);
        };
    }""")
    anna.page.fill(".addline input", "Bread")
    anna.page.press(".addline input", "Enter")
    anna.until_("it says so", lambda: "no room left" in (anna.page.text_content("#toasts") or ""))
    anna.sees("Milk")


@pytest.mark.parametrize("error", ["SecurityError", "InvalidStateError"])
def test_a_browser_that_gives_no_storage_is_told(app, error):
    anna = app()
    anna.page.add_init_script("""
        indexedDB.open = () => {
            if (ERROR === 'SecurityError') throw new DOMException('denied', ERROR);
            // As in a private window of Firefox.
            const request = { error: new DOMException('no mutations', ERROR) };
            setTimeout(() => request.onerror());
            return request;
        };
    """.replace("ERROR", repr(error)))
    anna.open()
    anna.page.wait_for_selector("main.splash[role=alert]")
    assert "gives this page no storage" in anna.page.text_content("main.splash")
    assert not anna.page.is_visible("button:has-text('Start over')")


def test_a_record_that_cannot_be_shown_offers_to_start_over(app, complaints):
    anna = app().newcomer("Anna").new_list("Broken").add("Milk").settled()
    # The page goes without storing the list's state again.
    anna.open("/manifest.webmanifest")
    anna.page.evaluate("""async () => {
        const request = indexedDB.open('trolley');
        const database = await new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
        const transaction = database.transaction(['folds', 'lists'], 'readwrite');
        const lists = transaction.objectStore('lists').getAllKeys();
        lists.onsuccess = () => transaction.objectStore('folds').put({ list: lists.result[0], state: { name: 'Broken' } });
        await new Promise(resolve => { transaction.oncomplete = resolve; });
        database.close();
    }""")
    anna.open()
    anna.page.click("button:has-text('Start over')")
    anna.open_list("Broken").sees("Milk")
    complaints[:] = [text for text in complaints if "reading 'filter'" not in text]


def test_a_database_that_cannot_be_opened_has_a_page_of_its_own(app):
    anna = app().newcomer("Anna").new_list("Damaged").add("Milk").settled()
    anna.page.add_init_script("""
        if (!sessionStorage.getItem('mended')) {
            indexedDB.open = () => { throw new DOMException('internal error opening backing store', 'UnknownError'); };
            sessionStorage.setItem('mended', 'next time');
        }
    """)
    anna.reload()
    anna.page.wait_for_selector("main.splash[role=alert]")
    assert "damaged" in anna.page.text_content("main.splash")
    anna.page.click("main.splash .primary")
    anna.sees("Milk")


def test_a_newer_database_asks_for_a_reload(app):
    anna = app().newcomer("Anna")
    anna.page.evaluate("""async () => {
        const request = indexedDB.open('trolley', 99);
        await new Promise(resolve => { request.onsuccess = resolve; });
        request.result.close();
    }""")
    anna.until_("it says so", lambda: "older than the service" in (anna.page.text_content("#toasts") or ""))
    anna.reload()
    anna.page.wait_for_selector("main.splash[role=alert]")
    assert "newer version" in anna.page.text_content("main.splash")


def test_a_session_that_ended_keeps_the_lists_and_what_waits(app):
    anna = app().newcomer("Anna").new_list("Session").add("Milk").settled()
    anna.context.clear_cookies()
    anna.add("Bread")
    anna.until_("it says so", lambda: "signed out" in (anna.page.text_content("#toasts") or ""))
    anna.sees("Milk", "Bread")
    anna.page.click("#toasts button:has-text('Sign in')")
    anna.page.fill("dialog input[name=password]", "correct horse")
    anna.page.click("dialog button[type=submit]")
    anna.page.wait_for_selector("dialog", state="detached")
    anna.settled().sees("Milk", "Bread")


def test_a_service_that_takes_connections_and_answers_nothing_is_given_up_after_a_while(app):
    anna = app().newcomer("Anna").new_list("Silent").add("Milk").settled()
    anna.until_("the service worker is there", lambda: anna.page.evaluate(
        "async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'"))
    anna.cable.silence()
    anna.reload().sees("Milk").add("Bread").sees("Milk", "Bread")
    anna.until_("requests hang", lambda: anna.cable.unanswered)
    assert anna.waiting() == 1
    anna.cable.mend()
    # The next try comes by itself, when the first has been given up.
    anna.until_("nothing waits", lambda: anna.waiting() == 0, 60)


def test_what_the_list_showed_last_is_there_before_the_module_and_a_tap_is_kept(app):
    anna = app()
    # A service worker would have the module.
    anna.page.add_init_script("delete Navigator.prototype.serviceWorker")
    anna.newcomer("Anna").new_list("Early").add("Milk", "Bread").settled()
    anna.until_("what it shows is stored", lambda: anna.evaluate(
        "async (device, list) => (await device.store.opening()).folds.get(list)?.items.length", anna.list) == 2)
    held = []
    anna.page.route("**/trolley.wasm", lambda route: held.append(route))
    anna.reload().sees("Milk", "Bread")
    anna.check("Milk")
    assert held and not anna.evaluate("device => !!device.trolley")
    anna.page.unroute("**/trolley.wasm")
    anna.until_("the mark", lambda: any(item["markedOff"] for item in anna.state()["items"]))
    anna.settled().sees("Bread", "Milk")


def test_a_service_that_answers_nonsense_is_met_with_patience(app):
    anna = app().newcomer("Anna").new_list("Nonsense").add("Milk").settled()
    answers = [(500, "application/json", '{"code":"internalError","status":500,"title":"fault"}'),
               (200, "text/html", "<h1>Sign in to the hotel's network</h1>"), (502, "text/html", "bad gateway")]

    def answer(route):
        status, kind, body = answers[0]
        route.fulfill(status=status, content_type=kind, body=body)

    anna.route("**/v1/**", answer)
    anna.add("Bread")
    for _ in range(3):
        anna.until_("it waits", lambda: anna.evaluate("device => device.progress.type") == "waiting")
        answers.append(answers.pop(0))
        anna.page.click(".main .status")
        anna.page.click("dialog .primary.wide")
        anna.page.wait_for_selector("dialog .primary.wide:not(:disabled)")
        anna.page.click("dialog .sheet-head .icon-button")
    assert anna.waiting() == 1
    anna.page.unroute("**/v1/**")
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled().sees("Milk", "Bread")
