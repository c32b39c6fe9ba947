"""Keep originals that no reader could read a turn from, and read them again later.

Nothing that was captured is lost because the reader was not ready for it: a retry is queued.
"""

from __future__ import annotations

from pathlib import Path

from memctl.capture.read_transcripts import read_transcripts, redact_original
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.capture.store_transcripts import store_transcripts
from memctl.core import clock, timestamps
from memctl.core.errors import NothingInIt, UnknownFormat
from memctl.core.model import AGENT_CLAIMED, Job, Source, Transcript
from memctl.readers.base import Input
from memctl.redact import sanitize
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import projects, queue, sources
from memctl.store.database import Database

# The session id of an original that tells none: this, and a part of its hash.
_ID_PREFIX = "hash:"
_ID_HASH_LENGTH = 20


def keep_unread(
    db: Database, config: Config, request: CaptureRequest, original: OriginalFile, error: Exception
) -> None:
    """Keep an original that could not be read: piped text itself, a file by its name.

    The same original is kept once; a file of an unknown format is not kept at all.
    """
    if sources.list_by_hash(db, original.content_hash):
        return
    is_piped = request.source.path is None
    if isinstance(error, UnknownFormat) and not is_piped:
        return
    now = clock.now()
    cwd = sanitize.sanitize_text(str(request.cwd), make_redactor(config)) if request.cwd else None
    project_id = projects.named(db, request.project).id if request.project is not None else None
    session_id = request.session_id or _ID_PREFIX + original.content_hash[:_ID_HASH_LENGTH]
    source = Source(
        id=clock.new_id(),
        kind="conversation",
        format="unknown",
        agent=sanitize.sanitize_text(request.agent or "unknown", make_redactor(config)),
        session_id=sanitize.sanitize_text(session_id, make_redactor(config)),
        size_bytes=original.size_bytes,
        content_hash=original.content_hash,
        turn_count=0,
        turns_hash=sources.compute_turns_hash(()),
        trust=AGENT_CLAIMED,
        observed_at=now,
        updated_at=now,
        path=original.path,
        cwd=cwd,
        project_id=project_id,
    )
    raw = redact_original(config, request.source) if is_piped else None
    with db.write():
        sources.insert_source(db, source, raw)
        queue.add_job(
            db,
            _build_retry(
                request, source, sanitize.sanitize_text(str(error), make_redactor(config))
            ),
        )


def _build_retry(request: CaptureRequest, source: Source, error: str) -> Job:
    now = source.observed_at
    due = timestamps.add_seconds(now, seconds=queue.FIRST_RETRY_SECONDS)
    return Job(
        clock.new_id(),
        request.trigger,
        request.actor,
        "failed",
        1,
        due,
        now,
        now,
        source_id=source.id,
        requested_scope=request.scope,
        error=error,
    )


def read_again(db: Database, config: Config, source: Source) -> list[Transcript]:
    """Read again an original that gave no turn when it was captured.

    Raises UnknownFormat, NothingInIt.
    """
    raw = sources.read_original(db, source.id)
    path = Path(source.path or "")
    if raw is None and not path.is_file():
        raise NothingInIt(f"{source.path} is gone")
    has_own_id = not source.session_id.startswith(_ID_PREFIX)
    request = CaptureRequest(
        Input(data=raw) if raw is not None else Input(path=path),
        "retry",
        "maintain",
        agent=None if source.agent == "unknown" else source.agent,
        session_id=source.session_id if has_own_id else None,
    )
    return list(read_transcripts(config, request))


def store_after_retry(
    db: Database, config: Config, source: Source, transcripts: list[Transcript]
) -> None:
    """Store what a retry could read after all."""
    cwd = Path(source.cwd) if source.cwd else None
    asked = queue.find_requested_scope(db, source.agent, source.session_id)
    request = CaptureRequest(
        Input(data=b""),
        "retry",
        asked[1] if asked is not None else "maintain",
        cwd=cwd,
        project=source.project_id,
        scope=asked[0] if asked is not None else None,
    )
    original = OriginalFile(source.size_bytes, source.content_hash, source.path)
    store_transcripts(db, config, request, original, transcripts)
