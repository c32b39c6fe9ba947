"""What the operator said beside the candidates of a session, where a record answers it already.

Too little by itself to be proposed, it is never passed over where it bears on a record: said again,
it confirms the record, and nobody is asked; another answer waits in the inbox, and stands against
the record until the operator decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from memctl.consolidate import apply
from memctl.consolidate.known_answers import KnownAnswer, KnownAnswers
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Candidate, Evidence, Source, Turn
from memctl.curate import propose
from memctl.curate.overruled_records import OverruledRecord, link_overruled
from memctl.curate.propose import ACTOR, ProposalCounts
from memctl.records import drafts, quality
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import chunks, event_log, evidence, records, sources, tombstones
from memctl.store.database import Database

# The rule of a statement that was proposed because a record answers its question otherwise.
RULE = "operator.other_answer"
# How sure it is that such a statement is worth keeping. Chosen by hand.
_CONFIDENCE = 0.5
_LIVING = ("active", "contradicted", "inbox")


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A statement with its evidence, and the record that answers it."""

    candidate: Candidate
    proof: tuple[Evidence, ...]
    answer: KnownAnswer


def take_up_known(
    db: Database,
    config: Config,
    source: Source,
    turns: tuple[Turn, ...],
    passed_over: Sequence[Candidate],
    counts: ProposalCounts,
    *,
    cause: str,
    operation: str | None = None,
    check: Callable[[], object] = lambda: None,
) -> None:
    """Confirm or oppose the records that answer statements which no candidate says.

    Comparing is done outside of any transaction. Called again after a kill, it changes nothing
    twice. `check` is called in each transaction, as `propose_candidates` does.
    """
    known = list(_find_known(db, config, source, turns, passed_over))

    def take_up(one: KnownStatement) -> None:
        record = records.find_record(db, one.answer.record.id)
        if record is None or record.status not in _LIVING:
            return
        if one.answer.bearing == "repeats":
            with event_log.group_changes(db, cause=cause, operation=operation):
                apply.add_evidence(db, record, list(one.proof), actor=ACTOR, cause=cause)
            counts.duplicates += 1
        else:
            _propose_other_answer(db, config, source, turns, one, counts, cause, operation)

    @contextmanager
    def checked() -> Iterator[None]:
        check()
        yield

    chunks.change_in_chunks(db, known, take_up, around=checked)


def _find_known(
    db: Database,
    config: Config,
    source: Source,
    turns: tuple[Turn, ...],
    passed_over: Sequence[Candidate],
) -> Iterator[KnownStatement]:
    if not passed_over:
        return
    muted, requested = quality.list_muted(db), propose.find_requested_scope(db, source)
    redactor, finder = make_redactor(config), KnownAnswers(db, config)
    captures = sources.list_of_session(db, source.agent, source.session_id) or [source]
    for candidate in passed_over:
        memory, proof = drafts.build_from_candidate(
            candidate, source, turns, redactor, config["operator.names"], requested
        )
        if not proof or _is_quoted(db, captures, proof[0]):
            continue
        if tombstones.find_tombstone(db, memory.fingerprint, [proof[0].quote]) is not None:
            continue
        answer = finder.find(memory)
        if answer is not None and not (answer.bearing == "changes" and RULE in muted):
            yield KnownStatement(candidate, tuple(proof), answer)


def _is_quoted(db: Database, captures: Sequence[Source], item: Evidence) -> bool:
    """Whether some record rests on these words of this session already."""
    return any(evidence.list_memories_quoting(db, item.quote, one.id) for one in captures)


def _propose_other_answer(
    db: Database,
    config: Config,
    source: Source,
    turns: tuple[Turn, ...],
    one: KnownStatement,
    counts: ProposalCounts,
    cause: str,
    operation: str | None,
) -> None:
    """Put the statement into the inbox, against the record that it would change."""
    candidate = replace(one.candidate, rule=RULE, confidence=_CONFIDENCE)
    made = propose.propose_candidates(
        db, config, source, turns, [candidate], cause=cause, operation=operation
    )
    for name in ProposalCounts.__slots__:
        setattr(counts, name, getattr(counts, name) + getattr(made, name))
    ids = evidence.list_memories_quoting(db, one.proof[0].quote, source.id)
    for memory in records.list_by_ids(db, ids).values():
        if memory.status == "inbox" and memory.rule == RULE:
            over = OverruledRecord(one.answer.record, one.answer.reason, is_sure=False)
            with event_log.group_changes(db, cause=cause, operation=operation):
                counts.contradictions += link_overruled(
                    db, memory, [over], actor=ACTOR, cause=cause
                )
