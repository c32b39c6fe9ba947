"""The readers, by module name, in the order in which they are asked; a reader is imported only when it is needed.

A new format is one module here with a `READER`, one sample folder and a three-line test class.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from memctl.readers.base import Reader

READERS: tuple[str, ...] = (
    "claude_code",
    "codex",
    "codex_exec",
    "gemini",
    "qwen",
    "aider",
    "copilot_cli",
    "vscode_chat",
    "visualstudio_copilot",
    "cursor",
    "cursor_text",
    "cline_ui",
    "cline",
    "pi",
    "droid",
    "kimi",
    "grok",
    "vibe",
    "hermes",
    "gptme",
    "antigravity",
    "amp",
    "goose",
    "opencode",
    "openai_messages",
    "chatgpt",
    "claude_ai",
    "slack",
    "slack_text",
    "discord",
    "telegram",
    "instagram",
    "whatsapp",
    "signal",
    "subtitles",
    "mail",
    "claude_export",
    "specstory",
    "markdown_notes",
    "name_text",
)

# Readers of other tools' databases: they see tables, not bytes.
DATABASE_READERS: tuple[str, ...] = ("cursor_db", "opencode_db", "goose_db", "hermes_db")

# Whose sessions come in which format, so that a hook, which knows its agent, imports one reader and no other.
READER_OF_AGENT: Mapping[str, str] = {
    "claude-code": "claude_code",
    "iflow": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini",
    "qwen": "qwen",
    "aider": "aider",
    "copilot-cli": "copilot_cli",
    "vscode-copilot": "vscode_chat",
    "cursor": "cursor",
    "cline": "cline",
    "roo": "cline",
    "kilo-code": "cline",
    "opencode": "opencode",
    "kilo": "opencode",
    "goose": "goose",
    "amp": "amp",
    "pi": "pi",
    "openclaw": "pi",
    "droid": "droid",
    "kimi": "kimi",
    "grok": "grok",
    "vibe": "vibe",
    "hermes": "hermes",
    "gptme": "gptme",
    "antigravity": "antigravity",
}


def list_session_files(path: Path) -> tuple[Path, ...]:
    """All files that a session is made of, itself first: more than one only where an agent keeps a session as a tree of files."""
    if path.parent.parent.name == "session":
        from memctl.readers.opencode import list_session_files as tree

        return tree(path)
    return (path,)


def load_reader(name: str) -> Reader | None:
    """The reader of that module, or None while there is no such module."""
    module_name = f"memctl.readers.{name}"
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name:
            raise
        return None
    return cast(Reader, module.READER)
