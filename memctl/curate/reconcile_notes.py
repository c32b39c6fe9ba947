"""Bring the records that rest on a file of notes in line with what the file says now.

A line in other words takes the place of the old one; in doubt, and where nobody is there to answer
for the file, that is proposed. A line that is gone proposes the archive of its record. A line that
moved is the same record, and one that came back brings its record back. What other evidence still
says stays. Nothing is archived here, and nothing unreviewed comes into force: what is planned is
derived from the store alone, so that a run that was cut off is made good by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from memctl.consolidate.line_alignment import LineAlignment, NoteLine, normalise_line
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Actor, Evidence, Memory, Status, Turn
from memctl.curate import linking
from memctl.curate.note_versions import (
    LIVING_STATUSES,
    NoteVersions,
    align_versions,
    is_said_elsewhere,
    read_versions,
)
from memctl.records import proposals, relations
from memctl.results.backfill import NoteChange
from memctl.settings import policy
from memctl.store import chunks, event_log, evidence, links, records
from memctl.store.database import Database

# Who proposes to archive the records of lines that are gone.
PROPOSER = "import-memories"
CAUSE = "notes changed"
# How the reasons begin that are given for what is done here; the name of the file follows.
_CHANGED = "its line was changed in "
_GONE = "its line is no longer in "

_Step = Callable[[], object]


@dataclass(slots=True)
class NoteCounts:
    """What became of the lines of one file; `changes` names those that touch a record."""

    unchanged: int = 0
    moved: int = 0
    changed: int = 0
    gone: int = 0
    back: int = 0
    changes: list[NoteChange] = field(default_factory=list)


def reconcile_notes(
    db: Database,
    agent: str,
    session_id: str,
    turns: Sequence[Turn],
    *,
    actor: Actor,
    path: str | None = None,
    operation: str | None = None,
) -> NoteCounts:
    """Carry out what follows from a file's newest version, in short transactions of one operation.

    `turns` are those of that version; none where the file is empty now. Where the operator did not
    make the call, no record in force gives way: the new line is proposed in its place.
    """
    reconciler = _Reconciler(db, read_versions(db, agent, session_id, turns, path), actor)
    steps = list(reconciler.plan_steps())
    operation = operation or db.operation or clock.new_id()

    def carry_out(step: _Step) -> None:
        with event_log.group_changes(db, actor=actor.name, cause=CAUSE, operation=operation):
            step()

    chunks.change_in_chunks(db, steps, carry_out)
    return reconciler.counts


def reinstate_replaced(db: Database, rejected: Memory, actor: Actor) -> None:
    """Bring back what gave way to a changed line that was rejected, if it was in force."""
    for link in links.list_of_memory(db, rejected.id):
        if link.relation != "supersedes" or link.from_id != rejected.id:
            continue
        old = records.get_record(db, link.to_id)
        was_in_force = linking.read_status_before(db, old) in ("active", "contradicted")
        if (link.reason or "").startswith(_CHANGED) and was_in_force:
            _bring_back(db, old.id, "active", rejected.id, actor)


class _Reconciler:
    """Plans what follows from the newest version of one file, and counts it."""

    def __init__(self, db: Database, notes: NoteVersions, actor: Actor) -> None:
        self.db, self.notes, self.actor = db, notes, actor
        self.counts = NoteCounts()
        self._back: list[str] = []

    def plan_steps(self) -> Iterator[_Step]:
        """What is to be done, in order. Nothing is written yet."""
        alignment, old_lines = align_versions(self.db, self.notes)
        self.counts.moved = len(alignment.moved)
        self.counts.unchanged = len(alignment.same)
        yield from self._plan_returns()
        yield from self._plan_moves(alignment)
        yield from self._plan_rewordings(alignment, old_lines)
        for place in alignment.lost:
            memory = self.notes.find_living(old_lines[place].words)
            if memory is not None:
                yield from self._plan_loss(memory)

    def _plan_returns(self) -> Iterator[_Step]:
        """What was archived because its line was gone, or gave way to a line that is gone now."""
        asked = {
            one.about: one
            for one in proposals.list_open(self.db, "archive")
            if one.actor == PROPOSER
        }
        here = [
            memory_id
            for memory_id in self.notes.memories
            if self.notes.words_of[memory_id] & self.notes.words_now
        ]
        for memory_id in here:
            memory = self.notes.memories[memory_id]
            if memory_id in asked:
                yield partial(
                    proposals.withdraw_proposal, self.db, asked[memory_id], actor=self.actor.name
                )
            was_lost = (memory.status_reason or "").startswith(_GONE)
            replacing = self._find_replacing(memory)
            if memory.status == "inbox" and was_lost:
                yield partial(self._note_reason, memory_id, None)
            elif replacing is not None or (memory.status == "archived" and was_lost):
                self._back.append(memory_id)
                self.counts.back += 1
                self.counts.changes.append(NoteChange("back", memory.title, memory_id))
                yield partial(self._return_record, memory_id, replacing)

    def _find_replacing(self, memory: Memory) -> str | None:
        """The record of a line that is gone again, in whose favour this one gave way."""
        if memory.status != "superseded":
            return None
        for link in links.list_of_memory(self.db, memory.id):
            if link.relation == "supersedes" and link.to_id == memory.id:
                words = self.notes.words_of.get(link.from_id, frozenset())
                if words and not words & self.notes.words_now:
                    return link.from_id
        return None

    def _return_record(self, memory_id: str, replacing_id: str | None) -> None:
        """Bring a record back as it was; where it was in force, only by the operator's hand."""
        before = linking.read_status_before(self.db, records.get_record(self.db, memory_id))
        is_approved = replacing_id is not None and policy.is_in_force(
            records.get_record(self.db, replacing_id)
        )
        was_in_force = before in ("active", "contradicted")
        may_stand = self.actor.is_operator and was_in_force and not is_approved
        status: Status = "active" if may_stand else "inbox"
        _bring_back(self.db, memory_id, status, replacing_id, self.actor)

    def _plan_moves(self, alignment: LineAlignment) -> Iterator[_Step]:
        """Let the evidence of a line that moved stand where the line stands now."""
        newest = self.notes.newest
        if newest is None:
            return
        earlier = {source.id for source in self.notes.earlier}
        for place in alignment.moved:
            turn = self.notes.turns[place]
            words = normalise_line(turn.text)
            items = [item for item in self.notes.proof if normalise_line(item.quote) == words]
            if any(item.source_id == newest.id for item in items):
                continue
            for item in items:
                is_living = self.notes.memories[item.memory_id].status in LIVING_STATUSES
                if item.source_id in earlier and is_living:
                    yield partial(self._move_evidence, newest.id, item, turn)

    def _move_evidence(self, source_id: str, item: Evidence, turn: Turn) -> None:
        memory = records.get_record(self.db, item.memory_id)
        moved = replace(
            item,
            id=clock.new_id(),
            quote=turn.text,
            created_at=clock.now(),
            source_id=source_id,
            turn=turn.seq,
            span_start=0,
            span_end=len(turn.text),
        )
        evidence.insert_evidence(self.db, [moved])
        evidence.withdraw_evidence(self.db, memory.id, [item.id])
        if memory.evidence_ref == item.id:
            self._replace(memory, replace(memory, evidence_ref=moved.id), verb="moved")

    def _plan_rewordings(
        self, alignment: LineAlignment, old_lines: Sequence[NoteLine]
    ) -> Iterator[_Step]:
        for pair in alignment.reworded:
            old = self.notes.find_living(old_lines[pair.old].words)
            line = normalise_line(self.notes.turns[pair.new].text)
            new = self.notes.find_living(line, back=self._back)
            if old is None or (new is not None and new.id == old.id):
                continue
            if new is None:  # It was rejected before: the old line is gone, nothing replaces it.
                yield from self._plan_loss(old)
                continue
            may_replace = pair.is_sure and self._may_give_way(old)
            if new.id not in self._back:
                self.counts.changed += 1
                what = "changed" if may_replace else "proposed"
                self.counts.changes.append(NoteChange(what, old.title, old.id, new.title, new.id))
            yield partial(self._replace_record, new.id, old.id, may_replace)

    def _may_give_way(self, old: Memory) -> bool:
        """Whether a record gives way to the new words of its line without a question."""
        if old.status == "inbox":
            return True
        if not self.actor.is_operator or is_said_elsewhere(self.db, self.notes, old):
            return False
        # What the operator put into other words says more than the line did.
        return not any(
            event.verb == "edited" and "content" in (event.after or {})
            for event in event_log.list_of_memory(self.db, old.id)
        )

    def _replace_record(self, new_id: str, old_id: str, may_replace: bool) -> None:
        new, old = records.get_record(self.db, new_id), records.get_record(self.db, old_id)
        if {new.status, old.status} - set(LIVING_STATUSES):
            return
        act = relations.supersede if may_replace else relations.propose_replacement
        act(
            self.db,
            new,
            old,
            reason=_CHANGED + self.notes.name,
            actor=self.actor.name,
            cause=CAUSE,
        )

    def _plan_loss(self, memory: Memory) -> Iterator[_Step]:
        """Ask whether the record of a line that is gone is to go too.

        A candidate is asked about anyway: it says so itself.
        """
        if self.notes.words_of[memory.id] & self.notes.words_now:
            return
        self.counts.gone += 1
        is_said = is_said_elsewhere(self.db, self.notes, memory)
        self.counts.changes.append(
            NoteChange("said elsewhere" if is_said else "gone", memory.title, memory.id)
        )
        reason = _GONE + self.notes.name
        if is_said:
            return
        if memory.status == "inbox":
            yield partial(self._note_reason, memory.id, reason)
        else:
            yield partial(
                proposals.offer_proposal,
                self.db,
                "archive",
                memory.id,
                reason=reason,
                actor=PROPOSER,
            )

    def _note_reason(self, memory_id: str, reason: str | None) -> None:
        known = records.get_record(self.db, memory_id)
        if known.status == "inbox" and known.status_reason != reason:
            changed = replace(known, status_reason=reason, updated_at=clock.now())
            self._replace(known, changed, verb="noted")

    def _replace(self, before: Memory, after: Memory, *, verb: str) -> None:
        records.replace_record(
            self.db, before, after, verb=verb, actor=self.actor.name, cause=CAUSE
        )


def _bring_back(
    db: Database, old_id: str, status: Status, replacing_id: str | None, actor: Actor
) -> None:
    old = records.get_record(db, old_id)
    if replacing_id is not None:
        links.delete_link(db, replacing_id, "supersedes", old.id)
    relations.set_status(
        db, old, status, reason=None, verb="restored", actor=actor.name, cause=CAUSE
    )
    relations.update_status_and_opponents(db, old.id, actor=actor.name, cause=CAUSE)
