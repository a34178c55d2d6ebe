"""A disk that is full, fails or is slow, and a clock that is wrong: of the machine on which the service has its own PostgreSQL."""

import errno
import time

from load import AT_ONCE, MINUTE, Broken, Call, Load, expect_alive, slowest
from sockets import health_of

# 'Some seconds' in docs/operations.md, for an upload while each flush takes one.
_SOME_SECONDS = 10.0


def _on_disk(plan, within: float, **fault: int) -> tuple[dict[str, object], list[Call], set[str]]:
    """The figures, the uploads that were sent while the disk was wrong, and what `/readyz` said then.
    - within: how soon afterwards uploads must be confirmed again, in seconds."""
    machine = plan.machine(has_disk=True)
    load = Load(machine.port)
    load.recovered(time.monotonic(), 30)
    machine.disk.set(**fault)
    began, health, said = time.monotonic(), 0.0, set()
    while time.monotonic() < began + plan.seconds:
        health = max(health, expect_alive(machine.port))
        said.add(health_of(machine))
        time.sleep(0.5)
    meanwhile = load.since(began)
    machine.disk.set()
    back = load.recovered(time.monotonic(), within)
    figures = {"uploads meanwhile": f"{sum(not call.failure for call in meanwhile)} confirmed, "
               f"{sum(bool(call.failure) for call in meanwhile)} to be sent again; {slowest(meanwhile):.1f} s at most",
               "/readyz": ", ".join(sorted(said)), "/healthz": f"{health:.2f} s at most", "recovered after": f"{back:.1f} s",
               **load.end()}
    return figures, meanwhile, said


def _refused(plan, **fault: int) -> dict[str, object]:
    figures, meanwhile, said = _on_disk(plan, MINUTE, **fault)
    if not any(each.startswith("503") for each in said):
        raise Broken("/readyz did not notice", figures)
    if not any(call.failure for call in meanwhile):
        raise Broken("every upload was confirmed: the disk was not wrong", figures)
    return figures


def full_disk(plan) -> dict[str, object]:
    """every write to the database's disk fails with ENOSPC: what is confirmed is there, and it recovers by itself"""
    return _refused(plan, write_error=errno.ENOSPC)


def failing_disk(plan) -> dict[str, object]:
    """every flush fails with EIO: PostgreSQL stops at once, is started again, and nothing confirmed is lost"""
    return _refused(plan, flush_error=errno.EIO)


def slow_flush(plan) -> dict[str, object]:
    """every flush takes a second: uploads take longer, and none fails"""
    figures, meanwhile, _ = _on_disk(plan, AT_ONCE, flush_milliseconds=1000)
    if failures := {call.failure for call in meanwhile if call.failure}:
        raise Broken(f"uploads failed: {failures}", figures)
    if slowest(meanwhile) > _SOME_SECONDS:
        raise Broken(f"an upload took {slowest(meanwhile):.1f} s", figures)
    if slowest(meanwhile) < 1:
        raise Broken("no upload took a second: the disk was not slow", figures)
    return figures


def clock(plan) -> dict[str, object]:
    """the wall clock jumps by a day, forward and back: uploads go on"""
    machine = plan.machine(has_disk=True)
    load = Load(machine.port)
    load.recovered(time.monotonic(), 30)
    began, slow = time.monotonic(), 0.0
    for ahead in (86_400, 0, -86_400, 0, 300, -300, 0):
        machine.disk.set_clock(ahead)
        expect_alive(machine.port)
        slow = max(slow, load.recovered(time.monotonic(), 20))
        time.sleep(plan.seconds / 7)
    failures = {call.failure for call in load.since(began) if call.failure}
    figures = {"first upload after a jump": f"{slow:.2f} s at most", "restarts": machine.restarts, **load.end()}
    if machine.restarts or failures:
        raise Broken(f"the service ended {machine.restarts} times; uploads failed: {failures or 'none'}", figures)
    return figures
