"""What the status says: in step only when it is, and otherwise why not. And the diagnostic log."""

import json
import subprocess

import pytest

from service import TROLLEY
from test_screens import look

pytestmark = pytest.mark.without_worker


def status(app):
    return app.page.text_content(".side .status")


def says(app, text):
    app.until_(lambda: f"the status '{text}', not '{status(app)}'", lambda: status(app) == text)


def problem(code, status=500, **members):
    return {"status": status, "content_type": "application/problem+json",
            "body": json.dumps({"code": code, "status": status, "title": "", "detail": "made up"} | members)}


def test_the_status_says_what_keeps_changes_from_being_sent(app):
    anna = app().newcomer("Anna").new_list("Why").add("Milk").settled()
    says(anna, "In step")
    answers = [
        (problem("internalError"), "Service has a problem · 1 waiting"),
        (problem("requestRateLimited", 429), "Service busy · 1 waiting"),
        (problem("zoneBusy", 503), "Service busy · 1 waiting"),
        ({"status": 200, "content_type": "text/html", "body": "<h1>Sign in to the hotel's network</h1>"}, "Connection blocked · 1 waiting"),
        ({"status": 502, "content_type": "text/html", "body": "bad gateway"}, "Offline · 1 waiting"),
    ]
    now = [answers[0][0]]
    anna.route("**/v1/**", lambda route: route.fulfill(**now[0]))
    anna.add("Bread")
    for answer, text in answers:
        now[0] = answer
        anna.evaluate("device => device.sync('manual')")
        says(anna, text)
    anna.page.unroute("**/v1/**")
    anna.evaluate("device => device.sync('manual')")
    says(anna, "In step")


def test_the_status_says_that_the_service_does_not_take_a_list(app):
    anna = app().newcomer("Anna").new_list("First").settled()
    anna.route("**/v1/lists", lambda route: route.fulfill(**problem("quotaExceeded", 507)))
    anna.new_list("One too many")
    anna.until_("it says so", lambda: status(anna).startswith("Not accepted · "))
    anna.page.click(".side .status")
    anna.until_("why", lambda: "no room for more" in anna.page.text_content(".standing"))


def test_refused_changes_are_in_the_status_until_they_are_dismissed(app):
    anna = app().newcomer("Anna").new_list("Refused").add("Milk").settled()
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("permissionFailure", 403)))
    anna.add("Bread").settled()
    says(anna, "1 change refused")
    second = anna.tab().open()
    says(second, "1 change refused")
    anna.reload()
    says(anna, "1 change refused")
    anna.page.click(".side .status")
    anna.page.click("dialog .refused [aria-label=Dismiss]")
    says(anna, "In step")
    says(second, "In step")


def test_a_refused_change_that_cannot_be_made_again_stays(app):
    anna = app().newcomer("Anna").new_list("Again").add("Milk").settled()
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("permissionFailure", 403)))
    anna.add("Bread").settled()
    says(anna, "1 change refused")
    anna.page.unroute("**/v1/lists/*/entries")
    anna.page.click(".side .status")
    anna.page.evaluate("""() => {
        IDBObjectStore.prototype.realPut = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function () { throw new DOMException('no room', 'QuotaExceededError'); };
    }""")
    anna.page.click("dialog .refused button:has-text('Try again')")
    anna.until_("it says so", lambda: "no room left" in (anna.page.text_content("#toasts") or ""))
    assert anna.evaluate("device => device.store.refused()") == 1
    anna.page.evaluate("() => { IDBObjectStore.prototype.put = IDBObjectStore.prototype.realPut; }")
    anna.page.click("dialog .refused button:has-text('Try again')")
    anna.page.wait_for_selector("dialog .refused", state="detached")
    anna.settled().sees("Milk", "Bread")


def test_a_refused_change_is_made_again_once(app):
    anna = app().newcomer("Anna").new_list("Once").add("Milk").settled()
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("permissionFailure", 403)))
    anna.add("Bread").settled()
    says(anna, "1 change refused")
    anna.page.unroute("**/v1/lists/*/entries")
    anna.page.click(".side .status")
    anna.evaluate("""device => {
        const append = device.store.append.bind(device.store), gate = new Promise(go => { globalThis.go = go; });
        device.store.append = async (...values) => {
            await gate;
            return append(...values);
        };
    }""")
    button = anna.page.locator("dialog .refused button:has-text('Try again')")
    tapped = button.element_handle()
    button.click()
    # The sheet is drawn again while the change is being stored.
    anna.until_("another button", lambda: not tapped.evaluate("button => button.isConnected"))
    assert button.is_disabled()
    anna.page.evaluate("go()")
    anna.page.wait_for_selector("dialog .refused", state="detached")
    anna.settled().sees("Milk", "Bread")
    assert anna.operations().count("add") == 2


