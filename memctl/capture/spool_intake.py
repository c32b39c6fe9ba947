"""Take what waits in the spool into the store.

A damaged file is set aside and does not stop the others; a file is removed once the store has it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from memctl.capture import deferred_captures
from memctl.capture.deferred_captures import OPTIONAL_TEXT, TEXT, check_shape
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.capture.session import capture
from memctl.capture.store_transcripts import store_transcripts
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import (
    MemctlError,
    NotFound,
    NothingInIt,
    RefusedByPolicy,
    UnknownFormat,
    UsageError,
)
from memctl.core.frozen import asdict
from memctl.core.model import SCOPES, Transcript
from memctl.core.typing_lite import Any
from memctl.readers.base import Input
from memctl.settings.config import Config
from memctl.store import projects, sources, spool
from memctl.store.database import Database

# The fields of a spool file and their types; a file that differs is damaged, and set aside.
_SPOOLED: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("trigger", "actor", "content_hash"), TEXT),
    **dict.fromkeys(("cwd", "project", "scope", "path"), OPTIONAL_TEXT),
    "size_bytes": (int,),
    "transcripts": (list,),
}
_SPOOLED_TEXT: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("text", "trigger", "actor"), TEXT),
    **dict.fromkeys(("agent", "session_id", "cwd", "project", "scope"), OPTIONAL_TEXT),
}
_SPOOLED_TRANSCRIPT: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("format", "agent", "session_id", "turns"), TEXT),
    "is_chat": (bool,),
    "unknown": (dict,),
    **dict.fromkeys(
        ("parent_session_id", "cwd", "git_branch", "title", "started_at", "ended_at"), OPTIONAL_TEXT
    ),
}
_SPOOLED_TURN: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("role", "kind", "text"), TEXT),
    **dict.fromkeys(("ts", "speaker", "tool", "call_id"), OPTIONAL_TEXT),
    "data": (dict,),
}


def take_in_spooled(
    db: Database,
    config: Config,
    work: BoundedWork | None = None,
    *,
    with_requests: bool,
    problems: list[str] | None = None,
) -> int:
    """Move spooled captures into the store, and `with_requests` also requested transcripts.

    Counts each file as `spool_taken`; returns their number. Appends to `problems` what went wrong.
    """
    work = work or BoundedWork()
    problems = problems if problems is not None else []
    files = spool.list_files(config, "capture")
    if with_requests:
        files = files + spool.list_files(config, "request")
    for file in files:
        if work.must_stop():
            break
        try:
            work.count("spool_taken", _take_in_file(db, config, file, problems))
        except spool.STORE_UNAVAILABLE:
            raise
        except RefusedByPolicy:  # The operator wants it left out by now.
            file.unlink(missing_ok=True)
        except (MemctlError, KeyError, TypeError, ValueError, OSError) as error:
            spool.set_aside(file)
            problems.append(f"{file.name}: {error}")
    return work.counts["spool_taken"]


def _take_in_file(db: Database, config: Config, file: Path, problems: list[str]) -> bool:
    """Take in one spool file and remove it.

    False if another process was faster, or it must wait for its transcript.
    """
    payload = spool.read_file(file)
    if payload is None:
        if not file.exists():
            return False
        raise UsageError("cannot be read")
    if not _take_in_payload(db, config, payload, problems):
        return False
    file.unlink(missing_ok=True)
    return True


def _take_in_payload(
    db: Database, config: Config, payload: dict[str, Any], problems: list[str]
) -> bool:
    """Take in what a spool file holds; False if it must wait."""
    # Older versions noted less of where a conversation belongs.
    payload = {"cwd": None, "project": None, "scope": None, **payload}
    if "text" in payload:
        check_shape(payload, _SPOOLED_TEXT)
        given = Input(data=payload["text"].encode())
        # What is still unreadable is kept in the queue now, and loud there.
        with suppress(UnknownFormat, NothingInIt):
            capture(
                lambda: db,
                config,
                CaptureRequest(
                    given,
                    payload["trigger"],
                    payload["actor"],
                    payload["agent"],
                    payload["session_id"],
                    **_read_place(db, payload, problems),
                ),
            )
        return True
    if "transcripts" not in payload:
        return deferred_captures.take_in_request(db, config, payload, problems)
    check_shape(payload, _SPOOLED)
    place = _read_place(db, payload, problems)
    request = CaptureRequest(Input(data=b""), payload["trigger"], payload["actor"], **place)
    original = OriginalFile(payload["size_bytes"], payload["content_hash"], payload["path"])
    store_transcripts(
        db, config, request, original, [_unpack_transcript(item) for item in payload["transcripts"]]
    )
    return True


def _read_place(db: Database, payload: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """Where spooled conversations belong; a project that is not known is left to be asked for."""
    cwd = Path(payload["cwd"]) if payload["cwd"] else None
    if payload["scope"] not in (None, *SCOPES):
        raise ValueError(f"damaged: {payload['scope']!r} is no scope")
    try:
        project = payload["project"] and projects.named(db, payload["project"]).id
    except NotFound as error:
        project = None
        problems.append(f"{error}; the inbox asks where its conversations belong")
    return {"cwd": cwd, "project": project, "scope": payload["scope"]}


def _unpack_transcript(item: dict[str, Any]) -> Transcript:
    """Unpack a spooled transcript.

    Raises ConversationDamaged, ValueError, TypeError or KeyError for a damaged one.
    """
    check_shape(item, _SPOOLED_TRANSCRIPT)
    turns = tuple(sources.unpack_turns(base64.b64decode(item["turns"], validate=True)))
    if not turns:
        raise ValueError("damaged turns: there are none")
    for turn in turns:
        check_shape(asdict(turn), _SPOOLED_TURN)
    return Transcript(**{**item, "turns": turns})
