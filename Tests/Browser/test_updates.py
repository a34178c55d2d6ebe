"""The service worker: opening without a network, and a new version."""


def installed(app):
    app.until_("the service worker is there", lambda: app.page.evaluate(
        "async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'"))
    return app


def test_it_opens_without_a_network_and_keeps_what_is_done(app):
    anna = installed(app().newcomer("Anna").new_list("Offline").add("Milk").settled())
    anna.cable.cut()
    anna.reload().sees("Milk").add("Bread").check("Milk")
    anna.reload().until_("both changes are there", lambda: set(anna.texts) == {"Bread", "Milk"})
    assert anna.waiting() == 2
    anna.until_("it says so", lambda: "Offline" in anna.page.text_content(".main .status"))
    anna.cable.mend()
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled()


def test_a_new_version_waits_and_takes_over_on_a_tap(app, service):
    anna = installed(app().newcomer("Anna").new_list("Update").add("Milk"))
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
    # While the page is loaded anew, there is no document to ask.
    anna.page.wait_for_function(f"version => {source}.includes(version)", arg=new)
    anna.sees("Milk", "Bread").settled()
    caches = anna.page.evaluate("caches.keys()")
    assert caches == [f"trolley-{new}"]


def test_a_page_that_is_too_old_for_the_service_has_a_button(app, service):
    anna = installed(app().newcomer("Anna").new_list("Stuck").add("Milk").settled())

    def newer(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "protocolVersion": 99})

    anna.page.route("**/v1/changes", newer)
    anna.add("Bread")
    anna.until_("it says so", lambda: "Update needed" in anna.page.text_content(".main .status"))
    anna.page.click(".main .status")
    anna.until_("why", lambda: "different versions" in anna.page.text_content(".standing"))
    _, new = service.update()
    anna.page.unroute("**/v1/changes")
    anna.page.click(".standing button:has-text('Update')")
    anna.page.wait_for_function("version => document.querySelector('script[type=module]')?.src.includes(version)", arg=new)
    anna.sees("Milk", "Bread").settled()


def test_where_the_module_cannot_be_loaded_the_page_says_so(app, complaints):
    anna = app()
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
