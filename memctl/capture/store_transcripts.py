"""Store conversations that were read: without what was purged, and only what is new in them.

The same conversation adds nothing twice. One that grew adds its new turns to its source. One that
was rewritten becomes a new source that points back to the earlier one. So do notes from which a
line was taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from memctl.capture import flushed_messages, settle_place
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import (
    AGENT_CLAIMED,
    OPERATOR_SAID,
    Job,
    Place,
    Source,
    SourceKind,
    Transcript,
    Turn,
)
from memctl.core.typing_lite import Any
from memctl.records import ignore_rules, purge_filter
from memctl.redact import sanitize
from memctl.redact.redactor import make_redactor
from memctl.results.captures import Captured, CaptureReport
from memctl.settings.config import Config
from memctl.store import queue, sources
from memctl.store.database import Database
from memctl.store.projects import all_names, names

# What the reader of documents calls their agent.
NOTES = "notes"
# The prefix of formats of other tools' memories; those of them that copy another store.
MEMORIES = "memory:"
# Formats of pages to which agents export their sessions.
_PAGES = frozenset({"specstory", "claude-export"})
# An id that a reader made from a conversation's first words (see readers.base.make_digest_id).
_MADE_ID = compile_later(r"[a-z-]{1,30}-[0-9a-f]{12}|text:[0-9a-f]{20}")
# Conversations that begin alike and are told apart.
_MAX_NAMESAKES = 1000
COPIES = frozenset(
    {"memory:chatgpt", "memory:mem0", "memory:mcp-memory", "memory:claude-mem", "memory:engram"}
)


def store_transcripts(
    db: Database,
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcripts: Iterable[Transcript],
) -> CaptureReport:
    """Store conversations in one transaction; their projects are found, or added, before it.

    Raises RefusedByPolicy for a session that was purged, or a project that is ignored.
    """
    kept, original = _remove_purged(db, config, list(transcripts), original)
    locations = [
        settle_place.find_location(db, request, transcript, make_redactor(config))
        for transcript in kept
    ]
    _refuse_ignored_projects(db, config, locations)
    with db.write():
        items = tuple(
            _store_transcript(db, config, request, original, transcript, location)
            for transcript, location in zip(kept, locations, strict=True)
        )
    is_unchanged = all(item.outcome == "unchanged" for item in items)
    return CaptureReport("unchanged" if is_unchanged else "captured", items)


def _remove_purged(
    db: Database, config: Config, transcripts: list[Transcript], original: OriginalFile
) -> tuple[list[Transcript], OriginalFile]:
    """Cut out what was purged. Raises RefusedByPolicy for a session that was purged whole."""
    cuts = purge_filter.read_filter(db, config)
    if cuts is not None:
        transcripts = [purge_filter.cut_transcript(transcript, cuts) for transcript in transcripts]
        original = replace(
            original,
            path=original.path and cuts.cut_text(original.path),
            raw=original.raw and _cut_raw(original.raw, cuts),
        )
    for transcript in transcripts:
        mark = purge_filter.compute_session_mark(transcript.agent, transcript.session_id)
        purge_filter.refuse_purged(db, [mark])
    return transcripts, original


def _cut_raw(raw: bytes, cuts: purge_filter.PurgeFilter) -> bytes:
    return cuts.cut_text(raw.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")


def _refuse_ignored_projects(db: Database, config: Config, locations: list[Place]) -> None:
    """Raises RefusedByPolicy if a rule ignores one of these projects by any of its names."""
    ids = [location.project_id for location in locations if location.project_id]
    ignore_rules.refuse_ignored(
        config, named=(name for project_id in ids for name in all_names(db, project_id))
    )


def _store_transcript(
    db: Database,
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcript: Transcript,
    location: Place,
) -> Captured:
    """Store what is new in a conversation, compared with every version of it that is known."""
    transcript = _tell_apart(db, transcript, original)
    known = sources.list_of_session(db, transcript.agent, transcript.session_id)
    unplaced = [source for source in known if source.project_id is None]
    if unplaced and location.project_id is not None:
        settle_place.settle_place(db, config, request, unplaced, location)
        known = sources.list_of_session(db, transcript.agent, transcript.session_id)
    versions = [source for source in known if source.turn_count]
    if versions and request.trigger == flushed_messages.FLUSH:
        stored = sources.read_turns(db, versions[0].id)
        transcript = flushed_messages.join_to_stored(transcript, stored)
    source = _build_source(request, original, transcript, location)
    if versions and transcript.format.startswith(MEMORIES):
        return _store_notes(db, config, request, original, transcript, source, versions[0])
    if not versions:
        return _add_source(db, config, request, original, transcript, source, outcome="captured")
    # Two files may tell one session differently, and each may grow: the newest version comes first.
    for version in versions:
        if _is_retold_by(transcript, db, version):
            return report_captured("unchanged", version, None, transcript, 0, names(db))
        if _extends(transcript, version):
            grown = replace(source, id=version.id)
            return _grow_source(
                db, config, request, original, transcript, grown, version.turn_count
            )
        if _is_covered_by(transcript, db, version):
            return report_captured("unchanged", version, None, transcript, 0, names(db))
    rewritten = replace(source, previous_id=versions[0].id)
    return _add_source(db, config, request, original, transcript, rewritten, outcome="rewritten")


def _tell_apart(db: Database, transcript: Transcript, original: OriginalFile) -> Transcript:
    """Give a conversation another id than one that only begins like it, or is called like it.

    An id that was made from the first words, or from a file's name, may be that of several.
    """
    base = transcript.session_id
    is_made = _MADE_ID.fullmatch(base) is not None and transcript.agent != NOTES
    is_named_by_file = base.endswith(f"-{Path(original.path).stem}") if original.path else False
    if not is_made and not (is_named_by_file and (transcript.is_chat or transcript.agent == NOTES)):
        return transcript
    for number in range(1, _MAX_NAMESAKES):
        session_id = base if number == 1 else f"{base}~{number}"
        known = sources.list_of_session(db, transcript.agent, session_id)
        versions = [source for source in known if source.turn_count]
        if not versions or any(
            _extends(transcript, version)
            or _is_covered_by(transcript, db, version)
            or (is_named_by_file and version.path == original.path)
            for version in versions
        ):
            return replace(transcript, session_id=session_id)
    return transcript


def _store_notes(
    db: Database,
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcript: Transcript,
    source: Source,
    newest: Source,
) -> Captured:
    """Store notes that were stored before. They say what they say now: only the newest version is
    compared, and what lost a line is another version.
    """
    stored = sources.read_turns(db, newest.id)
    if not _stand_alike(transcript.turns, stored):
        source = replace(source, previous_id=newest.id)
        return _add_source(db, config, request, original, transcript, source, outcome="rewritten")
    if len(transcript.turns) > len(stored):
        grown = replace(source, id=newest.id)
        return _grow_source(db, config, request, original, transcript, grown, newest.turn_count)
    sources.set_seen(db, newest, source.size_bytes, source.content_hash, source.updated_at)
    return report_captured("unchanged", newest, None, transcript, 0, names(db))


def _stand_alike(notes: tuple[Turn, ...], stored: list[Turn]) -> bool:
    """Whether notes begin with the stored ones, each below the heading below which it stood.

    What an earlier version stored does not know its headings.
    """
    if len(notes) < len(stored):
        return False
    pairs = zip(notes, stored, strict=False)
    return _is_prefix(tuple(stored), list(notes)) and all(
        "heading" not in old.data or old.data["heading"] == new.data.get("heading")
        for new, old in pairs
    )


def _extends(transcript: Transcript, version: Source) -> bool:
    """Whether a conversation is a stored version, and more turns."""
    stored = version.turn_count
    if len(transcript.turns) <= stored:
        return False
    return sources.compute_turns_hash(transcript.turns[:stored]) == version.turns_hash


def _is_covered_by(transcript: Transcript, db: Database, version: Source) -> bool:
    """Whether a stored version begins with all the turns of a conversation."""
    if len(transcript.turns) > version.turn_count:
        return False
    return _is_prefix(transcript.turns, sources.read_turns(db, version.id))


def _is_retold_by(transcript: Transcript, db: Database, version: Source) -> bool:
    """Whether a page is the export of a stored session, and tells nothing new that people said."""
    if transcript.format not in _PAGES or version.format in _PAGES:
        return False
    said = Counter(turn.text for turn in transcript.turns if turn.role == "human")
    stored = sources.read_turns(db, version.id)
    return bool(said) and said <= Counter(turn.text for turn in stored if turn.role == "human")


def _is_prefix(shorter: tuple[Turn, ...], longer: list[Turn]) -> bool:
    same_length = longer[: len(shorter)]
    return sources.compute_turns_hash(shorter) == sources.compute_turns_hash(same_length)


def _add_source(
    db: Database,
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcript: Transcript,
    source: Source,
    *,
    outcome: str,
) -> Captured:
    sources.insert_source(db, source, original.raw)
    sources.add_turns(db, source.id, transcript.turns, source.observed_at)
    counts = {"turns": source.turn_count, "outcome": outcome}
    job_id = _queue_extraction(db, config, request, source, counts)
    return report_captured(outcome, source, job_id, transcript, source.turn_count, names(db))


def _grow_source(
    db: Database,
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcript: Transcript,
    source: Source,
    stored_turns: int,
) -> Captured:
    """Add the turns of a conversation after those that are stored."""
    added = transcript.turns[stored_turns:]
    sources.add_turns(db, source.id, added, source.updated_at)
    sources.grow_source(db, source, original.raw)
    counts = {"turns": len(added), "outcome": "grown"}
    job_id = _queue_extraction(db, config, request, source, counts)
    return report_captured("grown", source, job_id, transcript, len(added), names(db))


def _queue_extraction(
    db: Database, config: Config, request: CaptureRequest, source: Source, outcome: dict[str, Any]
) -> str:
    """Log the capture as a job that waits for extraction; its id.

    Where an earlier job of the same source still waits, that one is postponed and does the work.
    """
    now = clock.now()
    due = timestamps.add_seconds(now, seconds=config["capture.debounce_seconds"])
    waiting = queue.find_waiting(db, source.id)
    if waiting:
        queue.postpone_job(db, waiting, due, now)
        outcome = {**outcome, "joined": waiting.id}
    job = Job(
        clock.new_id(),
        request.trigger,
        request.actor,
        "done" if waiting else "queued",
        0,
        due,
        now,
        now,
        source_id=source.id,
        requested_scope=request.scope,
        outcome=outcome,
    )
    queue.add_job(db, job)
    return job.id


def _build_source(
    request: CaptureRequest, original: OriginalFile, transcript: Transcript, location: Place
) -> Source:
    now = clock.now()
    return Source(
        id=clock.new_id(),
        kind=_find_source_kind(transcript),
        format=transcript.format,
        agent=transcript.agent,
        session_id=transcript.session_id,
        size_bytes=original.size_bytes,
        content_hash=original.content_hash,
        turn_count=len(transcript.turns),
        turns_hash=sources.compute_turns_hash(transcript.turns),
        trust=_compute_channel_trust(transcript),
        observed_at=now,
        updated_at=now,
        parent_session_id=transcript.parent_session_id,
        path=original.path,
        title=transcript.title,
        cwd=transcript.cwd,
        git_branch=transcript.git_branch,
        project_id=location.project_id,
        repo_id=location.repo_id,
        is_chat=transcript.is_chat,
        unknown=transcript.unknown,
        started_at=transcript.started_at,
        ended_at=transcript.ended_at,
    )


def _find_source_kind(transcript: Transcript) -> SourceKind:
    if transcript.format in COPIES:
        return "import"
    if transcript.agent == NOTES or transcript.format.startswith(MEMORIES):
        return "document"
    return "conversation"


def _compute_channel_trust(transcript: Transcript) -> int:
    """In an agent's session the human is the operator; in chats and documents it may be anybody."""
    is_session = not transcript.is_chat and _find_source_kind(transcript) == "conversation"
    return OPERATOR_SAID if is_session else AGENT_CLAIMED


