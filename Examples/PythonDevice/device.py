"""A device of Trolley in Python: it works offline, keeps everything in SQLite, and ends equal to every other device.

The rules (fold, digest, what adding means, undo) are the module's, `web/trolley.wasm`: the same Swift as everywhere else. This
file stores, sends and fetches: docs/protocol.md.

    device.py HOME sign-in ADDRESS EMAIL PASSWORD      device.py HOME add LIST 'TEXT'      device.py HOME sync
    device.py HOME off LIST TEXT                       device.py HOME undo LIST            device.py HOME show LIST
"""

import datetime
import json
import os
import pathlib
import secrets
import sqlite3
import sys
import time
import urllib.error
import urllib.request
import uuid

import wasmtime

MODULE = pathlib.Path(__file__).resolve().parents[2] / "web/trolley.wasm"
TABLES = """
    CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE IF NOT EXISTS list (id TEXT PRIMARY KEY, token TEXT, number INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE IF NOT EXISTS entry (list TEXT, id TEXT, sequence INTEGER, json TEXT, PRIMARY KEY (list, id));
    CREATE TABLE IF NOT EXISTS queue (position INTEGER PRIMARY KEY, list TEXT, made REAL, json TEXT, taken INTEGER);
    CREATE TABLE IF NOT EXISTS refused (list TEXT, json TEXT, code TEXT);
"""


class Offline(Exception):
    """The service can't be reached, or says 'later'. What waits goes on waiting."""


class Refused(Exception):
    """The service has refused a call, with this code."""


class Module:
    """`trolley.wasm`: JSON in, JSON out (web/README.md, 'Without trolley.js')."""

    # The numbers are those of web/trolley.js.
    CALLS = {"openList": 10, "closeList": 11, "append": 14, "state": 16, "digest": 17, "match": 18, "plan": 19, "add": 22}

    def __init__(self):
        self.store = wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, str(MODULE))
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        if initialize := self.exports.get("_initialize"):
            initialize(self.store)
        self.exports["trolley_seed"](self.store, secrets.randbits(31), secrets.randbits(31))

    def call(self, name, handle, value):
        data = json.dumps(value).encode()
        at = self.exports["trolley_allocate"](self.store, len(data))
        self.exports["memory"].write(self.store, data, at)
        result = self.exports["trolley_call"](self.store, self.CALLS[name], handle, at, len(data))
        self.exports["trolley_free"](self.store, at)
        head = self.exports["memory"].read(self.store, result, result + 8)
        is_error, count = (int.from_bytes(head[i:i + 4], "little") for i in (0, 4))
        output = json.loads(self.exports["memory"].read(self.store, result + 8, result + 8 + count))
        self.exports["trolley_free"](self.store, result)
        if is_error:
            raise ValueError(output["error"])
        return output


