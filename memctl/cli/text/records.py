"""Records, lists of them and changes to them as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.cli_results import ReviewReport
from memctl.cli.text.formatting import flatten, indent_lines
from memctl.cli.text.record_parts import (
    format_heading,
    format_proposal,
    format_quote,
    format_short_ids,
    render_facts,
    render_former,
    render_links,
)
from memctl.results.records import ChangeReport, IngestReport, Page, RecordView


def render_record(view: RecordView) -> Iterator[str]:
    """One record whole."""
    memory = view.memory
    yield format_heading(view)
    yield from indent_lines(memory.content)
    if flatten(memory.summary) not in ("", flatten(memory.content), flatten(memory.title)):
        yield f"  summary: {flatten(memory.summary)}"
    if memory.rationale:
        yield f"  because: {flatten(memory.rationale)}"
    yield from (f"  instead of: {flatten(other)}" for other in memory.alternatives)
    yield from render_facts(view)
    yield from render_former(view)
    yield from (f"  evidence: {format_quote(evidence)}" for evidence in view.evidence)
    yield from render_links(view, {})


def render_page(data: Page) -> Iterator[str]:
    """A list; candidates come with what they rest on."""
    for view in data.items:
        yield format_heading(view)
        if view.memory.status == "inbox":
            yield from _render_candidate(view)
        elif flatten(view.memory.summary) not in ("", flatten(view.memory.title)):
            yield f"    {flatten(view.memory.summary)}"
    if not data.items and not data.proposals:
        yield "Nothing here." if not data.total else f"Nothing here; {data.total} in all."
    elif len(data.items) < data.total:
        yield f"{len(data.items)} of {data.total}; --all shows the rest."
    if data.proposals:
        yield "Proposals:"
        yield from (
            line
            for asked in data.proposals
            for line in (format_proposal(asked), f"    {flatten(asked.reason)}")
        )
    if any(view.memory.status == "inbox" for view in data.items):
        yield "Decide with memctl inbox --approve ID, --reject ID, --edit or --review."
    elif data.proposals:
        yield "Decide with memctl inbox --approve ID or --reject ID."


def _render_candidate(view: RecordView) -> Iterator[str]:
    memory = view.memory
    said = {flatten(memory.title), *(flatten(evidence.quote) for evidence in view.evidence)}
    if flatten(memory.content) not in said:
        yield f"    {flatten(memory.content)}"
    yield from (f"    {format_quote(evidence)}" for evidence in view.evidence)
    if memory.rationale and flatten(memory.rationale) not in said:
        yield f"    because: {flatten(memory.rationale)}"
    others = [each for each in view.contradicted_by if each not in view.replaces]
    doubts = f", replaces {format_short_ids(view, view.replaces)}" if view.replaces else ""
    doubts += f", contradicted by {format_short_ids(view, others)}" if others else ""
    yield f"    confidence {memory.confidence:.2f}{doubts}"


def render_ingest(data: IngestReport) -> Iterator[str]:
    """What was written."""
    for saved in data.items:
        yield f"{saved.outcome}  {format_heading(saved.record)}"
        if saved.note:
            yield f"    {flatten(saved.note)}"


def render_change(data: ChangeReport) -> Iterator[str]:
    """What was done to which record, and what was refused."""
    would = "would be " if data.dry_run else ""
    done = "archived" if data.verb == "accepted" else data.verb
    yield from (
        f"{would}{_choose_verb(done, view)}  {format_heading(view)}" for view in data.changed
    )
    yield from (f"{would}replaced  {format_heading(view)}" for view in data.replaced)
    for reason in dict.fromkeys(refusal.reason for refusal in data.refused):
        ids = " ".join(flatten(refusal.id) for refusal in data.refused if refusal.reason == reason)
        yield f"refused  {ids}: {flatten(reason)}"
    yield from (f"{would}{data.verb}  {format_proposal(asked)}" for asked in data.proposals)
    if not data.changed and not data.refused and not data.proposals:
        yield "Nothing to change."


def _choose_verb(verb: str, view: RecordView) -> str:
    """What was done to this one: a correction comes with the record that it replaces, or would replace."""
    if verb == "corrected" and view.memory.status == "superseded":
        return "replaced"
    return (
        "still in force"
        if verb == "proposed" and view.memory.status in ("active", "contradicted")
        else verb
    )


def render_review(data: ReviewReport) -> Iterator[str]:
    """What came of a review."""
    for report in data.items:
        yield from render_change(report)
    yield f"{data.kept} left in the inbox."
