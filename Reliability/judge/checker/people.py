"""A removed participant reads nothing and writes nothing until they join again."""

from collections.abc import Iterator

from checker.history import History, Operation, Violation

_READS = "I7: no byte of a list reaches a person who is not on it"
_WRITES = "membership is read under the lock, by the statements that act"


def removed_reads(history: History) -> Iterator[Violation]:
    """A request that a person's device made after their removal was confirmed, and before they joined again."""
    accounts = {client.name: client.account for client in history.clients.values()}
    for removal in history.of_kind("remove"):
        if removal.ended is None:
            continue
        account, list_id = removal.what["account"], removal.list_id
        joined = min((each.invoked for each in history.of_kind("join") if accounts[each.client] == account
                      and each.list_id == list_id and each.invoked > removal.invoked), default=float("inf"))
        for operation in history.operations:
            if accounts.get(operation.client) != account or operation.phase != "ok":
                continue
            if removal.ended < operation.invoked and operation.ended < joined and _reads(operation, list_id):
                yield Violation("removed", _READS, f"{operation.client} reads a list after the removal was confirmed",
                                lines=(*removal.lines, *operation.lines))


def _reads(operation: Operation, list_id: str) -> bool:
    if operation.kind == "changes":
        return any(page["list"] == list_id for page in operation.answer["pages"])
    return operation.kind in ("state", "upload") and operation.list_id == list_id


def removed_writes(history: History) -> Iterator[Violation]:
    """By the Activity: no entry of a person between the change that removed them and the one by which they joined."""
    for record in history.lists.values():
        away: dict[str, int] = {}
        for row in sorted(record.rows, key=lambda each: each.sequence):
            if row.event and row.event["account"]:
                if row.event["kind"] in ("removed", "left"):
                    away[row.event["account"]] = row.sequence
                elif row.event["kind"] == "joined":
                    away.pop(row.event["account"], None)
            elif row.entry and row.entry["author"] in away:
                yield Violation("removed", _WRITES, f"an entry at {row.sequence} of a person who was removed at "
                                f"{away[row.entry['author']]}", (row.entry["id"],), (row.line,))
