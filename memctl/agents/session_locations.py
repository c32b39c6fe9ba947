"""Where each agent keeps its sessions on this machine, and whether it is installed.

A table of paths and a walk over it; the environment is passed in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.user_folders import find_xdg_folder


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One file of past sessions: `size` in bytes, `changed` in seconds since 1970.

    A database holds many sessions.
    """

    agent: str
    path: Path
    session_id: str | None
    size: int
    changed: float
    is_database: bool = False


@dataclass(frozen=True, slots=True)
class AgentHome:
    """Where one agent lives. Every place begins with the name of a base folder; the last parts are
    patterns.

    `signs` are folders that only this agent makes, `programs` what it is called on the PATH.
    """

    agent: str
    signs: tuple[str, ...]
    sessions: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


HOMES: tuple[AgentHome, ...] = (
    AgentHome(
        "claude-code",
        ("claude",),
        ("claude/projects/*/*.jsonl", "claude/projects/*/*/subagents/agent-*.jsonl"),
        programs=("claude",),
    ),
    AgentHome(
        "codex",
        ("codex",),
        (
            "codex/sessions/*/*/*/rollout-*.jsonl",
            "codex/sessions/*/*/*/rollout-*.jsonl.zst",
            "codex/archived_sessions/rollout-*.jsonl",
            "codex/archived_sessions/rollout-*.jsonl.zst",
        ),
        programs=("codex",),
    ),
    AgentHome(
        "gemini-cli",
        ("home/.gemini",),
        ("home/.gemini/tmp/*/chats/session-*.json", "home/.gemini/tmp/*/chats/session-*.jsonl"),
        programs=("gemini",),
    ),
    AgentHome(
        "qwen", ("home/.qwen",), ("home/.qwen/projects/*/chats/*.jsonl",), programs=("qwen",)
    ),
    AgentHome("iflow", ("home/.iflow",), ("home/.iflow/projects/*/*.jsonl",), programs=("iflow",)),
    AgentHome(
        "opencode",
        ("config/opencode", "data/opencode"),
        ("data/opencode/storage/session/*/ses_*.json",),
        ("data/opencode/opencode.db", "data/opencode/opencode-*.db"),
        programs=("opencode",),
    ),
    AgentHome("kilo", ("data/kilo",), (), ("data/kilo/kilo.db",), programs=("kilo",)),
    AgentHome(
        "cursor",
        ("home/.cursor",),
        (
            "home/.cursor/projects/*/agent-transcripts/*/*.jsonl",
            "home/.cursor/projects/*/agent-transcripts/*.jsonl",
            "home/.cursor/projects/*/agent-transcripts/*.txt",
        ),
        (
            "home/.cursor/chats/*/*/store.db",
            "editor/Cursor/User/globalStorage/state.vscdb",
            "editor/Cursor/User/workspaceStorage/*/state.vscdb",
        ),
        programs=("cursor-agent", "cursor"),
    ),
    AgentHome(
        "cline",
        ("editor/*/User/globalStorage/saoudrizwan.claude-dev", "home/.cline"),
        (
            "home/.cline/data/*/*.messages.json",
            "home/.cline/data/*/*/*.messages.json",
            "editor/*/User/globalStorage/saoudrizwan.claude-dev/tasks/*/ui_messages.json",
        ),
    ),
    AgentHome(
        "roo",
        ("editor/*/User/globalStorage/rooveterinaryinc.roo-cline",),
        ("editor/*/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/ui_messages.json",),
    ),
    AgentHome(
        "kilo-code",
        ("editor/*/User/globalStorage/kilocode.kilo-code",),
        ("editor/*/User/globalStorage/kilocode.kilo-code/tasks/*/ui_messages.json",),
    ),
    AgentHome(
        "copilot-cli",
        ("copilot",),
        (
            "copilot/session-state/*/events.jsonl",
            "copilot/session-state/*.jsonl",
            "copilot/history-session-state/*.json",
        ),
        programs=("copilot",),
    ),
    AgentHome(
        "vscode-copilot",
        ("editor/*/User/globalStorage/github.copilot-chat",),
        (
            "editor/*/User/workspaceStorage/*/chatSessions/*.json",
            "editor/*/User/workspaceStorage/*/chatSessions/*.jsonl",
            "editor/*/User/globalStorage/emptyWindowChatSessions/*.json",
            "editor/*/User/globalStorage/emptyWindowChatSessions/*.jsonl",
        ),
    ),
    AgentHome(
        "goose",
        ("data/goose", "config/goose"),
        ("data/goose/sessions/*.jsonl",),
        ("data/goose/sessions/sessions.db",),
        ("goose",),
    ),
    AgentHome("amp", ("data/amp", "config/amp"), ("data/amp/threads/T-*.json",), programs=("amp",)),
    AgentHome(
        "pi",
        ("home/.pi", "home/.omp"),
        ("home/.pi/agent/sessions/*/*.jsonl", "home/.omp/agent/sessions/*/*.jsonl"),
        programs=("pi",),
    ),
    AgentHome(
        "openclaw",
        ("home/.openclaw",),
        (
            "home/.openclaw/agents/*/sessions/*.jsonl",
            "home/.openclaw/agents/*/sessions/*.jsonl.reset.*",
        ),
        programs=("openclaw",),
    ),
    AgentHome(
        "droid",
        ("home/.factory",),
        ("home/.factory/sessions/*/*.jsonl", "home/.factory/sessions/*.jsonl"),
        programs=("droid",),
    ),
    AgentHome(
        "kimi",
        ("home/.kimi", "home/.kimi-code"),
        ("home/.kimi/sessions/*/*/wire.jsonl", "home/.kimi-code/sessions/*/*/agents/*/wire.jsonl"),
        programs=("kimi",),
    ),
    AgentHome(
        "grok", ("home/.grok",), ("home/.grok/sessions/*/*/chat_history.jsonl",), programs=("grok",)
    ),
    AgentHome(
        "vibe", ("home/.vibe",), ("home/.vibe/logs/session/*/messages.jsonl",), programs=("vibe",)
    ),
    AgentHome(
        "hermes",
        ("home/.hermes",),
        ("home/.hermes/sessions/*.jsonl",),
        ("home/.hermes/state.db",),
        ("hermes",),
    ),
    AgentHome(
        "gptme",
        ("data/gptme", "config/gptme"),
        ("data/gptme/logs/*/conversation.jsonl",),
        programs=("gptme",),
    ),
    AgentHome(
        "antigravity",
        ("home/.gemini/antigravity", "home/.gemini/antigravity-cli"),
        (
            "home/.gemini/antigravity*/brain/*/transcript.jsonl",
            "home/.gemini/antigravity*/brain/*/*/transcript.jsonl",
            "home/.gemini/antigravity*/brain/*/*/*/transcript.jsonl",
        ),
    ),
    AgentHome("llm", ("llm",), (), ("llm/logs.db",)),
    AgentHome(
        "windsurf",
        ("home/.codeium/windsurf", "home/.windsurf", "editor/Windsurf"),
        programs=("windsurf",),
    ),
    AgentHome("aider", ("home/.aider", "home/.aider.conf.yml"), programs=("aider",)),
)
AGENTS: tuple[str, ...] = tuple(home.agent for home in HOMES)
_BY_NAME: Mapping[str, AgentHome] = {home.agent: home for home in HOMES}
# aider writes into the folder it works in, one file for all runs.
LEFT_IN_PLACE = "aider"
AIDER_HISTORY = ".aider.chat.history.md"
# How an agent names several files of one session: a thread that was reverted is written anew, an
# old one is packed, and a copy is made before a compaction.
_SAME_SESSION: Mapping[str, re.Pattern[str]] = {
    "codex": compile_later(
        r"rollout-.*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?:\.zst)?"
    ),
    "openclaw": compile_later(r"(.+?)(?:\.checkpoint\..+)?\.jsonl(?:\.reset\..+)?"),
}
# File names that every session of an agent shares; the name of their folder is the session id.
_GENERIC_FILE_NAMES = frozenset(
    (
        "events.jsonl",
        "wire.jsonl",
        "messages.jsonl",
        "chat_history.jsonl",
        "conversation.jsonl",
        "transcript.jsonl",
        "ui_messages.json",
    )
)


