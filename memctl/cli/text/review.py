"""A candidate with what helps to decide on it, as lines of text. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, indent_lines
from memctl.cli.text.record_parts import (
    format_heading,
    format_location,
    format_quote,
    render_other_sides,
)
from memctl.results.explanations import EvidenceCheck, MemoryExplanation, RetrievalExplanation
from memctl.results.records import RecordView


def render_candidate(
    view: RecordView,
    explained: MemoryExplanation | RetrievalExplanation,
    nearest: RecordView | None,
) -> Iterator[str]:
    """Yield a candidate, the quotes that support it, and the record that it resembles most."""
    memory = view.memory
    location = format_location(view)
    yield (
        f"{view.short}  {memory.type}/{memory.kind}  {location}  confidence {memory.confidence:.2f}"
    )
    checks = explained.evidence if isinstance(explained, MemoryExplanation) else ()
    if flatten(memory.content) not in {flatten(check.evidence.quote) for check in checks}:
        yield from indent_lines(memory.content)
    yield from map(_format_check, checks)
    if memory.rationale:
        yield f"  because: {flatten(memory.rationale)}"
    yield from (f"  {line}" for line in render_other_sides(view))
    yield from (f"  {line}" for line in render_nearest(view, nearest))


def render_nearest(view: RecordView, nearest: RecordView | None) -> Iterator[str]:
    """Yield the record that a candidate resembles, where the two differ, and where that holds."""
    if nearest is None or nearest.memory.id in view.others:
        return
    yield f"nearest: {format_heading(nearest)}"
    yield f"  {format_word_diff(nearest.memory.content, view.memory.content)}"
    if not nearest.memory.holds_where(view.memory):
        yield f"  it holds only in: {format_location(nearest)}"


def _format_check(check: EvidenceCheck) -> str:
    source, quote = check.source, format_quote(check.evidence)
    origin = (
        f"; {source.agent} session {source.session_id}, turn {check.evidence.turn}"
        if source
        else ""
    )
    state = "" if check.state in ("intact", "manual") else f"; evidence {check.state}"
    return f"  {quote}{origin}{state}"


def format_word_diff(old: str, new: str) -> str:
    """Return two texts as one line: `[-gone-]` and `{+new+}` words between those that stayed."""
    before, after = old.split(), new.split()
    pieces: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces += before[i1:i2]
            continue
        if i2 > i1:
            pieces.append(f"[-{' '.join(before[i1:i2])}-]")
        if j2 > j1:
            pieces.append(f"{{+{' '.join(after[j1:j2])}+}}")
    return " ".join(pieces)
