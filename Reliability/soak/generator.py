"""Uploads at a fixed rate, in a process of its own: what is due is sent, whether or not earlier uploads are answered.

Each household has one connection that uploads one gesture a request, and a stream on which its second device hears of it. A time
counts from the moment when the upload was due, so a service that falls behind can't slow down what it is measured with. One loop over
epoll, because two cores have to do with it beside the service; `busy` says how much of one it needs itself."""

import multiprocessing
import select
import socket
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from clients.calls import Calls, identifier
from system.processes import Failed

_PASSWORD = "correct horse battery"
# Tenths of a millisecond; the last one stands for everything longer.
_BUCKETS = 20_001
# Until then what a rate that doesn't hold has left is sent, so that the next one begins with nothing.
_DRAIN_AT_MOST = 60.0


class Times:
    """A histogram of seconds."""

    def __init__(self) -> None:
        self._buckets, self.count = [0] * _BUCKETS, 0

    def add(self, seconds: float) -> None:
        self._buckets[min(_BUCKETS - 1, max(0, int(seconds * 10_000)))] += 1
        self.count += 1

    def percentile(self, share: float) -> float:
        """In milliseconds."""
        left = share * self.count
        for index, count in enumerate(self._buckets):
            left -= count
            if left <= 0 and count:
                return index / 10
        return 0.0


@dataclass
class Result:
    """Milliseconds, but for `drain`, which is in seconds.
    - late: how much later than due uploads were handed out. A generator that isn't busy was kept from its processor by others.
    - busy: the share of the time in which the generator used its processor.
    - seconds: of each second, the 99th percentile of uploads, and the median lag of hints."""

    rate: float
    confirmed: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    p50: float = 0.0
    p99: float = 0.0
    hint_p99: float = 0.0
    late_p99: float = 0.0
    busy: float = 0.0
    drain: float = 0.0
    seconds: list[tuple[float, float]] = field(default_factory=list)


class _Household:
    def __init__(self, port: int) -> None:
        self.calls = Calls(f"http://127.0.0.1:{port}", 60)
        account = {"email": f"{identifier()}@example.com", "password": _PASSWORD}
        self.account = self.calls.persist("POST", "/v1/accounts", {**account, "name": "Soak"})["id"]
        self.devices = [self.calls.persist("POST", "/v1/sessions", account) for _ in range(2)]
        token = self.calls.token = self.devices[0]["token"]
        self.list = identifier()
        self.calls.persist("POST", "/v1/lists", {"id": self.list})
        self._head = (f"POST /v1/lists/{self.list}/entries HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n"
                      "content-type: application/json\r\ncontent-length: ")
        self.number, self.item, self.wanted = 0, "", 0
        # When uploads were due; the first one is under way.
        self.due: deque[float] = deque()
        # Sequences that the other device hasn't heard of, and when their uploads were due.
        self.unheard: deque[tuple[int, float]] = deque()
        self.heard, self.answer, self.is_busy = 0, b"", False

    def connect(self, port: int) -> None:
        """When all households are made, which takes a minute on a busy machine. The service closes a connection that says nothing."""
        self.uploads = _connected(port)
        self.hints = _connected(port)
        self.hints.sendall(f"GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {self.devices[1]['token']}\r\n\r\n".encode())

    def next_request(self) -> bytes:
        """Adds an item, and marks it off with the next gesture."""
        self.number += 1
        is_add = self.number % 2 == 1
        if is_add:
            self.item = identifier()
        operation, fields = ("add", f'{{"text":"thing {self.number}"}}') if is_add else ("markOff", "{}")
        body = (f'{{"entries":[{{"id":"{identifier()}","operation":"{operation}","item":"{self.item}","fields":{fields},'
                f'"cause":"edit","deviceSequence":{self.number},"age":0}}]}}')
        return f"{self._head}{len(body)}\r\n\r\n{body}".encode()


