"""Feeds every reader of bytes from outside with what libFuzzer makes up (docs/reliability.md).

A reader traps when an input leads to something that must not be: a crash, an answer beyond its bounds, a value that differs after it
was written and read again. The address sanitizer watches memory. Each reader begins with its corpus in Tests/Fuzz. An input that failed is
kept there, so every later run tries it first. What a run finds besides grows in .build-tools/fuzz/corpus, which can be deleted.

--reproduce FILE   feeds one input to its reader, and prints what it says
--list             names the readers
--write            writes the figures into docs/reliability.md, if no reader failed
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Reliability"))

from page import write  # noqa: E402

HERE = ROOT / "Reliability" / "fuzz"
CORPORA = ROOT / "Tests" / "Fuzz"
WORK = ROOT / ".build-tools" / "fuzz"
# Wide enough for a page of a recipe, and small enough that libFuzzer tries many.
LONGEST = 4096
DICTIONARIES = {
    "documents": ["document", "recipe"],
    "headers": ["calendar-path", "cookie", "endpoint", "proxy", "retry-after", "values"],
    "icalendar": ["icalendar"],
    "json": ["activity", "assistant", "changes", "dump", "entry", "export", "json", "push-subscription", "room-frame",
             "socket-event", "socket-request", "upload"],
    "lines": ["ingredient-line", "item-line"],
    "xml": ["calendar-filter", "xml"],
}
# Messages as they were once, for all readers of JSON.
FROZEN = ROOT / "Tests" / "TrolleyWireTests" / "Frozen"
DICTIONARY = {reader: name for name, readers in DICTIONARIES.items() for reader in readers}


def readers() -> list[str]:
    return sorted(path.name for path in CORPORA.iterdir())


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Reliability/run fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", help="default: all")
    parser.add_argument("--list", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--reproduce", type=pathlib.Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=60, help="for each reader (default: 60)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="readers at a time (default: the number of processors)")
    parser.add_argument("--program", type=pathlib.Path, help="a built `fuzz`, instead of building it")
    options = parser.parse_args()
    if options.write and options.readers:
        parser.error("--write writes the figures of all readers: name none")
    unknown = set(options.readers) - set(readers())
    if unknown:
        parser.error(f"no such reader: {' '.join(sorted(unknown))}. The readers: {' '.join(readers())}")
    return options


def build() -> pathlib.Path:
    print("building the readers with libFuzzer and the address sanitizer (the first time takes many minutes)", flush=True)
    command = ["swift", "build", "--scratch-path", str(WORK / "build"), "--product", "fuzz"]
    environment = os.environ | {"TROLLEY_FUZZ_BUILD": "1", "TROLLEY_TEST_BUILD": "1"}
    # The linker warns of some hundred symbols of the sanitizer, which it does not export.
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if built.returncode:
        print(built.stdout[-8000:], built.stderr[-4000:], file=sys.stderr)
        sys.exit(2)
    return WORK / "build" / "debug" / "fuzz"


def environment(reader: str) -> dict[str, str]:
    # Swift's own report of a trap would wait for a debugger.
    return os.environ | {"TROLLEY_FUZZ_READER": reader, "SWIFT_BACKTRACE": "enable=no"}


def reproduce(program: pathlib.Path, file: pathlib.Path) -> int:
    if file.parent.name not in readers():
        print(f"{file}: it is in no reader's directory", file=sys.stderr)
        return 64
    return subprocess.run([program, "-detect_leaks=0", file], env=environment(file.parent.name)).returncode


class Outcome:
    """What libFuzzer said of a reader."""

    def __init__(self, reader: str, status: int, said: str):
        self.reader, self.said = reader, said
        states = re.findall(r"cov: (\d+) ft: (\d+)", said)
        self.edges = int(states[-1][0]) if states else 0
        self.features = int(states[-1][1]) if states else 0
        self.executions = self.stat("number_of_executed_units")
        self.rate = self.stat("average_exec_per_sec")
        # A program that tries nothing ends well, too.
        self.failed = status != 0 or self.executions == 0
        self.kept = re.findall(r"Test unit written to (\S+)", said)

    def stat(self, name: str) -> int:
        found = re.search(rf"stat::{name}:\s+(\d+)", self.said)
        return int(found[1]) if found else 0

    def row(self) -> str:
        return f"| `{self.reader}` | {self.executions:,} | {self.rate:,} | {self.edges:,} |"

    def line(self) -> str:
        verdict = "failed" if self.failed else "ok"
        return f"{self.reader:<18}{self.executions:>12,}{self.rate:>10,}{self.edges:>8,}{self.features:>10,}  {verdict}"


def fuzz(program: pathlib.Path, reader: str, seconds: int) -> Outcome:
    corpus = WORK / "corpus" / reader
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = [CORPORA / reader] + [FROZEN] * (DICTIONARY.get(reader) == "json")
    command = [program, corpus, *seeds, f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=20",
               "-rss_limit_mb=4096", "-detect_leaks=0", "-print_final_stats=1", f"-artifact_prefix={CORPORA / reader}/"]
    if reader in DICTIONARY:
        command.append(f"-dict={HERE / 'dictionaries' / DICTIONARY[reader]}.dict")
    ended = subprocess.run(command, env=environment(reader), capture_output=True, text=True, errors="replace")
    return Outcome(reader, ended.returncode, ended.stderr)


def report(outcome: Outcome) -> None:
    print(outcome.line(), flush=True)
    if not outcome.failed:
        return
    # libFuzzer's own lines say nothing of the failure.
    lines = [line for line in outcome.said.splitlines() if not re.match(r"#\d+\s|INFO:|\s*$|MS:|0x|stat::", line)]
    print("\n".join(f"    {line[:300]}" for line in lines[:20]))
    if outcome.executions == 0:
        print("    it tried no input", flush=True)
    for path in outcome.kept:
        print(f"    kept; see it again: Reliability/run fuzz --reproduce {pathlib.Path(path).relative_to(ROOT)}", flush=True)


def main() -> int:
    options = arguments()
    if options.list:
        print("\n".join(readers()))
        return 0
    program = (options.program or build()).absolute()
    if options.reproduce:
        return reproduce(program, options.reproduce.absolute())
    print(f"{'reader':<18}{'executions':>12}{'each s':>10}{'edges':>8}{'features':>10}", flush=True)
    failed, rows = [], []
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        runs = [pool.submit(fuzz, program, reader, options.seconds) for reader in options.readers or readers()]
        for run in concurrent.futures.as_completed(runs):
            outcome = run.result()
            report(outcome)
            rows.append(outcome.row())
            if outcome.failed:
                failed.append(outcome.reader)
    print(f"{len(runs)} readers, {options.seconds} s each: " + (f"failed: {' '.join(sorted(failed))}" if failed else "none failed"))
    if options.write and not failed:
        write("fuzz", None, "\n".join(["| reader | inputs | each second | edges |", "|---|--:|--:|--:|", *sorted(rows)]),
              f"{options.seconds} s each, none failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
