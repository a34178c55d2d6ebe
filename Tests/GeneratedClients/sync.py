"""Syncs a shopping list with a live service, by clients that were generated from its openapi.yaml.

Every call goes through the client of openapi-python-client. Requests are made, and answers read again, by the models of
datamodel-codegen too: both must agree with the service and with each other.
"""

import json
import secrets
import sys
import time
import uuid

import trolley_client.models as attrs_models
import trolley_models as models
from trolley_client import AuthenticatedClient, Client
from trolley_client.api.accounts import account, delete_account, devices, sign_in, sign_up
from trolley_client.api.journal import all_changes, changes, upload
from trolley_client.api.lists import activity, create_list, lists, replay, restoration, state
from trolley_client.api.operating import config, health
from trolley_client.api.sharing import accept, invite, share
from trolley_client.models import EntryActivity, EntryChange, ParticipantActivity, Problem, ShareChange

ADDRESS = sys.argv[1]
PASSWORD = "correct horse"


def uuid7():
    """A UUIDv7, as entries and lists have them."""
    milliseconds = int(time.time() * 1000)
    return uuid.UUID(int=milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62))


def checked(response, status, model=None):
    """The parsed answer, which must have this status; with `model`, datamodel-codegen's model must read it too."""
    assert response.status_code == status, (response.status_code, response.content)
    if model is not None:
        model.model_validate_json(response.content)
    return response.parsed


def body(name, value):
    """A request's body, made by datamodel-codegen's model and passed on to the client's model of the same name."""
    made = getattr(models, name).model_validate(value).model_dump(mode="json", exclude_unset=True)
    return getattr(attrs_models, name).from_dict(made)


class Person:
    """Somebody who is signed in on one device."""

    def __init__(self, name):
        self.email = f"{name.lower()}-{secrets.token_hex(4)}@example.com"
        anybody = Client(base_url=ADDRESS)
        form = {"email": self.email, "name": name, "password": PASSWORD}
        signed_up = checked(sign_up.sync_detailed(client=anybody, body=body("SignUpRequest", form)), 201, models.SignedUp)
        assert signed_up.name == name
        form = {"email": self.email, "password": PASSWORD, "deviceName": "Python"}
        session = checked(sign_in.sync_detailed(client=anybody, body=body("PasswordSignIn", form)), 201, models.Session)
        self.client = AuthenticatedClient(base_url=ADDRESS, token=session.token)
        self.tokens = {}
        self.entries = []
        self.counter = 0

    def entry(self, operation, item=None, **members):
        self.counter += 1
        entry = {"id": str(uuid7()), "operation": operation, "deviceSequence": self.counter, "age": 5, **members}
        return entry if item is None else {**entry, "item": str(item)}

    def upload(self, list_id, entries, **members):
        request = body("UploadRequest", {"entries": entries, **members})
        return checked(upload.sync_detailed(list_id, client=self.client, body=request), 200, models.UploadResponse)

    def sync(self):
        """Fetches what is new on all lists, page by page, and keeps the entries in their order."""
        fetched = []
        while True:
            request = body("AllChangesRequest", {"tokens": self.tokens, "limit": 2, "protocolVersion": 2})
            answer = checked(all_changes.sync_detailed(client=self.client, body=request), 200, models.AllChanges)
            assert not answer.expired and not answer.gone
            for page in answer.lists:
                self.tokens[str(page.id)] = page.token
                fetched += page.changes
            if not answer.more_coming:
                break
        self.entries += [change.entry for change in fetched if isinstance(change, EntryChange)]
        return fetched

    def fold(self):
        """The list by a fold of its own: enough for the entries of this test, which are made in the order of the stream."""
        name, order, texts, off = None, [], {}, set()
        for entry in self.entries:
            match entry.operation.value:
                case "renameList":
                    name = entry.fields.text
                case "add":
                    order.insert(order.index(entry.after) + 1 if entry.after else 0, entry.item)
                    texts[entry.item] = entry.fields.text
                case "edit":
                    texts[entry.item] = entry.fields.text
                case "markOff":
                    off.add(entry.item)
                case "delete":
                    order.remove(entry.item)
        return name, [(texts[item], item in off) for item in order]


def shown(answer):
    return answer.name, [(item.text, item.marked_off) for item in answer.items]


