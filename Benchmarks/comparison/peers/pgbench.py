"""The floor: the same append as one statement a transaction, straight into PostgreSQL, by pgbench."""

import re
import tempfile
from pathlib import Path

from measurement import Measurement, Watch
from processes import Failed, run, run_load
from wrk import WARM_UP_SECONDS

# As many as wrk's.
_THREADS = 2


class Pgbench:
    name = "pgbench"
    promises = (
        "pgbench: each commit is flushed, by the same PostgreSQL. But nobody is authenticated, nobody's membership is "
        "checked, no HTTP or JSON is read or written, and of a hundred rows none is sent.")

    def __init__(self, bench):
        self.bench = bench
        self.program = bench.postgres.binaries / "pgbench"
        self.version = run(self.program, "--version").split()[2]

    def prepare(self):
        postgres, sizes = self.bench.postgres, self.bench.sizes
        postgres.create("pgbench")
        postgres.file("pgbench", self.bench.fixtures / "pgbench.sql", lists=sizes.lists, entries=sizes.entries_per_list)

    def append_one(self):
        return self._append(1, clients=32)

    def append_hundred(self):
        return self._append(100, clients=8)

    def _append(self, count, clients):
        postgres, sizes = self.bench.postgres, self.bench.sizes
        database = postgres.clone("pgbench")
        with tempfile.TemporaryDirectory() as directory:
            command = [
                self.program, "--host", postgres.directory, "--username", "postgres", "--no-vacuum", "--protocol", "prepared",
                "--client", clients, "--jobs", _THREADS, "--define", f"lists={sizes.lists}", "--define", f"count={count}",
                "--file", self.bench.fixtures / "append.pgbench"]
            run(*command, "--time", WARM_UP_SECONDS, database)
            with Watch(postgres.program) as watch:
                text, cpu = run_load(
                    *command, "--time", sizes.seconds, "--log", "--sampling-rate", "0.1", database, cwd=directory)
            latencies = sorted(
                int(line.split()[2]) for log in Path(directory).iterdir() for line in log.read_text().splitlines())
        rate, processed = re.search(r"tps = ([\d.]+)", text), re.search(r"actually processed: (\d+)", text)
        if not processed:
            raise Failed(f"pgbench did not say what it measured:\n{text}")
        if not rate or not latencies:
            return Measurement(value=0, fault=f"{processed[1]} transactions in {sizes.seconds} s are too few")
        return Measurement(
            value=float(rate[1]) * count, p50=latencies[len(latencies) // 2] / 1000,
            p99=latencies[len(latencies) * 99 // 100] / 1000, cpu=watch.cpu, memory=watch.memory,
            requests=int(processed[1]), seconds=watch.seconds, load_cpu=cpu, load_threads=_THREADS)
