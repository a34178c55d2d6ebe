"""Reliability/run power [--cuts 100] [--seed N] [--only judge,asynchronous,browser,relaxed] [--write]

The power fails, and everything that no flush has covered is gone (docs/reliability.md, 'Disks'):
- judge: of the service's machine with its PostgreSQL, and of devices with their SQLite, under the judge's load.
- asynchronous: the same on a PostgreSQL with synchronous_commit=off. Something must be lost, or the run is blind.
- browser: of a phone on which the web app writes to IndexedDB, in chromium.
- relaxed: the same with transactions that don't wait for the disk. Something must be lost.

--cuts   how often the power fails in each part (default: 100). The parts in which something must be lost end at the first loss.
--write  writes the figures into docs/reliability.md, if no part failed

The browser needs what script/browser-tests has installed.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(_ROOT / "Reliability/judge"), str(_ROOT / "Reliability")]

from page import write  # noqa: E402
from system.processes import adopt_orphans, end, end_descendants  # noqa: E402

_PARTS = ("judge", "asynchronous", "browser", "relaxed")
# In which a loss is sure to come.
_SEEN_WITHIN = 5
_ATTEMPTS = 3
# What a cut may take at most, and what comes before the first and after the last.
_SECONDS_FOR_CUT, _SECONDS_BESIDE = 150, 600


class Failed(Exception):
    """Says what."""


def run(cuts: int, *command: str, **environment: str) -> tuple[int, str]:
    """A program's exit code, and what it printed. It ends with everything that it has started."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    within = _SECONDS_BESIDE + cuts * _SECONDS_FOR_CUT
    try:
        said, _ = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[1]} took longer than {within} s") from None
    finally:
        # It tidies up when it is asked to end.
        end(process, 60)
        end_descendants()
    return process.returncode, said


def judge(cuts: int, seed: int, *options: str) -> tuple[int, str]:
    return run(cuts, sys.executable, str(_ROOT / "Reliability/judge"), "--cuts", str(cuts), "--seed", str(seed), *options)


def judged(cuts: int, seed: int) -> str:
    code, said = judge(cuts, seed)
    if code != 0:
        print(said, end="", flush=True)
        raise Failed("the judge has found something, or did not get through")
    figures = dict(re.findall(r"^(.+?) {2,}(.*)$", said, re.MULTILINE))
    if min(int(each) for each in re.findall(r"(\d+) of", figures["power cuts"])) < cuts:
        raise Failed(f"the power did not fail {cuts} times: {figures['power cuts']}")
    return (f"{figures['power cuts']}; {figures['confirmed']} confirmed entries, {figures['lost']} lost, {figures['doubled']} doubled, "
            f"{figures['violations']} violations; all queues empty {figures['all queues empty']}")


def asynchronous(cuts: int, seed: int) -> str:
    for attempt in range(_ATTEMPTS):
        code, said = judge(min(cuts, _SEEN_WITHIN), seed + attempt, "--peer", "asynchronous", "--keep", "never")
        lost = re.search(r"^lost +(\d+)", said, re.MULTILINE)
        if code not in (0, 1) or not lost:
            raise Failed(f"the judge did not get through:\n{said}")
        if int(lost[1]):
            return f"{lost[1]} confirmed entries are lost with synchronous_commit=off: the run sees it"
    raise Failed("with synchronous_commit=off nothing was lost: the run is blind")


def browse(cuts: int, seed: int, *options: str) -> dict:
    tools = sorted((_ROOT / ".build-tools").glob("browser-*/bin/python"))
    if not tools:
        raise Failed("script/browser-tests has not installed the browser's tools yet")
    directory, is_found = tempfile.mkdtemp(prefix="trolley-power-"), False
    try:
        _, said = run(
            cuts, str(tools[-1]), str(Path(__file__).with_name("browser.py")), str(cuts), str(seed), directory, *options,
            **({"TROLLEY_TEST_TROLLEYD": os.environ["TROLLEYD"]} if "TROLLEYD" in os.environ else {}))
        if not said.strip():
            raise Failed("the browser did not get through")
        found = json.loads(said.strip().splitlines()[-1])
        is_found = bool(found["lost"]) and "relaxed" not in options
        return {**found, "kept in": directory}
    finally:
        if not is_found:
            shutil.rmtree(directory, ignore_errors=True)


def browser(cuts: int, seed: int) -> str:
    said = browse(cuts, seed)
    if said["lost"]:
        raise Failed(f"of {said['saved']} saved items {said['lost']} are lost after {said['cuts']} cuts; see "
                     f"{said['kept in']}; {said['complaints']}")
    return (f"{said['cuts']} cuts, {said['saved']} saved items, {said['pages lost']:,} pages lost: all items there; {said['caches cleared']} "
            "times the page opened only after its caches were cleared")


def relaxed(cuts: int, seed: int) -> str:
    said = browse(max(cuts, _SEEN_WITHIN * _ATTEMPTS), seed, "relaxed")
    if not said["lost"]:
        raise Failed(f"with relaxed transactions nothing was lost in {said['cuts']} cuts: the run is blind")
    return f"{len(said['lost'])} of {said['saved']} items are lost with relaxed transactions after {said['cuts']} cuts: the run sees it"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Reliability/run power", description=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--only", default=",".join(_PARTS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    parts = options.only.split(",")
    if options.cuts < 1 or not set(parts) <= set(_PARTS):
        parser.error(f"--cuts is at least 1, and --only names some of {', '.join(_PARTS)}")
    if options.write and set(parts) != set(_PARTS):
        parser.error("--write writes the figures of all parts: leave --only out")
    play = {"judge": judged, "asynchronous": asynchronous, "browser": browser, "relaxed": relaxed}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    adopt_orphans()
    failed, rows = 0, []
    for part in parts:
        began = time.monotonic()
        try:
            what = play[part](options.cuts, options.seed)
        except Failed as failure:
            failed, what = failed + 1, f"FAILED: {failure}"
        print(f"{part}: {what} ({time.monotonic() - began:.0f} s, seed {options.seed})", flush=True)
        rows.append(f"| `{part}` | {what} |")
    if options.write and not failed:
        program = Path(os.environ.get("TROLLEYD", _ROOT / ".build/debug/trolleyd"))
        write("power", program, "\n".join(["| part | figures |", "|---|---|", *rows]), f"seed {options.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
