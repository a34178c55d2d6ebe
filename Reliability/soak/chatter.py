"""Rooms that are open meanwhile: both devices of some households say something every second."""

import asyncio
import json
import sys
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Benchmarks"))

from attacks.clients import Connection  # noqa: E402
from attacks.sharing import Room, Socket  # noqa: E402
from system.processes import Failed  # noqa: E402

_EVERY = 1.0
# docs/protocol.md, Rooms.
_ROOM_IS_OVER = 4002
_LENGTH = 200


class Chatter:
    """Frames that were said, and those that the other device has heard."""

    def __init__(self, port: int, households: list[dict]) -> None:
        self._port, self._households = port, households
        self.said = self.heard = 0
        self.failure: Exception | None = None
        self._is_over = threading.Event()
        self._opened = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self._opened.wait(60) or self.failure:
            raise Failed(f"the rooms don't open: {self.failure}")

    def _run(self) -> None:
        try:
            asyncio.run(self._talk())
        except Exception as error:  # A thread's error is the run's: `check` raises it.
            self.failure = error
            self._opened.set()

    async def _talk(self) -> None:
        rooms = [await self._open(household) for household in self._households]
        self._opened.set()
        while not self._is_over.is_set():
            began = time.monotonic()
            for index, (room, sockets, listening) in enumerate(rooms):
                if any(each.done() for each in listening):
                    await self._close(sockets, listening)
                    rooms[index] = room, sockets, listening = await self._open(self._households[index])
                body = json.dumps({"type": "say", "room": room.id, "list": room.list, "body": "A" * _LENGTH})
                for socket in sockets:
                    socket.say(body.encode())
                    self.said += 1
            await asyncio.sleep(max(0.0, began + _EVERY - time.monotonic()))
        await asyncio.sleep(1)
        for _, sockets, listening in rooms:
            for each in listening:
                each.cancel()
            await self._close(sockets, listening)

    async def _open(self, household: dict) -> tuple[Room, list[Socket], list[asyncio.Future]]:
        """A new room, both devices in it, and what listens to them."""
        room = Room(household["list"])
        connection = await Connection.open(self._port)
        status, answer = await connection.call(
            "POST", f"/v1/lists/{household['list']}/hails", household["devices"][0]["token"], room.making())
        connection.close()
        if status != 200:
            raise Failed(f"a room is refused: {status} {answer}")
        sockets = []
        for device in household["devices"]:
            socket = await Socket.open(self._port, room, household["account"], device["id"], device["token"])
            if not isinstance(socket, Socket):
                raise Failed(f"a room's socket is refused: {socket}")
            sockets.append(socket)
        return room, sockets, [asyncio.ensure_future(self._listen(socket)) for socket in sockets]

    async def _close(self, sockets: list[Socket], listening: list[asyncio.Future]) -> None:
        for ended in await asyncio.gather(*listening, return_exceptions=True):
            if isinstance(ended, Exception):
                raise Failed(f"a room's socket has ended: {ended!r}")
        for socket in sockets:
            socket.connection.close()

    async def _listen(self, socket: Socket) -> None:
        """Ends when the room does, which is after an hour."""
        async for frame in socket.frames():
            if frame == _ROOM_IS_OVER:
                return
            if isinstance(frame, int):
                raise ConnectionError(f"closed with {frame}")
            self.heard += b'"said"' in frame

    @property
    def frames_per_second(self) -> float:
        return 2 * len(self._households) / _EVERY

    def check(self) -> None:
        if self.failure:
            raise Failed(str(self.failure))

    def end(self) -> None:
        self._is_over.set()
        self._thread.join(10)
