"""A device of Trolley in Python: it works offline, keeps everything in SQLite, and ends equal to every other device.

The rules (fold, digest, what adding means, undo) are the module's, `web/trolley.wasm`: the same Swift as everywhere else. This
file stores, sends and fetches: docs/protocol.md.

    device.py HOME sign-in ADDRESS EMAIL PASSWORD      device.py HOME add LIST 'TEXT'      device.py HOME sync
    device.py HOME off LIST TEXT                       device.py HOME undo LIST            device.py HOME show LIST
"""

import contextlib
import datetime
import json
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
# The numbers are those of web/trolley.js.
CALLS = {"openList": 10, "closeList": 11, "append": 14, "state": 16, "digest": 17, "match": 18, "plan": 19, "add": 22}
# The version of the rules by which the module folds.
VERSION = 3


class Offline(Exception):
    """The service can't be reached, or says 'later'. What waits goes on waiting."""


class Refused(Exception):
    """The service has refused a call, and says why."""


class Module:
    """`trolley.wasm`: JSON in, JSON out (web/README.md, 'Without trolley.js')."""

    def __init__(self):
        self.store = wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, str(MODULE))
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.exports["trolley_seed"](self.store, secrets.randbits(31), secrets.randbits(31))

    def call(self, name, handle, value):
        data, memory = json.dumps(value).encode(), self.exports["memory"]
        address = self.exports["trolley_allocate"](self.store, len(data))
        memory.write(self.store, data, address)
        result = self.exports["trolley_call"](self.store, CALLS[name], handle, address, len(data))
        self.exports["trolley_free"](self.store, address)
        is_error, count = (int.from_bytes(memory.read(self.store, at, at + 4), "little") for at in (result, result + 4))
        output = json.loads(memory.read(self.store, result + 8, result + 8 + count))
        self.exports["trolley_free"](self.store, result)
        if is_error:
            raise ValueError(output["error"])
        return output


