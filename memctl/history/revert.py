"""Undo changes in the store: the plan that is shown is carried out, as one new operation.

The plan is made first and carried out in short transactions (`carry_out`). What a kill cuts off
stands in the ledger of unfinished operations, and is planned again from there.

An agent may undo only what raises no trust, restores nothing that was rejected or forgotten, and
removes no pin of the operator; one refusal refuses the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Actor, Event, Memory
from memctl.curate import refusals
from memctl.curate.editing import cap_trust_of_rewording
from memctl.history import carry_out, rebuild, undo
from memctl.history.revert_plan import RevertPlan, plan_revert
from memctl.records.views import read_views
from memctl.results.history import RevertReport, RevertStep
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, records, unfinished
from memctl.store.database import Database
from memctl.store.unfinished import RunningOperation, UnfinishedOperation

# The kind of these operations in the ledger of unfinished ones.
KIND = "revert"
_LIVING_STATUSES = ("inbox", "active", "contradicted")
# How often what others changed meanwhile is planned again. Chosen by hand; one is nearly always
# enough.
_ROUNDS = 5
_NUMBER = compile_later(r"[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class RevertSelection:
    """What to undo: one change, or all of a time and actor.

    `target` is a change number or a record, of which its last change (or change `seq`) is undone.
    `since` and `actor` select changes without a target.
    """

    target: str | None = None
    seq: int | None = None
    since: str | None = None
    actor: str | None = None


class _CachedEventLog:
    """The event log as `undo` reads it; answers are kept, because many changes ask the same."""

    def __init__(self, db: Database, without: str | None = None) -> None:
        """`without` is an operation whose changes are left out: the undoing itself."""
        self.db = db
        self._without = without
        self._operations: dict[str, list[Event]] = {}
        self._about: dict[str, list[Event]] = {}

    def list_operation(self, event: Event) -> list[Event]:
        """All changes of the same operation."""
        if event.operation is None:
            return []
        if event.operation not in self._operations:
            self._operations[event.operation] = event_log.list_of_operation(
                self.db, event.operation
            )
        return self._operations[event.operation]

    def list_later(self, event: Event) -> list[Event]:
        """All changes to the same record and what belongs to it."""
        if event.memory_id not in self._about:
            self._about[event.memory_id] = [
                later
                for later in event_log.list_about(self.db, event.memory_id)
                if self._without is None or later.operation != self._without
            ]
        return self._about[event.memory_id]

    def list_derived(self, memory_id: str) -> list[Event]:
        """The creations of the records that were derived from a record."""
        return event_log.list_creations_of_derived(self.db, memory_id)


def revert_changes(
    db: Database, config: Config, actor: Actor, wanted: RevertSelection, *, dry_run: bool
) -> RevertReport:
    """Undo changes, and what depends on them, as one new operation.

    Raises UsageError, NotFound, RefusedByPolicy.
    """
    if not dry_run:
        rebuild.record_untracked(db)
    with db.snapshot():
        chosen = _select_events(db, wanted)
        plan = plan_revert(db, undo.gather_undoings(chosen, _CachedEventLog(db)))
        refused = _why_not_revert(db, plan, actor)
        steps = _list_steps(db, plan)
    if dry_run:
        return RevertReport(steps, refused=refused, dry_run=True)
    if refused:
        raise RefusedByPolicy(refused)
    cause = _describe_cause(chosen)
    data = {"chosen": [event.seq for event in chosen], "cause": cause}
    running = unfinished.RunningOperation(db, KIND, data, actor=actor.name)
    changed = _carry_out(db, running, actor, plan, chosen)
    with db.snapshot():
        return RevertReport(steps, read_views(db, changed))


def finish_reverts(db: Database, must_stop: Callable[[], bool] = lambda: False) -> None:
    """Finish what was cut off and is worked on by nobody. Raises RefusedByPolicy."""
    for begun in unfinished.list_abandoned(db, KIND):
        if must_stop():
            return
        with db.write():
            is_ours = unfinished.claim_abandoned(db, begun)
        if is_ours:
            _finish_revert(db, begun)


def _finish_revert(db: Database, begun: UnfinishedOperation) -> None:
    actor = Actor(begun.actor)
    running = unfinished.RunningOperation(
        db, KIND, begun.data, actor=actor.name, id=begun.id, begun=True
    )
    with db.snapshot():
        numbers = (event_log.find_by_number(db, int(seq)) for seq in begun.data["chosen"])
        chosen = [event for event in numbers if event is not None]
        plan = _plan_rest(db, chosen, begun.id)
    _carry_out(db, running, actor, plan, chosen)


def _carry_out(
    db: Database,
    running: RunningOperation,
    actor: Actor,
    plan: RevertPlan,
    chosen: Sequence[Event],
) -> list[str]:
    """Carry out a plan; what others changed meanwhile is planned again. Returns the changed ids."""
    changed: dict[str, None] = {}
    for _ in range(_ROUNDS):
        left = carry_out.carry_out_plan(db, running, actor, plan, changed)
        if not left:
            break
        with db.snapshot():
            plan = _plan_rest(db, chosen, running.id)
            refused = _why_not_revert(db, plan, actor)
        if refused:
            running.end()
            raise RefusedByPolicy(refused)
    running.end()
    return list(changed)


def _plan_rest(db: Database, chosen: Iterable[Event], operation: str) -> RevertPlan:
    """Plan what an operation has not undone yet."""
    undoings = undo.gather_undoings(chosen, _CachedEventLog(db, without=operation))
    done = {
        (event.topic, undo.read_key(event))
        for event in event_log.list_of_operation(db, operation)
        if event.verb == carry_out.VERB
    }
    return plan_revert(db, undoings, done)


def _select_events(db: Database, wanted: RevertSelection) -> list[Event]:
    if wanted.target is None:
        if wanted.since is None and wanted.actor is None:
            raise UsageError("name a change, a record, --since or --actor")
        return [
            event
            for event in event_log.list_matching(db, since=wanted.since, actor=wanted.actor)
            if not (undo.is_move(event) or event.verb == undo.RECORDED)
        ]
    if wanted.since is not None or wanted.actor is not None:
        raise UsageError("--since and --actor select changes: name no change or record with them")
    if wanted.seq is None and _NUMBER.fullmatch(wanted.target):
        event = event_log.find_by_number(db, int(wanted.target))
        if event is None:
            raise NotFound(
                f"there is no change {wanted.target}",
                hint="`memctl log changes` shows their numbers",
            )
    else:
        event = _find_change(db, records.resolve_record(db, wanted.target), wanted.seq)
    if undo.is_move(event):
        raise RefusedByPolicy(
            "this change made a project part of another, which cannot be undone",
            hint="`memctl revert ID --seq N` undoes an older change",
        )
    return [event]


def _find_change(db: Database, memory: Memory, seq: int | None) -> Event:
    history = event_log.list_of_memory(db, memory.id)
    if seq is None:
        return history[-1]
    for event in history:
        if event.seq == seq:
            return event
    numbers = ", ".join(str(event.seq) for event in history)
    raise NotFound(f"change {seq} is not one of {memory.id}: {numbers}")


def _describe_cause(chosen: Iterable[Event]) -> str:
    numbers = [str(event.seq) for event in chosen]
    return f"revert of {', '.join(numbers[:3])}{' ...' if len(numbers) > 3 else ''}"


def _why_not_revert(db: Database, plan: RevertPlan, actor: Actor) -> str | None:
    """Why this actor may not undo all of it, or None."""
    if actor.is_operator:
        return None
    for memory, restored, _ in plan.records:
        why = _why_not_restore_record(db, memory, restored, actor)
        if why:
            return f"{memory.id}: {why}"
    if any(topic in ("proposal", "mute", "outcome") for topic, *_ in plan.rows):
        return f"undoing a decision or a vote {policy.AT_A_TERMINAL}"
    return None


def _why_not_restore_record(
    db: Database, memory: Memory, restored: Memory, actor: Actor
) -> str | None:
    capped = cap_trust_of_rewording(memory, restored, actor)
    why = policy.why_not_change(memory, actor)
    why = why or refusals.why_not_restore(db, memory, capped, actor)
    if why is None and restored.status in _LIVING_STATUSES:
        why = policy.why_not_stand(restored, actor)
    return why


def _list_steps(db: Database, plan: RevertPlan) -> tuple[RevertStep, ...]:
    titles = {memory.id: memory.title for memory, *_ in plan.records}
    missing = {undoing.event.memory_id for undoing in plan.undoings} - titles.keys()
    titles |= {memory.id: memory.title for memory in records.list_by_ids(db, missing).values()}
    return tuple(
        RevertStep(
            undoing.event.seq,
            undoing.event.memory_id,
            titles.get(undoing.event.memory_id),
            undoing.event.topic,
            undoing.event.verb,
            undoing.event.actor,
            undoing.event.at,
            undoing.why,
        )
        for undoing in plan.undoings
    )
