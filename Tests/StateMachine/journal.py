"""Random stories against the HTTP API, by Hypothesis: a list with its owner and a second person, several devices of each, uploads of every
kind, repeated ones, people who come and go, compression. After each step the service must show what a plain model shows, by the
words of docs/protocol.md alone. A story that fails is shortened to the fewest steps, and printed.

    journal.py ADDRESS TROLLEYD DATA-DIRECTORY STORIES STEPS SEED
"""

import json
import subprocess
import sys
import urllib.error
import urllib.request
import uuid

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

address, trolleyd, directory, stories, steps, first = sys.argv[1:]

PEOPLE = ["anna", "ben"]
DEVICES = ["anna's phone", "anna's laptop", "ben's phone"]
TEXTS = some.sampled_from(["milk", "Bröt", "2 kg 🍎", "חלב", "a" * 300, "eggs\tlarge", "'; DROP TABLE entry; --"])


def call(method, path, token=None, body=None):
    """Answers the status and the JSON."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address + path, json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def done(method, path, token=None, body=None):
    status, answer = call(method, path, token, body)
    assert status in (200, 201, 204), f"{method} {path}: {status} {answer}"
    return answer


def sign_up():
    """A device's token of each device, and the account of each person."""
    tokens, accounts, run = {}, {}, uuid.uuid4().hex
    for person in PEOPLE:
        form = {"email": f"{person}-{run}@example.com", "password": "correct horse"}
        accounts[person] = done("POST", "/v1/accounts", body={**form, "name": person})["id"]
        for device in DEVICES:
            if device.startswith(person):
                tokens[device] = done("POST", "/v1/sessions", body={**form, "deviceName": device})["token"]
    return tokens, accounts


TOKENS, ACCOUNTS = sign_up()


def draft(operation, item=None, fields=None, after=None):
    made = {"id": str(uuid.uuid4()), "operation": operation, "age": 0}
    if item:
        made["item"] = item
    if operation in ("add", "move"):
        made["after"] = after
    if fields:
        made["fields"] = fields
    return made


class Follower:
    """A device that fetches: what it has by the stream alone."""

    def __init__(self):
        self.token, self.entries = None, {}

    def fetch(self, device, name, limit):
        while True:
            since = f"&since={self.token}" if self.token else ""
            page = done("GET", f"/v1/lists/{name}/changes?limit={limit}{since}", TOKENS[device])
            assert page["snapshot"] == (self.token is None)
            if page["snapshot"]:
                self.entries = {}
            sequences = [change["sequence"] for change in page["changes"]]
            assert sequences == sorted(set(sequences)), f"sequences rise: {sequences}"
            for change in page["changes"]:
                if change["type"] == "entry":
                    entry = change["entry"]
                    assert entry["sequence"] == change["sequence"]
                    self.entries[entry["id"]] = entry
                elif change["type"] == "discard":
                    for entry in change["entries"]:
                        self.entries.pop(entry, None)
            self.token = page["token"]
            if not page["moreComing"]:
                return


