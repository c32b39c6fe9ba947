"""Requests in the spool: transcripts that a hook left for later, because they were large, were not written yet, or lacked what was said.

A request waits until its transcript tells all that the hook was told; after `WAIT_SECONDS` what is still missing there is taken from the
hook's own words, as a conversation of its own beneath the session, so that nothing is lost and nothing is told twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from memctl.agents import hook_contracts
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.capture.session import capture
from memctl.capture.store_transcripts import store_transcripts
from memctl.core import clock, timestamps
from memctl.core.errors import NothingInIt, UnknownFormat
from memctl.core.model import ROLES, Role, Transcript, Turn
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader
from memctl.readers.values import clean_text
from memctl.results.captures import CaptureReport
from memctl.settings import config
from memctl.settings.config import Config
from memctl.store import sources
from memctl.store.database import Database

WAIT_SECONDS = 86400.0
SWEEP = "hook:sweep"
# A session that ended without a prompt often leaves no file at all, and one that was swept up may have been cleared away since.
_QUIET = ("hook:SessionEnd", "hook:sessionEnd", SWEEP)
_SMALL = 64 * 1024
_LARGEST = 1 << 63
_COMPARED = 2000
_PLACEHOLDER = re.compile(r"\[REDACTED:[^\]\s]{1,60}\]|\s+")
# What stands in a spool file; whatever differs was damaged, and is set aside before it can stop the others.
TEXT: tuple[type, ...] = (str,)
MAYBE: tuple[type, ...] = (str, type(None))
_SHAPE: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("trigger", "at"), TEXT),
    **dict.fromkeys(("path", "agent", "session_id", "cwd"), MAYBE),
    "said": (list,),
}


def take_in(db: Database, settings: Config, payload: dict[str, Any], problems: list[str]) -> bool:
    """Capture what was requested; False where it must wait on. Raises UnknownFormat, UsageError, ValueError for what is damaged."""
    # Older versions asked for what was there already.
    payload = {"cwd": None, "said": [], "at": "", **payload}
    demand_shape(payload, _SHAPE)
    said = _said(payload["said"])
    is_late = (
        not payload["at"]
        or timestamps.add_seconds(payload["at"], seconds=WAIT_SECONDS) < clock.now()
    )
    try:
        report = _captured(db, settings, payload)
    except NothingInIt as nothing:
        if is_late and not said and payload["trigger"] not in _QUIET:
            problems.append(f"session {payload['session_id']}: {nothing}")
        missing = said
        is_settled = is_late
    else:
        missing = _untold(db, report, said)
        is_settled = report.state != "spooled" and (is_late or not missing)
    if is_settled and missing:
        _keep(db, settings, payload, missing)
    return is_settled


def demand_shape(values: Mapping[str, Any], shape: Mapping[str, tuple[type, ...]]) -> None:
    """Raise ValueError unless every field is there, of its type, and such as the store can take."""
    for name, types in shape.items():
        if type(values[name]) not in types:
            raise ValueError(f"damaged: {name} is {type(values[name]).__name__}")
    json.dumps(
        {name: value for name, value in values.items() if name != "path"}, ensure_ascii=False
    ).encode()
    if not all(0 <= value < _LARGEST for value in values.values() if type(value) is int):
        raise ValueError("damaged: a number is too large")


def _said(pieces: list[Any]) -> list[tuple[Role, str]]:
    """What a hook was told. Raises ValueError for what is damaged."""
    if not all(
        isinstance(piece, list)
        and len(piece) == 2
        and piece[0] in ROLES
        and isinstance(piece[1], str)
        for piece in pieces
    ):
        raise ValueError("damaged: what was said")
    return [(cast(Role, role), words) for role, text in pieces if (words := clean_text(text))]


def _captured(db: Database, settings: Config, payload: Mapping[str, Any]) -> CaptureReport:
    """Read the transcript now. Raises NothingInIt where there is none, or nothing in it, yet."""
    path = Path(payload["path"]) if payload["path"] is not None else None
    if path is not None and not path.is_absolute():
        raise ValueError("damaged: the path is not whole")
    if path is None or not path.is_file():
        path = hook_contracts.find_session(
            payload["agent"] or "", payload["session_id"] or "", config.environ()
        )
    if path is None:
        where = f", at {payload['path']}" if payload["path"] else ""
        raise NothingInIt(f"its transcript never came{where}")
    if payload["trigger"] == SWEEP and _is_empty(path, payload["agent"]):
        raise NothingInIt("nothing was said in it")
    cwd = Path(payload["cwd"]) if payload["cwd"] else None
    request = CaptureRequest(
        Input(path=path),
        payload["trigger"],
        "maintain",
        payload["agent"],
        payload["session_id"],
        cwd=cwd,
    )
    return capture(lambda: db, settings, request)


def _is_empty(path: Path, agent: str | None) -> bool:
    """Whether a session was opened and left again; nobody asked for that one by name, so it is no trouble either."""
    if path.stat().st_size > _SMALL:
        return False
    try:
        read = detect_reader(Input(path=path), agent).read(Input(path=path))
    except UnknownFormat:
        return False
    return not any(turn.kind != "title" for transcript in read for turn in transcript.turns)


def _untold(
    db: Database, report: CaptureReport, said: list[tuple[Role, str]]
) -> list[tuple[Role, str]]:
    """What the transcript lacks of it."""
    if not said:
        return []
    told = [
        _bare(turn.text) for item in report.items for turn in sources.turns_of(db, item.source_id)
    ]
    return [
        (role, text)
        for role, text in said
        if not any(_bare(text)[:_COMPARED] in other for other in told)
    ]


def _bare(text: str) -> str:
    """A text without blanks and without what redaction left, which depends on what else was said."""
    return _PLACEHOLDER.sub("", text)


def _keep(
    db: Database, settings: Config, payload: Mapping[str, Any], said: list[tuple[Role, str]]
) -> None:
    """Store what only the hook was told, under an id that the same words get again."""
    turns = tuple(
        Turn(seq, role, "compact" if role == "summary" else "text", text, payload["at"])
        for seq, (role, text) in enumerate(said)
    )
    text, mark, session = sources.pack(turns), sources.turns_hash(turns), payload["session_id"]
    transcript = Transcript(
        "hook",
        payload["agent"] or "unknown",
        f"{session or 'session'}#{mark[:8]}",
        turns,
        parent_session_id=session,
        cwd=payload["cwd"],
        started_at=payload["at"],
        ended_at=payload["at"],
    )
    request = CaptureRequest(Input(data=b""), payload["trigger"], "maintain")
    store_transcripts(
        db, settings, request, OriginalFile(len(text), mark, payload["path"]), [transcript]
    )
