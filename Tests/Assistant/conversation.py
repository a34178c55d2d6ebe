"""A scripted conversation: an assistant plans, adds, marks off and takes back, by the protocol's own Python client; another device of
the same person and somebody who may only look see the same. It is held with `trolley mcp` and with the service over HTTP, each in both
kinds of the protocol, and the answers have the same members.

conversation.py TROLLEY ADDRESS DIRECTORY
"""

import asyncio
import json
import os
import subprocess
import sys

import httpx2
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

trolley, address, directory = sys.argv[1:]


def run(home, *arguments):
    environment = {**os.environ, "TROLLEY_HOME": f"{directory}/{home}", "TROLLEY_PASSWORD": "correct horse"}
    result = subprocess.run([trolley, *arguments, "--json"], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, f"{arguments}: {result.stdout}{result.stderr}"
    return json.loads(result.stdout)


def assistant(home, mode="auto"):
    return Client(StdioServerParameters(command=trolley, args=["mcp"], env={"TROLLEY_HOME": f"{directory}/{home}"}), mode=mode)


def over_http(token, mode="auto"):
    requests = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30)
    return Client(streamable_http_client(f"{address}/mcp", http_client=requests), mode=mode)


# What the answers of a conversation have: by tool, the names of the members, and those of the rows in a member.
shapes = {}


async def use(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, f"{tool} {arguments}: {result.content}"
    answer = result.structured_content
    shape = shapes.setdefault(tool, {})
    for name, value in answer.items():
        rows = value if isinstance(value, list) else []
        shape.setdefault(name, set()).update(*(row for row in rows if isinstance(row, dict)))
    return answer


def taken_shapes():
    taken = dict(shapes)
    shapes.clear()
    return taken


def compare(here, there):
    """Compares the answers of `trolley mcp` with those over HTTP."""
    assert set(here) == set(there), (set(here), set(there))
    for tool in here:
        # Over HTTP changes have names, so that `undo` can be told which.
        names = {"add": {"change"}, "mark_off": {"change"}, "edit": {"change"}, "undo": {"undone"}}.get(tool, set())
        assert set(there[tool]) == set(here[tool]) | names, (tool, set(here[tool]) ^ set(there[tool]))
        for name, rows in here[tool].items():
            # An entry has the members that its operation needs.
            if name != "entries" and rows and there[tool][name]:
                assert rows == there[tool][name], (tool, name, rows ^ there[tool][name])


def texts(shown, **having):
    return [item["text"] for item in shown["items"] if all({**item["fields"], **item}.get(key) == value for key, value in having.items())]


async def converse(client, version, delay, foreign):
    """Has the conversation.

    - `delay`: seconds after which the other side must know what another device has done.
    - `foreign`: the id of another account's list.
    """
    async with client:
        assert client.protocol_version == version, client.protocol_version
        assert "never" in (client.instructions or ""), "texts of others are marked as data"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"lists", "show", "add", "mark_off", "edit", "where", "suggest", "undo"}, set(tools)
        assert tools["show"].annotations.read_only_hint and not tools["add"].annotations.read_only_hint
        names = [one["name"] for one in (await use(client, "lists"))["lists"]]
        assert "Kitchen" in names, names
        assert "onList" in await use(client, "suggest", list="Kitchen")
        await use(client, "add", items=["flour, 1 kg", "eggs, 6", "milk, 1 l"], list="Kitchen")
        assert {"flour", "eggs", "milk"} <= set(texts(await use(client, "show", list="Kitchen"), markedOff=False))
        await use(client, "edit", item="milk", quantity="2 l", list="Kitchen")
        await use(client, "mark_off", items=["eggs"], list="Kitchen")
        run("phone", "sync")
        shown = run("phone", "show", "--list", "Kitchen")
        assert texts(shown, text="eggs", markedOff=True) and texts(shown, text="milk", quantity="2 l"), shown
        for _ in range(3):
            await use(client, "undo", list="Kitchen")
        assert not {"flour", "eggs", "milk"} & set(texts(await use(client, "show", list="Kitchen"), markedOff=False))
        # What another device adds is there with the next question.
        run("phone", "add", "cinnamon", "--list", "Kitchen")
        await asyncio.sleep(delay)
        assert "cinnamon" in texts(await use(client, "show", list="Kitchen"))
        assert "Kitchen" in json.dumps(await use(client, "where", item="cinnamon"))
        resources = (await client.list_resources()).resources
        uri = next(one.uri for one in resources if one.name == "Kitchen")
        assert "cinnamon" in (await client.read_resource(uri)).contents[0].text
        wrong = await client.call_tool("mark_off", {"items": ["truffles"], "list": "Kitchen"})
        assert wrong.is_error and "truffles" in wrong.content[0].text
        for tool, arguments in [("show", {}), ("add", {"items": ["glue"]})]:
            refused = await client.call_tool(tool, {"list": foreign, **arguments})
            assert refused.is_error and "kite" not in refused.content[0].text, (tool, refused.content)
    run("phone", "off", "cinnamon", "--list", "Kitchen")


async def main():
    run("phone", "sign-up", address, "--email", "ann@example.com", "--name", "Ann")
    run("phone", "new", "Kitchen")
    run("assistant", "sign-in", address, "--email", "ann@example.com", "--device-name", "Ann's assistant")
    # Ben's list is there, and isn't Ann's.
    run("ben", "sign-up", address, "--email", "ben@example.com", "--name", "Ben")
    bens_list = run("ben", "new", "Presents")["id"]
    run("ben", "add", "kite", "--list", "Presents")
    run("ben", "sync")
    await converse(assistant("assistant", "auto"), "2026-07-28", 5.1, bens_list)
    # From now on something was bought, so that there is something to suggest.
    taken_shapes()
    await converse(assistant("assistant", "legacy"), "2025-11-25", 5.1, bens_list)
    here = taken_shapes()
    devices = run("phone", "devices")["devices"]
    assert "Ann's assistant" in [device["name"] for device in devices], devices
    # The same over HTTP.
    made = run("phone", "tokens", "add", "Ann's chat")["tokens"][0]
    for mode, version in [("auto", "2026-07-28"), ("legacy", "2025-11-25")]:
        await converse(over_http(made["token"], mode), version, 0, bens_list)
        compare(here, taken_shapes())
    assert "Ann's chat" in json.dumps(run("phone", "activity")), "the Activity names the assistant"
    # Somebody who may only look.
    link = run("phone", "invite", "--read-only", "--list", "Kitchen")["link"]
    run("ben", "join", link)
    bens = run("ben", "tokens", "add", "Ben's chat")["tokens"][0]
    for client in [assistant("ben"), over_http(bens["token"])]:
        async with client:
            refused = await client.call_tool("add", {"items": ["caviar"], "list": "Kitchen"})
            assert refused.is_error, "Ben may only look"
    # A token that was revoked opens nothing.
    run("phone", "tokens", "revoke", "Ann's chat")
    revoked = await httpx2.AsyncClient().post(
        f"{address}/mcp", headers={"Authorization": f"Bearer {made['token']}"}, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert revoked.status_code == 401, revoked.status_code
    run("phone", "sync")
    assert "caviar" not in texts(run("phone", "show", "--list", "Kitchen"))
    run("ben", "sync")
    assert texts(run("ben", "show", "--list", "Presents")) == ["kite"], "Ann's assistants have changed Ben's own list"
    print("an assistant planned, changed and took back, beside `trolley` and over HTTP, in both kinds of the protocol")


asyncio.run(asyncio.wait_for(main(), 120))
