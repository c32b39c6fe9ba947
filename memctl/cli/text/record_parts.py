"""Parts of a record's text that several commands print: heading, trust, quotes, links. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_time
from memctl.core import timestamps
from memctl.core.model import OPERATOR_IMPLIED, TRUST_NAMES, Evidence, Memory
from memctl.results.records import Proposal, RecordView

# The names of the ranks of trust, in words for a person.
TRUST_WORDS = {
    "operator_said": "you said it",
    "operator_implied": "you implied it",
    "tool_result": "a tool returned it",
    "agent_claimed": "an agent claimed it",
    "fetched_text": "fetched text",
}
# What accepting a proposal would do.
_PROPOSAL_VERBS = {
    "archive": "archive",
    "mute": "mute the rule",
    "merge_entities": "merge",
    "resolve": "resolve",
}
# In characters; enough to find a record in any store.
SHORT_ID_LENGTH = 10
# Characters of what a record says that a candidate stands against.
_LONGEST_OTHER_SIDE = 200
# Of a long chain of superseded records, the nearest ones and the first are printed.
_MAX_FORMER = 5


def format_heading(view: RecordView) -> str:
    """Return one line that names a record."""
    memory = view.memory
    parts = (
        view.short,
        f"{memory.type}/{flatten(memory.kind)}",
        format_location(view),
        "" if memory.status == "active" else f"({memory.status})",
        f"{flatten(memory.title)}{format_change_count(view)}",
        format_origin(memory),
    )
    return "  ".join(part for part in parts if part)


def format_change_count(view: RecordView) -> str:
    """Return how often a record's statement changed: ` (changed 4 times since March 2026)`."""
    if not view.changes or not view.changed_since:
        return ""
    from memctl.text.dates import ENGLISH_MONTHS  # slow to import, and few records changed

    times = "once" if view.changes == 1 else f"{view.changes} times"
    month = ENGLISH_MONTHS[int(view.changed_since[5:7]) - 1]
    return f" (changed {times} since {month} {view.changed_since[:4]})"


def format_origin(memory: Memory) -> str:
    """Return whose export a record came from: `(from Ana's export)`; empty for the operator's."""
    origin = memory.describe_origin()
    return f"({flatten(origin)})" if origin else ""


def format_location(view: RecordView) -> str:
    """Return the project in which a record holds, else its scope."""
    memory = view.memory
    if view.place_unknown:
        return format_unknown_place(view)
    if memory.scope == "agent":
        return f"agent {flatten(memory.agent_id)}"
    return flatten(view.project) or memory.scope


def format_unknown_place(view: RecordView) -> str:
    """Return that nobody has said which project a record belongs to, and what its session says."""
    told = f" ({flatten(view.suggested_project)}?)" if view.suggested_project else ""
    return f"project unknown{told}"


def format_trust(rank: int) -> str:
    """Return a rank of trust in words."""
    return TRUST_WORDS.get(TRUST_NAMES.get(rank, ""), str(rank))


def format_quote(evidence: Evidence, *, beside: str = "") -> str:
    """Return the quote that supports a record, who said it, and when.

    What stands `beside` it in the same words is not repeated.
    """
    speaker = flatten(evidence.speaker)
    origin = format_trust(evidence.trust) + (f", {speaker}" if speaker else "")
    if speaker and evidence.role == "human" and evidence.trust < OPERATOR_IMPLIED:
        origin = f"{speaker} said it"
    day = timestamps.to_local_day(evidence.observed_at)
    quote = flatten(evidence.quote)
    return f"({origin}, {day})" if quote == flatten(beside) else f'"{quote}" ({origin}, {day})'


def format_short_ids(view: RecordView, ids: Iterable[str]) -> str:
    """Return the short ids of other records that a record refers to."""
    return ", ".join(view.shorts.get(each, each) for each in ids)


def render_other_sides(view: RecordView) -> Iterator[str]:
    """Yield what the records say that a candidate would replace, or that it contradicts."""
    for each in dict.fromkeys((*view.replaces, *view.contradicted_by)):
        if each in view.others:
            verb = "would replace" if each in view.replaces else "contradicts"
            said = shorten_words(view.others[each], _LONGEST_OTHER_SIDE)
            yield f'{verb} {view.shorts.get(each, each)}: "{said}"'


def shorten_words(text: str, most: int) -> str:
    """Return a text on one line, cut at a word to so many characters."""
    line = flatten(text)
    return line if len(line) <= most else f"{line[:most].rsplit(' ', 1)[0]}…"


