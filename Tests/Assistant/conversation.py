"""A scripted conversation: an assistant plans, adds, marks off and takes back, by the protocol's own Python client; another device of
the same person and somebody who may only look see the same.

conversation.py TROLLEY ADDRESS DIRECTORY
"""

import asyncio
import json
import os
import subprocess
import sys

from mcp import StdioServerParameters
from mcp.client.client import Client

trolley, address, directory = sys.argv[1:]


def run(home, *arguments):
    environment = {**os.environ, "TROLLEY_HOME": f"{directory}/{home}", "TROLLEY_PASSWORD": "correct horse"}
    result = subprocess.run([trolley, *arguments, "--json"], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, f"{arguments}: {result.stdout}{result.stderr}"
    return json.loads(result.stdout)


def assistant(home, mode="auto"):
    return Client(StdioServerParameters(command=trolley, args=["mcp"], env={"TROLLEY_HOME": f"{directory}/{home}"}), mode=mode)


async def use(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, f"{tool} {arguments}: {result.content}"
    return result.structured_content


def texts(shown, **having):
    return [item["text"] for item in shown["items"] if all({**item["fields"], **item}.get(key) == value for key, value in having.items())]


async def converse(mode, version):
    async with assistant("assistant", mode) as client:
        assert client.protocol_version == version, client.protocol_version
        assert "never" in (client.instructions or ""), "texts of others are marked as data"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"lists", "show", "add", "mark_off", "edit", "where", "suggest", "undo"}, set(tools)
        assert tools["show"].annotations.read_only_hint and not tools["add"].annotations.read_only_hint
        names = [one["name"] for one in (await use(client, "lists"))["lists"]]
        assert "Kitchen" in names, names
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
        await asyncio.sleep(5.1)
        assert "cinnamon" in texts(await use(client, "show", list="Kitchen"))
        assert "Kitchen" in json.dumps(await use(client, "where", item="cinnamon"))
        resources = (await client.list_resources()).resources
        uri = next(one.uri for one in resources if one.name == "Kitchen")
        assert "cinnamon" in (await client.read_resource(uri)).contents[0].text
        wrong = await client.call_tool("mark_off", {"items": ["truffles"], "list": "Kitchen"})
        assert wrong.is_error and "truffles" in wrong.content[0].text
        foreign = await client.call_tool("show", {"list": "0199b2c4-0000-7000-8000-000000000151"})
        assert foreign.is_error
    run("phone", "off", "cinnamon", "--list", "Kitchen")


async def main():
    run("phone", "sign-up", address, "--email", "ann@example.com", "--name", "Ann")
    run("phone", "new", "Kitchen")
    run("assistant", "sign-in", address, "--email", "ann@example.com", "--device-name", "Ann's assistant")
    await converse("auto", "2026-07-28")
    await converse("legacy", "2025-11-25")
    devices = run("phone", "devices")["devices"]
    assert "Ann's assistant" in [device["name"] for device in devices], devices
    # Somebody who may only look.
    link = run("phone", "invite", "--read-only", "--list", "Kitchen")["link"]
    run("ben", "sign-up", address, "--email", "ben@example.com", "--name", "Ben")
    run("ben", "join", link)
    async with assistant("ben") as client:
        refused = await client.call_tool("add", {"items": ["caviar"], "list": "Kitchen"})
        assert refused.is_error, "Ben may only look"
    run("phone", "sync")
    assert "caviar" not in texts(run("phone", "show", "--list", "Kitchen"))
    print("an assistant planned, changed and took back, in both kinds of the protocol")


asyncio.run(asyncio.wait_for(main(), 120))
