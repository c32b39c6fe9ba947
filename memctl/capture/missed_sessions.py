"""The sweep: sessions that ended without their hook (a crash, a kill) are found when the agent starts the next one.

It costs a look into one folder: the newest files that have grown since they were captured, recent ones only and few at a time, become
requests in the spool. What was requested is written down, so that a file is not asked for again before it grows.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from memctl.agents.hook_contracts import HookCall, read_transcript_path
from memctl.core import clock, timestamps
from memctl.core.frozen import dataclass
from memctl.settings.config import Config
from memctl.store import spool
from memctl.store.captured_sizes import is_told
from memctl.store.database import Database
from memctl.store.migrate import make_private_folder

RECENT_SECONDS = 7 * 86400.0
MOST_LISTED, MOST_LOOKED_AT, MOST_REQUESTED = 2000, 40, 8
_CODEX_DAYS = 3
_REMEMBERED = 200
# File names that hold a session's id, or (Gemini) the beginning of one.
_NAMES: Mapping[str, str] = {
    "claude-code": r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "codex": r"rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "gemini-cli": r"session-.*-([0-9a-f]{8})\.jsonl?",
    "cursor": r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "copilot-cli": r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
}
# Some agents give each session a folder, named like the session, with its transcript in it.
_INSIDE: Mapping[str, str] = {"cursor": "{}.jsonl", "copilot-cli": "events.jsonl"}


@dataclass(frozen=True, slots=True)
class Left:
    """A transcript that lies there: its session (or the beginning of its id), its size, and when it was written."""

    path: str
    session: str
    size: int
    changed: float


def sweep(db: Database, config: Config, call: HookCall, environ: Mapping[str, str]) -> int:
    """Leave requests for the sessions of this agent that nobody captured to their end; how many."""
    since = timestamps.parse_iso(clock.now()) - RECENT_SECONDS
    ours = call.session_id or "\0"
    lying = [
        left
        for left in _lying(call, environ)
        if left.size and left.changed > since and not ours.startswith(left.session)
    ]
    newest = sorted(lying, key=lambda left: -left.changed)[:MOST_LOOKED_AT]
    requested = _remembered(config) if newest else {}
    missed = [
        left
        for left in newest
        if requested.get(left.path) != left.size
        and not is_told(db, call.agent, left.session, left.size)
    ]
    for left in missed[:MOST_REQUESTED]:
        session = left.session if call.agent != "gemini-cli" else None
        spool.request(
            config, Path(left.path), agent=call.agent, session_id=session, trigger="hook:sweep"
        )
        requested[left.path] = left.size
    if missed:
        _remember(config, requested)
    return len(missed[:MOST_REQUESTED])


def _lying(call: HookCall, environ: Mapping[str, str]) -> Iterator[Left]:
    """The transcripts in the folders where this agent keeps this project's sessions."""
    if call.agent not in _NAMES:
        return
    name, inside = re.compile(_NAMES[call.agent]), _INSIDE.get(call.agent)
    for folder in _folders(call, environ):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in islice(entries, MOST_LISTED):
                left = _left(entry, name, inside)
                if left is not None:
                    yield left


def _left(entry: os.DirEntry[str], name: re.Pattern[str], inside: str | None) -> Left | None:
    found = name.fullmatch(entry.name)
    with suppress(OSError):
        if found and entry.is_file(follow_symlinks=False):
            at = entry.stat(follow_symlinks=False)
            return Left(entry.path, found[1], at.st_size, at.st_mtime)
        if inside and name.fullmatch(entry.name + ".jsonl") and entry.is_dir(follow_symlinks=False):
            path = os.path.join(entry.path, inside.format(entry.name))
            at = os.lstat(path)
            return Left(path, entry.name, at.st_size, at.st_mtime)
    return None


def _folders(call: HookCall, environ: Mapping[str, str]) -> Iterator[str]:
    """Where the transcripts of this call's project lie."""
    home, given = (
        environ.get("HOME") or environ.get("USERPROFILE") or "",
        read_transcript_path(call, environ),
    )
    if call.agent == "codex":
        yield from islice(
            _days(os.path.join(environ.get("CODEX_HOME") or f"{home}/.codex", "sessions"), 3),
            _CODEX_DAYS,
        )
    elif call.agent == "copilot-cli":
        yield os.path.join(environ.get("COPILOT_HOME") or f"{home}/.copilot", "session-state")
    elif given is not None:
        own_folder = call.agent in _INSIDE and given.parent.name == given.stem
        yield str(given.parent.parent if own_folder else given.parent)
    elif call.agent == "claude-code" and call.cwd:
        root = environ.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
        yield os.path.join(root, "projects", re.sub(r"[^A-Za-z0-9]", "-", call.cwd))
    elif call.agent == "cursor" and call.cwd:
        yield os.path.join(
            home,
            ".cursor/projects",
            re.sub(r"[/.]", "-", call.cwd.lstrip("/")),
            "agent-transcripts",
        )


def _days(folder: str, depth: int) -> Iterator[str]:
    """The folders of single days below year, month and day, the newest first."""
    if not depth:
        yield folder
        return
    with suppress(OSError):
        for name in sorted((name for name in os.listdir(folder) if name.isdecimal()), reverse=True):
            yield from _days(os.path.join(folder, name), depth - 1)


def _remembered(config: Config) -> dict[str, int]:
    """The size of every file when it was last asked for."""
    try:
        value = json.loads((config.spool / "swept").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _remember(config: Config, requested: Mapping[str, int]) -> None:
    """Write them down; the file is private, since paths may tell something."""
    make_private_folder(config.spool)
    partial = config.spool / f"swept.{clock.new_id()}.partial"
    handle = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as stream:
        json.dump(dict(list(requested.items())[-_REMEMBERED:]), stream)
    partial.replace(config.spool / "swept")
