"""All checks, and the figures of a history."""

from collections.abc import Callable, Iterator

from checker import batches, commands, convergence, entries, order, people, sessions
from checker.entries import Uploads
from checker.history import History, Violation

CHECKS: list[Callable[[History], Iterator[Violation]]] = [
    entries.lost, entries.doubled, entries.answers, entries.content, entries.rejected, commands.commands,
    order.gaps, order.contradictions, order.served, order.own_order, order.writes_follow_reads,
    sessions.monotonic_reads, sessions.read_your_writes, sessions.outdated_reads, sessions.states, sessions.tokens,
    batches.atomic, people.removed_reads, people.removed_writes,
    convergence.service_folds, convergence.device_folds, convergence.real_devices, convergence.queues,
]


def judge(history: History) -> list[Violation]:
    return [violation for check in CHECKS for violation in check(history)]


def figures(history: History) -> dict[str, int]:
    """Counts for the summary. Entries are those of plain devices, with a verdict or without; commands are those of real ones."""
    uploads = Uploads(history)
    confirmed = sum(1 for key in uploads.sent if uploads.confirmed(key))
    rejected = sum(1 for key in uploads.sent if not uploads.confirmed(key) and uploads.verdicts[key])
    return {
        "operations": len(history.operations),
        "operations without an answer": sum(1 for each in history.operations if each.phase == "unknown"),
        "entries sent": len(uploads.sent),
        "confirmed": confirmed,
        "rejected": rejected,
        "unknown": len(uploads.sent) - confirmed - rejected,
        "sent again": sum(len(each) - 1 for each in uploads.attempts.values()),
        "changes by commands": sum(1 for each in history.of_kind("add", "edit", "say", "off", "move", "delete", "undo")
                                   if each.phase == "ok"),
        "entries in the Activity": sum(1 for record in history.lists.values() for row in record.rows if row.entry),
    }