def test_what_waits_goes_with_ones_own_list_and_is_kept_of_somebody_elses(app):
    anna = app().newcomer("Anna").new_list("Hers").add("Milk").settled()
    ben = app().join(anna.link(), "Ben").sees("Milk").settled()
    list_ = anna.list
    # Ben leaves the list, then Anna deletes it.
    for one, refused in ((ben, 1), (anna, 0)):
        one.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("internalError")))
        one.add("Bread").until_("it waits", lambda: one.waiting() == 1)
        one.evaluate("(device, list) => device.removeList(list)", list_)
        one.until_("the list is gone", lambda: one.page.locator(".card").count() == 0)
        assert one.evaluate("async device => [await device.store.refused(), device.refused]") == [refused, refused]


def test_the_status_of_a_screen_that_is_left_goes_with_it(app):
    anna = app()
    anna.page.add_init_script("""
        globalThis.listening = 0;
        const add = EventTarget.prototype.addEventListener;
        EventTarget.prototype.addEventListener = function (type, listener, options) {
            if (type === 'online') {
                globalThis.listening += 1;
                options?.signal?.addEventListener('abort', () => { globalThis.listening -= 1; });
            }
            return add.call(this, type, listener, options);
        };
    """)
    anna.newcomer("Anna").new_list("One").settled()
    before = anna.page.evaluate("listening")
    for _ in range(3):
        anna.page.evaluate("location.hash = '#/'")
        anna.page.wait_for_selector(".addline", state="detached")
        anna.open_list("One")
    assert anna.page.evaluate("listening") == before
    # The frame is drawn again, as after signing in again.
    frame = anna.page.locator(".shell").element_handle()
    anna.evaluate("device => device.emit('session')")
    anna.until_("another frame", lambda: not frame.evaluate("frame => frame.isConnected") and anna.page.locator(".addline").count() == 1)
    assert anna.page.evaluate("listening") == before


def test_in_step_is_not_said_before_anything_was_asked(app):
    anna = app().newcomer("Anna").new_list("Start").add("Milk").settled()
    says(anna, "In step")
    held = []
    anna.route("**/v1/changes", lambda route: held.append(route))
    anna.reload()
    anna.until_("the first fetch", lambda: anna.page.wait_for_timeout(20) or held)
    assert status(anna) == "Checking …"
    # A second tab knows no more than the first, and asks it.
    second = anna.tab().open()
    anna.until_("the module", lambda: second.evaluate("device => !!device.trolley && !device.isLeading"))
    assert status(second) == "Checking …"
    # Lets it go, too.
    anna.page.unroute("**/v1/changes")
    says(anna, "In step")
    says(second, "In step")
    third = anna.tab().open()
    says(third, "In step")


def test_a_tab_that_opens_offline_hears_what_waits(app):
    anna = app().newcomer("Anna").new_list("Offline").add("Milk").settled()
    anna.route("**/v1/**", lambda route: route.abort())
    anna.add("Bread", "Salt", "Rice")
    says(anna, "Offline · 3 waiting")
    second = anna.tab().open()
    says(second, "Offline · 3 waiting")


def test_the_sheet_counts_what_waits_and_names_the_last_failures(app):
    anna = app().newcomer("Anna").new_list("Counts").add("Milk").settled()
    anna.route("**/v1/**", lambda route: route.fulfill(**problem("internalError")))
    anna.paste("\n".join(f"Item {number}" for number in range(203)))
    anna.check("Milk")
    anna.until_("they wait", lambda: anna.waiting() == 204)
    says(anna, "Service has a problem · 204 waiting")
    anna.page.click(".side .status")
    anna.page.click("dialog summary:has-text('Diagnostics')")
    figures = anna.page.locator("dialog details.part")
    anna.until_("the counts", lambda: {"Add: 203", "Mark off: 1"} <= set(figures.locator("li").all_text_contents()))
    assert "The service had a fault" in figures.text_content()
    anna.page.click("dialog .queues summary:has-text('To be sent: 204')")
    assert anna.page.text_content("dialog .queues details li:last-child") == "and 4 more"


