"""What the project has set itself, and whether it is met."""

from dataclasses import dataclass


@dataclass
class Verdict:
    text: str
    # nil: not measured in this run.
    figure: str | None
    met: bool | None
    note: str | None = None
    # What stands in the way here: the same run's figure of what no service can do without.
    limit: str | None = None


class _Table:
    """Finds figures; what was not measured, or proves nothing, is nil, and so is all that is reckoned from it."""

    def __init__(self, results):
        self.results = results

    def of(self, key, peer="Trolley"):
        found = self.results.get(key, {}).get(peer)
        return found if found and not found.fault else None

    def value(self, key, peer="Trolley"):
        found = self.of(key, peer)
        return found and found.value

    def ratio(self, key, *peers):
        own, others = self.value(key), [self.value(key, peer) for peer in peers]
        return own / max(others) if own and all(others) else None

    def by_defaults(self, key):
        """What PostgreSQL's defaults leave of a figure."""
        other, own = self.value(key, "Trolley, PostgreSQL's defaults"), self.value(key)
        return other and own and other / own

    def extra(self, key, name):
        found = self.of(key)
        return found and found.extra.get(name)

    def processor_time(self, key):
        """Of the servers, in seconds a request."""
        found = self.of(key)
        return found and found.requests and sum(found.cpu.values()) / found.requests


def _answering(table, key, peer):
    """The limit of HTTP: what the service could do if all that it did were to answer."""
    nothing, other = table.value("answer"), table.value(key, peer)
    if not nothing or not other:
        return None
    text = f"answering nothing: {nothing / other:,.2f} × ({nothing:,.0f}/s)"
    alone, whole = table.processor_time("answer"), table.processor_time(key)
    return f"{text}; HTTP is {alone / whole:.0%} of a request's processor time" if alone and whole else text


def _costs(table, key, peer):
    """The limit of the processors: what an entry costs of their time, part by part, the load included."""
    own, other = table.of(key), table.of(key, peer)
    if not own or not other:
        return None

    def parts(found):
        entries = found.value * found.seconds / 1e6
        return {name: seconds / entries for name, seconds in {**found.cpu, "load": found.load_cpu}.items()}

    whole = sum(parts(other).values())
    split = ", ".join(f"{name} {cost:,.1f}" for name, cost in parts(own).items())
    return f"processor time an entry: {split} µs; {peer} with its load {whole:,.1f}"


def _appending(table, key):
    """The limit of the disk and of the machine's wake-ups: who is told is told after the commit. Only on an idle service,
    where no uploads share a commit."""
    alone = table.of(key, "pgbench")
    return alone and f"the append alone, by pgbench: {alone.p50:,.2f} ms (p99 {alone.p99:,.2f} ms)"


def _reading(table):
    """The limit of the database's reading: the rows alone, for who throws them away."""
    alone, better = table.value("whole_list", "pgbench"), max(
        table.value("whole_list", peer) or 0 for peer in ("Kinto", "PocketBase"))
    return alone and better and f"PostgreSQL alone, its rows thrown away: {alone / better:,.2f} × ({alone:,.0f} entries/s)"


def _moving(table, key):
    """The limit of the disk and of the database's writing: the same rows moved by who is told what goes, and reads no list."""
    alone = table.value(key, "PostgreSQL alone")
    return alone and f"PostgreSQL alone writing the same: {alone:,.0f} entries/s"


