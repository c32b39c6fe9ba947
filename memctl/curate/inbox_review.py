"""The operator's answers to what waits in the inbox, many at a time.

Where an answer mixes approvals and rejections, all are checked before any is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import Actor, CandidateDecision, Filter, Place, Query
from memctl.curate import archiving
from memctl.records import proposals
from memctl.redact.redactor import make_redactor
from memctl.results.records import ChangeReport, RecordView
from memctl.retrieve import overview
from memctl.settings.config import Config
from memctl.store.database import Database

_DEFAULT_REASON = "rejected by the operator"
_AGENTS_REASON = "it gave no reason"
# Chosen by hand, on the scale 0..1 of `similarity`: a record that is less alike tells the operator
# nothing about a candidate.
_MIN_SIMILARITY = 0.4
# Of a record in other words: the score of a search for the candidate's. Chosen by hand on invented
# pairs, of which the unlike ones score below 0.35 and restatements above 0.47.
_MIN_SCORE = 0.42
# How many search hits are compared with a candidate.
_COMPARED_HITS = 8

_TryableStep = Callable[..., ChangeReport]


def find_candidates(db: Database, config: Config, ids: Iterable[str]) -> tuple[RecordView, ...]:
    """Return the candidates of these ids, each once.

    Raises NotFound, and RefusedByPolicy for a record that is not in the inbox.
    """
    views = {}
    for record_id in ids:
        view = overview.show_record(db, config, record_id)
        if view.memory.status != "inbox":
            raise RefusedByPolicy(
                f"{view.short} is not in the inbox: it is {view.memory.status}",
                hint="`memctl edit ID` changes any record",
            )
        views[view.memory.id] = view
    return tuple(views.values())


def find_nearest(
    db: Database, config: Config, actor: Actor, candidate: RecordView
) -> RecordView | None:
    """Return the record whose text is most like a candidate's, or None if none is similar.

    It may belong to another project. Where no words are alike, it is the best hit of a search for
    the candidate's words. Episodes are left out, because they describe sessions and state nothing.
    """
    # Here, because a decision searches and compares nothing.
    from memctl.consolidate.similarity import compute_similarity
    from memctl.retrieve import search

    memory = candidate.memory
    query = Query(
        memory.content,
        place=Place(memory.project_id, memory.repo_id),
        include=("inbox",),
        limit=_COMPARED_HITS,
    )
    nearest, best = None, _MIN_SIMILARITY
    hits = [
        hit
        for hit in search.search(db, config, query, actor=actor.name).items
        if hit.record.memory.id != memory.id and hit.record.memory.type != "episode"
    ]
    for hit in hits:
        other = hit.record.memory
        score = compute_similarity(other.content, memory.content)
        if score > best or (nearest is None and score == best):
            nearest, best = hit.record, score
    if nearest is None and hits and hits[0].score >= _MIN_SCORE:
        return hits[0].record
    return nearest


def choose_reason(actor: Actor) -> str:
    """Why a candidate is rejected where nobody says why."""
    return _DEFAULT_REASON if actor.is_operator else _AGENTS_REASON


def reject_all(
    db: Database, config: Config, actor: Actor, wanted: Filter, *, reason: str | None, dry_run: bool
) -> ChangeReport:
    """Reject every candidate that passes the filter."""
    views = overview.list_inbox(db, wanted, limit=-1, offset=0).items
    ids = [view.memory.id for view in views]
    if not ids:
        return ChangeReport("rejected", ())
    return _reject(db, config, actor, ids, reason, dry_run=dry_run)


def decide(
    db: Database,
    config: Config,
    actor: Actor,
    *,
    approve: Iterable[str],
    reject: Iterable[str],
    reason: str | None,
    project: str | None = None,
    scope: str | None = None,
    tags: Sequence[str] = (),
    dry_run: bool,
) -> tuple[ChangeReport, ...]:
    """Approve and reject candidates and proposals by their ids, rejections first.

    `project` and `scope` say where the approved ones belong, `tags` what they are filed under.

    Raises UsageError for an id on both sides. Where there is more than one step, all of them are
    tried without writing first, so that what cannot be done is reported before anything is.
    """
    declined, rejected = proposals.split_proposal_ids(db, reject)
    accepted, approved = proposals.split_proposal_ids(db, approve)
    no: list[_TryableStep] = []
    yes: list[_TryableStep] = []
    if rejected:
        no.append(partial(_reject, db, config, actor, rejected, reason))
    if declined:
        from memctl.curate import proposal_decisions  # here: most decisions are on candidates

        no.append(partial(proposal_decisions.decline_proposals, db, config, actor, declined))
    if approved:
        from memctl.curate import approval  # here: a rejection needs none of it

        approve_them = partial(approval.approve_records, db, config, actor, approved)
        where = {"project": project, "scope": scope}
        yes.append(partial(approve_them, reason=reason, tags=tags, **where))
    if accepted:
        from memctl.curate import proposal_decisions

        yes.append(partial(proposal_decisions.accept_proposals, db, config, actor, accepted))
    if len(no) + len(yes) > 1:
        _require_disjoint(_try_steps(no), _try_steps(yes))
    return tuple(step(dry_run=dry_run) for step in (*no, *yes))


def apply_decisions(
    db: Database,
    config: Config,
    actor: Actor,
    decisions: Sequence[CandidateDecision],
    *,
    dry_run: bool,
) -> Iterator[ChangeReport]:
    """Make the changes that the operator decided on: edits, then rejections, then approvals."""
    for decision in decisions:
        if decision.changes and dry_run:
            view = overview.show_record(db, config, decision.id)
            yield ChangeReport("edited", (view,), dry_run=True)
        elif decision.changes:
            from memctl.curate import editing

            yield editing.edit_record(db, config, actor, decision.id, decision.changes, reason=None)
    for decision in decisions:
        if decision.decision == "reject":
            yield _reject(db, config, actor, [decision.id], decision.reason, dry_run=dry_run)
    approved = [decision.id for decision in decisions if decision.decision == "approve"]
    if approved:
        from memctl.curate import approval

        yield approval.approve_records(db, config, actor, approved, reason=None, dry_run=dry_run)


def _reject(
    db: Database,
    config: Config,
    actor: Actor,
    ids: Iterable[str],
    reason: str | None,
    *,
    dry_run: bool,
) -> ChangeReport:
    if dry_run:
        views = tuple(overview.show_record(db, config, record_id) for record_id in ids)
        verb = "rejected" if actor.is_operator else "advised"
        return ChangeReport(verb, views, dry_run=True)
    return archiving.reject_candidates(
        db, actor, [*ids], reason=reason or choose_reason(actor), redactor=make_redactor(config)
    )


def _try_steps(steps: Iterable[_TryableStep]) -> set[str]:
    """Run steps without writing and return the ids that they would change."""
    reports = [step(dry_run=True) for step in steps]
    records = {view.memory.id for report in reports for view in report.changed}
    return records | {proposal.id for report in reports for proposal in report.proposals}


def _require_disjoint(rejected: set[str], approved: set[str]) -> None:
    both = sorted(rejected & approved)
    if both:
        raise UsageError(f"{', '.join(both)} cannot be approved and rejected at once")
