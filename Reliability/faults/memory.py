"""The kernel kills the service, because it has no memory left for it."""

import os
import signal
import time
import uuid
from pathlib import Path

from load import Load, NotRun
from machine import STARTED_AGAIN, Machine
from system.processes import send, until

_CGROUPS = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"))


def out_of_memory(plan) -> dict[str, object]:
    """the kernel kills the service for want of memory: it is started again, and nothing confirmed is lost"""
    group = _group()
    if not group:
        raise NotRun("a memory cgroup can't be made here")
    try:
        machine = plan.machine()
        load = Load(machine.port)
        load.recovered(time.monotonic(), 30)
        began = time.monotonic()
        by = _starve(machine, *group)
        until("the service has ended", lambda: machine.restarts > 0, 30)
    finally:
        _remove(group[0])
    back = load.recovered(time.monotonic(), STARTED_AGAIN)
    return {"killed by": by, "restarts": machine.restarts,
            "confirmed again": f"{back:.1f} s after it ended, {time.monotonic() - began:.1f} s in all", **load.end()}


def _remove(group: Path) -> None:
    """Only an empty one can be removed."""
    def processes() -> list[str]:
        return (group / "cgroup.procs").read_text().split()

    for pid in processes():
        send(signal.SIGKILL, int(pid))
    until("its memory cgroup is empty", lambda: not processes(), 30)
    group.rmdir()


def _group() -> tuple[Path, str] | None:
    for root, limit in _CGROUPS:
        path = Path(root, f"trolley-{uuid.uuid4()}")
        try:
            path.mkdir()
        except OSError:
            continue
        if os.access(path / limit, os.W_OK):
            return path, limit
        path.rmdir()
    return None


def _starve(machine: Machine, group: Path, limit: str) -> str:
    """Moves the service's own process into a group with less memory than it is about to need."""
    (group / "cgroup.procs").write_text(str(machine.process.pid))
    # What it has already counts elsewhere. It works on, and the first new page is too much.
    (group / limit).write_text(str(64 << 10))
    return "the kernel, in a memory cgroup"
