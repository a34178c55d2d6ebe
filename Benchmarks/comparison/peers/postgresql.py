"""What PostgreSQL needs alone, where the database's share of a workload is its limit."""

import time

from measurement import Measurement, Watch
from processes import run_load

# As many as `trolleyd compress` has at the same time.
_CLIENTS = 4
_LISTS_PER_STEP = 100
_DISCARDS_PER_STEP = 400


class PostgreSQL:
    name = "PostgreSQL alone"
    promises = (
        "PostgreSQL alone, in W8: deletes, archives and records the very rows that the sweep does, in transactions as large "
        "and as many at a time, each commit flushed. But it is told beforehand what goes: it reads no list, folds none and "
        "checks nothing.")

    def __init__(self, bench):
        self.bench = bench
        # Said once, of the PostgreSQL that others are on, too.
        self.version = None

    def prepare(self):
        pass

    def sweep(self, share, settled):
        postgres, fixtures = self.bench.postgres, self.bench.fixtures
        eligible = round(self.bench.sizes.sweep_lists * share)
        database = postgres.clone(self.bench.sweepable(eligible, settled))
        lists = min(_LISTS_PER_STEP, _DISCARDS_PER_STEP // (2 * settled))
        postgres.file(database, fixtures / "moving.sql", lists=lists, settled=settled)
        postgres.settle()
        steps = -(-eligible // lists)
        command = postgres.pgbench(
            "--client", _CLIENTS, "--jobs", 1, "--transactions", -(-steps // _CLIENTS), "--define", f"clients={_CLIENTS}",
            "--define", "turn=0", "--file", fixtures / "moving.pgbench", database)
        with Watch(postgres.program) as watch:
            began = time.monotonic()
            _, cpu = run_load(*command)
            took = time.monotonic() - began
        moved = [
            int(postgres.sql(database, f"SELECT count(*) FROM {table}")) for table in ("archived_id", "archived_entry")]
        fault = None
        going = 2 * settled * eligible
        if moved != [going] * 2:
            fault = f"{going} entries were to be moved; there are {moved[0]} ids and {moved[1]} entries"
        return Measurement(
            value=50 * eligible / took, cpu=watch.cpu, memory=watch.memory, requests=eligible, fault=fault,
            seconds=watch.seconds, load_cpu=cpu, extra={"seconds": took, "lists": eligible})
