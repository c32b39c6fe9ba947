"""Capture: a conversation becomes a source with normalised, redacted turns and an ingestion event, in one short transaction.

Kept true here: nothing is extracted now; the same conversation adds nothing twice; one that grew adds only what is new; one that was
rewritten becomes a new source that points back; a store that cannot take it leaves it in the spool; input that holds no turn is kept.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from memctl import readers
from memctl.core import clock, timestamps
from memctl.core.errors import NothingInIt, UnknownFormat, UsageError
from memctl.core.frozen import asdict, dataclass, replace
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
from memctl.readers.base import Input, Reader
from memctl.readers.detect import detect, detect_database
from memctl.records import ignore_rules, projects, purge_filter
from memctl.redact import sanitize
from memctl.results.captures import Captured, CaptureReport
from memctl.settings.config import Config
from memctl.settings.project_folder import normalise_remote
from memctl.store import queue, sources, spool
from memctl.store.database import Db
from memctl.store.projects import all_names, names

_CHUNK = 1 << 20
# What the reader of documents calls their agent.
NOTES = "notes"
# What begins the format of other tools' memories, and those of them that are copies of another store.
MEMORIES = "memory:"
COPIES = frozenset(
    {"memory:chatgpt", "memory:mem0", "memory:mcp-memory", "memory:claude-mem", "memory:engram"}
)
_UNREAD = "hash:"
OpenDb = Callable[[], Db]


@dataclass(frozen=True, slots=True)
class Request:
    """What to capture and on whose behalf. `project` and `cwd` place conversations that do not say where they were held."""

    source: Input
    trigger: str
    actor: str
    agent: str | None = None
    session_id: str | None = None
    cwd: Path | None = None
    project: str | None = None
    # Whether input that gives no turn waits to be tried again.
    keeps_unread: bool = True
    # Which of the conversations in the input are asked for; all if None.
    asks_for: Callable[[Transcript], bool] | None = None


@dataclass(frozen=True, slots=True)
class Original:
    """What is known of the bytes that were captured."""

    size_bytes: int
    content_hash: str
    path: str | None
    raw: bytes | None = None


def capture(open_db: OpenDb, config: Config, request: Request) -> CaptureReport:
    """Take a conversation in. Raises UsageError, UnknownFormat, NothingInIt; a store that cannot take it means `spooled`."""
    ignore_rules.refuse(config, files=(request.source.path,), named=(request.project,))
    if request.source.is_database():
        return _capture_database(open_db, config, request)
    original = _weigh(request.source)
    try:
        db = open_db()
        purge_filter.refuse(db, [purge_filter.original_mark(original.content_hash)])
        known = sources.by_hash(db, original.content_hash)
        if known and all(source.turn_count for source in known):
            _refuse_ignored(db, config, known)
            return CaptureReport("unchanged", tuple(_unchanged(db, source) for source in known))
    except spool.UNWILLING:
        return _into_spool(config, request, original, _read_or_spool(config, request))
    try:
        transcripts = list(_read(config, request))
    except (UnknownFormat, NothingInIt) as error:
        try:
            if request.keeps_unread:
                _keep_for_retry(db, request, original, error)
        except spool.UNWILLING:
            _spool_text(config, request)
        raise
    if config["capture.keep_raw"]:
        original = replace(original, raw=_raw(request.source, transcripts))
    try:
        return store(db, config, request, original, transcripts)
    except spool.UNWILLING:
        return _into_spool(config, request, original, transcripts)


def _capture_database(open_db: OpenDb, config: Config, request: Request) -> CaptureReport:
    """Take in the sessions of another tool's database one by one (the one asked for, if any), each in a transaction of its own."""
    from memctl.store import foreign_databases

    path = request.source.path
    assert path is not None
    where = sanitize.storable(str(path.absolute()))
    reports: list[CaptureReport] = []
    with foreign_databases.open_tables(path) as tables:
        source = replace(request.source, tables=tables, session=request.session_id)
        reader = detect_database(source)
        told = filter(request.asks_for, _told(reader, source))
        for transcript in ignore_rules.each_wanted(
            config, told, cwd=request.cwd, file=path, project=request.project
        ):
            redacted = _ready(config, replace(request, source=source), transcript, is_only=False)
            text = sources.pack(redacted.turns)
            original = Original(len(text), hashlib.sha256(text).hexdigest(), where)
            try:
                reports.append(store(open_db(), config, request, original, [redacted]))
            except spool.UNWILLING:
                reports.append(_into_spool(config, request, original, [redacted]))
    if not reports:
        raise NothingInIt(_said_nothing(reader, source))
    return _joined(reports)


