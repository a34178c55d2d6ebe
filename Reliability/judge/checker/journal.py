"""A list's fold and digest, by the words of docs/journal.md and by nothing else."""

import hashlib
import json
import uuid
from dataclasses import dataclass, field
from typing import Any

Stamp = tuple[str, int]
"""`madeAt`, which sorts as text, and the sequence: the higher one is later."""

_REMOVES = "delete"
_DECIDES_DELETED = ("delete", "add", "edit", "unmark")
_DECIDES_MARK = ("markOff", "add", "unmark")


@dataclass
class _Register:
    """Keeps the latest of what is written."""

    stamp: Stamp | None = None
    value: Any = None

    def write(self, stamp: Stamp, value: Any) -> None:
        if self.stamp is None or stamp > self.stamp:
            self.stamp, self.value = stamp, value


@dataclass
class _Item:
    is_added: bool = False
    mark: _Register = field(default_factory=_Register)
    decision: _Register = field(default_factory=_Register)
    placed: Stamp | None = None
    fields: dict[str, _Register] = field(default_factory=dict)

    @property
    def is_wanted(self) -> bool:
        return self.is_added and self.decision.value != _REMOVES and self.mark.value != "markOff"


class ListFold:
    """Takes entries by ascending sequence. `after` may be given apart from the entry: compression gives new anchors."""

    def __init__(self) -> None:
        self.name, self.colour = _Register(), _Register()
        self._items: dict[str, _Item] = {}
        self._order: list[str] = []
        self._folded: set[str] = set()

    def fold(self, entry: dict[str, Any], sequence: int, after: str | None) -> None:
        if entry["id"] in self._folded:
            return
        self._folded.add(entry["id"])
        stamp, operation, fields = (entry["madeAt"], sequence), entry["operation"], entry.get("fields") or {}
        if operation in ("renameList", "recolourList"):
            is_name = operation == "renameList"
            self._about_list(self.name if is_name else self.colour, "name" if is_name else "colour", stamp, fields)
            return
        if operation not in ("add", "edit", "markOff", "unmark", "move", "delete"):
            return
        item = self._items.setdefault(entry["item"], _Item())
        if operation in ("add", "edit"):
            for key, value in fields.items():
                item.fields.setdefault(key, _Register()).write(stamp, value)
        if operation in _DECIDES_MARK:
            item.mark.write(stamp, operation)
        if operation in _DECIDES_DELETED:
            item.decision.write(stamp, operation)
        if operation in ("add", "move"):
            self._place(entry["item"], item, operation, stamp, after)

    @staticmethod
    def _about_list(register: _Register, other_key: str, stamp: Stamp, fields: dict[str, Any]) -> None:
        key = "text" if "text" in fields else other_key
        if key in fields and (fields[key] is None or isinstance(fields[key], str)):
            register.write(stamp, fields[key])

    def _place(self, item_id: str, item: _Item, operation: str, stamp: Stamp, after: str | None) -> None:
        is_first = operation == "add" and not item.is_added
        if operation == "add":
            item.is_added = True
        if not is_first and (not item.is_added or item.placed is None or stamp < item.placed or after == item_id):
            return
        item.placed = stamp
        if item_id in self._order:
            self._order.remove(item_id)
        if after is None:
            self._order.insert(0, item_id)
        elif after in self._order:
            self._order.insert(self._order.index(after) + 1, item_id)
        else:
            self._order.append(item_id)

    def wanted(self) -> list[tuple[str, dict[str, Any]]]:
        """The items that are shown and not marked off, in list order, with their fields that are not null."""
        return [(each, {key: register.value for key, register in self._items[each].fields.items()
                        if register.value is not None})
                for each in self._order if self._items[each].is_wanted]

    def digest(self) -> str:
        return digest(self.name.value, self.colour.value, self.wanted())


def digest(name: str | None, colour: str | None, wanted: list[tuple[str, dict[str, Any]]]) -> str:
    """As docs/journal.md describes it, byte for byte."""
    data = b"trolley-state-1\n" + _optional(name) + _optional(colour) + _number(len(wanted))
    for item, fields in wanted:
        data += uuid.UUID(item).bytes + _number(len(fields))
        for key, value in sorted(fields.items(), key=lambda pair: pair[0].encode()):
            data += _text(key)
            data += b"\1" + _text(value) if isinstance(value, str) else b"\2" + _text(_json(value))
    return hashlib.sha256(data).hexdigest()[:32]


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _text(value: str) -> bytes:
    return _number(len(value.encode())) + value.encode()


def _optional(value: str | None) -> bytes:
    return b"\0" if value is None else b"\1" + _text(value)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
