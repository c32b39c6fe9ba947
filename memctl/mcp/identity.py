"""Which agent a client is, and in which folder it works.

A client names itself when it connects. Where it is an agent that memctl knows by another name, it
gets that name, so that it finds what its hooks and its shell calls wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

# How clients call themselves (in lower case, without spaces), and what memctl calls the agent.
_KNOWN = (
    (r"claude-code|claudecode", "claude-code"),
    (r"codex", "codex"),
    (r"gemini-cli", "gemini-cli"),
    (r"qwen", "qwen"),
    (r"cursor", "cursor"),
    (r"windsurf|codeium", "windsurf"),
    (r"visualstudiocode|vscode|copilot-chat|github-copilot-developer", "vscode-copilot"),
    (r"copilot", "copilot-cli"),
    (r"cline", "cline"),
    (r"roo", "roo"),
    (r"kilo", "kilo"),
    (r"opencode", "opencode"),
    (r"goose", "goose"),
    (r"amp$", "amp"),
    (r"droid|factory", "droid"),
    (r"kimi", "kimi"),
    (r"claude-ai|claude-desktop|claude", "claude-desktop"),
    (r"zed", "zed"),
    (r"jetbrains|intellij", "jetbrains"),
)


def name_client(client: str | None) -> str:
    """The name of the agent that a client is; `mcp` where it gives none."""
    told = re.sub(r"\s+", "", (client or "").lower())
    for pattern, agent in _KNOWN:
        if re.match(pattern, told):
            return agent
    return told or "mcp"


def choose_folder(roots: Iterable[str], started_in: Path) -> Path:
    """The folder that a client works in: where it started the server, if that lies in one of its
    roots, else the first root that is a folder here, else where it started the server.
    """
    folders = [folder for root in roots if (folder := read_root(root)) is not None]
    if any(started_in.is_relative_to(folder) for folder in folders):
        return started_in
    return next(iter(folders), started_in)


def read_root(uri: str) -> Path | None:
    """The folder of a `file:` URI; None for anything else, and for what is not there."""
    try:
        parts = urlsplit(uri)
        path = Path(unquote(parts.path))
        is_here = parts.scheme == "file" and parts.netloc in ("", "localhost") and path.is_dir()
    except (ValueError, OSError):
        return None
    return path if is_here and path.is_absolute() else None
