"""Recognises tool calls that ask memctl itself.

Their results are memory that memctl handed out, which must not be captured again.
"""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later

_ASSIGNMENTS = r"(?:\w{1,40}=[^\s;&|]{0,200}\s{1,9}){0,5}"
_LAUNCHERS = r"(?:(?:sudo|env|exec|time|command|nohup|uvx|pipx run|uv run|python3? -m)\s{1,9}){0,3}"
# memctl as a command; does not match `cd memctl && make` or `grep memctl notes.md`.
_COMMAND = compile_later(
    rf"(?:^|[;&|(`\n])\s{{0,9}}{_ASSIGNMENTS}{_LAUNCHERS}"
    r"[\"']?(?:[^\s;&|(\"'`]{0,200}/)?memctl(?:-hook)?(?=[\s;&|)\"'`]|$)"
)
# memctl in quotes, as in a script that passes a command to a shell.
_QUOTED = compile_later(r"[\"'`]memctl(?:-hook)?(?=[\s\"'`])")
_TOOL = compile_later(r"(?:^|_|[.:/])memctl(?:$|__|[.:/_-])")
# The tools of `memctl.tools` and of `memctl mcp`, where a framework or client gives their bare
# names; a test holds this to them.
OWN_TOOLS = frozenset(
    (
        "search_memory",
        "recall_memory",
        "memory_context",
        "memory_explain",
        "get_entity_info",
        "memory_stats",
        "memory_conflicts",
        "remember_fact",
        "correct_fact",
        "confirm_fact",
        "resolve_conflict",
        "forget_memory",
        "manage_memory",
        "memory_consolidate",
        "memory_search",
        "memory_recall",
        "memory_append",
        "memory_correct",
        "memory_resolve",
        "memory_forget",
    )
)
# Characters of a command that are searched.
_LOOKED_AT = 4000


def is_memctl_call(tool: str, command: str | None, gist: str) -> bool:
    """Return whether a tool is memctl's own, or its shell command runs memctl.

    If a tool has no command, the gist of the call is searched instead, including quoted text.
    """
    if tool in OWN_TOOLS:
        return True
    text = (command or gist)[:_LOOKED_AT]
    if "memctl" not in tool.lower() and "memctl" not in text:
        return False
    if _TOOL.search(tool.lower()) or _COMMAND.search(text):
        return True
    return command is None and _QUOTED.search(text) is not None
