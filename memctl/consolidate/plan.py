"""What consolidation would do, as data: the dry run prints the plan that the real run executes.

Kept true, and held by property tests: every incoming statement gets exactly one fate (kept, merged or rejected); nothing crosses a room;
a merge never lifts a text above its own best evidence (word-for-word twins share evidence in full; a near twin adds corroboration to a
survivor of at least its own trust, and is left alone otherwise); of two that stand alike the clearer words survive, and no text is ever
rewritten; only what the operator said, in words that announce a change, supersedes by itself, and never what is trusted more, was chosen
by hand or is the operator's alone: all else is proposed; planning again after a plan was carried out merges nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from memctl.consolidate.compare import relation_of
from memctl.consolidate.similarity import compute_similarity
from memctl.consolidate.wording import measure_clarity
from memctl.core.frozen import dataclass, replace
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID
from memctl.records.statement import Statement

Action = Literal["keep", "merge", "reject", "contradict", "propose", "supersede", "widen"]
How = Literal["exact", "near"]
# How near two statements are in sense, 0..1, where that is known.
Nearness = Callable[[Statement, Statement], float | None]
_STANDING = {"active": 0, "contradicted": 1, "inbox": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of a plan.

    keep, reject: about `id`. merge: `id` survives, `target` is absorbed; `trust` and `origins` are the survivor's afterwards, and the
    number of origins is its corroboration. contradict: between `id` and `target` (symmetric, smaller id first). supersede: `id` takes
    the place of `target`. propose: it would, if the operator says so; `explicit` where its words say so themselves. widen: one wider
    candidate is derived from `id` and `target`, which say the same in two projects.
    """

    action: Action
    id: str
    reason: str
    target: str | None = None
    how: How | None = None
    trust: int | None = None
    origins: tuple[str, ...] = ()
    explicit: bool = False


def find_no_nearness(_a: Statement, _b: Statement) -> float | None:
    """The nearness of any two where there are no vectors."""
    return None


def rank_for_survival(statement: Statement) -> tuple[int, int, bool, tuple[int, ...], str]:
    """The smaller survives: active before inbox, then higher trust, what was chosen by hand, the clearer words, the older id."""
    clear = tuple(-part for part in measure_clarity(statement.content))
    return (
        _STANDING.get(statement.status, 3),
        -statement.trust,
        not statement.pinned,
        clear,
        statement.id,
    )


def merge_statements(survivor: Statement, absorbed: Statement, how: How) -> Statement:
    """The survivor after a merge: the same words, all origins, and the best trust among evidence for exactly these words.

    It was last said when a word of no less trust said it last: the operator's always counts, another's only if it is another origin.
    """
    trust = max(survivor.trust, absorbed.trust) if how == "exact" else survivor.trust
    origins = survivor.origins | absorbed.origins
    said, announces = survivor.observed_at, survivor.announces or absorbed.announces
    if can_confirm(absorbed.trust, survivor.trust, is_other_origin=len(origins) > 1):
        said = max(filter(None, (said, absorbed.observed_at)), default=None)
    return replace(survivor, trust=trust, origins=origins, observed_at=said, announces=announces)


def can_confirm(trust: int, held: int, *, is_other_origin: bool) -> bool:
    """Whether a word of some trust that says the same again confirms a record: an agent that repeats itself confirms nothing."""
    return trust >= held and (is_other_origin or trust >= OPERATOR_IMPLIED)


def _find_duplicate_kind(a: Statement, b: Statement, near: Nearness) -> How | None:
    """May the two be one record? Other owner classes never mix, nor approved records of two types, nor lends a near twin its trust."""
    if a.id == b.id or a.room != b.room or a.owner != b.owner or not (a.is_live and b.is_live):
        return None
    if a.type != b.type and "inbox" not in (a.status, b.status):
        return None
    if a.digest == b.digest:
        return "exact"
    if relation_of(a, b, nearness=near(a, b)) != "duplicate":
        return None
    survivor, absorbed = sorted((a, b), key=rank_for_survival)
    return "near" if survivor.trust >= absorbed.trust else None


