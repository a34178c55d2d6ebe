"""Failover drill; see Reliability/failover."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from cluster import Cluster, binaries
from processes import Failed
from round import Mode
from report import print_report


def arguments():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(
        prog="Reliability/failover",
        description="Kills the primary under a service that is at work, and checks that nothing confirmed is lost or doubled.")
    parser.add_argument("--mode", choices=["async", "sync", "both"], default="both", help="how standbys are kept")
    parser.add_argument("--kills", type=int, default=3, help="primaries that are killed in each mode")
    parser.add_argument("--nodes", type=int, default=3, choices=[2, 3], help="PostgreSQL servers")
    parser.add_argument("--writers", type=int, default=4, help="people who upload all the time")
    parser.add_argument("--binaries", type=Path, default=root / ".build/debug", help="where trolleyd and trolley are")
    parser.add_argument("--keep", action="store_true", help="leave the files and logs where they are")
    return parser.parse_args()


def main():
    options = arguments()
    # What was started is stopped, however this ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for program in ("trolleyd", "trolley"):
        if not (options.binaries / program).exists():
            raise Failed(f"{options.binaries / program} is not there: swift build")
    directory = Path(tempfile.mkdtemp(prefix="trolley-failover-"))
    directory.chmod(0o755)
    began, modes = time.monotonic(), []
    try:
        for name in ["async", "sync"] if options.mode == "both" else [options.mode]:
            cluster = Cluster(directory / name, binaries(), options.nodes, is_synchronous=name == "sync")
            mode = Mode(name, cluster, directory / name, options)
            modes.append(mode)
            mode.run()
    finally:
        if options.keep or not modes or modes[-1].is_unfinished:
            print(f"files and logs: {directory}", file=sys.stderr)
        else:
            shutil.rmtree(directory, ignore_errors=True)
    print_report(modes, options, time.monotonic() - began)
    return 1 if any(mode.errors for mode in modes) else 0


if __name__ == "__main__":
    try:
        status = main()
    except Failed as failure:
        print(f"Reliability/failover: {failure}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        status = 130
    except SystemExit as end:
        status = end.code
    sys.stdout.flush()
    # Threads that still wait for an answer don't keep it.
    os._exit(status)
