"""Front matter is YAML that cannot do harm, and text where it is no YAML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.readers.text_document import parse_document


def test_front_matter_is_split_off_and_lines_keep_their_numbers() -> None:
    page = parse_document("---\nTitle: Tides\n---\nHigh at noon.\n")
    assert (page.front_matter, page.lines, page.first_line) == (
        {"title": "Tides"},
        ["High at noon.", ""],
        4,
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("date: 2026-03-04", "2026-03-04"),
        ("date: 2026-03-04 10:00:00", "2026-03-04 10:00:00"),
        ("version: 1.10", "1.10"),
        ("answer: no", "no"),
        ('title: "Tides: a plan"', "Tides: a plan"),
        ("title: Tides: a plan", "Tides: a plan"),
        ("title: Ines's tide: a plan", "Ines's tide: a plan"),
        ("globs: *.ts,*.tsx", "*.ts,*.tsx"),
        ("globs: [a, 'b c']", ["a", "b c"]),
        ("paths:\n  - a\n  - b # not c", ["a", "b"]),
        ("description: |\n  One line.\n  Two lines.", "One line.\nTwo lines."),
        ("description: >-\n  One\n  line.", "One line."),
        ("empty:", ""),
    ],
)
def test_a_value_stays_as_it_is_written(field: str, value: object) -> None:
    page = parse_document(f"---\nname: x\n{field}\n---\nText.")
    assert page.front_matter == {"name": "x", field.partition(":")[0]: value}
    assert page.lines == ["Text."]


def test_the_fields_of_a_mapping_stand_beside_the_others_whose_names_come_first() -> None:
    page = parse_document("---\nname: x\nmetadata:\n  type: user\n  name: y\n---\n")
    assert page.front_matter == {"name": "x", "type": "user"}


@pytest.mark.parametrize(
    "front",
    [
        "Only words between two rules.",
        "- a\n- b",
        "name: [",
        "name: x\n\tbroken: y",
        "name: \x00",
        "? [a]\n: b",
        "[" * 3000,
        "{a: " * 3000,
        "name: " + "x" * 40_000,
        "name: !!python/object/apply:os.system [exit 1]\nb: {",
        "\n".join(f"a{n}: b" for n in range(300)),
    ],
)
def test_what_is_no_front_matter_is_text(front: str) -> None:
    text = f"---\n{front}\n---\nText."
    page = parse_document(text)
    assert (page.front_matter, page.lines, page.first_line) == ({}, text.split("\n"), 1)


def test_a_tag_makes_no_object() -> None:
    page = parse_document("---\nname: !!python/name:os.system x\n---\n")
    assert page.front_matter == {"name": "x"}


def test_aliases_are_not_multiplied() -> None:
    rows = ["a0: &a0 [b, b]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 90))]
    page = parse_document("\n".join(["---", *rows, "---", "Text."]))
    assert page.front_matter["a0"] == ["b", "b"]
    assert page.lines == ["Text."]


@pytest.mark.parametrize(
    "text", ["", "---", "---\n", "---\n---", "---\n---\n", "\n---\nname: x\n---"]
)
def test_text_without_front_matter_is_all_lines(text: str) -> None:
    page = parse_document(text)
    assert (page.front_matter, page.lines) == ({}, text.split("\n"))


@given(st.text(max_size=200))
def test_any_text_between_rules_is_read(text: str) -> None:
    page = parse_document(f"---\n{text}\n---\nText.")
    assert page.lines[-1] == "Text."


def test_a_context_that_was_handed_out_is_blanked_line_for_line() -> None:
    page = parse_document(f"a\n{SENTINEL_OPEN}>\nb\n{SENTINEL_CLOSE}c\nd")
    assert page.lines == ["a", "", "", "c", "d"]
