"""People who upload entries, one after the other, each until it is confirmed, as a device does."""

import threading
import time
from dataclasses import dataclass

from clients.calls import Calls, Refused, Unknown, identifier

_PASSWORD = "correct horse battery"
_TIMEOUT = 60.0
# Bounds that docs/operations.md states, in seconds: 'at once' and 'within a minute'. An upload that is under way ends first.
AT_ONCE = 3.0
MINUTE = 60.0


class Broken(Exception):
    """What was promised is not so; says what, and what was measured."""

    def __init__(self, what: str, figures: dict[str, object] | None = None) -> None:
        super().__init__(what)
        self.figures = figures or {}


class NotRun(Exception):
    """The case can't be tried on this machine; says why."""


@dataclass
class Call:
    began: float
    ended: float
    # What went wrong; empty: the entry was confirmed.
    failure: str


class Writer:
    """One person with one list."""

    def __init__(self, port: int, pause: float) -> None:
        self._pause, self.confirmed, self.calls, self.sequence = pause, set(), [], 0
        self._http = Calls(f"http://127.0.0.1:{port}", _TIMEOUT)
        self._account = {"email": f"{identifier()}@example.com", "password": _PASSWORD}
        self._http.persist("POST", "/v1/accounts", {**self._account, "name": "Writer"})
        self._http.token = self.another_device()
        self.list = identifier()
        self._http.persist("POST", "/v1/lists", {"id": self.list})
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def another_device(self) -> str:
        """Signs in, over a connection of its own. Returns the device's token."""
        return Calls(f"http://{self._http.host}", _TIMEOUT).persist("POST", "/v1/sessions", self._account)["token"]

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._is_over.set()
        self._thread.join()

    def _write(self) -> None:
        number = 0
        while not self._is_over.wait(self._pause):
            number += 1
            entry = {"id": identifier(), "operation": "add", "item": identifier(), "fields": {"text": f"thing {number}"},
                     "cause": "edit", "deviceSequence": number, "age": 0}
            while not self._upload(entry) and not self._is_over.is_set():
                self._is_over.wait(0.2)

    def _upload(self, entry: dict) -> bool:
        began, failure = time.monotonic(), ""
        try:
            results = self._http.call("POST", f"/v1/lists/{self.list}/entries", {"entries": [entry]})["results"]
            if results[0]["status"] in ("applied", "duplicate"):
                self.confirmed.add(entry["id"])
                self.sequence = results[0]["sequence"]
            else:
                failure = results[0]["code"]
        except (Unknown, Refused) as error:
            failure = str(error)
        self.calls.append(Call(began, time.monotonic(), failure))
        return not failure

    def stored(self) -> list[str]:
        """The ids of all entries that the service has of the list."""
        found, before = [], ""
        while before is not None:
            page = self._http.persist("GET", f"/v1/lists/{self.list}/activity?limit=250" + (f"&before={before}" if before else ""))
            found += [each["entry"]["id"] for each in page["activity"] if each["type"] == "entry"]
            before = page["next"]
        return found


class Load:
    def __init__(self, port: int, writers: int = 4, pause: float = 0.05) -> None:
        self.writers = [Writer(port, pause) for _ in range(writers)]
        for each in self.writers:
            each.begin()

    def since(self, moment: float) -> list[Call]:
        return [call for each in self.writers for call in list(each.calls) if call.began >= moment]

    def recovered(self, moment: float, within: float) -> float:
        """Waits until each writer has had an entry confirmed that was sent after a moment. Returns how long that took."""
        def firsts() -> list[float | None]:
            return [next((call.ended for call in list(each.calls) if call.began >= moment and not call.failure), None)
                    for each in self.writers]
        while None in (found := firsts()):
            if time.monotonic() > moment + within:
                failures = {call.failure for call in self.since(moment) if call.failure}
                raise Broken(f"after {within:.0f} s uploads are still not confirmed: {failures or 'no answer'}")
            time.sleep(0.02)
        return max(found) - moment

    def end(self) -> dict[str, object]:
        """Compares what was confirmed with what is there."""
        for each in self.writers:
            each.end()
        lost = doubled = 0
        for each in self.writers:
            stored = each.stored()
            lost += len(each.confirmed - set(stored))
            doubled += len(stored) - len(set(stored))
        if lost or doubled:
            raise Broken(f"{lost} confirmed entries are lost, {doubled} are there twice")
        return {"confirmed": sum(len(each.confirmed) for each in self.writers), "lost": lost, "doubled": doubled}


def slowest(calls: list[Call]) -> float:
    """Of those that were confirmed, in seconds."""
    return max((call.ended - call.began for call in calls if not call.failure), default=0.0)


def asked(port: int, path: str, within: float, address: str = "127.0.0.1") -> tuple[str, float]:
    """A new connection's question. Returns what was answered ('ok', or what was wrong), and how long that took."""
    calls, began = Calls(f"http://{address}:{port}", within), time.monotonic()
    try:
        calls.call("GET", path)
        return "ok", time.monotonic() - began
    except (Unknown, Refused) as error:
        return str(error), time.monotonic() - began
    finally:
        calls.close()


def expect_alive(port: int, within: float = 5.0) -> float:
    """`/healthz` asks no database: it answers whatever is wrong with that."""
    said, seconds = asked(port, "/healthz", within)
    if said != "ok":
        raise Broken(f"/healthz: {said} after {seconds:.1f} s")
    return seconds
