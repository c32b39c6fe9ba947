"""The work of a purge, in short transactions that a kill may cut off anywhere.

First the words get their marks, so that nothing brings them back meanwhile. Then records and
sources go, one after the other, each with all that belongs to it; then the words elsewhere. The
ledger of unfinished operations holds what is to go until all of it is gone, and no word of it while
the remains in index, free pages and write-ahead log are cleared. Whoever finds a purge that was cut
off starts again at the top: what is gone is found gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from memctl.core import clock
from memctl.core.errors import StoreDamaged, StoreLocked
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Evidence, Memory, Source
from memctl.core.typing_lite import Any
from memctl.erase import leftovers
from memctl.erase.rewrite import RewrittenSpot, StoreRewrite, rewrite_store
from memctl.erase.word_cutter import WordCutter, list_forms
from memctl.patterns import update
from memctl.records import purge_filter, relations
from memctl.records.purge_filter import PURGED
from memctl.results.erasure import PurgeReport
from memctl.settings.config import Config
from memctl.store import (
    chunks,
    derived_tables,
    erase,
    event_log,
    evidence,
    records,
    sources,
    tombstones,
    unfinished,
    vector_index,
    witness,
)
from memctl.store.database import Database
from memctl.store.unfinished import RunningOperation, UnfinishedOperation

VERB = "purged"
# The kind of erasures in the ledger of unfinished operations, and what marks one that only
# replaces secrets.
KIND = "purge"
REDACTION = "redaction"
FINISHED_EARLIER = "an earlier purge that had been cut off was finished"
# Characters, chosen by hand. Shorter quotes stand in many texts that have nothing to do with the
# record.
SHORTEST_QUOTE = 24
# The owner of a tombstone that is about words and not about a record.
_NO_RECORD = "WORDS"
_NOT_EMPTY = (
    "another process reads the store, so its write-ahead log could not be emptied; "
    "run `memctl maintain` later, or purge again"
)
_NO_EXTENSION = "the vector index could not be cleared: sqlite-vec cannot be loaded here"
_NOT_DROPPED = (
    "a damaged index that was put aside cannot be dropped, and may hold erased words; "
    "`memctl doctor` names what to do"
)


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What goes: records, sources, a project, and the words to cut out everywhere else."""

    records: tuple[Memory, ...]
    sources: tuple[Source, ...]
    project_id: str | None
    words: tuple[str, ...]


def begin_alone(db: Database, data: Mapping[str, Any], actor: Actor) -> RunningOperation:
    """Begin an erasure. Raises StoreLocked while another one is at work."""
    with db.write():
        if unfinished.list_operations(db, KIND):
            raise StoreLocked(f"{db.path}: another purge or redaction is at work")
        running = RunningOperation(db, KIND, data, actor=actor.name)
        running.note(is_done=False)
    return running


def find_older_copies(config: Config, plan: PurgePlan) -> list[str]:
    """The copies that hold what a plan erases, as far as its ids tell."""
    ids = [*(memory.id for memory in plan.records), *(source.id for source in plan.sources)]
    return [str(path) for path in leftovers.find_files_holding(leftovers.list_backups(config), ids)]


