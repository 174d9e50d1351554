"""The official client of the Model Context Protocol against `pocketgraph mcp`: mcp_client.py PROGRAM BUNDLE."""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main(program, bundle):
    async with Client(StdioServerParameters(command=program, args=["mcp", bundle])) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools[:3] == ["search", "read_section", "ask"], tools
        found = await client.call_tool("search", {"question": "how long must vinegar stay in the kettle?"})
        hits = found.structured_content["hits"]
        assert hits[0]["title"] == "Kettle", hits
        section = await client.call_tool("read_section", {"url": hits[0]["url"]})
        assert "vinegar" in section.structured_content["text"]
        resources = (await client.list_resources()).resources
        assert sorted(r.title for r in resources) == ["Kettle", "Toaster"]
        read = await client.read_resource(resources[0].uri)
        assert read.contents[0].text
    print("ok")


asyncio.run(main(*sys.argv[1:]))
