"""Processes that the judge starts, and how it ends them: by their ids, never by a name."""

import ctypes
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, NoReturn, TypeVar

_PR_SET_CHILD_SUBREAPER = 36
_Value = TypeVar("_Value")


class Failed(Exception):
    """Something that a run needs did not work; says what."""


def exit_with(run: str, main: Callable[[], int]) -> NoReturn:
    """Ends the program with what `main` answers. Says what failed. Threads that still wait for an answer don't keep it."""
    try:
        status: int | str | None = main()
    except Failed as failure:
        print(f"Reliability/run {run}: {failure}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        status = 130
    except SystemExit as end:
        status = end.code
        if isinstance(status, str):
            print(status, file=sys.stderr)
            status = 1
    sys.stdout.flush()
    os._exit(status or 0)


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind, so that `end_descendants` finds all of it."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what: str, condition: Callable[[], _Value], seconds: float, every: float = 0.05) -> _Value:
    """Returns what `condition` returns as soon as that is true."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"after {seconds:.0f} s still not so: {what}")
        time.sleep(every)


def start(
    arguments: Sequence[str | Path], log: Path, environment: dict[str, str] | None = None,
    is_unprivileged: bool = False, pipes: bool = False,
) -> subprocess.Popen:
    """Starts a program in a session of its own. What it says on standard error is appended to `log`.
    - is_unprivileged: as root, run it as the user `postgres`, because PostgreSQL refuses to run as root.
    - pipes: its standard input and output are pipes; otherwise its output goes to `log`."""
    user = "postgres" if is_unprivileged and os.getuid() == 0 else None
    with open(log, "ab") as output:
        return subprocess.Popen(
            [str(each) for each in arguments], cwd="/", start_new_session=True,
            stdin=subprocess.PIPE if pipes else subprocess.DEVNULL, stdout=subprocess.PIPE if pipes else output,
            stderr=output, text=True, env={**os.environ, **(environment or {})},
            user=user, group=user, extra_groups=[] if user else None)


def give_to_server_user(path: Path) -> None:
    """Lets PostgreSQL's user own a directory, where that is another user than this one."""
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)


def send(signal_number: int, pid: int) -> bool:
    """Returns whether the process was there."""
    try:
        os.kill(pid, signal_number)
        return True
    except ProcessLookupError:
        return False


def end(process: subprocess.Popen, seconds: float = 30) -> None:
    """Asks a program to stop, and kills it if it doesn't."""
    if process.poll() is None:
        send(signal.SIGCONT, process.pid)
        process.terminate()
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _close(process.stdin)
    _close(process.stdout)


def _close(stream: IO | None) -> None:
    try:
        if stream:
            stream.close()
    except OSError:
        pass


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    found, waiting = [], [pid]
    while waiting:
        try:
            for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
                children = [int(each) for each in (task / "children").read_text().split()]
                found += children
                waiting += children
        except OSError:
            pass  # It has ended.
    return found


def title(pid: int) -> str:
    """What a process calls itself; empty for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def end_at_once(roots: Sequence[int]) -> None:
    """Kills processes and what they have started, so that none of them notices that others are gone."""
    everything = [pid for root in roots for pid in (root, *descendants(root))]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in everything:
            send(number, pid)
    until("the killed processes are gone", lambda: all(map(_has_ended, everything)), 30, every=0.01)


def _has_ended(pid: int) -> bool:
    """Whether a process is gone, or only waits for its parent to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def reap(known: set[int]) -> None:
    """Removes adopted processes that have ended. `known`: processes that somebody else waits for."""
    for pid in descendants(os.getpid()):
        if pid in known or title(pid):
            continue
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass  # It is somebody else's child.


def end_descendants() -> None:
    """Kills whatever this process has started and is still there."""
    for pid in descendants(os.getpid()):
        send(signal.SIGKILL, pid)
