"""The readers: one module for each transcript format, imported only when it is needed.

To add a format:

1. Write `memctl/readers/NAME.py` with a `READER` that keeps `base.Reader`; `grok.py` is an example.
2. Add "NAME" to `READERS` below; the readers are asked in this order.
3. Put invented files of the format and their `expected.json` into `tests/readers/samples/NAME/`.
4. Add `tests/readers/test_NAME.py`: `class TestX(ReaderContract)` with the line `module = "NAME"`.

If an agent's hooks send the format, add the agent to `READER_OF_AGENT` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from memctl.core.typing_lite import cast
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

# Readers of other tools' databases, which see tables instead of bytes.
DATABASE_READERS: tuple[str, ...] = (
    "cursor_db",
    "opencode_db",
    "goose_db",
    "hermes_db",
    "llm_db",
)

# The reader of each agent's sessions: a hook knows its agent and imports only that reader.
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
    """Return all files that make up a session, its own file first.

    There is more than one only if an agent keeps a session as a tree of files.
    """
    if path.parent.parent.name == "session":
        from memctl.readers import opencode

        return opencode.list_session_files(path)
    return (path,)


def load_reader(name: str) -> Reader:
    """Import a reader by the name of its module."""
    return cast(Reader, import_module(f"memctl.readers.{name}").READER)
