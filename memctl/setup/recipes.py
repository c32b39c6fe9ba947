"""For each agent: the files that connect it, what goes into them, and notes for the operator.

These tables are the whole difference between agents. Paths come from the environment that is passed
in; files are read only to choose between two places, or to say why hooks would not run.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any, Protocol
from memctl.core.user_folders import find_xdg_folder
from memctl.setup import disk, messages, resources
from memctl.setup.aider import ReadList
from memctl.setup.blocks import WHOLE, Block, WholeFile
from memctl.setup.hooks import GUARD, Hooks
from memctl.setup.jsonc import Unreadable, parse_jsonc
from memctl.setup.mcp_entries import McpJson, McpToml
from memctl.setup.reader_settings import ReaderSettings
from memctl.setup.textedit import Edit, Unfit
from memctl.setup.toml_hooks import TomlHooks, has_hooks, load_toml

NAMES: Mapping[str, str] = {
    "claude-code": "claude-code",
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
    "gemini-cli": "gemini-cli",
    "cursor": "cursor",
    "copilot": "copilot-cli",
    "copilot-cli": "copilot-cli",
    "opencode": "opencode",
    "windsurf": "windsurf",
    "aider": "aider",
    "timer": "timer",
    "reader": "reader",
}
# What is set up beside agents: regular upkeep, and an agent that reads for it.
TIMER = "timer"
READER = "reader"
AGENTS: tuple[str, ...] = tuple(
    dict.fromkeys(name for name in NAMES.values() if name not in (TIMER, READER))
)
# The plugin that ships with the package, and the places in it that are filled in.
PLUGIN = "opencode-memctl.js"
PLUGIN_HOOK = '"memctl-hook"'
PLUGIN_SPAWN = 'stdio: ["pipe"'
# Seconds that a hook may take: at the start, at a prompt, for taking a session in.
_START = 10
_PROMPT = 5
_CAPTURE = 30
_EVENTS: Mapping[str, Mapping[str, int]] = {
    "claude-code": {
        "SessionStart": _START,
        "UserPromptSubmit": _PROMPT,
        "PreCompact": _CAPTURE,
        "SessionEnd": _CAPTURE,
    },
    "codex": {
        "SessionStart": _START,
        "UserPromptSubmit": _PROMPT,
        "PreCompact": _CAPTURE,
        "Stop": _CAPTURE,
    },
    "gemini-cli": {
        "SessionStart": _START,
        "BeforeAgent": _PROMPT,
        "AfterAgent": _CAPTURE,
        "PreCompress": _CAPTURE,
        "SessionEnd": _CAPTURE,
    },
    "cursor": {
        "sessionStart": _START,
        "stop": _CAPTURE,
        "preCompact": _CAPTURE,
        "sessionEnd": _CAPTURE,
    },
    "copilot-cli": {
        "sessionStart": _START,
        "agentStop": _CAPTURE,
        "preCompact": _CAPTURE,
        "sessionEnd": _CAPTURE,
    },
    "windsurf": {"post_cascade_response_with_transcript": _CAPTURE},
}


class Editor(Protocol):
    """How one kind of file is added to and restored; see `hooks`, `toml_hooks`, `blocks`,
    `aider`.
    """

    @property
    def name(self) -> str:
        """The name by which a manifest knows the editor."""

    def is_current(self, text: str) -> bool:
        """Whether nothing has to be added. Raises Unfit."""

    def has_ours(self, text: str) -> bool:
        """Whether setup wrote something there. Raises Unfit."""

    def add(self, text: str) -> Edit:
        """Return the text with what is missing. Raises Unfit."""

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without what setup added. Raises Unfit."""

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts, both without ours, say the same."""

    def is_bare(self, text: str) -> bool:
        """Whether a file that setup made holds nothing any more."""


@dataclass(frozen=True, slots=True)
class SetupContext:
    """What a recipe needs: home, environment, repository (None: the user's settings), our
    commands.
    """

    home: Path
    environ: Mapping[str, str]
    root: Path | None
    hook: Path
    memctl: Path
    db: Path | None = None

    def line(self, agent: str, event: str) -> str:
        """The command line of a hook. It needs no PATH, and is silent once memctl is gone."""
        command = shlex.join([*self.database, str(self.hook), agent, event])
        return f"{GUARD.format(program=shlex.quote(str(self.hook)))} exec {command}"

    @property
    def database(self) -> list[str]:
        """The words before a command that name the store; none for the usual store."""
        return ["/usr/bin/env", f"MEMCTL_DB={self.db}"] if self.db else []

    def xdg_folder(self, variable: str) -> Path:
        """A folder of the desktop's, which a variable may move."""
        return find_xdg_folder(self.environ, variable, self.home)

    def folder(self, variable: str, usual: str) -> Path:
        """A folder of an agent, which a variable may move."""
        return Path(self.environ.get(variable) or self.home / usual)


@dataclass(frozen=True, slots=True)
class EditedFile:
    """One file and how it is edited."""

    path: Path
    editor: Editor


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that connects one agent; `served` says why nothing has to be added."""

    agent: str
    targets: tuple[EditedFile, ...]
    notes: tuple[str, ...] = ()
    served: str | None = None


def build_recipe(agent: str, where: SetupContext) -> Recipe:
    """What connects an agent. Raises Unfit where its settings cannot be read."""
    made = _RECIPES[agent](where)
    notes = [*made.notes, *messages.NOTES[agent]]
    if where.root:
        notes = [note for note in notes if "--project" not in note]
        files = ", ".join(str(target.path.relative_to(where.root)) for target in made.targets)
        notes = (
            [*notes, messages.PROJECT_NOTE.format(files=files)] if agent != "claude-code" else notes
        )
    return Recipe(agent, made.targets, tuple(notes), made.served)


def make_editor(name: str, agent: str, about: str) -> Editor:
    """The editor that a manifest names, for taking edits out."""
    known: Mapping[str, Editor] = {
        "hooks": Hooks(agent),
        "toml-hooks": TomlHooks(agent),
        "block": Block(),
        "file": WholeFile(),
        "read-list": ReadList(about),
        "reader": ReaderSettings(about),
        "mcp-json": McpJson(tuple(about.split("."))),
        "mcp-toml": McpToml(),
    }
    return known[name]


def _connect_claude(where: SetupContext) -> Recipe:
    root = where.root
    folder = where.folder("CLAUDE_CONFIG_DIR", ".claude")
    path = root / ".claude" / "settings.local.json" if root else folder / "settings.json"
    settings = _read_settings(path)
    notes = (
        ["disableAllHooks is set there: hooks do not run."]
        if settings.get("disableAllHooks") is True
        else []
    )
    plugins = _read_settings(folder / "settings.json").get("enabledPlugins")
    enabled = [
        name
        for name, on in (plugins.items() if isinstance(plugins, dict) else ())
        if on is True and name.startswith("memctl@")
    ]
    served = f"the plugin {enabled[0]} is enabled and has the same hooks" if enabled else None
    return Recipe(
        "claude-code",
        (EditedFile(path, Hooks("claude-code", _group_hooks(where, "claude-code"))),),
        tuple(notes),
        served,
    )


def _connect_codex(where: SetupContext) -> Recipe:
    folder = where.root / ".codex" if where.root else where.folder("CODEX_HOME", ".codex")
    config = disk.look_at(folder / "config.toml")
    try:
        settings = load_toml(config.text)
    except Unfit as error:
        raise Unfit(f"{config.path} tells where hooks are, and cannot be read: {error}") from error
    features = settings.get("features")
    off = isinstance(features, dict) and False in (
        features.get("hooks"),
        features.get("codex_hooks"),
    )
    notes = ("config.toml turns hooks off: set `hooks = true` under [features].",) if off else ()
    wanted = _group_hooks(where, "codex")
    # The same table remembers which hooks are trusted; only lists are hooks. Codex does not take
    # hooks from both files at once.
    if has_hooks(settings) and not (folder / "hooks.json").exists():
        editor = TomlHooks("codex", wanted)
        return Recipe("codex", (EditedFile(folder / "config.toml", editor),), notes)
    return Recipe("codex", (EditedFile(folder / "hooks.json", Hooks("codex", wanted)),), notes)


def _connect_gemini(where: SetupContext) -> Recipe:
    path = (where.root or where.home) / ".gemini" / "settings.json"
    switch = _read_settings(path).get("hooksConfig")
    off = isinstance(switch, dict) and switch.get("enabled") is False
    notes = ("hooksConfig.enabled is false there: hooks do not run.",) if off else ()
    wanted = _group_hooks(where, "gemini-cli", unit=1000, name="memctl")
    return Recipe("gemini-cli", (EditedFile(path, Hooks("gemini-cli", wanted)),), notes)


def _connect_cursor(where: SetupContext) -> Recipe:
    folder = (where.root or where.home) / ".cursor"
    wanted = {
        event: {"command": where.line("cursor", event), "timeout": seconds}
        for event, seconds in _EVENTS["cursor"].items()
    }
    hooks = EditedFile(folder / "hooks.json", Hooks("cursor", wanted, {"version": 1}))
    rule = WholeFile(messages.CURSOR_FRONT + f"<!-- {WHOLE} -->\n" + _format_rules(where, "cursor"))
    return Recipe(
        "cursor",
        (hooks, EditedFile(folder / "rules" / "memctl.mdc", rule)) if where.root else (hooks,),
    )


def _connect_copilot(where: SetupContext) -> Recipe:
    folder = where.root / ".github" if where.root else where.folder("COPILOT_HOME", ".copilot")
    wanted = {
        event: {"type": "command", "bash": where.line("copilot-cli", event), "timeoutSec": seconds}
        for event, seconds in _EVENTS["copilot-cli"].items()
    }
    return Recipe(
        "copilot-cli",
        (
            EditedFile(
                folder / "hooks" / "memctl.json", Hooks("copilot-cli", wanted, {"version": 1})
            ),
        ),
    )


def _connect_opencode(where: SetupContext) -> Recipe:
    folder = (
        where.root / ".opencode" if where.root else where.xdg_folder("XDG_CONFIG_HOME") / "opencode"
    )
    plugins = next(
        (place for name in ("plugin", "plugins") if (place := folder / name).is_dir()),
        folder / "plugin",
    )
    return Recipe(
        "opencode",
        (EditedFile(plugins / "memctl.js", WholeFile(f"// {WHOLE}\n{_fill_plugin(where)}")),),
    )


def _connect_windsurf(where: SetupContext) -> Recipe:
    folder = where.root / ".windsurf" if where.root else where.home / ".codeium" / "windsurf"
    wanted = {
        event: {"command": where.line("windsurf", event), "show_output": False}
        for event in _EVENTS["windsurf"]
    }
    hooks = EditedFile(folder / "hooks.json", Hooks("windsurf", wanted))
    if where.root:
        rule = WholeFile(
            messages.WINDSURF_FRONT + f"<!-- {WHOLE} -->\n" + _format_rules(where, "windsurf")
        )
        return Recipe("windsurf", (hooks, EditedFile(folder / "rules" / "memctl.md", rule)))
    block = Block(_format_rules(where, "windsurf"), "<!-- ", " -->", limit=6000)
    return Recipe("windsurf", (hooks, EditedFile(folder / "memories" / "global_rules.md", block)))


def _connect_aider(where: SetupContext) -> Recipe:
    conventions = (
        where.root / ".aider.memctl.md" if where.root else where.home / ".aider" / "memctl.md"
    )
    body = f"<!-- {WHOLE} -->\n" + messages.AIDER_RULES.format(memctl=_format_program(where))
    settings = (where.root or where.home) / ".aider.conf.yml"
    return Recipe(
        "aider",
        (
            EditedFile(conventions, WholeFile(body)),
            EditedFile(settings, ReadList(str(conventions))),
        ),
    )


_RECIPES = {
    "claude-code": _connect_claude,
    "codex": _connect_codex,
    "gemini-cli": _connect_gemini,
    "cursor": _connect_cursor,
    "copilot-cli": _connect_copilot,
    "opencode": _connect_opencode,
    "windsurf": _connect_windsurf,
    "aider": _connect_aider,
}


def _group_hooks(
    where: SetupContext, agent: str, *, unit: int = 1, name: str | None = None
) -> dict[str, Any]:
    """Hooks in groups, as Claude Code has them; `unit` is how many time units make a second."""
    named = {"name": name} if name else {}
    return {
        event: {
            "hooks": [
                {
                    "type": "command",
                    **named,
                    "command": where.line(agent, event),
                    "timeout": seconds * unit,
                }
            ]
        }
        for event, seconds in _EVENTS[agent].items()
    }


def _format_rules(where: SetupContext, agent: str) -> str:
    return messages.RULES.format(memctl=_format_program(where), agent=agent)


def _format_program(where: SetupContext) -> str:
    return shlex.join([*where.database, str(where.memctl)])


def _fill_plugin(where: SetupContext) -> str:
    """The OpenCode plugin with the paths of our command and of the store."""
    text = resources.read_asset(PLUGIN).replace(
        PLUGIN_HOOK, json.dumps(str(where.hook), ensure_ascii=False), 1
    )
    database = (
        f"env: {{ ...process.env, MEMCTL_DB: {json.dumps(str(where.db), ensure_ascii=False)} }}, "
        if where.db
        else ""
    )
    return text.replace(PLUGIN_SPAWN, database + PLUGIN_SPAWN, 1)


def _read_settings(path: Path) -> Mapping[str, Any]:
    """The settings in a JSON file; none if it cannot be read."""
    try:
        root = parse_jsonc(disk.look_at(path).text)
    except (Unfit, Unreadable):
        return {}
    return root.value if root is not None and isinstance(root.value, dict) else {}
