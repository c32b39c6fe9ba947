"""What consolidation would do, as data: the dry run prints the plan that the real run executes.

Kept true, and held by property tests: every incoming statement gets exactly one fate (kept, merged or rejected); nothing crosses a room;
a merge never lifts a text above its own best evidence (word-for-word twins share evidence in full; a near twin adds corroboration to a
survivor of at least its own trust, and is left alone otherwise); nothing is superseded here, only proposed; planning again after a plan
was carried out merges nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from memctl.consolidate.claims import relation_of
from memctl.consolidate.similar import similarity
from memctl.consolidate.statement import Statement
from memctl.data import dataclass, replace

Action = Literal["keep", "merge", "reject", "contradict", "supersede"]
How = Literal["exact", "near"]
_STANDING = {"active": 0, "contradicted": 1, "inbox": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of a plan.

    keep, reject: about `id`. merge: `id` survives, `target` is absorbed; `trust` and `origins` are the survivor's afterwards, and the
    number of origins is its corroboration. contradict: between `id` and `target` (symmetric, smaller id first). supersede: `id` is
    proposed to replace `target`; nobody but the operator carries it out.
    """

    action: Action
    id: str
    reason: str
    target: str | None = None
    how: How | None = None
    trust: int | None = None
    origins: tuple[str, ...] = ()


def survival_key(statement: Statement) -> tuple[int, int, str]:
    """The smaller survives: active before inbox, then higher trust, then the older id."""
    return _STANDING.get(statement.status, 3), -statement.trust, statement.id


def merged(survivor: Statement, absorbed: Statement, how: How) -> Statement:
    """The survivor after a merge: the same words, all origins, and the best trust among evidence for exactly these words."""
    trust = max(survivor.trust, absorbed.trust) if how == "exact" else survivor.trust
    return replace(survivor, trust=trust, origins=survivor.origins | absorbed.origins)


def _twin_kind(a: Statement, b: Statement) -> How | None:
    """May the two be one record? Other owner classes never mix, nor approved records of two types, nor lends a near twin its trust."""
    if a.id == b.id or a.room != b.room or a.owner != b.owner or not (a.is_live and b.is_live):
        return None
    if a.type != b.type and "inbox" not in (a.status, b.status):
        return None
    if a.digest == b.digest:
        return "exact"
    if relation_of(a, b) != "duplicate":
        return None
    survivor, absorbed = sorted((a, b), key=survival_key)
    return "near" if survivor.trust >= absorbed.trust else None


def _is_stale_repeat(incoming: Statement, neighbour: Statement) -> bool:
    """Is this the very observation that was superseded, read once more?"""
    if neighbour.status != "superseded" or neighbour.room != incoming.room or neighbour.digest != incoming.digest:
        return False
    return incoming.id != neighbour.id and (incoming.observed_at or "") <= (neighbour.observed_at or "")


def _merge(survivor: Statement, absorbed: Statement, how: How) -> Decision:
    after = merged(survivor, absorbed, how)
    reason = "the same words" if how == "exact" else f"nearly the same words ({similarity(survivor.content, absorbed.content):.2f})"
    return Decision("merge", survivor.id, reason, absorbed.id, how, after.trust, tuple(sorted(after.origins)))


def _best_twin(incoming: Statement, neighbours: Iterable[Statement]) -> tuple[Statement, How] | None:
    twins = [(other, how) for other in neighbours if (how := _twin_kind(incoming, other))]
    order = sorted(twins, key=lambda twin: (twin[1] != "exact", -similarity(incoming.content, twin[0].content), survival_key(twin[0])))
    return order[0] if order else None


def _is_correction(newer: Statement, older: Statement) -> bool:
    """May the operator's newer word be proposed in place of the older one?"""
    if not newer.is_operators or newer.trust < older.trust:
        return False
    return bool(newer.observed_at and older.observed_at and newer.observed_at > older.observed_at)


def _opposition(a: Statement, b: Statement) -> Decision | None:
    """The contradiction between two live statements, or the supersession that would settle it."""
    if not (a.is_live and b.is_live):
        return None
    forward, backward = relation_of(a, b), relation_of(b, a)
    if not {"contradicts", "updates"} & {forward, backward}:
        return None
    for newer, older, says_so in ((a, b, forward == "updates"), (b, a, backward == "updates")):
        if _is_correction(newer, older) or (says_so and newer.is_operators and newer.trust >= older.trust):
            return Decision("supersede", newer.id, "the operator's newer word on the same subject", older.id)
    first, second = sorted((a.id, b.id))
    return Decision("contradict", first, "both cannot hold", second)


def plan(incoming: Statement, neighbours: Sequence[Statement], tombstones: frozenset[str] = frozenset()) -> tuple[Decision, ...]:
    """The fate of one statement among its neighbours, then what it stands against.

    `tombstones` holds fingerprints of rejected, forgotten or purged records; only a candidate from the inbox is turned away by one.
    """
    if incoming.status == "inbox" and incoming.digest in tombstones:
        return (Decision("reject", incoming.id, "rejected or forgotten before"),)
    for other in sorted(neighbours, key=survival_key):
        if incoming.status == "inbox" and _is_stale_repeat(incoming, other):
            after = replace(other, origins=other.origins | incoming.origins)
            origins = tuple(sorted(after.origins))
            return (Decision("merge", other.id, "read once more after it was superseded", incoming.id, "exact", other.trust, origins),)
    fate = [Decision("keep", incoming.id, "nothing like it")]
    standing = incoming
    twin = _best_twin(incoming, neighbours)
    if twin:
        other, how = twin
        standing, absorbed = sorted((incoming, other), key=survival_key)
        step = _merge(standing, absorbed, how)
        fate = [step] if absorbed.id == incoming.id else [Decision("keep", incoming.id, "the better of two"), step]
    if standing.id != incoming.id:
        return tuple(fate)
    rest = [other for other in neighbours if not (twin and other.id == twin[0].id)]
    against = {step for step in (_opposition(incoming, other) for other in rest) if step}
    return (*fate, *sorted(against, key=lambda step: (step.action, step.id, step.target or "")))


def plan_all(
    statements: Iterable[Statement], neighbours_of: Callable[[Statement], Sequence[Statement]], tombstones: frozenset[str] = frozenset()
) -> tuple[Decision, ...]:
    """The plan for many statements at once, the same in whatever order they come.

    The best-standing statement goes first; what an earlier step absorbed is no neighbour any more, so that merges form stars, not chains.
    """
    current: dict[str, Statement] = {}
    gone: set[str] = set()
    steps: dict[Decision, None] = {}
    for statement in sorted({s.id: s for s in statements}.values(), key=survival_key):
        if statement.id in gone:
            continue
        incoming = current.get(statement.id, statement)
        near = {n.id: current.get(n.id, n) for n in neighbours_of(incoming) if n.id not in gone}
        for step in plan(incoming, sorted(near.values(), key=survival_key), tombstones):
            steps[step] = None
            _take_in(step, {**near, incoming.id: incoming}, current, gone)
    return tuple(steps)


def _take_in(step: Decision, known: dict[str, Statement], current: dict[str, Statement], gone: set[str]) -> None:
    """Let later steps see what this one changed."""
    if step.action == "reject":
        gone.add(step.id)
    elif step.action == "merge" and step.target and step.trust is not None:
        gone.add(step.target)
        current[step.id] = replace(known[step.id], trust=step.trust, origins=frozenset(step.origins))