def format_proposal(proposal: Proposal) -> str:
    """Return one line that says what maintenance proposes."""
    about = " and ".join(flatten(str(name)) for name in proposal.data.get("names", ()))
    if proposal.title:
        about = f"{proposal.about[:SHORT_ID_LENGTH]}  {flatten(proposal.title)}"
    verb = _PROPOSAL_VERBS.get(proposal.kind, proposal.kind)
    return f"{proposal.short}  {verb}  {about or flatten(proposal.about)}"


def render_newer(view: RecordView) -> Iterator[str]:
    """Yield the newer record that may replace a record, if there is one."""
    if view.newer is not None:
        day = timestamps.to_local_day(view.newer.observed_at)
        yield f"newer: {view.newer.short} {day}, may replace this: {flatten(view.newer.text)}"


def render_former(view: RecordView) -> Iterator[str]:
    """Yield the records that a record superseded, nearest first."""
    chain = view.former
    if len(chain) > _MAX_FORMER:
        chain = (*chain[: _MAX_FORMER - 1], chain[-1])
    left_out = len(view.former) - len(chain)
    for position, former in enumerate(chain, 1):
        if left_out and position == len(chain):
            yield f"  ... {left_out} more in between (memctl explain {view.short} --history)"
        why = f" ({flatten(former.reason)})" if former.reason else ""
        since = timestamps.to_local_day(former.since)
        until = timestamps.to_local_day(former.until)
        yield (f"  until {until}: {former.short}  {flatten(former.title)}, from {since}{why}")


def render_links(view: RecordView, known: Mapping[str, RecordView]) -> Iterator[str]:
    """Yield the links of a record; the other record is named by its heading if it is known."""
    for link in view.links:
        if link.from_id == view.memory.id:
            other, arrow = link.to_id, "->"
        else:
            other, arrow = link.from_id, "<-"
        heading = format_heading(known[other]) if other in known else other
        resolved = " (resolved)" if link.resolved_at else ""
        reason = f" ({flatten(link.reason)})" if link.reason else ""
        yield f"  {link.relation} {arrow} {heading}{resolved}{reason}"


def format_tags(tags: Iterable[str]) -> str:
    """Format tags as they are written in notes: `#one #two`."""
    return " ".join(f"#{flatten(tag)}" for tag in tags)


def render_facts(view: RecordView) -> Iterator[str]:
    """Yield a record's confidence, times, status, subject, entities and related records."""
    memory = view.memory
    facts = [
        f"confidence {memory.confidence:.2f}",
        format_trust(memory.trust),
        f"owner {memory.owner}",
    ]
    facts += ["pinned"] if memory.always_load else []
    facts += ["protected"] if memory.protected else []
    yield f"  {', '.join(facts)}"
    observed, updated = format_time(memory.observed_at), format_time(memory.updated_at)
    yield f"  id {memory.id}, observed {observed}, changed {updated}"
    if view.place_unknown:
        yield (
            f"  served only in session {flatten(memory.session_id)}; "
            f"`memctl edit {view.short} --project NAME` says where it belongs"
        )
    if memory.valid_from or memory.valid_until:
        start = format_time(memory.valid_from or "ever")
        end = format_time(memory.valid_until or "further notice")
        yield f"  valid from {start} until {end}"
    # Of a superseded record the reason usually only names its successor, which is printed below.
    reason, successor = memory.status_reason or "", view.superseded_by
    names_successor = successor is not None and successor in reason
    if reason and not names_successor:
        yield f"  {memory.status}: {flatten(reason)}"
    yield from (f"  {flatten(sentence)}" for sentence in view.standing)
    if memory.subject:
        yield f"  subject: {flatten(memory.subject)}"
    if view.entities:
        yield f"  mentions: {', '.join(f'{e.kind} {flatten(e.name)}' for e in view.entities)}"
    if view.tags:
        yield f"  tags: {format_tags(view.tags)}"
    yield from _render_related(view)


def _render_related(view: RecordView) -> Iterator[str]:
    if view.superseded_by:
        over = format_short_ids(view, view.superseded_over)
        by = format_short_ids(view, [view.superseded_by])
        yield f"  superseded by: {by}" + (f" (over {over})" if over else "")
    if view.replaces:
        yield f"  replaces, when approved: {format_short_ids(view, view.replaces)}"
    if view.contradicted_by:
        yield f"  contradicted by: {format_short_ids(view, view.contradicted_by)}"
    yield from (f"  {line}" for line in render_newer(view))