class Journal(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.list = str(uuid.uuid4())
        done("POST", "/v1/lists", TOKENS[DEVICES[0]], {"id": self.list})
        self.counters = dict.fromkeys(DEVICES, 0)
        # What was applied: each entry as it was sent, with its sequence and author. The lists' truth.
        self.applied = {}
        self.items = {}
        self.deleted = set()
        self.requests = {device: [] for device in DEVICES}
        self.followers = {device: Follower() for device in DEVICES}
        self.ben = None
        self.isCompressed = False

    # MARK: What people do

    def may(self, device):
        return "readWrite" if device.startswith("anna") else self.ben

    def numbered(self, device, entries):
        for entry in entries:
            self.counters[device] += 1
            entry["deviceSequence"] = self.counters[device]
        return entries

    def upload(self, device, entries, **options):
        return call("POST", f"/v1/lists/{self.list}/entries", TOKENS[device], {"entries": entries, **options})

    def note(self, device, entry, sequence):
        head = max((known["sequence"] for known in self.applied.values()), default=0)
        assert sequence > head, "the next sequence"
        self.applied[entry["id"]] = {**entry, "sequence": sequence, "author": ACCOUNTS[device.split("'")[0]]}
        item, fields = entry.get("item"), entry.get("fields", {})
        match entry["operation"]:
            case "add":
                self.items[item] = {"text": fields["text"], "markedOff": False}
            case "edit":
                # It says that the item is wanted on the list.
                self.items[item]["text"] = fields["text"]
                self.deleted.discard(item)
            case "markOff" | "unmark" as operation:
                self.items[item]["markedOff"] = operation == "markOff"
            case "delete":
                self.deleted.add(item)

    def present(self):
        return [item for item in self.items if item not in self.deleted]

    @rule(device=some.sampled_from(DEVICES), texts=some.lists(TEXTS, min_size=1, max_size=4), isAtomic=some.booleans())
    def adds(self, device, texts, isAtomic):
        entries = self.numbered(device, [draft("add", str(uuid.uuid4()), {"text": text}) for text in texts])
        self.send(device, entries, isAtomic)

    @precondition(lambda self: self.present())
    @rule(device=some.sampled_from(DEVICES), operation=some.sampled_from(["markOff", "unmark", "edit", "delete", "move"]), text=TEXTS,
          pick=some.integers(0, 1000))
    def changes(self, device, operation, text, pick):
        present = self.present()
        item = present[pick % len(present)]
        entry = draft(operation, item, {"text": text} if operation == "edit" else None)
        self.send(device, self.numbered(device, [entry]), False)

    @precondition(lambda self: self.deleted)
    @rule(device=some.sampled_from(DEVICES), text=TEXTS)
    def brings_back(self, device, text):
        self.send(device, self.numbered(device, [draft("edit", sorted(self.deleted)[0], {"text": text})]), False)

    def send(self, device, entries, is_atomic):
        status, answer = self.upload(device, entries, atomic=is_atomic)
        if self.refuses(device, status, answer):
            return
        assert [result["status"] for result in answer["results"]] == ["applied"] * len(entries), answer
        for entry, result in zip(entries, answer["results"], strict=True):
            assert result["id"] == entry["id"]
            self.note(device, entry, result["sequence"])
        self.requests[device].append((entries, [result["sequence"] for result in answer["results"]]))

    def refuses(self, device, status, answer):
        """Whether the service refuses a device that may not write, as it must. Then nothing has changed."""
        match self.may(device):
            case "readWrite":
                assert status == 200, (status, answer)
                return False
            case "readOnly":
                codes = {answer.get("code")} | {result.get("code") for result in answer.get("results", [])}
                assert "permissionFailure" in codes and "applied" not in json.dumps(answer), (status, answer)
            case None:
                assert (status, answer["code"]) in ((404, "listNotFound"), (410, "listDeleted")), (status, answer)
        return True

    @rule(device=some.sampled_from(DEVICES), pick=some.integers(0, 1000))
    def sends_again(self, device, pick):
        """The answer was lost."""
        if not self.requests[device] or self.may(device) != "readWrite":
            return
        entries, sequences = self.requests[device][pick % len(self.requests[device])]
        status, answer = self.upload(device, entries)
        assert status == 200 and [result["status"] for result in answer["results"]] == ["duplicate"] * len(entries), answer
        assert [result["sequence"] for result in answer["results"]] == sequences, (answer, sequences)

    @precondition(lambda self: self.applied)
    @rule(device=some.sampled_from(DEVICES[:2]), pick=some.integers(0, 1000))
    def takes_an_id(self, device, pick):
        """Another entry has this id."""
        taken = sorted(self.applied)[pick % len(self.applied)]
        entry = {**draft("add", str(uuid.uuid4()), {"text": "thief"}), "id": taken}
        _, answer = self.upload(device, self.numbered(device, [entry]))
        assert [(one["status"], one.get("code")) for one in answer["results"]] == [("rejected", "serverRecordChanged")], answer

    @rule(device=some.sampled_from(DEVICES[:2]), text=TEXTS, isAtomic=some.booleans(), isFirst=some.booleans())
    def sends_a_broken_entry(self, device, text, isAtomic, isFirst):
        good, bad = draft("add", str(uuid.uuid4()), {"text": text}), draft("explode", str(uuid.uuid4()))
        entries = self.numbered(device, [bad, good] if isFirst else [good, bad])
        _, answer = self.upload(device, entries, atomic=isAtomic)
        results = {result["id"]: result for result in answer["results"]}
        assert results[bad["id"]]["code"] == "invalidArguments", answer
        if isAtomic:
            assert results[good["id"]]["code"] == "batchRequestFailed", answer
        else:
            assert results[good["id"]]["status"] == "applied", answer
            self.note(device, good, results[good["id"]]["sequence"])

    @rule(device=some.sampled_from(DEVICES[:2]), text=TEXTS)
    def only_asks(self, device, text):
        entry = {**draft("add", str(uuid.uuid4()), {"text": text}), "deviceSequence": self.counters[device] + 1}
        status, _ = self.upload(device, [entry], validateOnly=True)
        assert status == 200

    # MARK: Who is on the list

    @precondition(lambda self: self.ben is None)
    @rule(permission=some.sampled_from(["readWrite", "readOnly"]))
    def ben_joins(self, permission):
        anna, ben = TOKENS[DEVICES[0]], TOKENS[DEVICES[2]]
        secret = done("POST", f"/v1/lists/{self.list}/invitations", anna, {"permission": permission})["secret"]
        assert done("POST", "/v1/invitations/accept", ben, {"secret": secret})["id"] == self.list
        # The second use of a link by the same person changes nothing.
        assert done("POST", "/v1/invitations/accept", ben, {"secret": secret})["permission"] == permission
        self.ben = permission
        self.followers[DEVICES[2]] = Follower()

    @precondition(lambda self: self.ben)
    @rule(permission=some.sampled_from(["readWrite", "readOnly"]))
    def anna_permits(self, permission):
        done("PATCH", f"/v1/lists/{self.list}/participants/{ACCOUNTS['ben']}", TOKENS[DEVICES[1]], {"permission": permission})
        self.ben = permission

    @precondition(lambda self: self.ben)
    @rule(isRemoved=some.booleans())
    def ben_goes(self, isRemoved):
        if isRemoved:
            done("DELETE", f"/v1/lists/{self.list}/participants/{ACCOUNTS['ben']}", TOKENS[DEVICES[0]])
        else:
            done("DELETE", f"/v1/lists/{self.list}", TOKENS[DEVICES[2]])
        self.ben = None
        for path in ("changes", "state", "activity", "share"):
            status, answer = call("GET", f"/v1/lists/{self.list}/{path}", TOKENS[DEVICES[2]])
            assert (status, answer["code"]) in ((404, "listNotFound"), (410, "listDeleted")), (path, status, answer)

    # MARK: What the service does by itself

    @rule()
    def compression(self):
        ran = subprocess.run([trolleyd, "compress", "--older-than", "0s", "--list", self.list, "--data-directory", directory, "--json"],
                             capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        self.isCompressed = True

    # MARK: What must hold

    @rule(device=some.sampled_from(DEVICES), limit=some.integers(1, 7))
    def fetches(self, device, limit):
        if self.may(device) is None:
            return
        follower = self.followers[device]
        follower.fetch(device, self.list, limit)
        for identifier, entry in follower.entries.items():
            sent = self.applied[identifier]
            assert all(entry.get(key) == sent.get(key) for key in ("operation", "item", "fields", "deviceSequence", "author")), (entry, sent)
            # What compression took comes back at the end of the stream, when a change names its item (docs/journal.md).
            assert entry["sequence"] == sent["sequence"] or self.isCompressed and entry["sequence"] > sent["sequence"], (entry, sent)
        # Whoever fetches afresh has the same.
        other = Follower()
        other.fetch(device, self.list, 5000)
        assert other.entries.keys() == follower.entries.keys(), "a snapshot and the stream bring the same entries"

    @invariant()
    def shows_what_was_applied(self):
        if not hasattr(self, "list"):
            return
        state = done("GET", f"/v1/lists/{self.list}/state", TOKENS[DEVICES[0]])
        shown = {item["id"]: {"text": item["text"], "markedOff": item["markedOff"]} for item in state["items"]}
        wanted = {item: self.items[item] for item in self.present() if not self.items[item]["markedOff"]}
        # Compression takes finished items away, and no others.
        assert {item: one for item, one in shown.items() if not one["markedOff"]} == wanted
        assert all(self.items[item] == one and item not in self.deleted for item, one in shown.items()), shown


Story = seed(int(first))(Journal)
run_state_machine_as_test(Story, settings=settings(
    max_examples=int(stories), stateful_step_count=int(steps), deadline=None, database=None, print_blob=True,
    suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink]))
print(f"{stories} stories of up to {steps} steps: the service shows what the model shows")
