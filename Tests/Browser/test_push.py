"""Notices of a browser: the real service sends to a receiver in this test, which stands for the browser's push service, since a
headless Chromium has none. Its messages come to the service worker by the DevTools protocol."""

import base64
import http.server
import json
import queue
import threading

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import DESKTOP, PHONE
from service import Service
from test_screens import RULES

pytestmark = pytest.mark.notices

# A subscription whose keys the page keeps, so that it can decrypt what the receiver gets.
PUSH_SERVICE = """receiver => {
    const text = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const kept = () => JSON.parse(localStorage.getItem('test-push'));
    const subscription = ({ endpoint, p256dh, auth, key }) => ({
        endpoint, options: { userVisibleOnly: true, applicationServerKey: Uint8Array.from(key).buffer },
        toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh, auth } }),
        unsubscribe: async () => { localStorage.removeItem('test-push'); return true; },
    });
    PushManager.prototype.getSubscription = async () => kept() && subscription(kept());
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
        if (!userVisibleOnly) throw new Error('it must be visible');
        const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
        const all = {
            endpoint: `${receiver}/${crypto.randomUUID()}`, key: [...applicationServerKey],
            p256dh: text(await crypto.subtle.exportKey('raw', pair.publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))),
            secret: await crypto.subtle.exportKey('jwk', pair.privateKey),
        };
        localStorage.setItem('test-push', JSON.stringify(all));
        return subscription(all);
    };
}"""

# RFC 8291 §3.4, with the browser's own cryptography.
DECRYPT = """async message => {
    const bytes = text => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), one => one.charCodeAt(0));
    const { p256dh, auth, secret } = JSON.parse(localStorage.getItem('test-push'));
    const body = bytes(message), salt = body.slice(0, 16), sender = body.slice(21, 86), sealed = body.slice(86);
    const curve = { name: 'ECDH', namedCurve: 'P-256' };
    const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: await crypto.subtle.importKey('raw', sender, curve, false, []) },
        await crypto.subtle.importKey('jwk', secret, curve, false, ['deriveBits']), 256);
    const derive = async (key, salt, info, size) => new Uint8Array(await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info },
        await crypto.subtle.importKey('raw', key, 'HKDF', false, ['deriveBits']), 8 * size));
    const label = (text, ...more) => Uint8Array.from([...new TextEncoder().encode(text), 0, ...more.flatMap(part => [...part])]);
    const material = await derive(shared, bytes(auth), label('WebPush: info', bytes(p256dh), sender), 32);
    const key = await crypto.subtle.importKey('raw', await derive(material, salt, label('Content-Encoding: aes128gcm'), 16), 'AES-GCM', false, ['decrypt']);
    const iv = await derive(material, salt, label('Content-Encoding: nonce'), 12);
    const plain = new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed));
    return new TextDecoder().decode(plain.slice(0, plain.lastIndexOf(2)));
}"""

SHOWN = """async () => (await (await navigator.serviceWorker.ready).getNotifications())
    .map(({ title, tag, lang, data }) => ({ title, tag, lang, navigate: data.navigate }))"""


