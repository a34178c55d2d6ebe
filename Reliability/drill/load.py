"""People who write and read all the time, and a ledger of what the service has confirmed to them."""

import random
import threading
import time

from client import Client, Refused, Unanswered, identifier

# How long a writer waits before it tries again.
_RETRY = 0.2


class Ledger:
    """What the service has confirmed: each entry's list and sequence, and when."""

    def __init__(self):
        self._lock = threading.Lock()
        self._entries = {}
        self.errors = []
        self._reasons = {}

    def note(self, list_id, results, began):
        now = time.monotonic()
        with self._lock:
            for result in results:
                if result["status"] not in ("applied", "duplicate"):
                    self.errors.append(f"an entry was refused: {result}")
                    continue
                before = self._entries.get(result["id"])
                at = before[2] if before else now
                self._entries[result["id"]] = (list_id, result["sequence"], at, now, began)

    def fail(self, error):
        with self._lock:
            self.errors.append(error)

    def wait_for(self, reason):
        """Counts requests that found the service unavailable."""
        with self._lock:
            self._reasons[reason] = self._reasons.get(reason, 0) + 1

    def take_reasons(self):
        with self._lock:
            reasons, self._reasons = self._reasons, {}
            return reasons

    def entries(self):
        with self._lock:
            return {entry: value[:2] for entry, value in self._entries.items()}

    def gap(self, killed):
        """Seconds from a kill to the first confirmation of an upload that was sent after it; None as long as there is none."""
        with self._lock:
            times = [value[3] for value in self._entries.values() if value[4] > killed]
        return min(times) - killed if times else None

    def longest_wait(self, since):
        with self._lock:
            return max((value[3] - value[4] for value in self._entries.values() if value[3] > since), default=0)


class _Person(threading.Thread):
    def __init__(self, address, ledger):
        super().__init__(daemon=True)
        self.client, self.ledger = Client(address), ledger
        self.stopped = threading.Event()

    def run(self):
        try:
            while not self.stopped.is_set():
                self.step()
        except Exception as error:  # A fault of the drill or of the service: either way it has failed.
            self.ledger.fail(f"{self.name}: {error!r}")

    def stop(self):
        self.stopped.set()

    def persist(self, call):
        """Calls until there is an answer, or the person is to stop."""
        while not self.stopped.is_set():
            try:
                return call()
            except Unanswered as reason:
                self.ledger.wait_for(str(reason))
                self.stopped.wait(_RETRY)
        return None


class Writer(_Person):
    """Uploads entries to lists in turn, and the same again until an answer comes."""

    def __init__(self, address, ledger, number):
        super().__init__(address, ledger)
        self.name, self.lists, self.counters = f"writer{number}", [], {}
        self.random = random.Random(number)
        self.email = f"writer{number}@example.com"
        self.sent = {}
        self.offering = None

    def step(self):
        if self.offering:
            offering, self.offering = self.offering, None
            self._offer_again()
            offering.set()
        self._upload(self.random.choice(self.lists), self.random.randint(1, 5))
        self.stopped.wait(0.05)

    def offer_again(self):
        """What a device does that is told `changeTokenExpired`: sends all that was confirmed once more."""
        done = threading.Event()
        self.offering = done
        return done

    def _upload(self, list_id, count):
        entries = []
        for _ in range(count):
            self.counters[list_id] = self.counters.get(list_id, 0) + 1
            entries.append({
                "id": identifier(), "operation": "add", "item": identifier(), "after": None,
                "fields": {"text": f"item {self.counters[list_id]}"}, "deviceSequence": self.counters[list_id]})
        self.sent.setdefault(list_id, []).extend(entries)
        self._send(list_id, entries)

    def _offer_again(self):
        for list_id, entries in self.sent.items():
            for start in range(0, len(entries), 400):
                self._send(list_id, entries[start:start + 400])

    def _send(self, list_id, entries):
        def send():
            # From the last try: an earlier one may have found the old primary.
            began = time.monotonic()
            return began, self.client.call("POST", f"/v1/lists/{list_id}/entries", {"entries": entries})
        answer = self.persist(send)
        if answer:
            self.ledger.note(list_id, answer[1]["results"], answer[0])


class Reader(_Person):
    """Fetches what is new by tokens, and holds what it got against the rules of docs/protocol.md."""

    def __init__(self, address, ledger, number, lists):
        super().__init__(address, ledger)
        self.name, self.lists = f"reader{number}", lists
        self.tokens, self.known, self.honoured = {}, {list_id: {} for list_id in lists}, {}
        self.expired, self.answered = 0, []
        self.killed = None

    def step(self):
        for list_id in self.lists:
            self.persist(lambda: self._fetch(list_id))
        self.stopped.wait(0.2)

    def note_kill(self):
        self.honoured, self.killed = {}, time.monotonic()

    def _fetch(self, list_id):
        began, token = time.monotonic(), self.tokens.get(list_id)
        query = f"?since={token}" if token else ""
        try:
            page = self.client.call("GET", f"/v1/lists/{list_id}/changes{query}")
        except Refused as refusal:
            if refusal.code != "changeTokenExpired":
                raise
            self.expired += 1
            self.tokens.pop(list_id)
            return True
        known = {} if page["snapshot"] else self.known[list_id]
        self._check(list_id, known, page["changes"])
        self.known[list_id] = known
        self.tokens[list_id] = page["token"]
        self.answered.append((began, time.monotonic()))
        if self.killed and began > self.killed and not page["snapshot"]:
            # The token was honoured: all that this device has must be in the database that answers now.
            self.honoured[list_id] = dict(known)
        return True

    def _check(self, list_id, known, changes):
        """Nothing was compressed in the last minutes, so sequences have no gaps."""
        for change in changes:
            sequence, expected = change["sequence"], len(known) + 1
            if sequence != expected:
                self.ledger.fail(f"{self.name}: {list_id} went on with {sequence} instead of {expected}")
            known[sequence] = change["entry"]["id"] if change["type"] == "entry" else None

    def longest_silence(self, start, end):
        """Seconds that went by without an answer, at the most."""
        times = [start, *(answered for _, answered in self.answered if start < answered < end), end]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def gap(self, killed):
        """Seconds from a kill to the first answer to what was asked after it."""
        times = [answered for began, answered in self.answered if began > killed]
        return min(times) - killed if times else None
