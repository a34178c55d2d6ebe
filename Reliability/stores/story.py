"""One run: a new list, its people and their devices, random steps, and the comparison."""

import random
import subprocess
import time
from collections import Counter

from ending import Differs, Ending
from fleet import Fleet
from hosted import held
from household import Device, Person
from system.cable import Flow
from system.processes import Failed

_GESTURES = {"add": 26, "edit": 16, "off": 12, "unmark": 5, "move": 9, "delete": 6, "clear": 2, "undo": 7, "redo": 4, "rename": 2,
             "recolour": 1, "say": 5, "react": 2, "shop": 3}
_EVENTS = {"gesture": 72, "cable": 10, "sync": 7, "compress": 2, "permission": 3, "people": 3, "reload": 1, "sign_in": 1}
_KILLED = 0.06
# A change to a list that is held takes ten seconds until it is queued, and some more until it is sent: in one run of so many.
_HELD_IN = 64
_COLOURS = ("#ffcc00", "#3366ff", "#22aa44")
# Refused entries and notices are dismissed in one run of so many, or when there are more than that.
_DISMISSED_IN, _MOST_REJECTED = 16, 30


class Story:
    """- within: all queues are empty and all devices equal so many seconds after the last step."""

    def __init__(self, fleet: Fleet, number: int, seed: str, within: float, figures: Counter) -> None:
        self.fleet, self.number, self.random, self.within, self.figures = fleet, number, random.Random(seed), within, figures
        self.owner: Person = self.random.choice(fleet.people)
        self.members: dict[Person, str] = {self.owner: "readWrite"}
        self.texts: list[str] = []
        self.said: list[str] = []
        self.made: dict[str, Device] = {}
        self.count = 0
        self.list = ""
        self.is_spoiled = False

    def play(self, steps: int, spoil: str = "") -> None:
        """Raises `Differs`.
        - spoil: the kind of device that loses an entry before the comparison."""
        self._begin()
        holds = self.random.randrange(steps) if self.number % _HELD_IN == 1 else None
        for step in range(steps):
            event = self.random.choices(list(_EVENTS), list(_EVENTS.values()))[0]
            getattr(self, f"_{event if step != holds else 'hold'}")()
        ending = self._ended(spoil)
        if spoil:
            ending.spoil(spoil, self.random)
            self.is_spoiled = True
            ending.compare(self.made)
        self._clear(ending)

    def _begin(self) -> None:
        maker = self.random.choice([each for each in self._devices(self.owner) if each.can_be_cut])
        self.list = maker.make_list(f"list {self.number}")
        self._until_it_is_published(maker)
        for person in self.fleet.people:
            if person is not self.owner:
                self._admit(person, self.random.choices(["readWrite", "readOnly"], [9, 1])[0])
        for device in self.fleet.devices:
            device.sync()

    def _until_it_is_published(self, maker: Device) -> None:
        end = time.monotonic() + self.within
        while not any(each["id"] == self.list for each in self.owner.calls.persist("GET", "/v1/lists")["lists"]):
            if time.monotonic() > end:
                raise Differs(f"{maker.name} has made a list, and the service doesn't get it")
            maker.sync()

    def _devices(self, person: Person) -> list[Device]:
        return [each for each in self.fleet.devices if each.person is person]

    # Steps

    def _gesture(self, device: Device | None = None) -> None:
        device = device or self.random.choice(self.fleet.devices)
        kinds = [kind for kind in _GESTURES if kind in device.does]
        kind = self.random.choices(kinds, [_GESTURES[each] for each in kinds])[0]
        values = self._values(kind, device)
        if values is None:
            return
        is_killed = self.random.random() < _KILLED
        is_done = device.act(self.list, kind, *values, is_killed=is_killed, source=self.random)
        self.figures["killed"] += is_killed
        self.figures[f"{device.kind} gestures"] += is_done
        self.figures["gestures offline"] += is_done and not device.is_online
        if kind == "add":
            self.texts += values
            if is_done:
                self.made |= dict.fromkeys(values, device)
        elif kind == "edit" and values[1] == "text":
            self.texts.append(values[2])
        elif kind == "say":
            self.said += values
        elif kind == "shop":
            # A page that was killed in the middle may have switched it on.
            device.is_shopping = values[0] == "on" or not is_done

    def _hold(self) -> None:
        """For a hosted device this is what a cut cable is for the others."""
        with held(self.fleet.postgres, self.list):
            for device in [each for each in self.fleet.devices if not each.can_be_cut]:
                self._gesture(device)
        self.figures["lists held"] += 1

    def _values(self, kind: str, device: Device) -> list[str] | None:
        """None: there is nothing yet that it could be about."""
        self.count += 1
        match kind:
            case "add":
                number = 1 if device.kind == "hosted" else self.random.choice([1, 1, 2, 3])
                return [f"thing {self.number:05}-{self.count:03}-{place}" for place in range(number)]
            case "rename": return [f"list {self.number} {self.count}"]
            case "recolour": return [self.random.choice(_COLOURS)]
            case "say": return [f"message {self.number:05}-{self.count:03}"]
            case "react": return [self.random.choice(self.said)] if self.said else None
            case "undo" | "redo" | "clear": return []
            case "shop": return ["off" if device.is_shopping else "on"]
        if not self.texts:
            return None
        # Mostly one of the last, so that devices change the same things.
        text = self.random.choice(self.texts[-6:] if self.random.random() < 0.7 else self.texts)
        match kind:
            case "edit":
                field = self.random.choice(["text", "quantity", "note", "aisle"])
                value = "" if field != "text" and self.random.random() < 0.2 else f"{field} {self.number:05}-{self.count:03}"
                return [text, field, value]
            case "move": return self.random.sample(self.texts, 2) if len(self.texts) > 1 and self.random.random() < 0.7 else [text]
            case _: return [text]

    def _cable(self) -> None:
        device = self.random.choice([each for each in self.fleet.devices if each.can_be_cut])
        if device.cable.is_connected:
            # The request may have arrived, and only its answer is lost.
            if self.random.random() < 0.3:
                device.cable.set(to_client=Flow.LOST)
            else:
                device.cable.cut()
            self.figures["cables cut"] += 1
        else:
            device.cable.set()

    def _sync(self) -> None:
        self.random.choice(self.fleet.devices).sync()

    def _compress(self) -> None:
        done = subprocess.run(
            [self.fleet.program, "compress", "--older-than", "0s", "--list", self.list, "--database-url", self.fleet.postgres.url, "--json"],
            capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"trolleyd compress: {done.stdout}{done.stderr}")
        self.figures["compressions"] += 1

    def _permission(self) -> None:
        others = [each for each in self.members if each is not self.owner]
        if others:
            person = self.random.choice(others)
            self.members[person] = "readWrite" if self.members[person] == "readOnly" else "readOnly"
            self.owner.calls.persist("PATCH", f"/v1/lists/{self.list}/participants/{person.account}", {"permission": self.members[person]})
            self.figures["permissions changed"] += 1

    def _people(self) -> None:
        person = self.random.choice([each for each in self.fleet.people if each is not self.owner])
        if person not in self.members:
            return self._admit(person, "readWrite")
        del self.members[person]
        # Removed by the owner, or gone by themselves.
        actor = self.random.choice([self.owner, person])
        actor.calls.persist("DELETE", f"/v1/lists/{self.list}/participants/{person.account}")
        self.figures["people gone"] += 1

    def _admit(self, person: Person, permission: str) -> None:
        secret = self.owner.calls.persist("POST", f"/v1/lists/{self.list}/invitations", {"permission": permission})["secret"]
        person.calls.persist("POST", "/v1/invitations/accept", {"secret": secret})
        # Whoever comes back has the permission of before.
        share = self.owner.calls.persist("GET", f"/v1/lists/{self.list}/share")["share"]
        self.members[person] = next(each["permission"] for each in share["participants"] if each.get("account") == person.account)

    def _reload(self) -> None:
        self.random.choice([each for each in self.fleet.devices if each.can_be_cut]).reload()
        self.figures["reloads"] += 1

    def _sign_in(self) -> None:
        """Another device, to the service: it begins with nothing."""
        device = self.random.choice(self.fleet.devices)
        if device.can_be_cut:
            device.cable.set()
        self._stop_shopping(device)
        device.sync()
        before = device.shown(self.list)
        if before.waiting == 0:
            # What it was refused was in sight, and goes with its storage.
            for entry in before.rejected:
                self.made.pop(entry.get("fields", {}).get("text"), None)
            device.sign_out()
            device.sign_in()
            device.sync()
            self.figures["signed in again"] += 1

    def _stop_shopping(self, device: Device) -> None:
        if device.is_shopping:
            device.act(self.list, "shop", "off")
            device.is_shopping = False

    # The end

    def _ended(self, spoil: str) -> Ending:
        """Everything heals."""
        for device in self.fleet.devices:
            if device.can_be_cut:
                device.cable.set()
        for device in self.fleet.devices:
            self._stop_shopping(device)
        for person in self.fleet.people:
            if person not in self.members and (spoil or self.random.random() < 0.7):
                self._admit(person, "readWrite")
        ending = Ending(self.fleet, self.list, self.number, set(self.members), self.owner, bool(self.said), self.figures)
        ending.settle(self.random, self.within)
        ending.compare(self.made)
        return ending

    def _clear(self, ending: Ending) -> None:
        rejected = {each["id"] for shown in ending.shown.values() for each in shown.rejected}
        self.figures["rejected entries"] += len(rejected - self.fleet.rejected)
        self.fleet.rejected |= rejected
        self.figures["rows"] += len(ending.truth.activity)
        # It leaves the devices with their next sync.
        self.owner.calls.persist("DELETE", f"/v1/lists/{self.list}")
        for device in self.fleet.devices:
            if self.number % _DISMISSED_IN == 0 or len(ending.shown[device].rejected) > _MOST_REJECTED:
                device.dismiss()
