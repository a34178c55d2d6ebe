"""An adapter: the calls of openapi.yaml that plain devices use, over a log that somebody else keeps.

People, sessions and lists are in this process, because they are not what is judged. Entries are in the log alone."""

import json
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from clients.calls import identifier


class Away(Exception):
    """The log does not answer, or not for certain."""


class PeerLog(Protocol):
    def append(self, list_id: str, entries: list[tuple[str, str]]) -> list[tuple[int, bool, str]]:
        """Appends entries (id, JSON), each id once. Returns the place of each, whether it is new, and its JSON."""

    def read(self, list_id: str, after: int) -> list[str]:
        """The JSON of the entries behind a place, in order."""


class PeerHTTP:
    def __init__(self, log: PeerLog) -> None:
        self.log = log
        self.sessions: dict[str, tuple[str, str]] = {}
        self.accounts: dict[str, str] = {}
        self.lists: set[str] = set()

        class Handler(_Handler):
            peer = self

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, query: dict[str, str], token: str, body: dict) -> Any:
        parts = path.strip("/").split("/")[1:]
        match parts:
            case ["accounts"]:
                return {"id": self.accounts.setdefault(body["email"], identifier())}
            case ["sessions"]:
                token, device = identifier(), identifier()
                self.sessions[token] = self.accounts[body["email"]], device
                return {"token": token, "device": {"id": device}}
            case ["lists"]:
                self.lists.add(body["id"])
                return {"id": body["id"]}
            case ["lists", list_id, "invitations"]:
                return {"secret": list_id}
            case ["invitations", "accept"]:
                return {"id": body["secret"]}
            case ["lists", list_id, "entries"]:
                return self._upload(list_id, body["entries"], *self.sessions[token])
            case ["lists", list_id, "changes"]:
                return self._page(list_id, query.get("since"), int(query.get("limit", 1000)))
            case ["changes"]:
                pages = [{"id": each, **self._page(each, body["tokens"].get(each), body.get("limit", 1000))}
                         for each in sorted(self.lists)]
                return {"lists": [page for page in pages if page["changes"] or page["snapshot"]], "expired": [], "gone": [],
                        "moreComing": any(page["moreComing"] for page in pages)}
            case ["lists", list_id, "activity"]:
                entries = [json.loads(each) for each in self.log.read(list_id, 0)]
                rows = [{"sequence": place, "type": "entry", "entry": {**entry, "sequence": place}}
                        for place, entry in enumerate(entries, 1)]
                return {"activity": rows[::-1], "next": None}

    def _upload(self, list_id: str, entries: list[dict], account: str, device: str) -> dict:
        if any(entry["operation"] == "explode" for entry in entries):
            return {"results": [{"id": entry["id"], "status": "rejected", "code": "invalidArguments"
                                 if entry["operation"] == "explode" else "batchRequestFailed"} for entry in entries]}
        now = datetime.now(timezone.utc)
        texts = []
        for entry in entries:
            made = now - timedelta(milliseconds=entry.pop("age", 0))
            texts.append((entry["id"], json.dumps({"cause": "edit", **entry, "author": account, "device": device,
                                                   "madeAt": _time(made), "receivedAt": _time(now)})))
        results = []
        for place, is_new, text in self.log.append(list_id, texts):
            entry = json.loads(text)
            results.append({"id": entry["id"], "status": "applied" if is_new else "duplicate", "sequence": place,
                            "madeAt": entry["madeAt"], "receivedAt": entry["receivedAt"]})
        return {"results": results}

    def _page(self, list_id: str, since: str | None, limit: int) -> dict:
        after = int(since or 0)
        texts = self.log.read(list_id, after)
        changes = [{"sequence": place, "type": "entry", "entry": {**json.loads(text), "sequence": place}}
                   for place, text in enumerate(texts[:limit], after + 1)]
        return {"changes": changes, "token": str(after + len(changes)), "moreComing": len(texts) > limit, "snapshot": since is None}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    peer: PeerHTTP

    def do_GET(self) -> None:
        self._do()

    def do_POST(self) -> None:
        self._do()

    def _do(self) -> None:
        url = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        try:
            status, value = 200, self.peer.answer(url.path, query, token, body)
        except Away:
            status, value = 503, {"code": "serviceUnavailable"}
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
