"""The plugin of the program `llm`: the memory's tools, and fragments of what it knows.

    llm -T memctl "which port has the tide API?"      one tool: searching
    llm -T Memctl "..."                               all tools (llm wants a capital for many)
    llm -T 'Memctl(agent="my-bot")' "..."
    llm -f memctl:harbor-tides "..."                  what is known of a project
    llm -f memctl:search:tide API "..."               what a search finds

`llm` loads this module at every start, so nothing of the memory is imported until it is asked for.
It acts for the agent `llm` unless told otherwise. What `llm` logs is captured by `memctl backfill`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import llm

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import CONTEXT_NOTICE, SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.core.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from memctl.tools import BoundTool, Toolset

AGENT = "llm"
# Tokens of a fragment, which a person asked for by name.
FRAGMENT_TOKENS = 2_000
_SEARCH = "search:"
# The marks of a context, which words from the memory must not hold.
_MARKS = compile_later(rf"<(/?{SENTINEL_OPEN[1:]})", re.IGNORECASE)


class Memctl(llm.Toolbox):  # type: ignore[no-untyped-call]
    """The shared memory of all your agents: search it, read it, write to it."""

    def __init__(self, agent: str = AGENT, project: str | None = None, db: str | None = None):
        """`agent` is whom it acts for, `project` a known project (else that of the folder)."""
        from memctl.tools import Toolset

        self._tools = Toolset(db, agent=agent, project=project)

    def tools(self) -> Iterable[llm.Tool]:
        """Give each tool with its own schema."""
        for bound in self._tools:
            yield _build_tool(bound, getattr(self, "plugin", None))


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    """Register the toolbox, and searching alone under the plain name."""
    from memctl.tools import Toolset

    register(Memctl)
    search = _build_tool(Toolset(agent=AGENT)["search_memory"], None)
    search.name = "memctl"
    register(search)


@llm.hookimpl
def register_fragment_loaders(register: Callable[..., None]) -> None:
    """Register `-f memctl:...`."""
    register("memctl", load_fragment)


def load_fragment(argument: str) -> llm.Fragment:
    """Load what is known of a project, or what a search finds.

    `-f memctl:PROJECT` names a project; `.` is that of the folder; `search:WORDS` searches from it.
    Raises ValueError, which `llm` shows.
    """
    source = f"memctl:{argument}"
    if argument.startswith(_SEARCH):
        words = argument.removeprefix(_SEARCH)
        found = _require(_find_tools(None).call("search_memory", {"query": words, "limit": 20}))
        text = _format_found(words, found["memories"])
        return llm.Fragment(text, source)  # type: ignore[no-untyped-call]
    project = None if argument.strip() in ("", ".") else argument.strip()
    told = _require(_find_tools(project).call("memory_context", {"max_tokens": FRAGMENT_TOKENS}))
    text = told["text"] or "Nothing is known here yet.\n"
    return llm.Fragment(text, source)  # type: ignore[no-untyped-call]


def _find_tools(project: str | None) -> Toolset:
    from memctl.tools import Toolset

    return Toolset(agent=AGENT, folder=Path.cwd(), project=project, max_tokens=FRAGMENT_TOKENS)


def _require(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, if it is one. Raises ValueError with what went wrong."""
    if not answer["ok"]:
        error = answer["error"]
        hint = f" ({error['hint']})" if error.get("hint") else ""
        raise ValueError(f"memctl: {error['message']}{hint}")
    return answer


def _format_found(words: str, memories: list[dict[str, Any]]) -> str:
    """Write what was found between the marks that captures leave out."""
    lines = [f"- [{each['id']}] {_disarm(each['text'])}" for each in memories]
    if not lines:
        lines = [f"Nothing is known of {_disarm(words)}."]
    head = f'{SENTINEL_OPEN} version="1">'
    return "\n".join([head, CONTEXT_NOTICE, *lines, SENTINEL_CLOSE]) + "\n"


def _disarm(text: str) -> str:
    """The text on one line, without marks of its own."""
    return _MARKS.sub(r"&lt;\1", " ".join(text.split()))


def _build_tool(bound: BoundTool, plugin: str | None) -> llm.Tool:
    def run(**arguments: Any) -> str:
        return json.dumps(bound.call(arguments), ensure_ascii=False)

    return llm.Tool(
        name=bound.name,
        description=bound.description,
        input_schema=bound.schema,
        implementation=run,
        plugin=plugin,
    )