def _connected(port: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class _Run:
    """One run at one rate."""

    def __init__(self, households: list[_Household], poll: select.epoll, by_file: dict[int, _Household]) -> None:
        self._households, self._poll, self._by_file = households, poll, by_file
        self._failures: dict[str, int] = {}
        self._all, self._hints, self._late = Times(), Times(), Times()
        self._second, self._second_hints = Times(), Times()

    def go(self, rate: float, seconds: float) -> Result:
        result = Result(rate)
        total, sent, began, used = int(rate * seconds), 0, time.monotonic(), time.process_time()
        next_second = began + 1
        while sent < total:
            now = time.monotonic()
            while sent < total and (due := began + sent / rate) <= now:
                household = self._households[sent % len(self._households)]
                household.due.append(due)
                self._late.add(now - due)
                sent += 1
                if not household.is_busy:
                    self._send(household)
            if now >= next_second:
                next_second += 1
                result.seconds.append((self._second.percentile(0.99), self._second_hints.percentile(0.5)))
                self._second, self._second_hints = Times(), Times()
            self._turn(max(0.0, min(0.05, began + sent / rate - time.monotonic())))
        end = time.monotonic()
        result.busy = (time.process_time() - used) / (end - began)
        while self._is_waiting() and time.monotonic() < end + _DRAIN_AT_MOST:
            self._turn(0.01)
        result.drain = time.monotonic() - end
        result.confirmed, result.failures = self._all.count, self._failures
        result.p50, result.p99 = self._all.percentile(0.5), self._all.percentile(0.99)
        result.hint_p99, result.late_p99 = self._hints.percentile(0.99), self._late.percentile(0.99)
        return result

    def _is_waiting(self) -> bool:
        return any(each.due or each.unheard for each in self._households)

    def _turn(self, timeout: float) -> None:
        for file, _ in self._poll.poll(timeout):
            household = self._by_file[file]
            if file == household.uploads.fileno():
                self._answered(household)
            else:
                self._hinted(household)

    def _send(self, household: _Household) -> None:
        household.is_busy = True
        household.uploads.sendall(household.next_request())

    def _answered(self, household: _Household) -> None:
        household.answer += household.uploads.recv(65536)
        head, separator, body = household.answer.partition(b"\r\n\r\n")
        if not separator or len(body) < _content_length(head):
            if not household.answer:
                raise ConnectionError("the service has closed a connection")
            return
        household.answer, household.is_busy = b"", False
        due, now = household.due.popleft(), time.monotonic()
        place = body.find(b'"sequence":')
        if head[9:12] == b"200" and place >= 0:
            for times in (self._all, self._second):
                times.add(now - due)
            sequence = int(body[place + 11:].split(b",", 1)[0].rstrip(b"}]"))
            if sequence <= household.heard:
                self._heard(now - due)
            else:
                household.unheard.append((sequence, due))
        else:
            text = body[:200].decode(errors="replace")
            self._failures[text] = self._failures.get(text, 0) + 1
        if household.due:
            self._send(household)

    def _hinted(self, household: _Household) -> None:
        now = time.monotonic()
        data = household.hints.recv(65536)
        if not data:
            raise ConnectionError("the service has ended a stream")
        for part in data.split(b'"sequence":')[1:]:
            digits = part.split(b"}", 1)[0].split(b",", 1)[0]
            if digits.isdigit():
                household.heard = max(household.heard, int(digits))
        while household.unheard and household.unheard[0][0] <= household.heard:
            self._heard(now - household.unheard.popleft()[1])

    def _heard(self, seconds: float) -> None:
        for times in (self._hints, self._second_hints):
            times.add(seconds)


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line[15:])
    return 0


def _work(port: int, count: int, pipe: Connection) -> None:
    households = [_Household(port) for _ in range(count)]
    poll, by_file = select.epoll(), {}
    for each in households:
        each.connect(port)
        for connection in (each.uploads, each.hints):
            poll.register(connection.fileno(), select.EPOLLIN)
            by_file[connection.fileno()] = each
    pipe.send([{"list": each.list, "account": each.account, "devices": [
        {"id": device["device"]["id"], "token": device["token"]} for device in each.devices]} for each in households])
    while (order := pipe.recv()) is not None:
        try:
            pipe.send(_Run(households, poll, by_file).go(*order))
        except (OSError, ValueError) as error:
            pipe.send(f"the load ended: {error!r}")
            return


class Generator:
    """- households: as the rooms need them: list, account, and two devices with their tokens."""

    def __init__(self, port: int, count: int) -> None:
        self._pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_work, args=(port, count, other), daemon=True)
        self.process.start()
        other.close()
        self.households: list[dict] = self._pipe.recv()

    def begin(self, rate: float, seconds: float) -> None:
        self._pipe.send((rate, seconds))

    @property
    def is_over(self) -> bool:
        return self._pipe.poll(0)

    def result(self) -> Result:
        said = self._pipe.recv()
        if isinstance(said, str):
            raise Failed(said)
        return said

    def run(self, rate: float, seconds: float) -> Result:
        self.begin(rate, seconds)
        return self.result()

    def end(self) -> None:
        try:
            self._pipe.send(None)
        except OSError:
            pass  # It has ended already.
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
