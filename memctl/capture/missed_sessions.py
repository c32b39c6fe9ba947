"""Find sessions that ended without their hook (a crash, a kill) when the agent starts the next one.

It costs a look into one folder: the newest files that grew since they were captured become requests
in the spool, only recent ones and a few at a time. Requests are remembered, so that a file is not
requested again before it grows.
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
from memctl.core.regular_files import read_regular_file
from memctl.settings.config import Config
from memctl.store import spool
from memctl.store.captured_sizes import was_captured
from memctl.store.database import Database
from memctl.store.migrate import make_private_folder

RECENT_SECONDS = 7 * 86400.0
# Entries of a folder that are listed, transcripts compared with the store, and transcripts
# requested at one start of a session. Chosen by hand, to keep the start fast.
MAX_LISTED = 2000
MAX_COMPARED = 40
MAX_REQUESTED = 8
# Folders of single days in which Codex's sessions are looked for.
_MAX_CODEX_DAYS = 3
# Requests that are remembered, so that they are not made again.
_MAX_REMEMBERED = 200
# File names that hold a session's id, or (Gemini) the beginning of one.
_FILE_NAME_PATTERNS: Mapping[str, str] = {
    "claude-code": r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "codex": r"rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "gemini-cli": r"session-.*-([0-9a-f]{8})\.jsonl?",
    "cursor": r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "copilot-cli": r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
}
# Some agents give each session a folder, named like the session, with its transcript in it.
_FILE_IN_FOLDER: Mapping[str, str] = {"cursor": "{}.jsonl", "copilot-cli": "events.jsonl"}


@dataclass(frozen=True, slots=True)
class MissedTranscript:
    """A transcript in a folder: its session (or the beginning of its id), its size, and when it
    changed.
    """

    path: str
    session: str
    size: int
    changed: float


def request_missed_sessions(
    db: Database, config: Config, call: HookCall, environ: Mapping[str, str]
) -> int:
    """Request the sessions of this agent that were not captured to their end; how many."""
    since = timestamps.parse_iso(clock.now()) - RECENT_SECONDS
    ours = call.session_id or "\0"
    lying = [
        left
        for left in _list_transcripts(call, environ)
        if left.size and left.changed > since and not ours.startswith(left.session)
    ]
    newest = sorted(lying, key=lambda left: -left.changed)[:MAX_COMPARED]
    requested = _read_requested_sizes(config) if newest else {}
    missed = [
        left
        for left in newest
        if requested.get(left.path) != left.size
        and not was_captured(db, call.agent, left.session, left.size)
    ]
    for left in missed[:MAX_REQUESTED]:
        session = left.session if call.agent != "gemini-cli" else None
        spool.request_capture(
            config, Path(left.path), agent=call.agent, session_id=session, trigger="hook:sweep"
        )
        requested[left.path] = left.size
    if missed:
        _write_requested_sizes(config, requested)
    return len(missed[:MAX_REQUESTED])


def _list_transcripts(call: HookCall, environ: Mapping[str, str]) -> Iterator[MissedTranscript]:
    """The transcripts in the folders where this agent keeps this project's sessions."""
    if call.agent not in _FILE_NAME_PATTERNS:
        return
    name, inside = re.compile(_FILE_NAME_PATTERNS[call.agent]), _FILE_IN_FOLDER.get(call.agent)
    for folder in _list_folders(call, environ):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in islice(entries, MAX_LISTED):
                left = _read_entry(entry, name, inside)
                if left is not None:
                    yield left


def _read_entry(
    entry: os.DirEntry[str], name: re.Pattern[str], inside: str | None
) -> MissedTranscript | None:
    found = name.fullmatch(entry.name)
    with suppress(OSError):
        if found and entry.is_file(follow_symlinks=False):
            at = entry.stat(follow_symlinks=False)
            return MissedTranscript(entry.path, found[1], at.st_size, at.st_mtime)
        if inside and name.fullmatch(entry.name + ".jsonl") and entry.is_dir(follow_symlinks=False):
            path = os.path.join(entry.path, inside.format(entry.name))
            at = os.lstat(path)
            return MissedTranscript(path, entry.name, at.st_size, at.st_mtime)
    return None


def _list_folders(call: HookCall, environ: Mapping[str, str]) -> Iterator[str]:
    """The folders that hold the transcripts of this call's project."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    given = read_transcript_path(call, environ)
    if call.agent == "codex":
        yield from islice(
            _list_day_folders(
                os.path.join(environ.get("CODEX_HOME") or f"{home}/.codex", "sessions"), 3
            ),
            _MAX_CODEX_DAYS,
        )
    elif call.agent == "copilot-cli":
        yield os.path.join(environ.get("COPILOT_HOME") or f"{home}/.copilot", "session-state")
    elif given is not None:
        own_folder = call.agent in _FILE_IN_FOLDER and given.parent.name == given.stem
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


def _list_day_folders(folder: str, depth: int) -> Iterator[str]:
    """The folders of single days below year, month and day, the newest first."""
    if not depth:
        yield folder
        return
    with suppress(OSError):
        for name in sorted((name for name in os.listdir(folder) if name.isdecimal()), reverse=True):
            yield from _list_day_folders(os.path.join(folder, name), depth - 1)


def _read_requested_sizes(config: Config) -> dict[str, int]:
    """The size of every file when it was last requested."""
    try:
        value = json.loads(read_regular_file(config.spool / "swept"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _write_requested_sizes(config: Config, requested: Mapping[str, int]) -> None:
    """Store the requested sizes in a private file: paths may be confidential."""
    make_private_folder(config.spool)
    partial = config.spool / f"swept.{clock.new_id()}.{os.getpid()}.partial"
    handle = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as stream:
        json.dump(dict(list(requested.items())[-_MAX_REMEMBERED:]), stream)
    partial.replace(config.spool / "swept")
