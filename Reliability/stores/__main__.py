"""Reliability/run stores: see docs/reliability.md."""

import argparse
import os
import queue
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
# Processes and calls are the judge's, the machine is that of the faults.
sys.path += [str(_ROOT / "Reliability/judge"), str(_ROOT / "Reliability/faults"), str(_ROOT / "Reliability")]

from machine import Machine  # noqa: E402
from page import write  # noqa: E402
from system.postgres import Postgres  # noqa: E402
from system.processes import Failed, adopt_orphans, end_descendants, exit_with  # noqa: E402

_KINDS = ("SQLite", "hosted", "browser")
# What a quota or a rate would end goes on.
_NO_LIMITS = ("requests-per-minute-by-account", "requests-per-minute-by-device", "requests-per-minute-by-address",
              "attempts-per-hour-by-email", "lists-per-account")


def with_browser_tools() -> None:
    """Goes on in the Python that script/browser-tests has installed, which has playwright."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        tools = sorted((_ROOT / ".build-tools").glob("browser-*/bin/python"))
        # A second time: those that it has installed have no playwright either.
        if not tools or sys.executable == str(tools[-1]):
            raise Failed("script/browser-tests has not installed the browser's tools yet") from None
        os.execv(tools[-1], [str(tools[-1]), *sys.argv])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Reliability/run stores", description="Three people with six devices of all three kinds, `trolley` with SQLite, hosted "
        "devices and the web app's device in chromium, share a new list in each run: changes, offline stretches, killed commands and pages, "
        "compression, permissions, people who leave and come back. Afterwards all queues are empty, and all devices equal the service, "
        "entry by entry. First it sees that it finds an entry that was dropped, on each kind of device. Stops at the first difference.")
    parser.add_argument("--runs", type=int, default=1000, help="default: 1,000")
    parser.add_argument("--first", type=int, default=0, help="the first run's number (default: 0)")
    parser.add_argument("--steps", type=int, default=24, help="of a run (default: 24)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000), help="with a run's number, what happens in it")
    parser.add_argument("--fleets", type=int, default=os.cpu_count(), help="at once (default: the number of processors)")
    parser.add_argument("--within", type=float, default=60, metavar="SECONDS", help="all queues are empty and all devices equal so soon "
                        "after the last step (default: 60; more on a machine that has something else to do)")
    parser.add_argument("--spoil", choices=_KINDS, help="drops an entry on a device of this kind in the first run, which must then fail")
    parser.add_argument("--write", action="store_true", help="writes the figures into docs/reliability.md, if nothing differed")
    options = parser.parse_args()
    if options.runs < 1 or options.fleets < 1 or options.steps < 1:
        parser.error("--runs, --fleets and --steps are at least 1")
    return options


class Runs:
    """Runs that several fleets take one after the other."""

    def __init__(self, options: argparse.Namespace, machine: Machine, postgres: Postgres, program: Path, command: Path, directory: Path) -> None:
        self._options, self._machine, self._postgres = options, machine, postgres
        self._program, self._command, self._directory = program, command, directory
        self._lock = threading.Lock()
        self._next = options.first
        self._said: queue.Queue = queue.Queue()
        self.figures: Counter = Counter()
        self.seconds = 0.0

    def play(self) -> str:
        """Returns why it stopped; empty when all runs are done."""
        threads = [threading.Thread(target=self._work, args=(place,), daemon=True) for place in range(min(self._options.fleets, self._options.runs))]
        began, shown = time.monotonic(), time.monotonic()
        for each in threads:
            each.start()
        working = len(threads)
        while working:
            why = self._said.get()
            if why:
                return why
            working -= why is None
            self.seconds = time.monotonic() - began
            if time.monotonic() - shown > 30 or not working:
                shown = time.monotonic()
                print(f"{self.seconds:6.0f} s  {self.figures['runs']:>6,} runs", flush=True)
        return ""

    def _work(self, place: int) -> None:
        """Says None when nothing is left to do, an empty text after each run, and otherwise why it can't go on."""
        # Known only to the Python that has playwright.
        from browser import CHROMIUM
        from ending import Differs
        from fleet import Fleet
        from playwright.sync_api import sync_playwright
        from story import Story
        number = "before the first"
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                fleet = Fleet(str(place), self._program, self._command, self._machine.port, self._postgres, browser,
                              self._directory / f"fleet-{place}", self._options.seed)
                if place == 0 and not self._options.spoil:
                    self._see(fleet)
                while (number := self._take()) is not None:
                    spoil = self._options.spoil or "" if number == self._options.first else ""
                    figures: Counter = Counter()
                    Story(fleet, number, f"{self._options.seed}/{number}", self._options.within, figures).play(self._options.steps, spoil)
                    with self._lock:
                        self.figures += figures
                        self.figures["runs"] += 1
                    self._said.put("")
                self._said.put(None)
        except Differs as difference:
            self._said.put(f"run {number} differs, seed {self._options.seed} (again: --seed {self._options.seed} --first {number} --runs 1):\n"
                           f"{difference}")
        except Exception as error:  # A thread's error is the run's.
            self._said.put(f"run {number}, seed {self._options.seed}: {error}\n{traceback.format_exc()}")

    def _see(self, fleet) -> None:
        """A dropped entry is found, on each kind of device."""
        from ending import Differs
        from story import Story
        for place, kind in enumerate(_KINDS):
            story = Story(fleet, 90_000 + place, f"{self._options.seed}/{kind}", self._options.within, Counter())
            try:
                story.play(self._options.steps, kind)
            except Differs as difference:
                if not story.is_spoiled:
                    raise
                print(f"an entry that a device of the kind '{kind}' lost is found: {str(difference).splitlines()[0][:150]}", flush=True)
            else:
                raise Failed(f"an entry was dropped on a device of the kind '{kind}', and nothing differed: the run is blind")

    def _take(self) -> int | None:
        with self._lock:
            number = self._next
            self._next += 1
        return number if number < self._options.first + self._options.runs else None


