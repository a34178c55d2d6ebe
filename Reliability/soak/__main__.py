"""Reliability/run soak: see docs/reliability.md."""

import argparse
import math
import os
import resource
import shutil
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
# Processes are the judge's, the machine is that of the faults.
sys.path += [str(_ROOT / "Reliability/judge"), str(_ROOT / "Reliability/faults"), str(_ROOT / "Reliability")]

from chatter import Chatter  # noqa: E402
from generator import Generator, Result  # noqa: E402
from machine import Machine  # noqa: E402
from page import write  # noqa: E402
from system.postgres import Postgres  # noqa: E402
from system.processes import Failed, adopt_orphans, end_descendants, exit_with  # noqa: E402
from watch import Series, Watch  # noqa: E402

_DRAIN = 0.5
# Beyond this share of a processor, figures are about the generator.
_BUSY = 0.8
# Beyond twice its standard error, the lag may grow by so many milliseconds over a run.
_LAG_GROWTH = 2.0
# What rooms say in this time may still be under way at the end.
_UNHEARD = 10.0
_FIRST_RATE, _STEPS, _CERTIFICATIONS = 100.0, 4, 6
_OPEN_FILES = 8192


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Reliability/run soak", description="Finds the highest rate of uploads that holds, with hints to a second device of each "
        "household and with rooms open: for three minutes 99% of uploads are confirmed in time, the lag of hints doesn't grow, and half a "
        "second after the load nothing waits. Then uploads at a share of it, and watches. Fails when no rate holds, when an upload fails, "
        "or when memory, open files, dead rows or times grow without bound.")
    parser.add_argument("--minutes", type=float, default=60, help="how long the soak takes (default: 60)")
    parser.add_argument("--load", type=float, default=0.7, help="share of the certified rate (default: 0.7)")
    parser.add_argument("--rate", type=float, help="uploads a second that are taken as certified, instead of looking for them")
    parser.add_argument("--certify", type=float, default=3, metavar="MINUTES", help="how long a rate must hold (default: 3)")
    parser.add_argument("--probe", type=float, default=20, metavar="SECONDS", help="how long a rate is tried on the way (default: 20)")
    parser.add_argument("--p99", type=float, default=50, metavar="MS", help="99%% of uploads are confirmed so soon (default: 50)")
    parser.add_argument("--households", type=int, default=100, help="of two devices each (default: 100)")
    parser.add_argument("--rooms", type=int, default=20, help="rooms of two devices that each say something every second (default: 20)")
    parser.add_argument("--write", action="store_true", help="writes the figures into docs/reliability.md, if nothing grew")
    options = parser.parse_args()
    if not 0 < options.load <= 1 or options.minutes <= 0 or not 0 <= options.rooms <= options.households or options.households < 1:
        parser.error("--load is above 0 and at most 1, --minutes above 0, and --rooms at most --households")
    return options


def lag_growth(result: Result) -> float:
    """Milliseconds over the run, less twice the standard error: by a line through the median lag of each second."""
    lags = [lag for _, lag in result.seconds if lag > 0]
    if len(lags) < 4:
        return 0.0
    middle, mean = (len(lags) - 1) / 2, statistics.fmean(lags)
    squares = sum((index - middle) ** 2 for index in range(len(lags)))
    slope = sum((index - middle) * (lag - mean) for index, lag in enumerate(lags)) / squares
    rest = sum((lag - mean - slope * (index - middle)) ** 2 for index, lag in enumerate(lags))
    return (slope - 2 * math.sqrt(rest / (len(lags) - 2) / squares)) * len(lags)


def broken(result: Result, limit: float) -> str:
    """Why the rate doesn't hold; empty if it does."""
    if result.failures:
        return f"{sum(result.failures.values())} uploads failed: {next(iter(result.failures))}"
    if result.busy > _BUSY:
        return f"the generator needs {100 * result.busy:.0f}% of a processor: it is the bottleneck"
    if result.p99 > limit:
        return f"p99 is {result.p99:.1f} ms" + (
            "; the machine has something else to do, because the generator was late though it isn't busy" if result.late_p99 > limit / 2 else "")
    if (growth := lag_growth(result)) > _LAG_GROWTH:
        return f"the lag of hints grows, by {growth:.1f} ms"
    if result.drain > _DRAIN:
        return f"it took {result.drain:.1f} s until nothing waited"
    return ""


def tried(generator: Generator, rate: float, seconds: float, limit: float) -> bool:
    result = generator.run(rate, seconds)
    why = broken(result, limit)
    print(f"{rate:8,.0f}/s for {seconds:.0f} s: p50 {result.p50:.1f} ms, p99 {result.p99:.1f} ms, hints p99 {result.hint_p99:.1f} ms, "
          f"lag {lag_growth(result):+.1f} ms, drain {result.drain:.2f} s, generator {100 * result.busy:.0f}% busy, {result.late_p99:.1f} ms late"
          f"{': ' + why if why else ''}", flush=True)
    return not why


