"""Reliability/run faults: see docs/reliability.md."""

import argparse
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
# Processes, disks and calls are the judge's.
sys.path += [str(_ROOT / "Reliability/judge"), str(_ROOT / "Reliability")]

from clients.calls import Refused, Unknown  # noqa: E402
from databases import silent_notify, slow_database  # noqa: E402
from disks import clock, failing_disk, full_disk, slow_flush  # noqa: E402
from load import Broken, NotRun  # noqa: E402
from machine import Machine  # noqa: E402
from memory import out_of_memory  # noqa: E402
from page import write  # noqa: E402
from sockets import no_open_files, open_files, slow_sockets  # noqa: E402
from system.disk import compiled  # noqa: E402
from system.processes import Failed, adopt_orphans, end_descendants, exit_with  # noqa: E402

_CASES: dict[str, Callable[["Plan"], dict[str, object]]] = {
    "slow-sockets": slow_sockets, "open-files": open_files, "no-open-files": no_open_files, "slow-database": slow_database,
    "silent-notify": silent_notify, "full-disk": full_disk, "failing-disk": failing_disk, "slow-flush": slow_flush,
    "clock": clock, "out-of-memory": out_of_memory,
}
_OPEN_FILES = 8192


class Plan:
    """What a case is given, and what it has started.
    - seconds: how long its fault lasts."""

    def __init__(self, program: Path, directory: Path, seconds: float) -> None:
        self.program, self.directory, self.seconds = program, directory, seconds
        self._ends: list = []

    def machine(self, *arguments: str, database: str | None = None, has_disk: bool = False, files: int | None = None) -> Machine:
        place = self.directory / f"machine-{len(self._ends) + 1}"
        return self.with_end(Machine(self.program, place, arguments, database, compiled(self.directory) if has_disk else None, files))

    def with_end(self, each):
        """Something that is stopped when the case is over."""
        self._ends.append(each)
        return each

    def end(self) -> None:
        for each in reversed(self._ends):
            each.stop()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Reliability/run faults", description="Lets one thing at a time go wrong with the machine of a service while people "
        "upload entries. A case fails when a confirmed entry is lost or doubled, when the service doesn't recover by itself, or when a "
        "bound that docs/operations.md states is exceeded. A case that can't be tried on this machine is 'not run'.")
    parser.add_argument("--only", metavar="CASES", help="cases, with commas between them")
    parser.add_argument("--seconds", type=float, default=10, help="how long each fault lasts (default: 10)")
    parser.add_argument("--write", action="store_true", help="writes the figures into docs/reliability.md, if no case failed")
    parser.add_argument("--list", action="store_true", help="shows the cases")
    options = parser.parse_args()
    options.cases = options.only.split(",") if options.only else list(_CASES)
    if unknown := [each for each in options.cases if each not in _CASES]:
        parser.error(f"there is no case '{unknown[0]}'; there are {', '.join(_CASES)}")
    if options.write and options.only:
        parser.error("--write writes the figures of all cases: leave --only out")
    return options


def run(name: str, program: Path, directory: Path, seconds: float) -> dict[str, object] | None:
    """Prints the case's figures. Returns them, or nothing if something was broken."""
    place = directory / name
    place.mkdir()
    place.chmod(0o711)
    plan, began = Plan(program, place, seconds), time.monotonic()
    try:
        figures, broken = _CASES[name](plan), None
    except NotRun as reason:
        print(f"not run: {name}: {reason}", flush=True)
        return {"not run": reason}
    except (Broken, Failed, Refused, Unknown, OSError) as error:
        figures, broken = getattr(error, "figures", {}), error
    finally:
        plan.end()
        end_descendants()
    print(f"{'FAILED' if broken else 'ok':7}{name}  {time.monotonic() - began:.0f} s", flush=True)
    for what, value in figures.items():
        print(f"         {what}: {value}", flush=True)
    if broken:
        print(f"         {broken}\n         logs: {place}", flush=True)
    else:
        shutil.rmtree(place, ignore_errors=True)
    return None if broken else figures


def table(figures: dict[str, dict[str, object]]) -> str:
    rows = [f"| `{name}` | {_CASES[name].__doc__} | {'; '.join(f'{what}: {value}' for what, value in of_case.items())} |"
            for name, of_case in figures.items()]
    return "\n".join(["| case | what goes wrong, and what must hold | figures |", "|---|---|---|", *rows])


def main() -> int:
    options = arguments()
    if options.list:
        for name, case in _CASES.items():
            print(f"{name:15}{case.__doc__}")
        return 0
    program = Path(os.environ.get("TROLLEYD", _ROOT / ".build/debug/trolleyd")).absolute()
    if not program.exists():
        raise Failed(f"{program} is not there: swift build, or say where it is in TROLLEYD")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(_OPEN_FILES, hard)), hard))
    adopt_orphans()
    directory = Path(tempfile.mkdtemp(prefix="trolley-faults-"))
    directory.chmod(0o711)
    try:
        found = {name: run(name, program, directory, options.seconds) for name in options.cases}
    finally:
        end_descendants()
    if failed := [name for name, figures in found.items() if figures is None]:
        print(f"{len(failed)} of {len(options.cases)} cases failed: {', '.join(failed)}")
        return 1
    shutil.rmtree(directory, ignore_errors=True)
    if options.write:
        write("faults", program, table(found))
    left = [name for name, figures in found.items() if "not run" in figures]
    print(f"{len(found) - len(left)} of {len(found)} cases as promised" + (f"; not run: {', '.join(left)}" if left else ""))
    return 0


if __name__ == "__main__":
    exit_with("faults", main)
