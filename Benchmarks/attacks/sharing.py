"""Attacks by the people of a shared list: states of the share, the Activity, names, reactions, rooms, hails and hosted
devices. Each returns a line about what it met. They run against a service of either version of the rooms' handshake."""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import struct
import time
import uuid

from .clients import PASSWORD, Connection, Person, add, ask_again, change, counted, upload
from .reading import HOLD, unread

PEOPLE = 99
REACTIONS = 20_000
RENAMES = 20_000
SOCKETS = 50


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Crowd:
    """A list with as many people as there may be, and a link to it that nobody has used."""

    @classmethod
    async def make(cls, port):
        crowd = cls()
        crowd.port = port
        crowd.owner = owner = await Person.make(port, "owner", "127.0.0.6")
        crowd.path = f"/v1/lists/{owner.list}"
        connection = await Connection.open(port)
        crowd.people = []
        crowd.devices = []  # the owner's, for sockets
        for number in range(PEOPLE):
            person = await Person.make(port, f"member{number}", f"127.0.1.{number + 1}", has_list=False)
            _, invitation = await connection.call("POST", f"{crowd.path}/invitations", owner.token, {})
            status, _ = await connection.call(
                "POST", "/v1/invitations/accept", person.token, {"secret": invitation["secret"]})
            assert status == 200, status
            crowd.people.append(person)
        # Somebody else's list, since this one has no room.
        crowd.named = await Person.make(port, "namer", "127.0.0.6")
        _, invitation = await connection.call("POST", f"/v1/lists/{crowd.named.list}/invitations", crowd.named.token, {})
        crowd.link = invitation["secret"]
        connection.close()
        return crowd


async def permissions(crowd, seconds=3 * HOLD):
    """The owner changes people's permissions again and again."""
    end, answers = time.monotonic() + seconds, []

    async def flip(first):
        connection = await Connection.open(crowd.port)
        number = first
        while time.monotonic() < end:
            person = crowd.people[number % PEOPLE]
            permission = "readOnly" if number // PEOPLE % 2 == 0 else "readWrite"
            status, _ = await connection.call(
                "PATCH", f"{crowd.path}/participants/{person.account}", crowd.owner.token, {"permission": permission})
            answers.append(status)
            number += 4
        connection.close()

    await asyncio.gather(*(flip(first) for first in range(4)))
    return counted(answers)


async def share_pages(crowd):
    """Two pages of the share's states, read by nobody, and what other people of the list then get for theirs."""

    async def victims():
        connection = await Connection.open(crowd.port)
        answers = []
        for person in crowd.people[1:9]:
            status, _ = await connection.call("POST", "/v1/changes", person.token, {"tokens": {}, "limit": 50})
            answers.append(status)
        connection.close()
        return f"others of the list: {counted(answers)}"

    pages = asyncio.ensure_future(unread(crowd.port, crowd.people[0], f"{crowd.path}/changes?limit=5000", 2))
    await asyncio.sleep(1)
    others = await victims()
    return f"{await pages}; {others}"


async def leave_by_deletion(crowd, people):
    """People of the list delete their accounts."""

    async def one(person):
        connection = await Connection.open(crowd.port)
        began = time.monotonic()
        try:
            status, _ = await connection.call("DELETE", "/v1/account", person.token, {"password": PASSWORD})
        except (OSError, ValueError) as error:
            status = type(error).__name__
        connection.close()
        return status, time.monotonic() - began

    answers = [await one(person) for person in people]
    return f"{counted(status for status, _ in answers)}, the longest {max(seconds for _, seconds in answers):.1f} s"


async def activity(crowd, readers=12):
    """Members read the Activity of a list with many states of its share."""
    end = time.monotonic() + HOLD
    answers = await asyncio.gather(*(
        ask_again(crowd.port, end, "GET", f"{crowd.path}/activity?limit=50", person.token)
        for person in crowd.people[20:20 + readers]))
    return counted(sum(answers, []))


async def looks(crowd, connections=16):
    """Somebody without a session looks at a link to a list that was renamed very often."""
    sent = await upload(crowd.port, crowd.named, crowd.named.list, (
        change("renameList", number + 1, name=f"{number} " + "x" * 180) for number in range(RENAMES)))
    end = time.monotonic() + HOLD
    answers = await asyncio.gather(*(
        ask_again(crowd.port, end, "POST", "/v1/invitations/look", value={"secret": crowd.link}, address="127.0.0.7",
                  until=(429,))
        for _ in range(connections)))
    return f"renames: {sent}; looks: {counted(sum(answers, []))}"


