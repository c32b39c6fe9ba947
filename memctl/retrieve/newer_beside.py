"""What a context says of records that a newer one may replace: a remark with the newer one's id and
day, and the newer one beside it where there is room. No rank is changed by it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from memctl.core import timestamps
from memctl.core.model import Memory
from memctl.records.record_source import RecordSource
from memctl.results.retrieval import ContextMark
from memctl.retrieve.context_choice import ContextChoice

# The newer records of some records by their ids, each with how near the two are (0..1).
Newer = Mapping[str, tuple[Memory, float]]


def format_remark(newer: Memory, short: str) -> str:
    """What is said of a record that a newer one may replace."""
    return f"newer: [{short}] {timestamps.to_local_day(newer.observed_at)}, may replace this"


def choose_beside(
    choices: Sequence[ContextChoice], newer: Newer, known: Container[str], *, is_prompt: bool
) -> Iterator[ContextChoice]:
    """The newer records to be said beside those that they may replace, each once.

    Those that are said anyway are none of them, nor what the reader knows already: records in
    `known`, and at a prompt what every context begins with.
    """
    said = {choice.memory.id for choice in choices}
    for choice in choices:
        memory, _ = newer.get(choice.memory.id, (None, 0.0))
        if memory is None or memory.id in said or memory.id in known:
            continue
        if is_prompt and memory.always_load:
            continue
        said.add(memory.id)
        yield ContextChoice(
            choice.section,
            memory,
            why="a newer record that may replace the one before it",
            beside=choice.memory.id,
        )


def list_marks(
    source: RecordSource, choices: Sequence[ContextChoice], newer: Newer, said: Container[str]
) -> Iterator[ContextMark]:
    """Every remark that a context made on a record, with what speaks for it."""
    told = [choice.memory for choice in choices if choice.memory.id in said]
    pairs = [(memory, *newer[memory.id]) for memory in told if memory.id in newer]
    shorts = source.find_short_ids({each.id for old, new, _ in pairs for each in (old, new)})
    for memory, other, nearness in pairs:
        yield ContextMark(
            memory.id,
            shorts[memory.id],
            memory.title or memory.summary,
            other.id,
            shorts[other.id],
            other.observed_at,
            round(nearness, 2),
            other.id in said,
        )
