"""What consolidation would do, as data: a dry run prints the plan that the real run executes. Pure.

Kept true, and held by property tests:

- Every incoming statement gets exactly one fate (kept, merged or rejected), and nothing crosses a
  scope key.
- A merge never lifts a text above its own best evidence: word-for-word duplicates share evidence in
  full; a near duplicate only corroborates a survivor of at least its own trust.
- Of two that stand alike the clearer words survive, and no text is ever rewritten.
- Only what the operator said, in words that announce a change, supersedes by itself, and never what
  is trusted more, was chosen by hand or is the operator's alone. All else is proposed.
- Planning again after a plan was carried out merges nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from memctl.consolidate.compare import (
    Judgement,
    Verdict,
    find_direction,
    is_one_place,
    judge_pair,
)
from memctl.consolidate.similarity import compute_similarity
from memctl.consolidate.wording import measure_clarity
from memctl.core.frozen import dataclass, replace
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID
from memctl.core.typing_lite import Literal
from memctl.records.statement import Statement

Action = Literal["keep", "merge", "reject", "contradict", "propose", "supersede", "widen"]
How = Literal["exact", "near", "retold"]
# The semantic similarity of two statements, 0..1, or None where it is not known.
Nearness = Callable[[Statement, Statement], float | None]
# What two statements are to each other, judged once for a whole plan.
Judge = Callable[[Statement, Statement], Judgement | None]
# What was judged of pairs, by the ids in order: their similarity then, and what they are.
Judged = dict[tuple[str, str], tuple[float | None, Judgement | None]]
# In which order statuses survive; any other status comes last.
_STATUS_RANK = {"active": 0, "contradicted": 1, "inbox": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of a plan.

    - keep, reject: about `id`.
    - merge: `id` survives, `target` is absorbed; `trust` and `origins` are the survivor's
      afterwards, and the number of origins is its corroboration.
    - contradict: between `id` and `target` (symmetric, smaller id first).
    - supersede: `id` takes the place of `target`.
    - propose: it would, if the operator says so; `explicit` where its words say so themselves.
    - widen: one wider candidate is derived from `id` and `target`, which say the same in two
      projects.
    """

    action: Action
    id: str
    reason: str
    target: str | None = None
    how: How | None = None
    trust: int | None = None
    origins: tuple[str, ...] = ()
    explicit: bool = False


# What a statement may replace, of those around it that no rule judges: a step or None.
Propose = Callable[[Statement, Sequence[Statement]], Decision | None]
# May the first stand for the second, which gives the same answer to its question in other words?
SaysAgain = Callable[[Statement, Statement], bool]


def say_nothing_again(_survivor: Statement, _absorbed: Statement) -> bool:
    """Nothing says another again where nothing is read beside the rules."""
    return False


def propose_nothing(_newer: Statement, _others: Sequence[Statement]) -> Decision | None:
    """The proposal where nothing is read beside the rules."""
    return None


def find_no_nearness(_a: Statement, _b: Statement) -> float | None:
    """The similarity of any two where there are no vectors."""
    return None


def rank_for_survival(statement: Statement) -> tuple[int, int, bool, tuple[int, ...], str]:
    """The sort key of survival: the smallest survives.

    Active comes before inbox, then higher trust, what was chosen by hand, the clearer words, and
    the older id.
    """
    clarity = tuple(-part for part in measure_clarity(statement.content))
    return (
        _STATUS_RANK.get(statement.status, len(_STATUS_RANK)),
        -statement.trust,
        not statement.pinned,
        clarity,
        statement.id,
    )


def _sort_for_survival(statements: Collection[Statement]) -> list[Statement]:
    """Statements in the order in which they survive; a single one needs no weighing."""
    if len(statements) < 2:
        return list(statements)
    return sorted(statements, key=rank_for_survival)


def merge_statements(survivor: Statement, absorbed: Statement, how: How) -> Statement:
    """The survivor after a merge: its own words, all origins, the best trust for these very words.

    It was last said when a word that can confirm it said it last.
    """
    trust = max(survivor.trust, absorbed.trust) if how == "exact" else survivor.trust
    origins = survivor.origins | absorbed.origins
    observed_at = survivor.observed_at
    if can_confirm(absorbed.trust, survivor.trust, is_other_origin=len(origins) > 1):
        observed_at = max(filter(None, (observed_at, absorbed.observed_at)), default=None)
    return replace(
        survivor,
        trust=trust,
        origins=origins,
        observed_at=observed_at,
        announces=survivor.announces or absorbed.announces,
    )


