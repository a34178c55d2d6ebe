"""One cluster's life: a service under load, whose primary is killed again and again."""

import sys
import time

from checks import Content, epoch
from client import Client, Refused, Unanswered
from devices import Household
from load import Ledger, Reader, Writer
from processes import Failed, Program, Silence, free_ports, wait_until

# Longer than the service waits for a statement: then it gives up waiting for the standby.
_HANG = 40
_LAG = 1.5


def say(text):
    print(f"[{time.strftime('%T')}] {text}", file=sys.stderr, flush=True)


class Mode:
    def __init__(self, name, cluster, directory, options):
        self.name, self.cluster, self.directory, self.options = name, cluster, directory, options
        self.kills, self.errors, self.summary = [], [], ""
        self.ledger = Ledger()
        self.service = None
        self.is_unfinished = True
        self.writers, self.readers = [], []

    def run(self):
        try:
            say(f"{self.name}: starting etcd and {len(self.cluster.nodes)} servers")
            self.cluster.start()
            self._start_service()
            self._start_people()
            for number in range(1, self.options.kills + 1):
                self._kill(number)
            self._finish()
            self.is_unfinished = bool(self.errors)
        finally:
            for person in self.writers + self.readers:
                person.stop()
            if self.service:
                self.service.stop()
            self.cluster.stop()

    # The service and who uses it

    def _start_service(self):
        port = free_ports(1)[0]
        self.address = f"http://127.0.0.1:{port}"
        self.service = Program(
            "trolleyd",
            [self.options.binaries / "trolleyd", "serve", "--port", port, "--database-url", self.cluster.url,
             "--requests-per-minute-by-account", 0, "--requests-per-minute-by-device", 0,
             "--requests-per-minute-by-address", 0],
            self.directory / "trolleyd.log")
        probe = Client(self.address, timeout=5)

        def is_ready():
            if not self.service.is_running:
                raise Failed(f"trolleyd ended:\n{self.service.log.read_text()[-2000:]}")
            try:
                probe.call("GET", "/readyz")
                return True
            except Unanswered:
                return False
        wait_until("the service is ready", is_ready, 60)

    def _start_people(self):
        self.writers = [Writer(self.address, self.ledger, number) for number in range(self.options.writers)]
        for writer in self.writers:
            writer.client.sign_up(writer.email, writer.name)
        shared = self.writers[0].client.make_list()
        for writer in self.writers:
            if writer is not self.writers[0]:
                writer.client.join(self.writers[0].client.invite(shared))
            writer.lists = [shared, writer.client.make_list()]
        self.readers = [Reader(self.address, self.ledger, number, writer.lists)
                        for number, writer in enumerate(self.writers[:2])]
        for reader, writer in zip(self.readers, self.writers):
            reader.client.sign_in(writer.email)
        for person in self.writers + self.readers:
            person.start()
        self.household = Household(self.options.binaries / "trolley", self.directory, self.address)
        self.household.begin()

    # A kill

    def _kill(self, number):
        cluster = self.cluster
        cluster.wait_whole()
        time.sleep(3)
        primary = cluster.primary
        held = time.monotonic()
        standbys = self._hold(number, primary)
        silence_before = max(reader.longest_silence(held, time.monotonic()) for reader in self.readers)
        old_epoch = epoch(cluster, primary)
        confirmed = self.ledger.entries()
        tokens = {reader: dict(reader.tokens) for reader in self.readers}
        primary.kill()
        killed = time.monotonic()
        # Elsewhere than on one machine nobody would refuse connections to it either.
        silence = Silence(primary.port) if number > 1 else None
        # What the service confirmed before it noticed.
        time.sleep(0.5)
        self.ledger.take_reasons()
        for reader in self.readers:
            reader.note_kill()
        kill = {"mode": self.name, "number": number, "standbys": standbys}
        if number > 1:
            kill["held_reads"] = f"{silence_before:.1f} s"
        self.kills.append(kill)
        promoted = wait_until("another primary", lambda: cluster.primary, 90, every=0.05)
        promoted_at = time.monotonic()
        say(f"{self.name} {number}: {primary.name} killed ({standbys}), {promoted.name} leads after "
            f"{promoted_at - killed:.1f} s")
        # Whatever was confirmed until now and is not the new primary's own was confirmed by the old one.
        content = Content(cluster, promoted)
        lost = content.missing(confirmed)
        kill["confirmed"], kill["lost"] = len(confirmed), len(lost)
        if self.cluster.is_synchronous and lost:
            self.errors.append(f"kill {number}: {len(lost)} confirmed entries lost in spite of a synchronous standby")
        self._wait_for_service(kill, number, killed)
        self._wait_for_epoch(kill, number, promoted, promoted_at, old_epoch)
        self._check_tokens(kill, number, tokens)
        for offered in [writer.offer_again() for writer in self.writers]:
            if not offered.wait(60):
                self.errors.append(f"kill {number}: a writer could not offer its entries again")
        self._check_content(kill, number, promoted, lost)
        say(f"{self.name} {number}: {kill}; meanwhile: {self.ledger.take_reasons()}")
        if silence:
            silence.end()
        primary.start()

    def _hold(self, number, primary):
        """The first kill finds standbys that have everything; later ones find them behind."""
        if number == 1:
            return "up to date"
        hang = _HANG if self.cluster.is_synchronous and number == self.options.kills else _LAG
        primary.hold_replication()
        time.sleep(hang)
        return f"{hang} s behind"

    def _wait_for_service(self, kill, number, killed):
        def are_back():
            return self.ledger.gap(killed + 0.5) is not None and all(reader.gap(killed + 0.5) for reader in self.readers)
        try:
            wait_until("the service answers again", are_back, 60)
        except Failed as failure:
            self.errors.append(f"kill {number}: {failure}")
            return
        kill["writes"] = f"{self.ledger.gap(killed + 0.5) + 0.5:.1f} s"
        kill["reads"] = f"{max(reader.gap(killed + 0.5) for reader in self.readers) + 0.5:.1f} s"

    def _wait_for_epoch(self, kill, number, promoted, promoted_at, old):
        seen = [old[0]]
        end = time.monotonic() + 12
        while time.monotonic() < end:
            found = epoch(self.cluster, promoted)
            if found and found[0] not in seen:
                seen.append(found[0])
                kill["epoch_delay"] = f"{time.monotonic() - promoted_at:.1f} s"
            time.sleep(0.2)
        kill["epochs"] = len(seen) - 1
        if len(seen) != 2:
            self.errors.append(f"kill {number}: {len(seen) - 1} epochs began instead of one")

    def _check_tokens(self, kill, number, tokens):
        """A token of before the kill is of the old epoch."""
        refused = asked = 0
        for reader, lists in tokens.items():
            client = Client(self.address)
            client.token = reader.client.token
            for list_id, token in lists.items():
                asked += 1
                try:
                    client.call("GET", f"/v1/lists/{list_id}/changes?since={token}")
                    self.errors.append(f"kill {number}: a token of the old epoch was honoured")
                except Refused as refusal:
                    refused += refusal.code == "changeTokenExpired"
        kill["refused"] = f"{refused} of {asked}"
        if refused != asked:
            self.errors.append(f"kill {number}: {refused} of {asked} tokens of the old epoch were refused")

    def _check_content(self, kill, number, promoted, lost):
        # The ledger and the readers first: what comes later is in the database, and not looked for.
        confirmed = self.ledger.entries()
        honoured = [dict(reader.honoured) for reader in self.readers]
        content = Content(self.cluster, promoted)
        kill["lost_at_last"], kill["doubled"] = len(content.missing(confirmed)), len(content.doubled)
        if content.missing(confirmed):
            self.errors.append(f"kill {number}: {len(content.missing(confirmed))} confirmed entries are gone for good")
        if content.doubled:
            self.errors.append(f"kill {number}: {len(content.doubled)} entries are there twice")
        if content.moved(confirmed):
            self.errors.append(f"kill {number}: {len(content.moved(confirmed))} entries are at another place than confirmed")
        for known in honoured:
            wrong = content.contradictions(known)
            if wrong:
                self.errors.append(
                    f"kill {number}: a token was honoured of a device that has {len(wrong)} changes which the database "
                    f"has otherwise, such as {wrong[0]}")

    def _finish(self):
        shown = self.household.finish()
        for person in self.writers + self.readers:
            person.stop()
            person.join(timeout=60)
        primary = self.cluster.primary
        content = Content(self.cluster, primary)
        confirmed = self.ledger.entries()
        self.errors += self.ledger.errors + self.household.errors
        if content.missing(confirmed):
            self.errors.append(f"at the end {len(content.missing(confirmed))} confirmed entries are missing")
        for list_id, places in content.places.items():
            if max(places) > content.heads[list_id]:
                self.errors.append(f"{list_id} has entries beyond its head")
        self.summary = (
            f"{len(confirmed)} entries confirmed to {len(self.writers)} writers, all there at the end: "
            f"{'no' if content.missing(confirmed) else 'yes'}; {shown} items added on two devices, shown once each by both "
            f"and by a fresh one: {'no' if self.household.errors else 'yes'}; "
            f"{sum(reader.expired for reader in self.readers)} tokens of {len(self.readers)} readers expired")
