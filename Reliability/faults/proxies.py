"""What stands between the service and its database: something that delays every answer, or that swallows notifications."""

import queue
import socket
import threading
import time
from collections.abc import Callable

_CHUNK = 65536
_NOTIFICATION = ord("A")


class DatabaseProxy:
    """Forwards to a socket of PostgreSQL's.
    - delay: how many seconds later an answer arrives.
    - is_silent: notifications never arrive. The connections must be without TLS."""

    def __init__(self, socket_path: str) -> None:
        self._path, self.delay, self.is_silent, self.swallowed = socket_path, 0.0, False, 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def end(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._path)
            except OSError:
                client.close()
                continue
            answers: queue.Queue[tuple[float, bytes]] = queue.Queue()
            _thread(self._ask, client, server)
            _thread(self._receive, server, answers)
            _thread(self._answer, client, server, answers)

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        _carry(client, server.sendall)
        _shut(server)

    def _receive(self, server: socket.socket, answers: queue.Queue) -> None:
        messages = _Messages(self)
        _carry(server, lambda data: answers.put((time.monotonic() + self.delay, messages.through(data))))
        answers.put((0.0, b""))

    def _answer(self, client: socket.socket, server: socket.socket, answers: queue.Queue) -> None:
        while (answer := answers.get())[1] or answer[0]:
            time.sleep(max(0.0, answer[0] - time.monotonic()))
            try:
                client.sendall(answer[1])
            except OSError:
                break
        for each in (client, server):
            _shut(each)
            each.close()


class _Messages:
    """Finds where the server's messages begin and end: a type, then a length that includes itself."""

    def __init__(self, proxy: DatabaseProxy) -> None:
        self._proxy, self._rest, self._is_first = proxy, b"", True

    def through(self, data: bytes) -> bytes:
        self._rest += data
        # The answer to a request for encryption is one byte without a length.
        if self._is_first and self._rest[:1] in (b"N", b"S") and len(self._rest) == 1:
            self._rest = b""
            return data
        self._is_first = False
        passed, place = [], 0
        while len(self._rest) - place >= 5:
            end = place + 1 + int.from_bytes(self._rest[place + 1:place + 5], "big")
            if end > len(self._rest):
                break
            if self._proxy.is_silent and self._rest[place] == _NOTIFICATION:
                self._proxy.swallowed += 1
            else:
                passed.append(self._rest[place:end])
            place = end
        self._rest = self._rest[place:]
        return b"".join(passed)


def _thread(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()


def _carry(source: socket.socket, to: Callable[[bytes], object]) -> None:
    try:
        while data := source.recv(_CHUNK):
            to(data)
    except OSError:
        pass


def _shut(each: socket.socket) -> None:
    try:
        each.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