async def reactions(port, readers=12):
    """One member reacts to one message with as many texts as they may, and reads the messages."""
    person = await Person.make(port, "reacting", "127.0.0.6")
    message = change("message", 1, text="dinner?")
    await upload(port, person, person.list, [message])
    sent = await upload(port, person, person.list, (
        change("react", number + 2, message=message["id"], text=f"r{number}") for number in range(REACTIONS)))
    end = time.monotonic() + HOLD
    answers = await asyncio.gather(*(
        ask_again(port, end, "GET", f"/v1/lists/{person.list}/{path}", person.token)
        for path in ["state", "messages"] * (readers // 2)))
    return f"reactions: {sent}; reads: {counted(sum(answers, []))}"


# Rooms


class Room:
    """A room, as the devices that made it know it."""

    def __init__(self, list_id):
        self.list, self.id, self.secret = list_id, str(uuid.uuid4()), os.urandom(32)
        extracted = hmac.new(self.id.encode(), self.secret, hashlib.sha256).digest()
        self.key = hmac.new(extracted, b"trolley room handshake 1\x01", hashlib.sha256).digest()

    def making(self, hails=()):
        return {"room": self.id, "key": base64url(self.key), "hails": list(hails)}

    def handshake(self, account, device, version):
        now, nonce = str(round(1000 * time.time())), base64url(os.urandom(16))
        parts = [self.id, account, device, now, nonce]
        text = "|".join([f"trolley room {version}", self.list] + parts if version > 1 else parts)
        signature = base64url(hmac.new(self.key, text.encode(), hashlib.sha256).digest())
        return (f"version={version}&list={self.list}&author={account}&device={device}&timestamp={now}&nonce={nonce}"
                f"&signature={signature}")


class Socket:
    """One device's socket in a room."""

    @classmethod
    async def open(cls, port, room, account, device, token, receive_buffer=None):
        """Returns the socket, or the status of the refusal."""
        for version in (2, 1):
            socket = cls()
            socket.connection = await Connection.open(port, receive_buffer=receive_buffer)
            socket.connection.send(
                "GET", f"/rooms/{room.id}/socket?{room.handshake(account, device, version)}", token,
                headers="upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n"
                "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
            status, _ = await socket.connection.head()
            if status == 101:
                return socket
            socket.connection.close()
            if status not in (400, 403, 426):
                break
        return status

    def say(self, data):
        """Sends a text of 126 to 65,535 bytes. Its mask is 0, which costs the attacker nothing."""
        self.connection.writer.write(b"\x81\xfe" + struct.pack("!H", len(data)) + bytes(4) + data)

    async def frames(self):
        """The payloads of text frames, and the code of the close as a number."""
        reader = self.connection.reader
        while True:
            first, length = await reader.readexactly(2)
            if length == 126:
                length, = struct.unpack("!H", await reader.readexactly(2))
            elif length == 127:
                length, = struct.unpack("!Q", await reader.readexactly(8))
            data = await reader.readexactly(length)
            if first & 0xF == 8:
                yield struct.unpack("!H", data[:2])[0] if data else 0
                return
            if first & 0xF == 1:
                yield data


async def rooms(crowd):
    """Devices of one account enter one room and say as much as they can, again when they are put out; as many more come
    and go without reading."""
    port, person = crowd.port, crowd.owner
    connection = await Connection.open(port, address="127.0.0.6")
    room = Room(person.list)
    await connection.call("POST", f"{crowd.path}/hails", person.token, room.making())
    while len(crowd.devices) < SOCKETS:
        crowd.devices.append(await person.sign_in(connection))
    listener = await Socket.open(port, room, person.account, person.device, person.token)
    if not isinstance(listener, Socket):
        return f"the room refused its maker: {listener}"
    end, heard, outcomes, said = time.monotonic() + HOLD, 0, [], 0
    body = json.dumps({"type": "say", "room": room.id, "list": room.list, "body": "A" * 4_000}).encode()

    async def listen():
        nonlocal heard
        async for frame in listener.frames():
            heard += isinstance(frame, bytes) and b'"said"' in frame

    async def shout(session):
        nonlocal said
        while time.monotonic() < end:
            socket = await Socket.open(
                port, room, person.account, session["device"]["id"], session["token"], receive_buffer=4096)
            if not isinstance(socket, Socket):
                outcomes.append(socket)
                await asyncio.sleep(0.2)
                continue
            try:
                while time.monotonic() < end:
                    socket.say(body)
                    await socket.connection.writer.drain()
                    said += 1
                    await asyncio.sleep(0)
                outcomes.append("to the end")
            except OSError:
                outcomes.append("put out")
            socket.connection.close()

    listening = asyncio.ensure_future(listen())
    await asyncio.gather(*(shout(session) for session in crowd.devices))
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    listener.connection.close()
    connection.close()
    return f"said {said}, heard {heard / HOLD:.0f}/s by one; sockets: {counted(outcomes)}"


async def hails(crowd):
    """Members hail everybody to room after room."""
    port = crowd.port
    targets = crowd.people[40:90]
    connection = await Connection.open(port)
    for person in targets:
        await connection.call("PUT", f"{crowd.path}/presence", person.token,
                              {"present": True, "hailKey": base64url(os.urandom(32))})
    connection.close()
    end, answers, hailed = time.monotonic() + HOLD, [], 0

    async def hail(person):
        nonlocal hailed
        connection = await Connection.open(port)
        while time.monotonic() < end:
            room = Room(crowd.owner.list)
            status, answer = await connection.call("POST", f"{crowd.path}/hails", person.token, room.making(
                {"to": target.device, "sealed": "A" * 1024} for target in targets))
            answers.append(status)
            hailed += len(answer.get("hailed", [])) if status == 200 else 0
        connection.close()

    await asyncio.gather(*(hail(person) for person in crowd.people[90:94]))
    return f"{hailed} hails; {counted(answers)}"


async def idle_requests(port):
    """A hosted device is asked for what is so already."""
    person = await Person.make(port, "speaker", "127.0.0.6")
    connection = await Connection.open(port)
    await connection.call("POST", f"/v1/lists/{person.list}/entries", person.token, {"entries": [add("milk", 1)]})
    status, device = await connection.call("POST", "/v1/hosted", person.token, {"name": "speaker", "list": person.list})
    connection.close()
    if status != 201:
        return f"{status}"
    end, answers = time.monotonic() + HOLD, []

    async def ask(number):
        connection = await Connection.open(port)
        while time.monotonic() < end:
            connection.send("POST", f"/v1/hosted/{device['id']}/add", device["token"], b'{"text": "milk"}',
                            headers=f"idempotency-key: {uuid.uuid4()}\r\ncontent-type: application/json\r\n")
            status, headers = await connection.head()
            await connection.body(headers, keep=False)
            answers.append(status)
        connection.close()

    await asyncio.gather(*(ask(number) for number in range(4)))
    return counted(answers)
