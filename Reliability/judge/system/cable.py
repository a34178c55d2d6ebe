"""A client's cable to the service: a TCP proxy that can be cut, and can hold or lose what goes in one direction."""

import random
import socket
import threading
from collections.abc import Sequence
from enum import Enum

_CHUNK = 65536


class Flow(Enum):
    """What a cable does in one direction. Everything that is held arrives later, also when its sender has given up."""

    THROUGH = "through"
    HELD = "held"
    LOST = "lost"


class Cable:
    """Each connection goes to one of the service's ports, as through a load balancer.
    - `to_service` HELD: requests arrive late. `to_client` HELD: answers arrive late. `to_client` LOST: the request takes
      effect, and the connection breaks when its answer comes."""

    def __init__(self, ports: Sequence[int], seed: int) -> None:
        self.ports, self.random = ports, random.Random(seed)
        self.to_service = self.to_client = Flow.THROUGH
        self.is_connected = True
        self._changed = threading.Condition()
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def set(self, to_service: Flow = Flow.THROUGH, to_client: Flow = Flow.THROUGH) -> None:
        with self._changed:
            self.to_service, self.to_client, self.is_connected = to_service, to_client, True
            self._changed.notify_all()

    def cut(self) -> None:
        """Breaks all connections, and refuses new ones until the next `set`."""
        with self._changed:
            self.is_connected = False
            open_sockets, self._sockets = self._sockets, set()
            self._changed.notify_all()
        for each in open_sockets:
            _close(each)

    def end(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                if not self.is_connected:
                    raise OSError("cut")
                service = socket.create_connection(("127.0.0.1", self.random.choice(self.ports)), timeout=5)
                service.settimeout(None)
            except OSError:
                _close(client)
                continue
            with self._changed:
                self._sockets |= {client, service}
            for source, sink, name in ((client, service, "to_service"), (service, client, "to_client")):
                threading.Thread(target=self._carry, args=(source, sink, name), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, direction: str) -> None:
        try:
            while True:
                data = source.recv(_CHUNK)
                if not self._may_pass(source, direction):
                    break
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
        except (OSError, ValueError):
            pass
        with self._changed:
            self._sockets -= {source, sink}
        _close(source)
        _close(sink)

    def _may_pass(self, source: socket.socket, direction: str) -> bool:
        """Waits while this direction is held."""
        with self._changed:
            self._changed.wait_for(lambda: source not in self._sockets or getattr(self, direction) is not Flow.HELD)
            return source in self._sockets and getattr(self, direction) is Flow.THROUGH


def _close(each: socket.socket) -> None:
    try:
        each.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    each.close()
