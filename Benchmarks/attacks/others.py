"""The delays of other clients, measured in a process of its own."""

import asyncio
import itertools
import multiprocessing
import statistics
import time

from .clients import Connection, add

ADDRESS = "127.0.0.9"  # the others' address: they must not share the attackers' limits


def probe(port, people, stop, results):
    failures = []

    async def repeat(ask, pause):
        """Asks again and again. `ask` returns what was wrong, or None. Returns each answer's time, in seconds."""
        connection, latencies = await Connection.open(port, address=ADDRESS), []
        while not stop.is_set():
            began = time.monotonic()
            try:
                failure = await asyncio.wait_for(ask(connection), 30)
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
                failure = type(error).__name__
                connection = await Connection.open(port, address=ADDRESS)
            if failure is not None:
                failures.append(failure)
            latencies.append(time.monotonic() - began)
            await asyncio.sleep(max(0.0, pause - latencies[-1]))
        return latencies

    async def ready(connection):
        status, _ = await connection.call("GET", "/readyz")
        return None if status == 200 else status

    def upload(token, list_id):
        numbers = itertools.count(1)

        async def ask(connection):
            status, answer = await connection.call(
                "POST", f"/v1/lists/{list_id}/entries", token, {"entries": [add("milk", next(numbers))]})
            return None if status == 200 and answer["results"][0]["status"] == "applied" else status

        return ask

    def read(token, list_id):
        async def ask(connection):
            status, _ = await connection.call("GET", f"/v1/lists/{list_id}/changes?limit=50", token)
            return None if status == 200 else status

        return ask

    async def run():
        readiness, *latencies = await asyncio.gather(
            repeat(ready, 0.1), *(repeat(upload(*person), 0.05) for person in people),
            *(repeat(read(*person), 0.2) for person in people))
        uploads, reads = latencies[:len(people)], latencies[len(people):]
        return readiness, sum(uploads, []), sum(reads, []), failures

    results.put(asyncio.run(run()))


class Others:
    def __init__(self, port, people):
        self.port, self.people = port, [(person.token, person.list) for person in people]

    def start(self):
        self.stop_event, self.results = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(
            target=probe, args=(self.port, self.people, self.stop_event, self.results), daemon=True)
        self.process.start()

    def stop(self):
        self.stop_event.set()
        readiness, uploads, reads, failures = self.results.get(timeout=90)
        self.process.join()
        times = sorted(uploads)
        return {
            "readyzMax": round(1000 * max(readiness, default=0)),
            "uploads": len(times),
            "uploadP50": round(1000 * statistics.median(times)) if times else None,
            "uploadP99": round(1000 * times[int(0.99 * (len(times) - 1))]) if times else None,
            "readMax": round(1000 * max(reads, default=0)),
            "failed": len(failures),
        }
