"""People, and what their devices of every kind can do."""

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from clients.calls import Calls
from system.cable import Cable

PASSWORD = "correct horse battery"


def patient(address: str) -> Calls:
    """For a machine that has something else to do. Only what hangs takes longer."""
    return Calls(address, 300, patience=900)


@dataclass(eq=False)
class Person:
    """An account, with a session of its own for what no device is needed for: who is on a list, and with which permission."""

    name: str
    email: str
    account: str
    calls: Calls


def sign_up(address: str, name: str, email: str) -> Person:
    calls = patient(address)
    account = calls.persist("POST", "/v1/accounts", {"email": email, "name": name, "password": PASSWORD})
    session = calls.persist("POST", "/v1/sessions", {"email": email, "password": PASSWORD, "deviceName": "host"})
    calls.token = session["token"]
    return Person(name, email, account["id"], calls)


@dataclass
class Shown:
    """What a device has of a list. Without `state` it has no such list.
    - waiting, to_apply: the lengths of its two queues.
    - through, digest: None for a device that doesn't tell.
    - entries: the confirmed ones as they are stored, in order."""

    state: dict | None = None
    waiting: int = 0
    to_apply: int = 0
    through: int | None = None
    digest: str | None = None
    entries: list[dict] = field(default_factory=list)
    rejected: list[dict] = field(default_factory=list)


class Device(ABC):
    kind = ""
    # What this kind does with a list.
    does: tuple[str, ...] = (
        "add", "edit", "off", "unmark", "move", "delete", "clear", "undo", "redo", "rename", "recolour", "say", "react", "shop")
    can_be_cut = True
    # With each entry, the service's receipt.
    has_receipts = True

    def __init__(self, name: str, person: Person) -> None:
        self.name, self.person = name, person
        # Set before it signs in, unless `can_be_cut` is false.
        self.cable: Cable
        self.is_shopping = False

    @property
    def is_online(self) -> bool:
        return not self.can_be_cut or self.cable.is_connected

    @abstractmethod
    def sign_in(self) -> None: ...

    @abstractmethod
    def sign_out(self) -> None:
        """Only while nothing waits: what is unsent is lost."""

    def make_list(self, name: str) -> str:
        raise NotImplementedError

    @abstractmethod
    def act(self, list_id: str, kind: str, *values: str, is_killed: bool = False, source: random.Random | None = None) -> bool:
        """One gesture. Items and messages are named by their texts.
        - is_killed: the program ends somewhere in it.
        Returns whether it was done. It isn't when the item is gone, or when the person may only read."""

    @abstractmethod
    def sync(self) -> bool:
        """Returns whether it got through."""

    @abstractmethod
    def shown(self, list_id: str) -> Shown: ...

    def complete(self, list_id: str, shown: Shown) -> None:
        """Adds the list as it is drawn, where that takes a call of its own."""

    def messages(self, list_id: str) -> list[dict] | None:
        """None: this kind shows none."""
        return None

    def activity(self, list_id: str) -> list[dict] | None:
        return None

    def unread(self, list_id: str) -> int | None:
        return None

    def reload(self) -> None:
        """It is started again. A device of commands is with each of them."""

    @abstractmethod
    def dismiss(self) -> None:
        """Forgets rejected entries and notices."""

    @abstractmethod
    def spoil(self, list_id: str) -> None:
        """Drops one received entry, so that the device differs."""
