"""One to-do list for each list of the account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from homeassistant.components.todo import TodoItem, TodoListEntity
from homeassistant.components.todo.const import TodoItemStatus, TodoListEntityFeature
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .const import DOMAIN, MAX_ITEMS_IN_ATTRIBUTES
from .coordinator import TrolleyCoordinator
from .device.additions import additions
from .device.entries import Change
from .device.lines import lines_of
from .device.shown import Item, ShownList
from .entity import ListEntity, add_for_each_list
from .services import register_entity_services

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant
    from homeassistant.helpers.entity_platform import AddEntitiesCallback

# Changes wait in one queue and are sent together, so actions need not wait for each other.
PARALLEL_UPDATES = 0

_ALL_FEATURES = (
    TodoListEntityFeature.CREATE_TODO_ITEM
    | TodoListEntityFeature.UPDATE_TODO_ITEM
    | TodoListEntityFeature.DELETE_TODO_ITEM
    | TodoListEntityFeature.MOVE_TODO_ITEM
    | TodoListEntityFeature.SET_DESCRIPTION_ON_ITEM
)


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry, async_add_entities: AddEntitiesCallback) -> None:
    """Make the to-do lists."""
    register_entity_services()
    add_for_each_list(entry, async_add_entities, lambda coordinator, list_id: [TrolleyTodoList(coordinator, list_id)])


class TrolleyTodoList(ListEntity, TodoListEntity):
    """A list. Its items stand in the list's order, so that one can be moved between two others."""

    _attr_name = None
    _attr_translation_key = "list"
    _unrecorded_attributes = frozenset({"items", "aisles"})

    def __init__(self, coordinator: TrolleyCoordinator, list_id: str) -> None:
        super().__init__(coordinator, list_id, "list")

    @property
    def supported_features(self) -> TodoListEntityFeature:
        shown = self.shown
        return _ALL_FEATURES if shown and shown.can_edit else TodoListEntityFeature(0)

    @property
    def state(self) -> int | None:
        return len(self.shown.wanted) if self.shown else None

    @property
    def todo_items(self) -> list[TodoItem] | None:
        return [_todo(item) for item in self.shown.items] if self.shown else None

    @property
    def extra_state_attributes(self) -> dict[str, Any]:
        shown = self.shown
        if not shown:
            return {}
        return {
            "items": [described(item) for item in shown.wanted[:MAX_ITEMS_IN_ATTRIBUTES]],
            "aisles": shown.aisles,
            "waiting": len(self.coordinator.queue.waiting(self.list_id)),
        }

    # Changes

    async def async_create_todo_item(self, item: TodoItem) -> None:
        """Add an item, or several, one a line: '2 l milk' has a quantity."""
        await self.async_add(item.summary or "", note=item.description, is_marked_off=item.status == TodoItemStatus.COMPLETED)

    async def async_add(
        self,
        text: str,
        quantity: str | None = None,
        aisle: str | None = None,
        note: str | None = None,
        is_marked_off: bool = False,
    ) -> None:
        """Add items. One that is wanted isn't added again; one that is marked off comes back."""
        shown = self._editable()
        given = {"quantity": quantity, "aisle": aisle, "note": note}
        new_items = []
        for line in lines_of(text):
            parsed = {"text": line.text} | ({"quantity": line.quantity} if line.quantity else {})
            if quantity and line.quantity:
                # The quantity is given apart, so a number in the text is part of it.
                parsed = {"text": text.strip()} if len(text.splitlines()) == 1 else {"text": line.text}
            new_items.append(parsed | {key: value.strip() for key, value in given.items() if value and value.strip()})
        if not new_items:
            raise ServiceValidationError(translation_domain=DOMAIN, translation_key="empty_text")
        changes = additions(shown, new_items)
        if is_marked_off:
            changes += [Change("markOff", change.item) for change in changes if change.operation == "add"]
        await self._change(changes)

    async def async_update_todo_item(self, item: TodoItem) -> None:
        """Make entries of what differs from the list, and of nothing else."""
        shown = self._editable()
        old = self._item(shown, item.uid)
        changes = []
        fields: dict[str, Any] = {}
        if item.summary is not None and item.summary.strip() != old.text:
            text = " ".join(item.summary.split())
            if not text:
                raise ServiceValidationError(translation_domain=DOMAIN, translation_key="empty_text")
            fields["text"] = text
        is_marking = item.status is not None and (item.status == TodoItemStatus.COMPLETED) != old.is_marked_off
        # Assist marks off with the text alone. Then the note isn't cleared, only not named.
        is_mark_alone = is_marking and not fields and item.description is None
        if (item.description or None) != old.note and not is_mark_alone:
            fields["note"] = item.description or None
        if fields:
            changes.append(Change("edit", old.id, fields))
        if is_marking:
            changes.append(Change("unmark" if old.is_marked_off else "markOff", old.id))
        await self._change(changes)

    async def async_delete_todo_items(self, uids: list[str]) -> None:
        """Delete items: one gesture, undone together."""
        shown = self._editable()
        await self._change([Change("delete", self._item(shown, uid).id) for uid in dict.fromkeys(uids)])

    async def async_move_todo_item(self, uid: str, previous_uid: str | None = None) -> None:
        """Move an item below another one, or to the top."""
        shown = self._editable()
        item = self._item(shown, uid)
        after = self._item(shown, previous_uid).id if previous_uid else None
        if after == item.id:
            return
        order = [each.id for each in shown.items if each.id != item.id]
        place = order.index(after) + 1 if after else 0
        if shown.items.index(item) != place:
            await self._change([Change("move", item.id, places=True, after=after)])

    async def async_tidy_up(self) -> None:
        """Delete what is marked off: one gesture, undone together."""
        shown = self._editable()
        await self._change([Change("delete", item.id) for item in shown.items if item.is_marked_off])

    async def async_undo(self) -> dict[str, Any]:
        """Take back the latest change that was made here, and say what became of which item."""
        self._editable()
        return await self.coordinator.undoing.run(self.list_id)

    def described_items(self, with_marked_off: bool) -> list[dict[str, Any]]:
        """All items with their quantities and aisles."""
        if not self.available or not self.shown:
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="list_gone")
        return [described(item) for item in (self.shown.items if with_marked_off else self.shown.wanted)]

    def _editable(self) -> ShownList:
        """The list, if it may be changed."""
        if self.coordinator.is_signed_out:
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="signed_out")
        shown = self.shown
        if not shown:
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="list_gone")
        if not shown.can_edit:
            raise ServiceValidationError(translation_domain=DOMAIN, translation_key="read_only")
        return shown

    @staticmethod
    def _item(shown: ShownList, uid: str | None) -> Item:
        item = shown.item(uid) if uid else None
        if not item:
            raise ServiceValidationError(translation_domain=DOMAIN, translation_key="no_such_item")
        return item

    async def _change(self, changes: list[Change]) -> None:
        most = self.coordinator.uploading.limits.get("bytesOfFields", 4096)
        for change in changes:
            if change.fields and len(json.dumps(change.fields, ensure_ascii=False).encode()) > most:
                raise ServiceValidationError(
                    translation_domain=DOMAIN, translation_key="too_long", translation_placeholders={"bytes": str(most)}
                )
        await self.coordinator.async_change(self.list_id, changes)


def _todo(item: Item) -> TodoItem:
    return TodoItem(
        summary=item.text,
        uid=item.id,
        status=TodoItemStatus.COMPLETED if item.is_marked_off else TodoItemStatus.NEEDS_ACTION,
        description=item.note,
    )


def described(item: Item) -> dict[str, Any]:
    """An item for templates and scripts."""
    return {
        "uid": item.id,
        "item": item.text,
        "quantity": item.quantity,
        "aisle": item.aisle,
        "note": item.note,
        "status": "completed" if item.is_marked_off else "needs_action",
    }
