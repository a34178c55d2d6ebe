"""What goes wrong while clients work. Each lane of faults has its own thread and its own seed, so lanes overlap."""

import errno
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol

from clients.real import RealDevice
from clients.recorder import Recorder
from system.cable import Cable, Flow
from system.disk import Disk
from system.processes import reap, send

# PostgreSQL recovers after each of these: more often, and nothing else would happen.
_DATABASE_EVERY = 8.0
# Where the power can fail: of the times when the service would be killed, and of those when a command would be.
_POWER_CUTS = 0.5
# Of the faults of the database, where machines go wrong.
_SLOW_DATABASES = 0.4
# Longer than PostgreSQL lets a session wait inside a transaction (20 s).
_LONG_PAUSE = (21.0, 25.0)


class Victim(Protocol):
    """What the nemesis does to a system. `Service` and the peers have these.
    - server_kills: of the faults of the database, how many kill its server, and not only a backend.
    - disk: of its database, if that can go wrong."""

    ports: list[int]
    server_kills: float
    disk: Disk | None

    def kill(self, index: int) -> None: ...
    def start(self, index: int) -> float: ...
    def pause(self, index: int) -> None: ...
    def resume(self, index: int) -> None: ...
    def backends(self) -> list[int]: ...
    def kill_database(self) -> bool: ...
    def database(self) -> list[int]: ...
    def cut_power(self, source: random.Random) -> int: ...


class Target(Protocol):
    """A client that can be stopped and continued."""

    name: str

    def signal(self, number: int) -> bool: ...


