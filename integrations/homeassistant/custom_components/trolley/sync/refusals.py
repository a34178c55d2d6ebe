"""Changes that the service has refused after the action that made them was over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN
from ..device.entries import PendingEntry
from ..device.queue import Rejected
from ..device.shown import ShownList

if TYPE_CHECKING:
    from ..coordinator import TrolleyCoordinator


def report_refused(coordinator: TrolleyCoordinator, list_id: str, refused: list[Rejected]) -> None:
    """Changes of earlier were refused: say so where the person looks."""
    shown = coordinator.base.get(list_id)
    texts = dict.fromkeys(_text_of(shown, each.entry) for each in refused)
    described = {
        "list": (shown and shown.name) or list_id,
        "count": str(len(refused)),
        "items": ", ".join(list(texts)[:10]),
        "reason": refused[-1].detail or refused[-1].code,
    }
    ir.async_create_issue(
        coordinator.hass,
        DOMAIN,
        # One of its own each time: a person may have ignored the last one.
        f"refused_{refused[0].entry.id}",
        data={
            "entry": coordinator.entry.entry_id,
            "list_id": list_id,
            "entries": " ".join(each.entry.id for each in refused),
            **described,
        },
        is_fixable=True,
        is_persistent=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="changes_refused",
        translation_placeholders=described,
    )


def _text_of(shown: ShownList | None, entry: PendingEntry) -> str:
    text = (entry.content.get("fields") or {}).get("text")
    item = shown.item(entry.content["item"]) if shown else None
    return text or (item.text if item else None) or entry.content["operation"]
