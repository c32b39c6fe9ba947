"""Names that are said to be one, and the name that stands for them."""

from __future__ import annotations

import time

import pytest

from memctl.consolidate.entity_statements import find_alias_statements


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Vitya is my boss.", [("Vitya", "my boss")]),
        ("By the way, my boss is Vitya", [("Vitya", "my boss")]),
        ("Vitya = Vitaly", [("Vitya", "Vitaly")]),
        ("Vitaly, also known as Vitya, agreed", [("Vitaly", "Vitya")]),
        ("Vitaly (aka Vitya) agreed", [("Vitaly", "Vitya")]),
        ("k8s stands for Kubernetes", [("k8s", "Kubernetes")]),
        ("My manager, Olga, wants it", [("Olga", "My manager")]),
        ("Robert goes by Bob", [("Robert", "Bob")]),
    ],
)
def test_a_stated_alias_is_read(text: str, pairs: list[tuple[str, str]]) -> None:
    assert find_alias_statements(text) == pairs


@pytest.mark.parametrize(
    "text",
    [
        "Is Vitya my boss?",
        "Vitya is not my boss",
        "Olga is my colleague",
        "Ann is my boss's friend",
        "x = 3",
        "Theme = Dark",
        "JAVA_HOME = /usr",
        "It stands for freedom",
        "Vitya likes Vitaly",
        "Vitya and Vitaly are here",
        "",
    ],
)
def test_what_states_no_alias_yields_none(text: str) -> None:
    assert find_alias_statements(text) == []


@pytest.mark.parametrize("hostile", ["A ", "Aa", "A aka ", "my boss ", "(", "A = ", "a.", "A is "])
def test_hostile_text_is_searched_in_linear_time(hostile: str) -> None:
    started = time.process_time()
    find_alias_statements(hostile * (300_000 // len(hostile)))
    find_alias_statements((hostile * 40 + "\n") * (200_000 // (len(hostile) * 40)))
    assert time.process_time() - started < 60