class PurgeRun:
    """A purge from its first transaction, or from where it was cut off, to its last."""

    def __init__(
        self, db: Database, config: Config, running: RunningOperation, plan: PurgePlan
    ) -> None:
        self._db, self._config, self._running, self._plan = db, config, running, plan
        self._actor = Actor(running.actor)
        self._at = clock.now()
        self._gone = {str(each) for each in running.data["records"]}
        self._spots: list[RewrittenSpot] = []

    @classmethod
    def begin(cls, db: Database, config: Config, actor: Actor, plan: PurgePlan) -> PurgeRun:
        """Begin with a plan. Raises StoreLocked while another purge is at work."""
        data = {
            "records": [memory.id for memory in plan.records],
            "sources": [source.id for source in plan.sources],
            "project": plan.project_id,
            "words": list(plan.words),
        }
        return cls(db, config, begin_alone(db, data, actor), plan)

    @classmethod
    def resume(cls, db: Database, config: Config, begun: UnfinishedOperation) -> PurgeRun:
        """Go on with what was cut off and claimed."""
        data = begun.data
        found = records.list_by_ids(db, data["records"])
        captured = [sources.find_source(db, each) for each in data["sources"]]
        plan = PurgePlan(
            tuple(found.values()),
            tuple(source for source in captured if source is not None),
            data["project"],
            tuple(data["words"]),
        )
        running = RunningOperation(db, KIND, data, actor=begun.actor, id=begun.id, begun=True)
        return cls(db, config, running, plan)

    def carry_out(self) -> PurgeReport:
        """Erase all of it, and report."""
        plan = self._plan
        witness.announce_rewriting(self._config, "purge")
        older = find_older_copies(self._config, plan)
        self._erase_from_store()
        files = self._erase_from_files()
        self._forget_words()
        remains, notes = self._clear_remains()
        self._running.end()
        notes += leftovers.explain_untouched(self._config)
        more = leftovers.find_files_holding(leftovers.list_backups(self._config), plan.words)
        return PurgeReport(
            tuple(sorted(self._gone)),
            tuple(self._running.data["sources"]),
            (plan.project_id,) if plan.project_id else (),
            dict(Counter(spot.place for spot in self._spots)),
            tuple(files),
            (*older, *(str(path) for path in more if str(path) not in older)),
            tuple(remains),
            tuple(notes),
        )

    def _erase_from_store(self) -> None:
        forms = sorted({form for word in self._plan.words for form in list_forms(word)})
        self._change_all(forms, self._mark_form)
        self._change_all(self._plan.records, self._erase_record)
        self._change_all(self._plan.sources, self._erase_source)
        self._cut_words()
        with self._db.write():
            update.forget_last_look(self._db)
            if self._plan.project_id:
                erase.erase_project(self._db, self._plan.project_id)
        erase.rebuild_chain(self._db, self._note)

    def _change_all(self, items: Iterable[Any], change: Callable[[Any], None]) -> None:
        """Make a change for each item, in short transactions and as one operation."""

        def change_one(item: Any) -> None:
            with event_log.group_changes(
                self._db, actor=self._actor.name, cause="purge", operation=self._running.id
            ):
                change(item)

        chunks.change_in_chunks(
            self._db,
            list(items),
            change_one,
            note=self._note,
            around=lambda: erase.lift_guard(self._db),
        )

    def _note(self, _done: int) -> None:
        self._running.note(is_done=False)

    def _mark_form(self, form: str) -> None:
        mark = purge_filter.compute_cut_mark(self._config, form)
        _add_tombstone(self._db, mark, _NO_RECORD, None, self._actor, self._at)

    def _erase_record(self, memory: Memory) -> None:
        if records.find_record(self._db, memory.id) is None:
            return
        mentioned = erase.list_mentioned(self._db, memory.id)
        proof = evidence.list_of_memory(self._db, memory.id)
        _erase_record(self._db, memory, proof, self._actor, self._at)
        for entity_id in mentioned:
            if erase.is_idle(self._db, entity_id):
                erase.erase_entity(self._db, entity_id)

    def _erase_source(self, source: Source) -> None:
        _erase_source(self._db, source, self._actor, self._at)

    def _cut_words(self) -> None:
        """Cut the words out of everything that holds them; what has no word left goes too."""
        if not self._plan.words:
            return
        cutter = WordCutter(self._plan.words)
        rewrite = StoreRewrite(self._db, cutter, verb=VERB, actor=self._actor.name)
        for written in rewrite_store(self._db, rewrite, self._note):
            self._spots += written
            emptied = _find_emptied(self._db, written)
            self._change_all(emptied, self._erase_record)
            self._gone |= {memory.id for memory in emptied}

    def _erase_from_files(self) -> list[str]:
        """Drop waiting captures and cut words out of the other files; return the changed files."""
        gone = (
            [source.session_id for source in self._plan.sources],
            [source.path for source in self._plan.sources if source.path],
        )
        dropped = leftovers.drop_sessions(self._config, *gone)
        dropped += leftovers.drop_lines_naming(self._config, self._gone)
        cutter = WordCutter(self._plan.words)
        changed = list(leftovers.rewrite_files(self._config, cutter, write=True))
        self._spots += changed
        return sorted({*dropped, *(spot.id.partition(" line ")[0] for spot in changed)})

    def _forget_words(self) -> None:
        """Take the words out of the ledger; that the remains are to be cleared stays there."""
        self._running.data = {**self._running.data, "words": []}
        with self._db.write():
            self._running.note(is_done=False)

    def _clear_remains(self) -> tuple[list[str], list[str]]:
        """Clear vectors, index and write-ahead log; return files that hold words yet, and why."""
        notes = clear_vectors(self._db)
        needles = [*self._plan.words, *(memory.content for memory in self._plan.records)]
        remains, is_empty = clear_remains(self._db, self._config, needles)
        if not is_empty:
            notes.append(_NOT_EMPTY)
        return remains, notes


