"""Connections that say nothing, or a byte at a time, and a service that may open no more files."""

import selectors
import socket
import threading
import time

from clients.calls import Calls
from load import AT_ONCE, Broken, Load, asked, expect_alive, slowest
from machine import STARTED_AGAIN, Machine

_SLOW = 5_000
# A service lets 1,000 in from one address.
_ADDRESSES = 6
_BYTE_EVERY = 2.0
# As the cases set them; 20 s and 2 minutes otherwise.
_HEAD, _BODY = 25, 40
_PER_CONNECTION = 30 << 10


class Slow:
    """Slow connections: a quarter says nothing, a quarter half a head and no more, the others send a head or a body a byte at a
    time."""

    _HALF = b"POST /v1/sessions HTTP/1.1\r\nhost: x\r\nx-a: "
    _ENDLESS = b"POST /v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-length: 10000\r\n\r\n"

    def __init__(self, port: int, count: int) -> None:
        self._port, self.refused, self.ended, self.began = port, 0, 0, time.monotonic()
        self.last_end = self.began
        self._selector, self._dribbling = selectors.DefaultSelector(), set()
        self._is_over = threading.Event()
        for index in range(count):
            self._open(index)
        self.opened = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def open(self) -> int:
        return len(self._selector.get_map() or ())

    def _open(self, index: int) -> None:
        each = socket.socket()
        try:
            each.bind((f"127.0.1.{1 + index % _ADDRESSES}", 0))
            each.settimeout(5)
            each.connect(("127.0.0.1", self._port))
            if index % 4:
                each.send(self._ENDLESS if index % 4 == 3 else self._HALF)
        except OSError:
            self.refused += 1
            each.close()
            return
        each.setblocking(False)
        self._selector.register(each, selectors.EVENT_READ)
        if index % 4 >= 2:
            self._dribbling.add(each)

    def _run(self) -> None:
        due = time.monotonic() + _BYTE_EVERY
        while not self._is_over.is_set():
            for key, _ in self._selector.select(0.1):
                try:
                    if key.fileobj.recv(4096):
                        continue
                except BlockingIOError:
                    continue
                except OSError:
                    pass
                self._end(key.fileobj)
            if time.monotonic() >= due:
                due = time.monotonic() + _BYTE_EVERY
                for each in list(self._dribbling):
                    try:
                        each.send(b"a")
                    except OSError:
                        pass  # Its end is read above.

    def _end(self, each: socket.socket) -> None:
        self._selector.unregister(each)
        self._dribbling.discard(each)
        each.close()
        self.ended, self.last_end = self.ended + 1, time.monotonic()

    def close(self) -> None:
        self._is_over.set()
        self._thread.join()
        for key in list((self._selector.get_map() or {}).values()):
            self._end(key.fileobj)


def slow_sockets(plan) -> dict[str, object]:
    """5,000 connections that are silent or dribble: others are served, memory is bounded, all are ended in time"""
    machine = plan.machine("--head-timeout", f"{_HEAD}s", "--body-timeout", f"{_BODY}s")
    load = Load(machine.port)
    load.recovered(time.monotonic(), 30)
    before = machine.memory
    slow = Slow(machine.port, _SLOW)
    began, most, most_open, health = time.monotonic(), before, 0, 0.0
    while slow.open and time.monotonic() < slow.opened + _BODY + 30:
        health = max(health, expect_alive(machine.port))
        most, most_open = max(most, machine.memory), max(most_open, slow.open)
        time.sleep(0.25)
    left, took = slow.open, slow.last_end - slow.opened
    slow.close()
    failures = {call.failure for call in load.since(began) if call.failure}
    figures = {"opened": _SLOW - slow.refused, "at once": most_open, "last ended after": f"{took:.1f} s",
               "memory": f"{before} to {most} MiB", "slowest upload": f"{slowest(load.since(began)):.2f} s",
               "/healthz": f"{health:.2f} s at most", **load.end()}
    if left or took > _BODY + 5:
        raise Broken(f"{left} connections are still there, the last was ended after {took:.1f} s, not {_BODY} s", figures)
    if failures:
        raise Broken(f"others' uploads failed: {failures}", figures)
    # Beside what the connections may take, the process works on others' requests.
    if most - before > (_SLOW * _PER_CONNECTION >> 20) + 32:
        raise Broken(f"memory grew from {before} to {most} MiB", figures)
    return figures


def open_files(plan) -> dict[str, object]:
    """three times as many connections as the service may have open files: it refuses, serves, and has room again"""
    limit = 256
    machine = plan.machine(files=limit)
    load = Load(machine.port)
    load.recovered(time.monotonic(), 30)
    # All come from this machine here, so none of the connections that are kept for its health checks is left.
    checks = Calls(machine.address, 5)
    checks.call("GET", "/healthz")
    began = time.monotonic()
    slow = Slow(machine.port, 3 * limit)
    most = 0
    for _ in range(12):
        checks.call("GET", "/healthz")
        most = max(most, machine.open_files)
        time.sleep(0.25)
    refused = slow.refused + slow.ended
    slow.close()
    back = load.recovered(time.monotonic(), AT_ONCE)
    failures = {call.failure for call in load.since(began) if call.failure}
    figures = {"open files": f"{most} of {limit}", "refused": refused, "restarts": machine.restarts,
               "served again after": f"{back:.2f} s", **load.end()}
    if machine.restarts or failures:
        raise Broken(f"the service ended {machine.restarts} times; others' uploads failed: {failures or 'none'}", figures)
    if not refused:
        raise Broken("no connection was refused", figures)
    return figures


def no_open_files(plan) -> dict[str, object]:
    """the running service may suddenly open no file at all: it goes on, or ends and is started again"""
    machine = plan.machine()
    load = Load(machine.port)
    load.recovered(time.monotonic(), 30)
    machine.limit_open_files(machine.open_files)
    time.sleep(plan.seconds)
    if machine.process.poll() is None:
        machine.limit_open_files(4096)
    back = load.recovered(time.monotonic(), STARTED_AGAIN)
    return {"restarts": machine.restarts, "recovered after": f"{back:.1f} s", **load.end()}


def health_of(machine: Machine) -> str:
    """What `/readyz` says."""
    said, _ = asked(machine.port, "/readyz", 5)
    return said
