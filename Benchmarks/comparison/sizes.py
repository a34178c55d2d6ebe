"""How much is measured."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Sizes:
    rounds: int
    # Of each measurement, besides its warming up.
    seconds: int
    # W7.
    streams: int
    # W8.
    sweep_lists: int
    # W9: stored entries.
    growth: tuple
    # W11.
    households: int
    weeks: int
    # Of them, those whose devices fold what they get.
    watched: int
    # W1 to W5.
    lists: int = 2_000
    entries_per_list: int = 100
    long_entries: int = 10_000
    # W13: sessions that end. W14: messages on a list.
    sessions: int = 100
    messages: int = 10_000
    # W15: hosted devices, each of another account.
    hosted: int = 256

    def but(self, **changes):
        """The same with other sizes; those that are nil stay."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

    @property
    def people(self):
        """Accounts of the fixture, each with a list and two devices."""
        return max(self.streams, self.lists + 1)

    @property
    def long_list(self):
        """The number of the list that a new participant takes."""
        return self.lists + 1

    def journals(self):
        """Number and entries of each list."""
        yield from ((number, self.entries_per_list) for number in range(1, self.lists + 1))
        yield self.long_list, self.long_entries


FULL = Sizes(
    rounds=5, seconds=10, streams=10_000, sweep_lists=20_000, growth=(10_000, 1_000_000, 10_000_000), households=5_000,
    weeks=52, watched=500)
QUICK = Sizes(
    rounds=1, seconds=3, streams=2_000, sweep_lists=4_000, growth=(10_000, 500_000), households=200,
    weeks=8, watched=200)
