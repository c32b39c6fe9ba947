"""What is to be captured, on whose behalf, and what is known of the original bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.core.model import Transcript
from memctl.readers.base import Input


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """What to capture and on whose behalf.

    `project` says where the conversations belong, whatever they say; `cwd` (absolute) only where
    they do not. `scope` is that of everything they give rise to, if one is asked for.
    """

    source: Input
    trigger: str
    actor: str
    agent: str | None = None
    session_id: str | None = None
    cwd: Path | None = None
    project: str | None = None
    scope: str | None = None
    # Whether input without a single turn is kept, to be read again later.
    keeps_unread: bool = True
    # Selects conversations in the input; None: all of them.
    asks_for: Callable[[Transcript], bool] | None = None
    # Whether text that no reader knows is taken as a person's notes.
    takes_notes: bool = False
    # What the input is called if it is read from elsewhere, as a file in an archive is.
    known_as: Path | None = None


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """What is known of the bytes that were captured; `raw` only with `capture.keep_raw`.

    `content_hash` is a SHA-256 in hexadecimal; `path` is None for piped text.
    """

    size_bytes: int
    content_hash: str
    path: str | None
    raw: bytes | None = None