def report_captured(
    outcome: str,
    source: Source,
    job_id: str | None,
    transcript: Transcript,
    new_turns: int,
    project_names: dict[str, str],
) -> Captured:
    """Report what became of one conversation."""
    added = transcript.turns[len(transcript.turns) - new_turns :]
    return Captured(
        outcome,
        source.id,
        job_id,
        source.agent,
        source.session_id,
        source.format,
        project_names.get(source.project_id or ""),
        len(transcript.turns),
        new_turns,
        sum(turn.role == "human" for turn in transcript.turns),
        dict(transcript.unknown),
        sanitize.count_removed_secrets(added) if new_turns else {},
    )


def report_unchanged(db: Database, config: Config, known: list[Source]) -> CaptureReport:
    """Report an original that is stored already, under each of its sources.

    Raises RefusedByPolicy where an ignore rule would leave it out now: then not even that is said.
    """
    for source in known:
        called = all_names(db, source.project_id) if source.project_id else ()
        folders = (Path(source.cwd),) if source.cwd else ()
        ignore_rules.refuse_ignored(config, folders=folders, named=called)
    project_names = names(db)
    items = tuple(
        report_captured("unchanged", source, None, read_stored(db, source), 0, project_names)
        for source in known
    )
    return CaptureReport("unchanged", items)


def read_stored(db: Database, source: Source) -> Transcript:
    """Read a stored source as the transcript that it was captured from."""
    return Transcript(
        format=source.format,
        agent=source.agent,
        session_id=source.session_id,
        turns=tuple(sources.read_turns(db, source.id)),
        parent_session_id=source.parent_session_id,
        cwd=source.cwd,
        git_branch=source.git_branch,
        title=source.title,
        started_at=source.started_at,
        ended_at=source.ended_at,
        is_chat=source.is_chat,
        unknown=source.unknown,
    )
