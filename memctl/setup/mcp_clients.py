"""Programs that start MCP servers: where each keeps their settings, and in which shape. Data.

docs/setup.md names where each is documented.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.setup import disk
from memctl.setup.hooks import parse_object
from memctl.setup.mcp_entries import McpJson, McpToml
from memctl.setup.recipes import EditedFile, SetupContext
from memctl.setup.textedit import Unfit

# How `setup` calls the offer of the server beside agents, hooks and timers.
MCP = "mcp"
_SERVERS = ("mcpServers",)
_OPENCODE_FILES = ("opencode.jsonc", "opencode.json")


@dataclass(frozen=True, slots=True)
class McpClient:
    """A program that starts MCP servers: its title, the folder that shows that it is here, its
    settings, and what to say of it.
    """

    title: str
    folder: Callable[[SetupContext], Path]
    target: Callable[[SetupContext], EditedFile]
    note: str = ""


def list_installed(where: SetupContext) -> tuple[str, ...]:
    """The clients that are on this machine."""
    return tuple(name for name, client in CLIENTS.items() if client.folder(where).is_dir())


def _entry(where: SetupContext, agent: str) -> dict[str, Any]:
    return {
        "command": str(where.memctl),
        "args": ["mcp"],
        "env": _environ(where, agent),
    }


def _environ(where: SetupContext, agent: str) -> dict[str, str]:
    return {"MEMCTL_AGENT": agent} | ({"MEMCTL_DB": str(where.db)} if where.db else {})


def _application_folder(where: SetupContext, name: str) -> Path:
    """Where a desktop program keeps its settings: below Application Support on macOS."""
    if sys.platform == "darwin":
        return where.home / "Library" / "Application Support" / name
    return where.xdg_folder("XDG_CONFIG_HOME") / name


def _claude_code(where: SetupContext) -> EditedFile:
    moved = where.environ.get("CLAUDE_CONFIG_DIR")
    path = Path(moved or where.home) / ".claude.json"
    return EditedFile(path, McpJson(_SERVERS, {"type": "stdio", **_entry(where, "claude-code")}))


def _codex(where: SetupContext) -> EditedFile:
    folder = where.folder("CODEX_HOME", ".codex")
    return EditedFile(folder / "config.toml", McpToml(_entry(where, "codex")))


def _opencode(where: SetupContext) -> EditedFile:
    folder = where.xdg_folder("XDG_CONFIG_HOME") / "opencode"
    path = next(
        (
            place
            for name in ("opencode.jsonc", "opencode.json")
            if (place := folder / name).exists()
        ),
        folder / "opencode.json",
    )
    entry = {
        "type": "local",
        "command": [str(where.memctl), "mcp"],
        "enabled": True,
        "environment": _environ(where, "opencode"),
    }
    return EditedFile(path, McpJson(_find_opencode_keys(path), entry))


def _find_opencode_keys(path: Path) -> tuple[str, ...]:
    """Below which keys OpenCode lists servers: newer versions have a level more."""
    try:
        root = parse_object(disk.look_at(path).text)
    except Unfit:
        return ("mcp",)
    listed = root.value.get("mcp") if root is not None else None
    servers = listed.get("servers") if isinstance(listed, dict) else None
    return ("mcp", "servers") if isinstance(servers, dict) and "type" not in servers else ("mcp",)


def _keep_servers(agent: str, *parts: str, keys: tuple[str, ...] = _SERVERS) -> Any:
    """The target of a client that keeps its servers in one JSON file below the home folder."""
    return lambda where: EditedFile(
        where.home.joinpath(*parts), McpJson(keys, _entry(where, agent))
    )


CLIENTS: Mapping[str, McpClient] = {
    "claude-code": McpClient(
        "Claude Code",
        lambda where: where.folder("CLAUDE_CONFIG_DIR", ".claude"),
        _claude_code,
        "Claude Code writes this file itself while it runs: close it before, and start it anew.",
    ),
    "claude-desktop": McpClient(
        "Claude Desktop",
        lambda where: _application_folder(where, "Claude"),
        lambda where: EditedFile(
            _application_folder(where, "Claude") / "claude_desktop_config.json",
            McpJson(_SERVERS, _entry(where, "claude-desktop")),
        ),
        "Quit Claude Desktop and start it anew.",
    ),
    "codex": McpClient("Codex", lambda where: where.folder("CODEX_HOME", ".codex"), _codex),
    "gemini-cli": McpClient(
        "Gemini CLI",
        lambda where: where.home / ".gemini",
        _keep_servers("gemini-cli", ".gemini", "settings.json"),
    ),
    "cursor": McpClient(
        "Cursor",
        lambda where: where.home / ".cursor",
        _keep_servers("cursor", ".cursor", "mcp.json"),
    ),
    "windsurf": McpClient(
        "Windsurf",
        lambda where: where.home / ".codeium" / "windsurf",
        _keep_servers("windsurf", ".codeium", "windsurf", "mcp_config.json"),
    ),
    "opencode": McpClient(
        "OpenCode", lambda where: where.xdg_folder("XDG_CONFIG_HOME") / "opencode", _opencode
    ),
    "zed": McpClient(
        "Zed",
        lambda where: where.xdg_folder("XDG_CONFIG_HOME") / "zed",
        lambda where: EditedFile(
            where.xdg_folder("XDG_CONFIG_HOME") / "zed" / "settings.json",
            McpJson(("context_servers",), _entry(where, "zed")),
        ),
    ),
    "vscode": McpClient(
        "VS Code",
        lambda where: _application_folder(where, "Code"),
        lambda where: EditedFile(
            _application_folder(where, "Code") / "User" / "mcp.json",
            McpJson(("servers",), {"type": "stdio", **_entry(where, "vscode")}),
        ),
        "VS Code asks once whether you trust the server.",
    ),
    "jetbrains": McpClient(
        "JetBrains (Junie)",
        lambda where: where.home / ".junie",
        _keep_servers("junie", ".junie", "mcp", "mcp.json"),
        "The AI Assistant of JetBrains takes the same entry in its own settings, below Tools > AI "
        "Assistant > Model Context Protocol.",
    ),
}
