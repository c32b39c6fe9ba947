"""A message falls into statements that can stand alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.statements import statements


def test_sentences_items_and_code_are_statements_with_what_introduces_them() -> None:
    text = (
        "We weave. It works.\n\n**To start:**\n```bash\nmake\nmake run\n```\n- `loom` - "
        "on\n\nThat is all"
    )
    assert statements(text) == [
        "We weave.",
        "It works.",
        "To start: make\nmake run",
        "To start: `loom` - on",
        "That is all",
    ]


def test_a_point_inside_a_name_ends_no_sentence() -> None:
    assert statements("See a.py and v1.2 now. Then stop.") == [
        "See a.py and v1.2 now.",
        "Then stop.",
    ]


@given(st.text(alphabet="ab. :\n-`*", max_size=80))
def test_no_statement_is_empty_or_invented(text: str) -> None:
    for statement in statements(text):
        assert statement == statement.strip() or "\n" in statement
        assert set(statement) <= set(text) | {" "}