class Receiver:
    """Stands for the browsers' push service."""

    def __init__(self):
        self.received = queue.Queue()
        received = self.received

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                received.put((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(201)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def next(self, seconds=60):
        return self.received.get(timeout=seconds)

    def silent(self, seconds):
        """Nothing comes for so long."""
        with pytest.raises(queue.Empty):
            print(self.received.get(timeout=seconds))


@pytest.fixture(scope="module")
def service():
    service = Service("--push-to-private-addresses")
    yield service
    service.end()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()


def with_push(one, receiver):
    """A browser with a push service, whose person allows notices."""
    one.context.grant_permissions(["notifications"], origin=one.cable.address)
    one.page.add_init_script(f"({PUSH_SERVICE})({json.dumps(receiver.address)})")
    return one


def account(one):
    one.page.click(".account")
    one.page.click("summary:has(.icon) >> nth=0")
    one.page.wait_for_selector("[name=notices]")
    return one


def close(one):
    one.page.click("dialog .sheet-head .icon-button")
    one.page.wait_for_selector("dialog", state="detached")
    return one


def switch_on(one, content=True):
    # Until the service worker is there, no subscription can be made.
    one.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    account(one).page.check("[name=notices]")
    one.until_("it is on", lambda: one.page.is_checked("[name=notices]") and one.page.is_enabled("[name=content]"))
    if content:
        one.page.check("[name=content]")
        one.until_("with content", lambda: one.page.is_checked("[name=content]") and one.page.is_enabled("[name=content]"))
    return close(one)


def home(one):
    one.page.evaluate("location.hash = '#/'")
    one.until_("the list is closed", lambda: one.page.locator(".addline").count() == 0)
    return one


def decrypted(one, message):
    _, headers, body = message
    assert headers["content-encoding"] == "aes128gcm" and headers["authorization"].startswith("vapid t=")
    return json.loads(one.page.evaluate(DECRYPT, base64.b64encode(body).decode()))


HANDLED = """() => {
    window.handled = new Promise(go => navigator.serviceWorker.addEventListener('message', ({ data }) => data?.type === 'pushed' && go()));
}"""


def push(one, data):
    """As the browser's push service would."""
    devtools = one.context.new_cdp_session(one.page)
    found = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    devtools.send("ServiceWorker.enable")
    one.until_("the worker is known", lambda: one.page.wait_for_timeout(20) or found)
    registration = next(each for each in found if not each["isDeleted"] and each["scopeURL"].startswith(one.cable.address))
    devtools.send("ServiceWorker.deliverPushMessage", {
        "origin": one.cable.address, "registrationId": registration["registrationId"], "data": data})
    return devtools


def deliver(one, data):
    """A push to an open page. Waits until the worker has shown it: Chromium loses a notice when somebody asks for the notices that
    are shown, while it is being shown."""
    one.page.evaluate(HANDLED)
    devtools = push(one, data)
    one.page.evaluate("() => window.handled")
    devtools.detach()


def shown(one):
    return one.page.evaluate(SHOWN)


def test_a_closed_list_tells_by_a_notice_what_others_did_and_a_tap_opens_it(app, receiver):
    anna = with_push(app(locale="de-AT", **PHONE), receiver).newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    switch_on(home(anna.settled()))
    ben.add("Bread", "Butter").check("Milk").settled()
    home(ben)
    message = receiver.next()
    told = decrypted(anna, message)
    assert told["web_push"] == 8030 and told["notification"] == {
        "title": "Ben hat 2 hinzugefügt, 1 abgehakt", "lang": "de", "tag": ben_list(anna, "Weekly"),
        "navigate": f"{anna.cable.address}/#/list/{ben_list(anna, 'Weekly')}"}
    receiver.silent(1)
    deliver(anna, json.dumps(told))
    anna.until_("the notice", lambda: [each["title"] for each in shown(anna)] == ["Ben hat 2 hinzugefügt, 1 abgehakt"])
    assert shown(anna)[0]["lang"] == "de"
    # A newer one takes its place, and one that can't be read shows, too.
    deliver(anna, json.dumps({**told, "notification": {**told["notification"], "title": "Neuer"}}))
    anna.until_("the newer notice", lambda: [each["title"] for each in shown(anna)] == ["Neuer"])
    deliver(anna, "nonsense")
    anna.until_("both", lambda: sorted(each["title"] for each in shown(anna)) == ["Neuer", "Trolley"])
    # Headless browsers have no notices to tap: what the tap does.
    tap(anna, told["notification"]["navigate"])
    anna.until_("the list is open", lambda: anna.page.text_content(".title h1") == "Weekly")
    anna.until_("its notice is gone", lambda: [each["title"] for each in shown(anna)] == ["Trolley"])
    tap(anna, "https://example.com/")
    anna.until_("only the app is opened", lambda: anna.page.locator(".addline").count() == 0)
    assert anna.page.url.startswith(anna.cable.address)


# What the browser sends on one connection may arrive just after what it has sent later on another one.
SLOW_REPORT = """() => {
    const send = fetch;
    let goOn;
    const left = new Promise(go => { goOn = go; });
    window.fetch = async (address, options) => {
        if (!String(address).endsWith('/presence')) return send(address, options);
        if (!options.body.includes('false')) {
            window.isReporting = true;
            await left;
        }
        return send(address, options).finally(goOn);
    };
}"""


def test_others_are_told_even_if_a_report_that_the_list_is_open_arrives_after_it_was_closed(app, receiver):
    anna = with_push(app(**DESKTOP), receiver).newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    switch_on(anna.settled())
    ben.page.evaluate(SLOW_REPORT)
    # Ben's page hears that Anna has gone, and reports itself.
    home(anna)
    ben.until_("a report is under way", lambda: ben.page.evaluate("window.isReporting"))
    home(ben.add("Bread").settled())
    assert decrypted(anna, receiver.next())["notification"]["title"] == "Ben added 1"


def ben_list(one, name):
    return one.evaluate("(device, name) => [...device.states].find(([, state]) => state.name === name)[0]", name)


def tap(one, address):
    [worker] = one.context.service_workers
    worker.evaluate("address => openApp(address)", address)


def test_of_a_list_set_to_everything_a_message_comes_at_once_and_leads_to_the_conversation(app, receiver):
    anna = with_push(app(**PHONE), receiver).newcomer("Anna").new_list("Party").add("Cake")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Cake")
    choose(anna.settled(), "all")
    switch_on(home(anna))
    said = "(device, list) => device.perform(list, [{ operation: 'message', fields: { text: 'At six?' } }])"
    ben.evaluate(said, ben.list)
    # Ben's session goes on.
    told = decrypted(anna, receiver.next())["notification"]
    assert told["title"] == "Ben wrote 1 message"
    assert told["navigate"].endswith(f"#/list/{ben.list}/messages")
    tap(anna, told["navigate"])
    anna.page.wait_for_selector(".talk .said")
    assert "At six?" in anna.page.text_content(".talk")
    assert anna.page.url.endswith(f"#/list/{ben.list}")
    # While she looks at it, nothing comes.
    ben.evaluate(said, ben.list)
    anna.until_("the second message", lambda: anna.page.locator(".talk .said").count() == 2)
    receiver.silent(3)


def choose(one, level):
    one.menu("List settings", "Notices")
    at = ["all", "summaries", "nothing"].index(level)
    with one.page.expect_response(lambda response: response.url.endswith("/notifications") and response.request.method == "PUT"):
        one.page.locator("[name=level]").nth(at).check()
    return close(one)


def test_the_level_of_a_list_is_in_its_menu(app):
    anna = app(**PHONE).newcomer("Anna").new_list("Weekly").add("Milk").settled()
    for level in ("all", "nothing", "summaries"):
        choose(anna, level)
        assert anna.evaluate(
            "async (device, list) => (await (await fetch(`/v1/lists/${list}/notifications`)).json()).level", anna.list) == level


def test_signing_out_and_switching_off_leave_nothing_behind(app, receiver):
    anna = with_push(app(**DESKTOP), receiver).newcomer("Anna").new_list("Weekly").add("Milk").settled()
    switch_on(home(anna), content=False)
    assert anna.evaluate("async device => (await device.store.kept('push')).content") is False
    deliver(anna, json.dumps({"web_push": 8030, "notification": {"title": "One of your lists has changed", "tag": "x"}}))
    anna.until_("the notice", lambda: len(shown(anna)) == 1)
    account(anna).page.uncheck("[name=notices]")
    anna.until_("it is off", lambda: not anna.page.is_checked("[name=notices]") and anna.page.is_enabled("[name=notices]"))
    kept = "async device => [await device.store.kept('push'), localStorage.getItem('test-push')]"
    assert anna.evaluate(kept) == [None, None] and shown(anna) == []
    close(anna)
    switch_on(anna, content=False)
    # A reload keeps it.
    anna.reload().page.wait_for_selector(".card")
    account(anna)
    assert anna.page.is_checked("[name=notices]")
    anna.page.click(".menu-item:has-text('Sign out')")
    anna.page.click("dialog .primary:has-text('Sign out')")
    anna.page.wait_for_selector("input[name=password]")
    assert anna.evaluate(kept) == [None, None] and shown(anna) == []


def test_a_subscription_that_the_browser_has_lost_is_made_again(app, receiver):
    anna = with_push(app(**DESKTOP), receiver).newcomer("Anna")
    switch_on(anna)
    before = anna.evaluate("async device => (await device.store.kept('push')).endpoint")
    anna.page.evaluate("localStorage.removeItem('test-push')")
    with anna.page.expect_response(lambda response: response.url.endswith("/v1/push/subscription")) as renewed:
        anna.reload()
    assert renewed.value.status == 204
    anna.until_("another", lambda: anna.evaluate("async device => (await device.store.kept('push')).endpoint") != before)
    # A reload later nothing is to be done.
    calls = []
    anna.page.on("request", lambda request: calls.append(request.url))
    anna.reload().page.wait_for_selector(".new-list")
    account(anna)
    assert not any("/push/" in url for url in calls)


@pytest.mark.parametrize("case, sentence", [
    ("delete window.PushManager", "can’t show notices"),
    ("delete window.PushManager; Object.defineProperty(navigator, 'standalone', { value: false })", "home screen"),
    ("Object.defineProperty(Notification, 'permission', { value: 'denied' })", "blocks notices"),
])
def test_where_notices_cannot_be_the_account_says_why(app, case, sentence):
    anna = app(**PHONE)
    anna.page.add_init_script(case)
    account(anna.newcomer("Anna"))
    assert sentence in anna.page.text_content("details[open]")
    assert anna.page.is_disabled("[name=notices]") and anna.page.is_disabled("[name=content]")
    anna.page.wait_for_timeout(250)
    found = Axe().run(anna.page, options=RULES)
    assert found.violations_count == 0, found.generate_report()


def test_a_refusal_and_a_push_service_that_is_away_are_sentences(app, receiver):
    anna = with_push(app(**PHONE), receiver)
    anna.page.add_init_script("Notification.requestPermission = async () => window.answer ?? 'denied'")
    anna.newcomer("Anna").page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    account(anna).page.click("[name=notices]")
    anna.page.wait_for_selector("[role=alert]:has-text('blocks notices')")
    anna.page.evaluate("window.answer = 'default'")
    anna.page.click("[name=notices]")
    anna.page.wait_for_selector("[role=alert]:has-text('Without your permission')")
    anna.page.evaluate("window.answer = 'granted'; PushManager.prototype.subscribe = async () => { throw new DOMException('', 'AbortError'); }; true")
    anna.page.click("[name=notices]")
    anna.page.wait_for_selector("[role=alert]:has-text('could not reach')")
    assert not anna.page.is_checked("[name=notices]") and anna.evaluate("device => device.store.kept('push')") is None


def push_to_nobody(one, data):
    """A push while no page of the app is open. Waits until the worker has fetched what is new."""
    one.page.goto("about:blank")
    push(one, data).detach()
    [worker] = one.context.service_workers
    one.until_("it is fetched", lambda: worker.evaluate("caches.match('/ahead').then(stored => !!stored)"))


def test_a_push_fetches_the_newest_list_for_a_page_that_opens_without_a_signal(app, receiver):
    anna = with_push(app(**PHONE), receiver).newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    switch_on(home(anna.settled()))
    anna.until_("the worker controls the page", lambda: anna.page.evaluate("!!navigator.serviceWorker.controller"))
    weekly = ben_list(anna, "Weekly")
    ben.add("Bread", "Butter").check("Milk").settled()
    home(ben)
    told = decrypted(anna, receiver.next())
    push_to_nobody(anna, json.dumps(told))
    anna.cable.cut()
    anna.open(f"/#/list/{weekly}")
    anna.until_("the newest list", lambda: {item["text"]: item["markedOff"] for item in (anna.state() or {"items": []})["items"]} == {
        "Milk": True, "Bread": False, "Butter": False})
    # Nothing comes twice when there is a signal again, and what one does meanwhile goes out.
    anna.check("Bread")
    anna.cable.mend()
    anna.settled().in_step_with(ben.open(f"/#/list/{weekly}"))
    assert not anna.page.evaluate("caches.match('/ahead').then(stored => !!stored)")


def test_what_was_fetched_ahead_is_not_for_another_person_and_not_for_a_page_that_knows_more(app, receiver):
    anna = with_push(app(**PHONE), receiver).newcomer("Anna").new_list("Weekly").add("Milk")
    ben = app(**DESKTOP).join(anna.link(), "Ben").sees("Milk")
    switch_on(home(anna.settled()))
    anna.until_("the worker controls the page", lambda: anna.page.evaluate("!!navigator.serviceWorker.controller"))
    weekly = ben_list(anna, "Weekly")
    ben.add("Bread").settled()
    home(ben)
    told = json.dumps(decrypted(anna, receiver.next()))
    push_to_nobody(anna, told)
    [worker] = anna.context.service_workers
    old = worker.evaluate("caches.match('/ahead').then(stored => stored.text())")
    anna.open(f"/#/list/{weekly}")
    anna.until_("it is there", lambda: sorted(anna.texts) == ["Bread", "Milk"])
    ben.open(f"/#/list/{weekly}").add("Tea").settled()
    anna.until_("more", lambda: len(anna.texts) == 3)
    # The old answer once more, then one for somebody else.
    for text in (old, old.replace(anna.evaluate("device => device.session.account.id"), weekly)):
        anna.page.evaluate("async text => (await caches.open((await caches.keys())[0])).put('/ahead', new Response(text))", text)
        anna.reload()
        anna.until_("all of it", lambda: len(anna.texts) == 3)
        anna.until_("it is taken away", lambda: not anna.page.evaluate("caches.match('/ahead').then(stored => !!stored)"))
        anna.in_step_with(ben)
    # With own changes that wait, only the page can say what the device holds back.
    anna.cable.cut()
    anna.add("Own")
    anna.page.goto("about:blank")
    anna.cable.mend()
    assert worker.evaluate("records('pending', store => store.count())") == 1
    assert not worker.evaluate("fetchAhead().then(() => caches.match('/ahead')).then(stored => !!stored)")
    anna.open(f"/#/list/{weekly}")
    anna.settled()
    # With the session it goes.
    anna.page.evaluate("async text => (await caches.open((await caches.keys())[0])).put('/ahead', new Response(text))", old)
    anna.to_account()
    anna.page.click("dialog .menu-item:has-text('Sign out')")
    anna.page.click("dialog .actions .primary")
    anna.page.wait_for_selector("input[name=password]")
    assert not anna.page.evaluate("caches.match('/ahead').then(stored => !!stored)")
