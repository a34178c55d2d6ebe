"""Programs that run while something is measured: their processor time and their memory."""

import os
import signal
import subprocess
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """Something that the comparison needs did not work; says what."""


def run(*arguments, **options):
    """Runs a program to its end and returns its standard output."""
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, arguments))}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def run_load(*arguments, **options):
    """Runs a load generator to its end. Returns all that it said, and its seconds of processor time."""
    with subprocess.Popen(
            [str(each) for each in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            **options) as process:
        output = process.stdout.read()
        cpu = reap(process)
    if process.returncode != 0:
        raise Failed(f"{' '.join(map(str, arguments))}:\n{output[-2000:]}")
    return output, cpu


def reap(process):
    """Waits until a program has ended. Returns its seconds of processor time."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


class Program:
    """A program that runs until it is stopped, and the processes that it starts."""

    def __init__(self, name, arguments, log, environment=None, user=None, directory=None):
        self.name = name
        self.log = Path(log)
        self.started = time.monotonic()
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                [str(each) for each in arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **(environment or {})}, cwd=directory, user=user, group=user,
                extra_groups=[] if user else None)

    def wait_until(self, is_ready, seconds=120):
        """Returns the seconds from the start until `is_ready`."""
        while True:
            if is_ready():
                return time.monotonic() - self.started
            if self.process.poll() is not None or time.monotonic() > self.started + seconds:
                self.stop()
                raise Failed(f"{self.name} did not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(0.005)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def cpu_seconds(self):
        """Processor time of the program, of what it runs, and of what it ran and has ended."""
        return sum(_cpu(pid) for pid in self._processes())

    @property
    def memory(self):
        """Bytes; pages that processes share are shared out between them (PSS)."""
        return sum(_smaps(pid, "Pss") for pid in self._processes())

    @property
    def resident(self):
        """Bytes of the first process alone (RSS)."""
        return _smaps(self.process.pid, "Rss")

    def _processes(self):
        found, waiting = [], [self.process.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            try:
                for task in Path(f"/proc/{pid}/task").iterdir():
                    waiting += map(int, (task / "children").read_text().split())
            except OSError:
                pass  # It has ended meanwhile.
        return found


def _cpu(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(each) for each in fields[11:15]) / _TICKS


def _smaps(pid, name):
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":")), 0)
