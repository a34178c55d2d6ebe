"""Rooms: what the others on a list do right now, before it is in the journal."""

import json
import os
import re
import subprocess

import pytest

from app import PHONE
from service import ROOT, TROLLEY, is_readable, until
from test_screens import SMALL, look

pytestmark = pytest.mark.without_worker

# How the app's files are reached from a test.
BASE = "document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')"


class Held:
    """A page's uploads, held back until they are released."""

    def __init__(self, app):
        self.app, self.routes, self.is_released = app, [], False
        app.route("**/v1/lists/*/entries", self.hold)

    def hold(self, route):
        if route.request.method == "POST" and not self.is_released:
            self.routes.append(route)
        else:
            route.continue_()

    def wait(self):
        """Waits for an upload."""
        self.app.until_("an upload is held back", lambda: self.app.page.wait_for_timeout(20) or self.routes)
        return self

    def release(self):
        self.is_released = True
        for route in self.routes:
            route.continue_()

    def drop(self):
        """Lets the uploads fail. A browser would let them go on when the page closes."""
        for route in self.wait().routes:
            route.abort()


def phase(app):
    """The phase of the open list's room, as the list's page has it."""
    return app.page.evaluate("document.querySelector('.list')?.dataset.room ?? 'idle'")


def live(*apps):
    for one in apps:
        one.until_("live", lambda: phase(one) == "live")


def line(app):
    return app.page.text_content(".live") if app.page.is_visible(".live") else ""


def classes(app, text):
    return app.row(text).get_attribute("class").split()


def toasts(app):
    return app.page.text_content("#toasts") or "" if app.page.locator("#toasts").count() else ""


@pytest.fixture
def pair(app):
    """Anna and Ben, live on one list with milk and bread."""
    anna = app().newcomer("Anna").new_list("Together").add("Milk", "Bread").settled()
    ben = app(**PHONE).join(anna.link(), "Ben").sees("Milk", "Bread")
    live(anna, ben)
    return anna, ben


def test_hpke_opens_the_vector_of_its_suite(app):
    page = app().open().page
    # mode 0, KEM 0x0020, KDF 0x0001, AEAD 0x0002 of the RFC's test vectors, first encryption.
    text = page.evaluate("""async base => {
        const { open, seal } = await import(`${BASE}device/hpke.js`);
        const bytes = hex => Uint8Array.from(hex.match(/../g), digits => parseInt(digits, 16));
        // The private key in the envelope of RFC 8410.
        const privateKey = await crypto.subtle.importKey('pkcs8', bytes('302e020100300506032b656e04220420' +
            '497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d'), 'X25519', false, ['deriveBits']);
        const own = { privateKey, publicKey: bytes('430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c') };
        const info = bytes('4f6465206f6e2061204772656369616e2055726e');
        const sealed = bytes('6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256' +
            'e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925cdad859d5b7a');
        const read = bytes => new TextDecoder().decode(bytes);
        const again = await seal(own.publicKey, info, new TextEncoder().encode('again'));
        const other = await open(own, bytes('00'), again).catch(error => new TextEncoder().encode(error.name));
        return [await open(own, info, sealed, bytes('436f756e742d30')), await open(own, info, again), other].map(read);
    }""".replace("BASE", BASE), "")
    assert text == ["Beauty is truth, truth beauty", "again", "OperationError"]


def test_the_keys_of_a_room_are_those_of_the_sdk(app):
    """By a vector that the SDK's tests read, too (RoomVectorTests.swift)."""
    vector = json.loads((ROOT / "Tests/Vectors/rooms/keys.json").read_text())
    found = app().open().page.evaluate("""async ({ list, account, device, credentials, timestamp, body, hail }) => {
        const [{ roomKeys, hailContext }, { open }, { fromBase64url }] = await Promise.all(
            ['room-keys', 'hpke', 'bytes'].map(name => import(`${BASE}device/${name}.js`)));
        const sender = { account, device }, parsed = JSON.parse(credentials), keys = await roomKeys(parsed);
        // The nonce of the vector.
        Object.defineProperty(crypto, 'getRandomValues', { value: bytes => bytes.fill(7) });
        const { nonce, signature } = await keys.join(list, sender, timestamp);
        const pair = { crv: 'X25519', kty: 'OKP', d: hail.privateKey, x: hail.publicKey };
        const privateKey = await crypto.subtle.importKey('jwk', pair, 'X25519', false, ['deriveBits']);
        const read = async (context, sealed) => new TextDecoder().decode(
            await open({ privateKey, publicKey: fromBase64url(hail.publicKey) }, context, fromBase64url(sealed)));
        return {
            handshakeKey: keys.handshakeKey, nonce, signature, frame: await keys.open(body, sender),
            hail: await read(hailContext(list, parsed.roomID, sender, hail.to), hail.sealed),
        };
    }""".replace("BASE", BASE), vector)
    assert found == {key: vector[key] for key in ("handshakeKey", "nonce", "signature")} | {
        "frame": {"frame": vector["frame"]}, "hail": vector["credentials"]}


