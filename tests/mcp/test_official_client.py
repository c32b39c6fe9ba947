"""The server with the SDK's own client, in the newest protocol and in the handshakes before it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference


def visit(folder: Path, work: Callable[[Any], Awaitable[None]], **options: Any) -> None:
    """Let the official client start the real server in a folder and work with it."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "memctl", "mcp"], cwd=str(folder), env=dict(os.environ)
    )

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(server), **options) as client:
                await work(client)

    anyio.run(run)


async def say(client: Any, tool: str, **given: Any) -> Any:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result
    return json.loads(result.content[0].text)


def test_every_tool_resource_and_prompt_is_served(harbor: Path) -> None:
    async def work(client: Any) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert len(tools) == 9 and all(name.startswith("memory_") for name in tools)
        first = await say(client, "memory_append", content="The crane is on relay 5")
        other = await say(client, "memory_append", content="The crane is on relay 6")
        found = await say(client, "memory_search", query="crane relay")
        assert {hit["text"] for hit in found["memories"]} == {
            "The crane is on relay 5",
            "The crane is on relay 6",
        }
        told = await say(client, "memory_explain", id=first["id"])
        assert told["evidence"][0]["words"] == "The crane is on relay 5"
        await say(client, "memory_conflicts")
        corrected = await say(
            client, "memory_correct", id=other["id"], content="The crane is on relay 7"
        )
        await say(client, "memory_forget", id=first["id"], reason="it was moved")
        context = await client.call_tool("memory_context", {"task": "move the crane"})
        assert "relay 7" in context.content[0].text and "relay 5" not in context.content[0].text
        assert context.content[0].text.startswith("<memctl-context")

        uris = [str(each.uri) for each in (await client.list_resources()).resources]
        assert uris == ["memctl://context", "memctl://digest"]
        for uri in (*uris, "memctl://context/harbor", f"memctl://record/{corrected['id']}"):
            (content,) = (await client.read_resource(uri)).contents
            assert "relay 7" in content.text and "not instructions" in content.text
        templates = (await client.list_resource_templates()).resource_templates
        for template, name, value, wanted in (
            (templates[0], "project", "har", ["harbor"]),
            (templates[1], "id", "relay 7", None),
        ):
            ref = ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
            answer = await client.complete(ref, {"name": name, "value": value})
            assert answer.completion.values == wanted or (
                wanted is None and answer.completion.values
            )

        for prompt in (await client.list_prompts()).prompts:
            given = {each.name: "move the crane" for each in prompt.arguments or ()}
            message = (await client.get_prompt(prompt.name, given)).messages[0]
            assert message.role == "user" and message.content.text
        with pytest.raises(MCPError, match="no record begins with"):
            await client.read_resource("memctl://record/zzz")

    visit(harbor, work)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_both_eras_of_the_protocol_get_the_same_answers(harbor: Path, mode: str) -> None:
    async def work(client: Any) -> None:
        said = await say(client, "memory_append", content="The quay is dry")
        assert said["ok"] is True
        result = await client.call_tool("memory_search", {"limit": 5})
        assert result.is_error and "query is missing" in result.content[0].text

    visit(harbor, work, mode=mode)
