"""What adding an item means: docs/journal.md, 'Rows, additions, suggestions'. An item that is wanted is not added again."""

from __future__ import annotations

import re
from typing import Any

from .entries import Change, new_id
from .shown import Item, ShownList

_SPACES = re.compile("[ \t\u00a0]+")
#: Of the wanted items of one text, this many are compared.
_MAX_COMPARED = 100


def key_of(text: str) -> str:
    """What all texts of one item have in common."""
    return _SPACES.sub(" ", text.lower()).strip(" ")


def additions(shown: ShownList, new_items: list[dict[str, Any]]) -> list[Change]:
    """The changes that put items, given by their fields, on a list: one gesture."""
    items = [Item(item.id, item.text, item.is_marked_off, dict(item.fields)) for item in shown.items]
    changes: list[Change] = []
    for fields in new_items:
        same = [item for item in items if key_of(item.text) == key_of(fields["text"])]
        wanted = [item for item in same if not item.is_marked_off][:_MAX_COMPARED]
        match = next((item for item in wanted if _agree(item.fields, fields)), None)
        if match:
            missing = {key: value for key, value in fields.items() if key not in match.fields}
            if missing:
                changes.append(Change("edit", match.id, missing))
                match.fields.update(missing)
            continue
        back = next((item for item in same if item.is_marked_off), None)
        if back:
            changed = {key: value for key, value in fields.items() if key != "text" and back.fields.get(key) != value}
            changes.append(Change("unmark", back.id))
            if changed:
                changes.append(Change("edit", back.id, changed))
                back.fields.update(changed)
            back.is_marked_off = False
            continue
        new = Item(new_id(), fields["text"], False, dict(fields))
        changes.append(Change("add", new.id, dict(fields), places=True, after=items[-1].id if items else None))
        items.append(new)
    return changes


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(key == "text" or one.get(key) in (None, value) for key, value in other.items())
