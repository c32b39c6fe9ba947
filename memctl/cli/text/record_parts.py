"""The parts of a record's text that several commands print: heading, trust, quotes, links. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_time
from memctl.core.model import OPERATOR_IMPLIED, TRUST_NAMES, Evidence
from memctl.results.records import Proposal, RecordView

# How the ranks of trust are said to a person.
TRUST_WORDS = {
    "operator_said": "you said it",
    "operator_implied": "you implied it",
    "tool_result": "a tool returned it",
    "agent_claimed": "an agent claimed it",
    "fetched_text": "fetched text",
}

_SHORT_ID_LENGTH = 10

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

_MAX_FORMER = 5

# What accepting a proposal would do.
_PROPOSAL_VERBS = {"archive": "archive", "mute": "mute the rule", "merge_entities": "make one of"}


def format_heading(view: RecordView) -> str:
    """One line that names a record."""
    memory = view.memory
    status = "" if memory.status == "active" else f"({memory.status})"
    title = f"{flatten(memory.title)}{format_change_count(view)}"
    return "  ".join(
        part
        for part in (
            view.short,
            f"{memory.type}/{flatten(memory.kind)}",
            format_location(view),
            status,
            title,
        )
        if part
    )


def format_change_count(view: RecordView) -> str:
    """How often what a record says was something else before, and since when: ` (changed 4 times since March 2026)`."""
    if not view.changes or not view.changed_since:
        return ""
    times = "once" if view.changes == 1 else f"{view.changes} times"
    return f" (changed {times} since {MONTHS[int(view.changed_since[5:7]) - 1]} {view.changed_since[:4]})"


def render_former(view: RecordView) -> Iterator[str]:
    """What a record took the place of, the nearest first; of a long chain the nearest and the first."""
    chain = (
        view.former
        if len(view.former) <= _MAX_FORMER
        else (*view.former[: _MAX_FORMER - 1], view.former[-1])
    )
    left = len(view.former) - len(chain)
    for place, before in enumerate(chain):
        if left and place == len(chain) - 1:
            yield f"  ... {left} more in between (memctl explain {view.short} --history)"
        why = f" ({flatten(before.reason)})" if before.reason else ""
        yield f"  until {before.until[:10]}: {before.short}  {flatten(before.title)}, from {before.since[:10]}{why}"


def format_location(view: RecordView) -> str:
    """The place that a record holds in: its project's name, else its scope."""
    memory = view.memory
    if memory.scope == "agent":
        return f"agent {flatten(memory.agent_id)}"
    return flatten(view.project) or memory.scope


def format_trust(rank: int) -> str:
    """A rank of trust in words."""
    return TRUST_WORDS.get(TRUST_NAMES.get(rank, ""), str(rank))


def format_quote(evidence: Evidence) -> str:
    """The words that a record rests on, and how far they are to be believed."""
    speaker = flatten(evidence.speaker)
    said = format_trust(evidence.trust) + (f", {speaker}" if speaker else "")
    if speaker and evidence.role == "human" and evidence.trust < OPERATOR_IMPLIED:
        said = f"{speaker} said it"
    return f'"{flatten(evidence.quote)}" ({said}, {evidence.observed_at[:10]})'


def render_links(view: RecordView, known: Mapping[str, RecordView]) -> Iterator[str]:
    """A record's relations; the other ends that are known are named by their titles."""
    for link in view.links:
        other, arrow = (
            (link.to_id, "->") if link.from_id == view.memory.id else (link.from_id, "<-")
        )
        settled = " (settled)" if link.resolved_at else ""
        reason = f" ({flatten(link.reason)})" if link.reason else ""
        yield f"  {link.relation} {arrow} {format_heading(known[other]) if other in known else other}{settled}{reason}"


def render_facts(view: RecordView) -> Iterator[str]:
    memory = view.memory
    marks = [
        word
        for word, on in (("always loaded", memory.always_load), ("protected", memory.protected))
        if on
    ]
    yield f"  {', '.join([f'confidence {memory.confidence:.2f}', format_trust(memory.trust), f'owner {memory.owner}', *marks])}"
    yield f"  id {memory.id}, observed {format_time(memory.observed_at)}, changed {format_time(memory.updated_at)}"
    if memory.valid_from or memory.valid_until:
        yield f"  valid from {format_time(memory.valid_from or 'ever')} until {format_time(memory.valid_until or 'further notice')}"
    if memory.status_reason:
        yield f"  {memory.status}: {flatten(memory.status_reason)}"
    yield from (f"  {flatten(sentence)}" for sentence in view.standing)
    if memory.subject:
        yield f"  subject: {flatten(memory.subject)}"
    if view.entities:
        yield f"  speaks of: {', '.join(f'{e.kind} {flatten(e.name)}' for e in view.entities)}"
    if view.superseded_by:
        over = (
            f" (over {format_short_ids(view, view.superseded_over)})"
            if view.superseded_over
            else ""
        )
        yield f"  superseded by: {format_short_ids(view, [view.superseded_by])}{over}"
    if view.replaces:
        yield f"  replaces, when approved: {format_short_ids(view, view.replaces)}"
    if view.contradicted_by:
        yield f"  contradicted by: {format_short_ids(view, view.contradicted_by)}"


def format_short_ids(view: RecordView, ids: Iterable[str]) -> str:
    """The short ids of other records that one names."""
    return ", ".join(view.shorts.get(each, each) for each in ids)


def format_proposal(asked: Proposal) -> str:
    """One line that says what is proposed."""
    names = " and ".join(flatten(str(name)) for name in asked.data.get("names", ()))
    about = (
        f"{asked.about[:_SHORT_ID_LENGTH]}  {flatten(asked.title)}"
        if asked.title
        else names or flatten(asked.about)
    )
    return f"{asked.short}  {_PROPOSAL_VERBS.get(asked.kind, asked.kind)}  {about}"
