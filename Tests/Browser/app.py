"""A page of the app, as a person uses it. Whatever it complains of fails the test."""

import collections
import subprocess
import time

from playwright.sync_api import Error

from service import Cable, until

PASSWORD = "correct horse"
# On the first page: not the form that begins a list without an account.
SUBMIT = "form:not(:has([name=need])) button[type=submit]"
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True}
DESKTOP = {"viewport": {"width": 1280, "height": 860}}

# A page that has no service worker asks for each file.
NO_WORKER = "delete Navigator.prototype.serviceWorker;"

# What a browser says by itself when a connection is cut.
NETWORK = ("net::ERR_", "Failed to load resource", "WebSocket connection to")

# The field is empty at once; the item is on the list later, or a sheet asks first.
TAKEN = """() => !document.querySelector('.addline input').value
    && (!sessionStorage.getItem('typed')?.includes(' sending') || document.querySelector('dialog[open]') !== null)"""

# What reaches beyond the screen, or beyond an element that clips or scrolls it sideways. Only suggestions scroll sideways, and only
# lines with an ellipsis are cut.
CUT_OFF = """() => [...document.querySelectorAll('body *')].flatMap(element => {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    if (!(element instanceof HTMLElement) || element.matches('input, textarea, .hidden, .hidden *') || !element.checkVisibility({ visibilityProperty: true })) return [];
    const isWide = element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible'
        && style.textOverflow !== 'ellipsis' && !element.matches('.chips');
    const isBeyond = box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) && !element.closest('.chips');
    if (!isWide && !isBeyond) return [];
    return [`${element.tagName} ${element.className}: ${Math.round(box.left)} to ${Math.round(box.right)}, ${element.scrollWidth} in ${element.clientWidth}`];
})"""


# Two taps before the page has done anything.
TWICE = "button => { button.click(); button.click(); }"


