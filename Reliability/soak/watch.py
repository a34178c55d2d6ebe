"""What is watched during a soak, and the rule by which it grows without bound."""

import os
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass

from machine import Machine
from system.postgres import Postgres, binaries
from system.processes import Failed

_EVERY = 5.0
_ROWS = "SELECT coalesce(sum(n_dead_tup), 0), coalesce(sum(n_live_tup), 0) FROM pg_stat_user_tables"
# Of pairs of samples, for a line through them.
_SAMPLES = 240


@dataclass
class Series:
    """- tolerance: how much more at the end of the second half than at its beginning is no growth.
    - share: the same, as a share of the half's median."""

    name: str
    unit: str
    tolerance: float
    share: float
    samples: list[tuple[float, float]]

    @property
    def second_half(self) -> list[tuple[float, float]]:
        if not self.samples:
            return []
        middle = (self.samples[0][0] + self.samples[-1][0]) / 2
        return [sample for sample in self.samples if sample[0] >= middle]

    @property
    def growth(self) -> float:
        """Over the second half, by the median slope of all pairs (Theil and Sen), which single peaks don't change."""
        return median_slope(self.second_half) * (self.second_half[-1][0] - self.second_half[0][0]) if self.samples else 0.0

    @property
    def allowed(self) -> float:
        return max(self.tolerance, self.share * statistics.median(value for _, value in self.second_half)) if self.samples else 0.0

    @property
    def is_bounded(self) -> bool:
        return self.growth <= self.allowed

    def line(self) -> str:
        values = [value for _, value in self.samples]
        if not values:
            return f"{self.name}: no figures"
        return (f"{self.name}: {values[0]:,.0f} at first, {max(values):,.0f} at most, {values[-1]:,.0f} at last{self.unit and ' ' + self.unit}; "
                f"{self.growth:+,.1f} over the second half, {self.allowed:,.1f} allowed")


def median_slope(samples: list[tuple[float, float]]) -> float:
    some = samples[:: max(1, len(samples) // _SAMPLES)]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for index, a in enumerate(some) for b in some[index + 1:] if b[0] > a[0]]
    return statistics.median(slopes) if slopes else 0.0


class Watch:
    """Looks every five seconds. `end` returns the series."""

    def __init__(self, machine: Machine, postgres: Postgres) -> None:
        self._machine, self._postgres = machine, postgres
        self.memory = Series("memory", "MiB", 16, 0.1, [])
        self.files = Series("open files", "", 8, 0.1, [])
        self.dead = Series("dead rows", "", 10_000, 0.25, [])
        self.live = 0
        self._failure: Exception | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._look()
        except Exception as error:  # A thread's error is the run's: `end` raises it.
            self._failure = error

    def _look(self) -> None:
        while True:
            now = time.monotonic()
            dead, self.live = self._rows()
            # The more rows there are, the more may be dead before autovacuum begins: a fifth, and 50.
            self.dead.tolerance = max(10_000, 0.2 * self.live)
            for series, value in ((self.memory, self._machine.memory), (self.files, self._machine.open_files), (self.dead, dead)):
                series.samples.append((now, value))
            if self._is_over.wait(_EVERY):
                return

    def _rows(self) -> tuple[int, int]:
        said = subprocess.run(
            [binaries() / "psql", "-X", "-At", "-F", " ", "--host", self._postgres.sockets, "--username", "trolley", "--dbname", "trolley",
             "-c", _ROWS], capture_output=True, text=True, check=True, timeout=60, cwd="/", env={**os.environ, "LC_ALL": "C"}).stdout.split()
        return int(said[0]), int(said[1])

    def end(self) -> list[Series]:
        self._is_over.set()
        self._thread.join()
        if self._failure:
            raise Failed(f"the figures could not be read: {self._failure}")
        return [self.memory, self.files, self.dead]
