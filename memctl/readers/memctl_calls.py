"""Which tool calls ask memctl itself. What they bring is memory that was handed out, and must not come back as something that was found."""

from __future__ import annotations

import re

_ASSIGNED = r"(?:\w{1,40}=[^\s;&|]{0,200}\s{1,9}){0,5}"
_STARTED_BY = (
    r"(?:(?:sudo|env|exec|time|command|nohup|uvx|pipx run|uv run|python3? -m)\s{1,9}){0,3}"
)
# Where a command begins: not in `cd memctl && make`, nor in `grep memctl notes.md`.
_COMMAND = re.compile(
    rf"(?:^|[;&|(`\n])\s{{0,9}}{_ASSIGNED}{_STARTED_BY}[\"']?(?:[^\s;&|(\"'`]{{0,200}}/)?memctl(?:-hook)?(?=[\s;&|)\"'`]|$)"
)
# A script that hands a command to a shell has it in quotes.
_QUOTED = re.compile(r"[\"'`]memctl(?:-hook)?(?=[\s\"'`])")
_TOOL = re.compile(r"(?:^|__|[.:/])memctl(?:$|__|[.:/_-])")
_LONGEST = 4000


def is_memctl_call(tool: str, command: str | None, gist: str) -> bool:
    """Whether a tool is one of memctl's own, or the shell command (or, without one, the gist of the call) runs memctl."""
    told = (command or gist)[:_LONGEST]
    if "memctl" not in tool.lower() and "memctl" not in told:
        return False
    return bool(
        _TOOL.search(tool.lower())
        or _COMMAND.search(told)
        or (command is None and _QUOTED.search(told))
    )
