"""The power of a phone fails while the web app writes: what the page has said is saved must be there afterwards.

Run by the python that script/browser-tests has installed: `browser.py CUTS SEED DIRECTORY [relaxed]`. Prints one JSON document.
With `relaxed` the page's transactions don't wait for the disk: then something must be lost. After a loss the directory holds:
- before: the profile as the last power cut left it, before a browser was started on it; with chromium's log of each LevelDB, LOG
- profile: the same after the page was looked at
- forgotten.txt: what each power cut took
- page.txt: what the page showed and said, its databases and its lists
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT / "Tests/Browser"), str(_ROOT / "Reliability/judge")]

from app import PHONE, TAKEN, App  # noqa: E402
from playwright.sync_api import Error, sync_playwright  # noqa: E402
from service import Cable, Service  # noqa: E402
from system.disk import Disk, compiled  # noqa: E402
from system.processes import adopt_orphans, descendants, end_at_once, end_descendants, title  # noqa: E402

_CHROMIUM = os.environ.get("TROLLEY_TEST_CHROMIUM", "/usr/bin/chromium-headless-shell")
# As of a phone that is cut while somebody types.
_LONGEST = 4.0
_SHOWN_WITHIN = 120.0
_PATIENCE = 120_000
# As in the browser's tests: the module is not compiled a second time.
_ARGUMENTS = ["--no-sandbox", "--js-flags=--liftoff-only"]
_ITEMS = "(device, list) => device.states.get(list)?.items.map(item => item.text) ?? []"
# Each database with its lists.
_DATABASES = """async () => {
    const ended = request => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const found = [];
    for (const { name, version } of await indexedDB.databases()) {
        const database = await ended(indexedDB.open(name));
        const stores = [...database.objectStoreNames];
        const lists = stores.includes('lists') ? await ended(database.transaction('lists').objectStore('lists').getAllKeys()) : null;
        found.push({ name, version, stores, lists });
        database.close();
    }
    return JSON.stringify(found);
}"""
_RELAXED = """
    const transaction = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (stores, mode) {
        return transaction.call(this, stores, mode, { durability: 'relaxed' });
    };
"""


class Phone:
    """A browser whose profile is on a disk that forgets. The list is on this device alone: nothing of it is anywhere else."""

    def __init__(self, playwright, service: Service, directory: Path, source: random.Random, is_relaxed: bool) -> None:
        self._playwright, self._service, self._random = playwright, service, source
        # One address for ever: the list belongs to it.
        self._cable = Cable(service)
        self._directory, self._profile = directory, directory / "profile"
        self._profile.mkdir()
        self._disk = Disk(self._profile, compiled(directory), directory / "profile.writes")
        self.saved: list[str] = []
        self.complaints: list[str] = []
        self._is_relaxed = is_relaxed
        self.pages = self.cleared = self._count = 0
        self._list = ""

    def switch_on(self) -> App:
        context = self._playwright.chromium.launch_persistent_context(
            str(self._profile), executable_path=_CHROMIUM, args=_ARGUMENTS, locale="en-GB", **PHONE,
            env={**os.environ, **self._disk.environment})
        if self._is_relaxed:
            context.add_init_script(_RELAXED)
        self._app = App(None, self._service, self.complaints, context=context, cable=self._cable)
        # On a busy machine even the first page takes longer than the browser's tests allow.
        context.set_default_timeout(_PATIENCE)
        return self._app.open(f"/#/list/{self._list}" if self._list else "/")

    def begin(self) -> None:
        app = self.switch_on()
        app.fill("need", "Milk")
        app.page.click(".panel button:has-text('Start a list')")
        app.page.wait_for_selector(".addline input")
        app.evaluate("device => device.store.queues()")
        self.saved.append("Milk")
        self._list = app.list
        app.context.close()
        # The browser's own files are new. On a phone in use the system has written them long ago.
        self._disk.flush_all()
        self.switch_on()

    def write_until_the_power_fails(self) -> None:
        """Adds items. The text that was being added when the power failed may be there or not."""
        end = time.monotonic() + self._random.uniform(0, _LONGEST)
        while time.monotonic() < end:
            self._count += 1
            text = f"Thing {self._count}"
            self._enter(text)
            self._app.page.wait_for_function(TAKEN)
            # Comes back when what was written before is on the disk.
            self._app.evaluate("device => device.store.queues()")
            self.saved.append(text)
        # One more, not waited for.
        self._count += 1
        self._enter(f"Thing {self._count}")
        end_at_once([pid for pid in descendants(os.getpid()) if str(self._profile) in title(pid)])
        self.pages += self._disk.forget(self._random, is_ordered=True)
        self._keep()
        try:
            self._app.context.close()
        except Error:
            pass  # There is no browser any more.

    def _enter(self, text: str) -> None:
        self._app.page.fill(".addline input", text)
        self._app.page.press(".addline input", "Enter")

    def lost(self) -> list[str]:
        """What was saved, and isn't on the page's list after the power is back. It waits for the list, not for it to be drawn."""
        self.switch_on()
        lost, end = self.saved, time.monotonic() + _SHOWN_WITHIN
        while lost and time.monotonic() < end:
            items = set(self._app.evaluate(_ITEMS, self._list) if self._app.page.is_visible(".addline input") else [])
            lost = [text for text in self.saved if text not in items]
            if "can’t open" in self._app.page.inner_text("body"):
                self._clear_caches()
            time.sleep(0.05)
        return lost

    def _clear_caches(self) -> None:
        """Chromium has lost a part of the app from its caches, which the page can't do without. The database is another matter."""
        self.cleared += 1
        self._app.open("/manifest.webmanifest").page.evaluate("""async () => {
            for (const name of await caches.keys()) await caches.delete(name);
            for (const each of await navigator.serviceWorker.getRegistrations()) await each.unregister();
        }""")
        self._app.open(f"/#/list/{self._list}")

    def _keep(self) -> None:
        """The profile as the disk has left it, and what it has forgotten, in case that something is lost."""
        before = self._directory / "before"
        shutil.rmtree(before, ignore_errors=True)
        # Not its locks and sockets, which are links to what is gone.
        shutil.copytree(self._profile, before, ignore=shutil.ignore_patterns("Singleton*"))
        with open(self._directory / "forgotten.txt", "a") as file:
            print(f"after {self._count} items:", *self._disk.forgotten, sep="\n  ", file=file)

    def report(self) -> None:
        """What the page shows after a loss. Ends the browser, which writes the rest of its files."""
        try:
            databases = self._app.page.evaluate(_DATABASES)
        except Error as error:
            databases = str(error)
        (self._directory / "page.txt").write_text("\n".join([self._app.account(), *self.complaints, databases]))
        try:
            self._app.context.close()
        except Error:
            pass  # It ends with this program.


def main() -> int:
    cuts, seed, directory = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    adopt_orphans()
    service = Service()
    try:
        with sync_playwright() as playwright:
            is_relaxed = sys.argv[4:] == ["relaxed"]
            phone = Phone(playwright, service, directory, random.Random(seed), is_relaxed)
            phone.begin()
            lost: list[str] = []
            made = 0
            while made < cuts and not lost:
                made += 1
                phone.write_until_the_power_fails()
                lost = phone.lost()
            if lost:
                phone.report()
            print(json.dumps({"cuts": made, "saved": len(phone.saved), "lost": lost, "pages lost": phone.pages, "caches cleared": phone.cleared,
                              "complaints": phone.complaints}))
            return 1 if lost else 0
    finally:
        service.end()
        end_descendants()


if __name__ == "__main__":
    sys.exit(main())
