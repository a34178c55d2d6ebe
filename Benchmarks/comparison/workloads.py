"""What is measured: one line of the table each. A peer without the workload's method has nothing like it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Workload:
    # W1 …; several lines may belong to one.
    group: str
    title: str
    # The peers' method that measures it, and what it is given.
    method: str
    unit: str
    arguments: dict = field(default_factory=dict)
    # nil: as many as there are.
    rounds: int | None = None

    @property
    def key(self):
        return " ".join([self.method, *(str(each) for each in self.arguments.values())])


def workloads(sizes):
    growth = [
        Workload(
            "W9", f"{title} with {count:,} entries stored", "growth", unit,
            {"entries": count, "operation": operation})
        for operation, title, unit in (("append1", "W1", "entries/s"), ("nothing", "W3", "requests/s"))
        for count in sizes.growth]
    return [
        Workload("W0", "start on an existing database until ready", "start", "ms"),
        Workload("W1", "answering nothing (GET /healthz), 32 connections", "answer", "requests/s"),
        Workload("W1", "one entry a request, 32 connections, 2,000 lists", "append_one", "entries/s"),
        Workload("W2", "100 entries a request, 8 connections", "append_hundred", "entries/s"),
        Workload("W3", "'anything new?' with a current token, 32 connections", "nothing_new", "requests/s"),
        Workload("W4", "the last 20 changes, 32 connections", "last_changes", "requests/s"),
        Workload("W5", "a new participant takes a list of 10,000 live entries", "whole_list", "entries/s"),
        Workload(
            "W6", "a change reaches another device's stream: idle, 1 stream", "tell_reader", "changes/s",
            {"streams": 1, "rate": 20}),
        Workload(
            "W6", "the same at 1,000 changes a second, 1,000 streams", "tell_reader", "changes/s",
            {"streams": 1_000, "rate": 1_000}),
        *(
            Workload("W6", f"{title}, the reader at another service process", "tell_reader_elsewhere", "changes/s",
                     {"streams": streams, "rate": rate})
            for title, streams, rate in (
                ("a change reaches another device's stream: idle, 1 stream", 1, 20),
                ("the same at 1,000 changes a second, 1,000 streams", 1_000, 1_000))),
        Workload("W7", f"{sizes.streams:,} idle event streams", "idle_streams", "KiB a stream", rounds=1),
        Workload(
            "W8", f"compression sweep, 1% of {sizes.sweep_lists:,} lists eligible", "sweep", "entries examined/s",
            {"share": 0.01, "settled": 20}, rounds=3),
        Workload(
            "W8", f"a first compression sweep: all of {sizes.sweep_lists:,} lists eligible, four of five entries go", "sweep",
            "entries examined/s", {"share": 1, "settled": 20}, rounds=3),
        Workload(
            "W8", f"a sweep of every night: all of {sizes.sweep_lists:,} lists eligible, one of 25 entries goes", "sweep",
            "entries examined/s", {"share": 1, "settled": 1}, rounds=3),
        *growth,
        Workload("W10", "sign-in storm: 16 sign in at once, 4 ask what is new", "sign_in_storm", "sign-ins/s"),
        Workload(
            "W11", f"{sizes.households:,} households of three devices, {sizes.weeks} weekly shops, rate limits on", "year",
            "requests/s", rounds=1),
        *(
            Workload("W12", f"a frame reaches the others in its room: 100 rooms of 5, 20 frames a second each{where}",
                     "rooms", "frames/s", {"processes": processes})
            for processes, where in ((1, ""), (2, ", across two service processes"))),
        Workload("W12", f"{sizes.streams:,} idle sockets", "idle_sockets", "KiB a socket", rounds=1),
        Workload("W13", f"a session's end until its summary can be read, {sizes.sessions} sessions", "summaries", "sessions/s"),
        Workload("W13", "the same until a webhook has the notice", "notices", "sessions/s"),
        Workload(
            "W14", f"what is new in a conversation of {sizes.messages:,} messages, since two messages ago", "conversation",
            "requests/s"),
        *(
            Workload("W15", f"{title}, {connections} connection{'s' * (connections > 1)}", method, "adds/s",
                     {"connections": connections})
            for connections in (32, 1)
            for method, title in (
                ("hosted_add", f"a hosted device adds an item to a list by its name, {sizes.hosted} devices"),
                ("hosted_upload", "the same lists, a plain upload of one entry by their people"))),
    ]
