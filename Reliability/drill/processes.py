"""Programs that the drill runs, and how it ends them."""

import os
import pwd
import signal
import socket
import subprocess
import time
from pathlib import Path

# PostgreSQL refuses to run as root.
SERVER_USER = "postgres" if os.getuid() == 0 else None


class Failed(Exception):
    """Something that the drill needs did not work; says what."""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_until(what, condition, seconds, every=0.1):
    """Returns what `condition` returns as soon as that is something."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"after {seconds} s still not so: {what}")
        time.sleep(every)


def run(*arguments, environment=None, timeout=60, check=True):
    done = subprocess.run(
        [str(each) for each in arguments], capture_output=True, text=True, timeout=timeout,
        env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        raise Failed(f"{' '.join(map(str, arguments))}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def own(path):
    """Makes a directory that the server's user owns."""
    path.mkdir(parents=True, exist_ok=True)
    if SERVER_USER:
        user = pwd.getpwnam(SERVER_USER)
        os.chown(path, user.pw_uid, user.pw_gid)
    return path


class Program:
    """A program that runs until it is stopped."""

    def __init__(self, name, arguments, log, user=None, environment=None):
        self.name, self.log = name, Path(log)
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                [str(each) for each in arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **(environment or {})}, cwd="/", user=user, group=user,
                extra_groups=[] if user else None, start_new_session=True)

    @property
    def is_running(self):
        return self.process.poll() is None

    def stop(self, how=signal.SIGTERM, seconds=30):
        if self.is_running:
            self.process.send_signal(how)
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Silence:
    """A port that answers no connection and refuses none, as that of a machine that is gone: its queue is full."""

    def __init__(self, port):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(0)
        self.waiting = []
        for _ in range(8):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
            self.waiting.append(client)

    def end(self):
        for each in [self.listener, *self.waiting]:
            each.close()


def children(pid):
    """The processes that a process has started, and theirs."""
    found, waiting = [], [pid]
    while waiting:
        try:
            for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
                more = [int(each) for each in (task / "children").read_text().split()]
                found += more
                waiting += more
        except OSError:
            pass  # It has ended meanwhile.
    return found


def send(signal_number, pids):
    for pid in pids:
        try:
            os.kill(pid, signal_number)
        except ProcessLookupError:
            pass


def title(pid):
    """What a process calls itself."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
