"""Names that are said to be one, and the name that stands for them."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.consolidate.entity_names import alias_statements, alias_table, name_key, resolve


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
    assert alias_statements(text) == pairs


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
    assert alias_statements(text) == []


def test_a_role_and_a_short_name_lead_to_the_full_name() -> None:
    table = alias_table([("Vitya", "my boss"), ("Vitya", "Vitaly")])
    assert table == {"vitya": "Vitaly", "vitaly": "Vitaly", "my boss": "Vitaly"}


def test_a_role_that_passed_on_makes_two_people_neither_one_nor_the_role() -> None:
    table = alias_table([("Vitya", "my boss"), ("Olga", "my boss")])
    assert table == {"vitya": "Vitya", "olga": "Olga"}


_names = st.sampled_from(["Ana", "Anna", "Annika", "my boss", "our lead", "Bo", "Boris"])


@given(st.lists(st.tuples(_names, _names), max_size=8), st.randoms(use_true_random=False))
def test_the_table_does_not_depend_on_the_order_and_its_names_stand_for_themselves(
    pairs: list[tuple[str, str]], order: random.Random
) -> None:
    table = alias_table(pairs)
    order.shuffle(pairs)
    assert alias_table(pairs) == table
    assert all(table[name_key(canonical)] == canonical for canonical in table.values())


def test_a_name_resolves_through_its_aliases_within_its_kind() -> None:
    known = {("person", "vitya"): "Vitaly", ("person", "my boss"): "Vitya"}
    assert resolve("My boss", "person", known) == "Vitaly"
    assert resolve("Vitya", "tool", known) == "Vitya"
    assert resolve("  Olga   Orlova ", "person", known) == "Olga Orlova"


def test_a_circle_of_aliases_ends_at_one_name_from_wherever_it_is_entered() -> None:
    known = {("person", "vitya"): "Vitaly", ("person", "vitaly"): "Vitya"}
    assert resolve("Vitya", "person", known) == resolve("Vitaly", "person", known) == "Vitaly"


@pytest.mark.parametrize("hostile", ["A ", "Aa", "A aka ", "my boss ", "(", "A = ", "a.", "A is "])
def test_hostile_text_is_searched_in_linear_time(hostile: str) -> None:
    started = time.process_time()
    alias_statements(hostile * (300_000 // len(hostile)))
    alias_statements((hostile * 40 + "\n") * (200_000 // (len(hostile) * 40)))
    assert time.process_time() - started < 60
