"""Runs the tests of rules, parts and fleets under the thread sanitizer, which must report no race (docs/reliability.md).

Builds them once more, instrumented, into .build-tools/threads; the first time takes half an hour. The end-to-end tests are left out: what
they start are other programs. Tests are some ten times slower here, so random journals and fleets are fewer. A test that fails, or is
too slow for one of its limits, is named and counts as well.

First two small programs show that the sanitizer sees a race here, and that it takes a mutex for one.
"""

import argparse
import collections
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Reliability"))

from page import write  # noqa: E402

HERE = ROOT / "Reliability" / "threads"
WORK = ROOT / ".build-tools" / "threads"
SANITIZED = ["--sanitize=thread", "--scratch-path", str(WORK), "-Xswiftc", "-gline-tables-only"]
BUILD = {"TROLLEY_TEST_BUILD": "1", "TROLLEY_TEST_WEAK_PASSWORDS": "true"}
FEWER = {"TROLLEY_PROPERTY_COUNT": "200", "TROLLEY_RUNS": "10"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Reliability/run threads", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", help="tests whose names match this expression (default: all but the end-to-end tests)")
    parser.add_argument("--width", type=int, default=8, help="tests at a time (default: 8)")
    parser.add_argument("--write", action="store_true", help="writes the figures into docs/reliability.md, if there was no race")
    options = parser.parse_args()
    if options.write and options.filter:
        parser.error("--write writes the figures of all tests: leave --filter out")
    return options


def toolchain(name: str) -> str:
    """Swift's own compiler for C: no other knows Swift's calling convention."""
    swift = shutil.which("swift")
    if not swift:
        sys.exit("Reliability/run threads: swift is not in PATH")
    return str(Path(swift).resolve().parent / name)


def run(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, env=os.environ | BUILD | variables, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def built(what: str, command: list[str]) -> None:
    made = run(command)
    if made.returncode:
        sys.exit(f"{made.stdout[-6000:]}\nReliability/run threads: {what} can't be built")


def races(directory: Path) -> dict[str, str]:
    """The reports in the sanitizer's logs: each kind and place once, with its text."""
    found: dict[str, str] = {}
    for log in sorted(directory.glob("race.*")):
        for report in re.findall(r"WARNING: ThreadSanitizer: .*?(?=={18})", log.read_text(errors="replace"), re.DOTALL):
            summary = re.search(r"SUMMARY: ThreadSanitizer: (.*)", report)
            found.setdefault(re.sub(r"0x[0-9a-f]+", "", summary[1] if summary else report.splitlines()[0]), report)
    return found


def sanitized(directory: Path, reports: Path) -> dict[str, str]:
    """Variables under which a program writes its races into `reports`, and goes on."""
    settings = [f"log_path={reports / 'race'}", "exitcode=0", "history_size=4", f"suppressions={HERE / 'suppressions'}",
                f"external_symbolizer_path={toolchain('llvm-symbolizer')}"]
    # Swift's own report of a crash would wait for threads that the sanitizer holds.
    return {"TSAN_OPTIONS": ":".join(settings), "LD_PRELOAD": str(directory / "mutex.so"), "SWIFT_BACKTRACE": "enable=no"}


def check(directory: Path) -> None:
    """The sanitizer must see a race between threads, and none where a mutex is."""
    program = str(directory / "check")
    built("its check", [toolchain("swiftc"), "-sanitize=thread", "-g", str(HERE / "check.swift"), "-o", program])
    for words, expected in [((), False), (("race",), True)]:
        place = directory / f"check-{len(words)}"
        place.mkdir()
        said = run([program, *words], **sanitized(directory, place))
        if said.returncode or "80000" not in said.stdout or bool(races(place)) != expected:
            sys.exit(f"{said.stdout}\nReliability/run threads: the sanitizer saw {'no race' if expected else 'a race in a mutex'}; "
                     "has Swift's Mutex changed? (mutex.c)")


def main() -> int:
    options = arguments()
    directory = Path(tempfile.mkdtemp(prefix="trolley-threads-"))
    # As root, PostgreSQL runs as another user, which must be able to enter it.
    directory.chmod(0o755)
    built("mutex.c", [toolchain("clang"), "-shared", "-fPIC", "-O1", str(HERE / "mutex.c"), "-o", str(directory / "mutex.so"), "-ldl"])
    check(directory)
    print("building the tests with the thread sanitizer (the first time takes half an hour)", flush=True)
    built("the tests", ["swift", "build", "--build-tests", *SANITIZED])
    chosen = ["--filter", options.filter] if options.filter else ["--skip", "EndToEndTests"]
    began = datetime.datetime.now()
    ran = run(["swift", "test", "--skip-build", *SANITIZED, *chosen], **FEWER, **sanitized(directory, directory),
              SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=str(options.width))
    minutes = (datetime.datetime.now() - began).total_seconds() / 60
    (directory / "output.txt").write_text(ran.stdout)
    found = races(directory)
    count = re.findall(r"Test run with (\d+) tests? in \d+ suites?", ran.stdout)
    failed = sorted(set(re.findall(r"^✘ Test (.+?) (?:failed|recorded)", ran.stdout, re.MULTILINE)))
    for report in found.values():
        print(report)
    for test in failed:
        print(f"failed: {test}")
    if not count or count[-1] == "0":
        print(ran.stdout[-4000:])
        print("the tests did not run to their end")
    print(f"{count[-1] if count else 0} tests in {minutes:.0f} minutes: {len(found)} races, {len(failed)} tests failed")
    if found or failed or ran.returncode or not count or count[-1] == "0":
        print(f"reports and output: {directory}")
        return 1
    shutil.rmtree(directory)
    if options.write:
        write("threads", None, f"{count[-1]} tests in {minutes:.0f} minutes: no race, none failed.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
