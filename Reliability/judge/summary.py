"""The figures of a run, as people read them."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from checker.history import Violation
from round import Outcome

_DISKS = ("disk full", "flush failed", "slow flush")
_CUTS = ("disconnected", "requests held", "answers held", "answers lost")


@dataclass
class Summary:
    seed: int
    judged: str
    rounds: int = 0
    seconds: float = 0
    faults: Counter[str] = field(default_factory=Counter)
    figures: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    slowest: float | None = None
    unhealed: int = 0
    compressed: int = 0
    pages: int = 0
    kept: Path | None = None
    _last: str = ""

    def add(
        self, index: int, seed: int, seconds: float, outcome: Outcome, figures: dict[str, int], violations: list[Violation],
    ) -> None:
        self.rounds += 1
        self.seconds += seconds
        self.faults.update(outcome.faults)
        self.figures.update(figures)
        self.violations.update(violation.check for violation in violations)
        self.compressed += outcome.compressed
        self.pages += outcome.pages
        if outcome.emptied is None:
            self.unhealed += 1
        else:
            self.slowest = max(self.slowest or 0, outcome.emptied)
        emptied = "never" if outcome.emptied is None else f"after {outcome.emptied:.1f} s ({outcome.slowest} last)"
        self._last = (f"round {index + 1}, seed {seed}: {figures['confirmed']} of {figures['entries sent']} entries confirmed, "
                      f"{sum(outcome.faults.values())} faults, queues empty {emptied}, {len(violations)} violations")

    def line(self) -> str:
        """About the last round."""
        return self._last

    def table(self, took: float, limit: float) -> str:
        """As it stands in docs/reliability.md."""
        rows = [f"| {name} | {value:,} |" if isinstance(value, int) and name != "seed" else f"| {name} | {value} |"
                for name, value in self._rows(took, limit).items() if name != "histories"]
        return "\n".join(["| | |", "|---|--:|", *rows])

    def print(self, took: float, limit: float) -> None:
        rows = self._rows(took, limit)
        width = max(map(len, rows)) + 2
        for name, value in rows.items():
            print(f"{name:{width}}{value}")

    def _rows(self, took: float, limit: float) -> dict[str, object]:
        return {
            "judged": self.judged,
            "seed": self.seed,
            "rounds": f"{self.rounds}, {self.seconds:.0f} s of load in {took:.0f} s",
            **self.figures,
            "service killed": self.faults["service killed"],
            "PostgreSQL killed": f"{self.faults['backend killed']} backends, {self.faults['database killed']} servers",
            **({
                "power cuts": f"{cuts} of the service, {self.faults['power cut of a device']} of devices, {self.pages:,} pages lost",
                "clocks set": self.faults["clock set"],
                "disks": ", ".join(f"{self.faults[each]} times {each}" for each in _DISKS),
            } if (cuts := self.faults["power cut"]) else {}),
            **({"programs exchanged": exchanged} if (exchanged := self.faults["program exchanged"]) else {}),
            "commands killed": self.faults["commands killed"],
            "cuts": f"{sum(self.faults[each] for each in _CUTS)} ({', '.join(f'{self.faults[each]} {each}' for each in _CUTS)})",
            "pauses": f"{self.faults['service paused']} of the service, {self.faults['database paused']} of PostgreSQL, {self.faults['client paused']} of clients",
            "participants removed": self.faults["participant removed"],
            "compressions": f"{self.faults['compressed']}, which discarded {self.compressed} entries",
            "lost": self.violations["lost"],
            "doubled": self.violations["doubled"],
            "violations": f"{sum(self.violations.values())}" + (f" {dict(self.violations)}" if self.violations else ""),
            "all queues empty": f"{self.slowest:.1f} s after the last fault at the slowest, of {limit:.0f} s allowed"
            if self.slowest is not None else "never",
            **({"rounds whose queues never became empty": self.unhealed} if self.unhealed else {}),
            **({"histories": self.kept} if self.kept else {}),
        }