def _is_stale_repeat(incoming: Statement, neighbour: Statement) -> bool:
    """Is this the very observation that was superseded, read once more?"""
    if (
        neighbour.status != "superseded"
        or neighbour.room != incoming.room
        or neighbour.digest != incoming.digest
    ):
        return False
    return incoming.id != neighbour.id and (incoming.observed_at or "") <= (
        neighbour.observed_at or ""
    )


def _plan_merge(survivor: Statement, absorbed: Statement, how: How) -> Decision:
    after = merge_statements(survivor, absorbed, how)
    reason = (
        "the same words"
        if how == "exact"
        else f"nearly the same words ({compute_similarity(survivor.content, absorbed.content):.2f})"
    )
    return Decision(
        "merge", survivor.id, reason, absorbed.id, how, after.trust, tuple(sorted(after.origins))
    )


def _find_best_duplicate(
    incoming: Statement, neighbours: Iterable[Statement], near: Nearness
) -> tuple[Statement, How] | None:
    twins = [
        (other, how) for other in neighbours if (how := _find_duplicate_kind(incoming, other, near))
    ]
    order = sorted(
        twins,
        key=lambda twin: (
            twin[1] != "exact",
            -compute_similarity(incoming.content, twin[0].content),
            rank_for_survival(twin[0]),
        ),
    )
    return order[0] if order else None


def _is_later(newer: Statement, older: Statement) -> bool:
    return bool(newer.observed_at and older.observed_at and newer.observed_at > older.observed_at)


def _plan_replacement(newer: Statement, older: Statement, says_so: bool) -> Decision | None:
    """What becomes of two that exclude each other where the one may take the other's place, or None."""
    later = _is_later(newer, older)
    explicit = says_so or (newer.announces and later)
    if not explicit and not (newer.is_operators and newer.trust >= older.trust and later):
        return None
    reason = (
        "it says that this changed" if explicit else "the operator's newer word on the same subject"
    )
    said = explicit and newer.is_in_force and newer.trust == OPERATOR_SAID
    free = not older.pinned and older.owner != "operator"
    return Decision(
        "supersede" if said and free else "propose", newer.id, reason, older.id, explicit=explicit
    )


def _plan_opposition(a: Statement, b: Statement, near: Nearness) -> Decision | None:
    """The contradiction between two live statements, or the supersession that settles it."""
    if not (a.is_live and b.is_live):
        return None
    forward, backward = (relation_of(x, y, nearness=near(x, y)) for x, y in ((a, b), (b, a)))
    if not {"contradicts", "updates"} & {forward, backward}:
        return None
    ways = ((a, b, forward == "updates"), (b, a, backward == "updates"))
    for newer, older, says_so in sorted(
        ways, key=lambda way: (not way[2], not _is_later(way[0], way[1]))
    ):
        step = _plan_replacement(newer, older, says_so)
        if step:
            return step
    first, second = sorted((a.id, b.id))
    return Decision("contradict", first, "both cannot hold", second)


def _plan_oppositions(
    one: Statement, others: Iterable[Statement], near: Nearness
) -> list[Decision]:
    against = {step for other in others if (step := _plan_opposition(one, other, near))}
    return sorted(against, key=lambda step: (step.action, step.id, step.target or ""))


def plan_statement(
    incoming: Statement,
    neighbours: Sequence[Statement],
    tombstones: frozenset[str] = frozenset(),
    near: Nearness = find_no_nearness,
) -> tuple[Decision, ...]:
    """The fate of one statement among its neighbours, then what it stands against.

    `tombstones` holds fingerprints of rejected, forgotten or purged records; only a candidate from the inbox is turned away by one.
    """
    fate, twin = _decide_fate(incoming, neighbours, tombstones, near)
    if not any(step.action == "keep" for step in fate) or any(
        step.target == incoming.id for step in fate
    ):
        return tuple(fate)
    return (
        *fate,
        *_plan_oppositions(incoming, [other for other in neighbours if other.id != twin], near),
    )


