"""A list as it is shown: the service's folded state, with the device's own unconfirmed entries on top."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from .entries import PendingEntry


@dataclass
class Item:
    """An item of a list."""

    id: str
    text: str
    is_marked_off: bool = False
    fields: dict[str, Any] = field(default_factory=dict)

    def _text_of(self, key: str) -> str | None:
        value = self.fields.get(key)
        return value if isinstance(value, str) and value else None

    @property
    def quantity(self) -> str | None:
        return self._text_of("quantity")

    @property
    def note(self) -> str | None:
        return self._text_of("note")

    @property
    def aisle(self) -> str | None:
        return self._text_of("aisle")


@dataclass
class ShownList:
    """A list of the account."""

    id: str
    name: str | None = None
    colour: str | None = None
    aisles: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    sequence: int = 0
    digest: str | None = None
    can_edit: bool = True
    role: str = "owner"
    #: The names of the people who have it open.
    present: list[str] = field(default_factory=list)
    #: The names of the people on it, by account.
    people: dict[str, str] = field(default_factory=dict)

    @property
    def wanted(self) -> list[Item]:
        return [item for item in self.items if not item.is_marked_off]

    def item(self, item_id: str) -> Item | None:
        return next((item for item in self.items if item.id == item_id), None)

    def stored(self) -> dict[str, Any]:
        return {
            "state": {
                "name": self.name, "colour": self.colour, "aisles": self.aisles, "sequence": self.sequence, "digest": self.digest,
                "items": [{"id": i.id, "text": i.text, "markedOff": i.is_marked_off, "fields": i.fields} for i in self.items],
            },
            "canEdit": self.can_edit,
            "role": self.role,
        }  # fmt: skip

    @classmethod
    def restored(cls, list_id: str, value: dict[str, Any]) -> ShownList:
        shown = cls(list_id, can_edit=value["canEdit"], role=value["role"])
        return shown.with_state(value["state"])

    def with_state(self, state: dict[str, Any]) -> ShownList:
        """The list after a fetch: the answer of `GET /v1/lists/{id}/state`."""
        return replace(
            self,
            name=state.get("name"),
            colour=state.get("colour"),
            aisles=list(state.get("aisles") or []),
            sequence=state["sequence"],
            digest=state.get("digest"),
            items=[Item(i["id"], i["text"], i["markedOff"], dict(i["fields"])) for i in state["items"]],
        )

    def with_pending(self, entries: Iterable[PendingEntry]) -> ShownList:
        """The list with entries that the service has not confirmed. They are the latest changes, so each of them counts.

        What is offered again is older: the service says what it comes to.
        """
        entries = [entry for entry in entries if not entry.is_offered]
        if not entries:
            return self
        items = [replace(item, fields=dict(item.fields)) for item in self.items]
        for entry in entries:
            _apply(items, entry.content)
        return replace(self, items=items)


def _apply(items: list[Item], content: dict[str, Any]) -> None:
    operation, item_id = content["operation"], content["item"]
    item = next((each for each in items if each.id == item_id), None)
    if operation == "add" and item is None:
        item = Item(item_id, "")
        items.append(item)
    if item is None:
        # Deleted by somebody, and this entry may bring it back: the service says so when it has it.
        return
    if operation == "markOff":
        item.is_marked_off = True
    elif operation == "unmark":
        item.is_marked_off = False
    elif operation == "delete":
        items.remove(item)
        return
    for key, value in (content.get("fields") or {}).items():
        if value is None:
            item.fields.pop(key, None)
        else:
            item.fields[key] = value
    text = item.fields.get("text")
    item.text = text if isinstance(text, str) else ""
    if "after" in content and content["after"] != item_id:
        items.remove(item)
        places = {each.id: index for index, each in enumerate(items)}
        after = content["after"]
        items.insert(0 if after is None else places.get(after, len(items) - 1) + 1, item)
