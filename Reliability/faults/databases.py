"""A database that answers late, and one whose notifications never come."""

import json
import socket
import threading
import time

from load import AT_ONCE, Broken, Load, asked, expect_alive, slowest
from proxies import DatabaseProxy
from system.postgres import Postgres

_LATE = 5.0
# As docs/operations.md says.
_READINESS, _RECOVERY, _HINT = 2.0, 10.0, 10.0
# How often a process whose LISTEN doesn't work compares its streams with the database.
_POLL = 5.0


def _behind_proxy(plan) -> tuple[Postgres, DatabaseProxy, str]:
    postgres = plan.with_end(Postgres(plan.directory))
    proxy = DatabaseProxy(f"{postgres.sockets}/.s.PGSQL.5432")
    return postgres, proxy, f"postgresql://trolley@127.0.0.1:{proxy.port}/trolley?sslmode=disable&gssencmode=disable"


def slow_database(plan) -> dict[str, object]:
    """every answer of the database takes 5 s: health says so, uploads take effect once, and it is as before afterwards"""
    _, proxy, url = _behind_proxy(plan)
    machine = plan.machine(database=url)
    load = Load(machine.port)
    load.recovered(time.monotonic(), 30)
    proxy.delay, began = _LATE, time.monotonic()
    health, readiness = 0.0, ""
    while time.monotonic() < began + max(plan.seconds, 5 * _LATE):
        health = max(health, expect_alive(machine.port))
        said, seconds = asked(machine.port, "/readyz", 10)
        if said != "ok":
            readiness = said
        if seconds > _READINESS:
            raise Broken(f"/readyz took {seconds:.1f} s")
        time.sleep(0.5)
    late = load.since(began)
    proxy.delay = 0.0
    back = load.recovered(time.monotonic(), _RECOVERY)
    figures = {"uploads meanwhile": f"{sum(not call.failure for call in late)} confirmed, "
               f"{sum(bool(call.failure) for call in late)} to be sent again; {slowest(late):.1f} s at most",
               "/readyz": readiness, "/healthz": f"{health:.2f} s at most", "recovered after": f"{back:.1f} s", **load.end()}
    if not readiness.startswith("503"):
        raise Broken(f"/readyz did not notice: {readiness or 'always ready'}", figures)
    return figures


class _Stream:
    """An event stream, and when its hints came."""

    def __init__(self, port: int, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._socket.sendall(f"GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n".encode())
        self.hints: list[tuple[float, int]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._socket.makefile("rb"):
                if line.startswith(b"data:"):
                    sequence = json.loads(line[5:] or "{}").get("sequence")
                    if sequence is not None:
                        self.hints.append((time.monotonic(), sequence))
        except (OSError, ValueError):
            pass

    def later(self, sequence: int, within: float) -> float:
        """How long it takes until a hint with at least this sequence comes."""
        began = time.monotonic()
        while not any(each >= sequence for _, each in self.hints):
            if time.monotonic() > began + within:
                raise Broken(f"no hint within {within:.0f} s")
            time.sleep(0.01)
        return time.monotonic() - began

    def close(self) -> None:
        self._socket.close()


def silent_notify(plan) -> dict[str, object]:
    """NOTIFY never arrives, though LISTEN works: the process notices, and devices there hear of changes every 5 s"""
    postgres, proxy, url = _behind_proxy(plan)
    first, second = plan.machine(database=postgres.url), plan.machine(database=url)
    load = Load(first.port, writers=1, pause=0.5)
    load.recovered(time.monotonic(), 30)
    writer = load.writers[0]
    stream = _Stream(second.port, writer.another_device())

    def hint(within: float) -> float:
        return stream.later(writer.sequence + 1, within)

    hint(30)  # The stream is open.
    before = max(hint(AT_ONCE) for _ in range(5))
    proxy.is_silent = True
    silent = max(hint(3 * _POLL) for _ in range(4))
    proxy.is_silent = False
    hint(_HINT)  # The process may have to connect again first.
    after = max(hint(AT_ONCE) for _ in range(5))
    stream.close()
    figures = {"swallowed": proxy.swallowed, "hints before": f"{before:.2f} s", "meanwhile": f"{silent:.1f} s",
               "after": f"{after:.2f} s", **load.end()}
    if silent > _HINT:
        raise Broken(f"a hint took {silent:.1f} s", figures)
    if not proxy.swallowed:
        raise Broken("no notification was there to be swallowed", figures)
    return figures