def verdicts(results, sizes):
    table = _Table(results)

    def at_least(text, figure, bound, unit="×", limit=None):
        return Verdict(text, figure and f"{figure:,.2f} {unit}", figure and figure >= bound, limit=limit)

    def at_most(text, figure, bound, unit, note=None, limit=None):
        return Verdict(text, figure and f"{figure:,.2f} {unit}", figure and figure <= bound, note, limit)

    def latency(text, key, which, rate, bound, limit=None):
        """Not met when the service did not keep up with the rate."""
        found = table.of(key)
        if found and found.value < 0.95 * rate:
            return Verdict(text, f"{found.value:,.0f} changes/s", False, f"of {rate:,}", limit)
        return at_most(text, found and getattr(found, which), bound, "ms", limit=limit)

    def growth(name, operation):
        small, large = (
            table.extra(f"growth {count} {operation}", "cpuMicroseconds") for count in (sizes.growth[0], sizes.growth[-1]))
        text = f"W9: {name}, processor time a request with 10,000,000 entries at most 1.15 × that with 10,000"
        note = None if sizes.growth[-1] == 10_000_000 else f"with {sizes.growth[-1]:,}, not 10,000,000"
        return at_most(text, large / small if small and large else None, 1.15, "×", note)

    sweep = table.of("sweep 0.01 20")
    year = results.get("year", {}).get("Trolley")
    return [
        at_least(
            "W1 at least 1.5 × pgbench", table.ratio("append_one", "pgbench"), 1.5,
            limit="; ".join(filter(None, (
                _answering(table, "append_one", "pgbench"), _costs(table, "append_one", "pgbench")))) or None),
        at_least(
            "W1 at least 3 × PocketBase", table.ratio("append_one", "PocketBase"), 3,
            limit=_answering(table, "append_one", "PocketBase")),
        at_least(
            "W2 at least 0.6 × pgbench", table.ratio("append_hundred", "pgbench"), 0.6,
            limit=_costs(table, "append_hundred", "pgbench")),
        *(
            Verdict(
                f"{name} on PostgreSQL's defaults at least 0.5 × that on our settings", ratio and f"{ratio:,.2f} ×",
                ratio and ratio >= 0.5)
            for name, ratio in (
                (name, table.by_defaults(key)) for name, key in (
                    ("W1", "append_one"), ("W2", "append_hundred"), ("W3", "nothing_new")))),
        at_least(
            "W3 at least 2.5 × PocketBase", table.ratio("nothing_new", "PocketBase"), 2.5,
            limit=_answering(table, "nothing_new", "PocketBase")),
        at_least(
            "W5 at least 5 × the better of Kinto and PocketBase", table.ratio("whole_list", "Kinto", "PocketBase"), 5,
            limit="; ".join(filter(None, (_reading(table), _costs(table, "whole_list", "Kinto")))) or None),
        latency(
            "W6 p50 at most 1 ms on an idle service", "tell_reader 1 20", "p50", 20, 1,
            limit=_appending(table, "tell_reader 1 20")),
        latency(
            "W6 p99 at most 15 ms at 1,000 uploads a second, 1,000 streams", "tell_reader 1000 1000", "p99", 1_000, 15),
        at_most(
            "W7 at most 12 KiB a stream", table.value("idle_streams"), 12, "KiB",
            None if sizes.streams == 10_000 else f"with {sizes.streams:,} streams, not 10,000"),
        at_least(
            "W8 at least 300,000 entries examined a second, in a sweep of every night", table.value("sweep 1 1"), 300_000,
            "entries/s", limit=_moving(table, "sweep 1 1")),
        at_least(
            "W8 at least 300,000 entries examined a second, in a first sweep", table.value("sweep 1 20"), 300_000,
            "entries/s", limit=_moving(table, "sweep 1 20")),
        Verdict(
            "W8 reads only eligible lists", sweep and f"{sweep.extra['lists']:,.0f} of {sizes.sweep_lists:,} lists",
            sweep and sweep.extra["lists"] == round(sizes.sweep_lists * 0.01)),
        growth("W1", "append1"),
        growth("W3", "nothing"),
        Verdict(
            "W11: lists as their households want them, on all of their devices",
            year and f"{year.extra['different']:.0f} of {year.extra['comparedLists']:,.0f} lists and "
            f"{year.extra['comparedDevices']:,.0f} devices differ", year and not year.fault),
        latency("W12 p50 at most 1 ms, 100 rooms of 5 with 20 frames a second each", "rooms 1", "p50", 10_000, 1),
        latency("W12 p99 at most 5 ms, the same", "rooms 1", "p99", 10_000, 5),
        latency("W12 p99 at most 25 ms, across two service processes", "rooms 2", "p99", 10_000, 25),
        at_most(
            "W12 at most 10 KiB an idle socket", table.value("idle_sockets"), 10, "KiB",
            None if sizes.streams == 10_000 else f"with {sizes.streams:,} sockets, not 10,000"),
        at_most("W13 p99 at most 2,000 ms", (found := table.of("summaries")) and found.p99, 2_000, "ms"),
        at_most(
            "W13 p99 at most 300 ms until a webhook has the notice", (found := table.of("notices")) and found.p99, 300, "ms"),
        at_most("W14 at most 2,048 bytes of body", table.extra("conversation", "bytes"), 2_048, "bytes"),
        at_most("idle service at most 50 MB", table.extra("start", "residentMB"), 50, "MB"),
        at_most("ready at most 300 ms after start on an existing database", table.value("start"), 300, "ms"),
    ]
