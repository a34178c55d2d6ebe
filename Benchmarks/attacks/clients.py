"""Clients that say exactly what they are told to, and people who are signed in."""

import asyncio
import itertools
import json
import socket
import time
import uuid

PASSWORD = "correct horse"


class Connection:
    """One HTTP/1.1 connection that says exactly what it is told to."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, port, receive_buffer=None, address=None):
        sock = socket.socket()
        if address:
            sock.bind((address, 0))
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        return cls(*await asyncio.open_connection(sock=sock, limit=1 << 16))

    def send(self, method, path, token=None, body=None, announce=None, headers=""):
        head = f"{method} {path} HTTP/1.1\r\nhost: x\r\n{headers}"
        if token:
            head += f"authorization: Bearer {token}\r\n"
        if body is not None or announce is not None:
            head += f"content-length: {announce if announce is not None else len(body)}\r\n"
        self.writer.write(head.encode() + b"\r\n" + (body or b""))

    async def head(self):
        """The status and the headers of the answer."""
        line = await self.reader.readline()
        if not line:
            raise ConnectionError("closed")
        headers = {}
        while (field := await self.reader.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode().partition(":")
            headers[name.lower()] = value.strip()
        return int(line.split()[1]), headers

    async def body(self, headers, keep=True):
        """The answer's body, or how long it is."""
        parts, size = [], 0

        async def take(count):
            nonlocal size
            while count:
                part = await self.reader.read(min(count, 1 << 16))
                if not part:
                    raise ConnectionError("cut off")
                count -= len(part)
                size += len(part)
                if keep:
                    parts.append(part)

        if headers.get("transfer-encoding") == "chunked":
            while count := int(await self.reader.readline(), 16):
                await take(count)
                await self.reader.readline()
            await self.reader.readline()
        else:
            await take(int(headers.get("content-length", 0)))
        return b"".join(parts) if keep else size

    async def call(self, method, path, token=None, value=None, keep=True):
        self.send(method, path, token, None if value is None else json.dumps(value).encode())
        await self.writer.drain()
        status, headers = await self.head()
        body = await self.body(headers, keep)
        return status, (json.loads(body) if body and keep else body)

    def close(self):
        self.writer.transport.abort()


class Person:
    """Somebody who is signed in, with a list."""

    @classmethod
    async def make(cls, port, name, address=None, has_list=True):
        person = cls()
        connection = await Connection.open(port, address=address)
        person.email = email = f"{name}-{uuid.uuid4().hex[:8]}@example.com"
        status, _ = await connection.call(
            "POST", "/v1/accounts", value={"email": email, "name": name, "password": PASSWORD})
        assert status == 201, status
        session = await person.sign_in(connection)
        person.token, person.account, person.device = (
            session["token"], session["account"]["id"], session["device"]["id"])
        if has_list:
            person.list = str(uuid.uuid4())
            status, _ = await connection.call("POST", "/v1/lists", person.token, {"id": person.list})
            assert status == 201, status
        connection.close()
        return person

    async def sign_in(self, connection):
        """One more device."""
        status, session = await connection.call(
            "POST", "/v1/sessions", value={"email": self.email, "password": PASSWORD})
        assert status in (200, 201), status
        return session


def add(text, number):
    return {"id": str(uuid.uuid4()), "operation": "add", "item": str(uuid.uuid4()), "after": None,
            "fields": {"text": text}, "cause": "edit", "deviceSequence": number, "age": 0}


def change(operation, number, item=None, **fields):
    return {"id": str(uuid.uuid4()), "operation": operation, "item": item, "fields": fields, "cause": "edit",
            "deviceSequence": number, "age": 0}


def counted(outcomes):
    counts = {}
    for outcome in outcomes:
        counts[outcome] = counts.get(outcome, 0) + 1
    return ", ".join(f"{count} × {outcome}" for outcome, count in sorted(counts.items(), key=lambda pair: str(pair[0])))


async def upload(port, person, list_id, entries):
    """Uploads entries in order, on two connections. Returns how many got which verdict."""
    verdicts, entries = {}, iter(entries)

    async def sender():
        connection = await Connection.open(port)
        while batch := list(itertools.islice(entries, 400)):
            status, answer = await connection.call(
                "POST", f"/v1/lists/{list_id}/entries", person.token, {"entries": batch})
            for result in answer["results"] if status == 200 else [{"status": status}] * len(batch):
                verdict = result.get("code", result["status"])
                verdicts[verdict] = verdicts.get(verdict, 0) + 1
            if status != 200:
                await asyncio.sleep(1)
        connection.close()

    await asyncio.gather(sender(), sender())
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())


async def ask_again(port, end, method, path, token=None, value=None, address=None, until=()):
    """Asks the same on one connection until a time, or until an answer's status is one of `until`. Returns the answers."""
    connection, answers = await Connection.open(port, address=address), []
    while time.monotonic() < end and (not answers or answers[-1] not in until):
        try:
            status, _ = await asyncio.wait_for(connection.call(method, path, token, value, keep=False), 40)
        except (OSError, ValueError, asyncio.TimeoutError) as error:
            status = type(error).__name__
            connection.close()
            connection = await Connection.open(port, address=address)
        answers.append(status)
    connection.close()
    return answers
