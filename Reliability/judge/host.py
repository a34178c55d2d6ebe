"""The owner of the lists: makes them, invites and removes people, and reads everything in the end, past all cables."""

import time
from dataclasses import dataclass

from checker.history import content_hash
from clients.calls import Calls, Refused, Unknown, identifier
from clients.recorder import Recorder

_PASSWORD = "correct horse battery"


@dataclass
class Person:
    email: str
    account: str
    device: str
    token: str


class Host:
    def __init__(self, address: str, recorder: Recorder) -> None:
        self.address, self.recorder = address, recorder
        self.calls = Calls(address, 20)
        self.person = self.sign_up("owner")
        self.calls.token = self.person.token

    def sign_up(self, name: str) -> Person:
        email = f"{name}@example.com"
        person = {"email": email, "name": name, "password": _PASSWORD}
        account = self.calls.persist("POST", "/v1/accounts", person)
        session = self.calls.persist("POST", "/v1/sessions", {"email": email, "password": _PASSWORD, "deviceName": name})
        return Person(email, account["id"], session["device"]["id"], session["token"])

    def make_list(self, is_compressed: bool) -> str:
        list_id = identifier()
        self.calls.persist("POST", "/v1/lists", {"id": list_id})
        self.recorder.note("list", list=list_id, compressed=is_compressed)
        return list_id

    def invite(self, list_id: str) -> str:
        return self.calls.persist("POST", f"/v1/lists/{list_id}/invitations", {})["secret"]

    def admit(self, person: Person, list_id: str) -> None:
        """Invites a person, and accepts for them."""
        Calls(self.address, 20, person.token).persist("POST", "/v1/invitations/accept", {"secret": self.invite(list_id)})

    def introduce(self, client: str, account: str, device: str) -> None:
        """Says in the history which account and device a client is."""
        self.recorder.note("client", client=client, account=account, device=device)

    def remove(self, person: Person, list_id: str) -> None:
        """Removes a participant. The history has when the service confirmed it."""
        op = self.recorder.invoke("remove", list=list_id, account=person.account)
        self.calls.persist("DELETE", f"/v1/lists/{list_id}/participants/{person.account}")
        self.recorder.end(op, "ok")

    # In the end

    def read(self, list_id: str, with_state: bool) -> None:
        """Writes the list's whole Activity, a snapshot of its live journal, and its state into the history."""
        before = ""
        while before is not None:
            page = self._get(f"/v1/lists/{list_id}/activity?limit=250" + (f"&before={before}" if before else ""))
            self.recorder.note("activity", list=list_id, rows=[_row(each) for each in page["activity"]])
            before = page["next"]
        token = ""
        while token is not None:
            page = self._get(f"/v1/lists/{list_id}/changes?limit=1000" + (f"&since={token}" if token else ""))
            self.recorder.note("live", list=list_id, changes=[
                [each["sequence"], each["type"], *([each["entry"]["id"], each["entry"].get("after"),
                                                     content_hash(each["entry"])] if each["type"] == "entry" else [])]
                for each in page["changes"]])
            token = page["token"] if page["moreComing"] else None
        if with_state:
            state = self._get(f"/v1/lists/{list_id}/state")
            self.recorder.note("state", list=list_id, **{key: state.get(key) for key in
                                                          ("sequence", "digest", "name", "colour", "items")})

    def _get(self, path: str) -> dict:
        for _ in range(20):
            try:
                return self.calls.call("GET", path)
            except Unknown:
                time.sleep(0.3)
        raise Refused(503, {"code": "serviceUnavailable", "detail": path})


def _row(activity: dict) -> list:
    """Of a row: its place, its type, and the entry or what happened to the participant."""
    if activity["type"] == "entry":
        return [activity["sequence"], "entry", activity["entry"]]
    return [activity["sequence"], "participant",
            {"kind": activity["kind"], "account": activity["participant"].get("account")}]
