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
        sockets = []
        for household in self._households:
            room = Room(household["list"])
            connection = await Connection.open(self._port)
            status, answer = await connection.call(
                "POST", f"/v1/lists/{household['list']}/hails", household["devices"][0]["token"], room.making())
            connection.close()
            if status != 200:
                raise Failed(f"a room is refused: {status} {answer}")
            for device in household["devices"]:
                socket = await Socket.open(self._port, room, household["account"], device["id"], device["token"])
                if not isinstance(socket, Socket):
                    raise Failed(f"a room's socket is refused: {socket}")
                sockets.append((socket, room))
        self._opened.set()
        listening = [asyncio.ensure_future(self._listen(socket)) for socket, _ in sockets]
        while not self._is_over.is_set():
            began = time.monotonic()
            for socket, room in sockets:
                body = json.dumps({"type": "say", "room": room.id, "list": room.list, "body": "A" * _LENGTH})
                socket.say(body.encode())
                self.said += 1
            for each in listening:
                if each.done():
                    raise Failed(f"a room's socket has ended: {each.exception()!r}")
            await asyncio.sleep(max(0.0, began + _EVERY - time.monotonic()))
        await asyncio.sleep(1)
        for each in listening:
            each.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
        for socket, _ in sockets:
            socket.connection.close()

    async def _listen(self, socket: Socket) -> None:
        async for frame in socket.frames():
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
