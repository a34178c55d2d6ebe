"""A good history passes, and each check reports a bad one."""

import unittest

from checker.judgement import CHECKS, judge
from tests.story import LIST, Story, entry_id


def good() -> Story:
    """Two devices write and read; one answer is lost and the entry sent again."""
    story = Story()
    story.upload("plain-1", "a", "b")
    story.fetch("plain-2", 1, 2)
    lost = story.made("c")
    story.send("plain-2", lost)
    story.accept("plain-2", lost)
    story.answer("plain-2", story.send("plain-2", lost), story.verdict("c", 3, "duplicate"))
    story.upload("plain-2", "d", "e", atomic=True)
    return story


def finished(story: Story) -> Story:
    """Both devices have everything."""
    through = len(story.rows)
    story.fetch("plain-1", *range(1, through + 1))
    story.fetch("plain-2", *range(3, through + 1), since=True, digest=story.fold().digest())
    return story


class Checks(unittest.TestCase):
    reporting: set[str] = set()

    def assert_reports(self, story: Story, check: str, *words: str, **end: object) -> None:
        history = story.end(**end)
        violations = judge(history)
        self.reporting |= {each.__name__ for each in CHECKS if list(each(history))}
        said = [str(violation) for violation in violations if violation.check == check]
        self.assertTrue(said, f"no violation of {check!r}, only {[str(each) for each in violations]}")
        for word in words:
            self.assertTrue(any(word in each for each in said), f"{word!r} is not in {said}")
        self.assertTrue(all(violation.lines for violation in violations), "a violation without lines of the history")

    def test_a_good_history_passes(self) -> None:
        self.assertEqual(judge(finished(good()).end()), [])

    @classmethod
    def tearDownClass(cls) -> None:
        """Every check has reported some history of this file."""
        silent = {each.__name__ for each in CHECKS} - cls.reporting
        if silent:
            raise AssertionError(f"no test makes these checks report something: {sorted(silent)}")

    # Entries

    def test_a_confirmed_entry_that_is_not_in_the_activity_is_lost(self) -> None:
        story = good()
        del story.rows[4]
        self.assert_reports(story, "lost", entry_id("e"), "plain-2:7")

    def test_an_entry_that_is_there_twice_is_doubled(self) -> None:
        story = finished(good())
        story.rows.append([6, "entry", {**story.rows[0][2], "sequence": 6}])
        self.assert_reports(story, "doubled", "[1, 6]", entry_id("a"))

    def test_an_entry_that_two_requests_applied_is_doubled(self) -> None:
        story = good()
        story.answer("plain-1", story.send("plain-1", story.sent[entry_id("a")]), story.verdict("a", 1))
        self.assert_reports(story, "doubled", "applied by two requests")

    def test_a_second_answer_that_differs_is_reported(self) -> None:
        story = good()
        story.answer("plain-1", story.send("plain-1", story.sent[entry_id("a")]), story.verdict("a", 2, "duplicate"))
        self.assert_reports(story, "answers", entry_id("a"))

    def test_an_entry_whose_content_has_changed_is_reported(self) -> None:
        story = finished(good())
        story.rows[0][2]["fields"] = {"text": "other"}
        self.assert_reports(story, "content", "other")
        self.assert_reports(story, "served", "at 1")

    def test_an_entry_of_another_author_is_reported(self) -> None:
        story = good()
        story.rows[0][2]["author"] = story.account("plain-2")
        self.assert_reports(story, "content", entry_id("a"))

    def test_an_entry_that_nobody_sent_is_reported(self) -> None:
        story = good()
        story.accept("plain-1", story.made("x", 99))
        self.assert_reports(story, "content", "nobody has sent")

    def test_a_rejected_entry_that_is_there_is_reported(self) -> None:
        story = good()
        op = story.send("plain-1", story.made("x", 9))
        story.answer("plain-1", op, [entry_id("x"), "rejected", None, None, None, "invalidArguments"])
        story.accept("plain-1", story.sent[entry_id("x")])
        self.assert_reports(story, "rejected", "at 6")

    def test_an_unanswered_entry_may_be_there_or_not(self) -> None:
        for is_there in (False, True):
            story = finished(good())
            entry = story.made("x", 9)
            story.send("plain-1", entry)
            if is_there:
                story.accept("plain-1", entry)
            said = [violation.check for violation in judge(story.end()) if violation.check not in ("queues", "convergence")]
            self.assertEqual(said, [])

    # Commands

    def test_what_a_command_has_made_and_is_nowhere_is_lost(self) -> None:
        story = good()
        story.do("real-1", "add", {"answer": {}}, list=LIST, texts=["milk"])
        self.assert_reports(story, "lost", "milk", "real-1:1")

    def test_what_a_command_has_made_twice_is_doubled(self) -> None:
        story = good()
        story.do("real-1", "say", {"answer": {}}, list=LIST, text="hello")
        for name in ("x", "y"):
            story.accept("real-1", story.made(name, operation="message", fields={"text": "hello"}))
        self.assert_reports(story, "doubled", "hello")

    def test_what_a_command_has_made_and_the_device_shows_as_refused_is_not_lost(self) -> None:
        story = finished(good())
        story.do("real-1", "add", {"answer": {}}, list=LIST, texts=["milk"])
        story.do("host", "remove", {}, list=LIST, account=story.account("real-1"))
        refused = {"list": LIST, "code": "listDeleted", "detail": "", "entry": story.made("milk")}
        story.note("host", "device", client="real-1", queue={"lists": [], "rejected": [refused]}, shown={})
        self.assertEqual(judge(story.end()), [])

    # Order

    def test_a_sequence_that_nothing_has_is_a_gap(self) -> None:
        story = good()
        story.accept("plain-1", story.made("x"))
        story.rows[5][0] = 7
        self.assert_reports(story, "gaps", "[6] of 7")

    def test_different_entries_at_one_sequence_contradict(self) -> None:
        story = good()
        story.serve("plain-1", [story.change(1), [2, *story.change(3)[1:]]])
        self.assert_reports(story, "contradictions", "different changes at 2", "plain-1:4")

    def test_an_entry_that_was_served_and_is_nowhere_contradicts(self) -> None:
        story = good()
        story.serve("plain-1", [*map(story.change, range(1, 6)), [6, "entry", entry_id("x"), None, "0"]])
        self.assert_reports(story, "contradictions", "was served at 6", entry_id("x"))

    def test_a_devices_entries_in_another_order_are_reported(self) -> None:
        story = good()
        story.rows[0][2]["deviceSequence"], story.rows[1][2]["deviceSequence"] = 2, 1
        self.assert_reports(story, "own order", "number 2 of a device is at 1")

    def test_a_write_before_what_its_writer_had_read_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2, 3, 4, 5)
        entry = story.made("x", 9)
        story.answer("plain-1", story.send("plain-1", entry), story.verdict("x", 4))
        self.assert_reports(story, "writes follow reads", "up to 5", "applied at 4")

    # Sessions

    def test_a_stream_that_goes_back_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2, 3)
        story.fetch("plain-1", 3, 4, since=True)
        self.assert_reports(story, "monotonic reads", "3 comes after 3", "comes again")

    def test_a_stream_that_skips_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2)
        story.fetch("plain-1", 4, 5, since=True)
        self.assert_reports(story, "monotonic reads", "4 comes after 2")

    def test_changes_without_a_token_that_are_no_snapshot_are_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2, snapshot=False)
        self.assert_reports(story, "monotonic reads", "no snapshot")

    def test_a_fetch_without_ones_own_confirmed_entry_is_reported(self) -> None:
        story = good()
        story.fetch("plain-2", since=True)
        self.assert_reports(story, "read your writes", entry_id("e"), "plain-2:9")

    def test_a_fetch_that_lacks_what_was_confirmed_before_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2)
        self.assert_reports(story, "outdated reads", "plain-1 fetched everything up to 2, after 5")

    def test_a_state_that_goes_back_is_reported(self) -> None:
        story = good()
        for through in (5, 4):
            story.do("plain-1", "state", {"sequence": through, "digest": story.fold(through).digest()}, list=LIST)
        self.assert_reports(story, "monotonic reads", "up to 4, and had 5")

    def test_a_refused_token_is_reported(self) -> None:
        story = good()
        story.do("plain-1", "changes", {"more": False, "expired": [LIST], "gone": [], "pages": []}, since=[LIST], lists=[LIST])
        self.assert_reports(story, "tokens", "plain-1")

    # Batches

    def test_a_batch_in_part_is_reported(self) -> None:
        story = good()
        story.send("plain-1", *(entries := [story.made("x", 8), story.made("y", 9)]), atomic=True)
        story.accept("plain-1", entries[0])
        self.assert_reports(story, "atomic", "1 of 2 entries")

    def test_a_batch_with_another_entry_inside_is_reported(self) -> None:
        story = good()
        story.rows[2][0], story.rows[3][0] = 4, 3
        self.assert_reports(story, "atomic", "[3, 5]")

    def test_a_batch_that_somebody_read_in_part_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2, 3, 4)
        self.assert_reports(story, "atomic", "served a batch in part")

    # People

    def test_a_removed_person_who_reads_is_reported(self) -> None:
        story = good()
        story.do("host", "remove", {}, list=LIST, account=story.account("plain-1"))
        story.fetch("plain-1", 1, 2, 3, 4, 5)
        self.assert_reports(story, "removed", "plain-1 reads")

    def test_a_removed_person_who_writes_is_reported(self) -> None:
        story = good()
        story.rows.append([6, "participant", {"kind": "removed", "account": story.account("plain-1")}])
        story.accept("plain-1", story.made("x", 9))
        self.assert_reports(story, "removed", "at 7")

    def test_a_person_who_joined_again_may_read_and_write(self) -> None:
        story = finished(good())
        story.do("host", "remove", {}, list=LIST, account=story.account("plain-1"))
        story.do("plain-1", "join", {}, list=LIST)
        story.rows += [[place, "participant", {"kind": kind, "account": story.account("plain-1")}]
                       for place, kind in ((6, "removed"), (7, "joined"))]
        story.fetch("plain-1", *range(1, 8))
        story.fetch("plain-2", 6, 7, since=True)
        self.assertEqual(judge(story.end()), [])

    # Convergence

    def test_a_state_that_is_no_fold_of_the_activity_is_reported(self) -> None:
        self.assert_reports(finished(good()), "convergence", "the Activity folds to", digest="0" * 32)

    def test_a_device_that_is_behind_in_the_end_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2, 3, more=True)
        self.assert_reports(story, "convergence", "plain-1 has changes up to 3 in the end, of 5")

    def test_a_device_that_folds_to_something_else_than_it_was_told_is_reported(self) -> None:
        story = good()
        story.fetch("plain-1", 1, 2, digest=story.fold(3).digest())
        self.assert_reports(story, "convergence", "and was told")

    def test_a_real_device_that_shows_something_else_is_reported(self) -> None:
        story = finished(good())
        items = [{"id": item, "fields": fields, "markedOff": False} for item, fields in story.fold().wanted()]
        shown = {"name": None, "colour": None, "items": items[1:]}
        story.note("host", "device", client="real-1", queue={"lists": [], "rejected": []}, shown={LIST: shown})
        self.assert_reports(story, "convergence", "real-1 shows 4 wanted items")

    def test_a_queue_that_stays_is_reported(self) -> None:
        self.assert_reports(good(), "queues", "never empty", seconds=None, waiting={"plain-1": 3})

    def test_a_change_that_was_refused_without_a_removal_is_reported(self) -> None:
        story = good()
        refused = {"list": LIST, "code": "listDeleted", "detail": "", "entry": story.made("x")}
        story.note("host", "device", client="real-1", queue={"lists": [], "rejected": [refused]}, shown={})
        self.assert_reports(story, "queues", "real-1 had a change refused")

    def test_an_entry_without_a_verdict_in_the_end_is_reported(self) -> None:
        story = good()
        story.send("plain-1", story.made("x", 9))
        self.assert_reports(story, "queues", "never answered with a verdict", entry_id("x"))


if __name__ == "__main__":
    unittest.main()
