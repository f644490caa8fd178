"""Sends requests to the MCP server with the official Python SDK and prints what it returns.

    python_sdk.py MODE PROGRAM REQUESTS

MODE is `auto`, where the SDK asks `server/discover` first, or `legacy`, where it begins with `initialize`. REQUESTS is a file
with a JSON array of `{"tool", "arguments"}`. Each line of the output is JSON: first `{"protocol_version", "server"}`, then a
result for each request. The SDK itself refuses results that do not fit the schema that their tool promised; that is a traceback and
exit code 1.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


def told(result) -> dict:
    """A result as it was on the wire."""
    return {
        "content": [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content],
        "structuredContent": result.structured_content,
        "isError": result.is_error,
    }


async def main(mode: str, program: str, requests: list[dict]) -> None:
    # The SDK passes on only the variables of its own list.
    server = StdioServerParameters(command=program, args=["mcp"], env=dict(os.environ), cwd=os.getcwd())
    async with Client(server, mode=mode) as client:
        print(json.dumps({"protocol_version": client.protocol_version, "server": client.server_info.name}))
        listed = await client.list_tools()
        schemas = {tool.name: tool.output_schema for tool in listed.tools}
        for request in requests:
            assert request["tool"] in schemas, f"{request['tool']} is not listed"
            progress = []

            async def note(done: float, total: float | None, message: str | None) -> None:
                progress.append(done)

            result = await client.call_tool(request["tool"], request["arguments"], progress_callback=note)
            assert progress == sorted(set(progress)), f"{request['tool']}: {progress} does not grow"
            print(json.dumps(told(result)))


if __name__ == "__main__":
    with open(sys.argv[3], encoding="utf-8") as file:
        asyncio.run(main(sys.argv[1], sys.argv[2], json.load(file)))
