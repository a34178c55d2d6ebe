"""Attacks by bodies, long lists, clients that don't read, streams and sign-ins. Each returns a line about what it met."""

import asyncio
import time
import uuid

from .clients import PASSWORD, Connection, Person, add, counted, upload
from .service import MIB

ADDS = 50_000
TEXT = 3_850  # with the rest of the entry's fields, 3.9 KB
HOLD = 10  # seconds that an attack keeps its connections open


async def unfinished(port, connections, address=None):
    """Bodies of 2 MiB that lack their last byte, sent by nobody who is signed in."""
    rest = b" " * (2 * MIB - 1)

    async def one(number):
        path = "/v1/sessions" if number % 2 else "/v1/accounts"
        connection = None
        try:
            connection = await Connection.open(port, address=address)
            connection.send("POST", path, announce=2 * MIB)

            async def push():
                for start in range(0, len(rest), 1 << 16):
                    connection.writer.write(rest[start:start + (1 << 16)])
                    await connection.writer.drain()

            pushing = asyncio.ensure_future(push())
            try:
                status, _ = await asyncio.wait_for(connection.head(), HOLD)
                return status
            except asyncio.TimeoutError:
                return "no answer"
            finally:
                pushing.cancel()
                await asyncio.gather(pushing, return_exceptions=True)
        except OSError as error:
            return type(error).__name__
        finally:
            if connection:
                connection.close()

    return counted(await asyncio.gather(*(one(number) for number in range(connections))))


async def trickled(port, connections, address=None):
    """Forms of just under 16 KiB that lack their last byte."""

    async def one():
        connection = None
        try:
            connection = await Connection.open(port, address=address)
            connection.send("POST", "/v1/sessions", body=b" " * 16_000, announce=16_001)
            try:
                status, _ = await asyncio.wait_for(connection.head(), HOLD)
                return status
            except asyncio.TimeoutError:
                return "no answer"
        except OSError as error:
            return type(error).__name__
        finally:
            if connection:
                connection.close()

    return counted(await asyncio.gather(*(one() for _ in range(connections))))


async def fill(port, person, adds=ADDS):
    """As many large adds as there may be in one list."""
    return await upload(port, person, person.list, (add("x" * TEXT, number) for number in range(1, adds + 1)))


