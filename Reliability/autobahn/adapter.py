"""Stands between the Autobahn suite and the service at argv[1].

The suite knows neither sessions nor rooms, and expects an echo. For each of its connections the adapter opens a socket with a
device's session, and passes on all bytes in both directions as they are, so the service alone judges them. The service answers a
text that is no request with the message `refused`; the adapter puts the echo of that text in its place. So an echo says that the
service has taken the message as whole and valid, when it had to.
"""

import asyncio
import itertools
import json
import sys
import urllib.parse
import urllib.request
import uuid

service = sys.argv[1]
# Frames per second are limited by device and by account.
ACCOUNTS = 8


def call(path, body):
    request = urllib.request.Request(service + path, data=json.dumps(body).encode(), method='POST')
    request.add_header('Content-Type', 'application/json')
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def token():
    form = {'email': f'{uuid.uuid4().hex}@example.com', 'password': 'correct horse'}
    call('/v1/accounts', form | {'name': 'autobahn'})
    return call('/v1/sessions', form)['token']


class Frames:
    """Reads frames from a stream of bytes, as far as they are frames."""

    def __init__(self):
        self.bytes = b''

    def feed(self, data):
        self.bytes += data
        while True:
            frame = self.next()
            if frame is None:
                return
            yield frame

    def next(self):
        """(first byte, payload without the mask, the frame's bytes); None when there is no whole frame."""
        data = self.bytes
        if len(data) < 2:
            return None
        length, start = data[1] & 0x7f, 2
        if length >= 126:
            size = 2 if length == 126 else 8
            if len(data) < start + size:
                return None
            length, start = int.from_bytes(data[start:start + size], 'big'), start + size
        mask = b''
        if data[1] & 0x80:
            mask, start = data[start:start + 4], start + 4
        if len(data) < start + length:
            return None
        payload = data[start:start + length]
        if mask:
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.bytes = data[start + length:]
        return data[0], payload, data[:start + length]


def text_frame(payload):
    length = len(payload)
    if length < 126:
        return bytes([0x81, length]) + payload
    return bytes([0x81, 126]) + length.to_bytes(2, 'big') + payload


async def upgrade(reader, writer, bearer):
    """Sends the suite's request to the service, with a session."""
    lines = (await reader.readuntil(b'\r\n\r\n')).split(b'\r\n')
    lines[0] = b'GET /v1/socket HTTP/1.1'
    lines = [line for line in lines if not line.lower().startswith((b'origin:', b'authorization:'))]
    lines.insert(1, b'Authorization: Bearer ' + bearer.encode())
    address = urllib.parse.urlsplit(service)
    upstream, downstream = await asyncio.open_connection(address.hostname, address.port)
    downstream.write(b'\r\n'.join(lines))
    answer = await upstream.readuntil(b'\r\n\r\n')
    if b' 101 ' not in answer.split(b'\r\n')[0]:
        print(answer.decode(), file=sys.stderr)
    writer.write(answer)
    return upstream, downstream


async def connected(tokens, reader, writer):
    downstream = None
    try:
        upstream, downstream = await upgrade(reader, writer, next(tokens))
        texts, message = [], b''

        async def to_service():
            nonlocal message
            frames = Frames()
            while data := await reader.read(1 << 16):
                downstream.write(data)
                for first, payload, _ in frames.feed(data):
                    if first & 0x0f not in (0, 1):
                        continue
                    message = payload if first & 0x0f == 1 else message + payload
                    if first & 0x80:
                        texts.append(message)
            downstream.write_eof()

        async def to_suite():
            frames = Frames()
            while data := await upstream.read(1 << 16):
                for first, payload, frame in frames.feed(data):
                    writer.write(text_frame(texts.pop(0)) if first == 0x81 else frame)
            writer.close()

        await asyncio.gather(to_service(), to_suite())
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()
        if downstream:
            downstream.close()


async def main():
    tokens = itertools.cycle([token() for _ in range(ACCOUNTS)])
    server = await asyncio.start_server(lambda *ends: connected(tokens, *ends), '127.0.0.1', 0)
    print(f'ws://127.0.0.1:{server.sockets[0].getsockname()[1]}', flush=True)
    await server.serve_forever()


asyncio.run(main())