def can_confirm(trust: int, of_record: int, *, is_other_origin: bool) -> bool:
    """Whether a word of some trust that says the same again confirms a record of some trust.

    The operator's word always counts; an agent that repeats itself confirms nothing.
    """
    return trust >= of_record and (is_other_origin or trust >= OPERATOR_IMPLIED)


# -- merges --------------------------------------------------------------------------------------


def _find_duplicate_kind(a: Statement, b: Statement, judge: Judge) -> How | None:
    """May the two be one record?

    Records of two owners never merge, nor approved records of two types, and a near duplicate does
    not lend its trust.
    """
    if a.id == b.id or not is_one_place(a, b) or a.owner != b.owner:
        return None
    if not (a.is_live and b.is_live):
        return None
    if a.type != b.type and "inbox" not in (a.status, b.status):
        return None
    if a.digest == b.digest:
        return "exact"
    judgement = judge(a, b)
    if judgement not in ("duplicate", "retold"):
        return None
    survivor, absorbed = sorted((a, b), key=rank_for_survival)
    if survivor.trust < absorbed.trust:
        return None
    return "near" if judgement == "duplicate" else "retold"


def _is_stale_repeat(incoming: Statement, neighbour: Statement) -> bool:
    """Is this the very observation that was superseded, read once more?"""
    if neighbour.status != "superseded" or incoming.id == neighbour.id:
        return False
    if neighbour.scope_key != incoming.scope_key or neighbour.digest != incoming.digest:
        return False
    return (incoming.observed_at or "") <= (neighbour.observed_at or "")


def _plan_merge(survivor: Statement, absorbed: Statement, how: How) -> Decision:
    after = merge_statements(survivor, absorbed, how)
    reason = "the same words"
    if how == "near":
        score = compute_similarity(survivor.content, absorbed.content)
        reason = f"nearly the same words ({score:.2f})"
    elif how == "retold":
        reason = "the same answer in other words"
    origins = tuple(sorted(after.origins))
    return Decision("merge", survivor.id, reason, absorbed.id, how, after.trust, origins)


def _find_best_duplicate(
    incoming: Statement, neighbours: Iterable[Statement], judge: Judge
) -> tuple[Statement, How] | None:
    def rank(duplicate: tuple[Statement, How]) -> tuple[object, ...]:
        other, how = duplicate
        score = compute_similarity(incoming.content, other.content)
        return how != "exact", -score, rank_for_survival(other)

    duplicates = [
        (other, how)
        for other in neighbours
        if (how := _find_duplicate_kind(incoming, other, judge))
    ]
    return min(duplicates, key=rank, default=None)


# -- what excludes what --------------------------------------------------------------------------


def _is_later(newer: Statement, older: Statement) -> bool:
    return bool(newer.observed_at and older.observed_at and newer.observed_at > older.observed_at)


def _plan_replacement(newer: Statement, older: Statement, says_so: bool) -> Decision | None:
    """What follows where the one may take the other's place, of two that exclude each other."""
    is_later = _is_later(newer, older)
    is_explicit = says_so or (newer.announces and is_later)
    if is_explicit:
        reason = "it says that this changed"
    elif newer.is_operators and newer.trust >= older.trust and is_later:
        reason = "the operator's newer word on the same subject"
    else:
        return None
    is_said = is_explicit and newer.is_in_force and newer.trust == OPERATOR_SAID
    is_free = not older.pinned and older.owner != "operator"
    action: Action = "supersede" if is_said and is_free else "propose"
    return Decision(action, newer.id, reason, older.id, explicit=is_explicit)


def _plan_opposition(a: Statement, b: Statement, judge: Judge) -> Decision | None:
    """The contradiction between two live statements, or the supersession that settles it."""
    if not (a.is_live and b.is_live):
        return None
    if judge(a, b) != "exclusive":
        return None
    forward, backward = find_direction(a, b), find_direction(b, a)
    for newer, older, says_so in _order_by_claim(a, b, forward, backward):
        step = _plan_replacement(newer, older, says_so)
        if step:
            return step
    first, second = sorted((a.id, b.id))
    return Decision("contradict", first, "both cannot hold", second)


