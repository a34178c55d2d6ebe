"""Counts the statements that PostgreSQL has written down, by name and by process."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field

_LINE = re.compile(r"duration: ([0-9.]+) ms(?:  (parse|bind|execute|statement)(?: ([^:]*))?: (.*))?", re.DOTALL)

# A connection numbers what it prepares.
_NUMBER = re.compile(r"^[0-9]+_")


@dataclass
class Counts:
    # Statements, and milliseconds with parsing and binding, by the statement's name and the process.
    calls: Counter = field(default_factory=Counter)
    spent: Counter = field(default_factory=Counter)

    @property
    def names(self):
        return {name for name, _ in self.calls}


def total(counter, name=None, process=None):
    """Of all statements, or of this one; of all processes, or of this one."""
    return sum(
        value for (its_name, its_process), value in counter.items()
        if name in (None, its_name) and process in (None, its_process))


class Recording:
    """Counts a service's statements from now on."""

    def __init__(self, service):
        self.service = service
        service.write_down(True)
        self.began = service.statements.stat().st_size

    def stop(self):
        with open(self.service.statements, "rb") as file:
            file.seek(self.began)
            lines = file.read().decode(errors="replace").splitlines()
        self.service.write_down(False)
        return _count(lines)


def _count(lines):
    counts = Counts()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # The first or the last, cut in two.
        process = entry.get("application_name", "")
        found = _LINE.match(entry.get("message", ""))
        if not found or not process.startswith("process-"):
            continue
        took, kind, name, text = found.groups()
        if kind is None:
            continue
        if kind == "statement" or not name or name == "<unnamed>":
            name = " ".join(text.split())[:60]
        name = _NUMBER.sub("", name)
        counts.spent[name, process] += float(took)
        if kind in ("execute", "statement"):
            counts.calls[name, process] += 1
    return counts
