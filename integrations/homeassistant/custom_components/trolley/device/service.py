"""The calls of a Trolley service: docs/protocol.md and openapi.yaml."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
from yarl import URL

#: The version of the protocol that this program knows (docs/protocol.md, 'Versions').
PROTOCOL_VERSION = 3
#: Seconds for a call.
TIMEOUT = 30
#: The service sends a comment every 15 seconds when its stream is idle.
STREAM_SILENCE = 45
#: A list of 10,000 items has about 3 MiB.
MAX_ANSWER = 32 << 20
MAX_EVENT = 64 << 10


class ServiceError(Exception):
    """The service has refused a call."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.code: str = problem.get("code") or "internalError"
        self.detail: str | None = problem.get("detail")
        self.reason: str | None = problem.get("reason")
        self.retry_after = retry_after
        super().__init__(f"{self.code}: {self.detail or problem.get('title') or status}")


class NotSignedIn(Exception):
    """The token isn't valid any more. It is no `ServiceError`: nothing that it refuses may count as refused."""

    def __init__(self, problem: dict[str, Any]) -> None:
        #: A person or an operator has ended it, and the account exists: its lists leave.
        self.signed_out: bool = problem.get("signedOut") is True
        super().__init__(problem.get("detail") or "notAuthenticated")


class Unavailable(Exception):
    """No answer, or one that says: later. The same call may be repeated."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class NotUndone(Exception):
    """The service has taken nothing back, and says why."""


class NotTrolley(Exception):
    """Another program answers at this address."""


@dataclass(frozen=True)
class Hint:
    """A hint of the event stream: something has changed."""

    name: str
    list_id: str | None = None
    sequence: int | None = None


class Service:
    """A service and the token of one device."""

    def __init__(self, session: aiohttp.ClientSession, address: str, token: str) -> None:
        self._session = session
        self._address = URL(address.rstrip("/") + "/")
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self.last_event: str | None = None

    async def config(self) -> dict[str, Any]:
        """The service's version and limits. Raises `NotTrolley` for another program's answer."""
        try:
            config = await self._call("GET", "v1/config")
        except ServiceError as error:
            raise NotTrolley(str(error)) from error
        if not isinstance(config.get("limits"), dict) or "protocolVersion" not in config:
            raise NotTrolley("no limits in the answer")
        return config

    async def account(self) -> dict[str, Any]:
        return await self._call("GET", "v1/account")

    async def lists(self) -> dict[str, Any]:
        return await self._call("GET", "v1/lists")

    async def state(self, list_id: str) -> dict[str, Any]:
        return await self._call("GET", f"v1/lists/{list_id}/state")

    async def share(self, list_id: str) -> dict[str, Any]:
        return await self._call("GET", f"v1/lists/{list_id}/share")

    async def activity(self, list_id: str, before: str | None = None, limit: int = 100) -> dict[str, Any]:
        query = {"limit": str(limit)} | ({"before": before} if before else {})
        return await self._call("GET", f"v1/lists/{list_id}/activity", query=query)

    async def upload(self, list_id: str, entries: list[dict[str, Any]], only_validate: bool = False) -> dict[str, Any]:
        body = {"entries": entries} | ({"validateOnly": True} if only_validate else {})
        return await self._call("POST", f"v1/lists/{list_id}/entries", body)

    async def undo(self, list_id: str) -> dict[str, Any]:
        """Takes back the latest change that was made with this token on a list: the tool `undo` of the service's /mcp.

        The answer has the `entries` that do it, and what others have changed since and stays (`skipped`). Without any of both
        there was nothing to take back. Raises `NotUndone` if the service doesn't take it back. A call without an answer may have
        taken effect; a second one would take back the change before it.
        """
        call = {"name": "undo", "arguments": {"list": list_id}}
        answer = await self._call("POST", "mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        result = answer.get("result")
        if not isinstance(result, dict):
            raise NotTrolley("no result of the tool 'undo'")
        if result.get("isError"):
            raise NotUndone(" ".join(part.get("text") or "" for part in result.get("content") or []).strip())
        return dict(result["structuredContent"])

    async def expired(self, tokens: dict[str, str]) -> list[str]:
        """The lists whose token the service refuses, because it was restored from an older copy."""
        body = {"tokens": tokens, "limit": 1, "protocolVersion": PROTOCOL_VERSION}
        return list((await self._call("POST", "v1/changes", body))["expired"])

    async def _call(
        self, method: str, path: str, body: dict[str, Any] | None = None, query: dict[str, str] | None = None
    ) -> dict[str, Any]:
        try:
            async with self._session.request(
                method,
                self._address.join(URL(path)),
                params=query,
                json=body,
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=TIMEOUT),
                allow_redirects=False,
            ) as answer:
                data = await _read(answer)
                status, headers = answer.status, answer.headers
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"{type(error).__name__}: {error}") from error
        return _checked(status, headers, data)

    async def hints(self) -> AsyncIterator[Hint]:
        """The event stream, until it ends. It begins with `sync`, unless nothing was missed since the stream before."""
        headers = {**self._headers, "Accept": "text/event-stream"}
        if self.last_event:
            headers["Last-Event-ID"] = self.last_event
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT, sock_read=STREAM_SILENCE)
        try:
            async with self._session.get(
                self._address.join(URL("v1/events")), headers=headers, timeout=timeout, allow_redirects=False
            ) as answer:
                if answer.status != 200:
                    _checked(answer.status, answer.headers, await _read(answer))
                    raise NotTrolley(f"status {answer.status}")
                name, data, identifier, size = "", "", None, 0
                async for raw in answer.content:
                    line = raw.decode("utf-8", "replace").rstrip("\r\n")
                    size += len(raw)
                    if size > MAX_EVENT:
                        raise Unavailable("an event is too long")
                    key, _, value = line.partition(":")
                    value = value.removeprefix(" ")
                    if key == "event":
                        name = value
                    elif key == "data":
                        data += value
                    elif key == "id":
                        identifier = value
                    elif not line:
                        if identifier is not None:
                            self.last_event = identifier
                        if name:
                            yield _hint(name, data)
                        name, data, identifier, size = "", "", None, 0
                    elif not key:
                        # A comment, which says that the service is there.
                        size = 0
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise Unavailable(f"{type(error).__name__}: {error}") from error


def _hint(name: str, data: str) -> Hint:
    try:
        value = json.loads(data) if data else {}
    except ValueError:
        value = {}
    if not isinstance(value, dict):
        value = {}
    return Hint(name, value.get("list"), value.get("sequence"))


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    chunks, size = [], 0
    async for chunk in answer.content.iter_chunked(1 << 16):
        size += len(chunk)
        if size > MAX_ANSWER:
            raise Unavailable("the answer is too large")
        chunks.append(chunk)
    return b"".join(chunks)


def _checked(status: int, headers: Any, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data) if data else {}
    except ValueError:
        value = None
    if 200 <= status < 300 and isinstance(value, dict):
        return value
    # A proxy in front of the service answers without a problem document.
    problem = value if isinstance(value, dict) else {}
    retry_after = _seconds(headers.get("Retry-After")) if "Retry-After" in headers else problem.get("retryAfter")
    if status == 401 and problem.get("code") == "notAuthenticated":
        raise NotSignedIn(problem)
    if status in (429, 502, 503, 504) or status >= 500:
        raise Unavailable(f"{status} {problem.get('code') or ''}".strip(), retry_after)
    if "code" not in problem:
        raise NotTrolley(f"status {status}")
    raise ServiceError(status, problem, retry_after)


def _seconds(value: str) -> float | None:
    try:
        return max(0.0, float(value))
    except ValueError:
        return None
