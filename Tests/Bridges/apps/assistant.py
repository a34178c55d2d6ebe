"""An assistant's program: the client of the Model Context Protocol (PyPI's `mcp`), at the service's /mcp.

    PYTHON assistant.py ADDRESS TOKEN

Commands and answers are those of evolution.py; a command is a tool's name and its arguments.
"""

import asyncio
import json
import sys

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

address, token = sys.argv[1:]


async def main():
    requests = httpx2.AsyncClient(headers={'Authorization': f'Bearer {token}'}, timeout=30)
    async with Client(streamable_http_client(f'{address}/mcp', http_client=requests)) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            tool, arguments = json.loads(line)
            result = await client.call_tool(tool, arguments)
            answer = {'error': f'{tool}: {result.content}'} if result.is_error else {'answer': result.structured_content}
            print(json.dumps(answer), flush=True)


asyncio.run(main())
