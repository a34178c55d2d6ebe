"""Benchmarks/run starts this: prepares the servers, runs the workloads in turn, round by round, and prints the table."""

import argparse
import datetime
import os
import platform
import signal
import sys
from pathlib import Path

from bench import Bench
from measurement import middle
from peers.kinto import Kinto
from peers.pgbench import Pgbench
from peers.pocketbase import PocketBase
from peers.trolley import Trolley
from processes import Failed
from report import as_json, markdown
from sizes import FULL, QUICK
from workloads import workloads


def main():
    arguments = _arguments()
    sizes = QUICK if arguments.quick else FULL
    chosen = [each for each in workloads(sizes) if not arguments.only or each.group in arguments.only]
    if not chosen:
        sys.exit(f"there is no such workload: {','.join(arguments.only)}")
    # Whoever ends this ends what it has started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    bench = Bench(sizes)
    try:
        peers = [kind(bench) for kind in (Pgbench, PocketBase, Kinto, Trolley)]
        # Whoever has none of the workloads needn't be there.
        peers = [peer for peer in peers if any(hasattr(peer, each.method) for each in chosen)]
        for peer in peers:
            _say(f"preparing {peer.name}")
            peer.prepare()
        raw = _measure(chosen, peers, sizes.rounds)
        comparison = {
            "when": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "machine": f"{os.cpu_count()} processors ({_processor()}), load generators included",
            "rounds": f"{sizes.rounds} round(s) of {sizes.seconds} s a measurement",
            "sizes": sizes, "workloads": chosen, "raw": raw,
            "versions": {"PostgreSQL": bench.postgres.version, **{peer.name: peer.version for peer in peers}},
            "promises": [peer.promises for peer in peers],
            "results": {
                key: {peer: middle(measured) for peer, measured in by_peer.items()} for key, by_peer in raw.items()},
        }
    finally:
        bench.close()
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(as_json(comparison))
    print(markdown(comparison))
    _say(f"the same and every round as JSON: {arguments.json}")


def _measure(chosen, peers, rounds):
    """By workload and peer, a list of measurements. What is to be compared runs right after each other."""
    raw = {}
    for turn in range(rounds):
        for workload in chosen:
            if turn >= (workload.rounds or rounds):
                continue
            for peer in peers:
                method = getattr(peer, workload.method, None)
                if not method:
                    continue
                measured = method(**workload.arguments)
                raw.setdefault(workload.key, {}).setdefault(peer.name, []).append(measured)
                _say(
                    f"round {turn + 1}, {workload.group} {workload.title}, {peer.name}: "
                    f"{measured.value:,.1f} {workload.unit}" + (f" ({measured.fault})" if measured.fault else ""))
    return raw


def _arguments():
    parser = argparse.ArgumentParser(
        prog="Benchmarks/run",
        description="Compares Trolley's speed with pgbench, PocketBase and Kinto, side by side on this machine.",
        epilog="Example: Benchmarks/run --quick --only W1,W3")
    parser.add_argument("--quick", action="store_true", help="small and once, in less than five minutes")
    parser.add_argument(
        "--only", type=lambda text: text.upper().split(","), default=[], help="these workloads: W1,W3 (W0 is starting)")
    parser.add_argument(
        "--json", type=Path, default=Bench.root / ".build-tools/benchmarks/comparison.json",
        help="where to write every figure (default: %(default)s)")
    return parser.parse_args()


def _processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"Benchmarks/run: {failure}")
