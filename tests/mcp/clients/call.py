"""Call tools by the official client of Python, and tell what it has made of the answers.

Standard input and output are those of call.mjs.
"""

import asyncio
import json
import sys

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    given = json.load(sys.stdin)
    headers = {"Authorization": f"Bearer {given['token']}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(
            streamable_http_client(given["url"], http_client=http), mode=given["mode"]
        ) as client,
    ):
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(name, arguments) for name, arguments in given["calls"]]
        version = client.protocol_version
    told = {
        "version": version,
        "tools": [tool.model_dump(mode="json", by_alias=True) for tool in tools],
        "results": [result.model_dump(mode="json", by_alias=True) for result in results],
        "asked": [],
        "errors": [],
    }
    json.dump(told, sys.stdout)


asyncio.run(main())
