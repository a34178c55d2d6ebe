"""Trolley on a PostgreSQL that nobody has set up: what an operator gets who runs initdb and starts it."""

from peers.trolley import Trolley


class TrolleyOnDefaults:
    name = "Trolley, PostgreSQL's defaults"
    promises = (
        "Trolley, PostgreSQL's defaults: the same trolleyd and the same data on a second cluster, made by initdb and started with "
        "no setting but the directory of its socket: JIT on, 128 MB of shared buffers, a log of 1 GB between checkpoints.")

    def __init__(self, bench):
        self._trolley = Trolley(bench.on_defaults())
        # Said once.
        self.version = None

    def prepare(self):
        self._trolley.prepare()

    def append_one(self):
        return self._trolley.append_one()

    def append_hundred(self):
        return self._trolley.append_hundred()

    def nothing_new(self):
        return self._trolley.nothing_new()

    def last_changes(self):
        return self._trolley.last_changes()

    def whole_list(self):
        return self._trolley.whole_list()

    def sweep(self, share, settled):
        return self._trolley.sweep(share, settled)