def test_a_tentative_mark_is_greyed_at_once_and_becomes_real(pair):
    anna, ben = pair
    held = Held(anna)
    anna.check("Milk")
    ben.until_("greyed", lambda: {"tentative", "struck"} <= set(classes(ben, "Milk")))
    assert not ben.state()["items"][0]["markedOff"], "the journal does not have it"
    assert ben.row("Milk").locator(".check").get_attribute("aria-checked") == "false"
    assert "Anna is marking it off" in ben.row("Milk").locator(".body").text_content()
    held.wait()
    held.release()
    ben.until_("real", lambda: ben.state()["items"][0]["markedOff"] and "tentative" not in classes(ben, "Milk"))
    assert ben.row("Milk").locator(".check").get_attribute("aria-checked") == "true"


def test_tentative_adds_and_edits_take_their_places_and_move_nothing(pair):
    anna, ben = pair
    places = {text: ben.row(text).bounding_box()["y"] for text in ("Milk", "Bread")}
    held = Held(anna)
    anna.add("Eggs")
    ben.until_("a greyed row", lambda: ben.texts == ["Milk", "Bread", "Eggs"] and "tentative" in classes(ben, "Eggs"))
    assert ben.row("Eggs").locator(".check").is_disabled()
    anna.row("Bread").locator(".body").click()
    anna.page.fill("dialog input[name=text]", "Rye bread")
    anna.page.click("dialog button[type=submit]")
    ben.until_("the new text", lambda: ben.texts == ["Milk", "Rye bread", "Eggs"] and "tentative" in classes(ben, "Rye bread"))
    anna.row("Milk").locator(".body").click()
    anna.page.click("dialog .danger")
    ben.until_("struck through", lambda: {"tentative", "struck"} <= set(classes(ben, "Milk")))
    assert [item["text"] for item in ben.state()["items"]] == ["Milk", "Bread"]
    assert {"Milk": ben.row("Milk").bounding_box()["y"], "Bread": ben.row("Rye bread").bounding_box()["y"]} == places
    held.release()
    ben.sees("Rye bread", "Eggs").until_("real", lambda: ben.page.locator(".row.tentative").count() == 0)
    assert ben.row("Eggs").locator(".check").is_enabled()


@pytest.mark.parametrize("first", ["theirs", "own"])
def test_what_is_added_below_a_tentative_row_stays_below_it(pair, first):
    """Whichever of the two the service has first."""
    anna, ben = pair
    theirs, own = Held(anna), Held(ben)
    anna.add("Eggs")
    ben.until_("a greyed row", lambda: ben.texts == ["Milk", "Bread", "Eggs"])
    ben.add("Salt", "Jam").sees("Milk", "Bread", "Eggs", "Salt", "Jam")
    assert [item["text"] for item in ben.state()["items"]] == ["Milk", "Bread", "Salt", "Jam"], "the eggs are on their way"
    for held, app in sorted([(theirs.wait(), anna), (own.wait(), ben)], key=lambda pair: (pair[0] is own) != (first == "own")):
        held.release()
        app.settled()
    for app in pair:
        app.sees("Milk", "Bread", "Eggs", "Salt", "Jam").until_("real", lambda: app.page.locator(".row.tentative").count() == 0)


