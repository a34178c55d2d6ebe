"""HTTP calls of one client, as openapi.yaml describes them."""

import http.client
import json
import os
import random
import socket
import time
from typing import Any


class Unknown(Exception):
    """No answer, or one that says to come again: the request may have taken effect."""

    def __init__(self, why: str, retry_after: float | None = None) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after


class Refused(Exception):
    """A problem document that says that the request had no effect."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{status} {problem}")
        self.status, self.code = status, problem.get("code", "")
        self.reason = problem.get("reason")


class Calls:
    """One connection, which is kept between calls."""

    def __init__(self, address: str, timeout: float, token: str | None = None, patience: float = 60) -> None:
        self.host, self.timeout, self.token, self.patience = address.removeprefix("http://"), timeout, token, patience
        self.connection: http.client.HTTPConnection | None = None

    def call(self, method: str, path: str, body: dict | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.host, timeout=self.timeout)
                self.connection.connect()
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unknown(type(error).__name__) from error
        try:
            value = json.loads(text) if text else {}
        except ValueError as error:
            self.close()
            raise Unknown(f"{answer.status} without JSON") from error
        if answer.status == 429 or answer.status >= 500:
            raise Unknown(f"{answer.status} {value.get('code')}", value.get("retryAfter"))
        if answer.status >= 400:
            raise Refused(answer.status, value)
        return value

    def persist(self, method: str, path: str, body: dict | None = None) -> Any:
        """Sends the same request again until it is answered, for `patience` seconds."""
        end = time.monotonic() + self.patience
        while True:
            try:
                return self.call(method, path, body)
            except Unknown:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def close(self) -> None:
        if self.connection:
            self.connection.close()
            self.connection = None


def identifier(source: random.Random | None = None) -> str:
    """A UUIDv7."""
    bits = source.getrandbits(74) if source else int.from_bytes(os.urandom(10), "big") >> 6
    text = f"{int(time.time() * 1000):012x}7{bits >> 62:03x}{0x8 | (bits >> 60) & 3:x}{bits & (1 << 60) - 1:015x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
