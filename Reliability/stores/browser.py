"""A device with IndexedDB: the web app's own, in a page of chromium. The app's files come from the disk, as from a service worker."""

import mimetypes
import os
import random
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Route

from household import PASSWORD, Device, Person, Shown
from system.processes import Failed

CHROMIUM = os.environ.get("TROLLEY_TEST_CHROMIUM", "/usr/bin/chromium-headless-shell")
SITE = Path(os.environ.get("TROLLEY_WEB", Path(__file__).resolve().parents[2] / ".build/web"))
_PAGE = '<!doctype html><html lang="en"><title>Stores</title><script type="module" src="/app/stores.js"></script></html>'
_PATIENCE = 900_000


class BrowserDevice(Device):
    kind = "browser"

    def __init__(self, name: str, person: Person, browser: Browser) -> None:
        super().__init__(name, person)
        self._context = browser.new_context(locale="en-GB", service_workers="block")
        self._context.set_default_timeout(_PATIENCE)
        self._page = self._context.new_page()
        self._complaints: list[str] = []
        self._page.on("pageerror", lambda error: self._complaints.append(f"{error} {error.stack}"))
        # The directory is named after the app's content.
        self._app = next(each for each in (SITE / "app").iterdir() if each.is_dir())
        self._script = Path(__file__).with_name("page.js").read_text().replace("APP", f"/app/{self._app.name}")

    def open(self) -> None:
        self._context.route("**/app/**", self._serve)
        self._context.route("**/stores", lambda route: route.fulfill(content_type="text/html", body=_PAGE))
        self._load(lambda: self._page.goto(f"http://localhost:{self.cable.port}/stores"))

    def _serve(self, route: Route) -> None:
        path = "/" + route.request.url.split("/", 3)[3].split("?")[0]
        if path == "/app/stores.js":
            return route.fulfill(content_type="text/javascript", body=self._script)
        file = SITE / path[1:]
        if not file.is_file():
            return route.fulfill(status=404)
        route.fulfill(content_type=mimetypes.guess_type(path)[0] or "application/octet-stream", body=file.read_bytes())

    def _load(self, go: Any) -> None:
        go()
        self._page.wait_for_function("globalThis.stores?.isReady")

    def reload(self) -> None:
        self._load(self._page.reload)

    def _call(self, name: str, *values: Any) -> Any:
        try:
            answer = self._page.evaluate("([name, values]) => stores[name](...values)", [name, list(values)])
        except Error as error:
            raise Failed(f"{self.name}: {name} {values}: {error}") from error
        self.check()
        return answer

    def check(self) -> None:
        trouble = self._page.evaluate("stores.trouble")
        if trouble or self._complaints:
            raise Failed(f"{self.name}: {trouble} {self._complaints}")

    def sign_in(self) -> None:
        self._call("signIn", {"email": self.person.email, "password": PASSWORD})

    def sign_out(self) -> None:
        self._call("signOut")

    def make_list(self, name: str) -> str:
        return self._call("makeList", name)

    def act(self, list_id: str, kind: str, *values: str, is_killed: bool = False, source: random.Random | None = None) -> bool:
        if not is_killed:
            return self._call("act", list_id, kind, *values)
        wait = source.randrange(0, 12) if source else 0
        self._page.evaluate("""([wait, values]) => {
            stores.act(...values).catch(() => { /* The page goes. */ });
            return new Promise(go => setTimeout(go, wait));
        }""", [wait, [list_id, kind, *values]])
        self.reload()
        return False

    def sync(self) -> bool:
        return self._call("sync")

    def shown(self, list_id: str) -> Shown:
        return Shown(**self._call("shown", list_id))

    def messages(self, list_id: str) -> list[dict]:
        return self._call("messages", list_id)

    def activity(self, list_id: str) -> list[dict]:
        return self._call("activity", list_id)

    def unread(self, list_id: str) -> int:
        return self._call("unread", list_id)

    def dismiss(self) -> None:
        self._call("dismiss")

    def spoil(self, list_id: str) -> None:
        self._call("spoil", list_id)
        self.reload()