def is_installed(agent: str, environ: Mapping[str, str]) -> bool:
    """Whether the agent is here: a folder of its own, or its program on the PATH."""
    home = _BY_NAME.get(agent)
    if home is None:
        return False
    return any(True for sign in home.signs for _ in _match_paths(sign, environ)) or any(
        _is_on_path(name, environ) for name in home.programs
    )


def find_past_sessions(
    agent: str,
    environ: Mapping[str, str],
    folders: Iterable[Path] = (),
    closed: set[Path] | None = None,
) -> Iterator[SessionFile]:
    """The files of an agent's past sessions, in no order; `folders` are working folders, in which
    some agents leave their history.

    Folders that may not be listed are added to `closed`.
    """
    closed = set() if closed is None else closed
    home = _BY_NAME.get(agent)
    if home is None:
        return
    for pattern in home.sessions:
        yield from _list_matching_files(
            agent, _match_paths(pattern, environ, closed), is_database=False
        )
    for pattern in home.databases:
        yield from _list_matching_files(
            agent, _match_paths(pattern, environ, closed), is_database=True
        )
    if agent == LEFT_IN_PLACE:
        yield from _list_matching_files(
            agent, (folder / AIDER_HISTORY for folder in folders), is_database=False
        )


def split_copies(files: Iterable[SessionFile]) -> tuple[list[SessionFile], list[SessionFile]]:
    """The files to read, and those that another file of the same session replaces.

    Of Codex's files the one that changed last holds. OpenClaw's copies hold what they had at the
    time; one is needed only where the session's own file lost some of it.
    """
    groups: dict[tuple[str, Path | str, str], list[SessionFile]] = {}
    kept: list[SessionFile] = []
    copies: list[SessionFile] = []
    for file in files:
        name = _SAME_SESSION.get(file.agent)
        found = name.fullmatch(file.path.name) if name else None
        if found is None:
            kept.append(file)
            continue
        place = file.path.parent if file.agent == "openclaw" else ""
        groups.setdefault((file.agent, place, found[1]), []).append(file)
    for (agent, _, _), group in groups.items():
        if agent == "codex":
            newest = max(group, key=lambda file: (file.changed, file.path.name))
            needed = [newest]
        else:
            own = max((file.size for file in group if not _is_checkpoint(file)), default=-1)
            needed = [file for file in group if not _is_checkpoint(file) or file.size > own]
        kept += needed
        copies += [file for file in group if file not in needed]
    return kept, copies


