"""Who and what a text names."""

from __future__ import annotations

import time

import pytest

from memctl.extract.named_things import find_entities, find_person_names, list_name_phrases


def named(text: str) -> set[tuple[str, str]]:
    return {(ref.kind, ref.name) for ref in find_entities(text, None)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Olga wants nightly backups and Vitya agreed.", ["Olga", "Vitya"]),
        ("Ask Vitaly Petrov about it", ["Vitaly Petrov"]),
        ("Deploy with Hannah's branch", ["Hannah"]),
        ("then Mark said no", ["Mark"]),
    ],
)
def test_people_are_found_by_their_names(text: str, names: list[str]) -> None:
    assert list(find_person_names(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        "Will fix it. Mark the task done.",
        "Claude said it works",
        "Docker wants a socket",
        "Jan  1 00:00 .bashrc",
        "`Olga` is a constant",
        "Anna.py is a file",
        "new Olga(1)",
        "Max 3 retries",
        "ruby and julia",
        "The User asked",
        "",
    ],
)
def test_what_is_no_person_is_none(text: str) -> None:
    assert list(find_person_names(text)) == []


def test_roles_are_people_in_ones_own_words_only() -> None:
    assert ("person", "my boss") in named("My boss prefers tabs")
    assert named("my boss's cat") == set() and named("a friend of my boss of old") == set()
    assert [ref.name for ref in find_entities("my boss prefers tabs", "Hannah")] == ["Hannah"]


def test_tools_orgs_projects_and_code_are_told_apart() -> None:
    text = (
        "The Kiln project at Glaze GmbH uses PostgreSQL and `make fire`; see `kiln_temp` in "
        "src/oven.py, and `true`"
    )
    assert named(text) >= {
        ("project", "Kiln"),
        ("org", "Glaze GmbH"),
        ("tool", "PostgreSQL"),
        ("concept", "kiln_temp"),
    }
    assert not {name for _, name in named(text)} & {"true", "make fire"}


def test_a_verb_is_no_tool() -> None:
    assert (
        named("make sure to go and react to it") == set() and named("don't use npm-check") == set()
    )


def test_phrases_are_what_is_written_as_a_name() -> None:
    assert {"Vitaly", "Vitaly Petrov", "sea-charts"} <= set(
        list_name_phrases("We met Vitaly Petrov about sea-charts.")
    )
    assert "Will" not in set(list_name_phrases("Will do."))


@pytest.mark.parametrize(
    "text",
    ["A" * 99_999, "Aa " * 33_333, "`" * 99_999, "The `" * 20_000, "a-" * 50_000, "Aa'" * 33_333],
)
def test_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    start = time.process_time()
    find_entities(text, None)
    list(list_name_phrases(text))
    assert time.process_time() - start < 10
