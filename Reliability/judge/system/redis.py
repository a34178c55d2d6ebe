"""A Redis that keeps entries instead of the service: with `appendonly no` it forgets the last second when it is killed."""

import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from system.peer import Away, PeerHTTP
from system.processes import end, send, start, until

# Without an append-only file, Redis writes a snapshot a second after a change, as most installations do in minutes.
_FORGETTING = ["--appendonly", "no", "--save", "1", "1"]
_FLUSHING = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]

# Appends entries of a list, each id once. KEYS: the entries, and the place of each id. ARGV: id and entry, again and again.
_APPEND = """
local answers = {}
for i = 1, #ARGV, 2 do
    local place = redis.call('HGET', KEYS[2], ARGV[i])
    local isNew = 0
    if not place then
        place = redis.call('RPUSH', KEYS[1], ARGV[i + 1])
        redis.call('HSET', KEYS[2], ARGV[i], place)
        isNew = 1
    end
    answers[#answers + 1] = {tostring(place), tostring(isNew), redis.call('LINDEX', KEYS[1], place - 1)}
end
return answers
"""


class RedisPeer:
    """Stands where `Service` stands, and is a `PeerLog` for the adapter.
    - flushes: it flushes each command before it answers. Then it must lose nothing either."""

    has_real_devices = has_states = False
    before = disk = library = None
    server_kills = 0.0

    def __init__(self, directory: Path, flushes: bool) -> None:
        self.directory, self.path = directory, directory / "redis.sock"
        self._options = _FLUSHING if flushes else _FORGETTING
        self._local = threading.local()
        self.process: subprocess.Popen | None = None
        self.start(0)
        self.http = PeerHTTP(self)
        self.ports = [self.http.port]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http.port}"

    # PeerLog

    def append(self, list_id: str, entries: list[tuple[str, str]]) -> list[tuple[int, bool, str]]:
        arguments = [part for entry in entries for part in entry]
        answers = self._ask("EVAL", _APPEND, "2", f"entries:{list_id}", f"places:{list_id}", *arguments)
        return [(int(place), is_new == "1", entry) for place, is_new, entry in answers]

    def read(self, list_id: str, after: int) -> list[str]:
        return self._ask("LRANGE", f"entries:{list_id}", str(after), "-1")

    def _ask(self, *command: str):
        """Sends a command over this thread's connection."""
        try:
            if getattr(self._local, "stream", None) is None:
                connection = socket.socket(socket.AF_UNIX)
                connection.settimeout(5)
                connection.connect(str(self.path))
                self._local.stream = connection.makefile("rwb")
                connection.close()  # The file keeps it open.
            stream = self._local.stream
            parts = [part.encode() for part in command]
            stream.write(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
            stream.flush()
            return _reply(stream)
        except (OSError, ValueError) as error:
            self._local.stream = None
            raise Away(str(error)) from error

    # What the nemesis does

    def start(self, index: int) -> float:
        began = time.monotonic()
        self.process = start(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--dir", self.directory, *self._options],
            self.directory / "redis.log")
        until("Redis answers", self._answers, 30)
        return time.monotonic() - began

    def _answers(self) -> bool:
        try:
            return self._ask("PING") == "PONG"
        except Away:
            return False

    def kill(self, index: int) -> None:
        send(signal.SIGKILL, self.process.pid)
        end(self.process)

    def pause(self, index: int) -> None:
        send(signal.SIGSTOP, self.process.pid)

    def resume(self, index: int) -> None:
        send(signal.SIGCONT, self.process.pid)

    def backends(self) -> list[int]:
        return []

    def kill_database(self) -> bool:
        """There is none apart from Redis."""
        return False

    def processes(self) -> list[subprocess.Popen]:
        return [self.process] if self.process else []

    def heal(self) -> None:
        self.resume(0)
        if self.process.poll() is not None:
            self.start(0)

    def stop(self) -> None:
        self.http.end()
        end(self.process)


def _reply(stream):
    """A reply of RESP: text, a number, a list of replies, or nothing."""
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise ValueError("the connection has ended")
    kind, rest = line[:1], line[1:-2].decode()
    if kind == b"$":
        return None if rest == "-1" else stream.read(int(rest) + 2)[:-2].decode()
    if kind == b"*":
        return [_reply(stream) for _ in range(int(rest))]
    if kind == b"-":
        raise ValueError(rest)
    return rest
