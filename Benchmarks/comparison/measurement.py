"""What one run of one workload against one server gave."""

import statistics
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
    # What is wrong with the measurement, if anything is: then it proves nothing.
    fault: str | None = None
    # What else a target asks for.
    extra: dict = field(default_factory=dict)


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
        fault=next((each.fault for each in measurements if each.fault), None))


class Watch:
    """Takes the servers' processor time while a workload runs: `with Watch(a, b) as watch: …`."""

    def __init__(self, *programs):
        self.programs = programs

    def __enter__(self):
        self.before = [each.cpu_seconds for each in self.programs]
        return self

    def __exit__(self, *_):
        self.cpu = {each.name: each.cpu_seconds - before for each, before in zip(self.programs, self.before)}
        self.memory = {each.name: each.memory for each in self.programs}