async def read_whole(port, person, path):
    connection = await Connection.open(port)
    try:
        connection.send("GET", path, person.token)
        status, headers = await connection.head()
        size = await connection.body(headers, keep=False)
        return f"{status}, {size / MIB:.1f} MiB"
    except (OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        connection.close()


async def unread(port, person, path, connections):
    """Asks, and reads no more than the head of the answer."""

    async def one():
        connection = None
        try:
            connection = await Connection.open(port, receive_buffer=4096)
            connection.send("GET", path, person.token)
            # Its reader stops reading the socket when it has twice its limit.
            status, _ = await asyncio.wait_for(connection.head(), HOLD)
            await asyncio.sleep(HOLD)
            return status
        except asyncio.TimeoutError:
            return "no answer"
        except OSError as error:
            return type(error).__name__
        finally:
            if connection:
                connection.close()

    return counted(await asyncio.gather(*(one() for _ in range(connections))))


async def malformed(port):
    """Bodies that are not framed as HTTP says."""
    start = b"POST /v1/sessions HTTP/1.1\r\nhost: x\r\n"
    requests = [
        start + rest
        for rest in (
            b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            b"transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n",
            b"transfer-encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n",
            b"transfer-encoding: gzip\r\n\r\n{}",
            b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
            b"content-length: -1\r\n\r\n{}",
        )
    ]
    outcomes = []
    for request in requests * 50:
        connection = await Connection.open(port)
        connection.writer.write(request)
        try:
            outcomes.append((await asyncio.wait_for(connection.head(), 5))[0])
        except (OSError, asyncio.TimeoutError) as error:
            outcomes.append(type(error).__name__)
        connection.close()
    return counted(outcomes)


async def digests(port, person, devices):
    """Asks for the digests of all lists again and again, on connections of one account, while one of its lists changes."""
    lists = [person.list] + [str(uuid.uuid4()) for _ in range(19)]
    connection = await Connection.open(port)
    for list_id in lists[1:]:
        await connection.call("POST", "/v1/lists", person.token, {"id": list_id})
        await connection.call("POST", f"/v1/lists/{list_id}/entries", person.token, {
            "entries": [add("x" * 100, number) for number in range(1, 401)]})
    connection.close()
    end = time.monotonic() + HOLD
    answers = []

    async def ask():
        connection = await Connection.open(port)
        tokens = {}
        while time.monotonic() < end:
            status, answer = await connection.call(
                "POST", "/v1/changes", person.token, {"tokens": tokens, "digests": True, "limit": 1})
            tokens |= {each["id"]: each["token"] for each in answer.get("lists", [])}
            answers.append(status)
        connection.close()

    async def change():
        connection, number = await Connection.open(port), 100_000
        while time.monotonic() < end:
            for list_id in lists:
                number += 1
                await connection.call("POST", f"/v1/lists/{list_id}/entries", person.token, {
                    "entries": [add("x", number)]})
        connection.close()

    await asyncio.gather(change(), *(ask() for _ in range(devices)))
    return counted(answers)


async def presence(port, lists, streams, ready=None):
    """Opens and closes lists, and marks them read, while an account with many of them has many streams open. `ready`: an
    event to set when the lists and streams are there."""
    person = await Person.make(port, "present")
    connection = await Connection.open(port)
    owned = [person.list] + [str(uuid.uuid4()) for _ in range(lists - 1)]
    for list_id in owned[1:]:
        await connection.call("POST", "/v1/lists", person.token, {"id": list_id})
        await connection.call("POST", f"/v1/lists/{list_id}/entries", person.token, {"entries": [add("x", 1)]})
    tokens = [person.token]
    for _ in range((streams - 1) // 4):
        status, session = await connection.call(
            "POST", "/v1/sessions", value={"email": person.email, "password": PASSWORD})
        if status != 201:
            break
        tokens.append(session["token"])
    open_streams = []
    for number in range(streams):
        stream = await Connection.open(port)
        stream.send("GET", "/v1/events", tokens[number // 4 % len(tokens)])
        await stream.head()
        open_streams.append(stream)

    async def drain(stream):
        while await stream.reader.read(1 << 16):
            pass

    draining = [asyncio.ensure_future(drain(stream)) for stream in open_streams]
    if ready:
        ready.set()
    end, calls = time.monotonic() + HOLD, 0

    async def toggle(number):
        nonlocal calls
        connection = await Connection.open(port)
        while time.monotonic() < end:
            list_id = owned[(number + calls) % len(owned)]
            await connection.call("PUT", f"/v1/lists/{list_id}/presence", person.token, {"present": calls % 2 == 0})
            await connection.call("PUT", f"/v1/lists/{list_id}/read", person.token, {"through": 1})
            calls += 2
        connection.close()

    await asyncio.gather(*(toggle(number) for number in range(4)))
    for task in draining:
        task.cancel()
    for stream in [*open_streams, connection]:
        stream.close()
    return f"{calls} calls"


async def sign_ins(port, connections):
    """Two people with valid accounts sign in from one address as fast as they can; somebody else signs in from another."""
    people = [await Person.make(port, f"flood{number}") for number in range(2)]
    other = await Person.make(port, "quiet")
    end, outcomes, waits = time.monotonic() + HOLD, [], []

    async def sign_in(email, address):
        connection = await Connection.open(port, address=address)
        status, _ = await connection.call("POST", "/v1/sessions", value={"email": email, "password": PASSWORD})
        connection.close()
        return status

    async def flood(number):
        while time.monotonic() < end:
            outcomes.append(await sign_in(people[number % 2].email, "127.0.0.2"))

    async def quiet():
        await asyncio.sleep(1)
        while time.monotonic() < end:
            began = time.monotonic()
            status = await sign_in(other.email, "127.0.0.3")
            waits.append((time.monotonic() - began, status))
            await asyncio.sleep(0.5)

    await asyncio.gather(quiet(), *(flood(number) for number in range(connections)))
    refused = sum(status != 201 for _, status in waits)
    return (f"{counted(outcomes)}; somebody else: {len(waits)} sign-ins, the longest {max(wait for wait, _ in waits):.2f} s, "
            f"{refused} refused")


async def hosted(port, person, connections):
    """Asks for a long list of a hosted device, and for its queues, on connections that don't read the answer."""
    connection = await Connection.open(port)
    status, device = await connection.call("POST", "/v1/hosted", person.token, {"name": "speaker", "list": person.list})
    connection.close()
    if status != 201:
        return f"{status} {device}"
    speaker = Person()
    speaker.token = device["token"]
    path = f"/v1/hosted/{device['id']}"
    return "; ".join(await asyncio.gather(
        unread(port, speaker, f"{path}/list", connections), unread(port, speaker, f"{path}/queue", connections)))