def _is_checkpoint(file: SessionFile) -> bool:
    return ".checkpoint." in file.path.name


def _list_matching_files(
    agent: str, paths: Iterable[Path], *, is_database: bool
) -> Iterator[SessionFile]:
    for path in paths:
        try:
            state = path.lstat()
        except OSError:
            continue
        if path.is_file() and not path.is_symlink() and state.st_size:
            yield SessionFile(
                agent,
                path,
                None if is_database else _derive_session_id(path),
                state.st_size,
                state.st_mtime,
                is_database,
            )


def _derive_session_id(path: Path) -> str:
    # Antigravity's transcripts are somewhere below the session's folder.
    if "brain" in path.parts[-5:-1]:
        return path.parts[path.parts.index("brain") + 1]
    if path.name in _GENERIC_FILE_NAMES:
        return path.parent.name
    return path.name.partition(".jsonl.")[0] if ".jsonl." in path.name else path.stem


def find_session_folders(agent: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """The folders that are there below which an agent keeps its sessions."""
    home = _BY_NAME[agent]
    for pattern in dict.fromkeys((*home.sessions, *home.databases)):
        parts = pattern.split("/")
        wild = [at for at, part in enumerate(parts) if "*" in part] or [len(parts) - 1]
        # An editor's folder belongs to many; only its innermost part is one agent's own.
        end = wild[-1] if parts[0] == "editor" else wild[0]
        yield from _match_paths("/".join(parts[:end]), environ)


def find_own_folders(agent: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """The folders that are there and that only this agent makes."""
    for sign in _BY_NAME[agent].signs:
        yield from (path for path in _match_paths(sign, environ) if path.is_dir())


def list_file_endings(agent: str) -> frozenset[str]:
    """The endings of an agent's session files: `.jsonl`, `.db`."""
    home = _BY_NAME[agent]
    return frozenset(Path(pattern).suffix for pattern in (*home.sessions, *home.databases))


def _list_base_folders(environ: Mapping[str, str]) -> dict[str, list[Path]]:
    """The folders that paths in the table begin with."""
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "/nowhere")
    data = find_xdg_folder(environ, "XDG_DATA_HOME", home)
    config = find_xdg_folder(environ, "XDG_CONFIG_HOME", home)
    windows = environ.get("APPDATA")
    return {
        "home": [home],
        "data": [data],
        "config": [config],
        # An editor's own part of a machine that is worked on from afar is called and laid out like
        # an editor.
        "editor": [
            config,
            home / "Library" / "Application Support",
            *([Path(windows)] if windows else []),
            data,
            *(
                home / f".{name}-server"
                for name in ("vscode", "vscode-insiders", "vscodium", "cursor", "windsurf")
            ),
        ],
        "claude": [Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")],
        "codex": [Path(environ.get("CODEX_HOME") or home / ".codex")],
        "llm": (
            [Path(environ["LLM_USER_PATH"])]
            if environ.get("LLM_USER_PATH")
            else [
                config / "io.datasette.llm",
                home / "Library" / "Application Support" / "io.datasette.llm",
            ]
        ),
        "copilot": [Path(environ.get("COPILOT_HOME") or home / ".copilot")],
    }


def _match_paths(
    place: str, environ: Mapping[str, str], closed: set[Path] | None = None
) -> Iterator[Path]:
    """What exists at a path. Named parts may be links; what a pattern matches may not."""
    base, _, rest = place.partition("/")
    for start in _list_base_folders(environ)[base]:
        yield from _walk_pattern(
            start, tuple(filter(None, rest.split("/"))), set() if closed is None else closed
        )


def _walk_pattern(folder: Path, parts: tuple[str, ...], closed: set[Path]) -> Iterator[Path]:
    if not parts:
        if os.path.exists(folder):
            yield folder
    elif "*" not in parts[0]:
        yield from _walk_pattern(folder / parts[0], parts[1:], closed)
    else:
        for name in _list_folder(folder, parts[0], closed, is_last=len(parts) == 1):
            yield from _walk_pattern(folder / name, parts[1:], closed)


def _list_folder(folder: Path, pattern: str, closed: set[Path], *, is_last: bool) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name
                for entry in entries
                if fnmatchcase(entry.name, pattern)
                and not entry.is_symlink()
                and (is_last or entry.is_dir(follow_symlinks=False))
            )
    except OSError as error:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            closed.add(folder)
        return []


def _is_on_path(program: str, environ: Mapping[str, str]) -> bool:
    folders = filter(None, environ.get("PATH", "").split(os.pathsep))
    return any(
        os.access(os.path.join(folder, program + ending), os.X_OK)
        for folder in folders
        for ending in ("", ".exe", ".cmd")
    )