def test_while_shopping_a_tentative_add_is_said_and_moves_no_row(pair):
    anna, ben = pair
    ben.shop()
    places = [ben.row(text).bounding_box()["y"] for text in ("Milk", "Bread")]
    held = Held(anna)
    anna.add("Eggs")
    ben.until_("it is said", lambda: "Anna is adding Eggs" in line(ben))
    assert ben.texts == ["Milk", "Bread"]
    held.release()
    ben.until_("the notice", lambda: ben.page.is_visible(".notice") and "Eggs" in ben.page.text_content(".notice"))
    ben.until_("no longer said", lambda: "Eggs" not in line(ben))
    assert [ben.row(text).bounding_box()["y"] for text in ("Milk", "Bread")] == places


def test_a_tentative_change_that_was_undone_before_it_was_sent_disappears(pair):
    anna, ben = pair
    held = Held(anna)
    anna.check("Milk")
    anna.add("Eggs")
    ben.until_("both greyed", lambda: "tentative" in classes(ben, "Milk") and "Eggs" in ben.texts)
    for _ in range(2):
        anna.page.click("header .icon-button[aria-label=Undo]")
    ben.until_("neither", lambda: ben.texts == ["Milk", "Bread"] and "tentative" not in classes(ben, "Milk"))
    assert len(ben.state()["items"]) == 2
    held.release()
    anna.settled()
    ben.in_step_with(anna)
    ben.sees("Milk", "Bread")


def test_what_is_undone_while_its_upload_is_under_way_stays_undone(pair):
    anna, ben = pair
    held = Held(anna)
    anna.add("Eggs")
    held.wait()
    anna.page.click("header .icon-button[aria-label=Undo]")
    anna.sees("Milk", "Bread")
    ben.until_("neither has it", lambda: ben.texts == ["Milk", "Bread"])
    # The service dates it by its age when it arrives.
    anna.page.wait_for_timeout(500)
    held.release()
    anna.settled()
    ben.in_step_with(anna)
    ben.sees("Milk", "Bread")
    anna.sees("Milk", "Bread")


def test_a_tentative_change_whose_page_is_closed_goes_with_it(pair):
    anna, ben = pair
    held = Held(anna)
    anna.check("Milk")
    ben.until_("greyed", lambda: "tentative" in classes(ben, "Milk"))
    held.drop()
    anna.page.close()
    ben.until_("as before", lambda: "tentative" not in classes(ben, "Milk"))
    assert not ben.state()["items"][0]["markedOff"]


def test_looking_and_typing_are_seen(pair):
    anna, ben = pair
    anna.row("Milk").locator(".body").click()
    ben.until_("looking", lambda: line(ben) == "Anna is looking at Milk")
    anna.page.press("dialog input[name=text]", "End")
    anna.page.keyboard.type("!")
    ben.until_("changing", lambda: line(ben) == "Anna is changing Milk …")
    anna.page.fill("dialog input[name=text]", "Milk")
    anna.page.click("dialog button[type=submit]")
    anna.page.wait_for_selector("dialog", state="detached")
    ben.page.fill(".addline input", "E")
    anna.until_("typing", lambda: line(anna) == "Ben is typing …")
    # It ends by itself.
    anna.until_("no longer", lambda: line(anna) == "")
    # Ben's screen reader was told politely.
    assert ben.page.get_attribute(".announcements", "aria-live") == "polite"