class Device:
    """One installation: a directory with a database, which keeps one JSON document."""

    def __init__(self, home):
        pathlib.Path(home).mkdir(mode=0o700, parents=True, exist_ok=True)
        self.db = sqlite3.connect(pathlib.Path(home, "device.sqlite"), isolation_level=None)
        self.db.executescript("PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS stored (id INTEGER PRIMARY KEY, json TEXT)")
        self.session = self.stored()["session"]
        self.module = Module()

    def stored(self):
        found = self.db.execute("SELECT json FROM stored").fetchone()
        return json.loads(found[0]) if found else {"session": {}, "lists": {}}

    @contextlib.contextmanager
    def changing(self):
        """What is stored, for the block to change. Afterwards all of that is on the disk, or nothing."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            stored = self.stored()
            yield stored
            self.db.execute("REPLACE INTO stored VALUES (1, ?)", [json.dumps(stored)])

    @contextlib.contextmanager
    def opened(self, row):
        """A list, folded until the end of the block."""
        entries = sorted(row["entries"].values(), key=lambda entry: entry["sequence"])
        known = {"entries": entries, "pending": row["queue"], "device": self.session["device"]["id"]}
        handle = self.module.call("openList", 0, known)["handle"]
        try:
            yield handle
        finally:
            self.module.call("closeList", handle, {})

    def state(self, list_id):
        with self.opened(self.stored()["lists"][list_id]) as handle:
            return self.module.call("state", handle, {}) | {"digest": self.module.call("digest", handle, {})}

    def waiting(self):
        return sum(not each["sequence"] for row in self.stored()["lists"].values() for each in row["queue"])

    def sign_in(self, address, email, password):
        self.session = {"address": address}
        self.session |= self.call("POST", "/v1/sessions", {"email": email, "password": password, "deviceName": "Python"})
        with self.changing() as stored:
            stored["session"] = self.session

    # What a person does is stored first, and only then is the network thought of.

    def add(self, list_id, text):
        """Adds lines, as `trolley add` does: '2 l milk' has a quantity, and what is there isn't doubled."""
        line = {"text": text, "at": now(), "random": bits(len(text.splitlines()) + 1)}
        self.change(list_id, lambda handle: self.module.call("add", handle, line)["drafts"])

    def mark_off(self, list_id, text):
        self.change(list_id, lambda handle: [
            {"operation": "markOff", "item": item} for item in self.module.call("match", handle, {"text": text})["items"][:1]])

    def undo(self, list_id):
        self.change(list_id, lambda handle: self.module.call("plan", handle, {"cause": "undo"})["drafts"])

    def change(self, list_id, plan):
        """Makes the entries that are planned with the open list."""
        with self.changing() as stored, self.opened(stored["lists"][list_id]) as handle:
            row, drafts = stored["lists"][list_id], plan(handle)
            if drafts:
                made = self.module.call("append", handle, {
                    "drafts": drafts, "at": now(), "deviceSequence": row["number"] + 1, "random": bits(2 * len(drafts) + 1)})
                row["number"] += len(drafts)
                pending = {"madeAt": made["madeAt"], "clock": time.time(), "sequence": None}
                row["queue"] += [pending | {"entry": each["entry"]} for each in made["records"]]

    # Sending and fetching. Each request may be sent again: ids are made once, and a page is stored with its token.

    def sync(self):
        while self.fetch() or self.upload():
            pass

    def fetch(self):
        """Takes in a page of all lists. Answers whether there is more."""
        tokens = {list_id: row["token"] for list_id, row in self.stored()["lists"].items()}
        answer = self.call("POST", "/v1/changes", {
            "tokens": {each: token for each, token in tokens.items() if token},
            "afresh": [each for each, token in tokens.items() if not token], "protocolVersion": VERSION})
        if answer.get("protocolVersion", 1) != VERSION:
            raise Refused("incompatibleVersion")
        with self.changing() as stored:
            # The service was restored, or the token is too old: offer again what may be lost, and begin afresh.
            for row in [stored["lists"][list_id] for list_id in answer["expired"]]:
                row |= {"token": None, "through": 0, "queue": [each | {"sequence": None} for each in row["queue"]]}
            # The person is no longer on these. What waits there can't be sent, and stays in sight.
            for row in [stored["lists"][each["id"]] for each in answer["gone"]]:
                row |= {"refused": row["refused"] + row["queue"], "queue": []}
            for page in answer["lists"]:
                receive(page, stored["lists"].setdefault(page["id"], {"number": 0, "through": 0, "queue": [], "refused": []}))
        return answer["moreComing"] or bool(answer["expired"])

    def upload(self):
        """Sends what waits of one list, 100 changes at most. Answers whether there was anything."""
        for list_id, row in self.stored()["lists"].items():
            if unsent := [each for each in row["queue"] if not each["sequence"]][:100]:
                entries = [each["entry"] | {"age": max(0, int((time.time() - each["clock"]) * 1000))} for each in unsent]
                results = self.call("POST", f"/v1/lists/{list_id}/entries", {"entries": entries})["results"]
                verdicts = {each["id"]: each for each in results}
                with self.changing() as stored:
                    row = stored["lists"][list_id]
                    queue = [each | verdicts.get(each["entry"]["id"], {}) for each in row["queue"]]
                    # What is refused stays in sight, and the queue goes on.
                    row["refused"] += [each for each in queue if each.get("status") == "rejected"]
                    row["queue"] = unseen([each for each in queue if each.get("status") != "rejected"], row["through"])
                return True
        return False

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if "token" in self.session:
            headers["Authorization"] = f"Bearer {self.session['token']}"
        data = body and json.dumps(body).encode()
        request = urllib.request.Request(self.session["address"] + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 429 or error.code >= 500:
                raise Offline(f"{error.code}; again in {error.headers.get('Retry-After', 'some')} s") from None
            raise Refused(json.load(error)) from None
        except OSError as error:
            raise Offline(error) from None


def receive(page, row):
    """Takes a page into a list."""
    if page["snapshot"]:
        row["entries"] = {}
    for change in page["changes"]:
        if change["type"] == "entry":
            row["entries"][change["entry"]["id"]] = change["entry"]
        elif change["type"] == "discard":
            for each in change["entries"]:
                row["entries"].pop(each, None)
            for each in change["anchors"]:
                row["entries"][each["id"]]["after"] = each["after"]
    row["through"] = page.get("through", max((change["sequence"] for change in page["changes"]), default=row["through"]))
    row["queue"] = unseen(row["queue"], row["through"])
    row["token"] = page["token"]


def unseen(queue, through):
    """Without what was sent and has come back, or was compressed away."""
    return [each for each in queue if (each["sequence"] or through + 1) > through]


def now():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def bits(count):
    return [str(uuid.UUID(bytes=secrets.token_bytes(16))) for _ in range(count)]


def main(home, command, *arguments):
    device = Device(home)
    gestures = {"sign-in": device.sign_in, "add": device.add, "off": device.mark_off, "undo": device.undo}
    if command in gestures:
        gestures[command](*arguments)
    try:
        device.sync()
    except Offline as error:
        print(f"{device.waiting()} changes wait: {error}", file=sys.stderr)
    if command == "show":
        for item in device.state(*arguments)["items"]:
            print("[x]" if item["markedOff"] else "[ ]", item["fields"].get("quantity", ""), item["text"])


if __name__ == "__main__":
    main(*sys.argv[1:])
