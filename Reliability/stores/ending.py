"""The end of a run: everything heals, and the devices are compared as soon as nothing waits any more."""

import json
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from browser import BrowserDevice
from compare import Truth, activity_lines, differences, first_difference, list_lines, lost
from fleet import Fleet
from household import Device, Person, Shown

_PAUSE = 0.3
# Read marks, and who did what, are compared in one run of so many, because they take requests of their own.
_READING_IN = 8


class Differs(Exception):
    """A promise is broken; says which."""


class Ending:
    """- members: who is on the list.
    - has_messages: whether somebody has said something."""

    def __init__(
        self, fleet: Fleet, list_id: str, number: int, members: set[Person], reader: Person, has_messages: bool, figures: Counter,
    ) -> None:
        self.fleet, self.list, self.number, self.members, self.reader = fleet, list_id, number, members, reader
        self.has_messages, self.figures = has_messages, figures
        self.shown: dict[Device, Shown] = {}

    def settle(self, source: random.Random, seconds: float) -> None:
        end, restless, rounds = time.monotonic() + seconds, self.fleet.devices, 0
        while restless and time.monotonic() < end:
            # Then somebody has been told to wait.
            time.sleep(0 if rounds < 3 else _PAUSE)
            rounds += 1
            self.figures["rounds"] += 1
            self.shown |= self._synced(source.sample(restless, len(restless)))
            self.truth = Truth.read(self.reader.calls, self.list)
            restless = [each for each in self.fleet.devices if not self._is_quiet(each)]
        for device, shown in self.shown.items():
            if shown.state is not None:
                device.complete(self.list, shown)

    def _synced(self, devices: list[Device]) -> dict[Device, Shown]:
        """Syncs devices, and looks at them. Commands run beside the pages, which belong to this thread."""
        pages = [each for each in devices if isinstance(each, BrowserDevice)]
        others = [each for each in devices if each not in pages]

        def synced(device: Device) -> Shown:
            device.sync()
            return device.shown(self.list)

        with ThreadPoolExecutor() as pool:
            waiting = pool.map(synced, others)
            shown = dict(zip(pages, map(synced, pages)))
            return shown | dict(zip(others, waiting))

    def _is_quiet(self, device: Device) -> bool:
        shown = self.shown[device]
        if device.person not in self.members:
            return shown.state is None
        if shown.state is None or shown.waiting or shown.to_apply:
            return False
        if shown.through is not None:
            return shown.through == self.truth.sequence
        # A hosted device doesn't tell how far it has come.
        return list_lines(shown.state) == list_lines(self.truth.state) and len(shown.entries) == len(self.truth.entries)

    def compare(self, made: dict[str, Device]) -> None:
        """Raises `Differs`.
        - made: the texts that devices said they had added."""
        found = [f"{device.name} ({device.kind}): {each}" for device in self.fleet.devices for each in self._differences(device)]
        found += lost(made, self.shown, self.truth)
        if self.number % _READING_IN == 0 and not found:
            found = self._reading()
        if found:
            self._keep()
            raise Differs("\n".join(found))

    def _differences(self, device: Device) -> list[str]:
        shown = self.shown[device]
        if device.person not in self.members:
            return ["it shows a list that its person is not on"] if shown.state is not None else []
        messages = device.messages(self.list) if self.has_messages and shown.state is not None else None
        return differences(device, shown, self.truth, messages)

    def _reading(self) -> list[str]:
        """Who did what, as the devices show it; and nothing is unread once everybody has read everything."""
        found = []
        for person in self.members:
            person.calls.persist("PUT", f"/v1/lists/{self.list}/read", {"through": self.truth.sequence})
        for device in self.fleet.devices:
            if device.person in self.members and (activity := device.activity(self.list)) is not None:
                found += [f"{device.name} ({device.kind}): {each}" for each in first_difference(
                    "the Activity's row", activity_lines(activity), activity_lines(self.truth.activity)[:len(activity)])]
                device.sync()
                if unread := device.unread(self.list) or 0:
                    found.append(f"{device.name} ({device.kind}): {unread} changes are unread, of none")
        self.figures["with read marks and names"] += 1
        return found

    def spoil(self, kind: str, source: random.Random) -> None:
        """A device of this kind loses an entry."""
        victim = source.choice([each for each in self.fleet.devices if each.kind == kind])
        victim.spoil(self.list)
        self.shown[victim] = victim.shown(self.list)
        victim.complete(self.list, self.shown[victim])

    def _keep(self) -> None:
        """Everything that was compared, for the search of the cause."""
        (self.fleet.directory / f"run-{self.number}.json").write_text(json.dumps({
            "list": self.list, "service": vars(self.truth), "devices": {each.name: vars(value) for each, value in self.shown.items()}}, indent=1))