def _decide_fate(
    incoming: Statement, neighbours: Sequence[Statement], tombstones: frozenset[str], near: Nearness
) -> tuple[list[Decision], str | None]:
    """What becomes of one statement, and the id of its twin, if it has one."""
    if incoming.status == "inbox" and incoming.digest in tombstones:
        return [Decision("reject", incoming.id, "rejected or forgotten before")], None
    for other in sorted(neighbours, key=rank_for_survival):
        if incoming.status == "inbox" and _is_stale_repeat(incoming, other):
            origins = tuple(sorted(other.origins | incoming.origins))
            step = Decision(
                "merge",
                other.id,
                "read once more after it was superseded",
                incoming.id,
                "exact",
                other.trust,
                origins,
            )
            return [step], other.id
    twin = _find_best_duplicate(incoming, neighbours, near)
    if twin is None:
        return [Decision("keep", incoming.id, "nothing like it")], None
    standing, absorbed = sorted((incoming, twin[0]), key=rank_for_survival)
    step = _plan_merge(standing, absorbed, twin[1])
    if absorbed.id == incoming.id:
        return [step], twin[0].id
    return [Decision("keep", incoming.id, "the better of two"), step], twin[0].id


def plan_statements(
    statements: Iterable[Statement],
    neighbours_of: Callable[[Statement], Sequence[Statement]],
    tombstones: frozenset[str] = frozenset(),
    near: Nearness = find_no_nearness,
) -> tuple[Decision, ...]:
    """The plan for many statements at once, the same in whatever order they come.

    The best-standing statement goes first; what an earlier step absorbed is no neighbour any more, so that merges form stars, not chains.
    What is left is then held against what is left, so that nothing is said of a record that is gone by then.
    """
    field = _PlanState(near)
    for statement in sorted({s.id: s for s in statements}.values(), key=rank_for_survival):
        if statement.id not in field.gone:
            field.settle(statement, neighbours_of(field.now(statement)), tombstones)
    return (*field.steps, *_order_steps(field.oppositions(), field.now_all))


class _PlanState:
    """The statements while a plan is made: as each stands after the steps so far, what is gone, and what was found around each."""

    def __init__(self, near: Nearness) -> None:
        self.near = near
        self.now_all: dict[str, Statement] = {}
        self.gone: set[str] = set()
        self.around: dict[str, set[str]] = {}
        self.steps: dict[Decision, None] = {}

    def now(self, statement: Statement) -> Statement:
        """A statement as it stands by now."""
        return self.now_all.setdefault(statement.id, statement)

    def settle(
        self, statement: Statement, neighbours: Sequence[Statement], tombstones: frozenset[str]
    ) -> None:
        """Decide the fate of one, and let later steps see it."""
        incoming = self.now(statement)
        found = {n.id: self.now(n) for n in neighbours if n.id not in self.gone}
        self.around.setdefault(incoming.id, set()).update(found)
        for step in _decide_fate(
            incoming, sorted(found.values(), key=rank_for_survival), tombstones, self.near
        )[0]:
            self.steps[step] = None
            self._take_in(step)

    def _take_in(self, step: Decision) -> None:
        if step.action == "reject":
            self.gone.add(step.id)
        elif step.action == "merge" and step.target and step.trust is not None:
            self.gone.add(step.target)
            self.now_all[step.id] = merge_statements(
                self.now_all[step.id], self.now_all[step.target], step.how or "near"
            )
            self.around.setdefault(step.id, set()).update(self.around.get(step.target, set()))

    def oppositions(self) -> list[Decision]:
        """What stands against what among those that are left."""
        found: dict[Decision, None] = {}
        for one in sorted(
            (self.now_all[each] for each in self.around if each not in self.gone),
            key=rank_for_survival,
        ):
            others = [
                self.now_all[each] for each in sorted(self.around[one.id] - self.gone - {one.id})
            ]
            found.update(dict.fromkeys(_plan_oppositions(one, others, self.near)))
        return list(found)


def _order_steps(steps: Iterable[Decision], known: Mapping[str, Statement]) -> list[Decision]:
    """Supersessions first, in the order in which things were said, each record superseded once; then what is left to say of the rest."""
    told = list(steps)
    replacing = [step for step in told if step.action == "supersede"]
    gone: set[str] = set()
    done: list[Decision] = []
    for step in sorted(
        replacing, key=lambda step: (known[step.id].observed_at or "", step.id, step.target or "")
    ):
        if not {step.id, step.target} & gone:
            gone.add(step.target or "")
            done.append(step)
    return [
        *done,
        *(
            step
            for step in told
            if step.action != "supersede" and not {step.id, step.target} & gone
        ),
    ]