def main():
    anybody = Client(base_url=ADDRESS)
    assert checked(health.sync_detailed(client=anybody), 200, models.Health).status == "ok"
    assert checked(config.sync_detailed(client=anybody), 200, models.Config).limits.entries_per_request == 400

    anna, ben = Person("Anna"), Person("Ben")
    assert checked(account.sync_detailed(client=anna.client), 200, models.Account).email == anna.email
    assert [device.name for device in checked(devices.sync_detailed(client=anna.client), 200, models.Devices).devices] == [
        "Python"
    ]

    # A list, its name and its items; the same upload again is a duplicate.
    shop = uuid7()
    made = checked(create_list.sync_detailed(client=anna.client, body=body("CreateListRequest", {"id": str(shop)})), 201)
    assert made.id == shop and made.role.value == "owner"
    milk, bread, eggs = uuid7(), uuid7(), uuid7()
    entries = [
        anna.entry("renameList", fields={"text": "Weekly shop"}),
        anna.entry("add", milk, after=None, fields={"text": "milk", "quantity": "2 l", "brand": {"organic": True}}),
        anna.entry("add", bread, after=str(milk), fields={"text": "bread"}),
    ]
    first = anna.upload(shop, entries)
    assert [result.status.value for result in first.results] == ["applied"] * 3
    again = anna.upload(shop, entries)
    assert [(result.status.value, result.sequence) for result in again.results] == [
        ("duplicate", 1), ("duplicate", 2), ("duplicate", 3),
    ]

    # One bad entry has its own verdict.
    bad = anna.entry("add", eggs, after=str(bread), fields={"text": "eg\u0000gs"})
    good = anna.entry("add", eggs, after=str(bread), fields={"text": "eggs"})
    mixed = anna.upload(shop, [bad, good])
    assert [result.status.value for result in mixed.results] == ["rejected", "applied"]
    assert str(mixed.results[0].id) == bad["id"] and mixed.results[0].code.value == "invalidArguments"

    # Another person joins, and gets the list as a snapshot, page by page.
    link = checked(invite.sync_detailed(shop, client=anna.client, body=body("InvitationRequest", {"email": ben.email})), 201)
    secret = body("InvitationSecret", {"secret": link.secret})
    assert checked(accept.sync_detailed(client=ben.client, body=secret), 200, models.List).id == shop
    snapshot = ben.sync()
    assert any(isinstance(change, ShareChange) for change in snapshot), snapshot
    assert ben.fold() == ("Weekly shop", [("milk", False), ("bread", False), ("eggs", False)])
    people = checked(share.sync_detailed(shop, client=ben.client), 200, models.Share).share.participants
    assert [person.name for person in people] == ["Anna", "Ben"]

    # What he does arrives at her, and nothing twice.
    anna.sync()
    changed = [ben.entry("markOff", milk), ben.entry("delete", bread), ben.entry("edit", eggs, fields={"text": "12 eggs"})]
    assert all(result.status.value == "applied" for result in ben.upload(shop, changed).results)
    received = anna.sync()
    assert [str(change.entry.id) for change in received] == [entry["id"] for entry in changed]
    assert anna.sync() == []
    ben.sync()
    expected = ("Weekly shop", [("milk", True), ("12 eggs", False)])
    folded = checked(state.sync_detailed(shop, client=anna.client), 200, models.State)
    assert anna.fold() == ben.fold() == shown(folded) == expected
    assert folded.items[0].fields.quantity == "2 l"
    assert folded.items[0].fields.additional_properties == {"brand": {"organic": True}}

    # The same by the other calls: one list's changes, its Activity, a replay, and what would put it back.
    page = checked(changes.sync_detailed(shop, client=anna.client, since=first.token), 200, models.ChangesPage)
    assert [change.sequence for change in page.changes][-1] == folded.sequence and not page.snapshot
    assert [each.id for each in checked(lists.sync_detailed(client=ben.client), 200, models.Lists).lists] == [shop]
    happened = checked(activity.sync_detailed(shop, client=anna.client), 200, models.ActivityPage).activity
    assert {type(line) for line in happened} == {EntryActivity, ParticipantActivity}
    earlier = checked(replay.sync_detailed(shop, client=anna.client, through=3), 200, models.Replay)
    assert shown(earlier) == ("Weekly shop", [("milk", False), ("bread", False)])
    back = checked(restoration.sync_detailed(shop, client=anna.client, through=3), 200, models.Restoration)
    assert {entry.operation.value for entry in back.entries} >= {"unmark"}

    # Refusals are problems with a code.
    refused = checked(changes.sync_detailed(shop, client=anna.client, since="nonsense"), 400, models.Problem)
    assert isinstance(refused, Problem) and refused.code.value == "invalidArguments"
    nobody = checked(lists.sync_detailed(client=AuthenticatedClient(base_url=ADDRESS, token="x")), 401, models.Problem)
    assert nobody.code.value == "notAuthenticated"

    # Deleting an account needs no body.
    checked(delete_account.sync_detailed(client=ben.client), 204)
    assert checked(account.sync_detailed(client=ben.client), 401).code.value == "notAuthenticated"
    print(json.dumps({"list": str(shop), "items": expected[1], "changes": folded.sequence}))


main()