class Device:
    """One installation: a directory with a database."""

    def __init__(self, home):
        os.makedirs(home, mode=0o700, exist_ok=True)
        self.db = sqlite3.connect(os.path.join(home, "device.sqlite"), isolation_level=None)
        self.db.executescript(TABLES)
        self.db.execute("PRAGMA synchronous = FULL")
        self.module = Module()
        self.settings = dict(self.db.execute("SELECT name, value FROM setting"))

    def sign_in(self, address, email, password):
        self.settings = {"address": address}
        session = self.call("POST", "/v1/sessions", {"email": email, "password": password, "deviceName": "Python"})
        self.settings |= {"token": session["token"], "device": session["device"]["id"]}
        self.db.executemany("REPLACE INTO setting VALUES (?, ?)", self.settings.items())

    # What a person does: stored with the queue in one transaction, and only then is the network thought of.

    def add(self, list_id, text):
        """Adds lines, as `trolley add` does: '2 l milk' has a quantity, and what is there isn't doubled."""
        line = {"text": text, "at": now(), "random": bits(len(text.splitlines()) + 1)}
        return self.change(list_id, lambda handle: self.module.call("add", handle, line)["drafts"])

    def mark_off(self, list_id, text):
        def drafts(handle):
            items = self.module.call("match", handle, {"text": text})["items"]
            return [{"operation": "markOff", "item": item} for item in items[:1]]
        return self.change(list_id, drafts)

    def undo(self, list_id):
        return self.change(list_id, lambda handle: self.module.call("plan", handle, {"cause": "undo"})["drafts"])

    def change(self, list_id, plan):
        """Makes the planned entries. Answers how many."""
        with self.opened(list_id) as handle:
            drafts = plan(handle)
            if not drafts:
                return 0
            (number,) = self.db.execute("SELECT number FROM list WHERE id = ?", [list_id]).fetchone()
            made = self.module.call("append", handle, {
                "drafts": drafts, "at": now(), "deviceSequence": number + 1, "random": bits(2 * len(drafts) + 1)})
            with self.transaction():
                for record in made["records"]:
                    pending = json.dumps({"entry": record["entry"], "madeAt": made["madeAt"]})
                    self.db.execute("INSERT INTO queue (list, made, json) VALUES (?, ?, ?)", [list_id, time.time(), pending])
                self.db.execute("UPDATE list SET number = number + ? WHERE id = ?", [len(drafts), list_id])
            return len(drafts)

    def state(self, list_id):
        with self.opened(list_id) as handle:
            return self.module.call("state", handle, {}) | {"digest": self.module.call("digest", handle, {})}

    def opened(self, list_id):
        entries, pending = (
            [json.loads(text) for (text,) in self.db.execute(f"SELECT json FROM {table} WHERE list = ? ORDER BY {order}", [list_id])]
            for table, order in [("entry", "sequence"), ("queue", "position")])
        return Opened(self.module, {"entries": entries, "pending": pending, "device": self.settings["device"]})

    def waiting(self):
        return self.db.execute("SELECT count(*) FROM queue WHERE taken IS NULL").fetchone()[0]

    # Sending and fetching. Each request may be sent again: ids are made once.

    def sync(self):
        for each in self.call("GET", "/v1/lists")["lists"]:
            self.db.execute("INSERT OR IGNORE INTO list (id) VALUES (?)", [each["id"]])
        for (list_id,) in self.db.execute("SELECT id FROM list").fetchall():
            self.upload(list_id)
            self.fetch(list_id)

    def upload(self, list_id):
        unsent = "SELECT position, made, json FROM queue WHERE list = ? AND taken IS NULL ORDER BY position LIMIT 100"
        while rows := self.db.execute(unsent, [list_id]).fetchall():
            entries = [json.loads(row[2])["entry"] | {"age": max(0, int((time.time() - row[1]) * 1000))} for row in rows]
            answer = self.call("POST", f"/v1/lists/{list_id}/entries", {"entries": entries})
            with self.transaction():
                for (position, _, text), result in zip(rows, answer["results"], strict=True):
                    if result["status"] == "rejected":
                        # In sight, and the queue goes on.
                        self.db.execute("INSERT INTO refused VALUES (?, ?, ?)", [list_id, text, result["code"]])
                        self.db.execute("DELETE FROM queue WHERE position = ?", [position])
                    else:
                        self.db.execute("UPDATE queue SET taken = ? WHERE position = ?", [result["sequence"], position])

    def fetch(self, list_id):
        """A page and its token are one transaction, so an interrupted fetch goes on from the last page."""
        while True:
            (token,) = self.db.execute("SELECT token FROM list WHERE id = ?", [list_id]).fetchone()
            try:
                page = self.call("GET", f"/v1/lists/{list_id}/changes" + (f"?since={token}" if token else ""))
            except Refused as error:
                if error.args[0] != "changeTokenExpired":
                    raise
                # The service was restored, or the token is too old: offer again what may be lost, and begin afresh.
                with self.transaction():
                    self.db.execute("UPDATE queue SET taken = NULL WHERE list = ?", [list_id])
                    self.db.execute("UPDATE list SET token = NULL WHERE id = ?", [list_id])
                self.upload(list_id)
                continue
            with self.transaction():
                if page["snapshot"]:
                    self.db.execute("DELETE FROM entry WHERE list = ?", [list_id])
                for change in page["changes"]:
                    self.apply(list_id, change)
                self.db.execute("UPDATE list SET token = ? WHERE id = ?", [page["token"], list_id])
            if not page["moreComing"]:
                return

    def apply(self, list_id, change):
        if change["type"] == "entry":
            entry = change["entry"]
            row = [list_id, entry["id"], entry["sequence"], json.dumps(entry)]
            self.db.execute("REPLACE INTO entry VALUES (?, ?, ?, ?)", row)
        elif change["type"] == "discard":
            gone = [(list_id, each) for each in change["entries"]]
            self.db.executemany("DELETE FROM entry WHERE list = ? AND id = ?", gone)
            anchors = [(each["after"], list_id, each["id"]) for each in change.get("anchors", [])]
            self.db.executemany("UPDATE entry SET json = json_set(json, '$.after', ?) WHERE list = ? AND id = ?", anchors)
        # What was sent has come back.
        self.db.execute("DELETE FROM queue WHERE list = ? AND taken <= ?", [list_id, change["sequence"]])

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if token := self.settings.get("token"):
            headers["Authorization"] = f"Bearer {token}"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.settings["address"] + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            problem = json.loads(error.read() or b"{}")
            if error.code == 429 or error.code >= 500:
                raise Offline(f"{error.code}; again in {error.headers.get('Retry-After', 'some')} s") from None
            raise Refused(problem.get("code"), problem.get("detail") or problem.get("title")) from None
        except OSError as error:
            raise Offline(str(error)) from None

    def transaction(self):
        self.db.execute("BEGIN IMMEDIATE")
        return self.db


class Opened:
    """A list, folded until the end of the block."""

    def __init__(self, module, stored):
        self.module, self.handle = module, module.call("openList", 0, stored)["handle"]

    def __enter__(self):
        return self.handle

    def __exit__(self, *_):
        self.module.call("closeList", self.handle, {})


def now():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def bits(count):
    return [str(uuid.UUID(bytes=secrets.token_bytes(16))) for _ in range(count)]


def main(home, command, *arguments):
    device = Device(home)
    if command == "show":
        for item in device.state(arguments[0])["items"]:
            print("[x]" if item["markedOff"] else "[ ]", item["fields"].get("quantity", ""), item["text"])
        return
    gestures = {"add": device.add, "off": device.mark_off, "undo": device.undo, "sync": lambda: None}
    (gestures | {"sign-in": device.sign_in})[command](*arguments)
    if command != "sign-in":
        try:
            device.sync()
        except Offline as error:
            print(f"{device.waiting()} changes wait: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
