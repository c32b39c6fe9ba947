"""Records, lists of them and changes to them as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.cli_results import ReviewReport
from memctl.cli.text.formatting import flatten, format_count, indent_lines
from memctl.cli.text.record_parts import (
    format_heading,
    format_proposal,
    format_quote,
    format_short_ids,
    format_tags,
    render_facts,
    render_former,
    render_links,
    render_other_sides,
    shorten_words,
)
from memctl.results.records import ChangeReport, IngestReport, Page, RecordView, TagList

# Characters of what a record says that another one contradicts.
_LONGEST_SIDE = 200


def render_record(view: RecordView) -> Iterator[str]:
    """Yield one record with everything that belongs to it."""
    memory = view.memory
    yield format_heading(view)
    yield from indent_lines(memory.content)
    summary = flatten(memory.summary)
    if summary not in ("", flatten(memory.content), flatten(memory.title)):
        yield f"  summary: {summary}"
    if memory.rationale:
        yield f"  because: {flatten(memory.rationale)}"
    yield from (f"  instead of: {flatten(other)}" for other in memory.alternatives)
    yield from render_facts(view)
    yield from render_former(view)
    yield from (f"  evidence: {format_quote(evidence)}" for evidence in view.evidence)
    yield from render_links(view, {})


def render_tags(data: TagList) -> Iterator[str]:
    """Yield each tag with the number of its records."""
    if not data.tags:
        yield "No tags yet. `memctl edit ID --tag TAG` files a record under one."
    for tag, count in data.tags.items():
        yield f"{format_tags([tag])}  {format_count(count, 'record')}"


def render_page(page: Page) -> Iterator[str]:
    """Yield a list of records, candidates with their quotes, then proposals."""
    for view in page.items:
        yield from _render_item(view)
    if not page.items and not page.proposals:
        yield "Nothing here." if not page.total else f"Nothing here; {page.total} in all."
    elif len(page.items) < page.total:
        yield f"{len(page.items)} of {page.total}; --all shows the rest."
    if page.proposals:
        yield "Proposals:"
    for proposal in page.proposals:
        yield from (format_proposal(proposal), f"    {flatten(proposal.reason)}")
    waiting = [view for view in page.items if view.memory.status == "inbox"]
    unknown = sum(view.place_unknown for view in waiting)
    if unknown:
        yield (
            f"{unknown} of unknown project: memctl inbox --approve ID --project NAME sets it, "
            "--scope global applies it everywhere."
        )
    if waiting:
        yield "Decide with memctl inbox --approve ID, --reject ID, --edit or --review."
    elif page.proposals:
        yield "Decide with memctl inbox --approve ID or --reject ID."


def _render_item(view: RecordView) -> Iterator[str]:
    yield format_heading(view)
    if view.memory.status == "inbox":
        yield from _render_candidate(view)
    elif flatten(view.memory.summary) not in ("", flatten(view.memory.title)):
        yield f"    {flatten(view.memory.summary)}"


def _render_candidate(view: RecordView) -> Iterator[str]:
    memory = view.memory
    printed = {flatten(memory.title), *(flatten(evidence.quote) for evidence in view.evidence)}
    if flatten(memory.content) not in printed:
        yield f"    {flatten(memory.content)}"
    yield from (f"    {format_quote(evidence)}" for evidence in view.evidence)
    if memory.rationale and flatten(memory.rationale) not in printed:
        yield f"    because: {flatten(memory.rationale)}"
    if memory.status_reason:
        yield f"    note: {flatten(memory.status_reason)}"
    yield from (f"    {line}" for line in render_other_sides(view))
    facts = [f"confidence {memory.confidence:.2f}"]
    if memory.always_load:
        facts.append("would begin every context")
    if view.replaces:
        facts.append(f"replaces {format_short_ids(view, view.replaces)}")
    contradicting = [each for each in view.contradicted_by if each not in view.replaces]
    if contradicting:
        facts.append(f"contradicted by {format_short_ids(view, contradicting)}")
    yield f"    {', '.join(facts)}"


def render_ingest(data: IngestReport) -> Iterator[str]:
    """Yield the records that were written."""
    for saved in data.items:
        yield f"{saved.outcome}  {format_heading(saved.record)}"
        if saved.note:
            yield f"    {flatten(saved.note)}"
    yield from (f"left out  {flatten(problem)}" for problem in data.problems)
    if data.spool_file:
        yield format_waiting(data.spool_file)


def format_waiting(spool_file: str) -> str:
    """Return that a write waits for its turn, and who stores it."""
    return f"Kept in the spool, because the store is busy; the next write stores it: {spool_file}"


def render_change(data: ChangeReport) -> Iterator[str]:
    """Yield what was done to which record, and what was refused."""
    would = "would be " if data.dry_run else ""
    # An accepted proposal archives the record; the proposal itself is listed below.
    done = "archived" if data.verb == "accepted" else data.verb
    for view in data.changed:
        yield f"{would}{_choose_verb(done, view)}  {format_heading(view)}"
        if data.verb == "approved":
            yield from _render_undecided(view)
    yield from (f"{would}replaced  {format_heading(view)}" for view in data.replaced)
    for reason in dict.fromkeys(refusal.reason for refusal in data.refused):
        ids = " ".join(flatten(refusal.id) for refusal in data.refused if refusal.reason == reason)
        yield f"refused  {ids}: {flatten(reason)}"
    for proposal in data.proposals:
        yield f"{would}{data.verb}  {format_proposal(proposal)}"
    if data.spool_file:
        yield format_waiting(data.spool_file)
    elif not data.changed and not data.refused and not data.proposals:
        yield "Nothing to change."


def _render_undecided(view: RecordView) -> Iterator[str]:
    """Yield what an approved record contradicts, and the command that decides between the two."""
    for each in view.contradicted_by:
        short = view.shorts.get(each, each)
        said = shorten_words(view.others.get(each, ""), _LONGEST_SIDE)
        yield f'    contradicts {short}: "{said}"'
        yield f"    decide with memctl resolve {view.short} {short} --keep ID, --both or --dismiss"


def _choose_verb(verb: str, view: RecordView) -> str:
    """Return the verb for one record: a correction also lists the record that it replaces."""
    status = view.memory.status
    if verb == "corrected" and status == "superseded":
        return "replaced"
    if verb == "proposed" and status in ("active", "contradicted"):
        return "still in force"
    return verb


def render_review(data: ReviewReport) -> Iterator[str]:
    """Yield what came of a review."""
    for report in data.items:
        yield from render_change(report)
    yield f"{data.kept} left to decide."
