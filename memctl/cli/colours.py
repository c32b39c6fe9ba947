"""Colour by meaning, for a person at a terminal: ids, headings, what waits, what went wrong.

Text is painted when it is whole and harmless, so that no module that writes it knows of colours and
a pipe gets the same words. rich would cost each answer four bare starts of the interpreter.
"""

from __future__ import annotations

import re

from memctl.core.typing_lite import TextIO
from memctl.settings import config

_PLAIN = "\x1b[0m"
_BOLD = "\x1b[1m"
_DIM = "\x1b[2m"
_RED = "\x1b[31m"
_GREEN = "\x1b[32m"
_YELLOW = "\x1b[33m"
_CYAN = "\x1b[36m"
# What is painted, by the first that fits at a place.
_MEANINGS: tuple[tuple[str, str, str], ...] = (
    ("heading", r"^(?:#+ .*|[A-Z][^:\n]{0,60}:)$", _BOLD),
    ("bad", r"^\s*(?:problem|failed|refused|error|Warning)\b.*$|\(contradicted\)", _RED),
    ("waits", r"^\s*(?:note|newer)\b(?=:| )|\((?:inbox|waiting)\)|^inbox(?=  )", _YELLOW),
    ("good", r"^\s*(?:created|approved|confirmed|merged|ok|edited|captured)(?=  | ?:|$)", _GREEN),
    ("gone", r"\((?:superseded|archived)\)", _DIM),
    ("id", r"\b01[0-9A-HJKMNP-TV-Z]{8,24}\b", _CYAN),
)
_PATTERN = "|".join(f"(?P<{name}>{pattern})" for name, pattern, _ in _MEANINGS)
_COLOURS = {name: colour for name, _, colour in _MEANINGS}


def has_colours(stream: TextIO | None) -> bool:
    """Whether a stream shows colours: a terminal, unless NO_COLOR or TERM=dumb says otherwise."""
    environment = config.get_environment()
    return (
        stream is not None
        and stream.isatty()
        and not environment.get("NO_COLOR")
        and environment.get("TERM") != "dumb"
    )


def make_bold(text: str, stream: TextIO | None) -> str:
    """Return a text in bold where the stream shows it."""
    return f"{_BOLD}{text}{_PLAIN}" if has_colours(stream) else text


def paint(text: str) -> str:
    """Return lines of text with colours by meaning; without them the text is the same."""
    return re.sub(_PATTERN, _paint_match, text, flags=re.MULTILINE)


def _paint_match(match: re.Match[str]) -> str:
    return f"{_COLOURS[match.lastgroup or '']}{match[0]}{_PLAIN}"
