"""What the devices have of a list, beside what the service has."""

import json
from dataclasses import dataclass
from typing import Any

from clients.calls import Calls
from household import Device, Shown


@dataclass
class Truth:
    """The service's list: folded, entry by entry, and its messages."""

    state: dict
    entries: list[dict]
    messages: list[dict]
    activity: list[dict]

    @classmethod
    def read(cls, calls: Calls, list_id: str) -> "Truth":
        path = f"/v1/lists/{list_id}"
        state = calls.persist("GET", f"{path}/state")
        changes = pages(calls, f"{path}/changes?limit=1000", "since", "token", "changes")
        return cls(state, [each["entry"] for each in changes if each["type"] == "entry"],
                   calls.persist("GET", f"{path}/messages?limit=250")["messages"],
                   pages(calls, f"{path}/activity?limit=250", "before", "next", "activity"))

    @property
    def sequence(self) -> int:
        return self.state["sequence"]


def pages(calls: Calls, path: str, parameter: str, token: str, rows: str) -> list[dict]:
    found, page = [], calls.persist("GET", path)
    while True:
        found += page[rows]
        if not page.get("moreComing", page.get(token) is not None):
            return found
        page = calls.persist("GET", f"{path}&{parameter}={page[token]}")


def line(value: Any) -> str:
    """The same text for the same value, whichever store has written it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def list_lines(state: dict) -> list[str]:
    """Its name and colour, and its items in order, each with everything about it."""
    return [line([state["name"], state.get("colour")])] + [
        line([each[name] for name in ("id", "text", "markedOff", "fields")]) for each in state["items"]]


def entry_lines(entries: list[dict], with_receipts: bool) -> list[str]:
    """Each with its author, device, number, time and anchor. What is null may be absent."""
    return [line({name: value for name, value in each.items() if value is not None and (with_receipts or name != "receipt")})
            for each in entries]


def message_lines(messages: list[dict]) -> list[str]:
    return [line({name: value for name, value in each.items() if value is not None}) for each in messages]


def activity_lines(activity: list[dict]) -> list[str]:
    return [line([each["sequence"], each["type"], each.get("authorName"), each.get("itemText")]) for each in activity]


def first_difference(what: str, here: list[str], service: list[str]) -> list[str]:
    if here == service:
        return []
    place = next((place for place, pair in enumerate(zip(here, service)) if pair[0] != pair[1]), min(len(here), len(service)))
    shown = [lines[place] if place < len(lines) else "nothing" for lines in (here, service)]
    return [f"{what} {place} of {len(here)}, of {len(service)} on the service:\n    device:  {shown[0]}\n    service: {shown[1]}"]


def differences(device: Device, shown: Shown, truth: Truth, messages: list[dict] | None) -> list[str]:
    """One line for each thing in which the device differs from the service."""
    if shown.state is None:
        return ["it has no such list"]
    found = [f"{count} entries wait in its {queue}" for queue, count in (
        ("upload queue", shown.waiting), ("to-apply queue", shown.to_apply)) if count]
    if shown.through not in (None, truth.sequence):
        found.append(f"it has the changes up to {shown.through}, not {truth.sequence}")
    if shown.digest not in (None, truth.state["digest"]):
        found.append(f"its digest is {shown.digest}, not {truth.state['digest']}")
    found += first_difference("the list's line", list_lines(shown.state), list_lines(truth.state))
    found += first_difference(
        "the entry", entry_lines(shown.entries, device.has_receipts), entry_lines(truth.entries, device.has_receipts))
    if messages is not None:
        found += first_difference("the message", message_lines(messages), message_lines(truth.messages))
    return found


def lost(made: dict[str, Device], shown: dict[Device, Shown], truth: Truth) -> list[str]:
    """Items that a device said it had added, and that are neither in the Activity nor among what the device shows as refused."""
    arrived = {each["entry"]["fields"].get("text") for each in truth.activity
               if each["type"] == "entry" and each["entry"]["operation"] == "add"}
    return [f"'{text}' of {device.name} is nowhere" for text, device in made.items() if text not in arrived
            and text not in {each.get("fields", {}).get("text") for each in shown[device].rejected}]
