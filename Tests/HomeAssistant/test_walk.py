"""One list, changed by a phone's task app, by voice, by an assistant, on the web and in the shell. It is the same in all of them.

The task app's and the assistant's requests are plain ones here; other people's programs for both have tests of their own
(script/bridges, script/clients), and so has the web app in a browser (script/browser-tests), whose calls a device makes here.
"""

import base64
import json
import os
import re
import subprocess
import urllib.request

from conftest import House, eventually
from service import OUTSIDE, ROOT
from test_connection import connected
from test_voice import agent, say

TROLLEY = os.environ.get("TROLLEY_TEST_TROLLEY", str(ROOT / ".build/debug/trolley"))


class Phone:
    """A task app: Basic authentication with a personal token, and tasks by CalDAV."""

    def __init__(self, person, list_id):
        token = person.personal_token("Phone")["token"]
        self.authorization = "Basic " + base64.b64encode(f"{person.email}:{token}".encode()).decode()
        self.address = f"{person.service.address}/dav/lists/{list_id}/"

    def ask(self, method, name="", body=None, kind="text/calendar"):
        request = urllib.request.Request(
            self.address + name, method=method, data=body.encode() if body else None,
            headers={"Authorization": self.authorization, "Content-Type": kind, "Depth": "1"})
        return OUTSIDE.submit(lambda: urllib.request.urlopen(request, timeout=30).read().decode()).result()

    def write(self, uid, *lines):
        self.ask("PUT", f"{uid}.ics", "\r\n".join([
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//walk//EN", "BEGIN:VTODO", f"UID:{uid}", "DTSTAMP:20260101T000000Z", *lines,
            "END:VTODO", "END:VCALENDAR", ""]))

    def rows(self):
        answer = self.ask("REPORT", "", (
            '<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><c:calendar-data/></d:prop><c:filter>'
            '<c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO"/></c:comp-filter></c:filter></c:calendar-query>'),
            "application/xml")
        tasks = [dict(line.split(":", 1) for line in task.replace("&#13;", "").splitlines() if ":" in line)
                 for task in re.findall("BEGIN:VTODO(.*?)END:VTODO", answer, re.DOTALL)]
        tasks.sort(key=lambda task: int(task["X-APPLE-SORT-ORDER"]))
        return [(task["SUMMARY"].removeprefix(task.get("X-TROLLEY-QUANTITY", "") + " "), task["STATUS"] == "COMPLETED",
                 task.get("X-TROLLEY-QUANTITY")) for task in tasks]


class Assistant:
    """A program with the tools of /mcp."""

    def __init__(self, person):
        self.person, self.token = person, person.personal_token("Assistant")["token"]

    def use(self, tool, **arguments):
        request = urllib.request.Request(
            f"{self.person.service.address}/mcp", method="POST",
            data=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                     "Accept": "application/json, text/event-stream"})
        answer = json.loads(OUTSIDE.submit(lambda: urllib.request.urlopen(request, timeout=30).read()).result())
        assert not answer["result"]["isError"], answer
        return answer["result"]["structuredContent"]

    def rows(self, name):
        return rows(self.use("show", list=name)["items"])


def rows(items):
    return [(item["text"], item["markedOff"], item["fields"].get("quantity")) for item in items]


def shell(home, *arguments):
    done = OUTSIDE.submit(
        subprocess.run, [TROLLEY, *arguments, "--json"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "TROLLEY_HOME": str(home), "TROLLEY_PASSWORD": "correct horse"}).result()
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


async def test_one_list_by_phone_voice_assistant_web_and_shell(hass, anna, connect, tmp_path):
    shop = anna.new_list("Weekly shop")
    house = House(hass, await connect(anna), shop)
    await connected(house)
    await agent(hass)
    phone, assistant, home = Phone(anna, shop), Assistant(anna), tmp_path / "shell"
    shell(home, "sign-in", anna.service.address, "--email", anna.email)

    phone.write("juice", "SUMMARY:2 l juice")
    understood, error = await say(hass, "add milk to Weekly shop", "en")
    assert understood, error
    await eventually(lambda: "milk" in anna.texts(shop), "the voice's item reaches the service")
    assistant.use("add", list="Weekly shop", items=["flour, 1 kg", "eggs, 6"])
    anna.add(shop, "bread")
    shell(home, "sync")
    shell(home, "add", "butter", "--list", "Weekly shop")
    shell(home, "sync")
    # Each marks off or edits what another one has added.
    phone.write("juice", "SUMMARY:3 l juice", "STATUS:COMPLETED")
    assistant.use("mark_off", list="Weekly shop", items=["butter"])
    await eventually(lambda: house.state("to_buy").state == "4", "Home Assistant hears of the others' changes")
    await house.do("todo", "update_item", item="eggs", status="completed")
    await eventually(lambda: anna.item(shop, "eggs")["markedOff"], "the mark reaches the service")
    shell(home, "sync")
    shell(home, "off", "milk", "--list", "Weekly shop")
    shell(home, "sync")

    expected = rows(anna.state(shop)["items"])
    assert sorted(expected) == sorted([
        ("juice", True, "3 l"), ("milk", True, None), ("flour", False, "1 kg"), ("eggs", True, "6"), ("bread", False, None),
        ("butter", True, None)])
    assert phone.rows() == expected
    assert assistant.rows("Weekly shop") == expected
    assert rows(shell(home, "show", "--list", "Weekly shop")["items"]) == expected

    async def heard():
        return [(item["item"], item["status"] == "completed", item["quantity"]) for item in await house.items()]

    await eventually(lambda: house.state("to_buy").state == "2", "Home Assistant hears of it")
    assert await heard() == expected
    names = {each.get("deviceName") for each in anna.activity(shop)}
    assert {"Phone", "Assistant", "Home Assistant"} <= names
