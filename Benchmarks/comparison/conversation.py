"""What only people together need: summaries, and messages for clients that don't fold (W13, W14)."""

import statistics
import time
import uuid

from client import Client
from measurement import Measurement, Watch


def summaries(port, people, servers):
    """Milliseconds from the end of a person's session until another person can read its summary.

    `people`: for each list its id, and the bearers of who ends a session there and of who is told."""
    client, waits = Client(port), []
    with Watch(*servers) as watch:
        for list_id, ends, told in people:
            ends, told = f"Bearer {ends}", f"Bearer {told}"
            client.call("PUT", f"/v1/lists/{list_id}/presence", {}, ends)
            client.call("POST", f"/v1/lists/{list_id}/entries", {"entries": [
                _entry("add", 1 + number, item=_uuid(), after=None, fields={"text": "bread"}) for number in range(5)]}, ends)
            client.call("PUT", f"/v1/lists/{list_id}/presence", {"present": False}, ends)
            began = time.monotonic()
            while not client.call("GET", "/v1/summaries", authorization=told)["summaries"]:
                if time.monotonic() - began > 30:
                    return Measurement(value=0, fault="a summary never came")
                time.sleep(0.002)
            waits.append((time.monotonic() - began) * 1000)
    return _measured(waits, watch)


def conversation(port, list_id, bearer, stored, servers):
    """Milliseconds for the messages that are newer than a token of two messages ago, in a list with `stored` messages."""
    client = Client(port, f"Bearer {bearer}")

    def say(first, count):
        client.call("POST", f"/v1/lists/{list_id}/entries", {"entries": [
            _entry("message", first + number, fields={"text": f"Message {first + number}"}) for number in range(count)]})

    for first in range(1, stored, 250):
        say(first, min(250, stored + 1 - first))
    token = client.call("GET", f"/v1/lists/{list_id}/messages?limit=50")["token"]
    say(stored + 1, 2)
    path, waits, page = f"/v1/lists/{list_id}/messages?after={token}", [], None
    for _ in range(20):
        client.call("GET", path)
    with Watch(*servers) as watch:
        for _ in range(300):
            began = time.monotonic()
            page = client.call("GET", path)
            waits.append((time.monotonic() - began) * 1000)
    measured = _measured(waits, watch)
    measured.extra["bytes"] = int(client.headers["Content-Length"])
    if len(page["messages"]) != 2 or page["total"] != stored + 2:
        measured.fault = f"2 messages are new of {stored + 2}; {len(page['messages'])} of {page['total']} came"
    return measured


def _measured(waits, watch):
    waits.sort()
    return Measurement(
        value=len(waits) / watch.seconds, p50=statistics.median(waits), p99=waits[int(len(waits) * 0.99) - 1],
        cpu=watch.cpu, memory=watch.memory, requests=len(waits), seconds=watch.seconds)


def _entry(operation, number, **members):
    return {"id": _uuid(), "operation": operation, "deviceSequence": number, "age": 0, **members}


def _uuid():
    digits = f"{time.time_ns() // 1_000_000:012x}7{uuid.uuid4().hex[13:]}"
    return str(uuid.UUID(digits))
