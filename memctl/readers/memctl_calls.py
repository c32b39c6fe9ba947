"""Tells the tool calls that ask memctl itself.

What they return is memory that was handed out; it must not come back as something new.
"""

from __future__ import annotations

import re

_ASSIGNMENTS = r"(?:\w{1,40}=[^\s;&|]{0,200}\s{1,9}){0,5}"
_LAUNCHERS = r"(?:(?:sudo|env|exec|time|command|nohup|uvx|pipx run|uv run|python3? -m)\s{1,9}){0,3}"
# memctl where a command begins: not in `cd memctl && make`, nor in `grep memctl notes.md`.
_COMMAND = re.compile(
    rf"(?:^|[;&|(`\n])\s{{0,9}}{_ASSIGNMENTS}{_LAUNCHERS}"
    r"[\"']?(?:[^\s;&|(\"'`]{0,200}/)?memctl(?:-hook)?(?=[\s;&|)\"'`]|$)"
)
# memctl in quotes, as in a script that hands a command to a shell.
_QUOTED = re.compile(r"[\"'`]memctl(?:-hook)?(?=[\s\"'`])")
_TOOL = re.compile(r"(?:^|__|[.:/])memctl(?:$|__|[.:/_-])")
# Characters of a command that are looked at.
_LOOKED_AT = 4000


def is_memctl_call(tool: str, command: str | None, gist: str) -> bool:
    """Whether a tool is memctl's own, or its shell command runs memctl.

    For a tool without a command the gist of the call is looked at, also within quotes.
    """
    text = (command or gist)[:_LOOKED_AT]
    if "memctl" not in tool.lower() and "memctl" not in text:
        return False
    if _TOOL.search(tool.lower()) or _COMMAND.search(text):
        return True
    return command is None and _QUOTED.search(text) is not None
