"""The rules that the integration has of its own, without Home Assistant and without a service."""

import json
import pathlib
import random

import pytest
from custom_components.trolley.device.backoff import Backoff
from custom_components.trolley.device.entries import Change, Clock, new_id
from custom_components.trolley.device.lines import is_ticked, item_of, lines_of
from custom_components.trolley.device.queue import UploadQueue
from custom_components.trolley.device.shown import Item, ShownList

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = sorted((ROOT / "Tests/Vectors/lines").glob("*.json"))


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_lines_are_parsed_as_everywhere(path):
    cases = json.loads(path.read_text())["lines"]
    assert cases
    for case in cases:
        item = item_of(case["line"])
        ours = (item and item.text, item and item.quantity, item is not None and is_ticked(case["line"]))
        assert ours == (case["text"], case["quantity"], case["markedOff"]), case


def test_no_line_crashes_or_loses_a_letter():
    letters = "2x ½,.:()[]x×-•kgl of milkéß\u00a0\ufe0f\ud800"
    choose = random.Random(7)
    for _ in range(20_000):
        line = "".join(choose.choice(letters) for _ in range(choose.randint(0, 30)))
        for item in lines_of(line):
            assert item.text and item.text in line.encode("utf-8", "replace").decode()
    assert lines_of("2x" * 100_000)


class SetClock(Clock):
    def __init__(self):
        self.now = 1000.0
        super().__init__(wall=lambda: 1_700_000_000 + self.now, monotonic=lambda: self.now)


def test_ids_are_version_7_and_differ():
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000 and all(each[14] == "7" and each[19] in "89ab" for each in ids)


def test_a_queue_outlives_a_restart():
    clock = SetClock()
    queue = UploadQueue(clock)
    queue.add("a", [Change("add", "1", {"text": "milk"}, places=True), Change("markOff", "1")])
    clock.now += 5
    again = UploadQueue.restored(json.loads(json.dumps(queue.stored())), clock)
    before, after = ([entry.upload(clock) for entry in each.waiting("a")] for each in (queue, again))
    assert before == after and [entry["age"] for entry in after] == [5000, 5000]
    assert again.add("a", [Change("delete", "1")])[0].content["deviceSequence"] == 3


def test_ages_are_measured_on_the_monotonic_clock():
    """For a wall clock that is set while a change waits, as on machines without a battery."""
    clock = SetClock()
    queue = UploadQueue(clock)
    [entry] = queue.add("a", [Change("markOff", "1")])
    clock.wall = lambda: 0
    clock.now += 3
    assert entry.age(clock) == 3000
    # Across a restart there is the wall clock only; it may not give a negative age.
    assert UploadQueue.restored(queue.stored(), clock).waiting("a")[0].age(clock) == 0


def test_what_is_made_during_an_upload_is_no_older_than_what_it_sent():
    """Decision 0304: else the second of two taps counts as the first."""
    clock = SetClock()
    queue = UploadQueue(clock)
    sent = queue.add("a", [Change("markOff", "1")])
    queue.note_sent(sent)
    ages = [entry.upload(clock)["age"] for entry in sent]
    clock.now += 1
    [second] = queue.add("a", [Change("unmark", "1")])
    clock.now += 4
    queue.note_upload_ended("a", min(ages))
    assert second.age(clock) == 0
    assert sent[0].age(clock) == 5000


def test_the_pauses_grow_and_are_bounded():
    runs = []
    for seed in range(200):
        backoff = Backoff(random.Random(seed))
        runs.append([backoff.next() for _ in range(20)])
    longest = [max(run[turn] for run in runs) for turn in range(20)]
    assert longest[0] <= 1 and 4 < longest[3] <= 8 and 200 < longest[19] <= 300
    assert 60 <= Backoff().next(60) <= 61


def test_unconfirmed_changes_show_on_top_of_the_state():
    shown = ShownList("l", items=[Item(each, each, False, {"text": each}) for each in "abc"])
    queue = UploadQueue(SetClock())
    queue.add("l", [
        Change("add", "d", {"text": "d", "quantity": "2"}, places=True, after="a"),
        Change("move", "c", places=True, after=None),
        Change("markOff", "b"),
        Change("edit", "a", {"text": "A", "note": "x"}),
        Change("edit", "a", {"note": None}),
        Change("delete", "gone"),
        Change("move", "b", places=True, after="gone"),
    ])
    result = shown.with_pending(queue.waiting("l"))
    assert [(i.text, i.is_marked_off) for i in result.items] == [("c", False), ("A", False), ("d", False), ("b", True)]
    assert result.items[1].fields == {"text": "A"} and shown.items[0].text == "a"


def test_what_the_service_has_taken_back_is_offered_to_a_restored_one():
    """Else it gets back the change, and not that it was taken back."""
    queue = UploadQueue(SetClock())
    [made] = queue.add("a", [Change("add", "1", {"text": "milk"}, places=True)])
    queue.confirm("a", [made.id], "token")
    undone = {"id": new_id(), "operation": "delete", "item": "1", "cause": "undo", "reverts": made.id, "deviceSequence": 2}
    queue.note_undo("a", [undone])
    again = UploadQueue.restored(json.loads(json.dumps(queue.stored())), queue.clock)
    assert again.add("a", [Change("delete", "2")])[0].content["deviceSequence"] == 3
    again.offer_again("a")
    assert [entry.upload(queue.clock) for entry in again.waiting("a")][1] == {**undone, "age": 0}


def test_all_that_was_refused_at_once_is_sent_again():
    """However many waited: a repair offers to send them all."""
    queue = UploadQueue()
    made = [queue.add("list", [Change("add", f"item {number}", fields={"text": "x"})])[0] for number in range(200)]
    refused = queue.reject_list("list", "permissionFailure")
    assert len(refused) == 200 and not queue.waiting("list")
    queue.settle_refused("list", {each.entry.id for each in refused}, True)
    assert [each.content["item"] for each in queue.waiting("list")] == [each.content["item"] for each in made]
    assert not queue.lists["list"].rejected
