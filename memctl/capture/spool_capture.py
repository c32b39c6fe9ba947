"""Leave a capture in the spool while the store cannot take it. `spool_intake` takes it in later."""

from __future__ import annotations

import base64

from memctl.capture.read_transcripts import redact_original
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.core.frozen import asdict, replace
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any
from memctl.redact import sanitize
from memctl.redact.redactor import make_redactor
from memctl.results.captures import CaptureReport
from memctl.settings.config import Config
from memctl.store import sources, spool


def spool_transcripts(
    config: Config,
    request: CaptureRequest,
    original: OriginalFile,
    transcripts: list[Transcript],
) -> CaptureReport:
    """Leave conversations that were read, and redacted, in the spool."""
    payload = {
        "trigger": request.trigger,
        "actor": request.actor,
        **_describe_place(config, request),
        "size_bytes": original.size_bytes,
        "content_hash": original.content_hash,
        "path": original.path,
        "transcripts": [_pack_transcript(transcript) for transcript in transcripts],
    }
    return CaptureReport("spooled", spool_file=str(spool.write_file(config, "capture", payload)))


def _describe_place(config: Config, request: CaptureRequest) -> dict[str, str | None]:
    """Where the request says that its conversations belong."""
    cwd = request.cwd and sanitize.sanitize_text(str(request.cwd), make_redactor(config))
    return {"cwd": cwd or None, "project": request.project, "scope": request.scope}


def _pack_transcript(transcript: Transcript) -> dict[str, Any]:
    """A conversation as JSON, its turns compressed. `spool_intake` unpacks it."""
    head = asdict(replace(transcript, turns=()))
    return {**head, "turns": base64.b64encode(sources.pack_turns(transcript.turns)).decode()}


def spool_unread_text(config: Config, request: CaptureRequest) -> None:
    """Leave piped text that could not be read in the spool: it exists nowhere else.

    A file is left where it is.
    """
    if request.source.path is not None:
        return
    raw = redact_original(config, request.source) or b""
    payload = {
        "trigger": request.trigger,
        "actor": request.actor,
        "agent": request.agent,
        "session_id": request.session_id,
        **_describe_place(config, request),
        "text": raw.decode("utf-8", "surrogatepass"),
    }
    spool.write_file(config, "capture", payload)
