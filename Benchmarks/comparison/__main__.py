"""Benchmarks/run starts this: prepares the servers, runs the workloads in turn, round by round, and prints the table."""

import datetime
import os
import platform
import resource
import signal
import sys
from pathlib import Path

from arguments import arguments
from bench import Bench
from measurement import middle
from peers.defaults import TrolleyOnDefaults
from peers.kinto import Kinto
from peers.pgbench import Pgbench
from peers.pocketbase import PocketBase
from peers.postgresql import PostgreSQL
from peers.trolley import Trolley
from processes import Failed
from report import as_json, markdown
from sizes import FULL, QUICK
from workloads import workloads


def main():
    options = arguments()
    sizes = (QUICK if options.quick else FULL).but(rounds=options.rounds, seconds=options.seconds)
    chosen = [each for each in workloads(sizes) if each.group in options.only]
    _require_files(sizes, chosen)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    # Whoever ends this ends what it has started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    began = datetime.datetime.now(datetime.timezone.utc)
    bench = Bench(sizes)
    try:
        bench.start()
        kinds = (Pgbench, PostgreSQL, PocketBase, Kinto, TrolleyOnDefaults, Trolley)
        # Whoever has none of the workloads needn't be there.
        peers = [kind(bench) for kind in kinds if any(hasattr(kind, each.method) for each in chosen)]
        for peer in peers:
            _say(f"preparing {peer.name}")
            peer.prepare()
        _say(f"prepared in {_seconds_since(began):.0f} s")
        raw = _measure(chosen, peers, sizes.rounds)
        comparison = {
            "when": began.strftime("%Y-%m-%d %H:%M UTC"),
            "minutes": _seconds_since(began) / 60,
            "machine": _machine(),
            "rounds": f"{sizes.rounds} round(s) of {sizes.seconds} s a measurement",
            "sizes": sizes, "workloads": chosen, "raw": raw,
            "versions": {"PostgreSQL": bench.postgres.version, **{peer.name: peer.version for peer in peers if peer.version}},
            "settings": bench.postgres.settings,
            "promises": [peer.promises for peer in peers],
            "results": {
                key: {peer: middle(measured) for peer, measured in by_peer.items()} for key, by_peer in raw.items()},
        }
    finally:
        bench.close()
    options.json.write_text(as_json(comparison))
    options.json.with_suffix(".md").write_text(markdown(comparison))
    print(markdown(comparison))
    _say(f"the same, and every round as JSON: {options.json}")
    faults = [
        f"{each.group}: {each.title}: {found.fault}" for each in chosen
        if (found := comparison["results"].get(each.key, {}).get("Trolley")) and found.fault]
    if faults:
        sys.exit("Benchmarks/run: what Trolley did was wrong:\n" + "\n".join(faults))


def _measure(chosen, peers, rounds):
    """By workload and peer, a list of measurements. What is to be compared runs right after each other; who is first
    changes from round to round."""
    raw = {}
    for turn in range(rounds):
        for workload in chosen:
            if turn >= (workload.rounds or rounds):
                continue
            for peer in peers[turn % len(peers):] + peers[:turn % len(peers)]:
                method = getattr(peer, workload.method, None)
                if not method:
                    continue
                began = datetime.datetime.now(datetime.timezone.utc)
                measured = method(**workload.arguments)
                raw.setdefault(workload.key, {}).setdefault(peer.name, []).append(measured)
                _say(
                    f"round {turn + 1}, {workload.group} {workload.title}, {peer.name}: "
                    f"{measured.value:,.1f} {workload.unit}" + (f" ({measured.fault})" if measured.fault else "")
                    + f"; took {_seconds_since(began):.0f} s")
    return raw


def _require_files(sizes, chosen):
    """Thousands of streams are as many open files, in a server and in its load: allows as many as may be."""
    groups = {each.group for each in chosen}
    streams = max(sizes.streams if groups & {"W7", "W12"} else 0, 1_000 if "W6" in groups else 0)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # For all that is started from here.
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if limit < streams + 200:
        raise Failed(
            f"{streams:,} streams are as many open files, and this user may have {limit:,} (ulimit -Hn). Raise that, or "
            "leave out W6, W7 and W12 with --only.")


def _seconds_since(moment):
    return (datetime.datetime.now(datetime.timezone.utc) - moment).total_seconds()


def _machine():
    load = os.getloadavg()[0]
    busy = "" if load < 0.3 else f"; it was not quiet when this began: load {load:.1f}"
    return f"{os.cpu_count()} processors ({_processor()}), {platform.system()} {platform.release()}{busy}"


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
    except KeyboardInterrupt:
        sys.exit(130)