def test_the_diagnostic_log_can_be_copied_and_has_nothing_that_people_wrote(app):
    anna = app().newcomer("Anna").new_list("Secret plans").add("Marzipan").settled()
    anna.context.grant_permissions(["clipboard-read", "clipboard-write"])
    # Something between here and the service may write anything into the details of a failure.
    anna.route("**/v1/**", lambda route: route.fulfill(**problem("incompatibleVersion", 426, detail="too old for Truffles")))
    anna.add("Truffles")
    says(anna, "Update needed")
    list, account = anna.list, anna.evaluate("device => device.session.account.id")
    anna.page.click(".side .status")
    anna.page.click("dialog summary:has-text('Diagnostics')")
    anna.page.click("dialog .menu-item:has-text('diagnostic log')")
    anna.until_("it says so", lambda: "Copied" in (anna.page.text_content("#toasts") or ""))
    text = anna.page.evaluate("navigator.clipboard.readText()")
    log = json.loads(text)
    assert log["account"] == account and log["lists"][0]["id"] == list
    assert log["lists"][0]["upload"] == {"add": 1} and log["lists"][0]["digest"]
    assert log["pace"]["lately"][0]["code"] == log["progress"]["failure"] == "incompatibleVersion"
    for written in ("Marzipan", "Truffles", "Secret plans", "Anna", "anna-"):
        assert written not in text


def diagnostics(one, **options):
    return json.loads(one.evaluate("""async (device, options) => {
        const { diagnostics } = await import(`${document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')}device/diagnostics.js`);
        return diagnostics(device, options);
    }""", options))


def inspected(tmp_path, *logs):
    """What `trolley inspect` says of files with these logs."""
    files = []
    for number, log in enumerate(logs):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(log))
    result = subprocess.run([TROLLEY, "inspect", *files, "--json"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)["comparisons"][0]["lists"]


def test_inspect_calls_a_browser_in_step_the_same_as_a_command_line(app, command_line, service, tmp_path):
    anna = app().newcomer("Anna").new_list("Same").add("Milk, 2 l", "Brötchen", "Eggs").edit("Eggs", note="😀 free range", aisle="Dairy")
    anna.check("Milk").settled()
    anna.evaluate("""(device, list) => device.perform(list, [{ operation: 'message', fields: { text: 'Hello' } },
        { operation: 'recolourList', fields: { aisles: 'Dairy' } }, { operation: 'delete', item: device.states.get(list).items[1].id }])""", anna.list)
    anna.settled().page.click("[aria-label=Undo]")
    anna.until_("everything has come back", lambda: anna.through)
    command_line.run("sign-in", service.address, "--email", anna.email)
    command_line.run("sync")
    theirs = command_line.run("diagnostics")
    for options, theirs in (({}, theirs), ({"withContent": True}, command_line.run("diagnostics", "--with-content"))):
        ours = diagnostics(anna, **options)
        assert {entry["id"]: entry["hash"] for entry in ours["lists"][0]["entries"]} == {
            entry["id"]: entry["hash"] for entry in theirs["lists"][0]["entries"]}
        (list_,) = inspected(tmp_path, ours, theirs)
        assert (list_["showTheSame"], list_["differing"], list_["first"]) == (True, 0, None), list_
    # While an item of somebody else waits to be shown, too.
    anna.shop()
    command_line.run("add", "Capers")
    anna.until_("it waits", lambda: anna.page.is_visible(".notice"))
    ours, theirs = diagnostics(anna), command_line.run("diagnostics")
    assert [entry["operation"] for entry in ours["lists"][0]["entries"] if entry.get("state") == "toApply"] == ["add"]
    (list_,) = inspected(tmp_path, ours, theirs)
    assert (list_["showTheSame"], list_["differing"]) == (True, 0), list_


def test_the_diagnostics_have_both_queues_the_versions_and_what_was_learned(app):
    anna = app().newcomer("Anna").new_list("Queues").add("Marzipan").settled()
    anna.until_("it has come back", lambda: anna.through)
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("requestRateLimited", 429, retryAfter=600)))
    anna.add("Truffles")
    says(anna, "Service busy · 1 waiting")
    anna.check("Marzipan")
    anna.until_("both wait", lambda: anna.waiting() == 2)
    item = anna.state()["items"][1]["id"]
    log = diagnostics(anna)
    queued = log["lists"][0]["queued"]
    assert [(entry["operation"], entry["state"]) for entry in queued] == [("add", "sent"), ("markOff", "new")], queued
    assert queued[0]["item"] == item and queued[0]["age"] >= 0 and len(queued[0]["hash"]) == 16 and "content" not in queued[0]
    assert "Chrom" in log["platform"] and log["failures"][0]["code"] == "requestRateLimited" and log["failuresInARow"] == 1
    assert log["askedToWait"] and log["nextTry"] > log["now"]
    assert log["pace"]["limits"]["entriesPerRequest"] > 0
    assert log["versions"]["app"] in anna.page.evaluate("document.querySelector('script[type=module]').src")
    assert len(log["versions"]["module"]) == 16 and log["versions"]["protocol"]
    log = diagnostics(anna, withContent=True)
    assert log["lists"][0]["queued"][0]["content"]["fields"]["text"] == "Truffles" and log["lists"][0]["name"] == "Queues"
    anna.page.unroute("**/v1/lists/*/entries")


