"""A device of the judge's own: an upload queue, change tokens and a counter for each list, over the calls of openapi.yaml."""

import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from checker.history import content_hash
from clients.calls import Calls, Refused, Unknown
from clients.gestures import Gestures
from clients.recorder import Recorder

_VERSION = 3
_ENTRIES = 20
_LEFT = ("listDeleted", "listNotFound", "permissionFailure")


@dataclass
class Gesture:
    """Entries that wait to be sent, and the moment when they were made."""

    entries: list[dict[str, Any]]
    made: float
    is_atomic: bool


@dataclass
class Copy:
    """What the device has of one list."""

    gestures: Gestures
    token: str | None = None
    is_member: bool = True
    next_number: int = 1
    queue: deque[Gesture] = field(default_factory=deque)


class PlainDevice:
    def __init__(
        self, name: str, address: str, token: str, lists: list[str], recorder: Recorder, source: random.Random,
        timeout: float,
    ) -> None:
        self.name, self.recorder, self.random = name, recorder, source
        self.calls, self.second = Calls(address, timeout, token), Calls(address, timeout, token)
        self.lists = {each: Copy(Gestures(name, source)) for each in lists}
        self.wait_until = 0.0
        # Secrets of invitations that may have been accepted.
        self._asked: set[str] = set()

    # Making changes

    @property
    def waiting(self) -> int:
        return sum(len(gesture.entries) for copy in self.lists.values() for gesture in copy.queue)

    def make(self) -> None:
        """A gesture on one of the lists. It waits in the queue."""
        members = [copy for copy in self.lists.values() if copy.is_member]
        if not members:
            return
        copy = self.random.choice(members)
        entries = copy.gestures.make()
        is_atomic = len(entries) > 1 and self.random.random() < 0.7
        if is_atomic and self.random.random() < 0.05:
            entries.insert(self.random.randrange(len(entries) + 1), copy.gestures.invalid())
        for entry in entries:
            entry["deviceSequence"] = copy.next_number
            copy.next_number += 1
        copy.queue.append(Gesture(entries, time.monotonic(), is_atomic))

    # Uploading

    def upload(self) -> None:
        """Sends the head of one list's queue. It stays there without a verdict."""
        lists = [each for each, copy in self.lists.items() if copy.queue]
        if not lists or time.monotonic() < self.wait_until:
            return
        list_id = self.random.choice(lists)
        gestures = self._head(self.lists[list_id])
        if self.random.random() < 0.06:
            # The same request twice at once, as when a retry overtakes a request that was delayed.
            twin = threading.Thread(target=self._send, args=(self.second, list_id, gestures))
            twin.start()
            results = self._send(self.calls, list_id, gestures)
            twin.join()
        else:
            results = self._send(self.calls, list_id, gestures)
        if isinstance(results, str):
            self._leave(list_id, results)
        elif results is not None:
            self._take(self.lists[list_id], gestures, results)

    def _head(self, copy: Copy) -> list[Gesture]:
        if copy.queue[0].is_atomic:
            return [copy.queue[0]]
        gestures: list[Gesture] = []
        for gesture in copy.queue:
            if gesture.is_atomic or gestures and sum(len(each.entries) for each in gestures) >= _ENTRIES:
                break
            gestures.append(gesture)
        return gestures

    def _send(self, calls: Calls, list_id: str, gestures: list[Gesture]) -> list[dict] | str | None:
        """Returns the verdicts, or the code why the list is gone, or nothing without an answer."""
        contents = [entry for gesture in gestures for entry in gesture.entries]
        op = self.recorder.invoke("upload", list=list_id, atomic=gestures[0].is_atomic, entries=contents)
        now = time.monotonic()
        body = {"atomic": gestures[0].is_atomic, "entries": [
            {**entry, "age": int((now - gesture.made) * 1000)} for gesture in gestures for entry in gesture.entries]}
        answer = self._call(op, calls, "POST", f"/v1/lists/{list_id}/entries", body)
        if isinstance(answer, Refused):
            if answer.code in _LEFT:
                return answer.reason or answer.code
            raise answer
        if answer is None:
            return None
        self.recorder.end(op, "ok", results=[
            [each.get("id"), each["status"], each.get("sequence"), each.get("madeAt"), each.get("receivedAt"), each.get("code")]
            for each in answer["results"]])
        return answer["results"]

    def _call(self, op: int, calls: Calls, method: str, path: str, body: dict | None = None) -> Any:
        """Returns the answer; a `Refused`, which it records; or nothing when the outcome is unknown."""
        try:
            return calls.call(method, path, body)
        except Refused as refused:
            self.recorder.end(op, "refused", status=refused.status, code=refused.code, reason=refused.reason)
            return refused
        except Unknown as unknown:
            self.recorder.end(op, "unknown", why=unknown.why)
            self.wait_until = time.monotonic() + (unknown.retry_after or self.random.uniform(0.05, 0.5))
            return None

    def _take(self, copy: Copy, gestures: list[Gesture], results: list[dict]) -> None:
        """Every entry with a verdict leaves the queue. The innocent ones of a refused batch are sent again without the others."""
        for _ in gestures:
            copy.queue.popleft()
        innocent = {each["id"] for each in results if each.get("code") == "batchRequestFailed"}
        left = [entry for gesture in gestures for entry in gesture.entries if entry["id"] in innocent]
        if left:
            copy.queue.appendleft(Gesture(left, gestures[0].made, True))

    def _leave(self, list_id: str, reason: str) -> None:
        copy = self.lists[list_id]
        self.recorder.note("left", list=list_id, reason=reason,
                           dropped=[entry["id"] for gesture in copy.queue for entry in gesture.entries])
        copy.queue.clear()
        copy.token, copy.is_member = None, False

    def join(self, list_id: str, secret: str) -> bool:
        """Accepts an invitation. Returns whether the answer has come. The history has a refusal."""
        if time.monotonic() < self.wait_until:
            return False
        op = self.recorder.invoke("join", list=list_id)
        answer = self._call(op, self.calls, "POST", "/v1/invitations/accept", {"secret": secret})
        if isinstance(answer, Refused):
            if secret not in self._asked:
                raise answer
            # Used: an earlier answer was lost, and the person was removed since. Another invitation comes.
            return True
        self._asked.add(secret)
        if answer is None:
            return False
        self.recorder.end(op, "ok")
        self.lists[list_id].is_member = True
        return True

    # Fetching

    def fetch(self, all_lists: bool) -> bool:
        """Fetches one list or all of them, until no more is coming. Returns whether it came to the end."""
        if time.monotonic() < self.wait_until:
            return False
        with_token = [each for each, copy in self.lists.items() if copy.token]
        if not all_lists and with_token and self.random.random() < 0.4:
            return self._fetch_one(self.random.choice(with_token))
        return self._fetch_all()

    def _limit(self) -> int | None:
        return self.random.choice([None, None, 7, 40])

    def _fetch_one(self, list_id: str) -> bool:
        limit = self._limit()
        while True:
            token = self.lists[list_id].token
            op = self.recorder.invoke("changes", since=[list_id] if token else [], lists=[list_id])
            query = "&".join([*([f"since={token}"] if token else []), *([f"limit={limit}"] if limit else [])])
            answer = self._call(op, self.calls, "GET", f"/v1/lists/{list_id}/changes?{query}")
            if isinstance(answer, Refused):
                self._fetch_refused(list_id, answer)
                return False
            if answer is None:
                return False
            self._store(op, [{"id": list_id, **answer}], answer["moreComing"])
            if not answer["moreComing"]:
                return True

    def _fetch_refused(self, list_id: str, refused: Refused) -> None:
        if refused.code == "changeTokenExpired":
            self.lists[list_id].token = None
        elif refused.code in _LEFT:
            self._leave(list_id, refused.reason or refused.code)
        else:
            raise refused

    def _fetch_all(self) -> bool:
        limit, digests = self._limit(), self.random.random() < 0.3
        while True:
            tokens = {each: copy.token for each, copy in self.lists.items() if copy.token}
            members = [each for each, copy in self.lists.items() if copy.is_member]
            op = self.recorder.invoke("changes", since=list(tokens), lists=members)
            answer = self._call(op, self.calls, "POST", "/v1/changes", {
                "tokens": tokens, "protocolVersion": _VERSION, "digests": digests,
                **({"limit": limit} if limit else {})})
            if isinstance(answer, Refused):
                raise answer
            if answer is None:
                return False
            self._store(op, answer["lists"], answer["moreComing"], expired=answer["expired"],
                        gone=[each["id"] for each in answer["gone"]])
            for each in answer["expired"]:
                self.lists[each].token = None
            for each in answer["gone"]:
                self._leave(each["id"], each["reason"])
            if not answer["moreComing"]:
                return not answer["expired"]

    def _store(self, op: int, pages: list[dict], more: bool, **rest: Any) -> None:
        # Recorded before it is stored, so that a history has everything that the device acts on.
        self.recorder.end(op, "ok", more=more, **rest, pages=[
            {"list": page["id"], "snapshot": page["snapshot"], "more": page["moreComing"], "digest": page.get("digest"),
             "changes": [_short(change) for change in page["changes"]]} for page in pages])
        for page in pages:
            copy = self.lists.get(page["id"])
            if copy is None or not copy.is_member:
                continue
            copy.token = page["token"]
            for change in page["changes"]:
                if change["type"] == "entry":
                    copy.gestures.learn(change["entry"])

    def read_state(self) -> None:
        """Reads a folded list."""
        members = [each for each, copy in self.lists.items() if copy.is_member]
        if not members or time.monotonic() < self.wait_until:
            return
        list_id = self.random.choice(members)
        op = self.recorder.invoke("state", list=list_id)
        answer = self._call(op, self.calls, "GET", f"/v1/lists/{list_id}/state")
        if isinstance(answer, Refused):
            if answer.code not in _LEFT:
                raise answer
            self._leave(list_id, answer.reason or answer.code)
        elif answer is not None:
            self.recorder.end(op, "ok", sequence=answer["sequence"], digest=answer["digest"])


def _short(change: dict[str, Any]) -> list[Any]:
    if change["type"] == "entry":
        entry = change["entry"]
        return [change["sequence"], "entry", entry["id"], entry.get("after"), content_hash(entry)]
    if change["type"] == "discard":
        return [change["sequence"], "discard", change["entries"], [[each["id"], each["after"]] for each in change["anchors"]]]
    return [change["sequence"], change["type"]]