class Nemesis:
    """With `only_power`, the power fails much more often, and machines go wrong in no other way."""

    def __init__(
        self, victim: Victim, cables: dict[str, Cable], targets: list[Target], recorder: Recorder, seed: int, only_power: bool = False,
    ) -> None:
        self.victim, self.cables, self.targets, self.recorder = victim, cables, targets, recorder
        self.counts: Counter[str] = Counter()
        self.failure: Exception | None = None
        # That were not flushed when the power failed.
        self.pages = 0
        self._seed, self._only_power, self._is_over = seed, only_power, threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, more: dict[str, tuple[float, float, Callable[[random.Random], None]]], known: Callable[[], set[int]]) -> None:
        """Starts all lanes.
        - more: lanes of the round, by name: the shortest and longest pause between two faults, and the fault.
        - known: ids of processes that somebody else waits for."""
        processes = {
            "kills": (1.0, 10.0, self._kill_service),
            "pauses": (2.0, 10.0, self._pause_service),
            "database": (_DATABASE_EVERY, 2 * _DATABASE_EVERY, self._hurt_database),
            "clients": (0.5, 3.0, self._hurt_client),
            **({"disks": (3.0, 12.0, self._hurt_disk), "clocks": (2.0, 10.0, self._set_clock)} if self.victim.disk else {}),
        }
        power = {"power of the service": (0.5, 4.0, self._cut_power), "power of devices": (0.3, 2.0, self._cut_power_of_device)}
        lanes = {
            **(power if self._only_power else processes),
            **{f"network {index + 1}": (0.3, 3.0, self._hurt_network) for index in range(3)},
            "adopted": (5.0, 5.0, lambda _: reap(known())),
            **more,
        }
        for index, (name, (shortest, longest, fault)) in enumerate(lanes.items()):
            source = random.Random(self._seed * 1000 + index)
            thread = threading.Thread(target=self._lane, args=(source, shortest, longest, fault), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _lane(self, source: random.Random, shortest: float, longest: float, fault: Callable[[random.Random], None]) -> None:
        try:
            while not self._is_over.wait(source.uniform(shortest, longest)):
                fault(source)
        except Exception as error:  # A thread's error is the run's: `check` raises it.
            self.failure = error

    def check(self) -> None:
        if self.failure:
            raise self.failure

    def end(self) -> None:
        """No more faults, and all of them over."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()
        for cable in self.cables.values():
            cable.set()
        for target in self.targets:
            target.signal(signal.SIGCONT)
        self.check()

    def note(self, fault: str, **what: object) -> None:
        self.counts[fault] += 1
        self.recorder.note(fault, **what)

    def _pause(self, seconds: float) -> None:
        """Waits, and not longer than the load goes on."""
        self._is_over.wait(seconds)

    def _note_lost(self, pages: int, **what: object) -> None:
        self.pages += pages
        self.recorder.note("pages lost", count=pages, **what)

    # Faults

    def _machine(self, source: random.Random) -> tuple[Disk, str]:
        """That of the service, or a real device, by its disk."""
        devices = [each for each in self.targets if isinstance(each, RealDevice) and each.disk]
        device = source.choice(devices) if devices and source.random() < 0.4 else None
        return (device.disk, device.name) if device else (self.victim.disk, "service")

    def _set_clock(self, source: random.Random) -> None:
        disk, name = self._machine(source)
        ahead = source.choice([-86_400, -3_600, -120, -5, 5, 120, 3_600, 86_400])
        self.note("clock set", of=name, ahead=ahead)
        disk.set_clock(ahead)
        self._pause(source.uniform(0.5, 8))
        disk.set_clock(0)
        self.recorder.note("clock right", of=name)

    def _hurt_disk(self, source: random.Random) -> None:
        disk, name = self._machine(source)
        fault = source.choice(["disk full", "flush failed", "slow flush"])
        self.note(fault, of=name)
        disk.set(write_error=errno.ENOSPC if fault == "disk full" else 0,
                 flush_error=errno.EIO if fault == "flush failed" else 0,
                 flush_milliseconds=source.randrange(100, 2_000) if fault == "slow flush" else 0)
        self._pause(source.uniform(0.5, 5))
        disk.set()
        self.recorder.note("disk well", of=name)

    def _kill_service(self, source: random.Random) -> None:
        count = len(self.victim.ports)
        hit = range(count) if source.random() < 0.2 else [source.randrange(count)]
        if self.victim.disk and source.random() < _POWER_CUTS:
            return self._cut_power(source)
        for index in hit:
            self.note("service killed", process=index)
            self.victim.kill(index)
        self._start(source, hit)

    def _cut_power(self, source: random.Random) -> None:
        self.note("power cut")
        self._note_lost(self.victim.cut_power(source))
        self._start(source, range(len(self.victim.ports)))

    def _start(self, source: random.Random, hit: Iterable[int]) -> None:
        self._pause(source.uniform(0, 1.5))
        for index in hit:
            self.recorder.note("service started", process=index, seconds=self.victim.start(index))

    def _pause_service(self, source: random.Random) -> None:
        index = source.randrange(len(self.victim.ports))
        self.note("service paused", process=index)
        self.victim.pause(index)
        self._pause(source.uniform(*(_LONG_PAUSE if source.random() < 0.1 else (0.3, 4))))
        self.victim.resume(index)

    def _hurt_database(self, source: random.Random) -> None:
        if self.victim.disk and source.random() < _SLOW_DATABASES:
            return self._pause_database(source)
        pids = self.victim.backends()
        if source.random() < self.victim.server_kills and self.victim.kill_database():
            self.note("database killed")
        elif pids and send(signal.SIGKILL, pid := source.choice(pids)):
            self.note("backend killed", pid=pid)

    def _pause_database(self, source: random.Random) -> None:
        """It answers later, as one whose machine has too much to do."""
        pids = self.victim.database()
        self.note("database paused", processes=len(pids))
        for pid in pids:
            send(signal.SIGSTOP, pid)
        self._pause(source.uniform(0.5, 6))
        # Those too that the paused ones were just starting.
        for pid in {*pids, *self.victim.database()}:
            send(signal.SIGCONT, pid)

    def _hurt_network(self, source: random.Random) -> None:
        name = source.choice(list(self.cables))
        cable, fault = self.cables[name], source.choice(["disconnected", "requests held", "answers held", "answers lost"])
        self.note(fault, client=name)
        if fault == "disconnected":
            cable.cut()
        elif fault == "requests held":
            cable.set(to_service=Flow.HELD)
        else:
            cable.set(to_client=Flow.HELD if fault == "answers held" else Flow.LOST)
        self._pause(source.uniform(0.3, 5))
        cable.set()
        self.recorder.note("connected", client=name)

    def _cut_power_of_device(self, source: random.Random) -> None:
        devices = [each for each in self.targets if isinstance(each, RealDevice) and each.disk]
        if devices:
            self._lose_power(source.choice(devices), source)

    def _lose_power(self, device: RealDevice, source: random.Random) -> None:
        self.note("power cut of a device", client=device.name)
        self._note_lost(device.cut_power(source), client=device.name)

    def _hurt_client(self, source: random.Random) -> None:
        target = source.choice(self.targets)
        if isinstance(target, RealDevice) and target.disk and source.random() < _POWER_CUTS:
            self._lose_power(target, source)
        elif isinstance(target, RealDevice) and source.random() < 0.7:
            seconds = source.uniform(0, 0.12)
            self.recorder.note("command doomed", client=target.name, seconds=seconds)
            target.doom(seconds)
        elif target.signal(signal.SIGSTOP):
            self.note("client paused", client=target.name)
            self._pause(source.uniform(0.3, 3))
            target.signal(signal.SIGCONT)
