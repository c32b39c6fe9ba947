"""What a correction says, without the words it corrects, which stand quoted behind it. Pure."""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later

# As `extract` puts it behind what a person said.
_CORRECTED = compile_later(r"\s*\(Corrects: “[^”]*”\)\s*$")


def drop_corrected_words(text: str) -> str:
    """A statement without what it quotes as wrong: no longer what it says, but what it denies."""
    return _CORRECTED.sub("", text)
