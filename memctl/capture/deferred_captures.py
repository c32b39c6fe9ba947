"""Capture the transcripts that hooks requested in the spool for later.

A hook defers a transcript that is large, not written yet, or lacks what the hook was told. The
request waits until the transcript holds all of that. After `WAIT_SECONDS` what is still missing is
taken from the hook's own words, as a conversation of its own below the session, so nothing is lost
and nothing is stored twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from memctl.agents import hook_contracts
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.capture.session import capture
from memctl.capture.store_transcripts import store_transcripts
from memctl.core import clock, timestamps
from memctl.core.errors import NothingInIt, UnknownFormat
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import ROLES, Role, Transcript, Turn
from memctl.core.typing_lite import Any, cast
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
# A session that ended without a prompt often leaves no file, and a missed one may be deleted since:
# such requests end without a problem.
_QUIET_TRIGGERS = ("hook:SessionEnd", "hook:sessionEnd", SWEEP)
# Only files up to this size are read to see whether they hold a turn. Chosen by hand.
_SMALL_BYTES = 64 * 1024
# SQLite's integers are below this.
_MAX_INTEGER = 1 << 63
# How much of a text is looked for in the transcript, in characters. Chosen by hand.
_COMPARED_CHARS = 2000
_PLACEHOLDER = compile_later(r"\[REDACTED:[^\]\s]{1,60}\]|\s+")
# The fields of a spool file and their types; a file that differs is damaged, and set aside.
TEXT: tuple[type, ...] = (str,)
OPTIONAL_TEXT: tuple[type, ...] = (str, type(None))
_SHAPE: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("trigger", "at"), TEXT),
    **dict.fromkeys(("path", "agent", "session_id", "cwd"), OPTIONAL_TEXT),
    "said": (list,),
}


def take_in_request(
    db: Database, settings: Config, payload: dict[str, Any], problems: list[str]
) -> bool:
    """Capture what was requested; False where the request must wait on.

    Raises UnknownFormat, UsageError; ValueError for a damaged request.
    """
    # Older versions asked for what was there already.
    payload = {"cwd": None, "said": [], "at": "", **payload}
    check_shape(payload, _SHAPE)
    said = _read_hook_words(payload["said"])
    is_late = (
        not payload["at"]
        or timestamps.add_seconds(payload["at"], seconds=WAIT_SECONDS) < clock.now()
    )
    try:
        report = _capture_transcript(db, settings, payload)
    except NothingInIt as nothing:
        if is_late and not said and payload["trigger"] not in _QUIET_TRIGGERS:
            problems.append(f"session {payload['session_id']}: {nothing}")
        missing = said
        is_settled = is_late
    else:
        missing = _find_missing_words(db, report, said)
        is_settled = report.state != "spooled" and (is_late or not missing)
    if is_settled and missing:
        _store_hook_words(db, settings, payload, missing)
    return is_settled


def check_shape(values: Mapping[str, Any], shape: Mapping[str, tuple[type, ...]]) -> None:
    """Raise ValueError unless every field is there, has its type, and can be stored."""
    for name, types in shape.items():
        if type(values[name]) not in types:
            raise ValueError(f"damaged: {name} is {type(values[name]).__name__}")
    json.dumps(
        {name: value for name, value in values.items() if name != "path"}, ensure_ascii=False
    ).encode()
    if not all(0 <= value < _MAX_INTEGER for value in values.values() if type(value) is int):
        raise ValueError("damaged: a number is too large")


def _read_hook_words(pieces: list[Any]) -> list[tuple[Role, str]]:
    """Read what a hook was told: role and text. Raises ValueError for a damaged request."""
    if not all(
        isinstance(piece, list)
        and len(piece) == 2
        and piece[0] in ROLES
        and isinstance(piece[1], str)
        for piece in pieces
    ):
        raise ValueError("damaged: what was said")
    return [(cast(Role, role), words) for role, text in pieces if (words := clean_text(text))]


def _capture_transcript(
    db: Database, settings: Config, payload: Mapping[str, Any]
) -> CaptureReport:
    """Read the transcript now. Raises NothingInIt where there is none yet, or nothing in it."""
    path = Path(payload["path"]) if payload["path"] is not None else None
    if path is not None and not path.is_absolute():
        raise ValueError("damaged: the path is not whole")
    if path is None or not path.is_file():
        path = hook_contracts.find_session(
            payload["agent"] or "", payload["session_id"] or "", config.get_environment()
        )
    if path is None:
        where = f", at {payload['path']}" if payload["path"] else ""
        raise NothingInIt(f"no transcript appeared for this session{where}")
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
    """Whether a session was opened and left again; such a request ends without a problem."""
    if path.stat().st_size > _SMALL_BYTES:
        return False
    try:
        read = detect_reader(Input(path=path), agent).read(Input(path=path))
    except UnknownFormat:
        return False
    return not any(turn.kind != "title" for transcript in read for turn in transcript.turns)


def _find_missing_words(
    db: Database, report: CaptureReport, said: list[tuple[Role, str]]
) -> list[tuple[Role, str]]:
    """What a hook was told and the transcript lacks."""
    if not said:
        return []
    told = [
        _strip_for_comparison(turn.text)
        for item in report.items
        for turn in sources.read_turns(db, item.source_id)
    ]
    return [
        (role, text)
        for role, text in said
        if not any(_strip_for_comparison(text)[:_COMPARED_CHARS] in other for other in told)
    ]


def _strip_for_comparison(text: str) -> str:
    """A text without whitespace and placeholders: redaction depends on what else was said."""
    return _PLACEHOLDER.sub("", text)


def _store_hook_words(
    db: Database, settings: Config, payload: Mapping[str, Any], said: list[tuple[Role, str]]
) -> None:
    """Store what only the hook was told, under an id that the same words get again."""
    turns = tuple(
        Turn(seq, role, "compact" if role == "summary" else "text", text, payload["at"])
        for seq, (role, text) in enumerate(said)
    )
    text = sources.pack_turns(turns)
    mark = sources.compute_turns_hash(turns)
    session = payload["session_id"]
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
