"""What one run of one workload against one server gave."""

import os
import statistics
import time
from dataclasses import dataclass, field


@dataclass
class Measurement:
    # In the workload's unit: most often per second.
    value: float
    # Milliseconds a request.
    p50: float | None = None
    p99: float | None = None
    # By server: seconds of processor time, and bytes.
    cpu: dict = field(default_factory=dict)
    memory: dict = field(default_factory=dict)
    # How many requests, so that processor time can be told a request.
    requests: int = 0
    # How long it took, in seconds, and the load generator's part in it: its seconds of processor time, its threads.
    seconds: float | None = None
    load_cpu: float | None = None
    load_threads: int = 1
    # What is wrong with the measurement, if anything is: then it proves nothing.
    fault: str | None = None
    # What else a target asks for.
    extra: dict = field(default_factory=dict)

    @property
    def load_share(self):
        """How much of the machine's processors the load generator took; nil where there is none."""
        return self.seconds and self.load_cpu and self.load_cpu / self.seconds / os.cpu_count()

    @property
    def is_limited_by_load(self):
        """Whether the load generator could hardly have asked for more: the server may be faster than the figure says."""
        return bool(self.seconds and self.load_cpu) and self.load_cpu / self.seconds > 0.9 * self.load_threads


def middle(measurements):
    """The median of several rounds, figure by figure."""

    def median(values):
        values = [value for value in values if value is not None]
        return statistics.median(values) if values else None

    def by_name(attribute):
        names = measurements[0].__dict__[attribute]
        return {name: median([each.__dict__[attribute].get(name) for each in measurements]) for name in names}

    return Measurement(
        value=median([each.value for each in measurements]),
        p50=median([each.p50 for each in measurements]),
        p99=median([each.p99 for each in measurements]),
        cpu=by_name("cpu"), memory=by_name("memory"), extra=by_name("extra"),
        requests=median([each.requests for each in measurements]),
        seconds=median([each.seconds for each in measurements]),
        load_cpu=median([each.load_cpu for each in measurements]), load_threads=measurements[0].load_threads,
        fault=next((each.fault for each in measurements if each.fault), None))


class Watch:
    """Takes the servers' processor time while a workload runs, and how long it does: `with Watch(a, b) as watch: …`."""

    def __init__(self, *programs):
        self.programs = programs

    def __enter__(self):
        self.began = time.monotonic()
        self.before = [each.cpu_seconds for each in self.programs]
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.began
        self.cpu = {each.name: each.cpu_seconds - before for each, before in zip(self.programs, self.before)}
        self.memory = {each.name: each.memory for each in self.programs}
