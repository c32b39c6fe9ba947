"""The floor holds: prompts that call for a memory get it among the first three, prompts that call for none get none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from invented import House
from prompts import FACTS, PROFILE, UNRELATED


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The mill with all its facts, among those of another project."""
    house = House(Path(tmp_path_factory.mktemp("furnished")))
    for text in PROFILE:
        house.add(text, type="profile")
    for fact, _ in FACTS:
        house.add(fact)
    yield house
    house.db.close()


@pytest.mark.parametrize(("fact", "prompt"), [(fact, prompt) for fact, prompts in FACTS for prompt in prompts])
def test_a_related_prompt_gets_its_memory_among_the_first_three(furnished: House, fact: str, prompt: str) -> None:
    given = [item.text for section in furnished.context(task=prompt, prompt_only=True).sections for item in section.items]
    assert fact in given[:3]


def test_unrelated_prompts_get_nothing(furnished: House) -> None:
    """One in fifty may fall for a chance likeness of stems (`evening` is `even` to Porter)."""
    answered = [prompt for prompt in UNRELATED if furnished.context(task=prompt, prompt_only=True).text]
    assert len(UNRELATED) == 50 and len(answered) <= 1, answered