def _order_by_claim(
    a: Statement, b: Statement, forward: Verdict | None, backward: Verdict | None
) -> list[tuple[Statement, Statement, bool]]:
    """Both directions of a replacement; first the one that words speak for, then time."""
    directions = [(a, b, forward == "updates"), (b, a, backward == "updates")]
    return sorted(directions, key=lambda way: (not way[2], not _is_later(way[0], way[1])))


def _plan_oppositions(one: Statement, others: Iterable[Statement], judge: Judge) -> list[Decision]:
    steps = {step for other in others if (step := _plan_opposition(one, other, judge))}
    return sorted(steps, key=lambda step: (step.action, step.id, step.target or ""))


# -- plans ---------------------------------------------------------------------------------------


def _decide_fate(
    incoming: Statement, neighbours: Sequence[Statement], tombstones: frozenset[str], judge: Judge
) -> list[Decision]:
    """What becomes of one statement."""
    if incoming.status == "inbox":
        if incoming.digest in tombstones:
            return [Decision("reject", incoming.id, "rejected or forgotten before")]
        stale = [other for other in neighbours if _is_stale_repeat(incoming, other)]
        if stale:
            return [_plan_stale_merge(incoming, min(stale, key=rank_for_survival))]
    duplicate = _find_best_duplicate(incoming, neighbours, judge)
    if duplicate is None:
        return [Decision("keep", incoming.id, "nothing like it")]
    other, how = duplicate
    survivor, absorbed = sorted((incoming, other), key=rank_for_survival)
    step = _plan_merge(survivor, absorbed, how)
    if absorbed.id == incoming.id:
        return [step]
    return [Decision("keep", incoming.id, "the better of two"), step]


def _plan_stale_merge(incoming: Statement, superseded: Statement) -> Decision:
    origins = tuple(sorted(superseded.origins | incoming.origins))
    reason = "read once more after it was superseded"
    return Decision("merge", superseded.id, reason, incoming.id, "exact", superseded.trust, origins)


def is_alone(statement: Statement, neighbours: Iterable[Statement], near: Nearness) -> bool:
    """Whether a plan for one statement could only keep it: no neighbour says the same or excludes
    it. That is so for most, and quicker to see than to plan.
    """
    return all(
        other.id == statement.id
        or (
            other.digest != statement.digest
            and judge_pair(statement, other, nearness=near(statement, other)) is None
        )
        for other in neighbours
    )


def plan_statements(
    statements: Iterable[Statement],
    neighbours_of: Callable[[Statement], Sequence[Statement]],
    tombstones: frozenset[str] = frozenset(),
    near: Nearness = find_no_nearness,
    judged: Judged | None = None,
    propose: Propose = propose_nothing,
    says_again: SaysAgain = say_nothing_again,
) -> tuple[Decision, ...]:
    """The plan for many statements at once, the same in whatever order they come.

    The best statement goes first; what an earlier step absorbed is no neighbour any more, so that
    merges form stars, not chains. Contradictions are then looked for among what is left, so that
    nothing is said of a record that is gone by then. `tombstones` holds fingerprints of rejected,
    forgotten or purged records; only a candidate from the inbox is turned away by one. `judged`
    are pairs of records that were compared before and not changed since; it gets those of this
    plan. `says_again` and `propose` are asked about what the rules leave undecided.
    """
    state = _PlanState(near, {} if judged is None else judged, propose, says_again)
    for statement in _sort_for_survival({s.id: s for s in statements}.values()):
        if statement.id not in state.gone:
            neighbours = neighbours_of(state.read_current(statement))
            state.decide(statement, neighbours, tombstones)
            state.merge_on(statement, neighbours)
    return (*state.steps, *_order_steps(state.list_oppositions(), state.current))


