"""What a person took back in a session leaves the inbox: turns that were rewound, and statements
that later words of the session overruled.

A later capture of the same session shows it. A candidate that nobody decided on is withdrawn, or
gives way to the one that took its place; of an approved record the operator is asked. What is said
again comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from memctl.core.model import Candidate, Evidence, Memory, Source, Span, Transcript
from memctl.curate.note_versions import is_newest, is_notes
from memctl.extract import list_overruled
from memctl.records import proposals, relations
from memctl.store import chunks, event_log, evidence, links, records, sources
from memctl.store.database import Database

REWOUND = "the turn it was taken from was taken back"
OVERRULED = "later words of the same session overruled it"
_ACTOR = "maintain"
_CAUSE = "taken back"
_WAITS = "inbox"
_IN_FORCE = ("active", "contradicted")

_Step = Callable[[], object]


def withdraw_taken_back(
    db: Database,
    source: Source,
    transcript: Transcript,
    *,
    operation: str | None = None,
    check: Callable[[], object] = lambda: None,
) -> int:
    """Withdraw what the newest version of a session no longer says; how many records it touched.

    `check` is called before anything is changed and raises where it is not the caller's to do.
    """
    if transcript.is_chat or is_notes(source) or not is_newest(db, source):
        return 0
    versions = sources.list_of_session(db, source.agent, source.session_id)
    known = [
        memory
        for version in versions
        for memory in records.list_by_source(db, version.id)
        if memory.type != "episode" and memory.status in (_WAITS, *_IN_FORCE)
    ]
    if not known:
        return 0
    proof = evidence.list_by_memory(db, [memory.id for memory in known])
    steps = [
        *_plan_rewound(db, source, versions, transcript, known, proof),
        *_plan_overruled(db, transcript, known, proof),
    ]
    if steps:
        check()

    def carry_out(step: _Step) -> None:
        with event_log.group_changes(db, actor=_ACTOR, cause=_CAUSE, operation=operation):
            step()

    chunks.change_in_chunks(db, steps, carry_out)
    return len(steps)


def bring_back(db: Database, memory: Memory, *, actor: str, cause: str) -> None:
    """Let a withdrawn candidate wait again, because it was said again."""
    if memory.status == "archived" and memory.status_reason in (REWOUND, OVERRULED):
        relations.set_status(
            db, memory, _WAITS, reason=None, verb="restored", actor=actor, cause=cause
        )


# -- turns that were rewound --------------------------------------------------------------------


def _plan_rewound(
    db: Database,
    source: Source,
    versions: Sequence[Source],
    transcript: Transcript,
    known: Sequence[Memory],
    proof: dict[str, list[Evidence]],
) -> Iterator[_Step]:
    """What rests on turns of an earlier version that this one, of the same file, does not have."""
    said = [turn.text for turn in transcript.turns if turn.role == "human"]
    earlier = {
        version.id: version
        for version in versions
        if version.id != source.id and version.path and version.path == source.path
    }
    for memory in known:
        items = [item for item in proof.get(memory.id, []) if item.source_id]
        spoken = [item for item in items if item.role == "human"]
        if not spoken or any(item.source_id not in earlier for item in items):
            continue
        if all(_is_rewound(db, item, said) for item in spoken):
            yield from _plan_withdrawal(db, memory, REWOUND)


def _is_rewound(db: Database, item: Evidence, said: Sequence[str]) -> bool:
    """Whether a turn is gone with all that was typed after it: what is cut off is the beginning."""
    if item.turn is None or any(item.quote in text for text in said):
        return False
    turns = sources.read_turns(db, item.source_id or "")
    later = [turn.text for turn in turns[item.turn + 1 :] if turn.role == "human"]
    now = set(said)
    return not any(text in now for text in later)


# -- statements that were overruled -------------------------------------------------------------


def _plan_overruled(
    db: Database,
    transcript: Transcript,
    known: Sequence[Memory],
    proof: dict[str, list[Evidence]],
) -> Iterator[_Step]:
    """What later words of the session took the place of, or took back."""
    found = [
        (memory, built)
        for memory in known
        if (built := _rebuild_candidate(memory, proof.get(memory.id, []), transcript))
    ]
    for n in list_overruled(transcript, [built for _, built in found]):
        memory = found[n][0]
        successor = _find_successor(db, memory)
        if successor is None:
            yield from _plan_withdrawal(db, memory, OVERRULED)
        elif memory.status == _WAITS:
            yield partial(_give_way, db, successor, memory.id)


def _rebuild_candidate(
    memory: Memory, proof: Sequence[Evidence], transcript: Transcript
) -> Candidate | None:
    """The candidate that a record was, with its words where they stand in the session now."""
    spans = [span for item in proof if (span := _find_span(item, transcript)) is not None]
    if not spans:
        return None
    return Candidate(
        memory.type,
        memory.kind,
        memory.scope,
        memory.title,
        memory.content,
        memory.summary,
        memory.confidence,
        memory.trust,
        tuple(spans),
        rule=memory.rule or "",
    )


def _find_span(item: Evidence, transcript: Transcript) -> Span | None:
    if item.turn is None or item.span_start is None or item.span_end is None:
        return None
    turns = transcript.turns
    places = [item.turn] if item.turn < len(turns) else []
    for place in (*places, *range(len(turns))):
        if turns[place].text[item.span_start : item.span_end] == item.quote:
            return Span(place, item.span_start, item.span_end, item.quote)
    return None


def _find_successor(db: Database, memory: Memory) -> str | None:
    """The record that is proposed in the place of one."""
    for link in links.list_of_memory(db, memory.id):
        new_id = links.find_proposed_successor(link)
        if new_id is not None and new_id != memory.id:
            return new_id
    return None


def _give_way(db: Database, new_id: str, old_id: str) -> None:
    new, old = records.get_record(db, new_id), records.get_record(db, old_id)
    if old.status == _WAITS and new.status in (_WAITS, *_IN_FORCE):
        relations.supersede(db, new, old, reason=OVERRULED, actor=_ACTOR, cause=_CAUSE)


def _plan_withdrawal(db: Database, memory: Memory, reason: str) -> Iterator[_Step]:
    """Withdraw a candidate; of a record in force, ask."""
    if memory.status == _WAITS:
        yield partial(_withdraw, db, memory.id, reason)
    else:
        yield partial(
            proposals.offer_proposal, db, "archive", memory.id, reason=reason, actor=_ACTOR
        )


def _withdraw(db: Database, memory_id: str, reason: str) -> None:
    memory = records.get_record(db, memory_id)
    if memory.status == _WAITS:
        relations.set_status(
            db, memory, "archived", reason=reason, verb="withdrawn", actor=_ACTOR, cause=_CAUSE
        )
        relations.resolve_contradictions(db, memory.id, actor=_ACTOR, cause=_CAUSE)