def _joined(reports: list[CaptureReport]) -> CaptureReport:
    """One report of many; a part of it that waits in the spool is said first."""
    states = {report.state for report in reports}
    state = next(name for name in ("spooled", "captured", "unchanged") if name in states)
    items = tuple(item for report in reports for item in report.items)
    return CaptureReport(
        state, items, next((report.spool_file for report in reports if report.spool_file), None)
    )


def store(
    db: Db, config: Config, request: Request, original: Original, transcripts: Iterable[Transcript]
) -> CaptureReport:
    """Write conversations that were read; the projects they belong to are found (and added) first."""
    transcripts, original = _never_purged(db, config, transcripts, original)
    placed = [(transcript, _place(db, request, transcript)) for transcript in transcripts]
    ignore_rules.refuse(
        config,
        named=(
            name
            for _, place in placed
            if place.project_id
            for name in all_names(db, place.project_id)
        ),
    )
    with db.write():
        items = tuple(
            _store_one(db, config, request, original, transcript, place)
            for transcript, place in placed
        )
    state = "unchanged" if all(item.outcome == "unchanged" for item in items) else "captured"
    return CaptureReport(state, items)


def _never_purged(
    db: Db, config: Config, told: Iterable[Transcript], original: Original
) -> tuple[list[Transcript], Original]:
    """Conversations, and what is known of their file, without what was purged. Raises RefusedByPolicy for a session that was."""
    given, gone = list(told), purge_filter.cuts(db, config)
    if gone is not None:
        given = [purge_filter.cut_out(transcript, gone) for transcript in given]
        original = replace(
            original,
            path=original.path and gone.text(original.path),
            raw=original.raw and _cut_raw(original.raw, gone),
        )
    for transcript in given:
        purge_filter.refuse(
            db, [purge_filter.session_mark(transcript.agent, transcript.session_id)]
        )
    return given, original


