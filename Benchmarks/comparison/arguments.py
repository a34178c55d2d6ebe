"""The options of Benchmarks/run, which looks at them before it installs and builds anything."""

import argparse
import sys
from pathlib import Path

from sizes import FULL
from workloads import workloads

_RESULT = Path(__file__).parent.parent.parent / ".build-tools/benchmarks/comparison.json"
_GROUPS = list(dict.fromkeys(each.group for each in workloads(FULL)))


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(64, f"Benchmarks/run: {message}\n{self.format_usage()}See Benchmarks/run --help.\n")


def arguments():
    parser = _Parser(
        prog="Benchmarks/run",
        description="Compares Trolley's speed with pgbench, PocketBase and Kinto, side by side on this machine.",
        epilog="Example: Benchmarks/run --quick --only W1,W3", allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="small and once, in less than five minutes")
    parser.add_argument(
        "--only", type=_groups, default=_GROUPS, metavar="W1,W3",
        help=f"these workloads, of {', '.join(_GROUPS)} (W0 is starting)")
    parser.add_argument("--rounds", type=_count, help="how often each is measured (default: 5; with --quick, 1)")
    parser.add_argument("--seconds", type=_count, help="how long each time (default: 10; with --quick, 3)")
    parser.add_argument(
        "--json", type=_file, default=_RESULT, metavar="FILE",
        help="where to write every figure; the table goes beside it (default: .build-tools/benchmarks/comparison.json)")
    return parser.parse_args()


def _groups(text):
    groups = [each.strip().upper() for each in text.split(",")]
    for each in groups:
        if each not in _GROUPS:
            raise argparse.ArgumentTypeError(f"there is no workload '{each}'; there are {', '.join(_GROUPS)}")
    return groups


def _count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1")
    return int(text)


def _file(text):
    path = Path(text).absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' can't be written: it is a directory, or in none that exists")
    return path


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    arguments()