def clear_vectors(db: Database) -> list[str]:
    """Delete the vectors in the nearest-neighbour table that belong to no record any more.

    sqlite-vec overwrites what it deletes. A table that is damaged, and all that was put aside, is
    dropped whole: nobody knows what it holds, and maintenance makes the table anew. Returns what
    could not be cleared, and why.
    """
    notes = []
    try:
        if vector_index.has_table(db):
            if not vector_index.holds_only_entries(db):
                vector_index.put_aside(db)
            elif not _delete_stale(db):
                notes.append(_NO_EXTENSION)
    except StoreDamaged:
        vector_index.put_aside(db)
    if not vector_index.has_table(db) and vector_index.list_parts(db):
        vector_index.put_aside(db)
    derived_tables.drop_replaced(db)
    return [*notes, _NOT_DROPPED] if derived_tables.list_replaced(db) else notes


def _delete_stale(db: Database) -> bool:
    """Delete the entries whose vector is gone; False if the extension cannot be loaded."""
    stale = vector_index.list_stale(db)
    if stale and not vector_index.load_extension(db):
        return False
    chunks.change_in_chunks(db, stale, partial(vector_index.delete_entry, db))
    return True


def clear_remains(db: Database, config: Config, needles: Iterable[str]) -> tuple[list[str], bool]:
    """Clear the full-text index, the free pages and the write-ahead log of erased words.

    Returns the files that still hold one of the needles, and whether the log could be emptied. The
    store is written anew, which takes a long transaction, only if a word is left: no version of
    memctl leaves any in free pages, but another program may have.
    """
    wanted = list(needles)
    erase.merge_index(db)
    is_empty = erase.empty_log(db)
    remains = leftovers.find_files_holding(leftovers.list_own_files(config), wanted)
    if is_empty and config.db in remains:
        erase.vacuum_file(db)
        is_empty = erase.empty_log(db)
        remains = leftovers.find_files_holding(leftovers.list_own_files(config), wanted)
    return [str(path) for path in remains], is_empty


def _find_emptied(db: Database, spots: Iterable[RewrittenSpot]) -> list[Memory]:
    """The records that have no word left."""
    ids = {spot.id for spot in spots if spot.place == "record"}
    return [
        memory
        for memory in records.list_by_ids(db, ids).values()
        if not re.search(r"\w", memory.content.replace(PURGED, ""))
    ]


def _erase_record(
    db: Database, memory: Memory, proof: Iterable[Evidence], actor: Actor, at: str
) -> None:
    quotes = [item.quote for item in proof if item.source_id and len(item.quote) >= SHORTEST_QUOTE]
    tombstones.lift_tombstone(db, memory.id)
    relations.resolve_contradictions(
        db, memory.id, actor=actor.name, cause="purge"
    )  # else what it contradicted would stand so for ever
    erase.erase_record(db, memory.id)
    erase.empty_history(db, memory.id)
    _add_tombstone(db, memory.fingerprint, memory.id, quotes[0] if quotes else None, actor, at)
    event_log.append_change(db, memory.id, VERB, None, None, actor=actor.name, cause="purge", at=at)


def _erase_source(db: Database, source: Source, actor: Actor, at: str) -> None:
    _repoint_records(db, source, actor, at)
    erase.erase_source(db, source)
    for mark in (
        purge_filter.compute_session_mark(source.agent, source.session_id),
        purge_filter.compute_original_mark(source.content_hash),
    ):
        _add_tombstone(db, mark, source.id, None, actor, at)
    event_log.append_change(db, source.id, VERB, None, None, actor=actor.name, cause="purge", at=at)


def _repoint_records(db: Database, source: Source, actor: Actor, at: str) -> None:
    """Base records with evidence from other sources on that evidence alone."""
    for memory in records.list_by_ids(
        db, {item.memory_id for item in erase.list_evidence_of_source(db, source.id)}
    ).values():
        rest = [
            item for item in evidence.list_of_memory(db, memory.id) if item.source_id != source.id
        ]
        if rest:
            best = rest[0]
            trust = min(memory.trust, best.trust)
            changed = replace(
                memory,
                evidence_ref=best.id,
                source_ref=best.source_id or memory.source_ref,
                trust=trust,
                updated_at=at,
            )
            records.replace_record(db, memory, changed, verb=VERB, actor=actor.name, cause="purge")


def _add_tombstone(
    db: Database, fingerprint: str, owner: str, quote: str | None, actor: Actor, at: str
) -> None:
    tombstones.add_tombstone(
        db,
        memory_id=owner,
        fingerprint=fingerprint,
        verdict="purged",
        quote=quote,
        reason=None,
        actor=actor.name,
        at=at,
    )
