"""A process that ends in the middle of its work, as tests play it in their own."""

from __future__ import annotations

import pytest

from memctl.core import process_identity
from memctl.store import chunks


class Killed(BaseException):
    """The process ends here: nothing after it runs, and no handler of errors catches it."""


def play_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every claim from here on be that of a process that is gone."""
    identity = {**process_identity.describe_process(), "born": "before the kill"}
    monkeypatch.setattr(process_identity, "describe_process", lambda: identity)


def kill_between_chunks(monkeypatch: pytest.MonkeyPatch, after: int = 0) -> None:
    """Let the process end between two short transactions, `after` so many pauses."""
    left = after

    def pause() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    play_another_process(monkeypatch)
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(chunks, "pause_between_chunks", pause)
