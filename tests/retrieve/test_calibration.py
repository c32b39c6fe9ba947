"""The floor holds: prompts that call for a memory get it among the first three, prompts that call
for none get none.

Both halves of `prompts` live in one store; the first may be tuned on, the second only says whether
it was tuned too closely. All of it is asked of the words alone, and of words and sense where the
built-in model is installed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from invented import House
from plain_redaction import PLAIN_REDACTOR
from prompts import ALWAYS, DEV, FORMS, HELD, PROFILE, SENSE, WORDS, Half, Told
from ways import HYBRID, WAYS, embed_all

from memctl.core.model import Place
from memctl.records import projects
from memctl.results.retrieval import ContextReport

HALVES = pytest.mark.parametrize("half", [DEV, HELD], ids=["dev", "held"])


@pytest.fixture(scope="module", params=WAYS)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """The four projects with all that is remembered in them, found by words or by words and
    sense.
    """
    made = furnished(House(tmp_path_factory.mktemp("furnished")))
    if request.param == "hybrid":
        embed_all(made)
    yield made
    made.db.close()


@pytest.fixture(scope="module", params=HYBRID)
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The same, found by words and sense."""
    made = furnished(House(tmp_path_factory.mktemp("hybrid")))
    embed_all(made)
    yield made
    made.db.close()


def furnished(house: House) -> House:
    """The house with everything that `prompts` tells."""
    house.add(ALWAYS, type="profile", always_load=True)
    for text in PROFILE:
        house.add(text, type="profile")
    told_in = {name: house.project(name) for name in ("pantry", "orrery", "ferry")} | {
        "mill": house.mill
    }
    for told in (*DEV.memories, *HELD.memories):
        house.add(
            told.text,
            type=told.type,
            kind=told.kind,
            rationale=told.why,
            project_id=told_in[told.project].id,
        )
    return house


def place_of(house: House, project: str) -> Place:
    """A caller in a project."""
    return projects.find_place(house.db, None, PLAIN_REDACTOR, project=project)


def lines(report: ContextReport) -> list[str]:
    """What a context says for the task, without what it says of the place."""
    return [
        item.text for section in report.sections if section.name == "task" for item in section.items
    ]


def is_given(house: House, told: Told, prompt: str) -> bool:
    """Whether an agent is told a memory among the first three lines at a prompt."""
    given = lines(house.context(task=prompt, prompt_only=True, place=place_of(house, told.project)))
    return any(told.text in line for line in given[:3])


def missed(house: House, asked: list[tuple[Told, str]]) -> list[str]:
    """The prompts that did not get their memory."""
    return [prompt for told, prompt in asked if not is_given(house, told, prompt)]


def answered(house: House, half: Half) -> list[str]:
    """The unrelated prompts that got anything in one of the half's projects."""
    places = [
        place_of(house, project) for project in sorted({told.project for told in half.memories})
    ]
    return [
        text
        for text in half.unrelated
        if any(house.context(task=text, prompt_only=True, place=place).text for place in places)
    ]


@HALVES
def test_a_half_has_fifty_prompts_of_either_sort_over_two_projects(half: Half) -> None:
    assert len(half.related(WORDS, FORMS)) >= 50 <= len(half.unrelated)
    assert (
        len({told.project for told in half.memories}) == 2
        and len({told.kind for told in half.memories}) >= 5
    )


@HALVES
def test_related_prompts_get_their_memory_among_the_first_three(hybrid: House, half: Half) -> None:
    """But for an order whose only telling word is one of every day (`edit the strings`)."""
    assert len(missed(hybrid, half.related(WORDS, FORMS))) <= 1


@HALVES
def test_by_words_alone_hardly_a_related_prompt_misses_its_memory(house: House, half: Half) -> None:
    """One common word among many unknown ones is not enough where nothing else speaks."""
    assert len(missed(house, half.related(WORDS, FORMS))) <= 3


@pytest.mark.needs("extension")
@HALVES
def test_sense_finds_some_of_what_no_word_says(hybrid: House, half: Half) -> None:
    """Only what is asked, and only where nothing else could be meant: silence comes first."""
    asked = half.related(SENSE)
    assert len(missed(hybrid, asked)) < len(asked) * 0.9


@HALVES
def test_unrelated_prompts_get_nothing(hybrid: House, half: Half) -> None:
    """But for a word that means something else here (`evening` is `even` to Porter, and a button is
    pushed as a branch is).
    """
    assert len(answered(hybrid, half)) <= 1


@HALVES
def test_by_words_alone_hardly_an_unrelated_prompt_gets_anything(house: House, half: Half) -> None:
    """A word that means something else here cannot be told by words."""
    assert len(answered(house, half)) <= 2


@HALVES
def test_a_whole_context_has_nothing_for_an_unrelated_task(hybrid: House, half: Half) -> None:
    project = half.memories[0].project
    told = {
        text: lines(hybrid.context(task=text, place=place_of(hybrid, project)))
        for text in half.unrelated[:12]
    }
    assert {text: said for text, said in told.items() if said} == {}
