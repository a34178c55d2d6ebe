"""From a change to its hint at each process, and from a session's end to its notices."""

import asyncio
import base64
import contextlib
import json
import random
import time
import uuid

from attacks.clients import Connection

from .population import added, person

# Any point of the curve is a public key; nobody reads what is encrypted for it. This is P-256's generator (SEC 2, 2.4.2).
_POINT = bytes.fromhex(
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")


class Pair:
    """A person who changes lists, and another who is told. Both are known to every process."""

    def __init__(self, service):
        self.service = service
        email, self.writer = person(service, "writer")
        email, self.reader = person(service, "reader")
        again = {"email": email, "password": "correct horse"}
        # The reader's device at each process.
        self.devices = [self.reader] + [service.client(0).call("POST", "/v1/sessions", again) for _ in service.ports[1:]]
        self.list = self.shared_list()
        self.number = 0

    def shared_list(self):
        writer, list_id = self.service.client(0, self.writer["token"]), str(uuid.uuid4())
        writer.call("POST", "/v1/lists", {"id": list_id})
        invitation = writer.call("POST", f"/v1/lists/{list_id}/invitations", {})
        self.service.client(0, self.reader["token"]).call("POST", "/v1/invitations/accept", {"secret": invitation["secret"]})
        return list_id


async def hints(pair, count, pause=0.1):
    """Seconds from the sending of an upload to the first process until the hint, for each process."""
    ports, waits = pair.service.ports, [[] for _ in pair.service.ports]
    streams = [await _Stream.open(port, device["token"]) for port, device in zip(ports, pair.devices)]
    upload = await Connection.open(ports[0])
    try:
        await asyncio.sleep(1)
        for _ in range(count):
            pair.number += 1
            sent = time.monotonic()
            status, answer = await upload.call(
                "POST", f"/v1/lists/{pair.list}/entries", pair.writer["token"], {"entries": [added(pair.number)]})
            assert status == 200, (status, answer)
            sequence = answer["results"][0]["sequence"]
            for number, stream in enumerate(streams):
                waits[number].append(await stream.arrival(sequence) - sent)
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))
    finally:
        upload.close()
        for stream in streams:
            stream.close()
    return waits


class _Stream:
    """A device's stream of hints, and when it was told of which sequence."""

    @classmethod
    async def open(cls, port, token):
        stream = cls()
        stream.connection = await Connection.open(port)
        stream.connection.send("GET", "/v1/events", token)
        status, _ = await stream.connection.head()
        assert status == 200, status
        stream.told, stream.news = [], asyncio.Condition()
        stream.task = asyncio.create_task(stream._read())
        return stream

    async def _read(self):
        while line := await self.connection.reader.readline():
            if line.startswith(b"data:") and b"sequence" in line:
                arrived = time.monotonic()
                async with self.news:
                    self.told.append((json.loads(line[5:])["sequence"], arrived))
                    self.news.notify_all()

    async def arrival(self, sequence):
        """When it was told of that sequence, or of a later one."""
        async with self.news, asyncio.timeout(30):
            while True:
                for told, arrived in self.told:
                    if told >= sequence:
                        return arrived
                await self.news.wait()

    def close(self):
        self.task.cancel()
        self.connection.close()


async def notices(pair, count):
    """Seconds from the sending of the request that ends a session until another person's webhook, and their browser's push
    service, have its notice. The sessions end at one process after another."""
    waits = {"webhook": [], "push": []}
    async with _receiver() as (address, arrivals):
        reader = pair.service.client(0, pair.reader["token"])
        webhook = reader.call("POST", "/v1/webhooks", {"url": f"{address}/webhook"})
        reader.call("PUT", "/v1/push/subscription", {
            "endpoint": f"{address}/push", "keys": {"p256dh": _base64(_POINT), "auth": _base64(bytes(16))}, "language": "en"})
        for number in range(count):
            list_id = await asyncio.to_thread(pair.shared_list)
            connection = await Connection.open(pair.service.ports[number % len(pair.service.ports)])
            ended = await _end_session(connection, list_id, pair.writer["token"])
            due = set(waits)
            while due:
                async with asyncio.timeout(60):
                    kind, arrived = await arrivals.get()
                if kind in due:
                    due.remove(kind)
                    waits[kind].append(arrived - ended)
            connection.close()
        reader.call("DELETE", f"/v1/webhooks/{webhook['id']}")
        reader.call("DELETE", "/v1/push/subscription")
    return waits


async def _end_session(connection, list_id, token):
    """A session of five additions. Returns when the request was sent that ends it."""
    presence = f"/v1/lists/{list_id}/presence"
    for method, path, body in (
        ("PUT", presence, {}), ("POST", f"/v1/lists/{list_id}/entries", {"entries": [added(1 + each) for each in range(5)]}),
        ("PUT", presence, {"present": False}),
    ):
        sent = time.monotonic()
        status, answer = await connection.call(method, path, token, body)
        assert 200 <= status < 300, (path, status, answer)
    return sent


@contextlib.asynccontextmanager
async def _receiver():
    """A server on this machine: its address, and a queue of what was posted where, each with its time."""
    arrivals = asyncio.Queue()

    async def receive(reader, writer):
        # It is cancelled when the service has left a connection open until the end.
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                arrivals.put_nowait((head.split()[1].strip("/"), time.monotonic()))
                length = next(
                    int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length:"))
                await reader.readexactly(length)
                writer.write(b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n")
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(receive, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", arrivals
    finally:
        server.close()


def _base64(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