def certified(generator: Generator, options: argparse.Namespace) -> float:
    """The highest rate that holds. Doubles until one doesn't, halves the interval, and takes a tenth off until it holds long enough."""
    good, bad = 0.0, _FIRST_RATE
    while tried(generator, bad, options.probe, options.p99):
        good, bad = bad, 2 * bad
    while good == 0.0 and bad > 1:
        bad /= 2
        if tried(generator, bad, options.probe, options.p99):
            good, bad = bad, 2 * bad
    for _ in range(_STEPS):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if tried(generator, middle, options.probe, options.p99) else (good, middle)
    rate = good
    for _ in range(_CERTIFICATIONS):
        if rate >= 1 and tried(generator, rate, options.certify * 60, options.p99):
            return rate
        rate *= 0.9
    raise Failed("no rate held for the whole time")


def soaked(
    machine: Machine, postgres: Postgres, generator: Generator, chatter: Chatter, rate: float, seconds: float,
) -> tuple[list[str], list[str]]:
    """Returns what was seen, and what grew or failed."""
    watch, began = Watch(machine, postgres), time.monotonic()
    generator.begin(rate, seconds)
    while not generator.is_over:
        chatter.check()
        if machine.restarts:
            raise Failed(f"the service has ended: {machine.log.read_text()[-1000:]}")
        time.sleep(0.5)
    result = generator.result()
    # A soak of an hour has 3,600 of these; one a minute is enough for a line, and drops the noise.
    latency = Series("p99 of uploads", "ms", 10, 0.25, [
        (began + minute + 60, statistics.median(p99 for p99, _ in result.seconds[minute:minute + 60]))
        for minute in range(0, len(result.seconds), 60)])
    series = [*watch.end(), latency]
    seen = [f"{result.confirmed:,} uploads in {seconds / 60:.0f} minutes at {rate:,.0f}/s: p50 {result.p50:.1f} ms, p99 {result.p99:.1f} ms, "
            f"hints p99 {result.hint_p99:.1f} ms, drain {result.drain:.2f} s, {sum(result.failures.values())} failed",
            f"rooms: {chatter.said:,} frames said, {chatter.heard:,} heard; {watch.live:,} rows alive",
            *(("" if each.is_bounded else "GROWS: ") + each.line() for each in series)]
    print(*seen, sep="\n", flush=True)
    wrong = [each.name for each in series if not each.is_bounded]
    if result.drain > _DRAIN:
        wrong.append(f"after {result.drain:.1f} s uploads or hints were still waiting")
    if chatter.said - chatter.heard > _UNHEARD * chatter.frames_per_second:
        wrong.append(f"{chatter.said - chatter.heard:,} frames of rooms were not heard")
    if result.failures:
        wrong.append(f"{sum(result.failures.values())} uploads: {next(iter(result.failures))}")
    return seen, wrong


def main() -> int:
    options = arguments()
    program = Path(os.environ.get("TROLLEYD", _ROOT / ".build/debug/trolleyd")).absolute()
    if not program.exists():
        raise Failed(f"{program} is not there: swift build, or say where it is in TROLLEYD")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(_OPEN_FILES, hard)), hard))
    adopt_orphans()
    directory = Path(tempfile.mkdtemp(prefix="trolley-soak-"))
    directory.chmod(0o711)
    # What a quota of lists would end after some minutes goes on; compression has something to do.
    limits = [part for name in ("requests-per-minute-by-account", "requests-per-minute-by-device", "requests-per-minute-by-address",
                                "entries-per-list", "bytes-per-list", "bytes-per-account") for part in (f"--{name}", "0")]
    postgres = machine = None
    try:
        postgres = Postgres(directory)
        machine = Machine(program, directory / "machine", [*limits, "--compress-older-than", "5m"], postgres.url)
        generator = Generator(machine.port, options.households)
        chatter = Chatter(machine.port, generator.households[:options.rooms])
        rate = options.rate or certified(generator, options)
        print(f"certified: {rate:,.0f} uploads/s" if not options.rate else f"taken as certified: {rate:,.0f} uploads/s", flush=True)
        seen, wrong = soaked(machine, postgres, generator, chatter, rate * options.load, options.minutes * 60)
        chatter.end()
        generator.end()
    finally:
        for each in (machine, postgres):
            if each:
                each.stop()
        end_descendants()
    if wrong:
        print(f"FAILED: {', '.join(wrong)}; logs: {directory}")
        return 1
    shutil.rmtree(directory, ignore_errors=True)
    if options.write:
        held = f"certified: {rate:,.0f} uploads/s" if not options.rate else f"given as certified: {rate:,.0f} uploads/s"
        write("soak", program, "\n".join(f"- {line}" for line in [held, *seen]), f"{options.households} households, {options.rooms} rooms")
    print("Nothing grows without bound.")
    return 0


if __name__ == "__main__":
    exit_with("soak", main)
