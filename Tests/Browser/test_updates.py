"""The service worker: opening without a network, and a new version."""

from app import DESKTOP, NO_WORKER, PHONE


# While the page is loaded anew, there is no document to ask.
IS_NEW = "version => document.querySelector('script[type=module]')?.src.includes(version)"


def test_it_opens_without_a_network_and_keeps_what_is_done(app):
    anna = app().newcomer("Anna").new_list("Offline").add("Milk").settled().installed()
    anna.cable.cut()
    anna.reload().sees("Milk").add("Bread").check("Milk")
    anna.until_("both are saved", lambda: anna.waiting() == 2)
    anna.reload().until_("both changes are there", lambda: set(anna.texts) == {"Bread", "Milk"})
    assert anna.waiting() == 2
    anna.until_("it says so", lambda: "Offline" in anna.page.text_content(".main .status"))
    anna.cable.mend()
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled()


def test_a_new_version_waits_and_takes_over_on_a_tap(app, service):
    anna = app().newcomer("Anna").new_list("Update").add("Milk").installed()
    anna.cable.cut()
    anna.add("Bread")
    anna.cable.mend()
    old, new = service.update()
    source = "document.querySelector('script[type=module]').src"
    anna.page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
    anna.until_("it says so", lambda: "new version" in (anna.page.text_content("#toasts") or ""))
    # Until then nothing changes, also after a reload.
    anna.reload().sees("Milk", "Bread")
    assert old in anna.page.evaluate(source)
    anna.page.click("#toasts button:has-text('Update')")
    anna.page.wait_for_function(IS_NEW, arg=new)
    anna.sees("Milk", "Bread").settled()
    caches = anna.page.evaluate("caches.keys()")
    assert caches == [f"trolley-{new}"]


def test_a_new_version_takes_over_while_the_old_one_waits_for_a_silent_network(app, service):
    anna = app().newcomer("Anna").new_list("Silence").add("Milk").settled().installed()
    _, new = service.update()
    anna.page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
    anna.until_("it says so", lambda: "new version" in (anna.page.text_content("#toasts") or ""))
    anna.cable.silence()
    # No version has this file, so that the worker asks the network for it.
    anna.page.evaluate("() => { fetch('/app/no-version/file').catch(() => {}); }")
    anna.until_("the file is asked for", lambda: anna.cable.unanswered)
    anna.page.click("#toasts button:has-text('Update')")
    anna.page.wait_for_function(IS_NEW, arg=new)
    anna.sees("Milk")
    anna.cable.mend()


def test_a_new_version_is_asked_again_when_the_browser_lets_it_wait(app, service):
    anna = app().newcomer("Anna").new_list("Parked").add("Milk").settled().installed()
    _, new = service.update()
    anna.page.evaluate("""async () => {
        // As a browser does that finds the old worker just starting.
        const send = ServiceWorker.prototype.postMessage, lost = new Set(['take over']);
        ServiceWorker.prototype.postMessage = function (message) { if (!lost.delete(message)) send.call(this, message); };
        await (await navigator.serviceWorker.getRegistration()).update();
    }""")
    anna.page.click("#toasts button:has-text('Update')")
    anna.page.wait_for_function(IS_NEW, arg=new)
    anna.sees("Milk")


def test_a_second_tab_offers_the_version_that_the_first_has_updated_to(app, service):
    first = app().newcomer("Anna").new_list("Two tabs").add("Milk").settled().installed()
    second = first.tab().open(f"/#/list/{first.list}").sees("Milk")
    second.page.fill(".addline input", "Half a wo")
    _, new = service.update()
    first.page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
    first.page.click("#toasts button:has-text('Update')")
    first.page.wait_for_function(IS_NEW, arg=new)
    second.until_("it says so", lambda: "older than the service" in (second.page.text_content("#toasts") or ""))
    # What the person writes stays until they tap.
    assert second.page.input_value(".addline input") == "Half a wo"
    second.page.click("#toasts button:has-text('Update')")
    second.page.wait_for_function(IS_NEW, arg=new)
    second.sees("Milk")


def test_an_old_tab_that_leads_stores_what_ends_entries_after_an_update_in_another_tab(app, service):
    first = app(**PHONE).newcomer("Anna").new_list("Old").add("Milk").settled().installed()
    list_id = first.list
    # Nothing on the page of the lists needs the module but the sync.
    first.open("/").page.wait_for_selector(".card")
    first.until_("it is loaded", lambda: first.page.evaluate("""() => performance.getEntriesByType('resource')
        .some(({ name, responseEnd }) => name.endsWith('/later.wasm') && responseEnd > 0)"""))
    second = first.tab().open("/")
    second.page.wait_for_selector(".card")
    assert first.evaluate("device => device.isLeading") and not second.evaluate("device => device.isLeading")
    _, new = service.update()
    second.page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
    second.page.click("#toasts button:has-text('Update')")
    second.page.wait_for_function(IS_NEW, arg=new)
    first.until_("it says so", lambda: "older than the service" in (first.page.text_content("#toasts") or ""))
    # The old files are nowhere any more.
    first.context.new_cdp_session(first.page).send("Network.clearBrowserCache")
    assert first.evaluate("device => device.isLeading")
    # As when the service has compressed the list since: a snapshot takes the place of its entries.
    first.evaluate("(device, list) => device.refetch(list)", list_id)
    first.until_("it is stored", lambda: first.evaluate(
        "async (device, list) => (await device.store.lists()).find(({ id }) => id === list).token", list_id))
    first.until_("all is in step", lambda: first.evaluate("device => device.progress.type") == "idle")


