"""Read the conversations in an input and make them fit to be stored.

The order matters: the ignore rules come before redaction, because they look at paths as they are;
private blocks and secrets are gone before anything is written anywhere, the spool included.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from memctl import readers
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.core.errors import NothingInIt, UsageError
from memctl.core.frozen import replace
from memctl.core.model import OWN_QUESTION, Transcript
from memctl.core.regular_files import WHOLE_BYTES, open_regular_file
from memctl.readers.base import Input, Reader
from memctl.readers.detect import detect_reader
from memctl.records import ignore_rules
from memctl.redact import sanitize
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.settings.project_folder import normalise_remote
from memctl.store import sources

_CHUNK_BYTES = 1 << 20
# How many kinds of unknown entries an empty input's message names.
_MAX_NAMED = 5
# How much of the hash of its opening words identifies a conversation without an id.
_ID_HASH_LENGTH = 20


def read_transcripts(config: Config, request: CaptureRequest) -> Iterator[Transcript]:
    """Read the conversations in the input: not ignored, without private blocks and secrets.

    Raises UnknownFormat; NothingInIt, also where an ignore rule leaves nothing.
    """
    reader = detect_reader(request.source, request.agent, takes_notes=request.takes_notes)
    found = list(filter(request.asks_for, iterate_nonempty(reader, request.source)))
    if not found:
        raise NothingInIt(describe_empty_input(reader, request.source))
    wanted = ignore_rules.list_not_ignored(
        config, found, cwd=request.cwd, file=request.source.path, project=request.project
    )
    return (
        prepare_transcript(config, request, transcript, is_only=len(found) == 1)
        for transcript in wanted
    )


def iterate_nonempty(reader: Reader, source: Input) -> Iterator[Transcript]:
    """Yield conversations with at least one turn besides a title, none of them our own."""
    for transcript in reader.read(source):
        if _is_own_question(transcript):
            source.unknown["question of memctl to a model"] += 1
        elif any(turn.kind != "title" for turn in transcript.turns):
            yield transcript


def _is_own_question(transcript: Transcript) -> bool:
    """Whether this is what an agent kept of a question that `maintain` asked it."""
    said = next((turn for turn in transcript.turns if turn.role == "human"), None)
    return said is not None and said.text.lstrip().startswith(OWN_QUESTION)


def describe_empty_input(reader: Reader, source: Input) -> str:
    """Say what was recognised and passed over in an input without a single turn."""
    passed_over = ", ".join(
        f"{count} x {what}" for what, count in source.unknown.most_common(_MAX_NAMED)
    )
    message = f"recognised as {reader.name}, but it holds no turn"
    return f"{message} (passed over: {passed_over})" if passed_over else message


def prepare_transcript(
    config: Config, request: CaptureRequest, transcript: Transcript, *, is_only: bool
) -> Transcript:
    """Name the agent and the session, and remove private blocks and secrets.

    The session id of the request counts only for the only conversation of an input.
    """
    agent = transcript.agent
    if request.agent and not transcript.is_chat:
        agent = request.agent
    session_id = transcript.session_id
    if not session_id and is_only:
        session_id = request.session_id or ""
    # Only what a remote is known by goes on from here: a URL may hold a password.
    remote = normalise_remote(transcript.remote) if transcript.remote else None
    named = replace(
        transcript,
        agent=agent,
        session_id=session_id or _derive_session_id(request, transcript),
        remote=remote,
    )
    return sanitize.sanitize_transcript(named, make_redactor(config))


def _derive_session_id(request: CaptureRequest, transcript: Transcript) -> str:
    """An id for a conversation without one: its file, else its opening words."""
    path = request.known_as or request.source.path
    if path is not None:
        return f"path:{path.absolute()}"
    return "text:" + sources.compute_turns_hash(transcript.turns[:2])[:_ID_HASH_LENGTH]


def read_original(config: Config, source: Input, known_as: Path | None = None) -> OriginalFile:
    """Compute size and hash of the input. Raises UsageError, NothingInIt for an empty one."""
    if source.path is None:
        data = source.data or b""
        if not data.strip():
            raise NothingInIt("nothing was piped in")
        return OriginalFile(len(data), hashlib.sha256(data).hexdigest(), None)
    # A database of sessions has any size; of a file of text, all is read.
    most = None if source.is_database() else WHOLE_BYTES
    digest = hashlib.sha256()
    size = 0
    try:
        for part in readers.list_session_files(source.path):
            with open_regular_file(part, most=most) as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    digest.update(chunk)
                    size += len(chunk)
    except OSError as error:
        raise UsageError(f"cannot read {source.path}: {error.strerror}") from error
    if not size:
        raise NothingInIt(f"{source.path} is empty")
    called = (known_as or source.path).absolute()
    path = sanitize.sanitize_text(str(called), make_redactor(config))
    return OriginalFile(size, digest.hexdigest(), path)


def redact_original(
    config: Config, source: Input, transcripts: Iterable[Transcript] = ()
) -> bytes | None:
    """The original without secrets, for `capture.keep_raw`; None if it cannot be redacted."""
    text = sanitize.sanitize_original(source.read_text(), make_redactor(config), transcripts)
    return None if text is None else text.encode("utf-8", "surrogatepass")
