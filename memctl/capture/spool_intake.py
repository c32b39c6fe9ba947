"""What waits in the spool goes into the store. Nothing damaged there stops the rest; a file is removed only once the store has it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memctl.capture import deferred_captures
from memctl.capture.deferred_captures import MAYBE, TEXT, demand_shape
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.capture.session import capture
from memctl.capture.store_transcripts import store_transcripts
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import MemctlError, NothingInIt, RefusedByPolicy, UnknownFormat, UsageError
from memctl.core.frozen import asdict
from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.settings.config import Config
from memctl.store import sources, spool
from memctl.store.database import Database

# What stands in a spool file; whatever differs was damaged, and is set aside before it can stop the others.
_SPOOLED: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("trigger", "actor", "content_hash"), TEXT),
    **dict.fromkeys(("cwd", "project", "path"), MAYBE),
    "size_bytes": (int,),
    "transcripts": (list,),
}
_SPOOLED_TEXT: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("text", "trigger", "actor"), TEXT),
    "agent": MAYBE,
    "session_id": MAYBE,
}
_SPOOLED_TRANSCRIPT: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("format", "agent", "session_id", "turns"), TEXT),
    "is_chat": (bool,),
    "unknown": (dict,),
    **dict.fromkeys(
        ("parent_session_id", "cwd", "git_branch", "title", "started_at", "ended_at"), MAYBE
    ),
}
_SPOOLED_TURN: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("role", "kind", "text"), TEXT),
    **dict.fromkeys(("ts", "speaker", "tool", "call_id"), MAYBE),
    "data": (dict,),
}


def take_in(
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
    files = spool.files(config, "capture")
    if with_requests:
        files = files + spool.files(config, "request")
    for file in files:
        if work.must_stop():
            break
        try:
            work.count("spool_taken", _take_in_file(db, config, file, problems))
        except spool.UNWILLING:
            raise
        except RefusedByPolicy:  # The operator wants it left out by now.
            file.unlink(missing_ok=True)
        except (MemctlError, KeyError, TypeError, ValueError, OSError) as error:
            spool.set_aside(file)
            problems.append(f"{file.name}: {error}")
    return work.counts["spool_taken"]


def _take_in_file(db: Database, config: Config, file: Path, problems: list[str]) -> bool:
    """Take in one spool file and remove it; False if another process was faster, or it must wait for its transcript."""
    payload = spool.read(file)
    if payload is None:
        if not file.exists():
            return False
        raise UsageError("cannot be read")
    if not _take_in_one(db, config, payload, problems):
        return False
    file.unlink(missing_ok=True)
    return True


def _take_in_one(
    db: Database, config: Config, payload: dict[str, Any], problems: list[str]
) -> bool:
    """Whether what a spool file holds is settled."""
    if "text" in payload:
        demand_shape(payload, _SPOOLED_TEXT)
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
                ),
            )
        return True
    if "transcripts" not in payload:
        return deferred_captures.take_in(db, config, payload, problems)
    demand_shape(payload, _SPOOLED)
    cwd = Path(payload["cwd"]) if payload["cwd"] else None
    request = CaptureRequest(
        Input(data=b""), payload["trigger"], payload["actor"], cwd=cwd, project=payload["project"]
    )
    original = OriginalFile(payload["size_bytes"], payload["content_hash"], payload["path"])
    store_transcripts(
        db, config, request, original, [_unpacked(item) for item in payload["transcripts"]]
    )
    return True


def _unpacked(item: dict[str, Any]) -> Transcript:
    """A spooled transcript. Raises ValueError, TypeError or KeyError for one that is damaged."""
    demand_shape(item, _SPOOLED_TRANSCRIPT)
    try:
        turns = tuple(sources.unpack(base64.b64decode(item["turns"], validate=True)))
    except zlib.error as error:
        raise ValueError(f"damaged turns: {error}") from error
    if not turns:
        raise ValueError("damaged turns: there are none")
    for turn in turns:
        demand_shape(asdict(turn), _SPOOLED_TURN)
    return Transcript(**{**item, "turns": turns})