def test_a_page_of_another_version_is_not_stored_with_a_new_one(app, service):
    anna = app().newcomer("Anna").new_list("Stale").add("Milk").settled().installed()
    page = service.site / "index.html"
    before = page.read_text()
    old, new = service.update()
    # A proxy goes on serving the old page.
    service.write(page, before)
    service.stop()
    service.start()
    state = anna.page.evaluate("""async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        const found = new Promise(resolve => registration.addEventListener('updatefound', () => resolve(registration.installing)));
        await registration.update().catch(() => {});
        const next = await found;
        if (next.state === 'installing') await new Promise(resolve => next.addEventListener('statechange', resolve));
        return next.state;
    }""")
    service.write(page, before.replace(old, new))
    service.stop()
    service.start()
    assert state == "redundant"
    # The old version still opens.
    anna.reload().sees("Milk")
    assert old in anna.page.evaluate("document.querySelector('script[type=module]').src")


def test_a_browser_that_cannot_run_the_app_is_told(app, complaints):
    anna = app()
    # As in a browser that has modules, and not all of the syntax.
    anna.page.route("**/device/device.js", lambda route: route.fulfill(
        content_type="text/javascript", body="export class Device { #later syntax? }"))
    anna.open()
    anna.until_("it says so", lambda: anna.page.is_visible("#old"))
    assert "Chrome, Edge, Firefox or Safari" in anna.page.text_content("#old")
    complaints[:] = [text for text in complaints if "SyntaxError" not in text and "not handled" not in text]
    anna.page.unroute("**/device/device.js")


def test_a_browser_that_is_only_slow_is_not_told_so(app):
    anna, held = app(), []
    anna.page.route("**/text/en.js", lambda route: held.append(route))
    # The page's load event doesn't wait for texts.
    anna.open().until_("the texts are asked for", lambda: anna.page.wait_for_timeout(20) or held)
    assert anna.page.evaluate("document.readyState") == "complete"
    assert not anna.page.is_visible("text=could not start")
    anna.page.unroute("**/text/en.js")
    anna.page.wait_for_selector("input[name=name]")


def test_a_page_that_is_too_old_for_the_service_has_a_button(app, service):
    anna = app().newcomer("Anna").new_list("Stuck").add("Milk").settled().installed()

    loads = []

    def newer(route):
        """The service is newer than the page, until that is loaded again: without that, nothing makes the button go."""
        response = route.fetch()
        version = {} if loads else {"protocolVersion": 99}
        route.fulfill(response=response, json={**response.json(), **version})

    anna.route("**/v1/changes", newer)
    anna.add("Bread")
    anna.until_("it says so", lambda: "Update needed" in anna.page.text_content(".main .status"))
    anna.page.click(".main .status")
    anna.until_("why", lambda: "different versions" in anna.page.text_content(".standing"))
    anna.page.click(".standing button:has-text('Update')")
    anna.until_("there is none yet", lambda: "no newer version" in (anna.page.text_content("#toasts") or ""))
    _, new = service.update()
    anna.page.once("framenavigated", lambda frame: loads.append(frame))
    anna.page.click(".standing button:has-text('Update')")
    anna.page.wait_for_function("version => document.querySelector('script[type=module]')?.src.includes(version)", arg=new)
    anna.sees("Milk", "Bread").settled()
    # An answer that is on its way when the page closes would fail the next test.
    anna.page.unroute_all(behavior="wait")


def test_where_the_module_cannot_be_loaded_the_page_says_so(app, complaints):
    anna = app()
    anna.missing.add("trolley.wasm")
    anna.page.route("**/trolley.wasm", lambda route: route.fulfill(status=404, body=""))
    anna.open()
    anna.until_("it says so", lambda: "too old" in anna.page.text_content("#app"))
    anna.page.unroute("**/trolley.wasm")
    anna.page.click("button:has-text('Try again')")
    anna.page.wait_for_selector("input[name=name]")
    anna.until_("the module", lambda: anna.evaluate("device => !!device.trolley"))
    # It says in the console, too, why.
    assert all("the module could not be loaded" in text for text in complaints), complaints
    complaints.clear()


def test_where_a_language_cannot_be_loaded_the_page_speaks_english(app, complaints):
    anna = app(locale="de-DE", **PHONE)
    anna.page.add_init_script(NO_WORKER)
    anna.missing |= {"text/de.js", "text/en.js"}
    anna.page.route("**/text/de.js", lambda route: route.fulfill(status=404, body=""))
    anna.open().page.wait_for_selector("button:has-text('Create account')")
    assert anna.page.get_attribute("html", "lang") == "en"
    # And without any texts, the page's own sentence is there.
    anna.page.route("**/text/en.js", lambda route: route.abort())
    anna.reload().until_("it says so", lambda: anna.page.is_visible("text=load the page again"))
    assert anna.page.inner_text("body").startswith("Trolley could not start.")
    anna.page.unroute("**/text/de.js")
    anna.page.unroute("**/text/en.js")
    anna.reload().page.wait_for_selector("button:has-text('Konto anlegen')")
    assert all("language could" in text for text in complaints), complaints
    complaints.clear()


def test_where_the_chosen_language_cannot_be_loaded_the_page_keeps_the_browsers(app, complaints):
    anna = app(locale="de-DE", **DESKTOP)
    anna.page.add_init_script(NO_WORKER)
    anna.newcomer("Anna")
    anna.evaluate("device => device.saveSettings({ language: 'en' })")
    anna.missing.add("text/en.js")
    anna.page.route("**/text/en.js", lambda route: route.fulfill(status=404, body=""))
    anna.reload().page.wait_for_selector("text=Neue Liste")
    assert all("language could" in text for text in complaints), complaints
    complaints.clear()