def _cut_raw(raw: bytes, gone: purge_filter.Cuts) -> bytes:
    return gone.text(raw.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")


def _refuse_ignored(db: Db, config: Config, known: list[Source]) -> None:
    """Do not even say of a session that it is there already, where it would be left out now."""
    for source in known:
        called = all_names(db, source.project_id) if source.project_id else ()
        ignore_rules.refuse(config, folders=(Path(source.cwd),) if source.cwd else (), named=called)


def retry_unread(db: Db, config: Config, source: Source) -> list[Transcript]:
    """Read again an original that gave no turn when it was captured. Raises UnknownFormat, NothingInIt."""
    raw = sources.raw_of(db, source.id)
    given = Input(data=raw) if raw is not None else Input(path=Path(source.path or ""))
    if raw is None and not Path(source.path or "").is_file():
        raise NothingInIt(f"{source.path} is gone")
    session = None if source.session_id.startswith(_UNREAD) else source.session_id
    request = Request(
        given,
        "retry",
        "maintain",
        agent=None if source.agent == "unknown" else source.agent,
        session_id=session,
    )
    return list(_read(config, request))


def fill_in(db: Db, config: Config, source: Source, transcripts: list[Transcript]) -> None:
    """Store what a retry could read after all."""
    request = Request(
        Input(data=b""),
        trigger="retry",
        actor="maintain",
        cwd=Path(source.cwd) if source.cwd else None,
    )
    store(
        db,
        config,
        request,
        Original(source.size_bytes, source.content_hash, source.path),
        transcripts,
    )


def transcript_of(db: Db, source: Source) -> Transcript:
    """A stored source as the transcript that it was captured from."""
    return Transcript(
        format=source.format,
        agent=source.agent,
        session_id=source.session_id,
        turns=tuple(sources.turns_of(db, source.id)),
        parent_session_id=source.parent_session_id,
        cwd=source.cwd,
        git_branch=source.git_branch,
        title=source.title,
        started_at=source.started_at,
        ended_at=source.ended_at,
        is_chat=source.is_chat,
        unknown=source.unknown,
    )


def _read(config: Config, request: Request) -> Iterable[Transcript]:
    """The conversations in the input that hold a turn (a title is none), redacted. Raises UnknownFormat, NothingInIt."""
    reader = detect(request.source, request.agent)
    found = list(filter(request.asks_for, _told(reader, request.source)))
    if not found:
        raise NothingInIt(_said_nothing(reader, request.source))
    wanted = ignore_rules.wanted(
        config, found, cwd=request.cwd, file=request.source.path, project=request.project
    )
    return (_ready(config, request, transcript, is_only=len(found) == 1) for transcript in wanted)


def _told(reader: Reader, source: Input) -> Iterator[Transcript]:
    return (
        transcript
        for transcript in reader.read(source)
        if any(turn.kind != "title" for turn in transcript.turns)
    )


def _said_nothing(reader: Reader, source: Input) -> str:
    seen = ", ".join(f"{count} x {what}" for what, count in source.unknown.most_common(5))
    return f"recognised as {reader.name}, but it holds no turn" + (
        f" (passed over: {seen})" if seen else ""
    )


def _ready(
    config: Config, request: Request, transcript: Transcript, *, is_only: bool
) -> Transcript:
    """A conversation as it may be stored: under an agent and an id, without secrets."""
    agent = request.agent if request.agent and not transcript.is_chat else transcript.agent
    session = (
        transcript.session_id
        or (request.session_id if is_only else None)
        or _stand_in(request, transcript)
    )
    # Only what a remote is known by goes on from here: a URL may hold a password.
    remote = normalise_remote(transcript.remote) if transcript.remote else None
    return sanitize.cleansed(replace(transcript, agent=agent, session_id=session, remote=remote))


def _stand_in(request: Request, transcript: Transcript) -> str:
    """An id for a conversation without one: its file, else its opening words."""
    if request.source.path is not None:
        return f"path:{request.source.path.absolute()}"
    return "text:" + sources.turns_hash(transcript.turns[:2])[:20]


def _weigh(source: Input) -> Original:
    """Size and SHA-256 of the input. Raises UsageError for what is no readable file."""
    if source.path is None:
        data = source.data or b""
        if not data.strip():
            raise NothingInIt("nothing was piped in")
        return Original(len(data), hashlib.sha256(data).hexdigest(), None)
    total, size = hashlib.sha256(), 0
    try:
        for part in readers.parts_of(source.path):
            with open(part, "rb") as stream:
                while chunk := stream.read(_CHUNK):
                    total.update(chunk)
                    size += len(chunk)
    except OSError as error:
        raise UsageError(f"cannot read {source.path}: {error.strerror}") from error
    if not size:
        raise NothingInIt(f"{source.path} is empty")
    return Original(size, total.hexdigest(), sanitize.storable(str(source.path.absolute())))


def _raw(source: Input, told: Iterable[Transcript] = ()) -> bytes | None:
    return (
        None
        if (text := sanitize.original(source.text(), told)) is None
        else text.encode("utf-8", "surrogatepass")
    )


def _place(db: Db, request: Request, transcript: Transcript) -> Place:
    """Where a conversation was held: the project it was asked into, its own folder, else the caller's known project."""
    if request.project is not None:
        return projects.place(db, None, project=request.project)
    # A folder that is not absolute here was another machine's; it must not be looked for below our own.
    if transcript.cwd and Path(transcript.cwd).is_absolute():
        return projects.register(db, Path(transcript.cwd), remote=transcript.remote)
    return projects.place(db, request.cwd)


def _store_one(
    db: Db,
    config: Config,
    request: Request,
    original: Original,
    transcript: Transcript,
    place: Place,
) -> Captured:
    told = [
        source
        for source in sources.of_session(db, transcript.agent, transcript.session_id)
        if source.turn_count
    ]
    fresh = _as_source(request, original, transcript, place)
    if not told:
        return _add(db, config, request, original, transcript, fresh, outcome="captured")
    # Two files may tell one session differently, and each grow: every version is looked at, the newest first.
    for earlier in told:
        done = earlier.turn_count
        if (
            len(transcript.turns) > done
            and sources.turns_hash(transcript.turns[:done]) == earlier.turns_hash
        ):
            return _grow(
                db, config, request, original, transcript, replace(fresh, id=earlier.id), done
            )
        if len(transcript.turns) <= done and _is_prefix(
            transcript.turns, sources.turns_of(db, earlier.id)
        ):
            return _captured("unchanged", earlier, None, transcript, 0, names(db))
    return _add(
        db,
        config,
        request,
        original,
        transcript,
        replace(fresh, previous_id=told[0].id),
        outcome="rewritten",
    )


def _add(
    db: Db,
    config: Config,
    request: Request,
    original: Original,
    transcript: Transcript,
    source: Source,
    *,
    outcome: str,
) -> Captured:
    sources.insert(db, source, original.raw)
    sources.add_turns(db, source.id, transcript.turns, source.observed_at)
    event = _enqueue(db, config, request, source, {"turns": source.turn_count, "outcome": outcome})
    return _captured(outcome, source, event, transcript, source.turn_count, names(db))


def _grow(
    db: Db,
    config: Config,
    request: Request,
    original: Original,
    transcript: Transcript,
    source: Source,
    done: int,
) -> Captured:
    added = transcript.turns[done:]
    sources.add_turns(db, source.id, added, source.updated_at)
    sources.grow(db, source, original.raw)
    event = _enqueue(db, config, request, source, {"turns": len(added), "outcome": "grown"})
    return _captured("grown", source, event, transcript, len(added), names(db))


def _enqueue(
    db: Db, config: Config, request: Request, source: Source, outcome: dict[str, Any]
) -> str:
    """Log the capture; it waits for extraction unless an earlier capture of the same source still does."""
    now, waiting = clock.now(), queue.waiting(db, source.id)
    due = (
        timestamps.add_seconds(now, seconds=config["capture.debounce_seconds"])
        if config["capture.debounce_seconds"]
        else now
    )
    state = "done" if waiting else "queued"
    joined = {"joined": waiting.id} if waiting else {}
    if waiting:
        queue.postpone(db, waiting, due, now)
    job = Job(
        clock.new_id(),
        request.trigger,
        request.actor,
        state,
        0,
        due,
        now,
        now,
        source_id=source.id,
        outcome={**outcome, **joined},
    )
    queue.add(db, job)
    return job.id


def _as_source(
    request: Request, original: Original, transcript: Transcript, place: Place
) -> Source:
    now = clock.now()
    return Source(
        id=clock.new_id(),
        kind=_source_kind(transcript),
        format=transcript.format,
        agent=transcript.agent,
        session_id=transcript.session_id,
        size_bytes=original.size_bytes,
        content_hash=original.content_hash,
        turn_count=len(transcript.turns),
        turns_hash=sources.turns_hash(transcript.turns),
        trust=_channel_trust(transcript),
        observed_at=now,
        updated_at=now,
        parent_session_id=transcript.parent_session_id,
        path=original.path,
        title=transcript.title,
        cwd=transcript.cwd,
        git_branch=transcript.git_branch,
        project_id=place.project_id,
        repo_id=place.repo_id,
        is_chat=transcript.is_chat,
        unknown=transcript.unknown,
        started_at=transcript.started_at,
        ended_at=transcript.ended_at,
    )


def _source_kind(transcript: Transcript) -> SourceKind:
    if transcript.format in COPIES:
        return "import"
    return (
        "document"
        if transcript.agent == NOTES or transcript.format.startswith(MEMORIES)
        else "conversation"
    )


def _channel_trust(transcript: Transcript) -> int:
    """In an agent's session the human is the operator; in a chat or a document it may be anybody."""
    is_conversation = not transcript.is_chat and _source_kind(transcript) == "conversation"
    return OPERATOR_SAID if is_conversation else AGENT_CLAIMED


def _is_prefix(shorter: tuple[Turn, ...], longer: list[Turn]) -> bool:
    return len(shorter) <= len(longer) and sources.turns_hash(shorter) == sources.turns_hash(
        longer[: len(shorter)]
    )


def _captured(
    outcome: str,
    source: Source,
    event: str | None,
    transcript: Transcript,
    new: int,
    projects_: dict[str, str],
) -> Captured:
    humans = sum(turn.role == "human" for turn in transcript.turns)
    project = projects_.get(source.project_id or "")
    return Captured(
        outcome,
        source.id,
        event,
        source.agent,
        source.session_id,
        source.format,
        project,
        len(transcript.turns),
        new,
        humans,
        dict(transcript.unknown),
        sanitize.removed(transcript.turns[len(transcript.turns) - new :]) if new else {},
    )


def _unchanged(db: Db, source: Source) -> Captured:
    return _captured("unchanged", source, None, transcript_of(db, source), 0, names(db))


def _into_spool(
    config: Config, request: Request, original: Original, transcripts: list[Transcript]
) -> CaptureReport:
    payload = {
        "trigger": request.trigger,
        "actor": request.actor,
        "cwd": sanitize.storable(str(request.cwd)) if request.cwd else None,
        "project": request.project,
        "size_bytes": original.size_bytes,
        "content_hash": original.content_hash,
        "path": original.path,
        "transcripts": [_packed(transcript) for transcript in transcripts],
    }
    return CaptureReport("spooled", spool_file=str(spool.write(config, "capture", payload)))


def _read_or_spool(config: Config, request: Request) -> list[Transcript]:
    """The conversations in the input; piped text that cannot be read waits in the spool. Raises UnknownFormat, NothingInIt."""
    try:
        return list(_read(config, request))
    except (UnknownFormat, NothingInIt):
        _spool_text(config, request)
        raise


def _spool_text(config: Config, request: Request) -> None:
    """Keep piped text that exists nowhere else until the store can keep it; a file is where it is."""
    if request.source.path is None:
        given = {
            "trigger": request.trigger,
            "actor": request.actor,
            "agent": request.agent,
            "session_id": request.session_id,
        }
        spool.write(
            config, "capture", {**given, "text": sanitize.original(request.source.text()) or ""}
        )


def _packed(transcript: Transcript) -> dict[str, Any]:
    head = asdict(replace(transcript, turns=()))
    return {**head, "turns": base64.b64encode(sources.pack(transcript.turns)).decode()}


def _keep_for_retry(db: Db, request: Request, original: Original, error: Exception) -> None:
    """Keep an original that could not be read: piped text itself, a file by its name. The same one is kept once."""
    if sources.by_hash(db, original.content_hash):
        return
    piped = request.source.path is None
    if isinstance(error, UnknownFormat) and not piped:
        return
    now, cwd = clock.now(), str(request.cwd) if request.cwd else None
    source = Source(
        id=clock.new_id(),
        kind="conversation",
        format="unknown",
        agent=sanitize.storable(request.agent or "unknown"),
        session_id=sanitize.storable(request.session_id or _UNREAD + original.content_hash[:20]),
        size_bytes=original.size_bytes,
        content_hash=original.content_hash,
        turn_count=0,
        turns_hash=sources.turns_hash(()),
        trust=AGENT_CLAIMED,
        observed_at=now,
        updated_at=now,
        path=original.path,
        cwd=cwd and sanitize.storable(cwd),
    )
    due = timestamps.add_seconds(now, seconds=queue.FIRST_RETRY_SECONDS)
    with db.write():
        sources.insert(db, source, _raw(request.source) if piped else None)
        said = sanitize.storable(str(error))
        job = Job(
            clock.new_id(),
            request.trigger,
            request.actor,
            "failed",
            1,
            due,
            now,
            now,
            source_id=source.id,
            error=said,
        )
        queue.add(db, job)