@pytest.mark.parametrize("size, options", [
    ("phone-light", {**PHONE, "color_scheme": "light"}), ("phone-dark", {**PHONE, "color_scheme": "dark"}),
    ("small", {**SMALL, "color_scheme": "light", "reduced_motion": "reduce"}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_others_do_can_be_read_by_everybody(app, screenshots, size, options):
    anna = app().newcomer("Anna").new_list("Together").add("Milk", "Bread", "Butter").check("Butter").settled()
    ben = app(**options).join(anna.link(), "Ben").sees("Milk", "Bread", "Butter")
    live(anna, ben)
    held = Held(anna)
    anna.check("Milk").check("Butter").add("Eggs")
    anna.row("Bread").locator(".body").click()
    ben.until_("all of it", lambda: ben.page.locator(".row.tentative").count() == 3 and line(ben) == "Anna is looking at Bread")
    look(ben, "together", screenshots, size)
    # By the keyboard: what one focuses, the others see.
    ben.page.focus(".addline input")
    ben.page.keyboard.press("Shift+Tab")
    ben.until_("a row has the focus", lambda: ben.page.evaluate(
        "document.activeElement.closest('.row')?.dataset.id ?? null") or ben.page.keyboard.press("Shift+Tab"))
    anna.page.click("dialog .sheet-head .icon-button")
    anna.until_("looking", lambda: line(anna).startswith("Ben is looking at"))
    held.release()


def test_a_double_buy_is_told_to_both_before_the_entries_meet(pair):
    anna, ben = pair
    held = Held(anna), Held(ben)
    anna.check("Milk")
    ben.until_("greyed", lambda: "tentative" in classes(ben, "Milk"))
    ben.check("Milk")
    ben.until_("Ben is told", lambda: "Anna is also marking off Milk." in toasts(ben))
    anna.until_("Anna is told", lambda: "Ben is also marking off Milk." in toasts(anna))
    for one, routes in zip(pair, held):
        routes.release()
        one.settled()
    anna.in_step_with(ben)


def test_a_double_buy_is_told_to_both_by_the_journal_without_a_room(app):
    # Browsers without X25519 have no rooms.
    without = "Object.defineProperty(SubtleCrypto.prototype, 'generateKey', { value: async () => { throw new DOMException('no', 'NotSupportedError'); } })"
    anna, ben = app(), app(**PHONE)
    for one in (anna, ben):
        one.page.add_init_script(without)
    anna.newcomer("Anna").new_list("Apart").add("Milk", "Bread").settled()
    ben.join(anna.link(), "Ben").sees("Milk", "Bread")
    ben.cable.cut()
    ben.check("Milk")
    anna.check("Milk").check("Bread").settled()
    assert "Ben" not in toasts(anna)
    ben.cable.mend()
    ben.page.evaluate("dispatchEvent(new Event('online'))")
    ben.until_("Ben is told", lambda: "Anna has marked off Milk, too." in toasts(ben))
    anna.until_("Anna is told", lambda: "Ben has marked off Milk, too." in toasts(anna))
    assert phase(anna) == phase(ben) == "idle"


def test_a_browser_without_sockets_gets_its_hints_as_a_stream(app):
    anna = app().newcomer("Anna").new_list("Proxy").add("Milk").settled()
    link = anna.link()
    ben = app(**PHONE)
    # A proxy without upgrades answers by itself.
    ben.page.add_init_script("""
        globalThis.streams = 0;
        globalThis.WebSocket = class extends WebSocket { constructor(url, ...rest) { super(url.replace('/v1/socket', '/v1/account'), ...rest); } };
        globalThis.EventSource = class extends EventSource { constructor(...rest) { super(...rest); globalThis.streams += 1; } };
    """)
    ben.join(link, "Ben").sees("Milk")
    ben.until_("the stream", lambda: ben.page.evaluate("streams") > 0)
    anna.add("Bread")
    ben.sees("Milk", "Bread").check("Milk")
    anna.until_("the mark", lambda: anna.state()["items"][0]["markedOff"])
    assert phase(ben) != "live"


def test_one_socket_has_hints_and_rooms_and_another_tab_uses_it(app):
    anna = app().newcomer("Anna").new_list("Tabs").add("Milk").settled()
    link, address = anna.link(), f"/#/list/{anna.list}"
    second = anna.tab()
    opened = []
    second.page.on("websocket", lambda socket: opened.append(socket.url))
    anna.page.evaluate("location.hash = '#/'")
    second.open(address).sees("Milk")
    assert anna.evaluate("device => device.isLeading") and not second.evaluate("device => device.isLeading")
    ben = app(**PHONE).join(link, "Ben").sees("Milk")
    live(second, ben)
    ben.row("Milk").locator(".body").click()
    second.until_("looking", lambda: line(second) == "Ben is looking at Milk")
    assert opened == [], "the second tab has no socket of its own"
    # When the leader closes, the other tab opens a socket, and enters the room again.
    anna.page.close()
    second.until_("its own socket", lambda: second.evaluate("device => device.isLeading") and len(opened) == 1)
    live(second, ben)
    held = Held(second)
    second.check("Milk")
    ben.page.click("dialog .sheet-head .icon-button")
    ben.until_("greyed", lambda: "tentative" in classes(ben, "Milk"))
    held.release()


@pytest.mark.parametrize("what", ["presence", "share"])
def test_an_answer_that_was_overtaken_by_a_later_one_is_no_news(pair, what):
    anna, ben = pair
    held = []

    def hold(route):
        answer = route.fetch()
        if not held and len(answer.json()["presence"]) == 1:
            held.append(lambda: route.fulfill(response=answer))
        else:
            route.fulfill(response=answer)

    ben.route(f"**/v1/lists/*/{what}", hold)
    anna.page.evaluate("location.hash = '#/'")
    ben.until_("Ben asks who is here, and is answered that nobody is", lambda: ben.page.wait_for_timeout(20) or held)
    anna.open_list("Together")
    ben.until_("Anna is here", lambda: ben.page.locator(".faces [data-here]").count() == 1)
    live(anna, ben)
    with ben.page.expect_response(f"**/v1/lists/*/{what}"):
        held[0]()
    ben.page.evaluate("() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))")
    assert ben.page.locator(".faces [data-here]").count() == 1
    anna.row("Milk").locator(".body").click()
    ben.until_("looking", lambda: line(ben) == "Anna is looking at Milk")


def test_leaving_the_list_leaves_the_room_and_a_service_that_stops_interrupts_it(pair, service):
    anna, ben = pair
    anna.row("Milk").locator(".body").click()
    ben.until_("looking", lambda: line(ben) == "Anna is looking at Milk")
    anna.page.click("dialog .sheet-head .icon-button")
    # Closing goes back in the history, and would come back to the list.
    anna.until_("the sheet is closed", lambda: anna.page.locator("dialog[open]").count() == 0)
    anna.page.evaluate("location.hash = '#/'")
    ben.until_("nobody is there", lambda: phase(ben) == "idle" and line(ben) == "")
    anna.open_list("Together")
    live(anna, ben)
    service.stop()
    for one in pair:
        one.until_("idle", lambda: phase(one) == "idle")
    anna.check("Milk")
    service.start()
    for one in pair:
        one.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled()
    ben.in_step_with(anna)
    live(anna, ben)


def test_a_removed_person_is_out_of_the_room(pair):
    anna, ben = pair
    anna.page.click(".faces")
    anna.page.click(".mini summary")
    anna.page.click(".mini .danger")
    anna.page.click("dialog .actions .primary.danger")
    ben.until_("the list is gone", lambda: ben.page.locator(".card").count() == 0)
    anna.until_("alone", lambda: phase(anna) == "idle")


class Terminal:
    """`trolley watch` in a terminal."""

    def __init__(self, command_line, *arguments):
        import pty
        self.read, write = pty.openpty()
        self.text = ""
        self.process = subprocess.Popen(
            [TROLLEY, "watch", *arguments], stdin=write, stdout=write, stderr=write, start_new_session=True,
            env={**os.environ, "TROLLEY_HOME": command_line.home, "TROLLEY_LANGUAGE": "none", "TERM": "xterm", "COLUMNS": "100", "LINES": "30"})
        os.close(write)

    def until(self, pattern, seconds=60):
        def seen():
            while is_readable(self.read, 0.02):
                try:
                    self.text += os.read(self.read, 65536).decode(errors="replace")
                except OSError:
                    break
            return re.search(pattern, self.text)
        until(seen, f"{pattern} in the terminal, which says {self.text[-1500:]!r}", seconds)
        self.text = ""

    def press(self, key):
        os.write(self.read, key.encode())

    def close(self):
        try:
            self.press("q")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait(10)
        os.close(self.read)


def test_a_trolley_device_and_a_browser_are_in_one_room(app, command_line, service):
    anna = app().newcomer("Anna").new_list("Both").add("Milk", "Bread").settled()
    command_line.run("sign-up", service.address, "--email", f"carol-{anna.email}", "--name", "Carol")
    command_line.run("join", service.address + anna.link())
    terminal = Terminal(command_line)
    try:
        live(anna)
        held = Held(anna)
        anna.check("Milk")
        terminal.until(r"~ Anna marks off Milk")
        anna.row("Bread").locator(".body").click()
        terminal.until(r"Anna is looking at Bread")
        anna.page.click("dialog .sheet-head .icon-button")
        held.release()
        terminal.press("n")
        anna.until_("looking", lambda: "Carol is looking at" in line(anna))
    finally:
        terminal.close()
    anna.until_("she has left", lambda: line(anna) == "")
