"""A statement that is seen to be alone is one whose plan would only keep it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from memctl.consolidate.plan import find_no_nearness, is_alone, plan_statements
from memctl.records.statement import Statement

CASES = Path(__file__).resolve().parents[2] / "benchmarks" / "relation_cases.tsv"
TEXTS = [
    part
    for line in CASES.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for part in line.split("\t")[1:3]
]


def state(text: str, number: int, **more: object) -> Statement:
    return Statement(id=f"{number:026}", content=text, **more)  # type: ignore[arg-type]


def only_keeps(statement: Statement, other: Statement) -> bool:
    return {step.action for step in plan_statements([statement], lambda _: [other])} == {"keep"}


def test_who_is_alone_beside_a_neighbour_is_only_kept_beside_it() -> None:
    pairs = list(zip(TEXTS[::2], TEXTS[1::2], strict=False))
    strangers = list(zip(TEXTS, TEXTS[7:], strict=False))
    ways = list(product(("active", "inbox"), ("active", "inbox"), ("global", "project")))
    for place, (one, other) in enumerate([*pairs, *strangers]):
        status, beside, scope = ways[place % len(ways)]
        statement = state(one, 2, status=status, trust=3)
        neighbour = state(other, 1, status=beside, scope=scope, project_id=None)
        if is_alone(statement, [neighbour], find_no_nearness):
            assert only_keeps(statement, neighbour), (one, other)


def test_a_statement_beside_equal_words_is_not_alone() -> None:
    one, same = state("Tests run with pytest", 1), state("tests run with `pytest`", 2)
    assert not is_alone(one, [same], find_no_nearness)
    assert is_alone(one, [one], find_no_nearness)


def test_a_pair_that_was_judged_is_judged_again_only_where_it_became_nearer() -> None:
    asked: list[float | None] = []
    one, other = state("The port is 80", 1), state("Login goes through Okta", 2)

    def plan(nearness: float | None) -> None:
        plan_statements([one], lambda _: [other], near=lambda *_: nearness, judged=judged)
        asked.append(judged[one.id, other.id][0])

    judged: dict[tuple[str, str], tuple[float | None, object]] = {}
    plan(None)
    plan(0.5)
    assert asked == [None, 0.5]