def end_by_signal(*_: object) -> None:
    # A second signal would keep it from stopping what it has started.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def figures_of(runs: Runs, options: argparse.Namespace) -> str:
    figures = runs.figures
    return "\n".join([
        f"- {figures['runs']:,} runs, **none differing**, in {runs.seconds / 60:.0f} minutes: {runs.seconds / figures['runs']:.2f} s each",
        f"- gestures: {figures['SQLite gestures']:,} on SQLite, {figures['hosted gestures']:,} on hosted devices, "
        f"{figures['browser gestures']:,} in browsers; {figures['gestures offline']:,} of them offline",
        f"- {figures['cables cut']:,} cables cut, {figures['lists held']:,} lists held while hosted devices changed them, {figures['killed']:,} "
        f"commands and pages killed in the middle or requests repeated, {figures['reloads']:,} reloads, {figures['signed in again']:,} devices "
        "signed in again",
        f"- {figures['compressions']:,} compressions, {figures['permissions changed']:,} permissions changed, "
        f"{figures['people gone']:,} people gone, {figures['rejected entries']:,} entries rejected in sight",
        f"- {figures['rows']:,} rows of the Activity; {figures['rounds'] / figures['runs']:.2f} rounds until nothing waited",
        "- a dropped entry is found on each kind of device"])


def main() -> int:
    options = arguments()
    with_browser_tools()
    program = Path(os.environ.get("TROLLEYD", _ROOT / ".build/debug/trolleyd")).absolute()
    command = Path(os.environ.get("TROLLEY", _ROOT / ".build/debug/trolley")).absolute()
    for each in (program, command):
        if not each.exists():
            raise Failed(f"{each} is not there: swift build, or say where it is in TROLLEYD and TROLLEY")
    # Known only to the Python that has playwright.
    from browser import SITE
    if not (SITE / "app").is_dir():
        raise Failed(f"{SITE} has no app: script/web, or say where it is in TROLLEY_WEB")
    signal.signal(signal.SIGTERM, end_by_signal)
    adopt_orphans()
    directory = Path(tempfile.mkdtemp(prefix="trolley-stores-"))
    directory.chmod(0o711)
    postgres = machine = None
    try:
        postgres = Postgres(directory)
        machine = Machine(program, directory / "machine", [part for name in _NO_LIMITS for part in (f"--{name}", "0")], postgres.url)
        runs = Runs(options, machine, postgres, program, command, directory)
        why = runs.play()
    finally:
        for each in (machine, postgres):
            if each:
                each.stop()
        end_descendants()
    if why:
        print(f"FAILED: {why}\ndirectories: {directory}", flush=True)
        return 1
    shutil.rmtree(directory, ignore_errors=True)
    figures = figures_of(runs, options)
    print(figures)
    if options.write:
        write("stores", program, figures, f"seed {options.seed}, {options.steps} steps a run, {options.fleets} fleets at once")
    return 0


if __name__ == "__main__":
    exit_with("stores", main)
