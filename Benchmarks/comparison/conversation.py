"""What only people together need: summaries, notices, and messages for clients that don't fold (W13, W14)."""

import contextlib
import http.server
import queue
import statistics
import threading
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
            _end_session(client, list_id, ends)
            began = time.monotonic()
            while not client.call("GET", "/v1/summaries", authorization=told)["summaries"]:
                if time.monotonic() - began > 30:
                    return Measurement(value=0, fault="a summary never came")
                time.sleep(0.002)
            waits.append((time.monotonic() - began) * 1000)
    return _measured(waits, watch)


def notices(port, people, servers):
    """Milliseconds from the end of a person's session until another person's webhook has its notice. As `summaries`."""
    client, waits = Client(port), []
    with _receiver() as (address, arrivals):
        for list_id, _, told in people:
            client.call("POST", "/v1/webhooks", {"url": f"{address}/{list_id}"}, f"Bearer {told}")
        with Watch(*servers) as watch:
            for list_id, ends, _ in people:
                _end_session(client, list_id, f"Bearer {ends}")
                began = time.monotonic()
                try:
                    path, arrived = arrivals.get(timeout=30)
                except queue.Empty:
                    return Measurement(value=0, fault="a notice never came")
                if path != f"/{list_id}":
                    return Measurement(value=0, fault=f"the notice of {path} came, of {list_id} was due")
                waits.append(max(0, arrived - began) * 1000)
    return _measured(waits, watch)


@contextlib.contextmanager
def _receiver():
    """A server on this machine: its address, and a queue of the paths that were posted to, each with its time."""
    arrivals = queue.Queue()

    class Receiver(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            arrivals.put((self.path, time.monotonic()))
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", arrivals
    finally:
        server.shutdown()


def _end_session(client, list_id, bearer):
    """A session of five additions, up to its end."""
    client.call("PUT", f"/v1/lists/{list_id}/presence", {}, bearer)
    client.call("POST", f"/v1/lists/{list_id}/entries", {"entries": [
        _entry("add", 1 + number, item=_uuid(), after=None, fields={"text": "bread"}) for number in range(5)]}, bearer)
    client.call("PUT", f"/v1/lists/{list_id}/presence", {"present": False}, bearer)


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
