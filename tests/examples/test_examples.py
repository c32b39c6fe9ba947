"""The examples that docs/tools.md shows, run in the real libraries with a scripted model."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest

from memctl import MemoryEngine
from memctl.core.model import CONTEXT_NOTICE
from memctl.tools import Toolset
from tests.tools.harbors import say

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# What the model does: it searches, calls a tool wrongly, mends its call, stores, and answers.
SCRIPT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_memory", {"query": "tide API port"}),
    ("remember_fact", {"contents": "x"}),
    ("remember_fact", {"content": "The crane is on relay 5", "kind": "fact"}),
    ("search_memory", {"query": "crane relay"}),
)


def load(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(
        f"example_{name}", ROOT / "examples" / f"{name}.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ScriptedModel:
    """A server of chat completions: it follows the script and answers with what the tools said."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def respond(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request as OpenAI would."""
        asked = json.loads(request.content)
        self.requests.append(asked)
        results = [message["content"] for message in asked["messages"] if message["role"] == "tool"]
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if len(results) < len(SCRIPT):
            name, given = SCRIPT[len(results)]
            call = {"name": name, "arguments": json.dumps(given)}
            message["tool_calls"] = [
                {"id": f"call_{len(results)}", "type": "function", "function": call}
            ]
        else:
            message["content"] = json.dumps(results)
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
        }
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return httpx2.Response(
            200,
            json={
                "id": "c1",
                "object": "chat.completion",
                "created": 1,
                "model": "stub",
                "choices": [choice],
                "usage": usage,
            },
        )


def check(said: str, harbor: Path) -> None:
    """What the loop must have done with the memory."""
    first, wrong, stored, found = (json.loads(result) for result in json.loads(said))
    assert first["memories"][0]["text"] == "The tide API listens on port 8080"
    assert first["notice"] == CONTEXT_NOTICE
    assert wrong["ok"] is False and "did you mean content?" in wrong["error"]["message"]
    assert stored["outcome"] == "created"
    assert found["memories"][0]["text"] == "The crane is on relay 5"
    with MemoryEngine.open(actor="operator") as engine:
        assert engine.records.show(stored["id"]).memory.source_ref == "manual:agent:codex"


def test_plain_function_calling(tools: Toolset, harbor: Path) -> None:
    from openai import OpenAI

    say(harbor, "The tide API listens on port 8080")
    model = ScriptedModel()
    http = httpx2.Client(transport=httpx2.MockTransport(model.respond))
    client = OpenAI(api_key="x", base_url="http://model.invalid/v1", http_client=http)
    said = load("function_calling").answer(client, "stub", "Where is the tide API?", tools)
    check(said, harbor)
    declared = model.requests[0]["tools"]
    assert len(declared) == len(tools.tools) and all(
        tool["function"]["strict"] is True for tool in declared
    )


def test_the_openai_agents_sdk(tools: Toolset, harbor: Path) -> None:
    from agents import OpenAIChatCompletionsModel, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    say(harbor, "The tide API listens on port 8080")
    model = ScriptedModel()
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(model.respond))
    client = AsyncOpenAI(api_key="x", base_url="http://model.invalid/v1", http_client=http)
    scripted = OpenAIChatCompletionsModel(model="stub", openai_client=client)
    check(load("openai_agents").answer(scripted, "Where is the tide API?", tools), harbor)


def test_langgraph(tools: Toolset, harbor: Path) -> None:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class ScriptedChat(BaseChatModel):
        """Follows the script."""

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
            assert all(tool.args_schema["additionalProperties"] is False for tool in tools)
            return self

        def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
            results = [str(each.content) for each in messages if isinstance(each, ToolMessage)]
            if len(results) < len(SCRIPT):
                name, given = SCRIPT[len(results)]
                call = {"name": name, "args": given, "id": f"call_{len(results)}"}
                message = AIMessage(content="", tool_calls=[call])
            else:
                message = AIMessage(content=json.dumps(results))
            return ChatResult(generations=[ChatGeneration(message=message)])

    say(harbor, "The tide API listens on port 8080")
    check(load("langgraph_agent").answer(ScriptedChat(), "Where is the tide API?", tools), harbor)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_page_shows_each_example_as_it_is_run(path: Path) -> None:
    page = (ROOT / "docs" / "tools.md").read_text()
    shown = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    assert path.read_text() in shown


def test_every_example_is_run_here() -> None:
    run: dict[str, Callable[..., None]] = {
        "function_calling.py": test_plain_function_calling,
        "openai_agents.py": test_the_openai_agents_sdk,
        "langgraph_agent.py": test_langgraph,
    }
    assert {path.name for path in EXAMPLES} == set(run)
