"""What commands read: a transcript or a hook's JSON, a conversation, one memory from words, many from a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from memctl.agents import hook_contracts
from memctl.cli.declarations import MalformedValue
from memctl.cli.options import entity
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, fields
from memctl.core.model import EntityRef, NewMemory
from memctl.readers.base import Input, parse_json
from memctl.settings import config

STDIN = "-"
# Keys of an item in a file that are called otherwise inside.
_RENAMED = {"agent": "agent_id", "session": "session_id"}
ITEM_KEYS = tuple(
    sorted({f.name for f in fields(NewMemory)} - set(_RENAMED.values()) | set(_RENAMED))
)
_BOOLEANS = ("always_load", "protected")


@dataclass(frozen=True, slots=True)
class SessionSource:
    """A session to capture: the transcript, and what was said about it."""

    file: Path | Input
    agent: str | None
    session_id: str | None
    cwd: Path | None


def stdin() -> bytes:
    """All of standard input; nothing where a person sits at it."""
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()


def session(
    file: Path | None, *, agent: str | None, session_id: str | None, cwd: Path | None
) -> SessionSource:
    """The transcript of a file, else the one that the hook's JSON on stdin speaks of, else stdin itself. Raises UsageError."""
    if file is not None and str(file) != STDIN:
        return SessionSource(_existing(file), agent, session_id, cwd)
    raw = stdin()
    if not raw.strip():
        raise UsageError(
            "no transcript", hint="name a file, or give the agent's hook JSON on standard input"
        )
    said = parse_json(raw)
    if not isinstance(said, dict) or not _is_hook(said):
        return SessionSource(Input(data=raw), agent, session_id, cwd)
    known = hook_contracts.find_agent(agent) if agent else hook_contracts.CLAUDE_CODE
    call = hook_contracts.read_call(
        known or hook_contracts.CLAUDE_CODE, str(said.get("hook_event_name") or ""), said
    )
    found = hook_contracts.locate_transcript(
        known or hook_contracts.CLAUDE_CODE, call, config.environ()
    )
    if found is None:
        raise UsageError(f"the transcript is not there: {call.transcript or call.session_id}")
    folder = cwd or (Path(call.cwd) if call.cwd else None)
    return SessionSource(found, agent, session_id or call.session_id, folder)


def conversation(file: Path) -> Path | Input:
    """A conversation from a file or from stdin. Raises UsageError."""
    if str(file) != STDIN:
        return _existing(file)
    raw = stdin()
    if not raw.strip():
        raise UsageError(
            "nothing on standard input", hint="name a file, or pipe the conversation in"
        )
    return Input(data=raw)


def content(words: str | None) -> str:
    """The statement itself, or what stdin holds. Raises UsageError when there is none."""
    text = stdin().decode("utf-8", "replace") if words in (None, STDIN) else str(words)
    if not text.strip():
        raise UsageError(
            "nothing to remember", hint='say it: memctl ingest "Tests run with pytest -q"'
        )
    return text.strip()


def text_of(file: str | None, *, only_scan: bool) -> str:
    """The text of a file, or of standard input for `-`. Raises UsageError."""
    if only_scan:
        raise UsageError("--apply goes with --scan")
    if file is None:
        raise UsageError("name a file, - for standard input, or --scan for the store")
    raw = stdin() if file == STDIN else _existing(Path(file)).read_bytes()
    return raw.decode("utf-8", "surrogateescape")


def memories(file: Path, defaults: Mapping[str, Any]) -> list[NewMemory]:
    """The memories in a YAML, JSON or JSONL file; `defaults` fill what an item leaves open. Raises UsageError naming the line or item."""
    text = _existing(file).read_text(encoding="utf-8-sig", errors="replace")
    return [_memory(f"{file}: {where}", item, defaults) for where, item in _items(file, text)]


def _items(file: Path, text: str) -> Iterator[tuple[str, Any]]:
    if file.suffix in (".jsonl", ".ndjson"):
        yield from (
            (f"line {n}", _json(f"{file}: line {n}", line))
            for n, line in enumerate(text.split("\n"), 1)
            if line.strip()
        )
        return
    value, lines = (_json(str(file), text), []) if file.suffix == ".json" else _yaml(file, text)
    if isinstance(value, dict):
        if set(value) - {"items"}:
            raise UsageError(f"{file}: an object with `items`, or a list of objects, is wanted")
        value = value["items"]
    if not isinstance(value, list) or not value:
        raise UsageError(f"{file}: holds no list of items")
    for number, item in enumerate(value, 1):
        yield f"line {lines[number - 1]} (item {number})" if lines else f"item {number}", item


def _memory(where: str, item: Any, defaults: Mapping[str, Any]) -> NewMemory:
    if not isinstance(item, dict):
        raise UsageError(f"{where}: is not an object with keys")
    unknown = sorted(str(key) for key in item if key not in ITEM_KEYS)
    if unknown:
        raise UsageError(
            f"{where}: no such key: {', '.join(unknown)}", hint=f"known are {', '.join(ITEM_KEYS)}"
        )
    values: dict[str, Any] = {
        **defaults,
        **{
            _RENAMED.get(str(key), str(key)): _value(where, key, value)
            for key, value in item.items()
            if value is not None
        },
    }
    if not values.get("content"):
        raise UsageError(f"{where}: has no content")
    return NewMemory(**values)


def _value(where: str, key: str, value: Any) -> Any:
    if key in _BOOLEANS:
        return _expect(where, key, value, bool, "true or false")
    if key == "confidence":
        return float(_expect(where, key, value, (int, float), "a number"))
    if key == "alternatives":
        return tuple(
            _text(where, key, part) for part in _expect(where, key, value, list, "a list of texts")
        )
    if key == "entities":
        return tuple(
            _entity(where, part) for part in _expect(where, key, value, list, "a list of KIND:NAME")
        )
    return _text(where, key, value)


def _entity(where: str, value: Any) -> EntityRef:
    try:
        return entity(
            f"{value.get('kind')}:{value.get('name', '')}"
            if isinstance(value, dict)
            else _text(where, "entities", value)
        )
    except MalformedValue as error:
        raise UsageError(f"{where}: {error}") from error


def _text(where: str, key: str, value: Any) -> str:
    # YAML reads `no` as false and a date as a date: a date is meant, a boolean is a slip.
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{where}: {key} must be text", hint="put it in quotes")
    return str(value)


def _expect(where: str, key: str, value: Any, wanted: type | tuple[type, ...], words: str) -> Any:
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise UsageError(f"{where}: {key} must be {words}")
    return value


def _json(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not valid JSON: {error}") from error


def _yaml(file: Path, text: str) -> tuple[Any, list[int]]:
    from memctl.cli import yaml_io

    try:
        return yaml_io.load_yaml(text)
    except UsageError as error:
        raise UsageError(f"{file}: {error}", hint=error.hint) from error


def _existing(file: Path) -> Path:
    file = file.expanduser()
    if file.is_dir():
        raise UsageError(f"{file}: is a folder; name one file")
    if not file.exists():
        raise UsageError(f"{file}: there is no such file")
    return file


def _is_hook(said: Mapping[str, Any]) -> bool:
    """Whether a JSON object on stdin is a hook's call rather than a transcript of one object."""
    if {"transcript_path", "transcriptPath", "hook_event_name"} & set(said):
        return True
    return bool({"session_id", "sessionId"} & set(said)) and not {
        "messages",
        "history",
        "turns",
    } & set(said)