class App:
    def __init__(self, browser, service, complaints, context=None, cable=None, **options):
        self.browser, self.service, self.complaints, self.options = browser, service, complaints, options
        self.cable = cable or Cable(service)
        # Files of the app that a test takes away.
        self.missing = set()
        self.context = context or browser.new_context(**{"locale": "en-GB", **options})
        self.context.set_default_timeout(60_000)
        # What was said last between the page and the service, for the report of a test that fails.
        self.said = collections.deque(maxlen=40)
        self.tabs = []
        self.page = self._watched(self.context.new_page())

    def _watched(self, page):
        def complain(kind, text):
            self.complaints.append(f"{kind}: {text}")

        def console(message):
            if message.type in ("error", "warning") and not any(text in message.text for text in NETWORK):
                complain(message.type, f"{message.text} {message.location.get('url', '')}")

        def answered(response):
            # Files of the app that are not there are noticed by no script.
            if response.status >= 400 and "/app/" in response.url and not any(name in response.url for name in self.missing):
                complain("missing", f"{response.status} {response.url}")

        def note(*words):
            self.said.append(" ".join([f"{time.monotonic():.3f}", *map(str, words)])[:200])

        def opened(socket):
            note("opens", socket.url)
            socket.on("framesent", lambda frame: note("says", frame))
            socket.on("framereceived", lambda frame: note("hears", frame))
            socket.on("close", lambda _: note("closed", socket.url))

        page.on("request", lambda request: "/v1/" in request.url and note(request.method, request.url))
        page.on("response", lambda response: "/v1/" in response.url and note(response.status, response.request.method, response.url))
        page.on("requestfailed", lambda request: "/v1/" in request.url and note(request.failure, request.method, request.url))
        page.on("websocket", opened)
        page.on("console", console)
        if not self.context.service_workers:
            self.context.on("serviceworker", lambda worker: worker.on("console", console))
        page.on("response", answered)
        page.on("pageerror", lambda error: complain("not handled", f"{error} {error.stack}"))
        page.add_init_script("""
            addEventListener('securitypolicyviolation', event => {
                console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
            });
        """)
        return page

    def account(self):
        """What the page shows, and what was said last between it and the service."""
        try:
            shown = self.page.locator("body").inner_text(timeout=1000)
        except Error as error:
            shown = str(error)
        return "\n".join([self.page.url, shown, f"at {time.monotonic():.3f}:", *self.said])

    def tab(self):
        """Another tab of the same browser."""
        self.tabs.append(App(self.browser, self.service, self.complaints, context=self.context, cable=self.cable))
        return self.tabs[-1]

    def patient(self):
        """Offers, such as to undo, stay for a minute instead of seven seconds, so that a test doesn't come too late on a busy
        machine. For a page that isn't open yet."""
        self.page.add_init_script("""{
            const wait = setTimeout;
            globalThis.setTimeout = (work, time, ...values) => wait(work, time === 7000 ? 60_000 : time, ...values);
        }""")
        return self

    # Going

    def open(self, path="/"):
        self.page.goto(self.cable.address + path)
        return self

    def reload(self):
        self.page.reload()
        return self

    def sign_up(self, name):
        self.email = f"{''.join(filter(str.isalnum, name)).lower()}-{time.time_ns()}@example.com"
        self.page.wait_for_selector("input[name=password]")
        # Where somebody has just signed out, the page expects them again.
        if not self.page.is_visible("input[name=name]"):
            self.page.click(".switch .link >> nth=0")
        self.fill("name", name)
        self.fill("email", self.email)
        self.fill("password", PASSWORD)
        self.page.click(SUBMIT)
        return self

    def newcomer(self, name):
        self.open().sign_up(name)
        self.page.wait_for_selector(".new-list")
        return self

    def new_list(self, name):
        self.page.click(".new-list")
        self.page.fill("dialog input[name=name]", name)
        self.page.click("dialog button[type=submit]")
        self.page.wait_for_selector(".addline input")
        self.until_(f"the list {name} is open", lambda: self.page.text_content(".title h1") == name)
        return self

    def open_list(self, name):
        self.page.click(f".card:has-text('{name}')")
        self.until_(f"the list {name} is open", lambda: self.page.text_content(".title h1") == name)
        return self

    def link(self):
        """Makes a link to the open list, and answers it as it reads through no cable."""
        self.page.click(".faces")
        self.page.click(".invite .primary")
        self.page.wait_for_selector(".code svg")
        link = self.page.input_value(".linkline input")
        self.page.click("dialog .sheet-head .icon-button")
        return link.replace(self.cable.address, "")

    def join(self, link, name):
        self.open(link).sign_up(name)
        self.page.click(".invitation .primary")
        self.page.wait_for_selector(".addline input")
        return self

    # Doing

    def fill(self, name, text):
        self.page.fill(f"input[name={name}]", text)

    def add(self, *texts):
        for text in texts:
            self.page.fill(".addline input", text)
            self.page.press(".addline input", "Enter")
            self.until_("the line is taken", lambda: self.page.evaluate(TAKEN))
        return self

    def paste(self, text):
        self.page.evaluate("""text => {
            const data = new DataTransfer();
            data.setData('text/plain', text);
            document.querySelector('.addline input')
                .dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        }""", text)
        return self

    def row(self, text):
        return self.page.locator(".row", has=self.page.locator(".text").get_by_text(text, exact=True))

    def check(self, text):
        self.row(text).locator(".check").click()
        # The page stores a mark after the frame that shows it.
        self.page.evaluate("""() => new Promise(done => {
            requestAnimationFrame(() => setTimeout(done));
            setTimeout(done, 300);
        })""")
        return self

    def edit(self, text, **fields):
        self.row(text).locator(".body").click()
        self.page.wait_for_selector("dialog input[name=text]")
        for name, value in fields.items():
            self.page.fill(f"dialog [name={name}]", value)
        self.page.click("dialog button[type=submit]")
        self.page.wait_for_selector("dialog", state="detached")
        return self

    def menu(self, *entries):
        """Chooses an entry of the list's menu, or of what that opens."""
        self.page.click(".main [aria-label=More]")
        for entry in entries:
            self.page.click(f"dialog .menu-item:has-text('{entry}')")
        return self

    def to_account(self):
        """Opens the account's sheet, on a phone from the lists."""
        if self.page.is_visible(".back"):
            self.page.click(".back")
        self.page.click(".account")
        return self

    def shop(self, on=True):
        self.page.click(f"[data-mode={'shop' if on else 'plan'}]")
        self.until_("the mode", lambda: self.page.get_attribute(f"[data-mode={'shop' if on else 'plan'}]", "aria-pressed") == "true")
        return self

    # Seeing

    def until_(self, what, condition, seconds=60):
        try:
            return until(condition, what, seconds)
        except AssertionError:
            self.page.screenshot(path="/tmp/trolley-browser-failure.png")
            raise

    def evaluate(self, script, value=None):
        """Calls `device => …` of the running page."""
        return self.page.evaluate("""async ([script, value]) => {
            const { running } = await import(document.querySelector('script[type=module]').src);
            return DEVICE(running.device, value);
        }""".replace("DEVICE", f"({script})"), [script, value])

    @property
    def list(self):
        return self.page.url.split("#/list/")[1]

    @property
    def texts(self):
        """The texts of the rows, top down."""
        return self.page.locator(".row .text").all_text_contents()

    def sees(self, *texts):
        self.until_(lambda: f"the rows {texts}, not {self.texts}; the list has {self.state()}", lambda: self.texts == list(texts))
        return self

    @property
    def cut_off(self):
        """The elements that are not whole on the screen."""
        return self.page.evaluate(CUT_OFF)

    def shows_all(self):
        """Every element is whole on the screen. What is there for a moment, such as 'Checking …', may be shortened."""
        self.until_(lambda: f"nothing is cut off: {self.cut_off}", lambda: self.cut_off == [])
        return self

    def scan(self):
        """What another program reads in the QR code on the screen."""
        picture = self.page.locator(".code").screenshot()
        found = subprocess.run(["zbarimg", "--quiet", "--nodbus", "--raw", "png:-"], input=picture, capture_output=True, check=False)
        return found.stdout.decode().strip()

    def state(self):
        """What the page folds. After a reload it shows its stored rows first."""
        return comparable(self.until_(
            "the list is folded", lambda: self.evaluate("(device, list) => device.states.get(list) ?? null", self.list)))

    def installed(self):
        """The service worker has all files of the app."""
        self.until_("the service worker is there", lambda: self.page.evaluate(
            "async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'"))
        return self

    def route(self, pattern, answer):
        """From now on `answer` has the page's requests. If its first service worker took the page over in that moment, Chromium would
        make the page a new way to the network, on which Playwright sees nothing: neither requests nor answers."""
        self.until_("the service worker is in control", lambda: self.page.evaluate(
            "() => !navigator.serviceWorker || navigator.serviceWorker.controller !== null"))
        self.page.route(pattern, answer)

    def counted(self, method):
        """Counts the calls of a method of the device from now on. Answers what tells their number."""
        self.evaluate("""(device, method) => {
            const call = device[method].bind(device);
            globalThis.calls = 0;
            device[method] = (...values) => {
                globalThis.calls += 1;
                return call(...values);
            };
        }""", method)
        return lambda: self.page.evaluate("globalThis.calls")

    def compress(self):
        """What compression does to a device, when all items are finished: their entries go."""
        self.evaluate("""async (device, list) => {
            const { entries } = await device.store.past(list);
            const row = device.rows.get(list);
            const gone = entries.filter(entry => entry.item).map(entry => entry.id);
            await device.store.receive({
                lists: [{ id: list, changes: [{ sequence: row.through, type: 'discard', entries: gone, anchors: [] }], token: row.token, moreComing: false }],
                expired: [], gone: [],
            }, { tokens: { [list]: row.token } }, { now: new Date(), trolley: device.trolley, loadLater: () => device.later(), shown: new Set() });
            device.unfolded.set(list, null);
            await device.refresh(list);
        }""", self.list)

    def operations(self):
        """The stored changes of the open list, the oldest first."""
        return self.evaluate("""async (device, list) => {
            const { stored: { entries, pending } } = await device.store.journal(list);
            return [...entries, ...pending.map(({ entry }) => entry)].map(entry => entry.operation);
        }""", self.list)

    def waiting(self):
        return self.evaluate("async device => (await device.store.status()).lists.reduce((sum, list) => sum + (list.isLocal ? 0 : list.waiting), 0)")

    def settled(self):
        """Everything is sent."""
        self.until_("nothing waits", lambda: self.waiting() == 0)
        return self

    @property
    def through(self):
        """The last change of the open list that the page has, or None while one of its own has not come back."""
        return self.evaluate("""async (device, list) => {
            const { row, stored } = await device.store.journal(list);
            return stored.pending.length ? null : row.through;
        }""", self.list)

    def in_step_with(self, other):
        """Both show the same changes, all of them confirmed."""
        self.until_("the same changes", lambda: other.through is not None and other.through == self.through and self.state() == other.state())
        return self

    def close(self):
        self.context.close()


def comparable(state):
    return {
        "name": state["name"], "colour": state.get("colour"),
        "items": [{key: item[key] for key in ("id", "text", "markedOff", "fields")} for item in state["items"]],
    }
