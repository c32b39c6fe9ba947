"""Relate records that were just written to the others: planned outside of any transaction, carried
out in short ones.

Records written together are planned one after the other, as if each had been written alone: those
that come later do not exist yet for the earlier ones. Whatever changes between a plan and its
execution is seen there: a step asks again for the records that it is about, and a plan that looked
at a record that was changed meanwhile is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress

from memctl.consolidate.neighbours import NeighbourFinder, load_statements
from memctl.consolidate.plan import Decision, is_alone, plan_statements
from memctl.core.errors import NotFound
from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Memory
from memctl.records.statement import Statement
from memctl.settings.config import Config
from memctl.store import records
from memctl.store.database import Database

# Says of a step whether a proposed replacement may be carried out at once.
Settles = Callable[[Decision], bool]


@dataclass(frozen=True, slots=True)
class NewRecordPlan:
    """What follows from one new record. `near` are the ids that were looked at."""

    memory: Memory
    steps: tuple[Decision, ...]
    near: frozenset[str]


class _Later(Container[object]):
    """The ids of the records that were said after one of those that are planned together."""

    def __init__(self, places: Mapping[str, int], memory_id: str) -> None:
        self._places = places
        self._place = places.get(memory_id, len(places))

    def __contains__(self, memory_id: object) -> bool:
        return self._places.get(str(memory_id), -1) > self._place


class NewRecordRelator:
    """Plans and carries out what follows from new records of one store."""

    def __init__(
        self,
        db: Database,
        finder: NeighbourFinder,
        *,
        actor: Actor,
        cause: str,
        settles: Settles = lambda step: False,
    ) -> None:
        self._db = db
        self._finder = finder
        self._actor = actor
        self._cause = cause
        self._settles = settles
        # The place of each record among those that are planned together.
        self._places: dict[str, int] = {}
        # What was changed since the plans were made.
        self._touched: set[str] = set()

    def plan(self, memories: Sequence[Memory], changed: Container[str] = ()) -> list[NewRecordPlan]:
        """Plan what follows from records that are stored, in the order in which they were said.

        `changed` are the ids of those that were changed after they were written.
        """
        self._touched.clear()
        self._places = {memory.id: place for place, memory in enumerate(memories)}
        statements = load_statements(self._db, memories)
        unchanged = [
            pair for pair in zip(memories, statements, strict=True) if pair[0].id not in changed
        ]
        self._finder.remember(unchanged)
        return [
            self._plan_one(memory, statement)
            for memory, statement in zip(memories, statements, strict=True)
        ]

    def carry_out(self, plan: NewRecordPlan) -> list[str]:
        """Carry out a plan inside a transaction; the ids of what the record superseded.

        It is made again if a record that it looked at was changed since.
        """
        if plan.near & self._touched:
            plan = self._plan_again(plan.memory.id)
        if not plan.steps:
            return []
        from memctl.consolidate import apply  # here, because most records are alone

        memory_id = plan.memory.id
        merged = [
            step
            for step in plan.steps
            if apply.is_exact_merge(step, memory_id)
            and apply.is_candidate(self._db, step.target, plan.memory.type)
            and self._do(step)
        ]
        if merged:
            plan = self._plan_again(memory_id)
        done = filter(self._do, apply.order_oppositions(plan.steps, memory_id, self._settles))
        replacing = [step for step in done if step.action == "supersede" and step.id == memory_id]
        return [step.target for step in (*merged, *replacing) if step.target]

    def _plan_one(self, memory: Memory, statement: Statement) -> NewRecordPlan:
        neighbours = self._finder.find_around(memory, _Later(self._places, memory.id))
        near = frozenset(other.id for other in neighbours)
        if is_alone(statement, neighbours, self._finder.measure_similarity):
            return NewRecordPlan(memory, (), near)
        from memctl.consolidate import apply

        steps = plan_statements(
            [statement], lambda _: neighbours, near=self._finder.measure_similarity
        )
        return NewRecordPlan(
            memory,
            tuple(step for step in steps if apply.is_news(self._db, step)),
            near,
        )

    def _plan_again(self, memory_id: str) -> NewRecordPlan:
        """Plan for a record as it is by now, among the others as they are by now."""
        self._finder.forget(self._touched)
        memory = records.get_record(self._db, memory_id)
        [statement] = load_statements(self._db, [memory])
        return self._plan_one(memory, statement)

    def _do(self, step: Decision) -> bool:
        """Carry out one step; False if it was done, or if a record is gone or no longer live."""
        from memctl.consolidate import apply

        done = False
        with suppress(NotFound):
            done = apply.carry_out_step(self._db, step, actor=self._actor.name, cause=self._cause)
        if done:
            changed = {each for each in (step.id, step.target) if each}
            self._touched |= changed
            self._finder.forget(changed)
        return done


def relate_new_record(
    db: Database,
    config: Config,
    memory: Memory,
    *,
    actor: Actor,
    cause: str,
    settles: Settles = lambda step: False,
) -> list[str]:
    """Mark what one new record contradicts and merge the candidate that says exactly the same.

    Nothing else is merged, since the record was written on purpose. A proposed replacement by the
    record is carried out where `settles` says so. Returns the ids of what it superseded. Call it
    inside of the transaction that wrote the record.
    """
    finder = NeighbourFinder(db, config)
    relator = NewRecordRelator(db, finder, actor=actor, cause=cause, settles=settles)
    [plan] = relator.plan([memory])
    return relator.carry_out(plan)
