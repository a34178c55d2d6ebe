"""One round: a new system, clients that work while things go wrong, healing, and the histories of all that."""

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from clients.fleet import PlainClient
from clients.real import RealDevice
from clients.recorder import Recorder
from host import Host, Person
from system.cable import Cable
from system.nemesis import Nemesis
from system.processes import Failed, until

HEALED_WITHIN = 60.0
_COMPRESSED_AFTER = "3s"
_CHANGES_IN_A_GESTURE = 1.9
# In a round of an upgrade: up, up, down, down, up.
_EXCHANGES = 5.5


@dataclass
class Plan:
    """What a round is about."""

    seed: int
    seconds: float
    clients: int
    changes_per_second: float
    trolley: Path
    directory: Path
    # How often the power must have failed, of the service and of devices; then the round is over. 0: it lasts all its seconds.
    cuts: int = 0


@dataclass
class Outcome:
    """What the nemesis did, and how long the queues took to become empty."""

    faults: dict[str, int] = field(default_factory=dict)
    emptied: float | None = None
    slowest: str = ""
    still_waiting: dict[str, int] = field(default_factory=dict)
    compressed: int = 0
    pages: int = 0


class Round:
    def __init__(self, plan: Plan, system) -> None:
        self.plan, self.system, self.random = plan, system, random.Random(plan.seed)
        self.outcome = Outcome()
        self.cables: dict[str, Cable] = {}
        self.plain: list[PlainClient] = []
        self.real: list[RealDevice] = []
        self.people: dict[str, Person] = {}
        self.notes = Recorder(plan.directory / "nemesis.jsonl")
        self.host = Host(system.address, Recorder(plan.directory / "host.jsonl"))
        self.lists: list[str] = []
        self.rate = 0.0

    def run(self) -> Outcome:
        nemesis = None
        try:
            self._set_up()
            nemesis = self._begin()
            end = time.monotonic() + self.plan.seconds
            while time.monotonic() < end and not self._has_cuts(nemesis):
                time.sleep(0.2)
                self._check(nemesis)
            nemesis.end()
            self.system.heal()
            self._heal()
            self._read()
            return self.outcome
        finally:
            if nemesis:
                self.outcome.pages = nemesis.pages
                self.outcome.faults = {**nemesis.counts, "commands killed": sum(each.kills for each in self.real)}
            for each in [*self.plain, *self.real]:
                each.stop()
            for cable in self.cables.values():
                cable.end()

    def _has_cuts(self, nemesis: Nemesis) -> bool:
        return 0 < self.plan.cuts <= min(nemesis.counts["power cut"], nemesis.counts["power cut of a device"])

    def _check(self, nemesis: Nemesis | None = None) -> None:
        for each in [*self.plain, *self.real, *([nemesis] if nemesis else [])]:
            each.check()

    # Before

    def _set_up(self) -> None:
        lists = self.lists = [self.host.make_list(is_compressed) for is_compressed in (False, self.system.has_real_devices)]
        real = self.plan.clients // 3 if self.system.has_real_devices else 0
        names = [f"plain-{index + 1}" for index in range(self.plan.clients - real)]
        rate = self.plan.changes_per_second / _CHANGES_IN_A_GESTURE / self.plan.clients
        for index, name in enumerate(names):
            person = self.people[name] = self.host.sign_up(name)
            self.host.introduce(name, person.account, person.device)
            for list_id in lists:
                self.host.admit(person, list_id)
            self.cables[name] = Cable(self.system.ports, self.plan.seed + index)
            self.plain.append(PlainClient(name, self.plan.directory, {
                "address": self.cables[name].address, "token": person.token, "lists": lists, "rate": rate,
                "seed": self.plan.seed * 100 + index, "states": self.system.has_states}))
        for index in range(real):
            self._set_up_real(f"real-{index + 1}", index, lists)
        self.rate = rate

    def _set_up_real(self, name: str, index: int, lists: list[str]) -> None:
        cable = self.cables[name] = Cable(self.system.ports, self.plan.seed + 50 + index)
        device = RealDevice(name, self.plan.directory / f"{name}-home", self.plan.trolley,
                            Recorder(self.plan.directory / f"{name}.jsonl"), random.Random(self.plan.seed * 100 + 50 + index),
                            self.system.library)
        if index == 0:
            # A person's second device.
            device.sign_in(cable.address, self.people["plain-1"].email)
            for list_id in lists:
                device.know(list_id)
        else:
            device.sign_up(cable.address, f"{name}@example.com")
            for list_id in lists:
                device.join(cable.address, list_id, self.host.invite(list_id))
        who = device.identity()
        self.people[name] = Person("", who["account"], who["device"], "")
        self.host.introduce(name, who["account"], who["device"])
        self.real.append(device)

    # While things go wrong

    def _begin(self) -> Nemesis:
        nemesis = Nemesis(self.system, self.cables, [*self.plain, *self.real], self.notes, self.plan.seed,
                          only_power=self.plan.cuts > 0)
        lanes = {}
        if self.system.has_real_devices:
            lanes = {"compression": (3.0, 8.0, lambda source: self._compress(nemesis, source)),
                     "participants": (8.0, 20.0, lambda source: self._remove(nemesis, source))}
        if self.system.has_real_devices and self.system.before:
            pause = self.plan.seconds / _EXCHANGES
            lanes["programs"] = (0.8 * pause, pause, lambda source: nemesis.note("program exchanged", **self.system.exchange()))
        # A machine that is busy may start the service so slowly that no request is answered before the next fault. Nothing is
        # promised about that: only that all is well so long after the last one.
        self.host.calls.patience = self.plan.seconds + HEALED_WITHIN
        for each in self.real:
            each.begin(self.rate)
        nemesis.begin(lanes, lambda: {each.process.pid for each in self.plain} | {
            process.pid for process in [*self.system.processes(), *(each.command for each in self.real)] if process})
        return nemesis

    def _compress(self, nemesis: Nemesis, source: random.Random) -> None:
        said = self.system.compress(self.lists[1], _COMPRESSED_AFTER, within=source.choice([0.05, 0.1, 30, 30]))
        nemesis.note("compressed", answer=said)
        self.outcome.compressed += said["discarded"] if said else 0

    def _remove(self, nemesis: Nemesis, source: random.Random) -> None:
        """Removes a participant, who joins again a little later. The person with two devices stays."""
        client = source.choice([*self.plain[1:], *self.real[1:]])
        person, list_id = self.people[client.name], source.choice(self.lists)
        nemesis.note("participant removed", client=client.name, list=list_id)
        self.host.remove(person, list_id)
        time.sleep(source.uniform(0.5, 4))
        secret = self.host.invite(list_id)
        if isinstance(client, RealDevice):
            client.join_again(f"{self.cables[client.name].address}/join#{secret}", list_id)
        else:
            client.join(list_id, secret)

    # After

    def _heal(self) -> None:
        """Waits until every queue is empty and everybody has fetched everything. What never becomes so is in the outcome."""
        began = time.monotonic()
        for each in [*self.plain, *self.real]:
            each.heal()
        try:
            until("all queues are empty", self._is_emptied, HEALED_WITHIN, every=0.1)
            last = max([*self.plain, *self.real], key=lambda each: each.emptied)
            self.outcome.emptied, self.outcome.slowest = last.emptied - began, last.name
        except Failed:
            self.outcome.still_waiting = {each.name: each.waiting for each in self.plain if each.emptied is None} | {
                each.name: -1 for each in self.real if each.emptied is None}
            return
        # Nobody makes changes any more: one fetch after this moment has everything.
        for each in self.plain:
            each.heal()
        until("everybody has fetched", lambda: self._check() or all(each.has_everything for each in self.plain), HEALED_WITHIN)
        for each in self.real:
            each.sync()

    def _is_emptied(self) -> bool:
        self._check()
        return all(each.emptied is not None for each in [*self.plain, *self.real])

    def _read(self) -> None:
        self.host.recorder.note("emptied", seconds=self.outcome.emptied, waiting=self.outcome.still_waiting)
        for list_id in self.lists:
            self.host.read(list_id, self.system.has_states)
        for each in self.real:
            self.host.recorder.note("device", client=each.name, **each.final())
