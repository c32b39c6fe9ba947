"""The review of 40 invented candidates by the real commands, key by key."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks import review_film, review_world


def test_the_invented_inbox_holds_every_kind_of_candidate(tmp_path: Path) -> None:
    with review_world.build(tmp_path) as engine:
        views = engine.inbox.list(limit=-1).items
    assert len(views) == len(review_world.list_wanted()) == 40
    answers = Counter(review_world.find_wanted(view.memory.content).answer for view in views)
    assert set(answers) == {
        review_world.APPROVE,
        review_world.REJECT,
        review_world.MERGE,
        review_world.INSTEAD,
        review_world.EVERYWHERE,
        review_world.REASON,
        review_world.PLACE,
    }
    assert {view.project for view in views} == {None, review_world.HERE, review_world.OTHER}


@pytest.mark.proof
@pytest.mark.parametrize(("way", "most"), [("review", 80), ("inbox", 120)])
def test_forty_candidates_are_decided_in_two_or_three_keys_each_and_all_as_wanted(
    way: str, most: int
) -> None:
    account, wrong = review_film.play(way, 80, 24)
    assert wrong == []
    # The typed reason of one decision is among them.
    assert account.total <= most
