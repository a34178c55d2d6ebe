"""Runs the tests with random input, each time from a new seed, for as long as it is told.

script/test tries the same seeds each time, so that a red run is the fault of the change that it judges. This run looks for what those
don't find: random journals against their properties, random messages, and fleets of devices. Builds the tests first. Exits with 1 if a
promise was broken, and says which seed repeats it: keep that seed as a test.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What is run, and the variable that takes its first seed.
SUITES = {
    "PropertyTests": "TROLLEY_PROPERTY_SEED",
    "RoundTripTests": "TROLLEY_TEST_SEED",
    "FleetTests": "TROLLEY_FLEET_SEED",
}
BUILD = {"TROLLEY_TEST_BUILD": "1", "TROLLEY_TEST_WEAK_PASSWORDS": "true"}


def arguments():
    parser = argparse.ArgumentParser(prog="Reliability/run random", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60, help="how long (default: 60); a round that has begun is ended")
    parser.add_argument("--seed", type=int, help="the seed of the first round (default: by chance)")
    parser.add_argument("--fleets", type=int, default=40, help="fleets of a round (default: 40)")
    parser.add_argument("--journals", type=int, default=10_000, help="journals for each property of a round (default: 10,000)")
    options = parser.parse_args()
    if options.minutes <= 0 or options.fleets < 1 or options.journals < 1:
        parser.error("--minutes, --fleets and --journals are greater than 0")
    return options


def swift(*words, **variables):
    environment = os.environ | BUILD | {name: str(value) for name, value in variables.items()}
    return subprocess.run(["swift", *words, "--traits", "SeededFaults"], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    options = arguments()
    print("building the tests (the first time takes some minutes)", flush=True)
    built = swift("build", "--build-tests")
    if built.returncode:
        sys.exit(built.stdout[-4000:])
    begin, rounds = time.monotonic(), 0
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    while rounds == 0 or time.monotonic() - begin < options.minutes * 60:
        seeds = {name: seed for name in SUITES.values()}
        ran = swift("test", "--skip-build", "--filter", "^[^.]*[.](" + "|".join(SUITES) + ")", **seeds,
                    TROLLEY_PROPERTY_COUNT=options.journals, TROLLEY_RUNS=options.fleets)
        count = re.search(r"Test run with (\d+) test", ran.stdout)
        if ran.returncode or not count or count[1] == "0":
            print(ran.stdout[-20_000:])
            sys.exit(f"Reliability/run random: a promise was broken. Again: Reliability/run random --seed {seed}")
        rounds += 1
        print(f"seed {seed}: {options.journals} journals a property, {options.fleets} fleets, {count[1]} tests passed", flush=True)
        seed = random.randrange(1 << 32)
    print(f"{rounds} rounds in {(time.monotonic() - begin) / 60:.0f} minutes: no promise was broken")


if __name__ == "__main__":
    main()
