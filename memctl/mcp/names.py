"""The tools as clients of the protocol see them: nine of `memctl.tools`, under names of one family.

A client shows the tools of many servers in one list, so each name begins with `memory_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.core.frozen import dataclass
from memctl.tools.catalogue import BY_NAME
from memctl.tools.tool import Tool

# The name here, the tool, and the title that a person reads.
_DOORS = (
    ("memory_search", "search_memory", "Search the memory"),
    ("memory_recall", "recall_memory", "Read memories whole"),
    ("memory_context", "memory_context", "What to know before a task"),
    ("memory_explain", "memory_explain", "Where a memory comes from"),
    ("memory_conflicts", "memory_conflicts", "Memories that contradict each other"),
    ("memory_append", "remember_fact", "Remember a statement"),
    ("memory_correct", "correct_fact", "Correct a memory"),
    ("memory_resolve", "resolve_conflict", "Say which of two memories holds"),
    ("memory_forget", "forget_memory", "Forget a memory (archived, not erased)"),
)
# Parts of an answer that speak of other tools; all others are words from the memory.
_TELLING = ("hint", "how", "error", "message")


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool under the name that clients call it by."""

    name: str
    title: str
    tool: Tool

    @property
    def description(self) -> str:
        """When a model should call it."""
        return rename_tools(self.tool.description)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        declared: Mapping[str, Mapping[str, Any]] = self.tool.parameters["properties"]
        properties = {
            name: {**rules, "description": rename_tools(rules["description"])}
            for name, rules in declared.items()
        }
        return {**self.tool.parameters, "properties": properties}


SERVED = {name: ServedTool(name, title, BY_NAME[tool]) for name, tool, title in _DOORS}


def rename_tools(text: str) -> str:
    """Say the names that are served here instead of those of `memctl.tools`."""
    for name, tool, _ in _DOORS:
        text = text.replace(tool, name)
    return text


def rename_in_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the tools in what an answer says of itself, not in words from the memory."""
    return {name: _rename(value) if name in _TELLING else value for name, value in answer.items()}


def _rename(value: Any) -> Any:
    if isinstance(value, str):
        return rename_tools(value)
    return rename_in_answer(value) if isinstance(value, Mapping) else value
