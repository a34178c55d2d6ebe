"""The floor: the same append as one statement a transaction, straight into PostgreSQL, by pgbench."""

import re
import tempfile
from pathlib import Path

from measurement import Measurement, Watch
from processes import Failed, run, run_load
from wrk import WARM_UP_SECONDS

# As many as wrk's.
_THREADS = 2
# Entries, as the services have them.
_PAGE = 5000


class Pgbench:
    name = "pgbench"
    promises = (
        "pgbench: each commit is flushed, by the same PostgreSQL. But nobody is authenticated, nobody's membership is "
        "checked, no HTTP or JSON is read or written, and of a hundred rows none is sent. In W6 nobody is told: it is the "
        "append alone, at the same rate, from when it began (how late it began stands beside). In W5 it asks as its user likes, "
        "gets rows, and throws them away.")

    def __init__(self, bench):
        self.bench = bench
        self.version = run(bench.postgres.binaries / "pgbench", "--version").split()[2]

    def prepare(self):
        postgres, sizes = self.bench.postgres, self.bench.sizes
        postgres.create("pgbench")
        postgres.file(
            "pgbench", self.bench.fixtures / "pgbench.sql", entries=sizes.entries_per_list, long=sizes.long_list,
            long_entries=sizes.long_entries)
        postgres.vacuum("pgbench")

    def append_one(self):
        return self._append(1, clients=32)

    def append_hundred(self):
        return self._append(100, clients=8)

    def tell_reader(self, streams, rate):
        """The append that must be flushed before anybody may be told."""
        return self._append(1, min(32, streams), "--rate", rate, sampled=1)

    def whole_list(self):
        """What a service has to read, and nobody to give it to."""
        sizes = self.bench.sizes
        return self._run(
            "page.pgbench", _PAGE, 2, {"long": sizes.long_list, "page": _PAGE, "pages": sizes.long_entries // _PAGE},
            sampled=1)

    def _append(self, count, clients, *options, sampled=0.1):
        return self._run(
            "append.pgbench", count, clients, {"lists": self.bench.sizes.lists, "count": count}, *options, sampled=sampled)

    def _run(self, script, count, clients, variables, *options, sampled):
        """A script of which each transaction has so many entries."""
        postgres, sizes = self.bench.postgres, self.bench.sizes
        database = postgres.clone("pgbench")
        threads = min(clients, _THREADS)
        with tempfile.TemporaryDirectory() as directory:
            command = postgres.pgbench(
                "--client", clients, "--jobs", threads,
                *(f"--define={name}={value}" for name, value in variables.items()), "--file", self.bench.fixtures / script,
                *options, database)
            run(*command, "--time", WARM_UP_SECONDS)
            with Watch(postgres.program) as watch:
                text, cpu = run_load(
                    *command, "--time", sizes.seconds, "--log", "--sampling-rate", sampled, cwd=directory)
            lines = [
                line.split() for log in Path(directory).iterdir() for line in log.read_text().splitlines()]
        rate, processed = re.search(r"tps = ([\d.]+)", text), re.search(r"actually processed: (\d+)", text)
        if not processed:
            raise Failed(f"pgbench did not say what it measured:\n{text}")
        if not rate or not lines:
            return Measurement(value=0, fault=f"{processed[1]} transactions in {sizes.seconds} s are too few")
        # Microseconds. Where a rate is kept, a line ends with how late it began, and its latency counts from when it was due.
        late = sorted(int(line[6]) for line in lines if len(line) > 6)
        latencies = sorted(int(line[2]) - (int(line[6]) if late else 0) for line in lines)
        return Measurement(
            value=float(rate[1]) * count, p50=_percentile(latencies, 50), p99=_percentile(latencies, 99), cpu=watch.cpu,
            memory=watch.memory, requests=int(processed[1]), seconds=watch.seconds, load_cpu=cpu, load_threads=threads,
            extra={"beganLateP50": _percentile(late, 50)} if late else {})


def _percentile(microseconds, percent):
    """Milliseconds, of sorted microseconds."""
    return microseconds[len(microseconds) * percent // 100] / 1000