class _PlanState:
    """The statements while a plan is made.

    `current` holds each as it is after the steps so far, `gone` what was absorbed or rejected,
    `neighbours` the ids that were found around each.
    """

    def __init__(
        self, near: Nearness, judged: Judged, propose: Propose, says_again: SaysAgain
    ) -> None:
        self._near = near
        self._propose = propose
        self._says_again = says_again
        self._judged = judged
        # The pairs of this plan, whose similarity need not be asked for again.
        self._seen: dict[tuple[str, str], Judgement | None] = {}
        self.current: dict[str, Statement] = {}
        self.gone: set[str] = set()
        self._merged: set[str] = set()
        self.neighbours: dict[str, set[str]] = {}
        self.steps: dict[Decision, None] = {}

    def read_current(self, statement: Statement) -> Statement:
        """A statement as it is by now."""
        return self.current.setdefault(statement.id, statement)

    def judge(self, a: Statement, b: Statement) -> Judgement | None:
        """What two statements are to each other; each pair is looked at once."""
        pair = (a.id, b.id) if a.id < b.id else (b.id, a.id)
        if pair not in self._seen:
            nearness = self._near(a, b)
            before = self._judged.get(pair)
            if before is None or before[0] != nearness:
                before = nearness, judge_pair(a, b, nearness=nearness)
                self._judged[pair] = before
            self._seen[pair] = before[1] or self._judge_again(a, b)
        return self._seen[pair]

    def _judge_again(self, a: Statement, b: Statement) -> Judgement | None:
        """What is read of a pair that no rule judges: it may be read better another time."""
        if self._says_again is say_nothing_again or not is_one_place(a, b):
            return None
        survivor, absorbed = sorted((a, b), key=rank_for_survival)
        return "retold" if self._says_again(survivor, absorbed) else None

    def decide(
        self, statement: Statement, neighbours: Sequence[Statement], tombstones: frozenset[str]
    ) -> None:
        """Decide the fate of one, and let later steps see it."""
        incoming = self.read_current(statement)
        others = {n.id: self.read_current(n) for n in neighbours if n.id not in self.gone}
        self.neighbours.setdefault(incoming.id, set()).update(others)
        for step in _decide_fate(incoming, list(others.values()), tombstones, self.judge):
            self.steps[step] = None
            self._apply_step(step)

    def merge_on(self, statement: Statement, neighbours: Sequence[Statement]) -> None:
        """Merge what has absorbed its best duplicate with the next best, until none is left."""
        while statement.id in self._merged and statement.id not in self.gone:
            self._merged.discard(statement.id)
            incoming = self.current[statement.id]
            others = [self.read_current(n) for n in neighbours if n.id not in self.gone]
            found = _find_best_duplicate(incoming, others, self.judge)
            if found is None:
                return
            survivor, absorbed = sorted((incoming, found[0]), key=rank_for_survival)
            step = _plan_merge(survivor, absorbed, found[1])
            self.steps[step] = None
            self._apply_step(step)

    def _apply_step(self, step: Decision) -> None:
        if step.action == "reject":
            self.gone.add(step.id)
        elif step.action == "merge" and step.target and step.trust is not None:
            self.gone.add(step.target)
            survivor, absorbed = self.current[step.id], self.current[step.target]
            self.current[step.id] = merge_statements(survivor, absorbed, step.how or "near")
            self._merged.add(step.id)
            inherited = self.neighbours.get(step.target, set())
            self.neighbours.setdefault(step.id, set()).update(inherited)

    def list_oppositions(self) -> list[Decision]:
        """What excludes what among the statements that are left."""
        steps: dict[Decision, None] = {}
        left = [self.current[each] for each in self.neighbours if each not in self.gone]
        for one in _sort_for_survival(left):
            ids = sorted(self.neighbours[one.id] - self.gone - {one.id})
            others = [self.current[each] for each in ids]
            steps.update(dict.fromkeys(_plan_oppositions(one, others, self.judge)))
            if self._propose is not propose_nothing:
                undecided = [other for other in others if self.judge(one, other) is None]
                step = self._propose(one, undecided)
                steps |= {step: None} if step else {}
        return list(steps)


def _order_steps(steps: Sequence[Decision], known: Mapping[str, Statement]) -> list[Decision]:
    """Supersessions first, in the order in which things were said; then the rest.

    Each record is superseded once, and nothing else is said of one that was.
    """

    def rank(step: Decision) -> tuple[str, str, str]:
        return known[step.id].observed_at or "", step.id, step.target or ""

    gone: set[str] = set()
    ordered: list[Decision] = []
    for step in sorted((step for step in steps if step.action == "supersede"), key=rank):
        if not {step.id, step.target} & gone:
            gone.add(step.target or "")
            ordered.append(step)
    others = (step for step in steps if step.action != "supersede")
    return [*ordered, *(step for step in others if not {step.id, step.target} & gone)]
