"""A device that the service drives: its queues are in the service's PostgreSQL, and each change is a request."""

import json
import random
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clients.calls import Refused, Unknown, identifier
from household import Device, Person, Shown, patient
from system.postgres import Postgres, binaries
from system.processes import Failed

_REFUSED = ("unknownItem", "listNotFound", "permissionFailure", "invalidArguments", "listDeleted")


@contextmanager
def held(postgres: Postgres, list_id: str) -> Iterator[None]:
    """Another transaction holds the list: what hosted devices change meanwhile waits in their upload queues."""
    process = subprocess.Popen([binaries() / "psql", postgres.url, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
    assert process.stdin and process.stdout
    process.stdin.write(f"BEGIN; SELECT 'held' FROM list WHERE id = '{uuid.UUID(list_id)}' FOR UPDATE;\n")
    process.stdin.flush()
    if process.stdout.readline().strip() != "held":
        raise Failed("psql doesn't hold the list")
    try:
        yield
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


class HostedDevice(Device):
    kind = "hosted"
    does = ("add", "edit", "off", "unmark", "delete")
    can_be_cut = False
    # Its tables are restored with the service's.
    has_receipts = False

    def __init__(self, name: str, person: Person, address: str, postgres: Postgres) -> None:
        super().__init__(name, person)
        self._calls, self._postgres, self._id = patient(address), postgres, ""
        self._waits = False

    @property
    def is_online(self) -> bool:
        """Whether its last change was sent at once."""
        return not self._waits

    def sign_in(self) -> None:
        made = self.person.calls.persist("POST", "/v1/hosted", {"name": self.name})
        self._id, self._calls.token = made["id"], made["token"]

    def sign_out(self) -> None:
        self.person.calls.persist("DELETE", f"/v1/hosted/{self._id}")

    def _call(self, method: str, path: str, body: dict | None = None) -> Any:
        return self._calls.persist(method, f"/v1/hosted/{self._id}/{path}", body)

    def act(self, list_id: str, kind: str, *values: str, is_killed: bool = False, source: random.Random | None = None) -> bool:
        body: dict[str, Any] = {"list": list_id, "entry": identifier(source)}
        match kind:
            # One item a request.
            case "edit": body |= {"text": values[0], "fields": {values[1]: values[2] or None}}
            case _: body["text"] = values[0]
        try:
            answer = self._calls.call("POST", f"/v1/hosted/{self._id}/{kind}", body)
            self._waits = answer["waiting"] > 0
            # Whoever got no answer sends it again.
            if is_killed:
                self._call("POST", kind, body)
            return True
        except Unknown:
            # While a list is held, a device soon takes no more.
            return False
        except Refused as refusal:
            if refusal.code in _REFUSED:
                return False
            raise Failed(f"{self.name}: {kind}: {refusal}") from refusal

    def sync(self) -> bool:
        """The service syncs it. What it has received is acknowledged, as an integration does after reading it."""
        received = self._call("GET", "to-apply")["entries"]
        for list_id in {each["list"] for each in received}:
            self._call("POST", "acknowledge", {
                "list": list_id, "entries": [each["entry"]["id"] for each in received if each["list"] == list_id]})
        return True

    def shown(self, list_id: str) -> Shown:
        queues = self._call("GET", "queue")
        rejected = [each["entry"] for each in queues["rejected"]]
        try:
            state = self._call("GET", f"list?list={list_id}")
        except Refused as refusal:
            if refusal.code != "listNotFound":
                raise Failed(f"{self.name}: {refusal}") from refusal
            return Shown(rejected=rejected)
        return Shown(state=state, waiting=state["waiting"], to_apply=state["toApply"], rejected=rejected, entries=self._entries(list_id))

    def dismiss(self) -> None:
        self._call("DELETE", "rejected")

    # Its tables. No call shows the stored entries.

    def _entries(self, list_id: str) -> list[dict]:
        return json.loads(self._psql(
            f"SELECT coalesce(json_agg(content ORDER BY sequence), '[]') FROM hosted_entry WHERE {self._where(list_id)}"))

    def spoil(self, list_id: str) -> None:
        where = self._where(list_id)
        dropped = self._psql(f"DELETE FROM hosted_entry WHERE {where} AND sequence = (SELECT max(sequence) FROM hosted_entry WHERE {where})")
        if dropped != "DELETE 1":
            raise Failed(f"{self.name}: {dropped}")

    def _where(self, list_id: str) -> str:
        return f"device_id = '{uuid.UUID(self._id)}' AND list_id = '{uuid.UUID(list_id)}'"

    def _psql(self, statement: str) -> str:
        done = subprocess.run([binaries() / "psql", self._postgres.url, "--no-psqlrc", "--tuples-only", "--no-align", "-c", statement],
                              capture_output=True, text=True, cwd="/")
        if done.returncode != 0:
            raise Failed(f"{self.name}: {done.stdout}{done.stderr}")
        return done.stdout.strip()
