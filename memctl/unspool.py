"""What waits in the spool goes into the store. Nothing damaged there stops the rest; a file is removed only once the store has it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memctl import spool
from memctl.capture import Original, Request, capture, store
from memctl.config import Config
from memctl.data import asdict
from memctl.db import Db
from memctl.errors import MemctlError, NothingInIt, UnknownFormat, UsageError
from memctl.model import Transcript
from memctl.readers.base import Input
from memctl.store import sources

_LARGEST = 1 << 63
# What stands in a spool file; whatever differs was damaged, and is set aside before it can stop the others.
_TEXT: tuple[type, ...] = (str,)
_MAYBE: tuple[type, ...] = (str, type(None))
_SPOOLED: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("trigger", "actor", "content_hash"), _TEXT), **dict.fromkeys(("cwd", "project", "path"), _MAYBE),
    "size_bytes": (int,), "transcripts": (list,),
}  # fmt: skip
_REQUESTED: Mapping[str, tuple[type, ...]] = {"path": _TEXT, "trigger": _TEXT, "agent": _MAYBE, "session_id": _MAYBE}
_SPOOLED_TEXT: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("text", "trigger", "actor"), _TEXT), "agent": _MAYBE, "session_id": _MAYBE,
}  # fmt: skip
_SPOOLED_TRANSCRIPT: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("format", "agent", "session_id", "turns"), _TEXT), "is_chat": (bool,), "unknown": (dict,),
    **dict.fromkeys(("parent_session_id", "cwd", "git_branch", "title", "started_at", "ended_at"), _MAYBE),
}  # fmt: skip
_SPOOLED_TURN: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("role", "kind", "text"), _TEXT), **dict.fromkeys(("ts", "speaker", "tool", "call_id"), _MAYBE), "data": (dict,),
}  # fmt: skip


def take_in(db: Db, config: Config, *, requests: bool) -> tuple[int, list[str]]:
    """Move spooled captures (and with `requests` also requested transcripts) into the store: how many, and what went wrong."""
    taken, problems = 0, []
    for file in spool.files(config, "capture") + (spool.files(config, "request") if requests else []):
        try:
            taken += _take_in_file(db, config, file)
        except spool.UNWILLING:
            raise
        except (MemctlError, KeyError, TypeError, ValueError, OSError) as error:
            spool.set_aside(file)
            problems.append(f"{file.name}: {error}")
    return taken, problems


def _take_in_file(db: Db, config: Config, file: Path) -> bool:
    """Take in one spool file and remove it; False if another process was faster."""
    payload = spool.read(file)
    if payload is None:
        if not file.exists():
            return False
        raise UsageError("cannot be read")
    _take_in_one(db, config, payload)
    file.unlink(missing_ok=True)
    return True


def _take_in_one(db: Db, config: Config, payload: dict[str, Any]) -> None:
    if "text" in payload:
        _demand_shape(payload, _SPOOLED_TEXT)
        given = Input(data=payload["text"].encode())
        # What is still unreadable is kept in the queue now, and loud there.
        with suppress(UnknownFormat, NothingInIt):
            capture(lambda: db, config, Request(given, payload["trigger"], payload["actor"], payload["agent"], payload["session_id"]))
        return
    if "transcripts" not in payload:
        _demand_shape(payload, _REQUESTED)
        given = Input(path=Path(payload["path"]))
        request = Request(given, payload["trigger"], "maintain", payload["agent"], payload["session_id"])
        capture(lambda: db, config, request)
        return
    _demand_shape(payload, _SPOOLED)
    cwd = Path(payload["cwd"]) if payload["cwd"] else None
    request = Request(Input(data=b""), payload["trigger"], payload["actor"], cwd=cwd, project=payload["project"])
    original = Original(payload["size_bytes"], payload["content_hash"], payload["path"])
    store(db, config, request, original, [_unpacked(item) for item in payload["transcripts"]])


def _unpacked(item: dict[str, Any]) -> Transcript:
    """A spooled transcript. Raises ValueError, TypeError or KeyError for one that is damaged."""
    _demand_shape(item, _SPOOLED_TRANSCRIPT)
    try:
        turns = tuple(sources.unpack(base64.b64decode(item["turns"], validate=True)))
    except zlib.error as error:
        raise ValueError(f"damaged turns: {error}") from error
    if not turns:
        raise ValueError("damaged turns: there are none")
    for turn in turns:
        _demand_shape(asdict(turn), _SPOOLED_TURN)
    return Transcript(**{**item, "turns": turns})


def _demand_shape(values: Mapping[str, Any], shape: Mapping[str, tuple[type, ...]]) -> None:
    """Raise ValueError unless every field is there, of its type, and such as the store can take."""
    for name, types in shape.items():
        if type(values[name]) not in types:
            raise ValueError(f"damaged: {name} is {type(values[name]).__name__}")
    json.dumps({name: value for name, value in values.items() if name != "path"}, ensure_ascii=False).encode()
    if not all(0 <= value < _LARGEST for value in values.values() if type(value) is int):
        raise ValueError("damaged: a number is too large")
