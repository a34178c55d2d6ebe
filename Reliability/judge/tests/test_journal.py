"""The judge's own fold, a case for each rule of docs/journal.md that its clients' entries need."""

import unittest

from checker.journal import ListFold, digest


def fold(*entries: dict) -> ListFold:
    """Entries at 1, 2, 3 …, each made at the second `at`, or at its sequence."""
    state = ListFold()
    for sequence, entry in enumerate(entries, 1):
        made = f"2026-01-01T00:00:{entry.get('at', sequence):02d}.000Z"
        state.fold({"id": str(sequence), "madeAt": made, **entry}, sequence, entry.get("after"))
    return state


def add(item: str, after: str | None = None, **more: object) -> dict:
    return {"operation": "add", "item": item, "after": after, "fields": {"text": item}, **more}


def do(operation: str, item: str, **more: object) -> dict:
    return {"operation": operation, "item": item, **more}


class Fold(unittest.TestCase):
    def items(self, *entries: dict) -> list[str]:
        return [item for item, _ in fold(*entries).wanted()]

    def test_items_stand_below_their_anchor_at_the_top_or_at_the_bottom(self) -> None:
        self.assertEqual(self.items(add("a"), add("b", "a"), add("c"), add("d", "nowhere")), ["c", "a", "b", "d"])

    def test_a_move_places_an_item_unless_a_later_entry_has(self) -> None:
        moved = do("move", "a", after="b")
        self.assertEqual(self.items(add("a"), add("b", "a"), moved), ["b", "a"])
        self.assertEqual(self.items(add("a", at=5), add("b", "a"), {**moved, "at": 4}), ["a", "b"])

    def test_a_move_before_the_add_does_nothing(self) -> None:
        self.assertEqual(self.items(add("b"), do("move", "a", after="b"), add("a")), ["a", "b"])

    def test_an_item_whose_anchor_is_itself_stays(self) -> None:
        self.assertEqual(self.items(add("a"), add("b"), do("move", "a", after="a")), ["b", "a"])
        self.assertEqual(self.items(add("a"), add("b", "b")), ["a", "b"])

    def test_a_second_add_places_an_item_if_it_is_later(self) -> None:
        self.assertEqual(self.items(add("a"), add("b"), add("a")), ["a", "b"])
        self.assertEqual(self.items(add("a", at=5), add("b"), add("a", at=4)), ["b", "a"])

    def test_marked_off_and_deleted_items_keep_their_place_unseen(self) -> None:
        self.assertEqual(self.items(add("a"), add("b", "a"), do("delete", "a"), add("c", "a")), ["c", "b"])
        self.assertEqual(self.items(add("a"), add("b", "a"), do("markOff", "a"), do("unmark", "a")), ["a", "b"])

    def test_the_latest_decides_whether_an_item_is_marked_off_or_deleted(self) -> None:
        self.assertEqual(self.items(add("a"), do("unmark", "a", at=9), do("markOff", "a", at=8)), ["a"])
        self.assertEqual(self.items(add("a"), do("edit", "a", at=9), do("delete", "a", at=8)), ["a"])
        self.assertEqual(self.items(add("a"), do("markOff", "a"), do("edit", "a")), [])

    def test_the_latest_write_of_each_field_counts_also_before_the_add(self) -> None:
        state = fold(do("edit", "a", fields={"note": "n", "text": "x"}, at=9), add("a"), do("edit", "a", fields={"note": None}))
        self.assertEqual(state.wanted(), [("a", {"text": "x", "note": "n"})])

    def test_equal_times_are_decided_by_the_sequence(self) -> None:
        state = fold(add("a", at=1), do("edit", "a", fields={"text": "y"}, at=1))
        self.assertEqual(state.wanted(), [("a", {"text": "y"})])

    def test_an_entry_counts_once(self) -> None:
        self.assertEqual(self.items(add("a", id="1"), do("delete", "a"), add("a", id="1")), [])

    def test_the_lists_name_is_the_latest_text_or_null(self) -> None:
        named = {"operation": "renameList", "fields": {"text": "x"}}
        self.assertEqual(fold(named, {"operation": "renameList", "fields": {"text": 1}}).name.value, "x")
        self.assertEqual(fold(named, {"operation": "renameList", "fields": {"aisles": "y"}}).name.value, "x")
        self.assertIsNone(fold(named, {"operation": "renameList", "fields": {"text": None}}).name.value)

    def test_messages_and_unknown_operations_change_nothing(self) -> None:
        self.assertEqual(self.items(add("a"), {"operation": "message", "fields": {"text": "a"}}, do("explode", "a")), ["a"])

    def test_the_digest_is_the_documents(self) -> None:
        self.assertEqual(digest(None, None, []), "8783ca32d1ebbd823121ef497669ef24")


if __name__ == "__main__":
    unittest.main()
