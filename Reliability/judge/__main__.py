"""The independent judge; see Reliability/run and docs/reliability.md."""

import argparse
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from checker.history import History, Violation
from checker.judgement import figures, judge
from round import HEALED_WITHIN, Outcome, Plan, Round
from summary import Summary
from system.disk import compiled
from system.processes import Failed, adopt_orphans, end_descendants, exit_with
from system.redis import RedisPeer
from system.service import Service

_ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(_ROOT / "Reliability"))
from page import write  # noqa: E402

_ROUND = 90.0
_CUTS = 25
# How long one of them may take to come, with all that follows.
_CUT_WITHIN = 60.0
_FREE = 2 << 30
_SHOWN = 3


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Reliability/run judge",
        description="Lets clients work on the service while processes are killed and paused and connections held and cut, and "
        "judges from their histories whether it kept its promises. Runs in rounds of at most 90 seconds, each with a new "
        "database: rounds with one process and its own PostgreSQL, and with two processes on one, take turns.")
    parser.add_argument("--minutes", type=float, default=1.5, help="how long clients work, over all rounds (default: 1.5)")
    parser.add_argument("--seed", type=int, help="decides what clients do and what goes wrong (default: another each time)")
    parser.add_argument("--clients", type=int, default=8, help="devices; a third of them are `trolley` (default: 8)")
    parser.add_argument("--rate", type=float, default=25, help="changes a second by all of them (default: 25)")
    parser.add_argument("--processes", type=int, choices=[1, 2], help="of the service in each round (default: in turns)")
    parser.add_argument("--peer", choices=["redis", "redis-fsync", "asynchronous"],
                        help="judges something else: Redis, which may forget; Redis, which flushes each command; or the service on "
                        "a PostgreSQL that may forget (synchronous_commit=off)")
    parser.add_argument("--machines", action="store_true",
                        help="lets the machines of the service and of the real devices go wrong: when the power fails, what was not "
                        "flushed is gone; disks are full, fail, or are slow; wall clocks jump. Needs a C compiler (cc, or CC)")
    parser.add_argument("--cuts", type=int, default=0, metavar="COUNT",
                        help="as --machines, but the power alone fails, every few seconds: goes on until that of the service and that of "
                        "devices has failed so many times each, in rounds of 25")
    parser.add_argument("--before", type=Path, metavar="TROLLEYD",
                        help="an earlier version of the service: both processes start with it, the second one is upgraded, then the "
                        "first, and they go back and forth until the end")
    parser.add_argument("--check", type=Path, metavar="DIRECTORY", help="only judges the histories of an earlier run")
    parser.add_argument("--write", action="store_true",
                        help="writes the figures into docs/reliability.md, if no promise was broken")
    parser.add_argument("--keep", choices=["violations", "always", "never"], default="violations",
                        help="when to keep the histories (default: of a run with violations)")
    options = parser.parse_args()
    if options.cuts and (options.peer in ("redis", "redis-fsync") or options.clients < 3):
        parser.error("--cuts needs the service, and at least 3 clients: one of them is a device with a disk")
    if options.write and (options.peer or options.check or options.cuts):
        parser.error("--write writes the figures of the service: leave --peer and --check out. Those of --cuts are the run power's")
    return options


def system(options: argparse.Namespace, directory: Path, index: int) -> Service | RedisPeer:
    if options.peer in ("redis", "redis-fsync"):
        return RedisPeer(directory, flushes=options.peer == "redis-fsync")
    processes = 2 if options.before else options.processes or 1 + index % 2
    return Service(directory, processes, program("TROLLEYD", "trolleyd"), forgets=options.peer == "asynchronous",
                   before=options.before and options.before.absolute(),
                   library=compiled(directory) if options.machines or options.cuts else None)


def program(variable: str, name: str) -> Path:
    path = Path(os.environ.get(variable, _ROOT / ".build/debug" / name)).absolute()
    if not path.exists():
        raise Failed(f"{path} is not there: swift build, or say where it is in {variable}")
    return path


def play(options: argparse.Namespace, directory: Path, seed: int, index: int, seconds: float, cuts: int) -> Outcome:
    """One round. Afterwards only its histories and logs are in the directory."""
    directory.mkdir()
    # As root, PostgreSQL runs as another user, which needs access to its data.
    directory.chmod(0o711)
    under_judgement = system(options, directory, index)
    try:
        trolley = program("TROLLEY", "trolley") if under_judgement.has_real_devices else Path()
        return Round(Plan(seed, seconds, options.clients, options.rate, trolley, directory, cuts), under_judgement).run()
    finally:
        under_judgement.stop()
        for path in directory.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)


def show(violations: list[Violation]) -> None:
    """The first of each check."""
    for check in dict.fromkeys(violation.check for violation in violations):
        of_check = [violation for violation in violations if violation.check == check]
        print(*of_check[:_SHOWN], sep="\n")
        if len(of_check) > _SHOWN:
            print(f"    and {len(of_check) - _SHOWN} more like this")
    sys.stdout.flush()


def run(options: argparse.Namespace, directory: Path) -> Summary:
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    summary = Summary(seed, options.peer or "trolleyd")
    takes_turns = not options.peer and not options.processes and not options.before
    if options.cuts:
        count = math.ceil(options.cuts / _CUTS)
        seconds = _CUT_WITHIN * math.ceil(options.cuts / count)
    else:
        count = max(2 if takes_turns else 1, math.ceil(options.minutes * 60 / _ROUND))
        seconds = options.minutes * 60 / count
    for index in range(count):
        if shutil.disk_usage(directory).free < _FREE:
            raise Failed(f"less than {_FREE >> 30} GiB are free at {directory}")
        place = directory / f"round-{index + 1}"
        began = time.monotonic()
        outcome = play(options, place, seed + index, index, seconds, math.ceil(options.cuts / count))
        # With cuts a round ends when there were enough of them.
        worked = time.monotonic() - began if options.cuts else seconds
        history = History.read(place)
        violations = judge(history)
        summary.add(index, seed + index, worked, outcome, figures(history), violations)
        print(summary.line(), flush=True)
        if violations:
            show(violations)
        if options.keep == "always" or violations and options.keep != "never":
            summary.kept = directory
        else:
            shutil.rmtree(place)
    return summary


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.check:
        found = judge(History.read(options.check))
        show(found)
        print(f"{len(found)} violations in {options.check}")
        return 1 if found else 0
    adopt_orphans()
    directory = Path(tempfile.mkdtemp(prefix="trolley-judge-"))
    directory.chmod(0o711)
    began = time.monotonic()
    try:
        summary = run(options, directory)
    except BaseException:
        print(f"histories and logs: {directory}", file=sys.stderr)
        raise
    finally:
        end_descendants()
    summary.print(time.monotonic() - began, HEALED_WITHIN)
    if options.write and not summary.violations and not summary.unhealed:
        machines = ", with machines that go wrong" if options.machines else ""
        write("upgrade" if options.before else "judge", program("TROLLEYD", "trolleyd"),
              summary.table(time.monotonic() - began, HEALED_WITHIN),
              f"{options.clients} clients, {options.rate:g} changes a second{machines}")
    if summary.kept is None:
        shutil.rmtree(directory, ignore_errors=True)
    return 1 if summary.violations else 0


if __name__ == "__main__":
    exit_with("judge", main)
