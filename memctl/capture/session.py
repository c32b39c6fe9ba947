"""Capture conversations: each becomes a source with normalised, redacted turns, and a job.

The way of a conversation, step by step:

1. read: the reader of its format turns it into a transcript       (read_transcripts)
2. ignore rules: what the operator wants left out is refused       (read_transcripts)
3. private blocks and secrets are removed                          (read_transcripts)
4. purge filter: what was purged does not come back                (store_transcripts)
5. novelty: only turns that are not stored yet go on               (store_transcripts)
6. store: source, turns and job in one transaction                 (store_transcripts)
   or spool, while the store cannot take it                        (spool_capture)

Guarantees: nothing is extracted now; input that holds no turn is kept and read again later
(unread_originals); no transaction is open while a file is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress

from memctl.capture.read_transcripts import (
    describe_empty_input,
    iterate_nonempty,
    prepare_transcript,
    read_original,
    read_transcripts,
    redact_original,
)
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.capture.settle_place import settle_known
from memctl.capture.spool_capture import spool_transcripts, spool_unread_text
from memctl.capture.store_transcripts import report_unchanged, store_transcripts
from memctl.capture.undated import date_by_file
from memctl.capture.unread_originals import keep_unread
from memctl.capture.zipped import is_zip, unpack_conversations
from memctl.core.errors import NoStore, NothingInIt, UnknownFormat
from memctl.core.frozen import replace
from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.detect import detect_database_reader
from memctl.records import ignore_rules, purge_filter
from memctl.redact import sanitize
from memctl.redact.redactor import make_redactor
from memctl.results.captures import CaptureReport
from memctl.settings.config import Config
from memctl.store import sources, spool
from memctl.store.database import Database

OpenDatabase = Callable[[], Database]
# What makes a capture wait in the spool; where no person has created a store, it waits for one.
_CANNOT_TAKE = (*spool.STORE_UNAVAILABLE, NoStore)


def capture(open_db: OpenDatabase, config: Config, request: CaptureRequest) -> CaptureReport:
    """Capture the conversations of an input; `spooled` where the store cannot take them now.

    Raises UsageError, UnknownFormat, NothingInIt, RefusedByPolicy.
    """
    ignore_rules.refuse_ignored(config, files=(request.source.path,), named=(request.project,))
    if request.source.is_database():
        return _capture_database(open_db, config, request)
    if is_zip(request.source.path):
        return _capture_zip(open_db, config, request)
    original = read_original(config, request.source, request.known_as)
    try:
        db = open_db()
        unchanged = _find_unchanged(db, config, request, original)
    except _CANNOT_TAKE:
        return _spool_input(config, request, original)
    if unchanged is not None:
        return unchanged
    transcripts = _read_or_keep(db, config, request, original)
    if config["capture.keep_raw"]:
        raw = redact_original(config, request.source, transcripts)
        original = replace(original, raw=raw)
    return _store_or_spool(open_db, config, request, original, transcripts)


def _find_unchanged(
    db: Database, config: Config, request: CaptureRequest, original: OriginalFile
) -> CaptureReport | None:
    """A report of an original whose very bytes are stored already, or None.

    One of unknown place gets what the request says of it. Raises RefusedByPolicy for one that was
    purged.
    """
    purge_filter.refuse_purged(db, [purge_filter.compute_original_mark(original.content_hash)])
    known = sources.list_by_hash(db, original.content_hash)
    if not known or not all(source.turn_count for source in known):
        return None
    report = report_unchanged(db, config, known)
    if not settle_known(db, config, request, known):
        return report
    return report_unchanged(db, config, sources.list_by_hash(db, original.content_hash))


def _read_or_keep(
    db: Database, config: Config, request: CaptureRequest, original: OriginalFile
) -> list[Transcript]:
    """The conversations in the input; input without a turn is kept for a retry, or in the spool.

    Raises UnknownFormat, NothingInIt.
    """
    try:
        return list(read_transcripts(config, request))
    except (UnknownFormat, NothingInIt) as error:
        try:
            if request.keeps_unread:
                keep_unread(db, config, request, original, error)
        except _CANNOT_TAKE:
            spool_unread_text(config, request)
        raise


def _store_or_spool(
    open_db: OpenDatabase,
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcripts: list[Transcript],
) -> CaptureReport:
    transcripts = [date_by_file(each, request.source.path) for each in transcripts]
    try:
        return store_transcripts(open_db(), config, request, original, transcripts)
    except _CANNOT_TAKE:
        return spool_transcripts(config, request, original, transcripts)


def _spool_input(config: Config, request: CaptureRequest, original: OriginalFile) -> CaptureReport:
    """Leave an input in the spool, read if possible. Raises UnknownFormat, NothingInIt."""
    try:
        transcripts = list(read_transcripts(config, request))
    except (UnknownFormat, NothingInIt):
        spool_unread_text(config, request)
        raise
    transcripts = [date_by_file(each, request.source.path) for each in transcripts]
    return spool_transcripts(config, request, original, transcripts)


def _capture_database(
    open_db: OpenDatabase, config: Config, request: CaptureRequest
) -> CaptureReport:
    """Capture the sessions of another tool's database, each in a transaction of its own.

    Raises NothingInIt where none holds a turn.
    """
    from memctl.store import foreign_databases

    path = request.source.path
    assert path is not None
    stored_path = sanitize.sanitize_text(str(path.absolute()), make_redactor(config))
    reports: list[CaptureReport] = []
    with foreign_databases.open_tables(path) as tables:
        source = replace(request.source, tables=tables, session=request.session_id)
        request = replace(request, source=source)
        reader = detect_database_reader(source)
        found = filter(request.asks_for, iterate_nonempty(reader, source))
        for transcript in ignore_rules.iterate_not_ignored(
            config, found, cwd=request.cwd, file=path, project=request.project
        ):
            prepared = prepare_transcript(config, request, transcript, is_only=False)
            text = sources.pack_turns(prepared.turns)
            original = OriginalFile(len(text), hashlib.sha256(text).hexdigest(), stored_path)
            reports.append(_store_or_spool(open_db, config, request, original, [prepared]))
    if not reports:
        raise NothingInIt(describe_empty_input(reader, source))
    return _join_reports(reports)


def _capture_zip(open_db: OpenDatabase, config: Config, request: CaptureRequest) -> CaptureReport:
    """Capture the conversations in an archive; its other files are passed over.

    Raises UnknownFormat where it holds none.
    """
    path = request.source.path
    assert path is not None
    reports: list[CaptureReport] = []
    with unpack_conversations(path) as files:
        for file, called in files:
            member = replace(
                request,
                source=Input(path=file),
                known_as=called,
                keeps_unread=False,
                session_id=None,
            )
            with suppress(UnknownFormat, NothingInIt):
                reports.append(capture(open_db, config, member))
    if not reports:
        raise UnknownFormat(
            f"{path.name} is an archive, and nothing in it is a conversation of a known format",
            hint="unpack it and give the file that holds the conversation",
        )
    return _join_reports(reports)


def _join_reports(reports: list[CaptureReport]) -> CaptureReport:
    """One report of many; that a part of it waits in the spool comes first."""
    states = {report.state for report in reports}
    state = next(name for name in ("spooled", "captured", "unchanged") if name in states)
    items = tuple(item for report in reports for item in report.items)
    spool_files = (report.spool_file for report in reports if report.spool_file)
    return CaptureReport(state, items, next(spool_files, None))
