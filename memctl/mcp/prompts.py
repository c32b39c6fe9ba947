"""Prompts that a person picks in the client: beginning a task, ending a session, settling pairs.

What they bring from the memory is fenced as reference data; the words around it are the person's
own wish.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcp.types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from memctl.core.errors import NotFound, UsageError
from memctl.tools import Toolset

PROMPTS = (
    Prompt(
        name="begin_task",
        title="Begin a task with what is known",
        description="What the memory knows for a task, before you begin it.",
        arguments=[PromptArgument(name="task", description="What is to be done.", required=True)],
    ),
    Prompt(
        name="end_session",
        title="Keep what this session found out",
        description="Let the agent store what later sessions need.",
        arguments=[],
    ),
    Prompt(
        name="settle_conflicts",
        title="Settle memories that contradict each other",
        description="Let the agent look at pairs that nobody has decided.",
        arguments=[],
    ),
)
_END_SESSION = """\
Look back over this session. For each thing that a later session needs and cannot read from the
code or its history (a decision with its reason, a fact found out with effort, a command that
works), call memory_append once, with one statement that can be understood alone. First look with
memory_search whether it is known. If something in the memory turned out wrong, call
memory_correct. Store no secrets, and nothing that only matters today. Then say in one line each
what you stored."""
_SETTLE = """\
These pairs of memories contradict each other, or the newer one may replace the older. For each,
find out from the code and the history which holds, and call memory_resolve with how you know.
Where you cannot find out, ask me."""


def build_prompt(toolset: Toolset, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Build the messages of a prompt. Raises NotFound for an unknown one, UsageError for wrong
    arguments, and what the memory answers.
    """
    found = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if found is None:
        raise NotFound(f"there is no prompt {name[:40]!r}")
    declared = {argument.name for argument in found.arguments or ()}
    if set(arguments) != declared:
        raise UsageError(f"the prompt {name} takes {', '.join(sorted(declared)) or 'no arguments'}")
    if name == "end_session":
        return _build(found, _END_SESSION)
    if name == "settle_conflicts":
        pairs = toolset.call("memory_conflicts", {"limit": 10})
        return _build(found, f"{_SETTLE}\n\n{json.dumps(_require(pairs), ensure_ascii=False)}")
    task = arguments["task"]
    context = toolset.call("memory_context", {"task": task[:1000], "max_tokens": 1000})
    return _build(found, f"{task}\n\n{_require(context)['text']}")


def _build(prompt: Prompt, text: str) -> GetPromptResult:
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=prompt.description, messages=[message])


def _require(answer: dict[str, object]) -> dict[str, object]:
    """The answer, if it is one. Raises UsageError with what went wrong."""
    if not answer["ok"]:
        error = answer["error"]
        assert isinstance(error, dict)
        raise UsageError(str(error["message"]), hint=error.get("hint"))
    return answer
