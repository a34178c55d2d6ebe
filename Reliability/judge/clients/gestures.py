"""What people do to a list: random gestures of one or more entries."""

import random
from typing import Any

from clients.calls import identifier

_KNOWN = 80
_COLOURS = ["red", "green", "blue", None]


class Gestures:
    """Knows some items and messages of one list, and makes entries about them. Nothing but `random` decides."""

    def __init__(self, name: str, source: random.Random) -> None:
        self.name, self.random = name, source
        self.items: list[str] = []
        self.messages: list[str] = []
        self.count = 0

    def learn(self, entry: dict[str, Any]) -> None:
        """An entry that is on the list, of this device or another."""
        if entry["operation"] == "add" and entry["item"] not in self.items:
            self.items = (self.items + [entry["item"]])[-_KNOWN:]
        elif entry["operation"] == "message":
            self.messages = (self.messages + [entry["id"]])[-_KNOWN:]

    def make(self) -> list[dict[str, Any]]:
        """The entries of one gesture, in order, with one `batch` if there are several."""
        kind = self.random.choices(
            ["add", "edit", "markOff", "unmark", "move", "delete", "rename", "message", "answer"],
            [26, 18, 14, 8, 12, 7, 3, 6, 6])[0]
        count = 1 if kind in ("rename", "message", "answer") or self.random.random() < 0.6 else self.random.randint(2, 6)
        entries = self._add(count) if kind == "add" or not self.items else \
            [self._about_list() for _ in range(count)] if kind == "rename" else \
            [self._message()] if kind == "message" or kind == "answer" and not self.messages else \
            [self._answer()] if kind == "answer" else \
            [self._about_item(kind) for _ in range(count)]
        if len(entries) > 1:
            batch = identifier(self.random)
            for entry in entries:
                entry["batch"] = batch
        for entry in entries:
            self.learn(entry)
        return entries

    def invalid(self) -> dict[str, Any]:
        """An entry that the service must reject."""
        return self._entry("explode", item=identifier(self.random))

    def _entry(self, operation: str, **members: Any) -> dict[str, Any]:
        return {"id": identifier(self.random), "operation": operation, **members}

    def _text(self, what: str) -> str:
        self.count += 1
        return f"{what} {self.count} of {self.name}" + self.random.choice(["", "", " é", " 🛒"])

    def _anchor(self) -> str | None:
        return self.random.choice(self.items) if self.items and self.random.random() < 0.8 else None

    def _add(self, count: int) -> list[dict[str, Any]]:
        after, entries = self._anchor(), []
        for _ in range(count):
            item, fields = identifier(self.random), {"text": self._text("item")}
            if self.random.random() < 0.3:
                fields["quantity"] = f"{self.random.randint(1, 9)} kg"
            entries.append(self._entry("add", item=item, after=after, fields=fields))
            after = item
        return entries

    def _about_item(self, operation: str) -> dict[str, Any]:
        item = self.random.choice(self.items)
        if operation == "move":
            return self._entry("move", item=item, after=self._anchor())
        if operation == "edit":
            key = self.random.choice(["text", "quantity", "note", "aisle", "shop"])
            value = self._text(key) if key == "text" or self.random.random() < 0.8 else None
            return self._entry("edit", item=item, fields={key: value})
        return self._entry(operation, item=item)

    def _about_list(self) -> dict[str, Any]:
        if self.random.random() < 0.5:
            return self._entry("renameList", fields={"text": self._text("list")})
        return self._entry("recolourList", fields={"text": self.random.choice(_COLOURS)})

    def _message(self) -> dict[str, Any]:
        about = {"item": self.random.choice(self.items)} if self.items and self.random.random() < 0.3 else {}
        return self._entry("message", **about, fields={"text": self._text("message")})

    def _answer(self) -> dict[str, Any]:
        operation = self.random.choice(["react", "react", "unreact", "pin", "unpin"])
        fields = {"message": self.random.choice(self.messages)}
        if operation.endswith("react"):
            fields["text"] = self.random.choice(["👍", "🎉"])
        return self._entry(operation, fields=fields)
