"""Where the comparison happens: its directory, its PostgreSQL, and what every peer needs to know."""

import contextlib
import copy
import shutil
import socket
import tempfile
from pathlib import Path

from postgres import DEFAULTS, Postgres
from processes import run


class Bench:
    fixtures = Path(__file__).parent / "fixtures"
    root = Path(__file__).parent.parent.parent
    # Where this package builds: population, and the trolleyd that it depends on.
    built = root / "Benchmarks/.build/release"
    trolleyd = built / "trolleyd"
    venv = root / ".build-tools/benchmarks/venv/bin"

    def __init__(self, sizes):
        self.sizes = sizes
        # On a disk, because what is flushed must take its time; and where PostgreSQL's user may go.
        self.directory = Path(tempfile.mkdtemp(prefix="trolley-benchmarks-", dir="/var/tmp"))
        self.directory.chmod(0o755)
        # Fixtures that are there already.
        self.made = set()
        self.postgres = Postgres(self.directory / "postgres")
        self._clusters = [self.postgres]

    def start(self):
        self.postgres.start()

    def on_defaults(self):
        """The same place with a PostgreSQL beside this one that has nothing but its defaults; it is started here."""
        other = copy.copy(self)
        other.directory = self.directory / "defaults"
        other.directory.mkdir(mode=0o755)
        other.made = set()
        other.postgres = Postgres(other.directory / "postgres", DEFAULTS)
        self._clusters.append(other.postgres)
        other.postgres.start()
        return other

    def close(self):
        for cluster in self._clusters:
            cluster.stop()
        shutil.rmtree(self.directory)

    def migrated(self, database):
        """Makes a database with Trolley's tables."""
        self.postgres.create(database)
        run(self.trolleyd, "migrate", "--database-url", self.postgres.url(database))

    def sweepable(self, eligible, settled):
        """A fixture of `sweep_lists` lists of 50 entries, so many of them with two to discard for each of `settled` items.
        Returns its name."""
        fixture = f"sweep-{eligible}-{settled}"
        if fixture not in self.made:
            self.made.add(fixture)
            self.migrated(fixture)
            self.postgres.file(
                fixture, self.fixtures / "sweep.sql", lists=self.sizes.sweep_lists, eligible=eligible,
                settled=settled)
            self.postgres.vacuum(fixture)
        return fixture

    @staticmethod
    def list(number):
        """The id of a list of the fixtures."""
        return f"00000000-0000-7000-8000-{number:012x}"

    @staticmethod
    def free_port():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    @contextlib.contextmanager
    def serving(self, server, port):
        with server:
            yield server, port