def test_the_diagnostics_are_saved_with_or_without_content_as_the_person_chooses(app, screenshots):
    anna = app().newcomer("Anna").new_list("Saved").add("Marzipan").settled()
    anna.page.click(".side .status")
    anna.page.click("dialog summary:has-text('Diagnostics')")
    look(anna, "diagnostics", screenshots, "desktop-light")

    def saved():
        with anna.page.expect_download() as download:
            anna.page.click("dialog .menu-item:has-text('Save the diagnostic log')")
        assert download.value.suggested_filename == "trolley-diagnostics.json"
        return download.value.path().read_text()

    assert "Marzipan" not in saved()
    anna.page.locator("dialog .told input").check()
    assert "Marzipan" in saved()


def test_the_log_has_decisions_requests_answers_and_waits_and_nothing_that_people_wrote(app):
    anna = app().newcomer("Anna").new_list("Secret plans").add("Marzipan").settled()
    anna.route("**/v1/lists/*/entries", lambda route: route.fulfill(**problem("internalError")))
    anna.add("Truffles")
    says(anna, "Service has a problem · 1 waiting")
    anna.page.unroute("**/v1/lists/*/entries")
    anna.evaluate("device => device.sync('manual')")
    anna.settled()
    log = diagnostics(anna)["log"]
    for line in log:
        assert line[:2] == "20" and line[23] == "Z", line
    words = [line[25:] for line in log]
    upload = f"POST lists/{anna.list}/entries"
    assert any(line.startswith(f"decides upload list={anna.list} entries=") for line in words), log
    assert f"asks: {upload}" in words
    assert any(line.startswith("is answered 500 internalError after ") and line.endswith(upload) for line in words), log
    assert any(line.startswith("is answered 200 after ") and line.endswith(f" ms: {upload}") for line in words), log
    assert any(line.startswith("waits ") and line.endswith(" ms: internalError") for line in words), log
    assert any(line.startswith("begins a run: ownChange") for line in words) and any(line.startswith("decides finish outcome=") for line in words), log
    text = json.dumps(log)
    for written in ("Marzipan", "Truffles", "Secret plans", "Anna", "anna-", "example.com", "correct horse"):
        assert written not in text


def test_the_log_keeps_the_last_500_lines_and_hides_what_is_no_word_of_a_path(app):
    anna = app().newcomer("Anna").new_list("Ring").settled()
    anna.evaluate("""async device => {
        const log = await import(`${document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')}device/log.js`);
        for (let number = 0; number < 600; number++) log.note(`line ${number}`);
        log.note(log.pathOf('lists/01234567-89ab-cdef-0123-456789abcdef/invitations/Sec_ret?email=a@example.com'));
    }""")
    log = diagnostics(anna)["log"]
    assert len(log) == 500
    assert any(line.endswith("lists/01234567-89ab-cdef-0123-456789abcdef/invitations/…") for line in log)
    assert not any(line.endswith(" line 0") for line in log) and any(line.endswith(" line 599") for line in log)


def test_the_diagnostics_of_a_tab_that_does_not_lead_have_the_leading_tabs_log(app):
    anna = app().newcomer("Anna").new_list("Tabs").add("Milk").settled()
    second = anna.tab().open()
    second.until_("the module", lambda: second.evaluate("device => !!device.trolley && !device.isLeading"))
    log = diagnostics(second)
    assert not any("decides" in line for line in log["log"])
    assert any("decides upload" in line for lines in log["otherTabs"] for line in lines)


def test_without_a_clipboard_the_log_is_copied_all_the_same(app):
    anna = app()
    # As over plain HTTP.
    anna.page.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });")
    anna.newcomer("Anna").new_list("Plain").add("Milk").settled()
    anna.page.evaluate("addEventListener('copy', () => { globalThis.copied = document.activeElement.value; })")
    anna.page.click(".side .status")
    anna.page.click("dialog summary:has-text('Diagnostics')")
    anna.page.click("dialog .menu-item:has-text('diagnostic log')")
    anna.until_("it says so", lambda: "Copied" in (anna.page.text_content("#toasts") or ""))
    assert json.loads(anna.page.evaluate("globalThis.copied"))["kind"] == "device"


def test_a_browser_that_does_not_let_the_page_copy_is_told(app):
    anna = app().newcomer("Anna").new_list("Copy").add("Milk").settled()
    anna.page.evaluate("""() => {
        const refuse = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
        Clipboard.prototype.write = Clipboard.prototype.writeText = refuse;
    }""")
    anna.menu("List settings", "Copy, send or print", "Copy as text")
    anna.until_("it says so", lambda: "didn’t let" in (anna.page.text_content("#toasts") or ""))
