"""Runs seeds of the simulation (Tests/TrolleySimulation) in a release build, one process for each processor.

A seed that breaks a promise is shrunk to the fewest steps, and the scenario is kept in Tests/Seeds/, which script/test replays.
Exits with 1 if a promise was broken, or if a fault never happened.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Reliability"))
from page import write  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="Reliability/run simulation", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1_000_000, help="how many seeds (default: 1,000,000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: the number of processors")
    parser.add_argument("--trace", type=int, metavar="SEED", help="print what happens with one seed, and stop")
    parser.add_argument("--replay", metavar="FILE", help="print what happens in a scenario of Tests/Seeds/, and stop")
    parser.add_argument("--defects", action="store_true", help="print the first seed that finds each defect, and stop")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/reliability.md, if no promise was broken")
    parser.add_argument("--program", default=os.environ.get("SIMULATE"), help="a built `simulate`, instead of building it")
    options = parser.parse_args()
    if options.seeds < 1 or options.first < 0 or options.processes < 1:
        parser.error("--seeds and --processes are at least 1, --first at least 0")
    return options


def build():
    print("building simulate (the first time takes some minutes)", flush=True)
    subprocess.run(["swift", "build", "-c", "release", "--product", "simulate"], cwd=ROOT, check=True)
    shown = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return shown.stdout.strip() + "/simulate"


class Worker(threading.Thread):
    """One process, and what it has said."""

    def __init__(self, program, first, count, stride):
        super().__init__()
        self.command = [program, str(first), str(count), str(stride)]
        self.done, self.failures, self.figures, self.status = 0, [], {}, None

    def run(self):
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                words = line.split()
                if words[0] == "progress":
                    self.done = int(words[1])
                elif words[0] == "seed":
                    print(line.rstrip()[:300], flush=True)
                    self.failures.append((int(words[1].rstrip(":")), line.split(":", 1)[1].strip()))
                elif words[0] in ("happened", "rounds"):
                    self.figures[f"{words[0]} {words[1]}"] = int(words[2])
                else:
                    self.figures[words[0]] = int(words[1])
        self.status = process.returncode


def keep(program, seed, violations):
    """Shrinks a failing seed and keeps it."""
    shrunk = subprocess.run([program, "--shrink", str(seed)], capture_output=True, text=True, check=False).stdout
    scenario, _, trace = shrunk.partition("\n\n")
    path = ROOT / "Tests" / "Seeds" / f"seed-{seed}.seed"
    path.write_text(f"# {violations}\n{scenario}\n")
    print(f"\nseed {seed}: {violations}\nkept as {path.relative_to(ROOT)}:\n{scenario}\n{trace}", flush=True)


def main():
    options = arguments()
    program = options.program or build()
    if options.trace is not None:
        return subprocess.run([program, "--trace", str(options.trace)], check=False).returncode
    if options.replay:
        return subprocess.run([program, "--replay", options.replay], check=False).returncode
    if options.defects:
        return subprocess.run([program, "--defects", "3000"], check=False).returncode

    began = time.monotonic()
    count = min(options.processes, options.seeds)
    workers = [
        Worker(program, options.first + place, options.seeds // count + (place < options.seeds % count), count)
        for place in range(count)
    ]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        for worker in workers:
            worker.join(timeout=30 / count)
        done, seconds = sum(worker.done for worker in workers), time.monotonic() - began
        failed = sum(len(worker.failures) for worker in workers)
        print(f"{seconds:6.0f} s  {done:>9,} seeds  {done / seconds:6.0f}/s  {failed} failed", flush=True)
    return summarize(program, workers, time.monotonic() - began, options)


def table(figures, happened, seconds):
    rounds = {f"everything sent and equal after {name.removeprefix('rounds ')} rounds": value
              for name, value in sorted(figures.items()) if name.startswith("rounds ")}
    rows = {"seeds": figures["seeds"], "steps": figures["steps"], "seconds": int(seconds), **rounds,
            **{f"`{name}`": value for name, value in happened.items()}}
    return "\n".join(["| | |", "|---|--:|", *(f"| {name} | {value:,} |" for name, value in rows.items())])


def summarize(program, workers, seconds, options):
    figures = {}
    for worker in workers:
        for name, value in worker.figures.items():
            figures[name] = figures.get(name, 0) + value
    failures = sorted(failure for worker in workers for failure in worker.failures)
    crashed = [worker for worker in workers if worker.status not in (0, 1)]
    print(f"\n{figures.get('seeds', 0):,} seeds, {figures.get('steps', 0):,} steps, {seconds:.0f} s")
    for name in sorted(name for name in figures if name.startswith("rounds ")):
        print(f"  everything sent and equal after {name.removeprefix('rounds ')} rounds: {figures[name]:,}")
    print("what did happen:")
    happened = {name.removeprefix("happened "): value for name, value in figures.items() if name.startswith("happened ")}
    for name, value in happened.items():
        print(f"  {name:<24}{value:>12,}")
    missing = [name for name, value in happened.items() if value == 0]
    if missing:
        print(f"never happened: {', '.join(missing)}")
    for worker in crashed:
        print(f"{' '.join(worker.command)} ended with {worker.status}")
    print(f"seeds that broke a promise: {len(failures)}")
    for seed, violations in failures:
        keep(program, seed, violations)
    if failures or missing or crashed:
        return 1
    if options.write:
        write("simulation", None, table(figures, happened, seconds), f"optimized, from seed {options.first}")
    return 0


sys.exit(main())
