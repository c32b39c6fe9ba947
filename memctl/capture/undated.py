"""The time of a conversation whose format tells none: when its file was last written.

It is as near as can be known to when the conversation ended, and days or years nearer than the day
on which it is captured.
"""

from __future__ import annotations

from pathlib import Path

from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.model import Transcript


def date_by_file(transcript: Transcript, path: Path | None) -> Transcript:
    """Return a conversation that tells no time with the time of its file as its period."""
    if path is None or transcript.started_at or transcript.ended_at:
        return transcript
    if any(turn.ts for turn in transcript.turns):
        return transcript
    try:
        written = path.stat().st_mtime
    except OSError:
        return transcript
    # A clock that went wrong dates nothing into the future.
    moment = timestamps.format_iso(min(written, timestamps.parse_iso(clock.now())))
    return replace(transcript, started_at=moment, ended_at=moment)
