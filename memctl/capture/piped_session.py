"""What was piped into a capture: a hook's JSON that names a transcript, or a transcript itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memctl.agents import hook_contracts
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.readers.base import Input, parse_json

# Keys that only the JSON of a hook has.
_HOOK_KEYS = {"transcript_path", "transcriptPath", "hook_event_name"}
_SESSION_KEYS = {"session_id", "sessionId"}
# Keys of transcripts that are one JSON object and may name their session too.
_TRANSCRIPT_KEYS = {"messages", "history", "turns"}


@dataclass(frozen=True, slots=True)
class PipedSession:
    """The transcript to capture, and what is known about its session."""

    source: Input
    agent: str | None
    session_id: str | None
    cwd: Path | None


def find_piped_session(
    raw: bytes,
    environ: Mapping[str, str],
    *,
    agent: str | None,
    session_id: str | None,
    cwd: Path | None,
) -> PipedSession:
    """Find the transcript that a hook's JSON names; anything else is a transcript itself.

    What the caller says about the session has precedence over the JSON. Raises UsageError where the
    named transcript does not exist.
    """
    payload = parse_json(raw)
    if not isinstance(payload, dict) or not is_hook_payload(payload):
        return PipedSession(Input(data=raw), agent, session_id, cwd)
    contract = hook_contracts.find_agent(agent) if agent else None
    contract = contract or hook_contracts.CLAUDE_CODE
    call = hook_contracts.read_call(contract, str(payload.get("hook_event_name") or ""), payload)
    transcript = hook_contracts.locate_transcript(contract, call, environ)
    if transcript is None:
        named = call.transcript or call.session_id
        raise UsageError(f"the transcript is not there: {named}")
    folder = cwd or (Path(call.cwd) if call.cwd else None)
    return PipedSession(Input(path=transcript), agent, session_id or call.session_id, folder)


def is_hook_payload(payload: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a hook's call rather than a transcript of one object."""
    keys = set(payload)
    if keys & _HOOK_KEYS:
        return True
    return bool(keys & _SESSION_KEYS) and not keys & _TRANSCRIPT_KEYS
